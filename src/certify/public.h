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

/* What to enclose, in the order of steep_certified. */
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
    double tolerance;       /* wanted: high - low <= tolerance * high; 0, the default: 1e-8 in 1D (RMSE 1e-6),
                               * 1e-3 in 2D, 1e-2 */
    double absolute; /* or high - low <= absolute, where values are about 1; of values beyond 1e-6 to 1e6: times the
                      * power of 2 that they come up to; default 1e-14 */
    size_t boxes;    /* most boxes, of each quantity; default 2 million */
    int precision;   /* bits: balls throughout; 0, the default: intervals of doubles, balls where they are wide */
    unsigned power;  /* p of the means, 1 to 16; default 2 */
    const double *second;     /* a_ij of A e = sum_{i >= j} a_ij d_i d_j e: lower triangle by rows; NULL: the Laplacian,
                               * of which |A e| is the residual of -Laplace y = g where the target solves that */
    const double *low, *high; /* the box; NULL: the target's */
    steep_monitor monitor;    /* called every thousand boxes: stage "sup", "gradient" and so on, iteration:
                             * boxes so far, rmse: the bound from below, step: relative width so far */
} steep_certify_options;

STEEP_API steep_certify_options steep_certify_options_default(void);

/* One enclosed number. */
typedef struct steep_certificate {
    steep_interval bound;         /* it lies in here, whatever the status */
    double at[STEEP_ENCLOSE_DIM]; /* suprema: where the lower end is reached, a point or beside it */
    size_t boxes, pieces;         /* boxes seen; pieces of boxes on one side of each kink */
    steep_status status;          /* CONVERGED: narrow as asked; FLOOR: rounding or kinks that no box can part forbid
                                   * it; MAX_ITERATIONS: too many boxes; STOPPED: by the monitor */
} steep_certificate;

typedef struct steep_certified {
    steep_certificate sup, gradient, rmse;          /* E0, E1, the root of the mean of e^2 */
    steep_certificate hessian, second;              /* E2 = ess sup of the Hessian's norm (Frobenius'), ess sup |A e| */
    steep_certificate power, sobolev, second_power; /* the p-th roots of the means of |e|^p, of the sum of the p-th
                                                     * powers of e and its first and second derivatives d_i d_j, i >= j,
                                                     * and of |A e|^p */
    steep_interval w, w2;                           /* E0 + E1, E0 + E1 + E2 */
    double rounding; /* |fl(y) - y| is at most this on the box: e in double lies within E0 + rounding */
} steep_certified;

/* Encloses norms of e = y - f over the box by branch and bound; what is not asked for is 0 .. INFINITY. Either network
 * or target may be NULL (then low and high are needed). In any dimension to STEEP_ENCLOSE_DIM, in practice 3. Second
 * derivatives are those of the smooth pieces: what a kink adds on its own plane is no function and not counted. Returns
 * the worst status of what was asked. Methods: certify/supremum.c, certify/mean.c. */
STEEP_API steep_status steep_certify(const steep_network *network, const double *theta, const steep_target *target,
                                     const steep_certify_options *options, steep_certified *certified,
                                     steep_error *error);

/* The same of a session's network, on its box, with the defaults: target is a name or a formula of its dimension. Then
 * the session has the numbers certified_rmse_low, certified_rmse_high, certified_sup_..., certified_gradient_...,
 * certified_w1inf_... and certified_rounding. STEEP_BAD_INPUT: no network, one of standardized points, another
 * dimension. */
STEEP_API steep_status steep_session_certify(steep_session *session, const char *target, steep_error *error);

/* Targets of the catalogue that separate two classes. what: which. */
typedef struct steep_witness {
    const char *name;
    bool has_lambda; /* the target's parameter */
    const char *what;
} steep_witness;

/* A witness by name, with this lambda where it has one; or any other target, by name or formula. *row: the table's,
 * NULL for any other. */
STEEP_API steep_status steep_witness_open(const char *text, double lambda, const steep_witness **row,
                                          steep_target **witness, steep_error *error);

/* A class of networks without output bias: a row of the table of architectures with its choice; an activation (relu:
 * mlp with it); a pair of them (relu*tanh: h = relu(z1) tanh(z2)); or a unit by formula. */
typedef struct steep_class {
    char *name;
    const steep_architecture *architecture;
    steep_choice choice;
    struct steep_written *written; /* of a pair or formula; NULL: none */
} steep_class;

/* dictionary, gate: as for --arch, NULL: the row's own. STEEP_BAD_INPUT names what is not known. The caller frees. */
STEEP_API steep_status steep_class_open(const char *text, const char *dictionary, const char *gate, steep_class *opened,
                                        steep_error *error);
STEEP_API void steep_class_free(steep_class *opened);

/* A lower bound of W = E0 + E1 over the class at this width, and who proved it. */
typedef struct steep_bound {
    double value;       /* NaN: none is known */
    double sharp;       /* the greatest lower bound where it is known, else NaN */
    const char *source; /* "" for none */
} steep_bound;

typedef struct steep_separate_options {
    size_t restarts;        /* random starts, each followed by two chains, in lines by one; 20 */
    steep_vector_norm norm; /* of gradients; Euclidean */
    uint64_t seed;
    const double *narrower; /* parameters of a network of width - 1 to begin from, too: the end is never worse. NULL */
    double lambda;          /* of the witness; 1 */
    steep_monitor monitor;  /* stage "squares" or "programs"; rmse: W */
} steep_separate_options;
STEEP_API steep_separate_options steep_separate_options_default(void);

typedef struct steep_separation {
    steep_status status; /* CONVERGED: a corner of the rows, or no linear program promises more; STALLED,
                          * MAX_ITERATIONS, STOPPED */
    double *theta;       /* owned; its output bias is 0 */
    double E0, E1, W;
    bool is_exact; /* E0 and E1 are the maxima but for rounding: piecewise linear in 1D, a witness whose kinks are all
                    * known, and that turns no more often than certify/search.h says; else maxima over points */
    size_t starts; /* that ended usable; not counted: those that begin at the best end so far, moved */
    size_t hits;   /* kinds of start of which one ended within 1e-4 of the best: constructions, the narrower
                          * network, random ones, fitted ones, chosen ones. 1: one kind alone found it; 0: only
                          * moves did */
    double seconds;
} steep_separation;

/* From constructions that are known for the witness, the narrower network with one more unit, random starts, the best
 * of 24 by their linear parameters, and for each restart chains of fits by least squares; each goes down by linear
 * programs over points that grow where a finer grid shows more (Madsen 1975), piecewise linear classes in one dimension
 * (relu, leaky_relu, the unit max(z1,c*z1) by formula) by their exact norms. In the end, but for these, by exchange:
 * points where a certificate finds the norms join, and E0 and E1 are no less than what it saw.
 * docs/explanation/norms.md. row: the witness's, NULL for a formula.
 *
 * STEEP_BAD_INPUT: dimensions differ or are more than three, a unit with a norm; STEEP_NO_MEMORY; STEEP_NOT_FINITE
 * where no start has finite norms. Fills *separation on every return; free it. */
STEEP_API steep_status steep_separate(const steep_witness *row, const steep_target *witness,
                                      const steep_network *network, const steep_separate_options *options,
                                      steep_separation *separation, steep_error *error);
STEEP_API void steep_separation_free(steep_separation *separation);
