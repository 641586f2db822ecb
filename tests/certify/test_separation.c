/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure of a separation; tables that cannot be drawn. */
#include "certify/command_figure.h"
#include "pictures.h"

static steep_status separation_of_folder(void)
{
    return steep_figure_separation(folder, NULL, &error);
}

enum { SEPARATED = 5 };
static const char separation_header[] =
    "witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,"
    "certified_high,restarts,hits,status,seconds\n";

/* Writes widths 1 .. rows; E[3 i ..]: E0, E1, W. A missing bound or certificate is nan, as the program writes it. */
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

/* Checks that each series is where its column says, with widths at equal distances and one logarithmic axis, found from
 * the first two marks of W. The mark of the key is the last one. Places are printed to a hundredth. */
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

START_RANDOM_TEST(separations_are_drawn, 1)
{
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

/* The title names witness, class and lambda; formulas are typeset as elsewhere. */
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

/* Separations of one width are drawn, and of a class that has the witness: 0 has no place on a logarithmic axis. */
START_TEST(separations_of_one_width_and_of_0_are_drawn)
{
    static const double E[][9] = {{0.1, 0.4, 0.5}, {0, 0, 0}, {0.1, 0.4, 0.5, 0, 0.3, 0.3, 0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        write_separation(E[i % 3], i == 2 ? 3 : 1, i == 2, i > 1);
        check_says(separation_of_folder(), STEEP_OK, "");
    }
}

START_TEST(bad_separations_are_refused)
{
#define SEPARATION "witness,class,width,E0,E1,W,bound,certified_low,lambda\n"
    make_folder();
    check_says(separation_of_folder(), STEEP_IO, ""); /* nothing is there */
    put("separation.csv", SEPARATION);
    check_says(separation_of_folder(), STEEP_BAD_INPUT, "no rows");
    put("separation.csv", SEPARATION "a,relu,1,1,one,2,1,1,1\n");
    check_says(separation_of_folder(), STEEP_BAD_INPUT, "line 2");
    ck_assert_uint_eq(length("separation.gp"), 0);
}
