/* SPDX-License-Identifier: GPL-3.0-or-later */
/* depth: relu networks of two layers in one dimension beside the proved bound that no network of one layer with as many
 * parameters gets under, from a construction and from random starts.
 *
 * The construction [w1, w2]: hinges of the first layer at w1 equispaced knots carry any piecewise linear function with
 * these knots. One unit of the second layer carries the target's interpolant, lifted above 0; the other w2 - 1 are hinges
 * on the zigzag u in [0, 1] of the first layer, so that each cell has them all, mirrored: about w1 (w2 - 1) pieces. The
 * last layer is solved for (frozen), then all is trained (lm, both dampings). P = w1 w2 + 2 w1 + 2 w2 + 1; a network of one
 * layer with P parameters has n = ceil((P - 1) / 3) units. */
#include "bounds/public.h"
#include "certify/public.h"
#include "experiment.h"

enum { POINTS = 2000, ITERATIONS = 200, STARTS = 10, MOST_UNITS = 64, SHAPES = 5 };

static const struct {
    const char *name, *formula; /* on [-1, 1] */
    size_t shape[SHAPES][2];    /* 0: no more */
} targets[] = {
    {"x^2", "x^2", {{4, 5}, {6, 7}, {8, 9}, {10, 11}, {16, 17}}},
    {"abs(x)^1.5", "abs(x)^1.5", {{4, 5}, {6, 7}, {10, 11}, {16, 17}}},
    {"cos5pi", "cos(5*pi*x)", {{10, 5}, {10, 9}, {20, 9}}},
    {"takagi",
     NULL,
     {{8, 5}, {8, 9}, {16, 9}}}, /* sum_{k<10} 2^-k s(2^k x), s(t) the distance of t from the integers */
    {"chirp", "sin(4*(x-1)^2)", {{6, 6}, {10, 10}}},
};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct study {
    const experiment *e;
    steep_target *target;
    steep_samples samples;
    steep_network network;
    const size_t *shape;
} study;

