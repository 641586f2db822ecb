/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jumps: the jump profile J(x) = d f/dy (x, 0+) - d f/dy (x, 0-) of networks across y = 0, on which the lower bounds in
 * W^{1,inf} rest: E1 is at least half of sup |J_T - J_f| ("Mixture of activations", appendix B). Of the witness
 * tanh(x) y_+, J_T = tanh x, a network of one activation or of la has a constant J; of y_+ (x_+ + tanh x), J_T = x_+ +
 * tanh x, networks of one pair have lines, polygons or ridge sums. Networks of least W and of least RMSE, as
 * experiments/separated.h finds them; beside J the same difference at distance h from y = 0, d f/dy (x, h) - d f/dy (x,
 * -h): near y = 0 it is what the networks bend to T. */
#include "separated.h"

enum { PLACES = 201, LAYERS = 4 };
static const double layers[LAYERS] = {0x1p-600, 1e-3, 1e-2, 1e-1};

#define SERIES_OF(WITNESS, CLASS, WIDTHS)                                                                              \
    {                                                                                                                  \
        .witness = WITNESS, .class = CLASS, .lambda = 1, .widths = WIDTHS, .restarts = 4, .fits = 3                    \
    }
static separated_series series[] = {
    SERIES_OF("moa_type1", "relu", 2),     SERIES_OF("moa_type1", "relu2", 2),
    SERIES_OF("moa_type1", "tanh", 1),     SERIES_OF("moa_type1", "la", 2),
    SERIES_OF("moa_type1", "moa", 1),      SERIES_OF("la_type2", "relu*id", 2),
    SERIES_OF("la_type2", "relu*relu", 2), SERIES_OF("la_type2", "relu*relu2", 2),
    SERIES_OF("la_type2", "relu*tanh", 2), SERIES_OF("la_type2", "gelu*tanh", 1),
    SERIES_OF("la_type2", "qd-la", 1),
};

/* A network's differences of slope across y = 0: J[q * PLACES + i] at place i and distance layers[q]. */
typedef struct profile {
    double x[PLACES], J[LAYERS * PLACES], witness[PLACES];
} profile;

static void differences(const experiment *e, const steep_network *network, const double *theta, profile *p)
{
    double x[4 * PLACES], gradient[4 * PLACES];
    steep_error error = {"no memory for a profile"};
    for (size_t q = 0; q < LAYERS; q++) {
        for (size_t k = 0; k < 2 * PLACES; k++) {
            x[k] = p->x[k % PLACES];
            x[2 * PLACES + k] = k < PLACES ? layers[q] : -layers[q];
        }
        if (steep_network_input_gradient(network, theta, 2 * PLACES, x, NULL, gradient) < 0)
            experiment_die(e, &error, 1);
        for (size_t i = 0; i < PLACES; i++) p->J[q * PLACES + i] = gradient[2 * PLACES + i] - gradient[3 * PLACES + i];
    }
}

/* J of the witness, by its jet into both sides. */
static void witness_profile(const steep_target *witness, profile *p)
{
    for (size_t i = 0; i < PLACES; i++) {
        const long double x[] = {p->x[i], 0}, up[] = {0, 1}, down[] = {0, -1};
        long double c[2], d[2];
        steep_formula_jet(witness->formula, x, up, 1, c);
        steep_formula_jet(witness->formula, x, down, 1, d);
        p->witness[i] = (double)(c[1] + d[1]);
    }
}

static double distance(const profile *p, size_t q)
{
    double most = 0;
    for (size_t i = 0; i < PLACES; i++) most = fmax(most, fabs(p->J[q * PLACES + i] - p->witness[i]));
    return most;
}

static void put(const experiment *e, FILE *out, const separated_lab *l, size_t m, const char *what, const double *theta)
{
    const separated_series *s = l->series;
    const separated_row *r = &s->row[m - 1];
    const bool is_W = strcmp(what, "W") == 0;
    profile p;
    char text[LAYERS + 1][24];
    for (size_t i = 0; i < PLACES; i++) /* none at 0, where other kinks cross */
        p.x[i] = i == PLACES / 2 ? 1e-9 : 2 * (double)i / (PLACES - 1) - 1;
    differences(e, &l->network, theta, &p);
    witness_profile(l->witness, &p);
    for (size_t q = 0; q < LAYERS; q++) separated_number(distance(&p, q) / 2, text[q]);
    printf("%-10s %-11s %5zu %-4s %9s %9s %9s %9s %9s\n", s->witness, s->class, m, what, text[0], text[1], text[2],
           text[3], separated_number(is_W ? r->E1 : r->rmse, text[LAYERS]));
    for (size_t i = 0; i < PLACES; i++) {
        fprintf(out, "%s,%s,%zu,%s,%.17g,%.17g", s->witness, s->class, m, what, p.x[i], p.witness[i]);
        for (size_t q = 0; q < LAYERS; q++) fprintf(out, ",%.17g", p.J[q * PLACES + i]);
        fprintf(out, "\n");
    }
}

static void put_series(const experiment *e, FILE *out, const separated_series *s)
{
    separated_lab l;
    steep_error error;
    if (separated_open(s, &l, &error) < 0) experiment_die(e, &error, 1);
    for (size_t m = 1; m <= s->widths; m++) {
        if (steep_network_init(&l.network, l.class.architecture, &l.class.choice, 2, m, &error) < 0)
            experiment_die(e, &error, 1);
        put(e, out, &l, m, "W", s->networks[m - 1].theta);
        put(e, out, &l, m, "RMSE", s->networks[m - 1].fitted);
    }
    separated_close(&l);
}

int main(int argc, char **argv)
{
    const experiment e =
        experiment_begin(argc, argv, "jumps", "witness class",
                         "Jump profiles of networks of least W and of least RMSE beside the witnesses'.");
    const size_t count = separated_choose(&e, series, sizeof series / sizeof *series);
    separated_run(&e, series, count);
    FILE *out = experiment_open(&e, "jumps.csv", "witness,class,width,fit,x,target,J,h0.001,h0.01,h0.1");
    printf("half of sup |J_T - J_f|; J at y = 0, and at distance h from it\n");
    printf("%-10s %-11s %5s %-4s %9s %9s %9s %9s %9s\n", "witness", "class", "width", "fit", "y = 0", "h = .001",
           "h = .01", "h = .1", "E1, RMSE");
    for (size_t i = 0; i < count; i++) put_series(&e, out, &series[i]);
    experiment_close(&e, out, "jumps.csv");
    experiment_draw(&e, "jumps");
    return 0;
}
