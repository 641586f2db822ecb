/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From text options to the list of fits. Everything that can be wrong with a sweep is found here, before a file is
 * touched. */
#include "plan/grid.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fit/frozen_form.h"
#include "model/check.h"

#define RANGE_FORMS "20, 5,10,20, 1:50, 1:103:3 (steps of 3) or 8:4096:x2 (doubling)"
#define MAX_VALUES 1000000
#define SMALLEST_FACTOR 1.001
#define LARGEST_SEED ((size_t)1 << 53)

/* --- lists of words --- */

typedef struct words {
    char *storage, **word;
    size_t count;
} words;

static void words_free(words *list)
{
    free(list->storage);
    free(list->word);
    *list = (words){0};
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text;
}

/* Splits at the separator; spaces around words do not count; an empty word is refused. */
static steep_status words_split(const char *what, const char *text, char separator, words *list, steep_error *error)
{
    *list = (words){0};
    size_t count = 1;
    for (const char *c = text; *c; c++) count += *c == separator;
    list->storage = strdup(text);
    list->word = malloc(count * sizeof *list->word);
    if (!list->storage || !list->word) {
        words_free(list);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the list %s", what);
    }
    char *next = list->storage;
    while (next) {
        char *end = strchr(next, separator), *word = next;
        if (end) *end = '\0';
        next = end ? end + 1 : NULL;
        word = trim(word);
        if (!*word) {
            words_free(list);
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--%s '%s': an item is empty: items separated by '%c' would be right", what, text,
                              separator);
        }
        list->word[list->count++] = word;
    }
    return STEEP_OK;
}

/* --- ranges of numbers --- */

typedef struct values {
    size_t *value, count, room;
} values;

typedef struct range {
    const char *what, *text; /* for messages */
    size_t low, high;
    values *out;
    steep_error *error;
} range;

static steep_status push(range *r, size_t value)
{
    values *out = r->out;
    if (out->count == MAX_VALUES)
        return steep_fail(r->error, STEEP_BAD_INPUT, "--%s '%s': more than %d values: a larger step would be right",
                          r->what, r->text, MAX_VALUES);
    if (out->count == out->room) {
        size_t room = out->room ? 2 * out->room : 64;
        size_t *grown = realloc(out->value, room * sizeof *grown);
        if (!grown) return steep_fail(r->error, STEEP_NO_MEMORY, "no memory for --%s", r->what);
        out->value = grown;
        out->room = room;
    }
    out->value[out->count++] = value;
    return STEEP_OK;
}

/* A whole number in [low, high]. */
static steep_status read_whole(range *r, const char *text, size_t low, size_t *value)
{
    char *end;
    errno = 0;
    unsigned long long whole = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && !*end && errno == 0 && whole >= low && whole <= r->high) {
        *value = (size_t)whole;
        return STEEP_OK;
    }
    strtod(text, &end);
    if (end > text && !*end)
        return steep_fail(r->error, STEEP_BAD_INPUT,
                          "--%s '%s': %s is out of range: whole numbers from %zu to %zu would be right", r->what,
                          r->text, text, low, r->high);
    return steep_fail(r->error, STEEP_BAD_INPUT, "--%s '%s': '%s' is no whole number: write %s", r->what, r->text, text,
                      RANGE_FORMS);
}

static steep_status push_geometric(range *r, size_t first, size_t last, const char *text)
{
    char *end;
    double factor = strtod(text, &end);
    if (end == text || *end || !(factor >= SMALLEST_FACTOR && factor <= 1e9))
        return steep_fail(r->error, STEEP_BAD_INPUT,
                          "--%s '%s': the factor '%s' is not above 1: x2 or x1.5 would be right", r->what, r->text,
                          text);
    if (first == 0)
        return steep_fail(r->error, STEEP_BAD_INPUT,
                          "--%s '%s': a geometric range cannot begin at 0: 1:%zu:x%s would be right", r->what, r->text,
                          last, text);
    steep_status status = STEEP_OK;
    for (size_t k = 0; status == STEEP_OK; k++) {
        double next = floor((double)first * pow(factor, (double)k) + 0.5);
        if (!(next <= (double)last)) break;
        status = push(r, (size_t)next);
    }
    return status;
}

