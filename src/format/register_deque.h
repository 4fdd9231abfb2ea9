/* SPDX-License-Identifier: MIT */
/*
 * The 256 register numbers in a row with two ends, as the register transform codes them.
 *
 * A register that is written goes to the front, one that is read goes to the back, and its code is
 * the distance it came: from the front for a read, from the back for a write. Results that wait to
 * be used are thus near the front and dead registers near the back, so reads of fresh results and
 * writes to free registers have small codes, whatever the registers are called.
 *
 * Most codes are below 8 or above 247. The eight numbers at each end are therefore kept in a 64-bit
 * word, and only the others in memory, in a window that slides instead of being moved.
 */
#ifndef PSOPACK_FORMAT_REGISTER_DEQUE_H
#define PSOPACK_FORMAT_REGISTER_DEQUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REGISTER_DEQUE_MIDDLE 240 /* numbers in memory */
#define REGISTER_DEQUE_SPACE 2048 /* bytes for the window to slide in */

typedef struct register_deque {
    uint64_t front; /* low byte: the first number */
    uint64_t back;  /* low byte: the last number */
    uint8_t *middle;
    uint8_t *space; /* REGISTER_DEQUE_SPACE bytes of the caller's */
} register_deque;

#define REGISTER_DEQUE_INLINE static inline __attribute__((always_inline))

/* Back into the middle of the space, which is then good for 800 moves either way. */
static inline void register_deque_recentre(register_deque *d)
{
    uint8_t *centre = d->space + (REGISTER_DEQUE_SPACE - REGISTER_DEQUE_MIDDLE) / 2;

    memmove(centre, d->middle, REGISTER_DEQUE_MIDDLE);
    d->middle = centre;
}

/* To be called at least every 50 moves. */
REGISTER_DEQUE_INLINE void register_deque_keep_room(register_deque *d)
{
    if ((size_t)(d->middle - d->space) - 64 > REGISTER_DEQUE_SPACE - REGISTER_DEQUE_MIDDLE - 128) {
        register_deque_recentre(d);
    }
}

/* Descending: measured to be the best start. */
static inline void register_deque_init(register_deque *d, uint8_t *space)
{
    d->space = space;
    d->middle = space;
    d->front = 0xf8f9fafbfcfdfeff;
    d->back = 0x0706050403020100;
    for (unsigned i = 0; i < REGISTER_DEQUE_MIDDLE; i++) {
        d->middle[i] = (uint8_t)(247 - i);
    }
    register_deque_recentre(d);
}

/* A register number from memory, replaced by `evicted` from the end it goes to. */
static inline uint8_t register_deque_dig(register_deque *d, unsigned code, uint8_t evicted,
                                         bool to_back)
{
    unsigned last = REGISTER_DEQUE_MIDDLE - 1;
    unsigned i = to_back ? code - 8 : last - (code - 8);
    uint8_t number = d->middle[i];

    if (i <= last / 2) {
        memmove(d->middle + 1, d->middle, i);
        d->middle += to_back;
    } else {
        memmove(d->middle + i, d->middle + i + 1, last - i);
        d->middle -= !to_back;
    }
    d->middle[to_back ? last : 0] = evicted;
    return number;
}

/* The register that comes from distance `code`; it moves to the back, or else to the front. */
REGISTER_DEQUE_INLINE uint8_t register_deque_take(register_deque *d, unsigned code, bool to_back)
{
    uint64_t from = to_back ? d->front : d->back;
    uint64_t to = to_back ? d->back : d->front;
    uint8_t evicted = (uint8_t)(to >> 56);
    uint8_t number;

    if (code < 8) {
        uint64_t nearer = ((uint64_t)1 << 8 * code) - 1;
        uint64_t refill = d->middle[to_back ? 0 : REGISTER_DEQUE_MIDDLE - 1];

        number = (uint8_t)(from >> 8 * code);
        from = (from & nearer) | (from >> 8 & ~nearer & UINT64_MAX >> 8) | refill << 56;
        d->middle[to_back ? REGISTER_DEQUE_MIDDLE : -1] = evicted;
        d->middle += to_back ? 1 : -1;
        to = to << 8 | number;
    } else if (code >= 248) {
        unsigned shift = 8 * (255 - code);
        uint64_t nearer = ((uint64_t)1 << shift) - 1;

        number = (uint8_t)(to >> shift);
        to = (to & ~(nearer << 8 | 0xff)) | (to & nearer) << 8 | number;
    } else {
        number = register_deque_dig(d, code, evicted, to_back);
        to = to << 8 | number;
    }
    d->front = to_back ? from : to;
    d->back = to_back ? to : from;
    return number;
}

/* The index of a byte in a word, 8 if it is not there. */
static inline unsigned register_deque_byte_index(uint64_t word, uint8_t byte)
{
    uint64_t ones = 0x0101010101010101;
    uint64_t zero = word ^ ones * byte;
    uint64_t found = (zero - ones) & ~zero & ones << 7;

    return found != 0 ? (unsigned)__builtin_ctzll(found) / 8 : 8;
}

/* The code of a register, which does not move. */
static inline unsigned register_deque_find(const register_deque *d, uint8_t number, bool to_back)
{
    unsigned index = register_deque_byte_index(d->front, number);

    if (index == 8) {
        index = 255 - register_deque_byte_index(d->back, number);
        if (index == 247) {
            const uint8_t *found = memchr(d->middle, number, REGISTER_DEQUE_MIDDLE);
            index = 8 + (unsigned)(found - d->middle);
        }
    }
    return to_back ? index : 255 - index;
}

#endif
