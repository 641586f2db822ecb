/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclosed_kernel: a formula, and network less target, on a box, with gradient and Hessian, forward through programs.
 * Written once for both kinds of number. The including file defines
 *
 *   NUMBER        the kind: steep_interval, steep_ball
 *   OP(name)      its operations: steep_interval_add, ..
 *   FIELD         the fields of steep_constant and steep_enclosure that hold them: interval, ball
 *   OF(name)      the functions' names: steep_enclosed_intervals, ..
 *
 * Rules as in formula/tape.c: v = f(a) has v_i = f' a_i and v_ij = f' a_ij + f'' a_i a_j, with f', f'' enclosed over
 * the range of a. Where a kink is undecided: value and gradient are hulls of both sides, the Hessian unbounded. */
#ifdef NUMBER

enum { OPERATIONS = 8, SCRATCH = OPERATIONS + 20 };

typedef struct work {
    const steep_enclosing *how;
    size_t columns, kink;
    bool undefined;    /* an operation so far may have an operand outside its domain */
    NUMBER t[SCRATCH]; /* scratch of an operation; from OPERATIONS on, of its slopes */
    size_t used;       /* entries of t that slopes_of has taken */
} work;

static void copy(size_t columns, NUMBER *out, const NUMBER *a)
{
    for (size_t q = 0; q < columns; q++) OP(set)(&out[q], &a[q]);
}

/* e = f(e) by the chain rule, from f, f' and f'' in t[0..2]; t[6] is overwritten. */
static void chain(work *w, NUMBER *e)
{
    const size_t d = w->how->d;
    const int p = w->how->precision;
    NUMBER *d1 = &w->t[1], *d2 = &w->t[2], *u = &w->t[6];
    for (size_t i = 0; w->how->order >= 2 && i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            NUMBER *H = e + steep_jet_pair(d, i, j);
            if (i == j) OP(sqr)(u, &e[1 + i], p);
            else OP(mul)(u, &e[1 + i], &e[1 + j], p);
            OP(mul)(u, u, d2, p);
            OP(mul)(H, H, d1, p);
            OP(add)(H, H, u, p);
        }
    for (size_t i = 0; w->how->order >= 1 && i < d; i++) OP(mul)(&e[1 + i], &e[1 + i], d1, p);
    OP(set)(&e[0], &w->t[0]);
}

/* e = the constant x. */
static void clear(size_t columns, NUMBER *e, double x)
{
    OP(set_double)(&e[0], x);
    for (size_t q = 1; q < columns; q++) OP(set_double)(&e[q], 0);
}

#define ROW(code, name) [STEEP_CODE_##code] = OP(name),
static void (*const smooth[])(NUMBER *, const NUMBER *, int) = {STEEP_SMOOTH(ROW)};

/* Operations of formula/rules.h; each result takes a new entry of t. */
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

#define NUM(c)             between(w, &(steep_interval){c, c})
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

/* t[1], t[2] = f', f'' over x, from f in t[0]. */
static void slopes_of(work *w, steep_code code, const NUMBER *x)
{
    static const steep_interval root_pi = {0x1.20dd750429b6dp+0, 0x1.20dd750429b6ep+0}; /* around 2/sqrt(pi) */
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
    for (int k = 1; k <= w->how->order; k++) {
        const double factor = k == 1 ? n : (double)n * (n - 1);
        OP(set_double)(&t[k], 0);
        if (factor == 0) continue;
        OP(power)(&t[k], &e[0], n - k, p);
        OP(set_double)(&t[6], factor);
        OP(mul)(&t[k], &t[k], &t[6], p);
    }
    chain(w, e);
}

static void negate(const work *w, NUMBER *e)
{
    for (size_t q = 0; q < w->columns; q++) OP(neg)(&e[q], &e[q]);
}

/* The side of the next kink, with argument g: the given side, or else the sign of g; 0: undecided. */
static int side_of(work *w, const NUMBER *g)
{
    const steep_enclosing *how = w->how;
    const size_t k = w->kink++;
    const int given = how->side ? how->side[k] : 0, side = given ? given : OP(side)(g);
    if (how->met) how->met[k] = side == 0;
    return side;
}

