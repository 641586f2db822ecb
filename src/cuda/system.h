/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system: the linear algebra of a fit: its unknowns, the matrix G = [J r]'[J r] at a point, and steps by the Cholesky
 * factor of G + mu D^2, or, where that loses too many digits, by the triangle R of J = Q R.
 *
 * The first unknowns are the lines, the linear parameters that are solved for (varpro, frozen); the others move. With
 * [Phi J r] = Q [R11 R12 t; 0 R22 c; 0 0 rho] the step of the lines is -R11^-1 t, and varpro's step needs [R22 c].
 *
 * R is the triangle of QR, computed by matrix products alone (shifted CholeskyQR: Fukaya and others, SISC 42, 2020):
 *
 *   1. C'C = G by Cholesky, with G's diagonal times 1 + SHIFT where that fails; R = C.
 *   2. G = Q'Q, Q = J R^-1 tile by tile; C'C = G; R = C R. Repeat until C adds little to QR's own rounding. The first
 *      pass loses singular values below 1e-8; each pass lowers the condition by 1e6 or more.
 *   3. A column that depends on the columns before it, but for a part below STEEP_LM_DEPENDENT, has an exact 0 on R's
 *      diagonal, as on the CPU. Step 2 leaves the column out. */
#pragma once

#include "cuda/gram.h"
#include "fit/rules.h"

namespace steep
{

/* Why a solve ended. */
enum reason { GRADIENT_MET, CAP_REACHED, STALLED, SYSTEM_SOLVED, UNSURE };

struct solve_end {
    enum reason reason;
    int iterations, evaluations, triangles, unknowns;
};

/* The data of a fit that go to the device and come back. theta and active, parameters entries each, hold the start and
 * then the end. */
struct task {
    steep_cuda_fit fit;
    point_set set;
    double *theta;
    unsigned char *active;
    solve_end end;
    double seconds;
};

#define STEEP_GRAM_SHIFT   (2 * DBL_EPSILON) /* relative shift, for each unknown */
#define STEEP_GRAM_SOUND   4                 /* most rounding of a column by the factor, over QR's */
#define STEEP_GRAM_NOTHING 1e-10             /* most of a column that may be lost where its pivot counts as 0 */
#define STEEP_GRAM_LEAST   1e-280            /* squares below this, or above MOST, leave the range of numbers */
#define STEEP_GRAM_MOST    1e280
#define STEEP_GRAM_FIRM    1e-5 /* damping below which the factor of G has too few digits; */
#define STEEP_GRAM_LARGE   1e-8 /* the same where the CPU steps by J'J, too */
enum { MOST_PASSES = 6, TILE_ROWS = 16, TEAM_ROWS = 256 /* points of a tile; of a tile in device memory */ };

/* A point, in device memory: G = [J r]'[J r] or [Q r]'[Q r], ld x ld; r; c = Q'r; R; folded: R and c are computed. */
struct linear_point {
    double *G, *r, *c;
    triangle R;
    bool folded;
};

struct linear_system {
    const steep_cuda_fit *fit;
    point_set set;
    int P, ld, lines, unknowns; /* parameters; leading dimension of G; lines; unknowns with lines */
    int directions;             /* number of directions of scalings that change nothing */
    tile_room tile;
    triangle factor;
    int *unknown;             /* the parameter of each unknown */
    linear_point here, other; /* the current point, and another one */
    double *V;                /* in device memory: directions x P, (D^2 v)' / |D v| of each direction v */
    double *scale, *length;   /* D, by moving unknown; lengths of columns, by unknown */
    double *whole;            /* P + 1: scratch */
    double *head, *panel;     /* Q'r of a factor, by unknown; scratch for solves */
    double mu;                /* damping */

    STEEP_BOTH void cut(const steep_cuda_fit *of, int samples, arena *near, arena *far, size_t most)
    {
        fit = of;
        P = (int)of->network.parameters;
        ld = gram_ld(&of->network);
        directions = of->solver == STEEP_CUDA_FROZEN
                         ? 0
                         : (int)steep_scaling_directions(&of->network, of->scalings, of->scaling);
        unknown = near->take<int>((size_t)P);
        for (double **vector : {&scale, &length, &whole, &head}) *vector = near->take<double>((size_t)P + 1);
        tile_cut(&tile, &of->network, most > 0 ? TILE_ROWS : TEAM_ROWS, near);
        panel = near->take<double>((size_t)(tile.rows * PANEL));
        for (linear_point *point : {&here, &other}) {
            point->G = far->take<double>((size_t)ld * (size_t)(ld > P + directions ? ld : P + directions));
            point->r = far->take<double>((size_t)samples);
            point->c = far->take<double>((size_t)P);
            triangle_cut(&point->R, P, far, far, 0);
            point->folded = false;
        }
        V = far->take<double>((size_t)directions * (size_t)P);
        triangle_cut(&factor, P, near, far, most);
    }

