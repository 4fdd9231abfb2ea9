/* SPDX-License-Identifier: MIT */
/*
 * The register transform for AMD GPU machine code, both directions.
 *
 * Near-equal shaders differ mostly in register allocation. So each vector register number becomes
 * its distance in a row that starts afresh with every component (register_deque.h), and the fields
 * of an instruction are laid out one to a byte, the ones that tell its class first. Scalar
 * registers, constants and offsets keep their values.
 *
 * There is one walk for both directions. A field is passed through: forward writes it to the coded
 * side, inverse reads it from there, and either way the caller gets the plain value to build the
 * instruction word from. An instruction's lead byte, the first coded one, tells its class, and
 * every class codes exactly the bytes it reads, so both sides stay in step on any input: a wrong
 * class costs ratio, nothing else.
 *
 * GFX8 here is GCN3 to GCN5, GFX10 is RDNA and RDNA 2. GFX11 and GFX12 code passes through the
 * GFX10 profile and compresses worse than it could. There VOP1, VOP2, VOPC and VOP3 keep their
 * fields (with 16-bit register halves in bit 7 of a number), VOPD pairs (top bits 110010) are new
 * where VINTRP was, LDS parameter loads and VINTERP replace it, EXP and the memory formats moved
 * (GFX12 ones are three words long), and some operations have other numbers. The corpora have no
 * such code to measure, so it has no profile of its own.
 */
#include "transform_amdgpu.h"

#include "register_deque.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum direction { FORWARD, INVERSE };
enum profile { GFX8, GFX10 };
enum access { READ, WRITE };

/* Encoding families, by the top six bits of an instruction. */
enum family {
    FAMILY_VECTOR, /* VOP1, VOP2, VOPC: 32 bits, top bit clear */
    FAMILY_SCALAR, /* SOP1, SOP2, SOPC, SOPK, SOPP */
    FAMILY_VINTRP,
    FAMILY_VOP3, /* and VOP3P */
    FAMILY_SMEM,
    FAMILY_MIMG,
    FAMILY_BUFFER, /* MUBUF, MTBUF */
    FAMILY_DS,
    FAMILY_FLAT,
    FAMILY_EXPORT,
    FAMILY_OTHER
};

#define V_READFIRSTLANE 2 /* a VOP1 operation whose destination is a scalar register */

typedef struct walk {
    const uint8_t *in; /* forward: plain bytes; inverse: coded ones */
    uint8_t *out;
    size_t words; /* whole words left, the current instruction's included */
    register_deque registers;
    enum direction direction;
    enum profile profile;
} walk;

static uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store_le32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

/* The next plain word. Inverse knows nothing of it yet: its fields are ORed in as they pass. */
ALWAYS_INLINE uint32_t next_word(walk *k)
{
    uint32_t word = 0;

    if (k->direction == FORWARD) {
        word = load_le32(k->in);
        k->in += 4;
    }
    return word;
}

/* The word is whole: inverse writes it. */
ALWAYS_INLINE void end_word(walk *k, uint32_t word)
{
    if (k->direction == INVERSE) {
        store_le32(k->out, word);
        k->out += 4;
    }
    k->words--;
}

/* One coded byte. Forward writes `byte`; inverse ignores it and reads. */
ALWAYS_INLINE uint32_t pass(walk *k, uint32_t byte)
{
    if (k->direction == INVERSE) {
        return *k->in++;
    }
    *k->out++ = (uint8_t)byte;
    return byte & 0xff;
}

/* One vector register number, that the instruction reads or writes. */
ALWAYS_INLINE uint32_t pass_register(walk *k, uint32_t number, enum access access)
{
    uint32_t code = 0;

    if (k->direction == FORWARD) {
        code = register_deque_find(&k->registers, (uint8_t)number, access == READ);
    }
    code = pass(k, code);
    return register_deque_take(&k->registers, code, access == READ);
}

/* A byte of `word` at bit `shift`, as it is or as a register number. */
ALWAYS_INLINE void raw_field(walk *k, uint32_t *word, unsigned shift)
{
    *word |= pass(k, *word >> shift) << shift;
}

