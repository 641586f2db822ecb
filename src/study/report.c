/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"

enum { WIDTH = STEEP_AGAINST_WIDTH, PARAMS = STEEP_AGAINST_PARAMS };
static const char *const against_name[] = {"width", "params"};

/* A row for a series against width or params, or for a learning curve against samples. remark NULL: there is none. */
typedef struct slope_row {
    const char *against, *method, *remark;
    const steep_slope *slope;
    double theory;
    bool curve;
} slope_row;

/* The number of training points of each fit, as in fits.csv; of Gauss points the number asked for, about the same. */
static size_t points_of(const steep_plan *plan, size_t target, size_t set)
{
    const steep_task task = {.target = (uint32_t)target, .set = (uint32_t)set};
    return steep_plan_own_points(plan, target) ? plan->set[set] : steep_plan_points(plan, &task);
}

static void put_slope(FILE *stream, const steep_plan *plan, const steep_series *s, const slope_row *row)
{
    const steep_method *method = &plan->method[s->at.method];
    const steep_slope *slope = row->slope;
    steep_table_put(stream, plan->variant[s->at.variant].label, ',');
    steep_table_put(stream, plan->target[s->at.target].name, ',');
    fprintf(stream, "%s,%s,%s,", steep_solver_names((size_t)method->solver), row->against, row->method);
    steep_table_put_numbers(stream, (const double[]){slope->slope, slope->low, slope->high, slope->first, slope->last},
                            5, ',');
    fprintf(stream, "%zu,", slope->points);
    steep_table_put_numbers(stream, (const double[]){slope->drift, row->theory}, 2, ',');
    fprintf(stream, "%s,", steep_start_names((size_t)method->start));
    steep_table_put_numbers(stream, (const double[]){slope->offset, slope->offset_low, slope->offset_high}, 3, ',');
    fprintf(stream, "%zu,", slope->apart);
    steep_table_put(stream, row->remark ? row->remark : "", ','); /* a remark may have a comma */
    if (!row->curve) fprintf(stream, "%zu", points_of(plan, s->at.target, s->at.set));
    fputc('\n', stream);
}

static void put_methods(FILE *stream, const steep_plan *plan, const steep_series *s, slope_row row)
{
    const steep_slope *slope = row.slope;
    for (size_t m = 0; m < STEEP_SLOPE_METHODS; m++) {
        row.method = steep_slope_method_names(m);
        row.slope = &slope[m];
        row.remark = m == STEEP_SLOPE_WINDOW ? steep_slope_remark(row.slope) : NULL;
        put_slope(stream, plan, s, &row);
    }
}

steep_status steep_report_slopes(const steep_series_list *list, const char *path, steep_error *error)
{
    FILE *file;
    steep_status status = steep_table_begin(path, &file, error);
    if (status != STEEP_OK) return status;
    fputs(STEEP_SLOPES_HEADER "\n", file);
    for (size_t i = 0; i < list->count; i++)
        for (size_t a = 0; a < STEEP_AGAINSTS; a++) {
            const steep_series *s = &list->series[i];
            slope_row row = {.against = against_name[a], .theory = s->theory, .slope = s->slope[a]};
            put_methods(file, list->plan, s, row);
            row.method = "seeds", row.slope = &s->seeds[a], row.remark = steep_slope_remark(row.slope);
            if (s->seeds[a].points > 0) put_slope(file, list->plan, s, &row);
        }
    for (size_t i = 0; i < list->curves; i++) {
        const steep_learning *curve = &list->curve[i];
        put_methods(file, list->plan, curve->series,
                    (slope_row){.against = "samples", .slope = curve->slope, .theory = curve->theory, .curve = true});
    }
    return steep_table_end(file, path, STEEP_OK, error);
}

