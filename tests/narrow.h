/* SPDX-License-Identifier: GPL-3.0-or-later */
/* narrow: random 1D targets with narrow, fast, kinked and steep features whose places are known, and a quadrature on
 * cells that are graded towards these places: the second route to a continuous error. */
#ifndef STEEP_TESTS_NARROW_H
#define STEEP_TESTS_NARROW_H

#include "chance.h"
#include "data/target.h"
#include "harness.h"
#include "numerics/quadrature.h"

#define FEATURE_KINDS 6
#define FEATURE_EDGES 400

typedef struct feature {
    steep_target *target;
    char text[240];
    double place, fastest; /* where the feature is, and cells are smallest; the highest angular frequency */
    double jump;
} feature;

static inline feature feature_draw(steep_random *random)
{
    feature f = {.place = chance_within(random, -0.97, 0.97), .fastest = 30};
    size_t used = 0;
    steep_error error = {{0}};
    switch (chance_below(random, FEATURE_KINDS)) {
    case 0: /* waves, some of them fast */
        for (int k = 0; k < 3; k++) {
            double frequency = exp(chance_within(random, 0, log(k == 0 ? 6000 : 60)));
            f.fastest = fmax(f.fastest, frequency);
            used += (size_t)snprintf(f.text + used, sizeof f.text - used, "%s%.6g*sin(%.8g*x+%.4g)", k ? "+" : "",
                                     chance_within(random, 0.2, 2), frequency, chance_within(random, 0, 6));
        }
        break;
    case 1: /* a spike, 1e-3 wide and more */
        snprintf(f.text, sizeof f.text, "cos(%.4g*x) + %.4g*exp(-(%.6g*(x-(%.15g)))^2)", chance_within(random, 0, 4),
                 chance_within(random, 0.5, 5), exp(chance_within(random, log(3), log(1000))), f.place);
        break;
    case 2:
        snprintf(f.text, sizeof f.text, "abs(x-(%.15g))^%.3g + sin(3*x)", f.place, chance_within(random, 0.3, 2.5));
        break;
    case 3:
        snprintf(f.text, sizeof f.text, "tanh(%.6g*(x-(%.15g)))", exp(chance_within(random, 0, log(5000))), f.place);
        break;
    case 4:
        snprintf(f.text, sizeof f.text, "1/(1+%.6g*(x-(%.15g))^2)", exp(chance_within(random, 0, log(1e5))), f.place);
        break;
    default: /* a jump */
        f.jump = chance_within(random, 0.2, 4);
        snprintf(f.text, sizeof f.text, "exp(x) + %.15g*sign(x-(%.15g))", f.jump / 2, f.place);
    }
    ck_assert_msg(steep_target_open(f.text, &f.target, &error) == STEEP_OK, "%s: %s", f.text, error.text);
    return f;
}

/* Writes ascending cell edges on [-1, 1]; returns how many. Length: `growth` x distance from f->place, <= `widest`. */
static inline size_t feature_cells(const feature *f, double growth, double widest, double *edge)
{
    const double nearest = 1e-12, side[2] = {1 + f->place, 1 - f->place};
    size_t count = 0;
    for (double d = side[0]; d > nearest; d = fmax(d - widest, d / (1 + growth))) edge[count++] = f->place - d;
    edge[0] = -1;
    edge[count++] = f->place;
    for (double d = nearest; d < side[1]; d = fmin(d + widest, d * (1 + growth))) edge[count++] = f->place + d;
    edge[count++] = 1;
    return count;
}

static inline size_t feature_edges(const feature *f, double edge[FEATURE_EDGES])
{
    return feature_cells(f, 0.5, 2, edge);
}

static inline double feature_value(const feature *f, double x)
{
    return (double)steep_formula_reference(f->target->formula, &(long double){x});
}

#endif
