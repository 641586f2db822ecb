/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_tables: figures of fits and of curves. The tables of the folder are checked, then gnuplot draws them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draw/figure.h"
#include "record/folder.h"
#include "record/save.h"

/* Limits above which a figure would be crowded. */
enum { MOST_POINTS = 2000, MOST_GATES = 60, MOST_SCATTERED = 4000, MOST_LINES = 200 };

typedef struct extent {
    size_t rows, columns;
} extent;

/* Begins the script once the named columns of residuals.csv, of `second` and of gates.csv hold numbers; writes the
 * sizes. */
static steep_status begin(steep_figure_writer *w, const char *second, const steep_figure_table of[3], extent size[3],
                          steep_error *error)
{
    const char *const name[] = {"residuals.csv", second, "gates.csv"};
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < 3 && status >= 0; i++) {
        steep_figure_table t = of[i];
        if (t.numbers > 0) status = steep_figure_read(w->folder, name[i], &t, error);
        size[i] = (extent){t.table.rows, t.table.columns};
        steep_figure_free(&t);
    }
    return status < 0 ? status : steep_figure_begin(w, error);
}

steep_status steep_figure_fit(const char *folder, const char *title, const char *terminals,
                              const steep_figure_limits *limits, steep_error *error)
{
    static const char *const column[] = {"x", "y", "network", "residual"}, *const knot = "knot";
    const bool gated = access(steep_path_in(folder, "gates.csv").text, F_OK) == 0;
    const steep_figure_table of[] = {
        {.column = column, .numbers = 4}, {.column = column, .numbers = 1}, {.column = &knot, .numbers = gated}};
    extent size[3];
    steep_figure_writer w = {folder, "fit", steep_script_fit, terminals, limits, NULL};
    const steep_status status = begin(&w, "units.csv", of, size, error);
    if (status < 0) return status;
    fprintf(w.head, "units = %zu; gates = %zu; thin = %zu; thin_units = %zu", size[1].columns - 1,
            size[2].rows <= MOST_GATES ? size[2].rows : 0, 1 + size[0].rows / MOST_POINTS,
            1 + size[1].rows / MOST_POINTS);
    steep_figure_put_text(w.head, "title", title);
    steep_figure_put_terminals(w.head, terminals);
    return steep_figure_end(&w, true, error);
}

steep_status steep_figure_map(const char *folder, const char *title, const char *across, const char *up,
                              const steep_figure_limits *limits, steep_error *error)
{
    static const char *const column[] = {"y", "network", "residual"}, *const end[] = {"from1", "from2", "to1", "to2"};
    const steep_figure_table of[] = {{.column = column, .numbers = 3, .blocks = true},
                                     {.column = column + 1, .numbers = 1, .blocks = true},
                                     {.column = end, .numbers = 4, .blocks = true}};
    extent size[3];
    steep_figure_writer w = {folder, "fit", steep_script_map, STEEP_FIGURE_TERMINALS, limits, NULL};
    const steep_status status = begin(&w, "surface.csv", of, size, error);
    if (status < 0) return status;
    const size_t thin = 1 + size[0].rows / MOST_SCATTERED, drawn = size[0].rows / thin;
    const double mark = drawn > 1000 ? 0.3 : drawn > 200 ? 0.45 : 0.7;
    fprintf(w.head, "known = %d; flat = %d; gates = %zu; thin = %zu; size = %.2f", size[1].columns > 3,
            size[0].columns == 5, size[2].rows <= MOST_LINES ? size[2].rows : 0, thin, mark);
    steep_figure_put_text(w.head, "title", title);
    steep_figure_put_text(w.head, "across", across);
    steep_figure_put_text(w.head, "up", up);
    return steep_figure_end(&w, true, error);
}

/* The columns of fits.csv that name a series, and a fit of it. */
enum { ARCH, ACTIVATION, TARGET, SOLVER, START, OF_SERIES, WIDTH = OF_SERIES, SEED, OF_FIT };

/* The rows of fits.csv. */
typedef struct curves {
    const char *folder;
    steep_table table;
    size_t column[OF_FIT];
    bool *present;           /* by row: there is a curve */
    bool differs[OF_SERIES]; /* between rows with a curve */
} curves;

static const char *cell(const curves *c, size_t row, size_t of)
{
    return c->table.cell[row * c->table.columns + c->column[of]];
}

static size_t width_of(const curves *c, size_t row)
{
    return strtoul(cell(c, row, WIDTH), NULL, 10);
}

static steep_path path_of(const curves *c, size_t row)
{
    const steep_plan_key key = {.arch = cell(c, row, ARCH),
                                .activation = cell(c, row, ACTIVATION),
                                .target = cell(c, row, TARGET),
                                .solver = cell(c, row, SOLVER),
                                .start = cell(c, row, START),
                                .width = width_of(c, row),
                                .seed = strtoul(cell(c, row, SEED), NULL, 10)};
    return steep_networks_path(c->folder, &key, true);
}

