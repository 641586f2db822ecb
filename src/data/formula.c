/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A precedence-climbing parser writes a postfix program; constants are folded as it goes. An evaluation runs over the
 * program once per block of points: instructions outside, points inside, so that no switch sits in an inner loop.
 *
 *   expression(p):  operand, then while an operator of precedence >= p follows: its right side, the operator
 *   operand:        number | name | name ( expression [, expression] ) | ( expression ) | + operand | - operand */
#include "data/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

/* Functions of one argument: code, word in a formula, C function (double; with l appended: long double). */
/* clang-format off */
#define UNARY(X)                                                                        \
    X(SIN, "sin", sin)    X(COS, "cos", cos)    X(TAN, "tan", tan)                      \
    X(ASIN, "asin", asin) X(ACOS, "acos", acos) X(ATAN, "atan", atan)                   \
    X(SINH, "sinh", sinh) X(COSH, "cosh", cosh) X(TANH, "tanh", tanh)                   \
    X(EXP, "exp", exp)    X(LOG, "log", log)    X(ERF, "erf", erf)                      \
    X(SQRT, "sqrt", sqrt) X(CBRT, "cbrt", cbrt) X(ABS, "abs", fabs)                     \
    X(SIGN, "sign", sign) X(RELU, "relu", relu) X(NEGATE, "-", minus) /* -: no word, so found by no name */

#define UNARY_CODE(code, word, function) code,
typedef enum code {
    NUMBER, VARIABLE, UNARY(UNARY_CODE) INTEGER_POWER, /* one operand at most */
    ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MIN, MAX   /* two */
} code;
/* clang-format on */

typedef struct instruction {
    code code;
    int index; /* of a VARIABLE; exponent of an INTEGER_POWER */
    long double number;
} instruction;

struct steep_formula {
    char *text;
    size_t dim, length, height; /* height: most values on the stack at once */
    instruction *program;
};

typedef struct function_row {
    const char *name;
    code code;
    size_t arguments;
} function_row;

#define UNARY_ROW(code, word, function) {word, code, 1},
static const function_row functions[] = {UNARY(UNARY_ROW){"min", MIN, 2}, {"max", MAX, 2}, {"pow", POWER, 2}};

enum {
    FUNCTIONS = sizeof functions / sizeof *functions,
    TERMS = STEEP_JET_ORDER + 1,
    HEIGHT = STEEP_FORMULA_DEPTH + 1,
    CELLS = 4096,       /* doubles on the evaluation stack: 32 KiB, shared by its levels */
    BLOCK = 256,        /* most points of a block */
    LARGEST_POWER = 64, /* integer exponents up to here by repeated multiplication */
    SHOWN = 64          /* characters of a formula that a message quotes */
};

static double sign(double a)
{
    return a > 0 ? 1 : a < 0 ? -1 : a;
}

static long double signl(long double a)
{
    return a > 0 ? 1 : a < 0 ? -1 : a;
}

static double relu(double a)
{
    return a < 0 ? 0 : a;
}

static long double relul(long double a)
{
    return a < 0 ? 0 : a;
}

static double minus(double a)
{
    return -a;
}

static long double minusl(long double a)
{
    return -a;
}

static size_t operands(code c)
{
    return c <= VARIABLE ? 0 : c <= INTEGER_POWER ? 1 : 2;
}

/* --- one function for each kind of number: a (and b) in, a out; n points --- */

#define UNARY_DOUBLE(code, word, function)                                                                             \
    case code:                                                                                                         \
        for (size_t k = 0; k < n; k++) a[k] = function(a[k]);                                                          \
        break;
static void unary_double(code c, size_t n, double *a)
{
    switch (c) {
        UNARY(UNARY_DOUBLE)
    default: break;
    }
}

