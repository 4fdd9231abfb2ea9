/* SPDX-License-Identifier: MIT */
/*
 * The ends of a file: which of header, footer and section table is how damaged, and which status
 * that gives. The files here have three sections of made-up bytes; every check is right, then one
 * thing is broken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/view.h"
#include "test_format_random.h"

#define SECTIONS 3u
#define BODY 640u /* of section bytes: three sections of different sizes, padding between */

typedef struct image {
    psopack_disk_header header;
    uint8_t body[BODY];
    psopack_disk_section table[SECTIONS];
    psopack_disk_section repeat[SECTIONS];
    psopack_disk_footer footer;
} image;

static void seal(image *file)
{
    memcpy(file->repeat, file->table, sizeof file->table);
    file->footer.table_crc = psopack_store32(psopack_crc32c(0, file->table, sizeof file->table));
    psopack_archive_id(&file->footer, file->table, sizeof file->table, file->footer.archive_id);
    file->footer.crc =
        psopack_store32(psopack_crc32c(0, &file->footer, offsetof(psopack_disk_footer, crc)));
    file->header.crc = psopack_store32(0);
    file->header.crc = psopack_store32(psopack_crc32c(0, &file->header, sizeof file->header));
}

static image make_image(void)
{
    /* Sizes 3, 300, 328: the second begins at 64 + 8, the third at 64 + 8 + 304. */
    static const uint32_t ids[SECTIONS] = {PSOPACK_SECTION_META, PSOPACK_SECTION_SLOT,
                                           PSOPACK_SECTION_NAME};
    static const uint64_t offsets[SECTIONS] = {64, 72, 376}, sizes[SECTIONS] = {3, 300, 328};
    image file;
    memset(&file, 0, sizeof file);
    memcpy(file.header.magic, PSOPACK_HEADER_MAGIC, 8);
    file.header.version = psopack_store32(1);
    file.header.header_size = psopack_store32(64);
    file.header.footer_size = psopack_store32(128);
    for (size_t i = 0; i < SECTIONS; i++) {
        file.table[i].id = psopack_store32(ids[i]);
        file.table[i].flags = psopack_store32(i < 2 ? PSOPACK_SECTION_REQUIRED : 0);
        file.table[i].offset = psopack_store64(offsets[i]);
        file.table[i].size = psopack_store64(sizes[i]);
        file.table[i].crc =
            psopack_store32(psopack_crc32c(0, (uint8_t *)&file + offsets[i], sizes[i]));
    }
    memcpy(file.footer.magic, PSOPACK_FOOTER_MAGIC, 8);
    file.footer.footer_size = psopack_store32(128);
    file.footer.section_count = psopack_store32(SECTIONS);
    file.footer.file_size = psopack_store64(sizeof file);
    file.footer.table_offset = psopack_store64(offsetof(image, table));
    file.footer.repeat_offset = psopack_store64(offsetof(image, repeat));
    file.footer.version = psopack_store32(1);
    seal(&file);
    return file;
}

static psopack_diag last;

/* Judges `size` bytes as a reader does: ends, then the table. */
static psopack_status judge(const void *bytes, size_t size)
{
    uint8_t *exact = test_exact_copy(bytes, size);
    size_t tail = size < 65536 ? size : 65536;
    psopack_ends ends;
    uint64_t offset = 0, pages = 0;
    last = (psopack_diag){0};
    psopack_status status = psopack_ends_check(exact, size < 64 ? size : 64, exact + size - tail,
                                               tail, size, &ends, &last);
    if (status == PSOPACK_OK)
        status = psopack_table_check(&ends, exact + ends.repeat_offset, &offset, &pages, &last);
    if (status == PSOPACK_OK) {
        assert_int_equal(offset, 64);
        assert_int_equal(pages, SECTIONS);
        assert_int_equal(ends.file_size, size);
    } else {
        assert_int_equal(last.code, status);
        assert_true(last.text[0] != '\0');
    }
    free(exact);
    return status;
}