    /* Entry (p, q) of J'J, by parameters; entry (P, p) is the gradient, (P, P) is |r|^2. */
    STEEP_DEVICE double entry(int p, int q) const
    {
        return symmetric(here.G, ld, p, q);
    }

    STEEP_DEVICE void flip()
    {
        const linear_point point = here;
        here = other;
        other = point;
    }

    STEEP_DEVICE void run(const block &team, const double *theta, double *r, const product &p)
    {
        row_phase(team, fit->row, {&fit->network, theta, set, r}, tile, p);
    }

    /* Computes G at theta (all), or only its diagonal and its row of r. */
    STEEP_DEVICE void gather(const block &team, const double *theta, bool all)
    {
        here.folded = false;
        run(team, theta, here.r, {all ? product::MATRIX : product::ENDS, here.G});
    }

    /* --- V --- */

    /* Computes V and adds V'V to G. With lines G gets no V, because D is known only from R. */
    STEEP_DEVICE void add_directions(const block &team, const double *theta)
    {
        if (directions == 0) return;
        team.each(directions, [&](int i) {
            steep_scaling_write(&fit->network, fit->scaling, (size_t)i, theta, V + (size_t)i * P);
        });
        team.each(P, [&](int p) { whole[p] = 0; }); /* D of the unknown that p is, 0 where it does not move */
        team.each(moving(), [&](int a) { whole[move(a)] = scale[a]; });
        team.each(directions, [&](int i) {
            double *const v = V + (size_t)i * P, sum = 0;
            for (int p = 0; p < P; p++) sum += whole[p] * v[p] * (whole[p] * v[p]);
            for (int p = 0; p < P; p++) v[p] *= sum > 0 ? whole[p] * whole[p] / sqrt(sum) : 0;
        });
        if (lines == 0) add_rows(team, nullptr, here.G);
    }

    /* to += (V R^-1)'(V R^-1), R NULL: V'V */
    STEEP_DEVICE void add_rows(const block &team, const triangle *R, double *to)
    {
        double *const T = tile.J[0];
        for (int first = 0; first < directions; first += tile.rows) {
            team.each(tile.rows * P, [&](int item) {
                const int k = item / P, p = item % P;
                T[k * tile.ld + p] = first + k < directions ? V[(size_t)(first + k) * P + p] : 0;
            });
            if (R) forward(team, *R, tile.rows, T, tile.ld, panel, [&](int i) { return unknown[i]; });
            team.each(P * P, [&](int item) {
                const int p = item / P, q = item % P;
                double sum = 0;
                for (int k = 0; q <= p && k < tile.rows; k++) sum += T[k * tile.ld + p] * T[k * tile.ld + q];
                if (q <= p) to[(size_t)p * ld + q] += sum;
            });
        }
    }

    /* --- R --- */

    /* The factor of [Q r]'[Q r] in A, with a shift where Cholesky fails; false: numbers leave their range. */
    STEEP_DEVICE bool factorize_shifted(const block &team, const double *A, double *shift)
    {
        const triangle &R = here.R;
        factor.n = R.n;
        for (*shift = 0; *shift<1; *shift = *shift> 0 ? 8 * *shift : R.n * STEEP_GRAM_SHIFT) {
            const auto entry_of = [&](int i, int j) {
                if (R.pivot[i] == 0 || R.pivot[j] == 0) return i == j ? 1.0 : 0.0;
                return symmetric(A, ld, unknown[i], unknown[j]) * (i == j ? 1 + *shift : 1);
            };
            const auto is_nothing = [&](int i) {
                return R.pivot[i] * sqrt(R.n * DBL_EPSILON) <= STEEP_GRAM_NOTHING * length[i];
            };
            if (factorize(team, factor, entry_of, is_nothing)) return true;
        }
        return false;
    }

