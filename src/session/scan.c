/* SPDX-License-Identifier: MIT */
/* A moving buffer over the file, a step per record, a byte-wise search after damage. */
#include "session/scan.h"

#include <string.h>

#include "format/error.h"

#define BUFFER_SIZE ((size_t)256 << 10)

typedef struct scan_state {
    const psopack_scan *scan;
    psopack_diag *diag;
    uint64_t size; /* of the file */
    uint8_t *buffer;
    size_t capacity;
    uint64_t base;     /* file offset of buffer[0] */
    size_t have;       /* bytes of the file in the buffer */
    uint64_t suspects; /* damage seen behind the last good record */
    psopack_scan_result result;
} scan_state;

static psopack_status grow(scan_state *state, size_t needed)
{
    size_t capacity = needed > BUFFER_SIZE ? needed : BUFFER_SIZE;
    if (capacity <= state->capacity)
        return PSOPACK_OK;
    uint8_t *buffer = psopack_session_allocate(state->scan->allocator, capacity);
    if (!buffer)
        return psopack_fail(state->diag, PSOPACK_E_NOMEM, "no memory for a record of %zu bytes",
                            needed);
    psopack_session_release(state->scan->allocator, state->buffer, state->capacity);
    state->buffer = buffer;
    state->capacity = capacity;
    state->have = 0;
    return PSOPACK_OK;
}

/* Gives `needed` bytes from `offset`, which the file had when the scan began. PSOPACK_E_TRUNCATED
 * when it has become shorter. */
static psopack_status view(scan_state *state, uint64_t offset, size_t needed,
                           const uint8_t **ret_bytes)
{
    if (offset < state->base || offset - state->base > state->have ||
        needed > state->have - (size_t)(offset - state->base)) {
        PSOPACK_TRY(grow(state, needed));
        uint64_t rest = state->size - offset;
        size_t wanted = rest < state->capacity ? (size_t)rest : state->capacity;
        size_t got = 0;
        state->have = 0;
        PSOPACK_TRY(psopack_file_read_up_to(state->scan->file, offset, state->buffer, wanted, &got,
                                            state->diag));
        state->base = offset;
        state->have = got;
        if (got < needed)
            return PSOPACK_E_TRUNCATED;
    }
    *ret_bytes = state->buffer + (size_t)(offset - state->base);
    return PSOPACK_OK;
}

static psopack_record_place place_of(const scan_state *state, uint64_t offset)
{
    return (psopack_record_place){state->scan->file_id, offset};
}

/* A head that proves itself and whose record ends inside the file; *ret_size is 0 if there is none
 * at `offset`. */
static psopack_status try_head(scan_state *state, uint64_t offset, uint64_t *ret_size)
{
    *ret_size = 0;
    if (sizeof(psopack_disk_record) > state->size - offset)
        return PSOPACK_OK;
    const uint8_t *bytes;
    PSOPACK_TRY(view(state, offset, sizeof(psopack_disk_record), &bytes));
    psopack_disk_record head;
    memcpy(&head, bytes, sizeof head);
    if (!psopack_record_head_good(&head, place_of(state, offset)))
        return PSOPACK_OK;
    uint64_t size =
        psopack_record_size(psopack_load32(head.key_size), psopack_load32(head.value_size));
    if (size <= state->size - offset)
        *ret_size = size;
    return PSOPACK_OK;
}

/* The next offset from `from` on that may be a head by its first byte; the file's size if none. */
static psopack_status next_candidate(scan_state *state, uint64_t from, uint64_t *ret_offset)
{
    while (from < state->size) {
        const uint8_t *bytes;
        PSOPACK_TRY(view(state, from, 1, &bytes));
        size_t room = state->have - (size_t)(from - state->base);
        const uint8_t *hit = memchr(bytes, 'P', room);
        if (hit) {
            *ret_offset = from + (uint64_t)(hit - bytes);
            return PSOPACK_OK;
        }
        from += room;
    }
    *ret_offset = state->size;
    return PSOPACK_OK;
}

/* Behind a damaged head: the next head that proves itself, or the file's size. */
static psopack_status search(scan_state *state, uint64_t from, uint64_t *ret_offset)
{
    for (;;) {
        PSOPACK_TRY(next_candidate(state, from, &from));
        if (from == state->size)
            break;
        uint64_t size;
        PSOPACK_TRY(try_head(state, from, &size));
        if (size > 0)
            break;
        from++;
    }
    *ret_offset = from;
    return PSOPACK_OK;
}

/* A good record at `offset`: what lies between it and the last one is damage, not a tail. */
static psopack_status settle_damage(scan_state *state, uint64_t offset)
{
    uint64_t from = state->result.end;
    state->result.damaged += state->suspects;
    state->suspects = 0;
    if (from == offset || !state->scan->on_damage)
        return PSOPACK_OK;
    return state->scan->on_damage(state->scan->context, from, offset - from);
}

static psopack_status take_record(scan_state *state, uint64_t offset, uint64_t size)
{
    const uint8_t *bytes;
    PSOPACK_TRY(view(state, offset, (size_t)size, &bytes));
    const psopack_disk_record *head = (const psopack_disk_record *)bytes;
    if (!psopack_record_body_good(head, place_of(state, offset))) {
        state->suspects++;
        return PSOPACK_OK;
    }
    PSOPACK_TRY(settle_damage(state, offset));
    state->result.end = offset + size;
    if (psopack_load32(head->kind) != PSOPACK_RECORD_ENTRY)
        return PSOPACK_OK;
    return state->scan->on_record(state->scan->context, offset, head);
}

static psopack_status scan_all(scan_state *state, uint64_t at)
{
    while (at < state->size) {
        uint64_t size;
        PSOPACK_TRY(try_head(state, at, &size));
        if (size == 0) {
            state->suspects++;
            PSOPACK_TRY(search(state, at + 1, &at));
            continue;
        }
        PSOPACK_TRY(take_record(state, at, size));
        at += size;
    }
    return PSOPACK_OK;
}

psopack_status psopack_scan_records(const psopack_scan *scan, uint64_t from,
                                    psopack_scan_result *ret_result, psopack_diag *diag)
{
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_get_stat(scan->file, &stat, diag));
    scan_state state = {.scan = scan, .diag = diag, .size = stat.size};
    state.result = (psopack_scan_result){.end = from, .size = stat.size};
    psopack_status status = scan_all(&state, from);
    psopack_session_release(scan->allocator, state.buffer, state.capacity);
    /* Cut while it was read: what was seen until then stands. */
    if (status != PSOPACK_OK && status != PSOPACK_E_TRUNCATED)
        return status;
    *ret_result = state.result;
    return PSOPACK_OK;
}
