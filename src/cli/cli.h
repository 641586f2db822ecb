/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli: what the subcommands of steep share. Exit status: 0 success, 1 a failed run, 2 bad use: nothing is written. */
#pragma once

#include "base/option_rows.h"
#include "base/table.h"
#include "cli/annex.h"
#include "draw/figure.h"
#include "study/sweep.h"

extern const steep_command steep_command_sweep, steep_command_contest, steep_command_fit, steep_command_join,
    steep_command_slope, steep_command_predict, steep_command_figure, steep_command_list, steep_command_completion;

/* Commands in the order of --help, NULL past the last; by name, NULL if there is none. */
const steep_command *steep_cli_command(size_t index);
const steep_command *steep_cli_find(const char *name);
const char *steep_cli_command_names(size_t index);

/* Adds options behind the last group, and sets their defaults in the record. */
void steep_cli_group(steep_option_group *group, const char *title, const steep_option *table, void *record);

/* Fills group with a command's options over its record, and sets their defaults. */
void steep_cli_options(const steep_command *command, void *record, steep_option_group *group);

/* Runs a command, or prints its help; argv[0] is its name. Returns the exit status. */
int steep_cli_run(const steep_command *command, int argc, char **argv);

/* Prints what may follow these words, for the script of "steep completion". Returns the exit status. */
int steep_cli_complete(int count, char **word);

/* With --unit and no --arch, drops the default architectures; with --params and no --widths, the default widths. */
void steep_cli_as_given(const steep_command_line *line, steep_model_options *model);

/* Finds the file of a network: the named file itself, or, in the named folder of a run, parameters.json, else the only
 * network in networks/. STEEP_BAD_INPUT: the folder has no network, or several, which the message lists. */
steep_status steep_cli_network(const char *named, char path[PATH_MAX], steep_error *error);

/* Reads a CSV file, or fits.csv in the folder of that name. The last row counts also without its newline; a row that is
 * cut short is left out, with a note. STEEP_BAD_INPUT: the file cannot be read. */
steep_status steep_cli_table(const char *named, steep_table *table, steep_error *error);

/* --format and --color; --json, for commands that show progress. Records of both: steep_cli_output. */
extern const steep_option steep_cli_output_table[], steep_cli_events_table[];

/* The style of standard output. By default colours are used on a terminal that has them, unless NO_COLOR is set. */
steep_style steep_cli_style(const steep_cli_output *output);

/* "steep: text" on standard error, or, with --json, the event "note". */
__attribute__((format(printf, 2, 3))) void steep_cli_note(const steep_cli_output *output, const char *format, ...);

/* Closes the sheet. Returns status, that of the work before, unless it is no failure and closing fails. */
steep_status steep_cli_close(steep_sheet *sheet, steep_status status, steep_error *error);

/* The flag that steep_cli_catch_signals lets signals set. */
const volatile int *steep_cli_stop(void);

/* From now on signals set the flag; a signal more than a second after the first one ends the program. */
void steep_cli_catch_signals(void);

/* For a command that writes one file: from now on a signal removes the temporary file of path, which is about to be
 * written, and ends the program. Does nothing where path itself is written into (base/table.h). */
void steep_cli_guard(const char *path);

/* Reads STEEP_CUDA_OBJECT and STEEP_CUDA_MEMORY. STEEP_BAD_INPUT: the memory is not a number of 1 or more. */
steep_status steep_cli_device(steep_device_options *on, steep_error *error);

/* Checks STEEP_GNUPLOT_SECONDS and STEEP_PROGRESS_SECONDS of the environment. STEEP_BAD_INPUT: one is not a number of
 * seconds. Commands that draw call this before anything is begun. */
steep_status steep_cli_check_gnuplot(steep_error *error);

/* Seconds between reports of progress that do not go to a terminal: STEEP_PROGRESS_SECONDS, or a minute. */
double steep_cli_progress_seconds(void);

/* Limits for gnuplot: the flag of signals, and STEEP_GNUPLOT_SECONDS where the environment has it. */
steep_figure_limits steep_cli_figure_limits(void);

/* Returns the status of drawing a figure in the folder of a finished run; records a stop in run.json. */
steep_status steep_cli_drawn(const char *folder, steep_status status);
