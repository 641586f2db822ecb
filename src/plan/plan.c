/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fit/solvers.h"
#include "model/network.h"
#include "plan/parts.h"
#include "plan/range.h"

#define LARGEST_SEED ((size_t)1 << 53)

/* Reads the options that all fits share. steep_options_check has checked the names of choices; NULL is the first. */
static void read_shared(steep_plan *plan, const steep_problem_options *problem, const steep_model_options *model,
                        const steep_solver_options *solver)
{
    plan->domain = problem->domain;
    plan->test = problem->test ? (steep_sampling)steep_options_index(steep_sampling_names, problem->test) : STEEP_GRID;
    plan->standardize = problem->standardize && !problem->data && !problem->points;
    plan->degree = model->degree;
    plan->extra = model->extra;
    plan->extra_count = model->extra_count;
    plan->fit = steep_fit_options_default();
    plan->fit.construction = (steep_construction)steep_options_index(steep_construction_names, solver->construction);
    plan->fit.max_iterations = solver->max_iterations;
    plan->fit.tolerance = solver->tolerance;
    plan->fit.penalty = solver->penalty;
    plan->fit.hits = solver->hits;
    plan->fit.directions = solver->directions;
    plan->fit.exchanges = solver->exchanges;
    plan->fit.stages = solver->stages;
    plan->fit.growth = solver->growth;
    plan->fit.steepness = solver->steepness;
    plan->fit.dense = solver->dense;
    plan->fit.training = (steep_training){
        .learning_rate = solver->learning_rate,
        .schedule = (steep_schedule)steep_options_index(steep_schedule_names, solver->schedule),
        .warmup = solver->warmup,
        .batch = solver->batch == STEEP_AUTO ? 0 : solver->batch,
        .weight_decay = solver->weight_decay,
        .clip = solver->clip,
        .single = steep_options_index(steep_precision_names, solver->precision) == 1,
    };
}

static steep_status begin(steep_plan *plan, const steep_problem_options *problem, const steep_model_options *model,
                          const steep_solver_options *solver, steep_error *error)
{
    *plan = (steep_plan){0};
    steep_status status = steep_options_check(steep_model_option_table, model, error);
    if (status == STEEP_OK) status = steep_options_check(steep_problem_option_table, problem, error);
    if (status == STEEP_OK) status = steep_options_check(steep_solver_option_table, solver, error);
    if (status != STEEP_OK) return status;
    read_shared(plan, problem, model, solver);
    status = steep_choice_parse(NULL, NULL, model->gate, &plan->choice, error);
    if (status != STEEP_OK || !problem->noise) return status;
    const size_t kind = steep_options_index(steep_noise_names, problem->noise_kind);
    return steep_noise_open(problem->noise, (steep_noise_kind)kind, &plan->noise, error);
}

/* How many numbers a network of this width stores; SIZE_MAX where there is no such network. */
static size_t size_of(const steep_variant *variant, size_t dim, size_t width)
{
    steep_network network;
    if (width > STEEP_MAX_WIDTH ||
        steep_network_init(&network, variant->architecture, &variant->choice, dim, width, NULL) != STEEP_OK)
        return SIZE_MAX;
    return steep_network_size(&network);
}

/* The largest width within a budget; 0: none. */
static size_t widest(const steep_variant *variant, size_t dim, size_t most)
{
    size_t low = 0, high = 1;
    while (high <= STEEP_MAX_WIDTH && size_of(variant, dim, high) <= most) low = high, high *= 2;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (size_of(variant, dim, middle) <= most) low = middle;
        else high = middle;
    }
    return low;
}

static bool in_budget(const steep_plan *plan, const steep_task *task)
{
    const steep_variant *variant = &plan->variant[task->variant];
    const size_t dim = plan->target[task->target].dim;
    if (plan->budgets == 0) return true;
    const size_t size = size_of(variant, dim, task->width), next = size_of(variant, dim, task->width + 1);
    for (size_t b = 0; b < plan->budgets; b++)
        if (size <= plan->budget[b] && next > plan->budget[b]) return true;
    return false;
}

