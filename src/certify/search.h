/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search: the search behind steep_separate.. */
#pragma once

#include "base/random.h"
#include "certify/minimax.h"
#include "certify/public.h"
#include "certify/witness.h"
#include "model/network.h"

#define STEEP_SEARCH_AGAIN 1e-4  /* relative: ends whose W are no farther apart are the same */
#define STEEP_SEARCH_EXACT 1e-13 /* W of a network that is the witness but for rounding */

/* How a start is made. Ends agree when starts of several kinds reach them; what is moved begins at the best end, and says
 * nothing of it. */
typedef enum steep_origin {
    STEEP_ORIGIN_KNOWN,    /* a construction for the witness */
    STEEP_ORIGIN_NARROWER, /* the narrower network with a unit more */
    STEEP_ORIGIN_DRAWN,    /* at random */
    STEEP_ORIGIN_FITTED,   /* by least squares */
    STEEP_ORIGIN_CHOSEN,   /* of several by their output weights; or by least squares, all gates of one steepness */
    STEEP_ORIGIN_MOVED
} steep_origin;

typedef struct steep_search_end {
    double W;
    steep_origin kind;
} steep_search_end;

/* What a search is given, and the best it has found. */
typedef struct steep_search {
    const steep_witness *row;
    const steep_target *witness;
    const steep_network *network;
    const steep_separate_options *options;
    double enough;          /* W: nothing lower is to be had */
    steep_search_end *ends; /* of every start so far; INFINITY: none yet */
    size_t starts, room;
    steep_separation *best;
    bool stopped;
} steep_search;

/* Begins a start: what is offered from now on is its end. STEEP_NO_MEMORY. */
steep_status steep_search_begin(steep_search *search, steep_origin kind, steep_error *error);
/* Keeps an end of the start if it is better. theta: the network's parameters. */
void steep_search_offer(steep_search *search, const double *theta, const double E[2], steep_status status);
/* How many kinds of start reached the best end so far, but for what is moved. */
size_t steep_search_hits(const steep_search *search);

steep_status steep_search_surfaces(steep_search *search, steep_error *error);

/* lines: networks in one dimension that are piecewise linear and have no output bias, with their exact norms against a
 * witness: f(t) = sum_k c_k ((t - tau_k)_+ + g_k (t - tau_k)), a unit D act(w t + b) each, act the larger of z and eta
 * z: g = eta/(1 - eta) where the gate faces right, -1/(1 - eta) where it faces left.. */

/* A kink of the witness: {w t + b = 0}, w > 0; place: where, rounded. */
typedef struct steep_line_kink {
    double place, w, b;
} steep_line_kink;

typedef struct steep_lines {
    const steep_target *witness;
    double eta;
    size_t units;
    const signed char *side;     /* +1: faces right, -1: left */
    const unsigned char *pinned; /* 1: tau_k does not move */
    const steep_line_kink *kink; /* of the witness, ascending */
    size_t kinks;
    double *scale; /* set by steep_lines_problem: 2 units entries of the caller's */
} steep_lines;

/* The problem in v = (c_1 .. c_m, tau_1 .. tau_m). On each piece between neighbouring kinks of network or witness e' is
 * taken at both ends, from inside, and where T'' is 0; e at the ends and where e' is 0: with their derivatives as kinks
 * move. The zeros are looked for between 17 points of each piece: the norms are exact, but for rounding, where T' - c
 * and T'' change sign at most once between two of them. A step goes at most to where two kinks would meet. scale: room
 * for 2 units numbers. */
steep_minimax steep_lines_problem(steep_lines *lines);

/* folds: descents of these networks. */
typedef struct steep_folds {
    const steep_network *network;
    steep_lines lines; /* of what follows */
    steep_line_kink *kink;
    double *v;
    signed char *side;
    unsigned char *pinned, *all; /* all: 1 for each unit */
    void *block;                 /* of these; NULL: the network is none of these */
} steep_folds;

/* kinks: of the witness, singular ends too. block stays NULL where networks are not. STEEP_NO_MEMORY. */
steep_status steep_folds_open(const steep_target *witness, const steep_kinks *kinks, const steep_network *network,
                              steep_folds *folds, steep_error *error);
void steep_folds_close(steep_folds *folds);
/* Down from theta to a minimum of the exact norms; gates on kinks of the witness stay there. STEEP_NOT_FINITE: a unit of
 * theta is a constant. */
steep_status steep_folds_descend(steep_folds *folds, const steep_monitor *monitor, double *theta, double E[2],
                                 steep_error *error);

/* starts: where searches begin: random networks, the narrower one with a unit more, and constructions that are known for
 * witnesses of the table.. */

#define STEEP_STARTS_FREE ((size_t)-1)
#define STEEP_STARTS_EACH ((size_t)-2)

typedef struct steep_starts {
    const steep_network *network;
    const steep_target *witness;
    const steep_witness *row; /* NULL: none of the table */
    const steep_kinks *kinks; /* of the witness */
    bool has_kinks;           /* units have */
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
