/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/network.h"
#include "opened.h"

#include <limits.h>
#include <string.h>

#include "formula/formula.h"
#include "floors.h"
#include "units.h"

/* A failing allocation: malloc or calloc fails once the countdown reaches 0. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define FAULTS 1
static long countdown = -1;
void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
    if (countdown >= 0 && countdown-- == 0) return NULL;
    return __libc_malloc(size);
}
void *__libc_calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size)
{
    if (countdown >= 0 && countdown-- == 0) return NULL;
    return __libc_calloc(count, size);
}
#else
#define FAULTS 0
#endif

static void open_network(steep_network *network, const char *name, const steep_choice *choice, size_t dim, size_t width)
{
    steep_error error;
    steep_status status =
        steep_network_init(network, steep_architecture_find(name, NULL, 0), choice, dim, width, &error);
    ck_assert_msg(status == STEEP_OK, "%s: %s", name, error.text);
}

static void draw_all(steep_random *random, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++) values[i] = chance_within(random, -1.0, 1.0);
}

/* y by the definition: point by point, no tiles, nothing skipped. */
static double plain_value(const steep_network *network, const double *theta, const double *x)
{
    const steep_counts *counts = &network->counts;
    double y = theta[network->bias], u[STEEP_MAX_INPUTS], phi[2048], q[STEEP_MAX_MOMENTS] = {0};
    size_t d = network->dim, n = network->width;
    for (int pass = counts->moments ? 0 : 1; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            size_t m = 0;
            for (size_t b = 0; b < counts->branches; b++, m++) {
                steep_map_evaluate(counts->map[b], d, x, phi);
                u[m] = theta[network->branch[b] + i * network->features[b]] * phi[0];
                for (size_t f = 1; f < network->features[b]; f++)
                    u[m] += theta[network->branch[b] + i * network->features[b] + f] * phi[f];
            }
            for (size_t e = 0; e < counts->scalars; e++) u[m++] = theta[network->scalars + i * counts->scalars + e];
            for (size_t s = 0; s < counts->shared_maps; s++, m++) {
                const double *w = theta + network->shared_maps + s * (d + 1);
                u[m] = w[0] * x[0];
                for (size_t j = 1; j < d; j++) u[m] += w[j] * x[j];
                u[m] += w[d];
            }
            for (size_t a = 0; a < counts->shared_scalars; a++) u[m++] = theta[network->shared_scalars + a];
            double h, moment[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
            if (pass == 0) {
                network->architecture->moment(&network->choice, u[0], moment, d1, d2);
                for (size_t r = 0; r < counts->moments; r++) q[r] += moment[r];
                continue;
            }
            for (size_t r = 0; r < counts->moments; r++) u[m++] = counts->summed ? q[r] : q[r] / (double)n;
            steep_architecture_unit(network->architecture, &network->choice, u, 0, &h, NULL, NULL);
            y += theta[network->output + i] * h;
        }
    return y;
}

static void compare_plain(const steep_network *network, const double *theta, size_t count, const double *x)
{
    double *y = malloc(count * sizeof *y), point[64];
    ck_assert_int_eq(steep_network_values(network, theta, count, x, y), STEEP_OK);
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < network->dim; j++) point[j] = x[j * count + k];
        double plain = plain_value(network, theta, point);
        ck_assert_msg(y[k] == plain || (isnan(y[k]) && isnan(plain)),
                      "%s, activation %d, dim %zu, point %zu: %.17g, by the plain formula %.17g",
                      network->architecture->name, network->choice.activation, network->dim, k, y[k], plain);
    }
    free(y);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Tiles, skipped stretches and instruction sets change no bit: every row and choice, sorted and unsorted points, dim 1
 * to 3. */
