#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench_gpu.sh [LETTER...] (make bench-gpu): sweeps on a GPU against the same fits on all cores of the machine:
#
#     a  glu with silu in 1D, widths 1 to 100, 100 seeds, 2000 points, lm with 50 iterations
#     b  gqu in 2D with its gates frozen, widths 1 to 128, 196 seeds, 2000 points
#     c  glu with silu in 2D, widths 64 to 1024, 40000 points, lm with 10 iterations
#     d  qd-moa in 1D, widths 1 to 32, 32 seeds, 2000 points, lm with 50 iterations
#
# Work is counted in operations of a plain formulation by J'J, whatever the device does: N n^2 + n^3 / 3 an iteration,
# with N points and n unknowns. "% of it": this work in a second of the sweep, over the rate of a large product of
# matrices (CEILING, in Gflop/s; by default cuBLAS's). The CPU makes a sample of the fits on one core; the rate of all
# cores follows from it. "elsewhere": fits of the sample with errors more than 1e-6 apart and not both at the floor;
# after few steps an end depends on rounding (docs/explanation/gpu.md). Exit status 1: the geometric mean of the
# device's errors is more than twice the CPU's, or fits are missing; 77: no GPU. LIMIT=T: each sweep ends after T
# seconds; its rates are those of the fits that ended by then. TWIN=1: the host build and few small fits, to try the
# script without a GPU; its numbers say nothing of a GPU.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
out=${RESULTS:-results}/gpu${TWIN:+-twin}
steep=$BUILD/bin/steep

if [ -n "${TWIN:-}" ]; then
    export STEEP_CUDA_OBJECT=$PWD/${BUILD#"$PWD"/}/lib/steep_twin.so CEILING=${CEILING:-nan}
fi

found=$("$steep" doctor | sed -n 's/^device cuda *//p')
case ${found:=no steep doctor, no device: --device cpu} in
*"--device cp"*)
    echo "skipped: $found"
    exit 77
    ;;
esac
echo "$found"
if [ -z "${CEILING:-}" ]; then
    ceilings=$("$BUILD/experiments/gpu_ceilings") || exit 1
    echo "$ceilings"
    # If cuBLAS was not found: the rate of products of tiles from registers.
    CEILING=$(awk '$1 == "dgemm" || $1 == "dmma" { print $2; exit }' <<<"$ceilings")
fi
echo "ceiling ${CEILING:=nan} Gflop/s; $(nproc) cores"
echo "workload                fits  by CPU  failed   seconds    fits/s   Gflop/s  % of it  x cores      elsewhere    apart"

# sweep FOLDER OPTIONS...: prints the wall seconds of a sweep. If LIMIT ends the sweep, its rows so far count.
sweep() {
    local TIMEFORMAT=%R
    { time timeout --foreground --signal=INT "${LIMIT:-0}" "$steep" sweep "${@:2}" --no-figure --quiet --fresh --out "$out/$1" >"$out/said" 2>&1; } 2>&1
    [ -s "$out/$1/fits.csv" ] || cat "$out/said" >&2
}

