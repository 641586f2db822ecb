/* SPDX-License-Identifier: GPL-3.0-or-later */
/* joint: laws of two sizes (law/public.h). With p = log P and n = log N, both minus their means over the points:
 *
 *   L = E + ((A e^(-a p))^(1/g) + (B e^(c p - b n))^(1/g))^g;  g = b in Kaplan's form, else 1;  c = 0 but for product
 *   log loss = log L + u_budget + s e^(q z) t,   z: log loss by a first law, minus its mean; t: Student's, nu degrees
 *
 *   1. At given exponents a, b: the constants E, A, B (and c) of greatest likelihood, by weighted Gauss-Newton (IRLS).
 *      Each step eliminates the budgets' u (normal, deviation shared s). Columns are scaled: the condition number is
 *      some 10, against some 1e5 for all five parameters at once (vpnls, arXiv 2603.22339). joint_node.c
 *   2. The evidence: the integral over constants (in their bounds), u and s, by Laplace's method. The prior is flat
 *      between the bounds, but that of E has several limits, since many laws have an E of 0. joint_node.c
 *   3. For each form, the noises (nu, shared, q) that count: their evidence, exponents included. joint_grid.c
 *   4. For each of these noises a lattice in (log a, log b), along the Cholesky factor of their covariance, from the
 *      likeliest exponents outward to where the likelihood is e^-DROP of its maximum. joint_grid.c
 *   5. Draws: a node by its weight, a place in its cell, the constants from t distributions cut at their bounds.
 *      Intervals are quantiles of the numbers that the draws give. joint_draw.c
 *   6. A law without the largest computes predicts them; its errors widen the intervals of predictions. joint.c */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "law/core.h"
#include "law/public.h"

/* Parameters in the order of the Jacobian's columns: the constants, then the two exponents, the axes of the lattice. */
enum {
    STEEP_JOINT_C,
    STEEP_JOINT_E,
    STEEP_JOINT_A,
    STEEP_JOINT_B,
    STEEP_JOINT_INNER,
    STEEP_JOINT_LOG_A = STEEP_JOINT_INNER,
    STEEP_JOINT_LOG_B,
    STEEP_JOINT_ALL
};

/* Bounds of the exponents; the prior is flat in a and b. */
#define STEEP_JOINT_LEAST 0.02
#define STEEP_JOINT_MOST  20.0

/* The points in ascending order of compute, grouped by budget; and workspace for one node. */
typedef struct steep_joint_data {
    size_t count, groups;
    double *p, *n, *y, *z;              /* log P and log N minus their means, log loss, z; count entries each */
    size_t *end;                        /* one past the last point of each group, groups entries */
    double mean_p, mean_n, least, most; /* least, most: losses; E, A, B are from 0 to most */
    bool told[STEEP_JOINT_ALL];         /* the parameter is fixed at its entry in fixed (exponents: logarithms) */
    double fixed[STEEP_JOINT_ALL];
    double *column; /* STEEP_JOINT_ALL + 2 columns, then the same columns with weights, count entries each */
    double *row;    /* f and weights, count entries each, then u of each group */
    double *work;   /* steep_symmetric_workspace(STEEP_JOINT_ALL) */
} steep_joint_data;

typedef struct steep_joint_noise {
    steep_law_form form;
    double nu;     /* degrees of freedom; INFINITY: normal */
    double shared; /* standard deviation of the budgets' u, over s */
    double power;  /* q */
    double change; /* of the form product: standard deviation of the prior of c, about 0 */
    double prior;  /* log of its probability */
} steep_joint_noise;

typedef struct steep_joint_node {
    double at[STEEP_JOINT_ALL]; /* c, E, A, B, log a, log b; A and B at the mean sizes */
    double s2;
    double evidence;                                      /* log, the noise's prior included; -infinity: no law */
    double factor[STEEP_JOINT_INNER * STEEP_JOINT_INNER]; /* lower triangle L of the covariance L L' of c, E, A, B, by
                                                             rows; the rows of fixed parameters are 0 */
    double lean[2];                    /* relative change of the weight across the cell, along each axis: -2 to 2 */
    double tilt[2][STEEP_JOINT_INNER]; /* change of c, E, A, B from one lattice node to the next, along each axis */
    size_t noise;                      /* index in the posterior */
} steep_joint_node;

/* Steps 1 and 2, from the start node->at. covariance: all parameters are free, and it receives the 2 x 2 covariance of
 * log a and log b; NULL: the exponents stay as they are. */
void steep_joint_solve(const steep_joint_data *data, const steep_joint_noise *noise, steep_joint_node *node,
                       double covariance[4]);

