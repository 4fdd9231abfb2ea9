/* SPDX-License-Identifier: MIT */
/*
 * The bytes of an archive, format version 1. The one header that knows offsets;
 * doc/psopack-format.5.scd describes the same fields, their checks and limits, and a test compares
 * the two.
 *
 * All integers are little-endian. On-disk structs are byte arrays behind names, so that they have
 * no padding, no alignment and no byte order of the machine; load them with psopack_load_*().
 *
 *   header | block, padding, block, ... | sections | section table again | footer
 *
 * Open reads the footer, then the section table. Nothing before the tail changes when blocks are
 * added behind it.
 */
#ifndef PSOPACK_FORMAT_LAYOUT_H
#define PSOPACK_FORMAT_LAYOUT_H

#include <assert.h>
#include <stdint.h>

#define PSOPACK_FORMAT_VERSION 1u

#define PSOPACK_HEADER_MAGIC "PSOPACK\x1a"
#define PSOPACK_FOOTER_MAGIC "KCAPOSP\x1a"
#define PSOPACK_MAGIC_SIZE 8u

typedef struct psopack_u16le {
    uint8_t bytes[2];
} psopack_u16le;

typedef struct psopack_u32le {
    uint8_t bytes[4];
} psopack_u32le;

typedef struct psopack_u64le {
    uint8_t bytes[8];
} psopack_u64le;

/* Constant for a format version; the first 32 bytes keep their meaning in every version. */
typedef struct psopack_disk_header {
    uint8_t magic[8];
    psopack_u32le version;
    psopack_u32le header_size; /* 64 */
    psopack_u32le footer_size; /* 128: the footer is the last footer_size bytes of the file */
    uint8_t reserved[8];       /* zero */
    psopack_u32le crc;         /* CRC32C of all header_size bytes, this field taken as zero */
    uint8_t reserved_2[32];    /* zero */
} psopack_disk_header;
static_assert(sizeof(psopack_disk_header) == 64, "format v1");

typedef struct psopack_disk_footer {
    uint8_t magic[8];
    psopack_u32le footer_size; /* 128 */
    psopack_u32le section_count;
    psopack_u64le file_size;
    psopack_u64le table_offset;  /* the section table, section_count rows */
    psopack_u64le repeat_offset; /* the same bytes again, right in front of the footer */
    psopack_u32le table_crc;     /* CRC32C of the section table */
    psopack_u32le version;       /* repeats the header's */
    psopack_u64le may_ignore;    /* feature words, see PSOPACK_FEATURE_* */
    psopack_u64le may_not_append;
    psopack_u64le must_refuse;
    psopack_u64le key_seed;
    uint8_t content_id[16]; /* XXH3-128, canonical (big-endian) form, as psopack prints it */
    uint8_t archive_id[16]; /* XXH3-128 over the section table, then this footer with archive_id and
                               crc taken as zero */
    uint8_t reserved[12];   /* zero */
    psopack_u32le crc;      /* CRC32C of the footer's bytes in front of it */
} psopack_disk_footer;
static_assert(sizeof(psopack_disk_footer) == 128, "format v1");

/* Features that a reader must know, or refuse the archive. */
#define PSOPACK_FEATURE_LAYER (UINT64_C(1) << 0)  /* components may live in a base archive */
#define PSOPACK_FEATURE_RECODE (UINT64_C(1) << 1) /* components may be stored re-encoded */
/* Features that a program which rewrites or appends must know. */
#define PSOPACK_FEATURE_REBUILT (UINT64_C(1) << 0)  /* made with --base: dead blocks may exist */
#define PSOPACK_FEATURE_STRIPPED (UINT64_C(1) << 1) /* slots were removed after packing */
/* Features that may be ignored: none yet. */

#define PSOPACK_KNOWN_MUST_REFUSE PSOPACK_FEATURE_LAYER
#define PSOPACK_KNOWN_MAY_NOT_APPEND (PSOPACK_FEATURE_REBUILT | PSOPACK_FEATURE_STRIPPED)

#define PSOPACK_FOURCC(a, b, c, d)                                                                 \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

