/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suprema by branch and bound.
 *
 * 1. The domain is cut at planes perpendicular to an axis; each part goes into a heap by its upper bound.
 * 2. The box of the greatest bound is halved and its halves are bounded, until the greatest bound is within the
 *    tolerance of the best value found at a point. The greatest bound of the dropped boxes is kept.
 * 3. Bounds of |e|: the natural enclosure, cut with e(c) + G (X - c), G the hull of the gradient over the box (the mean
 *    value theorem of Lipschitz functions), c the middle. Where that is not enough and no kink is undecided, G is first
 *    cut with the gradient of step 4: natural gradients of units that cancel are wide.
 * 4. Bounds of |grad e|: one piece for each combination of sides of the undecided kinks, on the part of the box where
 *    these sides may be. On each piece e is smooth, and grad e(x) is in grad e(c) + H (X - c). Second derivatives are
 *    bounded in the same way, but by their natural enclosures.
 * 5. A box on which e (or |grad e|^2) is strictly monotone in x_j has its greatest value on a face x_j = const. If no
 *    plane touches the box from outside, the supremum is not there unless the face is the domain's, too: at a greatest
 *    value inside the domain the generalised gradient contains 0. So the box is dropped, or shrinks to the domain's
 *    face. If a plane touches the box, |e| is bounded on both faces, and for gradients nothing is done.
 * 6. Lower bounds: enclosures at points; where doubles are too wide, in balls of 128 bits.
 * 7. Around a box that cannot be halved, points nearby are evaluated. Best first leads to the end of a kink, such as
 *    where it leaves the domain, never to its smooth sides, where derivatives come equally near to their supremum. */
#include <math.h>
#include <string.h>

#include "certify/enclosed.h"
#include "certify/interval_arithmetic.h"
#include "certify/norms.h"

enum {
    TOGETHER = 8, /* most planes whose sides are checked together */
    ASPECT = 64,  /* about the largest ratio of relative widths of a box */
    CONTRACTIONS = 3,
    FARTHEST = 4, /* points nearby: at 2^-FARTHEST of the domain to 2^-NEAREST, by factors of 2^-FARTHEST */
    NEAREST = 44
};

/* |g| in the requested norm; g: count numbers. */
static steep_interval norm_of(const steep_certify_run *s, size_t count, const steep_interval *g)
{
    const bool largest = s->options->norm == STEEP_NORM_MAXIMUM || s->dim == 1;
    steep_interval norm = {0, 0}, part;
    for (size_t j = 0; j < count; j++) {
        (largest ? steep_interval_abs : steep_interval_sqr)(&part, &g[j], 0);
        (largest ? steep_interval_greater : steep_interval_add)(&norm, &norm, &part, 0);
    }
    if (!largest) norm = (steep_interval){fmax(0, steep_down(sqrt(fmax(0, norm.low)))), steep_up(sqrt(norm.high))};
    return norm;
}

/* Upper bounds up to this are near enough to the lower bound. */
static double enough(const steep_certify_run *s)
{
    return fmax(s->lower / (1 - s->tolerance), s->lower + s->options->absolute);
}

/* The order of derivatives that the quantity needs. */
static int order_of(unsigned what)
{
    return what == STEEP_CERTIFY_SUP ? 0 : what == STEEP_CERTIFY_GRADIENT ? 1 : 2;
}

/* The size of the quantity, from a jet of e. */
static steep_interval size_of(const steep_certify_run *s, const steep_interval *jet)
{
    const size_t d = s->dim;
    steep_interval size, H[STEEP_ENCLOSE_DIM * STEEP_ENCLOSE_DIM];
    if (s->what == STEEP_CERTIFY_GRADIENT) return norm_of(s, d, jet + 1);
    for (size_t k = 0; s->what == STEEP_CERTIFY_HESSIAN && k < d * d; k++) H[k] = jet[steep_jet_pair(d, k / d, k % d)];
    if (s->what == STEEP_CERTIFY_HESSIAN) return norm_of(s, d * d, H);
    if (s->what == STEEP_CERTIFY_SECOND) steep_certify_second(s, jet, &size);
    else size = jet[0];
    steep_interval_abs(&size, &size, 0);
    return size;
}

/* The jet at a point with these sides, in balls where doubles are wider than an eighth of the tolerance. */
static void at_point(steep_certify_run *s, const steep_interval *x, const signed char *side, int order,
                     steep_interval *jet)
{
    const int precision = s->options->precision;
    steep_enclosure_box(s->enclosure, x, side, order, precision, jet, s->met);
    if (precision > 0) return;
    const steep_interval size = size_of(s, jet);
    if (!(size.high - size.low <= fmax(s->tolerance * s->lower, s->options->absolute) / 8))
        steep_enclosure_box(s->enclosure, x, side, order, STEEP_CERTIFY_BITS, jet, s->met);
}

