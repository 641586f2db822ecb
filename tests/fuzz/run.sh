#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh HARNESS...: fuzzes with each harness for LIMIT seconds in turn, from tests/fuzz/corpus and from what earlier runs
# found ($BUILD/corpus). An input may take a second of processor time (entry.c) and 100 MB, those of the sanitizers
# included. Prints how many inputs were tried in how many seconds of processor time, in this run and in all since "make
# clean"; an input that breaks something stands in $BUILD/found, and the exit status is 1.
set -u
TIMEFORMAT='%U %S'
export LC_ALL=C
BUILD=${BUILD:-build-fuzz}
LIMIT=${LIMIT:-60}
here=$PWD
times=$BUILD/fuzz.csv # harness, executions, seconds of processor time
export ASAN_OPTIONS=quarantine_size_mb=4:malloc_context_size=8
export UBSAN_OPTIONS=print_stacktrace=1

# What libFuzzer says in its last lines: "stat::number_of_executed_units: 42927".
stat_of() { sed -n "s/^stat::$2: *//p" "$1" | tail -n 1; }

total() { awk -F, -v name="$1" -v column="$2" '$1 == name { sum += $column } END { printf "%.0f", sum }' "$times"; }

broken=0
touch "$times"
printf '%-9s %12s %10s %8s %8s %10s %14s %8s\n' harness executions 'a second' seconds files 'peak MB' 'in all' hours
for name in "$@"; do
    found=$BUILD/found/$name
    log=$BUILD/$name.log
    mkdir -p "$found" "$BUILD/corpus/$name"
    words=()
    [ -f "tests/fuzz/$name.dict" ] && words=("-dict=tests/fuzz/$name.dict")
    { time nice -n 10 "$BUILD/fuzz/$name" -max_total_time="$LIMIT" -timeout=60 -rss_limit_mb=100 -malloc_limit_mb=100 \
        -max_len=8192 -print_final_stats=1 -artifact_prefix="$here/$found/" "${words[@]}" "$BUILD/corpus/$name" \
        "tests/fuzz/corpus/$name" >"$log" 2>&1; } 2>"$log.time"
    status=$?
    spent=$(awk '{ printf "%.1f", $1 + $2 + 0.05 }' "$log.time")
    runs=$(stat_of "$log" number_of_executed_units)
    echo "$name,${runs:=0},$spent" >>"$times"
    printf '%-9s %12d %10.0f %8.0f %8d %10d %14d %8.2f\n' "$name" "$runs" "$(awk "BEGIN { print $runs / $spent }")" "$spent" \
        "$(find "$BUILD/corpus/$name" -type f | wc -l)" "$(stat_of "$log" peak_rss_mb)" "$(total "$name" 2)" \
        "$(awk "BEGIN { print $(total "$name" 3) / 3600 }")"
    [ "$status" -eq 0 ] && continue
    broken=$((broken + 1))
    grep -aE '^fuzz: |ERROR: |runtime error: |Test unit written' "$log" | head -n 4 | sed 's/^/    /'
    echo "    again, alone: $BUILD/fuzz/$name FILE (whole output: $log)"
done
[ "$broken" -eq 0 ]
