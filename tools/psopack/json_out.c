/* SPDX-License-Identifier: MIT */
/* The one JSON object that a command prints with --json. */
#include "json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One thread builds objects, for one print. */
static bool memory_ran_out;

json_t *psopack_json_begin(const char *command)
{
    json_t *object = json_object();
    char schema[64];
    snprintf(schema, sizeof schema, "psopack.%s/1", command);
    psopack_json_set_text(object, "schema", schema);
    return object;
}

void psopack_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, value) != 0)
        memory_ran_out = true;
}

void psopack_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        memory_ran_out = true;
}

void psopack_json_set_number(json_t *object, const char *key, uint64_t value)
{
    if (value <= INT64_MAX) {
        psopack_json_set(object, key, json_integer((json_int_t)value));
        return;
    }
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    psopack_json_set_text(object, key, text);
}

void psopack_json_set_real(json_t *object, const char *key, double value)
{
    psopack_json_set(object, key, json_real(value));
}

void psopack_json_set_flag(json_t *object, const char *key, bool value)
{
    psopack_json_set(object, key, json_boolean(value));
}

void psopack_json_set_hex(json_t *object, const char *key, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * size + 1);
    if (!text) {
        memory_ran_out = true;
        return;
    }
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = ((const unsigned char *)bytes)[i];
        text[2 * i] = digits[byte >> 4];
        text[2 * i + 1] = digits[byte & 15];
    }
    psopack_json_set(object, key, json_stringn_nocheck(text, 2 * size));
    free(text);
}

/*
 * NULL when the bytes are not UTF-8. Lack of memory gives NULL as well, so it is tried again; where
 * there is none for the second try either, there is none for the longer form in hex.
 */
static json_t *string(const char *text, size_t size)
{
    json_t *value = json_stringn(text, size);
    return value ? value : json_stringn(text, size);
}

void psopack_json_set_bytes_text(json_t *object, const char *key, const char *text, size_t size)
{
    json_t *value = string(text, size);
    if (value) {
        psopack_json_set(object, key, value);
        return;
    }
    char hex_key[64];
    snprintf(hex_key, sizeof hex_key, "%s_hex", key);
    psopack_json_set_hex(object, hex_key, text, size);
}

void psopack_json_set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        psopack_json_set_bytes_text(object, key, text, strlen(text));
    else
        psopack_json_set(object, key, json_null());
}

void psopack_json_set_crc(json_t *object, const char *key, uint32_t crc)
{
    char text[9];
    snprintf(text, sizeof text, "%08" PRIx32, crc);
    psopack_json_set_text(object, key, text);
}

/* Messages quote names, which may be any bytes; they are for people, so no member text_hex. */
static json_t *message(const char *text)
{
    size_t size = strlen(text);
    json_t *value = string(text, size);
    if (value)
        return value;
    char *escaped = malloc(4 * size + 1);
    if (!escaped)
        return NULL;
    char *to = escaped;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        to += snprintf(to, 5, byte < 0x80 ? "%c" : "\\x%02x", byte);
    }
    value = json_string(escaped);
    free(escaped);
    return value;
}

void psopack_json_append_message(json_t *array, const char *text)
{
    psopack_json_append(array, message(text));
}

static const char *object_name(psopack_object object)
{
    static const char *const names[] = {NULL,        "file", "section", "block",
                                        "component", "pso",  "slot",    "line"};
    return (size_t)object < sizeof names / sizeof names[0] ? names[object] : NULL;
}

json_t *psopack_json_diag(const psopack_diag *diag)
{
    json_t *object = json_object();
    psopack_json_set_text(object, "code", psopack_status_name(diag->code));
    psopack_json_set(object, "text", message(diag->text));
    const char *name = object_name(diag->object);
    if (name)
        psopack_json_set_text(object, "object", name);
    if (name && diag->object != PSOPACK_OBJECT_FILE)
        psopack_json_set_number(object, "index", diag->index);
    if (diag->offset != UINT64_MAX)
        psopack_json_set_number(object, "offset", diag->offset);
    return object;
}

bool psopack_json_print(json_t *object)
{
    /* A failed write is found when standard output is flushed; else it was memory. */
    if (!memory_ran_out) {
        memory_ran_out = json_dumpf(object, stdout, JSON_INDENT(2)) != 0 && !ferror(stdout);
        fputc('\n', stdout);
    }
    json_decref(object);
    return !memory_ran_out;
}

void psopack_json_print_error(const char *command, const char *path, const psopack_diag *diag,
                              int exit_code)
{
    json_t *object = psopack_json_begin(command);
    json_t *error = psopack_json_diag(diag);
    if (path)
        psopack_json_set_text(error, "path", path);
    psopack_json_set_number(error, "exit", (uint64_t)exit_code);
    psopack_json_set(object, "error", error);
    psopack_json_print(object);
}
