/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/enclosed.h"

#include <stdlib.h>

enum {
    BITS = 256,
    LARGEST_POWER = 64,
    LARGEST_FRACTION = 1 << 16 /* bits; a constant that takes more is kept as a ball only */
};

#define ROW(code, name) [STEEP_CODE_##code] = steep_ball_##name,
static void (*const smooth_ball[])(steep_ball *, const steep_ball *, int) = {STEEP_SMOOTH(ROW)};

static void constant_clear(steep_constant *c)
{
    arb_clear(&c->ball);
    fmpq_clear(&c->fraction);
}

static bool read_number(const steep_instruction *i, steep_constant *c)
{
    bool fine = true;
    arb_init(&c->ball);
    fmpq_init(&c->fraction);
    c->exact = false;
    c->computed = i->number;
    if (i->text) {
        c->exact = steep_rational_set_text(&c->fraction, i->text, (size_t)i->index);
        if (c->exact) arb_set_fmpq(&c->ball, &c->fraction, BITS);
        else fine = steep_ball_set_text(&c->ball, i->text, (size_t)i->index, BITS);
    } else if (i->index == 1) arb_const_pi(&c->ball, BITS);
    else arb_const_e(&c->ball, BITS);
    return fine;
}

/* c = max(c, 0), |c| or sign c, by the fraction where there is one. */
static void fold_kink(steep_code code, steep_constant *c)
{
    const int side = c->exact ? fmpq_sgn(&c->fraction) : steep_ball_side(&c->ball);
    const bool is_sure = c->exact || side != 0; /* else the ball contains 0, as that of sin(pi) does */
    if (code == STEEP_CODE_ABS) {
        steep_ball_abs(&c->ball, &c->ball, BITS);
        fmpq_abs(&c->fraction, &c->fraction);
    } else if (is_sure && (code == STEEP_CODE_SIGN || side <= 0)) {
        c->exact = true;
        fmpq_set_si(&c->fraction, code == STEEP_CODE_SIGN ? side : 0, 1);
        arb_set_fmpq(&c->ball, &c->fraction, BITS);
    } else if (code == STEEP_CODE_SIGN) {
        arb_zero_pm_one(&c->ball);
    } else if (!is_sure) {
        arb_t zero;
        arb_init(zero);
        steep_ball_greater(&c->ball, &c->ball, zero, BITS);
        arb_clear(zero);
    }
}

static void fold_unary(steep_code code, steep_constant *c)
{
    if (code == STEEP_CODE_NEGATE) {
        fmpq_neg(&c->fraction, &c->fraction);
        steep_ball_neg(&c->ball, &c->ball);
    } else if (code == STEEP_CODE_RELU || code == STEEP_CODE_SIGN || code == STEEP_CODE_ABS) {
        fold_kink(code, c);
    } else {
        c->exact = false;
        smooth_ball[code](&c->ball, &c->ball, BITS);
    }
}

/* a = a^b; exact where a is a fraction and b an integer of at most LARGEST_POWER in size. */
static void fold_power(steep_constant *a, const steep_constant *b)
{
    int n = 0;
    if (!steep_ball_is_integer(&b->ball, LARGEST_POWER, &n)) {
        a->exact = false;
        steep_ball_raise(&a->ball, &a->ball, &b->ball, BITS);
        return;
    }
    steep_ball_power(&a->ball, &a->ball, n, BITS);
    a->exact = a->exact && (n >= 0 || fmpq_sgn(&a->fraction) != 0) &&
               steep_rational_bits(&a->fraction) * (size_t)(n < 0 ? -n : n) <= LARGEST_FRACTION;
    if (a->exact) fmpq_pow_si(&a->fraction, &a->fraction, n);
}

