/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile of 256 rows is packed without its columns of zeros, by rows, in stripes of 192 columns. Each panel of 32 of
 * these columns and each stripe give one product C = panel' stripe, from the diagonal on, which is added to G at the
 * columns' own places. A pair of a panel and a stripe is one part for the threads.
 *
 * The factor is made 32 rows at a time (right-looking): first the triangle of these rows, then the solve for their
 * other columns, then the update of the rows below, R -= rows' rows, in blocks of 32 rows and 192 columns. */
#include "numerics/gram.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/sizes.h"
#include "numerics/dense.h"

enum { TILE = 256, PANEL = 32, STRIPE = 192, GROUP = 8, A_STRIDE = STRIPE + 8 };

bool steep_gram_open(steep_gram *g, size_t n, steep_team *team)
{
    const size_t ld = steep_round_up(n, PANEL), stripes = steep_pieces(n, STRIPE);
    *g = (steep_gram){.n = n, .ld = ld, .team = team, .set = steep_dense_sets(0)};
    g->block = STEEP_BLOCK(STEEP_SHARE(g->G, ld * ld), STEEP_SHARE(g->R, ld * ld), STEEP_SHARE(g->scale, ld),
                           STEEP_SHARE(g->A, stripes * TILE * A_STRIDE), STEEP_SHARE(g->negative, PANEL * ld),
                           STEEP_SHARE(g->active, n + STRIPE));
    return g->block != NULL;
}

void steep_gram_close(steep_gram *g)
{
    free(g->block);
    *g = (steep_gram){0};
}

typedef struct tile {
    steep_gram *g;
    const double *J;
    size_t m, first, rows, padded, count; /* rows of J; first row, rows, padded rows of the tile; active columns */
} tile;

/* Part: STRIPE columns of J. active[p] = p if column p has an entry in the tile that is not 0, else n. */
static void mark_part(void *context, size_t part)
{
    const tile *t = context;
    for (size_t p = part * STRIPE; p < steep_least(t->g->n, (part + 1) * STRIPE); p++) {
        const double *column = t->J + p * t->m + t->first;
        size_t k = 0;
        while (k < t->rows && column[k] == 0) k++;
        t->g->active[p] = k < t->rows ? p : t->g->n;
    }
}

/* Copies GROUP active columns of J, from active column `from` on, into A; zeros where there are no more. */
static void pack_group(const tile *t, size_t from, double *A)
{
    static const double none[TILE];
    const double *J[GROUP];
    for (size_t i = 0; i < GROUP; i++)
        J[i] = from + i < t->count ? t->J + t->g->active[from + i] * t->m + t->first : none;
    for (size_t k = 0; k < t->rows; k++)
        for (size_t i = 0; i < GROUP; i++) A[k * A_STRIDE + i] = J[i][k];
    for (size_t k = t->rows; k < t->padded; k++) memset(A + k * A_STRIDE, 0, GROUP * sizeof *A);
}

/* Part: packs a stripe. */
static void pack_part(void *context, size_t stripe)
{
    const tile *t = context;
    double *A = t->g->A + stripe * TILE * A_STRIDE;
    for (size_t c = 0; c < STRIPE && stripe * STRIPE + c < t->count + PANEL; c += GROUP)
        pack_group(t, stripe * STRIPE + c, A + c);
}

/* Part panel + panels * stripe: multiplies the panel and the stripe. */
static void multiply_part(void *context, size_t part)
{
    const tile *t = context;
    steep_gram *g = t->g;
    const size_t panels = steep_pieces(t->count, PANEL), i = part % panels * PANEL, j = part / panels * STRIPE;
    const size_t high = steep_least(PANEL, t->count - i), from = i > j ? i - j : 0,
                 wide = steep_least(STRIPE, t->count - j);
    if (from >= wide) return; /* below the diagonal */
    const double *A = g->A + i / STRIPE * TILE * A_STRIDE + i % STRIPE, *B = g->A + j / STRIPE * TILE * A_STRIDE + from;
    double C[PANEL * STRIPE] = {0};
    g->set->gather(&(steep_product){
        t->padded, {PANEL, A, A_STRIDE}, {steep_round_up(wide - from, GROUP), B, A_STRIDE}, C, STRIPE});
    for (size_t a = 0; a < high; a++) {
        double *row = g->G + g->active[i + a] * g->ld;
        for (size_t b = i + a < j + from ? 0 : i + a - j - from; b < wide - from; b++)
            row[g->active[j + from + b]] += C[a * STRIPE + b];
    }
}

void steep_gram_form(steep_gram *g, size_t m, const double *J)
{
    memset(g->G, 0, g->ld * g->ld * sizeof *g->G);
    tile t = {.g = g, .J = J, .m = m};
    for (t.first = 0; t.first < m; t.first += TILE) {
        t.rows = steep_least(TILE, m - t.first);
        t.padded = steep_round_up(t.rows, GROUP);
        steep_team_run(g->team, steep_pieces(g->n, STRIPE), mark_part, &t);
        t.count = 0;
        for (size_t p = 0; p < g->n; p++)
            if (g->active[p] < g->n) g->active[t.count++] = p;
        steep_team_run(g->team, steep_pieces(t.count, STRIPE), pack_part, &t);
        steep_team_run(g->team, steep_pieces(t.count, PANEL) * steep_pieces(t.count, STRIPE), multiply_part, &t);
    }
}

