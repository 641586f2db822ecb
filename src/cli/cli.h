/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli: what the subcommands of steep share. Exit status: 0 success, 1 a failed run, 2 bad use or bad input, nothing
 * written over. */
#ifndef STEEP_CLI_CLI_H
#define STEEP_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "base/status.h"
#include "cli/annex.h"
#include "draw/figure.h"
#include "study/sweep.h"

/* Each takes argv from its own name on and returns the exit status. */
int steep_command_sweep(int argc, char **argv);
int steep_command_fit(int argc, char **argv);
int steep_command_join(int argc, char **argv);
int steep_command_slope(int argc, char **argv);
int steep_command_predict(int argc, char **argv);
int steep_command_figure(int argc, char **argv);
int steep_command_list(int argc, char **argv);
int steep_command_doctor(int argc, char **argv);
int steep_command_completion(int argc, char **argv);

/* The tables of each one's options, NULL past the last. */
const steep_option *steep_cli_sweep_tables(size_t index);
const steep_option *steep_cli_fit_tables(size_t index);
const steep_option *steep_cli_join_tables(size_t index);
const steep_option *steep_cli_slope_tables(size_t index);
const steep_option *steep_cli_predict_tables(size_t index);
const steep_option *steep_cli_figure_tables(size_t index);
const steep_option *steep_cli_list_tables(size_t index);
const steep_option *steep_cli_doctor_tables(size_t index);

/* In the order of --help, NULL past the last; by name, NULL if there is none. */
const steep_command *steep_cli_command(size_t index);
const steep_command *steep_cli_find(const char *name);

/* The lists of steep list, NULL past the last. */
const char *steep_cli_list_names(size_t index);

/* "steep: message" on stderr; returns the exit status that goes with a failure: 2 for STEEP_BAD_INPUT, else 1:
 * also for what cannot be written, drawn or run. */
int steep_cli_fail(steep_status status, const steep_error *error);

/* The status of reading what a command names, before anything is begun: a file that is not there is bad use. */
static inline steep_status steep_cli_input(steep_status status)
{
    return status == STEEP_IO ? STEEP_BAD_INPUT : status;
}

/* The defaults of the table, then what the command line says of its options; its words into line->word, made here. The
 * caller frees line->word, also after a failure. */
steep_status steep_cli_parse(const steep_option *table, void *record, steep_command_line *line, steep_error *error);

/* The same with the options of several groups, each with its defaults. */
steep_status steep_cli_parse_groups(const steep_option_group *groups, steep_command_line *line, steep_error *error);

/* Usage line, what the command does, its options, examples (NULL-terminated list of lines). */
void steep_cli_help(const char *usage, const char *what, const steep_option *table, const char *const *examples);

/* The same with the options of several tables, as a command lists them. */
void steep_cli_help_tables(const char *usage, const char *what, const steep_option *(*tables)(size_t index),
                           const char *const *examples);

/* The same with the options of several groups; defaults are what their records hold. */
void steep_cli_help_groups(const char *usage, const char *what, const steep_option_group *groups,
                           const char *const *examples);

/* STEEP_CUDA_OBJECT, STEEP_CUDA_MEMORY and STEEP_CUDA_NARROW of the environment. STEEP_BAD_INPUT: no number of 1 or
 * more. */
steep_status steep_cli_device(steep_device_options *on, steep_error *error);

/* With --unit and without --arch, the unit alone: an arch that still points at the default was not given. */
void steep_cli_unit_alone(const char *initial, steep_model_options *model);

/* The flag that steep_cli_catch_signals lets signals set. */
const volatile int *steep_cli_stop(void);

/* From now on SIGINT, SIGTERM and SIGHUP, those that are not ignored, set the returned flag; one that comes more than a
 * second after the first ends the program. */
const volatile int *steep_cli_catch_signals(void);

/* STEEP_GNUPLOT_SECONDS and STEEP_PROGRESS_SECONDS of the environment. STEEP_BAD_INPUT: no number of seconds. For commands that draw, before
 * anything is begun. */
steep_status steep_cli_check_gnuplot(steep_error *error);

/* How often progress is told where it goes to no terminal: STEEP_PROGRESS_SECONDS, or a minute. */
double steep_cli_progress_seconds(void);

/* Of gnuplot: stopped by the flag (NULL: never), and after STEEP_GNUPLOT_SECONDS where the environment has that. */
steep_figure_limits steep_cli_figure_limits(const volatile int *stop);

/* The status of drawing a figure in the folder of a run that is done; where that was stopped, run.json says so, too. */
steep_status steep_cli_drawn(const char *folder, steep_status status);

#endif
