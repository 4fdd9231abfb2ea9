/* SPDX-License-Identifier: MIT */
/* The likely meaning of a mistyped word: the candidate with the smallest edit distance. */
#include "suggest.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: three rows of the matrix are alive at a time. */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][PSOPACK_SUGGEST_NAME_MAX + 1];
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i - 1) % 3];
        const size_t *before_last = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t change = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(change, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before_last[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

void psopack_suggest(psopack_suggestion *suggestion, const char *candidate)
{
    size_t size = strlen(candidate);
    if (suggestion->typed_size > PSOPACK_SUGGEST_NAME_MAX || size > PSOPACK_SUGGEST_NAME_MAX)
        return;
    size_t distance = edit_distance(suggestion->typed, suggestion->typed_size, candidate, size);
    if (distance > 1 && suggestion->typed_size > 1 &&
        strncmp(candidate, suggestion->typed, suggestion->typed_size) == 0)
        distance = 1;
    /* Further than a third of the word is a guess, not a typing error. */
    if (distance > 1 + suggestion->typed_size / 3 || distance >= size)
        return;
    if (!suggestion->best || distance < suggestion->distance) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}
