/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network: units, architectures, networks y(x) = d + sum_{i<n} D_i h_i(x): parameters, values, derivatives, starts. */
#pragma once

#include <stdio.h>

#include "steep/target.h"

/* A unit is a scalar function h(u) of m inputs u = (z_1..z_B, e_1..e_E, s_1..s_S, a_1..a_A, q_1..q_M): its branches,
 * its own scalars, the shared maps, the shared scalars, and (units coupled through their layer only) layer moments
 * q_r(x) = (1/n) sum_i m_r(z_i(x)), or the sum itself. It is written once, with first and second derivatives, as a
 * function of one point or as loops over a tile of points. */
#define STEEP_MAX_BRANCHES 6  /* B */
#define STEEP_MAX_TERMS    8  /* activations in a dictionary */
#define STEEP_MAX_INPUTS   40 /* m */
#define STEEP_MAX_LAYERS   8

/* "id", "relu", ... in the order of their numbers; NULL past the last. */
STEEP_API const char *steep_activation_names(size_t index);

/* The number of the activation of that name, -1 if there is none. */
STEEP_API int steep_activation_find(const char *name);

/* What the user chooses within an architecture: --activation, --dictionary, --gate, --degree. Activations and gates are
 * numbers that steep_activation_find gives. */
typedef struct steep_choice {
    int activation;                  /* on the gate branch */
    int dictionary[STEEP_MAX_TERMS]; /* activations of a mixture, in order */
    int terms;                       /* number of entries in dictionary */
    int gate;                        /* gate function of a mixture, an activation (sigmoid, tanh) or STEEP_SOFTMAX */
    int degree;                      /* of a learned activation (hermite, polynorm) */
    const struct steep_written *written; /* a unit by formula; NULL for all others */
    size_t depth;                        /* layers of units, at most STEEP_MAX_LAYERS; 0 stands for 1 */
    size_t hidden[STEEP_MAX_LAYERS - 1]; /* widths of the layers below the last, from x on; 0: the last one's */
    bool residual;                       /* from the second layer on, units are added to the layer below */
} steep_choice;

/* Features phi(x). A branch is a linear combination of them; its coefficients are the parameters of the branch. */
typedef enum steep_map {
    STEEP_MAP_AFFINE,   /* (x_1..x_d, 1):                     d + 1 */
    STEEP_MAP_LINEAR,   /* (x_1..x_d):                        d */
    STEEP_MAP_SQUARES,  /* (x_1^2..x_d^2):                    d */
    STEEP_MAP_QUADRATIC /* (x_1..x_d, 1, x_i x_j, i <= j):    d + 1 + d (d + 1) / 2 */
} steep_map;

typedef struct steep_counts {
    size_t branches, scalars, shared_maps, shared_scalars, moments; /* B, E, S, A, M; shared maps are affine */
    steep_map map[STEEP_MAX_BRANCHES];
    size_t prepared; /* columns that prepare writes at order 2, at most STEEP_MAX_PREPARED; 0 without prepare */
    int summed;      /* 1: moments are sums over the units, 0: means */
} steep_counts;

/* One point: value, and for order >= 1 the gradient g[m], for order 2 also the Hessian's lower triangle packed by rows,
 * H[i (i + 1) / 2 + j], j <= i. Every entry is written. g and H may be NULL below their order. */
typedef void (*steep_unit_function)(const steep_choice *choice, const double *u, int order, double *h, double *g,
                                    double *H);

/* Computes the numbers that all units share, once for a tile of count <= STEEP_TILE points. in[i][k] is input i at
 * point k, set for shared maps, shared scalars and moments only. Writes column p to prepared[p][k]. */
typedef void (*steep_unit_prepare)(const steep_choice *choice, size_t count, const double *const *in, int order,
                                   double *const *prepared);

/* A function of m inputs at count points and where its values go: in[i][k] is input i at point k; h[k] is the value,
 * for order >= 1 g[i][k] = dh/du_i and for order 2 H[i (i + 1) / 2 + j][k] = d2h/du_i du_j, j <= i. g and H may be NULL
 * below their order. */
typedef struct steep_tile {
    size_t count;
    const double *const *in;
    int order;
    double *h, *const *g, *const *H;
} steep_tile;

/* Evaluates a unit on a tile of count <= STEEP_TILE points. in[m + p], after the m inputs, is column p as prepare wrote
 * it for this tile and order. Writes every entry. */
