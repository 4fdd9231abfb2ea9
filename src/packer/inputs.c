/* SPDX-License-Identifier: MIT */
/* PSOs and files of a build, their names judged as they arrive. */
#include "packer/inputs.h"
#include "packer/old_archive.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "platform/file.h"

void psopack_inputs_free(psopack_inputs *inputs)
{
    psopack_strings_free(&inputs->names);
    psopack_strings_free(&inputs->slots);
    psopack_arena_free(&inputs->arena);
    free(inputs->origins);
    free(inputs->psos);
    free(inputs->files);
    free(inputs->directories);
    free(inputs->pso_table);
    *inputs = (psopack_inputs){0};
}

psopack_status psopack_inputs_copy(psopack_inputs *inputs, const void *bytes, size_t size,
                                   const char **ret_copy, psopack_diag *diag)
{
    char *copy;
    PSOPACK_TRY(psopack_arena_alloc(&inputs->arena, size + 1, 1, &copy, diag));
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    *ret_copy = copy;
    return PSOPACK_OK;
}

psopack_status psopack_inputs_add_origin(psopack_inputs *inputs, psopack_origin_type type,
                                         const char *path, uint32_t *ret_origin, psopack_diag *diag)
{
    psopack_origin origin = {.type = type};
    PSOPACK_TRY(psopack_inputs_copy(inputs, path, strlen(path), &origin.path, diag));
    PSOPACK_TRY(psopack_grow(&inputs->origins, &inputs->origin_capacity, inputs->origin_count + 1,
                             sizeof origin, diag));
    inputs->origins[inputs->origin_count] = origin;
    *ret_origin = (uint32_t)inputs->origin_count++;
    return PSOPACK_OK;
}

/* ---- names ------------------------------------------------------------------------------------
 */

static bool has_control(const uint8_t *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (name[i] < 0x20 || name[i] == 0x7f)
            return true;
    }
    return false;
}

static bool part_is_legal(const uint8_t *part, size_t size)
{
    return size != 0 && !(size == 1 && part[0] == '.') &&
           !(size == 2 && part[0] == '.' && part[1] == '.');
}

/* Relative, parts between '/' neither empty nor "." nor "..": what can be a folder anywhere. */
static bool parts_are_legal(const uint8_t *name, size_t size)
{
    size_t start = 0;
    for (size_t i = 0; i <= size; i++) {
        if (i != size && name[i] != '/')
            continue;
        if (!part_is_legal(name + start, i - start))
            return false;
        start = i + 1;
    }
    return true;
}

/* For messages: the name with control characters as '?', cut to what fits. */
static void printable(char ret_text[160], const uint8_t *name, size_t size)
{
    size_t count = size < 159 ? size : 159;
    for (size_t i = 0; i < count; i++)
        ret_text[i] = name[i] < 0x20 || name[i] == 0x7f ? '?' : (char)name[i];
    ret_text[count] = '\0';
}

static psopack_status check_name(const char *what, const uint8_t *name, size_t size,
                                 size_t size_max, bool may_nest, psopack_diag *diag)
{
    char text[160];
    printable(text, name, size);
    if (size > size_max)
        return psopack_fail(diag, PSOPACK_E_NAME, "%s name '%s...' has %zu bytes; at most %zu",
                            what, text, size, size_max);
    if (has_control(name, size))
        return psopack_fail(diag, PSOPACK_E_NAME,
                            "%s name '%s' holds a NUL or control character: rename it", what, text);
    if (!parts_are_legal(name, size) || (!may_nest && memchr(name, '/', size)))
        return psopack_fail(diag, PSOPACK_E_NAME,
                            "%s name '%s' must be relative, without empty, '.' or '..' parts%s",
                            what, text, may_nest ? "" : " or '/'");
    return PSOPACK_OK;
}

/* ---- PSOs and files ---------------------------------------------------------------------------
 */

static size_t pso_hash(uint32_t origin, uint32_t name)
{
    uint64_t mixed = ((uint64_t)origin << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 20);
}

