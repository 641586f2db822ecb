/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A spline on as many interior knots as the network has gates has degree more coefficients than the gates can carry:
 * the head, what is left where all gates are closed or have been taken off, must be a constant. The jumps J_i do not
 * depend on the way gates face, but the head does: it is P_0 + sum over gates facing left of J_i, P_0 the first cell's
 * polynomial. Among 2^n subset sums one is near a constant.
 *
 *   1. P_0 and the jumps in orthonormal Legendre polynomials of the whole interval; a constant does not count.
 *   2. All subsets in the order of a Gray code, one jump in or out at a time; the least norms are kept. Beyond 14
 *      gates, 14 of them, spread evenly, against the others facing outward.
 *   3. Units from jumps; the head's constant is the output bias, the rest of the head is dropped. */
#include "spline/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TERMS  (STEEP_SPLINE_MAX_DEGREE + 1)
#define WINDOW 14

typedef struct knot_jump {
    long double jump[TERMS]; /* powers of x - knot */
    double part[TERMS];      /* orthonormal Legendre polynomials of the interval */
    bool left;
} knot_jump;

typedef struct choice {
    double norm;
    unsigned long flipped; /* bits of the window */
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

/* Step 2: the least choices, ascending; head enters with the gates as they face. Returns how many there are. */
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

/* Step 3 for one gate. */
static bool put_unit(const steep_network *network, size_t unit, double knot, knot_jump *at, double *theta)
{
    double coefficient[STEEP_MAX_BRANCHES][3] = {{0}}, output = 0, sign = at->left ? -1 : 1;
    const steep_architecture *row = network->architecture;
    for (size_t j = 0; j < TERMS; j++) at->jump[j] *= sign;
    if (!row->from_jump(&network->choice, sign, knot, at->jump, coefficient, &output)) {
        at->jump[1] = at->jump[2] * at->jump[2] / (4 * at->jump[3]) * (1 - 1e-12L);
        if (!row->from_jump(&network->choice, sign, knot, at->jump, coefficient, &output)) return false;
    }
    for (size_t b = 0; b < network->counts.branches; b++)
        memcpy(theta + steep_network_place(network, b, unit), coefficient[b], network->features[b] * sizeof(double));
    theta[network->output + unit] = output;
    return true;
}

/* Step 1: the jumps, and the first cell's polynomial with the parts of the gates that face left. */
static void split(const steep_spline *spline, size_t continuity, knot_jump *at, double *head)
{
    size_t n = spline->cells - 1, d = spline->degree;
    long double first[TERMS], before[TERMS], middle = ((long double)spline->knot[0] + spline->knot[n + 1]) / 2;
    steep_spline_taylor(spline, 0, middle, first);
    to_legendre(spline, first, middle, head);
    for (size_t i = 0; i < n; i++) {
        steep_spline_taylor(spline, i, spline->knot[i + 1], before);
        steep_spline_taylor(spline, i + 1, spline->knot[i + 1], at[i].jump);
        for (size_t j = 0; j <= d; j++) at[i].jump[j] = j < continuity ? 0 : at[i].jump[j] - before[j];
        to_legendre(spline, at[i].jump, spline->knot[i + 1], at[i].part);
        at[i].left = n > WINDOW && i < n / 2;
        if (at[i].left) add_part(d, 1, at[i].part, head);
    }
}

/* Step 2: turns the gates the rank-th best way. */
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

/* Step 3. */
static steep_status put_units(const steep_network *network, const steep_spline *spline, knot_jump *at, double *theta,
                              steep_error *error)
{
    for (size_t i = 0; i < network->width; i++)
        if (!put_unit(network, i, spline->knot[i + 1], at + i, theta))
            return steep_fail(error, STEEP_SINGULAR, "no %s unit makes the jump at knot %.17g",
                              network->architecture->name, spline->knot[i + 1]);
    return STEEP_OK;
}

steep_status steep_gates_inside(const steep_network *network, const steep_spline *spline, size_t continuity,
                                size_t rank, double *theta, steep_error *error)
{
    steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (network->dim != 1 || piecewise.degree == 0 || piecewise.degree < spline->degree || continuity < 1 ||
        spline->cells != network->width + 1)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu gates of %s in %zuD for a spline of degree %zu in %zu cells: expected a gate for each "
                          "interior knot",
                          network->width, network->architecture->name, network->dim, spline->degree, spline->cells);
    knot_jump *at = calloc(network->width, sizeof *at);
    if (!at) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates", network->width);
    double head[TERMS];
    split(spline, continuity, at, head);
    turn(spline, rank, at, head);
    steep_status status = put_units(network, spline, at, theta, error);
    theta[network->bias] = head[0];
    free(at);
    return status;
}
