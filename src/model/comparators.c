/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparators: bases with which networks are compared, as rows like any other: y(x) = d + sum_i D_i h_i(x).
 *
 *   spline     relu(x - t_i)^k, k the activation's power: splines with free knots, P = 2 n + 1
 *   bspline    the B-splines of degree k on n + 1 - k equal cells without the first, which d replaces; P = n + 1
 *   kan        the same in each coordinate, n / dim of them: one layer of a KAN without its silu terms; P = n + 1
 *   chebyshev  T_1 .. T_n on the interval; P = n + 1
 *   rbf        Gaussians about equispaced centres, in 2D and more the points of a Kronecker sequence; P = n + 1
 *   rff        an activation of random affine maps, rff-sin their sine; P as for a network, since the maps are stored
 *   siren      sin(30 z), all parameters trained
 *
 * All but spline and siren are linear: solver frozen fits D and d. Bases are evaluated stably: Chebyshev polynomials as
 * cosines, B-splines by de Boor's recurrence. The units are plain functions of a point and run on the CPU. */
#include "base/long_double.h"
#include "base/random.h"
#include "model/architecture.h"
#include "model/network.h"
#include "model/piecewise.h"
#include "model/units/gated.h"
#include "model/written.h"

#define SIREN_FREQUENCY   30 /* w_0 of Sitzmann et al. */
#define FEATURE_STEEPNESS 4  /* standard deviation of a random slope, for x in units of half the box; tuned */
#define GAUSSIAN_WIDTH    2  /* in distances between centres: what cancels of the basis is below 1e-16; tuned */
#define OUTER_CENTRES     8  /* centres outside the interval, on either side */

static void sine_of(double frequency, double z, int order, double *h, double *g, double *H)
{
    double sine, cosine;
    steep_sin_cos(frequency * z, &sine, &cosine);
    *h = sine;
    if (order >= 1) g[0] = frequency * cosine;
    if (order >= 2) H[0] = -frequency * frequency * sine;
}

static void siren(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    sine_of(SIREN_FREQUENCY, u[0], order, h, g, H);
}

static void feature_sine(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    sine_of(1, u[0], order, h, g, H);
}

static void gaussian(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    (void)choice;
    *h = steep_exp(-u[0]);
    if (order >= 1) g[0] = -*h;
    if (order >= 2) H[0] = *h;
}

/* N_k(z), the B-spline of degree k on the knots 0, 1, .. k + 1: every term of the recurrence is positive. */
static double bspline_value(int k, double z)
{
    double c[STEEP_MAX_INPUTS];
    if (k < 0) return 0;
    for (int i = 0; i <= k; i++) c[i] = z >= i && z < i + 1;
    for (int d = 1; d <= k; d++)
        for (int i = 0; i <= k - d; i++) c[i] = ((z - i) * c[i] + (i + d + 1 - z) * c[i + 1]) / d;
    return c[0];
}

/* N_k'(z) = N_{k-1}(z) - N_{k-1}(z - 1) */
static void bspline(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    const int k = choice->degree;
    const double z = u[0];
    *h = bspline_value(k, z);
    if (order >= 1) g[0] = bspline_value(k - 1, z) - bspline_value(k - 1, z - 1);
    if (order >= 2) H[0] = bspline_value(k - 2, z) - 2 * bspline_value(k - 2, z - 1) + bspline_value(k - 2, z - 2);
}

/* T_k(z) and its slope. For |z| <= 1: cos(k t) with z = cos t, slope k sin(k t) / sin t. Beyond: cosh(k arcosh |z|)
 * with the sign of z^k. t is computed by the tangent of the half angle, which does not cancel. */
static double chebyshev_value(double k, double z, double *t, double *slope)
{
    const double s = sqrt(fabs((1 - z) * (1 + z))), sign = z < 0 && fmod(k, 2) != 0 ? -1 : 1;
    double sine, cosine;
    *t = 0;
    if (fabs(z) <= 1) {
        *t = 2 * steep_atan(sqrt((1 - z) / (1 + z)));
        steep_sin_cos(k * *t, &sine, &cosine);
        *slope = s > 0 ? k * sine / s : sign * copysign(k * k, z);
        return cosine;
    }
    const double E = steep_exp(k * steep_log(fabs(z) + s));
    *slope = sign * copysign(k * (E - 1 / E) / (2 * s), z);
    return sign * (E + 1 / E) / 2;
}

