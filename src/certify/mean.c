/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encloses the mean over the domain of q = |u|^p, u the error e or a derivative of e, or of a sum of such q. On a box
 * of widths h, c is a point near the middle m; r = m - c is a rounding error, not small in a box of a few ulp. The mean
 * of |x_j - c_j| is at most k_j = h_j/4 + |r_j|/2. For u = e without undecided kinks, Taylor's formula gives
 *
 *   mean of q  in  q(c) + sum_j (q_j(c) r_j + q_jj(X) (h_j^2/24 + r_j^2/2))
 *                       + sum_{i<j} (q_ij(X) r_i r_j + (q_ij(X) - its middle) [-1, 1] k_i k_j);
 *
 * for u = e with undecided kinks, by the hull of the gradient, and for u = d_i e without undecided kinks,
 *
 *   mean of q  in  q(c) + sum_j (q_j(X) r_j + (q_j(X) - its middle) [-1, 1] k_j).
 *
 * Both are cut with the range of q; q_j = p |u|^(p-1) sign(u) u_j. For second derivatives only the range is known, and
 * where a few kinks are undecided, the hull of the ranges on all sides. The box with the largest part of the width is
 * halved until the whole is narrow enough. At the end the sum is formed anew, rounded outward. */
#include <math.h>

#include "certify/enclosed.h"
#include "certify/interval_arithmetic.h"
#include "certify/norms.h"

/* a - b */
static steep_interval difference(double a, double b)
{
    steep_interval out;
    steep_interval_sub(&out, &(steep_interval){a, a}, &(steep_interval){b, b}, 0);
    return out;
}

static steep_interval volume_of(size_t d, const steep_interval *box)
{
    steep_interval out = {1, 1};
    for (size_t j = 0; j < d; j++) {
        const steep_interval width = difference(box[j].high, box[j].low);
        steep_interval_mul(&out, &out, &width, 0);
    }
    return out;
}

/* a += c [-radius, radius], the second factor being slope less its middle */
static void add_spread(steep_interval *a, const steep_interval *slope, double c)
{
    const double radius =
        steep_up(steep_up(slope->high - slope->low) / 2 + (fabs(slope->low) + fabs(slope->high)) * 0x1p-51);
    const double most = steep_up(radius * c);
    steep_interval_add(a, a, &(steep_interval){-most, most}, 0);
}

/* The numbers of a box in the formulas above. */
typedef struct geometry {
    double k[STEEP_ENCLOSE_DIM];
    steep_interval r[STEEP_ENCLOSE_DIM], second[STEEP_ENCLOSE_DIM]; /* second: h^2/24 + r^2/2 */
} geometry;

/* x^2 / n */
static steep_interval square_over(const steep_interval *x, double n)
{
    steep_interval out;
    steep_interval_sqr(&out, x, 0);
    steep_interval_div(&out, &out, &(steep_interval){n, n}, 0);
    return out;
}

static void measure(const steep_interval *box, const steep_interval *c, size_t dim, geometry *g)
{
    for (size_t j = 0; j < dim; j++) {
        const steep_interval *x = &box[j], below = difference(x->low, c[j].low), above = difference(x->high, c[j].low),
                             h = difference(x->high, x->low);
        steep_interval *r = &g->r[j];
        steep_interval_add(r, &below, &above, 0);
        *r = (steep_interval){steep_down(r->low / 2), steep_up(r->high / 2)};
        const steep_interval h2 = square_over(&h, 24), r2 = square_over(r, 2);
        steep_interval_add(&g->second[j], &h2, &r2, 0);
        g->k[j] = steep_up(steep_up(h.high) / 4 + steep_interval_most(r) / 2);
    }
}

/* p a; exact for p <= 2. */
static steep_interval times(int p, const steep_interval *a)
{
    if (p <= 2) return (steep_interval){p * a->low, p * a->high};
    return (steep_interval){steep_down(p * a->low), steep_up(p * a->high)};
}

