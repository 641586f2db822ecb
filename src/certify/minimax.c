/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sequential linear programs (K. Madsen, J. Inst. Maths Applics 16, 1975): minimise E0 + E1 subject to E_kind >= r_i +
 * g_i . s, |s_j| <= radius scale_j. The step s is taken if the maxima fall by a twentieth of the decrease that the
 * program promises. If they fall by less than three tenths of it, the unknowns in which rows are linear are first
 * solved for anew at the end of the step, as variable projection does for least squares. Where the minimum is a corner,
 * with as many active rows as unknowns, this is Newton's method and converges quadratically. */
#include "certify/minimax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/core.h"

enum { ROWS_OF_A_KIND = 240 /* most rows of a kind in a linear program, those of largest r */ };
static const double WIDE = 1, /* radius of the linear unknowns where they move alone */
    TAKEN = 0.05,             /* least ratio of decrease to promise of a step that is taken, */
    FOLLOWED = 0.3,           /* and ratio from which linear unknowns are not solved for anew */
    SLOW = 0.01,              /* decrease that patience asks for */
    ABOVE = 10, SLACK = 0.1,  /* times E0 + E1: upper end of the unknowns E0 and E1; their first distance to the rows */
    SOLVED = 0.5;             /* share of the possible decrease by which a program's step may promise less */

double *steep_minimax_add(steep_minimax_rows *rows, int kind, double r)
{
    const size_t n = rows->unknowns;
    if (rows->count == rows->room) {
        size_t room = 2 * rows->room + 64;
        unsigned char *kinds = realloc(rows->kind, room * sizeof *kinds);
        if (kinds) rows->kind = kinds;
        double *values = realloc(rows->r, room * sizeof *values);
        if (values) rows->r = values;
        double *gradients = realloc(rows->g, room * (n ? n : 1) * sizeof *gradients);
        if (gradients) rows->g = gradients;
        rows->failed |= !kinds || !values || !gradients;
        if (rows->failed) return NULL;
        rows->room = room;
    }
    rows->kind[rows->count] = (unsigned char)kind;
    rows->r[rows->count] = r;
    memset(rows->g + rows->count * n, 0, n * sizeof *rows->g);
    return rows->g + rows->count++ * n;
}

void steep_minimax_rows_free(steep_minimax_rows *rows)
{
    free(rows->kind);
    free(rows->r);
    free(rows->g);
    *rows = (steep_minimax_rows){.unknowns = rows->unknowns};
}

steep_minimax_options steep_minimax_options_default(void)
{
    return (steep_minimax_options){.iterations = 60, .radius = 0.3, .tolerance = 1e-12};
}

typedef struct descent {
    const steep_minimax *problem;
    const steep_minimax_options *options;
    steep_minimax_rows rows;
    void *memory;                       /* block of the arrays next to x, inner and moves */
    double *next, *step, *from;         /* unknowns entries each */
    double *A, *b, *c, *low, *high, *x; /* the linear program */
    double *sorted, *reach;             /* an entry for each row; reach: 1 where the program may need the row */
    double *inner;                      /* workspace of the programs */
    size_t *moves;                      /* the unknowns that move */
    size_t iterations;
    double *E; /* the maxima at v */
    steep_error *error;
} descent;

static bool is_finite(const double E[2])
{
    return isfinite(E[0]) && isfinite(E[1]);
}

static steep_status open_descent(descent *d)
{
    const size_t n = d->problem->unknowns, most = 2 * ROWS_OF_A_KIND, columns = n + 2;
    d->rows.unknowns = n;
    d->memory = STEEP_BLOCK(STEEP_SHARE(d->next, n), STEEP_SHARE(d->step, n), STEEP_SHARE(d->from, n),
                            STEEP_SHARE(d->A, most * columns), STEEP_SHARE(d->b, most), STEEP_SHARE(d->c, columns),
                            STEEP_SHARE(d->low, columns), STEEP_SHARE(d->high, columns), STEEP_SHARE(d->x, columns),
                            STEEP_SHARE(d->inner, steep_program_workspace(most, columns)), STEEP_SHARE(d->moves, n));
    return d->memory ? STEEP_OK : steep_fail(d->error, STEEP_NO_MEMORY, "no memory for %zu unknowns", n);
}

