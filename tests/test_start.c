/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/start.h"
#include "opened.h"

#include "numerics/dense.h"
#include "units.h"

enum { KINDS = 10, MOST = 40 };

static const steep_start_kind kinds[KINDS] = {
    STEEP_START_UNIFORM,   STEEP_START_ALTERNATING, STEEP_START_ONE_SIDED, STEEP_START_EQUIDISTRIBUTED,
    STEEP_START_RANDOM,    STEEP_START_RIDGE,       STEEP_START_GREEDY,    STEEP_START_GAIN,
    STEEP_START_LAYERWISE, STEEP_START_GROWN};

/* Checks a 1D scheme with these heads: the number of gates that are open everywhere, no gate closed everywhere, and
 * interior knots that are distinct. */
static void check_gates(steep_start_kind kind, const steep_piecewise *piecewise, size_t n, double low, double high)
{
    double knot[MOST], sign[MOST], interior[MOST];
    size_t heads = piecewise->heads ? piecewise->heads : 1, open = 0, inside = 0;
    for (size_t i = 0; heads + i < n; i++)
        interior[i] = low + (high - low) * pow((double)(i + 1) / (double)(n - heads + 1), 1.5);
    const steep_start_options how = {.kind = kind, .low = &low, .high = &high, .interior = interior};
    steep_start_gates(&how, piecewise, n, knot, sign);
    bool distinct = true;
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(fabs(sign[i]) == 1 && (sign[i] > 0.0 ? knot[i] < high : knot[i] > low),
                      "%s, n = %zu, gate %zu is closed everywhere", steep_start_names(kind), n, i);
        if (sign[i] > 0.0 ? knot[i] <= low : knot[i] >= high) {
            open++;
            continue;
        }
        inside++;
        for (size_t j = 0; j < i; j++) distinct = distinct && knot[j] != knot[i];
    }
    ck_assert(distinct);
    ck_assert_uint_eq(steep_start_inside(kind, piecewise, n), inside);
    /* The heads and cells of theory.md: n - open + 1 cells. The grid's two ends are open in any case. */
    bool both_ends = kind == STEEP_START_UNIFORM || kind == STEEP_START_ALTERNATING;
    const size_t most = heads < 2 && both_ends ? 2 : heads;
    ck_assert_msg(n >= most ? open == most : open <= most, "%s, n = %zu: %zu gates open everywhere, %zu needed",
                  steep_start_names(kind), n, open, most);
}

START_TEST(gates_of_every_scheme)
{
    const steep_piecewise pieces[] = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}, {3, 2, 2},
                                      {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {6, 5, 3}};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++)
        for (size_t k = 0; k < 4; k++)
            for (size_t n = 1; n <= MOST; n++) {
                check_gates(kinds[k], &pieces[p], n, -1.0, 1.0);
                check_gates(kinds[k], &pieces[p], n, 0.3, 7.1);
            }
}

/* Examples of the header's rules. */
START_TEST(gates_by_example)
{
    static const struct {
        steep_start_kind kind;
        steep_piecewise pieces;
        size_t n;
        double knots[5], signs[5];
    } cases[] = {{STEEP_START_UNIFORM, {0, 0, 0}, 5, {-1, -0.5, 0, 0.5, 1}, {1, 1, 1, 1, -1}},
                 {STEEP_START_UNIFORM, {3, 2, 2}, 5, {-1, -0.5, 0, 0.5, 1}, {1, 1, 1, 1, -1}},
                 {STEEP_START_UNIFORM, {3, 2, 2}, 1, {-1}, {1}},
                 {STEEP_START_UNIFORM, {3, 3, 3}, 4, {-2, -1, 0, 1}, {1, 1, 1, -1}},
                 {STEEP_START_ALTERNATING, {0, 0, 0}, 5, {-1, -0.5, 0, 0.5, 1}, {1, -1, 1, -1, -1}},
                 {STEEP_START_ONE_SIDED, {0, 0, 0}, 4, {-1, -0.5, 0, 0.5}, {1, 1, 1, 1}},
                 {STEEP_START_ONE_SIDED, {3, 2, 2}, 5, {-1, -1, -0.5, 0, 0.5}, {1, 1, 1, 1, 1}},
                 {STEEP_START_ONE_SIDED, {3, 3, 3}, 4, {-1, -2, -3, 0}, {1, 1, 1, 1}},
                 {STEEP_START_EQUIDISTRIBUTED, {3, 2, 2}, 5, {-1, 1, -0.7, 0.1, 0.9}, {1, -1, -1, 1, 1}},
                 {STEEP_START_EQUIDISTRIBUTED, {3, 3, 3}, 4, {-1, 1, -2, -0.7}, {1, -1, 1, -1}}};
    const double low = -1, high = 1, interior[] = {-0.7, 0.1, 0.9};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double knot[5], sign[5];
        const steep_start_options how = {.kind = cases[c].kind, .low = &low, .high = &high, .interior = interior};
        steep_start_gates(&how, &cases[c].pieces, cases[c].n, knot, sign);
        ck_assert_mem_eq(sign, cases[c].signs, cases[c].n * sizeof *sign);
        for (size_t i = 0; i < cases[c].n; i++) check_close(knot[i], cases[c].knots[i], 2 * DBL_EPSILON);
    }
}

