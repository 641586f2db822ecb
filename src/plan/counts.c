/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many points a fit has, how many unknowns, and whether its solver can work on them. */
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
    *points = steep_samples_gauss_points(plan->samples, *cells, piecewise.degree);
}

size_t steep_plan_points(const steep_plan *plan, const steep_task *task)
{
    size_t dim = plan->target[task->target].dim, points, cells;
    if (plan->data) return steep_plan_points_of(plan, task->seed)->train.count;
    if (dim > 1 || plan->sampling != STEEP_GAUSS) return steep_samples_train_count(plan->sampling, plan->samples, dim);
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

/* --- what solvers and starts need --- */

/* What the solver refuses of the list. */
static steep_status check_solver(const steep_plan *plan, const steep_solver_row *solver, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t v = 0; solver->takes && v < plan->variants; v++)
        for (size_t t = 0; status == STEEP_OK && t < plan->targets; t++) {
            const steep_variant *variant = &plan->variant[v];
            const steep_plan_target *target = &plan->target[t];
            status = solver->takes(&(steep_solver_case){variant->architecture, &variant->choice, variant->label,
                                                        target->name, target->dim, plan->width[0]},
                                   error);
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
    if (needy[0] && plan->data)
        return steep_fail(error, STEEP_BAD_INPUT, "--%s needs a 1D formula and --data gives points: use --%s", needy,
                          instead);
    if (needy[0] && plan->standardize)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--%s needs a 1D formula as it is and --standardize scales it: use --%s", needy, instead);
    for (size_t t = 0; needy[0] && t < plan->targets; t++)
        if (plan->target[t].dim != 1)
            return steep_fail(error, STEEP_BAD_INPUT, "--%s needs a 1D formula and %s is in %zuD: use --%s", needy,
                              plan->target[t].name, plan->target[t].dim, instead);
    for (size_t t = 0; steep_start_has_directions(method->start) && t < plan->targets; t++)
        if (plan->target[t].dim == 1)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--start %s has directions in two and more dimensions only and %s is in 1D: use "
                              "--start uniform",
                              steep_start_names(method->start), plan->target[t].name);
    return check_solver(plan, solver, error);
}

static const steep_solver_row *solver_of(const steep_plan *plan, size_t method)
{
    return steep_solver_table(plan->method[method].solver);
}

static bool searches_lines(const steep_plan *plan)
{
    bool some = false;
    for (size_t m = 0; m < plan->methods; m++) some |= solver_of(plan, m)->searches_lines;
    return some;
}

static bool has_constructions(const steep_plan *plan)
{
    bool writes = false, some = false;
    for (size_t m = 0; m < plan->methods; m++) writes |= solver_of(plan, m)->writes;
    for (size_t v = 0; writes && v < plan->variants; v++) {
        const steep_piecewise p = steep_plan_piecewise(plan, v);
        some |= p.degree == 2 && p.continuity == 1;
    }
    return some;
}

/* The other of the two roads is that of splines, which are in 1D and of units that are piecewise polynomials. */
static bool has_two_paths(const steep_plan *plan)
{
    bool solver = false, line = false, spline = false;
    for (size_t m = 0; m < plan->methods; m++) solver |= solver_of(plan, m)->two_paths;
    for (size_t t = 0; t < plan->targets; t++) line |= plan->target[t].dim == 1;
    for (size_t v = 0; v < plan->variants; v++) spline |= steep_plan_piecewise(plan, v).degree > 0;
    return solver && line && spline;
}

static bool has_directions(const steep_plan *plan)
{
    bool some = false;
    for (size_t m = 0; m < plan->methods; m++)
        some |= plan->method[m].start == STEEP_START_RIDGE && !solver_of(plan, m)->writes;
    return some;
}

static bool has_starts(const steep_plan *plan)
{
    bool some = false;
    for (size_t m = 0; m < plan->methods; m++) some |= !solver_of(plan, m)->writes;
    return some;
}

static bool has_points(const steep_plan *plan)
{
    return plan->data != NULL;
}

static bool no_folds(const steep_plan *plan)
{
    return plan->folds == 0;
}

static bool draws_points(const steep_plan *plan)
{
    return !plan->data;
}

static bool other_search(const steep_plan *plan)
{
    return plan->fit.line_search != STEEP_SEARCH_WOLFE;
}

static bool other_construction(const steep_plan *plan)
{
    return plan->fit.construction != STEEP_CONSTRUCT_MIDPOINT;
}

