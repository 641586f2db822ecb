/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search: what the search behind steep_separate descends with, and where it begins. */
#pragma once

#include "certify/minimax.h"
#include "certify/norms.h"
#include "certify/witness.h"

/* probes: a witness with its gradient at points that stand where errors of a network are largest: on a grid, beside the
 * kinks of the witness, and where a network's gates cross those. */

#define STEEP_PROBES_DIM 3 /* most dimensions */

/* value[k], gradient[j * count + k], x column-major; one piece of memory, x the front of it. */
typedef struct steep_probes {
    size_t count;
    double *x, *value, *gradient;
} steep_probes;
void steep_probes_free(steep_probes *points);

/* How an axis is divided: even places, and by each kink across it graded ones, their distance falling by ratio. */
typedef struct steep_division {
    size_t even, graded;
    double ratio;
} steep_division;

/* Appends count points of from, by index. */
steep_status steep_probes_join(steep_probes *to, const steep_probes *from, const size_t *index, size_t count,
                               size_t dim);

/* surface: a network of any unit without a norm, in one to three dimensions, against a witness: the errors of value and
 * gradient over points. */

typedef struct steep_surface {
    const steep_network *network;
    const steep_target *witness;
    steep_vector_norm norm;
    steep_kinks kinks;                /* of the witness, singular edges too */
    bool has_kinks;                   /* units have */
    const unsigned char *held;        /* parameters: 1 stays, as the output bias does, which is 0; NULL: none else */
    size_t linear, linears;           /* first, and how many, of the parameters that the network is linear in */
    bool in_branches;                 /* these are in branches of units: of all units, one branch after the other */
    unsigned char *is_linear;         /* parameters */
    double *theta, *scale;            /* parameters */
    steep_probes coarse, extra, fine; /* extra: worst points of the fine ones, found on the way */
    steep_probes crossing;            /* where the maps of crossed cross, of the last measurement */
    double *crossed;                  /* parameters */
    size_t levels, lines;             /* of the same */
    void *memory;                     /* of arrays for parameters */
} steep_surface;

/* The product of all axes' places, none on a kink but beside it at both sides; kinks that no axis crosses squarely get
 * points at both sides above every place of the other axes, and where they meet the box's edges and other kinks. */
steep_status steep_probes_grid(const steep_surface *surface, steep_division by, steep_probes *points);

/* In one and two dimensions (in more none): where a map z of the network's units or of what they share crosses kinks of
 * the witness and the box's edges, with z = 0 from both sides and at levels numbers between -5 and 5; in the plane the
 * same of units, at a quarter of the levels, on so many lines along each axis; and where two affine maps of units
 * cross. Maps that come to within 1e-7 of a kink or of another leave slivers without a point. */
steep_status steep_probes_crossings(const steep_surface *surface, steep_probes *points);

/* Those of them that map m makes, alone or with another map, and which of all they are. */
typedef struct steep_place {
    size_t index;
    double x[STEEP_PROBES_DIM];
} steep_place;
typedef struct steep_places {
    size_t count;
    steep_place *at;
} steep_places;
steep_status steep_probes_places(const steep_surface *surface, size_t m, steep_places *places); /* free places->at */

/* The witness at one point of its box; none where that lies on a kink. */
steep_status steep_probes_one(const steep_surface *surface, const double *x, steep_probes *point);

/* How many maps there are; whether parameter p is one of map m; and where in theta the bias of map m is, where that is
 * so near to a kink or to a later map without being the same, else NULL. */
size_t steep_probes_maps(const steep_network *network);
bool steep_probes_has(const steep_surface *surface, size_t m, size_t p);
double *steep_probes_sliver(const steep_surface *surface, size_t m);

/* STEEP_BAD_INPUT in more than three dimensions and for units that a norm couples. */
steep_status steep_surface_open(steep_surface *surface, const steep_network *network, const steep_target *witness,
                                steep_vector_norm norm, steep_error *error);
void steep_surface_close(steep_surface *surface);

/* The problem in theta: over the coarse points, the extra ones, and where gates cross. */
steep_minimax steep_surface_problem(steep_surface *surface);

/* W of theta over the problem's points; INFINITY where it is several times as large there as at any coarse point, as of
 * a steep gate that stands between two of these. */
steep_status steep_surface_weigh(steep_surface *surface, const double *theta, double *W);

/* E0 and E1 of theta over the fine points and more crossings, and in slivers (moved open to 1e-6, for doubles to be
 * inside). The worst fine points and crossings that are above what the problem's points show join these, and *joined
 * says how many; joined NULL: none join. */
steep_status steep_surface_refine(steep_surface *surface, const double *theta, double E[2], size_t *joined);
/* Adds to E, norms of theta over points, what is higher: peaks that climbs from the worst points lead to, and the lower
 * ends of a certificate. The points where these are reached join the problem's, and their number is added to
 * *joined; none join where the points had seen the norms to 1e-6. */
steep_status steep_surface_certify(steep_surface *surface, const double *theta, double E[2], size_t *joined,
                                   steep_error *error);

