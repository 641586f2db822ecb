/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/target.h"

#include <ctype.h>
#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/long_double.h"
#include "base/options.h"
#include "base/random.h"
#include "base/text.h"
#include "numerics/quadrature.h"

#define EXAMPLE   "write -1:1, or -1:1,0:2*pi with an interval for each coordinate"
#define GLU_PAPER "GLU scaling slopes"
#define MOA_PAPER "Mixture of activations"
#define FRIEDMAN  "Friedman 1991, Multivariate Adaptive Regression Splines"
/* Resistance, frequency, inductance, capacitance: the impedance of a circuit, and its phase. */
#define FRIEDMAN_BOX "0:100,40*pi:560*pi,0:1,1:11"

/* A target on [-1, 1] in every coordinate, without parameters. */
#define ROW(name, formula, source)                                                                                     \
    {                                                                                                                  \
        name, formula, source, NULL, NULL                                                                              \
    }

static const steep_target_entry catalogue[] = {
    ROW("cosine_well", "1/(1+cos(pi*x)^2)", GLU_PAPER ", section 4"),
    ROW("runge1", "1/(1+x^2)", GLU_PAPER ", released experiments"),
    ROW("runge3", "1/(1+9*x^2)", GLU_PAPER ", default of its experiments"),
    ROW("runge5", "1/(1+25*x^2)", "Runge 1901"),
    ROW("square", "x^2", GLU_PAPER ", released experiments"),
    ROW("cube", "x^3", GLU_PAPER ", released experiments"),
    ROW("cos4", "cos(4*x)", GLU_PAPER ", released experiments"),
    ROW("sin4", "sin(4*x)", GLU_PAPER ", released experiments"),
    ROW("chirp", "sin(4*(x-1)^2)", GLU_PAPER ", released experiments"),
    ROW("atan", "atan(x)", GLU_PAPER ", released experiments"),
    ROW("la_type1", "max(x,0)+max(x,0)^2", MOA_PAPER ", theorem 4.1 (witness)"),
    ROW("sin4sin4", "sin(4*x)*sin(4*y)", GLU_PAPER ", released experiments"),
    ROW("cos4cos4", "cos(4*x)*cos(4*y)", GLU_PAPER ", released experiments"),
    ROW("paraboloid", "x^2+y^2", GLU_PAPER ", released experiments"),
    ROW("cubic2d", "x^3+y^3", GLU_PAPER ", released experiments"),
    ROW("sin4sin4_r2", "sin(4*x)*sin(4*y)*(x^2+y^2)", GLU_PAPER ", released experiments"),
    ROW("runge1_2d", "1/(1+x^2+y^2)", GLU_PAPER ", released experiments"),
    ROW("runge3_2d", "1/(1+9*x^2+9*y^2)", GLU_PAPER ", released experiments"),
    ROW("atan_2d", "atan(x)+atan(y)", GLU_PAPER ", released experiments"),
    {"franke",
     "0.75*exp(-((9*x-2)^2+(9*y-2)^2)/4)+0.75*exp(-(9*x+1)^2/49-(9*y+1)/10)"
     "+0.5*exp(-((9*x-7)^2+(9*y-3)^2)/4)-0.2*exp(-(9*x-4)^2-(9*y-7)^2)",
     "Franke 1979", "0:1", NULL},
    {"friedman1", "10*sin(pi*x1*x2)+20*(x3-0.5)^2+10*x4+5*x5", FRIEDMAN, "0:1", NULL},
    {"friedman2", "sqrt(x1^2+(x2*x3-1/(x2*x4))^2)", FRIEDMAN, FRIEDMAN_BOX, NULL},
    {"friedman3", "atan((x2*x3-1/(x2*x4))/x1)", FRIEDMAN, FRIEDMAN_BOX, NULL},
    {"moa_type1", "tanh(lambda*x)*max(y,0)", MOA_PAPER ", theorem 4.1 (witness)", NULL, "lambda=1"},
    ROW("la_type2", "max(y,0)*(max(x,0)+tanh(x))", MOA_PAPER ", theorem 4.2 (witness)"),
    {"moa_type2", "max(y,0)*max(x,0)*tanh(lambda*x)", MOA_PAPER ", theorem 4.2 (witness, lambda = 1)", NULL,
     "lambda=1"},
    {"moa_mixed", "max(x,0)*max(y,0)*tanh(lambda*z)", "width 1 in moa; apart from qd-la in d^2/dxdy (make proofs)",
     NULL, "lambda=1"},
    {"moa_ridge", "tanh(u1*x+u2*y+beta)*max(w1*x+w2*y+b,0)", MOA_PAPER ", eq. 7 (one unit with one open gate)", NULL,
     "u1=2,u2=1,beta=0.3,w1=-0.6,w2=0.8,b=0.2"},
};

