/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long_double: against the C library's functions of 113 bits, which it computes by integers. */
#include "base/long_double.h"

#include <string.h>

#include "chance.h"
#include "harness.h"

typedef long double function(long double x);

#if defined __x86_64__ && defined __GLIBC__
__float128 expf128(__float128), expm1f128(__float128), logf128(__float128), log1pf128(__float128);
__float128 sinhf128(__float128), coshf128(__float128), tanhf128(__float128), atanf128(__float128), acosf128(__float128);
__float128 powf128(__float128, __float128);

static long double power(long double x)
{
    return steep_powl(x, 1.7L);
}

static long double power_in_c(long double x)
{
    return powl(x, 1.7L);
}

static __float128 true_power(__float128 x)
{
    return powf128(x, 1.7L);
}

static const struct {
    const char *name;
    function *ours, *c;
    __float128 (*truth)(__float128);
    long double low, high;
    double ulps;   /* as the header says */
    uint64_t bits; /* a hash of values at fixed arguments, as every processor and compiler must give it */
} functions[] = {
    {"exp", steep_expl, expl, expf128, -11400, 11356, 1, 0x77dc700839dd2d14},
    {"expm1", steep_expm1l, expm1l, expm1f128, -70, 11356, 1.3, 0xf419b3a243ed9ad6},
    {"log", steep_logl, logl, logf128, 0x1p-16400L, 2, 0.9, 0x2bce5f0691b1f981},
    {"log1p", steep_log1pl, log1pl, log1pf128, -1, 3, 0.9, 0x05f71acffbefa873},
    {"sinh", steep_sinhl, sinhl, sinhf128, -11357, 11357, 2.6, 0x69bc5bf90c662a8e},
    {"cosh", steep_coshl, coshl, coshf128, -11357, 11357, 2.6, 0xebcf6b5689ef45af},
    {"tanh", steep_tanhl, tanhl, tanhf128, -40, 40, 2.7, 0x05c0d1e05a974d83},
    {"atan", steep_atanl, atanl, atanf128, -10, 10, 3, 0xc4bc79984ecc9bca},
    {"acos", steep_acosl, acosl, acosf128, -1, 1, 1.4, 0xc6858cd83534d873},
    {"pow", power, power_in_c, true_power, 0, 1e3, 1.3, 0x4da6e598a1323cce},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* |y - truth| in units of the last digit of truth, a normal number or the least */
static double ulps(long double y, __float128 truth)
{
    int exponent;
    frexpl((long double)truth, &exponent);
    const __float128 apart = y > truth ? y - truth : truth - y;
    return (double)ldexpl((long double)apart, 64 - (exponent < -16381 ? -16381 : exponent));
}

/* An argument between low and high: of the whole range, of -3 to 3, or of any size. */
static long double draw(size_t f, size_t k, steep_random *random)
{
    const long double low = functions[f].low, high = functions[f].high;
    const long double u = steep_random_uniform(random), v = u + 0x1p-53L * steep_random_uniform(random);
    const long double x = k % 3 == 0 ? low + (high - low) * v : k % 3 == 1 ? 6 * v - 3 : exp2l(90 * v - 80);
    const long double y = k % 2 ? -x : x;
    return y > low && y < high ? y : -y > low && -y < high ? -y : low + (high - low) * v;
}

START_TEST(errors_are_as_said)
{
    for (size_t f = 0; f < FUNCTIONS; f++) {
        steep_random random = chance_start(f);
        for (size_t k = 0; k < chance_cases(3000); k++) {
            const long double x = draw(f, k, &random), y = functions[f].ours(x);
            const double apart = ulps(y, functions[f].truth(x));
            ck_assert_msg(apart <= functions[f].ulps, "%s(%.21Lg) = %.21Lg is %.3f ulp away", functions[f].name, x, y,
                          apart);
        }
    }
}

START_TEST(special_values_are_those_of_c)
{
    static const long double at[] = {0.0L,      -0.0L, 1,        -1,        2,       -2,       INFINITY,
                                     -INFINITY, NAN,   1e-4940L, -1e-4940L, 1e4900L, -1e4900L, 11356.6L,
                                     -11398,    60,    -60,      45,        -45};
    for (size_t f = 0; f < FUNCTIONS; f++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            const long double y = functions[f].ours(at[k]), c = functions[f].c(at[k]);
            ck_assert_msg(isnan(y) && isnan(c) ? true
                          : isinf(c)           ? y == c
                                               : !signbit(y) == !signbit(c) && ulps(y, c) <= 3,
                          "%s(%Lg) = %.21Lg, in C %.21Lg", functions[f].name, at[k], y, c);
        }
}

START_TEST(bits_are_those_of_other_machines)
{
    for (size_t f = 0; f < FUNCTIONS; f++) {
        steep_random random = steep_random_start(0, ((uint64_t)STEEP_STREAM_TEST << 32) + 500 + f);
        uint64_t hash = 0xcbf29ce484222325;
        for (size_t k = 0; k < 3000; k++) {
            uint64_t mantissa;
            const long double y = functions[f].ours(draw(f, k, &random));
            memcpy(&mantissa, &y, sizeof mantissa);
            hash = (hash ^ mantissa) * 0x100000001b3;
        }
        ck_assert_msg(hash == functions[f].bits, "%s has other bits here: 0x%016llx", functions[f].name,
                      (unsigned long long)hash);
    }
}
#else
START_TEST(nothing_of_its_own)
{
    ck_assert(steep_expl(1) == expl(1));
}
#endif

STEEP_TEST_MAIN("long_double")
