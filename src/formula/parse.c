/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A precedence-climbing parser writes a postfix program (formula/program.h); constants are folded as it goes.
 *
 *   expression(p):  operand, then while an operator of precedence >= p follows: its right side, the operator
 *   operand:        number | name | name ( expression [, expression] ) | ( expression ) | + operand | - operand
 *
 * A function that is a formula in z (formula/activations.h) stores its argument; its text is parsed with z as that. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "formula/program.h"
#include "formula/tape.h"

#define DIGITS "0123456789"

enum {
    LARGEST_POWER = 64, /* integer exponents up to here by repeated multiplication */
    SHOWN = 64,         /* characters of a formula that a message quotes */
    KINDS = 5,          /* of a unit's inputs */
    MOST = 40           /* inputs of one kind */
};

/* text: the formula in z that defines the function; NULL for a function that the evaluators know. */
typedef struct function_row {
    const char *name;
    steep_code code;
    size_t arguments;
    const char *text;
} function_row;

#define UNARY_ROW(code, word, value)             {word, STEEP_CODE_##code, 1, NULL},
#define STEEP_ACTIVATION(id, name, formula, ...) {name, STEEP_CODE_LOAD, 1, formula},
static const function_row functions[] = {
    STEEP_UNARY(UNARY_ROW){"min", STEEP_CODE_LESSER, 2, NULL},
    {"max", STEEP_CODE_GREATER, 2, NULL},
    {"pow", STEEP_CODE_POWER, 2, NULL},
#include "formula/activations.h" /* a row whose name stands above already is never found */
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* What names stand for: coordinates of a point; inputs of a unit; the argument of a function that is a formula. */
typedef enum names { POINT, UNIT, ARGUMENT } names;
static const char kinds[KINDS + 1] = "zesam";

typedef struct parser {
    const char *text;
    size_t at, depth, height; /* bytes read; nesting; values that the program leaves on the stack so far */
    names naming;
    int place;              /* of the argument, where naming is ARGUMENT */
    size_t room;            /* of the program */
    bool used[KINDS][MOST]; /* inputs of a unit */
    bool unfolded;          /* constants stay as they are written */
    steep_formula *formula;
    steep_error *error;
} parser;

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; /* a later byte of a character in UTF-8 */
}

/* "formula, column 5: <what>", the formula (a window of it), and a caret below the place. The text before the place has
 * been parsed, so it is ASCII and a byte is a column. */
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

size_t steep_formula_word(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    return length;
}

/* The error for a word or character at the current place that does not belong there. */
static steep_status expected(parser *p, const char *what)
{
    skip_blanks(p);
    const char *found = p->text + p->at;
    size_t length = steep_formula_word(found);
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
    return complain(p, p->at, "nested too deeply: use at most %d levels", STEEP_FORMULA_DEPTH);
}

/* Evaluates an instruction at once if its operands are numbers; turns a power with a small integer exponent into
 * repeated multiplication. Returns false if neither applies. */
static bool fold(steep_formula *f, steep_code c)
{
    const size_t needs = steep_operands(c);
    if (f->length < needs || needs == 0 || c == STEEP_CODE_STORE) return false;
    steep_instruction *last = f->program + f->length - 1;
    if (last->code != STEEP_CODE_NUMBER) return false;
    if (needs == 1) {
        last->number = steep_program_unary(c, last->number);
        return true;
    }
    if (last[-1].code == STEEP_CODE_NUMBER) {
        last[-1].number = steep_program_binary(c, last[-1].number, last->number);
        f->length--;
        return true;
    }
    if (c != STEEP_CODE_POWER || !(fabsl(last->number) <= LARGEST_POWER) || last->number != roundl(last->number))
        return false;
    *last = (steep_instruction){.code = STEEP_CODE_INTEGER_POWER, .index = (int)last->number};
    return true;
}

static steep_status emit(parser *p, steep_instruction next)
{
    steep_formula *f = p->formula;
    if (f->length == p->room) {
        size_t room = 2 * p->room + 16;
        steep_instruction *more = realloc(f->program, room * sizeof *more);
        if (!more) return steep_fail(p->error, STEEP_NO_MEMORY, "no memory for a formula of %zu instructions", room);
        f->program = more;
        p->room = room;
    }
    if (p->unfolded || !fold(f, next.code)) f->program[f->length++] = next;
    p->height += (next.code == STEEP_CODE_STORE ? 0 : 1) - steep_operands(next.code);
    if (p->height > f->height) f->height = p->height;
    return f->height <= STEEP_FORMULA_HEIGHT ? STEEP_OK : too_deep(p);
}

