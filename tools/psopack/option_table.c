/* SPDX-License-Identifier: MIT */
/* The table of options: one row each, in the order that --help shows. */
#include "options.h"

#define AT(member) offsetof(psopack_options, member)
#define FLAG NULL, NULL, PSOPACK_OPTION_FLAG
#define TEXT(value) value, NULL, PSOPACK_OPTION_TEXT
#define NUMBER(value) value, NULL, PSOPACK_OPTION_NUMBER
#define SIZE(value) value, NULL, PSOPACK_OPTION_SIZE
#define WORDS(value) value, NULL, PSOPACK_OPTION_WORDS
#define CHOICE(value, choices) value, choices, PSOPACK_OPTION_CHOICE
#define PACK PSOPACK_FOR_PACK
#define WRITERS PSOPACK_FOR_WRITERS
#define SCAN PSOPACK_FOR_SCAN
#define STAGES PSOPACK_FOR_STAGES
#define BUILDERS PSOPACK_FOR_BUILDERS
#define READERS PSOPACK_FOR_READERS
#define LINTERS PSOPACK_FOR_LINT | PACK

const psopack_option_row psopack_option_rows[] = {
    /* What goes in. */
    {"output", "o", TEXT("FILE"), AT(output), WRITERS,
     "the archive to write; left untouched when it is identical"},
    {"output", "o", TEXT("FILE"), AT(output), PSOPACK_FOR_SCAN | STAGES,
     "the file to write; left untouched when it is identical"},
    {"part", NULL, TEXT("K/N"), AT(part), PSOPACK_FOR_COMPRESS,
     "which part to compress: K of 1 to N"},
    {"output", "o", TEXT("FILE"), AT(output), PSOPACK_FOR_LIMITS,
     "where to write; standard output by default"},
    {"output", "o", TEXT("LIST"), AT(output), PSOPACK_FOR_SESSION,
     "order: where to write; standard output by default"},
    {"flat", NULL, WORDS("SLOT DIR"), AT(flat), PACK | SCAN,
     "add each file below DIR as a PSO with the one slot SLOT"},
    {"list", NULL, WORDS("FILE"), AT(list), PACK | SCAN,
     "add what FILE lists: lines of PSO, tab, slot, tab, path, or JSON Lines; - is standard input"},
    {"from-session", NULL, WORDS("PATH"), AT(from_session), PACK,
     "add the PSOs that cache sessions have met: value files, or folders of them"},
    {"null", "0", FLAG, AT(null_separated), PACK | SCAN,
     "records of --list end in a zero byte instead of a newline"},
    {"keep-going", NULL, FLAG, AT(keep_going), PACK | SCAN,
     "leave out the whole PSO of an input that cannot be read, exit 5"},
    {"prefer", NULL, CHOICE("WHICH", "none|first|last"), AT(prefer), PSOPACK_FOR_MERGE,
     "which archive counts when two hold a PSO of one name with different content; none, the "
     "default: that is an error"},
    {"names", NULL, FLAG, AT(strip_names), PSOPACK_FOR_STRIP,
     "leave out the names: PSOs are then found by key only"},
    {"hashes", NULL, FLAG, AT(strip_hashes), PSOPACK_FOR_STRIP, "leave out the content hashes"},
    {"slot", NULL, WORDS("GLOB"), AT(strip_slots), PSOPACK_FOR_STRIP,
     "leave out the slots that GLOB matches, of all PSOs"},
    {"pso", NULL, WORDS("GLOB"), AT(strip_psos), PSOPACK_FOR_STRIP,
     "leave out the PSOs that GLOB matches"},

    /* What comes out. */
    {"profile", NULL, "PROFILE", "balanced|fast|small|stored|directstorage", PSOPACK_OPTION_TEXT,
     AT(profile), BUILDERS | SCAN, "how to trade size against speed; balanced by default"},
    {"align", NULL, WORDS("SLOT=N"), AT(align), PACK | SCAN,
     "align components of SLOT to N bytes: a power of two up to 65536"},
    {"hashes", NULL, FLAG, AT(hashes), PACK | PSOPACK_FOR_MERGE | SCAN,
     "store a content hash per component"},
    {"target", NULL, TEXT("TEXT"), AT(target), BUILDERS | SCAN,
     "record what the components were built for; loaders can insist on it"},
    {"target", NULL, TEXT("TEXT"), AT(target), READERS,
     "refuse an archive that was built for another target, exit 4"},
    {"content-version", NULL, NUMBER("N"), AT(content_version), BUILDERS | SCAN,
     "record the version of the content; loaders can insist on it"},
    {"content-version", NULL, NUMBER("N"), AT(content_version), READERS,
     "refuse an archive of another content version, exit 4"},
    {"content-version", NULL, NUMBER("N"), AT(content_version), PSOPACK_FOR_SESSION,
     "only PSOs that were stored under this content version"},
    {"base", NULL, TEXT("OLD"), AT(base), PACK,
     "rebuild on OLD: its blocks keep their bytes and places, what is new goes behind them"},
    {"base", NULL, WORDS("FILE"), AT(bases), READERS | PSOPACK_FOR_REWRITERS | PSOPACK_FOR_SESSION,
     "where the base of a layer is, if not beside it; for several layers give it again, in any "
     "order"},
    {"alone", NULL, FLAG, AT(alone), PSOPACK_FOR_INFO | PSOPACK_FOR_LIST,
     "look at a layer without its base: only what it holds itself"},
    {"layer", NULL, WORDS("OLD"), AT(layer), PACK,
     "write only what differs from OLD, to be opened on it; where OLD is a layer itself, name what "
     "it builds on first: --layer BASE --layer OLD"},
    {"max-waste", NULL, NUMBER("PERCENT"), AT(max_waste), PACK,
     "with --base: pack afresh when more of the stored bytes of OLD is unused; 10 by default"},
    {"no-stale", NULL, FLAG, AT(no_stale), PACK,
     "with --base: keep no byte of a component that nothing uses any more"},
    {"cache", NULL, TEXT("FILE"), AT(cache), PACK,
     "keep hashes of inputs in FILE: those that did not change are not read again"},
    {"order", NULL, TEXT("FILE"), AT(order), PACK,
     "place what the PSOs that FILE names use first, in its order: one name a line; - is standard "
     "input"},
    {"verify", NULL, FLAG, AT(verify), WRITERS,
     "read the new archive back and check it before it is published"},

    {"lint", NULL, FLAG, AT(lint), PACK,
     "lint the new archive before it is published; errors keep the old one"},

    /* Lint. */
    {"tier", NULL, NUMBER("N"), AT(tier), LINTERS,
     "resource binding tier that every PSO must run on: 1, 2 or 3"},
    {"feature-level", NULL, TEXT("X"), AT(feature_level), LINTERS,
     "feature level of the target: 11.0, 11.1, 12.0, 12.1 or 12.2"},
    {"limits-slot", NULL, TEXT("SLOT"), AT(limits_slot), LINTERS,
     "slot of 60-byte shader limits; limits by default"},
    {"limits-at", NULL, TEXT("SLOT:OFFSET"), AT(limits_at), LINTERS,
     "read shader limits inside the components of SLOT, at byte OFFSET"},
    {"rootsig-slot", NULL, TEXT("SLOT"), AT(rootsig_slot), LINTERS,
     "slot of serialized root signatures; rootsig by default"},
    {"units", NULL, TEXT("MASK"), AT(units), LINTERS,
     "which shader units exist, as a bit mask; unknown by default"},
    {"live-set", NULL, TEXT("FILE"), AT(live_set), LINTERS,
     "PSO globs, one a line: static samplers are counted over these PSOs only"},
    {"suppress", NULL, TEXT("FILE"), AT(suppress), LINTERS,
     "findings to leave out: lines of rule, PSO glob, reason"},
    {"sarif", NULL, FLAG, AT(sarif), PSOPACK_FOR_LINT, "report as SARIF 2.1.0"},

    /* How it runs. */
    {"jobs", "j", NUMBER("N"), AT(jobs), WRITERS | SCAN | STAGES,
     "threads; 0, the default: one per usable processor. Never changes the output"},
    {"memory", NULL, SIZE("SIZE"), AT(memory), WRITERS | SCAN,
     "bytes of content to keep in memory, also as K, M, G; 4G by default. What is beyond is read "
     "again. Never changes the output"},
    {"depfile", NULL, TEXT("FILE"), AT(depfile), BUILDERS | SCAN,
     "write a Make rule with every input and every directory walked"},
    {"depfile-target", "MT", TEXT("TARGET"), AT(depfile_target), BUILDERS | SCAN,
     "the target of that rule instead of the name of the output"},
    {"depfile-phony", "MP", FLAG, AT(depfile_phony), BUILDERS | SCAN,
     "add an empty rule per input, so that a deleted input does not stop Make"},
    {"stamp", NULL, TEXT("FILE"), AT(stamp), BUILDERS,
     "touch FILE at each success, also when the archive is unchanged"},
    {"force-write", NULL, FLAG, AT(force_write), WRITERS,
     "replace the archive even when it is identical"},
    {"no-fsync", NULL, FLAG, AT(no_fsync), WRITERS | SCAN | STAGES,
     "do not flush to disk before the archive is published"},

    /* One command's own. */
    {"components", NULL, FLAG, AT(components), PSOPACK_FOR_LIST,
     "list components instead of PSOs, with how many PSOs use each"},
    {"slots", NULL, FLAG, AT(slots), PSOPACK_FOR_LIST,
     "list slots instead of PSOs, with bytes before and after sharing"},
    {"blocks", NULL, FLAG, AT(blocks), PSOPACK_FOR_LIST, "list blocks instead of PSOs"},
    {"quick", NULL, FLAG, AT(quick), PSOPACK_FOR_VERIFY, "check the manifest only; decode nothing"},
    {"shipped", NULL, TEXT("ARCHIVE"), AT(shipped), PSOPACK_FOR_SESSION,
     "list, export: tell what is new, the same, or changed against ARCHIVE"},
    {"directory", "C", TEXT("DIR"), AT(directory), PSOPACK_FOR_EXTRACT | PSOPACK_FOR_SESSION,
     "write below DIR, which is made when missing; . by default"},
    {"force", NULL, FLAG, AT(force), PSOPACK_FOR_EXTRACT | PSOPACK_FOR_SESSION,
     "replace files that exist"},
    {"format", NULL, CHOICE("FORMAT", "text|bash|zsh|fish|scdoc"), AT(format), PSOPACK_FOR_HELP,
     "text, completions for a shell, or the options as the man page has them"},

    /* Everywhere. */
    {"json", NULL, FLAG, AT(json), PSOPACK_FOR_ALL,
     "one JSON object on standard output, errors included"},
    {"progress", NULL, CHOICE("HOW", "auto|bar|lines|none|json"), AT(progress),
     WRITERS | PSOPACK_FOR_EXTRACT,
     "on standard error: a bar, a line each 10 seconds, nothing, or JSON Lines; auto is a bar on a "
     "terminal"},
    {"color", NULL, CHOICE("WHEN", "auto|always|never"), AT(color), PSOPACK_FOR_ALL,
     "colored messages; auto on a terminal, unless NO_COLOR is set"},
    {"quiet", "q", FLAG, AT(quiet), PSOPACK_FOR_ALL, "errors only; twice: not even those"},
    {"verbose", "v", FLAG, AT(verbose), PSOPACK_FOR_ALL, "say more"},
    {"help", "h", FLAG, AT(help), PSOPACK_FOR_ALL, "print this and exit"},
};

const size_t psopack_option_row_count = sizeof psopack_option_rows / sizeof psopack_option_rows[0];
_Static_assert(sizeof psopack_option_rows / sizeof psopack_option_rows[0] <=
                   PSOPACK_OPTION_ROWS_MAX,
               "a parser has room for every row");
