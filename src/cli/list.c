/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "fit/problem.h"

typedef struct list_record {
    steep_cli_output output;
    size_t dim; /* 0: all dimensions */
} list_record;

static const steep_option table[] = {
    {"dim", STEEP_OPTION_SIZE, offsetof(list_record, dim), "D", "0", 0, 1e6, NULL,
     "architectures: parameters in so many dimensions; 0: as a formula in d", STEEP_OPTION_FREE},
    {.name = NULL},
};

/* Twice the coefficients of a polynomial c0 + c1 d + c2 d^2 from its values at d = 1, 2, 3. */
static void interpolate(const long long value[3], long long twice[3])
{
    twice[2] = value[2] - 2 * value[1] + value[0];
    twice[1] = 2 * (value[1] - value[0]) - 3 * twice[2];
    twice[0] = 2 * value[0] - twice[1] - twice[2];
}

/* Adds the text of such a polynomial: "d^2 + 2d + 3", "(d^2 + 5d + 6)/2". */
static void add_polynomial(const long long twice[3], bool factor, char *text, size_t size)
{
    static const char *const power[] = {"", "d", "d^2"};
    const bool whole = twice[0] % 2 == 0 && twice[1] % 2 == 0 && twice[2] % 2 == 0;
    const int terms = (twice[0] != 0) + (twice[1] != 0) + (twice[2] != 0);
    const bool group = terms > 1 && (factor || !whole);
    bool begun = false;
    steep_text_add(text, size, "%s", group ? "(" : "");
    for (int k = 2; k >= 0; k--) {
        const long long c = twice[k] / (whole ? 2 : 1);
        if (c == 0) continue;
        if (begun) steep_text_add(text, size, "%s", c < 0 ? " - " : " + ");
        if (llabs(c) > 1 || k == 0) steep_text_add(text, size, "%lld", begun ? llabs(c) : c);
        steep_text_add(text, size, "%s", power[k]);
        begun = true;
    }
    steep_text_add(text, size, "%s%s", group ? ")" : "", whole ? "" : "/2");
}

/* Writes P = a(d) n + b(d), from networks of 1 and 2 units: for dim, or with dim 0 as a formula in d; "-": none. */
static void write_parameters(const steep_architecture *row, const steep_choice *choice, size_t dim, char *text,
                             size_t size)
{
    long long slope[3], rest[3], count[2], a[3], b[3];
    snprintf(text, size, "-");
    for (size_t d = 0; d < 3; d++) {
        for (size_t n = 1; n <= 2; n++) {
            steep_network network;
            if (steep_network_init(&network, row, choice, dim ? dim : d + 1, n, NULL) != STEEP_OK) return;
            count[n - 1] = (long long)steep_network_size(&network);
        }
        slope[d] = count[1] - count[0];
        rest[d] = count[0] - slope[d];
    }
    interpolate(slope, a);
    interpolate(rest, b);
    const bool constant = slope[0] == slope[1] && slope[1] == slope[2];
    text[0] = '\0';
    if (constant && slope[0] != 1) steep_text_add(text, size, "%lld", slope[0]);
    steep_text_add(text, size, "n");
    if (!constant) add_polynomial(a, true, text, size);
    steep_text_add(text, size, " + ");
    add_polynomial(b, false, text, size);
}

typedef struct printing {
    steep_sheet *sheet;
    steep_sheet_line line;
    const char *name, *title;
    steep_sheet_shape shape;
} printing;

/* Prints a row, and the title before the first row. */
static void put_row(printing *p, const steep_sheet_part *part, size_t count)
{
    steep_sheet_line_set(&p->line, p->name, part, count);
    p->line.layout.shape = p->shape;
    p->line.layout.indent = 2;
    if (!p->sheet->layout) steep_sheet_begin(p->sheet, &p->line.layout, p->title);
    steep_sheet_row(p->sheet, p->line.cell);
}

static void put_architecture(printing *p, const steep_architecture *row, size_t dim)
{
    steep_choice choice = steep_choice_default(row);
    steep_piecewise piecewise = {0, 0, 0};
    char parameters[96], below[300];
    const int room = dim ? -12 : -27;
    const char *activation = row->uses_activation ? steep_activation_names((size_t)row->activation) : "";
    if (row->piecewise) row->piecewise(&choice, &piecewise);
    write_parameters(row, &choice, dim, parameters, sizeof parameters);
    snprintf(below, sizeof below, "%s%s%s", activation, *activation ? "; " : "", row->source);
    const steep_sheet_part part[] = {
        {{"name", NULL, "name", STEEP_SHEET_TEXT, NULL, 0, -21}, steep_cell_text(row->name)},
        {{"parameters", NULL, "P", STEEP_SHEET_TEXT, NULL, 1, room}, steep_cell_text(parameters)},
        {{"slope", NULL, "slope", STEEP_SHEET_REAL, "%.0f", 1, 5},
         steep_cell_real(piecewise.degree > 0 ? -(double)(piecewise.degree + 1) : NAN)},
        {{"unit", NULL, "unit h", STEEP_SHEET_TEXT, NULL, 2, 0}, steep_cell_text(row->formula)},
        {{NULL, NULL, "activation by default; source", STEEP_SHEET_TEXT, NULL, room - 28, 0}, steep_cell_text(below)},
        steep_fact_text("activation", row->uses_activation ? activation : NULL),
        steep_fact_text("source", row->source),
    };
    put_row(p, part, sizeof part / sizeof *part);
}

