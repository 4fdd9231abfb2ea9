/* SPDX-License-Identifier: MIT */
/*
 * make_golden FOLDER: packs the golden archives of format 1 with the current packer, writes their
 * listings, and damaged copies by name. Run by make.sh; what it makes is committed and from then on
 * only read, by this and every later version.
 */
#define _GNU_SOURCE
#include "../unit/test_packer_set.h"
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/crc32c.h"
#include "format/view.h"

static const char *folder;

static char *golden_path(const char *name, const char *suffix)
{
    char *path;
    if (asprintf(&path, "%s/%s%s", folder, name, suffix) < 0)
        abort();
    return path;
}

static void write_listing(const char *name)
{
    char *archive_path = golden_path(name, ".psopack"), *list_path = golden_path(name, ".list");
    psopack_archive *archive;
    FILE *out = fopen(list_path, "wb");
    assert_non_null(out);
    assert_int_equal(psopack_archive_open(archive_path, NULL, &archive, NULL), PSOPACK_OK);
    assert_int_equal(golden_list(archive, out), PSOPACK_OK);
    assert_int_equal(psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL), PSOPACK_OK);
    psopack_archive_close(&archive);
    fclose(out);
    free(list_path);
    free(archive_path);
}

static void finish(psopack_build *build, const char *name)
{
    char *path = golden_path(name, ".psopack");
    test_finish(build, path);
    free(path);
    write_listing(name);
}

static void pack(const set *all, psopack_profile profile, const char *name)
{
    psopack_build_options options = test_options(NULL);
    options.profile = profile;
    options.hashes = profile == PSOPACK_PROFILE_SMALL;
    options.target = profile == PSOPACK_PROFILE_FAST ? NULL : "golden-gpu";
    options.content_version = profile == PSOPACK_PROFILE_SMALL ? UINT64_MAX : 0;
    psopack_build *build = test_build(&options);
    if (profile == PSOPACK_PROFILE_STORED)
        assert_int_equal(psopack_build_align(build, "state", 256, NULL), PSOPACK_OK);
    test_add_memory(build, all);
    assert_int_equal(psopack_build_add_pso(build, "none", 4, NULL), PSOPACK_OK);
    finish(build, name);
}

/* ---- the good ones ----------------------------------------------------------------------------
 */

/* Code is little-endian, whatever the machine is that packs it. */
static void add_code(set *all, const char *pso, const char *slot, uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        psopack_u32le stored = psopack_store32(words[i]);
        memcpy(&words[i], &stored, sizeof stored);
    }
    set_add(all, pso, slot, words, count * sizeof *words);
}

/* Modules whose result ids differ and nothing else: what the spirv transform is for. */
static void add_spirv(set *all, uint32_t variant)
{
    enum { INSTRUCTIONS = 120 };
    uint32_t words[5 + 5 * INSTRUCTIONS] = {0x07230203, 0x00010300, 8, 0, 0};
    uint32_t first = 10 + 37 * variant;
    char pso[32];
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        uint32_t *at = words + 5 + 5 * i; /* OpIAdd: type, result, two operands */
        at[0] = 5u << 16 | (i % 3 ? 128 : 132);
        at[1] = first;
        at[2] = first + 1 + i;
        at[3] = first + i * 7 % (i + 1);
        at[4] = first + i * 13 % (i + 1);
    }
    words[3] = first + INSTRUCTIONS + 2;
    snprintf(pso, sizeof pso, "spirv/%02u", variant);
    add_code(all, pso, "fs.spirv", words, sizeof words / sizeof *words);
}

/* Vector code of one program under different register allocations: what the amdgpu ones are for. */
static void add_amdgpu(set *all, uint32_t variant)
{
    enum { INSTRUCTIONS = 250 };
    uint32_t words[INSTRUCTIONS + 1];
    char pso[32];
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        uint32_t registers[3];
        for (uint32_t operand = 0; operand < 3; operand++)
            registers[operand] = (i * i * (operand + 3) % 23 * 5 + variant * 11) % 120;
        /* VOP2: opcode, destination, source 1, source 0 (a vector register) */
        words[i] = (i % 7 + 3) << 25 | registers[0] << 17 | registers[1] << 9 | 256 | registers[2];
    }
    words[INSTRUCTIONS] = 0xbf810000; /* s_endpgm */
    snprintf(pso, sizeof pso, "amdgpu/%02u", variant);
    add_code(all, pso, "cs.instructions", words, sizeof words / sizeof *words);
}

static void make_profiles(void)
{
    static const char *const names[] = {"balanced", "fast", "small", "stored", "directstorage"};
    for (int profile = 0; profile < 5; profile++) {
        set all = set_like_a_game(profile == PSOPACK_PROFILE_STORED ? 3 : 8);
        uint8_t *large = calloc(1, 600000);
        large[599999] = 1;
        for (uint32_t i = 0; profile != PSOPACK_PROFILE_STORED && i < 24; i++) {
            add_spirv(&all, i);
            add_amdgpu(&all, i);
        }
        if (profile == PSOPACK_PROFILE_DIRECTSTORAGE)
            set_add(&all, "large", "state", large, 600000);
        pack(&all, (psopack_profile)profile, names[profile]);
        set_free(&all);
        free(large);
    }
}

