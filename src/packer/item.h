/* SPDX-License-Identifier: MIT */
/*
 * The input of compression planning: one component's bytes as blocks will hold them, that is after
 * the kind's transform and after whatever is stripped.
 *
 * Every planning function is pure: its result depends on the items and their order alone, never on
 * addresses, threads or time. Item indexes are uint32_t: at most PSOPACK_ITEMS_MAX items a call.
 */
#ifndef PSOPACK_PACKER_ITEM_H
#define PSOPACK_PACKER_ITEM_H

#include <psopack/status.h>

#define PSOPACK_ITEMS_MAX UINT32_C(0x7fffffff)

typedef struct psopack_item {
    const uint8_t *bytes; /* may be NULL when size is 0 */
    size_t size;          /* bytes */
} psopack_item;

/*
 * Distance in bytes between the windows that sketches and base selection hash: 4 when every size is
 * a multiple of 4 (machine code and packed structures repeat at word offsets), else 1 (text, x86).
 */
unsigned psopack_window_step(const psopack_item *items, size_t count);

#endif