static void fold_binary(steep_code code, steep_constant *a, const steep_constant *b)
{
    static const struct {
        void (*ball)(steep_ball *, const steep_ball *, const steep_ball *, int);
        void (*fraction)(fmpq_t, const fmpq_t, const fmpq_t);
    } fold[] = {[STEEP_CODE_ADD] = {steep_ball_add, fmpq_add},      [STEEP_CODE_SUBTRACT] = {steep_ball_sub, fmpq_sub},
                [STEEP_CODE_MULTIPLY] = {steep_ball_mul, fmpq_mul}, [STEEP_CODE_DIVIDE] = {steep_ball_div, fmpq_div},
                [STEEP_CODE_LESSER] = {steep_ball_lesser, NULL},    [STEEP_CODE_GREATER] = {steep_ball_greater, NULL}};
    a->exact = a->exact && b->exact && fold[code].fraction &&
               !(code == STEEP_CODE_DIVIDE && fmpq_sgn(&b->fraction) == 0) &&
               steep_rational_bits(&a->fraction) + steep_rational_bits(&b->fraction) <= LARGEST_FRACTION;
    fold[code].ball(&a->ball, &a->ball, &b->ball, BITS);
    if (a->exact) fold[code].fraction(&a->fraction, &a->fraction, &b->fraction);
}

static bool is_number(const steep_enclosed *e, size_t behind)
{
    return e->length >= behind && e->program[e->length - behind].code == STEEP_CODE_NUMBER;
}

/* Appends an instruction; if its operands are numbers, it is carried out at once. */
static bool append(steep_enclosed *e, const steep_instruction *i)
{
    const size_t needs = steep_operands(i->code);
    int n = 0;
    if (i->code == STEEP_CODE_NUMBER) {
        e->program[e->length++] = (steep_instruction){.code = STEEP_CODE_NUMBER, .index = (int)e->constants};
        return read_number(i, &e->constant[e->constants++]);
    }
    if (needs == 1 && i->code != STEEP_CODE_STORE && is_number(e, 1)) {
        steep_constant *c = &e->constant[e->constants - 1];
        fold_unary(i->code, c);
        c->computed = steep_program_unary(i->code, c->computed);
        return true;
    }
    if (needs == 2 && is_number(e, 1) && is_number(e, 2)) {
        steep_constant *a = &e->constant[e->constants - 2], *b = a + 1;
        if (i->code == STEEP_CODE_POWER) fold_power(a, b);
        else fold_binary(i->code, a, b);
        a->computed = steep_program_binary(i->code, a->computed, b->computed);
        constant_clear(&e->constant[--e->constants]);
        e->length--;
        return true;
    }
    /* The evaluators' exponent is another one where constants of long double underflow: x^0^(1e-6000). */
    if (i->code == STEEP_CODE_POWER && is_number(e, 1) &&
        steep_ball_is_integer(&e->constant[e->constants - 1].ball, LARGEST_POWER, &n) &&
        e->constant[e->constants - 1].computed == n) {
        constant_clear(&e->constant[--e->constants]);
        e->program[e->length - 1] = (steep_instruction){.code = STEEP_CODE_INTEGER_POWER, .index = n};
        return true;
    }
    e->kinks += steep_is_kink(i->code);
    e->program[e->length++] = *i;
    return true;
}

steep_status steep_enclosed_open(const char *text, size_t *counts, steep_enclosed *enclosed, steep_error *error)
{
    steep_formula *f = NULL;
    *enclosed = (steep_enclosed){0};
    steep_status status = steep_formula_read(text, true, counts, &f, error);
    if (status != STEEP_OK) return status;
    *enclosed = (steep_enclosed){.dim = f->dim, .height = f->height, .places = f->places};
    enclosed->program = malloc(f->length * sizeof *enclosed->program);
    enclosed->constant = malloc(f->length * sizeof *enclosed->constant);
    bool fine = enclosed->program && enclosed->constant;
    for (size_t i = 0; fine && i < f->length; i++) fine = append(enclosed, &f->program[i]);
    for (size_t c = 0; fine && c < enclosed->constants; c++)
        steep_ball_get_interval(&enclosed->constant[c].interval, &enclosed->constant[c].ball);
    steep_formula_free(f);
    if (fine) return STEEP_OK;
    steep_enclosed_close(enclosed);
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for the enclosure of %.60s", text);
}

void steep_enclosed_close(steep_enclosed *enclosed)
{
    for (size_t c = 0; c < enclosed->constants; c++) constant_clear(&enclosed->constant[c]);
    free(enclosed->program);
    free(enclosed->constant);
    *enclosed = (steep_enclosed){0};
}
