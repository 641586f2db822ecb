/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kan: networks of cubic splines on edges (Liu et al., KAN, arXiv 2404.19756), without their silu terms, on targets of
 * that paper: does the error fall as G^-4, G the cells of each spline?
 *
 *   z^(0) = x,  z^(l)_j = sum_i phi^(l)_ji(z^(l-1)_i),  y = z^(L)_1,  phi a cubic B-spline sum on G equal cells
 *
 * 1. G = 3: from random starts, Levenberg-Marquardt (Marquardt's damping), the least training error counts.
 * 2. The next G: each spline is projected onto G cells of the interval that its argument has on the training points,
 *    and a fortieth more at either end; then trained. Beyond its interval a spline goes on as its last cubic.
 * 3. A constant may move between the splines that add up to a unit, and a unit's scale and shift into the splines
 *    above it: rows of J'J keep the mean of each spline below a unit, and the size of these splines.
 * Points are random, 100 for each cell and at least 10,000, a hundredth of each coordinate on either face of the box.
 * Without these the largest sums of splines, at corners, have no point near them, and the spline above extrapolates: on
 * KAN's 1,000 points that is most of the error at G = 100 (outside: its share of the squared test error). */
#include "experiment.h"
#include "numerics/dense.h"
#include "numerics/gram.h"

enum { CELLS = 12, LAYERS = 3, NODES = 13, EDGES = 26, STARTS = 10, SETTLE = 3 };
enum { LEAST = 10000, EACH = 100, FEW = 1000, TEST = 20000 };
enum { ITERATIONS = 200, FIRST_ITERATIONS = 60, TRIALS = 15 };
static const double ENOUGH = 1e-6; /* training ends after four steps in a row with a smaller relative decrease of F */

static const struct {
    const char *name, *formula;
    size_t width[LAYERS + 1], G[CELLS]; /* 0 ends each list */
    const char *published[CELLS];       /* KAN's test errors, from the page of its code */
} targets[] = {
    {"J0", "J0(20*x)", {1, 1}, {3, 5, 10, 20, 50, 100, 200, 400, 800, 1600}, {NULL}},
    {"exp-sin",
     "exp(sin(pi*x)+y^2)",
     {2, 1, 1},
     {3, 5, 10, 20, 50, 100, 200, 400, 800},
     {"1.53e-02", NULL, "3.29e-04", "4.04e-05", "1.24e-05", "1.74e-03"}},
    {"inverse", "1/(2+sin(3*x)+y^2)", {2, 1, 1}, {3, 5, 10, 20, 50, 100, 200, 400}, {NULL}},
    {"xy", "x*y", {2, 2, 1}, {3, 5, 10, 20}, {NULL}},
    {"four", "exp((sin(pi*(x1^2+x2^2))+sin(pi*(x3^2+x4^2)))/2)", {4, 2, 1, 1}, {3, 5, 10, 20, 50, 100}, {NULL}},
};
enum { TARGETS = sizeof targets / sizeof *targets };

/* Nodes are the coordinates, then the units layer by layer; the last node is the output. Edges stand layer by layer,
 * all edges to one node together. */
typedef struct kan {
    size_t inputs, nodes, G, n, edges, P; /* n = G + 3 coefficients of each edge */
    size_t from[EDGES], to[EDGES];
    double low[NODES], high[NODES]; /* interval of the splines whose argument is the node */
    double *c;
} kan;

/* A node's value: its cell, and the four B-splines that are not 0 there, with their slopes. */
typedef struct place {
    size_t cell;
    double B[4], slope[4];
} place;

static kan open_kan(const experiment *e, const size_t *width, size_t G)
{
    kan k = {.inputs = width[0], .nodes = width[0], .G = G, .n = G + 3};
    for (size_t l = 0, first = 0; l < LAYERS && width[l + 1] > 0; first += width[l++])
        for (size_t j = 0; j < width[l + 1]; j++, k.nodes++)
            for (size_t i = 0; i < width[l]; i++, k.edges++) k.from[k.edges] = first + i, k.to[k.edges] = k.nodes;
    for (size_t i = 0; i < k.inputs; i++) k.low[i] = -1, k.high[i] = 1;
    k.P = k.edges * k.n;
    k.c = experiment_numbers(e, k.P);
    return k;
}

static place place_at(size_t G, double low, double high, double z)
{
    const double at = (z - low) / (high - low) * (double)G;
    const double cell = fmin(fmax(floor(at), 0), (double)(G - 1)), t = at - cell, s = 1 - t;
    const double by = (double)G / (2 * (high - low));
    return (place){
        (size_t)cell,
        {s * s * s / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (3 * t * (1 + t - t * t) + 1) / 6, t * t * t / 6},
        {-by * s * s, by * (3 * t * t - 4 * t), by * (1 + 2 * t - 3 * t * t), by * t * t}};
}

static double spline_at(const double *c, const place *p, const double *B)
{
    return c[p->cell] * B[0] + c[p->cell + 1] * B[1] + c[p->cell + 2] * B[2] + c[p->cell + 3] * B[3];
}

/* Values z of the first nodes at a point, and places p of the nodes that have edges to them. Returns the last value. */
static double pass(const kan *k, size_t nodes, const double *x, size_t stride, double *z, place *p)
{
    for (size_t i = 0; i < nodes; i++) z[i] = i < k->inputs ? x[i * stride] : 0;
    for (size_t e = 0, placed = 0; e < k->edges && k->to[e] < nodes; e++) {
        const size_t from = k->from[e];
        for (; placed <= from; placed++) p[placed] = place_at(k->G, k->low[placed], k->high[placed], z[placed]);
        z[k->to[e]] += spline_at(k->c + e * k->n, &p[from], p[from].B);
    }
    return z[nodes - 1];
}

/* The Jacobian's row at the places p: four values for each edge, and their columns. */
static void set_row(const kan *k, const place *p, size_t *column, double *value)
{
    double delta[NODES] = {0};
    delta[k->nodes - 1] = 1;
    for (size_t e = k->edges; e-- > 0;) {
        const place *at = &p[k->from[e]];
        for (size_t b = 0; b < 4; b++) {
            column[4 * e + b] = e * k->n + at->cell + b;
            value[4 * e + b] = delta[k->to[e]] * at->B[b];
        }
        delta[k->from[e]] += delta[k->to[e]] * spline_at(k->c + e * k->n, at, at->slope);
    }
}

/* G += v v', g += r v for a sparse row v of count entries in ascending columns. */
static void add_row(steep_gram *gram, size_t count, const size_t *column, const double *v, double r, double *g)
{
    for (size_t a = 0; a < count; a++) {
        double *row = gram->G + column[a] * gram->ld;
        for (size_t b = a; b < count; b++) row[column[b]] += v[a] * v[b];
        g[column[a]] += r * v[a];
    }
}

/* Sum of squared residuals. */
static double square_error(const kan *k, const steep_samples *s)
{
    double z[NODES], sum = 0;
    place p[NODES];
    for (size_t i = 0; i < s->count; i++) {
        const double r = s->y[i] - pass(k, k->nodes, s->x + i, s->count, z, p);
        sum += r * r;
    }
    return sum;
}

/* Adds the rows of step 3 to J'J, times a weight. */
static void add_gauge(const kan *k, double weight, steep_gram *gram, double *row)
{
    for (size_t e = 0, in; e < k->edges; e += in) { /* the edges to one node */
        const size_t first = e * k->n;
        const bool last = k->to[e] + 1 == k->nodes;
        for (in = 1; e + in < k->edges && k->to[e + in] == k->to[e];) in++;
        for (size_t i = 0; i < in - last; i++) {
            memset(row, 0, k->P * sizeof *row);
            for (size_t q = 0; q < k->n; q++) row[first + i * k->n + q] = weight / sqrt((double)k->n);
            steep_gram_add(gram, 1, row);
        }
        if (last) continue;
        memset(row, 0, k->P * sizeof *row);
        for (size_t i = first; i < first + in * k->n; i += k->n) {
            double mean = 0;
            for (size_t q = i; q < i + k->n; q++) mean += k->c[q] / (double)k->n;
            for (size_t q = i; q < i + k->n; q++) row[q] = k->c[q] - mean;
        }
        const double norm = steep_dense_norm(in * k->n, row + first);
        if (norm > 0) steep_dense_scale(in * k->n, weight / norm, row + first);
        steep_gram_add(gram, 1, row);
    }
}

/* J'J with the rows of step 3, g = J'r, and the squares of the damping's scale in d2. */
static void form(const kan *k, const steep_samples *s, steep_gram *gram, double *g, double *d2)
{
    double z[NODES], value[4 * EDGES], most = 0, mean = 0;
    size_t column[4 * EDGES];
    place p[NODES];
    memset(gram->G, 0, gram->ld * gram->ld * sizeof *gram->G);
    memset(g, 0, k->P * sizeof *g);
    for (size_t i = 0; i < s->count; i++) {
        const double y = pass(k, k->nodes, s->x + i, s->count, z, p);
        set_row(k, p, column, value);
        add_row(gram, 4 * k->edges, column, value, s->y[i] - y, g);
    }
    for (size_t q = 0; q < k->P; q++) most = fmax(most, d2[q] = gram->G[q * gram->ld + q]);
    for (size_t q = 0; q < k->P; q++) mean += d2[q] / (double)k->P, d2[q] += 1e-10 * most;
    double *row = d2 + k->P;
    add_gauge(k, sqrt(mean), gram, row);
}

static steep_gram open_gram(const experiment *e, size_t unknowns)
{
    const steep_error error = {"no memory for the equations"};
    steep_gram gram;
    if (!steep_gram_open(&gram, unknowns, NULL)) experiment_die(e, &error, 1);
    return gram;
}

/* Levenberg-Marquardt. Returns the number of iterations; *error: the training error. */
static size_t train(const experiment *e, kan *k, const steep_samples *s, size_t iterations, double *error)
{
    steep_gram gram = open_gram(e, k->P);
    double *g = experiment_numbers(e, 6 * k->P), *d2 = g + k->P, *d = d2 + 2 * k->P, *step = d + k->P,
           *old = step + k->P;
    double F = square_error(k, s), lambda = 1e-3;
    size_t done = 0;
    for (size_t slow = 0, trial = 0; done < iterations && slow < 4 && trial < TRIALS; done++) {
        const double before = F;
        form(k, s, &gram, g, d2);
        memcpy(old, k->c, k->P * sizeof *old);
        for (trial = 0; trial < TRIALS; trial++, lambda = fmax(4 * lambda, 1e-15)) {
            for (size_t q = 0; q < k->P; q++) d[q] = sqrt(lambda * d2[q]);
            if (!steep_gram_factor(&gram, d)) continue;
            memcpy(step, g, k->P * sizeof *step);
            steep_gram_solve(&gram, step);
            for (size_t q = 0; q < k->P; q++) k->c[q] = old[q] + step[q];
            const double F2 = square_error(k, s);
            if (F2 < before) {
                F = F2;
                break;
            }
        }
        if (trial == TRIALS) memcpy(k->c, old, k->P * sizeof *old);
        slow = before - F < ENOUGH * before ? slow + 1 : 0;
        lambda = fmax(lambda / 5, 1e-16);
    }
    steep_gram_close(&gram);
    free(g);
    *error = sqrt(F / (double)s->count);
    return done;
}

/* The least and the greatest value of each of the first nodes over the points. */
static void find_ranges(const kan *k, size_t nodes, const steep_samples *s, double *least, double *most)
{
    double z[NODES];
    place p[NODES];
    for (size_t i = 0; i < nodes; i++) least[i] = INFINITY, most[i] = -INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        pass(k, nodes, s->x + i, s->count, z, p);
        for (size_t j = 0; j < nodes; j++) least[j] = fmin(least[j], z[j]), most[j] = fmax(most[j], z[j]);
    }
}

