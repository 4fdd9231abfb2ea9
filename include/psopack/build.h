/* SPDX-License-Identifier: MIT */
/*
 * libpsopack-build: makes psopack archives. For content tools, never for the running game.
 *
 * A build takes inputs (folders, lists, memory), proves which components are equal by comparing
 * their bytes, groups, transforms and compresses them, and publishes one archive whole or not at
 * all. The same inputs and options give the same bytes (with the same libzstd), whatever the thread
 * count, the order of inputs, the clock or the locale.
 *
 * A psopack_build is used by one thread; the threads it starts inside are gone when a call returns.
 */
#ifndef PSOPACK_BUILD_H
#define PSOPACK_BUILD_H

#include <psopack/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psopack_build psopack_build;

/* On-disk numbers: pinned. */
typedef enum psopack_profile {
    PSOPACK_PROFILE_BALANCED = 0,     /* small and quick to reach: the default */
    PSOPACK_PROFILE_FAST = 1,         /* build speed first, for daily iteration */
    PSOPACK_PROFILE_SMALL = 2,        /* what ships: minutes of packing for the last percents */
    PSOPACK_PROFILE_STORED = 3,       /* not compressed: mapped, aligned, no copy */
    PSOPACK_PROFILE_DIRECTSTORAGE = 4 /* plain zstd frames of at most 256 KiB, 4-byte padded */
} psopack_profile;

PSOPACK_API const char *psopack_profile_name(psopack_profile profile);
PSOPACK_API psopack_status psopack_profile_find(const char *name, psopack_profile *ret_profile);

typedef enum psopack_severity {
    PSOPACK_NOTE,    /* worth knowing: a duplicate, an input that was merged */
    PSOPACK_WARNING, /* an input was left out (keep_going) */
    PSOPACK_DETAIL   /* decisions, for -v */
} psopack_severity;

/* What a build tells while it works. Called on the thread that runs the build. */
typedef struct psopack_build_events {
    void (*message)(void *user, psopack_severity severity, const char *text);
    /* `done` of `total` in units of the phase (files, bytes); `phase` is a short verb. */
    void (*progress)(void *user, const char *phase, uint64_t done, uint64_t total);
    int (*cancelled)(void *user); /* non-zero: stop soon with PSOPACK_E_CANCELLED; any thread */
    void *user;
} psopack_build_events;

/* What to do with a PSO that two inputs give with different content. */
typedef enum psopack_prefer {
    PSOPACK_PREFER_NONE,  /* PSOPACK_E_DUPLICATE */
    PSOPACK_PREFER_FIRST, /* the input added first */
    PSOPACK_PREFER_LAST
} psopack_prefer;

typedef struct psopack_build_limits {
    uint64_t file_size; /* one component: default and largest 4 GiB - 1 */
    uint64_t psos;      /* default 16 Mi */
} psopack_build_limits;

typedef struct psopack_build_options {
    size_t struct_size; /* sizeof(psopack_build_options) */
    psopack_profile profile;
    unsigned threads; /* 0: as many as the processors this process may use. Never changes output */
    const char *target; /* NULL: "" */
    uint64_t content_version;
    int hashes;      /* non-zero: store a content hash per component */
    int keep_going;  /* non-zero: leave out the whole PSO of an input that can't be read */
    int no_sync;     /* non-zero: do not flush to disk before the rename */
    int force_write; /* non-zero: replace the output even when it is identical */
    psopack_prefer prefer;
    int no_names; /* non-zero: store no PSO names: they can then be found by key only */
    /* Called with the path of the finished temporary file before it is published; anything but
     * PSOPACK_OK ends the build with it. Where a tool verifies by the loader. May be NULL. */
    psopack_status (*check)(void *user, const char *path, psopack_diag *diag);
    void *check_user;
    psopack_build_limits limits;
    psopack_build_events events;
    /*
     * Bytes of distinct content to keep, 0: 4 GiB; what is beyond is read again, and checked to be
     * the same. Never changes output. A build takes besides: 150 bytes a file (measured: 128, with
     * one distinct component in five), the largest component and a compressor a thread, 10 MiB.
     * That is all for `fast` and `stored`; the other profiles plan with all distinct content that
     * is below 8 MiB a component in memory.
     */
    uint64_t memory;
} psopack_build_options;

#define PSOPACK_BUILD_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(psopack_build_options), PSOPACK_PROFILE_BALANCED, 0, NULL, 0, 0, 0, 0, 0,           \
            PSOPACK_PREFER_NONE, 0, NULL, NULL, {0, 0}, {NULL, NULL, NULL, NULL}, 0                \
    }

/* `options` may be NULL. Strings in it are copied. */
PSOPACK_API psopack_status psopack_build_create(const psopack_build_options *options,
                                                psopack_build **ret_build, psopack_diag *diag);
PSOPACK_API void psopack_build_destroy(psopack_build **build);

/* Alignment that components of a slot get in a block that is not compressed: a power of two up to
 * 64 KiB. The largest of its slots' counts for a shared component. */
