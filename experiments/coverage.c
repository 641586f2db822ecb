/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coverage: how often the 95 % interval of the order (slope/slope.c) holds the true order of simulated errors, and how
 * long it is; beside it the interval of one who knows the kind of the law and fits its parameters to the same points
 * (Student's t with the covariance of nonlinear least squares), and the straight line through all points with its own
 * interval, as papers report it. Each series draws its order s in [1.5, 4.5], and, with N the largest size:
 *   power     n^-s
 *   offset    (n + c)^-s, c in [0.5, 4]                     negative  c in [-0.8, -0.2]
 *   log       n^-s log n
 *   broken    from slope r in [0, 1.2] to s at n = k in [6, N/6], 1/(n^(mr) + ...)^(1/m), sharpness m in [1, 4]
 *   twice     a second break before: slopes r in [0, 0.3] s, then [0.4, 0.7] s, then s
 *   flat      sqrt(n^-2s + f^-2s), f in [0.1 N, 0.4 N]      floor     the same with the floor told, f in [0.1 N, 0.6 N]
 *   last      n^-s + f^-s, f in [0.4 N, 2 N]: the last octaves alone level off
 *   apart     n^-s, one error ten times too large
 *   later log n^-s log(n + c), c in [1, 4]
 *   transient n^-s (1 + 5 e^(-n/k)), k in [N/40, N/8]
 *   sudden    n^-s (1 + c e^(-(n/k)^2)), c in [1, 10], k in [N/20, N/5]
 * and of kinds that are none of the laws of slope/laws.c:
 *   half      n^-s (1 + c n^-1/2), c in [0.3, 3]            three      n^-s (1 + c/n^(1/2) + d/n), d in [-1, 1] too
 *   ripple    n^-s (1 + 0.03 sin(w log n + p)), w in [1, 4]
 *   together  n^-s, noise from size to size correlated by 0.42 to 0.85
 *   dying     n^-s (1 + c/(1 + (n/k)^6)), c in [1, 10], k in [N/20, N/5]
 *   beneath   n^-s (1 - c e^(-n/k)), c in [0.3, 0.9], k in [N/40, N/8]
 * each times exp(noise * standard normal). */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit_nlinear.h>

#include "experiment.h"

enum { MOST = 64, PARAMETERS = 6 };

/* log error at size n; p[0] = s, the others are the curve's own. */
typedef double law(double n, const double *p);

static double power(double n, const double *p)
{
    return -p[0] * log(n);
}
static double shifted(double n, const double *p)
{
    return -p[0] * log(n + p[1]);
}
static double logarithmic(double n, const double *p)
{
    return -p[0] * log(n) + log(log(n));
}
/* What a break at log size k of sharpness m takes off, from slope before to slope after. */
static double bend(double n, double before, double after, double k, double m)
{
    double t = m * (after - before) * (log(n) - k);
    return (t > 700 ? t : log1p(exp(t))) / m;
}
static double broken(double n, const double *p)
{
    return -p[1] * log(n) - bend(n, p[1], p[0], p[2], p[3]);
}
static double twice(double n, const double *p)
{
    return -p[4] * log(n) - bend(n, p[4], p[1], p[5], p[3]) - bend(n, p[1], p[0], p[2], p[3]);
}
static double in_squares(double n, const double *p) /* floor at size e^p[1] */
{
    return -p[0] * log(n) + 0.5 * log1p(exp(2 * p[0] * (log(n) - p[1])));
}
static double added(double n, const double *p)
{
    return -p[0] * log(n) + log1p(exp(p[0] * (log(n) - p[1])));
}

static double later_logarithmic(double n, const double *p)
{
    return -p[0] * log(n) + log(log(n + p[1]));
}
static double halves(double n, const double *p)
{
    return -p[0] * log(n) + log1p(p[1] / sqrt(n) + p[2] / n);
}
static double transient(double n, const double *p)
{
    return -p[0] * log(n) + log1p(5 * exp(-n / p[1]));
}
static double sudden(double n, const double *p)
{
    return -p[0] * log(n) + log1p(p[2] * exp(-n * n / (p[1] * p[1])));
}
static double dying(double n, const double *p)
{
    return -p[0] * log(n) + log1p(p[2] / (1 + pow(n / p[1], 6)));
}
static double beneath(double n, const double *p)
{
    return -p[0] * log(n) + log1p(-p[2] * exp(-n / p[1]));
}
static double ripple(double n, const double *p)
{
    return -p[0] * log(n) + log1p(0.03 * sin(p[1] * log(n) + p[2]));
}

static double between(steep_random *random, double low, double high)
{
    return low + (high - low) * steep_random_uniform(random);
}

/* Draw the curve's own parameters, most: the largest size. */
typedef void draw(steep_random *random, double most, double *p);

static void draw_nothing(steep_random *random, double most, double *p)
{
    (void)random, (void)most, (void)p;
}
static void draw_offset(steep_random *random, double most, double *p)
{
    (void)most;
    p[1] = between(random, 0.5, 4);
}
static void draw_negative(steep_random *random, double most, double *p)
{
    (void)most;
    p[1] = between(random, -0.8, -0.2);
}
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
static void draw_flat(steep_random *random, double most, double *p)
{
    p[1] = log(between(random, 0.1 * most, 0.4 * most));
}
static void draw_floor(steep_random *random, double most, double *p)
{
    p[1] = log(between(random, 0.1 * most, 0.6 * most));
}
static void draw_last(steep_random *random, double most, double *p)
{
    p[1] = log(between(random, 0.4 * most, 2 * most));
}

static void draw_later(steep_random *random, double most, double *p)
{
    (void)most;
    p[1] = between(random, 1, 4);
}
static void draw_half(steep_random *random, double most, double *p)
{
    (void)most;
    p[1] = between(random, 0.3, 3);
}
static void draw_three(steep_random *random, double most, double *p)
{
    draw_half(random, most, p);
    p[2] = between(random, -1, 1) * fmin(1, p[1]);
}
static void draw_transient(steep_random *random, double most, double *p)
{
    p[1] = between(random, most / 40, most / 8);
}
static void draw_sudden(steep_random *random, double most, double *p)
{
    p[1] = between(random, most / 20, most / 5);
    p[2] = between(random, 1, 10);
}
static void draw_beneath(steep_random *random, double most, double *p)
{
    draw_transient(random, most, p);
    p[2] = between(random, 0.3, 0.9);
}
static void draw_ripple(steep_random *random, double most, double *p)
{
    (void)most;
    p[1] = between(random, 1, 4);
    p[2] = between(random, 0, 6.28);
}

/* told: the floor is given; apart: one error is too large; outside: none of the laws of the posterior */
enum { TOLD = 1, APART = 2, OUTSIDE = 4, CORRELATED = 8 };

static const struct {
    const char *name;
    law *law;
    size_t parameters; /* of one who knows the kind, without the factor */
    draw *draw;
    unsigned how;
} curves[] = {{"power", power, 1, draw_nothing, 0},
              {"offset", shifted, 2, draw_offset, 0},
              {"negative", shifted, 2, draw_negative, 0},
              {"log", logarithmic, 1, draw_nothing, 0},
              {"broken", broken, 4, draw_broken, 0},
              {"twice", twice, 6, draw_twice, 0},
              {"flat", in_squares, 2, draw_flat, 0},
              {"floor", in_squares, 2, draw_floor, TOLD},
              {"last", added, 2, draw_last, 0},
              {"apart", power, 1, draw_nothing, APART},
              {"later log", later_logarithmic, 2, draw_later, 0},
              {"half", halves, 2, draw_half, OUTSIDE},
              {"three", halves, 3, draw_three, OUTSIDE},
              {"transient", transient, 2, draw_transient, 0},
              {"ripple", ripple, 3, draw_ripple, OUTSIDE},
              {"together", power, 1, draw_nothing, OUTSIDE | CORRELATED},
              {"sudden", sudden, 3, draw_sudden, 0},
              {"dying", dying, 3, draw_sudden, OUTSIDE},
              {"beneath", beneath, 3, draw_beneath, OUTSIDE}};
static const double noises[] = {0, 0.005, 0.02, 0.1};
static const char *const grids[] = {"16-256 by 2", "8-4096 by 2", "2-512 by sqrt 2", "1-103 by 3", "1-50 by 1"};
enum { CURVES = sizeof curves / sizeof *curves, NOISES = sizeof noises / sizeof *noises };
enum { GRIDS = sizeof grids / sizeof *grids };

static size_t make_sizes(size_t grid, double *size)
{
    size_t count = 0;
    if (grid == 0)
        for (int n = 16; n <= 256; n *= 2) size[count++] = n;
    else if (grid == 1)
        for (int n = 8; n <= 4096; n *= 2) size[count++] = n;
    else if (grid == 2)
        for (int i = 0; i <= 16; i++) size[count++] = round(pow(2, 1 + i / 2.0));
    else
        for (int n = 1; n <= (grid == 3 ? 103 : 50); n += grid == 3 ? 3 : 1) size[count++] = n;
    return count;
}

/* --- who knows the kind --- */

typedef struct known {
    law *law;
    size_t count;
    const double *size, *v;
} known;

static int residuals(const gsl_vector *x, void *data, gsl_vector *f)
{
    const known *k = data;
    double p[PARAMETERS] = {0};
    for (size_t j = 0; j + 1 < x->size; j++) p[j] = gsl_vector_get(x, j + 1);
    for (size_t i = 0; i < k->count; i++) {
        double r = gsl_vector_get(x, 0) + k->law(k->size[i], p) - k->v[i];
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
    for (size_t j = 0; j < parameters; j++) gsl_vector_set(start, j + 1, truth[j]);
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

/* --- tallies --- */

typedef struct tally {
    size_t series, found, held, naive_held, known;
    double *half, *known_half, *naive_half, *distance; /* [series] */
} tally;

static tally make_tally(size_t series)
{
    double *room = malloc(4 * series * sizeof *room);
    if (!room) abort();
    return (tally){
        .half = room, .known_half = room + series, .naive_half = room + 2 * series, .distance = room + 3 * series};
}

/* One series into the tally. */
static void simulate(size_t curve, size_t grid, double noise, steep_random *random, tally *t)
{
    double size[MOST], error[MOST], v[MOST], floor[MOST], p[PARAMETERS] = {between(random, 1.5, 4.5)};
    size_t count = make_sizes(grid, size);
    curves[curve].draw(random, size[count - 1], p);
    const double rho = curves[curve].how & CORRELATED ? between(random, 0.42, 0.85) : 0;
    double deviation = noise * steep_random_normal(random);
    for (size_t i = 0; i < count; i++) {
        v[i] = curves[curve].law(size[i], p) + deviation;
        deviation = rho * deviation + sqrt(1 - rho * rho) * noise * steep_random_normal(random);
        floor[i] = exp(-p[0] * p[1]);
    }
    if (curves[curve].how & APART) v[(size_t)((double)count * steep_random_uniform(random))] += log(10);
    for (size_t i = 0; i < count; i++) error[i] = exp(v[i]); /* log 1 = 0: an error of 0, left out */
    steep_slope order, all;
    const steep_slope_points told = {count, size, error, floor}, points = {count, size, error, NULL};
    steep_slope_measure(STEEP_SLOPE_WINDOW, curves[curve].how & TOLD ? &told : &points, NULL, &order, NULL);
    steep_slope_measure(STEEP_SLOPE_ALL, &points, NULL, &all, NULL);
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

static void put(FILE *out, const char *curve, const char *sizes, double noise, tally *t)
{
    double n = (double)t->series;
    fprintf(out, "%s,%s,%g,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", curve, sizes, noise, t->series,
            1 - (double)t->found / n, (double)t->held / (double)t->found, experiment_median(t->half, t->found),
            experiment_median(t->distance, t->found), experiment_median(t->known_half, t->known),
            (double)t->naive_held / n, experiment_median(t->naive_half, t->series));
}

/* "0.0123" or "-". */
static const char *number(double value, char text[16])
{
    if (isnan(value)) return "-";
    snprintf(text, 16, "%.3f", value);
    return text;
}

static void print_row(const char *curve, const char *sizes, double noise, tally *t)
{
    double n = (double)t->series, half = experiment_median(t->half, t->found),
           best = experiment_median(t->known_half, t->known);
    char a[16], b[16], c[16];
    printf("%-9s %4g %% %-16s | %6zu %5.1f %% %8s %10s %8.3f %8s | %6.3f %11.3f\n", curve, 100 * noise, sizes,
           t->series, 100 * (1 - (double)t->found / n), number((double)t->held / (double)t->found, a), number(half, b),
           experiment_median(t->distance, t->found), number(best, c), (double)t->naive_held / n,
           experiment_median(t->naive_half, t->series));
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "coverage", "curve noise",
                                         "How often the interval of an order holds that of simulated power laws.");
    const size_t draws = e.quick ? 4 : 20;
    FILE *out =
        experiment_open(&e, "coverage.csv",
                        "curve,sizes,noise,series,none,coverage,half_width,error,known_half_width,naive_coverage,"
                        "naive_half_width");
    printf("%-9s %6s %-16s | %6s %7s %8s %10s %8s %8s | %6s %11s\n", "curve", "noise", "sizes", "series", "none",
           "coverage", "half width", "|error|", "known", "naive", "half width");
    total in_all[2] = {{0, 0, 1, 0}, {0, 0, 1, 0}}; /* of kinds in the posterior, and of others */
    size_t rows = 0;
    for (size_t c = 0; c < CURVES; c++) {
        if (!experiment_wants(&e, 0, curves[c].name)) continue;
        for (size_t k = 0; k < NOISES; k++) {
            char percent[16];
            snprintf(percent, sizeof percent, "%g", 100 * noises[k]);
            if (!experiment_wants(&e, 1, percent)) continue;
            for (size_t g = 0; g < GRIDS; g++) {
                tally t = make_tally(draws);
                steep_random random = steep_random_start(100 * c + 10 * k + g, STEEP_STREAM_SIMULATION);
                while (t.series < draws) simulate(c, g, noises[k], &random, &t);
                put(out, curves[c].name, grids[g], noises[k], &t);
                print_row(curves[c].name, grids[g], noises[k], &t);
                if (noises[k] > 0) add_to(&in_all[(curves[c].how & OUTSIDE) != 0], &t);
                free(t.half);
                rows++;
            }
        }
    }
    experiment_found(&e, rows > 0);
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
