/* SPDX-License-Identifier: MIT */
/* PSO sets, folders, builds and read-back for the packer's tests. */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/layout.h"
#include "test_format_random.h"

/* ---- sets -------------------------------------------------------------------------------------
 */

void set_add(set *all, const char *pso, const char *slot, const void *bytes, size_t size)
{
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? all->capacity * 2 : 64;
        all->parts = realloc(all->parts, all->capacity * sizeof *all->parts);
        assert_non_null(all->parts);
    }
    all->parts[all->count++] =
        (part){strdup(pso), strdup(slot), test_exact_copy(bytes, size), size};
}

void set_free(set *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free((char *)all->parts[i].pso);
        free((char *)all->parts[i].slot);
        free(all->parts[i].bytes);
    }
    free(all->parts);
    *all = (set){0};
}

/* Words of "machine code": one program with some registers renamed and constants replaced. */
static size_t make_code(uint8_t *bytes, uint32_t family, uint32_t variant)
{
    uint64_t program = 0x9e3779b97f4a7c15u + family, change = 0xb5297a4du + 7919u * variant;
    size_t words = 200 + family * 37 % 500;
    for (size_t i = 0; i < words; i++) {
        uint32_t word = 0x7e000200u | ((uint32_t)test_random(&program) & 0x01fe01ffu);
        if (i % 5 == 0)
            word = 0xbf8c0000u | ((uint32_t)test_random(&program) & 0xffu);
        if (test_random(&change) % 16 == 0)
            word ^= (uint32_t)(variant % 8) << 17;
        psopack_u32le stored = psopack_store32(word);
        memcpy(bytes + 4 * i, &stored, 4);
    }
    for (size_t i = 0; i < 16; i++, words++)
        memcpy(bytes + 4 * words, "\x00\x00\x9f\xbf", 4); /* padding, as drivers add */
    return 4 * words;
}

static void add_like_a_game(set *all, uint32_t i)
{
    static const char *const stages[] = {"vs", "ps", "gs"};
    char pso[64], slot[32];
    uint8_t bytes[4096];
    snprintf(pso, sizeof pso, "materials/%c%u/pass_%05u", 'a' + (int)(i % 7), i / 50, i);
    for (uint32_t stage = 0; stage < 3; stage++) {
        uint32_t family = stage == 1 ? i / 3 : i / 9 + 1000 * stage;
        if (stage == 2 && i % 6 != 0)
            continue; /* absent */
        size_t size = make_code(bytes, family, stage == 1 ? i % 3 : i / 9 % 2);
        snprintf(slot, sizeof slot, "%s.instructions", stages[stage]);
        set_add(all, pso, slot, bytes, i % 41 == 7 && stage == 1 ? 0 : size);
        for (size_t b = 0; b < 96; b++)
            bytes[b] = (uint8_t)(b % 12 == 0 ? family : b % 7 == 0 ? stage : b / 3);
        snprintf(slot, sizeof slot, "%s.metadata", stages[stage]);
        if (i % 10 != 4)
            set_add(all, pso, slot, bytes, 96 - 4 * (family % 3));
    }
    for (size_t b = 0; b < 160; b++)
        bytes[b] = (uint8_t)(b % 16 == 3 ? i : b % 16 == 5 ? i >> 8 : b / 16);
    set_add(all, pso, "state", bytes, 160);
    set_add(all, pso, "rootsig", bytes, i % 4 == 0 ? 160 : 40); /* equal to state now and then */
}

set set_like_a_game(uint32_t psos)
{
    set all = {0};
    for (uint32_t i = 0; i < psos; i++)
        add_like_a_game(&all, i);
    return all;
}

/* ---- folders ----------------------------------------------------------------------------------
 */

char *test_folder_make(void)
{
    char *folder = strdup("/tmp/psopack_packer_XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat, (void)type, (void)walk;
    return remove(path);
}

void test_folder_remove(char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

char *test_path(const char *folder, const char *name)
{
    char *path;
    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    return path;
}

void test_write_file(const char *path, const void *bytes, size_t size)
{
    char *copy = strdup(path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777);
        *slash = '/';
    }
    free(copy);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

uint8_t *test_read_file(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *ret_size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*ret_size ? *ret_size : 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *ret_size, file), *ret_size);
    fclose(file);
    return bytes;
}

bool test_same_files(const char *a, const char *b)
{
    size_t size_a, size_b;
    uint8_t *bytes_a = test_read_file(a, &size_a), *bytes_b = test_read_file(b, &size_b);
    bool same = size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
    free(bytes_a);
    free(bytes_b);
    return same;
}

size_t test_count_entries(const char *folder)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2; /* . and .. */
}

/* ---- building ---------------------------------------------------------------------------------
 */

static void hear(void *user, psopack_severity severity, const char *text)
{
    heard *all = user;
    all->notes += severity == PSOPACK_NOTE;
    all->warnings += severity == PSOPACK_WARNING;
    if (severity != PSOPACK_DETAIL) {
        size_t used = strlen(all->text);
        snprintf(all->text + used, sizeof all->text - used, "%s\n", text);
    }
}

psopack_build_options test_options(heard *messages)
{
    psopack_build_options options = PSOPACK_BUILD_OPTIONS_INIT;
    options.threads = 1;
    options.no_sync = 1;
    if (messages) {
        options.events.message = hear;
        options.events.user = messages;
    }
    return options;
}

psopack_build *test_build(const psopack_build_options *options)
{
    psopack_build *build = NULL;
    assert_int_equal(psopack_build_create(options, &build, NULL), PSOPACK_OK);
    return build;
}