/* Writes the solvers, or the starts, of the count series of one target, each once: "frozen, lm". */
static void put_names(FILE *stream, const steep_plan *plan, const steep_series *series, size_t count, bool starts)
{
    unsigned done = 0;
    for (size_t i = 0; i < count && series[i].at.target == series[0].at.target; i++) {
        const steep_method *method = &plan->method[series[i].at.method];
        size_t name = starts ? (size_t)method->start : (size_t)method->solver;
        if (done >> name & 1) continue;
        fprintf(stream, "%s%s", done ? ", " : "", starts ? steep_start_names(name) : steep_solver_names(name));
        done |= 1u << name;
    }
}

/* Writes the heading for the target of the first of count series. */
static void put_heading(FILE *stream, const steep_plan *plan, const steep_series *series, size_t count)
{
    static const char *const sampling[] = {"random", "equispaced", "Gauss-Legendre", "Sobol"};
    fprintf(stream, "%s: solver ", plan->target[series->at.target].name);
    put_names(stream, plan, series, count, false);
    fputs(", start ", stream);
    put_names(stream, plan, series, count, true);
    fprintf(stream, ", %zu width%s from %zu to %zu, ", plan->widths, plan->widths == 1 ? "" : "s", plan->width[0],
            plan->width[plan->widths - 1]);
    if (plan->sets > 1) fprintf(stream, "%zu to ", points_of(plan, series->at.target, 0));
    fprintf(stream, "%zu %s training points", points_of(plan, series->at.target, plan->sets - 1),
            plan->data ? "given" : sampling[plan->sampling]);
    if (plan->noise.deviation)
        fprintf(stream, " with %s noise of deviation %s", steep_noise_names(plan->noise.kind),
                steep_formula_text(plan->noise.deviation));
    if (plan->folds > 0) fprintf(stream, ", %zu folds", plan->folds);
    else if (plan->seeds > 1) fputs(", best of the seeds", stream);
}

static steep_status begin_target(steep_sheet *sheet, const steep_sheet_layout *layout, const steep_plan *plan,
                                 const steep_series *series, size_t count)
{
    steep_text heading;
    steep_status status = steep_text_open(&heading);
    if (status < 0) return status;
    put_heading(heading.stream, plan, series, count);
    status = steep_text_close(&heading);
    if (status < 0) return status;
    steep_sheet_begin(sheet, layout, heading.text);
    free(heading.text);
    return STEEP_OK;
}

const char *steep_report_remedy(const steep_plan *plan)
{
    if (plan->data) return "more points, or fewer units";
    if (plan->sampling != STEEP_RANDOM || plan->noise.deviation) return "more --samples";
    return plan->target[0].dim > 2 ? "more --samples, or --sampling sobol" : "more --samples, or --sampling grid";
}

/* Writes the remarks on a slope, with two blanks between them. */
static void write_remarks(const steep_plan *plan, const steep_series *s, char *text, size_t size)
{
    const size_t seeds = plan->seeds;
    const steep_slope *window = steep_series_remarked(s);
    const char *remark = steep_slope_remark(window);
    snprintf(text, size, "%s", remark ? remark : "");
    if (window->status == STEEP_STALLED && isfinite(window->slope))
        steep_text_add(text, size, " (%.3f at the largest)", window->slope + window->drift);
    if (window->apart > 0)
        steep_text_add(text, size, "%s%zu apart from the others, left out", *text ? "  " : "", window->apart);
    if (!isnan(window->offset)) {
        steep_text_add(text, size, "%sE = %.4g [%.4g, %.4g]", *text ? "  " : "", window->offset, window->offset_low,
                       window->offset_high);
        if (!isnan(window->held_out))
            steep_text_add(text, size, ", the last third of the sizes predicted to %.2g %%",
                           100 * expm1(window->held_out));
    }
    if (s->distinct < seeds && s->count > 0)
        steep_text_add(text, size, "%s%zu seeds, but %zu different fit%s of each width", *text ? "  " : "", seeds,
                       s->distinct, s->distinct == 1 ? "" : "s");
    if (s->singular > 0)
        steep_text_add(text, size,
                       "%sderivative %zu of the target is not square integrable: gates that stay where they "
                       "start reach a smaller order, which may show late",
                       *text ? "  " : "", s->singular);
    if (s->overfit > 0)
        steep_text_add(text, size, "%soverfits from width %zu on, left out (%s)", *text ? "  " : "", s->overfit,
                       steep_report_remedy(plan));
    if (s->single > 0)
        steep_text_add(text, size, "%sfloat32: %.1e at width %zu (use --penalty)", *text ? "  " : "", s->single,
                       s->single_width);
}

