/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system: the linear algebra of a fit: its unknowns, the matrix G = [J r]'[J r] at a point, and linear systems of parts
 * of G, corrected by J itself.
 *
 * Unknowns are first the `lines` parameters that a linear problem is solved for (varpro, frozen), then those that move.
 * With d their step and z that of the lines, the step of lm minimises |J d + Phi z + r|^2 + mu |D d|^2: for given d the
 * best z leaves P (J d + r), P the projection away from the span of Phi, which is the step of variable projection. The
 * lines are damped by rounding alone, so that the factor exists; corrections by J take that away again. */
#ifndef STEEP_CUDA_SYSTEM_H
#define STEEP_CUDA_SYSTEM_H

#include "base/status.h"
#include "cuda/factor.h"
#include "cuda/gram.h"
#include "fit/rules.h"

namespace steep
{

/* Why a solve ended. */
enum reason { GRADIENT_MET, STOP_SEEN, CAP_REACHED, STALLED, SYSTEM_SOLVED, UNSURE };

struct solve_end {
    enum reason reason;
    int iterations, evaluations, triangles, unknowns;
};

/* What goes to the device of a fit, and what comes back: theta and active, parameters entries each, are those of the
 * start and then of the end. */
struct task {
    steep_cuda_fit fit;
    point_set set;
    double *theta;
    unsigned char *active;
    solve_end end;
    double seconds;
};

#define STEEP_GRAM_RIDGE   (16 * DBL_EPSILON) /* damping of a factor, relative, at least, times unknowns */
#define STEEP_GRAM_SUSPECT 1e6                /* pivots below this damping may hide a direction that changes nothing */
#define STEEP_GRAM_FREE    1.05               /* with an eigenvalue below so many times this damping. */
#define STEEP_GRAM_LOOSE   1e-7               /* From this damping on a step along them is rounding */
#define STEEP_GRAM_LEAST   1e-280             /* of squares: below, they leave the range of numbers */
#define STEEP_GRAM_MOST    1e280
#define STEEP_GRAM_DAMPED  1e-5               /* damping from which on a step needs no correction */
#define STEEP_GRAM_FIRM    1e-11              /* damping at which a step is tried where that of less does not hold, */
#define STEEP_GRAM_MORE    100                /* and then so many times more */
#define STEEP_GRAM_SURE    1e-8               /* damping from which on the factor alone gives Hebden's step */
#define STEEP_GRAM_NOTHING (64 * DBL_EPSILON) /* left of a column's square beside the lines, times unknowns */
enum { MOST_CORRECTIONS = 12, MOST_FREE = 32, FEW_ROWS_FROM = 320 /* parameters: tiles of 8 points */ };

/* When a minimisation ends: parts of |r + J d|^2, or of a number. */
struct goal {
    double small, large, of;
};

struct linear_system {
    const steep_cuda_fit *fit;
    point_set set;
    int P, ld, lines, unknowns; /* parameters; of G; unknowns, those of the lines among them */
    int known, directions;      /* directions that change nothing: of scalings, all that are in V; */
    bool looked;                /* whether they have been looked for at this point */
    tile_room tile;
    factor_room factor;
    int *unknown; /* which parameter each is */
    /* In device memory: [J r]'[J r], ld x ld, and r of the point at hand, and of another; directions x P, (D^2 v)' / |D
     * v| of each. */
    double *G, *r, *other_G, *other_r, *V;
    double *scale, *whole, *gradient; /* D by unknown, 0: it does not move; P + 1; P + 1 */
    double *right, *rest, *search;    /* by unknown: of minimize */
    double *along, *size, *limit;     /* directions; 2 MOST_FREE; MOST_FREE */
    double mu, held;                  /* damping of a step, of the factor */

