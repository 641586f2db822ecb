/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/ridges.h"

#include "fit/cost.h"
#include "model/start.h"
#include "plane.h"
#include "solvers.h"

enum { MOST_DIM = 5, MOST = 200 };

/* A box of random place and size. */
static void draw_box(steep_random *random, size_t dim, double *low, double *high)
{
    for (size_t c = 0; c < dim; c++) {
        low[c] = chance_within(random, -3, 3);
        high[c] = low[c] + chance_within(random, 0.1, 5);
    }
}

/* Middle and reach of the box's projection onto w. */
static void project(size_t dim, const double *w, const double *low, const double *high, double *middle, double *reach)
{
    *middle = *reach = 0;
    for (size_t c = 0; c < dim; c++) {
        *middle += w[c] * (low[c] + high[c]) / 2;
        *reach += fabs(w[c]) * (high[c] - low[c]) / 2;
    }
}

/* True if the gate is this line, facing the other way. */
static bool is_twin(size_t dim, const double *gate, const double *line)
{
    size_t f = 0;
    while (f <= dim && gate[f] == -line[f]) f++;
    return f > dim;
}

/* Checks the numbers of lines of the directions: their sum, their differences as the header says, descending. */
static void check_lines(const steep_ridges *r, bool odd)
{
    size_t sum = 0, last = SIZE_MAX, even = 0;
    for (size_t j = 0; j < r->directions; j++) {
        size_t k = steep_ridges_lines(r, odd, j);
        sum += k;
        even += k % 2 == 0;
        ck_assert(k >= 1 && (k <= last || (odd && j + 1 == r->directions && k == last + 1)));
        ck_assert_uint_le(steep_ridges_lines(r, odd, 0), k + (odd ? 2 : 1));
        last = k;
    }
    ck_assert_uint_eq(sum, r->lines);
    if (odd) ck_assert_uint_eq(even, (r->lines - r->directions) % 2);
}

/* Checks directions, lines and twins (opposite gates), recovered from the gates of a start, against the header. */
static void check_placed(const steep_network *network, const steep_ridges_choice *choice, const uint64_t *seed,
                         const double *low, const double *high)
{
    steep_random turn = steep_random_start(seed ? *seed : 0, STEEP_STREAM_JITTER);
    size_t dim = network->dim, n = network->width, at = 0, twins = 0, used[MOST] = {0};
    const steep_ridges r = steep_ridges_of(network, choice->directions);
    SCOPED(release_memory) double *theta = calloc(network->parameters, sizeof *theta);
    double w[MOST * MOST_DIM];
    steep_start_options how = {.kind = STEEP_START_RIDGE, .low = low, .high = high, .seed = seed ? *seed : n};
    how.directions = choice->directions, how.odd = choice->odd, how.turned = seed != NULL;
    ck_assert_int_eq(steep_start(network, &how, theta, NULL), STEEP_OK);
    const double *gates = theta + network->branch[0];
    ck_assert_uint_eq(r.lines + r.twins, n);
    ck_assert(r.directions >= 1 && r.directions <= r.lines && r.twins <= n / 2);
    if (choice->directions)
        ck_assert_uint_eq(r.directions, choice->directions < r.lines ? choice->directions : r.lines);
    check_lines(&r, choice->odd);
    steep_ridges_directions(dim, r.directions, seed ? &turn : NULL, w);
    for (size_t j = 0; j < r.directions; j++) {
        size_t k = steep_ridges_lines(&r, choice->odd, j);
        double middle, reach;
        project(dim, w + j * dim, low, high, &middle, &reach);
        for (size_t i = 0; i < k; i++, at++) {
            const double *gate = gates + at * (dim + 1);
            ck_assert(!memcmp(gate, w + j * dim, dim * sizeof *w));
            const double place = middle + reach * (2 * (double)(i + 1) / (double)(k + 1) - 1);
            check_close(-gate[dim], place, 16 * DBL_EPSILON * (fabs(middle) + reach));
        }
    }
    ck_assert_uint_eq(at, r.lines);
    for (size_t i = r.lines; i < n; i++)
        for (size_t l = 0; l < r.lines; l++)
            if (!used[l] && is_twin(dim, gates + i * (dim + 1), gates + l * (dim + 1))) {
                used[l] = 1;
                twins++;
                break;
            }
    ck_assert_uint_eq(twins, r.twins);
}

