/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: rows of cells and of samples; rows of a penalty against its definition, summed unit by unit over the points. */
#include "fit/rows.h"

#include "penalised.h"
#include "opened.h"
#include "model/scaling.h"
#include "units.h"

/* Writes residuals and Jacobian of the network at each sample, over sqrt(N), to r (N) and J (N x P). */
static void write_plain(const steep_problem *problem, const double *theta, double *r, double *J)
{
    const steep_samples *train = problem->train;
    const size_t N = train->count, P = problem->network->parameters;
    const double root = 1 / sqrt((double)N);
    ck_assert_int_eq(steep_network_jacobian(problem->network, theta, N, train->x, r, J, N), STEEP_OK);
    for (size_t k = 0; k < N; k++) r[k] = root * (r[k] - train->y[k]);
    for (size_t q = 0; q < N * P; q++) J[q] *= root;
}

/* Splines have the rows of their cells (test_cells), where these are fewer than samples; else there is a row for each
 * sample. The residual is the same without its Jacobian. */
START_TEST(rows_are_of_cells_or_of_samples)
{
    static const struct {
        const char *arch, *activation;
        size_t samples;
        bool dense, cells;
    } at[] = {{"mlp", NULL, 700, false, true}, {"gqu", NULL, 700, false, true},    {"gated3", NULL, 700, false, true},
              {"mlp", NULL, 700, true, false}, {"gated3", NULL, 700, true, false}, {"glu", NULL, 700, true, false},
              {"glu", NULL, 20, false, false}, {"glu", "silu", 500, false, false}};
    SCOPED(release_target) steep_target *target = target_of("cosine_well");
    const uint64_t seed = chance_number("SEED", 3);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const steep_network network = network_of(at[i].arch, at[i].activation, 1, 7);
        const steep_fit_options options = {.threads = at[i].dense ? 3 : 1, .dense = at[i].dense};
        SCOPED(steep_samples_free) steep_samples train = random_of(target, at[i].samples, seed);
        const steep_problem problem = {&network, target, &train, NULL};
        const size_t P = network.parameters, most = train.count * (P + 1);
        SCOPED(release_memory) double *theta = malloc((P + 3 * most) * sizeof *theta);
        double *own = theta + P, *other = own + most, *alone = other + most;
        SCOPED(steep_rows_close) steep_rows rows;
        start_of(&network, &train, STEEP_START_RANDOM, seed + 2, theta);
        ck_assert_int_eq(steep_rows_open(&problem, &options, &rows, NULL), STEEP_OK);
        const size_t N = rows.count;
        ck_assert((rows.cells.rows > 0) == at[i].cells && (at[i].cells ? N < 100 : N == train.count));
        ck_assert_int_eq(steep_rows_evaluate(&rows, theta, own, own + N), STEEP_OK);
        ck_assert_int_eq(steep_rows_evaluate(&rows, theta, alone, NULL), STEEP_OK);
        if (at[i].cells) ck_assert_int_eq(steep_cells_evaluate(&rows.cells, theta, other, other + N), STEEP_OK);
        else write_plain(&problem, theta, other, other + N);
        for (size_t q = 0; q < N * (P + 1); q++) check_close(own[q], other[q], 64 * DBL_EPSILON * (1 + fabs(other[q])));
        for (size_t k = 0; k < N; k++) check_close(alone[k], own[k], 64 * DBL_EPSILON);
    }
}

/* Adds one unit's part of the second term, X (S D M)^2 |c|^2, to sum[P], and half its gradient to the others: the term
 * times half the derivative of its logarithm, 1/D, c/|c|^2, k W/|W|^2. */
