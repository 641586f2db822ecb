/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nist: the generic solver (steep_least_squares_solve) on NIST's StRD problems of nonlinear regression, from both
 * starts that NIST gives, beside GSL's gsl_multifit_nlinear (its defaults) on the same callbacks. Reads NIST's own
 * files, NAME.dat, from the folder given by --data; https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml has them.
 * Prints a table and writes nist.csv. Exit status 1 if the digits are too few: BAR_MEAN on average over the problems,
 * BAR_LEAST at worst, from either start.
 *   digits   -log10(|b - c| / |c|) of the worst parameter, c as certified to 11 digits; between 0 and 11
 *   rss      the same of the residual sum of squares
 *   evals    calls of the residual, with or without Jacobian
 * The models are in nist_models.c, what reads the files in nist_reader.c. One set of options for all problems. Both
 * solvers iterate until rounding stops them, or ITERATIONS. */
#include "experiment.h"

#include <gsl/gsl_multifit_nlinear.h>

#include "steep/fit.h"
#include "nist.h"

#define DIGITS     11 /* what NIST certifies */
#define BAR_MEAN   8.0
#define BAR_LEAST  6.0
#define ITERATIONS 1000
#define TOLERANCE  1e-11 /* of steep's gradient; what remains is about that part of a parameter's deviation */
#define GSL_TOLERANCE                                                                                                  \
    pow(DBL_EPSILON, 0.9)   /* of GSL's step and gradient, as in GSL's own tests with these problems   \
                                             */
#define HUGE_RESIDUAL 1e100 /* told to GSL where the model is not finite; a NaN it would take for progress */

/* r = f(x; b) - y and its Jacobian (column-major), as steep_least_squares_problem wants them. */
static steep_status evaluate(void *context, const double *b, double *r, double *J)
{
    nist_study *s = context;
    nist_evaluate(s, b, r, J);
    for (size_t k = 0; k < s->count; k++) r[k] -= s->y[k];
    s->evaluations++;
    return STEEP_OK;
}

typedef struct outcome {
    double b[NIST_PARAMETERS], rss, digits, digits_rss;
    size_t iterations, evaluations;
    char status[24];
} outcome;

static double digits_of(double value, double certified)
{
    double digits = -log10(fabs(value - certified) / fabs(certified));
    return digits >= DIGITS ? DIGITS : digits > 0 ? digits : 0; /* NaN: 0 */
}

static void judge(const experiment *e, nist_study *s, outcome *o)
{
    double *r = experiment_numbers(e, s->count);
    evaluate(s, o->b, r, NULL);
    o->rss = 0;
    for (size_t k = 0; k < s->count; k++) o->rss += r[k] * r[k];
    free(r);
    o->digits = DIGITS;
    o->digits_rss = digits_of(o->rss, s->rss);
    for (size_t p = 0; p < s->model->parameters; p++) o->digits = fmin(o->digits, digits_of(o->b[p], s->certified[p]));
}

static void solve_steep(const experiment *e, nist_study *s, const double *start, outcome *o)
{
    steep_least_squares_problem problem = {s->count, s->model->parameters, evaluate, s, 0, NULL};
    steep_least_squares_options options = steep_least_squares_options_default();
    steep_least_squares_result result;
    steep_error error = {""};
    options.max_iterations = ITERATIONS;
    options.tolerance = TOLERANCE;
    memcpy(o->b, start, sizeof o->b);
    s->evaluations = 0;
    if (steep_least_squares_solve(&problem, &options, o->b, &result, &error) == STEEP_NO_MEMORY)
        experiment_die(e, &error, 1);
    o->iterations = result.iterations;
    o->evaluations = s->evaluations;
    snprintf(o->status, sizeof o->status, "%s", steep_status_name(result.status));
}

/* GSL's view of a study. Where f is not finite it hears a huge one: its trust region then shrinks. */
typedef struct adapter {
    nist_study *study;
    double *r, *J;
} adapter;

