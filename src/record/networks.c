/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/save.h"

#define LONGEST 60 /* characters of a target or an architecture in a file's name */

void steep_networks_name(const steep_plan_key *key, char *text, size_t size)
{
    char name[512];
    bool plain = strlen(key->target) <= LONGEST && strlen(key->arch) <= LONGEST;
    snprintf(name, sizeof name, "%.60s-%.60s-%.60s-%s-%s-w%zu-s%zu", key->arch, key->activation, key->target,
             key->solver, key->start, key->width, key->seed);
    uint64_t sum = steep_hash_text(steep_hash_text(STEEP_HASH_START, key->target), name);
    if (strlen(key->arch) > LONGEST) sum = steep_hash_text(sum, key->arch);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) {
            *c = '_';
            plain = false;
        }
    if (plain) snprintf(text, size, STEEP_FOLDER_NETWORKS "/%s.json", name);
    else snprintf(text, size, STEEP_FOLDER_NETWORKS "/%s-%016llx.json", name, (unsigned long long)sum);
}

static char *path_of(const steep_folder *folder, const steep_plan *plan, const steep_task *task)
{
    char name[640];
    const steep_plan_key key = steep_plan_key_of(plan, task);
    steep_networks_name(&key, name, sizeof name);
    return steep_folder_file(folder, name);
}

steep_status steep_networks_has(const steep_folder *folder, const steep_plan *plan, const steep_task *task, bool *has,
                                steep_error *error)
{
    char *path = path_of(folder, plan, task);
    *has = path && access(path, R_OK) == 0;
    free(path);
    return path ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
}

steep_status steep_networks_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                  const steep_fit_row *row, const double *theta, steep_error *error)
{
    steep_network network;
    steep_fit_result result = {.status = row->status,
                               .theta = (double *)theta,
                               .rmse_train = row->rmse_train,
                               .rmse_test = row->rmse_test,
                               .max_error = row->max_error,
                               .floor = row->floor,
                               .gradient_norm = row->gradient_norm,
                               .coefficient = row->coefficient,
                               .rmse_single = row->rmse_single,
                               .seed = plan->seed[task->seed]};
    const steep_saved saved = {.plan = plan, .task = task, .network = &network, .result = &result};
    char *list = steep_folder_file(folder, STEEP_FOLDER_NETWORKS), *path = path_of(folder, plan, task);
    steep_status status = STEEP_OK;
    if (!list || !path) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    if (status == STEEP_OK) status = steep_folder_make(list, error);
    if (status == STEEP_OK) status = steep_plan_network(plan, task, &network, error);
    if (status == STEEP_OK) status = steep_save_parameters(&saved, path, error);
    free(list);
    free(path);
    return status;
}
