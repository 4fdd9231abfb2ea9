/* SPDX-License-Identifier: MIT */
/*
 * For lint tests: root signatures made by hand, byte by byte as the public format says, and a lint
 * object over components in memory.
 */
#ifndef PSOPACK_TEST_LINT_FIXTURE_H
#define PSOPACK_TEST_LINT_FIXTURE_H

#include "lint/rootsig.h"
#include "lint/stage.h"

#include <psopack/lint.h>

#define APPEND UINT32_MAX
#define UNBOUNDED UINT32_MAX
#define GRAPHICS 0x1fu /* the five stages of the classic pipeline */

/* D3D12_SHADER_VISIBILITY */
enum { SEE_ALL = 0, SEE_VS, SEE_HS, SEE_DS, SEE_GS, SEE_PS, SEE_AS, SEE_MS };

typedef struct made_range {
    uint32_t type, count, base, space, offset;
} made_range;

typedef struct made_table {
    uint32_t visibility;
    uint32_t first_range, range_count;
} made_table;

typedef struct made_sampler {
    uint32_t state[10];
    uint32_t shader_register, space, visibility, flags;
} made_sampler;

/* A description that make_rootsig() serializes. Fill it with the add_ calls. */
typedef struct made_rootsig {
    uint32_t version; /* 1, 2, 3 */
    uint32_t flags;
    made_table tables[64];
    uint32_t table_count;
    made_range *ranges;
    uint32_t range_count;
    made_sampler *samplers;
    uint32_t sampler_count;
    uint32_t constants; /* root constants and root CBVs, one each, behind the tables */
} made_rootsig;

void add_table(made_rootsig *made, uint32_t visibility);
/* To the table added last. */
void add_range(made_rootsig *made, uint32_t type, uint32_t count, uint32_t base, uint32_t space,
               uint32_t offset);
/* A sampler whose state is unique to `state`. */
void add_sampler(made_rootsig *made, uint32_t state, uint32_t shader_register, uint32_t visibility,
                 uint32_t flags);
/* A DXBC container in a malloc'ed block of exactly its size. */
uint8_t *make_rootsig(const made_rootsig *made, size_t *ret_size);
void free_made(made_rootsig *made);

/* A lint over components in memory: component ids index the shelf. */
typedef struct shelf_item {
    uint8_t *bytes;
    size_t size;
    unsigned fetches;
} shelf_item;

typedef struct lint_shelf {
    psopack_lint *lint;
    psopack_lint_options options;
    shelf_item *items;
    size_t count;
    uint64_t last_fetched;
} lint_shelf;

/* Default options; change shelf.options before shelf_begin. */
void shelf_init(lint_shelf *shelf);
void shelf_begin(lint_shelf *shelf);
/* Takes a malloc'ed block, gives it the next component id. */
uint64_t shelf_put(lint_shelf *shelf, uint8_t *bytes, size_t size);
uint64_t shelf_copy(lint_shelf *shelf, const void *bytes, size_t size);
uint64_t shelf_limits(lint_shelf *shelf, const psopack_limits *limits);

/* Slot and component pairs, ended by NULL: shelf_pso(s, "a", "vs.instructions", 0, NULL). */
void shelf_pso(lint_shelf *shelf, const char *name, ...);
void shelf_finish(lint_shelf *shelf);
void shelf_end(lint_shelf *shelf);

/* The first finding of the rule, or NULL. */
const psopack_lint_finding *find_finding(const psopack_lint *lint, const char *rule);
size_t count_findings(const psopack_lint *lint, const char *rule);

#endif
