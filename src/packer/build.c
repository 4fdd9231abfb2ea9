/* SPDX-License-Identifier: MIT */
/* The public face of the packer: options, inputs, the depfile. build_write.c does the work. */
#include "packer/build_state.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "platform/cpu.h"

#define FILE_SIZE_MAX UINT64_C(0xffffffff)
#define PSO_LIMIT_DEFAULT (UINT64_C(16) << 20)
#define MEMORY_DEFAULT (UINT64_C(4) << 30)

void psopack_build_set_hooks(psopack_build *build, const psopack_hooks *hooks)
{
    build->hooks = *hooks;
}

void psopack_build_set_store_budget(psopack_build *build, uint64_t bytes)
{
    build->store_budget = bytes;
}

/* ---- create and destroy -----------------------------------------------------------------------
 */

static psopack_status check_options(const psopack_build_options *options, psopack_diag *diag)
{
    if (options->struct_size != sizeof *options)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "psopack_build_options: set struct_size by its INIT macro");
    if (!psopack_profile_get(options->profile))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "unknown profile %d", (int)options->profile);
    if (options->limits.file_size > FILE_SIZE_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "the largest file_size limit is 4 GiB - 1 byte");
    return PSOPACK_OK;
}

static void apply_defaults(psopack_build *build)
{
    psopack_build_options *options = &build->options;
    if (options->threads == 0)
        options->threads = psopack_cpu_count();
    build->inputs.file_size_limit =
        options->limits.file_size ? options->limits.file_size : FILE_SIZE_MAX;
    build->inputs.pso_limit = options->limits.psos ? options->limits.psos : PSO_LIMIT_DEFAULT;
    build->store_budget = options->memory ? options->memory : MEMORY_DEFAULT;
}

psopack_status psopack_build_create(const psopack_build_options *options, psopack_build **ret_build,
                                    psopack_diag *diag)
{
    const psopack_build_options defaults = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_build *build;
    if (!options)
        options = &defaults;
    PSOPACK_TRY(check_options(options, diag));
    PSOPACK_TRY(psopack_new_array(&build, 1, sizeof *build, diag));
    build->options = *options;
    const char *target = options->target ? options->target : "";
    psopack_status status = psopack_new_array(&build->target, strlen(target) + 1, 1, diag);
    if (status != PSOPACK_OK) {
        free(build);
        return status;
    }
    memcpy(build->target, target, strlen(target) + 1);
    apply_defaults(build);
    *ret_build = build;
    return PSOPACK_OK;
}

void psopack_build_destroy(psopack_build **build_at)
{
    psopack_build *build = build_at ? *build_at : NULL;
    if (!build)
        return;
    for (size_t i = 0; i < build->depfile_count; i++)
        free(build->depfile_inputs[i]);
    free(build->depfile_inputs);
    psopack_inputs_free(&build->inputs);
    psopack_build_olds_free(&build->olds);
    psopack_order_free(&build->order);
    free(build->align);
    free(build->cache_path);
    free(build->target);
    free(build);
    *build_at = NULL;
}

/* ---- inputs -----------------------------------------------------------------------------------
 */

static unsigned log2_of(uint32_t value)
{
    unsigned log2 = 0;
    while (log2 < 31 && (UINT32_C(1) << log2) < value)
        log2++;
    return log2;
}

psopack_status psopack_build_align(psopack_build *build, const char *slot, uint32_t alignment,
                                   psopack_diag *diag)
{
    unsigned log2 = log2_of(alignment);
    if (alignment == 0 || (UINT32_C(1) << log2) != alignment || log2 > PSOPACK_ALIGN_LOG2_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "alignment %u of slot '%s': must be a power of two up to 65536",
                            alignment, slot);
    psopack_align_rule rule = {.align_log2 = log2};
    PSOPACK_TRY(psopack_grow(&build->align, &build->align_capacity, build->align_count + 1,
                             sizeof rule, diag));
    PSOPACK_TRY(psopack_inputs_copy(&build->inputs, slot, strlen(slot), &rule.slot, diag));
    build->align[build->align_count++] = rule;
    return PSOPACK_OK;
}

