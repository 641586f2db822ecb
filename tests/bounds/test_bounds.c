/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bounds/public.h"

#include <float.h>
#include <signal.h>
#include <sys/time.h>
#if __has_include(<flint/arb_mat.h>) /* FLINT 3 */
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

#include "../experiments/equal_groups.h"
#include "opened.h"
#include "narrow.h"
#include "steep/spline.h"

/* Seconds of processor time within which a stop must take effect; sanitizers take several times as long. */
#ifdef __SANITIZE_ADDRESS__
#define SOON 1.0
#else
#define SOON 0.2
#endif

/* cosine_well with ten breakpoints: MLP [5.20e-3, 5.55e-3], GLU [3.43e-4, 3.68e-4] on 400 cells (theory.md). */
START_TEST(known_bounds)
{
    const double known[2][2] = {{5.20e-3, 5.55e-3}, {3.43e-4, 3.68e-4}};
    SCOPED(release_target) steep_target *target = target_of("cosine_well");
    SCOPED(steep_samples_free) steep_samples samples;
    double knot[401];
    steep_knots_uniform(-1, 1, 400, knot);
    ck_assert_int_eq(steep_samples_gauss(target, 400, knot, 8, &samples, NULL), STEEP_OK);
    for (size_t degree = 1; degree <= 2; degree++) {
        double lower[51], upper[51], low, high;
        const steep_bounds_widths ten = {degree, 1, (const size_t[]){10}, NULL};
        ck_assert_int_eq(bracket_equal(&samples, &(bracket_size){degree, 400, 50}, lower, upper, NULL), STEEP_OK);
        ck_assert_int_eq(steep_bounds_at(&samples, &ten, &low, &high, NULL), STEEP_OK);
        check_close(lower[10], known[degree - 1][0], 0.002 * known[degree - 1][0]);
        check_close(upper[10], known[degree - 1][1], 0.002 * known[degree - 1][1]);
        ck_assert(low <= upper[10] && lower[10] <= high && low <= high);
    }
}

/* The target on fine cells, many in each piece of the best division: the second route to its continuous error. */
static steep_samples fine_of(const feature *f)
{
    SCOPED(release_memory) double *edge = malloc(10000 * sizeof *edge);
    const size_t edges = feature_cells(f, 0.015, 1.0 / 1500, edge); /* some 6200 */
    steep_samples out;
    ck_assert_int_eq(steep_samples_gauss(f->target, edges - 1, edge, 9, &out, NULL), STEEP_OK);
    return out;
}

/* Both routes enclose the same best error: no lower bound of one is above the upper bound of the other. */
START_RANDOM_TEST(narrow_features, 1)
{
    static const size_t widths[] = {0, 1, 2, 3, 5, 9, 17, 40, 70, 150};
    enum { WIDTHS = sizeof widths / sizeof *widths };
    size_t cases = chance_cases(3), resolved = 0, asked = 0, unknown = 0;
    for (size_t c = 0; c < cases; c++) {
        feature f = feature_draw(&random);
        SCOPED(steep_samples_free) steep_samples points = fine_of(&f);
        double lower[WIDTHS], upper[WIDTHS], on[WIDTHS], above[WIDTHS], size = 0;
        steep_bounds_quadrature quadrature;
        const size_t degree = 1 + chance_below(&random, c % 4 == 0 ? 8 : 3);
        const steep_bounds_widths list = {degree, WIDTHS, widths, NULL};
        ck_assert_int_eq(steep_bounds_continuous(f.target, &list, lower, upper, &quadrature, NULL), STEEP_OK);
        ck_assert_int_eq(steep_bounds_at(&points, &list, on, above, NULL), STEEP_OK);
        resolved += quadrature.resolved;
        for (size_t k = 0; k < points.count; k++) size = fmax(size, fabs(points.y[k]));
        for (size_t w = 0; w < WIDTHS; w++) {
            if (isnan(lower[w])) continue;
            asked++;
            unknown += isnan(above[w]);
            const double rounding = 1e-9 * lower[w] + 1e-13 * size;
            ck_assert_msg(!(upper[w] < lower[w]), "%s: %g < %g", f.text, upper[w], lower[w]);
            ck_assert(w == 0 || isnan(lower[w - 1]) || lower[w] <= lower[w - 1]);
            ck_assert_msg(!(lower[w] > above[w] + rounding) && !(on[w] > upper[w] + rounding),
                          "%s, degree %zu, %zu breakpoints: [%.9g, %.9g], by the fine cells [%.9g, %.9g]", f.text,
                          degree, widths[w], lower[w], upper[w], on[w], above[w]);
        }
        steep_target_free(f.target);
    }
    ck_assert_msg(resolved >= cases / 2 && 4 * unknown <= asked, "%zu of %zu resolved, %zu bounds of %zu not found",
                  resolved, cases, unknown, asked);
}

