/* SPDX-License-Identifier: GPL-3.0-or-later */
/* variance: the gains of variance-preserving starts (paper "Polynomial, trigonometric, and tropical activations",
 * theorems 3.8, 3.13, 3.19), by closed form, quadrature and random numbers, as printed and as corrected:
 *   1. second moments of F and F', gains Var x / E F^2 and Var x / E F'^2, degrees 1 to 100, and classic activations;
 *   2. the bound on |F'| of equation 65 beside the largest |F'|;
 *   3. random networks of 1 to 16 layers at these gains: the mean square of signals and of gradients. */
#include "gauss_hermite.h"
#include "experiment.h"
#include "numerics/quadrature.h"
#include "moments.h"

enum { MOST = 100, DEGREES = 8, SHOWN = 6, DRAWS = 100000, WIDTH = 128, DEPTH = 16, NETWORKS = 15 };
static const size_t degrees[DEGREES] = {1, 2, 3, 4, 6, 8, 16, 100};

typedef enum kind { ACTIVATION, HERMITE, FOURIER, TROPICAL } kind;

/* F of its own degree, on x standard normal, or uniform on [-pi/w, pi/w] for fourier. */
typedef struct function {
    kind kind;
    int activation;
    size_t degree;
    double frequency, scale, a[2 * MOST + 1];
} function;

/* The starts: the paper's, and what became of them. */
static const struct {
    const char *name;
    kind kind;
    bool divided, repaired;
    double length; /* fourier: x uniform on [-length, length] */
} starts[] = {{"hermite", HERMITE, false, false, 0},
              {"hermite/sqrt(e)", HERMITE, true, false, 0},
              {"fourier", FOURIER, false, false, 3.14159265358979324},
              {"fourier/sqrt(I0)", FOURIER, true, false, 3.14159265358979324},
              {"fourier-D.8", FOURIER, false, false, 1.7320508075688773},
              {"fourier-repaired", FOURIER, false, true, 1.7320508075688773},
              {"tropical", TROPICAL, false, false, 0},
              {"tropical-zero", TROPICAL, false, true, 0}};
enum { STARTS = sizeof starts / sizeof *starts };

static const int classics[] = {STEEP_RELU, STEEP_RELU2,   STEEP_LEAKY_RELU, STEEP_GELU, STEEP_SILU,
                               STEEP_TANH, STEEP_SIGMOID, STEEP_SOFTPLUS,   STEEP_MISH, STEEP_ELU};
enum { CLASSICS = sizeof classics / sizeof *classics };

static function classic(int activation)
{
    return (function){.kind = ACTIVATION, .activation = activation, .scale = 1};
}

/* Coefficients by the row of the table; repaired: a_0 that equalises the moments, for tropical a_k = 0. */
static function start_of(size_t s, size_t degree)
{
    static const char *const rows[] = {NULL, "hermite", "fourier", "tropical"};
    function f = {.kind = starts[s].kind, .degree = degree, .frequency = 1, .scale = 1};
    const steep_architecture *row = steep_architecture_find(rows[f.kind], NULL, 0);
    steep_choice choice = steep_choice_default(row);
    choice.degree = (int)degree;
    row->start(&choice, NULL, f.a);
    if (f.kind == FOURIER) f.frequency = 3.14159265358979324 / starts[s].length;
    if (starts[s].divided) f.scale = 1 / sqrt(f.kind == HERMITE ? exp(1) : 2.2795853023360673); /* I_0(2) */
    if (f.kind == TROPICAL) f.scale = sqrt(2) / (double)degree;
    if (starts[s].repaired && f.kind == FOURIER) f.a[0] = moments_balance(degree, f.frequency, f.a);
    if (starts[s].repaired && f.kind == TROPICAL) memset(f.a, 0, sizeof f.a);
    return f;
}

