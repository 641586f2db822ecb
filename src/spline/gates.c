/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A spline's jumps become a network's parameters.
 *
 *   1. Between two neighbouring cells the polynomial jumps by J_i(x) = sum_{j >= continuity} jump_j (x - t_i)^j. A gate
 *      that faces right contributes J_i where it is open (x > t_i), one that faces left -J_i (x < t_i).
 *   2. What is left is one polynomial for the whole line, the head: the polynomial of any cell less the contributions
 *      open there. The cell with as many knots to its left as gates face left needs the fewest corrections: none when
 *      gates face outward.
 *   3. Gates that are open on the whole domain carry the head, but for its constant, which is the output bias.
 *
 * All in long double; the parameters are rounded once. */
#include "spline/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TERMS (STEEP_SPLINE_MAX_DEGREE + 1)

typedef struct gate {
    double knot, sign;
    size_t unit;
} gate;

static int compare_gates(const void *a, const void *b)
{
    const gate *u = a, *v = b;
    if (u->knot != v->knot) return u->knot < v->knot ? -1 : 1;
    return u->unit < v->unit ? -1 : u->unit > v->unit;
}

static void write_unit(const steep_network *network, size_t unit, double coefficient[STEEP_MAX_BRANCHES][3],
                       double output, double *theta)
{
    for (size_t b = 0; b < network->counts.branches; b++)
        memcpy(theta + network->branch[b] + unit * network->features[b], coefficient[b],
               network->features[b] * sizeof(double));
    theta[network->output + unit] = output;
}

/* Writes unit i: gate at knot facing sign, contribution sum jump[j] (x - knot)^j. */
static bool put_unit(const steep_network *network, const gate *at, const long double *jump, double *theta)
{
    double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0;
    if (!network->architecture->from_jump(&network->choice, at->sign, at->knot, jump, coefficient, &output))
        return false;
    write_unit(network, at->unit, coefficient, output, theta);
    return true;
}

/* A unit that keeps its gate and contributes nothing. */
static void put_silent(const steep_network *network, const gate *at, double *theta)
{
    for (size_t b = 0; b < network->counts.branches; b++)
        for (size_t f = 0; f < network->features[b]; f++)
            theta[network->branch[b] + at->unit * network->features[b] + f] = 0;
    theta[network->branch[0] + 2 * at->unit] = at->sign;
    theta[network->branch[0] + 2 * at->unit + 1] = -at->sign * at->knot;
    theta[network->output + at->unit] = 0;
}

/* jump[0..degree] at the interior knot that ends cell left; entries below continuity are 0. */
static void jump_at(const steep_spline *spline, size_t left, size_t continuity, long double *jump)
{
    long double before[TERMS];
    double t = spline->knot[left + 1];
    steep_spline_taylor(spline, left, t, before);
    steep_spline_taylor(spline, left + 1, t, jump);
    for (size_t j = 0; j <= spline->degree; j++) jump[j] = j < continuity ? 0 : jump[j] - before[j];
}

/* head += factor * sum jump[j] (x - t)^j, both about x = origin. */
static void add_polynomial(size_t degree, long double factor, const long double *jump, long double t,
                           long double origin, long double *head)
{
    long double c[TERMS];
    memcpy(c, jump, (degree + 1) * sizeof *c);
    steep_spline_shift(degree, origin - t, c);
    for (size_t j = 0; j <= degree; j++) head[j] += factor * c[j];
}

/* Power units D (sign (x - t))^p, continuity = degree = p: a combination of p distinct ones has any coefficients of
 * x..x^p. Gaussian elimination with row pivoting; equations k = 1..p: sum_i D_i C(p, k) (origin - t_i)^{p-k} =
 * head_k. */
static bool solve_power_head(size_t p, const gate *open, long double origin, long double *head, long double *weight)
{
    long double a[TERMS][TERMS + 1];
    for (size_t i = 0; i < p; i++) {
        long double c[TERMS] = {0};
        c[p] = 1;
        steep_spline_shift(p, origin - open[i].knot, c);
        for (size_t k = 1; k <= p; k++) a[k - 1][i] = c[k];
    }
    for (size_t k = 1; k <= p; k++) a[k - 1][p] = head[k];
    for (size_t j = 0; j < p; j++) {
        size_t best = j;
        for (size_t r = j + 1; r < p; r++)
            if (fabsl(a[r][j]) > fabsl(a[best][j])) best = r;
        if (!(fabsl(a[best][j]) > 0)) return false; /* two gates at one place */
        for (size_t c = 0; c <= p; c++) {
            long double swap = a[j][c];
            a[j][c] = a[best][c];
            a[best][c] = swap;
        }
        for (size_t r = j + 1; r < p; r++) {
            long double factor = a[r][j] / a[j][j];
            for (size_t c = j; c <= p; c++) a[r][c] -= factor * a[j][c];
        }
    }
    for (size_t j = p; j-- > 0;) {
        weight[j] = a[j][p];
        for (size_t c = j + 1; c < p; c++) weight[j] -= a[j][c] * weight[c];
        weight[j] /= a[j][j];
    }
    return true;
}

