/* SPDX-License-Identifier: MIT */
/* Building the archives that the loader's tests read. */
#define _GNU_SOURCE
#include "loader_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const slot_names[FIXTURE_SLOTS] = {"ps.instructions", "ps.metadata", "rootsig",
                                                      "state", "vs.instructions"};

const char *fixture_slot_name(uint32_t slot)
{
    return slot_names[slot];
}

/* Zero-padded, so that the order of numbers is the order of bytes. */
void fixture_pso_name(uint32_t pso, char ret_name[64])
{
    snprintf(ret_name, 64, "materials/group_%02u/pass_%05u", pso / 37, pso);
}

uint8_t *fixture_copy(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    if (size != 0)
        memcpy(copy, bytes, size);
    return copy;
}

static uint32_t mix(uint32_t value)
{
    value = (value ^ (value >> 16)) * 0x45d9f3bu;
    value = (value ^ (value >> 16)) * 0x45d9f3bu;
    return value ^ (value >> 16);
}

/* Words that repeat between components, with a few of their own: what shader code is like. */
static void fill_code(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++) {
        uint32_t word = (uint32_t)(i / 4);
        uint32_t value = mix(word % 7 == seed % 7 ? word * 977 + seed : word + 17);
        bytes[i] = (uint8_t)(value >> (8 * (i % 4)));
    }
}

static fixture_part make_part(size_t size, uint32_t seed)
{
    fixture_part part = {true, malloc(size ? size : 1), size};
    assert_non_null(part.bytes);
    fill_code(part.bytes, size, seed);
    return part;
}

fixture_part fixture_get(const fixture *made, uint32_t pso, uint32_t slot)
{
    const fixture_part absent = {false, NULL, 0};
    switch (slot) {
    case 0: /* shared by pairs of PSOs, absent in some; one large */
        if (pso == 0 && made->large_size != 0)
            return make_part(made->large_size, 4711);
        return pso % 5 == 4
                   ? absent
                   : make_part(made->code_size + mix(pso / 2) % (made->code_size + 1), pso / 2 + 1);
    case 1: /* sometimes empty */
        return pso % 5 == 4 ? absent : make_part(pso % 6 == 0 ? 0 : 24 + pso % 3, pso / 3 + 900);
    case 2: /* one for all, with a tail of zeros */
    {
        fixture_part part = make_part(64, 1);
        memset(part.bytes + 40, 0, 24);
        return part;
    }
    case 3:
        return make_part(48, pso + 5000);
    default: /* equal to what another slot holds, now and then */
        return pso % 3 == 2 ? absent : make_part(made->code_size, pso % 4 == 0 ? 7 : pso / 4 + 70);
    }
}

static void add_psos(const fixture *shape, psopack_build *build, fixture_part *parts)
{
    psopack_diag diag;
    for (uint32_t pso = 0; pso < shape->psos; pso++) {
        char name[64];
        fixture_pso_name(pso, name);
        for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++) {
            fixture_part *part = &parts[pso * FIXTURE_SLOTS + slot];
            *part = fixture_get(shape, pso, slot);
            if (part->present)
                assert_int_equal(psopack_build_add_memory(build, name, strlen(name),
                                                          slot_names[slot], part->bytes, part->size,
                                                          &diag),
                                 PSOPACK_OK);
        }
    }
}

static void load_file(fixture *made)
{
    FILE *file = fopen(made->path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    made->size = (size_t)ftell(file);
    rewind(file);
    made->bytes = malloc(made->size);
    assert_non_null(made->bytes);
    assert_int_equal(fread(made->bytes, 1, made->size, file), made->size);
    fclose(file);
}

void fixture_make(fixture *shape)
{
    psopack_build_options options = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_build *build;
    psopack_build_result result;
    psopack_diag diag;
    fixture_part *parts = calloc((size_t)shape->psos * FIXTURE_SLOTS, sizeof *parts);
    shape->folder = strdup("/tmp/psopack_loader_XXXXXX");
    assert_non_null(mkdtemp(shape->folder));
    assert_true(asprintf(&shape->path, "%s/test.psopack", shape->folder) > 0);

    options.profile = shape->profile;
    options.threads = 1;
    options.hashes = shape->hashes;
    options.no_sync = 1;
    options.target = "test-gpu";
    options.content_version = 7;
    assert_int_equal(psopack_build_create(&options, &build, &diag), PSOPACK_OK);
    assert_int_equal(psopack_build_align(build, "vs.instructions", 256, &diag), PSOPACK_OK);
    add_psos(shape, build, parts);
    psopack_status status = psopack_build_write(build, shape->path, &result, &diag);
    if (status != PSOPACK_OK)
        fail_msg("build: %s", diag.text);
    psopack_build_destroy(&build);
    for (size_t i = 0; i < (size_t)shape->psos * FIXTURE_SLOTS; i++)
        free(parts[i].bytes);
    free(parts);
    load_file(shape);
}

void fixture_free(fixture *made)
{
    unlink(made->path);
    rmdir(made->folder);
    free(made->path);
    free(made->folder);
    free(made->bytes);
}

/* ---- reading everything --------------------------------------------------------------------- */

/* One slot of one PSO; true when it could be read. */
static bool read_part(const fixture *made, const psopack_archive *archive, psopack_context *context,
                      uint32_t pso, uint32_t slot)
{
    fixture_part part = fixture_get(made, pso, slot);
    uint8_t *buffer = malloc(part.size ? part.size : 1);
    uint32_t component;
    psopack_component_info info;
    psopack_status status = psopack_pso_component(archive, pso, slot, &component, NULL);
    if (status == PSOPACK_E_ABSENT) {
        assert_false(part.present);
    } else if (status == PSOPACK_OK) {
        status = psopack_component_get(archive, component, &info, NULL);
        if (status == PSOPACK_OK)
            status =
                psopack_component_read(archive, context, component, buffer, part.size, NULL, NULL);
        if (status == PSOPACK_OK) {
            assert_true(part.present);
            assert_int_equal(info.size, part.size);
            assert_memory_equal(buffer, part.bytes, part.size);
        }
    }
    free(buffer);
    free(part.bytes);
    return status == PSOPACK_OK || status == PSOPACK_E_ABSENT;
}

static bool find_name(const psopack_archive *archive, psopack_context *context, uint32_t pso)
{
    char name[64], found_name[64];
    size_t size;
    uint32_t found;
    fixture_pso_name(pso, name);
    psopack_status status =
        psopack_pso_name(archive, context, pso, found_name, sizeof found_name, &size, NULL);
    if (status == PSOPACK_OK) {
        assert_int_equal(size, strlen(name));
        assert_string_equal(found_name, name);
    }
    if (psopack_pso_find(archive, context, name, strlen(name), &found, NULL) != PSOPACK_OK)
        return false;
    assert_int_equal(found, pso);
    return status == PSOPACK_OK;
}

uint64_t fixture_read_all(const fixture *made, const psopack_archive *archive)
{
    psopack_context *context;
    psopack_info info;
    uint64_t failed = 0;
    psopack_archive_info(archive, &info);
    assert_int_equal(info.psos, made->psos);
    assert_int_equal(info.slots, FIXTURE_SLOTS);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    for (uint32_t pso = 0; pso < made->psos; pso++) {
        failed += !find_name(archive, context, pso);
        for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++)
            failed += !read_part(made, archive, context, pso, slot);
    }
    psopack_context_destroy(&context);
    return failed;
}
