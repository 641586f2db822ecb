/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclose: values, gradients and Hessians of random networks at random points lie in the enclosures of boxes around
 * them, and so do those of formulas; intervals of doubles contain balls; kinks. */
#include "certify/enclosed.h"
#include "opened.h"
#include "units.h"
#include "certify/enclose.h"
#include "model/evaluate.h"
#include "model/written.h"
#include "certify/interval_arithmetic.h"

static steep_error error;

enum { NUMBERS = 1 + 3 + 6, EACH = 8 }; /* points of a network */

static double *draw_theta(const steep_network *network, double size, steep_random *random)
{
    double *theta = malloc(network->parameters * sizeof *theta);
    for (size_t p = 0; p < network->parameters; p++)
        theta[p] = chance_below(random, 30) ? size * steep_random_normal(random) : 0;
    return theta;
}

/* Draws a box of random width, perhaps thin or a point, and a point in it. */
static void draw_box(size_t d, steep_random *random, steep_interval *box, double *x)
{
    const double width = pow(10, chance_within(random, -9, 0.5));
    for (size_t j = 0; j < d; j++) {
        const double a = chance_within(random, -1.5, 1.5), b = chance_below(random, 8) ? width : 0;
        box[j] = (steep_interval){a, a + b};
        x[j] = chance_below(random, 6)   ? chance_within(random, box[j].low, box[j].high)
               : chance_below(random, 2) ? box[j].low
                                         : box[j].high;
        if (x[j] > box[j].high) x[j] = box[j].high;
    }
}

/* The enclosure of a network minus a formula; either may be NULL. */
static steep_enclosure *enclosure_of(const steep_network *network, const double *theta, const char *text, size_t dim)
{
    SCOPED(release_formula) steep_formula *formula = NULL;
    steep_enclosure *e = NULL;
    if (text) check_says(steep_formula_parse(text, &formula, &error), STEEP_OK, "");
    check_says(steep_enclosure_open(network, theta, formula, dim, &e, &error), STEEP_OK, "");
    return e;
}

static void release_enclosure(steep_enclosure **e)
{
    steep_enclosure_free(*e);
}

static bool holds(const steep_interval *a, double x, double slack)
{
    return a->low - slack <= x && x <= a->high + slack;
}

/* A box and a point x of it. `exact` encloses the numbers at x in balls of 200 bits: only numbers inside of these balls
 * can be the true ones. */
typedef struct looked {
    steep_interval box[3], fast[NUMBERS], exact[NUMBERS];
    double x[3];
} looked;

/* Requires that enclosures of the box contain the true numbers: they meet the point's, and contain thin ones. */
static void hold_box(steep_enclosure *e, size_t d, const char *what, bool balls, steep_random *random, looked *l)
{
    steep_interval point[3], ball[NUMBERS];
    draw_box(d, random, l->box, l->x);
    for (size_t j = 0; j < d; j++) point[j] = (steep_interval){l->x[j], l->x[j]};
    steep_enclosure_box(e, l->box, NULL, 2, 0, l->fast, NULL);
    steep_enclosure_box(e, point, NULL, 2, 200, l->exact, NULL);
    if (balls) steep_enclosure_box(e, l->box, NULL, 2, 64, ball, NULL);
    for (size_t q = 0; q < steep_jet_numbers(d, 2); q++) {
        const steep_interval *in = &l->exact[q], *of = &l->fast[q];
        const bool thin = in->high - in->low <= 1e-12 * (1 + fabs(in->low)) && in->high < INFINITY;
        ck_assert_msg(
            of->low <= in->high && in->low <= of->high && (!thin || (of->low <= in->low && in->high <= of->high)),
            "%s: number %zu, [%.17g, %.17g] in [%.17g, %.17g]", what, q, in->low, in->high, of->low, of->high);
        ck_assert_msg(!balls || (ball[q].low <= in->high && in->low <= ball[q].high), "%s: number %zu of balls", what,
                      q);
    }
}

