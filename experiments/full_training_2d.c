/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full_training_2d: all parameters trained in two dimensions by varpro, 60 iterations (240 from n = 128 on), on a
 * grid of 10,000 points, tested on one of half the spacing: from start greedy, several seeds, and from starts random (so
 * many seeds) and uniform; and from start greedy by exchange, with as many at its end, one seed at each width. Beside
 * them the frozen error of start greedy.
 * n = 16 to 64; with --full exchange to 256, greedy to 256 on the first two targets and to 128 on the others, random and
 * uniform to 128 on the first two, which takes some hours: --keep goes on where an earlier run was broken off. With
 * --only "TARGET ARCH N WAY" one way of one row is run. The slope of a line is that of log(error) against log(n) by
 * least squares over its widths; theory is -1/2 - (2k + 1)/4 for units of degree k (docs/explanation/theory.md). */
#include "experiment.h"
#include "targets_2d.h"

enum { ARCHS = 3, WIDTHS = 5, SHORT = 3, TWO = 2 };
enum { FROZEN, GREEDY, RANDOM, UNIFORM, EXCHANGE, WAYS };
static const char *const archs[] = {"mlp", "glu", "gqu", NULL};
static const struct {
    size_t width, iterations;
    const char *seeds, *random; /* of start greedy; of start random */
} rows[WIDTHS] = {
    {16, 60, "0:7", "0:7"}, {32, 60, "0:1", "0:1"}, {64, 60, "0", "0"}, {128, 240, "0", "0"}, {256, 240, "0", "0"}};
static const struct {
    const char *name, *solver, *start;
    size_t widest[2]; /* on the first TWO targets, on others */
} ways[WAYS] = {{"frozen", "frozen", "greedy", {256, 256}},
                {"greedy", "varpro", "greedy", {256, 128}},
                {"random", "varpro", "random", {128, 64}},
                {"uniform", "varpro", "uniform", {128, 64}},
                {"exchange", "exchange", "greedy", {256, 256}}};

/* Of a way on a target. */
static size_t widest(size_t way, size_t t)
{
    return ways[way].widest[t >= TWO];
}

/* Least and greatest test error of a few fits, the best by the training error. */
typedef struct spread {
    double best, worst, train;
} spread;

static spread spread_of(const steep_table *fits)
{
    spread s = {NAN, NAN, INFINITY};
    for (size_t r = 0; r < fits->rows; r++) {
        double train = experiment_number(fits, r, "rmse_train"), test = experiment_number(fits, r, "rmse_test");
        if (!isfinite(train)) continue;
        s.worst = fmax(s.worst, test); /* NaN gives way to a number */
        if (train < s.train) s.best = test;
        s.train = fmin(s.train, train);
    }
    return s;
}

/* A way's fits for one target, architecture and width, into out/TARGET-ARCH-WAY-WIDTH. */
static spread run_way(const experiment *e, size_t t, const char *arch, size_t way, size_t w)
{
    char folder[96], width[24];
    const char *seeds = way == RANDOM ? rows[w].random : way >= UNIFORM ? "0" : rows[w].seeds;
    steep_sweep_options options = steep_sweep_options_default();
    if (rows[w].width > widest(way, t)) return (spread){NAN, NAN, NAN};
    snprintf(folder, sizeof folder, "%s-%s-%s-%zu", targets[t].name, arch, ways[way].name, rows[w].width);
    snprintf(width, sizeof width, "%zu", rows[w].width);
    options.problem.target = targets[t].formula;
    options.problem.samples = e->quick ? 1000 : 10000;
    options.problem.sampling = "grid";
    options.problem.seeds = e->quick ? "0" : seeds;
    options.model.arch = arch;
    options.model.widths = width;
    options.solver.solver = ways[way].solver;
    options.solver.start = ways[way].start;
    options.solver.max_iterations = way == FROZEN ? 0 : e->quick ? 5 : rows[w].iterations;
    experiment_sweep(e, &options, folder);
    steep_table fits = experiment_table(e, folder, "fits.csv");
    spread s = spread_of(&fits);
    steep_table_free(&fits);
    return s;
}

