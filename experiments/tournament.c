/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tournament: which unit gives the least error for its parameters, over ten targets of different smoothness. A unit's
 * width is the largest whose parameters fit the budget P, or a smaller one that ended better; 1001 equispaced training
 * points; the error is that between them, on 8001 points.
 *
 *   1. mlp, glu, gqu with relu gates: reduced-newton, equidistributed and uniform gates, jittered restarts. Above 141
 *      parameters it keeps a gqu smooth at its knots; variable projection goes on without.
 *   2. The other splines (relu2, relu3, gated3..5): frozen on either gates, then variable projection and lm from there.
 *   3. Smooth gates (silu, gelu): as 2 without lm, with the gates as steep as 1, n/4, n and 4n.
 *
 * The least training error counts; a unit is as good as the search that was made for it, which is the same number of
 * starts for all units of a kind. */
#include "fit/solvers.h"

#include "budget.h"

static const struct {
    const char *arch, *activation;
} units[] = {{"mlp", NULL},    {"mlp", "relu2"}, {"mlp", "relu3"}, {"glu", NULL},   {"gqu", NULL},  {"gated3", NULL},
             {"gated4", NULL}, {"gated5", NULL}, {"glu", "silu"},  {"glu", "gelu"}, {"gqu", "silu"}};
static const struct {
    const char *formula, *label;
} targets[] = {{"abs(x)^1.5", "|x|^{1.5}"},
               {"abs(x)^2.5", "|x|^{2.5}"},
               {"max(0,1+2*x)^3-4*max(0,0.5+2*x)^3+6*max(0,2*x)^3-4*max(0,2*x-0.5)^3+max(0,2*x-1)^3", "B-spline"},
               {"abs(sin(3*x+0.4))", "|sin|"},
               {"atan(20*x)", "front"},
               {"sin(3*x)+0.2*sin(30*x)", "two scales"},
               {"chirp", "chirp"},
               {"runge3", "runge3"},
               {"cosine_well", "cosine well"},
               {"cos4", "cos4"}};
static const size_t budgets[] = {200, 135, 90, 60, 40};
enum { ROUNDING = 30, TIE = 4 }; /* floors: below, no slope is measured; below, none is the better */
enum {
    UNITS = sizeof units / sizeof *units,
    TARGETS = sizeof targets / sizeof *targets,
    BUDGETS = sizeof budgets / sizeof *budgets
};

typedef struct outcome {
    double train, test, floor; /* floor: of rounding, in this network */
    size_t parameters, width;
    char way[24]; /* solver and start that won */
} outcome;

typedef struct job {
    size_t unit, target, budget;
    bool quick;
    outcome end;
} job;

static void unit_name(size_t unit, char text[32])
{
    snprintf(text, 32, "%s%s%s", units[unit].arch, units[unit].activation ? ":" : "",
             units[unit].activation ? units[unit].activation : "");
}

/* Keeps theta if it is better on the training points. */
static void offer(const steep_problem *problem, const double *theta, const char *way, steep_start_kind start,
                  double *best, outcome *o)
{
    steep_measured train, test;
    if (steep_measure(problem->network, theta, problem->train, NULL, &train, NULL) < 0 || !(train.rmse < *best)) return;
    if (steep_measure(problem->network, theta, problem->test, NULL, &test, NULL) < 0) return;
    *best = o->train = train.rmse;
    o->test = test.rmse;
    if (steep_network_floor(problem->network, theta, problem->test->count, problem->test->x, &o->floor) < 0) return;
    snprintf(o->way, sizeof o->way, "%s %.7s", way, steep_start_names((size_t)start));
}

/* One solver from theta, offered; theta is left as it was. */
static steep_status polish(const steep_problem *problem, steep_start_kind start, bool quick, steep_solver solver,
                           const double *theta, double *best, outcome *o, steep_error *error)
{
    size_t P = problem->network->parameters;
    double *moved = malloc(P * sizeof *moved);
    steep_solve solve = {.active = malloc(P)};
    steep_fit_options options = steep_fit_options_default();
    steep_status status = STEEP_OK;
    if (moved && solve.active) {
        memcpy(moved, theta, P * sizeof *moved);
        memset(solve.active, 1, P);
        options.max_iterations = quick ? 8 : 40;
        if ((solver == STEEP_SOLVER_VARPRO ? steep_solve_varpro : steep_solve_marquardt)(problem, &options, moved,
                                                                                         &solve, error) >= 0)
            offer(problem, moved, steep_solver_names((size_t)solver), start, best, o);
    } else status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    free(moved);
    free(solve.active);
    return status;
}

/* Way 1. A start that the target does not allow is left out. rough: variable projection goes on from there. */
static steep_status by_newton(const steep_problem *problem, steep_start_kind start, bool rough, bool quick,
                              double *best, outcome *o, steep_error *error)
{
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    options.solver = STEEP_SOLVER_REDUCED_NEWTON;
    options.start = start;
    options.restarts = quick ? 1 : problem->network->width <= 32 ? 20 : 6;
    steep_status status = steep_fit(problem, &options, &result, error);
    if (status >= 0) {
        offer(problem, result.theta, "reduced-newton", start, best, o);
        if (rough) status = polish(problem, start, quick, STEEP_SOLVER_VARPRO, result.theta, best, o, error);
    }
    steep_fit_result_free(&result);
    return status == STEEP_NO_MEMORY ? status : STEEP_OK;
}

