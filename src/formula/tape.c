/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forward differentiation on symbols. An expression stands for a column of numbers; equal expressions are one. The
 * program of a formula is run with a stack whose values are expressions of h, of dh/du_i and of d2h/du_i du_j:
 *
 *   v = f(a):     v_i = f' a_i,  v_ij = f' a_ij + f'' a_i a_j
 *   v = a b:      v_ij = a b_ij + b a_ij + a_i b_j + a_j b_i;  a / b = a (1 / b);  a^b = exp(b log a) where b varies
 *
 * Products with 0 and 1, sums with 0 and operations on numbers are simplified here. At a kink relu' = 0, abs' = 1, and
 * min and max take their second argument. Roots and powers have infinite slopes where their argument is 0. Where the
 * argument stays 0, as in sqrt(relu(u)) behind a closed gate, so does the root: there 0 times an infinity is 0. */
#include "formula/tape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "formula/rules.h"
#include "numerics/elementary.h"

/* The first expressions: the numbers 0 and 1, then the inputs. */
enum { ZERO, ONE, FIRST_INPUT };

typedef struct expression {
    int op, from[STEEP_ARGUMENTS]; /* STEEP_CODE_VARIABLE: from[0] is the input; unused ones are ZERO */
    double number;
    bool vanishes; /* is 0 or NaN for all inputs; make sets it */
} expression;

typedef struct maker {
    expression *node;
    size_t count, room;
    int *table; /* hash table of places of expressions, -1: empty; 2 room entries */
    size_t m, columns;
    bool damped; /* 0 times an infinity is 0 */
    bool failed; /* no memory */
} maker;

