/* SPDX-License-Identifier: MIT */
/*
 * What can still be had of a damaged archive. Its manifest is copied and mended: a flipped bit is
 * put back where a CRC says which, damaged ends are made again from the section table or its
 * repetition. The loader opens the result and reads what is whole; components in damaged blocks, or
 * on damaged bases, are decoded here as far as zstd yields bytes, and their CRC32C decides.
 */
#ifndef PSOPACK_PACKER_SALVAGE_H
#define PSOPACK_PACKER_SALVAGE_H

#include "packer/old_archive.h"

/* The last bytes of a file as they should be, and how long the file should be. */
typedef struct psopack_mended {
    uint8_t *manifest; /* [offset, size) of the file; the caller frees it */
    uint64_t offset;
    uint64_t size; /* of the archive: bytes behind it are not part of it */
    psopack_disk_header header;
    bool doubts_names; /* a page of names is damaged: a name must be confirmed by its key */
} psopack_mended;

/*
 * NOT_ARCHIVE, TRUNCATED or CORRUPT when neither footer nor section table are there to begin with.
 * `events` hears of what was mended.
 */
psopack_status psopack_mend(const uint8_t *file, uint64_t size, const psopack_build_events *events,
                            psopack_mended *ret_mended, psopack_diag *diag);

/*
 * When one flipped bit in `bytes` or in the stored check explains why they do not match, puts it
 * back. True when they match then, or did before. *ret_crc is the check of the bytes.
 */
bool psopack_mend_bit(uint8_t *bytes, size_t size, uint32_t stored, uint32_t *ret_crc);

/*
 * The same for a block by its check of 64 bits: tries bits of stored bytes [first, end). True when
 * one of them was it. Takes the time of hashing the block once for each bit.
 */
bool psopack_mend_block(uint8_t *stored, const psopack_block_row *row, const uint8_t *base_hash,
                        size_t first, size_t end);

/* Bases of a damaged archive, decoded as far as they go. Shared by all threads once made. */
typedef struct psopack_salvage psopack_salvage;

psopack_status psopack_salvage_create(const psopack_old *old, psopack_salvage **ret_salvage,
                                      psopack_diag *diag);
void psopack_salvage_destroy(psopack_salvage **salvage);

/* One thread's decoder and the block it decoded last. */
typedef struct psopack_salvage_reader psopack_salvage_reader;
psopack_status psopack_salvage_reader_create(psopack_salvage_reader **ret_reader,
                                             psopack_diag *diag);
void psopack_salvage_reader_destroy(psopack_salvage_reader **reader);

/* A component that the loader could not read, into `buffer` of its size. CHECKSUM when what can be
 * decoded of it is not it. */
psopack_status psopack_salvage_read(const psopack_salvage *salvage, psopack_salvage_reader *reader,
                                    uint32_t component, uint8_t *buffer, psopack_diag *diag);

/*
 * One zstd frame of `stored_size` bytes into `raw_size` bytes at `dst`, a damaged one too: what
 * does not decode is zero. Where a single zstd block of the frame is bad and all others decode,
 * those behind it land at their places. True when zstd found nothing wrong; else stored bytes
 * [*ret_bad, *ret_bad_end) are those it stumbled over, none when it only came out with another
 * size.
 */
bool psopack_salvage_frame(void *decoder, const void *dictionary, bool is_frame,
                           const uint8_t *stored, size_t stored_size, uint8_t *dst, size_t raw_size,
                           size_t *ret_bad, size_t *ret_bad_end);

#endif
