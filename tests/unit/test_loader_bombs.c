/* SPDX-License-Identifier: MIT */
/*
 * Small files that promise much: rows that cost no bits, many blocks over the same bytes, runs of
 * words out of nothing, one bucket for all keys. Every check is right; what stands in the way are
 * the bounds that tie counts to the file's size (SECURITY.md).
 */
#define _GNU_SOURCE 1
#include "loader_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fuzz/fuzz_archive.h"
#include "format/column.h"
#include "format/keys.h"
#include "format/layout.h"

static int make(void **state)
{
    static fixture made = {.profile = PSOPACK_PROFILE_STORED, .psos = 40, .code_size = 900};
    fixture_make(&made);
    *state = &made;
    return 0;
}

static int unmake(void **state)
{
    fixture_free(*state);
    return 0;
}

/* ---- changing a sound archive --------------------------------------------------------------- */

static psopack_disk_section *find_row(uint8_t *bytes, size_t size, uint32_t id)
{
    psopack_disk_footer footer;
    memcpy(&footer, bytes + size - sizeof footer, sizeof footer);
    psopack_disk_section *rows = (void *)(bytes + psopack_load64(footer.repeat_offset));
    while (psopack_load32(rows->id) != id)
        rows++;
    return rows;
}

static uint8_t *find_section(uint8_t *bytes, size_t size, uint32_t id)
{
    return bytes + psopack_load64(find_row(bytes, size, id)->offset);
}

static uint64_t manifest_bits(const fixture *made, uint8_t *bytes)
{
    return 8 *
           (made->size - psopack_load64(find_row(bytes, made->size, PSOPACK_SECTION_META)->offset));
}

static psopack_disk_column *find_column(uint8_t *section, uint32_t id)
{
    psopack_disk_column *column = (void *)(section + sizeof(psopack_disk_count));
    while (psopack_load16(column->id) != id)
        column++;
    return column;
}

/* Any number of rows for nothing: each has the value `base`. */
static void make_constant(psopack_disk_column *column, uint64_t rows, uint64_t base)
{
    psopack_u16le id = column->id;
    psopack_u64le data = column->data;
    *column = (psopack_disk_column){.id = id,
                                    .encoding = PSOPACK_COLUMN_FLAT,
                                    .rows = psopack_store64(rows),
                                    .base = psopack_store64(base),
                                    .data = data};
}

/* Gives every column of a section that has `from` rows `to` rows of zeros. */
static void stretch(uint8_t *section, uint64_t from, uint64_t to)
{
    psopack_disk_count head;
    memcpy(&head, section, sizeof head);
    psopack_disk_column *column = (void *)(section + sizeof head);
    for (uint32_t i = 0; i < psopack_load32(head.count); i++, column++) {
        if (psopack_load64(column->rows) == from)
            make_constant(column, to, 0);
    }
}

