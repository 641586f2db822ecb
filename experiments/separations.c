/* SPDX-License-Identifier: GPL-3.0-or-later */
/* separations: the witnesses of "Mixture of activations" (theorems 4.1 and 4.2) against the width: what networks of one
 * activation (or one pair), linear mixtures and token-adaptive ones miss of them, in W^{1,inf} beside what is proved,
 * and in RMSE.
 *
 *   la_type1   x_+ + x_+^2                  one activation beside la
 *   moa_type1  tanh(x) y_+                  one activation and la beside moa
 *   la_type2   y_+ (x_+ + tanh x)           one pair beside qd-la
 *   moa_type2  y_+ x_+ tanh x               pairs and qd-la beside qd-moa
 *
 * W is what a search finds (experiments/separated.h), "W at most" the upper end of its enclosure. */
#include "separated.h"

static const struct {
    const char *witness, *class;
    size_t widths;
} table[] = {
    {"la_type1", "relu", 10},       {"la_type1", "leaky_relu", 5},  {"la_type1", "relu2", 3},
    {"la_type1", "gelu", 2},        {"la_type1", "silu", 2},        {"la_type1", "tanh", 2},
    {"la_type1", "la", 1},          {"la_type1", "moa", 1},         {"moa_type1", "relu", 3},
    {"moa_type1", "leaky_relu", 2}, {"moa_type1", "relu2", 4},      {"moa_type1", "gelu", 2},
    {"moa_type1", "silu", 2},       {"moa_type1", "tanh", 2},       {"moa_type1", "la", 2},
    {"moa_type1", "moa", 1},        {"la_type2", "relu*id", 2},     {"la_type2", "relu*relu", 2},
    {"la_type2", "relu*relu2", 2},  {"la_type2", "relu*tanh", 2},   {"la_type2", "silu*id", 2},
    {"la_type2", "gelu*tanh", 1},   {"la_type2", "qd-la", 1},       {"moa_type2", "relu*id", 2},
    {"moa_type2", "relu*relu", 2},  {"moa_type2", "relu*relu2", 2}, {"moa_type2", "silu*id", 2},
    {"moa_type2", "qd-la", 1},      {"moa_type2", "qd-moa", 1},
};
enum { SERIES = sizeof table / sizeof *table };

static separated_series series[SERIES];

int main(int argc, char **argv)
{
    const experiment e = experiment_begin(argc, argv, "separations", "witness class",
                                          "What classes of networks miss of the witnesses in W^{1,inf} and in RMSE.");
    for (size_t i = 0; i < SERIES; i++) {
        const bool is_line = strcmp(table[i].witness, "la_type1") == 0;
        series[i] = (separated_series){.witness = table[i].witness,
                                       .class = table[i].class,
                                       .lambda = 1,
                                       .widths = table[i].widths,
                                       .restarts = is_line ? 12 : 4,
                                       .fits = 3,
                                       .boxes = is_line ? 200000 : 20000};
    }
    const size_t count = separated_choose(&e, series, SERIES);
    separated_run(&e, series, count);
    experiment_close(&e, separated_print(&e, "separations.csv", series, count), "separations.csv");
    experiment_draw(&e, "separations");
    return 0;
}
