/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network: a file of a saved network. One that is read, is written and read again with the same bits and values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/evaluate.h"
#include "model/stored.h"

enum { POINTS = 5, MOST_DIM = 8 };

static void draw_points(const steep_stored *s, double *x)
{
    static const double at[POINTS] = {0, 0.3, 0.77, 1, -0.4};
    for (size_t j = 0; j < s->network.dim; j++)
        for (size_t k = 0; k < POINTS; k++) {
            const double low = isfinite(s->low[j]) ? s->low[j] : -1, high = isfinite(s->high[j]) ? s->high[j] : 1;
            x[j * POINTS + k] = low + at[(k + j) % POINTS] * (high - low);
        }
}

static void write_again(const steep_stored *s, const char *path)
{
    const steep_stored_number number[] = {{"rmse", NAN}};
    const steep_stored_facts facts = {.network = &s->network,
                                      .theta = s->theta,
                                      .low = s->low,
                                      .high = s->high,
                                      .standard = &s->standard,
                                      .x = (const char *const *)s->x,
                                      .y = s->y,
                                      .target = "runge",
                                      .status = "converged",
                                      .reason = "-",
                                      .number = number,
                                      .numbers = 1};
    fuzz_must("written", steep_stored_write(path, steep_stored_describe(&facts), &fuzz_error));
}

/* JSON has no infinity, and the box of a network of ours is finite. */
static bool is_writable(const steep_stored *s)
{
    bool finite = true;
    for (size_t p = 0; p < s->network.parameters; p++) finite = finite && isfinite(s->theta[p]);
    for (size_t j = 0; j < s->network.dim; j++) finite = finite && isfinite(s->low[j]) && isfinite(s->high[j]);
    return finite;
}

static bool same_bits(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!fuzz_same(a[i], b[i])) return false;
    return true;
}

static void check_again(const steep_stored *s, const double *x, const double *y)
{
    const char *path = fuzz_path("out");
    const size_t dim = s->network.dim;
    double back_y[POINTS];
    steep_stored back;
    write_again(s, path);
    fuzz_must("written, refused", steep_stored_read(path, &back, &fuzz_error));
    if (back.network.parameters != s->network.parameters || back.network.dim != dim) fuzz_broken("another network");
    if (!same_bits(s->theta, back.theta, s->network.parameters)) fuzz_broken("other parameters");
    if (!same_bits(s->low, back.low, dim) || !same_bits(s->high, back.high, dim)) fuzz_broken("another box");
    if (!s->x != !back.x || (s->y && strcmp(s->y, back.y) != 0)) fuzz_broken("other columns");
    if (steep_stored_values(&back, POINTS, x, back_y, NULL) != STEEP_OK) fuzz_broken("no values");
    if (!same_bits(y, back_y, POINTS)) fuzz_broken("other values");
    steep_stored_free(&back);
}

static void check_values(const steep_stored *s)
{
    double x[POINTS * MOST_DIM], y[POINTS], again[POINTS], gradient[POINTS * MOST_DIM];
    draw_points(s, x);
    if (steep_stored_values(s, POINTS, x, y, NULL) != STEEP_OK) fuzz_broken("no values");
    if (steep_stored_values(s, POINTS, x, again, gradient) != STEEP_OK) fuzz_broken("no gradient");
    for (size_t k = 0; k < POINTS; k++)
        if (fabs(y[k] - again[k]) > 1e-9 * (1 + fabs(y[k])) && isfinite(y[k]) && isfinite(again[k]) && fabs(y[k]) < 1e6)
            fuzz_broken("the value %.17g beside its gradient is %.17g", y[k], again[k]);
    if (is_writable(s)) check_again(s, x, y);
}

void fuzz_network(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path("in");
    steep_stored stored;
    fuzz_write(path, data, size);
    if (!fuzz_accepted(steep_stored_read(path, &stored, &fuzz_error))) return;
    if (stored.network.dim <= MOST_DIM) check_values(&stored);
    steep_stored_free(&stored);
}