static int gsl_residual(const gsl_vector *b, void *context, gsl_vector *f)
{
    adapter *a = context;
    double x[NIST_PARAMETERS];
    bool finite = true;
    for (size_t p = 0; p < b->size; p++) x[p] = gsl_vector_get(b, p);
    evaluate(a->study, x, a->r, NULL);
    for (size_t k = 0; k < f->size; k++) {
        gsl_vector_set(f, k, a->r[k]);
        finite = finite && fabs(a->r[k]) <= HUGE_RESIDUAL;
    }
    if (!finite) gsl_vector_set_all(f, HUGE_RESIDUAL);
    return GSL_SUCCESS;
}

static int gsl_jacobian(const gsl_vector *b, void *context, gsl_matrix *J)
{
    adapter *a = context;
    double x[NIST_PARAMETERS];
    for (size_t p = 0; p < b->size; p++) x[p] = gsl_vector_get(b, p);
    evaluate(a->study, x, a->r, a->J);
    for (size_t k = 0; k < J->size1; k++)
        for (size_t p = 0; p < J->size2; p++) {
            if (!isfinite(a->J[k + p * J->size1])) return GSL_EDOM;
            gsl_matrix_set(J, k, p, a->J[k + p * J->size1]);
        }
    return GSL_SUCCESS;
}

static void name_gsl_status(int code, int why, outcome *o)
{
    const char *name = code == GSL_EMAXITER  ? "max_iterations"
                       : code == GSL_ENOPROG ? "no progress"
                       : code != GSL_SUCCESS ? gsl_strerror(code)
                       : why == 1            ? "small step"
                                             : "small gradient";
    snprintf(o->status, sizeof o->status, "%s", name);
}

static void solve_gsl(const experiment *e, nist_study *s, const double *start, outcome *o)
{
    size_t m = s->count, n = s->model->parameters;
    adapter a = {s, experiment_numbers(e, m), experiment_numbers(e, m * n)};
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, m, n);
    gsl_multifit_nlinear_fdf problem = {.f = gsl_residual, .df = gsl_jacobian, .n = m, .p = n, .params = &a};
    gsl_vector_const_view x = gsl_vector_const_view_array(start, n);
    int why = 0;
    steep_error error = {""};
    if (!w) {
        steep_fail(&error, STEEP_NO_MEMORY, "no memory for GSL");
        experiment_die(e, &error, 1);
    }
    s->evaluations = 0;
    int code = gsl_multifit_nlinear_init(&x.vector, &problem, w);
    if (code == GSL_SUCCESS)
        code = gsl_multifit_nlinear_driver(ITERATIONS, GSL_TOLERANCE, GSL_TOLERANCE, 0, NULL, NULL, &why, w);
    for (size_t p = 0; p < n; p++) o->b[p] = gsl_vector_get(w->x, p);
    o->iterations = gsl_multifit_nlinear_niter(w);
    o->evaluations = s->evaluations;
    name_gsl_status(code, why, o);
    gsl_multifit_nlinear_free(w);
    free(a.r);
    free(a.J);
}

/* The solvers under one roof. */
static const struct {
    const char *name;
    void (*solve)(const experiment *e, nist_study *s, const double *start, outcome *o);
} solvers[] = {{"steep", solve_steep}, {"gsl", solve_gsl}};
#define SOLVERS 2

/* Digits of each solver from each start. */
typedef struct tally {
    double sum[SOLVERS][2], least[SOLVERS][2];
} tally;

/* The column of a solver's status; no blanks end a line. */
static int status_width(int solver)
{
    return solver + 1 < SOLVERS ? 14 : 0;
}

static void run_study(const experiment *e, nist_study *s, FILE *out, tally *t)
{
    for (int start = 0; start < 2; start++) {
        printf("%-9s %-8s %d", s->model->name, s->difficulty, start + 1);
        for (int v = 0; v < SOLVERS; v++) {
            outcome o = {.rss = 0};
            solvers[v].solve(e, s, s->start[start], &o);
            judge(e, s, &o);
            printf("   %5.1f %5.1f %5zu %6zu  %-*s", o.digits, o.digits_rss, o.iterations, o.evaluations,
                   status_width(v), o.status);
            fprintf(out, "%s,%s,%d,%s,%.3f,%.3f,%.17g,%zu,%zu,%s\n", s->model->name, s->difficulty, start + 1,
                    solvers[v].name, o.digits, o.digits_rss, o.rss, o.iterations, o.evaluations, o.status);
            t->sum[v][start] += o.digits;
            t->least[v][start] = fmin(t->least[v][start], o.digits);
        }
        printf("\n");
    }
}

