/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclosed_kernel: a formula on a box, with gradient and Hessian, forward through its program. Written once for both
 * kinds of number: what includes it defines
 *
 *   NUMBER        the kind: steep_interval, steep_ball
 *   OP(name)      its operations: steep_interval_add, ..
 *   CONSTANT      the field of steep_constant that holds one: interval, ball
 *   EVALUATE      the function's name
 *
 * Rules as in formula/tape.c: v = f(a) has v_i = f' a_i and v_ij = f' a_ij + f'' a_i a_j, with f', f'' enclosed over
 * the range of a. Where a kink is undecided: value and gradient are hulls of both sides, the Hessian unbounded. */
#ifdef NUMBER

enum { OPERATIONS = 8, SCRATCH = OPERATIONS + 20 };

typedef struct work {
    const steep_enclosing *how;
    size_t columns, kink;
    bool undefined;    /* an operation so far may have an operand outside its domain */
    NUMBER t[SCRATCH]; /* of the operation at hand; from OPERATIONS on those of its slopes, */
    size_t used;       /* taken to here */
} work;

static void copy(const work *w, NUMBER *out, const NUMBER *a)
{
    for (size_t q = 0; q < w->columns; q++) OP(set)(&out[q], &a[q]);
}

static void add_to(NUMBER *out, const NUMBER *a, int p)
{
    OP(add)(out, out, a, p);
}

static NUMBER *pair(const work *w, NUMBER *e, size_t i, size_t j)
{
    return e + steep_jet_pair(w->how->d, i, j);
}

/* e = f(e), from the value, f' and f'', which stand in t[0..2]; t[6], t[7] are used. */
static void chain(work *w, NUMBER *e)
{
    const size_t d = w->how->d;
    const int p = w->how->precision;
    NUMBER *d1 = &w->t[1], *d2 = &w->t[2], *u = &w->t[6];
    for (size_t i = 0; w->how->order >= 2 && i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            NUMBER *H = pair(w, e, i, j);
            if (i == j) OP(sqr)(u, &e[1 + i], p);
            else OP(mul)(u, &e[1 + i], &e[1 + j], p);
            OP(mul)(u, u, d2, p);
            OP(mul)(H, H, d1, p);
            add_to(H, u, p);
        }
    for (size_t i = 0; w->how->order >= 1 && i < d; i++) OP(mul)(&e[1 + i], &e[1 + i], d1, p);
    OP(set)(&e[0], &w->t[0]);
}

static void number(NUMBER *out, double x)
{
    OP(set_double)(out, x);
}

/* out = x a */
static void scale(NUMBER *out, const NUMBER *a, double x, NUMBER *u, int p)
{
    number(u, x);
    OP(mul)(out, a, u, p);
}

#define VALUE(code, name)                                                                                              \
    case STEEP_CODE_##code: OP(name)(&w->t[0], x, p); break;

static void value_of(work *w, steep_code code, const NUMBER *x)
{
    const int p = w->how->precision;
    switch (code) {
        STEEP_SMOOTH(VALUE)
    default: OP(entire)(&w->t[0]); break;
    }
}

/* Operations of formula/rules.h, each into a place of its own. */
static const NUMBER *constant(work *w, double c)
{
    number(&w->t[w->used], c);
    return &w->t[w->used++];
}

static const NUMBER *between(work *w, const steep_interval *a)
{
    OP(set_interval)(&w->t[w->used], a);
    return &w->t[w->used++];
}

static const NUMBER *negated(work *w, const NUMBER *a)
{
    OP(neg)(&w->t[w->used], a);
    return &w->t[w->used++];
}

static const NUMBER *of_one(work *w, void (*f)(NUMBER *, const NUMBER *, int), const NUMBER *a)
{
    f(&w->t[w->used], a, w->how->precision);
    return &w->t[w->used++];
}

static const NUMBER *of_two(work *w, void (*f)(NUMBER *, const NUMBER *, const NUMBER *, int), const NUMBER *a,
                            const NUMBER *b)
{
    f(&w->t[w->used], a, b, w->how->precision);
    return &w->t[w->used++];
}

#define NUM(c)             constant(w, c)
#define ROOT_PI            between(w, &root_pi)
#define NEG(a)             negated(w, a)
#define SQR(a)             of_one(w, OP(sqr), a)
#define FUN(code, name, a) of_one(w, OP(name), a)
#define ADD(a, b)          of_two(w, OP(add), a, b)
#define SUB(a, b)          of_two(w, OP(sub), a, b)
#define MUL(a, b)          of_two(w, OP(mul), a, b)
#define DIV(a, b)          of_two(w, OP(div), a, b)
#define EITHER(a, b)       a
#define SLOPES(code, first, second)                                                                                    \
    case STEEP_CODE_##code: d1 = first, d2 = second; break;