START_TEST(values_are_the_plain_formula)
{
    enum { POINTS = 300, WIDTH = 5 };
    static double x[3 * POINTS], theta[2000];
    steep_random random = chance_start(5);
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice;
        for (size_t index = 0; next_choice(row, index, &choice); index++)
            for (size_t trial = 0; trial < chance_cases(1); trial++) {
                size_t dim = 1 + (index + i + trial) % 3;
                steep_network network;
                open_network(&network, row->name, &choice, dim, WIDTH);
                ck_assert_uint_le(network.parameters, 2000);
                draw_all(&random, network.parameters, theta);
                draw_all(&random, 3 * POINTS, x);
                compare_plain(&network, theta, POINTS - 100 * (dim - 1), x);
                qsort(x, POINTS, sizeof *x, ascending);
                compare_plain(&network, theta, POINTS, x);
                theta[network.output] = 0.0; /* exact zeros and ties */
                theta[network.branch[0]] = 0.0;
                theta[network.bias] = 0.0;
                compare_plain(&network, theta, 1, x);
                compare_plain(&network, theta, 257, x);
            }
    }
}
END_TEST

/* The same in many dimensions, of every row; and the columns of squares alone where no map needs more. */
START_TEST(values_in_many_dimensions)
{
    enum { POINTS = 100, WIDTH = 3, MOST_DIM = 60 };
    static double x[MOST_DIM * POINTS];
    steep_random random = chance_start(31);
    for (size_t i = 0; steep_architecture_table(i); i++)
        for (size_t dim = 9; dim <= MOST_DIM; dim += 17) {
            steep_network network;
            open_network(&network, steep_architecture_table(i)->name, NULL, dim, WIDTH);
            SCOPED(release_memory) double *theta = malloc(network.parameters * sizeof *theta);
            draw_all(&random, network.parameters, theta);
            draw_all(&random, dim * POINTS, x);
            compare_plain(&network, theta, POINTS, x);
        }
}
END_TEST

/* Parameters and points that are not finite, or huge, reach the values: nothing that is not 0 is skipped. */
START_TEST(nothing_is_hidden)
{
    steep_random random = chance_start(3);
    for (size_t again = chance_cases(1); again > 0; again--) {
        enum { POINTS = 300 };
        static double x[POINTS];
        const double bad[] = {NAN, INFINITY, 1e300, -1e300, 1e60};
        const char *const names[] = {"gqu2b", "gated5", "gqu2d"};
        for (size_t i = 0; i < 3; i++) {
            steep_network network;
            double theta[32];
            open_network(&network, names[i], NULL, 1, 2);
            ck_assert_uint_le(network.parameters, 32);
            for (size_t p = 0; p < network.parameters; p++)
                for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                    draw_all(&random, network.parameters, theta);
                    theta[1] = theta[3] = -3.0; /* both units are closed everywhere */
                    for (size_t k = 0; k < POINTS; k++) x[k] = -1.0 + (double)k / 150.0;
                    double kept = theta[p];
                    theta[p] = bad[b];
                    compare_plain(&network, theta, POINTS, x);
                    theta[p] = kept;
                    x[p % 2 ? POINTS / 2 : POINTS - 2] = bad[b]; /* among eights, and in the rest behind them */
                    compare_plain(&network, theta, POINTS, x);
                }
            for (size_t p = 0; p < network.parameters; p++)
                theta[p] = p == 1 ? -3e60 : 1e49; /* 0 times an infinite product */
            compare_plain(&network, theta, POINTS, x);
        }
    }
}
END_TEST

/* A scalar function of the parameters for the differences: y or a Jacobian's weighted column sum at fixed points. */
typedef struct sweep {
    const steep_network *network;
    double *theta, *x, *v, *J;
    size_t count, along, point, column;
    bool second;
} sweep;

static double probe_network(void *context, double t)
{
    sweep *s = context;
    double kept = s->theta[s->along], result = 0.0;
    s->theta[s->along] = kept + t;
    if (s->second) {
        ck_assert_int_eq(steep_network_jacobian(s->network, s->theta, s->count, s->x, NULL, s->J, s->count), STEEP_OK);
        for (size_t k = 0; k < s->count; k++) result += s->v[k] * s->J[k + s->column * s->count];
    } else {
        double point[64];
        for (size_t j = 0; j < s->network->dim; j++) point[j] = s->x[j * s->count + s->point];
        result = plain_value(s->network, s->theta, point);
    }
    s->theta[s->along] = kept;
    return result;
}

