/* SPDX-License-Identifier: GPL-3.0-or-later */
/* directed: its least squares against sums over the samples, its derivatives against differences. */
#include "spline/directed_parts.h"

#include "chance.h"
#include "harness.h"

static const steep_directed_class classes[] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {0, 4}};
#define LOST  1e-6    /* rounding of long double / the least pivot, relative to its diagonal, that is used */
#define PIVOT 0x1p-14 /* rounding of a term of a sum / the least pivot that is used, as in directed.c */
enum { CLASSES = sizeof classes / sizeof *classes };

typedef struct setting {
    steep_samples samples;
    steep_directed *directed;
    steep_directed_class class;
    size_t width;
    steep_directed_gates gates;
    steep_error error;
} setting;

static steep_directed_gate draw_gate(steep_random *random)
{
    return (steep_directed_gate){.knot = chance_within(random, -1, 1),
                                 .sign = chance_below(random, 2) ? 1 : -1,
                                 .angle = chance_within(random, 0, 3.1)};
}

/* A setting of this class and width: random box and gates, noisy values, weights in half of the cases. */
static void setting_open(setting *s, steep_random *random, size_t class, size_t width, size_t count)
{
    memset(s, 0, sizeof *s);
    s->class = classes[class];
    s->width = width;
    ck_assert_int_eq(steep_samples_allocate(count, 1, chance_below(random, 2) > 0, &s->samples, &s->error), STEEP_OK);
    double low = chance_within(random, -2, 2), size = chance_within(random, 0.5, 3.5), total = 0;
    for (size_t k = 0; k < count; k++) {
        double v = 2 * (double)k / (double)(count - 1) - 1;
        s->samples.x[k] = low + size * (double)k / (double)(count - 1);
        s->samples.y[k] = 1 / (1.2 + sin(4 * v)) + 0.1 * steep_random_normal(random);
        if (s->samples.weight) total += s->samples.weight[k] = chance_within(random, 0.2, 1.2);
    }
    for (size_t k = 0; s->samples.weight && k < count; k++) s->samples.weight[k] /= total;
    s->samples.low[0] = low;
    s->samples.high[0] = low + size;
    /* knots apart, with points on both sides: functions that nearly depend on others have few digits */
    for (size_t i = 0; i < width; i++) {
        s->gates.gate[i] = draw_gate(random);
        s->gates.gate[i].knot = 1.4 * ((double)i + chance_within(random, 0.2, 0.8)) / (double)width - 0.7;
    }
    ck_assert_int_eq(steep_directed_open(&s->samples, s->class, width, &s->directed, &s->error), STEEP_OK);
}

static void setting_close(setting *s)
{
    steep_directed_close(s->directed);
    steep_samples_free(&s->samples);
}

/* Computes gradient and Hessian of the mean square at these gates; returns the mean square. */
static long double derive(setting *s, steep_directed_gates *gates)
{
    const long double square = steep_directed_solve(s->directed, gates);
    steep_directed_derive(s->directed, gates);
    return square;
}

static double place_of(const setting *s, size_t k)
{
    double low = s->samples.low[0], high = s->samples.high[0];
    return (2 * s->samples.x[k] - low - high) / (high - low);
}

/* The function that multiplies c_ij, by its definition. */
static double function_of(const setting *s, size_t i, size_t j, double v)
{
    const steep_directed_gate *g = &s->gates.gate[i];
    const double h = fmax(0, g->sign * (v - g->knot)) * pow(v, (double)j);
    return s->class.factors > 0 ? h * (v * cos(g->angle) + sin(g->angle)) : h;
}

/* Writes the residuals, from the definition of the network, to r; returns the mean square. */
static double residual_of(const setting *s, double *r)
{
    const size_t count = s->samples.count;
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        long double y = s->gates.bias;
        for (size_t i = 0; i < s->width; i++)
            for (size_t j = 0; j < s->class.coefficients; j++)
                y += s->gates.gate[i].coefficient[j] * function_of(s, i, j, place_of(s, k));
        r[k] = (double)y - s->samples.y[k];
        sum += steep_sample_weight(&s->samples, k) * r[k] * r[k];
    }
    return sum;
}

/* After a descent of no steps the coefficients are the best: the residual, from the definition, is orthogonal to every
 * function, and its norm is the rmse. Errors computed gate by gate equal the error of all gates at once. */
