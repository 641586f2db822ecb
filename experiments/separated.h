/* SPDX-License-Identifier: GPL-3.0-or-later */
/* separated: what the programs on separations share: a series is one class of networks against one witness, width by
 * width, each from random starts and from the width before. Of each width: the least W = E0 + E1 that the search finds
 * (networks without output bias, Euclidean norm of gradients), its enclosure, and the least RMSE that lm finds (with
 * one), from random starts, from the network of least W and from the width before. */
#ifndef STEEP_EXPERIMENTS_SEPARATED_H
#define STEEP_EXPERIMENTS_SEPARATED_H

#include "certify/public.h"
#include "certify/witness.h"
#include "experiment.h"

enum { SEPARATED_WIDTHS = 10, SEPARATED_SIDE = 40, SEPARATED_PARAMETERS = 256 };

typedef struct separated_row {
    double bound, sharp, E0, E1, W, high, rmse; /* high: of the enclosure of W; NaN: none */
    size_t starts, hits;
} separated_row;

/* Of one width: the network of least W, that of least RMSE. */
typedef struct separated_networks {
    double theta[SEPARATED_PARAMETERS], fitted[SEPARATED_PARAMETERS];
} separated_networks;

typedef struct separated_series {
    const char *witness, *class;
    double lambda;
    size_t widths, restarts, fits; /* fits: random starts of lm */
    size_t fewer;                  /* restarts of each width beyond 1, if not 0 */
    size_t boxes;                  /* of an enclosure; 0: none */
    separated_row row[SEPARATED_WIDTHS];
    separated_networks networks[SEPARATED_WIDTHS];
} separated_series;

/* What one series works with. */
typedef struct separated_lab {
    const separated_series *series;
    const steep_witness *row;
    steep_target *witness;
    steep_class class;
    steep_network network; /* of the width that is its turn */
    steep_samples train, test;
} separated_lab;

static inline void separated_close(separated_lab *l)
{
    steep_samples_free(&l->train);
    steep_samples_free(&l->test);
    steep_class_free(&l->class);
    steep_target_free(l->witness);
}

/* Points of the fits: in one dimension Gauss points on both sides of 0, in the plane a grid and Gauss points. */
static inline steep_status separated_open(const separated_series *series, separated_lab *l, steep_error *error)
{
    static const double knots[] = {-1, 0, 1};
    *l = (separated_lab){.series = series};
    steep_status status = steep_witness_open(series->witness, series->lambda, &l->row, &l->witness, error);
    if (status >= 0) status = steep_class_open(series->class, NULL, NULL, &l->class, error);
    if (status < 0) return status;
    if (l->witness->dim == 1) return steep_samples_gauss(l->witness, 2, knots, 192, &l->train, error);
    const size_t points = (size_t)pow(64, (double)l->witness->dim); /* 64 a side */
    status = steep_samples_grid(l->witness, SEPARATED_SIDE * SEPARATED_SIDE, &l->train, error);
    return status < 0 ? status : steep_samples_train(l->witness, STEEP_GAUSS, points, 0, &l->test, error);
}

/* The network `from` of one unit less with a unit more of output weight 0: a copy of its last one, moved a little. */
static inline steep_status separated_widen(const separated_lab *l, const double *from, double *theta,
                                           steep_error *error)
{
    const steep_network *wide = &l->network;
    const size_t n = wide->width - 1, E = wide->counts.scalars, last = wide->width - 1;
    steep_network thin;
    steep_status status = steep_network_init(&thin, wide->architecture, &wide->choice, wide->dim, n, error);
    if (status < 0) return status;
    memset(theta, 0, wide->parameters * sizeof *theta);
    for (size_t b = 0; b < wide->counts.branches; b++) {
        const size_t f = wide->features[b];
        memcpy(theta + wide->branch[b], from + thin.branch[b], n * f * sizeof *theta);
        for (size_t i = 0; i < f; i++)
            theta[wide->branch[b] + last * f + i] = from[thin.branch[b] + (n - 1) * f + i] + 0.1 * (double)(1 + i + b);
    }
    memcpy(theta + wide->scalars, from + thin.scalars, n * E * sizeof *theta);
    memcpy(theta + wide->scalars + n * E, from + thin.scalars + (n - 1) * E, E * sizeof *theta);
    memcpy(theta + wide->shared_maps, from + thin.shared_maps, (thin.output - thin.shared_maps) * sizeof *theta);
    memcpy(theta + wide->output, from + thin.output, n * sizeof *theta);
    theta[wide->bias] = from[thin.bias];
    return STEEP_OK;
}