/* t[1], t[2] = f', f'' over x; t[0] is f. */
static void slopes_of(work *w, steep_code code, const NUMBER *x)
{
    static const steep_interval root_pi = {0x1.20dd750429b6dp+0, 0x1.20dd750429b6ep+0}; /* two doubles around it */
    const NUMBER *y = &w->t[0], *d1 = x, *d2 = x;
    w->used = OPERATIONS;
    switch (code) {
        STEEP_SLOPES(SLOPES)
    default: break;
    }
    OP(set)(&w->t[1], d1);
    OP(set)(&w->t[2], d2);
}

/* x^n with n x^{n-1} and n (n - 1) x^{n-2} */
static void integer_power(work *w, NUMBER *e, int n)
{
    const int p = w->how->precision;
    NUMBER *t = w->t;
    OP(power)(&t[0], &e[0], n, p);
    w->undefined = w->undefined || (n < 0 && OP(is_entire)(&t[0]));
    number(&t[1], 0), number(&t[2], 0);
    if (n != 0 && w->how->order >= 1) OP(power)(&t[1], &e[0], n - 1, p), scale(&t[1], &t[1], n, &t[6], p);
    if (n != 0 && n != 1 && w->how->order >= 2)
        OP(power)(&t[2], &e[0], n - 2, p), scale(&t[2], &t[2], (double)n * (n - 1), &t[6], p);
    chain(w, e);
}

static void negate(const work *w, NUMBER *e)
{
    for (size_t q = 0; q < w->columns; q++) OP(neg)(&e[q], &e[q]);
}

static void clear(const work *w, NUMBER *e, double value)
{
    number(&e[0], value);
    for (size_t q = 1; q < w->columns; q++) number(&e[q], 0);
}

/* The side of the next kink, whose argument is g: given, or by g itself. */
static int side_of(work *w, const NUMBER *g)
{
    const steep_enclosing *how = w->how;
    const size_t k = w->kink++;
    const int given = how->side ? how->side[k] : 0, side = given ? given : OP(side)(g);
    if (how->met) how->met[k] = side == 0;
    return side;
}

/* Unbounded second derivatives, unless the gradient is exactly 0. */
static void unbound(const work *w, NUMBER *e, size_t from)
{
    bool constant = true;
    for (size_t q = 1; q < w->columns; q++) constant = constant && OP(is_zero)(&e[q]);
    for (size_t q = from; !constant && q < w->columns; q++) OP(entire)(&e[q]);
}

static void kink(work *w, steep_code code, NUMBER *e)
{
    const size_t d = w->how->d;
    const int side = side_of(w, &e[0]), p = w->how->precision;
    static const steep_interval ramp = {0, 1}, both = {-1, 1};
    if (code == STEEP_CODE_SIGN) {
        if (side) clear(w, e, side);
        else OP(set_interval)(&e[0], &both), unbound(w, e, 1);
    } else if (side < 0) {
        if (code == STEEP_CODE_ABS) negate(w, e);
        else clear(w, e, 0);
    } else if (side == 0) {
        unbound(w, e, 1 + d);
        OP(set_interval)(&w->t[1], code == STEEP_CODE_RELU ? &ramp : &both);
        for (size_t i = 0; w->how->order >= 1 && i < d; i++) OP(mul)(&e[1 + i], &e[1 + i], &w->t[1], p);
        number(&w->t[0], 0);
        if (code == STEEP_CODE_RELU) OP(greater)(&e[0], &e[0], &w->t[0], p);
        else OP(abs)(&e[0], &e[0], p);
    }
}

/* a = the lesser or the greater of a and b */
static void choose(work *w, steep_code code, NUMBER *a, const NUMBER *b)
{
    const int p = w->how->precision;
    OP(sub)(&w->t[0], &a[0], &b[0], p);
    const int side = side_of(w, &w->t[0]);
    if (side) {
        if ((side > 0) == (code == STEEP_CODE_LESSER)) copy(w, a, b);
        return;
    }
    if (code == STEEP_CODE_LESSER) OP(lesser)(&a[0], &a[0], &b[0], p);
    else OP(greater)(&a[0], &a[0], &b[0], p);
    for (size_t i = 0; w->how->order >= 1 && i < w->how->d; i++) OP(hull)(&a[1 + i], &a[1 + i], &b[1 + i], p);
    for (size_t q = 1 + w->how->d; q < w->columns; q++) OP(entire)(&a[q]);
}

static void unary(work *w, steep_code code, NUMBER *e)
{
    if (code == STEEP_CODE_NEGATE) negate(w, e);
    else if (steep_is_kink(code)) kink(w, code, e);
    else {
        value_of(w, code, &e[0]);
        /* The whole line as a result means that an operand may be outside the domain. Later operations must not turn it
         * into a bound: sin(log x) is not between -1 and 1 where x is negative. */
        w->undefined = w->undefined || (steep_has_domain(code) && OP(is_entire)(&w->t[0]));
        if (w->how->order >= 1) slopes_of(w, code, &e[0]);
        chain(w, e);
    }
}