# row LETTER WHAT SECONDS FITS: prints a line of the table from the fits in LETTER-cpu and LETTER-device. Fails if there
# are fewer than FITS fits, or if the device's errors are larger (Exit status 1, above).
row() {
    awk -F, -v name="$2" -v seconds="$3" -v ceiling="$CEILING" -v cores="$(nproc)" -v most="$4" '
        function abs(x) { return x < 0 ? -x : x }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            key = $at["width"] "," $at["seed"]; frozen = $at["solver"] == "frozen"; error = $at["rmse_train"] + 0
            n = $at["params"] - (frozen ? $at["width"] * ($at["dim"] + 1) : 0)
            work = (frozen ? 1 : $at["iterations"]) * ($at["samples"] * n * n + n * n * n / 3) * 1e-9
        }
        FNR == NR { cpu[key] = error; floor[key] = 2 * $at["floor"]; cpu_work += work; cpu_seconds += $at["seconds"]; next }
        {
            fits++; all += work; refused += $at["device"] == "cpu"; failed += $at["rmse_train"] == "nan"
            if (!(key in cpu) || $at["device"] == "cpu" || !(error > 0 && cpu[key] > 0)) next
            checked++
            if (error <= 2 * $at["floor"] && cpu[key] <= floor[key]) next
            d = abs(error - cpu[key]) / cpu[key]; elsewhere += d > 1e-6; if (d > apart) apart = d
            mean += log(error / cpu[key])
        }
        END {
            printf "%-20s %7d %7d %7d %9.2f %9.4g %9.1f %8.2f %8.1f %6d of %-4d %8.1e\n", name, fits, refused, failed, seconds,
                fits / seconds, all / seconds, 100 * all / seconds / ceiling, all / seconds * cpu_seconds / cpu_work / cores,
                elsewhere, checked, apart
            exit fits < most || !(mean <= checked * log(2))
        }' "$out/$1-cpu/fits.csv" "$out/$1-device/fits.csv"
}

# measure LETTER WHAT FITS WIDTHS SEEDS SAMPLE OPTIONS...: runs both sweeps and prints their line. The CPU fits the
# widths SAMPLE with seed 0.
measure() {
    local name=$1 seconds
    rm -rf "$out/$name"-{cpu,device}
    sweep "$name-cpu" --widths "$6" --seeds 0 --threads 1 "${@:7}" >/dev/null
    seconds=$(sweep "$name-device" --widths "$4" --seeds "$5" --device cuda "${@:7}") || seconds=nan
    row "$name" "$1  $2" "$seconds" "$([ -n "${LIMIT:-}" ] && echo 1 || echo "$3")" || bad=1
}

bad=0
mkdir -p "$out" || exit 1
lm=(--solver lm --start random --sampling random)
frozen=(--solver frozen --start uniform --sampling random)
[ $# -gt 0 ] || set -- a b c d
for letter; do
    case ${TWIN:+small }$letter in
    a) measure a "glu, lm" 10000 1:100 0:99 1:100:3 --arch glu:silu --target runge3 "${lm[@]}" --samples 2000 --max-iterations 50 ;;
    b) measure b "gqu in 2D, frozen" 25088 1:128 0:195 1:128:2 --arch gqu --target sin4sin4 "${frozen[@]}" --samples 2000 ;;
    c) measure c "glu in 2D, lm" 10 64:1024:x2 0:1 64 --arch glu:silu --target sin4sin4 "${lm[@]}" --samples 40000 --max-iterations 10 ;;
    d) measure d "qd-moa, lm" 1024 1:32 0:31 1:32 --arch qd-moa --target runge3 "${lm[@]}" --samples 2000 --max-iterations 50 ;;
    "small a") measure a "glu, lm" 18 1:6 0:2 1:6 --arch glu:silu --target runge3 "${lm[@]}" --samples 100 --max-iterations 6 ;;
    "small b") measure b "gqu in 2D, frozen" 36 1:12 0:2 1:12 --arch gqu --target sin4sin4 "${frozen[@]}" --samples 100 ;;
    "small c") measure c "glu in 2D, lm" 4 8,9 0:1 8,9 --arch glu:silu --target sin4sin4 "${lm[@]}" --samples 300 --max-iterations 3 ;;
    "small d") measure d "qd-moa, lm" 6 2,3 0:2 2,3 --arch qd-moa --target runge3 "${lm[@]}" --samples 120 --max-iterations 9 ;;
    *)
        echo "bench_gpu.sh: $letter is no workload: use a, b, c or d" >&2
        exit 2
        ;;
    esac
done
[ "$bad" -eq 0 ] || echo "bench_gpu.sh: errors are larger than the CPU's, or fits are missing" >&2
exit "$bad"
