/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a list, TSV or JSON Lines. The first byte says what separates records.
 * Nothing is read or written; the same list given again must get the same answer.
 */
#include <psopack/build.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    psopack_build *build;
    const char *path;
    psopack_diag diag = {0};
    if (size == 0)
        return 0;
    if (psopack_build_create(NULL, &build, NULL) != PSOPACK_OK)
        abort();
    psopack_status first =
        psopack_build_add_list(build, "list", bytes + 1, size - 1, bytes[0] & 1, &diag);
    if (first != diag.code || (first != PSOPACK_OK && diag.text[0] == '\0'))
        abort();
    if (psopack_build_add_list(build, "list", bytes + 1, size - 1, bytes[0] & 1, NULL) != first)
        abort();
    for (size_t i = 0; psopack_build_input(build, i, &path) == PSOPACK_OK; i++) {
        if (path[0] == '\0')
            abort();
    }
    psopack_build_destroy(&build);
    return 0;
}