    /* R and c of the first n unknowns at theta, where G is that of J; false: numbers leave their range, or MOST_PASSES
     * are too few. May overwrite other.G. */
    STEEP_DEVICE bool fold(const block &team, const double *theta, int n)
    {
        const triangle &R = here.R;
        const double *A = here.G;
        here.R.n = n;
        team.each(n, [&](int i) {
            length[i] = sqrt(entry(unknown[i], unknown[i]));
            R.pivot[i] = length[i] > 0;
            for (int j = 0; j < i; j++) row_of(R, i)[j] = 0;
        });
        for (int pass = 0; pass < MOST_PASSES && !here.folded; pass++) {
            double shift;
            if (!factorize_shifted(team, A, &shift)) return false;
            multiply_by_factor(team, factor, R);
            const double worse = sum(team, n, [&](int i) {
                return R.pivot[i] <= STEEP_GRAM_SOUND * length[i] * factor.pivot[i] * factor.pivot[i] ? 0 : 1;
            });
            here.folded = shift == 0 && worse == 0;
            leave_out(team, here.folded);
            if (here.folded) break;
            A = other.G;
            run(team, theta, nullptr, {product::MATRIX, other.G, &R, unknown, panel});
            if (lines == 0) add_rows(team, &R, other.G);
        }
        team.each(n, [&](int i) { here.c[i] = symmetric(A, ld, P, unknown[i]); });
        scaled_forward(team, factor, here.c, panel);
        return here.folded;
    }

    /* Step 3. last: the last pass, which keeps R's rows. */
    STEEP_DEVICE void leave_out(const block &team, bool last)
    {
        const triangle &R = here.R;
        team.each(R.n, [&](int i) {
            if (R.pivot[i] <= STEEP_LM_DEPENDENT * length[i]) R.pivot[i] = 0;
        });
        team.each(R.n, [&](int i) {
            for (int j = 0; j < i && !last; j++)
                if (R.pivot[j] == 0) row_of(R, i)[j] = 0;
        });
        invert_diagonal(team, R);
    }

    /* R_ij, i <= j, by unknowns. */
    STEEP_DEVICE double triangle_entry(int i, int j) const
    {
        return i == j ? here.R.pivot[i] : row_of(here.R, j)[i];
    }

    /* --- steps of the unknowns that move --- */

    STEEP_DEVICE int moving() const
    {
        return unknowns - lines;
    }

    STEEP_DEVICE int move(int a) const
    {
        return unknown[lines + a];
    }

    /* |D v| */
    STEEP_DEVICE double scaled_length(const block &team, const double *v) const
    {
        return sqrt(sum(team, moving(), [&](int a) { return scale[a] * v[a] * (scale[a] * v[a]); }));
    }

    /* The factor of J'J + V'V + mu D^2. */
    STEEP_DEVICE bool factorize_damped(const block &team)
    {
        factor.n = unknowns;
        return factorize(
            team, factor,
            [&](int i, int j) {
                const double value = entry(unknown[i], unknown[j]);
                return i == j ? value + mu * scale[i] * scale[i] : value;
            },
            [](int) { return false; });
    }

    /* The same factor by the triangle of [R; V; sqrt(mu) D], V only with lines; and the head of Q'r. */
    STEEP_DEVICE void damp(const block &team)
    {
        const int n = moving(), full = lines > 0 ? directions : 0;
        const double root = sqrt(mu);
        double *const B = other.G;
        factor.n = n;
        team.each(n * n, [&](int item) {
            const int i = item % n, j = item / n;
            if (i <= j) row_of(factor, j)[i] = triangle_entry(lines + i, lines + j);
        });
        team.each(n, [&](int i) { head[i] = here.c[lines + i]; });
        team.each((full + n) * (n + 1), [&](int item) {
            const int i = item / (n + 1), q = item % (n + 1);
            const double of_scale = i - full == q ? root * scale[q] : 0;
            B[(size_t)i * ld + q] = i >= full ? of_scale : q < n ? V[(size_t)i * P + move(q)] : 0;
        });
        reflect(team, factor, full, B, ld, head, whole);
    }

    /* --- the linear problem in the lines --- */

    /* Writes the steps of the lines to their best values at theta, from G there, to d. Returns 1; 0: columns depend on
     * each other, or R fails; -1: numbers are not finite. */
    STEEP_DEVICE int solve_lines(const block &team, const double *theta, double *d)
    {
        if (!(entry(P, P) <= STEEP_GRAM_MOST)) return -1;
        if (!fold(team, theta, lines)) return 0;
        if (sum(team, lines, [&](int i) { return here.R.pivot[i] == 0 && length[i] > 0; }) > 0) return 0;
        team.each(lines, [&](int i) { d[i] = -here.c[i]; });
        backward(team, here.R, d, panel);
        return 1;
    }
};

} // namespace steep
