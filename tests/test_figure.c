/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: the slopes of a sweep. */
#include "pictures.h"

/* Script and pictures have the series, slopes and theory of a run; gnuplot alone, in the folder, draws the same SVG. */
START_TEST(slopes_are_drawn)
{
    write_run("runge3");
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, NULL, NULL), STEEP_OK);
    const char *script = get("slopes.gp");
    HAS(script, "'mlp' . '  −2.00 ± 0.01'", "'mlp' . '  $-$2.00 $\\pm$ 0.01'",
        "'glu:gelu' . '  −3.14'" /* no interval */, "order[2] = [2, 0]" /* theory names none */);
    ck_assert(!contains(script, "gqu")); /* a series without an error is left out */
    ck_assert(length("slopes.png") > 10000 && length("slopes.pdf") > 5000);
    check_texts("slopes.svg");
    const char *svg = get("slopes.svg");
    HAS(svg, "</svg>", "mlp  −2.00 ± 0.01", ">runge3<", "slope of theory");
    ck_assert(!contains(svg, "quartiles") && !contains(svg, "no network below"));
    unlink(inside("slopes.svg"));
    ck_assert(chdir(folder) == 0 && system("gnuplot slopes.gp") == 0 && chdir("/") == 0);
    ck_assert_str_eq(svg, get("slopes.svg"));
}

/* The triangle of each order is along theory's line: 3 n^-2 for mlp, 0.5 n^-3 for glu. */
static void check_triangles(const char *script)
{
    static const char *const names[] = {"tip_x", "foot_x", "tip_y", "foot_y", "side"};
    double from[2][2], to[2][2], at[5][4];
    for (int i = 0; i < 5; i++) ck_assert_uint_eq(numbers(script, names[i], at[i], 4), 4);
    numbers(script, "x_from", from[0], 2), numbers(script, "x_to", to[0], 2);
    numbers(script, "y_from", from[1], 2), numbers(script, "y_to", to[1], 2);
    const double wide = log(to[0][0] / from[0][0]), tall = log(to[1][0] / from[1][0]), *side = at[4];
    ck_assert(side[0] != 0 && side[1] != 0 && side[3] == 0); /* glu: no line against parameters */
    for (int i = 0; i < 2; i++) {
        const double order = 2 + i, x = from[0][0] * exp(at[0][i] * wide), y = from[1][0] * exp(at[2][i] * tall);
        check_close((at[3][i] - at[2][i]) * tall / ((at[1][i] - at[0][i]) * wide), -order, 1e-6);
        check_close(log(y / ((i ? 0.5 : 3) * pow(x, -order))) / tall, 0.035 * side[i], 1e-6);
    }
}

/* The legend is complete at every width (gnuplot drops entries without room: wide columns need another row). */
START_TEST(theory_and_the_legend_are_all_there)
{
    static const double widths[] = {0, 8.5, 12, 20};
    for (int seeds = 1; seeds <= 5; seeds += 4) {
        put_series("");
        for (int order = 2; order <= 3; order++)
            for (int n = 8; n <= 64; n *= 2) {
                row r = law("\"min(x,0.5)\"", order, n);
                r.theory = -order;
                r.law[0] = (order == 2 ? 3 : 1) * r.error;
                r.floor = 0.5 * r.error;
                if (order == 2) r.predicted = 3 * r.error, r.lower = seeds > 1 ? 0.1 * r.error : NAN;
                r.overfit = order == 3 && n == 64;
                r.seeds = seeds;
                put_row(r);
            }
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            const char *script = draw(&(steep_figure_options){.width = widths[w]}), *svg = get("slopes.svg");
            HAS(svg, "<text>theory<", "<text>slope of theory<", "<text>overfits, left out<", "<text>rounding floor<");
            if (seeds > 1) HAS(svg, "<text>no network below<", "<text>quartiles of the seeds<");
            else check_triangles(script);
        }
    }
    put_series(""); /* a point makes no line, and numbers of six digits would not stand in full */
    row one = law("x", 2, 200000);
    one.theory = -2, one.law[0] = one.predicted = one.error, one.lower = one.floor = 0.5 * one.error;
    put_row(one);
    draw(&(steep_figure_options){.against = 'n'});
    for (const char *const *text = (const char *[]){"theory<", "no network below<", "floor<", ">200000<", NULL}; *text;
         text++)
        ck_assert_msg(!contains(get("slopes.svg"), *text), "%s", *text);
}

