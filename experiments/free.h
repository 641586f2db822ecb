/* SPDX-License-Identifier: GPL-3.0-or-later */
/* free: what the programs on free gates share: the three spline architectures with their constants of theory, and the
 * rows of fits.csv of one fit after the other.
 *
 * Theory, the leading term for n gates that make m cells of mean size h = (high - low)/m on [low, high], order p:
 *   uniform knots                 c_p h^p (mean (f^(p))^2)^{1/2}
 *   equidistributed, free knots   c_p h^p (mean |f^(p)|^{1/(p+1/2)})^{p+1/2}
 * with c_p of spline/spline: 1/sqrt 720 (C^0 lines), 1/sqrt 30240 (C^0 quadratics), 1/sqrt 1209600 (C^1 cubics).
 * The constants of free knots are those of uniform ones in every cell: an asymptote, and no bound. So is the limit of
 * discontinuous pieces, which carries the monic Legendre polynomial's norm: 1/sqrt 720 again (its ends are equal, so
 * that continuity costs nothing), 1/sqrt 100800 (quadratics: C^0 costs 1.83) and 1/sqrt 25401600 (cubics: C^1 costs
 * 4.58).
 */
#ifndef STEEP_EXPERIMENTS_FREE_H
#define STEEP_EXPERIMENTS_FREE_H

#include "experiment.h"

typedef struct free_row {
    const char *arch;
    size_t order, continuity, heads;
} free_row;

enum { FREE_ROWS = 3, FREE_TARGETS = 4 };
static const free_row free_rows[FREE_ROWS] = {{"mlp", 2, 1, 1}, {"glu", 3, 1, 1}, {"gqu", 4, 2, 2}};
static const char *const free_archs[FREE_ROWS + 1] = {"mlp", "glu", "gqu", NULL},
                                                *const free_targets[FREE_TARGETS + 1] = {"cosine_well", "runge3",
                                                                                         "chirp", "cos4", NULL};

/* The constant of discontinuous pieces over c_p. */
static inline double free_limit(const free_row *row)
{
    return steep_spline_constant(row->order - 1, 0) / steep_spline_constant(row->order - 1, row->continuity);
}

/* How far the leading term of the row's architecture is down at this width: uniform starts have a gate at either end.
 */
static inline double free_theory(const free_row *row, const steep_target *target, size_t width, bool uniform)
{
    double cells = uniform ? (double)width - 1 : (double)(width - row->heads + 1);
    double h = (target->high[0] - target->low[0]) / cells;
    return steep_spline_constant(row->order - 1, row->continuity) * pow(h, (double)row->order) *
           (uniform ? steep_target_rms_derivative(target, row->order)
                    : steep_target_free_knot_size(target, row->order));
}

/* Whether the row of the table that begins with these is asked for (--only). */
static inline bool free_wants(const experiment *e, const char *target, const free_row *row)
{
    return experiment_wants(e, 0, target) && experiment_wants(e, 1, row->arch);
}

/* The column of the fit of that width in the first of the tables that has it, or NaN. */
static inline double free_number(const steep_table *fits, size_t tables, const char *arch, const char *target,
                                 size_t width, const char *column)
{
    for (size_t t = 0; t < tables; t++) {
        size_t f = experiment_fit(&fits[t], arch, target, width);
        if (f < fits[t].rows) return experiment_number(&fits[t], f, column);
    }
    return NAN;
}

#endif
