/* SPDX-License-Identifier: MIT */
/* Rule share-state: states that differ from a much used one in a single field. */
#ifndef PSOPACK_LINT_NEAR_STATES_H
#define PSOPACK_LINT_NEAR_STATES_H

#include "lint/checks.h"

/* NOMEM. */
psopack_status psopack_check_near_states(const psopack_check *check);

#endif
