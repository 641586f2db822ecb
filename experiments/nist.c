/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nist: the generic solver (steep_least_squares_solve) on NIST's StRD problems of nonlinear regression, from both
 * starts that NIST gives, beside GSL's gsl_multifit_nlinear (its defaults) on the same callbacks. Reads NIST's own
 * files, NAME.dat, from the folder given by --data; https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml has them.
 * Prints a table and writes nist.csv. Exit status 1 if the digits are too few: BAR_MEAN on average over the problems,
 * BAR_LEAST at worst, from either start.
 *   digits   -log10(|b - c| / |c|) of the worst parameter, c as certified to 11 digits; between 0 and 11
 *   rss      the same of the residual sum of squares
 *   evals    calls of the residual, with or without Jacobian
 * One set of options for all problems. Both solvers iterate until rounding stops them, or ITERATIONS. */
#include "experiment.h"

#include <complex.h>
#include <ctype.h>
#include <gsl/gsl_multifit_nlinear.h>

#include "fit/least_squares.h"

#ifndef CMPLX /* glibc's header has it for GCC alone */
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif

#define MAX_PARAMETERS 9
#define MAX_PREDICTORS 2
#define MAX_LINE 256
#define DIGITS 11          /* what NIST certifies */
#define BAR_MEAN 8.0
#define BAR_LEAST 6.0
#define ITERATIONS 1000
#define TOLERANCE 1e-11    /* of steep's gradient; what remains is about that part of a parameter's deviation */
#define GSL_TOLERANCE pow(DBL_EPSILON, 0.9) /* of GSL's step and gradient, as in GSL's own tests with these problems */
#define HUGE_RESIDUAL 1e100 /* told to GSL where the model is not finite; a NaN it would take for progress */
#define STEP 1e-100        /* of the complex step: its square vanishes beside any parameter's */

typedef double complex number;

/* The 27 models, from NIST's files. Each of them a function of complex parameters: with b_p + i h, h tiny, the
 * imaginary part over h is the derivative by b_p, exact to rounding. The elementary functions know that h is tiny:
 * value and derivative of the real function, as good as the C library's, and not finite where that one is not (a
 * negative base's power, say). */
static number exponential(number z)
{
    double e = exp(creal(z));
    return CMPLX(e, e * cimag(z));
}

static number power(number z, number p)
{
    double x = creal(z), y = pow(x, creal(p));
    return CMPLX(y, y * (creal(p) * cimag(z) / x + log(x) * cimag(p)));
}

static number cosine(number z) { return CMPLX(cos(creal(z)), -sin(creal(z)) * cimag(z)); }
static number sine(number z) { return CMPLX(sin(creal(z)), cos(creal(z)) * cimag(z)); }
static number arctangent(number z) { return CMPLX(atan(creal(z)), cimag(z) / (1 + creal(z) * creal(z))); }
static number square(number z) { return z * z; }

static number bennett5(const number *b, const double *x) { return b[0] * power(b[1] + x[0], -1 / b[2]); }
static number boxbod(const number *b, const double *x) { return b[0] * (1 - exponential(-b[1] * x[0])); }
static number chwirut(const number *b, const double *x) { return exponential(-b[0] * x[0]) / (b[1] + b[2] * x[0]); }
static number danwood(const number *b, const double *x) { return b[0] * power(x[0], b[1]); }

static number enso(const number *b, const double *x)
{
    double year = 2 * M_PI * x[0] / 12;
    number first = 2 * M_PI * x[0] / b[3], second = 2 * M_PI * x[0] / b[6];
    return b[0] + b[1] * cos(year) + b[2] * sin(year) + b[4] * cosine(first) + b[5] * sine(first) +
           b[7] * cosine(second) + b[8] * sine(second);
}

static number eckerle4(const number *b, const double *x)
{
    return b[0] / b[1] * exponential(-0.5 * square((x[0] - b[2]) / b[1]));
}

static number gauss(const number *b, const double *x)
{
    return b[0] * exponential(-b[1] * x[0]) + b[2] * exponential(-square(x[0] - b[3]) / square(b[4])) +
           b[5] * exponential(-square(x[0] - b[6]) / square(b[7]));
}