    STEEP_BOTH void cut(const steep_cuda_fit *of, int samples, arena *near, arena *far, size_t most)
    {
        fit = of;
        P = (int)of->network.parameters;
        ld = gram_ld(&of->network);
        known = of->solver == STEEP_CUDA_FROZEN
                    ? 0
                    : (int)steep_scaling_directions(&of->network, of->scalings, of->scaling);
        directions = known;
        const int most_directions = known + (of->solver == STEEP_CUDA_FROZEN ? 0 : MOST_FREE);
        unknown = near->take<int>((size_t)P);
        for (double **vector : {&scale, &whole, &gradient, &right, &rest, &search})
            *vector = near->take<double>((size_t)P + 1);
        along = near->take<double>((size_t)most_directions);
        size = near->take<double>(2 * MOST_FREE);
        limit = near->take<double>(MOST_FREE);
        tile_cut(&tile, &of->network, P < FEW_ROWS_FROM ? 16 : 8, near);
        for (double **matrix : {&G, &other_G}) *matrix = far->take<double>((size_t)ld * (size_t)ld);
        for (double **residual : {&r, &other_r}) *residual = far->take<double>((size_t)samples);
        V = far->take<double>((size_t)most_directions * (size_t)P);
        factor_cut(&factor, P, near, far, most);
    }

    STEEP_DEVICE double entry(int p, int q) const
    {
        return symmetric(G, ld, p, q);
    }

    /* |r|^2, and the gradient in unknown i */
    STEEP_DEVICE double square() const
    {
        return entry(P, P);
    }

    STEEP_DEVICE double slope(int i) const
    {
        return entry(P, unknown[i]);
    }

    /* Between the point at hand and the other. */
    STEEP_DEVICE void flip()
    {
        double *const matrix = G, *const residual = r;
        G = other_G, r = other_r;
        other_G = matrix, other_r = residual;
    }

    STEEP_DEVICE void gather(const block &team, const double *theta)
    {
        row_phase(team, fit->row, {&fit->network, theta, set, r}, tile, {product::MATRIX, G, nullptr, 0});
    }

    /* r alone */
    STEEP_DEVICE void evaluate(const block &team, const double *theta)
    {
        row_phase(team, fit->row, {&fit->network, theta, set, r}, tile, {product::RESIDUAL, nullptr, nullptr, 0});
    }

    /* --- step 3 of lm: V'V into G --- */

    /* whole[p] = D of the unknown that p is, 0 where it does not move */
    STEEP_DEVICE void spread_scale(const block &team) const
    {
        team.each(P, [&](int p) { whole[p] = 0; });
        team.each(unknowns - lines, [&](int a) { whole[unknown[lines + a]] = scale[lines + a]; });
    }

    /* V'V of the rows from `first` on, which are directions: each becomes (D^2 v)' / |D v|. */
    STEEP_DEVICE void add_rows(const block &team, int first)
    {
        const int rows = directions - first;
        double *const W = V + (size_t)first * P;
        spread_scale(team);
        team.sums(
            rows, P,
            [&](int i, int p) {
                const double scaled = whole[p] * W[(size_t)i * P + p];
                return scaled * scaled;
            },
            [&](int i, double sum) { along[i] = sum > 0 ? 1 / sqrt(sum) : 0; });
        team.each(rows * P, [&](int item) { W[item] *= whole[item % P] * whole[item % P] * along[item / P]; });
        team.each(P * P, [&](int item) {
            const int p = item / P, q = item % P;
            if (q > p) return;
            double sum = G[(size_t)p * ld + q];
            for (int i = 0; i < rows; i++) sum += W[(size_t)i * P + p] * W[(size_t)i * P + q];
            G[(size_t)p * ld + q] = sum;
        });
    }

    STEEP_DEVICE void add_directions(const block &team, const double *theta)
    {
        directions = known;
        looked = false;
        if (known == 0) return;
        team.each(directions, [&](int i) {
            steep_scaling_write(&fit->network, fit->scaling, (size_t)i, theta, V + (size_t)i * P);
        });
        add_rows(team, 0);
    }

