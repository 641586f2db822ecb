/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/series.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/table.h"
#include "numerics/sort.h"
#include "run/limits.h"
#include "run/theory.h"
#include "slope/seeds.h"

/* What the seeds of one width say. */
typedef struct spread {
    bool present; /* at least one row, usable or not */
    size_t seeds;
    double error, low, high, best, floor;
} spread;

/* value[seeds]: workspace. */
static spread spread_of(const steep_plan *plan, const steep_fit_row *row, const steep_series *s, size_t width,
                        double *value)
{
    spread out = {false, 0, NAN, NAN, NAN, NAN, NAN};
    for (size_t k = 0; k < plan->seeds; k++) {
        const steep_fit_row *r = &row[steep_plan_first_task(plan, s->series) + k * plan->widths + width];
        out.present |= r->present;
        if (!steep_fit_row_usable(r) || isnan(steep_series_error(s, r))) continue;
        value[out.seeds++] = steep_series_error(s, r);
        out.floor = fmax(out.floor, r->floor); /* NaN gives way to a number */
    }
    if (out.seeds == 0) return out;
    steep_sort_numbers(value, out.seeds);
    out.best = value[0];
    out.low = steep_quantile(value, out.seeds, 0.25);
    out.error = steep_quantile(value, out.seeds, 0.5);
    out.high = steep_quantile(value, out.seeds, 0.75);
    return out;
}

static void put_reals(FILE *stream, const double *value, size_t count, char end)
{
    for (size_t i = 0; i < count; i++) steep_table_put_number(stream, value[i], i + 1 < count ? ',' : end);
}

static void put_names(FILE *stream, const steep_plan *plan, const steep_series *s)
{
    char label[160];
    const steep_variant *variant = &plan->variant[s->at.variant];
    const steep_method *method = &plan->method[s->at.method];
    const char *name = plan->target[s->at.target].name;
    steep_plan_label(plan, s->series, label, sizeof label);
    const char *const words[] = {name,
                                 name,
                                 label,
                                 variant->label,
                                 variant->activation,
                                 steep_solver_names((size_t)method->solver),
                                 steep_start_names((size_t)method->start)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        steep_table_put(stream, words[i]);
        fputc(',', stream);
    }
}

static void put_series(FILE *stream, const steep_plan *plan, const steep_fit_row *row, const steep_series *s,
                       const steep_limits *limits, double *value)
{
    steep_theory theory = steep_theory_of(plan, s->at);
    for (size_t w = 0; w < plan->widths; w++) {
        size_t n = plan->width[w];
        spread seeds = spread_of(plan, row, s, w, value);
        if (!seeds.present) continue;
        bool judged = limits->degree > 0 && n <= STEEP_LIMIT_WIDTHS;
        steep_terms terms = steep_theory_at(&theory, n);
        double asymptotic =
            limits->degree > 0 ? limits->asymptotic / pow((double)n + 1, (double)limits->degree + 1) : NAN;
        put_names(stream, plan, s);
        fprintf(stream, "%zu,%zu,", n, plan->task[steep_plan_first_task(plan, s->series) + w].parameters);
        put_reals(stream, (const double[]){seeds.error, seeds.low, seeds.high, seeds.best}, 4, ',');
        fprintf(stream, "%zu,", seeds.seeds);
        put_reals(stream,
                  (const double[]){seeds.floor, judged ? limits->lower[n] : NAN, asymptotic, terms.uniform,
                                   terms.equidistributed, terms.predicted, judged ? limits->upper[n] : NAN},
                  7, '\n');
    }
}

steep_status steep_series_write(const steep_plan *plan, const steep_fit_row *row, const steep_series *series,
                                size_t count, const char *path, steep_error *error)
{
    steep_limits limits = {.degree = 0};
    size_t last_target = SIZE_MAX;
    double *value = malloc((plan->seeds + 1) * sizeof *value);
    if (!value) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the series");
    FILE *stream = steep_table_begin(path, error);
    steep_status status = stream ? STEEP_OK : STEEP_IO;
    if (stream) fputs(STEEP_SERIES_HEADER "\n", stream);
    for (size_t i = 0; status == STEEP_OK && i < count; i++) {
        status = steep_limits_of(plan, series[i].at.target, series[i].at.variant, &last_target, &limits, error);
        if (status == STEEP_OK) put_series(stream, plan, row, &series[i], &limits, value);
    }
    free(value);
    if (!stream) return status;
    steep_status written = steep_table_commit(stream, path, status == STEEP_OK ? error : NULL);
    return status == STEEP_OK ? written : status;
}
