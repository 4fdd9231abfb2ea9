/* SPDX-License-Identifier: MIT */
/* The JSON report, schema psopack.lint/1: summary, findings, the tier of every PSO. */
#include "lint/report.h"

#include "lint/tiers.h"

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *name_list(const psopack_lint *lint, const psopack_lint_report_options *options,
                         const psopack_lint_finding *finding, bool *ok)
{
    json_t *names = json_array();
    size_t shown = psopack_report_shown(options, finding->pso_count);
    for (size_t i = 0; i < shown; i++)
        psopack_report_append(
            names, psopack_report_string(psopack_lint_pso_name(lint, finding->psos[i])), ok);
    return names;
}

static json_t *finding_object(const psopack_lint *lint, const psopack_lint_report_options *options,
                              const psopack_lint_finding *finding, bool *ok)
{
    json_t *object = json_object();
    psopack_report_set(object, "rule", json_string(finding->rule->id), ok);
    psopack_report_set(object, "severity", json_string(psopack_report_severity(finding->severity)),
                       ok);
    psopack_report_set(object, "message", psopack_report_string(finding->message), ok);
    psopack_report_set(object, "subject", psopack_report_string(finding->subject), ok);
    if (finding->slot)
        psopack_report_set(object, "slot", psopack_report_string(finding->slot), ok);
    if (finding->has_limit) {
        psopack_report_set(object, "measured", integer(finding->measured), ok);
        psopack_report_set(object, "limit", integer(finding->limit), ok);
    }
    psopack_report_set(object, "pso_count", integer(finding->pso_count), ok);
    psopack_report_set(object, "psos", name_list(lint, options, finding, ok), ok);
    psopack_report_set(object, "page", json_string(finding->rule->page), ok);
    if (finding->suppressed)
        psopack_report_set(object, "suppressed", psopack_report_string(finding->suppressed), ok);
    return object;
}

static json_t *findings_array(const psopack_lint *lint, const psopack_lint_report_options *options,
                              bool *ok)
{
    json_t *findings = json_array();
    for (size_t i = 0; i < psopack_lint_finding_count(lint); i++)
        psopack_report_append(
            findings, finding_object(lint, options, psopack_lint_finding_at(lint, i), ok), ok);
    return findings;
}

/* 1 to 3, or "none", or "unknown". */
static json_t *tier_value(int tier)
{
    if (tier == PSOPACK_TIER_UNKNOWN)
        return json_string("unknown");
    return tier == PSOPACK_TIER_NONE ? json_string("none") : json_integer(tier);
}

static json_t *tier_object(const psopack_lint *lint, size_t index, bool *ok)
{
    psopack_lint_pso_tier tier = {.tier = PSOPACK_TIER_UNKNOWN};
    psopack_lint_pso_tier_at(lint, index, &tier);
    json_t *object = json_object();
    psopack_report_set(object, "name", psopack_report_string(psopack_lint_pso_name(lint, index)),
                       ok);
    psopack_report_set(object, "tier", tier_value(tier.tier), ok);
    if (!tier.rule)
        return object;
    psopack_report_set(object, "excluded_by", json_string(tier.rule->id), ok);
    psopack_report_set(object, "stage", json_string(tier.stage), ok);
    if (tier.has_limit) {
        psopack_report_set(object, "measured", integer(tier.measured), ok);
        psopack_report_set(object, "limit", integer(tier.limit), ok);
    }
    return object;
}

static json_t *tiers_array(const psopack_lint *lint, bool *ok)
{
    json_t *tiers = json_array();
    for (size_t i = 0; i < psopack_lint_pso_count(lint); i++)
        psopack_report_append(tiers, tier_object(lint, i, ok), ok);
    return tiers;
}

static json_t *histogram(const psopack_lint_summary *summary, bool *ok)
{
    static const char *const keys[PSOPACK_TIER_COUNT] = {"unknown", "1", "2", "3", "none"};
    json_t *object = json_object();
    for (unsigned i = 0; i < PSOPACK_TIER_COUNT; i++)
        psopack_report_set(object, keys[i], integer(summary->psos_by_tier[i]), ok);
    return object;
}

static void add_summary(json_t *root, const psopack_lint_summary *summary, bool *ok)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"psos", summary->psos},
        {"references", summary->references},
        {"components", summary->components},
        {"fetched", summary->fetched},
        {"root_signatures", summary->root_signatures},
        {"live_root_signatures", summary->live_root_signatures},
        {"static_samplers", summary->static_samplers},
        {"static_samplers_limit", PSOPACK_STATIC_SAMPLERS_MAX},
        {"limits_values", summary->limits_values},
        {"errors", summary->errors},
        {"warnings", summary->warnings},
        {"notes", summary->notes},
        {"suppressed", summary->suppressed},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        psopack_report_set(root, numbers[i].key, integer(numbers[i].value), ok);
    psopack_report_set(root, "psos_by_tier", histogram(summary, ok), ok);
}

psopack_status psopack_lint_report_json(const psopack_lint *lint,
                                        const psopack_lint_report_options *options)
{
    psopack_lint_summary summary;
    bool ok = true;
    json_t *root = json_object();
    psopack_lint_get_summary(lint, &summary);
    psopack_report_set(root, "schema", json_string("psopack.lint/1"), &ok);
    if (options->artifact)
        psopack_report_set(root, "archive", psopack_report_string(options->artifact), &ok);
    add_summary(root, &summary, &ok);
    psopack_report_set(root, "findings", findings_array(lint, options, &ok), &ok);
    psopack_report_set(root, "tiers", tiers_array(lint, &ok), &ok);
    return psopack_report_dump(root, ok, options);
}
