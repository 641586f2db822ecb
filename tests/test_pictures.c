/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pictures: figures of a fit and of a map; tables that cannot be drawn. */
#include "pictures.h"

static void write_fit(void)
{
    FILE *residuals = begin("residuals.csv"), *units = begin("units.csv");
    fputs("x,y,network,residual\n", residuals);
    fputs("x,unit_1,unit_2\n", units);
    for (int i = 0; i <= 4000; i++) {
        double x = -1 + i / 2000.0;
        fprintf(residuals, "%.17g,%.17g,%.17g,%.17g\n", x, x * x, fabs(x), fabs(x) - x * x);
        fprintf(units, "%.17g,%.17g,%.17g\n", x, fmax(x, 0), fmax(-x, 0));
    }
    ck_assert_int_eq(fclose(residuals) | fclose(units), 0);
    put("gates.csv", "knot,sign\n0,1\n-7,1\n0,-1\n");
}

static steep_status fit_of_folder(void)
{
    return steep_figure_fit(folder, NULL, "svg", NULL, &error);
}

static steep_status map_of_folder(void)
{
    return steep_figure_map(folder, NULL, NULL, NULL, NULL, &error);
}

START_TEST(fit_is_drawn)
{
    write_fit();
    check_says(steep_figure_fit(folder, "two units", STEEP_FIGURE_TERMINALS, NULL, &error), STEEP_OK, "");
    HAS(get("fit.gp"), "units = 2; gates = 3; thin = 3; thin_units = 3; title = 'two units'");
    ck_assert(length("fit.png") > 10000 && length("fit.pdf") > 5000);
    const char *svg = get("fit.svg");
    HAS(svg, "two units", ">−1<"); /* residual / 10^-1: the largest is 0.25 */
    size_t with_gates = count_of(svg, "<path");
    unlink(inside("gates.csv")); /* optional */
    check_says(fit_of_folder(), STEEP_OK, "");
    ck_assert_uint_lt(count_of(get("fit.svg"), "<path"), with_gates);
    put("residuals.csv", "x,y,network,residual\n0,0,0,0\n0,0,0,0\n1,0,0,0\n"); /* two in one place; all 0 */
    put("units.csv", "x,unit\n0,0\n1,0\n");
    put("gates.csv", "knot,sign\n");
    check_says(fit_of_folder(), STEEP_OK, "");
}

/* Writes a surface of 5 by 4 with its target or without, points in 2D (flat) or 3D, and lines of gates. */
static void write_map(bool known, bool flat, double height, size_t lines)
{
    FILE *surface = begin("surface.csv"), *points = begin("residuals.csv"), *gates = begin("gates.csv");
    fprintf(surface, "x1,x2,network%s\n", known ? ",target,residual" : "");
    for (int k = 0; k < 20; k++) {
        const int line = k / 5;
        const double x = k % 5, y = line, f = height * sin(x + y);
        fprintf(surface, "%s%g,%g,%g", k > 0 && k % 5 == 0 ? "\n" : "", x, y, f);
        if (known) fprintf(surface, ",%g,%g", 0.9 * f, 0.1 * f);
        fputs("\n", surface);
    }
    fprintf(points, "x1,x2,%sy,network,residual\n", flat ? "" : "x3,");
    for (int k = 0; k < 90; k++)
        fprintf(points, "%g,%g,%s%g,%g,%g\n", k / 90.0, k % 9 / 9.0, flat ? "" : "1,", height * k, height * k + 1, 1.0);
    fputs("unit,from1,from2,to1,to2\n", gates);
    for (size_t i = 0; i < lines; i++) fprintf(gates, "%zu,0,%zu,4,1\n", i + 1, i);
    ck_assert(fclose(surface) == 0 && fclose(points) == 0 && fclose(gates) == 0);
}

