/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loss: F and its gradient against values and the Jacobian, summed in long double, for every row, in double and in
 * float32; the same bits with threads. */
#include "opened.h"
#include "units.h"

typedef struct loss_case {
    steep_network network;
    steep_samples points;
    double *theta, *gradient, *other, *J, *y;
    size_t P, N;
    steep_team *team;
} loss_case;

static loss_case draw(steep_random *random, const steep_architecture *row)
{
    loss_case c = {.N = 1 + chance_below(random, 1500), .team = steep_team_open(3)};
    const size_t dim = 1 + chance_below(random, 3);
    steep_choice choice = steep_choice_default(row), other;
    if (next_choice(row, chance_below(random, 8), &other)) choice = other;
    const size_t width = 1 + chance_below(random, 16);
    choice.depth = 1 + chance_below(random, 2); /* a unit with a norm has one layer */
    if (steep_network_init(&c.network, row, &choice, dim, width, NULL) != STEEP_OK) choice.depth = 1;
    c.network = layout_of(row, &choice, dim, width);
    c.P = c.network.parameters;
    ck_assert_int_eq(steep_samples_allocate(c.N, dim, chance_below(random, 2), &c.points, NULL), STEEP_OK);
    for (size_t k = 0; k < c.N * dim; k++) c.points.x[k] = (double)(float)chance_within(random, -1, 1);
    for (size_t k = 0; k < c.N; k++) c.points.y[k] = (double)(float)chance_within(random, -1, 1);
    for (size_t k = 0; c.points.weight && k < c.N; k++) c.points.weight[k] = chance_within(random, 0, 2) / (double)c.N;
    c.theta = malloc((3 * c.P + c.N * (c.P + 1)) * sizeof *c.theta);
    ck_assert(c.theta != NULL);
    c.gradient = c.theta + c.P;
    c.other = c.gradient + c.P;
    c.y = c.other + c.P;
    c.J = c.y + c.N;
    for (size_t j = 0; j < dim; j++) c.points.low[j] = -1, c.points.high[j] = 1;
    start_of(&c.network, &c.points, STEEP_START_RANDOM, chance_below(random, 1000), c.theta);
    for (size_t p = 0; p < c.P; p++) c.theta[p] = (double)(float)c.theta[p];
    return c;
}

static void release_case(loss_case *c)
{
    free(c->theta);
    steep_team_close(c->team);
    steep_samples_free(&c->points);
}

/* |gradient_p - sum| <= c eps sum |terms|: eps of the arithmetic. */
static void check(const loss_case *c, bool single, double eps)
{
    double loss = NAN, alone = NAN, shared = NAN;
    steep_square_loss of = {&c->network, &c->points, single, c->team};
    ck_assert_int_eq(steep_network_loss(&of, c->theta, &shared, c->other), STEEP_OK);
    of.team = NULL;
    ck_assert_int_eq(steep_network_loss(&of, c->theta, &loss, c->gradient), STEEP_OK);
    ck_assert_int_eq(steep_network_loss(&of, c->theta, &alone, NULL), STEEP_OK);
    ck_assert(loss == alone && loss == shared);
    for (size_t p = 0; p < c->P; p++) ck_assert(c->gradient[p] == c->other[p]);
    long double sum = 0;
    double size = 0; /* size of a value's terms: rounding of y is relative to it */
    for (size_t k = 0; k < c->N; k++) size = fmax(size, 1 + fabs(c->y[k]));
    for (size_t i = 0; i < c->network.width; i++) size += fabs(c->theta[c->network.output + i]);
    for (size_t k = 0; k < c->N; k++) {
        const long double r = (long double)c->y[k] - c->points.y[k];
        sum += (c->points.weight ? c->points.weight[k] : 1 / (long double)c->N) * r * r;
    }
    const double n = (double)(c->N + c->network.width + 8);
    ck_assert_msg(fabs(loss - (double)sum) <= 4 * n * eps * size * size, "%s: F %.17g, %.17g",
                  c->network.architecture->name, loss, (double)sum);
    for (size_t p = 0; p < c->P; p++) {
        long double g = 0, terms = 0;
        for (size_t k = 0; k < c->N; k++) {
            const long double w = c->points.weight ? c->points.weight[k] : 1 / (long double)c->N,
                              j = c->J[k + p * c->N], r = (long double)c->y[k] - c->points.y[k];
            g += 2 * w * r * j;
            terms += 2 * w * (fabsl(r) + size) * fabsl(j);
        }
        ck_assert_msg(fabsl(c->gradient[p] - g) <= 4 * n * eps * terms + eps * size * size,
                      "%s, width %zu, N %zu, parameter %zu: %.17g, %.17g", c->network.architecture->name,
                      c->network.width, c->N, p, c->gradient[p], (double)g);
    }
}

START_RANDOM_TEST(it_agrees_with_values_and_jacobian, 1)
{
    for (size_t i = 0; steep_architecture_table(i); i++)
        for (size_t times = 0; times < chance_cases(4); times++) {
            SCOPED(release_case) loss_case c = draw(&random, steep_architecture_table(i));
            ck_assert_int_eq(steep_network_jacobian(&c.network, c.theta, c.N, c.points.x, c.y, c.J, c.N), STEEP_OK);
            check(&c, false, DBL_EPSILON);
            check(&c, true, FLT_EPSILON);
        }
}

/* In float32 a gradient has numbers of float32. A NaN among the parameters comes through. */
START_RANDOM_TEST(what_is_not_finite_comes_through, 2)
{
    SCOPED(release_case) loss_case c = draw(&random, steep_architecture_find("glu", NULL, 0));
    double loss, other;
    steep_square_loss of = {&c.network, &c.points, true, NULL};
    ck_assert_int_eq(steep_network_loss(&of, c.theta, &loss, c.gradient), STEEP_OK);
    for (size_t p = 0; p < c.P; p++) ck_assert(c.gradient[p] == (double)(float)c.gradient[p]);
    c.theta[c.network.bias] = NAN;
    of.single = false;
    ck_assert_int_eq(steep_network_loss(&of, c.theta, &other, c.gradient), STEEP_OK);
    ck_assert(isfinite(loss) && isnan(other) && isnan(c.gradient[c.network.bias]));
}
