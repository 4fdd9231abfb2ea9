/* SPDX-License-Identifier: MIT */
/* How far a long command is, on standard error, at most six times a second. */
#ifndef PSOPACK_TOOL_PROGRESS_H
#define PSOPACK_TOOL_PROGRESS_H

#include "options.h"

typedef struct psopack_progress {
    psopack_progress_choice how; /* never auto */
    bool blocks;                 /* the bar may use block characters: the terminal takes UTF-8 */
    bool shown;                  /* a bar stands on the current line */
    uint64_t next;               /* nanoseconds of the monotonic clock: silent before that */
} psopack_progress;

/* --progress=auto is a bar when standard error is a terminal and neither -q nor --json is given. */
void psopack_progress_init(psopack_progress *progress, const psopack_options *options);

/* `phase` is a short verb; `total` 0: unknown. Cheap when it is too early to show anything. */
void psopack_progress_update(psopack_progress *progress, const char *phase, uint64_t done,
                             uint64_t total);

/* Takes the bar off the line. */
void psopack_progress_clear(psopack_progress *progress);

#endif
