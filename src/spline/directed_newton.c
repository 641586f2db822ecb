/* SPDX-License-Identifier: GPL-3.0-or-later */
/* F(m) = min_c F(m, c), m the knots and angles, has the Hessian F_mm - F_mc F_cc^-1 F_cm. Each derivative of the
 * network is a polynomial on its gate's open side, so all entries come from the sums of directed.c. A knot's diagonal
 * entry has one more term, for the samples that change sides as the knot moves: density * e(t) * slope at t, e = y(t) -
 * target. */
#include "spline/directed_parts.h"

#include <math.h>
#include <string.h>

#define LONGEST       0.3  /* longest change of a knot in a step; of an angle three times as much; tuned */
#define OUTSIDE       1.1  /* knots stay in [-OUTSIDE, OUTSIDE] */
#define FIRST_DAMPING 1e-3 /* tuned, like the constants below */
#define LEAST_DAMPING 1e-9
#define MORE          4 /* factor of the damping after a rejected step */
#define LESS          5 /* divisor of the damping after an accepted step */
#define TRIALS        30
#define SINGULAR      1e-12
#define PATIENCE      4    /* steps after which a descent may be given up */
#define TOO_SLOW      0.02 /* share of the remaining way to the goal that a step must make */
#define NEAR          4    /* the density at a knot comes from this many samples on each side */

enum { TERMS = STEEP_DIRECTED_TERMS, MOVES = STEEP_DIRECTED_MOVES, LINES = STEEP_DIRECTED_LINES };

/* Coefficients of a unit's polynomials on its open side, and sums of the residual there. */
typedef struct unit {
    double base[TERMS];     /* d h / d c_j is v^j times this polynomial */
    double move[2][TERMS];  /* d h / d knot, d angle */
    double whole[TERMS];    /* h */
    double residual[TERMS]; /* sum of w (y(v) - y) v^k over the open side */
} unit;

static void times_line(const steep_directed *d, size_t i, const long double *p, double factor, double *out)
{
    size_t C = d->class.coefficients, base = d->terms - C + 1;
    const long double *c = d->line + 1 + i * C;
    memset(out, 0, TERMS * sizeof *out);
    for (size_t j = 0; j < C; j++)
        for (size_t k = 0; k < base; k++) out[k + j] += factor * (double)(c[j] * p[k]);
}

/* p times the returned factor is the derivative of h / (sum of c_j v^j) in move a of gate i (where b > a) or in moves a
 * and b <= a. Move 0 is the knot, 1 the angle; the second derivative in the knot is 0 but for the kink. */
static double derive_base(const steep_directed *d, const steep_directed_gate *gate, size_t i, const size_t move[2],
                          long double p[TERMS])
{
    const size_t a = move[0], b = move[1];
    const bool knot = a == 0 || b == 0;
    if (a == b) { /* v cos a + sin a is minus its second derivative */
        memcpy(p, d->base[i], TERMS * sizeof *p);
        return knot ? 0 : -1;
    }
    steep_directed_base(d, gate, i, !knot, a > 0, p);
    return knot ? -gate->sign : 1;
}

static void set_unit(const steep_directed *d, const steep_directed_gate *gate, size_t i, unit *u)
{
    long double p[TERMS];
    memset(u, 0, sizeof *u);
    for (size_t k = 0; k < d->terms; k++) u->base[k] = (double)d->base[i][k];
    times_line(d, i, d->base[i], 1, u->whole);
    for (size_t a = 0; a < d->per; a++) {
        const double factor = derive_base(d, gate, i, (size_t[2]){a, d->per}, p);
        times_line(d, i, p, factor, u->move[a]);
    }
}

static double dot(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
    return sum;
}

/* weighted[k] = sum_l sum[k + l] p[l] */
static void weigh(size_t terms, const double *sum, const double *p, double *weighted)
{
    for (size_t k = 0; k < terms; k++) weighted[k] = dot(terms, sum + k, p);
}

/* Sets the inner products of unit j's moves with unit i's columns; adds unit j's share of unit i's residual sums. */
static void add_pair(steep_directed *d, size_t i, size_t j, unit *u, double mixed[LINES][MOVES])
{
    size_t C = d->class.coefficients, terms = d->terms, per = d->per, base = terms - C + 1;
    long double exact[STEEP_DIRECTED_SUMS];
    double sum[STEEP_DIRECTED_SUMS], weighted[TERMS];
    if (!steep_directed_sums(d, i, j, exact)) return;
    for (size_t k = 0; k < d->sums; k++) sum[k] = (double)exact[k];
    weigh(terms, sum, u[j].whole, weighted);
    for (size_t k = 0; k < terms; k++) u[i].residual[k] += weighted[k];
    for (size_t b = 0; b < per; b++) {
        weigh(terms, sum, u[j].move[b], weighted);
        for (size_t p = 0; p < C; p++) mixed[1 + i * C + p][j * per + b] = dot(base, u[i].base, weighted + p);
        for (size_t a = 0; a < per; a++) d->hessian[i * per + a][j * per + b] = dot(terms, u[i].move[a], weighted);
    }
}

