/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system: the linear algebra of a fit: its unknowns, the matrix G = [J r]'[J r] at a point, and linear systems of parts
 * of G, corrected by J itself.
 *
 * Unknowns are first the `lines` parameters that a linear problem is solved for (varpro, frozen), then those that move.
 * With d their step and z that of the lines, the step of lm minimises |J d + Phi z + r|^2 + mu |D d|^2: for given d the
 * best z leaves P (J d + r), P the projection away from the span of Phi, which is the step of variable projection. The
 * lines are damped by rounding alone, so that the factor exists; corrections by J take that away again.
 *
 * Below a damping of STEEP_GRAM_FIRM, and where corrections do not converge, J'J has lost what decides a step to
 * rounding: J is divided by its factor R then, and the system is that of Q = J R^-1 (CholeskyQR2). */
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
    double norm, cosine;
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

#define STEEP_GRAM_RIDGE   (16 * DBL_EPSILON) /* damping of a factor, relative, times unknowns */
#define STEEP_GRAM_FIRM    1e-10 /* damping from which on J'J holds a step, with corrections, */
#define STEEP_GRAM_DAMPED  1e-2  /* and without */
#define STEEP_GRAM_LEAST   1e-280 /* of squares: below, they leave the range of numbers */
#define STEEP_GRAM_MOST    1e280
#define STEEP_GRAM_SLOW    0.1  /* a correction that is no smaller part of the last: more will not do */
#define STEEP_GRAM_LEFT    1e-6 /* what is left of a column's square beside the lines, and J'J has */
enum { MOST_CORRECTIONS = 12, FEW_ROWS_FROM = 320 /* parameters: tiles of 8 points */ };

/* How many directions a scaling makes (model/scaling.c), and direction i of them. */
STEEP_BOTH static inline int scaling_directions(const steep_network *net, const steep_scaling *s)
{
    return s->branches ? (int)net->width : s->degree > 0 ? 1 : (int)net->dim + 1;
}

STEEP_BOTH static inline int all_directions(const steep_cuda_fit *fit)
{
    int all = 0;
    for (size_t s = 0; s < fit->scalings; s++) all += scaling_directions(&fit->network, &fit->scaling[s]);
    return all;
}

STEEP_DEVICE static inline void scaling_direction(const steep_network *net, const steep_scaling *s, int i,
                                                  const double *theta, double *v)
{
    for (size_t p = 0; p < net->parameters; p++) v[p] = 0;
    if (!s->branches && !(s->degree > 0)) { /* a shift of shared maps */
        for (size_t map = s->first; map < s->first + s->count; map++)
            v[net->shared_maps + map * (net->dim + 1) + i] = 1;
        return;
    }
    for (int u = s->branches ? i : 0; u < (s->branches ? i + 1 : (int)net->width); u++) {
        for (int b = 0; b < (int)net->counts.branches; b++)
            for (int f = 0; s->branches >> b & 1 && f < (int)net->features[b]; f++)
                v[net->branch[b] + u * net->features[b] + f] = theta[net->branch[b] + u * net->features[b] + f];
        v[net->output + u] = -s->degree * theta[net->output + u];
    }
    for (size_t a = 0; !s->branches && a < s->count; a++)
        v[net->shared_scalars + s->first + a] = theta[net->shared_scalars + s->first + a];
}

/* Is parameter p a coefficient of a branch that is solved for? */
STEEP_DEVICE static inline bool is_linear_branch(const steep_cuda_fit *fit, size_t p)
{
    const steep_network *net = &fit->network;
    for (int b = 0; b < (int)net->counts.branches; b++)
        if (fit->linear >> b & 1 && p >= net->branch[b] && p < net->branch[b] + net->width * net->features[b])
            return true;
    return false;
}

STEEP_DEVICE static inline bool is_output(const steep_network *net, size_t p)
{
    return p >= net->output && p < net->bias;
}

/* When a minimisation ends: parts of |r + J d|^2, or of a number. */
struct goal {
    double small, large, of;
};

