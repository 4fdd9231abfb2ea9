/* SPDX-License-Identifier: MIT */
/* Reading suppression and live-set files. */
#include "lint/patterns.h"

#include "lint/grow.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

typedef struct span {
    const char *at;
    size_t size;
} span;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static span skip_blanks(span text)
{
    while (text.size && is_blank(*text.at)) {
        text.at++;
        text.size--;
    }
    return text;
}

static span trim_end(span text)
{
    while (text.size && is_blank(text.at[text.size - 1]))
        text.size--;
    return text;
}

/* Cuts the first word off `*text` and the blanks behind it. */
static span take_word(span *text)
{
    span word = {text->at, 0};
    while (word.size < text->size && !is_blank(text->at[word.size]))
        word.size++;
    *text = skip_blanks((span){text->at + word.size, text->size - word.size});
    return word;
}

static span take_line(span *text)
{
    const char *end = memchr(text->at, '\n', text->size);
    span line = {text->at, end ? (size_t)(end - text->at) : text->size};
    size_t used = end ? line.size + 1 : line.size;
    *text = (span){text->at + used, text->size - used};
    return line;
}

static char *copy_span(span text)
{
    char *copy = malloc(text.size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text.at, text.size);
    copy[text.size] = '\0';
    return copy;
}

static psopack_status fail_line(psopack_diag *diag, psopack_status code, uint64_t line,
                                const char *text)
{
    return psopack_fail_at(diag, code, PSOPACK_OBJECT_LINE, line, PSOPACK_NO_OFFSET, "%s", text);
}

/* Adds an item with copies of glob and reason; a reason without bytes is none. */
static psopack_status append(psopack_patterns *patterns, psopack_pattern pattern, span glob,
                             span reason, psopack_diag *diag)
{
    if (memchr(glob.at, '\0', glob.size) || (reason.size && memchr(reason.at, '\0', reason.size)))
        return fail_line(diag, PSOPACK_E_SYNTAX, pattern.line, "the line has a zero byte");
    psopack_pattern *items =
        psopack_lint_grow(patterns->items, &patterns->capacity, patterns->count + 1, sizeof *items);
    if (!items)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "lint: out of memory");
    patterns->items = items;
    pattern.glob = copy_span(glob);
    pattern.reason = reason.size ? copy_span(reason) : NULL;
    items[patterns->count++] = pattern;
    if (!pattern.glob || (reason.size && !pattern.reason))
        return psopack_fail(diag, PSOPACK_E_NOMEM, "lint: out of memory");
    return PSOPACK_OK;
}

static psopack_status add_suppression(psopack_patterns *patterns, span line, uint64_t number,
                                      psopack_diag *diag)
{
    span rule = take_word(&line);
    span glob = take_word(&line);
    psopack_pattern pattern = {.rule = psopack_rule_find(rule.at, rule.size), .line = number};
    if (pattern.rule == PSOPACK_RULE_COUNT)
        return fail_line(diag, PSOPACK_E_SYNTAX, number, "the line begins with no known rule id");
    if (!glob.size)
        return fail_line(diag, PSOPACK_E_SYNTAX, number, "a PSO glob must follow the rule id");
    if (!line.size)
        return fail_line(diag, PSOPACK_E_SYNTAX, number,
                         "a reason must follow the PSO glob: whoever reads this later needs it");
    return append(patterns, pattern, glob, line, diag);
}

static psopack_status add_live(psopack_patterns *patterns, span line, uint64_t number,
                               psopack_diag *diag)
{
    psopack_pattern pattern = {.rule = PSOPACK_RULE_COUNT, .line = number};
    return append(patterns, pattern, line, (span){line.at, 0}, diag);
}

/* Calls `add` for each line that is neither blank nor a comment, without blanks at its ends. */
static psopack_status each_line(psopack_patterns *patterns, span text, psopack_diag *diag,
                                psopack_status (*add)(psopack_patterns *, span, uint64_t,
                                                      psopack_diag *))
{
    for (uint64_t number = 1; text.size; number++) {
        span line = take_line(&text);
        if (line.size && line.at[0] == '#')
            continue;
        line = trim_end(skip_blanks(line));
        if (line.size)
            PSOPACK_TRY(add(patterns, line, number, diag));
    }
    return PSOPACK_OK;
}

psopack_status psopack_patterns_add_suppressions(psopack_patterns *patterns, const char *text,
                                                 size_t size, psopack_diag *diag)
{
    return each_line(patterns, (span){text, size}, diag, add_suppression);
}

psopack_status psopack_patterns_add_live_set(psopack_patterns *patterns, const char *text,
                                             size_t size, psopack_diag *diag)
{
    return each_line(patterns, (span){text, size}, diag, add_live);
}

static bool matches(const psopack_pattern *pattern, const psopack_collection *collection,
                    uint32_t pso)
{
    return fnmatch(pattern->glob, psopack_collection_pso_name(collection, pso), 0) == 0;
}

psopack_status psopack_patterns_mark(psopack_patterns *patterns,
                                     const psopack_collection *collection, uint8_t *ret_live,
                                     psopack_diag *diag)
{
    uint32_t count = psopack_collection_pso_count(collection);
    memset(ret_live, patterns->count == 0, count);
    for (size_t i = 0; i < patterns->count; i++) {
        psopack_pattern *pattern = &patterns->items[i];
        for (uint32_t pso = 0; pso < count; pso++) {
            if (!matches(pattern, collection, pso))
                continue;
            pattern->hit = true;
            ret_live[pso] = 1;
        }
        if (!pattern->hit)
            return psopack_fail_at(diag, PSOPACK_E_NOT_FOUND, PSOPACK_OBJECT_LINE, pattern->line,
                                   PSOPACK_NO_OFFSET, "live set: no PSO matches '%s'",
                                   pattern->glob);
    }
    return PSOPACK_OK;
}

void psopack_patterns_free(psopack_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++) {
        free(patterns->items[i].glob);
        free(patterns->items[i].reason);
    }
    free(patterns->items);
    *patterns = (psopack_patterns){0};
}
