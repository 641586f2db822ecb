/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "fit/solvers.h"
#include "model/start.h"
#include "model/written.h"
#include "record/folder.h"

/* Refuses options that the file of --load decides. */
static steep_status check_given(const steep_command_line *line, steep_error *error)
{
    static const char *const decided[] = {"arch",  "unit",   "activation", "dictionary", "gate",  "degree",
                                          "width", "widths", "depth",      "layers",     "params"};
    for (size_t i = 0; i < sizeof decided / sizeof *decided; i++)
        if (steep_options_given(line->argc, line->argv, decided[i]))
            return steep_fail(error, STEEP_BAD_INPUT, "--%s: the network of --load has its own: leave it out",
                              decided[i]);
    return STEEP_OK;
}

/* Sets the options of the model from the network. */
static void describe(steep_loaded *loaded, steep_model_options *model)
{
    const steep_network *network = &loaded->stored.network;
    const steep_architecture *row = network->architecture;
    const steep_choice *choice = &network->choice;
    snprintf(loaded->arch, sizeof loaded->arch, "%s%s%s", row->name, row->uses_activation ? ":" : "",
             row->uses_activation ? steep_activation_names((size_t)choice->activation) : "");
    loaded->layers[0] = '\0';
    for (size_t l = 0; l + 1 < network->depth; l++)
        steep_text_add(loaded->layers, sizeof loaded->layers, "%zu,", network->hidden[l]);
    steep_text_add(loaded->layers, sizeof loaded->layers, "%zu%s", network->width, choice->residual ? "+" : "");
    snprintf(loaded->width, sizeof loaded->width, "%zu", network->width);
    steep_choice_dictionary(choice, loaded->dictionary, sizeof loaded->dictionary);
    model->widths = loaded->width;
    if (network->depth > 1) model->layers = loaded->layers;
    model->arch = loaded->stored.written ? NULL : loaded->arch;
    if (loaded->stored.written) model->unit = loaded->stored.written->given;
    if (row->uses_gate) model->gate = steep_gate_name(choice->gate);
    if (row->uses_degree) model->degree = (size_t)choice->degree;
    if (row->uses_dictionary) model->dictionary = loaded->dictionary;
}

steep_status steep_load(const char *path, const steep_command_line *line, steep_sweep_options *options,
                        steep_loaded *loaded, steep_error *error)
{
    char file[PATH_MAX];
    if (!options->solver.solver)
        options->solver.solver = steep_solver_names((size_t)steep_fit_options_default().solver);
    steep_status status = check_given(line, error);
    if (status == STEEP_OK) status = steep_cli_network(path, file, error);
    if (status == STEEP_OK) status = steep_stored_read(file, &loaded->stored, error);
    if (status != STEEP_OK) return steep_input_status(status);
    describe(loaded, &options->model);
    const bool gates = steep_start_check(&loaded->stored.network, STEEP_START_UNIFORM, NULL) == STEEP_OK;
    if (!options->solver.start) options->solver.start = gates ? "uniform" : "random"; /* for restarts */
    return STEEP_OK;
}

steep_status steep_cli_table(const char *named, steep_table *table, steep_error *error)
{
    const char *file = steep_folder_there(named) ? "fits.csv" : NULL;
    const steep_status status = steep_table_read(file ? steep_path_in(named, file).text : named, table, error);
    if (status != STEEP_OK) return steep_input_status(status);
    table->rows += table->tail; /* a file written by hand may lack its last newline */
    if (table->torn && !table->tail) fprintf(stderr, "steep: %s: its last line is cut short: left out\n", table->path);
    return STEEP_OK;
}

static int is_network(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return *entry->d_name != '.' && end && strcmp(end, ".json") == 0;
}

steep_status steep_cli_network(const char *named, char path[PATH_MAX], steep_error *error)
{
    struct dirent **entry;
    size_t count;
    char list[400] = "";
    snprintf(path, PATH_MAX, "%s", named);
    if (!steep_folder_there(named)) return STEEP_OK;
    snprintf(path, PATH_MAX, "%.2000s/parameters.json", named);
    if (access(path, F_OK) == 0) return STEEP_OK;
    snprintf(path, PATH_MAX, "%.2000s/" STEEP_FOLDER_NETWORKS, named);
    steep_folder_list(path, is_network, &entry, &count, NULL);
    if (count == 1) snprintf(path, PATH_MAX, "%.2000s/" STEEP_FOLDER_NETWORKS "/%s", named, entry[0]->d_name);
    for (size_t i = 0; i < count && strlen(list) + 80 < sizeof list; i++)
        steep_text_add(list, sizeof list, "%s%.70s", i ? ", " : "", entry[i]->d_name);
    steep_folder_free_list(entry, count);
    if (count == 1) return STEEP_OK;
    if (count > 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%.200s/" STEEP_FOLDER_NETWORKS " holds %zu networks: name one of them with its folder: %s%s",
                          named, count, list, strlen(list) + 80 < sizeof list ? "" : " ...");
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%.200s holds no network: name a file, or a folder of steep fit --out or steep sweep "
                      "--keep-networks",
                      named);
}

/* Whether both scales are the same; b NULL: no scales. */
static bool same_scales(const steep_standard *a, const steep_standard *b)
{
    if (!b) return a->dim == 0;
    return a->dim == b->dim && memcmp(a->x_mean, b->x_mean, a->dim * sizeof *a->x_mean) == 0 &&
           memcmp(a->x_scale, b->x_scale, a->dim * sizeof *a->x_scale) == 0 && a->y_mean == b->y_mean &&
           a->y_scale == b->y_scale;
}

steep_status steep_load_check(const steep_loaded *loaded, const steep_plan *plan, steep_error *error)
{
    const steep_network *network = &loaded->stored.network;
    if (network->dim != plan->target[0].dim)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the network of --load is in %zuD and %s is in %zuD: use another target", network->dim,
                          plan->target[0].name, plan->target[0].dim);
    if (steep_network_size(network) != plan->task[0].parameters)
        return steep_fail(error, STEEP_BAD_INPUT, "the network of --load has %zu parameters, expected %zu",
                          steep_network_size(network), plan->task[0].parameters);
    const steep_solver_row *solver = steep_solver_table(plan->method[0].solver);
    if (solver->writes)
        return steep_fail(error, STEEP_BAD_INPUT, "--solver %s begins with nothing: use another with --load",
                          solver->name);
    if (!same_scales(&loaded->stored.standard, steep_plan_standard(plan, &plan->task[0])))
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "the network of --load was fitted to points with other scales: use the same --data, --holdout "
            "and --standardize");
    return STEEP_OK;
}