typedef void (*steep_unit_tile)(const steep_choice *choice, const steep_tile *tile);

/* Layer moments of one unit at one point: value m[r], derivative d1[r], second derivative d2[r] with respect to the
 * unit's first branch z_1, r < moments. */
typedef void (*steep_moment_function)(const steep_choice *choice, double z, double *m, double *d1, double *d2);

/* A 1D network as a piecewise polynomial: each interior gate is a knot of a C^{continuity-1} spline of that degree. Any
 * such spline on these knots is a network, provided that as many gates as `heads` are open on the whole domain. */
typedef struct steep_piecewise {
    size_t degree, continuity, heads; /* degree 0: not a piecewise polynomial */
} steep_piecewise;

/* A head given by its roots: the unit D h(x) = (x - t) s^m (b + c s), s = x - origin, open on the whole domain; m = 0,
 * 2, 4, .. below the degree. An origin in the middle of the domain makes the terms smallest; powers about t would
 * cancel in the sum. */
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

struct steep_network;
struct steep_start_options;

typedef struct steep_architecture {
    const char *name, *formula, *source; /* formula in z, e, s, a, for a reader; source: paper and equation */
    /* The unit as a formula for steep_formula_parse_unit, which tests compare with the code. expression: a text in
     * which act(z1) is the chosen activation. writes: writes the formula for a choice. Both NULL: none is known. */
    const char *expression;
    void (*writes)(const steep_choice *choice, FILE *out);
    const struct steep_written *written; /* the formula that defines the unit; NULL for a unit in C */
    void (*counts)(const steep_choice *choice, steep_counts *counts);
    steep_unit_function unit; /* NULL where tile is set */
    /* Evaluation of a tile of points: prepare once for all units (NULL: nothing is shared), then tile for each unit
     * (NULL: unit is called point by point). */
    steep_unit_prepare prepare;
    steep_unit_tile tile;
    steep_moment_function moment; /* NULL unless counts sets moments */
    const char *moment_of;        /* a formula in z1; moment r = 1, 2 .. is its power 2 r; NULL without moments */
    /* The role of each branch in h (all zero: unknown). Tests compare the roles of every row with its unit. */
    steep_role role[STEEP_MAX_BRANCHES];
    /* Starting values of one unit's scalars and of the shared scalars; NULL: zeros. */
    void (*start)(const steep_choice *choice, double *scalars, double *shared_scalars);
    /* The piecewise polynomial in 1D for this choice; NULL: none. */
    void (*piecewise)(const steep_choice *choice, steep_piecewise *piecewise);
    /* The choices that the architecture uses; their options appear in the record. */
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
    /* Writes a unit that equals the head; layout as in from_jump. False when there is none. NULL: from_jump does it. */
    bool (*from_head)(const steep_head *head, double coefficients[STEEP_MAX_BRANCHES][3], double *output);
    /* For comparators (model/comparators.c). place writes branches and scalars, which are 0 before, from the width and
     * the start's box and seed. No solver moves them, and only solver frozen takes such a row. NULL: branches and
     * scalars are parameters like any other. */
    void (*place)(const struct steep_network *network, const struct steep_start_options *start, double *theta);
    /* How many numbers a network stores, where these are fewer than its parameters; NULL: all parameters. */
    size_t (*stores)(const struct steep_network *network);
    const char *solver, *begins; /* default solver and start; NULL: the defaults of the lists */
    bool line_alone;             /* in one dimension only */
} steep_architecture;
STEEP_API const char *steep_architecture_names(size_t index);

/* Finds an architecture by name, first in extra[0..extra_count-1] (may be NULL, 0), then in the table, where gated1
 * stands for glu and gated2 for gqu. NULL if there is none. */
STEEP_API const steep_architecture *steep_architecture_find(const char *name, const steep_architecture *const *extra,
                                                            size_t extra_count);

/* The default choice of a row: its default activation, tanh gate, degree 3; as dictionary K_F = (relu, relu2,
 * leaky_relu, gelu, silu, tanh), for rows of two branches K_G = (id, K_F) (paper "Mixture of activations", 3.2). */
STEEP_API steep_choice steep_choice_default(const steep_architecture *architecture);

