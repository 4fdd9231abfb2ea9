/* SPDX-License-Identifier: MIT */
/* pack --base: what an older archive decides about a new one. */
#ifndef PSOPACK_TOOL_PACK_BASE_H
#define PSOPACK_TOOL_PACK_BASE_H

#include "options.h"

#include <psopack/build.h>

/* Usage errors of --base and the options that need it. */
psopack_status psopack_pack_base_check(const psopack_options *options, psopack_diag *diag);

/* The profile of the older archive, where the command line names none. */
psopack_status psopack_pack_base_profile(const psopack_options *options,
                                         psopack_profile *ret_profile, psopack_diag *diag);

psopack_status psopack_pack_base_apply(const psopack_options *options, psopack_build *build,
                                       psopack_diag *diag);

#endif
