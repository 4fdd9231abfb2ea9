/* SPDX-License-Identifier: MIT */
/*
 * forge IN OUT FROM TO: an archive made to deceive. Replaces FROM by TO, of the same length, all
 * over the manifest, then computes every check anew, as an attacker would. `~` in TO is a zero
 * byte. For small archives: sections of one page.
 */
#include "format/crc32c.h"
#include "format/layout.h"
#include "format/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_file(const char *path, size_t *ret_size)
{
    enum { MOST = 1 << 20 };
    uint8_t *bytes = malloc(MOST);
    FILE *file = fopen(path, "rb");
    if (!file || !bytes)
        exit(1);
    *ret_size = fread(bytes, 1, MOST, file);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(1);
}

static int replace(uint8_t *bytes, size_t size, const char *from, const char *to)
{
    size_t length = strlen(from);
    int count = 0;
    for (size_t at = 0; length <= size - at; at++) {
        if (memcmp(bytes + at, from, length) != 0)
            continue;
        for (size_t i = 0; i < length; i++)
            bytes[at + i] = to[i] == '~' ? 0 : (uint8_t)to[i];
        count++;
    }
    return count;
}

static void reseal(uint8_t *bytes, size_t size)
{
    psopack_disk_footer footer;
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    uint8_t *end = bytes + size - sizeof footer;
    memcpy(&footer, end, sizeof footer);
    size_t count = psopack_load32(footer.section_count);
    size_t table_size = count * sizeof rows[0];
    memcpy(rows, end - table_size, table_size);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *section = bytes + psopack_load64(rows[i].offset);
        rows[i].crc = psopack_store32(psopack_crc32c(0, section, psopack_load64(rows[i].size)));
    }
    memcpy(end - table_size, rows, table_size);
    memcpy(end - 2 * table_size, rows, table_size);
    footer.table_crc = psopack_store32(psopack_crc32c(0, rows, table_size));
    psopack_archive_id(&footer, rows, table_size, footer.archive_id);
    footer.crc = psopack_store32(psopack_crc32c(0, &footer, sizeof footer - sizeof footer.crc));
    memcpy(end, &footer, sizeof footer);
}

int main(int argc, char **argv)
{
    if (argc != 5 || strlen(argv[3]) != strlen(argv[4]))
        return 2;
    size_t size = 0;
    uint8_t *bytes = read_file(argv[1], &size);
    if (size < sizeof(psopack_disk_footer) || replace(bytes, size, argv[3], argv[4]) == 0) {
        fprintf(stderr, "forge: '%s' is not in %s\n", argv[3], argv[1]);
        return 1;
    }
    reseal(bytes, size);
    write_file(argv[2], bytes, size);
    free(bytes);
    return 0;
}
