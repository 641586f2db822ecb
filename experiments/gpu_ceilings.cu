// SPDX-License-Identifier: GPL-3.0-or-later
// gpu_ceilings: what a GPU can do at most, measured: a line each of name, number and unit.
//
//     dgemm   Gflop/s   a product of two 8192 x 8192 matrices by cuBLAS, pedantic, where its library is found (dlopen)
//     dmma    Gflop/s   products of small tiles by the tensor cores from registers (m16n8k8; m8n8k4 before sm_90)
//     copy    GB/s      device memory to device memory, bytes read and written
//     launch  us        an empty kernel, started and waited for
//
// The best of five turns. A ceiling that cannot be measured is named on standard error with the reason, and left out;
// exit status 1 where nothing could be measured. Needs no library but CUDA's driver.
#include <cstdio>
#include <cstring>
#include <cublas_v2.h>
#include <dlfcn.h>

enum { TURNS = 6, N = 8192, ROUNDS = 4096, TILES = 8 };

static bool fail(const char *what, const char *why)
{
    fprintf(stderr, "gpu_ceilings: %s: %s\n", what, why);
    return false;
}

static bool fail(const char *what)
{
    return fail(what, cudaGetErrorString(cudaGetLastError()));
}

// Milliseconds of the fastest turn; the first, which warms up, does not count. Negative: a turn failed.
template <class turn> static float fastest(turn run)
{
    cudaEvent_t begin, end;
    float best = -1;
    if (cudaEventCreate(&begin) || cudaEventCreate(&end)) return -1;
    for (int i = 0; i < TURNS; i++) {
        float milliseconds = 0;
        cudaEventRecord(begin);
        if (!run()) return -1;
        cudaEventRecord(end);
        if (cudaEventSynchronize(end) || cudaEventElapsedTime(&milliseconds, begin, end)) return -1;
        if (i > 0 && (best < 0 || milliseconds < best)) best = milliseconds;
    }
    return best;
}

template <class function> static function symbol(void *library, const char *name)
{
    return (function)dlsym(library, name);
}

static void *open_cublas()
{
    for (const char *name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"})
        if (void *library = dlopen(name, RTLD_NOW)) return library;
    return nullptr;
}

static bool dgemm()
{
    const double one = 1, zero = 0;
    double *a, *b, *c;
    cublasHandle_t handle;
    void *library = open_cublas();
    if (!library) return fail("dgemm", "no libcublas.so where the loader looks (LD_LIBRARY_PATH)");
    const auto create = symbol<decltype(&cublasCreate)>(library, "cublasCreate_v2");
    const auto mode = symbol<decltype(&cublasSetMathMode)>(library, "cublasSetMathMode");
    const auto product = symbol<decltype(&cublasDgemm)>(library, "cublasDgemm_v2");
    if (!create || !mode || !product) return fail("dgemm", "this libcublas.so lacks cublasDgemm_v2");
    const size_t bytes = sizeof(double) * N * N;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes) || cudaMalloc(&c, bytes)) return fail("dgemm");
    if (cudaMemset(a, 0x3c, bytes) || cudaMemset(b, 0x3c, bytes)) return fail("dgemm"); // small normal numbers
    if (create(&handle) || mode(handle, CUBLAS_PEDANTIC_MATH)) return fail("dgemm", "cuBLAS does not start");
    const float milliseconds =
        fastest([&] { return !product(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N); });
    cudaFree(a), cudaFree(b), cudaFree(c);
    if (milliseconds <= 0) return fail("dgemm");
    printf("dgemm %.1f Gflop/s\n", 2e-6 * N * N * N / milliseconds);
    return true;
}

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

// Eight independent tiles a warp; out: one number a thread, so that nothing is left out, and a product's operations.
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

static bool dmma(const cudaDeviceProp &gpu)
{
    const int blocks = 4 * gpu.multiProcessorCount, threads = 256;
    double *out, *each, count = 0;
    if (gpu.major < 8) return fail("dmma", "this GPU has no tensor cores for doubles");
    if (cudaMalloc(&out, sizeof(double) * blocks * threads) || cudaMalloc(&each, sizeof(double))) return fail("dmma");
    const float milliseconds = fastest([&] {
        tiles<<<blocks, threads>>>(out, each);
        return cudaGetLastError() == cudaSuccess;
    });
    if (milliseconds <= 0 || cudaMemcpy(&count, each, sizeof count, cudaMemcpyDeviceToHost)) return fail("dmma");
    cudaFree(out), cudaFree(each);
    printf("dmma %.1f Gflop/s\n", count * ROUNDS * TILES * blocks * (threads / 32) * 1e-6 / milliseconds);
    return true;
}

static bool copy()
{
    const size_t bytes = (size_t)1 << 30;
    char *a, *b;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes)) return fail("copy");
    const float milliseconds = fastest([&] { return !cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice); });
    cudaFree(a), cudaFree(b);
    if (milliseconds <= 0) return fail("copy");
    printf("copy %.1f GB/s\n", 2e-6 * (double)bytes / milliseconds);
    return true;
}

__global__ static void nothing()
{
}

static bool launch()
{
    const float milliseconds = fastest([] {
        for (int i = 0; i < 100; i++) {
            nothing<<<1, 32>>>();
            if (cudaDeviceSynchronize()) return false;
        }
        return true;
    });
    if (milliseconds <= 0) return fail("launch");
    printf("launch %.2f us\n", 10 * milliseconds);
    return true;
}

int main()
{
    cudaDeviceProp gpu;
    if (cudaGetDeviceProperties(&gpu, 0)) return !fail("no GPU");
    printf("# %s, sm_%d%d, %d multiprocessors, %d KiB of L2\n", gpu.name, gpu.major, gpu.minor, gpu.multiProcessorCount,
           gpu.l2CacheSize / 1024);
    const int measured = (int)dgemm() + (int)dmma(gpu) + (int)copy() + (int)launch();
    return measured == 0;
}
