/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contest: every row of the table of architectures, some with other activations and degrees too, on targets in one,
 * two, four and five dimensions, at one budget of parameters; for all the same search. The width is the largest whose
 * parameters fit the budget. Variable projection, 60 iterations at most, from each of these starts:
 *
 *   1D             uniform gates as steep as 1 and as n/4; three random starts
 *   more           ridges as steep as 1 and as n/4; uniform ones; two random starts
 *
 * The least training error counts. Training points: 1001 equispaced in 1D, else 2000 at random; the error is that on
 * 8001, else 10,000 others, as a share of the target's deviation there: 1 is what a constant reaches.
 *
 * A unit whose coefficients all units share is little hindered by the budget, one with its own pays for them. */
#include "fit/solvers.h"

#include "budget.h"

static const struct {
    const char *formula, *domain, *label;
} targets[] = {{"abs(x)^1.5", NULL, "|x|^{1.5}"},
               {"atan(20*x)", NULL, "front"},
               {"sin(3*x)+0.2*sin(30*x)", NULL, "two scales"},
               {"chirp", NULL, "chirp"},
               {"cosine_well", NULL, "cosine well"},
               {"runge3_2d", NULL, "runge3 2D"},
               {"franke", NULL, "Franke"},
               {"tanh(2*x)*max(y,0)", NULL, "gated 2D"},
               {"atan(8*(x+y^2-0.4))", NULL, "front 2D"},
               {"exp(-x1)*cos(3*x2+x3*x4)", NULL, "waves 4D"},
               {"10*sin(pi*x1*x2)+20*(x3-0.5)^2+10*x4+5*x5", "0:1,0:1,0:1,0:1,0:1", "Friedman1"}};
/* Beside the rows of the table with their defaults. */
static const struct {
    const char *arch, *activation, *dictionary;
    size_t degree;
} more[] = {{"mlp", "relu2", NULL, 0},      {"mlp", "relu3", NULL, 0},   {"mlp", "gelu", NULL, 0},
            {"mlp", "silu", NULL, 0},       {"mlp", "tanh", NULL, 0},    {"glu", "gelu", NULL, 0},
            {"glu", "silu", NULL, 0},       {"gqu", "gelu", NULL, 0},    {"gqu", "silu", NULL, 0},
            {"la", NULL, "gsr2", 0},        {"qd-la", NULL, "gsr2", 0},  {"moa", NULL, "gsr2", 0},
            {"qd-moa", NULL, "gsr2", 0},    {"hermite", NULL, NULL, 8},  {"fourier", NULL, NULL, 8},
            {"fourier-own", NULL, NULL, 8}, {"tropical", NULL, NULL, 8}, {"polynorm", NULL, NULL, 6}};
enum {
    TARGETS = sizeof targets / sizeof *targets,
    MORE = sizeof more / sizeof *more,
    ONE_DIMENSIONAL = 5,
    MOST = 96, /* units */
    BUDGET = 120,
    TRIES = 5
};

typedef struct outcome {
    double train, test; /* as shares of the target's deviation */
    size_t width, parameters;
    int attempt; /* which start won */
} outcome;

typedef struct unit {
    const steep_architecture *architecture;
    steep_choice choice;
    char name[40];
} unit;

typedef struct job {
    const unit *unit;
    size_t target;
    bool quick;
    outcome end;
} job;

/* All units that take part: the table's rows, then the others. */
static size_t list_units(const experiment *e, unit *units)
{
    size_t count = 0;
    steep_error error;
    for (const steep_architecture *a; (a = steep_architecture_table(count)) && count < MOST - MORE; count++) {
        units[count] = (unit){.architecture = a, .choice = steep_choice_default(a)};
        snprintf(units[count].name, sizeof units[count].name, "%s", a->name);
    }
    for (size_t m = 0; m < MORE; m++) {
        unit *u = &units[count++];
        u->architecture = steep_architecture_find(more[m].arch, NULL, 0);
        u->choice = steep_choice_default(u->architecture);
        if (steep_choice_parse(more[m].activation, more[m].dictionary, NULL, &u->choice, &error) < 0)
            experiment_die(e, &error, 1);
        if (more[m].degree) {
            u->choice.degree = (int)more[m].degree;
            snprintf(u->name, sizeof u->name, "%s:%zu", more[m].arch, more[m].degree);
        } else
            snprintf(u->name, sizeof u->name, "%s:%s", more[m].arch,
                     more[m].activation ? more[m].activation : more[m].dictionary);
    }
    return count;
}

/* The starts, in the order of the opening comment. */
static steep_start_kind start_of(size_t dim, size_t attempt)
{
    static const steep_start_kind one[TRIES] = {STEEP_START_UNIFORM, STEEP_START_UNIFORM, STEEP_START_RANDOM,
                                                STEEP_START_RANDOM, STEEP_START_RANDOM},
                                  many[TRIES] = {STEEP_START_RIDGE, STEEP_START_RIDGE, STEEP_START_UNIFORM,
                                                 STEEP_START_RANDOM, STEEP_START_RANDOM};
    return dim == 1 ? one[attempt] : many[attempt];
}

