/* SPDX-License-Identifier: GPL-3.0-or-later */
/* activation_time: what learned activations cost on one core (paper "Polynomial, trigonometric, and tropical
 * activations", tables 9 to 11), as ratios within one run:
 *   1. forward and backward over 65,536 numbers (4,096 from degree 64 on) against the degree: value, then the gradient
 *      in the number and in every coefficient; hermite by the recurrence beside the explicit sum of equation 22, and
 *      the errors of both. Up to the degree that a unit's 40 inputs hold the library's units are timed; beyond it the
 *      terms of the units are added one by one, each with its share of the gradient;
 *   2. forward and backward of networks of several layers against width and depth, beside gelu.
 * The times are this machine's, the least of several repeats, contenders in turn. Part 1 also prints times of
 * torchortho, the paper's library (PyTorch, double), measured once on one core of another machine, where gelu took 23.4
 * ns, and the multiples of degree 1 in the paper's tables 9 (CPU) and 10 (GPU). */
#include "base/inline.h"
#include "experiment.h"
#include "model/units/fourier.h"
#include "model/units/orthogonal.h"
#include "model/units/tropical.h"
#include "numerics/dense.h"

enum { ELEMENTS = 65536, FEW = 4096, BATCH = 256, TERMS = STEEP_MAX_INPUTS, MOST = 1024, MANY = 2 * MOST + 1 };

/* An activation with its coefficients. */
typedef struct contender contender;
struct contender {
    const char *name;
    void (*evaluate)(contender *c, const steep_tile *t, const double *dh); /* a tile; adds to the gradient */
    const steep_architecture *row;
    steep_choice choice;
    size_t degree, terms, columns; /* terms: coefficients; columns: their input arrays, used in turn */
    double a[MANY], gradient[MANY];
    double best[2]; /* seconds, forward and backward */
};

/* Adds the tile's share to the derivative in coefficient j, t->g[1 + j] its column; dh NULL: forward pass, nothing. */
static void gather(contender *c, const steep_tile *t, const double *dh, size_t j)
{
    if (dh) c->gradient[j] += steep_dense_dot(t->count, dh, t->g[1 + j]);
}

static void evaluate_gelu(contender *c, const steep_tile *t, const double *dh)
{
    double *const jets[] = {t->h, t->g[0]};
    (void)c, (void)dh;
    steep_activation_tile(STEEP_GELU, t->count, t->in[0], t->order, jets);
}

static void evaluate_unit(contender *c, const steep_tile *t, const double *dh)
{
    c->row->tile(&c->choice, t);
    for (size_t j = 0; dh && j < c->terms; j++) gather(c, t, dh, j);
}

STEEP_CLONES static void stream_hermite(contender *c, const steep_tile *t, const double *dh)
{
    double p0[STEEP_TILE], p1[STEEP_TILE], p2[STEEP_TILE], *const p[3] = {p0, p1, p2};
    steep_series_open(0, p, t);
    for (int k = 0; k <= (int)c->degree; k++) {
        STEEP_BY_ORDER(t->order, steep_hermite_term, k, p, steep_tile_of(t, ORDER))
        gather(c, t, dh, (size_t)k);
    }
}

/* (-1)^m / (m! (k - 2m)! 2^m), 0 where it underflows */
static double share[MOST + 1][MOST / 2 + 1];

static void fill_shares(void)
{
    for (size_t k = 0; k <= MOST; k++)
        for (size_t m = 0; 2 * m <= k; m++)
            share[k][m] =
                (m % 2 ? -1 : 1) * exp(-lgamma((double)m + 1) - lgamma((double)(k - 2 * m) + 1) - (double)m * log(2.0));
}

/* The explicit sum, equation 22. */
STEEP_CLONES static void stream_explicit(contender *c, const steep_tile *t, const double *dh)
{
    static double power[MOST + 1][STEEP_TILE];
    const size_t count = t->count;
    steep_fill(count, 1.0, power[0]);
    steep_fill(count, 0.0, t->h);
    steep_fill(count, 0.0, t->g[0]);
    for (size_t k = 1; k <= c->degree; k++)
        for (size_t i = 0; i < count; i++) power[k][i] = power[k - 1][i] * t->in[0][i];
    for (size_t k = 0; k <= c->degree; k++) {
        double *term = t->g[1 + k];
        steep_fill(count, 0.0, term);
        for (size_t m = 0; 2 * m <= k; m++)
            for (size_t i = 0; i < count; i++) term[i] += share[k][m] * power[k - 2 * m][i];
        for (size_t i = 0; i < count; i++) t->h[i] += term[i];
        for (size_t i = 0; dh && k > 0 && i < count; i++) t->g[0][i] += t->g[k][i];
        gather(c, t, dh, k);
    }
}

