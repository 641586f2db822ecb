/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layers: networks of several layers: values against one layer at a time, exact results against values in double and
 * against themselves. */
#include "papers/expansion.h"
#include "papers/layers.h"

#include <float.h>

#include "model/written.h"
#include "units.h"

static steep_error error;

enum { MOST = 6, POINTS = 1300 };

static void draw(steep_random *random, size_t count, double size, double *values)
{
    for (size_t i = 0; i < count; i++) values[i] = chance_within(random, -size, size);
}

static const steep_architecture *row_of(const char *name)
{
    return steep_architecture_find(name, NULL, 0);
}

static steep_layer layer_of(const char *name, steep_choice *choice, const char *activation, size_t width)
{
    *choice = steep_choice_default(row_of(name));
    ck_assert_int_eq(steep_choice_parse(activation, NULL, NULL, choice, NULL), STEEP_OK);
    return (steep_layer){row_of(name), choice, width};
}

/* Any rows, 1 to 4 layers. */
static void open_any(steep_random *random, steep_layers *layers)
{
    static const char *const rows[] = {"mlp",     "glu",      "gqu2d",       "moa",      "hermite-own",
                                       "fourier", "polyrelu", "polynorm-l2", "polynorm", "bi-la"};
    steep_choice choice[4];
    steep_layer layer[4];
    const size_t count = 1 + chance_below(random, 4);
    for (size_t l = 0; l < count; l++)
        layer[l] = layer_of(rows[chance_below(random, 10)], choice + l, NULL, 1 + chance_below(random, MOST));
    check_says(steep_layers_init(layers, 1 + chance_below(random, 3), count, layer, &error), STEEP_OK, "");
    draw(random, layers->entries, 0.8, layers->theta);
}

/* The same bits, layer after layer by the network's own units, one point at a time. */
START_TEST(values_layer_by_layer)
{
    static double x[3 * POINTS], y[POINTS];
    steep_random random = chance_start(1);
    for (size_t trial = 0; trial < chance_cases(40); trial++) {
        SCOPED(steep_layers_free) steep_layers layers;
        open_any(&random, &layers);
        if (layers.count == 1) ck_assert_uint_eq(layers.parameters, layers.layer->parameters);
        const size_t d = layers.dim, count = trial % 4 ? 1 + chance_below(&random, 300) : POINTS;
        draw(&random, d * count, 1, x);
        ck_assert_int_eq(steep_layers_values(&layers, count, x, y), STEEP_OK);
        for (size_t again = 0; again < 20; again++) {
            const size_t k = chance_below(&random, count), inputs = layers.layer[layers.count - 1].width;
            double v[MOST], h[MOST];
            for (size_t j = 0; j < d; j++) v[j] = x[j * count + k];
            for (size_t l = 0; l < layers.count; l++) {
                ck_assert_int_eq(steep_network_units(layers.layer + l, layers.theta + layers.place[l], 1, v, h),
                                 STEEP_OK);
                memcpy(v, h, sizeof v);
            }
            const double *w = steep_layers_output(&layers);
            double sum = w[0] * v[0];
            for (size_t i = 1; i < inputs; i++) sum += w[i] * v[i];
            sum += w[inputs];
            ck_assert(sum == y[k] || (isnan(sum) && isnan(y[k])));
        }
    }
}
END_TEST

/* A network with polynomial units of a degree: by hermite, by a monomial, by a unit by formula. */
static void open_polynomial(steep_random *random, steep_layers *layers, size_t dim, size_t hidden, int degree,
                            size_t kind)
{
    steep_choice choice = {0};
    steep_written *unit = NULL;
    char text[80];
    steep_layer layer[4];
    if (kind == 2) {
        snprintf(text, sizeof text, "a1+a2*z1+e1*z1^%d", degree);
        ck_assert_int_eq(steep_written_parse(text, &unit, NULL), STEEP_OK);
    }
    const steep_architecture *row = unit ? &unit->row : row_of(kind ? "hermite-own" : "hermite");
    choice = steep_choice_default(row);
    choice.degree = degree;
    for (size_t l = 0; l < hidden; l++) layer[l] = (steep_layer){row, &choice, 1 + chance_below(random, 3)};
    ck_assert_int_eq(steep_layers_init(layers, dim, hidden, layer, NULL), STEEP_OK);
    /* Whole multiples of 1/8 keep the exact numbers short; none is 0. */
    for (size_t p = 0; p < layers->entries; p++)
        layers->theta[p] = (chance_below(random, 2) ? 1 : -1) * (1.0 + (double)chance_below(random, 16)) / 8;
    for (size_t l = 0; l < hidden && unit; l++) layers->layer[l].choice.written = unit;
}

static void close_polynomial(steep_layers *layers)
{
    steep_written *unit = (steep_written *)layers->layer[0].choice.written;
    steep_layers_free(layers);
    if (unit) steep_written_free(unit);
}