ALWAYS_INLINE void read_field(walk *k, uint32_t *word, unsigned shift)
{
    *word |= pass_register(k, *word >> shift, READ) << shift;
}

ALWAYS_INLINE void write_field(walk *k, uint32_t *word, unsigned shift)
{
    *word |= pass_register(k, *word >> shift, WRITE) << shift;
}

/* A source operand of nine bits: bit 8, known by now, tells a register from all else. */
ALWAYS_INLINE uint32_t pass_source(walk *k, uint32_t source, bool is_register)
{
    return is_register ? pass_register(k, source, READ) : pass(k, source);
}

/* The registers that a load writes after its first one. They have no field, so no code. */
ALWAYS_INLINE void write_run(walk *k, uint32_t first, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint8_t number = (uint8_t)(first + i);
        register_deque_take(&k->registers, register_deque_find(&k->registers, number, false),
                            false);
    }
}

/* High byte first: values that are close share their first bytes. */
ALWAYS_INLINE void big_endian_word(walk *k)
{
    uint32_t word = next_word(k);

    raw_field(k, &word, 24);
    raw_field(k, &word, 16);
    raw_field(k, &word, 8);
    raw_field(k, &word, 0);
    end_word(k, word);
}

/* SDWA, DPP8 (two codes) and DPP: a word of modifiers follows, source 0 in its low byte. */
ALWAYS_INLINE bool source_is_modified(uint32_t source)
{
    return source == 249 || source == 250 || source == 233 || source == 234;
}

ALWAYS_INLINE void optional_modifiers(walk *k)
{
    if (k->words > 0) {
        uint32_t word = next_word(k);

        raw_field(k, &word, 24);
        raw_field(k, &word, 16);
        raw_field(k, &word, 8);
        read_field(k, &word, 0);
        end_word(k, word);
    }
}

ALWAYS_INLINE void optional_literal(walk *k, bool present)
{
    if (present && k->words > 0) {
        big_endian_word(k);
    }
}

/* v_madmk, v_madak, v_fmamk, v_fmaak: a literal that no operand announces. */
ALWAYS_INLINE bool vop2_has_literal(enum profile profile, uint32_t op)
{
    if (profile == GFX8) {
        return op == 23 || op == 24 || op == 36 || op == 37;
    }
    return op == 44 || op == 45 || op == 55 || op == 56;
}

/* Lead byte: the operation, then whether source 0 is a register. */
ALWAYS_INLINE void walk_vector(walk *k, uint32_t word, uint32_t lead)
{
    uint32_t op = lead >> 1;
    bool is_register = (lead & 1) != 0;

    word |= op << 25 | (lead & 1) << 8;
    if (op == 0x3f) { /* VOP1: its operation is bits 16:9 */
        raw_field(k, &word, 9);
    } else if (op == 0x3e) { /* VOPC: its operation is bits 24:17 */
        raw_field(k, &word, 17);
    }
    word |= pass_source(k, word, is_register);
    if (op != 0x3f) {
        read_field(k, &word, 9);
    }
    if (op == 0x3f && (word >> 9 & 0xff) == V_READFIRSTLANE) {
        raw_field(k, &word, 17);
    } else if (op != 0x3e) {
        write_field(k, &word, 17);
    }
    end_word(k, word);
    if (!is_register && source_is_modified(word & 0xff)) {
        optional_modifiers(k);
    } else {
        optional_literal(k, (!is_register && (word & 0xff) == 255) ||
                                vop2_has_literal(k->profile, op));
    }
}

ALWAYS_INLINE bool scalar_has_literal(enum profile profile, uint32_t word)
{
    uint32_t top = word >> 24;

    if (top == 0xbe) { /* SOP1 */
        return (word & 0xff) == 255;
    }
    if (top == 0xbf) { /* SOPP has none, SOPC two sources */
        return (word >> 23 & 1) == 0 && ((word & 0xff) == 255 || (word >> 8 & 0xff) == 255);
    }
    if (top >= 0xb0) { /* SOPK: s_setreg_imm32 */
        return profile == GFX10 && (word >> 23 & 31) == 21;
    }
    return (word & 0xff) == 255 || (word >> 8 & 0xff) == 255; /* SOP2 */
}