static steep_status push_item(range *r, char *item)
{
    char *second = strchr(item, ':'), *third = second ? strchr(second + 1, ':') : NULL;
    if (second) *second++ = '\0';
    if (third) *third++ = '\0';
    size_t first, last, step = 1;
    steep_status status = read_whole(r, trim(item), r->low, &first);
    if (status != STEEP_OK || !second) return status == STEEP_OK ? push(r, first) : status;
    status = read_whole(r, trim(second), r->low, &last);
    if (status != STEEP_OK) return status;
    if (last < first)
        return steep_fail(r->error, STEEP_BAD_INPUT,
                          "--%s '%s': the range is empty, it runs from %zu down to %zu: %zu:%zu would be right",
                          r->what, r->text, first, last, last, first);
    if (third && *trim(third) == 'x') return push_geometric(r, first, last, trim(third) + 1);
    if (third) status = read_whole(r, trim(third), 1, &step);
    for (size_t value = first; status == STEEP_OK; value += step) {
        status = push(r, value);
        if (last - value < step) break;
    }
    return status;
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

steep_status steep_grid_range(const char *what, const char *text, size_t low, size_t high, size_t **result,
                              size_t *count, steep_error *error)
{
    *result = NULL;
    *count = 0;
    if (!text || !*text)
        return steep_fail(error, STEEP_BAD_INPUT, "--%s '': the list is empty: write %s", what, RANGE_FORMS);
    words items;
    steep_status status = words_split(what, text, ',', &items, error);
    if (status != STEEP_OK) return status;
    values out = {0};
    range r = {what, text, low, high, &out, error};
    for (size_t i = 0; status == STEEP_OK && i < items.count; i++) status = push_item(&r, items.word[i]);
    words_free(&items);
    if (status != STEEP_OK) {
        free(out.value);
        return status;
    }
    qsort(out.value, out.count, sizeof *out.value, compare_sizes);
    size_t distinct = 0;
    for (size_t i = 0; i < out.count; i++)
        if (i == 0 || out.value[i] != out.value[i - 1]) out.value[distinct++] = out.value[i];
    *result = out.value;
    *count = distinct;
    return STEEP_OK;
}

steep_status steep_grid_shard(const char *text, size_t *index, size_t *count, steep_error *error)
{
    *index = *count = 1;
    if (!text) return STEEP_OK;
    char *end;
    unsigned long first = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0, second = 0;
    if (first > 0 && *end == '/' && isdigit((unsigned char)end[1])) {
        second = strtoul(end + 1, &end, 10);
        if (*end) second = 0;
    }
    if (first < 1 || first > second || second > 10000)
        return steep_fail(error, STEEP_BAD_INPUT, "--shard '%s': no part of a whole: 1/4 to 4/4 would be right", text);
    *index = first;
    *count = second;
    return STEEP_OK;
}

/* --- architectures and their choices --- */

static steep_status unknown_architecture(const char *name, steep_error *error)
{
    const char *near = steep_options_nearest(name, steep_architecture_names);
    return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s': no such architecture: %s%s%s", name,
                      near ? "did you mean " : "", near ? near : "\"steep list architectures\" names them",
                      near ? "?" : "");
}

static void name_variant(steep_variant *v)
{
    const steep_architecture *row = v->architecture;
    const char *activation = row->uses_activation ? steep_activation_names((size_t)v->choice.activation) : NULL;
    bool other = row->uses_activation && v->choice.activation != row->activation;
    snprintf(v->label, sizeof v->label, "%.40s%s%s", row->name, other ? ":" : "", other ? activation : "");
    if (activation) snprintf(v->activation, sizeof v->activation, "%s", activation);
    else if (row->uses_dictionary) steep_choice_dictionary(&v->choice, v->activation, sizeof v->activation);
    else snprintf(v->activation, sizeof v->activation, "-");
}

