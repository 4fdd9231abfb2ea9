/* SPDX-License-Identifier: MIT */
/* The lint object: what it refuses, tiers over an archive, live sets, suppressions, advice. */
#include "fixture.h"

#include "lint/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t shelf_rootsig(lint_shelf *shelf, made_rootsig *made)
{
    size_t size;
    uint8_t *bytes = make_rootsig(made, &size);
    free_made(made);
    return shelf_put(shelf, bytes, size);
}

static uint64_t one_range(lint_shelf *shelf, uint32_t type, uint32_t count)
{
    made_rootsig made = {.version = 2};
    add_table(&made, SEE_ALL);
    add_range(&made, type, count, 0, 0, APPEND);
    return shelf_rootsig(shelf, &made);
}

static psopack_status try_create(const psopack_lint_options *options)
{
    psopack_lint *lint = NULL;
    psopack_status status = psopack_lint_create(&lint, options, NULL);
    assert_true((status == PSOPACK_OK) == (lint != NULL));
    psopack_lint_destroy(&lint);
    return status;
}

static void test_options_are_checked(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    for (int tier = -1; tier <= 4; tier++) {
        shelf.options.tier = tier;
        bool fine = tier >= 0 && tier <= 3;
        assert_int_equal(try_create(&shelf.options), fine ? PSOPACK_OK : PSOPACK_E_ARGUMENT);
    }
    shelf.options.tier = 3;
    shelf.options.feature_level = PSOPACK_FEATURE_LEVEL_11_0;
    assert_int_equal(try_create(&shelf.options), PSOPACK_E_ARGUMENT);
    shelf.options.feature_level = PSOPACK_FEATURE_LEVEL_11_1;
    assert_int_equal(try_create(&shelf.options), PSOPACK_OK);
    shelf.options.tier = 2;
    shelf.options.feature_level = PSOPACK_FEATURE_LEVEL_11_0;
    assert_int_equal(try_create(&shelf.options), PSOPACK_OK);
    shelf.options.feature_level = (psopack_feature_level)0xa100;
    assert_int_equal(try_create(&shelf.options), PSOPACK_E_ARGUMENT);
    shelf_init(&shelf);
    shelf.options.fetch = NULL;
    assert_int_equal(try_create(&shelf.options), PSOPACK_E_ARGUMENT);
    shelf_init(&shelf);
    shelf.options.struct_size--;
    assert_int_equal(try_create(&shelf.options), PSOPACK_E_ARGUMENT);
    assert_int_equal(try_create(NULL), PSOPACK_E_ARGUMENT);
}

static psopack_status add_twice(const psopack_lint_part *first, const psopack_lint_part *second,
                                const char *second_name)
{
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    assert_int_equal(psopack_lint_add_pso(shelf.lint, "a", first, 1, NULL), PSOPACK_OK);
    psopack_status status = psopack_lint_add_pso(shelf.lint, second_name, second, 2, NULL);
    shelf_end(&shelf);
    return status;
}

static void test_psos_are_checked(void **state)
{
    (void)state;
    const psopack_lint_part first = {"state", 7, 100};
    const psopack_lint_part fine[2] = {{"state", 7, 100}, {"rootsig", 7, 100}};
    const psopack_lint_part resized[2] = {{"state", 7, 101}, {"rootsig", 8, 100}};
    const psopack_lint_part twice[2] = {{"state", 7, 100}, {"state", 8, 100}};
    assert_int_equal(add_twice(&first, fine, "b"), PSOPACK_OK);
    assert_int_equal(add_twice(&first, fine, "a"), PSOPACK_E_DUPLICATE);
    assert_int_equal(add_twice(&first, resized, "b"), PSOPACK_E_ARGUMENT);
    assert_int_equal(add_twice(&first, twice, "b"), PSOPACK_E_DUPLICATE);
}

