/* SPDX-License-Identifier: MIT */
/* pack --from-session: what players and testers have met, as input of a build. */
#ifndef PSOPACK_TOOL_PACK_SESSION_H
#define PSOPACK_TOOL_PACK_SESSION_H

#include "session_met.h"

#include <psopack/build.h>

/*
 * Adds the PSOs of the archive's content version that the sessions hold; others are told in a note.
 * `set` holds their bytes: free it after the build.
 */
psopack_status psopack_pack_session_add(psopack_output *output, const psopack_options *options,
                                        psopack_build *build, psopack_met_set *set,
                                        psopack_diag *diag);

#endif