static void improve(steep_certify_run *s, double value, const steep_interval *x)
{
    if (!(value > s->lower)) return;
    s->lower = value;
    for (size_t j = 0; j < s->dim; j++) s->out->at[j] = x[j].low;
}

/* Does a plane touch the box from outside? */
static bool is_touched(const steep_certify_run *s)
{
    for (size_t c = 0; c < s->planes; c++)
        if (s->side[c] && !s->strict[c]) return true;
    return false;
}

static void take(steep_certify_run *s, const steep_interval *box);

/* Step 5: takes faces of a box that is monotone in x_j in its place. Returns -INFINITY, the bound of the rest. */
static double shrink(steep_certify_run *s, const steep_interval *box, size_t j, bool both)
{
    for (int high = 0; high < 2; high++) {
        const steep_interval *whole = &s->domain[j];
        const double end = high ? box[j].high : box[j].low;
        if (!both && end != (high ? whole->high : whole->low)) continue;
        steep_interval face[STEEP_ENCLOSE_DIM];
        memcpy(face, box, s->dim * sizeof *face);
        face[j] = (steep_interval){end, end};
        take(s, face);
    }
    return -INFINITY;
}

/* Step 3: the bound from the jet over the box and the jet `middle` at c; -INFINITY where faces take the box's place. */
static double bound_by_slopes(steep_certify_run *s, const steep_interval *box, const steep_interval *c,
                              const steep_interval *middle, steep_interval *jet)
{
    for (size_t j = 0; j < s->dim; j++)
        if (box[j].low < box[j].high && steep_interval_side(&jet[1 + j])) return shrink(s, box, j, is_touched(s));
    steep_certify_mean_value(s, box, c, middle, 0, jet);
    return steep_interval_most(jet);
}

static double bound_value(steep_certify_run *s, const steep_interval *box)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS], c[STEEP_ENCLOSE_DIM], middle[1 + STEEP_ENCLOSE_DIM];
    const int precision = s->options->precision;
    steep_certify_centre(s, box, c);
    at_point(s, c, NULL, 0, middle);
    improve(s, steep_interval_least(middle), c);
    steep_enclosure_box(s->enclosure, box, s->side, 1, precision, jet, s->met);
    const double first = bound_by_slopes(s, box, c, middle, jet);
    if (!(first > enough(s)) || memchr(s->met, 1, s->classes)) return first;
    steep_enclosure_box(s->enclosure, box, s->side, 2, precision, jet, s->met);
    at_point(s, c, s->side, 1, middle);
    for (size_t j = 0; j < s->dim; j++) steep_certify_mean_value(s, box, c, middle, 1 + j, jet);
    memset(s->smear, 0, sizeof s->smear);
    return fmin(first, bound_by_slopes(s, box, c, middle, jet));
}

/* Shrinks the box to what can lie on the given sides of the undecided planes; false: nothing is left. */
static bool contract(const steep_certify_run *s, size_t count, const signed char *side, steep_interval *box)
{
    const size_t d = s->dim;
    for (size_t pass = 0; pass < CONTRACTIONS * count; pass++) {
        const size_t plane = s->undecided[pass % count];
        if (plane >= s->planes) continue;
        const steep_interval *w = steep_enclosure_plane(s->enclosure, plane);
        for (size_t j = 0; j < d; j++) {
            steep_interval rest = w[d]; /* side (w_j x_j + rest) >= 0 */
            if (!steep_interval_side(&w[j])) continue;
            for (size_t i = 0; i < d; i++)
                if (i != j) steep_interval_add_product(&rest, &w[i], &box[i]);
            steep_interval_neg(&rest, &rest);
            steep_interval_div(&rest, &rest, &w[j], 0); /* x_j is beyond some number of rest */
            if (steep_interval_side(&w[j]) * side[plane] > 0) {
                if (rest.low > box[j].low) box[j].low = rest.low;
            } else if (rest.high < box[j].high) box[j].high = rest.high;
            if (!(box[j].low <= box[j].high)) return false;
        }
    }
    return true;
}

