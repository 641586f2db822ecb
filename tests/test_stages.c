/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages: widths; the whole against its parts fitted one by one by hand; what cannot be split; 1e-12 in 2D. */
#include "fit/solvers.h"

#include "floors.h"
#include "opened.h"
#include "plane.h"
#include "solvers.h"

START_RANDOM_TEST(widths, 1)
{
    for (size_t k = 0; k < chance_cases(300); k++) {
        steep_fit_options options = steep_fit_options_default();
        options.stages = 1 + chance_below(&random, 9);
        options.growth = k % 5 ? chance_within(&random, 1, 3) : 1;
        const size_t width = options.stages + chance_below(&random, 400);
        size_t sum = 0;
        for (size_t s = 0; s < options.stages; s++) {
            const size_t own = steep_stages_width(width, &options, s);
            ck_assert_uint_ge(own, 1);
            if (s > 0 && width > 20 * options.stages) /* both are rounded */
                ck_assert_msg((double)own + 2 >=
                                      options.growth * ((double)steep_stages_width(width, &options, s - 1) - 2) ||
                                  steep_stages_width(width, &options, s - 1) <= 2,
                              "%zu of %zu, growth %g", s, width, options.growth);
            sum += own;
        }
        ck_assert_uint_eq(sum, width);
    }
}

/* Stages of frozen gates by hand: networks of their own, each fitted to what is left, with gates 1.25 times steeper.
 * Adds their values to sum; *left: the error after the first. */
static void fit_by_hand(const plane *p, const steep_fit_options *options, double *sum, double *left)
{
    enum { N = 60 };
    const steep_network *whole = &p->network;
    double own[N], y[N];
    steep_samples rest = p->train;
    memcpy(y, p->train.y, sizeof y);
    rest.y = y;
    for (size_t s = 0; s < options->stages; s++) {
        steep_fit_options alone = *options;
        steep_choice narrow = whole->choice;
        for (size_t l = 0; l + 1 < narrow.depth; l++)
            narrow.hidden[l] = steep_stages_width(whole->choice.hidden[l], options, s);
        const size_t width = steep_stages_width(whole->width, options, s);
        const steep_network small = layout_of(whole->architecture, &narrow, whole->dim, width);
        const bool asked = s == 0 || options->start == STEEP_START_EQUIDISTRIBUTED; /* for the formula */
        const steep_problem problem = {&small, asked ? p->target : NULL, &rest, NULL};
        FITTED part;
        alone.stages = 1;
        alone.seed = options->seed + s;
        alone.steepness = options->steepness * pow(1.25, (double)s);
        ck_assert_int_ge(steep_fit(&problem, &alone, &part, NULL), 0);
        if (s == 0) *left = part.rmse_train;
        ck_assert_int_eq(steep_network_values(&small, part.theta, N, rest.x, own), STEEP_OK);
        for (size_t k = 0; k < N; k++) y[k] -= own[k], sum[k] += own[k];
    }
}

typedef struct listener {
    plane *p;
    bool trials; /* trials of learning rates begin at 0 */
    size_t heard, last;
} listener;

/* A monitor. It requires iterations that never go back, and with parameters of the whole network, their error. */
static bool hear(void *context, const steep_progress *told)
{
    listener *l = context;
    l->heard++;
    ck_assert(told->iteration >= l->last || l->trials);
    l->last = told->iteration;
    if (!told->theta) return true;
    const double rmse = plane_error(l->p, told->theta);
    const double floor = floor_of(&l->p->network, told->theta, l->p->train.count, l->p->train.x);
    check_close(told->rmse, rmse, 1e-9 * rmse + 100 * floor);
    return true;
}

/* Returns how often the monitor was called. The fit itself may fail, with few iterations or few points. */
static size_t check_told(plane *p, steep_fit_options options, steep_random *random)
{
    const steep_solver solvers[] = {STEEP_SOLVER_LM, STEEP_SOLVER_VARPRO, solver_named("lbfgs"), solver_named("adam")};
    FITTED result;
    options.solver = solvers[chance_below(random, 4)];
    listener l = {p, options.solver == solver_named("adam"), 0, 0};
    options.max_iterations = 1 + chance_below(random, 20);
    options.monitor = (steep_monitor){hear, &l};
    steep_fit(&p->problem, &options, &result, NULL);
    return l.heard;
}