START_RANDOM_TEST(coefficients_are_the_least_squares, 1)
{
    for (size_t c = 0; c < chance_cases(40); c++) {
        SCOPED(setting_close) setting s;
        size_t width = 1 + chance_below(&random, 7), count = 120 + chance_below(&random, 200);
        setting_open(&s, &random, c % CLASSES, width, count);
        double r[320], error = INFINITY;
        for (size_t end = 1; end <= width; end++) {
            const double before = error;
            error = steep_directed_error(s.directed, &s.gates, end - 1, end);
            ck_assert(error <= before);
        }
        ck_assert(error == steep_directed_error(s.directed, &s.gates, 0, width));
        ck_assert_uint_eq(steep_directed_descend(s.directed, 0, 0, 0, &s.gates), 0);
        ck_assert(s.gates.rmse == error);
        const double sum = residual_of(&s, r);
        check_close(sqrt(sum), s.gates.rmse, 5 * LOST * s.gates.rmse);
        for (size_t i = 0; i < width; i++)
            for (size_t j = 0; j < s.class.coefficients; j++) {
                double dot = 0, square = 0;
                for (size_t k = 0; k < count; k++) {
                    const double w = steep_sample_weight(&s.samples, k), h = function_of(&s, i, j, place_of(&s, k));
                    dot += w * h * r[k];
                    square += w * h * h;
                }
                check_close(dot, 0, 10 * LOST * sqrt(square * sum));
            }
        s.gates.gate[width - 1] = draw_gate(&random);
        error = steep_directed_error(s.directed, &s.gates, width - 1, width);
        ck_assert(error == steep_directed_error(s.directed, &s.gates, 0, width));
    }
}

/* The error is the network's also for gates open on few samples at an end, whose sums are small differences of long
 * sums: a pivot of rounding must not make it 0. A pivot is off by at most PIVOT for each term of a sum; what the gate
 * explains is then off by this part of the square of the values where the gate is open. */
START_RANDOM_TEST(few_open_samples_make_no_error_smaller, 7)
{
    for (size_t c = 0; c < chance_cases(200); c++) {
        SCOPED(setting_close) setting s;
        const size_t width = 2 + chance_below(&random, 5), count = 400;
        double r[400], most = 0;
        setting_open(&s, &random, c % CLASSES, width, count);
        for (size_t i = 0; i < width; i += 2) {
            steep_directed_gate *gate = &s.gates.gate[i];
            gate->knot = gate->sign * (1 - chance_within(&random, 1, 12) / 200);
            double square = 0;
            for (size_t k = 0; k < count; k++)
                if (gate->sign * (place_of(&s, k) - gate->knot) > 0)
                    square += steep_sample_weight(&s.samples, k) * s.samples.y[k] * s.samples.y[k];
            most = fmax(most, square);
        }
        steep_directed_descend(s.directed, 0, 0, 0, &s.gates);
        check_close(residual_of(&s, r), s.gates.rmse * s.gates.rmse, (double)count * PIVOT * most);
    }
}

/* The knot or angle that move m changes. */
static double *move_of(setting *s, size_t m)
{
    steep_directed_gate *gate = &s->gates.gate[m / (1 + s->class.factors)];
    return m % (1 + s->class.factors) ? &gate->angle : &gate->knot;
}

/* The gradient against central differences of the mean square within a gap of the samples (none changes sides). It is a
 * product of the residual and a derivative of the network (scale: its square); LOST bounds their cosine's error. */
START_RANDOM_TEST(the_gradient_is_the_slope, 3)
{
    for (size_t c = 0; c < chance_cases(20); c++) {
        SCOPED(setting_close) setting s;
        size_t width = 1 + chance_below(&random, 5);
        setting_open(&s, &random, c % CLASSES, width, 600);
        for (size_t i = 0; i < width; i++) /* the middle of a gap */
            s.gates.gate[i].knot = (2 * floor(299.5 * (s.gates.gate[i].knot + 1)) + 1) / 599 - 1;
        const long double square = derive(&s, &s.gates);
        for (size_t m = 0; m < s.directed->moves; m++) {
            double gradient = s.directed->gradient[m], *move = move_of(&s, m), at = *move, h = 1e-5;
            setting copy = s;
            *move_of(&copy, m) = at + h;
            long double up = steep_directed_solve(s.directed, &copy.gates);
            *move_of(&copy, m) = at - h;
            long double down = steep_directed_solve(s.directed, &copy.gates);
            double slope = (double)((up - down) / (2 * h)), curve = (double)fabsl((up - 2 * square + down) / (h * h));
            const double product = sqrt(2 * s.directed->scale[m] * (double)square);
            check_close(slope, gradient, 1e-6 * fabs(gradient) + 10 * LOST * product + 1e-3 * h * curve);
        }
    }
}

