/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/theory.h"

#include <float.h>
#include <math.h>

#include "fit/solvers.h"
#include "numerics/quadrature.h"
#include "steep/spline.h"

enum { CELLS = 256, POINTS = 3, DEEPEST = 50, BUDGET = 4096 };
#define JUMP   1e-6L /* over the largest value of the derivative */
#define LAST   10    /* halvings of a cell over which a jump keeps its size, to 1/100; a steep power does not */
#define ALIKE  (64 * LDBL_EPSILON) /* a cell so small beside its place has points that run together */
#define STAYS  0.99L
#define GROWTH 1e3L /* a derivative so many times its values elsewhere is infinite */

typedef struct search {
    const steep_target *target;
    size_t order, budget; /* budget: cells left to look at */
    int deepest;          /* most halvings of a cell; fewer where its points would run together far from 0 */
    long double node[POINTS], weight[POINTS], largest[STEEP_JET_ORDER + 1];
} search;

/* By j: the least and largest |jump| of f^(j), its difference less the integral of f^(j+1), over the last halvings. */
typedef struct missing {
    long double least[STEEP_JET_ORDER], most[STEEP_JET_ORDER];
} missing;

/* A place, and f's Taylor coefficients there. */
typedef struct jet {
    long double x, c[STEEP_JET_ORDER + 1];
} jet;

/* Does one of f, f', .., f^(p-1) jump between a and b? At a jump, the difference of f^(j) is not the integral of
 * f^(j+1). They also differ where f^(j+1) grows or turns fast, until the cell is small; beside |x - e|^q in every cell,
 * but by less and less. An infinite f^(j) does not count as a jump: equidistributed knots bear it. */
static bool jumps(search *s, const jet *a, const jet *b, int depth, missing last)
{
    const long double size = b->x - a->x;
    long double integral[STEEP_JET_ORDER] = {0};
    jet at;
    bool agree = true, bounded = false;
    if (s->budget == 0) return true;
    s->budget--;
    for (size_t k = 0; k < POINTS; k++) {
        steep_target_jet(s->target, a->x + size * (1 + s->node[k]) / 2, s->order, at.c);
        for (size_t j = 0; j < s->order; j++) integral[j] += s->weight[k] * (long double)(j + 1) * at.c[j + 1];
    }
    for (size_t j = 0; j < s->order; j++) {
        long double rest = b->c[j] - a->c[j] - integral[j] * size / 2;
        long double here = fmaxl(fabsl(a->c[j]), fabsl(b->c[j]));
        if (!isfinite(rest) || fabsl(rest) <= JUMP * fmaxl(s->largest[j], here)) continue;
        agree = false;
        const bool first = depth <= s->deepest - LAST;
        last.least[j] = first ? fabsl(rest) : fminl(last.least[j], fabsl(rest));
        last.most[j] = first ? fabsl(rest) : fmaxl(last.most[j], fabsl(rest));
        bounded |= here <= GROWTH * s->largest[j] && last.least[j] >= STAYS * last.most[j];
    }
    if (agree) return false;
    if (depth >= s->deepest) return bounded;
    at.x = (a->x + b->x) / 2;
    steep_target_jet(s->target, at.x, s->order, at.c);
    return jumps(s, a, &at, depth + 1, last) || jumps(s, &at, b, depth + 1, last);
}

/* Is f finite, and each of f, f', .., f^(p-1) the integral of the next? Jets miss kinks: they look to the right.
 * jump: one of them jumps. If it is false as well, the search ended before it could tell. */
static bool is_smooth(const steep_target *target, size_t order, bool *jump)
{
    search s = {.target = target, .order = order, .budget = BUDGET};
    jet at[CELLS + 1];
    const long double low = target->low[0], size = target->high[0] - low;
    const long double finest = ALIKE * fmaxl(fabsl(low), fabsl(low + size));
    s.deepest = (int)fminl(DEEPEST, log2l(size / CELLS / finest));
    steep_gauss_legendre(POINTS, s.node, s.weight);
    for (size_t i = 0; i <= CELLS; i++) {
        at[i].x = low + size * (long double)i / CELLS;
        if (i == CELLS) at[i].x -= ldexpl(size, -58); /* a jet looks to the right, where the target has ended */
        steep_target_jet(target, at[i].x, order, at[i].c);
        if (!isfinite(at[i].c[0])) return false;
        for (size_t j = 0; j < order; j++)
            if (isfinite(at[i].c[j])) s.largest[j] = fmaxl(s.largest[j], fabsl(at[i].c[j]));
    }
    for (size_t i = 0; i < CELLS; i++)
        if (jumps(&s, &at[i], &at[i + 1], 0, (missing){{0}, {0}})) {
            *jump = s.budget > 0;
            return false;
        }
    return true;
}

