/* SPDX-License-Identifier: GPL-3.0-or-later */
/* powers: networks of PolyReLU that are x^k exactly (lemma A.4 of the paper on polynomial composition), k to 1000:
 * units, parameters and layers, in the paper's form (towers) and with one chain of powers (running), of orders 2, 3 and
 * 5; their error in double on [-1, 1]. */
#include "experiment.h"
#include "papers/polycom.h"

enum { ORDERS = 3, SHOWN = 9, GRID = 401 };
static const size_t orders[ORDERS] = {2, 3, 5};
static const unsigned long shown[SHOWN] = {2, 3, 7, 16, 31, 100, 243, 511, 1000};
static const char *const forms[] = {"towers", "running"};

/* The largest |y - x^k| on a grid of [-1, 1]. */
static double worst(const experiment *e, const steep_layers *net, unsigned long k)
{
    double x[GRID], y[GRID], most = 0;
    steep_error error = {"no memory"};
    for (size_t i = 0; i < GRID; i++) x[i] = -1 + 2 * (double)i / (GRID - 1);
    if (steep_layers_values(net, GRID, x, y) < 0) experiment_die(e, &error, 1);
    for (size_t i = 0; i < GRID; i++) most = fmax(most, fabs(y[i] - (double)powl(x[i], (long double)k)));
    return most;
}

/* Equal to x^k in exact arithmetic, at 2/3 and -7/5. */
static bool is_exact(const experiment *e, const steep_layers *net, unsigned long k)
{
    steep_polynomial **p = steep_polynomial_new_all(3, 1);
    steep_error error;
    bool equal = true;
    for (int i = 0; i < 2; i++) {
        steep_polynomial_set_ratio(p[0], i ? -7 : 2, i ? 5 : 3);
        if (steep_layers_exact(net, (const steep_polynomial *const *)p, p[1], &error) < 0) experiment_die(e, &error, 1);
        steep_polynomial_power(p[2], p[0], (unsigned)k);
        equal = equal && steep_polynomial_equal(p[1], p[2]);
    }
    steep_polynomial_free_all(p, 3);
    return equal;
}

/* One network: a line of the file, or, without one, of the table. */
static void put_network(const experiment *e, FILE *out, unsigned long k, size_t order, int form, size_t *wrong)
{
    steep_layers net;
    steep_error error;
    size_t last = 0;
    if (steep_polycom_power(k, order, form ? STEEP_POWER_RUNNING : STEEP_POWER_TOWERS, &net, &error) < 0)
        experiment_die(e, &error, 1);
    for (unsigned long left = k; left >= order; left /= order) last++;
    const double off = worst(e, &net, k), paper = (double)((last + 1) * (last + 2)) / 2;
    *wrong += !is_exact(e, &net, k);
    if (out) fprintf(out, "%lu,%zu,%s,%zu,%.0f\n", k, order, forms[form], steep_layers_units(&net), paper);
    else
        printf("%5lu %6zu %-8s %7zu %6zu %11zu %6.0f %10.1e\n", k, order, forms[form], net.count,
               steep_layers_units(&net), steep_layers_nonzero(&net), paper, off);
    steep_layers_free(&net);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "powers", "k", "Networks that are x^k: their sizes.");
    const unsigned long most = e.quick ? 60 : 1000;
    size_t wrong = 0, count = 0;
    FILE *out = experiment_open(&e, "powers.csv", "k,order,form,units,paper");
    printf("%5s %6s %-8s %7s %6s %11s %6s %10s\n", "k", "order", "form", "layers", "units", "parameters", "paper",
           "in double");
    for (unsigned long k = 1; k <= most && !e.only; k += k < 64 || e.quick ? 1 : k / 32)
        for (size_t o = 0; o < ORDERS; o++)
            for (int form = 0; form < 2; form++, count++) put_network(&e, out, k, orders[o], form, &wrong);
    for (size_t s = 0; s < SHOWN && shown[s] <= most; s++)
        for (size_t o = 0; o < 2 && experiment_wants_size(&e, 0, shown[s]); o++)
            for (int form = 0; form < 2; form++, count++) put_network(&e, NULL, shown[s], orders[o], form, &wrong);
    experiment_found(&e, count > 0);
    if (!e.only)
        printf("parameters: those that are not 0; paper: the sum of its eq. 24; %zu of %zu networks are x^k in exact "
               "arithmetic\n",
               count - wrong, count);
    experiment_close(&e, out, "powers.csv");
    experiment_draw(&e, "powers");
    return wrong > 0;
}
