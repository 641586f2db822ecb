/* SPDX-License-Identifier: GPL-3.0-or-later */
/* norms: enclosures contain norms that are known in closed form, and are as narrow as requested; samples lie below;
 * degenerate boxes and networks. */
#include "../../proofs/exact.h"
#include "opened.h"
#include "units.h"
#include "steep/fit.h"
#include "certify/norms.h"
#include "numerics/quadrature.h"

typedef struct net {
    steep_network network;
    double theta[4096];
} net;

static net make(const char *arch, const char *activation, size_t dim, size_t width)
{
    net n = {.network = network_of(arch, activation, dim, width)};
    ck_assert_uint_le(n.network.parameters, 4096);
    return n;
}

static void gate(net *n, size_t i, double D, const double *w)
{
    memcpy(n->theta + steep_network_gate(&n->network, i), w, (n->network.dim + 1) * sizeof *w);
    n->theta[n->network.output + i] = D;
}

static steep_target *open_target(const char *text, const char *domain)
{
    steep_target *target = NULL;
    ck_assert_msg(steep_target_open_on(text, domain, &target, NULL) == STEEP_OK, "%s", text);
    return target;
}

static steep_error error;

/* Certifies a network minus a formula on a domain; either may be NULL. */
static steep_status try(const net *n, const char *text, const char *domain, const steep_certify_options *options,
                        steep_certified *c)
{
    SCOPED(release_target) steep_target *target = text ? open_target(text, domain) : NULL;
    return steep_certify(n ? &n->network : NULL, n ? n->theta : NULL, target, options, c, &error);
}

/* Certifies; requires bounds as narrow as requested. */
static steep_certified certify(const net *n, const char *text, const char *domain, const steep_certify_options *options)
{
    steep_certified c;
    check_says(try(n, text, domain, options, &c), STEEP_OK, "");
    return c;
}

static bool meet(const steep_certificate *a, const steep_certificate *b)
{
    return a->bound.low <= b->bound.high && b->bound.low <= a->bound.high;
}

/* Requires truth in a bound as narrow as `tolerance`; truth is known to roundings of size 1 or its own. */
static void hold(const char *what, const steep_certificate *c, double truth, double tolerance)
{
    const double slack = 64 * DBL_EPSILON * fmax(fabs(truth), 1);
    ck_assert_msg(c->bound.low <= truth + slack && truth - slack <= c->bound.high, "%s: %.17g not in [%.17g, %.17g]",
                  what, truth, c->bound.low, c->bound.high);
    ck_assert_msg(c->bound.high - c->bound.low <= tolerance * c->bound.high + 1e-14, "%s: [%.17g, %.17g] is wide", what,
                  c->bound.low, c->bound.high);
}

/* euclidean, largest: E1 in the two vector norms. In the fifth formula three lines meet in a point, and the combination
 * of sides with the largest gradient, 3.2, is none of the six that there are. In the last but two a kink that is no
 * line leaves the domain at a corner of the smooth piece, where the gradient is largest. In the last no double lies
 * between two kinks. */
static const struct {
    const char *text, *domain;
    double sup, euclidean, largest, rmse; /* 0: not known */
} known[] = {{"3*sin(x)*y", "0:1,-1:1", 2.5244129544236893, 3, 3, 0.90444841195102932},
             {"abs(x)+abs(y)", "-1:1,-1:1", 2, 1.4142135623730951, 1, 1.0801234497346435},
             {"max(abs(x),abs(y))", "-1:1,-1:1", 1, 1, 1, 0.70710678118654757},
             {"abs(x+y)+abs(x-y)-abs(x)", "-1:0.7,-1:1", 2, 2.23606797749979, 2, 0},
             {"abs(x+y)+0.2*abs(x-2*y)-abs(2*x-y)", "-1:0.7,-1:1", 2.4, 2.8284271247461903, 2.8, 0},
             {"relu(y)", "0:1,0:1", 1, 1, 1, 0.57735026918962584},
             {"x*y", "-1:1,-1:1", 1, 1.4142135623730951, 1, 1.0 / 3},
             {"abs(x)-abs(y)", "-1:1,-1:1", 1, 1.4142135623730951, 1, 0.40824829046386302},
             {"x^2+y", "-1:1,-1:1", 2, 2.23606797749979, 2, 0.73029674334022143},
             {"relu(x)+sin(3*x)", "-1:1", 1.5796867869984029, 4, 4, 0},
             {"exp(x)", "0:1", 2.718281828459045, 2.718281828459045, 2.718281828459045, 1.7873242709327608},
             {"x^2", "-1e6:1e6", 1e12, 2e6, 2e6, 447213595499.95795},
             {"cos(30*x)", "-1:1", 1, 30, 30, 0.70530838042009314},
             {"relu(y+0.2*x+0.05*x^2-1)*(2-x)", "-1.3:0.9,-1:1", .24255, 2.0396078054371141, 2, 0},
             {"x+sign(x-x)", "0.5:1", 1, 1, 1, 0.76376261582597338},
             {"relu(x-0.33333333333333332)-3*relu(x-1/3)", "0:1", 4.0 / 3, 2, 2, 0}};

