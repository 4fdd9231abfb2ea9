/* SPDX-License-Identifier: MIT */
/* The last word on a PSO's parts. */
#ifndef PSOPACK_LOADER_PSO_H
#define PSOPACK_LOADER_PSO_H

#include "loader/archive.h"

/* PSOPACK_E_TUPLE unless `tuple` is what the packer computed. */
psopack_status psopack_pso_compare(const psopack_archive *archive, uint32_t pso, uint32_t tuple,
                                   psopack_diag *diag);

#endif
