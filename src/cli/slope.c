/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep slope: slopes from any CSV. Rows are grouped by the columns of --by, in order of appearance; each group is a
 * power law. For a sweep the slopes in its slopes.csv are printed, because these know floors, cells and overfitting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/block.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/team.h"
#include "cli/cli.h"
#include "data/columns.h"
#include "study/session.h"

enum { KEYS = 16 };

typedef struct slope_record {
    steep_cli_output output;
    const char *size, *error, *floor, *by;
    bool csv;
    size_t jobs;
    steep_slope_chosen chosen;
} slope_record;

#define AT(field) offsetof(slope_record, field)

static const steep_option table[] = {
    TEXT("size", size, "COLUMN", NULL,
         "column of sizes (default: params, size, width, n or parameters; the first of two columns)", FREE),
    TEXT("against", size, "COLUMN", NULL,
         "the same as --size; samples: of a sweep with several --samples the learning curves", FREE),
    TEXT("error", error, "COLUMN", NULL,
         "column of errors (default: rmse_test, error, rmse or loss; the second of two columns)", FREE),
    TEXT("floor", floor, "COLUMN", NULL, "column of rounding floors (default: floor where there is one)", FREE),
    TEXT("by", by, "COLUMNS", NULL,
         "a slope for each value of these columns, separated by ',' (default: those of arch, activation, target, "
         "solver, start that are there, and samples where a sweep has several)",
         FREE),
    SIZE("jobs", jobs, "0", 0, 4096, "groups side by side; 0: one per processor", FREE),
    FLAG("csv", csv, "the same as --format csv", FREE),
    {.name = NULL},
};

/* The columns of a file that the options select. */
typedef struct columns {
    size_t size, error, floor, keys, key[KEYS]; /* floor: the number of columns where there is none */
} columns;

/* Finds the one column of that name; the message names the option. */
static steep_status find_column(const steep_table *csv, const char *option, const char *name, size_t *column,
                                steep_error *error)
{
    steep_error why;
    const steep_status status = steep_table_find(csv, name, column, &why);
    return status == STEEP_OK ? status : steep_fail(error, status, "--%s: %s", option, why.text);
}

/* How a column is found where no option names it. */
typedef struct column_habits {
    const char *option, *usual[6]; /* usual: these names are tried in order; NULL-terminated */
    size_t place;                  /* else this column in a file with two columns */
} column_habits;

/* Finds a column. name: the value of the option, or NULL. */
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

static steep_path folder_of(const steep_table *csv)
{
    const char *slash = strrchr(csv->path, '/');
    steep_path folder = {"."};
    if (slash) snprintf(folder.text, sizeof folder.text, "%.*s", (int)(slash - csv->path), csv->path);
    return folder;
}

/* Finds the columns that --by names; without --by, the usual columns that the file has. The column samples is usual
 * only beside a learning.csv, for several numbers of points: elsewhere it may differ within a series, as with folds. */
static steep_status find_keys(const steep_table *csv, const slope_record *options, columns *c, steep_error *error)
{
    const bool curves = access(steep_path_in(folder_of(csv).text, "learning.csv").text, F_OK) == 0;
    const char *usual = curves ? "arch,activation,target,solver,start,samples" : "arch,activation,target,solver,start";
    char **name;
    size_t names;
    if (options->by && !*options->by) return STEEP_OK; /* all rows are one group */
    steep_status status = steep_columns_names(options->by ? options->by : usual, &name, &names, error);
    for (size_t i = 0; i < names && status == STEEP_OK; i++) {
        const size_t column = steep_table_column(csv, name[i]);
        if (!options->by && (column == csv->columns || column == c->size)) continue;
        status = c->keys < KEYS ? find_column(csv, "by", name[i], &c->key[c->keys++], error)
                                : steep_fail(error, STEEP_BAD_INPUT, "--by: use at most %d columns", KEYS);
    }
    free(name);
    return status;
}

/* Refuses a file without a header, which would lose its first row. A column that an option names may be a number. */
static steep_status check_header(const steep_table *csv, const slope_record *options, const columns *c,
                                 steep_error *error)
{
    const bool size = !options->size && steep_table_is_number(csv->header[c->size]);
    const bool loss = !options->error && steep_table_is_number(csv->header[c->error]);
    if (!size && !loss) return STEEP_OK;
    return steep_fail(
        error, STEEP_BAD_INPUT,
        "%s: its first line has %s where a column's name should be: put a header such as n,error above it", csv->path,
        csv->header[size ? c->size : c->error]);
}