/* Prints name and formula; of a target (entry) also domain, parameters and source. */
static void put_named(printing *p, const char *name, const char *formula, const steep_target_entry *entry)
{
    const steep_target_entry none = {.source = ""}, *of = entry ? entry : &none;
    const char *domain = of->domain ? of->domain : "-1:1", *parameters = of->parameters;
    char facts[400];
    snprintf(facts, sizeof facts, "on %.100s%s%.100s; %.150s", domain, parameters ? "; parameters " : "",
             parameters ? parameters : "", of->source);
    const steep_sheet_part part[] = {
        {{"name", NULL, "name", STEEP_SHEET_TEXT, NULL, 0, -16}, steep_cell_text(name)},
        {{"formula", NULL, "formula", STEEP_SHEET_TEXT, NULL, 1, 0}, steep_cell_text(formula ? formula : "")},
        {{NULL, NULL, "domain, parameters, source", STEEP_SHEET_TEXT, NULL, 2, 0}, steep_cell_text(facts)},
        steep_fact_text("domain", domain),
        steep_fact_text("parameters", parameters),
        steep_fact_text("source", of->source),
    };
    put_row(p, part, entry ? sizeof part / sizeof *part : 2);
}

/* Architectures have rows, other lists names and formulas; targets, which have neither, are in the catalogue. */
static const struct list {
    const char *name, *title;
    const steep_architecture *(*rows)(size_t index);
    const char *(*names)(size_t index), *(*formulas)(size_t index);
} lists[] = {
    {"architectures", "architectures: y(x) = d_0 + sum_i D_i h_i(x), i = 1 .. n", steep_architecture_table, NULL, NULL},
    {"comparators", "comparators: the same sum; --arch takes them like networks", steep_architecture_comparator, NULL,
     NULL},
    {"activations", "activations: elementwise, on the gate branch (--activation, or --arch NAME:ACTIVATION)", NULL,
     steep_activation_names, steep_activation_formula},
    {"targets",
     "targets: or any formula in x, y, z (x1, x2, ...), as in --target 'exp(-x)*cos(8*x)'; on: --domain, one "
     "interval stands for all; parameters: set as in --target moa_type1:lambda=3",
     NULL, NULL, NULL},
    {"starts", "starts: where the gates begin (--start)", NULL, steep_start_names, steep_start_formula},
    {"solvers", "solvers (--solver)", NULL, steep_solver_names, steep_solver_formula},
};
#define LISTS (sizeof lists / sizeof *lists)

static STEEP_NAMES_OF(list_names, lists, name)

static void print_list(const struct list *l, const list_record *record, steep_sheet *sheet)
{
    printing p = {.sheet = sheet, .name = l->name, .title = l->title, .shape = STEEP_SHEET_LIST};
    const steep_architecture *row;
    const steep_target_entry *entry;
    char where[64] = "d dimensions (--dim: in one of them)", title[400];
    if (record->dim) snprintf(where, sizeof where, "%zuD", record->dim);
    snprintf(
        title, sizeof title,
        "%s; P: parameters in %s, dictionary and degree by default; slope: of the error against P in 1D, relu gates",
        l->title, where);
    if (l->rows) p.shape = STEEP_SHEET_ROWS, p.title = title;
    for (size_t i = 0; l->rows && (row = l->rows(i)); i++) put_architecture(&p, row, record->dim);
    for (size_t i = 0; l->names && l->names(i); i++) put_named(&p, l->names(i), l->formulas(i), NULL);
    for (size_t i = 0; !l->rows && !l->names && (entry = steep_target_catalogue(i)); i++)
        put_named(&p, entry->name, entry->formula, entry);
    steep_sheet_end(sheet);
}

/* Prints the lists that the words name, or all lists without words. */
static steep_status print_lists(void *record, const steep_command_line *line, steep_error *error)
{
    const list_record *r = record;
    steep_sheet sheet;
    for (size_t i = 0; i < line->words; i++) {
        const char *word = line->word[i], *near = steep_options_nearest(word, list_names);
        if (steep_options_index(list_names, word) < LISTS) continue;
        return steep_fail(error, STEEP_BAD_INPUT, "no list of '%.80s': %s%s%s", word,
                          near ? "did you mean '"
                               : "use architectures, comparators, activations, targets, starts or solvers",
                          near ? near : "", near ? "'?" : "");
    }
    steep_sheet_open(&sheet, stdout, steep_cli_style(&r->output), "list");
    for (size_t i = 0; line->words == 0 && i < LISTS; i++) print_list(&lists[i], r, &sheet);
    for (size_t i = 0; i < line->words; i++)
        print_list(&lists[steep_options_index(list_names, line->word[i])], r, &sheet);
    return steep_cli_close(&sheet, STEEP_OK, error);
}

const steep_command steep_command_list = {
    .name = "list",
    .what = "architectures, comparators, activations, targets, starts, solvers",
    .usage = "steep list [architectures|comparators|activations|targets|starts|solvers] [OPTIONS]",
    .about = "Lists what there is, with formulas and sources; everything without a word.",
    .examples = "  steep list architectures --dim 2\n"
                "  steep list targets --format json\n",
    .size = sizeof(list_record),
    .table = table,
    .prints = STEEP_PRINTS_TABLES,
    .work = print_lists,
    .most_words = SIZE_MAX,
    .words = list_names,
    .alone = true,
};
