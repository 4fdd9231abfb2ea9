/* SPDX-License-Identifier: MIT */
/*
 * Reports: the text as people see it, the JSON by its keys, the SARIF by the rules of the public
 * 2.1.0 schema for the objects that psopack writes: required members, no others, allowed words.
 */
#include "fixture.h"

#include <jansson.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct text_sink {
    char *text;
    size_t size;
    size_t fail_at; /* bytes; 0 for never */
} text_sink;

static psopack_status take(void *context, const char *bytes, size_t size)
{
    text_sink *sink = context;
    if (sink->fail_at && sink->size + size >= sink->fail_at)
        return PSOPACK_E_NO_SPACE;
    sink->text = realloc(sink->text, sink->size + size + 1);
    assert_non_null(sink->text);
    memcpy(sink->text + sink->size, bytes, size);
    sink->size += size;
    sink->text[sink->size] = '\0';
    return PSOPACK_OK;
}

typedef psopack_status (*report_call)(const psopack_lint *, const psopack_lint_report_options *);

static char *report(const psopack_lint *lint, report_call call, size_t names_max)
{
    text_sink sink = {0};
    psopack_lint_report_options options = PSOPACK_LINT_REPORT_OPTIONS_INIT;
    options.artifact = "out dir/b:\xc3\xa9.psopack";
    options.version = "0.1.0";
    options.names_max = names_max;
    options.write = take;
    options.write_context = &sink;
    assert_int_equal(call(lint, &options), PSOPACK_OK);
    return sink.text;
}

/* Findings of each severity, one suppressed; names that are not UTF-8, with a newline. */
static void fill(lint_shelf *shelf)
{
    const char *suppressions = "limits-late-alloc old/* level is cut\n";
    made_rootsig made = {.version = 2};
    psopack_limits limits = {{23}};
    size_t size;
    shelf_init(shelf);
    shelf->options.tier = 1;
    shelf_begin(shelf);
    assert_int_equal(
        psopack_lint_add_suppressions(shelf->lint, suppressions, strlen(suppressions), NULL),
        PSOPACK_OK);
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_CBV, 15, 0, 0, APPEND);
    uint8_t *bytes = make_rootsig(&made, &size);
    free_made(&made);
    uint64_t rootsig = shelf_put(shelf, bytes, size);
    uint64_t blob = shelf_limits(shelf, &limits);
    shelf_pso(shelf, "a", "limits", blob, "rootsig", rootsig, NULL);
    shelf_pso(shelf, "b\xff\n", "limits", blob, NULL);
    shelf_pso(shelf, "c", "limits", blob, NULL);
    shelf_pso(shelf, "old/d", "limits", blob, NULL);
    shelf_finish(shelf);
}

static void test_text_shows_all_that_matters(void **state)
{
    (void)state;
    lint_shelf shelf;
    fill(&shelf);
    char *text = report(shelf.lint, psopack_lint_report_text, 2);
    const char *const parts[] = {
        "out dir/b:\xc3\xa9.psopack: 4 PSOs: tier 3: 1; no root signature read: 3\n",
        "  tier 3: a [binding-cbv ps: 15, limit 14]\n",
        "error: MaxWavesWithLateAllocParameterCache is 23, above 22,",
        "[limits-late-alloc]\n  a\n  b\xff\\x0a\n  and 1 more PSOs\n  remedy: Lower",
        "  see doc/lint/limits-late-alloc.md\n",
        "error: Too many CBVs in descriptor tables for one stage. ps: 15, tier 1 allows 14",
        "suppressed error: ",
        "  reason: level is cut\n",
        "2 errors, 0 warnings, 2 notes, 1 suppressed\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!strstr(text, parts[i]))
            fail_msg("not in the report: %s\n%s", parts[i], text);
    }
    free(text);
    shelf_end(&shelf);
}

static void test_histogram_has_thousands(void **state)
{
    (void)state;
    lint_shelf shelf;
    char name[16];
    shelf_init(&shelf);
    shelf_begin(&shelf);
    for (unsigned i = 0; i < 1234; i++) {
        snprintf(name, sizeof name, "%u", i);
        shelf_pso(&shelf, name, NULL);
    }
    shelf_finish(&shelf);
    char *text = report(shelf.lint, psopack_lint_report_text, 2);
    assert_non_null(strstr(text, ": 1,234 PSOs: no root signature read: 1,234\n"));
    free(text);
    shelf_end(&shelf);
}

