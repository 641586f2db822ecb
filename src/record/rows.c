/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/rows.h"

#include <math.h>

#include "numerics/elementary.h"

const char *steep_device_names(size_t index)
{
    static const char *const names[] = {"cpu", "cuda", "twin"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || steep_bits(a) == steep_bits(b);
}

bool steep_fit_row_same(const steep_fit_row *a, const steep_fit_row *b)
{
    return a->status == b->status && same(a->rmse_train, b->rmse_train) && same(a->rmse_test, b->rmse_test) &&
           same(a->max_error, b->max_error) && same(a->floor, b->floor) && same(a->gradient_norm, b->gradient_norm) &&
           same(a->coefficient, b->coefficient) && same(a->rmse_single, b->rmse_single) &&
           same(a->operations, b->operations) && same(a->noise, b->noise) && same(a->rmse_clean, b->rmse_clean) &&
           same(a->noise_train, b->noise_train) && same(a->noise_test, b->noise_test) &&
           a->iterations == b->iterations && a->evaluations == b->evaluations && a->samples == b->samples &&
           a->starts == b->starts && a->hits == b->hits;
}
