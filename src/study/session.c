/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/session.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_rows.h"
#include "record/save.h"
#include "study/sweep.h"

void steep_session_begin(steep_session *s)
{
    if (s->stored.theta) steep_stored_free(&s->stored);
    json_decref(s->record);
    s->record = NULL;
}

void steep_session_free(steep_session *session)
{
    if (!session) return;
    steep_session_begin(session);
    for (size_t i = 1; i <= session->options; i++) free(session->word[i]);
    free(session->word);
    free(session);
}

steep_session *steep_session_new(const char *const *option, steep_proceed proceed, void *context)
{
    size_t count = 0;
    while (option && option[2 * count]) count++;
    steep_session *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->proceed = proceed, s->context = context;
    s->word = calloc(count + 1, sizeof *s->word);
    bool kept = s->word;
    for (size_t i = 0; kept && i < count; i++) {
        const char *name = option[2 * i], *text = option[2 * i + 1];
        const size_t size = strlen(name) + strlen(text) + 4;
        char *word = s->word[++s->options] = malloc(size);
        if (word) snprintf(word, size, "--%s=%s", name, text);
        kept = word;
    }
    if (kept) return s;
    steep_session_free(s);
    return NULL;
}

static bool proceed(void *context, const steep_progress *progress)
{
    const steep_session *s = context;
    return s->proceed(s->context, progress->stage, progress->iteration, progress->rmse, progress->seconds);
}

steep_monitor steep_session_monitor(steep_session *session)
{
    return session->proceed ? (steep_monitor){proceed, session} : (steep_monitor){NULL, NULL};
}

steep_status steep_session_options(const steep_session *session, const steep_option_group *group, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 1; status == STEEP_OK && i <= session->options; i++) {
        const char *word = session->word[i] + strlen("--");
        status = steep_options_set(group, word, strchr(word, '=') + 1, error);
    }
    return status;
}

/* STEEP_BAD_INPUT: a coordinate of point k, or its value, is not finite. */
static steep_status check_point(const steep_samples *from, size_t k, steep_error *error)
{
    for (size_t j = 0; j <= from->dim; j++) {
        const double value = j < from->dim ? from->x[j * from->count + k] : from->y[k];
        if (!isfinite(value))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s of point %zu is %g: give finite numbers, or leave such points out (missing drop)",
                              j < from->dim ? "x" : "y", k, value);
    }
    return STEEP_OK;
}

/* Copies the finite points; drop: leaves out others, else refuses them. The caller frees to, whatever is returned. */
static steep_status take_points(const steep_samples *from, bool drop, steep_samples *to, steep_error *error)
{
    const size_t all = from->count;
    size_t count = 0;
    steep_status status = steep_samples_allocate(all, from->dim, false, to, error);
    if (status != STEEP_OK) return status;
    for (size_t k = 0; k < all; k++) {
        status = check_point(from, k, drop ? NULL : error);
        if (status != STEEP_OK && !drop) return status;
        if (status != STEEP_OK) continue;
        for (size_t j = 0; j < from->dim; j++) to->x[j * all + count] = from->x[j * all + k];
        to->y[count++] = from->y[k];
    }
    if (count == 0) return steep_fail(error, STEEP_BAD_INPUT, "the points: none has finite numbers alone");
    for (size_t j = 1; j < from->dim; j++) memmove(to->x + j * count, to->x + j * all, count * sizeof *to->x);
    to->count = count;
    return STEEP_OK;
}

typedef struct one_fit {
    steep_samples points; /* where points are given as arrays */
    steep_plan plan;
    steep_task_samples samples;
    steep_task_open open;
    steep_fit_result result;
} one_fit;

/* Runs the fit; the session then has the record of the fit and its network. */
static steep_status run_fit(steep_session *s, one_fit *f, steep_error *error)
{
    f->open.options.monitor = steep_session_monitor(s);
    const steep_status status = steep_fit(&f->open.problem, &f->open.options, &f->result, error);
    if (status < 0) return status;
    steep_task_rescale(&f->plan, &f->plan.task[0], &f->result, NULL);
    const steep_saved saved = {
        .plan = &f->plan, .task = &f->plan.task[0], .network = &f->open.network, .result = &f->result};
    s->record = steep_save_record(&saved);
    if (!s->record) return steep_fail(error, STEEP_NO_MEMORY, "no memory to keep the network");
    const steep_status kept = steep_stored_of("the network", s->record, NULL, 0, &s->stored, error);
    return kept == STEEP_OK ? status : kept;
}

const char *steep_session_untested(const steep_plan *plan)
{
    if (!plan->points || plan->points->test.count > 0) return "";
    return "no test points: --holdout 0.2 shows the error on points that no fit has seen";
}

