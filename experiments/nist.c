/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nist: the generic solver (steep_least_squares_solve) on NIST's StRD problems of nonlinear regression, from both
 * starts that NIST gives, beside GSL's gsl_multifit_nlinear (its defaults) on the same callbacks. Reads NIST's own
 * files, NAME.dat, from the folder given by --data; https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml has them.
 * Exit status 1 if the digits are too few: BAR_MEAN on average over the problems, BAR_LEAST at worst, from either
 * start.
 *   digits   -log10(|b - c| / |c|) of the worst parameter, c as certified to 11 digits; between 0 and 11
 *   rss      the same of the residual sum of squares
 *   evals    calls of the residual, with or without Jacobian
 * One set of options for all problems. Both solvers iterate until rounding stops them, or ITERATIONS. */
#include "experiment.h"

#include <gsl/gsl_multifit_nlinear.h>

#include "formula/formula.h"
#include "numerics/dense.h"

#define DIGITS        11 /* what NIST certifies */
#define BAR_MEAN      8.0
#define BAR_LEAST     6.0
#define ITERATIONS    1000
#define TOLERANCE     1e-11 /* of steep's gradient: parameters end within about this share of their deviation */
#define GSL_TOLERANCE pow(DBL_EPSILON, 0.9) /* of GSL's step and gradient, as in GSL's own tests with these problems */
#define HUGE_RESIDUAL 1e100 /* passed to GSL where the model is not finite: GSL takes NaN for progress */

enum { PARAMETERS = 9, PREDICTORS = 2, POINTS = 250 }; /* the most in any problem */

#define EXPONENTIAL "a1*(1-exp(-a2*z1))"
#define CHWIRUT     "exp(-a1*z1)/(a2+a3*z1)"
#define LANCZOS     "a1*exp(-a2*z1)+a3*exp(-a4*z1)+a5*exp(-a6*z1)"
#define GAUSS       "a1*exp(-a2*z1)+a3*exp(-(z1-a4)^2/a5^2)+a6*exp(-(z1-a7)^2/a8^2)"
#define CUBICS      "(a1+z1*(a2+z1*(a3+z1*a4)))/(1+z1*(a5+z1*(a6+z1*a7)))"
#define CYCLES                                                                                                         \
    "a1+a2*cos(2*pi*z1/12)+a3*sin(2*pi*z1/12)+a5*cos(2*pi*z1/a4)+a6*sin(2*pi*z1/a4)+a8*cos(2*pi*z1/a7)+"               \
    "a9*sin(2*pi*z1/a7)"

/* Unit formulas (formula/formula.h): z1 and z2 are the predictors, a1, a2, ... the parameters. */
static const struct {
    const char *name, *model;
    bool log_response; /* the model is of log y */
} problems[] = {{"Misra1a", EXPONENTIAL, false},
                {"Chwirut2", CHWIRUT, false},
                {"Chwirut1", CHWIRUT, false},
                {"Lanczos3", LANCZOS, false},
                {"Gauss1", GAUSS, false},
                {"Gauss2", GAUSS, false},
                {"DanWood", "a1*z1^a2", false},
                {"Misra1b", "a1*(1-1/(1+a2*z1/2)^2)", false},
                {"Kirby2", "(a1+z1*(a2+z1*a3))/(1+z1*(a4+z1*a5))", false},
                {"Hahn1", CUBICS, false},
                {"Nelson", "a1-a2*z1*exp(-a3*z2)", true},
                {"MGH17", "a1+a2*exp(-z1*a4)+a3*exp(-z1*a5)", false},
                {"Lanczos1", LANCZOS, false},
                {"Lanczos2", LANCZOS, false},
                {"Gauss3", GAUSS, false},
                {"Misra1c", "a1*(1-(1+2*a2*z1)^(-0.5))", false},
                {"Misra1d", "a1*a2*z1/(1+a2*z1)", false},
                {"Roszman1", "a1-a2*z1-atan(a3/(z1-a4))/pi", false},
                {"ENSO", CYCLES, false},
                {"MGH09", "a1*(z1^2+z1*a2)/(z1^2+z1*a3+a4)", false},
                {"Thurber", CUBICS, false},
                {"BoxBOD", EXPONENTIAL, false},
                {"Rat42", "a1/(1+exp(a2-a3*z1))", false},
                {"MGH10", "a1*exp(a2/(z1+a3))", false},
                {"Eckerle4", "a1/a2*exp(-0.5*((z1-a3)/a2)^2)", false},
                {"Rat43", "a1/(1+exp(a2-a3*z1))^(1/a4)", false},
                {"Bennett5", "a1*(a2+z1)^(-1/a3)", false}};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* A problem as in its file; y is log y where the model is of log y. */
