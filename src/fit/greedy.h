/* SPDX-License-Identifier: GPL-3.0-or-later */
/* greedy: units chosen one after another, each what takes most from the error (fit/greedy_start.c). */
#pragma once

#include "base/team.h"
#include "fit/problem.h"

/* How much is looked at: `gates` units to choose from, each with `columns` unknowns of the frozen linear problem, on
 * `rows` of the training points. gates: 8 n, 600 at least, less where columns x rows x gates would be more than 2^26,
 * never less than 2 n. rows: 4 for each unknown of the n units and the bias, 2,000 at least, with exchanges 8 and
 * 1,000 d in d dimensions, no more than there are. */
typedef struct steep_greedy_size {
    size_t gates, columns, rows;
} steep_greedy_size;

enum { STEEP_GREEDY_EXCHANGED = 1024 }; /* units, at most, that give way: beyond, a sweep takes an hour by n^3 */

steep_greedy_size steep_greedy_size_of(const steep_network *network, size_t points, size_t exchanges);

typedef struct steep_greedy_how {
    size_t kept, exchanges, threads; /* threads share the products with all columns; no bit depends on them */
} steep_greedy_how;

/* theta: n units, of which the first kept < n stay as they are. Each further one takes most from the error that the
 * best coefficients of those before leave. exchanges 0: of size.gates units of a start of kind `greedy`. exchanges > 0
 * (kept 0): of all units there are; the best few of those are refined in all numbers that the frozen problem does not
 * solve for (direction, shift, steepness, scalars of their own), and with n units, n / 2, n / 4, .., 1024 at most, each
 * gives way so many times to the best one. (Of gates that are open everywhere and differ in form, those are free that
 * have the form of the next such in the network: fit/frozen_form.h, turns; beside units that stand, those of any form.
 * A layer that is normalised has no exchanges.) Output weights and coefficients are those of a start: a frozen solve is
 * to follow. start->seed draws units and points. 1D is STEEP_BAD_INPUT. Time 2 rows gates columns^2 a unit; with
 * exchanges 60 rows q columns more for q columns so far, and 2 n times that for each of them. Memory 8 rows gates
 * columns bytes. */
steep_status steep_greedy_start(const steep_problem *problem, const steep_start_options *start,
                                const steep_greedy_how *how, double *theta, steep_error *error);

/* options->exchanges, with STEEP_AUTO resolved. */
size_t steep_greedy_exchanges(const steep_fit_options *options);

/* What all units share, into another network of that architecture, or the same. */
void steep_greedy_copy_shared(const steep_network *from, const double *theta, const steep_network *to, double *copy);

/* Unit i of a network becomes unit j of another, or the same, of that architecture: theta's numbers into copy. */
void steep_greedy_copy(const steep_network *from, const double *theta, size_t i, const steep_network *to, size_t j,
                       double *copy);

#define STEEP_GREEDY_LEFT 1e-12 /* of a unit column's square: less counts as none; rounding leaves 1e-14 */
#define STEEP_GREEDY_BEST 4

/* The columns taken so far, A = Q B, Q'Q = 1, B upper triangular. */
typedef struct steep_greedy_basis {
    size_t N, q, room;   /* rows, columns, columns there is memory for */
    double *Q, *B;       /* N x room, room x room */
    double *y, *r;       /* N: what is fitted; (1 - Q Q')y */
    double *along;       /* room: Q'y */
    double *work, *turn; /* room, 2 room */
    steep_team *team;    /* NULL: none */
} steep_greedy_basis;

/* The columns of A(N x count), of unit length, join it, but those of which the others leave less than
 * STEEP_GREEDY_LEFT; returns how many join. They are the last of Q. */
size_t steep_greedy_basis_take(steep_greedy_basis *basis, size_t count, const double *A);

/* Column j of A leaves. Q spans the others; what is orthogonal to them, of unit length, stands behind its last column,
 * with y's part in it behind along's last. */
void steep_greedy_basis_leave(steep_greedy_basis *basis, size_t j);

/* D gates with c columns each. */
typedef struct steep_greedy {
    steep_network wide, one, few; /* of all D units; of a single one; of those that are drawn anew */
    double *theta;                /* wide's parameters */
    steep_samples rows;
    size_t D, c;
    steep_greedy_basis basis;
    double *A, *G, *b, *C;     /* N x D c; c x c for each gate; D c; D c x c */
    double *fresh, *work;      /* N x c; what else is needed */
    double *gain;              /* D */
    unsigned char *taken;      /* D */
    size_t *place;             /* c: the parameters of a unit that have columns */
    size_t *turn, turns, open; /* D: of a gate open everywhere its form (fit/frozen_form), else NONE; how many forms;
                                * how many such gates are taken */
    size_t exchanges, step;    /* how many times over all units; how often units were drawn anew */
    const steep_start_options *start;
    double *each, *drawn, *standing; /* parameters of the best units, and of those drawn anew; columns of units kept */
    size_t *age, *held, units; /* slots of the units taken, the oldest first, and how many columns each has in Q */
    void *block;               /* of all arrays */
} steep_greedy;

/* The columns of units first.. of a network, `units` of them, into A (N x units c), in units of their length; length:
 * NULL or units c. */
steep_status steep_greedy_columns(const steep_greedy *s, const steep_network *from, const double *given, size_t units,
                                  double *A, double *length);

/* Weights and unit length for a column on some samples; returns the length it had. */
double steep_greedy_scale(const steep_samples *rows, double *column);

/* (b - G a)' a + a' b for the a that solves G a = b, c x c, by Cholesky's factorisation: what |r|^2 loses. Columns that
 * the ones before leave less than STEEP_GREEDY_LEFT of, or Q does, have a = 0. L: c (c + 2). */
double steep_greedy_gain(size_t c, const double *G, const double *b, double *a, double *L);

/* count <= STEEP_GREEDY_BEST units, each a network of one (theta[i * s->one.parameters]), moved to where |r|^2 loses
 * more by them; gain(count): how much. */
steep_status steep_greedy_refine(const steep_greedy *s, size_t count, double *theta, double *gain);
