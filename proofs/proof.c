/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proof.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "certify/ball.h"

void figure(proof *p, const char *format, ...)
{
    va_list arguments;
    if (!p->out) return;
    fputs("    ", p->out);
    va_start(arguments, format);
    vfprintf(p->out, format, arguments);
    va_end(arguments);
    fputc('\n', p->out);
}

/* Counts, and says what failed; under strain failing is what is wanted, and nothing is said. */
static bool count(proof *p, const char *what, bool held, const char *numbers)
{
    if (held) p->held++;
    else p->failed++;
    if (!held && p->strain == 0) fprintf(p->out ? p->out : stderr, "    DOES NOT HOLD: %s: %s\n", what, numbers);
    return held;
}

static bool compare(proof *p, const char *what, double value, char sign, double bound)
{
    char numbers[128];
    snprintf(numbers, sizeof numbers, "%.17g %s %.17g is wanted", value,
             sign == '<'   ? "<="
             : sign == '>' ? ">="
                           : "=",
             bound);
    return count(p, what, sign == '<' ? value <= bound : value >= bound, numbers);
}

bool at_least(proof *p, const char *what, double value, double bound, double tolerance)
{
    p->measured++;
    return compare(p, what, value, '>', bound + p->strain * fabs(bound) - tolerance);
}

bool at_most(proof *p, const char *what, double value, double bound, double tolerance)
{
    p->measured++;
    return compare(p, what, value, '<', bound - p->strain * fabs(bound) + tolerance);
}

bool equals(proof *p, const char *what, double value, double expected, double tolerance)
{
    char numbers[160];
    const double wanted = expected + p->strain * (expected == 0 ? 1 : fabs(expected));
    p->measured++;
    snprintf(numbers, sizeof numbers, "%.17g = %.17g within %.3g is wanted", value, wanted, tolerance);
    return count(p, what, fabs(value - wanted) <= tolerance, numbers);
}

/* The bound moved by sign * strain * |bound| (by strain where it is 0). */
static exact strained(proof *p, exact bound, int sign)
{
    if (p->strain == 0) return bound;
    exact part = exact_of_double(p->pool, sign * p->strain);
    exact size = fmpq_sgn(bound) == 0 ? frac(p->pool, 1, 1) : exact_abs(p->pool, bound);
    return exact_add(p->pool, bound, exact_mul(p->pool, part, size));
}

static bool compare_exact(proof *p, const char *what, exact value, int wanted, exact bound)
{
    char *const a = fmpq_get_str(NULL, 10, value), *const b = fmpq_get_str(NULL, 10, bound), numbers[400];
    const int sign = exact_compare(p->pool, value, bound);
    snprintf(numbers, sizeof numbers, "%.159s %s %.159s is wanted", a, wanted < 0 ? "<=" : wanted > 0 ? ">=" : "=", b);
    flint_free(a), flint_free(b);
    p->exact++;
    return count(p, what, wanted < 0 ? sign <= 0 : wanted > 0 ? sign >= 0 : sign == 0, numbers);
}

bool exact_at_least(proof *p, const char *what, exact value, exact bound)
{
    return compare_exact(p, what, value, 1, strained(p, bound, 1));
}

bool exact_at_most(proof *p, const char *what, exact value, exact bound)
{
    return compare_exact(p, what, value, -1, strained(p, bound, -1));
}

bool exact_equals(proof *p, const char *what, exact value, exact expected)
{
    return compare_exact(p, what, value, 0, strained(p, expected, 1));
}

bool surely_at_least(proof *p, const char *what, steep_interval value, double bound)
{
    p->certified++;
    return compare(p, what, value.low, '>', bound + p->strain * fabs(bound));
}

bool surely_at_most(proof *p, const char *what, steep_interval value, double bound)
{
    p->certified++;
    return compare(p, what, value.high, '<', bound - p->strain * fabs(bound));
}

bool encloses(proof *p, const char *what, steep_interval value, steep_interval expected, double tolerance)
{
    char numbers[240];
    const double shift = p->strain * fabs(expected.low);
    const bool meet = value.low <= expected.high + shift && expected.low + shift <= value.high;
    p->certified++;
    snprintf(numbers, sizeof numbers, "[%.17g, %.17g] around [%.17g, %.17g], of width %.3g at most, is wanted",
             value.low, value.high, expected.low + shift, expected.high + shift, tolerance);
    return count(p, what, meet && value.high - value.low <= tolerance, numbers);
}

bool holds(proof *p, const char *what, bool it_does, bool exactly)
{
    if (exactly) p->exact++;
    else p->measured++;
    return count(p, what, it_does, "it does not");
}

enclosed_norms enclose(proof *p, const char *formula, double half_side, unsigned what, double tolerance)
{
    enclosed_norms out = {.fine = false};
    const double low[] = {-half_side, -half_side, -half_side}, high[] = {half_side, half_side, half_side};
    const double mixed[] = {0, 1, 0, 0, 0, 0};
    steep_target *target = NULL;
    steep_error error;
    steep_certify_options options = steep_certify_options_default();
    options.what = what, options.tolerance = tolerance, options.low = low, options.high = high, options.second = mixed;
    steep_status status = steep_target_open(formula, &target, &error);
    if (status == STEEP_OK) status = steep_certify(NULL, NULL, target, &options, &out.norms, &error);
    steep_target_free(target);
    out.fine = status >= STEEP_OK;
    if (!out.fine) count(p, formula, false, error.text);
    return out;
}

steep_interval ball_of(void (*f)(steep_ball *, const steep_ball *, int), double x)
{
    steep_ball a;
    steep_interval out;
    arb_init(&a);
    steep_ball_set_double(&a, x);
    f(&a, &a, 128);
    steep_ball_get_interval(&out, &a);
    arb_clear(&a);
    return out;
}

double between(proof *p, double low, double high)
{
    return low + (high - low) * steep_random_uniform(&p->random);
}

size_t below(proof *p, size_t n)
{
    return (size_t)(steep_random_uniform(&p->random) * (double)n);
}

size_t cases(const proof *p, size_t usual)
{
    return usual * p->times * (p->slow ? 10 : 1);
}
