/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 27 models, from NIST's files: units of formula/formula.h, z1 and z2 the predictors, a1, a2, .. the parameters;
 * and what reads the files. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nist.h"

#define EXPONENTIAL "a1*(1-exp(-a2*z1))"
#define CHWIRUT     "exp(-a1*z1)/(a2+a3*z1)"
#define LANCZOS     "a1*exp(-a2*z1)+a3*exp(-a4*z1)+a5*exp(-a6*z1)"
#define GAUSS       "a1*exp(-a2*z1)+a3*exp(-(z1-a4)^2/a5^2)+a6*exp(-(z1-a7)^2/a8^2)"
#define CUBICS      "(a1+z1*(a2+z1*(a3+z1*a4)))/(1+z1*(a5+z1*(a6+z1*a7)))"
#define CYCLES                                                                                                         \
    "a1+a2*cos(2*pi*z1/12)+a3*sin(2*pi*z1/12)+a5*cos(2*pi*z1/a4)+a6*sin(2*pi*z1/a4)+a8*cos(2*pi*z1/a7)+"               \
    "a9*sin(2*pi*z1/a7)"

const nist_model nist_models[NIST_PROBLEMS] = {{"Misra1a", 2, 1, false, EXPONENTIAL},
                                               {"Chwirut2", 3, 1, false, CHWIRUT},
                                               {"Chwirut1", 3, 1, false, CHWIRUT},
                                               {"Lanczos3", 6, 1, false, LANCZOS},
                                               {"Gauss1", 8, 1, false, GAUSS},
                                               {"Gauss2", 8, 1, false, GAUSS},
                                               {"DanWood", 2, 1, false, "a1*z1^a2"},
                                               {"Misra1b", 2, 1, false, "a1*(1-1/(1+a2*z1/2)^2)"},
                                               {"Kirby2", 5, 1, false, "(a1+z1*(a2+z1*a3))/(1+z1*(a4+z1*a5))"},
                                               {"Hahn1", 7, 1, false, CUBICS},
                                               {"Nelson", 3, 2, true, "a1-a2*z1*exp(-a3*z2)"},
                                               {"MGH17", 5, 1, false, "a1+a2*exp(-z1*a4)+a3*exp(-z1*a5)"},
                                               {"Lanczos1", 6, 1, false, LANCZOS},
                                               {"Lanczos2", 6, 1, false, LANCZOS},
                                               {"Gauss3", 8, 1, false, GAUSS},
                                               {"Misra1c", 2, 1, false, "a1*(1-(1+2*a2*z1)^(-0.5))"},
                                               {"Misra1d", 2, 1, false, "a1*a2*z1/(1+a2*z1)"},
                                               {"Roszman1", 4, 1, false, "a1-a2*z1-atan(a3/(z1-a4))/pi"},
                                               {"ENSO", 9, 1, false, CYCLES},
                                               {"MGH09", 4, 1, false, "a1*(z1^2+z1*a2)/(z1^2+z1*a3+a4)"},
                                               {"Thurber", 7, 1, false, CUBICS},
                                               {"BoxBOD", 2, 1, false, EXPONENTIAL},
                                               {"Rat42", 3, 1, false, "a1/(1+exp(a2-a3*z1))"},
                                               {"MGH10", 3, 1, false, "a1*exp(a2/(z1+a3))"},
                                               {"Eckerle4", 3, 1, false, "a1/a2*exp(-0.5*((z1-a3)/a2)^2)"},
                                               {"Rat43", 4, 1, false, "a1/(1+exp(a2-a3*z1))^(1/a4)"},
                                               {"Bennett5", 3, 1, false, "a1*(a2+z1)^(-1/a3)"}};

/* A line of the file, counted from 1. All files have their parts in the same lines: the level of difficulty, both starts
 * and the certified value of each parameter, the data to the end. False where it is not as NIST has it. */
static bool read_line(nist_study *s, size_t number, const char *line)
{
    enum { LEVEL = 28, PARAMETERS = 41, DATA = 61 };
    const size_t P = s->model->parameters, p = number - PARAMETERS, k = s->count;
    if (number == LEVEL) return sscanf(line, " %15s Level of Difficulty", s->difficulty) == 1;
    if (number >= PARAMETERS && p < P)
        return sscanf(line, " b%*d = %lf %lf %lf", &s->start[0][p], &s->start[1][p], &s->certified[p]) == 3;
    if (number == PARAMETERS + P + 1) return sscanf(line, "Residual Sum of Squares: %lf", &s->rss) == 1;
    if (number < DATA || line[strspn(line, " \r\n")] == '\0') return true;
    if (k == NIST_POINTS ||
        sscanf(line, "%lf %lf %lf", &s->y[k], &s->x[0][k], &s->x[1][k]) != 1 + (int)s->model->predictors)
        return false;
    if (s->model->log_response) s->y[k] = log(s->y[k]);
    s->count++;
    return true;
}

steep_status nist_study_open(const char *folder, const nist_model *model, nist_study *s, steep_error *error)
{
    char path[1024], line[256];
    steep_status status = STEEP_OK;
    *s = (nist_study){.model = model};
    snprintf(path, sizeof path, "%s/%s.dat", folder, model->name);
    FILE *stream = fopen(path, "r");
    if (!stream) return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    for (size_t number = 1; status == STEEP_OK && fgets(line, sizeof line, stream); number++)
        if (!read_line(s, number, line))
            status = steep_fail(error, STEEP_BAD_INPUT, "%s:%zu: use an unchanged file of NIST's StRD", path, number);
    fclose(stream);
    if (status == STEEP_OK && s->count < model->parameters)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: too short: use an unchanged file of NIST's StRD", path);
    return status < 0 ? status : steep_formula_parse_unit(model->text, &s->formula, (size_t[5]){0}, error);
}

void nist_evaluate(const nist_study *s, const double *b, double *f, double *J)
{
    const size_t n = s->model->predictors, N = s->count;
    double column[NIST_PARAMETERS][NIST_POINTS], unused[NIST_PREDICTORS][NIST_POINTS]; /* slopes in x */
    const double *in[NIST_PREDICTORS + NIST_PARAMETERS];
    double *g[NIST_PREDICTORS + NIST_PARAMETERS];
    for (size_t j = 0; j < n; j++) in[j] = s->x[j], g[j] = unused[j];
    for (size_t p = 0; p < s->model->parameters; p++) {
        in[n + p] = column[p];
        g[n + p] = J ? J + p * N : NULL;
        for (size_t k = 0; k < N; k++) column[p][k] = b[p];
    }
    steep_formula_derivatives(s->formula, &(steep_tile){N, in, J != NULL, f, g, NULL});
}
