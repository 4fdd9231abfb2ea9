/* SPDX-License-Identifier: MIT */
/*
 * RTS0, as little-endian words; offsets count from the start of the part.
 *
 *   header     version, parameters, their offset, static samplers, their offset, flags
 *   parameter  type, visibility, offset of its payload
 *   table      ranges, their offset
 *   range      type, count, base register, space, [flags since 1.1,] offset in the table
 *   sampler    ten words of state, register, space, visibility, [flags since 1.2]
 *
 * Two passes over the tables: the first counts ranges against the limit, the second decodes.
 */
#include "lint/rootsig.h"

#include "format/error.h"
#include "lint/dxbc.h"
#include "lint/words.h"

#include <stdlib.h>

#define HEADER_SIZE 24u
#define PARAMETER_SIZE 12u
#define PARAMETER_TABLE 0u /* D3D12_ROOT_PARAMETER_TYPE: 1 constants, 2 to 4 root descriptors */
#define PARAMETER_TYPES 5u
#define SAMPLER_STATE_SIZE 40u
#define UNBOUNDED UINT32_MAX
#define APPEND UINT32_MAX

typedef struct reader {
    psopack_dxbc_part part;
    uint32_t version;
    psopack_diag *diag;
} reader;

typedef struct list {
    size_t at; /* in the part */
    size_t count;
} list;

static uint32_t word(const reader *in, size_t at)
{
    return psopack_lint_load32(in->part.bytes + at);
}

static size_t range_size(const reader *in)
{
    return in->version == 1 ? 20 : 24;
}

static size_t sampler_size(const reader *in)
{
    return in->version == 3 ? 56 : 52;
}

static psopack_status corrupt(const reader *in, size_t at, const char *what, uint32_t value)
{
    return psopack_fail_at(in->diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_NONE, 0,
                           in->part.offset + at, "root signature: %s (%u)", what, (unsigned)value);
}

/* Reads (count, offset) at `at`; the items of `item_size` bytes lie inside the part. */
static psopack_status read_list(const reader *in, size_t at, size_t item_size, const char *what,
                                list *ret_list)
{
    list items = {word(in, at + 4), word(in, at)};
    if (items.count &&
        (items.at > in->part.size || items.count > (in->part.size - items.at) / item_size))
        return psopack_fail_at(in->diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_NONE, 0,
                               in->part.offset + at,
                               "root signature: %zu %s at %zu do not fit in a part of %zu bytes",
                               items.count, what, items.at, in->part.size);
    *ret_list = items;
    return PSOPACK_OK;
}

static psopack_status check_count(const reader *in, size_t at, size_t count, size_t most,
                                  const char *what)
{
    if (count <= most)
        return PSOPACK_OK;
    return psopack_fail_at(in->diag, PSOPACK_E_LIMIT, PSOPACK_OBJECT_NONE, 0, in->part.offset + at,
                           "root signature: more than %zu %s, psopack reads no more", most, what);
}

static size_t payload_size(const reader *in, uint32_t type)
{
    if (type == PARAMETER_TABLE)
        return 8;
    if (type == 1)
        return 12;
    return in->version == 1 ? 8 : 12; /* root descriptors have flags since 1.1 */
}

/* Checks one parameter. `ret_ranges` gets its ranges, none when it is no table. */
static psopack_status read_parameter(const reader *in, size_t at, list *ret_ranges, bool *ret_table)
{
    uint32_t type = word(in, at);
    uint32_t visibility = word(in, at + 4);
    uint32_t payload = word(in, at + 8);
    if (type >= PARAMETER_TYPES)
        return corrupt(in, at, "unknown parameter type", type);
    if (visibility >= PSOPACK_VISIBILITY_COUNT)
        return corrupt(in, at + 4, "unknown shader visibility", visibility);
    if (payload > in->part.size || in->part.size - payload < payload_size(in, type))
        return corrupt(in, at + 8, "a parameter's payload lies outside", payload);
    *ret_table = type == PARAMETER_TABLE;
    *ret_ranges = (list){0, 0};
    if (!*ret_table)
        return PSOPACK_OK;
    return read_list(in, payload, range_size(in), "descriptor ranges", ret_ranges);
}

static psopack_status count_tables(const reader *in, list parameters, psopack_rootsig *out)
{
    for (size_t i = 0; i < parameters.count; i++) {
        size_t at = parameters.at + PARAMETER_SIZE * i;
        list ranges;
        bool is_table;
        PSOPACK_TRY(read_parameter(in, at, &ranges, &is_table));
        out->table_count += is_table;
        out->range_count += ranges.count;
        PSOPACK_TRY(
            check_count(in, at, out->range_count, PSOPACK_ROOTSIG_RANGES_MAX, "descriptor ranges"));
    }
    return PSOPACK_OK;
}

/* `*end` is the offset behind the range before, UINT64_MAX behind an unbounded one. */
static psopack_status read_range(const reader *in, size_t at, uint64_t *end,
                                 psopack_rootsig_range *range)
{
    uint32_t type = word(in, at);
    if (type >= PSOPACK_RANGE_TYPES)
        return corrupt(in, at, "unknown descriptor range type", type);
    uint32_t offset = word(in, at + range_size(in) - 4);
    range->type = (uint8_t)type;
    range->count = word(in, at + 4);
    range->base = word(in, at + 8);
    range->space = word(in, at + 12);
    range->unbounded = range->count == UNBOUNDED;
    range->after_unbounded = offset == APPEND && *end == UINT64_MAX;
    if (offset != APPEND)
        range->offset = offset;
    else
        range->offset = range->after_unbounded ? 0 : *end;
    if (range->unbounded || range->after_unbounded)
        *end = UINT64_MAX;
    else
        *end = range->offset + range->count;
    return PSOPACK_OK;
}