/* Parses "--activation NAME" / "--dictionary gsr2l" / "--gate NAME"; NULL leaves the field. Dictionary letters: g gelu,
 * s silu, r2 relu2, l leaky_relu, t tanh, r relu, i id; repeats and unknown letters are STEEP_BAD_INPUT. */
STEEP_API steep_status steep_choice_parse(const char *activation, const char *dictionary, const char *gate,
                                          steep_choice *choice, steep_error *error);

/* Several layers: z^(0) = x, z^(l)_i = h(z^(l-1)) for unit i of layer l, and y = d + sum_i D_i h_i(z^(L-1)) in the last
 * one, all of one architecture. Residual: z^(l)_i = z^(l-1)_i + h_i(z^(l-1)) from l = 2 on, and y = d + sum_i D_i
 * z^(L)_i. Where layer l is wider than layer l - 1, the missing z^(l-1)_i are 0; where layer l is narrower, the surplus
 * z^(l-1)_i enter only through h (He et al., arXiv 1512.03385, 3.3, option A). The parameters of the layers follow one
 * another; layers below the last have neither D nor d.
 *
 * The flat parameter vector theta; the last layer has these blocks:
 *   branch b:       theta[branch[b] + i * features[b] + f]     unit i, feature f (layout of steep_map)
 *   scalars:        theta[scalars + i * E + e]
 *   shared maps:    theta[shared_maps + s * (fan_in + 1) + f]  slopes, then bias
 *   shared scalars: theta[shared_scalars + a]
 *   output:         theta[output + i]                          D_i
 *   bias:           theta[bias]                                d */
typedef struct steep_network {
    const steep_architecture *architecture;
    steep_choice choice;
    steep_counts counts;
    size_t dim, width;                          /* dimension of x; units of the last layer */
    size_t depth, hidden[STEEP_MAX_LAYERS - 1]; /* number of layers; widths of those below the last */
    size_t fan_in;                              /* inputs of the last layer; dim for a single layer */
    size_t features[STEEP_MAX_BRANCHES], branch[STEEP_MAX_BRANCHES];
    size_t scalars, shared_maps, shared_scalars, output, bias;
    size_t parameters; /* P */
    size_t inputs;     /* m */
} steep_network;

/* Lays out a network. Width 0, dim 0, P above 2^26 and more than STEEP_MAX_LAYERS layers are STEEP_BAD_INPUT; nothing
 * else bounds the dimension. */
STEEP_API steep_status steep_network_init(steep_network *network, const steep_architecture *architecture,
                                          const steep_choice *choice, size_t dim, size_t width, steep_error *error);

/* y[k] = y(x_k), k < count, x column-major as in samples. The plain formula in double: for each unit z_b = sum_f W_f
 * phi_f, then h, then y += D h in order of units. A unit is skipped where the box of a tile of points shows that its
 * gate is exactly 0 on the whole tile (relu kinds): adding an exact 0 changes no bit. O(count * width). Fails only with
 * STEEP_NO_MEMORY. */
STEEP_API steep_status steep_network_values(const steep_network *network, const double *theta, size_t count,
                                            const double *x, double *y);

/* The values of the units alone, for figures: h[k + i * count] = h_i(x_k). */
STEEP_API steep_status steep_network_units(const steep_network *network, const double *theta, size_t count,
                                           const double *x, double *h);

/* The Jacobian, J[k + p * ld] = d y(x_k) / d theta_p, column-major, ld >= count, and the values y (NULL: none). */
STEEP_API steep_status steep_network_jacobian(const steep_network *network, const double *theta, size_t count,
                                              const double *x, double *y, double *J, size_t ld);

/* Points x (column-major as in samples) with residuals r and weights w, count of each; weight NULL: all 1/count. */
typedef struct steep_residuals {
    size_t count;
    const double *x, *residual, *weight;
} steep_residuals;

/* Column sums without the Jacobian: gradient[p] = sum_k w_k r_k d y(x_k)/d theta_p, the gradient of (1/2) sum_k w_k
 * r_k^2, and square[p] = sum_k w_k (d y(x_k)/d theta_p)^2, both of P entries (square NULL: not requested). Only
 * parameters with active[p] (NULL: all) are summed, the others are 0. O(count * width * m), memory O(P + count). Fails
 * only with STEEP_NO_MEMORY. */
STEEP_API steep_status steep_network_gradient(const steep_network *network, const double *theta,
                                              const steep_residuals *residuals, const unsigned char *active,
                                              double *gradient, double *square);

