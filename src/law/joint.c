/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brings the points into the form of joint.h, computes results from the draws, and does step 6. */
#include "law/joint.h"

#include <math.h>
#include <stdlib.h>

#define NEXT_BUDGET 0.14 /* a greater gap in log compute separates two budgets */
#define HELD_OUT    0.15 /* share of the points that is held out; of whole budgets at least half of it */
#define PRIOR_HELD  4.0  /* the prior of the factor counts as so many points that were predicted as expected */
#define VARIES      0.02 /* scatter may depend on the loss where the log losses of a law have a greater range */

/* The squares of losses in this range neither overflow nor underflow. */
#define LEAST_LOSS 1e-100
#define MOST_LOSS  1e100

enum { COLUMNS = 2 * (STEEP_JOINT_ALL + 2), MOST_CHECKED = 40 };

static steep_status check_fixed(const steep_law_options *o, steep_error *error)
{
    for (unsigned k = 0; k < STEEP_LAW_PARAMETERS; k++) {
        const double v = o->fixed_value[k];
        const char *name = steep_law_parameter_names(k);
        if (!(o->fixed >> k & 1)) continue;
        if (k == STEEP_LAW_A || k == STEEP_LAW_B)
            return steep_fail(error, STEEP_BAD_INPUT, "%s cannot be fixed: fix E, a, b or c", name);
        const bool exponent = k == STEEP_LAW_EXPONENT_A || k == STEEP_LAW_EXPONENT_B;
        if (exponent && !(v >= STEEP_JOINT_LEAST && v <= STEEP_JOINT_MOST))
            return steep_fail(error, STEEP_BAD_INPUT, "%s = %g: an exponent is %g to %g", name, v, STEEP_JOINT_LEAST,
                              STEEP_JOINT_MOST);
        if (!isfinite(v) || (k == STEEP_LAW_E && v < 0))
            return steep_fail(error, STEEP_BAD_INPUT, "%s = %g: use a number%s", name, v,
                              k == STEEP_LAW_E ? " of 0 or more" : "");
        if (k == STEEP_LAW_EXPONENT_C && o->form != STEEP_LAW_FORM_PRODUCT)
            return steep_fail(error, STEEP_BAD_INPUT, "c is of the form product: use that form, or do not fix c");
        if (k == STEEP_LAW_EXPONENT_C && fabs(v) > STEEP_JOINT_MOST)
            return steep_fail(error, STEEP_BAD_INPUT, "c = %g: use -%g to %g", v, STEEP_JOINT_MOST, STEEP_JOINT_MOST);
    }
    return STEEP_OK;
}

static steep_status check_options(const steep_law_options *o, steep_error *error)
{
    if ((unsigned)o->form >= STEEP_LAW_FORMS) return steep_fail(error, STEEP_BAD_INPUT, "form %d: none", (int)o->form);
    if (o->level != 0 && !(o->level > 0 && o->level < 1))
        return steep_fail(error, STEEP_BAD_INPUT, "level %g: use a number between 0 and 1", o->level);
    if (o->compute_factor != 0 && !(o->compute_factor > 0 && o->compute_params > 0 && o->compute_data > 0 &&
                                    isfinite(o->compute_factor + o->compute_params + o->compute_data)))
        return steep_fail(error, STEEP_BAD_INPUT, "compute %g P^%g N^%g: its factor and powers are positive numbers",
                          o->compute_factor, o->compute_params, o->compute_data);
    const double P = o->predict_params, N = o->predict_data;
    if ((P != 0 || N != 0) && !(P > 0 && N > 0 && isfinite(P + N)))
        return steep_fail(error, STEEP_BAD_INPUT, "prediction at %g and %g: use two positive sizes", P, N);
    return check_fixed(o, error);
}

static size_t free_parameters(const steep_law_options *o)
{
    size_t count = 5 + (o->form == STEEP_LAW_FORM_PRODUCT);
    for (unsigned k = 0; k < STEEP_LAW_PARAMETERS; k++) count -= o->fixed >> k & 1;
    return count;
}

/* Whether all numbers are the same but for rounding. */
static bool is_constant(const double *v, size_t count)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) low = fmin(low, v[i]), high = fmax(high, v[i]);
    return high <= low * (1 + 1e-12);
}

