/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coverage: how often the 95 % interval of the order (slope/slope.c) holds the true order of simulated errors, and how
 * long it is; beside it the interval of one who knows the kind of the law and fits its parameters to the same points
 * (Student's t with the covariance of nonlinear least squares), and the straight line through all points with its own
 * interval, as papers report it. Each series draws its order s in [1.5, 4.5]; log_error has the laws, the table of
 * curves where their parameters are drawn:
 *   broken    from slope p1 to s at log n = p2, of sharpness p3; twice: a second break before, at p5
 *   floor     flat with the floor told                      apart     one error ten times too large
 *   together  noise from size to size correlated by 0.42 to 0.85
 * half, three, ripple, together, dying and beneath are none of the laws of slope/laws.c. All errors are
 * times exp(noise * standard normal). */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit_nlinear.h>

#include "experiment.h"

enum { MOST = 64, PARAMETERS = 6, SERIES = 20 };

typedef enum law {
    POWER,
    OFFSET,
    LOGARITHM,
    BROKEN,
    TWICE,
    IN_SQUARES,
    ADDED,
    LATER,
    HALVES,
    TRANSIENT,
    SUDDEN,
    DYING,
    BENEATH,
    RIPPLE
} law;

/* What a break at log size k of sharpness m takes off, from slope before to slope after. */
static double bend(double n, double before, double after, double k, double m)
{
    double t = m * (after - before) * (log(n) - k);
    return (t > 700 ? t : log1p(exp(t))) / m;
}

/* Log error at size n; p[0] = s, the others are the curve's own. */
static double log_error(law kind, double n, const double *p)
{
    const double power = -p[0] * log(n);
    switch (kind) {
    case OFFSET: return -p[0] * log(n + p[1]);
    case LOGARITHM: return power + log(log(n));
    case BROKEN: return -p[1] * log(n) - bend(n, p[1], p[0], p[2], p[3]);
    case TWICE: return -p[4] * log(n) - bend(n, p[4], p[1], p[5], p[3]) - bend(n, p[1], p[0], p[2], p[3]);
    case IN_SQUARES: return power + 0.5 * log1p(exp(2 * p[0] * (log(n) - p[1]))); /* floor at size e^p[1] */
    case ADDED: return power + log1p(exp(p[0] * (log(n) - p[1])));
    case LATER: return power + log(log(n + p[1]));
    case HALVES: return power + log1p(p[1] / sqrt(n) + p[2] / n);
    case TRANSIENT: return power + log1p(5 * exp(-n / p[1]));
    case SUDDEN: return power + log1p(p[2] * exp(-n * n / (p[1] * p[1])));
    case DYING: return power + log1p(p[2] / (1 + pow(n / p[1], 6)));
    case BENEATH: return power + log1p(-p[2] * exp(-n / p[1]));
    case RIPPLE: return power + log1p(0.03 * sin(p[1] * log(n) + p[2]));
    default: return power;
    }
}

static double between(steep_random *random, double low, double high)
{
    return low + (high - low) * steep_random_uniform(random);
}

/* Draw the curve's own parameters, from a2 on; most: the largest size. */
typedef void draw(steep_random *random, double most, double *p);

static void draw_broken(steep_random *random, double most, double *p)
{
    p[1] = between(random, 0, 1.2);
    p[2] = log(between(random, 6, most / 6));
    p[3] = exp(between(random, 0, log(4)));
}
static void draw_twice(steep_random *random, double most, double *p)
{
    draw_broken(random, most, p);
    p[1] = p[0] * between(random, 0.4, 0.7);
    p[4] = p[0] * between(random, 0, 0.3);
    p[5] = between(random, 0, p[2] - log(2));
}
static void draw_three(steep_random *random, double most, double *p)
{
    (void)most;
    p[1] = between(random, 0.3, 3);
    p[2] = between(random, -1, 1) * fmin(1, p[1]);
}

/* told: the floor is given; apart: one error is too large; outside: none of the laws of the posterior */
enum { TOLD = 1, APART = 2, OUTSIDE = 4, CORRELATED = 8 };

/* A parameter drawn by itself, uniform between these; none where both are 0. part > 0: in units of the largest size
 * over part. */
typedef struct range {
    double low, high, part;
} range;

static const struct {
    const char *name;
    law law;
    size_t parameters; /* of one who knows the kind, without the factor */
    unsigned how;
    range own[2]; /* p[1], p[2] */
    draw *draw;   /* or these by a function */
} curves[] = {{.name = "power", .law = POWER, .parameters = 1},
              {.name = "offset", .law = OFFSET, .parameters = 2, .own = {{0.5, 4, 0}}},
              {.name = "negative", .law = OFFSET, .parameters = 2, .own = {{-0.8, -0.2, 0}}},
              {.name = "log", .law = LOGARITHM, .parameters = 1},
              {.name = "broken", .law = BROKEN, .parameters = 4, .draw = draw_broken},
              {.name = "twice", .law = TWICE, .parameters = 6, .draw = draw_twice},
              {.name = "flat", .law = IN_SQUARES, .parameters = 2, .own = {{0.1, 0.4, 1}}},
              {.name = "floor", .law = IN_SQUARES, .parameters = 2, .how = TOLD, .own = {{0.1, 0.6, 1}}},
              {.name = "last", .law = ADDED, .parameters = 2, .own = {{0.4, 2, 1}}},
              {.name = "apart", .law = POWER, .parameters = 1, .how = APART},
              {.name = "later log", .law = LATER, .parameters = 2, .own = {{1, 4, 0}}},
              {.name = "half", .law = HALVES, .parameters = 2, .how = OUTSIDE, .own = {{0.3, 3, 0}}},
              {.name = "three", .law = HALVES, .parameters = 3, .how = OUTSIDE, .draw = draw_three},
              {.name = "transient", .law = TRANSIENT, .parameters = 2, .own = {{1, 5, 40}}},
              {.name = "ripple", .law = RIPPLE, .parameters = 3, .how = OUTSIDE, .own = {{1, 4, 0}, {0, 6.28, 0}}},
              {.name = "together", .law = POWER, .parameters = 1, .how = OUTSIDE | CORRELATED},
              {.name = "sudden", .law = SUDDEN, .parameters = 3, .own = {{1, 4, 20}, {1, 10, 0}}},
              {.name = "dying", .law = DYING, .parameters = 3, .how = OUTSIDE, .own = {{1, 4, 20}, {1, 10, 0}}},
              {.name = "beneath", .law = BENEATH, .parameters = 3, .how = OUTSIDE, .own = {{1, 5, 40}, {0.3, 0.9, 0}}}};
static const double noises[] = {0, 0.005, 0.02, 0.1};
static const struct {
    const char *name;
    double first, last, times, plus;
} grids[] = {{"16-256 by 2", 16, 256, 2, 0},
             {"8-4096 by 2", 8, 4096, 2, 0},
             {"2-512 by sqrt 2", 2, 512, 1.4142135623730951, 0},
             {"1-103 by 3", 1, 103, 1, 3},
             {"1-50 by 1", 1, 50, 1, 1}};
enum { CURVES = sizeof curves / sizeof *curves, NOISES = sizeof noises / sizeof *noises };
enum { GRIDS = sizeof grids / sizeof *grids };

static size_t make_sizes(size_t grid, double *size)
{
    size_t count = 0;
    double n = grids[grid].first;
    while (n < grids[grid].last + 0.5) {
        size[count++] = round(n);
        n = n * grids[grid].times + grids[grid].plus;
    }
    return count;
}

static void draw_parameters(size_t curve, steep_random *random, double most, double *p)
{
    p[0] = between(random, 1.5, 4.5);
    for (size_t i = 0; i < 2; i++) {
        const range *r = &curves[curve].own[i];
        const double unit = r->part > 0 ? most : 1, part = r->part > 0 ? r->part : 1;
        if (r->high != r->low) p[i + 1] = between(random, r->low * unit / part, r->high * unit / part);
    }
    if (curves[curve].law == IN_SQUARES || curves[curve].law == ADDED) p[1] = log(p[1]);
    if (curves[curve].draw) curves[curve].draw(random, most, p);
}

typedef struct known {
    law law;
    size_t count;
    const double *size, *v;
} known;

static int residuals(const gsl_vector *x, void *data, gsl_vector *f)
{
    const known *k = data;
    double p[PARAMETERS] = {0};
    memcpy(p, x->data + 1, (x->size - 1) * sizeof *p);
    for (size_t i = 0; i < k->count; i++) {
        const double r = x->data[0] + log_error(k->law, k->size[i], p) - k->v[i];
        if (!isfinite(r)) return GSL_EDOM;
        gsl_vector_set(f, i, r);
    }
    return GSL_SUCCESS;
}

/* Half the interval of s, from least squares that begin at the truth; NaN: fewer points than parameters and one, or no
 * end. */
static double known_half(known *k, size_t parameters, const double *truth)
{
    const size_t all = parameters + 1;
    if (k->count <= all) return NAN;
    gsl_multifit_nlinear_fdf system = {.f = residuals, .n = k->count, .p = all, .params = k};
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, k->count, all);
    gsl_vector *start = gsl_vector_calloc(all);
    gsl_matrix *covariance = gsl_matrix_calloc(all, all);
    memcpy(start->data + 1, truth, parameters * sizeof *truth);
    int info;
    double half = NAN;
    if (gsl_multifit_nlinear_init(start, &system, work) == GSL_SUCCESS &&
        gsl_multifit_nlinear_driver(60, 1e-9, 1e-9, 1e-9, NULL, NULL, &info, work) == GSL_SUCCESS) {
        double rest;
        gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(work), 1e-12, covariance);
        gsl_blas_ddot(gsl_multifit_nlinear_residual(work), gsl_multifit_nlinear_residual(work), &rest);
        const double freedom = (double)(k->count - all);
        half = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(rest / freedom * gsl_matrix_get(covariance, 1, 1));
    }
    gsl_matrix_free(covariance);
    gsl_vector_free(start);
    gsl_multifit_nlinear_free(work);
    return half > 0 ? half : NAN; /* 0: the covariance is singular */
}