/* One gate takes all powers, about its own knot, and leaves the constant in head[0]; false where no unit can. */
static bool put_one_head(const steep_network *network, size_t p, const gate *open, long double origin,
                         long double *head, double *theta)
{
    long double jump[TERMS] = {0};
    add_polynomial(p, 1, head, origin, open->knot, jump);
    head[0] = jump[0];
    jump[0] = 0;
    return put_unit(network, open, jump, theta);
}

/* Gate g, from the last to the first, takes powers 2g + 2 and 2g + 1 of what is left by the unit (x - t) s^{2g} (b + c
 * s), s = x - origin, which changes power 2g too: synthetic division, in powers about the origin throughout. Leaves
 * the constant in head[0]. */
static bool put_rooted_heads(const steep_network *network, const steep_piecewise *piecewise, const gate *open,
                             long double origin, long double *head, double *theta)
{
    for (size_t g = piecewise->heads; g-- > 0;) {
        double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0;
        long double t = open[g].knot - origin, c = 2 * g + 2 <= piecewise->degree ? head[2 * g + 2] : 0;
        long double b = head[2 * g + 1] + t * c;
        head[2 * g] += t * b;
        const steep_head wanted = {open[g].sign, open[g].knot, origin, 2 * g, b, c};
        if (!network->architecture->from_head(&wanted, coefficient, &output))
            return false;
        write_unit(network, open[g].unit, coefficient, output, theta);
    }
    return true;
}

/* Step 3. open: the gates open everywhere, count of them; head about origin. Uses the first gates, silences the
 * others. */
static bool put_head(const steep_network *network, const steep_piecewise *piecewise, size_t count, const gate *open,
                     long double origin, long double *head, double *theta)
{
    size_t p = piecewise->degree, used = 0;
    bool carried = false;
    long double jump[TERMS], weight[TERMS];
    if (piecewise->continuity == p && count >= p && solve_power_head(p, open, origin, head, weight)) {
        carried = true;
        for (used = 0; used < p && carried; used++) {
            memset(jump, 0, sizeof jump);
            jump[p] = weight[used];
            carried = put_unit(network, open + used, jump, theta);
            add_polynomial(p, -1, jump, open[used].knot, origin, head);
        }
    } else if (piecewise->continuity < p && count >= 1) {
        carried = network->architecture->from_head && count >= piecewise->heads
                      ? put_rooted_heads(network, piecewise, open, origin, head, theta)
                      : put_one_head(network, p, open, origin, head, theta);
        used = carried && count >= piecewise->heads ? piecewise->heads : 1;
    }
    for (size_t i = used; carried && i < count; i++) put_silent(network, open + i, theta);
    theta[network->bias] = (double)head[0];
    return carried;
}

/* Steps 1 and 2 over the sorted interior gates: writes their units, corrects the head. */
static steep_status put_interior(const steep_network *network, const steep_piecewise *piecewise,
                                 const steep_spline *spline, size_t count, const gate *inner, long double origin,
                                 size_t base, long double *head, double *theta, steep_error *error)
{
    size_t p = spline->degree, cell = 0;
    for (size_t i = 0; i < count; i++) {
        long double jump[TERMS];
        if (i > 0 && inner[i].knot == inner[i - 1].knot) { /* a second gate at a knot has nothing left to do */
            put_silent(network, inner + i, theta);
            continue;
        }
        if (cell + 1 >= spline->cells || spline->knot[cell + 1] != inner[i].knot)
            return steep_fail(error, STEEP_BAD_INPUT, "a gate at %.17g stands on no knot of the spline", inner[i].knot);
        jump_at(spline, cell, piecewise->continuity, jump);
        bool right = inner[i].sign > 0, left_of_base = cell < base;
        if (right && left_of_base) add_polynomial(p, -1, jump, inner[i].knot, origin, head);
        if (!right && !left_of_base) add_polynomial(p, 1, jump, inner[i].knot, origin, head);
        if (!right)
            for (size_t j = 0; j <= p; j++) jump[j] = -jump[j];
        if (!put_unit(network, inner + i, jump, theta))
            return steep_fail(error, STEEP_SINGULAR, "no %s unit makes the jump at knot %.17g",
                              network->architecture->name, inner[i].knot);
        cell++;
    }
    if (cell + 1 != spline->cells)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu interior gates for a spline with %zu cells: one for each interior "
                          "knot would be right",
                          cell, spline->cells);
    return STEEP_OK;
}

