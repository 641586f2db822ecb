/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formula: a formula, and behind it coordinates of a point. Every evaluator at that point, against the others:
 *
 *   value        double, long double, the first coefficient of the jet, the tape of a unit: each within the running
 *                error bound (certify/enclosed.h) of what balls of 128 bits enclose; those of doubles meet the balls
 *   derivatives  the jet's coefficients and the tape's gradient and Hessian: near the enclosures
 *
 * "Near" is no proved bound: an interval is as wide as the rounding of one way to the number, and another way may lose
 * several times as much, so SLACK widths are allowed. Without the annex certify: the parser and titles only. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#include "draw/figure.h"
#include "formula/program.h"
#include "fuzz.h"

#if __has_include("certify/enclosed.h")
#include "certify/enclosed.h"
#include "formula_steps.h"

enum { MOST_DIM = 3, NUMBERS = 1 + MOST_DIM + MOST_DIM * (MOST_DIM + 1) / 2, BITS = 128, SLACK = 64 };
enum { MOST_LENGTH = 600 };

typedef struct point {
    const char *text;
    const steep_formula *f;
    size_t d;
    double x[MOST_DIM];
    /* Value, gradient and Hessian: at the point; on a small box around it, where a derivative that does not exist at
     * the point alone is unbounded. */
    steep_interval ball[NUMBERS], fast[NUMBERS], ball_near[NUMBERS], fast_near[NUMBERS];
    double loss;  /* a bound on the rounding of the value in double */
    bool precise; /* the constants are right, up to rounding */
    bool own;     /* no kink is met and no constant folded: long double has a bound by its own digits */
} point;

static bool is_bounded(const steep_interval *a)
{
    return a->low > -INFINITY && a->high < INFINITY;
}

static void enclose_intervals(const steep_enclosed *e, const steep_enclosing *how, const steep_interval *box,
                              steep_interval *out)
{
    const size_t n = steep_jet_numbers(how->d, 2), cells = e->height + e->places + 3;
    steep_interval *stack = fuzz_new(cells * n, sizeof *stack), input[MOST_DIM * NUMBERS] = {{0, 0}};
    for (size_t j = 0; j < how->d; j++) {
        input[j * n] = box[j];
        input[j * n + 1 + j] = (steep_interval){1, 1};
    }
    steep_enclosed_intervals(e, how, input, stack);
    memcpy(out, stack, n * sizeof *stack);
    free(stack);
}

static void enclose_balls(const steep_enclosed *e, const steep_enclosing *how, const steep_interval *box,
                          steep_interval *out)
{
    const size_t n = steep_jet_numbers(how->d, 2), cells = (e->height + e->places + 3) * n;
    steep_ball *stack = fuzz_new(cells, sizeof *stack), input[MOST_DIM * NUMBERS];
    for (size_t c = 0; c < cells; c++) arb_init(&stack[c]);
    for (size_t i = 0; i < how->d * n; i++) arb_init(&input[i]);
    for (size_t j = 0; j < how->d; j++) {
        steep_ball_set_interval(&input[j * n], &box[j]);
        steep_ball_set_double(&input[j * n + 1 + j], 1);
    }
    steep_enclosed_balls(e, how, input, stack);
    for (size_t q = 0; q < n; q++) steep_ball_get_interval(&out[q], &stack[q]);
    for (size_t c = 0; c < cells; c++) arb_clear(&stack[c]);
    for (size_t i = 0; i < how->d * n; i++) arb_clear(&input[i]);
    free(stack);
}

static void bound_rounding(point *p, const steep_enclosed *e)
{
    steep_rounded *stack = fuzz_new(e->height + e->places + 1, sizeof *stack), at[MOST_DIM];
    for (size_t j = 0; j < p->d; j++) at[j] = (steep_rounded){{p->x[j], p->x[j]}, 0};
    steep_enclosed_rounding(e, at, stack);
    p->loss = stack[0].error;
    free(stack);
}

static void check_meet(const point *p, const char *where, const steep_interval *ball, const steep_interval *fast)
{
    for (size_t q = 0; q < steep_jet_numbers(p->d, 2); q++)
        if (!(fast[q].low <= ball[q].high && ball[q].low <= fast[q].high))
            fuzz_broken("%s %s %.17g, %.17g: number %zu, balls [%.17g, %.17g], intervals [%.17g, %.17g]", p->text,
                        where, p->x[0], p->x[p->d > 1], q, ball[q].low, ball[q].high, fast[q].low, fast[q].high);
}

/* True if the program has every constant as the text writes it, except exponents. */
static bool is_unfolded(const char *text, const steep_enclosed *e)
{
    steep_formula *f = NULL;
    fuzz_must(text, steep_formula_read(text, true, NULL, &f, &fuzz_error));
    size_t length = e->length;
    for (size_t i = 0; i < e->length; i++) length += e->program[i].code == STEEP_CODE_INTEGER_POWER;
    const bool same = f->length == length;
    steep_formula_free(f);
    return same;
}