static uint64_t hash(const expression *e)
{
    uint64_t h = (uint64_t)e->op;
    for (int k = 0; k < STEEP_ARGUMENTS; k++) h = (h ^ (uint64_t)e->from[k]) * 0x9e3779b97f4a7c15u;
    h = (h ^ steep_bits(e->number)) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static bool is_same(const expression *a, const expression *b)
{
    return a->op == b->op && memcmp(a->from, b->from, sizeof a->from) == 0 &&
           steep_bits(a->number) == steep_bits(b->number);
}

static void put(maker *w, int place)
{
    size_t at = hash(&w->node[place]) % (2 * w->room);
    while (w->table[at] >= 0) at = (at + 1) % (2 * w->room);
    w->table[at] = place;
}

static bool grow(maker *w)
{
    size_t room = w->room ? 2 * w->room : 256;
    expression *node = realloc(w->node, room * sizeof *node);
    if (node) w->node = node;
    int *table = realloc(w->table, 2 * room * sizeof *table);
    if (table) w->table = table;
    if (!node || !table) return false;
    w->room = room;
    for (size_t i = 0; i < 2 * room; i++) table[i] = -1;
    for (size_t i = 0; i < w->count; i++) put(w, (int)i);
    return true;
}

static bool vanishes(const maker *w, const expression *e)
{
    switch (e->op) {
    case STEEP_CODE_NUMBER: return e->number == 0;
    case STEEP_CODE_MULTIPLY:
    case STEEP_CODE_DAMPED: return w->node[e->from[0]].vanishes || w->node[e->from[1]].vanishes;
    case STEEP_CODE_ADD: return w->node[e->from[0]].vanishes && w->node[e->from[1]].vanishes;
    case STEEP_CODE_DIVIDE:
    case STEEP_CODE_NEGATE: return w->node[e->from[0]].vanishes;
    default: return false;
    }
}

/* The place of this expression; it is added unless an equal one is there. ZERO after memory has run out. */
static int make(maker *w, expression e)
{
    if (w->failed || (w->count == w->room && !grow(w))) {
        w->failed = true;
        return ZERO;
    }
    for (size_t at = hash(&e) % (2 * w->room); w->table[at] >= 0; at = (at + 1) % (2 * w->room))
        if (is_same(&w->node[w->table[at]], &e)) return w->table[at];
    e.vanishes = vanishes(w, &e);
    w->node[w->count] = e;
    put(w, (int)w->count);
    return (int)w->count++;
}

static int number(maker *w, double value)
{
    return make(w, (expression){.op = STEEP_CODE_NUMBER, .number = value});
}

static bool is_number(const maker *w, int a)
{
    return w->node[a].op == STEEP_CODE_NUMBER;
}

/* Is it the number 0 or -0? ZERO is only 0: a division by -0 has another sign. */
static bool is_zero(const maker *w, int a)
{
    return is_number(w, a) && w->node[a].number == 0;
}

static int apply(maker *w, int op, int a, int b)
{
    return make(w, (expression){.op = op, .from = {a, b}});
}

static int negative(maker *w, int a)
{
    if (a == ZERO) return ZERO;
    return is_number(w, a) ? number(w, -w->node[a].number) : apply(w, STEEP_CODE_NEGATE, a, ZERO);
}

static int times(maker *w, int a, int b)
{
    if (a == ZERO || b == ZERO) return ZERO;
    if (a == ONE) return b;
    if (b == ONE) return a;
    if (is_number(w, a) && is_number(w, b)) return number(w, w->node[a].number * w->node[b].number);
    if (is_zero(w, a) || is_zero(w, b)) return ZERO;
    return apply(w, w->damped ? STEEP_CODE_DAMPED : STEEP_CODE_MULTIPLY, a < b ? a : b, a < b ? b : a);
}

/* a b as a value: it is NaN where a factor is NaN or 0 meets an infinity, so a factor 0 is kept. */
static int product(maker *w, int a, int b)
{
    bool kept = (is_zero(w, a) && !is_number(w, b)) || (is_zero(w, b) && !is_number(w, a));
    return kept ? apply(w, STEEP_CODE_MULTIPLY, a, b) : times(w, a, b);
}

static int plus(maker *w, int a, int b)
{
    if (a == ZERO) return b;
    if (b == ZERO) return a;
    if (is_number(w, a) && is_number(w, b)) return number(w, w->node[a].number + w->node[b].number);
    return apply(w, STEEP_CODE_ADD, a < b ? a : b, a < b ? b : a);
}

/* a^n by squaring, in the order of reference.c. */
static int integer_power(maker *w, int a, int n)
{
    unsigned left = (unsigned)(n < 0 ? -n : n);
    int result = left & 1 ? a : ONE, square = a;
    while (left >>= 1) {
        square = times(w, square, square);
        if (left & 1) result = times(w, result, square);
    }
    return n < 0 ? apply(w, STEEP_CODE_DIVIDE, ONE, result) : result;
}

static int *gradient(int *e, size_t i)
{
    return e + 1 + i;
}

static int *pair(const maker *w, int *e, size_t i, size_t j)
{
    return e + 1 + w->m + i * (i + 1) / 2 + j;
}

/* e = f(e), from the value, f' and f''. */
static void chain(maker *w, int *e, int value, int d1, int d2)
{
    for (size_t i = 0; i < w->m; i++)
        for (size_t j = 0; j <= i; j++) {
            int *H = pair(w, e, i, j), square = times(w, *gradient(e, i), *gradient(e, j));
            *H = plus(w, times(w, d1, *H), times(w, d2, square));
        }
    for (size_t i = 0; i < w->m; i++) *gradient(e, i) = times(w, *gradient(e, i), d1);
    e[0] = value;
}

#define NUM(c)             number(w, c)
#define ROOT_PI            number(w, 1.1283791670955125739)
#define ADD(a, b)          plus(w, a, b)
#define SUB(a, b)          plus(w, a, negative(w, b))
#define MUL(a, b)          times(w, a, b)
#define DIV(a, b)          apply(w, STEEP_CODE_DIVIDE, a, b)
#define NEG(a)             negative(w, a)
#define SQR(a)             times(w, a, a)
#define FUN(code, name, a) apply(w, STEEP_CODE_##code, a, ZERO)
#define EITHER(a, b)       b
#define SLOPES(code, first, second)                                                                                    \
    case STEEP_CODE_##code: d1 = first, d2 = second; break;

static void unary(maker *w, int code, int *e)
{
    const bool damped = w->damped;
    int x = e[0], y = code == STEEP_CODE_NEGATE ? negative(w, x) : apply(w, code, x, ZERO), d1 = ZERO, d2 = ZERO;
    switch (code) {
        STEEP_SLOPES(SLOPES)
    case STEEP_CODE_ABS: d1 = apply(w, STEEP_CODE_ABS_SLOPE, x, ZERO); break;
    case STEEP_CODE_RELU: d1 = apply(w, STEEP_CODE_RELU_SLOPE, x, ZERO); break;
    case STEEP_CODE_NEGATE: d1 = number(w, -1); break;
    default: break; /* sign */
    }
    w->damped = damped || code == STEEP_CODE_SQRT || code == STEEP_CODE_CBRT;
    chain(w, e, y, d1, d2);
    w->damped = damped;
}

static void power_rule(maker *w, int exponent, int *e)
{
    const double p = exponent;
    int x = e[0], d1 = ZERO, d2 = ZERO;
    if (exponent != 0) d1 = times(w, number(w, p), integer_power(w, x, exponent - 1));
    if (exponent != 0 && exponent != 1) d2 = times(w, number(w, p * (p - 1)), integer_power(w, x, exponent - 2));
    chain(w, e, integer_power(w, x, exponent), d1, d2);
}

/* A term of a product's derivative. A value that is 0 everywhere gives 0 also for an infinite slope: 0 cbrt(x) at 0. */
static int part(maker *w, int value, int slope)
{
    return w->node[value].vanishes ? ZERO : times(w, value, slope);
}

/* a = a b */
static void multiply(maker *w, int *a, int *b)
{
    for (size_t i = 0; i < w->m; i++)
        for (size_t j = 0; j <= i; j++) {
            int *H = pair(w, a, i, j), pure = plus(w, part(w, a[0], *pair(w, b, i, j)), part(w, b[0], *H)),
                mixed = plus(w, times(w, *gradient(a, i), *gradient(b, j)), times(w, *gradient(a, j), *gradient(b, i)));
            *H = plus(w, pure, mixed);
        }
    for (size_t i = 0; i < w->m; i++)
        *gradient(a, i) = plus(w, part(w, a[0], *gradient(b, i)), part(w, b[0], *gradient(a, i)));
    a[0] = product(w, a[0], b[0]);
}

/* a = a / b */
static void divide(maker *w, int *a, int *b)
{
    int quotient = apply(w, STEEP_CODE_DIVIDE, a[0], b[0]);
    power_rule(w, -1, b);
    multiply(w, a, b);
    a[0] = quotient;
}

/* a = a^b. A constant b needs no logarithm: at a = 0 log a is not finite, but a^b and its derivatives may be. */
static void raise(maker *w, int *a, int *b)
{
    int x = a[0], p = b[0], value = apply(w, STEEP_CODE_POWER, x, p), minus_one = number(w, -1);
    bool varies = false;
    for (size_t q = 1; q < w->columns; q++) varies = varies || b[q] != ZERO;
    if (varies) {
        unary(w, STEEP_CODE_LOG, a);
        multiply(w, a, b);
        chain(w, a, value, value, value);
        return;
    }
    int less = plus(w, p, minus_one), factor = times(w, p, less);
    chain(w, a, value, times(w, p, apply(w, STEEP_CODE_POWER, x, less)),
          times(w, factor, apply(w, STEEP_CODE_POWER, x, plus(w, p, number(w, -2)))));
}

/* a = the lesser or the greater of the two, point by point, with its derivatives. */
static void choose(maker *w, int op, int *a, const int *b)
{
    int u = a[0], v = b[0];
    for (size_t q = 0; q < w->columns; q++)
        if (a[q] != b[q]) a[q] = make(w, (expression){.op = op, .from = {u, v, a[q], b[q]}});
}

static void binary(maker *w, steep_code code, int *a, int *b)
{
    switch (code) {
    case STEEP_CODE_ADD:
        for (size_t q = 0; q < w->columns; q++) a[q] = plus(w, a[q], b[q]);
        break;
    case STEEP_CODE_SUBTRACT:
        for (size_t q = 0; q < w->columns; q++) a[q] = plus(w, a[q], negative(w, b[q]));
        break;
    case STEEP_CODE_MULTIPLY: multiply(w, a, b); break;
    case STEEP_CODE_DIVIDE: divide(w, a, b); break;
    case STEEP_CODE_POWER:
        w->damped = true;
        raise(w, a, b);
        w->damped = false;
        break;
    default: choose(w, code == STEEP_CODE_LESSER ? STEEP_CODE_TAKE_LESSER : STEEP_CODE_TAKE_GREATER, a, b); break;
    }
}

/* Runs the program on places of expressions; on return the result stands at the beginning of the stack. */
static void run(maker *w, const steep_formula *f, int *stack)
{
    const size_t columns = w->columns, bytes = columns * sizeof *stack;
    int *place = stack + f->height * columns, *top = stack; /* top: behind the last value */
    for (const steep_instruction *i = f->program; i < f->program + f->length; i++) {
        if (i->code == STEEP_CODE_LOAD) {
            memcpy(top, place + (size_t)i->index * columns, bytes);
            top += columns;
        } else if (i->code == STEEP_CODE_STORE) {
            top -= columns;
            memcpy(place + (size_t)i->index * columns, top, bytes);
        } else if (steep_operands(i->code) == 0) {
            for (size_t q = 0; q < columns; q++) top[q] = ZERO;
            if (i->code == STEEP_CODE_NUMBER) top[0] = number(w, (double)i->number);
            else top[0] = FIRST_INPUT + i->index, *gradient(top, (size_t)i->index) = ONE;
            top += columns;
        } else if (i->code == STEEP_CODE_INTEGER_POWER) {
            power_rule(w, i->index, top - columns);
        } else if (steep_operands(i->code) == 1) {
            unary(w, i->code, top - columns);
        } else {
            top -= columns;
            binary(w, i->code, top - columns, top);
        }
    }
}

/* How many expressions an operation has as arguments. */
static int arguments(int op)
{
    if (op == STEEP_CODE_NUMBER || op == STEEP_CODE_VARIABLE) return 0;
    if (op == STEEP_CODE_TAKE_LESSER || op == STEEP_CODE_TAKE_GREATER) return 4;
    return (op >= STEEP_CODE_ADD && op <= STEEP_CODE_GREATER) || op == STEEP_CODE_DAMPED ? 2 : 1;
}

/* last[e]: the last expression that needs e; w->count if e is a result; -1 if nothing needs e. */
static void find_uses(const maker *w, const int *result, size_t results, int *last)
{
    for (size_t e = 0; e < w->count; e++) last[e] = -1;
    for (size_t r = 0; r < results; r++) last[result[r]] = (int)w->count;
    for (size_t e = w->count; e-- > 0;)
        for (int k = 0; last[e] >= 0 && k < arguments(w->node[e].op); k++)
            if (last[w->node[e].from[k]] < 0) last[w->node[e].from[k]] = (int)e;
}

/* Steps in order of expressions; a column is used again once the last step that needs it is done. */
static void write_steps(const maker *w, const int *last, int *column, int *spare, steep_tape *tape)
{
    size_t spares = 0;
    for (size_t e = 0; e < w->count; e++) {
        const expression *node = &w->node[e];
        if (node->op == STEEP_CODE_VARIABLE) column[e] = node->from[0];
        if (last[e] < 0 || node->op == STEEP_CODE_VARIABLE) continue;
        steep_step *step = &tape->step[tape->steps++];
        *step = (steep_step){.op = node->op, .number = node->number};
        for (int k = 0; k < arguments(node->op); k++) step->from[k] = column[node->from[k]];
        column[e] = step->to = spares ? spare[--spares] : (int)(w->m + tape->columns++);
        for (int k = 0; k < arguments(node->op); k++) {
            bool again = false; /* the same argument twice is freed once */
            for (int l = 0; l < k; l++) again = again || node->from[l] == node->from[k];
            if (!again && last[node->from[k]] == (int)e && step->from[k] >= (int)w->m) spare[spares++] = step->from[k];
        }
    }
}

static steep_status write_tape(const maker *w, const int *result, steep_tape *tape, steep_error *error)
{
    int *work = malloc(3 * w->count * sizeof *work);
    tape->block = STEEP_BLOCK(STEEP_SHARE(tape->step, w->count), STEEP_SHARE(tape->result, tape->results));
    if (!work || !tape->block) {
        free(work);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula of %zu expressions", w->count);
    }
    int *last = work, *column = last + w->count, *spare = column + w->count;
    find_uses(w, result, tape->results, last);
    write_steps(w, last, column, spare, tape);
    for (size_t r = 0; r < tape->results; r++) tape->result[r] = column[result[r]];
    free(work);
    if (tape->columns <= STEEP_FORMULA_CELLS) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "its derivatives need %zu numbers at a time: use a shorter formula (most %d)", tape->columns,
                      STEEP_FORMULA_CELLS);
}

steep_status steep_tape_make(steep_formula *formula, steep_error *error)
{
    size_t m = formula->dim, results[3] = {1, 1 + m, 1 + m + m * (m + 1) / 2};
    maker w = {.m = m, .columns = results[2]};
    int *stack = malloc((formula->height + formula->places) * w.columns * sizeof *stack);
    steep_tape *tape = formula->tape = calloc(3, sizeof *tape);
    steep_status status = STEEP_OK;
    number(&w, 0), number(&w, 1);
    for (size_t i = 0; i < m; i++) make(&w, (expression){.op = STEEP_CODE_VARIABLE, .from = {(int)i}});
    if (stack && tape && !w.failed) run(&w, formula, stack);
    if (!stack || !tape || w.failed)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the derivatives of a formula");
    for (int order = 0; order < 3 && status == STEEP_OK; order++) {
        tape[order].results = results[order];
        status = write_tape(&w, stack, &tape[order], error);
    }
    free(stack);
    free(w.node);
    free(w.table);
    return status;
}

void steep_tape_free(steep_tape *tape)
{
    for (int order = 0; tape && order < 3; order++) free(tape[order].block);
    free(tape);
}
