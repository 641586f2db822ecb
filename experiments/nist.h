/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nist: a problem of NIST's StRD collection for nonlinear regression: its model, its observations, what is certified.
 */
#ifndef STEEP_EXPERIMENTS_NIST_H
#define STEEP_EXPERIMENTS_NIST_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { NIST_PROBLEMS = 27, NIST_PARAMETERS = 9, NIST_PREDICTORS = 2 }; /* all of them; at most */

typedef double complex nist_number;

typedef struct nist_model {
    const char *name;
    size_t parameters, predictors;
    bool log_response; /* the model is of log y */
    nist_number (*formula)(const nist_number *b, const double *x);
} nist_model;

extern const nist_model nist_models[NIST_PROBLEMS];

/* f(x; b) at count points x (row-major, predictors each), and where J is not NULL its derivatives (column-major, count
 * x parameters). */
void nist_evaluate(const nist_model *model, const double *b, size_t count, const double *x, double *f, double *J);

typedef struct nist_study {
    const nist_model *model;
    char difficulty[16];
    size_t count;  /* observations */
    double *x, *y; /* count x predictors row-major, count; y as the model takes it */
    double start[2][NIST_PARAMETERS], certified[NIST_PARAMETERS], rss;
    size_t evaluations; /* of the solver at work, for who runs it */
} nist_study;

/* Reads NAME.dat, NIST's own file, from the folder. A file that is not as NIST has it is STEEP_BAD_INPUT, with what is
 * missing and where. */
steep_status nist_study_open(const char *folder, const nist_model *model, nist_study *study, steep_error *error);
void nist_study_close(nist_study *study);

#endif
