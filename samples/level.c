/* SPDX-License-Identifier: MIT */
/* Lists of PSOs, and pipelines from parts. */
#include "level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deserialize.h"

enum { MAX_NAME = 4096 };

static psopack_status fail(psopack_diag *diag, psopack_status status, const char *what,
                           const char *why)
{
    snprintf(diag->text, sizeof diag->text, "%s: %s", what, why);
    return status;
}

/* One line of the list into its PSO. */
static psopack_status add_name(const psopack_archive *archive, psopack_context *context,
                               const char *name, level_list *list, psopack_diag *diag)
{
    uint32_t *grown = realloc(list->psos, ((size_t)list->count + 1) * sizeof *grown);
    if (!grown)
        return fail(diag, PSOPACK_E_NOMEM, "list", "out of memory");
    list->psos = grown;
    psopack_status status = psopack_pso_find(archive, context, name, strcspn(name, "\n"),
                                             &list->psos[list->count], diag);
    list->count += status == PSOPACK_OK;
    return status;
}

psopack_status level_list_read(const psopack_archive *archive, psopack_context *context,
                               const char *path, level_list *ret_list, psopack_diag *diag)
{
    char name[MAX_NAME + 2];
    level_list list = {NULL, 0};
    psopack_status status = PSOPACK_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return fail(diag, PSOPACK_E_NO_ENTRY, path, "cannot be opened");
    while (status == PSOPACK_OK && fgets(name, sizeof name, file))
        status = add_name(archive, context, name, &list, diag);
    if (status == PSOPACK_OK && ferror(file))
        status = fail(diag, PSOPACK_E_IO, path, "cannot be read");
    fclose(file);
    if (status == PSOPACK_OK)
        *ret_list = list;
    else
        free(list.psos);
    return status;
}

psopack_status level_create_pipeline(const psopack_archive *archive, uint32_t pso,
                                     const psopack_part *parts, level_total *total,
                                     psopack_diag *diag)
{
    const char *slots[DESERIALIZE_SLOTS_MAX];
    char text[DESERIALIZE_TEXT_SIZE];
    deserialize_input input = {slots, parts, 0, 0};
    while (input.count < DESERIALIZE_SLOTS_MAX && psopack_slot_name(archive, input.count)) {
        const psopack_part *part = &parts[input.count];
        slots[input.count] = psopack_slot_name(archive, input.count);
        total->parts += part->component != PSOPACK_ABSENT;
        total->part_bytes += part->size;
        input.count++;
    }
    psopack_status status = psopack_pso_tuple_crc(archive, pso, &input.tuple_crc, diag);
    if (status != PSOPACK_OK)
        return status;
    if (!deserialize_pipeline(&input, text))
        return fail(diag, PSOPACK_E_INTERNAL, "the platform refuses a pipeline", text);
    total->pipelines++;
    return PSOPACK_OK;
}