/* Hahn1 and Thurber. */
static number cubic_over_cubic(const number *b, const double *x)
{
    double t = x[0];
    return (b[0] + t * (b[1] + t * (b[2] + t * b[3]))) / (1 + t * (b[4] + t * (b[5] + t * b[6])));
}

static number kirby2(const number *b, const double *x)
{
    double t = x[0];
    return (b[0] + t * (b[1] + t * b[2])) / (1 + t * (b[3] + t * b[4]));
}

static number lanczos(const number *b, const double *x)
{
    return b[0] * exponential(-b[1] * x[0]) + b[2] * exponential(-b[3] * x[0]) + b[4] * exponential(-b[5] * x[0]);
}

static number mgh09(const number *b, const double *x)
{
    double t = x[0];
    return b[0] * (t * t + t * b[1]) / (t * t + t * b[2] + b[3]);
}

static number mgh10(const number *b, const double *x) { return b[0] * exponential(b[1] / (x[0] + b[2])); }

static number mgh17(const number *b, const double *x)
{
    return b[0] + b[1] * exponential(-x[0] * b[3]) + b[2] * exponential(-x[0] * b[4]);
}

static number misra1b(const number *b, const double *x) { return b[0] * (1 - 1 / square(1 + b[1] * x[0] / 2)); }
static number misra1c(const number *b, const double *x) { return b[0] * (1 - power(1 + 2 * b[1] * x[0], -0.5)); }
static number misra1d(const number *b, const double *x) { return b[0] * b[1] * x[0] / (1 + b[1] * x[0]); }
static number nelson(const number *b, const double *x) { return b[0] - b[1] * x[0] * exponential(-b[2] * x[1]); }
static number rat42(const number *b, const double *x) { return b[0] / (1 + exponential(b[1] - b[2] * x[0])); }

static number rat43(const number *b, const double *x)
{
    return b[0] / power(1 + exponential(b[1] - b[2] * x[0]), 1 / b[3]);
}

static number roszman1(const number *b, const double *x)
{
    return b[0] - b[1] * x[0] - arctangent(b[2] / (x[0] - b[3])) / M_PI;
}

typedef struct model {
    const char *name;
    size_t parameters, predictors;
    bool log_response; /* the model is of log y */
    number (*formula)(const number *b, const double *x);
} model;

static const model models[] = {
    {"Misra1a", 2, 1, false, boxbod},           {"Chwirut2", 3, 1, false, chwirut},
    {"Chwirut1", 3, 1, false, chwirut},         {"Lanczos3", 6, 1, false, lanczos},
    {"Gauss1", 8, 1, false, gauss},             {"Gauss2", 8, 1, false, gauss},
    {"DanWood", 2, 1, false, danwood},          {"Misra1b", 2, 1, false, misra1b},
    {"Kirby2", 5, 1, false, kirby2},            {"Hahn1", 7, 1, false, cubic_over_cubic},
    {"Nelson", 3, 2, true, nelson},             {"MGH17", 5, 1, false, mgh17},
    {"Lanczos1", 6, 1, false, lanczos},         {"Lanczos2", 6, 1, false, lanczos},
    {"Gauss3", 8, 1, false, gauss},             {"Misra1c", 2, 1, false, misra1c},
    {"Misra1d", 2, 1, false, misra1d},          {"Roszman1", 4, 1, false, roszman1},
    {"ENSO", 9, 1, false, enso},                {"MGH09", 4, 1, false, mgh09},
    {"Thurber", 7, 1, false, cubic_over_cubic}, {"BoxBOD", 2, 1, false, boxbod},
    {"Rat42", 3, 1, false, rat42},              {"MGH10", 3, 1, false, mgh10},
    {"Eckerle4", 3, 1, false, eckerle4},        {"Rat43", 4, 1, false, rat43},
    {"Bennett5", 3, 1, false, bennett5}};
enum { MODELS = sizeof models / sizeof *models };

