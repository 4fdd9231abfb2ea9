/* SPDX-License-Identifier: MIT */
/*
 * The damage matrix: every part of small archives under every kind of damage. Nothing may go
 * unnoticed, no PSO may come back wrong, and what is lost must be named by verify.
 *
 *     test_damage [--update] doc/damage.md
 *
 * Compares the table with the page, between its two marks, or rewrites it there.
 */
#define _GNU_SOURCE 1
#include "damage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 80u

typedef struct row {
    char name[64];
    unsigned cases[DAMAGE_PART_KINDS]; /* one number for each kind; whole files use the first */
    unsigned missed;                   /* neither open nor verify noticed */
    unsigned harmless;                 /* of these: all PSOs were read, and right */
    unsigned wrong;                    /* a PSO came back with other bytes */
    unsigned unnamed;                  /* a PSO was lost and verify did not say which */
    bool at_open, at_verify;
    bool lost_none, lost_some, lost_all;
    bool exits[8];
} row;

typedef struct matrix {
    row rows[ROWS_MAX];
    size_t count, sealed_from;
} matrix;

static row *find_row(matrix *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->rows[i].name, name) == 0)
            return &all->rows[i];
    }
    assert_true(all->count < ROWS_MAX);
    snprintf(all->rows[all->count].name, sizeof all->rows[0].name, "%s", name);
    return &all->rows[all->count++];
}

static void count_case(row *into, unsigned kind, const fixture *made, const uint8_t *bytes,
                       size_t size)
{
    if (size == made->size && memcmp(bytes, made->bytes, size) == 0)
        return; /* it changed nothing */
    damage_outcome outcome = damage_judge(made, bytes, size);
    psopack_status status = outcome.opened != PSOPACK_OK ? outcome.opened : outcome.verified;
    into->cases[kind]++;
    into->missed += status == PSOPACK_OK;
    into->harmless += status == PSOPACK_OK && outcome.lost + outcome.wrong == 0;
    into->wrong += outcome.wrong != 0;
    if (outcome.opened == PSOPACK_OK)
        into->unnamed += outcome.unnamed != 0;
    into->at_open |= outcome.opened != PSOPACK_OK;
    into->at_verify |= outcome.opened == PSOPACK_OK && status != PSOPACK_OK;
    into->lost_none |= outcome.lost == 0;
    into->lost_all |= outcome.lost == made->psos;
    into->lost_some |= outcome.lost != 0 && outcome.lost != made->psos;
    into->exits[psopack_status_exit_code(status)] = true;
}

/* ---- running -------------------------------------------------------------------------------- */

static void damage_parts(matrix *all, const fixture *made)
{
    static damage_part parts[DAMAGE_PARTS_MAX];
    size_t count = damage_find_parts(made->bytes, made->size, parts);
    bool seen[DAMAGE_FOOTER + 1] = {false};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        /* One of each class stands for all: blocks differ in nothing that matters here. */
        if (parts[i].class != DAMAGE_SECTION && seen[parts[i].class])
            continue;
        seen[parts[i].class] = true;
        damage_part_name(&parts[i], name);
        row *into = find_row(all, name);
        for (unsigned kind = 0; kind < DAMAGE_PART_KINDS; kind++) {
            for (unsigned n = 0;; n++) {
                uint8_t *bytes = fixture_copy(made->bytes, made->size);
                bool more = damage_part_kinds[kind].apply(bytes, &parts[i], n);
                if (more)
                    count_case(into, kind, made, bytes, made->size);
                free(bytes);
                if (!more)
                    break;
            }
        }
    }
}

static void damage_files(matrix *all, const damage_file_kind *kinds, size_t count,
                         const fixture *made, const fixture *other)
{
    for (size_t i = 0; i < count; i++) {
        row *into = find_row(all, kinds[i].name);
        for (unsigned n = 0;; n++) {
            size_t size;
            uint8_t *bytes = kinds[i].apply(made, other, n, &size);
            if (!bytes)
                break;
            count_case(into, 0, made, bytes, size);
            free(bytes);
        }
    }
}

typedef struct pair {
    fixture made, other;
} pair;

/* Between them: bases, pieces, stored bytes, hashes, short keys, keys in full. */
static pair pairs[] = {
    {{.profile = PSOPACK_PROFILE_BALANCED, .psos = 30, .code_size = 1500}, {0}},
    {{.profile = PSOPACK_PROFILE_SMALL, .psos = 30, .code_size = 1500}, {0}},
    {{.profile = PSOPACK_PROFILE_STORED, .psos = 30, .code_size = 300, .hashes = true}, {0}},
    {{.profile = PSOPACK_PROFILE_DIRECTSTORAGE, .psos = 10, .code_size = 700, .large_size = 600000},
     {0}},
};
#define PAIRS (sizeof pairs / sizeof pairs[0])

static void run_all(matrix *all)
{
    for (size_t i = 0; i < PAIRS; i++) {
        pairs[i].other = pairs[i].made;
        pairs[i].other.code_size += 4;
        fixture_make(&pairs[i].made);
        fixture_make(&pairs[i].other);
        damage_outcome sound =
            damage_judge(&pairs[i].made, pairs[i].made.bytes, pairs[i].made.size);
        assert_true(sound.opened == PSOPACK_OK && sound.verified == PSOPACK_OK);
        assert_int_equal(sound.lost + sound.wrong, 0);
        damage_parts(all, &pairs[i].made);
    }
    for (size_t i = 0; i < PAIRS; i++)
        damage_files(all, damage_file_kinds, damage_file_kind_count, &pairs[i].made,
                     &pairs[i].other);
    all->sealed_from = all->count;
    for (size_t i = 0; i < PAIRS; i++)
        damage_files(all, damage_sealed_kinds, damage_sealed_kind_count, &pairs[i].made,
                     &pairs[i].other);
    for (size_t i = 0; i < PAIRS; i++) {
        fixture_free(&pairs[i].made);
        fixture_free(&pairs[i].other);
    }
}