static void test_nothing_after_finish(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    shelf_finish(&shelf);
    assert_int_equal(psopack_lint_add_pso(shelf.lint, "a", NULL, 0, NULL), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_lint_add_live_set(shelf.lint, "a", 1, NULL), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_lint_add_suppressions(shelf.lint, "", 0, NULL), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_lint_finish(shelf.lint, NULL), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_lint_finding_count(shelf.lint), 0);
    assert_null(psopack_lint_finding_at(shelf.lint, 0));
    assert_null(psopack_lint_pso_name(shelf.lint, 0));
    shelf_end(&shelf);
}

static psopack_status broken_fetch(void *context, uint64_t component, void *ret_bytes, size_t size,
                                   psopack_diag *diag)
{
    (void)context, (void)component, (void)ret_bytes, (void)size, (void)diag;
    return PSOPACK_E_CHECKSUM;
}

static void test_fetch_failure_ends_it(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf.options.fetch = broken_fetch;
    shelf_begin(&shelf);
    shelf_pso(&shelf, "a", "rootsig", shelf_copy(&shelf, "DXBC", 4), NULL);
    assert_int_equal(psopack_lint_finish(shelf.lint, NULL), PSOPACK_E_CHECKSUM);
    shelf_end(&shelf);
}

/* Three tiers and one PSO that fits none, as PSOs of an archive. */
static void fill_tiers(lint_shelf *shelf)
{
    shelf_begin(shelf);
    uint64_t code = shelf_copy(shelf, "code", 4);
    uint64_t one = one_range(shelf, PSOPACK_RANGE_SRV, 128);
    uint64_t two = one_range(shelf, PSOPACK_RANGE_SRV, 129);
    uint64_t three = one_range(shelf, PSOPACK_RANGE_CBV, 15);
    uint64_t none = one_range(shelf, PSOPACK_RANGE_SAMPLER, 2049);
    uint64_t foreign = shelf_copy(shelf, "RSTS....", 8);
    shelf_pso(shelf, "one/a", "vs.instructions", code, "rootsig", one, NULL);
    shelf_pso(shelf, "one/b", "vs.instructions", code, "rootsig", one, NULL);
    shelf_pso(shelf, "two", "vs.instructions", code, "rootsig", two, NULL);
    shelf_pso(shelf, "three", "vs.instructions", code, "rootsig", three, NULL);
    shelf_pso(shelf, "none", "vs.instructions", code, "rootsig", none, NULL);
    shelf_pso(shelf, "foreign/a", "rootsig", foreign, NULL);
    shelf_pso(shelf, "foreign/b", "rootsig", foreign, NULL);
    shelf_pso(shelf, "bare", NULL);
}

static void test_summary_and_lowest_tiers(void **state)
{
    (void)state;
    lint_shelf shelf;
    psopack_lint_summary summary;
    psopack_lint_pso_tier tier;
    shelf_init(&shelf);
    fill_tiers(&shelf);
    shelf_finish(&shelf);
    psopack_lint_get_summary(shelf.lint, &summary);
    const uint64_t expected[PSOPACK_TIER_COUNT] = {3, 2, 1, 1, 1};
    assert_memory_equal(summary.psos_by_tier, expected, sizeof expected);
    assert_int_equal(summary.psos, 8);
    assert_int_equal(summary.references, 12);
    assert_int_equal(summary.root_signatures, 4);
    assert_int_equal(summary.fetched, 5);
    assert_int_equal(psopack_lint_pso_tier_at(shelf.lint, 2, &tier), PSOPACK_OK);
    assert_int_equal(tier.tier, 2);
    assert_string_equal(tier.rule->id, "binding-srv");
    assert_string_equal(tier.stage, "vs");
    assert_int_equal(tier.measured, 129);
    assert_int_equal(tier.limit, 128);
    assert_int_equal(psopack_lint_pso_tier_at(shelf.lint, 3, &tier), PSOPACK_OK);
    assert_int_equal(tier.tier, 3);
    assert_string_equal(tier.rule->id, "binding-cbv");
    assert_int_equal(psopack_lint_pso_tier_at(shelf.lint, 7, &tier), PSOPACK_OK);
    assert_int_equal(tier.tier, PSOPACK_TIER_UNKNOWN);
    assert_int_equal(psopack_lint_pso_tier_at(shelf.lint, 8, &tier), PSOPACK_E_NOT_FOUND);
    /* Without a target only the PSO that no tier takes is an error. */
    assert_int_equal(summary.errors, 2);
    assert_int_equal(find_finding(shelf.lint, "binding-sampler")->psos[0], 4);
    assert_int_equal(find_finding(shelf.lint, "binding-sampler-heap")->psos[0], 4);
    const psopack_lint_finding *foreign = find_finding(shelf.lint, "binding-container");
    assert_int_equal(foreign->pso_count, 2);
    assert_int_equal(foreign->severity, PSOPACK_LINT_NOTE);
    assert_non_null(strstr(foreign->message, "\"RSTS\""));
    shelf_end(&shelf);
}

