/* SPDX-License-Identifier: MIT */
/* Choosing and writing column encodings. */
#include "packer/column_write.h"

#define GROUP_LOG2_FIRST 3u
#define GROUP_LOG2_LAST 9u

/* One way to write a column, and what it costs. */
typedef struct encoding {
    psopack_column_encoding type;
    unsigned width, shift, stride, first, group_log2, base_width, start_width;
    uint64_t base;
    uint64_t directory_bits, data_bits;
} encoding;

static unsigned bits_of(uint64_t value)
{
    unsigned bits = 0;
    for (; value != 0; value >>= 1)
        bits++;
    return bits;
}

static uint64_t total_bytes(const encoding *way)
{
    return (way->directory_bits + 7) / 8 + (way->data_bits + 7) / 8;
}

static encoding measure_flat(const uint64_t *values, uint64_t rows)
{
    encoding way = {.type = PSOPACK_COLUMN_FLAT};
    if (rows == 0)
        return way;
    uint64_t low = values[0], high = values[0], differing = 0;
    for (uint64_t i = 1; i < rows; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    for (uint64_t i = 0; i < rows; i++)
        differing |= values[i] - low;
    while (differing != 0 && (differing >> way.shift & 1) == 0)
        way.shift++;
    way.base = low;
    way.width = bits_of((high - low) >> way.shift);
    way.stride = way.width;
    way.data_bits = way.width * rows;
    return way;
}

/* A group: all equal (width 0, base is the value), or codes of `width` bits over base, 0 for 0. */
typedef struct group {
    uint64_t base;
    unsigned width;
} group;

static group measure_group(const uint64_t *values, uint64_t rows)
{
    uint64_t low = UINT64_MAX, high = 0;
    bool equal = true;
    for (uint64_t i = 0; i < rows; i++) {
        equal &= values[i] == values[0];
        if (values[i] == 0)
            continue;
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    if (equal)
        return (group){values[0], 0};
    return (group){low, bits_of(high - low + 1)};
}

static encoding measure_grouped(const uint64_t *values, uint64_t rows, unsigned group_log2)
{
    encoding way = {.type = PSOPACK_COLUMN_GROUPED, .group_log2 = group_log2};
    uint64_t per_group = UINT64_C(1) << group_log2, groups = 0, base_max = 0;
    for (uint64_t at = 0; at < rows; at += per_group, groups++) {
        uint64_t count = rows - at < per_group ? rows - at : per_group;
        group found = measure_group(values + at, count);
        base_max = found.base > base_max ? found.base : base_max;
        way.data_bits += found.width * count;
    }
    way.base_width = bits_of(base_max);
    way.start_width = bits_of(way.data_bits);
    way.directory_bits = groups * (way.base_width + PSOPACK_GROUP_WIDTH_BITS + way.start_width);
    return way;
}

static encoding choose(const uint64_t *values, uint64_t rows)
{
    encoding best = measure_flat(values, rows);
    if (rows == 0 || best.width == 0)
        return best;
    for (unsigned log2 = GROUP_LOG2_FIRST; log2 <= GROUP_LOG2_LAST; log2++) {
        encoding way = measure_grouped(values, rows, log2);
        /* 64-bit values have no room for code 0; start widths above 40 are not legal. */
        if (way.start_width <= 40 && way.base_width < 64 &&
            total_bytes(&way) + PSOPACK_COLUMN_SLACK < total_bytes(&best))
            best = way;
    }
    return best;
}

uint64_t psopack_column_cost(const uint64_t *values, uint64_t rows)
{
    encoding way = choose(values, rows);
    return total_bytes(&way);
}

static void put_bits(uint8_t *bytes, uint64_t position, uint64_t value, unsigned width)
{
    for (unsigned done = 0; done < width;) {
        unsigned skip = (unsigned)((position + done) & 7);
        unsigned count = 8 - skip < width - done ? 8 - skip : width - done;
        uint8_t part = (uint8_t)((value >> done & ((1u << count) - 1)) << skip);
        bytes[(position + done) >> 3] |= part;
        done += count;
    }
}

/* Appends room for `bits` bits and the slack, at a multiple of 8; *ret_at is where it begins. */
static psopack_status add_room(psopack_bytes *section, uint64_t bits, uint64_t *ret_at,
                               psopack_diag *diag)
{
    PSOPACK_TRY(psopack_bytes_align(section, 8, diag));
    *ret_at = section->size;
    return psopack_bytes_add_zeros(section, (size_t)((bits + 7) / 8 + PSOPACK_COLUMN_SLACK), diag);
}

static psopack_status write_flat(psopack_bytes *section, const psopack_column_input *input,
                                 const encoding *way, uint64_t previous_data,
                                 psopack_disk_column *disk, psopack_diag *diag)
{
    uint64_t data = section->size;
    if (way->width != 0) {
        if (way->first != 0)
            data = previous_data;
        else
            PSOPACK_TRY(add_room(section, way->data_bits, &data, diag));
        for (uint64_t i = 0; i < input->rows; i++)
            put_bits(section->data + data, way->first + i * way->stride,
                     (input->values[i] - way->base) >> way->shift, way->width);
        disk->data_size = psopack_store64((way->data_bits + 7) / 8 + PSOPACK_COLUMN_SLACK);
    }
    disk->data = psopack_store64(data);
    return PSOPACK_OK;
}

static void write_group(uint8_t *data, uint64_t start, const uint64_t *values, uint64_t rows,
                        const group *found)
{
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t code = values[i] == 0 ? 0 : values[i] - found->base + 1;
        put_bits(data, start + i * found->width, code, found->width);
    }
}

static psopack_status write_grouped(psopack_bytes *section, const psopack_column_input *input,
                                    const encoding *way, psopack_disk_column *disk,
                                    psopack_diag *diag)
{
    uint64_t directory, data, start = 0, entry = 0;
    PSOPACK_TRY(add_room(section, way->directory_bits, &directory, diag));
    PSOPACK_TRY(add_room(section, way->data_bits, &data, diag));
    uint64_t per_group = UINT64_C(1) << way->group_log2;
    for (uint64_t at = 0; at < input->rows; at += per_group) {
        uint64_t count = input->rows - at < per_group ? input->rows - at : per_group;
        group found = measure_group(input->values + at, count);
        uint8_t *rows = section->data + directory;
        put_bits(rows, entry, found.base, way->base_width);
        put_bits(rows, entry + way->base_width, found.width, PSOPACK_GROUP_WIDTH_BITS);
        put_bits(rows, entry + way->base_width + PSOPACK_GROUP_WIDTH_BITS, start, way->start_width);
        entry += way->base_width + PSOPACK_GROUP_WIDTH_BITS + way->start_width;
        if (found.width != 0)
            write_group(section->data + data, start, input->values + at, count, &found);
        start += found.width * count;
    }
    disk->directory = psopack_store64(directory);
    disk->data = psopack_store64(data);
    disk->data_size = psopack_store64(section->size - data);
    return PSOPACK_OK;
}

static encoding as_asked(const psopack_column_input *input)
{
    encoding way = {.type = PSOPACK_COLUMN_FLAT, .width = input->width};
    if (way.width != 0) {
        way.stride = input->stride != 0 ? input->stride : input->width;
        way.first = input->first;
    }
    way.data_bits = way.stride * input->rows;
    return way;
}

static psopack_status write_column(psopack_bytes *section, const psopack_column_input *input,
                                   uint64_t previous_data, psopack_disk_column *disk,
                                   psopack_diag *diag)
{
    encoding way = input->flat_from_zero ? as_asked(input) : choose(input->values, input->rows);
    *disk = (psopack_disk_column){
        .id = psopack_store16(input->id),
        .link = psopack_store16(input->link),
        .encoding = (uint8_t)way.type,
        .width = (uint8_t)way.width,
        .shift = (uint8_t)way.shift,
        .group_log2 = (uint8_t)way.group_log2,
        .base_width = (uint8_t)way.base_width,
        .start_width = (uint8_t)way.start_width,
        .stride = (uint8_t)way.stride,
        .first = (uint8_t)way.first,
        .rows = psopack_store64(input->rows),
        .base = psopack_store64(way.base),
    };
    return way.type == PSOPACK_COLUMN_FLAT
               ? write_flat(section, input, &way, previous_data, disk, diag)
               : write_grouped(section, input, &way, disk, diag);
}

psopack_status psopack_columns_write(psopack_bytes *section, const psopack_column_input *columns,
                                     uint32_t count, psopack_diag *diag)
{
    psopack_disk_count head = {.count = psopack_store32(count)};
    PSOPACK_TRY(psopack_bytes_add(section, &head, sizeof head, diag));
    PSOPACK_TRY(psopack_bytes_add_zeros(section, count * sizeof(psopack_disk_column), diag));
    psopack_disk_column disk = {.id = psopack_store16(0)};
    for (uint32_t i = 0; i < count; i++) {
        PSOPACK_TRY(write_column(section, &columns[i], psopack_load64(disk.data), &disk, diag));
        memcpy(section->data + sizeof head + i * sizeof disk, &disk, sizeof disk);
    }
    return PSOPACK_OK;
}
