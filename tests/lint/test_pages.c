/* SPDX-License-Identifier: MIT */
/* Each rule has a page that names the rule, its source and its limit; the index lists them all. */
#include <psopack/lint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_page(const char *path)
{
    char full[1024];
    snprintf(full, sizeof full, "%s/%s", PSOPACK_SOURCE_ROOT, path);
    FILE *file = fopen(full, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    size_t size = fread(text, 1, 65535, file);
    assert_true(size < 65535);
    fclose(file);
    return text;
}

static void test_every_rule_has_its_page(void **state)
{
    (void)state;
    for (size_t i = 0; i < psopack_lint_rule_count(); i++) {
        const psopack_lint_rule *rule = psopack_lint_rule_at(i);
        char *page = read_page(rule->page);
        const char *const parts[] = {rule->id, rule->title, rule->source, rule->limit};
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
            if (!strstr(page, parts[p]))
                fail_msg("%s does not say: %s", rule->page, parts[p]);
        }
        free(page);
    }
}

static void test_the_index_lists_every_rule(void **state)
{
    (void)state;
    char *index = read_page("doc/lint/README.md");
    for (size_t i = 0; i < psopack_lint_rule_count(); i++) {
        char link[128];
        const char *id = psopack_lint_rule_at(i)->id;
        snprintf(link, sizeof link, "[%s](%s.md)", id, id);
        if (!strstr(index, link))
            fail_msg("the index has no %s", link);
    }
    free(index);
}

static void test_rules_are_complete_and_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < psopack_lint_rule_count(); i++) {
        const psopack_lint_rule *rule = psopack_lint_rule_at(i);
        assert_true(rule->id && rule->title && rule->page && rule->source && rule->limit &&
                    rule->remedy);
        assert_in_range(rule->severity, PSOPACK_LINT_NOTE, PSOPACK_LINT_ERROR);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rule->id, psopack_lint_rule_at(k)->id);
    }
    assert_null(psopack_lint_rule_at(psopack_lint_rule_count()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rule_has_its_page),
        cmocka_unit_test(test_the_index_lists_every_rule),
        cmocka_unit_test(test_rules_are_complete_and_unique),
    };
    return cmocka_run_group_tests_name("lint pages", tests, NULL, NULL);
}
