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
 * All in numbers of 80 bits; the parameters are rounded once. */
#include "spline/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/sort.h"

#define TERMS (STEEP_SPLINE_MAX_DEGREE + 1)

typedef struct placed_gate {
    double knot, sign;
    size_t unit;
} placed_gate;

/* A conversion under way: what the gates that stand inside leave to those that are open everywhere. */
typedef struct conversion {
    const steep_network *network;
    const steep_spline *spline;
    steep_piecewise piecewise;
    placed_gate *inner, *open; /* inside the domain, ascending; open on all of it: width of each */
    size_t inner_count, open_count;
    size_t base;        /* the cell whose polynomial the head begins with */
    long double origin; /* about which it is written */
    long double head[TERMS];
    double *theta;
} conversion;

static void write_unit(const conversion *c, size_t unit, double coefficient[STEEP_MAX_BRANCHES][3], double output)
{
    const steep_network *network = c->network;
    for (size_t b = 0; b < network->counts.branches; b++)
        memcpy(c->theta + steep_network_place(network, b, unit), coefficient[b], network->features[b] * sizeof(double));
    c->theta[network->output + unit] = output;
}

/* Writes unit i: gate at knot facing sign, contribution sum jump[j] (x - knot)^j. */
static bool put_unit(const conversion *c, const placed_gate *at, const long double *jump)
{
    double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0;
    if (!c->network->architecture->from_jump(&c->network->choice, at->sign, at->knot, jump, coefficient, &output))
        return false;
    write_unit(c, at->unit, coefficient, output);
    return true;
}

/* A unit that keeps its gate and contributes nothing. */
static void put_silent(const conversion *c, const placed_gate *at)
{
    const steep_network *network = c->network;
    for (size_t b = 0; b < network->counts.branches; b++)
        for (size_t f = 0; f < network->features[b]; f++) c->theta[steep_network_place(network, b, at->unit) + f] = 0;
    double *gate = c->theta + steep_network_place(network, 0, at->unit);
    gate[0] = at->sign;
    gate[1] = -at->sign * at->knot;
    c->theta[network->output + at->unit] = 0;
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
static void add_jump(size_t degree, long double factor, const long double *jump, long double t, long double origin,
                     long double *head)
{
    long double c[TERMS];
    memcpy(c, jump, (degree + 1) * sizeof *c);
    steep_spline_shift(degree, origin - t, c);
    for (size_t j = 0; j <= degree; j++) head[j] += factor * c[j];
}

/* Power units D (sign (x - t))^p, continuity = degree = p: a combination of p distinct ones has any coefficients of
 * x..x^p. Gaussian elimination with row pivoting; equations k = 1..p: sum_i D_i C(p, k) (origin - t_i)^{p-k} =
 * head_k. */
static bool solve_powers(size_t p, const placed_gate *open, long double origin, long double *head, long double *weight)
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
static bool put_one(conversion *c)
{
    long double jump[TERMS] = {0};
    add_jump(c->piecewise.degree, 1, c->head, c->origin, c->open->knot, jump);
    c->head[0] = jump[0];
    jump[0] = 0;
    return put_unit(c, c->open, jump);
}

/* Gate g, from the last to the first, takes powers 2g + 2 and 2g + 1 of what is left by the unit (x - t) s^{2g} (b + c
 * s), s = x - origin, which changes power 2g too: synthetic division, in powers about the origin throughout. Leaves
 * the constant in head[0]. */
static bool put_rooted(conversion *to)
{
    long double *head = to->head, origin = to->origin;
    for (size_t g = to->piecewise.heads; g-- > 0;) {
        const placed_gate *open = to->open + g;
        double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0;
        long double t = open->knot - origin, c = 2 * g + 2 <= to->piecewise.degree ? head[2 * g + 2] : 0;
        long double b = head[2 * g + 1] + t * c;
        head[2 * g] += t * b;
        const steep_head requested = {open->sign, open->knot, origin, 2 * g, b, c};
        if (!to->network->architecture->from_head(&requested, coefficient, &output)) return false;
        write_unit(to, open->unit, coefficient, output);
    }
    return true;
}

/* Distinct power units, a gate each; false where two stand at one place. */
static bool put_powers(conversion *c, const long double *weight)
{
    size_t p = c->piecewise.degree;
    for (size_t i = 0; i < p; i++) {
        long double jump[TERMS] = {0};
        jump[p] = weight[i];
        bool carried = put_unit(c, c->open + i, jump);
        add_jump(p, -1, jump, c->open[i].knot, c->origin, c->head);
        if (!carried) return false;
    }
    return true;
}

/* Step 3. Uses the first of the open gates, silences the others. */
static bool put_head(conversion *c)
{
    size_t p = c->piecewise.degree, heads = c->piecewise.heads, used = 0;
    bool carried = false;
    long double weight[TERMS];
    if (c->piecewise.continuity == p && c->open_count >= p && solve_powers(p, c->open, c->origin, c->head, weight)) {
        carried = put_powers(c, weight);
        used = p;
    } else if (c->piecewise.continuity < p && c->open_count >= 1) {
        bool rooted = c->network->architecture->from_head && c->open_count >= heads;
        carried = rooted ? put_rooted(c) : put_one(c);
        used = carried && c->open_count >= heads ? heads : 1;
    }
    for (size_t i = used; carried && i < c->open_count; i++) put_silent(c, c->open + i);
    c->theta[c->network->bias] = (double)c->head[0];
    return carried;
}

/* Steps 1 and 2 over the sorted interior gates: writes their units, corrects the head. */
static steep_status put_inner(conversion *c, steep_error *error)
{
    const steep_spline *spline = c->spline;
    size_t p = spline->degree, cell = 0;
    for (size_t i = 0; i < c->inner_count; i++) {
        const placed_gate *at = c->inner + i;
        long double jump[TERMS];
        if (i > 0 && at->knot == at[-1].knot) { /* a second gate at a knot has nothing left to do */
            put_silent(c, at);
            continue;
        }
        if (cell + 1 >= spline->cells || spline->knot[cell + 1] != at->knot)
            return steep_fail(error, STEEP_BAD_INPUT, "a gate at %.17g stands on no knot of the spline", at->knot);
        jump_at(spline, cell, c->piecewise.continuity, jump);
        bool right = at->sign > 0, left_of_base = cell < c->base;
        if (right && left_of_base) add_jump(p, -1, jump, at->knot, c->origin, c->head);
        if (!right && !left_of_base) add_jump(p, 1, jump, at->knot, c->origin, c->head);
        if (!right)
            for (size_t j = 0; j <= p; j++) jump[j] = -jump[j];
        if (!put_unit(c, at, jump))
            return steep_fail(error, STEEP_SINGULAR, "no %s unit makes the jump at knot %.17g",
                              c->network->architecture->name, at->knot);
        cell++;
    }
    if (cell + 1 == spline->cells) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%zu interior gates for a spline with %zu cells: expected one for each interior knot", cell,
                      spline->cells);
}

