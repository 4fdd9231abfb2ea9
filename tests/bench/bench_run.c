/* SPDX-License-Identifier: MIT */
/*
 * Runs a command and writes what it cost: seconds by the wall and of the processor, peak memory.
 *
 *   bench_run RESULT COMMAND [ARGUMENT...]
 *
 * RESULT gets one JSON object. Processor time covers all processes the command waited for, peak
 * memory (resident, mapped files included) the largest of them. A process of its own for this,
 * because a child starts with its parent's peak and Python's is large. Exits as the command did.
 */
#define _DEFAULT_SOURCE
#include "bench_common.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_run RESULT COMMAND [ARGUMENT...]\n");
        return 2;
    }
    int state = 0;
    struct rusage usage;
    uint64_t begin = bench_now();
    pid_t child = fork();
    bench_require(child >= 0, "fork");
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    bench_require(wait4(child, &state, 0, &usage) == child, "wait4");
    uint64_t wall = bench_now() - begin;
    FILE *result = fopen(argv[1], "w");
    bench_require(result != NULL, argv[1]);
    fprintf(result, "{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"peak_memory\": %lld}\n",
            (double)wall / 1e9, seconds(usage.ru_utime) + seconds(usage.ru_stime),
            (long long)usage.ru_maxrss * 1024);
    bench_require(fclose(result) == 0, argv[1]);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}