/* Requires that difference quotients of the gradient along the box's sides are mean values of the Hessian. */
static void hold_hessian(const steep_network *network, const double *theta, const looked *l, double size)
{
    for (size_t j = 0, d = network->dim; j < d; j++) {
        double x[3], gradient[2][3];
        const double end[] = {l->box[j].low, l->box[j].high}, width = end[1] - end[0];
        memcpy(x, l->x, sizeof x);
        for (size_t k = 0; k < 2; k++) {
            x[j] = end[k];
            ck_assert_int_eq(steep_network_input_gradient(network, theta, 1, x, NULL, gradient[k]), STEEP_OK);
        }
        for (size_t i = 0; width > 1e-6 && i < d; i++) {
            const steep_interval *H = &l->fast[steep_jet_pair(d, i, j)];
            const double off = 1e-9 * (size + fabs(gradient[0][i])) / width,
                         mean = (gradient[1][i] - gradient[0][i]) / width;
            ck_assert_msg(holds(H, mean, off) || !isfinite(mean),
                          "%s: entry %zu, %zu of the Hessian: %.17g not in [%.17g, %.17g]", network->architecture->name,
                          i, j, mean, H->low, H->high);
        }
    }
}

/* Checks a network on random boxes. With parameters of any size (not usual), a gradient may have no digits. */
static void hold_network(const steep_network *network, const double *theta, bool usual, steep_random *random)
{
    const char *name = network->architecture->name;
    SCOPED(release_enclosure) steep_enclosure *e = enclosure_of(network, theta, NULL, network->dim);
    for (size_t t = 0; t < EACH; t++) {
        looked l;
        double y, gradient[3], loss, size = 0;
        hold_box(e, network->dim, name, t == 0, random, &l);
        ck_assert_int_eq(steep_network_values(network, theta, 1, l.x, &y), STEEP_OK);
        ck_assert_int_eq(steep_network_input_gradient(network, theta, 1, l.x, NULL, gradient), STEEP_OK);
        ck_assert_int_eq(steep_enclosure_rounding(e, l.box, &loss), STEEP_OK);
        const bool bounded = loss < INFINITY && l.exact->low > -INFINITY && l.exact->high < INFINITY;
        ck_assert_msg(loss >= 0 && (!bounded || holds(l.exact, y, loss)),
                      "%s: the double %.17g is off [%.17g, %.17g] by more than %g", name, y, l.exact->low,
                      l.exact->high, loss);
        ck_assert(holds(l.fast, y, loss) || !isfinite(y));
        for (size_t j = 0; j < network->dim; j++) size = fmax(size, fabs(gradient[j]));
        size += steep_interval_most(&l.fast[0]); /* of the terms, which may cancel */
        for (size_t j = 0; usual && j < network->dim; j++)
            ck_assert_msg(holds(&l.fast[1 + j], gradient[j], 1e-9 * size) || !isfinite(gradient[j]),
                          "%s: %.17g not in [%.17g, %.17g]", name, gradient[j], l.fast[1 + j].low, l.fast[1 + j].high);
        if (usual) hold_hessian(network, theta, &l, size);
    }
}

/* A network of one layer or, if units have no products of inputs, perhaps of two or three layers of random widths. */
static steep_network draw_layers(const steep_architecture *row, steep_choice *choice, steep_random *random)
{
    const size_t dim = 1 + chance_below(random, 3), width = 1 + chance_below(random, 5);
    steep_network network = layout_of(row, choice, dim, width);
    bool products = false;
    for (size_t b = 0; b < network.counts.branches; b++)
        products |= network.counts.map[b] == STEEP_MAP_SQUARES || network.counts.map[b] == STEEP_MAP_QUADRATIC;
    if (products || chance_below(random, 3) > 0) return network;
    choice->depth = 2 + chance_below(random, 2);
    choice->residual = chance_below(random, 2);
    for (size_t l = 0; l + 1 < choice->depth; l++) choice->hidden[l] = chance_below(random, 4);
    return layout_of(row, choice, dim, width);
}

