/* SPDX-License-Identifier: GPL-3.0-or-later */
/* activation_time: what learned activations cost on one core (paper "Polynomial, trigonometric, and tropical
 * activations", tables 9 to 11), as ratios within one run:
 *   1. forward and backward over 65,536 numbers against the degree: value, then the gradient in the number and in every
 *      coefficient; hermite by the recurrence (the library's unit) beside the explicit sum of equation 22, and how
 *      exact either is;
 *   2. forward and backward of networks of several layers against width and depth, beside gelu.
 * The times are this machine's; the smallest of some repeats, taken in turn. Beside part 1 stand times of torchortho, the
 * paper's library (PyTorch, double), measured once on one core of another machine, where gelu took 23.4 ns. */
#include <math.h>
#include <time.h>

#include "base/clones.h"
#include "experiment.h"
#include "model/learned.h"
#include "numerics/dense.h"

enum { ELEMENTS = 65536, BATCH = 256, TERMS = STEEP_MAX_INPUTS };

/* An activation with its coefficients, and columns for a tile. */
typedef struct contender {
    const char *name;
    const steep_architecture *row; /* NULL: gelu, or the explicit sum */
    bool is_explicit;
    steep_choice choice;
    size_t terms; /* coefficients */
    double a[TERMS], gradient[TERMS], column[TERMS][STEEP_TILE], g[TERMS][STEEP_TILE], h[STEEP_TILE];
    double share[34][18]; /* explicit: (-1)^m / (m! (k - 2m)! 2^m) */
    double best[2];       /* seconds, forward and backward */
} contender;

/* Of this thread: what else runs on the machine disturbs it least. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void open_contender(contender *c, const char *name, const char *row, size_t degree)
{
    memset(c, 0, sizeof *c);
    c->name = name;
    c->best[0] = c->best[1] = INFINITY;
    c->is_explicit = strcmp(name, "explicit") == 0;
    const steep_architecture *start = row ? steep_architecture_find(row, NULL, 0) : NULL;
    if (!start) return;
    steep_counts counts;
    c->choice = steep_choice_default(start);
    c->choice.degree = (int)degree;
    start->counts(&c->choice, &counts);
    start->start(&c->choice, NULL, c->a);
    c->terms = counts.shared_scalars;
    if (!c->is_explicit) c->row = start;
    for (size_t j = 0; j < c->terms; j++)
        for (size_t i = 0; i < STEEP_TILE; i++) c->column[1 + j][i] = c->a[j];
    for (size_t k = 0; c->is_explicit && k <= degree; k++)
        for (size_t m = 0; 2 * m <= k; m++)
            c->share[k][m] =
                (m % 2 ? -1 : 1) * exp(-lgamma((double)m + 1) - lgamma((double)(k - 2 * m) + 1)) / pow(2, (double)m);
}

/* Equation 22 over a tile: h, and for order 1 the slope in g[0], He_k / k! in g[1 + k]. */
STEEP_CLONES static void explicit_tile(contender *c, size_t count, const double *z, int order)
{
    double power[34][STEEP_TILE];
    const size_t degree = c->terms - 1;
    for (size_t i = 0; i < count; i++) power[0][i] = 1, c->h[i] = c->g[0][i] = 0;
    for (size_t k = 1; k <= degree; k++)
        for (size_t i = 0; i < count; i++) power[k][i] = power[k - 1][i] * z[i];
    for (size_t k = 0; k <= degree; k++) {
        double *term = c->g[1 + k];
        for (size_t i = 0; i < count; i++) term[i] = 0;
        for (size_t m = 0; 2 * m <= k; m++)
            for (size_t i = 0; i < count; i++) term[i] += c->share[k][m] * power[k - 2 * m][i];
        for (size_t i = 0; i < count; i++) c->h[i] += c->a[k] * term[i];
        for (size_t i = 0; order >= 1 && k > 0 && i < count; i++) c->g[0][i] += c->a[k] * c->g[k][i];
    }
}

static void tile(contender *c, size_t count, const double *z, int order)
{
    const double *in[TERMS];
    double *g[TERMS], *const jets[] = {c->h, c->g[0]};
    if (!c->row && !c->is_explicit) {
        steep_activation_tile(STEEP_GELU, count, z, order, jets);
        return;
    }
    if (c->is_explicit) {
        explicit_tile(c, count, z, order);
        return;
    }
    in[0] = z;
    for (size_t j = 0; j < c->terms; j++) in[1 + j] = c->column[1 + j];
    for (size_t j = 0; j <= c->terms; j++) g[j] = c->g[j];
    c->row->tile(&c->choice, count, in, order, c->h, g, NULL);
}

