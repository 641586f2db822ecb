/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steep/session.h"

#include <pthread.h>

#include "chance.h"
#include "harness.h"

/* Points, the options of a fit, and what it gave: status, values and derivatives. */
enum { POINTS = 150, DIMS = 3 };
typedef struct lab {
    size_t dim;
    double x[DIMS * POINTS], y[POINTS], value[POINTS], gradient[DIMS * POINTS];
    char width[12], seed[12];
    const char *option[16];
    size_t asked, stop;
    steep_status status;
    steep_error error;
} lab;

static void open_lab(lab *l, steep_random *random)
{
    static const char *const form[][2] = {
        {"mlp", "lm"}, {"glu", "varpro"}, {"gqu", "lm"}, {"mlp:tanh", "varpro"}, {"mlp:gelu", "lm"}};
    const size_t i = chance_below(random, 5);
    *l = (lab){.dim = 1 + chance_below(random, DIMS), .stop = SIZE_MAX};
    for (size_t k = 0; k < l->dim * POINTS; k++) l->x[k] = chance_within(random, -2, 2);
    for (size_t k = 0; k < POINTS; k++) l->y[k] = sin(3 * l->x[k]) + 0.1 * steep_random_normal(random);
    snprintf(l->width, sizeof l->width, "%d", 1 + (int)chance_below(random, 6));
    snprintf(l->seed, sizeof l->seed, "%d", (int)chance_below(random, 1000));
    const char *const option[] = {"arch",   form[i][0], "solver", form[i][1],       "start", "random", "width",
                                  l->width, "seed",     l->seed,  "max-iterations", "20",    NULL};
    memcpy(l->option, option, sizeof option);
}

static bool count_calls(void *context, const char *stage, size_t iteration, double rmse, double seconds)
{
    lab *l = context;
    (void)stage, (void)iteration, (void)rmse, (void)seconds;
    return l->asked++ < l->stop;
}

/* A whole session: options, fit, values and derivatives. */
static void *fit(void *context)
{
    lab *l = context;
    steep_session *s = steep_session_new(l->option, count_calls, l);
    l->status = s ? steep_session_fit(s, POINTS, l->dim, l->x, l->y, &l->error) : STEEP_NO_MEMORY;
    if (l->status >= 0) steep_session_values(s, POINTS, l->x, l->value, l->gradient);
    steep_session_free(s);
    return NULL;
}

START_RANDOM_TEST(threads_are_one_after_the_other, 80)
{
    for (size_t round = 0; round < 10; round++) {
        static lab alone[2], beside[2];
        pthread_t thread[2];
        for (size_t i = 0; i < 2; i++) {
            open_lab(&alone[i], &random);
            beside[i] = alone[i];
            fit(&alone[i]);
        }
        for (size_t i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, fit, &beside[i]), 0);
        for (size_t i = 0; i < 2; i++) {
            pthread_join(thread[i], NULL);
            ck_assert_int_eq(alone[i].status, beside[i].status);
            ck_assert_uint_eq(alone[i].asked, beside[i].asked);
            ck_assert_mem_eq(alone[i].value, beside[i].value, sizeof alone[i].value);
            ck_assert_mem_eq(alone[i].gradient, beside[i].gradient, sizeof alone[i].gradient);
        }
    }
}

/* A monitor that returns false is not called again; the network of this place is there. */
START_RANDOM_TEST(false_stops, 81)
{
    static lab l;
    do {
        open_lab(&l, &random);
        fit(&l);
    } while (l.status < 0 || l.asked < 6);
    l.asked = 0, l.stop = 3;
    fit(&l);
    ck_assert_uint_eq(l.asked, 4);
    ck_assert_int_gt(l.status, 0);
}

START_TEST(misuse_is_refused)
{
    steep_error error = {""};
    const double x[2] = {0, NAN}, y[2] = {1, 2};
    steep_session *s = steep_session_new(NULL, NULL, NULL);
    check_says(steep_session_fit(s, 0, 1, x, y, &error), STEEP_BAD_INPUT, "0 points in 1D");
    check_says(steep_session_fit(s, 1, 0, x, y, &error), STEEP_BAD_INPUT, "1 points in 0D");
    check_says(steep_session_fit(s, 2, 1, x, y, &error), STEEP_BAD_INPUT, "x of point 1 is nan");
    check_says(steep_session_fit(s, 0, 0, NULL, NULL, &error), STEEP_BAD_INPUT, "nothing to fit");
    check_says(steep_session_save(s, "nowhere", &error), STEEP_BAD_INPUT, "no network to save");
    check_says(steep_session_load(s, "/nowhere/at/all", NULL, 0, &error), STEEP_IO, "/nowhere/at/all");
    check_says(steep_session_slope(s, 0, x, y, NULL, &error), STEEP_BAD_INPUT, "0 points");
    ck_assert_int_eq(steep_session_values(s, 0, x, NULL, NULL), STEEP_BAD_INPUT);
    ck_assert(isnan(steep_session_number(s, "rmse_train")));
    ck_assert_ptr_null(steep_session_text(s, "status"));
    steep_session_free(s);
    steep_session_free(NULL);
}

/* A set without points is no error if there is a network. */
START_TEST(no_points)
{
    static const char *const option[] = {"target", "runge3", "params", "10", NULL}; /* no width: params says it */
    steep_error error = {""};
    double y = 7, gradient = 7;
    steep_session *s = steep_session_new(option, NULL, NULL);
    check_says(steep_session_fit(s, 0, 0, NULL, NULL, &error), STEEP_CONVERGED, "");
    ck_assert(steep_session_number(s, "params") <= 10);
    ck_assert_int_eq(steep_session_values(s, 0, NULL, NULL, NULL), STEEP_OK);
    ck_assert_int_eq(steep_session_values(s, 0, &y, &y, &gradient), STEEP_OK);
    ck_assert(y == 7 && gradient == 7);
    steep_session_free(s);
}
