/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: a fit, a map, a separation; tables that cannot be drawn. */
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

static steep_status separation_of_folder(void)
{
    return steep_figure_separation(folder, NULL, &error);
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

/* A surface of 5 by 4 with its target or without, points in dim dimensions, some lines. */
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

enum { SEPARATED = 5 };
static const char separation_header[] =
    "witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,"
    "certified_high,restarts,hits,status,seconds\n";

/* Widths 1 .. rows; E[3 i ..]: E0, E1, W. Without bound or certificate: nan, as the program writes. */
static void write_separation(const double *E, size_t rows, bool bounded, bool certified)
{
    FILE *file = begin("separation.csv");
    fputs(separation_header, file);
    for (size_t i = 0; i < rows; i++, E += 3) {
        fprintf(file, "moa_type1,\"relu*id\",%zu,1,euclidean,%.17g,\"B.5, sharp\",%.17g,%.17g,%.17g,", i + 1,
                bounded ? 0.25 : NAN, E[0], E[1], E[2]);
        fprintf(file, "%.17g,%.17g,9,1,converged,0.5\n", certified ? E[2] / 1.5 : NAN, certified ? E[2] * 1.5 : NAN);
    }
    ck_assert_int_eq(fclose(file), 0);
}

/* Each series stands where its column says, widths at equal distances, all on one logarithmic axis: that through the
 * first two of W; behind its marks that of the key. Places are printed to a hundredth. */
static void check_separation_marks(const char *svg, const double *E)
{
    double mark[MOST_MARKS][2], scale = 0, origin = 0;
    for (size_t series = 3; series-- > 0;) { /* the first of the colours is the last series' */
        ck_assert_uint_eq(find_marks(svg, NULL, colours[2 - series], mark), SEPARATED + 1);
        if (series == 2) {
            origin = mark[0][1];
            scale = (mark[1][1] - origin) / log(E[5] / E[2]);
            ck_assert_double_lt(scale, 0);
        }
        for (size_t i = 0; i < SEPARATED; i++) {
            check_close(mark[i][1], origin + scale * log(E[3 * i + series] / E[2]), 0.3);
            if (i > 0) check_close(mark[i][0] - mark[i - 1][0], mark[1][0] - mark[0][0], 0.02);
        }
    }
}

START_TEST(separations_are_drawn)
{
    steep_random random = chance_start(1);
    double E[3 * SEPARATED];
    for (size_t c = 0; c < chance_cases(2); c++) {
        const bool bounded = c % 2 == 0, certified = chance_below(&random, 2) == 0;
        for (size_t i = 0; i < SEPARATED; i++) {
            E[3 * i] = exp(-1.0 * (double)i * steep_random_uniform(&random)) / 4;
            E[3 * i + 1] = 0.3 + steep_random_uniform(&random);
            E[3 * i + 2] = E[3 * i] + E[3 * i + 1] + 3.0 / (double)(i + 1);
        }
        write_separation(E, SEPARATED, bounded, certified);
        check_says(separation_of_folder(), STEEP_OK, "");
        HAS(get("separation.gp"), bounded ? "bounded = 1;" : "bounded = 0;",
            certified ? "certified = 1;" : "certified = 0;");
        ck_assert(length("separation.png") > 5000 && length("separation.pdf") > 3000);
        const char *svg = get("separation.svg");
        check_separation_marks(svg, E);
        ck_assert_int_eq(contains(svg, ">bound<"), bounded);
        ck_assert_int_eq(contains(svg, ">certified<"), certified);
        check_texts("separation.svg");
    }
}

/* The table says what it is, typeset as a formula is elsewhere. */
START_TEST(separations_are_named)
{
#define NAMED "witness,class,width,lambda,E0,E1,W,bound,certified_low\n"
    fake_gnuplot(SVG PDF PNG);
    put("separation.csv", NAMED "\"tanh(x)*max(y_,0)\",relu,1,2.5,1,1,2,1,nan\n");
    check_says(separation_of_folder(), STEEP_OK, "");
    ck_assert(contains(get("separation.gp"), "title = 'tanh(x)*max(y\\_,0)' . ' by ' . 'relu' . ', λ = 2.5'"));
    put("separation.csv", NAMED "\"tanh(x)*y^2\",exp(-z1^2)*z2,1,1,1,1,2,1,nan\n");
    check_says(separation_of_folder(), STEEP_OK, "");
    ck_assert(contains(get("separation.gp"),
                       "title = 'tanh({/:Italic x})\u2009{/:Italic y}^{2}' . ' by ' . 'exp(-z1\\^2)*z2' . "));
}

/* One width, and a class that has the witness: a logarithm has no place for 0. */
START_TEST(separations_of_one_width_and_of_0_are_drawn)
{
    static const double E[][9] = {{0.1, 0.4, 0.5}, {0, 0, 0}, {0.1, 0.4, 0.5, 0, 0.3, 0.3, 0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        write_separation(E[i % 3], i == 2 ? 3 : 1, i == 2, i > 1);
        check_says(separation_of_folder(), STEEP_OK, "");
    }
}

static steep_status slopes_of_folder(void)
{
    return steep_figure_slopes(folder, &(steep_figure_options){.terminal = "svg"}, NULL, &error);
}

START_TEST(bad_tables_are_refused)
{
#define SEPARATION "witness,class,width,E0,E1,"
#define MLP        "t,t,mlp,mlp,lm,uniform,"
#define REST       ",0.1,0.1,0.1,1" NONE
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
        {separation_of_folder, "separation.csv", SEPARATION "W,bound,certified_low,lambda\n", "no rows", ""},
        {separation_of_folder, "separation.csv", SEPARATION "W,bound,certified_low,lambda\na,relu,1,1,one,2,1,1,1\n",
         "line 2", ""},
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
            check_says(wrong[i].picture(), slopes ? STEEP_BAD_INPUT : STEEP_IO, ""); /* nothing is there */
        }
        if (wrong[i].picture == fit_of_folder) write_fit();
        else write_map(false, true, 1, 1);
        if (wrong[i].file) put(wrong[i].file, wrong[i].text);
        else put_series(wrong[i].text);
        check_says(wrong[i].picture(), STEEP_BAD_INPUT, wrong[i].says);
        ck_assert_msg(contains(error.text, wrong[i].another), "%s without %s", error.text, wrong[i].another);
        ck_assert_uint_eq(length("fit.gp") + length("separation.gp") + length("slopes.gp"), 0);
    }
    put_series(MLP "4,13" REST);
    draw(NULL);
}

STEEP_TEST_MAIN("pictures")
