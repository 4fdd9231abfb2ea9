/* SPDX-License-Identifier: MIT */
/*
 * The PSOs that any number of cache sessions have met, each once, most used first.
 *
 * Values are read whole and checked: memory is that of the distinct PSOs. Damage is no failure, a
 * session is made to lose entries; it is told as warnings and counted.
 */
#ifndef PSOPACK_TOOL_SESSION_MET_H
#define PSOPACK_TOOL_SESSION_MET_H

#include "output.h"
#include "words.h"

#include <psopack/session_files.h>

typedef struct psopack_met_part {
    const char *slot;
    const void *bytes;
    size_t size;
} psopack_met_part;

typedef struct psopack_met {
    const char *name;
    size_t name_size;
    uint64_t content_version;
    uint64_t uses;
    uint32_t files;            /* that have it */
    const char *path;          /* of the file that it was read from */
    const char *conflict_path; /* of one that has other content for it; NULL: none */
    psopack_met_part *parts;   /* by slot name */
    size_t part_count;
    uint64_t bytes; /* of all parts */
    void *value;    /* that the parts lie in */
} psopack_met;

/* All zero is empty. */
typedef struct psopack_met_set {
    psopack_session_collection *collection; /* owns names and paths */
    psopack_words files;                    /* value files that were read */
    psopack_words folders;                  /* that were searched for them */
    psopack_met *psos;                      /* most used first, then by content version and name */
    size_t count;
    uint64_t others;  /* entries that hold no PSO: left alone */
    uint64_t damaged; /* records, gaps and values that are not used */
} psopack_met_set;

/* Reads all files below `paths`: one cache, version and driver tag. Free it also after a failure.
 */
psopack_status psopack_met_read(psopack_output *output, char *const *paths, size_t count,
                                psopack_met_set *set, psopack_diag *diag);
void psopack_met_free(psopack_met_set *set);

/*
 * Leaves one PSO for each name: those of `version`, or, without one given, of the only content
 * version there is (else PSOPACK_E_ARGUMENT). *ret_left_out counts the others, may be NULL.
 * PSOPACK_E_DUPLICATE: two files have different content for a PSO that is left.
 */
psopack_status psopack_met_select(psopack_met_set *set, const psopack_number *version,
                                  uint64_t *ret_left_out, psopack_diag *diag);

#endif