enum { ENTRIES = sizeof catalogue / sizeof *catalogue };

const steep_target_entry *steep_target_catalogue(size_t index)
{
    return index < ENTRIES ? &catalogue[index] : NULL;
}

STEEP_NAMES_OF(steep_target_names, catalogue, name)

/* The entry of a name, or of a name with parameters after a colon. */
static const steep_target_entry *find_entry(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; i < ENTRIES; i++)
        if (strlen(catalogue[i].name) == length && !strncmp(catalogue[i].name, text, length)) return &catalogue[i];
    return NULL;
}

typedef struct parameter {
    const char *name, *value; /* into the text of a list; a value that is missing is "" */
    size_t length, size;      /* of name and value */
} parameter;

/* Returns the first parameter of a list such as "a=1,b=2"; *list becomes the rest of the list. */
static parameter take_parameter(const char **list)
{
    const char *name = *list, *end = steep_text_outside(name, ',');
    const size_t length = strcspn(name, "=,"), used = (size_t)(end - name);
    *list = end + (*end == ',');
    if (length >= used) return (parameter){name, "", used, 0};
    return (parameter){name, name + length + 1, length, used - length - 1};
}

/* The parameter of that name among those of the list before end. */
static bool find_parameter(const char *list, const char *end, const char *name, size_t length, parameter *p)
{
    while (list < end) {
        *p = take_parameter(&list);
        if (p->length == length && strncmp(p->name, name, length) == 0) return true;
    }
    return false;
}

static steep_status check_parameters(const char *target, const char *defaults, const char *given, steep_error *error)
{
    double value;
    parameter p, other;
    if (!*given)
        return steep_fail(error, STEEP_BAD_INPUT, "target %.40s: nothing is set behind the colon: it has %.100s",
                          target, defaults);
    for (const char *at = given, *next = given; *at; at = next) {
        p = take_parameter(&next);
        if (!find_parameter(defaults, defaults + strlen(defaults), p.name, p.length, &other))
            return steep_fail(error, STEEP_BAD_INPUT, "target %.40s has no parameter '%.*s': it has %.100s", target,
                              (int)(p.length < 40 ? p.length : 40), p.name, defaults);
        if (find_parameter(given, at, p.name, p.length, &other))
            return steep_fail(error, STEEP_BAD_INPUT, "target %.40s: %.*s is set twice: set it once", target,
                              (int)p.length, p.name);
        const steep_status status = steep_formula_number(p.value, p.size, &value, NULL);
        if (status != STEEP_OK)
            return steep_fail(error, status,
                              "target %.40s: '%.*s=%.*s' sets no finite number: write %.*s=2, or a formula in pi and e",
                              target, (int)p.length, p.name, p.size < 60 ? (int)p.size : 60, p.value, (int)p.length,
                              p.name);
    }
    return STEEP_OK;
}

/* The entry's formula with each of its parameters ("lambda=1,beta=0") replaced by a value between parentheses: the
 * value in given (NULL: none; the same form, in any order), else the default. Only whole words are names: 'b' in 'beta'
 * or in 'abs(' is none. Values are formulas without variables. The caller frees *text, which is set on success only. */