/* Adds the widths of one architecture on one target, the largest within each budget. */
static steep_status add_widest(steep_plan *plan, const steep_variant *variant, const steep_plan_target *target,
                               steep_error *error)
{
    steep_status status = STEEP_OK;
    if (variant->architecture->line_alone && target->dim > 1) return STEEP_OK;
    for (size_t b = 0; status == STEEP_OK && b < plan->budgets; b++) {
        const size_t width = widest(variant, target->dim, plan->budget[b]);
        if (width > 0) status = steep_range_unite(&plan->width, &plan->widths, &width, 1, error);
        else if (!variant->optional)
            return steep_fail(error, STEEP_BAD_INPUT, "--params %zu: %s in %zuD has at least %zu: use a larger number",
                              plan->budget[b], variant->label, target->dim, size_of(variant, target->dim, 1));
    }
    return status;
}

static steep_status add_widths(steep_plan *plan, const steep_model_options *model, steep_error *error)
{
    const steep_range_limits widths = {"widths", 1, STEEP_MAX_WIDTH}, params = {"params", 2, (size_t)1 << 26};
    if (!model->params) return steep_range(&widths, plan->chosen.widths, &plan->width, &plan->widths, error);
    if (model->widths || model->layers)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--params %s with --%s: each says how wide networks are: use one of them", model->params,
                          model->layers ? "layers" : "widths");
    steep_status status = steep_range(&params, model->params, &plan->budget, &plan->budgets, error);
    for (size_t v = 0; status == STEEP_OK && v < plan->variants; v++)
        for (size_t t = 0; status == STEEP_OK && t < plan->targets; t++)
            status = add_widest(plan, &plan->variant[v], &plan->target[t], error);
    if (status != STEEP_OK || plan->widths > 0) return status;
    return steep_fail(error, STEEP_BAD_INPUT, "--params %s: no architecture has so few: use a larger number",
                      model->params);
}

static bool is_wanted(const steep_plan *plan, const steep_task *task)
{
    const steep_variant *variant = &plan->variant[task->variant];
    const steep_method *method = &plan->method[task->method];
    if (variant->architecture->line_alone && plan->target[task->target].dim > 1) return false;
    return plan->target[task->target].wanted && variant->wanted && method->wanted &&
           steep_plan_takes(variant, method, plan->solvers) && in_budget(plan, task) &&
           steep_range_find(plan->wanted_set, plan->wanted_sets, plan->set[task->set]) < plan->wanted_sets &&
           steep_range_find(plan->wanted_seed, plan->wanted_seeds, plan->seed[task->seed]) < plan->wanted_seeds &&
           steep_range_find(plan->wanted_width, plan->wanted_widths, task->width) < plan->wanted_widths;
}

static steep_task task_at(const steep_plan *plan, size_t index)
{
    size_t rest = index / plan->widths;
    steep_task task = {.width = plan->width[index % plan->widths], .seed = rest % plan->seeds};
    rest /= plan->seeds;
    task.set = rest % plan->sets;
    rest /= plan->sets;
    task.method = rest % plan->methods;
    rest /= plan->methods;
    task.variant = rest % plan->variants;
    task.target = rest / plan->variants;
    task.wanted = is_wanted(plan, &task);
    return task;
}

static double asked_for(const steep_plan *plan)
{
    size_t targets = 0, variants = 0, methods = 0;
    for (size_t t = 0; t < plan->targets; t++) targets += plan->target[t].wanted;
    for (size_t v = 0; v < plan->variants; v++) variants += plan->variant[v].wanted;
    for (size_t m = 0; m < plan->methods; m++) methods += plan->method[m].wanted;
    return (double)targets * (double)variants * (double)methods * (double)plan->wanted_sets *
           (double)plan->wanted_seeds * (double)plan->wanted_widths;
}

/* Can the network take the start and the stages of the options? */
static steep_status check_network(const steep_plan *plan, const steep_task *task, const steep_network *network,
                                  steep_error *error)
{
    const steep_fit_options fit = steep_plan_fit_options(plan, task);
    if (steep_solver_table(fit.solver)->writes) return STEEP_OK;
    if (steep_stages_check(network, &fit, error) != STEEP_OK) return STEEP_BAD_INPUT;
    const size_t points = plan->data ? plan->distinct : steep_plan_points(plan, task);
    steep_status status = steep_start_check(network, fit.start, error);
    for (size_t k = 0; status == STEEP_OK && k < fit.stages; k++) {
        steep_network part;
        status = steep_stages_network(network, &fit, k, &part, error);
        if (status == STEEP_OK) status = steep_layer_start_check(&part, fit.start, points, error);
    }
    return status;
}

