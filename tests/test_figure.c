/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: what is drawn from a run's tables, and what is said when it cannot be. */
#include "draw/figure.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static const char fits_header[] = "arch,activation,target,dim,width,params,seed,start,solver,device,samples,rmse_train,"
                                  "rmse_test,max_error,floor,iterations,evaluations,gradient_norm,status,seconds,starts,hits\n";
static const char slopes_header[] = "arch,target,solver,against,method,slope,low,high,first,last,points,drift,theory\n";

/* A folder whose name gnuplot must quote; "name" inside it. Static, one at a time. */
static char folder[64];

static void make_folder(void)
{
    char plain[] = "/tmp/steep-figure-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(plain));
    snprintf(folder, sizeof folder, "%s/it's a run", plain);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
}

static const char *inside(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void remove_folder(void)
{
    static const char *const names[] = {"fits.csv", "slopes.csv", "limits.csv", "slopes.gp", "slopes.svg", "slopes.pdf",
                                        "slopes.png", "fit.gp", "fit.svg", "fit.pdf", "fit.png", "residuals.csv",
                                        "units.csv", "gates.csv", "gnuplot", "own.gp", "own.svg", "own.in"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(inside(names[i]));
    rmdir(folder);
    *strrchr(folder, '/') = 0;
    rmdir(folder);
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(inside(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* The whole of a file, static. */
static const char *get(const char *path)
{
    static char text[1 << 17];
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is not there", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static size_t length(const char *name)
{
    struct stat status;
    return stat(inside(name), &status) == 0 ? (size_t)status.st_size : 0;
}

static bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* Two architectures with exact laws, one of them with an activation named; a failed fit; floors. */
static void write_run(const char *target)
{
    FILE *fits = fopen(inside("fits.csv"), "w"), *slopes = fopen(inside("slopes.csv"), "w");
    fputs(fits_header, fits);
    fputs(slopes_header, slopes);
    for (int n = 1; n <= 64; n *= 2) {
        double mlp = pow(n, -2.0), glu = 0.5 * pow(n, -3.0);
        fprintf(fits, "mlp,relu,%s,1,%d,%d,0,uniform,frozen,cpu,100,%.17g,nan,1,1e-9,1,1,0,converged,0,1,1\n", target, n,
                3 * n + 1, mlp);
        fprintf(fits, "glu,gelu,%s,1,%d,%d,0,uniform,frozen,cpu,100,%.17g,nan,1,1e-9,1,1,0,converged,0,1,1\n", target, n,
                5 * n + 1, glu);
    }
    fprintf(fits, "gqu,relu,%s,1,5,36,0,uniform,frozen,cpu,100,nan,nan,nan,nan,1,1,nan,singular,0,1,1\n", target);
    const char *const against[] = {"width", "params"};
    for (int a = 0; a < 2; a++) {
        int scale[] = {a ? 3 : 1, a ? 5 : 1};
        fprintf(slopes, "mlp,%s,frozen,%s,window,-2,-2.012,-1.988,%d,%d,4,0,-2\n", target, against[a], 8 * scale[0],
                66 * scale[0]);
        fprintf(slopes, "mlp,%s,frozen,%s,last_pair,-2.5,nan,nan,1,64,2,nan,-2\n", target, against[a]);
        fprintf(slopes, "glu:gelu,%s,frozen,%s,last_pair,-3.14,nan,nan,%d,%d,4,nan,nan\n", target, against[a],
                8 * scale[1], 66 * scale[1]);
    }
    ck_assert_int_eq(fclose(fits) | fclose(slopes), 0);
}

START_TEST(style_is_the_file)
{
    ck_assert_msg(strcmp(get("plots/style.gp"), steep_figure_style()) == 0,
                  "plots/style.gp and src/draw/figure_style.h differ: run plots/style.sh");
}
END_TEST

START_TEST(slopes_are_drawn)
{
    make_folder();
    write_run("runge3");
    steep_error error = {""};
    ck_assert_msg(steep_figure_slopes(folder, "Bob's _title_", &error) == STEEP_OK, "%s", error.text);
    const char *script = get(inside("slopes.gp"));
    ck_assert(contains(script, "'mlp  −2.00 ± 0.01'"));
    ck_assert(contains(script, "'glu:gelu  −3.14'")); /* no window: the last pair, without an interval */
    ck_assert(!contains(script, "gqu"));              /* a fit without an error is no point */
    ck_assert(contains(script, "'Bob''s _title_' noenhanced"));
    ck_assert(contains(script, "column('rmse_train')") && !contains(script, "column('rmse_test')"));
    /* Theory's line: through the middle of the window at the fit's height: mlp is n^-2, so exp(height) = exp(-2
     * middle). */
    const char *line = strstr(script, "'+' using 1:(exp(");
    double height, slope, middle;
    ck_assert_int_eq(sscanf(line, "'+' using 1:(exp(%lf + %lf * (log($1) - %lf))", &height, &slope, &middle), 3);
    check_close(slope, -2, 0);
    check_close(middle, log(8 * 64) / 2, 1e-9);
    check_close(height, -2 * middle, 1e-8); /* the script has ten digits of each */
    ck_assert(contains(script, "set label '2' at") && !contains(script, "set label '3' at")); /* glu names no theory */
    ck_assert_uint_gt(length("slopes.png"), 10000);
    ck_assert_uint_gt(length("slopes.pdf"), 5000);
    const char *svg = get(inside("slopes.svg"));
    ck_assert(contains(svg, "</svg>") && contains(svg, "mlp  −2.00 ± 0.01") && contains(svg, "Bob's _title_"));
    remove_folder();
}
END_TEST

/* Theory's line comes from limits.csv where a constant is predicted there, else it has theory's slope alone; the key
 * names what is drawn. */
START_TEST(theory_with_its_constant_and_without)
{
    make_folder();
    char slopes[1024];
    snprintf(slopes, sizeof slopes, "%s%s", slopes_header,
             "mlp,\"min(x,0.5)\",frozen,width,window,-2,-2.1,-1.9,8,64,4,0,-2\n"
             "mlp,\"min(x,0.5)\",frozen,params,window,-2,-2.1,-1.9,24,198,4,0,-2\n"
             "glu:gelu,\"min(x,0.5)\",frozen,width,window,-3,-3.1,-2.9,8,64,4,0,-3\n"
             "glu:gelu,\"min(x,0.5)\",frozen,params,last_pair,nan,nan,nan,nan,nan,0,nan,-3\n");
    put("slopes.csv", slopes);
    FILE *fits = fopen(inside("fits.csv"), "w");
    fputs(fits_header, fits);
    for (int n = 8; n <= 64; n *= 2) {
        fprintf(fits, "mlp,relu,\"min(x,0.5)\",1,%d,%d,0,uniform,frozen,cpu,9,%g,nan,1,1e-9,1,1,0,converged,0,1,1\n", n,
                3 * n + 1, pow(n, -2));
        fprintf(fits, "glu,gelu,\"min(x,0.5)\",1,%d,%d,0,uniform,frozen,cpu,9,%g,nan,1,1e-9,1,1,0,converged,0,1,1\n", n,
                5 * n + 1, pow(n, -3));
    }
    ck_assert_int_eq(fclose(fits), 0);
    put("limits.csv", "target,arch,width,params,lower,upper,asymptotic,uniform,equidistributed,predicted\n"
                      "\"min(x,0.1)\",mlp,8,25,1e-5,2e-5,1e-5,1e-2,nan,1e-2\n"
                      "\"min(x,0.5)\",mlp,8,25,1e-5,2e-5,1e-5,1.5e-2,nan,nan\n"
                      "\"min(x,0.5)\",mlp,64,193,1e-6,2e-6,1e-6,2.4e-4,nan,2.4e-4\n"
                      "\"min(x,0.5)\",glu:gelu,8,41,1e-6,2e-6,1e-6,nan,nan,nan\n");
    steep_error error = {""};
    ck_assert_msg(steep_figure_slopes(folder, NULL, &error) == STEEP_OK, "%s", error.text);
    const char *script = get(inside("slopes.gp"));
    for (int a = 0; a < 2; a++) {
        char line[256];
        snprintf(line, sizeof line, "'limits.csv' using ($0 >= 1 && $0 <= 2 ? column('%s') : NaN):"
                                    "(positive(column('predicted'))) with lines linetype 1 linewidth 1 dashtype (10,7)",
                 a ? "params" : "width");
        ck_assert_msg(contains(script, line), "no %s", line);
    }
    ck_assert(contains(script, "$0 >= 3 && $0 <= 3 ? column('width') : NaN):(positive(column('lower')))"));
    ck_assert(!contains(script, "$0 >= 3 && $0 <= 3 ? column('width') : NaN):(positive(column('predicted')))"));
    size_t slope_lines = 0;
    for (const char *at = script; (at = strstr(at, "'+' using 1:(exp(")) != NULL; at++) slope_lines++;
    ck_assert_uint_eq(slope_lines, 1); /* glu's against width; mlp's has its constant; none where no slope was found */
    const char *svg = get(inside("slopes.svg"));
    ck_assert(contains(svg, "theory, with its constant") && contains(svg, "theory's slope"));
    /* Of several solvers none is known to be meant; a table of an earlier version has no such column. */
    fits = fopen(inside("fits.csv"), "a");
    fputs("mlp,relu,\"min(x,0.5)\",1,8,25,0,uniform,lm,cpu,9,0.01,nan,1,1e-9,1,1,0,converged,0,1,1\n", fits);
    ck_assert_int_eq(fclose(fits), 0);
    ck_assert_msg(steep_figure_slopes(folder, NULL, &error) == STEEP_OK, "%s", error.text);
    ck_assert(!contains(get(inside("slopes.gp")), "with its constant"));
    put("limits.csv", "target,arch,width,params,lower,upper,asymptotic\n"
                      "\"min(x,0.5)\",mlp,8,25,1e-5,2e-5,1e-5\n");
    ck_assert_msg(steep_figure_slopes(folder, NULL, &error) == STEEP_OK, "%s", error.text);
    script = get(inside("slopes.gp"));
    ck_assert(!contains(script, "with its constant") && contains(script, "column('lower')"));
    put("limits.csv", "target,arch,width,params,lower,upper,asymptotic\ntorn\n");
    ck_assert_int_lt(steep_figure_slopes(folder, NULL, &error), 0);
    remove_folder();
}
END_TEST

START_TEST(pictures_do_not_change_between_runs)
{
    make_folder();
    write_run("runge3");
    steep_error error = {""};
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_OK);
    char *first = strdup(get(inside("slopes.svg")));
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_OK);
    ck_assert(strcmp(first, get(inside("slopes.svg"))) == 0);
    free(first);
    remove_folder();
}
END_TEST

/* Commas and quotes in a target, several targets, test errors, and a slope file without rows. */
START_TEST(odd_names_and_rows)
{
    make_folder();
    char fits[2048];
    snprintf(fits, sizeof fits, "%s%s%s", fits_header,
             "mlp,relu,\"min(x,0.5)\",1,2,7,0,uniform,lm,cpu,9,0.1,0.2,1,nan,1,1,0,converged,0,1,1\n"
             "mlp,relu,\"min(x,0.5)\",1,4,13,0,uniform,lm,cpu,9,0.01,0.02,1,nan,1,1,0,converged,0,1,1\n"
             "mlp,relu,\"min(x,0.5)\",1,4,13,1,uniform,newton,cpu,9,0.01,0.03,1,nan,1,1,0,stalled,0,1,1\n",
             "mlp,relu,x^2,1,4,13,0,uniform,lm,cpu,9,0.01,0.02,1,nan,1,1,0,converged,0,1,1\n");
    put("fits.csv", fits);
    put("slopes.csv", slopes_header);
    steep_error error = {""};
    ck_assert_msg(steep_figure_slopes(folder, NULL, &error) == STEEP_OK, "%s", error.text);
    const char *script = get(inside("slopes.gp"));
    ck_assert(contains(script, "strcol('target') eq 'min(x' && $0 >= 0 && $0 <= 1"));
    ck_assert(contains(script, "title 'mlp lm'") && contains(script, "title 'mlp newton'")); /* solvers differ: named */
    ck_assert(contains(script, "column('rmse_test')") && !contains(script, "column('rmse_train')"));
    /* From 0.02 to 0.2: numbers at 1, 2, 5, written as such, not as a power of ten three times over. */
    ck_assert(contains(script, "set ytics (0.02, 0.05, 0.1, 0.2)") && contains(script, "set format y '%g'"));
    /* gnuplot cuts the quoted name at its comma; all 4 rows are drawn all the same, in two panels: <use> is a mark; the
     * others are the key's. */
    const char *svg = get(inside("slopes.svg"));
    size_t marks = 0;
    for (const char *at = svg; (at = strstr(at, "' transform='translate(")) != NULL; at++) marks++;
    ck_assert(contains(svg, "min(x,0.5)"));
    ck_assert_uint_eq(marks, 2 * (4 + 3));
    remove_folder();
}
END_TEST

START_TEST(a_narrow_interval_has_three_decimals)
{
    make_folder();
    write_run("runge3");
    char slopes[1024];
    snprintf(slopes, sizeof slopes, "%s%s", slopes_header,
             "mlp,runge3,frozen,width,window,-2.0004,-2.0014,-1.9994,8,64,4,0,-2\n"
             "mlp,runge3,frozen,params,window,0.5,0.5,0.5,8,300,4,0,-2\n");
    put("slopes.csv", slopes);
    steep_error error = {""};
    ck_assert_msg(steep_figure_slopes(folder, NULL, &error) == STEEP_OK, "%s", error.text);
    const char *script = get(inside("slopes.gp"));
    ck_assert(contains(script, "'mlp  −2.000 ± 0.001'"));
    ck_assert(contains(script, "'mlp  0.500 ± 0.001'"));
    remove_folder();
}
END_TEST

static void write_fit(void)
{
    FILE *residuals = fopen(inside("residuals.csv"), "w"), *units = fopen(inside("units.csv"), "w");
    fputs("x,y,network,residual\n", residuals);
    fputs("x,unit_1,unit_2\n", units);
    for (int i = 0; i <= 5000; i++) {
        double x = -1 + i / 2500.0;
        fprintf(residuals, "%.17g,%.17g,%.17g,%.17g\n", x, x * x, fabs(x), fabs(x) - x * x);
        fprintf(units, "%.17g,%.17g,%.17g\n", x, fmax(x, 0), fmax(-x, 0));
    }
    ck_assert_int_eq(fclose(residuals) | fclose(units), 0);
    put("gates.csv", "knot,sign\n0,1\n-7,1\n0,-1\n");
}

START_TEST(fit_is_drawn)
{
    make_folder();
    write_fit();
    steep_error error = {""};
    ck_assert_msg(steep_figure_fit(folder, "two units", &error) == STEEP_OK, "%s", error.text);
    const char *script = get(inside("fit.gp"));
    ck_assert(contains(script, "residual / 10^{−1}")); /* the largest is 0.25 */
    ck_assert(contains(script, "set arrow from first 0,") && !contains(script, "first -7"));
    ck_assert(contains(script, "for [i = 1:2] 'units.csv'"));
    ck_assert_uint_gt(length("fit.png"), 10000);
    ck_assert_uint_gt(length("fit.pdf"), 5000);
    ck_assert(contains(get(inside("fit.svg")), "two units"));
    unlink(inside("gates.csv")); /* optional */
    ck_assert_msg(steep_figure_fit(folder, NULL, &error) == STEEP_OK, "%s", error.text);
    ck_assert(!contains(get(inside("fit.gp")), "arrow from"));
    remove_folder();
}
END_TEST

START_TEST(bad_tables_are_refused)
{
    make_folder();
    steep_error error = {""};
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_IO);
    ck_assert(contains(error.text, "fits.csv"));
    put("fits.csv", fits_header);
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_IO);
    ck_assert(contains(error.text, "slopes.csv"));
    put("slopes.csv", slopes_header);
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_BAD_INPUT);
    ck_assert(contains(error.text, "no fit"));
    put("fits.csv", "arch,activation,target,solver,params,rmse_test,rmse_train,floor\nmlp,relu,x,lm,4,1,1,1\n");
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_BAD_INPUT);
    ck_assert(contains(error.text, "\"width\""));
    put("residuals.csv", "x,y,network,residual\n0,0,0,0\n");
    ck_assert_int_eq(steep_figure_fit(folder, NULL, &error), STEEP_BAD_INPUT);
    put("residuals.csv", "x,y,network,residual\n0,0,0,0\n1,0,nan,nan\n");
    ck_assert_int_eq(steep_figure_fit(folder, NULL, &error), STEEP_BAD_INPUT);
    put("residuals.csv", "x,y,network,residual\n1,0,0,0\n1,0,0,0\n");
    ck_assert_int_eq(steep_figure_fit(folder, NULL, &error), STEEP_BAD_INPUT);
    ck_assert(contains(error.text, "ascend"));
    put("residuals.csv", "x,y,network,residual\n0,0,0,0\n1,0,0,0\n");
    put("units.csv", "t,unit\n0,0\n1,0\n");
    ck_assert_int_eq(steep_figure_fit(folder, NULL, &error), STEEP_BAD_INPUT);
    ck_assert(contains(error.text, "\"x\""));
    ck_assert_uint_eq(length("fit.gp") + length("slopes.gp"), 0);
    remove_folder();
}
END_TEST

