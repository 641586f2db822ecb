/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences are central and extrapolated once, E(d) = (4 D(d/2) - D(d)) / 3, with an error of order d^4 and eps/d.
 * They are taken for d = 2^-6, 2^-7 .. 2^-18, until three neighbouring values agree well. Of the triples that agree
 * best, the last value counts; its error is usually 1e-11 of the size of h and its derivatives. A kink makes neighbours
 * differ only while it lies between the points of the difference; a smaller d avoids it. Where no three values agree,
 * this entry is not checked at this point. */
#include "model/check.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "model/activation_jet.h"
#include "model/network.h"
#include "model/written.h"

#define WIDEST 0x1p-6
#define STEPS  13
#define POINTS 60
#define WITHIN 2e-9 /* relative to value and derivatives: far above 1e-11, far below the error of a wrong formula */

typedef struct bench {
    const steep_architecture *row;
    const steep_choice *choice;
    steep_counts counts;
    size_t m;
    double within;          /* tolerance, relative to the size of value and derivatives */
    steep_formula *formula; /* NULL: differences */
    double u[STEEP_MAX_INPUTS];
    size_t points;                                        /* points that were checked */
    size_t unsettled[STEEP_MAX_INPUTS + STEEP_MAX_PAIRS]; /* points where an entry's differences disagree */
} bench;

/* "z2", "e1" ... into text[8]. */
static const char *input_name(const bench *b, size_t j, char text[8])
{
    const size_t count[5] = {b->counts.branches, b->counts.scalars, b->counts.shared_maps, b->counts.shared_scalars,
                             b->counts.moments};
    size_t kind = 0;
    while (kind < 4 && j >= count[kind]) j -= count[kind++];
    snprintf(text, 8, "%c%zu", "zesam"[kind], j + 1);
    return text;
}

/* "z1 = 0.5, z2 = .." */
static void write_place(const bench *b, char place[300])
{
    char name[8];
    place[0] = '\0';
    for (size_t j = 0; j < b->m && strlen(place) + 24 < 300; j++)
        steep_text_add(place, 300, "%s%s = %.4g", j ? ", " : "", input_name(b, j, name), b->u[j]);
}

static steep_status complain(const bench *b, const char *what, double code, double right, steep_error *error)
{
    char place[300];
    write_place(b, place);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "architecture %s: at %s its unit gives %.10g for %s, and %s %.10g: mend its unit function",
                      b->row->name, place, code, what, b->formula ? "its formula" : "differences", right);
}

/* Value (entry m) or gradient entry i of the unit at u with input j moved by d. */
static double moved(const bench *b, size_t i, size_t j, double d)
{
    double u[STEEP_MAX_INPUTS], g[STEEP_MAX_INPUTS], h;
    memcpy(u, b->u, sizeof u);
    u[j] += d;
    steep_architecture_unit(b->row, b->choice, u, i < b->m ? 1 : 0, &h, g, NULL);
    return i < b->m ? g[i] : h;
}

/* (entry i at u_j + d - entry i at u_j - d) / (2 d) */
static double central(const bench *b, size_t i, size_t j, double d)
{
    return (moved(b, i, j, d) - moved(b, i, j, -d)) / (2 * d);
}

/* d entry i / d u_j. NaN where no three extrapolations agree to a quarter of the tolerance; unsettled then counts the
 * point for `entry`, an entry of the gradient or, after these, of the Hessian. */
static double difference(bench *b, size_t entry, size_t i, size_t j, double size)
{
    double wide = central(b, i, j, WIDEST), before = NAN, apart = NAN, best = NAN, least = WITHIN / 4 * size,
           d = WIDEST;
    for (int s = 0; s < STEPS && !(least < WITHIN / 64 * size); s++) {
        double narrow = central(b, i, j, d *= 0.5), now = (4 * narrow - wide) / 3, new = fabs(now - before);
        if (new <= least && apart <= least) {
            least = fmax(new, apart);
            best = now;
        }
        apart = new;
        before = now;
        wide = narrow;
    }
    b->unsettled[entry] += isnan(best);
    return best;
}

static bool agree(double code, double right, double allowed)
{
    return isnan(right) || fabs(code - right) <= allowed;
}

/* The formula's value at b->u, with gradient and Hessian. */
static double by_formula(const bench *b, double *g, double *H)
{
    steep_point point;
    double h;
    steep_point_set(&point, &b->counts, b->u, 2, g, H);
    steep_formula_derivatives(b->formula, &(steep_tile){1, point.in, 2, &h, point.g, point.H});
    return h;
}

static steep_status check_point(bench *b, steep_error *error)
{
    double g[STEEP_MAX_INPUTS], H[STEEP_MAX_PAIRS], right_g[STEEP_MAX_INPUTS], right_H[STEEP_MAX_PAIRS], h, size = 1;
    char what[64], one[8], two[8];
    steep_architecture_unit(b->row, b->choice, b->u, 2, &h, g, H);
    double right_h = b->formula ? by_formula(b, right_g, right_H) : NAN;
    size = fmax(size, fabs(h));
    for (size_t j = 0; j < b->m; j++) size = fmax(size, fabs(g[j]));
    for (size_t q = 0; q < b->m * (b->m + 1) / 2; q++) size = fmax(size, fabs(H[q]));
    if (!isfinite(h) && !isfinite(right_h)) return STEEP_OK; /* h is undefined or too large at this point */
    b->points++;
    const double allowed = b->within * size;
    if (!agree(h, right_h, allowed)) return complain(b, "h", h, right_h, error);
    for (size_t j = 0; j < b->m; j++) {
        double right = b->formula ? right_g[j] : difference(b, j, b->m, j, size);
        snprintf(what, sizeof what, "dh/d%s", input_name(b, j, one));
        if (!agree(g[j], right, allowed)) return complain(b, what, g[j], right, error);
    }
    for (size_t i = 0, q = 0; i < b->m; i++)
        for (size_t j = 0; j <= i; j++, q++) {
            double right = b->formula ? right_H[q] : difference(b, b->m + q, i, j, size);
            snprintf(what, sizeof what, "d2h/d%s d%s", input_name(b, i, one), input_name(b, j, two));
            if (!agree(H[q], right, allowed)) return complain(b, what, H[q], right, error);
        }
    return STEEP_OK;
}