START_RANDOM_TEST(networks_lie_in_their_enclosures, 1)
{
    size_t rows = 0, cases = 0;
    while (steep_architecture_table(rows)) rows++;
    const size_t wanted = chance_cases(5000);
    for (size_t r = 0; cases < wanted; r = (r + 1) % rows, cases += EACH) {
        const steep_architecture *row = steep_architecture_table(r);
        steep_choice choice = draw_choice(&random, row);
        steep_network network = draw_layers(row, &choice, &random);
        const bool usual = chance_below(&random, 8) > 0;
        const double size = usual ? chance_within(&random, 0.2, 3) : pow(10, chance_within(&random, -150, 150));
        SCOPED(release_memory) double *theta = draw_theta(&network, size, &random);
        hold_network(&network, theta, usual, &random);
    }
}

static const char *const formulas[] = {"sin(3*x)*cos(y)+tan(x/4)",
                                       "asin(x/9)*acos(y/9)+atan(x*y)",
                                       "sinh(x)*cosh(y)-tanh(x-y)",
                                       "exp(x)/(2+sin(y))+log(x^2+y^2+0.1)",
                                       "erf(x)*erfc(y)+expm1(x)*log1p(y^2)",
                                       "sqrt(x^2+0.2)*cbrt(y+9)",
                                       "J0(5*x)*y+J1(y-x)",
                                       "abs(x-y)*relu(x+y)+min(x,y^2)-max(x*y,0.3)",
                                       "sigmoid(4*x)-sign(y)*x",
                                       "gelu(x)+silu(y)*mish(x)+softplus(x*y)",
                                       "relu6(5*x)+elu(y)-celu(x)+leaky_relu(y)",
                                       "pow(x^2+0.5,y)+(x+9)^2.5",
                                       "x^3*y^-2+x^0-(x-y)^7",
                                       "relu2(x)+relu3(y)-relu4(x-y)",
                                       "1/(1+9*x^2+9*y^2)",
                                       "e^x*pi"};

/* Enclosures of formulas on boxes of any size. (tests/fuzz/formula.c: at points, against the evaluators.) */
START_RANDOM_TEST(formulas_lie_in_their_enclosures, 3)
{
    for (size_t f = 0; f < sizeof formulas / sizeof *formulas; f++) {
        SCOPED(release_enclosure) steep_enclosure *e = enclosure_of(NULL, NULL, formulas[f], 2);
        looked l;
        for (size_t t = 0; t < chance_cases(200); t++) hold_box(e, 2, formulas[f], true, &random, &l);
    }
}

/* Functions of intervals of doubles contain those of balls, at points and on intervals; the ends of `exact` are rounded
 * outward by an ulp. */
