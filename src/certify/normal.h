/* SPDX-License-Identifier: GPL-3.0-or-later */
/* normal: formulas as polynomials with rational coefficients in their variables and in atoms. An atom is an operation
 * that is no polynomial (sin, a quotient, max .., a product too large to be written out) of arguments that are such
 * polynomials; two of the same operation and arguments are one atom. So + and * count in any order and grouping, and
 * products and whole powers written out. Every rule is an equality of real functions wherever both sides are defined:
 * equal polynomials are a proof, different ones say nothing. Polynomials are FLINT's. */
#pragma once

#include <flint/fmpq_mpoly.h>

#include "certify/enclosed.h"

typedef struct steep_normal_form {
    size_t dim, count, room;  /* of variables; of atoms: atom k is variable dim + k; most of them */
    fmpq_mpoly_ctx_t context; /* of all its polynomials */
    struct steep_atom *atom;
    size_t polynomials; /* for who opened it: 0 at first */
    fmpq_mpoly_struct *polynomial;
    fmpq_t number; /* likewise */
} steep_normal_form;

/* For formulas of dim variables and so many atoms, with so many polynomials. False: no memory; close it all the same. */
bool steep_normal_open(steep_normal_form *t, size_t dim, size_t room, size_t polynomials);
void steep_normal_close(steep_normal_form *t);
void steep_normal_forget(steep_normal_form *t); /* all atoms */

/* to = the formula of these inputs, NULL: of the variables themselves. argument (NULL: not wanted): those of its kinks,
 * of min and max the first less the second. False: the atoms are used up, or no memory. */
bool steep_normal_run(steep_normal_form *t, const steep_enclosed *f, const fmpq_mpoly_struct *input,
                      fmpq_mpoly_struct *argument, fmpq_mpoly_struct *to);

/* Whether p is defined only where all formulas so far are: every atom that is not finite for all real arguments occurs
 * in it, or in an atom that does. */
bool steep_normal_keeps(const steep_normal_form *t, const fmpq_mpoly_struct *p);