static json_t *load(char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static void test_json_has_findings_and_tiers(void **state)
{
    (void)state;
    lint_shelf shelf;
    fill(&shelf);
    json_t *root = load(report(shelf.lint, psopack_lint_report_json, 0));
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "psopack.lint/1");
    assert_int_equal(json_integer_value(json_object_get(root, "psos")), 4);
    assert_int_equal(json_integer_value(json_object_get(root, "errors")), 2);
    json_t *by_tier = json_object_get(root, "psos_by_tier");
    assert_int_equal(json_integer_value(json_object_get(by_tier, "3")), 1);
    assert_int_equal(json_integer_value(json_object_get(by_tier, "unknown")), 3);
    json_t *first = json_array_get(json_object_get(root, "findings"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "rule")), "limits-late-alloc");
    assert_int_equal(json_integer_value(json_object_get(first, "measured")), 23);
    assert_int_equal(json_integer_value(json_object_get(first, "limit")), 22);
    json_t *names = json_object_get(first, "psos");
    assert_int_equal(json_array_size(names), 3);
    assert_string_equal(json_string_value(json_array_get(names, 1)), "b\\xff\\x0a");
    json_t *tiers = json_object_get(root, "tiers");
    assert_int_equal(json_array_size(tiers), 4);
    json_t *tier = json_array_get(tiers, 0);
    assert_int_equal(json_integer_value(json_object_get(tier, "tier")), 3);
    assert_string_equal(json_string_value(json_object_get(tier, "excluded_by")), "binding-cbv");
    assert_string_equal(json_string_value(json_object_get(tier, "stage")), "ps");
    assert_int_equal(json_integer_value(json_object_get(tier, "measured")), 15);
    assert_string_equal(json_string_value(json_object_get(json_array_get(tiers, 1), "tier")),
                        "unknown");
    json_decref(root);
    shelf_end(&shelf);
}

/* An object has each required member and none but the allowed; lists end with NULL. */
static void check_members(json_t *object, const char *const *required, const char *const *optional)
{
    const char *key;
    json_t *value;
    assert_true(json_is_object(object));
    for (size_t i = 0; required[i]; i++) {
        if (!json_object_get(object, required[i]))
            fail_msg("member %s is missing", required[i]);
    }
    json_object_foreach(object, key, value)
    {
        bool known = false;
        for (size_t i = 0; required[i]; i++)
            known |= !strcmp(key, required[i]);
        for (size_t i = 0; optional[i]; i++)
            known |= !strcmp(key, optional[i]);
        if (!known)
            fail_msg("member %s is not of this object", key);
    }
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NOTHING ((const char *const[]){NULL})

static const char *text_of(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_string(value));
    return json_string_value(value);
}

static void check_message(json_t *message)
{
    check_members(message, LIST("text"), NOTHING);
    assert_true(*text_of(message, "text") != '\0');
}

static void check_level(const char *level)
{
    assert_true(!strcmp(level, "none") || !strcmp(level, "note") || !strcmp(level, "warning") ||
                !strcmp(level, "error"));
}

/* URI references have no blanks, no bytes above 0x7f, no ':' in a first relative segment. */
static void check_uri(const char *uri)
{
    assert_true(*uri != '\0');
    for (; *uri; uri++)
        assert_non_null(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "-._~/%",
                               *uri));
}

static void check_rule(json_t *rule)
{
    check_members(
        rule, LIST("id"),
        LIST("shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"));
    check_message(json_object_get(rule, "shortDescription"));
    check_message(json_object_get(rule, "fullDescription"));
    check_message(json_object_get(rule, "help"));
    json_t *configuration = json_object_get(rule, "defaultConfiguration");
    check_members(configuration, LIST("level"), NOTHING);
    check_level(text_of(configuration, "level"));
}

static void check_location(json_t *location)
{
    check_members(location, NOTHING, LIST("physicalLocation", "logicalLocations"));
    json_t *physical = json_object_get(location, "physicalLocation");
    check_members(physical, LIST("artifactLocation"), NOTHING);
    json_t *artifact = json_object_get(physical, "artifactLocation");
    check_members(artifact, LIST("uri", "index"), NOTHING);
    check_uri(text_of(artifact, "uri"));
    assert_int_equal(json_integer_value(json_object_get(artifact, "index")), 0);
    json_t *logical = json_object_get(location, "logicalLocations");
    for (size_t i = 0; i < json_array_size(logical); i++) {
        check_members(json_array_get(logical, i), LIST("fullyQualifiedName", "kind"), NOTHING);
        assert_string_equal(text_of(json_array_get(logical, i), "kind"), "resource");
    }
}

static void check_suppressions(json_t *suppressions)
{
    assert_true(json_is_array(suppressions));
    for (size_t i = 0; i < json_array_size(suppressions); i++) {
        json_t *item = json_array_get(suppressions, i);
        check_members(item, LIST("kind", "status", "justification"), NOTHING);
        assert_string_equal(text_of(item, "kind"), "external");
        assert_string_equal(text_of(item, "status"), "accepted");
    }
}