PSOPACK_API psopack_status psopack_build_align(psopack_build *build, const char *slot,
                                               uint32_t alignment, psopack_diag *diag);

/*
 * Adds a folder: every directory below `path` that holds files is one PSO, named by its path
 * relative to `path`; each file in it is a component, its file name the slot. Files directly in
 * `path` are PSOPACK_E_LAYOUT. Links to files are followed, linked directories are not entered.
 * Nothing is read yet but the directories.
 */
PSOPACK_API psopack_status psopack_build_add_tree(psopack_build *build, const char *path,
                                                  psopack_diag *diag);

/* Adds a folder of loose files: each file below `path` is one PSO with the one slot `slot`. */
PSOPACK_API psopack_status psopack_build_add_flat(psopack_build *build, const char *slot,
                                                  const char *path, psopack_diag *diag);

/*
 * Adds a list: lines of `pso<TAB>slot<TAB>path`, or JSON Lines of {"pso": ..., "slot": ..., "path":
 * ..., "key": ...} when the first byte is '{'. `path` is relative to the process's directory. With
 * `null_separated` records end in NUL instead of newline. Bytes are taken as they are; in JSON,
 * escapes count. The list is `size` bytes at `text`; `name` is for messages.
 */
PSOPACK_API psopack_status psopack_build_add_list(psopack_build *build, const char *name,
                                                  const void *text, size_t size, int null_separated,
                                                  psopack_diag *diag);

/*
 * Adds one slot of one PSO from memory. The bytes are not copied: they must stay as they are until
 * psopack_build_write() returns. `bytes` may be NULL when `size` is 0: an empty component. A slot
 * that is absent is simply not added; psopack_build_add_pso() alone makes a PSO without slots.
 */
PSOPACK_API psopack_status psopack_build_add_memory(psopack_build *build, const void *pso,
                                                    size_t pso_size, const char *slot,
                                                    const void *bytes, size_t size,
                                                    psopack_diag *diag);
PSOPACK_API psopack_status psopack_build_add_pso(psopack_build *build, const void *pso,
                                                 size_t pso_size, psopack_diag *diag);

/* Bytes that a caller makes on demand: `read` fills the whole component, is called from several
 * threads, maybe more than once, and must give the same bytes each time. */
typedef struct psopack_virtual_file {
    psopack_status (*read)(void *user, uint64_t id, void *buffer, size_t size);
    void *user;
    uint64_t id;
    uint64_t size;
} psopack_virtual_file;

PSOPACK_API psopack_status psopack_build_add_virtual(psopack_build *build, const void *pso,
                                                     size_t pso_size, const char *slot,
                                                     const psopack_virtual_file *file,
                                                     psopack_diag *diag);

/*
 * Which part of an archive to take. `salvage`: PSOs with a part that cannot be read are left out
 * and named by a warning each, instead of ending the build.
 */
typedef struct psopack_archive_filter {
    int (*pso)(void *user, const char *name, size_t size); /* 0: leave it out. NULL: take all */
    int (*slot)(void *user, const char *name);             /* 0: leave the slot out everywhere */
    int salvage;
    void *user;
} psopack_archive_filter;

/*
 * Adds the PSOs of an archive; where it is a layer, `paths` lists what it builds on, lowest first.
 * It is opened now and stays open until the build ends. Blocks of which enough is used are copied,
 * checked, not compressed again; the rest is packed anew. `filter` may be NULL. With one that
 * leaves out PSOs or slots, blocks that hold anything unused are packed anew: no byte of it stays.
 * An output without some of the slots says so (psopack_info.is_stripped). Alignment of slots is
 * taken over; asked for twice, the larger one counts.
 *
 * PSOPACK_E_NO_NAMES when its names were stripped; PSOPACK_E_FEATURE when its keys came from a
 * list. A base (psopack_build_on_base) can't be had at the same time: PSOPACK_E_ARGUMENT.
 */
PSOPACK_API psopack_status psopack_build_add_archive(psopack_build *build, const char *const *paths,
                                                     uint32_t count,
                                                     const psopack_archive_filter *filter,
                                                     psopack_diag *diag);

/*
 * Adds what is whole of a damaged archive, and sets profile, target, content version and hashes of
 * the build to what the archive has. PSOs that can't be saved are named by a warning each and
 * counted in skipped_psos. A flipped bit of the manifest is put back where its CRC says which; a
 * damaged header, footer or section table is made again; a damaged base is decoded as far as zstd
 * goes, and the CRC32C of each component that needs it decides. Fails where the manifest is gone.
 */
PSOPACK_API psopack_status psopack_build_salvage(psopack_build *build, const char *path,
                                                 psopack_diag *diag);

/*
 * Rebuilds on an older archive, so that a small change stays a small download: its blocks keep
 * their bytes and offsets, what is new is compressed against its bases and goes behind them. Blocks
 * and components that nothing uses any more stay as waste until it passes `max_waste_percent` of
 * the stored bytes: then the archive is packed afresh, as without this call. `no_stale` non-zero:
 * no byte of a removed component stays; blocks that hold one are made anew, others move.
 *
 * The output then depends on the inputs, the options and that archive. It must have the profile of
 * this build (PSOPACK_E_ARGUMENT), be no layer (PSOPACK_E_FEATURE), and whole: damage ends the
 * build. It is opened by psopack_build_write() and may be the output itself.
 */
