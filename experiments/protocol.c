/* SPDX-License-Identifier: GPL-3.0-or-later */
/* protocol: the GLU paper's own measurement (section 4): cosine_well, 10,000 random points, widths 1 to 50, alternating gates, Newton's
 * method block by block, a straight line through all points; beside the published slopes, and beside what the frozen and the constructed
 * networks give on the same samples. */
#include "experiment.h"

static const struct { const char *arch; double published[2]; } rows[] = {
    {"mlp", {-2.13, -2.18}}, {"glu", {-3.08, -3.12}}, {"gqu", {-3.50, -3.55}}}; /* against width, against parameters */
static const struct { const char *folder, *solver, *start; } sweeps[] = {
    {"newton", "newton", "alternating"}, {"frozen", "frozen", "uniform"}, {"construct", "construct", "uniform"}};
enum { ROWS = sizeof rows / sizeof *rows, SWEEPS = sizeof sweeps / sizeof *sweeps };

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "protocol", "results/protocol",
                                    "The GLU paper's protocol: naive slopes over widths 1 to 50, beside the published ones.");
    for (size_t s = 0; s < SWEEPS; s++) {
        steep_sweep_options options = steep_sweep_options_default();
        options.arch = "mlp,glu,gqu";
        options.target = "cosine_well";
        options.samples = e.quick ? 2000 : 10000;
        /* a constructed gqu needs two gates */
        options.widths = s == 2 ? (e.quick ? "4:49:3" : "2:50") : e.quick ? "1:49:3" : "1:50";
        options.solver = sweeps[s].solver;
        options.start = sweeps[s].start;
        experiment_sweep(&e, &options, sweeps[s].folder);
    }
    FILE *out = experiment_open(&e, "protocol.csv");
    fprintf(out, "arch,against,published,solver,method,slope,low,high,theory\n");
    printf("%-5s %-7s %9s", "arch", "against", "published");
    for (size_t s = 0; s < SWEEPS; s++) printf("   %9s all  window", sweeps[s].folder);
    printf("\n");
    for (size_t r = 0; r < ROWS; r++)
        for (int against = 0; against < 2; against++) {
            const char *size = against ? "params" : "width";
            printf("%-5s %-7s %9.2f", rows[r].arch, size, rows[r].published[against]);
            for (size_t s = 0; s < SWEEPS; s++) {
                steep_table slopes = experiment_table(&e, sweeps[s].folder, "slopes.csv");
                double slope[2];
                for (int m = 0; m < 2; m++) {
                    size_t at = experiment_slope(&slopes, rows[r].arch, "cosine_well", size, m ? "window" : "all");
                    slope[m] = experiment_number(&slopes, at, "slope");
                    fprintf(out, "%s,%s,%.2f,%s,%s,%.17g,%.17g,%.17g,%d\n", rows[r].arch, size, rows[r].published[against],
                            sweeps[s].solver, m ? "window" : "all", slope[m], experiment_number(&slopes, at, "low"),
                            experiment_number(&slopes, at, "high"), -2 - (int)r);
                }
                printf("   %13.2f %7.2f", slope[0], slope[1]);
                steep_table_free(&slopes);
            }
            printf("\n");
        }
    experiment_close(&e, out, "protocol.csv");
    printf("all: a straight line through every width, as the paper; window: see docs. figures: %s/newton/slopes.svg, frozen, construct\n",
           e.out);
    return 0;
}