/* F and F' at count points. */
static void evaluate(const function *f, size_t count, const double *x, double *value, double *slope)
{
    double term[2 * MOST + 1], derivative[2 * MOST + 1], *const jets[] = {value, slope};
    if (f->kind == ACTIVATION) {
        steep_activation_tile(f->activation, count, x, 1, jets);
        return;
    }
    const steep_family family = f->kind == HERMITE ? STEEP_FAMILY_HERMITE : STEEP_FAMILY_FOURIER;
    for (size_t i = 0; i < count; i++) {
        value[i] = f->kind == TROPICAL ? -INFINITY : 0;
        slope[i] = 0;
        if (f->kind != TROPICAL) steep_family_evaluate(family, f->degree, f->frequency, x[i], term, derivative);
        for (size_t j = 0; f->kind != TROPICAL && j < steep_family_terms(family, f->degree); j++) {
            value[i] += f->scale * f->a[j] * term[j];
            slope[i] += f->scale * f->a[j] * derivative[j];
        }
        for (size_t k = 0; f->kind == TROPICAL && k <= f->degree; k++) {
            const double line = f->scale * (f->a[k] + (double)k * x[i]);
            if (line > value[i]) value[i] = line, slope[i] = f->scale * (double)k;
        }
    }
}

/* The closed form, NaN where there is none. */
static second_moments closed(const function *f)
{
    second_moments m = {NAN, NAN};
    const double s2 = f->scale * f->scale, part = 1 / (2 * 3.14159265358979324 * sqrt(3));
    if (f->kind == HERMITE) m = moments_hermite(f->degree, f->a);
    if (f->kind == FOURIER) m = moments_fourier(f->degree, f->frequency, f->a);
    if (f->kind == HERMITE || f->kind == FOURIER) return (second_moments){s2 * m.value, s2 * m.slope};
    if (f->kind == TROPICAL) return moments_tropical(f->degree, f->a, f->scale);
    if (f->activation == STEEP_RELU) m = (second_moments){0.5, 0.5};
    if (f->activation == STEEP_RELU2) m = (second_moments){1.5, 2};
    if (f->activation == STEEP_LEAKY_RELU) m = (second_moments){0.50005, 0.50005};
    if (f->activation == STEEP_GELU) m = (second_moments){1.0 / 3 + part, 1.0 / 3 + 4 * part / 3};
    return m;
}

/* Sums of F^2, F'^2 and x F F' with weights. */
static void add(const function *f, size_t count, const double *x, const double *weight, double sum[3])
{
    double value[512], slope[512];
    evaluate(f, count, x, value, slope);
    for (size_t i = 0; i < count; i++) {
        sum[0] += weight[i] * value[i] * value[i];
        sum[1] += weight[i] * slope[i] * slope[i];
        sum[2] += weight[i] * x[i] * value[i] * slope[i];
    }
}

/* For a standard normal x: Gauss-Legendre on cells of length 1/2, whose ends the kinks are. sum: E F^2, E F'^2, E x F
 * F'. */
static void integrate_normal(const function *f, double sum[3])
{
    enum { COUNT = 24 };
    long double node[COUNT], weight[COUNT];
    double x[COUNT], w[COUNT];
    sum[0] = sum[1] = sum[2] = 0;
    steep_gauss_legendre(COUNT, node, weight);
    for (int cell = -78; cell < 78; cell++) {
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = 0.5 * (cell + 0.5) + 0.25 * (double)node[i];
            w[i] = 0.25 * (double)weight[i] * (double)(expl(-0.5L * x[i] * x[i]) / sqrtl(2 * 3.14159265358979324L));
        }
        add(f, COUNT, x, w, sum);
    }
}

/* For the x of the function: Gauss-Hermite with degree + 2 nodes for polynomials; the trapezoidal rule for periodic
 * functions; the above for the rest. */
