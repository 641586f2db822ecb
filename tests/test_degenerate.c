/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Degenerate data: few distinct points, gaps, clusters, points on one side. */
#include <lapacke.h>

#include "fit/problem.h"
#include "measure/measured.h"
#include "numerics/sort.h"
#include "spline/spline.h"
#include "splines.h"
#include "units.h"

static double box_low[] = {-1}, box_high[] = {1};

#define HOLD 1e-3 /* as in spline/least_squares */
enum { MOST_CELLS = 40, MOST_POINTS = 120, TERMS = STEEP_SPLINE_MAX_DEGREE + 1 };

typedef enum layout { TIES, GAPS, CLUSTERS, LOGARITHMIC, ONE_SIDED, SINGLE, SPREAD, KINDS } layout;
static const char *const kind_names[] = {"ties", "gaps", "clusters", "log-spaced", "one-sided", "single", "spread"};

/* Degree and continuity of mlp, glu, gqu2d, gqu, relu2, relu3, gated3, gated4. */
static const size_t classes[][2] = {{1, 1}, {2, 1}, {3, 1}, {3, 2}, {2, 2}, {3, 3}, {4, 3}, {5, 4}};
enum { CLASSES = sizeof classes / sizeof *classes };

typedef struct degenerate {
    layout kind;
    bool noise, even; /* values with noise of size 1; knots at equal distances */
    size_t degree, continuity, cells;
    double knot[MOST_CELLS + 1], x[MOST_POINTS], y[MOST_POINTS], weight[MOST_POINTS];
    steep_samples samples;
} degenerate;

/* Draws a point of the unit interval; center[0..centers-1]: the places of TIES and of the CLUSTERS' left ends. */
static double draw_point(steep_random *random, layout kind, size_t centers, const double *center, double width)
{
    double u = steep_random_uniform(random);
    switch (kind) {
    case TIES: return center[chance_below(random, centers)];
    case CLUSTERS: return fmin(1, center[chance_below(random, centers)] + width * u);
    case GAPS: /* the left ends of `centers` equal stretches */
        return ((double)chance_below(random, centers) + 0.2 * u) / (double)centers;
    case LOGARITHMIC: return pow(10, -12 * u);
    case ONE_SIDED: return center[0] < 0.5 ? 0.3 * width * u : 1 - 0.3 * width * u;
    case SINGLE: return center[0];
    default: return u;
    }
}

/* Points of [-1, 1], ascending, with values of a smooth function, and some cases with weights. */
static void draw_samples(steep_random *random, degenerate *d)
{
    double center[20], width = pow(10, chance_within(random, -12, -3));
    size_t centers = 1 + chance_below(random, 20), count = 2 + chance_below(random, MOST_POINTS - 2);
    for (size_t c = 0; c < 20; c++) center[c] = steep_random_uniform(random);
    if (d->kind == ONE_SIDED) width = steep_random_uniform(random);
    double slope = chance_within(random, -3, 3), turns = chance_within(random, 0, 6);
    for (size_t k = 0; k < count; k++) d->x[k] = -1 + 2 * draw_point(random, d->kind, centers, center, width);
    steep_sort_numbers(d->x, count);
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        d->y[k] = sin(turns * d->x[k]) + slope * d->x[k] + (d->noise ? steep_random_normal(random) : 0);
        sum += d->weight[k] = exp(chance_within(random, -2, 2));
    }
    for (size_t k = 0; k < count; k++) d->weight[k] /= sum;
    d->samples = (steep_samples){.count = count, .dim = 1, .x = d->x, .y = d->y, .low = box_low, .high = box_high};
    if (steep_random_uniform(random) < 0.3) d->samples.weight = d->weight;
}

