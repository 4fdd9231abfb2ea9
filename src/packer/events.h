/* SPDX-License-Identifier: MIT */
/* Asking the caller whether to go on. */
#ifndef PSOPACK_PACKER_EVENTS_H
#define PSOPACK_PACKER_EVENTS_H

#include <psopack/build.h>

#include "format/error.h"

static inline psopack_status psopack_go_on(const psopack_build_events *events, psopack_diag *diag)
{
    if (!events->cancelled || !events->cancelled(events->user))
        return PSOPACK_OK;
    return psopack_fail(diag, PSOPACK_E_CANCELLED,
                        "stopped on request; the old output is untouched");
}

#endif
