/* SPDX-License-Identifier: MIT */
/*
 * Speed and inversion of the byte transforms over a directory of components.
 *
 *     bench_transform [-s SUFFIX] [-o FILE] [-t TRANSFORM] DIR
 *
 * Every file below DIR (whose name ends in SUFFIX) is transformed and inverted, in byte order of
 * paths, by every transform or only the named one. Prints bytes and MB/s (of processor time) of
 * both directions, best of several rounds. -o writes the transformed bytes of the last one, for a
 * compressor to judge. Fails if any component does not come back.
 */
#define _XOPEN_SOURCE 700
#include "transform.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5

struct corpus {
    char **paths;
    size_t *ends; /* component i is bytes[ends[i - 1] .. ends[i]) */
    uint8_t *bytes;
    size_t count, size;
};

/* nftw has no context argument. */
static struct corpus corpus;
static const char *suffix = "";

static void *must(void *p)
{
    if (p == NULL) {
        perror("bench_transform");
        exit(1);
    }
    return p;
}

static int add_path(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    size_t length = strlen(path), tail = strlen(suffix);

    (void)st;
    (void)ftw;
    if (type != FTW_F || length < tail || strcmp(path + length - tail, suffix) != 0) {
        return 0;
    }
    corpus.paths = must(realloc(corpus.paths, (corpus.count + 1) * sizeof(char *)));
    corpus.paths[corpus.count++] = must(strdup(path));
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void append_file(const char *path)
{
    FILE *f = must(fopen(path, "rb"));
    size_t got;

    do {
        corpus.bytes = must(realloc(corpus.bytes, corpus.size + 65536));
        got = fread(corpus.bytes + corpus.size, 1, 65536, f);
        corpus.size += got;
    } while (got > 0);
    fclose(f);
}

static void load_corpus(const char *directory)
{
    if (nftw(directory, add_path, 16, FTW_PHYS) != 0) {
        perror(directory);
        exit(1);
    }
    if (corpus.count == 0) {
        fprintf(stderr, "bench_transform: %s: no such files\n", directory);
        exit(1);
    }
    qsort(corpus.paths, corpus.count, sizeof(char *), compare_paths);
    corpus.ends = must(malloc(corpus.count * sizeof(size_t)));
    for (size_t i = 0; i < corpus.count; i++) {
        append_file(corpus.paths[i]);
        corpus.ends[i] = corpus.size;
    }
}

/* MB/s of one pass of `fn` over all components. */
static double pass(psopack_transform_fn *fn, uint8_t *dst, const uint8_t *src)
{
    static uint64_t scratch[PSOPACK_TRANSFORM_SCRATCH / 8];
    struct timespec a, b;
    size_t at = 0;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (size_t i = 0; i < corpus.count; i++) {
        fn(dst + at, src + at, corpus.ends[i] - at, scratch);
        at = corpus.ends[i];
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    return (double)corpus.size /
           ((double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) * 1e-3);
}

static bool bench(const psopack_transform *t, uint8_t *coded, uint8_t *plain)
{
    double forward = 0, inverse = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double f = pass(t->forward, coded, corpus.bytes);
        double i = pass(t->inverse, plain, coded);
        forward = f > forward ? f : forward;
        inverse = i > inverse ? i : inverse;
    }
    bool same = memcmp(plain, corpus.bytes, corpus.size) == 0;
    printf("%-14s %zu components, %zu bytes: forward %.0f MB/s, inverse %.0f MB/s, %s\n", t->name,
           corpus.count, corpus.size, forward, inverse, same ? "inverts" : "DOES NOT INVERT");
    return same;
}

static void write_output(const char *path, const uint8_t *bytes)
{
    FILE *f = must(fopen(path, "wb"));

    if (fwrite(bytes, 1, corpus.size, f) != corpus.size || fclose(f) != 0) {
        must(NULL);
    }
}

int main(int argc, char **argv)
{
    const char *output = NULL, *only = NULL;
    size_t count;
    int option, failures = 0;

    while ((option = getopt(argc, argv, "s:o:t:")) != -1) {
        if (option == '?') {
            return 2;
        }
        *(option == 's' ? &suffix : option == 'o' ? &output : &only) = optarg;
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: bench_transform [-s SUFFIX] [-o FILE] [-t TRANSFORM] DIR\n");
        return 2;
    }
    load_corpus(argv[optind]);
    uint8_t *coded = must(malloc(corpus.size + 1)), *plain = must(malloc(corpus.size + 1));
    const psopack_transform *all = psopack_transform_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (only == NULL || strcmp(all[i].name, only) == 0) {
            failures += !bench(&all[i], coded, plain);
        }
    }
    if (output != NULL) {
        write_output(output, coded);
    }
    return failures > 0;
}