typedef struct study {
    steep_formula *model;
    size_t predictors, parameters, count;
    char difficulty[16];
    double x[PREDICTORS][POINTS], y[POINTS], start[2][PARAMETERS], certified[PARAMETERS], rss;
    size_t evaluations; /* count of the current solver */
} study;

/* Reads a line of the file, counted from 1. All files have the same parts in the same lines: the level of difficulty,
 * both starts and the certified value of each parameter, the data to the end. False if the line is not of that form. */
static bool read_line(study *s, size_t number, const char *line)
{
    enum { LEVEL = 28, FIRST = 41, DATA = 61 };
    const size_t p = number - FIRST, k = s->count;
    if (number == LEVEL) return sscanf(line, " %15s Level of Difficulty", s->difficulty) == 1;
    if (number >= FIRST && p < s->parameters)
        return sscanf(line, " b%*d = %lf %lf %lf", &s->start[0][p], &s->start[1][p], &s->certified[p]) == 3;
    if (p == s->parameters + 1) return sscanf(line, "Residual Sum of Squares: %lf", &s->rss) == 1;
    if (number < DATA || line[strspn(line, " \r\n")] == '\0') return true;
    if (k == POINTS) return false;
    s->count++;
    return sscanf(line, "%lf %lf %lf", &s->y[k], &s->x[0][k], &s->x[1][k]) == 1 + (int)s->predictors;
}

