/* SPDX-License-Identifier: MIT */
/*
 * For the packer's tests: PSO sets that are computed, put into a build in every way there is, and
 * read back through the loader with the tuple CRC of each PSO checked.
 */
#ifndef PSOPACK_TEST_PACKER_SET_H
#define PSOPACK_TEST_PACKER_SET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <psopack/build.h>
#include <psopack/psopack.h>
#include <stdbool.h>

/* One slot of one PSO. */
typedef struct part {
    const char *pso;
    const char *slot;
    uint8_t *bytes; /* exactly `size` bytes */
    size_t size;
} part;

typedef struct set {
    part *parts;
    size_t count, capacity;
} set;

/* Copies name, slot and bytes. */
void set_add(set *all, const char *pso, const char *slot, const void *bytes, size_t size);
void set_free(set *all);

/* `psos` PSOs like those of a game: machine code in near-equal variants, metadata that follow it,
 * state, absent and empty slots, bytes shared between PSOs and across slots. */
set set_like_a_game(uint32_t psos);

/* ---- a folder of the test's own ---------------------------------------------------------------
 */

/* Makes it and gives its path; test_folder_remove() deletes all that is in it. */
char *test_folder_make(void);
void test_folder_remove(char *folder);
/* "folder/name", to be freed. */
char *test_path(const char *folder, const char *name);
void test_write_file(const char *path, const void *bytes, size_t size); /* makes parent folders */
uint8_t *test_read_file(const char *path, size_t *ret_size);
bool test_same_files(const char *a, const char *b);
size_t test_count_entries(const char *folder); /* files and folders directly in it */

/* ---- building ---------------------------------------------------------------------------------
 */

/* All messages of a build, one a line. */
typedef struct heard {
    char text[16384];
    unsigned notes, warnings;
} heard;

/* Options with one thread, no flush, messages going to `heard` (may be NULL). */
psopack_build_options test_options(heard *messages);
psopack_build *test_build(const psopack_build_options *options);
void test_add_memory(psopack_build *build, const set *all);
/* Writes; fails the test when that fails. Destroys the build. */
psopack_build_result test_finish(psopack_build *build, const char *path);
/* Writes; must fail with `status`, and leaves nothing at `path`. Destroys the build. */
void test_refused(psopack_build *build, const char *path, psopack_status status,
                  psopack_diag *ret_diag);

/* ---- reading back -----------------------------------------------------------------------------
 */

/* The archive holds exactly this set: names, slots, bytes, CRCs, tuple CRCs; and verifies. */
void test_archive_holds(const psopack_archive *archive, const set *all);
void test_holds(const char *path, const set *all);

#endif