steep_status steep_plan_lay_out(steep_plan *plan, steep_error *error)
{
    double total = (double)plan->targets * (double)plan->variants * (double)plan->methods * (double)plan->sets *
                   (double)plan->seeds * (double)plan->widths;
    if (!(total <= STEEP_MAX_TASKS) && asked_for(plan) <= STEEP_MAX_TASKS)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "every target, architecture, solver, seed and width of the folder and of these options, each "
                          "with each, are %.0f fits, and %d are the most: use another --out",
                          total, STEEP_MAX_TASKS);
    if (!(total <= STEEP_MAX_TASKS))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "these options stand for %.0f fits, and %d are the most: use larger steps in --widths or "
                          "fewer --seeds or --samples",
                          total, STEEP_MAX_TASKS);
    steep_task *grown = realloc(plan->task, ((size_t)total + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a list of %.0f fits", total);
    plan->task = grown;
    plan->tasks = plan->wanted = plan->left_out = 0;
    for (size_t i = 0; i < (size_t)total; i++) {
        steep_task task = task_at(plan, i);
        steep_network network;
        steep_status status = steep_plan_network(plan, &task, &network, task.wanted ? error : NULL);
        if (status != STEEP_OK && task.wanted) return status;
        /* Where lists cross, a network that nobody asks for may be too large: no fit is of it. */
        task.parameters = status == STEEP_OK ? steep_network_size(&network) : 0;
        status = STEEP_OK;
        if (task.wanted && plan->variant[task.variant].optional)
            task.wanted = check_network(plan, &task, &network, NULL) == STEEP_OK;
        if (task.wanted && check_network(plan, &task, &network, error) != STEEP_OK) return STEEP_BAD_INPUT;
        if (task.wanted) status = steep_plan_check_unknowns(plan, &task, error);
        if (status == STEEP_BAD_INPUT && plan->wanted_sets > 1) { /* other sets remain */
            task.wanted = false;
            plan->left_out++;
            status = STEEP_OK;
        }
        plan->wanted += task.wanted;
        if (status != STEEP_OK) return status;
        plan->task[plan->tasks++] = task;
    }
    return STEEP_OK;
}

/* Reads the seeds. With folds they are the numbers of the folds. */
static steep_status read_seeds(steep_plan *plan, const steep_problem_options *problem, steep_error *error)
{
    char folds[32];
    const steep_range_limits limits = {"seeds", 0, LARGEST_SEED};
    if (plan->folds == 0) return steep_range(&limits, problem->seeds, &plan->seed, &plan->seeds, error);
    if (problem->seeds && strcmp(problem->seeds, "0") != 0)
        return steep_fail(error, STEEP_BAD_INPUT, "--seeds %s: the seeds of --folds are their numbers: leave it out",
                          problem->seeds);
    snprintf(folds, sizeof folds, "0:%zu", plan->folds - 1);
    return steep_range(&limits, folds, &plan->seed, &plan->seeds, error);
}

steep_status steep_plan_init(const steep_problem_options *problem, const steep_model_options *model,
                             const steep_solver_options *solver, steep_plan *plan, steep_error *error)
{
    steep_status status = begin(plan, problem, model, solver, error);
    if (status == STEEP_OK) status = steep_plan_add_variants(plan, model, error);
    if (status == STEEP_OK) status = steep_plan_add_targets(plan, problem, error);
    if (status == STEEP_OK) status = steep_plan_choose_lists(plan, problem, model, solver, error);
    if (status == STEEP_OK) status = add_widths(plan, model, error);
    if (status == STEEP_OK) status = read_seeds(plan, problem, error);
    if (status == STEEP_OK)
        status = steep_range_unite(&plan->wanted_width, &plan->wanted_widths, plan->width, plan->widths, error);
    if (status == STEEP_OK)
        status = steep_range_unite(&plan->wanted_seed, &plan->wanted_seeds, plan->seed, plan->seeds, error);
    if (status == STEEP_OK) status = steep_plan_choose_samples(plan, error);
    if (status == STEEP_OK)
        status = steep_range_unite(&plan->wanted_set, &plan->wanted_sets, plan->set, plan->sets, error);
    if (status == STEEP_OK) status = steep_plan_add_methods(plan, solver, error);
    if (status == STEEP_OK) status = steep_plan_check_needs(plan, problem, solver, error);
    if (status == STEEP_OK) status = steep_plan_lay_out(plan, error);
    if (status != STEEP_OK) steep_plan_free(plan);
    return status;
}

steep_status steep_plan_init_empty(const steep_problem_options *problem, const steep_model_options *model,
                                   const steep_solver_options *solver, steep_plan *plan, steep_error *error)
{
    steep_status status = begin(plan, problem, model, solver, error);
    if (status == STEEP_OK && problem->data) status = steep_plan_add_points(plan, problem, error);
    if (status == STEEP_OK) status = steep_plan_choose_lists(plan, problem, model, solver, error);
    if (status == STEEP_OK) status = steep_plan_choose_samples(plan, error);
    if (status != STEEP_OK) steep_plan_free(plan);
    return status;
}

void steep_plan_free(steep_plan *plan)
{
    for (size_t t = 0; t < plan->targets; t++) {
        steep_target_free(plan->target[t].formula);
        steep_standard_free(&plan->target[t].standard);
    }
    for (size_t f = 0; plan->points && f < (plan->folds > 0 ? plan->folds : 1); f++)
        steep_points_free(&plan->points[f]);
    steep_written_free_all(plan->unit, plan->units);
    steep_formula_free(plan->noise.deviation);
    void *const owned[] = {plan->target,     plan->points, plan->data_name, plan->variant,     plan->method,
                           plan->seed,       plan->width,  plan->set,       plan->wanted_seed, plan->wanted_width,
                           plan->wanted_set, plan->budget, plan->task};
    const char *const chosen[] = {plan->chosen.samples, plan->chosen.widths, plan->chosen.solver, plan->chosen.start};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) free((char *)chosen[i]);
    *plan = (steep_plan){0};
}

