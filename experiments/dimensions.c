/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dimensions: errors in two to eight dimensions from random starts, all parameters trained, on points that the fit does
 * not see, and their slopes against parameters over seeds, beside those published for the GLU paper's architectures.
 *
 *   2D          varpro, 4,000 random points, tested on the grid; beside the paper's released code (Newton,
 *               layer by layer, then all; 2,000 points, one seed)
 *   Friedman    lm, 4,000 random points, tested on 4,000 others, inputs and output standardized
 *   data        lm, standardized, a fifth held out for the test, the same for all seeds: --data DIR, the folder with
 *               airfoil.csv and california.csv (docs/results/glu.md says where to get them)
 *
 * On the paper's target in 2D and its relative eight seeds, one start at every width. Elsewhere three seeds, each the
 * best of five starts at the two smaller widths, where starts differ most, and one at the two larger. A slope is that of
 * a line through all widths of a seed, as papers measure it: the median over seeds, with the 95 % interval of their
 * mean; beside it, of eight seeds, that of the line through the best of each width. Published: the table of the paper's
 * later preprint; no interval and no errors are printed there. */
#include "experiment.h"
#include "slope/seeds.h"

enum { ARCHS = 3, WIDTHS = 4, SEEDS = 8, FEW = 3, PARTS = 2 }; /* SEEDS: at most; FEW: where fits take minutes */
static const char *const archs[ARCHS + 1] = {"mlp", "glu", "gqu", NULL};

typedef struct problem {
    const char *name;  /* of the target, or of the file without .csv */
    const char *x, *y; /* columns of a file; NULL: a target */
    size_t dim, first; /* the smallest width; three more by doubling */
    size_t steps;      /* of the solver */
    size_t seeds, restarts[PARTS];
    double published[ARCHS];
} problem;

