/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>

#include "floors.h"
#include "numerics/sort.h"
#include "opened.h"
#include "units.h"

/* Input m of unit i, if it is no moment: a sum of parameters times features of x. */
static double sum_input(const steep_network *network, const double *theta, const double *x, size_t i, size_t m)
{
    const steep_counts *counts = &network->counts;
    const size_t own = counts->branches + counts->scalars, all = own + counts->shared_maps;
    double feature[2048], sum;
    size_t first, count = 1;
    feature[0] = 1;
    if (m < counts->branches) {
        count = network->features[m];
        first = network->branch[m] + i * count;
        steep_map_evaluate(counts->map[m], network->dim, x, feature);
    } else if (m < own) {
        first = network->scalars + i * counts->scalars + m - counts->branches;
    } else if (m < all) {
        count = network->dim + 1;
        first = network->shared_maps + (m - own) * count;
        steep_map_evaluate(STEEP_MAP_AFFINE, network->dim, x, feature);
    } else first = network->shared_scalars + m - all;
    sum = theta[first] * feature[0];
    for (size_t f = 1; f < count; f++) sum += theta[first + f] * feature[f];
    return sum;
}

/* Moment r of the layer, a mean or a sum over the first branches of all units. */
static double moment_input(const steep_network *network, const double *theta, const double *x, size_t r)
{
    double m[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS], sum = 0;
    for (size_t i = 0; i < network->width; i++) {
        network->architecture->moment(&network->choice, sum_input(network, theta, x, i, 0), m, d1, d2);
        sum += m[r];
    }
    return sum / (network->counts.summed ? 1 : (double)network->width);
}

/* y by the definition: point by point, no tiles, nothing skipped. */
static double plain_value(const steep_network *network, const double *theta, const double *x)
{
    const size_t direct = network->inputs - network->counts.moments;
    double y = theta[network->bias], h, u[STEEP_MAX_INPUTS];
    for (size_t i = 0; i < network->width; i++) {
        for (size_t m = 0; m < network->inputs; m++)
            u[m] = m < direct ? sum_input(network, theta, x, i, m) : moment_input(network, theta, x, m - direct);
        steep_architecture_unit(network->architecture, &network->choice, u, 0, &h, NULL, NULL);
        y += theta[network->output + i] * h;
    }
    return y;
}

static bool alike(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The network's values, and sums of its units' values, equal the plain formula's, bit for bit. */
static void compare_plain(const steep_network *network, const double *theta, size_t count, const double *x)
{
    SCOPED(release_memory) double *y = malloc(count * sizeof *y), *h = malloc(count * network->width * sizeof *h);
    double point[64];
    ck_assert_int_eq(steep_network_values(network, theta, count, x, y), STEEP_OK);
    ck_assert_int_eq(steep_network_units(network, theta, count, x, h), STEEP_OK);
    for (size_t k = 0; k < count; k++) {
        double sum = theta[network->bias];
        for (size_t j = 0; j < network->dim; j++) point[j] = x[j * count + k];
        for (size_t i = 0; i < network->width; i++) sum += theta[network->output + i] * h[k + i * count];
        const double plain = plain_value(network, theta, point);
        ck_assert_msg(alike(y[k], plain) && alike(sum, plain),
                      "%s, activation %d, dim %zu, point %zu: %.17g, by the units %.17g, by the plain formula %.17g",
                      network->architecture->name, network->choice.activation, network->dim, k, y[k], sum, plain);
    }
}

/* Checks that parameters and points which are not finite, or huge, reach the values, even where all units are closed:
 * only exact zeros are skipped. */
static void compare_hidden(const steep_network *network, double *theta, size_t count, double *x, steep_random *random)
{
    static const double bad[] = {NAN, INFINITY, 1e300, -1e300, 1e60};
    const size_t gates = network->features[0], P = network->parameters;
    for (size_t i = 0; i < network->width; i++) theta[network->branch[0] + (i + 1) * gates - 1] = -3;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        double *const place[] = {
            theta + chance_below(random, P),
            x + (chance_below(random, 2) ? count - 1 : chance_below(random, count * network->dim))};
        for (size_t k = 0; k < 2; k++) {
            const double kept = *place[k];
            *place[k] = bad[b];
            compare_plain(network, theta, count, x);
            *place[k] = kept;
        }
    }
    for (size_t p = 0; p < P; p++) theta[p] = (p + 1) % gates ? 1e49 : -3e60; /* 0 times an infinite product */
    compare_plain(network, theta, count, x);
}