typedef struct tally {
    size_t series, found, held, naive_held, known;
    double half[SERIES], known_half[SERIES], naive_half[SERIES], distance[SERIES];
} tally;

/* One series into the tally. */
static void simulate(size_t curve, size_t grid, double noise, steep_random *random, tally *t)
{
    double size[MOST], error[MOST], v[MOST], floor[MOST], p[PARAMETERS] = {0};
    size_t count = make_sizes(grid, size);
    draw_parameters(curve, random, size[count - 1], p);
    const double rho = curves[curve].how & CORRELATED ? between(random, 0.42, 0.85) : 0;
    double deviation = noise * steep_random_normal(random);
    for (size_t i = 0; i < count; i++) {
        v[i] = log_error(curves[curve].law, size[i], p) + deviation;
        deviation = rho * deviation + sqrt(1 - rho * rho) * noise * steep_random_normal(random);
        floor[i] = exp(-p[0] * p[1]);
    }
    if (curves[curve].how & APART) v[(size_t)((double)count * steep_random_uniform(random))] += log(10);
    for (size_t i = 0; i < count; i++) error[i] = exp(v[i]); /* log 1 = 0: an error of 0, left out */
    steep_slope order, all;
    const steep_slope_points points = {count, size, error, curves[curve].how & TOLD ? floor : NULL},
                             plain = {count, size, error, NULL};
    steep_slope_measure(STEEP_SLOPE_WINDOW, &points, NULL, &order, NULL);
    steep_slope_measure(STEEP_SLOPE_ALL, &plain, NULL, &all, NULL);
    const double slack = 1e-6; /* without noise an exact law has an interval of rounding size */
    t->naive_half[t->series] = 0.5 * (all.high - all.low);
    t->naive_held += all.low - slack <= -p[0] && -p[0] <= all.high + slack;
    t->series++;
    size_t from = isfinite(v[0]) ? 0 : 1;
    known k = {curves[curve].law, count - from, size + from, v + from};
    double half = noise > 0 && !(curves[curve].how & APART) ? known_half(&k, curves[curve].parameters, p) : NAN;
    if (isfinite(half)) t->known_half[t->known++] = half;
    if (isnan(order.low)) return;
    t->half[t->found] = 0.5 * (order.high - order.low);
    t->distance[t->found++] = fabs(order.slope + p[0]);
    t->held += order.low - slack <= -p[0] && -p[0] <= order.high + slack;
}

