/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What steep slope prints: the table; and of a sweep the slopes that it wrote, for they know floors, cells and what
 * overfits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slope_parts.h"
#include "draw/figure_parts.h"

/* What must be known of the slope, with two blanks between its parts. */
static void write_remarks(const steep_slope *s, const char *remark, char *text, size_t size)
{
    snprintf(text, size, "%s", remark ? remark : "");
    if (s->apart > 0) steep_text_add(text, size, "%s%zu apart from the others, left out", *text ? "  " : "", s->apart);
    if (isnan(s->offset)) return;
    steep_text_add(text, size, "%sE = %.6g [%.6g, %.6g]", *text ? "  " : "", s->offset, s->offset_low, s->offset_high);
    if (!isnan(s->held_out))
        steep_text_add(text, size, "; the first two thirds of the sizes predict the others to %.2g %%",
                       100 * expm1(s->held_out));
}

/* Adds the columns of a slope behind the columns of the keys; remarks[400]: room for the text of remarks. */
static void add_own(steep_sheet_line *line, const char *method, const char *remark, const steep_slope *s,
                    char remarks[400])
{
    write_remarks(s, remark, remarks, 400);
    const steep_sheet_part part[] = {
        {{"method", NULL, "method", STEEP_SHEET_TEXT, NULL, 1, -10}, steep_cell_text(method)},
        {{"slope", NULL, "slope", STEEP_SHEET_REAL, "%.3f", 1, 8}, steep_cell_real(s->slope)},
        {{"low", "high", "interval", STEEP_SHEET_PAIR, "[%.3f, %.3f]", 2, -20}, steep_cell_pair(s->low, s->high)},
        {{"first", "last", "sizes", STEEP_SHEET_PAIR, "%.6g .. %.6g", 2, -20},
         steep_cell_pair(s->points > 0 ? s->first : NAN, s->points > 0 ? s->last : NAN)},
        {{"points", NULL, "points", STEEP_SHEET_COUNT, NULL, 2, 6}, steep_cell_count(s->points)},
        {{"drift", NULL, "drift", STEEP_SHEET_REAL, "%.2f", 2, -5}, steep_cell_real(s->drift)},
        {{NULL, NULL, "", STEEP_SHEET_TEXT, NULL, 2, 0},
         steep_cell_toned(remarks, isnan(s->offset) ? STEEP_TONE_DOUBTFUL : STEEP_TONE_PLAIN)},
        {{.key = "offset", .kind = STEEP_SHEET_REAL}, steep_cell_real(s->offset)},
        {{.key = "offset_low", .second = "offset_high", .kind = STEEP_SHEET_PAIR},
         steep_cell_pair(s->offset_low, s->offset_high)},
        {{.key = "held_out", .kind = STEEP_SHEET_REAL}, steep_cell_real(s->held_out)},
        {{.key = "apart", .kind = STEEP_SHEET_COUNT}, steep_cell_count(s->apart)},
        {{.key = "remark"}, steep_cell_text(remark)},
    };
    steep_sheet_line_add(line, part, sizeof part / sizeof *part);
}

void steep_slope_print_begin(steep_slope_printing *p, const steep_table *csv, const steep_slope_columns *c,
                             const steep_style *style)
{
    const steep_sheet_column *column = p->line.column;
    char remarks[400];
    p->csv = csv;
    p->c = c;
    steep_sheet_line_set(&p->line, "slopes", NULL, 0);
    p->line.layout.columns = c->keys;
    add_own(&p->line, NULL, NULL, &(steep_slope){0}, remarks);
    for (size_t k = 0; k < c->keys; k++) {
        const char *name = csv->header[c->key[k]];
        bool ours = false;
        for (size_t i = c->keys; i < p->line.layout.columns; i++)
            ours |= (column[i].key && strcmp(name, column[i].key) == 0) ||
                    (column[i].second && strcmp(name, column[i].second) == 0);
        if (ours) snprintf(p->name[k], sizeof p->name[k], "by_%.90s", name);
        p->line.column[k] = (steep_sheet_column){ours ? p->name[k] : name, NULL, name, STEEP_SHEET_TEXT, NULL, 1, -14};
    }
    steep_sheet_open(&p->sheet, stdout, style, "slope");
    steep_sheet_begin(&p->sheet, &p->line.layout, NULL);
}

void steep_slope_print_row(steep_slope_printing *p, size_t row, const char *method, const char *remark,
                           const steep_slope *slope)
{
    char remarks[400];
    p->line.layout.columns = p->c->keys;
    for (size_t k = 0; k < p->c->keys; k++)
        p->line.cell[k] = steep_cell_text(p->csv->cell[row * p->csv->columns + p->c->key[k]]);
    add_own(&p->line, method, remark, slope, remarks);
    steep_sheet_row(&p->sheet, p->line.cell);
}

/* --- the slopes of a sweep --- */