static double scale_of(double constant, const steep_target *target, size_t order, double size)
{
    double scale = constant * pow(target->high[0] - target->low[0], (double)order) * size;
    return isfinite(scale) && scale > 0 ? scale : NAN;
}

static void predict(const steep_plan *plan, steep_series_index at, const steep_piecewise *piecewise,
                    steep_theory *theory)
{
    const steep_method *method = &plan->method[at.method];
    const steep_variant *variant = &plan->variant[at.variant];
    const steep_terms *scale = &theory->scale;
    const steep_solver_row *solver = steep_solver_table(method->solver);
    steep_counts counts = {0};
    variant->architecture->counts(&variant->choice, &counts);
    double term = theory->predicts_uniform ? scale->uniform : scale->equidistributed;
    if (solver->writes)
        term *= steep_construction_constant(piecewise, plan->fit.construction) /
                steep_spline_constant(piecewise->degree, piecewise->continuity);
    bool placed = solver->writes || !steep_start_is_drawn(method->start);
    bool stays = solver->keeps_class || piecewise->continuity == 1 || counts.branches == 1; /* splines of the class */
    theory->scale.predicted = placed && stays ? term : NAN;
}

steep_theory steep_theory_of(const steep_plan *plan, steep_series_index at)
{
    steep_theory theory = {.scale = {NAN, NAN, NAN}, .best = NAN};
    const steep_target *formula = plan->target[at.target].formula;
    const steep_method *method = &plan->method[at.method];
    steep_piecewise piecewise = steep_plan_piecewise(plan, at.variant);
    const size_t p = piecewise.degree + 1;
    const steep_solver_row *solver = steep_solver_table(method->solver);
    if (!formula || formula->dim != 1 || piecewise.degree == 0 || p > STEEP_JET_ORDER) return theory;
    const double size = steep_target_free_knot_size(formula, p);
    theory.best =
        steep_spline_constant(piecewise.degree, 0) * pow(formula->high[0] - formula->low[0], (double)p) * size;
    const bool stay = solver->writes || solver->frozen, smooth = is_smooth(formula, p, &theory.singular);
    theory.singular &= stay;
    if (theory.singular || smooth) theory.order = p;
    if (!smooth) return theory;
    theory.heads = piecewise.heads;
    theory.spare = piecewise.heads == 1 && !solver->writes && method->start != STEEP_START_ONE_SIDED;
    double constant = steep_spline_constant(piecewise.degree, piecewise.continuity);
    const double rms = steep_target_rms_derivative(formula, p);
    theory.predicts_uniform = stay && method->start != STEEP_START_EQUIDISTRIBUTED;
    theory.singular = theory.predicts_uniform && isinf(rms);
    theory.scale.uniform = scale_of(constant, formula, p, rms);
    theory.scale.equidistributed = scale_of(constant, formula, p, size);
    predict(plan, at, &piecewise, &theory);
    return theory;
}

double steep_theory_cells(const steep_theory *theory, size_t width)
{
    if (theory->order == 0 || !theory->predicts_uniform || isnan(theory->scale.predicted)) return NAN;
    return width > theory->heads ? (double)(width - theory->heads + 1 - theory->spare) : NAN;
}

steep_terms steep_theory_at(const steep_theory *theory, size_t width)
{
    if (theory->order == 0 || width < theory->heads) return (steep_terms){NAN, NAN, NAN};
    double p = (double)theory->order, most = (double)(width - theory->heads + 1);
    double equal = theory->spare && width > 1 ? most - 1 : most;
    return (steep_terms){theory->scale.uniform / pow(equal, p), theory->scale.equidistributed / pow(most, p),
                         theory->scale.predicted / pow(theory->predicts_uniform ? equal : most, p)};
}
