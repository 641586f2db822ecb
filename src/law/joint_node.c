/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps 1 and 2 of joint.h: the constants at given exponents, and how likely they are. */
#include <math.h>
#include <string.h>

#include "law/joint.h"

#define LEAST_S 1e-9  /* least s of a log loss; the rounding of losses is more */
#define RIDGE   1e-13 /* added to the unit diagonal of H for the evidence */
#define DAMPING 1e-9  /* the same for a step, which keeps it short along columns that are dependent */
#define WIDE    2.7   /* deviation of a log exponent of which nothing is known: log(MOST/LEAST) over sqrt(2 pi) */
#define CLOSE   5e-3  /* the last step changes log losses by less than this part of s, and s by this part */
enum { ALL = STEEP_JOINT_ALL, RESIDUAL = ALL, INVERSE, COLUMNS, STEPS = 60, SHORTER = 10, HALVED = 50 };

/* The state of one node. Columns: the derivatives of log f and the residual, both over e^(q z), and inverse = e^(-q z);
 * then the same with weights. By point: f and weight. By budget: u. */
typedef struct solver {
    const steep_joint_data *data;
    const steep_joint_noise *noise;
    steep_joint_node *node;
    size_t free[ALL], m; /* columns of the free parameters */
    double part;         /* of a step that is taken, at most */
    double *f, *weight, *inverse, *u;
    double H[ALL * ALL], g[ALL]; /* lower triangle, column-major */
} solver;

static double *column(const solver *s, size_t k)
{
    return s->data->column + k * s->data->count;
}

static double *weighted(const solver *s, size_t k)
{
    return column(s, COLUMNS + k);
}

/* Fills f and the derivatives of log f, for the forms with a sum of two terms. */
STEEP_CLONES static void fill_sum(const steep_joint_data *d, const double *at, double *restrict f, double *restrict J)
{
    const double a = steep_exp(at[STEEP_JOINT_LOG_A]), b = steep_exp(at[STEEP_JOINT_LOG_B]), c = at[STEEP_JOINT_C];
    const double E = at[STEEP_JOINT_E], A = at[STEEP_JOINT_A], B = at[STEEP_JOINT_B];
    const double *restrict p = d->p, *restrict n = d->n;
    const size_t count = d->count;
    STEEP_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const double X = steep_exp(-a * p[i]), Y = steep_exp(c * p[i] - b * n[i]), value = E + A * X + B * Y;
        const double one = 1 / value;
        f[i] = value;
        J[STEEP_JOINT_E * count + i] = one;
        J[STEEP_JOINT_A * count + i] = X * one;
        J[STEEP_JOINT_B * count + i] = Y * one;
        J[STEEP_JOINT_C * count + i] = B * Y * p[i] * one;
        J[STEEP_JOINT_LOG_A * count + i] = -a * p[i] * A * X * one;
        J[STEEP_JOINT_LOG_B * count + i] = -b * n[i] * B * Y * one;
    }
}

/* The same for Kaplan's form, S = (X^(1/b) + Y^(1/b))^b with X = e^x, Y = e^y. If the two powers have the shares w and
 * 1 - w of their sum, d log S is w dx + (1 - w) dy + (entropy of w) db. */
STEEP_CLONES static void fill_power(const steep_joint_data *d, const double *at, double *restrict f, double *restrict J)
{
    const double a = steep_exp(at[STEEP_JOINT_LOG_A]), b = steep_exp(at[STEEP_JOINT_LOG_B]);
    const double E = at[STEEP_JOINT_E], A = at[STEEP_JOINT_A], B = at[STEEP_JOINT_B];
    const double log_A = steep_log(A), log_B = steep_log(B);
    const double *restrict p = d->p, *restrict n = d->n;
    const size_t count = d->count;
    STEEP_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const double x = log_A - a * p[i], y = log_B - b * n[i], apart = (x - y) / b, e = steep_exp(-fabs(apart));
        const double more = 1 / (1 + e), less = e / (1 + e), length = steep_log1p(e);
        const double w = steep_select(apart > 0, more, less), v = steep_select(apart > 0, less, more);
        const double S = steep_exp(steep_select(apart > 0, x, y) + b * length), value = E + S, share = S / value;
        f[i] = value;
        J[STEEP_JOINT_E * count + i] = 1 / value;
        J[STEEP_JOINT_A * count + i] = share * w / A;
        J[STEEP_JOINT_B * count + i] = share * v / B;
        J[STEEP_JOINT_C * count + i] = 0;
        J[STEEP_JOINT_LOG_A * count + i] = -share * w * a * p[i];
        J[STEEP_JOINT_LOG_B * count + i] = share * b * (length + fabs(apart) * less - v * n[i]);
    }
}