/* The averages and minima; true if steep's are at the bar. */
static bool report(const tally *t)
{
    bool met = true;
    for (int v = 0; v < SOLVERS; v++) {
        printf("%-5s", solvers[v].name);
        for (int start = 0; start < 2; start++) {
            double mean = t->sum[v][start] / (double)NIST_PROBLEMS;
            printf("   start %d: %.2f digits on average, %.2f at worst", start + 1, mean, t->least[v][start]);
            if (v == 0) met = met && mean >= BAR_MEAN && t->least[v][start] >= BAR_LEAST;
        }
        printf("\n");
    }
    printf("bar for steep: %g on average, %g at worst, from either start: %s\n", BAR_MEAN, BAR_LEAST,
           met ? "met" : "MISSED");
    return met;
}

/* All problems; true if steep's digits are at the bar. Reads every file before the first is solved. */
static bool run(const experiment *e, const char *folder)
{
    nist_study studies[NIST_PROBLEMS];
    steep_error error = {""};
    tally t;
    for (size_t i = 0; i < NIST_PROBLEMS; i++)
        if (nist_study_open(folder, &nist_models[i], &studies[i], &error) < 0) experiment_die(e, &error, 2);
    for (int v = 0; v < SOLVERS; v++)
        for (int start = 0; start < 2; start++) t.sum[v][start] = 0, t.least[v][start] = DIGITS;
    experiment_folder(e);
    FILE *out = experiment_open(e, "nist.csv",
                                "problem,difficulty,start,solver,digits,digits_rss,rss,iterations,evaluations,status");
    printf("%20s", "");
    for (int v = 0; v < SOLVERS; v++) printf("   %-*s", v + 1 < SOLVERS ? 40 : 0, solvers[v].name);
    printf("\nproblem   level  start");
    for (int v = 0; v < SOLVERS; v++) printf("  digits   rss iter. evals  %-*s", status_width(v), "status");
    printf("\n");
    for (size_t i = 0; i < NIST_PROBLEMS; i++) {
        run_study(e, &studies[i], out, &t);
        nist_study_close(&studies[i]);
    }
    experiment_close(e, out, "nist.csv");
    return report(&t);
}

typedef struct arguments {
    const char *out, *data;
} arguments;

int main(int argc, char **argv)
{
    static const steep_option table[] = {{"data", STEEP_OPTION_TEXT, offsetof(arguments, data), "DIR", NULL, 0, 0, NULL,
                                          "folder of NIST's files, Misra1a.dat and so on", false},
                                         {"out", STEEP_OPTION_TEXT, offsetof(arguments, out), "DIR", "results/nist", 0,
                                          0, NULL, "folder for nist.csv", false},
                                         {.name = NULL}};
    arguments given = {"results/nist", NULL};
    experiment e = {.name = "nist"};
    steep_error error = {""};
    steep_command_line line = {.argc = argc, .argv = argv};
    gsl_set_error_handler_off();
    if (steep_options_parse(STEEP_ONE_GROUP(table, &given), &line, &error) < 0) experiment_die(&e, &error, 2);
    if (line.help) {
        printf("usage: nist --data DIR [--out DIR]\n"
               "The generic least-squares solver on NIST's 27 certified problems, beside GSL's.\n\n");
        steep_options_print(STEEP_ONE_GROUP(table, &given), stdout);
        return 0;
    }
    if (!given.data) {
        steep_fail(&error, STEEP_BAD_INPUT, "no folder: use --data DIR with NIST's files (Misra1a.dat and so on)");
        experiment_die(&e, &error, 2);
    }
    e.out = given.out;
    return run(&e, given.data) ? 0 : 1;
}
