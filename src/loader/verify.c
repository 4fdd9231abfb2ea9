/* SPDX-License-Identifier: MIT */
/* Verify: the passes in order, and what they share. */
#include "loader/verify.h"

#include <string.h>

#include "loader/arena.h"
#include "loader/layer.h"

void psopack_verify_report(psopack_verifier *verifier, const psopack_diag *diag, bool harmless)
{
    verifier->result.findings++;
    if (harmless)
        verifier->result.harmless++;
    psopack_diag shown = *diag;
    psopack_local_explain(verifier->shown, verifier->archive, shown.code, &shown);
    if (verifier->result.findings == 1)
        verifier->first = shown;
    if (verifier->each && verifier->each(verifier->user, &shown) != 0)
        verifier->stopped = true;
}

static uint64_t largest_block(const psopack_archive *archive)
{
    uint64_t largest = 0;
    for (; archive; archive = archive->base) {
        if (archive->view.block_raw_max > largest)
            largest = archive->view.block_raw_max;
        for (uint32_t i = 0; i < archive->view.bases; i++) {
            if (archive->bases[i].raw_size > largest)
                largest = archive->bases[i].raw_size;
        }
    }
    return largest;
}

/* 21 bytes a component, room for one decoded block, and a name. */
static psopack_status allocate(psopack_verifier *verifier, void **ret_memory, size_t *ret_size,
                               psopack_diag *diag)
{
    const psopack_archive *archive = verifier->shown;
    psopack_arena arena = {0};
    size_t crcs = psopack_arena_add(&arena, archive->components * (uint64_t)sizeof(uint32_t));
    size_t hashes = psopack_arena_add(&arena, archive->components * UINT64_C(16));
    size_t states = psopack_arena_add(&arena, archive->components);
    size_t slots = psopack_arena_add(&arena, archive->view.slots * (uint64_t)sizeof(uint32_t));
    size_t name = psopack_arena_add(&arena, PSOPACK_PSO_NAME_MAX);
    size_t scratch = psopack_arena_add(&arena, largest_block(archive));
    uint8_t *memory = psopack_arena_allocate(&arena, &archive->allocator, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    memset(memory, 0, scratch);
    verifier->crcs = (uint32_t *)(void *)(memory + crcs);
    verifier->hashes = memory + hashes;
    verifier->states = memory + states;
    verifier->slots = (uint32_t *)(void *)(memory + slots);
    verifier->previous_name = memory + name;
    verifier->scratch = memory + scratch;
    *ret_memory = memory;
    *ret_size = arena.size;
    return PSOPACK_OK;
}

/* The bytes of one archive of the chain. */
static void run_archive(psopack_verifier *verifier, uint32_t flags)
{
    psopack_verify_sections(verifier);
    psopack_verify_layer(verifier);
    if ((flags & PSOPACK_VERIFY_QUICK) == 0) {
        psopack_verify_layout(verifier);
        psopack_verify_blocks(verifier);
    } else {
        psopack_verify_rows(verifier);
    }
}

/* Each archive, then the PSOs of all. The rooms of components are those of the whole; a pass over
 * one archive sees the part that is its own. */
static void run(psopack_verifier *verifier, uint32_t flags)
{
    uint32_t *crcs = verifier->crcs;
    uint8_t *states = verifier->states, *hashes = verifier->hashes;
    for (const psopack_archive *at = verifier->shown; at && !verifier->stopped; at = at->base) {
        verifier->archive = at;
        verifier->blocks_end = 0;
        run_archive(verifier, flags);
        verifier->crcs += at->view.components;
        verifier->states += at->view.components;
        verifier->hashes += (size_t)at->view.components * 16;
    }
    verifier->archive = verifier->shown;
    verifier->crcs = crcs;
    verifier->states = states;
    verifier->hashes = hashes;
    psopack_verify_psos(verifier, (flags & PSOPACK_VERIFY_QUICK) == 0);
}

psopack_status psopack_archive_verify(const psopack_archive *archive, uint32_t flags,
                                      psopack_verify_fn *each, void *user,
                                      psopack_verify_result *ret_result, psopack_diag *diag)
{
    if ((flags & ~(uint32_t)PSOPACK_VERIFY_QUICK) != 0)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "unknown verify flags 0x%x", flags);
    if (archive->view.layer.depth != 0 && !archive->base)
        return psopack_fail(diag, PSOPACK_E_BASE_MISSING,
                            "a layer can't be verified alone: open it on its base");
    psopack_verifier verifier = {.shown = archive, .archive = archive, .each = each, .user = user};
    void *memory = NULL;
    size_t size = 0;
    if (psopack_context_create(archive, NULL, &verifier.context) != PSOPACK_OK)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for a context of %llu bytes",
                            (unsigned long long)psopack_context_size(archive));
    psopack_status status = allocate(&verifier, &memory, &size, diag);
    if (status == PSOPACK_OK) {
        run(&verifier, flags);
        archive->allocator.release(archive->allocator.user, memory, size);
        if (ret_result)
            *ret_result = verifier.result;
        if (verifier.result.findings != 0) {
            status = verifier.first.code;
            if (diag)
                *diag = verifier.first;
        }
    }
    psopack_context_destroy(&verifier.context);
    return status;
}
