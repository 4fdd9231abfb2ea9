/* SPDX-License-Identifier: MIT */
/*
 * libpsopack: reads psopack archives in the running game.
 *
 * Before you use it:
 * - An archive is bytes from a disc, a patcher or a stranger. Every call checks what it uses, and
 *   answers with a status; nothing aborts, logs, exits, writes files, reads the environment or
 *   keeps global state. The checks find damage, not forgery: they are no signature.
 * - A psopack_archive is constant after open. Any number of threads may use one without locks. A
 *   psopack_context is scratch memory for reads: one thread at a time uses one.
 * - After open and context creation no call allocates, also not inside zstd.
 * - A call takes at most 8 KiB of stack, what zstd and the system take not counted. Nothing
 * recurses or computes with floats.
 * - A file opened with mapping must not be cut while it is open: the system then raises SIGBUS at
 *   the next touch. Open with PSOPACK_OPEN_NO_MAP where that can happen: the manifest is then kept
 *   in memory, blocks are read by system calls, and a lost byte is PSOPACK_E_TRUNCATED.
 * - Sizes are in bytes, indexes count from 0. Strings handed out belong to the archive.
 *
 * Terms: a *component* is one opaque blob. A *PSO* is a named set of slot -> component; a *slot* is
 * the role a component plays ("vs.instructions"). A slot of a PSO is absent (its blob pointer was
 * null) or present; a present component may have size 0. Components are shared between PSOs.
 */
#ifndef PSOPACK_PSOPACK_H
#define PSOPACK_PSOPACK_H

#include <psopack/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version; psopack_version() says what is linked. */
#define PSOPACK_VERSION "0.1.0"

typedef struct psopack_archive psopack_archive;
typedef struct psopack_context psopack_context;

/* "No component" where a component index is asked for. */
#define PSOPACK_ABSENT UINT32_MAX

/* ---- opening -------------------------------------------------------------------------------- */

/*
 * Memory of the caller's. `allocate` returns `size` bytes aligned to `alignment` (a power of two,
 * at most 64) or NULL; `release` gets the same size back. Used while opening, closing and creating
 * or destroying contexts, never while reading. Leave both NULL for malloc and free.
 */
typedef struct psopack_allocator {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} psopack_allocator;

/*
 * An archive that lies in the caller's own file system. `read` fills `size` bytes from `offset` and
 * returns PSOPACK_OK, or a status that the call in progress then returns; it is called from every
 * thread that reads, at the same time.
 */
typedef struct psopack_source {
    psopack_status (*read)(void *user, uint64_t offset, void *buffer, size_t size);
    void *user;
    uint64_t size; /* of the archive */
} psopack_source;

/* Refuse archives that ask for more (PSOPACK_E_LIMIT). 0 means the default. */
typedef struct psopack_open_limits {
    uint64_t component_size; /* default 4 GiB; it bounds nothing that the library allocates */
    uint64_t block_size;     /* decoded and stored, each: default 16 MiB. A context holds one */
    uint64_t base_memory;    /* all bases together: default 64 MiB */
    uint64_t manifest_size;  /* memory for the manifest where it is not mapped: default 1 GiB */
    uint64_t psos;           /* default 16 Mi */
    uint64_t components;     /* default 64 Mi */
} psopack_open_limits;

enum {
    PSOPACK_OPEN_NO_MAP = 1u << 0,    /* read the file with read calls, never map it */
    PSOPACK_OPEN_CHECK_ALL = 1u << 1, /* check the whole manifest now instead of at first use */
    PSOPACK_OPEN_ALONE = 1u << 2      /* a layer without its base, see psopack_archive_layer() */
};

