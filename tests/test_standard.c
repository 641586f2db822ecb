/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/standard.h"

#include <float.h>
#include <sys/resource.h>

#include "chance.h"
#include "opened.h"

static steep_samples make_samples(size_t count, size_t dim)
{
    steep_samples s = samples_of(count, dim);
    for (size_t j = 0; j < dim; j++) s.high[j] = 1;
    return s;
}

/* Random columns of any size and offset: mean 0 and deviation 1 up to rounding, and back. u = 2^-53: a scaled number
 * is off by u of its own size and u (|x| + |mean|) / scale. */
START_RANDOM_TEST(columns_are_scaled_and_come_back, 1)
{
    for (size_t i = 0; i < chance_cases(500); i++) {
        size_t count = 1 + chance_below(&random, 50), dim = 1 + chance_below(&random, 12);
        SCOPED(steep_samples_free) steep_samples s = make_samples(count, dim), scaled;
        SCOPED(steep_standard_free) steep_standard t;
        for (size_t j = 0; j <= dim; j++) {
            double *column = j < dim ? s.x + j * count : s.y, size = pow(10, chance_within(&random, -100, 100)),
                   offset = size * pow(10, chance_within(&random, -3, 3)) * (double)chance_below(&random, 2);
            bool constant = chance_below(&random, 6) == 0;
            for (size_t k = 0; k < count; k++)
                column[k] = constant ? offset : offset + size * steep_random_normal(&random);
        }
        ck_assert_int_eq(steep_standard_of(&s, &t, NULL), STEEP_OK);
        ck_assert_int_eq(steep_standard_samples(&t, &s, &scaled, NULL), STEEP_OK);
        ck_assert(t.dim == dim && scaled.count == count && scaled.dim == dim && scaled.weight == NULL);
        for (size_t j = 0; j <= dim; j++) {
            const double *raw = j < dim ? s.x + j * count : s.y, *own = j < dim ? scaled.x + j * count : scaled.y;
            double mean = j < dim ? t.x_mean[j] : t.y_mean, scale = j < dim ? t.x_scale[j] : t.y_scale;
            long double sum = 0, squares = 0;
            bool varies = false;
            for (size_t k = 0; k < count; k++) {
                ck_assert(own[k] == (raw[k] - mean) / scale);
                check_close(mean + scale * own[k], raw[k], 0x1p-53 * (4 * fabs(raw[k] - mean) + 2 * fabs(raw[k])));
                sum += own[k];
                squares += (long double)own[k] * own[k];
                varies = varies || raw[k] != raw[0];
            }
            check_close(sum / count, 0, 4 * 0x1p-53 * (1 + fabs(mean) / scale));
            if (varies) check_close(squares / count, 1, 16 * 0x1p-53 * (1 + fabs(mean) / scale));
            else ck_assert(squares == 0 && scale == 1);
        }
        for (size_t j = 0; j < dim; j++)
            ck_assert(scaled.low[j] == (0 - t.x_mean[j]) / t.x_scale[j] &&
                      scaled.high[j] == (1 - t.x_mean[j]) / t.x_scale[j]);
        steep_standard_undo_values(&t, count, scaled.y);
        for (size_t k = 0; k < count; k++)
            check_close(scaled.y[k], s.y[k], 0x1p-53 * (4 * fabs(s.y[k] - t.y_mean) + 2 * fabs(s.y[k])));
    }
}