static psopack_status open_sealed(const fixture *made, uint8_t *bytes, psopack_archive **ret)
{
    fuzz_seal_archive(bytes, made->size);
    psopack_diag diag;
    psopack_status status = psopack_archive_open_memory(bytes, made->size, NULL, ret, &diag);
    if (status != PSOPACK_OK)
        assert_non_null(strstr(diag.text, "impossible"));
    return status;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* KEYS becomes a table of cells that lead to page 0 for nothing; whole keys take bits each. */
static void keep_cells(const fixture *made, uint8_t *bytes, uint64_t cells)
{
    psopack_disk_meta *meta = (void *)find_section(bytes, made->size, PSOPACK_SECTION_META);
    uint8_t *keys = find_section(bytes, made->size, PSOPACK_SECTION_KEYS);
    psopack_disk_count head = {.count = psopack_store32(1)};
    meta->flags = psopack_store32(PSOPACK_META_KEYS_PAGED);
    memcpy(keys, &head, sizeof head);
    make_constant(find_column(keys, PSOPACK_COLUMN_KEY_PAGE), cells, 0);
}

static void stretch_psos(const fixture *made, uint8_t *bytes, uint64_t psos)
{
    psopack_disk_meta *meta = (void *)find_section(bytes, made->size, PSOPACK_SECTION_META);
    meta->psos = psopack_store64(psos);
    stretch(find_section(bytes, made->size, PSOPACK_SECTION_PSOS), made->psos, psos);
    keep_cells(made, bytes, PSOPACK_KEY_CELLS);
}

static void stretch_components(const fixture *made, uint8_t *bytes, uint64_t components)
{
    psopack_disk_meta *meta = (void *)find_section(bytes, made->size, PSOPACK_SECTION_META);
    stretch(find_section(bytes, made->size, PSOPACK_SECTION_COMP), psopack_load64(meta->components),
            components);
    meta->components = psopack_store64(components);
}

static void stretch_blocks(const fixture *made, uint8_t *bytes, uint64_t blocks)
{
    psopack_disk_meta *meta = (void *)find_section(bytes, made->size, PSOPACK_SECTION_META);
    stretch(find_section(bytes, made->size, PSOPACK_SECTION_BLCK), psopack_load64(meta->blocks),
            blocks);
    meta->blocks = psopack_store64(blocks);
}

typedef void stretch_fn(const fixture *made, uint8_t *bytes, uint64_t count);

/* `most` rows open, one more does not. */
static void check_bound(const fixture *made, stretch_fn *change, uint64_t most)
{
    for (uint64_t over = 0; over < 2; over++) {
        uint8_t *bytes = fixture_copy(made->bytes, made->size);
        psopack_archive *archive = NULL;
        change(made, bytes, most + over);
        assert_int_equal(open_sealed(made, bytes, &archive), over ? PSOPACK_E_CORRUPT : PSOPACK_OK);
        psopack_archive_close(&archive);
        free(bytes);
    }
}

static void test_counts(void **state)
{
    const fixture *made = *state;
    uint64_t bits = manifest_bits(made, made->bytes);
    check_bound(made, stretch_psos, bits);
    check_bound(made, stretch_components, bits);
    check_bound(made, stretch_blocks, made->size - bits / 8);
}

/* ---- keys ----------------------------------------------------------------------------------- */

typedef struct key_case {
    uint64_t cells;
    uint32_t flags;
    psopack_status status;
} key_case;

/* Cells come in threes, and none but whole keys can be given ones. */
static void test_key_cells(void **state)
{
    const fixture *made = *state;
    static const key_case cases[] = {
        {3, PSOPACK_META_KEYS_PAGED, PSOPACK_OK},
        {0, PSOPACK_META_KEYS_PAGED, PSOPACK_E_CORRUPT},
        {4, PSOPACK_META_KEYS_PAGED, PSOPACK_E_CORRUPT},
        {3 * UINT64_C(0xffffffff), PSOPACK_META_KEYS_PAGED, PSOPACK_OK},
        {3 * UINT64_C(0x100000000), PSOPACK_META_KEYS_PAGED, PSOPACK_E_CORRUPT},
        {3, PSOPACK_META_KEYS_PAGED | PSOPACK_META_KEYS_GIVEN, PSOPACK_E_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t *bytes = fixture_copy(made->bytes, made->size);
        psopack_disk_meta *meta = (void *)find_section(bytes, made->size, PSOPACK_SECTION_META);
        psopack_archive *archive = NULL;
        keep_cells(made, bytes, cases[i].cells);
        meta->flags = psopack_store32(cases[i].flags);
        fuzz_seal_archive(bytes, made->size);
        assert_int_equal(psopack_archive_open_memory(bytes, made->size, NULL, &archive, NULL),
                         cases[i].status);
        psopack_archive_close(&archive);
        free(bytes);
    }
}

/* ---- work ----------------------------------------------------------------------------------- */

static void test_words_from_nothing(void **state)
{
    const fixture *made = *state;
    for (uint64_t over = 0; over < 2; over++) {
        uint8_t *bytes = fixture_copy(made->bytes, made->size);
        uint8_t *section = find_section(bytes, made->size, PSOPACK_SECTION_COMP);
        psopack_disk_column *sizes = find_column(section, PSOPACK_COLUMN_COMPONENT_SIZE);
        uint64_t rows = psopack_load64(sizes->rows);
        make_constant(sizes, rows, 4 * PSOPACK_STRIP_WORDS_MAX + 4);
        make_constant(find_column(section, PSOPACK_COLUMN_COMPONENT_STRIP), rows,
                      PSOPACK_STRIP_WORDS_MAX + over);
        psopack_archive *archive = NULL;
        psopack_component_info info;
        psopack_diag diag;
        assert_int_equal(open_sealed(made, bytes, &archive), PSOPACK_OK);
        psopack_status status = psopack_component_get(archive, 1, &info, &diag);
        assert_int_equal(status, over ? PSOPACK_E_CORRUPT : PSOPACK_OK);
        if (over)
            assert_non_null(strstr(diag.text, "its row is impossible"));
        psopack_archive_close(&archive);
        free(bytes);
    }
}

typedef struct overlaps {
    uint64_t told;
    uint64_t inside; /* of them: "begins inside" */
} overlaps;

static int count_overlaps(void *user, const psopack_diag *diag)
{
    overlaps *seen = user;
    if (diag->object != PSOPACK_OBJECT_BLOCK)
        return 0;
    seen->told++;
    seen->inside += strstr(diag->text, "begins inside the one before it") != NULL;
    return 0;
}

/* All blocks on the bytes of the first: that one is decoded, the others are named. */
static void test_blocks_over_the_same_bytes(void **state)
{
    const fixture *made = *state;
    uint8_t *bytes = fixture_copy(made->bytes, made->size);
    uint8_t *section = find_section(bytes, made->size, PSOPACK_SECTION_BLCK);
    psopack_disk_column *offsets = find_column(section, PSOPACK_COLUMN_BLOCK_OFFSET);
    uint64_t blocks = psopack_load64(offsets->rows);
    make_constant(offsets, blocks, sizeof(psopack_disk_header));
    psopack_archive *archive = NULL;
    psopack_verify_result result;
    overlaps seen = {0};
    assert_true(blocks > 2);
    assert_int_equal(open_sealed(made, bytes, &archive), PSOPACK_OK);
    assert_int_not_equal(psopack_archive_verify(archive, 0, count_overlaps, &seen, &result, NULL),
                         PSOPACK_OK);
    assert_int_equal(seen.inside, blocks - 1);
    assert_int_equal(result.blocks_damaged, blocks - 1);
    psopack_archive_close(&archive);
    free(bytes);
}

/* ---- keys ----------------------------------------------------------------------------------- */

#define LISTED 3000u

/* The inverse of psopack_key_mix(). */
static uint64_t unmix(uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0x9cb4b2f8129337db);
    key ^= key >> 33;
    key *= UINT64_C(0x4f74430c22a54005);
    return key ^ key >> 33;
}

/* A list may give any keys: these all mix into the first bucket, with a gap between any two. */
static void pack_one_bucket(const char *path, const char *part)
{
    psopack_build_options options = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_build *build;
    psopack_build_result result;
    char *text;
    size_t size;
    FILE *list = open_memstream(&text, &size);
    for (uint32_t i = 0; i < LISTED; i++)
        fprintf(list, "{\"pso\":\"p%04u\",\"slot\":\"s\",\"path\":\"%s\",\"key\":\"%llu\"}\n", i,
                part, (unsigned long long)unmix(2 * i + 1));
    fclose(list);
    options.no_sync = 1;
    assert_int_equal(psopack_build_create(&options, &build, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_add_list(build, "list", text, size, 0, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_write(build, path, &result, NULL), PSOPACK_OK);
    psopack_build_destroy(&build);
    free(text);
}

static void test_one_bucket(void **state)
{
    const fixture *made = *state;
    char path[300];
    snprintf(path, sizeof path, "%s/bucket.psopack", made->folder);
    pack_one_bucket(path, made->path);
    psopack_archive *archive;
    uint32_t pso;
    assert_int_equal(psopack_archive_open(path, NULL, &archive, NULL), PSOPACK_OK);
    for (uint32_t i = 0; i < LISTED; i++) {
        assert_int_equal(psopack_pso_find_key(archive, NULL, unmix(2 * i + 1), &pso), PSOPACK_OK);
        assert_int_equal(pso, i);
        assert_int_equal(psopack_pso_find_key(archive, NULL, unmix(2 * i), &pso),
                         PSOPACK_E_NOT_FOUND);
    }
    psopack_archive_close(&archive);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_key_cells),
        cmocka_unit_test(test_words_from_nothing),
        cmocka_unit_test(test_blocks_over_the_same_bytes),
        cmocka_unit_test(test_one_bucket),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