static steep_status fill_rows(descent *d, const double *v)
{
    d->rows.count = 0;
    steep_status status = d->problem->rows(d->problem->context, v, &d->rows);
    if (status < 0) return steep_fail(d->error, status, "the rows of a minimax problem could not be formed");
    double *sorted = realloc(d->sorted, (2 * d->rows.room + 1) * sizeof *sorted);
    if (!sorted) return steep_fail(d->error, STEEP_NO_MEMORY, "no memory for %zu rows", d->rows.room);
    d->sorted = sorted;
    d->reach = sorted + d->rows.room;
    return STEEP_OK;
}

/* The largest |s_j|. Radius 0: the unknowns in which rows are linear move alone. */
static double reach_of(const descent *d, size_t j, double radius)
{
    const double scale = d->problem->scale ? d->problem->scale[j] : 1;
    return radius > 0 ? radius * scale : d->problem->linear[j] ? WIDE * scale : 0;
}

/* Marks by reach[] = 1 the rows that may be the largest of their kind somewhere in the trust region: no other row of
 * this kind stays above their largest value there. Rows without a mark do not change the program. */
static void mark_rows(descent *d, size_t moving, double radius)
{
    const size_t n = d->problem->unknowns;
    double kept[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < d->rows.count; i++) {
        const int kind = d->rows.kind[i];
        double sum = 0; /* by how much the row may change */
        for (size_t m = 0; m < moving; m++)
            sum += fabs(d->rows.g[i * n + d->moves[m]]) * reach_of(d, d->moves[m], radius);
        d->reach[i] = sum;
        kept[kind] = fmax(kept[kind], d->rows.r[i] - d->reach[i]);
    }
    for (size_t i = 0; i < d->rows.count; i++) d->reach[i] = d->rows.r[i] + d->reach[i] >= kept[d->rows.kind[i]];
}

/* The program leaves out marked rows of this kind with r below the returned value. */
static double cut_of(descent *d, int kind)
{
    size_t count = 0;
    for (size_t i = 0; i < d->rows.count; i++)
        if (d->rows.kind[i] == kind && d->reach[i] > 0) d->sorted[count++] = d->rows.r[i];
    steep_sort_numbers(d->sorted, count);
    return count > ROWS_OF_A_KIND ? d->sorted[count - ROWS_OF_A_KIND] : -INFINITY;
}

/* Writes the program's rows for the unknowns that move, each in units of its largest |s_j|; most: the largest r of each
 * kind. Returns the number of rows. */
static size_t write_rows(descent *d, size_t moving, double radius, double most[2])
{
    const size_t n = d->problem->unknowns;
    size_t rows = 0;
    mark_rows(d, moving, radius);
    for (int kind = 0; kind < 2; kind++) {
        const double cut = cut_of(d, kind);
        size_t count = 0;
        for (size_t i = 0; i < d->rows.count && count < ROWS_OF_A_KIND; i++) {
            if (d->rows.kind[i] != kind || !(d->reach[i] > 0) || !(d->rows.r[i] >= cut)) continue;
            double *row = d->A + rows * (moving + 2);
            for (size_t m = 0; m < moving; m++)
                row[m] = -d->rows.g[i * n + d->moves[m]] * reach_of(d, d->moves[m], radius);
            row[moving] = kind == 0;
            row[moving + 1] = kind == 1;
            d->b[rows++] = d->rows.r[i];
            most[kind] = fmax(most[kind], d->rows.r[i]);
            count++;
        }
    }
    return rows;
}

/* Solves the program of this radius at maxima E; its unknowns are s, E0, E1. Writes the step; *promised: its E0 + E1;
 * *least: a lower bound for all steps. False: another step may have much less. */
static bool solve_program(descent *d, const double E[2], double radius, double *promised, double *least)
{
    const size_t n = d->problem->unknowns;
    const double now = E[0] + E[1];
    double most[2] = {0, 0};
    size_t moving = 0;
    for (size_t j = 0; j < n; j++)
        if (reach_of(d, j, radius) > 0) d->moves[moving++] = j;
    for (size_t m = 0; m < moving; m++) {
        d->x[m] = d->c[m] = 0;
        d->low[m] = -1;
        d->high[m] = 1;
    }
    const size_t rows = write_rows(d, moving, radius, most);
    for (size_t k = 0; k < 2; k++) { /* E of a kind without rows goes to 0 */
        d->c[moving + k] = 1;
        d->low[moving + k] = 0;
        d->high[moving + k] = ABOVE * now;
        d->x[moving + k] = most[k] + SLACK * now;
    }
    const steep_program program = {rows, moving + 2, d->A, d->b, d->c, d->low, d->high};
    *least = steep_program_solve(&program, now, d->x, d->inner);
    *promised = d->x[moving] + d->x[moving + 1];
    memset(d->step, 0, n * sizeof *d->step);
    for (size_t m = 0; m < moving; m++) d->step[d->moves[m]] = d->x[m] * reach_of(d, d->moves[m], radius);
    return isfinite(*least) && *promised - *least <= SOLVED * (now - *least);
}

