/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coverage: how often the 95 % interval of the windowed slope (slope/slope.c) holds the true order of simulated
 * errors, and how wide it is; beside it the straight line through all points with its own 95 % interval, as papers
 * report it. Each series draws its order s in [1.5, 4.5] and, with N the largest size, c in [0.5, 4], b in [6, N/6], f
 * in [0.1 N, 0.6 N]:
 *   pure    n^-s                                                  offset  (n + c)^-s
 *   broken  slope -1 up to n = b, then -s, smoothly               floor   sqrt(n^-2s + f^-2s), the floor told
 *   flat    the same, the floor not told, f in [0.1 N, 0.4 N] and 4 sizes or more beyond it
 * each times exp(noise * standard normal). Series of which the floor leaves fewer than 5 points are drawn again: there
 * the method reports that there is no slope to be had. */
#include "experiment.h"

enum { MOST = 64, GRIDS = 4 };
/* Error at size n of order s; p is the curve's own parameter. */
typedef double law(double n, double s, double p);

static double pure(double n, double s, double p)
{
    (void)p;
    return pow(n, -s);
}
static double offset(double n, double s, double c)
{
    return pow(n + c, -s);
}
static double broken(double n, double s, double b)
{
    return pow(pow(n, 4) + pow(n, 4 * s) / pow(b, 4 * (s - 1)), -0.25);
}
static double with_floor(double n, double s, double f)
{
    return hypot(pow(n, -s), pow(f, -s));
}

/* The parameter's range: from + from_share N to to + to_share N, N the largest size. */
static const struct {
    const char *name;
    law *law;
    bool told;
    double from, from_share, to, to_share;
} curves[] = {{"pure", pure, false, 0, 0, 0, 0},
              {"offset", offset, false, 0.5, 0, 4, 0},
              {"broken", broken, false, 6, 0, 0, 1.0 / 6},
              {"floor", with_floor, true, 0, 0.1, 0, 0.6},
              {"flat", with_floor, false, 0, 0.1, 0, 0.4}};
static const double noises[] = {0, 0.02, 0.1};
static const char *const grids[GRIDS] = {"2-512 by sqrt 2", "1-103 by 3", "8-4096 by 2", "1-50 by 1"};
enum { CURVES = sizeof curves / sizeof *curves, NOISES = sizeof noises / sizeof *noises };

static size_t make_sizes(size_t grid, double *size)
{
    size_t count = 0;
    if (grid == 0)
        for (int i = 0; i <= 16; i++) size[count++] = round(pow(2, 1 + i / 2.0));
    else if (grid == 2)
        for (int n = 8; n <= 4096; n *= 2) size[count++] = n;
    else
        for (int n = 1; n <= (grid == 1 ? 103 : 50); n += grid == 1 ? 3 : 1) size[count++] = n;
    return count;
}

typedef struct tally {
    size_t total, held, found, found_held, naive_held;
    double half, naive_half, bias;
} tally;

static void add(tally *t, const tally *more)
{
    t->total += more->total, t->held += more->held, t->found += more->found;
    t->found_held += more->found_held, t->naive_held += more->naive_held;
    t->half += more->half, t->naive_half += more->naive_half, t->bias += more->bias;
}

/* One series into the tally; false: too few points above the floor. */
static bool simulate(size_t curve, size_t grid, double noise, steep_random *random, tally *t)
{
    double size[MOST], error[MOST], floor[MOST];
    size_t count = make_sizes(grid, size);
    double s = 1.5 + 3 * steep_random_uniform(random), most = size[count - 1];
    double from = curves[curve].from + curves[curve].from_share * most;
    double to = curves[curve].to + curves[curve].to_share * most;
    double parameter = from + (to - from) * steep_random_uniform(random);
    if (curves[curve].law == with_floor && !curves[curve].told && parameter > size[count - 4]) return false;
    for (size_t i = 0; i < count; i++) {
        error[i] = curves[curve].law(size[i], s, parameter) * exp(noise * steep_random_normal(random));
        floor[i] = pow(parameter, -s);
    }
    steep_slope window, all;
    steep_slope_measure(STEEP_SLOPE_WINDOW,
                        &(steep_slope_points){count, size, error, curves[curve].told ? floor : NULL}, NULL, &window,
                        NULL);
    steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){count, size, error, NULL}, NULL, &all, NULL);
    if (window.status == STEEP_FLOOR) return false;
    double slack = 1e-9 * s; /* without noise an exact law has an interval of rounding size */
    bool held = window.low - slack <= -s && -s <= window.high + slack, found = window.status == STEEP_OK;
    add(t, &(tally){1, held, found, held && found, all.low - slack <= -s && -s <= all.high + slack,
                    0.5 * (window.high - window.low), 0.5 * (all.high - all.low), fabs(window.slope + s)});
    return true;
}