static const char *const filled[] = {"gpPt6'", "gpPt4'", "gpPt8'", "gpPt12'", "gpPt10'", "gpPt14'"};
static const char *const hollow_marks[] = {"gpPt5'", "gpPt3'", "gpPt7'", "gpPt11'", "gpPt9'", "gpPt13'"};
enum { MOST_SERIES = 15, MOST_WIDTHS = 8 };

/* A series as it was written, and what it must look like. */
typedef struct drawn {
    const char *arch, *solver;
    size_t widths, colour, mark, method;
    bool several; /* seeds */
    row row[MOST_WIDTHS];
} drawn;

/* The frame of a picture's panel, in its units, and the ends of its axes. */
typedef struct frame {
    double left, right, top, bottom, x_from, x_to, y_from, y_to;
} frame;

static frame find_frame(const char *script, const char *svg)
{
    frame f;
    double other[2];
    numbers(script, "x_from", &f.x_from, 1);
    numbers(script, "x_to", &f.x_to, 1);
    numbers(script, "y_from", &f.y_from, 1);
    numbers(script, "y_to", &f.y_to, 1);
    for (const char *at = svg; (at = strstr(at, "d='M")) != NULL; at++)
        if (sscanf(at, "d='M%lf,%lf L%lf,%lf L%lf,%lf M", &f.left, &f.top, &other[0], &f.bottom, &f.right, &other[1]) ==
                6 &&
            other[0] == f.left && other[1] == f.bottom)
            return f;
    ck_abort_msg("no frame");
}

static void place(const frame *f, double x, double y, double at[2])
{
    at[0] = f->left + (f->right - f->left) * log(x / f->x_from) / log(f->x_to / f->x_from);
    at[1] = f->bottom + (f->top - f->bottom) * log(y / f->y_from) / log(f->y_to / f->y_from);
}

static bool close_to(const double a[2], const double b[2])
{
    return fabs(a[0] - b[0]) < 0.05 && fabs(a[1] - b[1]) < 0.05;
}

/* True if a line of this colour and dash runs through these points alone, and through `least` of them or more. */
static bool is_line(const char *svg, const char *colour, const char *dash, double (*at)[2], size_t count, size_t least)
{
    char begin[120];
    snprintf(begin, sizeof begin, "<path stroke='%s'%s  d='", colour, dash);
    for (const char *line = svg; (line = strstr(line, begin)) != NULL; line++) {
        size_t points = 0, met = 0;
        for (const char *c = line + strlen(begin); *c != '/'; c++) {
            double p[2];
            if (sscanf(c, *c == 'M' ? "M%lf,%lf" : "L%lf,%lf", &p[0], &p[1]) != 2) continue;
            points++;
            for (size_t i = 0; i < count; i++) met += close_to(p, at[i]);
        }
        if (met == points && met >= least) return true;
    }
    return false;
}

/* The kinds of line that a series may have, and their dashes; a measured line has the dash of its method. */
enum { MEASURED, PREDICTED_LINE, LAW_LINE, BOUND, LINES };
#define DASH(lengths) " stroke-dasharray='" lengths "'"
static const char *const dashes[] = {"", DASH("6.5,4.5"), DASH("6.5,2.6,1.3,2.6"), DASH("1.0,2.5")};
static const char *const method_dashes[] = {"", DASH("10.5,3.5"), DASH("4.9,3.1")};