static void integer_power_double(int exponent, size_t n, double *a)
{
    double square[BLOCK];
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    memcpy(square, a, n * sizeof *a);
    for (size_t k = 0; !(left & 1) && k < n; k++) a[k] = 1;
    while (left >>= 1) {
        for (size_t k = 0; k < n; k++) square[k] *= square[k];
        for (size_t k = 0; left & 1 && k < n; k++) a[k] *= square[k];
    }
    for (size_t k = 0; exponent < 0 && k < n; k++) a[k] = 1 / a[k];
}

/* NaN in a fails both comparisons of "a is the one", so a itself is tested; NaN in b is the other branch. */
static void binary_double(code c, size_t n, double *restrict a, const double *restrict b)
{
    switch (c) {
    case ADD:
        for (size_t k = 0; k < n; k++) a[k] += b[k];
        break;
    case SUBTRACT:
        for (size_t k = 0; k < n; k++) a[k] -= b[k];
        break;
    case MULTIPLY:
        for (size_t k = 0; k < n; k++) a[k] *= b[k];
        break;
    case DIVIDE:
        for (size_t k = 0; k < n; k++) a[k] /= b[k];
        break;
    case POWER:
        for (size_t k = 0; k < n; k++) a[k] = pow(a[k], b[k]);
        break;
    case MIN:
        for (size_t k = 0; k < n; k++) a[k] = a[k] < b[k] || isnan(a[k]) ? a[k] : b[k];
        break;
    case MAX:
        for (size_t k = 0; k < n; k++) a[k] = a[k] > b[k] || isnan(a[k]) ? a[k] : b[k];
        break;
    default: break;
    }
}

#define UNARY_LONG(code, word, function)                                                                               \
    case code: return function##l(a);
static long double unary_long(code c, long double a)
{
    switch (c) {
        UNARY(UNARY_LONG)
    default: return NAN;
    }
}

static long double integer_power_long(int exponent, long double a)
{
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    long double result = left & 1 ? a : 1, square = a;
    while (left >>= 1) {
        square *= square;
        if (left & 1) result *= square;
    }
    return exponent < 0 ? 1 / result : result;
}

static long double binary_long(code c, long double a, long double b)
{
    switch (c) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case POWER: return powl(a, b);
    case MIN: return a < b || isnan(a) ? a : b;
    case MAX: return a > b || isnan(a) ? a : b;
    default: return NAN;
    }
}

static void copy_jet(size_t order, const long double *from, long double *to)
{
    memcpy(to, from, (order + 1) * sizeof *to);
}

/* a's sign for small t > 0: that of its first coefficient that is not 0 (NaN counts as positive and stays visible). */
static bool is_negative(size_t order, const long double *a)
{
    for (size_t k = 0; k <= order; k++)
        if (a[k] != 0) return a[k] < 0;
    return false;
}

static void integer_power_jet(int exponent, size_t order, long double *a)
{
    long double square[TERMS], product[TERMS], one[TERMS] = {1};
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    copy_jet(order, a, square);
    if (!(left & 1)) copy_jet(order, one, a);
    while (left >>= 1) {
        steep_jet_mul(order, square, square, product);
        copy_jet(order, product, square);
        if (left & 1) {
            steep_jet_mul(order, a, square, product);
            copy_jet(order, product, a);
        }
    }
    if (exponent < 0) {
        steep_jet_div(order, one, a, product);
        copy_jet(order, product, a);
    }
}

