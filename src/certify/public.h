/* SPDX-License-Identifier: GPL-3.0-or-later */
/* certify: norms of network minus target enclosed with all rounding accounted for, and separations of classes in
 * W^{1,inf}. */
#pragma once

#include "steep/fit.h"
#include "steep/session.h"

/* {x: low <= x <= high}; -INFINITY .. INFINITY says nothing. A point is low = high. */
typedef struct steep_interval {
    double low, high;
} steep_interval;

#define STEEP_ENCLOSE_DIM 8 /* most dimensions */

/* The norm of a gradient: Euclidean, or the largest entry in size. */
typedef enum steep_vector_norm { STEEP_NORM_EUCLIDEAN, STEEP_NORM_MAXIMUM } steep_vector_norm;

/* The quantities to enclose, in the order of steep_certified. */
enum {
    STEEP_CERTIFY_SUP = 1,
    STEEP_CERTIFY_GRADIENT = 2,
    STEEP_CERTIFY_RMSE = 4,
    STEEP_CERTIFY_HESSIAN = 8,
    STEEP_CERTIFY_SECOND = 16,
    STEEP_CERTIFY_POWER = 32,
    STEEP_CERTIFY_SOBOLEV = 64,
    STEEP_CERTIFY_SECOND_POWER = 128
};
enum { STEEP_CERTIFY_QUANTITIES = 8, STEEP_CERTIFY_MOST_POWER = 16 };

typedef struct steep_certify_options {
    unsigned what;          /* sum of the above; default SUP + GRADIENT + RMSE */
    steep_vector_norm norm; /* default Euclidean */
    double tolerance; /* requested: high - low <= tolerance * high; 0, the default: 1e-8 in 1D (means 1e-6), 1e-3 in
                       * 2D, else 1e-2; with second derivatives 1e-4 in 1D, else 1e-2 */
    double absolute;  /* or high - low <= absolute; where values are beyond 1e-6 to 1e6 in size, absolute is multiplied
                      * by the power of 2 next to their size; default 1e-14 */
    size_t boxes;     /* most boxes for each quantity; default 2 million */
    int precision;  /* bits of balls; 0, the default: intervals of doubles, and balls at points where these are wide */
    unsigned power; /* p of the means, 1 to 16; default 2 */
    const double *second;     /* a_ij of A e = sum_{i >= j} a_ij d_i d_j e, lower triangle by rows; NULL: the Laplacian.
                               * Where the target solves -Laplace u = g, |A e| is then the residual of the network */
    const double *low, *high; /* the box; NULL: the target's */
    steep_monitor monitor;    /* called every thousand boxes: stage "sup", "gradient" and so on, iteration: boxes,
                               * rmse: lower bound, gradient_norm: upper bound, step: relative width so far */
} steep_certify_options;

STEEP_API steep_certify_options steep_certify_options_default(void);

/* One enclosed number. */
typedef struct steep_certificate {
    steep_interval bound;         /* contains the number, whatever the status */
    double at[STEEP_ENCLOSE_DIM]; /* of a supremum: the point at or next to which the lower end is reached */
    size_t boxes, pieces;         /* number of boxes; of pieces of boxes, each on one side of every kink */
    steep_status status;          /* CONVERGED: narrow as requested; FLOOR: rounding or kinks that boxes cannot separate
                                   * prevent it; MAX_ITERATIONS: too many boxes; STOPPED: by the monitor */
} steep_certificate;

typedef struct steep_certified {
    steep_certificate sup, gradient, rmse;          /* E0 (where sign jumps: its limits), E1, root of the mean of e^2 */
    steep_certificate hessian, second;              /* E2 = ess sup of the Hessian's (Frobenius) norm; ess sup |A e| */
    steep_certificate power, sobolev, second_power; /* the p-th roots of the means of |e|^p; of |e|^p + sum_i |d_i e|^p
                                                     * + sum_{i >= j} |d_i d_j e|^p; of |A e|^p */
    steep_interval w, w2;                           /* E0 + E1, E0 + E1 + E2 */
    double rounding; /* a bound of |fl(y) - y| on the box: the error in double is at most E0 + rounding */
} steep_certified;

/* Encloses norms of e = y - f over the box by branch and bound; a quantity that is not requested is 0 .. INFINITY.
 * Either network or target may be NULL; without a target, low and high are needed. The dimension is at most
 * STEEP_ENCLOSE_DIM, in practice 3. Second derivatives are taken on the smooth pieces; the jumps of the gradient across
 * kinks do not count. Returns the worst status of the quantities. Methods: certify/supremum.c, certify/mean.c. */
STEEP_API steep_status steep_certify(const steep_network *network, const double *theta, const steep_target *target,
                                     const steep_certify_options *options, steep_certified *certified,
                                     steep_error *error);

