#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh [--programs]: runs all tests of a finished build, JOBS at a time; adds up their counts. --programs: no scripts.
#
# A test is a program $BUILD/tests/test_* or, of an annex, $BUILD/tests/NAME/test_* (Check: "100%: Checks: 5, Failures:
# 0, Errors: 0"), or a script tests/e2e.sh, tests/check_*.sh, which gets $BUILD/bin/steep as its argument and ends with
# "N passed, N failed". A script that exits with 77 was skipped and says why. A test that crashes, hangs or prints no
# count has failed. $BUILD/check/NAME.log has its output; lines "note: ..." are shown. The last line is the sum.
set -u
export LC_ALL=C
BUILD=${BUILD:-build}
JOBS=${JOBS:-2}
LIMIT=${LIMIT:-900}
export BUILD

# count LOG NAME: prints the numbers of passed and failed checks in a log.
count() {
    local log=$1
    case $2 in
    test_*) sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$log" |
        awk '{ p += $1 - $2 - $3; f += $2 + $3; n++ } END { if (n) print p, f }' ;;
    *) sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1 ;;
    esac
}

run_one() {
    local test=$1 name log start end status passed failed seconds verdict=ok
    name=$(basename "$test" .sh)
    log=$BUILD/check/$name.log
    start=$(date +%s.%N)
    status=0
    case $test in
    *.sh) timeout -k 5 "$LIMIT" bash "$test" "$BUILD/bin/steep" >"$log" 2>&1 </dev/null || status=$? ;;
    *) timeout -k 5 "$LIMIT" "$test" >"$log" 2>&1 </dev/null || status=$? ;;
    esac
    end=$(date +%s.%N)
    seconds=$(awk "BEGIN { printf \"%.1f\", $end - $start }")
    if [ "$status" -eq 77 ]; then
        printf '%-8s%-24s%s\n' skipped "$name" "$(tail -n 1 "$log")"
        echo "0 0 1" >"$BUILD/check/$name.count"
        return
    fi
    read -r passed failed <<<"$(count "$log" "$name")"
    : "${passed:=0}" "${failed:=0}"
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
    if [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
    [ "$failed" -eq 0 ] || verdict=FAILED
    echo "$passed $failed 0" >"$BUILD/check/$name.count"
    printf '%-8s%-24s%4s passed %6s s\n' "$verdict" "$name" "$passed" "$seconds"
    sed -n 's/^note: /    /p' "$log"
    [ "$failed" -eq 0 ] && return
    case $status in
    124 | 137) echo "    still running after $LIMIT s, ended" ;;
    1[3-9][0-9]) echo "    ended by signal $((status - 128))" ;;
    *) echo "    exit status $status" ;;
    esac
    grep -v '^[0-9]*%: Checks\|:P:' "$log" | tail -n 20 | sed 's/^/    /'
    echo "    again, alone: $(case $test in *.sh) echo "BUILD=$BUILD bash $test $BUILD/bin/steep" ;; *) echo "$test" ;; esac)" \
        " (whole output: $log)"
}

if [ "${1:-}" = --one ]; then
    run_one "$2" >"$BUILD/check/$(basename "$2" .sh).line"
    cat "$BUILD/check/$(basename "$2" .sh).line"
    exit 0
fi

# The longest tests start first: by the last run's seconds or, in a fresh build folder, by a list of long tests.
declare -A took=()
for name in test_separate check_tables test_exchange e2e test_fit check_cuda test_twin; do took[$name]=40; done
while read -r name seconds; do took[$name]=$seconds; done < <(
    cat "$BUILD"/check/*.line 2>/dev/null | sed -n 's/^[a-zA-Z]* *\([a-z_0-9]*\) .* passed *\([0-9.]*\) s$/\1 \2/p')
rm -rf "$BUILD/check"
mkdir -p "$BUILD/check"
tests=()
for test in tests/e2e.sh tests/check_*.sh; do
    if [ -f "$test" ] && [ "${1:-}" != --programs ]; then tests+=("$test"); fi
done
# Programs whose source is gone may linger in the build folder: the sources decide.
for source in tests/test_*.c tests/*/test_*.c; do [ -f "$source" ] && tests+=("$BUILD/${source%.c}"); done

echo "check: ${#tests[@]} programs and scripts, $JOBS at a time"
start=$(date +%s)
for test in "${tests[@]}"; do
    name=$(basename "$test" .sh)
    echo "${took[$name]:-0} $test"
done | sort -s -k 1,1nr | cut -d ' ' -f 2 | xargs -P "$JOBS" -n 1 bash tests/run.sh --one
echo "check: $(($(date +%s) - start)) s$(
    cat "$BUILD"/check/*.count | awk '{ s += $3 } END { if (s) printf ", %d skipped (see above)", s }')"

# A runner that was itself killed leaves no count behind.
lost=$((${#tests[@]} - $(find "$BUILD/check" -name '*.count' | wc -l)))
cat "$BUILD"/check/*.count |
    awk -v lost="$lost" '{ p += $1; f += $2 } END { printf "%d passed, %d failed\n", p, f + lost }' >"$BUILD/check/summary"
cat "$BUILD/check/summary"
grep -q ', 0 failed$' "$BUILD/check/summary"