/* Makes the derivatives from entry `from` on unbounded, unless all derivatives are exactly 0. */
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
        if (side) clear(w->columns, e, side == STEEP_AT_KINK ? 0 : side);
        else OP(set_interval)(&e[0], &both), unbound(w, e, 1);
    } else if (side < 0) {
        if (code == STEEP_CODE_ABS) negate(w, e);
        else clear(w->columns, e, 0);
    } else if (side == 0) {
        unbound(w, e, 1 + d);
        OP(set_interval)(&w->t[1], code == STEEP_CODE_RELU ? &ramp : &both);
        for (size_t i = 0; w->how->order >= 1 && i < d; i++) OP(mul)(&e[1 + i], &e[1 + i], &w->t[1], p);
        OP(set_double)(&w->t[0], 0);
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
    if (side && (side > 0) == (code == STEEP_CODE_LESSER)) copy(w->columns, a, b);
    if (side) return;
    (code == STEEP_CODE_LESSER ? OP(lesser) : OP(greater))(&a[0], &a[0], &b[0], p);
    for (size_t i = 0; w->how->order >= 1 && i < w->how->d; i++) OP(hull)(&a[1 + i], &a[1 + i], &b[1 + i], p);
    for (size_t q = 1 + w->how->d; q < w->columns; q++) OP(entire)(&a[q]);
}

static void unary(work *w, steep_code code, NUMBER *e)
{
    if (code == STEEP_CODE_NEGATE) negate(w, e);
    else if (steep_is_kink(code)) kink(w, code, e);
    else {
        smooth[code](&w->t[0], &e[0], w->how->precision);
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
            NUMBER *H = a + steep_jet_pair(d, i, j);
            OP(mul)(u, &a[0], b + steep_jet_pair(d, i, j), p);
            OP(mul)(H, H, &b[0], p);
            OP(add)(H, H, u, p);
            OP(mul)(u, &a[1 + i], &b[1 + j], p);
            OP(mul)(v, &a[1 + j], &b[1 + i], p);
            OP(add)(u, u, v, p);
            OP(add)(H, H, u, p);
        }
    for (size_t i = 0; w->how->order >= 1 && i < d; i++) {
        OP(mul)(u, &a[0], &b[1 + i], p);
        OP(mul)(&a[1 + i], &a[1 + i], &b[0], p);
        OP(add)(&a[1 + i], &a[1 + i], u, p);
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
        OP(log)(&t[0], &a[0], p);
        slopes_of(w, STEEP_CODE_LOG, &a[0]);
        chain(w, a);
        multiply(w, a, b);
        for (int k = 0; k < 3; k++) OP(set)(&t[k], &t[4]);
    } else if (w->how->order >= 1) {
        OP(set_double)(&t[3], 1);
        OP(sub)(&t[3], &b[0], &t[3], p);
        OP(raise)(&t[1], &a[0], &t[3], p);
        OP(mul)(&t[1], &t[1], &b[0], p);
        OP(set_double)(&t[5], 2);
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
        for (size_t q = 0; q < w->columns; q++) OP(add)(&a[q], &a[q], &b[q], p);
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
    if (i->code == STEEP_CODE_LOAD) copy(w->columns, out, place + (size_t)i->index * w->columns);
    else if (i->code == STEEP_CODE_VARIABLE) copy(w->columns, out, input + (size_t)i->index * w->columns);
    else {
        clear(w->columns, out, 0);
        OP(set)(&out[0], &e->constant[i->index].FIELD);
    }
}

void OF(enclosed)(const steep_enclosed *e, const steep_enclosing *how, const NUMBER *input, NUMBER *stack)
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
            copy(columns, place + (size_t)i->index * columns, top);
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
    if (!w.undefined || how->precision != 0) return;
    steep_enclosing careful = *how; /* intervals: rounding alone may have left a domain */
    careful.precision = 1;
    OF(enclosed)(e, &careful, input, stack);
}

