/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An expression, parsed once into a postfix program, run three ways on a stack: in double over blocks of points, in long double at
 * a point, and on Taylor jets. Parser: recursive descent,
 *   sum = product {(+|-) product};  product = unary {(*|/) unary};  unary = {-|+} power;  power = primary [^ unary];
 *   primary = number | name | name ( sum {, sum} ) | ( sum ).                                                              */
#include "data/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "data/jet.h"

#define LONGEST 4096 /* characters */
#define DEEPEST 100  /* nested parentheses and signs; also the stack's limit */
#define BLOCK 128    /* points run together */

typedef enum op {
    OP_NUMBER, OP_VARIABLE, OP_NEGATE, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_POW, OP_MIN, OP_MAX,
    OP_SIN, OP_COS, OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN, OP_SINH, OP_COSH, OP_TANH, OP_EXP, OP_LOG, OP_SQRT, OP_CBRT,
    OP_ABS, OP_SIGN, OP_RELU, OP_ERF
} op;

static const struct { const char *name; op op; int arguments; } functions[] = {
    {"sin", OP_SIN, 1}, {"cos", OP_COS, 1}, {"tan", OP_TAN, 1}, {"asin", OP_ASIN, 1}, {"acos", OP_ACOS, 1},
    {"atan", OP_ATAN, 1}, {"sinh", OP_SINH, 1}, {"cosh", OP_COSH, 1}, {"tanh", OP_TANH, 1}, {"exp", OP_EXP, 1},
    {"log", OP_LOG, 1}, {"sqrt", OP_SQRT, 1}, {"cbrt", OP_CBRT, 1}, {"abs", OP_ABS, 1}, {"sign", OP_SIGN, 1},
    {"relu", OP_RELU, 1}, {"erf", OP_ERF, 1}, {"min", OP_MIN, 2}, {"max", OP_MAX, 2}, {"pow", OP_POW, 2}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct instruction {
    op op;
    size_t variable;
    long double number;
} instruction;

struct steep_formula {
    char *text;
    instruction *program;
    size_t length, room, dim, depth; /* depth: of the stack */
};

/* --- parsing --- */

typedef struct parser {
    steep_formula *formula;
    const char *at;
    size_t stack, nested;
    steep_status status;
    steep_error *error;
} parser;

/* The names that can stand in a formula, for suggestions. */
static const char *known_names(size_t index)
{
    static const char *const others[] = {"x", "y", "z", "pi", "e"};
    if (index < FUNCTIONS) return functions[index].name;
    return index - FUNCTIONS < sizeof others / sizeof *others ? others[index - FUNCTIONS] : NULL;
}

static void complain(parser *p, const char *at, const char *what)
{
    if (p->status < 0) return; /* the first complaint stands */
    int column = (int)(at - p->formula->text) + 1, shown = column > 60 ? column - 60 : 0;
    p->status = steep_fail(p->error, STEEP_BAD_INPUT, "formula, column %d: %s\n  %.100s\n  %*s", column, what,
                           p->formula->text + shown, column - shown, "^");
}

static void emit(parser *p, op o, size_t variable, long double number, int pops)
{
    steep_formula *f = p->formula;
    if (p->status < 0) return;
    if (f->length == f->room) {
        size_t room = f->room ? 2 * f->room : 32;
        instruction *grown = realloc(f->program, room * sizeof *grown);
        if (!grown) {
            p->status = steep_fail(p->error, STEEP_NO_MEMORY, "no memory for a formula");
            return;
        }
        f->program = grown;
        f->room = room;
    }
    f->program[f->length++] = (instruction){o, variable, number};
    p->stack += 1 - (size_t)pops;
    if (p->stack > f->depth) f->depth = p->stack;
}

static void skip_space(parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool accept(parser *p, char c)
{
    skip_space(p);
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static void parse_sum(parser *p);

static void parse_call(parser *p, const char *name, size_t which)
{
    if (!accept(p, '(')) {
        complain(p, p->at, "a '(' would be right after a function's name");
        return;
    }
    for (int a = 0; a < functions[which].arguments && p->status >= 0; a++) {
        if (a > 0 && !accept(p, ',')) complain(p, p->at, "a ',' and a second argument would be right");
        else parse_sum(p);
    }
    if (p->status >= 0 && !accept(p, ')'))
        complain(p, p->at, *p->at == ',' ? "one argument fewer would be right" : "a ')' would be right");
    (void)name;
    emit(p, functions[which].op, 0, 0, functions[which].arguments);
}

static void parse_name(parser *p)
{
    const char *begin = p->at;
    char name[32], what[128];
    while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
    snprintf(name, sizeof name, "%.*s", (int)(p->at - begin), begin);
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0) {
            parse_call(p, name, i);
            return;
        }
    size_t variable = SIZE_MAX;
    if (name[1] == '\0' && name[0] >= 'x' && name[0] <= 'z') variable = (size_t)(name[0] - 'x');
    if (name[0] == 'x' && name[1] >= '1' && name[1] <= '0' + STEEP_MAX_DIM && name[2] == '\0') variable = (size_t)(name[1] - '1');
    if (variable != SIZE_MAX) {
        if (variable + 1 > p->formula->dim) p->formula->dim = variable + 1;
        emit(p, OP_VARIABLE, variable, 0, 0);
    } else if (strcmp(name, "pi") == 0) {
        emit(p, OP_NUMBER, 0, 3.14159265358979323846264338327950288L, 0);
    } else if (strcmp(name, "e") == 0) {
        emit(p, OP_NUMBER, 0, 2.71828182845904523536028747135266250L, 0);
    } else {
        const char *near = steep_options_nearest(name, known_names);
        if (near) snprintf(what, sizeof what, "unknown name '%s'; did you mean '%s'?", name, near);
        else snprintf(what, sizeof what, "unknown name '%s'; variables are x, y, z or x1 to x%d", name, STEEP_MAX_DIM);
        complain(p, begin, what);
    }
}

static void parse_primary(parser *p)
{
    skip_space(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        char *end;
        long double value = strtold(p->at, &end);
        if (end == p->at || !isfinite(value)) {
            complain(p, p->at, "a number would be right");
            return;
        }
        p->at = end;
        emit(p, OP_NUMBER, 0, value, 0);
    } else if (isalpha((unsigned char)*p->at)) {
        parse_name(p);
    } else if (accept(p, '(')) {
        parse_sum(p);
        if (p->status >= 0 && !accept(p, ')')) complain(p, p->at, "a ')' would be right");
    } else {
        complain(p, p->at, *p->at ? "a number, a name or '(' would be right" : "the formula ends where a number, a name or '(' would be right");
    }
}

static void parse_unary(parser *p)
{
    if (++p->nested > DEEPEST) complain(p, p->at, "too deeply nested");
    if (p->status < 0) return;
    if (accept(p, '-')) {
        parse_unary(p);
        emit(p, OP_NEGATE, 0, 0, 1);
    } else if (accept(p, '+')) {
        parse_unary(p);
    } else {
        parse_primary(p);
        skip_space(p);
        bool power = *p->at == '^' || (p->at[0] == '*' && p->at[1] == '*');
        if (power && p->status >= 0) {
            p->at += *p->at == '^' ? 1 : 2;
            parse_unary(p);
            emit(p, OP_POW, 0, 0, 2);
        }
    }
    p->nested--;
}

static void parse_product(parser *p)
{
    parse_unary(p);
    while (p->status >= 0) {
        skip_space(p);
        if (*p->at != '*' && *p->at != '/') return;
        op o = *p->at++ == '*' ? OP_MUL : OP_DIV;
        parse_unary(p);
        emit(p, o, 0, 0, 2);
    }
}

static void parse_sum(parser *p)
{
    if (++p->nested > DEEPEST) complain(p, p->at, "too deeply nested");
    if (p->status < 0) return;
    parse_product(p);
    while (p->status >= 0) {
        skip_space(p);
        if (*p->at != '+' && *p->at != '-') break;
        op o = *p->at++ == '+' ? OP_ADD : OP_SUB;
        parse_product(p);
        emit(p, o, 0, 0, 2);
    }
    p->nested--;
}

steep_status steep_formula_parse(const char *text, steep_formula **formula, steep_error *error)
{
    *formula = NULL;
    if (strlen(text) > LONGEST)
        return steep_fail(error, STEEP_BAD_INPUT, "a formula of %zu characters: at most %d would be right", strlen(text), LONGEST);
    steep_formula *f = calloc(1, sizeof *f);
    if (!f || !(f->text = strdup(text))) {
        free(f);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula");
    }
    f->dim = 1;
    parser p = {.formula = f, .at = f->text, .error = error};
    parse_sum(&p);
    skip_space(&p);
    if (p.status >= 0 && *p.at) complain(&p, p.at, "an operator or the end would be right");
    if (p.status < 0) {
        steep_formula_free(f);
        return p.status;
    }
    *formula = f;
    return STEEP_OK;
}

void steep_formula_free(steep_formula *formula)
{
    if (!formula) return;
    free(formula->text);
    free(formula->program);
    free(formula);
}

const char *steep_formula_text(const steep_formula *formula)
{
    return formula->text;
}

size_t steep_formula_dim(const steep_formula *formula)
{
    return formula->dim;
}

/* --- values --- */

/* x^n by repeated squaring for the small integers people write; pow otherwise. */
static long double power(long double x, long double y)
{
    if (y == 2) return x * x;
    if (y == 3) return x * x * x;
    if (y == 4) return (x * x) * (x * x);
    return powl(x, y);
}

static long double apply(op o, long double a, long double b)
{
    switch (o) {
    case OP_NEGATE: return -a;
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_POW: return power(a, b);
    case OP_MIN: return a < b ? a : b;
    case OP_MAX: return a > b ? a : b;
    case OP_SIN: return sinl(a);
    case OP_COS: return cosl(a);
    case OP_TAN: return tanl(a);
    case OP_ASIN: return asinl(a);
    case OP_ACOS: return acosl(a);
    case OP_ATAN: return atanl(a);
    case OP_SINH: return sinhl(a);
    case OP_COSH: return coshl(a);
    case OP_TANH: return tanhl(a);
    case OP_EXP: return expl(a);
    case OP_LOG: return logl(a);
    case OP_SQRT: return sqrtl(a);
    case OP_CBRT: return cbrtl(a);
    case OP_ABS: return fabsl(a);
    case OP_SIGN: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case OP_RELU: return a > 0 ? a : 0;
    case OP_ERF: return erfl(a);
    default: return NAN;
    }
}

static bool takes_two(op o)
{
    return o >= OP_ADD && o <= OP_MAX;
}

long double steep_formula_reference(const steep_formula *formula, const long double *x)
{
    long double stack[2 * DEEPEST + 2];
    size_t top = 0;
    for (size_t i = 0; i < formula->length; i++) {
        const instruction *in = formula->program + i;
        if (in->op == OP_NUMBER) stack[top++] = in->number;
        else if (in->op == OP_VARIABLE) stack[top++] = x[in->variable];
        else if (takes_two(in->op)) top--, stack[top - 1] = apply(in->op, stack[top - 1], stack[top]);
        else stack[top - 1] = apply(in->op, stack[top - 1], 0);
    }
    return stack[0];
}

static double power_double(double x, double y)
{
    if (y == 2) return x * x;
    if (y == 3) return x * x * x;
    if (y == 4) return (x * x) * (x * x);
    return pow(x, y);
}

/* One instruction over a block, the operation outside the loop; result in a. */
#define OVER(expression)                     \
    for (size_t k = 0; k < n; k++) {         \
        double u = a[k], v = b ? b[k] : 0;   \
        (void)v;                             \
        a[k] = (expression);                 \
    }                                        \
    break

static void apply_block(op o, size_t n, double *a, const double *b)
{
    switch (o) {
    case OP_NEGATE: OVER(-u);
    case OP_ADD: OVER(u + v);
    case OP_SUB: OVER(u - v);
    case OP_MUL: OVER(u * v);
    case OP_DIV: OVER(u / v);
    case OP_POW: OVER(power_double(u, v));
    case OP_MIN: OVER(u < v ? u : v);
    case OP_MAX: OVER(u > v ? u : v);
    case OP_SIN: OVER(sin(u));
    case OP_COS: OVER(cos(u));
    case OP_TAN: OVER(tan(u));
    case OP_ASIN: OVER(asin(u));
    case OP_ACOS: OVER(acos(u));
    case OP_ATAN: OVER(atan(u));
    case OP_SINH: OVER(sinh(u));
    case OP_COSH: OVER(cosh(u));
    case OP_TANH: OVER(tanh(u));
    case OP_EXP: OVER(exp(u));
    case OP_LOG: OVER(log(u));
    case OP_SQRT: OVER(sqrt(u));
    case OP_CBRT: OVER(cbrt(u));
    case OP_ABS: OVER(fabs(u));
    case OP_SIGN: OVER(u > 0 ? 1 : u < 0 ? -1 : 0);
    case OP_RELU: OVER(u > 0 ? u : 0);
    case OP_ERF: OVER(erf(u));
    default: break;
    }
}

void steep_formula_values(const steep_formula *formula, size_t count, const double *x, double *y)
{
    double stack[(2 * DEEPEST + 2)][BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t n = count - first < BLOCK ? count - first : BLOCK, top = 0;
        for (size_t i = 0; i < formula->length; i++) {
            const instruction *in = formula->program + i;
            if (in->op == OP_NUMBER) {
                for (size_t k = 0; k < n; k++) stack[top][k] = (double)in->number;
                top++;
            } else if (in->op == OP_VARIABLE) {
                memcpy(stack[top++], x + in->variable * count + first, n * sizeof(double));
            } else if (takes_two(in->op)) {
                top--;
                apply_block(in->op, n, stack[top - 1], stack[top]);
            } else {
                apply_block(in->op, n, stack[top - 1], NULL);
            }
        }
        memcpy(y + first, stack[0], n * sizeof(double));
    }
}

/* --- jets --- */

/* The first coefficient that is not 0 decides on which side of a kink the jet goes, for t > 0. */
static int side(size_t order, const long double *a)
{
    for (size_t j = 0; j <= order; j++) {
        if (a[j] > 0) return 1;
        if (a[j] < 0) return -1;
    }
    return 0;
}

static void jet_unary(op o, size_t order, const long double *a, long double *out)
{
    long double other[STEEP_JET_ORDER + 1];
    switch (o) {
    case OP_NEGATE: for (size_t j = 0; j <= order; j++) out[j] = -a[j]; break;
    case OP_SIN: steep_jet_sin_cos(order, a, out, other); break;
    case OP_COS: steep_jet_sin_cos(order, a, other, out); break;
    case OP_TAN: steep_jet_tan(order, a, out); break;
    case OP_ASIN: steep_jet_asin(order, a, out); break;
    case OP_ACOS: steep_jet_acos(order, a, out); break;
    case OP_ATAN: steep_jet_atan(order, a, out); break;
    case OP_SINH: steep_jet_sinh_cosh(order, a, out, other); break;
    case OP_COSH: steep_jet_sinh_cosh(order, a, other, out); break;
    case OP_TANH: steep_jet_tanh(order, a, out); break;
    case OP_EXP: steep_jet_exp(order, a, out); break;
    case OP_LOG: steep_jet_log(order, a, out); break;
    case OP_SQRT: steep_jet_sqrt(order, a, out); break;
    case OP_CBRT: steep_jet_cbrt(order, a, out); break;
    case OP_ERF: steep_jet_erf(order, a, out); break;
    case OP_ABS: for (size_t j = 0; j <= order; j++) out[j] = side(order, a) < 0 ? -a[j] : a[j]; break;
    case OP_RELU: for (size_t j = 0; j <= order; j++) out[j] = a[0] > 0 ? a[j] : 0; break;
    case OP_SIGN: memset(out, 0, (order + 1) * sizeof *out); out[0] = side(order, a); break;
    default: break;
    }
}

static void jet_binary(op o, size_t order, const long double *a, const long double *b, long double *out)
{
    long double less[STEEP_JET_ORDER + 1];
    for (size_t j = 0; j <= order; j++) less[j] = a[j] - b[j];
    switch (o) {
    case OP_ADD: for (size_t j = 0; j <= order; j++) out[j] = a[j] + b[j]; break;
    case OP_SUB: memcpy(out, less, (order + 1) * sizeof *out); break;
    case OP_MUL: steep_jet_mul(order, a, b, out); break;
    case OP_DIV: steep_jet_div(order, a, b, out); break;
    case OP_POW: steep_jet_pow(order, a, b, out); break;
    case OP_MIN: memcpy(out, side(order, less) < 0 ? a : b, (order + 1) * sizeof *out); break;
    case OP_MAX: /* at a tie of values the second: max(z, 0) is the networks' relu, whose slope at 0 is 0 */
        memcpy(out, less[0] > 0 || (less[0] == 0 && side(order, b) != 0 && side(order, less) > 0) ? a : b, (order + 1) * sizeof *out);
        break;
    default: break;
    }
}

void steep_formula_jet(const steep_formula *formula, const long double *x, const long double *v, size_t order,
                       long double *c)
{
    long double stack[2 * DEEPEST + 2][STEEP_JET_ORDER + 1], out[STEEP_JET_ORDER + 1];
    size_t top = 0, bytes = (order + 1) * sizeof *out;
    for (size_t i = 0; i < formula->length; i++) {
        const instruction *in = formula->program + i;
        if (in->op == OP_NUMBER || in->op == OP_VARIABLE) {
            memset(stack[top], 0, bytes);
            stack[top][0] = in->op == OP_NUMBER ? in->number : x[in->variable];
            if (in->op == OP_VARIABLE && order > 0) stack[top][1] = v ? v[in->variable] : in->variable == 0;
            top++;
            continue;
        }
        if (takes_two(in->op)) {
            top--;
            jet_binary(in->op, order, stack[top - 1], stack[top], out);
        } else {
            jet_unary(in->op, order, stack[top - 1], out);
        }
        memcpy(stack[top - 1], out, bytes);
    }
    memcpy(c, stack[0], bytes);
}