/* u = (z, k). T'' comes from (1 - z^2) T'' = z T' - k^2 T. Derivatives in k are right for |z| <= 1 alone. */
static void chebyshev(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    const double z = u[0], k = u[1];
    double t, slope, sine, cosine;
    (void)choice;
    *h = chebyshev_value(k, z, &t, &slope);
    steep_sin_cos(k * t, &sine, &cosine);
    if (order >= 1) {
        g[0] = slope;
        g[1] = -t * sine;
    }
    if (order >= 2) {
        H[0] = (z * slope - k * k * *h) / ((1 - z) * (1 + z));
        H[1] = (sine + k * t * cosine) / sqrt(fabs((1 - z) * (1 + z)));
        H[2] = -t * t * cosine;
    }
}

/* N_k as a sum of powers, for tests: sum_i (-1)^i C(k + 1, i) relu(z - i)^k / k! */
static void write_bspline(const steep_choice *choice, FILE *out)
{
    const int k = choice->degree;
    double factor = 1;
    for (int i = 2; i <= k; i++) factor /= i;
    for (int i = 0; i <= k + 1; i++) {
        fprintf(out, "%+.17g*relu(z1-%d)^%d", factor, i, k);
        factor *= -(double)(k + 1 - i) / (i + 1);
    }
}

STEEP_GATED_COUNTS(rbf, 1, 1, STEEP_MAP_QUADRATIC)

/* One branch, z, and one scalar, the order k. */
STEEP_COUNTS(chebyshev, 1, 1, 0, 0)

/* Stored numbers: D and d. The other parameters follow from the width and the box. */
static size_t outputs(const steep_network *network)
{
    return network->width + 1;
}

/* Stored numbers: D, d and the knots. With relu the slope of a gate is no freedom of its own. */
static size_t knots_and_outputs(const steep_network *network)
{
    return 2 * network->width + 1;
}

/* Deals the units to the coordinates in turn. Fewer than k in a coordinate are the first B-splines of a single cell. */
static void place_splines(const steep_network *network, const steep_start_options *start, double *theta)
{
    const size_t dim = network->dim, k = (size_t)network->choice.degree;
    for (size_t i = 0; i < network->width; i++) {
        const size_t j = i % dim, count = (network->width - j + dim - 1) / dim, cells = count > k ? count + 1 - k : 1;
        const double scale = (double)cells / (start->high[j] - start->low[j]);
        double *gate = theta + steep_network_gate(network, i);
        const size_t place = i / dim + 1;
        gate[j] = scale;
        gate[dim] = (double)k - (double)place - start->low[j] * scale;
    }
}

static void place_chebyshev(const steep_network *network, const steep_start_options *start, double *theta)
{
    const double low = start->low[0], high = start->high[0];
    for (size_t i = 0; i < network->width; i++) {
        double *gate = theta + steep_network_gate(network, i);
        gate[0] = 2 / (high - low);
        gate[1] = -(low + high) / (high - low);
        theta[network->scalars + i] = (double)(i + 1);
    }
}

/* Adds ((x_j - centre) / length)^2 / 2 to a gate in the features of a quadratic map. */
static void add_distance(size_t dim, size_t j, double centre, double length, double *gate)
{
    const double weight = 1 / (length * length);
    gate[j] = -centre * weight;
    gate[dim] += centre * centre * weight / 2;
    gate[dim + 1 + j * dim - j * (j + 1) / 2 + j] = weight / 2;
}

/* One dimension: equispaced centres, up to OUTER_CENTRES of them beyond either end. */
static void place_line(const steep_network *network, const steep_start_options *start, double *theta)
{
    const size_t n = network->width, outer = n >= 4 * OUTER_CENTRES ? OUTER_CENTRES : n / 4;
    const double apart = (start->high[0] - start->low[0]) / (double)(n > 1 ? n - 1 - 2 * outer : 1);
    for (size_t i = 0; i < n; i++) {
        const double centre = start->low[0] + ((double)i - (double)outer) * apart;
        add_distance(1, 0, centre, GAUSSIAN_WIDTH * apart, theta + steep_network_gate(network, i));
    }
}

