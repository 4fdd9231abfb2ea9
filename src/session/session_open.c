/* SPDX-License-Identifier: MIT */
/* Opening and closing sessions: descriptions are judged here, caches are shared here. */
#include <string.h>

#include "session/session_host.h"

#define KNOWN_FLAGS                                                                                \
    (PSOPACK_SESSION_DRIVER_VERSIONED | PSOPACK_SESSION_WORKING_DIRECTORY |                        \
     PSOPACK_SESSION_OLDEST_FIRST)

static psopack_status check_desc(const psopack_session_desc *desc, psopack_diag *diag)
{
    bool tagged = (desc->flags & PSOPACK_SESSION_DRIVER_VERSIONED) != 0;
    if ((uint32_t)desc->mode > PSOPACK_SESSION_DISK)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "unknown session mode %d", (int)desc->mode);
    if (desc->flags & ~(uint32_t)KNOWN_FLAGS)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "unknown session flags 0x%x",
                            (unsigned)(desc->flags & ~(uint32_t)KNOWN_FLAGS));
    if (desc->mode == PSOPACK_SESSION_MEMORY &&
        (desc->flags & (PSOPACK_SESSION_WORKING_DIRECTORY | PSOPACK_SESSION_OLDEST_FIRST)))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "a flag of disk mode in memory mode");
    if (tagged != (desc->driver_tag != NULL) || tagged != (desc->driver_tag_size > 0) ||
        desc->driver_tag_size > PSOPACK_SESSION_TAG_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "a driver tag of 1 to %u bytes goes with the driver-versioned flag, "
                            "and only with it",
                            PSOPACK_SESSION_TAG_MAX);
    return PSOPACK_OK;
}

static uint64_t or_default(uint64_t value, uint64_t standard)
{
    return value > 0 ? value : standard;
}

static psopack_status make_plan(const psopack_session_host *host, const psopack_session_desc *desc,
                                psopack_session_plan *ret_plan, psopack_diag *diag)
{
    PSOPACK_TRY(check_desc(desc, diag));
    psopack_session_plan plan = {
        .mode = desc->mode,
        .version = desc->version,
        .value_file_max =
            or_default(desc->maximum_value_file_bytes, PSOPACK_SESSION_VALUE_FILE_BYTES_DEFAULT),
        .memory_bytes_max =
            or_default(desc->maximum_memory_bytes, PSOPACK_SESSION_MEMORY_BYTES_DEFAULT),
        .memory_entries_max = (uint32_t)or_default(desc->maximum_memory_entries,
                                                   PSOPACK_SESSION_MEMORY_ENTRIES_DEFAULT),
        .oldest_first = (desc->flags & PSOPACK_SESSION_OLDEST_FIRST) != 0,
        .allocator = &host->allocator,
        .hash = host->hash,
    };
    if (desc->mode == PSOPACK_SESSION_DISK) {
        bool working = (desc->flags & PSOPACK_SESSION_WORKING_DIRECTORY) != 0;
        plan.directory = working ? host->working_directory : host->directory;
        if (!plan.directory)
            return psopack_fail(diag, PSOPACK_E_ARGUMENT, "disk mode needs the host's %sdirectory",
                                working ? "working " : "");
    }
    memcpy(plan.identity.identifier, desc->identifier, sizeof plan.identity.identifier);
    plan.identity.flags = desc->flags & PSOPACK_SESSION_DRIVER_VERSIONED;
    plan.identity.tag_size = (uint32_t)desc->driver_tag_size;
    if (desc->driver_tag_size > 0)
        memcpy(plan.identity.tag, desc->driver_tag, desc->driver_tag_size);
    *ret_plan = plan;
    return PSOPACK_OK;
}

static bool same_cache(const psopack_session_plan *a, const psopack_session_plan *b)
{
    return a->mode == b->mode && a->directory == b->directory &&
           memcmp(a->identity.identifier, b->identity.identifier, sizeof a->identity.identifier) ==
               0 &&
           a->identity.flags == b->identity.flags && a->identity.tag_size == b->identity.tag_size &&
           memcmp(a->identity.tag, b->identity.tag, a->identity.tag_size) == 0;
}

/* With the host's mutex held. The session counts on the cache afterwards. */
static psopack_status join_cache(psopack_session_host *host, const psopack_session_plan *plan,
                                 psopack_session_cache **ret_cache, psopack_diag *diag)
{
    psopack_session_cache *cache = host->caches;
    while (cache && !same_cache(&cache->plan, plan))
        cache = cache->next;
    if (cache && cache->plan.version != plan->version)
        return psopack_fail(diag, PSOPACK_E_EXISTS,
                            "a session of this process has this cache open with another version");
    if (!cache) {
        PSOPACK_TRY(psopack_session_cache_open(plan, &cache, diag));
        cache->next = host->caches;
        host->caches = cache;
    }
    cache->sessions++;
    *ret_cache = cache;
    return PSOPACK_OK;
}

static void leave_cache(psopack_session_host *host, psopack_session_cache *cache)
{
    if (--cache->sessions > 0)
        return;
    psopack_session_cache **link = &host->caches;
    while (*link != cache)
        link = &(*link)->next;
    *link = cache->next;
    psopack_session_cache_close(cache);
}

static void link_session(psopack_session *session, const psopack_session_desc *desc)
{
    psopack_session_host *host = session->host;
    session->desc = *desc;
    if (desc->driver_tag_size > 0) {
        memcpy(session->tag, desc->driver_tag, desc->driver_tag_size);
        session->desc.driver_tag = session->tag;
    }
    session->newer = NULL;
    session->older = host->sessions;
    if (host->sessions)
        host->sessions->newer = session;
    host->sessions = session;
}

static void unlink_session(psopack_session *session)
{
    if (session->newer)
        session->newer->older = session->older;
    else
        session->host->sessions = session->older;
    if (session->older)
        session->older->newer = session->newer;
}

psopack_status psopack_session_open(psopack_session_host *host, const psopack_session_desc *desc,
                                    psopack_session **ret_session, psopack_diag *diag)
{
    if (!host || !desc || !ret_session)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "host, description or output is NULL");
    psopack_session_plan plan;
    PSOPACK_TRY(make_plan(host, desc, &plan, diag));
    if (atomic_load(&host->disabled))
        return psopack_fail(diag, PSOPACK_E_UNAVAILABLE, "sessions are disabled");
    psopack_session *session = psopack_session_allocate(&host->allocator, sizeof *session);
    if (!session)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for a session");
    session->host = host;
    psopack_mutex_lock(&host->mutex);
    psopack_status status = join_cache(host, &plan, &session->cache, diag);
    if (status == PSOPACK_OK)
        link_session(session, desc);
    psopack_mutex_unlock(&host->mutex);
    if (status != PSOPACK_OK) {
        psopack_session_release(&host->allocator, session, sizeof *session);
        return status;
    }
    *ret_session = session;
    return PSOPACK_OK;
}

void psopack_session_close(psopack_session **session)
{
    if (!session || !*session)
        return;
    psopack_session_host *host = (*session)->host;
    psopack_mutex_lock(&host->mutex);
    unlink_session(*session);
    leave_cache(host, (*session)->cache);
    psopack_mutex_unlock(&host->mutex);
    psopack_session_release(&host->allocator, *session, sizeof **session);
    *session = NULL;
}