static void sum_short(const steep_network *network, double penalty, const double *theta, size_t i, double *sum)
{
    const unsigned linear = steep_architecture_affine(network->architecture);
    const size_t P = network->parameters;
    const double D = theta[network->output + i];
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    const size_t scalings = steep_network_scalings(network, scaling);
    double term = penalty * STEEP_PENALTY_SHORT * STEEP_PENALTY_SHORT * D * D;
    SCOPED(release_memory) double *slope = calloc(P, sizeof *slope);
    slope[network->output + i] = 1 / D;
    for (size_t s = 0; s <= scalings; s++) { /* the last: c */
        const steep_scaling own = {.branches = linear, .degree = linear ? 1 : 0}, one = s < scalings ? scaling[s] : own;
        if (one.degree == 0 || (s < scalings && one.branches && (one.branches & linear) == one.branches)) continue;
        double square = 0;
        for (size_t pass = 0; pass < 2; pass++)
            for (size_t p = 0; p < P; p++) {
                bool in = !one.branches && p >= network->shared_scalars + one.first &&
                          p < network->shared_scalars + one.first + one.count;
                for (size_t b = 0; b < network->counts.branches; b++)
                    in = in || (one.branches >> b & 1 && p >= steep_network_place(network, b, i) &&
                                p < steep_network_place(network, b, i) + network->features[b]);
                if (in && pass == 0) square += theta[p] * theta[p];
                if (in && pass == 1) slope[p] += one.degree * theta[p] / square;
            }
        term *= pow(square, one.degree);
    }
    for (size_t p = 0; p < P; p++) sum[p] += term * slope[p];
    sum[P] += term;
}

/* Writes the penalty of all units to sum[P] and half its gradient to sum[0..P-1], from the network with all output
 * weights but one set to 0. size: the same sums with absolute terms. */
static void sum_units(const steep_problem *problem, double penalty, const double *theta, double *sum, double *size)
{
    const steep_network *network = problem->network;
    const steep_samples *train = problem->train;
    const size_t P = network->parameters, N = train->count;
    double *one = malloc((P + N + N * P) * sizeof *one), *y = one + P, *J = y + N;
    ck_assert(one != NULL);
    memset(sum, 0, (P + 1) * sizeof *sum);
    memset(size, 0, (P + 1) * sizeof *size);
    for (size_t i = 0; i < network->width; i++) {
        memcpy(one, theta, P * sizeof *one);
        one[network->bias] = 0;
        for (size_t u = 0; u < network->width; u++)
            if (u != i) one[network->output + u] = 0;
        ck_assert_int_eq(steep_network_jacobian(network, one, N, train->x, y, J, N), STEEP_OK);
        sum_short(network, penalty, theta, i, sum);
        for (size_t k = 0; k < N; k++) {
            const double w = penalty * (train->weight ? train->weight[k] : 1 / (double)N);
            sum[P] += w * y[k] * y[k];
            for (size_t p = 0; p < P; p++) {
                if (p == network->bias || (p >= network->output && p != network->output + i)) continue;
                sum[p] += w * y[k] * J[k + p * N];
                size[p] += w * fabs(y[k] * J[k + p * N]);
            }
        }
    }
    size[P] = sum[P];
    free(one);
}

static double value_of(const steep_problem *problem, const double *theta)
{
    const double objective = objective_of(problem, 2, theta, 0);
    return objective * objective;
}

/* Checks derivatives of the gradient by central differences of sum_units. Rounding and error of a difference are at
 * most 1e-5 of the product of the columns' norms. */
static void check_curvature(const steep_problem *problem, const double *theta, const double *J, size_t rows)
{
    const size_t P = problem->network->parameters;
    const double step = 1e-5;
    double *H = calloc(P * P + 4 * P + 4, sizeof *H), *up = H + P * P, *down = up + P + 1, *size = down + P + 1, *at;
    ck_assert(H != NULL);
    at = malloc(P * sizeof *at);
    ck_assert_int_eq(steep_penalty_curvature(problem, 2, theta, H), STEEP_OK);
    for (size_t q = 0; q < P; q++) {
        memcpy(at, theta, P * sizeof *at);
        at[q] = theta[q] + step;
        sum_units(problem, 2, at, up, size);
        at[q] = theta[q] - step;
        sum_units(problem, 2, at, down, size);
        for (size_t p = 0; p < P; p++) {
            double gauss = 0, pp = 0, qq = 0;
            for (size_t k = 0; k < rows; k++) {
                gauss += J[k + p * rows] * J[k + q * rows];
                pp += J[k + p * rows] * J[k + p * rows];
                qq += J[k + q * rows] * J[k + q * rows];
            }
            const double h = H[p > q ? p + q * P : q + p * P], scale = 1 + sqrt(pp * qq) + fabs(h);
            check_close(gauss + h, (up[p] - down[p]) / (2 * step), 1e-5 * scale);
        }
    }
    free(at);
    free(H);
}

