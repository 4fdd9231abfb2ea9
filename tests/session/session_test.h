/* SPDX-License-Identifier: MIT */
/* What every session test needs: a directory of its own, a host on it, keys and values by number.
 */
#ifndef PSOPACK_SESSION_TEST_H
#define PSOPACK_SESSION_TEST_H

#include <psopack/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

/* Makes a new directory and keeps its path for the calls below. One at a time. */
typedef struct test_place {
    char root[256];
    char directory[280]; /* the host's directory */
    char working[280];   /* the host's working directory */
} test_place;

void place_make(test_place *place);
void place_remove(test_place *place);

/* Path of the only cache's file with this ending, e.g. ".0.val"; `folder` is a place's directory.
 */
void place_find(const char *folder, const char *ending, char ret_path[600]);
bool place_has(const char *folder, const char *ending);

psopack_session_host *host_on(const test_place *place);

/* Disk mode, version 1, a window of 1 MiB and 4096 entries, the identifier filled with `id`. */
psopack_session_desc disk_desc(uint8_t id);
psopack_session_desc memory_desc(uint8_t id);

psopack_session *open_session(psopack_session_host *host, const psopack_session_desc *desc);
psopack_session_state state_of(psopack_session *session);

/* Key "key-N" and a value of `size` bytes that depends on N. */
size_t number_key(uint32_t number, char ret_key[32]);
void number_value(uint32_t number, uint8_t *ret_value, size_t size);
psopack_status store_number(psopack_session *session, uint32_t number, size_t size);
/* Finds, twice as the contract means it, and compares the bytes. */
psopack_status find_number(psopack_session *session, uint32_t number, size_t size);

/* Whole files. */
uint8_t *read_whole(const char *path, size_t *ret_size);
void write_whole(const char *path, const void *bytes, size_t size);

/* A child that runs `run(argument)` and exits 0 when it returns true. */
int run_child(bool (*run)(void *argument), void *argument);

#endif
