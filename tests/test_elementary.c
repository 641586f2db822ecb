/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "numerics/elementary.h"

#include <float.h>
#include <stdbool.h>

#include "base/inline.h"
#include "chance.h"
#include "harness.h"

static long double sigmoid_truth(long double z)
{
    return z < 0 ? expl(z) / (1 + expl(z)) : 1 / (1 + expl(-z));
}

static long double sigmoid_rest_truth(long double z)
{
    return sigmoid_truth(-z);
}

/* erfc(-z / sqrt 2) / 2, with the rounding of the argument corrected to first order. */
static long double Phi_truth(long double z)
{
    const long double root = 0.70710678118654752440084436210484904L, rest = fmal(root, root, -0.5L) / (-2 * root);
    long double w = -z * root, lost = fmal(-z, root, -w) - z * rest;
    return (erfcl(w) - 1.12837916709551257389615890312154517L * expl(-w * w) * lost) / 2;
}

static long double phi_truth(long double z)
{
    long double square = z * z, lost = fmal(z, z, -square);
    return 0.39894228040143267793994605993438187L * expl(-square / 2) * (1 - lost / 2);
}

#define ONE_OF_PAIR(name, function, which)                                                                             \
    STEEP_INLINE double name(double z)                                                                                 \
    {                                                                                                                  \
        double a, b;                                                                                                   \
        function(z, &a, &b);                                                                                           \
        return which;                                                                                                  \
    }
ONE_OF_PAIR(sigmoid, steep_sigmoid_pair, a)
ONE_OF_PAIR(sigmoid_rest, steep_sigmoid_pair, b)
ONE_OF_PAIR(Phi, steep_normal, a)
ONE_OF_PAIR(phi, steep_normal, b)

#define LOOP(name, function)                                                                                           \
    STEEP_CLONES static void name(size_t n, const double *x, double *y)                                                \
    {                                                                                                                  \
        STEEP_INDEPENDENT for (size_t k = 0; k < n; k++) y[k] = function(x[k]);                                        \
    }
LOOP(exp_loop, steep_exp)
LOOP(expm1_loop, steep_expm1)
LOOP(log_loop, steep_log)
LOOP(log1p_loop, steep_log1p)
LOOP(tanh_loop, steep_tanh)
LOOP(atan_loop, steep_atan)
LOOP(sigmoid_loop, sigmoid)
LOOP(sigmoid_rest_loop, sigmoid_rest)
LOOP(Phi_loop, Phi)
LOOP(phi_loop, phi)

/* ulps: bound in ulp, a little above the measured error in numerics/elementary.h; [low, high]: where the function
 * varies; seam: where one formula takes over from another. */
static const struct {
    const char *name;
    void (*loop)(size_t n, const double *x, double *y);
    long double (*truth)(long double x);
    double ulps, low, high, seam;
} functions[] = {
    {"exp", exp_loop, expl, 0.8, -745.5, 709.78, 0.34657359027997264},
    {"expm1", expm1_loop, expm1l, 1.0, -40, 709.78, 0.34657359027997264},
    {"log1p", log1p_loop, log1pl, 0.9, -1, 1e3, 0.41421356237309503},
    {"tanh", tanh_loop, tanhl, 1.5, -22, 22, 0.55},
    {"sigmoid", sigmoid_loop, sigmoid_truth, 2.0, -745, 40, 0},
    {"1 - sigmoid", sigmoid_rest_loop, sigmoid_rest_truth, 2.0, -40, 745, 0},
    {"Phi", Phi_loop, Phi_truth, 2.2, -38.5, 9, 0},
    {"phi", phi_loop, phi_truth, 2.0, -38.5, 38.5, 0},
    {"log", log_loop, logl, 0.9, 0, 1e300, 0.70710678118654752},
    {"atan", atan_loop, atanl, 2.0, -1e6, 1e6, 0.41421356237309503},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, BLOCK = 1000 };

static double alone(size_t f, double x)
{
    double y;
    functions[f].loop(1, &x, &y);
    return y;
}

/* Distance in units of the last place of the truth. */
static double ulps(double y, long double truth)
{
    int e;
    frexpl(truth, &e);
    return (double)(fabsl(y - truth) / ldexpl(1, (e < -1021 ? -1021 : e) - 53));
}

