/* SPDX-License-Identifier: MIT */
/* Byte transforms: every input comes back, near-equal code becomes equal, codes stay what they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "transform.h"

/* Marsaglia's xorshift: the same inputs on every machine. */
static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

static void fill_random(uint8_t *bytes, size_t size, uint64_t *state)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)next_random(state);
    }
}

/* The bytes of a component are little-endian, whatever the machine is. */
static void store_words(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        psopack_u32le stored = psopack_store32(words[i]);
        memcpy(&words[i], &stored, sizeof(stored));
    }
}

/* An allocation of exactly `size` bytes, so that the sanitizer sees one byte over. */
static uint8_t *exact_copy(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    assert_non_null(copy);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

static void apply(psopack_transform_fn *fn, uint8_t *dst, const uint8_t *src, size_t size)
{
    void *scratch = malloc(PSOPACK_TRANSFORM_SCRATCH);

    assert_non_null(scratch);
    memset(scratch, 0xa5, PSOPACK_TRANSFORM_SCRATCH);
    fn(dst, src, size, scratch);
    free(scratch);
}

/*
 * inverse(forward(x)) == x for all x of a length makes both bijections of that length, so
 * forward(inverse(x)) == x as well: for any bytes, the ones that no forward made included.
 */
static void check_both_ways(const psopack_transform *t, const void *bytes, size_t size)
{
    uint8_t *src = exact_copy(bytes, size);
    uint8_t *other = exact_copy(bytes, size);
    uint8_t *back = exact_copy(bytes, size);

    apply(t->forward, other, src, size);
    apply(t->inverse, back, other, size);
    assert_memory_equal(back, src, size);
    apply(t->inverse, other, src, size);
    apply(t->forward, back, other, size);
    assert_memory_equal(back, src, size);
    free(src);
    free(other);
    free(back);
}

static void check_all(const void *bytes, size_t size)
{
    size_t count;
    const psopack_transform *all = psopack_transform_all(&count);

    for (size_t i = 0; i < count; i++) {
        check_both_ways(&all[i], bytes, size);
    }
}

static void table_lists_each_transform_once(void **state)
{
    size_t count;
    const psopack_transform *all = psopack_transform_all(&count);

    (void)state;
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(psopack_transform_find((uint32_t)all[i].id), &all[i]);
    }
    assert_null(psopack_transform_find(PSOPACK_TRANSFORM_NONE));
    assert_null(psopack_transform_find(4));
    assert_null(psopack_transform_find(UINT32_MAX));
    assert_string_equal(psopack_transform_find(1)->name, "amdgpu-gfx8");
    assert_string_equal(psopack_transform_find(2)->name, "amdgpu-gfx10");
    assert_string_equal(psopack_transform_find(3)->name, "spirv");
}

static void empty_component_needs_no_address(void **state)
{
    size_t count;
    const psopack_transform *all = psopack_transform_all(&count);
    uint64_t scratch[PSOPACK_TRANSFORM_SCRATCH / 8];

    (void)state;
    for (size_t i = 0; i < count; i++) {
        all[i].forward(NULL, NULL, 0, scratch);
        all[i].inverse(NULL, NULL, 0, scratch);
    }
}

static void random_bytes_of_every_length(void **state)
{
    uint8_t bytes[300];
    uint64_t seed = 1;

    (void)state;
    for (size_t size = 0; size <= sizeof(bytes); size++) {
        for (int round = 0; round < 20; round++) {
            fill_random(bytes, size, &seed);
            check_all(bytes, size);
        }
    }
}

/* Each of the 256 top bytes leads, and every operand is drawn from all values or from a few. */
static void every_amdgpu_class(void **state)
{
    uint32_t words[64];
    uint64_t seed = 2;

    (void)state;
    for (unsigned top = 0; top < 256; top++) {
        for (int round = 0; round < 100; round++) {
            uint32_t mask = round % 2 != 0 ? 0xffffffff : 0x03070f07;
            for (size_t i = 0; i < 64; i++) {
                words[i] = (next_random(&seed) & mask & 0xffffff) | top << 24;
            }
            store_words(words, 64);
            check_all(words, next_random(&seed) % (sizeof(words) + 1));
        }
    }
}