/* May fits differ in their number of training points? Not with a file, nor with Gauss points, made for the cells. */
static bool has_sets(const steep_plan *plan)
{
    return !plan->data && plan->sampling != STEEP_GAUSS;
}

/* Index of the set with this many points when made for the target (0: the only set); plan->sets where there is none. */
static size_t find_set(const steep_plan *plan, size_t target, size_t samples)
{
    size_t s = 0;
    if (samples == 0 || !has_sets(plan)) return plan->sets == 1 ? 0 : plan->sets;
    const size_t dim = plan->target[target].dim;
    while (s < plan->sets && steep_samples_train_count(plan->sampling, plan->set[s], dim) != samples) s++;
    return s;
}

steep_plan_key steep_plan_key_of(const steep_plan *plan, const steep_task *task)
{
    const steep_variant *variant = &plan->variant[task->variant];
    const steep_method *method = &plan->method[task->method];
    return (steep_plan_key){.target = plan->target[task->target].name,
                            .arch = variant->architecture->name,
                            .activation = variant->activation,
                            .solver = steep_solver_names((size_t)method->solver),
                            .start = steep_start_names((size_t)method->start),
                            .seed = plan->seed[task->seed],
                            .width = task->width,
                            .samples = has_sets(plan) ? steep_plan_points(plan, task) : 0};
}

size_t steep_plan_find(const steep_plan *plan, const steep_plan_key *key)
{
    const size_t target = steep_plan_find_target(plan, key->target);
    if (target == plan->targets) return SIZE_MAX;
    const struct {
        size_t at, count;
    } axis[] = {{target, plan->targets},
                {steep_plan_find_variant(plan, key->arch, key->activation), plan->variants},
                {steep_plan_find_method(plan, key->solver, key->start), plan->methods},
                {find_set(plan, target, key->samples), plan->sets},
                {steep_range_find(plan->seed, plan->seeds, key->seed), plan->seeds},
                {steep_range_find(plan->width, plan->widths, key->width), plan->widths}};
    size_t task = 0;
    for (size_t i = 0; i < sizeof axis / sizeof *axis; i++) {
        if (axis[i].at >= axis[i].count) return SIZE_MAX;
        task = task * axis[i].count + axis[i].at;
    }
    return task;
}

static steep_status admit_names(steep_plan *plan, const steep_plan_key *key, steep_error *error)
{
    if (key->width < 1 || key->width > STEEP_MAX_WIDTH || key->seed > LARGEST_SEED)
        return steep_fail(error, STEEP_BAD_INPUT, "no fit has width %zu and seed %zu", key->width, key->seed);
    if (plan->folds > 0 && key->seed >= plan->folds)
        return steep_fail(error, STEEP_BAD_INPUT, "no fit of %zu folds has seed %zu", plan->folds, key->seed);
    steep_status status = steep_plan_admit_target(plan, key->target, error);
    if (status == STEEP_OK) status = steep_plan_admit_variant(plan, key->arch, key->activation, error);
    return status == STEEP_OK ? steep_plan_admit_method(plan, key->solver, key->start, error) : status;
}

