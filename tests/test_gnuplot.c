/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot: files of every terminal, a gnuplot that fails, hangs or draws a part, scripts of one's own. */
#define _GNU_SOURCE /* memmem */
#include "experiment.h"

#include "base/clock.h"
#include "pictures.h"

START_TEST(every_terminal_has_its_files_and_size)
{
    write_run("runge3");
    draw_script(&(steep_figure_options){.width = 8.5, .name = "column.1", .terminal = "svg,pdf,tikz,cairolatex"});
    static const char *const made[] = {".gp", ".svg", ".pdf", "-tikz.tex", "-cairolatex.tex", "-cairolatex.pdf"};
    for (int i = 0; i < 6; i++) {
        char name[40];
        snprintf(name, sizeof name, "column.1%s", made[i]);
        ck_assert_msg(length(name) > 1000, "no %s", name);
    }
    ck_assert_uint_eq(length("column.1.png") + length("slopes.svg"), 0);
    const char *svg = get("column.1.svg");
    HAS(svg, "width=\"321\"" /* 8.5 cm at 96 to the inch */, "font-size=\"11.33\"");
    check_texts("column.1.svg");
    const char *box = memmem(get("column.1.pdf"), length("column.1.pdf"), "MediaBox [ 0 0 ", 15);
    ck_assert_ptr_nonnull(box);
    check_close(strtod(box + 15, NULL), 8.5 / 2.54 * 72, 1);
    const char *tex = get("column.1-tikz.tex");
    HAS(tex, "rectangle (8.5", "$10^{-2}$", "$-$2.00 $\\pm$ 0.01", "width $n$");
    ck_assert(!contains(tex, "Italic") && !contains(tex, "−"));
    HAS(get("column.1-cairolatex.tex"), "column.1-cairolatex", "$10^{-2}$", "parameters $P$");
    HAS(draw(&(steep_figure_options){.against = 'P'}), "array against[1] = [1]", "panels = 1;");
}

/* A gnuplot that is missing, fails, or draws nothing or only a part is an error; older pictures stay. */
START_TEST(a_gnuplot_that_fails_is_told)
{
    static const struct {
        const char *script, *says, *another, *terminal;
    } cases[] = {
        {NULL, "gnuplot-nox", "slopes.gp", NULL},
        {"echo 'no such\nterminal' >&2; exit 3", "exit status 3", "no such terminal", NULL},
        {"kill -9 $$", "signal 9", "", NULL},
        {"exit 0", "drew nothing", "slopes.svg", NULL},
        {SVG PDF ": >slopes.png", "slopes.png is empty", "", NULL},
        {SVG PNG, "no ", "slopes.pdf", NULL},
        {SVG PNG, "a part of it only", "it said nothing", NULL},
        {"echo 'no fonts in /größe' >&2", "drew nothing", "it said: no fonts in /größe", NULL}, /* perhaps the reason */
        {SVG, "slopes-tikz.tex", "", "svg,tikz"},
        {"for e in svg pdf png; do mkdir slopes.$e; done", "slopes.svg is no file", "", NULL}};
    const size_t count = sizeof cases / sizeof *cases;
    write_run("runge3");
    put("slopes.svg", "old\n");
    for (size_t i = 0; i < count; i++) {
        if (cases[i].script) fake_gnuplot(cases[i].script);
        else setenv("PATH", "/nonexistent", 1);
        refused(&(steep_figure_options){.terminal = cases[i].terminal}, STEEP_IO, cases[i].says, cases[i].another);
        ck_assert(length("slopes.gp") > 1000 && (i + 1 == count || length("slopes.svg") == 4));
    }
    ck_assert(rmdir(inside("slopes.svg")) == 0 && rmdir(inside("slopes.pdf")) == 0 && rmdir(inside("slopes.png")) == 0);
    /* A link at the picture's name is not followed. */
    put("victim", "mine\n");
    ck_assert_int_eq(symlink("victim", inside("slopes.svg")), 0);
    fake_gnuplot(SVG PDF PNG);
    draw_script(NULL);
    ck_assert_uint_eq(length("victim"), 5);
}

/* A gnuplot that hangs is ended with its children when its time is over, also if it closed its stderr or ignores
 * signals. A request to stop ends it, too. */
START_TEST(a_gnuplot_that_hangs_is_ended)
{
    static const char *const hangs[] = {"sleep 40\n", "exec 2>&-\nsleep 40 & sleep 40\n",
                                        "trap '' TERM INT HUP\necho half >slopes.svg\nsleep 40\n"};
    write_run("runge3");
    for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++) {
        volatile int stop = 0;
        steep_figure_limits limits = {&stop, 0.3};
        fake_gnuplot(hangs[i]);
        double begin = steep_clock_seconds();
        check_says(steep_figure_slopes(folder, NULL, &limits, &error), STEEP_IO, "0.3 s");
        ck_assert_msg(contains(error.text, "slopes.gp"), "%s", error.text);
        ck_assert(steep_clock_seconds() - begin < 20);
        ck_assert_uint_eq(length("slopes.svg"), 0); /* no picture that is half drawn either */
        stop = 1;
        limits.seconds = 0;
        ck_assert_int_eq(steep_figure_slopes(folder, NULL, &limits, &error), STEEP_STOPPED);
        ck_assert(steep_clock_seconds() - begin < 20);
    }
}

/* A picture that is cut short, as by a full disk of which gnuplot says nothing, is an error in every format; older
 * pictures stay. */
START_TEST(torn_pictures_are_no_pictures)
{
    static const char *const made[] = {"slopes.svg", "slopes-cairolatex.tex", "slopes.pdf", "slopes-cairolatex.pdf",
                                       "slopes.png", "slopes-tikz.tex"};
    static const double left[] = {0, 0.001, 0.3, 0.9, 0.99};
    const steep_figure_options all = {.terminal = "svg,pdf,png,cairolatex,tikz"};
    write_run("runge3");
    fake_gnuplot("/usr/bin/gnuplot \"$@\" && mkdir whole && cp slopes*.??? whole");
    draw(&all);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
            char fake[120];
            const size_t whole = length(made[i]), size = (size_t)(left[k] * (double)whole);
            snprintf(fake, sizeof fake, "cp whole/* . && truncate -s %zu %s\n", size, made[i]);
            fake_gnuplot(fake);
            refused(&all, STEEP_IO, made[i], size > 0 ? "cut short" : "empty");
            ck_assert(whole > 0 && length(made[i]) == whole);
        }
}

/* A script of the user runs in the folder, behind the common style; its errors are reported. */
START_TEST(own_scripts_run_in_the_folder)
{
    put("own.in", "set terminal svg; set output 'own.svg'; plot sin(x) linetype 3\n");
    char path[192];
    snprintf(path, sizeof path, "%s", inside("own.in"));
    check_says(experiment_script(folder, "own", path, &error), STEEP_OK, "");
    ck_assert(contains(get("own.svg"), "</svg>"));
    ck_assert(strncmp(get("own.gp"), steep_script_style, strlen(steep_script_style)) == 0);
    put("own.in", "plot 'nothing.csv'\n");
    check_says(experiment_script(folder, "own", path, &error), STEEP_IO, "nothing.csv");
    check_says(experiment_script(folder, "own", "/nonexistent/own.gp", &error), STEEP_IO, "/nonexistent/own.gp");
}
