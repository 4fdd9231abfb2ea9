/* SPDX-License-Identifier: MIT */
/*
 * Columns: what column_write puts down, column.h reads back, whatever the values; and a descriptor
 * that lies is refused, or leads no read out of its section (exact-size heap copies under a
 * sanitizer prove that).
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

#define MOST_COLUMNS 8u

#define PAGES_MAX 16u

/*
 * A section over bytes that somebody else owns. One page has its check computed; of more, which
 * would need a table behind the bytes, all are said to be good: test_format_section.c checks pages.
 */
typedef struct test_section {
    psopack_section section;
    psopack_page_state pages[PAGES_MAX];
} test_section;

static void section_over(test_section *one, const uint8_t *bytes, size_t size)
{
    assert_true(psopack_section_pages(size) <= PAGES_MAX);
    memset(one, 0, sizeof *one);
    one->section = (psopack_section){.id = PSOPACK_SECTION_COMP,
                                     .crc = psopack_crc32c(0, bytes, size),
                                     .offset = 64,
                                     .size = size,
                                     .bytes = bytes,
                                     .pages = one->pages};
    for (uint64_t i = 0; size > PSOPACK_SECTION_PAGE && i < PAGES_MAX; i++)
        one->pages[i] = PSOPACK_PAGE_GOOD;
}

typedef struct taken {
    psopack_column columns[MOST_COLUMNS];
    uint32_t count;
} taken;

static psopack_status take(void *user, const psopack_column *column, psopack_diag *diag)
{
    (void)diag;
    taken *all = user;
    assert_true(all->count < MOST_COLUMNS);
    all->columns[all->count++] = *column;
    return PSOPACK_OK;
}

static psopack_status parse(test_section *one, const uint8_t *bytes, size_t size, taken *all)
{
    psopack_diag diag = {0};
    all->count = 0;
    section_over(one, bytes, size);
    psopack_status status = psopack_columns_parse(&one->section, take, all, &diag);
    if (status != PSOPACK_OK)
        assert_int_equal(diag.code, status);
    return status;
}

/* ---- round trips ------------------------------------------------------------------------------
 */

/* Sums of every kind of range against a plain loop. */
static void check_sums(const psopack_column *column, const uint64_t *values, uint64_t rows)
{
    uint64_t random = 7 + rows, sum;
    for (int i = 0; i < 40; i++) {
        uint64_t first = i == 0 ? 0 : test_random(&random) % (rows + 1), wanted = 0;
        uint64_t end = i == 0 ? rows : first + test_random(&random) % (rows - first + 1);
        for (uint64_t row = first; row < end; row++)
            wanted += values[row];
        assert_true(psopack_column_sum(column, first, end, &sum));
        assert_true(sum == wanted);
    }
    assert_false(psopack_column_sum(column, 0, rows + 1, &sum));
    assert_false(psopack_column_sum(column, 1, 0, &sum));
    assert_false(psopack_column_sum(column, rows, UINT64_MAX, &sum));
}

static void round_trip(const uint64_t *values, uint64_t rows)
{
    psopack_bytes section = {0};
    const psopack_column_input input = {.values = values, .rows = rows, .id = 3, .link = 5};
    test_section one;
    taken all;
    assert_int_equal(psopack_columns_write(&section, &input, 1, NULL), PSOPACK_OK);
    uint8_t *exact = test_exact_copy(section.data, section.size);
    assert_int_equal(parse(&one, exact, section.size, &all), PSOPACK_OK);
    assert_int_equal(all.count, 1);
    const psopack_column *column = &all.columns[0];
    assert_int_equal(column->id, 3);
    assert_int_equal(column->link, 5);
    assert_int_equal(column->rows, rows);
    uint64_t value = 0;
    for (uint64_t i = 0; i < rows; i++) {
        assert_true(psopack_column_get(column, i, &value));
        assert_true(value == values[i]);
    }
    check_sums(column, values, rows);
    assert_false(psopack_column_get(column, rows, &value));
    assert_false(psopack_column_get(column, UINT64_MAX, &value));
    assert_int_equal(psopack_column_read(column, rows, &value, NULL), PSOPACK_E_CORRUPT);
    free(exact);
    psopack_bytes_free(&section);
}

