/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regression: eight regressions side by side against GSL's least squares, and to the bit against one alone. */
#include "slope/eight.h"

#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sf_gamma.h>

#include "base/inline.h"
#include "chance.h"
#include "harness.h"
#include "slope/law_search.h"

START_TEST(log_gamma_by_gsl)
{
    for (int k = 1; k < 400; k++) {
        const double truth = gsl_sf_lngamma(0.5 * k);
        check_close(steep_log_gamma_half(k), truth, 1e-14 * (k + fabs(truth)));
    }
}

enum { EXP, LOG, LOG1P, SQRT, SUM, FUNCTIONS };

/* Each function of x; the last of x and y. */
STEEP_CLONES static void eight_functions(const double *x, const double *y, double f[FUNCTIONS][STEEP_LANES])
{
    steep_lanes a[FUNCTIONS], w;
    for (int k = 0; k < FUNCTIONS; k++) memcpy(&a[k], x, sizeof *a);
    memcpy(&w, y, sizeof w);
    steep_eight_exp(&a[EXP]);
    steep_eight_log(&a[LOG]);
    steep_eight_log1p(&a[LOG1P]);
    steep_eight_sqrt(&a[SQRT]);
    steep_eight_add(&a[SUM], &w);
    memcpy(f, a, sizeof a);
}

static void check_bits(double found, double expected, const char *what)
{
    ck_assert_msg(steep_bits(found) == steep_bits(expected) || (isnan(found) && isnan(expected)), "%s: %a, not %a",
                  what, found, expected);
}

START_RANDOM_TEST(eight_functions_have_the_bits_of_one, 2)
{
    for (size_t again = chance_cases(2000); again > 0; again--) {
        double x[STEEP_LANES], y[STEEP_LANES], f[FUNCTIONS][STEEP_LANES];
        for (int l = 0; l < STEEP_LANES; l++) {
            x[l] = chance_within(&random, -1, 1) * pow(10, chance_within(&random, -20, 4));
            y[l] = x[l] + chance_within(&random, -40, 40);
            if (chance_below(&random, 9) == 0) x[l] = -INFINITY;
            if (chance_below(&random, 9) == 0) y[l] = -INFINITY;
            if (chance_below(&random, 9) == 0) x[l] = y[l];
        }
        eight_functions(x, y, f);
        for (int l = 0; l < STEEP_LANES; l++) {
            const double most = fmax(x[l], y[l]), sum = steep_exp(x[l] - most) + steep_exp(y[l] - most);
            check_bits(f[EXP][l], steep_exp(x[l]), "exp");
            check_bits(f[LOG][l], steep_log(x[l]), "log");
            check_bits(f[LOG1P][l], steep_log1p(x[l]), "log1p");
            check_bits(f[SQRT][l], sqrt(x[l]), "sqrt");
            check_bits(f[SUM][l], isinf(most) ? most : most + steep_log(sum), "sum");
        }
    }
}

enum { POINTS = 12 };

typedef double eight_rows[STEEP_REGRESSION_COLUMNS][STEEP_LANES];

STEEP_INLINE void regress_eight(size_t columns, const eight_rows *value, const double *weight,
                                steep_eight_regression *r)
{
    steep_eight_moments m = {.n = 0};
    for (size_t i = 0; i < POINTS; i++) {
        steep_lanes v[STEEP_REGRESSION_COLUMNS];
        memcpy(v, value[i], sizeof v);
        steep_eight_moments_add(&m, columns - 2, v, weight[i]);
    }
    steep_eight_regress(&m, columns - 2, r);
}

STEEP_CLONES static void eight_regressions(size_t columns, const eight_rows *value, const double *weight,
                                           steep_eight_regression *r)
{
    if (columns == 2) regress_eight(2, value, weight, r);
    else if (columns == 3) regress_eight(3, value, weight, r);
    else regress_eight(4, value, weight, r);
}

