// SPDX-License-Identifier: GPL-3.0-or-later
// gpu_ceilings: the most that a GPU multiplies in double, Gflop/s: products of small tiles by the tensor cores from registers
// (m16n8k8; m8n8k4 before sm_90), the best of five turns. Exit status 1, with the reason on standard error, where that
// cannot be measured. Needs no library but CUDA's driver.
#include <cstdio>

enum { TURNS = 6, ROUNDS = 4096, TILES = 8 };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TILE 16, 8, 8
__device__ static void multiply(double (&c)[4], double x)
{
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(x));
}
#else
#define TILE 8, 8, 4
__device__ static void multiply(double (&c)[4], double x)
{
#ifdef __CUDA_ARCH__
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(x));
#endif
}
#endif

__device__ static constexpr double operations(int m, int n, int k)
{
    return 2.0 * m * n * k;
}

// Eight independent tiles a warp; out: one number a thread, so that nothing is left out, and the operations of a product.
__global__ static void tiles(double *out, double *each)
{
    double c[TILES][4] = {};
    const double x = 1e-3 * (threadIdx.x + 1);
    for (int round = 0; round < ROUNDS; round++)
#pragma unroll
        for (int i = 0; i < TILES; i++) multiply(c[i], x);
    double sum = 0;
    for (int i = 0; i < TILES; i++)
        for (int k = 0; k < 4; k++) sum += c[i][k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *each = operations(TILE);
}

static int fail(const char *why)
{
    fprintf(stderr, "gpu_ceilings: %s\n", why);
    return 1;
}

int main()
{
    cudaDeviceProp gpu;
    cudaEvent_t begin, end;
    double *out, *each, count = 0;
    float milliseconds = 0, best = 0;
    if (cudaGetDeviceProperties(&gpu, 0)) return fail(cudaGetErrorString(cudaGetLastError()));
    if (gpu.major < 8) return fail("this GPU has no tensor cores for doubles");
    const int blocks = 4 * gpu.multiProcessorCount, threads = 256;
    cudaMalloc(&out, sizeof(double) * blocks * threads);
    cudaMalloc(&each, sizeof(double));
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 0; i < TURNS; i++) { // the first, which warms up, does not count
        cudaEventRecord(begin);
        tiles<<<blocks, threads>>>(out, each);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&milliseconds, begin, end);
        if (i > 0 && (best <= 0 || milliseconds < best)) best = milliseconds;
    }
    cudaMemcpy(&count, each, sizeof count, cudaMemcpyDeviceToHost);
    if (const cudaError_t error = cudaGetLastError()) return fail(cudaGetErrorString(error)); // of any of these
    if (!(best > 0)) return fail("no time was measured");
    printf("# %s, sm_%d%d, %d multiprocessors\n", gpu.name, gpu.major, gpu.minor, gpu.multiProcessorCount);
    printf("dmma %.1f Gflop/s\n", count * ROUNDS * TILES * blocks * (threads / 32) * 1e-6 / best);
    return 0;
}