/* Whether a unit whose largest term counts has the same largest term at u and at steps of 0.06 from there. */
static bool same_term(const steep_architecture *row, const steep_choice *choice, int m, const double *u)
{
    double h, g[2][STEEP_MAX_INPUTS], H[2][STEEP_MAX_PAIRS], v[STEEP_MAX_INPUTS];
    if (strncmp(row->name, "tropical", 8)) return true;
    steep_architecture_unit(row, choice, u, 2, &h, g[0], H[0]);
    for (int i = 0; i < 2 * m; i++) {
        memcpy(v, u, (size_t)m * sizeof *v);
        v[i / 2] += i % 2 ? 0.06 : -0.06;
        steep_architecture_unit(row, choice, v, 2, &h, g[1], H[1]);
        if (memcmp(H[0], H[1], (size_t)(m * (m + 1) / 2) * sizeof **H)) return false;
        for (int j = 1; j < m; j++) /* derivatives in the coefficients are 0 or not */
            if ((g[0][j] == 0.0) != (g[1][j] == 0.0)) return false;
    }
    return true;
}

/* same_term for all units of a network whose only branch is affine, at point k of x. */
static bool same_terms(const steep_network *network, const double *theta, size_t count, const double *x, size_t k)
{
    const steep_counts *counts = &network->counts;
    if (strncmp(network->architecture->name, "tropical", 8)) return true;
    for (size_t i = 0; i < network->width; i++) {
        double u[STEEP_MAX_INPUTS];
        const double *w = theta + network->branch[0] + i * (network->dim + 1);
        u[0] = w[network->dim];
        for (size_t j = 0; j < network->dim; j++) u[0] += w[j] * x[j * count + k];
        for (size_t e = 0; e < counts->scalars; e++) u[1 + e] = theta[network->scalars + i * counts->scalars + e];
        for (size_t a = 0; a < counts->shared_scalars; a++)
            u[1 + counts->scalars + a] = theta[network->shared_scalars + a];
        if (!same_term(network->architecture, &network->choice, (int)network->inputs, u)) return false;
    }
    return true;
}

/* Draws points at which every branch that goes through an activation is away from kinks, and where units are divided by
 * the layer's root mean square this is 1/2 at least; false if there are none. */
static bool draw_points(const steep_network *network, const double *theta, steep_random *random, size_t count,
                        double *x)
{
    size_t d = network->dim, B = network->counts.branches;
    for (size_t k = 0; k < count; k++) {
        bool near = true;
        for (int trial = 0; near && trial < 1000; trial++) {
            double square = 0;
            near = false;
            for (size_t j = 0; j < d; j++) x[j * count + k] = chance_within(random, -1.0, 1.0);
            for (size_t b = 0; b < B; b++)
                for (size_t i = 0; network->counts.map[b] == STEEP_MAP_AFFINE && i < network->width; i++) {
                    const double *w = theta + network->branch[b] + i * (d + 1);
                    double z = w[d];
                    for (size_t j = 0; j < d; j++) z += w[j] * x[j * count + k];
                    square += z * z / (double)network->width;
                    near = near || ((b == 0 || network->architecture->uses_dictionary) && near_kink(z, 0.06));
                }
            near = near || (network->counts.moments && square < 0.25);
            near = near || !same_terms(network, theta, count, x, k);
        }
        if (near) return false;
    }
    return true;
}

enum { FEW = 5 };

/* Steps of the differences. A root mean square of high powers has its complex zeros nearby. */
static double step_of(const steep_network *network)
{
    return network->counts.moments ? 0.01 : 0.04;
}