START_TEST(formulas_of_known_norms)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int norm = 0; norm < 2; norm++) {
            steep_certify_options options = steep_certify_options_default();
            options.norm = (steep_vector_norm)norm;
            options.what = STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT | (known[k].rmse > 0 ? STEEP_CERTIFY_RMSE : 0);
            const double tolerance = strchr(known[k].domain, ',') ? 1e-3 : 1e-8;
            const steep_certified c = certify(NULL, known[k].text, known[k].domain, &options);
            hold(known[k].text, &c.sup, known[k].sup, tolerance);
            hold(known[k].text, &c.gradient, norm ? known[k].largest : known[k].euclidean, tolerance);
            if (known[k].rmse > 0) hold(known[k].text, &c.rmse, known[k].rmse, fmax(tolerance, 1e-6));
        }
}

/* Networks of relu, relu2 and leaky_relu minus c0 + c1 x + c2 x^2: parabolas between the kinks, whose sup, greatest
 * slope and mean square are fractions. w, b, D: of each unit. */
enum { UNITS = 5, ENDS = UNITS + 2 };

static exact_pool *pool;

typedef struct parabolas {
    int activation;
    size_t units;
    double w[UNITS], b[UNITS], D[UNITS], target[3], low, high;
} parabolas;

static exact plus(exact a, exact b)
{
    return exact_add(pool, a, b);
}

static exact times(exact a, exact b)
{
    return exact_mul(pool, a, b);
}

static exact number(double x)
{
    return exact_of_double(pool, x);
}

static exact value_at(const exact *c, exact x)
{
    return plus(c[0], times(x, plus(c[1], times(x, c[2]))));
}

/* Writes to c the coefficients of the piece that x is in. */
static void find_piece(const parabolas *p, exact x, exact *c)
{
    for (size_t k = 0; k < 3; k++) c[k] = number(-p->target[k]);
    for (size_t i = 0; i < p->units; i++) {
        const exact w = number(p->w[i]), b = number(p->b[i]);
        exact D = number(p->D[i]);
        if (fmpq_sgn(plus(times(w, x), b)) < 0)
            D = p->activation == STEEP_LEAKY_RELU ? times(D, frac(pool, 1, 100)) : number(0);
        const exact Db = times(D, b), Dw = times(D, w);
        if (p->activation == STEEP_RELU2) {
            c[0] = plus(c[0], times(Db, b));
            c[1] = plus(c[1], times(number(2), times(Dw, b)));
            c[2] = plus(c[2], times(Dw, w));
        } else c[0] = plus(c[0], Db), c[1] = plus(c[1], Dw);
    }
}

/* The integral of the product of two parabolas from 0 to x */
static exact product_to(const exact *a, const exact *b, exact x)
{
    exact sum = number(0);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++) {
            const exact power = times(exact_power(pool, x, i + j + 1), frac(pool, 1, i + j + 1));
            sum = plus(sum, times(times(a[i], b[j]), power));
        }
    return sum;
}

/* Writes the ends of the pieces, ascending. Returns how many there are. */
static size_t find_ends(const parabolas *p, exact *end)
{
    size_t count = 0;
    const exact low = number(p->low), high = number(p->high);
    end[count++] = low;
    end[count++] = high;
    for (size_t i = 0; i < p->units; i++) {
        const exact kink = exact_div(pool, number(-p->b[i]), number(p->w[i]));
        if (exact_compare(pool, kink, low) <= 0 || exact_compare(pool, kink, high) >= 0) continue;
        size_t k = count++;
        for (; exact_compare(pool, end[k - 1], kink) > 0; k--) end[k] = end[k - 1];
        end[k] = kink;
    }
    return count;
}

/* Of e on its interval: the greatest values of e, of -e and of |e'|, and the means of e and of e^2. */
typedef struct extent {
    exact most, least, slope, mean, square;
} extent;

static extent find_extent(const parabolas *p)
{
    const exact one[3] = {number(1), number(0), number(0)};
    exact end[ENDS], c[3];
    const size_t ends = find_ends(p, end);
    extent e = {NULL, NULL, number(0), number(0), number(0)};
    for (size_t k = 0; k + 1 < ends; k++) {
        if (exact_compare(pool, end[k], end[k + 1]) == 0) continue;
        find_piece(p, times(frac(pool, 1, 2), plus(end[k], end[k + 1])), c);
        exact look[3] = {end[k], end[k + 1], end[k]};
        const exact twice = times(number(2), c[2]);
        if (fmpq_sgn(twice) != 0) look[2] = exact_div(pool, times(number(-1), c[1]), twice);
        const bool inside = exact_compare(pool, look[2], end[k]) > 0 && exact_compare(pool, look[2], end[k + 1]) < 0;
        for (size_t i = 0; i < (inside ? 3 : 2); i++) {
            const exact value = value_at(c, look[i]), negative = times(number(-1), value);
            e.most = e.most ? exact_greater(pool, e.most, value) : value;
            e.least = e.least ? exact_greater(pool, e.least, negative) : negative;
            e.slope = exact_greater(pool, e.slope, exact_abs(pool, plus(c[1], times(twice, look[i]))));
        }
        e.mean = plus(e.mean, exact_sub(pool, product_to(one, c, end[k + 1]), product_to(one, c, end[k])));
        e.square = plus(e.square, exact_sub(pool, product_to(c, c, end[k + 1]), product_to(c, c, end[k])));
    }
    const exact length = exact_sub(pool, end[ends - 1], end[0]);
    e.mean = exact_div(pool, e.mean, length), e.square = exact_div(pool, e.square, length);
    return e;
}

