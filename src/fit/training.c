/* SPDX-License-Identifier: GPL-3.0-or-later */
/* training: the options of solvers that use a learning rate. */
#include <math.h>

#include "base/options.h"
#include "fit/solvers.h"

static const long double PI = 3.141592653589793238462643383279502884L;

STEEP_NAMES(steep_schedule_names, "cosine", "constant", "step")

STEEP_NAMES(steep_precision_names, "double", "single")

steep_status steep_training_check(const steep_training *training, steep_error *error)
{
    static const char *const names[] = {"learning rate", "weight decay", "clip"};
    const double numbers[] = {training->learning_rate, training->weight_decay, training->clip};
    for (size_t i = 0; i < 3; i++) {
        if (numbers[i] >= 0 && isfinite(numbers[i])) continue;
        if (i < 2 && numbers[i] == STEEP_TRAINING_AUTO) continue;
        return steep_fail(error, STEEP_BAD_INPUT, "%s %g: use a number from 0", names[i], numbers[i]);
    }
    if (!steep_schedule_names((size_t)training->schedule))
        return steep_fail(error, STEEP_BAD_INPUT, "schedule number %d: use 0 to 2", (int)training->schedule);
    return STEEP_OK;
}

double steep_schedule_factor(const steep_training *training, size_t t, size_t steps)
{
    const size_t warmup = training->warmup < steps ? training->warmup : steps;
    if (t < warmup) return (double)(t + 1) / (double)warmup;
    const double u = steps > warmup ? (double)(t - warmup) / (double)(steps - warmup) : 1;
    switch (training->schedule) {
    case STEEP_SCHEDULE_CONSTANT: return 1;
    case STEEP_SCHEDULE_STEP: return u < 0.5 ? 1 : u < 0.75 ? 0.1 : 0.01;
    default: return (double)((1 + cosl(PI * (long double)u)) / 2); /* the last digit of cos depends on the processor */
    }
}
