/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/save.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/hash.h"
#include "base/table.h"
#include "fit/curve.h"
#include "numerics/sort.h"
#include "slope/slope.h"

#define UNIT_NUMBERS 160000 /* units.csv has about so many numbers */

/* The network as it is after reading its file. */
static steep_stored stored_of(const steep_saved *saved)
{
    const steep_standard *standard = steep_plan_standard(saved->plan, saved->task);
    return (steep_stored){.network = *saved->network,
                          .theta = saved->result->theta,
                          .standard = standard ? *standard : (steep_standard){.y_scale = 1}};
}

/* The box of the target or of its points, in the units of the data. */
static void box_of(const steep_saved *saved, const double **low, const double **high)
{
    const steep_points *points = steep_plan_points_of(saved->plan, saved->task->seed);
    const steep_target *formula = saved->plan->target[saved->task->target].formula;
    *low = points ? points->train.low : formula->low;
    *high = points ? points->train.high : formula->high;
}

struct json_t *steep_save_record(const steep_saved *saved)
{
    const steep_fit_result *result = saved->result;
    const steep_points *points = steep_plan_points_of(saved->plan, saved->task->seed);
    enum { ERRORS = 7 };
    steep_stored_number number[ERRORS + STEEP_SAVED_NUMBERS] = {
        {"rmse_train", result->rmse_train},       {"rmse_test", result->rmse_test},
        {"max_error", result->max_error},         {"floor", result->floor},
        {"gradient_norm", result->gradient_norm}, {"coefficient", result->coefficient},
        {"rmse_single", result->rmse_single},
    };
    if (saved->numbers) memcpy(number + ERRORS, saved->number, saved->numbers * sizeof *number);
    steep_stored_facts facts = {
        .network = saved->network,
        .theta = result->theta,
        .standard = steep_plan_standard(saved->plan, saved->task),
        .x = points ? (const char *const *)points->x : NULL,
        .y = points ? points->y : NULL,
        .target = saved->plan->target[saved->task->target].name,
        .seed = result->seed,
        .status = steep_status_name(result->status),
        .reason = result->reason,
        .number = number,
        .numbers = ERRORS + saved->numbers,
    };
    box_of(saved, &facts.low, &facts.high);
    return steep_stored_describe(&facts);
}

static steep_status put_residuals(FILE *file, const steep_saved *saved, steep_error *error)
{
    const steep_samples *points = saved->points;
    const steep_stored stored = stored_of(saved);
    double *network = malloc(points->count * sizeof *network);
    steep_status status = STEEP_NO_MEMORY;
    if (network) status = steep_stored_values(&stored, points->count, points->x, network, NULL);
    if (points->dim == 1) fputs("x,", file);
    for (size_t j = 0; points->dim > 1 && j < points->dim; j++) fprintf(file, "x%zu,", j + 1);
    fputs("y,network,residual\n", file);
    for (size_t k = 0; status >= 0 && k < points->count; k++) {
        for (size_t j = 0; j < points->dim; j++) fprintf(file, "%.17g,", points->x[j * points->count + k]);
        fprintf(file, "%.17g,%.17g,%.17g\n", points->y[k], network[k], network[k] - points->y[k]);
    }
    free(network);
    return status < 0 ? steep_fail(error, status, "no memory for %zu residuals", points->count) : STEEP_OK;
}

