/* SPDX-License-Identifier: MIT */
/* What is left of a damaged archive: who noticed, what can be read, and whether it is right. */
#include "damage.h"

#include <stdlib.h>
#include <string.h>

typedef struct seen_psos {
    uint8_t *named; /* by verify */
    uint32_t count;
} seen_psos;

static int note_finding(void *user, const psopack_diag *diag)
{
    seen_psos *seen = user;
    if (diag->object == PSOPACK_OBJECT_PSO && diag->index < seen->count)
        seen->named[diag->index] = 1;
    return 0;
}

typedef enum part_state { PART_RIGHT, PART_WRONG, PART_LOST } part_state;

typedef struct reading {
    const fixture *made;
    const psopack_archive *archive;
    psopack_context *context;
    uint32_t components[PSOPACK_SLOTS_MAX], crcs[PSOPACK_SLOTS_MAX];
    uint64_t sizes[PSOPACK_SLOTS_MAX];
} reading;

static part_state read_slot(reading *now, uint32_t pso, uint32_t slot, uint32_t expected_slot)
{
    fixture_part part = fixture_get(now->made, pso, expected_slot);
    psopack_component_info info;
    part_state state = PART_LOST;
    uint32_t component = now->components[slot];
    if (component == PSOPACK_ABSENT) {
        state = part.present ? PART_WRONG : PART_RIGHT;
    } else if (psopack_component_get(now->archive, component, &info, NULL) == PSOPACK_OK &&
               info.size < 1 << 24) {
        uint8_t *bytes = malloc(info.size ? (size_t)info.size : 1);
        assert_non_null(bytes);
        now->sizes[slot] = info.size;
        if (psopack_component_read(now->archive, now->context, component, bytes, (size_t)info.size,
                                   &now->crcs[slot], NULL) == PSOPACK_OK)
            state =
                part.present && info.size == part.size && memcmp(bytes, part.bytes, part.size) == 0
                    ? PART_RIGHT
                    : PART_WRONG;
        free(bytes);
    }
    free(part.bytes);
    return state;
}

/* By name, all slots, then the tuple CRC: only what passes all of it is handed out. */
static part_state read_pso(reading *now, uint32_t pso)
{
    char name[64];
    uint32_t found;
    part_state worst = PART_RIGHT;
    fixture_pso_name(pso, name);
    if (psopack_pso_find(now->archive, now->context, name, strlen(name), &found, NULL) !=
            PSOPACK_OK ||
        psopack_pso_components(now->archive, found, now->components, NULL) != PSOPACK_OK)
        return PART_LOST;
    for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++) {
        uint32_t at;
        if (psopack_slot_find(now->archive, fixture_slot_name(slot), &at) != PSOPACK_OK)
            return PART_LOST;
        part_state state = read_slot(now, pso, at, slot);
        worst = state > worst ? state : worst;
    }
    if (worst == PART_LOST || psopack_pso_check(now->archive, found, now->components, now->sizes,
                                                now->crcs, NULL) != PSOPACK_OK)
        return PART_LOST;
    return worst;
}

static void read_all(reading *now, const seen_psos *seen, damage_outcome *outcome)
{
    for (uint32_t pso = 0; pso < now->made->psos; pso++) {
        part_state state = read_pso(now, pso);
        outcome->lost += state == PART_LOST;
        outcome->wrong += state == PART_WRONG;
        outcome->unnamed += state == PART_LOST && !seen->named[pso];
    }
}

damage_outcome damage_judge(const fixture *made, const uint8_t *bytes, size_t size)
{
    damage_outcome outcome = {.lost = made->psos};
    reading now = {.made = made};
    psopack_archive *archive = NULL;
    uint8_t *exact = fixture_copy(bytes, size); /* so that a sanitizer sees one byte over */
    outcome.opened = psopack_archive_open_memory(exact, size, NULL, &archive, NULL);
    if (outcome.opened == PSOPACK_OK) {
        seen_psos seen = {calloc(made->psos, 1), made->psos};
        outcome.lost = 0;
        outcome.verified = psopack_archive_verify(archive, 0, note_finding, &seen, NULL, NULL);
        now.archive = archive;
        assert_int_equal(psopack_context_create(archive, NULL, &now.context), PSOPACK_OK);
        read_all(&now, &seen, &outcome);
        psopack_context_destroy(&now.context);
        free(seen.named);
    }
    psopack_archive_close(&archive);
    free(exact);
    return outcome;
}
