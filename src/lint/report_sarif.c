/* SPDX-License-Identifier: MIT */
/*
 * The SARIF 2.1.0 report: one run, one result per finding. The archive is the artifact; PSOs have
 * no lines, so each is a logical location in it.
 */
#include "lint/report.h"

#include "lint/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static json_t *message(const char *text, bool *ok)
{
    json_t *object = json_object();
    psopack_report_set(object, "text", psopack_report_string(text), ok);
    return object;
}

static json_t *rule_object(const psopack_lint_rule *rule, bool *ok)
{
    char text[1024];
    json_t *object = json_object();
    json_t *configuration = json_object();
    json_t *properties = json_object();
    psopack_report_set(object, "id", json_string(rule->id), ok);
    psopack_report_set(object, "shortDescription", message(rule->title, ok), ok);
    snprintf(text, sizeof text, "%s Limit: %s. Source: %s.", rule->title, rule->limit,
             rule->source);
    psopack_report_set(object, "fullDescription", message(text, ok), ok);
    snprintf(text, sizeof text, "%s See %s.", rule->remedy, rule->page);
    psopack_report_set(object, "help", message(text, ok), ok);
    psopack_report_set(configuration, "level", json_string(psopack_report_severity(rule->severity)),
                       ok);
    psopack_report_set(object, "defaultConfiguration", configuration, ok);
    psopack_report_set(properties, "limit", json_string(rule->limit), ok);
    psopack_report_set(properties, "source", json_string(rule->source), ok);
    psopack_report_set(properties, "page", json_string(rule->page), ok);
    psopack_report_set(object, "properties", properties, ok);
    return object;
}

static json_t *tool_object(const psopack_lint_report_options *options, bool *ok)
{
    json_t *tool = json_object();
    json_t *driver = json_object();
    json_t *rules = json_array();
    for (size_t i = 0; i < psopack_lint_rule_count(); i++)
        psopack_report_append(rules, rule_object(psopack_lint_rule_at(i), ok), ok);
    psopack_report_set(driver, "name", json_string("psopack lint"), ok);
    if (options->version)
        psopack_report_set(driver, "version", psopack_report_string(options->version), ok);
    psopack_report_set(driver, "rules", rules, ok);
    psopack_report_set(tool, "driver", driver, ok);
    return tool;
}

/* A path as a URI reference: everything but unreserved characters and '/' is percent-encoded. */
static json_t *uri(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~/";
    char *text = malloc(3 * strlen(path) + 1);
    if (!text)
        return NULL;
    char *out = text;
    for (; *path; path++) {
        if (strchr(plain, *path))
            *out++ = *path;
        else
            out += snprintf(out, 4, "%%%02X", (unsigned)(unsigned char)*path);
    }
    *out = '\0';
    json_t *string = json_string(text);
    free(text);
    return string;
}

static json_t *artifact_location(const psopack_lint_report_options *options, bool *ok)
{
    json_t *location = json_object();
    psopack_report_set(location, "uri", uri(options->artifact), ok);
    psopack_report_set(location, "index", json_integer(0), ok);
    return location;
}

/* A place in the archive; `pso` may be NULL for the archive as a whole. */
static json_t *location_object(const psopack_lint_report_options *options, const char *pso,
                               bool *ok)
{
    json_t *location = json_object();
    if (options->artifact) {
        json_t *physical = json_object();
        psopack_report_set(physical, "artifactLocation", artifact_location(options, ok), ok);
        psopack_report_set(location, "physicalLocation", physical, ok);
    }
    if (pso) {
        json_t *logical = json_object();
        json_t *list = json_array();
        psopack_report_set(logical, "fullyQualifiedName", psopack_report_string(pso), ok);
        psopack_report_set(logical, "kind", json_string("resource"), ok);
        psopack_report_append(list, logical, ok);
        psopack_report_set(location, "logicalLocations", list, ok);
    }
    return location;
}

static json_t *locations_array(const psopack_lint *lint, const psopack_lint_report_options *options,
                               const psopack_lint_finding *finding, bool *ok)
{
    json_t *locations = json_array();
    size_t shown = psopack_report_shown(options, finding->pso_count);
    for (size_t i = 0; i < shown; i++)
        psopack_report_append(
            locations, location_object(options, psopack_lint_pso_name(lint, finding->psos[i]), ok),
            ok);
    if (!shown)
        psopack_report_append(locations, location_object(options, NULL, ok), ok);
    return locations;
}