static steep_status put_units(FILE *file, const steep_saved *saved, steep_error *error)
{
    const steep_network *network = saved->network;
    const steep_standard standard = stored_of(saved).standard;
    const double *output = saved->result->theta + network->output, *low, *high;
    size_t width = network->width, count = UNIT_NUMBERS / width;
    count = count < 101 ? 101 : count > 1001 ? 1001 : count;
    double *x, *scaled, *h; /* scaled: x as the network gets it */
    void *block = STEEP_BLOCK(STEEP_SHARE(x, count), STEEP_SHARE(scaled, count), STEEP_SHARE(h, count * width));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the units' curves");
    box_of(saved, &low, &high);
    for (size_t k = 0; k < count; k++) x[k] = low[0] + (high[0] - low[0]) * (double)k / (double)(count - 1);
    memcpy(scaled, x, count * sizeof *x);
    if (standard.dim > 0) steep_standard_x(&standard, count, x, scaled);
    const steep_status status = steep_network_units(network, saved->result->theta, count, scaled, h);
    fputc('x', file);
    for (size_t i = 0; i < width; i++) fprintf(file, ",unit%zu", i + 1);
    fputc('\n', file);
    for (size_t k = 0; k < count; k++) {
        fprintf(file, "%.9g", x[k]);
        for (size_t i = 0; i < width; i++) fprintf(file, ",%.9g", standard.y_scale * output[i] * h[k + i * count]);
        fputc('\n', file);
    }
    free(block);
    return status == STEEP_OK ? status : steep_fail(error, status, "no memory for the units' curves");
}

static steep_status put_gates(FILE *file, const steep_saved *saved, steep_error *error)
{
    const steep_network first = steep_network_layer(saved->network, 0), *network = &first;
    const steep_standard standard = stored_of(saved).standard;
    const double *low, *high;
    (void)error;
    box_of(saved, &low, &high);
    fputs("knot,sign\n", file);
    for (size_t i = 0; network->features[0] == 2 && i < network->width; i++) {
        const double *gate = saved->result->theta + steep_network_gate(network, i);
        double knot = -gate[1] / gate[0];
        if (standard.dim > 0) knot = standard.x_mean[0] + standard.x_scale[0] * knot;
        if (knot > low[0] && knot < high[0]) fprintf(file, "%.17g,%d\n", knot, gate[0] > 0 ? 1 : -1);
    }
    return STEEP_OK;
}

enum { SIDE = 121, POINTS = SIDE * SIDE };

/* Two coordinates run over the box, across and up. rest, to be freed: the box's centre, or medians of points. */
typedef struct plane {
    size_t dim, axis[2];
    const double *low, *high;
    double *rest;
} plane;

static steep_status plane_of(const steep_saved *saved, plane *p, steep_error *error)
{
    const steep_samples *points = saved->plan->points ? &saved->plan->points->train : NULL;
    const size_t count = points ? points->count : 0;
    *p = (plane){.dim = saved->network->dim, .axis = {saved->axis[0], saved->axis[1]}};
    box_of(saved, &p->low, &p->high);
    p->rest = malloc((p->dim + count) * sizeof *p->rest);
    if (!p->rest) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a surface");
    double *column = p->rest + p->dim;
    for (size_t j = 0; j < p->dim; j++) {
        p->rest[j] = p->low[j] + (p->high[j] - p->low[j]) / 2;
        if (count == 0) continue;
        memcpy(column, points->x + j * count, count * sizeof *column);
        steep_sort_numbers(column, count);
        p->rest[j] = steep_quantile(column, count, 0.5);
    }
    return STEEP_OK;
}

/* The points of the plane, column-major; the coordinate across runs fastest. */
static void lay_out(const plane *p, double *x)
{
    for (size_t j = 0; j < p->dim; j++)
        for (size_t k = 0; k < POINTS; k++) {
            const double part = (double)(j == p->axis[0] ? k % SIDE : k / SIDE);
            const bool runs = j == p->axis[0] || j == p->axis[1];
            x[j * POINTS + k] = runs ? p->low[j] + (p->high[j] - p->low[j]) * part / (SIDE - 1) : p->rest[j];
        }
}

