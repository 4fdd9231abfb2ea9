/* SPDX-License-Identifier: MIT */
/*
 * met DIR WORD...: a game that meets PSOs, in a cache session below DIR. Words: `pso NAME VERSION`
 * begins one, SLOT=TEXT is a part of it, `find NAME VERSION` looks one up, `raw KEY VALUE` stores
 * something that is no PSO, `tag TEXT` (first) makes the cache one of that driver.
 */
#include <psopack/session_pso.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 8 };

typedef struct pending {
    psopack_session *session;
    psopack_session_pso_name name;
    psopack_session_part parts[PARTS_MAX];
    size_t count;
} pending;

static void require(psopack_status status, const char *what)
{
    if (status == PSOPACK_OK)
        return;
    fprintf(stderr, "met: %s: %s\n", what, psopack_status_text(status));
    exit(1);
}

static void store(pending *p)
{
    if (p->name.name)
        require(psopack_session_store_pso(p->session, &p->name, p->parts, p->count), "store");
    p->name.name = NULL;
    p->count = 0;
}

static psopack_session_pso_name named(char *const *words)
{
    return (psopack_session_pso_name){words[1], strlen(words[1]), strtoull(words[2], NULL, 10)};
}

static int take(pending *p, char *const *words, int left)
{
    char *equals = strchr(words[0], '=');
    uint8_t value[512];
    size_t size = sizeof value;
    if (equals && p->count < PARTS_MAX) {
        *equals = '\0';
        p->parts[p->count++] = (psopack_session_part){words[0], equals + 1, strlen(equals + 1)};
        return 1;
    }
    store(p);
    if (left < 3)
        exit(2);
    psopack_session_pso_name name = named(words);
    if (strcmp(words[0], "pso") == 0)
        p->name = name;
    else if (strcmp(words[0], "find") == 0)
        require(psopack_session_find_pso(p->session, &name, value, &size), "find");
    else
        require(psopack_session_store(p->session, words[1], strlen(words[1]), words[2],
                                      strlen(words[2])),
                "raw");
    return 3;
}

int main(int argc, char **argv)
{
    psopack_session_host_options options = PSOPACK_SESSION_HOST_OPTIONS_INIT;
    psopack_session_desc desc = {.mode = PSOPACK_SESSION_DISK, .version = 1};
    psopack_session_host *host;
    pending p = {0};
    int at = 2;
    if (argc < 2)
        return 2;
    options.directory = argv[1];
    if (argc > 3 && strcmp(argv[2], "tag") == 0) {
        desc.flags = PSOPACK_SESSION_DRIVER_VERSIONED;
        desc.driver_tag = argv[3];
        desc.driver_tag_size = strlen(argv[3]);
        at = 4;
    }
    require(psopack_session_host_create(&options, &host, NULL), "create");
    require(psopack_session_open(host, &desc, &p.session, NULL), "open");
    while (at < argc)
        at += take(&p, argv + at, argc - at);
    store(&p);
    psopack_session_host_destroy(&host);
    return 0;
}
