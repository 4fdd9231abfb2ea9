/* SPDX-License-Identifier: MIT */
/* The older archives of a build: named before, opened and matched while it writes. */
#ifndef PSOPACK_PACKER_BUILD_OLDS_H
#define PSOPACK_PACKER_BUILD_OLDS_H

#include "packer/layout_plan.h"

/* Zero it to begin. */
typedef struct psopack_build_olds {
    char **paths;
    uint32_t count;
    psopack_keep_how how;
    unsigned max_waste; /* percent of the stored bytes */
    bool no_stale;
    bool are_inputs;       /* opened when they were added, until the build ends */
    psopack_old **olds;    /* else while writing */
    psopack_string *kinds; /* whose blocks may be kept */
    size_t kind_count;
    psopack_string *slots; /* of what a layer is made on */
    size_t slot_count;
} psopack_build_olds;

/* Remembers `count` paths in place of any before. */
psopack_status psopack_build_olds_set(psopack_build_olds *olds, const char *const *paths,
                                      uint32_t count, psopack_diag *diag);

/* Opens one more archive as an input, on the archive opened before when it is a layer of it.
 * `salvage` not NULL: it may be damaged. */
psopack_status psopack_build_olds_add(psopack_build_olds *olds, const char *path, bool is_layer,
                                      const psopack_build_events *salvage, psopack_diag *diag);

/* Opens them and lists the kinds whose blocks may be kept. */
psopack_status psopack_build_olds_open(psopack_build_olds *olds, psopack_profile profile,
                                       psopack_diag *diag);
void psopack_build_olds_close(psopack_build_olds *olds); /* inputs stay open */

/* Closes them and forgets the paths. */
void psopack_build_olds_free(psopack_build_olds *olds);

psopack_status psopack_build_olds_match(const psopack_build_olds *olds, const psopack_store *store,
                                        unsigned threads, const psopack_build_events *events,
                                        psopack_diag *diag);

static inline psopack_keep psopack_build_olds_keep(const psopack_build_olds *olds)
{
    return (psopack_keep){
        .olds = olds->olds, .count = olds->count, .how = olds->how, .no_stale = olds->no_stale};
}

/* Whether what is kept holds more waste than was asked for. */
bool psopack_build_olds_too_stale(const psopack_build_olds *olds, const psopack_waste *waste);

#endif
