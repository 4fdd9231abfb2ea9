/* SPDX-License-Identifier: MIT */
/* Text in aligned columns on standard output. */
#ifndef PSOPACK_TOOL_TABLE_H
#define PSOPACK_TOOL_TABLE_H

#include "words.h"

/* Begin with {"lrr"}: one letter per column, left or right. A header row is a row like any other.
 */
typedef struct psopack_table {
    const char *columns;
    psopack_words cells;
    bool failed;
} psopack_table;

/* Adds the next cell, row by row. */
void psopack_table_cell(psopack_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A cell that is not zero-terminated: a name. */
void psopack_table_name(psopack_table *table, const char *name, size_t size);

/* Prints all rows and frees. False, with nothing printed: memory ran out. */
bool psopack_table_print(psopack_table *table);

#endif
