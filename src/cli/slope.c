/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slopes from any CSV: rows are grouped by the columns of --by, in order of appearance; each group is a power law. */
#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/table.h"
#include "cli/cli.h"
#include "cli/slope_parts.h"
#include "draw/figure_parts.h"
#include "execute/pool.h"
#include "slope/slope.h"

#define AT(field) offsetof(steep_slope_command, field)
/* clang-format off */
#define TEXT(name, field, help) {name, STEEP_OPTION_TEXT, AT(field), "COLUMN", NULL, 0, 0, NULL, help, false}
/* clang-format on */

static const steep_option table[] = {
    TEXT("size", size, "column of sizes (default: params, size, width, n or parameters; the first of two columns)"),
    TEXT("against", size, "the same as --size; samples: of a sweep with several --samples the learning curves"),
    TEXT("error", error, "column of errors (default: rmse_test, error, rmse or loss; the second of two columns)"),
    TEXT("floor", floor, "column of rounding floors (default: floor where there is one)"),
    {"by", STEEP_OPTION_TEXT, AT(by), "COLUMNS", NULL, 0, 0, NULL,
     "a slope for each value of these, separated by ',' (default: those of arch, activation, target, solver that are "
     "there)",
     false},
    {"jobs", STEEP_OPTION_SIZE, AT(jobs), "N", "0", 0, 4096, NULL, "groups side by side; 0: one per processor", false},
    {"csv", STEEP_OPTION_FLAG, AT(csv), NULL, NULL, 0, 0, NULL, "the same as --format csv", false},
    {.name = NULL},
};

static const char *const examples[] = {
    "steep slope results/sweep/fits.csv",
    "steep slope points.csv --size n --error rmse",
    "steep slope results/noise --against samples",
    "steep slope fits.csv --size width --error rmse_train --by arch,target --level 0.99",
    NULL,
};

/* Where a field of the header is a number, or several between blanks, the first line may be a row. */
static bool looks_like_row(const steep_table *csv)
{
    bool number = false;
    for (size_t c = 0; c < csv->columns; c++) {
        const char *blank = strpbrk(csv->header[c], " \t");
        number |= steep_table_is_number(csv->header[c]) || (blank && steep_table_is_number(blank));
    }
    return number;
}

/* The column of that name, of which there is one. */
static steep_status find_column(const steep_table *csv, const char *option, const char *name, size_t *column,
                                steep_error *error)
{
    *column = steep_table_column(csv, name);
    if (*column < csv->columns) return steep_table_find(csv, name, column, error);
    char names[256] = "";
    for (size_t c = 0, used = 0; c < csv->columns && used < sizeof names; c++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", c ? ", " : "", csv->header[c]);
    if (looks_like_row(csv))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: no column '%.80s' for --%s: its first line holds numbers (%s): put a header such as "
                          "n,error above it, and commas, semicolons or tabs between the columns",
                          csv->path, name, option, names);
    return steep_fail(error, STEEP_BAD_INPUT, "%s: no column '%.80s' for --%s: use one of %s", csv->path, name, option,
                      names);
}

/* How a column is found where its option does not name it. */
typedef struct column_habits {
    const char *option, *usual[6]; /* usual: the first of these names that is there; NULL-terminated */
    size_t place;                  /* else, of two columns, this one */
} column_habits;

/* name: what the option says, or NULL. */
static steep_status choose_column(const steep_table *csv, const char *name, const column_habits *habits, size_t *column,
                                  steep_error *error)
{
    for (size_t i = 0; !name && habits->usual[i]; i++)
        if (steep_table_column(csv, habits->usual[i]) < csv->columns) name = habits->usual[i];
    if (!name && csv->columns == 2) {
        *column = habits->place;
        return STEEP_OK;
    }
    return find_column(csv, habits->option, name ? name : habits->usual[0], column, error);
}

static steep_status add_key(const steep_table *csv, steep_slope_columns *c, const char *name, steep_error *error)
{
    if (c->keys == STEEP_SLOPE_KEYS)
        return steep_fail(error, STEEP_BAD_INPUT, "--by: use at most %d columns", STEEP_SLOPE_KEYS);
    return find_column(csv, "by", name, &c->key[c->keys++], error);
}

