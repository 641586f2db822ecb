#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_cuda.sh: the unit headers that the CPU runs compile as CUDA device code too. Needs nvcc, but no GPU.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

NVCC=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
[ -n "$NVCC" ] || skip "no nvcc in PATH or /usr/local/cuda/bin: the units were not compiled for the GPU"
for source in src/cuda/*.cu; do
    [ -f "$source" ] || continue
    check "$source compiles by $NVCC" "$NVCC" -std=c++17 -Isrc -Werror all-warnings -Xcompiler -Wall,-Wextra \
        -c "$source" -o "$scratch/object.o"
done
finish
