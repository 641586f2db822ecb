/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blending: the paper "Adaptive activation blending" on targets that are functions: silu and gelu blended per unit or per
 * layer, with and without the residual, beside the plain unit glu:silu (its table 1 and ablations), and the learned
 * weights w = sigmoid(e), which start at sigmoid(2) = 0.88 (its figure 1). All networks are trained by lm from the same
 * random starts (experiments/trained.h). Errors are log10 of the ratio to glu:silu with as many units. */
#include "trained.h"

enum { SEEDS = 10, TARGETS = 4, BINS = 20 };
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

static void put_row(FILE *out, size_t r)
{
    double mean[2] = {0, 0};
    printf("%-17s %4zu %4zu ", rows[r].label, job_of(r, 0)->end.parameters, job_of(r, 2)->end.parameters);
    for (size_t t = 0; t < TARGETS; t++) {
        double own[2], plain[2];
        trained_errors(job_of(r, t), SEEDS, &own[0], &own[1]);
        trained_errors(job_of(0, t), SEEDS, &plain[0], &plain[1]);
        for (int i = 0; i < 2; i++) mean[i] += log10(own[i] / plain[i]) / TARGETS;
        printf(" %6.2f %6.2f", log10(own[0] / plain[0]), log10(own[1] / plain[1]));
        fprintf(out, "%zu,%s,%zu,%s,%zu,%zu,%.17g,%.17g,%.17g,%.17g\n", r, rows[r].label, t, targets[t].name,
                targets[t].width, job_of(r, t)->end.parameters, own[0], own[1], log10(own[0] / plain[0]),
                log10(own[1] / plain[1]));
    }
    printf("  %6.2f %6.2f\n", mean[0], mean[1]);
}

static double sigmoid(double e)
{
    return (double)(1 / (1 + expl(-(long double)e)));
}

/* The weights of all seeds of a target: quartiles, how many are one activation, counts per bin. */
static void put_weights(const experiment *e, FILE *out, size_t t)
{
    size_t count = 0, bin[BINS] = {0}, low = 0, high = 0;
    double *w = experiment_numbers(e, SEEDS * TRAINED_SCALARS);
    for (size_t s = 0; s < SEEDS; s++) {
        const trained_end *end = &job_of(BLEND, t)[s].end;
        for (size_t i = 0; i < end->scalars; i++) w[count++] = sigmoid(end->scalar[i]);
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
        fprintf(out, "%zu,%s,%.17g,%.17g,%zu\n", t, targets[t].name, ((double)b + 0.5) / BINS,
                (double)bin[b] / (double)count, bin[b]);
    free(w);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "blending", "results/blending",
                                    "Blends of silu and gelu beside glu:silu, and the weights they learn.");
    for (size_t r = 0; r < ROWS; r++)
        for (size_t t = 0; t < TARGETS; t++)
            for (size_t s = 0; s < SEEDS; s++)
                job_of(r, t)[s] = (trained_job){.arch = rows[r].arch,
                                                .activation = rows[r].activation,
                                                .target = targets[t].name,
                                                .width = targets[t].width,
                                                .seed = s,
                                                .iterations = e.quick ? 10 : 150};
    trained_run(&e, jobs, ROWS * TARGETS * SEEDS);
    FILE *out = experiment_open(&e, "blending.csv"), *weights = experiment_open(&e, "weights.csv");
    fprintf(out, "row,unit,column,target,width,params,best,median,log10_best,log10_median\n");
    fprintf(weights, "column,target,weight,share,count\n");
    printf("log10 of the test error over that of glu:silu, best and median of %d starts\n", SEEDS);
    printf("%-17s %4s %4s ", "", "P", "P");
    for (size_t t = 0; t < TARGETS; t++) printf(" %13s", targets[t].name);
    printf("  mean\n%-17s %4s %4s ", "unit", "1D", "2D");
    for (size_t t = 0; t < TARGETS; t++) printf(" %6s %6s", "best", "median");
    printf("    best median\n");
    for (size_t r = 0; r < ROWS; r++) put_row(out, r);
    printf("weights w of blend: quartiles, and the shares below 0.05 (gelu alone) and above 0.95 (silu alone)\n");
    printf("%-12s %5s %7s %7s %7s %8s %8s\n", "target", "units", "first", "median", "third", "gelu", "silu");
    for (size_t t = 0; t < TARGETS; t++) put_weights(&e, weights, t);
    experiment_close(&e, out, "blending.csv");
    experiment_close(&e, weights, "weights.csv");
    experiment_draw(&e, "blending");
    return 0;
}
