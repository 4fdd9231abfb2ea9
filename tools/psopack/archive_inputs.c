/* SPDX-License-Identifier: MIT */
/* Operands of merge and strip: opened as chains, compared, handed to the packer. */
#include "archive_inputs.h"

#include "failure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

/* Whether the archive of that id is somewhere in the chain, its top aside. */
static bool is_below(const psopack_archive_chain *chain, const uint8_t id[16])
{
    psopack_info info;
    for (size_t i = 0; i + 1 < chain->count; i++) {
        psopack_archive_info(chain->archives[i], &info);
        if (memcmp(info.archive_id, id, sizeof info.archive_id) == 0)
            return true;
    }
    return false;
}

static bool is_inside(const psopack_archive_inputs *inputs, size_t index)
{
    const uint8_t *id = inputs->items[index].info.archive_id;
    for (size_t i = 0; i < inputs->count; i++) {
        if (is_below(&inputs->items[i].chain, id))
            return true;
    }
    return false;
}

psopack_status psopack_archive_inputs_open(const psopack_options *options,
                                           psopack_archive_inputs *inputs, const char **ret_path,
                                           psopack_diag *diag)
{
    const psopack_words *operands = &options->operands;
    psopack_open_options open = PSOPACK_OPEN_OPTIONS_INIT;
    open.limits.base_memory = UINT64_MAX; /* nothing here is for a game's memory */
    *inputs = (psopack_archive_inputs){
        .items = calloc(operands->count, sizeof *inputs->items),
    };
    if (!inputs->items)
        return psopack_failure_memory(diag, "the inputs");
    for (size_t i = 0; i < operands->count; i++) {
        psopack_archive_input *input = &inputs->items[inputs->count++];
        *ret_path = operands->items[i];
        psopack_status status = psopack_archive_chain_open(
            operands->items[i], &open, &options->bases, operands, &input->chain, diag);
        if (status != PSOPACK_OK)
            return status;
        psopack_archive_info(psopack_archive_chain_top(&input->chain), &input->info);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        inputs->items[i].is_inside = is_inside(inputs, i);
        inputs->used += !inputs->items[i].is_inside;
    }
    return PSOPACK_OK;
}

void psopack_archive_inputs_close(psopack_archive_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        psopack_archive_chain_close(&inputs->items[i].chain);
    free(inputs->items);
    *inputs = (psopack_archive_inputs){0};
}

/* ---- what they have in common ---------------------------------------------------------------- */

static const char *path_of(const psopack_archive_input *input)
{
    return input->chain.paths[input->chain.count - 1];
}

static psopack_status same_target(const psopack_archive_input *a, const psopack_archive_input *b,
                                  const psopack_options *options, psopack_diag *diag)
{
    if (!options->target && strcmp(a->info.target, b->info.target) != 0)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                               "%.150s is for target '%.60s', %.150s for '%.60s': say which the "
                               "output is for with --target",
                               path_of(a), a->info.target, path_of(b), b->info.target);
    if (!options->content_version.given && a->info.content_version != b->info.content_version)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                               "%.150s has content version %" PRIu64 ", %.150s has %" PRIu64
                               ": say which the output gets with --content-version",
                               path_of(a), a->info.content_version, path_of(b),
                               b->info.content_version);
    return PSOPACK_OK;
}

psopack_status psopack_archive_inputs_agree(const psopack_archive_inputs *inputs,
                                            const psopack_options *options,
                                            psopack_build_options *build, psopack_diag *diag)
{
    const psopack_archive_input *first = NULL;
    for (size_t i = 0; i < inputs->count; i++) {
        const psopack_archive_input *input = &inputs->items[i];
        if (input->is_inside)
            continue;
        psopack_status status = first ? same_target(first, input, options, diag) : PSOPACK_OK;
        if (status != PSOPACK_OK)
            return status;
        first = first ? first : input;
    }
    const char *profile = options->profile ? options->profile : first->info.profile;
    if (psopack_profile_find(profile, &build->profile) != PSOPACK_OK)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--profile: '%s' is not known", profile);
    build->target = options->target ? options->target : first->info.target;
    build->content_version = options->content_version.given ? options->content_version.value
                                                            : first->info.content_version;
    return PSOPACK_OK;
}

psopack_status psopack_archive_inputs_add(const psopack_archive_inputs *inputs,
                                          const psopack_archive_filter *filter,
                                          psopack_build *build, psopack_diag *diag)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const psopack_archive_chain *chain = &inputs->items[i].chain;
        if (inputs->items[i].is_inside)
            continue;
        psopack_status status = psopack_build_add_archive(build, (const char *const *)chain->paths,
                                                          (uint32_t)chain->count, filter, diag);
        if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}