/* The least error of a series, its deviation over folds, its width and R^2, and the seconds of all fits. */
typedef struct least {
    double error, scatter, width, r2, seconds;
} least;

/* The mean square of y about its mean over a seed's test points; NaN: they are not from a file. */
static double variance(const steep_plan *plan, size_t seed)
{
    const steep_points *points = steep_plan_points_of(plan, seed);
    const steep_samples *test = points && points->test.count > 0 ? &points->test : NULL;
    double mean = 0, sum = 0;
    for (size_t k = 0; test && k < test->count; k++) mean += test->y[k] / (double)test->count;
    for (size_t k = 0; test && k < test->count; k++) sum += (test->y[k] - mean) * (test->y[k] - mean);
    return test && sum > 0 ? sum / (double)test->count : NAN;
}

/* The least error of the seeds at one width; with folds their mean, NaN unless all are there. first: row of seed 0. */
static least least_at(const steep_plan *plan, const steep_fit_row *first, const steep_series *s)
{
    least best = {NAN, NAN, NAN, NAN, 0}, sum = {0, 0, NAN, 0, 0};
    for (size_t k = 0; k < plan->seeds; k++) {
        const steep_fit_row *row = first + k * plan->widths;
        const double error = steep_fit_row_usable(row) ? steep_series_error(s, row) : NAN;
        const double r2 = 1 - error * error / variance(plan, k);
        if (row->present) sum.seconds += row->seconds;
        if (k > 0) sum.scatter += pow(error - sum.error / (double)k, 2) * (double)k / (double)(k + 1); /* Welford's */
        sum.error += error;
        sum.r2 += r2 / (double)plan->seeds;
        if (error < best.error || isnan(best.error)) best = (least){error, NAN, NAN, r2, 0};
    }
    best.seconds = sum.seconds;
    sum.error /= (double)plan->seeds;
    sum.scatter = sqrt(sum.scatter / ((double)plan->seeds - 1));
    return plan->folds > 0 ? sum : best;
}

static least least_of(const steep_plan *plan, const steep_fit_row *row, const steep_series *s)
{
    least out = {NAN, NAN, NAN, NAN, 0};
    const size_t first = steep_plan_first_task(plan, s->series);
    for (size_t w = 0; w < plan->widths; w++) {
        const least at = least_at(plan, &row[first + w], s);
        const double seconds = out.seconds + at.seconds;
        if (at.error < out.error || isnan(out.error))
            out = at, out.width = isnan(at.error) ? NAN : (double)plan->width[w];
        out.seconds = seconds;
    }
    return out;
}

/* The texts of a line; width: characters of the first column; r2: there is a column R^2. */
typedef struct line_texts {
    steep_label label;
    char remarks[800];
    int width;
    bool r2;
} line_texts;