static const problem problems[] = {
    {"sin4sin4", NULL, NULL, 2, 4, 100, SEEDS, {0, 0}, {-0.91, -1.55, NAN}},
    {"cos4cos4", NULL, NULL, 2, 4, 100, SEEDS, {0, 0}, {NAN, NAN, NAN}},
    {"runge3_2d", NULL, NULL, 2, 4, 100, FEW, {4, 0}, {NAN, NAN, NAN}},
    {"friedman1", NULL, NULL, 5, 2, 60, FEW, {4, 0}, {-0.55, -1.00, NAN}},
    {"friedman2", NULL, NULL, 4, 2, 60, FEW, {4, 0}, {-0.75, -1.12, NAN}},
    {"friedman3", NULL, NULL, 4, 2, 60, FEW, {4, 0}, {-0.31, -0.56, NAN}},
    {"airfoil", "frequency,angle,chord,velocity,thickness", "pressure", 5, 2, 60, FEW, {4, 0}, {-0.25, -0.39, NAN}},
    {"california",
     "income,age,rooms,bedrooms,population,occupancy,latitude,longitude",
     "value",
     8,
     1,
     40,
     FEW,
     {4, 0},
     {-0.09, -0.09, NAN}},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* Test errors of the released code at n = 4, 8, 16, 32; NaN: not run. */
static const struct {
    const char *name, *arch;
    double error[WIDTHS];
} reference[] = {{"sin4sin4", "mlp", {4.095904e-1, 3.911790e-1, 3.528810e-1, 4.230100e-2}},
                 {"sin4sin4", "glu", {4.194775e-1, 3.394757e-1, 1.430977e-1, 1.271151e-1}},
                 {"cos4cos4", "mlp", {4.626392e-1, NAN, 3.285322e-1, NAN}},
                 {"cos4cos4", "glu", {3.025586e-1, 1.748378e-1, 1.436809e-1, NAN}}};

typedef struct files {
    FILE *slopes, *errors, *reference;
} files;

/* The fits of a problem at its two smaller or its two larger widths, of the architectures asked for. */
static steep_table run_part(const experiment *e, const problem *p, size_t part)
{
    char list[256], widths[32], seeds[32], path[1024], folder[64];
    const size_t low = (part ? 4 : 1) * p->first;
    steep_sweep_options options = steep_sweep_options_default();
    snprintf(widths, sizeof widths, "%zu,%zu", low, 2 * low);
    snprintf(seeds, sizeof seeds, "0:%zu", e->quick ? 1 : p->seeds - 1);
    snprintf(folder, sizeof folder, "%s-%s", p->name, part ? "large" : "small");
    if (p->x) {
        snprintf(path, sizeof path, "%s/%s.csv", e->data, p->name);
        options.problem.data = path, options.problem.x = p->x, options.problem.y = p->y;
        options.problem.holdout = 0.2;
    } else {
        options.problem.target = p->name;
        options.problem.samples = e->quick ? 1000 : 4000;
        options.problem.sampling = "random";
    }
    options.problem.standardize = p->dim > 2;
    options.problem.test = p->dim > 2 && !p->x ? "random" : "grid";
    options.problem.seeds = seeds;
    options.model.arch = experiment_list(e, 1, archs, ',', list);
    options.model.widths = widths;
    options.solver.solver = p->dim > 2 ? "lm" : "varpro";
    options.solver.start = "random";
    options.solver.max_iterations = e->quick ? 20 : p->steps;
    options.solver.restarts = p->restarts[part];
    experiment_sweep(e, &options, folder);
    return experiment_table(e, folder, "fits.csv");
}

/* Errors of an architecture: error[seed][width], NaN where a fit failed, and its parameters at each width. */
typedef struct errors {
    double error[SEEDS][WIDTHS], parameters[WIDTHS];
} errors;

static void read_errors(const steep_table *fits, const problem *p, const char *arch, errors *it)
{
    for (size_t r = 0; r < fits->rows; r++) {
        if (strcmp(experiment_text(fits, r, "arch"), arch) != 0) continue;
        const double ratio = experiment_number(fits, r, "width") / (double)p->first;
        const size_t w = (size_t)(log2(ratio) + 0.5), s = (size_t)experiment_number(fits, r, "seed");
        it->error[s][w] = experiment_number(fits, r, "rmse_test");
        it->parameters[w] = experiment_number(fits, r, "params");
    }
}

/* Of the line through all widths. */
static double line(const experiment *e, const errors *it, const double *error_at)
{
    steep_slope one;
    steep_error error;
    const steep_slope_points points = {WIDTHS, it->parameters, error_at, NULL};
    if (steep_slope_measure(STEEP_SLOPE_ALL, &points, NULL, &one, &error) < 0) experiment_die(e, &error, 1);
    return one.slope;
}

static steep_slope slope_of(const experiment *e, const problem *p, const errors *it)
{
    double slope[SEEDS];
    for (size_t s = 0; s < p->seeds; s++) slope[s] = line(e, it, it->error[s]);
    return steep_slope_over_seeds(p->seeds, slope, 0.95);
}

static int compare(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* The seeds' errors at a width, ascending; how many there are. */
static size_t sorted(const errors *it, size_t w, double *list)
{
    size_t count = 0;
    for (size_t s = 0; s < SEEDS; s++)
        if (!isnan(it->error[s][w])) list[count++] = it->error[s][w];
    qsort(list, count, sizeof *list, compare);
    return count;
}

static void print_number(const char *format, double value, int width)
{
    if (isnan(value)) printf(" %*s", width, "-");
    else printf(format, value);
}

static void put_row(const experiment *e, const files *out, const problem *p, size_t a, const errors *it)
{
    double list[SEEDS] = {0}, best[WIDTHS];
    const steep_slope slope = slope_of(e, p, it);
    printf("%-10s %zu  %-4s %-9s %3zu", p->name, p->dim, archs[a], "steep", p->first);
    for (size_t w = 0; w < WIDTHS; w++) {
        const size_t count = sorted(it, w, list);
        best[w] = count ? list[0] : NAN;
        print_number(" %9.2e", best[w], 9);
        if (count > 0)
            fprintf(out->errors, "%s,%s,%zu,%.0f,%.9g,%.9g,%.9g\n", p->name, archs[a], p->first << w, it->parameters[w],
                    steep_quantile(list, count, 0.5), list[0], list[count - 1]);
    }
    const double steepness = p->seeds == SEEDS ? line(e, it, best) : NAN; /* the best of three says little */
    printf("   %5.2f [%5.2f, %5.2f]", slope.slope, slope.low, slope.high);
    print_number("  %5.2f", steepness, 6);
    print_number("  %5.2f", p->published[a], 6);
    printf("\n");
    fprintf(out->slopes, "%s,%zu,%s,%.9g,%.9g,%.9g,%.9g,%.9g\n", p->name, p->dim, archs[a], slope.slope, slope.low,
            slope.high, p->published[a], steepness);
}

/* What the released code came to, below ours. */
static void put_reference(const files *out, const problem *p, const char *arch, const errors *it)
{
    for (size_t r = 0; r < sizeof reference / sizeof *reference; r++) {
        if (strcmp(reference[r].name, p->name) != 0 || strcmp(reference[r].arch, arch) != 0) continue;
        printf("%-10s %zu  %-4s %-9s %3zu", p->name, p->dim, arch, "released", p->first);
        for (size_t w = 0; w < WIDTHS; w++) {
            print_number(" %9.2e", reference[r].error[w], 9);
            if (!isnan(it->parameters[w]) && !isnan(reference[r].error[w]))
                fprintf(out->reference, "%s,%s,%.0f,%.9g\n", p->name, arch, it->parameters[w], reference[r].error[w]);
        }
        printf("\n");
    }
}

static void do_problem(const experiment *e, const files *out, const problem *p)
{
    const size_t parts = e->quick ? 1 : PARTS;
    steep_table fits[PARTS];
    for (size_t i = 0; i < parts; i++) fits[i] = run_part(e, p, i);
    for (size_t a = 0; a < ARCHS; a++) {
        errors it;
        for (size_t i = 0; i < SEEDS * WIDTHS; i++) it.error[i / WIDTHS][i % WIDTHS] = NAN;
        for (size_t w = 0; w < WIDTHS; w++) it.parameters[w] = NAN;
        for (size_t i = 0; i < parts; i++) read_errors(&fits[i], p, archs[a], &it);
        if (!experiment_wants(e, 1, archs[a])) continue;
        put_row(e, out, p, a, &it);
        put_reference(out, p, archs[a], &it);
    }
    for (size_t i = 0; i < parts; i++) steep_table_free(&fits[i]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    experiment e = {.name = "dimensions",
                    .out = "results/dimensions",
                    .takes_data = "folder with airfoil.csv and california.csv; without it their rows are left out"};
    experiment_parse(&e, argc, argv, "Errors and slopes in two to eight dimensions, beside published ones.",
                     "problem arch");
    bool any = false;
    files out = {experiment_open(&e, "slopes.csv"), experiment_open(&e, "errors.csv"),
                 experiment_open(&e, "reference.csv")};
    fprintf(out.slopes, "problem,dim,arch,slope,low,high,published,best\n");
    fprintf(out.errors, "problem,arch,width,params,median,best,worst\n");
    fprintf(out.reference, "problem,arch,params,error\n");
    printf("%-10s %s  %-4s %-9s %3s %9s %9s %9s %9s   %-20s  %5s  %s\n", "problem", "d", "arch", "code", "n", "n",
           "2 n", "4 n", "8 n", "slope against P", "best", "published");
    for (size_t i = 0; i < PROBLEMS; i++) {
        if (!experiment_wants(&e, 0, problems[i].name)) continue;
        any = true;
        if (!problems[i].x || e.data) do_problem(&e, &out, &problems[i]);
        else
            fprintf(stderr, "%s: %s is left out: --data DIR gives the folder of %s.csv\n", e.name, problems[i].name,
                    problems[i].name);
    }
    experiment_found(&e, any);
    printf("(errors: test RMSE, the best seed; slope: median over seeds, 95 %% interval of their mean; best: of the "
           "best seeds' line)\n");
    experiment_close(&e, out.slopes, "slopes.csv");
    experiment_close(&e, out.errors, "errors.csv");
    experiment_close(&e, out.reference, "reference.csv");
    experiment_draw(&e, "dimensions");
    return 0;
}
