/* SPDX-License-Identifier: MIT */
/* PSO names against patterns, by fnmatch() in the C locale: bytes, not characters. */
#include "glob.h"

#include "failure.h"

#include <fnmatch.h>
#include <stdlib.h>

psopack_status psopack_glob_begin(psopack_glob *glob, char *const *patterns, size_t count,
                                  psopack_diag *diag)
{
    *glob = (psopack_glob){patterns, count, calloc(count + 1, sizeof *glob->hit)};
    return glob->hit ? PSOPACK_OK : psopack_failure_memory(diag, "patterns");
}

bool psopack_glob_match(psopack_glob *glob, const char *name)
{
    bool matched = glob->count == 0;
    for (size_t i = 0; i < glob->count; i++) {
        if (fnmatch(glob->patterns[i], name, 0) == 0) {
            glob->hit[i] = true;
            matched = true;
        }
    }
    return matched;
}

psopack_status psopack_glob_unmatched(const psopack_glob *glob, psopack_diag *diag)
{
    for (size_t i = 0; i < glob->count; i++) {
        if (!glob->hit[i])
            return psopack_failure(diag, PSOPACK_E_NOT_FOUND, "nothing matches '%s'",
                                   glob->patterns[i]);
    }
    return PSOPACK_OK;
}

void psopack_glob_end(psopack_glob *glob)
{
    free(glob->hit);
    *glob = (psopack_glob){0};
}
