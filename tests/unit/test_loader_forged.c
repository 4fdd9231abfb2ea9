/* SPDX-License-Identifier: MIT */
/*
 * Archives made to deceive: values changed, then every check computed anew, so that only the
 * validation of what values mean is left. Reads may give anything; nothing may step out of bounds
 * (run it under a sanitizer), loop for ever, or ask for memory beyond the limits.
 */
#include "loader_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/layout.h"
#include "format/view.h"

static const psopack_profile profiles[] = {PSOPACK_PROFILE_BALANCED, PSOPACK_PROFILE_SMALL,
                                           PSOPACK_PROFILE_STORED};
#define PROFILES (sizeof profiles / sizeof profiles[0])

static int make_all(void **state)
{
    static fixture all[PROFILES];
    for (size_t i = 0; i < PROFILES; i++) {
        all[i] = (fixture){.profile = profiles[i], .psos = 14, .code_size = 1500, .hashes = i == 1};
        fixture_make(&all[i]);
    }
    *state = all;
    return 0;
}

static int free_all(void **state)
{
    fixture *all = *state;
    for (size_t i = 0; i < PROFILES; i++)
        fixture_free(&all[i]);
    return 0;
}

/* Makes sections, section tables and footer agree again. A section has one page here, or, when its
 * row was changed, lies anywhere. */
static void reseal(uint8_t *bytes, size_t size)
{
    psopack_disk_footer footer;
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    uint8_t *end = bytes + size - sizeof footer;
    memcpy(&footer, end, sizeof footer);
    size_t count = psopack_load32(footer.section_count), table_size = count * sizeof rows[0];
    memcpy(rows, end - table_size, table_size);
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = psopack_load64(rows[i].offset), length = psopack_load64(rows[i].size);
        if (offset <= size && length <= size - offset)
            rows[i].crc = psopack_store32(psopack_crc32c(0, bytes + offset, length));
    }
    memcpy(end - table_size, rows, table_size);
    memcpy(end - 2 * table_size, rows, table_size);
    footer.table_crc = psopack_store32(psopack_crc32c(0, rows, table_size));
    psopack_archive_id(&footer, rows, table_size, footer.archive_id);
    footer.crc = psopack_store32(psopack_crc32c(0, &footer, sizeof footer - sizeof footer.crc));
    memcpy(end, &footer, sizeof footer);
}

static size_t manifest_offset(const fixture *made)
{
    psopack_disk_footer footer;
    psopack_disk_section first;
    memcpy(&footer, made->bytes + made->size - sizeof footer, sizeof footer);
    memcpy(&first, made->bytes + psopack_load64(footer.table_offset), sizeof first);
    return (size_t)psopack_load64(first.offset);
}

static void read_blindly(const psopack_archive *archive, psopack_context *context)
{
    psopack_info info;
    uint32_t slots[PSOPACK_SLOTS_MAX];
    psopack_archive_info(archive, &info);
    uint32_t components = info.components < 100 ? info.components : 100;
    uint32_t psos = info.psos < 100 ? info.psos : 100;
    for (uint32_t i = 0; i < components; i++) {
        psopack_component_info component;
        const void *pointer;
        uint64_t size;
        uint8_t hash[16];
        if (psopack_component_get(archive, i, &component, NULL) != PSOPACK_OK)
            continue;
        size_t capacity = component.size < (1 << 20) ? (size_t)component.size : 16;
        uint8_t *buffer = malloc(capacity ? capacity : 1);
        psopack_component_read(archive, context, i, buffer, capacity, NULL, NULL);
        psopack_component_pointer(archive, i, &pointer, &size, NULL);
        psopack_component_hash(archive, i, hash, NULL);
        free(buffer);
    }
    for (uint32_t pso = 0; pso < psos; pso++) {
        char name[256];
        uint32_t found;
        psopack_pso_name(archive, context, pso, name, sizeof name, NULL, NULL);
        psopack_pso_find(archive, context, "materials/group_00/pass_00007", 29, &found, NULL);
        psopack_pso_components(archive, pso, slots, NULL);
        psopack_pso_tuple_crc(archive, pso, &found, NULL);
    }
}

static void try_archive(uint8_t *bytes, size_t size)
{
    psopack_archive *archive;
    psopack_context *context;
    psopack_diag diag;
    if (psopack_archive_open_memory(bytes, size, NULL, &archive, &diag) != PSOPACK_OK)
        return;
    if (psopack_context_create(archive, NULL, &context) == PSOPACK_OK) {
        read_blindly(archive, context);
        psopack_context_destroy(&context);
    }
    psopack_archive_verify(archive, 0, NULL, NULL, NULL, &diag);
    psopack_archive_close(&archive);
}

/* Every byte of the manifest, with values that sizes, counts and offsets like least. */
static void test_manifest(void **state)
{
    static const uint8_t values[] = {0x00, 0xff, 0x7f, 0x01};
    const fixture *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        size_t end = all[i].size - sizeof(psopack_disk_footer);
        for (size_t at = manifest_offset(&all[i]); at < end; at++) {
            uint8_t *copy = fixture_copy(all[i].bytes, all[i].size);
            copy[at] =
                (uint8_t)(copy[at] == values[at % 4] ? values[(at + 1) % 4] : values[at % 4]);
            reseal(copy, all[i].size);
            try_archive(copy, all[i].size);
            free(copy);
        }
    }
}

/* Marsaglia's xorshift: the same archives on every machine. */
static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static void test_words(void **state)
{
    const fixture *all = *state;
    uint64_t random = 0x2545f4914f6cdd1d;
    for (int round = 0; round < 6000; round++) {
        const fixture *made = &all[(size_t)round % PROFILES];
        uint8_t *copy = fixture_copy(made->bytes, made->size);
        size_t start = manifest_offset(made);
        for (uint64_t changes = 1 + next_random(&random) % 4; changes != 0; changes--) {
            size_t at = start + next_random(&random) % (made->size - 200 - start);
            uint64_t value = next_random(&random) >> next_random(&random) % 64;
            memcpy(copy + at, &value, 1 + next_random(&random) % 8);
        }
        reseal(copy, made->size);
        try_archive(copy, made->size);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_manifest),
                                       cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, make_all, free_all);
}
