/* SPDX-License-Identifier: MIT */
/* An open archive with what every reading command needs beside it. */
#include "reader.h"

#include "failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void count_components(psopack_reader *reader)
{
    psopack_layer_info layer;
    reader->components = reader->own_components = reader->info.components;
    if (psopack_archive_layer(reader->archive, &layer) != PSOPACK_OK)
        return;
    reader->own_components = layer.own_components;
    if (!psopack_archive_base(reader->archive))
        reader->components = layer.own_components;
}

psopack_status psopack_reader_open(const char *path, const psopack_options *options,
                                   const psopack_words *others, psopack_reader *reader,
                                   psopack_diag *diag)
{
    *reader = (psopack_reader){.path = path};
    psopack_open_options open = PSOPACK_OPEN_OPTIONS_INIT;
    open.target = options->target;
    if (options->content_version.given)
        open.content_version = &options->content_version.value;
    if (options->alone)
        open.flags |= PSOPACK_OPEN_ALONE;
    psopack_status status =
        psopack_archive_chain_open(path, &open, &options->bases, others, &reader->chain, diag);
    if (status != PSOPACK_OK)
        return status;
    reader->archive = psopack_archive_chain_top(&reader->chain);
    psopack_archive_info(reader->archive, &reader->info);
    count_components(reader);
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
    psopack_archive_chain_close(&reader->chain);
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