/* Reads the file of a problem; ends the program if it is not of NIST's form. */
static void open_study(const experiment *e, size_t problem, study *s)
{
    char path[1024], line[256];
    size_t number = 1, counts[5];
    steep_error error;
    *s = (study){.count = 0};
    if (steep_formula_parse_unit(problems[problem].model, &s->model, counts, &error) < 0) experiment_die(e, &error, 2);
    s->predictors = counts[0];
    s->parameters = counts[3];
    snprintf(path, sizeof path, "%s/%s.dat", e->data, problems[problem].name);
    FILE *stream = fopen(path, "r");
    bool fine = stream != NULL;
    steep_fail(&error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    for (; fine && fgets(line, sizeof line, stream); number++) fine = read_line(s, number, line);
    if (stream && (!fine || s->count < s->parameters))
        steep_fail(&error, STEEP_BAD_INPUT, "%s:%zu: use an unchanged file of NIST's StRD", path, number - 1);
    if (!fine || s->count < s->parameters) experiment_die(e, &error, 2);
    fclose(stream);
    for (size_t k = 0; problems[problem].log_response && k < s->count; k++) s->y[k] = log(s->y[k]);
}

/* r = f(x; b) - y and its Jacobian (column-major), as steep_least_squares_problem wants them. */
static steep_status evaluate(void *context, const double *b, double *r, double *J)
{
    study *s = context;
    const size_t n = s->predictors, N = s->count;
    double column[PARAMETERS][POINTS], unused[PREDICTORS][POINTS],
        *g[PREDICTORS + PARAMETERS]; /* unused: slopes in x */
    const double *in[PREDICTORS + PARAMETERS];
    for (size_t j = 0; j < n; j++) in[j] = s->x[j], g[j] = unused[j];
    for (size_t p = 0; p < s->parameters; p++) {
        in[n + p] = column[p];
        g[n + p] = J ? J + p * N : NULL;
        for (size_t k = 0; k < N; k++) column[p][k] = b[p];
    }
    steep_formula_derivatives(s->model, &(steep_tile){N, in, J != NULL, r, g, NULL});
    for (size_t k = 0; k < N; k++) r[k] -= s->y[k];
    s->evaluations++;
    return STEEP_OK;
}

/* The end of a solver; on entry b is the start. */
typedef struct outcome {
    double b[PARAMETERS];
    size_t iterations;
    const char *status;
} outcome;

static void solve_steep(study *s, outcome *o)
{
    steep_least_squares_problem problem = {s->count, s->parameters, evaluate, s, 0, NULL};
    steep_least_squares_options options = steep_least_squares_options_default();
    steep_least_squares_result result;
    options.max_iterations = ITERATIONS;
    options.tolerance = TOLERANCE;
    steep_least_squares_solve(&problem, &options, o->b, &result, NULL);
    o->iterations = result.iterations;
    o->status = steep_status_name(result.status);
}

/* The residual for GSL; its vectors have stride 1 here. Where f is not finite it becomes HUGE_RESIDUAL, so that GSL
 * shrinks its trust region. */
static int gsl_residual(const gsl_vector *b, void *context, gsl_vector *f)
{
    evaluate(context, b->data, f->data, NULL);
    for (size_t k = 0; k < f->size; k++)
        if (!(fabs(f->data[k]) <= HUGE_RESIDUAL)) gsl_vector_set_all(f, HUGE_RESIDUAL);
    return GSL_SUCCESS;
}

static int gsl_jacobian(const gsl_vector *b, void *context, gsl_matrix *J)
{
    double r[POINTS], columns[PARAMETERS * POINTS];
    evaluate(context, b->data, r, columns);
    const gsl_matrix_const_view view = gsl_matrix_const_view_array(columns, J->size2, J->size1);
    if (!steep_dense_finite(J->size1 * J->size2, columns)) return GSL_EDOM;
    return gsl_matrix_transpose_memcpy(J, &view.matrix);
}

static void solve_gsl(study *s, outcome *o)
{
    const size_t m = s->count, n = s->parameters;
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, m, n);
    gsl_multifit_nlinear_fdf problem = {.f = gsl_residual, .df = gsl_jacobian, .n = m, .p = n, .params = s};
    gsl_vector_const_view x = gsl_vector_const_view_array(o->b, n);
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

static double digits_of(double value, double certified)
{
    const double digits = -log10(fabs(value - certified) / fabs(certified));
    return digits >= DIGITS ? DIGITS : digits > 0 ? digits : 0; /* NaN: 0 */
}

/* Solves from a start and prints the cells. Returns the digits of the worst parameter. */
static double run(study *s, int start, int width, void (*solve)(study *s, outcome *o))
{
    outcome o;
    double r[POINTS], rss = 0, digits = DIGITS;
    memcpy(o.b, s->start[start], sizeof o.b);
    s->evaluations = 0;
    solve(s, &o);
    const size_t evaluations = s->evaluations;
    evaluate(s, o.b, r, NULL);
    for (size_t k = 0; k < s->count; k++) rss += r[k] * r[k];
    for (size_t p = 0; p < s->parameters; p++) digits = fmin(digits, digits_of(o.b[p], s->certified[p]));
    printf("   %5.1f %5.1f %5zu %6zu  %-*s", digits, digits_of(rss, s->rss), o.iterations, evaluations, width,
           o.status);
    return digits;
}

static const struct {
    const char *name;
    int width; /* of its column of statuses */
    void (*solve)(study *s, outcome *o);
} solvers[2] = {{"steep", 14, solve_steep}, {"gsl", 0, solve_gsl}};

int main(int argc, char **argv)
{
    static study studies[PROBLEMS];
    const experiment e = experiment_begin_as(
        argc, argv,
        (experiment){.name = "nist",
                     .about = "The generic least-squares solver on NIST's 27 certified problems, beside GSL's.",
                     .data_is = "the folder of NIST's files, Misra1a.dat and so on"});
    const size_t count = e.quick ? 5 : PROBLEMS;
    double sum[2][2] = {{0}}, least[2][2] = {{DIGITS, DIGITS}, {DIGITS, DIGITS}}; /* by solver and start */
    for (size_t i = 0; i < count; i++) open_study(&e, i, &studies[i]);
    printf("%23s%-43s%s\nproblem   level  start", "", "steep", "gsl");
    printf("  digits   rss iter. evals  %-14s  digits   rss iter. evals  status\n", "status");
    for (size_t i = 0; i < count; i++) {
        for (int start = 0; start < 2; start++) {
            printf("%-9s %-8s %d", problems[i].name, studies[i].difficulty, start + 1);
            for (int k = 0; k < 2; k++) {
                const double digits = run(&studies[i], start, solvers[k].width, solvers[k].solve);
                sum[k][start] += digits;
                least[k][start] = fmin(least[k][start], digits);
            }
            printf("\n");
        }
        steep_formula_free(studies[i].model);
    }
    bool met = true;
    for (int k = 0; k < 2; k++) {
        printf("%-5s", solvers[k].name);
        for (int start = 0; start < 2; start++) {
            const double mean = sum[k][start] / (double)count;
            printf("   start %d: %.2f digits on average, %.2f at worst", start + 1, mean, least[k][start]);
            met = met && (k > 0 || (mean >= BAR_MEAN && least[k][start] >= BAR_LEAST));
        }
        printf("\n");
    }
    printf("bar for steep: %g on average, %g at worst, from either start: %s\n", BAR_MEAN, BAR_LEAST,
           met ? "met" : "MISSED");
    return met ? 0 : 1;
}
