/* SPDX-License-Identifier: MIT */
/* What befalls whole files: cut, extended, shifted, half written, mixed from two. */
#include "damage.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 64u

static uint8_t *resized(const fixture *made, size_t size, size_t *ret_size)
{
    uint8_t *bytes = calloc(size ? size : 1, 1);
    assert_non_null(bytes);
    memcpy(bytes, made->bytes, size < made->size ? size : made->size);
    *ret_size = size;
    return bytes;
}

/* Each of the last bytes missing, then at even steps. */
static uint8_t *cut(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    (void)other;
    if (n == 2 * STEPS)
        return NULL;
    return resized(made, n < STEPS ? made->size - 1 - n : (n - STEPS) * made->size / STEPS,
                   ret_size);
}

/* By zeros, by bytes that are none, by another archive. */
static uint8_t *extend(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    static const size_t more[] = {1, 7, 8, 64, 128, 4096, 65536, 200000};
    enum { SIZES = sizeof more / sizeof more[0] };
    if (n > 2 * SIZES)
        return NULL;
    size_t extra = n == 2 * SIZES ? other->size : more[n % SIZES];
    uint8_t *bytes = resized(made, made->size + extra, ret_size);
    if (n == 2 * SIZES)
        memcpy(bytes + made->size, other->bytes, other->size);
    else if (n >= SIZES)
        memset(bytes + made->size, 0xa5, extra);
    return bytes;
}

static uint8_t *insert(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    (void)other;
    if (n == STEPS)
        return NULL;
    size_t at = n * made->size / STEPS;
    uint8_t *bytes = resized(made, made->size + 1, ret_size);
    memmove(bytes + at + 1, made->bytes + at, made->size - at);
    return bytes;
}

static uint8_t *omit(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    (void)other;
    if (n == STEPS)
        return NULL;
    size_t at = n * made->size / STEPS;
    uint8_t *bytes = resized(made, made->size - 1, ret_size);
    memcpy(bytes + at, made->bytes + at + 1, made->size - at - 1);
    return bytes;
}

/* Stored bytes of two blocks change places, as far as the shorter reaches. */
static uint8_t *swap_blocks(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    (void)other;
    static damage_part parts[DAMAGE_PARTS_MAX];
    const damage_part *blocks[DAMAGE_PARTS_MAX];
    size_t count = damage_find_parts(made->bytes, made->size, parts), found = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].class >= DAMAGE_BASE_BLOCK && parts[i].class <= DAMAGE_PIECE)
            blocks[found++] = &parts[i];
    }
    size_t first = n % found, second = first + 1 + n / found;
    if (n == STEPS || second >= found)
        return NULL;
    size_t size =
        blocks[first]->size < blocks[second]->size ? blocks[first]->size : blocks[second]->size;
    uint8_t *bytes = resized(made, made->size, ret_size);
    memcpy(bytes + blocks[first]->offset, made->bytes + blocks[second]->offset, size);
    memcpy(bytes + blocks[second]->offset, made->bytes + blocks[first]->offset, size);
    return bytes;
}

/* A write in place that stopped: new bytes in front, old ones behind. */
static uint8_t *tear(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    if (n == STEPS)
        return NULL;
    size_t from = n * made->size / STEPS;
    uint8_t *bytes = resized(made, made->size, ret_size);
    memcpy(bytes, other->bytes, from < other->size ? from : other->size);
    return bytes;
}

static size_t manifest_offset(const fixture *made)
{
    psopack_disk_footer footer;
    psopack_disk_section first;
    memcpy(&footer, made->bytes + made->size - sizeof footer, sizeof footer);
    memcpy(&first, made->bytes + psopack_load64(footer.table_offset), sizeof first);
    return (size_t)psopack_load64(first.offset);
}

/* Old manifest, new blocks; then the new footer, and with more and more of what is before it. */
static uint8_t *mix(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    size_t data = manifest_offset(made), other_data = manifest_offset(other);
    size_t common = data < other_data ? data : other_data;
    size_t tail = sizeof(psopack_disk_footer) + n * 32;
    if (n == STEPS || tail >= other->size - other_data)
        return NULL;
    uint8_t *bytes = resized(made, made->size, ret_size);
    if (n == 0)
        memcpy(bytes, other->bytes, common);
    else
        memcpy(bytes + made->size - tail, other->bytes + other->size - tail, tail);
    return bytes;
}

const damage_file_kind damage_file_kinds[] = {
    {"cut", cut},
    {"extended", extend},
    {"a byte inserted", insert},
    {"a byte missing", omit},
    {"two blocks swapped", swap_blocks},
    {"torn: new bytes in front, old ones behind", tear},
    {"old manifest over new blocks, new footer on old manifest", mix},
};
const size_t damage_file_kind_count = sizeof damage_file_kinds / sizeof damage_file_kinds[0];
