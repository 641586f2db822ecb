/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange: losses of units against fits without them, greedy units beside others against the greedy choice of all,
 * ends against varpro's. */
#include "exchange/exchange.h"

#include "fit/cost.h"
#include "fit/greedy.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/qr.h"
#include "opened.h"
#include "plane.h"
#include "solvers.h"

static steep_monitor monitor;

/* A fit from one start, by this monitor. */
static steep_fit_result fit_from(plane *p, steep_solver solver, size_t iterations, uint64_t seed)
{
    steep_fit_options options = options_by(solver, STEEP_START_GREEDY);
    options.max_iterations = iterations;
    options.restarts = 0;
    options.seed = seed;
    options.monitor = monitor;
    return plane_fit_by(p, &options);
}

/* The least rmse^2 without one of theta's units. QR of the Jacobian's columns solves for the linear parameters of the
 * other units, with a damping about theta of 1e-9 of a column, which counts where columns are nearly dependent. */
static double without(const plane *p, const double *theta, size_t unit)
{
    const steep_network *network = &p->network;
    const size_t N = p->train.count, P = network->parameters, rows = N + P;
    size_t columns = 0, place[64];
    double gone = 0; /* the damping of the removed unit */
    SCOPED(release_memory)
    double *J = calloc(rows * P, sizeof *J), *rest = calloc(rows, sizeof *rest), *others = malloc(P * sizeof *others);
    SCOPED(steep_span_close) steep_span span;
    memcpy(others, theta, P * sizeof *others);
    others[network->output + unit] = 0;
    ck_assert_int_eq(steep_network_values(network, others, N, p->train.x, rest), STEEP_OK);
    ck_assert_int_eq(steep_network_jacobian(network, theta, N, p->train.x, NULL, J, rows), STEEP_OK);
    ck_assert(steep_span_open(&span, rows, P));
    for (size_t i = 0; i <= network->width; i++) { /* then the bias */
        const size_t count = i == network->width ? 1 : steep_network_linear(network, i, place);
        if (i == network->width) place[0] = network->bias;
        for (size_t k = 0; k < count; k++) {
            const double damping = 1e-9 * steep_dense_norm(N, J + place[k] * rows);
            if (i == unit) gone += pow(damping * theta[place[k]], 2);
            else {
                memcpy(span.A + columns * rows, J + place[k] * rows, rows * sizeof *J);
                span.A[columns * rows + N + columns] = damping;
                columns++;
            }
        }
    }
    span.n = columns;
    for (size_t k = 0; k < N; k++) rest[k] -= p->train.y[k];
    ck_assert(steep_span_factor(&span, 1e-13));
    steep_span_remove(&span, 1, rest, rows);
    return (steep_dense_dot(rows, rest, rest) + gone) / (double)N;
}

/* Losses against fits without the unit, within the rounding of a column over the damping, and of the residual. One in a
 * hundred may differ: losses come from an inverse, where nearly dependent columns of a unit count squared. */
START_RANDOM_TEST(losses_are_those_of_fits_without, 1)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "moa"};
    enum { WIDTH = 7 };
    const size_t cases = chance_cases(4);
    size_t apart = 0;
    for (size_t k = 0; k < cases; k++) {
        SCOPED(plane_close) plane p;
        double loss[WIDTH];
        plane_draw(&p, &random, 2 + k % 2, 300, archs[k % 4], WIDTH);
        FITTED fit = fit_from(&p, STEEP_SOLVER_VARPRO, 3, k);
        ck_assert_int_eq(steep_exchange_losses(&p.network, fit.theta, &p.train, loss, &p.error), STEEP_OK);
        for (size_t i = 0; i < WIDTH; i++) {
            const double all = without(&p, fit.theta, i), rise = all - fit.rmse_train * fit.rmse_train,
                         allowed = 300 * DBL_EPSILON / 1e-9 * all + 64 * fit.floor * sqrt(all);
            apart += !(fabs(loss[i] - rise) <= allowed);
        }
    }
    ck_assert_msg(100 * apart <= WIDTH * cases, "%zu of %zu differ", apart, WIDTH * cases);
}