/* A network of the row with one to three layers, residual or not, in stages: the same values as by hand, and no larger
 * error than that of the first stage; the points stay as they are. */
static size_t check_stages(plane *p, const steep_architecture *row, size_t dim, steep_random *random)
{
    enum { N = 60 };
    double sum[N] = {0}, own[N], y[N], first;
    steep_fit_options options = steep_fit_options_default();
    steep_choice choice = steep_choice_default(row);
    const size_t stages = 2 + chance_below(random, 2), width = stages + chance_below(random, 4);
    choice.depth = 1 + chance_below(random, 3);
    choice.residual = chance_below(random, 2) && steep_architecture_affine(row) == 0; /* else frozen refuses it */
    for (size_t l = 0; l + 1 < choice.depth; l++)
        choice.hidden[l] = choice.residual ? width : stages + chance_below(random, 4);
    p->network = layout_of(row, &choice, dim, width);
    options.start = dim == 1 ? STEEP_START_EQUIDISTRIBUTED : STEEP_START_UNIFORM;
    if (choice.depth > 1 || chance_below(random, 2)) options.start = STEEP_START_RANDOM;
    options.stages = stages;
    options.growth = chance_within(random, 1, 2);
    options.steepness = chance_within(random, 0.5, 3);
    options.seed = chance_below(random, 1000);
    memcpy(y, p->train.y, sizeof y);
    FITTED result = plane_fit_by(p, &options);
    ck_assert_mem_eq(p->train.y, y, sizeof y);
    fit_by_hand(p, &options, sum, &first);
    ck_assert_msg(result.rmse_train <= first * (1 + 1e-9) + result.floor, "%s: %g, first %g", row->name,
                  result.rmse_train, first);
    ck_assert_int_eq(steep_network_values(&p->network, result.theta, N, p->train.x, own), STEEP_OK);
    for (size_t k = 0; k < N; k++) check_close(own[k], sum[k], 1e-6 * fabs(sum[k]) + 16 * result.floor);
    return check_told(p, options, random);
}

/* Stages against parts by hand, for every row whose units share nothing. */
START_RANDOM_TEST(parts_one_by_one, 3)
{
    size_t rows = 0, told = 0;
    for (size_t i = 0, times = chance_cases(3); steep_architecture_table(i / times); i++) {
        const size_t dim = 1 + chance_below(&random, 2);
        const steep_architecture *row = steep_architecture_table(i / times);
        SCOPED(plane_close) plane p;
        plane_draw(&p, &random, dim, 60, row->name, 4);
        if (steep_stages_check(&p.network, &(steep_fit_options){.stages = 2}, NULL) == STEEP_OK)
            told += check_stages(&p, row, dim, &random), rows++;
    }
    ck_assert_uint_gt(rows, 30);
    ck_assert_uint_gt(told, 10 * rows);
}

/* Each stage is 1e2 to 1e4 times below the stage before: 256 units reach 1e-12 on other points. */
START_TEST(many_digits)
{
    SCOPED(plane_close) plane p, other;
    plane_open_at(&p, "sin(3.141592653589793*x)*sin(3.141592653589793*y)", true, 2500, 0, "mlp", "tanh", 256);
    plane_open(&other, "sin(3.141592653589793*x)*sin(3.141592653589793*y)", 1000, "mlp", "tanh", 256);
    p.problem.test = &other.train;
    steep_fit_options options = options_by(STEEP_SOLVER_FROZEN, STEEP_START_RIDGE);
    options.directions = 2;
    options.stages = 4;
    options.growth = 1.5;
    options.steepness = 1.2;
    FITTED result = plane_fit_by(&p, &options);
    ck_assert_msg(result.rmse_test < 5e-12, "%g", result.rmse_test);
    ck_assert(result.floor < result.rmse_test && result.coefficient < 1000);
}

