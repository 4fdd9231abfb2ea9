/* SPDX-License-Identifier: MIT */
/* The gate, the presence and the mark, on platform locks. */
#include "session/presence.h"

#include <psopack/session.h>

#include "format/error.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "session/session_path.h"

#define GATE_WAIT_NS UINT64_C(2000000000)

psopack_status psopack_presence_open(const char *base, psopack_presence *ret_presence,
                                     psopack_diag *diag)
{
    psopack_presence presence = PSOPACK_PRESENCE_NONE;
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_gate(base, path);
    PSOPACK_TRY(psopack_file_open_update(path, &presence.gate, diag));
    psopack_session_path_door(base, path);
    psopack_status status = psopack_file_open_update(path, &presence.door, diag);
    if (status != PSOPACK_OK) {
        psopack_presence_close(&presence);
        return status;
    }
    presence.gate.path = base;
    presence.door.path = base;
    *ret_presence = presence;
    return PSOPACK_OK;
}

void psopack_presence_close(psopack_presence *presence)
{
    psopack_file_close(&presence->door, NULL);
    psopack_file_close(&presence->gate, NULL);
}

bool psopack_presence_is_open(const psopack_presence *presence)
{
    return presence->gate.handle != -1;
}

psopack_status psopack_presence_enter(const psopack_presence *presence, psopack_diag *diag)
{
    uint64_t start = psopack_clock_ns();
    for (;;) {
        psopack_status status = psopack_lock_try(&presence->gate, PSOPACK_LOCK_EXCLUSIVE, diag);
        if (status != PSOPACK_E_BUSY || psopack_clock_ns() - start > GATE_WAIT_NS)
            return status;
        psopack_clock_yield();
    }
}

void psopack_presence_leave(const psopack_presence *presence)
{
    psopack_lock_release(&presence->gate, NULL);
}

psopack_status psopack_presence_try_alone(const psopack_presence *presence, psopack_diag *diag)
{
    return psopack_lock_try(&presence->door, PSOPACK_LOCK_EXCLUSIVE, diag);
}

psopack_status psopack_presence_share(const psopack_presence *presence, psopack_diag *diag)
{
    return psopack_lock_try(&presence->door, PSOPACK_LOCK_SHARED, diag);
}

#define MARK 'C'

bool psopack_presence_is_marked(const psopack_presence *presence)
{
    uint8_t byte = 0;
    size_t got = 0;
    return psopack_file_read_up_to(&presence->gate, 0, &byte, 1, &got, NULL) == PSOPACK_OK &&
           got == 1 && byte == MARK;
}

psopack_status psopack_presence_set_mark(const psopack_presence *presence, bool mark,
                                         psopack_diag *diag)
{
    uint8_t byte = mark ? MARK : 0;
    return psopack_file_write_at(&presence->gate, 0, &byte, 1, diag);
}

uint32_t psopack_presence_files(const psopack_presence *presence)
{
    psopack_file_stat stat;
    if (psopack_file_get_stat(&presence->gate, &stat, NULL) != PSOPACK_OK || stat.size < 2)
        return 1;
    if (stat.size > PSOPACK_SESSION_WRITERS_MAX)
        return PSOPACK_SESSION_WRITERS_MAX;
    return (uint32_t)stat.size - 1;
}

psopack_status psopack_presence_set_files(const psopack_presence *presence, uint32_t files,
                                          psopack_diag *diag)
{
    return psopack_file_truncate(&presence->gate, (uint64_t)files + 1, diag);
}
