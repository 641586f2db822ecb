/* SPDX-License-Identifier: GPL-3.0-or-later */
/* host: what both shared objects do on the host: refuse what cannot run, order the queue by cost, put sentences to
 * ends. */
#ifndef STEEP_CUDA_HOST_H
#define STEEP_CUDA_HOST_H

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <vector>

#include "cuda/solve.h"

namespace steep
{

enum {
    MOST_PARAMETERS = 1024, /* of a block's fit: its triangle is P x P, and one block takes too long for more */
    WIDE_PARAMETERS = 256,  /* with fewer all blocks have too little to do together */
    TWO_PANELS = 2048,      /* from so many on a block folds two panels of columns together (docs/explanation/gpu.md) */
    BLOCK_THREADS = 256
};

__attribute__((format(printf, 3, 4))) inline steep_status fail(steep_error *error, steep_status status,
                                                               const char *format, ...)
{
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

/* --- what can run --- */

bool has_row(size_t row); /* whether the object was built with this row of the list */

/* What a device has for solves. */
struct machine {
    size_t near_most, far_most; /* shared memory of a block; device memory for all that solves need */
    size_t wide_most;           /* device memory for a wide solve, which is alone */
    size_t narrow;              /* most parameters of a block's fit */
    int blocks;                 /* at a time, of a wide solve */
    int piece;                  /* columns that they fold together; 0: as many as serve best */
};

/* The shape of a wide solve: pieces that shared memory has room for; tiles of the Jacobian of as many rows as
 * there are threads, fewer where memory is short, and at last fewer blocks. blocks 0: there is no room. */
inline shape wide_shape(const steep_cuda_fit *fit, size_t samples, const machine &on)
{
    const size_t rows =
        std::min((size_t)round_up(on.blocks * BLOCK_THREADS, CHUNK), (samples + CHUNK - 1) / CHUNK * CHUNK);
    const bool two = on.piece ? on.piece == 2 * PANEL : fit->network.parameters >= TWO_PANELS;
    shape as = {on.blocks, (int)rows, two ? 2 * PANEL : (int)PANEL};
    if (as.blocks > 0 && needs_of(fit, (int)samples, as).near > on.near_most) as.piece = PANEL;
    for (; as.blocks > 0; as.rows > CHUNK ? as.rows = round_up(as.rows / 2, CHUNK) : as.blocks /= 2) {
        const needs both = needs_of(fit, (int)samples, as);
        if (both.near > on.near_most) as.blocks = 0;
        else if (both.far <= on.wide_most) return as;
    }
    as.blocks = 0;
    return as;
}

/* Whether one block may solve it. */
inline bool can_run_narrow(const steep_cuda_fit *fit, size_t samples, const machine &on)
{
    const needs both = needs_of(fit, (int)samples, narrow_shape());
    return fit->network.parameters <= on.narrow && both.near <= on.near_most && both.far <= on.far_most;
}

inline bool can_run(const steep_cuda_fit *fit, size_t samples, const machine &on, char *text, size_t size)
{
    const size_t P = fit->network.parameters;
    if (fit->row >= ROWS_OF_LIST || fit->network.choice.written) {
        snprintf(text, size, "a unit by formula is evaluated on the CPU alone");
        return false;
    }
    if (!has_row(fit->row)) {
        snprintf(text, size, "the object was built without its architecture: \"make cuda\" builds it with all of them");
        return false;
    }
    if (samples * P > (size_t)INT32_MAX / 2 || (P + GROUP) * (P + GROUP) > (size_t)INT32_MAX / 2) {
        snprintf(text, size, "%zu parameters on %zu samples: matrices of more than 2^30 numbers are left to the CPU", P,
                 samples);
        return false;
    }
    if (can_run_narrow(fit, samples, on) || wide_shape(fit, samples, on).blocks > 0) return true;
    const shape least_of_all = {1, CHUNK, PANEL};
    const needs block = needs_of(fit, (int)samples, narrow_shape()), wide = needs_of(fit, (int)samples, least_of_all);
    snprintf(text, size, "%zu parameters on %zu samples: %zu bytes of shared and %zu of device memory, of %zu and %zu",
             P, samples, std::min(block.near, wide.near), std::min(block.far, wide.far), on.near_most, on.far_most);
    return false;
}

/* --- the queue --- */

/* Operations of a fit, up to a factor: a row's folding, and the damped triangles. */
inline double cost_of(const steep_cuda_fit *fit, size_t samples)
{
    const double P = (double)fit->network.parameters;
    return (double)fit->max_iterations * ((double)samples * P * (P + 30) + 3 * P * P * P);
}

/* The fits of a batch, the dearest first: the last to end are short. */
inline std::vector<size_t> queue_of(const steep_cuda_batch *batch)
{
    std::vector<size_t> order(batch->count);
    std::vector<double> cost(batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        order[i] = i;
        cost[i] = cost_of(&batch->fit[i], batch->samples[batch->fit[i].samples]->count);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return cost[a] > cost[b]; });
    return order;
}

/* The fits of a queue by who solves them: a block, or all blocks together, one fit after the other. */
struct queues {
    std::vector<size_t> narrow, wide;
};

/* Seconds on an H100, roughly, as gpu.md estimates them: of a fit by one block, and by all blocks, which make the
 * panels of a tile, and those of the damped triangles, one after the other. No number depends on them. */
inline double narrow_seconds(const steep_cuda_fit *fit, size_t samples)
{
    return cost_of(fit, samples) / 2e10;
}

inline double wide_seconds(const steep_cuda_fit *fit, size_t samples)
{
    const double panels = (double)fit->network.parameters / PANEL, tiles = (double)samples / ROWS;
    return cost_of(fit, samples) / 7e12 + (double)fit->max_iterations * (tiles + 3 * panels) * 1.2e-4;
}

/* How many of the longest fits all blocks should solve, so that everything ends soonest: a block's fits end with the
 * longest of them, or when all blocks have worked on all of them. The queue's order is theirs. */
inline size_t count_long(const steep_cuda_batch *batch, const std::vector<size_t> &queue, const machine &on)
{
    const auto fit_of = [&](size_t place) { return &batch->fit[queue[place]]; };
    const auto samples_of = [&](size_t place) { return batch->samples[fit_of(place)->samples]->count; };
    double rest = 0, wide = 0, best = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < queue.size(); i++) rest += narrow_seconds(fit_of(i), samples_of(i));
    for (size_t i = 0; i <= queue.size(); i++) {
        const double longest = i < queue.size() ? narrow_seconds(fit_of(i), samples_of(i)) : 0,
                     end = wide + std::max(longest, rest / (2 * (double)on.blocks));
        if (end < best) best = end, count = i;
        if (i == queue.size() || fit_of(i)->network.parameters < WIDE_PARAMETERS ||
            wide_shape(fit_of(i), samples_of(i), on).blocks == 0)
            break;
        wide += wide_seconds(fit_of(i), samples_of(i));
        rest -= longest;
    }
    return count;
}

