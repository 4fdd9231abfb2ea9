/* SPDX-License-Identifier: MIT */
/* An open archive with what every reading command needs beside it. */
#include "reader.h"

#include "failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

psopack_status psopack_reader_open(const char *path, const psopack_options *options,
                                   psopack_reader *reader, psopack_diag *diag)
{
    *reader = (psopack_reader){.path = path};
    psopack_open_options open = PSOPACK_OPEN_OPTIONS_INIT;
    open.target = options->target;
    if (options->content_version.given)
        open.content_version = &options->content_version.value;
    psopack_status status = psopack_archive_open(path, &open, &reader->archive, diag);
    if (status != PSOPACK_OK)
        return status;
    psopack_archive_info(reader->archive, &reader->info);
    if (psopack_context_create(reader->archive, NULL, &reader->context) != PSOPACK_OK)
        return psopack_failure_memory(diag, "a read context");
    reader->parts = calloc(reader->info.slots + 1u, sizeof *reader->parts);
    reader->name = malloc(PSOPACK_NAME_SIZE);
    if (!reader->parts || !reader->name)
        return psopack_failure_memory(diag, "a read context");
    return PSOPACK_OK;
}

void psopack_reader_close(psopack_reader *reader)
{
    psopack_context_destroy(&reader->context);
    psopack_archive_close(&reader->archive);
    free(reader->parts);
    free(reader->name);
    *reader = (psopack_reader){0};
}

psopack_status psopack_reader_parts(psopack_reader *reader, uint32_t pso, psopack_diag *diag)
{
    return psopack_pso_components(reader->archive, pso, reader->parts, diag);
}

psopack_status psopack_reader_name(psopack_reader *reader, uint32_t pso, psopack_diag *diag)
{
    if (reader->info.has_names)
        return psopack_pso_name(reader->archive, reader->context, pso, reader->name,
                                PSOPACK_NAME_SIZE, &reader->name_size, diag);
    reader->name_size = (size_t)snprintf(reader->name, PSOPACK_NAME_SIZE, "#%" PRIu32, pso);
    return PSOPACK_OK;
}
