#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh HARNESS...: fuzzes with each harness in turn for LIMIT seconds of processor time, from tests/fuzz/corpus and
# from what earlier runs found ($BUILD/corpus). libFuzzer goes by the clock on the wall: where other programs have the
# processor, the harness is started again with what is left, for 300 seconds at most, so that little is lost when all is
# ended. An input may take a second of processor time and have 100 MB (entry.c); the process, with the sanitizers and
# the corpus, may have MOST_MB. Prints how many inputs were tried in how many seconds of processor time, in this run and
# in all since "make clean", and the most memory that one had; an input that breaks something stands in $BUILD/found, and
# the exit status is 1.
set -u
TIMEFORMAT='%U %S'
export LC_ALL=C
BUILD=${BUILD:-build-fuzz}
LIMIT=${LIMIT:-60}
MOST_MB=1000
here=$PWD
times=$BUILD/fuzz.csv # harness, executions, seconds of processor time
export ASAN_OPTIONS=quarantine_size_mb=4:malloc_context_size=8
export UBSAN_OPTIONS=print_stacktrace=1

# What libFuzzer says in its last lines: "stat::number_of_executed_units: 42927".
stat_of() { sed -n "s/^stat::$2: *//p" "$1" | tail -n 1; }

total() { awk -F, -v name="$1" -v column="$2" '$1 == name { sum += $column } END { printf "%.0f", sum }' "$times"; }

# How many seconds more, up to 300, where so many were spent; 0 where less than one is left of LIMIT.
left() {
    awk -v s="$1" -v limit="$LIMIT" 'BEGIN { s = limit - s; printf("%d", s < 1 ? 0 : s > 300 ? 300 : s + 0.999) }'
}

# fuzz NAME SECONDS: one start of the harness, for so long on the wall. Adds to $runs, $spent, $peak; sets $status.
fuzz() {
    local name=$1 log=$BUILD/$1.log words=() tried seconds memory
    [ -f "tests/fuzz/$name.dict" ] && words=("-dict=tests/fuzz/$name.dict")
    # Slow is what takes a second of the processor (entry.c); by the clock, a busy machine makes any input slow.
    { time nice -n 10 "$BUILD/fuzz/$name" -max_total_time="$2" -timeout=600 -report_slow_units=600 -rss_limit_mb="$MOST_MB" \
        -malloc_limit_mb=100 -max_len=8192 -print_final_stats=1 -artifact_prefix="$here/$BUILD/found/$name/" \
        "${words[@]}" "$BUILD/corpus/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1; } 2>"$log.time"
    status=$?
    seconds=$(awk '{ printf "%.2f", $1 + $2 }' "$log.time")
    tried=$(stat_of "$log" number_of_executed_units)
    memory=$(stat_of "$log" most_memory_kb)
    echo "$name,${tried:=0},$seconds" >>"$times"
    runs=$((runs + tried))
    spent=$(awk "BEGIN { printf \"%.2f\", $spent + $seconds }")
    [ "${memory:-0}" -le "$peak" ] || peak=$memory
    [ "$tried" -gt 0 ] || status=1
}

broken=0
touch "$times"
printf '%-9s %12s %10s %8s %8s %10s %14s %8s\n' harness executions 'a second' seconds files 'most kB' 'in all' hours
for name in "$@"; do
    mkdir -p "$BUILD/found/$name" "$BUILD/corpus/$name"
    runs=0 spent=0 peak=0 status=0
    while [ "$status" -eq 0 ] && [ "$(left "$spent")" -gt 0 ]; do fuzz "$name" "$(left "$spent")"; done
    [ "$runs" -gt 0 ] || status=1
    printf '%-9s %12d %10.0f %8.0f %8d %10d %14d %8.2f\n' "$name" "$runs" \
        "$(awk "BEGIN { print $runs / ($spent + 0.01) }")" "$spent" \
        "$(find "$BUILD/corpus/$name" -type f | wc -l)" "$peak" "$(total "$name" 2)" \
        "$(awk "BEGIN { print $(total "$name" 3) / 3600 }")"
    [ "$status" -eq 0 ] && continue
    broken=$((broken + 1))
    grep -aE '^fuzz: |ERROR: |runtime error: |Test unit written' "$BUILD/$name.log" | head -n 4 | sed 's/^/    /'
    echo "    again, alone: $BUILD/fuzz/$name FILE (whole output: $BUILD/$name.log)"
done
[ "$broken" -eq 0 ]