/* Sets row 0 of mixed, the bias against unit i's moves; starts unit i's residual sums with bias - target. */
static void add_constant(const steep_directed *d, size_t i, unit *u, double mixed[LINES][MOVES])
{
    const size_t terms = d->terms;
    const long double *low = d->power + d->open[i].first * d->sums, *high = d->power + d->open[i].end * d->sums,
                      *below = d->value + d->open[i].first * terms, *above = d->value + d->open[i].end * terms;
    double sum[TERMS];
    for (size_t k = 0; k < terms; k++) {
        sum[k] = (double)(high[k] - low[k]);
        u[i].residual[k] = (double)(d->line[0] * (high[k] - low[k]) - (above[k] - below[k]));
    }
    for (size_t a = 0; a < d->per; a++) mixed[0][i * d->per + a] = dot(terms, sum, u[i].move[a]);
}

/* density * e(t) * (-s) d h / d knot at the knot t of gate i; 0 where all samples are on one side. */
static double kink(const steep_directed *d, const steep_directed_gates *gates, size_t i, const unit *u)
{
    size_t k = gates->gate[i].sign > 0 ? d->open[i].first : d->open[i].end;
    if (k == 0 || k >= d->count) return 0;
    double t = gates->gate[i].knot, network = (double)d->line[0], slope = 0;
    for (size_t j = 0; j < d->width; j++) {
        double h = 0;
        if (!(gates->gate[j].sign * (t - gates->gate[j].knot) > 0)) continue;
        for (size_t l = d->terms; l-- > 0;) h = h * t + u[j].whole[l];
        network += h;
    }
    for (size_t l = d->terms; l-- > 0;) slope = slope * t + u[i].move[0][l];
    double gap = d->v[k] - d->v[k - 1], part = gap > 0 ? (t - d->v[k - 1]) / gap : 0;
    size_t first = k > NEAR ? k - NEAR : 0, last = k + NEAR < d->count ? k + NEAR : d->count - 1;
    double width = d->v[last] - d->v[first], weight = (double)(d->power[last * d->sums] - d->power[first * d->sums]);
    double e = network - (d->y[k - 1] + part * (d->y[k] - d->y[k - 1]));
    return width > 0 ? -gates->gate[i].sign * weight / width * e * slope : 0;
}

/* Sets the gradient; adds residual times second derivative, in a c and a move or in two moves of the same gate. */
static void add_curvature(steep_directed *d, const steep_directed_gate *gate, size_t i, const unit *u,
                          double mixed[LINES][MOVES])
{
    const size_t C = d->class.coefficients, per = d->per, base = d->terms - C + 1;
    const double *r = u->residual;
    long double p[TERMS];
    double q[TERMS];
    for (size_t a = 0; a < per; a++) {
        d->gradient[i * per + a] = dot(d->terms, u->move[a], r);
        double factor = derive_base(d, gate, i, (size_t[2]){a, per}, p);
        for (size_t j = 0; j < C; j++)
            for (size_t k = 0; k < base; k++) mixed[1 + i * C + j][i * per + a] += factor * (double)p[k] * r[k + j];
        for (size_t b = 0; b <= a; b++) {
            factor = derive_base(d, gate, i, (size_t[2]){a, b}, p);
            times_line(d, i, p, factor, q);
            double term = dot(d->terms, q, r);
            d->hessian[i * per + a][i * per + b] += term;
            if (a != b) d->hessian[i * per + b][i * per + a] += term;
        }
    }
}

/* F_mm - F_mc F_cc^-1 F_cm with F_cc = L L'. */
static void eliminate(steep_directed *d, double mixed[LINES][MOVES])
{
    for (size_t i = 0; i < d->lines; i++) { /* L^-1 F_cm, row by row */
        double *row = mixed[i];
        if (d->dependent[i]) {
            memset(row, 0, d->moves * sizeof *row);
            continue;
        }
        for (size_t k = 0; k < i; k++) {
            double l = (double)d->factor[i][k];
            for (size_t m = 0; m < d->moves; m++) row[m] -= l * mixed[k][m];
        }
        double inverse = 1 / (double)d->factor[i][i];
        for (size_t m = 0; m < d->moves; m++) row[m] *= inverse;
        for (size_t a = 0; a < d->moves; a++)
            for (size_t b = 0; b <= a; b++) d->hessian[a][b] -= row[a] * row[b];
    }
}