struct linear_system {
    const steep_cuda_fit *fit;
    point_set set;
    int P, ld, lines, unknowns; /* parameters; of G; unknowns, those of the lines among them */
    int directions;             /* of scalings, which change nothing */
    tile_room tile;
    factor_room factor;
    int *unknown;                            /* which parameter each is */
    double *G, *V;                           /* in device memory: ld x ld; directions x P, (D^2 v)' / |D v| of each */
    double *scale, *whole, *product, *right; /* D by unknown, 0: it does not move; P + 1; P + 1; unknowns */
    double *along;                           /* directions */
    double mu, ridge;                        /* damping of a step, of the divided system */
    divisor base;    /* R, near that of [J; V] */
    double *B, *Y;   /* where sharp, divided by R: [J r]'[J r], as G; (unknowns + directions) x P: D, V */
    bool sharp, divided; /* whether they are those of G's point; whether the last factor is of the divided system */

    STEEP_BOTH void cut(const steep_cuda_fit *of, arena *near, arena *far, size_t most)
    {
        fit = of;
        P = (int)of->network.parameters;
        ld = gram_ld(&of->network);
        directions = of->solver == STEEP_CUDA_FROZEN ? 0 : all_directions(of);
        const size_t rows = (size_t)(P + directions), square = (size_t)ld * (size_t)ld;
        unknown = near->take<int>((size_t)P);
        for (double **vector : {&scale, &whole, &product, &right}) *vector = near->take<double>((size_t)P + 1);
        along = near->take<double>((size_t)directions);
        tile_cut(&tile, &of->network, P < FEW_ROWS_FROM ? 16 : 8, near);
        G = far->take<double>(square);
        B = far->take<double>(square);
        V = far->take<double>((size_t)directions * (size_t)P);
        Y = far->take<double>(rows * (size_t)P);
        factor_cut(&factor, P, near, far, most);
        factor_cut(&base.factor, P, far, far, 0);
        base.part = far->take<double>((rows + (size_t)tile.rows) * PANEL);
        base.column = unknown;
    }

