/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_map: the picture of one fit in two and more dimensions. Checks the tables; plots/map.gp draws them. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/scripts.h"

enum { MOST_POINTS = 4000, MOST_GATES = 200 }; /* more are no help to the eye */

typedef struct found {
    size_t rows, columns;
} found;

/* Every cell of the columns is a number. The blank lines of a surface do not count. */
static steep_status check(const char *folder, const char *name, const char *const *column, size_t count, found *it,
                          steep_error *error)
{
    char *path = steep_figure_path(folder, name, "", error);
    steep_table table = {0};
    steep_status status = path ? steep_table_read(path, &table, error) : STEEP_NO_MEMORY;
    if (status >= 0 && table.torn)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: the last line is cut short: write the file anew", path);
    *it = (found){table.rows, table.columns};
    for (size_t i = 0; status >= 0 && i < count; i++) {
        size_t at;
        status = steep_table_find(&table, column[i], &at, error);
        for (size_t row = 0; status >= 0 && row < table.rows; row++) {
            double number;
            status = steep_table_number(&table, row, at, &number, error);
            if (status >= 0 && !isfinite(number))
                status = steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: %s is no number", path, table.line[row],
                                    column[i]);
        }
    }
    steep_table_free(&table);
    free(path);
    return status;
}

static void put_head(FILE *out, const steep_figure_plane *plane, const found *surface, const found *gates,
                     const found *points)
{
    const size_t drawn = points->rows / (1 + points->rows / MOST_POINTS);
    fprintf(out, "known = %d; flat = %d; gates = %zu; thin = %zu; size = %.2f; title = ", surface->columns > 3,
            points->columns == 5, gates->rows <= MOST_GATES ? gates->rows : 0, 1 + points->rows / MOST_POINTS,
            drawn > 1000  ? 0.3
            : drawn > 200 ? 0.45
                          : 0.7);
    steep_figure_quote(out, plane->title ? plane->title : "");
    fputs("; across = ", out);
    steep_figure_quote(out, plane->across ? plane->across : "");
    fputs("; up = ", out);
    steep_figure_quote(out, plane->up ? plane->up : "");
}

steep_status steep_figure_map(const char *folder, const steep_figure_plane *plane, const steep_figure_limits *limits,
                              steep_error *error)
{
    static const char *const of_surface[] = {"network", "target", "residual"},
                             *const of_points[] = {"y", "network", "residual"},
                             *const of_gates[] = {"from1", "from2", "to1", "to2"};
    found surface, points, gates;
    steep_status status = check(folder, "residuals.csv", of_points, 3, &points, error);
    if (status >= 0) status = check(folder, "surface.csv", of_surface, 1, &surface, error);
    if (status >= 0 && surface.columns > 3) status = check(folder, "surface.csv", of_surface, 3, &surface, error);
    if (status >= 0) status = check(folder, "gates.csv", of_gates, 4, &gates, error);
    if (status < 0) return status;
    if (points.rows == 0 || surface.rows < 4)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: a picture needs points and a surface, there are %zu and %zu",
                          folder, points.rows, surface.rows);
    steep_text head;
    if (steep_text_open(&head) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    FILE *out = head.stream;
    put_head(out, plane, &surface, &gates, &points);
    if (steep_text_close(&head) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    const steep_figure_script_text script = {head.text, steep_script_map, STEEP_FIGURE_TERMINALS};
    status = steep_figure_draw(folder, "fit", &script, limits, error);
    free(head.text);
    return status;
}