STEEP_CLONES static void stream_tropical(contender *c, const steep_tile *t, const double *dh)
{
    const double scale = STEEP_SQRT2 / (double)c->degree;
    steep_largest most;
    steep_largest_open(t->count, &most);
    for (size_t k = 0; k <= c->degree; k++) steep_largest_term((int)k, t->count, t->in[0], t->in[1 + k], NULL, &most);
    for (size_t i = 0; i < t->count; i++) t->h[i] = scale * most.value[i], t->g[0][i] = scale * most.slope[i];
    for (size_t k = 0; dh && k <= c->degree; k++) {
        for (size_t i = 0; i < t->count; i++) t->g[1 + k][i] = steep_select(most.which[i] == (double)k, scale, 0.0);
        gather(c, t, dh, k);
    }
}

STEEP_CLONES static void stream_fourier(contender *c, const steep_tile *t, const double *dh)
{
    double c1[STEEP_TILE], s1[STEEP_TILE], ck[STEEP_TILE], sk[STEEP_TILE], weight = 1;
    double *const first[2] = {c1, s1}, *const now[2] = {ck, sk};
    for (size_t i = 0; i < t->count; i++) steep_sin_cos(t->in[0][i], &s1[i], &c1[i]);
    memcpy(ck, c1, t->count * sizeof *ck);
    memcpy(sk, s1, t->count * sizeof *sk);
    steep_sum_open(0, t);
    gather(c, t, dh, 0);
    for (int k = 1; k <= (int)c->degree; k++) {
        weight /= k;
        STEEP_BY_ORDER(t->order, steep_fourier_term, k, weight, first, now, steep_tile_of(t, ORDER))
        gather(c, t, dh, 2 * (size_t)k - 1);
        gather(c, t, dh, 2 * (size_t)k);
    }
}

/* stream: evaluates where no unit of that name exists or its inputs cannot hold the coefficients, which then are 1. */
static void open_contender(contender *c, const char *name, size_t degree,
                           void (*stream)(contender *c, const steep_tile *t, const double *dh))
{
    steep_counts counts = {.shared_scalars = stream == evaluate_gelu ? 0 : degree + 1};
    *c = (contender){.name = name, .degree = degree, .evaluate = stream, .best = {INFINITY, INFINITY}};
    steep_fill(MANY, 1.0, c->a);
    c->row = steep_architecture_find(name, NULL, 0);
    if (c->row) c->choice = steep_choice_default(c->row);
    c->choice.degree = (int)degree;
    if (c->row) c->row->counts(&c->choice, &counts);
    c->terms = counts.shared_scalars;
    c->columns = 2;
    if (!c->row || c->terms >= TERMS) return;
    c->evaluate = evaluate_unit;
    c->columns = c->terms;
    c->row->start(&c->choice, NULL, c->a);
}

/* dh NULL: h = F(z). Else h = dh F'(z), and the gradient in the coefficients into c->gradient; h may be dh. */
static void pass_through(contender *c, size_t count, const double *z, const double *dh, double *h)
{
    static double coefficient[TERMS][STEEP_TILE], derivative[1 + TERMS][STEEP_TILE], value[STEEP_TILE];
    const double *in[1 + MANY];
    double *g[1 + MANY] = {derivative[0]};
    for (size_t j = 0; j < c->terms; j++)
        in[1 + j] = coefficient[j % c->columns], g[1 + j] = derivative[1 + j % c->columns];
    for (size_t j = 0; j < c->columns; j++) steep_fill(STEEP_TILE, c->a[j], coefficient[j]);
    memset(c->gradient, 0, c->terms * sizeof *c->gradient);
    for (size_t i = 0; i < count; i += STEEP_TILE) {
        const size_t size = count - i < STEEP_TILE ? count - i : STEEP_TILE;
        in[0] = z + i;
        c->evaluate(c, &(steep_tile){size, in, dh != NULL, value, g, NULL}, dh ? dh + i : NULL);
        if (!dh) memcpy(h + i, value, size * sizeof *h);
        for (size_t k = 0; dh && k < size; k++) h[i + k] = dh[i + k] * g[0][k];
    }
}

