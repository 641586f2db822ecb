/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/report.h"

#include <math.h>
#include <string.h>

#include "base/table.h"

enum { WIDTH = STEEP_AGAINST_WIDTH, PARAMS = STEEP_AGAINST_PARAMS };
static const char *const against_name[] = {"width", "params"};

/* --- slopes.csv --- */

static void put_slope(FILE *stream, const steep_plan *plan, const steep_series *s, size_t against, const char *how,
                      const steep_slope *slope)
{
    const steep_method *method = &plan->method[s->at.method];
    const double values[] = {slope->slope, slope->low, slope->high, slope->first, slope->last};
    steep_table_put(stream, plan->variant[s->at.variant].label);
    fputc(',', stream);
    steep_table_put(stream, plan->target[s->at.target].name);
    fprintf(stream, ",%s,%s,%s,", steep_solver_names((size_t)method->solver), against_name[against], how);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) steep_table_put_number(stream, values[i], ',');
    fprintf(stream, "%zu,", slope->points);
    steep_table_put_number(stream, slope->drift, ',');
    steep_table_put_number(stream, s->theory, ',');
    fprintf(stream, "%s,", steep_start_names((size_t)method->start));
    steep_table_put_number(stream, slope->offset, ',');
    steep_table_put_number(stream, slope->offset_low, ',');
    steep_table_put_number(stream, slope->offset_high, '\n');
}

static void put_series(FILE *stream, const steep_plan *plan, const steep_series *s)
{
    for (size_t a = 0; a < STEEP_AGAINSTS; a++) {
        for (size_t m = 0; m < STEEP_SLOPE_METHODS; m++)
            put_slope(stream, plan, s, a, steep_slope_method_names(m), &s->slope[a][m]);
        if (s->seeds[a].points > 0) put_slope(stream, plan, s, a, "seeds", &s->seeds[a]);
    }
}

steep_status steep_report_slopes(const steep_plan *plan, const steep_series *series, size_t count, const char *path,
                                 steep_error *error)
{
    FILE *file;
    steep_status status = steep_table_begin(path, &file, error);
    if (status != STEEP_OK) return status;
    fputs(STEEP_SLOPES_HEADER "\n", file);
    for (size_t i = 0; i < count; i++) put_series(file, plan, &series[i]);
    return steep_table_commit(file, path, error);
}

/* --- the table --- */

static void put_number(FILE *stream, int width, const char *format, double value)
{
    char text[32];
    if (isnan(value)) snprintf(text, sizeof text, "-");
    else snprintf(text, sizeof text, format, value);
    fprintf(stream, "%*s", width, text);
}

static void put_interval(FILE *stream, const steep_slope *slope)
{
    char text[48] = "-";
    if (!isnan(slope->low)) snprintf(text, sizeof text, "[%.3f, %.3f]", slope->low, slope->high);
    fprintf(stream, "  %-18s", text);
}

/* "frozen, lm": the solvers, or the starts, of the count series of one target, each once. */
static void put_names(FILE *stream, const steep_plan *plan, const steep_series *series, size_t count, bool starts)
{
    unsigned done = 0;
    for (size_t i = 0; i < count && series[i].at.target == series[0].at.target; i++) {
        const steep_method *method = &plan->method[series[i].at.method];
        size_t name = starts ? (size_t)method->start : (size_t)method->solver;
        if (done >> name & 1) continue;
        fprintf(stream, "%s%s", done ? ", " : "", starts ? steep_start_names(name) : steep_solver_names(name));
        done |= 1u << name;
    }
}

/* Of the first of count series. */
static void put_heading(FILE *stream, const steep_plan *plan, const steep_series *series, size_t count)
{
    static const char *const sampling[] = {"random", "equispaced", "Gauss-Legendre"};
    fprintf(stream, "%s: solver ", plan->target[series->at.target].name);
    put_names(stream, plan, series, count, false);
    fputs(", start ", stream);
    put_names(stream, plan, series, count, true);
    fprintf(stream, ", %zu width%s from %zu to %zu, %zu %s training points%s\n", plan->widths,
            plan->widths == 1 ? "" : "s", plan->width[0], plan->width[plan->widths - 1],
            plan->data ? plan->data->count : plan->samples, plan->data ? "given" : sampling[plan->sampling],
            plan->seeds > 1 ? ", best of the seeds" : "");
}

