/* SPDX-License-Identifier: MIT */
/* Open options made whole: defaults filled in, an allocator that always exists. */
#include <stdlib.h>
#include <string.h>

#include "loader/archive.h"

static void *allocate_default(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (size > SIZE_MAX - alignment)
        return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release_default(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

psopack_status psopack_allocator_load(const psopack_allocator *allocator,
                                      psopack_allocator *ret_allocator, psopack_diag *diag)
{
    if (!allocator->allocate != !allocator->release)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "an allocator needs both allocate and release, or neither");
    *ret_allocator = *allocator;
    if (!allocator->allocate) {
        ret_allocator->allocate = allocate_default;
        ret_allocator->release = release_default;
    }
    return PSOPACK_OK;
}

void *psopack_allocate(const psopack_allocator *allocator, uint64_t size, psopack_diag *diag)
{
    void *memory = size > SIZE_MAX ? NULL
                                   : allocator->allocate(allocator->user, (size_t)size,
                                                         PSOPACK_ALLOCATION_ALIGNMENT);
    if (!memory)
        psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for %llu bytes", (unsigned long long)size);
    return memory;
}

static void set_default(uint64_t *limit, uint64_t value)
{
    if (*limit == 0)
        *limit = value;
}

psopack_status psopack_options_load(const psopack_open_options *options,
                                    psopack_open_options *ret_options, psopack_diag *diag)
{
    psopack_open_options own = PSOPACK_OPEN_OPTIONS_INIT;
    if (options) {
        /* Fields that an older caller does not have keep their defaults. */
        size_t size = options->struct_size;
        if (size < offsetof(psopack_open_options, wait_user) + sizeof options->wait_user)
            return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                                "psopack_open_options.struct_size is %zu: begin with "
                                "PSOPACK_OPEN_OPTIONS_INIT",
                                size);
        memcpy(&own, options, size < sizeof own ? size : sizeof own);
    }
    if ((own.flags &
         ~(uint32_t)(PSOPACK_OPEN_NO_MAP | PSOPACK_OPEN_CHECK_ALL | PSOPACK_OPEN_ALONE)) != 0)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "unknown open flags 0x%x", own.flags);
    if ((own.flags & PSOPACK_OPEN_ALONE) != 0 && own.base)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "an archive opened alone has no base");
    PSOPACK_TRY(psopack_allocator_load(&own.allocator, &own.allocator, diag));
    set_default(&own.limits.component_size, UINT64_C(4) << 30);
    set_default(&own.limits.block_size, UINT64_C(16) << 20);
    set_default(&own.limits.base_memory, UINT64_C(64) << 20);
    set_default(&own.limits.manifest_size, UINT64_C(1) << 30);
    set_default(&own.limits.psos, UINT64_C(16) << 20);
    set_default(&own.limits.components, UINT64_C(64) << 20);
    if (!own.wait)
        own.wait = psopack_wait_default;
    *ret_options = own;
    return PSOPACK_OK;
}