static void test_good(void **state)
{
    (void)state;
    image file = make_image();
    assert_int_equal(sizeof file, 64 + BODY + 2 * SECTIONS * 32 + 128);
    assert_int_equal(judge(&file, sizeof file), PSOPACK_OK);
}

static void test_not_archives(void **state)
{
    (void)state;
    uint8_t bytes[4096];
    uint64_t random = 21;
    test_random_fill(&random, bytes, sizeof bytes);
    for (size_t size = 0; size <= 400; size++)
        assert_int_equal(judge(bytes, size), PSOPACK_E_NOT_ARCHIVE);
    assert_int_equal(judge(bytes, sizeof bytes), PSOPACK_E_NOT_ARCHIVE);
    assert_int_equal(judge(bytes, 0), PSOPACK_E_NOT_ARCHIVE);
    assert_string_equal(last.text, "the file is empty");
}

static void test_truncated(void **state)
{
    (void)state;
    image file = make_image();
    for (size_t size = 0; size < sizeof file; size++) {
        assert_int_equal(judge(&file, size),
                         size < 8 ? PSOPACK_E_NOT_ARCHIVE : PSOPACK_E_TRUNCATED);
    }
}

/* Cut in the middle: both ends are good, the size is not. */
static void test_middle_missing(void **state)
{
    (void)state;
    image file = make_image();
    uint8_t bytes[sizeof file];
    memcpy(bytes, &file, 200);
    memcpy(bytes + 200, (uint8_t *)&file + 300, sizeof file - 300);
    assert_int_equal(judge(bytes, sizeof file - 100), PSOPACK_E_TRUNCATED);
    assert_non_null(strstr(last.text, "the footer says"));
}

static void test_extended(void **state)
{
    (void)state;
    image file = make_image();
    static const size_t sizes[] = {1, 7, 127, 128, 129, 4096, 60000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int fill = 0; fill < 256; fill += 255) {
            uint8_t *bytes = malloc(sizeof file + sizes[i]);
            memcpy(bytes, &file, sizeof file);
            memset(bytes + sizeof file, fill, sizes[i]);
            assert_int_equal(judge(bytes, sizeof file + sizes[i]), PSOPACK_E_EXTENDED);
            assert_int_equal(last.offset, sizeof file);
            free(bytes);
        }
    }
    /* Something put in between: both ends are good. */
    uint8_t bytes[sizeof file + 8] = {0};
    memcpy(bytes, &file, 200);
    memcpy(bytes + 208, (uint8_t *)&file + 200, sizeof file - 200);
    assert_int_equal(judge(bytes, sizeof bytes), PSOPACK_E_EXTENDED);
}

/* Which end is damaged how, and what that is called. */
static void test_damaged_ends(void **state)
{
    (void)state;
    const image good = make_image();
    for (size_t at = 0; at < sizeof good; at++) {
        image file = good;
        ((uint8_t *)&file)[at] ^= 0x40;
        bool in_header = at < 64, in_footer = at >= offsetof(image, footer);
        bool in_repeat = at >= offsetof(image, repeat) && !in_footer;
        psopack_status wanted = PSOPACK_OK; /* sections and first table: judged later */
        if (in_header || in_repeat || in_footer)
            wanted = PSOPACK_E_CHECKSUM;
        if (in_footer && at < offsetof(image, footer) + 8)
            wanted = PSOPACK_E_TRUNCATED; /* no footer is to be seen */
        assert_int_equal(judge(&file, sizeof file), wanted);
    }
}

