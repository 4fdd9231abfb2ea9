/* SPDX-License-Identifier: MIT */
/*
 * Archives whose blocks and manifest lie past 4 GiB, past 2^40, past all that a disk has: a small
 * one, with so many zeros behind its header that a sparse file, or a source that computes them, can
 * pretend to be.
 */
#define _GNU_SOURCE
#include "loader_fixture.h"

#include <fcntl.h>
#include <psopack/load_plan.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/crc32c.h"
#include "format/layout.h"
#include "format/view.h"

enum { HEADER = sizeof(psopack_disk_header) };

/* The archive's bytes, their values moved to `by`; what lies between HEADER and there is zero. */
typedef struct far_archive {
    uint8_t *bytes;
    uint64_t by;
    uint64_t size; /* of the file that it pretends to be */
} far_archive;

static int make_one(void **state)
{
    static fixture made;
    made = (fixture){.profile = PSOPACK_PROFILE_BALANCED, .psos = 40, .code_size = 1500};
    fixture_make(&made);
    *state = &made;
    return 0;
}

static int free_one(void **state)
{
    fixture_free(*state);
    return 0;
}

/* ---- moving -----------------------------------------------------------------------------------
 */

static psopack_u64le moved(psopack_u64le offset, uint64_t by)
{
    return psopack_store64(psopack_load64(offset) + by);
}

/* The offsets of blocks are a flat column: their base is all that changes. */
static void move_blocks(uint8_t *section, uint64_t size, uint64_t by)
{
    psopack_disk_column column;
    uint8_t *at = section + sizeof(psopack_disk_count);
    memcpy(&column, at, sizeof column);
    assert_int_equal(psopack_load16(column.id), PSOPACK_COLUMN_BLOCK_OFFSET);
    assert_int_equal(column.encoding, PSOPACK_COLUMN_FLAT);
    assert_true(size <= PSOPACK_SECTION_PAGE); /* its CRC is in its row */
    column.base = moved(column.base, by);
    memcpy(at, &column, sizeof column);
}

static far_archive move(const fixture *made, uint64_t by)
{
    far_archive far = {fixture_copy(made->bytes, made->size), by, made->size + by};
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    psopack_disk_footer footer;
    uint8_t *end = far.bytes + made->size - sizeof footer;
    memcpy(&footer, end, sizeof footer);
    size_t count = psopack_load32(footer.section_count), table_size = count * sizeof rows[0];
    memcpy(rows, end - table_size, table_size);
    for (size_t i = 0; i < count; i++) {
        uint8_t *section = far.bytes + psopack_load64(rows[i].offset);
        uint64_t size = psopack_load64(rows[i].size);
        rows[i].offset = moved(rows[i].offset, by);
        if (psopack_load32(rows[i].id) != PSOPACK_SECTION_BLCK)
            continue;
        move_blocks(section, size, by);
        rows[i].crc = psopack_store32(psopack_crc32c(0, section, size));
    }
    memcpy(end - table_size, rows, table_size);
    memcpy(end - 2 * table_size, rows, table_size);
    footer.table_crc = psopack_store32(psopack_crc32c(0, rows, table_size));
    footer.table_offset = moved(footer.table_offset, by);
    footer.repeat_offset = moved(footer.repeat_offset, by);
    footer.file_size = psopack_store64(far.size);
    psopack_archive_id(&footer, rows, table_size, footer.archive_id);
    footer.crc = psopack_store32(psopack_crc32c(0, &footer, sizeof footer - sizeof footer.crc));
    memcpy(end, &footer, sizeof footer);
    return far;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static uint8_t far_byte(const far_archive *far, uint64_t offset)
{
    if (offset < HEADER)
        return far->bytes[offset];
    return offset < HEADER + far->by ? 0 : far->bytes[offset - far->by];
}

static psopack_status read_far(void *user, uint64_t offset, void *buffer, size_t size)
{
    const far_archive *far = user;
    if (offset > far->size || size > far->size - offset)
        return PSOPACK_E_TRUNCATED;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)buffer)[i] = far_byte(far, offset + i);
    return PSOPACK_OK;
}

static psopack_archive *open_far(far_archive *far)
{
    psopack_source source = {read_far, far, far->size};
    psopack_archive *archive = NULL;
    psopack_diag diag = {0};
    if (psopack_archive_open_source(&source, NULL, &archive, &diag) != PSOPACK_OK)
        fail_msg("open: %s", diag.text);
    return archive;
}

/* All PSOs by one plan, their bytes compared. */
static void check_plan(const fixture *made, const psopack_archive *archive)
{
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_load_plan_info info;
    psopack_load_plan *plan;
    psopack_context *context;
    psopack_diag diag = {0};
    options.all_psos = 1;
    assert_int_equal(psopack_load_plan_create(archive, &options, &plan, NULL), PSOPACK_OK);
    psopack_load_plan_get_info(plan, &info);
    void *heap = malloc((size_t)info.heap_bytes[0]);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    if (psopack_load_plan_execute(plan, context, &heap, NULL, &diag) != PSOPACK_OK)
        fail_msg("load plan: %s", diag.text);
    for (uint32_t pso = 0; pso < made->psos; pso++) {
        fixture_part part = fixture_get(made, pso, 3);
        uint32_t component;
        psopack_load_plan_item item;
        assert_int_equal(psopack_pso_component(archive, pso, 3, &component, NULL), PSOPACK_OK);
        assert_int_equal(psopack_load_plan_find(plan, component, 0, &item), PSOPACK_OK);
        assert_memory_equal((uint8_t *)heap + item.offset, part.bytes, part.size);
        free(part.bytes);
    }
    psopack_context_destroy(&context);
    psopack_load_plan_destroy(&plan);
    free(heap);
}

