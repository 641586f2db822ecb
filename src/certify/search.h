/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search: the points, problems, descents and starts of the search behind steep_separate. */
#pragma once

#include "certify/minimax.h"
#include "certify/norms.h"
#include "certify/witness.h"

/* probes: a witness and its gradient at points where errors of networks are largest: on a grid, beside the kinks of the
 * witness, and where a network's gates cross these kinks. */

#define STEEP_PROBES_DIM 3 /* most dimensions */

/* x[j * count + k], value[k], gradient[j * count + k], in one block of memory that begins at x. */
typedef struct steep_probes {
    size_t count;
    double *x, *value, *gradient;
} steep_probes;
void steep_probes_free(steep_probes *points);

/* Places on an axis: `even` equidistant ones, and on each side of a kink across the axis `graded` ones, whose distances
 * to the kink fall by the factor ratio. */
typedef struct steep_division {
    size_t even, graded;
    double ratio;
} steep_division;

/* Appends points index[0 .. count - 1] of `from`. */
steep_status steep_probes_join(steep_probes *to, const steep_probes *from, const size_t *index, size_t count,
                               size_t dim);

/* surface: errors of a network's value and gradient against a witness over points, in one to three dimensions, for any
 * unit without a norm. */

typedef struct steep_surface {
    const steep_network *network;
    const steep_target *witness;
    steep_vector_norm norm;
    steep_kinks kinks;         /* of the witness; singular edges of its box count, too */
    bool has_kinks;            /* whether units have kinks */
    const unsigned char *held; /* for each parameter: 1 if fixed; NULL: none. The output bias is always fixed at 0 */
    size_t linear, linears;    /* first and number of the parameters in which the network is linear */
    bool in_branches;          /* these are branches of units: branch after branch, of all units */
    unsigned char *is_linear;  /* for each parameter: 1 if it is one of these */
    double *theta, *scale;     /* for each parameter: its current value; the unit of its steps, 0: fixed */
    steep_probes coarse, extra, fine; /* extra: points of larger errors that joined during the search */
    steep_probes crossing;            /* points where maps cross, of the last measurement */
    double *crossed;                  /* the parameters that it was made for */
    size_t levels, lines;             /* the levels and lines that it was made with */
    void *memory;                     /* block of the arrays for parameters */
} steep_surface;

/* The product of all axes' places; instead of points on a kink there are points beside it on both sides. A kink that is
 * not perpendicular to an axis gets points on both sides, at every place of the other axes, and where it meets edges of
 * the box and other kinks. */
steep_status steep_probes_grid(const steep_surface *surface, steep_division by, steep_probes *points);

/* Crossings, in one and two dimensions (none in three). For each map z, of a unit or shared: points on kinks of the
 * witness and edges of the box (in 1D on the interval) at both sides of z = 0 and at `levels` values of z from -5 to 5.
 * In 2D for maps of units also: the same with levels/4 values on `lines` lines along each axis; and points where two
 * affine maps cross. Between a map and a kink or map closer than 1e-7 a sliver without a point is left. */
steep_status steep_probes_crossings(const steep_surface *surface, steep_probes *points);

/* The crossings of map m, alone or with another map. index: the number of a point among all crossings. */
typedef struct steep_place {
    size_t index;
    double x[STEEP_PROBES_DIM];
} steep_place;
typedef struct steep_places {
    size_t count;
    steep_place *at;
} steep_places;
steep_status steep_probes_places(const steep_surface *surface, size_t m, steep_places *places); /* free places->at */

/* The witness at one point of its box; count is 0 where the point lies on a kink. */
steep_status steep_probes_one(const steep_surface *surface, const double *x, steep_probes *point);

/* The number of maps; whether parameter p belongs to map m; the bias of map m in surface->theta if the map is within
 * 1e-7 of a kink or of a later map without being equal to it, else NULL. */
size_t steep_probes_maps(const steep_network *network);
bool steep_probes_has(const steep_surface *surface, size_t m, size_t p);
double *steep_probes_sliver(const steep_surface *surface, size_t m);

/* STEEP_BAD_INPUT in more than three dimensions and for units that a norm couples. */
steep_status steep_surface_open(steep_surface *surface, const steep_network *network, const steep_target *witness,
                                steep_vector_norm norm, steep_error *error);
void steep_surface_close(steep_surface *surface);

/* The minimax problem in theta over the coarse points, the extra points and the crossings. */
steep_minimax steep_surface_problem(steep_surface *surface);

/* *W: W of theta over the problem's points; INFINITY where it is above four times W over the coarse points, as with a
 * steep gate between two coarse points. */
steep_status steep_surface_weigh(steep_surface *surface, const double *theta, double *W);

/* E0 and E1 of theta over the problem's points, the fine points, more crossings, and slivers (opened to 1e-6, so that
 * doubles lie inside). The worst fine points and crossings that exceed the norms over the problem's points join these
 * points; *joined: how many; joined NULL: none join. */
steep_status steep_surface_refine(steep_surface *surface, const double *theta, double E[2], size_t *joined);
/* Raises E, norms of theta over points, to errors that are larger by more than 1e-6 (relative): at peaks reached by
 * climbs from the worst points, and at the lower ends of a certificate. The points where they are reached join the
 * problem's; their number is added to *joined. */
