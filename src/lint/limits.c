/* SPDX-License-Identifier: MIT */
/* Shader limits as a 60-byte blob and as text, both ways. */
#include "format/error.h"
#include "lint/words.h"

#include <psopack/lint.h>

#include <stdio.h>
#include <string.h>

static const char *const member_names[PSOPACK_LIMITS_MEMBERS] = {
    "MaxWavesWithLateAllocParameterCache",
    "VSDisableFlags",
    "DSDisableFlags",
    "GSDisableFlags",
    "PSDisableFlags",
    "VSMaxWaves",
    "HSMaxWaves",
    "DSMaxWaves",
    "GSMaxWaves",
    "PSMaxWaves",
    "VSMaxWavesForCuLocking",
    "HSMaxWavesForCuLocking",
    "DSMaxWavesForCuLocking",
    "GSMaxWavesForCuLocking",
    "PSMaxWavesForCuLocking",
};

typedef struct span {
    const char *at;
    size_t size;
} span;

const char *psopack_limits_member_name(size_t member)
{
    return member < PSOPACK_LIMITS_MEMBERS ? member_names[member] : NULL;
}

psopack_status psopack_limits_decode(const void *blob, size_t size, psopack_limits *ret_limits,
                                     psopack_diag *diag)
{
    if (size != PSOPACK_LIMITS_SIZE) {
        psopack_status status =
            size < PSOPACK_LIMITS_SIZE ? PSOPACK_E_TRUNCATED : PSOPACK_E_EXTENDED;
        return psopack_fail(diag, status,
                            "shader limits are %u bytes (15 uint32), this blob has %zu",
                            PSOPACK_LIMITS_SIZE, size);
    }
    for (size_t i = 0; i < PSOPACK_LIMITS_MEMBERS; i++)
        ret_limits->member[i] = psopack_lint_load32((const uint8_t *)blob + 4 * i);
    return PSOPACK_OK;
}

void psopack_limits_encode(const psopack_limits *limits, uint8_t ret_blob[PSOPACK_LIMITS_SIZE])
{
    for (size_t i = 0; i < PSOPACK_LIMITS_MEMBERS; i++)
        psopack_lint_store32(ret_blob + 4 * i, limits->member[i]);
}

size_t psopack_limits_print(const psopack_limits *limits, char ret_text[PSOPACK_LIMITS_TEXT_SIZE])
{
    size_t used = 0;
    for (size_t i = 0; i < PSOPACK_LIMITS_MEMBERS; i++) {
        bool is_mask = i >= PSOPACK_LIMITS_VS_DISABLE && i <= PSOPACK_LIMITS_PS_DISABLE;
        int wrote = snprintf(ret_text + used, PSOPACK_LIMITS_TEXT_SIZE - used,
                             is_mask ? "%s = 0x%x\n" : "%s = %u\n", member_names[i],
                             (unsigned)limits->member[i]);
        used += (size_t)wrote; /* 15 lines of at most 49 characters: always fits */
    }
    return used;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static span trim(span text)
{
    while (text.size && is_blank(text.at[0])) {
        text.at++;
        text.size--;
    }
    while (text.size && is_blank(text.at[text.size - 1]))
        text.size--;
    return text;
}

/* The text up to `end`, or all of it; `*rest` is what follows. False when `end` is not there. */
static bool cut(span text, char end, span *ret_head, span *ret_rest)
{
    const char *found = text.size ? memchr(text.at, end, text.size) : NULL;
    size_t size = found ? (size_t)(found - text.at) : text.size;
    *ret_head = (span){text.at, size};
    *ret_rest = found ? (span){found + 1, text.size - size - 1} : (span){text.at + size, 0};
    return found != NULL;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

static bool parse_number(span text, uint32_t *ret_value)
{
    int base = 10;
    if (text.size > 2 && text.at[0] == '0' && (text.at[1] == 'x' || text.at[1] == 'X')) {
        base = 16;
        text = (span){text.at + 2, text.size - 2};
    }
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        int digit = digit_of(text.at[i]);
        if (digit >= base)
            return false;
        value = value * (unsigned)base + (unsigned)digit;
        if (value > UINT32_MAX)
            return false;
    }
    *ret_value = (uint32_t)value;
    return text.size > 0;
}

static size_t find_member(span name)
{
    size_t i = 0;
    while (i < PSOPACK_LIMITS_MEMBERS && (strlen(member_names[i]) != name.size ||
                                          memcmp(member_names[i], name.at, name.size) != 0))
        i++;
    return i;
}

static psopack_status parse_line(span line, uint64_t number, psopack_limits *limits, uint32_t *seen,
                                 psopack_diag *diag)
{
    span name, value;
    if (!cut(line, '=', &name, &value))
        return psopack_fail_at(diag, PSOPACK_E_SYNTAX, PSOPACK_OBJECT_LINE, number,
                               PSOPACK_NO_OFFSET, "expected 'Name = value'");
    name = trim(name);
    value = trim(value);
    int shown = name.size < 64 ? (int)name.size : 64;
    size_t member = find_member(name);
    if (member == PSOPACK_LIMITS_MEMBERS)
        return psopack_fail_at(diag, PSOPACK_E_SYNTAX, PSOPACK_OBJECT_LINE, number,
                               PSOPACK_NO_OFFSET, "'%.*s' is not a member of the shader limits",
                               shown, name.at);
    if (*seen & 1u << member)
        return psopack_fail_at(diag, PSOPACK_E_SYNTAX, PSOPACK_OBJECT_LINE, number,
                               PSOPACK_NO_OFFSET, "%s is given twice", member_names[member]);
    if (!parse_number(value, &limits->member[member]))
        return psopack_fail_at(diag, PSOPACK_E_SYNTAX, PSOPACK_OBJECT_LINE, number,
                               PSOPACK_NO_OFFSET, "%s needs a number from 0 to 4294967295",
                               member_names[member]);
    *seen |= 1u << member;
    return PSOPACK_OK;
}

psopack_status psopack_limits_parse(const char *text, size_t size, psopack_limits *ret_limits,
                                    psopack_diag *diag)
{
    psopack_limits limits = {{0}};
    uint32_t seen = 0;
    uint64_t number = 0;
    span rest = {text, size};
    while (rest.size) {
        span line, comment;
        number++;
        cut(rest, '\n', &line, &rest);
        cut(line, '#', &line, &comment);
        line = trim(line);
        if (line.size)
            PSOPACK_TRY(parse_line(line, number, &limits, &seen, diag));
    }
    for (size_t i = 0; i < PSOPACK_LIMITS_MEMBERS; i++) {
        if (!(seen & 1u << i))
            return psopack_fail_at(diag, PSOPACK_E_SYNTAX, PSOPACK_OBJECT_LINE, number,
                                   PSOPACK_NO_OFFSET, "%s is missing: all 15 members must be given",
                                   member_names[i]);
    }
    *ret_limits = limits;
    return PSOPACK_OK;
}
