/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marquardt: fit/least_squares by the threads of a block, its whole loop on the device: Levenberg-Marquardt in a trust
 * region, with the rules and constants of fit/rules.h. The steps have the numbers that they have there.
 *
 * Each step is by J'J + mu D^2 (cuda/system.h) and is corrected by J. With lines (varpro) a trial point is one where
 * they are solved for, and a column's length is that of what is left of it beside theirs. What the normal equations do
 * not hold, or numbers beyond their range, end the solve UNSURE: the CPU's solver makes it then, from the start; where
 * it ends STALLED the CPU's solver goes on. It also tells whether the error is at the network's floor. */
#ifndef STEEP_CUDA_MARQUARDT_H
#define STEEP_CUDA_MARQUARDT_H

#include "cuda/system.h"

namespace steep
{

enum verdict { TAKEN, REFUSED, FINISHED };

struct marquardt {
    linear_system s;
    const volatile int *stop;
    solve_end end;
    double *theta, *trial;              /* P: the present point, a trial */
    double *size, *new_size, *peak;     /* by unknown: |J_p| at theta, at the trial, the largest so far */
    double *gradient, *step, *e, *slot; /* by unknown; 1 */
    double norm, cosine, radius, length;
    double tolerance, drift;
    int most, shortened;
    bool uncertain; /* the normal equations did not hold */

    STEEP_BOTH void cut(const steep_cuda_fit *fit, int samples, arena *near, arena *far, size_t most_near)
    {
        const size_t P = fit->network.parameters;
        for (double **vector : {&theta, &trial, &size, &new_size, &peak, &gradient, &step, &e})
            *vector = near->take<double>(P);
        slot = near->take<double>(1);
        s.cut(fit, samples, near, far, most_near);
    }

    STEEP_DEVICE int moving() const
    {
        return s.unknowns - s.lines;
    }

    /* |D theta| */
    STEEP_DEVICE double scaled_size(const block &team) const
    {
        const double sum = steep::sum(team, moving(), [&](int a) {
            const int i = s.lines + a;
            const double term = (peak[i] > 0 ? peak[i] : 1) * theta[s.unknown[i]];
            return term * term;
        });
        return sqrt(sum);
    }

    /* --- step 1: a point whose G is there --- */

    /* Of an unknown that moves, what is left of its column beside the lines, squared. */
    STEEP_DEVICE double left_of(int i)
    {
        const double all = s.entry(s.unknown[i], s.unknown[i]);
        if (s.lines == 0 || !(all > 0)) return all;
        const double left = left_of_diagonal(s.factor, i);
        if (left > s.unknowns * STEEP_GRAM_NOTHING * all) return left;
        return s.fit->kinks ? 0 : NAN;
    }

    /* new_size, and the gradient cosine; false where numbers leave their range. */
    STEEP_DEVICE bool measure(const block &team, double *new_norm, double *new_cosine)
    {
        const double square = s.square();
        if (!(square >= STEEP_GRAM_LEAST && square <= STEEP_GRAM_MOST)) return false;
        if (s.lines > 0) {
            team.each(s.unknowns, [&](int i) { s.scale[i] = sqrt(s.entry(s.unknown[i], s.unknown[i])); });
            s.held = s.unknowns * STEEP_GRAM_RIDGE;
            if (!s.factorize_held(team, s.unknowns, s.lines)) return false;
        }
        team.each(moving(), [&](int a) {
            const double left = left_of(s.lines + a);
            new_size[s.lines + a] =
                left > 0 && !(left >= STEEP_GRAM_LEAST && left <= STEEP_GRAM_MOST) ? NAN : sqrt(left);
        });
        *new_norm = sqrt(square);
        *new_cosine = largest(team, moving(), [&](int a) {
            const double of_column = new_size[s.lines + a];
            return of_column == 0 ? 0 : fabs(s.slope(s.lines + a)) / of_column / sqrt(square);
        });
        return *new_cosine < INFINITY;
    }

    /* --- step 2 --- */

    /* Beside lines a column of which nothing is left has no step, as varpro puts 0 in its place. */
    STEEP_DEVICE void update_scale(const block &team)
    {
        team.each(moving(), [&](int a) {
            const int i = s.lines + a;
            peak[i] = larger(peak[i], size[i]);
            s.scale[i] = s.lines > 0 && size[i] == 0 ? 0 : peak[i] > 0 ? peak[i] : 1;
        });
    }

    /* --- step 3: the gradient, directions --- */

    STEEP_DEVICE void linearize(const block &team)
    {
        team.each(s.unknowns, [&](int i) { gradient[i] = s.slope(i); });
        s.add_directions(team, theta);
    }

    /* --- step 4 --- */

