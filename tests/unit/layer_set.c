/* SPDX-License-Identifier: MIT */
/* What differs between two sets, and a layer of it. */
#define _GNU_SOURCE
#include "layer_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

packed pack_set(const set *all, psopack_profile profile)
{
    char *folder = test_folder_make(), *path = test_path(folder, "test.psopack");
    psopack_build_options options = test_options(NULL);
    packed made;
    options.profile = profile;
    psopack_build *build = test_build(&options);
    test_add_memory(build, all);
    test_finish(build, path);
    made.bytes = test_read_file(path, &made.size);
    free(path);
    test_folder_remove(folder);
    return made;
}

psopack_archive *open_on(const packed *archive, const psopack_archive *base)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *opened;
    psopack_diag diag = {0};
    options.base = base;
    if (psopack_archive_open_memory(archive->bytes, archive->size, &options, &opened, &diag) !=
        PSOPACK_OK)
        fail_msg("open: %s", diag.text);
    return opened;
}

/* ---- what differs ---------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of a set's PSOs, each once, in byte order; to be freed. */
static const char **list_names(const set *all, size_t *ret_count)
{
    const char **names = malloc((all->count + 1) * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        names[i] = all->parts[i].pso;
    qsort(names, all->count, sizeof *names, compare_names);
    for (size_t i = 0; i < all->count; i++) {
        if (count == 0 || strcmp(names[count - 1], names[i]) != 0)
            names[count++] = names[i];
    }
    *ret_count = count;
    return names;
}

static bool holds_part(const set *all, const part *wanted)
{
    for (size_t i = 0; i < all->count; i++) {
        const part *p = &all->parts[i];
        if (strcmp(p->pso, wanted->pso) == 0 && strcmp(p->slot, wanted->slot) == 0)
            return p->size == wanted->size && memcmp(p->bytes, wanted->bytes, p->size) == 0;
    }
    return false;
}

/* Every part of the PSO in `a` is in `b` too. */
static bool is_within(const set *a, const set *b, const char *pso)
{
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->parts[i].pso, pso) == 0 && !holds_part(b, &a->parts[i]))
            return false;
    }
    return true;
}

static bool has_pso(const set *all, const char *pso)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->parts[i].pso, pso) == 0)
            return true;
    }
    return false;
}

static bool is_kept(const set *old, const set *whole, const char *pso)
{
    return has_pso(old, pso) && has_pso(whole, pso) && is_within(old, whole, pso) &&
           is_within(whole, old, pso);
}

/* Numbers of those names whose PSO is not the same in both sets; to be freed. */
static uint64_t *list_changed(const set *old, const set *whole, const set *of, size_t *ret_count)
{
    size_t count, changed = 0;
    const char **names = list_names(of, &count);
    uint64_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        if (!is_kept(old, whole, names[i]))
            numbers[changed++] = i;
    }
    free(names);
    *ret_count = changed;
    return numbers;
}

/* ---- components in common -------------------------------------------------------------------- */

typedef struct bytes_of {
    uint8_t *bytes;
    size_t size;
} bytes_of;

static bytes_of read_component(const psopack_archive *archive, psopack_context *context,
                               uint32_t component)
{
    psopack_component_info info;
    assert_int_equal(psopack_component_get(archive, component, &info, NULL), PSOPACK_OK);
    bytes_of read = {malloc((size_t)info.size + 1), (size_t)info.size};
    assert_int_equal(
        psopack_component_read(archive, context, component, read.bytes, read.size, NULL, NULL),
        PSOPACK_OK);
    return read;
}

/* By component of `own`: the component of the base with the same bytes + 1, or 0. */
static uint32_t *list_shared(const psopack_archive *own, const psopack_archive *base)
{
    psopack_info own_info, base_info;
    psopack_context *own_context, *base_context;
    psopack_archive_info(own, &own_info);
    psopack_archive_info(base, &base_info);
    psopack_context_create(own, NULL, &own_context);
    psopack_context_create(base, NULL, &base_context);
    bytes_of *known = calloc(base_info.components + 1, sizeof *known);
    uint32_t *shared = calloc(own_info.components + 1, sizeof *shared);
    for (uint32_t i = 0; i < base_info.components; i++)
        known[i] = read_component(base, base_context, i);
    for (uint32_t i = 0; i < own_info.components; i++) {
        bytes_of mine = read_component(own, own_context, i);
        for (uint32_t k = 0; k < base_info.components && shared[i] == 0; k++) {
            if (known[k].size == mine.size && memcmp(known[k].bytes, mine.bytes, mine.size) == 0)
                shared[i] = k + 1;
        }
        free(mine.bytes);
    }
    for (uint32_t i = 0; i < base_info.components; i++)
        free(known[i].bytes);
    free(known);
    psopack_context_destroy(&own_context);
    psopack_context_destroy(&base_context);
    return shared;
}

