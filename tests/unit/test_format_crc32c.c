/* SPDX-License-Identifier: MIT */
/*
 * CRC32C: against published vectors, against the definition bit by bit, hardware against tables,
 * and the tables against the polynomial they come from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/crc32c_table.h"
#include "test_format_random.h"

#define POLYNOMIAL_REFLECTED UINT32_C(0x82f63b78) /* 0x1EDC6F41 */

static uint32_t divide_bits(uint32_t remainder, unsigned bits)
{
    while (bits-- > 0)
        remainder = remainder >> 1 ^ (remainder & 1 ? POLYNOMIAL_REFLECTED : 0);
    return remainder;
}

/* The definition, a bit at a time. */
static uint32_t slow_crc(uint32_t crc, const uint8_t *bytes, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++)
        crc = divide_bits(crc ^ bytes[i], 8);
    return ~crc;
}

typedef uint32_t crc_fn(uint32_t crc, const void *data, size_t size);
static crc_fn *const versions[] = {psopack_crc32c, psopack_crc32c_portable};
#define VERSIONS (sizeof versions / sizeof versions[0])

/* RFC 3720, appendix B.4, and the check value of the CRC catalogues. */
static void test_vectors(void **state)
{
    (void)state;
    uint8_t zeros[32] = {0}, ones[32], up[32], down[32];
    memset(ones, 0xff, sizeof ones);
    for (size_t i = 0; i < 32; i++) {
        up[i] = (uint8_t)i;
        down[i] = (uint8_t)(31 - i);
    }
    for (size_t i = 0; i < VERSIONS; i++) {
        assert_int_equal(versions[i](0, zeros, 32), 0x8a9136aa);
        assert_int_equal(versions[i](0, ones, 32), 0x62a8ab43);
        assert_int_equal(versions[i](0, up, 32), 0x46dd794e);
        assert_int_equal(versions[i](0, down, 32), 0x113fdb5c);
        assert_int_equal(versions[i](0, "123456789", 9), 0xe3069283);
        assert_int_equal(versions[i](0, "", 0), 0);
        assert_int_equal(versions[i](0x12345678, "", 0), 0x12345678);
    }
}

/* Table k, entry n: the remainder of byte n with k zero bytes behind it. */
static void test_tables(void **state)
{
    (void)state;
    assert_int_equal(sizeof crc32c_table / sizeof crc32c_table[0], 8);
    assert_int_equal(sizeof crc32c_table[0] / sizeof crc32c_table[0][0], 256);
    for (uint32_t table = 0; table < 8; table++) {
        for (uint32_t byte = 0; byte < 256; byte++)
            assert_int_equal(crc32c_table[table][byte], divide_bits(byte, 8 * (table + 1)));
    }
}

/* Every size around the 8-byte step, every alignment; both versions against the definition. */
static void test_sizes_and_alignments(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252;
    uint8_t bytes[300];
    test_random_fill(&random, bytes, sizeof bytes);
    for (size_t at = 0; at < 9; at++) {
        for (size_t size = 0; size <= 260; size++) {
            uint32_t start = (uint32_t)test_random(&random);
            uint32_t wanted = slow_crc(start, bytes + at, size);
            uint8_t *exact = test_exact_copy(bytes + at, size);
            for (size_t i = 0; i < VERSIONS; i++) {
                assert_int_equal(versions[i](start, bytes + at, size), wanted);
                assert_int_equal(versions[i](start, exact, size), wanted);
            }
            free(exact);
        }
    }
}

static void test_continuing(void **state)
{
    (void)state;
    uint64_t random = 4711;
    uint8_t bytes[100];
    test_random_fill(&random, bytes, sizeof bytes);
    for (size_t cut = 0; cut <= sizeof bytes; cut++) {
        for (size_t i = 0; i < VERSIONS; i++) {
            uint32_t first = versions[i](0, bytes, cut);
            assert_int_equal(versions[i](first, bytes + cut, sizeof bytes - cut),
                             slow_crc(0, bytes, sizeof bytes));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_sizes_and_alignments),
        cmocka_unit_test(test_continuing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