/* Step 4: the bound of the quantity on a box with the sides s->piece. whole: no kink is undecided. */
static double bound_piece(steep_certify_run *s, const steep_interval *box, bool whole)
{
    const size_t d = s->dim;
    const int order = order_of(s->what), precision = s->options->precision;
    steep_interval jet[STEEP_CERTIFY_NUMBERS], middle[STEEP_CERTIFY_NUMBERS], natural[STEEP_CERTIFY_NUMBERS],
        c[STEEP_ENCLOSE_DIM];
    steep_certify_centre(s, box, c);
    s->out->pieces++;
    steep_enclosure_box(s->enclosure, box, s->piece, 2, precision, jet, s->met);
    at_point(s, c, s->piece, order, middle);
    /* The value at the middle counts if the box lies on these sides, or the middle strictly on a side of each kink. */
    if (whole) improve(s, size_of(s, middle).low, c);
    else {
        steep_enclosure_box(s->enclosure, c, NULL, order, precision, natural, s->met);
        if (!memchr(s->met, 1, s->classes)) improve(s, size_of(s, natural).low, c);
    }
    if (order == 2) return size_of(s, jet).high;
    for (size_t i = 0; i < d; i++) steep_certify_mean_value(s, box, c, middle, 1 + i, jet);
    return norm_of(s, d, jet + 1).high;
}

/* The sign of d |grad e|^2 / dx_j = 2 sum_i g_i H_ij over the box; 0: unknown, as for the maximum norm. */
static int slope_of_norm(const steep_certify_run *s, const steep_interval *jet, size_t j)
{
    const size_t d = s->dim;
    steep_interval sum = {0, 0};
    if (s->what != STEEP_CERTIFY_GRADIENT || (s->options->norm == STEEP_NORM_MAXIMUM && d > 1)) return 0;
    for (size_t i = 0; i < d; i++) steep_interval_add_product(&sum, &jet[1 + i], &jet[steep_jet_pair(d, i, j)]);
    return steep_interval_side(&sum);
}

/* The value at the corner towards which the norm grows, on the sides of this box: a limit from inside the box. */
static void look_at_corner(steep_certify_run *s, const steep_interval *box)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS], corner[STEEP_ENCLOSE_DIM];
    steep_certify_centre(s, box, corner);
    steep_enclosure_box(s->enclosure, corner, s->piece, 2, 0, jet, s->met);
    for (size_t j = 0; j < s->dim; j++) {
        const int side = slope_of_norm(s, jet, j);
        if (side) steep_interval_set_double(&corner[j], side > 0 ? box[j].high : box[j].low);
    }
    at_point(s, corner, s->piece, 1, jet);
    improve(s, size_of(s, jet).low, corner);
}

/* The bound where no kink is undecided. */
static double bound_smooth(steep_certify_run *s, const steep_interval *box)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    memcpy(s->piece, s->side, s->classes);
    const double upper = bound_piece(s, box, true);
    if (s->what != STEEP_CERTIFY_GRADIENT || upper <= s->lower) return upper;
    look_at_corner(s, box);
    if (is_touched(s)) return upper;
    steep_enclosure_box(s->enclosure, box, s->side, 2, s->options->precision, jet, s->met);
    for (size_t j = 0; j < s->dim; j++)
        if (box[j].low < box[j].high && slope_of_norm(s, jet, j)) return shrink(s, box, j, false);
    return upper;
}

/* Are the sides in s->piece of the undecided planes, and of planes that touch the box, possible together anywhere?
 * Called only where the answer matters, for it takes exact arithmetic. */
static bool is_possible(const steep_certify_run *s)
{
    size_t plane[TOGETHER], planes = 0;
    signed char side[TOGETHER];
    for (size_t c = 0; c < s->planes && planes < TOGETHER; c++) {
        if (s->strict[c] || !s->piece[c]) continue;
        side[planes] = s->piece[c];
        plane[planes++] = c;
    }
    return planes < 2 || steep_enclosure_possible(s->enclosure, planes, plane, side);
}

/* The greatest bound over all combinations of sides of the undecided kinks. */
static double bound_patterns(steep_certify_run *s, const steep_interval *box, size_t count)
{
    double upper = 0;
    for (unsigned pattern = 0; pattern < 1u << count; pattern++) {
        steep_interval part[STEEP_ENCLOSE_DIM];
        memcpy(part, box, s->dim * sizeof *part);
        memcpy(s->piece, s->side, s->classes);
        for (size_t k = 0; k < count; k++) s->piece[s->undecided[k]] = pattern >> k & 1 ? 1 : -1;
        if (!contract(s, count, s->piece, part)) continue;
        const double bound = bound_piece(s, part, false);
        if (bound > upper && (bound <= enough(s) || is_possible(s))) upper = bound;
    }
    return upper;
}

