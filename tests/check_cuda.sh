#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_cuda.sh: the unit headers that the CPU runs compile as CUDA device code too, for each architecture of the
# table; the same code on the host gives the library's numbers to the bit (with a GPU, the device's as well).
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

NVCC=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
BUILD=${BUILD:-build}
[ -n "$NVCC" ] || skip "no nvcc in PATH or /usr/local/cuda/bin: the units were not compiled for the GPU"
options=(-arch=sm_90 -std=c++17 -fmad=false -Isrc -Werror all-warnings -Xcompiler "-Wall,-Wextra,-ffp-contract=off")
# Where no GPU runs the device code, it is compiled without its optimisation: a fifth of the time.
quick=()
nvidia-smi -L >/dev/null 2>&1 || quick=(-Xcicc -O0 -Xptxas -O0)
check "tests/cuda/units_check.cu compiles for sm_90" "$NVCC" "${options[@]}" "${quick[@]}" -c tests/cuda/units_check.cu -o "$scratch/units_check.o"
if nm "$BUILD/lib/libsteep.a" 2>/dev/null | grep -qE '__asan|__gcov|__ubsan'; then
    echo "the library is instrumented ($BUILD): nvcc does not link it, its units are left to a plain build"
else
    check "the units link on the host" "$NVCC" -arch=sm_90 "$scratch/units_check.o" "$BUILD/lib/libsteep.a" -lm -o "$scratch/units_check"
    check "the units equal the library" "$scratch/units_check"
fi
# A row as the object for GPUs has it, and which rows it calls: the whole of it is "make cuda", minutes.
printf '#define STEEP_BUILT_%s 0,\n' glu qd_moa >"$scratch/rows.h"
# The table of what the compiler makes of a row's kernels: registers, of at most 168, bytes of stack, of spill stores and of spill
# loads. Held for the compiler that made it.
table=tests/cuda/ptxas.txt
release=$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
facts() {
    local row arch
    for row in glu qd_moa; do
        for arch in sm_80 sm_90; do
            "$NVCC" -arch=$arch -std=c++17 -O3 -Isrc -Xcompiler -ffp-contract=off -maxrregcount=168 -Xptxas -v -dc -DSTEEP_ROW=$row \
                tests/cuda/kernels.cu -o "$scratch/row.o" 2>&1 |
                awk -v of="$row $arch" '/Function properties for/ { name = "" }
                    match($0, /kernel_[a-z]+E/) { name = substr($0, RSTART + 7, RLENGTH - 8) }
                    /bytes stack frame/ && name { stack = $1; stores = $5; loads = $9 }
                    match($0, /Used [0-9]+ registers/) && name {
                        printf "%s %-8s %3d %5d %3d %3d\n", of, name, substr($0, RSTART + 5), stack, stores, loads }'
        done
    done | sort
}
if [ "$(head -n 1 "$table")" = "CUDA $release: unit, architecture, kernel, registers, bytes of stack, spill stores, spill loads" ]; then
    facts >"$scratch/facts"
    check "registers and spills are those of $table" diff <(tail -n +2 "$table") "$scratch/facts"
else
    echo "$table is of another compiler than $release: not compared"
fi
check "src/cuda/unit.cu compiles for a row" "$NVCC" "${options[@]}" -dc -DSTEEP_ROW=qd_moa src/cuda/unit.cu -o "$scratch/unit.o"
check "src/cuda/choose.cu calls two rows" "$NVCC" "${options[@]}" -dc -DSTEEP_BUILT=2 -include "$scratch/rows.h" src/cuda/choose.cu \
    -o "$scratch/choose.o"
if "$NVCC" "${options[@]}" -dc -DSTEEP_BUILT=3 -include "$scratch/rows.h" src/cuda/choose.cu -o "$scratch/choose.o" >/dev/null 2>&1; then
    fail "src/cuda/choose.cu compiles with a row that it does not call"
else
    pass
fi
finish
