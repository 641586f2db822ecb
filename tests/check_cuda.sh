#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_cuda.sh: the CPU's unit headers also compile as CUDA device code, for each architecture in tests/cuda/ptxas.txt.
# On the host this code gives the library's numbers to the bit; if there is a GPU, so does the device.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

NVCC=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
BUILD=${BUILD:-build}
[ -n "$NVCC" ] || skip "no nvcc in PATH or /usr/local/cuda/bin: the units were not compiled for the GPU"
warnings=(-Werror all-warnings -Xcompiler "-Wall,-Wextra")
options=(-std=c++17 -fmad=false -Isrc "${warnings[@]}" -Xcompiler -ffp-contract=off)
release=$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
kept=$BUILD/check_cuda
mkdir -p "$kept"

# The stamp of a compilation that passed lists its origin: the versions of nvcc and the host compiler, the command and
# the sums of all files read, also of the system (-MD lists them). If nothing differs, it is not compiled again.
made_from() { "$NVCC" --version && gcc --version && echo "$*" && xargs -a "$kept/$1.files" sha256sum; }

# compile NAME WORDS...: compiles with nvcc into NAME.o; NAME.log has the messages.
compile() {
    local at=$kept/$1
    if [ -s "$at.o" ] && made_from "$@" 2>&1 | cmp -s - "$at.stamp"; then return; fi
    rm -f "$at".*
    "$NVCC" "${@:2}" -MD -MF "$at.d" -o "$at.o" >"$at.log" 2>&1 || { cat "$at.log"; return 1; }
    sed 's/^.*\.o *://; s/\\$//' "$at.d" >"$at.files"
    made_from "$@" >"$at.stamp" || rm "$at.stamp"
}

# Without a GPU the device code never runs: it is compiled without optimisation and not assembled, in a quarter of the
# time. The kernels below are optimised and assembled.
quick=(-arch=sm_90)
nvidia-smi -L >/dev/null 2>&1 || quick=(-arch=compute_90 -code=compute_90 -Xcicc -O0)
check "tests/cuda/units_check.cu compiles for sm_90" compile units_check "${options[@]}" "${quick[@]}" -c tests/cuda/units_check.cu
if nm "$BUILD/lib/libsteep.a" 2>/dev/null | grep -qE '__asan|__gcov|__ubsan'; then
    echo "the library is instrumented ($BUILD): nvcc does not link it, its units are left to a plain build"
else
    check "the units link on the host" "$NVCC" -arch=sm_90 "$kept/units_check.o" "$BUILD/lib/libsteep.a" -lm -o "$scratch/units_check"
    check "the units equal the library" "$scratch/units_check"
fi
# Two rows as the object for GPUs has them. "make cuda" compiles all rows, in minutes.
printf '#define STEEP_BUILT_%s 0,\n' glu qd_moa >"$kept/rows.h"
# The table has facts on the kernels of a row: registers (at most 168), bytes of stack, of spill stores and of spill
# loads. The facts are compared only under the compiler that made the table.
table=tests/cuda/ptxas.txt
facts() {
    local of row arch
    for of in "glu sm_80" "glu sm_90" "qd_moa sm_90" "written sm_90"; do
        row=${of% *} arch=${of#* }
        compile "$row-$arch" -arch="$arch" -std=c++17 -O3 -Isrc "${warnings[@]}" -maxrregcount=168 -Xptxas -v -cubin -rdc=true \
            -DSTEEP_ROW="$row" tests/cuda/kernels.cu || echo "$of does not compile"
        awk -v of="$of" '/Function properties for/ { name = "" }
            match($0, /kernel_[a-z]+E/) { name = substr($0, RSTART + 7, RLENGTH - 8) }
            /bytes stack frame/ && name { stack = $1; stores = $5; loads = $9 }
            match($0, /Used [0-9]+ registers/) && name {
                printf "%s %-8s %3d %5d %3d %3d\n", of, name, substr($0, RSTART + 5), stack, stores, loads }' "$kept/$row-$arch.log"
    done | sort
}
if [ "$(head -n 1 "$table")" = "CUDA $release: unit, architecture, kernel, registers, bytes of stack, spill stores, spill loads" ]; then
    facts >"$scratch/facts"
    check "registers and spills are those of $table" diff <(tail -n +2 "$table") "$scratch/facts"
else
    echo "$table is of another compiler than $release: not compared"
fi
check "src/cuda/unit.cu compiles for glu" compile unit-glu "${options[@]}" "${quick[@]}" -dc -DSTEEP_ROW=glu src/cuda/unit.cu
check "src/cuda/choose.cu calls two rows" compile choose "${options[@]}" "${quick[@]}" -include "$kept/rows.h" -dc src/cuda/choose.cu
finish
