/* SPDX-License-Identifier: GPL-3.0-or-later */
/* full_training: all parameters of mlp, glu and gqu at widths 1 to 50 on 2000 random points of runge3 and cosine_well:
 * errors on the points and between them, and the seconds on two processes, beside the errors that the GLU paper's
 * script reached when it was run (block by block Newton, one start; it needed 126 s for mlp, 212 s for glu to width 40,
 * 101 s for gqu to width 20, one target). By reduced-newton from equidistributed gates, with more restarts where there
 * are more minima. */
#include <sys/resource.h>
#include <time.h>

#include "experiment.h"

static const struct {
    const char *folder, *widths[7];
    size_t restarts;
} sweeps[] = {{"tiny", {"1", "2", "3", "4", "6", NULL}, 32},
              {"small", {"8", "10", "13", "16", "20", "25", NULL}, 16},
              {"large", {"32", "40", "50", NULL}, 4}};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };
static const size_t widths[] = {1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50};
enum { WIDTHS = sizeof widths / sizeof *widths };
static const char *const targets[] = {"runge3", "cosine_well", NULL}, *const archs[] = {"mlp", "glu", "gqu"};
#define GRADIENT 1e-6 /* scaled, as the solver is asked for; fits at or below it are counted */

/* Training and test errors of the paper's script at each of these widths: measured, seed 0, 2000 random points of its
 * own draw, all blocks, then all parameters; by target, unit, width. 0: not run there. */
static const double reference[2][3][WIDTHS][2] = {
    {{{2.877243e-1, 2.915749e-1},
      {2.877243e-1, 2.915749e-1},
      {8.668657e-2, 8.705215e-2},
      {1.408819e-2, 1.431986e-2},
      {1.408613e-2, 1.43216e-2},
      {1.409439e-2, 1.431203e-2},
      {3.623949e-3, 3.925441e-3},
      {2.370966e-3, 2.537701e-3},
      {3.240095e-3, 3.589102e-3},
      {1.189722e-3, 1.245231e-3},
      {8.410148e-4, 9.541814e-4},
      {6.229009e-4, 6.73794e-4},
      {4.469543e-4, 5.060422e-4},
      {3.022689e-4, 3.477203e-4}},
     {{2.230533e-1, 2.25368e-1},
      {1.505633e-1, 1.529833e-1},
      {6.448707e-2, 6.413942e-2},
      {1.024374e-2, 1.031856e-2},
      {2.215437e-3, 2.281993e-3},
      {1.668204e-3, 1.713878e-3},
      {9.017791e-4, 9.216622e-4},
      {6.626796e-4, 6.841489e-4},
      {2.913251e-4, 3.097006e-4},
      {1.951274e-4, 2.4059e-4},
      {1.075565e-4, 1.158182e-4},
      {6.066152e-5, 8.832356e-5},
      {2.679139e-5, 2.987301e-5}},
     {{1.511828e-1, 1.534556e-1},
      {1.209018e-1, 1.229487e-1},
      {1.829156e-2, 1.876841e-2},
      {1.485743e-2, 1.552765e-2},
      {1.305565e-3, 1.317126e-3},
      {1.332487e-3, 1.395173e-3},
      {5.547485e-4, 5.840291e-4},
      {3.112892e-4, 3.227806e-4},
      {1.616345e-4, 5.539529e-4},
      {1.390338e-4, 1.355421e-2}}},
    {{{1.734782e-1, 1.742274e-1},
      {1.734782e-1, 1.742274e-1},
      {1.446576e-1, 1.480512e-1},
      {1.446576e-1, 1.48051e-1},
      {2.559576e-2, 2.526936e-2},
      {1.159613e-2, 1.207322e-2},
      {8.605152e-3, 8.804839e-3},
      {9.446664e-3, 9.772334e-3},
      {3.619277e-3, 3.66159e-3},
      {2.010914e-3, 2.124768e-3},
      {1.783741e-3, 1.899701e-3},
      {1.005138e-3, 1.078261e-3}},
     {{1.689463e-1, 1.715382e-1},
      {1.668673e-1, 1.697277e-1},
      {1.330676e-1, 1.316818e-1},
      {1.654799e-2, 1.744769e-2},
      {2.471626e-3, 2.519175e-3},
      {2.187243e-3, 2.299546e-3},
      {1.695183e-3, 1.726011e-3},
      {1.047247e-3, 1.059601e-3},
      {5.996638e-4, 6.210532e-4},
      {3.718772e-4, 3.910892e-4},
      {2.03075e-4, 2.085261e-4},
      {9.550639e-5, 9.779514e-5}},
     {{1.66842e-1, 1.697478e-1},
      {1.66842e-1, 1.697475e-1},
      {6.94949e-2, 7.042184e-2},
      {2.047018e-2, 2.017922e-2},
      {2.220089e-3, 2.382453e-3},
      {9.158622e-3, 3.232587e-2},
      {1.405574e-3, 1.769425e-2},
      {8.094148e-4, 8.329636e-4},
      {3.056679e-4, 7.664269e-3},
      {2.397016e-4, 2.506108e-4}}},
};

