/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interpolation: classic activations interpolated by learned ones, in values (Lagrange) and in values and slopes
 * (Hermite): paper "Polynomial, trigonometric, and tropical activations", figures 1 (gelu by hermite, degrees 3 and 8),
 * 2 (by fourier, degree 6), 5 (by a tropical rational function of degree 6) and 6 (x^2/2 by max (k x - k^2/2)). Prints
 * the largest error of the value and of the slope on the interval, and how long an interval a degree serves. */
#include "experiment.h"
#include "interpolate.h"

enum { MOST = 64, FINE = 4001 };
#define PI 3.14159265358979324

typedef enum way { LAGRANGE, HERMITE, SQUARES } way;
typedef enum family { POLYNOMIAL, PERIODIC, HALF_PERIOD, CONVEX, RATIONAL } family;
static const char *const way_names[] = {"Lagrange", "Hermite", "least squares"};

/* An interpolant of f on [-reach, reach] with what it is made of. */
typedef struct interpolant {
    family family;
    way way;
    size_t degree;
    int activation; /* -1: x^2/2 */
    double reach, frequency;
    double a[2 * MOST + 1], p[MOST], b[MOST], q[MOST];
    size_t lines;
} interpolant;

static const char *const names[] = {"hermite", "hermite", "fourier", "fourier-half", "tropical", "tropical-rational"};
static const interpolant families[] = {{.family = POLYNOMIAL, .degree = 3, .reach = 1.7320508075688773},
                                       {.family = POLYNOMIAL, .degree = 8, .reach = 2.8284271247461903},
                                       {.family = PERIODIC, .degree = 6, .reach = PI},
                                       {.family = HALF_PERIOD, .degree = 6, .reach = PI},
                                       {.family = CONVEX, .degree = 6, .reach = 3},
                                       {.family = RATIONAL, .degree = 6, .reach = 3}};
enum { FAMILIES = sizeof families / sizeof *families };

static void target(int activation, size_t count, const double *x, double *value, double *slope)
{
    double *const jets[] = {value, slope};
    if (activation >= 0) steep_activation_tile(activation, count, x, 1, jets);
    for (size_t i = 0; activation < 0 && i < count; i++) value[i] = x[i] * x[i] / 2, slope[i] = x[i];
}

/* The places: as many as the family has coefficients for. Hermite data of an odd number of conditions have no slope in
 * the middle. */
static size_t places(const interpolant *f, double *x)
{
    const size_t terms = f->family == POLYNOMIAL ? f->degree + 1 : 2 * f->degree + 1;
    if (f->family == CONVEX || f->family == RATIONAL) {
        const size_t count = f->way == LAGRANGE ? f->degree + 2 : f->degree + 1;
        for (size_t i = 0; i < count; i++) x[i] = f->reach * (2 * (double)i / (double)(count - 1) - 1);
        return count;
    }
    const size_t count = f->way == SQUARES    ? MOST
                         : f->way == LAGRANGE ? terms
                                              : (f->family == PERIODIC ? f->degree : (terms + 1) / 2);
    if (f->family == PERIODIC) steep_nodes_middles(count, -f->reach, f->reach, x);
    else steep_nodes_chebyshev(count, -f->reach, f->reach, x);
    if (f->way == HERMITE && f->family != PERIODIC && count % 2) x[count / 2] = 0; /* exactly */
    return count;
}

static steep_status solve(interpolant *f, steep_error *error)
{
    double x[MOST], value[MOST], slope[MOST];
    const size_t count = places(f, x);
    target(f->activation, count, x, value, slope);
    const bool odd = f->family == HALF_PERIOD || (f->family == POLYNOMIAL && f->degree % 2 == 0);
    if (odd && f->way == HERMITE) slope[count / 2] = NAN;
    const steep_nodes nodes = {count, x, value, f->way == LAGRANGE ? NULL : slope};
    f->lines = f->way == LAGRANGE ? count - 1 : count;
    f->frequency = f->family == HALF_PERIOD ? PI / (2 * f->reach) : PI / f->reach;
    if (f->family == CONVEX) return steep_interpolate_tropical(&nodes, f->a, f->p, error);
    if (f->family == RATIONAL) {
        steep_interpolate_rational(&nodes, f->a, f->p, f->b, f->q);
        return STEEP_OK;
    }
    return steep_interpolate(f->family == POLYNOMIAL ? STEEP_FAMILY_HERMITE : STEEP_FAMILY_FOURIER, f->degree,
                             f->frequency, &nodes, f->a, error);
}

static void largest(size_t lines, const double *a, const double *p, double x, double *value, double *slope)
{
    *value = -INFINITY;
    for (size_t k = 0; k < lines; k++)
        if (a[k] + p[k] * x > *value) *value = a[k] + p[k] * x, *slope = p[k];
}

static void evaluate(const interpolant *f, double x, double *value, double *slope)
{
    double term[2 * MOST + 1], derivative[2 * MOST + 1];
    if (f->family == CONVEX || f->family == RATIONAL) {
        double under = 0, under_slope = 0;
        largest(f->lines, f->a, f->p, x, value, slope);
        if (f->family == RATIONAL) largest(f->lines, f->b, f->q, x, &under, &under_slope);
        *value -= under;
        *slope -= under_slope;
        return;
    }
    const steep_family terms = f->family == POLYNOMIAL ? STEEP_FAMILY_HERMITE : STEEP_FAMILY_FOURIER;
    steep_family_evaluate(terms, f->degree, f->frequency, x, term, derivative);
    *value = *slope = 0;
    for (size_t j = 0; j < steep_family_terms(terms, f->degree); j++)
        *value += f->a[j] * term[j], *slope += f->a[j] * derivative[j];
}