START_RANDOM_TEST(intervals_hold_what_balls_say, 4)
{
    typedef void (*fast)(steep_interval *, const steep_interval *, int);
    typedef void (*slow)(steep_ball *, const steep_ball *, int);
    static const struct {
        fast fast;
        slow slow;
        double low, high;
    } known[] = {
#define ROW(name, low, high) {steep_interval_##name, steep_ball_##name, low, high}
        ROW(exp, -740, 700),    ROW(expm1, -40, 700),    ROW(log, 1e-300, 1e3),  ROW(log1p, -0.999999, 1e3),
        ROW(tanh, -25, 25),     ROW(sigmoid, -740, 740), ROW(erfc, -7, 27),      ROW(erf, -7, 7),
        ROW(sin, -1e6, 1e6),    ROW(cos, -1e6, 1e6),     ROW(tan, -1.5, 1.5),    ROW(asin, -0.99, 0.99),
        ROW(acos, -0.99, 0.99), ROW(atan, -1e3, 1e3),    ROW(sinh, -300, 300),   ROW(cosh, -300, 300),
        ROW(sqrt, 0, 1e9),      ROW(cbrt, -1e9, 1e9),    ROW(sqr, -1e9, 1e9),    ROW(inv, 1e-9, 1e9),
        ROW(bessel_0, -50, 50), ROW(bessel_1, -50, 50),  ROW(bessel_2, -50, 50), ROW(bessel_3, -50, 50)};
#undef ROW
    steep_ball ball;
    arb_init(&ball);
    for (size_t f = 0; f < sizeof known / sizeof *known; f++)
        for (size_t t = 0; t < chance_cases(1000); t++) {
            const double scale = pow(10, chance_within(&random, -12, 0));
            double x = chance_within(&random, known[f].low, known[f].high);
            if (known[f].low < 0 && chance_below(&random, 2)) x *= scale;
            const double width = chance_below(&random, 2) ? 0 : fabs(x) * scale;
            const steep_interval box = {x, fmin(x + width, known[f].high > x ? known[f].high : x)},
                                 point = {chance_below(&random, 2) ? box.low : box.high, 0};
            steep_interval out, exact, at = {point.low, point.low};
            known[f].fast(&out, &box, 0);
            steep_ball_set_interval(&ball, &at);
            known[f].slow(&ball, &ball, 200);
            steep_ball_get_interval(&exact, &ball);
            ck_assert_msg(out.low <= nextafter(exact.low, INFINITY) && nextafter(exact.high, -INFINITY) <= out.high,
                          "function %zu at %.17g of [%.17g, %.17g]: [%.17g, %.17g] in [%.17g, %.17g]", f, at.low,
                          box.low, box.high, exact.low, exact.high, out.low, out.high);
            /* at a point: as narrow as 64 units of rounding of the function, or of the argument times its slope */
            const double wide = 64 * DBL_EPSILON * (fabs(exact.low) + (f == 8 || f == 9 ? 1 : 0)) + 1e-280;
            ck_assert_msg(box.low < box.high || out.high - out.low <= wide * fmax(1, x * x),
                          "function %zu at %.17g: [%.17g, %.17g] is wide", f, x, out.low, out.high);
        }
    arb_clear(&ball);
}

/* Sums, products, squares and reciprocals of numbers are rounded to the nearest doubles below and above. */
START_RANDOM_TEST(careful_operations_are_the_nearest, 14)
{
    typedef void (*fast)(steep_interval *, const steep_interval *, const steep_interval *, int);
    typedef void (*slow)(steep_ball *, const steep_ball *, const steep_ball *, int);
    static const fast fasts[] = {steep_interval_add, steep_interval_sub, steep_interval_mul};
    static const slow slows[] = {steep_ball_add, steep_ball_sub, steep_ball_mul};
    steep_ball x[2];
    arb_init(&x[0]), arb_init(&x[1]);
    for (size_t t = 0; t < chance_cases(3000); t++) {
        double number[2];
        for (size_t i = 0; i < 2; i++) {
            const double any = chance_within(&random, -1, 1) * pow(10, chance_within(&random, -12, 12)),
                         power = ldexp(1, (int)chance_below(&random, 40) - 20),
                         kinds[] = {any, (double)(float)any, 0, power, i ? -number[0] : any};
            number[i] = kinds[chance_below(&random, 5)];
        }
        const steep_interval a = {number[0], number[0]}, b = {number[1], number[1]};
        steep_interval part;
        steep_interval_div(&part, &a, &(steep_interval){8, 8}, 1);
        ck_assert(part.low == a.low / 8 && part.high == a.low / 8);
        for (size_t f = 0; f < 5; f++) {
            steep_interval out, exact;
            steep_ball_set_interval(&x[0], &a);
            steep_ball_set_interval(&x[1], &b);
            if (f == 4 && a.low == 0) continue;
            if (f < 3) fasts[f](&out, &a, &b, 1), slows[f](&x[0], &x[0], &x[1], 400);
            else if (f == 3) steep_interval_sqr(&out, &a, 1), steep_ball_sqr(&x[0], &x[0], 400);
            else steep_interval_inv(&out, &a, 1), steep_ball_inv(&x[0], &x[0], 400);
            steep_ball_get_interval(&exact, &x[0]);
            ck_assert_msg(out.low == exact.low && out.high == exact.high,
                          "operation %zu of %.17g, %.17g: [%.17g, %.17g], not [%.17g, %.17g]", f, a.low, b.low, out.low,
                          out.high, exact.low, exact.high);
        }
    }
    arb_clear(&x[0]), arb_clear(&x[1]);
    const steep_interval wide = {1e200, 2e200}, product = steep_interval_product(&wide, &wide);
    ck_assert(product.low <= DBL_MAX && product.high == INFINITY); /* all four products overflow */
}