START_TEST(maps_are_drawn)
{
    static const int cases[] = {0, 6, 9}; /* each property with and without */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char says[120];
        const int i = cases[c];
        const bool known = i & 1, flat = i & 2;
        write_map(known, flat, i & 4 ? 1 : 0, i & 8 ? 3 : 0);
        check_says(steep_figure_map(folder, "a surface", "width_{2} of it", "up", NULL, &error), STEEP_OK, "");
        snprintf(says, sizeof says, "known = %d; flat = %d; gates = %d; thin = 1; size = 0.70; title = 'a surface'",
                 known, flat, i & 8 ? 3 : 0);
        HAS(get("fit.gp"), says);
        ck_assert(length("fit.png") > 10000 && length("fit.pdf") > 5000);
        const char *svg = get("fit.svg");
        HAS(svg, "a surface", "width_{2} of it"); /* names are not typeset */
        ck_assert(contains(svg, "where its gates open") == ((i & 8) != 0));
    }
}

static steep_status slopes_of_folder(void)
{
    return steep_figure_slopes(folder, &(steep_figure_options){.terminal = "svg"}, NULL, &error);
}

START_TEST(bad_tables_are_refused)
{
#define MLP  "t,t,mlp,mlp,lm,uniform,"
#define REST ",0.1,0.1,0.1,1" NONE
    static const struct {
        steep_status (*picture)(void);
        const char *file, *text, *says, *another; /* file NULL: series.csv, below its header */
    } wrong[] = {
        {map_of_folder, "surface.csv", "x1,x2,value\n0,0,1\n1,0,1\n\n0,1,1\n1,1,1\n", "network", ""},
        {map_of_folder, "residuals.csv", "x1,x2,y,network\n1,2,3,4\n", "residual", ""},
        {map_of_folder, "gates.csv", "unit,from1,from2,to1,to2\n1,0,0,here,1\n", "line 2", ""},
        {fit_of_folder, "residuals.csv", "x,y,network,residual\n0,0,0,0\n1,0,zero,0\n", "line 3", ""},
        {fit_of_folder, "units.csv", "t,unit\n0,0\n1,0\n", "no column x", ""},
        {fit_of_folder, "gates.csv", "knot,sign\nhere,1\n", "line 2", ""},
        {slopes_of_folder, NULL, "", "series.csv", "no error to draw"},
        {slopes_of_folder, NULL, MLP "4,13,nan,nan,nan,0" NONE, "series.csv", "no error to draw"},
        {slopes_of_folder, NULL, MLP "4,13" REST MLP "8,25,0.1,0.1", "series.csv", "cut short"},
        {slopes_of_folder, NULL, MLP "4,13" REST "\n" MLP "8,25" REST, "line 4", "blank lines"},
        {slopes_of_folder, NULL, MLP "4,13" REST "\"t\n2\",t,mlp,mlp,lm,uniform,4,13" REST, "line 3", "line breaks"},
        {slopes_of_folder, NULL, MLP "4,13" REST "\"say \"\"t\"\", t\",t,mlp,mlp,lm,uniform,4,13" REST, "line 3",
         "quotes"},
        {slopes_of_folder, NULL, MLP "4,13" REST "t,t,glu,glu,lm,uniform,4,13" REST MLP "8,25" REST, "line 4",
         "mlp on t"},
        {slopes_of_folder, NULL, MLP "4,thirteen" REST, "line 2", "params"},
        {slopes_of_folder, NULL, MLP "4,13,steep,0.1,0.1,1" NONE, "series.csv", "steep"},
        {slopes_of_folder, "series.csv", "target,title,series,arch,solver,start,width,params\n", "series.csv",
         "no column error"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const bool slopes = wrong[i].picture == slopes_of_folder;
        if (i == 0 || wrong[i].picture != wrong[i - 1].picture) {
            make_folder();
            check_says(wrong[i].picture(), slopes ? STEEP_BAD_INPUT : STEEP_IO, ""); /* no table is there */
        }
        if (wrong[i].picture == fit_of_folder) write_fit();
        else write_map(false, true, 1, 1);
        if (wrong[i].file) put(wrong[i].file, wrong[i].text);
        else put_series(wrong[i].text);
        check_says(wrong[i].picture(), STEEP_BAD_INPUT, wrong[i].says);
        ck_assert_msg(contains(error.text, wrong[i].another), "%s without %s", error.text, wrong[i].another);
        ck_assert_uint_eq(length("fit.gp") + length("slopes.gp"), 0);
    }
    put_series(MLP "4,13" REST);
    draw(NULL);
}