static void test_target_tier_makes_errors(void **state)
{
    (void)state;
    const struct {
        int tier;
        size_t srv, cbv, sampler;
    } rows[] = {{1, 1, 1, 1}, {2, 0, 1, 1}, {3, 0, 0, 1}};
    for (size_t i = 0; i < 3; i++) {
        lint_shelf shelf;
        shelf_init(&shelf);
        shelf.options.tier = rows[i].tier;
        fill_tiers(&shelf);
        shelf_finish(&shelf);
        assert_int_equal(count_findings(shelf.lint, "binding-srv"), rows[i].srv);
        assert_int_equal(count_findings(shelf.lint, "binding-cbv"), rows[i].cbv);
        assert_int_equal(count_findings(shelf.lint, "binding-sampler"), rows[i].sampler);
        const psopack_lint_finding *cbv = find_finding(shelf.lint, "binding-cbv");
        if (cbv) {
            assert_int_equal(cbv->measured, 15);
            assert_int_equal(cbv->limit, 14);
            assert_int_equal(cbv->severity, PSOPACK_LINT_ERROR);
            assert_string_equal(psopack_lint_pso_name(shelf.lint, cbv->psos[0]), "three");
        }
        shelf_end(&shelf);
    }
}

static void test_feature_level_11_0(void **state)
{
    (void)state;
    lint_shelf shelf;
    psopack_lint_summary summary;
    shelf_init(&shelf);
    shelf.options.feature_level = PSOPACK_FEATURE_LEVEL_11_0;
    fill_tiers(&shelf);
    shelf_finish(&shelf);
    psopack_lint_get_summary(shelf.lint, &summary);
    assert_int_equal(summary.psos_by_tier[PSOPACK_TIER_NONE], 2);
    assert_int_equal(count_findings(shelf.lint, "binding-feature-level"), 2);
    shelf_end(&shelf);
}

