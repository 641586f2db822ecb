/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/options.h"

#include "base/option_rows.h"
#include "data/noise.h"
#include "fit/problem.h"

/* clang-format off */
/* A list of names. */
#define NAMES(name, field, initial, choices, help) \
    {name, STEEP_OPTION_TEXT, AT(field), "LIST", initial, 0, 0, choices, help, STEEP_OPTION_LIST}

static STEEP_NAMES(missing_names, "error", "drop")

#define AT(field) offsetof(steep_problem_options, field)
const steep_option steep_problem_option_table[] = {
    TEXT("target", target, "LIST", NULL, "names or formulas, separated by ';' (default: runge3)", LIST),
    TEXT("domain", domain, "BOX", NULL,
         "intervals, as in '-1:1,0:2*pi'; one stands for all (default: the target's own)",
         CONDITION),
    TEXT("data", data, "FILE", NULL, "CSV with columns x (or x1, x2 ...) and y, in place of a target", CONDITION),
    TEXT("x", x, "NAMES", NULL, "columns of --data: the coordinates, separated by ','; rest: all but --y", CONDITION),
    TEXT("y", y, "NAME", NULL, "column of --data: the value", CONDITION),
    TEXT("test-data", test_data, "FILE", NULL, "CSV with the same columns, for the test error", CONDITION),
    {"holdout", STEEP_OPTION_REAL, AT(holdout), "PART", "0", 0, 0.99, NULL,
     "part of the points of --data that is kept for the test error", STEEP_OPTION_CONDITION},
    SIZE("folds", folds, "0", 0, 1000,
         "each of N parts of the points of --data is kept for the test error once; 0: none", CONDITION),
    CHOICE("missing", missing, "error", missing_names,
           "rows of --data with an empty cell, or NA: refused or left out", CONDITION),
    FLAG("standardize", standardize, "fit to coordinates and values scaled to mean 0 and deviation 1", CONDITION),
    TEXT("samples", samples, "LIST", "auto",
         "training points, as widths are written; auto: 2000, in 2D and more 20 for each parameter of the largest "
         "network",
         LIST),
    CHOICE("sampling", sampling, NULL, steep_sampling_names,
           "where they lie (default: random, in 2D grid, in more sobol)", CONDITION),
    CHOICE("test", test, "grid", steep_sampling_names, "test error: on an equispaced grid, other random or Sobol "
           "points, or by quadrature, in 1D of the continuous error", CONDITION),
    TEXT("noise", noise, "S", "0",
         "deviation of the noise on training values, a number or a formula, as in '.1*(1+x^2)'; test errors are "
         "against the truth",
         CONDITION),
    CHOICE("noise-kind", noise_kind, "normal", steep_noise_names,
           "of the noise; student: 5 degrees of freedom; all of deviation 1 times --noise", CONDITION),
    TEXT("seeds", seeds, "LIST", "0", "seeds of points and starts: 0 or 0:4", LIST),
    TEXT("seed", seeds, "N", "0", "the same as --seeds", FREE),
    {.name = NULL},
};
#undef AT

#define AT(field) offsetof(steep_model_options, field)
const steep_option steep_model_option_table[] = {
    NAMES("arch", arch, "mlp,glu,gqu", steep_architecture_names,
          "architectures; mlp:relu2 names an activation too, hermite:5 a degree; all: every one"),
    TEXT("unit", unit, "FORMULA", NULL,
         "a unit by formula, as in 'exp(-z1^2)*z2', or @FILE of them; without --arch, that alone", LIST),
    NAMES("activation", activation, NULL, steep_activation_names, "on the gate, for each architecture that names none"),
    TEXT("dictionary", dictionary, "LETTERS", NULL, "activations of a mixture: g s r2 l t r i, as in gsr2l", LIST),
    CHOICE("gate", gate, NULL, steep_gate_names, "gate function of a mixture", CONDITION),
    SIZE("degree", degree, NULL, 0, STEEP_DEGREE_MOST, "of a learned activation; 0: the architecture's own", CONDITION),
    TEXT("depth", depth, "LIST", NULL,
         "layers of units, each as wide as --widths says: 1,2,3 (default: 1); 3+ adds each to the one below", LIST),
    TEXT("layers", layers, "LIST", NULL,
         "widths of the layers of one network, from x on, in place of --depth and --widths: 40,20; 40,20+ adds each to "
         "the one below",
         LIST),
    TEXT("widths", widths, "LIST", NULL,
         "hidden units: 20, 5,10,20, 1:50, 1:103:3 or 8:4096:x2 (default: 1:103:3; varpro's in 2D and more 2:32:x1.5)",
         LIST),
    TEXT("width", widths, "N", NULL, "the same as --widths", FREE),
    TEXT("params", params, "LIST", NULL,
         "in place of --widths: of each the largest with at most so many parameters", LIST),
    {.name = NULL},
};
#undef AT

