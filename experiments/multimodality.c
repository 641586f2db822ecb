/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multimodality: how far one start ends from the best of many. Prints the distribution of the error over 200 restarts
 * at widths 4, 8, 16, from uniformly random knots and from equidistributed knots jittered by up to 0.45 of the distance
 * to the nearer neighbour. The solver is spline/free_knots alone (reduced-newton adds other strategies), on 1000
 * equispaced points. The bracket is a lower bound of the error of every such network (equal_groups.h). */
#include "equal_groups.h"
#include "steep/spline.h"

#include "experiment.h"

enum { ARCHS = 3, WIDTHS = 3, STARTS = 2, RESTARTS = 200, MOST_KNOTS = 18 };
static const size_t widths[WIDTHS] = {4, 8, 16};
/* heads: units that are active on the whole domain. */
static const struct arch_of {
    const char *arch;
    size_t order, continuity, heads;
} archs[ARCHS] = {{"mlp", 2, 1, 1}, {"glu", 3, 1, 1}, {"gqu", 4, 2, 2}};
static const char *const targets[2] = {"cosine_well", "runge3"}, *const starts[STARTS] = {"random", "jittered"};

/* One distribution: its row of the table, and the errors of its restarts. */
typedef struct series {
    const char *target;
    const struct arch_of *row;
    size_t width, start, restarts;
    double error[RESTARTS], lower; /* results: errors, ascending, and the lower bound */
    size_t unfinished;
} series;

/* Draws the knots of a restart; random knots stay a thousandth of a cell apart. */
static steep_status draw(const series *s, const steep_target *target, size_t cells, size_t restart, double *knot,
                         steep_error *error)
{
    double low = target->low[0], high = target->high[0], least = 1e-3 * (high - low) / (double)cells;
    steep_random random = steep_random_start(restart, STEEP_STREAM_JITTER);
    knot[0] = low;
    knot[cells] = high;
    if (s->start == 0) {
        for (size_t i = 1; i < cells; i++) knot[i] = low + (high - low) * steep_random_uniform(&random);
        steep_sort_numbers(knot + 1, cells - 1);
        for (size_t i = 1; i < cells; i++) knot[i] = fmax(knot[i], knot[i - 1] + least);
        return STEEP_OK;
    }
    steep_status status = steep_knots_equidistributed(target, s->row->order, cells, knot, error);
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
    steep_target *target;
    steep_samples samples = {0};
    steep_status status = steep_target_open(s->target, &target, error);
    if (status < 0) return status;
    status = steep_samples_grid(target, 1000, &samples, error);
    if (status == STEEP_OK) status = bracket_equal(&samples, &size, lower, upper, error);
    options.tolerance = 1e-6;
    s->lower = lower[s->width];
    for (size_t r = 0; r < s->restarts && status >= 0; r++) {
        double knot[MOST_KNOTS];
        steep_spline spline = {0};
        steep_free_knots_result found = {0};
        status = draw(s, target, cells, r, knot, error);
        if (status == STEEP_OK)
            status = steep_spline_free_knots(
                &(steep_free_knots_problem){&samples, NULL, s->row->order - 1, s->row->continuity, cells}, knot,
                &options, &spline, &found, error);
        steep_spline_free(&spline);
        s->error[r] = found.rmse;
        s->unfinished += status == STEEP_MAX_ITERATIONS || status == STEEP_STALLED;
    }
    steep_sort_numbers(s->error, s->restarts);
    steep_samples_free(&samples);
    steep_target_free(target);
    return status < 0 ? status : STEEP_OK;
}

/* Writes the distribution into points.csv, and quantiles, relative to the best of both starts, into the table. */
static void report(FILE *points, const series *s, double best)
{
    for (size_t r = 0; r < s->restarts; r++)
        fprintf(points, "%s,%s,%zu,%s,%.17g,%.17g\n", s->target, s->row->arch, s->width, starts[s->start],
                s->error[r] / best, (double)(r + 1) / (double)s->restarts);
    size_t hits = 0;
    while (hits < s->restarts && s->error[hits] <= 1.01 * best) hits++;
    double median = s->error[s->restarts / 2] / best, tail = s->error[s->restarts * 9 / 10] / best;
    printf("%-12s %-4s %5zu  %-9s %10.3e %10.3e %8.3f %8.3f %8.3f %6.0f %%  %5zu\n", s->target, s->row->arch, s->width,
           starts[s->start], s->lower, s->error[0], s->error[0] / best, median, tail,
           100. * (double)hits / (double)s->restarts, s->unfinished);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "multimodality", "target arch width",
                                    "Distribution of the error over 200 restarts at widths 4, 8, 16.");
    enum { SERIES = 2 * ARCHS * WIDTHS * STARTS };
    static series all[SERIES];
    size_t count = 0, below = 0;
    for (size_t i = 0; i < SERIES; i++) {
        const char *target = targets[i / STARTS / WIDTHS / ARCHS];
        const struct arch_of *row = &archs[i / STARTS / WIDTHS % ARCHS];
        const size_t width = widths[i / STARTS % WIDTHS];
        if (experiment_wants(&e, 0, target) && experiment_wants(&e, 1, row->arch) &&
            experiment_wants_size(&e, 2, width))
            all[count++] = (series){.target = target,
                                    .row = row,
                                    .width = width,
                                    .start = i % STARTS,
                                    .restarts = e.quick ? RESTARTS / 10 : RESTARTS};
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
    experiment_close(&e, points, "points.csv");
    experiment_draw(&e, "multimodality");
    if (below > 0) fprintf(stderr, "multimodality: %zu errors are below the bracket: a bug\n", below);
    return below > 0;
}
