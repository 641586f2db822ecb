/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several folders united in one. */
#include <sys/stat.h>
#include <unistd.h>

#include "study/run.h"

/* --fresh removes what --out holds: not the rows that are to be united. */
static steep_status check_fresh(const steep_run *r, steep_error *error)
{
    struct stat out, other;
    if (!r->options->run.fresh || stat(r->options->run.out, &out) != 0) return STEEP_OK;
    for (size_t i = 0; i < r->others; i++)
        if (stat(r->other[i], &other) == 0 && other.st_dev == out.st_dev && other.st_ino == out.st_ino)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--fresh would remove the fits of %s before they are united: leave --fresh out, or give "
                              "another --out",
                              r->other[i]);
    return STEEP_OK;
}

/* The options of the first folder's record, and the sum of its points as they are now. */
static steep_status read_first(steep_run *r, const char *record, const steep_option_group *group, void **owned,
                               steep_error *error)
{
    steep_error why = {{0}};
    steep_status status = steep_provenance_read(record, group, owned, error);
    if (status != STEEP_OK) return status;
    r->provenance = steep_run_provenance(r, group);
    r->provenance.joined = record;
    status = steep_provenance_begin(&r->provenance, &why);
    if (status == STEEP_OK) return status;
    return steep_fail(error, status, "%s was written from points that are needed again: %.400s", record, why.text);
}

/* A folder that is joined has a file of rows. */
static steep_status check_rows(const char *folder, steep_error *error)
{
    struct dirent **shard;
    size_t shards;
    if (access(steep_path_in(folder, "fits.csv").text, F_OK) == 0) return STEEP_OK;
    steep_status status = steep_folder_shards(folder, &shard, &shards, error);
    if (status != STEEP_OK) return status;
    steep_folder_free_list(shard, shards);
    if (shards > 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s holds no fits: it has no fits.csv: leave the folder out", folder);
}

/* The conditions of the first folder, which the others must have, too. */
static steep_status read_conditions(steep_run *r, const steep_option_group *group, void **owned, steep_error *error)
{
    const steep_path first = steep_path_in(r->other[0], "run.json");
    steep_status status = read_first(r, first.text, group, owned, error);
    for (size_t i = 0; status == STEEP_OK && i < r->others; i++) {
        status = steep_provenance_compare(&r->provenance, steep_path_in(r->other[i], "run.json").text, error);
        if (status == STEEP_OK) status = check_rows(r->other[i], error);
    }
    r->provenance.joined = NULL;
    r->provenance.folder = r->other;
    r->provenance.folders = r->others;
    return status;
}

steep_status steep_join(const char *const *folders, size_t count, const steep_sweep_options *options,
                        steep_sweep_result *result, steep_error *error)
{
    steep_sweep_options read = *options;
    const steep_sweep_options initial = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS];
    void *owned = NULL;
    read.problem = initial.problem;
    read.model = initial.model;
    read.solver = initial.solver;
    read.model.extra = options->model.extra;
    read.model.extra_count = options->model.extra_count;
    steep_sweep_groups(&read, group);
    steep_run r = {.options = &read, .other = folders, .others = count, .shard = 1, .shards = 1};
    steep_status status = steep_run_begin(&r, result, error);
    if (status == STEEP_OK && (count == 0 || !options->run.out))
        status = steep_fail(error, STEEP_BAD_INPUT, "join: name the folders to unite, and --out for their union");
    if (status == STEEP_OK) status = steep_input_status(check_fresh(&r, error));
    if (status == STEEP_OK) status = steep_input_status(read_conditions(&r, group, &owned, error));
    if (status == STEEP_OK)
        status = steep_input_status(steep_plan_init_empty(&read.problem, &read.model, &read.solver, r.plan, error));
    if (status == STEEP_OK) status = steep_run_plan(&r, steep_backend_find(read.run.device), error);
    steep_run_release(&r);
    steep_provenance_release(owned);
    return status;
}
