/* SPDX-License-Identifier: MIT */
/*
 * Salvage loses no PSO but those that used a damaged component: test_salvage [ARCHIVE].
 *
 * What is damaged is found here, from the sound archive and the places that were hit, not from what
 * salvage says: a component whose block, or that block's base, or the base's own, holds a flipped
 * bit. ARCHIVE is a fresh archive with names; without one a set is packed. Flips are drawn with a
 * fixed seed.
 */
#define _GNU_SOURCE /* strdup */
#include "../unit/test_format_random.h"
#include "../unit/test_packer_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLIPS = 100, MANIFEST_ROUNDS = 20, BASES_MAX = 64, NAME_MAX = 4096, SLOTS_MAX = 256 };

static const char *given_archive;

typedef struct scene {
    char *folder, *good_path, *hurt_path, *saved_path;
    psopack_archive *good;
    psopack_info info;
    uint8_t *bytes;
    size_t size;
    unsigned *flips; /* by block */
    uint32_t base_blocks[BASES_MAX];
    uint32_t bases;
    uint64_t random;
} scene;

static void set_up(scene *self)
{
    *self = (scene){.folder = test_folder_make(), .random = 20261201};
    self->hurt_path = test_path(self->folder, "hurt.psopack");
    self->saved_path = test_path(self->folder, "saved.psopack");
    self->good_path =
        given_archive ? strdup(given_archive) : test_path(self->folder, "good.psopack");
    if (!given_archive) {
        set all = set_like_a_game(600);
        psopack_build_options options = test_options(NULL);
        psopack_build *build = test_build(&options);
        test_add_memory(build, &all);
        test_finish(build, self->good_path);
        set_free(&all);
    }
    self->bytes = test_read_file(self->good_path, &self->size);
    assert_int_equal(psopack_archive_open(self->good_path, NULL, &self->good, NULL), PSOPACK_OK);
    psopack_archive_info(self->good, &self->info);
    self->flips = calloc(self->info.blocks, sizeof *self->flips);
    assert_non_null(self->flips);
    for (uint32_t i = 0; i < self->info.blocks; i++) {
        psopack_block_info block;
        assert_int_equal(psopack_block_get(self->good, i, &block, NULL), PSOPACK_OK);
        if (block.is_base && self->bases < BASES_MAX)
            self->base_blocks[self->bases++] = i;
    }
    assert_true(self->bases > 0); /* or there is nothing to prove */
}

static void tear_down(scene *self)
{
    psopack_archive_close(&self->good);
    test_folder_remove(self->folder);
    free(self->good_path);
    free(self->hurt_path);
    free(self->saved_path);
    free(self->bytes);
    free(self->flips);
}

static psopack_block_info block_of(const scene *self, uint32_t block)
{
    psopack_block_info info;
    assert_int_equal(psopack_block_get(self->good, block, &info, NULL), PSOPACK_OK);
    return info;
}

/* Flips a bit of a block that is, or is not, a base; both where `bases` is negative. */
static void flip_in_blocks(scene *self, int bases)
{
    for (;;) {
        uint64_t at = test_random(&self->random) % self->size;
        for (uint32_t i = 0; i < self->info.blocks; i++) {
            psopack_block_info block = block_of(self, i);
            if (at < block.offset || at - block.offset >= block.stored_size)
                continue;
            if (bases >= 0 && (block.is_base != 0) != bases)
                break;
            self->bytes[at] ^= (uint8_t)(1u << test_random(&self->random) % 8);
            self->flips[i]++;
            return;
        }
    }
}

static bool is_block_damaged(const scene *self, uint32_t block)
{
    for (;;) {
        psopack_block_info info = block_of(self, block);
        if (self->flips[block] > 0)
            return true;
        if (info.base == 0)
            return false;
        assert_true(info.base <= self->bases);
        block = self->base_blocks[info.base - 1];
    }
}

static bool uses_damage(const scene *self, uint32_t pso)
{
    uint32_t components[SLOTS_MAX];
    assert_int_equal(psopack_pso_components(self->good, pso, components, NULL), PSOPACK_OK);
    for (uint32_t slot = 0; slot < self->info.slots; slot++) {
        psopack_component_info info;
        if (components[slot] == PSOPACK_ABSENT)
            continue;
        assert_int_equal(psopack_component_get(self->good, components[slot], &info, NULL),
                         PSOPACK_OK);
        for (uint32_t i = 0; i < info.blocks; i++) {
            if (is_block_damaged(self, info.block + i))
                return true;
        }
    }
    return false;
}

