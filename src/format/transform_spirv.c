/* SPDX-License-Identifier: MIT */
/*
 * The id transform for SPIR-V modules, both directions.
 *
 * Near-equal modules differ mostly in the numbers of their ids. So a result is stored relative to
 * the result before it, a type as its rank among the recently used ones, and an operand as its
 * distance in a row of 256 recent ids (register_deque.h): results that wait to be used are near one
 * end of it, ids that were used near the other. What is not in the row is stored relative to the
 * last result, and ids that modules list in ascending order, such as those with names, relative to
 * the one before. Opcodes, lengths and literals keep their values: they tell the inverse where the
 * ids are.
 *
 * Every step is a bijection of 32-bit words, whatever the ids are, so a module needs to be neither
 * valid nor complete. What does not start like a SPIR-V module is copied.
 */
#include "transform_spirv.h"

#include "register_deque.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define SPIRV_MAGIC 0x07230203u
#define HEADER_WORDS 5

enum direction { FORWARD, INVERSE };

/*
 * What the words of an instruction are after the first: a type, a result or a name if it has them,
 * some ids, some literals, a string, then the rest of one sort; literals if no flag tells. An error
 * in the table costs ratio, nothing else.
 */
enum {
    TYPE = 1,
    RESULT = 2,
    TYPED_RESULT = TYPE | RESULT,
    TYPE_RESULT = RESULT | 4, /* the result is a type */
    NAME = 8,                 /* an id of an ascending list */
    IDS_SHIFT = 4,            /* two bits: how many ids come first */
    ID_1 = 1 << IDS_SHIFT,
    ID_2 = 2 << IDS_SHIFT,
    ID_3 = 3 << IDS_SHIFT,
    LITERALS_SHIFT = 6, /* two bits: how many literals come next */
    LITERAL_1 = 1 << LITERALS_SHIFT,
    LITERAL_2 = 2 << LITERALS_SHIFT,
    STRING = 1 << 8,
    REST_IDS = 1 << 9,
    REST_NAMES = 1 << 10,
    LITERAL_IDS = LITERAL_1 | REST_IDS
};

#define OPCODES 512

