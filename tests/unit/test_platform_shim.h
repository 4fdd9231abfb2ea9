/* SPDX-License-Identifier: MIT */
/*
 * System calls that fail on order. Linked with -Wl,--wrap=CALL for every __wrap_CALL of
 * test_platform_shim.c, so that the platform layer under test reaches the functions there.
 *
 * One plan for the process: for tests of one thread.
 */
#ifndef TEST_PLATFORM_SHIM_H
#define TEST_PLATFORM_SHIM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct shim_plan {
    bool active;
    unsigned fail_at; /* number of the call that fails, from 0; UINT_MAX for none */
    int error;        /* its errno */
    bool interrupt;   /* every other call that may is ended by EINTR */
    size_t short_by;  /* transfers move at most so many bytes; 0 for no limit */
    bool pretend;     /* reads and writes move nothing, and claim what they were asked for */
    bool hide_types;  /* readdir does not tell what an entry is */
    int lock_error;   /* errno of the next `lock_failures` attempts to lock */
    unsigned lock_failures;

    unsigned calls;         /* made since the plan was set */
    const char *failed;     /* the call that failed, or NULL */
    size_t largest_request; /* of a transfer, in bytes */
} shim_plan;

extern shim_plan shim;

/* Starts a plan that fails nothing; set what it should do afterwards. */
void shim_start(void);
void shim_stop(void);

#endif