    /* The step by the factor at hand, corrected by J or not; false where the normal equations do not hold it. */
    STEEP_DEVICE bool find_step(const block &team, bool corrected)
    {
        bool sound = true;
        team.each(s.unknowns, [&](int i) { s.right[i] = s.moves(i) ? -gradient[i] : 0; });
        if (corrected) sound = s.minimize(team, theta, s.unknowns, 1, nullptr, step, e, {1e-18, 1e-12, norm * norm});
        else s.correction(team, step);
        length = sqrt(s.scaled_square(team, step));
        return sound && length <= DBL_MAX;
    }

    /* Where the search needs J to know the length. */
    STEEP_DEVICE bool is_weak() const
    {
        return s.mu < STEEP_GRAM_SURE || s.lines > 0;
    }

    STEEP_DEVICE bool solve_damped(const block &team)
    {
        end.triangles++;
        return s.factorize_free(team, theta, s.unknowns, e) && find_step(team, is_weak());
    }

    /* |R_mu^-T D^2 d|; by J where the factor has more damping than mu, or knows too little of a small one. */
    STEEP_DEVICE double hebden_norm(const block &team)
    {
        if (s.mu < STEEP_GRAM_SURE) {
            team.each(s.unknowns,
                      [&](int i) { s.right[i] = s.moves(i) && i >= s.lines ? s.scale[i] * s.scale[i] * step[i] : 0; });
            s.minimize(team, theta, s.unknowns, 0, step, new_size, e, {1e-12, 1, 0});
            return sqrt(sum(team, moving(), [&](int a) {
                const int i = s.lines + a;
                return s.scale[i] * step[i] * (s.scale[i] * new_size[i]);
            }));
        }
        team.each(s.unknowns, [&](int i) { e[i] = i < s.lines ? 0 : s.scale[i] * s.scale[i] * step[i]; });
        return inverse_norm(team, s.factor, e);
    }

    /* Where the normal equations do not hold the step of a damping, that is the least damping no more. The step that the
     * search ends with is corrected, too, if its damping is small. */
    STEEP_DEVICE bool search_damping(const block &team)
    {
        double least_mu = steep_lm_least_damping((size_t)moving(), norm, drift * scaled_size(team));
        const double slope = sum(team, moving(), [&](int a) {
            const int i = s.lines + a;
            return s.moves(i) ? gradient[i] / s.scale[i] * (gradient[i] / s.scale[i]) : 0;
        });
        double low = least_mu, high = sqrt(slope) / radius;
        if (!(high > 2 * least_mu)) high = 2 * least_mu;
        if (!(s.mu > least_mu)) s.mu = least_mu;
        if (!(s.mu < high)) s.mu = high;
        bool held = false;
        for (int i = 0; i < STEEP_LM_MAX_HEBDEN; i++) {
            held = solve_damped(team);
            if (!held) {
                least_mu = low = s.mu = fmax(STEEP_GRAM_FIRM, STEEP_GRAM_MORE * s.mu);
                high = fmax(high, 2 * least_mu);
                continue;
            }
            const double excess = length - radius;
            if (fabs(excess) <= 0.1 * radius || (excess <= 0 && s.mu <= least_mu)) break;
            if (excess > 0) low = s.mu;
            else high = s.mu;
            const double v = length / hebden_norm(team), next = s.mu + excess / radius * v * v;
            if (next > low && next < high) s.mu = next;
            else s.mu = excess < 0 && low <= least_mu ? least_mu : sqrt(low) * sqrt(high);
        }
        if (!is_weak() && s.mu < STEEP_GRAM_DAMPED) held = held && find_step(team, true);
        return held && length > 0;
    }

    /* -J'r . d = |J d|^2 + mu |D d|^2 for the solution d */
    STEEP_DEVICE double half_slope(const block &team) const
    {
        return -sum(team, s.unknowns, [&](int i) { return s.moves(i) ? gradient[i] * step[i] : 0; });
    }

    /* --- steps 5 to 7 --- */

    STEEP_DEVICE double actual_decrease(const block &team) const
    {
        const double *const r = s.other_r, *const trial_r = s.r;
        return sum(team, s.set.count, [&](int k) { return (r[k] - trial_r[k]) / norm * ((r[k] + trial_r[k]) / norm); });
    }

    STEEP_DEVICE double rounding_of(const block &team) const
    {
        const double terms = sum(team, moving(), [&](int a) {
            const int i = s.lines + a;
            const double term = size[i] * theta[s.unknown[i]];
            return term * term;
        });
        return steep_lm_rounding(sqrt(terms), norm);
    }

    STEEP_DEVICE enum verdict finish(enum reason why)
    {
        end.reason = why;
        return FINISHED;
    }