/* The Kronecker sequence of the powers of 1/r, r^(dim + 1) = r + 1 (Roberts 2018), in the box. */
static void place_gaussians(const steep_network *network, const steep_start_options *start, double *theta)
{
    const size_t dim = network->dim, n = network->width;
    const long double apart = steep_powl((long double)n, -1.0L / (long double)dim);
    long double r = 1.5;
    if (dim == 1) {
        place_line(network, start, theta);
        return;
    }
    for (int step = 0; step < 64; step++) r = steep_powl(1 + r, 1 / (long double)(dim + 1));
    for (size_t i = 0; i < n; i++) {
        long double step = 1;
        for (size_t j = 0; j < dim; j++) {
            step /= r;
            const long double at = 0.5L + (long double)(i + 1) * step;
            const double side = start->high[j] - start->low[j];
            add_distance(dim, j, start->low[j] + side * (double)(at - floorl(at)),
                         GAUSSIAN_WIDTH * side * (double)apart, theta + steep_network_gate(network, i));
        }
    }
}

/* Random maps: slopes are normal, for x in units of half the box; each map is 0 at a random point of the box. */
static void place_features(const steep_network *network, const steep_start_options *start, double *theta)
{
    steep_random random = steep_random_start(start->seed, STEEP_STREAM_START);
    for (size_t i = 0; i < network->width; i++) {
        double *gate = theta + steep_network_gate(network, i);
        for (size_t j = 0; j < network->dim; j++) {
            const double side = start->high[j] - start->low[j];
            gate[j] = FEATURE_STEEPNESS * steep_random_normal(&random) / (side / 2);
            gate[network->dim] -= gate[j] * (start->low[j] + side * steep_random_uniform(&random));
        }
    }
}

/* clang-format off */
#define HELD(function) .place = function, .solver = "frozen"
static const steep_architecture table[] = {
    {.name = "spline", .formula = "relu(x - t)^k, k the activation's power: splines with free knots",
     .source = "de Boor, A Practical Guide to Splines", .expression = "act(z1)", .counts = steep_mlp_counts,
     .tile = steep_mlp_tile, .role = {STEEP_ROLE_GATE}, .piecewise = steep_mlp_piecewise,
     .from_jump = steep_mlp_from_jump, .uses_activation = true, .activation = STEEP_RELU3, .stores = knots_and_outputs,
     .solver = "varpro", .begins = "equidistributed", .line_alone = true},
    {.name = "bspline", .formula = "B-splines of degree k on equal cells, k the degree",
     .source = "de Boor, A Practical Guide to Splines", .writes = write_bspline, .counts = steep_mlp_counts,
     .unit = bspline, .uses_degree = true, HELD(place_splines), .stores = outputs, .begins = "uniform",
     .line_alone = true},
    {.name = "kan", .formula = "B-splines of degree k on equal cells of each coordinate, k the degree",
     .source = "Liu et al., KAN, arXiv 2404.19756, one layer without its silu terms", .writes = write_bspline,
     .counts = steep_mlp_counts, .unit = bspline, .uses_degree = true, HELD(place_splines), .stores = outputs,
     .begins = "uniform"},
    {.name = "chebyshev", .formula = "T_i(z), i = 1 .. n", .source = "Trefethen, Approximation Theory and Practice",
     .expression = "cos(e1*acos(z1))", .counts = steep_chebyshev_counts, .unit = chebyshev, HELD(place_chebyshev),
     .stores = outputs, .begins = "uniform", .line_alone = true},
    {.name = "rbf", .formula = "exp(-|x - c|^2 / 2 l^2), l 2 distances between centres",
     .source = "Buhmann, Radial Basis Functions", .expression = "exp(-z1)", .counts = steep_rbf_counts,
     .unit = gaussian, HELD(place_gaussians), .stores = outputs, .begins = "uniform"},
    {.name = "rff", .formula = "act(z), z drawn: random features", .source = "Rahimi and Recht 2008",
     .expression = "act(z1)", .counts = steep_mlp_counts, .tile = steep_mlp_tile,
     .role = {STEEP_ROLE_GATE}, .uses_activation = true, .activation = STEEP_TANH, HELD(place_features),
     .begins = "random"},
    {.name = "rff-sin", .formula = "sin z, z drawn: random Fourier features", .source = "Rahimi and Recht 2008",
     .expression = "sin(z1)", .counts = steep_mlp_counts, .unit = feature_sine, HELD(place_features),
     .begins = "random"},
    {.name = "siren", .formula = "sin(30 z)", .source = "Sitzmann et al. 2020", .expression = "sin(30*z1)",
     .counts = steep_mlp_counts, .unit = siren, .begins = "random"},
};
/* clang-format on */

const steep_architecture *steep_architecture_comparator(size_t index)
{
    return index < sizeof table / sizeof *table ? &table[index] : NULL;
}