static steep_status check_points(const steep_law_points *points, const steep_law_options *o, steep_error *error)
{
    static const char *const names[] = {"params", "data", "loss"};
    const double *const number[] = {points->params, points->data, points->loss};
    const size_t least = free_parameters(o) + 2;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < points->count; i++)
            if (!(number[k][i] > 0) || isinf(number[k][i]))
                return steep_fail(error, STEEP_BAD_INPUT, "%s of point %zu is %g: expected a positive number", names[k],
                                  i, number[k][i]);
    for (size_t i = 0; i < points->count; i++)
        if (!(points->loss[i] >= LEAST_LOSS && points->loss[i] <= MOST_LOSS))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "loss of point %zu is %g: use a unit in which losses are between %g and %g", i,
                              points->loss[i], LEAST_LOSS, MOST_LOSS);
    if (points->count < least)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu points: this law has %zu free parameters and needs %zu or more",
                          points->count, least - 2, least);
    for (size_t k = 0; k < 2; k++)
        if (is_constant(number[k], points->count))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s is %g for all points: both sizes must vary (steep slope --law offset takes one size)",
                              names[k], number[k][0]);
    if (is_constant(points->loss, points->count))
        return steep_fail(error, STEEP_BAD_INPUT, "the loss is %g for all points: nothing falls", points->loss[0]);
    return STEEP_OK;
}

static steep_joint_compute compute_of(const steep_law_options *o)
{
    if (o->compute_factor == 0) return (steep_joint_compute){steep_log(6), 1, 1};
    return (steep_joint_compute){steep_log(o->compute_factor), o->compute_params, o->compute_data};
}

/* The data with their arrays, and the log computes of the points, ascending; then the draws from the posterior, and
 * room for three numbers a draw. */
typedef struct solved {
    steep_joint_data data;
    const steep_law_options *options;
    void *block;         /* all arrays */
    steep_placed *place; /* log compute and index of each point, ascending */
    double mean, range;  /* of the log losses of the law that defines z; range 0: it is below VARIES */
    steep_joint_posterior posterior;
    steep_joint_draw *draw;
    double *value, level;
} solved;

/* Groups points of about equal compute: budgets if they have three points on average, else all are one group. */
static void find_budgets(solved *p, size_t count)
{
    steep_joint_data *d = &p->data;
    for (size_t i = 1; i <= count; i++)
        if (i == count || p->place[i].number - p->place[i - 1].number > NEXT_BUDGET) d->end[d->groups++] = i;
    if (3 * d->groups <= count) return;
    d->groups = 1;
    d->end[0] = count;
}

static void fix(steep_joint_data *d, const steep_law_options *o)
{
    static const int place[STEEP_LAW_PARAMETERS] = {[STEEP_LAW_E] = STEEP_JOINT_E,
                                                    [STEEP_LAW_EXPONENT_A] = STEEP_JOINT_LOG_A,
                                                    [STEEP_LAW_EXPONENT_B] = STEEP_JOINT_LOG_B,
                                                    [STEEP_LAW_EXPONENT_C] = STEEP_JOINT_C};
    for (unsigned k = 0; k < STEEP_LAW_PARAMETERS; k++) {
        if (!(o->fixed >> k & 1)) continue;
        const bool is_log = place[k] >= STEEP_JOINT_LOG_A;
        d->told[place[k]] = true;
        d->fixed[place[k]] = is_log ? steep_log(o->fixed_value[k]) : o->fixed_value[k];
    }
}

/* Fills the logarithms of sizes, minus their means, and of losses, in the order of the compute. */
static void fill(solved *p, const steep_law_points *points)
{
    steep_joint_data *d = &p->data;
    const size_t count = d->count;
    double *const size[2] = {d->p, d->n}, mean[2] = {0};
    d->least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const size_t at = p->place[i].place;
        d->p[i] = steep_log(points->params[at]);
        d->n[i] = steep_log(points->data[at]);
        d->y[i] = steep_log(points->loss[at]);
        d->least = fmin(d->least, points->loss[at]);
        d->most = fmax(d->most, points->loss[at]);
        for (size_t k = 0; k < 2; k++) mean[k] += size[k][i] / (double)count;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 2; k++) size[k][i] -= mean[k];
    d->mean_p = mean[0];
    d->mean_n = mean[1];
}

