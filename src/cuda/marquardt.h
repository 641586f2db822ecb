/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marquardt: the whole loop of fit/least_squares.c by the threads of a block: Levenberg-Marquardt in a trust region,
 * with the rules and constants of fit/rules.h. The numbers of the steps are those of fit/least_squares.c.
 *
 * Each step is by J'J + mu D^2, or, where mu is small, by R (cuda/system.h). With lines (varpro), the lines are solved
 * for at each trial point, J is the part of the Jacobian outside the span of their columns, and steps are by R. A solve
 * ends UNSURE where lines depend on each other or numbers leave their range; the CPU's solver then makes it from the
 * start. After STALLED the CPU's solver continues. The CPU also checks whether the error is at the network's floor. */
#pragma once

#include "cuda/system.h"

namespace steep
{

enum verdict { TAKEN, REFUSED, FINISHED };

struct marquardt {
    linear_system s;
    solve_end end;
    double *theta, *trial;          /* P: the current point, the trial point */
    double *size, *new_size, *peak; /* by moving unknown: |J_p| at theta, at the trial point, the largest so far */
    double *gradient, *step, *e;    /* by moving unknown; e: scratch */
    double norm, cosine, radius, length;
    double weak;      /* damping below which steps are by R */
    bool by_triangle; /* whether the current step is by R */
    int shortened;

    STEEP_BOTH void cut(const steep_cuda_fit *fit, int samples, arena *near, arena *far, size_t most_near)
    {
        const size_t P = fit->network.parameters;
        for (double **vector : {&theta, &trial, &size, &new_size, &peak, &gradient, &step, &e})
            *vector = near->take<double>(P);
        s.cut(fit, samples, near, far, most_near);
    }

    /* |D theta| */
    STEEP_DEVICE double scaled_size(const block &team)
    {
        team.each(s.moving(), [&](int a) { e[a] = theta[s.move(a)]; });
        return s.scaled_length(team, e);
    }

    /* --- step 1: a point whose G is known --- */

    /* Length and gradient of column a of J outside the span of the lines; a column that is only rounding becomes 0. */
    STEEP_DEVICE void measure_column(int a, double *of_column, double *slope)
    {
        const int i = s.lines + a;
        double square = 0, along = 0;
        for (int k = s.lines; k <= i; k++) {
            square += s.triangle_entry(k, i) * s.triangle_entry(k, i);
            along += s.triangle_entry(k, i) * s.here.c[k];
        }
        const bool nothing = s.fit->kinks && !(sqrt(square) > STEEP_VARPRO_NOTHING * s.length[i]);
        for (int k = s.lines; nothing && k < i; k++) row_of(s.here.R, i)[k] = 0;
        if (nothing) s.here.R.pivot[i] = 0;
        *of_column = nothing ? 0 : sqrt(square);
        *slope = nothing ? 0 : along;
    }

    /* Computes new_size, the norm and the gradient cosine at the trial point; false: numbers leave their range. */
    STEEP_DEVICE bool measure(const block &team, double *new_norm, double *new_cosine)
    {
        const double square = s.entry(s.P, s.P);
        if (!(square >= STEEP_GRAM_LEAST && square <= STEEP_GRAM_MOST)) return false;
        if (s.lines > 0 && !s.fold(team, trial, s.unknowns)) return false;
        team.each(s.moving(), [&](int a) {
            double of_column = 0, slope = 0;
            if (s.lines > 0) measure_column(a, &of_column, &slope);
            else of_column = sqrt(s.entry(s.move(a), s.move(a))), slope = s.entry(s.P, s.move(a));
            const bool there = of_column * of_column >= STEEP_GRAM_LEAST && of_column * of_column <= STEEP_GRAM_MOST;
            new_size[a] = of_column == 0 || there ? of_column : NAN;
            e[a] = of_column == 0 ? 0 : fabs(slope) / of_column / sqrt(square);
        });
        *new_norm = sqrt(square);
        *new_cosine = largest(team, s.moving(), [&](int a) { return e[a] + 0 * new_size[a]; });
        return *new_cosine < INFINITY;
    }

    /* --- steps 2 and 3 --- */