static size_t elements(const contender *c)
{
    return c->degree > 32 ? FEW : ELEMENTS;
}

static void time_elements(contender *c, const double *z, const double *dh, double *h)
{
    const double begin = experiment_seconds(CLOCK_THREAD_CPUTIME_ID);
    pass_through(c, elements(c), z, NULL, h);
    const double middle = experiment_seconds(CLOCK_THREAD_CPUTIME_ID);
    pass_through(c, elements(c), z, dh, h);
    c->best[0] = fmin(c->best[0], middle - begin);
    c->best[1] = fmin(c->best[1], experiment_seconds(CLOCK_THREAD_CPUTIME_ID) - middle);
}

/* The largest |F - exact| / sum |a_k He_k / k!| over [-4, 4], exact in long double by the recurrence; NaN where a value
 * is no number. */
static double inexactness(contender *c)
{
    double worst = 0;
    for (int i = -400; i <= 400; i++) {
        const double z = i / 100.0 + 1e-3;
        long double before = 0, now = 1, sum = 0, size = 0;
        double h;
        for (size_t k = 0; k < c->terms; k++) {
            const long double next = (z * now - before) / (long double)(k + 1);
            sum += c->a[k] * now, size += fabsl(c->a[k] * now);
            before = now, now = next;
        }
        pass_through(c, 1, &z, NULL, &h);
        const double off = (double)(fabsl(h - sum) / size);
        if (!(off <= worst)) worst = off;
        if (isnan(worst)) break;
    }
    return worst;
}

enum { KINDS = 6, DEGREES = 13 };
static const size_t all_degrees[DEGREES] = {1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1024};
/* clang-format off */
/* torch: nanoseconds a number; tables 9 and 10: microseconds; 0: not measured. */
static const struct {
    const char *name;
    void (*stream)(contender *c, const steep_tile *t, const double *dh);
    size_t degrees;
    double torch[DEGREES], table9[DEGREES], table10[DEGREES];
} kinds[KINDS] = {
    {"hermite", stream_hermite, DEGREES, {132, 0, 0, 793, 0, 2149, 7479, 30647}, {0},
     {887.4, 0, 0, 887.0, 0, 893.8, 912.8, 956.0, 1007.8, 1106.6, 1753.4, 2331.2, 5552.4}},
    {"explicit", stream_explicit, DEGREES, {0}, {473.5, 0, 0, 1888.8, 0, 4620.0, 16836.7, 49698.5, 191425},
     {351.0, 0, 0, 355.5, 0, 353.4, 355.0, 355.9, 795.9, 2218.1, 7945.3, 30686.1, 122032}},
    {"tropical", stream_tropical, DEGREES, {34, 0, 0, 28, 0, 33, 66, 122},
     {300.3, 0, 0, 337.2, 0, 356.8, 405.1, 512.1, 788.5},
     {296.9, 0, 0, 295.3, 0, 295.9, 296.1, 302.5, 303.8, 304.9, 305.8, 305.2, 306.9}},
    {"fourier", stream_fourier, DEGREES, {10, 0, 0, 64, 0, 92, 233, 513},
     {270.1, 0, 0, 599.0, 0, 644.5, 787.3, 1215.1, 2627.8},
     {470.0, 0, 0, 471.4, 0, 478.1, 471.7, 489.2, 487.0, 486.0, 488.1, 489.8, 666.7}},
    {"fourier-phase", NULL, 6, {0}, {0}, {0}},
    {"tropical-rational", NULL, 6, {0}, {0}, {0}}};
/* clang-format on */

/* Nanoseconds a number, forward and backward. */
static double both(const contender *c)
{
    return 1e9 * (c->best[0] + c->best[1]) / (double)elements(c);
}

/* Prints a dash for 0, which means not measured. */
static void put_measured(int width, int digits, double value)
{
    if (value > 0) printf(" %*.*f", width, digits, value);
    else printf(" %*s", width, "-");
}