static void test_uav_level_note_only_without_level(void **state)
{
    (void)state;
    const struct {
        uint32_t uavs;
        psopack_feature_level level;
        size_t expected;
    } rows[] = {{8, 0, 0}, {9, 0, 1}, {64, 0, 1}, {65, 0, 0}, {9, PSOPACK_FEATURE_LEVEL_11_1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        shelf_init(&shelf);
        shelf.options.feature_level = rows[i].level;
        shelf_begin(&shelf);
        shelf_pso(&shelf, "a", "rootsig", one_range(&shelf, PSOPACK_RANGE_UAV, rows[i].uavs), NULL);
        shelf_finish(&shelf);
        assert_int_equal(count_findings(shelf.lint, "binding-uav-level"), rows[i].expected);
        shelf_end(&shelf);
    }
}

static void test_damaged_root_signature(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    uint64_t cut = shelf_copy(&shelf, "DXBC", 4);
    uint64_t empty = shelf_copy(&shelf, "", 0);
    shelf_pso(&shelf, "a", "rootsig", cut, NULL);
    shelf_pso(&shelf, "b", "rootsig", cut, NULL);
    shelf_pso(&shelf, "c", "rootsig", empty, NULL);
    shelf_finish(&shelf);
    assert_int_equal(count_findings(shelf.lint, "binding-damaged"), 2);
    const psopack_lint_finding *finding = find_finding(shelf.lint, "binding-damaged");
    assert_int_equal(finding->pso_count, 2);
    assert_non_null(strstr(finding->message, "PSOPACK_E_TRUNCATED"));
    shelf_end(&shelf);
}

/* `first` to `first + count` - 1 as states of one root signature. */
static uint64_t sampler_rootsig(lint_shelf *shelf, uint32_t first, uint32_t count)
{
    made_rootsig made = {.version = 2};
    for (uint32_t i = 0; i < count; i++)
        add_sampler(&made, first + i, i, SEE_ALL, 0);
    return shelf_rootsig(shelf, &made);
}

static void test_static_samplers_boundary(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra < 3; extra++) { /* 2031, 2032, 2033 */
        lint_shelf shelf;
        psopack_lint_summary summary;
        shelf_init(&shelf);
        shelf_begin(&shelf);
        shelf_pso(&shelf, "a", "rootsig", sampler_rootsig(&shelf, 0, 2000), NULL);
        shelf_pso(&shelf, "b", "rootsig", sampler_rootsig(&shelf, 1000, 1000), NULL);
        shelf_pso(&shelf, "c", "rootsig", sampler_rootsig(&shelf, 1999, 32 + extra), NULL);
        shelf_finish(&shelf);
        psopack_lint_get_summary(shelf.lint, &summary);
        assert_int_equal(summary.static_samplers, 2031 + extra);
        const psopack_lint_finding *finding = find_finding(shelf.lint, "binding-static-samplers");
        assert_true((finding != NULL) == (extra == 2));
        if (finding) {
            assert_int_equal(finding->measured, 2033);
            assert_int_equal(finding->limit, 2032);
            assert_int_equal(finding->pso_count, 1);
            assert_int_equal(finding->psos[0], 2);
        }
        shelf_end(&shelf);
    }
}

static void test_static_samplers_are_unique_by_state(void **state)
{
    (void)state;
    lint_shelf shelf;
    psopack_lint_summary summary;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    made_rootsig made = {.version = 3}; /* hand-made 1.2: flags are state */
    add_sampler(&made, 1, 0, SEE_ALL, 0);
    add_sampler(&made, 1, 1, SEE_VS, 0);
    add_sampler(&made, 1, 2, SEE_ALL, 1);
    shelf_pso(&shelf, "a", "rootsig", shelf_rootsig(&shelf, &made), NULL);
    made = (made_rootsig){.version = 1};
    add_sampler(&made, 1, 9, SEE_PS, 0);
    shelf_pso(&shelf, "b", "rootsig", shelf_rootsig(&shelf, &made), NULL);
    shelf_finish(&shelf);
    psopack_lint_get_summary(shelf.lint, &summary);
    assert_int_equal(summary.static_samplers, 2);
    shelf_end(&shelf);
}