/* Of a sum of functions of one coordinate each: sup, the square of the longest gradient, the mean square; in 1D also
 * norm[3], sup plus the longest gradient. */
static void exact_norms(const parabolas *axis, size_t dim, exact *norm)
{
    extent all = find_extent(&axis[0]);
    norm[3] = dim == 1 ? plus(exact_greater(pool, all.most, all.least), all.slope) : NULL;
    all.slope = times(all.slope, all.slope);
    if (dim == 2) {
        const extent e = find_extent(&axis[1]);
        all.most = plus(all.most, e.most), all.least = plus(all.least, e.least);
        all.slope = plus(all.slope, times(e.slope, e.slope));
        all.square = plus(plus(all.square, e.square), times(times(number(2), all.mean), e.mean));
    }
    norm[0] = exact_greater(pool, all.most, all.least), norm[1] = all.slope, norm[2] = all.square;
}

/* True if the interval contains a or, with power 2, the root of a. */
static bool holds(const steep_interval *bound, exact a, unsigned power)
{
    const exact low = exact_power(pool, exact_of_double(pool, bound->low), power);
    if (exact_compare(pool, low, a) > 0) return false;
    return bound->high == INFINITY ||
           exact_compare(pool, a, exact_power(pool, exact_of_double(pool, bound->high), power)) <= 0;
}

static double some_ulp(steep_random *random, double x)
{
    const double towards = chance_below(random, 2) ? INFINITY : -INFINITY;
    for (size_t k = chance_below(random, 4); k > 0; k--) x = nextafter(x, towards);
    return x;
}

static double of_some_size(steep_random *random, double digits)
{
    return steep_random_normal(random) * pow(2, floor(chance_within(random, -digits, digits)));
}

/* Draws a box of 1 ulp and more. Kinks are at its ends, on or beside one another, or anywhere in it and near it. */
static void draw_parabolas(steep_random *random, size_t units, parabolas *p)
{
    p->units = 1 + chance_below(random, units);
    p->low = chance_within(random, -2, 2);
    p->high = p->low + fabs(p->low) * pow(2, chance_within(random, -52, 1));
    if (!(p->low < p->high)) p->high = nextafter(p->low, INFINITY);
    for (size_t k = 0; k < 3; k++)
        p->target[k] = chance_below(random, 2) ? ldexp(floor(of_some_size(random, 8)), -6) : 0;
    const double large = chance_below(random, 4) ? 2 : 40;
    for (size_t i = 0; i < p->units; i++) {
        const size_t how = chance_below(random, 4);
        const double beyond = (p->high - p->low) / 8;
        const double at = how == 0 && i > 0 ? -p->b[i - 1] / p->w[i - 1]
                          : how == 1        ? p->low
                          : how == 2        ? p->high
                                            : chance_within(random, p->low - beyond, p->high + beyond);
        p->w[i] = chance_below(random, 4) ? of_some_size(random, large) : 1;
        p->b[i] = some_ulp(random, -p->w[i] * at);
        p->D[i] = of_some_size(random, large);
        if (how == 0 && i > 0 && chance_below(random, 2)) p->w[i] = p->w[i - 1], p->b[i] = p->b[i - 1];
    }
}

/* Requires that the network in doubles, at this share of its box, is within its rounding of the exact network. */
static void hold_rounding(const parabolas *axis, const net *n, double share, double rounding)
{
    double x[2], y;
    exact c[3], sum = number(0);
    for (size_t j = 0; j < n->network.dim; j++) {
        parabolas alone = axis[j];
        memset(alone.target, 0, sizeof alone.target);
        x[j] = axis[j].low + (axis[j].high - axis[j].low) * share;
        find_piece(&alone, number(x[j]), c);
        sum = plus(sum, value_at(c, number(x[j])));
    }
    ck_assert_int_eq(steep_network_values(&n->network, n->theta, 1, x, &y), STEEP_OK);
    const exact off = exact_abs(pool, exact_sub(pool, number(y), sum));
    ck_assert_msg(exact_compare(pool, off, number(rounding)) <= 0, "%.17g at %.17g is %g off, rounding %g", y, x[0],
                  exact_near(off), rounding);
}