    /* Directions along which J is 0: by two steps of inverse iteration with the factored matrix from each suspect
     * pivot, and then by J itself. lm's factor by QR has exact zeros for them. x: unknowns. Whether there were some:
     * the matrix is another then. */
    STEEP_DEVICE bool add_free_directions(const block &team, const double *theta, double *x)
    {
        const int before = directions;
        int found = 0;
        for (int i = lines; i < unknowns && found < MOST_FREE; i++) {
            const double pivot = factor.pivot[i] / factor.scale[i] / scale[i];
            if (!moves(i) || pivot * pivot > STEEP_GRAM_SUSPECT * held) continue;
            team.each(unknowns, [&](int j) { x[j] = j == i ? scale[i] * scale[i] : 0; });
            solve(team, factor, x);
            const double length = sqrt(scaled_square(team, x));
            team.each(unknowns, [&](int j) { x[j] = j < lines ? 0 : scale[j] * scale[j] * x[j] / length; });
            solve(team, factor, x);
            const double growth = sqrt(scaled_square(team, x)), solved = columns_square(team, 0, lines, x);
            if (growth * STEEP_GRAM_FREE * (held + lines * STEEP_GRAM_RIDGE * solved / (growth * growth)) < 1) continue;
            double *const v = V + (size_t)(before + found) * P;
            const double all = solved + columns_square(team, lines, unknowns, x), zero = STEEP_LM_DEPENDENT;
            team.each(P, [&](int p) { v[p] = 0; });
            team.each(unknowns, [&](int j) { v[unknown[j]] = x[j]; });
            team.one([&] { limit[found] = zero * zero * all; });
            found++;
        }
        return found > 0 && keep_free_directions(team, theta, found);
    }

    /* Keeps, of the vectors that stand behind the directions, found of them, each along which J is 0. */
    STEEP_DEVICE bool keep_free_directions(const block &team, const double *theta, int found)
    {
        const int before = directions;
        team.each(found, [&](int i) { size[found + i] = limit[i]; });
        row_phase(team, fit->row, {&fit->network, theta, set, nullptr}, tile,
                  {product::SIZES, size, V + (size_t)before * P, found});
        for (int i = 0; i < found; i++) {
            if (!(team.read(size + i) <= team.read(limit + i))) continue;
            const double *const from = V + (size_t)(before + i) * P;
            double *const to = V + (size_t)directions++ * P;
            team.each(P, [&](int p) { to[p] = from[p]; });
        }
        if (directions == before) return false;
        add_rows(team, before);
        return true;
    }

    /* sum of |J_i x_i|^2, from <= i < end */
    STEEP_DEVICE double columns_square(const block &team, int from, int end, const double *x) const
    {
        return sum(team, end - from, [&](int a) {
            const int p = unknown[from + a];
            return entry(p, p) * (x[from + a] * x[from + a]);
        });
    }

    /* |D v|^2 of the part that moves */
    STEEP_DEVICE double scaled_square(const block &team, const double *v) const
    {
        return sum(team, unknowns - lines, [&](int a) {
            const int i = lines + a;
            return scale[i] * v[i] * (scale[i] * v[i]);
        });
    }

    /* --- systems --- */

    STEEP_DEVICE bool moves(int i) const
    {
        return i < lines ? entry(unknown[i], unknown[i]) > 0 : scale[i] > 0;
    }

    STEEP_DEVICE double damping(int i) const
    {
        return i < lines ? 0 : mu * scale[i] * scale[i];
    }

    STEEP_DEVICE double held_entry(int i, int j) const
    {
        if (!moves(i) || !moves(j)) return i == j;
        const double value = entry(unknown[i], unknown[j]);
        return i != j ? value : value + (i < lines ? lines * STEEP_GRAM_RIDGE * value : held * scale[i] * scale[i]);
    }

    /* The factor of the matrix of the first n unknowns, the moving ones damped by `held`, of its first columns alone
     * where they are fewer. */
    STEEP_DEVICE bool factorize_held(const block &team, int n, int columns)
    {
        factor.n = n;
        return factorize(team, factor, columns, [&](int i, int j) { return held_entry(i, j); });
    }

    /* e = (factored matrix)^-1 right; returns right' e. */
    STEEP_DEVICE double correction(const block &team, double *e)
    {
        team.each(factor.n, [&](int i) { e[i] = right[i]; });
        solve(team, factor, e);
        return sum(team, factor.n, [&](int i) { return right[i] * e[i]; });
    }

