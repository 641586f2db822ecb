/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marquardt: fit/least_squares by the threads of a block: Levenberg-Marquardt in a trust region, its whole loop on the
 * device. The algorithm, its rules and its constants are those that head fit/least_squares.c, where the steps have
 * their numbers, and so are the order of every sum and the end: status, sentence and counts.
 *
 * One thing is done otherwise: the Jacobian is not kept. It comes in tiles of 256 rows (in a wide solve, of as many as
 * all threads make at a time), once to take lengths and the gradient of a trial point, and again, where the point is
 * taken, to be folded into the triangle: a row costs far less to make than to fold.
 *
 * Rows is what is solved:
 *
 *   int m, n                                         residuals and unknowns
 *   void residual(team, x, r)                        r[m] at x
 *   bool linearize(team, x, r)                       what tiles at x need first, after residual(team, x, r); it may
 *                                                    rotate r with the rows; false: not finite
 *   const double *tile(team, x, first, size, &ld)    rows first .. first + size - 1 of J: entry (k, p) at [k + p * ld]
 *   int invariances; void invariant(team, x, v)      directions without effect, n numbers each
 *   bool proceed(team, x, norm, &why)                false: why it must end here */
#ifndef STEEP_CUDA_MARQUARDT_H
#define STEEP_CUDA_MARQUARDT_H

#include "base/status.h"
#include "cuda/wide.h"
#include "fit/rules.h"