/* Whether no row has an error here: the fits of such a sweep have no test points. */
static bool is_empty(const steep_table *csv, size_t error)
{
    size_t row = 0;
    while (row < csv->rows && strcmp(csv->cell[row * csv->columns + error], "nan") == 0) row++;
    return csv->rows > 0 && row == csv->rows;
}

static steep_status find_columns(const steep_table *csv, const slope_record *options, columns *c, steep_error *error)
{
    static const column_habits size = {"size", {"params", "size", "width", "n", "parameters", NULL}, 0};
    static const column_habits loss = {"error", {"rmse_test", "error", "rmse", "loss", NULL}, 1};
    *c = (columns){0};
    steep_status status = choose_column(csv, options->size, &size, &c->size, error);
    if (status == STEEP_OK) status = choose_column(csv, options->error, &loss, &c->error, error);
    const size_t training = steep_table_column(csv, "rmse_train");
    if (status == STEEP_OK && !options->error && training < csv->columns && is_empty(csv, c->error))
        c->error = training;
    if (status == STEEP_OK) status = check_header(csv, options, c, error);
    if (status == STEEP_OK && c->size == c->error)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: --size and --error are both column %s: name two", csv->path,
                            csv->header[c->size]);
    c->floor = steep_table_column(csv, "floor");
    if (status == STEEP_OK && (options->floor || c->floor < csv->columns))
        status = find_column(csv, "floor", options->floor ? options->floor : "floor", &c->floor, error);
    size_t state;
    if (status == STEEP_OK && steep_table_column(csv, "status") < csv->columns)
        status = steep_table_find(csv, "status", &state, error); /* fails where there are several */
    return status == STEEP_OK ? find_keys(csv, options, c, error) : status;
}

/* The table of slopes: the columns c->key of csv, then those of a slope. */
typedef struct printing {
    const steep_table *csv;
    const columns *c;
    steep_sheet_line line;
    char name[KEYS][96]; /* for programs: names of keys that are called as a slope's column */
    char remarks[400];   /* of the row */
    steep_sheet sheet;
} printing;

/* Writes the remarks on a slope, with two blanks between them. */
static void write_remarks(const steep_slope *s, const char *remark, char *text, size_t size)
{
    snprintf(text, size, "%s", remark ? remark : "");
    if (s->apart > 0) steep_text_add(text, size, "%s%zu apart from the others, left out", *text ? "  " : "", s->apart);
    if (isnan(s->offset)) return;
    steep_text_add(text, size, "%sE = %.6g [%.6g, %.6g]", *text ? "  " : "", s->offset, s->offset_low, s->offset_high);
    if (!isnan(s->held_out))
        steep_text_add(text, size, "; the first two thirds of the sizes predict the others to %.2g %%",
                       100 * expm1(s->held_out));
}

/* Adds the columns of a slope after the columns of the keys. */
static void add_own(printing *p, const char *method, const char *remark, const steep_slope *s)
{
    write_remarks(s, remark, p->remarks, sizeof p->remarks);
    const steep_sheet_part part[] = {
        {{"method", NULL, "method", STEEP_SHEET_TEXT, NULL, 1, -10}, steep_cell_text(method)},
        {{"slope", NULL, "slope", STEEP_SHEET_REAL, "%.3f", 1, 8}, steep_cell_real(s->slope)},
        {{"low", "high", "interval", STEEP_SHEET_PAIR, "[%.3f, %.3f]", 2, -20}, steep_cell_pair(s->low, s->high)},
        {{"first", "last", "sizes", STEEP_SHEET_PAIR, "%.6g .. %.6g", 2, -20},
         steep_cell_pair(s->points > 0 ? s->first : NAN, s->points > 0 ? s->last : NAN)},
        {{"points", NULL, "points", STEEP_SHEET_COUNT, NULL, 2, 6}, steep_cell_count(s->points)},
        {{"drift", NULL, "drift", STEEP_SHEET_REAL, "%.2f", 2, -5}, steep_cell_real(s->drift)},
        {{NULL, NULL, "", STEEP_SHEET_TEXT, NULL, 2, 0},
         steep_cell_toned(p->remarks, isnan(s->offset) ? STEEP_TONE_DOUBTFUL : STEEP_TONE_PLAIN)},
        steep_fact_real("offset", s->offset),
        {{.key = "offset_low", .second = "offset_high", .kind = STEEP_SHEET_PAIR},
         steep_cell_pair(s->offset_low, s->offset_high)},
        steep_fact_real("held_out", s->held_out),
        steep_fact_count("apart", s->apart),
        steep_fact_text("remark", remark),
    };
    steep_sheet_line_add(&p->line, part, sizeof part / sizeof *part);
}