static steep_status prepare(solved *p, const steep_law_points *points, steep_error *error)
{
    const size_t count = points->count;
    const steep_joint_compute c = compute_of(p->options);
    steep_joint_data *d = &p->data;
    p->block = STEEP_BLOCK(STEEP_SHARE(d->p, count), STEEP_SHARE(d->n, count), STEEP_SHARE(d->y, count),
                           STEEP_SHARE(d->z, count), STEEP_SHARE(d->end, count), STEEP_SHARE(p->place, count),
                           STEEP_SHARE(d->column, COLUMNS * count), STEEP_SHARE(d->row, 3 * count),
                           STEEP_SHARE(d->work, steep_symmetric_workspace(STEEP_JOINT_ALL)),
                           STEEP_SHARE(p->draw, STEEP_JOINT_DRAWS), STEEP_SHARE(p->value, 3 * STEEP_JOINT_DRAWS));
    if (!p->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points", count);
    for (size_t i = 0; i < count; i++)
        p->place[i] = (steep_placed){
            c.log_factor + c.params * steep_log(points->params[i]) + c.data * steep_log(points->data[i]), i};
    qsort(p->place, count, sizeof *p->place, steep_compare_placed);
    d->count = count;
    fill(p, points);
    find_budgets(p, count);
    fix(d, p->options);
    return STEEP_OK;
}

/* Sets z of each point from the law that is likeliest if the scatter is the same everywhere. */
static void fill_levels(solved *p)
{
    const steep_law_options *o = p->options;
    const bool product = o->form == STEEP_LAW_FORM_PRODUCT;
    const steep_joint_noise noise = {.form = product ? STEEP_LAW_FORM_PRODUCT : STEEP_LAW_FORM_HOFFMANN,
                                     .nu = o->normal ? INFINITY : 3,
                                     .change = 1};
    double *z = p->data.z, mean = 0, low = INFINITY, high = -INFINITY;
    steep_joint_node node;
    steep_joint_mode(&p->data, &noise, &node);
    if (!isfinite(node.evidence)) return;
    for (size_t i = 0; i < p->data.count; i++) {
        z[i] = steep_log(steep_joint_value(noise.form, node.at, p->data.p[i], p->data.n[i]));
        mean += z[i] / (double)p->data.count;
        low = fmin(low, z[i]);
        high = fmax(high, z[i]);
    }
    for (size_t i = 0; i < p->data.count; i++) z[i] -= mean;
    p->mean = mean;
    p->range = high - low > VARIES ? high - low : 0;
}

/* A parameter in the units of the sizes: A and B are not taken at the mean sizes. */
static double parameter(const solved *w, const double *at, steep_law_parameter k)
{
    const double a = steep_exp(at[STEEP_JOINT_LOG_A]), b = steep_exp(at[STEEP_JOINT_LOG_B]), c = at[STEEP_JOINT_C];
    switch (k) {
    case STEEP_LAW_E: return at[STEEP_JOINT_E];
    case STEEP_LAW_A: return at[STEEP_JOINT_A] * steep_exp(a * w->data.mean_p);
    case STEEP_LAW_B: return at[STEEP_JOINT_B] * steep_exp(b * w->data.mean_n - c * w->data.mean_p);
    case STEEP_LAW_EXPONENT_A: return a;
    case STEEP_LAW_EXPONENT_B: return b;
    default: return c;
    }
}

/* E is 0 or more, and an interval between two quantiles never holds 0. The interval begins at 0, and holds as many
 * draws as before, where the draws below it are no less dense than equally many draws at its upper end. */
static void include_zero(const solved *w, size_t count, steep_law_interval *i)
{
    const double *value = w->value; /* sorted */
    const size_t part = (size_t)(0.5 * (1 - w->level) * (double)count), last = count - 2 * part;
    if (part == 0 || value[part] > value[count - 1 - part] - value[last - 1]) return;
    i->low = 0;
    i->high = fmax(i->value, value[last - 1]);
}

/* For c only the draws of form product count. */
static void conclude_parameters(const solved *w, steep_law *law)
{
    for (steep_law_parameter k = 0; k < STEEP_LAW_PARAMETERS; k++) {
        size_t count = 0;
        for (size_t i = 0; i < STEEP_JOINT_DRAWS; i++)
            if (k != STEEP_LAW_EXPONENT_C || w->draw[i].noise->form == STEEP_LAW_FORM_PRODUCT)
                w->value[count++] = parameter(w, w->draw[i].at, k);
        if (count > 0) law->parameter[k] = steep_joint_interval(w->value, count, w->level);
        if (count > 0 && k == STEEP_LAW_E) include_zero(w, count, &law->parameter[k]);
        if (w->options->fixed >> k & 1)
            law->parameter[k].value = law->parameter[k].low = law->parameter[k].high = w->options->fixed_value[k];
    }
}

static double loss_of(const steep_joint_draw *draw, double p, double n)
{
    return steep_joint_value(draw->noise->form, draw->at, p, n);
}

/* Where the law has no best sizes, P is infinite, N is 0, and the loss is its limit E. */
static void conclude_best(const solved *w, const steep_joint_compute *c, double log_compute, steep_law_best *best)
{
    double *P = w->value, *N = P + STEEP_JOINT_DRAWS, *L = N + STEEP_JOINT_DRAWS;
    for (size_t i = 0; i < STEEP_JOINT_DRAWS; i++) {
        double at[2];
        steep_joint_best(&w->data, &w->draw[i], c, log_compute, at);
        P[i] = steep_exp(at[0] + w->data.mean_p);
        N[i] = steep_exp(at[1] + w->data.mean_n);
        L[i] = isinf(at[0]) ? w->draw[i].at[STEEP_JOINT_E] : loss_of(&w->draw[i], at[0], at[1]);
    }
    best->compute = steep_exp(log_compute);
    best->params = steep_joint_interval(P, STEEP_JOINT_DRAWS, w->level);
    best->data = steep_joint_interval(N, STEEP_JOINT_DRAWS, w->level);
    best->loss = steep_joint_interval(L, STEEP_JOINT_DRAWS, w->level);
}

static void conclude_exponents(const solved *w, const steep_joint_compute *c, steep_law *law)
{
    double *first = w->value, *second = first + STEEP_JOINT_DRAWS;
    for (size_t i = 0; i < STEEP_JOINT_DRAWS; i++) {
        const double *at = w->draw[i].at, b = steep_exp(at[STEEP_JOINT_LOG_B]);
        const double turn = c->data * at[STEEP_JOINT_C] + b * c->params; /* <= 0: no best sizes */
        first[i] = turn > 0 ? b / (c->data * steep_exp(at[STEEP_JOINT_LOG_A]) + turn) : INFINITY;
        second[i] = (1 - c->params * first[i]) / c->data;
    }
    law->params_exponent = steep_joint_interval(first, STEEP_JOINT_DRAWS, w->level);
    law->data_exponent = steep_joint_interval(second, STEEP_JOINT_DRAWS, w->level);
}

static void conclude_prediction(const solved *w, steep_law *law)
{
    const double p = steep_log(w->options->predict_params) - w->data.mean_p;
    const double n = steep_log(w->options->predict_data) - w->data.mean_n;
    double *of_law = w->value, *of_run = of_law + STEEP_JOINT_DRAWS;
    for (size_t i = 0; i < STEEP_JOINT_DRAWS; i++) {
        const steep_joint_draw *d = &w->draw[i];
        of_law[i] = loss_of(d, p, n);
        const double falls = steep_exp(d->noise->power * (steep_log(of_law[i]) - w->mean));
        of_run[i] = of_law[i] * steep_exp(d->s * d->run * falls);
    }
    law->prediction = steep_joint_interval(of_law, STEEP_JOINT_DRAWS, w->level);
    law->one_run = steep_joint_interval(of_run, STEEP_JOINT_DRAWS, w->level);
}

/* Fills the weights of the forms, the properties of the noise, and the likeliest law. */
static void conclude_noise(const solved *w, steep_law *law)
{
    const steep_joint_posterior *p = &w->posterior;
    for (size_t i = 0; i < p->nodes; i++) {
        const steep_joint_noise *noise = &p->noise[p->node[i].noise];
        law->weight[noise->form] += p->node[i].evidence;
        if (noise->shared > 0) law->shared += p->node[i].evidence;
        if (isfinite(noise->nu)) law->tails += p->node[i].evidence;
    }
    double *s = w->value, *ratio = s + STEEP_JOINT_DRAWS;
    for (size_t i = 0; i < STEEP_JOINT_DRAWS; i++) {
        s[i] = w->draw[i].s;
        ratio[i] = steep_exp(w->draw[i].noise->power * w->range);
    }
    law->scatter = steep_joint_interval(s, STEEP_JOINT_DRAWS, w->level).value;
    law->falls = steep_joint_interval(ratio, STEEP_JOINT_DRAWS, w->level).value;
    const steep_joint_node *likely = &p->node[p->likely];
    law->likeliest = p->noise[likely->noise].form;
    for (steep_law_parameter k = 0; k < STEEP_LAW_PARAMETERS; k++) law->likely[k] = parameter(w, likely->at, k);
}

/* Whether it is uncertain that the loss falls from the smallest to the largest size, the other size at its mean. Draws
 * have A, B >= 0, so that a lower end above 0 says little: it is compared with the median. */
static bool is_doubtful(const solved *w, const double *size, size_t which)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < w->data.count; i++) low = fmin(low, size[i]), high = fmax(high, size[i]);
    for (size_t i = 0; i < STEEP_JOINT_DRAWS; i++)
        w->value[i] = which == 0 ? loss_of(&w->draw[i], low, 0) - loss_of(&w->draw[i], high, 0)
                                 : loss_of(&w->draw[i], 0, low) - loss_of(&w->draw[i], 0, high);
    const steep_law_interval gain = steep_joint_interval(w->value, STEEP_JOINT_DRAWS, w->level);
    return !(gain.low > 0.3 * gain.value);
}

