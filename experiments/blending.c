/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blending: the paper "Adaptive activation blending" on targets that are functions: silu and gelu blended per unit or
 * per layer, with and without the residual, beside the plain unit glu:silu (its table 1 and ablations), and the learned
 * weights w = sigmoid(e), which start at sigmoid(2) = 0.88 (its figure 1). All networks are trained by lm from the same
 * random starts (experiments/trained.h). Errors are log10 of the ratio to glu:silu with as many units. */
#include "trained.h"

enum { SEEDS = 21, TARGETS = 4, BINS = 20 };
static const struct {
    const char *name;
    size_t width;
} targets[TARGETS] = {{"cosine_well", 8}, {"chirp", 8}, {"franke", 12}, {"runge3_2d", 12}};
static const struct {
    const char *label, *arch, *activation;
} rows[] = {{"glu:silu", "glu", "silu"},
            {"glu:gelu", "glu", "gelu"},
            {"blend", "blend", NULL},
            {"blend-plain", "blend-plain", NULL},
            {"blend-layer", "blend-layer", NULL},
            {"blend-layer-plain", "blend-layer-plain", NULL}};
enum { ROWS = sizeof rows / sizeof *rows, BLEND = 2 };

static trained_job jobs[ROWS * TARGETS * SEEDS];

static trained_job *job_of(size_t row, size_t target)
{
    return jobs + (row * TARGETS + target) * SEEDS;
}

static bool wants(const experiment *e, size_t t, size_t r)
{
    return experiment_wants(e, 0, targets[t].name) && experiment_wants(e, 1, rows[r].label);
}

static void run_row(const experiment *e, size_t r, size_t t)
{
    for (size_t s = 0; s < SEEDS; s++)
        job_of(r, t)[s] = (trained_job){.arch = rows[r].arch,
                                        .activation = rows[r].activation,
                                        .target = targets[t].name,
                                        .width = targets[t].width,
                                        .seed = s,
                                        .iterations = e->quick ? 10 : 80};
    trained_run(e, job_of(r, t), SEEDS);
}

static void put_row(FILE *out, size_t t, size_t r)
{
    double own[2], plain[2];
    size_t P = job_of(r, t)->end.parameters;
    trained_errors(job_of(r, t), SEEDS, &own[0], &own[1]);
    trained_errors(job_of(0, t), SEEDS, &plain[0], &plain[1]);
    printf("%-12s %-17s %4zu %9.2e %9.2e %6.2f %6.2f\n", targets[t].name, rows[r].label, P, own[0], own[1],
           log10(own[0] / plain[0]), log10(own[1] / plain[1]));
    fprintf(out, "%s,%zu,%.17g\n", rows[r].label, t, log10(own[1] / plain[1]));
}

/* Every row is compared with the first. Mean over the targets of the logarithms above, and the standard error of the
 * mean of medians. */
static void put_mean(size_t r)
{
    double mean[2] = {0, 0}, variance = 0;
    for (size_t t = 0; t < TARGETS; t++) {
        double own[2], plain[2];
        trained_errors(job_of(r, t), SEEDS, &own[0], &own[1]);
        trained_errors(job_of(0, t), SEEDS, &plain[0], &plain[1]);
        for (int i = 0; i < 2; i++) mean[i] += log10(own[i] / plain[i]) / TARGETS;
        variance += trained_variance(job_of(r, t), SEEDS) + trained_variance(job_of(0, t), SEEDS);
    }
    printf("%-12s %-17s %4s %9s %9s %6.2f %6.2f +-%4.2f\n", "mean", rows[r].label, "", "", "", mean[0], mean[1],
           sqrt(variance) / TARGETS);
}

/* The weights of all seeds of a target: quartiles, how many are one activation, counts per bin. */
static void put_weights(FILE *out, size_t t)
{
    size_t count = 0, bin[BINS] = {0}, low = 0, high = 0;
    double w[SEEDS * TRAINED_SCALARS];
    for (size_t s = 0; s < SEEDS; s++) {
        const trained_end *end = &job_of(BLEND, t)[s].end;
        for (size_t i = 0; i < end->scalars; i++) w[count++] = 1 / (1 + exp(-end->scalar[i]));
    }
    steep_sort_numbers(w, count);
    for (size_t i = 0; i < count; i++) {
        size_t b = (size_t)(w[i] * BINS);
        bin[b < BINS ? b : BINS - 1]++;
        low += w[i] < 0.05;
        high += w[i] > 0.95;
    }
    printf("%-12s %5zu %7.3f %7.3f %7.3f %8.2f %8.2f\n", targets[t].name, count, w[count / 4], w[count / 2],
           w[3 * count / 4], (double)low / (double)count, (double)high / (double)count);
    for (size_t b = 0; b < BINS; b++)
        fprintf(out, "%zu,%.17g,%.17g\n", t, ((double)b + 0.5) / BINS, (double)bin[b] / (double)count);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "blending", "target unit",
                                         "Blends of silu and gelu beside glu:silu, and the weights they learn.");
    bool found = false;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t t = 0; t < TARGETS; t++) {
            found = found || wants(&e, t, r);
            if (wants(&e, t, r) || (r == 0 && experiment_wants(&e, 0, targets[t].name))) run_row(&e, r, t);
        }
    experiment_found(&e, found);
    FILE *out = experiment_open(&e, "blending.csv", "unit,column,log10_median"),
         *weights = experiment_open(&e, "weights.csv", "column,weight,share");
    printf("test errors, best and median of %d starts, and log10 of their ratio to those of glu:silu\n", SEEDS);
    printf("%-12s %-17s %4s %9s %9s %6s %6s\n", "target", "unit", "P", "best", "median", "best", "median");
    for (size_t t = 0; t < TARGETS; t++)
        for (size_t r = 0; r < ROWS; r++)
            if (wants(&e, t, r)) put_row(out, t, r);
    for (size_t r = 1; r < ROWS && !e.only; r++) put_mean(r);
    if (!e.only) {
        printf("weights w of blend: quartiles, and the shares below 0.05 (gelu alone) and above 0.95 (silu alone)\n");
        printf("%-12s %5s %7s %7s %7s %8s %8s\n", "target", "units", "first", "median", "third", "gelu", "silu");
        for (size_t t = 0; t < TARGETS; t++) put_weights(weights, t);
    }
    experiment_close(&e, out, "blending.csv");
    experiment_close(&e, weights, "weights.csv");
    experiment_draw(&e, "blending");
    return 0;
}
