/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_fit: the picture of one fit: in 1D target and network, the residual below them, and what each unit adds
 * (plots/fit.gp); in more dimensions maps (plots/map.gp). Checks the tables, which the scripts draw. */
#include <stdbool.h>
#include <unistd.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"

/* More are no help to the eye. */
enum { MOST_POINTS = 2000, MOST_GATES = 60, MOST_SCATTERED = 4000, MOST_LINES = 200 };

/* A table that a picture needs, and what it has. */
typedef struct needed {
    const char *name;
    const char *const *column; /* these hold numbers */
    size_t count, rows, columns;
    bool blocks; /* blank lines between its rows do not count; else gnuplot takes rows by their number */
} needed;

/* Its columns are there, and every cell of them is a number. */
static steep_status check(const char *folder, needed *n, steep_error *error)
{
    steep_figure_table t = {.column = n->column, .numbers = n->count, .blocks = n->blocks};
    const steep_status status = steep_figure_read(folder, n->name, &t, error);
    n->rows = t.table.rows;
    n->columns = t.table.columns;
    steep_figure_free(&t);
    return status;
}

steep_status steep_figure_fit(const char *folder, const char *title, const char *terminals,
                              const steep_figure_limits *limits, steep_error *error)
{
    static const char *const column[] = {"x", "y", "network", "residual"}, *const knot = "knot";
    needed residuals = {.name = "residuals.csv", .column = column, .count = 4},
           units = {.name = "units.csv", .column = column, .count = 1},
           gates = {.name = "gates.csv", .column = &knot, .count = 1};
    const bool gated = access(steep_path_in(folder, gates.name).text, F_OK) == 0;
    steep_status status = check(folder, &residuals, error);
    if (status >= 0) status = check(folder, &units, error);
    if (status >= 0 && gated) status = check(folder, &gates, error);
    steep_figure_writer w = {folder, "fit", steep_script_fit, terminals, limits, NULL};
    if (status >= 0) status = steep_figure_begin(&w, error);
    if (status < 0) return status;
    fprintf(w.head, "units = %zu; gates = %zu; thin = %zu; thin_units = %zu", units.columns - 1,
            gates.rows <= MOST_GATES ? gates.rows : 0, 1 + residuals.rows / MOST_POINTS, 1 + units.rows / MOST_POINTS);
    steep_figure_put_text(w.head, "title", title);
    steep_figure_put_terminals(w.head, terminals);
    return steep_figure_end(&w, true, error);
}

steep_status steep_figure_map(const char *folder, const steep_figure_plane *plane, const steep_figure_limits *limits,
                              steep_error *error)
{
    static const char *const of_surface[] = {"network"}, *const of_points[] = {"y", "network", "residual"},
                             *const of_gates[] = {"from1", "from2", "to1", "to2"};
    needed points = {.name = "residuals.csv", .column = of_points, .count = 3, .blocks = true},
           surface = {.name = "surface.csv", .column = of_surface, .count = 1, .blocks = true},
           gates = {.name = "gates.csv", .column = of_gates, .count = 4, .blocks = true};
    steep_status status = check(folder, &points, error);
    if (status >= 0) status = check(folder, &surface, error);
    if (status >= 0) status = check(folder, &gates, error);
    steep_figure_writer w = {folder, "fit", steep_script_map, STEEP_FIGURE_TERMINALS, limits, NULL};
    if (status >= 0) status = steep_figure_begin(&w, error);
    if (status < 0) return status;
    const size_t thin = 1 + points.rows / MOST_SCATTERED, drawn = points.rows / thin;
    fprintf(w.head, "known = %d; flat = %d; gates = %zu; thin = %zu; size = %.2f", surface.columns > 3,
            points.columns == 5, gates.rows <= MOST_LINES ? gates.rows : 0, thin,
            drawn > 1000  ? 0.3
            : drawn > 200 ? 0.45
                          : 0.7);
    steep_figure_put_text(w.head, "title", plane->title);
    steep_figure_put_text(w.head, "across", plane->across);
    steep_figure_put_text(w.head, "up", plane->up);
    return steep_figure_end(&w, true, error);
}