static steep_status add_variant(steep_grid *grid, const steep_sweep_options *options, const steep_architecture *row,
                                const char *activation, steep_error *error)
{
    steep_choice choice = steep_choice_default(row);
    if (activation && !row->uses_activation)
        return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s:%s': %s has no activation to choose: '%s' would be right",
                          row->name, activation, row->name, row->name);
    steep_status status = steep_choice_parse(activation, row->uses_dictionary ? options->dictionary : NULL,
                                             row->uses_gate ? options->gate : NULL, &choice, error);
    if (status != STEEP_OK) return status;
    if (row->uses_degree && options->degree) choice.degree = (int)options->degree;
    for (size_t i = 0; i < options->extra_count && status == STEEP_OK; i++)
        if (options->extra[i] == row) status = steep_architecture_check(row, &choice, error);
    if (status != STEEP_OK) return status;
    steep_variant *grown = realloc(grid->variant, (grid->variants + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the architectures");
    grid->variant = grown;
    steep_variant *v = &grown[grid->variants];
    *v = (steep_variant){.architecture = row, .choice = choice};
    name_variant(v);
    for (size_t i = 0; i < grid->variants; i++)
        if (strcmp(grown[i].label, v->label) == 0)
            return steep_fail(error, STEEP_BAD_INPUT, "--arch '%s': %s stands there twice: once would be right",
                              options->arch ? options->arch : options->unit, v->label);
    grid->variants++;
    return STEEP_OK;
}

/* One item of --arch, with its own activation or with each of --activation. */
static steep_status add_architecture(steep_grid *grid, const steep_sweep_options *options, char *item,
                                     const words *activations, steep_error *error)
{
    char *own = strchr(item, ':');
    if (own) *own++ = '\0';
    const steep_architecture *row = steep_architecture_find(item, options->extra, options->extra_count);
    if (!row) return unknown_architecture(item, error);
    if (own || !row->uses_activation || activations->count == 0) return add_variant(grid, options, row, own, error);
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < activations->count; i++)
        status = add_variant(grid, options, row, activations->word[i], error);
    return status;
}

/* A choice that no architecture of the list has would be ignored: say so instead. */
static steep_status check_choices(const steep_grid *grid, const steep_sweep_options *options, steep_error *error)
{
    bool activation = false, dictionary = false, gate = false, degree = false;
    for (size_t v = 0; v < grid->variants; v++) {
        const steep_architecture *row = grid->variant[v].architecture;
        activation |= row->uses_activation;
        dictionary |= row->uses_dictionary;
        gate |= row->uses_gate;
        degree |= row->uses_degree;
    }
    const char *unused = options->activation && !activation   ? "activation"
                         : options->dictionary && !dictionary ? "dictionary"
                         : options->gate && !gate             ? "gate"
                         : options->degree && !degree         ? "degree"
                                                              : NULL;
    if (!unused) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--%s: no architecture of --arch '%s' has one to choose: leave it out",
                      unused, options->arch ? options->arch : options->unit);
}

static steep_status add_architectures(steep_grid *grid, const steep_sweep_options *options, steep_error *error)
{
    words names = {0}, activations = {0};
    steep_status status = STEEP_OK;
    if (options->arch || !options->unit)
        status = words_split("arch", options->arch ? options->arch : "", ',', &names, error);
    if (status == STEEP_OK && options->activation)
        status = words_split("activation", options->activation, ',', &activations, error);
    for (size_t i = 0; status == STEEP_OK && i < names.count; i++)
        status = add_architecture(grid, options, names.word[i], &activations, error);
    if (status == STEEP_OK && options->unit)
        status = steep_written_read(options->unit, &grid->unit, &grid->units, error);
    for (size_t i = 0; status == STEEP_OK && i < grid->units; i++)
        status = add_variant(grid, options, &grid->unit[i]->row, NULL, error);
    if (status == STEEP_OK) status = check_choices(grid, options, error);
    words_free(&names);
    words_free(&activations);
    return status;
}

/* --- targets, or points from a file --- */

static steep_status add_points(steep_grid *grid, const char *path, steep_error *error)
{
    const char *slash = strrchr(path, '/');
    grid->target = calloc(1, sizeof *grid->target);
    grid->data = calloc(1, sizeof *grid->data);
    grid->data_name = strdup(slash ? slash + 1 : path);
    if (!grid->target || !grid->data || !grid->data_name)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the points of %s", path);
    grid->targets = 1;
    return steep_samples_read(path, grid->data, error);
}

