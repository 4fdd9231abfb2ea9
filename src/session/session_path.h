/* SPDX-License-Identifier: MIT */
/* Names of a cache's files: BASE is DIRECTORY/psopack-sessions/IDENTIFIER[-TAGHASH]. */
#ifndef PSOPACK_SESSION_PATH_H
#define PSOPACK_SESSION_PATH_H

#include <stddef.h>

#include "session/session_record.h"

#define PSOPACK_SESSION_FOLDER "psopack-sessions"
#define PSOPACK_SESSION_DIRECTORY_MAX 4000u /* bytes of the caller's directory */
#define PSOPACK_SESSION_BASE_SIZE (PSOPACK_SESSION_DIRECTORY_MAX + 80u)
#define PSOPACK_SESSION_PATH_SIZE (PSOPACK_SESSION_BASE_SIZE + 16u)

/* `directory` is at most PSOPACK_SESSION_DIRECTORY_MAX bytes. */
void psopack_session_path_folder(const char *directory, char ret_path[PSOPACK_SESSION_PATH_SIZE]);
void psopack_session_path_base(const char *directory, const psopack_session_identity *identity,
                               char ret_base[PSOPACK_SESSION_BASE_SIZE]);

/* `base` is at most PSOPACK_SESSION_BASE_SIZE - 1 bytes. */
void psopack_session_path_gate(const char *base, char ret_path[PSOPACK_SESSION_PATH_SIZE]);
void psopack_session_path_door(const char *base, char ret_path[PSOPACK_SESSION_PATH_SIZE]);
void psopack_session_path_values(const char *base, uint32_t slot,
                                 char ret_path[PSOPACK_SESSION_PATH_SIZE]);
void psopack_session_path_index(const char *base, uint32_t slot,
                                char ret_path[PSOPACK_SESSION_PATH_SIZE]);

/* True for the name of a gate; *ret_size is then the length of the base in front of its ending. */
bool psopack_session_path_is_gate(const char *name, size_t size, size_t *ret_size);

#endif