static void forward(contender *c, size_t count, const double *z, double *h)
{
    for (size_t i = 0; i < count; i += STEEP_TILE) {
        const size_t size = count - i < STEEP_TILE ? count - i : STEEP_TILE;
        tile(c, size, z + i, 0);
        memcpy(h + i, c->h, size * sizeof *h);
    }
}

/* dz = dh F'(z), and the gradient in the coefficients. dz may be dh. */
static void backward(contender *c, size_t count, const double *z, const double *dh, double *dz)
{
    memset(c->gradient, 0, sizeof c->gradient);
    for (size_t i = 0; i < count; i += STEEP_TILE) {
        const size_t size = count - i < STEEP_TILE ? count - i : STEEP_TILE;
        tile(c, size, z + i, 1);
        for (size_t j = 0; j < c->terms; j++) c->gradient[j] += steep_dense_dot(size, dh + i, c->g[1 + j]);
        for (size_t k = 0; k < size; k++) dz[i + k] = dh[i + k] * c->g[0][k];
    }
}

static void time_elements(contender *c, const double *z, const double *dh, double *h)
{
    const double begin = processor_seconds();
    forward(c, ELEMENTS, z, h);
    const double middle = processor_seconds();
    backward(c, ELEMENTS, z, dh, h);
    c->best[0] = fmin(c->best[0], middle - begin);
    c->best[1] = fmin(c->best[1], processor_seconds() - middle);
}

/* The largest |F - exact| / sum |a_k He_k / k!| over [-4, 4], exact in long double by the recurrence. */
static double inexactness(contender *c)
{
    double worst = 0;
    for (int i = -400; i <= 400; i++) {
        const double z = i / 100.0 + 1e-3;
        long double before = 0, now = 1, sum = 0, size = 0;
        for (size_t k = 0; k < c->terms; k++) {
            const long double next = (z * now - before) / (long double)(k + 1);
            sum += c->a[k] * now, size += fabsl(c->a[k] * now);
            before = now, now = next;
        }
        tile(c, 1, &z, 0);
        worst = fmax(worst, (double)(fabsl(c->h[0] - sum) / size));
    }
    return worst;
}

static void degrees(const experiment *e, FILE *out)
{
    static const size_t all[] = {1, 2, 3, 4, 6, 8, 16, 32};
    static const struct {
        const char *name, *row;
        size_t most;
    } kinds[] = {{"hermite", "hermite", 32},
                 {"explicit", "hermite", 32},
                 {"tropical", "tropical", 32},
                 {"fourier", "fourier", 16},
                 {"fourier-phase", "fourier-phase", 8}};
    enum { KINDS = sizeof kinds / sizeof *kinds, DEGREES = sizeof all / sizeof *all };
    static const double torch[KINDS][DEGREES] = {/* ns a number; 0: not measured */
                                                 [0] = {132, 0, 0, 793, 0, 2149, 7479, 30647},
                                                 [2] = {34, 0, 0, 28, 0, 33, 66, 122},
                                                 [3] = {10, 0, 0, 64, 0, 92, 233, 513}};
    static contender gelu, c[KINDS][DEGREES];
    double *z = experiment_numbers(e, 3 * ELEMENTS), *dh = z + ELEMENTS, *h = dh + ELEMENTS;
    steep_random random = steep_random_start(0, STEEP_STREAM_SIMULATION);
    for (size_t i = 0; i < 2 * ELEMENTS; i++) z[i] = steep_random_normal(&random);
    open_contender(&gelu, "gelu", NULL, 0);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t d = 0; d < DEGREES && all[d] <= kinds[k].most; d++)
            open_contender(&c[k][d], kinds[k].name, kinds[k].row, all[d]);
    for (int repeat = 0; repeat < (e->quick ? 2 : 61); repeat++) {
        time_elements(&gelu, z, dh, h);
        for (size_t k = 0; k < KINDS; k++)
            for (size_t d = 0; d < DEGREES && all[d] <= kinds[k].most; d++) time_elements(&c[k][d], z, dh, h);
    }
    const double base = gelu.best[0] + gelu.best[1], per = 1e9 / ELEMENTS;
    printf("1. nanoseconds a number, %d numbers, double, one core\n%-14s %3s %9s %9s %9s %7s %9s %11s %7s\n", ELEMENTS,
           "activation", "n", "forward", "backward", "both", "/ gelu", "inexact", "torchortho", "/ gelu");
    printf("%-14s %3s %9.2f %9.2f %9.2f %7.2f\n", "gelu", "", per * gelu.best[0], per * gelu.best[1], per * base, 1.0);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t d = 0; d < DEGREES && all[d] <= kinds[k].most; d++) {
            const contender *q = &c[k][d];
            const double both = q->best[0] + q->best[1];
            printf("%-14s %3zu %9.2f %9.2f %9.2f %7.2f", q->name, all[d], per * q->best[0], per * q->best[1],
                   per * both, both / base);
            if (k < 2) printf(" %9.1e", inexactness(&c[k][d]));
            if (torch[k][d] > 0) printf("%*s%11.0f %7.1f", k < 2 ? 1 : 11, "", torch[k][d], torch[k][d] / 23.4);
            printf("\n");
            fprintf(out, "%s,%zu,%.17g,%.17g,%.17g\n", q->name, all[d], per * q->best[0], per * q->best[1],
                    both / base);
        }
    free(z);
}

