/* SPDX-License-Identifier: MIT */
#include "pack_base.h"
#include "failure.h"

#include <psopack/psopack.h>

psopack_status psopack_pack_base_check(const psopack_options *options, psopack_diag *diag)
{
    if (!options->base && (options->max_waste.given || options->no_stale))
        return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                               "--max-waste and --no-stale: only with "
                               "--base");
    if (options->base && options->layer.count != 0)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--base or --layer, not both");
    if (options->max_waste.value > 100)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--max-waste: 0 to 100 percent");
    return PSOPACK_OK;
}

psopack_status psopack_pack_base_profile(const psopack_options *options,
                                         psopack_profile *ret_profile, psopack_diag *diag)
{
    psopack_archive *archive = NULL;
    psopack_info info;
    const char *path = options->layer.count ? options->layer.items[0] : options->base;
    if (!path || options->profile)
        return PSOPACK_OK;
    psopack_status status = psopack_archive_open(path, NULL, &archive, diag);
    if (status != PSOPACK_OK)
        return status;
    psopack_archive_info(archive, &info);
    status = psopack_profile_find(info.profile, ret_profile);
    psopack_archive_close(&archive);
    if (status != PSOPACK_OK)
        return psopack_failure(diag, status, "--base: its profile is not known to this version");
    return PSOPACK_OK;
}

psopack_status psopack_pack_base_apply(const psopack_options *options, psopack_build *build,
                                       psopack_diag *diag)
{
    if (options->layer.count != 0)
        return psopack_build_layer_on(build, (const char *const *)options->layer.items,
                                      (uint32_t)options->layer.count, diag);
    if (!options->base)
        return PSOPACK_OK;
    unsigned max_waste =
        options->max_waste.given ? (unsigned)options->max_waste.value : PSOPACK_MAX_WASTE_DEFAULT;
    return psopack_build_on_base(build, options->base, max_waste, options->no_stale, diag);
}
