/* SPDX-License-Identifier: MIT */
/* Help as text, from the tables of commands and options. */
#include "help.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 80, HELP_COLUMN = 28 };

const char *psopack_help_spelling(char text[PSOPACK_OPTION_SPELLING_SIZE],
                                  const psopack_option_row *row)
{
    snprintf(text, PSOPACK_OPTION_SPELLING_SIZE, "%s%s%s--%s%s%s", row->letters ? "-" : "",
             row->letters ? row->letters : "", row->letters ? ", " : "", row->name,
             row->value ? " " : "", row->value ? row->value : "");
    return text;
}

/* Prints words from column `indent` on; the cursor stands at `column` now. */
static void put_wrapped(const char *text, size_t column, size_t indent)
{
    while (*text) {
        size_t size = strcspn(text, " ");
        if (column > indent && column + 1 + size > COLUMNS) {
            putchar('\n');
            column = 0;
        }
        if (column < indent) {
            printf("%*s", (int)(indent - column), "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)size, text);
        column += size;
        text += size + strspn(text + size, " ");
    }
    putchar('\n');
}

static void put_option(const psopack_option_row *row)
{
    char spelling[PSOPACK_OPTION_SPELLING_SIZE];
    psopack_help_spelling(spelling, row);
    /* Options without a letter stand under the long names of those that have one. */
    int printed = printf("  %s%s", row->letters ? "" : "    ", spelling);
    size_t column = printed > 0 ? (size_t)printed : 0;
    if (column + 2 > HELP_COLUMN) {
        putchar('\n');
        column = 0;
    }
    put_wrapped(row->help, column, HELP_COLUMN);
    if (row->choices)
        put_wrapped(row->choices, 0, HELP_COLUMN);
}

void psopack_help_command(const psopack_command *command)
{
    printf("Usage: psopack %s [OPTION...]%s%s\n", command->name, command->operands[0] ? " " : "",
           command->operands);
    printf("psopack %s: %s.\n\nOptions:\n", command->name, command->summary);
    for (size_t i = 0; i < psopack_option_row_count; i++) {
        if (psopack_option_rows[i].commands & command->bit)
            put_option(&psopack_option_rows[i]);
    }
    puts("\nSee psopack(1).");
}

void psopack_help_overview(void)
{
    puts("Usage: psopack COMMAND [OPTION...] [OPERAND...]\n"
         "Packs the components of pipeline state objects into one archive, and reads it.\n\n"
         "Commands:");
    for (size_t i = 0; i < psopack_command_count; i++)
        printf("  %-10s %s\n", psopack_commands[i].name, psopack_commands[i].summary);
    puts("\nA first run:\n"
         "  psopack pack -o out.psopack DIR\n"
         "  psopack verify out.psopack\n\n"
         "An operand @FILE stands for the words in FILE.\n"
         "'psopack help COMMAND' explains one command.\n\n"
         "Exit code: 0 done, 1 failed, 2 usage, 3 archive damaged, 4 archive unsupported\n"
         "or stale, 5 done without some inputs, 6 limit exceeded, 130 interrupted.");
}
