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

/* Fills `diag` unless it is NULL. */
void psopack_diag_fill(psopack_diag *diag, psopack_status code, psopack_object object,
                       uint64_t index, uint64_t offset, const char *format, ...)
    PSOPACK_PRINTF(6, 7);

/* Keeps a macro whose value is not used from being called a statement without effect. */
static inline psopack_status psopack_same_status(psopack_status status)
{
    return status;
}

/*
 * `return psopack_fail(diag, code, "...", ...)` fills `diag` and gives `code`. A macro, so that
 * compilers see which status leaves a function and know what it leaves unwritten.
 */
#define psopack_fail(diag, code, ...)                                                              \
    (psopack_diag_fill((diag), (code), PSOPACK_OBJECT_NONE, 0, PSOPACK_NO_OFFSET, __VA_ARGS__),    \
     psopack_same_status(code))

/* The same with an object, its index and a file offset (PSOPACK_NO_OFFSET for none). */
#define psopack_fail_at(diag, code, object, index, offset, ...)                                    \
    (psopack_diag_fill((diag), (code), (object), (index), (offset), __VA_ARGS__),                  \
     psopack_same_status(code))

#endif