/* Largest and root mean square errors of value and slope on [-reach, reach]. */
static void errors(const interpolant *f, double worst[2], double rms[2])
{
    worst[0] = worst[1] = rms[0] = rms[1] = 0;
    for (size_t i = 0; i < FINE; i++) {
        const double x = f->reach * (2 * (double)i / (FINE - 1) - 1);
        double is[2], should[2];
        evaluate(f, x, &is[0], &is[1]);
        target(f->activation, 1, &x, &should[0], &should[1]);
        for (int d = 0; d < 2; d++) {
            worst[d] = fmax(worst[d], fabs(is[d] - should[d]));
            rms[d] += (is[d] - should[d]) * (is[d] - should[d]) / FINE;
        }
    }
    rms[0] = sqrt(rms[0]), rms[1] = sqrt(rms[1]);
}

static bool print_errors(const experiment *e)
{
    static const int shown[] = {STEEP_GELU, STEEP_SILU, STEEP_TANH, STEEP_RELU, STEEP_SOFTPLUS, -1};
    bool any = false;
    printf("%-9s %-17s %2s %7s %-14s %10s %10s %10s %10s\n", "of", "by", "n", "on +-", "from", "max |F-f|",
           "max |F'-f'|", "rms F-f", "rms F'-f'");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        for (size_t k = 0; k < FAMILIES; k++)
            for (int w = LAGRANGE; w <= SQUARES; w++) {
                const char *name = shown[i] < 0 ? "x^2/2" : steep_activation_names((size_t)shown[i]);
                interpolant f = families[k];
                f.way = (way)w;
                f.activation = shown[i];
                double worst[2], rms[2];
                steep_error error;
                if (!experiment_wants(e, 0, name) || !experiment_wants(e, 1, names[k])) continue;
                if (w == SQUARES && f.family >= CONVEX) continue;
                any = true;
                steep_status status = solve(&f, &error);
                if (status == STEEP_BAD_INPUT && f.family == CONVEX) {
                    printf("%-9s %-17s %2zu %7.4f %-14s no: not convex\n", name, names[k], f.degree, f.reach,
                           way_names[w]);
                    continue;
                }
                if (status < 0) experiment_die(e, &error, 1);
                errors(&f, worst, rms);
                printf("%-9s %-17s %2zu %7.4f %-14s %10.2e %10.2e %10.2e %10.2e\n", name, names[k], f.degree, f.reach,
                       way_names[w], worst[0], worst[1], rms[0], rms[1]);
            }
    return any;
}

/* The longest interval, to 1/20, on which gelu's interpolant at its own nodes stays within 0.01. */
static void print_reach(const experiment *e)
{
    printf("\ngelu within 0.01 on +-, to 1/20\n%-9s %9s %9s\n", "by", "Lagrange", "Hermite");
    for (size_t degree = 2; degree <= (e->quick ? 4 : 20); degree = degree < 4 ? degree + 1 : degree + 4) {
        printf("hermite %zu%s", degree, degree < 10 ? " " : "");
        for (int w = LAGRANGE; w <= HERMITE; w++) {
            double reach = 0;
            for (int step = 1; step <= 160; step++) {
                interpolant f = {.family = POLYNOMIAL,
                                 .way = (way)w,
                                 .degree = degree,
                                 .activation = STEEP_GELU,
                                 .reach = step / 20.0};
                double worst[2], rms[2];
                if (solve(&f, NULL) < 0) continue; /* too narrow for the degree: the terms depend on each other */
                errors(&f, worst, rms);
                if (worst[0] > 0.01) break;
                reach = f.reach;
            }
            printf(" %9.2f", reach);
        }
        printf("\n");
    }
}

/* The paper's figures, a panel each. */
static void write_curves(const experiment *e)
{
    static const size_t of[] = {0, 1, 2, 2, 5, 4}; /* families */
    enum { PANELS = sizeof of / sizeof *of };
    FILE *out = experiment_open(e, "curves.csv", "panel,x,f,slope,F,F_slope"),
         *nodes = experiment_open(e, "nodes.csv", "panel,x,f");
    for (size_t i = 0; i < PANELS; i++) {
        interpolant f = families[of[i]];
        steep_error error;
        f.way = i < 3 ? LAGRANGE : HERMITE;
        f.activation = f.family == CONVEX ? -1 : STEEP_GELU;
        if (solve(&f, &error) < 0) experiment_die(e, &error, 1);
        for (int k = -400; k <= 400; k++) {
            const double x = 1.35 * f.reach * k / 400;
            double is[2], should[2];
            evaluate(&f, x, &is[0], &is[1]);
            target(f.activation, 1, &x, &should[0], &should[1]);
            fprintf(out, "%zu,%.17g,%.17g,%.17g,%.17g,%.17g\n", i + 1, x, should[0], should[1], is[0], is[1]);
        }
        double x[MOST], value[MOST], slope[MOST];
        const size_t count = places(&f, x);
        target(f.activation, count, x, value, slope);
        for (size_t k = 0; k < count; k++) fprintf(nodes, "%zu,%.17g,%.17g\n", i + 1, x[k], value[k]);
    }
    experiment_close(e, out, "curves.csv");
    experiment_close(e, nodes, "nodes.csv");
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "interpolation", "of by",
                              "Classic activations interpolated by learned ones, in values, and in values and slopes.");
    experiment_found(&e, print_errors(&e));
    if (e.only) return 0;
    print_reach(&e);
    write_curves(&e);
    experiment_draw(&e, "interpolation");
    return 0;
}
