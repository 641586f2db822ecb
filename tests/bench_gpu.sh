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
ceilings=$("$BUILD/experiments/gpu_ceilings") || exit 1
echo "$ceilings"
read -r ceiling by < <(awk '$1 == "dgemm" { print $2, "cuBLAS dgemm, n = 8192, pedantic"; found = 1; exit }
    $1 == "dmma" { last = $2 } END { if (!found) print last + 0, "products of tiles from registers (cuBLAS was not found)" }' <<<"$ceilings")
"$BUILD/experiments/gpu" --ceiling "$ceiling" --ceiling-by "$by" --out "$RESULTS/gpu"
