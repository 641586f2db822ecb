/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quick: variable projection by normal equations, for the searches of small networks (fit/quick.c). */
#pragma once

#include "fit/rows.h"
#include "numerics/gram.h"

typedef struct steep_quick {
    const steep_problem *problem;
    steep_rows rows;
    size_t *index; /* of parameters: those that are solved for, then those that move */
    size_t lines, all;
    double *J, *A, *r, *theta, *step, *right, *damping, *peak;
    steep_gram few, whole; /* of those that are solved for, of all */
    size_t iterations, evaluations;
    void *block;
} steep_quick;

/* For a problem and a penalty that stay. To be closed whatever comes back. Memory 8 N (2 P + 1) bytes. */
steep_status steep_quick_open(const steep_problem *problem, double penalty, steep_quick *quick, steep_error *error);
void steep_quick_close(steep_quick *quick);

/* The linear parameters of theta become the best for the others; *rmse (with a penalty the root of its F) is the error
 * then, NaN where it is not finite. */
steep_status steep_quick_lines(steep_quick *quick, double *theta, double *rmse);

/* Levenberg-Marquardt on the others: so many trials, from theta to theta. */
steep_status steep_quick_train(steep_quick *quick, size_t iterations, double *theta, double *rmse);
