# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# script.sh: code that the test scripts share. Source it first: it sets $BUILD, $steep and a scratch folder $scratch,
# which is removed at the end, and defines pass, fail and finish, which count.
set -u
shopt -s lastpipe # empty counts in this shell, at the end of a pipe too
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
BUILD=${BUILD:-build}
CC=${CC:-gcc}
# shellcheck disable=SC2034  # for the scripts that source this
steep=${1:-$BUILD/bin/steep}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

pass() { passed=$((passed + 1)); }

fail() {
    failed=$((failed + 1))
    printf 'failed: %s\n' "$*"
}

# check WHAT COMMAND...: passes when the command succeeds; otherwise shows the end of its output.
check() {
    local what=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then
        pass
    else
        fail "$what"
        tail -n 15 "$scratch/output" | sed 's/^/    /'
    fi
}

# same FOLDER OTHER: the rows of two sweeps are equal, but for the seconds (the checksum is of the rest).
bits() { cut -d, -f1-19,21- "$1/fits.csv"; }
same() { cmp <(bits "$1") <(bits "$2"); }

# empty WHAT ADVICE < findings: passes when there are none.
empty() {
    local findings
    findings=$(cat)
    if [ -z "$findings" ]; then
        pass
    else
        fail "$1: $2"
        printf '%s\n' "$findings" | head -n 20 | sed 's/^/    /'
    fi
}

# The commands that "PROGRAM --help" names.
commands_of() { "$1" --help | awk '/^Commands:/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on { print $1 }'; }

# has COMMAND: steep has the command; an annex that a build lacks takes its command with it.
has() { commands_of "$steep" | grep -qx "$1"; }

# Prints a python3 with numpy; nothing without one.
numpy_python() { for p in python3 /usr/bin/python3; do "$p" -c 'import numpy' 2>/dev/null && command -v "$p" && break; done; }

skip() {
    echo "skipped: $*"
    exit 77
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
