/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli: what the subcommands of steep share. Exit status: 0 success, 1 a failed run, 2 bad use or bad input, nothing
 * written over. */
#ifndef STEEP_CLI_CLI_H
#define STEEP_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "base/status.h"
#include "run/sweep.h"

/* Each takes argv from its own name on and returns the exit status. */
int steep_command_sweep(int argc, char **argv);
int steep_command_fit(int argc, char **argv);
int steep_command_join(int argc, char **argv);
int steep_command_slope(int argc, char **argv);
int steep_command_predict(int argc, char **argv);
int steep_command_figure(int argc, char **argv);
int steep_command_list(int argc, char **argv);
int steep_command_doctor(int argc, char **argv);

/* "steep: message" on stderr; returns the exit status that goes with a failure: 2 for STEEP_BAD_INPUT and STEEP_IO,
 * else 1. */
int steep_cli_fail(steep_status status, const steep_error *error);

/* Usage line, what the command does, its options, examples (NULL-terminated list of lines). */
void steep_cli_help(const char *usage, const char *what, const steep_option *table, const char *const *examples);

/* The same with the options of several groups; defaults are what their records hold. */
void steep_cli_help_groups(const char *usage, const char *what, const steep_option_group *groups,
                           const char *const *examples);

/* With --unit and without --arch, the unit alone: an arch that still points at the default was not given. */
void steep_cli_unit_alone(const char *initial, steep_model_options *model);

/* From now on SIGINT and SIGTERM set the returned flag; a second one ends the program. */
const volatile int *steep_cli_catch_signals(void);

#endif
