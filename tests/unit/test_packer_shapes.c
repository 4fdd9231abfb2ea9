/* SPDX-License-Identifier: MIT */
/*
 * Extreme shapes of input: components at and above the split size, tens of thousands of tiny ones,
 * bytes that do not compress, bytes that look like a zstd dictionary, alignments in the file.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_format_random.h"

#define KIB ((size_t)1024)
#define MIB (KIB * KIB)
#define TINY 100000u

static char *folder, *out, *other;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    out = test_path(folder, "out.psopack");
    other = test_path(folder, "other.psopack");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    free(out);
    free(other);
    test_folder_remove(folder);
    return 0;
}

static psopack_build_result pack(const set *all, psopack_profile profile, const char *path)
{
    psopack_build_options options = test_options(NULL);
    options.profile = profile;
    options.threads = 2;
    psopack_build *build = test_build(&options);
    test_add_memory(build, all);
    return test_finish(build, path);
}

/* Compresses to little, and no two megabytes are equal. */
static uint8_t *large_bytes(size_t size, uint64_t seed)
{
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        if (i % 4096 == 0)
            test_random(&seed);
        bytes[i] = (uint8_t)(i % 512 < 24 ? seed >> (i % 8 * 8) : i / 512);
    }
    return bytes;
}

/* ---- large components -------------------------------------------------------------------------
 */

static uint32_t pieces_of(const char *path, const char *pso)
{
    psopack_archive *archive;
    psopack_context *context;
    uint32_t index, component;
    psopack_component_info info;
    assert_int_equal(psopack_archive_open(path, NULL, &archive, NULL), PSOPACK_OK);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    assert_int_equal(psopack_pso_find(archive, context, pso, strlen(pso), &index, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_pso_component(archive, index, 0, &component, NULL), PSOPACK_OK);
    assert_int_equal(psopack_component_get(archive, component, &info, NULL), PSOPACK_OK);
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
    return info.blocks;
}

static void check_large(psopack_profile profile, size_t split)
{
    static const char *const names[] = {"below", "equal", "above", "twice", "more", "small"};
    const size_t sizes[] = {split - 1, split, split + 1, 2 * split, 2 * split + 100, 50};
    static const uint32_t pieces[] = {1, 1, 2, 2, 3, 1};
    size_t count = split > MIB ? 3 : 6; /* keep it quick */
    set all = {0};
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes = large_bytes(sizes[i], 90 + i);
        set_add(&all, names[i], "code", bytes, sizes[i]);
        free(bytes);
    }
    pack(&all, profile, out);
    test_holds(out, &all);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pieces_of(out, names[i]), pieces[i]);
    unlink(out);
    set_free(&all);
}

static void test_large_directstorage(void **state)
{
    (void)state;
    check_large(PSOPACK_PROFILE_DIRECTSTORAGE, 256 * KIB);
}

static void test_large_fast(void **state)
{
    (void)state;
    check_large(PSOPACK_PROFILE_FAST, 8 * MIB);
}

static void test_large_stored(void **state)
{
    (void)state;
    check_large(PSOPACK_PROFILE_STORED, 8 * MIB);
}

/* One component above the split size beside others of the same slot, in the slow profiles too. */
static void test_large_everywhere(void **state)
{
    (void)state;
    for (psopack_profile profile = PSOPACK_PROFILE_BALANCED; profile <= PSOPACK_PROFILE_SMALL;
         profile += 2) {
        set all = set_like_a_game(5);
        uint8_t *bytes = calloc(1, 8 * MIB + 1);
        bytes[0] = 1;
        bytes[8 * MIB] = 2;
        set_add(&all, "large", "ps.instructions", bytes, 8 * MIB + 1);
        pack(&all, profile, out);
        test_holds(out, &all);
        assert_int_equal(test_count_entries(folder), 1);
        unlink(out);
        free(bytes);
        set_free(&all);
    }
}

/* ---- many tiny ones ---------------------------------------------------------------------------
 */

static void test_tiny(void **state)
{
    (void)state;
    set all = {0};
    char pso[32], bytes[11];
    for (unsigned i = 0; i < TINY; i++) {
        snprintf(pso, sizeof pso, "p/%u", i / 5);
        snprintf(bytes, sizeof bytes, "%010u", i * 2654435761u);
        const char slot[] = {(char)('a' + i % 5), 0};
        set_add(&all, pso, slot, bytes, 10);
    }
    psopack_build_result result = pack(&all, PSOPACK_PROFILE_FAST, out);
    assert_int_equal(result.components, TINY);
    test_holds(out, &all);
    unlink(out);
    set_free(&all);
}

/* ---- bytes that do not compress ---------------------------------------------------------------
 */

