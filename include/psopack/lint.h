/* SPDX-License-Identifier: MIT */
/*
 * Lint: checks a whole PSO collection at build time against two public documents, shader limits
 * that can hang a GPU and resource binding tiers, and points at near-duplicates worth sharing.
 *
 * A lint object is fed one PSO after another, then finished, then read. It looks at component bytes
 * only where a rule needs them, and asks for each such component once. It knows no files and no
 * archives: the caller brings PSOs from an archive or from a running pack.
 *
 *   psopack_lint_create, psopack_lint_add_suppressions, psopack_lint_add_live_set,
 *   psopack_lint_add_pso (many times), psopack_lint_finish, then the getters and reports
 *
 * Thread safety: one thread at a time for one object; after psopack_lint_finish any number of
 * threads may call the getters and reports. Component bytes are untrusted and never crash it.
 */
#ifndef PSOPACK_LINT_H
#define PSOPACK_LINT_H

#include <psopack/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Shader limits: D3D12XBOX_GRAPHICS_SHADER_LIMITS_DESC -------------------------------------- */

/* The members in the documented order; each is one little-endian uint32 of the blob. */
typedef enum psopack_limits_member {
    PSOPACK_LIMITS_LATE_ALLOC_WAVES = 0, /* MaxWavesWithLateAllocParameterCache */
    PSOPACK_LIMITS_VS_DISABLE = 1,
    PSOPACK_LIMITS_DS_DISABLE = 2,
    PSOPACK_LIMITS_GS_DISABLE = 3,
    PSOPACK_LIMITS_PS_DISABLE = 4,
    PSOPACK_LIMITS_VS_WAVES = 5,
    PSOPACK_LIMITS_HS_WAVES = 6,
    PSOPACK_LIMITS_DS_WAVES = 7,
    PSOPACK_LIMITS_GS_WAVES = 8,
    PSOPACK_LIMITS_PS_WAVES = 9,
    PSOPACK_LIMITS_VS_LOCK = 10,
    PSOPACK_LIMITS_HS_LOCK = 11,
    PSOPACK_LIMITS_DS_LOCK = 12,
    PSOPACK_LIMITS_GS_LOCK = 13,
    PSOPACK_LIMITS_PS_LOCK = 14,
    PSOPACK_LIMITS_MEMBERS = 15
} psopack_limits_member;

#define PSOPACK_LIMITS_SIZE 60u        /* bytes of a limits blob */
#define PSOPACK_LIMITS_TEXT_SIZE 2048u /* bytes that hold any text of psopack_limits_print */

typedef struct psopack_limits {
    uint32_t member[PSOPACK_LIMITS_MEMBERS];
} psopack_limits;

/* "VSMaxWaves" and the like; NULL for a number that is no member. */
PSOPACK_API const char *psopack_limits_member_name(size_t member);

/* TRUNCATED or EXTENDED when `size` is not PSOPACK_LIMITS_SIZE. Any 60 bytes decode. */
PSOPACK_API psopack_status psopack_limits_decode(const void *blob, size_t size,
                                                 psopack_limits *ret_limits, psopack_diag *diag);

PSOPACK_API void psopack_limits_encode(const psopack_limits *limits,
                                       uint8_t ret_blob[PSOPACK_LIMITS_SIZE]);

/*
 * Reads lines of `Name = value`, decimal or 0x hexadecimal; `#` starts a comment. Each of the 15
 * members must occur exactly once, in any order: there are no defaults, because the public page
 * leaves them to a helper of the SDK. SYNTAX names the line.
 */
PSOPACK_API psopack_status psopack_limits_parse(const char *text, size_t size,
                                                psopack_limits *ret_limits, psopack_diag *diag);

/* Writes the text that psopack_limits_parse reads, zero-terminated. Returns its length. */
PSOPACK_API size_t psopack_limits_print(const psopack_limits *limits,
                                        char ret_text[PSOPACK_LIMITS_TEXT_SIZE]);

/* Rules ------------------------------------------------------------------------------------- */

typedef enum psopack_lint_severity {
    PSOPACK_LINT_NOTE = 1,    /* advice */
    PSOPACK_LINT_WARNING = 2, /* looks wrong, but psopack cannot prove that it fails */
    PSOPACK_LINT_ERROR = 3    /* hangs, fails or cannot be read */
} psopack_lint_severity;

/* All strings are static. */
typedef struct psopack_lint_rule {
    const char *id;                 /* "limits-late-alloc" */
    psopack_lint_severity severity; /* of its findings, unless a target tier raises it */
    const char *title;              /* one sentence */
    const char *page;               /* path of its page in the source tree */
    const char *source;             /* the public document behind it */
    const char *limit;              /* the number or condition that it checks, as text */
    const char *remedy;             /* what to do */
} psopack_lint_rule;

PSOPACK_API size_t psopack_lint_rule_count(void);
/* NULL past the last. */
PSOPACK_API const psopack_lint_rule *psopack_lint_rule_at(size_t index);