psopack_status psopack_build_add_tree(psopack_build *build, const char *path, psopack_diag *diag)
{
    return psopack_ingest_tree(&build->inputs, path, NULL, &build->options.events,
                               build->options.keep_going != 0, diag);
}

psopack_status psopack_build_add_flat(psopack_build *build, const char *slot, const char *path,
                                      psopack_diag *diag)
{
    return psopack_ingest_tree(&build->inputs, path, slot, &build->options.events,
                               build->options.keep_going != 0, diag);
}

psopack_status psopack_build_add_list(psopack_build *build, const char *name, const void *text,
                                      size_t size, int null_separated, psopack_diag *diag)
{
    return psopack_ingest_list(&build->inputs, name, text, size, null_separated != 0, diag);
}

/* The origin that all memory (or all virtual) files share. */
static psopack_status shared_origin(psopack_build *build, psopack_origin_type type, bool *has,
                                    uint32_t *origin, psopack_diag *diag)
{
    if (*has)
        return PSOPACK_OK;
    const char *name = type == PSOPACK_ORIGIN_MEMORY ? "memory" : "virtual";
    PSOPACK_TRY(psopack_inputs_add_origin(&build->inputs, type, name, origin, diag));
    *has = true;
    return PSOPACK_OK;
}

psopack_status psopack_build_add_pso(psopack_build *build, const void *pso, size_t pso_size,
                                     psopack_diag *diag)
{
    uint32_t index;
    PSOPACK_TRY(shared_origin(build, PSOPACK_ORIGIN_MEMORY, &build->has_memory,
                              &build->memory_origin, diag));
    return psopack_inputs_add_pso(&build->inputs, build->memory_origin, pso, pso_size, &index,
                                  diag);
}

psopack_status psopack_build_add_memory(psopack_build *build, const void *pso, size_t pso_size,
                                        const char *slot, const void *bytes, size_t size,
                                        psopack_diag *diag)
{
    uint32_t index;
    if (!bytes && size != 0)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "bytes is NULL, but size is not 0");
    PSOPACK_TRY(psopack_inputs_check_slot(slot, strlen(slot), diag));
    PSOPACK_TRY(shared_origin(build, PSOPACK_ORIGIN_MEMORY, &build->has_memory,
                              &build->memory_origin, diag));
    PSOPACK_TRY(
        psopack_inputs_add_pso(&build->inputs, build->memory_origin, pso, pso_size, &index, diag));
    return psopack_inputs_add_file(&build->inputs, index, slot, strlen(slot),
                                   (psopack_input_source){.memory = bytes}, size, diag);
}

psopack_status psopack_build_add_virtual(psopack_build *build, const void *pso, size_t pso_size,
                                         const char *slot, const psopack_virtual_file *file,
                                         psopack_diag *diag)
{
    uint32_t index;
    psopack_virtual_file *copy;
    PSOPACK_TRY(psopack_inputs_check_slot(slot, strlen(slot), diag));
    PSOPACK_TRY(shared_origin(build, PSOPACK_ORIGIN_VIRTUAL, &build->has_virtual,
                              &build->virtual_origin, diag));
    PSOPACK_TRY(
        psopack_inputs_add_pso(&build->inputs, build->virtual_origin, pso, pso_size, &index, diag));
    PSOPACK_TRY(
        psopack_arena_alloc(&build->inputs.arena, sizeof *copy, sizeof(void *), &copy, diag));
    *copy = *file;
    return psopack_inputs_add_file(&build->inputs, index, slot, strlen(slot),
                                   (psopack_input_source){.virtual_file = copy}, file->size, diag);
}

psopack_status psopack_build_on_base(psopack_build *build, const char *path,
                                     unsigned max_waste_percent, int no_stale, psopack_diag *diag)
{
    if (build->olds.are_inputs)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "archives are inputs already: no base");
    build->olds.how = no_stale ? PSOPACK_KEEP_MOVED : PSOPACK_KEEP_IN_PLACE;
    build->olds.max_waste = max_waste_percent;
    build->olds.no_stale = no_stale != 0;
    return psopack_build_olds_set(&build->olds, &path, 1, diag);
}

