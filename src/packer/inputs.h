/* SPDX-License-Identifier: MIT */
/*
 * What a build was told to pack: PSOs, and for each the files that are its slots. Nothing is read
 * here; psopack_inputs_read() fetches one file's bytes when the scan asks for them.
 */
#ifndef PSOPACK_PACKER_INPUTS_H
#define PSOPACK_PACKER_INPUTS_H

#include <psopack/build.h>
#include <stdbool.h>

#include "packer/strings.h"
#include "platform/file.h"

/* How an origin's files are found. */
typedef enum psopack_origin_type {
    PSOPACK_ORIGIN_TREE,    /* path / PSO name / slot name */
    PSOPACK_ORIGIN_FLAT,    /* path / PSO name */
    PSOPACK_ORIGIN_LIST,    /* a path per file */
    PSOPACK_ORIGIN_MEMORY,  /* pointer and size */
    PSOPACK_ORIGIN_VIRTUAL, /* a callback */
    PSOPACK_ORIGIN_ARCHIVE  /* a component of an archive */
} psopack_origin_type;

/* One add call (memory and virtual files: all of them together). */
typedef struct psopack_origin {
    psopack_origin_type type;
    bool salvage;     /* archive: PSOs with damaged parts are dropped by name */
    const char *path; /* of the folder, list or archive; "memory" */
} psopack_origin;

typedef struct psopack_input_pso {
    uint32_t name; /* in names */
    uint32_t origin;
    uint64_t key;
    bool has_key;
    bool dropped; /* keep_going: one of its files could not be read */
} psopack_input_pso;

typedef struct psopack_archive_part {
    uint32_t archive; /* in inputs->olds */
    uint32_t component;
} psopack_archive_part;

typedef union psopack_input_source {
    const char *path;                         /* list */
    const void *memory;                       /* memory */
    const psopack_virtual_file *virtual_file; /* virtual */
    psopack_archive_part part;                /* archive */
} psopack_input_source;

typedef struct psopack_input_file {
    psopack_input_source source;
    uint64_t size; /* of memory; of others once read */
    uint32_t pso;
    uint32_t slot;      /* in slots */
    uint32_t component; /* set by the scan: in the store */
    uint32_t crc;       /* set by the scan: CRC32C of the bytes that were read */
} psopack_input_file;

typedef struct psopack_inputs {
    psopack_strings names;
    psopack_strings slots;
    psopack_arena arena;
    psopack_origin *origins;
    size_t origin_count, origin_capacity;
    psopack_input_pso *psos;
    size_t pso_count, pso_capacity;
    psopack_input_file *files;
    size_t file_count, file_capacity;
    const char **directories; /* walked, for the depfile */
    size_t directory_count, directory_capacity;
    uint32_t *pso_table; /* (origin, name) -> PSO + 1 */
    size_t pso_table_size;
    struct psopack_old *const *olds; /* archives that are inputs; not owned */
    uint64_t pso_limit;
    uint64_t file_size_limit;
} psopack_inputs;

void psopack_inputs_free(psopack_inputs *inputs);

psopack_status psopack_inputs_add_origin(psopack_inputs *inputs, psopack_origin_type type,
                                         const char *path, uint32_t *ret_origin,
                                         psopack_diag *diag);

/* The PSO of a name within one origin, made if it is new. NAME for a name no archive may hold. */
psopack_status psopack_inputs_add_pso(psopack_inputs *inputs, uint32_t origin, const void *name,
                                      size_t size, uint32_t *ret_pso, psopack_diag *diag);

/* NAME for a PSO name that no archive may hold. */
psopack_status psopack_inputs_check_pso(const void *name, size_t size, psopack_diag *diag);

/* NAME for a slot name that no archive may hold: asked before a PSO is made for it. */
psopack_status psopack_inputs_check_slot(const void *slot, size_t size, psopack_diag *diag);

psopack_status psopack_inputs_add_file(psopack_inputs *inputs, uint32_t pso, const void *slot,
                                       size_t slot_size, psopack_input_source source, uint64_t size,
                                       psopack_diag *diag);

psopack_status psopack_inputs_add_directory(psopack_inputs *inputs, const char *path,
                                            psopack_diag *diag);

/* A copy that lives as long as the inputs. */
psopack_status psopack_inputs_copy(psopack_inputs *inputs, const void *bytes, size_t size,
                                   const char **ret_copy, psopack_diag *diag);

/* The path of a file into `buffer` (grown), or a description of where memory came from. */
psopack_status psopack_inputs_path(const psopack_inputs *inputs, const psopack_input_file *file,
                                   char **buffer, size_t *capacity, psopack_diag *diag);

/* A growing read buffer, one per worker. Zero it to begin, free() its members. */
typedef struct psopack_read_buffer {
    uint8_t *bytes;
    size_t capacity;
    char *path;
    size_t path_capacity;
    psopack_file_stat stat; /* of the file that was read last */
} psopack_read_buffer;

/*
 * One file's bytes: *ret_bytes points to the caller's memory (memory files) or into `buffer`, valid
 * until its next use. Errors name the path: _IO, _NO_ENTRY, _ACCESS, _FILE_TYPE, _LIMIT, _CHANGED
 * when the file changed meanwhile. Safe on several threads with a buffer each.
 */
psopack_status psopack_inputs_read(const psopack_inputs *inputs, const psopack_input_file *file,
                                   psopack_read_buffer *buffer, const uint8_t **ret_bytes,
                                   uint64_t *ret_size, psopack_diag *diag);

/* ---- ingest: ways to fill it ------------------------------------------------------------------
 */

psopack_status psopack_ingest_tree(psopack_inputs *inputs, const char *path, const char *flat_slot,
                                   const psopack_build_events *events, bool keep_going,
                                   psopack_diag *diag);
psopack_status psopack_ingest_list(psopack_inputs *inputs, const char *name, const void *text,
                                   size_t size, bool null_separated, psopack_diag *diag);

#endif
