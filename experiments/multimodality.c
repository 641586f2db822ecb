/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multimodality: how far one start ends from the best of many: the distribution of the error over 200 restarts at
 * widths 4, 8, 16, from knots drawn at random, uniformly, and from equidistributed knots jittered by up to 0.45 of the
 * way to the nearer neighbour. The solver is free_knots alone (spline/free_knots; reduced-newton has other
 * strategies besides), on 1000 equispaced points; the floor that no such network gets under is the lower bracket
 * (equal_groups.h). */
#include "equal_groups.h"
#include "steep/spline.h"

#include "experiment.h"

enum { ARCHS = 3, WIDTHS = 3, STARTS = 2, RESTARTS = 200, MOST_KNOTS = 18 };
static const size_t widths[WIDTHS] = {4, 8, 16};
/* heads: gates on the whole domain. */
static const struct arch_of {
    const char *arch;
    size_t order, continuity, heads;
} archs[ARCHS] = {{"mlp", 2, 1, 1}, {"glu", 3, 1, 1}, {"gqu", 4, 2, 2}};
static const char *const targets[2] = {"cosine_well", "runge3"}, *const starts[STARTS] = {"random", "jittered"};

/* One distribution: its place in the table, and its restarts' errors. */
typedef struct series {
    const steep_target *target;
    const steep_samples *samples;
    const struct arch_of *row;
    size_t width, start, restarts;
    double error[RESTARTS], lower; /* what comes: errors, ascending, and the floor */
    size_t unfinished;
} series;

/* The knots of a restart; random ones are kept apart by a thousandth of a cell. */
static steep_status draw(const series *s, size_t cells, size_t restart, double *knot, steep_error *error)
{
    double low = s->target->low[0], high = s->target->high[0], least = 1e-3 * (high - low) / (double)cells;
    steep_random random = steep_random_start(restart, STEEP_STREAM_JITTER);
    knot[0] = low;
    knot[cells] = high;
    if (s->start == 0) {
        for (size_t i = 1; i < cells; i++) knot[i] = low + (high - low) * steep_random_uniform(&random);
        steep_sort_numbers(knot + 1, cells - 1);
        for (size_t i = 1; i < cells; i++) knot[i] = fmax(knot[i], knot[i - 1] + least);
        return STEEP_OK;
    }
    steep_status status = steep_knots_equidistributed(s->target, s->row->order, cells, knot, error);
    double before = knot[0];
    for (size_t i = 1; status == STEEP_OK && i < cells; i++) {
        double near = fmin(knot[i] - before, knot[i + 1] - knot[i]);
        before = knot[i];
        knot[i] += 0.9 * (steep_random_uniform(&random) - 0.5) * near;
    }
    return status;
}

static steep_status work(void *job, steep_error *error)
{
    series *s = job;
    size_t cells = s->width - s->row->heads + 1;
    steep_free_knots_options options = steep_free_knots_options_default();
    double lower[MOST_KNOTS] = {0}, upper[MOST_KNOTS];
    const bracket_size size = {s->row->order - 1, 500, MOST_KNOTS - 1};
    steep_status status = bracket_equal(s->samples, &size, lower, upper, error);
    options.tolerance = 1e-6;
    s->lower = lower[s->width];
    for (size_t r = 0; r < s->restarts && status >= 0; r++) {
        double knot[MOST_KNOTS];
        steep_spline spline = {0};
        steep_free_knots_result found = {0};
        status = draw(s, cells, r, knot, error);
        if (status == STEEP_OK)
            status = steep_spline_free_knots(
                &(steep_free_knots_problem){s->samples, NULL, s->row->order - 1, s->row->continuity, cells}, knot,
                &options, &spline, &found, error);
        steep_spline_free(&spline);
        s->error[r] = found.rmse;
        s->unfinished += status == STEEP_MAX_ITERATIONS || status == STEEP_STALLED;
    }
    steep_sort_numbers(s->error, s->restarts);
    return status < 0 ? status : STEEP_OK;
}

/* ECDF into points.csv, quantiles over the best of both starts into the table. */
static void report(FILE *points, const series *s, double best)
{
    for (size_t r = 0; r < s->restarts; r++)
        fprintf(points, "%s,%s,%zu,%s,%.17g,%.17g\n", s->target->name, s->row->arch, s->width, starts[s->start],
                s->error[r] / best, (double)(r + 1) / (double)s->restarts);
    size_t hits = 0;
    while (hits < s->restarts && s->error[hits] <= 1.01 * best) hits++;
    double median = s->error[s->restarts / 2] / best, tail = s->error[s->restarts * 9 / 10] / best;
    printf("%-12s %-4s %5zu  %-9s %10.3e %10.3e %8.3f %8.3f %8.3f %6.0f %%  %5zu\n", s->target->name, s->row->arch,
           s->width, starts[s->start], s->lower, s->error[0], s->error[0] / best, median, tail,
           100. * (double)hits / (double)s->restarts, s->unfinished);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "multimodality", "target arch width",
                                    "Distribution of the error over 200 restarts at widths 4, 8, 16.");
    enum { SERIES = 2 * ARCHS * WIDTHS * STARTS };
    static series all[SERIES];
    steep_target *target[2];
    steep_samples samples[2];
    steep_error error;
    size_t count = 0, below = 0;
    for (size_t t = 0; t < 2; t++) {
        target[t] = experiment_target(&e, targets[t]);
        if (steep_samples_grid(target[t], 1000, &samples[t], &error) < 0) experiment_die(&e, &error, 1);
        for (size_t r = 0; r < ARCHS; r++)
            for (size_t w = 0; w < WIDTHS; w++) {
                const bool wanted = experiment_wants(&e, 0, targets[t]) && experiment_wants(&e, 1, archs[r].arch) &&
                                    experiment_wants_size(&e, 2, widths[w]);
                for (size_t k = 0; k < STARTS && wanted; k++)
                    all[count++] = (series){.target = target[t],
                                            .samples = &samples[t],
                                            .row = &archs[r],
                                            .width = widths[w],
                                            .start = k,
                                            .restarts = e.quick ? RESTARTS / 10 : RESTARTS};
            }
    }
    experiment_found(&e);
    experiment_run(&e, (experiment_jobs){all, count, sizeof *all, work});
    FILE *points = experiment_open(&e, "points.csv", "target,arch,width,start,ratio,fraction");
    printf("%-12s %-4s %5s  %-9s %10s %10s %8s %8s %8s %8s  %s\n", "target", "arch", "width", "start", "bracket",
           "best", "/best", "median", "90 %", "at best", "unfinished");
    for (size_t i = 0; i < count; i += STARTS) {
        double best = fmin(all[i].error[0], all[i + 1].error[0]);
        below += best < all[i].lower;
        for (size_t k = 0; k < STARTS; k++) report(points, &all[i + k], best);
    }
    printf("median, 90 %%: of the error over the best of all restarts; at best: ended within 1 %% of it\n");
    for (size_t t = 0; t < 2; t++) {
        steep_samples_free(&samples[t]);
        steep_target_free(target[t]);
    }
    experiment_close(&e, points, "points.csv");
    experiment_draw(&e, "multimodality");
    if (below > 0) fprintf(stderr, "multimodality: %zu errors are below the bracket: a bug\n", below);
    return below > 0;
}
