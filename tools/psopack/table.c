/* SPDX-License-Identifier: MIT */
/* Text in aligned columns on standard output. */
#include "table.h"

#include "output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 16 };

void psopack_table_name(psopack_table *table, const char *name, size_t size)
{
    if (!psopack_words_insert(&table->cells, table->cells.count, name, size))
        table->failed = true;
}

void psopack_table_cell(psopack_table *table, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    psopack_table_name(table, text, strlen(text));
}

static void measure(const psopack_table *table, size_t columns, size_t widths[COLUMNS_MAX])
{
    for (size_t i = 0; i < table->cells.count; i++) {
        size_t size = strlen(table->cells.items[i]);
        if (size > widths[i % columns])
            widths[i % columns] = size;
    }
}

/* Spaces wait in *gap until something follows them, so that no line ends in blanks. */
static void put_cell(const char *text, bool right, size_t width, size_t *gap)
{
    size_t size = strlen(text);
    size_t padding = size < width ? width - size : 0;
    if (right)
        *gap += padding;
    if (size) {
        printf("%*s", (int)*gap, "");
        psopack_output_name(text, size);
        *gap = 0;
    }
    if (!right)
        *gap += padding;
    *gap += 2;
}

bool psopack_table_print(psopack_table *table)
{
    size_t columns = strlen(table->columns);
    size_t widths[COLUMNS_MAX] = {0};
    bool printable = !table->failed && columns <= COLUMNS_MAX;
    if (printable) {
        measure(table, columns, widths);
        size_t gap = 0;
        for (size_t i = 0; i < table->cells.count; i++) {
            size_t column = i % columns;
            put_cell(table->cells.items[i], table->columns[column] == 'r', widths[column], &gap);
            if (column + 1 == columns) {
                putchar('\n');
                gap = 0;
            }
        }
    }
    psopack_words_free(&table->cells);
    return printable;
}