/* The Hessian against differences of the gradient over many gaps of many samples: the kink's own term counts. */
START_RANDOM_TEST(the_hessian_is_the_slope_of_the_gradient, 4)
{
    size_t entries = 0, apart = 0;
    for (size_t c = 0; c < chance_cases(10); c++) {
        SCOPED(setting_close) setting s;
        size_t width = 1 + chance_below(&random, 4), count = 20001;
        setting_open(&s, &random, c % CLASSES, width, count);
        for (size_t k = 0; k < count; k++) s.samples.y[k] = cos(5 * place_of(&s, k));
        steep_directed_close(s.directed);
        free(s.samples.weight);
        s.samples.weight = NULL;
        ck_assert_int_eq(steep_directed_open(&s.samples, s.class, width, &s.directed, &s.error), STEEP_OK);
        double H[STEEP_DIRECTED_MOVES][STEEP_DIRECTED_MOVES], most = 0, h = 4e-3;
        derive(&s, &s.gates);
        memcpy(H, s.directed->hessian, sizeof H);
        for (size_t a = 0; a < s.directed->moves; a++) most = fmax(most, fabs(H[a][a]));
        for (size_t a = 0; a < s.directed->moves; a++) {
            setting copy = s;
            double up[STEEP_DIRECTED_MOVES], *move = move_of(&copy, a), at = *move;
            *move = at + h;
            derive(&s, &copy.gates);
            memcpy(up, s.directed->gradient, sizeof up);
            *move = at - h;
            derive(&s, &copy.gates);
            for (size_t b = 0; b <= a; b++) {
                double slope = (up[b] - s.directed->gradient[b]) / (2 * h);
                entries++;
                apart += !(fabs(slope - H[a][b]) <= 0.1 * most);
            }
        }
    }
    /* a sample that changes sides, or a third derivative, may make an entry differ */
    ck_assert_msg(100 * apart <= 2 * entries, "%zu of %zu entries differ", apart, entries);
}

/* A descent ends at a small gradient, and does the same when repeated; with a goal out of reach it ends earlier. */
START_RANDOM_TEST(a_descent_ends_at_a_minimum, 5)
{
    size_t sooner = 0, cases = chance_cases(30), ended = 0;
    for (size_t c = 0; c < cases; c++) {
        SCOPED(setting_close) setting s;
        setting_open(&s, &random, c % CLASSES, 1 + chance_below(&random, 5), 400);
        double start = steep_directed_error(s.directed, &s.gates, 0, s.width);
        steep_directed_gates again = s.gates, given_up = s.gates;
        size_t steps = steep_directed_descend(s.directed, 400, 1e-12, 0, &s.gates);
        ck_assert(s.gates.rmse <= start);
        ck_assert_uint_eq(steep_directed_descend(s.directed, 400, 1e-12, 0, &again), steps);
        ck_assert_mem_eq(&again.gate[0].knot, &s.gates.gate[0].knot, sizeof(double));
        ck_assert(again.rmse == s.gates.rmse);
        ck_assert_uint_le(steep_directed_descend(s.directed, 400, 1e-12, 1e-9, &given_up), steps);
        sooner += given_up.rmse > s.gates.rmse;
        derive(&s, &s.gates);
        double worst = 0; /* largest slope: a step of 0.01 changes F by 1 % at most */
        for (size_t m = 0; m < s.directed->moves; m++) worst = fmax(worst, fabs(s.directed->gradient[m]));
        ended += 0.01 * worst <= 1e-2 * s.gates.rmse * s.gates.rmse / 2;
    }
    ck_assert_msg(4 * ended >= 3 * cases, "%zu of %zu descents ended at a minimum", ended, cases);
    ck_assert_uint_gt(sooner, 0);
}
