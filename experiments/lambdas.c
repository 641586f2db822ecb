/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lambdas: tanh(lambda x) y_+ against lambda: what one activation and la miss of it in W^{1,inf} and in RMSE, beside
 * the bound tanh(lambda)/2 that no la gets below ("Mixture of activations", proposition B.5), and moa, which has it.
 *
 * That nothing larger holds for all widths is seen on networks that are written down: with p the odd polynomial that
 * interpolates tanh(lambda t), each t^k y_+ is a central difference of order k,
 *
 *   x^k y_+ = lim sum_j (-1)^j C(k, j) (y + (k/2 - j) eps x)_+^{k+1} / ((k + 1)! eps^k)   as eps falls,
 *
 * smooth across y = 0, so that E1 falls to tanh(lambda)/2 there; E0 to the error of p. */
#include "separated.h"

enum { MOST_DEGREE = 13, UNITS = 56 };
static const double lambdas[] = {0.1, 0.2, 0.5, 1, 2, 3, 5};
enum { LAMBDAS = sizeof lambdas / sizeof *lambdas };

static const struct {
    const char *name;
    size_t widths;
} classes[] = {{"relu", 2}, {"tanh", 1}, {"la", 2}, {"moa", 1}};
enum { CLASSES = sizeof classes / sizeof *classes };
static const struct {
    int degree;
    double eps; /* of a high degree larger, for rounding grows like 1/eps^degree */
} forms[] = {{1, 0.01}, {3, 0.01}, {5, 0.01}, {9, 0.03}, {13, 0.06}};
enum { FORMS = sizeof forms / sizeof *forms };
static separated_series series[CLASSES * LAMBDAS];

/* c[k] of the odd polynomial of degree p that is tanh(lambda t) at the zeros of a Chebyshev polynomial of degree p + 1:
 * by divided differences of tanh(lambda t)/t in u = t^2. */
static void odd_polynomial(double lambda, int p, double *c)
{
    double u[MOST_DEGREE], d[MOST_DEGREE], power[MOST_DEGREE] = {0};
    const int n = (p + 1) / 2;
    for (int i = 0; i < n; i++) {
        const double t = cos(M_PI * (2 * i + 1) / (4.0 * n));
        u[i] = t * t;
        d[i] = tanh(lambda * t) / t;
    }
    for (int q = 1; q < n; q++)
        for (int i = n - 1; i >= q; i--) d[i] = (d[i] - d[i - 1]) / (u[i] - u[i - q]);
    for (int i = n - 1; i >= 0; i--) { /* Horner: power * (u - u_i) + d_i */
        for (int q = n - 1; q > 0; q--) power[q] = power[q - 1] - u[i] * power[q];
        power[0] = d[i] - u[i] * power[0];
    }
    for (int i = 0; i < n; i++) c[2 * i + 1] = power[i];
}

/* f = sum_i weight_i (y + slope_i x)_+^power_i. */
typedef struct network {
    size_t units;
    double weight[UNITS], slope[UNITS];
    int power[UNITS];
} network;

static void write_network(double lambda, int p, double eps, network *f)
{
    double c[MOST_DEGREE + 1] = {0};
    odd_polynomial(lambda, p, c);
    f->units = 0;
    for (int k = 1; k <= p; k += 2) {
        double factor = c[k] / pow(eps, k), choose = 1;
        for (int i = 2; i <= k + 1; i++) factor /= i;
        for (int j = 0; j <= k; j++, f->units++) {
            f->weight[f->units] = (j % 2 ? -1 : 1) * choose * factor;
            f->slope[f->units] = (k / 2.0 - j) * eps;
            f->power[f->units] = k + 1;
            choose = choose * (k - j) / (j + 1);
        }
    }
}

/* T - f and its gradient at a point; at y = 0, where f is smooth, on one side of it. In long double: units cancel. */
static void see(double lambda, const network *f, double x, double y, bool above, double norm[2])
{
    const double t = tanh(lambda * x);
    long double e = above ? t * y : 0, ex = above ? lambda * (1 - t * t) * y : 0, ey = above ? t : 0;
    for (size_t i = 0; i < f->units; i++) {
        const long double z = y + (long double)f->slope[i] * x;
        if (z <= 0) continue;
        const long double g = f->weight[i] * powl(z, f->power[i] - 1);
        e -= g * z;
        ey -= f->power[i] * g;
        ex -= f->power[i] * g * f->slope[i];
    }
    norm[0] = fmax(norm[0], (double)fabsl(e));
    norm[1] = fmax(norm[1], (double)hypotl(ex, ey));
}

/* E0 and E1 of T - f on a grid, both sides of y = 0. */
static void sample_norms(double lambda, const network *f, size_t side, double norm[2])
{
    norm[0] = norm[1] = 0;
    for (size_t i = 0; i < side; i++) {
        const double x = 2 * (double)i / (double)(side - 1) - 1;
        for (size_t j = 0; j < side; j++) {
            const double y = 2 * (double)j / (double)(side - 1) - 1;
            see(lambda, f, x, y, y >= 0, norm);
            if (y == 0) see(lambda, f, x, y, false, norm);
        }
    }
}

/* Of the least W among the forms. */
static void put_written(const experiment *e, FILE *out, double lambda)
{
    char shown[2][24];
    const double bound = tanh(lambda) / 2;
    double best[2] = {INFINITY, INFINITY}, norm[2];
    size_t units = 0, form = 0;
    for (size_t i = 0; i < FORMS; i++) {
        network f;
        write_network(lambda, forms[i].degree, forms[i].eps, &f);
        sample_norms(lambda, &f, e->quick ? 51 : 201, norm);
        if (!(norm[0] + norm[1] < best[0] + best[1])) continue;
        memcpy(best, norm, sizeof best);
        units = f.units;
        form = i;
    }
    const double W = best[0] + best[1];
    printf("written    degree %-9d %6g %5zu %9s %9.6f %9.6f %9s %10s   W by bound %.4f\n", forms[form].degree, lambda,
           units, separated_number(bound, shown[0]), best[0], best[1], separated_number(W, shown[1]), "-", W / bound);
    fprintf(out, "moa_type1,%g,written,%zu,%.17g,%.17g,%.17g,nan\n", lambda, units, bound, bound, W);
}

int main(int argc, char **argv)
{
    const experiment e = experiment_begin(argc, argv, "lambdas", "witness class",
                                          "tanh(lambda x) y_+ against lambda, by la, moa and networks written down.");
    const bool written = experiment_wants(&e, 0, "written") && experiment_wants(&e, 1, "degree");
    size_t count = 0;
    for (size_t c = 0; c < CLASSES; c++)
        for (size_t i = 0; i < LAMBDAS; i++)
            series[count++] = (separated_series){.witness = "moa_type1",
                                                 .class = classes[c].name,
                                                 .lambda = lambdas[i],
                                                 .widths = classes[c].widths,
                                                 .restarts = 3,
                                                 .fits = 2};
    count = separated_choose(&e, series, count);
    separated_run(&e, series, count);
    FILE *out = separated_print(&e, "lambdas.csv", series, count);
    for (size_t i = 0; i < LAMBDAS && written; i++) put_written(&e, out, lambdas[i]);
    experiment_close(&e, out, "lambdas.csv");
    experiment_draw(&e, "lambdas");
    return 0;
}
