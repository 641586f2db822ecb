/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_separation: errors in W^{1,inf} against width. Checks the table; plots/separation.gp draws it. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/scripts.h"

steep_status steep_figure_separation(const char *folder, const char *title, steep_error *error)
{
    static const char *const column[] = {"witness", "class", "width", "E0", "E1", "W", "bound", "certified_low"};
    enum { TEXTS = 2, NUMBERS = 6, BOUND = 4, CERTIFIED = 5 };
    steep_figure_table t = {.column = column, .texts = TEXTS, .numbers = NUMBERS};
    char *head = NULL;
    size_t size;
    bool bounded = false, certified = false;
    steep_status status = steep_figure_read(folder, "separation.csv", &t, error);
    for (size_t i = 0; status >= 0 && i < t.table.rows; i++) {
        bounded |= !isnan(t.number[i * NUMBERS + BOUND]);
        certified |= !isnan(t.number[i * NUMBERS + CERTIFIED]);
    }
    if (status >= 0 && t.table.rows == 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s holds no rows: there is nothing to draw", t.table.path);
    steep_figure_free(&t);
    if (status < 0) return status;
    FILE *out = open_memstream(&head, &size);
    if (!out) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    fprintf(out, "bounded = %d; certified = %d; title = ", bounded, certified);
    steep_figure_quote(out, title ? title : "");
    fclose(out);
    status = steep_figure_draw(folder, "separation", head, STEEP_FIGURE_SEPARATION, error);
    free(head);
    return status;
}