static steep_target *open_target(const experiment *e, size_t t)
{
    char text[2000];
    size_t used = 0;
    if (targets[t].formula) return experiment_target(e, targets[t].formula);
    for (int k = 0; k < 10; k++) { /* s(2^k x), s the distance from the integers, is s(2 s(2^(k-1) x)) */
        for (int i = 0; i <= k; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", i < k ? "(0.5-abs(2*" : "(0.5-abs(abs(x)");
        for (int i = 0; i <= k; i++) used += (size_t)snprintf(text + used, sizeof text - used, "-0.5))");
        used += (size_t)snprintf(text + used, sizeof text - used, "/%d%s", 1 << k, k < 9 ? "+" : "");
    }
    return experiment_target(e, text);
}

/* The construction's first two layers; the output weights are 0. */
static void construct(const study *s, double *theta)
{
    const size_t w1 = s->shape[0], w2 = s->shape[1];
    const double h = 2 / (double)w1;
    double knot[MOST_UNITS + 1], value[MOST_UNITS + 1], least = 0;
    const steep_network first = steep_network_layer(&s->network, 0);
    memset(theta, 0, s->network.parameters * sizeof *theta);
    for (size_t k = 0; k <= w1; k++) knot[k] = -1 + h * (double)k;
    steep_formula_values(s->target->formula, w1 + 1, knot, value);
    for (size_t k = 0; k <= w1; k++) least = fmin(least, value[k]);
    for (size_t k = 0; k < w1; k++) {
        double *hinge = theta + steep_network_gate(&first, k);
        hinge[0] = 1;
        hinge[1] = -knot[k];
        const double slope = (value[k + 1] - value[k]) / h, before = k > 0 ? (value[k] - value[k - 1]) / h : 0;
        theta[steep_network_gate(&s->network, 0) + k] = slope - before;
        for (size_t j = 1; j < w2; j++)
            theta[steep_network_gate(&s->network, j) + k] = k == 0 ? 1 / h : (k % 2 ? -2 : 2) / h;
    }
    theta[steep_network_gate(&s->network, 0) + w1] = value[0] + 1 - least;
    for (size_t j = 1; j < w2; j++)
        theta[steep_network_gate(&s->network, j) + w1] = -(double)(j - 1) / (double)(w2 - 1);
}

/* The training error of a solver from theta, where its end comes to stand; NULL: from a random start of that seed. */
static double solve(const study *s, const char *solver, size_t seed, double *theta)
{
    steep_fit_options options = steep_fit_options_default();
    const steep_problem problem = {.target = s->target, .network = &s->network, .train = &s->samples};
    steep_fit_result result;
    steep_error error;
    options.solver = steep_solver_find(solver);
    options.start = STEEP_START_RANDOM;
    options.restarts = 0;
    options.seed = seed;
    options.initial = theta;
    options.max_iterations = s->e->quick ? ITERATIONS / 10 : ITERATIONS;
    if (steep_fit(&problem, &options, &result, &error) < 0 && result.status != STEEP_SINGULAR)
        experiment_die(s->e, &error, 1);
    const double rmse = result.theta ? result.rmse_train : INFINITY;
    if (theta && result.theta) memcpy(theta, result.theta, s->network.parameters * sizeof *theta);
    steep_fit_result_free(&result);
    return rmse;
}

/* The enclosed error of the network on the whole interval over the bound there. */
static double certify(const study *s, const double *theta, size_t n)
{
    double lower, upper;
    const steep_bounds_widths widths = {1, 1, &n, NULL};
    steep_bounds_quadrature quadrature;
    steep_certify_options options = steep_certify_options_default();
    steep_certified certified;
    steep_error error;
    options.what = STEEP_CERTIFY_RMSE;
    options.tolerance = 1e-3;
    if (steep_bounds_continuous(s->target, &widths, &lower, &upper, &quadrature, &error) < 0 ||
        steep_certify(&s->network, theta, s->target, &options, &certified, &error) < 0)
        experiment_die(s->e, &error, 1);
    return certified.rmse.bound.high / lower;
}

static void print_row(const study *s, const char *target)
{
    const size_t P = s->network.parameters, n = (P + 1) / 3, starts = s->e->quick ? 2 : STARTS;
    double *theta = experiment_numbers(s->e, P), lower, upper, random[STARTS];
    const steep_bounds_widths widths = {1, 1, &n, NULL};
    steep_error error;
    if (steep_bounds_at(&s->samples, &widths, &lower, &upper, &error) < 0) experiment_die(s->e, &error, 1);
    construct(s, theta);
    const double constructed = solve(s, "frozen", 0, theta), trained = solve(s, "lm", 0, theta),
                 enclosed = certify(s, theta, n);
    for (size_t r = 0; r < starts; r++) random[r] = solve(s, "lm", r, NULL);
    const double median = experiment_median(random, starts), best = random[0];
    printf("%-11s [%2zu,%2zu] %4zu %4zu  %9.3e  %11.3f %8.3f %9.3f  %8.2f %8.2f\n", target, s->shape[0], s->shape[1], P,
           n, lower, constructed / lower, trained / lower, enclosed, best / lower, median / lower);
    fflush(stdout);
    free(theta);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "depth", "target",
                                         "Two layers of relu beside the proved bound of one layer, equal parameters.");
    const steep_architecture *row = steep_architecture_find("mlp", NULL, 0);
    bool any = false;
    printf("%-11s %7s %4s %4s  %9s  %11s %8s %9s  %8s %8s\n", "target", "layers", "P", "n", "lower", "constructed",
           "trained", "certified", "random", "median");
    for (size_t t = 0; t < TARGETS; t++) {
        if (!experiment_wants(&e, 0, targets[t].name)) continue;
        any = true;
        study s = {.e = &e, .target = open_target(&e, t)};
        steep_error error;
        if (steep_samples_grid(s.target, POINTS, &s.samples, &error) < 0) experiment_die(&e, &error, 1);
        for (size_t k = 0; k < (e.quick ? 2 : SHAPES) && targets[t].shape[k][0] > 0; k++) {
            steep_choice choice = steep_choice_default(row);
            s.shape = targets[t].shape[k];
            choice.depth = 2;
            choice.hidden[0] = s.shape[0];
            if (steep_network_init(&s.network, row, &choice, 1, s.shape[1], &error) < 0) experiment_die(&e, &error, 1);
            print_row(&s, targets[t].name);
        }
        steep_samples_free(&s.samples);
        steep_target_free(s.target);
    }
    printf("columns from constructed on: errors over lower, at %d points; certified: on the whole interval\n", POINTS);
    experiment_found(&e, any);
    return 0;
}
