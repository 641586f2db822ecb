/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_law: a law of two sizes. Checks the tables; plots/law.gp draws them. */
#include <math.h>

#include "law/command_parts.h"
#include "law/core.h"

static steep_status check(const char *folder, const char *name, const char *const *column, size_t numbers,
                          steep_error *error)
{
    steep_figure_table t = {.column = column, .numbers = numbers};
    steep_status status = steep_figure_read(folder, name, &t, error);
    if (status >= 0 && t.table.rows == 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s holds no rows: there is nothing to draw", t.table.path);
    steep_figure_free(&t);
    return status;
}

steep_status steep_figure_law(const char *folder, const steep_figure_surface *surface,
                              const steep_figure_limits *limits, steep_error *error)
{
    static const char *const points[] = {"params", "tokens", "budget", "loss", "fitted", "deviation"},
                             *const best[] = {"compute", "params", "data", "loss", "loss_low", "loss_high"};
    const double *at = surface->law->likely;
    const bool power = surface->law->likeliest == STEEP_LAW_FORM_KAPLAN;
    steep_status status = check(folder, "law_points.csv", points, 6, error);
    if (status >= 0) status = check(folder, "law_best.csv", best, 6, error);
    steep_figure_writer w = {folder, "law", steep_script_law, STEEP_FIGURE_TERMINALS, limits, {NULL}};
    if (status >= 0) status = steep_figure_begin(&w, error);
    if (status < 0) return status;
    fprintf(w.head.stream, "E = %.17g; A = %.17g; a = %.17g; B = %.17g; b = %.17g; c = %.17g; g = %.17g",
            at[STEEP_LAW_E], at[STEEP_LAW_A], at[STEEP_LAW_EXPONENT_A], at[STEEP_LAW_B], at[STEEP_LAW_EXPONENT_B],
            at[STEEP_LAW_EXPONENT_C], power ? at[STEEP_LAW_EXPONENT_B] : 1);
    steep_figure_put_text(w.head.stream, "title", surface->title);
    steep_figure_put_text(w.head.stream, "params", surface->params);
    steep_figure_put_text(w.head.stream, "data", surface->data);
    steep_figure_put_text(w.head.stream, "loss", surface->loss);
    return steep_figure_end(&w, true, error);
}