/* Value i of a shape: what real tables hold, and what hurts. */
static uint64_t shaped(unsigned shape, uint64_t i, uint64_t *random)
{
    uint64_t any = test_random(random);
    switch (shape) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return any; /* needs all 64 bits */
    case 3:
        return any % 2 ? UINT64_MAX : 0; /* the widest code beside absent */
    case 4:
        return any % 3 ? 1000000 + any % 50 : 0; /* absent among large neighbours */
    case 5:
        return i / 100 * 7919; /* groups that are constant */
    case 6:
        return i * 4096 + 64; /* offsets: shift */
    case 7:
        return i < 5 ? UINT64_MAX - i : i % 3; /* one group of giants */
    case 8:
        return UINT64_C(1) << 63 | any % 4;
    case 9:
        return any % 64 == 0 ? any : i; /* outliers */
    case 10:
        return i % 512 == 511 ? 0 : i;
    case 11:
        return UINT64_MAX - any % 3; /* base near the top */
    case 12:
        return any % 5 ? 1 : 0;
    default:
        return any >> (any % 64);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1000, 4099};
    uint64_t random = 2463534242;
    uint64_t *values = malloc(4099 * sizeof *values);
    assert_non_null(values);
    for (unsigned shape = 0; shape <= 13; shape++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (uint64_t row = 0; row < sizes[i]; row++)
                values[row] = shaped(shape, row, &random);
            round_trip(values, sizes[i]);
        }
    }
    free(values);
}

/* Widths 0 to 64 at every bit position, against a plain loop over bits. */
static void test_bits_load(void **state)
{
    (void)state;
    uint64_t random = 99;
    uint8_t bytes[32];
    test_random_fill(&random, bytes, sizeof bytes);
    for (unsigned width = 0; width <= 64; width++) {
        for (uint64_t position = 0; position <= 64; position++) {
            uint64_t wanted = 0;
            for (unsigned bit = 0; bit < width; bit++) {
                uint64_t at = position + bit;
                wanted |= (uint64_t)(bytes[at >> 3] >> (at & 7) & 1) << bit;
            }
            /* 9 bytes at the value's first byte are all that may be read. */
            uint8_t *exact = test_exact_copy(bytes, (size_t)(position >> 3) + 9);
            assert_true(psopack_bits_load(exact, position, width) == wanted);
            free(exact);
        }
    }
}

/* Encodings must earn their place: what is equal costs no bits, the cost call says what is written.
 */
static void test_cost(void **state)
{
    (void)state;
    uint64_t values[1000], random = 5;
    for (size_t i = 0; i < 1000; i++)
        values[i] = 123456789;
    assert_int_equal(psopack_column_cost(values, 1000), 0);
    assert_int_equal(psopack_column_cost(values, 0), 0);
    for (size_t i = 0; i < 1000; i++)
        values[i] = i < 500 ? 0 : 1000000 + i; /* half absent, half ascending: groups pay */
    uint64_t cost = psopack_column_cost(values, 1000);
    assert_true(cost < 1000 * 20 / 8 / 2);
    for (size_t i = 0; i < 1000; i++)
        values[i] = test_random(&random);
    assert_in_range(psopack_column_cost(values, 1000), 7900, 8000);
}

/* Two columns in one record: the same data, each at its bit; a third finds its own room. */
static void test_record(void **state)
{
    (void)state;
    const uint64_t left[] = {UINT64_C(1) << 46, 6, 7, 0}, right[] = {3, 0, 1, 2};
    const uint64_t third[] = {9, 8, 7, 6};
    const psopack_column_input inputs[] = {
        {.values = left, .rows = 4, .id = 1, .flat_from_zero = true, .width = 47, .stride = 67},
        {.values = right,
         .rows = 4,
         .id = 2,
         .flat_from_zero = true,
         .width = 20,
         .stride = 67,
         .first = 47},
        {.values = third, .rows = 4, .id = 3},
    };
    const uint64_t *const values[] = {left, right, third};
    psopack_bytes section = {0};
    test_section one;
    taken all;
    assert_int_equal(psopack_columns_write(&section, inputs, 3, NULL), PSOPACK_OK);
    assert_int_equal(parse(&one, section.data, section.size, &all), PSOPACK_OK);
    assert_int_equal(all.columns[0].data, all.columns[1].data);
    assert_int_equal(all.columns[0].data_size, (4 * 67 + 7) / 8 + PSOPACK_COLUMN_SLACK);
    for (size_t i = 0; i < 3; i++) {
        check_sums(&all.columns[i], values[i], 4);
        for (uint64_t row = 0; row < 4; row++) {
            uint64_t value = 0;
            assert_true(psopack_column_get(&all.columns[i], row, &value));
            assert_true(value == values[i][row]);
        }
    }
    psopack_bytes_free(&section);
}

