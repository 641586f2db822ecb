/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "data/target.h"
#include "fit/problem.h"
#include "model/architecture.h"
#include "model/network.h"
#include "model/start.h"

/* The record of the command's options. */
typedef struct list_record {
    size_t dim; /* 0: any */
} list_record;

static const steep_option table[] = {
    {"dim", STEEP_OPTION_SIZE, offsetof(list_record, dim), "D", "0", 0, 1e6, NULL,
     "architectures: parameters in so many dimensions; 0: as a formula in d", STEEP_OPTION_FREE},
    {.name = NULL},
};

const steep_option *steep_cli_list_tables(size_t index)
{
    return index == 0 ? table : NULL;
}

/* Twice the coefficients of a polynomial c0 + c1 d + c2 d^2 from its values at d = 1, 2, 3. */
static void interpolate(const long long value[3], long long twice[3])
{
    twice[2] = value[2] - 2 * value[1] + value[0];
    twice[1] = 2 * (value[1] - value[0]) - 3 * twice[2];
    twice[0] = 2 * value[0] - twice[1] - twice[2];
}

/* Such a polynomial as a reader writes it: "d^2 + 2d + 3", "(d^2 + 5d + 6)/2"; how many terms it has. */
static int put_polynomial(const long long twice[3], bool factor, FILE *out)
{
    static const char *const power[] = {"", "d", "d^2"};
    const bool whole = twice[0] % 2 == 0 && twice[1] % 2 == 0 && twice[2] % 2 == 0;
    const int terms = (twice[0] != 0) + (twice[1] != 0) + (twice[2] != 0);
    const bool group = terms > 1 && (factor || !whole);
    if (group) fputc('(', out);
    bool begun = false;
    for (int k = 2; k >= 0; k--) {
        const long long c = twice[k] / (whole ? 2 : 1);
        if (c == 0) continue;
        if (begun) fputs(c < 0 ? " - " : " + ", out);
        if (llabs(c) > 1 || k == 0) fprintf(out, "%lld", begun ? llabs(c) : c);
        fputs(power[k], out);
        begun = true;
    }
    if (group) fputc(')', out);
    if (!whole) fputs("/2", out);
    return terms;
}

/* How many parameters n units have at n = 1 and 2 in d dimensions; false: none. */
static bool count_parameters(const steep_architecture *row, const steep_choice *choice, size_t dim, long long count[2])
{
    for (size_t n = 1; n <= 2; n++) {
        steep_network network;
        if (steep_network_init(&network, row, choice, dim, n, NULL) != STEEP_OK) return false;
        count[n - 1] = (long long)network.parameters;
    }
    return true;
}

/* P = a(d) n + b(d), from counts of networks: in one dimension asked for, or with d. */
static void write_parameters(const steep_architecture *row, const steep_choice *choice, size_t dim, FILE *out)
{
    long long slope[3], rest[3], count[2], a[3], b[3];
    for (size_t d = 0; d < 3; d++) {
        if (!count_parameters(row, choice, dim ? dim : d + 1, count)) {
            fputc('-', out);
            return;
        }
        slope[d] = count[1] - count[0];
        rest[d] = count[0] - slope[d];
    }
    interpolate(slope, a);
    interpolate(rest, b);
    if (dim) fprintf(out, "%lldn + %lld", slope[0], rest[0]);
    else {
        fputc('n', out);
        put_polynomial(a, true, out);
        fputs(" + ", out);
        put_polynomial(b, false, out);
    }
}

static void print_parameters(const steep_architecture *row, const steep_choice *choice, size_t dim)
{
    char text[96] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    if (!out) return;
    write_parameters(row, choice, dim, out);
    fclose(out);
    printf("%-*s", dim ? 12 : 27, text);
}

