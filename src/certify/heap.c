/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A binary heap of boxes, operations on boxes for suprema and means, and the first cuts of the domain. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/enclosed.h"
#include "certify/interval_arithmetic.h"
#include "certify/norms.h"

steep_region *steep_heap_at(const steep_certify_run *run, size_t index)
{
    const size_t stride = sizeof(steep_region) + run->dim * sizeof(steep_interval);
    return (steep_region *)(void *)(run->heap + index * stride);
}

const steep_region *steep_heap_top(const steep_certify_run *run)
{
    return run->count ? steep_heap_at(run, 0) : NULL;
}

static void copy(const steep_certify_run *run, size_t to, size_t from)
{
    memcpy(steep_heap_at(run, to), steep_heap_at(run, from), sizeof(steep_region) + run->dim * sizeof(steep_interval));
}

void steep_heap_push(steep_certify_run *run, double rank, const steep_interval *share, const steep_interval *x)
{
    if (run->count == run->room) {
        const size_t room = 2 * run->room + 64;
        char *grown = realloc(run->heap, room * (sizeof(steep_region) + run->dim * sizeof *x));
        run->failed |= !grown;
        if (!grown) return;
        run->heap = grown;
        run->room = room;
    }
    size_t k = run->count++;
    for (; k > 0 && steep_heap_at(run, (k - 1) / 2)->rank < rank; k = (k - 1) / 2) copy(run, k, (k - 1) / 2);
    steep_region *place = steep_heap_at(run, k);
    place->rank = rank;
    place->share = *share;
    memcpy(place->x, x, run->dim * sizeof *x);
}

void steep_heap_pop(steep_certify_run *run, steep_interval *x)
{
    memcpy(x, steep_heap_at(run, 0)->x, run->dim * sizeof *x);
    const size_t n = --run->count;
    const double rank = steep_heap_at(run, n)->rank;
    size_t k = 0;
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= n) break;
        if (child + 1 < n && steep_heap_at(run, child + 1)->rank > steep_heap_at(run, child)->rank) child++;
        if (!(steep_heap_at(run, child)->rank > rank)) break;
        copy(run, k, child);
        k = child;
    }
    if (k != n) copy(run, k, n);
}

static double centre_of(const steep_interval *x)
{
    const double c = x->low / 2 + x->high / 2;
    return c >= x->low && c <= x->high ? c : x->low;
}

bool steep_certify_has_middle(const steep_interval *x)
{
    return x->low < centre_of(x) && centre_of(x) < x->high;
}

void steep_certify_centre(const steep_certify_run *run, const steep_interval *box, steep_interval *point)
{
    for (size_t j = 0; j < run->dim; j++) steep_interval_set_double(&point[j], centre_of(&box[j]));
}

double steep_certify_width(const steep_certify_run *run, const steep_interval *box, size_t j)
{
    return (box[j].high - box[j].low) / (run->domain[j].high - run->domain[j].low);
}

size_t steep_certify_widest(const steep_certify_run *run, const steep_interval *box)
{
    size_t widest = run->dim;
    double most = 0;
    for (size_t j = 0; j < run->dim; j++) {
        const double width = steep_certify_width(run, box, j);
        if (steep_certify_has_middle(&box[j]) && width > most) most = width, widest = j;
    }
    return widest;
}

void steep_certify_halve(steep_certify_run *run, const steep_interval *box, size_t j, steep_certify_take *take)
{
    steep_interval half[STEEP_ENCLOSE_DIM];
    for (int high = 0; high < 2; high++) {
        memcpy(half, box, run->dim * sizeof *half);
        if (high) half[j].low = centre_of(&box[j]);
        else half[j].high = centre_of(&box[j]);
        take(run, half);
    }
}

