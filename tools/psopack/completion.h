/* SPDX-License-Identifier: MIT */
/* The tables of commands and options in other languages, to standard output. */
#ifndef PSOPACK_TOOL_COMPLETION_H
#define PSOPACK_TOOL_COMPLETION_H

void psopack_completion_bash(void);
void psopack_completion_zsh(void);
void psopack_completion_fish(void);

/* The OPTIONS of psopack(1), in scdoc. */
void psopack_completion_scdoc(void);

#endif
