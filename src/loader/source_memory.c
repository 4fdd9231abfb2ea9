/* SPDX-License-Identifier: MIT */
/* An archive that lies in memory, the caller's or mapped. */
#include <string.h>

#include "loader/archive.h"

psopack_status psopack_origin_read(const psopack_origin *origin, uint64_t offset, void *buffer,
                                   size_t size, psopack_diag *diag)
{
    if (offset > origin->size || size > origin->size - offset)
        return psopack_fail_at(diag, PSOPACK_E_TRUNCATED, PSOPACK_OBJECT_FILE, 0, offset,
                               "%zu bytes wanted at offset %llu of %llu", size,
                               (unsigned long long)offset, (unsigned long long)origin->size);
    if (!origin->memory)
        return size == 0 ? PSOPACK_OK : origin->read(origin, offset, buffer, size, diag);
    const uint8_t *memory = origin->memory;
    if (offset + size <= origin->front_size)
        memory = origin->front;
    if (size != 0)
        memcpy(buffer, memory + (size_t)offset, size);
    return PSOPACK_OK;
}

psopack_origin psopack_origin_of_memory(const void *memory, size_t size)
{
    return (psopack_origin){.memory = memory, .size = size};
}

psopack_status psopack_archive_open_memory(const void *memory, size_t size,
                                           const psopack_open_options *options,
                                           psopack_archive **ret_archive, psopack_diag *diag)
{
    if (!memory || !ret_archive)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "memory and ret_archive must not be NULL");
    psopack_open_options own;
    PSOPACK_TRY(psopack_options_load(options, &own, diag));
    psopack_origin origin = psopack_origin_of_memory(memory, size);
    return psopack_archive_open_origin(&origin, &own, ret_archive, diag);
}