typedef struct study {
    const model *model;
    char difficulty[16];
    size_t count;  /* observations */
    double *x, *y; /* count x predictors row-major, count; y as the model takes it */
    double start[2][MAX_PARAMETERS], certified[MAX_PARAMETERS], rss;
    size_t evaluations; /* of the solver at work, counted here */
} study;

/* A file as lines, numbered from 1 as its header counts them. */
typedef struct lines {
    const char *path;
    char (*line)[MAX_LINE];
    size_t count;
} lines;

static steep_status read_lines(const char *path, lines *file, steep_error *error)
{
    FILE *stream = fopen(path, "r");
    char line[MAX_LINE];
    steep_status status = STEEP_OK;
    *file = (lines){.path = path};
    if (!stream) return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    while (status == STEEP_OK && fgets(line, sizeof line, stream)) {
        if (!strchr(line, '\n') && !feof(stream))
            status = steep_fail(error, STEEP_BAD_INPUT, "%s:%zu: a line of %d characters and more: a file of NIST's "
                                "StRD would be right", path, file->count + 1, MAX_LINE - 1);
        char(*more)[MAX_LINE] = realloc(file->line, (file->count + 1) * sizeof *more);
        if (!more) status = steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its lines", path);
        else file->line = more;
        line[strcspn(line, "\r\n")] = '\0';
        if (status == STEEP_OK) memcpy(file->line[file->count++], line, sizeof line);
    }
    if (status == STEEP_OK && ferror(stream))
        status = steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    fclose(stream);
    return status;
}

/* Does text begin with word, whatever the case? */
static bool begins(const char *text, const char *word)
{
    for (; *word; text++, word++)
        if (tolower((unsigned char)*text) != tolower((unsigned char)*word)) return false;
    return true;
}

/* Where word stands in lines low..high, past it; NULL if nowhere. Case does not count. */
static const char *find(const lines *file, size_t low, size_t high, const char *word)
{
    for (size_t l = low; l <= high && l <= file->count; l++)
        for (const char *at = file->line[l - 1]; *at; at++)
            if (begins(at, word)) return at + strlen(word);
    return NULL;
}

static steep_status foreign(const lines *file, const char *what, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT, "%s: no %s: an unchanged file of NIST's StRD would be right", file->path,
                      what);
}

/* The range that the header gives to a part of the file, "NAME (lines A to B)". */
static steep_status find_range(const lines *file, const char *name, size_t *low, size_t *high, steep_error *error)
{
    for (size_t l = 1; l <= file->count; l++) {
        const char *at = find(file, l, l, name);
        if (at && sscanf(at, " (lines %zu to %zu)", low, high) == 2 && *low >= 1 && *low <= *high &&
            *high <= file->count)
            return STEEP_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "\"%s (lines A to B)\" within the file", name);
    return foreign(file, what, error);
}

/* Exactly count numbers, and nothing behind them. */
static bool read_numbers(const char *text, size_t count, double *value)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        value[i] = strtod(text, &end);
        if (end == text || !isfinite(value[i])) return false;
        text = end;
    }
    return text[strspn(text, " \t")] == '\0';
}

static steep_status read_parameters(const lines *file, study *s, steep_error *error)
{
    size_t low, high, last;
    steep_status status = find_range(file, "Certified Values", &low, &last, error);
    if (status == STEEP_OK) status = find_range(file, "Starting Values", &low, &high, error);
    if (status < 0) return status;
    if (high - low + 1 != s->model->parameters)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: \"Starting Values (lines %zu to %zu)\": %zu lines would be "
                          "right, one a parameter", file->path, low, high, s->model->parameters);
    for (size_t p = 0; p < s->model->parameters; p++) {
        const char *equals = strchr(file->line[low - 1 + p], '=');
        double v[4];
        if (!equals || !read_numbers(equals + 1, 4, v))
            return steep_fail(error, STEEP_BAD_INPUT, "%s:%zu: \"b%zu = start1 start2 certified deviation\" would be "
                              "right", file->path, low + p, p + 1);
        s->start[0][p] = v[0];
        s->start[1][p] = v[1];
        s->certified[p] = v[2];
    }
    const char *rss = find(file, high, last, "Residual Sum of Squares:");
    if (!rss || !read_numbers(rss, 1, &s->rss)) return foreign(file, "\"Residual Sum of Squares:\"", error);
    return STEEP_OK;
}

