/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conversion: a spline's jumps become a network's parameters: what spline/gates does, for the CPU and as device code.
 *
 *   1. Between two neighbouring cells the polynomial jumps by J_i(x) = sum_{j >= continuity} jump_j (x - t_i)^j. A gate
 *      that faces right contributes J_i where it is open (x > t_i), one that faces left -J_i (x < t_i).
 *   2. What is left is one polynomial for the whole line, the head: the polynomial of any cell less the contributions
 *      open there. The cell with as many knots to its left as gates face left needs the fewest corrections: none when
 *      gates face outward.
 *   3. Gates that are open on the whole domain carry the head, but for its constant, which is the output bias.
 *
 * All in numbers of 80 bits; the parameters are rounded once. */
#ifndef STEEP_SPLINE_CONVERSION_H
#define STEEP_SPLINE_CONVERSION_H

#include "model/jumps.h"
#include "model/network.h"
#include "spline/spline.h"
#include "spline/taylor.h"

#define STEEP_CONVERSION_TERMS (STEEP_SPLINE_MAX_DEGREE + 1)

typedef struct steep_conversion_gate {
    double knot, sign;
    size_t unit;
} steep_conversion_gate;

/* A conversion under way: what the gates that stand inside leave to those that are open everywhere. */
typedef struct steep_conversion {
    const steep_network *network;
    steep_jump_form form; /* whose units these are, for device code; the CPU asks the network's row */
    const steep_pieces *spline;
    steep_piecewise piecewise;
    steep_conversion_gate *inner, *open; /* inside the domain, ascending; open on all of it: width of each */
    size_t inner_count, open_count;
    size_t base;       /* the cell whose polynomial the head begins with */
    steep_long origin; /* about which it is written */
    steep_long head[STEEP_CONVERSION_TERMS];
    double *theta;
    const steep_conversion_gate *at; /* the interior gate that comes last; cells that have found theirs */
    size_t cell;
} steep_conversion;

typedef enum steep_conversion_end {
    STEEP_CONVERTED,
    STEEP_CONVERSION_NO_KNOT,   /* the gate `at` stands on no knot of the spline */
    STEEP_CONVERSION_NO_UNIT,   /* no unit of the row makes its jump */
    STEEP_CONVERSION_FEW_GATES, /* fewer interior gates than knots */
    STEEP_CONVERSION_NO_HEAD    /* the open gates cannot carry the head */
} steep_conversion_end;

/* The order of interior gates: by knot, then by unit. */
STEEP_INLINE bool steep_conversion_before(const steep_conversion_gate *u, const steep_conversion_gate *v)
{
    return u->knot != v->knot ? u->knot < v->knot : u->unit < v->unit;
}

#ifdef __cplusplus

STEEP_INLINE bool steep_conversion_from_jump(const steep_conversion *c, const steep_conversion_gate *at,
                                             const steep_long *jump, double coefficient[STEEP_MAX_BRANCHES][3],
                                             double *output)
{
    return steep_jump_unit(c->form, &c->network->choice, at->sign, at->knot, jump, coefficient, output);
}

STEEP_INLINE bool steep_conversion_has_heads(const steep_conversion *c)
{
    return steep_jump_head_factors(c->form) > 0;
}

STEEP_INLINE bool steep_conversion_from_head(const steep_conversion *c, const steep_jump_head *head,
                                             double coefficient[STEEP_MAX_BRANCHES][3], double *output)
{
    return steep_jump_from_head(steep_jump_head_factors(c->form), head, coefficient, output);
}

#else

STEEP_INLINE bool steep_conversion_from_jump(const steep_conversion *c, const steep_conversion_gate *at,
                                             const steep_long *jump, double coefficient[STEEP_MAX_BRANCHES][3],
                                             double *output)
{
    return c->network->architecture->from_jump(&c->network->choice, at->sign, at->knot, jump, coefficient, output);
}

STEEP_INLINE bool steep_conversion_has_heads(const steep_conversion *c)
{
    return c->network->architecture->from_head != NULL;
}

STEEP_INLINE bool steep_conversion_from_head(const steep_conversion *c, const steep_jump_head *head,
                                             double coefficient[STEEP_MAX_BRANCHES][3], double *output)
{
    return c->network->architecture->from_head(head, coefficient, output);
}

#endif

/* Where a unit's coefficients of branch b begin (steep_network_place). */
STEEP_INLINE double *steep_conversion_place(const steep_conversion *c, size_t b, size_t unit)
{
    return c->theta + c->network->branch[b] + unit * c->network->features[b];
}

STEEP_SHARED void steep_conversion_write(const steep_conversion *c, size_t unit,
                                         double coefficient[STEEP_MAX_BRANCHES][3], double output)
{
    const steep_network *network = c->network;
    for (size_t b = 0; b < network->counts.branches; b++)
        memcpy(steep_conversion_place(c, b, unit), coefficient[b], network->features[b] * sizeof(double));
    c->theta[network->output + unit] = output;
}