/* q_j for u = entry k of the jet, e or d_i e: p sign(u) |u|^(p-1) u_j */
static steep_interval slope_of_power(const steep_certify_run *s, const steep_interval *jet, size_t k, size_t j)
{
    steep_interval out = steep_interval_odd_power(&jet[k], s->power - 1, 0);
    steep_interval_mul(&out, &out, &jet[k == 0 ? 1 + j : steep_jet_pair(s->dim, k - 1, j)], 0);
    return times(s->power, &out);
}

/* q_ij for u = e: p ((p - 1) |e|^(p-2) e_i e_j + sign(e) |e|^(p-1) e_ij) */
static steep_interval curve_of_power(const steep_certify_run *s, const steep_interval *jet, size_t i, size_t j)
{
    const int p = s->power;
    steep_interval out, bend = {1, 1}, term = steep_interval_odd_power(&jet[0], p - 1, 0);
    if (i == j) steep_interval_sqr(&out, &jet[1 + i], 0);
    else steep_interval_mul(&out, &jet[1 + i], &jet[1 + j], 0);
    if (p > 2) bend = steep_interval_size_power(&jet[0], p - 2, 0), bend = times(p - 1, &bend);
    else if (p == 1 && steep_interval_side(&jet[0])) bend = (steep_interval){0, 0};
    else if (p == 1) steep_interval_entire(&bend);
    steep_interval_mul(&out, &out, &bend, 0);
    steep_interval_add_product(&out, &term, &jet[steep_jet_pair(s->dim, i, j)]);
    return times(p, &out);
}

/* The mean of q for u = e by Taylor's formula. q: enclosed at c; at: the jet of e at c */
static steep_interval by_curvature(const steep_certify_run *s, const geometry *g, const steep_interval *jet,
                                   const steep_interval *q, const steep_interval *at)
{
    steep_interval sum = *q, term, shift;
    for (size_t i = 0; i < s->dim; i++) {
        term = slope_of_power(s, at, 0, i);
        steep_interval_add_product(&sum, &term, &g->r[i]);
        term = curve_of_power(s, jet, i, i);
        steep_interval_add_product(&sum, &term, &g->second[i]);
        for (size_t j = 0; j < i; j++) {
            term = curve_of_power(s, jet, i, j);
            steep_interval_mul(&shift, &g->r[i], &g->r[j], 0);
            steep_interval_add_product(&sum, &term, &shift);
            add_spread(&sum, &term, steep_up(g->k[i] * g->k[j]));
        }
    }
    return sum;
}

static steep_interval by_slope(const steep_certify_run *s, const geometry *g, const steep_interval *jet, size_t k,
                               const steep_interval *q)
{
    steep_interval sum = *q;
    for (size_t j = 0; j < s->dim; j++) {
        const steep_interval term = slope_of_power(s, jet, k, j);
        steep_interval_add_product(&sum, &term, &g->r[j]);
        add_spread(&sum, &term, g->k[j]);
    }
    return sum;
}

/* Replaces the second derivatives over the box by their hull over all sides of a few undecided kinks. */
static void add_sides(steep_certify_run *s, const steep_interval *box, steep_interval *jet)
{
    const size_t d = s->dim, numbers = steep_jet_numbers(d, 2);
    size_t count = 0;
    steep_interval piece[STEEP_CERTIFY_NUMBERS];
    for (size_t c = 0; c < s->classes; c++)
        if (s->met[c] && count++ < STEEP_CERTIFY_UNDECIDED) s->undecided[count - 1] = c;
    if (count == 0 || count > STEEP_CERTIFY_UNDECIDED) return;
    steep_enclosure_sides(s->enclosure, box, s->side, NULL);
    for (unsigned pattern = 0; pattern < 1u << count; pattern++) {
        for (size_t k = 0; k < count; k++) s->side[s->undecided[k]] = pattern >> k & 1 ? 1 : -1;
        steep_enclosure_box(s->enclosure, box, s->side, 2, s->options->precision, piece, s->met);
        for (size_t q = 1 + d; q < numbers; q++)
            if (pattern == 0) jet[q] = piece[q];
            else steep_interval_hull(&jet[q], &jet[q], &piece[q], 0);
    }
    s->out->pieces += ((size_t)1 << count) - 1;
}