/* All attempts on one problem. One that fails is left out: its solver says it cannot go on from there. */
static steep_status compete(const budget_problem *b, bool quick, outcome *o, steep_error *error)
{
    double *theta = malloc(b->network.parameters * sizeof *theta);
    if (!theta) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", b->network.parameters);
    for (size_t attempt = 0; attempt < (quick ? 2 : TRIES); attempt++) {
        steep_fit_result result;
        steep_fit_options options = steep_fit_options_default();
        options.solver = STEEP_SOLVER_VARPRO;
        options.max_iterations = quick ? 10 : 60;
        options.initial = theta;
        steep_status status = budget_start(b, start_of(b->network.dim, attempt), attempt, attempt == 1, theta, error);
        if (status < 0) break;
        status = steep_fit(&b->problem, &options, &result, error);
        if (status >= 0 && result.rmse_train / b->scale < o->train) {
            o->train = result.rmse_train / b->scale;
            o->test = result.rmse_test / b->scale;
            o->attempt = (int)attempt;
        }
        steep_fit_result_free(&result);
        if (status == STEEP_NO_MEMORY) break;
    }
    free(theta);
    return STEEP_OK;
}

static steep_status work(const void *item, void *result, steep_error *error)
{
    const job *j = item;
    outcome *o = result;
    budget_problem b;
    *o = (outcome){INFINITY, INFINITY, 0, 0, -1};
    steep_status status = budget_open(&b, targets[j->target].formula, targets[j->target].domain, j->unit->architecture,
                                      &j->unit->choice, BUDGET, error);
    if (status == STEEP_OK && b.network.width > 0) {
        o->width = b.network.width;
        o->parameters = b.network.parameters;
        status = compete(&b, j->quick, o, error);
    }
    budget_close(&b);
    return status;
}

/* Decades of a unit's error above the least of its column; errors below 1e-12 of the deviation are all alike. */
static double decades(const job *jobs, size_t count, size_t u, size_t t)
{
    const double least = 1e-12;
    double best = INFINITY;
    for (size_t v = 0; v < count; v++) best = fmin(best, jobs[v * TARGETS + t].end.test);
    return log10(fmax(jobs[u * TARGETS + t].end.test, least) / fmax(best, least));
}

/* The mean of decades over targets first .. last - 1. */
static double mean_decades(const job *jobs, size_t count, size_t u, size_t first, size_t last)
{
    double sum = 0;
    for (size_t t = first; t < last; t++) sum += decades(jobs, count, u, t);
    return sum / (double)(last - first);
}

/* Units from the best to the worst: by the mean of the means in one and in more dimensions. Ties by the table. */
static void rank_units(const job *jobs, size_t count, size_t *order)
{
    double score[MOST];
    for (size_t u = 0; u < count; u++) {
        score[u] =
            mean_decades(jobs, count, u, 0, ONE_DIMENSIONAL) + mean_decades(jobs, count, u, ONE_DIMENSIONAL, TARGETS);
        size_t i = u;
        for (; i > 0 && score[u] < score[order[i - 1]]; i--) order[i] = order[i - 1];
        order[i] = u;
    }
}

/* An error with as many digits as it is sure of: "-" where no network of the unit is within the budget. */
static void print_unit(const job *jobs, size_t count, size_t u)
{
    printf("%-21s", jobs[u * TARGETS].unit->name);
    for (size_t t = 0; t < TARGETS; t++) {
        double test = jobs[u * TARGETS + t].end.test;
        if (isfinite(test)) printf(" %8.1e%c", test, decades(jobs, count, u, t) == 0 ? '*' : ' ');
        else printf(" %8s ", "-");
    }
    printf(" %5.2f %5.2f\n", mean_decades(jobs, count, u, 0, ONE_DIMENSIONAL),
           mean_decades(jobs, count, u, ONE_DIMENSIONAL, TARGETS));
}

static void put_unit(FILE *out, const job *jobs, size_t count, size_t u, size_t row)
{
    for (size_t t = 0; t < TARGETS; t++) {
        const outcome *o = &jobs[u * TARGETS + t].end;
        double above = decades(jobs, count, u, t);
        fprintf(out, "%zu,%zu,%s,%s,%zu,%zu,%.17g,%.17g,%.17g,%d,%d\n", row, t, jobs[u * TARGETS].unit->name,
                targets[t].label, o->width, o->parameters, o->train, o->test, above, above == 0, o->attempt);
    }
}

int main(int argc, char **argv)
{
    static unit units[MOST];
    static job jobs[MOST * TARGETS];
    experiment e = experiment_begin_rows(argc, argv, "contest", "unit",
                                         "Every unit on targets in one to five dimensions, at one budget.");
    size_t all = list_units(&e, units), count = 0, order[MOST];
    for (size_t u = 0; u < all; u++)
        if (experiment_wants(&e, 0, units[u].name) && (!e.quick || u % 7 == 0))
            for (size_t t = 0; t < TARGETS; t++)
                jobs[count++] = (job){.unit = &units[u], .target = t, .quick = e.quick};
    experiment_found(&e, count > 0);
    experiment_run(&e, (experiment_jobs){jobs, count, sizeof(job), offsetof(job, end), sizeof(outcome), work});
    count /= TARGETS;
    rank_units(jobs, count, order);
    FILE *out =
        experiment_open(&e, "contest.csv", "row,column,unit,target,width,params,train,test,decades,winner,attempt");
    printf("error at most %d parameters, as a share of the target's deviation; * the least; decades above the least, "
           "mean in 1D and in more\n%-21s",
           BUDGET, "unit");
    for (size_t t = 0; t < TARGETS; t++) printf(" %8.8s ", targets[t].label);
    printf(" %5s %5s\n", "1D", "more");
    for (size_t i = 0; i < count; i++) {
        print_unit(jobs, count, order[i]);
        put_unit(out, jobs, count, order[i], i);
    }
    experiment_close(&e, out, "contest.csv");
    experiment_draw(&e, "contest");
    return 0;
}
