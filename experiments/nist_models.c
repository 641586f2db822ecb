/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 27 models, from NIST's files. Each of them is a function of complex parameters: with b_p + i h, h tiny, the
 * imaginary part over h is the derivative by b_p, exact to rounding. The elementary functions know that h is tiny: they
 * give value and derivative of the real function, as good as the C library's, and are not finite where that one is not
 * (a negative base's power, say). */
#include <math.h>

#include "nist.h"

#ifndef CMPLX /* glibc's header has it for GCC alone */
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif

#define STEP 1e-100 /* h: its square vanishes beside any parameter's */

static nist_number exponential(nist_number z)
{
    double e = exp(creal(z));
    return CMPLX(e, e * cimag(z));
}

static nist_number power(nist_number z, nist_number p)
{
    double x = creal(z), y = pow(x, creal(p));
    return CMPLX(y, y * (creal(p) * cimag(z) / x + log(x) * cimag(p)));
}

static nist_number cosine(nist_number z)
{
    return CMPLX(cos(creal(z)), -sin(creal(z)) * cimag(z));
}
static nist_number sine(nist_number z)
{
    return CMPLX(sin(creal(z)), cos(creal(z)) * cimag(z));
}
static nist_number arctangent(nist_number z)
{
    return CMPLX(atan(creal(z)), cimag(z) / (1 + creal(z) * creal(z)));
}
static nist_number square(nist_number z)
{
    return z * z;
}

static nist_number bennett5(const nist_number *b, const double *x)
{
    return b[0] * power(b[1] + x[0], -1 / b[2]);
}
static nist_number boxbod(const nist_number *b, const double *x)
{
    return b[0] * (1 - exponential(-b[1] * x[0]));
}
static nist_number chwirut(const nist_number *b, const double *x)
{
    return exponential(-b[0] * x[0]) / (b[1] + b[2] * x[0]);
}
static nist_number danwood(const nist_number *b, const double *x)
{
    return b[0] * power(x[0], b[1]);
}

static nist_number enso(const nist_number *b, const double *x)
{
    double year = 2 * M_PI * x[0] / 12;
    nist_number first = 2 * M_PI * x[0] / b[3], second = 2 * M_PI * x[0] / b[6];
    return b[0] + b[1] * cos(year) + b[2] * sin(year) + b[4] * cosine(first) + b[5] * sine(first) +
           b[7] * cosine(second) + b[8] * sine(second);
}

static nist_number eckerle4(const nist_number *b, const double *x)
{
    return b[0] / b[1] * exponential(-0.5 * square((x[0] - b[2]) / b[1]));
}

static nist_number gauss(const nist_number *b, const double *x)
{
    return b[0] * exponential(-b[1] * x[0]) + b[2] * exponential(-square(x[0] - b[3]) / square(b[4])) +
           b[5] * exponential(-square(x[0] - b[6]) / square(b[7]));
}

/* Hahn1 and Thurber. */
static nist_number cubic_over_cubic(const nist_number *b, const double *x)
{
    double t = x[0];
    return (b[0] + t * (b[1] + t * (b[2] + t * b[3]))) / (1 + t * (b[4] + t * (b[5] + t * b[6])));
}

static nist_number kirby2(const nist_number *b, const double *x)
{
    double t = x[0];
    return (b[0] + t * (b[1] + t * b[2])) / (1 + t * (b[3] + t * b[4]));
}

static nist_number lanczos(const nist_number *b, const double *x)
{
    return b[0] * exponential(-b[1] * x[0]) + b[2] * exponential(-b[3] * x[0]) + b[4] * exponential(-b[5] * x[0]);
}

static nist_number mgh09(const nist_number *b, const double *x)
{
    double t = x[0];
    return b[0] * (t * t + t * b[1]) / (t * t + t * b[2] + b[3]);
}

static nist_number mgh10(const nist_number *b, const double *x)
{
    return b[0] * exponential(b[1] / (x[0] + b[2]));
}

static nist_number mgh17(const nist_number *b, const double *x)
{
    return b[0] + b[1] * exponential(-x[0] * b[3]) + b[2] * exponential(-x[0] * b[4]);
}

static nist_number misra1b(const nist_number *b, const double *x)
{
    return b[0] * (1 - 1 / square(1 + b[1] * x[0] / 2));
}
static nist_number misra1c(const nist_number *b, const double *x)
{
    return b[0] * (1 - power(1 + 2 * b[1] * x[0], -0.5));
}
static nist_number misra1d(const nist_number *b, const double *x)
{
    return b[0] * b[1] * x[0] / (1 + b[1] * x[0]);
}
static nist_number nelson(const nist_number *b, const double *x)
{
    return b[0] - b[1] * x[0] * exponential(-b[2] * x[1]);
}
static nist_number rat42(const nist_number *b, const double *x)
{
    return b[0] / (1 + exponential(b[1] - b[2] * x[0]));
}

static nist_number rat43(const nist_number *b, const double *x)
{
    return b[0] / power(1 + exponential(b[1] - b[2] * x[0]), 1 / b[3]);
}

static nist_number roszman1(const nist_number *b, const double *x)
{
    return b[0] - b[1] * x[0] - arctangent(b[2] / (x[0] - b[3])) / M_PI;
}

const nist_model nist_models[NIST_PROBLEMS] = {{"Misra1a", 2, 1, false, boxbod},
                                               {"Chwirut2", 3, 1, false, chwirut},
                                               {"Chwirut1", 3, 1, false, chwirut},
                                               {"Lanczos3", 6, 1, false, lanczos},
                                               {"Gauss1", 8, 1, false, gauss},
                                               {"Gauss2", 8, 1, false, gauss},
                                               {"DanWood", 2, 1, false, danwood},
                                               {"Misra1b", 2, 1, false, misra1b},
                                               {"Kirby2", 5, 1, false, kirby2},
                                               {"Hahn1", 7, 1, false, cubic_over_cubic},
                                               {"Nelson", 3, 2, true, nelson},
                                               {"MGH17", 5, 1, false, mgh17},
                                               {"Lanczos1", 6, 1, false, lanczos},
                                               {"Lanczos2", 6, 1, false, lanczos},
                                               {"Gauss3", 8, 1, false, gauss},
                                               {"Misra1c", 2, 1, false, misra1c},
                                               {"Misra1d", 2, 1, false, misra1d},
                                               {"Roszman1", 4, 1, false, roszman1},
                                               {"ENSO", 9, 1, false, enso},
                                               {"MGH09", 4, 1, false, mgh09},
                                               {"Thurber", 7, 1, false, cubic_over_cubic},
                                               {"BoxBOD", 2, 1, false, boxbod},
                                               {"Rat42", 3, 1, false, rat42},
                                               {"MGH10", 3, 1, false, mgh10},
                                               {"Eckerle4", 3, 1, false, eckerle4},
                                               {"Rat43", 4, 1, false, rat43},
                                               {"Bennett5", 3, 1, false, bennett5}};

void nist_evaluate(const nist_model *model, const double *b, size_t count, const double *x, double *f, double *J)
{
    nist_number z[NIST_PARAMETERS];
    for (size_t p = 0; p < model->parameters; p++) z[p] = b[p];
    for (size_t k = 0; k < count; k++) f[k] = creal(model->formula(z, x + k * model->predictors));
    for (size_t p = 0; J && p < model->parameters; p++) {
        z[p] = CMPLX(b[p], STEP);
        for (size_t k = 0; k < count; k++)
            J[k + p * count] = cimag(model->formula(z, x + k * model->predictors)) / STEP;
        z[p] = b[p];
    }
}
