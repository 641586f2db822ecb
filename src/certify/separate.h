/* SPDX-License-Identifier: GPL-3.0-or-later */
/* separate: the best W^{1,inf} approximation of a witness by the networks of a class, as far as a search finds it:
 *
 *   W = E0 + E1,   E0 = sup |T - f|,   E1 = ess sup |grad (T - f)|,   f(x) = sum_{i<m} D_i h_i(x)
 *
 * over the witness's box. An upper bound of the least W: what no network of the class gets below is another question
 * (separate/witness.h has what is proved). */
#ifndef STEEP_CERTIFY_SEPARATE_H
#define STEEP_CERTIFY_SEPARATE_H

#include <stdint.h>

#include "certify/norms.h"
#include "certify/witness.h"

typedef struct steep_separate_options {
    size_t restarts;        /* random starts; 20 */
    steep_vector_norm norm; /* of gradients; Euclidean */
    uint64_t seed;
    const double *narrower; /* parameters of a network of width - 1 to begin from, too: the end is never worse. NULL */
    double lambda;          /* of the witness; 1 */
    steep_monitor monitor;  /* stage "powers" or "programs"; rmse: W */
} steep_separate_options;
steep_separate_options steep_separate_options_default(void);

typedef struct steep_separation {
    steep_status status; /* CONVERGED: a corner of the rows, or no linear program promises more; STALLED,
                          * MAX_ITERATIONS, STOPPED */
    double *theta;       /* owned; its output bias is 0 */
    double E0, E1, W;
    bool is_exact; /* E0 and E1 are the maxima but for rounding: piecewise linear in 1D, a witness whose kinks are all
                    * known, and that turns no more often than separate/lines.h says; else maxima over points */
    size_t starts; /* that ended usable; not counted: those that begin at the best end so far, moved */
    size_t hits;   /* kinds of start of which one ended within 1e-4 of the best: constructions, the narrower
                          * network, random ones, fitted ones, chosen ones. 1: one kind alone found it; 0: only moves did */
    double seconds;
} steep_separation;

/* Piecewise linear classes in one dimension (relu, leaky_relu, the unit max(z1,c*z1) by formula): linear programs in the
 * jumps and the kinks, from random kinks and sides, and from the narrower network with one more. All others:
 * constructions that are known for the witness, the narrower network with one more unit, and random starts, one in four
 * by least squares first, for products two in four the best of some whose units share a kink of the witness; for two
 * restarts one start more, the best of 100 random networks of one steepness; each by p-norms, then by linear programs
 * over points that grow where a finer grid shows more (Madsen 1975). In the end by exchange: points where a certificate
 * finds the norms join, and E0 and E1 are no less than what it saw. row: the witness's, NULL for a formula.
 *
 * STEEP_BAD_INPUT: dimensions differ or are more than three, a unit with a norm; STEEP_NO_MEMORY; STEEP_NOT_FINITE
 * where no start has finite norms. Fills *separation on every return; free it. */
steep_status steep_separate(const steep_witness *row, const steep_target *witness, const steep_network *network,
                            const steep_separate_options *options, steep_separation *separation, steep_error *error);
void steep_separation_free(steep_separation *separation);

#endif