static void check_jacobian(sweep *s)
{
    const steep_network *network = s->network;
    double y[FEW], J[FEW * 400];
    ck_assert_int_eq(steep_network_jacobian(network, s->theta, FEW, s->x, y, J, FEW), STEEP_OK);
    s->second = false;
    for (s->point = 0; s->point < FEW; s->point++) {
        double point[64];
        for (size_t j = 0; j < network->dim; j++) point[j] = s->x[j * FEW + s->point];
        ck_assert(y[s->point] == plain_value(network, s->theta, point));
        for (s->along = 0; s->along < network->parameters; s->along++) {
            difference d = differentiate(probe_network, s, step_of(network));
            double entry = J[s->point + s->along * FEW];
            ck_assert_msg(fabs(entry - d.value) <= d.tolerance,
                          "%s, activation %d, gate %d, dim %zu: dy/dtheta_%zu = %.17g, by differences %.17g +- %.2g",
                          network->architecture->name, network->choice.activation, network->choice.gate, network->dim,
                          s->along, entry, d.value, d.tolerance);
        }
    }
}

/* All of H against differences of J'v, from one sweep of J per parameter and step. */
static void check_curvature(sweep *s)
{
    const steep_network *network = s->network;
    size_t P = network->parameters;
    SCOPED(release_memory) double *H = malloc(P * P * sizeof *H);
    for (size_t p = 0; p < P * P; p++) H[p] = 100.0; /* the curvature is added */
    ck_assert_int_eq(steep_network_curvature(network, s->theta, FEW, s->x, s->v, H), STEEP_OK);
    s->second = true;
    for (size_t p = 0; p < P; p++)
        for (size_t q = 0; q < P; q++) {
            if (p < q) {
                ck_assert(H[p + q * P] == 100.0);
                continue;
            }
            if (P > 40 && (p * 31 + q * 17) % 11 && q + 4 < P && p + 4 < P) continue; /* of large Hessians a tenth */
            s->along = p;
            s->column = q;
            difference d = differentiate(probe_network, s, step_of(network));
            ck_assert_msg(
                fabs(H[p + q * P] - 100.0 - d.value) <= d.tolerance + 100.0 * DBL_EPSILON,
                "%s, activation %d, gate %d, degree %d, dim %zu: H(%zu, %zu) = %.17g, by differences %.17g +- %.2g",
                network->architecture->name, network->choice.activation, network->choice.gate, network->choice.degree,
                network->dim, p, q, H[p + q * P] - 100.0, d.value, d.tolerance);
        }
}

static void check_derivatives(const steep_architecture *row)
{
    steep_random random = chance_start(2);
    steep_choice choice;
    for (size_t index = 0; next_choice(row, index, &choice); index++) {
        if (row->uses_dictionary && choice.terms > 5) continue; /* the same lines with more terms: test_unit has them */
        for (size_t trial = 0; trial < chance_cases(1); trial++) {
            size_t dim = 1 + (trial + index) % 2;
            static double theta[400], x[2 * FEW], J[FEW * 400];
            double v[FEW];
            const steep_network network = layout_of(row, &choice, dim, 3);
            ck_assert_uint_le(network.parameters, 400);
            do draw_all(&random, network.parameters, theta);
            while (!draw_points(&network, theta, &random, FEW, x));
            draw_all(&random, FEW, v);
            sweep s = {.network = &network, .theta = theta, .x = x, .v = v, .J = J, .count = FEW};
            check_jacobian(&s);
            check_curvature(&s);
        }
    }
}

START_TEST(derivatives_of_every_row)
{
    for (size_t i = 0; steep_architecture_table(i); i++) check_derivatives(steep_architecture_table(i));
}
END_TEST

/* A unit from outside of the library: a Gaussian bump with a width of its own, h = z_2 exp(-e z_1^2). */
static void bump(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    double z = u[0], U = u[1], e = u[2], E = exp(-e * z * z);
    *h = U * E;
    if (order >= 1) {
        g[0] = -2.0 * e * z * U * E;
        g[1] = E;
        g[2] = -z * z * U * E;
    }
    if (order >= 2) {
        H[0] = (4.0 * e * e * z * z - 2.0 * e) * U * E;
        H[1] = -2.0 * e * z * E;
        H[2] = 0.0;
        H[3] = (2.0 * e * z * z - 2.0) * z * U * E;
        H[4] = -z * z * E;
        H[5] = z * z * z * z * U * E;
    }
}