static const struct {
    uint16_t first, last; /* opcodes */
    uint16_t shape;
} shapes[] = {
    {1, 1, TYPED_RESULT},                          /* Undef */
    {5, 6, NAME},                                  /* Name, MemberName */
    {7, 7, RESULT},                                /* String */
    {8, 8, ID_1},                                  /* Line */
    {11, 11, RESULT},                              /* ExtInstImport */
    {12, 12, TYPED_RESULT | LITERAL_2 | REST_IDS}, /* ExtInst: its set is always the same */
    {15, 15, LITERAL_2 | STRING | REST_NAMES},     /* EntryPoint */
    {16, 16, ID_1},                                /* ExecutionMode */
    {19, 22, TYPE_RESULT},                         /* TypeVoid .. TypeFloat */
    {23, 25, TYPE_RESULT | ID_1},                  /* TypeVector, TypeMatrix, TypeImage */
    {26, 26, TYPE_RESULT},                         /* TypeSampler */
    {27, 30, TYPE_RESULT | REST_IDS},              /* TypeSampledImage .. TypeStruct */
    {31, 31, TYPE_RESULT},                         /* TypeOpaque */
    {32, 32, TYPE_RESULT | LITERAL_IDS},           /* TypePointer */
    {33, 33, TYPE_RESULT | REST_IDS},              /* TypeFunction */
    {34, 38, TYPE_RESULT},                         /* TypeEvent .. TypePipe */
    {39, 39, ID_1},                                /* TypeForwardPointer */
    {41, 43, TYPED_RESULT},                        /* ConstantTrue, ConstantFalse, Constant */
    {44, 44, TYPED_RESULT | REST_IDS},             /* ConstantComposite */
    {45, 50, TYPED_RESULT},                        /* ConstantSampler .. SpecConstant */
    {51, 51, TYPED_RESULT | REST_IDS},             /* SpecConstantComposite */
    {52, 54, TYPED_RESULT | LITERAL_IDS},          /* SpecConstantOp, Function */
    {55, 55, TYPED_RESULT},                        /* FunctionParameter */
    {57, 57, TYPED_RESULT | REST_IDS},             /* FunctionCall */
    {59, 59, TYPED_RESULT | LITERAL_IDS},          /* Variable */
    {60, 60, TYPED_RESULT | REST_IDS},             /* ImageTexelPointer */
    {61, 61, TYPED_RESULT | ID_1},                 /* Load */
    {62, 63, ID_2},                                /* Store, CopyMemory */
    {64, 64, ID_3},                                /* CopyMemorySized */
    {65, 67, TYPED_RESULT | REST_IDS},             /* AccessChain .. PtrAccessChain */
    {68, 68, TYPED_RESULT | ID_1},                 /* ArrayLength */
    {69, 70, TYPED_RESULT | REST_IDS},             /* .. InBoundsPtrAccessChain */
    {71, 72, NAME},                                /* Decorate, MemberDecorate */
    {73, 73, RESULT},                              /* DecorationGroup */
    {74, 74, REST_IDS},                            /* GroupDecorate */
    {75, 75, ID_1},                                /* GroupMemberDecorate */
    {77, 78, TYPED_RESULT | REST_IDS},             /* Vector{Extract,Insert}Dynamic */
    {79, 79, TYPED_RESULT | ID_2},                 /* VectorShuffle */
    {80, 80, TYPED_RESULT | REST_IDS},             /* CompositeConstruct */
    {81, 81, TYPED_RESULT | ID_1},                 /* CompositeExtract */
    {82, 82, TYPED_RESULT | ID_2},                 /* CompositeInsert */
    {83, 86, TYPED_RESULT | REST_IDS},             /* CopyObject, Transpose, SampledImage */
    {87, 88, TYPED_RESULT | ID_2 | LITERAL_IDS},   /* ImageSample{Im,Ex}plicitLod */
    {89, 90, TYPED_RESULT | ID_3 | LITERAL_IDS},   /* ImageSampleDref.. */
    {91, 92, TYPED_RESULT | ID_2 | LITERAL_IDS},   /* ImageSampleProj.. */
    {93, 94, TYPED_RESULT | ID_3 | LITERAL_IDS},   /* ImageSampleProjDref.. */
    {95, 95, TYPED_RESULT | ID_2 | LITERAL_IDS},   /* ImageFetch */
    {96, 97, TYPED_RESULT | ID_3 | LITERAL_IDS},   /* ImageGather, ImageDrefGather */
    {98, 98, TYPED_RESULT | ID_2 | LITERAL_IDS},   /* ImageRead */
    {99, 99, ID_3 | LITERAL_IDS},                  /* ImageWrite */
    {100, 215, TYPED_RESULT | REST_IDS},           /* Image .. FwidthCoarse: all arithmetic */
    {220, 225, REST_IDS},                          /* EmitStreamVertex .. MemoryBarrier */
    {227, 227, TYPED_RESULT | REST_IDS},           /* AtomicLoad */
    {228, 228, REST_IDS},                          /* AtomicStore */
    {229, 245, TYPED_RESULT | REST_IDS},           /* AtomicExchange .. Phi */
    {246, 246, ID_2},                              /* LoopMerge */
    {247, 247, ID_1},                              /* SelectionMerge */
    {248, 248, RESULT},                            /* Label */
    {249, 250, REST_IDS},                          /* Branch, BranchConditional */
    {251, 251, ID_2},                              /* Switch */
    {254, 254, REST_IDS},                          /* ReturnValue */
    {256, 257, ID_1},                              /* Lifetime{Start,Stop} */
    {331, 332, ID_1 | LITERAL_IDS},                /* ExecutionModeId, DecorateId */
    {333, 348, TYPED_RESULT | REST_IDS},           /* GroupNonUniformElect .. Shuffle */
    {349, 364, TYPED_RESULT | ID_1 | LITERAL_IDS}, /* GroupNonUniformIAdd .. LogicalXor */
    {365, 366, TYPED_RESULT | REST_IDS},           /* GroupNonUniformQuad.. */
    {400, 403, TYPED_RESULT | REST_IDS},           /* CopyLogical, Ptr{Equal,NotEqual,Diff} */
};