/* Ways 2 and 3: frozen gates of the given steepness, then the solvers from there. */
static steep_status by_parts(const steep_problem *problem, steep_start_kind start, bool splines, double steepness,
                             bool quick, double *best, outcome *o, steep_error *error)
{
    const steep_network *network = problem->network;
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    options.start = start;
    steep_status status = steep_fit(problem, &options, &result, error);
    if (status < 0) {
        steep_fit_result_free(&result);
        return status == STEEP_NO_MEMORY ? status : STEEP_OK;
    }
    if (steepness != 1) {
        steep_solve solve = {.active = malloc(network->parameters)};
        if (solve.active) memset(solve.active, 1, network->parameters);
        budget_steepen(network, steepness, result.theta);
        status = solve.active ? steep_solve_frozen(problem, &options, result.theta, &solve, error) : STEEP_NO_MEMORY;
        free(solve.active);
    }
    if (status >= 0) {
        offer(problem, result.theta, "frozen", start, best, o);
        status = polish(problem, start, quick, STEEP_SOLVER_VARPRO, result.theta, best, o, error);
        if (status >= 0 && !quick && splines)
            status = polish(problem, start, quick, STEEP_SOLVER_LM, result.theta, best, o, error);
    }
    steep_fit_result_free(&result);
    return status == STEEP_NO_MEMORY ? status : STEEP_OK;
}

static steep_status compete(const job *j, const steep_problem *problem, outcome *o, steep_error *error)
{
    static const steep_start_kind starts[] = {STEEP_START_EQUIDISTRIBUTED, STEEP_START_UNIFORM};
    const steep_network *network = problem->network;
    steep_piecewise piecewise = {0, 0, 0};
    if (network->architecture->piecewise) network->architecture->piecewise(&network->choice, &piecewise);
    double best = INFINITY, n = (double)network->width, steepness[] = {1, n / 4, n, 4 * n};
    steep_status status = STEEP_OK;
    for (size_t s = 0; s < 2 && status >= 0; s++) {
        if (piecewise.degree && 2 * piecewise.continuity <= piecewise.degree + 1)
            status = by_newton(problem, starts[s], piecewise.continuity > 1, j->quick, &best, o, error);
        else
            for (size_t k = 0; k < (piecewise.degree ? 1 : 4) && status >= 0; k++)
                status = by_parts(problem, starts[s], piecewise.degree > 0, steepness[k], j->quick, &best, o, error);
    }
    return status < 0 ? status : STEEP_OK;
}

static steep_status work(const void *item, void *result, steep_error *error)
{
    const job *j = item;
    outcome *o = result;
    const steep_architecture *architecture = steep_architecture_find(units[j->unit].arch, NULL, 0);
    steep_choice choice = steep_choice_default(architecture);
    budget_problem b;
    o->train = o->test = INFINITY;
    steep_status status = steep_choice_parse(units[j->unit].activation, NULL, NULL, &choice, error);
    if (status < 0) return status;
    status = budget_open(&b, targets[j->target].formula, NULL, architecture, &choice, budgets[j->budget], error);
    o->parameters = b.network.parameters;
    o->width = b.network.width;
    if (status == STEEP_OK) status = compete(j, &b.problem, o, error);
    budget_close(&b);
    return status;
}

static const job *find(const job *jobs, size_t count, size_t unit, size_t target, size_t budget)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].unit == unit && jobs[i].target == target && jobs[i].budget == budget) return &jobs[i];
    return NULL;
}

/* The unit with the least error, of those that took part. */
static size_t winner(const job *jobs, size_t count, size_t target, size_t budget)
{
    size_t best = UNITS;
    for (size_t u = 0; u < UNITS; u++) {
        const job *j = find(jobs, count, u, target, budget);
        if (j && (best == UNITS || j->end.test < find(jobs, count, best, target, budget)->end.test)) best = u;
    }
    return best;
}

/* A narrower network is one of at most P parameters, too: where the search at a larger budget ended above that of a
 * smaller one, on the training points, its end is the smaller one's. Jobs stand from large to small budgets. */
static void carry_over(job *jobs, size_t count)
{
    outcome best[UNITS][TARGETS] = {{{0}}};
    for (size_t i = count; i-- > 0;) {
        outcome *o = &jobs[i].end, *least = &best[jobs[i].unit][jobs[i].target];
        if (least->parameters > 0 && !(o->train <= least->train)) *o = *least;
        else *least = *o;
    }
}

/* Errors of a few roundings in the best network: which of them is the least says nothing. */
static bool is_tie(const outcome *best, const outcome *o)
{
    return best->test <= TIE * best->floor && o->test <= TIE * best->floor;
}

/* Slope of a unit's error against its parameters over the budgets, those at the rounding floor left out; NaN if fewer
 * than two are left. */
