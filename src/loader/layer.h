/* SPDX-License-Identifier: MIT */
/*
 * Layers: from what a handle shows to where it lies.
 *
 * A handle on a layer numbers PSOs and components through its whole chain: the layer, its base,
 * the base's base. Each call that takes such a number first comes here, then works on one archive
 * and a number of that archive. A handle on an archive that is no layer is a chain of one, for
 * which all this is a comparison.
 */
#ifndef PSOPACK_LOADER_LAYER_H
#define PSOPACK_LOADER_LAYER_H

#include "loader/archive.h"

#define PSOPACK_NO_SLOT UINT16_MAX

/* Where a PSO or component of a handle lies. */
typedef struct psopack_local {
    const psopack_archive *archive;
    uint32_t index;           /* in it */
    uint32_t first_component; /* the handle's number of its component 0 */
} psopack_local;

/* NOT_FOUND out of range; BASE_MISSING for what lies in the base of a layer opened alone. */
psopack_status psopack_local_component(const psopack_archive *archive, uint32_t component,
                                       psopack_local *ret_local, psopack_diag *diag);
psopack_status psopack_local_pso(const psopack_archive *archive, uint32_t pso,
                                 psopack_local *ret_local, psopack_diag *diag);

/* The way back: the handle's number of a PSO of an archive of its chain. NOT_FOUND when a layer
 * above replaces or removes it. */
psopack_status psopack_shown_pso(const psopack_archive *archive, const psopack_archive *holder,
                                 uint32_t index, uint32_t *ret_pso, psopack_diag *diag);

/*
 * `status`, with the archive's id put in front of the diag's text when it is not the handle's own:
 * numbers and offsets in it are then those of that archive.
 */
psopack_status psopack_local_explain(const psopack_archive *archive, const psopack_archive *holder,
                                     psopack_status status, psopack_diag *diag);

/* The row of a component of the handle. */
psopack_status psopack_archive_component_row(const psopack_archive *archive, uint32_t component,
                                             psopack_component_row *ret_row, psopack_diag *diag);

/* A slot of a PSO as the handle numbers slots and components. ABSENT has no diag. */
psopack_status psopack_local_slot(const psopack_archive *archive, const psopack_local *pso,
                                  uint32_t slot, uint32_t *ret_component, psopack_diag *diag);

/* The archive of the chain that has `depth` others below it; it must be there. */
static inline const psopack_archive *psopack_archive_at_depth(const psopack_archive *archive,
                                                              uint32_t depth)
{
    while (archive->depth != depth)
        archive = archive->base;
    return archive;
}

/*
 * The last step of opening: a layer gets its base, or is looked at alone. Proves that the base is
 * the one it was made for and that their counts and slots fit; finds the base blocks that it takes
 * from there. `room` has an element for each slot of a layer.
 */
psopack_status psopack_layer_attach(psopack_archive *archive, const psopack_open_options *options,
                                    uint16_t *room, psopack_diag *diag);

#endif