static steep_certified certify_parabolas(const parabolas *axis, size_t dim, int precision)
{
    char text[240];
    size_t width = 0, used = 0;
    double low[2], high[2];
    for (size_t j = 0; j < dim; j++) width += axis[j].units;
    net n = make("mlp", steep_activation_names((size_t)axis[0].activation), dim, width);
    for (size_t j = 0, unit = 0; j < dim; j++) {
        const parabolas *p = &axis[j];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g+(%.17g)*%c+(%.17g)*%c^2", j ? "+" : "",
                                 p->target[0], p->target[1], "xy"[j], p -> target[2], "xy"[j]);
        for (size_t i = 0; i < p->units; i++) {
            double w[3] = {0, 0, 0};
            w[j] = p->w[i], w[dim] = p->b[i];
            gate(&n, unit++, p->D[i], w);
        }
        low[j] = p->low, high[j] = p->high;
    }
    steep_certify_options options = steep_certify_options_default();
    options.low = low, options.high = high;
    options.precision = precision;
    options.boxes = dim == 1 ? 5000 : 2000;
    steep_certified c;
    ck_assert_msg(try(&n, text, dim == 1 ? "-1:1" : "-1:1,-1:1", &options, &c) >= 0, "%s", error.text);
    for (int k = 0; k <= 4; k++) hold_rounding(axis, &n, 0.25 * k, c.rounding);
    return c;
}

static void hold_norms(size_t number, const steep_certified *c, const exact *norm)
{
    ck_assert_msg(
        holds(&c->sup.bound, norm[0], 1) && holds(&c->gradient.bound, norm[1], 2) &&
            holds(&c->rmse.bound, norm[2], 2) && (!norm[3] || holds(&c->w, norm[3], 1)),
        "case %zu: sup %.17g, gradient %.17g, RMSE %.17g not in [%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]", number,
        exact_near(norm[0]), sqrt(exact_near(norm[1])), sqrt(exact_near(norm[2])), c->sup.bound.low, c->sup.bound.high,
        c->gradient.bound.low, c->gradient.bound.high, c->rmse.bound.low, c->rmse.bound.high);
}

/* Certified norms contain the exact ones, in 1D and in 2D, where kinks of both axes cross. */
START_RANDOM_TEST(narrow_boxes_hold_fractions, 5)
{
    static const int activation[] = {STEEP_RELU, STEEP_RELU2, STEEP_LEAKY_RELU};
    static const parabolas missed[] = {
        {STEEP_RELU, 1, {.7}, {-.69}, {1}, {0}, -1, 1},
        {STEEP_RELU, 1, {-1.0440646693931348}, {-1.0440646581240585}, {-5575.27}, {0}, -1, 1}};
    pool = exact_pool_new();
    const size_t cases = chance_cases(400), lines = 3 * cases / 4;
    size_t wide = 0;
    for (size_t k = 0; k < cases; k++) {
        const size_t mark = exact_mark(pool), dim = k < lines ? 1 : 2;
        parabolas axis[2] = {missed[k / 2 % 2]};
        for (size_t j = 0; k >= 4 && j < dim; j++) {
            axis[j].activation = activation[k % 3];
            draw_parabolas(&random, dim == 1 ? UNITS : 2, &axis[j]);
        }
        const steep_certified c = certify_parabolas(axis, dim, k % 2 ? 64 : 0);
        exact norm[4];
        exact_norms(axis, dim, norm);
        hold_norms(k, &c, norm);
        wide += dim == 1 && !(c.rmse.status == STEEP_CONVERGED && c.sup.status == STEEP_CONVERGED);
        exact_release(pool, mark);
    }
    ck_assert_uint_lt(20 * wide, lines); /* not as narrow as asked */
    exact_pool_free(pool);
}

/* Requires that the bound of the RMSE holds the value of adaptive quadrature. */
static void check_mean(const net *n, const steep_target *target, const steep_interval *bound)
{
    steep_continuous by;
    ck_assert_int_eq(steep_measure_continuous(&n->network, n->theta, target, 0, &by, NULL), STEEP_OK);
    const double slack = 1e-7 * by.measured.rmse + by.estimate;
    ck_assert_msg(bound->low - slack <= by.measured.rmse && by.measured.rmse <= bound->high + slack,
                  "%s: %.17g not in [%.17g, %.17g]", n->network.architecture->name, by.measured.rmse, bound->low,
                  bound->high);
}

/* The largest |e| and |grad e| at points drawn from [-1, 1]^dim. */
static void see_points(const net *n, const steep_target *target, steep_vector_norm norm, steep_random *random,
                       double *sup, double *gradient)
{
    enum { POINTS = 2000 };
    static double x[2 * POINTS], y[POINTS], slope[2 * POINTS];
    const size_t dim = target->dim;
    *sup = *gradient = 0;
    chance_fill(random, -1, 1, 2 * POINTS, x);
    ck_assert_int_eq(steep_network_input_gradient(&n->network, n->theta, POINTS, x, y, slope), STEEP_OK);
    for (size_t k = 0; k < POINTS; k++) {
        const long double at[2] = {x[k], x[(dim - 1) * POINTS + k]}, along[2][2] = {{1, 0}, {0, 1}};
        double e[2] = {0};
        for (size_t j = 0; j < dim; j++) {
            long double c[2];
            steep_formula_jet(target->formula, at, along[j], 1, c);
            *sup = fmax(*sup, fabs(y[k] - (double)c[0]));
            e[j] = fabs(slope[j * POINTS + k] - (double)c[1]);
        }
        *gradient = fmax(*gradient, norm == STEEP_NORM_MAXIMUM ? fmax(e[0], e[1]) : hypot(e[0], e[1]));
    }
}

