/* SPDX-License-Identifier: GPL-3.0-or-later */
/* surfaces: the GLU paper's figures 1, 7, 8 and 9: what networks with random parameters look like in two dimensions,
 * width 4: their surfaces with the hinges, the lines on which a gate opens (surfaces: figure 1, with a GLU's units in
 * one dimension; hinges: figure 7, with GQU beside MLP and GLU), and what each unit adds (neurons: figures 8 and 9).
 * The parameters are those of start random, of the first seed whose hinges all pass near the centre. The table holds
 * what the figures show: off its hinges a network is a polynomial of degree 1, 2, 3, so that differences of the next
 * order vanish on lines within a cell, and those of its own order do not. */
#include <float.h>

#include "experiment.h"

enum { WIDTH = 4, ARCHS = 3, LINE = 121, ORDER = 4 };
static const char *const archs[ARCHS] = {"mlp", "glu", "gqu"};
static const size_t first_seed[] = {0, 100}; /* of surfaces, of hinges and neurons */

typedef struct drawn {
    steep_network network;
    double theta[256];
    size_t seed;
} drawn;

/* How far the hinge of unit i is from the centre. */
static double distance(const drawn *n, size_t i)
{
    const double *gate = n->theta + steep_network_gate(&n->network, i);
    return n->network.dim == 1 ? fabs(gate[1] / gate[0]) : fabs(gate[2]) / hypot(gate[0], gate[1]);
}

static bool near_centre(const drawn *n)
{
    double farthest = 0, nearest = INFINITY;
    for (size_t i = 0; i < WIDTH; i++) {
        farthest = fmax(farthest, distance(n, i));
        nearest = fmin(nearest, distance(n, i));
    }
    return farthest < 0.5 && nearest > 0.05;
}

static drawn draw_network(const experiment *e, const char *arch, size_t dim, size_t seed)
{
    drawn n;
    steep_error error;
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    const steep_choice choice = steep_choice_default(row);
    const double low[] = {-1, -1}, high[] = {1, 1};
    if (steep_network_init(&n.network, row, &choice, dim, WIDTH, &error) < 0) experiment_die(e, &error, 1);
    for (n.seed = seed;; n.seed++) {
        const steep_start_options options = {.kind = STEEP_START_RANDOM, .low = low, .high = high, .seed = n.seed};
        if (steep_start(&n.network, &options, n.theta, &error) < 0) experiment_die(e, &error, 1);
        if (near_centre(&n)) return n;
    }
}

/* A file of the network and its units at points, an empty line after so many. */
static void put_points(const experiment *e, const drawn *n, const char *name, size_t count, const double *x,
                       size_t line)
{
    double *y = experiment_numbers(e, (1 + WIDTH) * count), *units = y + count;
    const size_t dim = n->network.dim;
    FILE *out = experiment_open(
        e, name, dim == 1 ? "x,network,unit1,unit2,unit3,unit4" : "x1,x2,network,unit1,unit2,unit3,unit4");
    steep_network_values(&n->network, n->theta, count, x, y);
    steep_network_units(&n->network, n->theta, count, x, units);
    for (size_t k = 0; k < count; k++) {
        if (k > 0 && k % line == 0) fputc('\n', out);
        for (size_t j = 0; j < dim; j++) fprintf(out, "%.7g,", x[j * count + k]);
        fprintf(out, "%.7g", y[k]);
        for (size_t i = 0; i < WIDTH; i++)
            fprintf(out, ",%.7g", n->theta[n->network.output + i] * units[i * count + k]);
        fputc('\n', out);
    }
    experiment_close(e, out, name);
    free(y);
}

/* The surface on a grid, lines apart; in one dimension the line. */
static void put_surface(const experiment *e, const drawn *n, const char *name, size_t side)
{
    const size_t count = n->network.dim == 1 ? side : side * side;
    double *x = experiment_numbers(e, 2 * count);
    for (size_t k = 0; k < count; k++) {
        const size_t row = k / side;
        x[k] = -1 + 2 * (double)(k % side) / (double)(side - 1);
        if (n->network.dim == 2) x[count + k] = -1 + 2 * (double)row / (double)(side - 1);
    }
    put_points(e, n, name, count, x, side);
    free(x);
}

