/* SPDX-License-Identifier: MIT */
/* psopack cat: one component, byte for byte, to standard output; with --json, facts about it. */
#include "command.h"
#include "failure.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct chosen {
    const char *pso_name;
    const char *slot_name;
    uint32_t pso;
    uint32_t index;
    psopack_component_info component;
} chosen;

static psopack_status choose(const psopack_reader *reader, chosen *c, psopack_diag *diag)
{
    psopack_status status = psopack_pso_find(reader->archive, reader->context, c->pso_name,
                                             strlen(c->pso_name), &c->pso, diag);
    if (status == PSOPACK_E_NOT_FOUND)
        return psopack_failure(diag, status, "no PSO is named '%s'", c->pso_name);
    if (status != PSOPACK_OK)
        return status;
    uint32_t slot = 0;
    if (psopack_slot_find(reader->archive, c->slot_name, &slot) != PSOPACK_OK)
        return psopack_failure(diag, PSOPACK_E_NOT_FOUND, "no slot is named '%s'", c->slot_name);
    status = psopack_pso_component(reader->archive, c->pso, slot, &c->index, diag);
    if (status == PSOPACK_E_ABSENT)
        return psopack_failure(diag, status, "PSO '%s' has no component in slot '%s'", c->pso_name,
                               c->slot_name);
    if (status != PSOPACK_OK)
        return status;
    return psopack_component_get(reader->archive, c->index, &c->component, diag);
}

static int describe(psopack_output *output, const chosen *c)
{
    json_t *object = psopack_json_begin(output->command);
    psopack_json_set_text(object, "pso", c->pso_name);
    psopack_json_set_text(object, "slot", c->slot_name);
    psopack_json_set_number(object, "pso_index", c->pso);
    psopack_json_set_number(object, "component", c->index);
    psopack_json_set_number(object, "bytes", c->component.size);
    psopack_json_set_number(object, "alignment", c->component.alignment);
    psopack_json_set_crc(object, "crc32c", c->component.crc);
    return psopack_output_json(output, object, 0);
}

/* A write that fails is found when standard output is flushed. */
static psopack_status write_out(const psopack_reader *reader, const chosen *c, psopack_diag *diag)
{
    if (c->component.size >= SIZE_MAX)
        return psopack_failure_memory(diag, "the component");
    size_t size = (size_t)c->component.size;
    void *bytes = malloc(size + 1);
    if (!bytes)
        return psopack_failure_memory(diag, "the component");
    psopack_status status =
        psopack_component_read(reader->archive, reader->context, c->index, bytes, size, NULL, diag);
    if (status == PSOPACK_OK)
        fwrite(bytes, 1, size, stdout);
    free(bytes);
    return status;
}

int psopack_command_cat(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    psopack_reader reader;
    psopack_diag diag;
    chosen c = {.pso_name = options->operands.items[1], .slot_name = options->operands.items[2]};
    psopack_status status = psopack_reader_open(path, options, NULL, &reader, &diag);
    if (status == PSOPACK_OK)
        status = choose(&reader, &c, &diag);
    if (status == PSOPACK_OK && !output->json)
        status = write_out(&reader, &c, &diag);
    int exit_code = 0;
    if (status != PSOPACK_OK)
        exit_code = psopack_output_fail(output, path, &diag);
    else if (output->json)
        exit_code = describe(output, &c);
    psopack_reader_close(&reader);
    return exit_code;
}