/* Knots of [-1, 1]: even, at random, or in a geometric progression. */
static void draw_knots(steep_random *random, degenerate *d)
{
    size_t spacing = chance_below(random, 3), n = d->cells;
    d->even = spacing == 0;
    double ratio = chance_within(random, 0.7, 1.4);
    for (size_t i = 0; i <= n; i++)
        d->knot[i] = spacing == 0   ? (double)i / (double)n
                     : spacing == 1 ? steep_random_uniform(random)
                                    : (pow(ratio, (double)i) - 1) / (pow(ratio, (double)n) - 1);
    steep_sort_numbers(d->knot, n + 1);
    for (size_t i = 0; i <= n; i++) d->knot[i] = -1 + 2 * d->knot[i];
    d->knot[0] = -1;
    d->knot[n] = 1;
}

static void draw_case(steep_random *random, size_t index, degenerate *d)
{
    d->kind = (layout)(index % KINDS);
    size_t class = chance_below(random, CLASSES);
    d->degree = classes[class][0];
    d->continuity = classes[class][1];
    d->cells = 1 + chance_below(random, steep_random_uniform(random) < 0.8 ? 12 : MOST_CELLS);
    if (d->kind == SINGLE) d->cells = MOST_CELLS - chance_below(random, MOST_CELLS / 2);
    d->noise = steep_random_uniform(random) < 0.5;
    draw_knots(random, d);
    draw_samples(random, d);
}

static double larger_cell(const degenerate *d, size_t i)
{
    return fmax(d->knot[i] - d->knot[i - 1], d->knot[i + 1] - d->knot[i]);
}

static steep_spline best_spline(const degenerate *d)
{
    return spline_of(&d->samples, d->degree, d->continuity, d->cells, d->knot);
}

/* |residual|, w_k = 1 on average */
static double residual(const degenerate *d, const steep_spline *spline)
{
    return sqrt((double)d->samples.count) * spline_rmse(spline, &d->samples);
}

/* The number of places over the whole range, as spline/least_squares counts them. */
static size_t places(const degenerate *d)
{
    size_t found = 0;
    double from = -INFINITY;
    for (size_t k = 0; k < d->samples.count; k++)
        if (d->x[k] >= from) {
            from = d->x[k] + 2 / (4 * (double)d->degree);
            found++;
        }
    return found;
}

/* Writes `factor` times the row of (s^(j) at x) 2^j / j!, the j-th Taylor coefficient in the scale of the range, in the
 * basis 1, x, .., x^p and ((x - t_i)_+ / g_i)^l, l = continuity..p; entries are `rows` apart. */
static void put_row(const degenerate *d, double x, size_t j, double factor, size_t rows, double *entry)
{
    for (size_t i = 0; i < d->cells; i++) /* 0: the powers of x */
        for (size_t l = i ? d->continuity : 0; l <= d->degree; l++, entry += rows) {
            const double g = i ? larger_cell(d, i) : 1, z = i ? (x - d->knot[i]) / g : x;
            double binomial = 1;
            for (size_t m = 0; m < j; m++) binomial *= ((double)l - (double)m) / ((double)m + 1);
            if (l < j || (i > 0 && z <= 0)) *entry = 0;
            else *entry = factor * binomial * pow(z, (double)(l - j)) * pow(2 / g, (double)j);
        }
}

/* Returns sqrt(min |residual|^2 + HOLD^2 |J|^2) over all splines, J their jumps (+ HOLD^2 |a|^2 with fewer than degree
 * + 1 places, a the last cell's last coefficients), by LAPACK's QR in truncated powers. The sum is evaluated from the
 * solution: it is at least the minimum, up to *rounding, eps times the terms that cancel, for any basis. */
