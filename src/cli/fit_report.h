/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fit_report: what steep fit prints: a line per iteration, and a report of the fit. */
#pragma once

#include "base/sheet.h"
#include "base/status.h"
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