static psopack_status read_table(const reader *in, list ranges, uint32_t table, uint8_t visibility,
                                 psopack_rootsig_range *ret_ranges)
{
    uint64_t end = 0;
    for (size_t i = 0; i < ranges.count; i++) {
        ret_ranges[i].table = table;
        ret_ranges[i].visibility = visibility;
        PSOPACK_TRY(read_range(in, ranges.at + range_size(in) * i, &end, &ret_ranges[i]));
    }
    return PSOPACK_OK;
}

static psopack_status read_tables(const reader *in, list parameters, psopack_rootsig *out)
{
    size_t used = 0;
    uint32_t table = 0;
    for (size_t i = 0; i < parameters.count; i++) {
        size_t at = parameters.at + PARAMETER_SIZE * i;
        list ranges;
        bool is_table;
        PSOPACK_TRY(read_parameter(in, at, &ranges, &is_table));
        if (!is_table)
            continue;
        PSOPACK_TRY(read_table(in, ranges, table++, (uint8_t)word(in, at + 4), out->ranges + used));
        used += ranges.count;
    }
    return PSOPACK_OK;
}

static psopack_status read_samplers(const reader *in, list samplers, psopack_rootsig *out)
{
    for (size_t i = 0; i < samplers.count; i++) {
        size_t at = samplers.at + sampler_size(in) * i;
        psopack_static_sampler *sampler = &out->samplers[i];
        for (size_t w = 0; w < SAMPLER_STATE_SIZE / 4; w++)
            sampler->state[w] = word(in, at + 4 * w);
        sampler->shader_register = word(in, at + SAMPLER_STATE_SIZE);
        sampler->space = word(in, at + SAMPLER_STATE_SIZE + 4);
        sampler->visibility = word(in, at + SAMPLER_STATE_SIZE + 8);
        if (in->version == 3)
            sampler->state[PSOPACK_SAMPLER_STATE_WORDS - 1] =
                word(in, at + SAMPLER_STATE_SIZE + 12);
        if (sampler->visibility >= PSOPACK_VISIBILITY_COUNT)
            return corrupt(in, at + SAMPLER_STATE_SIZE + 8, "unknown shader visibility",
                           sampler->visibility);
    }
    return PSOPACK_OK;
}

/* One item at least, so that NULL always means that memory is out. */
static void *zeroed(size_t count, size_t size)
{
    return calloc(count ? count : 1, size);
}

static psopack_status read_rts0(const reader *in, psopack_rootsig *out)
{
    list parameters, samplers;
    PSOPACK_TRY(read_list(in, 4, PARAMETER_SIZE, "parameters", &parameters));
    PSOPACK_TRY(read_list(in, 12, sampler_size(in), "static samplers", &samplers));
    PSOPACK_TRY(check_count(in, 4, parameters.count, PSOPACK_ROOTSIG_PARAMETERS_MAX, "parameters"));
    PSOPACK_TRY(
        check_count(in, 12, samplers.count, PSOPACK_ROOTSIG_SAMPLERS_MAX, "static samplers"));
    out->version = in->version;
    out->flags = word(in, 20);
    out->parameter_count = (uint32_t)parameters.count;
    PSOPACK_TRY(count_tables(in, parameters, out));
    out->sampler_count = samplers.count;
    out->ranges = zeroed(out->range_count, sizeof *out->ranges);
    out->samplers = zeroed(out->sampler_count, sizeof *out->samplers);
    if (!out->ranges || !out->samplers)
        return psopack_fail(in->diag, PSOPACK_E_NOMEM, "root signature: out of memory");
    PSOPACK_TRY(read_tables(in, parameters, out));
    return read_samplers(in, samplers, out);
}

psopack_status psopack_rootsig_parse(const uint8_t *bytes, size_t size,
                                     psopack_rootsig *ret_rootsig, psopack_diag *diag)
{
    reader in = {.diag = diag};
    PSOPACK_TRY(psopack_dxbc_find(bytes, size, "RTS0", &in.part, diag));
    if (in.part.size < HEADER_SIZE)
        return psopack_fail_at(diag, PSOPACK_E_TRUNCATED, PSOPACK_OBJECT_NONE, 0,
                               in.part.offset + in.part.size,
                               "root signature: its header of 24 bytes is cut");
    in.version = word(&in, 0);
    if (in.version < 1 || in.version > 3)
        return psopack_fail_at(diag, PSOPACK_E_VERSION, PSOPACK_OBJECT_NONE, 0, in.part.offset,
                               "root signature: version word %u, known are 1 to 3 (1.0 to 1.2)",
                               (unsigned)in.version);
    psopack_rootsig rootsig = {0};
    psopack_status status = read_rts0(&in, &rootsig);
    if (status != PSOPACK_OK) {
        psopack_rootsig_free(&rootsig);
        return status;
    }
    *ret_rootsig = rootsig;
    return PSOPACK_OK;
}

void psopack_rootsig_free(psopack_rootsig *rootsig)
{
    free(rootsig->ranges);
    free(rootsig->samplers);
    *rootsig = (psopack_rootsig){0};
}
