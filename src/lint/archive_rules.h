/* SPDX-License-Identifier: MIT */
/* Rules about the root signatures of an archive taken together. */
#ifndef PSOPACK_LINT_ARCHIVE_RULES_H
#define PSOPACK_LINT_ARCHIVE_RULES_H

#include "lint/rootsig_set.h"

/* Unique static samplers over the live set, and the longest tables to fill. NOMEM. */
psopack_status psopack_check_archive(const psopack_check *check, const psopack_rootsig_set *set,
                                     const uint8_t *live);

#endif
