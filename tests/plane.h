/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plane: a problem with its samples in one line, for the tests of starts and solvers. */
#ifndef STEEP_TESTS_PLANE_H
#define STEEP_TESTS_PLANE_H

#include "fit/problem.h"
#include "measure/measured.h"
#include "units.h"

/* A problem with its target, its training samples in the target's box, and its network. */
typedef struct plane {
    steep_target *target;
    steep_samples train;
    steep_network network;
    steep_problem problem;
    steep_error error;
} plane;

/* Opens p. The points are a grid, or are drawn from the seed if `grid` is false. */
static inline void plane_open_at(plane *p, const char *formula, bool grid, size_t samples, uint64_t seed,
                                 const char *arch, const char *activation, size_t width)
{
    memset(p, 0, sizeof *p);
    ck_assert_msg(steep_target_open(formula, &p->target, &p->error) == STEEP_OK, "%s", p->error.text);
    ck_assert_msg((grid ? steep_samples_grid(p->target, samples, &p->train, &p->error)
                        : steep_samples_random(p->target, samples, seed, &p->train, &p->error)) == STEEP_OK,
                  "%s", p->error.text);
    p->network = network_of(arch, activation, p->train.dim, width);
    p->problem = (steep_problem){&p->network, p->target, &p->train, NULL};
}

static inline void plane_open(plane *p, const char *formula, size_t samples, const char *arch, const char *activation,
                              size_t width)
{
    plane_open_at(p, formula, false, samples, 1, arch, activation, width);
}

/* PLANE(p, formula, samples, arch, activation, width): declared, opened, and closed where its scope ends. */
#define PLANE(p, ...)                                                                                                  \
    SCOPED(plane_close) plane p;                                                                                       \
    plane_open(&p, __VA_ARGS__)
#define PLANE_AT(p, ...)                                                                                               \
    SCOPED(plane_close) plane p;                                                                                       \
    plane_open_at(&p, __VA_ARGS__)

/* FITTED result = plane_fit_by(..): what a fit returns, released where its scope ends. */
#define FITTED SCOPED(steep_fit_result_free) steep_fit_result

/* Gives p another network on the same points. */
static inline void plane_change(plane *p, const char *arch, const char *activation, size_t width)
{
    p->network = network_of(arch, activation, p->train.dim, width);
}

/* Fit options with this solver and this start; all others are defaults. */
static inline steep_fit_options options_by(steep_solver solver, steep_start_kind start)
{
    steep_fit_options options = steep_fit_options_default();
    options.solver = solver;
    options.start = start;
    return options;
}

/* Fits and returns the result; requires a usable status. */
static inline steep_fit_result plane_fit_by(plane *p, const steep_fit_options *options)
{
    steep_fit_result result;
    ck_assert_msg(steep_fit(&p->problem, options, &result, &p->error) >= 0, "%s by %s: %s",
                  p->network.architecture->name, steep_solver_names((size_t)options->solver), p->error.text);
    return result;
}

/* Requires that the fit is refused as bad input, with a message that contains `says`. */
static inline void plane_refuses(plane *p, const steep_fit_options *options, const char *says)
{
    FITTED result;
    steep_status status = steep_fit(&p->problem, options, &result, &p->error);
    ck_assert_msg(status == STEEP_BAD_INPUT && strstr(p->error.text, says), "\"%s\" without \"%s\"", p->error.text,
                  says);
}

static inline steep_fit_result plane_fit(plane *p, steep_solver solver, steep_start_kind start, size_t iterations,
                                         size_t restarts)
{
    steep_fit_options options = options_by(solver, start);
    options.max_iterations = iterations;
    options.restarts = restarts;
    return plane_fit_by(p, &options);
}

/* The training error of plane_fit. */
static inline double plane_rmse(plane *p, steep_solver solver, steep_start_kind start, size_t iterations,
                                size_t restarts)
{
    FITTED result = plane_fit(p, solver, start, iterations, restarts);
    return result.rmse_train;
}

/* The training error at theta. */
static inline double plane_error(const plane *p, const double *theta)
{
    steep_measured measured;
    ck_assert_int_eq(steep_measure(&p->network, theta, &p->train, NULL, &measured, NULL), STEEP_OK);
    return measured.rmse;
}

static inline void plane_close(plane *p)
{
    steep_samples_free(&p->train);
    steep_target_free(p->target);
}

/* A sum of random waves in dim variables, 4 at most. */
static inline void draw_formula(steep_random *random, size_t dim, char *text, size_t size)
{
    static const char *const name[] = {"x1", "x2", "x3", "x4"};
    size_t used = 0;
    for (size_t t = 0; t < 3; t++) {
        used += (size_t)snprintf(text + used, size - used, "%s%.3f*sin(%.3f", t ? "+" : "",
                                 chance_within(random, 0.2, 1), chance_within(random, -3, 3));
        for (size_t c = 0; c < dim; c++)
            used += (size_t)snprintf(text + used, size - used, "+(%.3f)*%s", chance_within(random, -4, 4), name[c]);
        used += (size_t)snprintf(text + used, size - used, ")");
    }
}

/* Opens p with a formula of draw_formula at random points. */
static inline void plane_draw(plane *p, steep_random *random, size_t dim, size_t samples, const char *arch,
                              size_t width)
{
    char formula[400];
    draw_formula(random, dim, formula, sizeof formula);
    plane_open(p, formula, samples, arch, NULL, width);
}

#endif
