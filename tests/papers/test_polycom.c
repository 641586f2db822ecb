/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polycom: the networks of the paper's proofs, in exact arithmetic and in double. */
#include "papers/expansion.h"
#include "papers/polycom.h"
#include "opened.h"

#include <float.h>

#include "model/written.h"
#include "units.h"

static steep_error error;

static const steep_architecture *row_of(const char *name)
{
    return steep_architecture_find(name, NULL, 0);
}

static void draw(steep_random *random, size_t count, double size, double *values)
{
    for (size_t i = 0; i < count; i++) values[i] = chance_within(random, -size, size);
}

/* y of a network at a rational point, exactly. */
static void exact_at(const steep_layers *layers, steep_polynomial *const *x, steep_polynomial *y)
{
    check_says(steep_layers_exact(layers, (const steep_polynomial *const *)x, y, &error), STEEP_OK, "");
}

typedef enum { RELU, POWERS, POLYNOMIAL, KINKED, KINDS } kind;

/* A random network of units that theorem 1 or lemma 1 speaks of; `coarse`: small dyadic parameters. */
static void open_random(steep_random *random, kind what, steep_layers *layers, steep_written *const *units, bool coarse)
{
    static const char *const powers[] = {"relu", "relu2", "relu3", "relu4"}, *const kinked[] = {
                                                                                 "polyrelu",     "polyprelu",
                                                                                 "polyrelu-own", "mlp",
                                                                                 "prelu",        "prelu-own"};
    steep_choice choice[3];
    steep_layer layer[3];
    const size_t count = 1 + chance_below(random, what == RELU ? 3 : 2);
    for (size_t l = 0; l < count; l++) {
        const steep_architecture *row = what == POLYNOMIAL ? &units[chance_below(random, 2)]->row
                                        : what == KINKED
                                            ? row_of(kinked[chance_below(random, sizeof kinked / sizeof *kinked)])
                                            : row_of("mlp");
        choice[l] = steep_choice_default(row);
        if (row == row_of("mlp"))
            choice[l].activation = steep_activation_find(what == RELU              ? "relu"
                                                         : what == POWERS          ? powers[chance_below(random, 4)]
                                                         : chance_below(random, 2) ? "leaky_relu"
                                                                                   : "id");
        layer[l] = (steep_layer){row, choice + l, 1 + chance_below(random, 4)};
    }
    ck_assert_int_eq(steep_layers_init(layers, 1 + chance_below(random, 2), count, layer, NULL), STEEP_OK);
    draw(random, layers->entries, 1, layers->theta);
    for (size_t p = 0; coarse && p < layers->entries; p++) layers->theta[p] = nearbyint(16 * layers->theta[p]) / 16;
}

/* The image of a random network has the network's values: the same rational numbers at rational points, and the same
 * doubles up to rounding; for relu and its powers the same bits, and as many units. */
START_TEST(represented_exactly)
{
    steep_random random = chance_start(1);
    steep_written *units[2];
    ck_assert_int_eq(steep_written_parse("a1+a2*z1-z1^3/8", units, NULL), STEEP_OK);
    ck_assert_int_eq(steep_written_parse("e1*z1^2+e2*z1^4", units + 1, NULL), STEEP_OK);
    for (size_t trial = 0; trial < chance_cases(1000); trial++) {
        const kind what = trial % KINDS;
        steep_layers from, to;
        open_random(&random, what, &from, units, what >= POLYNOMIAL);
        check_says(steep_polycom_represent(&from, 4, &to, &error), STEEP_OK, "");
        if (what <= POWERS) ck_assert_uint_eq(steep_layers_units(&to), steep_layers_units(&from));
        else ck_assert_uint_le(steep_layers_units(&to), 2 * steep_layers_units(&from));
        double x[2 * 20], y[20], z[20];
        draw(&random, 2 * 20, 1, x);
        for (size_t k = 0; k < from.dim; k++) x[20 * k] = 0;
        ck_assert_int_eq(steep_layers_values(&from, 20, x, y), STEEP_OK);
        ck_assert_int_eq(steep_layers_values(&to, 20, x, z), STEEP_OK);
        for (size_t k = 0; k < 20; k++) {
            if (what == RELU) ck_assert(y[k] == z[k]);
            /* Sizes: sums of 6 terms of powers to 4, twice. */
            else check_close(y[k], z[k], 256 * DBL_EPSILON * (1 + fabs(y[k])) * 1e4);
        }
        steep_polynomial **p = steep_polynomial_new_all(4, 1);
        for (size_t j = 0; j < 2; j++)
            steep_polynomial_set_ratio(p[j], (long)chance_below(&random, 41) - 20, 1 + chance_below(&random, 20));
        exact_at(&from, p, p[2]);
        exact_at(&to, p, p[3]);
        ck_assert(steep_polynomial_equal(p[2], p[3]));
        steep_polynomial_free_all(p, 4);
        steep_layers_free(&from);
        steep_layers_free(&to);
    }
    steep_written_free(units[0]);
    steep_written_free(units[1]);
}
END_TEST

