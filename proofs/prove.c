/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prove: checks the statements of the five papers, one by one, and prints what is true of each.
 *
 *     prove [NAME...] [--list | --page] [--slow] [--seeds N] [--seed S] [--strain E] [--quiet]
 *
 * Exit status 0: all that was asked for holds; 1: something does not; 2: bad use. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "certify/ball.h"
#include "proof.h"

typedef struct wishes {
    bool list, page, slow, quiet, all;
    size_t times;
    uint64_t seed;
    double strain;
} wishes;

static const char *const verdict_names[] = {"PROVED", "CERTIFIED", "MEASURED", "REFUTED"};

static const char help[] =
    "Usage: prove [NAME...] [options]\n"
    "Checks statements of the papers; without names all of them. A name may be a paper's: mixture, learned, slopes, "
    "polycom.\n"
    "  --list       names, places and verdicts\n"
    "  --page       the table of all, in Markdown\n"
    "  --slow       ten times the random cases, and what takes long\n"
    "  --seeds N    N times the random cases\n"
    "  --seed S     other random cases\n"
    "  --strain E   every bound moved by this part of itself against the statement: each statement must then fail\n"
    "  --quiet      only what does not hold, and the count\n"
    "  --help       this text\n";

/* The answer must be earned: a proof by something exact or by Coq, a certificate by enclosures. */
static bool earned(const proof *p)
{
    const bool exactly = p->exact > 0 || *p->claim->coq;
    switch (p->claim->verdict) {
    case PROVED: return exactly;
    case CERTIFIED: return p->certified > 0;
    case REFUTED: return exactly || p->certified > 0;
    default: return true;
    }
}

static void print_head(const claim *c, FILE *out)
{
    fprintf(out, "%s  %s, %s: %s\n", c->name, c->paper, c->place, c->judgement);
    fprintf(out, "    states: %s\n", c->statement);
    if (*c->correct) fprintf(out, "    true:   %s\n", c->correct);
    if (*c->coq) fprintf(out, "    Coq:    %s\n", c->coq);
}

/* Runs one statement; true: it holds (under strain: something failed, as it must). */
static bool run(const claim *c, const wishes *w, FILE *out)
{
    const size_t i = (size_t)(c - claims);
    proof p = {.claim = c, .strain = w->strain, .slow = w->slow, .times = w->times, .out = out};
    p.random = steep_random_start(w->seed, ((uint64_t)STEEP_STREAM_SIMULATION << 32) + i);
    p.pool = exact_pool_new();
    if (out) print_head(c, out);
    c->check(&p);
    exact_pool_free(p.pool);
    if (w->strain > 0) {
        if (p.failed == 0) printf("%s: holds although every bound was moved by %g of itself\n", c->name, w->strain);
        return p.failed > 0;
    }
    const bool fine = p.failed == 0 && p.held > 0 && earned(&p);
    if (!fine && !out) printf("%s: does not hold\n", c->name);
    if (p.failed == 0 && !earned(&p))
        printf("%s: %s, but nothing exact or enclosed was checked\n", c->name, verdict_names[c->verdict]);
    if (out)
        fprintf(out, "    %s%s%s%s%s: %zu checks in fractions, %zu of enclosures, %zu in doubles\n\n",
                fine ? "" : "NOT ", verdict_names[c->verdict], c->scope ? " (" : "", c->scope ? c->scope : "",
                c->scope ? ")" : "", p.exact, p.certified, p.measured);
    return fine;
}

static bool chosen(const claim *c, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], c->name) == 0 || strcmp(names[i], c->paper) == 0) return true;
    return count == 0;
}

static bool known(const char *name)
{
    for (size_t i = 0; i < claim_count; i++)
        if (chosen(&claims[i], 1, (char *[]){(char *)name})) return true;
    return false;
}

static void print_list(void)
{
    for (size_t i = 0; i < claim_count; i++) {
        const claim *c = &claims[i];
        printf("%-24s %-9s %-10s %-22s %s\n", c->name, c->paper, verdict_names[c->verdict], c->place, c->judgement);
    }
}

/* Bars would end a cell of the table. */
static void print_cell(const char *text)
{
    for (; *text; text++)
        if (*text == '|') fputs("\\|", stdout);
        else putchar(*text);
}

static void print_table(const char *paper)
{
    puts("| name | place | as printed | what is true | answer | machine-checked |\n|---|---|---|---|---|---|");
    for (size_t i = 0; i < claim_count; i++) {
        const claim *c = &claims[i];
        if (strcmp(c->paper, paper) != 0) continue;
        printf("| `%s` | %s | ", c->name, c->place);
        print_cell(c->statement);
        printf(": **%s** | ", c->judgement);
        print_cell(*c->correct ? c->correct : "as it stands");
        printf(" | %s%s%s | %s%s%s |\n", verdict_names[c->verdict], c->scope ? ": " : "", c->scope ? c->scope : "",
               *c->coq ? "`" : "", c->coq, *c->coq ? "`" : "");
    }
    putchar('\n');
}

