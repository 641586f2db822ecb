/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step 3 of sweep.c: reads the rows that this run's folder has, and those of the folders to join. */
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "study/run.h"

/* Where a file of rows comes from: this run appends to it; another file of this run's folder; a folder to join. */
typedef enum source { OWN, BESIDE, JOINED } source;

/* What is done with each file of rows. */
typedef steep_status (*reader)(steep_run *r, const char *path, source from, steep_error *error);

static steep_status admit_rows(steep_run *r, const char *path, source from, steep_error *error)
{
    /* Skip the rows of other shards: they may belong to another plan and may still be written. */
    if (from == BESIDE && r->shards > 1) return STEEP_OK;
    return steep_journal_admit(path, r->plan, error);
}

/* Takes a row of a folder to join. A row of the same fit that is there already must have the same numbers. */
static steep_status join_row(steep_run *r, const char *path, size_t i, const steep_fit_row *found, steep_error *error)
{
    steep_fit_row *row = &r->result->row[i];
    const steep_task *task = &r->plan->task[i];
    if (!found->present) return STEEP_OK;
    if (row->present && !steep_fit_row_same(row, found))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: %s of width %zu, seed %zu, on %s has other numbers than in a folder before it: "
                          "one of the two was made by another version; fit it anew",
                          path, r->plan->variant[task->variant].label, task->width, r->plan->seed[task->seed],
                          r->plan->target[task->target].name);
    *row = *found;
    return STEEP_OK;
}

/* Reads the rows of a file. Rows of this run's folder are stored at once, its own file first; a row there stays. */
static steep_status read_rows(steep_run *r, const char *path, source from, steep_error *error)
{
    steep_journal_state state;
    const bool other_shard = from == BESIDE && r->shards > 1;
    steep_fit_row *found = from == JOINED ? calloc(r->plan->tasks + 1, sizeof *found) : r->result->row;
    if (!found) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows", r->plan->tasks);
    steep_status status = steep_journal_read(path, r->plan, other_shard, found, &state, error);
    for (size_t i = 0; status == STEEP_OK && i < r->plan->tasks; i++) {
        if (from == JOINED) status = join_row(r, path, i, &found[i], error);
        if (from == OWN) r->here[i] = found[i].present;
    }
    if (status == STEEP_OK && from == OWN) r->whole = state.whole;
    /* Other shards may be writing their last lines, which are then not torn. */
    if (status == STEEP_OK && state.torn && !other_shard)
        steep_run_note(r, "%s: the last line was cut short: %s", path, from == JOINED ? "left out" : "dropped");
    if (from == JOINED) free(found);
    return status;
}

/* Reads every file of rows in a folder. own: this run's file, which comes first; NULL: the folder is one to join. */
static steep_status with_files(steep_run *r, const char *folder, const char *own, reader read, steep_error *error)
{
    struct dirent **shard;
    size_t shards;
    const source from = own ? BESIDE : JOINED;
    steep_status status = STEEP_OK;
    if (read == admit_rows) status = steep_provenance_units(steep_path_in(folder, "run.json").text, r->plan, error);
    if (status == STEEP_OK && own) status = read(r, steep_path_in(folder, own).text, OWN, error);
    if (status == STEEP_OK && (!own || r->shards > 1))
        status = read(r, steep_path_in(folder, "fits.csv").text, from, error);
    if (status != STEEP_OK) return status;
    status = steep_folder_list(folder, steep_folder_is_shard, &shard, &shards, error);
    for (size_t i = 0; status == STEEP_OK && i < shards; i++)
        if (!own || strcmp(shard[i]->d_name, own) != 0)
            status = read(r, steep_path_in(folder, shard[i]->d_name).text, from, error);
    steep_folder_free_list(shard, shards);
    return status;
}

/* Reads the files of this run's folder, unless --fresh is to remove them, and of the folders to join. */
static steep_status with_all(steep_run *r, reader read, steep_error *error)
{
    steep_status status = STEEP_OK;
    if (r->folder.path && !r->options->run.fresh) status = with_files(r, r->folder.path, r->own, read, error);
    for (size_t i = 0; status == STEEP_OK && i < r->others; i++) status = with_files(r, r->other[i], NULL, read, error);
    return status;
}

steep_status steep_run_gather(steep_run *r, steep_error *error)
{
    steep_status status = r->folder.path ? with_all(r, admit_rows, error) : STEEP_OK;
    if (status == STEEP_OK && r->folder.path) status = steep_plan_lay_out(r->plan, error);
    if (status != STEEP_OK) return status;
    size_t tasks = r->plan->tasks;
    r->worst = tasks;
    r->result->row = calloc(tasks + 1, sizeof *r->result->row);
    r->block = STEEP_BLOCK(STEEP_SHARE(r->mine, tasks), STEEP_SHARE(r->here, tasks), STEEP_SHARE(r->needed, tasks),
                           STEEP_SHARE(r->missing, tasks));
    if (!r->result->row || !r->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", tasks);
    return with_all(r, read_rows, error);
}
