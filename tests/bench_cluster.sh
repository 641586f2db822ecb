#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench_cluster.sh (make bench-cluster makes docs/tables/cluster.txt): one sweep on two processors by one process,
# workers and 2, 4 and 16 ranks; the fits a second that rank 0 can hand out; the time of sweeps of up to a million fits
# beside their fits (experiments/cluster.c). QUICK=1: small sweeps, whose numbers say little. No ranks without Open MPI.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
out=${RESULTS:-results}/cluster
mkdir -p "$out" || exit 1
steep=$(realpath "$BUILD")/bin/steep
mpi=(mpirun --oversubscribe --bind-to none)
if [ "$(id -u)" -eq 0 ]; then mpi+=(--allow-run-as-root); fi
sweep=("$steep" sweep --arch "mlp,glu,gqu" --solver lm --start random --seeds "0:3" --no-figure --quiet --fresh)
if [ -n "${QUICK:-}" ]; then sweep+=(--widths "2:5" --samples 200); else sweep+=(--widths "2:24" --samples 1000 --max-iterations 200); fi
two=$(taskset -cp $$ | sed 's/.*: //; s/-/,/' | tr ',' '\n' | head -n 2 | paste -sd,)

# one NAME COMMAND...: runs a sweep; prints wall and processor seconds against the first sweep's, and if rows agree.
one() {
    local name=$1 folder=$out/sweep times wall user system
    shift
    rm -rf "$folder"
    TIMEFORMAT='%R %U %S'
    times=$({ time taskset -c "$two" "$@" --out "$folder" >/dev/null 2>"$out/said"; } 2>&1) || { cat "$out/said" >&2; exit 1; }
    read -r wall user system <<<"$times"
    cut -d, -f1-19,21-24 "$folder/fits.csv" >"$out/bits"
    [ -f "$out/first" ] || { cp "$out/bits" "$out/first"; first_wall=$wall; first_used=$(echo "$user $system" | awk '{ print $1 + $2 }'); }
    awk -v name="$name" -v wall="$wall" -v used="$(echo "$user $system" | awk '{ print $1 + $2 }')" -v w="$first_wall" -v u="$first_used" \
        -v same="$(cmp -s "$out/first" "$out/bits" && echo same || echo DIFFERENT)" \
        'BEGIN { printf "%-12s %8.2f  %10.2f  %9.2f  %22.2f  %s\n", name, wall, w / (2 * wall), used, u / used, same }'
}

rm -f "$out/first"
echo "the same sweep on two processors"
echo "               wall s  efficiency  processor  one process over that  bytes"
one "--jobs 1" "${sweep[@]}" --jobs 1
one "--jobs 2" "${sweep[@]}" --jobs 2
if command -v mpirun >/dev/null && [ -f "$BUILD/lib/steep_mpi.so" ]; then
    for n in 2 4 16; do one "$n ranks" "${mpi[@]}" -n "$n" "${sweep[@]}"; done
    echo
    echo "recorded fits over MPI: ranks, fits, fits a second here, us of rank 0 for each, fits a second that rank 0 can hand out"
    for n in 2 4 16; do
        "${mpi[@]}" -n "$n" "$BUILD/experiments/cluster" ${QUICK:+--quick} --out "$out" || exit 1
    done
fi
echo
"$BUILD/experiments/cluster" ${QUICK:+--quick} ${FULL:+--full} --out "$out" || exit 1
