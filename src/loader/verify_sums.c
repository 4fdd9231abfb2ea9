/* SPDX-License-Identifier: MIT */
/*
 * What all PSOs together must give: META's sums and the content id. Each part may be whole and have
 * the wrong owner; in profile `small` a tuple CRC follows the row it is in. Here that shows.
 */
#include "loader/verify.h"

#include <string.h>

#include "loader/layer.h"

static void hash_u64(XXH3_state_t *state, uint64_t value)
{
    psopack_u64le little = psopack_store64(value);
    XXH3_128bits_update(state, &little, sizeof little);
}

static void hash_string(XXH3_state_t *state, const void *bytes, size_t size)
{
    hash_u64(state, size);
    XXH3_128bits_update(state, bytes, size);
}

void psopack_verify_sums_begin(psopack_verifier *verifier)
{
    const psopack_view *view = &verifier->archive->view;
    verifier->sums.references = 0;
    verifier->sums.reference_bytes = 0;
    verifier->sums.component_bytes = 0;
    XXH3_128bits_reset(&verifier->sums.content);
    hash_string(&verifier->sums.content, view->target, strlen(view->target));
    hash_u64(&verifier->sums.content, view->content_version);
}

static uint32_t count_present(const psopack_verifier *verifier)
{
    uint32_t present = 0;
    for (uint32_t i = 0; i < verifier->archive->view.slots; i++)
        present += verifier->slots[i] != PSOPACK_ABSENT;
    return present;
}

void psopack_verify_sums_add(psopack_verifier *verifier, uint32_t name_size)
{
    const psopack_view *view = &verifier->archive->view;
    psopack_verify_sums *sums = &verifier->sums;
    uint32_t present = count_present(verifier);
    sums->references += present;
    hash_string(&sums->content, verifier->previous_name, name_size);
    hash_u64(&sums->content, present);
    for (uint32_t i = 0; i < view->slots; i++) {
        uint32_t component = verifier->slots[i];
        psopack_slot_row slot;
        psopack_component_row row = {0};
        if (component == PSOPACK_ABSENT)
            continue;
        psopack_view_slot(view, i, &slot);
        psopack_archive_component_row(verifier->archive, component, &row, NULL);
        if (verifier->states[component] == PSOPACK_COMPONENT_GOOD)
            sums->component_bytes += row.size;
        verifier->states[component] = PSOPACK_COMPONENT_USED;
        sums->reference_bytes += row.size;
        hash_string(&sums->content, slot.name, slot.name_size);
        hash_u64(&sums->content, row.size);
        XXH3_128bits_update(&sums->content, verifier->hashes + (size_t)component * 16, 16);
    }
}

static void report(psopack_verifier *verifier, const char *text)
{
    psopack_diag diag;
    psopack_fail(&diag, PSOPACK_E_CORRUPT, "%s", text);
    psopack_verify_report(verifier, &diag, false);
}

void psopack_verify_sums_end(psopack_verifier *verifier, bool with_content)
{
    const psopack_archive *archive = verifier->archive;
    const psopack_verify_sums *sums = &verifier->sums;
    psopack_info info;
    psopack_archive_info(archive, &info);
    if (archive->view.layer.depth != 0 && !archive->base)
        return; /* opened alone; what is written in it is about the whole */
    if (sums->references != info.references || sums->reference_bytes != info.reference_bytes ||
        sums->component_bytes != info.component_bytes)
        report(verifier, "section META: its sums are not those of the PSOs and components");
    if (!with_content || verifier->stopped)
        return;
    XXH128_canonical_t content;
    XXH128_canonicalFromHash(&content, XXH3_128bits_digest(&sums->content));
    if (memcmp(content.digest, archive->view.ends.content_id, sizeof content.digest) != 0)
        report(verifier, "the content id does not match: target, names, slots and components are "
                         "each whole, but not what was packed together");
}