/* Rows, value and gradient of a penalty against sums over units, for every architecture, in 1 to 3 dimensions and one
 * or two layers, with and without weights. */
START_RANDOM_TEST(a_penalty_is_the_sum_over_units, 1)
{
    const size_t cases = chance_cases(4);
    static const char *const formula[] = {"cosine_well", "sin4sin4", "x1*x2+x3"};
    for (size_t a = 0; steep_architecture_table(a); a++)
        for (size_t c = 0; c < cases; c++) {
            const steep_architecture *row = steep_architecture_table(a);
            const size_t dim = 1 + chance_below(&random, 3), width = 2 + chance_below(&random, 3);
            const bool smooth = row->uses_activation && chance_below(&random, 2);
            steep_choice choice = steep_choice_default(row);
            if (smooth) choice.activation = STEEP_SILU;
            choice.depth = 1 + chance_below(&random, 2);
            steep_network network = layout_of(row, &choice, dim, width);
            SCOPED(release_target) steep_target *target = target_of(formula[dim - 1]);
            const size_t N = network.parameters + 40;
            SCOPED(steep_samples_free) steep_samples train = random_of(target, N, c);
            double *weight = malloc(N * sizeof *weight); /* that sum to 1 */
            ck_assert(weight != NULL);
            for (size_t k = 0; k < N; k++) weight[k] = (0.5 + (double)k / (double)(N - 1)) / (double)N;
            if (chance_below(&random, 2)) train.weight = weight;
            else free(weight);
            const steep_problem problem = {&network, target, &train, NULL};
            const size_t P = network.parameters, rows = steep_penalty_rows(&network);
            double *theta = malloc((P + rows * (P + 2) + 2 * P + 2) * sizeof *theta), *r = theta + P, *J = r + rows,
                   *alone = J + rows * P, *sum = alone + rows, *size = sum + P + 1;
            ck_assert(theta != NULL);
            start_of(&network, &train, STEEP_START_RANDOM, c, theta);
            for (size_t p = 0; p < P; p++) theta[p] += chance_within(&random, -0.3, 0.3);
            sum_units(&problem, 2, theta, sum, size);
            ck_assert_int_eq(steep_penalty_write(&problem, 2, theta, r, J, rows), STEEP_OK);
            ck_assert_int_eq(steep_penalty_write(&problem, 2, theta, alone, NULL, 0), STEEP_OK);
            double both[2] = {0, 0};
            for (size_t k = 0; k < rows; k++) both[0] += r[k] * r[k], both[1] += alone[k] * alone[k];
            check_close(both[0], sum[P], 100 * DBL_EPSILON * (double)N * sum[P]);
            check_close(both[1], sum[P], 100 * DBL_EPSILON * (double)N * sum[P]);
            check_close(value_of(&problem, theta), sum[P], 100 * DBL_EPSILON * (double)N * sum[P]);
            for (size_t p = 0; p < P; p++) {
                double gradient = 0, square = 0;
                for (size_t k = 0; k < rows; k++) {
                    gradient += J[k + p * rows] * r[k];
                    square += J[k + p * rows] * J[k + p * rows];
                }
                check_close(gradient, sum[p], 100 * DBL_EPSILON * (double)N * (size[p] + sqrt(square * sum[P])));
            }
            if (smooth && !network.counts.moments && network.depth == 1) check_curvature(&problem, theta, J, rows);
            free(theta);
        }
}
