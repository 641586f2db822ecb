/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_fit: the picture of one fit: target and network, the residual below them, and what each unit adds. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/table.h"
#include "draw/figure.h"
#include "draw/figure_parts.h"

enum { MOST_POINTS = 2000, MOST_GATES = 60, MOST_COLOURS = 12 };

typedef struct curves {
    size_t points, unit_points, units, gates;
    double low, high;        /* of x */
    double scale;            /* the residual's power of ten */
    double gate[MOST_GATES]; /* more than that are no help to the eye and are not drawn */
} curves;

static steep_status open_table(const char *folder, const char *name, steep_table *table, steep_error *error)
{
    char *path = steep_figure_text("%s/%s", folder, name);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_status status = steep_table_read(path, table, error);
    free(path);
    return status;
}

static steep_status need_column(const steep_table *table, const char *name, size_t *column, steep_error *error)
{
    *column = steep_table_column(table, name);
    if (*column < table->columns) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s has no column \"%s\"", table->path, name);
}

static steep_status read_residuals(const char *folder, curves *c, steep_error *error)
{
    steep_table table;
    size_t column[4];
    static const char *const name[] = {"x", "y", "network", "residual"};
    steep_status status = open_table(folder, "residuals.csv", &table, error);
    if (status < 0) return status;
    for (size_t i = 0; i < 4 && status >= 0; i++) status = need_column(&table, name[i], &column[i], error);
    if (status >= 0 && table.rows < 2)
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%s holds %zu rows: a picture needs 2 or more", table.path, table.rows);
    double largest = 0;
    for (size_t row = 0; row < table.rows && status >= 0; row++) {
        double x, r;
        status = steep_table_number(&table, row, column[0], &x, error);
        if (status >= 0) status = steep_table_number(&table, row, column[3], &r, error);
        if (status < 0) break;
        if (row == 0) c->low = x;
        c->high = x;
        largest = fmax(largest, fabs(r));
    }
    c->points = table.rows;
    c->scale = largest > 0 ? pow(10, floor(log10(largest))) : 1;
    if (status >= 0 && !(c->low < c->high))
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: x must ascend", table.path);
    steep_table_free(&table);
    return status;
}

static steep_status read_units(const char *folder, curves *c, steep_error *error)
{
    steep_table table;
    size_t column;
    steep_status status = open_table(folder, "units.csv", &table, error);
    if (status < 0) return status;
    status = need_column(&table, "x", &column, error);
    if (status >= 0 && (column != 0 || table.columns < 2))
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%s: the first column must be x, the others one a unit", table.path);
    c->units = table.columns - 1;
    c->unit_points = table.rows;
    steep_table_free(&table);
    return status;
}

/* gates.csv may be missing; then there are no lines. */
static steep_status read_gates(const char *folder, curves *c, steep_error *error)
{
    char *path = steep_figure_text("%s/gates.csv", folder);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    bool there = access(path, F_OK) == 0;
    free(path);
    if (!there) return STEEP_OK;
    steep_table table;
    size_t column;
    steep_status status = open_table(folder, "gates.csv", &table, error);
    if (status < 0) return status;
    status = need_column(&table, "knot", &column, error);
    for (size_t row = 0; row < table.rows && table.rows <= MOST_GATES && status >= 0; row++) {
        double knot;
        status = steep_table_number(&table, row, column, &knot, error);
        if (status >= 0 && knot >= c->low && knot <= c->high) c->gate[c->gates++] = knot;
    }
    steep_table_free(&table);
    return status;
}

static size_t every(size_t points)
{
    return (points + MOST_POINTS - 1) / MOST_POINTS;
}

static void write_panels(FILE *out, const curves *c)
{
    fprintf(out,
            "    set lmargin at screen 0.075; set rmargin at screen 0.51; set tmargin at screen 0.875; set bmargin at "
            "screen 0.44\n"
            "    set key at graph 1, graph 1.01 right bottom horizontal samplen 2\n"
            "    set format x ''; unset xlabel; set ylabel '{/:Italic y}' offset 0.5,0\n"
            "    plot 'residuals.csv' using 'x':'y' every %zu with lines linewidth 5 linecolor rgb 0xcfcfcf title "
            "'target', \\\n"
            "         '' using 'x':'network' every %zu with lines linetype 2 linewidth 1.3 title 'network'\n",
            every(c->points), every(c->points));
    fprintf(out,
            "    set key off; set tmargin at screen 0.385; set bmargin at screen 0.135\n"
            "    set format x '%%g'; set xlabel '{/:Italic x}'; set ylabel 'residual / 10^{%s%.0f}' offset 0.5,0\n",
            c->scale < 1 ? "−" : "", fabs(log10(c->scale)));
    fprintf(out,
            "    plot 'residuals.csv' using (column('x')):(column('residual') / %.17g) every %zu with lines linetype 1 "
            "linewidth 1.1\n",
            c->scale, every(c->points));
    fprintf(out, "    set lmargin at screen 0.59; set rmargin at screen 0.985; set tmargin at screen 0.875; set "
                 "bmargin at screen 0.135\n"
                 "    set ylabel '{/:Italic D_i h_i}' offset 0.5,0\n");
    if (c->units <= MOST_COLOURS)
        fprintf(out,
                "    plot for [i = 1:%zu] 'units.csv' using 1:i + 1 every %zu with lines linetype i linewidth 1.3\n",
                c->units, every(c->unit_points));
    else
        fprintf(out,
                "    plot for [i = 1:%zu] 'units.csv' using 1:i + 1 every %zu with lines linecolor rgb 0x0072B2 "
                "linewidth 0.5\n",
                c->units, every(c->unit_points));
}

static void write_script(FILE *out, const curves *c, const char *title)
{
    fprintf(out, "%s\n# Draws fit.svg, fit.pdf and fit.png from residuals.csv and units.csv beside it: gnuplot fit.gp\n"
                 "do for [format in 'svg pdf png'] {\n    eval canvas(format, 'fit', 900, 440)\n"
                 "    set multiplot title ",
            steep_figure_style());
    steep_figure_quote(out, title ? title : "");
    fprintf(out, " noenhanced font ',15'\n    unset arrow; set xrange [%.17g:%.17g]\n", c->low, c->high);
    for (size_t i = 0; i < c->gates; i++)
        fprintf(out, "    set arrow from first %.8g, graph 0 to first %.8g, graph 1 nohead back linewidth 0.7 "
                     "dashtype (4,4) linecolor rgb faint\n",
                c->gate[i], c->gate[i]);
    write_panels(out, c);
    fputs("    unset multiplot\n}\nunset output\n", out);
}

steep_status steep_figure_fit(const char *folder, const char *title, steep_error *error)
{
    curves c = {0};
    steep_figure_file file;
    steep_status status = read_residuals(folder, &c, error);
    if (status >= 0) status = read_units(folder, &c, error);
    if (status >= 0) status = read_gates(folder, &c, error);
    if (status >= 0) status = steep_figure_begin(folder, "fit", &file, error);
    if (status < 0) return status;
    write_script(file.stream, &c, title);
    status = steep_figure_commit(&file, error);
    return status < 0 ? status : steep_figure_run(folder, "fit", error);
}