/* Where a start with turned ridges is the best, all of its stages are turned alike. */
START_TEST(stages_turn_together)
{
    size_t turned = 0;
    PLANE(p, "sin(5*(x*0.9+y*0.3))+cos(3*x-y)", 300, "mlp", NULL, 30);
    for (uint64_t seed = 0; seed < 8; seed++) {
        steep_fit_options options = options_by(STEEP_SOLVER_FROZEN, STEEP_START_RIDGE);
        options.directions = 3, options.stages = 2, options.restarts = 1, options.seed = seed;
        FITTED result = plane_fit_by(&p, &options);
        turned += result.seed != seed;
        for (size_t i = 1; i < 30; i++) {
            const double *G = result.theta + steep_network_gate(&p.network, i), *first = result.theta;
            const double thirds = (atan2(G[1], G[0]) - atan2(first[1], first[0])) / acos(-1) * 3;
            check_close(thirds, nearbyint(thirds), 1e-9);
        }
    }
    ck_assert_uint_gt(turned, 0);
}

/* A few steps by the gradient alone may raise the error of a stage: the errors in the reason never grow. */
START_RANDOM_TEST(no_stage_raises_the_error, 5)
{
    const steep_solver solvers[] = {solver_named("adam"), solver_named("sgd"), solver_named("muon")};
    size_t stages = 0;
    for (size_t c = 0, cases = chance_cases(90); c < cases; c++) {
        SCOPED(plane_close) plane p;
        plane_draw(&p, &random, 1, 60, "glu", 8);
        steep_fit_options options = options_by(solvers[c % 3], STEEP_START_RANDOM);
        options.stages = 3;
        options.max_iterations = 3 + chance_below(&random, 20);
        options.seed = c;
        options.restarts = 0;
        for (size_t k = 0; c % 2 && k < p.train.count; k++) p.train.y[k] *= 0x1p30;
        FITTED result;
        const steep_status status = steep_fit(&p.problem, &options, &result, NULL);
        double last = INFINITY, now;
        for (const char *at = result.reason; status >= 0 && (at = strstr(at, ": ")); last = now, stages++) {
            if (sscanf(at += 2, "%lg", &now) != 1) break;
            ck_assert_msg(now <= last, "case %zu: %s", c, result.reason);
        }
        if (status >= 0) check_close(last, result.rmse_train, 0.06 * last); /* of two digits */
    }
    ck_assert_uint_gt(stages, 60);
}

START_TEST(refused)
{
    static const struct {
        const char *arch, *says;
        size_t width, stages;
        double growth, steepness;
        steep_solver solver;
    } cases[] = {{"la", "share parameters,", 8, 2, 1.4, 1, STEEP_SOLVER_FROZEN},
                 {"mlp", "at least a unit", 3, 4, 1.4, 1, STEEP_SOLVER_FROZEN},
                 {"mlp@", "width 2 in 3 stages", 8, 3, 1.4, 1, STEEP_SOLVER_LM},
                 {"mlp@+", "residual layers of unequal widths", 8, 2, 1.4, 1, STEEP_SOLVER_LM},
                 {"mlp", "0 stages", 3, 0, 1.4, 1, STEEP_SOLVER_FROZEN},
                 {"mlp", "use 1 stage or more", 3, 2, 0.5, 1, STEEP_SOLVER_FROZEN},
                 {"mlp", "steepness", 3, 1, 1.4, NAN, STEEP_SOLVER_FROZEN},
                 {"mlp", "construction", 8, 2, 1.4, 1, STEEP_SOLVER_CONSTRUCT}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        SCOPED(plane_close) plane p;
        const size_t layers = strcspn(cases[c].arch, "@");
        char arch[8];
        snprintf(arch, sizeof arch, "%.*s", (int)layers, cases[c].arch);
        plane_open(&p, "sin(x+2*y)", 200, arch, NULL, cases[c].width);
        if (cases[c].arch[layers]) { /* a layer of 2 below it */
            steep_choice choice = p.network.choice;
            choice.depth = 2;
            choice.hidden[0] = 2;
            choice.residual = cases[c].arch[layers + 1] == '+';
            p.network = layout_of(p.network.architecture, &choice, 2, cases[c].width);
        }
        steep_fit_options options = options_by(cases[c].solver, STEEP_START_UNIFORM);
        options.stages = cases[c].stages;
        options.growth = cases[c].growth;
        options.steepness = cases[c].steepness;
        plane_refuses(&p, &options, cases[c].says);
    }
}