/* ---- the page ------------------------------------------------------------------------------- */

static const char *found_at(const row *of)
{
    return of->at_open && of->at_verify ? "open or verify" : of->at_open ? "open" : "verify";
}

static const char *lost(const row *of)
{
    if (of->lost_all && !of->lost_some && !of->lost_none)
        return "all";
    if (of->lost_none && !of->lost_some && !of->lost_all)
        return "none";
    return of->lost_all ? "up to all" : "some";
}

static void print_exits(FILE *page, const row *of)
{
    const char *before = "";
    for (int code = 0; code < 8; code++) {
        if (of->exits[code]) {
            fprintf(page, "%s%d", before, code);
            before = ", ";
        }
    }
}

static unsigned sum_cases(const row *of)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < DAMAGE_PART_KINDS; i++)
        sum += of->cases[i];
    return sum;
}

typedef enum table_kind { TABLE_PARTS, TABLE_FILES, TABLE_SEALED } table_kind;

static void print_row(FILE *page, const row *of, table_kind kind)
{
    fprintf(page, "| %s |", of->name);
    for (unsigned i = 0; i < (kind == TABLE_PARTS ? DAMAGE_PART_KINDS : 1); i++)
        fprintf(page, " %u |", of->cases[i]);
    fprintf(page, " %u | %s | %s | ", sum_cases(of) - of->missed, found_at(of), lost(of));
    if (kind == TABLE_SEALED)
        fprintf(page, "%u | %u | ", of->wrong, of->harmless);
    print_exits(page, of);
    fputs(" |\n", page);
}

static void print_table(FILE *page, const matrix *all, size_t from, size_t to, table_kind kind)
{
    fputs(kind == TABLE_PARTS ? "| part |" : "| damage | cases |", page);
    for (unsigned i = 0; kind == TABLE_PARTS && i < DAMAGE_PART_KINDS; i++)
        fprintf(page, " %s |", damage_part_kinds[i].name);
    fprintf(page, " found | by | PSOs lost |%s exit |\n|---|",
            kind == TABLE_SEALED ? " read as others | harmless |" : "");
    for (unsigned i = 0; i < (kind == TABLE_PARTS ? DAMAGE_PART_KINDS : 1) + 1; i++)
        fputs("---:|", page);
    fputs(kind == TABLE_SEALED ? "---|---|---:|---:|---|\n" : "---|---|---|\n", page);
    for (size_t i = from; i < to; i++)
        print_row(page, &all->rows[i], kind);
}

static char *print_page(const matrix *all)
{
    char *text;
    size_t size, files = all->sealed_from - damage_file_kind_count;
    FILE *page = open_memstream(&text, &size);
    print_table(page, all, 0, files, TABLE_PARTS);
    fputs("\nOf whole files:\n\n", page);
    print_table(page, all, files, all->sealed_from, TABLE_FILES);
    fputs("\nWith every check over the manifest made right again:\n\n", page);
    print_table(page, all, all->sealed_from, all->count, TABLE_SEALED);
    fclose(page);
    return text;
}

#define MARK_BEGIN "<!-- damage: begin -->\n"
#define MARK_END "<!-- damage: end -->\n"

static char *load_page(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static int compare_page(const char *path, const char *table, bool update)
{
    char *page = load_page(path);
    char *begin = strstr(page, MARK_BEGIN), *end = strstr(page, MARK_END);
    assert_true(begin && end);
    begin += strlen(MARK_BEGIN);
    bool same = (size_t)(end - begin) == strlen(table) && memcmp(begin, table, strlen(table)) == 0;
    if (!same && update) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%.*s%s%s", (int)(begin - page), page, table, end);
        fclose(file);
    } else if (!same) {
        printf("%s\n%s is not current: test_damage --update %s\n", table, path, path);
    }
    free(page);
    return same || update ? 0 : 1;
}

/*
 * The promises; the page is only how they look. Where checks were made right again, verify must
 * still notice what could harm; reads alone cannot in profile `small`, whose tuple CRCs follow the
 * row.
 */
static unsigned count_broken(const matrix *all)
{
    unsigned broken = 0;
    for (size_t i = 0; i < all->count; i++) {
        const row *of = &all->rows[i];
        unsigned bad =
            i < all->sealed_from ? of->missed + of->wrong + of->unnamed : of->missed - of->harmless;
        if (bad != 0 || sum_cases(of) == 0)
            printf("%s: %u missed, %u wrong, %u not named, of %u\n", of->name, of->missed,
                   of->wrong, of->unnamed, sum_cases(of));
        broken += bad + (sum_cases(of) == 0);
    }
    return broken;
}

int main(int argc, char **argv)
{
    static matrix all;
    bool update = argc == 3 && strcmp(argv[1], "--update") == 0;
    if (argc != 2 && !update)
        return 2;
    run_all(&all);
    char *table = print_page(&all);
    unsigned cases = 0, broken = count_broken(&all);
    for (size_t i = 0; i < all.count; i++)
        cases += sum_cases(&all.rows[i]);
    int differs = compare_page(argv[argc - 1], table, update);
    printf("damage: %u cases, %u not as promised\n", cases, broken);
    free(table);
    return broken != 0 || differs ? 1 : 0;
}
