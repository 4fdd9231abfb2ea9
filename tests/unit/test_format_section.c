/* SPDX-License-Identifier: MIT */
/*
 * Sections of more than one page: damage is found when its page is touched, not before, and named;
 * the other pages go on working. Also a column set that spans pages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "format/column.h"
#include "format/crc32c.h"
#include "packer/column_write.h"
#include "test_format_random.h"

#define PAGE PSOPACK_SECTION_PAGE
#define FILE_OFFSET 4096u

/* A section with its page table behind it, exactly as it lies in a file. */
typedef struct paged {
    psopack_section section;
    psopack_page_state *pages;
    uint8_t *bytes;
} paged;

static paged paged_make(const void *content, size_t size)
{
    size_t total = size + (size_t)psopack_section_table_size(size);
    size_t count = (size_t)psopack_section_pages(size);
    paged made = {.pages = calloc(count ? count : 1, sizeof *made.pages),
                  .bytes = calloc(1, total ? total : 1)};
    assert_non_null(made.pages);
    assert_non_null(made.bytes);
    memcpy(made.bytes, content, size);
    made.section = (psopack_section){.id = PSOPACK_SECTION_KEYS,
                                     .number = 6,
                                     .offset = FILE_OFFSET,
                                     .size = size,
                                     .bytes = made.bytes,
                                     .pages = made.pages};
    made.section.crc = psopack_crc32c(0, content, size);
    for (size_t page = 0; count > 1 && page < count; page++) {
        size_t at = page * PAGE, length = size - at < PAGE ? size - at : PAGE;
        psopack_u32le crc = psopack_store32(psopack_crc32c(0, made.bytes + at, length));
        memcpy(made.bytes + total - (count - page) * sizeof crc, &crc, sizeof crc);
    }
    if (count > 1)
        made.section.crc = psopack_crc32c(0, made.bytes + total - count * 4, count * 4);
    return made;
}

static void paged_free(paged *made)
{
    free(made->pages);
    free(made->bytes);
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        uint64_t size, pages, table;
    } rows[] = {{0, 0, 0},
                {1, 1, 0},
                {PAGE, 1, 0},
                {PAGE + 1, 2, 3 + 8},
                {PAGE + 4, 2, 8},
                {2 * PAGE, 2, 8},
                {2 * PAGE + 2, 3, 2 + 12},
                {UINT64_C(1) << 40, UINT64_C(1) << 28, UINT64_C(1) << 30}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(psopack_section_pages(rows[i].size) == rows[i].pages);
        assert_true(psopack_section_table_size(rows[i].size) == rows[i].table);
    }
}

static void test_undamaged(void **state)
{
    (void)state;
    uint64_t random = 12;
    uint8_t *content = malloc(3 * PAGE);
    test_random_fill(&random, content, 3 * PAGE);
    for (size_t size = 2 * PAGE - 5; size <= 2 * PAGE + 5; size++) {
        paged made = paged_make(content, size);
        assert_true(psopack_section_table_is_good(&made.section));
        assert_int_equal(psopack_section_require(&made.section, 0, size, NULL), PSOPACK_OK);
        assert_true(psopack_section_touch(&made.section, 0, size - 1));
        for (size_t page = 0; page < psopack_section_pages(size); page++)
            assert_int_equal(made.pages[page], PSOPACK_PAGE_GOOD);
        paged_free(&made);
    }
    free(content);
}

/* A flip in page `bad`: the others stay usable, this one never is, and is named. */
static void check_damage(size_t size, size_t at)
{
    uint64_t random = 13;
    uint8_t *content = malloc(size);
    test_random_fill(&random, content, size);
    paged made = paged_make(content, size);
    made.bytes[at] ^= 0x10;
    size_t bad = at / PAGE;
    if (size > PAGE)
        assert_true(psopack_section_table_is_good(&made.section));
    for (size_t page = 0; page < psopack_section_pages(size); page++) {
        psopack_diag diag = {0};
        size_t first = page * PAGE, last = first + PAGE - 1 < size ? first + PAGE - 1 : size - 1;
        assert_int_equal(made.pages[page], PSOPACK_PAGE_UNKNOWN); /* not touched so far */
        psopack_status status =
            psopack_section_require(&made.section, first, last - first + 1, &diag);
        assert_int_equal(status, page == bad ? PSOPACK_E_CHECKSUM : PSOPACK_OK);
        assert_int_equal(psopack_section_touch(&made.section, first, last), page != bad);
        assert_int_equal(psopack_section_touch(&made.section, last, last), page != bad);
        if (page != bad)
            continue;
        assert_int_equal(diag.object, PSOPACK_OBJECT_SECTION);
        assert_int_equal(diag.index, 6);
        assert_int_equal(diag.offset, FILE_OFFSET + bad * PAGE);
        assert_non_null(strstr(diag.text, "KEYS"));
    }
    /* A range over the page's edge touches both. */
    if (bad > 0)
        assert_false(psopack_section_touch(&made.section, bad * PAGE - 1, bad * PAGE));
    assert_int_equal(psopack_section_require(&made.section, 0, size, NULL), PSOPACK_E_CHECKSUM);
    /* Once judged, a page stays as it was judged. */
    made.bytes[at] ^= 0x10;
    assert_false(psopack_section_touch(&made.section, at, at));
    paged_free(&made);
    free(content);
}