/* The least mean square of one polynomial on points first..last-1: Gram's determinant of its powers and y over that of
 * the powers, in so many bits that what they lose does not count. */
static double least_sum(const steep_samples *s, size_t first, size_t last, size_t degree)
{
    enum { BITS = 6000 };
    slong q = 0; /* coefficients: no more than places with a weight */
    double place = NAN;
    for (size_t k = first; k < last && q <= (slong)degree; k++)
        if (s->weight[k] > 0 && s->x[k] != place) place = s->x[k], q++;
    arb_mat_t gram, part;
    arb_ptr row = _arb_vec_init(q + 2), value = row + q + 1;
    arb_mat_init(gram, q + 1, q + 1);
    for (size_t k = first; k < last; k++) {
        arb_one(&row[0]);
        for (slong i = 1; i <= q; i++) {
            arb_set_d(&row[i], s->x[k]);
            arb_mul(&row[i], &row[i], &row[i - 1], BITS);
        }
        arb_set_d(&row[q], s->y[k]);
        for (slong i = 0; i <= q; i++)
            for (slong j = 0; j <= q; j++) {
                arb_set_d(value, s->weight[k]);
                arb_mul(value, value, &row[i], BITS);
                arb_addmul(arb_mat_entry(gram, i, j), value, &row[j], BITS);
            }
    }
    arb_mat_window_init(part, gram, 0, 0, q, q);
    arb_mat_det(value, gram, BITS);
    arb_mat_det(&row[0], part, BITS);
    arb_div(value, value, &row[0], BITS);
    const double least = arf_get_d(arb_midref(value), ARF_RND_NEAR);
    ck_assert(mag_get_d(arb_radref(value)) <= 1e-30 * fabs(least) + 1e-300);
    arb_mat_window_clear(part), arb_mat_clear(gram), _arb_vec_clear(row, q + 2);
    return fmax(least, 0);
}

/* Bounds of samples with ties, clusters, jumps and weights of any size hold the best error of all divisions into one,
 * two and three pieces, to 1e-9. */