static psopack_status grow_pso_table(psopack_inputs *inputs, psopack_diag *diag)
{
    size_t size = inputs->pso_table_size ? inputs->pso_table_size * 2 : 64;
    uint32_t *table;
    PSOPACK_TRY(psopack_new_array(&table, size, sizeof *table, diag));
    for (size_t i = 0; i < inputs->pso_count; i++) {
        size_t at = pso_hash(inputs->psos[i].origin, inputs->psos[i].name) & (size - 1);
        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(inputs->pso_table);
    inputs->pso_table = table;
    inputs->pso_table_size = size;
    return PSOPACK_OK;
}

static uint32_t *pso_place(const psopack_inputs *inputs, uint32_t origin, uint32_t name)
{
    size_t mask = inputs->pso_table_size - 1;
    for (size_t at = pso_hash(origin, name) & mask;; at = (at + 1) & mask) {
        uint32_t pso = inputs->pso_table[at];
        if (pso == 0 ||
            (inputs->psos[pso - 1].origin == origin && inputs->psos[pso - 1].name == name))
            return &inputs->pso_table[at];
    }
}

psopack_status psopack_inputs_check_pso(const void *name, size_t size, psopack_diag *diag)
{
    return check_name("PSO", name, size, PSOPACK_PSO_NAME_MAX, true, diag);
}

psopack_status psopack_inputs_add_pso(psopack_inputs *inputs, uint32_t origin, const void *name,
                                      size_t size, uint32_t *ret_pso, psopack_diag *diag)
{
    uint32_t name_index;
    PSOPACK_TRY(psopack_inputs_check_pso(name, size, diag));
    if (inputs->pso_count + 1 > inputs->pso_table_size / 2)
        PSOPACK_TRY(grow_pso_table(inputs, diag));
    PSOPACK_TRY(psopack_strings_add(&inputs->names, name, size, &name_index, diag));
    uint32_t *place = pso_place(inputs, origin, name_index);
    if (*place == 0) {
        if (inputs->pso_count >= inputs->pso_limit)
            return psopack_fail(diag, PSOPACK_E_LIMIT, "more than %llu PSOs",
                                (unsigned long long)inputs->pso_limit);
        PSOPACK_TRY(psopack_grow(&inputs->psos, &inputs->pso_capacity, inputs->pso_count + 1,
                                 sizeof *inputs->psos, diag));
        inputs->psos[inputs->pso_count] = (psopack_input_pso){.name = name_index, .origin = origin};
        *place = (uint32_t)++inputs->pso_count;
    }
    *ret_pso = *place - 1;
    return PSOPACK_OK;
}

psopack_status psopack_inputs_check_slot(const void *slot, size_t size, psopack_diag *diag)
{
    return check_name("slot", slot, size, PSOPACK_SLOT_NAME_MAX, false, diag);
}

psopack_status psopack_inputs_add_file(psopack_inputs *inputs, uint32_t pso, const void *slot,
                                       size_t slot_size, psopack_input_source source, uint64_t size,
                                       psopack_diag *diag)
{
    uint32_t slot_index;
    PSOPACK_TRY(psopack_inputs_check_slot(slot, slot_size, diag));
    PSOPACK_TRY(psopack_strings_add(&inputs->slots, slot, slot_size, &slot_index, diag));
    if (inputs->slots.count > PSOPACK_SLOTS_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT,
                            "slot '%s' is one more than the %u slots of an archive: do file names "
                            "vary where folders should?",
                            inputs->slots.items[slot_index].bytes, PSOPACK_SLOTS_MAX);
    if (inputs->file_count >= UINT32_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "more than 4 G files");
    PSOPACK_TRY(psopack_grow(&inputs->files, &inputs->file_capacity, inputs->file_count + 1,
                             sizeof *inputs->files, diag));
    inputs->files[inputs->file_count++] =
        (psopack_input_file){.source = source, .size = size, .pso = pso, .slot = slot_index};
    return PSOPACK_OK;
}

psopack_status psopack_inputs_add_directory(psopack_inputs *inputs, const char *path,
                                            psopack_diag *diag)
{
    const char *copy;
    PSOPACK_TRY(psopack_inputs_copy(inputs, path, strlen(path), &copy, diag));
    PSOPACK_TRY(psopack_grow(&inputs->directories, &inputs->directory_capacity,
                             inputs->directory_count + 1, sizeof *inputs->directories, diag));
    inputs->directories[inputs->directory_count++] = copy;
    return PSOPACK_OK;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* Writes up to three parts joined by '/' and a zero. */
static psopack_status join(char **buffer, size_t *capacity, const char *const parts[3],
                           psopack_diag *diag)
{
    size_t at = 0;
    for (int i = 0; i < 3 && parts[i]; i++) {
        size_t size = strlen(parts[i]);
        PSOPACK_TRY(psopack_grow(buffer, capacity, at + size + 2, 1, diag));
        if (i != 0)
            (*buffer)[at++] = '/';
        memcpy(*buffer + at, parts[i], size);
        at += size;
    }
    (*buffer)[at] = '\0';
    return PSOPACK_OK;
}

psopack_status psopack_inputs_path(const psopack_inputs *inputs, const psopack_input_file *file,
                                   char **buffer, size_t *capacity, psopack_diag *diag)
{
    const psopack_input_pso *pso = &inputs->psos[file->pso];
    const psopack_origin *origin = &inputs->origins[pso->origin];
    const char *name = inputs->names.items[pso->name].bytes;
    const char *slot = inputs->slots.items[file->slot].bytes;
    const char *parts[3] = {origin->path, name, slot};
    if (origin->type == PSOPACK_ORIGIN_FLAT)
        parts[2] = NULL;
    if (origin->type == PSOPACK_ORIGIN_LIST) {
        parts[0] = file->source.path;
        parts[1] = NULL;
    }
    return join(buffer, capacity, parts, diag);
}

static psopack_status check_size(const psopack_inputs *inputs, const char *path, uint64_t size,
                                 psopack_diag *diag)
{
    if (size > inputs->file_size_limit || size > SIZE_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "%s: %llu bytes; a component has at most %llu",
                            path, (unsigned long long)size,
                            (unsigned long long)inputs->file_size_limit);
    return PSOPACK_OK;
}

static psopack_status read_open_file(const psopack_file *file, const psopack_file_stat *before,
                                     psopack_read_buffer *buffer, psopack_diag *diag)
{
    psopack_file_stat after;
    PSOPACK_TRY(psopack_grow(&buffer->bytes, &buffer->capacity, (size_t)before->size + 1, 1, diag));
    size_t read;
    PSOPACK_TRY(
        psopack_file_read_up_to(file, 0, buffer->bytes, (size_t)before->size + 1, &read, diag));
    PSOPACK_TRY(psopack_file_get_stat(file, &after, diag));
    if (read != before->size || !psopack_file_stat_equal(before, &after))
        return psopack_fail(diag, PSOPACK_E_CHANGED,
                            "%s: it changed while it was read; build when its writer is done",
                            file->path);
    return PSOPACK_OK;
}

static psopack_status read_path(const psopack_inputs *inputs, psopack_read_buffer *buffer,
                                uint64_t *ret_size, psopack_diag *diag)
{
    psopack_file file;
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_open_read(buffer->path, &file, &stat, diag));
    psopack_status status;
    if (stat.type != PSOPACK_FILE_REGULAR)
        status = psopack_fail(diag, PSOPACK_E_FILE_TYPE, "%s: not a regular file", buffer->path);
    else
        status = check_size(inputs, buffer->path, stat.size, diag);
    if (status == PSOPACK_OK)
        status = read_open_file(&file, &stat, buffer, diag);
    psopack_file_close(&file, NULL);
    if (status == PSOPACK_OK) {
        buffer->stat = stat;
        *ret_size = stat.size;
    }
    return status;
}

static psopack_status read_virtual(const psopack_inputs *inputs, const psopack_virtual_file *file,
                                   psopack_read_buffer *buffer, psopack_diag *diag)
{
    PSOPACK_TRY(check_size(inputs, buffer->path, file->size, diag));
    PSOPACK_TRY(psopack_grow(&buffer->bytes, &buffer->capacity, (size_t)file->size + 1, 1, diag));
    psopack_status status = file->read(file->user, file->id, buffer->bytes, (size_t)file->size);
    if (status != PSOPACK_OK)
        return psopack_fail(diag, status, "%s: the caller's read failed", buffer->path);
    return PSOPACK_OK;
}

psopack_status psopack_inputs_read(const psopack_inputs *inputs, const psopack_input_file *file,
                                   psopack_read_buffer *buffer, const uint8_t **ret_bytes,
                                   uint64_t *ret_size, psopack_diag *diag)
{
    psopack_origin_type type = inputs->origins[inputs->psos[file->pso].origin].type;
    PSOPACK_TRY(psopack_inputs_path(inputs, file, &buffer->path, &buffer->path_capacity, diag));
    switch (type) {
    case PSOPACK_ORIGIN_MEMORY:
        PSOPACK_TRY(check_size(inputs, buffer->path, file->size, diag));
        *ret_bytes = file->source.memory;
        *ret_size = file->size;
        return PSOPACK_OK;
    case PSOPACK_ORIGIN_ARCHIVE:
        PSOPACK_TRY(psopack_old_read(inputs->olds[file->source.part.archive],
                                     file->source.part.component, buffer, ret_size, diag));
        break;
    case PSOPACK_ORIGIN_VIRTUAL:
        PSOPACK_TRY(read_virtual(inputs, file->source.virtual_file, buffer, diag));
        *ret_size = file->source.virtual_file->size;
        break;
    default:
        PSOPACK_TRY(read_path(inputs, buffer, ret_size, diag));
    }
    *ret_bytes = buffer->bytes;
    return PSOPACK_OK;
}