typedef struct psopack_open_options {
    size_t struct_size;              /* sizeof(psopack_open_options): lets the struct grow */
    uint32_t flags;                  /* PSOPACK_OPEN_* */
    const char *target;              /* NULL: any. Else another target is PSOPACK_E_STALE_TARGET */
    const uint64_t *content_version; /* NULL: any. Else another one is PSOPACK_E_STALE_CONTENT */
    psopack_allocator allocator;
    psopack_open_limits limits;
    void (*wait)(void *user); /* called again and again while another thread decodes a base that
                                 this one needs; NULL: yields the processor */
    void *wait_user;
    uint64_t file_offset; /* psopack_archive_open(): the archive is `file_size` bytes at this */
    uint64_t file_size;   /* offset of a larger file (0: all from there on) */
    const psopack_archive
        *base; /* a layer's base, see "layers". NULL for an archive that is none */
} psopack_open_options;

#define PSOPACK_OPEN_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(psopack_open_options), 0, NULL, NULL, {NULL, NULL, NULL}, {0, 0, 0, 0, 0, 0}, NULL, \
            NULL, 0, 0, NULL                                                                       \
    }

/*
 * Opens an archive: from a path, from `size` bytes at `memory` (which must stay as they are until
 * close; 8-byte alignment is not needed), or through callbacks. `options` may be NULL.
 *
 * On success *ret_archive is the caller's, psopack_archive_close() frees it. On failure it is
 * untouched and `diag` (may be NULL) says which byte of what is wrong:
 * PSOPACK_E_NOT_ARCHIVE, _TRUNCATED, _EXTENDED, _CHECKSUM, _CORRUPT: damaged; _VERSION, _FEATURE:
 * not for this library; _STALE_TARGET, _STALE_CONTENT: not for this build of the game;
 * _BASE_MISSING, _BASE_WRONG, _BASE_REPACKED: a layer, see below; _LIMIT; _NOMEM; _IO, _NO_ENTRY,
 * _ACCESS or what `read` returned.
 *
 * Cost, mapped: a few system calls and the checks of header, footer, section table and the small
 * sections (under 100 us); the rest of the manifest is checked page by page at first use. Not
 * mapped: reads and keeps the manifest.
 */
PSOPACK_API psopack_status psopack_archive_open(const char *path,
                                                const psopack_open_options *options,
                                                psopack_archive **ret_archive, psopack_diag *diag);
PSOPACK_API psopack_status psopack_archive_open_memory(const void *memory, size_t size,
                                                       const psopack_open_options *options,
                                                       psopack_archive **ret_archive,
                                                       psopack_diag *diag);
PSOPACK_API psopack_status psopack_archive_open_source(const psopack_source *source,
                                                       const psopack_open_options *options,
                                                       psopack_archive **ret_archive,
                                                       psopack_diag *diag);

/*
 * One archive for each target: opens the first of `count` paths that was built for options->target,
 * which must not be NULL, and says which (*ret_index, may be NULL). Archives for other targets and
 * paths that do not exist are passed over; when nothing is left, PSOPACK_E_STALE_TARGET or, when no
 * path exists, PSOPACK_E_NO_ENTRY. Any other failure is the answer at once.
 */
PSOPACK_API psopack_status psopack_archive_open_target(const char *const *paths, uint32_t count,
                                                       const psopack_open_options *options,
                                                       psopack_archive **ret_archive,
                                                       uint32_t *ret_index, psopack_diag *diag);

/* What opening will take from the allocator, with room for alignment to 64 and all bases, and what
 * each context will take, in one piece. */
typedef struct psopack_memory {
    uint64_t archive;
    uint64_t context;
} psopack_memory;

/*
 * Says that before opening, allocating nothing: for a title that hands out pieces of its own
 * memory. `options` as for opening, with the same flags and limits. The numbers are exact for a
 * good archive; for a damaged one they are within the limits, and opening says what is wrong.
 */
PSOPACK_API psopack_status psopack_archive_memory_needed(const char *path,
                                                         const psopack_open_options *options,
                                                         psopack_memory *ret_memory,
                                                         psopack_diag *diag);
