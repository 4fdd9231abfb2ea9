/* SPDX-License-Identifier: MIT */
/* Findings: creation, growth, order. */
#include "lint/findings.h"

#include "lint/grow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_string(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void psopack_finding_free(psopack_finding *finding)
{
    if (!finding)
        return;
    free(finding->message);
    free(finding->subject);
    free(finding->psos);
    free(finding);
}

psopack_finding *psopack_findings_new(psopack_findings *findings, psopack_rule_number rule,
                                      const char *subject)
{
    psopack_finding **items =
        psopack_lint_grow(findings->items, &findings->capacity, findings->count + 1, sizeof *items);
    if (!items)
        return NULL;
    findings->items = items;
    psopack_finding *finding = calloc(1, sizeof *finding);
    if (!finding)
        return NULL;
    finding->subject = copy_string(subject);
    finding->message = copy_string("");
    if (!finding->subject || !finding->message) {
        psopack_finding_free(finding);
        return NULL;
    }
    finding->public.rule = psopack_lint_rule_at(rule);
    finding->public.severity = finding->public.rule->severity;
    finding->public.subject = finding->subject;
    finding->public.message = finding->message;
    finding->order = (uint32_t)findings->count;
    items[findings->count++] = finding;
    return finding;
}

psopack_status psopack_finding_say(psopack_finding *finding, const char *format, ...)
{
    if (!finding)
        return PSOPACK_E_NOMEM;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0)
        return PSOPACK_E_INTERNAL;
    if ((size_t)size >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    char *message = copy_string(text);
    if (!message)
        return PSOPACK_E_NOMEM;
    free(finding->message);
    finding->message = message;
    finding->public.message = message;
    return PSOPACK_OK;
}

psopack_status psopack_finding_add_pso(psopack_finding *finding, uint32_t pso)
{
    if (!finding)
        return PSOPACK_E_NOMEM;
    size_t count = finding->public.pso_count;
    if (count && finding->psos[count - 1] == pso)
        return PSOPACK_OK;
    uint32_t *psos =
        psopack_lint_grow(finding->psos, &finding->pso_capacity, count + 1, sizeof *psos);
    if (!psos)
        return PSOPACK_E_NOMEM;
    psos[count] = pso;
    finding->psos = psos;
    finding->public.psos = psos;
    finding->public.pso_count = count + 1;
    return PSOPACK_OK;
}

static int compare(const void *left, const void *right)
{
    const psopack_finding *a = *(psopack_finding *const *)left;
    const psopack_finding *b = *(psopack_finding *const *)right;
    if (!a->public.suppressed != !b->public.suppressed)
        return a->public.suppressed ? 1 : -1;
    if (a->public.severity != b->public.severity)
        return a->public.severity > b->public.severity ? -1 : 1;
    if (a->public.rule != b->public.rule)
        return a->public.rule < b->public.rule ? -1 : 1;
    if (a->public.pso_count != b->public.pso_count)
        return a->public.pso_count > b->public.pso_count ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void psopack_findings_sort(psopack_findings *findings)
{
    if (findings->count)
        qsort(findings->items, findings->count, sizeof findings->items[0], compare);
}

void psopack_findings_free(psopack_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        psopack_finding_free(findings->items[i]);
    free(findings->items);
    *findings = (psopack_findings){0};
}
