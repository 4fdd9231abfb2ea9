/* SPDX-License-Identifier: MIT */
/*
 * Parses a command line by the table of options, with getopt_long().
 *
 * getopt runs in its in-order mode: it hands out operands where they stand, so a response file is
 * expanded in operand position only, and an option's second argument is simply the next word.
 */
#include "options.h"

#include "failure.h"
#include "file_text.h"
#include "response.h"
#include "suggest.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
    IN_ORDER_OPERAND = 1, /* what getopt answers for an operand in this mode */
    FIRST_LONG = 256      /* getopt's answer for row 0; above every letter */
};

typedef struct parser {
    unsigned command;
    const char *name;
    psopack_options *options;
    psopack_diag *diag;
    psopack_words words; /* word 0 stands for the program, as getopt wants it */
    size_t nested_end[PSOPACK_RESPONSE_DEPTH_MAX]; /* words that follow each open response file */
    size_t depth;
    struct option long_options[PSOPACK_OPTION_ROWS_MAX + 1];
    char letters[2 + 2 * PSOPACK_OPTION_ROWS_MAX + 1];
} parser;

static bool is_for(const psopack_option_row *row, unsigned command)
{
    return (row->commands & command) != 0;
}

/* Fills getopt's own tables with the rows of the command. */
static void fill_tables(parser *p)
{
    size_t options = 0;
    char *letter = p->letters;
    *letter++ = '-'; /* in order */
    *letter++ = ':'; /* tell a missing argument from an unknown option */
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        const psopack_option_row *row = &psopack_option_rows[i];
        if (!is_for(row, p->command))
            continue;
        p->long_options[options++] = (struct option){
            row->name, row->value ? required_argument : no_argument, NULL, FIRST_LONG + (int)i};
        if (row->letters && row->letters[1] == '\0') {
            *letter++ = row->letters[0];
            if (row->value)
                *letter++ = ':';
        }
    }
    p->long_options[options] = (struct option){0};
    *letter = '\0';
}

static const psopack_option_row *row_of_letter(const parser *p, int letter)
{
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        const psopack_option_row *row = &psopack_option_rows[i];
        if (is_for(row, p->command) && row->letters && row->letters[0] == letter &&
            row->letters[1] == '\0')
            return row;
    }
    return NULL;
}

/* ---- what is wrong with an option ------------------------------------------------------------ */

/* The names of other commands' options help too: "--quick: not for 'psopack pack'". */
static psopack_status unknown_option(const parser *p, const char *word)
{
    size_t shown = strcspn(word, "=");
    size_t dashes = strspn(word, "-");
    psopack_suggestion suggestion = {word + dashes, shown < dashes ? 0 : shown - dashes, NULL, 0};
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        const psopack_option_row *row = &psopack_option_rows[i];
        if (is_for(row, p->command))
            psopack_suggest(&suggestion, row->name);
        else if (strlen(row->name) == suggestion.typed_size &&
                 memcmp(row->name, suggestion.typed, suggestion.typed_size) == 0)
            return psopack_failure(p->diag, PSOPACK_E_ARGUMENT,
                                   "--%s: not an option of 'psopack %s'", row->name, p->name);
    }
    if (!suggestion.best)
        return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "%.*s: unknown option", (int)shown,
                               word);
    return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "%.*s: unknown option, did you mean --%s?",
                           (int)shown, word, suggestion.best);
}

/* getopt answered '?': the word, or one letter of it, is no option or takes no argument. */
static psopack_status refused(const parser *p, const char *word)
{
    if (optopt >= FIRST_LONG)
        return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "--%s: takes no argument",
                               psopack_option_rows[optopt - FIRST_LONG].name);
    if (optopt != 0 && strncmp(word, "--", 2) != 0)
        return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "-%c: unknown option", optopt);
    return unknown_option(p, word);
}

static psopack_status argument_missing(const parser *p, const psopack_option_row *row)
{
    return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "--%s: needs %s", row->name, row->value);
}

/* ---- storing one option ---------------------------------------------------------------------- */

static void *field_of(psopack_options *options, const psopack_option_row *row)
{
    return (char *)options + row->field;
}

static psopack_status parse_number(const parser *p, const psopack_option_row *row, const char *text,
                                   psopack_number *ret_number)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(digits, &end, hexadecimal ? 16 : 10);
    if (!isxdigit((unsigned char)digits[0]) || *end != '\0')
        return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "--%s: '%s' is not a number", row->name,
                               text);
    if (errno == ERANGE)
        return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "--%s: %s is above 2^64-1", row->name,
                               text);
    *ret_number = (psopack_number){value, true};
    return PSOPACK_OK;
}

