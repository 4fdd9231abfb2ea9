/* SPDX-License-Identifier: MIT */
/*
 * Archives for the loader's tests, made by the packer from content that is computed, so that every
 * test knows what each read must give.
 */
#ifndef PSOPACK_TEST_LOADER_FIXTURE_H
#define PSOPACK_TEST_LOADER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <psopack/build.h>
#include <psopack/psopack.h>
#include <stdbool.h>

#define FIXTURE_SLOTS 5u

/* What goes in: PSO i, slot s holds fixture_part(i, s), or nothing. */
typedef struct fixture {
    psopack_profile profile;
    uint32_t psos;
    uint32_t code_size;  /* bytes of a typical instructions component */
    uint32_t large_size; /* bytes of the one large component of PSO 0; 0: none */
    bool hashes;
    char *path; /* the archive as a file, in a folder of its own */
    char *folder;
    uint8_t *bytes; /* the same in memory, exactly `size` bytes */
    size_t size;
} fixture;

typedef struct fixture_part {
    bool present;
    uint8_t *bytes; /* exactly `size` bytes; free() */
    size_t size;
} fixture_part;

/* Builds the archive; `shape` says what, in its first five fields. */
void fixture_make(fixture *shape);
void fixture_free(fixture *made);

/* Slots in byte order of their names, as the loader numbers them. */
const char *fixture_slot_name(uint32_t slot);
void fixture_pso_name(uint32_t pso, char ret_name[64]);
fixture_part fixture_get(const fixture *made, uint32_t pso, uint32_t slot);

/* Exactly `size` bytes on the heap, so that a sanitizer sees one byte over. */
uint8_t *fixture_copy(const void *bytes, size_t size);

/*
 * Reads every PSO and component of an archive that may be damaged. A read that succeeds must give
 * the very bytes that were packed, else the test fails. Returns how many reads failed.
 */
uint64_t fixture_read_all(const fixture *made, const psopack_archive *archive);

#endif
