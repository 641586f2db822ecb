/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>

#include "chance.h"
#include "numerics/sort.h"
#include "opened.h"
#include "splines.h"

static double box_low[] = {0}, box_high[] = {1};

static const size_t classes[][2] = {{1, 1}, {2, 1}, {3, 2}, {3, 1}, {4, 1}};
enum { CLASSES = sizeof classes / sizeof *classes };

/* Half the continuous mean square of the best spline on these knots. */
static double half_square(const steep_free_knots_problem *problem, const double *knot)
{
    SCOPED(steep_samples_free) steep_samples samples;
    ck_assert_int_eq(steep_samples_gauss(problem->target, problem->cells, knot, 12, &samples, NULL), STEEP_OK);
    SCOPED(steep_spline_free)
    steep_spline spline = spline_of(&samples, problem->degree, problem->continuity, problem->cells, knot);
    return pow(spline_rmse(&spline, &samples), 2) / 2;
}

static steep_free_knots_problem problem_of(const steep_samples *samples, const steep_target *target, size_t c,
                                           size_t cells)
{
    return (steep_free_knots_problem){samples, target, classes[c][0], classes[c][1], cells};
}

/* Searches from `knot`. Requires a usable result, the spline's rmse, and the spline's knots in `knot`. */
static steep_free_knots_result search(const steep_free_knots_problem *problem, const steep_free_knots_options *options,
                                      double *knot)
{
    steep_free_knots_result result;
    SCOPED(steep_spline_free) steep_spline spline;
    steep_error error;
    const steep_status status = steep_spline_free_knots(problem, knot, options, &spline, &result, &error);
    ck_assert_msg(status >= 0, "%s", error.text);
    ck_assert_int_eq(status, result.status);
    ck_assert_mem_eq(spline.knot, knot, (problem->cells + 1) * sizeof *knot);
    if (!problem->samples) return result;
    double largest = 0;
    for (size_t k = 0; k < problem->samples->count; k++) largest = fmax(largest, fabs(problem->samples->y[k]));
    for (size_t k = 0; k < problem->cells * (problem->degree + 1); k++)
        largest = fmax(largest, fabs((double)spline.coefficient[k]));
    const double rounding = 10 * (double)(problem->degree + 1) * DBL_EPSILON * largest; /* of a value of the spline */
    check_close(spline_rmse(&spline, problem->samples), result.rmse, 1e-12 * result.rmse + rounding);
    return result;
}

START_TEST(gradient_is_that_of_the_projected_error)
{
    enum { CELLS = 7 };
    const double knot[CELLS + 1] = {-1, -0.8, -0.45, -0.2, 0.15, 0.3, 0.75, 1}, offset[] = {-2, -1, 1, 2}, step = 1e-4;
    SCOPED(release_target) steep_target *target = target_of("chirp");
    for (size_t c = 0; c < CLASSES; c++) {
        const steep_free_knots_problem problem = problem_of(NULL, target, c, CELLS);
        double worst = 0, at[CELLS + 1], F = half_square(&problem, knot);
        memcpy(at, knot, sizeof at);
        for (size_t i = 1; i < CELLS; i++) { /* fourth-order central differences */
            double f[4], h = fmin(knot[i] - knot[i - 1], knot[i + 1] - knot[i]);
            for (int k = 0; k < 4; k++) {
                at[i] = knot[i] + offset[k] * step;
                f[k] = half_square(&problem, at);
            }
            at[i] = knot[i];
            worst = fmax(worst, fabs((f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * step)) * h / (2 * F));
        }
        steep_free_knots_options options = steep_free_knots_options_default();
        options.max_iterations = 0;
        options.gauss_points = 12;
        const steep_free_knots_result result = search(&problem, &options, at);
        ck_assert_int_eq(result.status, STEEP_MAX_ITERATIONS);
        check_close(result.gradient, worst, 1e-6 * worst); /* step^4 f^(5) against rounding / step */
        check_close(result.rmse, sqrt(2 * F), 1e-9 * sqrt(F));
    }
}

static bool note_gradient(void *context, const steep_progress *progress)
{
    double *history = context;
    ck_assert(progress->seconds > 0);
    if (progress->iteration < 64) history[progress->iteration] = progress->gradient_norm;
    return true;
}

/* Newton's method: near the end, the gradient falls to at most its power 1.5 in a step, or to rounding. */
START_TEST(convergence_is_quadratic)
{
    SCOPED(release_target) steep_target *target = target_of("exp(-x)*cos(3*x)");
    for (size_t c = 0; c < 3; c++) {
        double knot[9], history[64] = {0};
        const steep_free_knots_problem problem = problem_of(NULL, target, c, 8);
        steep_free_knots_options options = steep_free_knots_options_default();
        steep_knots_equidistributed(target, classes[c][0] + 1, 8, knot, NULL);
        options.monitor = (steep_monitor){note_gradient, history};
        const steep_free_knots_result result = search(&problem, &options, knot);
        ck_assert_int_eq(result.status, STEEP_CONVERGED);
        ck_assert(result.gradient <= options.tolerance);
        ck_assert_uint_le(result.iterations, 30); /* docs/explanation/theory.md: 5 to 15, up to 30 */
        const double last = result.gradient, before = history[result.iterations - 1];
        ck_assert_msg(last < 1e-10 || last < pow(before, 1.5), "class %zu: %g after %g", c, last, before);
    }
}