static void make_given_keys(void)
{
    char *file = golden_path("part", ".tmp"), *text;
    size_t size;
    FILE *list = open_memstream(&text, &size);
    test_write_file(file, "one part", 8);
    for (int i = 1; i <= 9; i++)
        fprintf(list, "{\"pso\":\"given/%d\",\"slot\":\"s\",\"path\":\"%s\",\"key\":%d}\n", i, file,
                i);
    fclose(list);
    psopack_build *build = test_build(NULL);
    assert_int_equal(psopack_build_add_list(build, "list", text, size, 0, NULL), PSOPACK_OK);
    finish(build, "keys");
    unlink(file);
    free(text);
    free(file);
}

/* ---- the damaged ones -------------------------------------------------------------------------
 */

typedef struct damaged {
    FILE *list; /* name, status of open, status of verify */
    uint8_t *good, *bytes;
    size_t size;
} damaged;

/* Writes what is in `bytes` now, notes its statuses, takes the good bytes again. */
static void keep(damaged *now, const char *name, size_t size)
{
    char *path = golden_path(name, ".psopack");
    psopack_archive *archive;
    test_write_file(path, now->bytes, size);
    psopack_status verified = PSOPACK_OK, opened = psopack_archive_open(path, NULL, &archive, NULL);
    if (opened == PSOPACK_OK) {
        verified = psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL);
        psopack_archive_close(&archive);
    }
    fprintf(now->list, "%s\t%s\t%s\n", name, psopack_status_name(opened),
            psopack_status_name(verified));
    memcpy(now->bytes, now->good, now->size);
    free(path);
}

static void seal_footer(damaged *now, psopack_disk_footer *footer)
{
    uint64_t table = psopack_load64(footer->repeat_offset);
    psopack_archive_id(footer, now->bytes + table,
                       psopack_load32(footer->section_count) * sizeof(psopack_disk_section),
                       footer->archive_id);
    footer->crc = psopack_store32(psopack_crc32c(0, footer, offsetof(psopack_disk_footer, crc)));
    memcpy(now->bytes + now->size - sizeof *footer, footer, sizeof *footer);
}

static void make_ends(damaged *now, const psopack_disk_footer *footer)
{
    now->bytes[9] ^= 1;
    keep(now, "bad-header", now->size);
    now->bytes[now->size - 60] ^= 1;
    keep(now, "bad-footer", now->size);
    now->bytes[0] ^= 1;
    now->bytes[now->size - 128] ^= 1;
    keep(now, "bad-both-magics", now->size);
    keep(now, "bad-truncated", now->size - 100);
    memset(now->bytes + now->size, 0, 16);
    keep(now, "bad-extended", now->size + 16);
    psopack_disk_footer changed = *footer;
    changed.must_refuse = psopack_store64(UINT64_C(1) << 63);
    seal_footer(now, &changed);
    keep(now, "bad-feature", now->size);
    psopack_disk_header header;
    memcpy(&header, now->bytes, sizeof header);
    header.version = changed.version = psopack_store32(2);
    changed.must_refuse = psopack_store64(0);
    header.crc = psopack_store32(0);
    header.crc = psopack_store32(psopack_crc32c(0, &header, sizeof header));
    memcpy(now->bytes, &header, sizeof header);
    seal_footer(now, &changed);
    keep(now, "bad-version", now->size);
}

static void make_damaged(void)
{
    char *good_path = golden_path("keys", ".psopack"), *list = golden_path("damaged", ".list");
    damaged now = {.list = fopen(list, "wb")};
    psopack_disk_footer footer;
    psopack_disk_section section;
    assert_non_null(now.list);
    now.good = test_read_file(good_path, &now.size);
    now.bytes = malloc(now.size + 16);
    memcpy(now.bytes, now.good, now.size);
    memcpy(&footer, now.good + now.size - sizeof footer, sizeof footer);
    make_ends(&now, &footer);
    now.bytes[sizeof(psopack_disk_header)] ^= 1;
    keep(&now, "bad-block", now.size);
    now.bytes[psopack_load64(footer.table_offset) + 20] ^= 1;
    keep(&now, "bad-table", now.size);
    for (uint32_t i = 0; i < psopack_load32(footer.section_count); i++) {
        char name[] = "bad-section-XXXX";
        memcpy(&section, now.good + psopack_load64(footer.table_offset) + i * sizeof section,
               sizeof section);
        memcpy(name + strlen(name) - 4, section.id.bytes, 4);
        now.bytes[psopack_load64(section.offset) + psopack_load64(section.size) / 2] ^= 1;
        keep(&now, name, now.size);
    }
    fclose(now.list);
    free(now.bytes);
    free(now.good);
    free(list);
    free(good_path);
}

static void make_all(void **state)
{
    (void)state;
    make_profiles();
    make_given_keys();
    psopack_build *build = test_build(NULL);
    finish(build, "empty");
    make_damaged();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(make_all)};
    if (argc != 2) {
        fprintf(stderr, "usage: make_golden FOLDER\n");
        return 2;
    }
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