static void test_flat_from_zero(void **state)
{
    (void)state;
    const uint64_t values[] = {5, 6, 7};
    const psopack_column_input input = {
        .values = values, .rows = 3, .id = 1, .flat_from_zero = true, .width = 10};
    psopack_bytes section = {0};
    test_section one;
    taken all;
    uint64_t value;
    assert_int_equal(psopack_columns_write(&section, &input, 1, NULL), PSOPACK_OK);
    assert_int_equal(parse(&one, section.data, section.size, &all), PSOPACK_OK);
    assert_int_equal(all.columns[0].encoding, PSOPACK_COLUMN_FLAT);
    assert_int_equal(all.columns[0].width, 10);
    assert_int_equal(all.columns[0].base, 0);
    for (uint64_t i = 0; i < 3; i++) {
        assert_true(psopack_column_get(&all.columns[0], i, &value));
        assert_int_equal(value, values[i]);
    }
    psopack_bytes_free(&section);
}

/* ---- forged descriptors -----------------------------------------------------------------------
 */

/* A set with a constant, a flat and a grouped column. */
static psopack_bytes make_set(void)
{
    static uint64_t constant[600], flat[600], grouped[600];
    uint64_t random = 31;
    for (size_t i = 0; i < 600; i++) {
        constant[i] = 9;
        flat[i] = test_random(&random) & 0xffff;
        grouped[i] = i < 300 ? 0 : (i / 64) * 100000 + i % 2;
    }
    const psopack_column_input inputs[] = {{.values = constant, .rows = 600, .id = 0},
                                           {.values = flat, .rows = 600, .id = 1},
                                           {.values = grouped, .rows = 600, .id = 2}};
    psopack_bytes section = {0};
    assert_int_equal(psopack_columns_write(&section, inputs, 3, NULL), PSOPACK_OK);
    return section;
}

/* Reads rows of every column that parsing let pass. Any value is fine; stepping outside is not. */
static void read_somewhere(const taken *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const psopack_column *column = &all->columns[i];
        uint64_t rows = column->rows, value;
        for (uint64_t row = 0; row < 700; row++)
            psopack_column_read(column, row, &value, NULL);
        psopack_column_read(column, rows - 1, &value, NULL);
        psopack_column_read(column, rows / 2, &value, NULL);
        psopack_column_read(column, UINT64_MAX, &value, NULL);
        for (uint64_t row = 0; row < 600; row += 50)
            psopack_column_sum(column, row, row + 90, &value);
        if (rows < 10000) /* constant columns may have any number of rows */
            psopack_column_sum(column, 0, rows, &value);
    }
}

static bool survives(const uint8_t *bytes, size_t size)
{
    test_section one;
    taken all;
    uint8_t *exact = test_exact_copy(bytes, size);
    bool passed = parse(&one, exact, size, &all) == PSOPACK_OK;
    read_somewhere(&all);
    free(exact);
    return passed;
}

/* Every byte of count and descriptors, every value: refused, or harmless. */
static void test_forged_bytes(void **state)
{
    (void)state;
    psopack_bytes set = make_set();
    size_t head = sizeof(psopack_disk_count) + 3 * sizeof(psopack_disk_column), passed = 0;
    assert_true(survives(set.data, set.size));
    for (size_t at = 0; at < head; at++) {
        uint8_t old = set.data[at];
        for (unsigned value = 0; value < 256; value += at % 3 == 0 ? 1 : 5) {
            set.data[at] = (uint8_t)value;
            passed += survives(set.data, set.size);
        }
        set.data[at] = old;
    }
    assert_true(passed > 0); /* some fields hold any value: base, link */
    psopack_bytes_free(&set);
}

/* Bits of directory and data changed: values change, bounds hold. */
static void test_forged_bits(void **state)
{
    (void)state;
    psopack_bytes set = make_set();
    uint64_t random = 77;
    size_t head = sizeof(psopack_disk_count) + 3 * sizeof(psopack_disk_column);
    for (int round = 0; round < 3000; round++) {
        uint8_t *copy = test_exact_copy(set.data, set.size);
        for (int i = 0; i < 4; i++)
            copy[head + test_random(&random) % (set.size - head)] = (uint8_t)test_random(&random);
        assert_true(survives(copy, set.size));
        free(copy);
    }
    psopack_bytes_free(&set);
}