static void conclude(const solved *w, steep_law *law)
{
    const steep_joint_compute c = compute_of(w->options);
    const double first = w->place[0].number, last = w->place[w->data.count - 1].number;
    law->budgets = w->data.groups > 1 ? w->data.groups : 0;
    conclude_noise(w, law);
    conclude_parameters(w, law);
    conclude_exponents(w, &c, law);
    for (size_t k = 0; k < STEEP_LAW_BEST; k++) {
        const double part = (double)k - STEEP_LAW_LARGEST;
        conclude_best(w, &c,
                      part <= 0 ? last + (last - first) * part / STEEP_LAW_LARGEST
                                : last + steep_log(10) * part / (STEEP_LAW_BEST - 1 - STEEP_LAW_LARGEST),
                      &law->best[k]);
    }
    law->no_gain[0] = is_doubtful(w, w->data.p, 0);
    law->no_gain[1] = is_doubtful(w, w->data.n, 1);
    if (w->options->predict_params > 0) conclude_prediction(w, law);
}

/* Index of the first point held out, in the order of compute: the last budgets, or a share of all points, and all
 * others of the same compute. */
static size_t held_from(const solved *p)
{
    const size_t count = p->data.count;
    size_t from = count - (size_t)ceil(HELD_OUT * (double)count);
    while (from > 0 && p->place[from].number - p->place[from - 1].number < 1e-9) from--;
    for (size_t g = p->data.groups; g-- > 1;) {
        from = p->data.end[g - 1];
        if (count - from >= 3 && (double)(count - from) >= 0.5 * HELD_OUT * (double)count) break;
    }
    return from;
}