/* The mean over the box of q for u = entry k of the jet, e or d_i e. */
static steep_interval mean_of(const steep_certify_run *s, const geometry *g, const steep_interval *jet,
                              const steep_interval *at, size_t k)
{
    const steep_interval q = steep_interval_size_power(&at[k], s->power, 0), slopes = by_slope(s, g, jet, k, &q),
                         range = steep_interval_size_power(&jet[k], s->power, 0);
    steep_interval share = k == 0 ? by_curvature(s, g, jet, &q, at) : slopes;
    steep_interval_cut(&share, &slopes);
    steep_interval_cut(&share, &range);
    return share;
}

/* The mean over the box of the requested sum of q. */
static steep_interval share_of(steep_certify_run *s, const steep_interval *box, const geometry *g, steep_interval *jet,
                               const steep_interval *at)
{
    const size_t d = s->dim, numbers = s->what == STEEP_CERTIFY_SOBOLEV ? steep_jet_numbers(d, 2) : 1;
    steep_interval share = {0, 0}, term;
    for (size_t k = 0; s->what != STEEP_CERTIFY_SECOND_POWER && k < numbers && k <= d; k++) {
        term = mean_of(s, g, jet, at, k);
        steep_interval_add(&share, &share, &term, 0);
    }
    if (s->what == STEEP_CERTIFY_RMSE || s->what == STEEP_CERTIFY_POWER) return share;
    add_sides(s, box, jet);
    if (s->what == STEEP_CERTIFY_SECOND_POWER) {
        steep_certify_second(s, jet, &term);
        return steep_interval_size_power(&term, s->power, 0);
    }
    for (size_t k = 1 + d; k < numbers; k++) {
        term = steep_interval_size_power(&jet[k], s->power, 0);
        steep_interval_add(&share, &share, &term, 0);
    }
    return share;
}

static void take(steep_certify_run *s, const steep_interval *box)
{
    const size_t d = s->dim;
    const int precision = s->options->precision;
    steep_interval jet[STEEP_CERTIFY_NUMBERS], at[1 + STEEP_ENCLOSE_DIM], c[STEEP_ENCLOSE_DIM], share, part;
    geometry g;
    s->out->boxes++;
    s->out->pieces++;
    steep_enclosure_box(s->enclosure, box, NULL, 2, precision, jet, s->met);
    steep_certify_centre(s, box, c);
    measure(box, c, d, &g);
    steep_enclosure_box(s->enclosure, c, NULL, 1, precision, at, NULL);
    if (precision == 0 && !(at->high - at->low <= s->tolerance * steep_interval_least(at) / 8))
        steep_enclosure_box(s->enclosure, c, NULL, 1, STEEP_CERTIFY_BITS, at, NULL);
    /* Mean value forms cut the gradient, then the value: e is a small difference of large terms, and its natural
     * enclosure is as wide as theirs. */
    for (size_t i = d + 1; i-- > 0;) steep_certify_mean_value(s, box, c, at, i, jet);
    share = share_of(s, box, &g, jet, at);
    part = volume_of(d, box);
    steep_interval_div(&part, &part, &s->volume, 0);
    steep_interval_mul(&share, &share, &part, 0);
    if (share.low < 0) share.low = 0;
    const double width = share.high - share.low;
    s->low += share.low;
    s->width += width;
    steep_heap_push(s, width, &share, box);
}

