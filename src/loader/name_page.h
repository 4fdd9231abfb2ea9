/* SPDX-License-Identifier: MIT */
/* PSO names, page by page; the context keeps the last page decoded. */
#ifndef PSOPACK_LOADER_NAME_PAGE_H
#define PSOPACK_LOADER_NAME_PAGE_H

#include "loader/context.h"

/* On success context->name holds the PSO's name; it has no terminator. */
psopack_status psopack_context_name(psopack_context *context, uint32_t pso, uint32_t *ret_size,
                                    psopack_diag *diag);

#endif
