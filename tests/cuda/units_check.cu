/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units_check: every row of the list of units, compiled as device code from the lines that the CPU runs, as a kernel
 * calls them: prepare and then the tile, whose only point is that of the thread.
 *
 * Built by nvcc and linked with libsteep.a, the program evaluates each row with every choice at random points
 *   1. by the headers as this compiler sees them on the host: equal to the library bit for bit;
 *   2. on the GPU, if there is one: equal to it bit for bit too, since every function that a unit calls is a fixed
 *      sequence of IEEE operations (numerics/elementary.h) and fused multiply-adds are off.
 * Prints one line a row; exit status 0 if all agree. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <math.h>

extern "C" { /* of libsteep.a */
#include "model/activation.h"
#include "model/architecture.h"
}
#include "model/units/list.h"

/* Result k, in out[k * STRIDE..]: value, gradient, Hessian, and three numbers for each moment. */
enum {
    POINTS = 64,
    AT_HESSIAN = 1 + STEEP_MAX_INPUTS,
    AT_MOMENTS = AT_HESSIAN + STEEP_MAX_INPUTS * (STEEP_MAX_INPUTS + 1) / 2,
    STRIDE = AT_MOMENTS + 3 * STEEP_MAX_MOMENTS
};

typedef void (*point_kernel)(steep_choice choice, int points, const double *u, double *out);

/* Host function and kernel of a row. */
#define PREPARE_ALONE(unit)
#define PREPARE_PREPARED(unit) steep_##unit##_prepare(choice, 1, point.in, 2, point.prepared);
#define PREPARE_COUPLED(unit)  steep_##unit##_prepare(choice, 1, point.in, 2, point.prepared);
#define MOMENTS_ALONE(unit)
#define MOMENTS_PREPARED(unit)
#define MOMENTS_COUPLED(unit)                                                                                          \
    steep_##unit##_moment(choice, u[0], out + AT_MOMENTS, out + AT_MOMENTS + STEEP_MAX_MOMENTS,                        \
                          out + AT_MOMENTS + 2 * STEEP_MAX_MOMENTS);
#define STEEP_UNIT(id, unit, parts, ...)                                                                               \
    static __host__ __device__ void point_##id(const steep_choice *choice, const double *u, double *out)               \
    {                                                                                                                  \
        steep_counts counts;                                                                                           \
        steep_point point;                                                                                             \
        steep_##unit##_counts(choice, &counts);                                                                        \
        steep_point_set(&point, &counts, u, 2, out + 1, out + AT_HESSIAN);                                             \
        const steep_tile one = {1, point.in, 2, out, point.g, point.H};                                                \
        PREPARE_##parts(unit) steep_##unit##_tile(choice, &one);                                                       \
        MOMENTS_##parts(unit)                                                                                          \
    }                                                                                                                  \
    static __global__ void kernel_##id(steep_choice choice, int points, const double *u, double *out)                  \
    {                                                                                                                  \
        int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                                          \
        if (k < points) point_##id(&choice, u + k * STEEP_MAX_INPUTS, out + k * STRIDE);                               \
    }
#include "model/units/list.h"

struct entry {
    void (*host)(const steep_choice *choice, const double *u, double *out);
    point_kernel device;
};
#define STEEP_UNIT(id, unit, parts, ...) {point_##id, kernel_##id},
static const entry entries[] = {
/* as the table */
#include "model/units/list.h"
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

/* Packs the entries that the unit writes; others do not count. Returns how many there are. */
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
    steep_architecture_unit(row, choice, u, 2, out, out + 1, out + AT_HESSIAN);
    if (row->moment)
        row->moment(choice, u[0], out + AT_MOMENTS, out + AT_MOMENTS + STEEP_MAX_MOMENTS,
                    out + AT_MOMENTS + 2 * STEEP_MAX_MOMENTS);
}

/* All points on the GPU. */
static bool call_device(const entry *e, const steep_choice *choice, const double *u, double *out)
{
    const size_t in = POINTS * STEEP_MAX_INPUTS * sizeof(double), size = POINTS * STRIDE * sizeof(double);
    double *du = NULL, *dout = NULL;
    bool ran = cudaMalloc((void **)&du, in) == cudaSuccess && cudaMalloc((void **)&dout, size) == cudaSuccess &&
               cudaMemcpy(du, u, in, cudaMemcpyHostToDevice) == cudaSuccess;
    if (ran) {
        e->device<<<2, 32>>>(*choice, POINTS, du, dout);
        ran = cudaMemcpy(out, dout, size, cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    cudaFree(du);
    cudaFree(dout);
    return ran;
}

/* One choice of a row: whether host and library, and device and library, agree. */
static void check_choice(const steep_architecture *row, const entry *e, const steep_choice *choice, bool gpu,
                         uint64_t *state, bool *host_same, bool *device_same)
{
    static double u[POINTS * STEEP_MAX_INPUTS], host[STRIDE], library[STRIDE], device[POINTS * STRIDE];
    static double a[STRIDE], b[STRIDE];
    steep_counts counts = {};
    row->counts(choice, &counts);
    int m = draw_points(&counts, state, u);
    if (gpu && !call_device(e, choice, u, device)) *device_same = gpu = false;
    for (int k = 0; k < POINTS; k++) {
        e->host(choice, u + k * STEEP_MAX_INPUTS, host);
        call_library(row, choice, u + k * STEEP_MAX_INPUTS, library);
        int count = gather(&counts, m, library, a);
        gather(&counts, m, host, b);
        *host_same = *host_same && !memcmp(a, b, (size_t)count * sizeof *a);
        gather(&counts, m, device + k * STRIDE, b);
        *device_same = *device_same && (!gpu || !memcmp(a, b, (size_t)count * sizeof *a));
    }
}

static bool check_row(const steep_architecture *row, const entry *e, bool gpu)
{
    steep_choice choice;
    uint64_t state = 1;
    bool host_same = true, device_same = true;
    int index = 0;
    for (; next_choice(row, index, &choice); index++)
        check_choice(row, e, &choice, gpu, &state, &host_same, &device_same);
    printf("%-9s %2d choices: host %s the library", row->name, index, host_same ? "equals" : "DIFFERS from");
    if (gpu) printf(", GPU %s", device_same ? "too" : "DIFFERS");
    printf("\n");
    return host_same && device_same;
}

int main(void)
{
    int devices = 0;
    bool gpu = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0, good = true;
    for (size_t i = 0; steep_architecture_table(i); i++)
        good = check_row(steep_architecture_table(i), &entries[i], gpu) && good;
    printf("%s, %s\n", good ? "all agree" : "FAILED", gpu ? "on the GPU too" : "no GPU here: the host alone");
    return good ? 0 : 1;
}
