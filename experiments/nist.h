/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nist: a problem of NIST's StRD collection for nonlinear regression: its model, its observations, what is certified.
 */
#ifndef STEEP_EXPERIMENTS_NIST_H
#define STEEP_EXPERIMENTS_NIST_H

#include <stdbool.h>
#include <stddef.h>

#include "formula/formula.h"

enum { NIST_PROBLEMS = 27, NIST_PARAMETERS = 9, NIST_PREDICTORS = 2, NIST_POINTS = 250 }; /* all of them; at most */

typedef struct nist_model {
    const char *name;
    size_t parameters, predictors;
    bool log_response; /* the model is of log y */
    const char *text;  /* of a unit */
} nist_model;

extern const nist_model nist_models[NIST_PROBLEMS];

typedef struct nist_study {
    const nist_model *model;
    char difficulty[16];
    size_t count; /* observations; y as the model takes it */
    double x[NIST_PREDICTORS][NIST_POINTS], y[NIST_POINTS];
    steep_formula *formula;
    double start[2][NIST_PARAMETERS], certified[NIST_PARAMETERS], rss;
    size_t evaluations; /* of the solver at work, for who runs it */
} nist_study;

/* Reads NAME.dat, NIST's own file, from the folder. A file that is not as NIST has it is STEEP_BAD_INPUT, with the
 * line. */
steep_status nist_study_open(const char *folder, const nist_model *model, nist_study *study, steep_error *error);

/* f(x; b) at the observations, and where J is not NULL its derivatives (column-major, count x parameters). */
void nist_evaluate(const nist_study *study, const double *b, double *f, double *J);

#endif