/* Prints a row of part 1. one: the contender of degree 1; k, d: indices into kinds[] and all_degrees[]. */
static void print_degree(contender *c, const contender *one, size_t k, size_t d, double gelu, FILE *out)
{
    const double per = 1e9 / (double)elements(c), off = k < 2 ? inexactness(c) : 0;
    char inexact[16] = "-";
    if (k < 2) snprintf(inexact, sizeof inexact, isnan(off) ? "overflows" : "%.1e", off);
    printf("%-14s %4zu %9.2f %9.2f %9.2f %8.2f %9s", c->name, c->degree, per * c->best[0], per * c->best[1], both(c),
           both(c) / gelu, inexact);
    put_measured(10, 0, kinds[k].torch[d]);
    put_measured(7, 1, kinds[k].torch[d] / 23.4);
    printf(" %9.2f", both(c) / both(one));
    put_measured(8, 2, kinds[k].table9[d] / fmax(kinds[k].table9[0], 1));
    put_measured(8, 2, kinds[k].table10[d] / fmax(kinds[k].table10[0], 1));
    printf("\n");
    fprintf(out, "%s,%zu,%.17g\n", c->name, c->degree, both(c) / gelu);
}

static void degrees(const experiment *e, FILE *out)
{
    static contender gelu, c[KINDS][DEGREES];
    double *z = experiment_numbers(e, 3 * ELEMENTS), *dh = z + ELEMENTS, *h = dh + ELEMENTS;
    steep_random random = steep_random_start(0, STEEP_STREAM_SIMULATION);
    for (size_t i = 0; i < 2 * ELEMENTS; i++) z[i] = steep_random_normal(&random);
    open_contender(&gelu, "gelu", 0, evaluate_gelu);
    fill_shares();
    for (size_t k = 0; k < KINDS; k++)
        for (size_t d = 0; d < kinds[k].degrees; d++)
            open_contender(&c[k][d], kinds[k].name, all_degrees[d], kinds[k].stream);
    for (int repeat = 0; repeat < (e->quick ? 2 : 61); repeat++) {
        time_elements(&gelu, z, dh, h);
        for (size_t k = 0; k < KINDS; k++)
            for (size_t d = 0; d < kinds[k].degrees; d++)
                if (all_degrees[d] <= 32 || repeat < 11) time_elements(&c[k][d], z, dh, h);
    }
    printf("1. nanoseconds a number, %d numbers, %d from degree 64 on, double, one core; / n=1: of degree 1, here and "
           "in the paper's tables 9, 10\n%-14s %4s %9s %9s %9s %8s %9s %10s %7s %9s %8s %8s\n",
           ELEMENTS, FEW, "activation", "n", "forward", "backward", "both", "/ gelu", "inexact", "torchortho", "/ gelu",
           "/ n=1", "table 9", "table 10");
    printf("%-14s %4s %9.2f %9.2f %9.2f %8.2f\n", "gelu", "", 1e9 * gelu.best[0] / ELEMENTS,
           1e9 * gelu.best[1] / ELEMENTS, both(&gelu), 1.0);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t d = 0; d < kinds[k].degrees; d++) print_degree(&c[k][d], &c[k][0], k, d, both(&gelu), out);
    free(z);
}

typedef struct layers {
    size_t width, depth;
    double *W, *V, *dW; /* for each layer: weights, width x width, their transpose, their gradient */
    double *z, *h;      /* z of each layer, h of the input and each layer: width x BATCH */
    double *d, *left, *right;
} layers;

static void transpose(size_t rows, size_t columns, const double *A, double *B)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) B[j + i * columns] = A[i + j * rows];
}

static void open_layers(const experiment *e, size_t width, size_t depth, layers *n)
{
    *n = (layers){.width = width, .depth = depth};
    const size_t square = width * width, plane = width * BATCH;
    n->W = experiment_numbers(e, 3 * depth * square + (2 * depth + 4) * plane);
    n->V = n->W + depth * square;
    n->dW = n->V + depth * square;
    n->z = n->dW + depth * square;
    n->h = n->z + depth * plane;
    n->d = n->h + (depth + 1) * plane;
    n->left = n->d + plane;
    n->right = n->left + plane;
    steep_random random = steep_random_start(0, STEEP_STREAM_START);
    for (size_t i = 0; i < depth * square; i++) n->W[i] = 0.5 * steep_random_normal(&random) / sqrt((double)width);
    for (size_t l = 0; l < depth; l++) transpose(width, width, n->W + l * square, n->V + l * square);
    for (size_t i = 0; i < plane; i++) n->h[i] = steep_random_normal(&random);
}

