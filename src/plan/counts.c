/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many points a fit has, how many unknowns, and whether its solver can work on them. */
#include <stdio.h>
#include <string.h>

#include "fit/cost.h"
#include "fit/solvers.h"
#include "plan/parts.h"

steep_piecewise steep_plan_piecewise(const steep_plan *plan, size_t variant)
{
    return steep_architecture_piecewise(plan->variant[variant].architecture, &plan->variant[variant].choice);
}

steep_fit_options steep_plan_fit_options(const steep_plan *plan, const steep_task *task)
{
    steep_fit_options options = plan->fit;
    options.solver = plan->method[task->method].solver;
    options.start = plan->method[task->method].start;
    options.seed = plan->seed[task->seed];
    const steep_solver_row *solver = steep_solver_table(options.solver);
    if (plan->variant[task->variant].architecture->place) options.restarts = 0;
    else if (plan->automatic && options.restarts == STEEP_AUTO && !solver->restarts && !solver->frozen)
        options.restarts = STEEP_PLAN_RESTARTS;
    return options;
}

steep_status steep_plan_network(const steep_plan *plan, const steep_task *task, steep_network *network,
                                steep_error *error)
{
    const steep_variant *variant = &plan->variant[task->variant];
    return steep_network_init(network, variant->architecture, &variant->choice, plan->target[task->target].dim,
                              task->width, error);
}

void steep_plan_gauss(const steep_plan *plan, const steep_task *task, size_t *cells, size_t *points)
{
    steep_piecewise piecewise = steep_plan_piecewise(plan, task->variant);
    *cells = steep_start_inside(plan->method[task->method].start, &piecewise, task->width) + 1;
    *points = steep_samples_gauss_points(plan->set[task->set], *cells, piecewise.degree);
}

bool steep_plan_own_points(const steep_plan *plan, size_t target)
{
    return !plan->data && plan->sampling == STEEP_GAUSS && plan->target[target].dim == 1;
}

bool steep_plan_drawn(const steep_plan *plan)
{
    return plan->sampling == STEEP_RANDOM || plan->sampling == STEEP_SOBOL || plan->noise.deviation;
}

size_t steep_plan_points(const steep_plan *plan, const steep_task *task)
{
    size_t dim = plan->target[task->target].dim, points, cells;
    if (plan->data) return steep_plan_points_of(plan, task->seed)->train.count;
    if (!steep_plan_own_points(plan, task->target))
        return steep_samples_train_count(plan->sampling, plan->set[task->set], dim);
    steep_plan_gauss(plan, task, &cells, &points);
    return steep_samples_gauss_count(cells, points);
}

size_t steep_plan_unknowns(const steep_plan *plan, const steep_task *task)
{
    steep_network network;
    steep_fit_options options = steep_plan_fit_options(plan, task);
    if (steep_plan_network(plan, task, &network, NULL) != STEEP_OK) return task->parameters;
    return steep_fit_unknowns(&network, &options);
}

double steep_plan_cost(const steep_plan *plan, const steep_task *task)
{
    steep_network network;
    steep_fit_options options = steep_plan_fit_options(plan, task);
    if (steep_plan_network(plan, task, &network, NULL) != STEEP_OK) return 0;
    return steep_fit_cost(&network, steep_plan_points(plan, task), &options);
}

/* Refuses a variant or a target of the list that the solver does not take. */
static steep_status check_solver(const steep_plan *plan, const steep_method *method, steep_error *error)
{
    const steep_solver_row *solver = steep_solver_table(method->solver);
    steep_status status = STEEP_OK;
    for (size_t v = 0; status == STEEP_OK && v < plan->variants; v++) {
        const steep_variant *variant = &plan->variant[v];
        if (!steep_plan_takes(variant, method, plan->solvers)) continue;
        if (variant->choice.depth > 1 && !solver->layers)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--solver %s fits one layer of units, and %s has %zu: use lm, varpro or frozen",
                              solver->name, variant->label, variant->choice.depth);
        for (size_t t = 0; solver->takes && status == STEEP_OK && t < plan->targets; t++) {
            const steep_plan_target *target = &plan->target[t];
            status = solver->takes(&(steep_solver_case){variant->architecture, &variant->choice, variant->label,
                                                        target->name, target->dim, plan->width[0]},
                                   error);
        }
    }
    return status;
}