START_TEST(gnuplot_missing)
{
    make_folder();
    write_run("runge3");
    setenv("PATH", "/nonexistent", 1);
    steep_error error = {""};
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_IO);
    ck_assert_msg(contains(error.text, "gnuplot-nox") && contains(error.text, "slopes.gp"), "%s", error.text);
    ck_assert_uint_gt(length("slopes.gp"), 1000);
    ck_assert_uint_gt(length("fits.csv"), 1000);
    remove_folder();
}
END_TEST

START_TEST(gnuplot_failing)
{
    make_folder();
    write_run("runge3");
    steep_error error = {""};
    put("gnuplot", "#!/bin/sh\necho 'no such\nterminal' >&2\nexit 3\n");
    ck_assert_int_eq(chmod(inside("gnuplot"), 0700), 0);
    setenv("PATH", folder, 1);
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_IO);
    ck_assert_msg(contains(error.text, "exit status 3") && contains(error.text, "no such terminal"), "%s", error.text);
    put("gnuplot", "#!/bin/sh\nkill -9 $$\n");
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, &error), STEEP_IO);
    ck_assert_msg(contains(error.text, "signal 9"), "%s", error.text);
    remove_folder();
}
END_TEST

/* A script of one's own: the style before it, run in the folder; its errors come back. */
START_TEST(own_scripts)
{
    make_folder();
    put("own.in", "set terminal svg; set output 'own.svg'; plot sin(x) linetype 3\n");
    steep_error error = {""};
    char path[128];
    snprintf(path, sizeof path, "%s", inside("own.in"));
    ck_assert_msg(steep_figure_script(folder, "own", path, &error) == STEEP_OK, "%s", error.text);
    ck_assert(contains(get(inside("own.svg")), "</svg>"));
    ck_assert(strncmp(get(inside("own.gp")), steep_figure_style(), strlen(steep_figure_style())) == 0);
    put("own.in", "plot 'nothing.csv'\n");
    ck_assert_int_eq(steep_figure_script(folder, "own", path, &error), STEEP_IO);
    ck_assert_msg(contains(error.text, "nothing.csv"), "%s", error.text);
    ck_assert_int_eq(steep_figure_script(folder, "own", "/nonexistent/own.gp", &error), STEEP_IO);
    ck_assert(contains(error.text, "/nonexistent/own.gp"));
    remove_folder();
}
END_TEST

STEEP_TEST_MAIN("figure", style_is_the_file, slopes_are_drawn, theory_with_its_constant_and_without,
                pictures_do_not_change_between_runs, odd_names_and_rows, a_narrow_interval_has_three_decimals,
                fit_is_drawn, bad_tables_are_refused, gnuplot_missing, gnuplot_failing, own_scripts)