static void begin_table(printing *p, const steep_table *csv, const columns *c, const steep_cli_output *output)
{
    const steep_sheet_column *column = p->line.column;
    p->csv = csv;
    p->c = c;
    steep_sheet_line_set(&p->line, "slopes", NULL, 0);
    p->line.layout.columns = c->keys;
    add_own(p, NULL, NULL, &(steep_slope){0});
    for (size_t k = 0; k < c->keys; k++) {
        const char *name = csv->header[c->key[k]];
        bool ours = false;
        for (size_t i = c->keys; i < p->line.layout.columns; i++)
            ours |= (column[i].key && strcmp(name, column[i].key) == 0) ||
                    (column[i].second && strcmp(name, column[i].second) == 0);
        if (ours) snprintf(p->name[k], sizeof p->name[k], "by_%.90s", name);
        p->line.column[k] = (steep_sheet_column){ours ? p->name[k] : name, NULL, name, STEEP_SHEET_TEXT, NULL, 1, -14};
    }
    steep_sheet_open(&p->sheet, stdout, steep_cli_style(output), "slope");
    steep_sheet_begin(&p->sheet, &p->line.layout, NULL);
}

/* Prints the slope of a group by a method. row: a row of csv with the group's keys; remark: on the slope, or NULL. */
static void put_row(printing *p, size_t row, const char *method, const char *remark, const steep_slope *slope)
{
    p->line.layout.columns = p->c->keys;
    for (size_t k = 0; k < p->c->keys; k++)
        p->line.cell[k] = steep_cell_text(p->csv->cell[row * p->csv->columns + p->c->key[k]]);
    add_own(p, method, remark, slope);
    steep_sheet_row(&p->sheet, p->line.cell);
}

/* Whether slopes.csv of a sweep has all that the options request. */
static bool asks_as_sweeps_do(const slope_record *o)
{
    const steep_slope_options usual = steep_slope_options_default(), *own = &o->chosen.slope;
    const bool sizes =
        !o->size || strcmp(o->size, "params") == 0 || strcmp(o->size, "width") == 0 || strcmp(o->size, "samples") == 0;
    return sizes && !o->error && !o->floor && !o->by && own->law == usual.law && own->smooth == usual.smooth &&
           own->computed == usual.computed && own->scatter == usual.scatter && own->level == usual.level &&
           own->floor_factor == usual.floor_factor && own->drift == usual.drift &&
           own->minimum_points == usual.minimum_points && own->minimum_span == usual.minimum_span;
}

/* *same: series.csv, and so slopes.csv, counts as many usable fits as fits.csv has, or as have a test error. Series
 * without any count by the training error. Fails only with STEEP_NO_MEMORY. */
static steep_status compare_fits(const char *folder, const steep_table *fits, bool *same, steep_error *error)
{
    static const char *const seeds = "seeds";
    steep_figure_table series = {.column = &seeds, .numbers = 1, .blocks = true};
    const size_t test = steep_table_column(fits, "rmse_test");
    double usable = 0, untested = 0, counted = 0;
    const steep_status status = steep_figure_read(folder, "series.csv", &series, error);
    *same = status == STEEP_OK;
    for (size_t r = 0; *same && r < fits->rows; r++) {
        if (steep_table_failed(fits, r)) continue;
        usable++;
        untested += test < fits->columns && strcmp(fits->cell[r * fits->columns + test], "nan") == 0;
    }
    for (size_t r = 0; *same && r < series.table.rows; r++) counted += series.number[r];
    if (untested == usable) untested = 0; /* then training errors count */
    *same &= counted <= usable && counted >= usable - untested;
    steep_figure_free(&series);
    return status == STEEP_NO_MEMORY ? status : STEEP_OK;
}

static bool has_curves(const steep_figure_table *t)
{
    bool found = false;
    for (size_t r = 0; r < t->table.rows; r++)
        found |= strcmp(t->text[r * t->texts + STEEP_SLOPES_AGAINST], "samples") == 0;
    return found;
}

