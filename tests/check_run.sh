#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_run.sh: the runner of the tests counts right, above all when a test crashes, hangs or says nothing.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

tree=$scratch/tree
mkdir -p "$tree/tests" "$tree/b/tests"
cp tests/run.sh "$tree/tests/"

# test_program NAME: a test program of that name from the script on stdin, with the source that the runner looks for.
test_program() {
    { echo "#!$(command -v bash)"; cat; } >"$tree/b/tests/$1"
    chmod +x "$tree/b/tests/$1"
    touch "$tree/tests/$1.c"
}
# sum EXPECTED: runs the runner on what there is, expects this last line.
sum() {
    local got status=0
    got=$(cd "$tree" && BUILD=b JOBS=2 LIMIT=1 bash tests/run.sh 2>"$scratch/stderr") || status=$?
    if [ "$(tail -n 1 <<<"$got")" = "$1" ]; then pass; else fail "expected '$1', got: $got"; fi
    case $1 in *', 0 failed') expected=0 ;; *) expected=1 ;; esac
    if [ "$status" -eq "$expected" ]; then pass; else fail "exit status $status for '$1'"; fi
    said=$got
}
says() {
    if grep -q -- "$1" <<<"$said"; then pass; else fail "does not say '$1': $said"; fi
}

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

finish
