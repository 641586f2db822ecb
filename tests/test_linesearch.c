/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linesearch: both conditions recomputed at the returned point, on the functions of More and Thuente (ACM TOMS 20,
 * 1994, section 5), from starts a thousand times too short and too long; regions of NaN; refused directions. */
#include "harness.h"

#include "fit/solvers.h"

#define C1 1e-4
#define C2 0.9

typedef struct sample {
    int number;       /* function */
    double scale;     /* alpha in units of it: the first trial is at scale */
    double forbidden; /* NaN beyond this (in scaled units), infinity: nowhere */
    int count;
} sample;

static double gamma_of(double b)
{
    return sqrt(1 + b * b) - b;
}

static void yanai(double a, double b1, double b2, double *f, double *s)
{
    double left = sqrt((1 - a) * (1 - a) + b2 * b2), right = sqrt(a * a + b1 * b1);
    *f = gamma_of(b1) * left + gamma_of(b2) * right;
    *s = -gamma_of(b1) * (1 - a) / left + gamma_of(b2) * a / right;
}

static void wavy(double a, double *f, double *s)
{
    const double b = 0.01, l = 39;
    if (a <= 1 - b) *f = 1 - a, *s = -1;
    else if (a >= 1 + b) *f = a - 1, *s = 1;
    else *f = (a - 1) * (a - 1) / (2 * b) + b / 2, *s = (a - 1) / b;
    *f += 2 * (1 - b) / (l * M_PI) * sin(l * M_PI / 2 * a);
    *s += (1 - b) * cos(l * M_PI / 2 * a);
}

static void evaluate(int number, double a, double *f, double *s)
{
    double t = a + 0.004;
    switch (number) {
    case 1: *f = -a / (a * a + 2), *s = (a * a - 2) / ((a * a + 2) * (a * a + 2)); break;
    case 2: *f = pow(t, 5) - 2 * pow(t, 4), *s = 5 * pow(t, 4) - 8 * pow(t, 3); break;
    case 3: wavy(a, f, s); break;
    case 4: yanai(a, 0.001, 0.001, f, s); break;
    case 5: yanai(a, 0.01, 0.001, f, s); break;
    case 6: yanai(a, 0.001, 0.01, f, s); break;
    case 7: *f = (a - 1) * (a - 1), *s = 2 * (a - 1); break; /* Newton's own: full step */
    case 8: *f = -a, *s = -1; break;                         /* falls for ever */
    case 9: *f = a, *s = -1; break;                          /* the slope lies: nothing decreases */
    default: *f = *s = NAN;
    }
}

static void line(void *context, double alpha, double *value, double *slope)
{
    sample *c = context;
    double s;
    c->count++;
    evaluate(c->number, alpha * c->scale, value, &s);
    s *= c->scale;
    if (alpha * c->scale > c->forbidden) *value = s = NAN;
    if (slope) *slope = s;
}

static void check_conditions(const sample *c, double alpha, double f0, double s0, int strong)
{
    double f, s;
    evaluate(c->number, alpha * c->scale, &f, &s);
    s *= c->scale;
    ck_assert_msg(alpha > 0 && isfinite(f), "function %d, scale %g: alpha %g", c->number, c->scale, alpha);
    ck_assert_msg(f <= f0 + C1 * alpha * s0, "function %d, scale %g: no Armijo", c->number, c->scale);
    if (strong) ck_assert_msg(fabs(s) <= -C2 * s0, "function %d, scale %g: slope %g of %g", c->number, c->scale, s, s0);
    ck_assert_int_le(c->count, 40);
}

START_TEST(conditions_hold_on_more_thuente)
{
    static const struct {
        double scale, forbidden;
    } cases[] = {{1e-3, INFINITY}, {1e-1, INFINITY}, {1, INFINITY}, {1e1, INFINITY}, {1e3, INFINITY},
                 {1, 1e-6},        {1, 1e-2},        {1, 0.3},      {1, 0.9}};
    for (int number = 1; number <= 7; number++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            sample c = {number, cases[k].scale, cases[k].forbidden, 0};
            double f0, s0;
            evaluate(number, 0, &f0, &s0);
            s0 *= c.scale;
            const double alpha = steep_search_wolfe(line, &c, f0, s0);
            ck_assert(alpha <= c.forbidden / c.scale);
            /* the Wolfe points may all be forbidden */
            check_conditions(&c, alpha, f0, s0, alpha < 0.99 * c.forbidden);
        }
}

START_TEST(ends_that_are_known)
{
    sample full = {7, 1, INFINITY, 0}, lies = {9, 1, INFINITY, 0}, everywhere = {7, 1, -1, 0},
           unbounded = {8, 1, INFINITY, 0};
    ck_assert(steep_search_wolfe(line, &full, 1, -2) == 1 && full.count == 1); /* a full step where it is right */
    ck_assert(steep_search_wolfe(line, &lies, 0, -1) == 0 && lies.count <= 40);
    ck_assert(steep_search_wolfe(line, &everywhere, 1, -2) == 0);
    const double best = steep_search_wolfe(line, &unbounded, 0, -1);
    ck_assert(best > 1 && isfinite(best) && unbounded.count == 40); /* the best Armijo point */
}

START_TEST(wrong_directions_are_refused)
{
    const double slopes[] = {0, 1, NAN, INFINITY, -INFINITY};
    sample c = {7, 1, INFINITY, 0};
    for (size_t k = 0; k < 5; k++) ck_assert(steep_search_wolfe(line, &c, 1, slopes[k]) == 0);
    ck_assert(steep_search_wolfe(line, &c, NAN, -1) == 0);
    ck_assert_int_eq(c.count, 0);
}