static bool dense(const steep_plan *plan)
{
    return plan->fit.dense;
}

static bool some_directions(const steep_plan *plan)
{
    return plan->fit.directions != STEEP_AUTO;
}

static bool some_restarts(const steep_plan *plan)
{
    return plan->fit.restarts != STEEP_AUTO;
}

static bool some_hits(const steep_plan *plan)
{
    return plan->fit.hits != STEEP_AUTO;
}

/* Options that not every fit listens to. */
static const struct {
    const char *option;
    bool (*heard)(const steep_plan *plan);   /* by a fit of the list */
    bool (*differs)(const steep_plan *plan); /* from its default; NULL: that the plan does not say */
    const char *who;
} listeners[] = {
    {"line-search", searches_lines, other_search, "no solver of the list has one but newton"},
    {"construction", has_constructions, other_construction,
     "only solver construct of glu has some to choose from, and none is in the list"},
    {"dense", has_two_paths, dense,
     "solvers frozen, lm and varpro have two roads, in 1D with units that are piecewise polynomials, and none such is "
     "in the list"},
    {"directions", has_directions, some_directions, "only start ridge has some, and the list is without it"},
    {"restarts", has_starts, some_restarts, "solver construct writes its parameters down and starts nowhere"},
    {"hits", has_starts, some_hits, "solver construct writes its parameters down and starts nowhere"},
    {"seeds", no_folds, NULL, "the seeds of --folds are their numbers"},
    {"seed", no_folds, NULL, "the seeds of --folds are their numbers"},
    {"folds", has_points, NULL, "only points of --data are shared out"},
    {"missing", has_points, NULL, "only points of --data may lack a value"},
    {"samples", draws_points, NULL, "the points are those of --data"},
    {"sampling", draws_points, NULL, "the points are those of --data"},
    {"test", draws_points, NULL, "the points are those of --data"},
};
enum { LISTENERS = sizeof listeners / sizeof *listeners };

static steep_status check_listener(const steep_plan *plan, size_t i, bool asked, steep_error *error)
{
    if (!asked || listeners[i].heard(plan)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--%s: %s: leave it out", listeners[i].option, listeners[i].who);
}

/* An option that no fit of the list listens to would be ignored: say so instead. Of a record one cannot tell a default
 * from what was asked for: steep_plan_check_given can. */
static steep_status check_listeners(const steep_plan *plan, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < LISTENERS; i++)
        status = check_listener(plan, i, listeners[i].differs && listeners[i].differs(plan), error);
    return status;
}

steep_status steep_plan_check_given(const steep_plan *plan, int argc, char *const *argv, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < LISTENERS; i++)
        status = check_listener(plan, i, steep_options_given(argc, argv, listeners[i].option), error);
    return status;
}

steep_status steep_plan_check_needs(const steep_plan *plan, const steep_problem_options *options, steep_error *error)
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
    steep_status status = check_listeners(plan, error);
    for (size_t t = 0; status == STEEP_OK && !plan->data && t < plan->targets; t++)
        status = steep_samples_check(plan->sampling, plan->test, plan->samples, plan->target[t].dim, error);
    for (size_t m = 0; status == STEEP_OK && m < plan->methods; m++)
        status = check_method(plan, &plan->method[m], error);
    return status;
}

/* Frozen gates take any number of a file's points: their solution of minimum norm is as good as the file allows. Of a
 * formula more points can be had. */
steep_status steep_plan_check_unknowns(const steep_plan *plan, const steep_task *task, steep_error *error)
{
    steep_solver solver = plan->method[task->method].solver;
    size_t unknowns = steep_plan_unknowns(plan, task),
           points = plan->data ? plan->distinct : steep_plan_points(plan, task);
    if (points == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "width %zu: too many Gauss points in its cells: use a smaller width",
                          task->width);
    if (unknowns <= points || (plan->data && steep_solver_table(solver)->frozen)) return STEEP_OK;
    return steep_fail(
        error, STEEP_BAD_INPUT, "width %zu: %s has %zu unknowns (solver %s) for %zu %s: use %s%zu%s, or smaller widths",
        task->width, plan->variant[task->variant].label, unknowns, steep_solver_names((size_t)solver), points,
        plan->data ? "distinct points" : "training points", plan->data ? "a file with at least " : "--samples ",
        unknowns, plan->data ? ", --solver frozen" : "");
}