/* Error of a predicted log loss (*error: signed) over its expected deviation, by the spread of laws and the noise of
 * one more run; *share: of noise that is not shared by a budget, in that variance. */
static double miss(const solved *w, double p, double n, double log_loss, double *error, double *share)
{
    double own = 0, shared = 0;
    for (size_t i = 0; i < STEEP_JOINT_DRAWS; i++) {
        const steep_joint_noise *noise = w->draw[i].noise;
        const double s2 = w->draw[i].s * w->draw[i].s / STEEP_JOINT_DRAWS;
        w->value[i] = steep_log(loss_of(&w->draw[i], p, n));
        own += s2 * steep_exp(2 * noise->power * (w->value[i] - w->mean));
        shared += s2 * noise->shared * noise->shared;
    }
    const steep_law_interval middle = steep_joint_interval(w->value, STEEP_JOINT_DRAWS, 0.6827);
    const double half = 0.5 * (middle.high - middle.low), variance = half * half + own + shared;
    *error = log_loss - middle.value;
    *share = own / variance;
    return fabs(*error) / sqrt(variance);
}

/* Computes the factor from the points held out; a point counts by the share of independent noise in its variance. */
static void weigh_held(const solved *w, const solved *all, size_t from, steep_law *law)
{
    const steep_joint_data *d = &all->data;
    const size_t count = d->count - from, stride = (count + MOST_CHECKED - 1) / MOST_CHECKED;
    double missed[MOST_CHECKED], square = 0, independent = 0;
    size_t k = 0;
    for (size_t i = from; i < d->count; i += stride) {
        double error, share;
        missed[k++] = miss(w, d->p[i] + d->mean_p - w->data.mean_p, d->n[i] + d->mean_n - w->data.mean_n, d->y[i],
                           &error, &share);
        square += error * error;
        independent += share;
    }
    const double typical = steep_joint_interval(missed, k, 0.5).value / 0.6745;
    const double effective = 1 + independent * ((double)k - 1) / (double)k;
    law->held_out = count;
    law->held_out_error = sqrt(square / (double)k);
    law->wider = fmax(1, sqrt((PRIOR_HELD + effective * typical * typical) / (PRIOR_HELD + effective)));
}