/* A fit as far as it comes; one that fails takes no part. */
static inline void separated_fit(const separated_lab *l, const steep_fit_options *options, double *rmse, double *theta)
{
    const bool is_line = l->witness->dim == 1;
    const steep_problem problem = {&l->network, l->witness, &l->train, is_line ? NULL : &l->test};
    steep_fit_result fit = {0};
    steep_error error;
    if (steep_fit(&problem, options, &fit, &error) >= 0) {
        const double found = is_line ? fit.rmse_train : fit.rmse_test;
        if (found < *rmse) {
            *rmse = found;
            memcpy(theta, fit.theta, l->network.parameters * sizeof *theta);
        }
    }
    steep_fit_result_free(&fit);
}

/* The least RMSE at this width: into *rmse and n->fitted. Begins from n->theta and, unless it is NULL, from
 * narrower. */
static inline steep_status separated_rmse(const separated_lab *l, const double *narrower, double *rmse,
                                          separated_networks *n, steep_error *error)
{
    steep_fit_options options = steep_fit_options_default();
    double initial[SEPARATED_PARAMETERS];
    *rmse = INFINITY;
    options.restarts = STEEP_AUTO;
    options.solver = STEEP_SOLVER_REDUCED_NEWTON;
    if (l->witness->dim == 1 && steep_architecture_piecewise(l->class.architecture, &l->class.choice).degree > 0)
        separated_fit(l, &options, rmse, n->fitted);
    options.restarts = 0;
    options.solver = STEEP_SOLVER_LM;
    options.max_iterations = 200;
    options.initial = n->theta;
    separated_fit(l, &options, rmse, n->fitted);
    options.initial = initial;
    if (narrower) {
        const steep_status status = separated_widen(l, narrower, initial, error);
        if (status < 0) return status;
        separated_fit(l, &options, rmse, n->fitted);
    }
    options.initial = NULL;
    options.start = STEEP_START_RANDOM;
    options.restarts = l->series->fits - 1;
    separated_fit(l, &options, rmse, n->fitted);
    return STEEP_OK;
}

static inline steep_status separated_certify(const separated_lab *l, const double *theta, double *high,
                                             steep_error *error)
{
    steep_certify_options options = steep_certify_options_default();
    steep_certified certified;
    options.what = STEEP_CERTIFY_SUP | STEEP_CERTIFY_GRADIENT;
    options.boxes = l->series->boxes;
    const steep_status status = steep_certify(&l->network, theta, l->witness, &options, &certified, error);
    *high = certified.w.high;
    return status;
}

/* Networks of one width; in the array, those of the next smaller width stand before them. */
static inline steep_status separated_width(separated_lab *l, size_t width, separated_row *row, separated_networks *n,
                                           steep_error *error)
{
    const separated_series *s = l->series;
    steep_separation found = {0};
    steep_separate_options options = steep_separate_options_default();
    steep_status status =
        steep_network_init(&l->network, l->class.architecture, &l->class.choice, l->witness->dim, width, error);
    options.restarts = width > 1 && s->fewer > 0 ? s->fewer : s->restarts;
    options.lambda = s->lambda;
    options.narrower = width > 1 ? n[-1].theta : NULL;
    if (status >= 0) status = steep_separate(l->row, l->witness, &l->network, &options, &found, error);
    const steep_bound bound = steep_witness_bound(l->row, &l->class, width, s->lambda);
    *row = (separated_row){bound.value, bound.sharp, found.E0, found.E1, found.W, NAN, NAN, found.starts, found.hits};
    if (status >= 0) memcpy(n->theta, found.theta, l->network.parameters * sizeof *n->theta);
    steep_separation_free(&found);
    if (status >= 0 && s->boxes > 0) status = separated_certify(l, n->theta, &row->high, error);
    return status < 0 ? status : separated_rmse(l, width > 1 ? n[-1].fitted : NULL, &row->rmse, n, error);
}