/* Fills a line: columns for people, and the numbers they are made of for programs. */
static void line_of(const steep_series_list *list, const steep_series *s, const line_texts *t, steep_sheet_line *line)
{
    const steep_plan *plan = list->plan;
    const steep_slope *slope = steep_series_slope(s, STEEP_AGAINST_PARAMS);
    const steep_slope *window = &s->slope[PARAMS][STEEP_SLOPE_WINDOW], *said = steep_series_remarked(s);
    const steep_method *method = &plan->method[s->at.method];
    const size_t seeds = s->seeds[PARAMS].points;
    const least best = least_of(plan, list->row, s);
    const bool folds = plan->folds > 0, many = plan->seeds > 1 && !folds;
    const char *counted = plan->seeds == 1 ? "points" : folds ? "folds" : "seeds";
    const steep_sheet_part part[] = {
        steep_fact_text("target", plan->target[s->at.target].name),
        steep_fact_text("solver", steep_solver_names((size_t)method->solver)),
        steep_fact_text("start", steep_start_names((size_t)method->start)),
        steep_fact_text("arch", plan->variant[s->at.variant].label),
        steep_fact_count("samples", points_of(plan, s->at.target, s->at.set)),
        {{.title = "architecture", .width = -t->width}, steep_cell_text(t->label.text)},
        {{"slope", NULL, "slope", STEEP_SHEET_REAL, "%.3f", 2, 8}, steep_cell_real(slope->slope)},
        {{"low", "high", "interval", STEEP_SHEET_PAIR, "[%.3f, %.3f]", 2, -18},
         steep_cell_pair(slope->low, slope->high)},
        {{"theory", NULL, "theory", STEEP_SHEET_REAL, "%.4g", 2, 6}, steep_cell_real(s->theory)},
        {{"floor", NULL, "floor", STEEP_SHEET_REAL, "%.1e", 2, 8}, steep_cell_real(s->highest_floor)},
        steep_fact_count("points", seeds > 0 ? window->points : slope->points),
        {{NULL, NULL, counted, STEEP_SHEET_COUNT, NULL, 2, 6},
         steep_cell_count(plan->seeds > 1 ? s->distinct : slope->points)},
        {{"last_pair", NULL, "last pair", STEEP_SHEET_REAL, "%.3f", 2, 9},
         steep_cell_real(s->slope[PARAMS][STEEP_SLOPE_LAST_PAIR].slope)},
        {{"least_error", NULL, "least error", STEEP_SHEET_REAL, "%.2e", 2, 11}, steep_cell_real(best.error)},
        {{"scatter", NULL, folds ? "+-" : NULL, STEEP_SHEET_REAL, "%.1e", 2, 7}, steep_cell_real(best.scatter)},
        {{"at_width", NULL, "at n", STEEP_SHEET_COUNT, NULL, 2, 5}, steep_cell_real(best.width)},
        {{"r2", NULL, t->r2 ? "R^2" : NULL, STEEP_SHEET_REAL, "%.4f", 2, 7}, steep_cell_real(best.r2)},
        {{"seconds", NULL, "seconds", STEEP_SHEET_REAL, "%.3g", 2, 8}, steep_cell_real(best.seconds)},
        steep_fact_real("all", s->slope[PARAMS][STEEP_SLOPE_ALL].slope),
        steep_fact_real("against_n", steep_series_slope(s, STEEP_AGAINST_WIDTH)->slope),
        {{"best", NULL, many ? "best" : NULL, STEEP_SHEET_REAL, "%.3f", 2, 8}, steep_cell_real(window->slope)},
        {{"best_low", "best_high", many ? "its interval" : NULL, STEEP_SHEET_PAIR, "[%.3f, %.3f]", 2, -18},
         steep_cell_pair(window->low, window->high)},
        {{NULL, NULL, "", STEEP_SHEET_TEXT, NULL, 2, 0}, steep_cell_toned(t->remarks, STEEP_TONE_DOUBTFUL)},
        steep_fact_text("error_on", s->tested ? "test" : "training"),
        steep_fact_count("seeds", seeds),
        steep_fact_real("first", said->first),
        steep_fact_real("last", said->last),
        steep_fact_real("drift", said->drift),
        steep_fact_real("offset", said->offset),
        {{.key = "offset_low", .second = "offset_high", .kind = STEEP_SHEET_PAIR},
         steep_cell_pair(said->offset_low, said->offset_high)},
        steep_fact_real("held_out", said->held_out),
        steep_fact_count("apart", said->apart),
        steep_fact_count("overfit", s->overfit),
        steep_fact_text("remark", steep_slope_remark(said)),
    };
    steep_sheet_line_set(line, "slopes", part, sizeof part / sizeof *part);
}

/* A remark where the best width is at an end of the curve's: widths beyond it may be better, and change the curve. */
static const char *edge_of(const steep_learning *curve, double width)
{
    if (curve->narrowest == curve->widest) return "";
    return width == curve->widest                   ? "the widest: add wider --widths"
           : width == curve->narrowest && width > 1 ? "the narrowest: add smaller --widths"
                                                    : "";
}

