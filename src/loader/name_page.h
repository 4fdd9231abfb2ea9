/* SPDX-License-Identifier: MIT */
/* PSO names, page by page; the context keeps the last page decoded. */
#ifndef PSOPACK_LOADER_NAME_PAGE_H
#define PSOPACK_LOADER_NAME_PAGE_H

#include "loader/context.h"

/* The name of PSO `pso` of `archive` itself, which the context serves. On success it lies in
 * context->name, without a terminator. */
psopack_status psopack_context_name(psopack_context *context, const psopack_archive *archive,
                                    uint32_t pso, uint32_t *ret_size, psopack_diag *diag);

/* The PSO whose name has that key among those of one page; NOT_FOUND: none. The name lies in
 * context->name then. */
psopack_status psopack_context_find_in_page(psopack_context *context,
                                            const psopack_archive *archive, uint32_t page,
                                            uint64_t key, uint32_t *ret_pso, uint32_t *ret_size,
                                            psopack_diag *diag);

/* psopack_context_name() for a PSO as the handle numbers them: of the archive or of what it builds
 * on. */
psopack_status psopack_context_shown_name(psopack_context *context, const psopack_archive *archive,
                                          uint32_t pso, uint32_t *ret_size, psopack_diag *diag);

#endif
