/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sawtooth: x^2 on [0, 1] by relu alone (lemma A.2 of the paper on polynomial composition): the network of m stages,
 * its error against units, beside the best of one hidden layer, and what no network gets below. The best approximation
 * by p linear pieces is found anew for each p, by bisection on the error with pieces as long as it allows. */
#include "experiment.h"
#include "papers/expansion.h"
#include "papers/polycom.h"

enum { STAGES = 20, PIECES = 32 };

/* The largest |y - x^2|, exactly: from the network's values in rationals at both ends of each cell and at its middle,
 * where the error of a line through the ends is largest: of all cells up to 2^7, beyond in the first, the last and some
 * 100 more. */
static double exact_error(const experiment *e, const steep_layers *net, size_t stages)
{
    steep_polynomial **p = steep_polynomial_new_all(3, 1);
    steep_error error;
    double most = 0;
    const unsigned long cells = 1UL << stages, step = cells > 128 ? (cells - 1) / 101 : 1;
    for (unsigned long c = 0; c < cells; c += step)
        for (int half = 0; half <= 2; half++) {
            steep_polynomial_set_ratio(p[0], (long)(2 * c) + half, 2 * cells);
            if (steep_layers_exact(net, (const steep_polynomial *const *)p, p[1], &error) < 0)
                experiment_die(e, &error, 1);
            steep_polynomial_multiply(p[2], p[0], p[0]);
            steep_polynomial_subtract(p[1], p[1], p[2]);
            most = fmax(most, fabs(steep_polynomial_number(p[1])));
        }
    steep_polynomial_free_all(p, 3);
    return most;
}

static double chord_above(double a, double b, double x)
{
    return a * a + (b * b - a * a) / (b - a) * (x - a) - x * x;
}

/* What the best line has for an error on [a, b]: x^2 is convex, so the chord lowered by half of what it is above x^2 at
 * most, which is found by ternary search. */
static double line_error(double a, double b)
{
    double low = a, high = b;
    for (int i = 0; i < 70; i++) {
        const double u = low + (high - low) / 3, v = high - (high - low) / 3;
        if (chord_above(a, b, u) < chord_above(a, b, v)) low = u;
        else high = v;
    }
    return chord_above(a, b, low) / 2;
}

/* How many pieces of that error reach from 0 to 1, each as long as it may be; most + 1 where more are needed. */
static size_t pieces_for(double error, size_t most)
{
    size_t pieces = 0;
    double a = 0;
    while (a < 1 && pieces <= most) {
        double low = a, high = 1;
        if (line_error(a, 1) > error)
            for (int i = 0; i < 60; i++) {
                const double middle = (low + high) / 2;
                if (line_error(a, middle) <= error) low = middle;
                else high = middle;
            }
        else low = 1;
        pieces++;
        if (low <= a) return most + 1;
        a = low;
    }
    return pieces;
}

static double best_of_pieces(size_t p)
{
    double low = 0, high = 1;
    for (int i = 0; i < 44; i++) {
        const double middle = (low + high) / 2;
        if (pieces_for(middle, p) <= p) high = middle;
        else low = middle;
    }
    return high;
}

static steep_layers network_of(const experiment *e, size_t stages, bool centred)
{
    steep_layers net;
    steep_error error;
    if (steep_polycom_sawtooth(stages, centred, &net, &error) < 0) experiment_die(e, &error, 1);
    return net;
}

/* Errors of the first networks over [0, 1], for the picture. */
static void put_curves(const experiment *e)
{
    enum { POINTS = 1025 };
    static double x[POINTS], y[3][POINTS];
    FILE *out = experiment_open(e, "curves.csv", "x,m1,m2,m3");
    for (size_t k = 0; k < POINTS; k++) x[k] = (double)k / (POINTS - 1);
    for (size_t m = 1; m <= 3; m++) {
        steep_layers net = network_of(e, m, false);
        steep_error error = {"no memory"};
        if (steep_layers_values(&net, POINTS, x, y[m - 1]) < 0) experiment_die(e, &error, 1);
        steep_layers_free(&net);
    }
    for (size_t k = 0; k < POINTS; k++)
        fprintf(out, "%.17g,%.17g,%.17g,%.17g\n", x[k], y[0][k] - x[k] * x[k], y[1][k] - x[k] * x[k],
                y[2][k] - x[k] * x[k]);
    experiment_close(e, out, "curves.csv");
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "sawtooth", "stages", "x^2 by relu networks, against linear pieces.");
    const size_t stages = e.quick ? 6 : STAGES;
    size_t wrong = 0;
    bool any = false;
    FILE *out = experiment_open(&e, "sawtooth.csv", "units,error,centred,lower");
    printf("%6s %6s %8s %14s %14s %14s %14s %12s\n", "stages", "units", "pieces", "error", "4^-(m+1)", "centred",
           "1/(8 p^2)", "any, units");
    for (size_t m = 1; m <= stages; m++) {
        if (!experiment_wants_size(&e, 0, m)) continue;
        any = true;
        steep_layers plain = network_of(&e, m, false), centred = network_of(&e, m, true);
        const double error = exact_error(&e, &plain, m), lowered = exact_error(&e, &centred, m),
                     theory = ldexp(1, -2 * (int)m - 2), units = (double)steep_layers_units(&plain),
                     lower = ldexp(1, -3 - 2 * (int)units);
        wrong += error != theory || lowered != theory / 2;
        printf("%6zu %6.0f %8lu %14.7e %14.7e %14.7e %14.7e %12.1e\n", m, units, 1UL << m, error, theory, lowered,
               theory / 2, lower);
        fprintf(out, "%.0f,%.17g,%.17g,%.17g\n", units, error, lowered, lower);
        steep_layers_free(&plain);
        steep_layers_free(&centred);
    }
    experiment_found(&e, any);
    experiment_close(&e, out, "sawtooth.csv");
    if (e.only) return wrong > 0;
    printf("networks whose error is not exactly that: %zu\n", wrong);
    FILE *best = experiment_open(&e, "pieces.csv", "pieces,found,bound");
    double off = 0;
    for (size_t p = 1; p <= (e.quick ? 8 : PIECES); p++) {
        const double found = best_of_pieces(p), bound = 1 / (8.0 * (double)p * (double)p);
        off = fmax(off, fabs(found / bound - 1));
        fprintf(best, "%zu,%.17g,%.17g\n", p, found, bound);
    }
    printf("best approximation by p = 1 to %d linear pieces, searched: 1/(8 p^2), apart by %.0e of it at most\n",
           e.quick ? 8 : PIECES, off);
    experiment_close(&e, best, "pieces.csv");
    put_curves(&e);
    experiment_draw(&e, "sawtooth");
    return wrong > 0;
}
