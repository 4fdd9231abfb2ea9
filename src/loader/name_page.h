/* SPDX-License-Identifier: MIT */
/* PSO names, page by page; the context keeps the last page decoded. */
#ifndef PSOPACK_LOADER_NAME_PAGE_H
#define PSOPACK_LOADER_NAME_PAGE_H

#include "loader/context.h"

/* The name of PSO `pso` of `archive` itself, which the context serves. On success it lies in
 * context->name, without a terminator. */
psopack_status psopack_context_name(psopack_context *context, const psopack_archive *archive,
                                    uint32_t pso, uint32_t *ret_size, psopack_diag *diag);

/* The same for a PSO as the handle numbers them: of the archive or of what it builds on. */
psopack_status psopack_context_shown_name(psopack_context *context, const psopack_archive *archive,
                                          uint32_t pso, uint32_t *ret_size, psopack_diag *diag);

#endif
