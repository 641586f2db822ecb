/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step 3 of laws.c: adaptive quadrature over the parameters of a kind. */
#include "slope/law_search.h"

#include <float.h>
#include <string.h>

#define NEGLIGIBLE 1e-5 /* as a share of all weight */
enum {
    SHARE = 40,
    FEW = 5, /* so few points leave wide posteriors, which coarser cells resolve */
    COARSER = 2,
    SHARE_OF_FEW = 5
};

const steep_law_layout steep_law_layouts[STEEP_KINDS] = {
    [STEEP_KIND_POWER] = {0.25, 0, 0, {1, 1, 1, 1}, 1},
    [STEEP_KIND_LOG] = {0.15, 0, 2, {6, 6, 1, 1}, 300},
    [STEEP_KIND_SHIFTED] = {0.15, 0, 1, {24, 1, 1, 1}, 200},
    [STEEP_KIND_BROKEN] = {0.20, 1, 2, {6, 24, 1, 1}, 800},
    [STEEP_KIND_HALVES] = {0.15, 0, 1, {24, 1, 1, 1}, 200},
    [STEEP_KIND_CORRECTED] = {0.10, 0, 2, {12, 3, 1, 1}, 300},
    [STEEP_KIND_TWICE] = {0.20, 2, 4, {3, 8, 3, 5}, STEEP_LAW_MOST_CELLS},
    [STEEP_KIND_TRANSIENT] = {0.10, 0, 3, {4, 10, 4, 1}, STEEP_LAW_MOST_CELLS},
    [STEEP_KIND_OFFSET] = {0.08, 0, 1, {16, 1, 1, 1}, STEEP_LAW_MOST_LEVELS},
    [STEEP_KIND_FLOORED] = {0.08, 0, 1, {16, 1, 1, 1}, STEEP_LAW_MOST_LEVELS},
    [STEEP_KIND_EXPANDED] = {1.00, 1, 0, {1, 1, 1, 1}, 1},
    [STEEP_KIND_FASTER] = {0.04, 0, 1, {8, 1, 1, 1}, 24},
};

/* The box of a kind's parameters; the prior over the box is uniform, but for s of shifted and d of log. */
static void box_of(const steep_law_search *s, steep_law_kind kind, double low[4], double high[4])
{
    const double *u = s->points->u, first = u[0], last = u[s->points->count - 1];
    const double early = first - 0.7, late = fmax(last - s->span, first); /* where laws break */
    const double above = s->options->law == STEEP_LAW_OFFSET ? 0 : 0.2;   /* log(largest E / least error) */
    const double box[STEEP_KINDS][2][4] = {
        [STEEP_KIND_SHIFTED] = {{-3}, {fmax(1, last - first - 0.7)}},
        [STEEP_KIND_LOG] = {{-1, -1}, {2, 2}},
        [STEEP_KIND_HALVES] = {{-2.3}, {1.6}},
        [STEEP_KIND_CORRECTED] = {{-2.3, 0.7}, {1.6, 2.5}},
        [STEEP_KIND_BROKEN] = {{-2, early}, {4, late}},
        [STEEP_KIND_TWICE] = {{-2, early, -1, 0.4}, {4, late, 3, fmax(late - early, 0.8)}},
        [STEEP_KIND_TRANSIENT] = {{-1, early, -1}, {4, late, 1}},
        [STEEP_KIND_OFFSET] = {{-6}, {above}},
        [STEEP_KIND_FLOORED] = {{-6}, {above}},
        [STEEP_KIND_FASTER] = {{0.3}, {1.2}},
    };
    memcpy(low, box[kind][0], 4 * sizeof *low);
    memcpy(high, box[kind][1], 4 * sizeof *high);
}

/* One of the 2^parameters pieces of a cell. */
static steep_law_cell piece_of(const steep_law_cell *whole, size_t parameters, size_t p)
{
    steep_law_cell piece = *whole;
    piece.pieces = piece.parts = 0;
    for (size_t d = 0; d < parameters; d++) {
        piece.half[d] = whole->half[d] / 2;
        piece.at[d] = whole->at[d] + (p >> d & 1 ? 1 : -1) * piece.half[d];
    }
    return piece;
}

/* Splits a cell into its pieces, and marks them as changed unless they have been weighed beforehand. */
static void split(steep_law_grid *g, size_t i)
{
    const size_t parameters = steep_law_layouts[g->kind].parameters;
    const steep_law_cell whole = g->cells[i];
    for (size_t p = 0; p < (size_t)1 << parameters; p++) {
        const size_t place = p == 0 ? i : g->count++;
        if (whole.pieces > 0) g->cells[place] = g->cells[whole.pieces + p];
        else g->cells[g->changed[g->changes++] = place] = piece_of(&whole, parameters, p);
    }
}

/* Fills the lanes that are weighed together with pieces of the heaviest cells, which are likely to be split. */
static void look_ahead(steep_law_grid *g)
{
    const size_t parameters = steep_law_layouts[g->kind].parameters, pieces = (size_t)1 << parameters;
    while (g->changes % STEEP_LANES > 0 && g->changes % STEEP_LANES + pieces <= STEEP_LANES &&
           g->pieces + pieces <= 2 * STEEP_LAW_MOST_CELLS) {
        steep_law_cell *likely = NULL;
        for (steep_law_cell *c = g->cells; c < g->cells + g->count; c++)
            if (c->pieces == 0 && c->parts > 0 && !(likely && likely->weight >= c->weight)) likely = c;
        if (!likely) return;
        likely->pieces = g->pieces;
        for (size_t p = 0; p < pieces; p++)
            g->cells[g->changed[g->changes++] = g->pieces++] = piece_of(likely, parameters, p);
    }
}