static steep_status parse_expression(parser *p, int precedence, const char *follow);

static steep_status emit_number(parser *p, long double value, const char *text, size_t index)
{
    return emit(p, (steep_instruction){.code = STEEP_CODE_NUMBER, .number = value, .text = text, .index = (int)index});
}

static steep_status parse_number(parser *p)
{
    const char *start = p->text + p->at;
    size_t length = strspn(start, DIGITS "."), exponent = length;
    if (start[exponent] == 'e' || start[exponent] == 'E') {
        exponent++;
        if (start[exponent] == '+' || start[exponent] == '-') exponent++;
        const size_t digits = strspn(start + exponent, DIGITS);
        if (digits > 0) length = exponent + digits;
    }
    char *end = NULL;
    const long double value = strtold(start, &end);
    if (end != start + length)
        return complain(p, p->at, "\"%.*s\" is no number: use one such as 2, 0.5 or 1e-3",
                        length < 40 ? (int)length : 40, start);
    if (isinf(value))
        return complain(p, p->at, "\"%.*s\" is too large: use numbers to 1e4932", length < 40 ? (int)length : 40,
                        start);
    p->at += length;
    return emit_number(p, value, start, length);
}

/* The index, from 0, of a word of this letter and a number 1..most, such as x1. -1 for any other word. */
static int numbered(const char *word, size_t length, char letter, int most)
{
    int number = 0;
    for (size_t i = 1; i < length && number <= most; i++)
        number = isdigit((unsigned char)word[i]) ? 10 * number + word[i] - '0' : most + 1;
    return length > 1 && word[0] == letter && word[1] != '0' && number >= 1 && number <= most ? number - 1 : -1;
}

/* x, y, z or x1, x2, ..; z1.., e1.., s1.., a1.., m1.. as kind * MOST + index; z of an ARGUMENT: 0. -1: another word. */
static int variable_index(const parser *p, const char *word, size_t length)
{
    if (p->naming == ARGUMENT) return length == 1 && word[0] == 'z' ? 0 : -1;
    if (p->naming == POINT && length == 1 && word[0] >= 'x' && word[0] <= 'z') return word[0] - 'x';
    if (p->naming == POINT) return numbered(word, length, 'x', STEEP_FORMULA_VARIABLES);
    for (int kind = 0; kind < KINDS; kind++) {
        int index = numbered(word, length, kinds[kind], MOST);
        if (index >= 0) return kind * MOST + index;
    }
    return -1;
}

static steep_status emit_variable(parser *p, int variable)
{
    steep_formula *f = p->formula;
    if (p->naming == ARGUMENT) return emit(p, (steep_instruction){.code = STEEP_CODE_LOAD, .index = p->place});
    if (p->naming == POINT && f->dim <= (size_t)variable) f->dim = (size_t)variable + 1;
    if (p->naming == UNIT) p->used[variable / MOST][variable % MOST] = true;
    return emit(p, (steep_instruction){.code = STEEP_CODE_VARIABLE, .index = variable});
}

static const char *function_names(size_t index)
{
    static const char *const others[] = {"pi", "e", "x", "y", "z"};
    if (index < FUNCTIONS) return functions[index].name;
    return index - FUNCTIONS < sizeof others / sizeof *others ? others[index - FUNCTIONS] : NULL;
}

/* Writes a function that is a formula: stores its argument, the top of the stack, in a place; then parses its text. */
static steep_status emit_formula(parser *p, const function_row *function)
{
    const parser outer = *p;
    const int place = outer.naming == ARGUMENT ? outer.place + 1 : 0; /* free again after the function */
    if (p->formula->places <= (size_t)place) p->formula->places = (size_t)place + 1;
    steep_status status = emit(p, (steep_instruction){.code = STEEP_CODE_STORE, .index = place});
    p->text = function->text, p->at = 0, p->naming = ARGUMENT, p->place = place;
    if (status == STEEP_OK) status = parse_expression(p, 0, "an operator");
    p->text = outer.text, p->at = outer.at, p->naming = outer.naming, p->place = outer.place;
    return status;
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
    return function->text ? emit_formula(p, function) : emit(p, (steep_instruction){.code = function->code});
}

