/* SPDX-License-Identifier: GPL-3.0-or-later */
/* constants: the error over its leading term, n = 8 to 1024, for gates frozen on uniform knots (against the uniform
 * asymptote), frozen on equidistributed knots, and free (both against the asymptote of free knots, free.h). Training
 * points: Gauss-Legendre; errors are continuous; nothing is fitted. */
#include "free.h"

static const struct {
    const char *folder, *solver, *start;
} sweeps[] = {{"uniform", "frozen", "uniform"},
              {"equidistributed", "frozen", "equidistributed"},
              {"free", "reduced-newton", "equidistributed"}};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };

static void run_sweep(const experiment *e, size_t s)
{
    char archs[256], targets[256];
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = experiment_list(e, 1, free_archs, ',', archs);
    options.problem.target = experiment_list(e, 0, free_targets, ';', targets);
    options.model.widths = e->quick ? "8:512:x2" : "8:1024:x2";
    if (e->only) options.model.widths = e->quick ? "512" : "1024"; /* what the table shows */
    options.problem.samples = 20000;
    options.problem.sampling = options.problem.test = "gauss";
    options.solver.solver = sweeps[s].solver;
    options.solver.start = sweeps[s].start;
    experiment_sweep(e, &options, sweeps[s].folder);
}

/* Every width of one sweep; the ratio at the last is returned. */
static double put_points(FILE *out, const steep_table *fits, size_t s, const free_row *row, const steep_target *target)
{
    double ratio = NAN;
    for (size_t f = 0; f < fits->rows; f++) {
        if (strcmp(experiment_text(fits, f, "arch"), row->arch) != 0 ||
            strcmp(experiment_text(fits, f, "target"), target->name) != 0)
            continue;
        size_t width = (size_t)experiment_number(fits, f, "width");
        double error = experiment_number(fits, f, "rmse_test"), theory = free_theory(row, target, width, s == 0);
        ratio = error / theory;
        fprintf(out, "%s,%s,%s,%zu,%.17g,%.17g,%.17g,%.17g\n", target->name, row->arch, sweeps[s].folder, width, error,
                theory, ratio, experiment_number(fits, f, "floor"));
    }
    return ratio;
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "constants", "target arch",
                              "Constants of the error, measured over predicted: uniform, equidistributed and free "
                              "gates.");
    steep_table fits[SWEEPS];
    for (size_t s = 0; s < SWEEPS; s++) {
        run_sweep(&e, s);
        fits[s] = experiment_table(&e, sweeps[s].folder, "fits.csv");
    }
    FILE *points = experiment_open(&e, "points.csv");
    fprintf(points, "target,arch,gates,width,rmse,theory,ratio,floor\n");
    printf("measured over predicted at width %d\n%-12s %-4s %10s %16s %10s\n", e.quick ? 512 : 1024, "target", "arch",
           sweeps[0].folder, sweeps[1].folder, sweeps[2].folder);
    for (size_t t = 0; t < FREE_TARGETS; t++) {
        steep_target *target = experiment_target(&e, free_targets[t]);
        for (size_t r = 0; r < FREE_ROWS; r++) {
            double ratio[SWEEPS];
            if (!free_wants(&e, free_targets[t], &free_rows[r])) continue;
            for (size_t s = 0; s < SWEEPS; s++) ratio[s] = put_points(points, &fits[s], s, &free_rows[r], target);
            printf("%-12s %-4s %10.4f %16.4f %10.4f\n", target->name, free_rows[r].arch, ratio[0], ratio[1], ratio[2]);
        }
        steep_target_free(target);
    }
    for (size_t s = 0; s < SWEEPS; s++) steep_table_free(&fits[s]);
    experiment_close(&e, points, "points.csv");
    experiment_draw(&e, "constants");
    return 0;
}