static double held_minimum(const degenerate *d, double *rounding)
{
    size_t p = d->degree, N = d->samples.count, jumps = (d->cells - 1) * (p + 1 - d->continuity), n = p + 1 + jumps;
    size_t found = places(d), rows = N + jumps + p + 1;
    double hold = HOLD;
    for (size_t k = 0; d->samples.weight && k < N; k++) hold = fmax(hold, HOLD * sqrt(d->weight[k] * (double)N));
    SCOPED(release_memory)
    double *A = calloc(rows * n, sizeof *A), *QR = malloc(rows * n * sizeof *QR), *y = calloc(rows, sizeof *y),
           *u = malloc(rows * sizeof *u);
    for (size_t k = 0; k < N; k++) {
        const double root = d->samples.weight ? sqrt(d->weight[k] * (double)N) : 1;
        put_row(d, d->x[k], 0, root, rows, A + k);
        y[k] = root * d->y[k];
    }
    for (size_t l = 0; l < jumps; l++) A[N + l + (p + 1 + l) * rows] = hold;
    for (size_t j = found; j <= p; j++) put_row(d, 1, j, hold, rows, A + N + jumps + j);
    memcpy(QR, A, rows * n * sizeof *A);
    memcpy(u, y, rows * sizeof *y);
    LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (int)rows, (int)n, 1, QR, (int)rows, u, (int)rows);
    long double sum = 0, terms = 0;
    for (size_t k = 0; k < rows; k++) {
        long double e = -y[k], size = fabsl(e);
        for (size_t c = 0; c < n; c++) {
            const long double term = (long double)A[k + c * rows] * u[c];
            e += term;
            size += fabsl(term);
        }
        sum += e * e;
        terms += size * size;
    }
    *rounding = isfinite((double)terms) ? DBL_EPSILON * (double)sqrtl(terms) : INFINITY;
    return isfinite((double)sum) ? (double)sqrtl(sum) : 0;
}

static double largest_datum(const degenerate *d)
{
    double largest = 0;
    for (size_t k = 0; k < d->samples.count; k++) largest = fmax(largest, fabs(d->y[k]));
    return largest;
}

/* Requires that both cells at a knot agree in the first `continuity` coefficients, up to the rounding of the shift. */
static void check_continuous(const degenerate *d, const steep_spline *spline, const char *where)
{
    long double left[TERMS], right[TERMS];
    for (size_t i = 1; i < d->cells; i++) {
        const long double *c = spline->coefficient + i * (d->degree + 1);
        long double terms = 0, h = (long double)d->knot[i + 1] - d->knot[i], power = 1;
        for (size_t j = 0; j <= d->degree; j++) terms += fabsl(c[j]) * (long double)(1 << d->degree);
        steep_spline_taylor(spline, i - 1, d->knot[i], left);
        steep_spline_taylor(spline, i, d->knot[i], right);
        for (size_t j = 0; j < d->continuity; j++, power *= h)
            ck_assert_msg(fabsl(left[j] - right[j]) * power <= 256 * LDBL_EPSILON * terms,
                          "%s, knot %zu: derivative %zu jumps by %Lg of %Lg", where, i, j,
                          fabsl(left[j] - right[j]) * power, terms);
    }
}

/* Checks the values and returns the largest |s|. Between its first and last point, the spline of a smooth function is
 * not much larger than the function: without holds it was 1e24 times as large. With noise, points near each other force
 * slopes of any size, and beyond all points a polynomial may grow: there s is only finite. A single point gives a
 * constant, up to jumps of rounding / HOLD, which grow from cell to cell by at most (their size / its size)^degree. */
static double check_values(const degenerate *d, const steep_spline *spline, const char *where)
{
    static const double factor[KINDS] = {100, 10, 100, 500, 10, 1, 100};
    double y = largest_datum(d), smallest = 2, jumps = DBL_EPSILON * sqrt((double)d->samples.count) / HOLD, most = 0;
    for (size_t i = 0; i < d->cells; i++) smallest = fmin(smallest, d->knot[i + 1] - d->knot[i]);
    for (int k = 0; k <= 500; k++) {
        const double x = -1 + 0.004 * k, s = fabs((double)steep_spline_value(spline, x));
        ck_assert_msg(isfinite(s), "%s: %g", where, s);
        if (!d->noise && d->even && x >= d->x[0] && x <= d->x[d->samples.count - 1])
            ck_assert_msg(s <= factor[d->kind] * y, "%s: %g between points of %g", where, s, y);
        most = fmax(most, s);
    }
    if (d->kind == SINGLE)
        ck_assert_msg(most <= y * (1 + 64 * jumps * pow(2 / smallest, (double)d->degree)),
                      "%s: %.17g from one point of %.17g", where, most, y);
    return most;
}