double steep_joint_value(steep_law_form form, const double at[ALL], double p, double n)
{
    double f, J[ALL];
    const steep_joint_data d = {.count = 1, .p = &p, .n = &n};
    (form == STEEP_LAW_FORM_KAPLAN ? fill_power : fill_sum)(&d, at, &f, J);
    return f;
}

STEEP_CLONES static void fill_deviations(const solver *s)
{
    const double *z = s->data->z, q = s->noise->power;
    for (size_t i = 0; i < s->data->count; i++) s->inverse[i] = steep_exp(-q * z[i]);
}

/* Residuals and columns over e^(q z): in units of the noise's deviation, but for s. */
STEEP_CLONES static void fill_residuals(const solver *s)
{
    const double *restrict y = s->data->y, *restrict f = s->f, *restrict inverse = s->inverse;
    const size_t count = s->data->count;
    double *restrict r = column(s, RESIDUAL);
    for (size_t i = 0; i < count; i++) r[i] = (y[i] - steep_log(f[i])) * inverse[i];
    if (s->noise->power == 0) return;
    for (size_t k = 0; k < s->m; k++) {
        double *restrict J = column(s, s->free[k]);
        for (size_t i = 0; i < count; i++) J[i] *= inverse[i];
    }
}

/* Weights of Student's noise about the budgets' u (0 without shared noise), from the present s. */
STEEP_CLONES static void fill_weights(const solver *s)
{
    const double nu = s->noise->nu, s2 = s->node->s2;
    const double *restrict r = column(s, RESIDUAL), *restrict inverse = s->inverse;
    for (size_t g = 0, i = 0; g < s->data->groups; g++)
        for (const size_t end = s->data->end[g]; i < end; i++) {
            const double own = r[i] - s->u[g] * inverse[i];
            s->weight[i] = isinf(nu) ? 1 : (nu + 1) / (nu + own * own / s2);
        }
}

/* Multiplies the free columns, the residual and inverse by the weights. */
STEEP_CLONES static void apply_weights(const solver *s)
{
    const size_t count = s->data->count;
    for (size_t k = 0; k < s->m + 2; k++) {
        const size_t which = k < s->m ? s->free[k] : RESIDUAL + k - s->m;
        const double *restrict from = column(s, which), *restrict weight = s->weight;
        double *restrict to = weighted(s, which);
        for (size_t i = 0; i < count; i++) to[i] = from[i] * weight[i];
    }
}

/* Sum of inverse times a weighted column, over one budget. */
static double budget_sum(const solver *s, size_t g, size_t k)
{
    const size_t begin = g ? s->data->end[g - 1] : 0;
    return steep_dense_dot(s->data->end[g] - begin, column(s, INVERSE) + begin, weighted(s, k) + begin);
}

/* Sets u of each budget, given the weights; penalty: 1/shared^2. */
static void fill_shared(solver *s, double penalty)
{
    const bool shared = s->noise->shared > 0;
    for (size_t g = 0; g < s->data->groups; g++)
        s->u[g] = shared ? budget_sum(s, g, RESIDUAL) / (budget_sum(s, g, INVERSE) + penalty) : 0;
}

/* The normal equations H, g of the free columns, weighted, with the budgets' u eliminated. penalty: 1/shared^2 over the
 * scale of the weights. */