/* Fills the line for the k-th number of points: best width, error, part of noise. The last line has the slope. */
static void line_of_curve(const steep_plan *plan, const steep_learning *curve, size_t k, const char *label,
                          steep_sheet_line *line)
{
    const steep_slope *slope = &curve->slope[STEEP_SLOPE_WINDOW];
    const steep_series_point *at = &curve->point[k];
    const bool last = k + 1 == curve->count;
    const steep_sheet_part part[] = {
        steep_fact_text("target", plan->target[curve->series->at.target].name),
        {{"series", NULL, "learning curve", STEEP_SHEET_TEXT, NULL, 0, -14}, steep_cell_text(label)},
        {{"samples", NULL, "points", STEEP_SHEET_COUNT, NULL, 2, 8}, steep_cell_real(at->samples)},
        {{"width", NULL, "best n", STEEP_SHEET_COUNT, NULL, 2, 6}, steep_cell_real(at->size[WIDTH])},
        {{"params", NULL, "params", STEEP_SHEET_COUNT, NULL, 2, 6}, steep_cell_real(at->size[PARAMS])},
        {{"error", NULL, "error", STEEP_SHEET_REAL, "%.3e", 2, 9}, steep_cell_real(at->error)},
        {{"noise", NULL, "of noise", STEEP_SHEET_REAL, "%.3e", 2, 9}, steep_cell_real(at->noise)},
        {{"flops", NULL, "flops", STEEP_SHEET_REAL, "%.2e", 2, 8}, steep_cell_real(at->flops)},
        {{"slope", NULL, "slope", STEEP_SHEET_REAL, "%.3f", 2, 7}, steep_cell_real(last ? slope->slope : NAN)},
        {{"low", "high", "interval", STEEP_SHEET_PAIR, "[%.3f, %.3f]", 2, -18},
         steep_cell_pair(last ? slope->low : NAN, last ? slope->high : NAN)},
        {{"theory", NULL, "theory", STEEP_SHEET_REAL, "%.4g", 2, 6}, steep_cell_real(last ? curve->theory : NAN)},
        {{"remark", NULL, "", STEEP_SHEET_TEXT, NULL, 2, 0},
         steep_cell_toned(edge_of(curve, at->size[WIDTH]), STEEP_TONE_DOUBTFUL)},
    };
    steep_sheet_line_set(line, "learning", part, sizeof part / sizeof *part);
}

static void put_curves(steep_sheet *sheet, const steep_series_list *list)
{
    steep_sheet_line line;
    if (list->curves == 0) return;
    for (size_t i = 0, last = SIZE_MAX; i < list->curves; i++) {
        const steep_series *s = list->curve[i].series;
        const steep_label label = steep_plan_label_bare(list->plan, s->series);
        for (size_t k = 0; k < list->curve[i].count; k++) {
            line_of_curve(list->plan, &list->curve[i], k, label.text, &line);
            if (s->at.target != last) steep_sheet_begin(sheet, &line.layout, list->plan->target[s->at.target].name);
            last = s->at.target;
            steep_sheet_row(sheet, line.cell);
        }
    }
    steep_sheet_note(sheet, "(the width of the least error at each number of training points, and the part of that "
                            "error that noise makes; slope: its order in points, with its 95 % interval; theory: "
                            "N^(-p/(2 p + 1)) of order p, with noise)");
}