/* The residual is not above LAPACK's held minimum; the values keep their bounds; the knots are as smooth as they should
 * be. Most cases are single points with many cells: no rounding may turn noise at one point into a slope. */
START_RANDOM_TEST(splines_through_little_data, 1)
{
    size_t cases = chance_cases(2000);
    for (size_t c = 0; c < cases; c++) {
        degenerate d;
        char where[160];
        double rounding;
        draw_case(&random, c % 10 < KINDS ? c % 10 : SINGLE, &d);
        snprintf(where, sizeof where, "case %zu: %s, %s knots, %s, degree %zu, C%zu, %zu cells, %zu samples%s", c,
                 kind_names[d.kind], d.even ? "even" : "uneven", d.noise ? "noise" : "smooth", d.degree,
                 d.continuity - 1, d.cells, d.samples.count, d.samples.weight ? ", weights" : "");
        SCOPED(steep_spline_free) steep_spline spline = best_spline(&d);
        const double most = check_values(&d, &spline, where);
        check_continuous(&d, &spline, where);
        double r = residual(&d, &spline), held = held_minimum(&d, &rounding);
        double own = DBL_EPSILON * (most + largest_datum(&d)) * sqrt((double)d.samples.count);
        ck_assert_msg(r <= held + 100 * (own + rounding), "%s: residual %.10g, at most %.10g, rounding %.3g and %.3g",
                      where, r, held, own, rounding);
    }
}

/* Splines meet noisy points exactly that stand in the middle of every second cell or fewer: there are enough jumps, and
 * singular values are near 1. The holds alone would leave HOLD^2 of the noise. */
START_RANDOM_TEST(points_far_apart_are_met_exactly, 5)
{
    for (size_t class = 0; class < CLASSES; class ++)
        for (size_t apart = 2; apart <= 5; apart++) {
            degenerate d = {.degree = classes[class][0], .continuity = classes[class][1], .cells = MOST_CELLS};
            size_t count = 0;
            for (size_t i = 0; i <= MOST_CELLS; i++) d.knot[i] = -1 + 2 * (double)i / MOST_CELLS;
            for (size_t i = 0; i < MOST_CELLS; i += apart) {
                d.x[count] = (d.knot[i] + d.knot[i + 1]) / 2;
                d.y[count++] = steep_random_normal(&random);
            }
            d.samples = (steep_samples){.count = count, .dim = 1, .x = d.x, .y = d.y, .low = box_low, .high = box_high};
            SCOPED(steep_spline_free) steep_spline spline = best_spline(&d);
            double r = residual(&d, &spline);
            ck_assert_msg(r <= 64 * DBL_EPSILON * largest_datum(&d) * sqrt((double)count),
                          "degree %zu, C%zu, a point in %zu cells: residual %g", d.degree, d.continuity - 1, apart, r);
        }
}

static const char *const networks[][2] = {{"mlp", NULL},    {"mlp", "relu2"}, {"mlp", "relu3"}, {"mlp", "relu4"},
                                          {"glu", NULL},    {"gqu", NULL},    {"gqu2", NULL},   {"gqu2a", NULL},
                                          {"gqu2b", NULL},  {"gqu2c", NULL},  {"gqu2d", NULL},  {"gated3", NULL},
                                          {"gated4", NULL}, {"gated5", NULL}};
enum { NETWORKS = sizeof networks / sizeof *networks };

