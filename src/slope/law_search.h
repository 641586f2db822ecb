/* SPDX-License-Identifier: GPL-3.0-or-later */
/* law_search: shared by laws.c and its parts: law_weights.c (columns and weights of the laws), levels.c (fits of laws
 * that level off) and law_grid.c (quadrature over parameters). */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "slope/eight.h"
#include "slope/laws.h"
#include "slope/mixture.h"

typedef enum steep_law_kind {
    STEEP_KIND_POWER,
    STEEP_KIND_LOG,
    STEEP_KIND_HALVES,
    STEEP_KIND_CORRECTED,
    STEEP_KIND_SHIFTED,
    STEEP_KIND_BROKEN,
    STEEP_KIND_TWICE,
    STEEP_KIND_TRANSIENT,
    STEEP_KIND_OFFSET,
    STEEP_KIND_FLOORED,
    STEEP_KIND_EXPANDED,
    STEEP_KIND_FASTER,
    STEEP_KINDS
} steep_law_kind;

enum {
    STEEP_LAW_PARAMETERS = 4,
    STEEP_LAW_FEW_BEGINNINGS = 8,
    STEEP_LAW_MOST_CELLS = 2000,
    STEEP_LAW_MOST_LEVELS = 160
};

/* A kind: its prior probability, the number of columns with a coefficient c, and how its parameters are laid out. */
typedef struct steep_law_layout {
    double prior;
    size_t breaks, parameters, cells[STEEP_LAW_PARAMETERS], most; /* first cells in each parameter; most cells in all */
} steep_law_layout;

extern const steep_law_layout steep_law_layouts[STEEP_KINDS];

/* A law from one beginning: its coefficient b, and its other numbers. */
typedef struct steep_law_part {
    steep_student order; /* weight: the logarithm of it, until settle() in laws.c */
    double scatter, log_a;
    double low, high; /* E is between them; 0: there is no E */
    size_t begin;
    bool faster, correlated;
} steep_law_part;

/* A box of values of a kind's parameters. */
typedef struct steep_law_cell {
    double at[STEEP_LAW_PARAMETERS], half[STEEP_LAW_PARAMETERS]; /* midpoint, half the sides */
    double weight;      /* log of the marginal likelihood, times the prior probability of the box */
    double share;       /* e^weight / e^unit of the grid */
    size_t part, parts; /* index of its first part in the search, number of its parts */
    size_t pieces;      /* index of the first of its pieces, where these are weighed beforehand; else 0 */
} steep_law_cell;

/* The cells of a kind, count of them. From index STEEP_LAW_MOST_CELLS to pieces stand cells that are weighed
 * beforehand. changed: the cells that are to be weighed. */
typedef struct steep_law_grid {
    steep_law_kind kind;
    size_t count, pieces, changes, changed[2 * STEEP_LAW_MOST_CELLS];
    double unit; /* the weight of the heaviest first cell */
    steep_law_cell cells[2 * STEEP_LAW_MOST_CELLS];
} steep_law_grid;

/* A point where a law may begin; the points before it follow their own polynomial in u, of degree 2 at most. */
typedef struct steep_law_prelude {
    bool begins, begins_few; /* a law may begin here; also where there are only STEEP_LAW_FEW_BEGINNINGS */
    unsigned parameters;
    double slope;                               /* from the first to the last point before; NaN below 2 points */
    double rest, evidence;                      /* least sum of squares; log of its parameters' factor in evidence */
    double gamma[STEEP_REGRESSION_COLUMNS + 1]; /* by the law's number of coefficients: log Gamma(freedom/2) */
    double second;                              /* central second moment of u over the points from here on */
} steep_law_prelude;

/* The parts of eight cells from one beginning; the weight is -infinity where there is no part. */
typedef struct steep_eight_parts {
    steep_lanes weight, centre, scale, scatter, log_a;
} steep_eight_parts;

typedef struct steep_law_search {
    const steep_law_points *points;
    const steep_slope_options *options;
    double span;               /* log of the least ratio of sizes over which the last law holds */
    double *n;                 /* sizes */
    steep_lanes *column[2];    /* x, z's, or what is subtracted from y, of eight cells, by point */
    steep_eight_parts *result; /* by beginning */
    double least_v;            /* the smallest log error */
    double least;              /* least standard deviation of the noise */
    steep_law_prelude *before; /* by beginning */
    double all;                /* number of points, the sum of weights */
    double rho;                /* correlation of the noise of neighbours */
    double prior;              /* log of the prior of rho times the determinant of the map from noise to innovations */
    steep_law_part *part;
    size_t parts, room;
    bool out_of_memory;
} steep_law_search;

/* Eight cells of one kind. */
typedef struct steep_eight_cells {
    steep_law_kind kind;
    steep_lanes at[STEEP_LAW_PARAMETERS];
    steep_lanes prior; /* log of the prior probability of the box */
} steep_eight_cells;

/* The weight of a point that is alone, or of a point's innovation, its number less rho times its neighbour's.
 * Innovations are divided by 1 - rho, so that the constant stays 1. */
static inline double steep_law_weight(const steep_law_search *s, size_t i, bool alone)
{
    const double weight = s->points->weight ? s->points->weight[i] : 1;
    return weight * (alone ? 1 - s->rho * s->rho : (1 - s->rho) * (1 - s->rho));
}

/* *sum = log(e^*sum + e^weight) */
static inline void steep_law_add(double *sum, double weight)
{
    const bool above = *sum > weight;
    const double most = above ? *sum : weight, least = above ? weight : *sum;
    if (isfinite(most)) *sum = isfinite(least) ? most + steep_log(1 + steep_exp(least - most)) : most;
}

/* Eight fits of a and b in v = log((A n^b)^r + E^r)/r to the points from begin on. */
typedef struct steep_levels {
    double r;   /* 1 or 2, the same in all eight fits */
    double rho; /* correlation of neighbours' noise, the same in all: sums of squares are of innovations */
    size_t begin[STEEP_LANES];
    steep_lanes log_e, a, b;
    steep_lanes rest; /* weighted sum of squares; NaN where the points do not determine a and b */
    /* Of the normal equations: determinant; entry (a, a), 1/variance of a for fixed b and noise of variance 1. */
    steep_lanes determinant, shares;
} steep_levels;

/* Four Gauss-Newton steps from the law through the first point and the middle one. Each lane has the bits that it would
 * have alone. begin + 2 <= points. */
void steep_levels_fit(const steep_law_points *points, steep_levels *f);

/* Computes the weights of the changed cells of a grid, and their parts. */
void steep_law_weigh(steep_law_search *search, steep_law_grid *grid);

/* Room for `more` parts after the present ones; NULL without memory, and out_of_memory is set. */
steep_law_part *steep_law_room(steep_law_search *search, size_t more);

/* Divides the parameters of a kind into cells until no cell is heavy, and adds the parts of cells that are not
 * negligible, with the logarithms of their weights. Returns the logarithm of the sum of all weights. */
double steep_law_divide(steep_law_search *search, steep_law_grid *grid, steep_law_kind kind);