steep_status steep_session_check_one(const steep_plan *plan, steep_error *error)
{
    const struct {
        const char *of;
        size_t count;
    } list[] = {{"targets", plan->targets},         {"architectures", plan->variants},
                {"widths", plan->widths},           {"solvers or starts", plan->methods},
                {"numbers of samples", plan->sets}, {plan->folds > 0 ? "folds" : "seeds", plan->seeds}};
    char text[160] = "";
    if (plan->tasks == 1) return STEEP_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].count != 1)
            steep_text_add(text, sizeof text, "%s%zu %s", *text ? ", " : "", list[i].count, list[i].of);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "this makes one fit, and these options stand for %zu (%s): use one of each, or a sweep",
                      plan->tasks, text);
}

static steep_status check_fit(const steep_session *s, const one_fit *f, steep_error *error)
{
    char why[256];
    steep_status status = steep_plan_check_given(&f->plan, (int)s->options + 1, s->word, error);
    if (status == STEEP_OK) status = steep_session_check_one(&f->plan, error);
    if (status != STEEP_OK) return status;
    if (steep_memory_suffices(&f->plan, &f->plan.task[0], why, sizeof why)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "width %zu: %s", f->plan.task[0].width, why);
}

static steep_status plan_fit(const steep_session *s, const steep_samples *points, one_fit *f, steep_error *error)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS];
    steep_sweep_groups(&options, group);
    group[3].table = NULL; /* a session takes no options of runs */
    options.model.arch = NULL;
    steep_status status = steep_session_options(s, group, error);
    if (status == STEEP_OK && points)
        status = take_points(points, strcmp(options.problem.missing, "drop") == 0, &f->points, error);
    if (status != STEEP_OK) return status;
    if (points) options.problem.points = &f->points;
    if (!options.model.arch && !options.model.unit) options.model.arch = "gqu";
    if (!options.model.widths && !options.model.params) options.model.widths = "20";
    if (!points && !options.problem.target && !options.problem.data)
        return steep_fail(error, STEEP_BAD_INPUT, "nothing to fit: give points, or --target or --data");
    return steep_plan_init(&options.problem, &options.model, &options.solver, &f->plan, error);
}

steep_status steep_session_fit(steep_session *session, size_t count, size_t dim, const double *x, const double *y,
                               steep_error *error)
{
    const steep_samples points = {.count = count, .dim = dim, .x = (double *)x, .y = (double *)y};
    one_fit f = {.result = {.theta = NULL}};
    steep_session_begin(session);
    if (x && (count < 1 || dim < 1 || !y || count > SIZE_MAX / sizeof(double) / dim / 4))
        return steep_fail(error, STEEP_BAD_INPUT, "%zu points in %zuD: give one point at least, with its value", count,
                          dim);
    steep_status status = plan_fit(session, x ? &points : NULL, &f, error);
    if (status == STEEP_OK) status = check_fit(session, &f, error);
    if (status == STEEP_OK) status = steep_task_samples_init(&f.plan, NULL, &f.samples, error);
    if (status == STEEP_OK) status = steep_task_open_init(&f.samples, &f.plan.task[0], &f.open, error);
    if (status == STEEP_OK) status = run_fit(session, &f, error);
    steep_fit_result_free(&f.result);
    steep_task_open_free(&f.open);
    steep_task_samples_free(&f.samples);
    steep_plan_free(&f.plan);
    steep_samples_free(&f.points);
    return status;
}

steep_status steep_session_load(steep_session *session, const char *path, const steep_architecture *const *extra,
                                size_t extra_count, steep_error *error)
{
    steep_session_begin(session);
    steep_status status = steep_stored_record(path, &session->record, error);
    if (status == STEEP_OK)
        status = steep_stored_of(path, session->record, extra, extra_count, &session->stored, error);
    if (status != STEEP_OK) steep_session_begin(session);
    return status;
}

steep_status steep_session_save(const steep_session *session, const char *path, steep_error *error)
{
    if (session->stored.theta) return steep_stored_write(path, json_incref(session->record), error);
    return steep_fail(error, STEEP_BAD_INPUT, "%s: there is no network to save: fit or load one", path);
}

steep_status steep_session_values(const steep_session *session, size_t count, const double *x, double *y,
                                  double *gradient)
{
    return session->stored.theta ? steep_stored_values(&session->stored, count, x, y, gradient) : STEEP_BAD_INPUT;
}

#define AT(field) offsetof(steep_slope_chosen, field)

