/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suprema by branch and bound.
 *
 * 1. The domain is cut at planes that stand on an axis; each part is bounded and goes into a heap by its upper bound.
 * 2. The box of the greatest bound is halved and its halves bounded, until the greatest is within the tolerance of the
 *    best value found at a point. What is dropped is remembered by its bound.
 * 3. Bounds of |e|: the natural enclosure, cut with e(c) + G (X - c), G the hull of the gradient over the box (a
 *    Lipschitz function's mean value theorem), c the middle.
 * 4. Bounds of |grad e|: one piece for each combination of sides of the undecided kinks, on what is left of the box
 *    there; in each e is smooth, and grad e(x) is in grad e(c) + H (X - c). Of second derivatives alike, by their natural
 *    enclosures.
 * 5. A box on which e (|grad e|^2) is strictly monotone in x_j has its greatest value on a face x_j = const. Unless a
 *    plane touches the box from outside, the supremum is not there either, or the face is one of the domain's: for a
 *    greatest value inside the domain would have a generalised gradient with a 0 in it. So the box goes, or shrinks to
 *    the domain's face. With a plane that touches, |e| is kept on both faces, and for gradients nothing is done.
 * 6. Lower bounds: at points, with the enclosure of the point; where doubles are too wide, in balls of 128 bits.
 * 7. About a box that cannot be halved, points nearby are looked at: best first leads to the end of a kink, as where it
 *    leaves the domain, and never to the smooth sides of it, on which derivatives come as near to their supremum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/enclosed.h"
#include "certify/interval_arithmetic.h"
#include "certify/norms.h"

enum {
    PATTERNS = 5, /* most undecided kinks that are taken apart */
    TOGETHER = 8, /* most planes whose sides are asked about together */
    ASPECT = 64,  /* of a box, about */
    CONTRACTIONS = 3,
    FARTHEST = 4, /* points nearby: at 2^-FARTHEST of the domain to 2^-NEAREST, by steps of 2^-FARTHEST */
    NEAREST = 44
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

/* |g| in the norm asked for, of count numbers. */
static steep_interval norm_of(const search *s, size_t count, const steep_interval *g)
{
    const bool largest = s->run->options->norm == STEEP_NORM_MAXIMUM || s->run->dim == 1;
    steep_interval norm = {0, 0}, part;
    for (size_t j = 0; j < count; j++) {
        if (largest) {
            steep_interval_abs(&part, &g[j], 0);
            steep_interval_greater(&norm, &norm, &part, 0);
        } else {
            steep_interval_sqr(&part, &g[j], 0);
            steep_interval_add(&norm, &norm, &part, 0);
        }
    }
    if (!largest) norm = (steep_interval){fmax(0, steep_down(sqrt(fmax(0, norm.low)))), steep_up(sqrt(norm.high))};
    return norm;
}

/* That of the whole Hessian. */
static steep_interval hessian_norm(const search *s, const steep_interval *jet)
{
    const size_t d = s->run->dim;
    steep_interval H[STEEP_ENCLOSE_DIM * STEEP_ENCLOSE_DIM];
    for (size_t k = 0; k < d * d; k++) H[k] = jet[steep_jet_pair(d, k / d, k % d)];
    return norm_of(s, d * d, H);
}

/* Bounds below this are narrow enough. */
static double enough(const search *s)
{
    return fmax(s->lower / (1 - s->run->tolerance), s->lower + s->run->absolute);
}

/* --- values at points --- */

/* The order that the quantity takes. */
static int order_of(unsigned what)
{
    return what == STEEP_CERTIFY_SUP ? 0 : what == STEEP_CERTIFY_GRADIENT ? 1 : 2;
}

/* The quantity's size, of a jet. */
static steep_interval size_of(const search *s, const steep_interval *jet)
{
    steep_interval size;
    if (s->what == STEEP_CERTIFY_GRADIENT) return norm_of(s, s->run->dim, jet + 1);
    if (s->what == STEEP_CERTIFY_HESSIAN) return hessian_norm(s, jet);
    if (s->what == STEEP_CERTIFY_SECOND) steep_certify_second(s->run, jet, &size);
    else size = jet[0];
    steep_interval_abs(&size, &size, 0);
    return size;
}

/* The jet at a point with these sides, by balls where doubles leave more than an eighth of the tolerance. */
static void at_point(search *s, const double *x, const signed char *side, int order, steep_interval *jet)
{
    const int precision = s->run->options->precision;
    steep_certify_point(s->run, x, side, order, precision, jet, s->met);
    if (precision > 0) return;
    const steep_interval size = size_of(s, jet);
    if (!(size.high - size.low <= fmax(s->run->tolerance * s->lower, s->run->absolute) / 8))
        steep_certify_point(s->run, x, side, order, STEEP_CERTIFY_BITS, jet, s->met);
}

static void improve(search *s, double value, const double *x)
{
    if (!(value > s->lower)) return;
    s->lower = value;
    memcpy(s->out->at, x, s->run->dim * sizeof *x);
}

/* --- bounds --- */

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

static bool take(void *context, const steep_interval *box);

/* Step 5: the box, monotone in x_j, by its faces. */
static void shrink(search *s, const steep_interval *box, size_t j, bool both)
{
    for (int high = 0; high < 2; high++) {
        if (!both && !on_face(s, box, j, high)) continue;
        steep_interval face[STEEP_ENCLOSE_DIM];
        memcpy(face, box, s->run->dim * sizeof *face);
        face[j].low = face[j].high = high ? box[j].high : box[j].low;
        take(s, face);
    }
}

/* Step 3; false: the box is dealt with. */
static bool bound_value(search *s, const steep_interval *box, double *upper)
{
    const steep_certify_box place = steep_certify_box_of(s->run, box);
    steep_interval jet[1 + STEEP_ENCLOSE_DIM], middle;
    at_point(s, place.c, NULL, 0, &middle);
    improve(s, steep_interval_least(&middle), place.c);
    steep_enclosure_box(s->run->enclosure, box, s->side, 1, s->run->options->precision, jet, s->met);
    for (size_t j = 0; j < s->run->dim; j++) {
        if (box[j].low == box[j].high || steep_interval_side(&jet[1 + j]) == 0) continue;
        shrink(s, box, j, is_touched(s));
        return false;
    }
    steep_certify_mean_value(&place, &middle, 0, jet, s->smear);
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
    const steep_certify_box place = steep_certify_box_of(s->run, box);
    const int order = order_of(s->what), precision = s->run->options->precision;
    steep_interval jet[STEEP_CERTIFY_NUMBERS], middle[STEEP_CERTIFY_NUMBERS], natural[STEEP_CERTIFY_NUMBERS];
    s->out->pieces++;
    steep_enclosure_box(s->run->enclosure, box, s->piece, 2, precision, jet, s->met);
    at_point(s, place.c, s->piece, order, middle);
    /* The value of the middle of a box that lies on these sides counts, or of a point strictly on some. */
    if (whole) improve(s, size_of(s, middle).low, place.c);
    else {
        steep_certify_point(s->run, place.c, NULL, order, precision, natural, s->met);
        if (!memchr(s->met, 1, s->run->classes)) improve(s, size_of(s, natural).low, place.c);
    }
    if (order == 2) {
        for (size_t j = 0; j < d; j++) s->smear[j] = NAN;
        return size_of(s, jet).high;
    }
    for (size_t i = 0; i < d; i++) steep_certify_mean_value(&place, middle, 1 + i, jet, s->smear);
    return norm_of(s, d, jet + 1).high;
}

/* d |grad e|^2 / dx_j = 2 sum_i g_i H_ij over the box; for the maximum norm nothing is said. */
static int slope_of_norm(const search *s, const steep_interval *jet, size_t j)
{
    const size_t d = s->run->dim;
    steep_interval sum = {0, 0}, term;
    if (s->what != STEEP_CERTIFY_GRADIENT || (s->run->options->norm == STEEP_NORM_MAXIMUM && d > 1)) return 0;
    for (size_t i = 0; i < d; i++) {
        steep_interval_mul(&term, &jet[1 + i], &jet[steep_jet_pair(d, i, j)], 0);
        steep_interval_add(&sum, &sum, &term, 0);
    }
    return steep_interval_side(&sum);
}

/* The value at the corner where the norm grows to, on this box's sides: a trace of the piece that the box is in. */
static void look_at_corner(search *s, const steep_interval *box)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    steep_certify_box place = steep_certify_box_of(s->run, box);
    steep_certify_point(s->run, place.c, s->piece, 2, 0, jet, s->met);
    for (size_t j = 0; j < s->run->dim; j++) {
        const int side = slope_of_norm(s, jet, j);
        if (side) place.c[j] = side > 0 ? box[j].high : box[j].low;
    }
    at_point(s, place.c, s->piece, 1, jet);
    improve(s, size_of(s, jet).low, place.c);
}

/* No kink is undecided. False: the box is dealt with. */
static bool bound_smooth(search *s, const steep_interval *box, double *upper)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    memcpy(s->piece, s->side, s->run->classes);
    *upper = bound_piece(s, box, true);
    if (s->what != STEEP_CERTIFY_GRADIENT || *upper <= s->lower) return true;
    look_at_corner(s, box);
    if (is_touched(s)) return true;
    steep_enclosure_box(s->run->enclosure, box, s->side, 2, s->run->options->precision, jet, s->met);
    for (size_t j = 0; j < s->run->dim; j++) {
        if (box[j].low == box[j].high || slope_of_norm(s, jet, j) == 0) continue;
        shrink(s, box, j, false);
        return false;
    }
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
static bool bound_gradient(search *s, const steep_interval *box, double *upper)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    size_t count = 0;
    steep_enclosure_box(s->run->enclosure, box, s->side, order_of(s->what), s->run->options->precision, jet, s->met);
    for (size_t c = 0; c < s->run->classes; c++) {
        if (!s->met[c]) continue;
        if (count < PATTERNS) s->undecided[count] = c;
        count++;
    }
    if (count == 0) return bound_smooth(s, box, upper);
    if (count <= PATTERNS) {
        *upper = bound_patterns(s, box, count);
        return true;
    }
    for (size_t j = 0; j < s->run->dim; j++) s->smear[j] = NAN;
    *upper = size_of(s, jet).high;
    return true;
}

