/* SPDX-License-Identifier: MIT */
/* An open archive with what every reading command needs beside it. */
#ifndef PSOPACK_TOOL_READER_H
#define PSOPACK_TOOL_READER_H

#include "chain.h"
#include "options.h"

#include <psopack/psopack.h>

/* The longest PSO name a command handles, in bytes. */
#define PSOPACK_NAME_SIZE 65536

typedef struct psopack_reader {
    const char *path;
    psopack_archive_chain chain;
    psopack_archive *archive; /* the top of the chain */
    psopack_context *context;
    psopack_info info;
    uint32_t components;     /* of them, those at hand: less for a layer that is looked at alone */
    uint32_t own_components; /* in this file, numbered first: less for a layer */
    uint32_t *parts;         /* one element per slot: room for the components of one PSO */
    char *name;              /* PSOPACK_NAME_SIZE bytes: the name that was read last */
    size_t name_size;
} psopack_reader;

/*
 * Opens the archive, insisting on --target and --content-version. The base of a layer is looked for
 * among --base, `others` (may be NULL) and the files beside it. Close it also after a failure.
 */
psopack_status psopack_reader_open(const char *path, const psopack_options *options,
                                   const psopack_words *others, psopack_reader *reader,
                                   psopack_diag *diag);
void psopack_reader_close(psopack_reader *reader);

/* Reads the components of a PSO into reader->parts. */
psopack_status psopack_reader_parts(psopack_reader *reader, uint32_t pso, psopack_diag *diag);

/* Reads the name of a PSO into reader->name; "#12" where the archive has no names. */
psopack_status psopack_reader_name(psopack_reader *reader, uint32_t pso, psopack_diag *diag);

#endif