static void bump_counts(const steep_choice *choice, steep_counts *counts)
{
    (void)choice;
    steep_counts_set(counts, 2, 1, 0, 0, 0);
}

static const steep_architecture bump_row = {.name = "bump",
                                            .formula = "z_2 exp(-e z_1^2)",
                                            .source = "this test",
                                            .counts = bump_counts,
                                            .unit = bump,
                                            .role = {STEEP_ROLE_NONE, STEEP_ROLE_FACTOR}};

START_TEST(a_unit_from_outside)
{
    const steep_architecture *extra[] = {&bump_row};
    const steep_architecture *row = steep_architecture_find("bump", extra, 1);
    ck_assert_ptr_eq(row, &bump_row);
    ck_assert_ptr_null(steep_architecture_find("bump", NULL, 0));
    check_derivatives(row);
    steep_network network = layout_of(row, NULL, 1, 2);
    ck_assert_uint_eq(network.parameters, 2 * (2 + 2 + 1 + 1) + 1);
    /* branches (1, 0), (2, 1); (0, 3), (-1, 0.5); widths 0.5, 2; outputs 1, -1; bias 0.25 */
    const double theta[13] = {1, 0, 2, 1, 0, 3, -1, 0.5, 0.5, 2, 1, -1, 0.25}, x[1] = {0.4};
    double y;
    ck_assert_int_eq(steep_network_values(&network, theta, 1, x, &y), STEEP_OK);
    long double z1 = x[0], z2 = 2 * (long double)x[0] + 1;
    check_close(y, 0.25L + 3 * expl(-z1 * z1 / 2) - (0.5L - x[0]) * expl(-2 * z2 * z2), 16 * DBL_EPSILON);
}
END_TEST

/* Blocks lie one behind the other; P = n (sum of features + E + 1) + S (dim + 1) + A + 1. */
START_TEST(layout)
{
    static const struct {
        const char *name;
        size_t dim, parameters; /* width 10 */
    } cases[] = {{"mlp", 1, 31},
                 {"glu", 1, 51},
                 {"gqu", 1, 71},
                 {"gqu2d", 2, 101},
                 {"moa", 3, 51 + 24},
                 {"blend", 1, 71 + 10 + 1},
                 {"bi-moa", 3, 91 + 56},
                 {"blend-layer-plain", 2, 71 + 1},
                 {"hermite-own", 1, 31 + 40},
                 {"fourier-own", 2, 41 + 70},
                 {"tropical-rational-own", 2, 41 + 160},
                 {"prelu", 1, 31 + 1},
                 {"polyrelunorm", 1, 31 + 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_network n;
        open_network(&n, cases[i].name, NULL, cases[i].dim, 10);
        ck_assert_msg(n.parameters == cases[i].parameters, "%s in %zuD: P = %zu", cases[i].name, cases[i].dim,
                      n.parameters);
        size_t next = 0;
        for (size_t b = 0; b < n.counts.branches; b++) {
            ck_assert_uint_eq(n.branch[b], next);
            ck_assert_uint_eq(n.features[b], steep_map_features(n.counts.map[b], n.dim));
            next += 10 * n.features[b];
        }
        ck_assert_uint_eq(n.scalars, next);
        ck_assert_uint_eq(n.shared_maps, n.scalars + 10 * n.counts.scalars);
        ck_assert_uint_eq(n.shared_scalars, n.shared_maps + n.counts.shared_maps * (n.dim + 1));
        ck_assert_uint_eq(n.output, n.shared_scalars + n.counts.shared_scalars);
        ck_assert_uint_eq(n.bias, n.output + 10);
        ck_assert_uint_eq(n.parameters, n.bias + 1);
    }
}
END_TEST

START_TEST(what_init_refuses)
{
    steep_network network;
    steep_error error;
    const steep_architecture *mlp = steep_architecture_find("mlp", NULL, 0),
                             *moa = steep_architecture_find("moa", NULL, 0),
                             *hermite = steep_architecture_find("hermite", NULL, 0),
                             *polynorm = steep_architecture_find("polynorm", NULL, 0);
    steep_choice c = steep_choice_default(mlp);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, 1, 0, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, 0, 1, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, 10, 1, &error), STEEP_OK); /* no cap but that of P */
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, ((size_t)1 << 26) - 3, 1, &error), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, ((size_t)1 << 26) - 2, 1, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, SIZE_MAX, 1, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, (size_t)1 << 26, (size_t)1 << 26, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, 1, SIZE_MAX, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, 1, (size_t)1 << 26, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, 1, ((size_t)1 << 26) / 3, &error), STEEP_OK);
    c.activation = STEEP_SOFTMAX;
    ck_assert_int_eq(steep_network_init(&network, mlp, &c, 1, 1, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "mlp"));
    c = steep_choice_default(moa);
    c.gate = STEEP_RELU;
    ck_assert_int_eq(steep_network_init(&network, moa, &c, 1, 1, &error), STEEP_BAD_INPUT);
    c.gate = STEEP_TANH;
    c.terms = STEEP_MAX_TERMS + 1;
    ck_assert_int_eq(steep_network_init(&network, moa, &c, 1, 1, &error), STEEP_BAD_INPUT);
    c.terms = 0;
    ck_assert_int_eq(steep_network_init(&network, moa, &c, 1, 1, &error), STEEP_BAD_INPUT);
    c.terms = 2;
    c.dictionary[1] = STEEP_SOFTMAX;
    ck_assert_int_eq(steep_network_init(&network, moa, &c, 1, 1, &error), STEEP_BAD_INPUT);
    c = steep_choice_default(hermite);
    c.degree = 0;
    ck_assert_int_eq(steep_network_init(&network, hermite, &c, 1, 1, &error), STEEP_BAD_INPUT);
    c.degree = 38;
    ck_assert_int_eq(steep_network_init(&network, hermite, &c, 1, 1, &error), STEEP_OK);
    c.degree = 39;
    ck_assert_int_eq(steep_network_init(&network, hermite, &c, 1, 1, &error), STEEP_BAD_INPUT);
    c.degree = STEEP_MAX_MOMENTS + 1;
    ck_assert_int_eq(steep_network_init(&network, polynorm, &c, 1, 1, &error), STEEP_BAD_INPUT);
    c.degree = INT_MAX;
    ck_assert_int_eq(steep_network_init(&network, polynorm, &c, 1, 1, &error), STEEP_BAD_INPUT);
}
END_TEST