static void fill_system(solver *s, double penalty)
{
    const size_t m = s->m, count = s->data->count;
    double sum[ALL + 1];
    for (size_t j = 0; j < m; j++) {
        for (size_t i = j; i < m; i++)
            s->H[i + j * ALL] = steep_dense_dot(count, column(s, s->free[i]), weighted(s, s->free[j]));
        s->g[j] = steep_dense_dot(count, column(s, RESIDUAL), weighted(s, s->free[j]));
    }
    for (size_t g = 0; s->noise->shared > 0 && g < s->data->groups; g++) {
        const double own = budget_sum(s, g, INVERSE) + penalty, r = budget_sum(s, g, RESIDUAL);
        for (size_t j = 0; j < m; j++) sum[j] = budget_sum(s, g, s->free[j]);
        for (size_t j = 0; j < m; j++) {
            for (size_t i = j; i < m; i++) s->H[i + j * ALL] -= sum[i] * sum[j] / own;
            s->g[j] -= sum[j] * r / own;
        }
    }
}

/* Adds the prior to H and g. c is normal about 0. E, A and B are normal about their present values, with the largest
 * loss as deviation, which matters where the points do not tell the columns apart; in Kaplan's form A and B have their
 * own size as deviation, as a power of a sum has derivative 0 at 0. info: the covariance is s2 H^-1 / info. */
static void add_prior(solver *s, double info)
{
    for (size_t j = 0; j < s->m; j++) {
        const bool powers = s->noise->form == STEEP_LAW_FORM_KAPLAN && s->free[j] >= STEEP_JOINT_A;
        const double deviation = s->free[j] == STEEP_JOINT_C ? s->noise->change
                                 : powers                    ? s->node->at[s->free[j]]
                                                             : s->data->most;
        const double own = s->node->s2 / (deviation * deviation) / info;
        if (s->free[j] >= STEEP_JOINT_INNER) continue;
        s->H[j + j * ALL] += own;
        if (s->free[j] == STEEP_JOINT_C) s->g[j] -= own * s->node->at[STEEP_JOINT_C];
    }
}

/* Scales the diagonal of H to 1 (scale: old lengths), then H = L L'. Returns log det of the old H; NAN: singular. */
static double factorize(solver *s, double ridge, double *scale)
{
    double determinant = 0;
    const size_t m = s->m;
    for (size_t j = 0; j < m; j++) scale[j] = s->H[j + j * ALL] > 0 ? sqrt(s->H[j + j * ALL]) : 1;
    for (size_t j = 0; j < m; j++)
        for (size_t i = j; i < m; i++) s->H[i + j * ALL] /= scale[i] * scale[j];
    for (size_t j = 0; j < m; j++) s->H[j + j * ALL] = 1 + ridge;
    if (steep_symmetric_cholesky(m, s->H, ALL, ridge / 10, s->data->work) > 0) return NAN;
    for (size_t j = 0; j < m; j++) determinant += 2 * steep_log(s->H[j + j * ALL] * scale[j]);
    return determinant;
}

/* Largest change of a log loss by the step, to first order, over e^(q z); *fall: the same, not divided. */
STEEP_CLONES static double largest_change(const solver *s, const double *step, double *fall)
{
    const size_t count = s->data->count;
    const double *restrict inverse = s->inverse;
    double *restrict change = weighted(s, RESIDUAL), most = 0, all = 0;
    memset(change, 0, count * sizeof *change);
    for (size_t k = 0; k < s->m; k++) steep_dense_add(count, step[k], column(s, s->free[k]), change);
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(change[i]), plain = size / inverse[i];
        most = size > most ? size : most;
        all = plain > all ? plain : all;
    }
    *fall = all;
    return most;
}

/* The largest part of a step that keeps a constant in its bounds, and changes a log exponent by 1/2 at most. */
static double part_of_step(const solver *s, size_t which, double step)
{
    const double at = s->node->at[which];
    const bool positive = s->noise->form == STEEP_LAW_FORM_KAPLAN && which >= STEEP_JOINT_A;
    if (which >= STEEP_JOINT_INNER) return 0.5 / fabs(step);
    if (which == STEEP_JOINT_C) return 1;
    const double end = step > 0 ? 2 * s->data->most : positive ? 0.2 * at : -s->data->most;
    return 0.9 * (end - at) / step;
}