/* A plane on a random box has its mean at the centre, and its variance is a sum over coordinates. */
START_RANDOM_TEST(a_function_is_scaled_by_its_box_and_its_values, 3)
{
    for (size_t i = 0; i < chance_cases(5); i++) {
        double low[3], high[3], slope[3], mean = 0, square = 0;
        char formula[200], domain[200];
        for (size_t j = 0; j < 3; j++) {
            low[j] = chance_within(&random, -100, 100);
            high[j] = low[j] + pow(10, chance_within(&random, -2, 4));
            slope[j] = chance_within(&random, -5, 5);
            mean += slope[j] * (low[j] + high[j]) / 2;
            square += pow(slope[j] * (high[j] - low[j]), 2) / 12;
        }
        snprintf(formula, sizeof formula, "%.17g*x+%.17g*y+%.17g*z", slope[0], slope[1], slope[2]);
        snprintf(domain, sizeof domain, "%.17g:%.17g,%.17g:%.17g,%.17g:%.17g", low[0], high[0], low[1], high[1], low[2],
                 high[2]);
        SCOPED(release_target) steep_target *target;
        SCOPED(steep_standard_free) steep_standard t, again;
        ck_assert_int_eq(steep_target_open_on(formula, domain, &target, NULL), STEEP_OK);
        ck_assert_int_eq(steep_standard_of_target(target, &t, NULL), STEEP_OK);
        ck_assert_int_eq(steep_standard_of_target(target, &again, NULL), STEEP_OK);
        ck_assert(t.dim == 3 && t.y_mean == again.y_mean && t.y_scale == again.y_scale);
        for (size_t j = 0; j < 3; j++) {
            check_close(t.x_mean[j], (low[j] + high[j]) / 2, 0x1p-52 * (fabs(low[j]) + fabs(high[j])));
            check_close(t.x_scale[j] * sqrt(12) / (high[j] - low[j]), 1, 8 * 0x1p-53);
        }
        /* allowed: six deviations of a mean of so many values, at most sqrt 2 of that for a variance */
        check_close(t.y_mean, mean, 6 * sqrt(square / STEEP_STANDARD_POINTS));
        check_close(t.y_scale * t.y_scale / square, 1, 6 * sqrt(2.0 / STEEP_STANDARD_POINTS));
    }
    /* Many coordinates: a million numbers, not ten thousand points. */
    struct rusage before, after;
    SCOPED(steep_standard_free) steep_standard t;
    SCOPED(release_target) steep_target *target = target_of("x+x2-x9999");
    getrusage(RUSAGE_SELF, &before);
    ck_assert_int_eq(steep_standard_of_target(target, &t, NULL), STEEP_OK);
    getrusage(RUSAGE_SELF, &after);
    check_close(t.y_mean, 0, 6 / sqrt(100));
    check_close(t.y_scale * t.y_scale, 1, 6 * sqrt(2.0 / 100));
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 100000); /* kB; 800,000 with ten thousand points */
}

START_TEST(gradients_follow_the_chain_rule)
{
    SCOPED(steep_standard_free) steep_standard t;
    ck_assert_int_eq(steep_standard_init(2, &t, NULL), STEEP_OK);
    t.x_scale[0] = 4;
    t.x_scale[1] = 0.5;
    t.y_scale = 8;
    double gradient[] = {1, 2, 3, 10, 20, 30};
    steep_standard_undo_gradient(&t, 3, gradient);
    for (int k = 0; k < 3; k++) ck_assert(gradient[k] == 2 * (k + 1) && gradient[3 + k] == 160 * (k + 1));
}

START_TEST(what_cannot_be_scaled_is_said)
{
    SCOPED(steep_samples_free) steep_samples s = make_samples(2, 2), far = make_samples(1, 2), scaled;
    SCOPED(steep_standard_free) steep_standard t;
    steep_error error = {""};
    const double x[] = {0, 1, 0, 5e-324};
    memcpy(s.x, x, sizeof x);
    s.y[0] = s.y[1] = 3;
    check_says(steep_standard_of(&s, &t, &error), STEEP_BAD_INPUT, "coordinate 2: its numbers are within");
    ck_assert(t.x_mean == NULL && t.dim == 0);
    s.x[3] = 1;
    s.y[0] = 5e-324;
    s.y[1] = 0;
    check_says(steep_standard_of(&s, &t, &error), STEEP_BAD_INPUT, "the value: its numbers");
    s.y[1] = 1;
    s.x[1] = DBL_MIN * 4;
    ck_assert_int_eq(steep_standard_of(&s, &t, &error), STEEP_OK);
    far.x[0] = 10;
    far.x[1] = 0;
    far.y[0] = 0;
    check_says(steep_standard_samples(&t, &far, &scaled, &error), STEEP_BAD_INPUT,
               "too far from the training points' mean");
    ck_assert(scaled.x == NULL);
    steep_standard_free(&t);
    s.x[0] = -DBL_MAX; /* the largest numbers there are */
    s.x[1] = DBL_MAX;
    ck_assert_int_eq(steep_standard_of(&s, &t, &error), STEEP_OK);
    ck_assert_int_eq(steep_standard_samples(&t, &s, &scaled, &error), STEEP_OK);
    ck_assert(scaled.x[0] == -1 && scaled.x[1] == 1);
}
