/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep figure: draws the figure of a sweep's folder again, in another form. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "record/folder.h"

typedef struct record {
    steep_figure_options options; /* set by the options, except for the fields that follow as texts */
    const char *against, *by, *xlim, *ylim, *width;
    bool curves;
} record;

/* The values of --against, and their letters in steep_figure_options; 0: both. */
static const struct {
    const char *name;
    char letter;
} against[] = {{"both", 0},     {"n", 'n'},       {"P", 'P'},      {"width", 'n'},
               {"params", 'P'}, {"samples", 'N'}, {"compute", 'C'}};

static STEEP_NAMES_OF(against_names, against, name)
static STEEP_NAMES(by_names, "none", "solver", "arch", "start")

#define AT(field) offsetof(record, field)

static const steep_option table[] = {
    TEXT("arch", options.arch, "LIST", NULL, "series to show: labels as in the key, or architectures (default: all)",
         FREE),
    TEXT("title", options.title, "TEXT", NULL, "above the figure (default: the target)", FREE),
    CHOICE("against", against, "both", against_names,
           "error against width n, parameters P, both side by side, training points (learning curves) or operations",
           FREE),
    CHOICE("by", by, "none", by_names, "panels of its own for each solver, architecture or start, on the same axes",
           FREE),
    TEXT("xlim", xlim, "A:B", NULL, "ends of the axis of widths and parameters (default: as the points ask for)", FREE),
    TEXT("ylim", ylim, "A:B", NULL, "ends of the axis of errors (default: as the points ask for)", FREE),
    FLAG("no-theory", options.no_theory, "draw no line of theory, no lower bound and no triangle", FREE),
    TEXT("width", width, "LENGTH", NULL,
         "as 8.5cm, 85mm, 3.3in or 246pt, letters of 8.5 points (default: 24cm, larger)", FREE),
    TEXT("terminal", options.terminal, "LIST", "svg,pdf,png", "what to write: svg, pdf, png, cairolatex, tikz", FREE),
    TEXT("name", options.name, "NAME", "slopes", "of the files: NAME.gp, NAME.svg and so on", FREE),
    FLAG("curves", curves,
         "errors by iteration and operations, of each series' largest width, from the files of --curve: curves.gp, "
         "curves.svg and so on",
         FREE),
    {.name = NULL},
};

/* Reads a length with its unit, in cm. */
static steep_status read_width(const char *text, double *cm, steep_error *error)
{
    static const struct {
        const char *unit;
        double cm;
    } units[] = {{"cm", 1}, {"mm", 0.1}, {"in", 2.54}, {"pt", 2.54 / 72.27}}; /* pt: TeX's, as \the\columnwidth says */
    char *unit;
    double value;
    if (steep_decimal_read(text, &value, &unit)) value = 0;
    unit += strspn(unit, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (unit > text && strcmp(unit, units[i].unit) == 0) *cm = value * units[i].cm;
    if (*cm >= 5 && *cm <= 100) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--width %.80s: use a length from 5cm to 100cm, as 8.5cm, 85mm, 3.3in or 246pt", text);
}

/* Reads "A:B", the ends of a logarithmic axis. */
static steep_status read_limits(const char *name, const char *text, double ends[2], steep_error *error)
{
    char *at = NULL;
    if (!text) return STEEP_OK;
    const bool first = !steep_decimal_read(text, &ends[0], &at) && at > text && *at == ':';
    const char *second = first ? at + 1 : text;
    if (first && !steep_decimal_read(second, &ends[1], &at) && at > second && !*at && ends[0] > 0 &&
        ends[1] > ends[0] && isfinite(ends[1]))
        return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--%s %.80s: use A:B, two positive numbers, the smaller one first, as in 1e-9:1", name, text);
}

static steep_status draw_again(void *record_of, const steep_command_line *line, steep_error *error)
{
    record *r = record_of;
    steep_figure_options *o = &r->options;
    const char *path = line->word[0];
    steep_folder folder;
    o->by = strcmp(r->by, "none") == 0 ? NULL : r->by;
    o->against = against[steep_options_index(against_names, r->against)].letter;
    steep_status status = steep_cli_check_gnuplot(error);
    if (status == STEEP_OK && r->width) status = read_width(r->width, &o->width, error);
    if (status == STEEP_OK) status = read_limits("xlim", r->xlim, o->xlim, error);
    if (status == STEEP_OK) status = read_limits("ylim", r->ylim, o->ylim, error);
    if (status != STEEP_OK) return status;
    steep_cli_catch_signals();
    const steep_figure_limits limits = steep_cli_figure_limits();
    /* The tables may have a format that this program does not know. */
    status = steep_provenance_known(steep_path_in(path, "run.json").text, error);
    if (status == STEEP_OK) status = steep_folder_lock(&folder, path, error);
    if (status != STEEP_OK) return status;
    status = r->curves ? steep_figure_curves(path, &limits, error) : steep_figure_slopes(path, o, &limits, error);
    steep_folder_close(&folder);
    return status;
}

const steep_command steep_command_figure = {
    .name = "figure",
    .what = "the figure of a sweep again: other series, sizes, formats",
    .usage = "steep figure DIR [OPTIONS]",
    .about = "Draws the figure of a sweep again, from series.csv in its folder: other series,\n"
             "another size, other formats. Writes NAME.gp, which gnuplot reads, and the pictures beside them.",
    .examples = "  steep figure results/sweep --width 8.5cm --terminal pdf --name column\n"
                "  steep figure results/sweep --arch glu,gqu --against P --title 'frozen gates'\n"
                "  steep figure results/noise --against samples --name learning\n"
                "  steep figure results/sweep --by solver --against n --ylim 1e-12:1 --no-theory\n"
                "  steep figure results/sweep --width 246pt --terminal cairolatex    (then "
                "\\usepackage{graphicx,xcolor}, \\input{slopes-cairolatex})\n",
    .size = sizeof(record),
    .table = table,
    .work = draw_again,
    .most_words = 1,
    .words_error = "figure takes one folder: steep figure results/sweep",
    .alone = true,
};