static void integrate(const function *f, double sum[3])
{
    long double node[HERMITE_MOST], weight[HERMITE_MOST];
    double x[512] = {0}, w[512];
    const size_t count = f->kind == HERMITE ? f->degree + 2 : 2 * f->degree + 2;
    if (f->kind != HERMITE && f->kind != FOURIER) {
        integrate_normal(f, sum);
        return;
    }
    if (f->kind == HERMITE) gauss_hermite(count, node, weight);
    for (size_t i = 0; i < count; i++) {
        x[i] = f->kind == HERMITE ? (double)node[i]
                                  : 3.14159265358979324 * (2 * ((double)i + 0.25) / (double)count - 1) / f->frequency;
        w[i] = f->kind == HERMITE ? (double)weight[i] : 1 / (double)count;
    }
    sum[0] = sum[1] = sum[2] = 0;
    add(f, count, x, w, sum);
}

/* Means of F^2 and F'^2 over random x, and their standard errors. */
static void draw(const function *f, size_t draws, double mean[2], double error[2])
{
    steep_random random = steep_random_start(0, STEEP_STREAM_SIMULATION);
    double x[512], value[512], slope[512], square[2] = {0, 0};
    mean[0] = mean[1] = 0;
    for (size_t done = 0; done < draws; done += 500) {
        for (size_t i = 0; i < 500; i++)
            x[i] = f->kind == FOURIER ? 3.14159265358979324 / f->frequency * (2 * steep_random_uniform(&random) - 1)
                                      : steep_random_normal(&random);
        evaluate(f, 500, x, value, slope);
        for (size_t i = 0; i < 500; i++) {
            const double v = value[i] * value[i], s = slope[i] * slope[i];
            mean[0] += v, square[0] += v * v;
            mean[1] += s, square[1] += s * s;
        }
    }
    for (int d = 0; d < 2; d++) {
        mean[d] /= (double)draws;
        error[d] = sqrt((square[d] / (double)draws - mean[d] * mean[d]) / (double)draws);
    }
}

static double variance_of(const function *f) /* of x */
{
    return f->kind == FOURIER ? pow(3.14159265358979324 / f->frequency, 2) / 3 : 1;
}

static void put(double value)
{
    if (isnan(value)) printf(" %9s", "-");
    else printf(" %9.6f", value);
}

/* A line: moments by the three ways, gains. The closed form counts, or the quadrature where there is none. */
static void print_function(const experiment *e, FILE *out, const char *name, const function *f)
{
    const second_moments exact = closed(f);
    double sum[3], mean[2], error[2];
    integrate(f, sum);
    draw(f, e->quick ? 2000 : DRAWS, mean, error);
    const second_moments m = isnan(exact.value) ? (second_moments){sum[0], sum[1]} : exact;
    const double forward = variance_of(f) / m.value, backward = variance_of(f) / m.slope;
    const double off = fmax(fabs(sum[0] / m.value - 1), fabs(sum[1] / m.slope - 1));
    printf("%-16s %3zu", name, f->degree);
    put(exact.value);
    printf(" %9.6f %7.4f+-%6.4f", sum[0], mean[0], error[0]);
    put(exact.slope);
    printf(" %9.6f %7.4f+-%6.4f %8s %8.5f %8.5f\n", sum[1], mean[1], error[1],
           isnan(exact.value) ? "-"
           : off < 1e-12      ? "< 1e-12"
                              : "MORE",
           forward, backward);
    fprintf(out, "%s,%zu,%.17g,%.17g\n", name, f->degree, forward, backward);
}

static bool print_gains(const experiment *e)
{
    bool any = false;
    FILE *out = experiment_open(e, "variance.csv", "start,degree,forward,backward");
    printf("%-16s %3s %9s %9s %15s %9s %9s %15s %8s %8s %8s\n", "start", "n", "E F^2", "quadrat.", "random", "E F'^2",
           "quadrat.", "random", "closed-q", "gain", "gain'");
    for (size_t i = 0; i < CLASSICS; i++) {
        const char *name = steep_activation_names((size_t)classics[i]);
        const function f = classic(classics[i]);
        if (!experiment_wants(e, 0, name) || !experiment_wants_size(e, 1, 0)) continue;
        print_function(e, out, name, &f);
        any = true;
    }
    for (size_t s = 0; s < STARTS; s++)
        for (size_t d = 0; d < (e->quick ? 5 : DEGREES); d++) {
            if (!experiment_wants(e, 0, starts[s].name) || !experiment_wants_size(e, 1, degrees[d])) continue;
            const function f = start_of(s, degrees[d]);
            print_function(e, out, starts[s].name, &f);
            any = true;
        }
    experiment_close(e, out, "variance.csv");
    return any;
}