/* For every architecture, samples are below the enclosures, yet not far; |e| at sup.at is the lower bound. */
START_RANDOM_TEST(samples_lie_below, 3)
{
    for (size_t r = 0; steep_architecture_table(r); r++) {
        const size_t dim = 1 + (r + chance_below(&random, 2)) % 2;
        net n = make(steep_architecture_table(r)->name, NULL, dim, 2);
        const char *text = dim == 1 ? "cos(4*x)" : "sin(2*x)*relu(y-0.25)", *domain = dim == 1 ? "-1:1" : "-1:1,-1:1";
        SCOPED(release_target) steep_target *target = open_target(text, domain);
        for (size_t p = 0; p < n.network.parameters; p++) n.theta[p] = chance_within(&random, -1, 1);
        steep_certify_options options = steep_certify_options_default();
        options.tolerance = dim == 1 ? 1e-8 : 1e-2;
        options.norm = (steep_vector_norm)(r % 2);
        const steep_certified c = certify(&n, text, domain, &options);
        double sup, gradient;
        see_points(&n, target, options.norm, &random, &sup, &gradient);
        const double slack = 1e-12 * (1 + c.gradient.bound.high);
        ck_assert_msg(sup <= c.sup.bound.high + slack && gradient <= c.gradient.bound.high + slack,
                      "%s: samples %.17g, %.17g above %.17g, %.17g", n.network.architecture->name, sup, gradient,
                      c.sup.bound.high, c.gradient.bound.high);
        /* Where two gates vanish together, in 2D at a point, in 1D nearly so by chance, the gradient of a unit with a
         * norm is steep, on a patch of the size of sqrt(eps) that samples miss. */
        const bool steep = n.network.counts.moments > 0;
        ck_assert_msg(sup >= 0.7 * c.sup.bound.low && (steep || gradient >= 0.7 * c.gradient.bound.low),
                      "%s: samples see %.6g of %.6g, %.6g of %.6g", n.network.architecture->name, sup, c.sup.bound.low,
                      gradient, c.gradient.bound.low);
        double y, f;
        ck_assert_int_eq(steep_network_values(&n.network, n.theta, 1, c.sup.at, &y), STEEP_OK);
        steep_formula_values(target->formula, 1, c.sup.at, &f);
        check_close(fabs(y - f), c.sup.bound.low, c.rounding + 64 * DBL_EPSILON * (fabs(f) + 1));
        ck_assert(c.rmse.bound.low <= c.sup.bound.high);
        if (dim == 1) check_mean(&n, target, &c.rmse.bound);
    }
}

/* T = (x)_+ (y)_+ tanh(z): d_x d_y T = tanh(z) where x, y > 0. */
START_TEST(mixed_derivatives)
{
    steep_certify_options options = steep_certify_options_default();
    options.what = STEEP_CERTIFY_SECOND;
    options.second = (const double[]){0, 1, 0, 0, 0, 0};
    options.tolerance = 1e-3;
    const steep_certified c = certify(NULL, "relu(x)*relu(y)*tanh(z)", NULL, &options);
    hold("mixed", &c.second, tanh(1), 1e-3);
    ck_assert(c.sup.bound.low == 0 && c.sup.bound.high == INFINITY);
}

enum {
    SECOND = STEEP_CERTIFY_HESSIAN | STEEP_CERTIFY_SECOND,
    MEANS = STEEP_CERTIFY_POWER | STEEP_CERTIFY_SOBOLEV | STEEP_CERTIFY_SECOND_POWER
};

/* relu(x + y - 0.3)^2 has the Hessian 2 (1 1; 1 1) on a part 1.7^2 / 8 of the square, and 0 on the rest. Its norms are
 * known by hand, and no box is cut along its kink. */
START_TEST(second_derivatives_across_a_kink)
{
    const double part = 1.7 * 1.7 / 8;
    for (unsigned p = 1; p <= 5; p++) {
        steep_certify_options options = steep_certify_options_default();
        options.what = SECOND | MEANS, options.power = p, options.tolerance = 1e-2;
        for (int bits = 0; bits <= 64; bits += 64) {
            options.precision = bits;
            const steep_certified c = certify(NULL, "relu(x+y-0.3)^2", "-1:1,-1:1", &options);
            hold("Hessian", &c.hessian, 4, 1e-2);
            hold("Laplacian", &c.second, 4, 1e-2);
            /* of s = x + y - 0.3 the density is (1.7 - s) / 4; the mean of s^k is 1.7^(k + 2) / (4 (k + 1) (k + 2)) */
            const double k = 2.0 * p, value = pow(1.7, k + 2) / (4 * (k + 1) * (k + 2)),
                         slope = 2 * pow(2, p) * pow(1.7, p + 2.0) / (4 * (p + 1.0) * (p + 2.0));
            hold("L^p", &c.power, pow(value, 1.0 / p), 1e-2);
            hold("W^2,p", &c.sobolev, pow(value + slope + 3 * pow(2, p) * part, 1.0 / p), 1e-2);
            hold("L^p of the Laplacian", &c.second_power, 4 * pow(part, 1.0 / p), 1e-2);
        }
    }
}