/* The set cut at every length: never read as whole unless only unused slack is gone. */
static void test_cut(void **state)
{
    (void)state;
    psopack_bytes set = make_set();
    for (size_t size = 0; size < set.size; size++)
        assert_false(survives(set.data, size));
    psopack_bytes_free(&set);
}

/* ---- each rule of a descriptor by name --------------------------------------------------------
 */

typedef struct forgery {
    const char *what;
    size_t column; /* 1 flat, 2 grouped */
    size_t at;     /* in the descriptor */
    size_t size;
    uint64_t value;
} forgery;

#define FIELD(name) offsetof(psopack_disk_column, name), sizeof(((psopack_disk_column *)0)->name)

static void test_rules(void **state)
{
    (void)state;
    static const forgery forgeries[] = {
        {"ids ascend", 1, FIELD(id), 0},
        {"encoding", 1, FIELD(encoding), 2},
        {"flat width", 1, FIELD(width), 65},
        {"flat shift", 1, FIELD(shift), 64},
        {"flat has no groups", 1, FIELD(group_log2), 1},
        {"flat has no group base", 1, FIELD(base_width), 1},
        {"flat has no group start", 1, FIELD(start_width), 1},
        {"flat has no directory", 1, FIELD(directory), 176},
        {"flat record too narrow", 1, FIELD(stride), 1},
        {"flat value behind its record", 1, FIELD(first), 255},
        {"reserved", 1, FIELD(reserved), 1},
        {"flat rows", 1, FIELD(rows), 601 + 8},
        {"flat rows, overflow", 1, FIELD(rows), UINT64_MAX},
        {"data in front of it", 1, FIELD(data), 8},
        {"data behind it", 1, FIELD(data), UINT64_MAX},
        {"data size", 1, FIELD(data_size), 1},
        {"data size, huge", 1, FIELD(data_size), UINT64_MAX},
        {"grouped has no width", 2, FIELD(width), 1},
        {"grouped has no shift", 2, FIELD(shift), 1},
        {"grouped has no base", 2, FIELD(base), 1},
        {"grouped has no record", 2, FIELD(stride), 1},
        {"grouped has no place in one", 2, FIELD(first), 1},
        {"group size", 2, FIELD(group_log2), 17},
        {"group base width", 2, FIELD(base_width), 65},
        {"group start width", 2, FIELD(start_width), 41},
        {"grouped rows", 2, FIELD(rows), 600000},
        {"directory in front of it", 2, FIELD(directory), 0},
        {"directory behind it", 2, FIELD(directory), UINT64_MAX - 8},
        {"grouped data without slack", 2, FIELD(data_size), 8},
    };
    psopack_bytes set = make_set();
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        const forgery *f = &forgeries[i];
        uint8_t *copy = test_exact_copy(set.data, set.size);
        psopack_u64le value = psopack_store64(f->value);
        size_t at = sizeof(psopack_disk_count) + f->column * sizeof(psopack_disk_column) + f->at;
        memcpy(copy + at, &value, f->size < 8 ? f->size : 8);
        test_section one;
        taken all;
        if (parse(&one, copy, set.size, &all) != PSOPACK_E_CORRUPT)
            fail_msg("%s: not refused", f->what);
        assert_true(all.count <= f->column);
        free(copy);
    }
    psopack_bytes_free(&set);
}

/* Nothing unchecked is used: without a matching check not even the count is believed. */
static void test_unchecked(void **state)
{
    (void)state;
    psopack_bytes set = make_set();
    test_section one;
    taken all = {.count = 0};
    psopack_diag diag;
    section_over(&one, set.data, set.size);
    one.section.crc ^= 1;
    assert_int_equal(psopack_columns_parse(&one.section, take, &all, &diag), PSOPACK_E_CHECKSUM);
    assert_int_equal(diag.object, PSOPACK_OBJECT_SECTION);
    assert_int_equal(diag.offset, 64);
    assert_int_equal(all.count, 0);
    psopack_bytes_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_bits_load),
        cmocka_unit_test(test_record),         cmocka_unit_test(test_cost),
        cmocka_unit_test(test_flat_from_zero), cmocka_unit_test(test_forged_bytes),
        cmocka_unit_test(test_forged_bits),    cmocka_unit_test(test_cut),
        cmocka_unit_test(test_rules),          cmocka_unit_test(test_unchecked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