static steep_status find_keys(const steep_table *csv, const steep_slope_command *options, steep_slope_columns *c,
                              steep_error *error)
{
    static const char *const usual[] = {"arch", "activation", "target", "solver"};
    steep_status status = STEEP_OK;
    for (size_t i = 0; !options->by && i < sizeof usual / sizeof *usual; i++)
        if (status == STEEP_OK && steep_table_column(csv, usual[i]) < csv->columns)
            status = add_key(csv, c, usual[i], error);
    if (status != STEEP_OK || !options->by || !*options->by) return status;
    char *list = strdup(options->by), *rest = NULL;
    if (!list) return steep_fail(error, STEEP_NO_MEMORY, "no memory for --by");
    for (char *name = strtok_r(list, ", ", &rest); name && status == STEEP_OK; name = strtok_r(NULL, ", ", &rest))
        status = add_key(csv, c, name, error);
    free(list);
    return status;
}

/* Names of columns, not numbers: a file without a header would lose its first row. A column that an option names may
 * be called as it likes. */
static steep_status check_header(const steep_table *csv, const steep_slope_command *options,
                                 const steep_slope_columns *c, steep_error *error)
{
    const bool size = !options->size && steep_table_is_number(csv->header[c->size]);
    const bool loss = !options->error && steep_table_is_number(csv->header[c->error]);
    if (!size && !loss) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s: its first line has %s where a column's name should be: put a header such as n,error above "
                      "it",
                      csv->path, csv->header[size ? c->size : c->error]);
}

static steep_status find_columns(const steep_table *csv, const steep_slope_command *options, steep_slope_columns *c,
                                 steep_error *error)
{
    static const column_habits size = {"size", {"params", "size", "width", "n", "parameters", NULL}, 0};
    static const column_habits loss = {"error", {"rmse_test", "error", "rmse", "loss", NULL}, 1};
    *c = (steep_slope_columns){0};
    steep_status status = choose_column(csv, options->size, &size, &c->size, error);
    if (status == STEEP_OK) status = choose_column(csv, options->error, &loss, &c->error, error);
    if (status == STEEP_OK) status = check_header(csv, options, c, error);
    if (status == STEEP_OK && c->size == c->error)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: --size and --error are both column %s: name two", csv->path,
                            csv->header[c->size]);
    c->has_floor = options->floor || steep_table_column(csv, "floor") < csv->columns;
    if (status == STEEP_OK && c->has_floor)
        status = find_column(csv, "floor", options->floor ? options->floor : "floor", &c->floor, error);
    c->has_status = steep_table_column(csv, "status") < csv->columns;
    if (status == STEEP_OK && c->has_status) status = steep_table_find(csv, "status", &c->status, error);
    return status == STEEP_OK ? find_keys(csv, options, c, error) : status;
}

/* --- rows and groups --- */

typedef struct measured {
    double size, error, floor;
} measured;

typedef struct points {
    double *size, *error, *floor;            /* by row */
    double *chosen;                          /* room for three numbers a row: those of one group */
    measured *sorted;                        /* and for them side by side */
    size_t *group;                           /* by row; groups: left out */
    size_t *first;                           /* a row of each group */
    size_t *begin, *member;                  /* the rows of group g: member[begin[g]..begin[g + 1]-1] */
    size_t *place;                           /* places of a hash table: groups, from 1; 0: free */
    size_t places;                           /* a power of 2, two a row at least */
    size_t groups, left_out, zero, repeated; /* zero: errors of 0 */
} points;

static bool same_group(const steep_table *csv, const steep_slope_columns *c, size_t a, size_t b)
{
    for (size_t k = 0; k < c->keys; k++)
        if (strcmp(csv->cell[a * csv->columns + c->key[k]], csv->cell[b * csv->columns + c->key[k]]) != 0) return false;
    return true;
}

/* Rows of failed fits have no error to speak of: left out, and counted. Everything else must be a number. */
bool steep_slope_failed(const steep_table *csv, const steep_slope_columns *c, size_t row)
{
    steep_status status;
    return c->has_status && steep_status_find(csv->cell[row * csv->columns + c->status], &status) && status < 0;
}

static steep_status not_positive(const steep_table *csv, size_t row, size_t column, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu, column %s: '%s': expected a positive number", csv->path,
                      csv->line[row], csv->header[column], csv->cell[row * csv->columns + column]);
}

