/* SPDX-License-Identifier: MIT */
/* A growing list of strings that it owns. */
#ifndef PSOPACK_TOOL_WORDS_H
#define PSOPACK_TOOL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is empty. `items` has a NULL after the last one once anything was added. */
typedef struct psopack_words {
    char **items;
    size_t count;
    size_t capacity;
} psopack_words;

/* Puts a copy of `size` bytes (zero-terminated) before item `at`, at most count. False: no memory.
 */
bool psopack_words_insert(psopack_words *words, size_t at, const char *text, size_t size);

bool psopack_words_add(psopack_words *words, const char *text);

/* Replaces an item by a copy of `text`. */
bool psopack_words_replace(psopack_words *words, size_t at, const char *text);

void psopack_words_remove(psopack_words *words, size_t at);

void psopack_words_free(psopack_words *words);

#endif
