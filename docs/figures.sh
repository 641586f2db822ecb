#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figures.sh NAME...: one after the other, the sweeps whose tables the documents print (docs/tables.sh), then the programs
# $BUILD/experiments/NAME, each into $RESULTS/NAME with its figure; then one page over all of them. DATA: the folder of the data sets that dimensions takes.
# QUICK=1: of the sweeps the README's alone, and the quick forms of the programs, whose figures say little.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
RESULTS=${RESULTS:-results}
[ $# -gt 0 ] || { echo "figures: experiments/ holds no program"; exit 1; }
if [ -n "${QUICK:-}" ]; then sweeps=(readme); else mapfile -t sweeps < <(bash docs/tables.sh sweeps); fi
failed=()
count=0

# run NAME COMMAND...
run() {
    local name=$1 start
    shift
    start=$(date +%s)
    count=$((count + 1))
    echo "figures: $count of $all: $name -> $RESULTS/$name"
    if "$@"; then
        echo "figures: $name took $(($(date +%s) - start)) s"
    else
        failed+=("$name")
        echo "figures: $name failed; again, alone: $*" >&2
    fi
}

all=$(($# + ${#sweeps[@]}))
for name in "${sweeps[@]}"; do run "$name" bash docs/tables.sh draw "$name" "$RESULTS/$name"; done
for name in "$@"; do
    data=()
    [ "$name" = dimensions ] && [ -n "${DATA:-}" ] && data=(--data "$DATA")
    quick=()
    [ -z "${QUICK:-}" ] || ! "$BUILD/experiments/$name" --help | grep -q -e '^  --quick' || quick=(--quick)
    run "$name" "$BUILD/experiments/$name" --out "$RESULTS/$name" "${data[@]}" "${quick[@]}"
done
# One page over all that is there: folders of sweeps, and those that have pictures.
mapfile -t drawn < <(find "$RESULTS" -mindepth 2 -maxdepth 3 \( -name slopes.csv -o -name '*.svg' \) -size +0 -printf '%h\n' | LC_ALL=C sort -u)
[ ${#drawn[@]} -eq 0 ] || "$BUILD/bin/steep" report "${drawn[@]}" --title "Steep: all figures" --out "$RESULTS/report.html" ||
    failed+=(report)
[ ${#failed[@]} -eq 0 ] || { echo "figures: failed: ${failed[*]}" >&2; exit 1; }
echo "figures: all in $RESULTS/, and on one page in $RESULTS/report.html"