/* --- the search --- */

/* Bounds a box and puts it into the heap, or drops it. */
static bool take(void *context, const steep_interval *box)
{
    search *s = context;
    double upper = INFINITY;
    memset(s->smear, 0, sizeof s->smear);
    if (++s->out->boxes % STEEP_CERTIFY_REPORT == 0) {
        const steep_region *top = steep_heap_top(&s->heap);
        const double high = top ? fmax(top->rank, s->settled) : INFINITY;
        s->stopped = !steep_certify_report(s->run, s->out->boxes, s->lower, high);
    }
    steep_enclosure_sides(s->run->enclosure, box, s->side, s->strict);
    if (!(s->what == STEEP_CERTIFY_SUP ? bound_value : bound_gradient)(s, box, &upper)) return !s->failed;
    if (!(upper > enough(s))) s->settled = fmax(s->settled, upper);
    else {
        steep_interval smear = {0, -1};
        for (size_t j = 0; j < s->run->dim; j++)
            if (s->smear[j] > smear.high) smear = (steep_interval){(double)j, s->smear[j]};
        s->failed = s->failed || !steep_heap_push(&s->heap, upper, &smear, box);
    }
    return !s->failed;
}

/* The coordinate to halve: that whose width makes most of the bound, unless it is much narrower than another; dim: none
 * can be. */