static double *start(const steep_network *network, steep_start_kind kind, const double *low, const double *high,
                     const double *interior, uint64_t seed)
{
    double *theta = malloc(network->parameters * sizeof *theta);
    steep_error error;
    size_t set = 0;
    for (size_t p = 0; p < network->parameters; p++) theta[p] = NAN;
    const steep_start_options how = {.kind = kind, .low = low, .high = high, .interior = interior, .seed = seed};
    steep_status status = steep_start(network, &how, theta, &error);
    ck_assert_msg(status == STEEP_OK, "%s: %s", network->architecture->name, error.text);
    for (size_t p = 0; p < network->parameters; p++) set += isfinite(theta[p]);
    ck_assert_msg(set == network->parameters, "%s: %zu of %zu parameters are set", network->architecture->name, set,
                  network->parameters);
    return theta;
}

/* Checks a start: all parameters are set, gates stand as the kind says, the seed alone decides. */
static void check_start(const steep_architecture *row, steep_start_kind kind, size_t dim)
{
    enum { WIDTH = 9 };
    const double low[3] = {-1.0, 0.0, -2.0}, high[3] = {1.0, 3.0, 2.0};
    double interior[WIDTH];
    const steep_choice choice = steep_choice_default(row);
    const steep_network network = layout_of(row, &choice, dim, WIDTH);
    const steep_piecewise piecewise = steep_architecture_piecewise(row, &choice);
    for (size_t i = 0; i < WIDTH; i++) interior[i] = -0.9 + 0.2 * (double)i;
    SCOPED(release_memory)
    double *theta = start(&network, kind, low, high, interior, 5),
           *again = start(&network, kind, low, high, interior, 5),
           *other = start(&network, kind, low, high, interior, 6);
    ck_assert(!memcmp(theta, again, network.parameters * sizeof *theta));
    ck_assert(theta[network.bias] != other[network.bias]);
    double knot[WIDTH], sign[WIDTH];
    steep_start_options how = {.kind = kind, .low = low, .high = high, .interior = interior, .seed = 5};
    how.gates_alone = true;
    ck_assert_int_eq(steep_start(&network, &how, again, NULL), STEEP_OK);
    for (size_t p = 0; p < network.parameters; p++) again[p] -= p < WIDTH * network.features[0] ? theta[p] : 0;
    ck_assert(steep_dense_norm(network.parameters, again) == 0);
    steep_start_gates(&how, &piecewise, WIDTH, knot, sign);
    for (size_t i = 0; i < WIDTH; i++) {
        const double *G = theta + network.branch[0] + i * network.features[0];
        double norm = 0.0, middle = G[dim], reach = 0.0;
        for (size_t j = 0; j < dim; j++) {
            norm += G[j] * G[j];
            middle += G[j] * (low[j] + high[j]) / 2;
            reach += fabs(G[j]) * (high[j] - low[j]) / 2;
        }
        if (kind == STEEP_START_RANDOM) {
            for (size_t f = 0; f <= dim; f++) ck_assert(fabs(G[f]) <= 1.0 / sqrt((double)dim));
            ck_assert(fabs(theta[network.output + i]) <= 1.0 / 3.0);
        } else if (kind > STEEP_START_GREEDY) { /* by test_depth */
        } else if (dim == 1) {
            ck_assert(G[0] == sign[i] && G[1] == -sign[i] * knot[i]);
        } else {
            check_close(norm, 1.0, 8 * DBL_EPSILON);
            bool open = kind == STEEP_START_GREEDY && fabs(middle - reach) <= 4 * DBL_EPSILON * reach;
            ck_assert_msg(fabs(middle) < reach || open, "%s, %s: ridge %zu does not cross the box", row->name,
                          steep_start_names(kind), i);
        }
    }
}

