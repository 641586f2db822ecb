#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gpu.sh (make check-gpu): sweeps on the GPU against the same sweeps on the CPU, memory that runs out, split batches,
# ctrl-C, a process that dies, resumed runs, and NVIDIA's compute-sanitizer. Without a GPU it exits with 77 and says
# what is missing. TWIN=1: the host build in place of the GPU, without the sanitizers; SANITIZE=no: without them, too.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

if [ -n "${TWIN:-}" ]; then
    export STEEP_CUDA_OBJECT=$PWD/${BUILD#"$PWD"/}/lib/steep_twin.so
    samples=120 widths=2,3 iterations=3 device=twin many=2:16
else
    samples=400 widths=2,5,9,16 iterations=30 device=cuda many=2:60
fi
found=$("$steep" doctor | sed -n 's/^device cuda *//p')
case ${found:=no steep doctor, no device: --device cpu} in
*"--device cp"*) skip "$found" ;;
esac
echo "device: $found"

# What identifies a row.
keys() { cut -d, -f1-9 "$1" | sort; }
# Everything but device, seconds and the checksum.
fit_bits() { cut -d, -f1-9,11-19,21-24 "$1" | sort; }

# close A B: the tables have the same fits. Training errors agree to 1e-6, or both are at most twice their floors. Up to
# three fifths of the rows may end elsewhere by rounding (docs/explanation/gpu.md), within a factor of 100.
close() {
    [ -s "$1" ] && [ -s "$2" ] || { echo "$1 or $2 is not there: $(cat "$scratch/out")"; return 1; }
    diff <(keys "$1") <(keys "$2") >"$scratch/keys" || { head -n 4 "$scratch/keys"; return 1; }
    paste -d, <(sort -t, -k1,9 "$1") <(sort -t, -k1,9 "$2") | awk -F, -v columns="$(head -n 1 "$1" | tr ',' '\n' | wc -l)" '
        /^arch/ || $12 == "nan" || $(columns + 12) == "nan" { next }
        { a = $12; b = $(columns + 12); f = 2 * $15; g = 2 * $(columns + 15); d = (a - b) / a; if (d < 0) d = -d; all++
          if (d > 1e-6 && !(a <= f && b <= g)) { elsewhere++; if (a > 100 * b || b > 100 * a) { print "apart: " $0; wrong = 1 } } }
        END { printf "%d of %d rows end elsewhere\n", elsewhere, all; exit wrong || 5 * elsewhere > 3 * all }'
}

archs=$("$steep" list architectures | awk '/^  [a-z]/ && $1 != "name" { print $1 }' | paste -sd,)
[ -z "${TWIN:-}" ] || archs=mlp,glu,qd-moa # tests/cuda/test_twin.c has all, and for each a bar
for dim in 1 2; do
    target=$([ $dim = 1 ] && echo runge3 || echo sin4sin4)
    for solver in lm varpro frozen; do
        dense=$([ $solver$dim = frozen1 ] && echo --dense)
        # shellcheck disable=SC2086
        run() { "$steep" sweep --arch "$archs" --target $target --solver $solver $dense --widths $widths --seeds 0:1 --start random \
            --samples $samples --max-iterations $iterations --no-figure --quiet "$@" >"$scratch/out" 2>&1; }
        run --out "$scratch/cpu-$dim-$solver"
        run --device cuda --out "$scratch/device-$dim-$solver"
        check "$solver in ${dim}D: as on the CPU" close "$scratch"/{cpu,device}-$dim-$solver/fits.csv
        elsewhere=$(tail -n 1 "$scratch/output")
        taken=$(cut -d, -f10 "$scratch/device-$dim-$solver/fits.csv" | grep -c "^$device$")
        echo "$solver in ${dim}D: $taken fits on $device; $elsewhere"
        [ "$solver" != lm ] || check "$solver in ${dim}D: the device takes fits" test "$taken" -gt 0
    done
done

same_fits=(sweep --arch glu --solver lm --seeds 0:3 --start random --samples "$samples" --max-iterations "$iterations"
    --no-figure --quiet)