static double height_of(const row *r, int line)
{
    if (line == MEASURED) return r->overfit ? NAN : r->error;
    if (line == BOUND) return r->lower;
    if (line == PREDICTED_LINE) return r->predicted;
    return isnan(r->predicted) ? or_nan(r->law[0]) : NAN;
}

/* Requires the line through all its numbers, with neighbours joined. Returns false if there is nothing to join. */
static bool check_line(const char *svg, const frame *f, const drawn *d, int line)
{
    double at[MOST_WIDTHS][2];
    size_t count = 0, joined = 0;
    for (size_t i = 0; i < d->widths; i++) {
        const double height = height_of(&d->row[i], line);
        const bool before = i > 0 && !isnan(height_of(&d->row[i - 1], line));
        const bool after = i + 1 < d->widths && !isnan(height_of(&d->row[i + 1], line));
        if (isnan(height)) continue;
        place(f, d->row[i].width, height, at[count++]);
        joined += before || after;
    }
    const char *dash = line == MEASURED ? method_dashes[d->method] : dashes[line];
    ck_assert_msg(joined == 0 || is_line(svg, colours[d->colour], dash, at, count, joined), "no line %d of %s, %s",
                  line, d->arch, d->solver);
    return joined > 0;
}

/* Requires every mark at its numbers; a hollow mark beyond an edge stands at the edge. The key has one filled mark
 * more; there is no other mark of the shape and colour. */
static void check_marks(const char *svg, const frame *f, const drawn *d)
{
    for (int hollow = 0; hollow < 2; hollow++) {
        double mark[MOST_MARKS][2], at[2];
        const size_t marks = find_marks(svg, (hollow ? hollow_marks : filled)[d->mark], colours[d->colour], mark);
        size_t wanted = 0, found = 0;
        for (const row *r = d->row; r < d->row + d->widths; r++) {
            if (r->overfit != hollow || isnan(r->error)) continue;
            place(f, r->width, r->error, at);
            if (hollow) at[1] = fmax(f->top, fmin(f->bottom, at[1]));
            for (size_t m = 0; m < marks; m++) found += close_to(mark[m], at);
            ck_assert_msg(found == ++wanted, "no mark %zu of %s, %s at width %d, %g", d->mark, d->arch, d->solver,
                          r->width, r->error);
        }
        ck_assert_uint_eq(marks, wanted + !hollow);
    }
}

/* Requires that no measured line within the panel runs through a row of the key: its text and its sample. */
static void check_keys(const char *svg, const frame *f, const drawn *d, size_t count)
{
    const double em = 13, steps = 100;
    for (size_t key = 0; key < count; key++) {
        char label[80];
        double x, y, left;
        snprintf(label, sizeof label, "\">%s, %s", d[key].arch, d[key].solver);
        const char *text = strstr(svg, label), *at = svg, *next;
        ck_assert_msg(text != NULL, "no key %s", label);
        while ((next = strstr(at + 1, "translate(")) != NULL && next < text) at = next;
        ck_assert_int_eq(sscanf(at, "translate(%lf,%lf)", &x, &y), 2);
        ck_assert(sscanf(strstr(text, "d='M"), "d='M%lf", &left) == 1 && left < x && left > x - 3 * em);
        const double right = x + 0.4 * em * (double)(strchr(text, '<') - text - 2);
        for (size_t i = 0; i < count; i++)
            for (size_t w = 1; w < d[i].widths && !d[i].row[w].overfit; w++)
                for (double k = 0; k <= steps && !isnan(d[i].row[w - 1].error + d[i].row[w].error); k++) {
                    double a[2], b[2];
                    place(f, d[i].row[w - 1].width, d[i].row[w - 1].error, a);
                    place(f, d[i].row[w].width, d[i].row[w].error, b);
                    const double p[2] = {a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps};
                    ck_assert_msg(p[0] < left || p[0] > right || p[1] < y - 0.75 * em || p[1] > y + 0.2 * em,
                                  "the line of %s, %s runs through the key of %s", d[i].arch, d[i].solver, label);
                }
    }
}