static void unary_jet(code c, size_t order, const long double *a, long double *out)
{
    long double unused[TERMS];
    switch (c) {
    case SIN: steep_jet_sin_cos(order, a, out, unused); break;
    case COS: steep_jet_sin_cos(order, a, unused, out); break;
    case TAN: steep_jet_tan(order, a, out); break;
    case ASIN: steep_jet_asin(order, a, out); break;
    case ACOS: steep_jet_acos(order, a, out); break;
    case ATAN: steep_jet_atan(order, a, out); break;
    case SINH: steep_jet_sinh_cosh(order, a, out, unused); break;
    case COSH: steep_jet_sinh_cosh(order, a, unused, out); break;
    case TANH: steep_jet_tanh(order, a, out); break;
    case EXP: steep_jet_exp(order, a, out); break;
    case LOG: steep_jet_log(order, a, out); break;
    case SQRT: steep_jet_sqrt(order, a, out); break;
    case CBRT: steep_jet_cbrt(order, a, out); break;
    case ERF: steep_jet_erf(order, a, out); break;
    default: { /* piecewise linear: a factor times a; sign is constant on each side */
        const long double factor = c == ABS && is_negative(order, a) ? -1
                                   : c == NEGATE                     ? -1
                                   : c == RELU && a[0] <= 0          ? 0
                                                                     : 1;
        for (size_t k = 0; k <= order; k++) out[k] = c == SIGN ? 0 : factor * a[k];
        out[0] = unary_long(c, a[0]);
        break;
    }
    }
}

static void binary_jet(code c, size_t order, const long double *a, const long double *b, long double *out)
{
    long double difference[TERMS];
    for (size_t k = 0; k <= order; k++) {
        out[k] = a[k] + b[k];
        difference[k] = a[k] - b[k];
    }
    switch (c) {
    case ADD: break;
    case SUBTRACT: copy_jet(order, difference, out); break;
    case MULTIPLY: steep_jet_mul(order, a, b, out); break;
    case DIVIDE: steep_jet_div(order, a, b, out); break;
    case POWER: steep_jet_pow(order, a, b, out); break;
    default: /* a NaN in either makes all of the result NaN */
        if (!isnan(difference[0])) copy_jet(order, is_negative(order, difference) == (c == MIN) ? a : b, out);
        break;
    }
}

/* --- the parser --- */

typedef struct parser {
    const char *text;
    size_t at, depth, height; /* bytes read; nesting; values that the program leaves on the stack so far */
    steep_formula *formula;
    steep_error *error;
} parser;

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; /* a later byte of a character in UTF-8 */
}

/* "formula, column 5: <what>", the formula (a window of it), and a caret below the place. What stands before the place
 * has been understood, so it is ASCII and a byte is a column. */