PSOPACK_API psopack_status psopack_source_memory_needed(const psopack_source *source,
                                                        const psopack_open_options *options,
                                                        psopack_memory *ret_memory,
                                                        psopack_diag *diag);

/* Frees *archive and sets it to NULL. Its contexts must be gone, and layers opened on it. NULL and
 * NULL inside are fine. */
PSOPACK_API void psopack_archive_close(psopack_archive **archive);

/* ---- layers --------------------------------------------------------------------------------- */

/*
 * A layer is an archive that holds only what differs from its base: another archive, or another
 * layer, up to 8 deep. Open the base, then the layer with options.base; the layer's handle shows
 * both as one archive, in every call of this library: PSOs in byte order of their names, replaced
 * and removed ones as the layer has it; components with the layer's own in front (index c of the
 * base is c + the layer's own). Finding and looking up cost a few comparisons more for each layer,
 * O(log PSOs); nothing else changes, and still nothing allocates after open.
 *
 * The base must outlive its layers; its bases are decoded once for all of them, in its memory. A
 * context made for the layer serves the base as well.
 *
 * Opening answers PSOPACK_E_BASE_MISSING without a base (the diag names the archive id wanted),
 * PSOPACK_E_BASE_REPACKED when the base has the content that the layer was made for, packed into
 * another archive (only the very archive will do), PSOPACK_E_BASE_WRONG for any other.
 *
 * Where a diag is about an archive further down, its text begins with "base", the first 8 digits of
 * that archive's id and a colon; indexes and offsets in it are then that archive's.
 */
typedef struct psopack_layer_info {
    uint8_t base_content_id[16];
    uint8_t base_archive_id[16];
    uint32_t depth;          /* 1: the base is no layer itself */
    uint32_t own_psos;       /* added or replaced here */
    uint32_t gone_psos;      /* of the base: replaced or removed */
    uint32_t own_components; /* stored here */
} psopack_layer_info;

/*
 * PSOPACK_E_NOT_FOUND when the archive is no layer. Works also for a layer opened with
 * PSOPACK_OPEN_ALONE, to find out which base it wants or to see what it holds itself: such a handle
 * shows only the layer's own PSOs; what they take from the base has component indexes as ever, but
 * getting or reading it is PSOPACK_E_BASE_MISSING, and so is reading a component that is compressed
 * against the base, and psopack_archive_verify().
 */
PSOPACK_API psopack_status psopack_archive_layer(const psopack_archive *archive,
                                                 psopack_layer_info *ret_info);

/* What the layer was opened on; NULL for an archive that is none. */
PSOPACK_API const psopack_archive *psopack_archive_base(const psopack_archive *archive);

/* ---- what is in it -------------------------------------------------------------------------- */

/*
 * PSOs, components, references and the sums of their bytes are those of the whole that a handle on
 * a layer shows; all about files, blocks, kinds, bases and memory is the layer's own: ask its base
 * for the rest.
 */
typedef struct psopack_info {
    uint64_t file_bytes;
    uint32_t psos;
    uint32_t slots;
    uint32_t components; /* indexes run below this; after a rebuild some may be dead */
    uint32_t live_components;
    uint32_t kinds;
    uint32_t blocks;
    uint32_t bases;
    uint64_t references;      /* present slots over all PSOs */
    uint64_t reference_bytes; /* before dedup */
    uint64_t component_bytes; /* unique, as delivered */
    uint64_t data_bytes;      /* stored blocks, bases included */
    uint64_t base_bytes;      /* stored base blocks */
    uint64_t base_memory;     /* all bases decoded, with their tables: reserved at open */
    uint64_t manifest_bytes;  /* everything that is not a block */
    uint64_t content_version;
    const char *target; /* "" when none was given */
    const char *profile;
    const char *recipe; /* the packer's parameters, for people */
    uint32_t zstd_version;
    uint8_t content_id[16];  /* equal for equal content, however it was packed */
    uint8_t archive_id[16];  /* equal for equal archives */
    uint64_t archive_memory; /* what open allocated in all, bases included */
    uint64_t context_memory; /* what one psopack_context takes */
    int has_names;           /* every PSO has one */
    int has_hashes;          /* every component has one */
    int is_mapped;
    int is_stripped; /* slots were taken out after packing: PSOs have less than they were made of */
} psopack_info;