steep_status steep_report_table(const steep_series_list *list, steep_sheet *sheet)
{
    const steep_plan *plan = list->plan;
    const steep_series *series = list->series;
    const bool folds = plan->folds > 0, seeds = plan->seeds > 1;
    bool tested = false;
    steep_sheet_line line;
    line_texts texts = {.width = (int)strlen("architecture"), .r2 = !isnan(variance(plan, 0))};
    for (size_t i = 0; i < list->count; i++) {
        const int width = (int)strlen(steep_plan_label(plan, series[i].series).text);
        if (width > texts.width) texts.width = width;
    }
    for (size_t i = 0; i < list->count; i++) {
        const bool begins = i == 0 || series[i].at.target != series[i - 1].at.target;
        texts.label = steep_plan_label(plan, series[i].series);
        write_remarks(plan, &series[i], texts.remarks, sizeof texts.remarks);
        line_of(list, &series[i], &texts, &line);
        if (begins && begin_target(sheet, &line.layout, plan, &series[i], list->count - i) < 0) return STEEP_NO_MEMORY;
        steep_sheet_row(sheet, line.cell);
        tested |= series[i].tested;
    }
    const char *over = folds ? ", over folds" : seeds ? ", of the medians over seeds" : "";
    const char *best = folds   ? "; least error: mean and deviation over folds"
                       : seeds ? "; best: of the best seed of each width"
                               : "";
    char note[400];
    snprintf(note, sizeof note,
             "(slope: the order of the %s error in parameters as they grow, with its 95 %% interval, given one of the "
             "laws averaged over%s; last pair: at the two largest widths%s%s)",
             tested ? "test" : "training", over, best, texts.r2 ? "; R^2: of the least error, on the test points" : "");
    if (list->count > 0) steep_sheet_note(sheet, note);
    put_curves(sheet, list);
    steep_sheet_end(sheet);
    return STEEP_OK;
}

#define OVERFIT 2 /* times the training error */

/* The test error, or where nothing was tested the training error; infinite for a fit that failed. */
static double error_of(const steep_fit_row *row)
{
    if (!steep_fit_row_usable(row)) return INFINITY;
    return isnan(row->rmse_test) ? row->rmse_train : row->rmse_test;
}

/* The fit of a series at a width with the least training error over seeds; plan->tasks: none. task: that of seed 0. */
static size_t best_seed(const steep_plan *plan, const steep_fit_row *row, size_t task)
{
    size_t best = plan->tasks;
    for (size_t s = 0; s < plan->seeds; s++) {
        const size_t at = task + s * plan->widths;
        if (!plan->task[at].wanted || !row[at].present) continue;
        if (best == plan->tasks || row[at].rmse_train < row[best].rmse_train || isnan(row[best].rmse_train)) best = at;
    }
    return best;
}

/* Sorts the tasks of a target within a budget by error, the widest task of each series; returns how many. */
static size_t rank(const steep_plan *plan, const steep_fit_row *row, size_t target, size_t budget, size_t *found)
{
    size_t count = 0;
    for (size_t first = 0; first < plan->tasks; first += plan->widths) {
        size_t best = plan->tasks;
        if (plan->task[first].target != target || plan->task[first].seed != 0) continue;
        for (size_t i = first + plan->widths; best == plan->tasks && i-- > first;)
            if (plan->task[i].parameters <= plan->budget[budget]) best = best_seed(plan, row, i);
        if (best == plan->tasks) continue;
        size_t at = count++;
        for (; at > 0 && error_of(&row[best]) < error_of(&row[found[at - 1]]); at--) found[at] = found[at - 1];
        found[at] = best;
    }
    return count;
}

/* Whether one solver fits an architecture from two starts. The fits of an architecture are neighbours in the plan. */
static bool several_starts(const steep_plan *plan)
{
    const steep_task *a = NULL;
    for (const steep_task *b = plan->task; b < plan->task + plan->tasks; b++) {
        if (!b->wanted) continue;
        if (a && a->variant == b->variant && a->target == b->target && a->method != b->method &&
            plan->method[a->method].solver == plan->method[b->method].solver)
            return true;
        a = b;
    }
    return false;
}