static void test_live_set_narrows(void **state)
{
    (void)state;
    const struct {
        const char *text;
        uint64_t samplers, rootsigs;
    } rows[] = {{"", 30, 2},           {"# none\n\n", 30, 2},
                {"level1/*\n", 10, 1}, {"level2/b\r\nlevel1/?", 30, 2},
                {"*", 30, 2},          {"level[12]/b", 20, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        psopack_lint_summary summary;
        shelf_init(&shelf);
        shelf_begin(&shelf);
        assert_int_equal(
            psopack_lint_add_live_set(shelf.lint, rows[i].text, strlen(rows[i].text), NULL),
            PSOPACK_OK);
        shelf_pso(&shelf, "level1/a", "rootsig", sampler_rootsig(&shelf, 0, 10), NULL);
        shelf_pso(&shelf, "level2/b", "rootsig", sampler_rootsig(&shelf, 10, 20), NULL);
        shelf_finish(&shelf);
        psopack_lint_get_summary(shelf.lint, &summary);
        assert_int_equal(summary.static_samplers, rows[i].samplers);
        assert_int_equal(summary.live_root_signatures, rows[i].rootsigs);
        shelf_end(&shelf);
    }
}

static void test_live_set_typing_error_is_told(void **state)
{
    (void)state;
    lint_shelf shelf;
    psopack_diag diag;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    assert_int_equal(psopack_lint_add_live_set(shelf.lint, "a\nlevle1/*", 10, NULL), PSOPACK_OK);
    shelf_pso(&shelf, "a", NULL);
    assert_int_equal(psopack_lint_finish(shelf.lint, &diag), PSOPACK_E_NOT_FOUND);
    assert_non_null(strstr(diag.text, "levle1/*"));
    assert_int_equal(diag.index, 2);
    shelf_end(&shelf);
}

static void test_suppression_lines_are_checked(void **state)
{
    (void)state;
    const struct {
        const char *text, *says;
    } rows[] = {
        {"# fine\nlimits-late-alok * why", "no known rule"},
        {"\nlimits-late-alloc", "glob must follow"},
        {"\nlimits-late-alloc a/*", "reason must follow"},
        {"\nlimits-late-alloc a/* \t\r\n", "reason must follow"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        psopack_diag diag;
        shelf_init(&shelf);
        shelf_begin(&shelf);
        assert_int_equal(
            psopack_lint_add_suppressions(shelf.lint, rows[i].text, strlen(rows[i].text), &diag),
            PSOPACK_E_SYNTAX);
        assert_non_null(strstr(diag.text, rows[i].says));
        assert_int_equal(diag.index, 2);
        shelf_end(&shelf);
    }
}

/* Two PSOs with bad limits, one suppression file. */
static void lint_suppressed(lint_shelf *shelf, const char *text)
{
    psopack_limits limits = {{23}};
    shelf_init(shelf);
    shelf_begin(shelf);
    assert_int_equal(psopack_lint_add_suppressions(shelf->lint, text, strlen(text), NULL),
                     PSOPACK_OK);
    uint64_t blob = shelf_limits(shelf, &limits);
    shelf_pso(shelf, "ui/a", "limits", blob, NULL);
    shelf_pso(shelf, "world/b", "limits", blob, NULL);
    shelf_finish(shelf);
}

static void test_suppressing_all_some_and_none(void **state)
{
    (void)state;
    const struct {
        const char *text;
        uint64_t errors, suppressed, unused;
    } rows[] = {
        {"", 1, 0, 0},
        {"limits-late-alloc * menus only\n", 0, 1, 0},
        {"limits-late-alloc ui/* menus only\n", 1, 1, 0},
        {"limits-late-alloc ui/* menus\nlimits-late-alloc world/b test level\n", 0, 2, 0},
        {"limits-late-alloc nothing why\n", 1, 0, 1},
        {"limits-size * other rule\n", 1, 0, 1},
        {"limits-late-alloc * all\nlimits-late-alloc ui/* again\n", 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        psopack_lint_summary summary;
        lint_suppressed(&shelf, rows[i].text);
        psopack_lint_get_summary(shelf.lint, &summary);
        assert_int_equal(summary.errors, rows[i].errors);
        assert_int_equal(summary.suppressed, rows[i].suppressed);
        assert_int_equal(count_findings(shelf.lint, "suppression-unused"), rows[i].unused);
        shelf_end(&shelf);
    }
}

static void test_partly_suppressed_keeps_the_others(void **state)
{
    (void)state;
    lint_shelf shelf;
    lint_suppressed(&shelf, "limits-late-alloc ui/* menus run alone\n");
    const psopack_lint_finding *open = psopack_lint_finding_at(shelf.lint, 0);
    assert_null(open->suppressed);
    assert_int_equal(open->pso_count, 1);
    assert_string_equal(psopack_lint_pso_name(shelf.lint, open->psos[0]), "world/b");
    size_t last = psopack_lint_finding_count(shelf.lint) - 1;
    const psopack_lint_finding *closed = psopack_lint_finding_at(shelf.lint, last);
    assert_string_equal(closed->suppressed, "menus run alone");
    assert_string_equal(closed->message, open->message);
    assert_int_equal(closed->pso_count, 1);
    assert_int_equal(closed->measured, 23);
    shelf_end(&shelf);
}

static void test_archive_findings_need_a_star(void **state)
{
    (void)state;
    for (unsigned star = 0; star < 2; star++) {
        lint_shelf shelf;
        const char *text = star ? "share-once * known\n" : "share-once a known\n";
        shelf_init(&shelf);
        shelf_begin(&shelf);
        assert_int_equal(psopack_lint_add_suppressions(shelf.lint, text, strlen(text), NULL),
                         PSOPACK_OK);
        shelf_pso(&shelf, "a", "x", shelf_copy(&shelf, "x", 1), NULL);
        shelf_finish(&shelf);
        assert_true((find_finding(shelf.lint, "share-once")->suppressed != NULL) == star);
        shelf_end(&shelf);
    }
}

static void test_metadata_advice(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    uint64_t code = shelf_copy(&shelf, "code", 4);
    uint64_t m1 = shelf_copy(&shelf, "metadata-1", 10);
    uint64_t m2 = shelf_copy(&shelf, "metadata-2", 10);
    shelf_pso(&shelf, "a", "ps.instructions", code, "ps.metadata", m1, NULL);
    shelf_pso(&shelf, "b", "ps.instructions", code, "ps.metadata", m1, NULL);
    shelf_pso(&shelf, "c", "ps.instructions", code, NULL); /* absent is not different */
    shelf_pso(&shelf, "d", "ps.metadata", m2, "vs.instructions", code, NULL); /* other stage */
    shelf_finish(&shelf);
    assert_null(find_finding(shelf.lint, "share-metadata"));
    shelf_end(&shelf);

    shelf_init(&shelf);
    shelf_begin(&shelf);
    code = shelf_copy(&shelf, "code", 4);
    m1 = shelf_copy(&shelf, "metadata-1", 10);
    m2 = shelf_copy(&shelf, "metadata-2", 10);
    shelf_pso(&shelf, "a", "ps.instructions", code, "ps.metadata", m1, NULL);
    shelf_pso(&shelf, "b", "ps.instructions", code, "ps.metadata", m2, NULL);
    shelf_finish(&shelf);
    const psopack_lint_finding *finding = find_finding(shelf.lint, "share-metadata");
    assert_non_null(finding);
    assert_string_equal(finding->slot, "ps.instructions");
    assert_int_equal(finding->measured, 2);
    assert_int_equal(finding->pso_count, 2);
    assert_non_null(strstr(finding->message, "1 further components, 10 bytes"));
    shelf_end(&shelf);
}

/* A state used by five PSOs, and one other that differs in bytes `at` to `at + span` - 1. */
static void lint_states(lint_shelf *shelf, size_t size, size_t at, size_t span, unsigned uses)
{
    uint8_t bytes[256] = {0};
    char name[16];
    shelf_init(shelf);
    shelf_begin(shelf);
    uint64_t much = shelf_copy(shelf, bytes, size);
    bytes[at] = 1;
    bytes[at + span - 1] = 1;
    uint64_t other = shelf_copy(shelf, bytes, size);
    for (unsigned i = 0; i < uses; i++) {
        snprintf(name, sizeof name, "much/%u", i);
        shelf_pso(shelf, name, "state", much, NULL);
    }
    shelf_pso(shelf, "other", "state", other, NULL);
    shelf_finish(shelf);
}

static void test_state_advice_names_the_bytes(void **state)
{
    (void)state;
    const struct {
        size_t size, at, span;
        unsigned uses;
        const char *says; /* NULL: no finding */
    } rows[] = {
        {200, 0, 1, 5, "bytes 0 to 3 only"},       {200, 100, 1, 5, "bytes 100 to 103 only"},
        {200, 103, 1, 5, "bytes 100 to 103 only"}, {200, 100, 8, 5, "bytes 100 to 107 only"},
        {200, 102, 4, 5, "bytes 100 to 107 only"}, {200, 100, 9, 5, NULL},
        {200, 199, 1, 5, "bytes 196 to 199 only"}, {3, 2, 1, 5, "bytes 0 to 2 only"},
        {200, 100, 1, 4, "bytes 100 to 103 only"}, {200, 100, 1, 3, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lint_shelf shelf;
        lint_states(&shelf, rows[i].size, rows[i].at, rows[i].span, rows[i].uses);
        const psopack_lint_finding *finding = find_finding(shelf.lint, "share-state");
        assert_true((finding != NULL) == (rows[i].says != NULL));
        if (finding) {
            assert_non_null(strstr(finding->message, rows[i].says));
            assert_int_equal(finding->pso_count, 2);
        }
        shelf_end(&shelf);
    }
}

static void test_once_advice_counts_bytes(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    uint64_t shared = shelf_copy(&shelf, "shared", 6);
    shelf_pso(&shelf, "a", "x", shared, "y", shared, NULL);
    shelf_pso(&shelf, "b", "x", shelf_copy(&shelf, "alone", 5), "y", shared, NULL);
    shelf_finish(&shelf);
    assert_int_equal(count_findings(shelf.lint, "share-once"), 1);
    assert_non_null(strstr(find_finding(shelf.lint, "share-once")->message,
                           "1 of 2 components of x occur once: 5 of 11 bytes"));
    shelf_end(&shelf);
}

static void test_longest_table_advice(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    shelf_pso(&shelf, "a", "rootsig", one_range(&shelf, PSOPACK_RANGE_SRV, 40), NULL);
    shelf_pso(&shelf, "b", "rootsig", one_range(&shelf, PSOPACK_RANGE_SRV, 50), NULL);
    shelf_pso(&shelf, "c", "rootsig", one_range(&shelf, PSOPACK_RANGE_SAMPLER, 3), NULL);
    shelf_finish(&shelf);
    assert_int_equal(count_findings(shelf.lint, "binding-table-fill"), 2);
    const psopack_lint_finding *finding = find_finding(shelf.lint, "binding-table-fill");
    assert_non_null(strstr(finding->message, "CBV/SRV/UAV table declares 50 descriptors"));
    assert_non_null(strstr(finding->rule->remedy, "null descriptors"));
    assert_int_equal(finding->psos[0], 1);
    shelf_end(&shelf);
}

static void test_invalid_root_signature_is_a_warning(void **state)
{
    (void)state;
    lint_shelf shelf;
    shelf_init(&shelf);
    shelf_begin(&shelf);
    shelf_pso(&shelf, "a", "rootsig", one_range(&shelf, PSOPACK_RANGE_SRV, 0), NULL);
    shelf_finish(&shelf);
    const psopack_lint_finding *finding = find_finding(shelf.lint, "binding-invalid");
    assert_non_null(finding);
    assert_int_equal(finding->severity, PSOPACK_LINT_WARNING);
    shelf_end(&shelf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_psos_are_checked),
        cmocka_unit_test(test_nothing_after_finish),
        cmocka_unit_test(test_fetch_failure_ends_it),
        cmocka_unit_test(test_summary_and_lowest_tiers),
        cmocka_unit_test(test_target_tier_makes_errors),
        cmocka_unit_test(test_feature_level_11_0),
        cmocka_unit_test(test_uav_level_note_only_without_level),
        cmocka_unit_test(test_damaged_root_signature),
        cmocka_unit_test(test_static_samplers_boundary),
        cmocka_unit_test(test_static_samplers_are_unique_by_state),
        cmocka_unit_test(test_live_set_narrows),
        cmocka_unit_test(test_live_set_typing_error_is_told),
        cmocka_unit_test(test_suppression_lines_are_checked),
        cmocka_unit_test(test_suppressing_all_some_and_none),
        cmocka_unit_test(test_partly_suppressed_keeps_the_others),
        cmocka_unit_test(test_archive_findings_need_a_star),
        cmocka_unit_test(test_metadata_advice),
        cmocka_unit_test(test_state_advice_names_the_bytes),
        cmocka_unit_test(test_once_advice_counts_bytes),
        cmocka_unit_test(test_longest_table_advice),
        cmocka_unit_test(test_invalid_root_signature_is_a_warning),
    };
    return cmocka_run_group_tests_name("lint", tests, NULL, NULL);
}