PSOPACK_API void psopack_archive_info(const psopack_archive *archive, psopack_info *ret_info);

/* Slot names in byte order. NULL for an index that is out of range. */
PSOPACK_API const char *psopack_slot_name(const psopack_archive *archive, uint32_t slot);
PSOPACK_API psopack_status psopack_slot_find(const psopack_archive *archive, const char *name,
                                             uint32_t *ret_slot);

/* ---- PSOs ----------------------------------------------------------------------------------- */

/*
 * Finds a PSO by its 64-bit key (the XXH3-64 of its name under the archive's seed, or the key that
 * the list gave it): tens of nanoseconds. PSOPACK_E_NOT_FOUND when no PSO has it. `context` is used
 * only by archives that keep no keys (profile `small`): they decode one page of names and look for
 * the key there, also for a key that no PSO has. It may be NULL for others, see
 * psopack_key_needs_context().
 */
PSOPACK_API psopack_status psopack_pso_find_key(const psopack_archive *archive,
                                                psopack_context *context, uint64_t key,
                                                uint32_t *ret_pso);
PSOPACK_API int psopack_key_needs_context(const psopack_archive *archive);

/* The key of a name in this archive: for a table of keys made once. No look-up. */
PSOPACK_API uint64_t psopack_pso_key(const psopack_archive *archive, const void *name, size_t size);

/*
 * Finds a PSO by name (`size` bytes, no terminator needed) and confirms the name in its page of 64:
 * some microseconds. PSOPACK_E_NOT_FOUND; PSOPACK_E_NO_NAMES when the names were stripped.
 */
PSOPACK_API psopack_status psopack_pso_find(const psopack_archive *archive,
                                            psopack_context *context, const void *name, size_t size,
                                            uint32_t *ret_pso, psopack_diag *diag);

/*
 * The name of a PSO. PSOs are numbered in byte order of their names. Writes at most `capacity`
 * bytes, always a terminator if `capacity` is not 0, and the full size without it to *ret_size (may
 * be NULL), also when it answers PSOPACK_E_BUFFER.
 */
PSOPACK_API psopack_status psopack_pso_name(const psopack_archive *archive,
                                            psopack_context *context, uint32_t pso, char *buffer,
                                            size_t capacity, size_t *ret_size, psopack_diag *diag);

/*
 * The component in one slot of a PSO. PSOPACK_E_ABSENT when the slot is absent,
 * PSOPACK_E_NOT_FOUND for an index out of range, PSOPACK_E_CHECKSUM or _CORRUPT for damage.
 */
PSOPACK_API psopack_status psopack_pso_component(const psopack_archive *archive, uint32_t pso,
                                                 uint32_t slot, uint32_t *ret_component,
                                                 psopack_diag *diag);

/* All slots of a PSO at once: ret_components[slot] is a component index or PSOPACK_ABSENT. The
 * array has as many elements as the archive has slots. */
PSOPACK_API psopack_status psopack_pso_components(const psopack_archive *archive, uint32_t pso,
                                                  uint32_t *ret_components, psopack_diag *diag);

/* The CRC32C over the whole PSO that the packer computed from the bytes it read. */
PSOPACK_API psopack_status psopack_pso_tuple_crc(const psopack_archive *archive, uint32_t pso,
                                                 uint32_t *ret_crc, psopack_diag *diag);

/*
 * Checks that parts are the parts that were packed. `crcs[slot]` is the CRC32C of the bytes in
 * caller memory as psopack_component_read() returned it, `sizes[slot]` their size; slots where
 * `components[slot]` is PSOPACK_ABSENT are not looked at. PSOPACK_E_TUPLE when they differ.
 */