/* Whether a cell is larger than the other and touches it. */
static bool touches(const steep_law_cell *c, const steep_law_cell *other, size_t parameters)
{
    if (!(c->half[0] > 1.5 * other->half[0])) return false; /* most are not */
    for (size_t d = 0; d < parameters; d++)
        if (fabs(c->at[d] - other->at[d]) > (c->half[d] + other->half[d]) * (1 + 1e-9)) return false;
    return true;
}

static void fill_shares(steep_law_grid *g)
{
    for (size_t i = 0; i < g->changes; i++) {
        steep_law_cell *c = &g->cells[g->changed[i]];
        c->share = steep_exp(c->weight - g->unit);
    }
}

/* log of the sum of all weights. */
static double sum_cells(const steep_law_grid *g)
{
    double sum = -INFINITY;
    for (size_t i = 0; i < g->count; i++) steep_law_add(&sum, g->cells[i].weight);
    return sum;
}

/* Whether a cell holds more than 1/parts of the weight: by the shares, or where rounding of these could decide, by
 * sum_cells, which takes longer. */
static bool is_heavy(const steep_law_grid *g, const steep_law_cell *c, int parts)
{
    const double rounding = 4 * DBL_EPSILON * (double)g->count * (fabs(c->weight) + 8); /* of the two ways, about */
    double sum = 0;
    for (size_t i = 0; i < g->count; i++) sum += g->cells[i].share;
    const double least = g->unit + steep_log(sum) - steep_log(parts);
    if (isfinite(least) && fabs(c->weight - least) > rounding) return c->weight > least;
    return c->weight > sum_cells(g) - steep_log(parts);
}

/* Sets the first cells. Returns the log volume of the box in the parameters whose prior is uniform. */
static double lay_out(const steep_law_search *s, steep_law_grid *g)
{
    const steep_law_layout *l = &steep_law_layouts[g->kind];
    double low[4], high[4], volume = 0;
    box_of(s, g->kind, low, high);
    const size_t coarser = s->points->count <= FEW ? COARSER : 1;
    size_t cells[4];
    g->count = 1;
    for (size_t d = 0; d < 4; d++) g->count *= cells[d] = (l->cells[d] + coarser - 1) / coarser;
    g->changes = 0;
    g->pieces = STEEP_LAW_MOST_CELLS;
    steep_law_cell c = {.weight = 0};
    for (size_t d = 0; d < 4; d++) c.half[d] = 0.5 * (high[d] - low[d]) / (double)cells[d];
    for (size_t i = 0; i < g->count; i++) {
        for (size_t d = 0, left = i; d < 4; left /= cells[d++])
            c.at[d] = low[d] + (double)(2 * (left % cells[d]) + 1) * c.half[d];
        g->cells[i] = c;
        g->changed[g->changes++] = i;
    }
    for (size_t d = 0; d < l->parameters; d++)
        if (g->kind != STEEP_KIND_SHIFTED && !(g->kind == STEEP_KIND_LOG && d == 1))
            volume += steep_log(high[d] - low[d]);
    return volume;
}

static size_t heaviest_of(const steep_law_grid *g)
{
    size_t heaviest = 0;
    for (size_t i = 1; i < g->count; i++)
        if (g->cells[i].weight > g->cells[heaviest].weight) heaviest = i;
    return heaviest;
}

/* Splits the heaviest cell and its larger neighbours. False where no cell is heavy or there is no room for more. */
static bool refine(steep_law_grid *g, int parts)
{
    const steep_law_layout *l = &steep_law_layouts[g->kind];
    const size_t more = ((size_t)1 << l->parameters) - 1;
    g->changes = 0;
    if (l->parameters == 0 || g->count + more > l->most) return false;
    const size_t heaviest = heaviest_of(g);
    const steep_law_cell whole = g->cells[heaviest];
    if (!is_heavy(g, &whole, parts) || whole.half[0] < 1e-6) return false;
    split(g, heaviest);
    /* Weight at the edge of a cell may show only in a neighbour; so no neighbour stays more than twice as large. */
    for (size_t i = 0; i < g->count && g->count + more <= l->most; i++)
        if (touches(&g->cells[i], &whole, l->parameters)) split(g, i);
    return true;
}

/* Keeps the parts, from first on, of cells that are not negligible; sum: log of the sum of all cells' weights. */
static void keep_parts(steep_law_search *s, const steep_law_grid *g, size_t first, double sum)
{
    const double least = sum + steep_log(NEGLIGIBLE);
    size_t kept = 0;
    steep_law_part *to = steep_law_room(s, s->parts - first);
    for (const steep_law_cell *c = g->cells; to && c < g->cells + g->count; c++)
        for (size_t i = c->part; c->weight > least && i < c->part + c->parts; i++)
            if (s->part[i].order.weight > -INFINITY) to[kept++] = s->part[i];
    if (kept > 0) memmove(s->part + first, to, kept * sizeof *to);
    s->parts = first + kept;
}

double steep_law_divide(steep_law_search *s, steep_law_grid *g, steep_law_kind kind)
{
    const size_t first = s->parts;
    g->kind = kind;
    const double volume = lay_out(s, g);
    steep_law_weigh(s, g);
    g->unit = g->cells[heaviest_of(g)].weight;
    fill_shares(g);
    while (refine(g, s->points->count <= FEW ? SHARE_OF_FEW : SHARE)) {
        look_ahead(g);
        steep_law_weigh(s, g);
        fill_shares(g);
    }
    const double sum = sum_cells(g);
    keep_parts(s, g, first, sum);
    for (size_t i = first; i < s->parts; i++) s->part[i].order.weight -= volume;
    return sum - volume;
}
