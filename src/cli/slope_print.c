/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/slope_parts.h"

/* Behind the columns of the keys. */
enum { METHOD, SLOPE, INTERVAL, SIZES, POINTS, DRIFT, REMARKS, LAW, LAW_INTERVAL, HELD_OUT, APART, REMARK, COLUMNS };
_Static_assert((int)COLUMNS == (int)STEEP_SLOPE_CELLS, "as steep_slope_printing has them");

static const steep_sheet_column slope_columns[COLUMNS] = {
    [METHOD] = {"method", NULL, "method", STEEP_SHEET_TEXT, NULL, 1, -10},
    [SLOPE] = {"slope", NULL, "slope", STEEP_SHEET_REAL, "%.3f", 1, 8},
    [INTERVAL] = {"low", "high", "interval", STEEP_SHEET_PAIR, "[%.3f, %.3f]", 2, -20},
    [SIZES] = {"first", "last", "sizes", STEEP_SHEET_PAIR, "%.6g .. %.6g", 2, -20},
    [POINTS] = {"points", NULL, "points", STEEP_SHEET_COUNT, NULL, 2, 6},
    [DRIFT] = {"drift", NULL, "drift", STEEP_SHEET_REAL, "%.2f", 2, -5},
    [REMARKS] = {NULL, NULL, "", STEEP_SHEET_TEXT, NULL, 2, 0},
    [LAW] = {"offset", NULL, NULL, STEEP_SHEET_REAL, NULL, 0, 0},
    [LAW_INTERVAL] = {"offset_low", "offset_high", NULL, STEEP_SHEET_PAIR, NULL, 0, 0},
    [HELD_OUT] = {"held_out", NULL, NULL, STEEP_SHEET_REAL, NULL, 0, 0},
    [APART] = {"apart", NULL, NULL, STEEP_SHEET_COUNT, NULL, 0, 0},
    [REMARK] = {"remark", NULL, NULL, STEEP_SHEET_TEXT, NULL, 0, 0},
};

static bool is_ours(const char *name)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const steep_sheet_column *own = &slope_columns[i];
        if ((own->key && strcmp(name, own->key) == 0) || (own->second && strcmp(name, own->second) == 0)) return true;
    }
    return false;
}

void steep_slope_print_begin(steep_slope_printing *p, const steep_table *csv, const steep_slope_columns *c,
                             const steep_style *style)
{
    for (size_t k = 0; k < c->keys; k++) {
        const char *name = csv->header[c->key[k]];
        const bool ours = is_ours(name);
        if (ours) snprintf(p->name[k], sizeof p->name[k], "by_%.90s", name);
        p->column[k] = (steep_sheet_column){ours ? p->name[k] : name, NULL, name, STEEP_SHEET_TEXT, NULL, 1, -14};
    }
    memcpy(p->column + c->keys, slope_columns, sizeof slope_columns);
    p->layout = (steep_sheet_layout){.name = "slopes", .column = p->column, .columns = c->keys + COLUMNS};
    steep_sheet_open(&p->sheet, stdout, style, "slope");
    steep_sheet_begin(&p->sheet, &p->layout, NULL);
}

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

void steep_slope_print_row(steep_slope_printing *p, const steep_slope_printed *row)
{
    const steep_slope *s = row->slope;
    const steep_slope_columns *c = row->c;
    steep_cell cell[STEEP_SLOPE_KEYS + COLUMNS];
    char remarks[400];
    write_remarks(s, row->remark, remarks, sizeof remarks);
    const steep_cell own[COLUMNS] = {
        [METHOD] = steep_cell_text(row->method),
        [SLOPE] = steep_cell_real(s->slope),
        [INTERVAL] = steep_cell_pair(s->low, s->high),
        [SIZES] = steep_cell_pair(s->points > 0 ? s->first : NAN, s->points > 0 ? s->last : NAN),
        [POINTS] = steep_cell_count(s->points),
        [DRIFT] = steep_cell_real(s->drift),
        [REMARKS] = steep_cell_toned(remarks, isnan(s->offset) ? STEEP_TONE_DOUBTFUL : STEEP_TONE_PLAIN),
        [LAW] = steep_cell_real(s->offset),
        [LAW_INTERVAL] = steep_cell_pair(s->offset_low, s->offset_high),
        [HELD_OUT] = steep_cell_real(s->held_out),
        [APART] = steep_cell_count(s->apart),
        [REMARK] = steep_cell_text(row->remark),
    };
    for (size_t k = 0; k < c->keys; k++)
        cell[k] = steep_cell_text(row->csv->cell[row->row * row->csv->columns + c->key[k]]);
    memcpy(cell + c->keys, own, sizeof own);
    steep_sheet_row(&p->sheet, cell);
}
