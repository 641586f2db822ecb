/* SPDX-License-Identifier: GPL-3.0-or-later */
/* architecture: the table. One row is all the rest of the library needs to know about a kind of unit. */
#ifndef STEEP_MODEL_ARCHITECTURE_H
#define STEEP_MODEL_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "model/activation.h"
#include "model/unit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a 1D network behaves as a piecewise polynomial: each interior gate is a knot of a C^{continuity-1} spline of that
 * degree, and any such spline on those knots is a network, once heads gates are open on the whole domain. */
typedef struct steep_piecewise {
    size_t degree, continuity, heads; /* degree 0: not a piecewise polynomial */
} steep_piecewise;

/* A head from its roots, the unit D h(x) = (x - t) s^m (b + c s), s = x - origin, open on the whole domain; m = 0, 2,
 * 4, .. below the degree. With the origin in the middle of the domain its terms are as small as they can be, where
 * powers about t would cancel in the sum. */
typedef struct steep_head {
    double sign;           /* +1: open for x > t, -1: for x < t */
    long double t, origin; /* the gate's knot; the other root */
    size_t m;
    long double b, c;
} steep_head;

/* What a branch does in its unit. With q, q_p, r functions of all inputs but the factors z_f and the parts z_p,
 *
 *   h = q * (product of all factors) + (sum of q_p z_p over all parts) + r
 *
 * so that h is affine in any one factor and all parts together. gqu is a gate and two factors, act(z_G) z_U z_Q; gqu2 a
 * gate and two parts, act(z_G) (z_U + z_S); gqu2a has a power in place of the second part. */
typedef enum steep_role {
    STEEP_ROLE_NONE, /* h is any function of it */
    STEEP_ROLE_GATE, /* the first branch alone: h = act(z_1) p, act the chosen activation, p a polynomial of the others.
                      * Where act is exactly 0 (steep_activation_closes), h and its derivatives are exactly 0, and
                      * closed stretches are skipped. */
    STEEP_ROLE_FACTOR, /* the factor z_f of a product */
    STEEP_ROLE_PART,   /* the added part q_p z_p */
    STEEP_ROLE_POWER   /* an added part q_b z_b^k of r, k >= 2, q_b free of z_b */
} steep_role;

typedef struct steep_architecture {
    const char *name, *formula, *source; /* formula in z, e, s, a of unit.h, for a reader; source: paper and equation */
    /* The unit as a formula that steep_formula_parse_unit reads (model/written.h), held to the code by tests: a text,
     * where act(z1) is the chosen activation, or a function that writes it for a choice; NULL both: none is known. */
    const char *expression;
    void (*writes)(const steep_choice *choice, FILE *out);
    const struct steep_written *written; /* the unit is this formula, NULL for a unit in C */
    void (*counts)(const steep_choice *choice, steep_counts *counts);
    steep_unit_function unit;
    /* Over a tile of points (NULL: the unit is called point by point): prepare, once for all units, NULL where nothing
     * is shared; then tile, the unit's own loops. */
    steep_unit_prepare prepare;
    steep_unit_tile tile;
    steep_moment_function moment; /* NULL unless counts sets moments */
    const char *moment_of;        /* a formula in z1; moment r = 1, 2 .. is its power 2 r; NULL without moments */
    /* What each branch does in h (all zero: nothing is known of it). Tests hold every row's roles to its unit. */
    steep_role role[STEEP_MAX_BRANCHES];
    /* Starting values of one unit's scalars and of the shared scalars; NULL: zeros. */
    void (*start)(const steep_choice *choice, double *scalars, double *shared_scalars);
    /* The piecewise polynomial in 1D for this choice; NULL: none. */
    void (*piecewise)(const steep_choice *choice, steep_piecewise *piecewise);
    /* Which choices count: their options appear in the record. */
    bool uses_activation, uses_dictionary, uses_gate, uses_degree;
    /* Default activation, STEEP_RELU for the gated family. */
    int activation;
    /* A unit from a jump, in 1D. Writes the branch coefficients (layout of each branch's map) and the output weight of
     * a unit whose gate stands at knot t facing right (sign +1: open for x > t) or left (sign -1), such that its
     * contribution D h(x) is the polynomial sum_{j=1}^{degree} jump[j] (x - t)^j where open and 0 where closed. At
     * interior knots jump[j] = 0 for j < continuity; heads (open on the whole domain) may ask for any jump[1..degree].
     * False when no such unit exists (for GQU: complex roots). NULL where piecewise is NULL. */
    bool (*from_jump)(const steep_choice *choice, double sign, long double t, const long double *jump,
                      double coefficients[STEEP_MAX_BRANCHES][3], double *output);
    /* A unit that is this head; layout as above. False when there is none. NULL: from_jump carries the heads. */
    bool (*from_head)(const steep_head *head, double coefficients[STEEP_MAX_BRANCHES][3], double *output);
} steep_architecture;

/* The built-in table: row index, or NULL past the last. */
const steep_architecture *steep_architecture_table(size_t index);
const char *steep_architecture_names(size_t index);

/* By name among extra[0..extra_count-1] (may be NULL, 0) and then the table, where gated1 is glu and gated2 gqu; NULL
 * if there is none. */
const steep_architecture *steep_architecture_find(const char *name, const steep_architecture *const *extra,
                                                  size_t extra_count);

/* The piecewise polynomial of a row in one dimension; all 0 where it is none. */
steep_piecewise steep_architecture_piecewise(const steep_architecture *architecture, const steep_choice *choice);

/* Branches in which the row's roles make h affine, all together: bit b is set for the first factor and for every part.
 * The first branch is none of them. */
unsigned steep_architecture_affine(const steep_architecture *architecture);

/* The order p of a row in one dimension, error ~ n^-p: its piecewise polynomial's, or the one that a unit by formula
 * gives; 0 where neither is known. */
size_t steep_architecture_order(const steep_architecture *architecture, const steep_choice *choice);

/* The default choice of a row: its default activation, tanh gate, degree 3; as dictionary K_F = (relu, relu2,
 * leaky_relu, gelu, silu, tanh), for rows of two branches K_G = (id, K_F) (paper "Mixture of activations", 3.2). */
steep_choice steep_choice_default(const steep_architecture *architecture);

/* Parses "--activation NAME" / "--dictionary gsr2l" / "--gate NAME"; NULL leaves the field. Dictionary letters: g gelu,
 * s silu, r2 relu2, l leaky_relu, t tanh, r relu, i id; repeats and unknown letters are STEEP_BAD_INPUT naming the
 * place. */
steep_status steep_choice_parse(const char *activation, const char *dictionary, const char *gate, steep_choice *choice,
                                steep_error *error);
/* The dictionary as letters, into text[size]. */
void steep_choice_dictionary(const steep_choice *choice, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
