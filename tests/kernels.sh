#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kernels.sh [--quick]: verdicts and bits are the same wherever the program runs. Each variant runs the tests and a
# sample of fits (sample.sh); the rows of fits.csv must be the first variant's, byte for byte but for the seconds.
#
#   kernels     OPENBLAS_CORETYPE: the BLAS that the tests compare with, and that a caller of GSL may have loaded; the
#               reference BLAS and LAPACK in its place
#   libm        GLIBC_TUNABLES: exp, sin, log ... of a processor without fused multiply-adds. Fits keep their bits:
#               targets are rounded from long double, units have functions of their own (numerics/elementary.h)
#   compilers   gcc -O0, gcc -O3 -march=native, clang; the loops for plain SSE2 alone
#
# --quick: the numerical tests only, under four kernels and the libm, with the build that is there.
# A variant that this processor cannot run, or not installed, is skipped and named. Last line: "N passed, N failed".
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"
JOBS=${JOBS:-2}
numerical="elementary activation unit written check reduced_newton degenerate dense fold qr symmetric least_squares varpro exchange marquardt newton frozen cells rows strategy knot_system spline_least_squares
    free_knots fit"
quick=false
[ "${1:-}" = --quick ] && quick=true

can() { grep -qw "$1" /proc/cpuinfo; }

# shellcheck source=tests/sample.sh
. tests/sample.sh

verdict() { # verdict GOOD NAME TEXT
    if $1; then pass; else failed=$((failed + 1)); fi
    printf '%-7s %-28s %s\n' "$($1 && echo ok || echo FAILED)" "$2" "$3"
}

# compare NAME: compares the tables of this variant with the first variant's.
compare() {
    local files others
    [ -d "$scratch/first" ] || cp -r "$scratch/now" "$scratch/first"
    mapfile -t files < <(cd "$scratch/first" && find . -name fits.csv)
    mapfile -t others < <(differing "$scratch/first" "$scratch/now" "${files[@]}")
    verdict "$([ ${#others[@]} -eq 0 ] && echo true || echo false)" "$1" "${#files[@]} tables of fits, other digits in: ${others[*]:-none}"
}

# run_variant NAME BUILD WORDS...: runs tests and sample with the WORDS in the environment.
run_variant() {
    local name=$1 build=$2 test bad='' count=0
    shift 2
    rm -rf "$scratch/now"
    if $quick; then
        rm -f "$scratch"/done.*
        for test in $numerical; do [ -x "$build/tests/test_$test" ] && echo "$test"; done |
            env "$@" xargs -P "$JOBS" -I{} sh -c "timeout 300 $build/tests/test_{} >$scratch/{}.log 2>&1; echo \$? >$scratch/done.{}"
        for test in $numerical; do
            [ -f "$scratch/done.$test" ] || continue
            count=$((count + 1))
            [ "$(cat "$scratch/done.$test")" = 0 ] || bad="$bad test_$test"
        done
        verdict "$([ -z "$bad" ] && [ $count -gt 0 ] && echo true || echo false)" "$name" "$count test programs${bad:+, failed:$bad}"
    else
        env "$@" BUILD="$build" JOBS="$JOBS" bash tests/run.sh >"$scratch/log" 2>&1 && bad=false || bad=true
        $bad && grep -A8 '^FAILED' "$scratch/log"
        verdict "$($bad && echo false || echo true)" "$name" "$(tail -n 1 "$scratch/log")"
    fi
    if env "$@" true && (for word in "$@"; do export "${word?}"; done; sample "$build/bin/steep" "$scratch/now"); then
        compare "$name"
    else
        verdict false "$name" "the sample of fits failed"
    fi
}

skip() { printf '%-7s %-28s %s\n' skipped "$1" "$2"; }

# kernel NAME FLAG: a variant with OpenBLAS's kernel NAME, if /proc/cpuinfo has the flag.
kernel() {
    if can "$2"; then run_variant "kernel $1" "$BUILD" "OPENBLAS_CORETYPE=$1"; else skip "kernel $1" "this processor lacks $2"; fi
}

# compiler NAME CC FLAGS: a variant with a build of its own.
compiler() {
    local build=build-kernels/$1
    command -v "$2" >/dev/null || { skip "$1" "$2 is not installed"; return; }
    if make -s -j"$JOBS" BUILD="$build" CC="$2" CFLAGS="$3" all tests >"$scratch/log" 2>&1; then
        run_variant "$1" "$build" STEEP_VARIANT="$1"
    else
        tail -n 5 "$scratch/log"
        verdict false "$1" "does not build"
    fi
}

[ -x "$BUILD/bin/steep" ] || { echo "kernels.sh: $BUILD/bin/steep is not there: run make all tests first" >&2; exit 2; }
kernel Prescott pni
kernel Nehalem sse4_2
$quick || kernel Sandybridge avx
kernel Haswell avx2
$quick || kernel Zen avx2
kernel SkylakeX avx512f
reference=$(find /usr/lib -path '*/blas/libblas.so.3' 2>/dev/null | head -n 1)
lapack=$(find /usr/lib -path '*/lapack/liblapack.so.3' 2>/dev/null | head -n 1)
$quick || if [ -n "$reference" ] && [ -n "$lapack" ]; then
    run_variant "reference BLAS and LAPACK" "$BUILD" "LD_PRELOAD=$lapack $reference"
else
    skip "reference BLAS and LAPACK" "libblas3 and liblapack3 are not installed"
fi
run_variant "libm without FMA" "$BUILD" "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable,-FMA4_Usable"
$quick || {
    compiler gcc-O0 gcc "-O0 -g"
    compiler gcc-native gcc "-O3 -march=native -g"
    compiler gcc-sse2 gcc "-O2 -g -DSTEEP_NO_CLONES"
    compiler clang clang "-O2 -g"
}
finish
