/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/box.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "formula/formula.h"

#define EXAMPLE "write -1:1, or -1:1,0:2*pi with an interval for each coordinate"

/* The number that text[0..length-1] stands for. */
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
