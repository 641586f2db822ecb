/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli: what the subcommands of steep share. Exit status: 0 success, 1 a failed run, 2 bad use: nothing is written. */
#pragma once

#include "base/option_rows.h"
#include "base/table.h"
#include "cli/annex.h"
#include "draw/figure.h"
#include "study/sweep.h"

extern const steep_command steep_command_sweep, steep_command_contest, steep_command_fit, steep_command_join,
    steep_command_slope, steep_command_predict, steep_command_figure, steep_command_list, steep_command_doctor,
    steep_command_completion;

/* In the order of --help, those of annexes last, NULL past the last; by name, NULL if there is none. */
const steep_command *steep_cli_command(size_t index);
const steep_command *steep_cli_find(const char *name);
const char *steep_cli_command_names(size_t index);

/* Adds options behind the last group, and sets their defaults in the record. */
void steep_cli_group(steep_option_group *group, const char *title, const steep_option *table, void *record);

/* Lists a command's options over its record. */
void steep_cli_options(const steep_command *command, void *record, steep_option_group *group);

/* Runs a command, argv from its own name on, or prints its help; the exit status. */
int steep_cli_run(const steep_command *command, int argc, char **argv);

/* Answers the script of "steep completion": what may follow these words; the exit status. */
int steep_cli_complete(int count, char **word);

/* With --unit and without --arch, the unit alone; with --params and without --widths, not the command's own width. */
void steep_cli_as_given(const steep_command_line *line, steep_model_options *model);

/* The file of a network that a command names: the file itself, or of a run's folder parameters.json, else the one
 * network in networks/. STEEP_BAD_INPUT: the folder has none, or several, which the message lists. */
steep_status steep_cli_network(const char *named, char path[PATH_MAX], steep_error *error);

/* The table of a CSV file, or of fits.csv in the folder of that name, whose last row counts also without its newline;
 * one that is cut short is told of. A failure to read it is STEEP_BAD_INPUT. */
steep_status steep_cli_table(const char *named, steep_table *table, steep_error *error);

/* A saved network, and the texts of the options that it stands for. */
typedef struct steep_loaded {
    steep_stored stored;
    char arch[128], dictionary[64], width[32], layers[160];
} steep_loaded;

/* Reads the network at path, and sets what it says of the model, architecture, choice, width, and where no option does
 * solver and start. STEEP_BAD_INPUT where the command line has an option for one of the model's. On failure nothing is
 * to be freed, else loaded->stored. */
steep_status steep_load(const char *path, const steep_command_line *line, steep_sweep_options *options,
                        steep_loaded *loaded, steep_error *error);

/* Whether its parameters are those of the plan's one network, of points with the same scales. */
steep_status steep_load_check(const steep_loaded *loaded, const steep_plan *plan, steep_error *error);

/* --format and --color; --json, for commands that show progress. Records of both: steep_cli_output. */
extern const steep_option steep_cli_output_table[], steep_cli_events_table[];

/* The style of what goes to standard output. Colours by themselves: on a terminal that has them, without NO_COLOR. */
steep_style steep_cli_style(const steep_cli_output *output);

/* "steep: text" on standard error, or, with --json, the event "note". */
__attribute__((format(printf, 2, 3))) void steep_cli_note(const steep_cli_output *output, const char *format, ...);

/* The exit status of a command that ended so: 2 for STEEP_BAD_INPUT, 1 for other failures and STEEP_STOPPED, which are
 * told: "steep: message" on stderr, or with --json the event "end", as then success is. output NULL: no such option. */
int steep_cli_end(const steep_cli_output *output, steep_status status, const steep_error *error);

/* Closes the sheet; status: of what went before. */
steep_status steep_cli_close(steep_sheet *sheet, steep_status status, steep_error *error);

/* The flag that steep_cli_catch_signals lets signals set. */
const volatile int *steep_cli_stop(void);

/* From now on they set it; one that comes more than a second after the first ends the program. */
void steep_cli_catch_signals(void);

/* For a command that writes one file: from now on they end the program as ever, and the temporary file of path, which
 * is about to be written, goes with it. Nothing where path is written into as it stands (base/table.h). */
void steep_cli_guard(const char *path);

/* STEEP_CUDA_OBJECT and STEEP_CUDA_MEMORY of the environment. STEEP_BAD_INPUT: no number of 1 or more. */
steep_status steep_cli_device(steep_device_options *on, steep_error *error);

/* STEEP_GNUPLOT_SECONDS and STEEP_PROGRESS_SECONDS of the environment. STEEP_BAD_INPUT: no number of seconds. For
 * commands that draw, before anything is begun. */
steep_status steep_cli_check_gnuplot(steep_error *error);

/* How often progress is reported where it goes to no terminal: STEEP_PROGRESS_SECONDS, or a minute. */
double steep_cli_progress_seconds(void);

/* Of gnuplot: stopped by the flag of signals, and after STEEP_GNUPLOT_SECONDS where the environment has that. */
steep_figure_limits steep_cli_figure_limits(void);

/* The status of drawing a figure in the folder of a run that is done; where that was stopped, run.json says so, too. */
steep_status steep_cli_drawn(const char *folder, steep_status status);
