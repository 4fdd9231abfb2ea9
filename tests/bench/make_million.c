/* SPDX-License-Identifier: MIT */
/*
 * Archives of a size that no corpus has: make_million ARCHIVE PSOS [PROFILE].
 *
 * Each PSO has three components of its own, of 16 to 47 bytes, and one of 64 that many share, so a
 * million PSOs are three million components. Nothing lies on disk: the packer asks for bytes when
 * it needs them. They cost little to decode, so what remains is what the loader itself costs.
 */
#include <psopack/build.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_SLOTS = 3, SHARED = 64, SIZE_MIN = 16, SIZES = 32 };

static const char *const slot_names[OWN_SLOTS + 1] = {"ps", "state", "vs", "rootsig"};

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 29;
}

/* The number first, so that all differ; then words of a small vocabulary, as state has. */
static psopack_status fill(void *user, uint64_t id, void *buffer, size_t size)
{
    unsigned char *bytes = buffer;
    (void)user;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i < 8 ? id >> 8 * i : mix(id / 64 + i / 4) % 7);
    return PSOPACK_OK;
}

static psopack_status add_pso(psopack_build *build, uint32_t pso, psopack_diag *diag)
{
    char name[64];
    int size = snprintf(name, sizeof name, "world/region_%03u/material_%07u", pso / 4096, pso);
    psopack_virtual_file file = {fill, NULL, 0, 0};
    for (uint32_t slot = 0; slot <= OWN_SLOTS; slot++) {
        bool is_shared = slot == OWN_SLOTS;
        file.id = is_shared ? UINT64_MAX - mix(pso) % SHARED : (uint64_t)pso * OWN_SLOTS + slot;
        file.size = SIZE_MIN + mix(file.id) % SIZES;
        psopack_status status =
            psopack_build_add_virtual(build, name, (size_t)size, slot_names[slot], &file, diag);
        if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

static psopack_status make(const char *path, uint32_t psos, const char *profile, psopack_diag *diag)
{
    psopack_build_options options = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_build_result result;
    psopack_build *build = NULL;
    options.no_sync = 1;
    psopack_status status = psopack_profile_find(profile, &options.profile);
    if (status == PSOPACK_OK)
        status = psopack_build_create(&options, &build, diag);
    for (uint32_t pso = 0; pso < psos && status == PSOPACK_OK; pso++)
        status = add_pso(build, pso, diag);
    if (status == PSOPACK_OK)
        status = psopack_build_write(build, path, &result, diag);
    psopack_build_destroy(&build);
    if (status == PSOPACK_OK)
        printf("{\"psos\": %" PRIu64 ", \"components\": %" PRIu64 ", \"file_bytes\": %" PRIu64
               ", \"manifest_bytes\": %" PRIu64 ", \"peak_memory\": %" PRIu64 "}\n",
               result.psos, result.components, result.file_bytes, result.manifest_bytes,
               result.peak_memory);
    return status;
}

int main(int argc, char **argv)
{
    unsigned long psos = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    psopack_diag diag = {0};
    if (psos == 0 || psos > 16000000 || argc > 4) {
        fputs("usage: make_million ARCHIVE PSOS [PROFILE]\n", stderr);
        return 2;
    }
    psopack_status status = make(argv[1], (uint32_t)psos, argc > 3 ? argv[3] : "fast", &diag);
    if (status != PSOPACK_OK)
        fprintf(stderr, "make_million: %s: %s\n", psopack_status_name(status), diag.text);
    return psopack_status_exit_code(status);
}
