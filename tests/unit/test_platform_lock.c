/* SPDX-License-Identifier: MIT */
/* Locks between two opens, between threads and between processes, and how they end. */
#define _GNU_SOURCE 1
#include "test_platform_scratch.h"

#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"

#include <signal.h>
#include <stdatomic.h>

static psopack_file open_lock_file(void)
{
    psopack_file file = PSOPACK_FILE_NONE;
    assert_int_equal(psopack_file_open_update("lock", &file, NULL), PSOPACK_OK);
    return file;
}

static void two_opens_exclude_each_other(void **state)
{
    (void)state;
    psopack_file a = open_lock_file(), b = open_lock_file();
    psopack_file copy = a;
    psopack_diag diag;
    assert_int_equal(psopack_lock_try(&a, PSOPACK_LOCK_EXCLUSIVE, NULL), PSOPACK_OK);
    assert_int_equal(psopack_lock_try(&b, PSOPACK_LOCK_EXCLUSIVE, &diag), PSOPACK_E_BUSY);
    assert_string_equal(diag.text, "lock: cannot lock: Resource temporarily unavailable");
    assert_int_equal(psopack_lock_try(&b, PSOPACK_LOCK_SHARED, NULL), PSOPACK_E_BUSY);
    assert_int_equal(psopack_lock_try(&copy, PSOPACK_LOCK_EXCLUSIVE, NULL), PSOPACK_OK);

    assert_int_equal(psopack_lock_try(&a, PSOPACK_LOCK_SHARED, NULL), PSOPACK_OK);
    assert_int_equal(psopack_lock_try(&b, PSOPACK_LOCK_SHARED, NULL), PSOPACK_OK);
    assert_int_equal(psopack_lock_try(&a, PSOPACK_LOCK_EXCLUSIVE, NULL), PSOPACK_E_BUSY);
    assert_int_equal(psopack_lock_release(&b, NULL), PSOPACK_OK);
    assert_int_equal(psopack_lock_release(&b, NULL), PSOPACK_OK);
    assert_int_equal(psopack_lock_try(&a, PSOPACK_LOCK_EXCLUSIVE, NULL), PSOPACK_OK);

    /* Opening and closing the same path elsewhere in the process loses no lock. */
    psopack_file c = open_lock_file();
    psopack_file_close(&c, NULL);
    assert_int_equal(psopack_lock_try(&b, PSOPACK_LOCK_SHARED, NULL), PSOPACK_E_BUSY);
    psopack_file_close(&a, NULL);
    assert_int_equal(psopack_lock_try(&b, PSOPACK_LOCK_EXCLUSIVE, NULL), PSOPACK_OK);
    psopack_file_close(&b, NULL);
}

typedef struct waiter {
    psopack_file file;
    atomic_bool got;
} waiter;

static void wait_for_lock(void *argument)
{
    waiter *self = argument;
    if (psopack_lock_wait(&self->file, PSOPACK_LOCK_EXCLUSIVE, NULL) == PSOPACK_OK)
        atomic_store(&self->got, true);
}

static void threads_wait_for_each_other(void **state)
{
    (void)state;
    psopack_file held = open_lock_file();
    waiter self = {.file = open_lock_file()};
    psopack_thread thread;
    assert_int_equal(psopack_lock_wait(&held, PSOPACK_LOCK_SHARED, NULL), PSOPACK_OK);
    assert_int_equal(psopack_thread_start(&thread, wait_for_lock, &self, NULL), PSOPACK_OK);
    usleep(20000);
    assert_false(atomic_load(&self.got));
    assert_int_equal(psopack_lock_release(&held, NULL), PSOPACK_OK);
    psopack_thread_join(&thread);
    assert_true(self.got);
    psopack_file_close(&self.file, NULL);
    psopack_file_close(&held, NULL);
}

static void a_killed_process_loses_its_lock(void **state)
{
    (void)state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        psopack_file file;
        if (psopack_file_open_update("lock", &file, NULL) != PSOPACK_OK ||
            psopack_lock_try(&file, PSOPACK_LOCK_EXCLUSIVE, NULL) != PSOPACK_OK)
            _exit(1);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(2);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    psopack_file file = open_lock_file();
    assert_int_equal(psopack_lock_try(&file, PSOPACK_LOCK_SHARED, NULL), PSOPACK_E_BUSY);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(psopack_lock_wait(&file, PSOPACK_LOCK_SHARED, NULL), PSOPACK_OK);
    assert_int_equal(waitpid(child, NULL, 0), child);
    psopack_file_close(&file, NULL);
    close(ready[0]);
    close(ready[1]);
}

static void reading_allows_the_shared_lock(void **state)
{
    (void)state;
    put_text("lock", "");
    psopack_file reader;
    assert_int_equal(psopack_file_open_read("lock", &reader, NULL, NULL), PSOPACK_OK);
    assert_int_equal(psopack_lock_try(&reader, PSOPACK_LOCK_SHARED, NULL), PSOPACK_OK);
    psopack_file writer = open_lock_file();
    assert_int_equal(psopack_lock_try(&writer, PSOPACK_LOCK_EXCLUSIVE, NULL), PSOPACK_E_BUSY);
    psopack_file_close(&reader, NULL);
    assert_int_equal(psopack_lock_try(&writer, PSOPACK_LOCK_EXCLUSIVE, NULL), PSOPACK_OK);
    psopack_file_close(&writer, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(two_opens_exclude_each_other),
        SCRATCH_TEST(threads_wait_for_each_other),
        SCRATCH_TEST(a_killed_process_loses_its_lock),
        SCRATCH_TEST(reading_allows_the_shared_lock),
    };
    return cmocka_run_group_tests_name("platform lock", tests, NULL, NULL);
}