/* A quarter of the points of a grid of 2^a x 2^a has one point of each square of four. In other sets: points of the
 * set, each once; all of them keep their order; the same seed gives the same points. */
START_RANDOM_TEST(points_are_spread_evenly, 4)
{
    for (size_t c = 0; c < chance_cases(6); c++) {
        size_t side = (size_t)4 << chance_below(&random, 4), dim = 2 + c % 2;
        PLANE_AT(p, dim == 2 ? "x*y" : "x1*x2*x3", dim == 2, dim == 2 ? side * side : 50 + chance_below(&random, 400),
                 c, "mlp", NULL, 3);
        size_t N = p.train.count, count = c % 2 ? 1 + chance_below(&random, N) : N / 4;
        for (size_t k = 0; k < N; k++) p.train.y[k] = (double)k; /* which point this is */
        SCOPED(steep_samples_free) steep_samples rows, again, all;
        SCOPED(release_memory) unsigned char *seen = calloc(N, 1);
        ck_assert_int_eq(steep_exchange_points(&p.train, count, c, &rows, &p.error), STEEP_OK);
        ck_assert_int_eq(steep_exchange_points(&p.train, count, c, &again, &p.error), STEEP_OK);
        ck_assert_int_eq(steep_exchange_points(&p.train, N, c, &all, &p.error), STEEP_OK);
        ck_assert_uint_eq(rows.count, count);
        ck_assert(!memcmp(rows.y, again.y, count * sizeof *rows.y));
        ck_assert(!memcmp(all.x, p.train.x, N * dim * sizeof *all.x));
        for (size_t g = 0; g < count; g++) {
            size_t k = (size_t)rows.y[g], square = c % 2 ? k : k / side / 2 * side + k % side / 2;
            for (size_t j = 0; j < dim; j++) ck_assert(rows.x[j * count + g] == p.train.x[j * N + k]);
            ck_assert_msg(!seen[square]++, "%zu of %zu points: two in one place", count, N);
        }
    }
}

/* If the kept units are the first ones of a greedy choice, the greedy choice beside them repeats the others. */
START_RANDOM_TEST(units_beside_others_are_the_next_ones, 2)
{
    static const char *const archs[] = {"mlp", "glu"};
    for (size_t k = 0; k < chance_cases(4); k++) {
        SCOPED(plane_close) plane p;
        plane_draw(&p, &random, 2 + k / 2 % 2, 400, archs[k % 2], 9);
        size_t P = p.network.parameters, kept = chance_below(&random, 9);
        steep_start_options how = {.kind = STEEP_START_GREEDY, .low = p.train.low, .high = p.train.high, .seed = k};
        SCOPED(release_memory) double *all = calloc(P, sizeof *all), *some = calloc(P, sizeof *some);
        ck_assert_int_eq(steep_greedy_start(&p.problem, &how, &(steep_greedy_how){0}, all, &p.error), STEEP_OK);
        memcpy(some, all, P * sizeof *all);
        for (size_t i = kept; i < 9; i++) steep_greedy_copy(&p.network, some, 0, &p.network, i, some);
        ck_assert_int_eq(steep_greedy_start(&p.problem, &how, &(steep_greedy_how){.kept = kept}, some, &p.error),
                         STEEP_OK);
        ck_assert_msg(!memcmp(all, some, P * sizeof *all), "%s, %zu of 9 kept", archs[k % 2], kept);
    }
}

/* With so few points that all of them are drawn, exchange is varpro and exchanges that lower the error: it ends no
 * higher. The same seed gives the same bits. */
START_RANDOM_TEST(it_ends_no_higher_than_varpro, 3)
{
    static const char *const archs[] = {"mlp", "glu", "gqu"};
    double gain = 1;
    for (size_t k = 0; k < chance_cases(2); k++) {
        SCOPED(plane_close) plane p;
        plane_draw(&p, &random, 2, 100, archs[k % 3], 3 + chance_below(&random, 2));
        FITTED plain = fit_from(&p, STEEP_SOLVER_VARPRO, 10, k), other = fit_from(&p, solver_named("exchange"), 10, k);
        printf("%s of %zu: varpro %.3g, exchange %.3g (%s)\n", archs[k % 3], p.network.width, plain.rmse_train,
               other.rmse_train, other.reason);
        ck_assert(other.rmse_train <= plain.rmse_train * (1 + 1e-9));
        ck_assert_ptr_nonnull(strstr(other.reason, "exchanges kept"));
        gain = fmin(gain, other.rmse_train / plain.rmse_train);
        if (k == 0) {
            FITTED again = fit_from(&p, solver_named("exchange"), 10, k);
            ck_assert(!memcmp(again.theta, other.theta, p.network.parameters * sizeof *again.theta));
        }
    }
    ck_assert_msg(gain < 0.99, "no exchange lowered an error: %g", gain);
}