static steep_status put_surface(FILE *file, const steep_saved *saved, steep_error *error)
{
    plane p;
    const steep_target *formula = saved->plan->target[saved->task->target].formula;
    const steep_stored stored = stored_of(saved);
    double *x, *network, *y;
    steep_status status = plane_of(saved, &p, error);
    if (status != STEEP_OK) return status;
    void *block = STEEP_BLOCK(STEEP_SHARE(x, p.dim * POINTS), STEEP_SHARE(network, POINTS), STEEP_SHARE(y, POINTS));
    if (block) {
        lay_out(&p, x);
        if (formula) steep_formula_values(formula->formula, POINTS, x, y);
        status = steep_stored_values(&stored, POINTS, x, network, NULL);
    } else status = STEEP_NO_MEMORY;
    fprintf(file, "x%zu,x%zu,network%s\n", p.axis[0] + 1, p.axis[1] + 1, formula ? ",target,residual" : "");
    for (size_t k = 0; status == STEEP_OK && k < POINTS; k++) {
        if (k > 0 && k % SIDE == 0) fputc('\n', file); /* gnuplot's mark between two lines of a surface */
        fprintf(file, "%.9g,%.9g,%.9g", x[p.axis[0] * POINTS + k], x[p.axis[1] * POINTS + k], network[k]);
        if (formula) fprintf(file, ",%.9g,%.9g", y[k], network[k] - y[k]);
        fputc('\n', file);
    }
    free(block);
    free(p.rest);
    return status == STEEP_OK ? status : steep_fail(error, status, "no memory for a surface");
}

/* Sets a: in the data's units, a gate's map on the plane is a[0] u + a[1] v + a[2], u and v from -1 to 1. */
static void on_plane(const plane *p, const steep_standard *standard, const double *gate, double a[3])
{
    a[0] = a[1] = 0;
    a[2] = gate[p->dim];
    for (size_t j = 0; j < p->dim; j++) {
        const double mean = standard ? standard->x_mean[j] : 0, scale = standard ? standard->x_scale[j] : 1;
        const double half = (p->high[j] - p->low[j]) / 2;
        const bool across = j == p->axis[0], up = j == p->axis[1];
        a[2] += gate[j] * ((across || up ? p->low[j] + half : p->rest[j]) - mean) / scale;
        if (across) a[0] = gate[j] * half / scale;
        else if (up) a[1] = gate[j] * half / scale;
    }
}

/* The part of the line a = 0 within the square, from end[0], end[1] to end[2], end[3]; false: there is none. */
static bool clip(const double a[3], double end[4])
{
    const double size = hypot(a[0], a[1]);
    if (!(size > 0) || !isfinite(size)) return false;
    const double normal[] = {a[0] / size, a[1] / size}, along[] = {-normal[1], normal[0]};
    double first = -4, last = 4; /* on the line, from its point nearest to the centre; the diagonal is 2 sqrt 2 */
    for (size_t j = 0; j < 2; j++) {
        const double foot = -a[2] / size * normal[j], to[] = {(-1 - foot) / along[j], (1 - foot) / along[j]};
        if (along[j] == 0) {
            if (fabs(foot) > 1) return false;
            continue;
        }
        first = fmax(first, fmin(to[0], to[1]));
        last = fmin(last, fmax(to[0], to[1]));
    }
    for (size_t j = 0; j < 4; j++) end[j] = -a[2] / size * normal[j % 2] + (j < 2 ? first : last) * along[j % 2];
    return first < last;
}

static steep_status put_lines(FILE *file, const steep_saved *saved, steep_error *error)
{
    plane p;
    const steep_network first = steep_network_layer(saved->network, 0), *network = &first;
    const steep_standard *standard = steep_plan_standard(saved->plan, saved->task);
    const steep_status status = plane_of(saved, &p, error);
    if (status != STEEP_OK) return status;
    fputs("unit,from1,from2,to1,to2\n", file);
    for (size_t i = 0; network->features[0] == p.dim + 1 && i < network->width; i++) {
        double a[3], end[4];
        on_plane(&p, standard, saved->result->theta + steep_network_gate(network, i), a);
        if (!clip(a, end)) continue;
        fprintf(file, "%zu", i + 1);
        for (size_t j = 0; j < 4; j++) {
            const size_t axis = p.axis[j % 2];
            fprintf(file, ",%.9g", p.low[axis] + (p.high[axis] - p.low[axis]) * (1 + end[j]) / 2);
        }
        fputc('\n', file);
    }
    free(p.rest);
    return STEEP_OK;
}