/* Requires that the axis holds the errors of widths that do not overfit, with their quartiles, and is wider by no more
 * than a factor and a part of their span. */
static void check_range(const frame *f, const drawn *d, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; w < d[i].widths; w++) {
            if (d[i].row[w].overfit || isnan(d[i].row[w].error)) continue;
            least = fmin(least, d[i].several ? d[i].row[w].low : d[i].row[w].error);
            most = fmax(most, d[i].several ? d[i].row[w].high : d[i].row[w].error);
        }
    const double room = 2.5 * pow(most / least, 0.06);
    ck_assert(f->y_to > most && f->y_to < room * most && f->y_from < least && f->y_from > least / room);
}

/* Draws a power law of random order, with theory's line, a predicted line or none; the last widths may overfit. It has
 * one seed, or several with quartiles, and then no usable fit at some widths. */
static void draw_series(steep_random *random, drawn *d)
{
    const size_t kind = chance_below(random, 3), overfit = chance_below(random, 3);
    const double order = -chance_within(random, 0.3, 4), theory = -1 - (double)chance_below(random, 4);
    const double scale = exp(chance_within(random, -2, 2)), beyond = exp(chance_within(random, 0, 9));
    d->widths = 4 + chance_below(random, MOST_WIDTHS - 3);
    d->several = chance_below(random, 2);
    for (size_t i = 0; i < d->widths; i++) {
        row *r = &d->row[i];
        const int n = 4 << i;
        *r = law("runge3", 3, n);
        r->series = d->arch, r->arch = d->arch, r->solver = d->solver;
        r->overfit = i + overfit >= d->widths;
        r->error = scale * pow(n, order) * exp(chance_within(random, -0.3, 0.3)) * (r->overfit ? beyond : 1);
        r->floor = 1e-4 * r->error;
        r->lower = chance_below(random, 4) ? 0.3 * r->error : NAN;
        r->theory = kind ? theory : 0;
        r->law[0] = kind ? 2 * scale * pow(n, theory) : 0;
        r->predicted = kind == 2 ? 3 * scale * pow(n, theory) : NAN;
        if (d->several) r->seeds = 5, r->low = 0.8 * r->error, r->high = 2 * r->error;
        if (d->several && i > 0 && i + 1 < d->widths && !r->overfit && chance_below(random, 6) == 0)
            r->seeds = 0, r->error = NAN;
    }
}

/* Draws the series. mlp, glu and gqu have their own colours; other looks follow the order of appearance. */
static size_t draw_all(steep_random *random, drawn *d)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "own", "la:gelu"};
    static const char *const solvers[] = {"lm", "frozen", "newton"};
    const size_t most = 1 + chance_below(random, 3), begin = chance_below(random, 5);
    size_t count = 0, methods = 0, others = 3, method_of[3] = {9, 9, 9}, colour_of[5] = {0, 1, 2, 9, 9};
    for (size_t k = 0; k < 5; k++)
        for (size_t m = 0; m < most; m++) {
            const size_t arch = (begin + k) % 5;
            if (count > 0 && chance_below(random, 3) == 0) continue;
            if (method_of[m] == 9) method_of[m] = methods++;
            if (colour_of[arch] == 9) colour_of[arch] = others++;
            d[count++] =
                (drawn){.arch = archs[arch], .solver = solvers[m], .colour = colour_of[arch], .method = method_of[m]};
        }
    for (size_t i = 0; i < count; i++) {
        d[i].mark = methods > 1 ? d[i].method : d[i].colour;
        draw_series(random, &d[i]);
    }
    return count;
}