__attribute__((format(printf, 3, 4))) static steep_status complain(const parser *p, size_t at, const char *format, ...)
{
    char what[220], window[SHOWN + 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    size_t first = at > SHOWN / 2 ? at - SHOWN / 2 : 0, last = first + SHOWN, length = strlen(p->text);
    last = last < length ? last : length;
    while (last > at && is_continuation(p->text[last])) last--;
    for (size_t i = first; i < last; i++) window[i - first] = (char)((unsigned char)p->text[i] < 32 ? ' ' : p->text[i]);
    window[last - first] = 0;
    return steep_fail(p->error, STEEP_BAD_INPUT, "formula, column %zu: %s\n    %s%s%s\n    %*s^", at + 1, what,
                      first ? "..." : "", window, last < length ? "..." : "", (int)(at - first) + (first ? 3 : 0), "");
}

static void skip_blanks(parser *p)
{
    while (isspace((unsigned char)p->text[p->at])) p->at++;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    return length;
}

/* What stands at the place where something else was expected. */
static steep_status expected(parser *p, const char *what)
{
    skip_blanks(p);
    const char *found = p->text + p->at;
    size_t length = word_length(found);
    if (!*found) return complain(p, p->at, "expected %s, found the end of the formula", what);
    const bool operand = length > 0 || *found == '(' || *found == '.';
    if (!length)
        for (length = 1; is_continuation(found[length]);) length++;
    const bool hint = operand && strncmp(what, "an operator", 11) == 0;
    return complain(p, p->at, "expected %s, found \"%.*s\"%s", what, length < 40 ? (int)length : 40, found,
                    hint ? " (write * to multiply)" : "");
}

static steep_status too_deep(const parser *p)
{
    return complain(p, p->at, "nested too deeply: at most %d levels would be right", STEEP_FORMULA_DEPTH);
}

/* Carries an instruction out at once where its operands are numbers; turns a small constant exponent into repeated
 * multiplication. False: neither applies. */
static bool fold(steep_formula *f, code c)
{
    const size_t needs = operands(c);
    if (f->length < needs || needs == 0) return false;
    instruction *last = f->program + f->length - 1;
    if (last->code != NUMBER) return false;
    if (needs == 1) {
        last->number = unary_long(c, last->number);
        return true;
    }
    if (last[-1].code == NUMBER) {
        last[-1].number = binary_long(c, last[-1].number, last->number);
        f->length--;
        return true;
    }
    if (c != POWER || !(fabsl(last->number) <= LARGEST_POWER) || last->number != roundl(last->number)) return false;
    *last = (instruction){.code = INTEGER_POWER, .index = (int)last->number};
    return true;
}

static steep_status emit(parser *p, instruction next)
{
    steep_formula *f = p->formula;
    if (!fold(f, next.code)) f->program[f->length++] = next;
    p->height += 1 - operands(next.code);
    if (p->height > f->height) f->height = p->height;
    return f->height <= HEIGHT ? STEEP_OK : too_deep(p);
}

static steep_status parse_expression(parser *p, int precedence, const char *follow);

static steep_status parse_number(parser *p)
{
    const char *start = p->text + p->at;
    size_t length = 0, digits = 0;
    for (; isdigit((unsigned char)start[length]) || start[length] == '.'; length++) digits += start[length] != '.';
    size_t exponent = length;
    if (start[exponent] == 'e' || start[exponent] == 'E') {
        exponent++;
        if (start[exponent] == '+' || start[exponent] == '-') exponent++;
        if (isdigit((unsigned char)start[exponent])) {
            while (isdigit((unsigned char)start[exponent])) exponent++;
            length = exponent;
        }
    }
    char *end = NULL;
    const long double value = strtold(start, &end);
    if (!digits || end != start + length)
        return complain(p, p->at, "\"%.*s\" is no number: 2, 0.5 or 1e-3 would be right",
                        length < 40 ? (int)length : 40, start);
    p->at += length;
    return emit(p, (instruction){.code = NUMBER, .number = value});
}

/* x, y, z or x1..x9: the index from 0; -1 for any other word. */
static int variable_index(const char *word, size_t length)
{
    if (length == 1 && word[0] >= 'x' && word[0] <= 'z') return word[0] - 'x';
    if (length == 2 && word[0] == 'x' && word[1] >= '1' && word[1] <= '9') return word[1] - '1';
    return -1;
}

static const char *function_names(size_t index)
{
    static const char *const others[] = {"pi", "e", "x", "y", "z"};
    if (index < FUNCTIONS) return functions[index].name;
    return index - FUNCTIONS < sizeof others / sizeof *others ? others[index - FUNCTIONS] : NULL;
}

static steep_status parse_call(parser *p, const function_row *function)
{
    skip_blanks(p);
    if (p->text[p->at] != '(') {
        char what[40];
        snprintf(what, sizeof what, "\"(\" after %s", function->name);
        return expected(p, what);
    }
    for (size_t i = 0; i < function->arguments; i++) {
        const bool last = i + 1 == function->arguments;
        p->at++; /* "(" or "," */
        const char *follow = last ? "an operator or \")\"" : "an operator or \",\"";
        const steep_status status = parse_expression(p, 0, follow);
        if (status) return status;
        if (p->text[p->at] != (last ? ')' : ',')) return expected(p, follow);
    }
    p->at++;
    return emit(p, (instruction){.code = function->code});
}

static steep_status parse_name(parser *p)
{
    const char *word = p->text + p->at;
    const size_t length = word_length(word), start = p->at;
    const int variable = variable_index(word, length);
    p->at += length;
    if (variable >= 0) {
        if (p->formula->dim <= (size_t)variable) p->formula->dim = (size_t)variable + 1;
        return emit(p, (instruction){.code = VARIABLE, .index = variable});
    }
    if (length == 2 && !strncmp(word, "pi", 2))
        return emit(p, (instruction){.code = NUMBER, .number = 3.14159265358979323846264338327950288L});
    if (length == 1 && *word == 'e')
        return emit(p, (instruction){.code = NUMBER, .number = 2.71828182845904523536028747135266250L});
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == length && !strncmp(functions[i].name, word, length))
            return parse_call(p, &functions[i]);
    char name[40];
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, word);
    const char *nearest = length > 1 ? steep_options_nearest(name, function_names) : NULL;
    return complain(p, start, "unknown name \"%s\"%s%s%s; variables are x, y, z or x1 to x9", name,
                    nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "");
}