void steep_directed_derive(steep_directed *d, const steep_directed_gates *gates)
{
    unit u[STEEP_DIRECTED_WIDTH];
    double mixed[LINES][MOVES] = {{0}};
    memset(d->hessian, 0, sizeof d->hessian);
    for (size_t i = 0; i < d->width; i++) {
        set_unit(d, &gates->gate[i], i, &u[i]);
        add_constant(d, i, u, mixed);
    }
    for (size_t i = 0; i < d->width; i++)
        for (size_t j = 0; j < d->width; j++) add_pair(d, i, j, u, mixed);
    for (size_t m = 0; m < d->moves; m++) d->scale[m] = d->hessian[m][m];
    for (size_t i = 0; i < d->width; i++) {
        add_curvature(d, &gates->gate[i], i, &u[i], mixed);
        d->hessian[i * d->per][i * d->per] += kink(d, gates, i, u);
    }
    eliminate(d, mixed);
}

/* step = (H + mu scale)^-1 gradient; false where the matrix is not positive definite. */
static bool newton_step(const steep_directed *d, double damping, double step[MOVES])
{
    double A[MOVES][MOVES], most = 0;
    for (size_t m = 0; m < d->moves; m++) most = fmax(most, d->scale[m]);
    double least = 1e-8 * most + 1e-300;
    for (size_t i = 0; i < d->moves; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = d->hessian[i][j] + (i == j ? damping * (d->scale[i] + least) : 0);
            sum -= dot(j, A[i], A[j]);
            if (j < i) A[i][j] = sum / A[j][j];
            else if (sum > SINGULAR * (d->scale[i] + least)) A[i][i] = sqrt(sum);
            else return false;
        }
        step[i] = (d->gradient[i] - dot(i, A[i], step)) / A[i][i];
    }
    for (size_t i = d->moves; i-- > 0;) {
        for (size_t k = i + 1; k < d->moves; k++) step[i] -= A[k][i] * step[k];
        step[i] /= A[i][i];
    }
    return true;
}

static void take_step(const steep_directed *d, const double *step, steep_directed_gates *gates)
{
    double longest = 0;
    for (size_t m = 0; m < d->moves; m++) longest = fmax(longest, fabs(step[m]) / (m % d->per ? 3 : 1));
    double cut = longest > LONGEST ? LONGEST / longest : 1;
    for (size_t i = 0; i < d->width; i++) {
        steep_directed_gate *gate = &gates->gate[i];
        gate->knot = fmin(fmax(gate->knot - cut * step[i * d->per], -OUTSIDE), OUTSIDE);
        if (d->class.factors > 0) gate->angle -= cut * step[i * d->per + 1];
    }
}

/* One accepted step from *gates, whose half mean square is *square; false where no trial lowers it. The damping changes
 * by small factors: where two gates come to face each other at one knot, the valley is narrow, and a step with a
 * thousand times too much damping gets nowhere. */
static bool improve(steep_directed *d, double *damping, steep_directed_gates *gates, long double *square)
{
    double step[MOVES];
    for (size_t trial = 0; trial < TRIALS; trial++, *damping *= MORE) {
        if (!newton_step(d, *damping, step)) continue;
        steep_directed_gates next = *gates;
        take_step(d, step, &next);
        long double value = steep_directed_solve(d, &next);
        if (!(value < *square)) continue;
        *gates = next;
        *square = value;
        *damping = fmax(*damping / LESS, LEAST_DAMPING);
        return true;
    }
    return false;
}

size_t steep_directed_descend(steep_directed *d, size_t most, double tolerance, double goal,
                              steep_directed_gates *gates)
{
    long double square = steep_directed_solve(d, gates), least = goal * goal / 2;
    double damping = FIRST_DAMPING;
    size_t steps = 0;
    bool going = square > 0;
    while (going && steps < most) {
        long double before = square;
        steep_directed_derive(d, gates);
        if (!improve(d, &damping, gates, &square)) break;
        steps++;
        going = before - square > tolerance * before;
        if (least > 0 && square > least && steps > PATIENCE && before - square < TOO_SLOW * (square - least))
            going = false;
    }
    square = steep_directed_solve(d, gates); /* the last trial may have solved for other gates */
    gates->rmse = (double)sqrtl(2 * square);
    gates->bias = d->line[0];
    for (size_t i = 0; i < d->width; i++)
        memcpy(gates->gate[i].coefficient, d->line + 1 + i * d->class.coefficients,
               d->class.coefficients * sizeof *d->line);
    return steps;
}