static steep_slope measure(const experiment *e, const job *jobs, size_t count, size_t unit, size_t target)
{
    double size[BUDGETS], error[BUDGETS];
    size_t points = 0;
    steep_slope slope;
    steep_error message;
    for (size_t b = 0; b < BUDGETS; b++) {
        const job *j = find(jobs, count, unit, target, b);
        if (!j || j->end.test <= ROUNDING * j->end.floor) continue;
        size[points] = (double)j->end.parameters;
        error[points++] = j->end.test;
    }
    if (steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){points, size, error, NULL}, NULL, &slope, &message) <
        0)
        experiment_die(e, &message, 1);
    return slope;
}

/* As table and figure show it. */
static void slope_text(double slope, char text[16])
{
    if (isfinite(slope)) snprintf(text, 16, "%.2f", slope);
    else snprintf(text, 16, "rounding");
}

/* The rows of one budget, printed and into points.csv: row 0 is the top. Who wins is known only if all take part. */
static void put_budget(const experiment *e, FILE *out, const job *jobs, size_t count, size_t b)
{
    for (size_t u = 0; u < UNITS; u++) {
        char name[32];
        unit_name(u, name);
        if (!find(jobs, count, u, 0, b) || !experiment_wants_size(e, 0, budgets[b])) continue;
        printf("%4zu %-10s", budgets[b], name);
        for (size_t t = 0; t < TARGETS; t++) {
            const outcome *o = &find(jobs, count, u, t, b)->end;
            size_t best = winner(jobs, count, t, b);
            const outcome *first = &find(jobs, count, best, t, b)->end;
            int won = best == u ? 2 : is_tie(first, o);
            char slope[16];
            slope_text(measure(e, jobs, count, u, t).slope, slope);
            printf(" %9.2e%s", o->test, won && !e->only ? "*" : t + 1 < TARGETS ? " " : "");
            fprintf(out, "%zu,%zu,%zu,%s,%s,%zu,%zu,%.17g,%.17g,%.17g,%d,%s,%s,%.3g\n", budgets[b], u, t, name,
                    targets[t].label, o->width, o->parameters, o->train, o->test, log10(o->test / first->test), won,
                    slope, o->way, o->floor);
        }
        printf("\n");
    }
}

/* The winners at budget top, the largest there is. */
static void put_winners(const experiment *e, FILE *out, const job *jobs, size_t count, size_t top)
{
    printf("winners at P <= %zu, slope of their error against P over all budgets, how they were found:\n",
           budgets[top]);
    for (size_t t = 0; t < TARGETS; t++) {
        size_t u = winner(jobs, count, t, top);
        const job *j = find(jobs, count, u, t, top);
        char name[32];
        unit_name(u, name);
        char slope[16];
        slope_text(measure(e, jobs, count, u, t).slope, slope);
        printf("  %-14s %-10s %8s  %s\n", targets[t].label, name, slope, j->end.way);
        fprintf(out, "%s,%s,%zu,%.17g,%s\n", targets[t].label, name, j->end.parameters, j->end.test, slope);
    }
}

/* Whether that row is asked for (--only). A budget takes what smaller ones found: all of those are searched, too. */
static bool wants(const experiment *e, size_t budget, size_t unit)
{
    char name[32];
    unit_name(unit, name);
    for (size_t b = 0; b <= budget; b++)
        if (experiment_wants_size(e, 0, budgets[b])) return experiment_wants(e, 1, name);
    return false;
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "tournament", "P unit",
                                         "Least error at P parameters: eleven units, ten targets.");
    static job jobs[UNITS * TARGETS * BUDGETS];
    size_t count = 0;
    for (size_t b = 0; b < BUDGETS; b++)
        for (size_t u = UNITS; u-- > 0;)
            for (size_t t = 0; t < TARGETS; t++)
                if ((!e.quick || b == 1 || b == 4) && wants(&e, b, u))
                    jobs[count++] = (job){.unit = u, .target = t, .budget = b, .quick = e.quick};
    experiment_found(&e, count > 0);
    experiment_run(&e, (experiment_jobs){jobs, count, sizeof(job), offsetof(job, end), sizeof(outcome), work});
    carry_over(jobs, count);
    FILE *points = experiment_open(
             &e, "points.csv",
             "budget,row,column,unit,target,width,params,rmse_train,rmse_test,log10_ratio,winner,slope,way,"
             "floor"),
         *out = experiment_open(&e, "winners.csv", "target,unit,params,rmse_test,slope");
    printf("least error with at most P parameters; * the winner, or as small as its rounding\n%4s %-10s", "P", "unit");
    for (size_t t = 0; t < TARGETS; t++) printf(" %9.9s%s", targets[t].label, t + 1 < TARGETS ? " " : "\n");
    for (size_t b = 0; b < BUDGETS; b++) put_budget(&e, points, jobs, count, b);
    if (!e.only) put_winners(&e, out, jobs, count, e.quick ? 1 : 0);
    experiment_close(&e, points, "points.csv");
    experiment_close(&e, out, "winners.csv");
    experiment_draw(&e, "tournament");
    return 0;
}