void test_add_memory(psopack_build *build, const set *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const part *p = &all->parts[i];
        assert_int_equal(psopack_build_add_memory(build, p->pso, strlen(p->pso), p->slot, p->bytes,
                                                  p->size, NULL),
                         PSOPACK_OK);
    }
}

psopack_build_result test_finish(psopack_build *build, const char *path)
{
    psopack_build_result result;
    psopack_diag diag = {0};
    if (psopack_build_write(build, path, &result, &diag) != PSOPACK_OK)
        fail_msg("build: %s", diag.text);
    psopack_build_destroy(&build);
    assert_null(build);
    return result;
}

void test_refused(psopack_build *build, const char *path, psopack_status status,
                  psopack_diag *ret_diag)
{
    psopack_build_result result;
    *ret_diag = (psopack_diag){0};
    assert_int_equal(psopack_build_write(build, path, &result, ret_diag), status);
    assert_int_equal(ret_diag->code, status);
    assert_true(ret_diag->text[0] != '\0');
    assert_int_equal(access(path, F_OK), -1);
    psopack_build_destroy(&build);
}

/* ---- reading back -----------------------------------------------------------------------------
 */

/* What one PSO must have, slot by slot; what was read of it. */
typedef struct reading {
    const psopack_archive *archive;
    psopack_context *context;
    uint32_t slots;
    uint32_t components[256];
    uint64_t sizes[256];
    uint32_t crcs[256];
} reading;

static void read_part(reading *now, const part *wanted, uint32_t pso)
{
    uint32_t slot, component;
    psopack_component_info info;
    assert_int_equal(psopack_slot_find(now->archive, wanted->slot, &slot), PSOPACK_OK);
    assert_int_equal(psopack_pso_component(now->archive, pso, slot, &component, NULL), PSOPACK_OK);
    assert_int_equal(component, now->components[slot]);
    assert_int_equal(psopack_component_get(now->archive, component, &info, NULL), PSOPACK_OK);
    assert_int_equal(info.size, wanted->size);
    uint8_t *bytes = malloc(wanted->size ? wanted->size : 1);
    psopack_diag diag = {0};
    if (psopack_component_read(now->archive, now->context, component, bytes, wanted->size,
                               &now->crcs[slot], &diag) != PSOPACK_OK)
        fail_msg("%s %s: %s", wanted->pso, wanted->slot, diag.text);
    assert_memory_equal(bytes, wanted->bytes, wanted->size);
    now->sizes[slot] = info.size;
    free(bytes);
}

/* The run of parts of one PSO; gives where the next one begins. */
static size_t check_pso(reading *now, const part *parts, size_t first, size_t count)
{
    uint32_t pso = UINT32_MAX, present = 0;
    char name[4200];
    const char *wanted = parts[first].pso;
    assert_int_equal(
        psopack_pso_find(now->archive, now->context, wanted, strlen(wanted), &pso, NULL),
        PSOPACK_OK);
    assert_int_equal(
        psopack_pso_name(now->archive, now->context, pso, name, sizeof name, NULL, NULL),
        PSOPACK_OK);
    assert_string_equal(name, wanted);
    assert_int_equal(psopack_pso_components(now->archive, pso, now->components, NULL), PSOPACK_OK);
    for (uint32_t slot = 0; slot < now->slots; slot++)
        present += now->components[slot] != PSOPACK_ABSENT;
    size_t end = first;
    while (end < count && strcmp(parts[end].pso, wanted) == 0)
        read_part(now, &parts[end++], pso);
    assert_int_equal(present, end - first);
    assert_int_equal(
        psopack_pso_check(now->archive, pso, now->components, now->sizes, now->crcs, NULL),
        PSOPACK_OK);
    return end;
}

static int compare_parts(const void *a, const void *b)
{
    const part *left = a, *right = b;
    int order = strcmp(left->pso, right->pso);
    return order != 0 ? order : strcmp(left->slot, right->slot);
}

void test_archive_holds(const psopack_archive *archive, const set *all)
{
    psopack_info info;
    psopack_diag diag = {0};
    reading now = {0};
    uint64_t psos = 0, bytes = 0;
    part *sorted = (part *)test_exact_copy(all->parts, all->count * sizeof *sorted);
    qsort(sorted, all->count, sizeof *sorted, compare_parts);
    psopack_archive_info(archive, &info);
    assert_int_equal(psopack_context_create(archive, NULL, &now.context), PSOPACK_OK);
    now.archive = archive;
    now.slots = info.slots;
    for (size_t at = 0; at < all->count; psos++)
        at = check_pso(&now, sorted, at, all->count);
    for (size_t i = 0; i < all->count; i++)
        bytes += sorted[i].size;
    assert_int_equal(info.psos, psos);
    assert_int_equal(info.references, all->count);
    assert_int_equal(info.reference_bytes, bytes);
    if (psopack_archive_verify(archive, 0, NULL, NULL, NULL, &diag) != PSOPACK_OK)
        fail_msg("verify: %s", diag.text);
    psopack_context_destroy(&now.context);
    free(sorted);
}

void test_holds(const char *path, const set *all)
{
    psopack_archive *archive;
    psopack_diag diag = {0};
    if (psopack_archive_open(path, NULL, &archive, &diag) != PSOPACK_OK)
        fail_msg("open: %s", diag.text);
    test_archive_holds(archive, all);
    psopack_archive_close(&archive);
}