/* Writes four ridges D f(w (x - 1) + b), f smooth or not, that turn a little or often in [1, 1 + width]^dim. */
static void put_ridges(steep_random *random, size_t dim, double width, FILE *text)
{
    static const char *const name[] = {"sin", "relu", "relu2"};
    const size_t functions = chance_below(random, 2) ? 3 : 1;
    const double size = pow(10, chance_within(random, -1, 1.5)),
                 steep = pow(10, chance_within(random, -2, 0.5)) / width;
    fputc('0', text);
    for (size_t i = 0; i < 4; i++) {
        const char *const f = name[chance_below(random, functions)];
        fprintf(text, "%+.60g*%s(%.60g", size * steep_random_normal(random), f, 2 * steep_random_normal(random));
        for (size_t j = 1; j <= dim; j++) fprintf(text, "%+.60g*(x%zu-1)", steep * steep_random_normal(random), j);
        fputc(')', text);
    }
    fclose(text);
}

/* The means over [0, width]^d of |f|^p, of the sum with derivatives and of |A f|^p, with n points a side. */
static void find_means(const steep_formula *f, size_t d, double width, size_t n, const steep_certify_options *options,
                       long double *mean)
{
    const unsigned p = options->power;
    long double node[STEEP_GAUSS_MOST], weight[STEEP_GAUSS_MOST];
    steep_gauss_legendre(n, node, weight);
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t k = 0, points = d == 1 ? n : d == 2 ? n * n : n * n * n; k < points; k++) {
        long double x[3], c[3], curve[3], share = 1, sum = 0, second = 0;
        for (size_t j = 0, left = k; j < d; j++, left /= n)
            x[j] = width * (1 + node[left % n]) / 2, share *= weight[left % n] / 2;
        for (size_t i = 0; i < d; i++)
            for (size_t j = i + 1; j-- > 0;) {
                long double along[3] = {0};
                along[i] = along[j] = 1;
                steep_formula_jet(f, x, along, 2, c);
                if (i == j) curve[i] = 2 * c[2], sum += powl(fabsl(c[1]), p);
                const long double e = i == j ? curve[i] : c[2] - (curve[i] + curve[j]) / 2;
                sum += powl(fabsl(e), p), second += options->second[i * (i + 1) / 2 + j] * e;
            }
        const long double value = powl(fabsl(c[0]), p);
        mean[0] += share * value, mean[1] += share * (value + sum), mean[2] += share * powl(fabsl(second), p);
    }
}

/* Bounds of means from few boxes hold, too: convergence would hide a missing term. Boxes begin at 1 and may be one ulp
 * wide: the true means are those of the formula with 0 for 1. */
START_RANDOM_TEST(few_boxes_hold_means, 7)
{
    static const size_t nodes[] = {60, 36, 10};
    for (size_t k = 0; k < chance_cases(120); k++) {
        const size_t d = 1 + k % 3;
        const double width = chance_below(&random, 2) ? pow(10, chance_within(&random, -3, 0.5)) : DBL_EPSILON;
        steep_certify_options options = steep_certify_options_default();
        double second[6], low[] = {1, 1, 1}, high[] = {1 + width, 1 + width, 1 + width};
        steep_certified c;
        long double mean[3], coarse[3][3];
        SCOPED(release_memory) char *text = NULL;
        put_ridges(&random, d, high[0] - 1, text_stream(&text));
        chance_fill(&random, -2, 2, 6, second);
        options.what = MEANS, options.power = 1 + (unsigned)chance_below(&random, chance_below(&random, 4) ? 4 : 16);
        options.low = low, options.high = high, options.second = second, options.boxes = 1 + chance_below(&random, 60);
        ck_assert_int_ge(try(NULL, text, &"-1:1,-1:1,-1:1"[5 * (3 - d)], &options, &c), 0);
        for (char *at = text; (at = strstr(at, "-1)"));) at[1] = '0';
        SCOPED(release_target) steep_target *moved = open_target(text, NULL);
        find_means(moved->formula, d, high[0] - 1, nodes[d - 1], &options, mean);
        for (size_t n = 0; n < 3; n++)
            find_means(moved->formula, d, high[0] - 1, nodes[d - 1] - 1 - n, &options, coarse[n]);
        const steep_interval *const of[] = {&c.power.bound, &c.sobolev.bound, &c.second_power.bound};
        const long double rough = strstr(text, "relu") || options.power % 2 ? 0.01L : 1e-9L;
        for (size_t m = 0; m < 3; m++) {
            long double slack = rough * mean[m], root = 1.0L / options.power;
            for (size_t n = 0; n < 3; n++) slack += 4 * fabsl(mean[m] - coarse[n][m]); /* jumps lie elsewhere */
            const long double least = powl(fmaxl(mean[m] - slack, 0), root), most = powl(mean[m] + slack, root);
            ck_assert_msg(of[m]->low <= most && least <= of[m]->high,
                          "mean %zu of the power %u, %.17Lg to %.17Lg, not in [%.17g, %.17g]: width %g, %s", m,
                          options.power, least, most, of[m]->low, of[m]->high, width, text);
        }
    }
}

static bool stop_at_once(void *context, const steep_progress *progress)
{
    *(size_t *)context += progress->iteration > 0;
    return false;
}

