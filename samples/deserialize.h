/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for the call that makes a pipeline from parts: DeserializeGraphicsPipelineStateX,
 * vkCreatePipelineBinariesKHR or a console's. It makes nothing; it looks as closely as those do,
 * with code of its own, so that it proves what psopack handed out.
 */
#ifndef PSOPACK_SAMPLE_DESERIALIZE_H
#define PSOPACK_SAMPLE_DESERIALIZE_H

#include <psopack/psopack.h>

enum { DESERIALIZE_SLOTS_MAX = 256, DESERIALIZE_TEXT_SIZE = 256 };

typedef struct deserialize_input {
    const char *const *slots; /* names, in the order of `parts` */
    const psopack_part *parts;
    uint32_t count;
    uint32_t tuple_crc; /* what the packer computed when it read the files */
} deserialize_input;

/*
 * Refuses, with a sentence in `ret_text`, unless
 *   slots ascend in byte order;
 *   an absent part has no pointer and no size, a present one a pointer, also when it is empty;
 *   each part's CRC32C is that of its bytes in memory, and all of them give the tuple CRC;
 *   a stage's metadata, as in samples/README.md, belongs to instructions of the size it says.
 * Returns non-zero when a pipeline could be made.
 */
int deserialize_pipeline(const deserialize_input *input, char ret_text[DESERIALIZE_TEXT_SIZE]);

#endif
