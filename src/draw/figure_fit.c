/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_fit: the picture of one fit: target and network, the residual below them, and what each unit adds. Checks the
 * tables; plots/fit.gp draws them. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/scripts.h"

enum { MOST_POINTS = 2000, MOST_GATES = 60 }; /* more are no help to the eye */

/* Numbers in x, which ascends, and in residual; *thin: of so many points one is drawn. */
static steep_status check_residuals(const char *folder, size_t *thin, steep_error *error)
{
    static const char *const names[] = {"x", "residual", "y", "network"};
    steep_table table;
    size_t column[4];
    steep_status status = steep_figure_table(folder, "residuals.csv", names, 4, column, &table, error);
    if (status < 0) return status;
    if (table.rows < 2)
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%s holds %zu rows: a picture needs 2 or more", table.path, table.rows);
    double first = NAN, before = -INFINITY;
    for (size_t row = 0; row < table.rows && status >= 0; row++) {
        double x, residual;
        status = steep_table_number(&table, row, column[0], &x, error);
        if (status >= 0) status = steep_table_number(&table, row, column[1], &residual, error);
        if (row == 0) first = x;
        if (status >= 0 && (x < before || (row + 1 == table.rows && !(x > first))))
            status = steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: x must ascend", table.path, table.line[row]);
        before = x;
    }
    *thin = 1 + table.rows / MOST_POINTS;
    steep_table_free(&table);
    return status;
}

static steep_status check_units(const char *folder, size_t *units, size_t *thin, steep_error *error)
{
    steep_table table;
    size_t column;
    steep_status status =
        steep_figure_table(folder, "units.csv", (const char *const[]){"x"}, 1, &column, &table, error);
    if (status < 0) return status;
    if (column != 0 || table.columns < 2)
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%s: the first column must be x, the others one a unit", table.path);
    *units = table.columns - 1;
    *thin = 1 + table.rows / MOST_POINTS;
    steep_table_free(&table);
    return status;
}

/* gates.csv may be missing; then there are no lines. */
static steep_status check_gates(const char *folder, size_t *gates, steep_error *error)
{
    char *path = steep_figure_text("%s/gates.csv", folder);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    int missing = access(path, F_OK);
    free(path);
    *gates = 0;
    if (missing) return STEEP_OK;
    steep_table table;
    size_t column;
    steep_status status =
        steep_figure_table(folder, "gates.csv", (const char *const[]){"knot"}, 1, &column, &table, error);
    if (status < 0) return status;
    *gates = table.rows <= MOST_GATES ? table.rows : 0;
    for (size_t row = 0; row < *gates && status >= 0; row++) {
        double knot;
        status = steep_table_number(&table, row, column, &knot, error);
    }
    steep_table_free(&table);
    return status;
}

steep_status steep_figure_fit(const char *folder, const char *title, steep_error *error)
{
    size_t thin = 1, units = 0, thin_units = 1, gates = 0, size;
    char *head = NULL;
    steep_status status = check_residuals(folder, &thin, error);
    if (status >= 0) status = check_units(folder, &units, &thin_units, error);
    if (status >= 0) status = check_gates(folder, &gates, error);
    if (status < 0) return status;
    FILE *stream = open_memstream(&head, &size);
    if (!stream) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    fprintf(stream, "units = %zu; gates = %zu; thin = %zu; thin_units = %zu; title = ", units, gates, thin, thin_units);
    steep_figure_quote(stream, title ? title : "");
    fclose(stream);
    status = steep_figure_draw(folder, "fit", head, STEEP_FIGURE_FIT, error);
    free(head);
    return status;
}