/* With too few boxes, or a monitor that stops, bounds still hold, and the status says so. */
START_TEST(what_is_cut_short_still_holds)
{
    static const char *const text = "sin(9*x)*cos(9*y)+x", *const domain = "-1:1,-1:1";
    steep_certify_options options = steep_certify_options_default();
    const steep_certified whole = certify(NULL, text, domain, &options);
    steep_certified c;
    size_t calls = 0;
    options.boxes = 10;
    options.tolerance = 1e-9;
    ck_assert_int_eq(try(NULL, text, domain, &options, &c), STEEP_MAX_ITERATIONS);
    ck_assert(meet(&c.sup, &whole.sup) && meet(&c.gradient, &whole.gradient) && meet(&c.rmse, &whole.rmse));
    options.boxes = 100000;
    options.what = STEEP_CERTIFY_GRADIENT;
    options.monitor = (steep_monitor){stop_at_once, &calls};
    ck_assert_int_eq(try(NULL, text, domain, &options, &c), STEEP_STOPPED);
    ck_assert_uint_eq(calls, 1);
    ck_assert(meet(&c.gradient, &whole.gradient));
    options.what |= STEEP_CERTIFY_RMSE; /* the stop comes before the mean has begun */
    ck_assert_int_eq(try(NULL, text, domain, &options, &c), STEEP_STOPPED);
    ck_assert(c.rmse.status == STEEP_STOPPED && meet(&c.rmse, &whole.rmse));
}

/* Norms of a sin(3x) in [-1, 1], |a| from 1e-279 to 1e300, and of a network times a, are a times those for a = 1. */
START_RANDOM_TEST(sizes_of_values, 4)
{
    const double square = sqrt(0.5 - sin(6) / 12);
    for (size_t c = 0; c < chance_cases(30); c++) {
        const double size = c == 0   ? 1e300
                            : c == 1 ? 1e-279
                                     : pow(10, chance_within(&random, -279, 299)) * chance_within(&random, 1, 9.9);
        char text[80];
        snprintf(text, sizeof text, "%.17g*sin(3*x)", size);
        net n = make("mlp", "tanh", 1, 2);
        for (size_t i = 0; i < 2; i++) gate(&n, i, size / (double)(3 + i), (double[2]){2 - (double)i, 0.3});
        const bool networked = c % 2;
        steep_certify_options options = steep_certify_options_default();
        const steep_certified alone = certify(NULL, text, NULL, &options);
        steep_certificate sup = alone.sup, gradient = alone.gradient, rmse = alone.rmse;
        steep_interval *const bound[] = {&sup.bound, &gradient.bound, &rmse.bound};
        for (size_t k = 0; k < 3; k++) bound[k]->low /= size, bound[k]->high /= size;
        hold(text, &sup, 1, 1e-8);
        hold(text, &gradient, 3, 1e-8);
        hold(text, &rmse, square, 1e-6);
        ck_assert(alone.rmse.status == STEEP_CONVERGED && alone.w.low <= 4 * size && alone.w.high >= 3.99 * size);
        if (!networked) continue;
        options.low = (double[]){-1}, options.high = (double[]){1};
        const steep_certified own = certify(&n, NULL, NULL, &options);
        for (size_t i = 0; i < 2; i++) n.theta[n.network.output + i] = 1 / (double)(3 + i);
        const steep_certified plain = certify(&n, NULL, NULL, &options);
        ck_assert(own.sup.status == STEEP_CONVERGED && own.rmse.status == STEEP_CONVERGED);
        check_close(own.sup.bound.high / size, plain.sup.bound.high, 2e-8 * plain.sup.bound.high);
        check_close(own.rmse.bound.high / size, plain.rmse.bound.high, 2e-6 * plain.rmse.bound.high);
    }
}

/* 1e4 (tanh(x + t y) - tanh(x - t y)), t = 5e-5, is about y / cosh(x)^2: few boxes do, for all its cancelling. */
START_TEST(units_that_cancel)
{
    steep_certify_options options = steep_certify_options_default();
    options.low = (double[]){-1, -1}, options.high = (double[]){1, 1};
    net n = make("mlp", "tanh", 2, 2);
    gate(&n, 0, 1e4, (double[3]){1, 5e-5, 0});
    gate(&n, 1, -1e4, (double[3]){1, -5e-5, 0});
    const steep_certified c = certify(&n, NULL, NULL, &options);
    hold("sup", &c.sup, 2e4 * tanh(5e-5), 1e-3);
    ck_assert_msg(c.sup.boxes < 1000, "%zu boxes", c.sup.boxes);
}

/* Powers, roots and arcs that end where the domain [l, r] does, w = r - l: the greatest value of (x - l)^p (r - x)^q is
 * w^(p+q) p^p q^q / (p + q)^(p+q), its mean square w^(2p+2q) B(2p + 1, 2q + 1). */