static steep_status write_parameters(const steep_target_entry *entry, const char *given, char **text,
                                     steep_error *error)
{
    const char *defaults = entry->parameters;
    steep_text out;
    parameter p;
    steep_status status = given ? check_parameters(entry->name, defaults, given, error) : STEEP_OK;
    if (status != STEEP_OK) return status;
    status = steep_text_open(&out);
    if (!given) given = "";
    for (const char *at = entry->formula, *next; status == STEEP_OK && *at; at = next) {
        const size_t length = steep_formula_word(at);
        next = at + (length > 0 ? length : 1);
        if (find_parameter(given, given + strlen(given), at, length, &p) ||
            find_parameter(defaults, defaults + strlen(defaults), at, length, &p))
            fprintf(out.stream, "(%.*s)", (int)p.size, p.value);
        else fwrite(at, 1, (size_t)(next - at), out.stream);
    }
    if (status == STEEP_OK) status = steep_text_close(&out);
    if (status < 0) return steep_fail(error, status, "no memory for the formula of %.40s", entry->name);
    *text = out.text;
    return STEEP_OK;
}

enum { MOST_CHECKS = 1025, LEAST_CHECKS = 33, CHECKED_NUMBERS = 2000000 }; /* in more than STEEP_GRID_DIM dimensions */

/* Points a side of the grid of checks, some thousand in all: odd, so that the centre is one of them. */
static size_t check_side(size_t dim)
{
    return dim == 1 ? 1025 : dim == 2 ? 33 : dim == 3 ? 11 : dim <= 5 ? 5 : 3;
}

/* How many points check_finite looks at, and the coordinates of point k as fractions of the box. */
static size_t check_count(size_t dim)
{
    size_t count = 1;
    for (size_t j = 0; dim <= STEEP_GRID_DIM && j < dim; j++) count *= check_side(dim);
    if (dim <= STEEP_GRID_DIM) return count;
    count = CHECKED_NUMBERS / dim;
    return count > MOST_CHECKS ? MOST_CHECKS : count < LEAST_CHECKS ? LEAST_CHECKS : count;
}

static void check_point(size_t dim, size_t k, long double *fraction)
{
    const size_t side = check_side(dim);
    steep_random random = steep_random_start(k, STEEP_STREAM_TEST);
    for (size_t j = 0, rest = k; j < dim; j++, rest /= side)
        if (dim <= STEEP_GRID_DIM) fraction[j] = (long double)(rest % side) / (long double)(side - 1);
        else if (k < 3) fraction[j] = (long double)k / 2;
        else fraction[j] = floorl(3 * (long double)steep_random_uniform(&random)) / 2;
}

/* Names the box in a message: "[-1, 1] in every coordinate" or "its domain". */
static void name_box(const steep_target *target, char *text, size_t size)
{
    size_t same = 1;
    while (same < target->dim && target->low[same] == target->low[0] && target->high[same] == target->high[0]) same++;
    if (same < target->dim) snprintf(text, size, "its domain");
    else
        snprintf(text, size, "[%g, %g]%s", target->low[0], target->high[0],
                 target->dim > 1 ? " in every coordinate" : "");
}

static steep_status check_finite(const steep_target *target, steep_error *error)
{
    long double point[STEEP_FORMULA_VARIABLES];
    for (size_t k = 0, count = check_count(target->dim); k < count; k++) {
        check_point(target->dim, k, point);
        for (size_t j = 0; j < target->dim; j++)
            point[j] = (1 - point[j]) * target->low[j] + point[j] * target->high[j];
        const double value = (double)steep_formula_reference(target->formula, point);
        if (isfinite(value)) continue;
        char where[320], box[80];
        steep_target_point(target->dim, point, where, sizeof where);
        name_box(target, box, sizeof box);
        return steep_fail(error, STEEP_BAD_INPUT,
                          "'%.100s' is not finite: it is %g at %s; use a formula that is finite on %s", target->name,
                          value, where, box);
    }
    return STEEP_OK;
}