static steep_status convert(const steep_network *network, const steep_piecewise *piecewise, const steep_spline *spline,
                            gate *inner, gate *open, const double *knot, const double *sign, double *theta,
                            steep_error *error)
{
    size_t n = network->width, interior = 0, opened = 0, facing_left = 0;
    double low = spline->knot[0], high = spline->knot[spline->cells];
    for (size_t i = 0; i < n; i++) {
        gate at = {knot[i], sign[i] < 0 ? -1.0 : 1.0, i};
        if (knot[i] > low && knot[i] < high) inner[interior++] = at;
        else if ((knot[i] <= low) == (at.sign > 0)) open[opened++] = at;
        else put_silent(network, &at, theta);
    }
    qsort(inner, interior, sizeof *inner, compare_gates);
    for (size_t i = 0; i < interior; i++)
        if (inner[i].sign < 0 && (i == 0 || inner[i].knot != inner[i - 1].knot)) facing_left++;
    size_t base = facing_left < spline->cells ? facing_left : spline->cells - 1;
    long double origin = spline->knot[base + 1], head[TERMS] = {0};
    steep_spline_taylor(spline, base, origin, head);
    steep_status status =
        put_interior(network, piecewise, spline, interior, inner, origin, base, head, theta, error);
    if (status == STEEP_OK && !put_head(network, piecewise, opened, open, origin, head, theta))
        status = steep_fail(error, STEEP_SINGULAR,
                            "%zu gates open on the whole domain cannot carry the polynomial that %s needs there: "
                            "%zu would be right",
                            opened, network->architecture->name, piecewise->heads);
    return status;
}

steep_status steep_gates_from_spline(const steep_network *network, const steep_spline *spline, const double *knot,
                                     const double *sign, double *theta, steep_error *error)
{
    steep_piecewise piecewise = {0, 0, 0};
    if (network->architecture->piecewise) network->architecture->piecewise(&network->choice, &piecewise);
    if (network->dim != 1 || piecewise.degree == 0 || piecewise.degree != spline->degree ||
        !network->architecture->from_jump)
        return steep_fail(error, STEEP_BAD_INPUT, "%s in %zuD is no spline of degree %zu", network->architecture->name,
                          network->dim, spline->degree);
    gate *inner = malloc(network->width * sizeof *inner), *open = malloc(network->width * sizeof *open);
    steep_status status = STEEP_NO_MEMORY;
    if (inner && open) status = convert(network, &piecewise, spline, inner, open, knot, sign, theta, error);
    else steep_fail(error, status, "no memory for %zu gates", network->width);
    free(inner);
    free(open);
    return status;
}

static int compare_doubles(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return u < v ? -1 : u > v;
}

size_t steep_gates_knots(const steep_network *network, const double *theta, double low, double high, double *knot)
{
    size_t found = 0, distinct = 0;
    for (size_t i = 0; network->dim == 1 && i < network->width; i++) {
        const double *gate_map = theta + network->branch[0] + i * network->features[0];
        double root = -gate_map[1] / gate_map[0];
        if (gate_map[0] != 0 && root > low && root < high) knot[found++] = root;
    }
    qsort(knot, found, sizeof *knot, compare_doubles);
    for (size_t i = 0; i < found; i++)
        if (i == 0 || knot[i] != knot[distinct - 1]) knot[distinct++] = knot[i];
    return distinct;
}

void steep_gates_outward(size_t n, double low, double high, const double *knot, double *sign)
{
    double middle = low + (high - low) / 2;
    for (size_t i = 0; i < n; i++) {
        if (knot[i] <= low) sign[i] = 1;
        else if (knot[i] >= high) sign[i] = -1;
        else sign[i] = knot[i] > middle ? 1 : -1;
    }
}