/* The largest |F'| of the start of theorem 3.13, on 100,000 points of a period, beside the bounds with and without sqrt
 * 2. */
static void print_bound(const experiment *e)
{
    printf("\nequation 65: |F'| <= sum 1/(k-1)! <= e, as printed; a_k cos + b_k sin reaches sqrt 2\n");
    printf("%16s %3s %9s %9s %9s\n", "", "n", "largest", "printed", "sqrt 2 x");
    for (size_t n = 1; n <= 16; n *= 2) {
        const function f = start_of(2, n);
        double most = 0, bound = 0, weight = 1;
        const size_t points = e->quick ? 1000 : 100000;
        for (size_t i = 0; i < points; i++) {
            double x = 3.14159265358979324 * (2 * (double)i / (double)points - 1), value = 0, slope = 0;
            evaluate(&f, 1, &x, &value, &slope);
            most = fmax(most, fabs(slope));
        }
        for (size_t k = 1; k <= n; k++) {
            bound += weight;
            weight /= (double)k;
        }
        printf("%16s %3zu %9.6f %9.6f %9.6f  %s\n", "", n, most, bound, sqrt(2) * bound,
               most > bound ? "above what is printed" : "");
    }
}

/* Random weights of a network, normal of variance 1: all functions have the same ones. */
typedef struct weights {
    double W[DEPTH][WIDTH * WIDTH], in[WIDTH], out[DEPTH][WIDTH];
} weights;

static void draw_weights(uint64_t network, weights *w)
{
    steep_random random = steep_random_start(network, STEEP_STREAM_SIMULATION);
    for (size_t l = 0; l < DEPTH; l++) {
        for (size_t i = 0; i < WIDTH * WIDTH; i++) w->W[l][i] = steep_random_normal(&random);
        for (size_t i = 0; i < WIDTH; i++) w->out[l][i] = steep_random_normal(&random);
    }
    for (size_t i = 0; i < WIDTH; i++) w->in[i] = steep_random_normal(&random);
}

/* to = W from or W' from, times sqrt(gain / WIDTH) */
static void layer(const double *W, double gain, bool back, const double *from, double *to)
{
    const double deviation = sqrt(gain / WIDTH);
    for (size_t i = 0; i < WIDTH; i++) to[i] = 0;
    for (size_t i = 0; i < WIDTH; i++)
        for (size_t j = 0; j < WIDTH; j++) to[back ? j : i] += deviation * W[i * WIDTH + j] * from[back ? i : j];
}

/* Mean square of the signal after each layer, and of a gradient that enters a network of so many layers with mean
 * square 1. Inputs are normal, of variance 1: what sums of many units make of any input. */
static void propagate(const function *f, double gain, const weights *w, double signal[DEPTH], double gradient[DEPTH])
{
    static double z[DEPTH + 1][WIDTH], value[WIDTH], slope[DEPTH][WIDTH], g[WIDTH], next[WIDTH];
    memcpy(z[0], w->in, sizeof z[0]);
    for (size_t l = 0; l < DEPTH; l++) {
        evaluate(f, WIDTH, z[l], value, slope[l]);
        layer(w->W[l], gain, false, value, z[l + 1]);
        signal[l] = gradient[l] = 0;
        for (size_t i = 0; i < WIDTH; i++) signal[l] += z[l + 1][i] * z[l + 1][i] / WIDTH;
    }
    for (size_t l = 0; l < DEPTH; l++) {
        memcpy(g, w->out[l], sizeof g);
        for (size_t k = l + 1; k-- > 0;) {
            layer(w->W[k], gain, true, g, next);
            for (size_t i = 0; i < WIDTH; i++) g[i] = next[i] * slope[k][i];
        }
        for (size_t i = 0; i < WIDTH; i++) gradient[l] += g[i] * g[i] / WIDTH;
    }
}

