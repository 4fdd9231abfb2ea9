/* SPDX-License-Identifier: MIT */
/* Opening an archive that may be a layer: its base is looked for, then all are opened as one. */
#ifndef PSOPACK_TOOL_CHAIN_H
#define PSOPACK_TOOL_CHAIN_H

#include "words.h"

#include <psopack/psopack.h>

#define PSOPACK_ARCHIVE_CHAIN_MAX 9 /* a base and 8 layers */

/* All zero is closed. */
typedef struct psopack_archive_chain {
    psopack_archive
        *archives[PSOPACK_ARCHIVE_CHAIN_MAX]; /* the base first, the archive asked for last */
    char *paths[PSOPACK_ARCHIVE_CHAIN_MAX];
    size_t count;
} psopack_archive_chain;

/*
 * Opens the archive at `path`. When it is a layer, the archive that it was made for is looked for
 * by its id: among the files in `named`, then in `others` (either may be NULL), then among the
 * files beside the layer; and so on down. PSOPACK_E_BASE_MISSING, _WRONG or _REPACKED say what was
 * found instead and what to do. Target and content version in `options` are asked of the archive
 * itself only. Close the chain also after a failure.
 */
psopack_status psopack_archive_chain_open(const char *path, const psopack_open_options *options,
                                          const psopack_words *named, const psopack_words *others,
                                          psopack_archive_chain *chain, psopack_diag *diag);
void psopack_archive_chain_close(psopack_archive_chain *chain);

static inline psopack_archive *psopack_archive_chain_top(const psopack_archive_chain *chain)
{
    return chain->archives[chain->count - 1];
}

#endif
