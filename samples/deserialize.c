/* SPDX-License-Identifier: MIT */
/* The stand-in deserializer: every check by itself, none by the loader. */
#include "deserialize.h"

#include <stdio.h>
#include <string.h>

enum { METADATA_CODE_SIZE = 8 }; /* offset of "size of the instructions" */

static int refuse(char *ret_text, const char *slot, const char *why)
{
    snprintf(ret_text, DESERIALIZE_TEXT_SIZE, "%.100s: %s", slot, why);
    return 0;
}

/* ---- CRC32C --------------------------------------------------------------------------------- */

/* Goes on from `crc`; the first call passes 0. */
static uint32_t crc32c(uint32_t crc, const void *bytes, size_t size)
{
    static const uint32_t nibbles[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const unsigned char *next = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= next[i];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}

static uint32_t crc32c_number(uint32_t crc, uint64_t number, int bytes)
{
    unsigned char little_endian[8];
    for (int i = 0; i < bytes; i++)
        little_endian[i] = (unsigned char)(number >> 8 * i);
    return crc32c(crc, little_endian, (size_t)bytes);
}

/* The record of one present slot: size of the name, the name, size of the part, its CRC. */
static uint32_t add_record(uint32_t tuple, const char *slot, const psopack_part *part)
{
    size_t name_size = strlen(slot);
    tuple = crc32c_number(tuple, name_size, 2);
    tuple = crc32c(tuple, slot, name_size);
    tuple = crc32c_number(tuple, part->size, 8);
    return crc32c_number(tuple, part->crc, 4);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static int check_part(const char *slot, const psopack_part *part, char *ret_text)
{
    if (part->component == PSOPACK_ABSENT)
        return (!part->bytes && part->size == 0) ||
               refuse(ret_text, slot, "absent, but it has a pointer or a size");
    if (!part->bytes)
        return refuse(ret_text, slot, "present, but its pointer is NULL");
    return crc32c(0, part->bytes, (size_t)part->size) == part->crc ||
           refuse(ret_text, slot, "the bytes in memory have another CRC");
}

static uint32_t load32(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* The part in slot `stage`.instructions; NULL when there is no such slot. */
static const psopack_part *find_instructions(const deserialize_input *input, const char *stage,
                                             size_t stage_size)
{
    for (uint32_t i = 0; i < input->count; i++) {
        const char *slot = input->slots[i];
        if (strncmp(slot, stage, stage_size) == 0 && strcmp(slot + stage_size, "instructions") == 0)
            return &input->parts[i];
    }
    return NULL;
}

/* Parts that were mixed up would pass a CRC each; metadata says what it belongs to. */
static int check_metadata(const deserialize_input *input, uint32_t index, char *ret_text)
{
    const psopack_part *metadata = &input->parts[index];
    const char *slot = input->slots[index], *dot = strchr(slot, '.');
    if (metadata->size < METADATA_CODE_SIZE + 4 || memcmp(metadata->bytes, "PSSM", 4) != 0 || !dot)
        return 1;
    const psopack_part *code = find_instructions(input, slot, (size_t)(dot + 1 - slot));
    const unsigned char *bytes = metadata->bytes;
    return (code && code->size == load32(bytes + METADATA_CODE_SIZE)) ||
           refuse(ret_text, slot, "the instructions it describes are of another size");
}

int deserialize_pipeline(const deserialize_input *input, char ret_text[DESERIALIZE_TEXT_SIZE])
{
    uint32_t tuple = 0;
    for (uint32_t i = 0; i < input->count; i++) {
        const psopack_part *part = &input->parts[i];
        if (i != 0 && strcmp(input->slots[i - 1], input->slots[i]) >= 0)
            return refuse(ret_text, input->slots[i], "out of order");
        if (!check_part(input->slots[i], part, ret_text))
            return 0;
        if (part->component == PSOPACK_ABSENT)
            continue;
        if (!check_metadata(input, i, ret_text))
            return 0;
        tuple = add_record(tuple, input->slots[i], part);
    }
    return tuple == input->tuple_crc || refuse(ret_text, "all parts", "another tuple CRC");
}