/* Step 4: the bound of a box. */
static double bound_gradient(steep_certify_run *s, const steep_interval *box)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    size_t count = 0;
    steep_enclosure_box(s->enclosure, box, s->side, order_of(s->what), s->options->precision, jet, s->met);
    for (size_t c = 0; c < s->classes; c++)
        if (s->met[c] && count++ < STEEP_CERTIFY_UNDECIDED) s->undecided[count - 1] = c;
    if (count == 0) return bound_smooth(s, box);
    return count <= STEEP_CERTIFY_UNDECIDED ? bound_patterns(s, box, count) : size_of(s, jet).high;
}

static void take(steep_certify_run *s, const steep_interval *box)
{
    memset(s->smear, 0, sizeof s->smear);
    if (++s->out->boxes % STEEP_CERTIFY_REPORT == 0) {
        const steep_region *top = steep_heap_top(s);
        const double high = top ? fmax(top->rank, s->settled) : INFINITY;
        s->stopped = !steep_certify_report(s, s->lower, high);
    }
    steep_enclosure_sides(s->enclosure, box, s->side, s->strict);
    const double upper = (s->what == STEEP_CERTIFY_SUP ? bound_value : bound_gradient)(s, box);
    if (!(upper > enough(s))) s->settled = fmax(s->settled, upper);
    else {
        steep_interval smear = {0, -1};
        for (size_t j = 0; j < s->dim; j++)
            if (s->smear[j] > smear.high) smear = (steep_interval){(double)j, s->smear[j]};
        steep_heap_push(s, upper, &smear, box);
    }
}

/* The coordinate to halve: the one whose width widens the bound most, unless it is much narrower than the widest one;
 * dim: no coordinate can be halved. */
static size_t choose_split(const steep_certify_run *s, const steep_region *top)
{
    const size_t choice = (size_t)top->share.low, wide = steep_certify_widest(s, top->x);
    const double most = top->share.high;
    if (wide == s->dim || !(most > 0 && isfinite(most)) || !steep_certify_has_middle(&top->x[choice])) return wide;
    return steep_certify_width(s, top->x, choice) * ASPECT > steep_certify_width(s, top->x, wide) ? choice : wide;
}

/* Step 7. Directions: -1, 0, 1 in each of the first three coordinates, 0 in the others. */
static void look_around(steep_certify_run *s, const steep_interval *box)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS], c[STEEP_ENCLOSE_DIM], x[STEEP_ENCLOSE_DIM];
    const size_t d = s->dim;
    const int directions = d == 1 ? 3 : d == 2 ? 9 : 27;
    if (s->what == STEEP_CERTIFY_SUP) return;
    steep_certify_centre(s, box, c);
    for (int direction = 0; direction < directions; direction++)
        for (int k = FARTHEST; k <= NEAREST; k += FARTHEST) {
            int digits = direction;
            for (size_t j = 0; j < d; j++, digits /= 3) {
                const steep_interval *whole = &s->domain[j];
                const double at = c[j].low + (j < 3 ? digits % 3 - 1 : 0) * ldexp(whole->high - whole->low, -k);
                steep_interval_set_double(&x[j], fmin(fmax(at, whole->low), whole->high));
            }
            at_point(s, x, NULL, order_of(s->what), jet);
            if (!memchr(s->met, 1, s->classes)) improve(s, size_of(s, jet).low, x);
        }
}

static void split(steep_certify_run *s)
{
    steep_interval box[STEEP_ENCLOSE_DIM];
    const size_t j = choose_split(s, steep_heap_top(s));
    const double upper = steep_heap_top(s)->rank;
    steep_heap_pop(s, box);
    if (j < s->dim) steep_certify_halve(s, box, j, take);
    else {
        s->settled = fmax(s->settled, upper);
        look_around(s, box);
    }
}

steep_status steep_certify_supremum(steep_certify_run *run)
{
    steep_certify_cut(run, take);
    while (!run->failed && !run->stopped && run->count && run->out->boxes < run->options->boxes) {
        const double top = steep_heap_top(run)->rank;
        if (top <= enough(run) || top <= run->settled) break; /* a box that cannot be halved has the greatest bound */
        split(run);
    }
    if (run->failed) return STEEP_NO_MEMORY;
    const steep_region *top = steep_heap_top(run);
    const double upper = fmax(fmax(run->settled, run->lower), top ? top->rank : 0);
    run->out->bound = (steep_interval){run->lower, upper};
    return run->stopped                               ? STEEP_STOPPED
           : upper < INFINITY && upper <= enough(run) ? STEEP_CONVERGED
           : upper <= run->settled                    ? STEEP_FLOOR
                                                      : STEEP_MAX_ITERATIONS;
}