static void test_both_damaged(void **state)
{
    (void)state;
    image file = make_image();
    file.header.magic[0] ^= 1;
    file.footer.magic[0] ^= 1;
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_NOT_ARCHIVE);
    file = make_image();
    file.header.version.bytes[0] ^= 1; /* magics there, both checks fail */
    file.footer.version.bytes[0] ^= 1;
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_CHECKSUM);
    file = make_image();
    file.header.magic[0] ^= 1; /* footer good */
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_CHECKSUM);
    file.footer.crc.bytes[0] ^= 1; /* footer recognised, damaged too */
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_CHECKSUM);
}

/* Checks before version, version before features. */
static void test_order_of_judgement(void **state)
{
    (void)state;
    image file = make_image();
    file.header.version = file.footer.version = psopack_store32(2);
    file.footer.must_refuse = psopack_store64(UINT64_C(1) << 40);
    seal(&file);
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_VERSION);
    file.footer.crc.bytes[0] ^= 1;
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_CHECKSUM);
    file = make_image();
    file.header.version.bytes[0] = 2; /* damage, not another version */
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_CHECKSUM);
    file = make_image();
    file.footer.version = psopack_store32(2); /* header 1, footer 2, checks right */
    seal(&file);
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_CORRUPT);
}

static void test_features(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        image file = make_image();
        file.footer.must_refuse = psopack_store64(UINT64_C(1) << bit);
        seal(&file);
        if ((UINT64_C(1) << bit & PSOPACK_KNOWN_MUST_REFUSE) != 0) {
            assert_int_equal(judge(&file, sizeof file), PSOPACK_OK);
        } else {
            assert_int_equal(judge(&file, sizeof file), PSOPACK_E_FEATURE);
            char bits[32];
            snprintf(bits, sizeof bits, "0x%llx", 1ull << bit);
            assert_non_null(strstr(last.text, bits));
        }
        file.footer.must_refuse = psopack_store64(0);
        file.footer.may_ignore = file.footer.may_not_append = psopack_store64(UINT64_C(1) << bit);
        seal(&file);
        assert_int_equal(judge(&file, sizeof file), PSOPACK_OK);
    }
}

static void test_sections(void **state)
{
    (void)state;
    image file = make_image();
    file.table[2].id = psopack_store32(PSOPACK_FOURCC('N', 'E', 'W', '!')); /* optional: skipped */
    seal(&file);
    assert_int_equal(judge(&file, sizeof file), PSOPACK_OK);
    file.table[2].flags = psopack_store32(PSOPACK_SECTION_REQUIRED);
    seal(&file);
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_FEATURE);
    assert_non_null(strstr(last.text, "NEW!"));
    file.table[2].flags = psopack_store32(2);
    seal(&file);
    assert_int_equal(judge(&file, sizeof file), PSOPACK_E_CORRUPT);
}

/* ---- fields that lie, with every check right --------------------------------------------------
 */

typedef struct lie {
    const char *what;
    size_t at, size;
    uint64_t value;
} lie;

#define IN_FOOTER(field)                                                                           \
    offsetof(image, footer) + offsetof(psopack_disk_footer, field),                                \
        sizeof(((psopack_disk_footer *)0)->field)
#define IN_HEADER(field)                                                                           \
    offsetof(image, header) + offsetof(psopack_disk_header, field),                                \
        sizeof(((psopack_disk_header *)0)->field)
#define IN_ROW(row, field)                                                                         \
    offsetof(image, table) + (row) * sizeof(psopack_disk_section) +                                \
        offsetof(psopack_disk_section, field),                                                     \
        sizeof(((psopack_disk_section *)0)->field)