static void salvage(const scene *self)
{
    psopack_build_options options = test_options(NULL);
    psopack_build *build = test_build(&options);
    test_write_file(self->hurt_path, self->bytes, self->size);
    psopack_diag diag = {0};
    if (psopack_build_salvage(build, self->hurt_path, &diag) != PSOPACK_OK)
        fail_msg("%s", diag.text);
    test_finish(build, self->saved_path);
}

typedef struct tally {
    uint32_t lost;      /* PSOs that are not in what was saved */
    uint32_t unrelated; /* of these: used nothing damaged */
} tally;

/* All that was saved is what was packed, too. */
static tally count_lost(const scene *self)
{
    tally result = {0};
    psopack_archive *saved;
    psopack_context *good_context, *context;
    char name[NAME_MAX];
    assert_int_equal(psopack_archive_open(self->saved_path, NULL, &saved, NULL), PSOPACK_OK);
    assert_int_equal(psopack_context_create(saved, NULL, &context), PSOPACK_OK);
    assert_int_equal(psopack_context_create(self->good, NULL, &good_context), PSOPACK_OK);
    assert_int_equal(psopack_archive_verify(saved, 0, NULL, NULL, NULL, NULL), PSOPACK_OK);
    for (uint32_t pso = 0; pso < self->info.psos; pso++) {
        size_t size;
        uint32_t found, crc, saved_crc;
        assert_int_equal(
            psopack_pso_name(self->good, good_context, pso, name, sizeof name, &size, NULL),
            PSOPACK_OK);
        if (psopack_pso_find(saved, context, name, size, &found, NULL) != PSOPACK_OK) {
            result.lost++;
            result.unrelated += !uses_damage(self, pso);
            continue;
        }
        assert_int_equal(psopack_pso_tuple_crc(self->good, pso, &crc, NULL), PSOPACK_OK);
        assert_int_equal(psopack_pso_tuple_crc(saved, found, &saved_crc, NULL), PSOPACK_OK);
        assert_int_equal(crc, saved_crc);
    }
    psopack_context_destroy(&good_context);
    psopack_context_destroy(&context);
    psopack_archive_close(&saved);
    return result;
}

static void hundred_flips(int bases, const char *where)
{
    scene self;
    set_up(&self);
    for (unsigned i = 0; i < FLIPS; i++)
        flip_in_blocks(&self, bases);
    salvage(&self);
    tally result = count_lost(&self);
    print_message("%d flips %s: %u of %u PSOs lost, %u that used nothing damaged\n", FLIPS, where,
                  result.lost, (unsigned)self.info.psos, result.unrelated);
    assert_true(result.lost > 0);
    assert_int_equal(result.unrelated, 0);
    tear_down(&self);
}

static void flips_in_ordinary_blocks(void **state)
{
    (void)state;
    hundred_flips(0, "in blocks that are no bases");
}

static void flips_in_all_blocks(void **state)
{
    (void)state;
    hundred_flips(-1, "in all blocks");
}

/* A bit of the manifest is put back. */
static void a_flip_in_the_manifest_loses_nothing(void **state)
{
    scene self;
    (void)state;
    set_up(&self);
    psopack_block_info last = block_of(&self, (uint32_t)self.info.blocks - 1);
    uint64_t from = last.offset + last.stored_size;
    for (unsigned i = 0; i < MANIFEST_ROUNDS; i++) {
        uint64_t at = from + test_random(&self.random) % (self.size - from);
        uint8_t bit = (uint8_t)(1u << test_random(&self.random) % 8);
        self.bytes[at] ^= bit;
        salvage(&self);
        self.bytes[at] ^= bit;
        tally result = count_lost(&self);
        if (result.lost != 0)
            fail_msg("bit %u of the byte at %llu: %u PSOs lost", bit, (unsigned long long)at,
                     result.lost);
    }
    tear_down(&self);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flips_in_ordinary_blocks),
        cmocka_unit_test(flips_in_all_blocks),
        cmocka_unit_test(a_flip_in_the_manifest_loses_nothing),
    };
    given_archive = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests_name("salvage", tests, NULL, NULL);
}
