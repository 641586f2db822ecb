/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows come in tiles of at most TILE. A tile B is folded into R by reflections of [R; B]. The reflection of column j is
 * I - tau v v' with v = e_j over v_b, since R is 0 below its diagonal. A panel, PANEL reflections, is I - V T V'
 * (Schreiber and Van Loan, as in numerics/qr), and is made in groups of GROUP, which one register of eight holds.
 *
 * A tile is worked on from left to right, one stripe of columns at a time; a stripe stays in the cache. A stripe is
 * loaded from J, the panels of earlier stripes are applied to it (their V and T are kept: V of panel p by rows, at V +
 * p TILE V_STRIDE), then its own panels are made. The result stands in R, and the stripe is not needed any more.
 *
 *   W = R's rows + V'C,  U = T'W,  R's rows -= U,  C -= V U
 *
 * A stripe waits for the previous stripe of its tile, and for the same stripe of the previous tile. With a team all
 * stripes with tile + stripe = w, a wave, are done at once, each with its own workspace; each tile of a wave has its
 * own V and T. No number depends on the order.
 *
 * The first rows are folded into an empty R like all others, which costs (2/3) n^3 more than a factorisation in place.
 * (After as many reflections as a tile has rows, nothing should be left of the tile. But the reflection of a column
 * that depends on earlier columns is made of rounding, and is not orthogonal to the others: something is left.) */
#include "numerics/fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/sizes.h"

#define TILE     256
#define STRIPE   288 /* a multiple of PANEL, and of 24 */
#define PANEL    32
#define GROUP    8
#define V_STRIDE (PANEL + 8) /* an odd number of cache lines, so that rows do not compete for the same place */

bool steep_fold_open(steep_fold *fold, size_t n, steep_team *team)
{
    const size_t ld = steep_round_up(n + 1, GROUP), panels = steep_pieces(n, PANEL),
                 stride = steep_least(STRIPE, ld) + 8, sets = team ? steep_pieces(ld, STRIPE) : 1;
    *fold = (steep_fold){.n = n, .ld = ld, .stripe = stride, .sets = sets, .team = team, .set = steep_dense_sets(0)};
    fold->block =
        STEEP_BLOCK(STEEP_SHARE(fold->R, ld * ld), STEEP_SHARE(fold->S, ld * ld),
                    STEEP_SHARE(fold->C, sets * TILE * stride), STEEP_SHARE(fold->V, sets * panels * TILE * V_STRIDE),
                    STEEP_SHARE(fold->T, sets * panels * PANEL * PANEL), STEEP_SHARE(fold->W, sets * PANEL * stride),
                    STEEP_SHARE(fold->U, sets * PANEL * stride), STEEP_SHARE(fold->height, sets * (panels + 1)));
    return fold->block != NULL;
}

void steep_fold_close(steep_fold *fold)
{
    free(fold->block);
    *fold = (steep_fold){0};
}

void steep_fold_begin(steep_fold *fold)
{
    memset(fold->R, 0, fold->ld * fold->ld * sizeof *fold->R);
}

/* What is folded: the rows of A and b (entry (k, j) at A[k * row + j * column]), or of a diagonal matrix. */
typedef struct source {
    size_t row, column;
    const double *A, *b, *diagonal;
} source;

/* A tile on its way into R. */
typedef struct tile {
    steep_fold *fold;
    double *R;
    size_t first, rows, padded; /* first row and rows of the source; rows with those of zeros, a multiple of 8 */
    size_t column, width;       /* first column and columns of the stripe */
    double *C, *W, *U, *V, *T;  /* C, W, U are the stripe's, V and T the tile's */
    size_t *height;             /* rows of each panel's V; after these, the first column that is folded */
} tile;

/* Entry (r, j) of the source. Column n is the right side; further columns are 0. */
static double entry(const source *s, size_t n, size_t r, size_t j)
{
    if (j < n && s->A) return s->A[r * s->row + j * s->column];
    if (j < n && s->diagonal && r == j) return s->diagonal[j];
    return j == n && s->b ? s->b[r] : 0;
}