/* z_l = W_l' h_l, h_{l+1} = F(z_l); then back: d = dh F', dW_l = h_l d', dh_l = W_l d. Returns seconds. */
static double pass(layers *n, contender *c)
{
    const size_t w = n->width, square = w * w, plane = w * BATCH;
    const double begin = experiment_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (size_t l = 0; l < n->depth; l++) {
        steep_dense_inner(
            NULL, &(steep_product){w, {w, n->W + l * square, w}, {BATCH, n->h + l * plane, w}, n->z + l * plane, w});
        pass_through(c, plane, n->z + l * plane, NULL, n->h + (l + 1) * plane);
    }
    memcpy(n->d, n->h + n->depth * plane, plane * sizeof *n->d);
    for (size_t l = n->depth; l-- > 0;) {
        pass_through(c, plane, n->z + l * plane, n->d, n->d);
        transpose(w, BATCH, n->h + l * plane, n->left);
        transpose(w, BATCH, n->d, n->right);
        steep_dense_inner(NULL,
                          &(steep_product){BATCH, {w, n->left, BATCH}, {w, n->right, BATCH}, n->dW + l * square, w});
        steep_dense_inner(NULL, &(steep_product){w, {w, n->V + l * square, w}, {BATCH, n->d, w}, n->left, w});
        memcpy(n->d, n->left, plane * sizeof *n->d);
    }
    return experiment_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* Prints the least time of the passes, activations in turn, and multiples of gelu's. */
static void time_depth(const experiment *e, size_t width, size_t depth, int repeats, FILE *out)
{
    static const struct {
        const char *name;
        size_t degree;
    } of[] = {{"gelu", 0}, {"hermite", 3}, {"tropical", 6}, {"fourier", 6}};
    static contender c[4];
    layers n;
    double best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    open_layers(e, width, depth, &n);
    for (size_t k = 0; k < 4; k++) open_contender(&c[k], of[k].name, of[k].degree, k == 0 ? evaluate_gelu : NULL);
    for (int repeat = 0; repeat < repeats; repeat++)
        for (size_t k = 0; k < 4; k++) best[k] = fmin(best[k], pass(&n, &c[k]));
    printf("%5zu %5zu %9.2f", width, depth, 1e3 * best[0]);
    for (size_t k = 1; k < 4; k++) printf("    %9.2f %4.2fx", 1e3 * best[k], best[k] / best[0]);
    printf("\n");
    for (size_t k = 0; k < 4; k++) fprintf(out, "%s,%zu,%zu,%.17g\n", of[k].name, width, depth, best[k] / best[0]);
    free(n.W);
}

static void depths(const experiment *e, FILE *out)
{
    printf("\n2. milliseconds of forward and backward, %d inputs, and times gelu's\n%5s %5s %9s %18s %18s %18s\n",
           BATCH, "width", "depth", "gelu", "hermite 3", "tropical 6", "fourier 6");
    for (size_t width = 64; width <= (e->quick ? 64 : 256); width *= 2)
        for (size_t depth = 2; depth <= (e->quick ? 2 : 8); depth *= 2)
            time_depth(e, width, depth, e->quick ? 2 : 31, out);
    if (!e->quick) time_depth(e, 1024, 8, 5, out);
    printf("%5d %5d %9s%19s%19s%19s   the paper's table 11: a GPU, an epoch of training\n", 1024, 8, "", "0.99x",
           "0.82x", "0.86x");
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "activation_time", NULL,
                                    "What learned activations cost against degree, width and depth.");
    FILE *out = experiment_open(&e, "activation_time.csv", "activation,degree,times_gelu");
    degrees(&e, out);
    experiment_close(&e, out, "activation_time.csv");
    out = experiment_open(&e, "layers.csv", "activation,width,depth,times_gelu");
    depths(&e, out);
    experiment_close(&e, out, "layers.csv");
    experiment_draw(&e, "activation_time");
    return 0;
}