/* Sets the intervals of nodes begin .. end - 1 to their ranges over the points, wider by a fortieth at either end. */
static void set_intervals(kan *to, const kan *of, size_t begin, size_t end, const steep_samples *s)
{
    double least[NODES], most[NODES];
    find_ranges(of, end, s, least, most);
    for (size_t i = begin; i < end; i++) {
        const double more = (most[i] - least[i]) / 40 + 1e-12;
        to->low[i] = least[i] - more, to->high[i] = most[i] + more;
    }
}

/* A random start: lines of random slope plus noise below the last layer, the identity plus noise in the last. */
static kan draw_kan(const experiment *e, const size_t *width, size_t G, const steep_samples *s, uint64_t seed)
{
    kan k = open_kan(e, width, G);
    steep_random random = steep_random_start(seed, STEEP_STREAM_START);
    double *c = k.c;
    for (size_t edge = 0, ready = k.inputs; edge < k.edges; edge++, c += k.n) {
        if (k.from[edge] >= ready) set_intervals(&k, &k, ready, k.to[edge], s), ready = k.to[edge]; /* new layer */
        const bool last = k.to[edge] + 1 == k.nodes;
        const double slope = last ? 1 : steep_random_normal(&random) / 2, noise = last ? 0.1 : 0.3;
        for (size_t q = 0; q < k.n; q++)
            c[q] = slope * (2 * (double)q / (double)(k.n - 1) - 1) + noise * steep_random_normal(&random);
    }
    return k;
}