/* A line of coverage.csv. */
static void put(FILE *out, const char *curve, const char *sizes, double noise, const tally *t)
{
    double n = (double)t->total;
    fprintf(out, "%s,%s,%g,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", curve, sizes, noise, t->total,
            (double)t->held / n, t->half / n, t->bias / n, (double)t->found / n,
            (double)t->found_held / (double)t->found, (double)t->naive_held / n, t->naive_half / n);
}

/* A line of the table: all four grids; scatter in per cent, or NaN: every scatter but none. */
static void print_row(const char *curve, double noise, const tally *t)
{
    double n = (double)t->total;
    char scatter[16] = "both";
    if (noise == 0) snprintf(scatter, sizeof scatter, "0");
    if (noise > 0) snprintf(scatter, sizeof scatter, "%.0f %%", 100 * noise);
    printf("%-7s %7s | %6zu %8.3f %10.3f %8.3f %9.3f %9.3f | %6.3f %11.3f\n", curve, scatter, t->total,
           (double)t->held / n, t->half / n, t->bias / n, (double)t->found / n,
           (double)t->found_held / (double)t->found, (double)t->naive_held / n, t->naive_half / n);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "coverage", "curve",
                                         "How often the interval of a slope holds the order of simulated power laws.");
    size_t draws = e.quick ? 50 : 600;
    FILE *out = experiment_open(&e, "coverage.csv");
    fprintf(out, "curve,sizes,noise,series,coverage,half_width,error,straight,straight_coverage,naive_coverage,naive_"
                 "half_width\n");
    printf("%-7s %7s | %6s %8s %10s %8s %9s %9s | %6s %11s\n", "curve", "scatter", "series", "coverage", "half width",
           "|error|", "straight", "of these", "naive", "half width");
    tally scattered = {0};
    double least = 1, most = 0;
    for (size_t c = 0; c < CURVES; c++) {
        if (!experiment_wants(&e, 0, curves[c].name)) continue;
        for (size_t k = 0; k < NOISES; k++) {
            tally every = {0};
            for (size_t g = 0; g < GRIDS; g++) {
                tally t = {0};
                steep_random random = steep_random_start(100 * c + 10 * k + g, STEEP_STREAM_SIMULATION);
                for (size_t drawn = 0; t.total < draws && drawn < 20 * draws; drawn++)
                    simulate(c, g, noises[k], &random, &t);
                put(out, curves[c].name, grids[g], noises[k], &t);
                add(&every, &t);
                if (noises[k] == 0) continue;
                least = fmin(least, (double)t.held / (double)t.total);
                most = fmax(most, (double)t.held / (double)t.total);
            }
            put(out, curves[c].name, "all four", noises[k], &every);
            print_row(curves[c].name, noises[k], &every);
            if (noises[k] > 0) add(&scattered, &every);
        }
    }
    experiment_found(&e, scattered.total > 0);
    if (!e.only) {
        put(out, "all", "all four", NAN, &scattered);
        print_row("all", NAN, &scattered);
        printf("by curve, scatter and grid, where there is scatter: coverage from %.3f to %.3f\n", least, most);
    }
    experiment_close(&e, out, "coverage.csv");
    experiment_draw(&e, "coverage");
    printf("straight: share of series with a window whose drift is within the limit, and the coverage among these; the "
           "others are reported as still bending\n");
    return 0;
}
