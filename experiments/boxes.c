/* SPDX-License-Identifier: GPL-3.0-or-later */
/* boxes: how many boxes a certificate takes, against tolerance and width: suprema, gradients and root mean squares of
 * networks with random parameters minus runge3 (1D) and runge3_2d (2D). */
#include "certify/norms.h"
#include "experiment.h"

enum { DIMS = 2, ARCHS = 4, WIDTHS = 3, TOLERANCES = 4, KINDS = 3 };
static const char *const dims[] = {"1D", "2D"}, *const archs[] = {"mlp", "gqu", "la", "moa"};
static const char *const targets[] = {"runge3", "runge3_2d"};
static const size_t widths[WIDTHS] = {2, 8, 32};
static const double tolerances[DIMS][TOLERANCES] = {{1e-2, 1e-4, 1e-6, 1e-8}, {1e-1, 1e-2, 1e-3, 1e-4}};
static const struct {
    const char *name;
    unsigned what;
    size_t place; /* offset in the certificate */
} kinds[KINDS] = {{"sup", STEEP_CERTIFY_SUP, offsetof(steep_certified, sup)},
                  {"gradient", STEEP_CERTIFY_GRADIENT, offsetof(steep_certified, gradient)},
                  {"rmse", STEEP_CERTIFY_RMSE, offsetof(steep_certified, rmse)}};

/* Draws normal parameters; output weights are divided by the width, so that the output's size does not grow with it. */
static double *draw_network(const experiment *e, size_t arch, size_t dim, size_t width, steep_network *network)
{
    const steep_architecture *row = steep_architecture_find(archs[arch], NULL, 0);
    const steep_choice choice = steep_choice_default(row);
    steep_error error;
    if (steep_network_init(network, row, &choice, dim, width, &error) < 0) experiment_die(e, &error, 1);
    double *theta = experiment_numbers(e, network->parameters);
    steep_random random = steep_random_start(1 + arch, width);
    for (size_t p = 0; p < network->parameters; p++) theta[p] = steep_random_normal(&random);
    for (size_t i = 0; i < width; i++) theta[network->output + i] /= (double)width;
    return theta;
}

/* Prints a row of the table: the number of boxes at each tolerance. */
static void print_row(const experiment *e, FILE *out, size_t d, size_t a, size_t width, size_t kind)
{
    steep_target *target = experiment_target(e, targets[d]);
    steep_network network;
    double *theta = draw_network(e, a, d + 1, width, &network);
    printf("%-4s %-4s %5zu  %-9s", dims[d], archs[a], width, kinds[kind].name);
    for (size_t k = 0; k < (size_t)(e->quick ? 2 : TOLERANCES); k++) {
        steep_certify_options options = steep_certify_options_default();
        steep_certified certified;
        steep_error error;
        options.what = kinds[kind].what;
        options.tolerance = tolerances[d][k];
        if (steep_certify(&network, theta, target, &options, &certified, &error) < 0) experiment_die(e, &error, 1);
        const steep_certificate *c = (const void *)((const char *)&certified + kinds[kind].place);
        printf(c->status == STEEP_OK ? " %9zu" : " %8zu*", c->boxes);
        fprintf(out, "%s,%s,%zu,%s,%g,%zu,%s\n", dims[d], archs[a], width, kinds[kind].name, tolerances[d][k], c->boxes,
                steep_status_name(c->status));
        fflush(out);
    }
    printf("\n");
    free(theta);
    steep_target_free(target);
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin(argc, argv, "boxes", "dim arch", "Boxes that certificates take, against tolerance and width.");
    FILE *out = experiment_open(&e, "boxes.csv", "dim,arch,width,what,tolerance,boxes,status");
    for (size_t d = 0; d < DIMS; d++) {
        if (!experiment_wants(&e, 0, dims[d])) continue;
        printf("%-4s %-4s %5s  %-9s", "dim", "arch", "width", "what");
        for (size_t k = 0; k < (size_t)(e.quick ? 2 : TOLERANCES); k++) printf(" %9.0e", tolerances[d][k]);
        printf("\n");
        for (size_t a = 0; a < ARCHS; a++) {
            if (!experiment_wants(&e, 1, archs[a])) continue;
            for (size_t w = 0; w < (size_t)(e.quick ? 1 : WIDTHS); w++)
                for (size_t kind = 0; kind < KINDS; kind++) print_row(&e, out, d, a, widths[w], kind);
        }
    }
    experiment_found(&e);
    experiment_close(&e, out, "boxes.csv");
    experiment_draw(&e, "boxes");
    return 0;
}
