/* SPDX-License-Identifier: MIT */
/* Opening: limits, staleness, options, and what the archive says about itself. */
#include "loader_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int make_one(void **state)
{
    static fixture made;
    made = (fixture){.profile = PSOPACK_PROFILE_BALANCED, .psos = 400, .code_size = 900};
    fixture_make(&made);
    *state = &made;
    return 0;
}

static int free_one(void **state)
{
    fixture_free(*state);
    return 0;
}

static psopack_status open_with(const fixture *made, const psopack_open_options *options,
                                psopack_diag *diag)
{
    psopack_archive *archive = NULL;
    psopack_status status =
        psopack_archive_open_memory(made->bytes, made->size, options, &archive, diag);
    if (status == PSOPACK_OK)
        psopack_archive_close(&archive);
    else
        assert_null(archive);
    return status;
}

static void test_stale(void **state)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_diag diag;
    uint64_t version = 7;
    options.target = "test-gpu";
    options.content_version = &version;
    assert_int_equal(open_with(*state, &options, &diag), PSOPACK_OK);
    options.target = "test-gp";
    assert_int_equal(open_with(*state, &options, &diag), PSOPACK_E_STALE_TARGET);
    assert_string_equal(diag.text, "built for target 'test-gpu', not for 'test-gp'");
    options.target = NULL;
    version = 8;
    assert_int_equal(open_with(*state, &options, &diag), PSOPACK_E_STALE_CONTENT);
    assert_string_equal(diag.text, "content version 7, wanted is 8");
}

static void test_limits(void **state)
{
    psopack_diag diag;
    for (int i = 0; i < 4; i++) {
        psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
        uint64_t *limits[] = {&options.limits.psos, &options.limits.components,
                              &options.limits.block_size, &options.limits.base_memory};
        *limits[i] = 16;
        psopack_status status = open_with(*state, &options, &diag);
        if (i < 3)
            assert_int_equal(status, PSOPACK_E_LIMIT);
        else /* an archive may have no base */
            assert_true(status == PSOPACK_E_LIMIT || status == PSOPACK_OK);
    }
}

static void test_component_limit(void **state)
{
    const fixture *made = *state;
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive;
    psopack_component_info info;
    uint32_t refused = 0;
    options.limits.component_size = 100;
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, &options, &archive, NULL),
                     PSOPACK_OK);
    psopack_info all;
    psopack_archive_info(archive, &all);
    for (uint32_t i = 0; i < all.components; i++) {
        psopack_status status = psopack_component_get(archive, i, &info, NULL);
        if (status == PSOPACK_OK)
            assert_true(info.size <= 100);
        else
            assert_int_equal(status, PSOPACK_E_LIMIT);
        refused += status == PSOPACK_E_LIMIT;
    }
    assert_true(refused > 0 && refused < all.components);
    psopack_archive_close(&archive);
}

static void test_manifest_limit(void **state)
{
    const fixture *made = *state;
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive;
    options.limits.manifest_size = 100;
    assert_int_equal(psopack_archive_open(made->path, &options, &archive, NULL), PSOPACK_OK);
    psopack_archive_close(&archive);
    options.flags = PSOPACK_OPEN_NO_MAP;
    assert_int_equal(psopack_archive_open(made->path, &options, &archive, NULL), PSOPACK_E_LIMIT);
}

static void test_arguments(void **state)
{
    const fixture *made = *state;
    psopack_archive *archive = NULL;
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_diag diag;
    options.struct_size = 4;
    assert_int_equal(open_with(made, &options, &diag), PSOPACK_E_ARGUMENT);
    options.struct_size = sizeof options;
    options.flags = 1u << 30;
    assert_int_equal(open_with(made, &options, &diag), PSOPACK_E_ARGUMENT);
    options.flags = 0;
    options.allocator.release = (void (*)(void *, void *, size_t))abort;
    assert_int_equal(open_with(made, &options, &diag), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_archive_open_memory(NULL, 0, NULL, &archive, &diag),
                     PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_archive_open(NULL, NULL, &archive, &diag), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_archive_open_source(NULL, NULL, &archive, &diag), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_archive_open("/nonexistent/a.psopack", NULL, &archive, &diag),
                     PSOPACK_E_NO_ENTRY);
    assert_int_equal(psopack_archive_open("/", NULL, &archive, &diag), PSOPACK_E_FILE_TYPE);
    assert_int_equal(psopack_archive_open("/dev/null", NULL, &archive, &diag), PSOPACK_E_FILE_TYPE);
    assert_null(archive);
    psopack_archive_close(&archive);
    psopack_archive_close(NULL);
}