/* A point of the whole range, of [-3, 3], around the seam, or near 0 with a random exponent. */
static double draw(size_t f, size_t k, steep_random *random)
{
    double low = functions[f].low, high = functions[f].high, seam = functions[f].seam, x;
    if (k % 4 == 0) return chance_within(random, low, high);
    if (k % 4 == 1) return chance_within(random, fmax(low, -3), fmin(high, 3));
    if (k % 4 == 2) x = seam * (1 + chance_within(random, -1, 1) * 0x1p-20);
    else x = exp2(chance_within(random, -60, 3));
    x = steep_random_uniform(random) < 0.5 ? -x : x;
    return x > low && x < high ? x : -x;
}

/* Errors are within their bounds; a vectorised loop of any length has the bits of single calls. */
START_TEST(errors_are_as_said)
{
    for (size_t f = 0; f < FUNCTIONS; f++) {
        steep_random random = chance_start(f);
        double most = 0, at = 0;
        for (size_t round = 0; round < chance_cases(100); round++) {
            double x[BLOCK], y[BLOCK];
            const size_t n = BLOCK - chance_below(&random, 20);
            for (size_t k = 0; k < n; k++) x[k] = draw(f, k, &random);
            functions[f].loop(n, x, y);
            for (size_t k = 0; k < n; k++) {
                const double one = alone(f, x[k]), apart = ulps(one, functions[f].truth(x[k]));
                ck_assert_msg(!memcmp(&one, &y[k], sizeof one), "%s(%.17g): %a alone, %a in a loop", functions[f].name,
                              x[k], one, y[k]);
                if (!(apart <= most)) most = apart, at = x[k];
            }
        }
        printf("%-12s %.3f ulp at %.17g (%a)\n", functions[f].name, most, at, at);
        ck_assert_msg(most <= functions[f].ulps, "%s(%.17g) is %.3f ulp away, %.2f are said", functions[f].name, at,
                      most, functions[f].ulps);
    }
}

START_TEST(special_values)
{
    static const struct {
        size_t f; /* place in functions */
        double x, y;
    } known[] = {
        /* clang-format off */
        {0, 0.0, 1}, {0, -0.0, 1}, {0, INFINITY, INFINITY}, {0, -INFINITY, 0}, {0, 710, INFINITY},
        {0, 1e300, INFINITY}, {0, -746, 0}, {0, -1e300, 0}, {0, 5e-324, 1}, {0, -1e-20, 1}, {1, 0.0, 0.0},
        {1, -0.0, -0.0}, {1, INFINITY, INFINITY}, {1, -INFINITY, -1}, {1, 5e-324, 5e-324}, {1, -1e-300, -1e-300},
        {1, 710, INFINITY}, {1, -800, -1}, {1, -40, -1}, {2, 0.0, 0.0}, {2, -0.0, -0.0}, {2, INFINITY, INFINITY},
        {2, -1, -INFINITY}, {2, -1.5, NAN}, {2, -INFINITY, NAN}, {2, 5e-324, 5e-324}, {2, -1e-300, -1e-300},
        {3, 0.0, 0.0}, {3, -0.0, -0.0}, {3, INFINITY, 1}, {3, -INFINITY, -1}, {3, 5e-324, 5e-324},
        {3, -1e-300, -1e-300}, {3, 1e300, 1}, {3, -20, -1}, {4, 0.0, 0.5}, {4, -0.0, 0.5}, {4, INFINITY, 1},
        {4, -INFINITY, 0}, {4, 50, 1}, {5, 0.0, 0.5}, {5, INFINITY, 0}, {5, -INFINITY, 1}, {6, 0.0, 0.5},
        {6, -0.0, 0.5}, {6, INFINITY, 1}, {6, -INFINITY, 0}, {6, -1e200, 0}, {6, 1e200, 1}, {7, INFINITY, 0},
        {7, -INFINITY, 0}, {7, 0.0, STEEP_SQRT1_2PI}, {7, 1e300, 0}, {8, 0.0, -INFINITY}, {8, -0.0, -INFINITY},
        {8, 1, 0.0}, {8, INFINITY, INFINITY}, {8, -1, NAN}, {8, -INFINITY, NAN}, {8, 5e-324, -744.4400719213812},
        {9, 0.0, 0.0}, {9, -0.0, -0.0}, {9, INFINITY, M_PI / 2}, {9, -INFINITY, -M_PI / 2},
        {9, 1, M_PI / 4}, {9, 5e-324, 5e-324},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double y = alone(known[i].f, known[i].x), should = known[i].y;
        ck_assert_msg(memcmp(&y, &should, sizeof y) == 0 || (isnan(y) && isnan(should)), "%s(%g) is %g, should be %g",
                      functions[known[i].f].name, known[i].x, y, should);
    }
    for (size_t f = 0; f < FUNCTIONS; f++) {
        double x[9], y[9];
        for (int k = 0; k < 9; k++) x[k] = k % 2 ? NAN : -NAN;
        functions[f].loop(9, x, y);
        for (int k = 0; k < 9; k++) ck_assert_msg(isnan(y[k]), "%s loses a NaN", functions[f].name);
    }
    for (double x = 700; x < 800; x += 0.005) { /* around the largest and the smallest numbers */
        ck_assert(isinf(steep_exp(x)) == (expl(x) > (long double)DBL_MAX));
        check_close(steep_exp(-x), expl(-(long double)x), fmax(0x1p-1074, DBL_EPSILON * exp(-x)));
    }
}