/* A mlp in 2D whose gates are the rows of w. */
static steep_network ridge(const double (*w)[3], size_t n, double *theta)
{
    const steep_architecture *row = steep_architecture_find("mlp", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network = layout_of(row, &choice, 2, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < 3; j++) theta[steep_network_gate(&network, i) + j] = w[i][j];
        theta[network.output + i] = 1;
    }
    theta[network.bias] = 0;
    return network;
}

/* Gates on one plane, scaled and turned, and kinks of a target on it, behind a power with too many terms to be written
 * out, are one class, whose sides are exact. */
START_TEST(kinks_on_one_plane_are_one)
{
    static const double w[4][3] = {{0.1, 0.3, -0.7}, {-0.2, -0.6, 1.4}, {0.1, 0.3, -0.7}, {1, 0, 0}};
    double theta[64];
    const steep_network network = ridge(w, 4, theta);
    SCOPED(release_enclosure)
    steep_enclosure *e = enclosure_of(&network, theta, "abs(x)*y+(x+y+exp(y))^40*relu((x+1)^2-x*x-1)", 2);
    size_t planes;
    signed char side[8], strict[8];
    ck_assert_uint_eq(steep_enclosure_classes(e, &planes), 2);
    ck_assert_uint_eq(planes, 2);
    const steep_interval right[2] = {{0, 1}, {-1, 9}}, left[2] = {{-1, 0}, {2, 3}}, in[2] = {{0, 0}, {0, 1}},
                         apart[2] = {{1e-300, 1}, {9, 10}};
    const size_t x = steep_enclosure_plane(e, 0)[1].high == 0 ? 0 : 1; /* the plane x = 0 */
    steep_enclosure_sides(e, right, side, strict);
    ck_assert(side[x] == 1 && strict[x] == 0 && side[1 - x] == 0);
    steep_enclosure_sides(e, left, side, strict);
    ck_assert(side[x] == -1 && strict[x] == 0);
    steep_enclosure_sides(e, in, side, strict);
    ck_assert_int_eq(side[x], 0);
    steep_enclosure_sides(e, apart, side, strict);
    ck_assert(side[x] == 1 && strict[x] == 1 && strict[1 - x] == 1);
}

/* On each side of a kink the enclosure is exact: relu's slopes are 0 and 1, not in between. */
START_TEST(kinks_are_exact_where_the_box_misses_them)
{
    static const double w[1][3] = {{1, 0, -0.25}};
    double theta[16];
    const steep_network network = ridge(w, 1, theta);
    SCOPED(release_enclosure) steep_enclosure *e = enclosure_of(&network, theta, NULL, 2);
    steep_interval out[6], box[2] = {{0.25, 1}, {0, 1}};
    signed char met[1], side[1] = {-1};
    for (int bits = 0; bits <= 64; bits += 64) {
        box[0].low = 0.25;
        steep_enclosure_box(e, box, NULL, 2, bits, out, met);
        ck_assert(out[1].low == 1 && out[1].high == 1 && met[0] == 0 && out[3].low == 0 && out[3].high == 0);
        box[0].low = 0;
        steep_enclosure_box(e, box, NULL, 2, bits, out, met);
        ck_assert(out[1].low <= 0 && out[1].low > -1e-6 && out[1].high >= 1 && out[1].high < 1.001 && met[0] == 1);
        ck_assert(out[3].low == -INFINITY && out[3].high == INFINITY);
        steep_enclosure_box(e, box, side, 2, bits, out, met);
        ck_assert(out[1].low == 0 && out[1].high == 0 && met[0] == 0);
    }
}