enum { SUM = 1, PRODUCT = 2, SIGNED = 3, EXPONENT = 4 };

static steep_status parse_operand(parser *p)
{
    skip_blanks(p);
    const char c = p->text[p->at];
    steep_status status = STEEP_OK;
    if (c == '+' || c == '-') {
        p->at++;
        status = parse_expression(p, SIGNED, "an operator");
        return status || c == '+' ? status : emit(p, (instruction){.code = NEGATE});
    }
    if (c == '(') {
        p->at++;
        status = parse_expression(p, 0, "an operator or \")\"");
        if (!status && p->text[p->at] != ')') return expected(p, "an operator or \")\"");
        p->at++;
        return status;
    }
    if (isdigit((unsigned char)c) || c == '.') return parse_number(p);
    if (isalpha((unsigned char)c) || c == '_') return parse_name(p);
    return expected(p, "a number, a variable, a function or \"(\"");
}

/* The operator at the current place, its precedence and its length in bytes; precedence 0: none. */
static int operator_here(const parser *p, code *c, size_t *bytes)
{
    const char *here = p->text + p->at;
    *bytes = here[0] == '*' && here[1] == '*' ? 2 : 1;
    switch (*here) {
    case '+': *c = ADD; return SUM;
    case '-': *c = SUBTRACT; return SUM;
    case '*': *c = *bytes == 2 ? POWER : MULTIPLY; return *bytes == 2 ? EXPONENT : PRODUCT;
    case '/': *c = DIVIDE; return PRODUCT;
    case '^': *c = POWER; return EXPONENT;
    default: return 0;
    }
}

static steep_status parse_expression(parser *p, int precedence, const char *follow)
{
    if (++p->depth > STEEP_FORMULA_DEPTH) return too_deep(p);
    steep_status status = parse_operand(p);
    while (!status) {
        skip_blanks(p);
        code c = ADD;
        size_t bytes = 0;
        const int here = operator_here(p, &c, &bytes);
        if (!here || here < precedence) break;
        p->at += bytes;
        status = parse_expression(p, here == EXPONENT ? EXPONENT : here + 1, follow);
        if (!status) status = emit(p, (instruction){.code = c});
    }
    p->depth--;
    return status;
}