#define AT(field) offsetof(steep_solver_options, field)
const steep_option steep_solver_option_table[] = {
    NAMES("solver", solver, NULL, steep_solver_names,
          "how the parameters are found; auto: by what suits each unit (default: frozen; varpro in 2D and more, of "
          "units without relu's powers)"),
    NAMES("start", start, NULL, steep_start_names,
          "where the gates begin (default: each solver's own, in 2D and more greedy, see the manual)"),
    SIZE("directions", directions, "auto", 1, 1e6,
         "of start ridge; auto: those of a few numbers with the least error of frozen gates", CONDITION),
    SIZE("exchanges", exchanges, "auto", 0, 1000, "of start greedy: how often each unit gives way to the best one; "
         "auto: 1 with frozen gates, else 0", CONDITION),
    SIZE("stages", stages, "1", 1, 64, "parts of a network, each fitted to what those before leave", CONDITION),
    REAL("growth", growth, "1.4", 1, STEEP_GROWTH_MOST, "units of a stage, in those of the stage before", CONDITION),
    REAL("steepness", steepness, "1", 1e-6, STEEP_STEEPNESS_MOST,
         "of the gates of a start of smooth units, 1.25 times more in each stage; not 1: lines of start ridge reach "
         "1.25 times as far", CONDITION),
    CHOICE("construction", construction, "midpoint", steep_construction_names,
           "of glu, by solver construct", CONDITION),
    SIZE("restarts", restarts, "auto", 0, 1e6,
         "more starts of each fit, the best counts; auto: reduced-newton 240 to width 8, 40 to 32, exchange 5 to 64 "
         "parameters, varpro as a default 4", CONDITION),
    SIZE("hits", hits, "auto", 0, 1e6,
         "no more restarts once so many starts of different kinds have found the best, within 1 %; 0: all; auto: 35 to "
         "width 8 (gqu 12) by reduced-newton, 3 to 64 parameters by exchange", CONDITION),
    SIZE("max-iterations", max_iterations, "0", 0, 1e9, "0: the solver's own", CONDITION),
    REAL("tolerance", tolerance, "1e-6", 1e-300, 0.999, "on the scaled gradient", CONDITION),
    REAL("penalty", penalty, "0", 0, STEEP_PENALTY_MOST, "minimise the mean square error plus X times the "
         "mean squares of all D_i h_i(x); 1e-12 keeps float32 usable", CONDITION),
    SIZE("steps", max_iterations, "0", 0, 1e9, "the same as --max-iterations", FREE),
    REAL("learning-rate", learning_rate, "auto", 0, 1e6, "of adam, adamw, sgd, muon, as all below; "
         "auto: the best of eight in short trials, which count as evaluations", CONDITION),
    CHOICE("schedule", schedule, "cosine", steep_schedule_names, "of the rate: to 0, constant, or "
           "a tenth from half of the steps on and a hundredth from three quarters on", CONDITION),
    SIZE("warmup", warmup, "0", 0, 1e9, "steps in which the rate grows to its size", CONDITION),
    SIZE("batch", batch, "all", 1, 1e9, "points of a step, drawn anew for each epoch", CONDITION),
    REAL("weight-decay", weight_decay, "auto", 0, 1e6, "auto: adamw 1e-2, others 0", CONDITION),
    REAL("clip", clip, "0", 0, 1e300, "largest norm of the gradient; 0: any", CONDITION),
    CHOICE("precision", precision, "double", steep_precision_names,
           "of parameters, gradients and steps; single: float32", CONDITION),
    FLAG("dense", dense,
         "frozen: by dense QR also where 1D splines would serve; lm, varpro: a row for each point, not a few for each "
         "cell", CONDITION),
    {.name = NULL},
};
#undef AT
/* clang-format on */