const steep_option steep_slope_option_table[] = {
    FLAG("computed", slope.computed, "the errors have no scatter (default: the points say whether they have)", FREE),
    FLAG("smooth", slope.smooth, "they are of networks without kinks: may fall faster than any power", FREE),
    REAL("scatter", slope.scatter, "0", 0, 10,
         "relative scatter of the errors, at the least: of errors on the same N random points about 1/sqrt(N)", FREE),
    REAL("level", slope.level, "0.95", 0.5, 0.9999, "confidence of the interval", FREE),
    REAL("floor-factor", slope.floor_factor, "30", 1, 1e6, "points nearer to the floor than this are left out", FREE),
    REAL("drift", slope.drift, "0.1", 1e-6, 10,
         "still bending: the order is farther from the slope at the largest sizes", FREE),
    SIZE("minimum-points", slope.minimum_points, "5", 5, 1e6, "needed for an interval", FREE),
    REAL("minimum-span", slope.minimum_span, "4", 1, 1e6, "ratio of sizes over which the last law holds at least",
         FREE),
    CHOICE("law", law, "power", steep_slope_law_names,
           "of the window: A size^s in the end, or with an offset, E + A size^s", FREE),
    {.name = NULL},
};

static steep_status check_series(const steep_slope_points *series, steep_error *message)
{
    if (series->count < 1) return steep_fail(message, STEEP_BAD_INPUT, "0 points: give some sizes and errors");
    for (size_t i = 0; i < series->count; i++) {
        const double size = series->size[i], error = series->error[i];
        if (!(size > 0 && error > 0) || isinf(size) || isinf(error))
            return steep_fail(message, STEEP_BAD_INPUT, "point %zu has size %g and error %g: both are above 0", i, size,
                              error);
    }
    return STEEP_OK;
}

steep_status steep_session_put(steep_session *session, const steep_stored_number *number, size_t count,
                               steep_error *error)
{
    json_t *result = json_object_get(session->record, "result");
    for (const steep_stored_number *n = number; n < number + count; n++)
        if (json_object_set_new(result, n->name, isfinite(n->value) ? json_real(n->value) : json_null()) != 0)
            return steep_fail(error, STEEP_NO_MEMORY, "no memory for the results");
    return STEEP_OK;
}

steep_status steep_session_record(steep_session *session, steep_status status, const char *remark, steep_error *error)
{
    session->record = json_pack("{s:{s:s, s:s}}", "result", "status", steep_status_name(status), "remark", remark);
    return session->record ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the results");
}

static steep_status take_slope(steep_session *s, const steep_slope *slope, steep_error *error)
{
    const steep_stored_number number[] = {{"slope", slope->slope},
                                          {"low", slope->low},
                                          {"high", slope->high},
                                          {"intercept", slope->intercept},
                                          {"first", slope->first},
                                          {"last", slope->last},
                                          {"points", (double)slope->points},
                                          {"dropped", (double)slope->dropped},
                                          {"apart", (double)slope->apart},
                                          {"drift", slope->drift},
                                          {"floor", slope->floor},
                                          {"offset", slope->offset},
                                          {"offset_low", slope->offset_low},
                                          {"offset_high", slope->offset_high},
                                          {"held_out", slope->held_out}};
    const char *remark = steep_slope_remark(slope);
    const steep_status status = steep_session_record(s, slope->status, remark ? remark : "", error);
    return status == STEEP_OK ? steep_session_put(s, number, sizeof number / sizeof *number, error) : status;
}

steep_status steep_session_slope(steep_session *session, size_t count, const double *size, const double *error,
                                 const double *floor, steep_error *message)
{
    const steep_slope_points series = {count, size, error, floor};
    steep_slope_chosen chosen = {.law = NULL}; /* some of its fields have no option */
    steep_slope slope;
    steep_session_begin(session);
    steep_options_default(steep_slope_option_table, &chosen);
    steep_status status = steep_session_options(session, STEEP_ONE_GROUP(steep_slope_option_table, &chosen), message);
    if (status == STEEP_OK) status = check_series(&series, message);
    if (status != STEEP_OK) return status;
    chosen.slope.law = steep_slope_law_find(chosen.law);
    status = steep_slope_measure(STEEP_SLOPE_WINDOW, &series, &chosen.slope, &slope, message);
    if (status < 0) return status;
    const steep_status kept = take_slope(session, &slope, message);
    return kept == STEEP_OK ? status : kept;
}

/* Finds a value by its name: in the result, else beside it. */
static const json_t *find(const steep_session *s, const char *name)
{
    const json_t *value = json_object_get(json_object_get(s->record, "result"), name);
    return value ? value : json_object_get(s->record, name);
}

double steep_session_number(const steep_session *session, const char *name)
{
    const json_t *value = find(session, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *steep_session_text(const steep_session *session, const char *name)
{
    return json_string_value(find(session, name));
}