/* Writes unit i: gate at knot facing sign, contribution sum jump[j] (x - knot)^j. */
STEEP_SHARED bool steep_conversion_put_unit(const steep_conversion *c, const steep_conversion_gate *at,
                                            const steep_long *jump)
{
    double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0;
    if (!steep_conversion_from_jump(c, at, jump, coefficient, &output)) return false;
    steep_conversion_write(c, at->unit, coefficient, output);
    return true;
}

/* A unit that keeps its gate and contributes nothing. */
STEEP_SHARED void steep_conversion_put_silent(const steep_conversion *c, const steep_conversion_gate *at)
{
    const steep_network *network = c->network;
    for (size_t b = 0; b < network->counts.branches; b++)
        for (size_t f = 0; f < network->features[b]; f++) steep_conversion_place(c, b, at->unit)[f] = 0;
    double *gate = steep_conversion_place(c, 0, at->unit);
    gate[0] = at->sign;
    gate[1] = -at->sign * at->knot;
    c->theta[network->output + at->unit] = 0;
}

/* jump[0..degree] at the interior knot that ends cell left; entries below continuity are 0. */
STEEP_SHARED void steep_conversion_jump(const steep_pieces *spline, size_t left, size_t continuity, steep_long *jump)
{
    steep_long before[STEEP_CONVERSION_TERMS];
    double t = spline->knot[left + 1];
    steep_taylor_about(spline, left, t, before);
    steep_taylor_about(spline, left + 1, t, jump);
    for (size_t j = 0; j <= spline->degree; j++) jump[j] = j < continuity ? 0 : jump[j] - before[j];
}

/* head += factor * sum jump[j] (x - t)^j, both about x = origin. */
STEEP_SHARED void steep_conversion_add(size_t degree, steep_long factor, const steep_long *jump, steep_long t,
                                       steep_long origin, steep_long *head)
{
    steep_long c[STEEP_CONVERSION_TERMS];
    memcpy(c, jump, (degree + 1) * sizeof *c);
    steep_taylor_shift(degree, origin - t, c);
    for (size_t j = 0; j <= degree; j++) head[j] += factor * c[j];
}

/* Power units D (sign (x - t))^p, continuity = degree = p: a combination of p distinct ones has any coefficients of
 * x..x^p. Gaussian elimination with row pivoting; equations k = 1..p: sum_i D_i C(p, k) (origin - t_i)^{p-k} =
 * head_k. */
