#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_run.sh: the runner of the tests counts right, above all when a test crashes, hangs or says nothing.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

tree=$scratch/tree
mkdir -p "$tree/tests" "$tree/b/tests"
cp tests/run.sh "$tree/tests/"

# test_program NAME: makes the test program NAME from the script on stdin, and the source that the runner looks for.
test_program() {
    { echo "#!$(command -v bash)"; cat; } >"$tree/b/tests/$1"
    chmod +x "$tree/b/tests/$1"
    touch "$tree/tests/$1.c"
}
# sum EXPECTED: runs the runner; EXPECTED is its last line, and its exit status is 0 only if no test failed.
sum() {
    local got status=0
    got=$(cd "$tree" && BUILD=b JOBS=2 LIMIT=1 bash tests/run.sh 2>"$scratch/stderr") || status=$?
    check "expected '$1', got: $got" test "$(tail -n 1 <<<"$got")" = "$1"
    [[ $1 == *', 0 failed' ]]
    check "exit status $status for '$1'" test "$status" -eq $?
    said=$got
}
says() { check "does not say '$1': $said" grep -q -- "$1" <<<"$said"; }

test_program test_good <<<'echo "100%: Checks: 5, Failures: 0, Errors: 0"'
sum "5 passed, 0 failed"
printf 'echo "failed: a thing"; echo "3 passed, 0 failed"; exit 77\n' >"$tree/tests/check_skip.sh"
sum "5 passed, 0 failed"
says "1 skipped"
printf 'echo "3 passed, 0 failed"\n' >"$tree/tests/e2e.sh"
sum "8 passed, 0 failed"
printf 'echo "2 passed, 1 failed"; exit 1\n' >"$tree/tests/check_bad.sh"
sum "10 passed, 1 failed"
test_program test_bad <<<'echo "50%: Checks: 4, Failures: 1, Errors: 1"; exit 1'
sum "12 passed, 3 failed"
test_program test_crash <<<'echo "100%: Checks: 1, Failures: 0, Errors: 0"; kill -SEGV $$'
sum "13 passed, 4 failed"
says "ended by signal 11"
test_program test_silent <<<':'
sum "13 passed, 5 failed"
test_program test_hang <<<'exec sleep 30'
sum "13 passed, 6 failed"
says "still running after 1 s"
rm "$tree/b/tests/test_good"
sum "8 passed, 7 failed"

# The runner of the fuzzing harnesses counts seconds of processor time. A harness that got half a second by the end of
# its time is started again, until less than a second of LIMIT is left. After a finding, or if no input is tried, it is
# not started again.
mkdir -p "$tree/tests/fuzz/corpus/idle" "$tree/b/fuzz"
cp tests/fuzz/run.sh "$tree/tests/fuzz/"
cat >"$tree/b/fuzz/idle" <<'END'
#!/usr/bin/env bash
echo "$1" >>b/starts
[ ! -e b/broken ] || { echo "fuzz: two routes disagree"; exit 77; }
[ ! -e b/silent ] || exit 0
awk 'BEGIN { for (i = 0; i < 5e6; i++) sum += i % 7; exit sum < 0 }'
printf 'stat::number_of_executed_units: 100\nstat::most_memory_kb: %d\n' "$((90 - $(wc -l <b/starts)))"
END
chmod +x "$tree/b/fuzz/idle"
# fuzzed STATUS: the fuzzing runner ends with STATUS. $starts: the time limits of the starts; $said: the output.
fuzzed() {
    local status=0
    rm -f "$tree/b/starts"
    said=$(cd "$tree" && BUILD=b LIMIT=2 bash tests/fuzz/run.sh idle 2>&1) || status=$?
    starts=$(cat "$tree/b/starts")
    check "fuzz/run.sh: exit status $status, expected $1: $said" test "$status" -eq "$1"
}
fuzzed 0
count=$(wc -l <<<"$starts")
check "$count starts for 2 seconds of processor time" test "$count" -ge 2 -a "$count" -lt 40
check "begins with $starts" test "$(head -n 1 <<<"$starts")" = -max_total_time=2
says "^idle *$((100 * count)) .* 89 *$((100 * count)) "
check "fuzz.csv has more than a second" \
    awk -F, '$1 == "idle" && $2 == 100 { spent += $3 } END { exit !(spent > 1 && spent < 4) }' "$tree/b/fuzz.csv"
touch "$tree/b/silent"
fuzzed 1
touch "$tree/b/broken"
fuzzed 1
says "two routes disagree"
check "goes on after a finding: $starts" test "$starts" = -max_total_time=2

finish
