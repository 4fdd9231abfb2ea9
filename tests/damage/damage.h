/* SPDX-License-Identifier: MIT */
/* The damage matrix: parts of an archive, what befalls them, and a judge of what is left. */
#ifndef PSOPACK_TEST_DAMAGE_H
#define PSOPACK_TEST_DAMAGE_H

#include "../unit/loader_fixture.h"

#include "format/layout.h"

/* ---- parts ---------------------------------------------------------------------------------- */

typedef enum damage_class {
    DAMAGE_HEADER,
    DAMAGE_BASE_BLOCK,
    DAMAGE_BLOCK,
    DAMAGE_PIECE,
    DAMAGE_PADDING,
    DAMAGE_SECTION,
    DAMAGE_PAGE_TABLE,
    DAMAGE_TABLE,
    DAMAGE_REPEAT,
    DAMAGE_FOOTER
} damage_class;

typedef struct damage_part {
    damage_class class;
    uint32_t section; /* id, of DAMAGE_SECTION */
    size_t offset, size;
} damage_part;

#define DAMAGE_PARTS_MAX 4096u

/* All parts of a sound archive, in file order. Returns how many. */
size_t damage_find_parts(const uint8_t *bytes, size_t size, damage_part *ret_parts);

/* "block", "section COMP" ... */
void damage_part_name(const damage_part *part, char ret_name[32]);

/* ---- judging -------------------------------------------------------------------------------- */

typedef struct damage_outcome {
    psopack_status opened;
    psopack_status verified; /* when it opened */
    uint32_t lost;           /* PSOs that can no longer be read */
    uint32_t wrong;          /* PSOs handed out as good with bytes that were never packed */
    uint32_t unnamed;        /* lost PSOs that verify did not name */
} damage_outcome;

/* Opens, verifies and reads everything, as a game would: by name, with the tuple CRC. */
damage_outcome damage_judge(const fixture *made, const uint8_t *bytes, size_t size);

/* ---- damage --------------------------------------------------------------------------------- */

/* Changes the part in the `n`th of its ways; false when there are no more. */
typedef bool damage_part_fn(uint8_t *bytes, const damage_part *part, unsigned n);

typedef struct damage_kind {
    const char *name;
    damage_part_fn *apply;
} damage_kind;

#define DAMAGE_PART_KINDS 4u
extern const damage_kind damage_part_kinds[DAMAGE_PART_KINDS];

/* The `n`th damaged form of a whole file, on the heap; NULL when there are no more. `other` holds
 * other content, packed the same way. */
typedef uint8_t *damage_file_fn(const fixture *made, const fixture *other, unsigned n,
                                size_t *ret_size);

typedef struct damage_file_kind {
    const char *name;
    damage_file_fn *apply;
} damage_file_kind;

extern const damage_file_kind damage_file_kinds[];
extern const size_t damage_file_kind_count;

/* The same, with every check made right again: what only meaning can tell. */
extern const damage_file_kind damage_sealed_kinds[];
extern const size_t damage_sealed_kind_count;

#endif