typedef struct trial {
    steep_network network;
    steep_fit_options options;
    steep_fit_result result;
    steep_error error;
    char where[200];
} trial;

/* Points as from a file: no weights, the box of the points. False for a file that is refused: all points equal. */
static bool draw_points(steep_random *random, size_t index, degenerate *d)
{
    draw_case(random, index, d);
    d->samples.weight = NULL;
    d->samples.low = d->x;
    d->samples.high = d->x + d->samples.count - 1;
    return d->x[0] < d->x[d->samples.count - 1];
}

static steep_status run_trial(trial *t, const degenerate *d)
{
    t->options.restarts = 1;
    snprintf(t->where, sizeof t->where, "%s, %s, %zu samples, %s %d, width %zu, start %s, %s", kind_names[d->kind],
             d->noise ? "noise" : "smooth", d->samples.count, t->network.architecture->name,
             t->network.choice.activation, t->network.width, steep_start_names(t->options.start),
             t->options.dense ? "dense" : "spline");
    return steep_fit(&(steep_problem){&t->network, NULL, &d->samples, NULL}, &t->options, &t->result, &t->error);
}

static void close_trial(trial *t)
{
    steep_fit_result_free(&t->result);
}

/* Requires a usable fit, and an error not above the error of 0. A singular fit is allowed where all points are within
 * 0.01: units that are written about 0 (gqu2, say) cannot tell such points apart. */
static void check_usable(steep_status status, const degenerate *d, const trial *t)
{
    bool apart = d->x[d->samples.count - 1] - d->x[0] > 0.01;
    ck_assert_msg(status >= 0 || (!apart && status == STEEP_SINGULAR), "%s: %s", t->where, t->error.text);
    if (status < 0) return;
    double zero = steep_rmse_of_zero(&d->samples);
    ck_assert_msg(t->result.rmse_train <= zero * (1 + 4 * sqrt(DBL_EPSILON)), "%s: rmse %g, that of 0 is %g", t->where,
                  t->result.rmse_train, zero);
}

/* Frozen fits, dense and by splines, are usable and no worse than 0 (test_frozen compares both for many points). */
START_RANDOM_TEST(frozen_fits_of_little_data, 2)
{
    static const steep_start_kind starts[] = {STEEP_START_UNIFORM, STEEP_START_ALTERNATING, STEEP_START_ONE_SIDED};
    for (size_t c = 0, cases = chance_cases(800); c < cases; c++) {
        degenerate d;
        SCOPED(close_trial) trial t = {.options = steep_fit_options_default()};
        const char *const *which = networks[chance_below(&random, NETWORKS)];
        t.network = network_of(which[0], which[1], 1, 3 + chance_below(&random, 28));
        t.options.start = starts[chance_below(&random, 3)];
        t.options.dense = c % 2;
        if (draw_points(&random, c / 2, &d)) check_usable(run_trial(&t, &d), &d, &t);
    }
}

/* Fits by reduced-newton of ties, gaps and clusters are usable and no worse than 0, with at least as many distinct
 * points as parameters (test_fit: fewer are refused). */
START_RANDOM_TEST(reduced_newton_on_little_data, 3)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "gqu2d"};
    for (size_t left = chance_cases(7); left > 0;) {
        degenerate d;
        SCOPED(close_trial) trial t = {.options = steep_fit_options_default()};
        size_t distinct = 0;
        t.network = network_of(archs[chance_below(&random, 4)], NULL, 1, 4 + chance_below(&random, 9));
        t.options.solver = STEEP_SOLVER_REDUCED_NEWTON;
        t.options.start = STEEP_START_UNIFORM;
        if (!draw_points(&random, chance_below(&random, 3), &d)) continue;
        ck_assert_int_eq(steep_samples_distinct(&d.samples, &distinct, NULL), STEEP_OK);
        if (distinct < t.network.parameters) continue;
        check_usable(run_trial(&t, &d), &d, &t);
        left--;
    }
}
