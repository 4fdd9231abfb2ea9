/* SPDX-License-Identifier: MIT */
/* The stand-in deserializer refuses what it says it refuses: else it would prove nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "deserialize.h"

enum { SLOTS = 4 };

static const unsigned char code[5] = {'1', '2', '3', '4', '5'};
static const unsigned char metadata[12] = {'P', 'S', 'S', 'M', 0, 0, 0, 0, sizeof code, 0, 0, 0};

/* Instructions with their metadata, an absent slot, an empty one. */
typedef struct pipeline {
    const char *slots[SLOTS];
    psopack_part parts[SLOTS];
    deserialize_input input;
} pipeline;

static void make(pipeline *p)
{
    *p = (pipeline){
        .slots = {"ps.instructions", "rootsig", "vs.instructions", "vs.metadata"},
        .parts = {{NULL, 0, 0, PSOPACK_ABSENT},
                  {code, 0, 0, 1},
                  {code, sizeof code, 0x18d12335u, 2},
                  {metadata, sizeof metadata, 0xc9258036u, 3}},
    };
    p->input = (deserialize_input){p->slots, p->parts, SLOTS, 0xbcca004eu};
}

static void refused(const pipeline *p, const char *why)
{
    char text[DESERIALIZE_TEXT_SIZE] = "";
    assert_false(deserialize_pipeline(&p->input, text));
    if (!strstr(text, why))
        fail_msg("it says '%s', not '%s'", text, why);
}

static void test_accepts(void **state)
{
    char text[DESERIALIZE_TEXT_SIZE] = "";
    pipeline p;
    (void)state;
    make(&p);
    if (!deserialize_pipeline(&p.input, text))
        fail_msg("%s", text);
}

static void test_refuses(void **state)
{
    pipeline p;
    (void)state;
    make(&p);
    p.slots[1] = "zz";
    refused(&p, "out of order");
    make(&p);
    p.parts[0].bytes = code;
    refused(&p, "absent");
    make(&p);
    p.parts[1].bytes = NULL;
    refused(&p, "NULL");
    make(&p);
    p.parts[2].bytes = metadata;
    refused(&p, "another CRC");
    make(&p);
    p.parts[2].component = PSOPACK_ABSENT;
    p.parts[2].bytes = NULL;
    p.parts[2].size = 0;
    refused(&p, "another size");
    make(&p);
    p.input.tuple_crc ^= 1;
    refused(&p, "tuple");
    make(&p);
    p.parts[1] = (psopack_part){NULL, 0, 0, PSOPACK_ABSENT}; /* empty is not absent */
    refused(&p, "tuple");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
