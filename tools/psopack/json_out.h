/* SPDX-License-Identifier: MIT */
/*
 * The one JSON object that a command prints with --json.
 *
 * Calls that build it have nothing to return: running out of memory is remembered, and
 * psopack_json_print() then refuses to print an object that may lack members.
 */
#ifndef PSOPACK_TOOL_JSON_OUT_H
#define PSOPACK_TOOL_JSON_OUT_H

#include <psopack/status.h>

#include <jansson.h>
#include <stdbool.h>

/* {"schema": "psopack.COMMAND/1"} */
json_t *psopack_json_begin(const char *command);

/* Above 2^63-1 (content versions only) the number is given as text. */
void psopack_json_set_number(json_t *object, const char *key, uint64_t value);
void psopack_json_set_real(json_t *object, const char *key, double value);
void psopack_json_set_flag(json_t *object, const char *key, bool value);

/* Text that is not UTF-8 becomes a member KEY_hex instead. `text` NULL: null. */
void psopack_json_set_text(json_t *object, const char *key, const char *text);
void psopack_json_set_bytes_text(json_t *object, const char *key, const char *text, size_t size);

/* Lower-case hexadecimal digits. */
void psopack_json_set_hex(json_t *object, const char *key, const void *bytes, size_t size);

/* CRCs: eight hexadecimal digits. */
void psopack_json_set_crc(json_t *object, const char *key, uint32_t crc);

/* Takes `value` over, also when it fails. */
void psopack_json_set(json_t *object, const char *key, json_t *value);
void psopack_json_append(json_t *array, json_t *value);

/* A message: bytes that are no UTF-8 become \xNN. */
void psopack_json_append_message(json_t *array, const char *text);

/* {"code", "text", and, where there is one, "object", "index", "offset"} */
json_t *psopack_json_diag(const psopack_diag *diag);

/* Prints to standard output and frees. False, with nothing printed: memory ran out on the way. */
bool psopack_json_print(json_t *object);

/* {"schema": ..., "error": {..., "path", "exit"}} to standard output. */
void psopack_json_print_error(const char *command, const char *path, const psopack_diag *diag,
                              int exit_code);

#endif