START_TEST(samples_stand_in_for_the_integral)
{
    SCOPED(release_target) steep_target *target = target_of("cosine_well");
    SCOPED(steep_samples_free) steep_samples samples = grid_of(target, 20000);
    for (size_t c = 0; c < 3; c++) {
        double knot[17], again[17];
        const steep_free_knots_problem summed = problem_of(&samples, NULL, c, 16),
                                       integrated = problem_of(NULL, target, c, 16);
        steep_knots_equidistributed(target, classes[c][0] + 1, 16, knot, NULL);
        memcpy(again, knot, sizeof again);
        const double sum = search(&summed, NULL, knot).rmse, integral = search(&integrated, NULL, again).rmse;
        check_close(sum, integral, 0.01 * integral); /* ends of the grid weigh 1/20000 too much */
    }
}

static bool stop_at_two(void *context, const steep_progress *progress)
{
    (void)context;
    return progress->iteration < 2;
}

START_TEST(it_stops_when_told_and_refuses_what_it_cannot_do)
{
    SCOPED(release_target) steep_target *target = target_of("chirp");
    const steep_free_knots_problem problem = problem_of(NULL, target, 1, 8), smooth = {NULL, target, 3, 3, 8},
                                   of_nothing = problem_of(NULL, NULL, 1, 8);
    double one = 0;
    const steep_samples single = {.dim = 1, .count = 1, .x = &one, .y = &one, .low = box_low, .high = box_high};
    const steep_free_knots_problem of_one = problem_of(&single, NULL, 1, 8);
    steep_free_knots_options options = steep_free_knots_options_default();
    steep_free_knots_result result;
    steep_spline spline;
    steep_error error;
    double knot[9];
    steep_knots_uniform(-1, 1, 8, knot);
    options.monitor.proceed = stop_at_two;
    result = search(&problem, &options, knot);
    ck_assert(result.status == STEEP_STOPPED && result.iterations == 2);
    check_says(steep_spline_free_knots(&smooth, knot, NULL, &spline, &result, &error), STEEP_BAD_INPUT, "continuity 3");
    check_says(steep_spline_free_knots(&of_nothing, knot, NULL, &spline, &result, &error), STEEP_BAD_INPUT,
               "no samples");
    check_says(steep_spline_free_knots(&of_one, knot, NULL, &spline, &result, &error), STEEP_BAD_INPUT, "two samples");
}

enum { MOST_CELLS = 9, MOST_SAMPLES = 200 };

typedef struct lab {
    size_t class, cells;
    double size, x[MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], knot[MOST_CELLS + 1];
    steep_samples samples;
} lab;

/* Draws samples in few places, in clusters, beside a gap, or all over: hardly more than there are unknowns, or many. */
static void draw(lab *l, steep_random *random)
{
    l->class = chance_below(random, CLASSES);
    l->cells = 1 + chance_below(random, MOST_CELLS);
    size_t p = classes[l->class][0], s = classes[l->class][1], unknowns = p + 1 + (l->cells - 1) * (p + 1 - s);
    size_t n = unknowns + chance_below(random, chance_below(random, 2) ? 4 : 100), kind = chance_below(random, 5);
    size_t places = 1 + chance_below(random, 12);
    double width = exp2(-40 * steep_random_uniform(random));
    l->size = exp2(chance_within(random, -100, 100));
    for (size_t k = 0; k < n; k++) {
        double x = steep_random_uniform(random), place = (double)chance_below(random, places) / (double)places;
        l->x[k] = kind == 0 ? place : kind == 1 ? place + width * x : kind == 2 && x > 0.4 ? 0.8 + x / 5 : x;
    }
    steep_sort_numbers(l->x, n);
    size_t form = chance_below(random, 5);
    for (size_t k = 0; k < n; k++) {
        double x = l->x[k], noise = steep_random_normal(random);
        l->y[k] = form == 0 ? 1 : form == 1 ? 2 * x - 1 : form == 2 ? (x > 0.3) : form == 3 ? noise : cos(9 * x);
        l->y[k] *= l->size;
        l->weight[k] = chance_below(random, 3) ? 1 / (double)n : 0;
    }
    for (size_t i = 0; i <= l->cells; i++) l->knot[i] = (double)i / (double)l->cells;
    for (size_t i = 1; i < l->cells && kind != 4; i++) l->knot[i] += chance_within(random, -0.2, 0.2) / MOST_CELLS;
    l->samples = (steep_samples){.dim = 1,
                                 .count = n,
                                 .x = l->x,
                                 .y = l->y,
                                 .low = box_low,
                                 .high = box_high,
                                 .weight = chance_below(random, 4) ? NULL : l->weight};
}

