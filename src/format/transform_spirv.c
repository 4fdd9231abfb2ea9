/* SPDX-License-Identifier: MIT */
/*
 * The id transform for SPIR-V modules, both directions.
 *
 * Near-equal modules differ mostly in the numbers of their ids. So an id is stored relative to the
 * last result id, and a type as its rank in a move-to-front list of recent types. Opcodes, lengths
 * and literals keep their values: they tell the inverse where the ids are.
 *
 * Every step is a bijection of 32-bit words, whatever the ids are, so a module needs to be neither
 * valid nor complete. What does not start like a SPIR-V module is copied.
 */
#include "transform_spirv.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define SPIRV_MAGIC 0x07230203u
#define HEADER_WORDS 5

enum direction { FORWARD, INVERSE };

/*
 * What the words of an instruction are, after the first: a type and a result if it has them, some
 * ids, then the rest by one of three rules. An error in the table costs ratio, nothing else.
 */
enum {
    TYPE = 1,
    RESULT = 2,
    TYPED_RESULT = TYPE | RESULT,
    IDS_SHIFT = 2, /* three bits: how many ids come first */
    ID_1 = 1 << IDS_SHIFT,
    ID_2 = 2 << IDS_SHIFT,
    ID_3 = 3 << IDS_SHIFT,
    IDS_MASK = 7,
    REST_IDS = 1 << 5,     /* the rest are ids; without either flag the rest are literals */
    LITERAL_IDS = 1 << 6,  /* the rest are one literal, then ids */
    DECLARES_TYPE = 1 << 7 /* the result is a type */
};

#define OPCODES 512