typedef enum psopack_section_id {
    PSOPACK_SECTION_META = PSOPACK_FOURCC('M', 'E', 'T', 'A'), /* fixed struct, strings */
    PSOPACK_SECTION_SLOT = PSOPACK_FOURCC('S', 'L', 'O', 'T'), /* rows, strings */
    PSOPACK_SECTION_KIND = PSOPACK_FOURCC('K', 'I', 'N', 'D'), /* rows, strings */
    PSOPACK_SECTION_BASE = PSOPACK_FOURCC('B', 'A', 'S', 'E'), /* rows, entropy tables */
    PSOPACK_SECTION_BLCK = PSOPACK_FOURCC('B', 'L', 'C', 'K'), /* columns, one row a block */
    PSOPACK_SECTION_COMP = PSOPACK_FOURCC('C', 'O', 'M', 'P'), /* columns, one row a component */
    PSOPACK_SECTION_REFS = PSOPACK_FOURCC('R', 'E', 'F', 'S'), /* columns: reference -> component */
    PSOPACK_SECTION_PSOS = PSOPACK_FOURCC('P', 'S', 'O', 'S'), /* columns, one row a PSO */
    PSOPACK_SECTION_KEYS = PSOPACK_FOURCC('K', 'E', 'Y', 'S'), /* columns: key buckets */
    PSOPACK_SECTION_NAME = PSOPACK_FOURCC('N', 'A', 'M', 'E'), /* optional: names in pages */
    PSOPACK_SECTION_HASH = PSOPACK_FOURCC('H', 'A', 'S', 'H'), /* optional: XXH3-128 a component */
    PSOPACK_SECTION_PROV = PSOPACK_FOURCC('P', 'R', 'O', 'V'), /* optional: where PSOs came from */
    PSOPACK_SECTION_LAYR = PSOPACK_FOURCC('L', 'A', 'Y', 'R'), /* a layer: its base, its sums */
    PSOPACK_SECTION_LPSO = PSOPACK_FOURCC('L', 'P', 'S', 'O'), /* a layer: columns, see below */
    PSOPACK_SECTION_SIGN = PSOPACK_FOURCC('S', 'I', 'G', 'N')  /* reserved: signed hashes */
} psopack_section_id;

#define PSOPACK_SECTION_REQUIRED 1u /* flag: a reader that does not know the id must refuse */

/* Sections begin at multiples of 8. Up to 4 KiB of bytes have one CRC32C, in `crc`. Larger ones are
 * checked in pages of 4 KiB: a CRC32C each in a table right behind the section's bytes (padded to
 * 4); `crc` is then the CRC32C of that table. `size` does not count padding or table. A page of the
 * system's size: opening looks at the heads of nine sections, and checks little besides. */
#define PSOPACK_SECTION_PAGE 4096u

typedef struct psopack_disk_section {
    psopack_u32le id;
    psopack_u32le flags;
    psopack_u64le offset;
    psopack_u64le size;
    psopack_u32le crc;
    psopack_u32le reserved; /* zero */
} psopack_disk_section;
static_assert(sizeof(psopack_disk_section) == 32, "format v1");

#define PSOPACK_SECTIONS_MAX 64u

typedef struct psopack_disk_meta {
    psopack_u64le content_version;
    psopack_u64le psos;
    psopack_u64le components; /* rows of COMP: live ones and, after --base, dead ones */
    psopack_u64le blocks;     /* rows of BLCK */
    psopack_u64le references; /* present slots over all PSOs */
    psopack_u64le reference_bytes;
    psopack_u64le component_bytes; /* of live components, delivered size */
    psopack_u64le split_size;      /* a component above it lies in blocks of its own, this size */
    psopack_u32le block_raw_max;   /* the largest decoded block that is not a base */
    psopack_u32le block_stored_max;
    psopack_u32le profile;      /* psopack_profile */
    psopack_u32le zstd_version; /* ZSTD_versionNumber() of the packer */
    psopack_u32le target_size;  /* bytes of the target string, behind this struct */
    psopack_u32le recipe_size;  /* then a text that names the packer's parameters */
    psopack_u32le flags;        /* PSOPACK_META_* */
    psopack_u32le reserved;     /* zero */
} psopack_disk_meta;
static_assert(sizeof(psopack_disk_meta) == 96, "format v1");