/* Every row starts by every kind in every dimension; a gain, a quadrature that is the same in all, in one of three. */
START_TEST(every_row_starts)
{
    for (size_t i = 0; steep_architecture_table(i); i++)
        for (size_t k = 0; k < KINDS; k++)
            for (size_t dim = 1; dim <= 3; dim++) {
                if (kinds[k] == STEEP_START_GAIN && dim != 1 + i % 3) continue;
                if (dim == 1 ? !steep_start_has_directions(kinds[k]) : kinds[k] != STEEP_START_EQUIDISTRIBUTED)
                    check_start(steep_architecture_table(i), kinds[k], dim);
            }
}

/* Checks mean and variance of drawn values, within four standard errors. */
static void check_moments(const char *what, size_t count, const double *values, double variance, double fourth)
{
    double mean = 0.0, square = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        mean += values[i] / n;
        square += values[i] * values[i] / n;
    }
    ck_assert_msg(fabs(mean) <= 4.0 * sqrt(variance / n), "%s: mean %g", what, mean);
    ck_assert_msg(fabs(square - variance) <= 4.0 * sqrt((fourth - variance * variance) / n), "%s: variance %g, not %g",
                  what, square, variance);
}

START_TEST(what_is_drawn)
{
    enum { WIDTH = 20000, DIM = 3000 };
    const double low[1] = {-1}, high[1] = {1};
    const steep_network glu = network_of("glu", NULL, 1, WIDTH);
    SCOPED(release_memory)
    double *plain = start(&glu, STEEP_START_UNIFORM, low, high, NULL, 1),
           *drawn = start(&glu, STEEP_START_RANDOM, low, high, NULL, 1);
    check_moments("U", 2 * WIDTH, plain + glu.branch[1], 1.0, 3.0);
    check_moments("D", WIDTH, plain + glu.output, 1.0, 3.0);
    /* uniform(-s, s): variance s^2/3, fourth moment s^4/5 */
    check_moments("random U", 2 * WIDTH, drawn + glu.branch[1], 1.0 / 3.0, 0.2);
    for (size_t i = 0; i < WIDTH; i++) drawn[glu.output + i] *= sqrt(WIDTH);
    check_moments("random D", WIDTH, drawn + glu.output, 1.0 / 3.0, 0.2);
    double box[2][DIM];
    for (size_t j = 0; j < DIM; j++) box[0][j] = -1, box[1][j] = 1;
    const steep_network moa = network_of("moa", NULL, DIM, 1);
    SCOPED(release_memory) double *theta = start(&moa, STEEP_START_RANDOM, box[0], box[1], NULL, 1);
    const size_t gates = moa.shared_scalars - moa.shared_maps; /* normal(0, 0.02^2), as the paper has them */
    for (size_t p = 0; p < gates; p++) theta[moa.shared_maps + p] /= 0.02;
    check_moments("gates of mixtures", gates, theta + moa.shared_maps, 1.0, 3.0);
}

/* Only units with squares of inputs need room for them: here 160 GB. */
START_TEST(a_gain_in_many_dimensions)
{
    enum { DIM = 200000 };
    const steep_network mlp = network_of("mlp", NULL, DIM, 1);
    SCOPED(release_memory) double *low = calloc(DIM, sizeof *low), *high = malloc(DIM * sizeof *high);
    for (size_t j = 0; j < DIM; j++) high[j] = 1;
    free(start(&mlp, STEEP_START_GAIN, low, high, NULL, 1));
}