static steep_status add_targets(steep_grid *grid, const steep_sweep_options *options, steep_error *error)
{
    if (options->data && options->target)
        return steep_fail(error, STEEP_BAD_INPUT, "--data and --target are both given: one of them would be right");
    if (options->data) return add_points(grid, options->data, error);
    words names;
    steep_status status =
        words_split("target", options->target ? options->target : STEEP_DEFAULT_TARGET, ';', &names, error);
    if (status != STEEP_OK) return status;
    grid->target = calloc(names.count, sizeof *grid->target);
    if (!grid->target) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the targets");
    for (size_t t = 0; status == STEEP_OK && t < names.count; t++) {
        status = steep_target_open(names.word[t], &grid->target[t], error);
        if (status != STEEP_OK) break;
        grid->targets++;
        for (size_t s = 0; s < t; s++)
            if (strcmp(grid->target[s]->name, grid->target[t]->name) == 0)
                status = steep_fail(error, STEEP_BAD_INPUT, "--target '%s': %s stands there twice: once would be right",
                                    options->target, grid->target[t]->name);
    }
    words_free(&names);
    return status;
}

const char *steep_grid_target_name(const steep_grid *grid, size_t target)
{
    return grid->data ? grid->data_name : grid->target[target]->name;
}

size_t steep_grid_dim(const steep_grid *grid, size_t target)
{
    return grid->data ? grid->data->dim : grid->target[target]->dim;
}

/* --- how many points, how many unknowns --- */

static steep_piecewise piecewise_of(const steep_variant *variant)
{
    steep_piecewise piecewise = {0, 0, 0};
    if (variant->architecture->piecewise) variant->architecture->piecewise(&variant->choice, &piecewise);
    return piecewise;
}

/* Gates of a 1D start strictly inside the domain (steep_start_gates), the most there can be for a random one. */
static size_t gates_inside(const steep_grid *grid, const steep_task *task)
{
    size_t heads = piecewise_of(&grid->variant[task->variant]).heads, n = task->width, outside = 0;
    if (heads == 0) heads = 1;
    switch (grid->fit.start) {
    case STEEP_START_UNIFORM:
    case STEEP_START_ALTERNATING: outside = heads < 3 ? 2 : 3; break;
    case STEEP_START_ONE_SIDED:
    case STEEP_START_EQUIDISTRIBUTED: outside = heads; break;
    case STEEP_START_RANDOM: break;
    }
    return n > outside ? n - outside : 0;
}

void steep_grid_gauss(const steep_grid *grid, const steep_task *task, size_t *cells, size_t *points)
{
    size_t degree = piecewise_of(&grid->variant[task->variant]).degree;
    *cells = gates_inside(grid, task) + 1;
    *points = (grid->samples + *cells - 1) / *cells;
    if (*points < degree + 4) *points = degree + 4;
}

size_t steep_grid_side(size_t count, size_t dim)
{
    size_t side =
        (size_t)pow((double)count, 1.0 / (double)dim); /* rounded down, so that the loop ends at the smallest */
    while (pow((double)side, (double)dim) < (double)count) side++;
    return side;
}

size_t steep_grid_points(const steep_grid *grid, const steep_task *task)
{
    size_t dim = steep_grid_dim(grid, task->target), points, cells;
    if (grid->data) return grid->data->count;
    if (grid->sampling == STEEP_RANDOM || (grid->sampling == STEEP_GRID && dim == 1)) return grid->samples;
    if (dim == 1) {
        steep_grid_gauss(grid, task, &cells, &points);
        return cells * points;
    }
    return (size_t)pow((double)steep_grid_side(grid->samples, dim), (double)dim);
}

size_t steep_grid_unknowns(const steep_grid *grid, const steep_task *task)
{
    const steep_variant *variant = &grid->variant[task->variant];
    size_t dim = steep_grid_dim(grid, task->target);
    if (grid->fit.solver == STEEP_SOLVER_CONSTRUCT) return 0;
    if (grid->fit.solver != STEEP_SOLVER_FROZEN) return task->parameters;
    steep_piecewise piecewise = piecewise_of(variant);
    if (dim == 1 && piecewise.degree > 0 && !grid->fit.dense)
        return piecewise.degree + 1 + gates_inside(grid, task) * (piecewise.degree + 1 - piecewise.continuity);
    steep_network network;
    if (steep_network_init(&network, variant->architecture, &variant->choice, dim, task->width, NULL) != STEEP_OK)
        return task->parameters;
    return steep_frozen_form_unknowns(&network);
}

/* --- the list --- */

static size_t index_of(const char *(*names)(size_t), const char *name)
{
    size_t i = 0;
    while (name && names(i) && strcmp(names(i), name) != 0) i++;
    return i;
}