static void list_architectures(const list_record *record)
{
    const steep_architecture *row;
    const int room = record->dim ? 12 : 27;
    printf("architectures: y(x) = d_0 + sum_i D_i h_i(x), i = 1 .. n; P: parameters ");
    if (record->dim) printf("in %zuD", record->dim);
    else printf("in d dimensions (--dim: in one of them)");
    puts(", dictionary and degree by default;\nslope: of the error against P in 1D, relu gates\n");
    printf("  %-17s %-*s %-6s %s\n", "name", room, "P", "slope", "unit h, activation by default, source");
    for (size_t i = 0; (row = steep_architecture_table(i)); i++) {
        steep_choice choice = steep_choice_default(row);
        steep_piecewise piecewise = {0, 0, 0};
        if (row->piecewise) row->piecewise(&choice, &piecewise);
        printf("  %-17s ", row->name);
        print_parameters(row, &choice, record->dim);
        if (piecewise.degree > 0) printf(" %-6d ", -(int)(piecewise.degree + 1));
        else printf(" %-6s ", "");
        printf("%s\n", row->formula);
        printf("  %-*s %s%s%s\n", room + 25, "",
               row->uses_activation ? steep_activation_names((size_t)row->activation) : "",
               row->uses_activation ? "; " : "", row->source);
    }
}

static void list_pairs(const char *title, const char *(*names)(size_t), const char *(*formulas)(size_t))
{
    printf("%s\n\n", title);
    for (size_t i = 0; names(i); i++) printf("  %-16s %s\n", names(i), formulas(i) ? formulas(i) : "");
}

static void list_activations(const list_record *record)
{
    (void)record;
    list_pairs("activations: elementwise, on the gate branch (--activation, or --arch NAME:ACTIVATION)",
               steep_activation_names, steep_activation_formula);
}

static void list_targets(const list_record *record)
{
    (void)record;
    const steep_target_entry *entry;
    puts("targets: or any formula in x, y, z (x1, x2, ...), as in --target 'exp(-x)*cos(8*x)'; on: --domain, one "
         "interval stands for all;\nparameters: set as in --target moa_type1:lambda=3\n");
    for (size_t i = 0; (entry = steep_target_catalogue(i)); i++)
        printf("  %-16s %s  on %s%s%s; %s\n", entry->name, entry->formula, entry->domain ? entry->domain : "-1:1",
               entry->parameters ? "; parameters " : "", entry->parameters ? entry->parameters : "", entry->source);
}

static void list_starts(const list_record *record)
{
    (void)record;
    list_pairs("starts: where the gates begin (--start)", steep_start_names, steep_start_formula);
}

static void list_solvers(const list_record *record)
{
    (void)record;
    list_pairs("solvers (--solver)", steep_solver_names, steep_solver_formula);
}

static const struct {
    const char *name;
    void (*print)(const list_record *record);
} lists[] = {
    {"architectures", list_architectures},
    {"activations", list_activations},
    {"targets", list_targets},
    {"starts", list_starts},
    {"solvers", list_solvers},
};
#define LISTS (sizeof lists / sizeof *lists)

const char *steep_cli_list_names(size_t index)
{
    return index < LISTS ? lists[index].name : NULL;
}

static void print_all(const list_record *record)
{
    for (size_t i = 0; i < LISTS; i++) {
        if (i > 0) putchar('\n');
        lists[i].print(record);
    }
}

static int print_list(const char *word, const list_record *record)
{
    for (size_t i = 0; i < LISTS; i++)
        if (strcmp(word, lists[i].name) == 0) {
            lists[i].print(record);
            return 0;
        }
    const char *near = steep_options_nearest(word, steep_cli_list_names);
    fprintf(stderr, "steep: no list of '%.80s': %s%s%s\n", word,
            near ? "did you mean '" : "use architectures, activations, targets, starts or solvers", near ? near : "",
            near ? "'?" : "");
    return 2;
}

int steep_command_list(int argc, char **argv)
{
    static const char *const examples[] = {"steep list architectures --dim 2", "steep list targets", NULL};
    list_record record = {0};
    int result = 0;
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_status status = steep_cli_parse(table, &record, &line, &error);
    if (status < 0) {
        result = steep_cli_fail(status, &error);
    } else if (line.help) {
        steep_cli_help("steep list [architectures|activations|targets|starts|solvers] [--dim D]",
                       "Lists what there is, with formulas and sources; everything without a word.", table, examples);
    } else if (line.words == 0) {
        print_all(&record);
    } else {
        for (size_t i = 0; i < line.words && result == 0; i++) result = print_list(line.word[i], &record);
    }
    free(line.word);
    return result;
}