static void print_page(void)
{
    static const char *const paper[] = {"mixture", "learned", "slopes", "polycom"};
    static const char *const title[] = {"Mixture of activations", "Polynomial, trigonometric, and tropical activations",
                                        "GLU scaling slopes", "Polynomial composition activations"};
    size_t count[4] = {0};
    for (size_t i = 0; i < claim_count; i++) count[claims[i].verdict]++;
    puts("# What is true of the papers' statements\n\n"
         "Made by `make docs` from the table `proofs/claims.c`, which `build/bin/prove` runs (`make proofs`): it "
         "prints each statement with\n"
         "its figures, and ends with status 1 if one does not hold.\n\n"
         "PROVED: by exact fractions, or machine-checked in `proofs/coq/` (`make proofs-coq`), whose theorems are "
         "named in the last column;\n"
         "they rest on the axioms of Coq's real numbers alone. Where that is so for a part of the statement only, the "
         "part is named. CERTIFIED: enclosed, all rounding accounted for. MEASURED: in doubles.\n"
         "Theorems whose names end in _in are those of two dimensions and of one in [-1, 1]^d, d >= 2: `Dimensions.v` "
         "has the "
         "step, by restriction to x3 = .. = 0.\n"
         "REFUTED: false as printed, by a counterexample that is exact or enclosed. Gradients have the Euclidean norm "
         "unless a line says else.\n"
         "Every statement is attacked by random search, and the tightest case is printed; with every bound moved by a "
         "millionth of itself\n"
         "(`prove --strain 1e-6`) each of them fails, as a test wants.\n");
    printf("%zu statements: %zu proved, %zu certified, %zu measured, %zu refuted.\n\n", claim_count, count[PROVED],
           count[CERTIFIED], count[MEASURED], count[REFUTED]);
    for (size_t i = 0; i < 4; i++) {
        printf("## %s\n\n", title[i]);
        print_table(paper[i]);
    }
    puts("\"Adaptive activation blending\" states no theorem.");
}

static int bad_use(const char *what, const char *value)
{
    fprintf(stderr, "prove: %s%s: see prove --help\n", what, value);
    return 2;
}

/* The number behind an option, or -1. */
static double number_of(const char *text)
{
    char *end = NULL;
    const double x = text ? strtod(text, &end) : -1;
    return text && end != text && !*end && x >= 0 ? x : -1;
}

/* Takes options out of argv; what remains are names. -1: go on; else the exit status. */
static int read_options(int *argc, char **argv, wishes *w)
{
    int kept = 0;
    for (int i = 1; i < *argc; i++) {
        const char *a = argv[i];
        const bool numeric = !strcmp(a, "--seeds") || !strcmp(a, "--seed") || !strcmp(a, "--strain");
        const double x = numeric && i + 1 < *argc ? number_of(argv[i + 1]) : -1;
        if (numeric && x < 0) return bad_use("a number, at least 0, is wanted after ", a);
        if (!strcmp(a, "--help")) return fputs(help, stdout), 0;
        else if (!strcmp(a, "--list")) w->list = true;
        else if (!strcmp(a, "--page")) w->page = true;
        else if (!strcmp(a, "--slow")) w->slow = true;
        else if (!strcmp(a, "--quiet")) w->quiet = true;
        else if (!strcmp(a, "--seeds")) w->times = x < 1 ? 1 : (size_t)x, i++;
        else if (!strcmp(a, "--seed")) w->seed = (uint64_t)x, i++;
        else if (!strcmp(a, "--strain")) w->strain = x, i++;
        else if (a[0] == '-') return bad_use("there is no option ", a);
        else if (!known(a)) return bad_use("there is no statement ", a);
        else argv[kept++] = argv[i];
    }
    *argc = kept;
    return -1;
}

int main(int argc, char **argv)
{
    wishes w = {.times = 1};
    size_t passed = 0, failed = 0;
    gsl_set_error_handler_off();
    const int status = read_options(&argc, argv, &w);
    if (status >= 0) return status;
    if (w.list || w.page) return w.list ? print_list() : print_page(), 0;
    for (size_t i = 0; i < claim_count; i++) {
        if (!chosen(&claims[i], argc, argv)) continue;
        if (run(&claims[i], &w, w.quiet || w.strain > 0 ? NULL : stdout)) passed++;
        else failed++;
        fflush(stdout);
    }
    flint_cleanup();
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed ? 1 : 0;
}