static void test_info(void **state)
{
    const fixture *made = *state;
    psopack_archive *archive;
    psopack_info info;
    assert_int_equal(psopack_archive_open(made->path, NULL, &archive, NULL), PSOPACK_OK);
    psopack_archive_info(archive, &info);
    assert_int_equal(info.file_bytes, made->size);
    assert_int_equal(info.psos, 400);
    assert_int_equal(info.content_version, 7);
    assert_string_equal(info.target, "test-gpu");
    assert_string_equal(info.profile, "balanced");
    assert_true(info.is_mapped && info.has_names && !info.has_hashes);
    assert_int_equal(info.data_bytes + info.manifest_bytes, info.file_bytes);

    uint64_t stored = 0, bases = 0, references = 0, reference_bytes = 0;
    for (uint32_t i = 0; i < info.blocks; i++) {
        psopack_block_info block;
        assert_int_equal(psopack_block_get(archive, i, &block, NULL), PSOPACK_OK);
        stored += block.stored_size;
        bases += block.is_base ? block.stored_size : 0;
    }
    for (uint32_t pso = 0; pso < info.psos; pso++) {
        for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++) {
            fixture_part part = fixture_get(made, pso, slot);
            references += part.present;
            reference_bytes += part.size;
            free(part.bytes);
        }
    }
    assert_int_equal(info.data_bytes, stored);
    assert_int_equal(info.base_bytes, bases);
    assert_int_equal(info.references, references);
    assert_int_equal(info.reference_bytes, reference_bytes);

    psopack_block_info block;
    psopack_kind_info kind;
    psopack_section_info section;
    assert_int_equal(psopack_block_get(archive, info.blocks, &block, NULL), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_kind_get(archive, info.kinds, &kind), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_section_get(archive, 64, &section), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_section_get(archive, 0, &section), PSOPACK_OK);
    assert_int_equal(strlen(section.name), 4);
    psopack_archive_close(&archive);
}

/* Damage to each end has a name of its own. */
static void test_ends(void **state)
{
    const fixture *made = *state;
    psopack_archive *archive = NULL;
    psopack_diag diag;
    uint8_t *longer = malloc(made->size + 3000);
    memcpy(longer, made->bytes, made->size);
    memset(longer + made->size, 0xaa, 3000);
    assert_int_equal(psopack_archive_open_memory(longer, made->size + 3000, NULL, &archive, &diag),
                     PSOPACK_E_EXTENDED);
    assert_int_equal(psopack_archive_open_memory(longer, made->size + 1, NULL, &archive, &diag),
                     PSOPACK_E_EXTENDED);
    assert_int_equal(diag.offset, made->size);
    assert_int_equal(psopack_archive_open_memory(longer, made->size - 1, NULL, &archive, &diag),
                     PSOPACK_E_TRUNCATED);
    assert_int_equal(psopack_archive_open_memory(longer, 0, NULL, &archive, &diag),
                     PSOPACK_E_NOT_ARCHIVE);
    assert_int_equal(psopack_archive_open_memory(longer + made->size, 3000, NULL, &archive, &diag),
                     PSOPACK_E_NOT_ARCHIVE);
    longer[9] ^= 0x40; /* the header's version: its check fails first */
    assert_int_equal(psopack_archive_open_memory(longer, made->size, NULL, &archive, &diag),
                     PSOPACK_E_CHECKSUM);
    free(longer);
}

/* An archive inside a pack file, at an offset that is no multiple of anything. */
static void test_inside_a_file(void **state)
{
    const fixture *made = *state;
    char path[256];
    snprintf(path, sizeof path, "%s/game.pack", made->folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 0; i < 12345; i++)
        fputc('x', file);
    assert_int_equal(fwrite(made->bytes, 1, made->size, file), made->size);
    fputs("what follows", file);
    fclose(file);
    for (uint32_t flags = 0; flags < 2; flags++) {
        psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
        psopack_archive *archive = NULL;
        psopack_verify_result result;
        options.flags = flags;
        options.file_offset = 12345;
        options.file_size = made->size;
        assert_int_equal(psopack_archive_open(path, &options, &archive, NULL), PSOPACK_OK);
        assert_int_equal(fixture_read_all(made, archive), 0);
        assert_int_equal(psopack_archive_verify(archive, 0, NULL, NULL, &result, NULL), PSOPACK_OK);
        psopack_archive_close(&archive);

        options.file_size = 0; /* up to the end: something follows the archive */
        assert_int_equal(psopack_archive_open(path, &options, &archive, NULL), PSOPACK_E_EXTENDED);
        options.file_size = made->size + 100;
        assert_int_equal(psopack_archive_open(path, &options, &archive, NULL), PSOPACK_E_TRUNCATED);
        options.file_offset = UINT64_MAX;
        assert_int_equal(psopack_archive_open(path, &options, &archive, NULL), PSOPACK_E_TRUNCATED);
    }
    unlink(path);
}

static void test_target(void **state)
{
    const fixture *made = *state;
    const char *const paths[] = {"/nonexistent/a.psopack", made->path, "/"};
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive = NULL;
    uint32_t index = 99;
    psopack_diag diag;
    assert_int_equal(psopack_archive_open_target(paths, 3, &options, &archive, &index, &diag),
                     PSOPACK_E_ARGUMENT);
    options.target = "test-gpu";
    assert_int_equal(psopack_archive_open_target(paths, 3, &options, &archive, &index, &diag),
                     PSOPACK_OK);
    assert_int_equal(index, 1);
    psopack_archive_close(&archive);
    options.target = "other-gpu";
    assert_int_equal(psopack_archive_open_target(paths, 2, &options, &archive, &index, &diag),
                     PSOPACK_E_STALE_TARGET);
    assert_string_equal(diag.text, "none of 2 archives is for target 'other-gpu'");
    assert_int_equal(psopack_archive_open_target(paths, 3, &options, &archive, &index, &diag),
                     PSOPACK_E_FILE_TYPE);
    assert_int_equal(psopack_archive_open_target(paths, 1, &options, &archive, &index, &diag),
                     PSOPACK_E_NO_ENTRY);
    assert_null(archive);
}

static void test_version(void **state)
{
    (void)state;
    assert_memory_equal(psopack_version(), "psopack " PSOPACK_VERSION " (format 1, zstd ", 20);
    assert_ptr_equal(psopack_version(), psopack_version());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_component_limit),
        cmocka_unit_test(test_manifest_limit),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_inside_a_file),
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, make_one, free_one);
}
