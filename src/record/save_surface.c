/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture of a fit in two and more dimensions needs: the network on a plane of the box, and where the gates meet
 * that plane. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "model/stored.h"
#include "numerics/sort.h"
#include "record/save.h"
#include "slope/slope.h"

enum { SIDE = 121, POINTS = SIDE * SIDE };

/* The plane: coordinates across and up run over the box; the others stay at its centre, or, of points from a file, at
 * the median of the training points. rest: to be freed. */
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
    steep_save_box(saved, &p->low, &p->high);
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

static double at(const plane *p, size_t j, size_t i)
{
    return p->low[j] + (p->high[j] - p->low[j]) * (double)i / (SIDE - 1);
}

/* The points of the plane, column-major; the coordinate across runs fastest. */
static void lay_out(const plane *p, double *x)
{
    for (size_t j = 0; j < p->dim; j++)
        for (size_t k = 0; k < POINTS; k++)
            x[j * POINTS + k] = j == p->axis[0]   ? at(p, j, k % SIDE)
                                : j == p->axis[1] ? at(p, j, k / SIDE)
                                                  : p->rest[j];
}

static void put_surface(FILE *file, const steep_saved *saved, const plane *p, const double *x, const double *network,
                        long double *point)
{
    const steep_target *formula = saved->plan->target[saved->task->target].formula;
    fprintf(file, "x%zu,x%zu,network%s\n", p->axis[0] + 1, p->axis[1] + 1, formula ? ",target,residual" : "");
    for (size_t k = 0; k < POINTS; k++) {
        if (k > 0 && k % SIDE == 0) fputc('\n', file); /* gnuplot's mark of a new line of a surface */
        fprintf(file, "%.9g,%.9g,%.9g", x[p->axis[0] * POINTS + k], x[p->axis[1] * POINTS + k], network[k]);
        for (size_t j = 0; j < p->dim; j++) point[j] = x[j * POINTS + k];
        const double y = formula ? (double)steep_formula_reference(formula->formula, point) : 0;
        if (formula) fprintf(file, ",%.9g,%.9g", y, network[k] - y);
        fputc('\n', file);
    }
}

steep_status steep_save_surface(const steep_saved *saved, const char *path, steep_error *error)
{
    plane p;
    const steep_stored stored = steep_save_stored(saved);
    steep_status status = plane_of(saved, &p, error);
    if (status != STEEP_OK) return status;
    double *x = malloc((p.dim + 1) * POINTS * sizeof *x);
    long double *point = malloc(p.dim * sizeof *point);
    if (!x || !point) status = STEEP_NO_MEMORY;
    if (status == STEEP_OK) {
        lay_out(&p, x);
        status = steep_stored_values(&stored, POINTS, x, x + p.dim * POINTS, NULL);
    }
    if (status != STEEP_OK) steep_fail(error, status, "no memory for a surface");
    FILE *file = NULL;
    if (status == STEEP_OK) status = steep_table_begin(path, &file, error);
    if (file) {
        put_surface(file, saved, &p, x, x + p.dim * POINTS, point);
        status = steep_table_commit(file, path, error);
    }
    free(x);
    free(point);
    free(p.rest);
    return status;
}

/* --- lines of the gates --- */

/* a[0] u + a[1] v + a[2] on the plane, u and v from -1 to 1, is what a gate's map is there in the data's units. */
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
    double first = -4, last = 4; /* along the line from its foot; the square has a diagonal of 2 sqrt 2 */
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

steep_status steep_save_lines(const steep_saved *saved, const char *path, steep_error *error)
{
    plane p;
    const steep_network first = steep_network_layer(saved->network, 0), *network = &first;
    const steep_standard *standard = steep_plan_standard(saved->plan, saved->task);
    FILE *file;
    steep_status status = plane_of(saved, &p, error);
    if (status == STEEP_OK) status = steep_table_begin(path, &file, error);
    if (status != STEEP_OK) {
        free(p.rest);
        return status;
    }
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
    return steep_table_commit(file, path, error);
}