START_RANDOM_TEST(degenerate_data_end_well, 1)
{
    for (size_t cases = chance_cases(800); cases-- > 0;) {
        lab l;
        draw(&l, &random);
        const steep_free_knots_problem problem = problem_of(&l.samples, NULL, l.class, l.cells);
        const double low = l.knot[0], high = l.knot[l.cells];
        steep_free_knots_options options = steep_free_knots_options_default();
        options.max_iterations = 0;
        const steep_free_knots_result start = search(&problem, &options, l.knot);
        options.max_iterations = 50;
        const steep_free_knots_result end = search(&problem, &options, l.knot);
        ck_assert_msg(end.rmse <= start.rmse + 1e-14 * l.size, "%.17g, at the start %.17g", end.rmse, start.rmse);
        ck_assert((end.status == STEEP_CONVERGED) == (end.gradient <= options.tolerance));
        ck_assert_uint_le(end.iterations, options.max_iterations);
        ck_assert(l.knot[0] == low && l.knot[l.cells] == high);
        for (size_t i = 0; i < l.cells; i++) ck_assert(l.knot[i] < l.knot[i + 1]);
    }
}

/* Two cells without samples, or with samples in one place only, do not stop the search: the error falls by a fifth. */
START_TEST(empty_cells_do_not_stop_the_others)
{
    for (size_t c = 0; c < CLASSES; c++)
        for (int tied = 0; tied < 2; tied++) {
            lab l = {.class = c,
                     .cells = 8,
                     .samples = {.dim = 1, .count = 180, .x = l.x, .y = l.y, .low = box_low, .high = box_high}};
            for (size_t k = 0; k < 180; k++) { /* no place, or one, between 1/2 and 3/4: two cells */
                double x = ((double)k + 0.5) / 180;
                l.x[k] = x < 0.5 || x > 0.75 ? x : tied ? 0.6 : x < 0.625 ? x - 0.125 : x + 0.125;
            }
            steep_sort_numbers(l.x, 180);
            for (size_t k = 0; k < 180; k++) l.y[k] = exp(-8 * l.x[k]) * cos(9 * l.x[k]);
            for (size_t i = 0; i <= 8; i++) l.knot[i] = (double)i / 8;
            const steep_free_knots_problem problem = problem_of(&l.samples, NULL, c, 8);
            steep_free_knots_options options = steep_free_knots_options_default();
            options.max_iterations = 0;
            const double start = search(&problem, &options, l.knot).rmse;
            const steep_free_knots_result end = search(&problem, NULL, l.knot);
            ck_assert_msg(end.rmse < 0.8 * start, "class %zu, tied %d: from %g to %g in %zu steps", c, tied, start,
                          end.rmse, end.iterations);
        }
}

/* The best knots for (x + 1)^a: the smallest cell shrinks like n^-e, e = (p + 1/2)/(a + 1/2), as with equidistributed
 * knots (theory.md). Each search starts from these, moved by up to a quarter of a cell. n cells count as n + s, s up to
 * 2 (log(98/26)/log 4 = 0.957), since the ends are cut otherwise than the middle. For a near a whole number, the
 * function is nearly a polynomial and (x + 1)^a log(x + 1), whose cells shrink by another law. */
START_RANDOM_TEST(the_smallest_cell_shrinks_by_its_exponent, 2)
{
    for (size_t k = chance_cases(6); k > 0; k--) {
        size_t c = chance_below(&random, 3), degree = classes[c][0], cells = 24;
        double p = (double)degree + 1, e = chance_within(&random, 1.3, 3.5), a = (p + 0.5) / e - 0.5, least[2];
        char formula[32];
        if (fabs(a - round(a)) < 0.05) continue;
        snprintf(formula, sizeof formula, "(x+1)^%.6f", a);
        SCOPED(release_target) steep_target *target = target_of(formula);
        for (size_t i = 0; i < 2; i++, cells *= 4) {
            double knot[97], at[97];
            ck_assert_int_eq(steep_knots_equidistributed(target, degree + 1, cells, knot, NULL), STEEP_OK);
            memcpy(at, knot, sizeof at);
            for (size_t j = 1; j < cells; j++) {
                double u = chance_within(&random, -0.25, 0.25);
                at[j] += u * (u > 0 ? knot[j + 1] - knot[j] : knot[j] - knot[j - 1]);
            }
            const steep_free_knots_problem problem = problem_of(NULL, target, c, cells);
            search(&problem, NULL, at);
            least[i] = INFINITY;
            for (size_t j = 0; j < cells; j++) least[i] = fmin(least[i], at[j + 1] - at[j]);
        }
        double order = log(least[0] / least[1]) / log(4);
        ck_assert_msg(order <= 1.01 * e && order >= 0.95 * e, "%s, p = %g: n^-%g, not n^-%g", formula, p, order, e);
    }
}