/* H += sum_k v_k d^2 y(x_k) / d theta^2, lower triangle (column-major P x P, H[p + q * P], p >= q). Exact, but without
 * the distributional terms of kinks; STEEP_BAD_INPUT with several layers. O(count * width * m^2 + coupling). */
STEEP_API steep_status steep_network_curvature(const steep_network *network, const double *theta, size_t count,
                                               const double *x, const double *v, double *H);

/* Values (y may be NULL) and the gradient in x: gradient[j * count + k] = dy/dx_j at point k, layout as x. At a kink,
 * the activation's own derivative there. O(count * width * m * dim). Fails only with STEEP_NO_MEMORY. */
STEEP_API steep_status steep_network_input_gradient(const steep_network *network, const double *theta, size_t count,
                                                    const double *x, double *y, double *gradient);

/* A running-error estimate of the rounding in y over the given points: sqrt of the mean over k of (u^2 sum over
 * operations of (size of the term that each rounding perturbs)^2), u = 0.42 2^-53 the rms of a rounding. An RMSE
 * measured with this network cannot be below this floor. Uses at most 64 points, spread over the set. *floor is NaN
 * without points, where the network is not finite, and without memory. */
STEEP_API steep_status steep_network_floor(const steep_network *network, const double *theta, size_t count,
                                           const double *x, double *floor);

typedef enum steep_start_kind {
    STEEP_START_UNIFORM,
    STEEP_START_ALTERNATING,
    STEEP_START_ONE_SIDED,
    STEEP_START_EQUIDISTRIBUTED,
    STEEP_START_RANDOM,
    STEEP_START_RIDGE,
    STEEP_START_GREEDY,
    STEEP_START_GAIN,
    STEEP_START_LAYERWISE,
    STEEP_START_GROWN
} steep_start_kind;

/* "uniform", "alternating", "one-sided", "equidistributed", "random", "ridge", "greedy", "gain", "layerwise", "grown";
 * NULL past the last. */
STEEP_API const char *steep_start_names(size_t index);

typedef struct steep_start_options {
    steep_start_kind kind;
    const double *low, *high; /* the box, one number for each coordinate */
    const double *interior;   /* equidistributed: the n - heads interior knots, ascending; else NULL */
    size_t directions;        /* ridge: how many directions, at most one per line; 0: about width^((dim - 1) / dim) */
    bool odd, turned;         /* ridge: odd numbers of lines in a direction; directions depend on the seed */
    double steepness; /* factor of the gates of the first layer; other than 0 and 1 (no factor), lines of start ridge
                               * spread over 1.25 times the box's projection */
    uint64_t seed;    /* of the random numbers */
    bool gates_alone; /* writes the first branch, with the same numbers as without this flag, and 0 elsewhere */
} steep_start_options;

/* Fills theta. 1D: the first branch of unit i is the gate G = sign, g = -sign * knot from steep_start_gates. In dim >=
 * 2: ridges, directions on the unit sphere (uniform: equispaced angles in 2D; else random), offsets spread over the
 * box's projection. random: every branch weight uniform(-1/sqrt(fan_in), 1/sqrt(fan_in)), fan_in = dim (biases too).
 * ridge, only for dim >= 2: steep_ridges_set (model/ridges.h); its gates are not random unless turned. greedy, only for
 * dim >= 2: steep_ridges_draw, the gates that a fit chooses from (fit/greedy.h). gain: coefficient f of each branch is
 * normal(0, 1 / (F rms_f^2)), F the number of features, rms_f the rms of feature f, of a product the product of its
 * factors' rms; a hidden unit as a feature has its rms at normal(0, 1) inputs; D is normal(0, 1 / (n rms^2)), rms that
 * of the units, d normal(0, 1 / n). layerwise, grown: as random; a fit first trains the layers below
 * (fit/layer_start.c). All other kinds: coefficients of other branches, D and d are normal(0, 1) (for random: D
 * uniform(-1/sqrt n, 1/sqrt n)). All kinds: scalars and shared scalars are the architecture's start; shared maps are
 * normal(0, 0.02^2). Numbers are a function of seed alone. gates_alone is for callers that overwrite the rest: it saves
 * the draws, which take most of the time. */
STEEP_API steep_status steep_start(const steep_network *network, const steep_start_options *start, double *theta,
                                   steep_error *error);