/* Whether the options ask for nothing but what a sweep's slopes.csv has. */
static bool asks_as_sweeps_do(const steep_slope_command *o)
{
    const steep_slope_options usual = steep_slope_options_default(), *own = &o->chosen.slope;
    const bool sizes =
        !o->size || strcmp(o->size, "params") == 0 || strcmp(o->size, "width") == 0 || strcmp(o->size, "samples") == 0;
    return sizes && !o->error && !o->floor && !o->by && own->law == usual.law && own->smooth == usual.smooth &&
           own->computed == usual.computed && own->scatter == usual.scatter && own->level == usual.level &&
           own->floor_factor == usual.floor_factor && own->drift == usual.drift &&
           own->minimum_points == usual.minimum_points && own->minimum_span == usual.minimum_span;
}

/* Reads a file of the folder. *there: it is, with all of the columns. Fails only with STEEP_NO_MEMORY. */
static steep_status read_beside(const char *folder, const char *name, steep_figure_table *t, bool *there,
                                steep_error *error)
{
    steep_status status = steep_table_read(steep_path_in(folder, name).text, &t->table, error);
    if (status == STEEP_OK) status = steep_figure_columns(t, error);
    *there = status == STEEP_OK;
    return status == STEEP_NO_MEMORY ? status : STEEP_OK;
}

/* *same: series.csv, and so slopes.csv, is of as many usable fits as the rows of fits.csv are. */
static steep_status compare_fits(const char *folder, const steep_table *fits, bool *same, steep_error *error)
{
    static const char *const seeds = "seeds";
    steep_figure_table series = {.column = &seeds, .numbers = 1};
    double usable = 0;
    const steep_status status = read_beside(folder, "series.csv", &series, same, error);
    for (size_t r = 0; *same && r < fits->rows; r++) usable += !steep_table_failed(fits, r);
    for (size_t r = 0; *same && r < series.table.rows; r++) usable -= series.number[r];
    *same &= usable == 0;
    steep_figure_free(&series);
    return status;
}

static bool has_curves(const steep_figure_table *t)
{
    bool found = false;
    for (size_t r = 0; r < t->table.rows; r++)
        found |= strcmp(t->text[r * t->texts + STEEP_SLOPES_AGAINST], "samples") == 0;
    return found;
}

static steep_status print_rows(const steep_figure_table *t, const steep_slope_command *options, size_t *found,
                               steep_error *error)
{
    const char *against = options->size ? options->size : "params";
    steep_slope_columns c = {.keys = STEEP_SLOPES_TEXTS - STEEP_SLOPES_ARCH};
    steep_slope_printing out;
    for (size_t k = 0; k < c.keys; k++) c.key[k] = steep_table_column(&t->table, t->column[STEEP_SLOPES_ARCH + k]);
    /* How many points tell series apart, where there are several numbers of them. */
    const size_t samples = steep_table_column(&t->table, "samples");
    if (has_curves(t) && strcmp(against, "samples") != 0) c.key[c.keys++] = samples;
    steep_slope_print_begin(&out, &t->table, &c, &options->style);
    for (size_t r = 0; r < t->table.rows; r++) {
        const char *const *text = t->text + r * t->texts;
        const steep_slope slope = steep_slopes_slope(t, r, NULL);
        if (strcmp(text[STEEP_SLOPES_AGAINST], against) != 0) continue;
        *found += !isnan(slope.slope);
        steep_slope_print_row(&out, r, text[STEEP_SLOPES_METHOD], text[STEEP_SLOPES_REMARK], &slope);
    }
    return steep_cli_close(&out.sheet, STEEP_OK, error);
}

steep_status steep_slope_print_sweep(const steep_table *fits, const steep_slope_command *options, size_t *found,
                                     bool *printed, steep_error *error)
{
    const char *path = fits->path, *slash = strrchr(path, '/');
    steep_figure_table slopes = steep_slopes_columns();
    bool fine = false;
    *printed = false;
    if (strcmp(slash ? slash + 1 : path, "fits.csv") != 0 || steep_table_column(fits, "status") == fits->columns ||
        !asks_as_sweeps_do(options))
        return STEEP_OK;
    char *folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    if (!folder) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the name of a folder");
    steep_status status = read_beside(folder, "slopes.csv", &slopes, &fine, error);
    if (fine) status = compare_fits(folder, fits, printed, error);
    if (fine && status == STEEP_OK && !*printed)
        fprintf(stderr,
                "steep: %s/slopes.csv is not of these fits: the slopes are of the rows alone; the command that "
                "made the folder writes it anew\n",
                folder);
    if (*printed && options->size && strcmp(options->size, "samples") == 0 && !has_curves(&slopes))
        *printed = false; /* one number of points: what the rows say of it */
    if (*printed) status = print_rows(&slopes, options, found, error);
    steep_figure_free(&slopes);
    free(folder);
    return status;
}
