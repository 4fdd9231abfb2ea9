/* SPDX-License-Identifier: MIT */
/*
 * Choosing the components of a base block: greedy coverage of repeated 16-byte windows.
 *
 * A window that f items hold saves f - 1 copies when the base holds it. The score of an
 * item is the sum of (f - 1) over its windows that the base does not hold yet, per byte of the
 * item; the best item is taken, its windows count as held, and so on until the base is full.
 */
#ifndef PSOPACK_PACKER_BASE_SELECT_H
#define PSOPACK_PACKER_BASE_SELECT_H

#include "packer/item.h"

/*
 * Windows that are counted, at most. Above it (48 MiB of word data) windows are sampled by the low
 * bits of their hash, the same ones in every item: memory stays below 200 MiB and 16 bytes an item.
 */
#define PSOPACK_BASE_WINDOWS_MAX (UINT32_C(3) << 22)

/*
 * Writes the indexes of the chosen items, best first, to ret_chosen (room for `count`), and how
 * many there are to *ret_count. Their sizes add up to at most max_bytes. Items that repeat nothing
 * are never chosen, so the result may be empty. The first N items are what a smaller max_bytes
 * would choose, except where items fill its last gap.
 *
 * Errors: PSOPACK_E_NOMEM, PSOPACK_E_LIMIT (more than PSOPACK_ITEMS_MAX items). Cost: about
 * 1 s for 12 MB of word data and a 2.5 MiB base.
 */
psopack_status psopack_base_select(uint32_t *ret_chosen, size_t *ret_count,
                                   const psopack_item *items, size_t count, size_t max_bytes,
                                   psopack_diag *diag);

#endif
