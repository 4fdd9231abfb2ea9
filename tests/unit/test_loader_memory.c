/* SPDX-License-Identifier: MIT */
/*
 * Memory: all of it from the caller's allocator, as much as info says, none after open; malloc,
 * also zstd's, is counted by the functions below. An allocator that fails at any call leaks
 * nothing.
 */
#include "loader_fixture.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_MALLOC 0
#endif
#endif
#ifndef COUNTS_MALLOC
#define COUNTS_MALLOC 1
#endif

static size_t malloc_calls;

#if COUNTS_MALLOC
/* glibc's own entry points stand behind ours; a sanitizer brings its own malloc. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    malloc_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    malloc_calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    malloc_calls++;
    return __libc_realloc(memory, size);
}
#endif

typedef struct counter {
    size_t calls;
    size_t fail_at; /* the call that answers NULL; 0: none */
    size_t bytes;   /* held now */
    size_t most;
} counter;

static void *count_allocate(void *user, size_t size, size_t alignment)
{
    counter *count = user;
    if (++count->calls == count->fail_at)
        return NULL;
    count->bytes += size;
    if (count->bytes > count->most)
        count->most = count->bytes;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    assert_non_null(memory);
    memset(memory, 0xcd, size); /* nothing may count on zeros */
    return memory;
}

static void count_release(void *user, void *memory, size_t size)
{
    counter *count = user;
    assert_true(count->bytes >= size);
    count->bytes -= size;
    memset(memory, 0xdd, size);
    free(memory);
}

static int make_one(void **state)
{
    static fixture made;
    made = (fixture){
        .profile = PSOPACK_PROFILE_BALANCED, .psos = 400, .code_size = 900, .large_size = 9 << 20};
    fixture_make(&made);
    *state = &made;
    return 0;
}

static int free_one(void **state)
{
    fixture_free(*state);
    return 0;
}

static void read_everything(const psopack_archive *archive, psopack_context *context,
                            uint8_t *buffer, size_t capacity, const psopack_info *info)
{
    for (uint32_t i = 0; i < info->components; i++) {
        psopack_component_info component;
        const void *bytes;
        uint64_t size;
        assert_int_equal(psopack_component_get(archive, i, &component, NULL), PSOPACK_OK);
        assert_int_equal(psopack_component_read(archive, context, i, buffer, capacity, NULL, NULL),
                         PSOPACK_OK);
        (void)psopack_component_pointer(archive, i, &bytes, &size, NULL);
    }
    for (uint32_t pso = 0; pso < info->psos; pso++) {
        char name[64];
        size_t size;
        uint32_t found, crc, components[FIXTURE_SLOTS];
        assert_int_equal(psopack_pso_name(archive, context, pso, name, sizeof name, &size, NULL),
                         PSOPACK_OK);
        assert_int_equal(psopack_pso_find(archive, context, name, size, &found, NULL), PSOPACK_OK);
        assert_int_equal(psopack_pso_components(archive, pso, components, NULL), PSOPACK_OK);
        assert_int_equal(psopack_pso_tuple_crc(archive, pso, &crc, NULL), PSOPACK_OK);
    }
}

static void test_no_allocation_after_open(void **state)
{
    const fixture *made = *state;
    size_t capacity = 16 << 20;
    uint8_t *buffer = malloc(capacity);
    for (uint32_t flags = 0; flags < 2; flags++) {
        counter count = {0};
        psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
        psopack_archive *archive;
        psopack_context *context;
        psopack_info info;
        options.flags = flags;
        options.allocator = (psopack_allocator){count_allocate, count_release, &count};
        assert_int_equal(psopack_archive_open(made->path, &options, &archive, NULL), PSOPACK_OK);
        psopack_archive_info(archive, &info);
        assert_int_equal(count.bytes, info.archive_memory);
        assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
        assert_int_equal(count.bytes, info.archive_memory + info.context_memory);

        size_t calls = count.calls, before = malloc_calls;
        read_everything(archive, context, buffer, capacity, &info);
        assert_int_equal(count.calls, calls);
        assert_int_equal(malloc_calls, before);

        psopack_context_destroy(&context);
        psopack_archive_close(&archive);
        assert_int_equal(count.bytes, 0);
    }
    free(buffer);
}

static void test_counter_counts(void **state)
{
    (void)state;
    size_t before = malloc_calls;
    void *volatile memory = malloc(10);
    free(memory);
    assert_int_equal(malloc_calls - before, COUNTS_MALLOC);
}