/* Projects the network onto G cells of intervals that fit the points: each spline by least squares on 8 G values. */
static kan refine(const experiment *e, const kan *k, const size_t *width, size_t G, const steep_samples *s)
{
    kan fine = open_kan(e, width, G);
    steep_gram gram = open_gram(e, fine.n);
    const size_t rows = 8 * G;
    double *none = experiment_numbers(e, fine.n);
    set_intervals(&fine, k, k->inputs, k->nodes - 1, s);
    for (size_t edge = 0; edge < k->edges; edge++) {
        const size_t i = k->from[edge];
        double *c = fine.c + edge * fine.n;
        memset(gram.G, 0, gram.ld * gram.ld * sizeof *gram.G);
        for (size_t r = 0; r < rows; r++) {
            const double z = fine.low[i] + (fine.high[i] - fine.low[i]) * ((double)r / (double)(rows - 1));
            const place new = place_at(G, fine.low[i], fine.high[i], z), old = place_at(k->G, k->low[i], k->high[i], z);
            const size_t column[4] = {new.cell, new.cell + 1, new.cell + 2, new.cell + 3};
            add_row(&gram, 4, column, new.B, spline_at(k->c + edge * k->n, &old, old.B), c);
        }
        if (!steep_gram_factor(&gram, none)) c[0] = NAN;
        steep_gram_solve(&gram, c);
    }
    steep_gram_close(&gram);
    free(none);
    return fine;
}

