/* SPDX-License-Identifier: MIT */
/*
 * Builds of more input than memory: make_bulk ARCHIVE FILES MEMORY.
 *
 * FILES virtual files of 4 to 16 KiB, ten to a PSO; four of five are copies. Nothing lies on disk:
 * the packer asks for bytes, as often as it needs them. Prints what the build cost, and `allowed`,
 * the most memory that it may take: 256 MiB, 64 bytes a distinct component, 8 a file.
 */
#include <psopack/build.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOTS = 10, COPIES = 5, SIZE_MIN = 4096, SIZES = 12288, PIECE = 64 };

#define ALLOWED_CONSTANT (UINT64_C(256) << 20)
#define ALLOWED_COMPONENT 64
#define ALLOWED_FILE 8

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 29;
}

/* 16 of 64 bytes differ from piece to piece, the others from component to component: such code
 * compresses to a third. */
static psopack_status fill(void *user, uint64_t id, void *buffer, size_t size)
{
    uint64_t words[PIECE / 8];
    unsigned char *bytes = buffer;
    (void)user;
    for (size_t i = 0; i < PIECE / 8; i++)
        words[i] = mix(id + i);
    for (size_t at = 0; at < size; at += PIECE) {
        words[0] = mix(id ^ at << 40);
        words[5] = mix(words[0]);
        memcpy(bytes + at, words, size - at < PIECE ? size - at : PIECE);
    }
    return PSOPACK_OK;
}

/* Copies lie far apart: a file has the content of one in `files / COPIES`. */
static psopack_status add_file(psopack_build *build, uint64_t file, uint64_t files,
                               psopack_diag *diag)
{
    char name[64], slot[16];
    uint64_t pso = file / SLOTS, content = file % (files / COPIES);
    int size = snprintf(name, sizeof name, "world/region_%03u/material_%07u",
                        (unsigned)(pso / 4096), (unsigned)pso);
    snprintf(slot, sizeof slot, "slot%u", (unsigned)(file % SLOTS));
    psopack_virtual_file virtual_file = {fill, NULL, content, SIZE_MIN + mix(content) % SIZES};
    return psopack_build_add_virtual(build, name, (size_t)size, slot, &virtual_file, diag);
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static psopack_status make(const char *path, uint64_t files, uint64_t memory, psopack_diag *diag)
{
    psopack_build_options options = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_build_result result;
    psopack_build *build = NULL;
    options.profile = PSOPACK_PROFILE_FAST;
    options.no_sync = 1;
    options.memory = memory;
    psopack_status status = psopack_build_create(&options, &build, diag);
    for (uint64_t file = 0; file < files && status == PSOPACK_OK; file++)
        status = add_file(build, file, files, diag);
    if (status == PSOPACK_OK)
        status = psopack_build_write(build, path, &result, diag);
    psopack_build_destroy(&build);
    if (status == PSOPACK_OK)
        printf("{\"files\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"components\": %" PRIu64
               ", \"file_bytes\": %" PRIu64 ", \"cpu_s\": %.3f, \"peak_memory\": %" PRIu64
               ", \"allowed\": %" PRIu64 "}\n",
               result.references, result.reference_bytes, result.components, result.file_bytes,
               cpu_seconds(), result.peak_memory,
               ALLOWED_CONSTANT + ALLOWED_COMPONENT * result.components +
                   ALLOWED_FILE * result.references);
    return status;
}

int main(int argc, char **argv)
{
    uint64_t files = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    psopack_diag diag = {0};
    if (files < COPIES * SLOTS || files > 100000000) {
        fputs("usage: make_bulk ARCHIVE FILES MEMORY\n", stderr);
        return 2;
    }
    psopack_status status = make(argv[1], files, strtoull(argv[3], NULL, 10), &diag);
    if (status != PSOPACK_OK)
        fprintf(stderr, "make_bulk: %s: %s\n", psopack_status_name(status), diag.text);
    return psopack_status_exit_code(status);
}
