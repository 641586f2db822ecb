/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gates: the GLU paper's figure 6: relu(G_i x + g_i) for the gates of each start, width 8, for mlp and glu,
 * whose head (the polynomial on the first cell) one gate open on the whole domain can carry, and for gqu, which needs
 * more of them. Equidistributed gates are those for cosine_well. */
#include "experiment.h"

#define TARGET "cosine_well"
enum { WIDTH = 8, POINTS = 401 };

static const char *const arch[] = {"glu", "gqu"};

/* The start's gates as a network of that architecture has them. */
static steep_network make_network(const experiment *e, const char *name, steep_piecewise *piecewise)
{
    steep_network network;
    steep_error error;
    const steep_architecture *row = steep_architecture_find(name, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    if (steep_network_init(&network, row, &choice, 1, WIDTH, &error) < 0) experiment_die(e, &error, 1);
    row->piecewise(&choice, piecewise);
    return network;
}

static void start_gates(const experiment *e, const char *name, steep_start_kind kind, const steep_target *target,
                        double *theta, steep_network *network)
{
    steep_error error;
    steep_piecewise piecewise;
    *network = make_network(e, name, &piecewise);
    size_t heads = piecewise.heads ? piecewise.heads : 1, cells = WIDTH - heads + 1;
    double knot[WIDTH + 2];
    if (kind == STEEP_START_EQUIDISTRIBUTED &&
        steep_knots_equidistributed(target, piecewise.degree + 1, cells, knot, &error) < 0)
        experiment_die(e, &error, 1);
    if (steep_start(network,
                    &(steep_start_options){.kind = kind,
                                           .low = target->low,
                                           .high = target->high,
                                           .interior = kind == STEEP_START_EQUIDISTRIBUTED ? knot + 1 : NULL,
                                           .seed = 0},
                    theta, &error) < 0)
        experiment_die(e, &error, 1);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "gates", "results/gates", "The gates of each start, width 8.");
    steep_target *target = experiment_target(&e, TARGET);
    double theta[256];
    steep_network network;
    FILE *out = experiment_open(&e, "gates.csv");
    fprintf(out, "arch,start,x");
    for (int i = 1; i <= WIDTH; i++) fprintf(out, ",gate%d", i);
    fprintf(out, "\n");
    printf("where the gates stand, and which way they open (> to the right, < to the left)\n");
    for (size_t a = 0; a < 2; a++)
        for (size_t s = 0; steep_start_names(s); s++) {
            start_gates(&e, arch[a], (steep_start_kind)s, target, theta, &network);
            printf("%-4s %-16s", arch[a], steep_start_names(s));
            for (size_t i = 0; i < WIDTH; i++) {
                const double *gate = theta + network.branch[0] + 2 * i;
                printf(" %7.3f%c", -gate[1] / gate[0], gate[0] > 0 ? '>' : '<');
            }
            printf("\n");
            for (size_t k = 0; k < POINTS; k++) {
                double x = target->low[0] + (target->high[0] - target->low[0]) * (double)k / (POINTS - 1);
                fprintf(out, "%s,%s,%.17g", arch[a], steep_start_names(s), x);
                for (size_t i = 0; i < WIDTH; i++) {
                    const double *gate = theta + network.branch[0] + 2 * i;
                    fprintf(out, ",%.9g", fmax(gate[0] * x + gate[1], 0));
                }
                fprintf(out, "\n");
            }
        }
    experiment_close(&e, out, "gates.csv");
    steep_target_free(target);
    experiment_draw(&e, "gates");
    return 0;
}