/* Marks, keys and axis against the numbers in a picture of its own range; lines in a picture that holds them all. */
START_RANDOM_TEST(lines_lie_where_their_numbers_are, 2)
{
    const steep_figure_options own = {.against = 'n'}, all = {.against = 'n', .ylim = {1e-14, 1e6}};
    for (size_t c = 0; c < chance_cases(6); c++) {
        drawn d[MOST_SERIES];
        char label[MOST_SERIES][64];
        put_series("");
        const size_t count = draw_all(&random, d);
        for (size_t i = 0; i < count; i++) {
            snprintf(label[i], sizeof label[i], "\"%s, %s\"", d[i].arch, d[i].solver);
            for (size_t w = 0; w < d[i].widths; w++) d[i].row[w].series = label[i], put_row(d[i].row[w]);
        }
        const char *script = draw(&own), *svg = get("slopes.svg");
        frame f = find_frame(script, svg);
        double several[MOST_SERIES];
        ck_assert_uint_eq(numbers(script, "several", several, MOST_SERIES), count);
        for (size_t i = 0; i < count; i++) check_close(several[i], d[i].several, 0);
        check_range(&f, d, count);
        check_keys(svg, &f, d, count);
        for (size_t i = 0; i < count; i++) check_marks(svg, &f, &d[i]);
        script = draw(&all), svg = get("slopes.svg");
        f = find_frame(script, svg);
        for (int line = 0; line < LINES; line++) {
            size_t lines = 0;
            for (size_t i = 0; i < count; i++) lines += check_line(svg, &f, &d[i], line);
            if (line == PREDICTED_LINE || line == LAW_LINE) /* no others, but for the legend */
                ck_assert_uint_eq(count_of(svg, dashes[line]), lines + (lines > 0));
        }
    }
}

/* Each target has its heading, and no two texts overlap, at any width, with either panel or both. */
START_TEST(each_target_has_its_heading)
{
    static const char *const targets[] = {"cosine_well", "exp(-x)*cos(8*x)", "x^2"};
    write_run("cosine_well");
    for (int i = 1; i < 3; i++) put_laws(targets[i]);
    static const double widths[] = {0, 8.5, 12, 17};
    static const char against[] = {0, 'n', 'P'};
    steep_random random = chance_today(2);
    for (size_t k = 0, cases = chance_cases(4); k < cases; k++) {
        draw(&(steep_figure_options){.width = widths[k % 4], .against = against[chance_below(&random, 3)]});
        const char *svg = get("slopes.svg");
        ck_assert_uint_eq(count_of(svg, ">cosine_well<"), 1);
        ck_assert_uint_eq(count_of(svg, ">) cos(8\u2009<") + count_of(svg, ">)\u2009cos(8\u2009<"), 1);
    }
    draw(&(steep_figure_options){.title = "three of them"});
    ck_assert(contains(get("slopes.svg"), ">three of them<"));
}

/* A key stands inside only where every panel has a free corner. */
START_TEST(keys_stand_alike)
{
    write_run("runge3");
    ck_assert(contains(draw(NULL), "corner[2] = [1, 1]"));
    for (int n = 1; n <= 64; n *= 2) { /* up and down: a line through every corner */
        row r = law("x^2", 2, n);
        r.error = n % 3 == 1 ? 1 : 1e-4;
        put_row(r);
    }
    ck_assert(contains(draw(NULL), "corner[4] = [0, 0, 0, 0]"));
}

/* Of 21 targets the first 20 are drawn, against n and P; the title says so, unless another title is given. */
START_TEST(of_many_targets_the_first_are_drawn)
{
    put_series("");
    for (int i = 0; i < 21; i++)
        for (int n = 1; n <= 64; n *= 2) {
            char target[16];
            snprintf(target, sizeof target, "x^%d", i + 1);
            put_row(law(target, 2, n));
        }
    const char *script = draw(NULL);
    HAS(script, "title = 'the first 20 of 21 targets'", "array heading[40]");
    ck_assert(!contains(draw(&(steep_figure_options){.title = "own", .against = 'n'}), "the first 20"));
}