/* Whether the law is above 0 at all points. Writes f and weighted columns, which the next step writes anew. */
static bool is_positive(const solver *s)
{
    const double *at = s->node->at;
    size_t i = 0;
    if (at[STEEP_JOINT_E] >= 0 && at[STEEP_JOINT_A] >= 0 && at[STEEP_JOINT_B] >= 0) return true;
    (s->noise->form == STEEP_LAW_FORM_KAPLAN ? fill_power : fill_sum)(s->data, at, s->f, weighted(s, 0));
    while (i < s->data->count && s->f[i] > 0) i++;
    return i == s->data->count;
}

/* Takes the step, or as much of it as keeps losses, exponents and constants in their bounds. The change of losses is
 * bounded to first order, by which a law of a great range could become negative: then the step is halved. */
static void move(const solver *s, const double *step, double fall)
{
    const steep_joint_node before = *s->node;
    double t = fall > 0.7 ? 0.7 / fall : 1;
    for (size_t k = 0; k < s->m; k++)
        if (step[k] != 0) t = fmin(t, fmax(part_of_step(s, s->free[k], step[k]), 0));
    t *= s->part;
    for (int halved = 0; halved == 0 || (halved < HALVED && !is_positive(s)); halved++, t /= 2)
        for (size_t k = 0; k < s->m; k++) {
            double *at = &s->node->at[s->free[k]];
            *at = before.at[s->free[k]] + t * step[k];
            if (s->free[k] >= STEEP_JOINT_INNER)
                *at = fmin(fmax(*at, steep_log(STEEP_JOINT_LEAST)), steep_log(STEEP_JOINT_MOST));
        }
}

/* Twice what each point adds to -log of the likelihood, into term, without powers of s. */
STEEP_CLONES static void fill_terms(const solver *s, double *restrict term)
{
    const double nu = s->noise->nu, s2 = s->node->s2;
    const double *restrict r = column(s, RESIDUAL), *restrict inverse = s->inverse;
    for (size_t g = 0, i = 0; g < s->data->groups; g++)
        for (const size_t end = s->data->end[g]; i < end; i++) {
            const double own = r[i] - s->u[g] * inverse[i];
            term[i] = own * own / s2;
        }
    const size_t count = s->data->count;
    if (isinf(nu)) return;
    for (size_t i = 0; i < count; i++) term[i] = (nu + 1) * steep_log1p(term[i] / nu);
}

/* Log of the likelihood integrated over s and, with the covariance H^-1 s^2 / info, over the free parameters; without
 * the priors of a and b. */
static double log_evidence(const solver *s, double info, double determinant)
{
    const double nu = s->noise->nu, s2 = s->node->s2, shared = s->noise->shared;
    const double count = (double)s->data->count, m = (double)s->m;
    const bool normal = isinf(nu);
    double *term = weighted(s, RESIDUAL), sum = 0, less = 0;
    fill_terms(s, term);
    for (size_t i = 0; i < s->data->count; i++) sum += 0.5 * term[i];
    for (size_t g = 0; shared > 0 && g < s->data->groups; g++)
        less += 0.5 * s->u[g] * s->u[g] / (shared * shared * s2) +
                0.5 * steep_log(1 + info * shared * shared * budget_sum(s, g, INVERSE));
    const double one = normal ? -0.5 * steep_log(2 * M_PI)
                              : steep_log_gamma_half(nu + 1) - steep_log_gamma_half(nu) - 0.5 * steep_log(M_PI * nu);
    const double free_s = 2 * (count - m) * (normal ? 1 : nu / (nu + 3));
    return count * one - 0.5 * (count - m) * steep_log(s2) - sum - less + 0.5 * (m + 1) * steep_log(2 * M_PI) -
           0.5 * (determinant + m * steep_log(info)) - 0.5 * steep_log(free_s);
}

/* V = factor H^-1, from H = L L' of the scaled columns and their lengths: column-major, ALL rows. */
static void invert(const solver *s, const double *scale, double factor, double *V)
{
    for (size_t j = 0; j < s->m; j++) {
        double *x = V + j * ALL;
        memset(x, 0, ALL * sizeof *x);
        x[j] = 1;
        steep_symmetric_cholesky_solve(s->m, s->H, ALL, x);
        for (size_t i = 0; i < s->m; i++) x[i] *= factor / (scale[i] * scale[j]);
    }
}