/* The hinges on the surface, a line a unit; those of neighbours apart. */
static void put_hinges(const experiment *e, const drawn *n, const char *name)
{
    double x[2 * WIDTH * LINE], y[WIDTH * LINE];
    size_t length[WIDTH] = {0}, count = 0;
    FILE *out = experiment_open(e, name, "unit,x1,x2,network");
    for (size_t i = 0; i < WIDTH; i++)
        for (size_t k = 0; k < 8 * LINE && length[i] < LINE; k += 4) {
            const double *g = n->theta + steep_network_gate(&n->network, i), size = hypot(g[0], g[1]),
                         t = 3 * (2 * (double)k / (8 * LINE - 1) - 1);
            const double at[] = {-g[2] / size * g[0] / size - t * g[1] / size,
                                 -g[2] / size * g[1] / size + t * g[0] / size};
            if (fabs(at[0]) > 1 || fabs(at[1]) > 1) continue;
            x[count] = at[0], x[WIDTH * LINE + count] = at[1];
            length[i]++, count++;
        }
    memmove(x + count, x + WIDTH * LINE, count * sizeof *x);
    steep_network_values(&n->network, n->theta, count, x, y);
    for (size_t i = 0, k = 0; i < WIDTH; i++) {
        if (i > 0) fputc('\n', out);
        for (size_t m = 0; m < length[i]; m++, k++)
            fprintf(out, "%zu,%.7g,%.7g,%.7g\n", i + 1, x[k], x[count + k], y[k]);
    }
    experiment_close(e, out, name);
}

/* Which gates are open at a point, a bit each. */
static unsigned open_at(const drawn *n, const double *x)
{
    unsigned open = 0;
    for (size_t i = 0; i < WIDTH; i++) {
        const double *g = n->theta + steep_network_gate(&n->network, i);
        if (g[0] * x[0] + g[1] * x[1] + g[2] > 0) open |= 1u << i;
    }
    return open;
}

/* The largest difference of each order on short lines in random directions that stay in a cell, over step^order; 0 for
 * one that rounding explains: a difference of order k adds 2^k times the error of a value. */
static void measure(const drawn *n, double difference[ORDER + 1], unsigned *cells)
{
    enum { TRIES = 4000 };
    const double step = 0.04;
    steep_random random = steep_random_start(n->seed, STEEP_STREAM_TEST);
    double x[2 * (ORDER + 1)], y[ORDER + 1];
    unsigned seen = 0;
    for (size_t k = 0; k <= ORDER; k++) difference[k] = 0;
    for (size_t t = 0; t < TRIES; t++) {
        const double from[] = {2 * steep_random_uniform(&random) - 1, 2 * steep_random_uniform(&random) - 1},
                     turn = 2 * acos(-1) * steep_random_uniform(&random);
        bool inside = true;
        for (size_t k = 0; k <= ORDER; k++) {
            const double at[] = {from[0] + step * (double)k * cos(turn), from[1] + step * (double)k * sin(turn)};
            inside = inside && open_at(n, at) == open_at(n, from);
            x[k] = at[0], x[ORDER + 1 + k] = at[1];
        }
        seen |= 1u << open_at(n, from);
        if (!inside) continue;
        steep_network_values(&n->network, n->theta, ORDER + 1, x, y);
        for (size_t order = 1; order <= ORDER; order++) {
            for (size_t k = 0; k + order <= ORDER; k++) y[k] = (y[k + 1] - y[k]) / step;
            difference[order] = fmax(difference[order], fabs(y[0]));
        }
    }
    for (size_t order = 1; order <= ORDER; order++)
        if (difference[order] < 64 * DBL_EPSILON * pow(2 / step, (double)order)) difference[order] = 0;
    for (*cells = 0; seen; seen >>= 1) *cells += seen & 1;
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "surfaces", "figure arch",
                                         "Surfaces, hinges and units of random networks in two dimensions.");
    bool any = false;
    const size_t side = e.quick ? 31 : 61;
    char name[64];
    printf("%-9s %-4s %5s %6s   largest difference of order 1 to 4 within a cell\n", "figure", "arch", "seed", "cells");
    for (size_t f = 0; f < 2; f++)
        for (size_t a = 0; a < ARCHS; a++) {
            const drawn n = draw_network(&e, archs[a], 2, first_seed[f]);
            double difference[ORDER + 1];
            unsigned cells;
            if (!experiment_wants(&e, 0, f ? "hinges" : "surfaces") || !experiment_wants(&e, 1, archs[a])) continue;
            any = true;
            measure(&n, difference, &cells);
            printf("%-9s %-4s %5zu %6u  ", f ? "hinges" : "surfaces", archs[a], n.seed, cells);
            for (size_t order = 1; order <= ORDER; order++) printf(" %8.1e", difference[order]);
            printf("\n");
            snprintf(name, sizeof name, "%s-%s.csv", f ? "hinges" : "surface", archs[a]);
            put_surface(&e, &n, name, side);
            snprintf(name, sizeof name, "%s-%s-lines.csv", f ? "hinges" : "surface", archs[a]);
            put_hinges(&e, &n, name);
        }
    experiment_found(&e, any);
    const drawn line = draw_network(&e, "glu", 1, 0);
    put_surface(&e, &line, "units.csv", LINE);
    experiment_draw(&e, "surfaces");
    experiment_draw(&e, "hinges");
    experiment_draw(&e, "neurons");
    return 0;
}
