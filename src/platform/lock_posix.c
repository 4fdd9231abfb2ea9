/* SPDX-License-Identifier: MIT */
/* Open-file-description locks, or flock() where a system has none. */
#include "platform/posix.h"

#include "platform/lock.h"
#include "platform/os_error.h"

#include <fcntl.h>
#include <sys/file.h>

typedef enum lock_action { ACTION_SHARED, ACTION_EXCLUSIVE, ACTION_RELEASE } lock_action;

#if defined(F_OFD_SETLK) && defined(__linux__)

static int change_lock(int fd, lock_action action, bool wait)
{
    static const short types[] = {F_RDLCK, F_WRLCK, F_UNLCK};
    struct flock range = {.l_type = types[action], .l_whence = SEEK_SET}; /* length 0: for ever */
    return fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range);
}

#else

static int change_lock(int fd, lock_action action, bool wait)
{
    static const int operations[] = {LOCK_SH, LOCK_EX, LOCK_UN};
    return flock(fd, operations[action] | (wait ? 0 : LOCK_NB));
}

#endif

/* A system or file system without locks answers ENOLCK, EOPNOTSUPP, EINVAL or ENOSYS. */
static int plain_error(int error)
{
    return error == EINVAL || error == ENOSYS ? ENOLCK : error;
}

static psopack_status apply(const psopack_file *file, lock_action action, bool wait,
                            psopack_diag *diag)
{
    int result;
    do {
        result = change_lock(psopack_fd(file), action, wait);
    } while (result != 0 && errno == EINTR);
    if (result != 0)
        return psopack_fail_errno(diag, plain_error(errno),
                                  action == ACTION_RELEASE ? "unlock" : "lock", file->path);
    return PSOPACK_OK;
}

static lock_action action_of(psopack_lock_mode mode)
{
    return mode == PSOPACK_LOCK_SHARED ? ACTION_SHARED : ACTION_EXCLUSIVE;
}

psopack_status psopack_lock_try(const psopack_file *file, psopack_lock_mode mode,
                                psopack_diag *diag)
{
    return apply(file, action_of(mode), false, diag);
}

psopack_status psopack_lock_wait(const psopack_file *file, psopack_lock_mode mode,
                                 psopack_diag *diag)
{
    return apply(file, action_of(mode), true, diag);
}

psopack_status psopack_lock_release(const psopack_file *file, psopack_diag *diag)
{
    return apply(file, ACTION_RELEASE, false, diag);
}
