/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

enum { WIDTH, PARAMS, AGAINST };
#define METHODS 3
#define OVERFIT 2 /* test error over training error: noise of random points makes 1.3 at most */
static const char *const against_name[AGAINST] = {"width", "params"};

/* One variant on one target: its points, and the slopes through them. */
typedef struct series {
    size_t target, variant, count;
    double *size[AGAINST], *error, *floor;
    double theory, highest_floor;
    size_t overfit; /* the smallest width whose test error is far above its training error, 0: none */
    bool tested;
    steep_slope slope[AGAINST][METHODS];
} series;

static double theory_of(const steep_grid *grid, size_t target, size_t variant)
{
    const steep_variant *v = &grid->variant[variant];
    size_t order = steep_grid_dim(grid, target) == 1 ? steep_architecture_order(v->architecture, &v->choice) : 0;
    return order > 0 ? -(double)order : NAN;
}

static bool usable(const steep_row *row)
{
    return row->present && row->status >= 0;
}

/* The series' points: of every usable row, any seed; the slope takes the best of each size. storage: 4 x widths x
 * seeds. */
static void gather(const steep_grid *grid, const steep_row *row, double *storage, series *s)
{
    size_t most = grid->widths * grid->seeds, first = (s->target * grid->variants + s->variant) * most;
    s->size[WIDTH] = storage;
    s->size[PARAMS] = storage + most;
    s->error = storage + 2 * most;
    s->floor = storage + 3 * most;
    s->count = 0;
    s->tested = false;
    s->highest_floor = NAN;
    s->overfit = 0;
    for (size_t i = first; i < first + most; i++) s->tested |= usable(&row[i]) && !isnan(row[i].rmse_test);
    for (size_t i = first; i < first + most; i++) {
        if (!usable(&row[i])) continue;
        s->size[WIDTH][s->count] = (double)grid->task[i].width;
        s->size[PARAMS][s->count] = (double)grid->task[i].parameters;
        s->error[s->count] = s->tested ? row[i].rmse_test : row[i].rmse_train;
        s->floor[s->count++] = row[i].floor;
        if (row[i].rmse_test > OVERFIT * row[i].rmse_train && row[i].rmse_test > OVERFIT * row[i].floor &&
            (s->overfit == 0 || grid->task[i].width < s->overfit))
            s->overfit = grid->task[i].width;
        if (!(s->highest_floor >= row[i].floor)) s->highest_floor = row[i].floor;
    }
}

static steep_status measure(series *s, steep_error *error)
{
    for (size_t a = 0; a < AGAINST; a++)
        for (size_t m = 0; m < METHODS; m++) {
            steep_status status = steep_slope_measure((steep_slope_method)m, &(steep_series){s->count, s->size[a], s->error, s->floor}, NULL, &s->slope[a][m], error);
            if (status < 0) return status;
        }
    return STEEP_OK;
}

static void put_real(FILE *stream, double value, char end)
{
    if (isnan(value)) fprintf(stream, "nan%c", end);
    else fprintf(stream, "%.17g%c", value, end);
}

static void put_slopes(FILE *stream, const steep_grid *grid, const series *s)
{
    for (size_t a = 0; a < AGAINST; a++)
        for (size_t m = 0; m < METHODS; m++) {
            const steep_slope *slope = &s->slope[a][m];
            steep_table_put(stream, grid->variant[s->variant].label);
            fputc(',', stream);
            steep_table_put(stream, steep_grid_target_name(grid, s->target));
            fprintf(stream, ",%s,%s,%s,", steep_solver_names((size_t)grid->fit.solver), against_name[a],
                    steep_slope_method_names(m));
            put_real(stream, slope->slope, ',');
            put_real(stream, slope->low, ',');
            put_real(stream, slope->high, ',');
            put_real(stream, slope->first, ',');
            put_real(stream, slope->last, ',');
            fprintf(stream, "%zu,", slope->points);
            put_real(stream, slope->drift, ',');
            put_real(stream, s->theory, '\n');
        }
}

/* --- the table --- */

static void put_number(FILE *stream, int width, const char *format, double value)
{
    char text[32];
    if (isnan(value)) snprintf(text, sizeof text, "-");
    else snprintf(text, sizeof text, format, value);
    fprintf(stream, "%*s", width, text);
}

