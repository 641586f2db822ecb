#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tables.sh: the tables that the documents print, docs/tables/NAME.txt, made anew.
#
#   tables.sh write [NAME...]               all but activation_time, bench, cluster, nist and overhead, or these; leaves the runs in $RESULTS/NAME
#   tables.sh print NAME FOLDER [OPTION...] one, to standard output; the run goes into FOLDER. Options choose a part:
#                                           --only WORDS of an experiment, --target NAME of a sweep
#   tables.sh sweeps                        the names of the tables that are sweeps
#   tables.sh draw NAME FOLDER              one of these with its figure, in FOLDER
#
# A table is what a program prints: build/experiments/NAME, README's steep separate, or the sweep whose command stands in a document and ends with
# "--out results/NAME". Each is named by a line <!-- table: NAME --> of a document (docs/fill.sh). activation_time, bench, cluster and
# overhead hold times, which never come out the same, and nist needs NIST's files, in the folder NIST: they are made when they are named. dimensions has rows of
# data sets, in the folder DATA: it is made where that is given, or when it is named, then without these rows.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
RESULTS=${RESULTS:-results}

# Names of all tables, each once.
tables() {
    grep -ho '^<!-- table: [^ ]* -->' README.md docs/*.md docs/papers/*.md | sed 's/.*: //; s/ -->//' | sort -u
}

# The options of that sweep, as the document has them, quotes and all; nothing for an experiment.
sweep_options() {
    sed -n "s|^    build/bin/steep sweep \(.*\) --out results/$1\$|\1|p" README.md docs/*.md docs/papers/*.md | head -n 1
}

print_table() { # NAME FOLDER OPTION...
    local name=$1 folder=$2 options
    shift 2
    options=$(sweep_options "$name")
    if [ -n "$options" ]; then
        eval "\"\$BUILD/bin/steep\" sweep $options"' --quiet --no-figure --fresh --out "$folder" "$@"'
    elif [ "$name" = separate ]; then # but for its seconds
        options=$(sed -n 's|^    build/bin/steep separate \(.*\) --out results/separate$|\1|p' README.md)
        (
            set -o pipefail
            eval "\"\$BUILD/bin/steep\" separate $options"' --no-figure --fresh --quiet --out "$folder/separate" "$@"' |
                sed 's/ seconds  status/  status/; s/ *[0-9.]*  \([a-z_]*\)$/  \1/'
        )
    elif [ "$name" = cluster ]; then
        RESULTS=$(dirname "$folder") bash tests/bench_cluster.sh
    elif [ "$name" = nist ]; then
        "$BUILD/experiments/nist" --data "${NIST:?is the folder of the files of NIST: use NIST=DIR}" --out "$folder" "$@"
    else
        [ "$name" = dimensions ] && [ -n "${DATA:-}" ] && set -- --data "$DATA" "$@"
        "$BUILD/experiments/$name" --out "$folder" "$@"
    fi
}

# An experiment that fails leaves its table as it was.
write_table() {
    local file=docs/tables/$1.txt start
    start=$(date +%s)
    if print_table "$1" "$RESULTS/$1" >"$file.new"; then
        mv "$file.new" "$file"
        echo "tables: $file, $(($(date +%s) - start)) s"
    else
        rm -f "$file.new"
        echo "tables: $1 failed; $file is as it was" >&2
        return 1
    fi
}

case ${1:-} in
print) shift && print_table "$@" ;;
sweeps) for name in $(tables); do [ -z "$(sweep_options "$name")" ] || echo "$name"; done ;;
draw) eval "\"\$BUILD/bin/steep\" sweep $(sweep_options "$2")"' --quiet --fresh --out "$3"' ;;
write)
    shift
    left_out=dimensions
    [ -z "${DATA:-}" ] || left_out=none
    # shellcheck disable=SC2046  # names have no blanks
    [ $# -gt 0 ] || set -- $(tables | grep -vx -e activation_time -e bench -e cluster -e nist -e overhead -e "$left_out")
    status=0
    mkdir -p docs/tables
    for name in "$@"; do write_table "$name" || status=1; done
    exit $status
    ;;
*) echo "tables.sh: say write, print, sweeps or draw; the opening comment has the rest" >&2 && exit 2 ;;
esac