/* Second route for one lane: GSL's least squares by singular values, with a column of ones. */
static void check_by_gsl(size_t columns, const eight_rows *value, const double *weight, size_t l,
                         const steep_eight_regression *f)
{
    double X[POINTS * STEEP_REGRESSION_COLUMNS], y[POINTS], c[STEEP_REGRESSION_COLUMNS], rest,
        covariance[STEEP_REGRESSION_COLUMNS * STEEP_REGRESSION_COLUMNS];
    gsl_matrix_view X_view = gsl_matrix_view_array(X, POINTS, columns),
                    covariance_view = gsl_matrix_view_array(covariance, columns, columns);
    gsl_vector_view y_view = gsl_vector_view_array(y, POINTS), c_view = gsl_vector_view_array(c, columns);
    gsl_vector_const_view w_view = gsl_vector_const_view_array(weight, POINTS);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(POINTS, columns);
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < columns; j++) X[i * columns + j] = j + 1 < columns ? value[i][j][l] : 1;
        y[i] = value[i][columns - 1][l];
    }
    gsl_multifit_wlinear(&X_view.matrix, &w_view.vector, &y_view.vector, &c_view.vector, &covariance_view.matrix, &rest,
                         work); /* covariance of noise 1 */
    gsl_multifit_linear_free(work);
    const double tolerance = 1e-8, x = c[columns - 2];
    check_close(f->x[l], x, tolerance * (1 + fabs(x)));
    check_close(f->rest[l], rest, tolerance * (1 + rest));
    check_close(f->variance[l], covariance[(columns - 2) * (columns + 1)], tolerance);
    for (size_t j = 0; j + 2 < columns; j++) {
        check_close(f->z[j][l], c[j], tolerance * (1 + fabs(c[j])));
        check_close(f->z_variance[j][l], covariance[j * (columns + 1)], tolerance);
    }
}

/* Eight regressions against GSL; where columns depend on each other there is none. A lane has the bits of eight equal
 * lanes and, with one z, the bits of steep_regress. */
START_RANDOM_TEST(eight_regressions_as_gsl_has_them, 3)
{
    size_t refused = 0, done = 0;
    for (size_t again = chance_cases(100); again > 0; again--) {
        const size_t columns = 2 + chance_below(&random, 3), dependent = chance_below(&random, 2 * STEEP_LANES);
        double weight[POINTS];
        eight_rows value[POINTS] = {{{0}}}, equal[POINTS] = {{{0}}};
        steep_eight_regression f, alone;
        for (size_t i = 0; i < POINTS; i++) {
            weight[i] = (double)(1 + chance_below(&random, 3));
            for (size_t c = 0; c < columns; c++)
                for (size_t l = 0; l < STEEP_LANES; l++)
                    value[i][c][l] = l == dependent && c > 0 ? 3 * value[i][c - 1][l]
                                                             : steep_random_normal(&random) + (c == 0 ? 7 : 0);
        }
        eight_regressions(columns, (const eight_rows *)value, weight, &f);
        for (size_t l = 0; l < STEEP_LANES; l++) {
            const bool fine = columns < 3 || l != dependent;
            ck_assert_int_eq(f.fine[l] != 0, fine);
            done += fine, refused += !fine;
            if (!fine) continue;
            check_by_gsl(columns, (const eight_rows *)value, weight, l, &f);
            steep_eight_moments one = {.n = 0};
            steep_eight_regression r;
            for (size_t i = 0; i < POINTS; i++) {
                for (size_t c = 0; c < columns; c++)
                    for (size_t k = 0; k < STEEP_LANES; k++) equal[i][c][k] = value[i][c][l];
                steep_moments_add(&one, (const double[]){value[i][0][l], value[i][1][l], value[i][2][l]}, weight[i]);
            }
            eight_regressions(columns, (const eight_rows *)equal, weight, &alone);
            check_bits(f.x[l], alone.x[0], "x");
            check_bits(f.rest[l], alone.rest[0], "rest");
            check_bits(f.variance[l], alone.variance[0], "variance");
            check_bits(f.determinant[l], alone.determinant[0], "determinant");
            if (columns != 3) continue;
            ck_assert(steep_regress(&one, &r));
            check_bits(r.z[0][0], f.z[0][l], "z");
            check_bits(r.rest[0], f.rest[l], "rest alone");
            check_bits(r.determinant[0], f.determinant[l], "determinant alone");
        }
    }
    ck_assert_uint_gt(refused, 0);
    ck_assert_uint_gt(done, refused);
}