/* a = a b */
static void multiply(work *w, NUMBER *a, NUMBER *b)
{
    const size_t d = w->how->d;
    const int p = w->how->precision;
    NUMBER *u = &w->t[6], *v = &w->t[7];
    for (size_t i = 0; w->how->order >= 2 && i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            NUMBER *H = pair(w, a, i, j);
            OP(mul)(u, &a[0], pair(w, b, i, j), p);
            OP(mul)(H, H, &b[0], p);
            add_to(H, u, p);
            OP(mul)(u, &a[1 + i], &b[1 + j], p);
            OP(mul)(v, &a[1 + j], &b[1 + i], p);
            add_to(u, v, p);
            add_to(H, u, p);
        }
    for (size_t i = 0; w->how->order >= 1 && i < d; i++) {
        OP(mul)(u, &a[0], &b[1 + i], p);
        OP(mul)(&a[1 + i], &a[1 + i], &b[0], p);
        add_to(&a[1 + i], u, p);
    }
    OP(mul)(&a[0], &a[0], &b[0], p);
}

/* a = a^b: x^p with p x^{p-1} and p (p - 1) x^{p-2}, or exp(b log a) where b varies */
static void raise_to(work *w, NUMBER *a, NUMBER *b)
{
    const int p = w->how->precision;
    NUMBER *t = w->t;
    bool varies = false;
    for (size_t q = 1; q < w->columns; q++) varies = varies || !OP(is_zero)(&b[q]);
    OP(raise)(&t[0], &a[0], &b[0], p);
    w->undefined = w->undefined || OP(is_entire)(&t[0]);
    if (varies) {
        OP(set)(&t[4], &t[0]);
        value_of(w, STEEP_CODE_LOG, &a[0]);
        slopes_of(w, STEEP_CODE_LOG, &a[0]);
        chain(w, a);
        multiply(w, a, b);
        for (int k = 0; k < 3; k++) OP(set)(&t[k], &t[4]);
    } else if (w->how->order >= 1) {
        number(&t[3], 1);
        OP(sub)(&t[3], &b[0], &t[3], p);
        OP(raise)(&t[1], &a[0], &t[3], p);
        OP(mul)(&t[1], &t[1], &b[0], p);
        number(&t[5], 2);
        OP(sub)(&t[5], &b[0], &t[5], p);
        OP(raise)(&t[2], &a[0], &t[5], p);
        OP(mul)(&t[2], &t[2], &t[3], p);
        OP(mul)(&t[2], &t[2], &b[0], p);
    }
    chain(w, a);
}

static void binary(work *w, steep_code code, NUMBER *a, NUMBER *b)
{
    const int p = w->how->precision;
    switch (code) {
    case STEEP_CODE_ADD:
        for (size_t q = 0; q < w->columns; q++) add_to(&a[q], &b[q], p);
        break;
    case STEEP_CODE_SUBTRACT:
        for (size_t q = 0; q < w->columns; q++) OP(sub)(&a[q], &a[q], &b[q], p);
        break;
    case STEEP_CODE_MULTIPLY: multiply(w, a, b); break;
    case STEEP_CODE_DIVIDE:
        integer_power(w, b, -1);
        multiply(w, a, b);
        break;
    case STEEP_CODE_POWER: raise_to(w, a, b); break;
    default: choose(w, code, a, b); break;
    }
}

static void leaf(const work *w, const steep_enclosed *e, const steep_instruction *i, const NUMBER *input, NUMBER *place,
                 NUMBER *out)
{
    if (i->code == STEEP_CODE_LOAD) copy(w, out, place + (size_t)i->index * w->columns);
    else if (i->code == STEEP_CODE_VARIABLE) copy(w, out, input + (size_t)i->index * w->columns);
    else {
        clear(w, out, 0);
        OP(set)(&out[0], &e->constant[i->index].CONSTANT);
    }
}

void EVALUATE(const steep_enclosed *e, const steep_enclosing *how, const NUMBER *input, NUMBER *stack)
{
    work w = {.how = how, .columns = steep_jet_numbers(how->d, how->order)};
    const size_t columns = w.columns;
    NUMBER *place = stack + e->height * columns, *top = stack; /* top: behind the last value */
    for (int k = 0; k < SCRATCH; k++) OP(init)(&w.t[k]);
    for (const steep_instruction *i = e->program; i < e->program + e->length; i++) {
        if (steep_operands(i->code) == 0) {
            leaf(&w, e, i, input, place, top);
            top += columns;
        } else if (i->code == STEEP_CODE_STORE) {
            top -= columns;
            copy(&w, place + (size_t)i->index * columns, top);
        } else if (i->code == STEEP_CODE_INTEGER_POWER) {
            integer_power(&w, top - columns, i->index);
        } else if (steep_operands(i->code) == 1) {
            unary(&w, i->code, top - columns);
        } else {
            top -= columns;
            binary(&w, i->code, top - columns, top);
        }
    }
    for (size_t q = 0; w.undefined && q < columns; q++) OP(entire)(&stack[q]);
    for (int k = 0; k < SCRATCH; k++) OP(clear)(&w.t[k]);
}

#endif
