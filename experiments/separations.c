/* SPDX-License-Identifier: GPL-3.0-or-later */
/* separations: what a class of networks misses of the witnesses of "Mixture of activations" in W^{1,inf}, against
 * width, beside what is proved: la_type1 by networks of one activation and by la; moa_type1 by relu2, la and moa;
 * la_type2 by pairs of activations. Then moa_type1 by la at several lambda. W is the least that a search found, each
 * width from 20 random starts (1D: 40) and from the width before. */
#include <math.h>

#include "separate/separate.h"

#include "experiment.h"

typedef struct series {
    const char *witness, *class, *dictionary;
    size_t widths;
    double lambda;
} series;

static const series table[] = {
    {"la_type1", "relu", NULL, 10, 1},     {"la_type1", "leaky_relu", NULL, 10, 1},
    {"la_type1", "relu2", NULL, 4, 1},     {"la_type1", "gelu", NULL, 4, 1},
    {"la_type1", "silu", NULL, 4, 1},      {"la_type1", "tanh", NULL, 4, 1},
    {"la_type1", "la", "rr2", 1, 1},       {"moa_type1", "relu2", NULL, 4, 1},
    {"moa_type1", "la", NULL, 4, 1},       {"moa_type1", "moa", NULL, 1, 1},
    {"la_type2", "silu*id", NULL, 2, 1},   {"la_type2", "relu*id", NULL, 4, 1},
    {"la_type2", "relu*relu", NULL, 4, 1}, {"la_type2", "relu*relu2", NULL, 4, 1},
    {"la_type2", "relu*tanh", NULL, 4, 1}, {"moa_type1", "la", NULL, 2, 0.1},
    {"moa_type1", "la", NULL, 2, 0.5},     {"moa_type1", "la", NULL, 2, 2},
    {"moa_type1", "la", NULL, 2, 5},
};
enum { SERIES = sizeof table / sizeof *table };

/* One width; theta: of the width before (NULL: none), then of this one. */
static void run_width(const experiment *e, FILE *out, const series *s, size_t width, double **theta)
{
    const steep_witness *row;
    steep_target *witness;
    steep_class class;
    steep_network network;
    steep_separation found;
    steep_error error;
    steep_separate_options options = steep_separate_options_default();
    if (steep_witness_open(s->witness, s->lambda, &row, &witness, &error) < 0 ||
        steep_class_open(s->class, s->dictionary, NULL, &class, &error) < 0 ||
        steep_network_init(&network, class.architecture, &class.choice, witness->dim, width, &error) < 0)
        experiment_die(e, &error, 1);
    options.restarts = e->quick ? 2 : witness->dim == 1 ? 40 : 20;
    options.lambda = s->lambda;
    options.narrower = *theta;
    if (steep_separate(row, witness, &network, &options, &found, &error) < 0) experiment_die(e, &error, 1);
    const steep_bound bound = steep_witness_bound(row, &class, width, s->lambda);
    char text[32] = "-";
    if (isfinite(bound.value)) snprintf(text, sizeof text, "%.6f", bound.value);
    printf("%-10s %6g %-11s %5zu %9s %10.6f %10.6f %10.6f %6zu/%zu\n", s->witness, s->lambda, s->class, width, text,
           found.E0, found.E1, found.W, found.hits, found.starts);
    fflush(stdout);
    fprintf(out, "%s,%g,%s,%zu,%.17g,%.17g,%.17g,%.17g,%zu,%zu\n", s->witness, s->lambda, s->class, width, bound.value,
            found.E0, found.E1, found.W, found.hits, found.starts);
    fflush(out);
    free(*theta);
    *theta = found.theta;
    found.theta = NULL;
    steep_separation_free(&found);
    steep_class_free(&class);
    steep_target_free(witness);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "separations", "witness class",
                                         "What classes of networks miss of the witnesses in W^{1,inf}.");
    FILE *out = experiment_open(&e, "separations.csv");
    bool found = false;
    fprintf(out, "witness,lambda,class,width,bound,E0,E1,W,hits,starts\n");
    printf("%-10s %6s %-11s %5s %9s %10s %10s %10s %s\n", "witness", "lambda", "class", "width", "bound", "E0", "E1",
           "W", "hits/starts");
    for (size_t i = 0; i < SERIES; i++) {
        double *theta = NULL;
        if (!experiment_wants(&e, 0, table[i].witness) || !experiment_wants(&e, 1, table[i].class)) continue;
        found = true;
        for (size_t width = 1; width <= (e.quick && table[i].widths > 2 ? 2 : table[i].widths); width++)
            run_width(&e, out, &table[i], width, &theta);
        free(theta);
    }
    experiment_found(&e, found);
    experiment_close(&e, out, "separations.csv");
    experiment_draw(&e, "separations");
    return 0;
}