PSOPACK_API psopack_status psopack_build_on_base(psopack_build *build, const char *path,
                                                 unsigned max_waste_percent, int no_stale,
                                                 psopack_diag *diag);
#define PSOPACK_MAX_WASTE_DEFAULT 10u

/*
 * Makes the output a layer on an archive: it holds only the PSOs and components that differ,
 * compressed against that archive's bases, and names it by content id and archive id. The inputs
 * are all that the two together shall hold: a PSO that is not among them is removed. `paths`: the
 * archive, and where it is a layer itself, what it builds on in front of it, lowest first, at most
 * 7 in all. Keys use the archive's seed: should a new name collide, PSOPACK_E_DUPLICATE.
 *
 * The output depends on the inputs, the options and those archives. Errors as for
 * psopack_build_on_base(); PSOPACK_E_NO_NAMES when names were stripped.
 */
PSOPACK_API psopack_status psopack_build_layer_on(psopack_build *build, const char *const *paths,
                                                  uint32_t count, psopack_diag *diag);

/*
 * Keeps hashes of the input files in the file `path`, so that the next build need not read what did
 * not change. The archive is the same with and without it. A file counts as unchanged while its
 * absolute path, size, modification and change time, device and inode are the same; one that
 * changed within the last step of the file system's clock before it was read is not remembered. A
 * file that is changed through a mapping, or whose times are forged together with its inode, is not
 * seen, as with Make or Git. A damaged or foreign cache is ignored with a note, a file that is no
 * cache is left alone. Written before the archive is; 80 bytes a file, twice that in memory.
 */
PSOPACK_API psopack_status psopack_build_cache(psopack_build *build, const char *path,
                                               psopack_diag *diag);

/*
 * Places what the listed PSOs use first, in the order of the list, in blocks of their own: who
 * loads them reads few blocks that lie together. `names`: PSO names, one a line, `size` bytes,
 * copied; a later call replaces the list. Names of no PSO are counted in a note, empty lines mean
 * nothing.
 *
 * It costs size, as like is no longer stored by like. To say how much the archive is also made
 * without the list, in a temporary file beside the output: planning and compression twice. The
 * output depends on inputs, options and the list, byte for byte. Not on a base, for a layer, or
 * with archives as inputs: psopack_build_write() then fails with PSOPACK_E_ARGUMENT.
 */
PSOPACK_API psopack_status psopack_build_order(psopack_build *build, const void *names, size_t size,
                                               psopack_diag *diag);

typedef struct psopack_build_result {
    uint64_t psos;
    uint64_t references;
    uint64_t reference_bytes;
    uint64_t components;
    uint64_t component_bytes;
    uint64_t blocks;
    uint64_t data_bytes;
    uint64_t base_bytes;
    uint64_t manifest_bytes;
    uint64_t file_bytes;
    uint64_t skipped_psos; /* keep_going */
    uint64_t collisions;   /* components with equal hashes and different bytes: all kept */
    uint64_t kept_blocks;  /* taken over from an older archive */
    uint64_t kept_bytes;   /* stored */
    uint64_t waste_bytes;  /* of these: what nothing uses */
    uint64_t layer_psos; /* a layer: PSOs that it adds or replaces; the sums above and below are */
    uint64_t removed_psos; /* those of the whole */
    uint64_t layer_components;
    uint64_t layer_component_bytes;
    uint64_t cached_files;    /* not read while hashing: psopack_build_cache() knew them */
    uint64_t reused_blocks;   /* not compressed: the output had them already */
    int64_t order_cost_bytes; /* psopack_build_order(): bytes that it adds to the file */
    int order_cost_known;     /* 0: no list, or nothing was made as the output is current */
    int repacked;             /* 1: the older archive had too much waste and was not built on */
    uint64_t peak_memory;     /* of the process, bytes, as the system reports it */
    int unchanged;            /* 1: the output was identical and is untouched */
    uint8_t content_id[16];
    uint8_t archive_id[16];
} psopack_build_result;

/*
 * Builds the archive and publishes it at `path`: temp file, flush, rename, flush of the directory.
 * On failure an archive that was at `path` is untouched. PSOPACK_E_CHANGED names an input that
 * changed while it was read; PSOPACK_E_DUPLICATE names both origins of a PSO.
 */
PSOPACK_API psopack_status psopack_build_write(psopack_build *build, const char *path,
                                               psopack_build_result *ret_result,
                                               psopack_diag *diag);

/* The inputs for a depfile, after psopack_build_write(): files, archives, directories walked, in
 * byte order, each once. NOT_FOUND past the end. *ret_path belongs to the build. */
PSOPACK_API psopack_status psopack_build_input(psopack_build *build, size_t index,
                                               const char **ret_path);

#ifdef __cplusplus
}
#endif

#endif