/* Encloses norms of a session's network less a target, a name or formula of the network's dimension, on the network's
 * box with the default options. Adds to the session the numbers certified_rmse_low, certified_rmse_high,
 * certified_sup_..., certified_gradient_..., certified_w1inf_... and certified_rounding. STEEP_BAD_INPUT: there is no
 * network, it was fitted to standardized points, its file has no box, or the dimensions differ. */
STEEP_API steep_status steep_session_certify(steep_session *session, const char *target, steep_error *error);

/* A target of the catalogue that separates two classes of networks. what: names the classes. */
typedef struct steep_witness {
    const char *name;
    bool has_lambda; /* the target's parameter */
    const char *what;
} steep_witness;

/* Opens a witness by name, with this lambda if it has the parameter, or any other target by name or formula. *row: the
 * witness's row of the table, NULL for any other target. STEEP_BAD_INPUT: lambda is not in (0, 1e6]. */
STEEP_API steep_status steep_witness_open(const char *text, double lambda, const steep_witness **row,
                                          steep_target **witness, steep_error *error);

/* A class of networks without output bias: a row of the table of architectures with its choice; an activation (relu:
 * mlp with it); a pair of them (relu*tanh: h = relu(z1) tanh(z2)); or a unit by formula. */
typedef struct steep_class {
    char *name;
    const steep_architecture *architecture;
    steep_choice choice;
    struct steep_written *written; /* the unit of a pair or formula; NULL: none */
} steep_class;

/* dictionary, gate: as for --arch, NULL: the row's own. STEEP_BAD_INPUT: a name is unknown. The caller frees. */
STEEP_API steep_status steep_class_open(const char *text, const char *dictionary, const char *gate, steep_class *opened,
                                        steep_error *error);
STEEP_API void steep_class_free(steep_class *opened);

/* A proved lower bound of W = E0 + E1 over a class at one width, and its source. */
typedef struct steep_bound {
    double value;       /* NaN: none is known */
    double sharp;       /* the infimum of W where it is known, else NaN */
    const char *source; /* "" for none */
} steep_bound;

typedef struct steep_separate_options {
    size_t restarts;        /* random starts; for each two chains are run (piecewise linear in 1D: one); 20 */
    steep_vector_norm norm; /* of gradients; Euclidean */
    uint64_t seed;
    const double *narrower; /* parameters of a network of width - 1, another start: the end is no worse; NULL: none */
    double lambda;          /* parameter of the witness; 1 */
    steep_monitor monitor;  /* stage "squares" or "programs"; rmse: W */
} steep_separate_options;
STEEP_API steep_separate_options steep_separate_options_default(void);

typedef struct steep_separation {
    steep_status status; /* CONVERGED: no linear program promises a lower W, or the best is a construction known for the
                          * witness; STALLED, MAX_ITERATIONS, STOPPED */
    double *theta;       /* owned; its output bias is 0 */
    double E0, E1, W;
    bool is_exact; /* E0 and E1 are the suprema but for rounding: the class is piecewise linear in 1D, all kinks of the
                    * witness are known, and its derivative changes direction no more often than certify/search.h
                    * (steep_lines_problem) assumes; else they are lower bounds, from points and certificates */
    size_t starts; /* starts that ended with finite norms; starts from moved networks are not counted */
    size_t hits;   /* kinds of start that came within 1e-4 (relative) of the best W: constructions, narrower network,
                    * random, fitted, chosen starts. 1: one kind alone; 0: only moved networks did */
    double seconds;
} steep_separation;

/* Searches the network of least W. Starts: constructions known for the witness, the narrower network with one more
 * unit, random networks, the best of 24 by their linear parameters, and for each restart chains of least-squares fits.
 * Each start is improved by linear programs over points (Madsen 1975); points where a finer grid shows larger errors
 * join them. Piecewise linear classes in one dimension (relu, leaky_relu, the unit max(z1,c*z1) by formula) use exact
 * norms. The others end with an exchange: points where a certificate finds larger norms join; E0 and E1 are at least
 * its lower bounds, to 1e-6. See docs/explanation/norms.md. row: the witness's, NULL for any other target.
 *
 * STEEP_BAD_INPUT: dimensions differ or are more than three, a unit has a norm, or there are several layers;
 * STEEP_NO_MEMORY; STEEP_NOT_FINITE: no start has finite norms. Fills *separation on every return; the caller frees
 * it. */
STEEP_API steep_status steep_separate(const steep_witness *row, const steep_target *witness,
                                      const steep_network *network, const steep_separate_options *options,
                                      steep_separation *separation, steep_error *error);
STEEP_API void steep_separation_free(steep_separation *separation);