static steep_status print_rows(const steep_figure_table *t, const slope_record *options, size_t *found,
                               steep_error *error)
{
    const char *against = options->size ? options->size : "params";
    columns c = {.keys = STEEP_SLOPES_TEXTS - STEEP_SLOPES_ARCH};
    printing out;
    for (size_t k = 0; k < c.keys; k++) c.key[k] = steep_table_column(&t->table, t->column[STEEP_SLOPES_ARCH + k]);
    /* With several numbers of points, series differ in the column samples. */
    const size_t samples = steep_table_column(&t->table, "samples");
    if (has_curves(t) && strcmp(against, "samples") != 0) c.key[c.keys++] = samples;
    begin_table(&out, &t->table, &c, &options->output);
    for (size_t r = 0; r < t->table.rows; r++) {
        const char *const *text = t->text + r * t->texts;
        const steep_slope slope = steep_slopes_slope(t, r, NULL);
        if (strcmp(text[STEEP_SLOPES_AGAINST], against) != 0) continue;
        *found += !isnan(slope.slope);
        put_row(&out, r, text[STEEP_SLOPES_METHOD], text[STEEP_SLOPES_REMARK], &slope);
    }
    return steep_cli_close(&out.sheet, STEEP_OK, error);
}

/* Prints the slopes of a sweep's slopes.csv and sets *printed, where `fits` is the fits.csv beside it, both are of the
 * same fits, and the options request no more. *found: the number of slopes. */
static steep_status print_sweep(const steep_table *fits, const slope_record *options, size_t *found, bool *printed,
                                steep_error *error)
{
    const char *slash = strrchr(fits->path, '/');
    steep_figure_table slopes = steep_slopes_columns();
    *printed = false;
    if (strcmp(slash ? slash + 1 : fits->path, "fits.csv") != 0 || !asks_as_sweeps_do(options) ||
        steep_table_column(fits, "status") == fits->columns)
        return STEEP_OK;
    const steep_path folder = folder_of(fits);
    steep_status status = steep_figure_read(folder.text, "slopes.csv", &slopes, error);
    const bool fine = status == STEEP_OK;
    if (status != STEEP_NO_MEMORY) status = STEEP_OK; /* then the rows decide */
    if (!fine && status == STEEP_OK && access(steep_path_in(folder.text, "slopes.csv").text, F_OK) == 0)
        fprintf(stderr, "steep: %s; these slopes are of the rows alone\n", error->text);
    if (fine) status = compare_fits(folder.text, fits, printed, error);
    if (fine && status == STEEP_OK && !*printed)
        fprintf(stderr,
                "steep: %s/slopes.csv is not of these fits: the slopes are of the rows alone; the command that "
                "made the folder writes it anew\n",
                folder.text);
    if (options->size && strcmp(options->size, "samples") == 0)
        *printed &= has_curves(&slopes); /* with one number of points, the rows decide */
    if (*printed) status = print_rows(&slopes, options, found, error);
    steep_figure_free(&slopes);
    return status;
}

typedef struct measured {
    size_t group; /* SIZE_MAX: a failed fit */
    double size, error, floor;
} measured;

/* The rows, group by group, ascending, so that no method has to sort them again. */
typedef struct points {
    double *size, *error, *floor;            /* floor NULL: there is no such column */
    size_t *begin;                           /* of group g: begin[g] .. begin[g + 1] - 1 */
    size_t *first;                           /* a row of the file of each group */
    size_t *place, places;                   /* hash table with over two places a row: group + 1; 0: free */
    size_t groups, left_out, zero, repeated; /* zero: errors of 0; repeated: rows with a size seen before */
} points;

/* The group of a row, a new one where its key is new. */
static size_t group_of(const steep_table *csv, const columns *c, points *p, size_t row)
{
    uint64_t sum = STEEP_HASH_START;
    for (size_t k = 0; k < c->keys; k++)
        sum = steep_hash_byte(steep_hash_text(sum, csv->cell[row * csv->columns + c->key[k]]), 0);
    size_t at = (size_t)(sum % p->places);
    while (p->place[at] && !steep_table_alike(csv, c->keys, c->key, p->first[p->place[at] - 1], row))
        at = (at + 1) % p->places;
    if (!p->place[at]) {
        p->first[p->groups] = row;
        p->place[at] = ++p->groups;
    }
    return p->place[at] - 1;
}

