/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results on the points beside the law of joint.h: which stand apart, whether the sizes can tell the terms apart. */
#include <math.h>
#include <stdlib.h>

#include "law/joint.h"
#include "steep/slope.h"

#define LINE 0.999   /* log sizes with a greater correlation lie on one line */
#define SAME 1e-3    /* log sizes that are rounded to the same multiple of this are the same */
enum { SERIES = 5 }; /* fewest points of one size among which a turn is looked for */

/* Fills deviation with log(loss/fitted) e^(-q z) of the data's points; returns their robust standard deviation. */
static double deviations(const steep_joint_data *d, const steep_joint_noise *noise, const double *at, double *deviation,
                         double *sorted)
{
    for (size_t i = 0; i < d->count; i++) {
        const double f = steep_joint_value(noise->form, at, d->p[i], d->n[i]);
        deviation[i] = (d->y[i] - steep_log(f)) * steep_exp(-noise->power * d->z[i]);
        sorted[i] = fabs(deviation[i]);
    }
    steep_sort_numbers(sorted, d->count);
    return 1.4826 * 0.5 * (sorted[d->count / 2] + sorted[(d->count - 1) / 2]);
}

/* The condition number of the columns 1, P^-a, P^c N^-b, each over its value at the mean sizes. */
static double condition(const steep_joint_data *d, const double *at)
{
    const double a = steep_exp(at[STEEP_JOINT_LOG_A]), b = steep_exp(at[STEEP_JOINT_LOG_B]), c = at[STEEP_JOINT_C];
    double gram[9] = {0}, value[3];
    for (size_t i = 0; i < d->count; i++) {
        const double column[3] = {1, steep_exp(-a * d->p[i]), steep_exp(c * d->p[i] - b * d->n[i])};
        for (size_t k = 0; k < 9; k++) gram[k] += column[k / 3] * column[k % 3];
    }
    if (!steep_symmetric_eigen(3, gram, 3, value, d->work) || !(value[0] > 0)) return INFINITY;
    return sqrt(value[2] / value[0]);
}

static bool on_one_line(const steep_joint_data *d)
{
    double pp = 0, pn = 0, nn = 0;
    for (size_t i = 0; i < d->count; i++) {
        pp += d->p[i] * d->p[i];
        pn += d->p[i] * d->n[i];
        nn += d->n[i] * d->n[i];
    }
    return pn * pn > LINE * LINE * pp * nn;
}

/* A point of a series, in which one size is the same for all points. */
typedef struct along {
    double same, size, loss;
} along;

/* Whether the losses of a series fall and rise again (steep_slope_measure); false where the last one is the least. */
static bool series_turns(size_t count, const double *size, const double *loss)
{
    steep_slope slope;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) least = fmin(least, loss[i]);
    if (count < SERIES || least == loss[count - 1]) return false;
    steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){count, size, loss, NULL}, NULL, &slope, NULL);
    return slope.turns;
}

/* Whether at some value of the size same the loss turns with the other size; room: two numbers a point. */
static bool some_turn(const steep_joint_data *d, const double *same, const double *size, along *row, double *room)
{
    double *sizes = room, *loss = room + d->count;
    for (size_t i = 0; i < d->count; i++)
        row[i] = (along){round(same[i] / SAME), steep_exp(size[i]), steep_exp(d->y[i])};
    qsort(row, d->count, sizeof *row, steep_compare_numbers);
    for (size_t i = 0, count = 0; i < d->count; i++) {
        if (count == 0 || row[i].size != sizes[count - 1]) {
            sizes[count] = row[i].size;
            loss[count++] = row[i].loss;
        } else loss[count - 1] = fmin(loss[count - 1], row[i].loss);
        if (i + 1 < d->count && row[i + 1].same == row[i].same) continue;
        if (series_turns(count, sizes, loss)) return true;
        count = 0;
    }
    return false;
}

void steep_joint_look(const steep_joint_data *d, const steep_joint_posterior *posterior, const steep_placed *order,
                      const steep_law_points *points, steep_law *law)
{
    const steep_joint_node *likely = &posterior->node[posterior->likely];
    const steep_joint_noise *noise = &posterior->noise[likely->noise];
    double *deviation = d->column, *sorted = deviation + d->count;
    const double s = deviations(d, noise, likely->at, deviation, sorted);
    for (size_t i = 0; i < d->count; i++) {
        law->apart += fabs(deviation[i]) > STEEP_LAW_APART * s;
        if (points->deviation) points->deviation[order[i].place] = deviation[i] / s;
        if (points->fitted)
            points->fitted[order[i].place] = steep_joint_value(noise->form, likely->at, d->p[i], d->n[i]);
    }
    law->condition = condition(d, likely->at);
    law->one_line = on_one_line(d);
    /* The columns are no longer needed: they have room for 16 numbers a point. */
    along *row = (along *)d->column;
    double *room = d->column + 3 * d->count;
    law->turns[0] = some_turn(d, d->n, d->p, row, room);
    law->turns[1] = some_turn(d, d->p, d->n, row, room);
}