/* True if the folded constants kept nearly all digits of long double: 1 + 1e-4 - 1 does not. */
static bool are_precise(const steep_enclosed *e)
{
    bool precise = true;
    for (size_t c = 0; c < e->constants; c++) {
        const steep_interval *a = &e->constant[c].interval;
        const long double computed = e->constant[c].computed, loss = 0x1p-58L * fmaxl(fabsl(a->low), fabsl(a->high));
        precise = precise && computed >= a->low - loss && computed <= a->high + loss;
    }
    return precise;
}

static void enclose(point *p)
{
    steep_enclosed e;
    fuzz_must("parsed and not enclosed", steep_enclosed_open(p->text, NULL, &e, &fuzz_error));
    signed char *met = fuzz_new(e.kinks + 1, 1);
    const steep_enclosing how = {.d = p->d, .order = 2, .precision = BITS, .met = met};
    steep_interval at[MOST_DIM], near[MOST_DIM];
    for (size_t j = 0; j < p->d; j++) {
        const double width = (fabs(p->x[j]) + 0x1p-20) * 0x1p-44;
        at[j] = (steep_interval){p->x[j], p->x[j]};
        near[j] = (steep_interval){p->x[j] - width, p->x[j] + width};
    }
    enclose_intervals(&e, &how, at, p->fast);
    p->own = memchr(met, 1, e.kinks + 1) == NULL && is_unfolded(p->text, &e);
    enclose_intervals(&e, &how, near, p->fast_near);
    p->precise = are_precise(&e);
    enclose_balls(&e, &how, at, p->ball);
    enclose_balls(&e, &how, near, p->ball_near);
    bound_rounding(p, &e);
    free(met);
    steep_enclosed_close(&e);
    check_meet(p, "at", p->ball, p->fast);
    check_meet(p, "near", p->ball_near, p->fast_near);
}

/* Requires y within `loss` of the enclosure of the true number, if both are bounded. */
static void check_value(const point *p, const char *who, long double y, double loss)
{
    const steep_interval *true_number = &p->ball[0];
    if (!(loss < INFINITY) || !is_bounded(true_number)) return;
    if (!(y >= (long double)true_number->low - loss && y <= (long double)true_number->high + loss))
        fuzz_broken("%s at %.17g, %.17g: %s gives %.21Lg, the truth is in [%.17g, %.17g], rounding is below %.3g",
                    p->text, p->x[0], p->x[p->d > 1], who, y, true_number->low, true_number->high, loss);
}

/* Returns the value in double, which must be the same in a block of points as alone. */
static double value(const point *p)
{
    double x[3 * MOST_DIM], y[3], alone;
    for (size_t j = 0; j < p->d; j++) {
        x[3 * j] = x[3 * j + 2] = p->x[j];
        x[3 * j + 1] = -1 - p->x[j];
    }
    steep_formula_values(p->f, 3, x, y);
    steep_formula_values(p->f, 1, p->x, &alone);
    if (!fuzz_same(y[0], y[2]) || !fuzz_same(y[0], alone))
        fuzz_broken("%s at %.17g: %.17g, %.17g, %.17g", p->text, p->x[0], y[0], y[2], alone);
    return alone;
}

static void check_values(const point *p, long double c0)
{
    long double x[MOST_DIM];
    for (size_t j = 0; j < p->d; j++) x[j] = p->x[j];
    const long double reference = steep_formula_reference(p->f, x);
    check_value(p, "double", value(p), p->loss);
    check_value(p, "long double", reference, p->loss);
    if (p->own) check_value(p, "long double, by its own digits,", reference, p->loss / 256 + 1e-280);
    /* A jet is of t > 0 and knows no -0, which shows where the formula is not defined: 1/x at -0. */
    if (is_bounded(&p->ball[0]) && c0 != reference && !(isnan(c0) && isnan(reference)))
        fuzz_broken("%s at %.17g: the jet begins with %.21Lg, long double gives %.21Lg", p->text, p->x[0], c0,
                    reference);
}

/* Requires y near the enclosures; slack is in widths of the interval of doubles. */
static void check_derivative(const point *p, const char *who, size_t q, long double y, double slack)
{
    const steep_interval *a = &p->fast_near[q], *b = &p->ball_near[q];
    if (!is_bounded(a) || !is_bounded(b) || !is_bounded(&p->ball_near[0])) return;
    if (!(p->loss < INFINITY) || !p->precise) return;
    if (!(a->high - a->low < 1e6 * (1 + fabs(b->low) + fabs(b->high)))) return; /* doubles are near overflow */
    const long double more = slack * ((long double)a->high - a->low) + 1e-150L;
    if (!(y >= b->low - more && y <= b->high + more))
        fuzz_broken("%s at %.17g, %.17g: %s number %zu is %.21Lg, balls [%.17g, %.17g], intervals [%.17g, %.17g]",
                    p->text, p->x[0], p->x[p->d > 1], who, q, y, b->low, b->high, a->low, a->high);
}

/* Checks the jet along x: all orders are computed, two are enclosed. Low orders alone are the same, up to rounding: if
 * high orders overflow, a power may be computed by its logarithm. */
