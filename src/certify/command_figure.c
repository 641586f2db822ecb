/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/command_figure.h"

#include <math.h>
#include <stdlib.h>

enum { WITNESS, CLASS, TEXTS };
enum { BOUND, CERTIFIED, E0, E1, W, WIDTH, LAMBDA, NUMBERS };

/* Whether some row has a number in this column. */
static bool has(const steep_figure_table *t, size_t column)
{
    for (size_t i = 0; i < t->table.rows; i++)
        if (!isnan(t->number[i * NUMBERS + column])) return true;
    return false;
}

/* Writes the title: the first row's witness (typeset if it is a formula), class and lambda. False: no memory. */
static bool put_title(FILE *out, const steep_figure_table *t)
{
    char *witness = steep_title(t->text[WITNESS], true, false), *class = steep_title(t->text[CLASS], false, false);
    const bool fine = witness && class;
    fputs("title = ", out);
    steep_figure_quote(out, fine ? witness : "");
    fputs(" . ' by ' . ", out);
    steep_figure_quote(out, fine ? class : "");
    if (isnan(t->number[LAMBDA])) fputs(" . ''", out);
    else fprintf(out, " . ', λ = %g'", t->number[LAMBDA]);
    free(witness);
    free(class);
    return fine;
}

steep_status steep_figure_separation(const char *folder, const steep_figure_limits *limits, steep_error *error)
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
        status = steep_figure_end(&w, put_title(w.head, &t), error);
    }
    steep_figure_free(&t);
    return status;
}