/* Scalars start where the papers start them. */
START_TEST(scalars)
{
    static const struct {
        const char *name;
        size_t count;
        double shared[21];
    } cases[] = {
        {"la", 6, {1, 1, 1, 1, 1, 1}},
        {"blend", 1, {0.1}},
        {"hermite", 4, {0.91287092917527685577 /* sqrt(1 - 1/3!) */, 1, 1, 1}},
        {"polynorm", 4, {0, 1.0 / 3, 1.0 / 3, 1.0 / 3}},
        {"polynorm-l2", 4, {0, 1.0 / 3, 1.0 / 3, 1.0 / 3}},
        {"polyrelu", 4, {0, 1.0 / 3, 1.0 / 3, 1.0 / 3}},
        {"prelu", 1, {0.25}},
        {"polyprelu", 5, {0, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0.25}},
        {"polyrelunorm", 4, {0, 1.0 / 3, 1.0 / 3, 1.0 / 3}},
        {"fourier", 7, {0.98601329718326935 /* sqrt(1 - 1/3!^2) */, 1, 1, 1, 1, 1, 1}},
        {"fourier-phase",
         10,
         {0.98601329718326935, 1, 1, 0.78539816339744831, 1, 2, 0.78539816339744831, 1, 3, 0.78539816339744831}},
        {"tropical", 4, {1, 1, 1, 1}},
        {"bi-la", 14, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {"blend-layer", 2, {2, 0.1}},
        {"blend-layer-plain", 1, {2}}};
    const double low[1] = {-1}, high[1] = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < KINDS; k++) {
            if (steep_start_has_directions(kinds[k])) continue; /* in 2D and more */
            const double interior[2] = {-0.5, 0.5};
            const steep_network network = network_of(cases[i].name, NULL, 1, 3);
            ck_assert_uint_eq(network.counts.shared_scalars, cases[i].count);
            SCOPED(release_memory) double *theta = start(&network, kinds[k], low, high, interior, 3);
            for (size_t a = 0; a < cases[i].count; a++)
                check_close(theta[network.shared_scalars + a], cases[i].shared[a], DBL_EPSILON);
            for (size_t p = network.scalars; p < network.shared_maps; p++)
                ck_assert(theta[p] == 2.0); /* blend alone has any */
        }
}

/* Start uniform in 2D: equispaced directions, no two of them opposite, and spread offsets. */
START_TEST(ridges_in_the_plane)
{
    const double low[2] = {-1, -1}, high[2] = {1, 1};
    for (size_t n = 1; n <= 30; n++) {
        const steep_network network = network_of("mlp", NULL, 2, n);
        SCOPED(release_memory) double *theta = start(&network, STEEP_START_UNIFORM, low, high, NULL, 1);
        size_t directions = (size_t)ceil(sqrt((double)n)) | 1;
        for (size_t i = 0; i < n; i++) {
            double turns = atan2(theta[3 * i + 1], theta[3 * i]) / (2 * acos(-1.0)) * (double)directions;
            check_close(turns, nearbyint(turns), 8 * DBL_EPSILON * (double)directions);
            for (size_t j = 0; j < i; j++) { /* no two ridges are the same line */
                double cross = theta[3 * i] * theta[3 * j + 1] - theta[3 * i + 1] * theta[3 * j];
                double side = theta[3 * i] * theta[3 * j] + theta[3 * i + 1] * theta[3 * j + 1];
                ck_assert(fabs(cross) > 1e-3 || (side > 0 && fabs(theta[3 * i + 2] - theta[3 * j + 2]) > 1e-3));
            }
        }
    }
}

START_TEST(refused)
{
    static const struct {
        steep_start_kind kind;
        size_t dim;
        double high;
    } cases[] = {{STEEP_START_UNIFORM, 1, -1},        {STEEP_START_RANDOM, 1, NAN},
                 {STEEP_START_UNIFORM, 1, INFINITY},  {(steep_start_kind)99, 1, 1},
                 {STEEP_START_EQUIDISTRIBUTED, 1, 1}, {STEEP_START_EQUIDISTRIBUTED, 2, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const steep_network network = network_of("mlp", NULL, cases[c].dim, 4);
        const double low[2] = {-1, -1}, high[2] = {cases[c].high, 1};
        const steep_start_options how = {
            .kind = cases[c].kind, .low = low, .high = high, .interior = cases[c].dim > 1 ? low : NULL};
        double theta[64];
        ck_assert_int_eq(steep_start(&network, &how, theta, NULL), STEEP_BAD_INPUT);
    }
    for (size_t k = 0; k < KINDS; k++) {
        ck_assert_ptr_nonnull(steep_start_names(k));
        ck_assert_ptr_nonnull(steep_start_formula(k));
    }
    ck_assert_str_eq(steep_start_names(STEEP_START_ONE_SIDED), "one-sided");
    ck_assert_ptr_null(steep_start_names(KINDS));
    ck_assert_ptr_null(steep_start_formula(KINDS));
}
