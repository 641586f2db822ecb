/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixture: softmax with large arguments, and the default dictionaries. (test_check: units against their formulas.) */
#include "units.h"

/* Only differences between softmax gates matter: adding or subtracting 512, exactly, changes no bit. */
START_RANDOM_TEST(softmax_knows_differences_alone, 1)
{
    size_t rows = 0;
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice = steep_choice_default(row);
        steep_counts counts = {0};
        double u[STEEP_MAX_INPUTS], v[STEEP_MAX_INPUTS], h[3];
        if (!row->uses_gate) continue;
        choice.gate = STEEP_SOFTMAX;
        row->counts(&choice, &counts);
        for (size_t j = 0; j < steep_counts_inputs(&counts); j++) u[j] = (double)chance_below(&random, 64) / 16 - 2;
        for (int k = 0; k < 3; k++) {
            for (size_t j = 0; j < steep_counts_inputs(&counts); j++)
                v[j] = u[j] + (j < counts.branches ? 0 : 512 * (k - 1));
            steep_architecture_unit(row, &choice, v, 0, &h[k], NULL, NULL);
        }
        ck_assert_msg(isfinite(h[1]) && h[0] == h[1] && h[2] == h[1], "%s: %g %g %g", row->name, h[0], h[1], h[2]);
        rows++;
    }
    ck_assert_uint_eq(rows, 4);
}

/* Default dictionaries: K_F for one branch, K_G for two, in the order of section 4 of the paper. */
START_TEST(default_dictionaries)
{
    for (size_t i = 0; steep_architecture_table(i); i++) {
        const steep_architecture *row = steep_architecture_table(i);
        steep_choice choice = steep_choice_default(row);
        char letters[DICTIONARY_TEXT + 8];
        steep_choice_dictionary(&choice, letters, sizeof letters);
        bool one = strcmp(row->name, "la") == 0 || strcmp(row->name, "moa") == 0;
        if (row->uses_dictionary) ck_assert_str_eq(letters, one ? "rr2lgst" : "irr2lgst");
    }
}
