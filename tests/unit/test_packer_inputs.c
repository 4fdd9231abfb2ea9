/* SPDX-License-Identifier: MIT */
/*
 * The same content gives the same bytes: however it comes in (folder, flat, lists, memory,
 * virtual), in whatever order, on however many threads, from whatever directory, locale and time
 * zone, and with no memory to keep components in.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "packer/build.h"
#include "test_format_random.h"

#define PSOS 60u

typedef struct stage {
    char *folder;    /* all is in here */
    char *tree;      /* the set as files */
    char *reference; /* the archive that all others must equal */
    set all;
} stage;

static char *part_path(const stage *on, const part *p)
{
    char *path;
    assert_true(asprintf(&path, "%s/%s/%s", on->tree, p->pso, p->slot) > 0);
    return path;
}

static int make_stage(void **state)
{
    static stage on;
    on.folder = test_folder_make();
    on.tree = test_path(on.folder, "tree");
    on.reference = test_path(on.folder, "reference.psopack");
    on.all = set_like_a_game(PSOS);
    for (size_t i = 0; i < on.all.count; i++) {
        char *path = part_path(&on, &on.all.parts[i]);
        test_write_file(path, on.all.parts[i].bytes, on.all.parts[i].size);
        free(path);
    }
    psopack_build_options options = test_options(NULL);
    psopack_build *build = test_build(&options);
    test_add_memory(build, &on.all);
    test_finish(build, on.reference);
    test_holds(on.reference, &on.all);
    *state = &on;
    return 0;
}

static int free_stage(void **state)
{
    stage *on = *state;
    set_free(&on->all);
    free(on->tree);
    free(on->reference);
    test_folder_remove(on->folder);
    return 0;
}

static void finish_equal(const stage *on, psopack_build *build)
{
    char *path = test_path(on->folder, "other.psopack");
    test_finish(build, path);
    assert_true(test_same_files(path, on->reference));
    unlink(path);
    free(path);
}

/* ---- ways in ----------------------------------------------------------------------------------
 */

static void test_tree(void **state)
{
    const stage *on = *state;
    psopack_build *build = test_build(NULL);
    assert_int_equal(psopack_build_add_tree(build, on->tree, NULL), PSOPACK_OK);
    finish_equal(on, build);
}

static size_t *shuffled(size_t count, uint64_t seed)
{
    size_t *order = malloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t other = test_random(&seed) % i, kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    return order;
}

typedef enum list_form { LIST_TSV, LIST_TSV_NUL, LIST_JSON } list_form;

static char *write_list(const stage *on, const size_t *order, list_form form, size_t *ret_size)
{
    char *text;
    FILE *out = open_memstream(&text, ret_size);
    for (size_t i = 0; i < on->all.count; i++) {
        const part *p = &on->all.parts[order[i]];
        char *path = part_path(on, p);
        if (form == LIST_JSON)
            fprintf(out, "{\"pso\": \"%s\", \"path\": \"%s\", \"slot\": \"%s\"}\n", p->pso, path,
                    p->slot);
        else
            fprintf(out, "%s\t%s\t%s%c", p->pso, p->slot, path, form == LIST_TSV ? '\n' : '\0');
        free(path);
    }
    fclose(out);
    return text;
}

static void test_lists(void **state)
{
    const stage *on = *state;
    for (list_form form = LIST_TSV; form <= LIST_JSON; form++) {
        size_t size, *order = shuffled(on->all.count, 51 + form);
        char *text = write_list(on, order, form, &size);
        psopack_build *build = test_build(NULL);
        assert_int_equal(
            psopack_build_add_list(build, "list", text, size, form == LIST_TSV_NUL, NULL),
            PSOPACK_OK);
        free(text); /* nothing of it may be kept */
        finish_equal(on, build);
        free(order);
    }
}

static psopack_status read_part_of(void *user, uint64_t id, void *buffer, size_t size)
{
    const set *all = user;
    assert_int_equal(size, all->parts[id].size);
    if (size != 0)
        memcpy(buffer, all->parts[id].bytes, size);
    return PSOPACK_OK;
}

static psopack_build *build_virtual(stage *on, const psopack_build_options *options, uint64_t seed)
{
    size_t *order = shuffled(on->all.count, seed);
    psopack_build *build = test_build(options);
    for (size_t i = 0; i < on->all.count; i++) {
        const part *p = &on->all.parts[order[i]];
        psopack_virtual_file file = {read_part_of, &on->all, order[i], p->size};
        assert_int_equal(
            psopack_build_add_virtual(build, p->pso, strlen(p->pso), p->slot, &file, NULL),
            PSOPACK_OK);
    }
    free(order);
    return build;
}

static void test_virtual(void **state)
{
    finish_equal(*state, build_virtual(*state, NULL, 61));
}

