/* SPDX-License-Identifier: MIT */
/*
 * What input files held when an earlier build read them (--cache FILE), so that a file that did not
 * change since need not be read again. It saves reading, and decides nothing that is written.
 *
 * A file is the same when its absolute path, size, both times, device and inode are. An entry is
 * kept only when the file's last change is older than the start of the build that read it: a later
 * change then cannot have the same time. Equal files carry one group number; they were compared by
 * bytes when they were read. Memory: 80 bytes for each file, and 80 for each entry read.
 */
#ifndef PSOPACK_PACKER_HASH_CACHE_H
#define PSOPACK_PACKER_HASH_CACHE_H

#include "packer/store.h"

typedef struct psopack_hash_cache psopack_hash_cache;

/*
 * Reads the cache at `path` and makes ready to replace it; for `file_count` input files. A cache
 * that is missing, damaged, of another version or no cache at all is empty, and said so in a note;
 * a file that is no cache is not replaced.
 */
psopack_status psopack_hash_cache_open(const char *path, size_t file_count,
                                       const psopack_build_events *events,
                                       psopack_hash_cache **ret_cache, psopack_diag *diag);
void psopack_hash_cache_close(psopack_hash_cache **cache);

uint32_t psopack_hash_cache_groups(const psopack_hash_cache *cache);

/* What is known of the file at `path`; false: nothing. Safe on several threads. */
bool psopack_hash_cache_find(const psopack_hash_cache *cache, const char *path,
                             const psopack_file_stat *stat, psopack_known_file *ret_known);

/* Remembers input file `file` for the next build; `found->group` is its item in the store. Safe on
 * several threads for different files. */
void psopack_hash_cache_record(psopack_hash_cache *cache, uint32_t file, const char *path,
                               const psopack_file_stat *stat, const psopack_known_file *found);

/* Replaces the cache by what was recorded. A failure is told in a note: the archive is not less. */
psopack_status psopack_hash_cache_write(psopack_hash_cache *cache, size_t item_count,
                                        psopack_diag *diag);

#endif
