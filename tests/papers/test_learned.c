/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learned: rows with coefficients per unit against their shared ones. */
#include "chance.h"
#include "harness.h"
#include "model/network.h"

enum { MOST = STEEP_MAX_INPUTS };

static void draw(steep_random *random, size_t count, double *a)
{
    for (size_t j = 0; j < count; j++) a[j] = steep_random_normal(random);
}

/* Copies the start (a_0, ..) of a row, shared or per unit. Returns the number of coefficients. */
static size_t start_of(const char *name, size_t degree, double *a)
{
    const steep_architecture *row = steep_architecture_find(name, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_counts counts;
    double own[MOST] = {0}, shared[MOST] = {0};
    choice.degree = (int)degree;
    row->counts(&choice, &counts);
    row->start(&choice, own, shared);
    memcpy(a, counts.scalars > 0 ? own : shared, sizeof own);
    return counts.scalars + counts.shared_scalars;
}

/* A row X-own is row X with coefficients per unit: the same unit, scalars in place of shared ones, the same start. */
START_RANDOM_TEST(own_rows_are_their_shared_rows, 26)
{
    size_t pairs = 0;
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *own = steep_architecture_table(i);
        const size_t length = strlen(own->name);
        char name[40];
        if (length < 5 || strcmp(own->name + length - 4, "-own") != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)length - 4, own->name);
        const steep_architecture *shared = steep_architecture_find(name, NULL, 0);
        ck_assert_msg(shared, "%s: no row %s", own->name, name);
        ck_assert(own->uses_degree == shared->uses_degree);
        for (int degree = 1; degree <= (own->uses_degree ? 8 : 1); degree++) {
            steep_choice choice = steep_choice_default(own);
            steep_counts a = {0}, b = {0};
            double starts[2][MOST] = {{0}}, u[STEEP_MAX_INPUTS], h[2], g[2][STEEP_MAX_INPUTS];
            choice.degree = degree;
            own->counts(&choice, &a);
            shared->counts(&choice, &b);
            ck_assert(a.scalars == b.shared_scalars && a.shared_scalars == 0 && b.scalars == 0);
            ck_assert(a.branches == b.branches && steep_counts_inputs(&a) == steep_counts_inputs(&b));
            ck_assert_uint_eq(start_of(own->name, (size_t)degree, starts[0]),
                              start_of(name, (size_t)degree, starts[1]));
            ck_assert(memcmp(starts[0], starts[1], sizeof starts[0]) == 0);
            draw(&random, steep_counts_inputs(&a), u);
            steep_architecture_unit(own, &choice, u, 1, h, g[0], NULL);
            steep_architecture_unit(shared, &choice, u, 1, h + 1, g[1], NULL);
            ck_assert(h[0] == h[1] && memcmp(g[0], g[1], steep_counts_inputs(&a) * sizeof **g) == 0);
        }
        pairs++;
    }
    ck_assert_uint_eq(pairs, 7);
}

/* At its kink prelu has the derivatives of the right side; elsewhere test_check compares it with its formula. */
START_TEST(prelu_is_open_at_0)
{
    const steep_architecture *row = steep_architecture_find("prelu", NULL, 0);
    const steep_choice choice = steep_choice_default(row);
    double h, g[2], H[3];
    steep_architecture_unit(row, &choice, (double[]){0, 0.3}, 2, &h, g, H);
    ck_assert(h == 0 && g[0] == 1 && g[1] == 0 && H[0] == 0 && H[1] == 0 && H[2] == 0);
}
