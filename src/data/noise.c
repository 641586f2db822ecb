/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/noise.h"

#include <stdlib.h>
#include <string.h>

#include "base/long_double.h"
#include "base/options.h"
#include "base/random.h"

#define FREEDOM 5 /* degrees of freedom of Student's noise */
#define TWO_PI  6.28318530717958647692528676655900577L

STEEP_NAMES(steep_noise_names, "normal", "student", "uniform")

steep_status steep_noise_open(const char *deviation, steep_noise_kind kind, steep_noise *noise, steep_error *error)
{
    double number;
    steep_error why = {{0}};
    *noise = (steep_noise){.kind = kind};
    const steep_status read = steep_formula_number(deviation, strlen(deviation), &number, NULL);
    if (read == STEEP_NO_MEMORY) return steep_fail(error, read, "--noise: no memory for a formula");
    if (read == STEEP_OK && number == 0) return STEEP_OK;
    if (read == STEEP_OK && !(number > 0))
        return steep_fail(error, STEEP_BAD_INPUT, "--noise %.80s: a deviation is at least 0", deviation);
    const steep_status status = steep_formula_parse(deviation, &noise->deviation, &why);
    return status == STEEP_OK ? status : steep_fail(error, status, "--noise: %s", why.text);
}

/* A number of mean 0 and deviation 1. In long double: the last digit of double functions depends on the processor. */
static double draw(steep_noise_kind kind, steep_random *random)
{
    if (kind == STEEP_NOISE_NORMAL) return steep_random_normal(random);
    const long double u = steep_random_uniform(random), v = steep_random_uniform(random);
    if (kind == STEEP_NOISE_UNIFORM) return (double)(sqrtl(3) * (2 * u - 1));
    const long double radius = sqrtl(FREEDOM * (steep_powl(1 - u, -2.0L / FREEDOM) - 1));
    return (double)(sqrtl((FREEDOM - 2) / (long double)FREEDOM) * radius * cosl(TWO_PI * v));
}

void steep_noise_draw(steep_noise_kind kind, uint64_t seed, size_t count, double *z)
{
    steep_random random = steep_random_start(seed, STEEP_STREAM_NOISE);
    for (size_t k = 0; k < count; k++) z[k] = draw(kind, &random);
}

steep_status steep_noise_add(const steep_noise *noise, uint64_t seed, const steep_samples *points, double scale,
                             steep_samples *noisy, steep_error *error)
{
    const size_t dim = points->dim, count = noisy->count;
    const double *clean = noisy->y;
    double *y = noisy->y = malloc(count * sizeof *y);
    long double *x = malloc(dim * sizeof *x);
    steep_status status = x && y ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu values", count);
    if (y) steep_noise_draw(noise->kind, seed, count, y);
    for (size_t k = 0; status == STEEP_OK && k < count; k++) {
        for (size_t j = 0; j < dim; j++) x[j] = points->x[j * count + k];
        const double deviation = (double)steep_formula_reference(noise->deviation, x);
        if (!(deviation >= 0) || isinf(deviation)) {
            char where[320];
            steep_target_point(dim, x, where, sizeof where);
            status = steep_fail(error, STEEP_BAD_INPUT,
                                "--noise %.80s is %g at %s: use a deviation that is 0 or more everywhere",
                                steep_formula_text(noise->deviation), deviation, where);
        }
        y[k] = clean[k] + deviation * y[k] / scale;
    }
    free(x);
    return status;
}
