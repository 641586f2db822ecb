/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixtures: the ablations of the paper "Mixture of activations" (its tables 1 and 2) on targets that are functions. All
 * networks are trained by lm from the same random starts (experiments/trained.h). An error is given relative to the
 * plain unit of the paper, mlp:relu2 for one branch and glu:silu for two, as log10 of the ratio of test errors, 0 or
 * below where the mixture is as good or better.
 *
 *   dictionary   it grows from left to right, gates softmax as in the paper's table 1; two branches have id besides
 *   gate         softmax, tanh, sigmoid
 *   width        the errors against the width, and their slope against the parameters; by varpro, from gates at equal
 *                distances: lm from random starts ends at errors that do not fall with the width
 *
 * "same width" compares with as many units, "same P" with the widest plain network that has no more parameters; +- is
 * the standard error of the mean, by what the starts of the mixture and of the plain unit differ. */
#include "trained.h"

enum { SEEDS = 21, TARGETS = 4, WIDTHS = 6, MOST = 8192 };
static const struct {
    const char *name;
    size_t dim, width;
} targets[TARGETS] = {{"cosine_well", 1, 8}, {"chirp", 1, 8}, {"franke", 2, 12}, {"runge3_2d", 2, 12}};
static const char *const archs[] = {"la", "moa", "one-la", "bi-la", "qd-la", "one-moa", "bi-moa", "qd-moa"};
static const char *const dictionaries[] = {"gs", "gsr2", "gsr2lr", "gsr2lrt"};
static const size_t widths[WIDTHS] = {4, 6, 8, 12, 16, 24};
#define WIDTH_TARGET "cosine_well"

/* A line of the table: what is trained, for every target. */
typedef struct variant {
    const char *part, *arch, *gate;
    char dictionary[16];
    size_t branches;
    size_t first[TARGETS], plain[TARGETS], large[TARGETS]; /* jobs: its own; of the plain unit, same width, same P */
} variant;

static variant variants[64];
static size_t variant_count, job_count;
static trained_job jobs[MOST];

static void add_variant(const experiment *e, const char *part, const char *arch, const char *letters, const char *gate)
{
    variant *v = &variants[variant_count];
    if (!experiment_wants(e, 0, part) || !experiment_wants(e, 1, arch)) return;
    v->branches = arch[0] == 'l' || arch[0] == 'm' ? 1 : 2;
    v->part = part;
    v->arch = arch;
    v->gate = strstr(arch, "moa") ? gate : NULL;
    snprintf(v->dictionary, sizeof v->dictionary, "%s%s", v->branches > 1 ? "i" : "", letters);
    variant_count++;
}

static void list_variants(const experiment *e)
{
    static const char *const gates[] = {"softmax", "tanh", "sigmoid"}, *const gated[] = {"moa", "one-moa", "bi-moa"};
    for (size_t d = 0; d < sizeof dictionaries / sizeof *dictionaries; d++)
        for (size_t a = 0; a < sizeof archs / sizeof *archs && (!e->quick || d == 1); a++)
            add_variant(e, "dictionary", archs[a], dictionaries[d], "softmax");
    for (size_t g = 0; g < 3; g++) {
        for (size_t a = 0; a < 3; a++) add_variant(e, "gate", gated[a], "gsr2lr", gates[g]);
        add_variant(e, "gate", "qd-moa", "gsr2", gates[g]);
    }
}

/* The first of SEEDS jobs like this one, which are added unless they are there. */
static size_t find_jobs(const experiment *e, trained_job j)
{
    for (size_t i = 0; i < job_count; i += SEEDS)
        if (strcmp(jobs[i].arch, j.arch) == 0 && jobs[i].activation == j.activation && jobs[i].gate == j.gate &&
            jobs[i].target == j.target && jobs[i].width == j.width && jobs[i].spread == j.spread &&
            strcmp(jobs[i].dictionary ? jobs[i].dictionary : "", j.dictionary ? j.dictionary : "") == 0)
            return i;
    for (size_t s = 0; s < SEEDS; s++) {
        j.seed = s;
        j.iterations = e->quick ? 20 : j.spread ? 200 : 80;
        jobs[job_count++] = j;
    }
    return job_count - SEEDS;
}

static size_t parameters(const experiment *e, const trained_job *j, size_t dim, size_t width)
{
    steep_network network;
    steep_error error;
    if (trained_network(j, dim, width, &network, &error) < 0) experiment_die(e, &error, 1);
    return network.parameters;
}

static trained_job plain_job(size_t branches, const char *target, size_t width)
{
    return branches == 1 ? (trained_job){.arch = "mlp", .activation = "relu2", .target = target, .width = width}
                         : (trained_job){.arch = "glu", .activation = "silu", .target = target, .width = width};
}

static void list_jobs(const experiment *e, variant *v)
{
    for (size_t t = 0; t < TARGETS; t++) {
        const char *target = targets[t].name;
        size_t n = targets[t].width, dim = targets[t].dim, large = n;
        const trained_job own = {v->arch, NULL, v->dictionary, v->gate, target, .width = n},
                          plain = plain_job(v->branches, target, n);
        const size_t P = parameters(e, &own, dim, n);
        while (parameters(e, &plain, dim, large + 1) <= P) large++;
        v->first[t] = find_jobs(e, own);
        v->plain[t] = find_jobs(e, plain);
        v->large[t] = find_jobs(e, plain_job(v->branches, target, large));
    }
}

