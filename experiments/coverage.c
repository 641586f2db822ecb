/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coverage: how often the 95 % interval of the windowed slope (measure/slope.c) holds the true order of simulated
 * errors, and how wide it is; beside it the straight line through all points with its own 95 % interval, as papers
 * report it. The curves, sizes n:
 *   pure    n^-s                                             offset  (n + 2)^-s
 *   knee    slope -1 up to n = 12, then -s, smoothly          floor   sqrt(n^-2s + 200^-2s), the floor told
 *   flat    the same, the floor not told
 * each times exp(noise * standard normal). */
#include "experiment.h"

enum { MOST = 64 };
typedef double law(double n, double s);

static double pure(double n, double s) { return pow(n, -s); }
static double offset(double n, double s) { return pow(n + 2, -s); }
static double knee(double n, double s) { return pow(pow(n, 4) + pow(n, 4 * s) / pow(12, 4 * (s - 1)), -0.25); }
static double with_floor(double n, double s) { return hypot(pow(n, -s), pow(200, -s)); }

static const struct { const char *name; law *law; bool told; } curves[] = {
    {"pure", pure, false}, {"offset", offset, false}, {"knee", knee, false}, {"floor", with_floor, true},
    {"flat", with_floor, false}};
static const double noises[] = {0, 0.02, 0.1};
static const char *const grids[] = {"2-512 by sqrt 2", "1-103 by 3"};
enum { CURVES = sizeof curves / sizeof *curves, NOISES = sizeof noises / sizeof *noises };

static size_t make_sizes(size_t grid, double *size)
{
    size_t count = 0;
    if (grid == 0)
        for (int i = 0; i <= 16; i++) size[count++] = round(pow(2, 1 + i / 2.0));
    else
        for (int n = 1; n <= 103; n += 3) size[count++] = n;
    return count;
}

typedef struct tally {
    size_t total, held, found, found_held, naive_held;
    double half, naive_half, bias;
} tally;

static void simulate(size_t curve, size_t grid, double noise, uint64_t draws, tally *t)
{
    double size[MOST], error[MOST], floor[MOST];
    size_t count = make_sizes(grid, size);
    for (int s = 2; s <= 4; s++)
        for (uint64_t seed = 0; seed < draws; seed++) {
            steep_random random = steep_random_start(seed + 1000 * (uint64_t)s, STEEP_STREAM_SIMULATION);
            for (size_t i = 0; i < count; i++) {
                error[i] = curves[curve].law(size[i], s) * exp(noise * steep_random_normal(&random));
                floor[i] = pow(200, -s);
            }
            steep_slope window, all;
            steep_slope_measure(STEEP_SLOPE_WINDOW, count, size, error, curves[curve].told ? floor : NULL, NULL,
                                &window, NULL);
            steep_slope_measure(STEEP_SLOPE_ALL, count, size, error, NULL, NULL, &all, NULL);
            double slack = 1e-9 * s; /* without noise an exact law has an interval of rounding size */
            bool held = window.low - slack <= -s && -s <= window.high + slack;
            t->held += held;
            t->found_held += held && window.status == STEEP_OK;
            t->naive_held += all.low - slack <= -s && -s <= all.high + slack;
            t->found += window.status == STEEP_OK;
            t->half += 0.5 * (window.high - window.low);
            t->naive_half += 0.5 * (all.high - all.low);
            t->bias += fabs(window.slope + s);
            t->total++;
        }
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "coverage", "results/coverage",
                                    "How often the interval of a slope holds the order of simulated power laws.");
    uint64_t draws = e.quick ? 100 : 1000;
    FILE *out = experiment_open(&e, "coverage.csv");
    fprintf(out, "curve,sizes,noise,series,coverage,half_width,error,straight,straight_coverage,naive_coverage,naive_"
                 "half_width\n");
    printf("%-7s %-16s %6s | %8s %10s %8s %9s %8s | %8s %10s\n", "curve", "sizes", "noise", "coverage", "half width",
           "|error|", "straight", "of these", "naive", "half width");
    for (size_t g = 0; g < 2; g++)
        for (size_t c = 0; c < CURVES; c++)
            for (size_t k = 0; k < NOISES; k++) {
                tally t = {0};
                simulate(c, g, noises[k], noises[k] > 0 ? draws : 1, &t);
                double n = (double)t.total;
                printf("%-7s %-16s %6.2f | %8.3f %10.3f %8.3f %9.3f %8.3f | %8.3f %10.3f\n", curves[c].name, grids[g],
                       noises[k], (double)t.held / n, t.half / n, t.bias / n, (double)t.found / n,
                       (double)t.found_held / (double)t.found, (double)t.naive_held / n, t.naive_half / n);
                fprintf(out, "%s,%s,%g,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", curves[c].name, grids[g], noises[k],
                        t.total, (double)t.held / n, t.half / n, t.bias / n, (double)t.found / n,
                        (double)t.found_held / (double)t.found, (double)t.naive_held / n, t.naive_half / n);
            }
    experiment_close(&e, out, "coverage.csv");
    printf("straight: share of series with a window whose drift is within the limit, and the coverage among these; the "
           "others are reported\n          as still bending. table: %s/coverage.csv\n",
           e.out);
    return 0;
}
