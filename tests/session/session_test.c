/* SPDX-License-Identifier: MIT */
/* See session_test.h. */
#include "session_test.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void place_make(test_place *place)
{
    const char *temp = getenv("TMPDIR");
    snprintf(place->root, sizeof place->root, "%s/psopack-session-XXXXXX", temp ? temp : "/tmp");
    assert_non_null(mkdtemp(place->root));
    snprintf(place->directory, sizeof place->directory, "%s/disk", place->root);
    snprintf(place->working, sizeof place->working, "%s/working", place->root);
    assert_int_equal(mkdir(place->directory, 0777), 0);
    assert_int_equal(mkdir(place->working, 0777), 0);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
    (void)stat;
    (void)type;
    (void)ftw;
    return remove(path);
}

void place_remove(test_place *place)
{
    assert_int_equal(nftw(place->root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static bool find_ending(const char *folder, const char *ending, char ret_path[600])
{
    char path[300];
    snprintf(path, sizeof path, "%s/psopack-sessions", folder);
    DIR *directory = opendir(path);
    bool found = false;
    struct dirent *entry;
    while (directory && !found && (entry = readdir(directory)) != NULL) {
        size_t size = strlen(entry->d_name);
        size_t tail = strlen(ending);
        found = size > tail && strcmp(entry->d_name + size - tail, ending) == 0;
        if (found)
            snprintf(ret_path, 600, "%s/%s", path, entry->d_name);
    }
    if (directory)
        closedir(directory);
    return found;
}

void place_find(const char *folder, const char *ending, char ret_path[600])
{
    assert_true(find_ending(folder, ending, ret_path));
}

bool place_has(const char *folder, const char *ending)
{
    char path[600];
    return find_ending(folder, ending, path);
}

psopack_session_host *host_on(const test_place *place)
{
    psopack_session_host_options options = PSOPACK_SESSION_HOST_OPTIONS_INIT;
    options.directory = place->directory;
    options.working_directory = place->working;
    psopack_session_host *host = NULL;
    psopack_diag diag;
    if (psopack_session_host_create(&options, &host, &diag) != PSOPACK_OK)
        fail_msg("%s", diag.text);
    return host;
}

psopack_session_desc disk_desc(uint8_t id)
{
    psopack_session_desc desc = {.mode = PSOPACK_SESSION_DISK,
                                 .maximum_memory_bytes = 1 << 20,
                                 .maximum_memory_entries = 4096,
                                 .version = 1};
    memset(desc.identifier, id, sizeof desc.identifier);
    return desc;
}

psopack_session_desc memory_desc(uint8_t id)
{
    psopack_session_desc desc = disk_desc(id);
    desc.mode = PSOPACK_SESSION_MEMORY;
    return desc;
}

psopack_session *open_session(psopack_session_host *host, const psopack_session_desc *desc)
{
    psopack_session *session = NULL;
    psopack_diag diag;
    psopack_status status = psopack_session_open(host, desc, &session, &diag);
    if (status != PSOPACK_OK)
        fail_msg("%s: %s", psopack_status_name(status), diag.text);
    return session;
}

psopack_session_state state_of(psopack_session *session)
{
    psopack_session_state state = {.struct_size = sizeof state};
    psopack_session_get_state(session, &state);
    return state;
}

size_t number_key(uint32_t number, char ret_key[32])
{
    return (size_t)snprintf(ret_key, 32, "key-%u", (unsigned)number);
}

void number_value(uint32_t number, uint8_t *ret_value, size_t size)
{
    uint32_t state = number * 2654435761u + 12345u;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        ret_value[i] = (uint8_t)(state >> 24);
    }
}

psopack_status store_number(psopack_session *session, uint32_t number, size_t size)
{
    char key[32];
    size_t key_size = number_key(number, key);
    uint8_t *value = malloc(size + 1);
    assert_non_null(value);
    number_value(number, value, size);
    psopack_status status = psopack_session_store(session, key, key_size, value, size);
    free(value);
    return status;
}

psopack_status find_number(psopack_session *session, uint32_t number, size_t size)
{
    char key[32];
    size_t key_size = number_key(number, key);
    size_t found = 0;
    psopack_status status = psopack_session_find(session, key, key_size, NULL, &found);
    if (status != PSOPACK_OK)
        return status;
    assert_int_equal(found, size);
    uint8_t *value = malloc(size + 1);
    uint8_t *wanted = malloc(size + 1);
    assert_true(value && wanted);
    status = psopack_session_find(session, key, key_size, value, &found);
    number_value(number, wanted, size);
    if (status == PSOPACK_OK) {
        assert_int_equal(found, size);
        assert_memory_equal(value, wanted, size);
    }
    free(wanted);
    free(value);
    return status;
}

uint8_t *read_whole(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *ret_size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*ret_size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *ret_size, file), *ret_size);
    fclose(file);
    return bytes;
}

void write_whole(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

int run_child(bool (*run)(void *argument), void *argument)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run(argument) ? 0 : 1);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