/* Of log y against log x, by least squares. */
static double slope_of(size_t count, const double *x, const double *y)
{
    double mean[2] = {0}, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        mean[0] += log(x[i]) / (double)count;
        mean[1] += log(y[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (log(x[i]) - mean[0]) * (log(x[i]) - mean[0]);
        xy += (log(x[i]) - mean[0]) * (log(y[i]) - mean[1]);
    }
    return xy / xx;
}

/* Of one architecture on one target. */
typedef struct ends {
    double first, error[WIDTHS][WAYS]; /* first: where theory's line is to begin; best errors */
} ends;

/* The line of that slope through the first error. */
static double theory_at(size_t a, size_t w, double error, double *first)
{
    double factor = pow((double)rows[w].width, experiment_theory_2d(a + 1));
    if (isnan(*first)) *first = error / factor;
    return *first * factor;
}

/* One width: all ways, into out and the table. */
static void print_width(const experiment *e, FILE *out, size_t t, size_t a, size_t w, ends *all)
{
    spread s[WAYS];
    printf("%-9s %-4s %5zu", targets[t].name, archs[a], rows[w].width);
    for (size_t way = 0; way < WAYS; way++) {
        s[way] = experiment_wants(e, 3, ways[way].name) ? run_way(e, t, archs[a], way, w) : (spread){NAN, NAN, NAN};
        if (isnan(s[way].best)) printf(" %9s", "-");
        else printf(" %9.2e", s[way].best);
        if (way == GREEDY && isnan(s[way].worst)) printf(" %9s", "-");
        else if (way == GREEDY) printf(" %9.2e", s[way].worst);
        if (!isnan(s[way].best))
            fprintf(out, "%s,%s,%s,%zu,%.17g,%.17g,%.17g\n", targets[t].name, archs[a], ways[way].name, rows[w].width,
                    s[way].best, s[way].worst,
                    way == GREEDY || way == EXCHANGE ? theory_at(a, w, s[way].best, &all->first) : NAN);
    }
    double other = fmin(s[RANDOM].best, s[UNIFORM].best), ratio = other / fmin(s[GREEDY].best, s[EXCHANGE].best);
    if (isnan(ratio)) printf(" %7s\n", "-");
    else printf(" %7.2f\n", ratio);
    fflush(stdout);
    for (size_t way = 0; way < WAYS; way++) all->error[w][way] = s[way].best;
}

/* The slope of one way over the widths it was run at, three at least. */
static void print_slope(size_t t, size_t a, size_t way, size_t count, const ends *all)
{
    double size[WIDTHS], line[WIDTHS];
    size_t points = 0;
    for (size_t w = 0; w < count; w++)
        if (isfinite(all->error[w][way])) {
            size[points] = (double)rows[w].width;
            line[points++] = all->error[w][way];
        }
    if (points < 3) return;
    printf("%-9s %-4s slope of %s, n = %g to %g: %.2f", targets[t].name, archs[a], ways[way].name, size[0],
           size[points - 1], slope_of(points, size, line));
    if (points > 3)
        printf(", %g to %g: %.2f", size[points - 3], size[points - 1],
               slope_of(3, size + points - 3, line + points - 3));
    printf(", theory %.2f\n", experiment_theory_2d(a + 1));
}

/* All widths asked for, and the slopes of frozen gates, greedy and exchange. */
static void print_rows(const experiment *e, FILE *out, size_t t, size_t a, size_t count)
{
    ends all = {.first = NAN};
    for (size_t w = 0; w < count; w++) {
        for (size_t way = 0; way < WAYS; way++) all.error[w][way] = NAN;
        if (!experiment_wants_size(e, 2, rows[w].width)) continue;
        if (rows[w].width <= widest(EXCHANGE, t)) print_width(e, out, t, a, w, &all);
    }
    print_slope(t, a, FROZEN, count, &all);
    print_slope(t, a, GREEDY, count, &all);
    print_slope(t, a, EXCHANGE, count, &all);
}

int main(int argc, char **argv)
{
    experiment e = {.name = "full_training_2d", .out = "results/full_training_2d", .offers_full = true};
    experiment_parse(&e, argc, argv, "All parameters trained in two dimensions, from start greedy and from others.",
                     "target arch width way");
    bool any = false;
    size_t count = e.quick ? 1 : e.full ? WIDTHS : SHORT;
    FILE *out = experiment_open(&e, "full_training_2d.csv");
    fprintf(out, "target,arch,way,width,best,worst,theory\n");
    printf("%-9s %-4s %5s %9s %9s %9s %9s %9s %9s %7s\n", "target", "arch", "n", "frozen", "greedy", "worst", "random",
           "uniform", "exchange", "gain");
    for (size_t t = 0; t < SPECIAL; t++)
        for (size_t a = 0; a < ARCHS; a++) {
            if (!experiment_wants(&e, 0, targets[t].name) || !experiment_wants(&e, 1, archs[a])) continue;
            any = true;
            print_rows(&e, out, t, a, count);
        }
    experiment_found(&e, any);
    printf("test RMSE; frozen: greedy gates before training; greedy, worst, random, uniform: varpro, 60 iterations at "
           "most, from n = 128 on 240, the best seed by training error and the worst by test error; exchange: one "
           "seed, as many at its end; gain: the better of random and uniform over the better of greedy and exchange\n");
    experiment_close(&e, out, "full_training_2d.csv");
    experiment_draw(&e, "full_training_2d");
    return 0;
}
