/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_separation: errors in W^{1,inf} against width. Checks the table; plots/separation.gp draws it. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/text.h"
#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/scripts.h"

steep_status steep_figure_separation(const char *folder, const char *title, const steep_figure_limits *limits,
                                     steep_error *error)
{
    static const char *const column[] = {"witness", "class", "width", "E0", "E1", "W", "bound", "certified_low"};
    enum { TEXTS = 2, NUMBERS = 6, BOUND = 4, CERTIFIED = 5 };
    steep_figure_table t = {.column = column, .texts = TEXTS, .numbers = NUMBERS};
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
    steep_text head;
    if (steep_text_open(&head) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    FILE *out = head.stream;
    fprintf(out, "bounded = %d; certified = %d; title = ", bounded, certified);
    steep_figure_quote(out, title ? title : "");
    if (steep_text_close(&head) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    const steep_figure_script_text script = {head.text, STEEP_FIGURE_SEPARATION, STEEP_FIGURE_TERMINALS};
    status = steep_figure_draw(folder, "separation", &script, limits, error);
    free(head.text);
    return status;
}
