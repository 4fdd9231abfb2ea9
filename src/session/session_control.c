/* SPDX-License-Identifier: MIT */
/* Disable, enable and clear, for all application-managed caches of a host. */
#include <stdio.h>
#include <string.h>

#include "platform/walk.h"
#include "session/session_host.h"

#define KNOWN_KINDS                                                                                \
    (PSOPACK_SESSION_KIND_IMPLICIT_FOR_DRIVER | PSOPACK_SESSION_KIND_IMPLICIT_CONVERSIONS |        \
     PSOPACK_SESSION_KIND_IMPLICIT_DRIVER_MANAGED | PSOPACK_SESSION_KIND_APPLICATION_MANAGED)
#define KNOWN_CONTROLS (PSOPACK_SESSION_DISABLE | PSOPACK_SESSION_ENABLE | PSOPACK_SESSION_CLEAR)

/* Clearing goes on after trouble and reports the first of it. */
typedef struct clearing {
    psopack_session_host *host;
    char folder[PSOPACK_SESSION_PATH_SIZE];
    psopack_status status;
    psopack_diag *diag;
} clearing;

static void note(clearing *work, psopack_status status, const psopack_diag *reason)
{
    if (status == PSOPACK_OK || work->status != PSOPACK_OK)
        return;
    work->status = status;
    if (work->diag)
        *work->diag = *reason;
}

static void clear_open_caches(clearing *work)
{
    for (psopack_session_cache *cache = work->host->caches; cache; cache = cache->next) {
        psopack_diag reason = {.code = PSOPACK_OK};
        note(work, psopack_session_cache_clear(cache, &reason), &reason);
    }
}

static bool is_open_here(const psopack_session_host *host, const char *base)
{
    for (const psopack_session_cache *cache = host->caches; cache; cache = cache->next) {
        if (strcmp(cache->base, base) == 0)
            return true;
    }
    return false;
}

static psopack_status on_entry(void *context, const psopack_walk_entry *entry, psopack_diag *diag)
{
    (void)diag;
    clearing *work = context;
    size_t size;
    if (entry->type != PSOPACK_WALK_FILE || entry->name_at != 0 ||
        !psopack_session_path_is_gate(entry->path, entry->path_size, &size) ||
        strlen(work->folder) + 1 + size >= PSOPACK_SESSION_BASE_SIZE)
        return PSOPACK_OK;
    char base[PSOPACK_SESSION_PATH_SIZE + PSOPACK_WALK_PATH_MAX];
    snprintf(base, sizeof base, "%s/%.*s", work->folder, (int)size, entry->path);
    if (is_open_here(work->host, base))
        return PSOPACK_OK;
    psopack_diag reason = {.code = PSOPACK_OK};
    note(work, psopack_session_clear_closed(base, &reason), &reason);
    return PSOPACK_OK;
}

static psopack_status on_error(void *context, const char *path, bool is_directory,
                               const psopack_diag *diag)
{
    (void)path, (void)is_directory;
    /* Files come and go while other processes work: what is gone needs no clearing. */
    if (diag->code != PSOPACK_E_NO_ENTRY)
        note(context, diag->code, diag);
    return PSOPACK_OK;
}

static void clear_closed_caches(clearing *work)
{
    if (!work->host->directory)
        return;
    psopack_session_path_folder(work->host->directory, work->folder);
    psopack_walk walk = {.on_entry = on_entry, .on_error = on_error, .context = work};
    psopack_diag reason = {.code = PSOPACK_OK};
    psopack_status status = psopack_walk_tree(work->folder, &walk, &reason);
    if (status != PSOPACK_E_NO_ENTRY)
        note(work, status, &reason);
}

static psopack_status clear_all(psopack_session_host *host, psopack_diag *diag)
{
    clearing work = {.host = host, .status = PSOPACK_OK, .diag = diag};
    psopack_mutex_lock(&host->mutex);
    clear_open_caches(&work);
    clear_closed_caches(&work);
    psopack_mutex_unlock(&host->mutex);
    return work.status;
}

psopack_status psopack_session_host_control(psopack_session_host *host, uint32_t kinds,
                                            uint32_t controls, psopack_diag *diag)
{
    const uint32_t both = PSOPACK_SESSION_DISABLE | PSOPACK_SESSION_ENABLE;
    if (!host || kinds == 0 || (kinds & ~(uint32_t)KNOWN_KINDS))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "no kind of cache, or an unknown one");
    if (controls == 0 || (controls & ~(uint32_t)KNOWN_CONTROLS))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "no control, or an unknown one");
    if ((controls & both) == both)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "disable and enable exclude each other");
    if (!(kinds & PSOPACK_SESSION_KIND_APPLICATION_MANAGED))
        return PSOPACK_OK;
    if (controls & both)
        atomic_store(&host->disabled, (controls & PSOPACK_SESSION_DISABLE) != 0);
    return controls & PSOPACK_SESSION_CLEAR ? clear_all(host, diag) : PSOPACK_OK;
}