static steep_status read_row(const steep_table *csv, const columns *c, size_t r, measured *to, steep_error *error)
{
    steep_status status = steep_table_number(csv, r, c->size, &to->size, error);
    if (status == STEEP_OK) status = steep_table_number(csv, r, c->error, &to->error, error);
    const size_t bad = to->size <= 0 ? c->size : c->error;
    if (status == STEEP_OK && (to->size <= 0 || to->error < 0))
        status = steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu, column %s: '%s': expected a positive number",
                            csv->path, csv->line[r], csv->header[bad], csv->cell[r * csv->columns + bad]);
    to->floor = NAN;
    if (status == STEEP_OK && c->floor < csv->columns && strcmp(csv->cell[r * csv->columns + c->floor], "nan") != 0)
        status = steep_table_number(csv, r, c->floor, &to->floor, error);
    return status;
}

static int compare_rows(const void *left, const void *right)
{
    const measured *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return (a->error > b->error) - (a->error < b->error);
}

/* Reads the rows into groups. list: memory for all rows of the file. */
static steep_status read_rows(const steep_table *csv, const columns *c, points *p, measured *list, steep_error *error)
{
    for (size_t r = 0; r < csv->rows; r++) {
        list[r].group = group_of(csv, c, p, r);
        if (steep_table_failed(csv, r)) { /* it has no error; all other rows must have numbers */
            list[r] = (measured){.group = SIZE_MAX};
            p->left_out++;
            continue;
        }
        const steep_status status = read_row(csv, c, r, &list[r], error);
        if (status != STEEP_OK) return status;
        p->zero += list[r].error == 0;
    }
    qsort(list, csv->rows, sizeof *list, compare_rows);
    const size_t count = csv->rows - p->left_out;
    for (size_t g = 0, i = 0; g <= p->groups; g++) {
        while (i < count && list[i].group < g) i++;
        p->begin[g] = i;
    }
    for (size_t i = 0; i < count; i++) {
        p->size[i] = list[i].size;
        p->error[i] = list[i].error;
        if (p->floor) p->floor[i] = list[i].floor;
        p->repeated += i > 0 && list[i].group == list[i - 1].group && list[i].size == list[i - 1].size;
    }
    return STEEP_OK;
}

typedef struct measuring {
    const points *p;
    steep_slope_options options;
    steep_slope *slope; /* [groups][STEEP_SLOPE_METHODS] */
    steep_error *error; /* of each group */
} measuring;

static void measure_group(void *context, size_t g)
{
    const measuring *all = context;
    const points *p = all->p;
    const size_t begin = p->begin[g], end = p->begin[g + 1];
    const steep_slope_points group = {end - begin, p->size + begin, p->error + begin,
                                      p->floor ? p->floor + begin : NULL};
    steep_slope_measure_all(&group, &all->options, all->slope + g * STEEP_SLOPE_METHODS, &all->error[g]);
}

/* Measures all groups. Returns STEEP_OK, or the failure of the first group that failed. */
static steep_status measure_groups(measuring *all, size_t jobs, steep_error *error)
{
    const size_t groups = all->p->groups;
    steep_team *team = steep_team_open(jobs < groups ? jobs : groups);
    steep_team_run(team, groups, measure_group, all);
    steep_team_close(team);
    for (size_t i = 0; i < groups * STEEP_SLOPE_METHODS; i++) {
        const steep_status status = all->slope[i].status;
        if (status < 0) return steep_fail(error, status, "%s", all->error[i / STEEP_SLOPE_METHODS].text);
    }
    return STEEP_OK;
}

/* Prints the slopes of all groups by all methods. */
static steep_status print_slopes(const steep_table *csv, const columns *c, const slope_record *options, const points *p,
                                 size_t *found, steep_error *error)
{
    printing out;
    char note[160];
    measuring all = {.p = p, .options = options->chosen.slope};
    void *block =
        STEEP_BLOCK(STEEP_SHARE(all.slope, p->groups * STEEP_SLOPE_METHODS), STEEP_SHARE(all.error, p->groups));
    steep_status status = block ? measure_groups(&all, options->jobs ? options->jobs : steep_processors(), error)
                                : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu groups", p->groups);
    if (status >= 0) {
        begin_table(&out, csv, c, &options->output);
        for (size_t i = 0; i < p->groups * STEEP_SLOPE_METHODS; i++) {
            const steep_slope *slope = &all.slope[i];
            *found += !isnan(slope->slope);
            put_row(&out, p->first[i / STEEP_SLOPE_METHODS], steep_slope_method_names(i % STEEP_SLOPE_METHODS),
                    steep_slope_remark(slope), slope);
        }
        /* The assumption of the window's interval. The documents say how often it holds the order of other laws. */
        snprintf(note, sizeof note, "(window: the order as the sizes grow, with its %g %% interval, given %s)",
                 100 * all.options.level,
                 all.options.law == STEEP_LAW_OFFSET ? "the law E + A size^s" : "one of the laws averaged over");
        steep_sheet_note(&out.sheet, note);
        status = steep_cli_close(&out.sheet, STEEP_OK, error);
    }
    free(block);
    return status;
}