START_RANDOM_TEST(samples_by_exhaustion, 2)
{
    for (size_t c = chance_cases(40); c-- > 0;) {
        static const size_t widths[] = {0, 1, 2};
        const size_t count = 4 + chance_below(&random, 20), degree = chance_below(&random, 9);
        double lower[3], upper[3], sum[3][24], of[24][24], size = 0, all = 0;
        SCOPED(steep_samples_free) steep_samples s;
        ck_assert_int_eq(steep_samples_allocate(count, 1, true, &s, NULL), STEEP_OK);
        const double scale = exp(chance_within(&random, -20, 20)), far = pow(10, chance_within(&random, 0, 10));
        const bool clusters = chance_below(&random, 2);
        const size_t kind = chance_below(&random, 3); /* of weights: the same, mostly 0, over 20 decades */
        for (size_t k = 0; k < count; k++) {
            const size_t chance = chance_below(&random, 8);
            const double step = chance == 0 ? 0 : chance_within(&random, 0, clusters && chance < 3 ? far : 1);
            s.x[k] = k == 0 ? chance_within(&random, -2, 2) : s.x[k - 1] + step;
            s.y[k] = scale * (chance_within(&random, -1, 1) + (chance_below(&random, 9) == 0) * 5);
            size = fmax(size, fabs(s.y[k]));
            const double drawn = chance_within(&random, 0, 1);
            s.weight[k] = kind == 0 || k == 0 ? 1 : kind == 1 ? fmax(drawn - 0.7, 0) : pow(10, -20 * drawn);
            all += s.weight[k];
        }
        for (size_t k = 0; k < count; k++) s.weight[k] /= all;
        for (size_t i = 0; i < count; i++)
            for (size_t j = i; j < count; j++) of[i][j] = least_sum(&s, i, j + 1, degree);
        for (size_t n = 0; n < 3; n++) /* the points to j: those before i, and a piece from i */
            for (size_t j = 0; j < count; j++) {
                sum[n][j] = of[0][j];
                for (size_t i = 1; n > 0 && i <= j; i++)
                    if (s.x[i] > s.x[i - 1]) sum[n][j] = fmin(sum[n][j], sum[n - 1][i - 1] + of[i][j]);
            }
        const steep_bounds_widths list = {degree, 3, widths, NULL};
        ck_assert_int_eq(steep_bounds_at(&s, &list, lower, upper, NULL), STEEP_OK);
        for (size_t n = 0; n < 3; n++) {
            const double best = sqrt(sum[n][count - 1]), near = 1e-9 * best + 1e-15 * size;
            ck_assert_msg(lower[n] <= best + near && upper[n] >= best - near,
                          "%zu points, degree %zu, %zu breakpoints: %.12g not in [%.12g, %.12g]", count, degree, n,
                          best, lower[n], upper[n]);
        }
    }
}

/* At every width, on the interval and on points, lower is near upper, and both approach the asymptotic line. */
START_TEST(narrow_at_every_width)
{
    static const size_t widths[] = {1, 8, 16, 17, 33, 64, 65, 200, 513, 3000};
    enum { WIDTHS = sizeof widths / sizeof *widths };
    static const char *const targets[] = {"cosine_well", "exp(2*x)"};
    for (size_t degree = 1; degree <= 2; degree++) {
        double lower[WIDTHS], upper[WIDTHS], on[WIDTHS], above[WIDTHS];
        const char *name = targets[degree - 1];
        const double p = (double)degree + 1;
        const steep_bounds_widths list = {degree, WIDTHS, widths, NULL};
        steep_bounds_quadrature quadrature;
        SCOPED(release_target) steep_target *target = target_of(name);
        SCOPED(steep_samples_free) steep_samples s = grid_of(target, 20000);
        const double most =
            steep_spline_constant(degree, 0) * pow(2, p) * steep_target_free_knot_size(target, degree + 1);
        ck_assert_int_eq(steep_bounds_continuous(target, &list, lower, upper, &quadrature, NULL), STEEP_OK);
        ck_assert_int_eq(steep_bounds_at(&s, &list, on, above, NULL), STEEP_OK);
        ck_assert(quadrature.resolved);
        ck_assert(isnan(lower[WIDTHS - 1]) && isnan(on[WIDTHS - 1])); /* beyond STEEP_BOUNDS_WIDEST */
        for (size_t w = 0; w + 1 < WIDTHS; w++) {
            const double asymptotic = most / pow((double)widths[w] + 1, p);
            ck_assert_msg(lower[w] >= 0.8 * upper[w], "%s, %zu: [%g, %g]", name, widths[w], lower[w], upper[w]);
            ck_assert_msg(on[w] <= upper[w] && lower[w] <= above[w], "%s, %zu: grid [%g, %g]", name, widths[w], on[w],
                          above[w]);
            ck_assert_msg(widths[w] < 200 || (lower[w] > 0.85 * asymptotic && upper[w] < 1.1 * asymptotic),
                          "%s, %zu: [%g, %g], in the end %g", name, widths[w], lower[w], upper[w], asymptotic);
        }
    }
}