static steep_polynomial *expand(const steep_layers *layers)
{
    steep_polynomial **x = steep_polynomial_new_all(layers->dim, layers->dim), *y = steep_polynomial_new(layers->dim);
    for (size_t j = 0; j < layers->dim; j++) steep_polynomial_set_variable(x[j], j);
    check_says(steep_layers_exact(layers, (const steep_polynomial *const *)x, y, &error), STEEP_OK, "");
    steep_polynomial_free_all(x, layers->dim);
    return y;
}

/* The expansion at random rational points is the network's exact value there, which the double is near. */
START_TEST(expansions_are_the_network)
{
    steep_random random = chance_start(4);
    for (size_t trial = 0; trial < chance_cases(60); trial++) {
        SCOPED(close_polynomial) steep_layers layers;
        const size_t dim = 1 + trial % 3, hidden = 1 + chance_below(&random, 3);
        open_polynomial(&random, &layers, dim, hidden, 1 + (int)chance_below(&random, hidden < 3 ? 3 : 2), trial % 3);
        steep_polynomial *whole = expand(&layers), **x = steep_polynomial_new_all(dim, dim),
                         *y = steep_polynomial_new(dim), *z = steep_polynomial_new(dim);
        for (size_t again = 0; again < 5; again++) {
            double point[3], value;
            for (size_t j = 0; j < dim; j++) {
                const long over = (long)chance_below(&random, 2001) - 1000;
                const unsigned long under = 1 + chance_below(&random, 1000);
                steep_polynomial_set_ratio(x[j], over, under);
                point[j] = steep_polynomial_number(x[j]);
                ck_assert(point[j] == (double)over / (double)under);
            }
            ck_assert_int_eq(steep_layers_exact(&layers, (const steep_polynomial *const *)x, y, NULL), STEEP_OK);
            ck_assert(steep_polynomial_substitute(z, whole, x));
            ck_assert(steep_polynomial_is_number(y) && steep_polynomial_equal(y, z));
            /* In double, at the double point itself. */
            for (size_t j = 0; j < dim; j++) ck_assert(steep_polynomial_set(x[j], point[j]));
            ck_assert_int_eq(steep_layers_exact(&layers, (const steep_polynomial *const *)x, y, NULL), STEEP_OK);
            ck_assert_int_eq(steep_layers_values(&layers, 1, point, &value), STEEP_OK);
            /* Rounding model: eps times the sum of the sizes of the terms, by the expansion in absolute values. */
            double size = 0;
            for (size_t t = 0; t < steep_polynomial_terms(whole); t++) {
                unsigned long exponent[3];
                double term = fabs(steep_polynomial_term(whole, t, exponent));
                for (size_t j = 0; j < dim; j++) term *= pow(fmax(1, fabs(point[j])), (double)exponent[j]);
                size += term;
            }
            double parameters = 1;
            for (size_t p = 0; p < layers.entries; p++) parameters = fmax(parameters, fabs(layers.theta[p]));
            check_close(value, steep_polynomial_number(y),
                        1e3 * DBL_EPSILON * pow(2, (double)hidden) * (size + parameters));
        }
        steep_polynomial_free(whole);
        steep_polynomial_free(y);
        steep_polynomial_free(z);
        steep_polynomial_free_all(x, dim);
    }
}
END_TEST

