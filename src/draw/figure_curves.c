/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_curves: errors and gradients by evaluation, from the files of --curve. Lists them; plots/curves.gp draws. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"

/* What identifies the series, up to "-wWIDTH-sSEED": its length, and the width; false for another file. */
static bool read_name(const char *name, size_t *length, unsigned *width)
{
    const char *at = NULL;
    unsigned seed;
    for (const char *next = strstr(name, "-w"); next; next = strstr(next + 1, "-w"))
        if (sscanf(next, "-w%u-s%u", width, &seed) == 2) at = next;
    *length = at ? (size_t)(at - name) : 0;
    return at && strcmp(name + strlen(name) - 4, ".csv") == 0 && sscanf(at, "-w%u-s%u", width, &seed) == 2;
}

static int is_curve(const struct dirent *entry)
{
    size_t length;
    unsigned width;
    return strlen(entry->d_name) > 4 && read_name(entry->d_name, &length, &width);
}

/* Is the file of the largest width of its series, which has names first to last? */
static bool is_widest(struct dirent **entry, int first, int last, int i)
{
    size_t length;
    unsigned mine, other;
    read_name(entry[i]->d_name, &length, &mine);
    for (int k = first; k < last; k++)
        if (read_name(entry[k]->d_name, &length, &other) && other > mine) return false;
    return true;
}

static int end_of_series(struct dirent **entry, int count, int first)
{
    size_t length, other;
    unsigned width;
    int last = first + 1;
    read_name(entry[first]->d_name, &length, &width);
    while (last < count && read_name(entry[last]->d_name, &other, &width) && other == length &&
           strncmp(entry[last]->d_name, entry[first]->d_name, length) == 0)
        last++;
    return last;
}

/* "files = '..'; series = '..'; labels = '..'". */
static void put_lists(FILE *head, struct dirent **entry, int count)
{
    int series = 0;
    size_t length;
    unsigned width;
    fputs("files = ''; series = ''; labels = ''\n", head);
    for (int first = 0, last; first < count; first = last) {
        last = end_of_series(entry, count, first);
        series++;
        read_name(entry[first]->d_name, &length, &width);
        fprintf(head, "labels = labels . ' %.*s'\n", (int)length, entry[first]->d_name);
        for (int i = first; i < last; i++)
            if (is_widest(entry, first, last, i))
                fprintf(head, "files = files . ' %s'; series = series . ' %d'\n", entry[i]->d_name, series);
    }
}

steep_status steep_figure_curves(const char *folder, const steep_figure_limits *limits, steep_error *error)
{
    struct dirent **entry = NULL;
    char *path = steep_figure_path(folder, "curves", "", error);
    if (!path) return STEEP_NO_MEMORY;
    const int count = scandir(path, &entry, is_curve, alphasort);
    steep_status status = STEEP_OK;
    if (count <= 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s holds no curves: fit with --curve (and --fresh) first", path);
    steep_figure_writer w = {folder, "curves", steep_script_curves, STEEP_FIGURE_TERMINALS, limits, {NULL}};
    if (status == STEEP_OK) status = steep_figure_begin(&w, error);
    if (status == STEEP_OK) {
        put_lists(w.head.stream, entry, count);
        status = steep_figure_end(&w, true, error);
    }
    for (int i = 0; i < count; i++) free(entry[i]);
    free(entry);
    free(path);
    return status;
}