STEEP_SHARED bool steep_conversion_solve_powers(size_t p, const steep_conversion_gate *open, steep_long origin,
                                                steep_long *head, steep_long *weight)
{
    steep_long a[STEEP_CONVERSION_TERMS][STEEP_CONVERSION_TERMS + 1];
    for (size_t i = 0; i < p; i++) {
        steep_long c[STEEP_CONVERSION_TERMS] = {0};
        c[p] = 1;
        steep_taylor_shift(p, origin - open[i].knot, c);
        for (size_t k = 1; k <= p; k++) a[k - 1][i] = c[k];
    }
    for (size_t k = 1; k <= p; k++) a[k - 1][p] = head[k];
    for (size_t j = 0; j < p; j++) {
        size_t best = j;
        for (size_t r = j + 1; r < p; r++)
            if (steep_long_abs(a[r][j]) > steep_long_abs(a[best][j])) best = r;
        if (!(steep_long_abs(a[best][j]) > 0)) return false; /* two gates at one place */
        for (size_t c = 0; c <= p; c++) {
            steep_long swap = a[j][c];
            a[j][c] = a[best][c];
            a[best][c] = swap;
        }
        for (size_t r = j + 1; r < p; r++) {
            steep_long factor = a[r][j] / a[j][j];
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
STEEP_SHARED bool steep_conversion_put_one(steep_conversion *c)
{
    steep_long jump[STEEP_CONVERSION_TERMS] = {0};
    steep_conversion_add(c->piecewise.degree, 1, c->head, c->origin, c->open->knot, jump);
    c->head[0] = jump[0];
    jump[0] = 0;
    return steep_conversion_put_unit(c, c->open, jump);
}

/* Gate g, from the last to the first, takes powers 2g + 2 and 2g + 1 of what is left by the unit (x - t) s^{2g} (b + c
 * s), s = x - origin, which changes power 2g too: synthetic division, in powers about the origin throughout. Leaves
 * the constant in head[0]. */
STEEP_SHARED bool steep_conversion_put_rooted(steep_conversion *to)
{
    steep_long *head = to->head, origin = to->origin;
    for (size_t g = to->piecewise.heads; g-- > 0;) {
        const steep_conversion_gate *open = to->open + g;
        double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0;
        steep_long t = open->knot - origin, c = 2 * g + 2 <= to->piecewise.degree ? head[2 * g + 2] : 0;
        steep_long b = head[2 * g + 1] + t * c;
        head[2 * g] += t * b;
        const steep_jump_head wanted = {open->sign, open->knot, origin, 2 * g, b, c};
        if (!steep_conversion_from_head(to, &wanted, coefficient, &output)) return false;
        steep_conversion_write(to, open->unit, coefficient, output);
    }
    return true;
}

/* Distinct power units, a gate each; false where two stand at one place. */
STEEP_SHARED bool steep_conversion_put_powers(steep_conversion *c, const steep_long *weight)
{
    size_t p = c->piecewise.degree;
    for (size_t i = 0; i < p; i++) {
        steep_long jump[STEEP_CONVERSION_TERMS] = {0};
        jump[p] = weight[i];
        bool carried = steep_conversion_put_unit(c, c->open + i, jump);
        steep_conversion_add(p, -1, jump, c->open[i].knot, c->origin, c->head);
        if (!carried) return false;
    }
    return true;
}

/* Step 3. Uses the first of the open gates, silences the others. */
STEEP_SHARED bool steep_conversion_put_head(steep_conversion *c)
{
    size_t p = c->piecewise.degree, heads = c->piecewise.heads, used = 0;
    bool carried = false;
    steep_long weight[STEEP_CONVERSION_TERMS];
    if (c->piecewise.continuity == p && c->open_count >= p &&
        steep_conversion_solve_powers(p, c->open, c->origin, c->head, weight)) {
        carried = steep_conversion_put_powers(c, weight);
        used = p;
    } else if (c->piecewise.continuity < p && c->open_count >= 1) {
        bool rooted = steep_conversion_has_heads(c) && c->open_count >= heads;
        carried = rooted ? steep_conversion_put_rooted(c) : steep_conversion_put_one(c);
        used = carried && c->open_count >= heads ? heads : 1;
    }
    for (size_t i = used; carried && i < c->open_count; i++) steep_conversion_put_silent(c, c->open + i);
    c->theta[c->network->bias] = (double)c->head[0];
    return carried;
}

/* Steps 1 and 2 over the sorted interior gates: writes their units, corrects the head. */
STEEP_SHARED steep_conversion_end steep_conversion_put_inner(steep_conversion *c)
{
    const steep_pieces *spline = c->spline;
    size_t p = spline->degree, cell = 0;
    for (size_t i = 0; i < c->inner_count; i++) {
        const steep_conversion_gate *at = c->inner + i;
        steep_long jump[STEEP_CONVERSION_TERMS];
        c->at = at;
        if (i > 0 && at->knot == at[-1].knot) { /* a second gate at a knot has nothing left to do */
            steep_conversion_put_silent(c, at);
            continue;
        }
        if (cell + 1 >= spline->cells || spline->knot[cell + 1] != at->knot) return STEEP_CONVERSION_NO_KNOT;
        steep_conversion_jump(spline, cell, c->piecewise.continuity, jump);
        bool right = at->sign > 0, left_of_base = cell < c->base;
        if (right && left_of_base) steep_conversion_add(p, -1, jump, at->knot, c->origin, c->head);
        if (!right && !left_of_base) steep_conversion_add(p, 1, jump, at->knot, c->origin, c->head);
        if (!right)
            for (size_t j = 0; j <= p; j++) jump[j] = -jump[j];
        if (!steep_conversion_put_unit(c, at, jump)) return STEEP_CONVERSION_NO_UNIT;
        c->cell = ++cell;
    }
    return cell + 1 == spline->cells ? STEEP_CONVERTED : STEEP_CONVERSION_FEW_GATES;
}

/* Inner gates, to be sorted then (steep_conversion_before), and open ones from knot and sign; a gate closed everywhere is
 * silent. */
STEEP_SHARED void steep_conversion_split(steep_conversion *c, const double *knot, const double *sign)
{
    double low = c->spline->knot[0], high = c->spline->knot[c->spline->cells];
    c->inner_count = c->open_count = 0;
    for (size_t i = 0; i < c->network->width; i++) {
        const steep_conversion_gate at = {knot[i], sign[i] < 0 ? -1.0 : 1.0, i};
        if (knot[i] > low && knot[i] < high) c->inner[c->inner_count++] = at;
        else if ((knot[i] <= low) == (at.sign > 0)) c->open[c->open_count++] = at;
        else steep_conversion_put_silent(c, &at);
    }
}

/* All steps, from inner gates that are sorted. */
STEEP_SHARED steep_conversion_end steep_conversion_run(steep_conversion *c)
{
    size_t facing_left = 0, cells = c->spline->cells;
    for (size_t i = 0; i < c->inner_count; i++)
        if (c->inner[i].sign < 0 && (i == 0 || c->inner[i].knot != c->inner[i - 1].knot)) facing_left++;
    c->base = facing_left < cells ? facing_left : cells - 1;
    c->origin = c->spline->knot[c->base + 1];
    c->cell = 0;
    steep_taylor_about(c->spline, c->base, c->origin, c->head);
    const steep_conversion_end end = steep_conversion_put_inner(c);
    return end == STEEP_CONVERTED && !steep_conversion_put_head(c) ? STEEP_CONVERSION_NO_HEAD : end;
}

/* Turns gates outward, as steep_gates_outward. */
STEEP_SHARED void steep_conversion_outward(size_t n, double low, double high, const double *knot, double *sign)
{
    double middle = low + (high - low) / 2;
    for (size_t i = 0; i < n; i++) {
        if (knot[i] <= low) sign[i] = 1;
        else if (knot[i] >= high) sign[i] = -1;
        else sign[i] = knot[i] > middle ? 1 : -1;
    }
}

#endif
