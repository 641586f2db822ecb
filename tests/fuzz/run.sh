#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh HARNESS...: fuzzes with each harness in turn for LIMIT seconds of processor time, from tests/fuzz/corpus and
# the inputs that earlier runs found ($BUILD/corpus). libFuzzer counts wall time: if other programs have the processor,
# the harness is started again with the time that is left, for 300 seconds at most, so that little is lost when all is
# ended. An input may take a second of processor time and have 100 MB (entry.c); the process, with the sanitizers and
# the corpus, may have MOST_MB. Prints how many inputs were tried in how many seconds of processor time, in this run and
# in all since "make clean", and the most memory that one had. An input that breaks something is kept in $BUILD/found;
# the exit status is then 1.
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

# stat_of LOG NAME: prints a number of libFuzzer's last lines: "stat::number_of_executed_units: 42927".
stat_of() { sed -n "s/^stat::$2: *//p" "$1" | tail -n 1; }

total() { awk -F, -v name="$1" -v column="$2" '$1 == name { sum += $column } END { printf "%.0f", sum }' "$times"; }

# left SPENT: prints the seconds that are left of LIMIT, up to 300; 0 if less than one is left.
left() {
    awk -v s="$1" -v limit="$LIMIT" 'BEGIN { s = limit - s; printf("%d", s < 1 ? 0 : s > 300 ? 300 : s + 0.999) }'
}

# fuzz NAME SECONDS: starts the harness for SECONDS of wall time. Adds to $runs and $spent; sets $peak and $status.
fuzz() {
    local name=$1 log=$BUILD/$1.log words=() tried seconds memory
    [ -f "tests/fuzz/$name.dict" ] && words=("-dict=tests/fuzz/$name.dict")
    # Slow is an input that takes a second of processor time (entry.c); by wall time a busy machine slows any input.
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