static void test_damage_stays_local(void **state)
{
    (void)state;
    static const size_t places[] = {0, 1, PAGE - 1, PAGE, 2 * PAGE - 1, 2 * PAGE, 3 * PAGE + 6};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        check_damage(3 * PAGE + 7, places[i]);
    check_damage(1, 0);
    check_damage(PAGE, PAGE - 1);
}

static void test_damaged_table(void **state)
{
    (void)state;
    uint8_t *content = calloc(1, 3 * PAGE);
    for (size_t at = 0; at < 12; at++) {
        paged made = paged_make(content, 3 * PAGE);
        made.bytes[3 * PAGE + at] ^= 1;
        assert_false(psopack_section_table_is_good(&made.section));
        paged_free(&made);
    }
    free(content);
}

static void test_ranges(void **state)
{
    (void)state;
    const uint8_t content[100] = {1};
    paged made = paged_make(content, sizeof content);
    assert_int_equal(psopack_section_require(&made.section, 0, 101, NULL), PSOPACK_E_CORRUPT);
    assert_int_equal(psopack_section_require(&made.section, 101, 0, NULL), PSOPACK_E_CORRUPT);
    assert_int_equal(psopack_section_require(&made.section, 50, UINT64_MAX, NULL),
                     PSOPACK_E_CORRUPT);
    assert_int_equal(psopack_section_require(&made.section, UINT64_MAX, 1, NULL),
                     PSOPACK_E_CORRUPT);
    assert_int_equal(psopack_section_require(&made.section, 100, 0, NULL), PSOPACK_OK);
    assert_int_equal(made.pages[0], PSOPACK_PAGE_UNKNOWN);
    paged_free(&made);
}

static void test_names(void **state)
{
    (void)state;
    char name[5];
    psopack_section_name(PSOPACK_SECTION_PSOS, name);
    assert_string_equal(name, "PSOS");
    psopack_section_name(0x7f1f4100, name);
    assert_string_equal(name, "?A??");
}

/* ---- a column set over several pages ----------------------------------------------------------
 */

static psopack_status take_one(void *user, const psopack_column *column, psopack_diag *diag)
{
    (void)diag;
    *(psopack_column *)user = *column;
    return PSOPACK_OK;
}

#define ROWS 40000u

/* 64-bit values: row r lies at byte data + 8 r. */
static void test_column_over_pages(void **state)
{
    (void)state;
    uint64_t random = 14, *values = malloc(ROWS * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < ROWS; i++)
        values[i] = test_random(&random);
    psopack_bytes bytes = {0};
    const psopack_column_input input = {.values = values, .rows = ROWS, .id = 0};
    assert_int_equal(psopack_columns_write(&bytes, &input, 1, NULL), PSOPACK_OK);
    paged made = paged_make(bytes.data, bytes.size);
    made.bytes[2 * PAGE + 100] ^= 0x80;

    psopack_column column;
    assert_int_equal(psopack_columns_parse(&made.section, take_one, &column, NULL), PSOPACK_OK);
    assert_int_equal(made.pages[0], PSOPACK_PAGE_GOOD);
    assert_int_equal(made.pages[1], PSOPACK_PAGE_UNKNOWN);
    assert_int_equal(made.pages[2], PSOPACK_PAGE_UNKNOWN);
    for (uint64_t row = 0; row < ROWS; row++) {
        /* A load takes 9 bytes at most; 8 where width is 64. */
        uint64_t first = column.data + 8 * row, value;
        bool damaged = first / PAGE == 2 || (first + 8) / PAGE == 2;
        psopack_diag diag = {0};
        psopack_status status = psopack_column_read(&column, row, &value, &diag);
        assert_int_equal(status, damaged ? PSOPACK_E_CHECKSUM : PSOPACK_OK);
        if (!damaged)
            assert_true(value == values[row]);
        else
            assert_int_equal(diag.offset, FILE_OFFSET + 2 * PAGE);
        uint64_t sum, end = row + 3 < ROWS ? row + 3 : ROWS;
        uint64_t last = column.data + 8 * (end - 1) + 8;
        damaged = first / PAGE <= 2 && last / PAGE >= 2;
        assert_int_equal(psopack_column_sum(&column, row, end, &sum), !damaged);
    }
    paged_free(&made);
    psopack_bytes_free(&bytes);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_undamaged),
        cmocka_unit_test(test_damage_stays_local),
        cmocka_unit_test(test_damaged_table),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_column_over_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