typedef struct walk {
    steep_enclosure *e;
    steep_enclosing how;
    size_t columns;
    NUMBER *sum, *coordinate, *input, *between[2], *scratch,
        *stack;                 /* jets; coordinate: x_1 .. x_d; scratch: 2 numbers */
    const steep_network *layer; /* the current layer; below: jets of its inputs, NULL: x itself */
    const NUMBER *below;
} walk;

/* to += c from */
static void add_scaled(const walk *w, NUMBER *to, const NUMBER *from, double c)
{
    NUMBER *u = w->scratch, *v = w->scratch + 1;
    OP(set_double)(v, c);
    for (size_t q = 0; q < w->columns; q++) {
        OP(mul)(u, &from[q], v, w->how.precision);
        OP(add)(&to[q], &to[q], u, w->how.precision);
    }
}

/* jet += c x_i x_j, with its derivatives */
static void add_product(const walk *w, NUMBER *jet, size_t i, size_t j, double c)
{
    const int p = w->how.precision, order = w->how.order;
    const NUMBER *x = &w->coordinate[i * w->columns], *y = &w->coordinate[j * w->columns];
    NUMBER *u = w->scratch, *v = w->scratch + 1;
    OP(set_double)(v, c);
    if (i == j) OP(sqr)(u, x, p);
    else OP(mul)(u, x, y, p);
    OP(mul)(u, u, v, p);
    OP(add)(jet, jet, u, p);
    if (order >= 1) {
        OP(mul)(u, y, v, p);
        OP(add)(&jet[1 + i], &jet[1 + i], u, p);
        OP(mul)(u, x, v, p);
        OP(add)(&jet[1 + j], &jet[1 + j], u, p);
    }
    if (order >= 2) {
        NUMBER *H = jet + steep_jet_pair(w->how.d, i, j);
        OP(add)(H, H, v, p);
        if (i == j) OP(add)(H, H, v, p);
    }
}

static void add_number(const walk *w, NUMBER *to, double c)
{
    OP(set_double)(w->scratch, c);
    OP(add)(to, to, w->scratch, w->how.precision);
}

/* jet += c x_j */
static void add_coordinate(const walk *w, NUMBER *jet, size_t j, double c)
{
    OP(set_double)(w->scratch, c);
    OP(mul)(w->scratch, w->scratch, &w->coordinate[j * w->columns], w->how.precision);
    OP(add)(jet, jet, w->scratch, w->how.precision);
    if (w->how.order >= 1) OP(set_double)(&jet[1 + j], c);
}

/* jet = sum_f c_f phi_f(x), or phi_f of the units below (steep/network.h, steep_map); jet is 0 before */
static void set_map(const walk *w, steep_map map, const double *c, NUMBER *jet)
{
    const size_t n = w->layer->fan_in;
    for (size_t j = 0; j < n; j++) {
        if (w->below) add_scaled(w, jet, w->below + j * w->columns, c[j]);
        else if (map == STEEP_MAP_SQUARES) add_product(w, jet, j, j, c[j]);
        else add_coordinate(w, jet, j, c[j]);
    }
    if (map == STEEP_MAP_AFFINE || map == STEEP_MAP_QUADRATIC) add_number(w, jet, c[n]);
    size_t f = n + 1;
    for (size_t i = 0; map == STEEP_MAP_QUADRATIC && i < n; i++)
        for (size_t j = i; j < n; j++, f++) add_product(w, jet, i, j, c[f]);
}

/* Sets inputs first..last-1 of unit i's formula. */
static void set_inputs(const walk *w, size_t i, size_t first, size_t last)
{
    for (size_t k = first; k < last; k++) {
        const steep_enclose_input from = steep_enclosure_input(w->e, w->layer, i, k);
        NUMBER *jet = w->input + k * w->columns;
        clear(w->columns, jet, 0);
        if (from.is_map) set_map(w, from.map, from.c, jet);
        else OP(set_double)(jet, *from.c);
    }
}

