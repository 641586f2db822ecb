/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written_rows: the formulas of the units that ship, with which tests compare the units' code. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/activation.h"
#include "model/written.h"

/* Writes sigma(z) by the name of sigma; "id" writes its argument alone. */
static void put_activation(FILE *out, int kind, const char *z)
{
    if (kind == STEEP_ID) fputs(z, out);
    else fprintf(out, "%s(%s)", steep_activation_names((size_t)kind), z);
}

/* Writes (sum_c w_c sigma_c(z)) or, with a second argument, (sum_{k<=l} w_kl sigma_k(z) sigma_l(second)). Weights are
 * a_from, .., or gated: phi(s_from), .. . */
static void put_mixture(FILE *out, const steep_choice *choice, bool gated, int from, const char *z, const char *second)
{
    const bool softmax = gated && choice->gate == STEEP_SOFTMAX;
    int c = from;
    fputc('(', out);
    for (int k = 0; k < choice->terms; k++)
        for (int l = k; l < (second ? choice->terms : k + 1); l++, c++) {
            if (c > from) fputc('+', out);
            if (gated) fprintf(out, "%s(s%d)*", softmax ? "exp" : steep_gate_name(choice->gate), c);
            else fprintf(out, "a%d*", c);
            put_activation(out, choice->dictionary[k], z);
            if (second) fputc('*', out), put_activation(out, choice->dictionary[l], second);
        }
    if (softmax) fputs(")/(", out);
    for (int i = from; softmax && i < c; i++) fprintf(out, "%sexp(s%d)", i > from ? "+" : "", i);
    fputc(')', out);
}

/* The factor silu(z1), then a mixture of z2. */
static void put_one(FILE *out, const steep_choice *choice, bool gated)
{
    fputs("silu(z1)*", out);
    put_mixture(out, choice, gated, 1, "z2", NULL);
}

static void put_two(FILE *out, const steep_choice *choice, bool gated)
{
    put_mixture(out, choice, gated, 1, "z1", NULL);
    fputc('*', out);
    put_mixture(out, choice, gated, choice->terms + 1, "z2", NULL);
}

/* a_{k+1} He_k(z1) / k!: He_k = sum_m (-1)^m k! / (m! (k - 2m)! 2^m) z^{k-2m} */
static void put_hermite(FILE *out, const steep_choice *choice, char letter)
{
    double factorial[STEEP_MAX_INPUTS] = {1};
    for (int k = 1; k <= choice->degree; k++) factorial[k] = factorial[k - 1] * k;
    for (int k = 0; k <= choice->degree; k++) {
        fprintf(out, "%s%c%d*(", k ? "+" : "", letter, k + 1);
        for (int m = 0; 2 * m <= k; m++) {
            const char *sign = m % 2 ? "-" : m ? "+" : "";
            fprintf(out, "%sz1^%d/%.17g", sign, k - 2 * m, factorial[m] * factorial[k - 2 * m] * ldexp(1, m));
        }
        fputc(')', out);
    }
}

static void put_fourier(FILE *out, const steep_choice *choice, char letter)
{
    double factorial = 1;
    fprintf(out, "%c1", letter);
    for (int k = 1; k <= choice->degree; k++) {
        factorial *= k;
        fprintf(out, "+(%c%d*cos(%d*z1)+%c%d*sin(%d*z1))/%.17g", letter, 2 * k, k, letter, 2 * k + 1, k, factorial);
    }
}

static void put_phase(FILE *out, const steep_choice *choice, char letter)
{
    double factorial = 1;
    fprintf(out, "%c1", letter);
    for (int k = 1; k <= choice->degree; k++) {
        factorial *= k;
        fprintf(out, "+sqrt(2)*%c%d*cos(%c%d*z1-%c%d)/%.17g", letter, 3 * k - 1, letter, 3 * k, letter, 3 * k + 1,
                factorial);
    }
}

static void put_tropical(FILE *out, const steep_choice *choice, char letter)
{
    fprintf(out, "sqrt(2)/%d*", choice->degree);
    for (int k = 0; k < choice->degree; k++) fputs("max(", out);
    fprintf(out, "%c1", letter);
    for (int k = 1; k <= choice->degree; k++) fprintf(out, ",%c%d+%d*z1)", letter, k + 1, k);
}

/* max_k (a_{from + 2k} + a_{from + 2k + 1} z) */
static void put_largest(FILE *out, int degree, char letter, int from)
{
    for (int k = 0; k < degree; k++) fputs("max(", out);
    for (int k = 0; k <= degree; k++)
        fprintf(out, "%s%c%d+%c%d*z1%s", k ? "," : "", letter, from + 2 * k, letter, from + 2 * k + 1, k ? ")" : "");
}

static void put_rational(FILE *out, const steep_choice *choice, char letter)
{
    put_largest(out, choice->degree, letter, 1);
    fputc('-', out);
    put_largest(out, choice->degree, letter, 2 * choice->degree + 3);
}

static void put_polyrelu(FILE *out, const steep_choice *choice, char letter)
{
    fprintf(out, "%c1", letter);
    for (int i = 1; i <= choice->degree; i++) fprintf(out, "+%c%d*relu(z1)^%d", letter, i + 1, i);
}

static void put_norms(FILE *out, const steep_choice *choice, const char *v)
{
    fputs("a1", out);
    for (int i = 1; i <= choice->degree; i++) fprintf(out, "+a%d*%s^%d/sqrt(m%d+1e-6)", i + 1, v, i, i);
}

#define ROW(name, put, ...)                                                                                            \
    void steep_written_##name(const steep_choice *choice, FILE *out)                                                   \
    {                                                                                                                  \
        put_##put(out, choice, __VA_ARGS__);                                                                           \
    }
#define BOTH(name, put) ROW(name, put, 'a') ROW(name##_own, put, 'e')
ROW(la, mixture, false, 1, "z1", NULL)
ROW(moa, mixture, true, 1, "z1", NULL)
ROW(qd_la, mixture, false, 1, "z1", "z2")
ROW(qd_moa, mixture, true, 1, "z1", "z2")
ROW(one_la, one, false)
ROW(one_moa, one, true)
ROW(bi_la, two, false)
ROW(bi_moa, two, true)
BOTH(hermite, hermite)
BOTH(fourier, fourier)
BOTH(fourier_phase, phase)
BOTH(tropical, tropical)
BOTH(tropical_rational, rational)
BOTH(polyrelu, polyrelu)
ROW(polynorm, norms, "z1")
ROW(polynorm_l2, norms, "z1")
ROW(polyrelunorm, norms, "relu(z1)")

void steep_written_polyprelu(const steep_choice *choice, FILE *out)
{
    fputs("a1", out);
    for (int i = 1; i <= choice->degree; i++)
        fprintf(out, "+a%d*(relu(z1)-a%d*relu(-z1))^%d", i + 1, choice->degree + 2, i);
}

/* Writes text with the chosen activation in place of act. */
static void put_expression(FILE *out, const steep_choice *choice, const char *text)
{
    static const char act[] = "act(z1)";
    while (*text)
        if (strncmp(text, act, sizeof act - 1) == 0) {
            put_activation(out, choice->activation, "z1");
            text += sizeof act - 1;
        } else fputc(*text++, out);
}

void steep_written_formula(const steep_architecture *row, const steep_choice *choice, FILE *out)
{
    if (row->writes) row->writes(choice, out);
    else if (row->written) fputs(row->written->text, out);
    else if (row->expression) put_expression(out, choice, row->expression);
}
