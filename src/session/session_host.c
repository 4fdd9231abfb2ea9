/* SPDX-License-Identifier: MIT */
/* "The same process": the list of open caches and of sessions on them. */
#include "session/session_host.h"

#include <string.h>
#include <xxhash.h>

static uint64_t hash_key(const void *key, size_t size)
{
    return XXH3_64bits(key, size);
}

void psopack_session_host_set_hash(psopack_session_host *host, psopack_session_hash hash)
{
    host->hash = hash;
}

static psopack_status copy_directory(const psopack_allocator *allocator, const char *directory,
                                     char **ret_copy, psopack_diag *diag)
{
    *ret_copy = NULL;
    if (!directory)
        return PSOPACK_OK;
    size_t size = strlen(directory);
    if (size == 0 || size > PSOPACK_SESSION_DIRECTORY_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "a directory has 1 to %u bytes, not %zu",
                            PSOPACK_SESSION_DIRECTORY_MAX, size);
    char *copy = psopack_session_allocate(allocator, size + 1);
    if (!copy)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for a host");
    memcpy(copy, directory, size + 1);
    *ret_copy = copy;
    return PSOPACK_OK;
}

static void release_directory(const psopack_allocator *allocator, char *directory)
{
    if (directory)
        psopack_session_release(allocator, directory, strlen(directory) + 1);
}

static void free_host(psopack_session_host *host)
{
    const psopack_allocator allocator = host->allocator;
    release_directory(&allocator, host->directory);
    release_directory(&allocator, host->working_directory);
    psopack_session_release(&allocator, host, sizeof *host);
}

static psopack_status fill_host(psopack_session_host *host,
                                const psopack_session_host_options *options, psopack_diag *diag)
{
    const psopack_allocator *allocator = &host->allocator;
    PSOPACK_TRY(copy_directory(allocator, options->directory, &host->directory, diag));
    PSOPACK_TRY(
        copy_directory(allocator, options->working_directory, &host->working_directory, diag));
    return psopack_mutex_init(&host->mutex, diag);
}

psopack_status psopack_session_host_create(const psopack_session_host_options *options,
                                           psopack_session_host **ret_host, psopack_diag *diag)
{
    if (!options || options->struct_size < sizeof *options || !ret_host ||
        !options->allocator.allocate != !options->allocator.release)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "host options are missing or incomplete");
    psopack_session_host *host = psopack_session_allocate(&options->allocator, sizeof *host);
    if (!host)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for a host");
    memset(host, 0, sizeof *host);
    host->allocator = options->allocator;
    host->hash = hash_key;
    atomic_init(&host->disabled, false);
    psopack_status status = fill_host(host, options, diag);
    if (status != PSOPACK_OK) {
        free_host(host);
        return status;
    }
    *ret_host = host;
    return PSOPACK_OK;
}

void psopack_session_host_destroy(psopack_session_host **host)
{
    if (!host || !*host)
        return;
    while ((*host)->sessions) {
        psopack_session *session = (*host)->sessions;
        psopack_session_close(&session);
    }
    psopack_mutex_finish(&(*host)->mutex);
    free_host(*host);
    *host = NULL;
}
