/* SPDX-License-Identifier: MIT */
/* KEYS: mixed keys in ascending order, cut into buckets by their top bits. */
#include "format/keys.h"
#include "packer/column_write.h"
#include "packer/manifest.h"

typedef struct key_row {
    uint64_t mixed;
    uint32_t pso;
} key_row;

static int compare_rows(const void *a, const void *b)
{
    const key_row *left = a, *right = b;
    if (left->mixed != right->mixed)
        return left->mixed < right->mixed ? -1 : 1;
    return (left->pso > right->pso) - (left->pso < right->pso);
}

/* buckets[b]: the first row of bucket b; one more at the end. Rows are sorted. */
static void fill_buckets(const key_row *rows, uint64_t count, unsigned bucket_bits,
                         uint64_t *buckets)
{
    uint64_t bucket_count = UINT64_C(1) << bucket_bits, row = 0;
    for (uint64_t bucket = 0; bucket < bucket_count; bucket++) {
        buckets[bucket] = row;
        while (row < count && psopack_key_bucket(rows[row].mixed, bucket_bits) == bucket)
            row++;
    }
    buckets[bucket_count] = count;
}

static psopack_status write_keys(const key_row *rows, uint64_t count, psopack_bytes *section,
                                 psopack_diag *diag)
{
    unsigned bucket_bits = psopack_key_bucket_bits(count);
    unsigned rest_width = 64 - bucket_bits;
    uint64_t bucket_rows = (UINT64_C(1) << bucket_bits) + 1, *values;
    PSOPACK_TRY(psopack_new_array(&values, (size_t)(bucket_rows + 2 * count), 8, diag));
    uint64_t *rest = values + bucket_rows, *psos = rest + count;
    unsigned pso_width = 0;
    while (count != 0 && (count - 1) >> pso_width != 0)
        pso_width++;
    fill_buckets(rows, count, bucket_bits, values);
    for (uint64_t i = 0; i < count; i++) {
        rest[i] = psopack_key_rest(rows[i].mixed, bucket_bits, rest_width);
        psos[i] = rows[i].pso;
    }
    /* One record a row, so that a look-up at random reads one place and not two far apart. */
    uint8_t stride = (uint8_t)(rest_width + pso_width);
    const psopack_column_input columns[PSOPACK_KEY_COLUMNS] = {
        {.values = values, .rows = bucket_rows, .id = PSOPACK_COLUMN_KEY_BUCKET},
        {.values = rest,
         .rows = count,
         .id = PSOPACK_COLUMN_KEY_REST,
         .flat_from_zero = true,
         .width = (uint8_t)rest_width,
         .stride = stride},
        {.values = psos,
         .rows = count,
         .id = PSOPACK_COLUMN_KEY_PSO,
         .flat_from_zero = true,
         .width = (uint8_t)pso_width,
         .stride = stride,
         .first = (uint8_t)rest_width},
    };
    psopack_status status = psopack_columns_write(section, columns, PSOPACK_KEY_COLUMNS, diag);
    free(values);
    return status;
}

psopack_status psopack_section_keys(const psopack_manifest_input *input, psopack_bytes *section,
                                    psopack_diag *diag)
{
    const psopack_model *model = input->model;
    key_row *rows;
    if (psopack_manifest_has_paged_keys(input))
        return psopack_section_key_pages(input, section, diag);
    PSOPACK_TRY(psopack_new_array(&rows, model->pso_count, sizeof *rows, diag));
    for (uint32_t i = 0; i < model->pso_count; i++)
        rows[i] = (key_row){psopack_key_mix(model->psos[i].key), i};
    qsort(rows, model->pso_count, sizeof *rows, compare_rows);
    psopack_status status = write_keys(rows, model->pso_count, section, diag);
    free(rows);
    return status;
}