#define PSOPACK_META_KEYS_GIVEN 1u /* keys came with the list, they are no hash of the names */
#define PSOPACK_META_TUPLE_DELTA                                                                   \
    2u                             /* the tuple column holds stored CRC xor the one that the       \
                                      row's component CRCs give (0 when the packer is right) */
#define PSOPACK_META_KEYS_PAGED 4u /* KEYS leads to pages of names, not with KEYS_GIVEN */
#define PSOPACK_META_KNOWN_FLAGS 7u

/* SLOT, KIND, BASE and column sets begin with the number of their rows or columns. */
typedef struct psopack_disk_count {
    psopack_u32le count;
    psopack_u32le reserved; /* zero */
} psopack_disk_count;
static_assert(sizeof(psopack_disk_count) == 8, "format v1");

/* One row per slot, in byte order of the names; the names, zero-terminated, follow the rows. */
typedef struct psopack_disk_slot {
    psopack_u32le name_offset; /* from the section's start */
    psopack_u16le name_size;   /* 1 .. 255 */
    uint8_t align_log2;        /* 0 .. 16 */
    uint8_t reserved;          /* zero */
    psopack_u64le references;
} psopack_disk_slot;
static_assert(sizeof(psopack_disk_slot) == 16, "format v1");

#define PSOPACK_SLOTS_MAX 256u
#define PSOPACK_SLOT_NAME_MAX 255u
#define PSOPACK_PSO_NAME_MAX 4096u
#define PSOPACK_ALIGN_LOG2_MAX 16u

/* One row per kind, in byte order of the names; the names, zero-terminated, follow the rows. What
 * `info` shows; reads use `strip_word`. */
typedef struct psopack_disk_kind {
    psopack_u32le name_offset;
    psopack_u16le name_size;
    psopack_u16le transform;
    psopack_u32le strip_word; /* the trailing word that COMP's strip column counts */
    psopack_u32le base;       /* BASE row + 1 of most of its blocks, 0 none */
    psopack_u64le components;
    psopack_u64le component_bytes;
    psopack_u64le stored_bytes; /* of its blocks, base blocks included */
} psopack_disk_kind;
static_assert(sizeof(psopack_disk_kind) == 40, "format v1");

#define PSOPACK_KINDS_MAX 256u

/* One row per base block; entropy tables follow the rows. A base's own base has a smaller row. */
typedef struct psopack_disk_base {
    psopack_u32le block;         /* BLCK row; PSOPACK_BASE_EXTERNAL: a base block of the parent */
    psopack_u32le tables_offset; /* from the section's start */
    psopack_u32le tables_size;   /* 0: raw content. Else a zstd dictionary header in front of it */
    psopack_u32le raw_size;      /* decoded bytes */
    uint8_t hash[16];            /* XXH3-128, canonical, of the tables, then the decoded bytes */
} psopack_disk_base;
static_assert(sizeof(psopack_disk_base) == 32, "format v1");

#define PSOPACK_BLOCK_SIZE_MAX (UINT32_C(1) << 28) /* stored or decoded, base blocks included */
#define PSOPACK_BASES_MAX 255u
#define PSOPACK_BASE_DEPTH_MAX 4u
#define PSOPACK_BASE_EXTERNAL 0xffffffffu
#define PSOPACK_BASE_TABLES_MAX 65536u

/*
 * A column set: its count, that many descriptors, then bits. How values lie in a column is in
 * format/column.h. Each table below is a column set, so that a field costs the bits that its values
 * need, none where all rows agree, and is still found in O(1) where it lies.
 */