sweep() { "$steep" "${same_fits[@]}" --widths "$many" "$@"; }
sweep --device cuda --out "$scratch/whole" >"$scratch/out" 2>&1
check "a sweep on the device" test -s "$scratch/whole/fits.csv"
same_fit_bits() { diff <(fit_bits "$1") <(fit_bits "$2"); }
for bytes in 100000000 3000000; do
    STEEP_CUDA_MEMORY=$bytes sweep --device cuda --out "$scratch/split-$bytes" >"$scratch/out" 2>&1
    check "split for $bytes bytes: the same bits" same_fit_bits "$scratch/whole/fits.csv" "$scratch/split-$bytes/fits.csv"
done

STEEP_CUDA_MEMORY=2000 sweep --device cuda --out "$scratch/none" >"$scratch/out" 2>&1
check "2000 bytes: all fits on the CPU" close "$scratch/whole/fits.csv" "$scratch/none/fits.csv"
check "2000 bytes: the rows say so" test "$(cut -d, -f10 "$scratch/none/fits.csv" | grep -c '^cpu$')" -gt 0

# stop_by SIGNAL FOLDER: starts a sweep; once some rows are there, signals it (INT) or the device's process (KILL).
stop_by() {
    local wait
    # bash starts background jobs with SIGINT ignored; env gives it back
    env --default-signal=INT "$steep" "${same_fits[@]}" --widths "$many" --device cuda --out "$2" >"$scratch/out" 2>&1 &
    local job=$!
    for ((wait = 0; wait < 2000; wait++)); do
        [ -s "$2/fits.csv" ] && [ "$(wc -l <"$2/fits.csv")" -gt 2 ] && break
        kill -0 $job 2>/dev/null || break
        sleep 0.005
    done
    case $1 in
    INT) kill -INT $job 2>/dev/null ;;
    *) kill -KILL "$(cut -d' ' -f1 "/proc/$job/task/$job/children")" 2>/dev/null ;; # the process of the device
    esac
    wait $job
    status=$?
}
for signal in INT KILL; do
    stop_by $signal "$scratch/$signal"
    rows=$(($(wc -l <"$scratch/$signal/fits.csv") - 1))
    echo "$signal: exit status $status, $rows rows kept: $(tail -n 1 "$scratch/out")"
    check "$signal: it ends as a failed run" test "$status" -eq 1
    check "$signal: some rows were kept, and some are missing" test "$rows" -gt 0 -a "$rows" -lt "$(($(wc -l <"$scratch/whole/fits.csv") - 1))"
    sweep --device "$([ $signal = INT ] && echo cuda || echo cpu)" --out "$scratch/$signal" >"$scratch/out" 2>&1
    check "$signal: resumed" close "$scratch/whole/fits.csv" "$scratch/$signal/fits.csv"
done
"$steep" "${same_fits[@]}" --widths "${many%:*}" --out "$scratch/begun" >"$scratch/out" 2>&1
sweep --device cuda --out "$scratch/begun" >"$scratch/out" 2>&1
check "begun on the CPU, ended on the device" close "$scratch/whole/fits.csv" "$scratch/begun/fits.csv"
check "rows of both" test "$(cut -d, -f10 "$scratch/begun/fits.csv" | sort -u | grep -c .)" -eq 3

if [ -n "${TWIN:-}" ]; then
    echo "memcheck and racecheck: skipped, they are for a GPU"
elif [ "${SANITIZE:-}" = no ]; then
    echo "memcheck and racecheck: left to who runs this"
elif command -v compute-sanitizer >/dev/null || [ -x /usr/local/cuda/bin/compute-sanitizer ]; then
    PATH=$PATH:/usr/local/cuda/bin
    for tool in memcheck racecheck; do
        check "compute-sanitizer $tool" timeout 900 compute-sanitizer --tool $tool --error-exitcode 9 \
            --target-processes all "$steep" sweep --arch glu,qd-moa --solver lm --start random --widths 2:5 --samples 100 \
            --max-iterations 6 --device cuda --no-figure --quiet --fresh --out "$scratch/sanitized"
    done
else
    fail "compute-sanitizer is missing: it comes with CUDA's toolkit"
fi

finish
