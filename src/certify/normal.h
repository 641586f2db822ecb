/* SPDX-License-Identifier: GPL-3.0-or-later */
/* normal: formulas as polynomials with rational coefficients in their variables and in atoms. An atom is an operation
 * that is no polynomial (sin, a quotient, max ..) of arguments that are such polynomials; two of the same operation and
 * arguments are one atom. So + and * count in any order and grouping, and products and whole powers written out. Every
 * rule is an equality of real functions wherever both sides are defined: equal polynomials are a proof, different ones
 * say nothing. */
#pragma once

#include "certify/polynomial.h"

struct steep_instruction; /* formula/program.h */

typedef struct steep_normal_form steep_normal_form;

/* For formulas of dim variables with so many atoms at most. NULL: no memory. */
steep_normal_form *steep_normal_open(size_t dim, size_t atoms);
void steep_normal_close(steep_normal_form *t);
size_t steep_normal_variables(const steep_normal_form *t); /* of its polynomials: dim, then the atoms */

/* A program, and what its numbers are: number(t, index, value, context, to) sets `to` to the NUMBER with
 * this index and value, false where it cannot. */
typedef struct steep_normal_program {
    const struct steep_instruction *instruction;
    size_t length, height, places;
    bool (*number)(steep_normal_form *t, int index, long double value, const void *context, steep_polynomial *to);
    const void *context;
} steep_normal_program;

/* to = the program of these inputs, NULL: of the variables themselves. False: too large, or no memory. */
bool steep_normal_run(steep_normal_form *t, const steep_normal_program *p, steep_polynomial *const *input,
                      steep_polynomial *to);
bool steep_normal_multiply(steep_polynomial *to, const steep_polynomial *p); /* to *= p; false: too large */
/* to = the atom that stands for this number, which is known by its address alone, and whether it can be 0. */
bool steep_normal_constant(steep_normal_form *t, const void *number, bool never_0, steep_polynomial *to);

/* Whether p is defined only where all formulas so far are: every atom that is not finite for all real arguments occurs
 * in it, or in an atom that does. */
bool steep_normal_keeps(const steep_normal_form *t, const steep_polynomial *p);
