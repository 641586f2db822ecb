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

/* P = a n + b in one dimension, from the counts at two widths. */
static void print_parameters(const steep_architecture *row, const steep_choice *choice)
{
    steep_network one, two;
    char text[48] = "-";
    if (steep_network_init(&one, row, choice, 1, 1, NULL) == STEEP_OK &&
        steep_network_init(&two, row, choice, 1, 2, NULL) == STEEP_OK) {
        size_t a = two.parameters - one.parameters, b = one.parameters - a;
        snprintf(text, sizeof text, "%zun + %zu", a, b);
    }
    printf("%-9s", text);
}

static void list_architectures(void)
{
    const steep_architecture *row;
    puts("architectures: y(x) = d + sum_i D_i h_i(x); P: parameters in 1D; slope: of the error against P in 1D, relu "
         "gates\n");
    printf("  %-17s %-9s %-6s %s\n", "name", "P", "slope", "unit h, activation by default, source");
    for (size_t i = 0; (row = steep_architecture_table(i)); i++) {
        steep_choice choice = steep_choice_default(row);
        steep_piecewise piecewise = {0, 0, 0};
        if (row->piecewise) row->piecewise(&choice, &piecewise);
        printf("  %-17s ", row->name);
        print_parameters(row, &choice);
        if (piecewise.degree > 0) printf(" %-6d ", -(int)(piecewise.degree + 1));
        else printf(" %-6s ", "");
        printf("%s\n", row->formula);
        printf("  %-34s %s%s%s\n", "", row->uses_activation ? steep_activation_names((size_t)row->activation) : "",
               row->uses_activation ? "; " : "", row->source);
    }
}

static void list_pairs(const char *title, const char *(*names)(size_t), const char *(*formulas)(size_t))
{
    printf("%s\n\n", title);
    for (size_t i = 0; names(i); i++) printf("  %-16s %s\n", names(i), formulas(i) ? formulas(i) : "");
}

static void list_activations(void)
{
    list_pairs("activations: elementwise, on the gate branch (--activation, or --arch NAME:ACTIVATION)",
               steep_activation_names, steep_activation_formula);
}

static void list_targets(void)
{
    const steep_target_entry *entry;
    puts("targets: or any formula in x, y, z (x1, x2, ...), as in --target 'exp(-x)*cos(8*x)'\n");
    for (size_t i = 0; (entry = steep_target_catalogue(i)); i++)
        printf("  %-16s %s  on [%g, %g]; %s\n", entry->name, entry->formula, entry->low, entry->high, entry->source);
}

static void list_starts(void)
{
    list_pairs("starts: where the gates begin (--start)", steep_start_names, steep_start_formula);
}

static void list_solvers(void)
{
    list_pairs("solvers (--solver)", steep_solver_names, steep_solver_formula);
}

static const struct {
    const char *name;
    void (*print)(void);
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

static void print_all(void)
{
    for (size_t i = 0; i < LISTS; i++) {
        if (i > 0) putchar('\n');
        lists[i].print();
    }
}

static int print_list(const char *word)
{
    for (size_t i = 0; i < LISTS; i++)
        if (strcmp(word, lists[i].name) == 0) {
            lists[i].print();
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
    static const steep_option none[] = {{.name = NULL}};
    static const char *const examples[] = {"steep list architectures", "steep list targets", NULL};
    char record = 0;
    int result = 0;
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_status status = steep_cli_parse(none, &record, &line, &error);
    if (status < 0) {
        result = steep_cli_fail(status, &error);
    } else if (line.help) {
        steep_cli_help("steep list [architectures|activations|targets|starts|solvers]",
                       "Lists what there is, with formulas and sources; everything without a word.", NULL, examples);
    } else if (line.words == 0) {
        print_all();
    } else {
        for (size_t i = 0; i < line.words && result == 0; i++) result = print_list(line.word[i]);
    }
    free(line.word);
    return result;
}
