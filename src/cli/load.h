/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load: a fit that goes on from a saved network. */
#pragma once

#include <limits.h>

#include "base/options.h"
#include "model/stored.h"
#include "plan/plan.h"

/* A saved network, and the texts of the options that it stands for. */
typedef struct steep_loaded {
    steep_stored stored;
    char arch[128], dictionary[64], width[32], layers[160];
} steep_loaded;

/* Reads the network at path, and sets what it says of the model: architecture, choice, width. STEEP_BAD_INPUT where the
 * command line has an option for one of these. On failure nothing is to be freed. */
steep_status steep_load(const char *path, const steep_command_line *line, steep_model_options *model,
                        steep_loaded *loaded, steep_error *error);

/* Whether its parameters are those of the plan's one network, of points with the same scales. */
steep_status steep_load_check(const steep_loaded *loaded, const steep_plan *plan, steep_error *error);
void steep_load_free(steep_loaded *loaded);

/* The file of a network that a command names: the file itself, or of a run's folder parameters.json, else the one network
 * in networks/. STEEP_BAD_INPUT: the folder has none, or several, which the message lists. */
steep_status steep_cli_network(const char *named, char path[PATH_MAX], steep_error *error);
