/* SPDX-License-Identifier: MIT */
/* Has ZDICT count symbols over sample blocks and keeps only the tables it writes. */
#include "packer/dictionary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ZDICT_STATIC_LINKING_ONLY
#include <zdict.h>

#include "format/error.h"

typedef struct sample_set {
    uint8_t *bytes;
    size_t *sizes;
    unsigned count;
} sample_set;

/* ZDICT wants its samples back to back. */
static bool join_samples(sample_set *ret_set, const psopack_item *samples, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += samples[i].size;
    sample_set set = {malloc(total + 1), malloc((count + 1) * sizeof *set.sizes), (unsigned)count};
    if (set.bytes == NULL || set.sizes == NULL) {
        free(set.bytes);
        free(set.sizes);
        return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (samples[i].size > 0)
            memcpy(set.bytes + at, samples[i].bytes, samples[i].size);
        at += set.sizes[i] = samples[i].size;
    }
    *ret_set = set;
    return true;
}

static psopack_dictionary_header declined_header(const char *why)
{
    return (psopack_dictionary_header){.declined = why};
}

/* `room` holds what ZDICT writes: header, then content. */
static psopack_dictionary_header make_header(uint8_t *room, const psopack_item *content,
                                             const sample_set *set, int level)
{
    ZDICT_params_t params = {.compressionLevel = level};
    size_t size = ZDICT_finalizeDictionary(room, content->size + PSOPACK_DICTIONARY_HEADER_MAX,
                                           content->bytes, content->size, set->bytes, set->sizes,
                                           set->count, params);
    if (ZDICT_isError(size))
        return declined_header(ZDICT_getErrorName(size));
    size_t header_size = ZDICT_getDictHeaderSize(room, size);
    if (ZDICT_isError(header_size))
        return declined_header(ZDICT_getErrorName(header_size));
    if (size - header_size != content->size || header_size > PSOPACK_DICTIONARY_HEADER_MAX)
        return declined_header("zstd changed the content's size");
    psopack_dictionary_header header = {.size = header_size};
    memcpy(header.bytes, room, header_size);
    return header;
}

psopack_status psopack_dictionary_finalize(psopack_dictionary_header *ret_header,
                                           const psopack_item *content, const psopack_item *samples,
                                           size_t sample_count, int level, psopack_diag *diag)
{
    if (content->size < ZDICT_CONTENTSIZE_MIN || sample_count == 0) {
        *ret_header = declined_header("content below 128 bytes, or no samples");
        return PSOPACK_OK;
    }
    sample_set set = {0};
    uint8_t *room = malloc(content->size + PSOPACK_DICTIONARY_HEADER_MAX);
    if (room == NULL || !join_samples(&set, samples, sample_count)) {
        free(room);
        return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for %zu dictionary samples",
                            sample_count);
    }
    *ret_header = make_header(room, content, &set, level);
    free(room);
    free(set.bytes);
    free(set.sizes);
    return PSOPACK_OK;
}
