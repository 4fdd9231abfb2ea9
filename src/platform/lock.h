/* SPDX-License-Identifier: MIT */
/*
 * Advisory locks on whole files, between processes and between threads.
 *
 * A lock belongs to one open: two opens of one path exclude each other even in one thread, copies
 * of one psopack_file share the lock. It ends with unlock, with the last close, or with the
 * process, however it dies. Open-file-description locks where the system has them (Linux), flock()
 * elsewhere; the two do not see each other, so all users of a file must run on like systems.
 * Network file systems may know no locks: then PSOPACK_E_UNAVAILABLE, never a lock that does not
 * hold.
 */
#ifndef PSOPACK_PLATFORM_LOCK_H
#define PSOPACK_PLATFORM_LOCK_H

#include "platform/file.h"

typedef enum psopack_lock_mode {
    PSOPACK_LOCK_SHARED,   /* the file must be open for reading */
    PSOPACK_LOCK_EXCLUSIVE /* the file must be open for writing */
} psopack_lock_mode;

/*
 * Takes the lock, or turns one that is held into the other mode (not atomically with flock). Held
 * by others: PSOPACK_E_BUSY at once, and what was held before stays (with flock it may be lost).
 */
psopack_status psopack_lock_try(const psopack_file *file, psopack_lock_mode mode,
                                psopack_diag *diag);

/* The same, but waits as long as it takes; signals do not end the wait. */
psopack_status psopack_lock_wait(const psopack_file *file, psopack_lock_mode mode,
                                 psopack_diag *diag);

/* Releasing what is not held is a no-op. */
psopack_status psopack_lock_release(const psopack_file *file, psopack_diag *diag);

#endif
