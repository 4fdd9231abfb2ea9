/* SPDX-License-Identifier: MIT */
/* Formatting of the names, nothing else. */
#include "session/session_path.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define GATE_ENDING ".lock"

void psopack_session_path_folder(const char *directory, char ret_path[PSOPACK_SESSION_PATH_SIZE])
{
    snprintf(ret_path, PSOPACK_SESSION_PATH_SIZE, "%s/" PSOPACK_SESSION_FOLDER, directory);
}

void psopack_session_path_base(const char *directory, const psopack_session_identity *identity,
                               char ret_base[PSOPACK_SESSION_BASE_SIZE])
{
    char hex[33];
    for (size_t i = 0; i < sizeof identity->identifier; i++)
        snprintf(hex + 2 * i, 3, "%02x", identity->identifier[i]);
    int size = snprintf(ret_base, PSOPACK_SESSION_BASE_SIZE, "%s/" PSOPACK_SESSION_FOLDER "/%s",
                        directory, hex);
    if (identity->tag_size > 0 && size > 0 && (size_t)size < PSOPACK_SESSION_BASE_SIZE)
        snprintf(ret_base + size, PSOPACK_SESSION_BASE_SIZE - (size_t)size, "-%016llx",
                 (unsigned long long)XXH3_64bits(identity->tag, identity->tag_size));
}

void psopack_session_path_gate(const char *base, char ret_path[PSOPACK_SESSION_PATH_SIZE])
{
    snprintf(ret_path, PSOPACK_SESSION_PATH_SIZE, "%s" GATE_ENDING, base);
}

void psopack_session_path_door(const char *base, char ret_path[PSOPACK_SESSION_PATH_SIZE])
{
    snprintf(ret_path, PSOPACK_SESSION_PATH_SIZE, "%s.open", base);
}

void psopack_session_path_values(const char *base, uint32_t slot,
                                 char ret_path[PSOPACK_SESSION_PATH_SIZE])
{
    snprintf(ret_path, PSOPACK_SESSION_PATH_SIZE, "%s.%u.val", base, (unsigned)slot);
}

void psopack_session_path_index(const char *base, uint32_t slot,
                                char ret_path[PSOPACK_SESSION_PATH_SIZE])
{
    snprintf(ret_path, PSOPACK_SESSION_PATH_SIZE, "%s.%u.idx", base, (unsigned)slot);
}

bool psopack_session_path_is_gate(const char *name, size_t size, size_t *ret_size)
{
    size_t ending = sizeof GATE_ENDING - 1;
    if (size <= ending || memcmp(name + size - ending, GATE_ENDING, ending) != 0)
        return false;
    *ret_size = size - ending;
    return true;
}
