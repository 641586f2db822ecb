/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written_rows: the units that ship, each as the formula that it is held to. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/activation.h"
#include "model/written.h"

static const char *activation_word(int kind)
{
    return steep_activation_names((size_t)kind);
}

/* sigma(z), sigma a name; "id" is its argument. */
static void put_activation(FILE *out, int kind, const char *z)
{
    if (kind == STEEP_ID) fputs(z, out);
    else fprintf(out, "%s(%s)", activation_word(kind), z);
}

/* phi(s_c) sigma(z1) [sigma'(z2)], or its numerator for softmax. */
static void put_term(FILE *out, const steep_choice *choice, int c, int first, int second)
{
    fprintf(out, "%s%s(s%d)*", c > 1 ? "+" : "", choice->gate == STEEP_SOFTMAX ? "exp" : activation_word(choice->gate),
            c);
    put_activation(out, first, "z1");
    if (second < 0) return;
    fputc('*', out);
    put_activation(out, second, "z2");
}

static void put_softmax_sum(FILE *out, const steep_choice *choice, int terms)
{
    if (choice->gate != STEEP_SOFTMAX) return;
    fputs(")/(", out);
    for (int c = 1; c <= terms; c++) fprintf(out, "%sexp(s%d)", c > 1 ? "+" : "", c);
    fputc(')', out);
}

void steep_written_la(const steep_choice *choice, FILE *out)
{
    for (int c = 0; c < choice->terms; c++) {
        fprintf(out, "%sa%d*", c ? "+" : "", c + 1);
        put_activation(out, choice->dictionary[c], "z1");
    }
}

void steep_written_moa(const steep_choice *choice, FILE *out)
{
    if (choice->gate == STEEP_SOFTMAX) fputc('(', out);
    for (int c = 0; c < choice->terms; c++) put_term(out, choice, c + 1, choice->dictionary[c], -1);
    put_softmax_sum(out, choice, choice->terms);
}

void steep_written_qd_moa(const steep_choice *choice, FILE *out)
{
    int c = 0;
    if (choice->gate == STEEP_SOFTMAX) fputc('(', out);
    for (int k = 0; k < choice->terms; k++)
        for (int l = k; l < choice->terms; l++)
            put_term(out, choice, ++c, choice->dictionary[k], choice->dictionary[l]);
    put_softmax_sum(out, choice, c);
}

/* a_{k+1} He_k(z1) / k!: He_k = sum_m (-1)^m k! / (m! (k - 2m)! 2^m) z^{k-2m} */
static void put_hermite(FILE *out, const steep_choice *choice, char letter)
{
    double factorial[STEEP_MAX_INPUTS] = {1};
    for (int k = 1; k <= choice->degree; k++) factorial[k] = factorial[k - 1] * k;
    for (int k = 0; k <= choice->degree; k++) {
        fprintf(out, "%s%c%d*(", k ? "+" : "", letter, k + 1);
        for (int m = 0; 2 * m <= k; m++)
            fprintf(out, "%sz1^%d/%.17g",
                    m == 0  ? ""
                    : m % 2 ? "-"
                            : "+",
                    k - 2 * m, factorial[m] * factorial[k - 2 * m] * ldexp(1, m));
        fputc(')', out);
    }
}

void steep_written_hermite(const steep_choice *choice, FILE *out)
{
    put_hermite(out, choice, 'a');
}

void steep_written_hermite_own(const steep_choice *choice, FILE *out)
{
    put_hermite(out, choice, 'e');
}

void steep_written_polynorm(const steep_choice *choice, FILE *out)
{
    fputs("a1", out);
    for (int i = 1; i <= choice->degree; i++) fprintf(out, "+a%d*z1^%d/sqrt(m%d+1e-6)", i + 1, i, i);
}

/* --- products of mixtures --- */

/* sum_c a_{from + c} sigma_c(z) */
static void put_sum(FILE *out, const steep_choice *choice, int from, const char *z)
{
    fputc('(', out);
    for (int c = 0; c < choice->terms; c++) {
        fprintf(out, "%sa%d*", c ? "+" : "", from + c);
        put_activation(out, choice->dictionary[c], z);
    }
    fputc(')', out);
}

/* sum_c w_c(s) sigma_c(z) with the gates from s_from on */
static void put_gated_sum(FILE *out, const steep_choice *choice, int from, const char *z)
{
    const bool softmax = choice->gate == STEEP_SOFTMAX;
    fputc('(', out);
    for (int c = 0; c < choice->terms; c++) {
        fprintf(out, "%s%s(s%d)*", c ? "+" : "", softmax ? "exp" : activation_word(choice->gate), from + c);
        put_activation(out, choice->dictionary[c], z);
    }
    if (softmax) fputs(")/(", out);
    for (int c = 0; softmax && c < choice->terms; c++) fprintf(out, "%sexp(s%d)", c ? "+" : "", from + c);
    fputc(')', out);
}

