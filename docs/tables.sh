#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tables.sh: the tables that the documents quote, docs/tables/NAME.txt, made anew.
#
#   tables.sh write [NAME...]               all but activation_time, bench, chinchilla, cluster, nist and overhead, or these; the runs stay in $RESULTS/NAME
#   tables.sh print NAME FOLDER [OPTION...] one, to standard output; the run goes into FOLDER. Options choose a part:
#                                           --only WORDS of an experiment, --target NAME of a sweep
#   tables.sh sweeps                        the names of the tables that are sweeps
#   tables.sh draw NAME FOLDER              one of these with its figure, in FOLDER
#   tables.sh stale [NAME...]               the tables whose sources changed after they were made, and what changed where git knows it
#   tables.sh unrecorded                    the tables that docs/tables/provenance.csv does not know as they are
#   tables.sh record NAME...                notes the commit that last changed a table as the one that it was made from
#
# A table is what a program prints: build/experiments/NAME, or the command of steep that docs/tables/COMMANDS has under its name.
# activation_time, bench, cluster and overhead hold times, which never come out the same, and nist needs NIST's files, in the
# folder NIST, chinchilla public tables, in the folder LAWS: they are made when they are named. dimensions has rows of data sets, in the folder DATA: it is made where that is
# given, or when it is named, then without these rows.
#
# docs/tables/provenance.csv says what each table was made from. commit: that of the program that made it (origin made), or the last one that
# changed the table's file (origin history). sources: a digest of what can change its numbers, which are its experiment, or its command, and the
# rooms of src whose code it reaches, without what only draws, prints and reads commands, comments and blanks. contents: a digest of the table.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
RESULTS=${RESULTS:-results}

commands=$PWD/docs/tables/COMMANDS

# Names of all tables.
tables() { find docs/tables -name '*.txt' -printf '%f\n' | sed 's/\.txt$//' | sort; }

# The command of steep that prints it (sweep, contest, separate), and its options, quotes and all; nothing for an experiment.
command_of() { sed -n "s/^$1: \([a-z]*\) .*/\1/p" "$commands"; }
sweep_options() { sed -n "s/^$1: [a-z]* //p" "$commands"; }

