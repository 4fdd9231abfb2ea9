/* SPDX-License-Identifier: MIT */
/* What a host and a session are made of, and the hook that tests use to force hash collisions. */
#ifndef PSOPACK_SESSION_HOST_H
#define PSOPACK_SESSION_HOST_H

#include <stdatomic.h>

#include "session/cache.h"

struct psopack_session_host {
    psopack_allocator allocator;
    psopack_session_hash hash;
    char *directory; /* NULL: none */
    char *working_directory;
    atomic_bool disabled;
    psopack_mutex mutex; /* guards the lists; taken before the mutexes of a cache */
    psopack_session_cache *caches;
    psopack_session *sessions;
};

struct psopack_session {
    psopack_session_host *host;
    psopack_session_cache *cache;
    psopack_session *newer;
    psopack_session *older;
    psopack_session_desc desc;
    uint8_t tag[PSOPACK_SESSION_TAG_MAX]; /* what desc.driver_tag points to */
};

/* Replaces XXH3-64 for keys. Before the first session is opened; never in a product. */
void psopack_session_host_set_hash(psopack_session_host *host, psopack_session_hash hash);

#endif