typedef struct total {
    size_t found, held;
    double least, most; /* of rows */
} total;

static void add_to(total *sum, const tally *t)
{
    if (t->found == 0) return;
    const double part = (double)t->held / (double)t->found;
    sum->found += t->found;
    sum->held += t->held;
    sum->least = fmin(sum->least, part);
    sum->most = fmax(sum->most, part);
}

/* "0.0123" or "-". */
static const char *number(double value, char text[16])
{
    if (isnan(value)) return "-";
    snprintf(text, 16, "%.3f", value);
    return text;
}

static void print_row(FILE *out, const char *curve, const char *sizes, double noise, tally *t)
{
    const double n = (double)t->series, none = 1 - (double)t->found / n, held = (double)t->held / (double)t->found,
                 half = experiment_median(t->half, t->found), distance = experiment_median(t->distance, t->found),
                 best = experiment_median(t->known_half, t->known), naive = (double)t->naive_held / n,
                 naive_half = experiment_median(t->naive_half, t->series);
    char a[16], b[16], c[16];
    printf("%-9s %4g %% %-16s | %6zu %5.1f %% %8s %10s %8.3f %8s | %6.3f %11.3f\n", curve, 100 * noise, sizes,
           t->series, 100 * none, number(held, a), number(half, b), distance, number(best, c), naive, naive_half);
    fprintf(out, "%s,%s,%g,%.6g,%.6g,%.6g,%.6g,%.6g\n", curve, sizes, noise, held, half, best, naive, naive_half);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "coverage", "curve noise",
                                    "How often the interval of an order holds that of simulated power laws.");
    const size_t draws = e.quick ? 4 : SERIES;
    FILE *out = experiment_open(
        &e, "coverage.csv", "curve,sizes,noise,coverage,half_width,known_half_width,naive_coverage,naive_half_width");
    printf("%-9s %6s %-16s | %6s %7s %8s %10s %8s %8s | %6s %11s\n", "curve", "noise", "sizes", "series", "none",
           "coverage", "half width", "|error|", "known", "naive", "half width");
    total in_all[2] = {{0, 0, 1, 0}, {0, 0, 1, 0}}; /* of kinds in the posterior, and of others */
    for (size_t c = 0; c < CURVES; c++) {
        if (!experiment_wants(&e, 0, curves[c].name)) continue;
        for (size_t k = 0; k < NOISES; k++) {
            char percent[16];
            snprintf(percent, sizeof percent, "%g", 100 * noises[k]);
            if (!experiment_wants(&e, 1, percent)) continue;
            for (size_t g = 0; g < GRIDS; g++) {
                tally t = {.series = 0};
                steep_random random = steep_random_start(100 * c + 10 * k + g, STEEP_STREAM_SIMULATION);
                while (t.series < draws) simulate(c, g, noises[k], &random, &t);
                print_row(out, curves[c].name, grids[g].name, noises[k], &t);
                if (noises[k] > 0) add_to(&in_all[(curves[c].how & OUTSIDE) != 0], &t);
            }
        }
    }
    experiment_found(&e);
    for (int outside = 0; !e.only && outside < 2; outside++) {
        const total *t = &in_all[outside];
        printf("where there is scatter, %s: %zu of %zu intervals hold the order, %.1f %%; row by row %.2f to %.2f\n",
               outside ? "kinds that are none of the laws (half, three, ripple, together, dying, beneath)"
                       : "laws of the posterior (the others)",
               t->held, t->found, 100 * (double)t->held / (double)t->found, t->least, t->most);
    }
    printf("none: series without an interval; half width, |error|, known: medians; known: half the interval of one who "
           "knows the kind of the law\n");
    experiment_close(&e, out, "coverage.csv");
    experiment_draw(&e, "coverage");
    return 0;
}
