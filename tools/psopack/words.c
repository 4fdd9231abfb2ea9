/* SPDX-License-Identifier: MIT */
/* A growing list of strings that it owns. */
#include "words.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(psopack_words *words)
{
    if (words->count + 1 < words->capacity)
        return true;
    size_t capacity = words->capacity ? words->capacity * 2 : 16;
    char **items = realloc(words->items, capacity * sizeof *items);
    if (!items)
        return false;
    words->items = items;
    words->capacity = capacity;
    return true;
}

bool psopack_words_insert(psopack_words *words, size_t at, const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy || !make_room(words)) {
        free(copy);
        return false;
    }
    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    memmove(words->items + at + 1, words->items + at, (words->count - at) * sizeof *words->items);
    words->items[at] = copy;
    words->items[++words->count] = NULL;
    return true;
}

bool psopack_words_add(psopack_words *words, const char *text)
{
    return psopack_words_insert(words, words->count, text, strlen(text));
}

bool psopack_words_replace(psopack_words *words, size_t at, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return false;
    free(words->items[at]);
    words->items[at] = copy;
    return true;
}

void psopack_words_remove(psopack_words *words, size_t at)
{
    free(words->items[at]);
    memmove(words->items + at, words->items + at + 1, (words->count - at) * sizeof *words->items);
    words->count--;
}

void psopack_words_free(psopack_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (psopack_words){0};
}