static steep_status read_data(const lines *file, study *s, steep_error *error)
{
    size_t low, high, P = s->model->predictors;
    steep_status status = find_range(file, "Data", &low, &high, error);
    if (status < 0) return status;
    s->count = high - low + 1;
    s->x = calloc(s->count * P, sizeof *s->x);
    s->y = calloc(s->count, sizeof *s->y);
    if (!s->x || !s->y) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its data", file->path);
    for (size_t k = 0; k < s->count; k++) {
        double v[1 + MAX_PREDICTORS];
        if (!read_numbers(file->line[low - 1 + k], 1 + P, v) || (s->model->log_response && !(v[0] > 0)))
            return steep_fail(error, STEEP_BAD_INPUT, "%s:%zu: a response%s and %zu predictors would be right",
                              file->path, low + k, s->model->log_response ? " above 0" : "", P);
        s->y[k] = s->model->log_response ? log(v[0]) : v[0];
        memcpy(s->x + k * P, v + 1, P * sizeof *v);
    }
    return s->count >= s->model->parameters ? STEEP_OK : foreign(file, "more observations than parameters", error);
}

static void close_study(study *s)
{
    free(s->x);
    free(s->y);
}

static steep_status open_study(const char *folder, const model *m, study *s, steep_error *error)
{
    char path[1024], name[64] = "";
    lines file;
    *s = (study){.model = m};
    snprintf(path, sizeof path, "%s/%s.dat", folder, m->name);
    steep_status status = read_lines(path, &file, error);
    if (status == STEEP_OK) {
        const char *title = find(&file, 1, file.count, "Dataset Name:");
        const char *level = find(&file, 1, file.count, "Level of Difficulty");
        if (!title || sscanf(title, " %63s", name) != 1 || strcmp(name, m->name) != 0)
            status = steep_fail(error, STEEP_BAD_INPUT, "%s: \"Dataset Name: %s\" would be right", path, m->name);
        else if (!level) status = foreign(&file, "\"Level of Difficulty\"", error);
        else sscanf(file.line[(size_t)(level - file.line[0]) / sizeof *file.line], " %15s", s->difficulty);
    }
    if (status == STEEP_OK) status = read_parameters(&file, s, error);
    if (status == STEEP_OK) status = read_data(&file, s, error);
    free(file.line);
    if (status < 0) close_study(s);
    return status;
}

/* r = f(x; b) - y and its Jacobian (column-major), as steep_least_squares_problem wants them. */
static steep_status evaluate(void *context, const double *b, double *r, double *J)
{
    study *s = context;
    size_t n = s->model->parameters, P = s->model->predictors;
    number z[MAX_PARAMETERS];
    for (size_t p = 0; p < n; p++) z[p] = b[p];
    for (size_t k = 0; k < s->count; k++) r[k] = creal(s->model->formula(z, s->x + k * P)) - s->y[k];
    for (size_t p = 0; J && p < n; p++) {
        z[p] = CMPLX(b[p], STEP);
        for (size_t k = 0; k < s->count; k++)
            J[k + p * s->count] = cimag(s->model->formula(z, s->x + k * P)) / STEP;
        z[p] = b[p];
    }
    s->evaluations++;
    return STEEP_OK;
}

typedef struct outcome {
    double b[MAX_PARAMETERS], rss, digits, digits_rss;
    size_t iterations, evaluations;
    char status[24];
} outcome;

static double digits_of(double value, double certified)
{
    double digits = -log10(fabs(value - certified) / fabs(certified));
    return digits >= DIGITS ? DIGITS : digits > 0 ? digits : 0; /* NaN: 0 */
}

