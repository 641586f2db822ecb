/* SPDX-License-Identifier: GPL-3.0-or-later */
/* norms: how far a network is from its target in the maximum norm, in W^{1,inf},
 *
 *   E0 = sup |e|,   E1 = ess sup |grad e|,   W = E0 + E1,   e = y - f,
 *
 * and in L^p, W^{2,p}, W^{2,inf} and the residual of an equation of second order, enclosed on the whole box with all
 * rounding accounted for. */
#pragma once

#include <stddef.h>

#include "certify/core.h"
#include "certify/enclose.h"

const char *steep_vector_norm_names(size_t index);

/* A check before a fit: STEEP_BAD_INPUT if steep_certify would refuse every network of this kind with the target. */
steep_status steep_certify_check(const steep_network *network, const steep_target *target, steep_error *error);

/* Writes the numbers that a certificate of the quantities `what` (STEEP_CERTIFY_SUP + ..) adds to those of a fit:
 * certified_rmse_low, ... Returns how many there are, at most STEEP_CERTIFIED_NUMBERS. */
#define STEEP_CERTIFIED_NUMBERS 21
size_t steep_certified_numbers(const steep_certified *c, unsigned what, steep_stored_number *number);

enum {
    STEEP_CERTIFY_BITS = 128, /* of balls, where doubles are too wide */
    STEEP_CERTIFY_NUMBERS = 1 + STEEP_ENCLOSE_DIM + STEEP_ENCLOSE_DIM * (STEEP_ENCLOSE_DIM + 1) / 2,
    STEEP_CERTIFY_REPORT = 1000, /* boxes between two calls of the monitor */
    STEEP_CERTIFY_CUTS = 4096,   /* most boxes after the first cuts */
    STEEP_CERTIFY_UNDECIDED = 5  /* most undecided kinks whose sides are bounded one by one */
};

/* A box in the heap, which is ordered by rank. */
typedef struct steep_region {
    double rank;          /* of a supremum: upper bound; of a mean: width of share */
    steep_interval share; /* of a mean: the box's part of it; of a supremum: coordinate and size of the largest smear */
    steep_interval x[];   /* the box: dim intervals */
} steep_region;

/* One branch and bound. */
typedef struct steep_certify_run {
    steep_enclosure *enclosure;
    const steep_certify_options *options;
    size_t dim, classes, planes;
    int exponent; /* bounds are in units of 2^exponent */
    const steep_interval *domain;
    signed char *side, *strict, *met, *piece; /* for each class of kinks */
    /* Of one quantity: */
    const char *stage;
    unsigned what;
    double tolerance;
    steep_certificate *out;
    char *heap;
    size_t count, room; /* boxes in the heap */
    size_t undecided[STEEP_CERTIFY_UNDECIDED];
    bool failed, stopped;            /* no memory; the monitor asks to stop */
    double smear[STEEP_ENCLOSE_DIM]; /* how much the width of each coordinate widens the bound of a box */
    /* Of a supremum: */
    double lower, settled; /* best value at a point; largest bound of boxes that are dropped or cannot be halved */
    /* Of a mean: */
    int power;             /* p */
    double low, width;     /* so far, in floating point, to know when to stop */
    bool unbounded;        /* a box that cannot be halved has no upper bound */
    steep_interval volume; /* of the domain */
} steep_certify_run;

void steep_heap_push(steep_certify_run *run, double rank, const steep_interval *share, const steep_interval *x);
/* The region of the largest rank; NULL where there is none. */
const steep_region *steep_heap_top(const steep_certify_run *run);
steep_region *steep_heap_at(const steep_certify_run *run, size_t index);
void steep_heap_pop(steep_certify_run *run, steep_interval *x); /* removes the top; its box goes into x */

/* Bounds a box and puts it into the heap, or drops it. */
typedef void steep_certify_take(steep_certify_run *run, const steep_interval *box);

/* Cuts the domain at planes that are perpendicular to an axis (in 1D: all planes); calls take for each part. */
void steep_certify_cut(steep_certify_run *run, steep_certify_take *take);

/* A point of the box near its middle. */
void steep_certify_centre(const steep_certify_run *run, const steep_interval *box, steep_interval *point);

/* Is there a double between the ends of x, to halve it at? */
bool steep_certify_has_middle(const steep_interval *x);

/* Halves the box in coordinate j, which has a middle; calls take for both halves. */
void steep_certify_halve(steep_certify_run *run, const steep_interval *box, size_t j, steep_certify_take *take);

/* The width of a box in coordinate j, relative to the domain's. The coordinate with a middle in which this is largest;
 * dim: no coordinate has a middle. */
double steep_certify_width(const steep_certify_run *run, const steep_interval *box, size_t j);
size_t steep_certify_widest(const steep_certify_run *run, const steep_interval *box);

/* Cuts entry q of the box's jet, the value or an entry of the gradient, with its mean value form about the point c; at:
 * the jet at c. Adds to run->smear[j] how much the width of x_j widens this form. */
void steep_certify_mean_value(steep_certify_run *run, const steep_interval *box, const steep_interval *c,
                              const steep_interval *at, size_t q, steep_interval *jet);

/* Reports the bounds so far to the monitor; false: it asks to stop. */
bool steep_certify_report(const steep_certify_run *run, double low, double high);

/* out = A e with options->second, from a jet of e. */
void steep_certify_second(const steep_certify_run *run, const steep_interval *jet, steep_interval *out);

/* Enclose a supremum, and the root of a mean, by branch and bound, into run->out. */
steep_status steep_certify_supremum(steep_certify_run *run);
steep_status steep_certify_mean(steep_certify_run *run);

typedef struct steep_pole {
    bool found;   /* there is one */
    bool nowhere; /* proved: the target is bounded on its box. Both false: unknown at the allowed cost */
    double order; /* a: |f| grows like distance^-a towards the pole. The mean of f^2 is infinite where a >= k/2, k the
                     number of coordinates that are fixed at the pole */
} steep_pole;

/* Looks for a pole: boxes on which the enclosure of the formula is unbounded are halved, down to 2^-48 of the box.
 * There is a pole if |f|, in balls of 512 bits, keeps growing like a power of the distance or faster towards such a
 * smallest box. A removable singularity (sin(x)/x), a high peak and a power of a logarithm are no poles. Not found:
 * orders below 0.1, and poles whose enclosures are unbounded far around them, as of 1/(x^2-0.2*x+0.01); 1/(x-0.1)^2 is
 * found. order: INFINITY for exp(1/x). at[dim]: the place. Cost: a few thousand enclosures, and values around smallest
 * boxes, at most half a second. STEEP_NO_MEMORY. */
steep_status steep_target_find_pole(const steep_target *target, steep_pole *pole, double *at);

/* text: a sentence for the user: where a pole was found, its order and what to choose instead; or that there was no
 * memory to look for one. It is empty where no pole was found. */
void steep_target_pole_remark(const steep_target *target, const char *instead, char *text, size_t size);