PSOPACK_API psopack_status psopack_pso_check(const psopack_archive *archive, uint32_t pso,
                                             const uint32_t *components, const uint64_t *sizes,
                                             const uint32_t *crcs, psopack_diag *diag);

/*
 * What a platform's "create from parts" call needs: for each slot pointer, size and CRC, `bytes`
 * NULL for absent (an empty component has a pointer and size 0), the tuple CRC of all checked.
 */
typedef struct psopack_part {
    const void *bytes;
    uint64_t size;
    uint32_t crc;
    uint32_t component; /* PSOPACK_ABSENT */
} psopack_part;

/* Where a component's bytes are now, and the CRC32C that psopack_component_read() gave for them. A
 * failure ends the call in progress with that status. */
typedef psopack_status psopack_part_fn(void *user, uint32_t slot, uint32_t component,
                                       const void **ret_bytes, uint32_t *ret_crc);

/*
 * Gathers the parts of a PSO that lie in the caller's memory. `ret_parts` has as many elements as
 * the archive has slots, in slot order, and is complete only on PSOPACK_OK; NULL: only check.
 * PSOPACK_E_TUPLE when the parts are not those that were packed. Load plans and residency have this
 * built in.
 */
PSOPACK_API psopack_status psopack_pso_parts(const psopack_archive *archive, uint32_t pso,
                                             psopack_part_fn *find, void *user,
                                             psopack_part *ret_parts, psopack_diag *diag);

/* ---- components ----------------------------------------------------------------------------- */

typedef struct psopack_component_info {
    uint64_t size;      /* as delivered */
    uint32_t alignment; /* a power of two: what the packer was told to keep */
    uint32_t crc;       /* CRC32C of the delivered bytes */
    uint32_t block;     /* first block that holds it; UINT32_MAX for size 0 */
    uint32_t blocks;    /* how many blocks it spans: 1 unless it is large, 0 for size 0 */
    int dead;           /* 1: kept by a rebuild, no PSO uses it */
    uint32_t level;     /* which archive's block: 0 this one's, 1 its base's, 2 the base's base's */
} psopack_component_info;

/* Size and alignment before the read: no decoding. PSOPACK_E_NOT_FOUND out of range. */
PSOPACK_API psopack_status psopack_component_get(const psopack_archive *archive, uint32_t component,
                                                 psopack_component_info *ret_info,
                                                 psopack_diag *diag);

/* The XXH3-128 of the delivered bytes, canonical form. PSOPACK_E_NO_HASHES when not stored. */
PSOPACK_API psopack_status psopack_component_hash(const psopack_archive *archive,
                                                  uint32_t component, uint8_t ret_hash[16],
                                                  psopack_diag *diag);

/*
 * Decodes a component into `buffer` and checks its CRC32C. On success exactly its size is written
 * and *ret_crc (may be NULL) is the CRC of those bytes. On failure the buffer's contents are
 * undefined: PSOPACK_E_BUFFER when `capacity` is short, _CHECKSUM or _CORRUPT for damage, or what
 * the source's `read` returned.
 *
 * Bytes go straight to `buffer` when a block holds just this component, else through the context's
 * scratch and one copy. The context keeps the last decoded block: reading its neighbours is cheap.
 */
PSOPACK_API psopack_status psopack_component_read(const psopack_archive *archive,
                                                  psopack_context *context, uint32_t component,
                                                  void *buffer, size_t capacity, uint32_t *ret_crc,
                                                  psopack_diag *diag);

/*
 * The component where it lies in the mapping or in the caller's archive memory, for archives whose
 * block is not compressed (profile `stored`). Its CRC is checked at each call. PSOPACK_E_NOT_MAPPED
 * when it must be copied: use psopack_component_read().
 */