/* Digits, then nothing or a power of 1024. */
static psopack_status parse_size(const parser *p, const psopack_option_row *row, const char *text,
                                 psopack_number *ret_number)
{
    static const char units[] = "KMG";
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (!isdigit((unsigned char)text[0]) || end[unit != NULL] != '\0')
        return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "--%s: '%s' is not a size such as 512M",
                               row->name, text);
    if (errno == ERANGE || value > UINT64_MAX >> shift)
        return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "--%s: %s is above 2^64-1", row->name,
                               text);
    *ret_number = (psopack_number){(uint64_t)value << shift, true};
    return PSOPACK_OK;
}

static psopack_status find_choice(const parser *p, const psopack_option_row *row, const char *text,
                                  int *ret_index)
{
    size_t size = strlen(text);
    int index = 0;
    for (const char *at = row->choices; *at; index++) {
        size_t choice_size = strcspn(at, "|");
        if (choice_size == size && memcmp(at, text, size) == 0) {
            *ret_index = index;
            return PSOPACK_OK;
        }
        at += choice_size + (at[choice_size] == '|');
    }
    return psopack_failure(p->diag, PSOPACK_E_ARGUMENT, "--%s: '%s' is none of %s", row->name, text,
                           row->choices);
}

static psopack_status store_text(const parser *p, const psopack_option_row *row, const char *text)
{
    int index = 0;
    if (row->choices) {
        psopack_status status = find_choice(p, row, text, &index);
        if (status != PSOPACK_OK)
            return status;
    }
    if (row->kind == PSOPACK_OPTION_CHOICE) {
        *(int *)field_of(p->options, row) = index;
        return PSOPACK_OK;
    }
    char *copy = strdup(text);
    if (!copy)
        return psopack_failure_memory(p->diag, "options");
    char **field = field_of(p->options, row);
    free(*field);
    *field = copy;
    return PSOPACK_OK;
}

/* A value of two words takes the argument that getopt knows of and the next word. */
static psopack_status store_words(const parser *p, const psopack_option_row *row, const char *text)
{
    psopack_words *words = field_of(p->options, row);
    if (!psopack_words_add(words, text))
        return psopack_failure_memory(p->diag, "options");
    if (!strchr(row->value, ' '))
        return PSOPACK_OK;
    if ((size_t)optind >= p->words.count)
        return argument_missing(p, row);
    if (!psopack_words_add(words, p->words.items[optind++]))
        return psopack_failure_memory(p->diag, "options");
    return PSOPACK_OK;
}

