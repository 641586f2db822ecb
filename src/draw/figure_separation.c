/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_separation: errors in W^{1,inf} against width. Checks the table; plots/separation.gp draws it. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"

enum { WITNESS, CLASS, TEXTS };
enum { BOUND, CERTIFIED, E0, E1, W, WIDTH, LAMBDA, NUMBERS };

/* Whether some row has a number there. */
static bool has(const steep_figure_table *t, size_t column)
{
    for (size_t i = 0; i < t->table.rows; i++)
        if (!isnan(t->number[i * NUMBERS + column])) return true;
    return false;
}

/* What stands above: the title, or the witness of the first row, typeset where it is a formula, the class and lambda.
 * False without memory. */
static bool put_title(FILE *out, const steep_figure_table *t, const char *title)
{
    char *above = steep_title(title ? title : t->text[WITNESS], !title, false);
    char *class = steep_title(t->text[CLASS], false, false), lambda[40];
    const bool fine = above && class;
    snprintf(lambda, sizeof lambda, ", λ = %g", t->number[LAMBDA]);
    fputs("title = ", out);
    steep_figure_quote(out, fine ? above : "");
    if (!title) {
        fputs(" . ' by ' . ", out);
        steep_figure_quote(out, fine ? class : "");
        fputs(" . ", out);
        steep_figure_quote(out, isnan(t->number[LAMBDA]) ? "" : lambda);
    }
    free(above);
    free(class);
    return fine;
}

steep_status steep_figure_separation(const char *folder, const char *title, const steep_figure_limits *limits,
                                     steep_error *error)
{
    static const char *const column[] = {"witness", "class", "bound", "certified_low", "E0",
                                         "E1",      "W",     "width", "lambda"};
    steep_figure_table t = {.column = column, .texts = TEXTS, .numbers = NUMBERS};
    steep_status status = steep_figure_read(folder, "separation.csv", &t, error);
    if (status >= 0 && t.table.rows == 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s holds no rows: there is nothing to draw", t.table.path);
    steep_figure_writer w = {folder, "separation", steep_script_separation, STEEP_FIGURE_TERMINALS, limits, NULL};
    if (status >= 0) status = steep_figure_begin(&w, error);
    if (status >= 0) {
        fprintf(w.head, "bounded = %d; certified = %d; ", has(&t, BOUND), has(&t, CERTIFIED));
        status = steep_figure_end(&w, put_title(w.head, &t, title), error);
    }
    steep_figure_free(&t);
    return status;
}