static inline steep_status separated_work(void *context, size_t index, void *result, steep_payload *payload,
                                          steep_error *error)
{
    const separated_series *series = (const separated_series *)context + index;
    separated_lab l;
    steep_status status = separated_open(series, &l, error);
    separated_networks *networks = calloc(1, sizeof series->networks);
    if (!networks) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for networks");
    for (size_t m = 1; m <= series->widths && status >= 0; m++)
        status = separated_width(&l, m, (separated_row *)result + m - 1, &networks[m - 1], error);
    *payload = (steep_payload){(double *)networks, 2 * SEPARATED_PARAMETERS * SEPARATED_WIDTHS};
    separated_close(&l);
    return status < 0 ? status : STEEP_OK;
}

static inline steep_status separated_note(void *context, size_t index, const void *result, const steep_payload *payload,
                                          steep_error *error)
{
    separated_series *series = (separated_series *)context + index;
    (void)error;
    memcpy(series->row, result, sizeof series->row);
    memcpy(series->networks, payload->value, sizeof series->networks);
    return STEEP_OK;
}

/* Moves the series that are asked for to the front, and returns how many they are; --quick makes them small. */
static inline size_t separated_choose(const experiment *e, separated_series *series, size_t count)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        separated_series *s = &series[i];
        if (!experiment_wants(e, 0, s->witness) || !experiment_wants(e, 1, s->class)) continue;
        if (e->quick) s->widths = s->restarts = s->fits = 1;
        series[chosen++] = *s;
    }
    return chosen;
}

/* All of them, as many side by side as there are processors. */
static inline void separated_run(const experiment *e, separated_series *series, size_t count)
{
    steep_error error;
    experiment_found(e);
    const steep_work_list list = {
        .count = count, .size = sizeof series->row, .work = separated_work, .note = separated_note, .context = series};
    if (steep_pool_run(&list, &error) < 0) experiment_die(e, &error, 1);
}

/* A number of the table; what is exact but for rounding as that, what is not known as -. */
static inline const char *separated_number(double value, char text[24])
{
    if (!isfinite(value)) snprintf(text, 24, "-");
    else if (value < 1e-12) snprintf(text, 24, "exact");
    else if (value < 1e-3) snprintf(text, 24, "%.3e", value);
    else snprintf(text, 24, "%.6f", value);
    return text;
}

static inline void separated_put(FILE *out, const separated_series *s)
{
    for (size_t m = 1; m <= s->widths; m++) {
        const separated_row *r = &s->row[m - 1];
        char text[6][24];
        printf("%-10s %-16s %6g %5zu %9s %9s %9s %9s %10s %4zu/%-3zu %10s\n", s->witness, s->class, s->lambda, m,
               separated_number(r->bound, text[0]), separated_number(r->E0, text[1]), separated_number(r->E1, text[2]),
               separated_number(r->W, text[3]), separated_number(r->high, text[4]), r->hits, r->starts,
               separated_number(r->rmse, text[5]));
        fprintf(out, "%s,%g,%s,%zu,%.17g,%.17g,%.17g,%.17g\n", s->witness, s->lambda, s->class, m, r->bound, r->sharp,
                r->W, r->rmse);
    }
}

/* All rows, to standard output and into a file that is open from then on. */
static inline FILE *separated_print(const experiment *e, const char *file, const separated_series *series, size_t count)
{
    FILE *out = experiment_open(e, file, "witness,lambda,class,width,bound,sharp,W,rmse");
    printf("%-10s %-16s %6s %5s %9s %9s %9s %9s %10s %8s %10s\n", "witness", "class", "lambda", "width", "bound", "E0",
           "E1", "W", "W at most", "hits", "RMSE");
    for (size_t i = 0; i < count; i++) separated_put(out, &series[i]);
    return out;
}

#endif