static steep_status parse_name(parser *p)
{
    const char *word = p->text + p->at;
    const size_t length = steep_formula_word(word), start = p->at;
    const int variable = variable_index(p, word, length);
    p->at += length;
    if (variable >= 0) return emit_variable(p, variable);
    if (length == 2 && !strncmp(word, "pi", 2)) return emit_number(p, 3.14159265358979323846264338327950288L, NULL, 1);
    if (length == 1 && *word == 'e') return emit_number(p, 2.71828182845904523536028747135266250L, NULL, 2);
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == length && !strncmp(functions[i].name, word, length))
            return parse_call(p, &functions[i]);
    char name[40];
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, word);
    const char *nearest = length > 1 ? steep_options_nearest(name, function_names) : NULL;
    return complain(p, start, "unknown name \"%s\"%s%s%s; variables are %s", name, nearest ? " (did you mean \"" : "",
                    nearest ? nearest : "", nearest ? "\"?)" : "",
                    p->naming == UNIT ? "z1, z2 ... (branches), e1 ..., s1 ..., a1 ..., m1 ..."
                                      : "x, y, z or x1, x2, ... x10000");
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
        return status || c == '+' ? status : emit(p, (steep_instruction){.code = STEEP_CODE_NEGATE});
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
static int operator_here(const parser *p, steep_code *c, size_t *bytes)
{
    const char *here = p->text + p->at;
    *bytes = here[0] == '*' && here[1] == '*' ? 2 : 1;
    switch (*here) {
    case '+': *c = STEEP_CODE_ADD; return SUM;
    case '-': *c = STEEP_CODE_SUBTRACT; return SUM;
    case '*': *c = *bytes == 2 ? STEEP_CODE_POWER : STEEP_CODE_MULTIPLY; return *bytes == 2 ? EXPONENT : PRODUCT;
    case '/': *c = STEEP_CODE_DIVIDE; return PRODUCT;
    case '^': *c = STEEP_CODE_POWER; return EXPONENT;
    default: return 0;
    }
}

static steep_status parse_expression(parser *p, int precedence, const char *follow)
{
    if (++p->depth > STEEP_FORMULA_DEPTH) return too_deep(p);
    steep_status status = parse_operand(p);
    while (!status) {
        skip_blanks(p);
        steep_code c = STEEP_CODE_ADD;
        size_t bytes = 0;
        const int here = operator_here(p, &c, &bytes);
        if (!here || here < precedence) break;
        p->at += bytes;
        status = parse_expression(p, here == EXPONENT ? EXPONENT : here + 1, follow);
        if (!status) status = emit(p, (steep_instruction){.code = c});
    }
    p->depth--;
    return status;
}

/* Counts the inputs of each kind that the parser has read, which must have no gaps, and numbers the variables of the
 * program consecutively over all kinds. */
static steep_status number_inputs(const parser *p, size_t counts[5])
{
    steep_formula *f = p->formula;
    size_t before[KINDS] = {0};
    for (int kind = 0; kind < KINDS; kind++) {
        counts[kind] = 0;
        for (size_t i = 0; i < MOST; i++)
            if (p->used[kind][i]) counts[kind] = i + 1;
        for (size_t i = 0; i < counts[kind]; i++)
            if (!p->used[kind][i])
                return steep_fail(p->error, STEEP_BAD_INPUT,
                                  "unit %s: it has %c%zu and not %c%zu: number them from 1 without gaps", f->text,
                                  kinds[kind], counts[kind], kinds[kind], i + 1);
        if (kind + 1 < KINDS) before[kind + 1] = before[kind] + counts[kind];
    }
    if (counts[0] == 0)
        return steep_fail(p->error, STEEP_BAD_INPUT, "unit %s: it has no branch: use z1, an affine map of x", f->text);
    f->dim = before[KINDS - 1] + counts[KINDS - 1];
    for (size_t i = 0; i < f->length; i++)
        if (f->program[i].code == STEEP_CODE_VARIABLE) {
            int kind = f->program[i].index / MOST;
            f->program[i].index = (int)before[kind] + f->program[i].index % MOST;
        }
    return STEEP_OK;
}