static void check_result(json_t *result, json_t *rules)
{
    check_members(result,
                  LIST("ruleId", "ruleIndex", "level", "message", "locations",
                       "partialFingerprints", "suppressions", "properties"),
                  LIST("occurrenceCount"));
    json_int_t index = json_integer_value(json_object_get(result, "ruleIndex"));
    json_t *rule = json_array_get(rules, (size_t)index);
    assert_string_equal(text_of(rule, "id"), text_of(result, "ruleId"));
    check_level(text_of(result, "level"));
    check_message(json_object_get(result, "message"));
    json_t *count = json_object_get(result, "occurrenceCount");
    assert_true(!count || json_integer_value(count) >= 1);
    json_t *locations = json_object_get(result, "locations");
    assert_true(json_array_size(locations) >= 1);
    for (size_t i = 0; i < json_array_size(locations); i++)
        check_location(json_array_get(locations, i));
    check_suppressions(json_object_get(result, "suppressions"));
    json_t *prints = json_object_get(result, "partialFingerprints");
    assert_int_equal(strlen(text_of(prints, "psopackFinding/v1")), 16);
}

static void test_sarif_obeys_the_schema(void **state)
{
    (void)state;
    lint_shelf shelf;
    fill(&shelf);
    json_t *root = load(report(shelf.lint, psopack_lint_report_sarif, 10));
    check_members(root, LIST("version", "runs"), NOTHING);
    assert_string_equal(text_of(root, "version"), "2.1.0");
    assert_int_equal(json_array_size(json_object_get(root, "runs")), 1);
    json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    check_members(run, LIST("tool", "results"), LIST("artifacts"));
    check_members(json_object_get(run, "tool"), LIST("driver"), NOTHING);
    json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    check_members(driver, LIST("name", "rules"), LIST("version"));
    json_t *rules = json_object_get(driver, "rules");
    assert_int_equal(json_array_size(rules), psopack_lint_rule_count());
    for (size_t i = 0; i < json_array_size(rules); i++)
        check_rule(json_array_get(rules, i));
    json_t *artifact = json_array_get(json_object_get(run, "artifacts"), 0);
    check_members(artifact, LIST("location"), NOTHING);
    assert_string_equal(text_of(json_object_get(artifact, "location"), "uri"),
                        "out%20dir/b%3A%C3%A9.psopack");
    json_t *results = json_object_get(run, "results");
    assert_int_equal(json_array_size(results), psopack_lint_finding_count(shelf.lint));
    for (size_t i = 0; i < json_array_size(results); i++)
        check_result(json_array_get(results, i), rules);
    json_t *last = json_array_get(results, json_array_size(results) - 1);
    assert_int_equal(json_array_size(json_object_get(last, "suppressions")), 1);
    json_decref(root);
    shelf_end(&shelf);
}

static void test_write_failures_come_back(void **state)
{
    (void)state;
    const report_call calls[] = {psopack_lint_report_text, psopack_lint_report_json,
                                 psopack_lint_report_sarif};
    lint_shelf shelf;
    fill(&shelf);
    for (size_t i = 0; i < 3; i++) {
        char *whole = report(shelf.lint, calls[i], 10);
        size_t size = strlen(whole) / 2; /* the artifact's name is missing below */
        free(whole);
        for (size_t at = 1; at < size; at += 37) {
            text_sink sink = {.fail_at = at};
            psopack_lint_report_options options = PSOPACK_LINT_REPORT_OPTIONS_INIT;
            options.write = take;
            options.write_context = &sink;
            assert_int_equal(calls[i](shelf.lint, &options), PSOPACK_E_NO_SPACE);
            free(sink.text);
        }
    }
    shelf_end(&shelf);
}

static void test_same_input_same_report(void **state)
{
    (void)state;
    lint_shelf one, two;
    fill(&one);
    fill(&two);
    char *a = report(one.lint, psopack_lint_report_sarif, 10);
    char *b = report(two.lint, psopack_lint_report_sarif, 10);
    assert_string_equal(a, b);
    free(a);
    free(b);
    shelf_end(&one);
    shelf_end(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_shows_all_that_matters),
        cmocka_unit_test(test_histogram_has_thousands),
        cmocka_unit_test(test_json_has_findings_and_tiers),
        cmocka_unit_test(test_sarif_obeys_the_schema),
        cmocka_unit_test(test_write_failures_come_back),
        cmocka_unit_test(test_same_input_same_report),
    };
    return cmocka_run_group_tests_name("lint reports", tests, NULL, NULL);
}