static void test_incompressible(void **state)
{
    (void)state;
    for (psopack_profile profile = PSOPACK_PROFILE_BALANCED;
         profile <= PSOPACK_PROFILE_DIRECTSTORAGE; profile++) {
        uint64_t random = 101 + (uint64_t)profile;
        uint8_t bytes[3000];
        char pso[32];
        set all = {0};
        for (unsigned i = 0; i < 100; i++) {
            test_random_fill(&random, bytes, sizeof bytes);
            snprintf(pso, sizeof pso, "noise/%u", i);
            set_add(&all, pso, "a", bytes, 2900 + i);
            set_add(&all, pso, "b", bytes, 1 + i);
        }
        psopack_build_result result = pack(&all, profile, out);
        test_holds(out, &all);
        /* Stored as it is; directstorage always has frames, with their head and padding. */
        uint64_t heads = profile == PSOPACK_PROFILE_DIRECTSTORAGE ? 16 * result.blocks : 0;
        assert_true(result.data_bytes <= result.component_bytes + heads);
        unlink(out);
        set_free(&all);
    }
}

/* Components, and so bases, that begin with the magic of a zstd dictionary or frame. */
static void test_dictionary_magic(void **state)
{
    (void)state;
    static const char magics[2][4] = {"\x37\xa4\x30\xec", "\x28\xb5\x2f\xfd"};
    for (psopack_profile profile = PSOPACK_PROFILE_BALANCED; profile <= PSOPACK_PROFILE_SMALL;
         profile += 2) {
        uint64_t random = 111;
        uint8_t bytes[2000];
        char pso[32];
        set all = {0};
        test_random_fill(&random, bytes, sizeof bytes);
        for (unsigned i = 0; i < 150; i++) {
            memcpy(bytes, magics[i % 2], 4);
            memcpy(bytes + 4, &i, 4);
            memcpy(bytes + 8 + i * 12, &i, 4);
            snprintf(pso, sizeof pso, "magic/%u", i);
            set_add(&all, pso, "code", bytes, sizeof bytes);
        }
        psopack_build_result result = pack(&all, profile, out);
        assert_true(result.base_bytes > 0); /* or nothing was tested */
        test_holds(out, &all);
        unlink(out);
        set_free(&all);
    }
}

/* ---- alignment --------------------------------------------------------------------------------
 */

/* In `stored` archives a component lies in the file at a multiple of its alignment. */
static void test_alignment(void **state)
{
    (void)state;
    static const uint32_t alignments[] = {1, 16, 256, 4096, 65536};
    set all = {0};
    char pso[32], slot[8];
    psopack_build_options options = test_options(NULL);
    options.profile = PSOPACK_PROFILE_STORED;
    psopack_build *build = test_build(&options);
    for (uint32_t i = 0; i < 5; i++) {
        snprintf(slot, sizeof slot, "s%u", i);
        assert_int_equal(psopack_build_align(build, slot, alignments[i], NULL), PSOPACK_OK);
        for (uint32_t n = 0; n < 6; n++) {
            snprintf(pso, sizeof pso, "pso%u", n);
            set_add(&all, pso, slot, pso, n % 2 ? strlen(pso) : strlen(pso) - n / 2);
            all.parts[all.count - 1].bytes[0] = (uint8_t)(16 * i + n);
        }
    }
    set_add(&all, "shared", "s0", "shared bytes", 12); /* the larger alignment counts */
    set_add(&all, "shared", "s3", "shared bytes", 12);
    test_add_memory(build, &all);
    test_finish(build, out);
    test_holds(out, &all);

    psopack_archive *archive;
    psopack_info info;
    uint32_t seen = 0;
    assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
    psopack_archive_info(archive, &info);
    for (uint32_t i = 0; i < info.components; i++) {
        psopack_component_info component;
        psopack_block_info block;
        const void *bytes;
        uint64_t size;
        assert_int_equal(psopack_component_get(archive, i, &component, NULL), PSOPACK_OK);
        assert_int_equal(psopack_block_get(archive, component.block, &block, NULL), PSOPACK_OK);
        assert_int_equal(block.components, 1);
        assert_true(block.is_raw);
        assert_int_equal(block.offset % component.alignment, 0);
        /* A mapping is aligned to a page; what asks for more may have to be copied. */
        psopack_status status = psopack_component_pointer(archive, i, &bytes, &size, NULL);
        if (status == PSOPACK_OK)
            assert_int_equal((uintptr_t)bytes % component.alignment, 0);
        else
            assert_true(status == PSOPACK_E_NOT_MAPPED && component.alignment > 4096);
        seen |= component.alignment;
        if (component.size == 12)
            assert_int_equal(component.alignment, 4096);
    }
    for (uint32_t i = 1; i < 5; i++)
        assert_true((seen & alignments[i]) != 0);
    psopack_archive_close(&archive);
    unlink(out);
    set_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_directstorage),
        cmocka_unit_test(test_large_fast),
        cmocka_unit_test(test_large_stored),
        cmocka_unit_test(test_large_everywhere),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_incompressible),
        cmocka_unit_test(test_dictionary_magic),
        cmocka_unit_test(test_alignment),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
