#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figures.sh NAME...: runs the programs $BUILD/experiments/NAME one after the other, each with --out $RESULTS/NAME.
set -u
BUILD=${BUILD:-build}
RESULTS=${RESULTS:-results}
failed=()
count=0
for name in "$@"; do
    start=$(date +%s)
    count=$((count + 1))
    echo "figures: $count of $#: $name -> $RESULTS/$name"
    if "$BUILD/experiments/$name" --out "$RESULTS/$name"; then
        echo "figures: $name took $(($(date +%s) - start)) s"
    else
        failed+=("$name")
        echo "figures: $name failed; again, alone: $BUILD/experiments/$name --out $RESULTS/$name" >&2
    fi
done
[ $# -gt 0 ] || { echo "figures: experiments/ holds no program"; exit 1; }
[ ${#failed[@]} -eq 0 ] || { echo "figures: failed: ${failed[*]}" >&2; exit 1; }
echo "figures: all in $RESULTS/"
