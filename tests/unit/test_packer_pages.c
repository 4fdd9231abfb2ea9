/* SPDX-License-Identifier: MIT */
/*
 * An archive whose sections have several pages: damage in one page costs what lies in that page, at
 * first touch, and nothing else; page tables and the padding round them are checked to the last
 * byte.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/section.h"

#define PSOS 9000u /* KEYS and HASH have dozens of pages */

typedef struct large {
    uint8_t *bytes;
    size_t size;
} large;

static void pso_name(uint32_t pso, char ret_name[16])
{
    snprintf(ret_name, 16, "p/%05u", pso);
}

static int make_large(void **state)
{
    static large made;
    set all = {0};
    for (uint32_t pso = 0; pso < PSOS; pso++) {
        char name[16];
        pso_name(pso, name);
        set_add(&all, name, "s", name, strlen(name)); /* a component each */
    }
    char *folder = test_folder_make(), *path = test_path(folder, "large.psopack");
    psopack_build_options options = test_options(NULL);
    options.profile = PSOPACK_PROFILE_FAST;
    options.hashes = 1;
    psopack_build *build = test_build(&options);
    test_add_memory(build, &all);
    test_finish(build, path);
    made.bytes = test_read_file(path, &made.size);
    free(path);
    test_folder_remove(folder);
    set_free(&all);
    *state = &made;
    return 0;
}

static int free_large(void **state)
{
    free(((large *)*state)->bytes);
    return 0;
}

static psopack_archive *open_memory(const large *made)
{
    psopack_archive *archive = NULL;
    psopack_diag diag = {0};
    if (psopack_archive_open_memory(made->bytes, made->size, NULL, &archive, &diag) != PSOPACK_OK)
        fail_msg("open: %s", diag.text);
    return archive;
}

static psopack_section_info find_section(const large *made, const char *name)
{
    psopack_archive *archive = open_memory(made);
    psopack_section_info info = {0};
    uint32_t i = 0;
    while (psopack_section_get(archive, i, &info) == PSOPACK_OK && strcmp(info.name, name) != 0)
        i++;
    assert_string_equal(info.name, name);
    psopack_archive_close(&archive);
    return info;
}

static int note_offset(void *user, const psopack_diag *diag)
{
    uint64_t *offset = user;
    if (*offset == UINT64_MAX)
        *offset = diag->offset;
    return 0;
}

/* Counts the PSOs that cannot be found; those that are found are right. */
static uint32_t count_lost(const psopack_archive *archive)
{
    uint32_t lost = 0;
    for (uint32_t pso = 0; pso < PSOS; pso++) {
        char name[16];
        uint32_t found;
        pso_name(pso, name);
        psopack_status status = psopack_pso_find_key(
            archive, NULL, psopack_pso_key(archive, name, strlen(name)), &found);
        if (status == PSOPACK_OK)
            assert_int_equal(found, pso);
        else
            assert_int_equal(status, PSOPACK_E_CHECKSUM);
        lost += status != PSOPACK_OK;
    }
    return lost;
}

static void test_damaged_page(void **state)
{
    large *made = *state;
    psopack_section_info keys = find_section(made, "KEYS");
    assert_true(keys.size > PSOPACK_SECTION_PAGE);
    for (uint64_t page = 0; page < psopack_section_pages(keys.size); page++) {
        uint64_t at = keys.offset + page * PSOPACK_SECTION_PAGE, first = UINT64_MAX;
        made->bytes[at] ^= 4;
        psopack_archive *archive = NULL;
        psopack_diag diag = {0};
        psopack_status status =
            psopack_archive_open_memory(made->bytes, made->size, NULL, &archive, &diag);
        if (page == 0) { /* the head of the table lies here: found at open */
            assert_int_equal(status, PSOPACK_E_CHECKSUM);
            assert_int_equal(diag.offset, keys.offset);
        } else {
            assert_int_equal(status, PSOPACK_OK);
            uint32_t lost = count_lost(archive);
            assert_true(lost > 0 && lost < PSOS);
            assert_int_equal(psopack_archive_verify(archive, 0, note_offset, &first, NULL, NULL),
                             PSOPACK_E_CHECKSUM);
            assert_int_equal(first, keys.offset + page * PSOPACK_SECTION_PAGE);
            psopack_archive_close(&archive);
        }
        made->bytes[at] ^= 4;
    }
    psopack_archive *archive = open_memory(made);
    assert_int_equal(count_lost(archive), 0);
    psopack_archive_close(&archive);
}

/* A damaged page of the hashes is nobody's trouble who does not ask for those. */
static void test_damaged_hashes(void **state)
{
    large *made = *state;
    psopack_section_info section = find_section(made, "HASH");
    made->bytes[section.offset + PSOPACK_SECTION_PAGE] ^= 1;
    psopack_archive *archive = open_memory(made);
    uint8_t hash[16];
    assert_int_equal(count_lost(archive), 0);
    for (uint32_t i = 0; i < PSOS; i++) {
        bool damaged = i * 16 / PSOPACK_SECTION_PAGE == 1;
        assert_int_equal(psopack_component_hash(archive, i, hash, NULL),
                         damaged ? PSOPACK_E_CHECKSUM : PSOPACK_OK);
    }
    assert_int_equal(psopack_archive_verify(archive, PSOPACK_VERIFY_QUICK, NULL, NULL, NULL, NULL),
                     PSOPACK_E_CHECKSUM);
    psopack_archive_close(&archive);
    made->bytes[section.offset + PSOPACK_SECTION_PAGE] ^= 1;
}

/* Each byte behind a paged section, up to the next one: page table or padding. */
static void test_page_tables(void **state)
{
    large *made = *state;
    static const char *const names[] = {"KEYS", "HASH"};
    for (size_t i = 0; i < 2; i++) {
        psopack_section_info section = find_section(made, names[i]);
        uint64_t table = psopack_section_table_size(section.size);
        uint64_t end = (section.offset + section.size + table + 7) & ~UINT64_C(7);
        assert_true(table >= 8);
        for (uint64_t at = section.offset + section.size; at < end; at++) {
            psopack_archive *archive = NULL;
            made->bytes[at] ^= 0x20;
            psopack_status status =
                psopack_archive_open_memory(made->bytes, made->size, NULL, &archive, NULL);
            if (status == PSOPACK_OK) { /* padding: verify proves that it is zero */
                status = psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL);
                psopack_archive_close(&archive);
            }
            assert_int_equal(psopack_status_exit_code(status), 3);
            made->bytes[at] ^= 0x20;
        }
    }
}

/* CHECK_ALL finds at open what else first use would find. */
static void test_check_all(void **state)
{
    large *made = *state;
    psopack_section_info section = find_section(made, "HASH");
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive = NULL;
    options.flags = PSOPACK_OPEN_CHECK_ALL;
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, &options, &archive, NULL),
                     PSOPACK_OK);
    psopack_archive_close(&archive);
    made->bytes[section.offset + section.size - 1] ^= 1;
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, &options, &archive, NULL),
                     PSOPACK_E_CHECKSUM);
    made->bytes[section.offset + section.size - 1] ^= 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_page),
        cmocka_unit_test(test_damaged_hashes),
        cmocka_unit_test(test_page_tables),
        cmocka_unit_test(test_check_all),
    };
    return cmocka_run_group_tests(tests, make_large, free_large);
}