static steep_status check_method(const steep_plan *plan, const steep_method *method, steep_error *error)
{
    const steep_solver_row *solver = steep_solver_table(method->solver);
    const char *instead = solver->writes ? "solver frozen" : "start uniform";
    char needy[32] = ""; /* the option that asks for a 1D formula */
    if (solver->writes) snprintf(needy, sizeof needy, "solver %s", solver->name);
    else if (method->start == STEEP_START_EQUIDISTRIBUTED) snprintf(needy, sizeof needy, "start equidistributed");
    const char *why = plan->data              ? "needs a 1D formula and --data gives points"
                      : plan->noise.deviation ? "takes the truth, and with --noise only its values with noise are known"
                      : plan->standardize     ? "needs a 1D formula as it is and --standardize scales it"
                                              : NULL;
    if (needy[0] && why) return steep_fail(error, STEEP_BAD_INPUT, "--%s %s: use --%s", needy, why, instead);
    for (size_t t = 0; needy[0] && t < plan->targets; t++)
        if (plan->target[t].dim != 1)
            return steep_fail(error, STEEP_BAD_INPUT, "--%s needs a 1D formula and %s is in %zuD: use --%s", needy,
                              plan->target[t].name, plan->target[t].dim, instead);
    if (check_solver(plan, method, error) != STEEP_OK) return STEEP_BAD_INPUT;
    for (size_t t = 0; steep_start_has_directions(method->start) && t < plan->targets; t++)
        if (plan->target[t].dim == 1)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--start %s has directions, in 2D and more, and %s is in 1D: use --start uniform",
                              steep_start_names(method->start), plan->target[t].name);
    return STEEP_OK;
}

/* What some fit of the list has; each field decides whether some options have an effect. */
typedef struct subject {
    bool constructions, paths, directions, greedy, starts, moves, folds, points, trains;
} subject;

/* paths: some solver has two paths, and units in 1D that are piecewise polynomials can take the spline path. */
static subject subject_of(const steep_plan *plan)
{
    subject s = {.folds = plan->folds > 0, .points = plan->data != NULL};
    bool writes = false, two = false, line = false, spline = false, parabola = false;
    for (size_t m = 0; m < plan->methods; m++) {
        const steep_solver_row *solver = steep_solver_table(plan->method[m].solver);
        s.trains |= solver->trains;
        s.directions |= plan->method[m].start == STEEP_START_RIDGE && !solver->writes;
        s.greedy |= plan->method[m].start == STEEP_START_GREEDY && !solver->writes;
        s.starts |= !solver->writes;
        writes |= solver->writes;
        two |= solver->two_paths;
    }
    for (size_t t = 0; t < plan->targets; t++) line |= plan->target[t].dim == 1;
    for (size_t v = 0; v < plan->variants; v++) {
        const steep_piecewise p = steep_plan_piecewise(plan, v);
        s.moves |= plan->variant[v].architecture->place == NULL;
        spline |= p.degree > 0;
        parabola |= p.degree == 2 && p.continuity == 1;
    }
    s.constructions = writes && parabola;
    s.paths = two && line && spline;
    return s;
}

/* Does a record of options have this option with another value than its default? A record alone does not show whether a
 * default was given; the command line does (steep_plan_check_given). */
static bool differs(const steep_solver_options *solver, const char *option)
{
    char value[64];
    const steep_option *o = steep_options_find(STEEP_ONE_GROUP(steep_solver_option_table, NULL), option, NULL);
    if (!o) return false;
    steep_options_value(o, solver, value, sizeof value);
    return *value && strcmp(value, o->initial ? o->initial : "false") != 0;
}

/* Refuses an option that has no effect on any fit of the list, since it would be ignored. Options are those of a
 * record, or, where solver is NULL, those of the command line. */
static steep_status check_listeners(const steep_plan *plan, const steep_solver_options *solver, int argc,
                                    char *const *argv, steep_error *error)
{
    static const char constructs[] = "solver construct writes its parameters down and starts nowhere";
    const subject s = subject_of(plan);
    const struct {
        const char *options; /* separated by blanks */
        bool heard;          /* has an effect on a fit of the list */
        const char *who;
    } listeners[] = {
        {"construction", s.constructions,
         "only solver construct of glu has some to choose from, and none is in the list"},
        {"dense", s.paths,
         "solvers frozen, lm and varpro have two roads, in 1D with units that are piecewise polynomials, and none such "
         "is in the list"},
        {"directions", s.directions, "only start ridge has some, and the list is without it"},
        {"exchanges", s.greedy, "only start greedy has some, and the list is without it"},
        {"stages steepness", s.starts && s.moves, s.starts ? "the width says where all units stand" : constructs},
        {"growth", plan->fit.stages > 1, "only --stages of 2 and more have one"},
        {"learning-rate schedule warmup batch weight-decay clip precision", s.trains,
         "only adam, adamw, sgd and muon have a learning rate, and none is in the list"},
        {"restarts hits", s.starts, constructs},
        {"seeds seed", !s.folds, "the seeds of --folds are their numbers"},
        {"folds", s.points, "only points of --data are shared out"},
        {"missing", s.points, "only points of --data may lack a value"},
        {"samples sampling test noise", !s.points, "the points are those of --data"},
        {"noise-kind", plan->noise.deviation != NULL, "there is no --noise"},
        {"width widths depth", !plan->layered, "--layers says how wide each layer is"},
    };
    for (size_t i = 0; i < sizeof listeners / sizeof *listeners; i++)
        for (const char *at = listeners[i].options; !listeners[i].heard && *at; at += *at == ' ') {
            char option[32];
            at += snprintf(option, sizeof option, "%.*s", (int)strcspn(at, " "), at);
            if (solver ? differs(solver, option) : steep_options_given(argc, argv, option))
                return steep_fail(error, STEEP_BAD_INPUT, "--%s: %s: leave it out", option, listeners[i].who);
        }
    return STEEP_OK;
}

