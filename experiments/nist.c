/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nist: the generic solver (steep_least_squares_solve) on NIST's StRD problems of nonlinear regression, from both
 * starts that NIST gives, beside GSL's gsl_multifit_nlinear (its defaults) on the same callbacks. Reads NIST's own
 * files, NAME.dat, from the folder given by --data; https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml has them.
 * Prints a table and writes nist.csv. Exit status 1 if the digits are too few: BAR_MEAN on average over the problems,
 * BAR_LEAST at worst, from either start.
 *   digits   -log10(|b - c| / |c|) of the worst parameter, c as certified to 11 digits; between 0 and 11
 *   rss      the same of the residual sum of squares
 *   evals    calls of the residual, with or without Jacobian
 * The models are in nist_models.c. One set of options for all problems. Both
 * solvers iterate until rounding stops them, or ITERATIONS. */
#include "experiment.h"

#include <gsl/gsl_multifit_nlinear.h>

#include "nist.h"
#include "numerics/dense.h"

#define DIGITS        11 /* what NIST certifies */
#define BAR_MEAN      8.0
#define BAR_LEAST     6.0
#define ITERATIONS    1000
#define TOLERANCE     1e-11 /* of steep's gradient; what remains is about that part of a parameter's deviation */
#define GSL_TOLERANCE pow(DBL_EPSILON, 0.9) /* of GSL's step and gradient, as in GSL's own tests with these problems */
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
    const char *status;
} outcome;

static double digits_of(double value, double certified)
{
    double digits = -log10(fabs(value - certified) / fabs(certified));
    return digits >= DIGITS ? DIGITS : digits > 0 ? digits : 0; /* NaN: 0 */
}

static void judge(nist_study *s, outcome *o)
{
    double r[NIST_POINTS];
    o->evaluations = s->evaluations;
    evaluate(s, o->b, r, NULL);
    o->rss = 0;
    for (size_t k = 0; k < s->count; k++) o->rss += r[k] * r[k];
    o->digits = DIGITS;
    o->digits_rss = digits_of(o->rss, s->rss);
    for (size_t p = 0; p < s->model->parameters; p++) o->digits = fmin(o->digits, digits_of(o->b[p], s->certified[p]));
}

static void solve_steep(nist_study *s, const double *start, outcome *o)
{
    steep_least_squares_problem problem = {s->count, s->model->parameters, evaluate, s, 0, NULL};
    steep_least_squares_options options = steep_least_squares_options_default();
    steep_least_squares_result result;
    options.max_iterations = ITERATIONS;
    options.tolerance = TOLERANCE;
    memcpy(o->b, start, sizeof o->b);
    steep_least_squares_solve(&problem, &options, o->b, &result, NULL);
    o->iterations = result.iterations;
    o->status = steep_status_name(result.status);
}

/* For GSL, whose vectors here are without gaps. Where f is not finite it hears a huge one: its trust region then
 * shrinks. */
static int gsl_residual(const gsl_vector *b, void *context, gsl_vector *f)
{
    evaluate(context, b->data, f->data, NULL);
    for (size_t k = 0; k < f->size; k++)
        if (!(fabs(f->data[k]) <= HUGE_RESIDUAL)) gsl_vector_set_all(f, HUGE_RESIDUAL);
    return GSL_SUCCESS;
}

static int gsl_jacobian(const gsl_vector *b, void *context, gsl_matrix *J)
{
    double r[NIST_POINTS], columns[NIST_PARAMETERS * NIST_POINTS];
    evaluate(context, b->data, r, columns);
    const gsl_matrix_const_view view = gsl_matrix_const_view_array(columns, J->size2, J->size1);
    if (!steep_dense_finite(J->size1 * J->size2, columns)) return GSL_EDOM;
    return gsl_matrix_transpose_memcpy(J, &view.matrix);
}

static void solve_gsl(nist_study *s, const double *start, outcome *o)
{
    size_t m = s->count, n = s->model->parameters;
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, m, n);
    gsl_multifit_nlinear_fdf problem = {.f = gsl_residual, .df = gsl_jacobian, .n = m, .p = n, .params = s};
    gsl_vector_const_view x = gsl_vector_const_view_array(start, n);
    int why = 0;
    if (!w) abort();
    int code = gsl_multifit_nlinear_init(&x.vector, &problem, w);
    if (code == GSL_SUCCESS)
        code = gsl_multifit_nlinear_driver(ITERATIONS, GSL_TOLERANCE, GSL_TOLERANCE, 0, NULL, NULL, &why, w);
    memcpy(o->b, w->x->data, n * sizeof *o->b);
    o->iterations = gsl_multifit_nlinear_niter(w);
    o->status = code == GSL_EMAXITER  ? "max_iterations"
                : code == GSL_ENOPROG ? "no progress"
                : code != GSL_SUCCESS ? gsl_strerror(code)
                : why == 1            ? "small step"
                                      : "small gradient";
    gsl_multifit_nlinear_free(w);
}

/* The solvers under one roof. */
static const struct {
    const char *name;
    void (*solve)(nist_study *s, const double *start, outcome *o);
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

static void run_study(nist_study *s, FILE *out, tally *t)
{
    for (int start = 0; start < 2; start++) {
        printf("%-9s %-8s %d", s->model->name, s->difficulty, start + 1);
        for (int v = 0; v < SOLVERS; v++) {
            outcome o = {.rss = 0};
            s->evaluations = 0;
            solvers[v].solve(s, s->start[start], &o);
            judge(s, &o);
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
    static nist_study studies[NIST_PROBLEMS];
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
        run_study(&studies[i], out, &t);
        steep_formula_free(studies[i].formula);
    }
    experiment_close(e, out, "nist.csv");
    return report(&t);
}

typedef struct arguments {
    const char *out, *data;
} arguments;

int main(int argc, char **argv)
{
    static const steep_option table[] = {
        {"data", STEEP_OPTION_TEXT, offsetof(arguments, data), "DIR",
         .help = "folder of NIST's files, Misra1a.dat and so on"},
        {"out", STEEP_OPTION_TEXT, offsetof(arguments, out), "DIR", .help = "folder for nist.csv"},
        {.name = NULL}};
    arguments given = {"results/nist", NULL};
    experiment e = {.name = "nist"};
    steep_error error = {"no folder: use --data DIR with NIST's files (Misra1a.dat and so on)"};
    steep_command_line line = {.argc = argc, .argv = argv};
    gsl_set_error_handler_off();
    if (steep_options_parse(STEEP_ONE_GROUP(table, &given), &line, &error) < 0) experiment_die(&e, &error, 2);
    if (line.help) {
        puts("usage: nist --data DIR [--out DIR]\n"
             "The generic least-squares solver on NIST's 27 certified problems, beside GSL's.\n");
        steep_options_print(STEEP_ONE_GROUP(table, &given), stdout);
        return 0;
    }
    if (!given.data) experiment_die(&e, &error, 2);
    e.out = given.out;
    return run(&e, given.data) ? 0 : 1;
}