static const struct {
    uint16_t first, last; /* opcodes */
    uint8_t shape;
} shapes[] = {
    {1, 1, TYPED_RESULT},                           /* Undef */
    {5, 6, ID_1},                                   /* Name, MemberName */
    {7, 7, RESULT},                                 /* String */
    {8, 8, ID_1},                                   /* Line */
    {11, 11, RESULT},                               /* ExtInstImport */
    {12, 12, TYPED_RESULT | ID_1 | LITERAL_IDS},    /* ExtInst */
    {16, 16, ID_1},                                 /* ExecutionMode */
    {19, 22, RESULT | DECLARES_TYPE},               /* TypeVoid .. TypeFloat */
    {23, 25, RESULT | ID_1 | DECLARES_TYPE},        /* TypeVector, TypeMatrix, TypeImage */
    {26, 26, RESULT | DECLARES_TYPE},               /* TypeSampler */
    {27, 30, RESULT | REST_IDS | DECLARES_TYPE},    /* TypeSampledImage .. TypeStruct */
    {31, 31, RESULT | DECLARES_TYPE},               /* TypeOpaque */
    {32, 32, RESULT | LITERAL_IDS | DECLARES_TYPE}, /* TypePointer */
    {33, 33, RESULT | REST_IDS | DECLARES_TYPE},    /* TypeFunction */
    {34, 38, RESULT | DECLARES_TYPE},               /* TypeEvent .. TypePipe */
    {39, 39, ID_1},                                 /* TypeForwardPointer */
    {41, 43, TYPED_RESULT},                         /* ConstantTrue, ConstantFalse, Constant */
    {44, 44, TYPED_RESULT | REST_IDS},              /* ConstantComposite */
    {45, 50, TYPED_RESULT},                         /* ConstantSampler .. SpecConstant */
    {51, 51, TYPED_RESULT | REST_IDS},              /* SpecConstantComposite */
    {52, 54, TYPED_RESULT | LITERAL_IDS},           /* SpecConstantOp, Function */
    {55, 55, TYPED_RESULT},                         /* FunctionParameter */
    {57, 57, TYPED_RESULT | REST_IDS},              /* FunctionCall */
    {59, 59, TYPED_RESULT | LITERAL_IDS},           /* Variable */
    {60, 60, TYPED_RESULT | REST_IDS},              /* ImageTexelPointer */
    {61, 61, TYPED_RESULT | ID_1},                  /* Load */
    {62, 63, ID_2},                                 /* Store, CopyMemory */
    {64, 64, ID_3},                                 /* CopyMemorySized */
    {65, 67, TYPED_RESULT | REST_IDS},              /* AccessChain .. PtrAccessChain */
    {68, 68, TYPED_RESULT | ID_1},                  /* ArrayLength */
    {69, 70, TYPED_RESULT | REST_IDS},              /* .. InBoundsPtrAccessChain */
    {71, 72, ID_1},                                 /* Decorate, MemberDecorate */
    {73, 73, RESULT},                               /* DecorationGroup */
    {74, 74, REST_IDS},                             /* GroupDecorate */
    {75, 75, ID_1},                                 /* GroupMemberDecorate */
    {77, 78, TYPED_RESULT | REST_IDS},              /* Vector{Extract,Insert}Dynamic */
    {79, 79, TYPED_RESULT | ID_2},                  /* VectorShuffle */
    {80, 80, TYPED_RESULT | REST_IDS},              /* CompositeConstruct */
    {81, 81, TYPED_RESULT | ID_1},                  /* CompositeExtract */
    {82, 82, TYPED_RESULT | ID_2},                  /* CompositeInsert */
    {83, 86, TYPED_RESULT | REST_IDS},              /* CopyObject, Transpose, SampledImage */
    {87, 88, TYPED_RESULT | ID_2 | LITERAL_IDS},    /* ImageSample{Im,Ex}plicitLod */
    {89, 90, TYPED_RESULT | ID_3 | LITERAL_IDS},    /* ImageSampleDref.. */
    {91, 92, TYPED_RESULT | ID_2 | LITERAL_IDS},    /* ImageSampleProj.. */
    {93, 94, TYPED_RESULT | ID_3 | LITERAL_IDS},    /* ImageSampleProjDref.. */
    {95, 95, TYPED_RESULT | ID_2 | LITERAL_IDS},    /* ImageFetch */
    {96, 97, TYPED_RESULT | ID_3 | LITERAL_IDS},    /* ImageGather, ImageDrefGather */
    {98, 98, TYPED_RESULT | ID_2 | LITERAL_IDS},    /* ImageRead */
    {99, 99, ID_3 | LITERAL_IDS},                   /* ImageWrite */
    {100, 215, TYPED_RESULT | REST_IDS},            /* Image .. FwidthCoarse: all arithmetic */
    {220, 225, REST_IDS},                           /* EmitStreamVertex .. MemoryBarrier */
    {227, 227, TYPED_RESULT | REST_IDS},            /* AtomicLoad */
    {228, 228, REST_IDS},                           /* AtomicStore */
    {229, 245, TYPED_RESULT | REST_IDS},            /* AtomicExchange .. Phi */
    {246, 246, ID_2},                               /* LoopMerge */
    {247, 247, ID_1},                               /* SelectionMerge */
    {248, 248, RESULT},                             /* Label */
    {249, 250, REST_IDS},                           /* Branch, BranchConditional */
    {251, 251, ID_2},                               /* Switch */
    {254, 254, REST_IDS},                           /* ReturnValue */
    {256, 257, ID_1},                               /* Lifetime{Start,Stop} */
    {331, 332, ID_1 | LITERAL_IDS},                 /* ExecutionModeId, DecorateId */
    {333, 348, TYPED_RESULT | REST_IDS},            /* GroupNonUniformElect .. Shuffle */
    {349, 364, TYPED_RESULT | ID_1 | LITERAL_IDS},  /* GroupNonUniformIAdd .. LogicalXor */
    {365, 366, TYPED_RESULT | REST_IDS},            /* GroupNonUniformQuad.. */
    {400, 403, TYPED_RESULT | REST_IDS},            /* CopyLogical, Ptr{Equal,NotEqual,Diff} */
};

#define RECENT_TYPES 64

/* A rank's code. Far from the code of any id that a real module may hold. */
#define RANK_CODE 0x80000000u

typedef struct walk {
    const uint8_t *in;
    uint8_t *out;
    size_t words; /* whole words left */
    enum direction direction;
    uint32_t last; /* the last result id */
    uint32_t types;
    uint32_t type[RECENT_TYPES]; /* `types` different ids, the most recent first */
    uint8_t shape[OPCODES];
} walk;

_Static_assert(sizeof(walk) <= PSOPACK_TRANSFORM_SCRATCH, "the walk must fit into the scratch");

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

/* The code is `last - id`, so the same sum is its own inverse. */
ALWAYS_INLINE void walk_id(walk *k)
{
    write_word(k, k->last - read_word(k));
}

/* The rank of `id`, or `types` if it is not listed. */
static uint32_t rank_of(const walk *k, uint32_t id)
{
    uint32_t rank = 0;

    while (rank < k->types && k->type[rank] != id) {
        rank++;
    }
    return rank;
}

