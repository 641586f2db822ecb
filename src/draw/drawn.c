/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drawn: rows of one target and series are a line. */
#include "draw/drawn.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
const char *const steep_drawn_columns[] = {
    "target", "title", "series", "arch", "solver", "start",
    "error", "low", "high", "lower", "predicted", "floor", "seeds", "theory", "overfit",
    "width", "width_slope", "width_low", "width_high", "width_law",
    "params", "params_slope", "params_low", "params_high", "params_law",
    "samples", "samples_slope", "samples_low", "samples_high", "samples_law",
    "flops"};
/* clang-format on */

bool steep_drawn_usable(const steep_drawn *p, size_t row)
{
    return steep_drawn_value(p, row, ERROR) > 0 && steep_drawn_value(p, row, SIZE) > 0 &&
           steep_drawn_value(p, row, SIZE + AGAINST) > 0;
}

bool steep_drawn_near_floor(const steep_drawn *p, size_t row)
{
    return steep_drawn_value(p, row, FLOOR) > 1e-3 * steep_drawn_value(p, row, ERROR);
}

static steep_status find_series(steep_drawn *p, steep_error *error)
{
    for (size_t row = 0; row < p->table.table.rows; row++) {
        steep_drawn_series new = {.text = &p->table.text[row * TEXTS], .first = row}, *s = p->series;
        while (s < p->series + p->count && !(steep_drawn_same(s, &new, TARGET) && steep_drawn_same(s, &new, SERIES)))
            s++;
        if (s == p->series + p->count) {
            *s = new;
            p->count++;
        } else if (s->last + 1 != row)
            return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: expected the rows of %s on %s together",
                              p->table.table.path, p->table.table.line[row], s->text[SERIES], s->text[TARGET]);
        s->last = row;
        s->shown |= steep_drawn_usable(p, row);
        s->several |= steep_drawn_value(p, row, SEEDS) > 1;
        s->floored |= steep_drawn_near_floor(p, row);
        s->predicted |= !p->options->no_theory && isfinite(steep_drawn_value(p, row, THEORY)) &&
                        steep_drawn_value(p, row, PREDICTED) > 0;
        s->bounded |= !p->options->no_theory && steep_drawn_value(p, row, LOWER) > 0;
        s->hollow |= steep_drawn_value(p, row, OVERFIT) > 0;
    }
    return STEEP_OK;
}

/* Whether so many characters are the label of a series (2), or what it begins with before ", solver", or its
 * architecture (1). */
static int matches(const char *name, size_t length, const steep_drawn_series *s)
{
    const char *label = s->text[SERIES], *arch = s->text[ARCH];
    if (strncmp(label, name, length) == 0 && (!label[length] || label[length] == ',')) return label[length] ? 1 : 2;
    return strlen(arch) == length && strncmp(arch, name, length) == 0;
}

/* Shows only what the option names, each name by its best matches. A comma with a blank behind it, or within
 * parentheses, is part of a name. */
static steep_status choose_series(steep_drawn *p, steep_error *error)
{
    for (const char *at = p->options->arch; at;) {
        size_t length = 0;
        int best = 0, depth = 0;
        for (; at[length] && (at[length] != ',' || depth > 0 || at[length + 1] == ' '); length++)
            depth += (at[length] == '(') - (at[length] == ')');
        for (steep_drawn_series *s = p->series; s < p->series + p->count; s++)
            if (matches(at, length, s) > best) best = matches(at, length, s);
        if (!best)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s has no series or architecture \"%.*s\": use names from its columns series and arch",
                              p->table.table.path, (int)length, at);
        for (steep_drawn_series *s = p->series; s < p->series + p->count; s++)
            s->chosen |= matches(at, length, s) == best;
        at = at[length] ? at + length + 1 : NULL;
    }
    return STEEP_OK;
}

/* Looks are those of all series, also where few are shown, or those that are given. */
static steep_status choose_looks(steep_drawn *p, steep_error *error)
{
    steep_look *look = calloc(p->count + 1, sizeof *look);
    if (!look) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the series of a figure");
    for (size_t i = 0; i < p->count; i++)
        look[i] = steep_look_of(p->series[i].text[SERIES], p->series[i].text[ARCH], p->series[i].text[SOLVER],
                                p->series[i].text[START]);
    steep_look_choose(look, p->count);
    for (size_t i = 0; i < p->count; i++) {
        p->series[i].look = look[i];
        for (size_t k = 0; p->looks && k < p->looks->labels; k++)
            if (strcmp(p->looks->look[k].label, p->series[i].text[SERIES]) == 0) p->series[i].look = p->looks->look[k];
    }
    free(look);
    return STEEP_OK;
}

static void keep_series(steep_drawn *p)
{
    size_t kept = 0;
    steep_drawn_series last = {.text = NULL};
    for (size_t i = 0; i < p->count; i++) {
        const steep_drawn_series s = p->series[i];
        if (!s.shown || (p->options->arch && !s.chosen)) continue;
        p->targets += !last.text || !steep_drawn_same(&s, &last, TARGET);
        last = s;
        if (p->targets <= STEEP_DRAWN_TARGETS) p->series[kept++] = s;
    }
    p->count = kept;
}

bool steep_drawn_same_panel(const steep_drawn *p, const steep_drawn_series *a, const steep_drawn_series *b)
{
    return steep_drawn_same(a, b, TARGET) && steep_drawn_same(a, b, p->by);
}

/* Series that share their panels come together, in the order of the first of each. */
static void group_series(steep_drawn *p)
{
    steep_drawn_series *s = p->series;
    for (size_t i = 1; i < p->count; i++) {
        size_t j = i;
        while (j < p->count && steep_drawn_same(&s[j], &s[i - 1], TARGET) && !steep_drawn_same(&s[j], &s[i - 1], p->by))
            j++;
        if (j == p->count || !steep_drawn_same(&s[j], &s[i - 1], TARGET)) continue;
        const steep_drawn_series found = s[j];
        memmove(&s[i + 1], &s[i], (j - i) * sizeof *s);
        s[i] = found;
    }
}

steep_status steep_drawn_read(steep_drawn *p, const char *folder, steep_error *error)
{
    steep_figure_table table = p->table; /* names of columns; then the file */
    steep_status status = steep_figure_read(folder, steep_drawn_file(p->options), &table, error);
    if (status < 0 && p->options->against == 'N' && status != STEEP_NO_MEMORY)
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "%s: no learning curves (learning.csv): they are of sweeps with several --samples, as in "
                            "100:1e5:x4",
                            folder);
    if (status == STEEP_IO) status = STEEP_BAD_INPUT; /* no folder of a sweep: nothing is begun */
    p->table = table;
    if (status < 0) return status;
    p->series = calloc(p->table.table.rows + 1, sizeof *p->series);
    if (!p->series) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the series of a figure");
    status = find_series(p, error);
    if (status >= 0 && p->count) status = choose_series(p, error);
    if (status >= 0) status = choose_looks(p, error);
    if (status < 0) return status;
    keep_series(p);
    group_series(p);
    return p->count ? STEEP_OK : steep_fail(error, STEEP_BAD_INPUT, "%s holds no error to draw", p->table.table.path);
}