/* Wide: what no block can solve alone, and the longest of the others. */
inline queues split(const steep_cuda_batch *batch, const std::vector<size_t> &queue, const machine &on)
{
    std::vector<bool> wide(batch->count, true);
    std::vector<size_t> able;
    queues both;
    for (size_t index : queue) {
        const steep_cuda_fit *fit = &batch->fit[index];
        if (can_run_narrow(fit, batch->samples[fit->samples]->count, on)) able.push_back(index);
    }
    for (size_t i = count_long(batch, able, on); i < able.size(); i++) wide[able[i]] = false;
    for (size_t index : queue) (wide[index] ? both.wide : both.narrow).push_back(index);
    return both;
}

/* --- ends --- */

/* In the order of enum reason: the sentences of the CPU's solvers. */
inline const char *sentence_of(enum reason why)
{
    static const char *const sentences[] = {
        "",
        "the gradient meets the tolerance",
        "the residual is at the size that counts as rounding",
        "the monitor asked to stop",
        "the cap on iterations is reached",
        "residual or Jacobian at the start is not finite",
        "no step lowers the residual",
        "no step within the rounding of the unknowns lowers the residual",
        "the step cannot be computed: the Jacobian's size leaves the range of numbers",
        "no step lowers the residual by more than its rounding",
        "the error is at the network's rounding floor",
        "no step lowers the error; what is left of the gradient is rounding",
        "dense least squares by QR",
        "the least-squares problem holds numbers that are not finite",
        "fewer samples than unknowns: use at least as many samples as unknowns",
        "the linear parameters could not be solved for at the end",
    };
    return sentences[why];
}