static void split(steep_certify_run *s)
{
    const steep_interval share = steep_heap_top(s)->share;
    steep_interval box[STEEP_ENCLOSE_DIM];
    steep_heap_pop(s, box);
    const size_t coordinate = steep_certify_widest(s, box);
    if (coordinate == s->dim) { /* it cannot be halved and goes to the end of the heap */
        s->unbounded = s->unbounded || !(share.high < INFINITY);
        steep_heap_push(s, 0, &share, box);
        return;
    }
    s->low -= share.low;
    s->width -= share.high - share.low;
    steep_certify_halve(s, box, coordinate, take);
}

/* The root of the sum over all boxes, rounded outward. */
static steep_interval whole(const steep_certify_run *s)
{
    steep_interval sum = {0, 0};
    for (size_t k = 0; k < s->count; k++) steep_interval_add(&sum, &sum, &steep_heap_at(s, k)->share, 0);
    if (sum.low < 0) sum.low = 0;
    if (s->power == 2) steep_interval_sqrt(&sum, &sum, 0);
    else if (s->power > 2) {
        steep_interval exponent;
        steep_interval_div(&exponent, &(steep_interval){1, 1}, &(steep_interval){s->power, s->power}, 0);
        steep_interval_raise(&sum, &sum, &exponent, 0);
    }
    return sum;
}

/* Is the root narrow enough? part: share of the tolerance, below 1 while sums are not rounded outward. */
static bool is_narrow(const steep_certify_run *s, double low, double high, double part)
{
    return high < INFINITY && high - low <= part * fmax(s->tolerance * high, s->options->absolute);
}

/* The root of a mean in floating point; upper_root is INFINITY where the width is infinite or NaN (inf - inf). */
static double root(const steep_certify_run *s, double mean)
{
    return s->power == 2 ? sqrt(fmax(mean, 0)) : pow(fmax(mean, 0), 1.0 / s->power);
}

static double upper_root(const steep_certify_run *s)
{
    return isfinite(s->width) ? root(s, s->low + s->width) : INFINITY;
}

/* Sums the shares anew: subtractions have lost digits, or all of them where a share was infinite. */
static void add_anew(steep_certify_run *s)
{
    s->low = s->width = 0;
    for (size_t k = 0; k < s->count; k++) {
        const steep_interval *share = &steep_heap_at(s, k)->share;
        s->low += share->low;
        s->width += share->high - share->low;
    }
}

static void refine(steep_certify_run *s)
{
    size_t reported = 0, added = s->out->boxes;
    while (!s->failed && !s->stopped && !s->unbounded && s->out->boxes < s->options->boxes) {
        const steep_region *top = steep_heap_top(s);
        if (!top || top->rank <= 0 || !(s->low < INFINITY)) break;
        if (is_narrow(s, root(s, s->low), upper_root(s), 0.99)) {
            add_anew(s); /* where the first shares were huge, subtractions have lost all digits */
            if (is_narrow(s, root(s, s->low), upper_root(s), 1)) break;
        }
        split(s);
        const bool report = s->out->boxes >= reported + STEEP_CERTIFY_REPORT;
        if (report || (!isfinite(s->width) && s->out->boxes > added + added / 8)) {
            add_anew(s);
            added = s->out->boxes;
        }
        if (!report) continue;
        reported = s->out->boxes;
        s->stopped = !steep_certify_report(s, root(s, s->low), upper_root(s));
    }
}

steep_status steep_certify_mean(steep_certify_run *run)
{
    run->volume = volume_of(run->dim, run->domain);
    run->power = run->what == STEEP_CERTIFY_RMSE ? 2 : (int)run->options->power;
    steep_certify_cut(run, take);
    refine(run);
    if (run->failed) return STEEP_NO_MEMORY;
    run->out->bound = whole(run);
    if (run->stopped) return STEEP_STOPPED;
    if (is_narrow(run, run->out->bound.low, run->out->bound.high, 1)) return STEEP_CONVERGED;
    return run->out->bound.high < INFINITY && run->out->boxes < run->options->boxes ? STEEP_FLOOR
                                                                                    : STEEP_MAX_ITERATIONS;
}