    STEEP_DEVICE void set_scale_and_gradient(const block &team)
    {
        team.each(s.moving(), [&](int a) {
            peak[a] = larger(peak[a], size[a]);
            s.scale[a] = peak[a] > 0 ? peak[a] : 1;
            double slope = s.lines > 0 ? 0 : s.entry(s.P, s.move(a));
            for (int k = 0; s.lines > 0 && k <= a; k++)
                slope += s.triangle_entry(s.lines + k, s.lines + a) * s.here.c[s.lines + k];
            gradient[a] = slope;
        });
    }

    /* --- step 4 --- */

    /* The step for the damping s.mu; false: numbers leave their range. */
    STEEP_DEVICE bool solve_damped(const block &team)
    {
        end.triangles++;
        by_triangle = s.mu < weak || !s.factorize_damped(team);
        if (by_triangle) {
            if (!s.here.folded && !s.fold(team, theta, s.unknowns)) return false;
            s.damp(team);
            team.each(s.moving(), [&](int a) { step[a] = -s.head[a]; });
        } else {
            team.each(s.moving(), [&](int a) { step[a] = -gradient[a]; });
            scaled_forward(team, s.factor, step, s.panel);
        }
        scaled_backward(team, s.factor, step, s.panel);
        length = s.scaled_length(team, step);
        return length <= DBL_MAX;
    }

    /* |R_mu^-T D^2 d| */
    STEEP_DEVICE double hebden_norm(const block &team)
    {
        team.each(s.moving(), [&](int a) { e[a] = s.scale[a] * s.scale[a] * step[a]; });
        scaled_forward(team, s.factor, e, s.panel);
        return sqrt(sum(team, s.moving(), [&](int a) { return e[a] * e[a]; }));
    }

    STEEP_DEVICE bool search_damping(const block &team)
    {
        const double drift = (s.fit->kinks ? STEEP_LM_DRIFT : INFINITY) * scaled_size(team);
        const double least_mu = steep_lm_least_damping((size_t)s.moving(), norm, drift);
        team.each(s.moving(), [&](int a) { e[a] = gradient[a] / s.scale[a]; });
        const double slope = sum(team, s.moving(), [&](int a) { return e[a] * e[a]; });
        double low = least_mu, high = sqrt(slope) / radius;
        if (!(high > 2 * least_mu)) high = 2 * least_mu;
        if (!(s.mu > least_mu)) s.mu = least_mu;
        if (!(s.mu < high)) s.mu = high;
        for (int i = 0; i < STEEP_LM_MAX_HEBDEN; i++) {
            if (!solve_damped(team)) return false;
            const double excess = length - radius;
            if (fabs(excess) <= 0.1 * radius || (excess <= 0 && s.mu <= least_mu)) break;
            if (excess > 0) low = s.mu;
            else high = s.mu;
            const double v = length / hebden_norm(team), next = s.mu + excess / radius * v * v;
            if (next > low && next < high) s.mu = next;
            else s.mu = excess < 0 && low <= least_mu ? least_mu : sqrt(low) * sqrt(high);
        }
        return length > 0;
    }

    /* |J d|^2 + mu |D d|^2 for the solution d */
    STEEP_DEVICE double half_slope(const block &team) const
    {
        return sum(team, s.moving(),
                   [&](int a) { return by_triangle ? s.head[a] * s.head[a] : -gradient[a] * step[a]; });
    }

    /* --- steps 5 and 6 --- */

    STEEP_DEVICE double actual_decrease(const block &team) const
    {
        const double *const r = s.other.r, *const trial_r = s.here.r;
        return sum(team, s.set.count, [&](int k) { return (r[k] - trial_r[k]) / norm * ((r[k] + trial_r[k]) / norm); });
    }

    STEEP_DEVICE double rounding_of(const block &team) const
    {
        const double terms = sum(team, s.moving(), [&](int a) {
            const double term = size[a] * theta[s.move(a)];
            return term * term;
        });
        return steep_lm_rounding(sqrt(terms), norm);
    }

    STEEP_DEVICE enum verdict finish(enum reason why)
    {
        end.reason = why;
        return FINISHED;
    }

