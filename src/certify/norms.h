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

/* Before a fit: STEEP_BAD_INPUT where steep_certify would refuse any network like this one beside the target. */
steep_status steep_certify_check(const steep_network *network, const steep_target *target, steep_error *error);

/* What a certificate of these quantities (STEEP_CERTIFY_SUP + ..) adds to the numbers of a fit: certified_rmse_low, ...
 * Returns how many there are. */
#define STEEP_CERTIFIED_NUMBERS 21
size_t steep_certified_numbers(const steep_certified *c, unsigned what, steep_stored_number *number);

enum {
    STEEP_CERTIFY_BITS = 128, /* of balls, where doubles are too wide */
    STEEP_CERTIFY_NUMBERS = 1 + STEEP_ENCLOSE_DIM + STEEP_ENCLOSE_DIM * (STEEP_ENCLOSE_DIM + 1) / 2,
    STEEP_CERTIFY_REPORT = 1000, /* boxes between two calls of the monitor */
    STEEP_CERTIFY_CUTS = 4096,   /* most boxes to begin with */
    STEEP_CERTIFY_UNDECIDED = 5  /* most undecided kinks that are taken apart */
};

/* A box in the heap, which is ordered by rank. */
typedef struct steep_region {
    double rank;          /* upper bound; or what the box adds to the width of the whole */
    steep_interval share; /* of the mean square */
    steep_interval x[];   /* dim of them */
} steep_region;

/* One branch and bound. */
typedef struct steep_certify_run {
    steep_enclosure *enclosure;
    const steep_certify_options *options;
    size_t dim, classes, planes;
    int exponent; /* what is enclosed, is so in units of 2^exponent */
    const steep_interval *domain;
    signed char *side, *strict, *met, *piece; /* of each class */
    /* Of one quantity: */
    const char *stage;
    unsigned what;
    double tolerance;
    steep_certificate *out;
    char *heap;
    size_t count, room; /* boxes in the heap */
    size_t undecided[STEEP_CERTIFY_UNDECIDED];
    bool failed, stopped;            /* for want of memory; by the monitor */
    double smear[STEEP_ENCLOSE_DIM]; /* how much of the box's bound each coordinate's width makes */
    /* Of a supremum: the best value at a point; the greatest bound of what is dropped or cannot be halved. */
    double lower, settled;
    /* Of a mean: so far, in floating point, to know when to stop; a box that cannot be halved has no upper bound. */
    int power;
    double low, width;
    bool unbounded;
    steep_interval volume;
} steep_certify_run;

void steep_heap_push(steep_certify_run *run, double rank, const steep_interval *share, const steep_interval *x);
/* The region of the largest rank; NULL where there is none. */
const steep_region *steep_heap_top(const steep_certify_run *run);
steep_region *steep_heap_at(const steep_certify_run *run, size_t index);
void steep_heap_pop(steep_certify_run *run, steep_interval *x); /* the top, whose box goes into x */

/* Bounds a box and puts it into the heap, or drops it. */
typedef void steep_certify_take(steep_certify_run *run, const steep_interval *box);

/* The domain cut where planes stand on a coordinate axis (in 1D: all of them): takes each part. */
void steep_certify_cut(steep_certify_run *run, steep_certify_take *take);

/* A point of the box near its middle. */
void steep_certify_centre(const steep_certify_run *run, const steep_interval *box, steep_interval *point);

/* Is there a double between the ends of x, to halve it at? */
bool steep_certify_has_middle(const steep_interval *x);

/* Both halves of the box in coordinate j, which has a middle. */
void steep_certify_halve(steep_certify_run *run, const steep_interval *box, size_t j, steep_certify_take *take);

/* How wide a box is in coordinate j beside the domain. The coordinate in which it is widest, of those with a middle;
 * dim where there is none. */
double steep_certify_width(const steep_certify_run *run, const steep_interval *box, size_t j);
size_t steep_certify_widest(const steep_certify_run *run, const steep_interval *box);

/* Cuts number q of the box's jet, the value or an entry of the gradient, with its mean value form about the point c,
 * where the jet is `at`; adds to run->smear[j] by how much the width of x_j widens that. */
void steep_certify_mean_value(steep_certify_run *run, const steep_interval *box, const steep_interval *c,
                              const steep_interval *at, size_t q, steep_interval *jet);

/* Calls the monitor with bounds of what is enclosed; false: to stop. */
bool steep_certify_report(const steep_certify_run *run, double low, double high);

/* A e of options->second, from a jet of e. */
void steep_certify_second(const steep_certify_run *run, const steep_interval *jet, steep_interval *out);

/* A supremum, by branch and bound on an upper bound; the root of a mean. Into run->out. */
steep_status steep_certify_supremum(steep_certify_run *run);
steep_status steep_certify_mean(steep_certify_run *run);

typedef struct steep_pole {
    bool found;   /* there is one */
    bool nowhere; /* proved: the target is bounded on its box. Neither: not known within the cost allowed */
    double order; /* a: |f| grows like distance^-a on the way to it; from 1/2 (times the number of coordinates in which
                     it is a point) on the mean of f^2 is infinite */
} steep_pole;

/* Looks for one by enclosures of the formula on boxes that are halved where the enclosure is unbounded, down to 2^-48
 * of the box: there is a pole where |f|, in balls of 512 bits, keeps growing like a power of the distance, or faster,
 * on the way to such a smallest box. A removable place (sin(x)/x), a high peak and a power of a logarithm are none. Not
 * found: orders below 0.1, and poles whose enclosures are unbounded far around them, as of 1/(x^2-0.2*x+0.01), which
 * 1/(x-0.1)^2 is not. order: INFINITY of exp(1/x). at[dim]: where. A few thousand enclosures at the most, and of values
 * where boxes are smallest, half a second. STEEP_NO_MEMORY. */
steep_status steep_target_find_pole(const steep_target *target, steep_pole *pole, double *at);

/* A sentence on the pole that is found, for people: where, of which order, and what to choose instead, or that there
 * was no memory to look for one; text is empty where none is. */
void steep_target_pole_remark(const steep_target *target, const char *instead, char *text, size_t size);