static steep_status read_fits(curves *c, steep_error *error)
{
    static const char *const name[OF_FIT] = {"arch", "activation", "target", "solver", "start", "width", "seed"};
    steep_status status = steep_table_read(steep_path_in(c->folder, "fits.csv").text, &c->table, error);
    for (size_t i = 0; i < OF_FIT && status == STEEP_OK; i++)
        status = steep_table_find(&c->table, name[i], &c->column[i], error);
    if (status != STEEP_OK) return status;
    c->present = calloc(c->table.rows + 1, sizeof *c->present);
    if (!c->present) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the curves of %s", c->folder);
    for (size_t row = 0, last = SIZE_MAX; row < c->table.rows; row++) {
        c->present[row] = access(path_of(c, row).text, F_OK) == 0;
        if (!c->present[row]) continue;
        for (size_t i = 0; i < OF_SERIES && last < SIZE_MAX; i++)
            c->differs[i] |= strcmp(cell(c, row, i), cell(c, last, i)) != 0;
        last = row;
    }
    return STEEP_OK;
}

/* Writes what the series differs in from others, and its width. */
static void put_label(FILE *head, const curves *c, size_t row)
{
    char text[512] = "";
    for (size_t i = 0, size = 0; i < OF_SERIES && size < sizeof text; i++)
        if (c->differs[i]) size += (size_t)snprintf(text + size, sizeof text - size, "%.90s, ", cell(c, row, i));
    char *cut = steep_title_cut(text, 46), *label = cut ? steep_title(cut, false, false) : NULL;
    steep_figure_quote(head, label ? label : "");
    fprintf(head, " . 'n = %zu'\n", width_of(c, row));
    free(cut);
    free(label);
}

static void put_file(FILE *head, const char *name, size_t series)
{
    fprintf(head, "files = files . ' %s'; series = series . ' %zu'\n", name, series);
}

/* Writes files and series of a sweep, and labels. Rows of a series are adjacent; its largest width is drawn. Returns
 * the number of series. */
static size_t put_sweep(FILE *head, const curves *c)
{
    const steep_table *t = &c->table;
    size_t series = 0;
    for (size_t first = 0, last; first < t->rows; first = last) {
        size_t widest = SIZE_MAX;
        for (last = first; last < t->rows && steep_table_alike(t, OF_SERIES, c->column, first, last); last++)
            if (c->present[last] && (widest == SIZE_MAX || width_of(c, last) > width_of(c, widest))) widest = last;
        if (widest == SIZE_MAX) continue;
        fprintf(head, "label[%zu] = ", ++series);
        put_label(head, c, widest);
        for (size_t i = first; i < last; i++)
            if (c->present[i] && width_of(c, i) == width_of(c, widest))
                put_file(head, strrchr(path_of(c, i).text, '/') + 1, series);
    }
    return series;
}

/* A CSV file with a name that steep_networks_path gives, which needs no quotes in a script. */
static int is_curve(const struct dirent *entry)
{
    const char *name = entry->d_name, *end = strrchr(name, '.');
    const size_t plain = strspn(name, "-_.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    return !name[plain] && end && strcmp(end, ".csv") == 0;
}

steep_status steep_figure_curves(const char *folder, const steep_figure_limits *limits, steep_error *error)
{
    curves c = {.folder = folder};
    struct dirent **entry;
    size_t count;
    const steep_path path = steep_path_in(folder, STEEP_FOLDER_CURVES);
    steep_folder_list(path.text, is_curve, &entry, &count, NULL);
    steep_figure_writer w = {folder, "curves", steep_script_curves, STEEP_FIGURE_TERMINALS, limits, NULL};
    steep_status status = count > 0 ? STEEP_OK
                                    : steep_fail(error, STEEP_BAD_INPUT,
                                                 "%s holds no curves: fit with --curve (and --fresh) first", path.text);
    if (status == STEEP_OK && access(steep_path_in(folder, "fits.csv").text, F_OK) == 0) status = read_fits(&c, error);
    if (status == STEEP_OK) status = steep_figure_begin(&w, error);
    if (status == STEEP_OK) {
        fprintf(w.head, "files = ''; series = ''; array label[%zu]\n", c.table.rows + 1);
        const size_t labels = put_sweep(w.head, &c);
        for (size_t i = 0; i < count && labels == 0; i++) put_file(w.head, entry[i]->d_name, 1); /* steep fit's */
        fprintf(w.head, "labels = %zu\n", labels);
        status = steep_figure_end(&w, true, error);
    }
    steep_folder_free_list(entry, count);
    steep_table_free(&c.table);
    free(c.present);
    return status;
}