    STEEP_DEVICE enum verdict refuse(const block &team)
    {
        return radius > DBL_EPSILON * scaled_size(team) ? REFUSED : finish(STALLED);
    }

    /* The trial point: theta and the step, the lines solved for there. False where it is not finite. */
    STEEP_DEVICE bool go_to_trial(const block &team)
    {
        team.each(s.P, [&](int p) { trial[p] = theta[p]; });
        team.each(moving(), [&](int a) { trial[s.unknown[s.lines + a]] += step[s.lines + a]; });
        end.evaluations++;
        s.flip();
        if (s.lines > 0) s.gather(team, trial);
        else s.evaluate(team, trial);
        if (s.lines == 0) return true;
        const int held = s.solve_lines(team, trial, new_size, e);
        uncertain = held == 0;
        team.each(s.lines, [&](int i) { trial[s.unknown[i]] += new_size[i]; });
        if (held > 0) s.evaluate(team, trial);
        return held > 0;
    }

    /* J'J of the trial point, whose r is there. Taken if it is finite, and (polish) if the gradient is smaller. */
    STEEP_DEVICE enum verdict take(const block &team, bool polish)
    {
        double new_norm = NAN, new_cosine = NAN;
        const double mu = s.mu;
        end.evaluations++;
        s.gather(team, trial);
        const bool sound = measure(team, &new_norm, &new_cosine);
        s.mu = mu;
        if (s.lines > 0) update_scale(team);
        if (!sound) return finish(UNSURE);
        if (polish && !(new_cosine <= STEEP_LM_SMALLER * cosine)) return REFUSED;
        norm = new_norm;
        cosine = new_cosine;
        shortened = 0;
        team.each(s.P, [&](int p) { theta[p] = trial[p]; });
        team.each(moving(), [&](int a) { size[s.lines + a] = new_size[s.lines + a]; });
        return TAKEN;
    }

    STEEP_DEVICE enum verdict shorten()
    {
        radius = 0.25 * length;
        s.mu *= 4;
        return ++shortened <= STEEP_LM_MAX_SHORTENED ? REFUSED : finish(STALLED);
    }

    STEEP_DEVICE enum verdict attempt(const block &team)
    {
        if (!search_damping(team)) return finish(UNSURE);
        const double half = half_slope(team) / (norm * norm), damped = sqrt(s.mu) * length / norm;
        const double predicted = half + damped * damped;
        const bool there = go_to_trial(team);
        if (uncertain) return finish(UNSURE);
        const double actual = there ? actual_decrease(team) : NAN, noise = rounding_of(team);
        const bool good = actual / predicted >= STEEP_LM_ACCEPT;
        if (predicted <= noise && actual >= -noise && !(good && predicted > STEEP_LM_ROUNDING)) {
            const enum verdict v = take(team, true);
            if (v != REFUSED) return v;
            if (predicted <= STEEP_LM_ROUNDING) {
                s.flip();
                return shorten();
            }
        }
        steep_lm_update_radius(actual / predicted, actual, half, length, &radius, &s.mu);
        if (good) return take(team, false);
        s.flip();
        return refuse(team);
    }

    STEEP_DEVICE bool is_stopped(const block &team) const
    {
        if (!stop) return false;
        team.one([&] { *slot = *stop; });
        return team.read(slot) != 0;
    }

    STEEP_DEVICE bool is_over(const block &team)
    {
        if (cosine <= tolerance) finish(GRADIENT_MET);
        else if (is_stopped(team)) finish(STOP_SEEN);
        else if (end.iterations >= most) finish(CAP_REACHED);
        else return false;
        return true;
    }

    STEEP_DEVICE void iterate(const block &team)
    {
        while (!is_over(team)) {
            update_scale(team);
            if (end.iterations == 0) {
                const double whole = scaled_size(team);
                radius = whole > 0 ? whole : 1;
            }
            linearize(team);
            enum verdict v = REFUSED;
            for (int attempts = 0; v == REFUSED && attempts < STEEP_LM_MAX_TRIALS; attempts++) v = attempt(team);
            if (v == REFUSED) finish(STALLED);
            if (v != TAKEN) break;
            end.iterations++;
        }
    }

    /* From theta to theta; unknowns are there. */
    STEEP_DEVICE void run(const block &team)
    {
        shortened = 0;
        uncertain = false;
        s.mu = 0;
        team.each(s.unknowns, [&](int i) { step[i] = peak[i] = size[i] = 0; });
        if (!go_to_trial(team)) uncertain = true;
        cosine = INFINITY;
        end.iterations = 0;
        if (uncertain || take(team, false) != TAKEN) finish(UNSURE);
        else iterate(team);
        end.evaluations--;
    }
};

} // namespace steep

#endif