/* --- layers --- */

typedef struct layers {
    size_t width, depth;
    double *W, *V, *dW; /* a layer each: width x width, its transpose, its gradient */
    double *z, *h;      /* a layer each and the input: width x BATCH */
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

/* z_l = W_l' h_l, h_{l+1} = F(z_l); then back: d = dh F', dW_l = h_l d', dh_l = W_l d. Seconds. */
static double pass(layers *n, contender *c)
{
    const size_t w = n->width, square = w * w, plane = w * BATCH;
    const double begin = processor_seconds();
    for (size_t l = 0; l < n->depth; l++) {
        steep_dense_inner(w, w, n->W + l * square, w, BATCH, n->h + l * plane, w, n->z + l * plane, w);
        forward(c, plane, n->z + l * plane, n->h + (l + 1) * plane);
    }
    memcpy(n->d, n->h + n->depth * plane, plane * sizeof *n->d);
    for (size_t l = n->depth; l-- > 0;) {
        backward(c, plane, n->z + l * plane, n->d, n->d);
        transpose(w, BATCH, n->h + l * plane, n->left);
        transpose(w, BATCH, n->d, n->right);
        steep_dense_inner(BATCH, w, n->left, BATCH, w, n->right, BATCH, n->dW + l * square, w);
        steep_dense_inner(w, w, n->V + l * square, w, BATCH, n->d, w, n->left, w);
        memcpy(n->d, n->left, plane * sizeof *n->d);
    }
    return processor_seconds() - begin;
}

static void depths(const experiment *e, FILE *out)
{
    static const struct {
        const char *name, *row;
        size_t degree;
    } kinds[] = {{"gelu", NULL, 0}, {"hermite", "hermite", 3}, {"tropical", "tropical", 6}, {"fourier", "fourier", 6}};
    static contender c[4];
    printf("\n2. milliseconds of forward and backward, %d inputs, and times gelu's\n%5s %5s %9s %18s %18s %18s\n",
           BATCH, "width", "depth", "gelu", "hermite 3", "tropical 6", "fourier 6");
    for (size_t width = 64; width <= (e->quick ? 64 : 256); width *= 2)
        for (size_t depth = 2; depth <= (e->quick ? 2 : 8); depth *= 2) {
            layers n;
            open_layers(e, width, depth, &n);
            double best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
            for (size_t k = 0; k < 4; k++) open_contender(&c[k], kinds[k].name, kinds[k].row, kinds[k].degree);
            for (int repeat = 0; repeat < (e->quick ? 2 : 31); repeat++)
                for (size_t k = 0; k < 4; k++) best[k] = fmin(best[k], pass(&n, &c[k]));
            printf("%5zu %5zu %9.2f", width, depth, 1e3 * best[0]);
            for (size_t k = 1; k < 4; k++) printf("    %9.2f %4.2fx", 1e3 * best[k], best[k] / best[0]);
            printf("\n");
            for (size_t k = 0; k < 4; k++)
                fprintf(out, "%s,%zu,%zu,%.17g,%.17g\n", kinds[k].name, width, depth, 1e3 * best[k], best[k] / best[0]);
            free(n.W);
        }
}

int main(int argc, char **argv)
{
    experiment e = experiment_begin(argc, argv, "activation_time", "results/activation_time",
                                    "What learned activations cost against degree, width and depth.");
    FILE *out = experiment_open(&e, "activation_time.csv");
    fprintf(out, "activation,degree,forward_ns,backward_ns,times_gelu\n");
    degrees(&e, out);
    experiment_close(&e, out, "activation_time.csv");
    out = experiment_open(&e, "layers.csv");
    fprintf(out, "activation,width,depth,milliseconds,times_gelu\n");
    depths(&e, out);
    experiment_close(&e, out, "layers.csv");
    experiment_draw(&e, "activation_time");
    return 0;
}
