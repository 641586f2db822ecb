/* SPDX-License-Identifier: GPL-3.0-or-later */
/* law: the loss of networks of P parameters trained on N data (tokens), as a law of the two, with intervals. */
#pragma once

#include "steep/session.h"
#include "steep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All forms have the same limits: E + A P^-a for many data, E + B N^-b for large networks (product: at each P). */
typedef enum steep_law_form {
    STEEP_LAW_FORM_AUTO,     /* the average of all, by the weights that the data give them */
    STEEP_LAW_FORM_HOFFMANN, /* E + A P^-a + B N^-b (Hoffmann and others, 2022, arXiv 2203.15556) */
    STEEP_LAW_FORM_KAPLAN,   /* E + ((A P^-a)^(1/b) + (B N^-b)^(1/b))^b (Kaplan and others, 2020, arXiv 2001.08361) */
    STEEP_LAW_FORM_PRODUCT   /* E + A P^-a + B P^c N^-b: least squares have c = b = 1 */
} steep_law_form;
#define STEEP_LAW_FORMS 4

typedef enum steep_law_parameter {
    STEEP_LAW_E,
    STEEP_LAW_A,
    STEEP_LAW_EXPONENT_A,
    STEEP_LAW_B,
    STEEP_LAW_EXPONENT_B,
    STEEP_LAW_EXPONENT_C
} steep_law_parameter;
#define STEEP_LAW_PARAMETERS 6

/* A median, and the ends of its interval; all NaN where there is none. */
typedef struct steep_law_interval {
    double value, low, high;
} steep_law_interval;

/* count networks, each of params[i] parameters and trained on data[i] samples or tokens. */
typedef struct steep_law_points {
    size_t count;
    const double *params, *data, *loss; /* each > 0 */
    double *fitted, *deviation; /* out, by point, or NULL: the likeliest law's loss, and log(loss/fitted) in robust
                                   standard deviations; beyond STEEP_LAW_APART the point stands apart */
} steep_law_points;
#define STEEP_LAW_APART 5

/* All 0: the defaults. */
typedef struct steep_law_options {
    steep_law_form form;
    bool normal;    /* the log loss has normal noise (false: Student's, of any tails, normal among them) */
    double level;   /* of the intervals (0: 0.95) */
    unsigned fixed; /* bit k: parameter k is not fitted, but is */
    double fixed_value[STEEP_LAW_PARAMETERS];
    /* Compute C = factor P^params N^data (factor 0: 6 P N). */
    double compute_factor, compute_params, compute_data;
    double predict_params, predict_data; /* sizes whose loss is predicted; 0: none */
} steep_law_options;

/* The sizes of least loss of one compute. */
typedef struct steep_law_best {
    double compute;
    steep_law_interval params, data, loss;
} steep_law_best;
#define STEEP_LAW_BEST 16

typedef struct steep_law {
    steep_status status;                                /* 0, or < 0 */
    steep_law_interval parameter[STEEP_LAW_PARAMETERS]; /* E at most the least loss; c of the product alone */
    double weight[STEEP_LAW_FORMS];                     /* of each form, sum 1 */
    steep_law_form likeliest;                           /* the form of the law `likely` */
    double likely[STEEP_LAW_PARAMETERS];
    /* Best sizes: P* ~ C^params_exponent, N* ~ C^data_exponent; best[11] at the largest compute measured, those before
     * down to the smallest, those behind up to ten times beyond, equal ratios apart. */
    steep_law_interval params_exponent, data_exponent;
    steep_law_best best[STEEP_LAW_BEST];
    steep_law_interval prediction, one_run; /* of the law at the sizes asked for; of one more measured loss there */
    /* The largest computes held out: how many points, rms of log(loss/predicted), and the factor (at least 1) by which
     * the logarithmic ends of prediction, one_run and best[].loss are wider for it; NaN: too few points. */
    size_t held_out;
    double held_out_error, wider;
    double scatter;   /* s of a log loss about the law, in the middle */
    double falls;     /* the scatter at the largest loss over that at the smallest: median */
    double shared;    /* probability that the points of one budget err together */
    double tails;     /* probability of tails heavier than a normal distribution's */
    size_t budgets;   /* computes on which several points lie: 0, none found */
    size_t apart;     /* points that stand apart; they count for less, by their tails */
    double condition; /* of the columns of E, A, B at the likeliest law */
    bool no_gain[2];  /* it is not certain that the loss falls with P, with N */
    bool turns[2];    /* at equal data (params) the loss falls, then rises again: no power law */
    bool one_line;    /* the sizes lie on one line in their logarithms: the two terms cannot be told apart */
} steep_law;

/* The law that the points follow, with noise in log loss that may have tails, fall with the loss, and be common to the
 * points of one budget; all that is averaged over. Parameters that enter linearly are projected out and the exponents
 * integrated over by quadrature, so that there is no start to choose. Deterministic. About 0.3 s for 250 points.
 * Returns law->status: STEEP_BAD_INPUT where a number is not finite and positive, a loss is not between 1e-100 and
 * 1e100, a size is the same everywhere, all losses are equal, points are fewer than the parameters and two, or an
 * option is out of range; STEEP_NO_MEMORY.
 * Method: law/joint.h. */
STEEP_API steep_status steep_law_measure(const steep_law_points *points, const steep_law_options *options,
                                         steep_law *law, steep_error *error);

/* The law of the losses of count networks, of params[i] parameters and trained on data[i] samples or tokens
 * (steep_law_measure), with the options of steep law form, fix, compute, predict (names: params, data), noise, level.
 * The session then has its results: E, A, a, B, b, c, params_exponent, data_exponent, prediction, one_run, each also
 * with _low and _high; the weights hoffmann, kaplan, product; scatter, falls, shared, held_out, wider, condition,
 * apart, budgets as numbers; remark and status as texts. */
STEEP_API steep_status steep_session_law(steep_session *session, size_t count, const double *params, const double *data,
                                         const double *loss, steep_error *error);

#ifdef __cplusplus
}
#endif
