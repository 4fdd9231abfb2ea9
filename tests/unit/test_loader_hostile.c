/* SPDX-License-Identifier: MIT */
/*
 * Damaged archives: cut at every length, every byte flipped. Nothing crashes, no read that succeeds
 * gives a byte that was not packed, verify notices every flip. The copies are exactly sized, so
 * that a sanitizer sees one byte over.
 */
#include "loader_fixture.h"

#include <stdlib.h>
#include <string.h>

static const psopack_profile profiles[] = {PSOPACK_PROFILE_BALANCED, PSOPACK_PROFILE_SMALL,
                                           PSOPACK_PROFILE_STORED};
#define PROFILES (sizeof profiles / sizeof profiles[0])

static int make_all(void **state)
{
    static fixture all[PROFILES];
    for (size_t i = 0; i < PROFILES; i++) {
        bool stored = profiles[i] == PSOPACK_PROFILE_STORED;
        psopack_archive *archive;
        psopack_info info;
        all[i] = (fixture){.profile = profiles[i],
                           .psos = 14,
                           .code_size = stored ? 240 : 1500,
                           .hashes = profiles[i] == PSOPACK_PROFILE_SMALL};
        fixture_make(&all[i]);
        assert_int_equal(
            psopack_archive_open_memory(all[i].bytes, all[i].size, NULL, &archive, NULL),
            PSOPACK_OK);
        psopack_archive_info(archive, &info);
        assert_true(stored || info.bases != 0); /* damage to bases is to be seen too */
        psopack_archive_close(&archive);
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

static void test_truncated(void **state)
{
    const fixture *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        for (size_t size = 0; size < all[i].size; size++) {
            uint8_t *copy = fixture_copy(all[i].bytes, size);
            psopack_archive *archive = NULL;
            psopack_diag diag = {0};
            psopack_status status = psopack_archive_open_memory(copy, size, NULL, &archive, &diag);
            assert_int_equal(status, size < 8 ? PSOPACK_E_NOT_ARCHIVE : PSOPACK_E_TRUNCATED);
            assert_null(archive);
            assert_int_equal(diag.code, status);
            free(copy);
        }
    }
}

static int count_finding(void *user, const psopack_diag *diag)
{
    uint64_t *count = user;
    ++*count;
    assert_true(diag->code == PSOPACK_E_CHECKSUM || diag->code == PSOPACK_E_CORRUPT ||
                diag->code == PSOPACK_E_TUPLE || diag->code == PSOPACK_E_FEATURE);
    assert_true(diag->text[0] != '\0');
    return 0;
}

static void check_flip(const fixture *made, uint8_t *copy, size_t at, uint8_t bits)
{
    psopack_archive *archive = NULL;
    psopack_diag diag = {0};
    copy[at] ^= bits;
    psopack_status status = psopack_archive_open_memory(copy, made->size, NULL, &archive, &diag);
    if (status == PSOPACK_OK) {
        psopack_verify_result result;
        uint64_t findings = 0;
        fixture_read_all(made, archive);
        status = psopack_archive_verify(archive, 0, count_finding, &findings, &result, &diag);
        assert_int_equal(findings, result.findings);
        if (status == PSOPACK_OK)
            fail_msg("byte %zu ^ %02x of profile %d: nothing noticed", at, bits, made->profile);
        psopack_archive_close(&archive);
    }
    /* Three bytes of a magic left are still recognised by the other end. */
    assert_int_equal(psopack_status_exit_code(status), 3);
    assert_int_equal(diag.code, status);
    copy[at] ^= bits;
}

static void test_flipped(void **state)
{
    const fixture *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        uint8_t *copy = fixture_copy(all[i].bytes, all[i].size);
        for (size_t at = 0; at < all[i].size; at++) {
            check_flip(&all[i], copy, at, 0xff);
            check_flip(&all[i], copy, at, (uint8_t)(1u << (at % 8)));
        }
        free(copy);
    }
}

/* Marsaglia's xorshift: the same damage on every machine. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A run of bytes replaced, some thousand times: by zeros, by noise, by another part of the file. */
static void test_smashed(void **state)
{
    const fixture *all = *state;
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < 3000; round++) {
        const fixture *made = &all[round % (int)PROFILES];
        uint8_t *copy = fixture_copy(made->bytes, made->size);
        size_t size = 1 + next_random(&random) % 64;
        size_t at = next_random(&random) % (made->size - size);
        size_t from = next_random(&random) % (made->size - size);
        if (round % 2 == 0)
            memmove(copy + at, copy + from, size);
        else
            memset(copy + at, round % 4 == 1 ? 0 : 0xff, size);
        psopack_archive *archive = NULL;
        psopack_status status = psopack_archive_open_memory(copy, made->size, NULL, &archive, NULL);
        if (status == PSOPACK_OK) {
            fixture_read_all(made, archive);
            status = psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL);
            psopack_archive_close(&archive);
        }
        bool same = memcmp(copy, made->bytes, made->size) == 0;
        assert_int_equal(psopack_status_exit_code(status), same ? 0 : 3);
        free(copy);
    }
}

/* The caller can end verify at the first finding. */
static int stop_at_once(void *user, const psopack_diag *diag)
{
    uint64_t *count = user;
    (void)diag;
    ++*count;
    return 1;
}

static void test_stop(void **state)
{
    const fixture *all = *state;
    uint8_t *copy = fixture_copy(all[0].bytes, all[0].size);
    psopack_archive *archive;
    uint64_t count = 0;
    copy[70] ^= 1; /* in the first block */
    assert_int_equal(psopack_archive_open_memory(copy, all[0].size, NULL, &archive, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_archive_verify(archive, 0, stop_at_once, &count, NULL, NULL),
                     PSOPACK_E_CHECKSUM);
    assert_int_equal(count, 1);
    psopack_verify_result result;
    assert_int_equal(psopack_archive_verify(archive, 0, NULL, NULL, &result, NULL),
                     PSOPACK_E_CHECKSUM);
    /* Blocks that are built on the damaged one go with it. */
    assert_true(result.blocks_damaged > 0 && result.blocks_damaged < result.blocks_checked);
    assert_true(result.components_damaged > 0 && result.psos_damaged > 0);
    assert_int_equal(result.findings,
                     result.blocks_damaged + result.components_damaged + result.psos_damaged);
    psopack_archive_close(&archive);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_flipped),
        cmocka_unit_test(test_smashed),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