/* The group of a row, a new one where its key is new. */
static size_t group_of(const steep_table *csv, const steep_slope_columns *c, points *p, size_t row)
{
    uint64_t sum = STEEP_HASH_START;
    for (size_t k = 0; k < c->keys; k++)
        sum = steep_hash_byte(steep_hash_text(sum, csv->cell[row * csv->columns + c->key[k]]), 0);
    size_t at = (size_t)(sum ^ sum >> 32) & (p->places - 1);
    while (p->place[at] && !same_group(csv, c, p->first[p->place[at] - 1], row)) at = (at + 1) & (p->places - 1);
    if (!p->place[at]) {
        p->first[p->groups] = row;
        p->place[at] = ++p->groups;
    }
    return p->place[at] - 1;
}

/* Lists the rows of each group, in their order. */
static void list_members(const steep_table *csv, points *p)
{
    memset(p->begin, 0, (p->groups + 1) * sizeof *p->begin);
    for (size_t r = 0; r < csv->rows; r++)
        if (p->group[r] != SIZE_MAX) p->begin[p->group[r] + 1]++;
    for (size_t g = 0; g < p->groups; g++) p->begin[g + 1] += p->begin[g];
    for (size_t r = 0; r < csv->rows; r++)
        if (p->group[r] != SIZE_MAX) p->member[p->begin[p->group[r]]++] = r;
    for (size_t g = p->groups; g > 0; g--) p->begin[g] = p->begin[g - 1];
    p->begin[0] = 0;
}

static steep_status read_rows(const steep_table *csv, const steep_slope_columns *c, points *p, steep_error *error)
{
    for (size_t r = 0; r < csv->rows; r++) {
        p->group[r] = group_of(csv, c, p, r);
        if (steep_slope_failed(csv, c, r)) {
            p->group[r] = SIZE_MAX;
            p->left_out++;
            continue;
        }
        steep_status status = steep_table_number(csv, r, c->size, &p->size[r], error);
        if (status == STEEP_OK) status = steep_table_number(csv, r, c->error, &p->error[r], error);
        if (status == STEEP_OK && p->size[r] <= 0) status = not_positive(csv, r, c->size, error);
        if (status == STEEP_OK && p->error[r] < 0) status = not_positive(csv, r, c->error, error);
        p->zero += p->error[r] == 0;
        p->floor[r] = NAN;
        if (status == STEEP_OK && c->has_floor && strcmp(csv->cell[r * csv->columns + c->floor], "nan") != 0)
            status = steep_table_number(csv, r, c->floor, &p->floor[r], error);
        if (status != STEEP_OK) return status;
    }
    list_members(csv, p);
    return STEEP_OK;
}

static int compare_rows(const void *left, const void *right)
{
    const measured *a = left, *b = right;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return (a->error > b->error) - (a->error < b->error);
}

/* The points of a group, in arrays of their own, ascending, so that no method has to sort them again. *repeated counts
 * rows whose size stands there already. */
static steep_slope_points select_group(const steep_table *csv, const steep_slope_columns *c, const points *p,
                                       size_t group, size_t *repeated)
{
    const size_t begin = p->begin[group], count = p->begin[group + 1] - begin;
    double *size = p->chosen + begin, *error = size + csv->rows, *floor = error + csv->rows;
    measured *sorted = p->sorted + begin;
    for (size_t i = 0; i < count; i++) {
        const size_t r = p->member[begin + i];
        sorted[i] = (measured){p->size[r], p->error[r], p->floor[r]};
    }
    qsort(sorted, count, sizeof *sorted, compare_rows);
    for (size_t i = 0; i < count; i++) {
        size[i] = sorted[i].size;
        error[i] = sorted[i].error;
        floor[i] = sorted[i].floor;
        *repeated += i > 0 && size[i] == size[i - 1];
    }
    return (steep_slope_points){count, size, error, c->has_floor ? floor : NULL};
}

/* --- groups by pieces --- */

enum { PIECE = 32 }; /* groups: some 20 ms */

/* What a worker found in the groups of a piece; those behind a failure are not there. Their slopes are the payload. */
typedef struct found_piece {
    size_t count, repeated;
    steep_status status;
    steep_error error;
} found_piece;

/* A piece that is done; pieces are printed in their order. */
typedef struct piece {
    found_piece found;
    steep_slope *slope; /* [count][STEEP_SLOPE_METHODS] */
    bool here;
} piece;

typedef struct pieces {
    const steep_table *csv;
    const steep_slope_columns *c;
    points *p;
    steep_slope_options options;
    steep_slope_printing *out;
    piece *piece;
    size_t count, printed;
    size_t *found; /* slopes that are numbers */
} pieces;