steep_status steep_surface_certify(steep_surface *surface, const double *theta, double E[2], size_t *joined,
                                   steep_error *error);

/* The output of steep_network_input_jacobian for count points x (column-major as in samples): y[k]; J[k + p * count] =
 * d y(x_k)/d theta_p; gradient[j * count + k] = dy/dx_j; slopes[(j * P + p) * count + k] = d(dy/dx_j)/d theta_p. */
typedef struct steep_input_jacobian {
    size_t count;
    const double *x;
    double *y, *J, *gradient, *slopes;
} steep_input_jacobian;

/* Values and gradients in x, both with their derivatives in the parameters; at a kink the activation's convention. For
 * units without a norm. O(count * width * m^2 * dim), m inputs of a unit. STEEP_NO_MEMORY. */
steep_status steep_network_input_jacobian(const steep_network *network, const double *theta,
                                          const steep_input_jacobian *out);

/* squares: least squares of a network's errors of value and gradient over the coarse points of a surface: sum of e^2
 * + |grad e|^2. */
typedef struct steep_squares {
    steep_surface *surface;
    size_t rows, count, *moves; /* moves: the count free parameters, the linear ones first */
    steep_input_jacobian at;
    double *left, *columns, *gradient, *damping, *step, *next;
    void *memory; /* block of these arrays */
    steep_span span;
    steep_gram gram;
} steep_squares;

/* STEEP_NO_MEMORY. */
steep_status steep_squares_open(steep_squares *squares, steep_surface *surface);
void steep_squares_close(steep_squares *squares);

/* Minimises from theta in at most `steps` steps; 0: over the linear parameters alone. Other parameters with held[p] = 1
 * are fixed (held NULL: none). *sum: the sum of squares at the end. A descent that is not expected to reach `enough`
 * ends early. */
steep_status steep_squares_fit(steep_squares *squares, const unsigned char *held, size_t steps, double enough,
                               double *theta, double *sum);

/* lines: piecewise linear networks in one dimension without output bias, and their exact norms against a witness T:
 * f(t) = sum_k c_k ((t - tau_k)_+ + g_k (t - tau_k)). Each term is a unit D act(w t + b), act(z) = max(z, eta z):
 * g = eta/(1 - eta) where the gate faces right, -1/(1 - eta) where it faces left. */

typedef struct steep_lines {
    const steep_surface *surface;
    double eta;
    size_t units;
    signed char *side;     /* +1: faces right, -1: left */
    unsigned char *pinned; /* 1: tau_k is fixed */
    bool all_pinned;       /* all tau_k are fixed */
    double *v;             /* the unknowns of a descent */
    void *block;           /* of the arrays; NULL: the network is of another kind */
} steep_lines;

/* The problem in v = (c_1 .. c_m, tau_1 .. tau_m). Its rows are, on each piece between neighbouring kinks of network or
 * witness: e' at both ends, from inside, and where T'' = 0; e at the ends and where e' = 0. Derivatives of rows include
 * the motion of kinks. Zeros are sought between 17 points of a piece; if between two of these T'' and T' - f' change
 * sign at most once, the norms are exact but for rounding. A step closes at most 0.9 of the gap between two kinks. */
steep_minimax steep_lines_problem(steep_lines *lines);

/* lines->block, which the caller frees, stays NULL where networks are of another kind. STEEP_NO_MEMORY. */
steep_status steep_lines_open(const steep_surface *surface, steep_lines *lines, steep_error *error);
/* Minimises the exact norms E from theta; gates on kinks of the witness stay there. STEEP_NOT_FINITE: a unit of theta
 * adds a constant. */
steep_status steep_lines_descend(steep_lines *lines, const steep_monitor *monitor, double *theta, double E[2],
                                 steep_error *error);

/* starts: the networks from which a search begins: random ones, the narrower one with one more unit, and constructions
 * known for witnesses of the table. */

#define STEEP_STARTS_FREE ((size_t)-1)
#define STEEP_STARTS_EACH ((size_t)-2)

typedef struct steep_starts {
    const steep_surface *surface;
    const steep_witness *row; /* of the witness; NULL: it is not in the table */
    double size, beyond;    /* size: gates have steepness size to 2 size; 0: any. beyond: where units have no kinks, the
                             * share of gates that are shifted by up to the range of z on the box, to either side */
    double lambda;          /* parameter of the witness */
    const double *narrower; /* a network of width - 1, or NULL */
} steep_starts;

/* A random network. For units of several branches and a witness with kinks, a number lay lays out all units alike: one
 * branch on one kink of the witness, the others across it; branches and kinks take turns with lay. STEEP_STARTS_EACH:
 * most units have a layout, each its own. STEEP_STARTS_FREE: every gate is drawn for itself. */
void steep_starts_draw(const steep_starts *starts, steep_random *random, size_t lay, double *theta);

/* The narrower network and one more unit, which is drawn as lay says and has output weight 0. Fails as
 * steep_network_init does. */
steep_status steep_starts_widen(const steep_starts *starts, steep_random *random, size_t lay, double *theta,
                                steep_error *error);

/* Construction `number`, below STEEP_STARTS_KNOWN, for a witness of the table. Units that it does not need are drawn,
 * with output weight 0. False: there is no construction of this number. */
enum { STEEP_STARTS_KNOWN = 5 };
bool steep_starts_known(const steep_starts *starts, steep_random *random, size_t number, double *theta);
