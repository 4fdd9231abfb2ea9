/* SPDX-License-Identifier: MIT */
/* What pack writes for the build system beside the archive: depfile and stamp. */
#ifndef PSOPACK_TOOL_PACK_PRODUCTS_H
#define PSOPACK_TOOL_PACK_PRODUCTS_H

#include "options.h"
#include "session_met.h"

#include <psopack/build.h>

/* Refuses an output inside an input folder: the next build would pack the archive itself. */
psopack_status psopack_products_check_place(const psopack_options *options, psopack_diag *diag);

/* After psopack_build_write(): the depfile, then the stamp. */
psopack_status psopack_products_write(const psopack_options *options, const psopack_met_set *met,
                                      psopack_build *build, psopack_diag *diag);

#endif