/* ---- layers ---------------------------------------------------------------------------------- */

static packed forge(forge_input *input, const packed *own, const packed *whole)
{
    packed made;
    psopack_archive *own_archive = open_on(own, NULL), *whole_archive = open_on(whole, NULL);
    uint32_t *shared = list_shared(own_archive, input->base);
    psopack_archive_info(whole_archive, &input->whole);
    input->own = own->bytes;
    input->own_size = own->size;
    input->shared = shared;
    uint8_t *bytes = forge_layer(input, &made.size);
    made.bytes = malloc(made.size);
    memcpy(made.bytes, bytes, made.size);
    free(bytes);
    free(shared);
    psopack_archive_close(&own_archive);
    psopack_archive_close(&whole_archive);
    return made;
}

packed pack_layer(const psopack_archive *base, const set *old, const set *whole)
{
    size_t own_count;
    set own = {0};
    forge_input input = {.base = base};
    uint64_t *gone = list_changed(old, whole, old, &input.gone_count);
    uint64_t *place = list_changed(old, whole, whole, &own_count);
    for (size_t i = 0; i < whole->count; i++) {
        const part *p = &whole->parts[i];
        if (!is_kept(old, whole, p->pso))
            set_add(&own, p->pso, p->slot, p->bytes, p->size);
    }
    packed own_file = pack_set(&own, PSOPACK_PROFILE_BALANCED);
    packed whole_file = pack_set(whole, PSOPACK_PROFILE_BALANCED);
    input.gone = gone;
    input.place = place;
    packed made = forge(&input, &own_file, &whole_file);
    free(own_file.bytes);
    free(whole_file.bytes);
    free(gone);
    free(place);
    set_free(&own);
    return made;
}

packed pack_external_layer(const psopack_archive *base, const packed *base_file)
{
    psopack_info info;
    psopack_archive_info(base, &info);
    uint64_t *all = malloc((info.psos + 1u) * sizeof *all);
    for (uint32_t i = 0; i < info.psos; i++)
        all[i] = i;
    forge_input input = {
        .base = base, .gone = all, .gone_count = info.psos, .place = all, .external = true};
    packed made = forge(&input, base_file, base_file);
    free(all);
    return made;
}

/* ---- a change -------------------------------------------------------------------------------- */

static void add_new(set *all, const char *pso, uint8_t seed)
{
    static const char *const slots[] = {"gs.instructions", "gs.metadata", "ps.instructions",
                                        "ps.metadata",     "rootsig",     "state",
                                        "vs.instructions", "vs.metadata"};
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        for (size_t b = 0; b < sizeof bytes; b++)
            bytes[b] = (uint8_t)(b / 7 * seed + i);
        set_add(all, pso, slots[i], bytes, sizeof bytes - i);
    }
}

set changed_set(const set *old)
{
    set all = {0};
    size_t number = 0;
    for (size_t i = 0; i < old->count; i++) {
        const part *p = &old->parts[i];
        if (i != 0 && strcmp(p->pso, old->parts[i - 1].pso) != 0)
            number++;
        if (number % 9 == 4)
            continue; /* removed */
        p->bytes[0] ^= number % 11 == 6 && strcmp(p->slot, "state") == 0 ? 0xff : 0;
        set_add(&all, p->pso, p->slot, p->bytes, p->size);
        p->bytes[0] ^= number % 11 == 6 && strcmp(p->slot, "state") == 0 ? 0xff : 0;
    }
    add_new(&all, "a first one", 3);
    add_new(&all, "materials/c0/pass_", 5);
    add_new(&all, "zz last", 7);
    set_add(&all, "zz last", "tess.extra", "new slot", 8);
    return all;
}