psopack_status psopack_build_layer_on(psopack_build *build, const char *const *paths,
                                      uint32_t count, psopack_diag *diag)
{
    if (build->olds.are_inputs)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "archives are inputs already: no layer");
    if (count == 0 || count >= PSOPACK_LAYER_DEPTH_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT,
                            "a layer lies on 1 to %u archives, not on %u: merge some of them",
                            PSOPACK_LAYER_DEPTH_MAX - 1, count);
    build->olds.how = PSOPACK_KEEP_OUTSIDE;
    return psopack_build_olds_set(&build->olds, paths, count, diag);
}

psopack_status psopack_build_cache(psopack_build *build, const char *path, psopack_diag *diag)
{
    size_t size = strlen(path) + 1;
    free(build->cache_path);
    build->cache_path = NULL;
    PSOPACK_TRY(psopack_new_array(&build->cache_path, size, 1, diag));
    memcpy(build->cache_path, path, size);
    return PSOPACK_OK;
}

psopack_status psopack_build_order(psopack_build *build, const void *names, size_t size,
                                   psopack_diag *diag)
{
    return psopack_order_set(&build->order, names, size, diag);
}

/* ---- depfile ----------------------------------------------------------------------------------
 */

static int compare_paths(const void *a, const void *b)
{
    char *left, *right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return strcmp(left, right);
}

static bool has_path(const psopack_inputs *inputs, const psopack_input_file *file)
{
    psopack_origin_type type = inputs->origins[inputs->psos[file->pso].origin].type;
    return type != PSOPACK_ORIGIN_MEMORY && type != PSOPACK_ORIGIN_VIRTUAL &&
           type != PSOPACK_ORIGIN_ARCHIVE;
}

static psopack_status list_path(psopack_build *build, const char *path)
{
    size_t size = strlen(path) + 1;
    char *copy;
    PSOPACK_TRY(psopack_new_array(&copy, size, 1, NULL));
    memcpy(copy, path, size);
    build->depfile_inputs[build->depfile_count++] = copy;
    return PSOPACK_OK;
}

static psopack_status list_inputs(psopack_build *build)
{
    const psopack_inputs *inputs = &build->inputs;
    const psopack_build_olds *olds = &build->olds;
    uint32_t archives = olds->are_inputs ? olds->count : 0;
    size_t capacity = inputs->file_count + inputs->directory_count + archives, count = 0;
    PSOPACK_TRY(psopack_new_array(&build->depfile_inputs, capacity, sizeof(char *), NULL));
    for (size_t i = 0; i < inputs->directory_count; i++)
        PSOPACK_TRY(list_path(build, inputs->directories[i]));
    for (uint32_t i = 0; i < archives; i++)
        PSOPACK_TRY(list_path(build, olds->olds[i]->path));
    for (size_t i = 0; i < inputs->file_count; i++) {
        size_t path_capacity = 0;
        char *path = NULL;
        if (!has_path(inputs, &inputs->files[i]))
            continue;
        PSOPACK_TRY(psopack_inputs_path(inputs, &inputs->files[i], &path, &path_capacity, NULL));
        build->depfile_inputs[build->depfile_count++] = path;
    }
    qsort(build->depfile_inputs, build->depfile_count, sizeof(char *), compare_paths);
    for (size_t i = 0; i < build->depfile_count; i++) {
        if (count != 0 && strcmp(build->depfile_inputs[count - 1], build->depfile_inputs[i]) == 0)
            free(build->depfile_inputs[i]);
        else
            build->depfile_inputs[count++] = build->depfile_inputs[i];
    }
    build->depfile_count = count;
    return PSOPACK_OK;
}

psopack_status psopack_build_input(psopack_build *build, size_t index, const char **ret_path)
{
    if (!build->depfile_inputs)
        PSOPACK_TRY(list_inputs(build));
    if (index >= build->depfile_count)
        return PSOPACK_E_NOT_FOUND;
    *ret_path = build->depfile_inputs[index];
    return PSOPACK_OK;
}