steep_status steep_plan_check_given(const steep_plan *plan, int argc, char *const *argv, steep_error *error)
{
    return check_listeners(plan, NULL, argc, argv, error);
}

/* Checks, for each target, that each number of training points is possible and that no two give the same set. */
steep_status steep_plan_check_sets(const steep_plan *plan, steep_error *error)
{
    steep_status status = STEEP_OK;
    size_t before = 0;
    if (plan->data || plan->targets == 0) return STEEP_OK;
    if (plan->sampling == STEEP_GAUSS && plan->sets > 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--samples %s: Gauss points follow from each width: use one number, or another --sampling",
                          plan->chosen.samples);
    for (size_t i = 0; status == STEEP_OK && i < plan->targets * plan->sets; i++) {
        const size_t dim = plan->target[i / plan->sets].dim, s = i % plan->sets;
        status = steep_samples_check(plan->sampling, plan->test, plan->set[s], dim, error);
        const size_t count = steep_samples_train_count(plan->sampling, plan->set[s], dim);
        if (status == STEEP_OK && s > 0 && count == before)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--samples: %zu and %zu are the same %zu points: name one of them", plan->set[s - 1],
                              plan->set[s], count);
        before = count;
    }
    return status;
}

static steep_status check_noise(const steep_plan *plan, steep_error *error)
{
    const size_t needed = steep_formula_dim(plan->noise.deviation);
    if (plan->data)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--noise is added to values of a formula, and those of --data have their own: leave it out");
    if (plan->sampling == STEEP_GAUSS)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--noise with --sampling gauss: measured points weigh alike and those of a quadrature do "
                          "not: use --sampling random, grid or sobol");
    for (size_t t = 0; t < plan->targets; t++)
        if (plan->target[t].dim < needed)
            return steep_fail(error, STEEP_BAD_INPUT, "--noise %.80s is in %zuD and %.80s in %zuD: use its coordinates",
                              steep_formula_text(plan->noise.deviation), needed, plan->target[t].name,
                              plan->target[t].dim);
    return STEEP_OK;
}

steep_status steep_plan_check_needs(const steep_plan *plan, const steep_problem_options *options,
                                    const steep_solver_options *solver, steep_error *error)
{
    const bool other = plan->test != STEEP_GRID;
    if (plan->data && (other || plan->sampling != STEEP_RANDOM))
        return steep_fail(error, STEEP_BAD_INPUT, "--%s %s needs a formula and --data gives points: leave it out",
                          other ? "test" : "sampling", other ? options->test : options->sampling);
    for (size_t t = 0; plan->standardize && t < plan->targets; t++)
        if (plan->target[t].dim == 1 && (plan->test == STEEP_GAUSS || plan->sampling == STEEP_GAUSS))
            return steep_fail(
                error, STEEP_BAD_INPUT,
                "--%s gauss needs a 1D formula as it is and --standardize scales it: leave one of them out",
                plan->test == STEEP_GAUSS ? "test" : "sampling");
    steep_status status = check_listeners(plan, solver, 0, NULL, error);
    if (status == STEEP_OK) status = steep_plan_check_sets(plan, error);
    if (status == STEEP_OK && plan->noise.deviation) status = check_noise(plan, error);
    for (size_t t = 0; status == STEEP_OK && t < plan->targets; t++)
        for (size_t v = 0; plan->target[t].dim > 1 && v < plan->variants; v++)
            if (plan->variant[v].architecture->line_alone && !plan->variant[v].optional)
                return steep_fail(error, STEEP_BAD_INPUT,
                                  "--arch %s is in 1D only and %s is in %zuD: leave it out, or use kan or rbf",
                                  plan->variant[v].label, plan->target[t].name, plan->target[t].dim);
    for (size_t m = 0; status == STEEP_OK && m < plan->methods; m++)
        status = check_method(plan, &plan->method[m], error);
    return status;
}

/* Solvers by the gradient alone (underdetermined) take any number of points. Frozen gates take any number of points of
 * a file: their minimum-norm solution is as good as the file allows. For a formula more points can be made. */
steep_status steep_plan_check_unknowns(const steep_plan *plan, const steep_task *task, steep_error *error)
{
    steep_solver solver = plan->method[task->method].solver;
    const steep_solver_row *row = steep_solver_table(solver);
    size_t unknowns = steep_plan_unknowns(plan, task),
           points = plan->data ? plan->distinct : steep_plan_points(plan, task);
    if (points == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "width %zu: too many Gauss points in its cells: use a smaller width",
                          task->width);
    if (unknowns <= points || row->underdetermined || (plan->data && row->frozen)) return STEEP_OK;
    return steep_fail(
        error, STEEP_BAD_INPUT,
        "width %zu: %s has %zu unknowns (solver %s) for %zu %s: use %s%zu%s, --solver lbfgs, or smaller widths",
        task->width, plan->variant[task->variant].label, unknowns, steep_solver_names((size_t)solver), points,
        plan->data ? "distinct points" : "training points", plan->data ? "at least " : "--samples ", unknowns,
        plan->data ? " points, --solver frozen" : "");
}
