/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance: run.json: what made the files beside it, by which program, from which options, on which machine. */
#pragma once

#include "plan/plan.h"

/* Fits by how they ended: count[status - STEEP_IO]. */
typedef struct steep_tally {
    size_t tasks, kept, computed;
    size_t count[STEEP_STOPPED - STEEP_IO + 1];
} steep_tally;

/* What a run says of itself. Texts are the caller's. */
typedef struct steep_provenance {
    const char *command;              /* "sweep", "fit" */
    const steep_option_group *groups; /* the options: their roles say what may differ in one folder */
    bool single;                      /* one fit: the lists may not differ either */
    const steep_plan *plan;
    const char *data, *test_data; /* files of points whose content is part of the identity, or NULL */
    const char *shard;            /* "1/4" or NULL */
    const char *device;           /* the GPU that fits run on, a line; NULL: none */
    const char *joined;        /* record whose conditions these are, compared with others to unite; NULL: a command's */
    bool mixed;                /* rows may be of several versions, builds and processors */
    const char *const *folder; /* folders whose rows are united: this program writes none */
    size_t folders;
    int argc;
    char *const *argv;
    size_t jobs;
    char start[32];    /* UTC; set by steep_provenance_begin */
    char data_sum[80]; /* of the files' bytes, likewise */
} steep_provenance;

/* Notes the time, and the sum of the data that the plan read (a pipe gives its bytes once); where it has read none yet
 * the files are read, and what is no regular file is STEEP_BAD_INPUT. */
steep_status steep_provenance_begin(steep_provenance *provenance, steep_error *error);

/* Writes path (run.json) in one stroke. state: "running", "done", "stopped", "failed". */
steep_status steep_provenance_write(const steep_provenance *provenance, const char *path, const char *state,
                                    const steep_tally *tally, steep_error *error);

/* The record at path of a run that is done says "stopped" from now on: its figure was not drawn. Others stay. */
void steep_provenance_stopped(const char *path);

/* Is path the record of a run whose fits may stand beside this one's: the same conditions (base/options), and the same
 * lists where it is of a single fit; and, unless provenance->mixed, the same version, commit and kernel of the program?
 * STEEP_BAD_INPUT names the first option that differs and both values, or says why the file is no such record. */
steep_status steep_provenance_compare(const steep_provenance *provenance, const char *path, steep_error *error);
/* Sets the options of the groups to what the record at path has. The texts that the groups' records then hold are
 * *owned's (NULL: it was not read), which steep_provenance_release frees. STEEP_BAD_INPUT: no record of ours. */
steep_status steep_provenance_read(const char *path, const steep_option_group *groups, void **owned,
                                   steep_error *error);
void steep_provenance_release(void *owned);

/* The units by formula of the record at path, if there is one, into the plan (steep_plan_know_unit). */
steep_status steep_provenance_units(const char *path, steep_plan *plan, steep_error *error);
/* STEEP_BAD_INPUT where path is a record of ours in a format that is unknown: what is beside it may mean anything. */
steep_status steep_provenance_known(const char *path, steep_error *error);
/* STEEP_BAD_INPUT where path is the record of no run of ours. */
steep_status steep_provenance_ours(const char *path, steep_error *error);

/* The program. commit: of its sources, "unknown" where the build did not say; flags: the compiler's. */
typedef struct steep_build {
    const char *version, *commit, *flags, *compiler;
} steep_build;
extern const steep_build steep_this_build;

/* What was found on this machine; text[size] in all. */
struct json_t *steep_machine_describe(size_t jobs); /* compiler, libraries, processor, GPU, jobs; NULL: no memory */
void steep_provenance_cpu(char *text, size_t size);
bool steep_provenance_gpu(char *text, size_t size);                       /* false: no NVIDIA driver; text "none" */
const char *steep_provenance_library(size_t index, const char **version); /* name; NULL past the last */

/* Whose algebra it is: no processor changes its results (steep_dense_sets says which instructions it uses here). */
#define STEEP_ALGEBRA "own, one order of summation"