/* The probability that a normal number is between 0 and a limit. */
static double within(double centre, double deviation, double limit)
{
    double positive, beyond, density;
    steep_normal(centre / deviation, &positive, &density);
    steep_normal((centre - limit) / deviation, &beyond, &density);
    return positive - beyond;
}

double steep_joint_shares(const steep_joint_data *data, double centre, double deviation,
                          double share[STEEP_JOINT_LIMITS], double limit[STEEP_JOINT_LIMITS])
{
    static const double part[STEEP_JOINT_LIMITS] = {INFINITY, 2, 0.1, 0.01};
    static const double prior[STEEP_JOINT_LIMITS] = {0.2, 0.5, 0.2, 0.1};
    double sum = 0;
    for (size_t k = 0; k < STEEP_JOINT_LIMITS; k++) {
        limit[k] = fmin(part[k] * data->least, data->most);
        sum += share[k] = prior[k] * data->most / limit[k] * fmax(within(centre, deviation, limit[k]), 0);
    }
    return sum;
}

/* Log of the probability that A and B are between 0 and the largest loss, plus that of E's shares and of the density of
 * c's prior. */
static double log_bounds(const solver *s, const double *V)
{
    double sum = 0;
    const double change = s->noise->change;
    for (size_t k = 0; k < s->m; k++) {
        const double at = s->node->at[s->free[k]], deviation = sqrt(V[k + k * ALL]);
        double share[STEEP_JOINT_LIMITS], limit[STEEP_JOINT_LIMITS], inside = 1;
        if (s->free[k] == STEEP_JOINT_C) sum -= 0.5 * at * at / (change * change) + steep_log(change * sqrt(2 * M_PI));
        else if (s->free[k] == STEEP_JOINT_E) inside = steep_joint_shares(s->data, at, deviation, share, limit);
        else if (s->free[k] < STEEP_JOINT_INNER) inside = within(at, deviation, s->data->most);
        sum += steep_log(fmax(inside, 1e-300));
    }
    return sum;
}

/* Fills node->factor from the covariance V, which is spoilt. */
static void put_factor(const solver *s, double *V)
{
    size_t inner = 0;
    double *L = s->node->factor;
    memset(L, 0, sizeof s->node->factor);
    while (inner < s->m && s->free[inner] < STEEP_JOINT_INNER) inner++;
    if (steep_symmetric_cholesky(inner, V, ALL, 0, s->data->work) > 0) return;
    for (size_t j = 0; j < inner; j++)
        for (size_t i = j; i < inner; i++) L[s->free[i] * STEEP_JOINT_INNER + s->free[j]] = V[i + j * ALL];
}

static void conclude(solver *s, double covariance[4])
{
    const double nu = s->noise->nu, info = isinf(nu) ? 1 : (nu + 1) / (nu + 3), shared = s->noise->shared;
    double scale[ALL], V[ALL * ALL];
    for (size_t i = 0; i < s->data->count; i++) s->weight[i] = 1;
    apply_weights(s);
    fill_system(s, shared > 0 ? 1 / (shared * shared) / info : 0);
    add_prior(s, info);
    const double determinant = factorize(s, RIDGE, scale);
    s->node->evidence = -INFINITY;
    if (isnan(determinant)) return;
    invert(s, scale, s->node->s2 / info, V);
    double evidence = log_evidence(s, info, determinant) + log_bounds(s, V) + s->noise->prior +
                      s->node->at[STEEP_JOINT_LOG_A] + s->node->at[STEEP_JOINT_LOG_B];
    /* Where a term is near 0, its exponent may be anything between its bounds, but no more. */
    for (size_t j = 0; j < s->m; j++)
        if (s->free[j] >= STEEP_JOINT_INNER) evidence -= fmax(0, 0.5 * steep_log(V[j + j * ALL] / (WIDE * WIDE)));
    if (isfinite(evidence)) s->node->evidence = evidence;
    for (size_t k = 0; covariance && k < 4; k++) covariance[k] = k % 3 ? 0 : 1e-30;
    for (size_t j = 0; covariance && j < s->m; j++)
        for (size_t i = 0; i < s->m; i++)
            if (s->free[i] >= STEEP_JOINT_INNER && s->free[j] >= STEEP_JOINT_INNER)
                covariance[s->free[i] - STEEP_JOINT_INNER + 2 * (s->free[j] - STEEP_JOINT_INNER)] = V[i + j * ALL];
    put_factor(s, V);
}