static size_t choose_split(const search *s, const steep_region *top)
{
    const size_t choice = (size_t)top->share.low;
    const steep_interval *whole = &s->run->domain[choice], *x = &top->x[choice];
    double widest, middle;
    const size_t wide = steep_certify_widest(s->run, top->x, &widest);
    const double width = (x->high - x->low) / (whole->high - whole->low), most = top->share.high;
    const bool counts = most > 0 && isfinite(most) && width * ASPECT > widest;
    return wide < s->run->dim && counts && steep_certify_middle(x, &middle) ? choice : wide;
}

/* Step 7. Directions: -1, 0, 1 in each coordinate, and of many coordinates the first three. */
static void look_around(search *s, const steep_interval *box)
{
    steep_interval jet[STEEP_CERTIFY_NUMBERS];
    const size_t d = s->run->dim;
    const int directions = d == 1 ? 3 : d == 2 ? 9 : 27;
    if (s->what == STEEP_CERTIFY_SUP) return;
    for (int direction = 0; direction < directions; direction++)
        for (int k = FARTHEST; k <= NEAREST; k += FARTHEST) {
            double x[STEEP_ENCLOSE_DIM];
            int digits = direction;
            for (size_t j = 0; j < d; j++, digits /= 3) {
                const steep_interval *whole = &s->run->domain[j];
                x[j] = steep_certify_centre(&box[j]) + (digits % 3 - 1) * ldexp(whole->high - whole->low, -k);
                x[j] = fmin(fmax(x[j], whole->low), whole->high);
            }
            at_point(s, x, NULL, order_of(s->what), jet);
            if (!memchr(s->met, 1, s->run->classes)) improve(s, size_of(s, jet).low, x);
        }
}