/* What steep_network_input_jacobian fills, for count points x (column-major as in samples): y[k]; J[k + p * count] =
 * d y(x_k)/d theta_p; gradient[j * count + k] = dy/dx_j; slopes[(j * P + p) * count + k] = d(dy/dx_j)/d theta_p. */
typedef struct steep_input_jacobian {
    size_t count;
    const double *x;
    double *y, *J, *gradient, *slopes;
} steep_input_jacobian;

/* Values and gradient in x, both with their derivatives in the parameters; at a kink the activation's own. Of units
 * that no norm couples. O(count * width * m^2 * dim). STEEP_NO_MEMORY. */
steep_status steep_network_input_jacobian(const steep_network *network, const double *theta,
                                          const steep_input_jacobian *out);

/* squares: least squares of a network's errors of value and gradient over the coarse points of a surface: sum of e^2
 * + |grad e|^2. */
typedef struct steep_squares {
    steep_surface *surface;
    size_t rows, count, *moves; /* count of the parameters that move: the linear ones first */
    steep_input_jacobian at;
    double *left, *columns, *gradient, *damping, *step, *next;
    void *memory; /* of these */
    steep_span span;
    steep_gram gram;
} steep_squares;

/* STEEP_NO_MEMORY. */
steep_status steep_squares_open(steep_squares *squares, steep_surface *surface);
void steep_squares_close(steep_squares *squares);

/* At most so many steps from theta, 0: the parameters that it is linear in alone; those that held marks by 1 stay
 * (NULL: none). *sum: of the squares, over the coarse points; a descent that will not make it as small as enough ends
 * early. */
steep_status steep_squares_fit(steep_squares *squares, const unsigned char *held, size_t steps, double enough,
                               double *theta, double *sum);

/* lines: networks in one dimension that are piecewise linear and have no output bias, with their exact norms against a
 * witness: f(t) = sum_k c_k ((t - tau_k)_+ + g_k (t - tau_k)), a unit D act(w t + b) each, act the larger of z and eta
 * z: g = eta/(1 - eta) where the gate faces right, -1/(1 - eta) where it faces left. */

typedef struct steep_lines {
    const steep_surface *surface;
    double eta;
    size_t units;
    signed char *side;     /* +1: faces right, -1: left */
    unsigned char *pinned; /* 1: tau_k does not move, */
    bool all_pinned;       /* nor does any */
    /* Of descents: */
    double *v;
    void *block; /* of the arrays; NULL: the network is none of these */
} steep_lines;

/* The problem in v = (c_1 .. c_m, tau_1 .. tau_m). On each piece between neighbouring kinks of network or witness e' is
 * taken at both ends, from inside, and where T'' is 0; e at the ends and where e' is 0: with their derivatives as kinks
 * move. The zeros are looked for between 17 points of each piece: the norms are exact, but for rounding, where T' - c
 * and T'' change sign at most once between two of them. A step goes at most to where two kinks would meet. */
steep_minimax steep_lines_problem(steep_lines *lines);

/* block, to be freed, stays NULL where networks are none of these. STEEP_NO_MEMORY. */
steep_status steep_lines_open(const steep_surface *surface, steep_lines *lines, steep_error *error);
/* Down from theta to a minimum of the exact norms; gates on kinks of the witness stay there. STEEP_NOT_FINITE: a unit
 * of theta is a constant. */
steep_status steep_lines_descend(steep_lines *lines, const steep_monitor *monitor, double *theta, double E[2],
                                 steep_error *error);

/* starts: where searches begin: random networks, the narrower one with a unit more, and constructions that are known
 * for witnesses of the table. */

#define STEEP_STARTS_FREE ((size_t)-1)
#define STEEP_STARTS_EACH ((size_t)-2)

typedef struct steep_starts {
    const steep_surface *surface;
    const steep_witness *row; /* NULL: none of the table */
    double size, beyond;      /* size: 0, or gates are as steep as this to twice this; this share of them stands outside
                               * the box, on either side, where units have no kinks */
    double lambda;            /* of the witness */
    const double *narrower;   /* a network of width - 1, or NULL */
} steep_starts;

/* A random network. lay, for units of several maps and a witness with kinks: lays all units out alike, one map on one
 * kink of the witness, the others across it; which map and which kink go by the number lay, in turn. STEEP_STARTS_EACH:
 * most units, each on a kink of its own. STEEP_STARTS_FREE: each gate for itself. */
void steep_starts_draw(const steep_starts *starts, steep_random *random, size_t lay, double *theta);

/* Blocks of the narrower network, and one random unit more with an output weight of 0, drawn as lay says. Fails as
 * steep_network_init does. */
steep_status steep_starts_widen(const steep_starts *starts, steep_random *random, size_t lay, double *theta,
                                steep_error *error);

/* Starts that are known for witnesses of the table, number by number (fewer than STEEP_STARTS_KNOWN); the units that
 * they leave out are drawn, with output weights of 0. False: there is none of this number. */
enum { STEEP_STARTS_KNOWN = 5 };
bool steep_starts_known(const steep_starts *starts, steep_random *random, size_t number, double *theta);
