/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A spline's jumps become a network's parameters.
 *
 *   1. Between two neighbouring cells the polynomial jumps by J_i(x) = sum_{j >= continuity} jump_j (x - t_i)^j. A gate
 *      that faces right contributes J_i for x > t_i; a gate that faces left contributes -J_i for x < t_i.
 *   2. The remainder is one polynomial for the whole line, the head: the polynomial of any cell minus the contributions
 *      of the gates that are open on that cell. The cell with as many knots on its left as gates face left needs the
 *      fewest corrections: none where the gates face outward.
 *   3. Gates that are open on the whole domain carry the head without its constant, which is the output bias.
 *
 * The arithmetic is in long double (80 bits); the parameters are rounded once. */
#include "spline/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/sort.h"

#define TERMS (STEEP_SPLINE_MAX_DEGREE + 1)

typedef struct placed_gate {
    double knot;
    size_t unit;
    double sign;
} placed_gate;

/* The state of a conversion; head: the polynomial that remains for the gates that are open on the whole domain. */
typedef struct conversion {
    const steep_network *network;
    const steep_spline *spline;
    steep_piecewise piecewise;
    placed_gate *inner, *open; /* inside the domain, ascending; open on the whole domain: room for width of each */
    size_t inner_count, open_count;
    size_t base;        /* the cell whose polynomial head begins with */
    long double origin; /* head is in powers of x - origin */
    long double head[TERMS];
    double *theta;
} conversion;

static void write_unit(const steep_network *network, size_t unit, double coefficient[STEEP_MAX_BRANCHES][3],
                       double output, double *theta)
{
    for (size_t b = 0; b < network->counts.branches; b++)
        memcpy(theta + steep_network_place(network, b, unit), coefficient[b], network->features[b] * sizeof(double));
    theta[network->output + unit] = output;
}

bool steep_gates_put(const steep_network *network, size_t unit, double sign, long double knot, const long double *jump,
                     double *theta)
{
    double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0;
    if (!network->architecture->from_jump(&network->choice, sign, knot, jump, coefficient, &output)) return false;
    write_unit(network, unit, coefficient, output, theta);
    return true;
}

/* A unit that keeps its gate and contributes nothing. */
static void put_silent(const conversion *c, const placed_gate *at)
{
    double coefficient[STEEP_MAX_BRANCHES][3] = {{at->sign, -at->sign * at->knot}};
    write_unit(c->network, at->unit, coefficient, 0, c->theta);
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

/* head += factor * sum jump[j] (x - t)^j; head is in powers of x - origin. */
static void add_jump(size_t degree, long double factor, const long double *jump, long double t, long double origin,
                     long double *head)
{
    long double c[TERMS];
    memcpy(c, jump, (degree + 1) * sizeof *c);
    steep_spline_shift(degree, origin - t, c);
    for (size_t j = 0; j <= degree; j++) head[j] += factor * c[j];
}

/* Power units D (sign (x - t))^p, continuity = degree = p: p units with distinct knots t together reach any
 * coefficients of x..x^p. Solves the equations k = 1..p: sum_i D_i C(p, k) (origin - t_i)^{p-k} = head_k by Gaussian
 * elimination with row pivoting. False where two knots coincide. */
static bool solve_powers(const conversion *to, long double *weight)
{
    const size_t p = to->piecewise.degree;
    long double a[TERMS][TERMS + 1];
    for (size_t i = 0; i < p; i++) {
        long double c[TERMS] = {0};
        c[p] = 1;
        steep_spline_shift(p, to->origin - to->open[i].knot, c);
        for (size_t k = 1; k <= p; k++) a[k - 1][i] = c[k];
    }
    for (size_t k = 1; k <= p; k++) a[k - 1][p] = to->head[k];
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

/* The first open gate carries all powers about its own knot; the constant stays in head[0]. False where no unit can. */
static bool put_one(conversion *c)
{
    long double jump[TERMS] = {0};
    add_jump(c->piecewise.degree, 1, c->head, c->origin, c->open->knot, jump);
    c->head[0] = jump[0];
    jump[0] = 0;
    return steep_gates_put(c->network, c->open->unit, c->open->sign, c->open->knot, jump, c->theta);
}

/* Synthetic division in powers of s = x - origin, from the last gate to the first: gate g carries powers 2g + 2 and
 * 2g + 1 of the remaining head by the unit (x - t) s^{2g} (b + c s), which changes power 2g too. The constant stays in
 * head[0]. False where no unit can. */
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
        write_unit(to->network, open->unit, coefficient, output, to->theta);
    }
    return true;
}