/* The keys of ten series with long labels stand below, in one column or more, and labels are cut where they must be. */
START_TEST(keys_of_many_series_stand_below)
{
    put_series("");
    for (int i = 0; i < 10; i++)
        for (int n = 1; n <= 64; n *= 2) {
            char label[64];
            row r = law("runge3", 2, n);
            snprintf(label, sizeof label, "unit_%d_%.*s", i, 3 * i, "with_a_long_name_that_goes_on_and_on");
            r.series = r.arch = label;
            r.error = r.error * pow(1.3, i);
            put_row(r);
        }
    static const double widths[] = {5, 0, 8.5, 17};
    for (int w = 0; w < 4; w++) {
        draw(&(steep_figure_options){.width = widths[w]});
        if (w > 0) ck_assert_uint_ge(count_of(get("slopes.svg"), ">unit_3_"), 2);
    }
    ck_assert(contains(get("slopes.gp"), "…"));
}

/* Series are chosen by label, also with a comma and a blank, or by architecture; an exact label goes first. */
START_TEST(series_are_chosen_by_label_or_architecture)
{
    put_series("");
    static const char *const labels[] = {"mlp", "mlp:tanh", "\"glu, lm\"", "\"glu, newton\"", "\"min(z1,z2)\""};
    static const char *const archs[] = {"mlp", "mlp", "glu", "glu", "own"};
    static const char *const solvers[] = {"frozen", "frozen", "lm", "newton", "lm"};
    for (int i = 0; i < 5; i++)
        for (int n = 1; n <= 4; n *= 2) {
            row r = law("runge3", 2, n);
            r.series = labels[i], r.arch = archs[i], r.solver = solvers[i];
            put_row(r);
        }
    static const struct {
        const char *arch, *shown; /* shown: one letter for each label above, m t l n o */
    } cases[] = {{NULL, "mtlno"},           {"mlp", "m"},        {"mlp:tanh", "t"},     {"glu", "ln"}, {"glu, lm", "l"},
                 {"glu, newton,mlp", "mn"}, {"min(z1,z2)", "o"}, {"own,mlp:tanh", "to"}};
    fake_gnuplot(SVG);
    static const char *const texts[] = {"'mlp'", "'mlp:tanh'", "'glu, lm'", "'glu, newton'", "'min(z1,z2)'"};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *script = draw_script(&(steep_figure_options){.arch = cases[c].arch, .against = 'n'});
        for (int i = 0; i < 5; i++)
            ck_assert_msg(contains(script, texts[i]) == (strchr(cases[c].shown, "mtlno"[i]) != NULL), "%s: %s",
                          cases[c].arch, texts[i]);
    }
    refused(&(steep_figure_options){.arch = "glu,gqu"}, STEEP_BAD_INPUT, "\"gqu\"", "series.csv");
    refused(&(steep_figure_options){.arch = ""}, STEEP_BAD_INPUT, "series", "arch");
}