START_TEST(bits_are_those_of_other_machines)
{
    static const uint64_t stored[FUNCTIONS] = {
        0x24a689ab652c2539, 0xb08d6478ce686f4d, 0xe5af746b1780f3f0, 0xbe38fc4d18b37199, 0x7f0a4b6a3ed56e3b,
        0x5210985d6e44573d, 0x8081f7dda514a587, 0x53fd1415b309449c, 0x6ea27099612a25ac, 0x4b527815cb46b510};
    for (size_t f = 0; f < FUNCTIONS; f++) {
        steep_random random = steep_random_start(0, ((uint64_t)STEEP_STREAM_TEST << 32) + 300 + f);
        uint64_t hash = 0xcbf29ce484222325;
        for (size_t k = 0; k < 20000; k++) {
            double low = functions[f].low, high = functions[f].high;
            double x = k % 2 ? low + (high - low) * steep_random_uniform(&random)
                             : ldexp(2 * steep_random_uniform(&random) - 1, (int)(k % 40) - 36);
            if (f == 8) x = fabs(x);
            hash = (hash ^ steep_bits(x < -1 && f == 2 ? 1.0 : alone(f, x))) * 0x100000001b3;
        }
        ck_assert_msg(hash == stored[f], "%s has other bits here: 0x%016llx", functions[f].name,
                      (unsigned long long)hash);
    }
}

START_TEST(bits_of_sine_and_cosine_are_those_of_other_machines)
{
    steep_random random = steep_random_start(0, ((uint64_t)STEEP_STREAM_TEST << 32) + 400);
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t k = 0; k < 20000; k++) {
        double s, c, x = ldexp(2 * steep_random_uniform(&random) - 1, k % 2 ? 4 : (int)(k % 60) - 39);
        steep_sin_cos(x, &s, &c);
        hash = (hash ^ steep_bits(s)) * 0x100000001b3;
        hash = (hash ^ steep_bits(c)) * 0x100000001b3;
    }
    ck_assert_msg(hash == 0x867d7f6d40e23938, "sine and cosine have other bits here: 0x%016llx",
                  (unsigned long long)hash);
}

/* Within 2^-52 of sin and cos for |x| <= 2^20, near multiples of pi/2 too; NaN beyond. */
START_RANDOM_TEST(sine_and_cosine, 50)
{
    for (size_t k = 0; k < chance_cases(50000); k++) {
        double x = ldexp(chance_within(&random, -1, 1), (int)(k % 60) - 39), s, c;
        if (k % 3 == 0) x = (double)(1.57079632679489661923L * roundl(x / 1.57079632679489661923L));
        steep_sin_cos(x, &s, &c);
        ck_assert_msg(fabsl(s - sinl(x)) <= DBL_EPSILON && fabsl(c - cosl(x)) <= DBL_EPSILON,
                      "at %.17g: sin %.17g, cos %.17g", x, s, c);
    }
    static const double beyond[] = {0x1.0000000000001p20, -1e300, INFINITY, -INFINITY, NAN};
    for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
        double s, c;
        steep_sin_cos(beyond[k], &s, &c);
        ck_assert(isnan(s) && isnan(c));
    }
}