void steep_written_one_la(const steep_choice *choice, FILE *out)
{
    fputs("silu(z1)*", out);
    put_sum(out, choice, 1, "z2");
}

void steep_written_bi_la(const steep_choice *choice, FILE *out)
{
    put_sum(out, choice, 1, "z1");
    fputc('*', out);
    put_sum(out, choice, choice->terms + 1, "z2");
}

void steep_written_qd_la(const steep_choice *choice, FILE *out)
{
    int t = 0;
    for (int k = 0; k < choice->terms; k++)
        for (int l = k; l < choice->terms; l++) {
            fprintf(out, "%sa%d*", t ? "+" : "", t + 1);
            put_activation(out, choice->dictionary[k], "z1");
            fputc('*', out);
            put_activation(out, choice->dictionary[l], "z2");
            t++;
        }
}

void steep_written_one_moa(const steep_choice *choice, FILE *out)
{
    fputs("silu(z1)*", out);
    put_gated_sum(out, choice, 1, "z2");
}

void steep_written_bi_moa(const steep_choice *choice, FILE *out)
{
    put_gated_sum(out, choice, 1, "z1");
    fputc('*', out);
    put_gated_sum(out, choice, choice->terms + 1, "z2");
}

/* --- learned activations; letter a: coefficients shared, e: per unit --- */

static void put_fourier(FILE *out, const steep_choice *choice, char letter)
{
    double factorial = 1;
    fprintf(out, "%c1", letter);
    for (int k = 1; k <= choice->degree; k++) {
        factorial *= k;
        fprintf(out, "+(%c%d*cos(%d*z1)+%c%d*sin(%d*z1))/%.17g", letter, 2 * k, k, letter, 2 * k + 1, k, factorial);
    }
}

void steep_written_fourier(const steep_choice *choice, FILE *out)
{
    put_fourier(out, choice, 'a');
}

void steep_written_fourier_own(const steep_choice *choice, FILE *out)
{
    put_fourier(out, choice, 'e');
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

void steep_written_fourier_phase(const steep_choice *choice, FILE *out)
{
    put_phase(out, choice, 'a');
}

void steep_written_fourier_phase_own(const steep_choice *choice, FILE *out)
{
    put_phase(out, choice, 'e');
}

static void put_tropical(FILE *out, const steep_choice *choice, char letter)
{
    fprintf(out, "sqrt(2)/%d*", choice->degree);
    for (int k = 0; k < choice->degree; k++) fputs("max(", out);
    fprintf(out, "%c1", letter);
    for (int k = 1; k <= choice->degree; k++) fprintf(out, ",%c%d+%d*z1)", letter, k + 1, k);
}

void steep_written_tropical(const steep_choice *choice, FILE *out)
{
    put_tropical(out, choice, 'a');
}

void steep_written_tropical_own(const steep_choice *choice, FILE *out)
{
    put_tropical(out, choice, 'e');
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

void steep_written_tropical_rational(const steep_choice *choice, FILE *out)
{
    put_rational(out, choice, 'a');
}

void steep_written_tropical_rational_own(const steep_choice *choice, FILE *out)
{
    put_rational(out, choice, 'e');
}

/* --- polynomials of relu and its relatives --- */

static void put_polyrelu(FILE *out, const steep_choice *choice, char letter)
{
    fprintf(out, "%c1", letter);
    for (int i = 1; i <= choice->degree; i++) fprintf(out, "+%c%d*relu(z1)^%d", letter, i + 1, i);
}

void steep_written_polyrelu(const steep_choice *choice, FILE *out)
{
    put_polyrelu(out, choice, 'a');
}

void steep_written_polyrelu_own(const steep_choice *choice, FILE *out)
{
    put_polyrelu(out, choice, 'e');
}

void steep_written_polyprelu(const steep_choice *choice, FILE *out)
{
    fputs("a1", out);
    for (int i = 1; i <= choice->degree; i++)
        fprintf(out, "+a%d*(relu(z1)-a%d*relu(-z1))^%d", i + 1, choice->degree + 2, i);
}

void steep_written_polyrelunorm(const steep_choice *choice, FILE *out)
{
    fputs("a1", out);
    for (int i = 1; i <= choice->degree; i++) fprintf(out, "+a%d*relu(z1)^%d/sqrt(m%d+1e-6)", i + 1, i, i);
}

/* With the chosen activation in place of act. */
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
