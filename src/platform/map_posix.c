/* SPDX-License-Identifier: MIT */
/* Mapping: page rounding stays in here. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/map.h"
#include "platform/os_error.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint8_t empty_view[1];

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static psopack_status map_pages(const psopack_file *file, uint64_t offset, uint64_t size,
                                psopack_map *ret_map, psopack_diag *diag)
{
    size_t lead = (size_t)(offset % page_size());
    if (size > SIZE_MAX / 2 - lead) {
        char shown[PSOPACK_SHOWN_PATH_SIZE];
        return psopack_fail(diag, PSOPACK_E_LIMIT,
                            "%s: %" PRIu64 " bytes do not fit into this process's memory: "
                            "read the file instead of mapping it",
                            psopack_show_path(shown, file->path), size);
    }
    size_t base_size = (size_t)size + lead;
    void *base =
        mmap(NULL, base_size, PROT_READ, MAP_SHARED, psopack_fd(file), (off_t)(offset - lead));
    if (base == MAP_FAILED)
        return psopack_fail_errno_at(diag, errno, offset, "map", file->path);
    *ret_map = (psopack_map){(const uint8_t *)base + lead, (size_t)size, base, base_size};
    return PSOPACK_OK;
}

psopack_status psopack_map_range(const psopack_file *file, uint64_t offset, uint64_t size,
                                 psopack_map *ret_map, psopack_diag *diag)
{
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_get_stat(file, &stat, diag));
    if (offset > stat.size || size > stat.size - offset) {
        char shown[PSOPACK_SHOWN_PATH_SIZE];
        return psopack_fail_at(diag, PSOPACK_E_TRUNCATED, PSOPACK_OBJECT_FILE, 0, stat.size,
                               "%s: the file ends at %" PRIu64 ", before %" PRIu64 "+%" PRIu64,
                               psopack_show_path(shown, file->path), stat.size, offset, size);
    }
    if (size == 0) { /* mmap refuses to map nothing */
        *ret_map = (psopack_map){empty_view, 0, NULL, 0};
        return PSOPACK_OK;
    }
    return map_pages(file, offset, size, ret_map, diag);
}

psopack_status psopack_map_file(const psopack_file *file, psopack_map *ret_map, psopack_diag *diag)
{
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_get_stat(file, &stat, diag));
    return psopack_map_range(file, 0, stat.size, ret_map, diag);
}

static int system_advice(psopack_map_advice advice)
{
    switch (advice) {
    case PSOPACK_MAP_RANDOM:
        return MADV_RANDOM;
    case PSOPACK_MAP_SEQUENTIAL:
        return MADV_SEQUENTIAL;
    case PSOPACK_MAP_WILL_NEED:
        return MADV_WILLNEED;
    case PSOPACK_MAP_POPULATE:
#ifdef MADV_POPULATE_READ
        return MADV_POPULATE_READ; /* Linux 5.14; older ones refuse it, and faults do the work */
#else
        return MADV_WILLNEED;
#endif
    case PSOPACK_MAP_DONT_NEED:
        return MADV_DONTNEED; /* glibc makes a no-op of posix_madvise's */
    case PSOPACK_MAP_NORMAL:
        break;
    }
    return MADV_NORMAL;
}

void psopack_map_advise(const psopack_map *map, size_t offset, size_t size,
                        psopack_map_advice advice)
{
    if (map->size == 0 || offset >= map->size)
        return;
    if (size > map->size - offset)
        size = map->size - offset;
    size_t begin = (size_t)(map->data - (const uint8_t *)map->base) + offset;
    size_t lead = begin % page_size();
    void *start = (uint8_t *)map->base + (begin - lead);
    (void)madvise(start, size + lead, system_advice(advice));
}

void psopack_map_unmap(psopack_map *map)
{
    if (map->base)
        (void)munmap(map->base, map->base_size);
    *map = PSOPACK_MAP_NONE;
}