/* Widens an interval in the logarithm; NaN stays NaN. */
static void widen(steep_law_interval *i, double factor)
{
    i->low = i->value * steep_exp(factor * steep_log(i->low / i->value));
    i->high = i->value * steep_exp(factor * steep_log(i->high / i->value));
}

/* Steps 1 to 5: the draws from the posterior of the points' laws; the caller releases *w, whatever is returned. */
static steep_status solve(const steep_law_points *points, const steep_law_options *o, solved *w, steep_error *error)
{
    *w = (solved){.options = o, .level = o->level != 0 ? o->level : 0.95};
    steep_status status = prepare(w, points, error);
    if (status < 0) return status;
    fill_levels(w);
    status = steep_joint_integrate(&w->data, o, w->range, &w->posterior, error);
    if (status >= 0) steep_joint_draw_all(&w->data, &w->posterior, w->draw);
    return status;
}

static void release(solved *w)
{
    free(w->block);
    steep_joint_free(&w->posterior);
}

/* Step 6: fits the points of smaller compute and predicts the others; with too few points it does nothing. */
static steep_status hold_out(const solved *all, const steep_law_points *points, steep_law *law, steep_error *error)
{
    const size_t from = held_from(all);
    double *number = all->data.column; /* no longer needed: room for 16 numbers a point */
    const steep_law_points some = {from, number, number + from, number + 2 * from, NULL, NULL};
    for (size_t i = 0; i < from; i++) {
        const size_t at = all->place[i].place;
        number[i] = points->params[at];
        number[from + i] = points->data[at];
        number[2 * from + i] = points->loss[at];
    }
    if (2 * from <= all->data.count || from < free_parameters(all->options) + 4 ||
        check_points(&some, all->options, NULL) < 0)
        return STEEP_OK;
    solved held;
    const steep_status status = solve(&some, all->options, &held, error);
    if (status >= 0) weigh_held(&held, all, from, law);
    release(&held);
    return status == STEEP_SINGULAR ? STEEP_OK : status;
}

steep_status steep_law_measure(const steep_law_points *points, const steep_law_options *options, steep_law *law,
                               steep_error *error)
{
    const steep_law_options o = options ? *options : (steep_law_options){0};
    const steep_law_interval none = {NAN, NAN, NAN};
    solved w = {.block = NULL};
    *law = (steep_law){.prediction = none, .one_run = none, .held_out_error = NAN, .wider = NAN};
    for (size_t k = 0; k < STEEP_LAW_PARAMETERS; k++) law->parameter[k] = none;
    law->status = check_options(&o, error);
    if (law->status >= 0) law->status = check_points(points, &o, error);
    if (law->status >= 0) law->status = solve(points, &o, &w, error);
    if (law->status >= 0) law->status = hold_out(&w, points, law, error);
    if (law->status >= 0) {
        conclude(&w, law);
        steep_joint_look(&w.data, &w.posterior, w.place, points, law);
    }
    if (law->status >= 0 && law->wider > 1) { /* predictions and computes beyond the points */
        for (size_t k = STEEP_LAW_LARGEST + 1; k < STEEP_LAW_BEST; k++) widen(&law->best[k].loss, law->wider);
        widen(&law->prediction, law->wider);
        widen(&law->one_run, law->wider);
    }
    release(&w);
    return law->status;
}
