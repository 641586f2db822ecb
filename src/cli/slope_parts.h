/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope_parts: what the files of steep slope share: its options, the columns of a file, the table that it prints. */
#pragma once

#include "base/table.h"
#include "cli/cli.h"
#include "slope/slope.h"
#include "study/session.h"

enum { STEEP_SLOPE_KEYS = 16 };

typedef struct steep_slope_command {
    const char *size, *error, *floor, *by;
    bool csv;
    size_t jobs;
    steep_slope_chosen chosen;
    steep_cli_output output;
    steep_style style;
} steep_slope_command;

/* What the options stand for in this file. */
typedef struct steep_slope_columns {
    size_t size, error, floor, keys, key[STEEP_SLOPE_KEYS];
    bool has_floor;
} steep_slope_columns;

/* The table of slopes: the columns c->key of csv, then those of a slope. */
typedef struct steep_slope_printing {
    const steep_table *csv;
    const steep_slope_columns *c;
    steep_sheet_line line;
    char name[STEEP_SLOPE_KEYS][96]; /* for programs, of keys called as one of a slope's columns */
    steep_sheet sheet;
} steep_slope_printing;

void steep_slope_print_begin(steep_slope_printing *p, const steep_table *csv, const steep_slope_columns *c,
                             const steep_style *style);

/* The slope of a group by a method; row: one of csv that has the group's keys; remark: of the slope, or NULL. */
void steep_slope_print_row(steep_slope_printing *p, size_t row, const char *method, const char *remark,
                           const steep_slope *slope);

/* Prints the sweep's own slopes where these are fits.csv in its folder, with slopes.csv of the same fits beside it, and the
 * options ask for nothing else; *printed: it does. *found counts slopes. */
steep_status steep_slope_print_sweep(const steep_table *fits, const steep_slope_command *options, size_t *found,
                                     bool *printed, steep_error *error);
