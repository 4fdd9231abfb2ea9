/* SPDX-License-Identifier: MIT */
/*
 * Root signatures from an independent serializer (libvkd3d, versions 1.0 and 1.1): random
 * descriptions, whose counts are worked out here by marking every descriptor, one by one.
 */
#include "fixture.h"

/* The Vulkan types that vkd3d.h names stand here: the serializer needs none of Vulkan. */
typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef struct VkDevice_T *VkDevice;
typedef struct VkQueue_T *VkQueue;
typedef uint64_t VkImage;
typedef int VkFormat;
typedef void (*PFN_vkGetInstanceProcAddr)(void);
#define VKD3D_NO_VULKAN_H
#define COBJMACROS
#include <vkd3d.h>

#include "lint/tiers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    SAMPLES = 400,
    TABLES_MAX = 6,
    RANGES_MAX = 4,
    SAMPLERS_MAX = 5,
    PLACES = 512,
    REGISTERS = 96,
    SPACES = 3,
    STAGES = 5
};

typedef struct sample {
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC desc;
    D3D12_ROOT_PARAMETER parameters[TABLES_MAX + 2];
    D3D12_ROOT_PARAMETER1 parameters1[TABLES_MAX + 2];
    D3D12_DESCRIPTOR_RANGE ranges[TABLES_MAX][RANGES_MAX];
    D3D12_DESCRIPTOR_RANGE1 ranges1[TABLES_MAX][RANGES_MAX];
    D3D12_STATIC_SAMPLER_DESC samplers[SAMPLERS_MAX];
    UINT tables;
    D3D12_SHADER_VISIBILITY visibility[TABLES_MAX];
} sample;

/* What a stage mask sees of one type, marked. */
typedef struct descriptor_marks {
    uint8_t place[TABLES_MAX][PLACES];
    uint8_t reg[SPACES][REGISTERS];
} descriptor_marks;

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* Small counts mostly, so that tiers differ; sometimes unbounded as the last of its table. */
static void fill_table(sample *s, UINT table, uint64_t *random)
{
    bool samplers = next_random(random, 4) == 0;
    UINT count = 1 + next_random(random, RANGES_MAX);
    for (UINT i = 0; i < count; i++) {
        D3D12_DESCRIPTOR_RANGE *range = &s->ranges[table][i];
        range->RangeType = samplers ? D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER
                                    : (D3D12_DESCRIPTOR_RANGE_TYPE)next_random(random, 3);
        range->NumDescriptors = 1 + next_random(random, 24);
        range->BaseShaderRegister = next_random(random, REGISTERS - 24);
        range->RegisterSpace = next_random(random, SPACES);
        range->OffsetInDescriptorsFromTableStart = D3D12_DESCRIPTOR_RANGE_OFFSET_APPEND;
        if (next_random(random, 3) == 0)
            range->OffsetInDescriptorsFromTableStart = next_random(random, PLACES / 4);
        if (i + 1 == count && next_random(random, 8) == 0)
            range->NumDescriptors = UNBOUNDED;
        s->ranges1[table][i] =
            (D3D12_DESCRIPTOR_RANGE1){range->RangeType,
                                      range->NumDescriptors,
                                      range->BaseShaderRegister,
                                      range->RegisterSpace,
                                      D3D12_DESCRIPTOR_RANGE_FLAG_DESCRIPTORS_VOLATILE,
                                      range->OffsetInDescriptorsFromTableStart};
    }
    s->visibility[table] = (D3D12_SHADER_VISIBILITY)next_random(random, STAGES + 1);
    D3D12_ROOT_PARAMETER *parameter = &s->parameters[table];
    parameter->ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
    parameter->ShaderVisibility = s->visibility[table];
    parameter->DescriptorTable.NumDescriptorRanges = count;
    parameter->DescriptorTable.pDescriptorRanges = s->ranges[table];
    D3D12_ROOT_PARAMETER1 *parameter1 = &s->parameters1[table];
    parameter1->ParameterType = parameter->ParameterType;
    parameter1->ShaderVisibility = parameter->ShaderVisibility;
    parameter1->DescriptorTable.NumDescriptorRanges = count;
    parameter1->DescriptorTable.pDescriptorRanges = s->ranges1[table];
}

