#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench_gpu.sh: what "make bench-gpu" runs: the ceiling by cuBLAS, then experiments/gpu. TWIN=1: the host twin and few small
# fits, so that the program is run where no GPU is; its numbers say nothing of one. Exits with 77 where there is no GPU.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
RESULTS=${RESULTS:-results}
if [ -n "${TWIN:-}" ]; then
    exec "$BUILD/experiments/gpu" --quick --object "$PWD/${BUILD#"$PWD"/}/lib/steep_twin.so" --out "$RESULTS/gpu-twin"
fi
found=$("$BUILD/bin/steep" doctor | sed -n 's/^device cuda *//p')
case $found in
*"--device cp"*)
    echo "skipped: $found"
    exit 77
    ;;
esac
ceiling=$("$BUILD/experiments/gpu_dgemm") || exit 1
"$BUILD/experiments/gpu" --ceiling "$ceiling" --ceiling-by "cuBLAS dgemm, n = 8192, pedantic" --out "$RESULTS/gpu"
