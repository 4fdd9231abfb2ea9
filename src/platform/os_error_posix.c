/* SPDX-License-Identifier: MIT */
/* errno to status, and the one shape of every message about a path. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/os_error.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

typedef struct errno_row {
    int error;
    psopack_status status;
} errno_row;

static const errno_row errno_rows[] = {
    {ENOMEM, PSOPACK_E_NOMEM},       {ENOSPC, PSOPACK_E_NO_SPACE},
    {EDQUOT, PSOPACK_E_NO_SPACE},    {ENOENT, PSOPACK_E_NO_ENTRY},
    {ENOTDIR, PSOPACK_E_NO_ENTRY},   {EACCES, PSOPACK_E_ACCESS},
    {EPERM, PSOPACK_E_ACCESS},       {EROFS, PSOPACK_E_ACCESS},
    {EEXIST, PSOPACK_E_EXISTS},      {ENOTEMPTY, PSOPACK_E_EXISTS},
    {EISDIR, PSOPACK_E_FILE_TYPE},   {ELOOP, PSOPACK_E_LOOP},
    {EBUSY, PSOPACK_E_BUSY},         {ETXTBSY, PSOPACK_E_BUSY},
    {EAGAIN, PSOPACK_E_BUSY},        {EFBIG, PSOPACK_E_LIMIT},
    {EOVERFLOW, PSOPACK_E_LIMIT},    {ENAMETOOLONG, PSOPACK_E_LIMIT},
    {ENOLCK, PSOPACK_E_UNAVAILABLE}, {EOPNOTSUPP, PSOPACK_E_UNAVAILABLE},
};

psopack_status psopack_status_from_errno(int error)
{
    for (size_t i = 0; i < sizeof errno_rows / sizeof errno_rows[0]; i++) {
        if (errno_rows[i].error == error)
            return errno_rows[i].status;
    }
    return PSOPACK_E_IO;
}

/* The C locale's text, so that a message reads the same for every user; strerror() has one buffer.
 */
static void reason_of(int error, char *reason, size_t size)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) {
        snprintf(reason, size, "error %d", error);
        return;
    }
#ifdef __APPLE__
    locale_t before = uselocale(c_locale);
    if (strerror_r(error, reason, size) != 0)
        snprintf(reason, size, "error %d", error);
    uselocale(before);
#else
    snprintf(reason, size, "%s", strerror_l(error, c_locale));
#endif
    freelocale(c_locale);
}

/* Bytes that `byte` takes when shown: a control byte becomes \xNN. */
static size_t shown_size(unsigned char byte)
{
    return byte < 0x20 || byte == 0x7f ? 4 : 1;
}

/* The longest end of `path` that fits into `room` bytes when shown. */
static const char *longest_end(const char *path, size_t room)
{
    const char *start = path + strlen(path);
    while (start > path && shown_size((unsigned char)start[-1]) <= room) {
        start--;
        room -= shown_size((unsigned char)*start);
    }
    return start;
}

const char *psopack_show_path(char shown[PSOPACK_SHOWN_PATH_SIZE], const char *path)
{
    const char *from = longest_end(path, PSOPACK_SHOWN_PATH_SIZE - 1);
    char *to = shown;
    if (from != path) {
        from = longest_end(path, PSOPACK_SHOWN_PATH_SIZE - 1 - 3);
        memcpy(to, "...", 3);
        to += 3;
    }
    for (; *from; from++) {
        unsigned char byte = (unsigned char)*from;
        if (shown_size(byte) == 1)
            *to++ = *from;
        else
            to += snprintf(to, 5, "\\x%02x", (unsigned)byte);
    }
    *to = '\0';
    return shown;
}

psopack_status psopack_fail_errno_at(psopack_diag *diag, int error, uint64_t offset,
                                     const char *action, const char *path)
{
    psopack_status status = psopack_status_from_errno(error);
    if (!diag)
        return status;
    char shown[PSOPACK_SHOWN_PATH_SIZE];
    char reason[80];
    reason_of(error, reason, sizeof reason);
    return psopack_fail_at(diag, status, PSOPACK_OBJECT_FILE, 0, offset, "%s: cannot %s: %s",
                           psopack_show_path(shown, path), action, reason);
}

psopack_status psopack_fail_errno(psopack_diag *diag, int error, const char *action,
                                  const char *path)
{
    return psopack_fail_errno_at(diag, error, PSOPACK_NO_OFFSET, action, path);
}
