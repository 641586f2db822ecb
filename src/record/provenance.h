/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance: run.json: what made the files beside it, by which program, from which options, on which machine. */
#pragma once

#include "plan/plan.h"

/* Numbers of fits. count[status - STEEP_IO]: fits that ended with this status. */
typedef struct steep_tally {
    size_t tasks, kept, computed;
    size_t count[STEEP_STOPPED - STEEP_IO + 1];
} steep_tally;

/* What run.json says of a run. The caller owns the texts. */
typedef struct steep_provenance {
    const char *command;              /* "sweep", "fit" */
    const steep_option_group *groups; /* the options: their roles say what may differ in one folder */
    bool single;                      /* a single fit: the lists may not differ either */
    const steep_plan *plan;
    const char *data, *test_data; /* files of points whose content is part of the identity, or NULL */
    const char *shard;            /* "1/4" or NULL */
    const char *device;           /* the GPU that fits run on, a line; NULL: none */
    const char *joined;           /* record with these conditions, which other records must share; NULL: a command's */
    bool mixed;                   /* rows may be of several versions, builds and processors */
    const char *const *folder;    /* folders whose rows are united; this program then makes no rows */
    size_t folders;
    int argc;
    char *const *argv;
    size_t jobs;
    char start[32];    /* UTC; set by steep_provenance_begin */
    char data_sum[80]; /* checksum of the files' bytes; set likewise */
} steep_provenance;

/* Sets the time, and the checksum of the data as the plan read them (a pipe gives its bytes once). Where the plan has
 * read none, the files are read, and STEEP_BAD_INPUT says which is no regular file. */
steep_status steep_provenance_begin(steep_provenance *provenance, steep_error *error);

/* Writes path (run.json) in one stroke. state: "running", "done", "stopped", "failed". */
steep_status steep_provenance_write(const steep_provenance *provenance, const char *path, const char *state,
                                    const steep_tally *tally, steep_error *error);

/* Changes the state of the record at path from "done" to "stopped": its figure was not drawn. Other states stay. */
void steep_provenance_stopped(const char *path);

/* Checks that path is the record of a run whose fits may stand beside this run's: the same conditions (base/options),
 * of a single fit also the same lists, and, unless single or mixed, the same version, commit and kernel of the program.
 * STEEP_BAD_INPUT names the first option that differs and both values, or says why the file is no such record. */
steep_status steep_provenance_compare(const steep_provenance *provenance, const char *path, steep_error *error);
/* Sets the options of the groups to what the record at path has. *owned holds the texts that the options then point to
 * (NULL: nothing was read), for steep_provenance_release. STEEP_BAD_INPUT: it is no record of Steep. */
steep_status steep_provenance_read(const char *path, const steep_option_group *groups, void **owned,
                                   steep_error *error);
void steep_provenance_release(void *owned);

/* Takes the units by formula of the record at path, if there is one, into the plan (steep_plan_know_unit). */
steep_status steep_provenance_units(const char *path, steep_plan *plan, steep_error *error);
/* STEEP_BAD_INPUT where path is a record of Steep in an unknown format: the files beside it may mean anything. */
steep_status steep_provenance_known(const char *path, steep_error *error);
/* STEEP_BAD_INPUT where path is not the record of a run of Steep. */
steep_status steep_provenance_ours(const char *path, steep_error *error);

/* The build of the program. commit: of its sources, "unknown" where the build did not say; flags: the compiler's. */
typedef struct steep_build {
    const char *version, *commit, *flags, *compiler;
} steep_build;
extern const steep_build steep_this_build;

/* What records say of the program and this machine; text has size bytes. */
struct json_t *steep_machine_describe(size_t jobs); /* compiler, libraries, processor, GPU, jobs; NULL: no memory */
void steep_provenance_cpu(char *text, size_t size);
bool steep_provenance_gpu(char *text, size_t size);                       /* false: no NVIDIA driver; text "none" */
const char *steep_provenance_library(size_t index, const char **version); /* name; NULL past the last */

/* The algebra as records name it: its results depend on no processor (steep_dense_sets: instructions in use). */
#define STEEP_ALGEBRA "own, one order of summation"