typedef struct psopack_disk_column {
    psopack_u16le id;    /* PSOPACK_COLUMN_* of the section */
    psopack_u16le link;  /* guess columns: the leading slot; else zero */
    uint8_t encoding;    /* psopack_column_encoding */
    uint8_t width;       /* flat: bits a value, 0 .. 64 */
    uint8_t shift;       /* flat: value = base + (bits << shift) */
    uint8_t group_log2;  /* grouped: rows a group */
    uint8_t base_width;  /* grouped: bits of a group's base in the directory */
    uint8_t start_width; /* grouped: bits of a group's start in the directory */
    uint8_t stride;      /* flat: bits from a value to the next one's, first + width or more */
    uint8_t first;       /* flat: bit of the first value in the data */
    uint8_t reserved[4]; /* zero */
    psopack_u64le rows;
    psopack_u64le base;
    psopack_u64le directory; /* grouped: byte offset from the section's start, else 0 */
    psopack_u64le data;      /* byte offset from the section's start */
    psopack_u64le data_size; /* bytes, PSOPACK_COLUMN_SLACK zero bytes behind the values */
} psopack_disk_column;
static_assert(sizeof(psopack_disk_column) == 56, "format v1");

#define PSOPACK_COLUMNS_MAX 1024u
#define PSOPACK_COLUMN_SLACK 9u /* a load of 9 bytes at any value stays inside data_size */

/* BLCK */
#define PSOPACK_COLUMN_BLOCK_OFFSET 0u /* in the file, in bytes */
#define PSOPACK_COLUMN_BLOCK_STORED 1u /* stored bytes */
#define PSOPACK_COLUMN_BLOCK_RAW 2u    /* decoded bytes */
#define PSOPACK_COLUMN_BLOCK_FIRST 3u  /* first component in it */
#define PSOPACK_COLUMN_BLOCK_CHECK 4u  /* XXH3-64, see psopack_block_check() */
#define PSOPACK_COLUMN_BLOCK_TRANSFORM 5u
#define PSOPACK_COLUMN_BLOCK_BASE 6u /* BASE row + 1, 0 none */
#define PSOPACK_COLUMN_BLOCK_KIND 7u
#define PSOPACK_COLUMN_BLOCK_FLAGS 8u /* PSOPACK_BLOCK_* */
#define PSOPACK_BLOCK_COLUMNS 9u

#define PSOPACK_BLOCK_RAW 1u    /* stored as it is, no zstd frame */
#define PSOPACK_BLOCK_PIECE 2u  /* one piece of a large component, not the first */
#define PSOPACK_BLOCK_DEAD 4u   /* no live component in it; kept for its place */
#define PSOPACK_BLOCK_BASE 8u   /* named by a BASE row */
#define PSOPACK_BLOCK_FRAME 16u /* a standard zstd frame: magic and content size are there */
#define PSOPACK_BLOCK_KNOWN_FLAGS 31u

/* COMP, rows in storage order: the components of block b are [FIRST(b), FIRST(b + 1)). */
#define PSOPACK_COLUMN_COMPONENT_SIZE 0u   /* delivered bytes */
#define PSOPACK_COLUMN_COMPONENT_CRC 1u    /* CRC32C of the delivered bytes */
#define PSOPACK_COLUMN_COMPONENT_ALIGN 2u  /* log2 */
#define PSOPACK_COLUMN_COMPONENT_STRIP 3u  /* trailing strip words that the block leaves out */
#define PSOPACK_STRIP_WORDS_MAX 16384u     /* so that 64 KiB at most come from nothing */
#define PSOPACK_COLUMN_COMPONENT_RECODE 4u /* recipe id, 0: stored as delivered */
#define PSOPACK_COLUMN_COMPONENT_DEAD 5u   /* 1: no PSO uses it (after --base) */
#define PSOPACK_COMPONENT_COLUMNS 6u

/* REFS: rows are numbered by kind, then first use in PSO order; one per live component. */
#define PSOPACK_COLUMN_REFERENCE_COMPONENT 0u
#define PSOPACK_REFERENCE_COLUMNS 1u

/*
 * PSOS: column s holds slot s's value: its reference number + 1, or 0 for absent. Where a slot
 * mostly follows another one (metadata follow instructions), column PSOPACK_COLUMN_PSO_GUESS + s
 * gives, for each reference number r of the slot in `link`, the value that slot s has there most
 * often; column s then holds 0 for "as guessed" and value + 1 otherwise. Where the leading slot is
 * absent, so is the guess. A leading slot has no guess column itself.
 */