    /* The trial point: theta + step, with the lines solved for, and its r. Returns as solve_lines, 1 without lines. */
    STEEP_DEVICE int go_to_trial(const block &team)
    {
        team.each(s.P, [&](int p) { trial[p] = theta[p]; });
        team.each(s.moving(), [&](int a) { trial[s.move(a)] += step[a]; });
        end.evaluations++;
        s.flip();
        if (s.lines > 0) {
            team.each(s.lines, [&](int i) { trial[s.unknown[i]] = 0; });
            s.gather(team, trial, true);
            const int found = s.solve_lines(team, trial, s.head);
            if (found <= 0) return found;
            team.each(s.lines, [&](int i) { trial[s.unknown[i]] = s.head[i]; });
        }
        s.run(team, trial, s.here.r, {product::RESIDUAL});
        return 1;
    }

    /* J'J of the trial point, whose r is known. Takes the point if all is finite, with polish if the gradient falls. */
    STEEP_DEVICE enum verdict take(const block &team, bool polish)
    {
        double new_norm = NAN, new_cosine = NAN;
        end.evaluations++;
        /* At the cap no step follows from this point, unless it is the start, where cosine is still infinite. */
        s.gather(team, trial, s.lines > 0 || cosine == INFINITY || end.iterations + 1 != (int)s.fit->max_iterations);
        if (!measure(team, &new_norm, &new_cosine)) return finish(UNSURE);
        if (polish && !(new_cosine <= STEEP_LM_SMALLER * cosine)) return REFUSED;
        norm = new_norm;
        cosine = new_cosine;
        shortened = 0;
        team.each(s.P, [&](int p) { theta[p] = trial[p]; });
        team.each(s.moving(), [&](int a) { size[a] = new_size[a]; });
        return TAKEN;
    }

    STEEP_DEVICE enum verdict attempt(const block &team)
    {
        if (!search_damping(team)) return finish(UNSURE);
        const double half = half_slope(team) / (norm * norm), damped = sqrt(s.mu) * length / norm;
        const double predicted = half + damped * damped;
        const int there = go_to_trial(team);
        if (there == 0) return finish(UNSURE);
        const double actual = there > 0 ? actual_decrease(team) : NAN, noise = rounding_of(team);
        const bool good = actual / predicted >= STEEP_LM_ACCEPT;
        if (predicted <= noise && actual >= -noise && !(good && predicted > STEEP_LM_ROUNDING)) {
            const enum verdict v = take(team, true);
            if (v != REFUSED) return v;
            if (predicted <= STEEP_LM_ROUNDING) {
                s.flip();
                radius = 0.25 * length;
                s.mu *= 4;
                return ++shortened <= STEEP_LM_MAX_SHORTENED ? REFUSED : finish(STALLED);
            }
        }
        steep_lm_update_radius(actual / predicted, actual, half, length, &radius, &s.mu);
        if (good) return take(team, false);
        s.flip();
        return radius > DBL_EPSILON * scaled_size(team) ? REFUSED : finish(STALLED);
    }

    STEEP_DEVICE bool is_over()
    {
        if (cosine <= s.fit->tolerance) finish(GRADIENT_MET);
        else if (end.iterations >= (int)s.fit->max_iterations) finish(CAP_REACHED);
        else return false;
        return true;
    }

    STEEP_DEVICE void iterate(const block &team)
    {
        while (!is_over()) {
            set_scale_and_gradient(team);
            if (end.iterations == 0) {
                const double whole = scaled_size(team);
                radius = whole > 0 ? whole : 1;
            }
            s.add_directions(team, theta);
            enum verdict v = REFUSED;
            for (int attempts = 0; v == REFUSED && attempts < STEEP_LM_MAX_TRIALS; attempts++) v = attempt(team);
            if (v == REFUSED) finish(STALLED);
            if (v != TAKEN) break;
            end.iterations++;
        }
    }

    /* Solves from theta and leaves the end there. The unknowns have been listed. */
    STEEP_DEVICE void run(const block &team)
    {
        shortened = 0;
        s.mu = 0;
        weak = s.lines > 0                                                 ? INFINITY
               : steep_lm_by_gram((size_t)s.set.count, (size_t)s.unknowns) ? STEEP_GRAM_LARGE
                                                                           : STEEP_GRAM_FIRM;
        team.each(s.moving(), [&](int a) { step[a] = peak[a] = size[a] = 0; });
        cosine = INFINITY;
        end.iterations = 0;
        if (go_to_trial(team) <= 0 || take(team, false) != TAKEN) finish(UNSURE);
        else iterate(team);
        end.evaluations--;
    }
};

} // namespace steep