ALWAYS_INLINE void walk_scalar(walk *k, uint32_t word, uint32_t lead)
{
    word |= lead << 24;
    if (lead < 0xb0) { /* SOP2: sources before the destination */
        raw_field(k, &word, 0);
        raw_field(k, &word, 8);
        raw_field(k, &word, 16);
    } else {
        raw_field(k, &word, 16);
        bool has_immediate = lead < 0xbe || (lead == 0xbf && (word >> 23 & 1) != 0);
        unsigned first = has_immediate ? 0 : 8;
        raw_field(k, &word, first);
        raw_field(k, &word, 8 - first);
    }
    end_word(k, word);
    optional_literal(k, scalar_has_literal(k->profile, word));
}

/* Lead byte: the family, then the operation from bits 17:16. */
ALWAYS_INLINE void walk_vintrp(walk *k, uint32_t word, uint32_t lead)
{
    word |= (lead & 0xfc) << 24 | (lead & 3) << 16;
    raw_field(k, &word, 8);
    read_field(k, &word, 0);
    write_field(k, &word, 18);
    end_word(k, word);
}

/* VOPC and v_readlane in their VOP3 form. VOP3P has a family of its own on GFX10. */
ALWAYS_INLINE bool vop3_writes_scalar(enum profile profile, uint32_t word)
{
    uint32_t op = word >> 16 & 0x3ff;

    if (profile == GFX8) {
        return op < 0x100 || op == 0x289;
    }
    return word >> 26 == 0x35 && (op < 0x100 || op == 0x360);
}

ALWAYS_INLINE void walk_vop3(walk *k, uint32_t w, uint32_t lead)
{
    uint32_t x = next_word(k);

    w |= lead << 24;
    raw_field(k, &w, 16);
    raw_field(k, &w, 8);
    /* Modifiers of the sources, and the ninth bit of each. */
    uint32_t high = pass(k, x >> 27 << 3 | (x >> 8 & 1) << 2 | (x >> 17 & 1) << 1 | (x >> 26 & 1));
    x |= high >> 3 << 27 | (high >> 2 & 1) << 8 | (high >> 1 & 1) << 17 | (high & 1) << 26;
    x |= pass_source(k, x, (high & 4) != 0);
    x |= pass_source(k, x >> 9, (high & 2) != 0) << 9;
    x |= pass_source(k, x >> 18, (high & 1) != 0) << 18;
    if (vop3_writes_scalar(k->profile, w)) {
        raw_field(k, &w, 0);
    } else {
        write_field(k, &w, 0);
    }
    end_word(k, w);
    end_word(k, x);
    optional_literal(k, k->profile == GFX10 && ((x & 0x1ff) == 255 || (x >> 9 & 0x1ff) == 255 ||
                                                (x >> 18 & 0x1ff) == 255));
}

/* The first word has its base, data and flags across byte limits: w = flags, data 12:6, base 5:0.
 */
ALWAYS_INLINE void walk_smem(walk *k, uint32_t w, uint32_t lead)
{
    uint32_t x = next_word(k);

    w |= lead << 24;
    raw_field(k, &w, 16);
    uint32_t base = pass(k, (w & 63) | (w >> 13 & 3) << 6);
    uint32_t data = pass(k, (w >> 6 & 127) | (w >> 15 & 1) << 7);
    w |= (base & 63) | base >> 6 << 13 | (data & 127) << 6 | data >> 7 << 15;
    end_word(k, w);
    raw_field(k, &x, 24);
    raw_field(k, &x, 16);
    raw_field(k, &x, 8);
    raw_field(k, &x, 0);
    end_word(k, x);
}

/* The first word of a two-word instruction, fields as they lie. */
ALWAYS_INLINE uint32_t raw_first_word(walk *k, uint32_t w, uint32_t lead)
{
    w |= lead << 24;
    raw_field(k, &w, 16);
    raw_field(k, &w, 8);
    raw_field(k, &w, 0);
    return w;
}

