/* SPDX-License-Identifier: GPL-3.0-or-later */
/* greedy: chooses units one after another, each the one that lowers the error most (fit/greedy_start.c). */
#pragma once

#include "base/team.h"
#include "fit/problem.h"

/* Sizes of the search: `gates` units to choose from, each with `columns` unknowns of the frozen linear problem, on
 * `rows` of the training points. gates: 8 n, at least 600; fewer where columns x rows x gates would be above 2^26, but
 * at least 2 n. rows: 4 for each unknown of the n units and the bias, at least 2,000; with exchanges 8, at least 1,000
 * d in d dimensions; at most all points. */
typedef struct steep_greedy_size {
    size_t gates, columns, rows;
} steep_greedy_size;

enum { STEEP_GREEDY_EXCHANGED = 1024 }; /* no exchanges with more units: a sweep, n^3, would take an hour */

steep_greedy_size steep_greedy_size_of(const steep_network *network, size_t points, size_t exchanges);

typedef struct steep_greedy_how {
    size_t kept, exchanges, threads; /* threads share the products with all columns; no bit depends on them */
} steep_greedy_how;

/* Writes n units into theta; the first kept < n stay as they are. Each further unit is the one that lowers most the
 * error left by the best coefficients of the units before it. exchanges = 0: chosen from size.gates units of a start of
 * kind `greedy`. exchanges > 0 (kept = 0): the best few of these are refined in all numbers that the frozen problem
 * does not solve for (direction, shift, steepness, the unit's scalars), and at n, n / 2, n / 4, .. units, at most 1024,
 * each unit is replaced by the best one so many times. (If the form of gates that are open everywhere depends on their
 * order, those with the form of the next such gate in the network are free: fit/frozen_form.h, turns; with kept > 0 any
 * form is. A normalised layer has no exchanges.) Output weights and coefficients are those of a start: a frozen solve
 * must follow. start->seed draws units and points. 1D is STEEP_BAD_INPUT. Time 2 rows gates columns^2 a unit; with
 * exchanges 60 rows q columns more for q columns so far, and 2 n times that for each. 8 rows gates columns bytes. */
steep_status steep_greedy_start(const steep_problem *problem, const steep_start_options *start,
                                const steep_greedy_how *how, double *theta, steep_error *error);

/* Returns options->exchanges; for STEEP_AUTO 1 with solver frozen, else 0. */
size_t steep_greedy_exchanges(const steep_fit_options *options);

/* Copies the bias and what all units share to the same or another network of that architecture. */
void steep_greedy_copy_shared(const steep_network *from, const double *theta, const steep_network *to, double *copy);

/* Copies unit i of a network (theta) to unit j of the same or another network of that architecture (copy). */
void steep_greedy_copy(const steep_network *from, const double *theta, size_t i, const steep_network *to, size_t j,
                       double *copy);

#define STEEP_GREEDY_LEFT 1e-12 /* a smaller squared rest of a unit column counts as 0; rounding leaves 1e-14 */
#define STEEP_GREEDY_BEST 4

/* The columns taken so far, A = Q B, Q'Q = 1, B upper triangular. */
typedef struct steep_greedy_basis {
    size_t N, q, room;   /* rows, columns, columns there is memory for */
    double *Q, *B;       /* N x room, room x room */
    double *y, *r;       /* N: values to fit; (1 - Q Q')y */
    double *along;       /* room: Q'y */
    double *work, *turn; /* room, 2 room */
    steep_team *team;    /* NULL: none */
} steep_greedy_basis;

/* Adds the columns of A(N x count), of unit length, except those with a squared rest below STEEP_GREEDY_LEFT outside
 * the basis. Returns how many are added, as the last columns of Q. */
size_t steep_greedy_basis_take(steep_greedy_basis *basis, size_t count, const double *A);

/* Removes column j of A: Q spans the others. The unit vector that this takes from the span stands after the last column
 * of Q, and y's component along it after the last entry of along. */
void steep_greedy_basis_leave(steep_greedy_basis *basis, size_t j);

/* The search among D gates with c columns each. */
typedef struct steep_greedy {
    steep_network wide, one, few; /* networks of all D units; of one unit; of the units drawn anew */
    double *theta;                /* wide's parameters */
    steep_samples rows;
    size_t D, c;
    steep_greedy_basis basis;
    double *A, *G, *b, *C;     /* N x D c; c x c for each gate; D c; D c x c */
    double *fresh, *work;      /* N x c; workspace */
    double *gain;              /* D */
    unsigned char *taken;      /* D */
    size_t *place;             /* c: places of a unit's parameters that have columns */
    size_t *turn, turns, open; /* D: form of a gate that is open everywhere (fit/frozen_form), else NONE; number of
                                * forms; number of such gates taken */
    size_t exchanges, step;    /* sweeps over all units; number of draws of new units */
    const steep_start_options *start;
    double *each, *drawn, *standing; /* parameters of the best units, and of those drawn anew; columns of units kept */
    size_t *age, *held, units;       /* slots of the units taken, oldest first; columns of each in Q; number of units */
    void *block;                     /* memory of all arrays */
} steep_greedy;

/* Writes the columns of the first `units` units of a network into A (N x units c), scaled to unit length; length: NULL,
 * or their units c lengths. */
steep_status steep_greedy_columns(const steep_greedy *s, const steep_network *from, const double *given, size_t units,
                                  double *A, double *length);

/* Applies the samples' weights to a column and scales it to unit length; returns the length it had. */
double steep_greedy_scale(const steep_samples *rows, double *column);

/* Returns (b - G a)' a + a' b, the decrease of |r|^2, for the a (or NULL) with G a = b, c x c, by Cholesky's
 * factorisation. Columns with a rest below STEEP_GREEDY_LEFT outside Q and earlier columns get a = 0. L: c (c + 2). */
double steep_greedy_gain(size_t c, const double *G, const double *b, double *a, double *L);

/* Moves count <= STEEP_GREEDY_BEST units, each a network of one unit (theta[i * s->one.parameters]), to places where
 * they lower |r|^2 more; gain(count): the decrease by each. */
steep_status steep_greedy_refine(const steep_greedy *s, size_t count, double *theta, double *gain);