/* Admits sets one by one, since the set of an earlier key may have a later key's number of points in its dimension.
 * Keys in 1D go first: they have the number that was asked for, which a grid in more dimensions rounds up. */
static steep_status admit_sets(steep_plan *plan, const steep_plan_key *key, size_t count, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < 2 * count; i++) {
        const steep_plan_key *k = &key[i % count];
        const size_t target = steep_plan_find_target(plan, k->target);
        if ((plan->target[target].dim == 1) != (i < count)) continue;
        if (k->samples > 0 && has_sets(plan) && find_set(plan, target, k->samples) == plan->sets)
            status = steep_range_unite(&plan->set, &plan->sets, &k->samples, 1, error);
    }
    return status == STEEP_OK ? steep_plan_check_sets(plan, error) : status;
}

steep_status steep_plan_admit(steep_plan *plan, const steep_plan_key *key, size_t count, size_t *refused,
                              steep_error *error)
{
    size_t *number = calloc(count + 1, sizeof *number);
    steep_status status = STEEP_OK;
    if (!number) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", count);
    for (size_t i = 0; status == STEEP_OK && i < count; i++) {
        status = admit_names(plan, &key[i], error);
        if (status != STEEP_OK && refused) *refused = i;
    }
    for (size_t i = 0; status == STEEP_OK && i < count; i++) number[i] = key[i].seed;
    if (status == STEEP_OK) status = steep_range_unite(&plan->seed, &plan->seeds, number, count, error);
    for (size_t i = 0; status == STEEP_OK && i < count; i++) number[i] = key[i].width;
    if (status == STEEP_OK) status = steep_range_unite(&plan->width, &plan->widths, number, count, error);
    free(number);
    return status == STEEP_OK ? admit_sets(plan, key, count, error) : status;
}

const steep_points *steep_plan_points_of(const steep_plan *plan, size_t seed)
{
    return plan->points && plan->folds > 0 ? &plan->points[plan->seed[seed]] : plan->points;
}

const steep_standard *steep_plan_standard(const steep_plan *plan, const steep_task *task)
{
    const steep_points *points = steep_plan_points_of(plan, task->seed);
    const steep_standard *standard = points ? &points->standard : &plan->target[task->target].standard;
    return standard->dim > 0 ? standard : NULL;
}

size_t steep_plan_series(const steep_plan *plan)
{
    return plan->targets * plan->variants * plan->methods * plan->sets;
}

steep_series_index steep_plan_series_at(const steep_plan *plan, size_t index)
{
    const size_t set = index % plan->sets, method = index / plan->sets, rest = method / plan->methods;
    return (steep_series_index){rest / plan->variants, rest % plan->variants, method % plan->methods, set};
}

size_t steep_plan_first_task(const steep_plan *plan, size_t series)
{
    return series * plan->seeds * plan->widths;
}

steep_label steep_plan_label_bare(const steep_plan *plan, size_t series)
{
    steep_series_index at = steep_plan_series_at(plan, series);
    const steep_method *mine = &plan->method[at.method];
    steep_label label;
    bool solvers = false, starts = false;
    for (size_t m = 0; m < plan->methods; m++) {
        solvers |= plan->method[m].solver != mine->solver;
        starts |= plan->method[m].solver == mine->solver && plan->method[m].start != mine->start;
    }
    snprintf(label.text, sizeof label.text, "%s%s%s%s%s", plan->variant[at.variant].label, solvers ? ", " : "",
             solvers ? steep_solver_names((size_t)mine->solver) : "", starts ? ", " : "",
             starts ? steep_start_names((size_t)mine->start) : "");
    return label;
}

steep_label steep_plan_label(const steep_plan *plan, size_t series)
{
    steep_label label = steep_plan_label_bare(plan, series);
    const size_t used = strlen(label.text), set = steep_plan_series_at(plan, series).set;
    if (plan->sets > 1) snprintf(label.text + used, sizeof label.text - used, ", N = %zu", plan->set[set]);
    return label;
}
