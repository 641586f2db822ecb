/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network: a file of a saved network. A network that is read has values, the same with and without their gradient.
 * (tests/test_stored.c: a written network is read to the bit.) */
#include <math.h>

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

static void check_values(const steep_stored *s)
{
    double x[POINTS * MOST_DIM], y[POINTS], again[POINTS], gradient[POINTS * MOST_DIM];
    draw_points(s, x);
    if (steep_stored_values(s, POINTS, x, y, NULL) != STEEP_OK) fuzz_broken("no values");
    if (steep_stored_values(s, POINTS, x, again, gradient) != STEEP_OK) fuzz_broken("no gradient");
    for (size_t k = 0; k < POINTS; k++)
        if (fabs(y[k] - again[k]) > 1e-9 * (1 + fabs(y[k])) && isfinite(y[k]) && isfinite(again[k]) && fabs(y[k]) < 1e6)
            fuzz_broken("the value %.17g beside its gradient is %.17g", y[k], again[k]);
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