/* A root CBV and root constants, which must not count. */
static void fill_root_parameters(sample *s)
{
    D3D12_ROOT_PARAMETER *cbv = &s->parameters[s->tables];
    cbv->ParameterType = D3D12_ROOT_PARAMETER_TYPE_CBV;
    cbv->Descriptor.ShaderRegister = 80;
    D3D12_ROOT_PARAMETER *constants = &s->parameters[s->tables + 1];
    constants->ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
    constants->Constants.ShaderRegister = 81;
    constants->Constants.Num32BitValues = 4;
    D3D12_ROOT_PARAMETER1 *cbv1 = &s->parameters1[s->tables];
    cbv1->ParameterType = cbv->ParameterType;
    cbv1->Descriptor.ShaderRegister = 80;
    D3D12_ROOT_PARAMETER1 *constants1 = &s->parameters1[s->tables + 1];
    constants1->ParameterType = constants->ParameterType;
    constants1->Constants = constants->Constants;
}

static void fill_sample(sample *s, uint64_t *random)
{
    memset(s, 0, sizeof *s);
    s->tables = next_random(random, TABLES_MAX + 1);
    for (UINT table = 0; table < s->tables; table++)
        fill_table(s, table, random);
    fill_root_parameters(s);
    UINT samplers = next_random(random, SAMPLERS_MAX + 1);
    for (UINT i = 0; i < samplers; i++) {
        s->samplers[i].MaxAnisotropy = next_random(random, 3);
        s->samplers[i].ShaderRegister = 90 + i;
        s->samplers[i].MaxLOD = 7.5f;
    }
    D3D12_ROOT_SIGNATURE_FLAGS flags = (D3D12_ROOT_SIGNATURE_FLAGS)(next_random(random, 32) << 1);
    if (next_random(random, 2)) {
        s->desc.Version = D3D_ROOT_SIGNATURE_VERSION_1_0;
        s->desc.Desc_1_0 =
            (D3D12_ROOT_SIGNATURE_DESC){s->tables + 2, s->parameters, samplers, s->samplers, flags};
    } else {
        s->desc.Version = D3D_ROOT_SIGNATURE_VERSION_1_1;
        s->desc.Desc_1_1 = (D3D12_ROOT_SIGNATURE_DESC1){s->tables + 2, s->parameters1, samplers,
                                                        s->samplers, flags};
    }
}

static void mark_table(const sample *s, UINT table, unsigned type, descriptor_marks *marks)
{
    UINT count = s->parameters[table].DescriptorTable.NumDescriptorRanges;
    UINT place = 0;
    for (UINT i = 0; i < count; i++) {
        const D3D12_DESCRIPTOR_RANGE *range = &s->ranges[table][i];
        if (range->OffsetInDescriptorsFromTableStart != D3D12_DESCRIPTOR_RANGE_OFFSET_APPEND)
            place = range->OffsetInDescriptorsFromTableStart;
        if (range->NumDescriptors == UNBOUNDED)
            return;
        for (UINT d = 0; d < range->NumDescriptors; d++, place++) {
            if ((unsigned)range->RangeType != type)
                continue;
            marks->place[table][place] = 1;
            marks->reg[range->RegisterSpace][range->BaseShaderRegister + d] = 1;
        }
    }
}

static unsigned sum(const uint8_t *bytes, size_t size)
{
    unsigned total = 0;
    for (size_t i = 0; i < size; i++)
        total += bytes[i];
    return total;
}

static bool denied(const sample *s, unsigned stage)
{
    UINT flags = s->desc.Version == D3D_ROOT_SIGNATURE_VERSION_1_0 ? (UINT)s->desc.Desc_1_0.Flags
                                                                   : (UINT)s->desc.Desc_1_1.Flags;
    return flags & (2u << stage);
}

static unsigned expected_count(const sample *s, unsigned type, unsigned stage)
{
    static descriptor_marks marks;
    memset(&marks, 0, sizeof marks);
    for (UINT table = 0; table < s->tables && !denied(s, stage); table++) {
        unsigned visibility = (unsigned)s->visibility[table];
        if (visibility == SEE_ALL || visibility == stage + 1)
            mark_table(s, table, type, &marks);
    }
    unsigned places = sum(marks.place[0], sizeof marks.place);
    unsigned registers = sum(marks.reg[0], sizeof marks.reg);
    return places < registers ? places : registers;
}