static psopack_status store(const parser *p, const psopack_option_row *row, const char *text)
{
    switch (row->kind) {
    case PSOPACK_OPTION_FLAG:
        ++*(int *)field_of(p->options, row);
        return PSOPACK_OK;
    case PSOPACK_OPTION_NUMBER:
        return parse_number(p, row, text, field_of(p->options, row));
    case PSOPACK_OPTION_SIZE:
        return parse_size(p, row, text, field_of(p->options, row));
    case PSOPACK_OPTION_WORDS:
        return store_words(p, row, text);
    case PSOPACK_OPTION_TEXT:
    case PSOPACK_OPTION_CHOICE:
        return store_text(p, row, text);
    }
    return psopack_failure(p->diag, PSOPACK_E_INTERNAL, "--%s: no such kind of option", row->name);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Puts the words of a response file in place of the operand that named it. */
static psopack_status expand(parser *p, const char *path)
{
    while (p->depth && p->words.count - (size_t)optind < p->nested_end[p->depth - 1])
        p->depth--;
    if (p->depth == PSOPACK_RESPONSE_DEPTH_MAX)
        return psopack_failure(p->diag, PSOPACK_E_LIMIT,
                               "%s: response files are nested deeper than %d", path,
                               PSOPACK_RESPONSE_DEPTH_MAX);
    p->nested_end[p->depth++] = p->words.count - (size_t)optind;

    char *text = NULL;
    size_t size = 0;
    psopack_status status = psopack_file_text(path, &text, &size, p->diag);
    if (status != PSOPACK_OK)
        return status;
    psopack_words words = {0};
    status = psopack_response_split(path, text, size, &words, p->diag);
    for (size_t i = 0; status == PSOPACK_OK && i < words.count; i++) {
        if (!psopack_words_insert(&p->words, (size_t)optind + i, words.items[i],
                                  strlen(words.items[i])))
            status = psopack_failure_memory(p->diag, path);
    }
    psopack_words_free(&words);
    free(text);
    return status;
}

static psopack_status take_operand(parser *p, const char *text)
{
    if (text[0] == '@' && text[1] != '@' && text[1] != '\0') {
        psopack_words *files = &p->options->response_files;
        if (!psopack_words_add(files, text + 1))
            return psopack_failure_memory(p->diag, "operands");
        return expand(p, files->items[files->count - 1]);
    }
    if (text[0] == '@' && text[1] == '@')
        text++;
    if (!psopack_words_add(&p->options->operands, text))
        return psopack_failure_memory(p->diag, "operands");
    return PSOPACK_OK;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* -MT and -MP look like one letter with an argument to getopt: give it their long names. */
static psopack_status respell(parser *p, size_t at)
{
    const char *word = p->words.items[at];
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        const psopack_option_row *row = &psopack_option_rows[i];
        if (!is_for(row, p->command) || !row->letters || row->letters[1] == '\0' ||
            word[0] != '-' || strcmp(word + 1, row->letters) != 0)
            continue;
        char spelled[64] = "--";
        strncat(spelled, row->name, sizeof spelled - 3);
        if (!psopack_words_replace(&p->words, at, spelled))
            return psopack_failure_memory(p->diag, "options");
        break;
    }
    return PSOPACK_OK;
}

/* An abbreviation that is clear today may not be when options are added, so it is no option. */
static bool is_abbreviated(const char *word, const psopack_option_row *row)
{
    return strncmp(word, "--", 2) == 0 && strcspn(word + 2, "=") != strlen(row->name);
}

static psopack_status take_answer(parser *p, int answer, const char *word)
{
    if (answer == IN_ORDER_OPERAND)
        return take_operand(p, optarg);
    if (answer == '?')
        return refused(p, word);
    int option = answer == ':' ? optopt : answer;
    const psopack_option_row *row =
        option >= FIRST_LONG ? &psopack_option_rows[option - FIRST_LONG] : row_of_letter(p, option);
    if (!row || (option >= FIRST_LONG && is_abbreviated(word, row)))
        return unknown_option(p, word);
    return answer == ':' ? argument_missing(p, row) : store(p, row, optarg);
}

static psopack_status parse_words(parser *p)
{
    optind = 1;
    opterr = 0;
    while ((size_t)optind < p->words.count) {
        size_t at = (size_t)optind;
        psopack_status status = respell(p, at);
        if (status != PSOPACK_OK)
            return status;
        optopt = 0;
        int answer =
            getopt_long((int)p->words.count, p->words.items, p->letters, p->long_options, NULL);
        if (answer == -1)
            break;
        status = take_answer(p, answer, p->words.items[at]);
        if (status != PSOPACK_OK)
            return status;
    }
    /* What follows "--" is taken as it is. */
    for (size_t i = (size_t)optind; i < p->words.count; i++) {
        if (!psopack_words_add(&p->options->operands, p->words.items[i]))
            return psopack_failure_memory(p->diag, "operands");
    }
    return PSOPACK_OK;
}

psopack_status psopack_options_parse(unsigned command, const char *name, int count,
                                     char *const *arguments, psopack_options *options,
                                     psopack_diag *diag)
{
    parser p = {.command = command, .name = name, .options = options, .diag = diag};
    fill_tables(&p);
    bool stored = psopack_words_add(&p.words, name);
    for (int i = 0; i < count && stored; i++)
        stored = psopack_words_add(&p.words, arguments[i]);
    psopack_status status = stored ? parse_words(&p) : psopack_failure_memory(diag, "arguments");
    psopack_words_free(&p.words);
    return status;
}

void psopack_options_free(psopack_options *options)
{
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        const psopack_option_row *row = &psopack_option_rows[i];
        if (row->kind == PSOPACK_OPTION_TEXT) {
            char **text = field_of(options, row);
            free(*text);
            *text = NULL;
        } else if (row->kind == PSOPACK_OPTION_WORDS) {
            psopack_words_free(field_of(options, row));
        }
    }
    psopack_words_free(&options->operands);
    psopack_words_free(&options->response_files);
}
