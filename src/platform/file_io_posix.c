/* SPDX-License-Identifier: MIT */
/* Reads and writes that finish what the system cuts short. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/os_error.h"

#include <inttypes.h>
#include <unistd.h>

/* Linux moves at most 2 GiB - 4 KiB per call, macOS refuses more than INT_MAX. */
#define TRANSFER_MAX ((size_t)1 << 30)

static size_t transfer_size(size_t wanted)
{
    return wanted < TRANSFER_MAX ? wanted : TRANSFER_MAX;
}

static bool range_fits(uint64_t offset, size_t size)
{
    return offset <= INT64_MAX && size <= INT64_MAX - offset;
}

psopack_status psopack_file_read_up_to(const psopack_file *file, uint64_t offset, void *buffer,
                                       size_t size, size_t *ret_read, psopack_diag *diag)
{
    if (!range_fits(offset, size))
        return psopack_fail_errno_at(diag, EOVERFLOW, offset, "read", file->path);

    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(psopack_fd(file), (char *)buffer + done, transfer_size(size - done),
                            (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return psopack_fail_errno_at(diag, errno, offset + done, "read", file->path);
        if (got == 0)
            break;
        done += (size_t)got;
    }
    *ret_read = done;
    return PSOPACK_OK;
}

psopack_status psopack_file_read_at(const psopack_file *file, uint64_t offset, void *buffer,
                                    size_t size, psopack_diag *diag)
{
    size_t got = 0;
    PSOPACK_TRY(psopack_file_read_up_to(file, offset, buffer, size, &got, diag));
    if (got == size)
        return PSOPACK_OK;
    char shown[PSOPACK_SHOWN_PATH_SIZE];
    return psopack_fail_at(diag, PSOPACK_E_TRUNCATED, PSOPACK_OBJECT_FILE, 0, offset + got,
                           "%s: no bytes at offset %" PRIu64 ", %zu more wanted",
                           psopack_show_path(shown, file->path), offset + got, size - got);
}

/* One write that was cut short or interrupted is carried on; a write of nothing would loop. */
static psopack_status write_result(ssize_t put, const psopack_file *file, uint64_t offset,
                                   size_t *done, psopack_diag *diag)
{
    if (put > 0)
        *done += (size_t)put;
    else if (put == 0)
        return psopack_fail_errno_at(diag, ENOSPC, offset, "write", file->path);
    else if (errno != EINTR)
        return psopack_fail_errno_at(diag, errno, offset, "write", file->path);
    return PSOPACK_OK;
}

psopack_status psopack_file_write_at(const psopack_file *file, uint64_t offset, const void *data,
                                     size_t size, psopack_diag *diag)
{
    /* Linux ignores the offset of a file that appends. */
    if (file->appends)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "a file that appends has no write offset");
    if (!range_fits(offset, size))
        return psopack_fail_errno_at(diag, EFBIG, offset, "write", file->path);

    size_t done = 0;
    while (done < size) {
        ssize_t put = pwrite(psopack_fd(file), (const char *)data + done,
                             transfer_size(size - done), (off_t)(offset + done));
        PSOPACK_TRY(write_result(put, file, offset + done, &done, diag));
    }
    return PSOPACK_OK;
}

psopack_status psopack_file_append(const psopack_file *file, const void *data, size_t size,
                                   psopack_diag *diag)
{
    if (!file->appends)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "the file was not opened to append");

    size_t done = 0;
    while (done < size) {
        ssize_t put =
            write(psopack_fd(file), (const char *)data + done, transfer_size(size - done));
        PSOPACK_TRY(write_result(put, file, PSOPACK_NO_OFFSET, &done, diag));
    }
    return PSOPACK_OK;
}
