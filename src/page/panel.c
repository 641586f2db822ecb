/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page/panel.h"

#include <math.h>
#include <string.h>

#include "page/html.h"

enum { LEFT = 66, RIGHT = 12, TOP = 10, BOTTOM = 40, UNITS = 10000, FAR = 40 * UNITS };

/* --- axes --- */

steep_axis steep_axis_empty(bool log, const char *label)
{
    return (steep_axis){.from = INFINITY, .to = -INFINITY, .log = log, .label = label};
}

static double coordinate(const steep_axis *axis, double number)
{
    if (!axis->log) return number;
    return number > 0 ? log10(number) : NAN;
}

void steep_axis_cover(steep_axis *axis, double number)
{
    const double at = coordinate(axis, number);
    if (!isfinite(at)) return;
    axis->from = fmin(axis->from, at);
    axis->to = fmax(axis->to, at);
}

void steep_axis_widen(steep_axis *axis, double part, double least)
{
    if (axis->from > axis->to) axis->from = axis->to = 0;
    const double span = axis->to - axis->from, rounding = 1e-9 * fmax(fabs(axis->from), fabs(axis->to));
    const double room = fmax(part * span, 0.5 * (fmax(least, rounding) - span));
    axis->from -= room;
    axis->to += room;
    if (!(axis->to > axis->from)) axis->from -= 1, axis->to += 1;
}

double steep_axis_place(const steep_axis *axis, double number)
{
    return (coordinate(axis, number) - axis->from) / (axis->to - axis->from);
}

/* --- numbers at the axes --- */

/* 10^n as people write it. */
static void put_power(FILE *out, int power)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[16];
    snprintf(text, sizeof text, "%d", power);
    fputs("10", out);
    for (const char *c = text; *c; c++) fputs(*c == '-' ? "⁻" : raised[*c - '0'], out);
}

typedef struct frame {
    FILE *out;
    const steep_axis *axis;
    bool upright;
    int width, height; /* of the area */
    int decimals;
} frame;

/* A line of the grid and, where it is labelled, its number. */
static void put_tick(const frame *f, double at, double number, bool labelled)
{
    const double place = (at - f->axis->from) / (f->axis->to - f->axis->from);
    if (place < -1e-9 || place > 1 + 1e-9) return;
    const double x = LEFT + place * f->width, y = TOP + (1 - place) * f->height;
    if (f->upright) fprintf(f->out, "<path d=\"M%d,%.1fh%d\"/>", LEFT, y, f->width);
    else fprintf(f->out, "<path d=\"M%.1f,%dv%d\"/>", x, TOP, f->height);
    if (!labelled) return;
    if (f->upright) fprintf(f->out, "<text class=\"y\" x=\"%d\" y=\"%.1f\">", LEFT - 7, y + 4);
    else fprintf(f->out, "<text class=\"x\" x=\"%.1f\" y=\"%d\">", x, TOP + f->height + 17);
    if (f->axis->log && (f->upright || number >= 1e5)) put_power(f->out, (int)lround(log10(number)));
    else if (f->axis->log) fprintf(f->out, "%.5g", number);
    else if (f->decimals < 0) fprintf(f->out, "%.2g", number);
    else steep_html_decimal(f->out, f->decimals, number);
    fputs("</text>", f->out);
}

static void put_log_ticks(const frame *f)
{
    const double span = f->axis->to - f->axis->from;
    const int step = span > 9 ? (int)ceil(span / 6) : 1;
    for (int p = (int)floor(f->axis->from); p <= (int)ceil(f->axis->to); p++) {
        if (p % step == 0) put_tick(f, p, pow(10, p), true);
        for (int k = 2; k <= 5 && span < 2.5 && !f->upright; k += 3)
            put_tick(f, p + log10(k), k * pow(10, p), p >= 0 && p < 5);
    }
}

static void put_plain_ticks(frame *f)
{
    const double span = f->axis->to - f->axis->from, rough = span / (f->upright ? (f->height > 150 ? 5 : 3) : 7);
    const double power = pow(10, floor(log10(rough)));
    const double step = (rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10) * power;
    const double most = fmax(fabs(f->axis->from), fabs(f->axis->to));
    f->decimals = most >= 1e5 || most < 1e-3 ? -1 : (int)fmax(0, -floor(log10(step) + 1e-9));
    const double first = ceil(f->axis->from / step);
    const int count = (int)(floor(f->axis->to / step) - first) + 1;
    for (int k = 0; k < count; k++) put_tick(f, (first + k) * step, (first + k) * step, true);
}

static void put_axis(frame *f)
{
    const int x = LEFT + f->width / 2, y = TOP + f->height / 2;
    if (f->axis->log) put_log_ticks(f);
    else put_plain_ticks(f);
    if (f->upright) fprintf(f->out, "<text class=\"title\" transform=\"translate(14,%d)rotate(-90)\">", y);
    else fprintf(f->out, "<text class=\"title\" x=\"%d\" y=\"%d\">", x, TOP + f->height + 35);
    steep_html_text(f->out, f->axis->label);
    fputs("</text>", f->out);
}

/* --- the panel --- */