static void split(search *s)
{
    const steep_region *top = steep_heap_top(&s->heap);
    steep_interval box[STEEP_ENCLOSE_DIM];
    const size_t j = choose_split(s, top);
    const double upper = top->rank;
    memcpy(box, top->x, s->run->dim * sizeof *box);
    steep_heap_pop(&s->heap);
    if (j < s->run->dim) steep_certify_halve(s->run, box, j, take, s);
    else {
        s->settled = fmax(s->settled, upper);
        look_around(s, box);
    }
}

steep_status steep_certify_supremum(const steep_certify_run *run, unsigned what, steep_certificate *certificate,
                                    steep_error *error)
{
    search s = {.run = run, .what = what, .out = certificate};
    void *memory = STEEP_BLOCK(STEEP_SHARE(s.side, run->classes), STEEP_SHARE(s.strict, run->classes),
                               STEEP_SHARE(s.met, run->classes), STEEP_SHARE(s.piece, run->classes));
    steep_heap_open(&s.heap, run->dim);
    const steep_status status = memory ? steep_certify_cut(run, take, &s) : STEEP_NO_MEMORY;
    while (status == STEEP_OK && !s.failed && !s.stopped && s.heap.count && certificate->boxes < run->options->boxes) {
        const double top = steep_heap_top(&s.heap)->rank;
        if (top <= enough(&s) || top <= s.settled) break; /* a box that cannot be halved has the greatest bound */
        split(&s);
    }
    if (memory && !s.failed) {
        const steep_region *top = steep_heap_top(&s.heap);
        const double upper = fmax(fmax(s.settled, s.lower), top ? top->rank : 0);
        certificate->bound = (steep_interval){s.lower, upper};
        certificate->status = s.stopped                                 ? STEEP_STOPPED
                              : upper < INFINITY && upper <= enough(&s) ? STEEP_CONVERGED
                              : upper < INFINITY && upper <= s.settled  ? STEEP_FLOOR
                                                                        : STEEP_MAX_ITERATIONS;
    }
    steep_heap_close(&s.heap);
    free(memory);
    if (!memory || s.failed || status == STEEP_NO_MEMORY)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu boxes", s.heap.count);
    return certificate->status;
}
