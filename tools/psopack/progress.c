/* SPDX-License-Identifier: MIT */
/* How far a long command is, on standard error, at most six times a second. */
#include "progress.h"

#include "signals.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define BAR_INTERVAL (SECOND / 6)
#define LINE_INTERVAL (10 * SECOND)

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* Asks the user's locale without making it the program's. */
static bool terminal_takes_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale == (locale_t)0)
        return false;
    bool utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return utf8;
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

static uint64_t interval(const psopack_progress *progress)
{
    return progress->how == PSOPACK_PROGRESS_LINES ? LINE_INTERVAL : BAR_INTERVAL;
}

void psopack_progress_init(psopack_progress *progress, const psopack_options *options)
{
    *progress = (psopack_progress){.how = (psopack_progress_choice)options->progress};
    if (progress->how == PSOPACK_PROGRESS_AUTO) {
        bool bar = options->quiet == 0 && !options->json && isatty(STDERR_FILENO);
        progress->how = bar ? PSOPACK_PROGRESS_BAR : PSOPACK_PROGRESS_NONE;
    }
    if (progress->how == PSOPACK_PROGRESS_BAR)
        progress->blocks = terminal_takes_utf8();
    if (progress->how != PSOPACK_PROGRESS_NONE)
        progress->next = now() + interval(progress); /* short work shows nothing */
}

static unsigned percent(uint64_t done, uint64_t total)
{
    if (done >= total)
        return 100;
    return (unsigned)((double)done * 100 / (double)total);
}

static void put_line(const char *phase, uint64_t done, uint64_t total)
{
    if (total)
        fprintf(stderr, "psopack: %s: %" PRIu64 " of %" PRIu64 " (%u %%)\n", phase, done, total,
                percent(done, total));
    else
        fprintf(stderr, "psopack: %s: %" PRIu64 "\n", phase, done);
}

static void put_json(const char *phase, uint64_t done, uint64_t total)
{
    /* Phases are words of the library's own: nothing in them needs an escape. */
    fprintf(stderr,
            "{\"schema\": \"psopack.progress/1\", \"phase\": \"%s\", \"done\": %" PRIu64
            ", \"total\": %" PRIu64 "}\n",
            phase, done, total);
}

static void put_bar(const psopack_progress *progress, const char *phase, uint64_t done,
                    uint64_t total)
{
    char counts[64];
    snprintf(counts, sizeof counts, " %3u %%  %" PRIu64 "/%" PRIu64, percent(done, total), done,
             total);
    size_t used = strlen(phase) + strlen(counts) + 4;
    size_t width = terminal_width();
    size_t cells = width > used ? width - used : 0;
    if (cells > 40)
        cells = 40;
    size_t full = total ? (size_t)((double)cells * percent(done, total) / 100) : 0;
    fprintf(stderr, "\r%s [", phase);
    for (size_t i = 0; i < cells; i++) {
        if (progress->blocks)
            fputs(i < full ? "\xe2\x96\x88" : "\xe2\x96\x91", stderr);
        else
            fputc(i < full ? '#' : '.', stderr);
    }
    fprintf(stderr, "]%s\033[K", counts);
    fflush(stderr); /* it is buffered by lines */
}

void psopack_progress_update(psopack_progress *progress, const char *phase, uint64_t done,
                             uint64_t total)
{
    if (psopack_signals_take_progress_request()) {
        psopack_progress_clear(progress);
        put_line(phase, done, total);
    }
    if (progress->how == PSOPACK_PROGRESS_NONE)
        return;
    uint64_t time = now();
    if (time < progress->next)
        return;
    progress->next = time + interval(progress);
    if (progress->how == PSOPACK_PROGRESS_LINES) {
        put_line(phase, done, total);
    } else if (progress->how == PSOPACK_PROGRESS_JSON) {
        put_json(phase, done, total);
    } else {
        put_bar(progress, phase, done, total);
        progress->shown = true;
    }
}

void psopack_progress_clear(psopack_progress *progress)
{
    if (!progress->shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->shown = false;
}
