/* SPDX-License-Identifier: GPL-3.0-or-later */
/* local_taylor: the network of theorem 3 of the paper on polynomial composition, local Taylor polynomials of degree
 * n - 1 glued by trapezoids, in one and two dimensions: its largest error on a grid against the bound
 * (1/n!)(2d/(3N))^n times the size of the derivatives of order n, which leaves out the paper's factor 2^d. */
#include "experiment.h"
#include "papers/polycom.h"

enum { ORDERS = 4, SIZES = 7 };
static const size_t sizes[SIZES] = {1, 2, 4, 8, 16, 32, 64};
/* most[n - 1]: max over |k| = n of sup |D^k f|, worked out by hand; 0: from the grid of jets (1D). */
static const struct {
    const char *name, *formula;
    size_t dim, last; /* sizes */
    double most[ORDERS];
} targets[] = {{"sin1", "sin(x+.7)", 1, 7, {1, 1, 1, 1}},
               {"runge1", "1/(1+x^2)", 1, 7, {0, 0, 0, 0}},
               {"chirp", "sin(4*(x-1)^2)", 1, 7, {0, 0, 0, 0}},
               {"sin2", "sin(x+y+.7)", 2, 5, {1, 1, 1, 1}},
               {"waves2", "sin(3*x-2*y+1)-0.5*cos(x+4*y)", 2, 5, {5, 17, 59, 209}}};

/* Sup of |f^(n)| on [-1, 1], on a grid that has the ends: a lower estimate. */
static double sup_derivative(const steep_target *f, size_t n)
{
    double most = 0, factorial = 1;
    long double c[STEEP_JET_ORDER + 1];
    for (size_t i = 2; i <= n; i++) factorial *= (double)i;
    for (int k = 0; k <= 4000; k++) {
        steep_target_jet(f, (k - 2000) / 2000.0L, n, c);
        most = fmax(most, factorial * fabs((double)c[n]));
    }
    return most;
}

static double worst(const experiment *e, const steep_layers *net, const steep_target *f, size_t side)
{
    const size_t d = f->dim, count = d == 1 ? side : side * side;
    double *x = experiment_numbers(e, (d + 1) * count), *y = x + d * count, most = 0;
    steep_error error = {"no memory"};
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < d; j++)
            x[j * count + k] = -1 + 2 * (double)(j ? k / side : k % side) / (double)(side - 1);
    if (steep_layers_values(net, count, x, y) < 0) experiment_die(e, &error, 1);
    for (size_t k = 0; k < count; k++) {
        const long double point[2] = {x[k], d > 1 ? x[count + k] : 0};
        most = fmax(most, fabs(y[k] - (double)steep_formula_reference(f->formula, point)));
    }
    free(x);
    return most;
}

/* All sizes of a target and an order; the largest quotient of error and bound above rounding. */
static double run_order(const experiment *e, FILE *out, size_t t, const steep_target *f, size_t n)
{
    const double size = targets[t].most[n - 1] > 0 ? targets[t].most[n - 1] : sup_derivative(f, n);
    double found[SIZES], largest = 0, last = NAN;
    const size_t count = e->quick ? 3 : targets[t].last;
    printf("%-7s %zu %2zu", targets[t].name, targets[t].dim, n);
    for (size_t s = 0; s < count; s++) {
        steep_layers net;
        steep_error error;
        if (steep_polycom_taylor(f, n, sizes[s], &net, &error) < 0) experiment_die(e, &error, 1);
        const double bound = size * steep_polycom_taylor_bound(f->dim, n, sizes[s]), floor = 1e-13 * (1 + size);
        found[s] = worst(e, &net, f, f->dim == 1 ? 9601 : 97);
        if (bound > floor) largest = fmax(largest, found[s] / bound);
        if (s > 0 && found[s] > floor) last = log2(found[s] / found[s - 1]);
        fprintf(out, "%s,%zu,%zu,%.17g,%.17g,%.17g\n", targets[t].name, n, sizes[s], found[s], bound,
                bound * (double)(1 << f->dim));
        steep_layers_free(&net);
    }
    for (size_t s = 0; s < SIZES; s++)
        if (s < count) printf(" %8.1e", found[s]);
        else printf(" %8s", "-");
    printf("  %6.2f %8.3f\n", last, largest);
    return largest;
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "local_taylor", "target",
                                         "Theorem 3: local Taylor polynomials as networks of PolyReLU.");
    size_t above = 0, rows = 0;
    FILE *out = experiment_open(&e, "local_taylor.csv", "target,n,N,error,bound,published");
    printf("%-7s %s %2s %45s\n", "target", "d", "n", "largest error at N");
    printf("%-12s", "");
    for (size_t s = 0; s < SIZES; s++) printf(" %8zu", sizes[s]);
    printf("  %6s %8s\n", "order", "of bound");
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        if (!experiment_wants(&e, 0, targets[t].name)) continue;
        steep_target *f = experiment_target(&e, targets[t].formula);
        for (size_t n = 1; n <= ORDERS; n++, rows++) above += run_order(&e, out, t, f, n) > 1;
        steep_target_free(f);
    }
    experiment_found(&e, rows > 0);
    if (!e.only)
        printf("order: slope between the last two N above rounding; of bound: largest quotient of error and bound; "
               "above 1: "
               "%zu of %zu rows\n",
               above, rows);
    experiment_close(&e, out, "local_taylor.csv");
    experiment_draw(&e, "local_taylor");
    return above > 0;
}
