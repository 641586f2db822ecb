/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lp: linear programs by duality, also degenerate, infeasible and unbounded; the interior-point method and GLPK. */
#include "chance.h"
#include "harness.h"
#include "certify/minimax.h"
#include "../../proofs/lp.h"

static steep_error error;

enum { MOST_COLUMNS = 40, MOST_ROWS = 400 };

typedef struct lab {
    double A[MOST_ROWS * MOST_COLUMNS], b[MOST_ROWS], c[MOST_COLUMNS], low[MOST_COLUMNS], high[MOST_COLUMNS];
    double x[MOST_COLUMNS], y[MOST_ROWS];
    steep_lp lp;
} lab;
static lab l;

/* Draws rows that a point `inside` satisfies, some with equality; small integers if degenerate. */
static void draw(steep_random *random, size_t rows, size_t columns, bool degenerate)
{
    double inside[MOST_COLUMNS];
    l.lp = (steep_lp){rows, columns, l.A, l.b, l.c, l.low, l.high};
    for (size_t j = 0; j < columns; j++) {
        inside[j] = degenerate ? 0 : steep_random_normal(random);
        l.c[j] = degenerate ? (double)chance_below(random, 3) - 1 : steep_random_normal(random);
        l.low[j] = inside[j] - (double)(1 + chance_below(random, 3));
        l.high[j] = inside[j] + (double)(1 + chance_below(random, 3));
    }
    for (size_t i = 0; i < rows; i++) {
        l.b[i] = 0;
        for (size_t j = 0; j < columns; j++) {
            double a = degenerate ? (double)chance_below(random, 3) - 1 : steep_random_normal(random);
            l.A[i * columns + j] = a;
            l.b[i] += a * inside[j];
        }
        if (chance_below(random, 3) > 0) l.b[i] -= degenerate ? 1 : steep_random_uniform(random);
    }
}

static double violation(const double *x)
{
    double worst = 0;
    for (size_t i = 0; i < l.lp.rows; i++) {
        double sum = -l.b[i];
        for (size_t j = 0; j < l.lp.columns; j++) sum += l.A[i * l.lp.columns + j] * x[j];
        worst = fmax(worst, -sum);
    }
    for (size_t j = 0; j < l.lp.columns; j++) worst = fmax(worst, fmax(l.low[j] - x[j], x[j] - l.high[j]));
    return worst;
}

/* b . y + the box's part of the dual. */
static double dual_value(void)
{
    double value = 0;
    for (size_t i = 0; i < l.lp.rows; i++) value += l.b[i] * l.y[i];
    for (size_t j = 0; j < l.lp.columns; j++) {
        double reduced = l.c[j];
        for (size_t i = 0; i < l.lp.rows; i++) reduced -= l.A[i * l.lp.columns + j] * l.y[i];
        value += reduced > 0 ? reduced * l.low[j] : reduced * l.high[j];
    }
    return value;
}

/* The solution is feasible, with the dual's value: nothing is lower (weak duality). One program of 11 is large. */
START_RANDOM_TEST(duality, 2)
{
    for (size_t i = 0, cases = chance_cases(1100); i < cases; i++) {
        const bool large = i % 11 == 0;
        double value, sum = 0;
        draw(&random, chance_below(&random, large ? MOST_ROWS + 1 : 9),
             large ? 1 + chance_below(&random, MOST_COLUMNS) : 2, i % 2);
        ck_assert_int_eq(steep_lp_solve(&l.lp, l.x, l.y, &value, &error), STEEP_OK);
        for (size_t j = 0; j < l.lp.columns; j++) sum += l.c[j] * l.x[j];
        check_close(value, sum, 1e-12 * (1 + fabs(value)));
        ck_assert_double_le(violation(l.x), large ? 1e-7 : 1e-8);
        check_close(value, dual_value(), large ? 1e-7 * (1 + fabs(value)) : 1e-8);
        for (size_t r = 0; r < l.lp.rows; r++) ck_assert_double_ge(l.y[r], 0);
    }
}

/* Programs of minimax problems, min E0 + E1 subject to E_k >= r_i + g_i . x, |x_j| <= 1: the interior-point method
 * against the corner that GLPK finds. The least value is between the corner's dual value, and its value with E0 and E1
 * raised until x, put into the box, is feasible. Some have double rows or columns, columns of 0, small integers. */