/* next = v + share step; E: its maxima. */
static steep_status try_step(descent *d, const double *v, double E[2])
{
    const size_t n = d->problem->unknowns;
    const double share = d->problem->reach ? d->problem->reach(d->problem->context, v, d->step) : 1;
    for (size_t j = 0; j < n; j++) d->next[j] = reach_of(d, j, 1) > 0 ? v[j] + share * d->step[j] : v[j];
    steep_status status = d->problem->norms(d->problem->context, d->next, E);
    return status == STEEP_NO_MEMORY ? steep_fail(d->error, status, "no memory for the norms of a network") : STEEP_OK;
}

/* Solves anew for the unknowns in which rows are linear, at next, whose maxima are E; keeps them if E0 + E1 falls. */
static steep_status settle(descent *d, double E[2])
{
    const size_t n = d->problem->unknowns;
    double promised, least, other[2];
    if (!d->problem->linear) return STEEP_OK;
    memcpy(d->from, d->next, n * sizeof *d->from);
    steep_status status = fill_rows(d, d->from);
    if (status < 0 || !solve_program(d, E, 0, &promised, &least)) return status;
    status = try_step(d, d->from, other);
    if (status >= 0 && is_finite(other) && other[0] + other[1] < E[0] + E[1]) memcpy(E, other, sizeof other);
    else memcpy(d->next, d->from, n * sizeof *d->from);
    return status;
}

static bool may_proceed(descent *d, double radius)
{
    const steep_progress progress = {.stage = "programs",
                                     .iteration = d->iterations++,
                                     .rmse = d->E[0] + d->E[1],
                                     .gradient_norm = NAN,
                                     .step = radius};
    return steep_monitor_proceed(&d->options->monitor, &progress);
}

/* Tries the program's step; *ratio: decrease of the maxima over the promised decrease. */
static steep_status follow(descent *d, const double *v, double promised, double E[2], double *ratio)
{
    const double now = d->E[0] + d->E[1], promise = now - promised;
    steep_status status = try_step(d, v, E);
    if (status < 0 || !is_finite(E)) return status;
    *ratio = (now - E[0] - E[1]) / promise;
    if (*ratio < FOLLOWED) status = settle(d, E);
    *ratio = (now - E[0] - E[1]) / promise;
    return status;
}

static steep_status run_programs(descent *d, double *v)
{
    double radius = d->options->radius, before = INFINITY;
    for (size_t i = 0; i < d->options->iterations; i++) {
        double promised, least, E[2], ratio = -1, now = d->E[0] + d->E[1];
        if (d->options->patience > 0 && i % d->options->patience == 0) {
            if (before - now < SLOW * now) break;
            before = now;
        }
        if (!may_proceed(d, radius)) return STEEP_STOPPED;
        steep_status status = fill_rows(d, v);
        if (status < 0) return status;
        const bool solved = solve_program(d, d->E, radius, &promised, &least);
        if (!(now > 0) || now - least <= d->options->tolerance * now) return STEEP_CONVERGED;
        if (solved) status = follow(d, v, promised, E, &ratio);
        if (status < 0) return status;
        if (ratio > TAKEN) {
            memcpy(v, d->next, d->problem->unknowns * sizeof *v);
            memcpy(d->E, E, sizeof E);
        }
        if (ratio > 0.6) radius = fmin(1, 1.8 * radius);
        else if (ratio < FOLLOWED) radius *= 0.4;
        if (radius < 1e-13) return STEEP_STALLED;
    }
    return STEEP_MAX_ITERATIONS;
}

steep_status steep_minimax_solve(const steep_minimax *problem, const steep_minimax_options *options, double *v,
                                 double E[2], steep_error *error)
{
    const steep_minimax_options usual = steep_minimax_options_default();
    descent d = {.problem = problem, .options = options ? options : &usual, .E = E, .error = error};
    steep_status status = problem->norms(problem->context, v, E);
    if (status < 0) return steep_fail(error, status, "the norms of the first network could not be found");
    if (!is_finite(E)) return steep_fail(error, STEEP_NOT_FINITE, "the norms of the first network are not finite");
    status = open_descent(&d);
    if (status >= 0) status = run_programs(&d, v);
    steep_minimax_rows_free(&d.rows);
    free(d.sorted);
    free(d.memory);
    return status;
}
