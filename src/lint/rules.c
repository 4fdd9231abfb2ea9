/* SPDX-License-Identifier: MIT */
/* The rules: one table for reports, SARIF metadata and the pages in doc/lint. */
#include "lint/rules.h"

#include <string.h>

#define LIMITS_PAGE "D3D12XBOX_GRAPHICS_SHADER_LIMITS_DESC (public GDK reference)"
#define TIERS_PAGE "Hardware Tiers (public D3D12 programming guide, resource binding)"
#define ROOTSIG_PAGE "Root Signatures (public D3D12 programming guide, resource binding)"
#define SERIALIZE_PAGE "SerializeGraphicsPipelineStateX (public GDK reference)"

#define RULE(name, severity, title, source, limit, remedy)                                         \
    {                                                                                              \
        name, PSOPACK_LINT_##severity, title, "doc/lint/" name ".md", source, limit, remedy        \
    }

static const psopack_lint_rule rules[PSOPACK_RULE_COUNT] = {
    [PSOPACK_RULE_LIMITS_SIZE] =
        RULE("limits-size", ERROR, "Shader limits have the wrong size.", LIMITS_PAGE, "60 bytes",
             "Write the blob with `psopack limits`, or correct --limits-slot or --limits-at."),
    [PSOPACK_RULE_LATE_ALLOC] =
        RULE("limits-late-alloc", ERROR,
             "More than 22 late-alloc waves without a masked vertex-shader unit can hang the GPU.",
             LIMITS_PAGE, "22 waves",
             "Lower MaxWavesWithLateAllocParameterCache to 22, or set a bit of VSDisableFlags."),
    [PSOPACK_RULE_LATE_ALLOC_MASKED] =
        RULE("limits-late-alloc-masked", NOTE,
             "More than 22 late-alloc waves, safe because a vertex-shader unit is masked.",
             LIMITS_PAGE, "22 waves", "Keep VSDisableFlags set wherever this blob is used."),
    [PSOPACK_RULE_STAGE_OFF] = RULE(
        "limits-stage-off", ERROR, "Every shader unit of a stage that the PSO has is disabled.",
        LIMITS_PAGE, "1 unit enabled per stage", "Clear a bit of the stage's disable flags."),
    [PSOPACK_RULE_CU_LOCKING] =
        RULE("limits-cu-locking", NOTE,
             "A CU-locking threshold is above the most waves that the stage may run.", LIMITS_PAGE,
             "the stage's MaxWaves, unless 0",
             "Lower MaxWavesForCuLocking to MaxWaves, which it cannot pass anyway."),
    [PSOPACK_RULE_LIMITS_DIFFER] =
        RULE("limits-differ", NOTE, "PSOs with the same shader instructions have other limits.",
             SERIALIZE_PAGE, "1 value per set of instructions",
             "Use one value for all of them where it does not matter, so that they share more."),
    [PSOPACK_RULE_DAMAGED] =
        RULE("binding-damaged", ERROR, "A root signature cannot be read.", ROOTSIG_PAGE,
             "RTS0 versions 1.0, 1.1 and 1.2",
             "Serialize it again; if D3D12 accepts it, report the bytes as a bug of psopack."),
    [PSOPACK_RULE_INVALID] =
        RULE("binding-invalid", WARNING, "A root signature says what D3D12 refuses to create.",
             ROOTSIG_PAGE, "the validation rules of D3D12SerializeRootSignature",
             "Correct the root signature; its counts may be off."),
    [PSOPACK_RULE_CONTAINER] =
        RULE("binding-container", NOTE, "The root signature slot holds another container.",
             ROOTSIG_PAGE, "DXBC container", "Nothing, or name the right slot: --rootsig-slot."),
    [PSOPACK_RULE_FEATURE_LEVEL] =
        RULE("binding-feature-level", ERROR, "Tier 3 needs feature level 11.1.", TIERS_PAGE,
             "feature level 11.0 for tiers 1 and 2, 11.1 for tier 3",
             "Bind less, or raise --feature-level."),
    [PSOPACK_RULE_HEAP] =
        RULE("binding-heap", ERROR, "A table is longer than a CBV/SRV/UAV heap may be.", TIERS_PAGE,
             "1,000,000 descriptors on tiers 1 and 2",
             "Shorten the table, or make its last range unbounded and require the tier for it."),
    [PSOPACK_RULE_CBV] =
        RULE("binding-cbv", ERROR, "Too many CBVs in descriptor tables for one stage.", TIERS_PAGE,
             "14 per stage on tiers 1 and 2",
             "Narrow the visibility, use root CBVs or a structured buffer."),
    [PSOPACK_RULE_SRV] =
        RULE("binding-srv", ERROR, "Too many SRVs in descriptor tables for one stage.", TIERS_PAGE,
             "128 per stage on tier 1, a full heap (1,000,000) on tier 2",
             "Narrow the visibility, use root SRVs or texture arrays."),
    [PSOPACK_RULE_UAV] =
        RULE("binding-uav", ERROR, "Too many UAVs in descriptor tables across all stages.",
             TIERS_PAGE, "64 on tiers 1 and 2; 8 on tier 1 at feature level 11.0",
             "Use root UAVs, or split the work over passes."),
    [PSOPACK_RULE_SAMPLER] =
        RULE("binding-sampler", ERROR, "Too many samplers in descriptor tables for one stage.",
             TIERS_PAGE, "16 per stage on tier 1, 2048 on tiers 2 and 3",
             "Narrow the visibility, or use static samplers."),
    [PSOPACK_RULE_SAMPLER_HEAP] =
        RULE("binding-sampler-heap", ERROR, "A table is longer than a sampler heap may be.",
             TIERS_PAGE, "2048 samplers in a shader-visible heap", "Shorten the table."),
    [PSOPACK_RULE_UNBOUNDED_CBV] =
        RULE("binding-unbounded-cbv", ERROR, "An unbounded CBV range needs tier 3.", TIERS_PAGE,
             "tier 3", "Give the range a size."),
    [PSOPACK_RULE_UNBOUNDED_SRV] =
        RULE("binding-unbounded-srv", ERROR, "An unbounded SRV range needs tier 2.", TIERS_PAGE,
             "tier 2", "Give the range a size."),
    [PSOPACK_RULE_UNBOUNDED_UAV] =
        RULE("binding-unbounded-uav", ERROR, "An unbounded UAV range needs tier 3.", TIERS_PAGE,
             "tier 3", "Give the range a size."),
    [PSOPACK_RULE_UNBOUNDED_SAMPLER] =
        RULE("binding-unbounded-sampler", ERROR, "An unbounded sampler range needs tier 2.",
             TIERS_PAGE, "tier 2, and 2048 samplers there", "Give the range a size."),
    [PSOPACK_RULE_UAV_LEVEL] = RULE("binding-uav-level", NOTE,
                                    "PSOs on tier 1 bind more UAVs than feature level 11.0 allows.",
                                    TIERS_PAGE, "8 across stages on tier 1 at feature level 11.0",
                                    "State the target with --feature-level."),
    [PSOPACK_RULE_STATIC_SAMPLERS] =
        RULE("binding-static-samplers", ERROR,
             "Too many unique static samplers over the live root signatures.", TIERS_PAGE,
             "2032 unique by state",
             "Use fewer sampler states, or name the PSOs that live together with --live-set."),
    [PSOPACK_RULE_TABLE_FILL] = RULE(
        "binding-table-fill", NOTE, "Descriptors of a table may have to be filled, used or not.",
        TIERS_PAGE, "tier 1: all tables; tier 2: CBVs and UAVs; tier 3: none",
        "Fill what the shader does not use with null descriptors."),
    [PSOPACK_RULE_SHARE_METADATA] =
        RULE("share-metadata", NOTE, "Equal shader instructions come with different metadata.",
             SERIALIZE_PAGE, "1 metadata component per instructions component",
             "Look for what differs: a name, a path or a hash that the compiler could leave out."),
    [PSOPACK_RULE_SHARE_STATE] =
        RULE("share-state", NOTE, "States differ from a much used one in a single field.",
             SERIALIZE_PAGE, "8 bytes that differ", "Give the field one value where it is unused."),
    [PSOPACK_RULE_SHARE_ONCE] =
        RULE("share-once", NOTE, "Components occur in one PSO only.", SERIALIZE_PAGE, "2 uses",
             "Derive such PSOs at run time, or remove the variation."),
    [PSOPACK_RULE_SUPPRESSION_UNUSED] =
        RULE("suppression-unused", NOTE, "A suppression matches no finding.",
             "the suppression file", "1 finding", "Remove the line."),
};

size_t psopack_lint_rule_count(void)
{
    return PSOPACK_RULE_COUNT;
}

const psopack_lint_rule *psopack_lint_rule_at(size_t index)
{
    return index < PSOPACK_RULE_COUNT ? &rules[index] : NULL;
}

psopack_rule_number psopack_rule_find(const char *id, size_t size)
{
    unsigned i = 0;
    while (i < PSOPACK_RULE_COUNT && (strlen(rules[i].id) != size || memcmp(rules[i].id, id, size)))
        i++;
    return (psopack_rule_number)i;
}

psopack_rule_number psopack_rule_number_of(const psopack_lint_rule *rule)
{
    return (psopack_rule_number)(rule - rules);
}
