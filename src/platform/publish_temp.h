/* SPDX-License-Identifier: MIT */
/* Private to publish: which file to replace, and the temporary file beside it. */
#ifndef PSOPACK_PLATFORM_PUBLISH_TEMP_H
#define PSOPACK_PLATFORM_PUBLISH_TEMP_H

#include "platform/file.h"

/* Where the output goes: links followed, its type checked, its directory open. */
typedef struct psopack_publish_place {
    char *path;       /* owned; not a link */
    const char *name; /* the last part of path */
    int directory;    /* owned descriptor */
    bool exists;
    unsigned mode; /* permission bits of the old output, if it exists */
} psopack_publish_place;

psopack_status psopack_publish_find_place(const char *path, psopack_publish_place *ret_place,
                                          psopack_diag *diag);

void psopack_publish_free_place(psopack_publish_place *place);

/*
 * Makes and locks a temporary file; messages name `path`. *ret_name is allocated, a name in the
 * place's directory.
 */
psopack_status psopack_publish_make_temp(const psopack_publish_place *place, const char *path,
                                         psopack_file *ret_file, char **ret_name,
                                         psopack_diag *diag);

/* Removes temporary files of dead writers of this output, as far as the directory lets it. */
void psopack_publish_remove_leftovers(const psopack_publish_place *place);

#endif