steep_status steep_save_files(const steep_saved *saved, const char *folder, steep_error *error)
{
    const bool line = saved->network->dim == 1;
    const struct {
        const char *name;
        steep_status (*put)(FILE *file, const steep_saved *saved, steep_error *error);
    } table[] = {{"residuals.csv", put_residuals},
                 {line ? "units.csv" : "surface.csv", line ? put_units : put_surface},
                 {"gates.csv", line ? put_gates : put_lines}};
    const steep_path parameters = steep_path_in(folder, "parameters.json");
    steep_status status = steep_stored_write(parameters.text, steep_save_record(saved), error);
    for (size_t i = 0; status == STEEP_OK && i < sizeof table / sizeof *table; i++) {
        const steep_path path = steep_path_in(folder, table[i].name);
        FILE *file;
        status = steep_table_begin(path.text, &file, error);
        if (status != STEEP_OK) return status;
        status = steep_table_end(file, path.text, table[i].put(file, saved, error), error);
    }
    return status;
}

#define LONGEST 60 /* characters of a target or an architecture in a file's name */

steep_path steep_networks_path(const char *folder, const steep_plan_key *key, bool curve)
{
    const char *list = curve ? STEEP_FOLDER_CURVES : STEEP_FOLDER_NETWORKS, *ending = curve ? "csv" : "json";
    char name[512], more[32] = "";
    bool plain = strlen(key->target) <= LONGEST && strlen(key->arch) <= LONGEST;
    snprintf(name, sizeof name, "%.60s-%.60s-%.60s-%s-%s-w%zu-s%zu", key->arch, key->activation, key->target,
             key->solver, key->start, key->width, key->seed);
    uint64_t sum = steep_hash_text(steep_hash_text(STEEP_HASH_START, key->target), name);
    if (strlen(key->arch) > LONGEST) sum = steep_hash_text(sum, key->arch);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) {
            *c = '_';
            plain = false;
        }
    if (!plain) snprintf(more, sizeof more, "-%016llx", (unsigned long long)sum);
    steep_path path;
    snprintf(path.text, sizeof path.text, "%s/%s/%s%s.%s", folder, list, name, more, ending);
    return path;
}

steep_status steep_curves_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                const double *curve, size_t count, steep_error *error)
{
    FILE *file;
    const steep_plan_key key = steep_plan_key_of(plan, task);
    const steep_path path = steep_networks_path(folder->path, &key, true);
    steep_status status = steep_folder_make(steep_path_in(folder->path, STEEP_FOLDER_CURVES).text, error);
    if (status == STEEP_OK) status = steep_table_begin(path.text, &file, error);
    if (status != STEEP_OK) return status;
    fputs("restart,iteration,evaluations,seconds,rmse_train,rmse_test,gradient,step,coefficient,rank,operations\n",
          file);
    for (size_t i = 0; i < count; i += STEEP_CURVE_NUMBERS)
        steep_table_put_numbers(file, curve + i, STEEP_CURVE_NUMBERS, '\n');
    return steep_table_end(file, path.text, STEEP_OK, error);
}

steep_status steep_networks_write(const steep_folder *folder, const steep_plan *plan, const steep_task *task,
                                  const steep_fit_row *row, const double *theta, steep_error *error)
{
    steep_network network;
    steep_fit_result result = {.status = row->status,
                               .theta = (double *)theta,
                               .rmse_train = row->rmse_train,
                               .rmse_test = row->rmse_test,
                               .max_error = row->max_error,
                               .floor = row->floor,
                               .gradient_norm = row->gradient_norm,
                               .coefficient = row->coefficient,
                               .rmse_single = row->rmse_single,
                               .seed = plan->seed[task->seed]};
    const steep_saved saved = {.plan = plan, .task = task, .network = &network, .result = &result};
    const steep_plan_key key = steep_plan_key_of(plan, task);
    const steep_path path = steep_networks_path(folder->path, &key, false);
    steep_status status = steep_folder_make(steep_path_in(folder->path, STEEP_FOLDER_NETWORKS).text, error);
    if (status == STEEP_OK) status = steep_plan_network(plan, task, &network, error);
    return status == STEEP_OK ? steep_stored_write(path.text, steep_save_record(&saved), error) : status;
}
