/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poisson: -Laplace u = f on [-1, 1]^2, u = 0 on its edge, by one layer of tanh, gates frozen on ridges: the least
 * squares of the residual at Gauss points and of u at points of the edge. f = 2 pi^2 sin(pi x) sin(pi y), so that u is
 * known, and the norms of the network's error are enclosed (enclosed_tanh.h): mean square, W1inf, and the residual,
 * which is the Laplacian of the error. Beside it fits in stages, of u itself and of other targets. Gates on the
 * diagonals know that u is a sum of two ridges; those in many directions do not. */
#include "enclosed_tanh.h"

#include "data/samples.h"
#include "measure/measured.h"
#include "model/activation.h"
#include "model/start.h"
#include "numerics/dense.h"
#include "numerics/qr.h"

#define EDGE 100.0 /* weight of u on the edge relative to the residual; chosen */
enum { SIDE = 50, ON_EDGE = 400 };

typedef struct case_of {
    const char *way, *target;
    size_t directions, width, stages;
    double steepness;
    bool quick;
} case_of;
static const case_of cases[] = {{"poisson", "sines", 2, 32, 1, 1.2, true}, {"poisson", "sines", 2, 64, 1, 1.5, true},
                                {"poisson", "sines", 2, 129, 1, 2, false}, {"poisson", "sines", 24, 400, 1, 1.5, false},
                                {"fit", "sines", 2, 32, 1, 1.2, true},     {"fit", "sines", 2, 129, 1, 2, false},
                                {"fit", "sines", 2, 256, 4, 1.2, false},   {"fit", "waves", 40, 2000, 2, 1.7, false},
                                {"fit", "hill", 40, 2000, 2, 1.7, false},  {"fit", "franke", 40, 1200, 1, 3.5, false},
                                {"fit", "runge", 40, 1200, 1, 5, false}};

typedef struct problem {
    const experiment *e;
    const enclosed_target *known;
    steep_target *target;
    steep_samples train;
    steep_network network;
    double *theta;
} problem;

/* z of unit i at count points. */
static void argument_of(const problem *p, size_t i, size_t count, const double *x, double *z)
{
    const double *g = p->theta + steep_network_gate(&p->network, i);
    for (size_t k = 0; k < count; k++) z[k] = g[0] * x[k] + g[1] * x[count + k] + g[2];
}

/* Column i of the least squares: -Laplace h at the points, then h on the edge; i = width: the constant. */
static void write_column(const problem *p, size_t i, const double *edge, double *column, double *scratch)
{
    const size_t N = p->train.count;
    double *jet[3] = {scratch, scratch + N, scratch + 2 * N}, *z = scratch + 3 * N;
    if (i == p->network.width) {
        for (size_t k = 0; k < N + ON_EDGE; k++) column[k] = k < N ? 0 : EDGE / sqrt(ON_EDGE);
        return;
    }
    const double *g = p->theta + steep_network_gate(&p->network, i), square = g[0] * g[0] + g[1] * g[1];
    argument_of(p, i, N, p->train.x, z);
    steep_activation_tile(STEEP_TANH, N, z, 2, jet);
    for (size_t k = 0; k < N; k++) column[k] = -square * jet[2][k] * sqrt(p->train.weight[k]);
    argument_of(p, i, ON_EDGE, edge, z);
    steep_activation_tile(STEEP_TANH, ON_EDGE, z, 0, jet);
    for (size_t k = 0; k < ON_EDGE; k++) column[N + k] = jet[0][k] * EDGE / sqrt(ON_EDGE);
}

/* Solves for output weights and bias; the gates are given. */
static void solve_poisson(const problem *p)
{
    const size_t N = p->train.count, m = N + ON_EDGE, n = p->network.width + 1;
    double *right = experiment_numbers(p->e, m), *scratch = experiment_numbers(p->e, 4 * m),
           *x = experiment_numbers(p->e, 2 * n), *scale = x + n, edge[2 * ON_EDGE];
    steep_span span = {0};
    const steep_error error = {"no memory for the least squares"};
    if (!steep_span_open(&span, m, n)) experiment_die(p->e, &error, 1);
    for (size_t k = 0; k < ON_EDGE; k++) { /* Chebyshev points, denser near the corners */
        const size_t place = k / 4, places = ON_EDGE / 4;
        const double t = -cos(M_PI * ((double)place + 0.5) / (double)places), side = k % 2 ? 1 : -1;
        edge[k] = k % 4 < 2 ? t : side;
        edge[ON_EDGE + k] = k % 4 < 2 ? side : t;
    }
    for (size_t k = 0; k < m; k++) right[k] = k < N ? 2 * M_PI * M_PI * p->train.y[k] * sqrt(p->train.weight[k]) : 0;
    for (size_t i = 0; i < n; i++) {
        write_column(p, i, edge, span.A + i * m, scratch);
        const double length = steep_dense_norm(m, span.A + i * m);
        scale[i] = length > 0 ? 1 / length : 1;
        steep_dense_scale(m, scale[i], span.A + i * m);
    }
    if (!steep_span_factor(&span, 16 * 0x1p-52)) experiment_die(p->e, &error, 1);
    steep_span_solve(&span, right, x);
    for (size_t i = 0; i < n; i++) p->theta[p->network.output + i] = x[i] * scale[i]; /* the bias is the last */
    steep_span_close(&span);
    free(right);
    free(scratch);
    free(x);
}

