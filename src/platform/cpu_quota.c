/* SPDX-License-Identifier: MIT */
/*
 * The processor quota of Linux control groups, from their text files; plain stdio, so that on other
 * systems the files are just not there.
 *
 * A group is bound by its ancestors too, so the smallest quota on the way up counts. In a container
 * the path of /proc/self/cgroup may not exist below the mount; the ancestors still do.
 */
#include "platform/cpu.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_SIZE 4096

static bool read_line(const char *directory, const char *name, char *line, int size)
{
    char path[2 * LINE_MAX_SIZE];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool got = fgets(line, size, file) != NULL;
    (void)fclose(file);
    return got;
}

/* "max" and -1 say "no quota"; they do not scan as positive numbers. */
static unsigned group_quota(const char *directory)
{
    char line[LINE_MAX_SIZE];
    long long quota = 0, period = 0;
    if (read_line(directory, "cpu.max", line, sizeof line)) {
        if (sscanf(line, "%lld %lld", &quota, &period) != 2)
            return 0;
    } else {
        if (!read_line(directory, "cpu.cfs_quota_us", line, sizeof line) ||
            sscanf(line, "%lld", &quota) != 1 ||
            !read_line(directory, "cpu.cfs_period_us", line, sizeof line) ||
            sscanf(line, "%lld", &period) != 1)
            return 0;
    }
    if (quota <= 0 || period <= 0)
        return 0;
    long long whole = quota / period + (quota % period != 0);
    return whole < UINT_MAX ? (unsigned)whole : UINT_MAX;
}

static unsigned smaller_quota(unsigned a, unsigned b)
{
    if (a == 0 || b == 0)
        return a + b;
    return a < b ? a : b;
}

/* The smallest quota of `directory` and of what lies between it and its first `mount_size` bytes.
 */
static unsigned quota_upwards(char *directory, size_t mount_size)
{
    unsigned quota = group_quota(directory);
    for (char *slash; (slash = strrchr(directory, '/')) != NULL;) {
        if ((size_t)(slash - directory) < mount_size)
            break;
        *slash = '\0';
        quota = smaller_quota(quota, group_quota(directory));
    }
    return quota;
}

static bool lists_cpu(const char *controllers)
{
    size_t size = 0;
    for (; *controllers; controllers += size + (controllers[size] == ',')) {
        size = strcspn(controllers, ",");
        if (size == 3 && memcmp(controllers, "cpu", 3) == 0)
            return true;
    }
    return false;
}

/* One line "ID:CONTROLLERS:PATH": version 2 has no controllers, version 1 a mount for each set. */
static unsigned line_quota(char *line, const char *mount)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return 0;
    *path++ = '\0';
    controllers++;
    if (*controllers != '\0' && !lists_cpu(controllers))
        return 0;

    char directory[2 * LINE_MAX_SIZE];
    const char *between = *controllers ? "/" : "";
    int mount_size = snprintf(directory, sizeof directory, "%s%s%s", mount, between, controllers);
    if (mount_size < 0 || (size_t)mount_size + strlen(path) + 1 > sizeof directory)
        return 0;
    memcpy(directory + mount_size, path, strlen(path) + 1);
    return quota_upwards(directory, (size_t)mount_size);
}

unsigned psopack_cpu_quota(const char *membership, const char *mount)
{
    FILE *file = fopen(membership, "re");
    if (!file)
        return 0;
    unsigned quota = 0;
    char line[LINE_MAX_SIZE];
    while (fgets(line, sizeof line, file))
        quota = smaller_quota(quota, line_quota(line, mount));
    (void)fclose(file);
    return quota;
}
