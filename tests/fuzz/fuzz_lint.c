/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: untrusted bytes as root signature, as limits, as state, and as the text inputs. The
 * first byte of the input picks options, so that one corpus reaches every rule.
 */
#include <psopack/lint.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct input {
    const uint8_t *bytes;
    size_t size;
} input;

/* Component 0 is the whole input, component 1 its second half. */
static input component_of(const input *in, uint64_t component)
{
    size_t skip = component ? in->size / 2 : 0;
    return (input){in->bytes + skip, in->size - skip};
}

static psopack_status fetch(void *context, uint64_t component, void *ret_bytes, size_t size,
                            psopack_diag *diag)
{
    (void)diag;
    input part = component_of(context, component);
    if (size)
        memcpy(ret_bytes, part.bytes, size);
    return PSOPACK_OK;
}

static psopack_status drop(void *context, const char *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return PSOPACK_OK;
}

static void report(const psopack_lint *lint)
{
    psopack_lint_report_options options = PSOPACK_LINT_REPORT_OPTIONS_INIT;
    options.write = drop;
    if (psopack_lint_report_text(lint, &options) != PSOPACK_OK ||
        psopack_lint_report_json(lint, &options) != PSOPACK_OK ||
        psopack_lint_report_sarif(lint, &options) != PSOPACK_OK)
        abort(); /* no memory limit here: a report of valid results cannot fail */
}

static void add_psos(psopack_lint *lint, const input *in)
{
    static const char *const slots[] = {"vs.instructions", "cs.instructions", "ms.instructions",
                                        "gs.instructions"};
    char name[] = "pso0";
    for (unsigned i = 0; i < 4; i++) {
        uint64_t component = i % 2;
        uint64_t size = component_of(in, component).size;
        const psopack_lint_part parts[] = {{slots[i], 0, in->size},
                                           {"rootsig", component, size},
                                           {"limits", component, size},
                                           {"state", component, size}};
        name[3] = (char)('0' + i);
        if (psopack_lint_add_pso(lint, name, parts, 4, NULL) != PSOPACK_OK)
            abort();
    }
}

static void lint_collection(const input *in, unsigned choice)
{
    psopack_lint *lint = NULL;
    psopack_lint_options options = PSOPACK_LINT_OPTIONS_INIT;
    options.fetch = fetch;
    options.fetch_context = (void *)in;
    options.limits_at_slot = "state";
    options.limits_at_offset = choice & 0x1f;
    options.tier = (choice >> 5) & 3;
    options.units = choice & 1 ? 0xff : 0;
    if (psopack_lint_create(&lint, &options, NULL) != PSOPACK_OK)
        abort();
    const char *text = (const char *)in->bytes;
    bool fine = psopack_lint_add_suppressions(lint, text, in->size, NULL) == PSOPACK_OK;
    if (choice & 0x80)
        fine = psopack_lint_add_live_set(lint, text, in->size, NULL) == PSOPACK_OK && fine;
    add_psos(lint, in);
    if (psopack_lint_finish(lint, NULL) == PSOPACK_OK)
        report(lint);
    else if (fine && !(choice & 0x80))
        abort(); /* only a live set may fail: its globs match no PSO */
    psopack_lint_destroy(&lint);
}

/* What parses must print to a text that parses to the same. */
static void limits_round_trip(const input *in)
{
    psopack_limits limits, back;
    char text[PSOPACK_LIMITS_TEXT_SIZE];
    if (psopack_limits_parse((const char *)in->bytes, in->size, &limits, NULL) != PSOPACK_OK)
        return;
    size_t size = psopack_limits_print(&limits, text);
    if (psopack_limits_parse(text, size, &back, NULL) != PSOPACK_OK ||
        memcmp(&limits, &back, sizeof limits) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!size)
        return 0;
    /* Of exactly the input's size, so that a sanitizer sees one byte too far. */
    uint8_t *copy = malloc(size > 1 ? size - 1 : 1);
    if (!copy)
        return 0;
    memcpy(copy, bytes + 1, size - 1);
    const input in = {copy, size - 1};
    lint_collection(&in, bytes[0]);
    limits_round_trip(&in);
    free(copy);
    return 0;
}