#define RECENT_TYPES 64

/* Where a new id takes a slot of the row: few wait for use, many were used. Measured. */
#define ENTRY 24

/* Ids are found by their low bits. Ids of a module are dense, so few hide one another. */
#define BUCKETS 4096

/* Ids from here on are not remembered. So the codes of remembered ids stay clear of RANK_CODE. */
#define ID_LIMIT 0x40000000u

/* Ranks are coded around here. */
#define RANK_CODE 0x80000000u

/* What does not fit into registers, in the caller's scratch. */
typedef struct memory {
    uint32_t types;
    uint32_t type[RECENT_TYPES]; /* `types` different ids, the most recent first */
    uint32_t id[256];            /* by slot */
    uint8_t slot[BUCKETS];       /* by id; right if that slot has the id */
    uint16_t shape[OPCODES];
    uint8_t space[REGISTER_DEQUE_SPACE];
} memory;

_Static_assert(sizeof(memory) <= PSOPACK_TRANSFORM_SCRATCH, "the memory is the scratch");

typedef struct walk {
    const uint8_t *in;
    uint8_t *out;
    size_t words; /* whole words left */
    enum direction direction;
    uint32_t last; /* the last result id below ID_LIMIT */
    uint32_t last_name;
    register_deque row; /* of slots */
    memory *m;
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

ALWAYS_INLINE uint32_t read_word(walk *k)
{
    uint32_t word = load_le32(k->in);

    k->in += 4;
    k->words--;
    return word;
}

ALWAYS_INLINE void write_word(walk *k, uint32_t word)
{
    store_le32(k->out, word);
    k->out += 4;
}

ALWAYS_INLINE void copy_words(walk *k, size_t count)
{
    memcpy(k->out, k->in, 4 * count);
    k->in += 4 * count;
    k->out += 4 * count;
    k->words -= count;
}

static bool holds(const memory *m, uint8_t slot, uint32_t id)
{
    return m->id[slot] == id && m->slot[id % BUCKETS] == slot;
}

/* The slot takes the id, and forgets the one it had. */
static void put_id(memory *m, uint8_t slot, uint32_t id)
{
    if (id < ID_LIMIT) {
        m->id[slot] = id;
        m->slot[id % BUCKETS] = slot;
    }
}

static bool is_rank(uint32_t code)
{
    return code - (RANK_CODE + ENTRY - 256) < 256;
}

/* Upwards for ranks before the entry, downwards from the back for those after it. */
static uint32_t rank_code(uint32_t rank)
{
    return RANK_CODE + rank - (rank < ENTRY ? 0 : 256);
}

/* The slot of a rank. Only hostile modules need it, so it may be slow. */
static uint8_t slot_at(register_deque row, uint32_t rank)
{
    uint8_t slot = 0;

    while (register_deque_find(&row, slot, true) != rank) {
        slot++;
    }
    return slot;
}

/*
 * An id that the row holds is coded by rank, any other as `last - id`. Should that look like the
 * rank of an id, it is coded as that id would be outside the row: a code that is free and no rank.
 */
static uint32_t code_of_id(const memory *m, register_deque row, uint32_t last, uint32_t id)
{
    uint8_t slot = m->slot[id % BUCKETS];
    uint32_t code = last - id;

    if (holds(m, slot, id)) {
        return rank_code(register_deque_find(&row, slot, true));
    }
    if (is_rank(code)) {
        slot = slot_at(row, code & 0xff);
        if (holds(m, slot, m->id[slot])) {
            code = last - m->id[slot];
        }
    }
    return code;
}

static uint32_t id_outside_row(const memory *m, register_deque row, uint32_t last, uint32_t code)
{
    uint32_t id = last - code;
    uint8_t slot = m->slot[id % BUCKETS];

    if (!is_rank(code) && holds(m, slot, id)) {
        id = last - rank_code(register_deque_find(&row, slot, true));
    }
    return id;
}

/* The slot that the code names, or else one for a new id, goes to the end of the used ones. */
ALWAYS_INLINE void walk_id(walk *k)
{
    uint32_t word = read_word(k);
    uint32_t id = word;
    uint32_t code = word;

    if (k->direction == FORWARD) {
        code = code_of_id(k->m, k->row, k->last, id);
    } else if (!is_rank(code)) {
        id = id_outside_row(k->m, k->row, k->last, code);
    }
    uint8_t slot = register_deque_take(&k->row, is_rank(code) ? code & 0xff : ENTRY, true);
    if (is_rank(code) && holds(k->m, slot, k->m->id[slot])) {
        id = k->m->id[slot];
    } else {
        id = k->direction == INVERSE && is_rank(code) ? k->last - code : id;
        put_id(k->m, slot, id);
    }
    write_word(k, k->direction == FORWARD ? code : id);
}

/* The rank of a type, or `types` if it is not listed. */
static uint32_t rank_of_type(const memory *m, uint32_t id)
{
    uint32_t rank = 0;

    while (rank < m->types && m->type[rank] != id) {
        rank++;
    }
    return rank;
}

/* `id` becomes the most recent type. `rank` is its own; the oldest is forgotten for a new one. */
static void use_type(memory *m, uint32_t rank, uint32_t id)
{
    if (id >= ID_LIMIT) {
        return;
    }
    if (rank == m->types) {
        if (m->types < RECENT_TYPES) {
            m->types++;
        } else {
            rank--;
        }
    }
    memmove(m->type + 1, m->type, rank * sizeof(m->type[0]));
    m->type[0] = id;
}

/* As code_of_id, with a list of its own. */
static uint32_t code_of_type(memory *m, uint32_t last, uint32_t id)
{
    uint32_t rank = rank_of_type(m, id);
    uint32_t code = RANK_CODE + rank;

    if (rank == m->types) {
        code = last - id;
        if (code - RANK_CODE < m->types) {
            code = last - m->type[code - RANK_CODE];
        }
    }
    use_type(m, rank, id);
    return code;
}

static uint32_t type_of_code(memory *m, uint32_t last, uint32_t code)
{
    uint32_t rank = code - RANK_CODE;
    uint32_t id;

    if (rank < m->types) {
        id = m->type[rank];
    } else {
        id = last - code;
        rank = rank_of_type(m, id);
        if (rank < m->types) {
            id = last - (RANK_CODE + rank);
            rank = m->types;
        }
    }
    use_type(m, rank, id);
    return id;
}

ALWAYS_INLINE void walk_type(walk *k)
{
    uint32_t word = read_word(k);

    write_word(k, k->direction == FORWARD ? code_of_type(k->m, k->last, word)
                                          : type_of_code(k->m, k->last, word));
}

ALWAYS_INLINE void walk_result(walk *k, bool is_type)
{
    uint32_t word = read_word(k);
    uint32_t next = k->last + 1;
    uint32_t id = k->direction == FORWARD ? word : next + word;

    write_word(k, k->direction == FORWARD ? id - next : id);
    if (is_type) {
        use_type(k->m, rank_of_type(k->m, id), id);
    } else {
        uint8_t slot = k->m->slot[id % BUCKETS];
        bool known = holds(k->m, slot, id);
        uint32_t from = known ? register_deque_find(&k->row, slot, false) : 255 - ENTRY;
        put_id(k->m, register_deque_take(&k->row, from, false), id);
    }
    k->last = id < ID_LIMIT ? id : k->last;
}

ALWAYS_INLINE void walk_name(walk *k)
{
    uint32_t word = read_word(k);
    uint32_t id = k->direction == FORWARD ? word : k->last_name + word;

    write_word(k, k->direction == FORWARD ? id - k->last_name : id);
    k->last_name = id;
}

/* The words of a string end with the first that has a zero in its last byte. */
ALWAYS_INLINE size_t copy_string(walk *k, size_t count)
{
    while (count > 0) {
        bool ends = k->in[3] == 0;

        copy_words(k, 1);
        count--;
        if (ends) {
            break;
        }
    }
    return count;
}

/* The words after the last that the shape counts. */
ALWAYS_INLINE void walk_rest(walk *k, unsigned shape, size_t count)
{
    if ((shape & STRING) != 0) {
        count = copy_string(k, count);
    }
    if ((shape & REST_IDS) != 0) {
        for (; count > 0; count--) {
            register_deque_keep_room(&k->row);
            walk_id(k);
        }
    } else if ((shape & REST_NAMES) != 0) {
        for (; count > 0; count--) {
            walk_name(k);
        }
    }
    copy_words(k, count);
}

ALWAYS_INLINE size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

ALWAYS_INLINE void walk_instruction(walk *k)
{
    uint32_t head = load_le32(k->in);
    uint32_t opcode = head & 0xffff;
    unsigned shape = opcode < OPCODES ? k->m->shape[opcode] : 0;

    copy_words(k, 1);
    /* The length counts the head. Nothing but literals is what a length of zero has. */
    size_t count = smaller((head >> 16) - (head >> 16 != 0), k->words);
    register_deque_keep_room(&k->row);
    if ((shape & TYPE) != 0 && count > 0) {
        walk_type(k);
        count--;
    }
    if ((shape & RESULT) != 0 && count > 0) {
        walk_result(k, (shape & TYPE_RESULT) == TYPE_RESULT);
        count--;
    }
    if ((shape & NAME) != 0 && count > 0) {
        walk_name(k);
        count--;
    }
    for (unsigned ids = shape >> IDS_SHIFT & 3; ids > 0 && count > 0; ids--, count--) {
        walk_id(k);
    }
    size_t literals = smaller(shape >> LITERALS_SHIFT & 3, count);
    copy_words(k, literals);
    walk_rest(k, shape, count - literals);
}

static void init_memory(memory *m)
{
    m->types = 0;
    memset(m->id, 0, sizeof(m->id));
    memset(m->slot, 0, sizeof(m->slot));
    memset(m->shape, 0, sizeof(m->shape));
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (size_t opcode = shapes[i].first; opcode <= shapes[i].last; opcode++) {
            m->shape[opcode] = shapes[i].shape;
        }
    }
}

ALWAYS_INLINE void walk_component(enum direction direction, uint8_t *dst, const uint8_t *src,
                                  size_t size, void *scratch)
{
    walk k = {.in = src, .out = dst, .words = size / 4, .direction = direction, .m = scratch};

    if (size < 4 * HEADER_WORDS || load_le32(src) != SPIRV_MAGIC) {
        if (size > 0) { /* an empty component may have no address */
            memcpy(dst, src, size);
        }
        return;
    }
    init_memory(k.m);
    register_deque_init(&k.row, k.m->space);
    copy_words(&k, HEADER_WORDS);
    while (k.words > 0) {
        walk_instruction(&k);
    }
    memcpy(k.out, k.in, size % 4);
}

void psopack_spirv_forward(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(FORWARD, dst, src, size, scratch);
}

void psopack_spirv_inverse(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(INVERSE, dst, src, size, scratch);
}