/* Step 1: the best of the starts. Each is trained, and its intervals are set anew, SETTLE times. */
static kan begin(const experiment *e, const size_t *width, size_t G, const steep_samples *s)
{
    kan best = {0};
    double least = INFINITY;
    for (uint64_t seed = 0; seed < (e->quick ? 2 : STARTS); seed++) {
        double error;
        kan k = draw_kan(e, width, G, s, seed);
        for (size_t round = 0; round < SETTLE; round++) {
            train(e, &k, s, FIRST_ITERATIONS, &error);
            const kan again = refine(e, &k, width, G, s);
            const bool better = error < least;
            free(better ? best.c : k.c);
            if (better) best = k, least = error;
            k = again;
        }
        free(k.c);
    }
    return best;
}

/* The test error. *outside: the share of its square from points where a unit leaves its range on the training
 * points. */
static double test_error(const kan *k, const steep_samples *train, const steep_samples *test, double *outside)
{
    double least[NODES], most[NODES], z[NODES], sum = 0, beyond = 0;
    place p[NODES];
    find_ranges(k, k->nodes, train, least, most);
    for (size_t i = 0; i < test->count; i++) {
        const double r = test->y[i] - pass(k, k->nodes, test->x + i, test->count, z, p);
        bool out = false;
        for (size_t j = k->inputs; j + 1 < k->nodes; j++) out |= z[j] < least[j] || z[j] > most[j];
        sum += r * r;
        if (out) beyond += r * r;
    }
    *outside = sum > 0 ? beyond / sum : 0;
    return sqrt(sum / (double)test->count);
}

