/* SPDX-License-Identifier: MIT */
/* The psopack program: finds the command, parses its options, runs it. */
#include "command.h"
#include "failure.h"
#include "help.h"
#include "signals.h"
#include "suggest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define ROW(name, bit, min, max, operands, summary)                                                \
    {                                                                                              \
#name, psopack_command_##name, PSOPACK_FOR_##bit, min, max, operands, summary              \
    }

const psopack_command psopack_commands[] = {
    ROW(pack, PACK, 0, UINT_MAX, "[INPUT...]", "make an archive from folders, lists, loose files"),
    ROW(info, INFO, 1, 1, "ARCHIVE", "show sizes, sharing, kinds, ids"),
    ROW(list, LIST, 1, UINT_MAX, "ARCHIVE [PSO...]", "list PSOs, components, slots or blocks"),
    ROW(verify, VERIFY, 1, 1, "ARCHIVE", "check every byte, name everything damaged"),
    ROW(extract, EXTRACT, 1, UINT_MAX, "ARCHIVE [PSO...]", "write PSOs back as plain files"),
    ROW(cat, CAT, 3, 3, "ARCHIVE PSO SLOT", "write one component to standard output"),
    ROW(diff, DIFF, 2, 2, "OLD NEW", "name the PSOs and slots that two archives do not share"),
    ROW(merge, MERGE, 1, UINT_MAX, "ARCHIVE...",
        "make one archive of several, or of layers and their base"),
    ROW(strip, STRIP, 1, 1, "ARCHIVE", "leave out names, hashes, slots or PSOs"),
    ROW(salvage, SALVAGE, 1, 1, "ARCHIVE", "save what is whole of a damaged archive"),
    ROW(report, REPORT, 1, 1, "ARCHIVE", "say why an archive is as big as it is"),
    ROW(lint, LINT, 1, 1, "ARCHIVE", "find what hangs a GPU or fails on a binding tier"),
    ROW(limits, LIMITS, 1, 1, "FILE", "turn a shader limits blob into text, or text into a blob"),
    ROW(session, SESSION, 2, UINT_MAX, "ACTION PATH...",
        "list, verify, export or order what cache sessions have met"),
    ROW(bench, BENCH, 1, 1, "ARCHIVE", "measure opening, finding and reading"),
    ROW(scan, SCAN, 0, UINT_MAX, "INPUT...", "first stage of a spread build: read the inputs"),
    ROW(plan, PLAN, 1, 1, "SCAN", "second stage: decide what lies where"),
    ROW(compress, COMPRESS, 2, 2, "SCAN PLAN", "third stage: compress one part of the blocks"),
    ROW(assemble, ASSEMBLE, 3, UINT_MAX, "SCAN PLAN PART...",
        "last stage: put the parts together into the archive"),
    ROW(help, HELP, 0, 1, "[COMMAND]", "explain a command, make shell completions"),
    ROW(version, VERSION, 0, 0, "", "print versions"),
};

const size_t psopack_command_count = sizeof psopack_commands / sizeof psopack_commands[0];

const psopack_command *psopack_command_find(const char *name)
{
    for (size_t i = 0; i < psopack_command_count; i++) {
        if (strcmp(psopack_commands[i].name, name) == 0)
            return &psopack_commands[i];
    }
    return NULL;
}

/* Options of a usage error are not parsed to the end, so --json is looked for by hand. */
static bool wants_json(int count, char *const *arguments)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(arguments[i], "--json") == 0)
            return true;
    }
    return false;
}

static psopack_status check_operands(const psopack_command *command, const psopack_options *options,
                                     psopack_diag *diag)
{
    size_t count = options->operands.count;
    if (count < command->operands_min)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "'psopack %s' needs %s", command->name,
                               command->operands);
    if (count > command->operands_max)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "'psopack %s' has no use for '%s'",
                               command->name, options->operands.items[command->operands_max]);
    return PSOPACK_OK;
}

static int run_command(const psopack_command *command, int count, char *const *arguments)
{
    psopack_options options = {0};
    psopack_output output;
    psopack_diag diag;
    int exit_code = 0;
    psopack_status status =
        psopack_options_parse(command->bit, command->name, count, arguments, &options, &diag);
    if (status == PSOPACK_OK && !options.help)
        status = check_operands(command, &options, &diag);
    psopack_output_init(&output, command->name, &options);
    if (status != PSOPACK_OK) {
        output.json = wants_json(count, arguments);
        exit_code = psopack_output_fail(&output, NULL, &diag);
        if (command->bit == PSOPACK_FOR_DIFF)
            exit_code = 2; /* 1 says that archives differ */
    } else if (options.help) {
        psopack_help_command(command);
    } else {
        exit_code = command->run(&output, &options);
    }
    exit_code = psopack_output_finish(&output, exit_code);
    psopack_options_free(&options);
    return exit_code;
}

static int unknown_command(const char *word, bool json)
{
    psopack_output output;
    psopack_output_init(&output, "help", NULL);
    output.json = json;
    psopack_suggestion suggestion = {word, strlen(word), NULL, 0};
    for (size_t i = 0; i < psopack_command_count; i++)
        psopack_suggest(&suggestion, psopack_commands[i].name);
    psopack_diag diag;
    if (word[0] == '-')
        psopack_failure(&diag, PSOPACK_E_ARGUMENT, "%s: a command comes first", word);
    else if (suggestion.best)
        psopack_failure(&diag, PSOPACK_E_ARGUMENT, "%s: unknown command, did you mean %s?", word,
                        suggestion.best);
    else
        psopack_failure(&diag, PSOPACK_E_ARGUMENT, "%s: unknown command", word);
    return psopack_output_fail(&output, NULL, &diag);
}

int main(int argc, char **argv)
{
    psopack_signals_install();
    /* Thousands of findings, a write each instead of one for every byte. */
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    if (argc < 2) {
        psopack_output output;
        psopack_diag diag;
        psopack_output_init(&output, "help", NULL);
        psopack_failure(&diag, PSOPACK_E_ARGUMENT, "a command is missing");
        return psopack_output_fail(&output, NULL, &diag);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    else if (strcmp(word, "--version") == 0)
        word = "version";
    const psopack_command *command = psopack_command_find(word);
    if (!command)
        return unknown_command(word, wants_json(argc - 2, argv + 2));
    return run_command(command, argc - 2, argv + 2);
}