static steep_status unknown_name(const char *text, steep_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    const char *nearest = steep_options_nearest(name, steep_target_names);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "unknown target '%.60s'%s%s%s; 'steep list targets' names them all, and any formula in x will do",
                      text, nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* Sets the dimension and the box of a target that has its formula and name. */
static steep_status set_box(steep_target *t, const steep_target_entry *entry, const char *domain, steep_error *error)
{
    t->dim = steep_formula_dim(t->formula);
    t->low = malloc(t->dim * sizeof *t->low);
    t->high = malloc(t->dim * sizeof *t->high);
    if (!t->low || !t->high) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a target in %zuD", t->dim);
    for (size_t j = 0; j < t->dim; j++) t->low[j] = -1, t->high[j] = 1;
    if (!domain && entry) domain = entry->domain;
    return domain ? steep_box_parse(domain, t->dim, t->low, t->high, error) : STEEP_OK;
}

/* Parses the formula of a name of the catalogue, with its parameters set, or any other text as a formula. */
static steep_status parse(const char *text, const steep_target_entry *entry, steep_formula **formula,
                          steep_error *error)
{
    const char *colon = strchr(text, ':');
    char *written = NULL;
    steep_status status = STEEP_OK;
    if (entry && colon && !entry->parameters)
        return steep_fail(error, STEEP_BAD_INPUT, "target %s has no parameters: write its name alone", entry->name);
    if (entry && entry->parameters) status = write_parameters(entry, colon ? colon + 1 : NULL, &written, error);
    if (status == STEEP_OK)
        status = steep_formula_parse(written ? written : entry ? entry->formula : text, formula, error);
    free(written);
    const bool word = isalpha((unsigned char)*text) && text[steep_formula_word(text)] == (colon ? ':' : '\0');
    return status == STEEP_BAD_INPUT && !entry && word ? unknown_name(text, error) : status;
}

steep_status steep_target_open(const char *text, steep_target **target, steep_error *error)
{
    return steep_target_open_on(text, NULL, target, error);
}

steep_status steep_target_open_on(const char *text, const char *domain, steep_target **target, steep_error *error)
{
    *target = NULL;
    if (!text)
        return steep_fail(error, STEEP_BAD_INPUT, "no target is given: use a name of the catalogue or a formula in x");
    const steep_target_entry *entry = find_entry(text);
    steep_target *t = calloc(1, sizeof *t);
    if (t) t->name = strdup(text);
    steep_status status = t && t->name ? parse(text, entry, &t->formula, error)
                                       : steep_fail(error, STEEP_NO_MEMORY, "no memory for a target");
    if (status == STEEP_OK) status = set_box(t, entry, domain, error);
    if (status == STEEP_OK) status = check_finite(t, error);
    if (status == STEEP_OK) *target = t;
    else steep_target_free(t);
    return status;
}

void steep_target_free(steep_target *target)
{
    if (!target) return;
    free(target->name);
    free(target->low);
    free(target->high);
    steep_formula_free(target->formula);
    free(target);
}

void steep_target_point(size_t dim, const long double *x, char *text, size_t size)
{
    enum { LONGEST = 48 }; /* ", x1000000 = -1.234567891e-4932" and room for the dots */
    size_t used = 0;
    for (size_t j = 0; j < dim && used < size; j++) {
        if (j + 1 < dim && used + LONGEST >= size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        char name[24] = {"xyz"[j < 3 ? j : 0], '\0'};
        if (dim > 3) snprintf(name, sizeof name, "x%zu", j + 1);
        used += (size_t)snprintf(text + used, size - used, "%s%s = %.10Lg", j ? ", " : "", name, x[j]);
    }
}

void steep_target_jet(const steep_target *target, long double x, size_t order, long double *c)
{
    steep_formula_jet(target->formula, &x, NULL, order, c);
}

enum { CELLS = 16, POINTS = 10, DEEPEST = 50, BUDGET = 2500, BISECTIONS = 32 };
#define RELATIVE 1e-9L /* a cell is fine enough if halving it changes its part by at most this share of the whole */
/* The same share for the deepest cells, 2^-54 of the interval. It separates s^(-7/9), order 4 of sqrt, whose part
 * shrinks like the cell to the power 2/9, from 1/s, whose part does not shrink. */
#define SINGULAR 1e-4L
#define ALIKE    (64 * LDBL_EPSILON) /* a cell so small beside its place is as deep: its points run together */

/* A piece of the interval, and its part of the integral. x = zero + size t^3, t from 0 to 1: next to a zero of the
 * derivative |x - zero|^power dx is nearly smooth in t. size 0: x = t, t from a to b. */
typedef struct piece {
    long double zero, size, a, b, part;
} piece;

typedef struct mean {
    const steep_target *target;
    size_t order, budget, pieces;                           /* budget: Gauss sums left */
    long double power, node[POINTS], weight[POINTS], total; /* total: the integral from all cells so far */
    bool diverges;
    piece piece[2 * CELLS * POINTS + 2];
} mean;

static long double derivative(const mean *m, long double x)
{
    long double c[STEEP_JET_ORDER + 1];
    steep_target_jet(m->target, x, m->order, c);
    return c[m->order];
}

/* The integral of |f^(order)|^power over a piece's t in [a, b] by Gauss-Legendre. */
static long double gauss(const mean *m, const piece *p, long double a, long double b)
{
    long double sum = 0;
    for (size_t k = 0; k < POINTS; k++) {
        const long double t = a + (b - a) * (1 + m->node[k]) / 2, slope = p->size == 0 ? 1 : 3 * fabsl(p->size) * t * t;
        const long double d = derivative(m, p->size == 0 ? t : p->zero + p->size * t * t * t);
        sum += slope * m->weight[k] * (m->power == 2 ? d * d : steep_powl(fabsl(d), m->power));
    }
    return sum * (b - a) / 2;
}

/* Halves the cell until its two halves agree with the whole. Cells shrink geometrically towards a kink of the
 * derivative, and towards a zero without a change of sign, where |f^(order)|^power has a cusp. If a part does not
 * shrink with its cell, the integral diverges. */
static long double refine(mean *m, const piece *p, long double a, long double b, long double whole, int depth)
{
    if (m->budget < 2 || m->diverges) return whole;
    m->budget -= 2;
    const long double middle = (a + b) / 2, left = gauss(m, p, a, middle), right = gauss(m, p, middle, b);
    m->total += left + right - whole;
    const long double change = fabsl(left + right - whole);
    if (change <= RELATIVE * m->total) return left + right;
    if (depth == DEEPEST || (m->power == 2 && b - a <= ALIKE * fmaxl(fabsl(a), fabsl(b))) || !isfinite(left + right)) {
        if (!(change <= SINGULAR * m->total)) m->diverges = true;
        return left + right;
    }
    return refine(m, p, a, middle, left, depth + 1) + refine(m, p, middle, b, right, depth + 1);
}

/* A change of sign of the derivative, u at a and v at b. False: none, or the derivative grows there, as at a pole. */
static bool find_zero(const mean *m, long double a, long double u, long double b, long double v, long double *zero)
{
    long double left = u, right = v;
    if (!(u < 0 && v > 0) && !(u > 0 && v < 0)) return false;
    for (int k = 0; k < BISECTIONS; k++) {
        const long double d = derivative(m, *zero = (a + b) / 2);
        if (d == 0) return true;
        if ((d > 0) == (u > 0)) a = *zero, left = d;
        else b = *zero, right = d;
    }
    return fabsl(left) <= fabsl(u) && fabsl(right) <= fabsl(v);
}

static void add_piece(mean *m, long double a, bool from_zero, long double b, bool to_zero)
{
    const long double middle = (a + b) / 2;
    if (from_zero && to_zero) {
        add_piece(m, a, true, middle, false);
        add_piece(m, middle, false, b, true);
        return;
    }
    piece *p = &m->piece[m->pieces++];
    *p = from_zero ? (piece){a, b - a, 0, 1, 0} : to_zero ? (piece){b, a - b, 0, 1, 0} : (piece){0, 0, a, b, 0};
    m->total += p->part = gauss(m, p, p->a, p->b);
}

/* CELLS equal cells, cut at zeros of the derivative, where a small power has a cusp; a zero near an end replaces it. */
static void cut(mean *m, long double low, long double size)
{
    long double edge = low, x = low, d = 0;
    bool is_zero = false;
    for (size_t i = 0; i < CELLS * POINTS; i++) {
        const long double begin = low + size * (long double)(i / POINTS), before = x, last = d;
        x = begin + size * (1 + m->node[i % POINTS]) / 2;
        d = m->power < 2 ? derivative(m, x) : 0;
        long double end = begin;
        const bool found = find_zero(m, before, last, x, d, &end);
        if (!found && (i == 0 || i % POINTS > 0)) continue;
        add_piece(m, edge, is_zero, found ? end : begin, found);
        edge = found ? end : begin;
        is_zero = found;
    }
    add_piece(m, edge, is_zero, low + size * CELLS, false);
}

/* The mean over the interval of |f^(order) / order!|^power. */
static long double mean_power(const steep_target *target, size_t order, long double power)
{
    mean m = {.target = target, .order = order, .budget = BUDGET, .power = power};
    const long double low = target->low[0], size = ((long double)target->high[0] - low) / CELLS;
    long double sum = 0;
    steep_gauss_legendre(POINTS, m.node, m.weight);
    cut(&m, low, size);
    for (const piece *p = m.piece; p < m.piece + m.pieces; p++) sum += refine(&m, p, p->a, p->b, p->part, 0);
    return isnan(sum) ? sum : m.diverges ? INFINITY : sum / (CELLS * size);
}

double steep_target_rms_derivative(const steep_target *target, size_t order)
{
    return (double)(steep_factorial(order) * sqrtl(mean_power(target, order, 2)));
}

double steep_target_free_knot_size(const steep_target *target, size_t order)
{
    const long double p = (long double)order + 0.5L;
    return (double)(steep_factorial(order) * steep_powl(mean_power(target, order, 1 / p), p));
}

/* The value of an end of an interval, text[0..length-1]. */
static steep_status read_end(const char *text, size_t length, double *value, steep_error *error)
{
    steep_error why = {""};
    if (strspn(text, " \t") >= length)
        return steep_fail(error, STEEP_BAD_INPUT, "the domain '%.80s' lacks an end of an interval: " EXAMPLE, text);
    steep_status status = steep_formula_number(text, length, value, &why);
    if (status == STEEP_OK) return status;
    return steep_fail(error, status, "the domain's end '%.*s' %s", length < 60 ? (int)length : 60, text, why.text);
}

/* One interval, text[0..length-1]. */
static steep_status read_interval(const char *text, size_t length, double *low, double *high, steep_error *error)
{
    const char *end = text + length, *colon = steep_text_outside(text, ':');
    int shown = length < 80 ? (int)length : 80;
    if (colon >= end)
        return steep_fail(error, STEEP_BAD_INPUT, "the domain's '%.*s' is no interval low:high: " EXAMPLE, shown, text);
    steep_status status = read_end(text, (size_t)(colon - text), low, error);
    if (status == STEEP_OK) status = read_end(colon + 1, (size_t)(end - colon - 1), high, error);
    if (status != STEEP_OK) return status;
    if (!(*low < *high))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the domain's interval '%.*s' runs from %g to %g: write the smaller end first", shown, text,
                          *low, *high);
    if (!isfinite(*high - *low))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the domain's interval '%.*s' is longer than a number can be: use a smaller one", shown,
                          text);
    return STEEP_OK;
}

steep_status steep_box_parse(const char *text, size_t dim, double *low, double *high, steep_error *error)
{
    size_t intervals = 1;
    for (const char *c = steep_text_outside(text, ','); *c; c = steep_text_outside(c + 1, ',')) intervals++;
    if (intervals != dim && intervals != 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the domain '%.80s' has %zu intervals for %zu coordinates: give one for each, or one for all",
                          text, intervals, dim);
    for (size_t j = 0; j < intervals; j++) {
        const char *end = steep_text_outside(text, ',');
        const steep_status status = read_interval(text, (size_t)(end - text), low + j, high + j, error);
        if (status != STEEP_OK) return status;
        text = end + (*end == ',');
    }
    for (size_t j = intervals; j < dim; j++) low[j] = low[0], high[j] = high[0];
    return STEEP_OK;
}
