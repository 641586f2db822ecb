/* SPDX-License-Identifier: GPL-3.0-or-later */
/* proof: a statement of a paper, what is true of it, and the function that checks it.
 *
 * A checking function says each thing that must hold by one of the functions below, and prints figures. Under strain
 * every bound and every value is moved by that part of itself against the statement: a check that still holds is no
 * test of the constant, and "prove --strain 1e-6" wants each statement to fail. */
#ifndef STEEP_PROOFS_PROOF_H
#define STEEP_PROOFS_PROOF_H

#include <stdbool.h>
#include <stdio.h>

#include "base/random.h"
#include "exact.h"
#include "certify/norms.h"
#include "certify/ball.h"

typedef struct proof proof;

/* How the answer is known. PROVED: a machine-checked proof in proofs/coq, or exact fractions; CERTIFIED: enclosures,
 * all rounding accounted for; MEASURED: doubles; REFUTED: false as printed, by an exact or enclosed counterexample. */
typedef enum verdict { PROVED, CERTIFIED, MEASURED, REFUTED } verdict;

typedef struct claim {
    const char *name, *paper, *place;
    verdict verdict;
    const char *judgement; /* of the printed text: right, tight, not tight, misprinted, refuted, ... */
    const char *statement; /* as printed, in a line */
    const char *correct;   /* what is true: corrected, sharp; "" where the statement stands as it is */
    const char *coq;       /* theorems of proofs/coq, separated by blanks; "" */
    void (*check)(proof *);
    const char *scope; /* for what of the statement the verdict holds; NULL: all of it */
} claim;

extern const claim claims[];
extern const size_t claim_count;

struct proof {
    const claim *claim;
    exact_pool *pool;
    steep_random random;
    double strain;
    bool slow;    /* the long form */
    size_t times; /* as many random cases as usual, so many times */
    FILE *out;
    size_t held, failed;
    size_t exact, certified, measured; /* checks of each kind */
};

/* A line of figures under the statement. */
void figure(proof *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* In doubles; tolerance: what rounding, or the order of a difference, may make. */
bool at_least(proof *p, const char *what, double value, double bound, double tolerance);
bool at_most(proof *p, const char *what, double value, double bound, double tolerance);
bool equals(proof *p, const char *what, double value, double expected, double tolerance);

/* In fractions. */
bool exact_at_least(proof *p, const char *what, exact value, exact bound);
bool exact_at_most(proof *p, const char *what, exact value, exact bound);
bool exact_equals(proof *p, const char *what, exact value, exact expected);

/* For certain: the whole interval is; that the number lies in the interval, which is narrow: its width at most
 * tolerance. */
bool surely_at_least(proof *p, const char *what, steep_interval value, double bound);
bool surely_at_most(proof *p, const char *what, steep_interval value, double bound);
bool encloses(proof *p, const char *what, steep_interval value, steep_interval expected, double tolerance);

/* Something that must hold and has no number; a checker that must refuse what is wrong. exactly: decided in integers
 * or fractions. */
bool holds(proof *p, const char *what, bool it_does, bool exactly);

/* Norms of e = -formula over the box [-1, 1]^dim, or the whole target's, enclosed to the relative tolerance;
 * STEEP_CERTIFY_SECOND: of d1 d2 e. */
typedef struct enclosed_norms {
    steep_certified norms;
    bool fine;
} enclosed_norms;
enclosed_norms enclose(proof *p, const char *formula, double half_side, unsigned what, double tolerance);

/* Balls: f(x) in doubles around it, for f of certify/ball.h. */
steep_interval ball_of(void (*f)(steep_ball *, const steep_ball *, int), double x);

/* Random numbers. */
double between(proof *p, double low, double high);
size_t below(proof *p, size_t n); /* 0 .. n-1 */
size_t cases(const proof *p, size_t usual);

#endif