static void begin(solver *s, bool whole)
{
    const size_t last = whole ? ALL : STEEP_JOINT_INNER;
    s->m = 0;
    for (size_t k = 0; k < ALL; k++) {
        const bool none = k == STEEP_JOINT_C && s->noise->form != STEEP_LAW_FORM_PRODUCT;
        if (none || s->data->told[k]) s->node->at[k] = none ? 0 : s->data->fixed[k];
        else if (k < last) s->free[s->m++] = k;
    }
    s->f = s->data->row;
    s->weight = s->f + s->data->count;
    s->inverse = column(s, INVERSE);
    s->u = s->weight + s->data->count;
    fill_deviations(s);
    for (size_t i = 0; i < s->data->count; i++) s->weight[i] = 1;
}

/* An exponent on its bound that would go beyond it is fixed for this step: the other parameters are solved for without
 * it. */
static void hold_bounds(solver *s)
{
    const double least = steep_log(STEEP_JOINT_LEAST), most = steep_log(STEEP_JOINT_MOST);
    for (size_t k = 0; k < s->m; k++) {
        const double at = s->node->at[s->free[k]];
        if (s->free[k] < STEEP_JOINT_INNER || !(s->g[k] < 0 ? at <= least : at >= most)) continue;
        for (size_t j = 0; j < s->m; j++) s->H[k > j ? k + j * ALL : j + k * ALL] = j == k;
        s->g[k] = 0;
    }
}

/* One step of the iteration for step 1 of joint.h; true where it is too short to be taken, or cannot be computed. */
static bool improve(solver *s, double penalty)
{
    double scale[ALL], fall;
    (s->noise->form == STEEP_LAW_FORM_KAPLAN ? fill_power : fill_sum)(s->data, s->node->at, s->f, s->data->column);
    fill_residuals(s);
    apply_weights(s);
    fill_shared(s, penalty);
    fill_weights(s);
    apply_weights(s);
    double rest = 0;
    for (size_t g = 0; penalty > 0 && g < s->data->groups; g++)
        rest += s->u[g] * (s->u[g] * (penalty + budget_sum(s, g, INVERSE)) - 2 * budget_sum(s, g, RESIDUAL));
    rest += steep_dense_dot(s->data->count, column(s, RESIDUAL), weighted(s, RESIDUAL));
    const double nu = s->noise->nu, s2 = fmax(rest / (double)(s->data->count - s->m), LEAST_S * LEAST_S);
    const double hasten = isinf(nu) ? 1 : (nu + 3) / nu, change_s = hasten * steep_log(s2 / s->node->s2);
    s->node->s2 = fmax(s->node->s2 * steep_exp(fmax(-3, fmin(change_s, 3))), LEAST_S * LEAST_S);
    fill_system(s, penalty);
    add_prior(s, 1);
    hold_bounds(s);
    if (isnan(factorize(s, DAMPING, scale))) return true;
    for (size_t j = 0; j < s->m; j++) s->g[j] /= scale[j];
    steep_symmetric_cholesky_solve(s->m, s->H, ALL, s->g);
    for (size_t j = 0; j < s->m; j++) s->g[j] = s->g[j] / scale[j] * (isinf(nu) ? 1 : (nu + 3) / (nu + 1));
    const double change = largest_change(s, s->g, &fall);
    if (!(change > CLOSE * sqrt(s->node->s2)) && fabs(change_s) < 2 * CLOSE) return true;
    move(s, s->g, fall);
    return false;
}

void steep_joint_solve(const steep_joint_data *data, const steep_joint_noise *noise, steep_joint_node *node,
                       double covariance[4])
{
    solver s = {.data = data, .noise = noise, .node = node};
    const double penalty = noise->shared > 0 ? 1 / (noise->shared * noise->shared) : 0;
    begin(&s, covariance != NULL);
    s.part = 1;
    for (size_t step = 1; step <= 2 * STEPS && !improve(&s, penalty); step++)
        if (step >= STEPS && step % SHORTER == 0)
            s.part /= 2; /* with few points whole steps may cycle around the minimum */
    conclude(&s, covariance);
}