START_TEST(wrong_options_are_refused)
{
    write_run("runge3");
    refused(&(steep_figure_options){.against = 'x'}, STEEP_BAD_INPUT, "\"x\"", "use n, P");
    static const double widths[] = {NAN, -1, 4.9, 101, INFINITY};
    for (int i = 0; i < 5; i++) refused(&(steep_figure_options){.width = widths[i]}, STEEP_BAD_INPUT, "width", "cm");
    static const double limits[][2] = {{0, 1}, {-1, 2}, {2, 1}, {1, 1}, {1, INFINITY}, {NAN, 1}, {1, NAN}};
    for (int i = 0; i < 7; i++) {
        refused(&(steep_figure_options){.xlim = {limits[i][0], limits[i][1]}}, STEEP_BAD_INPUT, "xlim", "positive");
        refused(&(steep_figure_options){.ylim = {limits[i][0], limits[i][1]}}, STEEP_BAD_INPUT, "ylim", "positive");
    }
    refused(&(steep_figure_options){.by = "width"}, STEEP_BAD_INPUT, "\"width\"", "solver, arch or start");
    static const char *const terminals[] = {"", "svg,", "gif", "svg pdf", "SVG", "svg,,pdf"};
    for (int i = 0; i < 6; i++)
        refused(&(steep_figure_options){.terminal = terminals[i]}, STEEP_BAD_INPUT, "terminal", "cairolatex");
    static const char *const names[] = {"", "a/b", "it's", ".hidden", "a b", "-x"};
    for (int i = 0; i < 6; i++) refused(&(steep_figure_options){.name = names[i]}, STEEP_BAD_INPUT, "name", names[i]);
    static const char *const titles[] = {"\377\n\001", "a\303", "\355\240\200", "\300\200", "caf\303\251 \351"};
    static const char *const bytes[] = {"byte 1 ", "byte 2 ", "byte 1 ", "byte 1 ", "byte 7 "};
    for (int i = 0; i < 5; i++)
        refused(&(steep_figure_options){.title = titles[i]}, STEEP_BAD_INPUT, bytes[i], "UTF-8");
    ck_assert_uint_eq(length("slopes.gp"), 0);
}

/* Commas, quotes, percent signs and braces in names and titles; all rows of a quoted name are drawn. */
START_TEST(odd_names_are_drawn_as_they_are)
{
#define MIN "\"min(x,0.5)\",\"min(x,0.5)\","
#define BY  ",mlp,lm,uniform,"
    static const char nasty[] = "Bob's 100 % \"test\" {x}_1^2 \\ @ & ~ $#\n<b>";
    put_series(MIN "it's % {a}_b" BY "2,7,0.2,0.2,0.2,1" NONE                             /* */
                   MIN "it's % {a}_b" BY "4,13,0.02,0.02,0.02,1" NONE                     /* */
                       MIN "\"say b, c\357\277\277\377\"" BY "4,13,0.03,0.03,0.03,1" NONE /* */
                   "x^2,x^2,it's % {a}_b" BY "4,13,0.02,0.02,0.02,1" NONE);
    const char *script = draw(&(steep_figure_options){.title = nasty, .terminal = "svg,tikz,pdf"}),
               *svg = get("slopes.svg");
    HAS(script, "'it' . \"'\" . 's % {a}_b'", "'say b, c\357\277\275\357\277\275'" /* U+FFFF, and no character */);
    HAS(svg, "Bob's 100 % \"test\" {x}_1^2 \\ @ &amp; ~ $# &lt;b>");
    ck_assert_uint_eq(count_of(svg, "' transform='translate("), 2 * (4 + 3)); /* points and those of the keys */
    HAS(get("slopes-tikz.tex"), "it's \\% \\{a\\}\\_b", "Bob's 100 \\% \"test\" \\{x\\}\\_1\\char`\\^{}2");
    /* A title longer than the picture is cut. */
    char long_title[400];
    memset(long_title, 'w', sizeof long_title - 1);
    long_title[sizeof long_title - 1] = 0;
    draw(&(steep_figure_options){.title = long_title, .width = 8.5});
    ck_assert(contains(get("slopes.svg"), "www…"));
}