/* Refuses a unit with too few finite points, or with an entry that was checked at too few points. */
static steep_status check_settled(const bench *b, size_t points, steep_error *error)
{
    if (4 * b->points < points)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "architecture %s: its unit is finite at %zu of %zu points: it cannot be checked",
                          b->row->name, b->points, points);
    for (size_t entry = 0; entry < b->m + b->m * (b->m + 1) / 2; entry++)
        if (4 * b->unsettled[entry] > b->points)
            return steep_fail(
                error, STEEP_BAD_INPUT,
                "architecture %s: the differences of its unit's %s settle at %zu of %zu points: it cannot "
                "be checked; write its formula too, or make it smoother",
                b->row->name, entry < b->m ? "value" : "gradient", b->points - b->unsettled[entry], b->points);
    return STEEP_OK;
}

/* Checks the roles of branches. Affine branches: halfway between b->u and a point that differs in them alone, h is the
 * mean of its values at both. Gate: for two values of z1, h has the ratio of the activation's two values. */
static steep_status check_roles(const bench *b, steep_error *error)
{
    unsigned affine = steep_architecture_affine(b->row);
    double end[STEEP_MAX_INPUTS], middle[STEEP_MAX_INPUTS], h[3], act[2], other = 0.6 - b->u[0];
    char place[300];
    write_place(b, place);
    for (size_t j = 0; j < b->m; j++) {
        end[j] = j < b->counts.branches && affine >> j & 1 ? 0.6 - b->u[j] : b->u[j];
        middle[j] = (b->u[j] + end[j]) / 2;
    }
    steep_architecture_unit(b->row, b->choice, b->u, 0, &h[0], NULL, NULL);
    steep_architecture_unit(b->row, b->choice, middle, 0, &h[1], NULL, NULL);
    steep_architecture_unit(b->row, b->choice, end, 0, &h[2], NULL, NULL);
    if (!isfinite(h[0] + h[1] + h[2])) return STEEP_OK; /* as in check_point */
    if (!agree(2 * h[1], h[0] + h[2], WITHIN * (1 + fabs(h[0]) + fabs(h[1]) + fabs(h[2]))))
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "architecture %s: at %s its unit is not affine in branches of role first factor or part: mend its roles",
            b->row->name, place);
    if (b->row->role[0] != STEEP_ROLE_GATE) return STEEP_OK;
    h[1] = moved(b, b->m, 0, other - b->u[0]);
    steep_activation_jet(b->choice->activation, b->u[0], 0, &act[0]);
    steep_activation_jet(b->choice->activation, other, 0, &act[1]);
    if (agree(h[0] * act[1], h[1] * act[0], WITHIN * (1 + fabs(h[0]) + fabs(h[1])) * (1 + fabs(act[0]) + fabs(act[1]))))
        return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "architecture %s: at %s its unit is not act(z1) times the rest: use STEEP_ROLE_NONE for z1",
                      b->row->name, place);
}

/* Half of the points within [-2, 2], half within [-6, 6]: moments are positive. */
static void draw_point(bench *b, size_t t, steep_random *random)
{
    double reach = t % 2 ? 6 : 2;
    for (size_t j = 0; j < b->m; j++)
        b->u[j] = j >= b->m - b->counts.moments ? 0.1 + reach * steep_random_uniform(random)
                                                : reach * (2 * steep_random_uniform(random) - 1);
}

steep_status steep_architecture_check(const steep_architecture *row, const steep_choice *choice, steep_error *error)
{
    steep_random random = steep_random_start(0, STEEP_STREAM_TEST);
    return steep_architecture_check_at(row, choice, POINTS, WITHIN, &random, error);
}

steep_status steep_architecture_check_at(const steep_architecture *row, const steep_choice *choice, size_t points,
                                         double within, steep_random *random, steep_error *error)
{
    steep_network network;
    if (row->tile && row->unit)
        return steep_fail(error, STEEP_BAD_INPUT, "architecture %s: it has a unit and a tile: give one of them",
                          row->name);
    steep_status status = steep_network_init(&network, row, choice, 1, 1, error);
    if (status < 0) return status;
    bench b = {.row = row, .choice = choice, .counts = network.counts, .m = network.inputs, .within = within};
    if (row->expression || row->writes) status = steep_written_open(row, choice, &b.formula, error);
    for (size_t t = 0; status == STEEP_OK && t < points; t++) {
        draw_point(&b, t, random);
        status = check_point(&b, error);
        if (status == STEEP_OK) status = check_roles(&b, error);
    }
    if (status == STEEP_OK && !b.formula) status = check_settled(&b, points, error);
    steep_formula_free(b.formula);
    return status;
}
