/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a folder has already, and what the folders have that are joined in it. */
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "study/run.h"

/* What is done with each file of rows; own: this run appends to it. */
typedef steep_status (*reader)(steep_run *r, const char *path, bool own, steep_error *error);

static steep_status admit_rows(steep_run *r, const char *path, bool own, steep_error *error)
{
    /* Skip the rows of other shards: they may belong to another plan and may still be written. */
    if (!own && r->shards > 1) return STEEP_OK;
    return steep_journal_admit(path, r->plan, error);
}

static steep_status read_rows(steep_run *r, const char *path, bool own, steep_error *error)
{
    steep_journal_state state;
    const bool known = !own && r->shards > 1;
    steep_status status = steep_journal_read(path, r->plan, known, r->result->row, &state, error);
    if (status == STEEP_OK && own) r->whole = state.whole;
    /* One's own file is read first: what is there now is of it. */
    for (size_t i = 0; own && i < r->plan->tasks; i++) r->here[i] = r->result->row[i].present;
    /* Another shard may be writing its last line now: only one's own is known to be torn. */
    if (status == STEEP_OK && state.torn && (own || r->shards == 1))
        steep_run_note(r, "%s: the last line was cut short: dropped\n", path);
    return status;
}

/* Rows of another folder: where there is a row already it must be the same. */
static steep_status merge_rows(steep_run *r, const char *path, bool own, steep_error *error)
{
    steep_journal_state state;
    steep_fit_row *found = calloc(r->plan->tasks + 1, sizeof *found);
    (void)own;
    if (!found) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows", r->plan->tasks);
    steep_status status = steep_journal_read(path, r->plan, false, found, &state, error);
    for (size_t i = 0; status == STEEP_OK && i < r->plan->tasks; i++) {
        if (!found[i].present) continue;
        const steep_task *task = &r->plan->task[i];
        if (r->result->row[i].present && !steep_fit_row_same(&r->result->row[i], &found[i]))
            status = steep_fail(error, STEEP_BAD_INPUT,
                                "%s: %s of width %zu, seed %zu, on %s has other numbers than in a folder before it: "
                                "one of the two was made by another version; fit it anew",
                                path, r->plan->variant[task->variant].label, task->width, r->plan->seed[task->seed],
                                r->plan->target[task->target].name);
        r->result->row[i] = found[i];
    }
    if (status == STEEP_OK && state.torn) steep_run_note(r, "%s: the last line was cut short: left out\n", path);
    free(found);
    return status;
}

/* Every file of rows in a folder, own first, this run's where the folder is this run's, else NULL. */
static steep_status with_files(steep_run *r, const char *folder, const char *own, reader read, steep_error *error)
{
    struct dirent **shard;
    size_t shards;
    steep_status status = STEEP_OK;
    if (own) status = read(r, steep_path_in(folder, own).text, true, error);
    if (status == STEEP_OK && (!own || r->shards > 1))
        status = read(r, steep_path_in(folder, "fits.csv").text, false, error);
    if (status != STEEP_OK) return status;
    status = steep_folder_shards(folder, &shard, &shards, error);
    for (size_t i = 0; status == STEEP_OK && i < shards; i++)
        if (!own || strcmp(shard[i]->d_name, own) != 0)
            status = read(r, steep_path_in(folder, shard[i]->d_name).text, false, error);
    steep_folder_free_list(shard, shards);
    return status;
}

/* The folders that are joined. */
static steep_status with_others(steep_run *r, reader read, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < r->others; i++) {
        if (read == admit_rows)
            status = steep_provenance_units(steep_path_in(r->other[i], "run.json").text, r->plan, error);
        if (status == STEEP_OK) status = with_files(r, r->other[i], NULL, read, error);
    }
    return status;
}

steep_status steep_run_gather(steep_run *r, steep_error *error)
{
    steep_status status = STEEP_OK;
    const bool begun = r->folder.path && !r->options->run.fresh; /* what is to be removed does not count */
    if (r->folder.path) {
        if (begun) status = steep_provenance_units(r->json_path.text, r->plan, error);
        if (status == STEEP_OK && begun) status = with_files(r, r->folder.path, r->own, admit_rows, error);
        if (status == STEEP_OK) status = with_others(r, admit_rows, error);
        if (status == STEEP_OK) status = steep_plan_lay_out(r->plan, error);
    }
    if (status != STEEP_OK) return status;
    size_t tasks = r->plan->tasks;
    r->worst = tasks;
    r->result->row = calloc(tasks + 1, sizeof *r->result->row);
    r->block = STEEP_BLOCK(STEEP_SHARE(r->mine, tasks), STEEP_SHARE(r->here, tasks), STEEP_SHARE(r->needed, tasks),
                           STEEP_SHARE(r->missing, tasks));
    if (!r->result->row || !r->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", tasks);
    if (begun) status = with_files(r, r->folder.path, r->own, read_rows, error);
    return status == STEEP_OK ? with_others(r, merge_rows, error) : status;
}