/* Seconds of processor time of this process and of the workers that have ended. */
static double processor_seconds(void)
{
    double seconds = 0;
    static const int who[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        if (getrusage(who[i], &usage) != 0) return NAN;
        seconds += (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
                   (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
    }
    return seconds;
}

/* Whether a width of the sweep is asked for (--only). */
static bool wants_sweep(const experiment *e, size_t s)
{
    size_t w = 0;
    while (sweeps[s].widths[w] && !experiment_wants(e, 1, sweeps[s].widths[w])) w++;
    return sweeps[s].widths[w];
}

static void run_sweep(const experiment *e, size_t s)
{
    char list[256], some[256];
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = "mlp,glu,gqu";
    options.problem.target = experiment_list(e, 0, targets, ';', list);
    options.model.widths = experiment_list(e, 1, sweeps[s].widths, ',', some);
    options.problem.samples = 2000;
    options.solver.solver = "reduced-newton";
    options.solver.start = "equidistributed";
    options.solver.restarts = e->quick ? sweeps[s].restarts / 4 : sweeps[s].restarts;
    options.run.jobs = 2;
    experiment_sweep(e, &options, sweeps[s].folder);
}

/* The fit with the least training error over all sweeps: its table, its row. */
static const steep_table *best_fit(const steep_table *fits, const char *arch, const char *target, size_t width,
                                   size_t *row)
{
    const steep_table *best = NULL;
    double least = INFINITY;
    for (size_t s = 0; s < SWEEPS; s++) {
        size_t f = experiment_fit(&fits[s], arch, target, width);
        double error = f < fits[s].rows ? experiment_number(&fits[s], f, "rmse_train") : INFINITY;
        if (!(error < least)) continue;
        least = error;
        best = &fits[s];
        *row = f;
    }
    return best;
}

/* Points with a reference, those where ours is at or below it in both errors, and the least and the largest training
 * error of the script over ours; of all fits, those that end with the gradient at GRADIENT or below. */
typedef struct comparison {
    size_t points, below, fits, flat;
    double least, most;
} comparison;

static void compare(comparison *c, const double theirs[2], double train, double test)
{
    if (!(theirs[0] > 0)) return;
    c->points++;
    c->least = fmin(c->least, theirs[0] / train);
    c->most = fmax(c->most, theirs[0] / train);
    c->below += train <= theirs[0] && test <= theirs[1];
}

/* One line of the table. */
static void put_width(FILE *out, const steep_table *fits, size_t t, size_t w, comparison *c)
{
    printf("%-12s %5zu", targets[t], widths[w]);
    for (int a = 0; a < 3; a++) {
        size_t f = 0;
        const steep_table *fit = best_fit(fits, archs[a], targets[t], widths[w], &f);
        const double *script = reference[t][a][w];
        double train = fit ? experiment_number(fit, f, "rmse_train") : NAN,
               test = fit ? experiment_number(fit, f, "rmse_test") : NAN;
        char theirs[16] = "-";
        if (script[0] > 0) snprintf(theirs, sizeof theirs, "%.2e", script[0]);
        printf("   %.3e %.3e %8s", train, test, theirs);
        c->fits++;
        c->flat += fit && experiment_number(fit, f, "gradient_norm") <= GRADIENT;
        fprintf(out, "%s,%s,%zu,%.17g,%.17g,%s,%g,%g\n", targets[t], archs[a], widths[w], train, test,
                fit ? experiment_text(fit, f, "status") : "none", script[0], script[1]);
        compare(c, script, train, test);
    }
    printf("\n");
}

/* What the command counts over all widths. */
static void print_comparison(const comparison *c)
{
    printf("at or below the script, training and test: %zu of %zu points; its training error over ours: %.2f to %.2f\n",
           c->below, c->points, c->least, c->most);
    printf("with the gradient, recomputed, at %g or below: %zu of %zu fits\n", GRADIENT, c->flat, c->fits);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "full_training", "target width",
                                         "All parameters trained, widths 1 to 50, 2000 random points: errors and "
                                         "seconds.");
    struct timespec begin, end;
    steep_table fits[SWEEPS] = {{0}};
    bool found = false;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    double used = processor_seconds();
    for (size_t s = 0; s < SWEEPS; s++) {
        if (!wants_sweep(&e, s)) continue;
        found = true;
        run_sweep(&e, s);
        fits[s] = experiment_table(&e, sweeps[s].folder, "fits.csv");
    }
    experiment_found(&e, found);
    clock_gettime(CLOCK_MONOTONIC, &end);
    used = processor_seconds() - used;
    FILE *out = experiment_open(&e, "full_training.csv");
    fprintf(out, "target,arch,width,rmse_train,rmse_test,status,script_train,script_test\n");
    comparison c = {.least = INFINITY};
    printf("%-12s %5s", "target", "width");
    for (int a = 0; a < 3; a++) printf("   %-4strain %-9s %8s", archs[a], "test", "script");
    printf("\n");
    for (size_t t = 0; targets[t]; t++)
        for (size_t w = 0; w < WIDTHS; w++)
            if (experiment_wants(&e, 0, targets[t]) && experiment_wants_size(&e, 1, widths[w]))
                put_width(out, fits, t, w, &c);
    if (!e.only) print_comparison(&c);
    fprintf(stderr, "all fits, both targets, two processes: %.1f s, %.1f s of processor time\n",
            (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec), used);
    for (size_t s = 0; s < SWEEPS; s++) steep_table_free(&fits[s]);
    experiment_close(&e, out, "full_training.csv");
    experiment_draw(&e, "full_training");
    return 0;
}
