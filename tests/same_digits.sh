#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# same_digits.sh OLD NEW: do OLD and NEW, two builds of bin/steep, compute the same digits? Each runs the sample of
# kernels.sh, the speedrun, the README's sweep, every start, every kind of points, penalties, data, fits in four
# dimensions, laws of slopes and of two sizes, contests, separations and certificates. All rows of fits.csv,
# slopes.csv and series.csv are compared, without their seconds, and the output of the other commands. Exit status 1
# if anything differs; the folders are then kept. QUICK=1 leaves out the speedrun and the README's sweep.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=tests/sample.sh
. tests/sample.sh
[ $# -eq 2 ] || { echo "usage: tests/same_digits.sh OLD/bin/steep NEW/bin/steep" >&2; exit 2; }
for program in "$1" "$2"; do [ -x "$program" ] || { echo "same_digits.sh: $program is no program: build it first" >&2; exit 2; }; done
scratch=$(mktemp -d)

# words NAME: prints a variable of the Makefile, the options of a sweep.
words() { make -s --no-print-directory -f - words <<<"include Makefile
words: ; @echo \$($1)" BUILD="$scratch/none" 2>/dev/null; }

# printed PROGRAM NAME WORDS...: runs the command and keeps its output as NAME.text.
printed() {
    local program=$1 name=$2
    shift 2
    "$program" "$@" >"$out/$name.text" 2>&1 || echo "exit status $?" >>"$out/$name.text"
}

# everything PROGRAM FOLDER
everything() {
    local program=$1 out=$2 start sampling
    sample "$program" "$out" || return
    if [ -z "${QUICK:-}" ]; then
        eval "sweep_into '$program' '$out/speedrun' $(words SPEEDRUN)" || return
        eval "sweep_into '$program' '$out/readme' $(words README_SWEEP)" || return
    fi
    for start in uniform alternating one-sided equidistributed random; do
        sweep_into "$program" "$out/start-$start" --arch mlp,glu,gqu,gated3 --target 'runge3;abs(x-0.3)' --solver frozen,varpro --start "$start" \
            --widths 3,9,27 --samples 300 --seeds 0:1 || return
    done
    for start in ridge greedy random; do
        sweep_into "$program" "$out/plane-$start" --arch mlp,glu --target runge3_2d --solver frozen --start "$start" --widths 4,12 --samples 400 || return
    done
    for sampling in random grid gauss sobol; do
        sweep_into "$program" "$out/points-$sampling" --arch mlp,glu --target 'sin4;sin4sin4' --sampling "$sampling" --test "$sampling" --widths 5,11 \
            --samples 400 || return
    done
    sweep_into "$program" "$out/defaults-1" --target 'exp(x)*abs(x-0.2)' --widths 2,4,8,16,32 || return
    sweep_into "$program" "$out/defaults-2" --target 'exp(x)*sin(3*y)' --widths 2,4 || return
    sweep_into "$program" "$out/defaults-4" --target 'x1*x2+sin(x3)*x4' --arch mlp,glu:silu --widths 2,4 --samples 500 || return
    sweep_into "$program" "$out/penalty" --arch mlp,glu --target runge3 --solver frozen,lm,varpro,reduced-newton --penalty 1e-10 --widths 3,9 --samples 300 || return
    sweep_into "$program" "$out/dense" --arch mlp,glu,gqu --target runge3 --solver frozen,lm,varpro --dense --widths 3,9 --samples 300 || return
    sweep_into "$program" "$out/formula" --unit 'exp(-z1^2)*z2' --target sin4sin4 --samples 400 --solver lm --widths 2,6 || return
    sweep_into "$program" "$out/offset" --law offset --arch glu --target cosine_well --widths 4:256:x2 --seeds 0:3 || return
    awk 'BEGIN { print "a,b,y"; for (i = 0; i < 300; i++) { a = (i * 37 % 300) / 300; b = (i * 101 % 300) / 300; print a "," b "," sin(5 * a) * b + (i % 7) / 100 } }' \
        >"$out/points.csv"
    sweep_into "$program" "$out/data" --data "$out/points.csv" --x a,b --y y --holdout 0.2 --standardize --arch mlp,glu:silu --widths 2,5 || return
    sweep_into "$program" "$out/sizes" --arch mlp --target runge3 --solver frozen --widths 4:64:x2 --samples 50:800:x2 --noise 0.01 || return
    "$program" law "$out/sizes" --format csv >"$out/law.csv" || return
    "$program" contest --arch mlp,glu,gqu --target 'runge3;sin4sin4' --params 40 --samples 300 --out "$out/contest" --format csv \
        >"$out/contest.csv" || return
    printed "$program" slope slope "$out/start-uniform/fits.csv" --format csv
    printed "$program" series slope "$out/offset" --format csv
    "$program" separate --witness la_type1 --class gelu --width 1:2 --restarts 5 --no-figure --out "$out/separation" \
        --format csv >"$out/separate.csv" || return
    printed "$program" certify fit --arch mlp --target runge3 --width 12 --certify --no-figure --format json --out "$out/fit"
    printed "$program" list list
    for start in sweep fit contest slope law predict join figure report separate list doctor completion; do printed "$program" "help-$start" "$start" --help; done
}

side=old
for program in "$(realpath "$1")" "$(realpath "$2")"; do
    everything "$program" "$scratch/$side" || { echo "same_digits.sh: a command of $program failed; see $scratch/$side" >&2; exit 1; }
    side=new
done
mapfile -t files < <(cd "$scratch/old" && find . \( -name '*.csv' -o -name '*.text' \) | sort)
mapfile -t others < <(differing "$scratch/old" "$scratch/new" "${files[@]}")
[ ${#others[@]} -eq 0 ] || printf 'differs: %s\n' "${others[@]}"
echo "$((${#files[@]} - ${#others[@]})) files the same, ${#others[@]} differ"
[ ${#others[@]} -eq 0 ] || { echo "kept: $scratch"; exit 1; }
rm -rf "$scratch"
