/* SPDX-License-Identifier: GPL-3.0-or-later */
/* same: are two expressions in x in R^d the same function, by rewriting alone? Expressions go into one table, where
 * equal ones have one number: equal numbers are a proof, different ones say nothing. */
#ifndef STEEP_CERTIFY_SAME_H
#define STEEP_CERTIFY_SAME_H

#include "certify/enclosed.h"

typedef struct steep_same steep_same;

/* NULL: no memory. */
steep_same *steep_same_open(size_t d);
void steep_same_close(steep_same *t);

/* No memory, or more than 2000 expressions: from then on every number is 0 and proves nothing. */
bool steep_same_failed(const steep_same *t);

/* w_1 x_1 + .. + w_d x_d + w_{d+1}, and a number: what the doubles are. */
int steep_same_affine(steep_same *t, const double *w);
int steep_same_number(steep_same *t, double value);

int steep_same_sum(steep_same *t, int a, int b);
int steep_same_product(steep_same *t, int a, int b);

/* A program, which must outlive the table, with expressions as inputs. */
int steep_same_run(steep_same *t, const steep_enclosed *program, const int *input);

#endif
