/* SPDX-License-Identifier: MIT */
/* psopack version: the program, the format, the libraries as they run. */
#include "command.h"

#include <psopack/psopack.h>

#include <jansson.h>
#include <stdio.h>

int psopack_command_version(psopack_output *output, const psopack_options *options)
{
    (void)options;
    if (output->json) {
        json_t *object = psopack_json_begin(output->command);
        psopack_json_set_text(object, "version", psopack_version());
        psopack_json_set_text(object, "jansson", jansson_version_str());
        return psopack_output_json(output, object, 0);
    }
    puts(psopack_version());
    if (output->verbose)
        printf("jansson %s\n", jansson_version_str());
    return 0;
}