static int compare_gates(const void *left, const void *right)
{
    const placed_gate *a = left, *b = right;
    if (a->knot != b->knot) return a->knot < b->knot ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

/* Inner gates, by knot and unit, and open ones from knot and sign; a gate closed everywhere is silent. */
static void split_gates(conversion *c, const double *knot, const double *sign)
{
    double low = c->spline->knot[0], high = c->spline->knot[c->spline->cells];
    c->inner_count = c->open_count = 0;
    for (size_t i = 0; i < c->network->width; i++) {
        const placed_gate at = {knot[i], sign[i] < 0 ? -1.0 : 1.0, i};
        if (knot[i] > low && knot[i] < high) c->inner[c->inner_count++] = at;
        else if ((knot[i] <= low) == (at.sign > 0)) c->open[c->open_count++] = at;
        else put_silent(c, &at);
    }
    qsort(c->inner, c->inner_count, sizeof *c->inner, compare_gates);
}

/* All steps. */
static steep_status convert(conversion *c, steep_error *error)
{
    size_t facing_left = 0, cells = c->spline->cells;
    for (size_t i = 0; i < c->inner_count; i++)
        if (c->inner[i].sign < 0 && (i == 0 || c->inner[i].knot != c->inner[i - 1].knot)) facing_left++;
    c->base = facing_left < cells ? facing_left : cells - 1;
    c->origin = c->spline->knot[c->base + 1];
    steep_spline_taylor(c->spline, c->base, c->origin, c->head);
    const steep_status status = put_inner(c, error);
    if (status != STEEP_OK || put_head(c)) return status;
    return steep_fail(error, STEEP_SINGULAR,
                      "%zu gates open on the whole domain cannot carry the polynomial that %s needs there: "
                      "expected %zu",
                      c->open_count, c->network->architecture->name, c->piecewise.heads);
}

steep_status steep_gates_from_spline(const steep_network *network, const steep_spline *spline, const double *knot,
                                     const double *sign, double *theta, steep_error *error)
{
    conversion c = {.network = network, .spline = spline, .theta = theta};
    c.piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (network->dim != 1 || c.piecewise.degree == 0 || c.piecewise.degree != spline->degree ||
        !network->architecture->from_jump)
        return steep_fail(error, STEEP_BAD_INPUT, "%s in %zuD is no spline of degree %zu", network->architecture->name,
                          network->dim, spline->degree);
    c.inner = malloc(2 * network->width * sizeof *c.inner);
    if (!c.inner) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates", network->width);
    c.open = c.inner + network->width;
    split_gates(&c, knot, sign);
    const steep_status status = convert(&c, error);
    free(c.inner);
    return status;
}

double steep_gates_knot(const steep_network *network, const double *theta, size_t i)
{
    const double *map = theta + steep_network_gate(network, i);
    return -map[1] / map[0];
}

size_t steep_gates_knots(const steep_network *network, const double *theta, double low, double high, double *knot)
{
    size_t found = 0, distinct = 0;
    for (size_t i = 0; network->dim == 1 && i < network->width; i++) {
        double root = steep_gates_knot(network, theta, i);
        if (root > low && root < high) knot[found++] = root;
    }
    steep_sort_numbers(knot, found);
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