/* `id` becomes the most recent type. `rank` is its own; the oldest is forgotten for a new one. */
static void use_type(walk *k, uint32_t rank, uint32_t id)
{
    if (rank == k->types) {
        if (k->types < RECENT_TYPES) {
            k->types++;
        } else {
            rank--;
        }
    }
    memmove(k->type + 1, k->type, rank * sizeof(k->type[0]));
    k->type[0] = id;
}

/*
 * Listed types are coded by rank, others like any id. Should the code of an unlisted one look like
 * a rank's, it takes the code that the listed type of that rank left free, and so on: together a
 * bijection. The chain visits each listed type at most once.
 */
static uint32_t code_of_type(walk *k, uint32_t id)
{
    uint32_t rank = rank_of(k, id);
    uint32_t code = RANK_CODE + rank;

    if (rank == k->types) {
        code = k->last - id;
        while (code - RANK_CODE < k->types) {
            code = k->last - k->type[code - RANK_CODE];
        }
    }
    use_type(k, rank, id);
    return code;
}

static uint32_t type_of_code(walk *k, uint32_t code)
{
    uint32_t rank = code - RANK_CODE;
    uint32_t id;

    if (rank < k->types) {
        id = k->type[rank];
    } else {
        id = k->last - code;
        while ((rank = rank_of(k, id)) < k->types) {
            id = k->last - (RANK_CODE + rank);
        }
    }
    use_type(k, rank, id);
    return id;
}

ALWAYS_INLINE void walk_type(walk *k)
{
    uint32_t word = read_word(k);

    write_word(k, k->direction == FORWARD ? code_of_type(k, word) : type_of_code(k, word));
}

ALWAYS_INLINE void walk_result(walk *k, bool is_type)
{
    uint32_t word = read_word(k);
    uint32_t id = k->direction == FORWARD ? word : k->last + 1 + word;

    write_word(k, k->direction == FORWARD ? word - 1 - k->last : id);
    k->last = id;
    if (is_type) {
        use_type(k, rank_of(k, id), id);
    }
}

ALWAYS_INLINE void walk_instruction(walk *k)
{
    uint32_t head = load_le32(k->in);
    size_t count = head >> 16; /* the head included */
    uint32_t opcode = head & 0xffff;
    unsigned shape = opcode < OPCODES ? k->shape[opcode] : 0;

    copy_words(k, 1);
    if (count == 0) {
        return;
    }
    count = count - 1 <= k->words ? count - 1 : k->words;
    if ((shape & TYPE) != 0 && count > 0) {
        walk_type(k);
        count--;
    }
    if ((shape & RESULT) != 0 && count > 0) {
        walk_result(k, (shape & DECLARES_TYPE) != 0);
        count--;
    }
    for (unsigned ids = shape >> IDS_SHIFT & IDS_MASK; ids > 0 && count > 0; ids--, count--) {
        walk_id(k);
    }
    if ((shape & LITERAL_IDS) != 0 && count > 0) {
        copy_words(k, 1);
        count--;
    }
    if ((shape & (REST_IDS | LITERAL_IDS)) != 0) {
        for (; count > 0; count--) {
            walk_id(k);
        }
    }
    copy_words(k, count);
}

static void start_walk(walk *k, enum direction direction, uint8_t *dst, const uint8_t *src,
                       size_t size)
{
    k->in = src;
    k->out = dst;
    k->words = size / 4;
    k->direction = direction;
    k->last = 0;
    k->types = 0;
    memset(k->shape, 0, sizeof(k->shape));
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        memset(k->shape + shapes[i].first, shapes[i].shape,
               (size_t)(shapes[i].last - shapes[i].first + 1));
    }
}

ALWAYS_INLINE void walk_component(enum direction direction, uint8_t *dst, const uint8_t *src,
                                  size_t size, void *scratch)
{
    walk *k = scratch;

    if (size < 4 * HEADER_WORDS || load_le32(src) != SPIRV_MAGIC) {
        if (size > 0) { /* an empty component may have no address */
            memcpy(dst, src, size);
        }
        return;
    }
    start_walk(k, direction, dst, src, size);
    copy_words(k, HEADER_WORDS);
    while (k->words > 0) {
        walk_instruction(k);
    }
    memcpy(k->out, k->in, size % 4);
}

void psopack_spirv_forward(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(FORWARD, dst, src, size, scratch);
}

void psopack_spirv_inverse(uint8_t *dst, const uint8_t *src, size_t size, void *scratch)
{
    walk_component(INVERSE, dst, src, size, scratch);
}
