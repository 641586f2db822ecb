/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclose_parts: the parts of an enclosure. */
#pragma once

#include <flint/fmpq_mpoly.h>

#include "certify/enclose.h"
#include "certify/enclosed.h"

/* A kink of a program: its class, and the side of the plane on which the kink's argument is positive. Class -1: the
 * argument is a constant, and orientation is its sign. */
typedef struct steep_kink {
    int class;
    signed char orientation;
} steep_kink;

struct steep_enclosure {
    size_t dim, units;                     /* units: of all layers */
    int exponent;                          /* boxes give enclosures of 2^-exponent e */
    steep_network network;                 /* layout only, of the last layer, */
    steep_network layer[STEEP_MAX_LAYERS]; /* and of each */
    double *theta;                         /* NULL: there is no network */
    steep_enclosed target, unit, moment[STEEP_MAX_MOMENTS];
    size_t moments, count[5]; /* formulas of moments; inputs of the unit's formula, by kind */
    /* Order of kinks: the target's; then layer by layer, the moments' (for each moment, unit by unit), the units' */
    size_t kinks, classes, planes;
    steep_kink *kink;
    void *memory;                   /* block of the arrays kink to plane */
    signed char *side, *met, *own;  /* side, met: of each kink, for one evaluation; own: of each class, by the box */
    fmpq_poly_struct *exact;        /* each plane as the monic polynomial w_1 t^d + .. + w_d t + b */
    steep_interval *plane;          /* each plane as dim + 1 intervals around w_1 .. w_d, b */
    size_t widest, height, numbers; /* units of the widest layer below the last; a program's stack; interval's size */
    steep_interval *interval;       /* workspace of one evaluation, jets of order 2: lower orders use
                                     * their front; the result stands first */
    steep_ball *ball;               /* the same in balls, made when first needed */
};

/* Input k of the unit's formula for unit i of a layer: a map of the layer's inputs, with coefficients c; a scalar c[0];
 * or, with c NULL, a moment. */
typedef struct steep_enclose_input {
    bool is_map;
    steep_map map;
    const double *c;
} steep_enclose_input;
steep_enclose_input steep_enclosure_input(const steep_enclosure *e, const steep_network *layer, size_t i, size_t k);

/* Encloses the error on the box; the result stands at the front of e->interval or e->ball. */
void steep_enclose_intervals(steep_enclosure *e, const steep_interval *box, const steep_enclosing *how);
void steep_enclose_balls(steep_enclosure *e, const steep_interval *box, const steep_enclosing *how);

/* normal: formulas as polynomials with rational coefficients in their variables and in atoms. An atom is an operation
 * that is no polynomial (sin, a quotient, max .., a product too large to expand), applied to such polynomials. Equal
 * operations on equal arguments are one atom. So the order and grouping of + and * do not matter, and products and
 * integer powers are expanded. Every rule is an equality of real functions wherever both sides are defined: equal
 * polynomials prove that formulas are equal, different ones prove nothing. Polynomials are FLINT's. */

typedef struct steep_normal_form {
    size_t dim, count, room;  /* variables; atoms so far, atom k is variable dim + k; most atoms */
    fmpq_mpoly_ctx_t context; /* of all its polynomials */
    struct steep_atom *atom;
    size_t polynomials; /* polynomials and a number for the caller's use, 0 at first */
    fmpq_mpoly_struct *polynomial;
    fmpq_t number;
} steep_normal_form;

/* For formulas in dim variables with at most room atoms. False: no memory; steep_normal_close is needed even then. */
bool steep_normal_open(steep_normal_form *t, size_t dim, size_t room, size_t polynomials);
void steep_normal_close(steep_normal_form *t);
void steep_normal_forget(steep_normal_form *t); /* drops all atoms */

/* to = the formula of these inputs, NULL: of the variables. argument (NULL: not requested): the arguments of its kinks;
 * for min and max, the first operand less the second. False: the atoms are used up, or no memory. */
bool steep_normal_run(steep_normal_form *t, const steep_enclosed *f, const fmpq_mpoly_struct *input,
                      fmpq_mpoly_struct *argument, fmpq_mpoly_struct *to);

/* Whether p is defined only where all formulas so far are defined: every atom that is not finite for all real arguments
 * occurs in p, or in an argument of an atom that occurs in p. */
bool steep_normal_keeps(const steep_normal_form *t, const fmpq_mpoly_struct *p);
