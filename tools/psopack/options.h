/* SPDX-License-Identifier: MIT */
/*
 * Every option of every command, in one table: parsing, --help, the completions and the option list
 * of the man page all come from it.
 */
#ifndef PSOPACK_TOOL_OPTIONS_H
#define PSOPACK_TOOL_OPTIONS_H

#include "words.h"

#include <psopack/status.h>

/* Which commands take an option. */
enum {
    PSOPACK_FOR_PACK = 1u << 0,
    PSOPACK_FOR_INFO = 1u << 1,
    PSOPACK_FOR_LIST = 1u << 2,
    PSOPACK_FOR_VERIFY = 1u << 3,
    PSOPACK_FOR_EXTRACT = 1u << 4,
    PSOPACK_FOR_CAT = 1u << 5,
    PSOPACK_FOR_BENCH = 1u << 6,
    PSOPACK_FOR_HELP = 1u << 7,
    PSOPACK_FOR_VERSION = 1u << 8,
    PSOPACK_FOR_DIFF = 1u << 9,
    PSOPACK_FOR_REPORT = 1u << 10,
    PSOPACK_FOR_LINT = 1u << 11,
    PSOPACK_FOR_LIMITS = 1u << 12,
    PSOPACK_FOR_MERGE = 1u << 13,
    PSOPACK_FOR_STRIP = 1u << 14,
    PSOPACK_FOR_SALVAGE = 1u << 15,
    PSOPACK_FOR_SESSION = 1u << 16,
    PSOPACK_FOR_REWRITERS = PSOPACK_FOR_MERGE | PSOPACK_FOR_STRIP, /* archive in, archive out */
    PSOPACK_FOR_BUILDERS = PSOPACK_FOR_PACK | PSOPACK_FOR_REWRITERS,
    PSOPACK_FOR_WRITERS = PSOPACK_FOR_BUILDERS | PSOPACK_FOR_SALVAGE,
    PSOPACK_FOR_SCAN = 1u << 20,
    PSOPACK_FOR_PLAN = 1u << 21,
    PSOPACK_FOR_COMPRESS = 1u << 22,
    PSOPACK_FOR_ASSEMBLE = 1u << 23,
    PSOPACK_FOR_STAGES = PSOPACK_FOR_PLAN | PSOPACK_FOR_COMPRESS | PSOPACK_FOR_ASSEMBLE,
    PSOPACK_FOR_READERS = PSOPACK_FOR_INFO | PSOPACK_FOR_LIST | PSOPACK_FOR_VERIFY |
                          PSOPACK_FOR_EXTRACT | PSOPACK_FOR_CAT | PSOPACK_FOR_BENCH |
                          PSOPACK_FOR_DIFF | PSOPACK_FOR_REPORT | PSOPACK_FOR_LINT,
    PSOPACK_FOR_ALL = PSOPACK_FOR_WRITERS | PSOPACK_FOR_READERS | PSOPACK_FOR_LIMITS |
                      PSOPACK_FOR_SESSION | PSOPACK_FOR_HELP | PSOPACK_FOR_VERSION |
                      PSOPACK_FOR_SCAN | PSOPACK_FOR_STAGES
};

/* In the order of the choices in the table. */
typedef enum psopack_color_choice {
    PSOPACK_COLOR_AUTO,
    PSOPACK_COLOR_ALWAYS,
    PSOPACK_COLOR_NEVER
} psopack_color_choice;

typedef enum psopack_progress_choice {
    PSOPACK_PROGRESS_AUTO,
    PSOPACK_PROGRESS_BAR,
    PSOPACK_PROGRESS_LINES,
    PSOPACK_PROGRESS_NONE,
    PSOPACK_PROGRESS_JSON
} psopack_progress_choice;

typedef enum psopack_help_format {
    PSOPACK_HELP_TEXT,
    PSOPACK_HELP_BASH,
    PSOPACK_HELP_ZSH,
    PSOPACK_HELP_FISH,
    PSOPACK_HELP_SCDOC
} psopack_help_format;

typedef struct psopack_number {
    uint64_t value;
    bool given;
} psopack_number;

/* All zero before parsing; free with psopack_options_free(). */
typedef struct psopack_options {
    int help;
    int json;
    int quiet;   /* how often */
    int verbose; /* how often */
    int color;
    int progress;

    char *output;
    psopack_words flat; /* SLOT, DIR, SLOT, DIR ... */
    psopack_words list;
    psopack_words from_session;
    int null_separated;
    psopack_number jobs;
    psopack_number memory;
    char *profile;
    psopack_words align; /* SLOT=N */
    int hashes;
    const char *part;
    const char *base;
    psopack_words layer;
    const char *cache;
    const char *order;
    psopack_number max_waste;
    int no_stale;
    int keep_going;
    int prefer;
    int strip_names;
    int strip_hashes;
    psopack_words strip_slots;
    psopack_words strip_psos;
    int verify;
    char *depfile;
    char *depfile_target;
    int depfile_phony;
    char *stamp;
    int force_write;
    int no_fsync;

    char *target;
    psopack_number content_version;
    psopack_words bases; /* of readers: where the base of a layer may be */
    int alone;

    int lint;
    char *limits_slot;
    char *limits_at;
    char *rootsig_slot;
    char *units;
    psopack_number tier;
    char *feature_level;
    char *live_set;
    char *suppress;
    int sarif;

    int components;
    int slots;
    int blocks;
    int quick;
    char *shipped;
    char *directory;
    int force;
    int format;

    psopack_words operands;
    psopack_words response_files; /* all that were read: inputs for the depfile */
} psopack_options;

typedef enum psopack_option_kind {
    PSOPACK_OPTION_FLAG,   /* int: counts */
    PSOPACK_OPTION_TEXT,   /* char *: the last one counts */
    PSOPACK_OPTION_NUMBER, /* psopack_number */
    PSOPACK_OPTION_SIZE,   /* psopack_number of bytes: digits, then K, M, G or nothing */
    PSOPACK_OPTION_CHOICE, /* int: index in `choices` */
    PSOPACK_OPTION_WORDS   /* psopack_words: each one is added */
} psopack_option_kind;

typedef struct psopack_option_row {
    const char *name;    /* without its dashes */
    const char *letters; /* "o" for -o, "MT" for -MT; NULL: none */
    const char *value;   /* as --help shows it; two words: two arguments; NULL: none */
    const char *choices; /* "auto|never"; NULL: any text */
    psopack_option_kind kind;
    size_t field;      /* its offset in psopack_options */
    unsigned commands; /* PSOPACK_FOR_* */
    const char *help;  /* a phrase without a full stop */
} psopack_option_row;

/* In the order that --help shows. */
extern const psopack_option_row psopack_option_rows[];
extern const size_t psopack_option_row_count;
#define PSOPACK_OPTION_ROWS_MAX 96

/*
 * Parses the arguments after the command's name. `command` is one PSOPACK_FOR_* bit, `name` its
 * name for messages. On failure *options may hold a part: free it all the same. PSOPACK_E_ARGUMENT
 * is a usage error, others come from response files.
 */
psopack_status psopack_options_parse(unsigned command, const char *name, int count,
                                     char *const *arguments, psopack_options *options,
                                     psopack_diag *diag);

void psopack_options_free(psopack_options *options);

#endif