    STEEP_DEVICE model at(const double *theta) const
    {
        return {&fit->network, theta, set};
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

    STEEP_DEVICE void gather(const block &team, const double *theta)
    {
        sharp = false;
        row_gram(team, fit->row, at(theta), tile, nullptr, G);
    }

    /* --- step 3 of lm: V'V into G --- */

    STEEP_DEVICE void write_directions(const block &team, const double *theta) const
    {
        const steep_network *net = &fit->network;
        team.each(directions, [&](int i) {
            size_t s = 0;
            int before = 0;
            while (i - before >= scaling_directions(net, &fit->scaling[s]))
                before += scaling_directions(net, &fit->scaling[s++]);
            scaling_direction(net, &fit->scaling[s], i - before, theta, V + (size_t)i * P);
        });
    }

    /* whole[p] = D of the unknown that p is, 0 where it does not move */
    STEEP_DEVICE void spread_scale(const block &team) const
    {
        team.each(P, [&](int p) { whole[p] = 0; });
        team.each(unknowns - lines, [&](int a) { whole[unknown[lines + a]] = scale[lines + a]; });
    }

    /* Each direction v becomes (D^2 v)' / |D v|, a row of V; V'V goes into G. */
    STEEP_DEVICE void add_directions(const block &team, const double *theta)
    {
        sharp = false;
        if (directions == 0) return;
        write_directions(team, theta);
        spread_scale(team);
        team.sums(
            directions, P,
            [&](int i, int p) {
                const double scaled = whole[p] * V[(size_t)i * P + p];
                return scaled * scaled;
            },
            [&](int i, double sum) { along[i] = sum > 0 ? 1 / sqrt(sum) : 0; });
        team.each(directions * P, [&](int item) { V[item] *= whole[item % P] * whole[item % P] * along[item / P]; });
        team.each(P * P, [&](int item) {
            const int p = item / P, q = item % P;
            for (int i = 0; q <= p && i < directions; i++)
                G[(size_t)p * ld + q] += V[(size_t)i * P + p] * V[(size_t)i * P + q];
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

    /* The factor of the matrix of the first n unknowns, damped, of its first columns alone where they are fewer. */
    STEEP_DEVICE bool factorize_damped(const block &team, int n, int columns)
    {
        factor.n = n;
        divided = false;
        return factorize(team, factor, columns, [&](int i, int j) {
            if (!moves(i) || !moves(j)) return (double)(i == j);
            const double value = entry(unknown[i], unknown[j]);
            return i != j ? value : value + (i < lines ? lines * STEEP_GRAM_RIDGE * value : damping(i));
        });
    }

    /* --- the divided system, where J'J has lost what counts: J = Q R, with Q by a second pass over J --- */

    /* R'R = G with a ridge; B and Y. */
    STEEP_DEVICE bool sharpen(const block &team, const double *theta, int n)
    {
        const int rows = n > lines ? n + directions : 0;
        base.factor.n = n;
        const bool there = factorize(team, base.factor, n, [&](int i, int j) {
            if (!moves(i) || !moves(j)) return (double)(i == j);
            const double value = entry(unknown[i], unknown[j]);
            return i != j ? value : value > 0 ? value * (1 + n * STEEP_GRAM_RIDGE) : scale[i] * scale[i];
        });
        if (!there) return false;
        row_gram(team, fit->row, at(theta), tile, &base, B);
        team.each(rows * P, [&](int item) { Y[item] = item / P < n ? 0 : V[item - n * P]; });
        team.each(rows > 0 ? n - lines : 0, [&](int a) { Y[(lines + a) * P + unknown[lines + a]] = scale[lines + a]; });
        divide_rows(team, base, rows, P, Y);
        return sharp = true;
    }

    /* Entry (i, j), i >= j, of Q'Q + Y'Y with the damping. */
    STEEP_DEVICE double divided_entry(int n, int i, int j) const
    {
        if (!moves(i) || !moves(j)) return i == j;
        const double *const a = Y + unknown[i], *const b = Y + unknown[j];
        double damped = 0, sum = symmetric(B, ld, unknown[i], unknown[j]) + (i == j ? ridge : 0);
        for (int k = lines; k <= j; k++) damped += a[k * P] * b[k * P];
        for (int k = n; n > lines && k < n + directions; k++) sum += a[k * P] * b[k * P];
        return sum + mu * damped;
    }

    STEEP_DEVICE bool factorize_divided(const block &team, const double *theta, int n, int columns)
    {
        if (!sharp && !sharpen(team, theta, n)) return false;
        factor.n = n;
        divided = true;
        team.count(n * (1.0 / 3) * n * n);
        for (ridge = 0; ridge <= n * DBL_EPSILON; ridge += n * DBL_EPSILON)
            if (factorize(team, factor, columns, [&](int i, int j) { return divided_entry(n, i, j); })) return true;
        return false;
    }

    /* The minimiser of |r + J d|^2 + |V d|^2 + mu |D d|^2 over the first n unknowns; e: room. */
    STEEP_DEVICE bool solve_divided(const block &team, const double *theta, int n, double *d, double *e)
    {
        if (!factorize_divided(team, theta, n, n)) return false;
        team.each(n, [&](int i) { e[i] = moves(i) ? -symmetric(B, ld, P, unknown[i]) : 0; });
        solve(team, factor, e);
        team.each(n, [&](int i) { base.factor.work[i] = e[i]; });
        solve_backward(team, base.factor, d);
        return sum(team, n, [&](int i) { return d[i] * 0; }) == 0;
    }

    /* |R_mu^-T x| of the last factor, x overwritten */
    STEEP_DEVICE double inverse_norm_of(const block &team, double *x)
    {
        if (divided) {
            solve_forward(team, base.factor, x);
            team.each(factor.n, [&](int i) { x[i] = base.factor.work[i]; });
        }
        return inverse_norm(team, factor, x);
    }

    /* Of unknown i, what is left of its column beside the lines, squared: the factor ends behind them. */
    STEEP_DEVICE double left_of(int i) const
    {
        if (!divided) return left_of_diagonal(factor, i);
        double sum = 0;
        for (int j = lines; j <= i; j++)
            for (int k = lines; k <= i; k++) {
                const double rest = row_of(factor, j > k ? j : k)[least(j, k)] / (factor.scale[j] * factor.scale[k]);
                const double a = j < i ? row_of(base.factor, i)[j] : base.factor.pivot[i];
                sum += a * rest * (k < i ? row_of(base.factor, i)[k] : base.factor.pivot[i]);
            }
        return larger(0, sum) / (base.factor.scale[i] * base.factor.scale[i]);
    }

    /* --- corrections by J --- */

    /* product = [J s]'s, s = r + J d, for the step d of the first n unknowns. */
    STEEP_DEVICE void apply_step(const block &team, const double *theta, int n, const double *d)
    {
        team.each(P, [&](int p) { whole[p] = 0; });
        team.each(n, [&](int i) { whole[unknown[i]] = d[i]; });
        row_apply(team, fit->row, at(theta), tile, whole, product);
    }

    /* e = (factored matrix)^-1 right; returns right' e. */
    STEEP_DEVICE double correction(const block &team, double *e)
    {
        team.each(factor.n, [&](int i) { e[i] = right[i]; });
        solve(team, factor, e);
        return sum(team, factor.n, [&](int i) { return right[i] * e[i]; });
    }

    /* right = minus half the gradient of |r + J d|^2 + |V d|^2 + mu |D d|^2 in d; returns |r + J d|^2. */
    STEEP_DEVICE double residual_of_step(const block &team, const double *theta, int n, const double *d)
    {
        apply_step(team, theta, n, d);
        team.sums(
            n > lines ? directions : 0, P, [&](int i, int p) { return V[(size_t)i * P + p] * whole[p]; },
            [&](int i, double sum) { along[i] = sum; });
        team.each(n, [&](int i) {
            double rest = product[unknown[i]] + damping(i) * d[i];
            for (int v = 0; n > lines && v < directions; v++) rest += V[(size_t)v * P + unknown[i]] * along[v];
            right[i] = moves(i) ? -rest : 0;
        });
        return team.read(product + P);
    }

    /* d = the minimiser of |r + J d|^2 + |V d|^2 + mu |D d|^2 over the first n unknowns, `right` being minus half the
     * gradient at d = 0: by the factor, and corrections by J until one changes that sum by less than part.small of it or of
     * |r|^2 (part.of), or no less than the last one. Whether the last change is below part.large. */
    STEEP_DEVICE bool minimize(const block &team, const double *theta, int n, double *d, double *e, const goal &part)
    {
        double change = INFINITY, before = INFINITY, of = part.of;
        for (int turn = 0; turn < MOST_CORRECTIONS; turn++, before = change) {
            change = correction(team, e);
            if (!(change < INFINITY)) return false;
            team.each(n, [&](int i) { d[i] = turn > 0 ? d[i] + e[i] : e[i]; });
            const double rest = residual_of_step(team, theta, n, d);
            of = part.of > 0 ? part.of : rest;
            if (turn > 0 && (change <= part.small * of || change > STEEP_GRAM_SLOW * before)) break;
        }
        return change <= part.large * of;
    }

    /* --- the linear problem in the lines --- */

    /* Steps of the lines to their best values at theta, where G is that of theta: into d. 1 where that holds, 0 where the
     * normal equations do not, -1 where numbers are not finite. */
    STEEP_DEVICE int solve_lines(const block &team, const double *theta, double *d, double *e)
    {
        if (!(square() <= STEEP_GRAM_MOST)) return -1;
        team.each(lines, [&](int i) { right[i] = moves(i) ? -slope(i) : 0; });
        if (factorize_damped(team, lines, lines) && minimize(team, theta, lines, d, e, {1e-15, 1e-12, 0})) return 1;
        return solve_divided(team, theta, lines, d, e);
    }
};

} // namespace steep

#endif
