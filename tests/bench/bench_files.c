/* SPDX-License-Identifier: MIT */
/*
 * The peer that is no archive: loose files.
 *
 *   bench_files LIST    times open, size, read and close of files in the page cache
 *
 * LIST holds paths, each ended by a zero byte.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench_common.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct files {
    const char **paths;
    size_t count;
    unsigned char *memory;
    size_t capacity;
} files;

static size_t read_file(void *state, size_t member)
{
    const files *f = state;
    struct stat found;
    int file = open(f->paths[member], O_RDONLY);
    bench_require(file >= 0 && fstat(file, &found) == 0, f->paths[member]);
    bench_require((size_t)found.st_size <= f->capacity, f->paths[member]);
    ssize_t got = read(file, f->memory, f->capacity);
    bench_require(got == found.st_size, f->paths[member]);
    close(file);
    return (size_t)got;
}

static void split(files *f, const unsigned char *list, size_t size)
{
    for (size_t i = 0; i < size; i++)
        f->count += list[i] == 0;
    f->paths = bench_allocate(f->count * sizeof *f->paths);
    const char *path = (const char *)list;
    for (size_t i = 0; i < f->count; i++) {
        struct stat found;
        f->paths[i] = path;
        bench_require(stat(path, &found) == 0, path);
        if ((size_t)found.st_size > f->capacity)
            f->capacity = (size_t)found.st_size;
        path += strlen(path) + 1;
    }
    f->memory = bench_allocate(f->capacity);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bench_files LIST\n");
        return 2;
    }
    size_t size = 0;
    files f = {0};
    unsigned char *list = bench_file_read(argv[1], &size);
    split(&f, list, size);
    bench_reads(f.count, read_file, &f, 0);
    free(f.memory);
    free(f.paths);
    free(list);
    return 0;
}