/* The prior of E is flat from 0 to limit[k]: with probability .2 to the largest loss; with .5 to twice the least, for
 * noise may have put losses below E; of .2 and .1 to a tenth and a hundredth of the least. share[k]: the integral of a
 * normal density of E times that part of the prior, times the largest loss. Returns the sum of shares. */
enum { STEEP_JOINT_LIMITS = 4 };
double steep_joint_shares(const steep_joint_data *data, double centre, double deviation,
                          double share[STEEP_JOINT_LIMITS], double limit[STEEP_JOINT_LIMITS]);

/* The loss by a law of this form, p and n as in steep_joint_data. */
double steep_joint_value(steep_law_form form, const double at[STEEP_JOINT_ALL], double p, double n);

/* Finds the likeliest law with this noise, from the best nodes of a coarse grid of exponents. Evidence -INFINITY: no
 * node has one, and the other fields are 0. */
void steep_joint_mode(const steep_joint_data *data, const steep_joint_noise *noise, steep_joint_node *mode);

/* The nodes of all noises. The field evidence of a node is here its weight; the weights sum to 1. */
typedef struct steep_joint_posterior {
    steep_joint_node *node;
    size_t nodes;
    steep_joint_noise *noise;
    double (*step)[3]; /* by noise: node (i, j) of its lattice is at (step[0] i, step[1] i + step[2] j) from the mode */
    void *block;       /* holds noise and step */
    size_t noises;
    size_t likely; /* index of the node with the greatest weight */
} steep_joint_posterior;

/* Steps 3 and 4; data->z is set. range: greatest z minus least z; 0: the scatter does not depend on the loss. */
steep_status steep_joint_integrate(const steep_joint_data *d, const steep_law_options *o, double range,
                                   steep_joint_posterior *to, steep_error *error);
void steep_joint_free(steep_joint_posterior *posterior);

/* One draw from the posterior: a law and its noise. */
typedef struct steep_joint_draw {
    double at[STEEP_JOINT_ALL];
    double s, run; /* scale of the noise where z = 0; a draw of t plus a draw of u/s */
    const steep_joint_noise *noise;
} steep_joint_draw;
enum { STEEP_JOINT_DRAWS = 4096 };

/* Step 5: fills STEEP_JOINT_DRAWS draws. */
void steep_joint_draw_all(const steep_joint_data *data, const steep_joint_posterior *posterior, steep_joint_draw *draw);

/* The median and an interval of count values, none of which is NaN; sorts value. */
steep_law_interval steep_joint_interval(double *value, size_t count, double level);

/* p and n of least loss where factor P^params N^data = e^log_compute; infinite where there is no least. */
typedef struct steep_joint_compute {
    double log_factor, params, data;
} steep_joint_compute;
void steep_joint_best(const steep_joint_data *data, const steep_joint_draw *draw, const steep_joint_compute *compute,
                      double log_compute, double best[2]);

/* Fills the results on the points beside the law: apart, condition, turns, one_line, and the outputs of points.
 * order[i].place: index in points of point i of data. */
void steep_joint_look(const steep_joint_data *data, const steep_joint_posterior *posterior, const steep_placed *order,
                      const steep_law_points *points, steep_law *law);

typedef struct steep_law_chosen {
    const char *form, *noise, *fix, *compute, *predict;
    double level;
} steep_law_chosen;
extern const steep_option steep_law_option_table[];

/* Turns the texts of options into numbers. name: of the two sizes. STEEP_BAD_INPUT: the message names the option. */
steep_status steep_law_choose(const steep_law_chosen *chosen, const char *const name[2], steep_law_options *options,
                              steep_error *error);

/* Parses a formula in which name k, which may have blanks, stands for x_(k+1); used[k]: name k occurs.
 * STEEP_BAD_INPUT: it is no formula, it is too long, or no name occurs. The caller frees the formula. */
steep_status steep_law_formula(const char *text, const char *const *name, size_t names, bool *used,
                               steep_formula **formula, steep_error *error);

/* "auto", "hoffmann", "kaplan", "product"; "E", "A", "a", "B", "b", "c", as rows have them. NULL past the last. */
const char *steep_law_form_names(size_t index);
const char *steep_law_parameter_names(size_t index);

/* Writes the remarks on a law, one sentence each, and returns how many. name: names of the two sizes. */
enum { STEEP_LAW_REMARKS = 10, STEEP_LAW_REMARK = 256 };
size_t steep_law_remarks(const steep_law *law, const char *const name[2],
                         char text[STEEP_LAW_REMARKS][STEEP_LAW_REMARK]);
