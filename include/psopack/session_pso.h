/* SPDX-License-Identifier: MIT */
/*
 * Whole PSOs in a cache session, and one look-up through everything that may have a PSO: the
 * shipped archives, then the session, then the caller's compiler.
 *
 * A PSO is stored as one value: its present slots and their components, under its name and the
 * content version it was made from. `psopack session export` and `psopack pack --from-session` know
 * this form; other values of a session are left alone by them.
 */
#ifndef PSOPACK_SESSION_PSO_H
#define PSOPACK_SESSION_PSO_H

#include <psopack/psopack.h>
#include <psopack/session.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PSOPACK_SESSION_SLOTS_MAX 256u
#define PSOPACK_SESSION_SLOT_NAME_MAX 255u
#define PSOPACK_SESSION_PSO_NAME_MAX 4096u

/* A present slot. An absent one is simply not in the array; an empty component has size 0. */
typedef struct psopack_session_part {
    const char *slot;
    const void *bytes;
    size_t size;
} psopack_session_part;

typedef struct psopack_session_pso_name {
    const void *name;
    size_t size; /* 1 .. PSOPACK_SESSION_PSO_NAME_MAX */
    uint64_t content_version;
} psopack_session_pso_name;

/*
 * Stores a PSO under its name and content version: psopack_session_store() with its answers.
 * `parts` in any order. PSOPACK_E_NAME: an empty or too long name; PSOPACK_E_DUPLICATE: two parts
 * for one slot; PSOPACK_E_LIMIT: too many slots or bytes.
 */
PSOPACK_API psopack_status psopack_session_store_pso(psopack_session *session,
                                                     const psopack_session_pso_name *name,
                                                     const psopack_session_part *parts,
                                                     size_t count);

/*
 * Finds the value that holds a PSO: psopack_session_find() with its answers, size first, bytes
 * second. Take it apart with psopack_session_pso_parts().
 */
PSOPACK_API psopack_status psopack_session_find_pso(psopack_session *session,
                                                    const psopack_session_pso_name *name,
                                                    void *value, size_t *value_size);

/*
 * The parts of a PSO inside its value, in byte order of their slot names; pointers lead into
 * `value`, components at multiples of 16 bytes from its start. In: *count is the room at
 * `ret_parts`. Out: the number of parts, on PSOPACK_OK and PSOPACK_E_BUFFER. The tuple CRC is
 * checked.
 *
 * PSOPACK_E_NOT_FOUND    the value holds something else than a PSO
 * PSOPACK_E_CORRUPT      it says it is one, and is not
 * PSOPACK_E_TUPLE        the parts are not those that were stored
 */
PSOPACK_API psopack_status psopack_session_pso_parts(const void *value, size_t value_size,
                                                     psopack_session_part *ret_parts,
                                                     size_t *count);

/* The tuple CRC in a value that psopack_session_pso_parts() takes: equal to that of an archive's
 * PSO with the same parts (psopack_pso_tuple_crc). PSOPACK_E_NOT_FOUND: the value is no PSO. */
PSOPACK_API psopack_status psopack_session_pso_tuple_crc(const void *value, size_t value_size,
                                                         uint32_t *ret_crc);

/* The name in the key of a PSO; it leads into `key`. PSOPACK_E_NOT_FOUND: not the key of a PSO. */
PSOPACK_API psopack_status psopack_session_pso_name_of(const void *key, size_t key_size,
                                                       psopack_session_pso_name *ret_name);

/* ---- chained look-up ----------------------------------------------------------------------------
 */

/* Something that finds PSOs of one content version by name: a psopack_archive, see
 * psopack_chain_archive_of(), or a store of the caller's own. */
typedef struct psopack_chain_archive {
    psopack_status (*find)(void *user, const void *name, size_t size, uint32_t *ret_pso);
    void *user;
    uint64_t content_version;
} psopack_chain_archive;

typedef enum psopack_chain_source {
    PSOPACK_CHAIN_NOWHERE = 0,
    PSOPACK_CHAIN_ARCHIVE, /* `archive` and `pso` say where */
    PSOPACK_CHAIN_SESSION  /* psopack_session_find_pso() with `content_version` gives it */
} psopack_chain_source;

typedef struct psopack_chain_place {
    psopack_chain_source source;
    uint64_t content_version;
    size_t archive;    /* index in psopack_chain.archives */
    uint32_t pso;      /* index in that archive */
    size_t value_size; /* in the session */
} psopack_chain_place;

/* `nearest` is the PSO of the same name in another content version, or NOWHERE. The answer is what
 * psopack_chain_find() then answers; PSOPACK_OK means: made and stored, look in the session again.
 */
typedef psopack_status psopack_chain_miss_fn(void *user, const psopack_session_pso_name *name,
                                             const psopack_chain_place *nearest);

/*
 * What to look through, in this order. The chain owns nothing. An archive of another content
 * version than the one asked for is never a hit, only a candidate for `nearest`.
 */
typedef struct psopack_chain {
    size_t struct_size;                    /* sizeof(psopack_chain) */
    const psopack_chain_archive *archives; /* the layer on top first, its base after it */
    size_t archive_count;
    psopack_session *session; /* NULL: none */
    /* Content versions to try in the session for `nearest`, best first; archives add theirs. */
    const uint64_t *other_versions;
    size_t other_version_count;
    psopack_chain_miss_fn *miss; /* NULL: a miss is PSOPACK_E_NOT_FOUND */
    void *user;
} psopack_chain;

/*
 * Finds where a PSO is. On PSOPACK_OK *ret_place says it: read it there. Damage in one place does
 * not end the search; a session that is disabled counts as empty.
 *
 * Thread safety: as of the archives; with contexts, one thread uses one set of them.
 * Cost: a find by name for each archive, then one in the session.
 */
PSOPACK_API psopack_status psopack_chain_find(const psopack_chain *chain,
                                              const psopack_session_pso_name *name,
                                              psopack_chain_place *ret_place);

/* An open archive, which must have names, and a context of it; both must outlive the chain. */
typedef struct psopack_chain_loader {
    const psopack_archive *archive;
    psopack_context *context;
} psopack_chain_loader;

/* Inline, so that only programs which use it need the loader library. */
static inline psopack_status psopack_chain_loader_find(void *user, const void *name, size_t size,
                                                       uint32_t *ret_pso)
{
    const psopack_chain_loader *loader = (const psopack_chain_loader *)user;
    return psopack_pso_find(loader->archive, loader->context, name, size, ret_pso, NULL);
}

static inline psopack_chain_archive psopack_chain_archive_of(psopack_chain_loader *loader)
{
    psopack_chain_archive archive;
    psopack_info info;
    psopack_archive_info(loader->archive, &info);
    archive.find = psopack_chain_loader_find;
    archive.user = loader;
    archive.content_version = info.content_version;
    return archive;
}

#ifdef __cplusplus
}
#endif

#endif