/* Writes p power units, one for each gate, and subtracts them from the head; false where no unit can. */
static bool put_powers(conversion *c, const long double *weight)
{
    size_t p = c->piecewise.degree;
    for (size_t i = 0; i < p; i++) {
        long double jump[TERMS] = {0};
        jump[p] = weight[i];
        const placed_gate *at = c->open + i;
        bool carried = steep_gates_put(c->network, at->unit, at->sign, at->knot, jump, c->theta);
        add_jump(p, -1, jump, at->knot, c->origin, c->head);
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
    if (c->piecewise.continuity == p && c->open_count >= p && solve_powers(c, weight)) {
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
        if (i > 0 && at->knot == at[-1].knot) { /* the first gate at this knot carries the whole jump */
            put_silent(c, at);
            continue;
        }
        if (cell + 1 >= spline->cells || spline->knot[cell + 1] != at->knot)
            return steep_fail(error, STEEP_BAD_INPUT, "a gate at %.17g stands on no knot of the spline", at->knot);
        jump_at(spline, cell, c->piecewise.continuity, jump);
        bool right = at->sign > 0, left_of_base = cell < c->base;
        if (right == left_of_base) add_jump(p, right ? -1 : 1, jump, at->knot, c->origin, c->head);
        if (!right)
            for (size_t j = 0; j <= p; j++) jump[j] = -jump[j];
        if (!steep_gates_put(c->network, at->unit, at->sign, at->knot, jump, c->theta))
            return steep_fail(error, STEEP_SINGULAR, "no %s unit makes the jump at knot %.17g",
                              c->network->architecture->name, at->knot);
        cell++;
    }
    if (cell + 1 == spline->cells) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%zu interior gates for a spline with %zu cells: expected one for each interior knot", cell,
                      spline->cells);
}

/* Fills inner (by knot, then unit) and open, silences closed gates. sign NULL: inner gates outward, all others open. */
static void split_gates(conversion *c, const double *knot, const double *sign)
{
    double low = c->spline->knot[0], high = c->spline->knot[c->spline->cells], middle = low + (high - low) / 2;
    for (size_t i = 0; i < c->network->width; i++) {
        const double outward = knot[i] <= low || (knot[i] < high && knot[i] > middle) ? 1 : -1;
        const placed_gate at = {knot[i], i, (sign ? sign[i] : outward) < 0 ? -1.0 : 1.0};
        if (knot[i] > low && knot[i] < high) c->inner[c->inner_count++] = at;
        else if ((knot[i] <= low) == (at.sign > 0)) c->open[c->open_count++] = at;
        else put_silent(c, &at);
    }
    qsort(c->inner, c->inner_count, sizeof *c->inner, steep_compare_placed);
}

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
                      "%zu gates open on the whole domain cannot carry the polynomial of %s: expected %zu",
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

/* A spline with as many interior knots as the network has gates has degree more coefficients than the gates can carry,
 * so the head (the spline minus the contributions of all gates) must be a constant. The jumps J_i do not depend on the
 * directions of the gates, but the head does: it is P_0 plus the sum of J_i over the gates that face left, P_0 the
 * first cell's polynomial. Among these 2^n subset sums one is near a constant.
 *
 *   1. Write P_0 and the jumps in orthonormal Legendre polynomials of the whole interval; norms leave out the constant.
 *   2. Visit all subsets in the order of a Gray code, which adds or removes one jump at a time; keep the least norms.
 *      Beyond 14 gates, 14 gates spread evenly take both directions and the others face outward.
 *   3. Write the units from the jumps; the head's constant is the output bias, the rest of the head is dropped. */
enum { WINDOW = 14 };

typedef struct knot_jump {
    long double jump[TERMS]; /* coefficients in powers of x - knot */
    double part[TERMS];      /* coefficients in orthonormal Legendre polynomials of the interval */
    bool left;
} knot_jump;

typedef struct choice {
    double norm;
    unsigned long flipped; /* bit b is set: gate_of_bit(n, b) is turned */
} choice;

/* Step 1 for c[0..degree] in powers of x - t. */
static void to_legendre(const steep_spline *spline, const long double *c, long double t, double *out)
{
    size_t d = spline->degree;
    long double low = spline->knot[0], high = spline->knot[spline->cells], half = (high - low) / 2, scale = 1;
    long double power[TERMS], sum[TERMS] = {0};
    memcpy(power, c, (d + 1) * sizeof *c);
    steep_spline_shift(d, low + half - t, power);
    for (size_t j = 0; j <= d; j++, scale *= half) power[j] *= scale;
    for (size_t j = d + 1; j-- > 0;) { /* Horner: z P_k = ((k + 1) P_{k+1} + k P_{k-1}) / (2k + 1) */
        long double next[TERMS + 1] = {0};
        for (size_t k = 0; k <= d; k++) {
            long double share = sum[k] / (long double)(2 * k + 1);
            next[k + 1] += share * (long double)(k + 1);
            if (k > 0) next[k - 1] += share * (long double)k;
        }
        memcpy(sum, next, sizeof sum);
        sum[0] += power[j];
    }
    for (size_t k = 0; k <= d; k++) out[k] = (double)(sum[k] / sqrtl((long double)(2 * k + 1)));
}