/* Blocks in their order, without gaps: P = n (sum of features + E + 1) + S (dim + 1) + A + 1. */
static void check_layout(const steep_network *n)
{
    size_t next = 0;
    for (size_t b = 0; b < n->counts.branches; next += n->width * n->features[b++]) ck_assert(n->branch[b] == next);
    ck_assert_uint_eq(n->scalars, next);
    ck_assert_uint_eq(n->shared_maps, next += n->width * n->counts.scalars);
    ck_assert_uint_eq(n->shared_scalars, next += n->counts.shared_maps * (n->dim + 1));
    ck_assert_uint_eq(n->output, next += n->counts.shared_scalars);
    ck_assert(n->bias == next + n->width && n->parameters == n->bias + 1);
}

/* Values have the bits of the plain formula, for all tiles and skipped stretches: every row and choice, sorted and
 * unsorted points, dim 1 to 3; and every row in many dimensions. */
START_RANDOM_TEST(values_are_the_plain_formula, 5)
{
    enum { POINTS = 257, FEW = 60, WIDTH = 5, MOST_DIM = 60 };
    static double x[MOST_DIM * POINTS], theta[10000];
    const steep_architecture *row;
    steep_choice choice;
    for (size_t c = 0; next_unit(&c, &row, &choice);)
        for (size_t trial = 0; trial < chance_cases(1); trial++) {
            const size_t dim = 1 + (c + trial) % 3;
            const steep_network network = layout_of(row, &choice, dim, WIDTH);
            check_layout(&network);
            chance_fill(&random, -1, 1, network.parameters, theta);
            chance_fill(&random, -1, 1, 3 * POINTS, x);
            compare_plain(&network, theta, FEW, x);
            steep_sort_numbers(x, POINTS);
            compare_plain(&network, theta, POINTS, x);
            theta[network.output] = 0.0; /* exact zeros and ties */
            theta[network.branch[0]] = 0.0;
            theta[network.bias] = 0.0;
            compare_plain(&network, theta, 1, x);
            compare_plain(&network, theta, FEW, x);
            compare_hidden(&network, theta, POINTS, x, &random);
        }
    for (size_t i = 0; (row = steep_architecture_table(i)); i++)
        for (size_t dim = 9; dim <= MOST_DIM; dim += 17) {
            const steep_network network = layout_of(row, NULL, dim, WIDTH);
            ck_assert_uint_le(network.parameters, sizeof theta / sizeof *theta);
            chance_fill(&random, -1, 1, network.parameters, theta);
            chance_fill(&random, -1, 1, dim * FEW, x);
            compare_plain(&network, theta, FEW, x);
        }
}

/* A unit from outside of the library: blend, by its point function. */
static void mine(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    steep_architecture_unit(steep_architecture_find("blend", NULL, 0), choice, u, order, h, g, H);
}

/* Its network has the values and derivatives of the library's own, to the bit. */
START_RANDOM_TEST(a_unit_from_outside, 2)
{
    enum { N = 9, MOST = 60 };
    const steep_architecture *blend = steep_architecture_find("blend", NULL, 0);
    const steep_architecture row = {.name = "mine", .counts = blend->counts, .unit = mine}, *extra[] = {&row};
    const steep_network own = layout_of(&row, NULL, 2, 3), library = layout_of(blend, NULL, 2, 3);
    double theta[MOST], x[2 * N], y[2][N], J[2][N * MOST] = {{0}}, H[2][MOST * MOST] = {{0}};
    ck_assert_ptr_eq(steep_architecture_find("mine", extra, 1), &row);
    ck_assert_ptr_null(steep_architecture_find("mine", NULL, 0));
    ck_assert_uint_le(own.parameters, MOST);
    chance_fill(&random, -1, 1, MOST, theta);
    chance_fill(&random, -1, 1, 2 * N, x);
    for (int l = 0; l < 2; l++) {
        ck_assert_int_eq(steep_network_jacobian(l ? &library : &own, theta, N, x, y[l], J[l], N), STEEP_OK);
        ck_assert_int_eq(steep_network_curvature(l ? &library : &own, theta, N, x, x, H[l]), STEEP_OK);
    }
    ck_assert(!memcmp(y[0], y[1], sizeof *y) && !memcmp(J[0], J[1], sizeof *J) && !memcmp(H[0], H[1], sizeof *H));
}