/* The start that suits a solver when none is named: the knots that are near their best already for reduced-newton, the
 * paper's for newton. */
static steep_start_kind own_start(const steep_grid *grid)
{
    bool lines = grid->data == NULL;
    for (size_t t = 0; t < grid->targets; t++) lines = lines && steep_grid_dim(grid, t) == 1;
    if (grid->fit.solver == STEEP_SOLVER_REDUCED_NEWTON && lines) return STEEP_START_EQUIDISTRIBUTED;
    return grid->fit.solver == STEEP_SOLVER_NEWTON ? STEEP_START_ALTERNATING : STEEP_START_UNIFORM;
}

/* Names stand in the option table's choices, which steep_options_check has looked at; NULL is the first. */
static void read_choices(steep_grid *grid, const steep_sweep_options *options)
{
    grid->samples = options->samples;
    grid->sampling = (steep_sampling)index_of(steep_sampling_names, options->sampling);
    grid->test_gauss = options->test && strcmp(options->test, "gauss") == 0;
    grid->fit = steep_fit_options_default();
    grid->fit.solver = (steep_solver)index_of(steep_solver_names, options->solver);
    grid->fit.line_search = (steep_line_search)index_of(steep_line_search_names, options->line_search);
    grid->fit.construction = (steep_construction)index_of(steep_construction_names, options->construction);
    grid->fit.max_iterations = options->max_iterations;
    grid->fit.tolerance = options->tolerance;
    grid->fit.restarts = options->restarts;
    grid->fit.hits = options->hits;
    grid->fit.dense = options->dense;
}

/* What needs a formula, what needs one dimension, what needs a spline. */
static steep_status check_needs(const steep_grid *grid, const steep_sweep_options *options, steep_error *error)
{
    bool construct = grid->fit.solver == STEEP_SOLVER_CONSTRUCT;
    bool equidistributed = grid->fit.start == STEEP_START_EQUIDISTRIBUTED;
    if (grid->data && (construct || equidistributed))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--%s %s needs a 1D formula and --data gives points: --%s would be right",
                          construct ? "solver" : "start", construct ? "construct" : "equidistributed",
                          construct ? "solver frozen" : "start uniform");
    if (grid->data && (grid->test_gauss || grid->sampling != STEEP_RANDOM))
        return steep_fail(error, STEEP_BAD_INPUT, "--%s %s needs a formula and --data gives points: leave it out",
                          grid->test_gauss ? "test" : "sampling", grid->test_gauss ? options->test : options->sampling);
    for (size_t t = 0; t < grid->targets; t++) {
        if ((construct || equidistributed) && steep_grid_dim(grid, t) != 1)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--%s %s needs a 1D formula and %s is in %zuD: --%s would be right",
                              construct ? "solver" : "start", construct ? "construct" : "equidistributed",
                              steep_grid_target_name(grid, t), steep_grid_dim(grid, t),
                              construct ? "solver frozen" : "start uniform");
    }
    for (size_t v = 0; construct && v < grid->variants; v++) {
        steep_piecewise p = piecewise_of(&grid->variant[v]);
        if (p.degree == 0)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--solver construct knows no construction for %s: mlp with relu to relu4, glu, gqu and "
                              "its relatives with relu gates, or --solver frozen, would be right",
                              grid->variant[v].label);
        if (grid->width[0] < p.heads)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "width %zu: a constructed %s has at least %zu units: larger --widths would "
                              "be right",
                              grid->width[0], grid->variant[v].label, p.heads);
    }
    return STEEP_OK;
}

/* distinct: points of the file. Frozen gates take any number of those: their solution of minimum norm is as good as the
 * file allows. Of a formula more points can be had. */
static steep_status check_unknowns(const steep_grid *grid, const steep_task *task, size_t distinct, steep_error *error)
{
    size_t unknowns = steep_grid_unknowns(grid, task), points = grid->data ? distinct : steep_grid_points(grid, task);
    if (unknowns <= points || (grid->data && grid->fit.solver == STEEP_SOLVER_FROZEN)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "width %zu: %s has %zu unknowns (solver %s) for %zu %s: %s%zu or smaller widths%s would be right",
                      task->width, grid->variant[task->variant].label, unknowns, steep_solver_names(grid->fit.solver),
                      points, grid->data ? "distinct points" : "training points",
                      grid->data ? "a file with at least " : "--samples ", unknowns,
                      grid->data ? " or --solver frozen" : "");
}

