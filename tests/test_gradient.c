/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gradient: the gradient cosine against the Jacobian, the second route; weights, masks, zeros, NaN. */
#include "chance.h"
#include "fitting.h"
#include "model/written.h"

/* max_p |J_p . r| / (|J_p| |r|). */
static double by_jacobian(const fitting *f, const unsigned char *active)
{
    const size_t N = f->samples.count, P = f->network.parameters;
    SCOPED(release_memory) double *J = malloc(N * (P + 1) * sizeof *J);
    double *r = J + N * P, worst = 0, rr = 0;
    ck_assert_int_eq(steep_network_jacobian(&f->network, f->theta, N, f->samples.x, r, J, N), STEEP_OK);
    for (size_t k = 0; k < N; k++) r[k] -= f->samples.y[k], rr += steep_sample_weight(&f->samples, k) * r[k] * r[k];
    for (size_t p = 0; p < P; p++) {
        double jj = 0, jr = 0;
        for (size_t k = 0; k < N; k++) {
            const double j = steep_sample_weight(&f->samples, k) * J[k + p * N];
            jj += j * J[k + p * N];
            jr += j * r[k];
        }
        if (jj > 0 && (!active || active[p])) worst = fmax(worst, fabs(jr) / sqrt(jj * rr));
    }
    return worst;
}

START_RANDOM_TEST(agrees_with_the_jacobian, 1)
{
    static const struct {
        const char *target, *architecture;
        int activation;
        size_t width;
    } rows[] = {{"runge3", "mlp", STEEP_TANH, 5},   {"runge3", "glu", STEEP_GELU, 4},
                {"sin4sin4", "mlp", STEEP_SILU, 5}, {"sin4sin4", "glu", STEEP_SOFTPLUS, 3},
                {"sin4sin4", "blend", -1, 3},       {"sin4sin4", "hermite", -1, 3},
                {"runge3", "polynorm", -1, 3},      {"runge3", "la", STEEP_TANH, 3}};
    double weight[200], sum = 0;
    chance_fill(&random, 0.1, 3, 200, weight);
    for (size_t k = 0; k < 200; k++) sum += weight[k];
    for (size_t k = 0; k < 200; k++) weight[k] /= sum;
    for (size_t c = 0; c < 3 * sizeof rows / sizeof *rows; c++) {
        const size_t i = c / 3;
        FITTING(f, rows[i].target, 200, rows[i].architecture, rows[i].activation, rows[i].width, STEEP_START_RANDOM,
                c % 3);
        f.samples.weight = c % 3 ? weight : NULL;
        const double direct = cosine_of(&f.problem, f.theta, NULL), other = by_jacobian(&f, NULL);
        ck_assert_msg(fabs(direct - other) <= 1e-12, "%s on %s: %.17g, by the Jacobian %.17g", rows[i].architecture,
                      rows[i].target, direct, other);
        ck_assert(direct > 1e-3 && direct <= 1 + 1e-12);
        f.samples.weight = NULL;
    }
}

START_TEST(a_mask_leaves_out)
{
    FITTING(f, "runge3", 300, "glu", STEEP_TANH, 4, STEEP_START_RANDOM, 1);
    double all = cosine_of(&f.problem, f.theta, NULL), largest = 0;
    for (size_t p = 0; p < f.network.parameters; p++) {
        memset(f.solve.active, 0, f.network.parameters);
        f.solve.active[p] = 1;
        double one = cosine_of(&f.problem, f.theta, f.solve.active);
        check_close(one, by_jacobian(&f, f.solve.active), 1e-12);
        largest = fmax(largest, one);
    }
    ck_assert(largest == all);
    memset(f.solve.active, 0, f.network.parameters);
    ck_assert(cosine_of(&f.problem, f.theta, f.solve.active) == 0);
}

START_TEST(units_of_y_do_not_matter)
{
    FITTING(f, "runge3", 100, "mlp", STEEP_TANH, 3, STEEP_START_RANDOM, 2);
    const double by[] = {0x1p-400, 0x1p+800}, one = cosine_of(&f.problem, f.theta, NULL);
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 100; k++) f.samples.y[k] *= by[i];
        for (size_t p = f.network.output; p <= f.network.bias; p++) f.theta[p] *= by[i];
        check_close(cosine_of(&f.problem, f.theta, NULL), one, 100 * DBL_EPSILON);
    }
}

START_TEST(zeros_and_not_a_number)
{
    FITTING(f, "runge3", 100, "glu", -1, 4, STEEP_START_UNIFORM, 5);
    fitting_teach(&f);
    ck_assert(cosine_of(&f.problem, f.theta, NULL) == 0); /* r = 0 */
    f.samples.y[7] += 1;
    double *gate = f.theta + f.network.branch[0];
    gate[0] = 1, gate[1] = -9; /* closed everywhere: its columns are 0 */
    double cosine = cosine_of(&f.problem, f.theta, NULL);
    ck_assert(cosine > 0 && cosine <= 1);
    ck_assert(!rounding_of(&f.problem, f.theta, cosine, 0.1));
    ck_assert(rounding_of(&f.problem, f.theta, 1, 1e-17));
    ck_assert(!rounding_of(&f.problem, f.theta, NAN, 1e-17));
    f.samples.y[7] = NAN;
    ck_assert(isnan(cosine_of(&f.problem, f.theta, NULL)));
    f.samples.y[7] = 1;
    f.theta[f.network.bias] = 1e200; /* |r| overflows: the gradient / |r| would pass for 0 */
    ck_assert(isnan(cosine_of(&f.problem, f.theta, NULL)));
    f.theta[f.network.bias] = INFINITY;
    ck_assert(isnan(cosine_of(&f.problem, f.theta, NULL)));
}

/* The slope of a unit by formula is infinite at one point: columns of its gate are not finite, later ones are. */
START_TEST(one_column_that_is_not_finite_is_enough)
{
    SCOPED(fitting_close) fitting f;
    steep_written *unit;
    ck_assert_int_eq(steep_written_parse("sqrt(abs(z1))", &unit, NULL), STEEP_OK);
    fitting_open(&f, "runge3", 100, "mlp", -1, 2, STEEP_START_RANDOM, 5);
    const steep_choice choice = steep_choice_default(&unit->row);
    ck_assert_int_eq(steep_network_init(&f.network, &unit->row, &choice, 1, 2, NULL), STEEP_OK);
    double *gate = f.theta + f.network.branch[0];
    ck_assert(isfinite(cosine_of(&f.problem, f.theta, NULL)));
    gate[0] = 1, gate[1] = -f.samples.x[50];
    ck_assert(isfinite(fitting_rmse(&f)) && isnan(cosine_of(&f.problem, f.theta, NULL)));
    steep_written_free(unit);
}
