/* SPDX-License-Identifier: MIT */
/* psopack help: the overview, one command, or the tables for a shell, the man page, a program. */
#include "command.h"
#include "completion.h"
#include "failure.h"
#include "help.h"

#include <stdio.h>

static json_t *option_json(const psopack_option_row *row)
{
    json_t *object = json_object();
    psopack_json_set_text(object, "name", row->name);
    psopack_json_set_text(object, "letters", row->letters);
    psopack_json_set_text(object, "value", row->value);
    psopack_json_set_text(object, "choices", row->choices);
    psopack_json_set_text(object, "help", row->help);
    return object;
}

static json_t *command_json(const psopack_command *command)
{
    json_t *object = json_object();
    json_t *rows = json_array();
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        if (psopack_option_rows[i].commands & command->bit)
            psopack_json_append(rows, option_json(&psopack_option_rows[i]));
    }
    psopack_json_set_text(object, "name", command->name);
    psopack_json_set_text(object, "operands", command->operands);
    psopack_json_set_text(object, "summary", command->summary);
    psopack_json_set(object, "options", rows);
    return object;
}

/* `only` NULL: all commands. */
static int print_json(psopack_output *output, const psopack_command *only)
{
    json_t *object = psopack_json_begin(output->command);
    json_t *rows = json_array();
    for (size_t i = 0; i < psopack_command_count; i++) {
        if (!only || only == &psopack_commands[i])
            psopack_json_append(rows, command_json(&psopack_commands[i]));
    }
    psopack_json_set(object, "commands", rows);
    return psopack_output_json(output, object, 0);
}

static void print_format(psopack_help_format format, const psopack_command *only)
{
    switch (format) {
    case PSOPACK_HELP_TEXT:
        if (only)
            psopack_help_command(only);
        else
            psopack_help_overview();
        break;
    case PSOPACK_HELP_BASH:
        psopack_completion_bash();
        break;
    case PSOPACK_HELP_ZSH:
        psopack_completion_zsh();
        break;
    case PSOPACK_HELP_FISH:
        psopack_completion_fish();
        break;
    case PSOPACK_HELP_SCDOC:
        psopack_completion_scdoc();
        break;
    }
}

int psopack_command_help(psopack_output *output, const psopack_options *options)
{
    const psopack_command *only = NULL;
    if (options->operands.count) {
        only = psopack_command_find(options->operands.items[0]);
        if (!only) {
            psopack_diag diag;
            psopack_failure(&diag, PSOPACK_E_ARGUMENT, "%s: unknown command",
                            options->operands.items[0]);
            return psopack_output_fail(output, NULL, &diag);
        }
    }
    if (output->json)
        return print_json(output, only);
    print_format((psopack_help_format)options->format, only);
    return 0;
}