/* Literals, NSA words and second words that the end cuts off. */
static void truncated_amdgpu_instructions(void **state)
{
    uint32_t words[] = {
        0x7e0002ff, 0x3f800000,                         /* v_mov_b32 v0, 1.0 as literal */
        0x100204ff, 0x40490fdb,                         /* v_mul_f32 with literal */
        0xbe8003ff, 0x12345678,                         /* s_mov_b32 with literal */
        0xf4080200, 0xfa000040,                         /* s_load_dwordx4 */
        0xd54b0003, 0x040e0501,                         /* v_fma_f32 */
        0xd54b0003, 0x03fe0501, 0x3e800000,             /* v_fma_f32 with literal */
        0xf0800f0e, 0x00820105, 0x08070605, 0x0c0b0a09, /* image_sample, 3 NSA words named */
        0x100f0e0d, 0xe0301000, 0x80020102,             /* its third, buffer_load_dword */
        0xc8100002, 0xf800180f, 0x03020100, 0xbf810000, /* v_interp, exp, s_endpgm */
        0xbf9f0000, 0x580204ff,                         /* v_fmamk without its literal */
    };

    (void)state;
    store_words(words, sizeof(words) / 4);
    for (size_t from = 0; from < sizeof(words); from += 4) {
        for (size_t size = 0; size <= sizeof(words) - from; size++) {
            check_all((const uint8_t *)words + from, size);
        }
    }
}

/* A module of `count` instructions whose ids are at most `ids` and lie around `centre`. */
static size_t make_module(uint32_t *words, size_t limit, uint32_t ids, uint32_t centre,
                          uint64_t *seed)
{
    size_t size = 5;

    memcpy(words, (uint32_t[]){0x07230203, 0x00010300, 8, ids, 0}, 20);
    while (size < limit) {
        uint32_t opcode =
            next_random(seed) % 3 != 0 ? next_random(seed) % 410 : 19 + next_random(seed) % 50;
        uint32_t length = 1 + next_random(seed) % 8;

        words[size++] = length << 16 | opcode;
        while (--length > 0 && size < limit) {
            words[size++] = centre + next_random(seed) % ids;
        }
    }
    store_words(words, size);
    return size;
}

/* Ids around 2^31 and 2^32 collide with codes of ranks and wrap. */
static void modules_of_any_ids(void **state)
{
    static const uint32_t centres[] = {0, 1, 0x7fffff00, 0x7fffffc0, 0x80000000, 0xffffffc0};
    uint32_t words[600];
    uint64_t seed = 3;

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint32_t ids = round % 3 == 0 ? 16 : round % 3 == 1 ? 150 : 4000;
        uint32_t centre = centres[(size_t)round % (sizeof(centres) / sizeof(centres[0]))];
        size_t count = make_module(words, 20 + (size_t)round, ids, centre, &seed);

        check_all(words, 4 * count);
        check_all(words, 4 * count - (size_t)round % 8);
    }
}

/* Lengths of zero, lengths past the end, unknown opcodes, random words behind a real header. */
static void malformed_modules(void **state)
{
    uint32_t words[200];
    uint64_t seed = 4;

    (void)state;
    for (int round = 0; round < 1000; round++) {
        fill_random((uint8_t *)words, sizeof(words), &seed);
        memcpy(words, (uint32_t[]){0x07230203, 0x00010600, 0, 0xffffffff, 0}, 20);
        for (size_t i = 5; i < 200; i++) {
            if (round % 2 != 0) {
                words[i] &= 0x0003007f;
            }
        }
        store_words(words, 200);
        check_all(words, next_random(&seed) % (sizeof(words) + 1));
    }
}

static void other_byte_order_is_copied(void **state)
{
    uint32_t words[8] = {0x03022307, 0x00000100, 0, 0x10000000, 0, 0x20000300, 0x01000000, 0};
    uint8_t coded[sizeof(words)];
    const psopack_transform *t = psopack_transform_find(PSOPACK_TRANSFORM_SPIRV);

    (void)state;
    store_words(words, 8);
    check_all(words, sizeof(words));
    apply(t->forward, coded, (const uint8_t *)words, sizeof(words));
    assert_memory_equal(coded, words, sizeof(words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_lists_each_transform_once),
        cmocka_unit_test(empty_component_needs_no_address),
        cmocka_unit_test(random_bytes_of_every_length),
        cmocka_unit_test(every_amdgpu_class),
        cmocka_unit_test(truncated_amdgpu_instructions),
        cmocka_unit_test(modules_of_any_ids),
        cmocka_unit_test(malformed_modules),
        cmocka_unit_test(other_byte_order_is_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