static void put_heading(FILE *stream, const steep_grid *grid, size_t target)
{
    static const char *const sampling[] = {"random", "equispaced", "Gauss-Legendre"};
    fprintf(stream, "%s: solver %s, start %s, %zu width%s from %zu to %zu, %zu %s training points%s\n",
            steep_grid_target_name(grid, target), steep_solver_names((size_t)grid->fit.solver),
            steep_start_names((size_t)grid->fit.start), grid->widths, grid->widths == 1 ? "" : "s", grid->width[0],
            grid->width[grid->widths - 1], grid->data ? grid->data->count : grid->samples,
            grid->data ? "given" : sampling[grid->sampling], grid->seeds > 1 ? ", best of the seeds" : "");
}

static void put_column_names(FILE *stream, int label)
{
    fprintf(stream, "%-*s  %8s  %-18s  %6s  %8s  %6s  %9s  %10s  %9s\n", label, "architecture", "slope", "interval",
            "theory", "floor", "points", "last pair", "all points", "against n");
}

static void put_line(FILE *stream, const steep_grid *grid, const series *s, int label)
{
    const steep_slope *window = &s->slope[PARAMS][STEEP_SLOPE_WINDOW];
    char interval[48] = "-";
    if (!isnan(window->low)) snprintf(interval, sizeof interval, "[%.3f, %.3f]", window->low, window->high);
    fprintf(stream, "%-*s  ", label, grid->variant[s->variant].label);
    put_number(stream, 8, "%.3f", window->slope);
    fprintf(stream, "  %-18s  ", interval);
    put_number(stream, 6, "%.0f", s->theory);
    put_number(stream, 10, "%.1e", s->highest_floor);
    fprintf(stream, "  %6zu", window->points);
    put_number(stream, 11, "%.3f", s->slope[PARAMS][STEEP_SLOPE_LAST_PAIR].slope);
    put_number(stream, 12, "%.3f", s->slope[PARAMS][STEEP_SLOPE_ALL].slope);
    put_number(stream, 11, "%.3f", s->slope[WIDTH][STEEP_SLOPE_WINDOW].slope);
    if (window->status == STEEP_STALLED) fprintf(stream, "  still bending (drift %.2f)", window->drift);
    if (window->status == STEEP_FLOOR) fputs("  few points above the floor", stream);
    if (s->overfit > 0)
        fprintf(stream, "  overfits from width %zu on (more --samples, or --sampling grid)", s->overfit);
    fputc('\n', stream);
}

static void put_table(FILE *stream, const steep_grid *grid, const series *all)
{
    int label = (int)strlen("architecture");
    bool tested = false;
    for (size_t v = 0; v < grid->variants; v++) {
        int length = (int)strlen(grid->variant[v].label);
        if (length > label) label = length;
    }
    for (size_t t = 0; t < grid->targets; t++) {
        put_heading(stream, grid, t);
        put_column_names(stream, label);
        for (size_t v = 0; v < grid->variants; v++) {
            const series *s = &all[t * grid->variants + v];
            put_line(stream, grid, s, label);
            tested |= s->tested;
        }
        if (t + 1 < grid->targets) fputc('\n', stream);
    }
    fprintf(stream,
            "(slope of the %s error against parameters, windowed fit, 95 %% interval; against n: the same against "
            "width)\n",
            tested ? "test" : "training");
}

steep_status steep_report_slopes(const steep_grid *grid, const steep_row *row, const char *path, FILE *stream,
                                 steep_error *error)
{
    size_t count = grid->targets * grid->variants;
    series *all = calloc(count, sizeof *all);
    double *storage = malloc(4 * grid->widths * grid->seeds * sizeof *storage);
    steep_status status = STEEP_OK;
    if (!all || !storage) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the slopes");
    for (size_t i = 0; status == STEEP_OK && i < count; i++) {
        all[i].target = i / grid->variants;
        all[i].variant = i % grid->variants;
        all[i].theory = theory_of(grid, all[i].target, all[i].variant);
        gather(grid, row, storage, &all[i]);
        status = measure(&all[i], error);
    }
    FILE *file = status == STEEP_OK ? steep_table_begin(path, error) : NULL;
    if (status == STEEP_OK && !file) status = STEEP_IO;
    if (file) {
        fputs(STEEP_SLOPES_HEADER "\n", file);
        for (size_t i = 0; i < count; i++) put_slopes(file, grid, &all[i]);
        status = steep_table_commit(file, path, error);
    }
    if (status == STEEP_OK && stream) put_table(stream, grid, all);
    free(all);
    free(storage);
    return status;
}
