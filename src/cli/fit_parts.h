/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fit_parts: what the files of steep fit share: a line per iteration and the report, and a saved network to go on from. */
#pragma once

#include "cli/cli.h"
#include "execute/tasks.h"

/* A line of the table of iterations, which begins with the first that is put into *line, empty before. */
void steep_fit_print_iteration(steep_sheet *sheet, steep_sheet_line *line, const steep_progress *progress);

/* A fit that has ended. */
typedef struct steep_fit_report {
    const steep_plan *plan; /* of this one task */
    const steep_task_open *open;
    const steep_fit_result *result;
    steep_device device;
    const char *load; /* the file of the network that it began with; NULL: none */
} steep_fit_report;

/* Sentences for people, the numbers that they are made of for programs. */
void steep_fit_print_report(steep_sheet *sheet, const steep_fit_report *report);

/* A saved network, and the texts of the options that it stands for. */
typedef struct steep_loaded {
    steep_stored stored;
    char arch[128], dictionary[64], width[32], layers[160];
} steep_loaded;

/* Reads the network at path, and sets what it says of the model: architecture, choice, width. STEEP_BAD_INPUT where the
 * command line has an option for one of these. On failure nothing is to be freed, else loaded->stored. */
steep_status steep_load(const char *path, const steep_command_line *line, steep_model_options *model,
                        steep_loaded *loaded, steep_error *error);

/* Whether its parameters are those of the plan's one network, of points with the same scales. */
steep_status steep_load_check(const steep_loaded *loaded, const steep_plan *plan, steep_error *error);