steep_status steep_formula_parse(const char *text, steep_formula **formula, steep_error *error)
{
    *formula = NULL;
    const size_t length = text ? strlen(text) : 0;
    if (!length)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the formula is empty: one in x, such as exp(-x)*cos(8*x), would be right");
    if (length > STEEP_FORMULA_LENGTH)
        return steep_fail(error, STEEP_BAD_INPUT, "the formula has %zu characters: at most %d would be right", length,
                          STEEP_FORMULA_LENGTH);
    steep_formula *f = calloc(1, sizeof *f);
    if (f) {
        f->dim = 1;
        f->text = strdup(text);
        f->program = calloc(length, sizeof *f->program); /* an instruction takes at least one character */
    }
    if (!f || !f->text || !f->program) {
        steep_formula_free(f);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula of %zu characters", length);
    }
    parser p = {.text = text, .formula = f, .error = error};
    steep_status status = parse_expression(&p, 0, "an operator");
    if (!status && text[p.at]) status = expected(&p, "an operator or the end of the formula");
    if (status) {
        steep_formula_free(f);
        return status;
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

/* --- evaluation --- */

static void values_block(const steep_formula *f, size_t n, const double *x, size_t stride, double *stack, double *y)
{
    double *top = stack - n;
    for (const instruction *i = f->program; i < f->program + f->length; i++) {
        switch (operands(i->code)) {
        case 0:
            top += n;
            for (size_t k = 0; k < n; k++)
                top[k] = i->code == NUMBER ? (double)i->number : x[(size_t)i->index * stride + k];
            break;
        case 1:
            if (i->code == INTEGER_POWER)
                integer_power_double(i->index, n, top);
            else
                unary_double(i->code, n, top);
            break;
        default:
            top -= n;
            binary_double(i->code, n, top, top + n);
            break;
        }
    }
    memcpy(y, top, n * sizeof *y);
}

void steep_formula_values(const steep_formula *formula, size_t count, const double *x, double *y)
{
    double stack[CELLS];
    const size_t room = CELLS / formula->height, most = room < BLOCK ? room : BLOCK;
    for (size_t first = 0; first < count; first += most) {
        const size_t n = count - first < most ? count - first : most;
        values_block(formula, n, x + first, count, stack, y + first);
    }
}

long double steep_formula_reference(const steep_formula *formula, const long double *x)
{
    long double stack[HEIGHT];
    size_t top = 0;
    for (const instruction *i = formula->program; i < formula->program + formula->length; i++) {
        switch (operands(i->code)) {
        case 0: stack[top++] = i->code == NUMBER ? i->number : x[i->index]; break;
        case 1:
            stack[top - 1] = i->code == INTEGER_POWER ? integer_power_long(i->index, stack[top - 1])
                                                      : unary_long(i->code, stack[top - 1]);
            break;
        default:
            top--;
            stack[top - 1] = binary_long(i->code, stack[top - 1], stack[top]);
            break;
        }
    }
    return stack[0];
}

static void jet_run(const steep_formula *f, const long double *x, const long double *v, size_t order, long double *c)
{
    long double stack[HEIGHT][TERMS], out[TERMS];
    size_t top = 0;
    for (const instruction *i = f->program; i < f->program + f->length; i++) {
        switch (operands(i->code)) {
        case 0:
            for (size_t k = 1; k <= order; k++) stack[top][k] = 0;
            stack[top][0] = i->code == NUMBER ? i->number : x[i->index];
            if (i->code == VARIABLE && order > 0) stack[top][1] = v ? v[i->index] : i->index == 0;
            top++;
            break;
        case 1:
            if (i->code == INTEGER_POWER) {
                integer_power_jet(i->index, order, stack[top - 1]);
                break;
            }
            unary_jet(i->code, order, stack[top - 1], out);
            copy_jet(order, out, stack[top - 1]);
            break;
        default:
            top--;
            binary_jet(i->code, order, stack[top - 1], stack[top], out);
            copy_jet(order, out, stack[top - 1]);
            break;
        }
    }
    copy_jet(order, stack[0], c);
}

void steep_formula_jet(const steep_formula *formula, const long double *x, const long double *v, size_t order,
                       long double *c)
{
    jet_run(formula, x, v, order, c);
    bool known = true;
    for (size_t k = 1; k <= order; k++) known = known && !isnan(c[k]);
    if (known || isnan(c[0]) || order == STEEP_JET_ORDER) return;
    /* A root at 0 loses orders (the first coefficient of sqrt(x^2) needs the second of x^2): ask for more of them. */
    long double longer[TERMS];
    jet_run(formula, x, v, STEEP_JET_ORDER, longer);
    copy_jet(order, longer, c);
}
