/* SPDX-License-Identifier: MIT */
/* The smallest loader. load_minimal ARCHIVE PSO reads every part of one PSO, checks the whole. */
#include <psopack/psopack.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(psopack_status status, const psopack_diag *diag)
{
    if (status == PSOPACK_OK)
        return;
    fprintf(stderr, "%s: %s\n", psopack_status_name(status), diag->text);
    exit(psopack_status_exit_code(status));
}

int main(int argc, char **argv)
{
    psopack_archive *archive = NULL;
    psopack_context *context = NULL;
    psopack_diag diag = {0};
    uint32_t pso, components[256], crcs[256] = {0}; /* an archive has at most 256 slots */
    uint64_t sizes[256] = {0};
    if (argc != 3)
        return fputs("usage: load_minimal ARCHIVE PSO\n", stderr), 2;

    check(psopack_archive_open(argv[1], NULL, &archive, &diag), &diag);
    check(psopack_context_create(archive, NULL, &context), &diag);
    check(psopack_pso_find(archive, context, argv[2], strlen(argv[2]), &pso, &diag), &diag);
    check(psopack_pso_components(archive, pso, components, &diag), &diag);

    for (uint32_t slot = 0; psopack_slot_name(archive, slot); slot++) {
        if (components[slot] == PSOPACK_ABSENT)
            continue; /* the platform's call gets NULL here */
        psopack_component_info part;
        check(psopack_component_get(archive, components[slot], &part, &diag), &diag);
        sizes[slot] = part.size;
        void *bytes = malloc(part.size + 1); /* any memory of yours; this part may be empty */
        check(psopack_component_read(archive, context, components[slot], bytes, part.size,
                                     &crcs[slot], &diag),
              &diag);
        printf("%-16s %8llu bytes\n", psopack_slot_name(archive, slot),
               (unsigned long long)part.size);
        free(bytes); /* a game keeps it, and hands it to the platform's call */
    }
    check(psopack_pso_check(archive, pso, components, sizes, crcs, &diag), &diag);
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
    return 0;
}