static steep_status lay_out(steep_grid *grid, steep_error *error)
{
    double total = (double)grid->targets * (double)grid->variants * (double)grid->seeds * (double)grid->widths;
    if (!(total <= STEEP_MAX_TASKS))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "these options stand for %.0f fits: at most %d, so larger steps in --widths "
                          "or fewer --seeds, would be right",
                          total, STEEP_MAX_TASKS);
    grid->task = malloc((size_t)total * sizeof *grid->task);
    if (!grid->task) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a list of %.0f fits", total);
    size_t distinct = 0;
    steep_status status = grid->data ? steep_samples_distinct(grid->data, &distinct, error) : STEEP_OK;
    if (status != STEEP_OK) return status;
    for (size_t i = 0; i < (size_t)total; i++) {
        size_t rest = i / grid->widths;
        steep_task task = {.width = grid->width[i % grid->widths], .seed = rest % grid->seeds};
        rest /= grid->seeds;
        task.variant = rest % grid->variants;
        task.target = rest / grid->variants;
        const steep_variant *variant = &grid->variant[task.variant];
        steep_network network;
        status = steep_network_init(&network, variant->architecture, &variant->choice,
                                    steep_grid_dim(grid, task.target), task.width, error);
        if (status != STEEP_OK) return status;
        task.parameters = network.parameters;
        status = check_unknowns(grid, &task, distinct, error);
        if (status != STEEP_OK) return status;
        grid->task[grid->tasks++] = task;
    }
    return STEEP_OK;
}

steep_status steep_grid_init(const steep_sweep_options *options, steep_grid *grid, steep_error *error)
{
    *grid = (steep_grid){0};
    steep_status status = steep_options_check(steep_sweep_option_table, options, error);
    if (status != STEEP_OK) return status;
    read_choices(grid, options);
    status = add_architectures(grid, options, error);
    if (status == STEEP_OK)
        status = steep_grid_range("widths", options->widths, 1, STEEP_MAX_WIDTH, &grid->width, &grid->widths, error);
    if (status == STEEP_OK)
        status = steep_grid_range("seeds", options->seeds, 0, LARGEST_SEED, &grid->seed, &grid->seeds, error);
    if (status == STEEP_OK) status = add_targets(grid, options, error);
    if (status == STEEP_OK)
        grid->fit.start = options->start ? (steep_start_kind)index_of(steep_start_names, options->start)
                                         : own_start(grid);
    if (status == STEEP_OK) status = check_needs(grid, options, error);
    if (status == STEEP_OK) status = lay_out(grid, error);
    if (status != STEEP_OK) steep_grid_free(grid);
    return status;
}

void steep_grid_free(steep_grid *grid)
{
    for (size_t t = 0; grid->target && t < grid->targets; t++) steep_target_free(grid->target[t]);
    free(grid->target);
    if (grid->data) steep_samples_free(grid->data);
    free(grid->data);
    free(grid->data_name);
    free(grid->variant);
    steep_written_free_all(grid->unit, grid->units);
    free(grid->seed);
    free(grid->width);
    free(grid->task);
    *grid = (steep_grid){0};
}

static size_t find_size(const size_t *list, size_t count, size_t value)
{
    const size_t *found = bsearch(&value, list, count, sizeof *list, compare_sizes);
    return found ? (size_t)(found - list) : count;
}

size_t steep_grid_find(const steep_grid *grid, const char *target, const char *arch, const char *activation,
                       size_t seed, size_t width)
{
    size_t t = 0, v = 0, s = find_size(grid->seed, grid->seeds, seed), w = find_size(grid->width, grid->widths, width);
    while (t < grid->targets && strcmp(steep_grid_target_name(grid, t), target) != 0) t++;
    while (v < grid->variants && (strcmp(grid->variant[v].architecture->name, arch) != 0 ||
                                  strcmp(grid->variant[v].activation, activation) != 0)) v++;
    if (t == grid->targets || v == grid->variants || s == grid->seeds || w == grid->widths) return grid->tasks;
    return ((t * grid->variants + v) * grid->seeds + s) * grid->widths + w;
}
