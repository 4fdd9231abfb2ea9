/* SPDX-License-Identifier: MIT */
/* The report for people: tiers first, then findings, worst first, then one line of totals. */
#include "lint/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A report on its way out; after the first failure nothing more is written. */
typedef struct text_report {
    const psopack_lint *lint;
    const psopack_lint_report_options *options;
    psopack_status status;
} text_report;

static void put(text_report *out, const char *text)
{
    if (out->status == PSOPACK_OK)
        out->status = out->options->write(out->options->write_context, text, strlen(text));
}

PSOPACK_PRINTF(2, 3) static void say(text_report *out, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(out, text);
}

/* Names, messages and reasons may hold anything. */
static void put_safe(text_report *out, const char *text)
{
    char *escaped = psopack_report_escape(text, false);
    if (escaped)
        put(out, escaped);
    else
        out->status = PSOPACK_E_NOMEM;
    free(escaped);
}

/* A number with its thousands separated, whatever the locale. */
static void put_number(text_report *out, uint64_t value)
{
    char text[32];
    char *at = text + sizeof text;
    *--at = '\0';
    for (unsigned digits = 0; digits == 0 || value; digits++, value /= 10) {
        if (digits && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + value % 10);
    }
    put(out, at);
}

static const char *tier_label(int tier)
{
    static const char *const labels[PSOPACK_TIER_COUNT] = {"no root signature read", "tier 1",
                                                           "tier 2", "tier 3", "no tier"};
    return labels[tier];
}

/* "4,812 PSOs: tier 1: 4,790; tier 2: 21; tier 3: 1" */
static void put_histogram(text_report *out, const psopack_lint_summary *summary)
{
    static const int order[PSOPACK_TIER_COUNT] = {1, 2, 3, PSOPACK_TIER_NONE, PSOPACK_TIER_UNKNOWN};
    const char *separator = ": ";
    put_number(out, summary->psos);
    put(out, " PSOs");
    for (unsigned i = 0; i < PSOPACK_TIER_COUNT; i++) {
        if (!summary->psos_by_tier[order[i]])
            continue;
        put(out, separator);
        separator = "; ";
        put(out, tier_label(order[i]));
        put(out, ": ");
        put_number(out, summary->psos_by_tier[order[i]]);
    }
    put(out, "\n");
}

static void put_tier(text_report *out, size_t pso, const psopack_lint_pso_tier *tier)
{
    say(out, "  %s: ", tier_label(tier->tier));
    put_safe(out, psopack_lint_pso_name(out->lint, pso));
    if (tier->rule) {
        say(out, " [%s%s%s", tier->rule->id, *tier->stage ? " " : "", tier->stage);
        if (tier->has_limit)
            say(out, ": %llu, limit %llu", (unsigned long long)tier->measured,
                (unsigned long long)tier->limit);
        put(out, "]");
    }
    put(out, "\n");
}

/* PSOs of one tier, as many as the options allow. */
static void put_tier_list(text_report *out, int wanted, uint64_t count)
{
    size_t most =
        out->options->all_tiers ? (size_t)count : psopack_report_shown(out->options, (size_t)count);
    size_t shown = 0;
    for (size_t pso = 0; shown < most && pso < psopack_lint_pso_count(out->lint); pso++) {
        psopack_lint_pso_tier tier;
        if (psopack_lint_pso_tier_at(out->lint, pso, &tier) != PSOPACK_OK || tier.tier != wanted)
            continue;
        put_tier(out, pso, &tier);
        shown++;
    }
    if (shown < count)
        say(out, "  %s: and %llu more\n", tier_label(wanted), (unsigned long long)(count - shown));
}

static void put_tiers(text_report *out, const psopack_lint_summary *summary)
{
    put_histogram(out, summary);
    for (int tier = PSOPACK_TIER_NONE; tier >= 0; tier--) {
        if (tier > 1 || out->options->all_tiers)
            put_tier_list(out, tier, summary->psos_by_tier[tier]);
    }
    if (summary->root_signatures)
        say(out, "%llu root signatures, %llu live with %llu unique static samplers\n",
            (unsigned long long)summary->root_signatures,
            (unsigned long long)summary->live_root_signatures,
            (unsigned long long)summary->static_samplers);
}

static void put_finding(text_report *out, const psopack_lint_finding *finding)
{
    say(out, "%s%s: ", finding->suppressed ? "suppressed " : "",
        psopack_report_severity(finding->severity));
    put_safe(out, finding->message);
    say(out, " [%s]\n", finding->rule->id);
    if (finding->suppressed) {
        put(out, "  reason: ");
        put_safe(out, finding->suppressed);
        put(out, "\n");
        return;
    }
    size_t shown = psopack_report_shown(out->options, finding->pso_count);
    for (size_t i = 0; i < shown; i++) {
        put(out, "  ");
        put_safe(out, psopack_lint_pso_name(out->lint, finding->psos[i]));
        put(out, "\n");
    }
    if (shown < finding->pso_count)
        say(out, "  and %zu more PSOs\n", finding->pso_count - shown);
    say(out, "  remedy: %s\n", finding->rule->remedy);
    say(out, "  see %s\n", finding->rule->page);
}

psopack_status psopack_lint_report_text(const psopack_lint *lint,
                                        const psopack_lint_report_options *options)
{
    text_report out = {lint, options, PSOPACK_OK};
    psopack_lint_summary summary;
    psopack_lint_get_summary(lint, &summary);
    if (options->artifact) {
        put_safe(&out, options->artifact);
        put(&out, ": ");
    }
    put_tiers(&out, &summary);
    for (size_t i = 0; i < psopack_lint_finding_count(lint); i++)
        put_finding(&out, psopack_lint_finding_at(lint, i));
    say(&out, "%llu errors, %llu warnings, %llu notes, %llu suppressed\n",
        (unsigned long long)summary.errors, (unsigned long long)summary.warnings,
        (unsigned long long)summary.notes, (unsigned long long)summary.suppressed);
    return out.status;
}
