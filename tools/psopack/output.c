/* SPDX-License-Identifier: MIT */
/* What the program says: data on standard output, everything else on standard error. */
#include "output.h"

#include "failure.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define CYAN "\033[1;36m"
#define PLAIN "\033[0m"

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0] != '\0';
}

/* The flag wins, then NO_COLOR, then the variables that force, then what standard error is. */
static bool wants_color(int choice)
{
    if (choice != PSOPACK_COLOR_AUTO)
        return choice == PSOPACK_COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR"))
        return true;
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void psopack_output_init(psopack_output *output, const char *command,
                         const psopack_options *options)
{
    static const psopack_options none;
    if (!options)
        options = &none;
    *output = (psopack_output){
        .command = command,
        .quiet = options->quiet,
        .verbose = options->verbose,
        .color = wants_color(options->color),
        .json = options->json != 0,
    };
    psopack_progress_init(&output->progress, options);
}

/* ---- standard error -------------------------------------------------------------------------- */

static void put_name(FILE *stream, const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (byte < 0x20 || byte == 0x7f)
            fprintf(stream, "\\x%02x", byte);
        else
            fputc(byte, stream);
    }
}

static void flush_data(psopack_output *output)
{
    if (fflush(stdout) != 0 && output->write_error == 0)
        output->write_error = errno;
}

/* `diag` NULL: this is no error. */
static void put_message(psopack_output *output, const char *color, const char *label,
                        const char *path, const char *text, const psopack_diag *diag)
{
    psopack_progress_clear(&output->progress);
    flush_data(output); /* both streams may end in one file: what was said first stands first */
    fputs("psopack: ", stderr);
    if (label)
        fprintf(stderr, "%s%s:%s ", output->color ? color : "", label, output->color ? PLAIN : "");
    if (path) {
        put_name(stderr, path, strlen(path));
        fputs(": ", stderr);
    }
    put_name(stderr, text, strlen(text));
    if (diag && diag->offset != UINT64_MAX)
        fprintf(stderr, " (at byte %" PRIu64 ")", diag->offset);
    if (diag)
        fprintf(stderr, " [%s]", psopack_status_name(diag->code));
    fputc('\n', stderr);
}

/* The libraries put a path before what the system said about it, not before what an archive holds.
 */
static bool begins_with_path(const char *text, const char *path)
{
    size_t size = strlen(path);
    return strncmp(text, path, size) == 0 && text[size] == ':';
}

static void put_hint(const char *command)
{
    if (strcmp(command, "help") == 0)
        fputs("Try 'psopack help'.\n", stderr);
    else
        fprintf(stderr, "Try 'psopack help %s'.\n", command);
}

int psopack_output_error(psopack_output *output, const char *path, const psopack_diag *diag)
{
    if (path && begins_with_path(diag->text, path))
        path = NULL;
    if (output->quiet < 2)
        put_message(output, RED, "error", path, diag->text, diag);
    if (output->quiet < 2 && diag->code == PSOPACK_E_ARGUMENT)
        put_hint(output->command);
    return diag->code == PSOPACK_E_CANCELLED ? psopack_signals_exit_code()
                                             : psopack_status_exit_code(diag->code);
}

int psopack_output_fail(psopack_output *output, const char *path, const psopack_diag *diag)
{
    int exit_code = psopack_output_error(output, path, diag);
    if (output->json)
        psopack_json_print_error(output->command, path, diag, exit_code);
    return exit_code;
}

void psopack_output_warning(psopack_output *output, const char *text)
{
    if (output->quiet == 0)
        put_message(output, YELLOW, "warning", NULL, text, NULL);
}

void psopack_output_note(psopack_output *output, const char *text)
{
    if (output->quiet == 0)
        put_message(output, CYAN, "note", NULL, text, NULL);
}

void psopack_output_detail(psopack_output *output, const char *text)
{
    if (output->quiet == 0 && output->verbose > 0)
        put_message(output, "", NULL, NULL, text, NULL);
}

void psopack_output_summary(psopack_output *output, const char *format, ...)
{
    if (output->quiet > 0 || output->json)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_message(output, "", NULL, NULL, text, NULL);
}

/* ---- standard output ------------------------------------------------------------------------- */

int psopack_output_json(psopack_output *output, json_t *object, int exit_code)
{
    if (psopack_json_print(object))
        return exit_code;
    psopack_diag diag;
    psopack_failure_memory(&diag, "the JSON object");
    return psopack_output_error(output, NULL, &diag);
}

void psopack_output_name(const char *name, size_t size)
{
    put_name(stdout, name, size);
}

int psopack_output_finish(psopack_output *output, int exit_code)
{
    psopack_progress_clear(&output->progress);
    flush_data(output);
    if (output->write_error == 0 && !ferror(stdout))
        return exit_code;
    if (output->write_error != EPIPE) {
        psopack_diag diag;
        psopack_failure_errno(&diag, output->write_error ? output->write_error : EIO, "write",
                              "standard output");
        psopack_output_error(output, NULL, &diag);
    }
    return exit_code ? exit_code : 1;
}

const char *psopack_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *psopack_output_bytes(char text[PSOPACK_BYTES_SIZE], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(text, PSOPACK_BYTES_SIZE, "%" PRIu64 " bytes", bytes);
        return text;
    }
    double amount = (double)bytes / 1024;
    size_t unit = 0;
    for (; amount >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        amount /= 1024;
    snprintf(text, PSOPACK_BYTES_SIZE, "%.1f %s", amount, units[unit]);
    return text;
}