#define PSOPACK_COLUMN_PSO_TUPLE 0x100u
#define PSOPACK_COLUMN_PSO_GUESS 0x200u

/* KEYS: see format/keys.h */
#define PSOPACK_COLUMN_KEY_BUCKET 0u
#define PSOPACK_COLUMN_KEY_REST 1u
#define PSOPACK_COLUMN_KEY_PSO 2u
#define PSOPACK_KEY_COLUMNS 3u
#define PSOPACK_COLUMN_KEY_PAGE 0u /* with PSOPACK_META_KEYS_PAGED the only one */

/* NAME: this header, the dictionary, page_count + 1 offsets (u32, from the section's start), then
 * zstd frames. Page p holds the names of PSOs [p * 64, p * 64 + 64), see format/names.h. */
typedef struct psopack_disk_names {
    psopack_u32le page_count;
    psopack_u32le page_raw_max;
    psopack_u32le dictionary_size;
    psopack_u32le reserved; /* zero */
} psopack_disk_names;
static_assert(sizeof(psopack_disk_names) == 16, "format v1");

#define PSOPACK_NAMES_PER_PAGE 64u
#define PSOPACK_NAMES_PAGE_MAX (PSOPACK_NAMES_PER_PAGE * (PSOPACK_PSO_NAME_MAX + 8u))

/*
 * A layer has the feature PSOPACK_FEATURE_LAYER and the sections LAYR and LPSO. Its PSOS, KEYS and
 * NAME hold only the PSOs that it adds or replaces; COMP and BLCK only what its base does not have.
 * Opened on its base it shows both as one: PSOs in byte order of their names, and components
 * numbered with its own in front: index c of the base is c + its own components. REFS values are
 * such indexes. SLOT has at least the slots of the base; keys use the base's seed; the content id
 * is the one of the whole. BASE rows with block PSOPACK_BASE_EXTERNAL are found in the base, or
 * what the base builds on, by their hash; raw_size repeats theirs, they have no tables here.
 */
typedef struct psopack_disk_layer {
    uint8_t base_content_id[16];
    uint8_t base_archive_id[16];
    psopack_u32le depth;           /* 1: the base is no layer itself */
    psopack_u32le base_psos;       /* as the base shows them */
    psopack_u32le base_components; /* indexes of the base run below this */
    psopack_u32le reserved;        /* zero */
    psopack_u64le psos;            /* sums over the whole, as META has them for one archive */
    psopack_u64le components;      /* live ones */
    psopack_u64le references;
    psopack_u64le reference_bytes;
    psopack_u64le component_bytes;
} psopack_disk_layer;
static_assert(sizeof(psopack_disk_layer) == 88, "format v1");

#define PSOPACK_LAYER_DEPTH_MAX 8u

/* LPSO: both columns rise strictly. */
#define PSOPACK_COLUMN_LAYER_GONE 0u  /* PSOs of the base that are replaced or removed */
#define PSOPACK_COLUMN_LAYER_PLACE 1u /* by own PSO: its index in the whole */
#define PSOPACK_LAYER_COLUMNS 2u

static inline uint16_t psopack_load16(psopack_u16le value)
{
    return (uint16_t)(value.bytes[0] | value.bytes[1] << 8);
}

static inline uint32_t psopack_load32(psopack_u32le value)
{
    const uint8_t *b = value.bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t psopack_load64(psopack_u64le value)
{
    const uint8_t *b = value.bytes;
    return b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

static inline psopack_u16le psopack_store16(uint16_t value)
{
    return (psopack_u16le){{(uint8_t)value, (uint8_t)(value >> 8)}};
}

static inline psopack_u32le psopack_store32(uint32_t value)
{
    return (psopack_u32le){
        {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)}};
}

static inline psopack_u64le psopack_store64(uint64_t value)
{
    psopack_u64le result;
    for (int i = 0; i < 8; i++)
        result.bytes[i] = (uint8_t)(value >> (8 * i));
    return result;
}

#endif