/* A sine's root mean square is sqrt(1/2), whatever a few breakpoints do; a wave not resolved has no bounds. */
START_TEST(fast_waves_and_what_is_not_resolved)
{
    static const size_t widths[] = {1, 10, 100};
    static const steep_bounds_widths list = {1, 3, widths, NULL}, wrong = {9, 3, widths, NULL};
    double lower[3], upper[3];
    steep_bounds_quadrature quadrature;
    SCOPED(release_target) steep_target *fast = target_of("sin(7539.8*x)"), *faster = target_of("sin(1e6*x)");
    ck_assert_int_eq(steep_bounds_continuous(fast, &list, lower, upper, &quadrature, NULL), STEEP_OK);
    ck_assert(quadrature.resolved && lower[0] > 0.69 && lower[2] > 0.66 && upper[0] < 0.7072);
    ck_assert_int_eq(steep_bounds_continuous(faster, &list, lower, upper, &quadrature, NULL), STEEP_OK);
    ck_assert(!quadrature.resolved && isnan(lower[0]) && isnan(lower[2]));
    ck_assert_int_eq(steep_bounds_continuous(fast, &wrong, lower, upper, &quadrature, NULL), STEEP_BAD_INPUT);
}

/* Random samples with ties, some weighted, and a jump of size *jump; the caller frees them. */
static steep_samples many_samples(steep_random *random, size_t count, double noise, double *jump)
{
    steep_samples s;
    ck_assert_int_eq(steep_samples_allocate(count, 1, chance_below(random, 2), &s, NULL), STEEP_OK);
    double x = chance_within(random, -2, 2), sum = 0;
    const double bend = chance_within(random, 0.5, 4), steps = 4 / (double)count;
    for (size_t k = 0; k < count; k++) {
        if (chance_below(random, 10) > 0) x += steps * chance_within(random, 0, 2);
        s.x[k] = x;
        s.y[k] = sin(bend * x) + (x > 1 ? bend : 0) + noise * steep_random_normal(random);
        if (s.weight) sum += s.weight[k] = chance_within(random, 0.1, 1);
    }
    for (size_t k = 0; s.weight && k < count; k++) s.weight[k] /= sum;
    *jump = s.x[0] <= 1 ? bend : 0;
    return s;
}

/* Bounds of many samples against bounds by dynamic programming over equal groups of all samples: both hold the best
 * error, and neither is much wider, but at a jump upper's breakpoint may be a whole group away. */
START_RANDOM_TEST(bounds_of_many_samples, 6)
{
    static const size_t widths[] = {1, 2, 4, 8};
    for (size_t c = chance_cases(3); c-- > 0;) {
        const size_t degree = 1 + chance_below(&random, 3);
        double jump;
        SCOPED(steep_samples_free)
        steep_samples s = many_samples(&random, 10000, pow(10, chance_within(&random, -4, -1)), &jump);
        double lower[4], upper[4], low[9], high[9];
        const steep_bounds_widths list = {degree, 4, widths, NULL};
        ck_assert_int_eq(steep_bounds_at(&s, &list, lower, upper, NULL), STEEP_OK);
        ck_assert_int_eq(bracket_equal(&s, &(bracket_size){degree, 400, 8}, low, high, NULL), STEEP_OK);
        for (size_t i = 0; i < 4; i++) {
            const size_t n = widths[i];
            ck_assert_msg(lower[i] <= high[n] * (1 + 1e-9) && low[n] <= upper[i] * (1 + 1e-9),
                          "degree %zu, %zu breakpoints: [%.9g, %.9g] and [%.9g, %.9g]", degree, n, lower[i], upper[i],
                          low[n], high[n]);
            ck_assert_msg(lower[i] >= 0.8 * low[n] && (jump > 0 || upper[i] <= 1.2 * high[n]),
                          "degree %zu, %zu breakpoints: [%g, %g] beside [%g, %g]", degree, n, lower[i], upper[i],
                          low[n], high[n]);
        }
    }
}

