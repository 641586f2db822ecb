/* SPDX-License-Identifier: GPL-3.0-or-later */
/* command_parts: what the files of steep law share: its options, rows of a file, the tables that it prints. */
#pragma once

#include "cli/annex.h"
#include "law/core.h"
#include "law/options.h"

enum { STEEP_LAW_KEYS = 8 };

typedef struct steep_law_command {
    const char *size, *error, *by, *out;
    steep_law_chosen chosen;
    steep_cli_output output;
    steep_style style;
} steep_law_command;

/* Sizes and losses by row of the file, then once more as many for the rows of one group; names of the columns. */
typedef struct steep_law_rows {
    char text[512], loss_name[512]; /* text: both sizes */
    const char *name[2];            /* of the sizes */
    double *params, *data, *loss, *fitted, *deviation;
    size_t *group, *first, *line; /* first: a row of each group; line: in the file, of the rows of one group */
    size_t keys, key[STEEP_LAW_KEYS], failed;
} steep_law_rows;

/* A law that is to be printed, of a group of rows. */
typedef struct steep_law_printing {
    const steep_law_command *command;
    const steep_law_options *options;
    const steep_law_rows *rows;
    steep_law_points points;
    steep_law law;
    char group[200], title[400]; /* the values of the group's keys; with what the law is of */
    steep_sheet sheet;
    steep_sheet_line line;
} steep_law_printing;

/* Its tables: parameters, best sizes, forms, prediction, points that stand apart; remarks below the first. */
void steep_law_print(steep_law_printing *out);

/* Writes law_points.csv and law_best.csv into the folder of --out, and draws them. */
steep_status steep_law_draw(const steep_law_printing *out, steep_error *error);