static void check_jet(const point *p)
{
    long double x[MOST_DIM], c[STEEP_JET_ORDER + 1], few[3];
    for (size_t j = 0; j < p->d; j++) x[j] = p->x[j];
    steep_formula_jet(p->f, x, NULL, STEEP_JET_ORDER, c);
    steep_formula_jet(p->f, x, NULL, 2, few);
    check_values(p, c[0]);
    const long double size = fabsl(c[0]) + fabsl(c[1]) + fabsl(c[2]);
    for (size_t k = 0; k < 3; k++)
        if (fabsl(few[k] - c[k]) > 0x1p-40L * size) /* NaN: unknown from so many orders */
            fuzz_broken("%s at %.17g: coefficient %zu is %.21Lg, and %.21Lg of more orders", p->text, p->x[0], k,
                        few[k], c[k]);
    check_derivative(p, "the jet's", 1, c[1], 1);
    check_derivative(p, "the jet's", 1 + p->d, 2 * c[2], 1);
}

/* The formula with its coordinates named as a unit's branches. */
static char *as_unit(const char *text)
{
    char *unit = NULL;
    size_t size;
    FILE *out = open_memstream(&unit, &size);
    if (!out) fuzz_broken("no memory for a unit");
    for (const char *c = text; *c; c++) {
        const bool begins = c == text || !(isalnum((unsigned char)c[-1]) || strchr("._", c[-1])),
                   ends = !isalnum((unsigned char)c[1]) && c[1] != '_';
        if (begins && ends && *c >= 'x' && *c <= 'z') fprintf(out, "z%d", *c - 'x' + 1);
        else fputc(begins && *c == 'x' ? 'z' : *c, out);
    }
    fclose(out);
    return unit;
}

static void check_tape(const point *p)
{
    size_t counts[5], own, shared;
    steep_formula *unit = NULL;
    char *text = as_unit(p->text);
    const bool fine = fuzz_accepted(steep_formula_parse_unit(text, &unit, counts, &fuzz_error));
    free(text);
    if (!fine) return; /* a coordinate that is left out, no coordinate at all */
    double h, g[MOST_DIM], H[NUMBERS], *gradient[MOST_DIM], *hessian[NUMBERS];
    const double *in[MOST_DIM];
    for (size_t j = 0; j < MOST_DIM; j++) in[j] = &p->x[j], gradient[j] = &g[j];
    for (size_t q = 0; q < NUMBERS; q++) hessian[q] = &H[q];
    if (steep_formula_dim(unit) != p->d) fuzz_broken("%s: %zu inputs", p->text, steep_formula_dim(unit));
    for (int order = 0; order <= 2; order++) {
        steep_formula_derivatives(unit, &(steep_tile){1, in, order, &h, gradient, hessian});
        check_value(p, "the tape", h, p->loss);
        if (formula_steps(unit, order, p->d, &own, &shared) != STEEP_OK) fuzz_broken("no memory to count steps");
    }
    for (size_t j = 0; j < p->d; j++) check_derivative(p, "the tape's", 1 + j, g[j], SLACK);
    for (size_t q = 0; q < p->d * (p->d + 1) / 2; q++) check_derivative(p, "the tape's", 1 + p->d + q, H[q], SLACK);
    steep_formula_free(unit);
}

static void check_formula(const char *text, const steep_formula *f, char *numbers)
{
    static const double usual[MOST_DIM] = {0.375, -1.25, 0.7};
    point p = {.text = text, .f = f, .d = steep_formula_dim(f)};
    char *word[MOST_DIM];
    if (p.d > MOST_DIM) return;
    const size_t given = fuzz_words(numbers, word, MOST_DIM);
    for (size_t j = 0; j < p.d; j++) {
        p.x[j] = j < given ? strtod(word[j], NULL) : usual[j];
        if (!isfinite(p.x[j])) p.x[j] = usual[j];
    }
    enclose(&p);
    check_jet(&p);
    check_tape(&p);
}
#else
enum { MOST_LENGTH = 600 };

static void check_formula(const char *text, const steep_formula *f, char *numbers)
{
    (void)text, (void)f, (void)numbers;
}
#endif

static void check_titles(const char *text)
{
    for (int how = 0; how < 4; how++) {
        char *title = steep_title(text, how & 1, how & 2);
        if (!title) fuzz_broken("no memory for a title");
        free(title);
    }
}

void fuzz_formula(const uint8_t *data, size_t size)
{
    fuzz_text input = fuzz_split(data, size);
    char *text = input.first, numbers[100];
    steep_formula *f = NULL;
    const size_t length = input.size < sizeof numbers - 1 ? input.size : sizeof numbers - 1;
    if (length) memcpy(numbers, input.rest, length);
    numbers[length] = '\0';
    if (fuzz_accepted(steep_formula_parse(text, &f, &fuzz_error))) {
        if (strcmp(text, steep_formula_text(f)) != 0) fuzz_broken("another text");
        check_titles(text);
        if (strlen(text) <= MOST_LENGTH) check_formula(text, f, numbers);
    }
    steep_formula_free(f);
    free(text);
}