/* What has no exact expansion is refused, with its name. */
START_TEST(refused)
{
    static const struct {
        const char *row, *activation, *says;
    } cases[] = {{"mlp", "gelu", "erfc"},
                 {"mlp", "relu", "relu of a polynomial"},
                 {"polynorm", NULL, "norm"},
                 {"mlp", "tanh", "tanh"},
                 {"fourier", NULL, "cos"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        steep_choice choice;
        SCOPED(steep_layers_free) steep_layers layers;
        const steep_layer layer = layer_of(cases[c].row, &choice, cases[c].activation, 2);
        ck_assert_int_eq(steep_layers_init(&layers, 1, 1, &layer, NULL), STEEP_OK);
        for (size_t p = 0; p < layers.entries; p++) layers.theta[p] = 1;
        steep_polynomial *x = steep_polynomial_new(1), *y = steep_polynomial_new(1);
        steep_polynomial_set_variable(x, 0);
        check_says(steep_layers_exact(&layers, (const steep_polynomial *const *)&x, y, &error), STEEP_BAD_INPUT,
                   cases[c].says);
        layers.theta[0] = NAN;
        ck_assert_int_eq(steep_layers_exact(&layers, (const steep_polynomial *const *)&x, y, &error), STEEP_BAD_INPUT);
        steep_polynomial_free(x);
        steep_polynomial_free(y);
    }
    steep_layers none;
    ck_assert_int_eq(steep_layers_init(&none, 1, 0, NULL, NULL), STEEP_BAD_INPUT);
}
END_TEST

/* Rows that are piecewise polynomials, at the very points of doubles: the double is the exact value rounded on the way,
 * all layers. */
START_TEST(exact_values_of_kinked_units)
{
    static const char *const rows[][2] = {{"mlp", "relu"},
                                          {"mlp", "leaky_relu"},
                                          {"glu", "relu2"},
                                          {"gqu", "relu"},
                                          {"mlp", "relu6"},
                                          {"polyprelu", NULL},
                                          {"polyrelu-own", NULL},
                                          {"tropical-rational", NULL},
                                          {"gqu2d", "relu"},
                                          {"tropical-own", NULL},
                                          {"prelu", NULL},
                                          {"prelu-own", NULL},
                                          {"tropical-rational-own", NULL}};
    steep_random random = chance_start(6);
    for (size_t trial = 0; trial < chance_cases(60); trial++) {
        const size_t at = trial % (sizeof rows / sizeof *rows), dim = 1 + chance_below(&random, 2);
        steep_choice choice;
        SCOPED(steep_layers_free) steep_layers layers;
        const steep_layer one = layer_of(rows[at][0], &choice, rows[at][1], 3), layer[2] = {one, one};
        ck_assert_int_eq(steep_layers_init(&layers, dim, 2, layer, NULL), STEEP_OK);
        draw(&random, layers.entries, 1, layers.theta);
        steep_polynomial **x = steep_polynomial_new_all(dim, 1), *y = steep_polynomial_new(1);
        double point[2], value;
        draw(&random, 2, 1, point);
        for (size_t j = 0; j < dim; j++) ck_assert(steep_polynomial_set(x[j], point[j]));
        check_says(steep_layers_exact(&layers, (const steep_polynomial *const *)x, y, &error), STEEP_OK, "");
        ck_assert_int_eq(steep_layers_values(&layers, 1, point, &value), STEEP_OK);
        /* Inputs of size 3, three units, cubes of cubes: sizes below 1e6. */
        check_close(value, steep_polynomial_number(y), 1e6 * DBL_EPSILON);
        steep_polynomial_free_all(x, dim);
        steep_polynomial_free(y);
    }
}
END_TEST

START_TEST(numbers)
{
    steep_random random = chance_start(7);
    steep_polynomial *p = steep_polynomial_new(1), *q = steep_polynomial_new(1), *r = steep_polynomial_new(1);
    for (size_t trial = 0; trial < chance_cases(2000); trial++) {
        const int exponent = (int)chance_below(&random, 1800) - 900;
        const double a = ldexp(chance_within(&random, -1, 1), exponent),
                     b = ldexp(chance_within(&random, -1, 1), exponent - (int)chance_below(&random, 60));
        ck_assert(steep_polynomial_set(p, a) && steep_polynomial_set(q, b));
        ck_assert(steep_polynomial_number(p) == a); /* comes back as it went in */
        ck_assert_int_eq(steep_polynomial_sign(p), (a > 0) - (a < 0));
        steep_polynomial_add(r, p, q); /* correctly rounded: what the processor gives */
        ck_assert(steep_polynomial_number(r) == a + b);
        steep_polynomial_subtract(r, p, q);
        ck_assert(steep_polynomial_number(r) == a - b);
        ck_assert(steep_polynomial_divide(r, p, q) || b == 0);
        if (b != 0) ck_assert(steep_polynomial_number(r) == a / b);
        if (abs(exponent) < 450) {
            steep_polynomial_multiply(r, p, q);
            ck_assert(steep_polynomial_number(r) == a * b);
        }
    }
    ck_assert(!steep_polynomial_set(p, NAN) && !steep_polynomial_set(p, INFINITY));
    ck_assert(steep_polynomial_set(q, 0));
    ck_assert(steep_polynomial_number(q) == 0 && steep_polynomial_sign(q) == 0);
    ck_assert(!steep_polynomial_divide(r, p, q));
    steep_polynomial_set_variable(q, 0);
    ck_assert(!steep_polynomial_divide(r, p, q) && !steep_polynomial_is_number(q));
    steep_polynomial_free(p);
    steep_polynomial_free(q);
    steep_polynomial_free(r);
}
END_TEST

/* (x_1 - 3/4 x_2 + 1/3)^2, written out. */
START_TEST(text)
{
    steep_polynomial **p = steep_polynomial_new_all(3, 2);
    steep_polynomial_set_variable(p[0], 1);
    steep_polynomial_set_ratio(p[1], -3, 4);
    steep_polynomial_multiply(p[0], p[0], p[1]);
    steep_polynomial_set_variable(p[1], 0);
    steep_polynomial_add(p[0], p[0], p[1]);
    steep_polynomial_set_ratio(p[1], 2, 6);
    steep_polynomial_add(p[0], p[0], p[1]);
    steep_polynomial_power(p[2], p[0], 2);
    SCOPED(release_memory) char *is = steep_polynomial_text(p[2]);
    ck_assert_str_eq(is, "x1^2 - 3/2*x1*x2 + 9/16*x2^2 + 2/3*x1 - 1/2*x2 + 1/9");
    ck_assert_uint_eq(steep_polynomial_degree(p[2]), 2);
    ck_assert_uint_eq(steep_polynomial_terms(p[2]), 6);
    ck_assert(steep_polynomial_number(p[2]) == 1.0 / 9);
    steep_polynomial_free_all(p, 3);
}
END_TEST

STEEP_TEST_MAIN("layers", values_layer_by_layer, expansions_are_the_network, refused, exact_values_of_kinked_units,
                numbers, text)