/* A slope whose interval is wider than the slope is unknown; a narrow interval has three decimals. */
START_TEST(slopes_are_printed_with_their_intervals)
{
    static const struct {
        double slope[3];
        const char *text;
    } cases[] = {{{-2, -2.3, -1.8}, "−2.00 ± 0.30"},
                 {{-2, -2.1, -1.55}, "−2.00 ± 0.45"},
                 {{-2, -3, -1.01}, "−2.00 ± 1.00"},
                 {{-2, -3, -0.99}, "slope unknown"},
                 {{-0.4, -0.4, 0.1}, "slope unknown"},
                 {{-2, -2.0096, -1.9999}, "−2.00 ± 0.01"},
                 {{-2.0004, -2.0014, -1.9994}, "−2.000 ± 0.001"},
                 {{0.5, 0.5, 0.5}, "0.500 ± 0.001"}};
    fake_gnuplot(SVG);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int against = 0; against < 2; against++) {
            char text[64];
            row r = law("runge3", 2, 4);
            memcpy(r.slope[against], cases[c].slope, sizeof r.slope[against]);
            put_series("");
            put_row(r);
            snprintf(text, sizeof text, "key[1] = 'mlp' . '  %s'", cases[c].text);
            const char *script = draw_script(&(steep_figure_options){.against = "nP"[against]});
            text[4] = (char)('1' + against); /* texts against P stand behind those against n */
            ck_assert_msg(contains(script, text), "no %s", text);
        }
}

/* By solver, architecture or start, each member has panels with its own series. All panels have the same axes, and no
 * two texts overlap. */
START_TEST(panels_are_by_what_is_chosen)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "own"}, *const solvers[] = {"frozen", "lm", "newton"};
    static const char *const by[] = {"solver", "arch", "start", NULL};
    static const size_t groups[] = {3, 4, 1, 1};
    put_series("");
    for (size_t i = 0; i < 12; i++)
        for (int n = 4; n <= 64; n *= 2) {
            char label[40];
            row r = law("x^2", 2, n);
            snprintf(label, sizeof label, "\"%s, %s\"", archs[i / 3], solvers[i % 3]);
            r.arch = archs[i / 3], r.solver = solvers[i % 3], r.series = label;
            r.error = r.error * pow(1.7, (double)i);
            put_row(r);
        }
    for (size_t k = 0; k < 4; k++) {
        const bool both = k % 2 == 0;
        const char *script = draw(&(steep_figure_options){.by = by[k], .against = both ? 0 : 'n'});
        double from[8], to[8], low[8], high[8];
        const size_t panels = numbers(script, "from", from, 8);
        ck_assert_uint_eq(panels, groups[k] * (both ? 2 : 1));
        numbers(script, "to", to, 8);
        numbers(script, "y_from", low, 8);
        numbers(script, "y_to", high, 8);
        for (size_t q = 0; q < panels; q++) {
            check_close(to[q] - from[q] + 1, 12.0 / (double)groups[k], 0);
            ck_assert(low[q] == low[0] && high[q] == high[0]);
        }
        ck_assert_int_eq(contains(script, "' . ', ' . 'newton'"), k == 0);
        ck_assert_int_eq(contains(script, "' . ', ' . 'own'"), k == 1);
    }
}

START_TEST(limits_are_kept_and_theory_left_out)
{
    write_run("runge3");
    HAS(draw(&(steep_figure_options){.xlim = {2, 500}, .ylim = {1e-7, 3}, .no_theory = true}), "x_from[2] = [2, 2]",
        "x_to[2] = [500, 500]", "y_from[2] = [1e-07, 1e-07]", "y_to[2] = [3, 3]", "side[4] = [0, 0, 0, 0]",
        "order[2] = [0, 0]");
    ck_assert(!contains(get("slopes.svg"), "theory"));
    static const double ends[][2] = {
        {1e-300, 1e300}, {1e5, 1e6}, {1, 1.0000001}, {1e-320, 1}}; /* also where no point lies */
    for (int i = 0; i < 8; i++) {
        const double *e = ends[i / 2], none[2] = {0, 0}, *across = i % 2 ? e : none, *up = i % 2 ? none : e;
        draw(&(steep_figure_options){
            .xlim = {across[0], across[1]}, .ylim = {up[0], up[1]}, .against = "nP"[(i + i / 2) % 2]});
    }
}