/* The same finding in the next build has the same fingerprint, whatever its counts. */
static json_t *fingerprints(const psopack_lint_finding *finding, bool *ok)
{
    char hex[17];
    XXH64_hash_t hash = XXH3_64bits(finding->rule->id, strlen(finding->rule->id));
    hash = XXH3_64bits_withSeed(finding->subject, strlen(finding->subject), hash);
    if (finding->slot)
        hash = XXH3_64bits_withSeed(finding->slot, strlen(finding->slot), hash);
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)hash);
    json_t *object = json_object();
    psopack_report_set(object, "psopackFinding/v1", json_string(hex), ok);
    return object;
}

static json_t *suppressions(const psopack_lint_finding *finding, bool *ok)
{
    json_t *list = json_array();
    if (!finding->suppressed)
        return list;
    json_t *object = json_object();
    psopack_report_set(object, "kind", json_string("external"), ok);
    psopack_report_set(object, "status", json_string("accepted"), ok);
    psopack_report_set(object, "justification", psopack_report_string(finding->suppressed), ok);
    psopack_report_append(list, object, ok);
    return list;
}

static json_t *properties(const psopack_lint_finding *finding, bool *ok)
{
    json_t *object = json_object();
    psopack_report_set(object, "psoCount", json_integer((json_int_t)finding->pso_count), ok);
    if (finding->slot)
        psopack_report_set(object, "slot", psopack_report_string(finding->slot), ok);
    if (finding->has_limit) {
        psopack_report_set(object, "measured", json_integer((json_int_t)finding->measured), ok);
        psopack_report_set(object, "limit", json_integer((json_int_t)finding->limit), ok);
    }
    return object;
}

static json_t *result_object(const psopack_lint *lint, const psopack_lint_report_options *options,
                             const psopack_lint_finding *finding, bool *ok)
{
    json_t *result = json_object();
    psopack_report_set(result, "ruleId", json_string(finding->rule->id), ok);
    psopack_report_set(result, "ruleIndex", json_integer(psopack_rule_number_of(finding->rule)),
                       ok);
    psopack_report_set(result, "level", json_string(psopack_report_severity(finding->severity)),
                       ok);
    psopack_report_set(result, "message", message(finding->message, ok), ok);
    psopack_report_set(result, "locations", locations_array(lint, options, finding, ok), ok);
    if (finding->pso_count)
        psopack_report_set(result, "occurrenceCount", json_integer((json_int_t)finding->pso_count),
                           ok);
    psopack_report_set(result, "partialFingerprints", fingerprints(finding, ok), ok);
    psopack_report_set(result, "suppressions", suppressions(finding, ok), ok);
    psopack_report_set(result, "properties", properties(finding, ok), ok);
    return result;
}

static json_t *artifacts_array(const psopack_lint_report_options *options, bool *ok)
{
    json_t *list = json_array();
    json_t *artifact = json_object();
    json_t *location = json_object();
    psopack_report_set(location, "uri", uri(options->artifact), ok);
    psopack_report_set(artifact, "location", location, ok);
    psopack_report_append(list, artifact, ok);
    return list;
}

static json_t *run_object(const psopack_lint *lint, const psopack_lint_report_options *options,
                          bool *ok)
{
    json_t *run = json_object();
    json_t *results = json_array();
    for (size_t i = 0; i < psopack_lint_finding_count(lint); i++)
        psopack_report_append(
            results, result_object(lint, options, psopack_lint_finding_at(lint, i), ok), ok);
    psopack_report_set(run, "tool", tool_object(options, ok), ok);
    if (options->artifact)
        psopack_report_set(run, "artifacts", artifacts_array(options, ok), ok);
    psopack_report_set(run, "results", results, ok);
    return run;
}

psopack_status psopack_lint_report_sarif(const psopack_lint *lint,
                                         const psopack_lint_report_options *options)
{
    bool ok = true;
    json_t *root = json_object();
    json_t *runs = json_array();
    psopack_report_append(runs, run_object(lint, options, &ok), &ok);
    psopack_report_set(root, "version", json_string("2.1.0"), &ok);
    psopack_report_set(root, "runs", runs, &ok);
    return psopack_report_dump(root, ok, options);
}
