// SPDX-License-Identifier: GPL-3.0-or-later
// gpu_dgemm: the rate of a large product of matrices in double by cuBLAS, with pedantic math and without emulation: what
// "make bench-gpu" takes for the ceiling. Prints Gflop/s, the best of five, or what is wrong; exit status 1 then.
#include <cstdio>
#include <cublas_v2.h>

static int fail(const char *what)
{
    fprintf(stderr, "gpu_dgemm: %s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    return 1;
}

int main()
{
    const int N = 8192;
    const size_t bytes = sizeof(double) * N * N;
    double *a, *b, *c, one = 1, zero = 0, best = 0;
    cublasHandle_t handle;
    cudaEvent_t begin, end;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes) || cudaMalloc(&c, bytes)) return fail("no memory on the GPU");
    if (cudaMemset(a, 0x3c, bytes) || cudaMemset(b, 0x3c, bytes)) return fail("memory"); // small normal numbers
    if (cublasCreate(&handle) || cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH)) return fail("cuBLAS");
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int turn = 0; turn < 6; turn++) { // the first warms up
        float milliseconds = 0;
        cudaEventRecord(begin);
        if (cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N)) return fail("dgemm");
        cudaEventRecord(end);
        if (cudaEventSynchronize(end) || cudaEventElapsedTime(&milliseconds, begin, end)) return fail("dgemm");
        const double rate = 2e-6 * N * N * N / milliseconds;
        if (turn > 0 && rate > best) best = rate;
    }
    printf("%.1f\n", best);
    return 0;
}