START_RANDOM_TEST(gates_stand_as_said, 1)
{
    for (size_t k = 0; k < chance_cases(6); k++)
        for (size_t i = 0; steep_architecture_table(i); i++) {
            size_t dim = 2 + chance_below(&random, 4), n = 1 + chance_below(&random, k % 3 ? 20 : MOST);
            size_t directions = chance_below(&random, 3) ? 1 + chance_below(&random, 2 * n) : 0;
            double low[MOST_DIM], high[MOST_DIM];
            steep_network network = network_of(steep_architecture_names(i), NULL, dim, n);
            if (network.counts.map[0] != STEEP_MAP_AFFINE) continue;
            const uint64_t seed = chance_below(&random, 1000);
            const steep_ridges_choice choice = {directions, k % 2 == 0};
            draw_box(&random, dim, low, high);
            check_placed(&network, &choice, k % 5 ? NULL : &seed, low, high);
        }
}

/* 2D: the angles between neighbours, also between the last and the first reversed, are all pi / m. More dimensions: the
 * least angle is of order m^(-1/(dim-1)), while in a random set it is m^(-2/(dim-1)), and no direction of space is left
 * out: the mean of (w . v)^2 is near 1 / dim for any v. */
START_RANDOM_TEST(directions_are_spread, 2)
{
    const double pi = acos(-1.0);
    for (size_t dim = 2; dim <= MOST_DIM; dim++)
        for (size_t m = 1; m <= MOST; m += 1 + m / 2) {
            double w[MOST * MOST_DIM], least = pi, v[MOST_DIM], square = 0, norm = 0;
            steep_ridges_directions(dim, m, m % 3 ? NULL : &random, w);
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j <= i; j++) {
                    double dot = 0;
                    for (size_t c = 0; c < dim; c++) dot += w[i * dim + c] * w[j * dim + c];
                    if (i == j) check_close(dot, 1, 8 * DBL_EPSILON);
                    else least = fmin(least, acos(fmin(fabs(dot), 1)));
                }
            if (dim == 2 && m > 1) check_close(least, pi / (double)m, 1e-7); /* acos near 1 has half the digits */
            else if (m > 1) {
                double apart = 0.7 * pow((double)m, -1 / (double)(dim - 1));
                ck_assert_msg(least >= apart, "%zuD, %zu directions: two are %g apart, not %g", dim, m, least, apart);
            }
            for (size_t c = 0; c < dim; c++) {
                v[c] = steep_random_normal(&random);
                norm += v[c] * v[c];
            }
            for (size_t i = 0; i < m; i++) {
                double dot = 0;
                for (size_t c = 0; c < dim; c++) dot += w[i * dim + c] * v[c];
                square += dot * dot / norm / (double)m;
            }
            if (m >= dim && m >= 4)
                ck_assert_msg(fabs(square - 1 / (double)dim) <= 1 / sqrt((double)m), "%zuD, %zu directions: %g", dim, m,
                              square);
        }
}

START_TEST(candidates)
{
    for (size_t dim = 2; dim <= MOST_DIM; dim++)
        for (size_t n = 1; n <= MOST; n += 1 + n / 8) {
            steep_ridges_choice candidate[STEEP_RIDGE_CANDIDATES];
            steep_network network = network_of("glu", NULL, dim, n);
            size_t lines = steep_ridges_of(&network, 0).lines, count = steep_ridges_candidates(&network, candidate);
            ck_assert(count >= 1 && count <= STEEP_RIDGE_CANDIDATES);
            bool own = false, dims = false;
            for (size_t c = 0; c < count; c++) {
                size_t m = candidate[c].directions, before = c ? candidate[c - 1].directions : 0;
                const steep_ridges r = steep_ridges_of(&network, m);
                bool other = r.twins > r.directions;
                ck_assert(m >= 1 && m <= lines && (candidate[c].odd ? m == before : m > before));
                for (size_t j = 0; j < r.directions; j++)
                    other = other || steep_ridges_lines(&r, true, j) != steep_ridges_lines(&r, false, j);
                ck_assert_int_eq(other, candidate[c].odd || (c + 1 < count && candidate[c + 1].odd));
                own = own || m == steep_ridges_of(&network, 0).directions;
                dims = dims || m == (dim < lines ? dim : lines);
            }
            ck_assert(own && dims);
        }
}