static steep_status measure_piece(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const pieces *all = context;
    found_piece *f = result;
    const size_t first = index * PIECE, left = all->p->groups - first, count = left < PIECE ? left : PIECE;
    steep_slope *slope = calloc(count, STEEP_SLOPE_METHODS * sizeof *slope);
    if (!slope) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu groups", count);
    while (f->status >= 0 && f->count < count) {
        const steep_slope_points group = select_group(all->csv, all->c, all->p, first + f->count, &f->repeated);
        f->status = steep_slope_measure_all(&group, &all->options, slope + f->count * STEEP_SLOPE_METHODS, &f->error);
        f->count += f->status >= 0;
    }
    *payload = (steep_payload){(double *)slope, count * STEEP_SLOPE_METHODS * sizeof *slope / sizeof(double)};
    return STEEP_OK;
}

static void print_piece(const pieces *all, size_t index)
{
    const piece *w = &all->piece[index];
    for (size_t k = 0; k < w->found.count; k++)
        for (size_t m = 0; m < STEEP_SLOPE_METHODS; m++) {
            const steep_slope *slope = &w->slope[k * STEEP_SLOPE_METHODS + m];
            *all->found += !isnan(slope->slope);
            steep_slope_print_row(all->out, &(steep_slope_printed){.csv = all->csv,
                                                                   .c = all->c,
                                                                   .row = all->p->first[index * PIECE + k],
                                                                   .method = steep_slope_method_names(m),
                                                                   .remark = steep_slope_remark(slope),
                                                                   .slope = slope});
        }
}

static steep_status note_piece(void *context, size_t index, const void *result, const steep_payload *payload,
                               steep_error *error)
{
    pieces *all = context;
    piece *own = &all->piece[index];
    own->slope = malloc(payload->count * sizeof(double));
    if (!own->slope) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %d groups", PIECE);
    memcpy(own->slope, payload->value, payload->count * sizeof(double));
    memcpy(&own->found, result, sizeof own->found);
    own->here = true;
    for (; all->printed < all->count && all->piece[all->printed].here; all->printed++) {
        piece *w = &all->piece[all->printed];
        print_piece(all, all->printed);
        all->p->repeated += w->found.repeated;
        free(w->slope);
        w->slope = NULL;
        if (w->found.status < 0) return steep_fail(error, w->found.status, "%s", w->found.error.text);
    }
    return STEEP_OK;
}

/* What the window's interval stands on: how often it holds the order of other laws is in the documents. */
static void note_intervals(steep_sheet *sheet, const steep_slope_options *o)
{
    char note[160];
    snprintf(note, sizeof note, "(window: the order as the sizes grow, with its %g %% interval, given %s)",
             100 * o->level, o->law == STEEP_LAW_OFFSET ? "the law E + A size^s" : "one of the laws averaged over");
    steep_sheet_note(sheet, note);
}

/* All groups by all methods. */
static steep_status print_slopes(const steep_table *csv, const steep_slope_columns *c,
                                 const steep_slope_command *options, points *p, size_t *found, steep_error *error)
{
    steep_slope_printing out;
    pieces all = {.csv = csv, .c = c, .p = p, .options = options->chosen.slope, .out = &out, .found = found};
    all.count = (p->groups + PIECE - 1) / PIECE;
    all.piece = calloc(all.count + 1, sizeof *all.piece);
    if (!all.piece) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu groups", p->groups);
    const steep_work_list list = {.jobs = options->jobs,
                                  .count = all.count,
                                  .size = sizeof(found_piece),
                                  .work = measure_piece,
                                  .note = note_piece,
                                  .context = &all};
    steep_slope_print_begin(&out, csv, c, &options->style);
    steep_status status = steep_pool_run(&list, error);
    for (size_t i = 0; i < all.count; i++) free(all.piece[i].slope);
    free(all.piece);
    if (status >= 0) note_intervals(&out.sheet, &options->chosen.slope);
    status = steep_cli_close(&out.sheet, status, error);
    return status < 0 ? status : STEEP_OK;
}