/* One fit of a law that levels off, point by point as levels.c does it. */
static bool level_alone(const steep_law_points *p, size_t begin, double rho, double r, double log_e, double fit[5])
{
    const size_t middle = (begin + p->count) / 2;
    double end[2], h[3];
    for (int k = 0; k < 2; k++) {
        const double v = p->v[k ? middle : begin];
        end[k] = v + steep_log(fmax(1 - steep_exp(r * (log_e - v)), 0.05)) / r;
    }
    double b = fmin((end[1] - end[0]) / (p->u[middle] - p->u[begin]), -0.01), a = end[0] - b * p->u[begin];
    for (int step = 0; step <= 4; step++) {
        double g[2] = {0, 0}, rest = 0, behind[3] = {0, 0, 0};
        h[0] = h[1] = h[2] = 0;
        for (size_t i = begin; i < p->count; i++) {
            const double u = p->u[i], w = a + b * u, t = r * (log_e - w), ratio = steep_exp(fmin(t, 700));
            const double share = t > 700 ? 0 : 1 / (1 + ratio), along = i > begin ? rho : 0;
            const double weight = p->weight[i] * (i > begin ? 1 : 1 - rho * rho);
            const double own[3] = {p->v[i] - (t > 30 ? log_e : w + steep_log(1 + ratio) / r), share, share * u};
            double d[3];
            for (int k = 0; k < 3; k++) d[k] = own[k] - along * behind[k], behind[k] = own[k];
            rest += weight * d[0] * d[0];
            g[0] += weight * d[1] * d[0], g[1] += weight * d[2] * d[0];
            h[0] += weight * d[1] * d[1], h[1] += weight * d[1] * d[2], h[2] += weight * d[2] * d[2];
        }
        const double determinant = h[0] * h[2] - h[1] * h[1];
        memcpy(fit, (const double[]){a, b, rest, determinant, h[0]}, 5 * sizeof *fit);
        if (!(determinant > 1e-8 * h[0] * h[2])) return false;
        a += (h[2] * g[0] - h[1] * g[1]) / determinant;
        b += (h[0] * g[1] - h[1] * g[0]) / determinant;
    }
    return true;
}

START_RANDOM_TEST(eight_levels_have_the_bits_of_one, 4)
{
    size_t fine = 0, not = 0;
    for (size_t again = chance_cases(300); again > 0; again--) {
        double u[POINTS], v[POINTS], weight[POINTS];
        const steep_law_points points = {.count = POINTS, .u = u, .v = v, .weight = weight};
        const double slope = chance_within(&random, -6, 0), level = chance_within(&random, -20, 0);
        for (int i = 0; i < POINTS; i++) {
            u[i] = 0.3 * i;
            v[i] = log(exp(slope * u[i]) + exp(level)) + 0.1 * steep_random_normal(&random);
            weight[i] = (double)(1 + chance_below(&random, 2));
        }
        steep_levels f = {.r = 1 + (double)chance_below(&random, 2),
                          .rho = chance_below(&random, 2) ? chance_within(&random, 0, 0.95) : 0};
        for (int l = 0; l < STEEP_LANES; l++) {
            f.log_e[l] = v[POINTS - 1] + chance_within(&random, -8, chance_below(&random, 4) ? 0.2 : 60);
            f.begin[l] = chance_below(&random, POINTS - 4);
        }
        steep_levels_fit(&points, &f);
        for (int l = 0; l < STEEP_LANES; l++) {
            double fit[5];
            const bool alone = level_alone(&points, f.begin[l], f.rho, f.r, f.log_e[l], fit);
            fine += alone, not += !alone;
            ck_assert(alone || isnan(f.rest[l]));
            if (!alone) continue;
            check_bits(f.a[l], fit[0], "a");
            check_bits(f.b[l], fit[1], "b");
            check_bits(f.rest[l], fit[2], "rest");
            check_bits(f.determinant[l], fit[3], "determinant");
            check_bits(f.shares[l], fit[4], "shares");
        }
    }
    ck_assert_uint_gt(fine, 0);
    ck_assert_uint_gt(not, 0);
}
