/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units_check: every row of the architecture table, compiled as device code from the lines that the CPU runs.
 *
 * Built by nvcc and linked with libsteep.a, the program evaluates each row with every choice at random points
 *   1. by the headers as this compiler sees them on the host: equal to the library bit for bit;
 *   2. on the GPU, where there is one: equal within rounding, 64 eps (1 + the largest entry of the point's result),
 *      since exp, erf and tanh are other implementations there.
 * It fails when a row of the table is not in the list below.
 * Prints one line a row; exit status 0 if all agree. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "model/architecture.h"
#include "model/units/blend.h"
#include "model/units/gated.h"
#include "model/units/mixture.h"
#include "model/units/orthogonal.h"
#include "model/units/polynomial.h"

/* Result k, in out[k * STRIDE..]: value, gradient, Hessian, and three numbers for each moment. */
enum {
    POINTS = 64,
    AT_HESSIAN = 1 + STEEP_MAX_INPUTS,
    AT_MOMENTS = AT_HESSIAN + STEEP_MAX_INPUTS * (STEEP_MAX_INPUTS + 1) / 2,
    STRIDE = AT_MOMENTS + 3 * STEEP_MAX_MOMENTS
};

typedef void (*point_kernel)(steep_choice choice, int points, const double *u, double *out);

/* Host function and kernel of a unit, and of a unit with moments. */
#define UNIT(unit) UNIT_WITH(unit, (void)0)
#define UNIT_WITH(unit, moments)                                                                                       \
    static __host__ __device__ void point_##unit(const steep_choice *choice, const double *u, double *out)             \
    {                                                                                                                  \
        unit(choice, u, 2, out, out + 1, out + AT_HESSIAN);                                                            \
        moments;                                                                                                       \
    }                                                                                                                  \
    static __global__ void kernel_##unit(steep_choice choice, int points, const double *u, double *out)                \
    {                                                                                                                  \
        int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                                          \
        if (k < points) point_##unit(&choice, u + k * STEEP_MAX_INPUTS, out + k * STRIDE);                             \
    }
#define MOMENTS(moment)                                                                                                \
    moment(choice, u[0], out + AT_MOMENTS, out + AT_MOMENTS + STEEP_MAX_MOMENTS,                                       \
           out + AT_MOMENTS + 2 * STEEP_MAX_MOMENTS)
UNIT(steep_mlp)
UNIT(steep_glu)
UNIT(steep_gqu)
UNIT(steep_gqu2)
UNIT(steep_gqu2a)
UNIT(steep_gqu2b)
UNIT(steep_gated3)
UNIT(steep_gated4)
UNIT(steep_gated5)
UNIT(steep_la)
UNIT(steep_moa)
UNIT(steep_qd_moa)
UNIT(steep_blend)
UNIT(steep_hermite)
UNIT_WITH(steep_polynorm, MOMENTS(steep_polynorm_moment))

struct entry {
    const char *row;
    void (*host)(const steep_choice *choice, const double *u, double *out);
    point_kernel device;
};
#define ENTRY(row, unit)                                                                                               \
    {                                                                                                                  \
        row, point_##unit, kernel_##unit                                                                               \
    }
static const entry entries[] = {
    ENTRY("mlp", steep_mlp),         ENTRY("glu", steep_glu),           ENTRY("gqu", steep_gqu),
    ENTRY("gqu2", steep_gqu2),       ENTRY("gqu2a", steep_gqu2a),       ENTRY("gqu2b", steep_gqu2b),
    ENTRY("gqu2c", steep_gqu2a),     ENTRY("gqu2d", steep_glu),         ENTRY("gated3", steep_gated3),
    ENTRY("gated4", steep_gated4),   ENTRY("gated5", steep_gated5),     ENTRY("la", steep_la),
    ENTRY("moa", steep_moa),         ENTRY("qd-moa", steep_qd_moa),     ENTRY("blend", steep_blend),
    ENTRY("hermite", steep_hermite), ENTRY("polynorm", steep_polynorm),
};

static double uniform(uint64_t *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

/* The index-th choice of a row; false past the last. */
static bool next_choice(const steep_architecture *row, int index, steep_choice *choice)
{
    *choice = steep_choice_default(row);
    choice->activation = row->uses_activation ? index : choice->activation;
    if (row->uses_gate) choice->gate = index % 3 == 2 ? STEEP_SOFTMAX : index % 3 == 1 ? STEEP_SIGMOID : STEEP_TANH;
    if (row->uses_degree) choice->degree = 1 + index;
    int last = row->uses_activation ? STEEP_ACTIVATIONS : row->uses_gate ? 3 : row->uses_degree ? 6 : 1;
    return index < last;
}

/* Points of a unit: branches and coefficients in [-2, 2], some at a kink, moments positive. */
static int draw_points(const steep_counts *counts, uint64_t *state, double *u)
{
    int direct = (int)(counts->branches + counts->scalars + counts->shared_maps + counts->shared_scalars);
    int m = direct + (int)counts->moments;
    for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < m; i++)
            u[k * STEEP_MAX_INPUTS + i] = i >= direct             ? uniform(state, 0.5, 3.0)
                                          : (k * 7 + i) % 13 == 0 ? 0.0
                                                                  : uniform(state, -2.0, 2.0);
    return m;
}

/* Packs what the unit wrote, so that entries it has no business with do not count. */
static int gather(const steep_counts *counts, int m, const double *out, double *packed)
{
    int count = 0;
    packed[count++] = out[0];
    for (int i = 0; i < m; i++) packed[count++] = out[1 + i];
    for (int i = 0; i < m * (m + 1) / 2; i++) packed[count++] = out[AT_HESSIAN + i];
    for (int i = 0; i < 3 * STEEP_MAX_MOMENTS; i++)
        if (i % STEEP_MAX_MOMENTS < (int)counts->moments) packed[count++] = out[AT_MOMENTS + i];
    return count;
}

/* The same point by the library. */
static void call_library(const steep_architecture *row, const steep_choice *choice, const double *u, double *out)
{
    row->unit(choice, u, 2, out, out + 1, out + AT_HESSIAN);
    if (row->moment)
        row->moment(choice, u[0], out + AT_MOMENTS, out + AT_MOMENTS + STEEP_MAX_MOMENTS,
                    out + AT_MOMENTS + 2 * STEEP_MAX_MOMENTS);
}

/* Largest difference over 64 eps (1 + size). NaN counts as infinite. */
static double distance(int count, const double *a, const double *b)
{
    double size = 1.0, most = 0.0;
    for (int i = 0; i < count; i++) size = fabs(a[i]) > size ? fabs(a[i]) : size;
    for (int i = 0; i < count; i++) {
        double apart = fabs(a[i] - b[i]) / (64 * 2.220446049250313e-16 * (1.0 + size));
        if (!(apart <= most)) most = apart == apart ? apart : INFINITY;
    }
    return most;
}

/* One choice of a row. Returns false when host and library differ; *worst grows with the distance of the device. */
static bool check_choice(const steep_architecture *row, const entry *e, const steep_choice *choice, bool gpu,
                         uint64_t *state, double *worst)
{
    static double u[POINTS * STEEP_MAX_INPUTS], host[POINTS * STRIDE], library[STRIDE], device[POINTS * STRIDE];
    static double a[STRIDE], b[STRIDE];
    steep_counts counts = {};
    row->counts(choice, &counts);
    int m = draw_points(&counts, state, u);
    bool same = true;
    for (int k = 0; k < POINTS; k++) {
        e->host(choice, u + k * STEEP_MAX_INPUTS, host + k * STRIDE);
        call_library(row, choice, u + k * STEEP_MAX_INPUTS, library);
        int count = gather(&counts, m, host + k * STRIDE, a);
        gather(&counts, m, library, b);
        same = same && !memcmp(a, b, (size_t)count * sizeof *a);
    }
    if (!gpu) return same;
    double *du = NULL, *dout = NULL;
    bool ran = cudaMalloc((void **)&du, sizeof u) == cudaSuccess &&
               cudaMalloc((void **)&dout, sizeof device) == cudaSuccess &&
               cudaMemcpy(du, u, sizeof u, cudaMemcpyHostToDevice) == cudaSuccess;
    if (ran) {
        e->device<<<2, 32>>>(*choice, POINTS, du, dout);
        ran = cudaMemcpy(device, dout, sizeof device, cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    cudaFree(du);
    cudaFree(dout);
    for (int k = 0; k < POINTS; k++) {
        int count = gather(&counts, m, host + k * STRIDE, a);
        gather(&counts, m, device + k * STRIDE, b);
        double apart = ran ? distance(count, a, b) : INFINITY;
        *worst = apart > *worst ? apart : *worst;
    }
    return same;
}

static bool check_row(const steep_architecture *row, bool gpu)
{
    const entry *found = NULL;
    for (const entry &e : entries)
        if (!strcmp(e.row, row->name)) found = &e;
    if (!found) {
        printf("%-9s is not compiled for the GPU: add it to %s\n", row->name, __FILE__);
        return false;
    }
    steep_choice choice;
    uint64_t state = 1;
    double worst = 0.0;
    bool same = true;
    int index = 0;
    for (; next_choice(row, index, &choice); index++)
        same = check_choice(row, found, &choice, gpu, &state, &worst) && same;
    printf("%-9s %2d choices: host %s", row->name, index, same ? "equals the library" : "DIFFERS from the library");
    if (gpu) printf(", GPU within %.2g of what rounding allows", worst);
    printf("\n");
    return same && worst <= 1.0;
}

int main(void)
{
    int devices = 0;
    bool gpu = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0, good = true;
    for (size_t i = 0; steep_architecture_table(i); i++) good = check_row(steep_architecture_table(i), gpu) && good;
    printf("%s, %s\n", good ? "all agree" : "FAILED", gpu ? "on the GPU too" : "no GPU here: the host alone");
    return good ? 0 : 1;
}