static const uint8_t bit_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* How many address registers a GFX10 image instruction reads, from its dimension and operation. */
ALWAYS_INLINE uint32_t image_address_count(uint32_t word)
{
    static const uint8_t coordinates[8] = {1, 2, 3, 3, 2, 3, 3, 4};
    static const uint8_t gradients[8] = {2, 4, 6, 4, 2, 4, 4, 4};
    uint32_t dimension = word >> 3 & 7;
    uint32_t op = (word >> 18 & 127) | (word & 1) << 7;
    uint32_t count = coordinates[dimension];

    if (op >= 0x20 && op < 0x60) { /* samples and gathers: plain, cl, d, d_cl, l, b, b_cl, lz */
        count += (op & 8) != 0 ? 1 : 0;  /* depth to compare with */
        count += (op & 16) != 0 ? 1 : 0; /* offsets */
        switch (op & 7) {
        case 2:
            return count + gradients[dimension];
        case 3:
            return count + gradients[dimension] + 1;
        case 1:
        case 4:
        case 5:
            return count + 1;
        case 6:
            return count + 2;
        }
    }
    return count;
}

/* Words of further addresses (NSA) follow the second one on GFX10. */
ALWAYS_INLINE void walk_mimg(walk *k, uint32_t w, uint32_t lead)
{
    uint32_t x = next_word(k);
    uint32_t more = 0;
    uint32_t address[3];

    w = raw_first_word(k, w, lead);
    if (k->profile == GFX10) {
        more = w >> 1 & 3;
        more = more <= k->words - 2 ? more : (uint32_t)(k->words - 2);
    }
    raw_field(k, &x, 24);
    raw_field(k, &x, 16);
    read_field(k, &x, 0);
    uint32_t unread = image_address_count(w) - 1;
    for (uint32_t i = 0; i < more; i++) {
        address[i] = next_word(k);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            address[i] |= pass_source(k, address[i] >> shift, unread > 0) << shift;
            unread -= unread > 0;
        }
    }
    write_field(k, &x, 8);
    write_run(k, x >> 8, bit_count[w >> 8 & 15]);
    end_word(k, w);
    end_word(k, x);
    for (uint32_t i = 0; i < more; i++) {
        end_word(k, address[i]);
    }
}

ALWAYS_INLINE void walk_buffer(walk *k, uint32_t w, uint32_t lead)
{
    uint32_t x = next_word(k);

    w = raw_first_word(k, w, lead);
    raw_field(k, &x, 16);
    raw_field(k, &x, 24);
    read_field(k, &x, 0);
    write_field(k, &x, 8);
    write_run(k, x >> 8, 1 + (w >> 18 & 3));
    end_word(k, w);
    end_word(k, x);
}

/* DS and FLAT: sources and a destination. The third byte of a FLAT names a scalar register. */
ALWAYS_INLINE void walk_local(walk *k, uint32_t w, uint32_t lead, bool third_is_register)
{
    uint32_t x = next_word(k);

    w = raw_first_word(k, w, lead);
    read_field(k, &x, 0);
    read_field(k, &x, 8);
    x |= pass_source(k, x >> 16, third_is_register) << 16;
    write_field(k, &x, 24);
    end_word(k, w);
    end_word(k, x);
}

/* The low bits of the first word enable the four sources. */
ALWAYS_INLINE void walk_export(walk *k, uint32_t w, uint32_t lead)
{
    uint32_t x = next_word(k);

    w = raw_first_word(k, w, lead);
    for (unsigned i = 0; i < 4; i++) {
        x |= pass_source(k, x >> 8 * i, (w >> i & 1) != 0) << 8 * i;
    }
    end_word(k, w);
    end_word(k, x);
}

