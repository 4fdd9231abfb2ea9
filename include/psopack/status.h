/* SPDX-License-Identifier: MIT */
/*
 * Status codes and diagnostics, shared by every psopack library.
 *
 * Codes are pinned: a code never changes its number, families leave room. Zero is success, every
 * failure is negative. Functions that can fail return a psopack_status and write their `ret_`
 * outputs only on PSOPACK_OK.
 */
#ifndef PSOPACK_STATUS_H
#define PSOPACK_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(PSOPACK_STATIC) || !defined(__GNUC__)
#define PSOPACK_API
#else
#define PSOPACK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum psopack_status {
    PSOPACK_OK = 0,

    /* The machine: trying again, or on another disk, may help. */
    PSOPACK_E_NOMEM = -10,     /* the allocator answered NULL, or the arena is too small */
    PSOPACK_E_IO = -11,        /* a read, write, flush or rename failed */
    PSOPACK_E_NO_SPACE = -12,  /* the disk or the quota is full */
    PSOPACK_E_CANCELLED = -13, /* the caller or a signal asked to stop */
    PSOPACK_E_BUSY = -14,      /* another process or session holds the object */
    PSOPACK_E_NO_ENTRY = -15,  /* a path does not exist */
    PSOPACK_E_ACCESS = -16,    /* the system denies access to a path */

    /* The bytes are damaged. Never the answer for stale or unsupported input. */
    PSOPACK_E_NOT_ARCHIVE = -20, /* neither a header nor a footer of psopack */
    PSOPACK_E_TRUNCATED = -21,   /* bytes are missing at the end */
    PSOPACK_E_EXTENDED = -22,    /* bytes follow the end */
    PSOPACK_E_CHECKSUM = -23,    /* a stored check does not match */
    PSOPACK_E_CORRUPT = -24,     /* checks match, but a value is impossible */
    PSOPACK_E_TUPLE = -25,       /* the parts of a PSO are not the parts that were packed */

    /* The bytes are fine, but not for this reader or this use. */
    PSOPACK_E_VERSION = -30,       /* a format version this library does not know */
    PSOPACK_E_FEATURE = -31,       /* a feature bit or section this library must refuse */
    PSOPACK_E_STALE_TARGET = -32,  /* built for another target */
    PSOPACK_E_STALE_CONTENT = -33, /* built from another content version */
    PSOPACK_E_BASE_MISSING = -34,  /* a layer was opened without its base */
    PSOPACK_E_BASE_WRONG = -35,    /* the base given has other content */
    PSOPACK_E_BASE_REPACKED = -36, /* the base has the same content, packed differently */

    /* A limit of the format, or one that the caller set. */
    PSOPACK_E_LIMIT = -40,

    /* Answers to a question, often expected. */
    PSOPACK_E_NOT_FOUND = -50,
    PSOPACK_E_ABSENT = -51,      /* the PSO has no component in that slot */
    PSOPACK_E_NO_NAMES = -52,    /* the archive's names were stripped */
    PSOPACK_E_BUFFER = -53,      /* the buffer is too small; the size needed is known */
    PSOPACK_E_NOT_MAPPED = -54,  /* no pointer can be given: use the copying call */
    PSOPACK_E_EXISTS = -55,      /* the key, session or file is there already */
    PSOPACK_E_COLLISION = -56,   /* same hash, other key */
    PSOPACK_E_FULL = -57,        /* the store would pass its maximum size */
    PSOPACK_E_UNAVAILABLE = -58, /* switched off, or read-only for now */
    PSOPACK_E_NO_HASHES = -59,   /* the archive has no content hashes */

    /* The call or the input of a build is wrong. */
    PSOPACK_E_ARGUMENT = -60,  /* a programmer's error: a value the call forbids */
    PSOPACK_E_NAME = -61,      /* a PSO or slot name that no archive may hold */
    PSOPACK_E_DUPLICATE = -62, /* one PSO name or key, two contents */
    PSOPACK_E_LAYOUT = -63,    /* an input folder is not shaped as documented */
    PSOPACK_E_LOOP = -64,      /* directories contain themselves */
    PSOPACK_E_CHANGED = -65,   /* an input changed while it was read */
    PSOPACK_E_SYNTAX = -66,    /* a list or text file has a malformed line */
    PSOPACK_E_FILE_TYPE = -67, /* an input is neither a file nor a directory */
    PSOPACK_E_LINT = -68,      /* the lint found errors, and was asked to insist */

    /* A check of psopack on itself failed: a bug worth reporting. */
    PSOPACK_E_INTERNAL = -90
} psopack_status;

/* What psopack_diag.object counts. */
typedef enum psopack_object {
    PSOPACK_OBJECT_NONE = 0,
    PSOPACK_OBJECT_FILE,      /* index unused */
    PSOPACK_OBJECT_SECTION,   /* index: section number in the table */
    PSOPACK_OBJECT_BLOCK,     /* index: block number */
    PSOPACK_OBJECT_COMPONENT, /* index: component number */
    PSOPACK_OBJECT_PSO,       /* index: PSO number */
    PSOPACK_OBJECT_SLOT,      /* index: slot number */
    PSOPACK_OBJECT_LINE       /* index: line number of a text input, from 1 */
} psopack_object;

/*
 * Says what failed, where. The caller owns it; every call that takes one accepts NULL. Written only
 * on failure. `offset` is in bytes from the start of the file at hand, UINT64_MAX when there is
 * none. `text` is one line, zero-terminated, cut with "..." when too long.
 */
typedef struct psopack_diag {
    psopack_status code;
    psopack_object object;
    uint64_t index;
    uint64_t offset;
    char text[512];
} psopack_diag;

/* "PSOPACK_E_CHECKSUM" and the like; "PSOPACK_E_UNKNOWN" for a number that is no status. */
PSOPACK_API const char *psopack_status_name(psopack_status status);

/* A short sentence without a full stop, e.g. "a stored check does not match". */
PSOPACK_API const char *psopack_status_text(psopack_status status);

/*
 * The exit code that the command line gives a status: 0 ok, 1 failed, 2 usage, 3 damaged,
 * 4 unsupported or stale, 6 limit. (5 and 130 depend on more than one status.)
 */
PSOPACK_API int psopack_status_exit_code(psopack_status status);

#ifdef __cplusplus
}
#endif

#endif