# command_words TEXT OPTION VALUE...: these options, then the options of the text that are not among them, in the array words.
words=()
command_words() {
    local -A given=()
    local word text=$1
    shift
    for word in "$@"; do given[$word]=1; done
    words=("$@")
    eval "set -- $text"
    while [ $# -gt 0 ]; do
        if [ -n "${given[$1]:-}" ]; then
            shift
            while [ $# -gt 0 ] && [ "${1#--}" = "$1" ]; do shift; done
        else
            words+=("$1") && shift
        fi
    done
}

# What a sweep or a contest prints, but for its seconds, which never come out the same.
without_seconds() {
    awk '/^(architecture|unit) / { at = index($0, "   seconds") } /^$/ || /^\(/ { at = 0 }
        { print at ? substr($0, 1, at - 1) substr($0, at + 10) : $0 }'
}

print_table() ( # NAME FOLDER OPTION...
    set -o pipefail
    local name=$1 folder=$2 options
    shift 2
    options=$(sweep_options "$name")
    if [ -n "$options" ] && [ "$name" != separate ]; then
        command_words "$options" "$@"
        "$BUILD/bin/steep" "$(command_of "$name")" "${words[@]}" --quiet --no-figure --fresh --out "$folder" | without_seconds
    elif [ "$name" = separate ]; then # but for its seconds
        command_words "$options" "$@"
        "$BUILD/bin/steep" separate "${words[@]}" --no-figure --fresh --quiet --out "$folder/separate" |
            sed 's/ seconds  status/  status/; s/ *[0-9.]*  \([a-z_]*\)$/  \1/'
    elif [ "$name" = cluster ]; then
        RESULTS=$(dirname "$folder") bash tests/bench_cluster.sh
    elif [ "$name" = nist ]; then
        "$BUILD/experiments/nist" --data "${NIST:?is the folder of the files of NIST: use NIST=DIR}" --out "$folder" "$@"
    else
        [ "$name" = dimensions ] && [ -n "${DATA:-}" ] && set -- --data "$DATA" "$@"
        [ "$name" = chinchilla ] && set -- --data "${LAWS:?is the folder of the public tables of losses: use LAWS=DIR}" "$@"
        "$BUILD/experiments/$name" --out "$folder" "$@"
    fi
)

records=docs/tables/provenance.csv

# The rooms of src whose code can change the table's numbers: all that steep holds, or what an experiment reaches from the names in its source.
# What only draws, prints and reads commands is left out, and what is reached through it alone. A script that runs no steep reaches none.
rooms() {
    [ ! -f "experiments/sweeps/$1.py" ] || grep -q -e 's\.\(sweep\|steep\|printed\|tables\|slopes\|law\|fit\)(' -e '^from \(trained\|separated\) ' "experiments/sweeps/$1.py" || return 0
    local program=$BUILD/bin/steep source=$1
    if [ -z "$(sweep_options "$1")" ] && [ -f "experiments/$1.c" ]; then program=$BUILD/experiments/$1; else source=; fi
    {
        [ -z "$source" ] || cat "experiments/$source.c" experiments/*.h | grep -o '[a-zA-Z_0-9]*' | sed 's/^/word /'
        nm --defined-only "$program" | awk '{ print "held", $3 }'
        nm -A "$BUILD"/obj/src/*/*.o | sed 's/:/ /'
    } | awk -v source="$source" '
        $1 == "word" { asked[$2]; next }
        $1 == "held" { held[$2]; next }
        $1 ~ /\/(draw|page|cli|doctor)\/[^\/]*$/ { next }
        NF == 4 && $3 ~ /[TDRBVW]/ && $4 in held { home[$4] = $1 }
        NF == 3 { needs[$1] = needs[$1] " " $3 }
        function reach(name, object, list, count, i) {
            object = home[name]
            if (object == "" || object in reached) return
            reached[object]
            count = split(needs[object], list, " ")
            for (i = 1; i <= count; i++) if (list[i] in home) reach(list[i])
        }
        END {
            if (source == "") for (name in home) asked[name]
            for (name in asked) if (name in home) reach(name)
            for (object in reached) { sub(".*/src/", "", object); sub(".*/experiments/", "", object); sub("/.*", "", object); print object }
        }' | sort -u | xargs
}

# What can change a table's numbers, given its rooms: files, and beginnings of their names. Of base that is random numbers and kinds of numbers,
# of study what measures slopes.
inputs() {
    local room
    if [ -f "experiments/$1.c" ]; then
        echo "experiments/$1.c" experiments/experiment.h
        sed -n 's|^#include "\([a-z_0-9]*\.h\)"|experiments/\1|p' "experiments/$1.c"
    elif [ -f "experiments/sweeps/$1.py" ]; then
        echo "experiments/sweeps/$1.py" experiments/sweeps/study.py
        sed -n 's#^from \(activations\|targets_2d\|trained\|polyrelu\|philox\|separated\) import .*#experiments/sweeps/\1.py#p' "experiments/sweeps/$1.py"
    fi
    case $1 in
    bench) echo experiments/fitpack.py ;;
    cluster) echo tests/bench_cluster.sh ;;
    esac
    local words
    words=$(command_of "$1") && words+=$(sweep_options "$1")
    [ ! -f "experiments/sweeps/$1.py" ] || words+=$(cat "experiments/sweeps/$1.py" experiments/sweeps/study.py)
    local asks own
    own=$(cat "experiments/$1.c" "experiments/sweeps/$1.py" 2>/dev/null)
    asks=$words$own
    for room in $2; do
        case $room in
        certify) # of steep's, those whose command asks for it
            case $words in "" | *separate* | *certify*) echo src/certify/ ;; esac ;;
        bounds) # of those that read them
            case $asks in *'["lower"]'* | *'["upper"]'* | *'["gap"]'* | *bracket_equal* | *steep_bounds*) echo src/bounds/ ;; esac ;;
        law) # of those that ask for it
            case $asks in *'s.law('* | *steep_law*) echo src/law/ src/slope/mixture. ;; esac ;;
        slope) # of sweeps, and of those that ask for slopes
            case $(command_of "$1")$own in sweep* | *'.slopes'* | *steep_slope* | *'printed("slope'*) echo src/slope/ ;; esac ;;
        descent | exchange) # of those that name one of its solvers
            grep -qwF "$(sed -n 's/^STEEP_SOLVER([A-Z0-9_]*, [a-z0-9_]*, "\([a-z0-9-]*\)",$/\1/p' "src/$room/solvers.c")" <<<"$asks" &&
                echo "src/$room/" ;;
        fit)
            echo src/fit/
            case $asks in *flops* | *operations* | *compute*) echo costs ;; esac ;;
        base) echo src/base/{random,lanes,long,extended}. ;;
        record | execute | cluster | cuda) ;; # where a fit runs changes no bit of it on a processor
        study) echo src/study/{slopes,series,theory}. ;;
        *) echo "src/$room/" ;;
        esac
    done
}

digest() { sha256sum | cut -c 1-16; }