/* Fits the target itself. */
static void solve_fit(const problem *p, const case_of *c)
{
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    steep_error error;
    const steep_problem fit = {&p->network, p->target, &p->train, NULL};
    options.start = STEEP_START_RIDGE;
    options.directions = c->directions;
    options.steepness = c->steepness;
    options.stages = c->stages;
    options.growth = c->directions == 2 ? 1.5 : 1;
    if (steep_fit(&fit, &options, &result, &error) < 0) experiment_die(p->e, &error, 1);
    memcpy(p->theta, result.theta, p->network.parameters * sizeof *p->theta);
    steep_fit_result_free(&result);
}

static void place_gates(const problem *p, const case_of *c)
{
    const steep_start_options start = {.kind = STEEP_START_RIDGE,
                                       .low = p->train.low,
                                       .high = p->train.high,
                                       .directions = c->directions,
                                       .steepness = c->steepness,
                                       .gates_alone = true};
    steep_error error;
    if (steep_start(&p->network, &start, p->theta, &error) < 0) experiment_die(p->e, &error, 1);
}

/* The error's norms at sample points. */
static steep_measured sample_error(const problem *p)
{
    steep_measured measured;
    steep_samples points;
    steep_error error;
    if (steep_samples_test(p->target, STEEP_GRID, false, p->e->quick ? 2500 : 40000, &points, &error) < 0 ||
        steep_measure(&p->network, p->theta, &points, NULL, &measured, &error) < 0)
        experiment_die(p->e, &error, 1);
    steep_samples_free(&points);
    return measured;
}

static enclosed_norms enclose(const problem *p)
{
    enum { MOST = 2000 };
    ridge ridges[MOST];
    for (size_t i = 0; i < p->network.width; i++) {
        const double *g = p->theta + steep_network_gate(&p->network, i);
        ridges[i] = (ridge){{g[0], g[1]}, g[2], p->theta[p->network.output + i]};
    }
    return enclose_error(p->known, ridges, p->network.width, p->theta[p->network.bias]);
}

static void open_target(problem *p, const char *name)
{
    steep_error error;
    char domain[64];
    p->known = enclosed_targets;
    while (strcmp(p->known->name, name) != 0) p->known++;
    snprintf(domain, sizeof domain, "%g:%g,%g:%g", p->known->low, p->known->high, p->known->low, p->known->high);
    if (steep_target_open_on(p->known->formula, domain, &p->target, &error) < 0 ||
        steep_samples_train(p->target, STEEP_GAUSS, SIDE * SIDE, 0, &p->train, &error) < 0)
        experiment_die(p->e, &error, 1);
}

static void run_case(problem *p, const case_of *c)
{
    steep_error error;
    const steep_architecture *row = steep_architecture_find("mlp", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.activation = STEEP_TANH;
    open_target(p, c->target);
    if (steep_network_init(&p->network, row, &choice, 2, c->width, &error) < 0) experiment_die(p->e, &error, 1);
    p->theta = experiment_numbers(p->e, p->network.parameters);
    if (strcmp(c->way, "fit") == 0) solve_fit(p, c);
    else {
        place_gates(p, c);
        solve_poisson(p);
    }
    double most = 0;
    for (size_t i = 0; i < c->width; i++) most = fmax(most, fabs(p->theta[p->network.output + i]));
    const steep_measured sampled = sample_error(p);
    const enclosed_norms n = enclose(p);
    const double size = steep_rmse_of_zero(&p->train);
    printf("%-8s %-6s %5zu %3zu %2zu %9.1e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e %9.2e\n", c->way, c->target,
           c->width, c->directions, c->stages, most, sampled.rmse / size, n.rmse[0] / size, n.rmse[1] / size,
           sampled.max, n.sup[0] + n.gradient[0], n.sup[1] + n.gradient[1], n.laplacian[0], n.laplacian[1]);
    fflush(stdout);
    steep_samples_free(&p->train);
    steep_target_free(p->target);
    free(p->theta);
}

int main(int argc, char **argv)
{
    const experiment e = experiment_begin(argc, argv, "poisson", "way target width",
                                          "-Laplace u = f by one layer of tanh, the error enclosed.");
    problem p = {.e = &e};
    printf("%-8s %-6s %5s %3s %2s %9s %9s %19s %9s %19s %19s\n", "way", "target", "n", "m", "k", "largest D", "L2",
           "L2 enclosed", "max", "W1inf enclosed", "residual enclosed");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const bool wanted = experiment_wants(&e, 0, cases[c].way) && experiment_wants(&e, 1, cases[c].target) &&
                            experiment_wants_size(&e, 2, cases[c].width);
        if (wanted && (cases[c].quick || !e.quick)) run_case(&p, &cases[c]);
    }
    experiment_found(&e);
    printf("L2: relative, sampled on a grid, then its bounds; max: sampled; W1inf: bounds of sup + gradient; residual: "
           "bounds of sup |Laplace u_N + f|; n units in m directions, k stages\n");
    return 0;
}