static size_t gate_of_bit(size_t n, size_t bit)
{
    return n <= WINDOW ? bit : (2 * bit + 1) * n / (2 * WINDOW);
}

static void add_part(size_t degree, double factor, const double *part, double *head)
{
    for (size_t k = 0; k <= degree; k++) head[k] += factor * part[k];
}

/* Step 2: fills least with the choices of least norm, ascending; returns their number. Changes head. */
static size_t search(size_t degree, size_t n, const knot_jump *at, double *head, choice least[STEEP_INSIDE_RANKS])
{
    size_t bits = n < WINDOW ? n : WINDOW, found = 0;
    unsigned long flipped = 0;
    for (unsigned long step = 1;; step++) {
        double norm = 0;
        for (size_t k = 1; k <= degree; k++) norm += head[k] * head[k];
        if (found < STEEP_INSIDE_RANKS || norm < least[found - 1].norm) {
            size_t place = found < STEEP_INSIDE_RANKS ? found++ : found - 1;
            for (; place > 0 && norm < least[place - 1].norm; place--) least[place] = least[place - 1];
            least[place] = (choice){norm, flipped};
        }
        if (step >> bits) return found;
        size_t bit = 0;
        while (!(step >> bit & 1)) bit++;
        flipped ^= 1ul << bit;
        const knot_jump *gate = at + gate_of_bit(n, bit);
        add_part(degree, (flipped >> bit & 1) != gate->left ? 1 : -1, gate->part, head);
    }
}

/* Step 1: sets the jumps in at, and head to the first cell's polynomial plus the jumps of the gates that face left. */
static void split(const steep_spline *spline, size_t continuity, knot_jump *at, double *head)
{
    size_t n = spline->cells - 1, d = spline->degree;
    long double first[TERMS], middle = ((long double)spline->knot[0] + spline->knot[n + 1]) / 2;
    steep_spline_taylor(spline, 0, middle, first);
    to_legendre(spline, first, middle, head);
    for (size_t i = 0; i < n; i++) {
        jump_at(spline, i, continuity, at[i].jump);
        to_legendre(spline, at[i].jump, spline->knot[i + 1], at[i].part);
        at[i].left = n > WINDOW && i < n / 2;
        if (at[i].left) add_part(d, 1, at[i].part, head);
    }
}

/* Step 2: turns the gates to the rank-th best choice of directions and changes head accordingly. */
static void turn(const steep_spline *spline, size_t rank, knot_jump *at, double *head)
{
    size_t n = spline->cells - 1, d = spline->degree;
    double start[TERMS];
    choice least[STEEP_INSIDE_RANKS];
    memcpy(start, head, sizeof start);
    size_t found = search(d, n, at, start, least);
    const choice *taken = least + (rank < found ? rank : found - 1);
    for (size_t bit = 0; bit < n && bit < WINDOW; bit++) {
        knot_jump *gate = at + gate_of_bit(n, bit);
        if (!(taken->flipped >> bit & 1)) continue;
        add_part(d, gate->left ? -1 : 1, gate->part, head);
        gate->left = !gate->left;
    }
}

/* Step 3 for one gate; a jump with complex roots gets a double root. */
static bool put_turned(const steep_network *network, const placed_gate *gate, long double *jump, double *theta)
{
    for (size_t j = 0; j < TERMS; j++) jump[j] *= gate->sign;
    if (steep_gates_put(network, gate->unit, gate->sign, gate->knot, jump, theta)) return true;
    jump[1] = jump[2] * jump[2] / (4 * jump[3]) * (1 - 1e-12L);
    return steep_gates_put(network, gate->unit, gate->sign, gate->knot, jump, theta);
}

steep_status steep_gates_inside(const steep_network *network, const steep_spline *spline, size_t continuity,
                                size_t rank, double *theta, steep_error *error)
{
    knot_jump *at = calloc(network->width, sizeof *at);
    if (!at) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates", network->width);
    double head[TERMS];
    split(spline, continuity, at, head);
    turn(spline, rank, at, head);
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < network->width && status == STEEP_OK; i++) {
        const placed_gate gate = {spline->knot[i + 1], i, at[i].left ? -1 : 1};
        if (!put_turned(network, &gate, at[i].jump, theta))
            status = steep_fail(error, STEEP_SINGULAR, "no %s unit makes the jump at knot %.17g",
                                network->architecture->name, gate.knot);
    }
    theta[network->bias] = head[0];
    free(at);
    return status;
}