namespace steep
{

/* Why a solve ended; the sentences stand in cuda/reasons.h. */
enum reason {
    NO_REASON,
    GRADIENT_MET,
    RESIDUAL_ROUNDING,
    MONITOR_STOPPED,
    CAP_REACHED,
    START_NOT_FINITE,
    NO_STEP,
    NO_STEP_WITHIN_ROUNDING,
    STEP_BREAKS_DOWN,
    NO_STEP_BEYOND_ROUNDING,
    AT_NETWORK_FLOOR,
    GRADIENT_ROUNDING,
    SYSTEM_SOLVED,
    SYSTEM_NOT_FINITE,
    TOO_FEW_SAMPLES,
    LAST_NOT_SOLVED
};

struct solve_limits {
    int max_iterations;
    double tolerance, drift;
};

struct solve_end {
    steep_status status;
    enum reason reason;
    int iterations, evaluations, triangles, unknowns; /* unknowns: of frozen */
    double norm, cosine;
};

/* Memory of a solve. */
struct marquardt_room {
    double *r, *trial, *terms;                                       /* m */
    double *x, *x_trial, *size, *peak, *scale, *gradient, *step, *w; /* n */
    double *invariant;                                               /* n x invariances */
    double *square, *product, *most;                                 /* of a column: n x LANES, n x LANES, n */
    double *squares, *products;                                      /* of the chunks before: n */
    double *part;                                                    /* of a dot */
    int rows;                                                        /* of a tile */
    folder fold;
};

STEEP_BOTH static inline void marquardt_cut(marquardt_room *room, int m, int n, int invariances, const places &at)
{
    arena *const near = at.near, *const far = at.far;
    double **const vectors[] = {&room->x,     &room->x_trial,  &room->size, &room->peak,
                                &room->scale, &room->gradient, &room->step, &room->w};
    double **const seldom[] = {&room->squares, &room->products, &room->most};
    folder_cut(&room->fold, n, true, at, at.own);
    room->rows = at.rows;
    for (double **vector : vectors) *vector = near->take<double>((size_t)n);
    for (double **vector : seldom) *vector = far->take<double>((size_t)n);
    room->part = near->take<double>((size_t)(LANES * dot_chunks(m > n ? m : n) + 1));
    room->r = far->take<double>((size_t)m);
    room->trial = far->take<double>((size_t)m);
    room->terms = far->take<double>((size_t)m);
    room->invariant = far->take<double>((size_t)n * (size_t)invariances);
    room->square = far->take<double>((size_t)n * LANES);
    room->product = far->take<double>((size_t)n * LANES);
}

enum verdict { TAKEN, REFUSED, FINISHED };

template <class Rows> struct marquardt {
    Rows *rows;
    solve_limits limits;
    marquardt_room room;
    solve_end *end;
    int m, n, shortened;
    double norm, cosine, radius, mu, length;

    STEEP_DEVICE void finish(steep_status status, enum reason why)
    {
        end->status = status;
        end->reason = why;
    }

    /* |diag(scale) v| */
    STEEP_ONCE double scaled_norm(const block &team, const double *v) const
    {
        const double *scale = room.scale;
        return steep::norm(
            team, n, [&](int p) { return scale[p] * v[p]; }, room.part);
    }

    /* --- lengths of columns and the gradient, from tiles --- */

    STEEP_DEVICE void add_tile(const block &team, const double *J, int ld, int first, int size, const double *r) const
    {
        const marquardt_room &w = room;
        const bool begins = first % CHUNK == 0, closes = (first + size) % CHUNK == 0 || first + size == m;
        team.each(n * LANES, [&](int item) {
            const int p = item / LANES, l = item % LANES;
            const double *const column = J + (size_t)p * (size_t)ld;
            double square = begins ? 0 : w.square[item], product = begins ? 0 : w.product[item];
            for (int k = l; k < size / LANES * LANES; k += LANES) {
                square += column[k] * column[k];
                product += column[k] * r[first + k];
            }
            w.square[item] = square;
            w.product[item] = product;
        });
        team.each(n, [&](int p) {
            const double *const column = J + (size_t)p * (size_t)ld;
            double most = first == 0 ? 0 : w.most[p], rest = 0, other = 0;
            for (int k = 0; k < size; k++) most = larger(most, fabs(column[k]));
            w.most[p] = most;
            if (!closes) return;
            for (int k = size / LANES * LANES; k < size; k++) {
                rest += column[k] * column[k];
                other += column[k] * r[first + k];
            }
            rest = add_lanes(w.square + p * LANES, rest);
            other = add_lanes(w.product + p * LANES, other);
            w.squares[p] = first < CHUNK ? rest : w.squares[p] + rest;
            w.products[p] = first < CHUNK ? other : w.products[p] + other;
        });
    }

    /* Lengths whose squares leave the range of numbers, by one more pass over the tiles. */
    STEEP_DEVICE void careful_lengths(const block &team, const double *x, double *lengths) const
    {
        const marquardt_room &w = room;
        team.each(n, [&](int p) { w.products[p] = 0; });
        for (int first = 0; first < m; first += w.rows) {
            int size = least(m - first, w.rows), ld;
            const double *const J = rows->tile(team, x, first, size, &ld);
            team.each(n, [&](int p) {
                int exponent;
                if (!(w.most[p] > 0) || w.most[p] > DBL_MAX || plain_square(w.squares[p])) return;
                frexp(w.most[p], &exponent);
                for (int k = 0; k < size; k++) {
                    double scaled = ldexp(J[k + (size_t)p * (size_t)ld], -exponent);
                    w.products[p] += scaled * scaled;
                }
                lengths[p] = ldexp(sqrt(w.products[p]), exponent);
            });
        }
    }

    /* Lengths of J's columns at x, and step 1's measure of J and r. False where J is not finite. */
    STEEP_ONCE bool measure(const block &team, const double *x, const double *r, double r_norm, double *lengths,
                            double *worst)
    {
        const marquardt_room &w = room;
        for (int first = 0; first < m; first += w.rows) {
            int size = least(m - first, w.rows), ld;
            const double *const J = rows->tile(team, x, first, size, &ld);
            for (int k = 0; k < size; k += CHUNK) add_tile(team, J + k, ld, first + k, least(size - k, CHUNK), r);
        }
        team.one([&] {
            int careful = 0;
            for (int p = 0; p < n; p++) {
                if (plain_square(w.squares[p])) lengths[p] = sqrt(w.squares[p]);
                else lengths[p] = w.most[p];
                w.step[p] = w.products[p];
                careful += !plain_square(w.squares[p]) && w.most[p] > 0 && w.most[p] <= DBL_MAX;
            }
            w.part[0] = careful;
        });
        if (team.read(w.part) > 0) careful_lengths(team, x, lengths);
        team.one([&] {
            double largest = 0, sum = 0;
            for (int p = 0; p < n; p++) {
                double c = lengths[p] > 0 && r_norm > 0 ? fabs(w.step[p]) / lengths[p] / r_norm : 0;
                if (!(c <= largest)) largest = c;
                sum += lengths[p] * 0;
            }
            w.part[0] = largest;
            w.part[1] = sum;
        });
        *worst = team.read(w.part);
        return team.read(w.part + 1) == 0;
    }

    /* --- steps 2 and 3 --- */

    STEEP_DEVICE void update_scale(const block &team) const
    {
        const marquardt_room &w = room;
        team.each(n, [&](int p) {
            if (w.size[p] > w.peak[p]) w.peak[p] = w.size[p];
            w.scale[p] = w.peak[p] > 0 ? w.peak[p] : 1;
        });
    }

    STEEP_DEVICE void fold_invariances(const block &team) const
    {
        const int count = rows->invariances;
        if (count == 0) return;
        rows->invariant(team, room.x, room.invariant);
        for (int i = 0; i < count; i++) {
            double *const v = room.invariant + (size_t)i * n;
            const double size = scaled_norm(team, v), *const scale = room.scale;
            team.each(n, [&](int p) { v[p] = size > 0 ? scale[p] * (scale[p] * v[p] / size) : 0; });
        }
        for (int first = 0; first < count; first += room.rows)
            fold_rows(team, room.fold, first, least(count - first, room.rows),
                      [&](int k, int p) { return p < n ? room.invariant[(size_t)k * n + p] : 0; });
    }

    STEEP_ONCE void factor(const block &team) const
    {
        const marquardt_room &w = room;
        const folder &fold = room.fold;
        fold_begin(team, fold);
        for (int first = 0; first < m; first += w.rows) {
            int size = least(m - first, w.rows), ld;
            const double *const J = rows->tile(team, room.x, first, size, &ld);
            fold_rows(team, fold, first, size,
                      [&](int k, int p) { return p < n ? J[(k - first) + (size_t)p * (size_t)ld] : w.r[k]; });
        }
        fold_invariances(team);
        team.each(n, [&](int p) {
            double *const row = fold.R + (size_t)p * fold.ld;
            if (fabs(row[p]) <= STEEP_LM_DEPENDENT * w.size[p]) row[p] = 0;
            w.w[p] = row[n]; /* J'r = R'c */
        });
        fold_transposed_times(team, fold, fold.R, w.w, w.gradient);
    }

    /* --- step 4 --- */

    STEEP_ONCE bool solve_damped(const block &team)
    {
        const marquardt_room &w = room;
        const folder &fold = room.fold;
        const double root = sqrt(mu);
        fold_damp(team, fold, [&](int p) { return root * w.scale[p]; });
        end->triangles++;
        team.one([&] {
            double singular = 0;
            for (int p = 0; p < n; p++) singular += fold.S[(size_t)p * fold.ld + p] == 0;
            w.part[0] = singular;
        });
        if (team.read(w.part) > 0) return false; /* sqrt(mu) D underflows */
        team.each(n, [&](int p) { w.step[p] = -fold.S[(size_t)p * fold.ld + n]; });
        fold_solve(team, fold, fold.S, w.step, w.part);
        return true;
    }

    /* |R_mu^-T D^2 d| */
    STEEP_DEVICE double hebden_norm(const block &team) const
    {
        const marquardt_room &w = room;
        team.each(n, [&](int p) { w.w[p] = w.scale[p] * w.scale[p] * w.step[p]; });
        fold_transposed_solve(team, room.fold, room.fold.S, w.w);
        return steep::norm(
            team, n, [&](int p) { return w.w[p]; }, w.part);
    }

    STEEP_ONCE bool find_step(const block &team)
    {
        const marquardt_room &w = room;
        const double size = limits.drift * scaled_norm(team, w.x),
                     least_mu = steep_lm_least_damping((size_t)n, norm, size);
        double low = least_mu, high = steep::norm(
                                          team, n, [&](int p) { return w.gradient[p] / w.scale[p]; }, w.part) /
                                      radius;
        if (!(high > 2 * least_mu)) high = 2 * least_mu;
        if (!(mu > least_mu)) mu = least_mu;
        if (!(mu < high)) mu = high;
        for (int i = 0; i < STEEP_LM_MAX_HEBDEN; i++) {
            if (!solve_damped(team)) return false;
            length = scaled_norm(team, w.step);
            const double excess = length - radius;
            if (!(fabs(excess) <= DBL_MAX)) return false;
            if (fabs(excess) <= 0.1 * radius || (excess <= 0 && mu <= least_mu)) break;
            if (excess > 0) low = mu;
            else high = mu;
            const double v = length / hebden_norm(team), next = mu + (length - radius) / radius * v * v;
            if (next > low && next < high) mu = next;
            else mu = excess < 0 && low <= least_mu ? least_mu : sqrt(low) * sqrt(high);
        }
        return length > 0;
    }

    /* --- steps 6 and 7 --- */

    STEEP_ONCE void predict(const block &team, double *decrease, double *slope) const
    {
        const marquardt_room &w = room;
        fold_times(team, room.fold, room.fold.R, w.step, w.w);
        const double linear = steep::norm(
                                  team, n, [&](int p) { return w.w[p]; }, w.part) /
                              norm,
                     damped = sqrt(mu) * length / norm;
        *slope = linear * linear + damped * damped;
        *decrease = linear * linear + 2 * damped * damped;
    }

    STEEP_ONCE double actual_decrease(const block &team) const
    {
        const marquardt_room &w = room;
        team.each(m, [&](int k) { w.terms[k] = (w.r[k] - w.trial[k]) / norm * ((w.r[k] + w.trial[k]) / norm); });
        team.one([&] {
            double sum = 0;
            for (int k = 0; k < m; k++) sum += w.terms[k];
            w.part[0] = sum;
        });
        return team.read(w.part);
    }

    STEEP_DEVICE double rounding_of(const block &team) const
    {
        const marquardt_room &w = room;
        return steep_lm_rounding(steep::norm(
                                     team, n, [&](int p) { return w.size[p] * w.x[p]; }, w.part),
                                 norm);
    }

    STEEP_DEVICE enum verdict refuse(const block &team)
    {
        if (radius > DBL_EPSILON * scaled_norm(team, room.x)) return REFUSED;
        finish(STEEP_STALLED, NO_STEP_WITHIN_ROUNDING);
        return FINISHED;
    }

    /* r stands at the trial point already; J is taken there. */
    STEEP_ONCE enum verdict take(const block &team, bool polish)
    {
        marquardt_room &w = room;
        double worst = NAN;
        end->evaluations++;
        const bool whole = rows->linearize(team, w.x_trial, w.trial);
        const double size = steep::norm(
            team, m, [&](int k) { return w.trial[k]; }, w.part);
        const bool sound = measure(team, w.x_trial, w.trial, size, w.w, &worst) && whole && fabs(size) <= DBL_MAX;
        if (polish && !(sound && worst <= STEEP_LM_SMALLER * cosine)) return REFUSED;
        if (!sound) {
            radius *= 0.1;
            mu *= 10;
            return refuse(team);
        }
        double *const swap = w.r;
        w.r = w.trial;
        w.trial = swap;
        norm = size;
        cosine = worst;
        shortened = 0;
        team.each(n, [&](int p) {
            w.size[p] = w.w[p];
            w.x[p] = w.x_trial[p];
        });
        return TAKEN;
    }

    STEEP_DEVICE enum verdict shorten()
    {
        radius = 0.25 * length;
        mu *= 4;
        if (++shortened <= STEEP_LM_MAX_SHORTENED) return REFUSED;
        finish(STEEP_STALLED, NO_STEP_BEYOND_ROUNDING);
        return FINISHED;
    }

    STEEP_DEVICE enum verdict attempt(const block &team)
    {
        const marquardt_room &w = room;
        if (!find_step(team)) {
            finish(STEEP_STALLED, STEP_BREAKS_DOWN);
            return FINISHED;
        }
        team.each(n, [&](int p) { w.x_trial[p] = w.x[p] + w.step[p]; });
        end->evaluations++;
        rows->residual(team, w.x_trial, w.trial);
        double predicted, slope;
        const double actual = actual_decrease(team), noise = rounding_of(team);
        predict(team, &predicted, &slope);
        const bool good = actual / predicted >= STEEP_LM_ACCEPT;
        if (predicted <= noise && actual >= -noise && !(good && predicted > STEEP_LM_ROUNDING)) {
            enum verdict v = take(team, true);
            if (v != REFUSED) return v;
            if (predicted <= STEEP_LM_ROUNDING) return shorten();
        }
        steep_lm_update_radius(actual / predicted, actual, slope, length, &radius, &mu);
        return good ? take(team, false) : refuse(team);
    }

    STEEP_DEVICE bool is_over(const block &team)
    {
        enum reason why = NO_REASON;
        if (cosine <= limits.tolerance) finish(STEEP_CONVERGED, GRADIENT_MET);
        else if (norm <= 0) finish(STEEP_FLOOR, RESIDUAL_ROUNDING);
        else if (!rows->proceed(team, room.x, norm, &why))
            finish(why == AT_NETWORK_FLOOR ? STEEP_FLOOR : STEEP_STOPPED, why);
        else if (end->iterations >= limits.max_iterations) finish(STEEP_MAX_ITERATIONS, CAP_REACHED);
        else return false;
        return true;
    }

    /* From room.x to room.x. */
    STEEP_DEVICE void run(const block &team)
    {
        marquardt_room &w = room;
        m = rows->m;
        n = rows->n;
        shortened = 0;
        mu = 0;
        end->iterations = end->triangles = 0;
        end->evaluations = 1;
        team.each(n, [&](int p) { w.peak[p] = 0; });
        rows->residual(team, w.x, w.r);
        const bool whole = rows->linearize(team, w.x, w.r);
        norm = steep::norm(
            team, m, [&](int k) { return w.r[k]; }, w.part);
        const bool sound = measure(team, w.x, w.r, norm, w.size, &cosine) && whole;
        if (!sound || !(fabs(norm) <= DBL_MAX)) finish(STEEP_NOT_FINITE, START_NOT_FINITE);
        else iterate(team);
        end->norm = norm;
        end->cosine = cosine;
    }

    STEEP_DEVICE void iterate(const block &team)
    {
        while (!is_over(team)) {
            update_scale(team);
            if (end->iterations == 0) {
                const double size = scaled_norm(team, room.x);
                radius = size > 0 ? size : 1;
            }
            factor(team);
            enum verdict v = REFUSED;
            for (int trial = 0; v == REFUSED && trial < STEEP_LM_MAX_TRIALS; trial++) v = attempt(team);
            if (v == REFUSED) finish(STEEP_STALLED, NO_STEP);
            if (v != TAKEN) break;
            end->iterations++;
        }
    }
};

} // namespace steep

#endif