/* y = d + sum D h, bit for bit, from the units alone; no points is no work. */
START_TEST(units_make_the_value)
{
    steep_random random = chance_start(8);
    for (size_t again = chance_cases(1); again > 0; again--) {
        enum { POINTS = 500, WIDTH = 9 };
        static double x[POINTS], y[POINTS], h[WIDTH * POINTS], theta[200];
        steep_network network;
        open_network(&network, "glu", NULL, 1, WIDTH);
        draw_all(&random, network.parameters, theta);
        draw_all(&random, POINTS, x);
        ck_assert_int_eq(steep_network_units(&network, theta, POINTS, x, h), STEEP_OK);
        ck_assert_int_eq(steep_network_values(&network, theta, POINTS, x, y), STEEP_OK);
        for (size_t k = 0; k < POINTS; k++) {
            double sum = theta[network.bias];
            for (size_t i = 0; i < WIDTH; i++) sum += theta[network.output + i] * h[k + i * POINTS];
            ck_assert(sum == y[k]);
        }
        ck_assert_int_eq(steep_network_values(&network, theta, 0, x, y), STEEP_OK);
        ck_assert_int_eq(steep_network_jacobian(&network, theta, 0, x, y, h, 1), STEEP_OK);
        ck_assert(isnan(floor_of(&network, theta, 0, x)));
    }
}
END_TEST

/* The rounding that happens: the root mean square of the values less the same formula in long double, relu(z_1) z_2 ..
 * z_B, any dimension. */
