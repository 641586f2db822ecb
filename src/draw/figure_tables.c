/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_tables: figures of fits and of curves. The tables of the folder are checked, then gnuplot draws them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draw/figure.h"
#include "record/folder.h"

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

/* The length of what names the series, before "-wWIDTH-sSEED", and the width; 0 for other files. */
static size_t series_of(const char *name, unsigned *width)
{
    const char *at = NULL, *end = strrchr(name, '.');
    unsigned seed;
    for (const char *next = strstr(name, "-w"); next; next = strstr(next + 1, "-w"))
        if (sscanf(next, "-w%u-s%u", width, &seed) == 2) at = next;
    return at && end && strcmp(end, ".csv") == 0 && sscanf(at, "-w%u", width) == 1 ? (size_t)(at - name) : 0;
}

static int is_curve(const struct dirent *entry)
{
    unsigned width;
    return series_of(entry->d_name, &width) > 0;
}

/* Writes the lists files, series and labels. Entries of a series are adjacent; its largest width is listed. */
static void put_lists(FILE *head, struct dirent **entry, size_t count)
{
    unsigned width, most;
    fputs("files = ''; series = ''; labels = ''\n", head);
    for (size_t first = 0, last, series = 1; first < count; first = last, series++) {
        const char *name = entry[first]->d_name;
        const size_t length = series_of(name, &most);
        for (last = first; last < count && series_of(entry[last]->d_name, &width) == length &&
                           strncmp(entry[last]->d_name, name, length) == 0;
             last++)
            if (width > most) most = width;
        fprintf(head, "labels = labels . ' %.*s'\n", (int)length, name);
        for (size_t i = first; i < last; i++)
            if (series_of(entry[i]->d_name, &width) > 0 && width == most)
                fprintf(head, "files = files . ' %s'; series = series . ' %zu'\n", entry[i]->d_name, series);
    }
}

steep_status steep_figure_curves(const char *folder, const steep_figure_limits *limits, steep_error *error)
{
    struct dirent **entry;
    size_t count;
    const steep_path path = steep_path_in(folder, STEEP_FOLDER_CURVES);
    steep_folder_list(path.text, is_curve, &entry, &count, NULL);
    steep_figure_writer w = {folder, "curves", steep_script_curves, STEEP_FIGURE_TERMINALS, limits, NULL};
    steep_status status = count > 0 ? steep_figure_begin(&w, error)
                                    : steep_fail(error, STEEP_BAD_INPUT,
                                                 "%s holds no curves: fit with --curve (and --fresh) first", path.text);
    if (status == STEEP_OK) {
        put_lists(w.head, entry, count);
        status = steep_figure_end(&w, true, error);
    }
    steep_folder_free_list(entry, count);
    return status;
}
