/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/unit.h"

#include "model/activation_jet.h"
#include "units.h"

/* The loops over a tile give the bits of the point function, for every size of tile and order. */
static void compare_tile(const steep_architecture *row, const steep_choice *choice, size_t count, int order,
                         steep_random *random)
{
    enum { PAIRS = STEEP_MAX_PAIRS };
    static double in[STEEP_MAX_INPUTS][STEEP_TILE], h[STEEP_TILE], g[STEEP_MAX_INPUTS][STEEP_TILE],
        H[PAIRS][STEEP_TILE], kept[STEEP_MAX_PREPARED][STEEP_TILE];
    const double *ins[STEEP_MAX_COLUMNS];
    double *gs[STEEP_MAX_INPUTS], *Hs[PAIRS], u[STEEP_MAX_INPUTS], one, one_g[STEEP_MAX_INPUTS], one_H[PAIRS];
    double *prepared[STEEP_MAX_PREPARED];
    steep_counts counts = {0};
    row->counts(choice, &counts);
    int m = (int)steep_counts_inputs(&counts), pairs = m * (m + 1) / 2;
    for (int i = 0; i < m; i++)
        for (size_t k = 0; k < count; k++)
            in[i][k] = k % 17 == 3 ? 0.0 : chance_within(random, i < m - (int)counts.moments ? -7.0 : 0.0, 7.0);
    for (int i = 0; i < STEEP_MAX_INPUTS; i++) ins[i] = in[i], gs[i] = g[i];
    for (int i = 0; i < PAIRS; i++) Hs[i] = H[i];
    for (size_t p = 0; p < counts.prepared; p++) ins[(size_t)m + p] = prepared[p] = kept[p];
    if (row->prepare) row->prepare(choice, count, ins, order, prepared);
    row->tile(choice, &(steep_tile){count, ins, order, h, gs, Hs});
    for (size_t k = 0; k < count; k += count < 50 ? 1 : 7) {
        for (int i = 0; i < m; i++) u[i] = in[i][k];
        steep_architecture_unit(row, choice, u, order, &one, one_g, one_H);
        ck_assert_msg(!memcmp(&one, &h[k], sizeof one), "%s, activation %d, order %d: tile %.17g, point %.17g",
                      row->name, choice->activation, order, h[k], one);
        for (int i = 0; order >= 1 && i < m; i++)
            ck_assert_msg(!memcmp(&one_g[i], &g[i][k], sizeof one), "%s: gradient", row->name);
        for (int i = 0; order >= 2 && i < pairs; i++)
            ck_assert_msg(!memcmp(&one_H[i], &H[i][k], sizeof one), "%s: Hessian", row->name);
    }
}

START_RANDOM_TEST(tiles_are_points, 1)
{
    static const size_t counts[] = {1, 3, 8, 31, 256};
    const steep_architecture *row;
    steep_choice choice;
    for (size_t c = 0; next_unit(&c, &row, &choice);)
        for (size_t trial = 0; row->tile && trial < chance_cases(1); trial++)
            for (int order = 0; order <= 2; order++)
                compare_tile(row, &choice, counts[(c + 3 * trial) % 5], order, &random);
}