void steep_certify_mean_value(steep_certify_run *run, const steep_interval *box, const steep_interval *c,
                              const steep_interval *at, size_t q, steep_interval *jet)
{
    const size_t d = run->dim;
    steep_interval sum = at[q], step, *value = &jet[q];
    for (size_t j = 0; j < d; j++) {
        if (box[j].low == box[j].high) continue;
        steep_interval_sub(&step, &box[j], &c[j], 0);
        steep_interval_mul(&step, &step, &jet[q == 0 ? 1 + j : steep_jet_pair(d, q - 1, j)], 0);
        steep_interval_add(&sum, &sum, &step, 0);
        run->smear[j] += step.high - step.low;
    }
    steep_interval_cut(value, &sum);
    if (!(value->low <= value->high)) *value = sum; /* empty: no point of the box is on the given sides */
}

void steep_certify_second(const steep_certify_run *run, const steep_interval *jet, steep_interval *out)
{
    const double *a = run->options->second;
    *out = (steep_interval){0, 0};
    for (size_t i = 0; i < run->dim; i++)
        for (size_t j = 0; j <= i; j++) {
            const size_t q = steep_jet_pair(run->dim, i, j);
            const double own = a ? a[q - 1 - run->dim] : i == j;
            steep_interval_add_product(out, &(steep_interval){own, own}, &jet[q]);
        }
}

bool steep_certify_report(const steep_certify_run *run, double low, double high)
{
    const steep_progress progress = {.stage = run->stage,
                                     .iteration = run->out->boxes,
                                     .evaluations = run->out->boxes,
                                     .rmse = ldexp(low, run->exponent),
                                     .gradient_norm = ldexp(high, run->exponent),
                                     .step = low > 0 ? high / low - 1 : INFINITY};
    return steep_monitor_proceed(&run->options->monitor, &progress);
}

/* *place = where plane c crosses axis j, an interval; false: the plane is not perpendicular to the axis. */
static bool stands_across(const steep_certify_run *run, size_t c, size_t j, steep_interval *place)
{
    const steep_interval *w = steep_enclosure_plane(run->enclosure, c);
    for (size_t i = 0; i < run->dim; i++)
        if (i != j && (w[i].low != 0 || w[i].high != 0)) return false;
    if (!(w[j].low == 1 && w[j].high == 1)) return false;
    *place = (steep_interval){-w[run->dim].high, -w[run->dim].low};
    return true;
}

/* cut = the ends of coordinate j and the cuts between them, ascending, each once; returns how many. */
static size_t find_cuts(const steep_certify_run *run, size_t j, size_t most, double *cut)
{
    size_t count = 0, kept = 0;
    cut[count++] = run->domain[j].low;
    cut[count++] = run->domain[j].high;
    for (size_t c = 0; c < run->planes && count + 2 <= most; c++) {
        steep_interval place;
        if (!stands_across(run, c, j, &place)) continue;
        for (int k = 0; k < 2; k++) {
            const double t = k ? place.high : place.low;
            if (t > run->domain[j].low && t < run->domain[j].high) cut[count++] = t;
        }
    }
    steep_sort_numbers(cut, count);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || cut[k] > cut[kept - 1]) cut[kept++] = cut[k];
    return kept;
}

void steep_certify_cut(steep_certify_run *run, steep_certify_take *take)
{
    const size_t d = run->dim, room = 2 * run->planes + 2;
    size_t count[STEEP_ENCLOSE_DIM], index[STEEP_ENCLOSE_DIM] = {0}, boxes = 1;
    double *cut = malloc(d * room * sizeof *cut);
    run->failed |= !cut;
    if (!cut) return;
    for (size_t j = 0; j < d; j++) {
        count[j] = find_cuts(run, j, room, cut + j * room);
        if (d > 1 && boxes * (count[j] - 1) > STEEP_CERTIFY_CUTS) count[j] = find_cuts(run, j, 2, cut + j * room);
        boxes *= count[j] - 1;
    }
    for (size_t b = 0; !run->failed && b < boxes; b++) {
        steep_interval box[STEEP_ENCLOSE_DIM];
        for (size_t j = 0; j < d; j++)
            box[j] = (steep_interval){cut[j * room + index[j]], cut[j * room + index[j] + 1]};
        take(run, box);
        for (size_t j = 0; j < d && ++index[j] == count[j] - 1; j++) index[j] = 0;
    }
    free(cut);
}
