/* SPDX-License-Identifier: MIT */
/* Filling a psopack_diag and leaving, in one line. */
#ifndef PSOPACK_FORMAT_ERROR_H
#define PSOPACK_FORMAT_ERROR_H

#include <psopack/status.h>

#define PSOPACK_NO_OFFSET UINT64_MAX

#define PSOPACK_TRY(expression)                                                                    \
    do {                                                                                           \
        psopack_status try_status_ = (expression);                                                 \
        if (try_status_ != PSOPACK_OK)                                                             \
            return try_status_;                                                                    \
    } while (0)

#if defined(__GNUC__)
#define PSOPACK_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define PSOPACK_PRINTF(format_at, first)
#endif

/* Fills `diag` unless it is NULL; returns `code`, so that callers write `return psopack_fail(...)`. */
psopack_status psopack_fail(psopack_diag *diag, psopack_status code, const char *format, ...)
    PSOPACK_PRINTF(3, 4);

/* The same with an object, its index and a file offset (PSOPACK_NO_OFFSET for none). */
psopack_status psopack_fail_at(psopack_diag *diag, psopack_status code, psopack_object object,
                               uint64_t index, uint64_t offset, const char *format, ...)
    PSOPACK_PRINTF(6, 7);

#endif