/* The settings for a program whose kinks begin at number `first`. */
static steep_enclosing at_kinks(const walk *w, size_t first)
{
    steep_enclosing how = w->how;
    how.side += first;
    how.met += first;
    return how;
}

/* Sets the inputs that all units of the layer share, and the moments q_r = (1/n) sum_i m_r(z_1,i), or the sum. Returns
 * the number of the first kink of the layer's units. */
static size_t set_shared(walk *w, size_t kink)
{
    const steep_enclosure *e = w->e;
    set_inputs(w, 0, e->count[0] + e->count[1], e->unit.dim - e->count[4]);
    for (size_t r = 0; r < e->moments; r++) {
        NUMBER *q = w->input + (e->unit.dim - e->count[4] + r) * w->columns;
        clear(w->columns, q, 0);
        for (size_t i = 0; i < w->layer->width; i++, kink += e->moment[r].kinks) {
            const steep_enclosing how = at_kinks(w, kink);
            set_inputs(w, i, 0, 1);
            OF(enclosed)(&e->moment[r], &how, w->input, w->stack);
            add_scaled(w, q, w->stack, 1);
        }
        OP(set_double)(w->scratch, steep_network_moment_units(w->layer));
        for (size_t k = 0; k < w->columns; k++) OP(div)(&q[k], &q[k], w->scratch, w->how.precision);
    }
    return kink;
}

/* Evaluates unit i of the layer; the result is the first jet of the stack. */
static void evaluate_unit(const walk *w, size_t i, size_t kink)
{
    const steep_enclosing how = at_kinks(w, kink);
    set_inputs(w, i, 0, w->e->count[0] + w->e->count[1]);
    OF(enclosed)(&w->e->unit, &how, w->input, w->stack);
    for (size_t q = 0; steep_network_is_added(w->layer, i) && q < w->columns; q++)
        OP(add)(&w->stack[q], &w->stack[q], &w->below[i * w->columns + q], w->how.precision);
}

static void add_network(walk *w)
{
    const steep_enclosure *e = w->e;
    size_t kink = e->target.kinks;
    add_number(w, w->sum, e->theta[e->network.bias]);
    for (size_t l = 0; l < e->network.depth; l++, w->layer++) {
        NUMBER *out = w->between[l % 2]; /* outputs of a layer, in two buffers by turns */
        kink = set_shared(w, kink);
        for (size_t i = 0; i < w->layer->width; i++, kink += e->unit.kinks) {
            evaluate_unit(w, i, kink);
            if (l + 1 < e->network.depth) copy(w->columns, out + i * w->columns, w->stack);
            else add_scaled(w, w->sum, w->stack, e->theta[e->network.output + i]);
        }
        w->below = out;
    }
}

void OF(enclose)(steep_enclosure *e, const steep_interval *box, const steep_enclosing *how)
{
    const size_t jet = steep_jet_numbers(e->dim, 2);
    walk w = {
        .e = e, .how = *how, .columns = steep_jet_numbers(how->d, how->order), .sum = e->FIELD, .layer = e->layer};
    w.coordinate = w.sum + jet;
    w.input = w.coordinate + e->dim * jet;
    w.between[0] = w.input + e->unit.dim * jet;
    w.between[1] = w.between[0] + e->widest * jet;
    w.scratch = w.between[1] + e->widest * jet;
    w.stack = w.scratch + 2;
    clear(w.columns, w.sum, 0);
    for (size_t j = 0; j < how->d; j++) {
        NUMBER *x = w.coordinate + j * w.columns;
        clear(w.columns, x, 0);
        OP(set_interval)(x, &box[j]);
        if (how->order >= 1) OP(set_double)(&x[1 + j], 1);
    }
    if (e->target.length > 0) {
        OF(enclosed)(&e->target, how, w.coordinate, w.stack);
        for (size_t q = 0; q < w.columns; q++) OP(neg)(&w.sum[q], &w.stack[q]);
    }
    if (e->theta) add_network(&w);
}

#endif
