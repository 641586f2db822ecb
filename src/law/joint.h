/* SPDX-License-Identifier: GPL-3.0-or-later */
/* joint: laws of two sizes (law/public.h), p = log P and n = log N about their means:
 *
 *   L = E + ((A e^(-a p))^(1/g) + (B e^(c p - b n))^(1/g))^g;  g = 1, for Kaplan's form b;  c = 0 but for the product
 *   log loss = log L + u_budget + s e^(q z) t,   z: log loss of a first law about its mean; t: Student's, freedom nu
 *
 *   1. At given exponents a, b, the constants E, A, B (and c) of greatest likelihood, by Gauss and Newton with weights
 *      (IRLS); the budgets' u, normal of deviation t s, are eliminated from each step. Columns are scaled: the system's
 *      condition is some 10 where that of all five parameters is some 1e5 (vpnls, arXiv 2603.22339). joint_node.c
 *   2. The integral over constants, u and s by Laplace's method, E, A, B >= 0 by the normal distribution. joint_node.c
 *   3. Which noises (nu, t, q) count, for each form: by Laplace's method over the exponents, too. joint_grid.c
 *   4. For each of these a lattice in (log a, log b) along the axes of the likelihood, from the greatest outward until
 *      it is e^-DROP of that. joint_grid.c
 *   5. Draws: a node by its weight, a place in its cell, the constants by their conditional t distributions, cut at 0.
 *      Quantiles of what follows from each draw are the intervals. joint_draw.c
 *   6. The largest computes held out: predictions are made wider by what they miss. joint.c */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "law/core.h"
#include "law/public.h"

/* Parameters in the order of the columns; the last two are the lattice's. */
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

/* Exponents within these; the prior is flat in a and b. */
#define STEEP_JOINT_LEAST 0.02
#define STEEP_JOINT_MOST  20.0

/* Points by budget, sizes about their means; and room for one node's columns. */
typedef struct steep_joint_data {
    size_t count, groups;
    double *p, *n, *y, *z;              /* y: log loss */
    size_t *end;                        /* of each group, groups entries */
    double mean_p, mean_n, least, most; /* losses; E, A, B are from 0 to most */
    bool told[STEEP_JOINT_ALL];         /* a parameter that is fixed, in these units, */
    double fixed[STEEP_JOINT_ALL];
    double *column; /* (STEEP_JOINT_ALL + 2) columns and as many again with weights, count entries each */
    double *row;    /* f and weights, count entries each, then u of each group */
    double *work;   /* steep_symmetric_workspace(STEEP_JOINT_ALL) */
} steep_joint_data;

typedef struct steep_joint_noise {
    steep_law_form form;
    double nu;     /* INFINITY: normal */
    double shared; /* t: deviation of the budgets' u over s */
    double power;  /* q */
    double prior;  /* log */
} steep_joint_noise;

typedef struct steep_joint_node {
    double at[STEEP_JOINT_ALL]; /* c, E, A, B, log a, log b; A and B at the mean sizes */
    double s2;
    double evidence;                                      /* log, with the noise's prior; -infinity: none */
    double factor[STEEP_JOINT_INNER * STEEP_JOINT_INNER]; /* lower triangle L of the covariance L L' of c, E, A, B, by
                                                             rows; rows of fixed ones are 0 */
    double lean[2]; /* change of the weight across the cell over the weight, along each axis: -2 to 2 */
    double tilt[2][STEEP_JOINT_INNER]; /* change of c, E, A, B from a lattice node to the next, along each axis */
    size_t noise;                      /* which */
} steep_joint_node;

/* Step 1 from node->at, and step 2: all parameters free, covariance being that of log a and log b, 2 x 2; or, where it
 * is NULL, a, b as they stand. */
void steep_joint_solve(const steep_joint_data *data, const steep_joint_noise *noise, steep_joint_node *node,
                       double covariance[4]);

/* f of a form at one point. */
double steep_joint_value(steep_law_form form, const double at[STEEP_JOINT_ALL], double p, double n);

/* The likeliest law with this noise: from the best nodes of a coarse grid. */
void steep_joint_mode(const steep_joint_data *data, const steep_joint_noise *noise, steep_joint_node *mode);

/* Nodes of all noises, the evidence turned into a weight of sum 1. */
typedef struct steep_joint_posterior {
    steep_joint_node *node;
    size_t nodes;
    steep_joint_noise *noise;
    double (*step)[3]; /* of each noise's lattice: i steps and j steps are (step[0] i, step[1] i + step[2] j) */
    void *block;       /* noises and steps */
    size_t noises;
    size_t likely; /* the heaviest node */
} steep_joint_posterior;

/* Steps 3 and 4, z being there. range: of z, from the least to the largest. */
steep_status steep_joint_integrate(const steep_joint_data *d, const steep_law_options *o, double range,
                                   steep_joint_posterior *to, steep_error *error);
void steep_joint_free(steep_joint_posterior *posterior);

/* A law that the points may follow, and a noise with it. */
typedef struct steep_joint_draw {
    double at[STEEP_JOINT_ALL];
    double s, run; /* of the noise where z = 0; a draw of t and of u/s, added */
    const steep_joint_noise *noise;
} steep_joint_draw;
enum { STEEP_JOINT_DRAWS = 4096 };

/* Step 5: as many draws as that. */
void steep_joint_draw_all(const steep_joint_data *data, const steep_joint_posterior *posterior, steep_joint_draw *draw);

/* Median and ends of an interval of so many values, which it sorts; none is NaN. */
steep_law_interval steep_joint_interval(double *value, size_t count, double level);

/* log P, about its mean as in data, of least loss where factor P^params N^data = e^log_compute, and N's. */
typedef struct steep_joint_compute {
    double log_factor, params, data;
} steep_joint_compute;
void steep_joint_best(const steep_joint_data *data, const steep_joint_draw *draw, const steep_joint_compute *compute,
                      double log_compute, double best[2]);

/* What the result says of the points beside the law: those that stand apart, condition, turns, one_line. order: the
 * place in points of each of the data's. */
void steep_joint_look(const steep_joint_data *data, const steep_joint_posterior *posterior, const steep_placed *order,
                      const steep_law_points *points, steep_law *law);

typedef struct steep_law_chosen {
    const char *form, *noise, *fix, *compute, *predict;
    double level;
} steep_law_chosen;
extern const steep_option steep_law_option_table[];

/* What the texts stand for; name: of the two sizes. STEEP_BAD_INPUT names the option, and what to write. */
steep_status steep_law_choose(const steep_law_chosen *chosen, const char *const name[2], steep_law_options *options,
                              steep_error *error);

/* The formula of the text, where the names, in word characters, stand for x1, x2, ...; used[k]: name k is there.
 * STEEP_BAD_INPUT: it is none, too long, or none of the names is there. The caller frees it. */
steep_status steep_law_formula(const char *text, const char *const *name, size_t names, bool *used,
                               steep_formula **formula, steep_error *error);

/* "auto", "hoffmann", "kaplan", "product"; "E", "A", "a", "B", "b", "c", as rows have them. NULL past the last. */
const char *steep_law_form_names(size_t index);
const char *steep_law_parameter_names(size_t index);

/* The sentences that must be known of the law; returns how many. name: the sizes. */
enum { STEEP_LAW_REMARKS = 10, STEEP_LAW_REMARK = 256 };
size_t steep_law_remarks(const steep_law *law, const char *const name[2],
                         char text[STEEP_LAW_REMARKS][STEEP_LAW_REMARK]);