static steep_fit_result fit(plane *p, steep_solver solver, size_t directions, uint64_t seed)
{
    steep_fit_options options = options_by(solver, STEEP_START_RIDGE);
    options.directions = directions;
    options.max_iterations = 5;
    options.seed = seed;
    return plane_fit_by(p, &options);
}

/* The chosen number of directions has the least error of all candidates, and the fit of this number when given. */
START_RANDOM_TEST(the_best_candidate_is_chosen, 3)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "gated3", "la"};
    for (size_t k = 0; k < chance_cases(5); k++) {
        steep_ridges_choice candidate[STEEP_RIDGE_CANDIDATES];
        SCOPED(plane_close) plane p;
        plane_draw(&p, &random, 2 + k % 2, 400, archs[k % 5], 1 + chance_below(&random, 24));
        FITTED best = fit(&p, STEEP_SOLVER_FROZEN, k % 2 ? STEEP_AUTO : 0, 4);
        size_t count = steep_ridges_candidates(&p.network, candidate), same = 0;
        for (size_t c = 0; c < count; c++) {
            FITTED one = fit(&p, STEEP_SOLVER_FROZEN, candidate[c].directions, 4);
            ck_assert_msg(best.rmse_train <= one.rmse_train, "%s: %zu directions have %.17g, the chosen %.17g",
                          p.target->name, candidate[c].directions, one.rmse_train, best.rmse_train);
            same += !memcmp(one.theta, best.theta, p.network.parameters * sizeof *one.theta) &&
                    !strcmp(one.reason, best.reason);
        }
        ck_assert_uint_ge(same, 1);
    }
}

/* Every solver begins at the frozen fit, and ends no higher. The seed moves no gate. */
START_RANDOM_TEST(solvers_begin_at_the_frozen_fit, 4)
{
    const steep_solver solvers[] = {STEEP_SOLVER_LM, STEEP_SOLVER_VARPRO, solver_named("newton")};
    static const char *const archs[] = {"mlp", "glu", "gqu", "gated3"};
    for (size_t k = 0; k < chance_cases(6); k++) {
        SCOPED(plane_close) plane p;
        plane_draw(&p, &random, 2 + k % 2, 300, archs[k % 4], 2 + chance_below(&random, 6));
        FITTED frozen = fit(&p, STEEP_SOLVER_FROZEN, STEEP_AUTO, k),
               trained = fit(&p, solvers[k % 3], STEEP_AUTO, k + 7), again = fit(&p, solvers[k % 3], STEEP_AUTO, k + 9);
        ck_assert_msg(trained.rmse_train <= frozen.rmse_train * (1 + 1e-11), "%s, %s from %g to %g", p.target->name,
                      steep_solver_names((size_t)solvers[k % 3]), frozen.rmse_train, trained.rmse_train);
        ck_assert(!memcmp(trained.theta, again.theta, p.network.parameters * sizeof *again.theta));
    }
}