START_TEST(not_represented)
{
    static const struct {
        const char *row, *activation;
        size_t order;
        const char *says;
    } cases[] = {{"mlp", "relu6", 4, "no polynomial"}, {"mlp", "relu4", 3, "no polynomial of degree 3"},
                 {"mlp", "gelu", 4, "erfc"},           {"glu", "relu", 4, "one affine map"},
                 {"polynorm", NULL, 4, "one affine"},  {"tropical", NULL, 4, "no polynomial"},
                 {"mlp", "relu", 0, "order 0"},        {"mlp", "relu", 25, "order 25"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        steep_choice choice = steep_choice_default(row_of(cases[c].row));
        ck_assert_int_eq(steep_choice_parse(cases[c].activation, NULL, NULL, &choice, NULL), STEEP_OK);
        const steep_layer layer = {row_of(cases[c].row), &choice, 2};
        steep_layers from, to;
        ck_assert_int_eq(steep_layers_init(&from, 1, 1, &layer, NULL), STEEP_OK);
        for (size_t p = 0; p < from.entries; p++) from.theta[p] = 1 + (double)p;
        check_says(steep_polycom_represent(&from, cases[c].order, &to, &error), STEEP_BAD_INPUT, cases[c].says);
        steep_layers_free(&from);
    }
}
END_TEST

/* Sizes: towers at most 2 (K+1) (K+1) units for the chains and 4 (K+1) + 2 log2 (K+1) for the products; running 8 a
 * layer. */
static void check_size(const steep_layers *y, unsigned long k, size_t order, steep_power_form form)
{
    size_t K = 0;
    for (unsigned long left = k; left >= order; left /= order) K++;
    const size_t units = steep_layers_units(y);
    if (form == STEEP_POWER_RUNNING) {
        ck_assert_uint_le(y->count, K + 2);
        ck_assert_uint_le(units, 8 * (K + 2));
    } else {
        ck_assert_uint_le(units, 2 * (K + 1) * (K + 1) + 4 * (K + 1) + 2 * 8);
    }
}

/* x^k, k to hundreds: the network's expansion by rational points, more of them than two polynomials of degree k apart
 * could share: here, at a few points of no special kind, equal numbers of thousands of digits. */
START_TEST(powers_are_exact)
{
    steep_random random = chance_start(3);
    for (size_t trial = 0; trial < chance_cases(120); trial++) {
        const unsigned long k = trial < 20 ? trial + 1 : 1 + chance_below(&random, 700);
        const size_t order = 2 + chance_below(&random, 5);
        const steep_power_form form = trial % 2 ? STEEP_POWER_RUNNING : STEEP_POWER_TOWERS;
        SCOPED(steep_layers_free) steep_layers y;
        ck_assert_int_eq(steep_polycom_power(k, order, form, &y, NULL), STEEP_OK);
        check_size(&y, k, order, form);
        steep_polynomial **p = steep_polynomial_new_all(3, 1);
        for (int sign = -1; sign <= 1; sign++) {
            steep_polynomial_set_ratio(p[0], sign * (1 + (long)chance_below(&random, 30)),
                                       1 + chance_below(&random, 30));
            exact_at(&y, p, p[1]);
            steep_polynomial_power(p[2], p[0], (unsigned)k);
            ck_assert_msg(steep_polynomial_equal(p[1], p[2]), "x^%lu, order %zu, form %d", k, order, form);
        }
        double x[64], value[64];
        draw(&random, 64, 1, x);
        x[0] = 1, x[1] = -1, x[2] = 0;
        ck_assert_int_eq(steep_layers_values(&y, 64, x, value), STEEP_OK);
        /* A product of wires of size 1 is off by a few eps of 1, a power r by r times its base's error: k in all. */
        for (size_t i = 0; i < 64; i++)
            check_close(value[i], (double)powl(x[i], (long double)k), 8 * (double)k * DBL_EPSILON);
        steep_polynomial_free_all(p, 3);
    }
    steep_layers none;
    ck_assert_int_eq(steep_polycom_power(0, 3, STEEP_POWER_RUNNING, &none, NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_polycom_power(3, 1, STEEP_POWER_RUNNING, &none, NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_polycom_power(3, 25, STEEP_POWER_RUNNING, &none, NULL), STEEP_BAD_INPUT);
}
END_TEST

/* At the ends of the 2^m cells the value is x^2, at their middles 4^-(m+1) more: exactly, in rationals and in double.
 * On thirds, fifths and the like within, never more, and the line between the ends: centred, the least error that 2^m
 * pieces can have, which proofs/polycom.c shows. */
START_TEST(sawtooth_is_exact)
{
    steep_random random = chance_start(4);
    for (size_t m = 1; m <= 26; m++)
        for (int centred = 0; centred < 2; centred++) {
            SCOPED(steep_layers_free) steep_layers net;
            ck_assert_int_eq(steep_polycom_sawtooth(m, centred, &net, NULL), STEEP_OK);
            ck_assert_uint_eq(steep_layers_units(&net), 3 * m - 1);
            ck_assert_uint_eq(net.count, m);
            const double least = ldexp(1, -2 * (int)m - 3); /* 1/(8 p^2), p = 2^m */
            steep_polynomial **p = steep_polynomial_new_all(3, 1);
            for (size_t trial = 0; trial < chance_cases(6); trial++) {
                const unsigned long cell = chance_below(&random, (size_t)1 << m);
                const long within = (long)chance_below(&random, 61); /* sixtieths of the cell */
                steep_polynomial_set_ratio(p[0], (long)cell * 60 + within, (60UL << m));
                exact_at(&net, p, p[1]);
                steep_polynomial_multiply(p[2], p[0], p[0]);
                steep_polynomial_subtract(p[1], p[1], p[2]);
                /* s (1 - s) h^2 with s = within/60 */
                steep_polynomial_set_ratio(p[0], within * (60 - within), 3600UL);
                steep_polynomial_set(p[2], ldexp(1, -2 * (int)m));
                steep_polynomial_multiply(p[0], p[0], p[2]);
                steep_polynomial_set(p[2], centred ? least : 0);
                steep_polynomial_subtract(p[0], p[0], p[2]);
                ck_assert(steep_polynomial_equal(p[0], p[1]));
                ck_assert(fabs(steep_polynomial_number(p[1])) <= (centred ? least : 2 * least));
            }
            double ends[2] = {0, ldexp(1, -(int)m - 1)},
                   y[2]; /* the middle of the first cell; to m = 26 no bit is lost */
            ck_assert_int_eq(steep_layers_values(&net, 2, ends, y), STEEP_OK);
            ck_assert(y[0] == (centred ? -least : 0) && y[1] - ends[1] * ends[1] == (centred ? least : 2 * least));
            steep_polynomial_free_all(p, 3);
        }
    steep_layers none;
    ck_assert_int_eq(steep_polycom_sawtooth(0, false, &none, NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_polycom_sawtooth(501, false, &none, NULL), STEEP_BAD_INPUT);
}
END_TEST

/* f = sum of some a sin(w.x + b), and what its derivatives of order n are at most. */
static double random_target(steep_random *random, size_t dim, size_t n, char text[400])
{
    double most = 0;
    size_t used = 0;
    const size_t terms = 1 + chance_below(random, 3);
    for (size_t t = 0; t < terms; t++) {
        const double a = chance_within(random, -1, 1), u = chance_within(random, -4, 4),
                     v = chance_within(random, -4, 4), b = chance_within(random, -3, 3);
        used +=
            (size_t)snprintf(text + used, 400 - used,
                             dim == 1 ? "%+.17g*sin(%.17g*x%+.17g)" : "%+.17g*sin(%.17g*x%+.17g%+.17g*y)", a, u, b, v);
        most += fabs(a) * pow(dim == 1 ? fabs(u) : fmax(fabs(u), fabs(v)), (double)n);
    }
    return most;
}

/* f_N by its definition, in long double from jets: no network. 1D. */
static long double f_N(const steep_target *f, size_t n, size_t N, long double x)
{
    long double sum = 0, c[STEEP_JET_ORDER + 1];
    for (size_t m = 0; m <= 2 * N; m++) {
        const long double at = ((long double)m - (long double)N) / (long double)N,
                          far = fabsl(3 * (long double)N * (x - at)),
                          phi = far < 1   ? 1
                                : far > 2 ? 0
                                          : 2 - far;
        long double p = 0;
        if (phi == 0) continue;
        steep_target_jet(f, at, n - 1, c);
        for (size_t j = n; j-- > 0;) p = p * (x - at) + c[j];
        sum += phi * p;
    }
    return sum;
}

static double worst_error(const steep_layers *net, const steep_target *f, size_t n, size_t N, size_t count,
                          double *off_definition)
{
    const size_t d = f->dim, side = d == 1 ? count : (size_t)sqrt((double)count), all = d == 1 ? side : side * side;
    double *x = calloc(3 * all, sizeof *x), *y = x + 2 * all, worst = 0;
    for (size_t k = 0; k < all; k++)
        for (size_t j = 0; j < d; j++) x[j * all + k] = -1 + 2 * (double)(j ? k / side : k % side) / (double)(side - 1);
    ck_assert_int_eq(steep_layers_values(net, all, x, y), STEEP_OK);
    for (size_t k = 0; k < all; k++) {
        const long double point[2] = {x[k], d > 1 ? x[all + k] : 0};
        worst = fmax(worst, fabs(y[k] - (double)steep_formula_reference(f->formula, point)));
        if (off_definition) *off_definition = fmax(*off_definition, fabs(y[k] - (double)f_N(f, n, N, x[k])));
    }
    free(x);
    return worst;
}

/* Errors are below the bound without the factor 2^d, on random sums of sines; in 1D the network is f_N. */
START_TEST(taylor_networks_keep_the_bound)
{
    steep_random random = chance_start(6);
    for (size_t trial = 0; trial < chance_cases(60); trial++) {
        const size_t dim = trial % 4 ? 1 : 2, n = 1 + chance_below(&random, dim == 1 ? 8 : 4),
                     N = 1 + chance_below(&random, dim == 1 ? 40 : 5);
        char text[400];
        double off = 0;
        const double most = random_target(&random, dim, n, text);
        SCOPED(steep_layers_free) steep_layers net;
        steep_target *f = target_of(text);
        check_says(steep_polycom_taylor(f, n, N, &net, &error), STEEP_OK, "");
        if (dim == 1) ck_assert_uint_eq(steep_layers_units(&net), 4 * N + 1);
        else ck_assert_uint_le(steep_layers_units(&net), 2 * n * (4 * N + 1) + 4 * n * (2 * N + 1));
        const double
            bound = most * steep_polycom_taylor_bound(dim, n, N),
            worst = worst_error(&net, f, n, N, dim == 1 ? 600 : 900, dim == 1 ? &off : NULL),
            /* Rounding: 4N + 1 places of kinks to eps, times jumps with f^(n) of size `most` in them; of powers of
                      * two the thirds between nodes are all rounded alike, and the errors add up: measured, below
                      * 9 N eps (3 + most). In 2D each product has its own. */
            floor = (dim == 1 ? 16 : 384) * (double)N * DBL_EPSILON * (3 + most);
        ck_assert_msg(worst <= bound + floor, "%s: n = %zu, N = %zu: %.3g > %.3g", text, n, N, worst, bound);
        if (dim == 1) check_close(off, 0, floor);
        steep_target_free(f);
    }
}
END_TEST

/* The order of the error is n. */
START_TEST(taylor_networks_have_order_n)
{
    static const char *const targets[] = {"sin(x+.7)", "sin(x+y+.7)"};
    for (size_t dim = 1; dim <= 2; dim++) {
        steep_target *f = target_of(targets[dim - 1]);
        for (size_t n = 1; n <= 4; n++) {
            double last = 0;
            for (size_t N = 2; N <= 8; N *= 2) {
                SCOPED(steep_layers_free) steep_layers net;
                ck_assert_int_eq(steep_polycom_taylor(f, n, N, &net, NULL), STEEP_OK);
                const double worst =
                    worst_error(&net, f, n, N, dim == 1 ? 2401 : 5329, NULL); /* 3N divides the cells */
                ck_assert(worst <= steep_polycom_taylor_bound(dim, n, N));
                if (N == 8) check_close(log2(last / worst), (double)n, 0.15);
                last = worst;
            }
        }
        steep_target_free(f);
    }
    steep_layers none;
    steep_target *f = target_of("abs(x)^0.5");
    ck_assert_int_eq(steep_polycom_taylor(f, 3, 4, &none, NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_polycom_taylor(f, 9, 4, &none, NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_polycom_taylor(f, 0, 4, &none, NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_polycom_taylor(f, 3, 0, &none, NULL), STEEP_BAD_INPUT);
    steep_target_free(f);
}
END_TEST

STEEP_TEST_MAIN("polycom", represented_exactly, not_represented, powers_are_exact, sawtooth_is_exact,
                taylor_networks_keep_the_bound, taylor_networks_have_order_n)
