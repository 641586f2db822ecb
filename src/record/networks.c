/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/table.h"
#include "fit/curve.h"
#include "record/save.h"

#define LONGEST 60 /* characters of a target or an architecture in a file's name */

static void name_file(const steep_plan_key *key, const char *folder, const char *ending, char *text, size_t size)
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
    if (plain) snprintf(text, size, "%s/%s.%s", folder, name, ending);
    else snprintf(text, size, "%s/%s-%016llx.%s", folder, name, (unsigned long long)sum, ending);
}

void steep_networks_name(const steep_plan_key *key, char *text, size_t size)
{
    name_file(key, STEEP_FOLDER_NETWORKS, "json", text, size);
}

/* The file of a task in the folder of its kind, which is made. */
static steep_status path_of(const steep_folder *folder, const steep_plan *plan, const steep_task *task, bool curve,
                            steep_path *path, steep_error *error)
{
    char name[640];
    const steep_plan_key key = steep_plan_key_of(plan, task);
    const char *kind = curve ? STEEP_FOLDER_CURVES : STEEP_FOLDER_NETWORKS;
    name_file(&key, kind, curve ? "csv" : "json", name, sizeof name);
    *path = steep_path_in(folder->path, name);
    return steep_folder_make(steep_path_in(folder->path, kind).text, error);
}

steep_status steep_curves_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                const double *curve, size_t count, steep_error *error)
{
    FILE *file;
    steep_path path;
    steep_status status = path_of(folder, plan, task, true, &path, error);
    if (status == STEEP_OK) status = steep_table_begin(path.text, &file, error);
    if (status != STEEP_OK) return status;
    fputs("restart,iteration,evaluations,seconds,rmse_train,rmse_test,gradient,step,coefficient,rank,operations\n",
          file);
    for (size_t i = 0; i < count; i += STEEP_CURVE_NUMBERS)
        steep_table_put_numbers(file, curve + i, STEEP_CURVE_NUMBERS, '\n');
    return steep_table_commit(file, path.text, error);
}

bool steep_networks_has(const steep_folder *folder, const steep_plan *plan, const steep_task *task)
{
    char name[640];
    const steep_plan_key key = steep_plan_key_of(plan, task);
    steep_networks_name(&key, name, sizeof name);
    return access(steep_path_in(folder->path, name).text, R_OK) == 0;
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
    steep_path path;
    steep_status status = path_of(folder, plan, task, false, &path, error);
    if (status == STEEP_OK) status = steep_plan_network(plan, task, &network, error);
    return status == STEEP_OK ? steep_save_parameters(&saved, path.text, error) : status;
}
