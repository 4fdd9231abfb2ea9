/* SPDX-License-Identifier: MIT */
/*
 * A main for fuzz targets without a fuzzer: replays the files of a corpus folder, each as it is and
 * cut at half its length, so that what a fuzzer found once stays tested by every compiler.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* From a heap block of exactly its size, so that an address sanitizer sees one byte too far. */
static void replay(FILE *file, size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    if (!bytes || fread(bytes, 1, size, file) != size)
        abort();
    rewind(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
}

static unsigned replay_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    unsigned replayed = 0;
    for (int i = 0; i < count; i++) {
        char name[4096];
        struct stat st;
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        free(entries[i]);
        FILE *file = fopen(name, "rb");
        if (file && fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode)) {
            replay(file, (size_t)st.st_size);
            replay(file, (size_t)st.st_size / 2);
            replayed++;
        }
        if (file)
            fclose(file);
    }
    if (count >= 0)
        free(entries);
    return replayed;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    unsigned replayed = replay_folder(argv[1]);
    printf("%u inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