/* One slot per PSO: a folder of loose files equals the same from memory. */
static void test_flat(void **state)
{
    const stage *on = *state;
    char *loose = test_path(on->folder, "loose"), *a = test_path(on->folder, "a.psopack"),
         *b = test_path(on->folder, "b.psopack");
    set all = {0};
    for (size_t i = 0; i < on->all.count; i += 3) {
        const part *p = &on->all.parts[i];
        char name[64], *path;
        snprintf(name, sizeof name, "%s%zu.bin", i % 2 ? "deep/er/" : "", i);
        path = test_path(loose, name);
        test_write_file(path, p->bytes, p->size);
        set_add(&all, name, "code", p->bytes, p->size);
        free(path);
    }
    psopack_build *build = test_build(NULL);
    assert_int_equal(psopack_build_add_flat(build, "code", loose, NULL), PSOPACK_OK);
    test_finish(build, a);
    build = test_build(NULL);
    test_add_memory(build, &all);
    test_finish(build, b);
    assert_true(test_same_files(a, b));
    test_holds(a, &all);
    set_free(&all);
    free(loose);
    free(a);
    free(b);
}

/* Half from the folder, half from memory, and one half twice: equal content is merged. */
static void test_mixed(void **state)
{
    const stage *on = *state;
    heard messages = {0};
    psopack_build_options options = test_options(&messages);
    psopack_build *build = test_build(&options);
    set half = on->all;
    half.count /= 2;
    while (strcmp(half.parts[half.count].pso, half.parts[half.count - 1].pso) == 0)
        half.count++; /* whole PSOs only */
    test_add_memory(build, &half);
    assert_int_equal(psopack_build_add_tree(build, on->tree, NULL), PSOPACK_OK);
    finish_equal(on, build);
    assert_true(messages.notes > 20);
    assert_non_null(strstr(messages.text, "with the same content"));
    assert_int_equal(messages.warnings, 0);
}

/* ---- what must not matter ---------------------------------------------------------------------
 */

static void test_threads(void **state)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    for (size_t i = 0; i < 4; i++) {
        psopack_build_options options = test_options(NULL);
        options.threads = threads[i];
        finish_equal(*state, build_virtual(*state, &options, 71 + i));
    }
}

/* Nothing is kept in memory: each component is read again whenever it is needed. */
static void test_no_budget(void **state)
{
    const stage *on = *state;
    static const uint64_t budgets[] = {0, 1000, 20000};
    for (size_t i = 0; i < 3; i++) {
        psopack_build_options options = test_options(NULL);
        options.threads = 2;
        psopack_build *build = test_build(&options);
        psopack_build_set_store_budget(build, budgets[i]);
        assert_int_equal(psopack_build_add_tree(build, on->tree, NULL), PSOPACK_OK);
        finish_equal(on, build);
    }
}

static void test_other_directory(void **state)
{
    const stage *on = *state;
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(on->folder), 0);
    psopack_build *build = test_build(NULL);
    assert_int_equal(psopack_build_add_tree(build, "tree", NULL), PSOPACK_OK);
    test_finish(build, "here.psopack");
    assert_true(test_same_files("here.psopack", on->reference));
    unlink("here.psopack");
    assert_int_equal(chdir(before), 0);
    free(before);
}

static void test_locale_and_zone(void **state)
{
    const stage *on = *state;
    setenv("TZ", "Asia/Kathmandu", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    tzset();
    setlocale(LC_ALL, "");
    psopack_build *build = test_build(NULL);
    assert_int_equal(psopack_build_add_tree(build, on->tree, NULL), PSOPACK_OK);
    finish_equal(on, build);
    setlocale(LC_ALL, "C");
    unsetenv("TZ");
}

/* The ids: content id tells content, archive id tells archives. */
static void test_ids(void **state)
{
    stage *on = *state;
    psopack_build_result results[6];
    char *path = test_path(on->folder, "ids.psopack");
    for (size_t i = 0; i < 6; i++) {
        psopack_build_options options = test_options(NULL);
        options.profile = i == 1 ? PSOPACK_PROFILE_FAST : PSOPACK_PROFILE_BALANCED;
        options.hashes = i == 2;
        options.target = i == 3 ? "other" : NULL;
        options.content_version = i == 4;
        psopack_build *build = build_virtual(on, &options, 81 + i);
        if (i == 5)
            psopack_build_add_pso(build, "zzz", 3, NULL); /* a PSO without slots counts */
        results[i] = test_finish(build, path);
        for (size_t before = 0; before < i; before++) {
            bool same = memcmp(results[i].content_id, results[before].content_id, 16) == 0;
            assert_int_equal(same, i <= 2 && before <= 2);
            assert_memory_not_equal(results[i].archive_id, results[before].archive_id, 16);
        }
    }
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_virtual),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_no_budget),
        cmocka_unit_test(test_other_directory),
        cmocka_unit_test(test_locale_and_zone),
        cmocka_unit_test(test_ids),
    };
    return cmocka_run_group_tests(tests, make_stage, free_stage);
}
