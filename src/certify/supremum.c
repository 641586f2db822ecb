/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suprema by branch and bound.
 *
 * 1. The domain is cut at planes that stand on an axis; each part is bounded and goes into a heap by its upper bound.
 * 2. The box of the greatest bound is halved and its halves bounded, until the greatest is within the tolerance of the
 *    best value found at a point. What is dropped is remembered by its bound.
 * 3. Bounds of |e|: the natural enclosure, cut with e(c) + G (X - c), G the hull of the gradient over the box (a
 *    Lipschitz function's mean value theorem), c the middle.
 * 4. Bounds of |grad e| (or |d_1 d_2 e|): one piece for each combination of sides of the undecided kinks, on what is
 *    left of the box there; in each e is smooth, and grad e(x) is in grad e(c) + H (X - c).
 * 5. A box on which e (|grad e|^2) is strictly monotone in x_j has its greatest value on a face x_j = const. Unless a
 *    plane touches the box from outside, the supremum is not there either, or the face is one of the domain's: for a
 *    greatest value inside the domain would have a generalised gradient with a 0 in it. So the box goes, or shrinks to
 *    the domain's face. With a plane that touches, |e| is kept on both faces, and for gradients nothing is done.
 * 6. Lower bounds: at points, with the enclosure of the point; where doubles are too wide, in balls of 128 bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/certify_parts.h"
#include "certify/interval_arithmetic.h"

enum {
    PATTERNS = 5, /* most undecided kinks that are taken apart */
    TOGETHER = 8, /* most planes whose sides are asked about together */
    ASPECT = 64,  /* of a box, about */
    CONTRACTIONS = 3
};

typedef struct search {
    const steep_certify_run *run;
    unsigned what;
    steep_heap heap;
    double lower, settled; /* best value at a point; greatest bound of what is dropped or cannot be halved */
    steep_certificate *out;
    signed char *side, *strict, *met, *piece; /* of each class */
    size_t undecided[PATTERNS];
    double smear[STEEP_ENCLOSE_DIM]; /* how much of the box's bound each coordinate's width makes */
    bool failed, stopped;
} search;

/* --- norms of gradients --- */

static double norm_most(const search *s, const steep_interval *g)
{
    const size_t d = s->run->dim;
    double most = 0;
    steep_interval sum = {0, 0}, square;
    for (size_t j = 0; j < d; j++) {
        if (s->run->options->norm == STEEP_NORM_MAXIMUM || d == 1) {
            most = fmax(most, steep_interval_most(&g[j]));
            continue;
        }
        steep_interval_sqr(&square, &g[j], 0);
        steep_interval_add(&sum, &sum, &square, 0);
    }
    return s->run->options->norm == STEEP_NORM_MAXIMUM || d == 1 ? most : steep_up(sqrt(sum.high));
}

static double norm_least(const search *s, const steep_interval *g)
{
    const size_t d = s->run->dim;
    double least = 0;
    steep_interval sum = {0, 0}, square;
    for (size_t j = 0; j < d; j++) {
        if (s->run->options->norm == STEEP_NORM_MAXIMUM || d == 1) {
            least = fmax(least, steep_interval_least(&g[j]));
            continue;
        }
        steep_interval_sqr(&square, &g[j], 0);
        steep_interval_add(&sum, &sum, &square, 0);
    }
    if (s->run->options->norm == STEEP_NORM_MAXIMUM || d == 1) return least;
    return sum.low > 0 ? fmax(0, steep_down(sqrt(sum.low))) : 0;
}

/* Bounds below this are narrow enough. */
static double enough(const search *s)
{
    return fmax(s->lower / (1 - s->run->tolerance), s->lower + s->run->absolute);
}

/* --- values at points --- */

static size_t mixed_place(size_t d)
{
    return 1 + d + 1; /* pair (1, 0) */
}

/* Where the quantity stands in a jet: how many numbers of it, and the order it takes. */
static int order_of(unsigned what)
{
    return what == STEEP_CERTIFY_SUP ? 0 : what == STEEP_CERTIFY_GRADIENT ? 1 : 2;
}

static double most_of(const search *s, const steep_interval *jet)
{
    if (s->what == STEEP_CERTIFY_SUP) return steep_interval_most(jet);
    if (s->what == STEEP_CERTIFY_GRADIENT) return norm_most(s, jet + 1);
    return steep_interval_most(&jet[mixed_place(s->run->dim)]);
}

static double least_of(const search *s, const steep_interval *jet)
{
    if (s->what == STEEP_CERTIFY_SUP) return steep_interval_least(jet);
    if (s->what == STEEP_CERTIFY_GRADIENT) return norm_least(s, jet + 1);
    return steep_interval_least(&jet[mixed_place(s->run->dim)]);
}

/* The jet at a point with these sides, by balls where doubles leave more than an eighth of the tolerance. */
static void at_point(search *s, const double *x, const signed char *side, int order, steep_interval *jet)
{
    steep_interval point[STEEP_ENCLOSE_DIM];
    const int precision = s->run->options->precision;
    for (size_t j = 0; j < s->run->dim; j++) point[j] = (steep_interval){x[j], x[j]};
    steep_enclosure_box(s->run->enclosure, point, side, order, precision, jet, s->met);
    if (precision > 0) return;
    const double wide = most_of(s, jet) - least_of(s, jet);
    if (!(wide <= fmax(s->run->tolerance * s->lower, s->run->absolute) / 8))
        steep_enclosure_box(s->run->enclosure, point, side, order, STEEP_CERTIFY_BITS, jet, s->met);
}

static void improve(search *s, double value, const double *x)
{
    if (!(value > s->lower)) return;
    s->lower = value;
    memcpy(s->out->at, x, s->run->dim * sizeof *x);
}

static bool any_met(const search *s)
{
    for (size_t c = 0; c < s->run->classes; c++)
        if (s->met[c]) return true;
    return false;
}

/* --- bounds --- */

static void middle_of(const search *s, const steep_interval *box, double *c)
{
    for (size_t j = 0; j < s->run->dim; j++) c[j] = steep_certify_centre(&box[j]);
}

static void cut_with(steep_interval *a, const steep_interval *b)
{
    if (b->low > a->low) a->low = b->low;
    if (b->high < a->high) a->high = b->high;
    if (!(a->low <= a->high)) *a = *b; /* only where nothing lies in the box */
}

/* X - c */
static void offset(const steep_interval *x, double c, steep_interval *out)
{
    const steep_interval centre = {c, c};
    steep_interval_sub(out, x, &centre, 0);
}

/* value cut with at_middle + sum_j slope_j (X_j - c_j); adds to the smear. */
static void mean_value(search *s, const steep_interval *box, const double *c, const steep_interval *at_middle,
                       const steep_interval *const *slope, steep_interval *value)
{
    steep_interval sum = *at_middle, step;
    for (size_t j = 0; j < s->run->dim; j++) {
        if (box[j].low == box[j].high) continue;
        offset(&box[j], c[j], &step);
        steep_interval_mul(&step, &step, slope[j], 0);
        steep_interval_add(&sum, &sum, &step, 0);
        s->smear[j] += step.high - step.low;
    }
    cut_with(value, &sum);
}

/* Does a plane touch the box from outside? */
static bool is_touched(const search *s)
{
    for (size_t c = 0; c < s->run->planes; c++)
        if (s->side[c] && !s->strict[c]) return true;
    return false;
}

static bool on_face(const search *s, const steep_interval *box, size_t j, bool high)
{
    return high ? box[j].high == s->run->domain[j].high : box[j].low == s->run->domain[j].low;
}

static bool take(search *s, const steep_interval *box, int depth);

/* Step 5: the box, monotone in x_j, by its faces. True: it is dealt with. */
static bool shrink(search *s, const steep_interval *box, size_t j, bool both, int depth)
{
    for (int high = 0; high < 2; high++) {
        if (!both && !on_face(s, box, j, high)) continue;
        steep_interval face[STEEP_ENCLOSE_DIM];
        memcpy(face, box, s->run->dim * sizeof *face);
        face[j].low = face[j].high = high ? box[j].high : box[j].low;
        take(s, face, depth + 1);
    }
    return true;
}

/* Step 3; false: the box is dealt with. */
static bool bound_value(search *s, const steep_interval *box, double *upper, int depth)
{
    const size_t d = s->run->dim;
    const steep_interval *slope[STEEP_ENCLOSE_DIM];
    steep_interval jet[1 + STEEP_ENCLOSE_DIM], middle;
    double c[STEEP_ENCLOSE_DIM];
    middle_of(s, box, c);
    at_point(s, c, NULL, 0, &middle);
    improve(s, steep_interval_least(&middle), c);
    steep_enclosure_box(s->run->enclosure, box, s->side, 1, s->run->options->precision, jet, s->met);
    for (size_t j = 0; j < d; j++) {
        slope[j] = &jet[1 + j];
        if (box[j].low < box[j].high && steep_interval_side(&jet[1 + j]) != 0)
            return !shrink(s, box, j, is_touched(s), depth);
    }
    mean_value(s, box, c, &middle, slope, jet);
    *upper = steep_interval_most(jet);
    return true;
}

/* What of the box can lie on the given sides of the undecided planes; false: nothing. */
static bool contract(const search *s, size_t count, const signed char *side, steep_interval *box)
{
    const size_t d = s->run->dim;
    for (size_t pass = 0; pass < CONTRACTIONS * count; pass++) {
        const size_t plane = s->undecided[pass % count];
        if (plane >= s->run->planes) continue;
        const steep_interval *w = steep_enclosure_plane(s->run->enclosure, plane);
        for (size_t j = 0; j < d; j++) {
            steep_interval rest = w[d], term; /* side (w_j x_j + rest) >= 0 */
            for (size_t i = 0; i < d; i++) {
                if (i == j) continue;
                steep_interval_mul(&term, &w[i], &box[i], 0);
                steep_interval_add(&rest, &rest, &term, 0);
            }
            if (!steep_interval_side(&w[j])) continue;
            steep_interval_neg(&rest, &rest);
            steep_interval_div(&rest, &rest, &w[j], 0); /* x_j beyond some number of this */
            if (steep_interval_side(&w[j]) * side[plane] > 0) {
                if (rest.low > box[j].low) box[j].low = rest.low;
            } else if (rest.high < box[j].high) box[j].high = rest.high;
            if (!(box[j].low <= box[j].high)) return false;
        }
    }
    return true;
}

/* The quantity on a box with sides s->piece for all undecided kinks: step 4. whole: nothing is undecided. */
static double bound_piece(search *s, const steep_interval *box, bool whole)
{
    const size_t d = s->run->dim;
    steep_interval jet[STEEP_CERTIFY_NUMBERS], middle[STEEP_CERTIFY_NUMBERS];
    double c[STEEP_ENCLOSE_DIM];
    s->out->pieces++;
    steep_enclosure_box(s->run->enclosure, box, s->piece, 2, s->run->options->precision, jet, s->met);
    middle_of(s, box, c);
    at_point(s, c, s->piece, order_of(s->what), middle);
    /* A point strictly on these sides, or the middle of a box that lies on them: its value counts. */
    bool counts = whole;
    if (!whole) {
        steep_interval point[STEEP_ENCLOSE_DIM], natural[STEEP_CERTIFY_NUMBERS];
        for (size_t j = 0; j < d; j++) point[j] = (steep_interval){c[j], c[j]};
        steep_enclosure_box(s->run->enclosure, point, NULL, order_of(s->what), s->run->options->precision, natural,
                            s->met);
        if (!any_met(s)) improve(s, least_of(s, natural), c);
    }
    if (counts) improve(s, least_of(s, middle), c);
    if (s->what == STEEP_CERTIFY_MIXED) {
        for (size_t j = 0; j < d; j++) s->smear[j] = NAN;
        return most_of(s, jet);
    }
    for (size_t i = 0; i < d; i++) {
        const steep_interval *slope[STEEP_ENCLOSE_DIM];
        for (size_t j = 0; j < d; j++) slope[j] = &jet[1 + d + (i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i)];
        mean_value(s, box, c, &middle[1 + i], slope, &jet[1 + i]);
    }
    return norm_most(s, jet + 1);
}

/* d |grad e|^2 / dx_j = 2 sum_i g_i H_ij over the box; for the maximum norm nothing is said. */
static int slope_of_norm(const search *s, const steep_interval *jet, size_t j)
{
    const size_t d = s->run->dim;
    steep_interval sum = {0, 0}, term;
    if (s->what != STEEP_CERTIFY_GRADIENT || (s->run->options->norm == STEEP_NORM_MAXIMUM && d > 1)) return 0;
    for (size_t i = 0; i < d; i++) {
        const steep_interval *H = &jet[1 + d + (i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i)];
        steep_interval_mul(&term, &jet[1 + i], H, 0);
        steep_interval_add(&sum, &sum, &term, 0);
    }
    return steep_interval_side(&sum);
}

/* The value at the corner where the norm grows to, on this box's sides: a trace of the piece that the box is in. */
static void look_at_corner(search *s, const steep_interval *box)
{
    const size_t d = s->run->dim;
    steep_interval jet[STEEP_CERTIFY_NUMBERS], point[STEEP_ENCLOSE_DIM];
    double c[STEEP_ENCLOSE_DIM];
    middle_of(s, box, c);
    for (size_t j = 0; j < d; j++) point[j] = (steep_interval){c[j], c[j]};
    steep_enclosure_box(s->run->enclosure, point, s->piece, 2, 0, jet, s->met);
    for (size_t j = 0; j < d; j++) {
        const int side = slope_of_norm(s, jet, j);
        if (side) c[j] = side > 0 ? box[j].high : box[j].low;
    }
    at_point(s, c, s->piece, 1, jet);
    improve(s, least_of(s, jet), c);
}

/* No kink is undecided. False: the box is dealt with. */
static bool bound_smooth(search *s, const steep_interval *box, double *upper, int depth)
{
    const size_t d = s->run->dim;
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    memcpy(s->piece, s->side, s->run->classes);
    *upper = bound_piece(s, box, true);
    if (s->what != STEEP_CERTIFY_GRADIENT || *upper <= s->lower) return true;
    look_at_corner(s, box);
    if (is_touched(s)) return true;
    steep_enclosure_box(s->run->enclosure, box, s->side, 2, s->run->options->precision, jet, s->met);
    for (size_t j = 0; j < d; j++)
        if (box[j].low < box[j].high && slope_of_norm(s, jet, j) != 0) return !shrink(s, box, j, false, depth);
    return true;
}

/* Are the sides in s->piece of the undecided planes, and of those that touch the box, possible together anywhere? Asked
 * where the answer matters, for it takes exact arithmetic. */
static bool is_possible(const search *s)
{
    size_t plane[TOGETHER], planes = 0;
    signed char side[TOGETHER];
    for (size_t c = 0; c < s->run->planes && planes < TOGETHER; c++) {
        if (s->strict[c] || !s->piece[c]) continue;
        side[planes] = s->piece[c];
        plane[planes++] = c;
    }
    return planes < 3 || steep_enclosure_possible(s->run->enclosure, planes, plane, side);
}

/* All combinations of sides of the undecided kinks. */
static double bound_patterns(search *s, const steep_interval *box, size_t count)
{
    double upper = 0;
    for (unsigned pattern = 0; pattern < 1u << count; pattern++) {
        steep_interval part[STEEP_ENCLOSE_DIM];
        memcpy(part, box, s->run->dim * sizeof *part);
        memcpy(s->piece, s->side, s->run->classes);
        for (size_t k = 0; k < count; k++) s->piece[s->undecided[k]] = pattern >> k & 1 ? 1 : -1;
        if (!contract(s, count, s->piece, part)) continue;
        const double bound = bound_piece(s, part, false);
        if (bound > upper && (bound <= enough(s) || is_possible(s))) upper = bound;
    }
    return upper;
}

/* Step 4. */
static bool bound_gradient(search *s, const steep_interval *box, double *upper, int depth)
{
    const size_t d = s->run->dim;
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    size_t count = 0;
    steep_enclosure_box(s->run->enclosure, box, s->side, order_of(s->what), s->run->options->precision, jet, s->met);
    for (size_t c = 0; c < s->run->classes; c++) {
        if (!s->met[c]) continue;
        if (count < PATTERNS) s->undecided[count] = c;
        count++;
    }
    if (count == 0) return bound_smooth(s, box, upper, depth);
    if (count <= PATTERNS) {
        *upper = bound_patterns(s, box, count);
        return true;
    }
    for (size_t j = 0; j < d; j++) s->smear[j] = NAN;
    *upper = most_of(s, jet);
    return true;
}

/* --- the search --- */

static bool watch(search *s)
{
    if (++s->out->boxes % STEEP_CERTIFY_REPORT != 0) return true;
    const steep_region *top = steep_heap_top(&s->heap);
    const double high = top ? fmax(top->rank, s->settled) : INFINITY;
    const steep_progress progress = {.stage = s->run->stage,
                                     .iteration = s->out->boxes,
                                     .evaluations = s->out->boxes,
                                     .rmse = ldexp(s->lower, s->run->exponent),
                                     .gradient_norm = ldexp(high, s->run->exponent),
                                     .step = s->lower > 0 ? high / s->lower - 1 : INFINITY};
    s->stopped = !steep_monitor_proceed(&s->run->options->monitor, &progress);
    return !s->stopped;
}

/* Bounds a box and puts it into the heap, or drops it. */
static bool take(search *s, const steep_interval *box, int depth)
{
    double upper = INFINITY;
    memset(s->smear, 0, sizeof s->smear);
    watch(s);
    steep_enclosure_sides(s->run->enclosure, box, s->side, s->strict);
    const bool left =
        s->what == STEEP_CERTIFY_SUP ? bound_value(s, box, &upper, depth) : bound_gradient(s, box, &upper, depth);
    if (!left) return !s->failed;
    if (!(upper > enough(s))) s->settled = fmax(s->settled, upper);
    else {
        steep_interval smear = {0, 0};
        double best = -1;
        for (size_t j = 0; j < s->run->dim; j++)
            if (s->smear[j] > best) best = s->smear[j], smear.low = (double)j;
        smear.high = best;
        s->failed = s->failed || !steep_heap_push(&s->heap, upper, &smear, box);
    }
    return !s->failed;
}

static bool take_first(void *context, const steep_interval *box)
{
    return take(context, box, 0);
}

/* The coordinate to halve: that whose width makes most of the bound, unless it is much narrower than another. */
static bool choose_split(const search *s, const steep_region *top, size_t *coordinate, double *middle)
{
    const size_t d = s->run->dim;
    double widest = 0, most = -1;
    size_t wide = d, choice = (size_t)top->share.low;
    for (size_t j = 0; j < d; j++) {
        const steep_interval *whole = &s->run->domain[j], *x = &top->x[j];
        const double width = (x->high - x->low) / (whole->high - whole->low);
        if (steep_certify_middle(x, middle) && width > widest) widest = width, wide = j;
    }
    if (wide == d) return false;
    const double width =
        (top->x[choice].high - top->x[choice].low) / (s->run->domain[choice].high - s->run->domain[choice].low);
    most = top->share.high;
    *coordinate = most > 0 && isfinite(most) && width * ASPECT > widest ? choice : wide;
    if (!steep_certify_middle(&top->x[*coordinate], middle)) *coordinate = wide;
    return steep_certify_middle(&top->x[*coordinate], middle);
}

static void split(search *s)
{
    const steep_region *top = steep_heap_top(&s->heap);
    steep_interval box[STEEP_ENCLOSE_DIM], half[STEEP_ENCLOSE_DIM];
    const size_t bytes = s->run->dim * sizeof *box;
    size_t j = 0;
    double middle = 0;
    const bool can = choose_split(s, top, &j, &middle);
    const double upper = top->rank;
    memcpy(box, top->x, bytes);
    steep_heap_pop(&s->heap);
    if (!can) {
        s->settled = fmax(s->settled, upper);
        return;
    }
    for (int high = 0; high < 2; high++) {
        memcpy(half, box, bytes);
        if (high) half[j].low = middle;
        else half[j].high = middle;
        take(s, half, 0);
    }
}

static double upper_of(const search *s)
{
    const steep_region *top = steep_heap_top(&s->heap);
    return fmax(fmax(s->settled, s->lower), top ? top->rank : 0);
}

static steep_status finish(const search *s)
{
    if (s->stopped) return STEEP_STOPPED;
    if (s->out->bound.high < INFINITY && s->out->bound.high <= enough(s)) return STEEP_CONVERGED;
    return s->heap.count ? STEEP_MAX_ITERATIONS : STEEP_FLOOR;
}

steep_status steep_certify_supremum(const steep_certify_run *run, unsigned what, steep_certificate *certificate,
                                    steep_error *error)
{
    search s = {.run = run, .what = what, .out = certificate};
    signed char *memory = calloc(4 * run->classes + 4, 1);
    steep_heap_open(&s.heap, run->dim);
    steep_status status = memory ? STEEP_OK : STEEP_NO_MEMORY;
    if (memory) {
        s.side = memory, s.strict = s.side + run->classes + 1, s.met = s.strict + run->classes + 1;
        s.piece = s.met + run->classes + 1;
        status = steep_certify_cut(run, take_first, &s);
    }
    while (status == STEEP_OK && !s.failed && !s.stopped && s.heap.count && certificate->boxes < run->options->boxes) {
        const double top = steep_heap_top(&s.heap)->rank;
        if (top <= enough(&s) || top <= s.settled) break; /* a box that cannot be halved has the greatest bound */
        split(&s);
    }
    if (memory && !s.failed) {
        certificate->bound = (steep_interval){s.lower, upper_of(&s)};
        certificate->status = finish(&s);
    }
    steep_heap_close(&s.heap);
    free(memory);
    if (!memory || s.failed || status == STEEP_NO_MEMORY)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu boxes", s.heap.count);
    return certificate->status;
}