static void load(const tile *t, const source *s)
{
    const size_t ld = t->fold->stripe, step = s->column;
    for (size_t g = 0; g < t->width; g += GROUP) {
        const size_t j = t->column + g;
        double *C = t->C + g;
        const bool plain = s->A && s->row == 1 && j + GROUP <= t->fold->n; /* columns of A */
        const double *A = plain ? s->A + t->first + j * step : NULL;
        for (size_t k = 0; k < t->rows && plain; k++)
            for (size_t c = 0; c < GROUP; c++) C[k * ld + c] = A[k + c * step];
        for (size_t c = 0; c < GROUP && !plain; c++)
            for (size_t k = 0; k < t->rows; k++) C[k * ld + c] = entry(s, t->fold->n, t->first + k, j + c);
    }
    for (size_t k = t->rows; k < t->padded; k++) memset(t->C + k * ld, 0, t->width * sizeof(double));
}

/* Reflections of successive columns; j is the first. */
typedef struct reflections {
    size_t j, rows;
    steep_matrix V; /* by rows */
    double *T;      /* by rows, ld PANEL, zeros below */
} reflections;

/* The reflections of the panel that begins with column j. */
static reflections panel_of(const tile *t, size_t j)
{
    const size_t p = j / PANEL, columns = steep_least(PANEL, steep_round_up(t->fold->n - j, GROUP));
    return (reflections){j, t->height[p], {columns, t->V + p * TILE * V_STRIDE, V_STRIDE}, t->T + p * PANEL * PANEL};
}

/* The address of column j in the stripe. */
static double *column_of(const tile *t, size_t j)
{
    return t->C + (j - t->column);
}

/* Applies the reflections to q columns, from column `at` on. */
static void apply(const tile *t, const reflections *h, size_t at, size_t q)
{
    const size_t ld = t->fold->stripe, ldr = t->fold->ld, k = h->V.n;
    double *W = t->W, *U = t->U, *R = t->R + h->j * ldr + at, *C = column_of(t, at);
    for (size_t i = 0; i < k; i++) memcpy(W + i * ld, R + i * ldr, q * sizeof *W);
    t->fold->set->gather(&(steep_product){h->rows, h->V, {q, C, ld}, W, ld});
    for (size_t i = 0; i < k; i += GROUP) {
        for (size_t l = i; l < i + GROUP; l++) memset(U + l * ld, 0, q * sizeof *U);
        t->fold->set->gather(&(steep_product){i + GROUP, {GROUP, h->T + i, PANEL}, {q, W, ld}, U + i * ld, ld});
    }
    for (size_t i = 0; i < k; i++)
        for (size_t c = 0; c < q; c++) R[i * ldr + c] -= U[i * ld + c];
    t->fold->set->take(&(steep_product){h->rows, h->V, {q, U, ld}, C, ld});
}

/* Computes T of the reflections from V and tau. */
static void close_triangle(const tile *t, const reflections *h, const double *tau)
{
    double gram[PANEL * PANEL] = {0}, *T = h->T;
    t->fold->set->gather(&(steep_product){h->rows, h->V, h->V, gram, PANEL});
    memset(T, 0, PANEL * PANEL * sizeof *T);
    for (size_t j = 0; j < h->V.n; j++) {
        for (size_t i = 0; i < j; i++) {
            double sum = 0;
            for (size_t l = i; l < j; l++) sum += T[i * PANEL + l] * gram[l * PANEL + j];
            T[i * PANEL + j] = -tau[j] * sum;
        }
        T[j * PANEL + j] = tau[j];
    }
}

/* Where squares overflow or underflow: returns |column i| of the group at C, and sets sum[c] = column i times column c
 * over |column i|, for the columns c after i. */
static double careful_length(const tile *t, size_t rows, const double *C, size_t i, double *sum)
{
    double one[TILE], other[TILE], length;
    for (size_t k = 0; k < rows; k++) one[k] = C[k * t->fold->stripe + i];
    length = steep_dense_norm(rows, one);
    if (!(length > 0)) return length;
    for (size_t k = 0; k < rows; k++) one[k] /= length;
    for (size_t c = i + 1; c < GROUP; c++) {
        for (size_t k = 0; k < rows; k++) other[k] = C[k * t->fold->stripe + c];
        sum[c] = steep_dense_dot(rows, one, other);
    }
    return length;
}