START_TEST(bad_input_is_refused)
{
    static const double w[1][3] = {{1, 0, 0}};
    double theta[16];
    const steep_network network = ridge(w, 1, theta);
    steep_enclosure *e = NULL;
    ck_assert_int_eq(steep_enclosure_open(NULL, NULL, NULL, 2, &e, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_enclosure_open(&network, theta, NULL, 1, &e, &error), STEEP_BAD_INPUT);
    theta[0] = NAN;
    ck_assert_int_eq(steep_enclosure_open(&network, theta, NULL, 2, &e, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_null(e);
}

/* Decimal numbers are exact; folded constants are balls around the true values. */
START_TEST(numbers_are_exact)
{
    static const struct {
        const char *text;
        double low, high;
    } known[] = {{"0.1+0.2-0.3", 0, 0}, {"relu(x-0.1)-relu(x-1e-1)+1/4", 0.25, 0.25}, {"sqrt(2)^2", 2, 2}};
    for (size_t k = 0; k < 3; k++) {
        SCOPED(release_enclosure) steep_enclosure *e = enclosure_of(NULL, NULL, known[k].text, 1);
        steep_interval box[1] = {{-1, 1}}, out;
        if (k == 1) box[0] = (steep_interval){0.5, 0.5};
        steep_enclosure_box(e, box, NULL, 0, 200, &out, NULL);
        ck_assert_msg(-out.high <= known[k].low && known[k].high <= -out.low && out.high - out.low < 1e-15, "%s",
                      known[k].text);
    }
}

/* relu, abs and sign of a gate of zeros are 0, on any box. */
START_TEST(a_gate_of_zeros_is_on_its_kink)
{
    const double theta[] = {0, 0, 0, 1, 0};
    const steep_interval box[2] = {{-1, 1}, {0.5, 2}};
    steep_written *unit;
    steep_interval out[6];
    check_says(steep_written_parse("relu(z1)+2*abs(z1)+4*sign(z1)+8", &unit, &error), STEEP_OK, "");
    const steep_choice choice = steep_choice_default(&unit->row);
    const steep_network network = layout_of(&unit->row, &choice, 2, 1);
    ck_assert_uint_eq(network.parameters, 5);
    steep_enclosure *e = enclosure_of(&network, theta, NULL, 2);
    for (int precision = 0; precision <= 64; precision += 64) {
        steep_enclosure_box(e, box, NULL, 2, precision, out, NULL);
        for (size_t q = 0; q < 6; q++) ck_assert(holds(&out[q], q ? 0 : 8, 0) && out[q].high - out[q].low < 1e-12);
    }
    steep_enclosure_free(e);
    steep_written_free(unit);
}

/* A function that is not defined on all of the box has no bound there, whatever is done with its values. */
START_TEST(what_is_undefined_has_no_bound)
{
    static const char *const text[] = {
        "0/x",           "sin(log(x))",    "tanh(1/x)",           "exp(-1/x^2)",       "0*acos(x+2)",
        "sign(sqrt(x))", "atan(tan(2*x))", "min(log1p(3*x),1)*0", "sigmoid(pow(x,y))", "cos(x^-3)+y"};
    for (size_t f = 0; f < sizeof text / sizeof *text; f++)
        for (int precision = 0; precision <= 64; precision += 64) {
            SCOPED(release_enclosure) steep_enclosure *e = enclosure_of(NULL, NULL, text[f], 2);
            steep_interval out[6], box[2] = {{-1, 1}, {0.5, 0.75}};
            steep_enclosure_box(e, box, NULL, 2, precision, out, NULL);
            for (size_t q = 0; q < 6; q++)
                ck_assert_msg(out[q].low == -INFINITY && out[q].high == INFINITY,
                              "%s, %d bits: number %zu is in [%g, %g]", text[f], precision, q, out[q].low, out[q].high);
            box[0] = (steep_interval){0.125, 0.25};
            steep_enclosure_box(e, box, NULL, 2, precision, out, NULL);
            const bool defined = f != 4; /* acos from 2.125 on is not */
            ck_assert_msg(defined == (out[0].high - out[0].low < INFINITY), "%s, %d bits", text[f], precision);
        }
}

/* A value that may be NaN has an infinite rounding error, also times 0. An infinite slope at an exact 0 has not. */
START_TEST(rounding_at_the_edges)
{
    static const struct {
        const char *text;
        double low;
        bool finite;
    } known[] = {{"y*log(x)", -1, false},
                 {"log(x)*y", -1, false},
                 {"sign(log(x))", -1, false},
                 {"sqrt(x)", 0, true},
                 {"x^0.5", 0, false}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        SCOPED(steep_enclosed_close) steep_enclosed e;
        steep_rounded stack[9];
        ck_assert_int_eq(steep_enclosed_open(known[k].text, NULL, &e, NULL), STEEP_OK);
        const steep_rounded input[] = {{{known[k].low, 1}, 0}, {{0, 0}, 0}};
        steep_enclosed_rounding(&e, input, stack);
        ck_assert_msg((stack->error < INFINITY) == known[k].finite, "%s: %g", known[k].text, stack->error);
    }
}

static double loss_of(const steep_network *network, const double *theta, double low, double high)
{
    double loss;
    SCOPED(release_enclosure) steep_enclosure *e = enclosure_of(network, theta, NULL, 1);
    ck_assert_int_eq(steep_enclosure_rounding(e, &(steep_interval){low, high}, &loss), STEEP_OK);
    return loss;
}

/* A unit that may be NaN counts also with output weight 0. Four equal units coupled by means, a quarter of each, are
 * one unit with more operations: its rounding error is not smaller. */
START_TEST(rounding_of_networks_at_the_edges)
{
    double theta[2][32] = {{1, 0, 0}}, loss[2];
    steep_written *unit;
    check_says(steep_written_parse("log(z1)", &unit, &error), STEEP_OK, "");
    const steep_choice choice = steep_choice_default(&unit->row);
    const steep_network logarithm = layout_of(&unit->row, &choice, 1, 1);
    ck_assert(loss_of(&logarithm, theta[0], -1, 1) == INFINITY);
    steep_written_free(unit);
    for (size_t k = 0; k < 2; k++) {
        const steep_network network = network_of("polynorm", NULL, 1, k ? 4 : 1);
        for (size_t p = 0; p < network.parameters; p++) theta[k][p] = 1;
        for (size_t i = 0; i < network.width; i++) theta[k][network.output + i] = 1.0 / (double)network.width;
        loss[k] = loss_of(&network, theta[k], 1, 2);
    }
    ck_assert_msg(loss[0] <= loss[1] && loss[1] < INFINITY, "%g, %g", loss[0], loss[1]);
}

/* Constants whose exact fraction has millions of digits are enclosed as balls, at once. */
START_TEST(powers_of_powers_are_enclosed)
{
    SCOPED(steep_enclosed_close) steep_enclosed e;
    ck_assert_int_eq(steep_enclosed_open("((((0.3^64)^-64)^64)^64)*x*((0.3^64)^64)", NULL, &e, NULL), STEEP_OK);
    ck_assert(!e.constant[0].exact);
    ck_assert(e.constant[1].exact && e.constant[1].interval.low >= 0 && e.constant[1].interval.high <= DBL_MIN);
}
