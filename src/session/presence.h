/* SPDX-License-Identifier: MIT */
/*
 * Who has a cache open: two lock files and what they say.
 *
 *   NAME.lock   the gate: held exclusively for the short time of opening, claiming and closing
 *   NAME.open   the presence: held shared for as long as a host has the cache open
 *
 * Only who holds the gate asks for the presence exclusively, so "alone" cannot change under its
 * feet. NAME.lock also holds one byte, the mark "clear when nobody has it open", and its size
 * minus one is the number of value files that may exist. Both files stay when a cache is cleared:
 * a lock file that is removed excludes nobody.
 */
#ifndef PSOPACK_SESSION_PRESENCE_H
#define PSOPACK_SESSION_PRESENCE_H

#include <stdbool.h>

#include "platform/file.h"

typedef struct psopack_presence {
    psopack_file gate;
    psopack_file door;
} psopack_presence;

#define PSOPACK_PRESENCE_NONE ((psopack_presence){PSOPACK_FILE_NONE, PSOPACK_FILE_NONE})

/* `base` is the cache's path without its endings; it must live as long as the presence. */
psopack_status psopack_presence_open(const char *base, psopack_presence *ret_presence,
                                     psopack_diag *diag);
void psopack_presence_close(psopack_presence *presence);

/* False for PSOPACK_PRESENCE_NONE. */
bool psopack_presence_is_open(const psopack_presence *presence);

/* Takes the gate. PSOPACK_E_BUSY after two seconds: a stopped process must not stop the caller. */
psopack_status psopack_presence_enter(const psopack_presence *presence, psopack_diag *diag);
void psopack_presence_leave(const psopack_presence *presence);

/* With the gate held. Nobody else has the cache open: PSOPACK_OK, and nobody can open it until
 * psopack_presence_share(). Else PSOPACK_E_BUSY. */
psopack_status psopack_presence_try_alone(const psopack_presence *presence, psopack_diag *diag);
/* With the gate held: from now on this host counts as having the cache open. */
psopack_status psopack_presence_share(const psopack_presence *presence, psopack_diag *diag);

/* With the gate held. */
bool psopack_presence_is_marked(const psopack_presence *presence);
psopack_status psopack_presence_set_mark(const psopack_presence *presence, bool mark,
                                         psopack_diag *diag);

/* How many value files may exist, at least 1. Any time; grown with the gate held. */
uint32_t psopack_presence_files(const psopack_presence *presence);
psopack_status psopack_presence_set_files(const psopack_presence *presence, uint32_t files,
                                          psopack_diag *diag);

#endif
