/* SPDX-License-Identifier: MIT */
/* A growing byte buffer: sections are put together in one. Zero it to begin. */
#ifndef PSOPACK_PACKER_BYTES_H
#define PSOPACK_PACKER_BYTES_H

#include <stdlib.h>
#include <string.h>

#include "packer/memory.h"

typedef struct psopack_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
} psopack_bytes;

/* Appends `size` zeroed bytes; they begin at bytes->size as it was. */
static inline psopack_status psopack_bytes_add_zeros(psopack_bytes *bytes, size_t size,
                                                     psopack_diag *diag)
{
    PSOPACK_TRY(psopack_grow(&bytes->data, &bytes->capacity, bytes->size + size + 1, 1, diag));
    memset(bytes->data + bytes->size, 0, size);
    bytes->size += size;
    return PSOPACK_OK;
}

static inline psopack_status psopack_bytes_add(psopack_bytes *bytes, const void *data, size_t size,
                                               psopack_diag *diag)
{
    PSOPACK_TRY(psopack_grow(&bytes->data, &bytes->capacity, bytes->size + size + 1, 1, diag));
    if (size != 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return PSOPACK_OK;
}

static inline psopack_status psopack_bytes_align(psopack_bytes *bytes, size_t alignment,
                                                 psopack_diag *diag)
{
    size_t padding = (alignment - bytes->size % alignment) % alignment;
    return psopack_bytes_add_zeros(bytes, padding, diag);
}

static inline void psopack_bytes_free(psopack_bytes *bytes)
{
    free(bytes->data);
    *bytes = (psopack_bytes){NULL, 0, 0};
}

#endif
