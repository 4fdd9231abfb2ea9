/* SPDX-License-Identifier: MIT */
/* Shader limits: blob and text both ways, and every rule at, below and above its number. */
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static psopack_limits counting_limits(void)
{
    psopack_limits limits;
    for (uint32_t i = 0; i < PSOPACK_LIMITS_MEMBERS; i++)
        limits.member[i] = 0x01020304u * (i + 1);
    return limits;
}

static void test_blob_is_fifteen_little_endian_words(void **state)
{
    (void)state;
    psopack_limits limits = counting_limits();
    psopack_limits back;
    uint8_t blob[PSOPACK_LIMITS_SIZE];
    psopack_limits_encode(&limits, blob);
    const uint8_t first[8] = {4, 3, 2, 1, 8, 6, 4, 2};
    assert_memory_equal(blob, first, sizeof first);
    assert_int_equal(psopack_limits_decode(blob, sizeof blob, &back, NULL), PSOPACK_OK);
    assert_memory_equal(&back, &limits, sizeof limits);
}

static void test_other_sizes_are_refused(void **state)
{
    (void)state;
    uint8_t blob[PSOPACK_LIMITS_SIZE + 1] = {0};
    psopack_limits limits;
    psopack_diag diag;
    assert_int_equal(psopack_limits_decode(blob, 59, &limits, &diag), PSOPACK_E_TRUNCATED);
    assert_non_null(strstr(diag.text, "60 bytes"));
    assert_int_equal(psopack_limits_decode(blob, 0, &limits, NULL), PSOPACK_E_TRUNCATED);
    assert_int_equal(psopack_limits_decode(blob, 61, &limits, NULL), PSOPACK_E_EXTENDED);
}

static void test_text_round_trip(void **state)
{
    (void)state;
    char text[PSOPACK_LIMITS_TEXT_SIZE];
    psopack_limits limits = counting_limits();
    psopack_limits back;
    limits.member[PSOPACK_LIMITS_PS_LOCK] = UINT32_MAX;
    size_t size = psopack_limits_print(&limits, text);
    assert_int_equal(size, strlen(text));
    assert_non_null(strstr(text, "VSDisableFlags = 0x2040608\n"));
    assert_non_null(strstr(text, "PSMaxWavesForCuLocking = 4294967295\n"));
    assert_int_equal(psopack_limits_parse(text, size, &back, NULL), PSOPACK_OK);
    assert_memory_equal(&back, &limits, sizeof limits);
}

static psopack_status parse_edited(const char *from, const char *to, psopack_diag *diag)
{
    char text[PSOPACK_LIMITS_TEXT_SIZE];
    char edited[2 * PSOPACK_LIMITS_TEXT_SIZE];
    psopack_limits limits = {{0}};
    psopack_limits_print(&limits, text);
    char *at = strstr(text, from);
    assert_non_null(at);
    size_t head = (size_t)(at - text);
    memcpy(edited, text, head);
    strcpy(edited + head, to);
    strcat(edited, at + strlen(from));
    return psopack_limits_parse(edited, strlen(edited), &limits, diag);
}