static void check_far(const fixture *made, const psopack_archive *archive, uint64_t by)
{
    psopack_info info;
    psopack_block_info block;
    psopack_diag diag = {0};
    psopack_archive_info(archive, &info);
    assert_int_equal(info.file_bytes, made->size + by);
    for (uint32_t i = 0; i < info.blocks; i++) {
        assert_int_equal(psopack_block_get(archive, i, &block, NULL), PSOPACK_OK);
        assert_true(block.offset >= by + HEADER);
    }
    assert_int_equal(fixture_read_all(made, archive), 0);
    check_plan(made, archive);
    if (psopack_archive_verify(archive, PSOPACK_VERIFY_QUICK, NULL, NULL, NULL, &diag) !=
        PSOPACK_OK)
        fail_msg("verify: %s", diag.text);
}

static const uint64_t distances[] = {UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 40,
                                     UINT64_C(1) << 62};
#define DISTANCES (sizeof distances / sizeof distances[0])

static void test_callbacks(void **state)
{
    for (size_t i = 0; i < DISTANCES; i++) {
        far_archive far = move(*state, distances[i]);
        psopack_archive *archive = open_far(&far);
        check_far(*state, archive, far.by);
        psopack_archive_close(&archive);
        free(far.bytes);
    }
}

/* False when no file system here holds a file of that size. */
static bool write_sparse(const fixture *made, const far_archive *far)
{
    size_t rest = made->size - HEADER;
    int file = open(made->path, O_RDWR | O_TRUNC);
    assert_true(file >= 0);
    bool written =
        ftruncate(file, (off_t)far->size) == 0 && pwrite(file, far->bytes, HEADER, 0) == HEADER &&
        pwrite(file, far->bytes + HEADER, rest, (off_t)(HEADER + far->by)) == (ssize_t)rest;
    close(file);
    return written;
}

/* An emulator, or a limit, may leave no room for it among addresses. */
static bool has_room(size_t size)
{
    void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at != MAP_FAILED && munmap(at, size) == 0;
}

static void check_file(const fixture *made, const far_archive *far, uint32_t flags)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive;
    psopack_diag diag = {0};
    options.flags = flags;
    psopack_status status = psopack_archive_open(made->path, &options, &archive, &diag);
    if (flags == 0 && far->size > SIZE_MAX / 2) { /* 32 bits: refused, with what to do instead */
        assert_int_equal(status, PSOPACK_E_LIMIT);
        assert_non_null(strstr(diag.text, "instead of mapping"));
        return;
    }
    if (flags == 0 && status == PSOPACK_E_NOMEM && !has_room((size_t)far->size))
        return;
    if (status != PSOPACK_OK)
        fail_msg("open: %s", diag.text);
    check_far(made, archive, far->by);
    psopack_archive_close(&archive);
}

/* A real file, mapped and read by calls. */
static void test_files(void **state)
{
    unsigned tried = 0;
    for (size_t i = 0; i < DISTANCES; i++) {
        far_archive far = move(*state, distances[i]);
        if (write_sparse(*state, &far)) {
            check_file(*state, &far, 0);
            check_file(*state, &far, PSOPACK_OPEN_NO_MAP);
            tried++;
        }
        free(far.bytes);
    }
    assert_true(tried >= 2); /* any file system that tests run on holds 4 GiB of zeros */
}

/* Damage is reported where it is, not where 32 bits of it would be. */
static void test_damage(void **state)
{
    const fixture *made = *state;
    far_archive far = move(made, UINT64_C(1) << 40);
    psopack_archive *archive = open_far(&far);
    psopack_context *context;
    psopack_block_info block;
    psopack_component_info component = {0};
    psopack_diag diag = {0};
    uint8_t *bytes = malloc(1 << 20);
    uint32_t index = 0;
    for (; component.size == 0; index++) /* empty ones lie nowhere */
        assert_int_equal(psopack_component_get(archive, index, &component, NULL), PSOPACK_OK);
    assert_int_equal(psopack_block_get(archive, component.block, &block, NULL), PSOPACK_OK);
    far.bytes[block.offset - far.by] ^= 1;
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    assert_int_equal(psopack_component_read(archive, context, index - 1, bytes,
                                            (size_t)component.size, NULL, &diag),
                     PSOPACK_E_CHECKSUM);
    assert_int_equal(diag.offset, block.offset);
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
    free(bytes);
    free(far.bytes);
}

/* A file shorter than its footer says, by 4 GiB and by a byte, is no whole archive. */
static void test_sizes(void **state)
{
    static const uint64_t less[] = {UINT64_C(1) << 32, 1};
    for (size_t i = 0; i < 2; i++) {
        far_archive far = move(*state, UINT64_C(1) << 40);
        psopack_archive *archive = NULL;
        psopack_source source = {read_far, &far, far.size};
        far.by -= less[i]; /* the same bytes, closer to the front */
        source.size = far.size -= less[i];
        assert_int_not_equal(psopack_archive_open_source(&source, NULL, &archive, NULL),
                             PSOPACK_OK);
        assert_null(archive);
        free(far.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, make_one, free_one);
}