static bool goes_forward(void *context, const steep_progress *progress)
{
    size_t *last = context;
    ck_assert_uint_ge(progress->iteration, *last);
    *last = progress->iteration;
    return true;
}

/* For a network that is not small, the last solve goes on while 25 iterations lower the error by 2 %. After that, 25
 * iterations more, which begin with another trust region, lower the error by less than 10 %. A given number of
 * iterations is kept. Its monitor hears of iterations of the whole fit. */
START_RANDOM_TEST(the_end_goes_on_while_it_gains, 5)
{
    size_t ended = 0;
    for (size_t k = 0; k < chance_cases(2); k++) {
        SCOPED(plane_close) plane p;
        plane_draw(&p, &random, 2, 250, k % 2 ? "glu" : "gqu", k % 2 ? 10 : 7);
        size_t last = 0;
        monitor = (steep_monitor){goes_forward, &last};
        FITTED result = fit_from(&p, solver_named("exchange"), 0, k);
        monitor.proceed = NULL;
        FITTED given = fit_from(&p, solver_named("exchange"), 26, k);
        const bool gained_little = strstr(result.reason, "less than 2 %") != NULL;
        ck_assert(gained_little || result.status != STEEP_MAX_ITERATIONS || result.iterations >= STEEP_LM_ITERATIONS);
        ck_assert_ptr_null(strstr(given.reason, "less than 2 %"));
        if (!gained_little) continue;
        ended++;
        steep_fit_options options = steep_fit_options_default();
        steep_solve more = {.reason = ""};
        options.max_iterations = 25;
        ck_assert_int_ge(steep_solve_varpro(&p.problem, &options, result.theta, &more, &p.error), STEEP_OK);
        const double then = plane_error(&p, result.theta);
        ck_assert_msg(then > 0.9 * result.rmse_train, "%g, then %g", result.rmse_train, then);
    }
    ck_assert_uint_gt(ended, 0);
}

/* Exchange finds errors, within 1 %, that are known from long searches or forty random starts by varpro; one of them a
 * day. Few points have minima of their own: with 200 of these 900, searches agreed on an end 43 % above the first
 * error, and on none near the second. Greedy starts alone, however many, end up to 18 % above the third and fourth. */
START_TEST(the_best_known_is_found)
{
    static const struct {
        const char *target, *arch;
        size_t width;
        double best;
    } known[] = {{"tanh(3.961*x+1.847*y+0.671)+0.404*x*y", "mlp", 3, 4.062e-2},
                 {"sin(4.172*x-2.881*y)+0.084*cos(2.369*x*y)", "gqu", 3, 3.574e-2},
                 {"exp(-x)*sin(3*y+2*x)+.5*cos(4*x*y)", "mlp", 2, 5.1108e-1},
                 {"exp(-x)*sin(3*y+2*x)+.5*cos(4*x*y)", "mlp", 3, 2.2406e-1}};
    enum { KNOWN = sizeof known / sizeof *known };
    steep_random random = chance_today(6);
    const size_t day = chance_below(&random, KNOWN), cases = chance_cases(1);
    size_t missed = 0;
    for (size_t c = 0; c < cases; c++) {
        const size_t k = (day + c) % KNOWN;
        PLANE(p, known[k].target, 900, known[k].arch, NULL, known[k].width);
        FITTED result = fit_from(&p, solver_named("exchange"), 0, c / KNOWN);
        printf("%s %s %zu, seed %zu: %.5g, known %.5g\n", known[k].target, known[k].arch, known[k].width, c / KNOWN,
               result.rmse_train, known[k].best);
        missed += result.rmse_train > 1.01 * known[k].best;
    }
    ck_assert_msg(10 * missed <= cases, "%zu of %zu missed", missed, cases);
}