/* The lint object --------------------------------------------------------------------------- */

typedef struct psopack_lint psopack_lint;

/* The numbers are those of D3D_FEATURE_LEVEL. */
typedef enum psopack_feature_level {
    PSOPACK_FEATURE_LEVEL_UNSET = 0, /* counts as 11.1, and PSOs that 11.0 would refuse are noted */
    PSOPACK_FEATURE_LEVEL_11_0 = 0xb000,
    PSOPACK_FEATURE_LEVEL_11_1 = 0xb100,
    PSOPACK_FEATURE_LEVEL_12_0 = 0xc000,
    PSOPACK_FEATURE_LEVEL_12_1 = 0xc100,
    PSOPACK_FEATURE_LEVEL_12_2 = 0xc200
} psopack_feature_level;

/*
 * Fills `ret_bytes` with the `size` bytes of a component. Called during psopack_lint_finish only,
 * at most once per component, in ascending order of component. A failure ends psopack_lint_finish
 * with the status returned.
 */
typedef psopack_status (*psopack_lint_fetch)(void *context, uint64_t component, void *ret_bytes,
                                             size_t size, psopack_diag *diag);

/* Strings must outlive the lint object. Slot names that no PSO uses are harmless. */
typedef struct psopack_lint_options {
    size_t struct_size;
    psopack_lint_fetch fetch; /* required */
    void *fetch_context;
    const char *limits_slot;    /* slot of 60-byte limits blobs; NULL for none */
    const char *limits_at_slot; /* slot whose components hold limits at limits_at_offset, or NULL */
    uint64_t limits_at_offset;  /* bytes */
    const char *rootsig_slot;   /* NULL for none */
    const char *state_slot;     /* searched for near-duplicates; NULL for none */
    uint32_t units;             /* bit mask of the shader units that exist; 0 when unknown */
    int tier;                   /* target resource binding tier 1 to 3; 0 for none */
    psopack_feature_level feature_level;
} psopack_lint_options;

/* The default slots "limits", "rootsig" and "state", no target. */
#define PSOPACK_LINT_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(psopack_lint_options), NULL, NULL, "limits", NULL, 0, "rootsig", "state", 0, 0,     \
            PSOPACK_FEATURE_LEVEL_UNSET                                                            \
    }

/* ARGUMENT for values outside the documented ones, and for tier 3 at feature level 11.0. */
PSOPACK_API psopack_status psopack_lint_create(psopack_lint **ret_lint,
                                               const psopack_lint_options *options,
                                               psopack_diag *diag);

/* Frees everything and sets *lint to NULL. NULL and pointers to NULL are fine. */
PSOPACK_API void psopack_lint_destroy(psopack_lint **lint);

/*
 * Adds a suppression file: lines of `rule-id PSO-glob reason`, separated by blanks; the reason is
 * the rest of the line and must not be empty; `#` in the first column starts a comment. `*` in a
 * glob stands for any bytes, slashes too, `?` for one, `[a-z]` for a set; a glob holds no blanks,
 * `?` stands for them. Findings about the archive as a whole are suppressed by the glob `*`. A line
 * that suppresses nothing is noted. SYNTAX names the line. The text is copied.
 */
PSOPACK_API psopack_status psopack_lint_add_suppressions(psopack_lint *lint, const char *text,
                                                         size_t size, psopack_diag *diag);

/*
 * Adds a live set: one PSO glob a line, `#` in the first column starts a comment. With any live set
 * the unique static samplers are counted over its PSOs only. A glob that matches no PSO makes
 * psopack_lint_finish answer NOT_FOUND: a typing error would hide the count. The text is copied.
 */
PSOPACK_API psopack_status psopack_lint_add_live_set(psopack_lint *lint, const char *text,
                                                     size_t size, psopack_diag *diag);

/* One present slot of a PSO. */
typedef struct psopack_lint_part {
    const char *slot;
    uint64_t component; /* any number that is the same for equal bytes only */
    uint64_t size;      /* bytes */
} psopack_lint_part;

/*
 * Adds one PSO with its present slots, in any order; everything is copied. DUPLICATE when the name
 * was added before or a slot comes twice, ARGUMENT when a component changes its size or the object
 * is finished; after a failure only psopack_lint_destroy is of use. No component is read yet.
 */
PSOPACK_API psopack_status psopack_lint_add_pso(psopack_lint *lint, const char *name,
                                                const psopack_lint_part *parts, size_t part_count,
                                                psopack_diag *diag);

/*
 * Fetches what the rules need, checks, applies suppressions, sorts. Findings are no failure: the
 * status is about memory, the fetch callback and the live set. Call it once; after a failure only
 * psopack_lint_destroy is of use.
 */
PSOPACK_API psopack_status psopack_lint_finish(psopack_lint *lint, psopack_diag *diag);

/* Results, valid after psopack_lint_finish until destroy ------------------------------------ */