/* prelu-own: branches (1, 2 | 3), (4, 5 | 6), slopes 0.5, -2 for z < 0, outputs 1, -1, bias 0.25, in this order. */
START_TEST(parameters_in_their_order)
{
    const steep_network network = network_of("prelu-own", NULL, 2, 2);
    const double theta[] = {1, 2, 3, 4, 5, 6, 0.5, -2, 1, -1, 0.25}, x[] = {-5, 1, 0, -3}; /* (-5, 0), (1, -3) */
    double y[2];
    ck_assert_uint_eq(network.parameters, sizeof theta / sizeof *theta);
    ck_assert_int_eq(steep_network_values(&network, theta, 2, x, y), STEEP_OK);
    ck_assert(y[0] == 0.25 + 0.5 * -2 - -2 * -14);
    ck_assert(y[1] == 0.25 + 0.5 * -2 - -2 * -5);
}

/* A layout of this choice, width and dimension is made, or refused. */
START_TEST(what_init_refuses)
{
    const size_t most = (size_t)1 << 26;
    const steep_choice relu = {.activation = STEEP_RELU};
    const struct {
        const char *name;
        size_t dim, width;
        steep_choice choice;
        bool made;
    } cases[] = {{"mlp", 1, 0, relu, false},
                 {"mlp", 0, 1, relu, false},
                 {"mlp", 10, 1, relu, true}, /* no cap but that of P */
                 {"mlp", most - 3, 1, relu, true},
                 {"mlp", most - 2, 1, relu, false},
                 {"mlp", SIZE_MAX, 1, relu, false},
                 {"mlp", most, most, relu, false},
                 {"mlp", 1, SIZE_MAX, relu, false},
                 {"mlp", 1, most, relu, false},
                 {"mlp", 1, most / 3, relu, true},
                 {"mlp", 1, 1, {.activation = STEEP_SOFTMAX}, false},
                 {"moa", 1, 1, {.gate = STEEP_TANH, .terms = 1}, true},
                 {"moa", 1, 1, {.gate = STEEP_RELU, .terms = 1}, false},
                 {"moa", 1, 1, {.gate = STEEP_TANH, .terms = STEEP_MAX_TERMS + 1}, false},
                 {"moa", 1, 1, {.gate = STEEP_TANH, .terms = 0}, false},
                 {"moa", 1, 1, {.gate = STEEP_TANH, .terms = 2, .dictionary = {STEEP_RELU, STEEP_SOFTMAX}}, false},
                 {"hermite", 1, 1, {.degree = 0}, false},
                 {"hermite", 1, 1, {.degree = 38}, true},
                 {"hermite", 1, 1, {.degree = 39}, false},
                 {"bspline", 1, 1, {.degree = STEEP_MAX_INPUTS - 1}, true},
                 {"bspline", 1, 1, {.degree = STEEP_MAX_INPUTS}, false},
                 {"kan", 1, 1, {.degree = STEEP_MAX_INPUTS}, false},
                 {"polynorm", 1, 1, {.degree = STEEP_MAX_MOMENTS + 1}, false},
                 {"polynorm", 1, 1, {.degree = INT_MAX}, false},
                 {"glu", 1, 3, {.depth = STEEP_MAX_LAYERS}, true},
                 {"glu", 1, 3, {.depth = STEEP_MAX_LAYERS + 1}, false},
                 {"glu", 1, 3, {.depth = 3, .hidden = {0, 1 << 27}}, false},
                 {"glu", 1, 3, {.depth = 3, .hidden = {1 << 14, 1 << 14}}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_network network;
        steep_error error = {""};
        const steep_architecture *row = steep_architecture_find(cases[i].name, NULL, 0);
        check_says(steep_network_init(&network, row, &cases[i].choice, cases[i].dim, cases[i].width, &error),
                   cases[i].made ? STEEP_OK : STEEP_BAD_INPUT, "");
        ck_assert((error.text[0] == '\0') == cases[i].made);
        if (cases[i].choice.activation == STEEP_SOFTMAX) ck_assert_ptr_nonnull(strstr(error.text, "mlp"));
    }
}

START_TEST(no_points_are_no_work)
{
    const steep_network network = network_of("glu", NULL, 1, 9);
    const double theta[100] = {0}, x[1] = {0};
    double y[1], J[100];
    ck_assert_int_eq(steep_network_values(&network, theta, 0, x, y), STEEP_OK);
    ck_assert_int_eq(steep_network_jacobian(&network, theta, 0, x, y, J, 1), STEEP_OK);
    ck_assert(isnan(floor_of(&network, theta, 0, x)));
}
