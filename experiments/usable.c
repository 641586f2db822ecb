/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usable: what a penalty on the output weights (fit/penalty.h) costs in double, and what float32 has of the networks
 * with and without it. Units of the contest on six of its targets, at its budget of parameters: variable projection,
 * 40 iterations at most, from the first two of its starts. With each penalty the start with the least training error
 * counts. Errors are those on the contest's test points, as shares of the target's deviation there. */

#include "budget.h"

static const struct {
    const char *formula, *label;
} targets[] = {{"abs(x)^1.5", "|x|^1.5"},          {"atan(20*x)", "front"},
               {"cosine_well", "cosine well"},     {"franke", "Franke"},
               {"tanh(2*x)*max(y,0)", "gated 2D"}, {"exp(-x1)*cos(3*x2+x3*x4)", "waves 4D"}};
static const char *const units[][3] = {
    {"glu:silu", "glu", "silu"}, {"glu:gelu", "glu", "gelu"}, {"gqu:silu", "gqu", "silu"},   {"la:gsr2", "la", NULL},
    {"mlp:gelu", "mlp", "gelu"}, {"mlp:tanh", "mlp", "tanh"}, {"mlp:relu3", "mlp", "relu3"}, {"glu", "glu", NULL}};
static const double penalties[] = {0, 1e-14, 1e-12};
enum {
    TARGETS = sizeof targets / sizeof *targets,
    UNITS = sizeof units / sizeof *units,
    PENALTIES = sizeof penalties / sizeof *penalties,
    BUDGET = 120,
    ITERATIONS = 40,
    STARTS = 2
};

typedef struct outcome {
    double train, test, single, coefficient;
} outcome;

typedef struct job {
    size_t unit, target, penalty;
    bool quick;
    outcome end;
} job;

/* Uniform gates in 1D, ridges in more; the second time n/4 as steep. A start whose solver cannot go on from there is
 * left out. */
static steep_status fit(const budget_problem *b, const job *j, outcome *o, steep_error *error)
{
    double *theta = malloc(b->network.parameters * sizeof *theta);
    steep_status status = theta ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a network");
    const steep_start_kind kind = b->network.dim == 1 ? STEEP_START_UNIFORM : STEEP_START_RIDGE;
    for (int start = 0; status >= 0 && start < STARTS; start++) {
        steep_fit_options options = steep_fit_options_default();
        steep_fit_result result;
        options.solver = STEEP_SOLVER_VARPRO;
        options.max_iterations = j->quick ? 5 : ITERATIONS;
        options.penalty = penalties[j->penalty];
        options.initial = theta;
        status = budget_start(b, kind, (uint64_t)start, start > 0, theta, error);
        if (status < 0 || steep_fit(&b->problem, &options, &result, NULL) < 0) continue;
        if (result.rmse_train / b->scale < o->train)
            *o = (outcome){result.rmse_train / b->scale, result.rmse_test / b->scale, result.rmse_single / b->scale,
                           result.coefficient / b->scale};
        steep_fit_result_free(&result);
    }
    free(theta);
    return status < 0 ? status : STEEP_OK;
}

static steep_status work(const void *item, void *result, steep_error *error)
{
    const job *j = item;
    const steep_architecture *row = steep_architecture_find(units[j->unit][1], NULL, 0);
    steep_choice choice = steep_choice_default(row);
    budget_problem b;
    *(outcome *)result = (outcome){INFINITY, INFINITY, INFINITY, INFINITY};
    steep_status status =
        steep_choice_parse(units[j->unit][2], row->uses_dictionary ? "gsr2" : NULL, NULL, &choice, error);
    if (status < 0) return status;
    status = budget_open(&b, targets[j->target].formula, NULL, row, &choice, BUDGET, error);
    if (status == STEEP_OK) status = fit(&b, j, result, error);
    budget_close(&b);
    return status;
}

static void print_rows(const job *jobs, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i += PENALTIES) {
        const job *j = &jobs[i];
        if (j->unit == 0 || i == 0 || jobs[i - PENALTIES].target != j->target)
            printf("%s%s\n", i > 0 ? "\n" : "", targets[j->target].label);
        printf("%-11s", units[j->unit][0]);
        for (size_t p = 0; p < PENALTIES; p++) {
            const outcome *o = &jobs[i + p].end;
            printf("  %8.1e %8.1e %8.0e", o->test, o->single, o->coefficient);
            fprintf(out, "%s,%s,%g,%.17g,%.17g,%.17g,%.17g\n", targets[j->target].label, units[j->unit][0],
                    penalties[p], o->train, o->test, o->single, o->coefficient);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static job jobs[TARGETS * UNITS * PENALTIES];
    experiment e = experiment_begin_rows(argc, argv, "usable", "unit",
                                         "Networks with and without a penalty on the output weights, in float32 too.");
    size_t count = 0;
    for (size_t t = 0; t < TARGETS; t++)
        for (size_t u = 0; u < UNITS; u++)
            if (experiment_wants(&e, 0, units[u][0]) && (!e.quick || (u == 0 && t == 1)))
                for (size_t p = 0; p < PENALTIES; p++)
                    jobs[count++] = (job){.unit = u, .target = t, .penalty = p, .quick = e.quick};
    experiment_found(&e, count > 0);
    experiment_run(&e, (experiment_jobs){jobs, count, sizeof(job), offsetof(job, end), sizeof(outcome), work});
    FILE *out = experiment_open(&e, "usable.csv", "target,unit,penalty,train,test,single,coefficient");
    printf("at most %d parameters; error in double, in float32, largest coefficient, all as shares of the target's "
           "deviation\n%-11s",
           BUDGET, "penalty");
    for (size_t p = 0; p + 1 < PENALTIES; p++) printf("  %-26g", penalties[p]);
    printf("  %g\n", penalties[PENALTIES - 1]);
    print_rows(jobs, count, out);
    experiment_close(&e, out, "usable.csv");
    return 0;
}