    /* rest: minus half the gradient of |t r + J d|^2 + |V d|^2 + mu |D d|^2 in d, by unknown, t 1 or 0; returns
     * |t r + J d|^2. */
    STEEP_DEVICE double slope_at(const block &team, const double *theta, int n, double t, const double *d)
    {
        team.each(P + 1, [&](int p) { whole[p] = p < P ? 0 : t; });
        team.each(n, [&](int i) { whole[unknown[i]] = d[i]; });
        row_phase(team, fit->row, {&fit->network, theta, set, nullptr}, tile, {product::SLOPE, gradient, whole, 0});
        team.sums(
            n > lines ? directions : 0, P, [&](int i, int p) { return V[(size_t)i * P + p] * whole[p]; },
            [&](int i, double sum) { along[i] = sum; });
        const double square = team.read(gradient + P);
        team.each(n, [&](int i) {
            double all = gradient[unknown[i]] + damping(i) * d[i];
            for (int v = 0; n > lines && v < directions; v++) all += V[(size_t)v * P + unknown[i]] * along[v];
            rest[i] = moves(i) ? -all : 0;
        });
        return square;
    }

    /* The factor for the first n unknowns; with those that move, what changes nothing is looked for once (x: room), and
     * the damping is that of the step where this gives a factor. */
    STEEP_DEVICE bool factorize_free(const block &team, const double *theta, int n, double *x)
    {
        const double last = n * STEEP_GRAM_RIDGE;
        held = fmax(n > lines ? mu : 0, last);
        if (!factorize_held(team, n, n)) return false;
        if (n == lines || held > STEEP_GRAM_LOOSE) return true;
        const bool more = !looked && add_free_directions(team, theta, x);
        looked = true;
        if (!more && held <= mu) return true;
        held = fmax(mu, n * DBL_EPSILON);
        if (factorize_held(team, n, n)) return true;
        held = last;
        return factorize_held(team, n, n);
    }

    /* d = the minimiser of |t r + J d|^2 + |V d|^2 + mu |D d|^2 - 2 b'd over the first n unknowns, `right` being minus
     * half the gradient at d = 0 and b: NULL for 0, or D^2 b. By conjugate gradients with the factor, whose damping may
     * be more than mu: each turn finds the slope at d + search by J itself. Until |M^-1/2 slope|^2 is less than
     * part.small of the sum or of |r|^2 (part.of), or grows. Whether the last is below part.large. */
    STEEP_DEVICE bool minimize(const block &team, const double *theta, int n, double t, const double *b, double *d,
                               double *e, const goal &part)
    {
        double change = correction(team, e), before = INFINITY, of = b ? change : part.of;
        team.each(n, [&](int i) { d[i] = search[i] = 0; });
        for (int turn = 0; turn < MOST_CORRECTIONS; turn++) {
            const double again = turn > 0 ? change / before : 0;
            team.each(n, [&](int i) {
                search[i] = e[i] + again * search[i];
                d[i] += search[i];
            });
            const double square = slope_at(team, theta, n, t, d);
            if (b) team.each(n, [&](int i) { rest[i] += moves(i) && i >= lines ? scale[i] * scale[i] * b[i] : 0; });
            const double slope = sum(team, n, [&](int i) { return search[i] * right[i]; });
            const double bend = slope - sum(team, n, [&](int i) { return search[i] * rest[i]; });
            const double length = slope / bend;
            if (!(length > 0 && length < INFINITY)) return false;
            team.each(n, [&](int i) {
                d[i] += (length - 1) * search[i];
                right[i] += length * (rest[i] - right[i]);
            });
            if (!b && !(part.of > 0)) of = square;
            before = change;
            change = correction(team, e);
            if (!(change < INFINITY)) return false;
            if (change <= part.small * of || (turn > 0 && change > before)) break;
        }
        if (change < before) team.each(n, [&](int i) { d[i] += e[i]; });
        return change <= part.large * of;
    }

    /* --- the linear problem in the lines --- */

    /* Steps of the lines to their best values at theta, where G is that of theta: into d. 1 where that holds, 0 where
     * the normal equations do not, -1 where numbers are not finite. */
    STEEP_DEVICE int solve_lines(const block &team, const double *theta, double *d, double *e)
    {
        if (!(square() <= STEEP_GRAM_MOST)) return -1;
        team.each(lines, [&](int i) { right[i] = moves(i) ? -slope(i) : 0; });
        return factorize_free(team, theta, lines, e) &&
               minimize(team, theta, lines, 1, nullptr, d, e, {1e-15, 1e-9, 0});
    }
};

} // namespace steep

#endif
