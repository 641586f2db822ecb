/* SPDX-License-Identifier: GPL-3.0-or-later */
/* greedy_parts: what the files of greedy share. */
#pragma once

#include "base/team.h"
#include "fit/greedy.h"

#define STEEP_GREEDY_LEFT 1e-12 /* of a unit column's square: less counts as none; rounding leaves 1e-14 */
#define STEEP_GREEDY_BEST 4

/* --- the columns taken so far, A = Q B, Q'Q = 1, B upper triangular --- */

typedef struct steep_greedy_basis {
    size_t N, q, room;   /* rows, columns, columns there is memory for */
    double *Q, *B;       /* N x room, room x room */
    const double *y;     /* N: what is fitted */
    double *r, *along;   /* N, (1 - Q Q')y; room: Q'y */
    double *work, *turn; /* room, 2 room */
    steep_team *team;    /* NULL: none */
} steep_greedy_basis;

/* C(p x q, ldc) = A(N x p)' B(N x q), and C(N x q) -= Q W (s->q x q): numerics/dense's, their parts by threads. */
void steep_greedy_inner(const steep_greedy_basis *basis, size_t p, const double *A, size_t q, const double *B,
                        double *C, size_t ldc);
void steep_greedy_subtract(const steep_greedy_basis *basis, size_t q, const double *W, double *C);

/* The columns of A(N x count), of unit length, join it, but those of which the others leave less than
 * STEEP_GREEDY_LEFT; returns how many join. They are the last of Q. */
size_t steep_greedy_basis_take(steep_greedy_basis *basis, size_t count, const double *A);

/* Column j of A leaves. Q spans the others; what is orthogonal to them, of unit length, stands behind its last column,
 * with y's part in it behind along's last. */
void steep_greedy_basis_leave(steep_greedy_basis *basis, size_t j);

/* D gates with c columns each. */
typedef struct steep_greedy {
    const steep_network *wide; /* a network of all D units */
    steep_network one;         /* a single unit */
    double *theta;             /* wide's parameters */
    steep_samples rows;
    size_t D, c;
    steep_greedy_basis basis;
    double *A, *G, *b, *C;     /* N x D c; c x c for each gate; D c; D c x c */
    double *fresh, *work;      /* N x c; what else is needed */
    double *gain;              /* D */
    unsigned char *taken;      /* D */
    size_t *turn, turns, open; /* D: of a gate open everywhere its form (fit/frozen_form), else NONE; how many forms;
                                * how many such gates are taken */
    size_t exchanges;          /* how many times over all units */
    size_t *age, *held, units; /* slots of the units taken, the oldest first, and how many columns each has in Q */
    void *block;               /* of all arrays */
} steep_greedy;

#define STEEP_GREEDY_NONE ((size_t)-1)

/* The columns of units first.. of a network, `units` of them, into A (N x units c), in units of their length; length:
 * NULL or units c. */
steep_status steep_greedy_columns(const steep_greedy *s, const steep_network *from, const double *given, size_t units,
                                  double *A, double *length);

/* (b - G a)' a + a' b for the a that solves G a = b, c x c, by Cholesky's factorisation: what |r|^2 loses. Columns that
 * the ones before leave less than STEEP_GREEDY_LEFT of, or Q does, have a = 0. L: c (c + 2). */
double steep_greedy_gain(size_t c, const double *G, const double *b, double *a, double *L);

/* --- greedy_refine.c --- */

/* count <= STEEP_GREEDY_BEST units, each a network of one (theta[i * s->one.parameters]), moved to where |r|^2 loses
 * more by them; gain(count): how much. */
steep_status steep_greedy_refine(const steep_greedy *s, size_t count, double *theta, double *gain);
