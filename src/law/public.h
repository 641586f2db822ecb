/* SPDX-License-Identifier: GPL-3.0-or-later */
/* law: the loss of networks with P parameters, trained on N data (tokens), as a function of P and N, with intervals. */
#pragma once

#include "steep/session.h"
#include "steep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All forms have the limits E + A P^-a as N grows, and E + B N^-b as P grows (product: E + B P^c N^-b). */
typedef enum steep_law_form {
    STEEP_LAW_FORM_AUTO,     /* the average of all forms, weighted by their posterior probabilities */
    STEEP_LAW_FORM_HOFFMANN, /* E + A P^-a + B N^-b (Hoffmann and others, 2022, arXiv 2203.15556) */
    STEEP_LAW_FORM_KAPLAN,   /* E + ((A P^-a)^(1/b) + (B N^-b)^(1/b))^b (Kaplan and others, 2020, arXiv 2001.08361) */
    STEEP_LAW_FORM_PRODUCT   /* E + A P^-a + B P^c N^-b; least squares have c = b = 1 */
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

/* The median of a number and the ends of its interval; all three are NaN where the number is unknown. */
typedef struct steep_law_interval {
    double value, low, high;
} steep_law_interval;

/* count networks, each of params[i] parameters and trained on data[i] samples or tokens. */
typedef struct steep_law_points {
    size_t count;
    const double *params, *data, *loss; /* each > 0 */
    double *fitted, *deviation;         /* out, or NULL: the loss by the likeliest law; log(loss/fitted) over its robust
                                           standard deviation (beyond STEEP_LAW_APART in size the point stands apart) */
} steep_law_points;
#define STEEP_LAW_APART 5

/* All 0: the defaults. */
typedef struct steep_law_options {
    steep_law_form form;
    bool normal;    /* noise of the log loss is normal (false: Student's t with heavy to normal tails) */
    double level;   /* confidence of the intervals (0: 0.95) */
    unsigned fixed; /* bit k: parameter k is not fitted; its value is fixed_value[k] */
    double fixed_value[STEEP_LAW_PARAMETERS];
    /* Compute C = compute_factor P^compute_params N^compute_data (compute_factor 0: C = 6 P N). */
    double compute_factor, compute_params, compute_data;
    double predict_params, predict_data; /* sizes at which the loss is predicted; both 0: none */
} steep_law_options;

/* The sizes with the least loss among all sizes of the same compute. */
typedef struct steep_law_best {
    double compute;
    steep_law_interval params, data, loss;
} steep_law_best;
#define STEEP_LAW_BEST    16
#define STEEP_LAW_LARGEST 11 /* index in best of the largest compute measured */

typedef struct steep_law {
    steep_status status;                                /* 0, or < 0 */
    steep_law_interval parameter[STEEP_LAW_PARAMETERS]; /* E is between 0 and the largest loss; c: product only */
    double weight[STEEP_LAW_FORMS];                     /* posterior probability of each form, sum 1 */
    steep_law_form likeliest;                           /* form of the likeliest law, whose parameters are likely */
    double likely[STEEP_LAW_PARAMETERS];
    /* Best sizes: P* ~ C^params_exponent, N* ~ C^data_exponent. best[0] is at the smallest compute measured, best[11]
     * at the largest, best[15] at ten times the largest; the computes between them are in equal ratios. Where the loss
     * has no least, P* is infinite, N* is 0, and the exponents are infinite. */
    steep_law_interval params_exponent, data_exponent;
    steep_law_best best[STEEP_LAW_BEST];
    steep_law_interval prediction, one_run; /* loss at the requested sizes: by the law; of one more run, with noise */
    /* A test of the law without the largest computes: how many points are held out, rms of log(loss/predicted), and the
     * factor >= 1 that widens the log intervals of prediction, one_run and best[12..15].loss; NaN: too few points. */
    size_t held_out;
    double held_out_error, wider;
    double scatter;   /* scale s of the noise of a log loss, at the mean log loss: median */
    double falls;     /* scatter at the largest loss over scatter at the smallest: median */
    double shared;    /* probability that the points of one budget have an error in common */
    double tails;     /* probability of tails heavier than a normal distribution's */
    size_t budgets;   /* computes that several points share; 0: none found */
    size_t apart;     /* points that stand apart; noise with heavy tails gives them less weight */
    double condition; /* condition number of the columns of E, A, B at the likeliest law */
    bool no_gain[2];  /* [0]: it is not certain that the loss falls with P; [1]: with N */
    bool turns[2];    /* the loss falls, then rises, [0]: with P at equal N, [1]: with N at equal P: no power law */
    bool one_line;    /* log P and log N of the points lie on one line: the two terms cannot be told apart */
} steep_law;

/* Measures the law that the points follow. The noise of the log loss may have heavy tails, depend on the loss, and have
 * a part that the points of one budget share; results are averaged over all these noises. The constants E, A, B are
 * solved for at each pair of exponents, and the exponents are integrated over by quadrature, so that there is no start
 * to choose. Deterministic. About 0.3 s for 250 points. Returns law->status: STEEP_BAD_INPUT where a number is not
 * finite and positive, a loss is not between 1e-100 and 1e100, a size is the same for all points, all losses are equal,
 * there are fewer points than free parameters and two, or an option is out of range; STEEP_SINGULAR where no law fits;
 * STEEP_NO_MEMORY. Method: law/joint.h. */
STEEP_API steep_status steep_law_measure(const steep_law_points *points, const steep_law_options *options,
                                         steep_law *law, steep_error *error);

/* steep_law_measure for count networks with params[i] parameters, trained on data[i] samples or tokens. The session's
 * options are those of the command steep law: form, fix, compute, predict (sizes are named params, data), noise, level.
 * The session then holds the results: E, A, a, B, b, c, params_exponent, data_exponent, prediction, one_run, each also
 * with _low and _high; the weights hoffmann, kaplan, product; scatter, falls, shared, held_out, wider, condition,
 * apart, budgets as numbers; remark and status as texts. */
STEEP_API steep_status steep_session_law(steep_session *session, size_t count, const double *params, const double *data,
                                         const double *loss, steep_error *error);

#ifdef __cplusplus
}
#endif