static void line_of_fit(const steep_plan *plan, const steep_fit_row *row, size_t budget, size_t index,
                        steep_sheet_line *line)
{
    const steep_task *task = &plan->task[index];
    const steep_method *method = &plan->method[task->method];
    const steep_fit_row *fit = &row[index];
    const double error = error_of(fit);
    /* A test error far above the training error: polynomials of high degree on equispaced points have that, too. */
    const bool overfits = steep_fit_row_usable(fit) && fit->rmse_test > OVERFIT * fit->rmse_train;
    const steep_sheet_part part[] = {
        steep_fact_text("target", plan->target[task->target].name),
        steep_fact_count("budget", plan->budget[budget]),
        {{"unit", NULL, "unit", STEEP_SHEET_TEXT, NULL, 0, -22}, steep_cell_text(plan->variant[task->variant].label)},
        {{"solver", NULL, "solver", STEEP_SHEET_TEXT, NULL, 1, -14},
         steep_cell_text(steep_solver_names((size_t)method->solver))},
        {{"start", NULL, several_starts(plan) ? "start" : NULL, STEEP_SHEET_TEXT, NULL, 1, -15},
         steep_cell_text(steep_start_names((size_t)method->start))},
        {{"samples", NULL, plan->sets > 1 ? "points" : NULL, STEEP_SHEET_COUNT, NULL, 1, 6},
         steep_cell_count(steep_plan_points(plan, task))},
        {{"seed", NULL, plan->seeds > 1 ? "seed" : NULL, STEEP_SHEET_COUNT, NULL, 1, 4},
         steep_cell_count(plan->seed[task->seed])},
        {{"width", NULL, "n", STEEP_SHEET_COUNT, NULL, 1, 4}, steep_cell_count(task->width)},
        {{"params", NULL, "P", STEEP_SHEET_COUNT, NULL, 1, 5}, steep_cell_count(task->parameters)},
        {{"error", NULL, "error", STEEP_SHEET_REAL, "%.2e", 2, 8}, steep_cell_real(isfinite(error) ? error : NAN)},
        {{"single", NULL, "float32", STEEP_SHEET_REAL, "%.1e", 2, 7}, steep_cell_real(fit->rmse_single)},
        {{"coefficient", NULL, "largest D", STEEP_SHEET_REAL, "%.0e", 2, 9}, steep_cell_real(fit->coefficient)},
        {{"hits", NULL, "hits", STEEP_SHEET_COUNT, NULL, 1, 4}, steep_cell_count(fit->hits)},
        {{"starts", NULL, "of", STEEP_SHEET_COUNT, NULL, 1, 3}, steep_cell_count(fit->starts)},
        {{"seconds", NULL, "seconds", STEEP_SHEET_REAL, "%.3g", 2, 8}, steep_cell_real(fit->seconds)},
        {{"status", NULL, "status", STEEP_SHEET_TEXT, NULL, 2, -14}, steep_cell_status(fit->status)},
        steep_fact_real("training", fit->rmse_train),
        {{"remark", NULL, "", STEEP_SHEET_TEXT, NULL, 2, 0},
         steep_cell_toned(!overfits    ? ""
                          : plan->data ? "overfits: more points"
                                       : "overfits: more --samples",
                          STEEP_TONE_DOUBTFUL)},
    };
    steep_sheet_line_set(line, "contest", part, sizeof part / sizeof *part);
}

steep_status steep_report_contest(const steep_series_list *list, steep_sheet *sheet)
{
    const steep_plan *plan = list->plan;
    steep_sheet_line line;
    size_t *found = malloc((plan->tasks + 1) * sizeof *found);
    if (!found) return STEEP_NO_MEMORY;
    for (size_t t = 0; t < plan->targets; t++)
        for (size_t b = 0; b < plan->budgets; b++) {
            char title[300];
            const size_t count = rank(plan, list->row, t, b, found);
            snprintf(title, sizeof title, "%.200s: at most %zu parameters, penalty %g", plan->target[t].name,
                     plan->budget[b], plan->fit.penalty);
            for (size_t i = 0; i < count; i++) {
                line_of_fit(plan, list->row, b, found[i], &line);
                if (i == 0) steep_sheet_begin(sheet, &line.layout, title);
                steep_sheet_row(sheet, line.cell);
            }
        }
    steep_sheet_note(sheet, "(error: test error, where there are test points, else training error; float32: the same "
                            "network in single precision; hits: starts that found the best within 1 %)");
    steep_sheet_end(sheet);
    free(found);
    return STEEP_OK;
}
