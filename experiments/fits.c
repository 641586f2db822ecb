/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fits: the GLU paper's figure 2, with GQU beside its MLP and GLU: cosine_well by networks of width 6 from alternating
 * gates, (a, d) with the gates frozen, (b, e) with all parameters trained, and (c, f) what each unit of the trained
 * network adds. Trained by the paper's Newton method, by Levenberg-Marquardt, by reduced-newton from equidistributed
 * gates: the table has all, the picture the best. */
#include "experiment.h"

#define TARGET "cosine_well"
enum { WIDTH = 6, POINTS = 1001 };

static const char *const arch[] = {"mlp", "glu", "gqu"};
static const struct {
    const char *name;
    steep_solver solver;
    steep_start_kind start;
} stage[] = {{"frozen", STEEP_SOLVER_FROZEN, STEEP_START_ALTERNATING},
             {"newton", STEEP_SOLVER_NEWTON, STEEP_START_ALTERNATING},
             {"lm", STEEP_SOLVER_LM, STEEP_START_ALTERNATING},
             {"reduced-newton", STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED}};
enum { STAGES = sizeof stage / sizeof *stage };

typedef struct files {
    FILE *curves, *units, *gates;
} files;

static void put_fit(const experiment *e, files *out, const steep_network *network, const double *theta,
                    const steep_target *target, const char *name, const char *what)
{
    double *x = experiment_numbers(e, POINTS), *y = experiment_numbers(e, POINTS),
           *h = experiment_numbers(e, WIDTH * POINTS);
    for (size_t k = 0; k < POINTS; k++)
        x[k] = target->low[0] + (target->high[0] - target->low[0]) * (double)k / (POINTS - 1);
    steep_error error = {"no memory for a network's values"};
    if (steep_network_values(network, theta, POINTS, x, y) < 0 || steep_network_units(network, theta, POINTS, x, h) < 0)
        experiment_die(e, &error, 1);
    for (size_t k = 0; k < POINTS; k++) {
        long double point = x[k];
        fprintf(out->curves, "%s,%s,%.17g,%.17g,%.17g\n", name, what, x[k],
                (double)steep_formula_reference(target->formula, &point), y[k]);
        fprintf(out->units, "%s,%s,%.17g", name, what, x[k]);
        for (size_t i = 0; i < WIDTH; i++) fprintf(out->units, ",%.9g", theta[network->output + i] * h[i * POINTS + k]);
        fprintf(out->units, "\n");
    }
    for (size_t i = 0; i < WIDTH; i++) {
        const double *gate = theta + network->branch[0] + 2 * i;
        fprintf(out->gates, "%s,%s,%.17g,%d\n", name, what, -gate[1] / gate[0], gate[0] > 0 ? 1 : -1);
    }
    free(x);
    free(y);
    free(h);
}

static void fit_all(const experiment *e, files *out, const char *name, const steep_target *target,
                    const steep_samples *train, const steep_samples *test)
{
    steep_error error;
    steep_network network;
    const steep_architecture *row = steep_architecture_find(name, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    if (steep_network_init(&network, row, &choice, 1, WIDTH, &error) < 0) experiment_die(e, &error, 1);
    steep_problem problem = {&network, target, train, test};
    steep_fit_result best = {.rmse_train = INFINITY};
    for (size_t s = 0; s < STAGES; s++) {
        steep_fit_options options = steep_fit_options_default();
        options.solver = stage[s].solver;
        options.start = stage[s].start;
        steep_fit_result result;
        if (steep_fit(&problem, &options, &result, &error) < 0) {
            fprintf(stderr, "%s: %s, %s: %s\n", e->name, name, stage[s].name, error.text);
            steep_fit_result_free(&result);
            continue;
        }
        printf("%-4s %-15s %11.4e %11.4e %11.4e %6zu  %s\n", name, stage[s].name, result.rmse_train, result.rmse_test,
               result.max_error, result.iterations, steep_status_name(result.status));
        if (s == 0) put_fit(e, out, &network, result.theta, target, name, "frozen");
        if (s > 0 && result.rmse_train < best.rmse_train) {
            steep_fit_result_free(&best);
            best = result;
        } else {
            steep_fit_result_free(&result);
        }
    }
    if (best.theta) put_fit(e, out, &network, best.theta, target, name, "trained");
    steep_fit_result_free(&best);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "fits", "results/fits",
                                    "Fits of width 6: frozen, trained, and what each unit adds.");
    steep_error error;
    steep_target *target = experiment_target(&e, TARGET);
    steep_samples train, test;
    if (steep_samples_random(target, e.quick ? 1000 : 10000, 0, &train, &error) < 0 ||
        steep_samples_grid(target, e.quick ? 1000 : 10000, &test, &error) < 0)
        experiment_die(&e, &error, 1);
    files out = {experiment_open(&e, "curves.csv"), experiment_open(&e, "units.csv"), experiment_open(&e, "gates.csv")};
    fprintf(out.curves, "arch,stage,x,y,network\n");
    fprintf(out.units, "arch,stage,x,unit1,unit2,unit3,unit4,unit5,unit6\n");
    fprintf(out.gates, "arch,stage,knot,sign\n");
    printf("%-4s %-15s %11s %11s %11s %6s  %s\n", "arch", "solver", "RMSE train", "RMSE test", "max error", "steps",
           "status");
    for (size_t a = 0; a < 3; a++) fit_all(&e, &out, arch[a], target, &train, &test);
    experiment_close(&e, out.curves, "curves.csv");
    experiment_close(&e, out.units, "units.csv");
    experiment_close(&e, out.gates, "gates.csv");
    steep_samples_free(&train);
    steep_samples_free(&test);
    steep_target_free(target);
    experiment_draw(&e, "fits");
    return 0;
}
