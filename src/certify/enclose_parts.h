/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclose_parts: what an enclosure is made of. */
#pragma once

#include <flint/fmpq_mpoly.h>

#include "certify/enclose.h"
#include "certify/enclosed.h"

/* Where a kink of a program belongs: its class, -1 for none, and on which side of the plane its argument is positive;
 * with no class, the side that its constant argument has. */
typedef struct steep_kink {
    int class;
    signed char orientation;
} steep_kink;

struct steep_enclosure {
    size_t dim, units;                     /* of all layers */
    int exponent;                          /* of what boxes are divided by, a power of 2 */
    steep_network network;                 /* layout only, of the last layer, */
    steep_network layer[STEEP_MAX_LAYERS]; /* and of each */
    double *theta;                         /* NULL: there is no network */
    steep_enclosed target, unit, moment[STEEP_MAX_MOMENTS];
    size_t moments, count[5]; /* inputs of the unit's formula, by kind */
    /* kinks: of the target; then of each layer, moment by moment those of all its units, and those of its units */
    size_t kinks, classes, planes;
    steep_kink *kink;
    void *memory;                   /* of kink to plane */
    signed char *side, *met, *own;  /* of each kink, for one evaluation; of each class, by its box */
    fmpq_poly_struct *exact;        /* w_1 t^d + .. + w_d t + b of each plane, monic */
    steep_interval *plane;          /* the same: dim + 1 numbers of each */
    size_t widest, height, numbers; /* of the layers below the last; of a program's stack */
    steep_interval *interval;       /* numbers for one evaluation: jets of order 2, of which lower
                                                      orders use the front; its result stands there */
    steep_ball *ball;               /* the same, made when first needed */
};

/* Input k of the unit's formula, for unit i of a layer: a map of what stands below, with its coefficients; a number;
 * or, with c NULL, a moment. */
typedef struct steep_enclose_input {
    bool is_map;
    steep_map map;
    const double *c;
} steep_enclose_input;
steep_enclose_input steep_enclosure_input(const steep_enclosure *e, const steep_network *layer, size_t i, size_t k);

/* e's enclosure, to the front of e->interval or e->ball. */
void steep_enclose_intervals(steep_enclosure *e, const steep_interval *box, const steep_enclosing *how);
void steep_enclose_balls(steep_enclosure *e, const steep_interval *box, const steep_enclosing *how);

/* normal: formulas as polynomials with rational coefficients in their variables and in atoms. An atom is an operation
 * that is no polynomial (sin, a quotient, max .., a product too large to be written out) of arguments that are such
 * polynomials; two of the same operation and arguments are one atom. So + and * count in any order and grouping, and
 * products and whole powers written out. Every rule is an equality of real functions wherever both sides are defined:
 * equal polynomials are a proof, different ones say nothing. Polynomials are FLINT's. */

typedef struct steep_normal_form {
    size_t dim, count, room;  /* of variables; of atoms: atom k is variable dim + k; most of them */
    fmpq_mpoly_ctx_t context; /* of all its polynomials */
    struct steep_atom *atom;
    size_t polynomials; /* for who opened it: 0 at first */
    fmpq_mpoly_struct *polynomial;
    fmpq_t number; /* likewise */
} steep_normal_form;

/* For formulas of dim variables and so many atoms, with so many polynomials. False: no memory; close it all the
 * same. */
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