static void put_range(FILE *out, const char *name, const steep_axis *axis)
{
    fprintf(out, " data-%s=\"%.9g,%.9g,%d,", name, axis->from, axis->to, axis->log);
    steep_html_text(out, axis->label);
    fputc('"', out);
}

void steep_panel_open(FILE *out, const steep_panel *p)
{
    frame f = {.out = out, .width = p->width - LEFT - RIGHT, .height = p->height - TOP - BOTTOM};
    fprintf(out, "<svg class=\"panel %s\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", p->kind, p->width,
            p->height);
    steep_html_text(out, p->name);
    fputc('"', out);
    put_range(out, "x", &p->x[0]);
    if (p->x[1].label) put_range(out, "x2", &p->x[1]);
    put_range(out, "y", &p->y);
    fputs(">\n<g class=\"frame\">", out);
    f.axis = &p->x[0];
    put_axis(&f);
    f.axis = &p->y;
    f.upright = true;
    put_axis(&f);
    fprintf(out,
            "</g>\n<svg class=\"view\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "preserveAspectRatio=\"none\">\n",
            LEFT, TOP, f.width, f.height, UNITS, UNITS);
}

void steep_panel_turn(FILE *out, const steep_panel *p)
{
    fprintf(out, "</svg>\n<svg class=\"marks\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">\n", LEFT, TOP,
            p->width - LEFT - RIGHT, p->height - TOP - BOTTOM);
}

void steep_panel_close(FILE *out)
{
    fputs("</svg>\n</svg>\n", out);
}

/* Units of the inner picture; false: the point has no place in it, or one too far away to be drawn. */
static bool place(const steep_panel *p, const steep_curve *c, size_t i, const double *y, long at[2])
{
    const double across = UNITS * steep_axis_place(&p->x[c->against], c->x[i]);
    const double down = UNITS * (1 - steep_axis_place(&p->y, y[i]));
    if (!(fabs(across) < FAR) || !isfinite(down)) return false;
    at[0] = lround(across);
    at[1] = lround(fmax(-FAR, fmin(FAR, down)));
    return true;
}

static void begin_path(FILE *out, const steep_curve *c)
{
    fprintf(out, "<path class=\"%s%s\" d=\"", c->kind, c->against ? " x2" : "");
}

void steep_panel_line(FILE *out, const steep_panel *panel, const steep_curve *c)
{
    bool on = false;
    long at[2];
    begin_path(out, c);
    for (size_t i = 0; i < c->count; i++) {
        const bool there = place(panel, c, i, c->y, at);
        if (there) fprintf(out, "%s%ld,%ld", on ? " " : "M", at[0], at[1]);
        on = there;
    }
    fputs("\"/>\n", out);
}

void steep_panel_points(FILE *out, const steep_panel *panel, const steep_curve *c)
{
    long at[2];
    begin_path(out, c);
    for (size_t i = 0; i < c->count; i++)
        if (place(panel, c, i, c->y, at)) fprintf(out, "M%ld,%ldh0", at[0], at[1]);
    fputs("\"/>\n", out);
}

void steep_panel_marks(FILE *out, const steep_panel *panel, const steep_curve *c, unsigned mark)
{
    enum { EDGE = UNITS / 80 };
    long at[2];
    bool any = false;
    for (size_t i = 0; i < c->count; i++) {
        if (!place(panel, c, i, c->y, at)) continue;
        if (!any) fprintf(out, "<g class=\"%s%s\">", c->kind, c->against ? " x2" : "");
        const long down = at[1] < 0 ? EDGE : at[1] > UNITS ? UNITS - EDGE : at[1];
        fprintf(out, "<use href=\"#m%u\" x=\"%.6g%%\" y=\"%.6g%%\"/>", mark, 100.0 * (double)at[0] / UNITS,
                100.0 * (double)down / UNITS);
        any = true;
    }
    if (any) fputs("</g>\n", out);
}

void steep_panel_area(FILE *out, const steep_panel *panel, const steep_curve *c, const double *other)
{
    long at[2];
    begin_path(out, c);
    for (size_t from = 0, to; from < c->count; from = to + 1) {
        for (to = from; to < c->count && place(panel, c, to, c->y, at) && place(panel, c, to, other, at);) to++;
        if (to == from) continue;
        for (size_t i = from; i < to; i++)
            if (place(panel, c, i, c->y, at)) fprintf(out, "%s%ld,%ld", i == from ? "M" : " ", at[0], at[1]);
        for (size_t i = to; i-- > from;)
            if (place(panel, c, i, other, at)) fprintf(out, " %ld,%ld", at[0], at[1]);
        fputc('z', out);
    }
    fputs("\"/>\n", out);
}

void steep_panel_stems(FILE *out, const steep_panel *panel, const steep_curve *c, double part)
{
    begin_path(out, c);
    for (size_t i = 0; i < c->count; i++) {
        const double across = steep_axis_place(&panel->x[c->against], c->x[i]);
        if (fabs(across) < FAR) fprintf(out, "M%ld,%dv-%ld", lround(UNITS * across), UNITS, lround(UNITS * part));
    }
    fputs("\"/>\n", out);
}