PSOPACK_API psopack_status psopack_component_pointer(const psopack_archive *archive,
                                                     uint32_t component, const void **ret_bytes,
                                                     uint64_t *ret_size, psopack_diag *diag);

/* ---- contexts ------------------------------------------------------------------------------- */

/* `allocator` NULL: the archive's. psopack_info.context_memory says how much. */
PSOPACK_API psopack_status psopack_context_create(const psopack_archive *archive,
                                                  const psopack_allocator *allocator,
                                                  psopack_context **ret_context);
PSOPACK_API void psopack_context_destroy(psopack_context **context);

/* Forgets the last decoded block, so that the next read is cold. */
PSOPACK_API void psopack_context_forget(psopack_context *context);

/* ---- looking closer: what tools show -------------------------------------------------------- */

typedef struct psopack_block_info {
    uint64_t offset; /* in the file */
    uint32_t stored_size;
    uint32_t raw_size;
    uint32_t first_component;
    uint32_t components; /* 0 for the later pieces of a large component */
    uint32_t kind;
    uint32_t transform;
    const char *transform_name; /* "none" */
    uint32_t base;              /* base number + 1, 0 none */
    int is_base;
    int is_raw;
    int is_dead;
} psopack_block_info;

PSOPACK_API psopack_status psopack_block_get(const psopack_archive *archive, uint32_t block,
                                             psopack_block_info *ret_info, psopack_diag *diag);

typedef struct psopack_kind_info {
    const char *name;
    const char *transform_name;
    uint64_t components;
    uint64_t component_bytes;
    uint64_t stored_bytes; /* its blocks and base blocks */
    uint32_t base;         /* base number + 1 of most of its blocks, 0 none */
} psopack_kind_info;

PSOPACK_API psopack_status psopack_kind_get(const psopack_archive *archive, uint32_t kind,
                                            psopack_kind_info *ret_info);

typedef struct psopack_section_info {
    char name[5];
    uint64_t offset;
    uint64_t size;
    int required;
} psopack_section_info;

PSOPACK_API psopack_status psopack_section_get(const psopack_archive *archive, uint32_t section,
                                               psopack_section_info *ret_info);

/* ---- verify --------------------------------------------------------------------------------- */

/* One finding: `diag` says what is damaged and where. Return 0 to go on, else verify ends there. */
typedef int psopack_verify_fn(void *user, const psopack_diag *diag);

enum {
    PSOPACK_VERIFY_QUICK = 1u << 0 /* the manifest only: no block is decoded */
};

typedef struct psopack_verify_result {
    uint64_t blocks_checked;
    uint64_t blocks_damaged;
    uint64_t components_checked;
    uint64_t components_damaged;
    uint64_t psos_checked;
    uint64_t psos_damaged;
    uint64_t findings; /* everything reported, sections and padding included */
    uint64_t harmless; /* of these: in dead blocks */
} psopack_verify_result;

/*
 * Checks every byte of the archive and goes on to the end: sections, padding, blocks, components,
 * then the tuple CRC of each PSO, computed from decoded bytes. PSOPACK_OK when all is well, the
 * status of the first finding otherwise; each is reported through `each` (may be NULL), in order:
 * sections, blocks and their components in file order, then PSOs by index. Allocates: some bytes
 * per component.
 *
 * A layer is verified with all that it builds on: the bytes of each archive, from the layer down,
 * then the PSOs of the whole.
 */
PSOPACK_API psopack_status psopack_archive_verify(const psopack_archive *archive, uint32_t flags,
                                                  psopack_verify_fn *each, void *user,
                                                  psopack_verify_result *ret_result,
                                                  psopack_diag *diag);

/* "psopack 0.1.0 (format 1, zstd 1.5.4)": this library's version, the format it reads, and the zstd
 * it was built with. */
PSOPACK_API const char *psopack_version(void);

#ifdef __cplusplus
}
#endif

#endif