static void test_text_errors_name_the_line(void **state)
{
    (void)state;
    const struct {
        const char *from, *to, *says;
        uint64_t line;
    } rows[] = {
        {"VSDisableFlags = 0x0\n", "", "VSDisableFlags is missing", 14},
        {"VSDisableFlags = 0x0", "VSDisableFlags = 0x0\nVSDisableFlags = 0x0", "given twice", 3},
        {"VSDisableFlags", "VSDisableCUMask", "not a member", 2},
        {"VSDisableFlags = 0x0", "VSDisableFlags 0", "expected", 2},
        {"VSDisableFlags = 0x0", "VSDisableFlags = ", "needs a number", 2},
        {"VSDisableFlags = 0x0", "VSDisableFlags = 0x", "needs a number", 2},
        {"VSDisableFlags = 0x0", "VSDisableFlags = -1", "needs a number", 2},
        {"VSDisableFlags = 0x0", "VSDisableFlags = 4294967296", "needs a number", 2},
        {"VSDisableFlags = 0x0", "VSDisableFlags = 0x100000000", "needs a number", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        psopack_diag diag = {0};
        assert_int_equal(parse_edited(rows[i].from, rows[i].to, &diag), PSOPACK_E_SYNTAX);
        assert_non_null(strstr(diag.text, rows[i].says));
        assert_int_equal(diag.object, PSOPACK_OBJECT_LINE);
        assert_int_equal(diag.index, rows[i].line);
    }
}

static void test_text_allows_comments_blanks_and_order(void **state)
{
    (void)state;
    assert_int_equal(parse_edited("VSMaxWaves = 0", "  VSMaxWaves=0x7 # why\r", NULL), PSOPACK_OK);
    assert_int_equal(
        parse_edited("VSMaxWaves = 0\n", "\n\t\n# only words\nVSMaxWaves = 4294967295\n", NULL),
        PSOPACK_OK);
}

/* One PSO with vertex and pixel shader and these limits; the lint is finished. */
static void lint_one(lint_shelf *shelf, const psopack_limits *limits, uint32_t units)
{
    shelf_init(shelf);
    shelf->options.units = units;
    shelf_begin(shelf);
    uint64_t code = shelf_copy(shelf, "code", 4);
    uint64_t blob = shelf_limits(shelf, limits);
    shelf_pso(shelf, "pso", "vs.instructions", code, "ps.instructions", code, "limits", blob, NULL);
    shelf_finish(shelf);
}

static void test_late_alloc_boundary(void **state)
{
    (void)state;
    const struct {
        uint32_t waves, mask, units;
        const char *rule;
    } rows[] = {
        {0, 0, 0, NULL},
        {21, 0, 0, NULL},
        {22, 0, 0, NULL},
        {22, 1, 0, NULL},
        {23, 0, 0, "limits-late-alloc"},
        {23, 1, 0, "limits-late-alloc-masked"},
        {23, 0x80000000u, 0, "limits-late-alloc-masked"},
        {UINT32_MAX, 0, 0, "limits-late-alloc"},
        {23, 0x100, 0xff, "limits-late-alloc"},
        {23, 0x80, 0xff, "limits-late-alloc-masked"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        psopack_limits limits = {{rows[i].waves, rows[i].mask}};
        lint_one(&shelf, &limits, rows[i].units);
        size_t expected = rows[i].rule != NULL;
        assert_int_equal(count_findings(shelf.lint, "limits-late-alloc") +
                             count_findings(shelf.lint, "limits-late-alloc-masked"),
                         expected);
        if (expected) {
            const psopack_lint_finding *finding = find_finding(shelf.lint, rows[i].rule);
            assert_non_null(finding);
            assert_int_equal(finding->measured, rows[i].waves);
            assert_int_equal(finding->limit, 22);
            assert_int_equal(finding->severity, strstr(rows[i].rule, "masked")
                                                    ? PSOPACK_LINT_NOTE
                                                    : PSOPACK_LINT_ERROR);
        }
        shelf_end(&shelf);
    }
}

static void test_stage_off_needs_units_and_the_stage(void **state)
{
    (void)state;
    const struct {
        psopack_limits_member member;
        uint32_t flags, units;
        size_t expected;
    } rows[] = {
        {PSOPACK_LIMITS_PS_DISABLE, 0xff, 0xff, 1},  {PSOPACK_LIMITS_PS_DISABLE, 0x7f, 0xff, 0},
        {PSOPACK_LIMITS_PS_DISABLE, 0x1ff, 0xff, 1}, {PSOPACK_LIMITS_PS_DISABLE, 0xff, 0, 0},
        {PSOPACK_LIMITS_VS_DISABLE, 0xff, 0xff, 1},  {PSOPACK_LIMITS_GS_DISABLE, 0xff, 0xff, 0},
        {PSOPACK_LIMITS_DS_DISABLE, 0xff, 0xff, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        psopack_limits limits = {{0}};
        limits.member[rows[i].member] = rows[i].flags;
        lint_one(&shelf, &limits, rows[i].units);
        assert_int_equal(count_findings(shelf.lint, "limits-stage-off"), rows[i].expected);
        shelf_end(&shelf);
    }
}

static void test_cu_locking_boundary(void **state)
{
    (void)state;
    const struct {
        uint32_t waves, lock;
        size_t expected;
    } rows[] = {{8, 7, 0}, {8, 8, 0}, {8, 9, 1}, {0, 9, 0}, {0, 0, 0}, {1, 2, 1}};
    for (unsigned stage = 0; stage < 5; stage++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            lint_shelf shelf;
            psopack_limits limits = {{0}};
            limits.member[PSOPACK_LIMITS_VS_WAVES + stage] = rows[i].waves;
            limits.member[PSOPACK_LIMITS_VS_LOCK + stage] = rows[i].lock;
            lint_one(&shelf, &limits, 0);
            assert_int_equal(count_findings(shelf.lint, "limits-cu-locking"), rows[i].expected);
            shelf_end(&shelf);
        }
    }
}

static void test_one_finding_per_distinct_blob(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    psopack_limits bad = {{23}};
    psopack_limits worse = {{30}};
    uint64_t code = shelf_copy(&shelf, "code", 4);
    uint64_t other = shelf_copy(&shelf, "else", 4);
    uint64_t a = shelf_limits(&shelf, &bad);
    uint64_t b = shelf_limits(&shelf, &worse);
    shelf_pso(&shelf, "a", "vs.instructions", code, "limits", a, NULL);
    shelf_pso(&shelf, "b", "vs.instructions", code, "limits", a, NULL);
    shelf_pso(&shelf, "c", "vs.instructions", code, "limits", b, NULL);
    shelf_pso(&shelf, "d", "vs.instructions", other, "limits", a, NULL);
    shelf_finish(&shelf);
    assert_int_equal(count_findings(shelf.lint, "limits-late-alloc"), 2);
    assert_int_equal(find_finding(shelf.lint, "limits-late-alloc")->pso_count, 3);
    assert_int_equal(shelf.items[a].fetches, 1);
    assert_int_equal(shelf.items[code].fetches, 0);
    const psopack_lint_finding *differ = find_finding(shelf.lint, "limits-differ");
    assert_non_null(differ);
    assert_int_equal(differ->pso_count, 3); /* a, b, c share their code; d does not */
    assert_int_equal(differ->measured, 2);
    shelf_end(&shelf);
}

static void test_equal_limits_do_not_differ(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    psopack_limits limits = {{1}};
    uint64_t code = shelf_copy(&shelf, "code", 4);
    uint64_t a = shelf_limits(&shelf, &limits);
    shelf_pso(&shelf, "a", "vs.instructions", code, "limits", a, NULL);
    shelf_pso(&shelf, "b", "vs.instructions", code, "limits", a, NULL);
    shelf_pso(&shelf, "c", "vs.instructions", code, NULL);
    shelf_finish(&shelf);
    assert_null(find_finding(shelf.lint, "limits-differ"));
    shelf_end(&shelf);
}

static void test_wrong_size_is_an_error(void **state)
{
    (void)state;
    const struct {
        size_t size;
        size_t expected;
    } rows[] = {{0, 1}, {59, 1}, {60, 0}, {61, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        uint8_t blob[64] = {0};
        shelf_init(&shelf);
        shelf_begin(&shelf);
        uint64_t a = shelf_copy(&shelf, blob, rows[i].size);
        shelf_pso(&shelf, "a", "limits", a, NULL);
        shelf_finish(&shelf);
        assert_int_equal(count_findings(shelf.lint, "limits-size"), rows[i].expected);
        shelf_end(&shelf);
    }
}

/* The shape of corpus/main: limits at offset 24 of a larger state. */
static void test_limits_at_offset(void **state)
{
    (void)state;
    const struct {
        size_t size;
        uint64_t offset;
        uint32_t waves, mask;
        const char *rule;
    } rows[] = {
        {84, 24, 22, 0, NULL},
        {84, 24, 23, 0, "limits-late-alloc"},
        {84, 24, 23, 1, "limits-late-alloc-masked"},
        {83, 24, 23, 0, "limits-size"},
        {85, 24, 23, 0, "limits-late-alloc"},
        {84, UINT64_MAX, 23, 0, "limits-size"},
        {84, UINT64_MAX - 20, 23, 0, "limits-size"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        uint8_t bytes[128] = {0};
        psopack_limits limits = {{rows[i].waves, rows[i].mask}};
        psopack_limits_encode(&limits, bytes + 24);
        shelf_init(&shelf);
        shelf.options.limits_at_slot = "state";
        shelf.options.limits_at_offset = rows[i].offset;
        shelf_begin(&shelf);
        uint64_t component = shelf_copy(&shelf, bytes, rows[i].size);
        shelf_pso(&shelf, "a", "vs.instructions", component, "state", component, NULL);
        shelf_finish(&shelf);
        const char *rules[] = {"limits-size", "limits-late-alloc", "limits-late-alloc-masked"};
        for (size_t r = 0; r < 3; r++)
            assert_int_equal(count_findings(shelf.lint, rules[r]),
                             rows[i].rule && !strcmp(rows[i].rule, rules[r]));
        shelf_end(&shelf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blob_is_fifteen_little_endian_words),
        cmocka_unit_test(test_other_sizes_are_refused),
        cmocka_unit_test(test_text_round_trip),
        cmocka_unit_test(test_text_errors_name_the_line),
        cmocka_unit_test(test_text_allows_comments_blanks_and_order),
        cmocka_unit_test(test_late_alloc_boundary),
        cmocka_unit_test(test_stage_off_needs_units_and_the_stage),
        cmocka_unit_test(test_cu_locking_boundary),
        cmocka_unit_test(test_one_finding_per_distinct_blob),
        cmocka_unit_test(test_equal_limits_do_not_differ),
        cmocka_unit_test(test_wrong_size_is_an_error),
        cmocka_unit_test(test_limits_at_offset),
    };
    return cmocka_run_group_tests_name("lint limits", tests, NULL, NULL);
}
