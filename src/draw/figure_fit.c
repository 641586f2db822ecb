/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_fit: the picture of one fit: target and network, the residual below them, and what each unit adds. Checks the
 * tables; plots/fit.gp draws them. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/scripts.h"

enum { MOST_POINTS = 2000, MOST_GATES = 60 }; /* more are no help to the eye */

/* The first column named ascends. */
static steep_status check_ascent(const steep_figure_table *t, steep_error *error)
{
    const double *x = t->number;
    const steep_table *table = &t->table;
    if (table->rows < 2)
        return steep_fail(error, STEEP_BAD_INPUT, "%s holds %zu rows: a picture needs 2 or more", table->path,
                          table->rows);
    for (size_t i = 1; i < table->rows; i++)
        if (x[i * t->numbers] < x[(i - 1) * t->numbers] || (i + 1 == table->rows && !(x[i * t->numbers] > x[0])))
            return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: %s must ascend", table->path, table->line[i],
                              t->column[0]);
    return STEEP_OK;
}

/* The table has these columns, all of them numbers; how many rows and columns it has. */
static steep_status check(const char *folder, const char *name, const char *const *column, size_t count, size_t size[2],
                          steep_error *error)
{
    steep_figure_table t = {.column = column, .numbers = count};
    steep_status status = steep_figure_read(folder, name, &t, error);
    for (size_t i = 0; status >= 0 && i < t.table.rows * count; i++)
        if (isnan(t.number[i]))
            status = steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: %s is no number", t.table.path,
                                t.table.line[i / count], column[i % count]);
    if (status >= 0 && strcmp(column[0], "x") == 0) status = check_ascent(&t, error);
    if (status >= 0 && strcmp(column[0], t.table.header[0]) != 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: the first column must be %s", t.table.path, column[0]);
    size[0] = t.table.rows;
    size[1] = t.table.columns;
    steep_figure_free(&t);
    return status;
}

steep_status steep_figure_fit(const char *folder, const char *title, const steep_figure_limits *limits,
                              steep_error *error)
{
    return steep_figure_fit_as(folder, title, STEEP_FIGURE_TERMINALS, limits, error);
}

steep_status steep_figure_fit_as(const char *folder, const char *title, const char *terminals,
                                 const steep_figure_limits *limits, steep_error *error)
{
    static const char *const residuals_column[] = {"x", "y", "network", "residual"}, *const knot = "knot";
    size_t residuals[2], units[2], gates[2] = {0, 0};
    char *path = steep_figure_path(folder, "gates", ".csv", error);
    if (!path) return STEEP_NO_MEMORY;
    bool gated = access(path, F_OK) == 0;
    free(path);
    steep_status status = check(folder, "residuals.csv", residuals_column, 4, residuals, error);
    if (status >= 0) status = check(folder, "units.csv", residuals_column, 1, units, error);
    if (status >= 0 && gated) status = check(folder, "gates.csv", &knot, 1, gates, error);
    if (status < 0) return status;
    steep_text head;
    if (steep_text_open(&head) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    FILE *out = head.stream;
    fprintf(out, "units = %zu; gates = %zu; thin = %zu; thin_units = %zu; title = ", units[1] - 1,
            gates[0] <= MOST_GATES ? gates[0] : 0, 1 + residuals[0] / MOST_POINTS, 1 + units[0] / MOST_POINTS);
    steep_figure_quote(out, title ? title : "");
    fputs("; terminals = '", out);
    for (const char *c = terminals; *c; c++) fputc(*c == ',' ? ' ' : *c, out);
    fputc('\'', out);
    if (steep_text_close(&head) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    const steep_figure_script_text script = {head.text, steep_script_fit, terminals};
    status = steep_figure_draw(folder, "fit", &script, limits, error);
    free(head.text);
    return status;
}
