/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report TWIN REGISTERS: shared memory of a block, and how many blocks a multiprocessor holds, for lm of glu at some
 * widths: by the host twin, which has the same rooms as the GPU. Part of make cuda-report. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/batch.h"

enum { THREADS = 256, REGISTERS = 65536, GRAIN = 256 /* registers of a warp come in such pieces */ };

/* An architecture's shared memory, of a multiprocessor and of a block at most. */
typedef struct chip {
    const char *name;
    size_t all, most;
} chip;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void line(const steep_cuda_api *api, size_t dim, size_t width, size_t by_registers)
{
    static const chip chips[] = {{"sm_80", 167936, 166912}, {"sm_90", 233472, 232448}};
    steep_cuda_fit fit = {.solver = STEEP_CUDA_LM, .max_iterations = 1};
    const steep_architecture *row = steep_architecture_find("glu", NULL, 0);
    if (steep_network_init(&fit.network, row, NULL, dim, width, NULL) != STEEP_OK) return;
    const size_t shared = api->shared(&fit, 2000);
    printf("%3zuD %6zu %11zu %14zu %14.1f", dim, width, fit.network.parameters, shared,
           (double)api->bytes(&fit, 2000) / 1048576);
    for (size_t c = 0; c < sizeof chips / sizeof *chips; c++) {
        size_t blocks = shared > chips[c].most ? 0 : least(by_registers, chips[c].all / (shared + 1024));
        printf("   %s %zu (%zu %%)", chips[c].name, blocks, blocks * THREADS * 100 / 2048);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "report: bad use: report TWIN REGISTERS\n");
        return 2;
    }
    void *object = dlopen(argv[1], RTLD_NOW), *symbol = object ? dlsym(object, STEEP_CUDA_ENTRY) : NULL;
    steep_cuda_entry_function entry;
    if (!symbol) {
        fprintf(stderr, "report: %s\n", dlerror());
        return 1;
    }
    memcpy(&entry, &symbol, sizeof entry);
    size_t registers = strtoul(argv[2], NULL, 10), warp = (registers * 32 + GRAIN - 1) / GRAIN * GRAIN;
    size_t by_registers = warp ? REGISTERS / (warp * THREADS / 32) : 8;
    printf("blocks of %d threads on a multiprocessor, and the part of its threads that is (%zu registers allow %zu)\n",
           (int)THREADS, registers, by_registers);
    printf("dim   width  parameters   shared bytes   MiB a block\n");
    static const size_t widths[] = {1, 4, 8, 16, 33, 50, 66, 100};
    for (size_t dim = 1; dim <= 2; dim++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) line(entry(), dim, widths[i], by_registers);
    dlclose(object);
    return 0;
}
