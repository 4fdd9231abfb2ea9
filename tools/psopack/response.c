/* SPDX-License-Identifier: MIT */
/* Splits a response file into words, as GNU tools do. */
#include "response.h"

#include "failure.h"

#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Unquotes one word into `word`, which has room for the rest of the text. Returns its end, or NULL
 * when a quote stays open. */
static const char *take_word(const char *at, const char *end, char *word, size_t *ret_size)
{
    size_t size = 0;
    char quote = '\0';
    for (; at < end && (quote || !is_space(*at)); at++) {
        if (*at == '\\' && end - at > 1) {
            word[size++] = *++at;
        } else if (quote) {
            if (*at == quote)
                quote = '\0';
            else
                word[size++] = *at;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        } else {
            word[size++] = *at;
        }
    }
    *ret_size = size;
    return quote ? NULL : at;
}

static psopack_status split(const char *path, const char *at, const char *end, char *word,
                            psopack_words *words, psopack_diag *diag)
{
    for (;;) {
        while (at < end && is_space(*at))
            at++;
        if (at == end)
            return PSOPACK_OK;
        size_t size = 0;
        at = take_word(at, end, word, &size);
        if (!at)
            return psopack_failure(diag, PSOPACK_E_SYNTAX, "%s: a quote is never closed", path);
        if (!psopack_words_insert(words, words->count, word, size))
            return psopack_failure_memory(diag, path);
    }
}

psopack_status psopack_response_split(const char *path, const char *text, size_t size,
                                      psopack_words *words, psopack_diag *diag)
{
    if (memchr(text, '\0', size))
        return psopack_failure(diag, PSOPACK_E_SYNTAX,
                               "%s: a zero byte: this is not a response file", path);
    char *word = malloc(size + 1);
    if (!word)
        return psopack_failure_memory(diag, path);
    psopack_status status = split(path, text, text + size, word, words, diag);
    free(word);
    return status;
}