/* Domains far from 0, or so narrow that divided differences overflow, have the bounds of [-1, 1]. */
START_RANDOM_TEST(bounds_do_not_depend_on_the_place, 8)
{
    static const size_t widths[] = {0, 4, 12};
    static const double domains[][2] = {{0, 1}, {0x1p21, 0x1p-14}, {-0x1p30, 0x1p-10}, {0, 0x1p-200}, {0, 0x1p-260}};
    enum { DOMAINS = sizeof domains / sizeof *domains };
    for (size_t degree = 1; degree <= 5; degree++) {
        const double jump = floor(256 * chance_within(&random, -0.8, 0.8)) / 256, high = pow(10, (double)degree);
        double lower[DOMAINS][3], upper[DOMAINS][3];
        for (size_t d = 0; d < DOMAINS; d++) {
            SCOPED(steep_samples_free) steep_samples s;
            ck_assert_int_eq(steep_samples_allocate(513, 1, false, &s, NULL), STEEP_OK);
            for (size_t k = 0; k < 513; k++) {
                const double X = ((double)k - 256) / 256;
                s.x[k] = domains[d][0] + domains[d][1] * X, s.y[k] = exp(2 * X) + (X > jump ? high : 0);
            }
            const steep_bounds_widths list = {degree, 3, widths, NULL};
            ck_assert_int_eq(steep_bounds_at(&s, &list, lower[d], upper[d], NULL), STEEP_OK);
            for (size_t n = 0; n < 3; n++)
                ck_assert_msg(lower[d][n] <= upper[0][n] * (1 + 1e-9) + 1e-13 * high &&
                                  lower[0][n] <= upper[d][n] * (1 + 1e-9) + 1e-13 * high,
                              "degree %zu, domain %zu, %zu breakpoints: [%.9g, %.9g]", degree, d, widths[n],
                              lower[d][n], upper[d][n]);
        }
    }
}

static volatile int stop;
static volatile clock_t asked;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    asked = clock();
    stop = 1;
}

/* Seconds of processor time from now until stop is set. */
static void stop_after(double seconds)
{
    const struct itimerval once = {{0, 0}, {(time_t)seconds, 1 + (suseconds_t)(1e6 * (seconds - floor(seconds)))}};
    stop = 0;
    ck_assert(signal(SIGPROF, ask_to_stop) != SIG_ERR);
    ck_assert_int_eq(setitimer(ITIMER_PROF, &once, NULL), 0);
}

static void check_heard(steep_status status, const char *what, double seconds)
{
    const double waited = (double)(clock() - asked) / CLOCKS_PER_SEC;
    ck_assert_msg(stop && status == STEEP_STOPPED, "%s: %s, to be stopped after %g s", what, steep_status_name(status),
                  seconds);
    ck_assert_msg(waited < SOON, "%s: heard %.3f s after it was stopped at %g s", what, waited, seconds);
}

/* Bounds of a million points, with widths and a degree that take half a minute, stop soon when they are told to. */
START_RANDOM_TEST(a_stop_is_heard, 7)
{
    static const size_t widths[] = {8, 60, 200, 400, 1000, 2000};
    double lower[6], upper[6], jump;
    SCOPED(steep_samples_free) steep_samples s = many_samples(&random, 1000000, 0.1, &jump);
    steep_bounds_quadrature quadrature;
    SCOPED(release_target) steep_target *target = target_of("sin(1/(x + 1.001)) + exp(cos(9*x))*abs(x - 0.2)");
    for (size_t c = chance_cases(1); c-- > 0;) {
        const size_t first = chance_below(&random, 5);
        const steep_bounds_widths list = {8, 6 - first, widths + first, &stop};
        double seconds = pow(10, chance_within(&random, -2, -0.5));
        stop_after(seconds);
        check_heard(steep_bounds_at(&s, &list, lower, upper, NULL), "on points", seconds);
        stop_after(seconds);
        check_heard(steep_bounds_continuous(target, &list, lower, upper, &quadrature, NULL), "continuous", seconds);
    }
    stop_after(0);
    while (!stop) continue;
    const steep_bounds_widths narrow = {1, 1, widths, &stop}; /* stopped before it begins */
    ck_assert_int_eq(steep_bounds_at(&s, &narrow, lower, upper, NULL), STEEP_STOPPED);
    s.count = 0;
    ck_assert_int_eq(steep_bounds_at(&s, &narrow, lower, upper, NULL), STEEP_BAD_INPUT);
}