/* With their opposite gates, ridges fit every polynomial of the units' degree to rounding. */
START_RANDOM_TEST(polynomials_are_met, 5)
{
    static const struct {
        const char *arch, *activation;
        size_t degree, width[2]; /* in 2D and 3D */
    } rows[] = {{"mlp", "relu", 1, {4, 6}},
                {"glu", "relu", 2, {6, 8}},
                {"gqu", "relu", 3, {8, 12}},
                {"mlp", "relu2", 2, {12, 20}},
                {"gated3", "relu", 4, {12, 20}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t k = 0; k < chance_cases(2); k++) {
            char formula[600];
            size_t used = 0, dim = 2 + k % 2;
            for (size_t t = 0; t < 4; t++) /* powers of affine maps span all polynomials */
                used += (size_t)snprintf(
                    formula + used, sizeof formula - used, "%s%.3f*(%.3f+x1*(%.3f)+x2*(%.3f)%s)^%zu", t ? "+" : "",
                    chance_within(&random, 0.1, 1), chance_within(&random, -1, 1), chance_within(&random, -1, 1),
                    chance_within(&random, -1, 1), dim == 3 ? "+x3/2" : "", 1 + t % rows[r].degree);
            PLANE(p, formula, 600, rows[r].arch, rows[r].activation, rows[r].width[k % 2] + chance_below(&random, 9));
            FITTED result = fit(&p, STEEP_SOLVER_FROZEN, STEEP_AUTO, 1);
            ck_assert_msg(result.rmse_train <= 1e5 * DBL_EPSILON, "%s:%s of %zu on %s: %g", rows[r].arch,
                          rows[r].activation, p.network.width, formula, result.rmse_train);
        }
}

/* The special case: sin 4x sin 4y is (cos(4x - 4y) - cos(4x + 4y)) / 2, a sum of two ridges along the diagonals, which
 * are the two directions of m = 2. There, and on such sums alone, orders are those of one dimension: 2, 3, 4. */
START_TEST(two_ridges_have_the_orders_of_a_line)
{
    static const char *const archs[] = {"mlp", "glu", "gqu"};
    for (size_t a = 0; a < 3; a++) {
        double error[2];
        for (size_t i = 0; i < 2; i++) {
            SCOPED(plane_close) plane p;
            steep_network wide = network_of(archs[a], NULL, 2, 100);
            plane_open(&p, "sin4sin4", 3000, archs[a], NULL, (64u << i) + steep_ridges_of(&wide, 2).twins);
            FITTED result = fit(&p, STEEP_SOLVER_FROZEN, 2, 1);
            ck_assert_ptr_nonnull(strstr(result.reason, "2 directions"));
            error[i] = result.rmse_train;
        }
        check_close(log(error[0] / error[1]) / log(2), (double)a + 2, 0.25);
    }
}

/* Starts ridge and greedy, which chooses among ridges, are refused in 1D and with too few points. */
START_TEST(refused)
{
    static const steep_start_kind kinds[] = {STEEP_START_RIDGE, STEEP_START_GREEDY};
    SCOPED(plane_close) plane line, few;
    plane_open(&line, "runge3", 50, "mlp", NULL, 4);
    plane_open(&few, "runge3_2d", 20, "glu", NULL, 12);
    for (size_t k = 0; k < 2; k++) {
        const steep_fit_options options = options_by(STEEP_SOLVER_FROZEN, kinds[k]);
        plane_refuses(&line, &options, "use uniform");
        plane_refuses(&few, &options, "37");
    }
    double theta[20];
    const steep_start_options how = {.kind = STEEP_START_RIDGE, .low = line.train.low, .high = line.train.high};
    ck_assert_int_eq(steep_start(&line.network, &how, theta, &line.error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(line.error.text, "use uniform"));
}

/* More candidates cost more, and one given number about two frozen fits. */
START_TEST(the_trials_are_in_the_cost)
{
    steep_network network = network_of("glu", NULL, 2, 60);
    steep_fit_options options = steep_fit_options_default();
    steep_ridges_choice candidate[STEEP_RIDGE_CANDIDATES];
    size_t count = steep_ridges_candidates(&network, candidate);
    double usual = steep_fit_cost(&network, 4000, &options);
    options.start = STEEP_START_RIDGE;
    double chosen = steep_fit_cost(&network, 4000, &options);
    options.directions = 4;
    double given = steep_fit_cost(&network, 4000, &options);
    options.start = STEEP_START_GREEDY;
    ck_assert(steep_fit_cost(&network, 4000, &options) > usual);
    check_close(given, 2 * usual, 0.01 * usual);
    ck_assert(chosen > 0.9 * (double)count * usual && chosen < 1.1 * (double)count * usual);
}