typedef struct psopack_lint_finding {
    const psopack_lint_rule *rule;
    psopack_lint_severity severity;
    const char *message; /* one line, without PSO names */
    const char *subject; /* what it is about, the same from build to build */
    const char *slot;    /* NULL when it is not about one slot */
    bool has_limit;      /* measured and limit are meaningful */
    uint64_t measured;
    uint64_t limit;         /* the most that is allowed */
    const uint32_t *psos;   /* indexes in the order of psopack_lint_add_pso, ascending */
    size_t pso_count;       /* 0: about the archive as a whole */
    const char *suppressed; /* the reason given, or NULL */
} psopack_lint_finding;

/* Errors first, then by rule, then by number of PSOs, suppressed ones last. */
PSOPACK_API size_t psopack_lint_finding_count(const psopack_lint *lint);
/* NULL past the last. */
PSOPACK_API const psopack_lint_finding *psopack_lint_finding_at(const psopack_lint *lint,
                                                                size_t index);

/* Tiers as indexes of psopack_lint_summary.psos_by_tier. */
enum {
    PSOPACK_TIER_UNKNOWN = 0, /* no root signature, or one that psopack cannot read */
    PSOPACK_TIER_NONE = 4,    /* fits no tier at the feature level */
    PSOPACK_TIER_COUNT = 5
};

/* The lowest tier that a PSO runs on, and the first limit that keeps it from the one below. */
typedef struct psopack_lint_pso_tier {
    int tier;                      /* PSOPACK_TIER_UNKNOWN, 1, 2, 3 or PSOPACK_TIER_NONE */
    const psopack_lint_rule *rule; /* NULL for tier 1 and unknown */
    const char *stage;             /* "ps"; "all" across stages; "" when it is not about stages */
    bool has_limit;                /* false: the tier below lacks a thing, whatever its count */
    uint64_t measured;
    uint64_t limit; /* of the tier below */
} psopack_lint_pso_tier;

PSOPACK_API size_t psopack_lint_pso_count(const psopack_lint *lint);
/* NULL past the last. */
PSOPACK_API const char *psopack_lint_pso_name(const psopack_lint *lint, size_t index);
/* NOT_FOUND past the last. */
PSOPACK_API psopack_status psopack_lint_pso_tier_at(const psopack_lint *lint, size_t index,
                                                    psopack_lint_pso_tier *ret_tier);

typedef struct psopack_lint_summary {
    uint64_t psos;
    uint64_t references; /* present slots over all PSOs */
    uint64_t components; /* distinct */
    uint64_t fetched;    /* components whose bytes were read */
    uint64_t psos_by_tier[PSOPACK_TIER_COUNT];
    uint64_t root_signatures;      /* distinct, readable */
    uint64_t live_root_signatures; /* of the live set, or of all PSOs */
    uint64_t static_samplers;      /* unique by state over the live root signatures */
    uint64_t limits_values;        /* distinct shader limits */
    uint64_t errors;               /* findings that are not suppressed, by severity */
    uint64_t warnings;
    uint64_t notes;
    uint64_t suppressed;
} psopack_lint_summary;

PSOPACK_API void psopack_lint_get_summary(const psopack_lint *lint,
                                          psopack_lint_summary *ret_summary);

/* Reports ----------------------------------------------------------------------------------- */

/* Takes the next `size` bytes of a report, without a terminator. A failure ends the report. */
typedef psopack_status (*psopack_lint_write)(void *context, const char *bytes, size_t size);

typedef struct psopack_lint_report_options {
    size_t struct_size;
    const char *artifact;     /* path of the archive as messages show it; NULL when there is none */
    const char *version;      /* of the program, for SARIF; NULL to leave it out */
    size_t names_max;         /* PSO names listed per finding and tier; 0 for all */
    bool all_tiers;           /* text: list the tier of every PSO, not only those above tier 1 */
    psopack_lint_write write; /* required */
    void *write_context;
} psopack_lint_report_options;

#define PSOPACK_LINT_REPORT_OPTIONS_INIT                                                           \
    {                                                                                              \
        sizeof(psopack_lint_report_options), NULL, NULL, 10, false, NULL, NULL                     \
    }

/*
 * Every report answers NOMEM, or the status of the write callback. Names that are no UTF-8 show
 * their other bytes as \xHH in JSON and SARIF; text shows control characters so.
 */

/* For people. */
PSOPACK_API psopack_status psopack_lint_report_text(const psopack_lint *lint,
                                                    const psopack_lint_report_options *options);

/* One JSON object, "schema": "psopack.lint/1"; has the tier of every PSO. */
PSOPACK_API psopack_status psopack_lint_report_json(const psopack_lint *lint,
                                                    const psopack_lint_report_options *options);

/* SARIF 2.1.0, one run. PSOs are logical locations in the artifact. */
PSOPACK_API psopack_status psopack_lint_report_sarif(const psopack_lint *lint,
                                                     const psopack_lint_report_options *options);

#ifdef __cplusplus
}
#endif

#endif
