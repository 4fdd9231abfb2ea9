/* SPDX-License-Identifier: MIT */
/* Lists as input: lines of pso<TAB>slot<TAB>path, or one JSON object a line. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "packer/inputs.h"

typedef struct list_state {
    psopack_inputs *inputs;
    const char *name;
    uint32_t origin;
    uint64_t line;
} list_state;

/* One record: views into the line or into a JSON object. */
typedef struct list_record {
    const char *pso, *slot, *path;
    size_t pso_size, slot_size, path_size;
    uint64_t key;
    bool has_key;
} list_record;

static psopack_status at_line(const list_state *state, psopack_status code, size_t column,
                              const char *what, psopack_diag *diag)
{
    return psopack_fail_at(diag, code, PSOPACK_OBJECT_LINE, state->line, PSOPACK_NO_OFFSET,
                           "%s:%llu:%zu: %s", state->name, (unsigned long long)state->line, column,
                           what);
}

static psopack_status set_key(list_state *state, uint32_t pso, uint64_t key, psopack_diag *diag)
{
    psopack_input_pso *input = &state->inputs->psos[pso];
    if (input->has_key && input->key != key)
        return at_line(state, PSOPACK_E_DUPLICATE, 1, "a PSO with two different keys", diag);
    input->has_key = true;
    input->key = key;
    return PSOPACK_OK;
}

static psopack_status add_record(list_state *state, const list_record *record, psopack_diag *diag)
{
    psopack_diag inner = {0};
    psopack_input_source source = {NULL};
    uint32_t pso = 0;
    if (record->path_size == 0 || memchr(record->path, 0, record->path_size))
        return at_line(state, PSOPACK_E_SYNTAX, 1, "the path is empty or holds a NUL", diag);
    PSOPACK_TRY(
        psopack_inputs_copy(state->inputs, record->path, record->path_size, &source.path, diag));
    psopack_status status = psopack_inputs_add_pso(state->inputs, state->origin, record->pso,
                                                   record->pso_size, &pso, &inner);
    if (status == PSOPACK_OK)
        status = psopack_inputs_add_file(state->inputs, pso, record->slot, record->slot_size,
                                         source, 0, &inner);
    if (status != PSOPACK_OK)
        return at_line(state, status, 1, inner.text, diag);
    return record->has_key ? set_key(state, pso, record->key, diag) : PSOPACK_OK;
}

static psopack_status take_tsv(list_state *state, const char *line, size_t size, psopack_diag *diag)
{
    const char *tab = memchr(line, '\t', size);
    const char *second = tab ? memchr(tab + 1, '\t', size - (size_t)(tab + 1 - line)) : NULL;
    if (!second)
        return at_line(state, PSOPACK_E_SYNTAX, size + 1, "expected pso<TAB>slot<TAB>path", diag);
    list_record record = {
        .pso = line,
        .pso_size = (size_t)(tab - line),
        .slot = tab + 1,
        .slot_size = (size_t)(second - tab - 1),
        .path = second + 1,
        .path_size = size - (size_t)(second + 1 - line),
    };
    return add_record(state, &record, diag);
}

/* A key is a JSON integer, or a string for values above 2^63 ("0x..." or decimal). */
static bool parse_key(const json_t *value, uint64_t *ret_key)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *ret_key = (uint64_t)json_integer_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *ret_key = strtoull(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
    return end == text + json_string_length(value) && errno == 0;
}

static bool get_string(const json_t *object, const char *key, const char **ret_bytes,
                       size_t *ret_size)
{
    const json_t *value = json_object_get(object, key);
    *ret_bytes = json_string_value(value);
    *ret_size = json_string_length(value);
    return *ret_bytes != NULL;
}

static psopack_status take_object(list_state *state, const json_t *object, psopack_diag *diag)
{
    list_record record = {0};
    const json_t *key = json_object_get(object, "key");
    if (!get_string(object, "pso", &record.pso, &record.pso_size) ||
        !get_string(object, "slot", &record.slot, &record.slot_size) ||
        !get_string(object, "path", &record.path, &record.path_size))
        return at_line(state, PSOPACK_E_SYNTAX, 1,
                       "expected an object with strings \"pso\", \"slot\" and \"path\"", diag);
    record.has_key = key != NULL;
    if (key && !parse_key(key, &record.key))
        return at_line(state, PSOPACK_E_SYNTAX, 1,
                       "\"key\" must be an unsigned 64-bit integer, as number or string", diag);
    return add_record(state, &record, diag);
}

static psopack_status take_json(list_state *state, const char *line, size_t size,
                                psopack_diag *diag)
{
    json_error_t error;
    json_t *object = json_loadb(line, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!object)
        return at_line(state, PSOPACK_E_SYNTAX, error.column > 0 ? (size_t)error.column : 1,
                       error.text, diag);
    psopack_status status = take_object(state, object, diag);
    json_decref(object);
    return status;
}

psopack_status psopack_ingest_list(psopack_inputs *inputs, const char *name, const void *text,
                                   size_t size, bool null_separated, psopack_diag *diag)
{
    list_state state = {.inputs = inputs, .name = name};
    const char *at = text, *end = at + size;
    char separator = null_separated ? '\0' : '\n';
    PSOPACK_TRY(psopack_inputs_add_origin(inputs, PSOPACK_ORIGIN_LIST, name, &state.origin, diag));
    bool is_json = size != 0 && *at == '{';
    while (at < end) {
        const char *stop = memchr(at, separator, (size_t)(end - at));
        size_t line_size = (size_t)((stop ? stop : end) - at);
        state.line++;
        if (line_size != 0)
            PSOPACK_TRY(is_json ? take_json(&state, at, line_size, diag)
                                : take_tsv(&state, at, line_size, diag));
        at += line_size + 1;
    }
    return PSOPACK_OK;
}
