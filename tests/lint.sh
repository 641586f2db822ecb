#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lint.sh: static analysis of the whole repository, JOBS files at a time; every tool runs even if one finds something.
# Exit status 1 if there is any finding. tests/lint.known lists findings that are judged false: file, check, reason.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"
JOBS=${JOBS:-2}
STD=${STD:--std=c11 -D_DEFAULT_SOURCE}
WARN=${WARN:--Wall -Wextra}
include="-Isrc -Iexperiments -Itests -D_GNU_SOURCE= -include tests/lint.h" # some files define it, behind what lint.h includes

missing=()
for tool in "$CC" clang-tidy cppcheck shellcheck clang-format; do command -v "$tool" >/dev/null || missing+=("$tool"); done
if [ ${#missing[@]} -gt 0 ]; then
    echo "lint: missing: ${missing[*]}: install them (make lint does so on Debian)" >&2
    exit 1
fi

# base/status.c is left out: it defines the functions that tests/lint.h models.
mapfile -t analysed < <(find src experiments proofs -name "*.c" ! -path src/base/status.c 2>/dev/null | sort)
if command -v mpicc.openmpi >/dev/null; then # what src/cluster/link.c includes
    include="$include $(mpicc.openmpi --showme:compile | tr ' ' '\n' | sed 's/^-I/-isystem /' | tr '\n' ' ')"
else
    mapfile -t analysed < <(printf '%s\n' "${analysed[@]}" | grep -v '^src/cluster/link')
fi
mapfile -t all < <(find src tests experiments proofs docs -name '*.[ch]' -o -name '*.cu' 2>/dev/null | sort)
mapfile -t scripts < <({ find tests docs plots proofs .ci -name '*.sh'; echo .ci/run; } | sort)
findings=0

# stage NAME: reads findings from stdin; prints the first 60 lines and the verdict.
stage() {
    cat >"$scratch/$1"
    if [ -s "$scratch/$1" ]; then
        findings=$((findings + 1))
        head -n 60 "$scratch/$1"
        echo "lint: $1: FINDINGS (above), $((SECONDS - since)) s"
    else
        echo "lint: $1: clean, $((SECONDS - since)) s"
    fi
    since=$SECONDS
}
since=$SECONDS

# Drops the findings that tests/lint.known lists, by file and check, on any line, and notes what they matched.
unknown() {
    awk -v here="$PWD/" -v met="$scratch/met" '
        FNR == NR { if ($0 !~ /^#/ && NF) known[$1 " " $2]; next }
        {
            sub(here, ""); file = $0; sub(/:.*/, "", file)
            check = $0; sub(/.*\[/, "", check); sub(/[],].*/, "", check)
            if ((file " " check) in known) { print file " " check >>met; next }
            print
        }' tests/lint.known -
}

# One output file a source, so that messages of parallel runs do not mix. A tool that fails without an error is a finding.
each() {
    printf '%s\n' "${analysed[@]}" | xargs -P "$JOBS" -I{} bash -c "f={}; o=$scratch/\$(echo \$f | tr / _).$1
        $2 || grep -q error: \$o || echo \"\$f: error: $1 failed without a message [status]\" >>\$o" 2>/dev/null
    cat "$scratch"/*."$1"
}

each tidy "clang-tidy --quiet \$f -- ${STD//-fvect-cost-model=dynamic/} $include >\$o 2>/dev/null" |
    grep -E 'error:|warning:' | sort -u | unknown | stage clang-tidy

each gcc "$CC $STD $WARN -O2 -fanalyzer -Wno-analyzer-too-complex -Wno-analyzer-use-of-uninitialized-value -Wundef $include -c \$f \
    -o $scratch/\$(echo \$f | tr / _).o 2>\$o" | grep -E 'error:|warning:' | sort -u | unknown | stage gcc-analyzer

cppcheck --quiet --std=c11 --language=c -j "$JOBS" --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches --suppress=unknownMacro --suppress=uninitvar --suppress=legacyUninitvar -Isrc -Iexperiments -Itests \
    --include=tests/lint.h src experiments --template='{file}:{line}: {message} [{id}]' \
    --template-location='' 2>&1 | grep -v '^$' | unknown | stage cppcheck

awk 'NR == FNR { met[$0]; next } !/^#/ && NF && !($1 " " $2 in met) { print $1 ": no " $2 " any more: leave it out of tests/lint.known" }' \
    "$scratch/met" tests/lint.known | stage known

shellcheck -x -P tests -S warning "${scripts[@]}" 2>&1 | stage shellcheck

# The format of generated files is not checked.
mapfile -t formatted < <(grep -L '^/\* Made from .* edit there' "${all[@]}")
clang-format --dry-run "${formatted[@]}" 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: .*clang-format-violations.*/\1/p' | sort | uniq -c |
    awk '{ print $2 ": " $1 " places are not as .clang-format has them: clang-format -i " $2 }' | stage clang-format

{
    grep -nE '[[:space:]]+$' "${all[@]}" "${scripts[@]}" | sed 's/$/ <- blank at the end of the line/'
    grep -nP '\t' "${all[@]}" | sed 's/$/ <- tab/'
} | stage layout

BUILD=$BUILD bash tests/check_house.sh | grep -vE ' passed, 0 failed$|: [0-9]+ lines, [0-9]+ at most$' | stage house

[ "$findings" -eq 0 ]
