/* SPDX-License-Identifier: MIT */
/* What a session has met against what was shipped. */
#ifndef PSOPACK_TOOL_SESSION_SHIPPED_H
#define PSOPACK_TOOL_SESSION_SHIPPED_H

#include "reader.h"
#include "session_met.h"

typedef enum psopack_shipped_state {
    PSOPACK_SHIPPED_NEW,    /* no PSO of this name */
    PSOPACK_SHIPPED_SAME,   /* the same slots and bytes */
    PSOPACK_SHIPPED_CHANGED /* the name is known, the content is other */
} psopack_shipped_state;

/* "new", "same", "changed". */
const char *psopack_shipped_name(psopack_shipped_state state);

/*
 * Looks a PSO up by name and compares slots and bytes. The archive must have names. Cost: a find,
 * and a read of the components whose sizes agree.
 */
psopack_status psopack_shipped_compare(psopack_reader *shipped, const psopack_met *met,
                                       psopack_shipped_state *ret_state, psopack_diag *diag);

#endif
