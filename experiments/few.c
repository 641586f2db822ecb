/* SPDX-License-Identifier: GPL-3.0-or-later */
/* few: how near the default of reduced-newton comes to the best network of 1 to 8 gates: its error over the least that
 * is known, on twelve targets and 400 equispaced points. Known is the least of three: the default's own, that of 40
 * searches from other seeds (fit/search, none left out), and that of 40 random starts by Levenberg and Marquardt's
 * method, which have nothing in common with it. few.csv has seconds, starts and hits too. */
#include "execute/pool.h"
#include "experiment.h"
#include "fit/problem.h"

enum { TARGETS = 12, ARCHS = 3, WIDTHS = 8, RIVALS = 40, POINTS = 400 };
static const char *const targets[TARGETS] = {"cosine_well",
                                             "runge3",
                                             "chirp",
                                             "cos4",
                                             "1/(1.3+sin(5*x))",
                                             "exp(-x)*cos(8*x)",
                                             "tanh(6*x-2)+x^2/3",
                                             "abs(x-0.2)^1.5",
                                             "sin(9*x)*exp(-2*x^2)",
                                             "sqrt(x+1.02)",
                                             "exp(2*sin(3*x+1))",
                                             "1/(1+60*(x-0.4)^2)+x"};
static const char *const archs[ARCHS] = {"mlp", "glu", "gqu"};

/* A row of the table: a target and an architecture, all widths. */
typedef struct row {
    const char *target, *arch;
    size_t rivals;
    struct row_result {
        double error[WIDTHS], searched[WIDTHS], random[WIDTHS], seconds[WIDTHS];
        size_t starts[WIDTHS], hits[WIDTHS];
    } result;
} row;

/* One fit of the row by a solver; restarts STEEP_AUTO: the default. */
static steep_status fit(const steep_problem *problem, steep_solver solver, size_t restarts, steep_fit_result *result,
                        steep_error *error)
{
    steep_fit_options options = steep_fit_options_default();
    bool random = solver == STEEP_SOLVER_LM;
    options.solver = solver;
    options.start = random ? STEEP_START_RANDOM : STEEP_START_EQUIDISTRIBUTED;
    options.restarts = restarts;
    options.seed = restarts == STEEP_AUTO ? 0 : 1000;
    if (random) options.max_iterations = 150;
    return steep_fit(problem, &options, result, error);
}

/* All that is said of one width. */
static steep_status fit_width(const steep_problem *problem, size_t rivals, size_t w, struct row_result *into,
                              steep_error *error)
{
    steep_fit_result result;
    steep_status status = fit(problem, STEEP_SOLVER_REDUCED_NEWTON, STEEP_AUTO, &result, error);
    if (status < 0) return status;
    into->error[w] = result.rmse_train;
    into->seconds[w] = result.seconds;
    into->starts[w] = result.starts;
    into->hits[w] = result.hits;
    steep_fit_result_free(&result);
    status = fit(problem, STEEP_SOLVER_REDUCED_NEWTON, rivals, &result, error);
    if (status < 0) return status;
    into->searched[w] = result.rmse_train;
    steep_fit_result_free(&result);
    status = fit(problem, STEEP_SOLVER_LM, rivals, &result, error);
    into->random[w] = status < 0 ? INFINITY : result.rmse_train; /* a gate that is closed everywhere, or the like */
    steep_fit_result_free(&result);
    return STEEP_OK;
}

static steep_status work(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)payload;
    const row *r = (const row *)context + index;
    const steep_architecture *kind = steep_architecture_find(r->arch, NULL, 0);
    steep_choice choice = steep_choice_default(kind);
    steep_target *target = NULL;
    steep_samples train = {0};
    steep_status status = steep_target_open(r->target, &target, error);
    if (status == STEEP_OK) status = steep_samples_grid(target, POINTS, &train, error);
    for (size_t w = 0; status == STEEP_OK && w < WIDTHS; w++) {
        steep_network network;
        status = steep_network_init(&network, kind, &choice, 1, w + 1, error);
        if (status == STEEP_OK)
            status = fit_width(&(steep_problem){&network, target, &train, NULL}, r->rivals, w, result, error);
    }
    steep_samples_free(&train);
    steep_target_free(target);
    return status;
}

static steep_status note(void *context, size_t index, const void *result, const steep_payload *payload,
                         steep_error *error)
{
    (void)payload;
    (void)error;
    memcpy(&((row *)context)[index].result, result, sizeof(struct row_result));
    return STEEP_OK;
}

static double known(const struct row_result *r, size_t w)
{
    return fmin(r->error[w], fmin(r->searched[w], r->random[w]));
}

static void report(FILE *out, const row *r)
{
    printf("%-22s %-4s", r->target, r->arch);
    for (size_t w = 0; w < WIDTHS; w++) {
        const struct row_result *s = &r->result;
        printf(" %7.3f", s->error[w] / known(s, w));
        fprintf(out, "%s,%s,%zu,%.17g,%.17g,%.17g,%.17g,%zu,%zu\n", r->target, r->arch, w + 1, s->error[w],
                s->searched[w], s->random[w], s->seconds[w], s->starts[w], s->hits[w]);
    }
    printf("\n");
}

/* What holds of all rows, by architecture: how often within 1 %, the worst, and what random starts by lm make of it. */
static void summarise(const row *rows, size_t count, const char *arch)
{
    size_t fits = 0, near = 0, random = 0;
    double worst = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; strcmp(rows[i].arch, arch) == 0 && w < WIDTHS; w++) {
            const struct row_result *s = &rows[i].result;
            double ratio = s->error[w] / known(s, w);
            fits++;
            near += ratio <= STEEP_FOUND_AGAIN;
            random += s->random[w] <= STEEP_FOUND_AGAIN * known(s, w);
            worst = fmax(worst, ratio);
        }
    if (fits)
        printf(
            "%s: %zu of %zu fits within 1 %% of the least known, the worst %.3f of it; %zu random starts by lm: %zu\n",
            arch, near, fits, worst, rows[0].rivals + 1, random);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin_rows(argc, argv, "few", "target arch",
                                         "Error of reduced-newton's default at widths 1 to 8 over the least known.");
    static row rows[TARGETS * ARCHS];
    steep_error error;
    size_t count = 0;
    for (size_t t = 0; t < TARGETS; t++)
        for (size_t a = 0; a < ARCHS; a++)
            if (experiment_wants(&e, 0, targets[t]) && experiment_wants(&e, 1, archs[a]))
                rows[count++] = (row){.target = targets[t], .arch = archs[a], .rivals = e.quick ? RIVALS / 10 : RIVALS};
    experiment_found(&e, count > 0);
    const steep_work_list list = {
        .count = count, .size = sizeof(struct row_result), .work = work, .note = note, .context = rows};
    if (steep_pool_run(&list, &error) < 0) experiment_die(&e, &error, 1);
    FILE *out = experiment_open(&e, "few.csv");
    fprintf(out, "target,arch,width,error,searched,random,seconds,starts,hits\n");
    printf("%-22s %-4s", "target", "arch");
    for (size_t w = 1; w <= WIDTHS; w++) printf("   n = %zu", w);
    printf("\n");
    for (size_t i = 0; i < count; i++) report(out, &rows[i]);
    for (size_t a = 0; a < ARCHS && !e.only; a++) summarise(rows, count, archs[a]);
    experiment_close(&e, out, "few.csv");
    return 0;
}
