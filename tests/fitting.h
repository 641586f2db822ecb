/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fitting: a small fit set up in one line, for the tests of the solvers. */
#ifndef STEEP_TESTS_FITTING_H
#define STEEP_TESTS_FITTING_H

#include "harness.h"

#include <float.h>
#include <gsl/gsl_errno.h>

#include "fit/solvers.h"
#include "model/activation.h"

typedef struct fitting {
    steep_target *target;
    steep_samples samples;
    steep_network network;
    steep_problem problem;
    steep_fit_options options;
    steep_solve solve;
    steep_error error;
    double *theta;
} fitting;

/* True if the solver can fit this network; a NULL target means that there is no formula. */
static inline bool solver_takes(const steep_solver_row *solver, const steep_network *network,
                                const steep_target *target)
{
    const steep_solver_case asked = {network->architecture, &network->choice, "", "", network->dim, network->width};
    if (network->dim == 1 ? solver->planes_alone : solver->writes) return false;
    return !(solver->writes && !target) && (!solver->takes || solver->takes(&asked, NULL) == STEEP_OK);
}

/* True if the solver moves all parameters. */
static inline bool moves_all(const steep_solver_row *solver)
{
    return !solver->writes && !solver->frozen;
}

#define require(call) ck_assert_msg((call) == STEEP_OK, "%s: %s", #call, f->error.text)

/* Lays out the network and computes its start. f->samples must hold the samples already. */
static inline void fitting_begin_choice(fitting *f, const steep_architecture *row, const steep_choice *choice,
                                        size_t width, steep_start_kind start, uint64_t seed)
{
    require(steep_network_init(&f->network, row, choice, f->samples.dim, width, &f->error));
    f->theta = calloc(f->network.parameters, sizeof *f->theta);
    f->solve.active = malloc(f->network.parameters);
    ck_assert(f->theta && f->solve.active);
    memset(f->solve.active, 1, f->network.parameters);
    f->problem = (steep_problem){&f->network, f->target, &f->samples, NULL};
    f->options = steep_fit_options_default();
    f->options.start = start;
    f->options.tolerance = 1e-8;
    const steep_start_options how = {.kind = start, .low = f->samples.low, .high = f->samples.high, .seed = seed};
    require(steep_start(&f->network, &how, f->theta, &f->error));
    gsl_set_error_handler_off();
}

/* As fitting_begin_choice, with the default choice of the architecture and this activation (-1: the default one). */
static inline void fitting_begin(fitting *f, const char *architecture, int activation, size_t width,
                                 steep_start_kind start, uint64_t seed)
{
    const steep_architecture *row = steep_architecture_find(architecture, NULL, 0);
    ck_assert_msg(row != NULL, "no architecture %s", architecture);
    steep_choice choice = steep_choice_default(row);
    if (activation >= 0) choice.activation = activation;
    fitting_begin_choice(f, row, &choice, width, start, seed);
}

/* Opens the target, draws uniform random samples of it and starts a network. */
static inline void fitting_open(fitting *f, const char *target, size_t samples, const char *architecture,
                                int activation, size_t width, steep_start_kind start, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    require(steep_target_open(target, &f->target, &f->error));
    require(steep_samples_random(f->target, samples, seed, &f->samples, &f->error));
    fitting_begin(f, architecture, activation, width, start, seed);
}

/* FITTING(f, target, samples, architecture, activation, width, start, seed): closed where its scope ends. */
#define FITTING(f, ...)                                                                                                \
    SCOPED(fitting_close) fitting f;                                                                                   \
    fitting_open(&f, __VA_ARGS__)

/* Replaces the samples' values by the network's values at theta: the least error is then 0, at theta. */
static inline void fitting_teach(fitting *f)
{
    require(steep_network_values(&f->network, f->theta, f->samples.count, f->samples.x, f->samples.y));
}

static inline void fitting_close(fitting *f)
{
    free(f->theta);
    free(f->solve.active);
    steep_samples_free(&f->samples);
    steep_target_free(f->target);
}

/* rmse by a plain loop. */
static inline double fitting_rmse(const fitting *f)
{
    SCOPED(release_memory) double *y = malloc(f->samples.count * sizeof *y);
    double sum = 0;
    ck_assert(y != NULL);
    ck_assert_int_eq(steep_network_values(&f->network, f->theta, f->samples.count, f->samples.x, y), STEEP_OK);
    for (size_t k = 0; k < f->samples.count; k++)
        sum += steep_sample_weight(&f->samples, k) * pow(y[k] - f->samples.y[k], 2);
    return sqrt(sum);
}

/* A monitor of a fit. It requires that the error does not rise, and stops the fit at a call or at a stage. */
typedef struct watch {
    size_t calls, stop_at;     /* stop at that call; 0: never */
    const char *until;         /* stop where this stage begins; NULL: never */
    double first, last, slack; /* rmse at first and last call; rmse may rise by the factor 1 + slack between calls */
    char stages[200];          /* names of the stages in their order, joined by commas */
    double history[400];
} watch;

static inline bool watch_proceed(void *context, const steep_progress *progress)
{
    watch *w = context;
    if (w->calls == 0) w->first = progress->rmse;
    else
        ck_assert_msg(progress->rmse <= w->last * (1 + w->slack), "%s, iteration %zu: rmse %.17g after %.17g",
                      progress->stage, progress->iteration, progress->rmse, w->last);
    ck_assert(progress->seconds >= 0);
    if (w->calls < 400) w->history[w->calls] = progress->rmse;
    const char *tail = strrchr(w->stages, ',');
    if (strcmp(tail ? tail + 1 : w->stages, progress->stage) != 0 && strlen(w->stages) < sizeof w->stages - 40) {
        if (w->stages[0]) strcat(w->stages, ",");
        strcat(w->stages, progress->stage);
    }
    w->last = progress->rmse;
    w->calls++;
    return w->calls != w->stop_at && !(w->until && strcmp(w->until, progress->stage) == 0);
}

static inline void fitting_watch(fitting *f, watch *w)
{
    *w = (watch){.slack = 1e-11};
    f->options.monitor = (steep_monitor){watch_proceed, w};
}

/* Returns the gradient cosine; NaN also when memory runs out. */
static inline double cosine_of(const steep_problem *problem, const double *theta, const unsigned char *active)
{
    double cosine;
    steep_gradient_cosine(problem, 0, theta, active, &cosine);
    return cosine;
}

static inline bool rounding_of(const steep_problem *problem, const double *theta, double cosine, double rmse)
{
    bool rounding;
    steep_gradient_is_rounding(problem, theta, cosine, rmse, &rounding);
    return rounding;
}

/* Requires a usable status, a reason, and for "converged" a recomputed gradient cosine within the tolerance. */
static inline void fitting_check_claims(const fitting *f, steep_status status)
{
    double cosine = cosine_of(&f->problem, f->theta, NULL);
    ck_assert_msg(status >= 0, "%s: %s", steep_status_name(status), f->error.text);
    ck_assert(f->solve.reason[0] != '\0');
    if (status == STEEP_CONVERGED)
        ck_assert_msg(cosine <= f->options.tolerance, "converged at a gradient of %g, asked %g", cosine,
                      f->options.tolerance);
}

#endif