/* Verify allocates, from the same allocator, and gives it back. */
static void test_verify_gives_back(void **state)
{
    const fixture *made = *state;
    counter count = {0};
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive;
    options.allocator = (psopack_allocator){count_allocate, count_release, &count};
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, &options, &archive, NULL),
                     PSOPACK_OK);
    size_t held = count.bytes;
    assert_int_equal(psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL), PSOPACK_OK);
    assert_int_equal(count.bytes, held);
    for (size_t k = 1; k <= 2; k++) {
        count.calls = 0;
        count.fail_at = k;
        assert_int_equal(psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL),
                         PSOPACK_E_NOMEM);
        assert_int_equal(count.bytes, held);
    }
    psopack_archive_close(&archive);
    assert_int_equal(count.bytes, 0);
}

static void test_failing_allocator(void **state)
{
    const fixture *made = *state;
    for (size_t k = 1;; k++) {
        counter count = {.fail_at = k};
        psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
        psopack_archive *archive = NULL;
        psopack_context *context = NULL;
        psopack_diag diag = {0};
        options.flags = PSOPACK_OPEN_NO_MAP;
        options.allocator = (psopack_allocator){count_allocate, count_release, &count};
        psopack_status status = psopack_archive_open(made->path, &options, &archive, &diag);
        if (status == PSOPACK_OK)
            status = psopack_context_create(archive, NULL, &context);
        else
            assert_int_equal(diag.code, PSOPACK_E_NOMEM);
        psopack_context_destroy(&context);
        psopack_archive_close(&archive);
        assert_int_equal(count.bytes, 0);
        if (status == PSOPACK_OK) {
            assert_int_equal(k, 5); /* three for the archive, one for the context */
            break;
        }
        assert_int_equal(status, PSOPACK_E_NOMEM);
    }
}

/* ---- one piece of the caller's --------------------------------------------------------------- */

typedef struct arena {
    uint8_t *bytes;
    size_t size, used;
} arena;

static void *arena_allocate(void *user, size_t size, size_t alignment)
{
    arena *a = user;
    size_t at = (a->used + alignment - 1) / alignment * alignment;
    if (at > a->size || size > a->size - at)
        return NULL;
    a->used = at + size;
    return a->bytes + at;
}

static void arena_release(void *user, void *memory, size_t size)
{
    (void)user;
    memset(memory, 0xdd, size);
}

static psopack_status read_bytes(void *user, uint64_t offset, void *buffer, size_t size)
{
    const fixture *made = user;
    memcpy(buffer, made->bytes + offset, size);
    return PSOPACK_OK;
}

/* What is promised before opening is what opening takes, to the byte. */
static void test_memory_needed(void **state)
{
    fixture *made = *state;
    psopack_source source = {read_bytes, made, made->size};
    for (uint32_t way = 0; way < 3; way++) {
        psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
        psopack_memory needed;
        psopack_archive *archive;
        psopack_context *context;
        psopack_info info;
        options.flags = way == 1 ? PSOPACK_OPEN_NO_MAP : 0;
        size_t before = malloc_calls;
        psopack_status status =
            way == 2 ? psopack_source_memory_needed(&source, &options, &needed, NULL)
                     : psopack_archive_memory_needed(made->path, &options, &needed, NULL);
        assert_int_equal(status, PSOPACK_OK);
        assert_int_equal(malloc_calls, before);

        for (size_t missing = 0; missing < 2; missing++) {
            arena a = {NULL, (size_t)(needed.archive + needed.context) - missing, 0};
            a.bytes = aligned_alloc(64, (a.size + 63) / 64 * 64);
            options.allocator = (psopack_allocator){arena_allocate, arena_release, &a};
            before = malloc_calls;
            status = way == 2 ? psopack_archive_open_source(&source, &options, &archive, NULL)
                              : psopack_archive_open(made->path, &options, &archive, NULL);
            assert_int_equal(status, PSOPACK_OK);
            psopack_archive_info(archive, &info);
            assert_int_equal(info.context_memory, needed.context);
            assert_int_equal(a.used, needed.archive);
            assert_int_equal(psopack_context_create(archive, NULL, &context),
                             missing ? PSOPACK_E_NOMEM : PSOPACK_OK);
            assert_int_equal(malloc_calls, before);
            if (!missing) {
                assert_int_equal(a.used, a.size);
                psopack_context_destroy(&context);
            }
            psopack_archive_close(&archive);
            free(a.bytes);
        }
    }
    psopack_memory needed;
    psopack_diag diag;
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    assert_int_equal(psopack_archive_memory_needed("/nonexistent", NULL, &needed, &diag),
                     PSOPACK_E_NO_ENTRY);
    options.limits.base_memory = 100;
    assert_int_equal(psopack_archive_memory_needed(made->path, &options, &needed, &diag),
                     PSOPACK_E_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter_counts),    cmocka_unit_test(test_no_allocation_after_open),
        cmocka_unit_test(test_verify_gives_back), cmocka_unit_test(test_failing_allocator),
        cmocka_unit_test(test_memory_needed),
    };
    return cmocka_run_group_tests(tests, make_one, free_one);
}