static double rounding_of(const steep_network *network, const double *theta, size_t count, const double *x)
{
    double y[1000], square = 0;
    size_t d = network->dim;
    ck_assert_uint_le(count, 1000);
    ck_assert_int_eq(steep_network_values(network, theta, count, x, y), STEEP_OK);
    for (size_t k = 0; k < count; k++) {
        long double sum = theta[network->bias];
        for (size_t i = 0; i < network->width; i++) {
            long double h = 1;
            for (size_t b = 0; b < network->counts.branches; b++) {
                const double *w = theta + network->branch[b] + i * (d + 1);
                long double z = w[d];
                for (size_t j = 0; j < d; j++) z += (long double)w[j] * x[j * count + k];
                h *= b == 0 && z < 0 ? 0 : z;
            }
            sum += theta[network->output + i] * h;
        }
        square += pow((double)(y[k] - sum), 2) / (double)count;
    }
    return sqrt(square);
}

#define LEAST 1.0
#define MOST  1.6
/* Over many random networks the estimate is neither too small nor much too large (it counts some roundings that are
 * often exact). Each kind is most of it somewhere: partial sums of the output in a wide network, those of a map in one
 * unit of many coordinates. */
START_TEST(floor_is_nearly_unbiased)
{
    enum { POINTS = 200 };
    const size_t networks = chance_cases(30);
    steep_random random = chance_start(31);
    static const struct {
        const char *arch;
        size_t dim, width;
    } rows[] = {{"mlp", 1, 80}, {"mlp", 9, 1}, {"glu", 4, 80}, {"glu", 9, 1}, {"gqu", 1, 80}, {"gqu", 9, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double mean = 0;
        for (size_t t = 0; t < networks; t++) {
            steep_network network;
            size_t dim = rows[r].dim;
            open_network(&network, rows[r].arch, NULL, dim, rows[r].width);
            SCOPED(release_memory) double *theta = malloc(network.parameters * sizeof *theta);
            double x[9 * POINTS];
            draw_all(&random, network.parameters, theta);
            if (rows[r].width == 1) theta[network.bias] = 0, theta[network.branch[0] + dim] = 4; /* open, and no sum */
            draw_all(&random, dim * POINTS, x);
            mean +=
                log(floor_of(&network, theta, POINTS, x) / rounding_of(&network, theta, POINTS, x)) / (double)networks;
        }
        printf("floor over rounding: %s %zuD %.3f\n", rows[r].arch, rows[r].dim, exp(mean));
        ck_assert_msg(mean > log(LEAST) && mean < log(MOST), "%s in %zuD: the floor is %.3f times the rounding",
                      rows[r].arch, rows[r].dim, exp(mean));
    }
}
END_TEST

/* Allocations that fail are reported, at every place where one can. */
START_TEST(no_memory)
{
#if FAULTS
    static double x[4] = {-0.5, 0.1, 0.2, 0.7}, theta[64], y[4], J[4 * 64], H[64 * 64];
    steep_network network;
    open_network(&network, "polynorm", NULL, 1, 4);
    ck_assert_uint_le(network.parameters, 64);
    for (long at = 0; at < 2; at++) {
        countdown = at;
        steep_status status = steep_network_curvature(&network, theta, 4, x, y, H);
        countdown = -1;
        ck_assert_int_eq(status, STEEP_NO_MEMORY);
    }
    countdown = 0;
    ck_assert_int_eq(steep_network_values(&network, theta, 4, x, y), STEEP_NO_MEMORY);
    countdown = 0;
    ck_assert_int_eq(steep_network_jacobian(&network, theta, 4, x, y, J, 4), STEEP_NO_MEMORY);
    countdown = 0;
    ck_assert_int_eq(steep_network_units(&network, theta, 4, x, J), STEEP_NO_MEMORY);
    countdown = 0;
    ck_assert_int_eq(steep_network_floor(&network, theta, 4, x, y), STEEP_NO_MEMORY);
    ck_assert(isnan(y[0]));
    countdown = -1;
#endif
}
END_TEST

STEEP_TEST_MAIN("network", values_are_the_plain_formula, values_in_many_dimensions, nothing_is_hidden,
                derivatives_of_every_row, a_unit_from_outside, layout, what_init_refuses, units_make_the_value,
                floor_is_nearly_unbiased, no_memory)