typedef struct spread {
    function f;
    const char *name;
    double gain, signal[NETWORKS][DEPTH], gradient[NETWORKS][DEPTH];
} spread;

/* Medians over networks. The multiplier d ln E F(sqrt q x)^2 / d ln q at q = 1, E x F F' / E F^2 of a normal x: above
 * 1, a layer makes a deviation of the variance from 1 larger. */
static void print_layers(FILE *out, const spread *s, size_t networks)
{
    double column[NETWORKS], normal[3];
    integrate_normal(&s->f, normal);
    printf("%-16s %3zu %9.5f %9.5f %7.2f ", s->name, s->f.degree, s->gain, s->gain * normal[0], normal[2] / normal[0]);
    for (int which = 0; which < 2; which++)
        for (size_t l = 0, depth = 1; l < DEPTH; l++) {
            for (size_t i = 0; i < networks; i++) {
                column[i] = which ? s->gradient[i][l] : s->signal[i][l];
                if (isnan(column[i])) column[i] = INFINITY; /* it came from infinities */
            }
            const double middle = experiment_median(column, networks);
            if (!which) fprintf(out, "%s,%zu,signal,%zu,%.17g\n", s->name, s->f.degree, l + 1, middle);
            if (l + 1 != depth) continue;
            printf(" %8.2g", middle);
            depth *= 2;
        }
    printf("\n");
}

static void print_depths(const experiment *e)
{
    static const struct {
        size_t start, degree;
    } shown[SHOWN] = {{0, 3}, {0, 6}, {2, 6}, {5, 6}, {6, 6}, {7, 6}};
    static spread all[SHOWN + 2];
    static weights w;
    const size_t networks = e->quick ? 3 : NETWORKS;
    FILE *out = experiment_open(e, "variance_depth.csv", "start,degree,what,depth,median");
    for (size_t i = 0; i < 2; i++) all[i].f = classic(i ? STEEP_GELU : STEEP_RELU), all[i].name = i ? "gelu" : "relu";
    for (size_t i = 0; i < SHOWN; i++) {
        all[i + 2].f = start_of(shown[i].start, shown[i].degree);
        all[i + 2].name = starts[shown[i].start].name;
    }
    for (size_t i = 0; i < SHOWN + 2; i++) {
        double sum[3];
        integrate(&all[i].f, sum);
        all[i].gain = variance_of(&all[i].f) / sum[0];
    }
    for (size_t n = 0; n < networks; n++) {
        draw_weights(n, &w);
        for (size_t i = 0; i < SHOWN + 2; i++)
            propagate(&all[i].f, all[i].gain, &w, all[i].signal[n], all[i].gradient[n]);
    }
    printf("\n%zu random networks of width %d, weights of variance gain / width: mean square after 1, 2, 4, 8, 16 "
           "layers\n",
           networks, WIDTH);
    printf("%-16s %3s %9s %9s %7s  %44s %44s\n", "start", "n", "gain", "gain E F^2", "mult.", "signal", "gradient");
    for (size_t i = 0; i < SHOWN + 2; i++) print_layers(out, &all[i], networks);
    experiment_close(e, out, "variance_depth.csv");
}

int main(int argc, char **argv)
{
    experiment e =
        experiment_begin_rows(argc, argv, "variance", "start degree",
                              "The gains of variance-preserving starts, by three ways, as printed and corrected.");
    experiment_found(&e, print_gains(&e));
    if (e.only) return 0;
    print_bound(&e);
    print_depths(&e);
    experiment_draw(&e, "variance");
    return 0;
}
