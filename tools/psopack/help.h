/* SPDX-License-Identifier: MIT */
/* Help as text. */
#ifndef PSOPACK_TOOL_HELP_H
#define PSOPACK_TOOL_HELP_H

#include "command.h"

/* To standard output, at most 80 columns. */
void psopack_help_command(const psopack_command *command);
void psopack_help_overview(void);

/* "-o, --output FILE" or "--flat SLOT DIR"; "-MT, --depfile-target TARGET". */
#define PSOPACK_OPTION_SPELLING_SIZE 96
const char *psopack_help_spelling(char text[PSOPACK_OPTION_SPELLING_SIZE],
                                  const psopack_option_row *row);

#endif