ALWAYS_INLINE enum family family_of(enum profile profile, uint32_t lead)
{
    uint32_t top = lead >> 2;

    if (top < 0x20) {
        return FAMILY_VECTOR;
    }
    if (top < 0x30) {
        return FAMILY_SCALAR;
    }
    switch (top) {
    case 0x30:
        return profile == GFX8 ? FAMILY_SMEM : FAMILY_OTHER;
    case 0x31:
        return profile == GFX8 ? FAMILY_EXPORT : FAMILY_OTHER;
    case 0x32:
        return profile == GFX8 ? FAMILY_OTHER : FAMILY_VINTRP;
    case 0x33:
        return FAMILY_VOP3;
    case 0x34:
        return profile == GFX8 ? FAMILY_VOP3 : FAMILY_OTHER;
    case 0x35:
        return profile == GFX8 ? FAMILY_VINTRP : FAMILY_VOP3;
    case 0x36:
        return FAMILY_DS;
    case 0x37:
        return FAMILY_FLAT;
    case 0x38:
    case 0x3a:
        return FAMILY_BUFFER;
    case 0x3c:
        return FAMILY_MIMG;
    case 0x3d:
        return profile == GFX8 ? FAMILY_OTHER : FAMILY_SMEM;
    case 0x3e:
        return FAMILY_EXPORT;
    default:
        return FAMILY_OTHER;
    }
}

/* The lead byte of a plain word. It keeps the six top bits, which the family is told by. */
ALWAYS_INLINE uint32_t lead_of(enum profile profile, uint32_t word)
{
    switch (family_of(profile, word >> 24)) {
    case FAMILY_VECTOR:
        return word >> 25 << 1 | (word >> 8 & 1);
    case FAMILY_VINTRP:
        return (word >> 24 & 0xfc) | (word >> 16 & 3);
    default:
        return word >> 24;
    }
}

ALWAYS_INLINE void walk_instruction(walk *k)
{
    uint32_t word = next_word(k);
    uint32_t lead = pass(k, k->direction == FORWARD ? lead_of(k->profile, word) : 0);
    enum family family = family_of(k->profile, lead);

    if (family > FAMILY_VINTRP && k->words < 2) {
        family = FAMILY_OTHER;
    }
    switch (family) {
    case FAMILY_VECTOR:
        walk_vector(k, word, lead);
        break;
    case FAMILY_SCALAR:
        walk_scalar(k, word, lead);
        break;
    case FAMILY_VINTRP:
        walk_vintrp(k, word, lead);
        break;
    case FAMILY_VOP3:
        walk_vop3(k, word, lead);
        break;
    case FAMILY_SMEM:
        walk_smem(k, word, lead);
        break;
    case FAMILY_MIMG:
        walk_mimg(k, word, lead);
        break;
    case FAMILY_BUFFER:
        walk_buffer(k, word, lead);
        break;
    case FAMILY_DS:
        walk_local(k, word, lead, true);
        break;
    case FAMILY_FLAT:
        walk_local(k, word, lead, false);
        break;
    case FAMILY_EXPORT:
        walk_export(k, word, lead);
        break;
    case FAMILY_OTHER:
        end_word(k, raw_first_word(k, word, lead));
        break;
    }
}

ALWAYS_INLINE void walk_component(enum direction direction, enum profile profile, uint8_t *dst,
                                  const uint8_t *src, size_t size, void *scratch)
{
    walk k = {.in = src, .out = dst, .words = size / 4, .direction = direction, .profile = profile};

    register_deque_init(&k.registers, scratch);
    while (k.words > 0) {
        register_deque_keep_room(&k.registers);
        walk_instruction(&k);
    }
    for (size_t i = 0; i < size % 4; i++) {
        k.out[i] = k.in[i];
    }
}

void psopack_amdgpu_gfx8_forward(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(FORWARD, GFX8, dst, src, size, scratch);
}

void psopack_amdgpu_gfx8_inverse(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(INVERSE, GFX8, dst, src, size, scratch);
}

void psopack_amdgpu_gfx10_forward(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(FORWARD, GFX10, dst, src, size, scratch);
}

void psopack_amdgpu_gfx10_inverse(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(INVERSE, GFX10, dst, src, size, scratch);
}
