/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_curves: errors by iteration and operations, from the files of --curve. Lists them; plots/curves.gp draws. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"

/* What identifies the series, up to "-wWIDTH-sSEED": its length, and the width; 0 for another file. */
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

/* "files = '..'; series = '..'; labels = '..'": series of entries that stand together, the largest width of each. */
static void put_lists(FILE *head, struct dirent **entry, int count)
{
    unsigned width, most;
    fputs("files = ''; series = ''; labels = ''\n", head);
    for (int first = 0, last, series = 1; first < count; first = last, series++) {
        const char *name = entry[first]->d_name;
        const size_t length = series_of(name, &most);
        for (last = first; last < count && series_of(entry[last]->d_name, &width) == length &&
                           strncmp(entry[last]->d_name, name, length) == 0;
             last++)
            if (width > most) most = width;
        fprintf(head, "labels = labels . ' %.*s'\n", (int)length, name);
        for (int i = first; i < last; i++)
            if (series_of(entry[i]->d_name, &width) > 0 && width == most)
                fprintf(head, "files = files . ' %s'; series = series . ' %d'\n", entry[i]->d_name, series);
    }
}

steep_status steep_figure_curves(const char *folder, const steep_figure_limits *limits, steep_error *error)
{
    struct dirent **entry = NULL;
    const steep_path path = steep_path_in(folder, "curves");
    const int count = scandir(path.text, &entry, is_curve, alphasort);
    steep_status status = STEEP_OK;
    if (count <= 0)
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%s holds no curves: fit with --curve (and --fresh) first", path.text);
    steep_figure_writer w = {folder, "curves", steep_script_curves, STEEP_FIGURE_TERMINALS, limits, NULL};
    if (status == STEEP_OK) status = steep_figure_begin(&w, error);
    if (status == STEEP_OK) {
        put_lists(w.head, entry, count);
        status = steep_figure_end(&w, true, error);
    }
    for (int i = 0; i < count; i++) free(entry[i]);
    free(entry);
    return status;
}