static void put_column_names(FILE *stream, int label, bool seeds)
{
    fprintf(stream, "%-*s  %8s  %-18s  %6s  %8s  %6s  %9s  %10s  %9s", label, "architecture", "slope", "interval",
            "theory", "floor", seeds ? "seeds" : "points", "last pair", "all points", "against n");
    fprintf(stream, seeds ? "  %8s  %s\n" : "\n", "best", "its interval");
}

/* What must be known of the slope. */
static void put_remarks(FILE *stream, const steep_series *s)
{
    const steep_slope *window = &s->slope[PARAMS][STEEP_SLOPE_WINDOW];
    if (steep_slope_remark(window)) fprintf(stream, "  %s", steep_slope_remark(window));
    if (window->status == STEEP_STALLED && !window->faster)
        fprintf(stream, " (%.3f at the largest)", window->slope + window->drift);
    if (window->apart > 0) fprintf(stream, "  %zu apart from the others, left out", window->apart);
    if (!isnan(window->offset)) {
        fprintf(stream, "  E = %.4g [%.4g, %.4g]", window->offset, window->offset_low, window->offset_high);
        if (!isnan(window->held_out))
            fprintf(stream, ", the last third of the sizes predicted to %.2g %%", 100 * expm1(window->held_out));
    }
    if (s->overfit > 0)
        fprintf(stream, "  overfits from width %zu on, left out (more --samples, or --sampling grid)", s->overfit);
}

static void put_line(FILE *stream, const steep_plan *plan, const steep_series *s, int label, bool seeds)
{
    const steep_slope *slope = steep_series_slope(s, STEEP_AGAINST_PARAMS);
    char name[160];
    steep_plan_label(plan, s->series, name, sizeof name);
    fprintf(stream, "%-*s  ", label, name);
    put_number(stream, 8, "%.3f", slope->slope);
    put_interval(stream, slope);
    put_number(stream, 8, "%.4g", s->theory);
    put_number(stream, 10, "%.1e", s->highest_floor);
    fprintf(stream, "  %6zu", slope->points);
    put_number(stream, 11, "%.3f", s->slope[PARAMS][STEEP_SLOPE_LAST_PAIR].slope);
    put_number(stream, 12, "%.3f", s->slope[PARAMS][STEEP_SLOPE_ALL].slope);
    put_number(stream, 11, "%.3f", steep_series_slope(s, STEEP_AGAINST_WIDTH)->slope);
    if (seeds) {
        put_number(stream, 10, "%.3f", s->slope[PARAMS][STEEP_SLOPE_WINDOW].slope);
        put_interval(stream, &s->slope[PARAMS][STEEP_SLOPE_WINDOW]);
    }
    put_remarks(stream, s);
    fputc('\n', stream);
}

/* The width of the first column. */
static int label_width(const steep_plan *plan, const steep_series *series, size_t count)
{
    size_t most = strlen("architecture");
    for (size_t i = 0; i < count; i++) {
        char name[160];
        steep_plan_label(plan, series[i].series, name, sizeof name);
        if (strlen(name) > most) most = strlen(name);
    }
    return (int)most;
}

void steep_report_table(const steep_plan *plan, const steep_series *series, size_t count, FILE *stream)
{
    int label = label_width(plan, series, count);
    bool tested = false, seeds = plan->seeds > 1;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || series[i].at.target != series[i - 1].at.target) {
            if (i > 0) fputc('\n', stream);
            put_heading(stream, plan, &series[i], count - i);
            put_column_names(stream, label, seeds);
        }
        put_line(stream, plan, &series[i], label, seeds);
        tested |= series[i].tested;
    }
    fprintf(stream,
            "(slope: the order of the %s error in parameters as they grow, with its 95 %% interval%s; last pair: at "
            "the two largest widths; against n: the order in width%s)\n",
            tested ? "test" : "training", seeds ? ", over seeds" : "",
            seeds ? "; best: of the best seed of each width" : "");
}