static void judge(const experiment *e, study *s, outcome *o)
{
    double *r = experiment_numbers(e, s->count);
    evaluate(s, o->b, r, NULL);
    o->rss = 0;
    for (size_t k = 0; k < s->count; k++) o->rss += r[k] * r[k];
    free(r);
    o->digits = DIGITS;
    o->digits_rss = digits_of(o->rss, s->rss);
    for (size_t p = 0; p < s->model->parameters; p++)
        o->digits = fmin(o->digits, digits_of(o->b[p], s->certified[p]));
}

static void solve_steep(const experiment *e, study *s, const double *start, outcome *o)
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
    study *study;
    double *r, *J;
} adapter;

static int gsl_residual(const gsl_vector *b, void *context, gsl_vector *f)
{
    adapter *a = context;
    double x[MAX_PARAMETERS];
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
    double x[MAX_PARAMETERS];
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
    const char *name = code == GSL_EMAXITER    ? "max_iterations"
                       : code == GSL_ENOPROG   ? "no progress"
                       : code != GSL_SUCCESS   ? gsl_strerror(code)
                       : why == 1              ? "small step"
                                               : "small gradient";
    snprintf(o->status, sizeof o->status, "%s", name);
}

static void solve_gsl(const experiment *e, study *s, const double *start, outcome *o)
{
    size_t m = s->count, n = s->model->parameters;
    adapter a = {s, experiment_numbers(e, m), experiment_numbers(e, m * n)};
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, m, n);
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
    void (*solve)(const experiment *e, study *s, const double *start, outcome *o);
} solvers[] = {{"steep", solve_steep}, {"gsl", solve_gsl}};
#define SOLVERS 2

/* Digits of each solver from each start. */
typedef struct tally {
    double sum[SOLVERS][2], least[SOLVERS][2];
} tally;

static void run_study(const experiment *e, study *s, FILE *out, tally *t)
{
    for (int start = 0; start < 2; start++) {
        printf("%-9s %-8s %d", s->model->name, s->difficulty, start + 1);
        for (int v = 0; v < SOLVERS; v++) {
            outcome o = {.rss = 0};
            solvers[v].solve(e, s, s->start[start], &o);
            judge(e, s, &o);
            printf("   %5.1f %5.1f %5zu %6zu  %-14s", o.digits, o.digits_rss, o.iterations, o.evaluations, o.status);
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
            double mean = t->sum[v][start] / (double)MODELS;
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
    study studies[MODELS];
    steep_error error = {""};
    tally t;
    for (size_t i = 0; i < MODELS; i++)
        if (open_study(folder, &models[i], &studies[i], &error) < 0) experiment_die(e, &error, 2);
    for (int v = 0; v < SOLVERS; v++)
        for (int start = 0; start < 2; start++) t.sum[v][start] = 0, t.least[v][start] = DIGITS;
    experiment_folder(e);
    FILE *out = experiment_open(e, "nist.csv");
    fprintf(out, "problem,difficulty,start,solver,digits,digits_rss,rss,iterations,evaluations,status\n");
    printf("%20s", "");
    for (int v = 0; v < SOLVERS; v++) printf("   %-40s", solvers[v].name);
    printf("\nproblem   level  start");
    for (int v = 0; v < SOLVERS; v++) printf("  digits   rss iter. evals  %-14s", "status");
    printf("\n");
    for (size_t i = 0; i < MODELS; i++) {
        run_study(e, &studies[i], out, &t);
        close_study(&studies[i]);
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
    bool help = false;
    gsl_set_error_handler_off();
    if (steep_options_parse(table, &given, argc, argv, &help, NULL, NULL, &error) < 0) experiment_die(&e, &error, 2);
    if (help) {
        printf("usage: nist --data DIR [--out DIR]\n"
               "The generic least-squares solver on NIST's 27 certified problems, beside GSL's.\n\n");
        steep_options_print(table, stdout);
        return 0;
    }
    if (!given.data) {
        steep_fail(&error, STEEP_BAD_INPUT,
                   "no folder: --data DIR with NIST's files (Misra1a.dat and so on) would be right");
        experiment_die(&e, &error, 2);
    }
    e.out = given.out;
    return run(&e, given.data) ? 0 : 1;
}
