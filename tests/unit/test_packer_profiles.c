/* SPDX-License-Identifier: MIT */
/*
 * Every profile over a set like a game's: each PSO comes back whole through the loader, tuple CRC
 * and verify included; one PSO more or less leaves the rest right; threads change no byte.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PSOS 400u

static char *folder, *out, *other;
static set all;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    out = test_path(folder, "out.psopack");
    other = test_path(folder, "other.psopack");
    all = set_like_a_game(PSOS);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    set_free(&all);
    free(out);
    free(other);
    test_folder_remove(folder);
    return 0;
}

static psopack_build_result pack(psopack_profile profile, unsigned threads, bool hashes,
                                 const char *path)
{
    psopack_build_options options = test_options(NULL);
    options.profile = profile;
    options.threads = threads;
    options.hashes = hashes;
    options.target = "test-gpu";
    options.content_version = 42;
    psopack_build *build = test_build(&options);
    test_add_memory(build, &all);
    return test_finish(build, path);
}

static void test_profiles(void **state)
{
    (void)state;
    uint64_t bytes[5];
    uint8_t content_id[16];
    for (int profile = 0; profile < 5; profile++) {
        psopack_build_result result = pack((psopack_profile)profile, 2, profile % 2 == 0, out);
        test_holds(out, &all);
        bytes[profile] = result.file_bytes;
        assert_int_equal(result.psos, PSOS);
        assert_int_equal(result.references, all.count);
        assert_int_equal(result.file_bytes, result.data_bytes + result.manifest_bytes);
        if (profile != 0)
            assert_memory_equal(result.content_id, content_id, 16);
        memcpy(content_id, result.content_id, 16);
    }
    /* Each profile does what it is for. */
    assert_true(bytes[PSOPACK_PROFILE_SMALL] <= bytes[PSOPACK_PROFILE_BALANCED]);
    assert_true(bytes[PSOPACK_PROFILE_BALANCED] < bytes[PSOPACK_PROFILE_FAST]);
    assert_true(bytes[PSOPACK_PROFILE_FAST] < bytes[PSOPACK_PROFILE_STORED]);
    assert_true(bytes[PSOPACK_PROFILE_DIRECTSTORAGE] < bytes[PSOPACK_PROFILE_STORED]);
}

/* What the build reported is what info says of the archive; padding counts as manifest in both. */
static void check_info(psopack_profile profile)
{
    psopack_archive *archive;
    psopack_info info;
    psopack_build_result result = pack(profile, 1, true, out);
    assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
    psopack_archive_info(archive, &info);
    assert_string_equal(info.target, "test-gpu");
    assert_int_equal(info.content_version, 42);
    assert_string_equal(info.profile, psopack_profile_name(profile));
    assert_int_equal(info.file_bytes, result.file_bytes);
    assert_int_equal(info.components, result.components);
    assert_int_equal(info.live_components, result.components);
    assert_int_equal(info.component_bytes, result.component_bytes);
    assert_int_equal(info.blocks, result.blocks);
    assert_int_equal(info.data_bytes, result.data_bytes);
    assert_int_equal(info.base_bytes, result.base_bytes);
    assert_int_equal(info.manifest_bytes, result.manifest_bytes);
    assert_true(info.has_names && info.has_hashes);
    assert_memory_equal(info.archive_id, result.archive_id, 16);
    assert_memory_equal(info.content_id, result.content_id, 16);
    psopack_archive_close(&archive);
}

static void test_info(void **state)
{
    (void)state;
    check_info(PSOPACK_PROFILE_SMALL);
    check_info(PSOPACK_PROFILE_STORED);
}

static void test_threads(void **state)
{
    (void)state;
    static const psopack_profile profiles[] = {PSOPACK_PROFILE_BALANCED, PSOPACK_PROFILE_FAST,
                                               PSOPACK_PROFILE_DIRECTSTORAGE};
    for (size_t i = 0; i < 3; i++) {
        pack(profiles[i], 1, false, out);
        pack(profiles[i], 7, false, other);
        assert_true(test_same_files(out, other));
        unlink(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