START_RANDOM_TEST(functions_end_with_the_domain, 9)
{
    steep_certify_options options = steep_certify_options_default();
    options.what = STEEP_CERTIFY_SUP | STEEP_CERTIFY_RMSE;
    for (size_t k = 0; k < chance_cases(20); k++) {
        const double l = floor(chance_within(&random, -200, 200)) / 64, w = ceil(chance_within(&random, 0, 200)) / 64,
                     r = l + w, p = chance_within(&random, 0.3, 2.5), q = chance_within(&random, 0.3, 2.5);
        const double B = tgamma(2 * p + 1) * tgamma(2 * q + 1) / tgamma(2 * p + 2 * q + 2);
        const double slope = ceil(chance_within(&random, 0, 99)) / 8, arc = asin(1);
        const double sup[] = {
            pow(w, p + q) * pow(p, p) * pow(q, q) / pow(p + q, p + q), w / 2, w, sqrt(slope * w), arc, 2 * arc};
        const double square[] = {pow(w, 2 * (p + q)) * B, w * w / 6,     w * w * 2 / 3,
                                 slope * w / 2,           arc * arc - 2, 2 * arc * arc - 2};
        char text[6][120], domain[6][80] = {"", "", "", "", "-1:1", "-1:1"};
        snprintf(text[0], sizeof *text, "(x-(%.17g))^%.17g*((%.17g)-x)^%.17g", l, p, r, q);
        snprintf(text[1], sizeof *text, "sqrt((x-(%.17g))*((%.17g)-x))", l, r);
        snprintf(text[2], sizeof *text, "sqrt(%.17g-x^2)", w * w);
        snprintf(text[3], sizeof *text, "sqrt(%.17g*x-(%.17g))", slope, slope * l);
        snprintf(text[4], sizeof *text, "asin(x)");
        snprintf(text[5], sizeof *text, "acos(x)");
        for (size_t i = 0; i < 4; i++)
            snprintf(domain[i], sizeof *domain, "%.17g:%.17g", i == 2 ? -w : l, i == 2 ? w : r);
        for (size_t i = 0; i < (k == 0 ? 6 : 4); i++) {
            const steep_certified c = certify(NULL, text[i], domain[i], &options);
            hold(text[i], &c.sup, sup[i], 1e-8);
            hold(text[i], &c.rmse, sqrt(square[i]), 1e-5);
        }
    }
}

/* An error without an upper bound is not converged, and ends soon. Beyond the range is refused; 0 is not. */
START_TEST(infinite_is_not_converged)
{
    static const char *const infinite[] = {"1/(x-0.1234567)", "1/(x-y-0.12)", "sqrt(exp(x)-1+abs(x)-x)",
                                           "log(abs(x-0.1234567))"};
    static const char *const beyond[] = {"1e-281*x", "1e301*cos(x)", "1e-320*x"};
    steep_certified c;
    for (size_t k = 0; k < sizeof infinite / sizeof *infinite; k++) {
        ck_assert_msg(try(NULL, infinite[k], NULL, NULL, &c) > 0, "%s", infinite[k]);
        ck_assert_msg(c.rmse.bound.high == INFINITY && c.rmse.status == STEEP_MAX_ITERATIONS && c.rmse.bound.low > 0,
                      "%s: [%g, %g]", infinite[k], c.rmse.bound.low, c.rmse.bound.high);
        ck_assert_msg(c.rmse.boxes < 100000, "%s: %zu boxes", infinite[k], c.rmse.boxes);
    }
    try(NULL, "sqrt(x)", "0:1", NULL, &c);
    hold("sup of a root", &c.sup, 1, 1e-8);
    ck_assert(c.gradient.bound.high == INFINITY && c.gradient.bound.low > 1e6 && c.gradient.status > 0);
    c = certify(NULL, "0*x", NULL, NULL);
    ck_assert(c.sup.bound.low == 0 && c.sup.bound.high <= 1e-14 && c.gradient.bound.high <= 1e-14);
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
        check_says(try(NULL, beyond[k], NULL, NULL, &c), STEEP_BAD_INPUT, "1e-280");
        ck_assert(strstr(error.text, "1e+300") && c.sup.bound.low == 0 && c.sup.bound.high == INFINITY);
    }
}

/* A mean over a box that cannot be halved ends there: no larger number of boxes narrows it. */
START_TEST(the_last_box_is_a_floor)
{
    const double low = 1, high = nextafter(1, 2);
    steep_certify_options options = steep_certify_options_default();
    steep_certified c;
    options.what = STEEP_CERTIFY_SOBOLEV, options.low = &low, options.high = &high;
    ck_assert_int_eq(try(NULL, "relu(x-1.0000000000000001)", NULL, &options, &c), STEEP_FLOOR);
    ck_assert(c.sobolev.bound.low < 1 && c.sobolev.bound.high >= 1 && c.sobolev.bound.high < INFINITY);
}

START_TEST(bad_options_are_refused)
{
    steep_certified c;
    const steep_certify_options fine = steep_certify_options_default();
    steep_certify_options bad[] = {fine, fine, fine};
    bad[0].tolerance = NAN, bad[1].precision = 7, bad[2].power = 17;
    for (size_t k = 0; k < 3; k++) ck_assert_int_eq(try(NULL, "x", NULL, &bad[k], &c), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_certify(NULL, NULL, NULL, NULL, &c, NULL), STEEP_BAD_INPUT);
}