/* log10 of best over best and median over median of SEEDS jobs; the variance of the latter. */
static double compare(size_t own, size_t plain, double *best, double *median)
{
    double b[2], m[2];
    trained_errors(jobs + own, SEEDS, &b[0], &m[0]);
    trained_errors(jobs + plain, SEEDS, &b[1], &m[1]);
    *best = log10(b[0] / b[1]);
    *median = log10(m[0] / m[1]);
    return trained_variance(jobs + own, SEEDS) + trained_variance(jobs + plain, SEEDS);
}

static void put_variant(FILE *out, const variant *v)
{
    double mean[2] = {0, 0}, variance[2] = {0, 0};
    printf("%-10s %-7s %-8s %-7s %4zu %4zu ", v->part, v->arch, v->dictionary, v->gate ? v->gate : "-",
           jobs[v->first[0]].end.parameters, jobs[v->first[2]].end.parameters);
    for (size_t t = 0; t < TARGETS; t++) {
        double best, median, large_best, large_median;
        variance[0] += compare(v->first[t], v->plain[t], &best, &median) / (TARGETS * TARGETS);
        variance[1] += compare(v->first[t], v->large[t], &large_best, &large_median) / (TARGETS * TARGETS);
        mean[0] += median / TARGETS;
        mean[1] += large_median / TARGETS;
        printf(" %6.2f %6.2f", best, median);
    }
    fprintf(out, "%s,%s,%s,%s,%.17g\n", v->part, v->arch, v->dictionary, v->gate ? v->gate : "", mean[0]);
    printf("  %6.2f +-%4.2f %6.2f +-%4.2f\n", mean[0], sqrt(variance[0]), mean[1], sqrt(variance[1]));
}

static const struct {
    const char *label;
    trained_job job;
} lines[] = {{"mlp:relu2", {.arch = "mlp", .activation = "relu2"}},
             {"mlp:gelu", {.arch = "mlp", .activation = "gelu"}},
             {"la", {.arch = "la", .dictionary = "gsr2lr"}},
             {"moa", {.arch = "moa", .dictionary = "gsr2lr", .gate = "sigmoid"}},
             {"glu:silu", {.arch = "glu", .activation = "silu"}},
             {"bi-la", {.arch = "bi-la", .dictionary = "igsr2lr"}},
             {"bi-moa", {.arch = "bi-moa", .dictionary = "igsr2lr", .gate = "sigmoid"}}};
enum { LINES = sizeof lines / sizeof *lines };

static bool wants_line(const experiment *e, size_t l)
{
    return experiment_wants(e, 0, "width") && experiment_wants(e, 1, lines[l].label);
}

/* Of a line at a width; the jobs are added unless they are there. */
static size_t line_jobs(const experiment *e, size_t l, size_t width)
{
    trained_job job = lines[l].job;
    job.target = WIDTH_TARGET;
    job.width = width;
    job.spread = true;
    return find_jobs(e, job);
}

static void put_line(const experiment *e, FILE *out, size_t l)
{
    double P[WIDTHS], best[WIDTHS], median;
    steep_slope slope;
    steep_error error;
    const trained_job *line = &lines[l].job;
    printf("%-10s %-9s %-8s %-8s", "width", lines[l].label, line->dictionary ? line->dictionary : "-",
           line->gate ? line->gate : "-");
    for (size_t w = 0; w < WIDTHS; w++) {
        const trained_job *j = jobs + line_jobs(e, l, widths[w]);
        P[w] = (double)j->end.parameters;
        trained_errors(j, SEEDS, &best[w], &median);
        printf(" %9.2e", best[w]);
        fprintf(out, "%s,%zu,%.17g\n", lines[l].label, j->end.parameters, best[w]);
    }
    if (steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){WIDTHS, P, best, NULL}, NULL, &slope, &error) < 0)
        experiment_die(e, &error, 1);
    printf(" %7.2f\n", slope.slope);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "mixtures", "part unit",
                                         "Mixtures of activations beside the plain unit: dictionary, gate, width.");
    list_variants(&e);
    for (size_t i = 0; i < variant_count; i++) list_jobs(&e, &variants[i]);
    for (size_t i = 0; i < LINES * WIDTHS; i++)
        if (wants_line(&e, i / WIDTHS)) line_jobs(&e, i / WIDTHS, widths[i % WIDTHS]);
    experiment_found(&e, job_count > 0);
    trained_run(&e, jobs, job_count);
    FILE *out = experiment_open(&e, "mixtures.csv", "part,unit,dictionary,gate,mean"),
         *width = experiment_open(&e, "widths.csv", "unit,params,best");
    printf("log10 of the test error over that of the plain unit (mlp:relu2, glu:silu), best and median of %d starts\n",
           SEEDS);
    printf("%-10s %-7s %-8s %-7s %4s %4s ", "", "", "", "", "P", "P");
    for (size_t t = 0; t < TARGETS; t++) printf(" %13s", targets[t].name);
    printf("   mean of medians, +- its error\n%-10s %-7s %-8s %-7s %4s %4s ", "part", "unit", "letters", "gate", "1D",
           "2D");
    for (size_t t = 0; t < TARGETS; t++) printf(" %6s %6s", "best", "median");
    printf("     same width        same P\n");
    for (size_t i = 0; i < variant_count; i++) put_variant(out, &variants[i]);
    printf("best test error of %d starts, varpro, on %s at widths 4, 6, 8, 12, 16, 24; slope against P\n", SEEDS,
           WIDTH_TARGET);
    for (size_t l = 0; l < LINES; l++)
        if (wants_line(&e, l)) put_line(&e, width, l);
    experiment_close(&e, out, "mixtures.csv");
    experiment_close(&e, width, "widths.csv");
    experiment_draw(&e, "mixtures");
    return 0;
}