/* Greedy starts from different dictionaries begin in one basin and are one hit; random starts count one by one. */
START_TEST(starts_of_one_family_are_one_hit)
{
    static const steep_start_kind kinds[] = {STEEP_START_GREEDY, STEEP_START_RANDOM};
    PLANE(p, "exp(-x)*sin(3*y+2*x)+.5*cos(4*x*y)", 400, "mlp", NULL, 2);
    for (size_t k = 0; k < 2; k++) {
        const size_t restarts = k == 0 ? 12 : 30;
        FITTED result = plane_fit(&p, STEEP_SOLVER_VARPRO, kinds[k], 0, restarts);
        ck_assert_uint_eq(result.starts, restarts + 1);
        ck_assert(k == 0 ? result.hits == 1 : result.hits >= 2);
    }
}

static bool is_search(void *none, const steep_progress *progress)
{
    return !none && strcmp(progress->stage, "search") == 0;
}

/* With the default of restarts, the search of a small network starts again until three ends agree. A network with more
 * parameters has one start, and so has a search with restarts 0; what it found is kept by a stop after it. */
START_TEST(small_networks_search_until_ends_agree)
{
    PLANE(p, "exp(-x)*sin(3*y+2*x)+.5*cos(4*x*y)", 150, "mlp", NULL, 2);
    const steep_fit_options options = options_by(solver_named("exchange"), STEEP_START_GREEDY);
    FITTED result = plane_fit_by(&p, &options), one = fit_from(&p, solver_named("exchange"), 0, 0);
    ck_assert_uint_ge(result.starts, 3);
    ck_assert_uint_le(result.hits, 3);
    ck_assert(result.hits == 3 || result.starts == 1 + steep_fit_restarts(&p.network, &options).most);
    const steep_network wide = network_of("gqu", NULL, 2, 8);
    ck_assert_uint_eq(steep_fit_restarts(&wide, &options).most, 0);
    ck_assert_uint_eq(steep_fit_restarts(&wide, &options).hits, 0);
    ck_assert_uint_eq(one.starts, 1);
    ck_assert(result.rmse_train <= one.rmse_train);
    monitor = (steep_monitor){is_search, NULL};
    FITTED stopped = fit_from(&p, solver_named("exchange"), 0, 0);
    monitor.proceed = NULL;
    ck_assert(stopped.status == STEEP_STOPPED && stopped.rmse_train < 1.01 * one.rmse_train);
}

/* Fits of a constant, a plane and a ridge, also with one unit, are no worse than 0. One dimension is refused. */
START_TEST(degenerate_problems)
{
    static const char *const formulas[] = {"3+0*x*y", "1+2*x-3*y", "abs(x+2*y)"};
    for (size_t t = 0; t < 3; t++)
        for (size_t width = 1; width <= 4; width += 3) {
            PLANE(p, formulas[t], 40, t % 2 ? "glu" : "mlp", NULL, width);
            FITTED result = fit_from(&p, solver_named("exchange"), 5, t);
            ck_assert(result.rmse_train <= steep_rmse_of_zero(&p.train) * (1 + 1e-7));
            for (size_t q = 0; q < p.network.parameters; q++) ck_assert(isfinite(result.theta[q]));
        }
    PLANE(line, "runge3", 50, "mlp", NULL, 3);
    const steep_fit_options options = options_by(solver_named("exchange"), STEEP_START_UNIFORM);
    plane_refuses(&line, &options, "two and more dimensions");
}

static bool check_hidden(void *context, const steep_progress *progress)
{
    (void)context;
    ck_assert(progress->theta == NULL && isnan(progress->rmse));
    return true;
}

/* Parameters of a network of another width are not shown. */
START_TEST(a_silent_stage_shows_no_parameters)
{
    const double theta[1] = {1};
    const steep_monitor caller = {check_hidden, NULL};
    steep_relay relay = {.monitor = &caller, .silent = true};
    const steep_monitor told = steep_relay_monitor(&relay);
    ck_assert(told.proceed(told.context, &(steep_progress){.rmse = 1, .theta = theta}));
}
