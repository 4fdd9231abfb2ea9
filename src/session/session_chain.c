/* SPDX-License-Identifier: MIT */
/* The chained look-up: archives, session, the caller's compiler. */
#include <psopack/session_pso.h>

#include <stdbool.h>

#include "format/error.h"

static bool find_in_archive(const psopack_chain *chain, size_t number,
                            const psopack_session_pso_name *name, psopack_chain_place *ret_place)
{
    const psopack_chain_archive *archive = &chain->archives[number];
    uint32_t pso;
    if (archive->find(archive->user, name->name, name->size, &pso) != PSOPACK_OK)
        return false;
    *ret_place = (psopack_chain_place){.source = PSOPACK_CHAIN_ARCHIVE,
                                       .content_version = archive->content_version,
                                       .archive = number,
                                       .pso = pso};
    return true;
}

/* The first archive that has the name, among those of the version asked for or among the others. */
static bool find_in_archives(const psopack_chain *chain, const psopack_session_pso_name *name,
                             bool same_version, psopack_chain_place *ret_place)
{
    for (size_t i = 0; i < chain->archive_count; i++) {
        uint64_t version = chain->archives[i].content_version;
        if ((version == name->content_version) == same_version &&
            find_in_archive(chain, i, name, ret_place))
            return true;
    }
    return false;
}

static bool find_in_session(const psopack_chain *chain, const psopack_session_pso_name *name,
                            uint64_t version, psopack_chain_place *ret_place)
{
    psopack_session_pso_name exact = {name->name, name->size, version};
    size_t size = 0;
    if (!chain->session ||
        psopack_session_find_pso(chain->session, &exact, NULL, &size) != PSOPACK_OK)
        return false;
    *ret_place = (psopack_chain_place){
        .source = PSOPACK_CHAIN_SESSION, .content_version = version, .value_size = size};
    return true;
}

static void find_nearest(const psopack_chain *chain, const psopack_session_pso_name *name,
                         psopack_chain_place *ret_nearest)
{
    *ret_nearest = (psopack_chain_place){.source = PSOPACK_CHAIN_NOWHERE};
    for (size_t i = 0; i < chain->other_version_count; i++) {
        if (chain->other_versions[i] != name->content_version &&
            find_in_session(chain, name, chain->other_versions[i], ret_nearest))
            return;
    }
    find_in_archives(chain, name, false, ret_nearest);
}

psopack_status psopack_chain_find(const psopack_chain *chain, const psopack_session_pso_name *name,
                                  psopack_chain_place *ret_place)
{
    if (!chain || chain->struct_size < sizeof *chain || !name || !name->name || !ret_place ||
        (!chain->archives && chain->archive_count > 0) ||
        (!chain->other_versions && chain->other_version_count > 0))
        return PSOPACK_E_ARGUMENT;
    if (name->size == 0 || name->size > PSOPACK_SESSION_PSO_NAME_MAX)
        return PSOPACK_E_NAME;
    if (find_in_archives(chain, name, true, ret_place) ||
        find_in_session(chain, name, name->content_version, ret_place))
        return PSOPACK_OK;
    if (!chain->miss)
        return PSOPACK_E_NOT_FOUND;
    psopack_chain_place nearest;
    find_nearest(chain, name, &nearest);
    PSOPACK_TRY(chain->miss(chain->user, name, &nearest));
    bool made = find_in_session(chain, name, name->content_version, ret_place);
    return made ? PSOPACK_OK : PSOPACK_E_NOT_FOUND;
}