/* Checks that there is room for the unit's derivatives, and makes their tape. */
static steep_status make_tape(steep_formula *f, steep_error *error)
{
    if (f->dim > STEEP_FORMULA_INPUTS)
        return steep_fail(error, STEEP_BAD_INPUT, "unit %s: it has %zu inputs: use at most %d", f->text, f->dim,
                          STEEP_FORMULA_INPUTS);
    const size_t each = 1 + f->dim + f->dim * (f->dim + 1) / 2; /* numbers of a value with derivatives */
    if ((f->height + f->places) * each > STEEP_FORMULA_CELLS)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "unit %s: nested too deeply for %zu inputs: write it with fewer parentheses", f->text,
                          f->dim);
    return steep_tape_make(f, error);
}

steep_status steep_formula_read(const char *text, bool unfolded, size_t *counts, steep_formula **formula,
                                steep_error *error)
{
    const size_t length = text ? strlen(text) : 0;
    *formula = NULL;
    if (!length)
        return steep_fail(error, STEEP_BAD_INPUT, "the formula is empty: use one such as %s",
                          counts ? "exp(-z1^2)*z2" : "exp(-x)*cos(8*x)");
    if (length > STEEP_FORMULA_LENGTH)
        return steep_fail(error, STEEP_BAD_INPUT, "the formula has %zu characters: use at most %d", length,
                          STEEP_FORMULA_LENGTH);
    steep_formula *f = calloc(1, sizeof *f);
    if (f) f->dim = 1, f->text = strdup(text);
    parser p = {.text = text, .naming = counts ? UNIT : POINT, .unfolded = unfolded, .formula = f, .error = error};
    steep_status status = f && f->text
                              ? parse_expression(&p, 0, "an operator")
                              : steep_fail(error, STEEP_NO_MEMORY, "no memory for a formula of %zu characters", length);
    if (status == STEEP_OK && text[p.at]) status = expected(&p, "an operator or the end of the formula");
    if (status == STEEP_OK && counts) status = number_inputs(&p, counts);
    if (status == STEEP_OK && counts && !unfolded) status = make_tape(f, error);
    if (status == STEEP_OK) *formula = f;
    else steep_formula_free(f);
    return status;
}

steep_status steep_formula_parse(const char *text, steep_formula **formula, steep_error *error)
{
    return steep_formula_read(text, false, NULL, formula, error);
}

steep_status steep_formula_parse_unit(const char *text, steep_formula **formula, size_t counts[5], steep_error *error)
{
    return steep_formula_read(text, false, counts, formula, error);
}

void steep_formula_free(steep_formula *formula)
{
    if (!formula) return;
    free(formula->text);
    free(formula->program);
    steep_tape_free(formula->tape);
    free(formula);
}

const char *steep_formula_text(const steep_formula *formula)
{
    return formula->text;
}

bool steep_formula_has_kinks(const steep_formula *formula)
{
    for (size_t i = 0; i < formula->length; i++)
        if (steep_is_kink(formula->program[i].code)) return true;
    return false;
}

bool steep_formula_same(const steep_formula *a, const steep_formula *b)
{
    if (a->dim != b->dim || a->length != b->length) return false;
    for (size_t i = 0; i < a->length; i++) {
        const steep_instruction *p = &a->program[i], *q = &b->program[i];
        if (p->code != q->code) return false;
        if (p->code == STEEP_CODE_NUMBER ? p->number != q->number : p->index != q->index) return false;
    }
    return true;
}

size_t steep_formula_dim(const steep_formula *formula)
{
    return formula->dim;
}

steep_status steep_formula_number(const char *text, size_t length, double *value, steep_error *error)
{
    steep_error why = {""};
    steep_formula *formula = NULL;
    char *copy = strndup(text, length);
    if (!copy) return steep_fail(error, STEEP_NO_MEMORY, "finds no memory");
    steep_status status = steep_formula_parse(copy, &formula, &why);
    free(copy);
    if (status != STEEP_OK) return steep_fail(error, status, "is no number: %s", why.text);
    bool varies = false;
    for (size_t i = 0; i < formula->length; i++) varies = varies || formula->program[i].code == STEEP_CODE_VARIABLE;
    if (varies) status = steep_fail(error, STEEP_BAD_INPUT, "has a variable: use numbers, pi and e");
    else if (!isfinite(*value = (double)steep_formula_reference(formula, NULL)))
        status = steep_fail(error, STEEP_BAD_INPUT, "is %g: use a finite number", *value);
    steep_formula_free(formula);
    return status;
}