static uint32_t expected_unbounded(const sample *s, unsigned type)
{
    uint32_t stages = 0;
    for (UINT table = 0; table < s->tables; table++) {
        UINT count = s->parameters[table].DescriptorTable.NumDescriptorRanges;
        for (UINT i = 0; i < count; i++) {
            if (s->ranges[table][i].NumDescriptors != UNBOUNDED ||
                (unsigned)s->ranges[table][i].RangeType != type)
                continue;
            unsigned visibility = (unsigned)s->visibility[table];
            stages |= visibility == SEE_ALL ? GRAPHICS : 1u << (visibility - 1);
        }
    }
    for (unsigned stage = 0; stage < STAGES; stage++)
        stages &= denied(s, stage) ? ~(1u << stage) : ~0u;
    return stages;
}

static void parse_sample(const sample *s, psopack_rootsig *ret_rootsig)
{
    ID3DBlob *blob = NULL;
    assert_int_equal(vkd3d_serialize_versioned_root_signature(&s->desc, &blob, NULL), 0);
    size_t size = ID3D10Blob_GetBufferSize(blob);
    uint8_t *copy = malloc(size); /* exact, unlike the serializer's own block */
    assert_non_null(copy);
    memcpy(copy, ID3D10Blob_GetBufferPointer(blob), size);
    ID3D10Blob_Release(blob);
    psopack_diag diag = {0};
    if (psopack_rootsig_parse(copy, size, ret_rootsig, &diag) != PSOPACK_OK)
        fail_msg("%s", diag.text);
    free(copy);
}

static void test_counts_agree_with_the_description(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 8;
    unsigned versions[4] = {0}, tiers[PSOPACK_TIER_COUNT] = {0}, shared = 0;
    for (unsigned i = 0; i < SAMPLES; i++) {
        psopack_rootsig rootsig;
        psopack_binding binding;
        psopack_misfit misfit;
        fill_sample(&s, &random);
        parse_sample(&s, &rootsig);
        assert_int_equal(rootsig.version, s.desc.Version);
        assert_int_equal(rootsig.table_count, s.tables);
        assert_int_equal(rootsig.parameter_count, s.tables + 2);
        assert_int_equal(psopack_binding_count(&rootsig, GRAPHICS, &binding), PSOPACK_OK);
        for (unsigned type = 0; type < PSOPACK_RANGE_TYPES; type++) {
            assert_int_equal(binding.unbounded[type], expected_unbounded(&s, type));
            for (unsigned stage = 0; stage < STAGES; stage++) {
                unsigned expected = expected_count(&s, type, stage);
                assert_int_equal(binding.count[type][stage], expected);
                shared += expected > 0;
            }
        }
        versions[rootsig.version]++;
        tiers[psopack_tier_lowest(&binding, PSOPACK_FEATURE_LEVEL_11_1, &misfit)]++;
        psopack_rootsig_free(&rootsig);
    }
    /* The samples must not all be of one kind, or they show nothing. */
    assert_true(versions[1] > SAMPLES / 4 && versions[2] > SAMPLES / 4);
    assert_true(tiers[1] > 20 && tiers[2] > 20 && tiers[3] > 20 && shared > SAMPLES);
    print_message("%u of version 1.0, %u of 1.1; tier 1: %u, 2: %u, 3: %u\n", versions[1],
                  versions[2], tiers[1], tiers[2], tiers[3]);
}

static void test_static_samplers_agree(void **state)
{
    (void)state;
    static sample s;
    uint64_t random = 77;
    for (unsigned i = 0; i < SAMPLES; i++) {
        psopack_rootsig rootsig;
        fill_sample(&s, &random);
        parse_sample(&s, &rootsig);
        UINT count = s.desc.Version == D3D_ROOT_SIGNATURE_VERSION_1_0
                         ? s.desc.Desc_1_0.NumStaticSamplers
                         : s.desc.Desc_1_1.NumStaticSamplers;
        assert_int_equal(rootsig.sampler_count, count);
        for (UINT k = 0; k < count; k++) {
            const float lod = 7.5f;
            assert_int_equal(rootsig.samplers[k].state[5], s.samplers[k].MaxAnisotropy);
            assert_memory_equal(&rootsig.samplers[k].state[9], &lod, sizeof lod);
            assert_int_equal(rootsig.samplers[k].state[10], 0);
            assert_int_equal(rootsig.samplers[k].shader_register, 90 + k);
        }
        psopack_rootsig_free(&rootsig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_agree_with_the_description),
        cmocka_unit_test(test_static_samplers_agree),
    };
    return cmocka_run_group_tests_name("lint root signatures by libvkd3d", tests, NULL, NULL);
}