static steep_status slopes_of_table(const steep_table *csv, const steep_slope_command *options, size_t *found,
                                    steep_error *error)
{
    steep_slope_columns c;
    steep_status status = find_columns(csv, options, &c, error);
    if (status != STEEP_OK) return status;
    if (csv->rows == 0) return steep_fail(error, STEEP_BAD_INPUT, "%s: no rows: expected at least 2", csv->path);
    size_t places = 2;
    while (places < 2 * csv->rows) places *= 2;
    double *number = malloc(6 * csv->rows * sizeof *number);
    measured *sorted = malloc(csv->rows * sizeof *sorted);
    size_t *index = malloc((4 * csv->rows + 1) * sizeof *index), *place = calloc(places, sizeof *place);
    if (!number || !sorted || !index || !place)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows", csv->rows);
    if (status == STEEP_OK) {
        points p = {.size = number,
                    .error = number + csv->rows,
                    .floor = number + 2 * csv->rows,
                    .chosen = number + 3 * csv->rows,
                    .sorted = sorted,
                    .group = index,
                    .first = index + csv->rows,
                    .member = index + 2 * csv->rows,
                    .begin = index + 3 * csv->rows,
                    .place = place,
                    .places = places};
        status = read_rows(csv, &c, &p, error);
        if (status == STEEP_OK) status = print_slopes(csv, &c, options, &p, found, error);
        if (status == STEEP_OK && p.left_out > 0)
            fprintf(stderr, "steep: %zu rows of failed fits left out\n", p.left_out);
        if (status == STEEP_OK && p.zero > 0)
            fprintf(stderr, "steep: rows left out, whose error is 0 and has no logarithm: %zu\n", p.zero);
        if (status == STEEP_OK && p.repeated > 0)
            fprintf(
                stderr,
                "steep: rows whose size stands in their group already: %zu; the smallest error of each size counts\n",
                p.repeated);
    }
    free(number);
    free(sorted);
    free(index);
    free(place);
    return status;
}

/* The slopes of one file. */
static steep_status slopes_of_file(const char *path, const steep_slope_command *options, steep_error *error)
{
    steep_table csv;
    size_t found = 0;
    steep_status status = steep_table_read(path, &csv, error);
    if (status == STEEP_OK) {
        csv.rows += csv.tail; /* a file written by hand may lack its last newline */
        if (csv.torn && !csv.tail) fprintf(stderr, "steep: %s: its last line is cut short: left out\n", path);
        bool printed;
        status = steep_slope_print_sweep(path, &csv, options, &found, &printed, error);
        if (status == STEEP_OK && !printed) status = slopes_of_table(&csv, options, &found, error);
        steep_table_free(&csv);
    }
    if (status < 0) return steep_cli_input(status);
    if (found > 0) return STEEP_OK;
    return steep_fail(error, STEEP_SINGULAR,
                      "%s: no group has 2 sizes with an error above the floor: measure more sizes", path);
}

static void groups(void *record, steep_option_group *group)
{
    steep_slope_command *options = record;
    steep_cli_group(group, NULL, steep_slope_option_table, &options->chosen);
    steep_slope_chosen_default(&options->chosen);
}

static steep_status print_slopes_of(void *record, const steep_command_line *line, steep_error *error)
{
    steep_slope_command *options = record;
    struct stat about;
    const char *path = line->word[0];
    const bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    options->style = steep_cli_style(&options->output);
    if (options->csv) options->style.format = STEEP_FORMAT_CSV;
    options->chosen.slope.law = steep_slope_law_find(options->chosen.law);
    return slopes_of_file(folder ? steep_path_in(path, "fits.csv").text : path, options, error);
}

const steep_command steep_command_slope = {
    .name = "slope",
    .what = "slopes with intervals from any CSV with a size and an error column",
    .usage = "steep slope FILE.csv|DIR [--size COLUMN] [--error COLUMN] [OPTIONS]",
    .about = "The exponent of error against size, error ~ size^slope, for each group of rows: window, the\n"
             "order that the curve comes to, with its interval; last_pair, between the two largest sizes\n"
             "above the floor; all, the naive fit over all points. Of a sweep's fits.csv, or its folder,\n"
             "without other options than --size: the sweep's own slopes.",
    .examples = examples,
    .size = sizeof(steep_slope_command),
    .table = table,
    .groups = groups,
    .prints = STEEP_PRINTS_TABLES,
    .output = AT(output),
    .work = print_slopes_of,
    .least_words = 1,
    .most_words = 1,
    .words_error = "steep slope takes one CSV file or the folder of a sweep: use steep slope FILE.csv --size COLUMN "
                   "--error COLUMN",
};
