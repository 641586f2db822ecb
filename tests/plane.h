/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plane: a problem with its samples, for the tests of starts and solvers in the plane. */
#ifndef STEEP_TESTS_PLANE_H
#define STEEP_TESTS_PLANE_H

#include <stdio.h>

#include "fit/problem.h"
#include "units.h"

/* A formula on its own box, or, of no formula, the points alone. */
typedef struct plane {
    steep_target *target;
    steep_samples train;
    steep_network network;
    steep_problem problem;
    steep_error error;
} plane;

static inline void plane_open(plane *p, const char *formula, size_t samples, const char *arch, const char *activation,
                              size_t width)
{
    memset(p, 0, sizeof *p);
    ck_assert_msg(steep_target_open(formula, &p->target, &p->error) == STEEP_OK, "%s", p->error.text);
    ck_assert_msg(steep_samples_random(p->target, samples, 1, &p->train, &p->error) == STEEP_OK, "%s", p->error.text);
    p->network = network_of(arch, activation, p->train.dim, width);
    p->problem = (steep_problem){&p->network, p->target, &p->train, NULL};
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

#endif