static void test_lies(void **state)
{
    (void)state;
    static const lie lies[] = {
        {"header size", IN_HEADER(header_size), 63},
        {"footer size in header", IN_HEADER(footer_size), 129},
        {"header reserved", IN_HEADER(reserved), 1},
        {"header reserved_2", IN_HEADER(reserved_2), 1},
        {"footer size", IN_FOOTER(footer_size), 0},
        {"no sections", IN_FOOTER(section_count), 0},
        {"fewer sections", IN_FOOTER(section_count), SECTIONS - 1},
        {"more sections", IN_FOOTER(section_count), SECTIONS + 1},
        {"65 sections", IN_FOOTER(section_count), 65},
        {"4 G sections", IN_FOOTER(section_count), UINT32_MAX},
        {"table offset", IN_FOOTER(table_offset), 64},
        {"table offset, huge", IN_FOOTER(table_offset), UINT64_MAX},
        {"repeat offset", IN_FOOTER(repeat_offset), 0},
        {"repeat offset, huge", IN_FOOTER(repeat_offset), UINT64_MAX - 63},
        {"footer reserved", IN_FOOTER(reserved), 1},
        {"first section in the header", IN_ROW(0, offset), 56},
        {"first section unaligned", IN_ROW(0, offset), 65},
        {"section offset, huge", IN_ROW(0, offset), UINT64_MAX - 7},
        {"section gap", IN_ROW(1, offset), 80},
        {"section overlap", IN_ROW(1, size), 305},
        {"section too short", IN_ROW(1, size), 290},
        {"section size, huge", IN_ROW(1, size), UINT64_MAX - 71},
        {"last section too long", IN_ROW(2, size), 337},
        {"last section too short", IN_ROW(2, size), 320},
        {"section reserved", IN_ROW(1, reserved), 1},
        {"section flags", IN_ROW(1, flags), 3},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        image file = make_image();
        psopack_u64le value = psopack_store64(lies[i].value);
        memcpy((uint8_t *)&file + lies[i].at, &value, lies[i].size < 8 ? lies[i].size : 8);
        seal(&file);
        psopack_status status = judge(&file, sizeof file);
        if (status != PSOPACK_E_CORRUPT && status != PSOPACK_E_CHECKSUM)
            fail_msg("%s: %s", lies[i].what, psopack_status_name(status));
    }
}

/* Random 64-bit values in any field, sealed: no step out of bounds, no success but the original. */
static void test_random_lies(void **state)
{
    (void)state;
    const image good = make_image();
    uint64_t random = 22;
    for (int round = 0; round < 20000; round++) {
        image file = good;
        size_t tail = sizeof file - offsetof(image, table);
        size_t at = offsetof(image, table) + test_random(&random) % (tail - 8);
        uint64_t value = test_random(&random) >> test_random(&random) % 64;
        memcpy((uint8_t *)&file + at, &value, 1 + test_random(&random) % 8);
        seal(&file);
        judge(&file, sizeof file);
    }
}

/* The archive id is over the table and the footer, canonical, archive_id and crc as zeros. */
static void test_archive_id(void **state)
{
    (void)state;
    image file = make_image();
    uint8_t id[16], other[16];
    memcpy(id, file.footer.archive_id, 16);
    file.footer.crc.bytes[0] ^= 1;
    file.footer.archive_id[3] ^= 1;
    psopack_archive_id(&file.footer, file.table, sizeof file.table, other);
    assert_memory_equal(id, other, 16);
    file.table[0].crc.bytes[0] ^= 1;
    psopack_archive_id(&file.footer, file.table, sizeof file.table, other);
    assert_memory_not_equal(id, other, 16);
    file = make_image();
    file.footer.key_seed.bytes[0] ^= 1;
    psopack_archive_id(&file.footer, file.table, sizeof file.table, other);
    assert_memory_not_equal(id, other, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),         cmocka_unit_test(test_not_archives),
        cmocka_unit_test(test_truncated),    cmocka_unit_test(test_middle_missing),
        cmocka_unit_test(test_extended),     cmocka_unit_test(test_damaged_ends),
        cmocka_unit_test(test_both_damaged), cmocka_unit_test(test_order_of_judgement),
        cmocka_unit_test(test_features),     cmocka_unit_test(test_sections),
        cmocka_unit_test(test_lies),         cmocka_unit_test(test_random_lies),
        cmocka_unit_test(test_archive_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
