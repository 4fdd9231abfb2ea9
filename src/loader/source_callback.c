/* SPDX-License-Identifier: MIT */
/* An archive that the caller's own file system reads. */
#include "loader/archive.h"

static psopack_status read_callback(const psopack_origin *origin, uint64_t offset, void *buffer,
                                    size_t size, psopack_diag *diag)
{
    const psopack_source *source = &origin->callbacks;
    psopack_status status = source->read(source->user, offset, buffer, size);
    if (status == PSOPACK_OK)
        return PSOPACK_OK;
    return psopack_fail_at(diag, status, PSOPACK_OBJECT_FILE, 0, offset,
                           "the source's read of %zu bytes at offset %llu answered %s", size,
                           (unsigned long long)offset, psopack_status_name(status));
}

psopack_origin psopack_origin_of_callbacks(const psopack_source *source)
{
    return (psopack_origin){.size = source->size, .read = read_callback, .callbacks = *source};
}

psopack_status psopack_archive_open_source(const psopack_source *source,
                                           const psopack_open_options *options,
                                           psopack_archive **ret_archive, psopack_diag *diag)
{
    if (!source || !source->read || !ret_archive)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "source, its read and ret_archive must not be NULL");
    psopack_open_options own;
    PSOPACK_TRY(psopack_options_load(options, &own, diag));
    psopack_origin origin = psopack_origin_of_callbacks(source);
    return psopack_archive_open_origin(&origin, &own, ret_archive, diag);
}