/* Makes the reflection of column i of the group that begins with column j, and applies it to R's row. On entry sum[c] =
 * column i times column c of the group. On return v = scale column i (0: no reflection); column c is to lose w[c] v. */
static void make_reflection(tile *t, size_t j, size_t i, steep_reflection *h, double *tau)
{
    double *R = t->R + (j + i) * t->fold->ld + j, *w = h->w, *sum = h->sum, head = R[i], length = sqrt(sum[i]), all = 0;
    h->at = (int)i;
    h->scale = 0;
    memset(w, 0, sizeof h->w);
    *tau = 0;
    if (j + i >= t->fold->n) return;
    for (size_t c = i; c < GROUP; c++) all += fabs(sum[c]);
    if (sum[i] > 0x1p-900 && all < INFINITY)
        for (size_t c = i + 1; c < GROUP; c++) sum[c] /= length;
    else length = careful_length(t, t->height[j / PANEL], column_of(t, j), i, sum);
    const double pair[2] = {head, length}, size = steep_dense_norm(2, pair), beta = head > 0 ? -size : size,
                 scale = 1 / (head - beta);
    if (!(length > 0 && fabs(scale) < INFINITY)) return;
    h->scale = scale;
    *tau = (beta - head) / beta;
    R[i] = beta;
    for (size_t c = i + 1; c < GROUP; c++) {
        w[c] = *tau * (R[c] + sum[c] * (length * scale));
        R[c] -= w[c];
    }
}

/* Makes the reflections of GROUP columns, from column j on. */
static void factor_group(tile *t, size_t j, double *tau)
{
    steep_reflection h = {.at = -1};
    for (size_t i = 0; i <= GROUP; i++) {
        t->fold->set->reflect_rows(t->height[j / PANEL], column_of(t, j), t->fold->stripe, &h);
        if (i < GROUP) make_reflection(t, j, i, &h, tau + i);
    }
}

/* Makes the panel that begins with column j, and applies it to the rest of the stripe. */
static void factor_panel(tile *t, size_t j)
{
    const size_t ld = t->fold->stripe;
    const reflections whole = panel_of(t, j);
    const size_t end = j + whole.V.n, after = t->column + t->width - end;
    double *V = t->V + j / PANEL * TILE * V_STRIDE, group[PANEL * PANEL], tau[PANEL];
    for (size_t g = j; g < end; g += GROUP) {
        const reflections some = {g, whole.rows, {GROUP, column_of(t, g), ld}, group};
        factor_group(t, g, tau + (g - j));
        if (g + GROUP == end) break;
        close_triangle(t, &some, tau + (g - j));
        apply(t, &some, g + GROUP, end - g - GROUP);
    }
    for (size_t r = 0; r < whole.rows; r++) memcpy(V + r * V_STRIDE, column_of(t, j) + r * ld, whole.V.n * sizeof *V);
    close_triangle(t, &whole, tau);
    if (after > 0) apply(t, &whole, end, after);
}

/* A source that is folded into R, and the current wave. */
typedef struct folding {
    steep_fold *fold;
    double *R;
    size_t m, wave, last; /* rows of the source; the wave, and its last stripe */
    const source *s;
} folding;

/* The number of leading columns that are 0 in all these rows, rounded down to a multiple of PANEL. */
static size_t columns_of_zeros(const source *s, size_t n, size_t first, size_t rows)
{
    size_t j = 0, k = 0;
    while (j < n && entry(s, n, first + k, j) == 0)
        if (++k == rows) j++, k = 0;
    return j / PANEL * PANEL;
}