void steep_gram_add(steep_gram *g, size_t count, const double *V)
{
    for (size_t i = 0; i < count; i++, V += g->n)
        for (size_t p = 0; p < g->n; p++)
            if (V[p] != 0) steep_dense_add(g->n - p, V[p], V + p, g->G + p * g->ld + p);
}

/* Factors the diagonal block of PANEL rows from row `from` on, in place. Where a pivot is rounding: with drops, an
 * infinite pivot and zeros to the right of it in the block; else returns false. */
static bool factor_diagonal(steep_gram *g, size_t from, bool drops)
{
    const double least = (double)g->n * DBL_EPSILON, rounding = drops ? fmax(least, STEEP_FOLD_ROUNDING) : least;
    for (size_t i = from; i < from + PANEL; i++) {
        double *row = g->R + i * g->ld;
        if (!(row[i] > rounding)) {
            if (!drops) return false;
            row[i] = INFINITY;
            memset(row + i + 1, 0, (from + PANEL - i - 1) * sizeof *row);
            continue;
        }
        const double root = sqrt(row[i]);
        for (size_t j = i; j < from + PANEL; j++) row[j] /= root;
        for (size_t k = i + 1; k < from + PANEL; k++)
            for (size_t j = k; j < from + PANEL; j++) g->R[k * g->ld + j] -= row[k] * row[j];
    }
    return true;
}

typedef struct step {
    steep_gram *g;
    size_t from;
} step;

/* Part: STRIPE columns to the right of the diagonal block are multiplied by R'^-1; `negative` takes their negatives. */
static void solve_part(void *context, size_t part)
{
    const step *s = context;
    const size_t ld = s->g->ld, at = s->from + PANEL + part * STRIPE, wide = steep_least(STRIPE, ld - at);
    double *R = s->g->R + s->from * ld;
    for (size_t i = 0; i < PANEL; i++) {
        double *row = R + i * ld;
        for (size_t k = 0; k < i; k++) steep_dense_add(wide, -R[k * ld + s->from + i], R + k * ld + at, row + at);
        for (size_t j = at; j < at + wide; j++) {
            row[j] /= row[s->from + i];
            s->g->negative[i * ld + j] = -row[j];
        }
    }
}

/* Part panel + panels * stripe: updates PANEL rows below the block, in STRIPE columns. */
static void update_part(void *context, size_t part)
{
    const step *s = context;
    const size_t ld = s->g->ld, behind = s->from + PANEL, panels = (ld - behind) / PANEL,
                 at = behind + part % panels * PANEL, stripe = behind + part / panels * STRIPE,
                 end = steep_least(stripe + STRIPE, ld), first = at > stripe ? at : stripe;
    if (first >= end) return; /* below the diagonal */
    double *R = s->g->R + first;
    s->g->set->gather(&(steep_product){
        PANEL, {PANEL, s->g->negative + at, ld}, {end - first, R + s->from * ld, ld}, R + at * ld, ld});
}

/* Part: PANEL rows of R = S G S, with a unit diagonal. */
static void scale_part(void *context, size_t part)
{
    const step *s = context;
    const steep_gram *g = s->g;
    for (size_t p = part * PANEL; p < (part + 1) * PANEL; p++) {
        const double *G = g->G + p * g->ld;
        double *row = g->R + p * g->ld;
        for (size_t q = p + 1; q < g->ld; q++) row[q] = g->scale[p] * G[q] * g->scale[q];
        row[p] = 1;
    }
}

/* d NULL: factors G, and drops the rows whose pivots are rounding. */
bool steep_gram_factor(steep_gram *g, const double *d)
{
    const size_t ld = g->ld;
    for (size_t p = 0; p < ld; p++) {
        double diagonal = p < g->n ? g->G[p * ld + p] + (d ? d[p] * d[p] : 0) : 1;
        if (!d && diagonal == 0) diagonal = 1;
        if (!(diagonal > 0 && isfinite(diagonal))) return false;
        g->scale[p] = 1 / sqrt(diagonal);
    }
    step s = {g, 0};
    steep_team_run(g->team, ld / PANEL, scale_part, &s);
    for (; s.from < ld; s.from += PANEL) {
        const size_t below = ld - s.from - PANEL;
        if (!factor_diagonal(g, s.from, !d)) return false;
        steep_team_run(g->team, steep_pieces(below, STRIPE), solve_part, &s);
        steep_team_run(g->team, below / PANEL * steep_pieces(below, STRIPE), update_part, &s);
    }
    return true;
}

bool steep_gram_triangle(steep_gram *g)
{
    if (!steep_gram_factor(g, NULL)) return false;
    for (size_t p = 0; p < g->n; p++) {
        double *row = g->R + p * g->ld;
        if (isinf(row[p]) || g->G[p * g->ld + p] == 0) row[p] = 0;
        for (size_t q = p; q < g->n; q++) row[q] /= g->scale[q];
    }
    return true;
}

void steep_gram_solve(const steep_gram *g, double *x)
{
    for (size_t i = 0; i < g->n; i++) x[i] *= g->scale[i];
    steep_dense_lower_solve(g->n, g->R, g->ld, x);
    steep_dense_lower_transposed_solve(g->n, g->R, g->ld, x);
    for (size_t i = 0; i < g->n; i++) x[i] *= g->scale[i];
}

double steep_gram_inverse_norm(const steep_gram *g, double *x)
{
    for (size_t i = 0; i < g->n; i++) x[i] *= g->scale[i];
    steep_dense_lower_solve(g->n, g->R, g->ld, x);
    return steep_dense_norm(g->n, x);
}