# Sums of all files that can be inputs of the tree that this shell stands in; of C without comments, blanks, lists of
# headers and what messages of errors say. Commands print and read commands wherever they stand. What a fit costs, the
# functions of that name, is a sum of its own: it changes no digit but of operations.
sums() {
    find src experiments tests ! -name 'command*.[ch]' ! -name annex.c '(' -name '*.[ch]' -o -name '*.py' -o -name '*.sh' ')' | sort | python3 -c '
import hashlib, re, sys
COST, costs = rb"^(?:static )?double (?:steep_cost_\w+|\w+_cost)\([^;{]*\)\n\{\n.*?^\}\n", []
for name in sys.stdin.read().split():
    text = open(name, "rb").read()
    if name.startswith(("src/fit/", "src/descent/", "src/exchange/")):
        costs += re.findall(COST, text, flags=re.S | re.M)
        text = re.sub(COST, b"", text, flags=re.S | re.M)
    if name[-2:] in (".c", ".h"):
        text = b"".join(re.sub(rb"/\*.*?\*/|\\\n|(?m:^#include[^\n]*)", b"", text, flags=re.S).split())
        text = re.sub(rb"(steep_fail\(\w+,\w+,)(\"([^\"\\]|\\.)*\")+", rb"\1", text)
    print(hashlib.sha256(text).hexdigest() + "  " + name)
print(hashlib.sha256(b"".join(costs)).hexdigest() + "  costs")'
}

# sources NAME ROOMS < sums: the digest of what the table is made from.
sources() {
    local input inputs=()
    for input in $(inputs "$1" "$2"); do inputs+=(-e "  $input"); done
    { sweep_options "$1"; grep -F "${inputs[@]}"; } | digest
}

# note NAME COMMIT DATE ORIGIN SOURCES ROOMS: its row.
note() {
    local contents
    contents=$(digest <"docs/tables/$1.txt")
    {
        echo table,commit,date,origin,sources,contents,rooms
        { tail -n +2 "$records" 2>/dev/null | grep -v "^$1,"; echo "$1,$2,$3,$4,$5,$contents,$6"; } | sort
    } >"$records.new" && mv "$records.new" "$records"
}

# What git knows of a table that was not made by this script: the last commit that changed it, and the sources of that.
record() {
    local commit tree rooms
    commit=$(git log -1 --format=%h -- "docs/tables/$1.txt")
    [ -n "$commit" ] || { echo "tables: no commit has $1: write it" >&2; return 1; }
    git diff --quiet HEAD -- "docs/tables/$1.txt" || { echo "tables: $1 is not as the last commit has it: commit it, or write it" >&2; return 1; }
    tree=$(mktemp -d)
    rooms=$(rooms "$1")
    git archive "$commit" README.md docs experiments src tests | tar -x -C "$tree"
    note "$1" "$commit" "$(git log -1 --format=%cs "$commit")" history "$(cd "$tree" && sums | sources "$1" "$rooms")" "$rooms"
    rm -rf "$tree"
}

stale() { # [NAME...]
    local name commit date made rooms inputs all changed
    all=$(sums)
    tail -n +2 "$records" | grep -E "^$([ $# -eq 0 ] || (IFS='|' && echo "($*),"))" | while IFS=, read -r name commit date _ made _ rooms; do
        [ "$(sources "$name" "$rooms" <<<"$all")" != "$made" ] || continue
        inputs=$(inputs "$name" "$rooms" | xargs | sed 's/ /|/g')
        changed=$(git diff --name-only "${commit%-dirty}" 2>/dev/null | grep -E "^($inputs)" | sed 's|^\(src/[^/]*\)/.*|\1|' | sort -u | xargs)
        echo "$name: of $date, commit $commit${changed:+; changed since then: $changed}"
    done
}

unrecorded() {
    local name
    for name in $(tables); do
        grep -q "^$name,.*,$(digest <"docs/tables/$name.txt")," "$records" || echo "$name"
    done
}

# An experiment that fails leaves its table as it was.
write_table() {
    local file=docs/tables/$1.txt start rooms
    start=$(date +%s)
    if print_table "$1" "$RESULTS/$1" >"$file.new"; then
        mv "$file.new" "$file"
        rooms=$(rooms "$1")
        note "$1" "$(cat "$BUILD/commit")" "$(date -u +%F)" made "$(sums | sources "$1" "$rooms")" "$rooms"
        echo "tables: $file, $(($(date +%s) - start)) s"
    else
        rm -f "$file.new"
        echo "tables: $1 failed; $file is as it was" >&2
        return 1
    fi
}

case ${1:-} in
print) shift && print_table "$@" ;;
sweeps) for name in $(tables); do [ "$(command_of "$name")" != sweep ] || echo "$name"; done ;;
stale | unrecorded) "$@" ;;
record)
    shift
    status=0
    for name in "$@"; do record "$name" || status=1; done
    exit $status
    ;;
draw) eval "\"\$BUILD/bin/steep\" sweep $(sweep_options "$2")"' --quiet --fresh --out "$3"' ;;
write)
    shift
    left_out=dimensions
    [ -z "${DATA:-}" ] || left_out=none
    # shellcheck disable=SC2046  # names have no blanks
    [ $# -gt 0 ] || set -- $(tables | grep -vx -e activation_time -e bench -e chinchilla -e cluster -e nist -e overhead -e "$left_out")
    status=0
    mkdir -p docs/tables
    for name in "$@"; do write_table "$name" || status=1; done
    exit $status
    ;;
*) echo "tables.sh: say write, print, sweeps, draw, stale, unrecorded or record; the opening comment has the rest" >&2 && exit 2 ;;
esac
