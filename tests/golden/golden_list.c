/* SPDX-License-Identifier: MIT */
/* An archive as text: every part of every PSO decoded and hashed. */
#include "golden.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define TRY(expression)                                                                            \
    do {                                                                                           \
        psopack_status status_ = (expression);                                                     \
        if (status_ != PSOPACK_OK)                                                                 \
            return status_;                                                                        \
    } while (0)

typedef struct lister {
    const psopack_archive *archive;
    psopack_context *context;
    psopack_info info;
    FILE *out;
} lister;

static void print_hex(FILE *out, const uint8_t bytes[16])
{
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", bytes[i]);
}

static psopack_status list_head(const lister *now)
{
    const psopack_info *info = &now->info;
    fprintf(now->out,
            "archive\tprofile=%s\ttarget=%s\tversion=%llu\tpsos=%u\treferences=%llu\t"
            "components=%u\tcomponent_bytes=%llu\tbases=%u\tnames=%d\thashes=%d\tcontent=",
            info->profile, info->target, (unsigned long long)info->content_version, info->psos,
            (unsigned long long)info->references, info->components,
            (unsigned long long)info->component_bytes, info->bases, info->has_names,
            info->has_hashes);
    print_hex(now->out, info->content_id);
    fprintf(now->out, "\n");
    psopack_kind_info kind;
    for (uint32_t i = 0; psopack_kind_get(now->archive, i, &kind) == PSOPACK_OK; i++)
        fprintf(now->out, "kind\t%s\ttransform=%s\tcomponents=%llu\tbased=%d\n", kind.name,
                kind.transform_name, (unsigned long long)kind.components, kind.base != 0);
    return PSOPACK_OK;
}

static psopack_status list_slot(const lister *now, uint32_t slot, uint32_t component,
                                uint64_t *ret_size, uint32_t *ret_crc)
{
    psopack_component_info info;
    TRY(psopack_component_get(now->archive, component, &info, NULL));
    uint8_t *bytes = malloc(info.size ? (size_t)info.size : 1), stored[16];
    if (!bytes)
        return PSOPACK_E_NOMEM;
    psopack_status status = psopack_component_read(now->archive, now->context, component, bytes,
                                                   (size_t)info.size, ret_crc, NULL);
    XXH128_canonical_t hash;
    if (status == PSOPACK_OK)
        XXH128_canonicalFromHash(&hash, XXH3_128bits(bytes, (size_t)info.size));
    free(bytes);
    TRY(status);
    fprintf(now->out, "\t%s\tsize=%llu\talign=%u\tpieces=%u\tcrc=%08x\txxh3=",
            psopack_slot_name(now->archive, slot), (unsigned long long)info.size, info.alignment,
            info.blocks, *ret_crc);
    print_hex(now->out, hash.digest);
    fprintf(now->out, "\n");
    *ret_size = info.size;
    if (!now->info.has_hashes)
        return PSOPACK_OK;
    TRY(psopack_component_hash(now->archive, component, stored, NULL));
    return memcmp(stored, hash.digest, 16) == 0 ? PSOPACK_OK : PSOPACK_E_CORRUPT;
}

static psopack_status list_pso(const lister *now, uint32_t pso)
{
    char name[4100];
    size_t name_size;
    uint32_t tuple, found, components[256], crcs[256] = {0};
    uint64_t sizes[256] = {0};
    TRY(psopack_pso_name(now->archive, now->context, pso, name, sizeof name, &name_size, NULL));
    TRY(psopack_pso_tuple_crc(now->archive, pso, &tuple, NULL));
    TRY(psopack_pso_components(now->archive, pso, components, NULL));
    psopack_status by_key = psopack_pso_find_key(
        now->archive, now->context, psopack_pso_key(now->archive, name, name_size), &found);
    /* Keys that a list gave are no hash of the name: those are not found. */
    fprintf(now->out, "pso\t%s\ttuple=%08x\tkey=%s\n", name, tuple,
            by_key != PSOPACK_OK ? "given"
            : found == pso       ? "of name"
                                 : "wrong");
    for (uint32_t slot = 0; slot < now->info.slots; slot++) {
        if (components[slot] != PSOPACK_ABSENT)
            TRY(list_slot(now, slot, components[slot], &sizes[slot], &crcs[slot]));
    }
    return psopack_pso_check(now->archive, pso, components, sizes, crcs, NULL);
}

psopack_status golden_list(const psopack_archive *archive, FILE *out)
{
    lister now = {.archive = archive, .out = out};
    psopack_archive_info(archive, &now.info);
    TRY(psopack_context_create(archive, NULL, &now.context));
    psopack_status status = list_head(&now);
    for (uint32_t pso = 0; status == PSOPACK_OK && pso < now.info.psos; pso++)
        status = list_pso(&now, pso);
    psopack_context_destroy(&now.context);
    return status;
}