/* Random points. faces: a hundredth of them is moved onto each pair of opposite faces of the box. */
static steep_samples draw_points(const experiment *e, const steep_target *target, size_t count, bool faces)
{
    steep_samples s;
    steep_error error;
    if (steep_samples_random(target, count, 0, &s, &error) < 0) experiment_die(e, &error, 1);
    for (size_t i = 0; faces && i < count * s.dim; i++) s.x[i] = fmax(-1, fmin(1, s.x[i] / 0.99));
    if (faces) steep_formula_values(target->formula, count, s.x, s.y);
    return s;
}

/* Prints the rows of all grids of a target; few: trained on KAN's number of points. */
static void print_rows(const experiment *e, FILE *out, size_t t, bool few)
{
    steep_target *target = experiment_target(e, targets[t].formula);
    steep_samples test;
    steep_error error;
    kan k = {0};
    double before = NAN;
    if (steep_samples_test(target, STEEP_RANDOM, STEEP_RANDOM, TEST, &test, &error) < 0) experiment_die(e, &error, 1);
    for (size_t i = 0; i < (e->quick ? 4 : CELLS) && targets[t].G[i] > 0; i++) {
        const size_t G = targets[t].G[i], points = few ? FEW : EACH * G > LEAST ? EACH * G : LEAST;
        if (few && G > 100) break;
        steep_samples samples = draw_points(e, target, points, !few);
        if (!k.c) {
            steep_samples first = draw_points(e, target, FEW, true);
            k = begin(e, targets[t].width, G, &first);
            steep_samples_free(&first);
        }
        kan next = refine(e, &k, targets[t].width, G, &samples);
        free(k.c);
        k = next;
        double rmse, outside;
        const char *paper = targets[t].published[i] ? targets[t].published[i] : "-";
        const size_t steps = train(e, &k, &samples, ITERATIONS, &rmse);
        const double error_test = test_error(&k, &samples, &test, &outside);
        const double slope = i > 0 ? log(error_test / before) / log((double)G / (double)targets[t].G[i - 1]) : NAN;
        printf("%-8s %4zu %5zu %7zu  %8.2e %8.2e %6.2f  %7.1e %10zu  %8s\n", targets[t].name, G, k.P, points, rmse,
               error_test, slope, outside, steps, paper);
        fflush(stdout);
        fprintf(out, "%s,%d,%zu,%.17g\n", targets[t].name, few, G, error_test);
        before = error_test;
        steep_samples_free(&samples);
    }
    free(k.c);
    steep_samples_free(&test);
    steep_target_free(target);
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "kan", "target",
                                    "Networks of cubic splines on edges: does the error fall as G^-4?");
    FILE *out = experiment_open(&e, "kan.csv", "target,few,cells,test");
    puts("target    G     P  points     train     test  slope  outside iterations  published");
    for (size_t t = 0; t < TARGETS; t++) {
        if (!experiment_wants(&e, 0, targets[t].name)) continue;
        print_rows(&e, out, t, false);
        if (strcmp(targets[t].name, "exp-sin") == 0) print_rows(&e, out, t, true);
    }
    experiment_found(&e);
    experiment_close(&e, out, "kan.csv");
    experiment_draw(&e, "kan");
    return 0;
}