/* The sentence with its numbers. */
inline void write_reason(const task &t, char *text, size_t size)
{
    const steep_cuda_fit &fit = t.fit;
    int used = snprintf(text, size, "%.100s", sentence_of(t.end.reason));
    if (fit.solver == STEEP_CUDA_VARPRO && t.end.reason != LAST_NOT_SOLVED)
        snprintf(text + used, size - (size_t)used, " (%zu of %zu parameters eliminated)", fit.lines,
                 fit.network.parameters);
    if (t.end.reason != SYSTEM_SOLVED) return;
    used += snprintf(text + used, size - (size_t)used, ", %d unknowns", t.end.unknowns);
    if (fit.distinct < (size_t)t.end.unknowns)
        snprintf(text + used, size - (size_t)used,
                 "; %zu distinct points for %d unknowns: the smallest weights that fit", fit.distinct, t.end.unknowns);
}

/* The task that a fit starts as; theta and active become those of its start. */
inline task task_of(const steep_cuda_fit *fit, const point_set &set, double *theta, unsigned char *active)
{
    const size_t P = fit->network.parameters;
    task t = {};
    std::copy(fit->theta, fit->theta + P, theta);
    std::fill(active, active + P, (unsigned char)1);
    t.fit = *fit;
    t.fit.theta = nullptr;
    t.fit.network.architecture = nullptr;
    t.set = set;
    t.theta = theta;
    t.active = active;
    return t;
}

/* The result of a task that has ended, theta and active copied back to the host. */
inline steep_cuda_result result_of(const task &t, const double *theta, const unsigned char *active)
{
    steep_cuda_result result = {};
    result.status = t.end.status;
    write_reason(t, result.reason, sizeof result.reason);
    result.theta = theta;
    result.active = active;
    result.iterations = (size_t)t.end.iterations;
    result.evaluations = (size_t)t.end.evaluations;
    result.triangles = (size_t)t.end.triangles;
    result.norm = t.end.norm;
    result.cosine = t.end.cosine;
    result.seconds = t.seconds;
    result.given_up = t.end.reason == MONITOR_STOPPED;
    return result;
}

/* Refuses a batch that names what is not there. */
inline steep_status check_batch(const steep_cuda_batch *batch, const machine &on, steep_error *error)
{
    char text[256];
    for (size_t i = 0; i < batch->count; i++) {
        const steep_cuda_fit *fit = &batch->fit[i];
        if (fit->samples >= batch->sets)
            return fail(error, STEEP_BAD_INPUT, "solve %zu is on set %zu of %zu", i, fit->samples, batch->sets);
        const steep_samples *set = batch->samples[fit->samples];
        if (set->dim != fit->network.dim || set->count == 0)
            return fail(error, STEEP_BAD_INPUT, "solve %zu: a network in %zuD on %zu samples in %zuD", i,
                        fit->network.dim, set->count, set->dim);
        if (!can_run(fit, set->count, on, text, sizeof text))
            return fail(error, STEEP_BAD_INPUT, "solve %zu: %s", i, text);
    }
    return STEEP_OK;
}

} // namespace steep

#endif