static steep_status slopes_of_table(const steep_table *csv, const slope_record *options, size_t *found,
                                    steep_error *error)
{
    columns c;
    steep_status status = find_columns(csv, options, &c, error);
    if (status != STEEP_OK) return status;
    if (csv->rows == 0) return steep_fail(error, STEEP_BAD_INPUT, "%s: no rows: expected at least 2", csv->path);
    points p = {.places = 2 * csv->rows + 1};
    measured *list = NULL;
    void *block =
        STEEP_BLOCK(STEEP_SHARE(p.size, csv->rows), STEEP_SHARE(p.error, csv->rows), STEEP_SHARE(p.floor, csv->rows),
                    STEEP_SHARE(p.begin, csv->rows + 1), STEEP_SHARE(p.first, csv->rows),
                    STEEP_SHARE(p.place, p.places), STEEP_SHARE(list, csv->rows));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows", csv->rows);
    if (c.floor == csv->columns) p.floor = NULL;
    status = read_rows(csv, &c, &p, list, error);
    if (status == STEEP_OK) status = print_slopes(csv, &c, options, &p, found, error);
    if (status == STEEP_OK && p.left_out > 0) fprintf(stderr, "steep: %zu rows of failed fits left out\n", p.left_out);
    if (status == STEEP_OK && p.zero > 0)
        fprintf(stderr, "steep: rows left out, whose error is 0 and has no logarithm: %zu\n", p.zero);
    if (status == STEEP_OK && p.repeated > 0)
        fprintf(stderr,
                "steep: rows whose size stands in their group already: %zu; the smallest error of each size counts\n",
                p.repeated);
    free(block);
    return status;
}

static void groups(void *record, steep_option_group *group)
{
    slope_record *options = record;
    steep_cli_group(group, NULL, steep_slope_option_table, &options->chosen);
}

static steep_status print_slopes_of(void *record, const steep_command_line *line, steep_error *error)
{
    slope_record *options = record;
    steep_table csv;
    size_t found = 0;
    bool printed;
    if (options->csv) options->output.format = "csv";
    options->chosen.slope.law = steep_slope_law_find(options->chosen.law);
    steep_status status = steep_cli_table(line->word[0], &csv, error);
    if (status != STEEP_OK) return status;
    status = print_sweep(&csv, options, &found, &printed, error);
    if (status == STEEP_OK && !printed) status = slopes_of_table(&csv, options, &found, error);
    if (status == STEEP_OK && found == 0)
        status = steep_fail(error, STEEP_SINGULAR,
                            "%s: no group has 2 sizes with an error above the floor: measure more sizes", csv.path);
    steep_table_free(&csv);
    return steep_input_status(status);
}

const steep_command steep_command_slope = {
    .name = "slope",
    .what = "slopes with intervals from any CSV with a size and an error column",
    .usage = "steep slope FILE.csv|DIR [--size COLUMN] [--error COLUMN] [OPTIONS]",
    .about = "The exponent of error against size, error ~ size^slope, for each group of rows: window, the\n"
             "order that the curve comes to, with its interval; last_pair, between the two largest sizes\n"
             "above the floor; all, the naive fit over all points. Of a sweep's fits.csv, or its folder,\n"
             "without other options than --size: the sweep's own slopes.",
    .examples = "  steep slope results/sweep/fits.csv\n"
                "  steep slope points.csv --size n --error rmse\n"
                "  steep slope results/noise --against samples\n"
                "  steep slope fits.csv --size width --error rmse_train --by arch,target --level 0.99\n",
    .size = sizeof(slope_record),
    .table = table,
    .groups = groups,
    .prints = STEEP_PRINTS_TABLES,
    .work = print_slopes_of,
    .most_words = 1,
    .words_error = "steep slope takes one CSV file or the folder of a sweep: use steep slope FILE.csv --size COLUMN "
                   "--error COLUMN",
};
