/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula/formula.h"

#define EXAMPLE "write -1:1, or -1:1,0:2*pi with an interval for each coordinate"

/* Where a separator stands outside parentheses, or the end of the text. */
static const char *find_outside(const char *text, char separator)
{
    int depth = 0;
    for (; *text && !(*text == separator && depth <= 0); text++) depth += (*text == '(') - (*text == ')');
    return text;
}

/* The number that text[0..length-1] stands for. */
static steep_status read_end(const char *text, size_t length, double *value, steep_error *error)
{
    steep_error inner = {""};
    steep_formula *formula = NULL;
    char *copy = strndup(text, length);
    if (!copy) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a domain");
    steep_status status = STEEP_BAD_INPUT;
    if (copy[strspn(copy, " \t")] == '\0')
        steep_fail(error, status, "the domain '%.80s' lacks an end of an interval: " EXAMPLE, text);
    else if ((status = steep_formula_parse(copy, &formula, &inner)) != STEEP_OK)
        steep_fail(error, status, "the domain's end '%.60s' is no number: %s", copy, inner.text);
    else if (!steep_formula_is_constant(formula))
        status =
            steep_fail(error, STEEP_BAD_INPUT, "the domain's end '%.60s' has a variable: use numbers, pi and e", copy);
    else {
        *value = (double)steep_formula_reference(formula, NULL);
        if (!isfinite(*value))
            status =
                steep_fail(error, STEEP_BAD_INPUT, "the domain's end '%.60s' is %g: use a finite number", copy, *value);
    }
    steep_formula_free(formula);
    free(copy);
    return status;
}

/* One interval, text[0..length-1]. */
static steep_status read_interval(const char *text, size_t length, double *low, double *high, steep_error *error)
{
    const char *end = text + length, *colon = find_outside(text, ':');
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
    for (const char *c = find_outside(text, ','); *c; c = find_outside(c + 1, ',')) intervals++;
    if (intervals != dim && intervals != 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the domain '%.80s' has %zu intervals for %zu coordinates: give one for each, or one for all",
                          text, intervals, dim);
    double *box = malloc(2 * dim * sizeof *box);
    if (!box) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a box in %zuD", dim);
    steep_status status = STEEP_OK;
    for (size_t j = 0; status == STEEP_OK && j < intervals; j++) {
        const char *end = find_outside(text, ',');
        status = read_interval(text, (size_t)(end - text), box + j, box + dim + j, error);
        text = end + (*end == ',');
    }
    for (size_t j = 0; status == STEEP_OK && j < dim; j++) {
        low[j] = box[intervals == 1 ? 0 : j];
        high[j] = box[dim + (intervals == 1 ? 0 : j)];
    }
    free(box);
    return status;
}