static void fold_stripe(const folding *o, size_t number, size_t stripe)
{
    steep_fold *f = o->fold;
    const size_t panels = steep_pieces(f->n, PANEL), own = stripe % f->sets, shared = number % f->sets;
    tile t = {.fold = f, .R = o->R, .first = number * TILE, .rows = steep_least(TILE, o->m - number * TILE)};
    t.height = f->height + shared * (panels + 1);
    if (stripe == 0) t.height[panels] = o->s->diagonal ? t.first : columns_of_zeros(o->s, f->n, t.first, t.rows);
    const size_t from = t.height[panels], end = steep_least((stripe + 1) * STRIPE, f->ld),
                 column = t.column = stripe * STRIPE > from ? stripe * STRIPE : from;
    if (column >= end) return;
    t.padded = steep_round_up(t.rows, GROUP);
    t.width = end - column;
    t.C = f->C + own * TILE * f->stripe;
    t.W = f->W + own * PANEL * f->stripe;
    t.U = f->U + own * PANEL * f->stripe;
    t.V = f->V + shared * panels * TILE * V_STRIDE;
    t.T = f->T + shared * panels * PANEL * PANEL;
    load(&t, o->s);
    for (size_t j = from; j < steep_least(column, f->n); j += PANEL) {
        const reflections before = panel_of(&t, j);
        apply(&t, &before, column, t.width);
    }
    for (size_t j = column; j < steep_least(end, f->n); j += PANEL) {
        t.height[j / PANEL] = o->s->diagonal ? steep_least(t.padded, j + PANEL - t.first) : t.padded;
        factor_panel(&t, j);
    }
}

/* Part: a stripe of the wave. The last stripe takes longest, and comes first. */
static void fold_part(void *context, size_t part)
{
    const folding *o = context;
    fold_stripe(o, o->wave - (o->last - part), o->last - part);
}

static void fold_source(steep_fold *fold, double *R, size_t m, const source *s)
{
    const size_t tiles = steep_pieces(m, TILE), stripes = steep_pieces(fold->ld, STRIPE);
    folding o = {.fold = fold, .R = R, .m = m, .s = s};
    for (size_t i = 0; i < tiles && fold->sets == 1; i++)
        for (size_t stripe = 0; stripe < stripes; stripe++) fold_stripe(&o, i, stripe);
    for (; tiles > 0 && fold->sets > 1 && o.wave < tiles + stripes - 1; o.wave++) {
        const size_t first = o.wave < tiles ? 0 : o.wave - tiles + 1;
        o.last = steep_least(o.wave, stripes - 1);
        steep_team_run(fold->team, o.last - first + 1, fold_part, &o);
    }
}

void steep_fold_rows(steep_fold *fold, size_t m, const double *A, size_t row, size_t column, const double *b)
{
    source s = {.row = row, .column = column, .A = A, .b = b};
    fold_source(fold, fold->R, m, &s);
}

void steep_fold_damp(steep_fold *fold, const double *d)
{
    source s = {.diagonal = d};
    for (size_t i = 0; i < fold->n; i++)
        memcpy(fold->S + i * fold->ld + i, fold->R + i * fold->ld + i, (fold->ld - i) * sizeof *fold->S);
    fold_source(fold, fold->S, fold->n, &s);
}

bool steep_fold_span(steep_fold *fold, size_t m, const double *A, double *b, steep_span *span)
{
    const size_t n = fold->n;
    steep_fold_begin(fold);
    steep_fold_rows(fold, m, A, 1, m, b);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) span->A[i + j * n] = i <= j ? fold->R[i * fold->ld + j] : 0;
        b[j] = fold->R[j * fold->ld + n];
    }
    return steep_span_factor(span, STEEP_FOLD_ROUNDING);
}

void steep_fold_times(const steep_fold *fold, const double *R, double *x)
{
    for (size_t i = 0; i < fold->n; i++) x[i] = steep_dense_dot(fold->n - i, R + i * fold->ld + i, x + i);
}

void steep_fold_transposed_times(const steep_fold *fold, const double *R, double *x)
{
    for (size_t i = fold->n; i-- > 0;) {
        const double *row = R + i * fold->ld + i;
        steep_dense_add(fold->n - i - 1, x[i], row + 1, x + i + 1);
        x[i] *= row[0];
    }
}
