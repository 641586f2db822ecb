/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/training.h"

#include <math.h>

#include "base/status.h"
#include "fit/problem.h"

static const long double PI = 3.141592653589793238462643383279502884L;

const char *steep_schedule_names(size_t index)
{
    static const char *const names[] = {"cosine", "constant", "step"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *steep_precision_names(size_t index)
{
    static const char *const names[] = {"double", "single"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
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

steep_status steep_training_check(const steep_training *training, steep_error *error)
{
    const struct {
        const char *name;
        double value;
        bool automatic;
    } numbers[] = {{"learning rate", training->learning_rate, true},
                   {"weight decay", training->weight_decay, true},
                   {"clip", training->clip, false}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i].value >= 0 && isfinite(numbers[i].value)) continue;
        if (numbers[i].automatic && numbers[i].value == STEEP_TRAINING_AUTO) continue;
        return steep_fail(error, STEEP_BAD_INPUT, "%s %g: use a number from 0", numbers[i].name, numbers[i].value);
    }
    if (!steep_schedule_names((size_t)training->schedule))
        return steep_fail(error, STEEP_BAD_INPUT, "schedule number %d: use 0 to 2", (int)training->schedule);
    return STEEP_OK;
}
