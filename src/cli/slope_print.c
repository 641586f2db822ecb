/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/slope_parts.h"

/* What must be known of the slope, with two blanks between its parts. */
static void write_remarks(const steep_slope *s, const char *remark, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", remark ? remark : "");
    if (s->apart > 0)
        used += (size_t)snprintf(text + used, size - used, "%s%zu apart from the others, left out", used ? "  " : "",
                                 s->apart);
    if (isnan(s->offset)) return;
    used += (size_t)snprintf(text + used, size - used, "%sE = %.6g [%.6g, %.6g]", used ? "  " : "", s->offset,
                             s->offset_low, s->offset_high);
    if (!isnan(s->held_out))
        snprintf(text + used, size - used, "; the first two thirds of the sizes predict the others to %.2g %%",
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
