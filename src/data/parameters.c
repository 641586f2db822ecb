/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/parameters.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formula/formula.h"

typedef struct parameter {
    const char *name, *value; /* into the text of a list */
    size_t length, size;      /* of name and value */
} parameter;

/* "a=1,b=2" into at most STEEP_MAX_PARAMETERS; a value that is missing has size 0. */
static size_t split(const char *list, parameter *p)
{
    size_t count = 0;
    while (list && *list && count < STEEP_MAX_PARAMETERS) {
        int depth = 0;
        const char *end = list;
        for (; *end && !(*end == ',' && depth <= 0); end++) depth += (*end == '(') - (*end == ')');
        const size_t length = strcspn(list, "=,"), used = (size_t)(end - list);
        p[count] = (parameter){.name = list, .length = length < used ? length : used};
        if (p[count].length < used) p[count].value = list + length + 1, p[count].size = used - length - 1;
        count++;
        list = end + (*end == ',');
    }
    return count;
}

static parameter *find(parameter *p, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (p[i].length == length && strncmp(p[i].name, name, length) == 0) return &p[i];
    return NULL;
}

static steep_status check_value(const char *target, const parameter *p, steep_error *error)
{
    double value;
    const char *text = p->value ? p->value : "";
    steep_status status = steep_formula_number(text, p->size, &value, NULL);
    if (status == STEEP_OK) return status;
    return steep_fail(error, status,
                      "target %.40s: '%.*s=%.*s' sets no finite number: write %.*s=2, or a formula in pi and e", target,
                      (int)p->length, p->name, p->size < 60 ? (int)p->size : 60, text, (int)p->length, p->name);
}

/* The values of given over those of set[count]. */
static steep_status take(const char *target, const char *defaults, const char *given, parameter *set, size_t count,
                         steep_error *error)
{
    parameter mine[STEEP_MAX_PARAMETERS];
    const size_t named = split(given, mine);
    for (size_t i = 0; i < named; i++) {
        parameter *p = find(set, count, mine[i].name, mine[i].length);
        if (!p)
            return steep_fail(error, STEEP_BAD_INPUT, "target %.40s has no parameter '%.*s': it has %.100s", target,
                              (int)(mine[i].length < 40 ? mine[i].length : 40), mine[i].name, defaults);
        if (find(mine, i, mine[i].name, mine[i].length))
            return steep_fail(error, STEEP_BAD_INPUT, "target %.40s: %.*s is set twice: set it once", target,
                              (int)p->length, p->name);
        steep_status status = check_value(target, &mine[i], error);
        if (status != STEEP_OK) return status;
        *p = mine[i];
    }
    return STEEP_OK;
}

static bool of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whole words alone are names: 'b' in 'beta' or in 'abs(' is none. */
static void replace(FILE *out, const char *formula, parameter *set, size_t count)
{
    while (*formula) {
        size_t length = 0;
        while (of_name(formula[length])) length++;
        const parameter *p = length > 0 ? find(set, count, formula, length) : NULL;
        if (p) fprintf(out, "(%.*s)", (int)p->size, p->value);
        else fwrite(formula, 1, length > 0 ? length : 1, out);
        formula += length > 0 ? length : 1;
    }
}

steep_status steep_parameters_write(const char *target, const char *formula, const char *defaults, const char *given,
                                    char **text, steep_error *error)
{
    parameter set[STEEP_MAX_PARAMETERS];
    size_t count = split(defaults, set);
    *text = NULL;
    if (given && !*given)
        return steep_fail(error, STEEP_BAD_INPUT, "target %.40s: nothing is set behind the colon: it has %.100s",
                          target, defaults);
    steep_status status = take(target, defaults, given, set, count, error);
    if (status != STEEP_OK) return status;
    steep_text out;
    status = steep_text_open(&out);
    if (status == STEEP_OK) {
        replace(out.stream, formula, set, count);
        status = steep_text_close(&out);
    }
    if (status < 0) return steep_fail(error, status, "no memory for the formula of %.40s", target);
    *text = out.text;
    return STEEP_OK;
}