START_RANDOM_TEST(programs, 3)
{
    static double work[200000];
    for (size_t i = 0, cases = chance_cases(300); i < cases; i++) {
        const size_t n = chance_below(&random, 12), columns = n + 2, rows = 2 + chance_below(&random, 200);
        const bool degenerate = chance_below(&random, 2) == 0;
        const double size = ldexp(1, -(int)chance_below(&random, 30));
        double most[2] = {0, 0}, x[MOST_COLUMNS], value = 0, corner;
        for (size_t r = 0; r < rows; r++) {
            const size_t kind = r < 2 ? r : chance_below(&random, 2);
            double *row = l.A + r * columns;
            memset(row, 0, columns * sizeof *row);
            for (size_t j = 0; j < n; j++)
                row[j] = degenerate ? (double)chance_below(&random, 3) - 1 : steep_random_normal(&random);
            if (degenerate && n > 2) row[1] = row[0], row[2] = 0;
            row[n + kind] = 1;
            l.b[r] = size * (degenerate ? (double)(1 + chance_below(&random, 2)) : steep_random_uniform(&random));
            if (r > 2 && chance_below(&random, 4) == 0) {
                memcpy(row, row - columns, columns * sizeof *row);
                l.b[r] = l.b[r - 1];
            }
            most[row[n + 1] > 0] = fmax(most[row[n + 1] > 0], l.b[r]);
        }
        const double now = most[0] + most[1];
        for (size_t j = 0; j < columns; j++) {
            l.c[j] = j >= n;
            l.low[j] = j < n ? -1 : -now;
            l.high[j] = j < n ? 1 : 10 * now;
            x[j] = j < n ? 0 : most[j - n] + 0.1 * now;
        }
        const steep_program program = {rows, columns, l.A, l.b, l.c, l.low, l.high};
        l.lp = (steep_lp){rows, columns, l.A, l.b, l.c, l.low, l.high};
        ck_assert_uint_le(steep_program_workspace(rows, columns), sizeof work / sizeof *work);
        const double least = steep_program_solve(&program, now, x, work);
        ck_assert_int_eq(steep_lp_solve(&l.lp, l.x, l.y, &corner, &error), STEEP_OK);
        corner += 2 * (1 + 5 * (double)n) * violation(l.x); /* |g| < 5 */
        for (size_t j = 0; j < columns; j++) value += l.c[j] * x[j];
        ck_assert_double_le(violation(x), 1e-12 * (1 + now));
        ck_assert_double_le(least, corner + 1e-9 * now);
        ck_assert_double_le(value - corner, 1.01e-3 * (now - dual_value()) + 1e-9 * now);
        x[0] = l.low[0];
        ck_assert(steep_program_solve(&program, now, x, work) == -INFINITY);
    }
}

/* Without a box: the rows alone bound the value. min x0 subject to x0 >= |x1 - 3|. */
START_TEST(unboxed)
{
    const double A[] = {1, 1, 1, -1}, b[] = {3, -3}, c[] = {1, 0}, low[] = {-INFINITY, -INFINITY},
                 high[] = {INFINITY, INFINITY};
    const steep_lp lp = {2, 2, A, b, c, low, high};
    double x[2], y[2], value;
    ck_assert_int_eq(steep_lp_solve(&lp, x, y, &value, &error), STEEP_OK);
    ck_assert_double_le(fabs(value), 1e-12);
    ck_assert_double_le(fabs(x[1] - 3), 1e-12);
    ck_assert_double_le(fabs(y[0] - 0.5) + fabs(y[1] - 0.5), 1e-12);
}

START_TEST(refusals)
{
    const double A[] = {1, -1}, contrary[] = {1, 1}, apart[] = {-1, -1}, c[] = {1}, low[] = {-INFINITY},
                 high[] = {INFINITY}, below[] = {-2}, nan[] = {NAN, 0};
    const struct {
        steep_lp lp;
        steep_status status;
        const char *says;
    } cases[] = {{{2, 1, A, contrary, c, low, high}, STEEP_SINGULAR, ""},
                 {{2, 1, A, contrary, c, below, high}, STEEP_SINGULAR, "no feasible point"},
                 {{1, 1, A + 1, apart, c, low, high}, STEEP_SINGULAR, ""},
                 {{2, 1, A, nan, c, low, high}, STEEP_BAD_INPUT, ""},
                 {{1, 1, A, apart, c, high, low}, STEEP_BAD_INPUT, ""}};
    double x[1], value;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_says(steep_lp_solve(&cases[i].lp, x, NULL, &value, &error), cases[i].status, cases[i].says);
}
