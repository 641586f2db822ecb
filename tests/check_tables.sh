#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_tables.sh: the tables that documents quote (docs/tables) are what the programs print on this machine, digit by
# digit. Some cheap rows of each table can be made anew; every line then printed must be in the table. A run makes rows
# of some 8 s of processor time, first the rows made longest ago in this build folder ($BUILD/tables: when, and the
# seconds; a failed row is drawn again). Equally old rows come by chance, anew each day. SEED=N alone decides the order,
# ROWS=all makes all. "make tables" makes whole tables. Not compared here:
#   solvers      its seconds
#   protocol     newton and reduced-newton: a row needs 50 fits to 10,000 points, half a minute
#   full_training_2d   all of it: a row trains networks for minutes
#   random-starts      all of it: a row is a slope over 32 fits
#   exchange-small     all of it: a row is a slope over fits that search for half a minute
#   kernels      the solvers that train: a row needs 72 fits six times over, minutes
#   learning     all of it: a row averages hundreds of fits
#   joint_coverage   all of it: a row is hundreds of surfaces
#   teacher, layers  all of them: a row trains networks of two layers for a minute
#   dimensions   units that train for minutes; rows of data sets, whose files the project does not have
#   bench        times; that every architecture stands in it is held
#   chinchilla   a folder of public tables, which the project does not have
#   cluster, activation_time   times
#   overhead     its second part, times
#   nist         a folder of NIST's files, where none is given as NIST
#
# docs/tables/provenance.csv has a record of every table as it is. A note, no failure, names tables that are older than
# sources that can change their numbers; whether they would change is known only for the rows above.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

# held NAME: prints the part of a table's lines that is compared.
held() {
    case $1 in
    solvers) sed 's/ *[^ ]*$//' ;;
    *) cat ;;
    esac
}

# compare NAME ROW OPTION...: notes rows of a table, lines that begin with ROW; they are made and compared if drawn.
wanted=()
compare() {
    tables="${tables:-} $1"
    wanted+=("${*@Q}")
}

# Prints the rows in the order of this run: the seconds of each (5 if it was never timed) and its quoted words.
seed=${SEED:-$(date -u +%Y%m%d)}
made=$BUILD/tables
draw() {
    local row when spent
    local -A last=() cost=()
    if [ -z "${SEED:-}" ] && [ -f "$made" ]; then
        while read -r when spent row; do last[$row]=$when cost[$row]=$spent; done <"$made"
    fi
    for row in "${wanted[@]}"; do
        echo "${last[$row]:-0} $(cksum <<<"$seed $row" | cut -d ' ' -f 1) ${cost[$row]:-5} $row"
    done | sort -k 1,1n -k 2,2n | cut -d ' ' -f 3-
}

# make_row NAME ROW OPTION...
make_row() {
    local name=$1 row=$2 what quoted=${*@Q} before=$failed spent
    shift 2
    what="$name${*:+ $*}"
    if [ -f "experiments/sweeps/$name.py" ] && ! command -v python3 >/dev/null; then echo "note: $what: python3 is missing" && return; fi
    if grep -qs '^from trained ' "experiments/sweeps/$name.py" && grep -qE 'sanitize|coverage' "$BUILD/flags"; then
        echo "note: $what: a library with sanitizers cannot be loaded by python3" && return
    fi
    [ -s "docs/tables/$name.txt" ] || { fail "docs/tables/$name.txt is not there: make tables TABLES=$name makes it"; return; }
    TIMEFORMAT='%U %S'
    if ! { time bash docs/tables.sh print "$name" "$scratch/$name" "$@" >"$scratch/printed" 2>"$scratch/messages"; } 2>"$scratch/spent"; then
        fail "$what: does not run"
        tail -n 5 "$scratch/messages" | sed 's/^/    /'
        return
    fi
    held "$name" <"docs/tables/$name.txt" >"$scratch/whole"
    held "$name" <"$scratch/printed" | grep -vxF -f "$scratch/whole" |
        empty "$what" "docs/tables/$name.txt has no such lines; make tables, if they are right"
    check "$what: rows that begin with $row" grep -q "^ *$row " "$scratch/printed"
    spent=$(awk '{ print $1 + $2 }' "$scratch/spent")
    total=$((total + ${spent%.*}))
    touch "$made"
    {
        row=$quoted awk 'substr($0, index($0, "\x27")) != ENVIRON["row"]' "$made"
        [ "$failed" -gt "$before" ] || echo "$(date +%s) $spent $quoted"
    } >"$scratch/made"
    cp "$scratch/made" "$made"
}

# rows NAME WORDS...: notes the rows of an experiment's table that begin with the words.
rows() {
    local name=$1
    shift
    compare "$name" "$1" --only "$*"
}

compare readme mlp
compare separate 2 --width 1:2
compare singular-uniform mlp --target 'sqrt(x+1)'
compare singular-equidistributed mlp --target 'sqrt(x+1)'
rows constructions cos4
rows frozen cos4
rows protocol frozen
rows protocol construct
rows family cos4 gated3
rows gain runge3 mlp
rows full_training cosine_well 32
rows full_training runge3 2
rows constants cos4
rows multimodality runge3 mlp 8
rows few runge3 mlp
compare products gated3 --target 'tanh(12*x-3)'
rows solvers runge3 mlp 10
rows coverage power 2
rows kernels frozen
rows ridges formula mlp
rows radial mlp 16
rows poisson poisson sines 32
rows variance hermite 3
rows variance tropical 6
rows interpolation gelu hermite
rows interpolation x^2/2 tropical
rows interpolation silu tropical
rows boundaries moons hermite
rows learned_ablation hermite 2
rows learned_ablation fourier 1
rows learned_ablation tropical 1
rows learned_ablation hermite-clamp 3
rows compositions polyrelu 2
rows mixtures width mlp:gelu
rows overhead moa:sigmoid
rows blending cosine_well glu:gelu
rows separations la_type1 la
rows lambdas moa_type1 moa
rows jumps moa_type1 moa
compare mixed_derivative 'relu2\*id' --only 'relu2*id'
compare pairs 'id\*id' --only 'id*id'
rows boxes 1D la
rows surfaces surfaces mlp
rows dimensions friedman3 mlp
compare polycom relu --only operations
compare polycom 3 --only degrees
compare splines mlp
rows powers 31
rows sawtooth 4
rows local_taylor sin1
rows rank franke-like gelu
compare random-points mlp --target cos4
rows hoffmann mlp hoffmann
rows depth chirp
rows similarity relu
rows gap runge3 mlp lbfgs uniform
rows kan J0
rows orders sum 2
compare unpenalised glu --arch glu
compare contest bspline --arch bspline,chebyshev,glu
compare contest-2d kan --arch kan,rbf
compare tournament glu --arch glu --params 30
if [ -n "${NIST:-}" ]; then compare nist problem; else tables="$tables nist"; fi
draw >"$scratch/drawn"
drawn=0 total=0
while read -r cost row <&3; do
    if [ "${ROWS:-}" != all ] && [ $drawn -gt 0 ] && [ $((total + ${cost%.*})) -ge 8 ]; then break; fi
    drawn=$((drawn + 1))
    eval "make_row $row"
done 3<"$scratch/drawn"
check "rows are drawn" test $drawn -ge 1
echo "note: $drawn of ${#wanted[@]} rows of tables made anew; ROWS=all makes all of them"
tables="$tables full_training_2d random-starts exchange-small bench chinchilla joint_coverage learning teacher layers cluster activation_time"
"$steep" list architectures | awk '/^  [a-z]/ && $1 != "name" { print $1 }' |
    grep -vxF -f <(awk '$1 ~ /^[a-z]/ { print $1 }' docs/tables/bench.txt) |
    empty "bench" "docs/tables/bench.txt does not time these: make tables TABLES=bench"
check "bench: medians, dgemm's core, FITPACK measured beside" \
    awk '/medians/ { medians++ } / dgemm of OpenBLAS, core [A-Za-z]/ { core = 1 } $1 ~ /^(mlp|glu|gqu)$/ && NF == 8 && $5 > 0 && $6 > 0 { fitpack++ }
        END { exit !(medians >= 4 && core && fitpack == 3) }' docs/tables/bench.txt

find docs/tables -name '*.txt' -printf '%f\n' | sed 's/\.txt$//' | sort |
    grep -vxF -f <(tr ' ' '\n' <<<"${tables# }") | empty "tables" "no row of these is made anew here"

# Every block in docs/results is such a table. docs/tables/COMMANDS or a program of experiments/ makes each table.
awk '/^```/ && !inside && before !~ /^<!-- table: / { print FILENAME ":" FNR } /^```/ { inside = !inside } { before = $0 }' \
    docs/results/*.md | empty "blocks" "no command prints them: <!-- table: NAME -->, or leave them out"
find docs/tables -name '*.txt' -printf '%f\n' | sed 's/\.txt$//' | sort |
    grep -vxF -f <(sed -n 's/: .*//p' docs/tables/COMMANDS; ls experiments experiments/sweeps | sed -n 's/\.c$//p; s/\.py$//p') |
    empty "tables" "docs/tables/COMMANDS has no command for these, experiments/ no NAME.c, experiments/sweeps/ no NAME.py"

# A table changed by hand has no record. A record is stale if sources of its numbers changed, also without git.
bash docs/tables.sh unrecorded | empty "docs/tables/provenance.csv" \
    "has no record of these tables as they are: make tables TABLES=NAME writes table and record, bash docs/tables.sh record NAME the commit that changed it"
copy=$scratch/copy programs=$(realpath "$BUILD")
mkdir "$copy" && cp -r src experiments tests docs README.md "$copy"
in_copy() { BUILD=$programs GIT_DIR=/nonexistent bash "$copy/docs/tables.sh" "$@"; }
is_stale() { in_copy stale readme | grep -q '^readme: of '; }
not() { ! "$@"; }
RESULTS=$scratch/run check "readme: a table is written, with its record" in_copy write readme
check "readme: is not stale when it was just made" not is_stale
echo >>"$copy/src/page/page.h"
check "readme: is not stale when only pages changed" not is_stale
echo '/* a remark */' >>"$copy/src/model/network.h"
check "readme: is not stale when only a comment changed" not is_stale
echo 'extern int more;' >>"$copy/src/model/network.h"
check "readme: is stale when networks changed" is_stale
check "readme: has a record" not grep -qx readme <(in_copy unrecorded)
echo >>"$copy/docs/tables/readme.txt"
check "readme: has no record when its table was changed by hand" grep -qx readme <(in_copy unrecorded)

stale=$(bash docs/tables.sh stale)
[ -z "$stale" ] || echo "note: $(wc -l <<<"$stale") of $(wc -w <<<"$tables") tables are older than their sources (bash docs/tables.sh stale says since when);" \
    "make tables TABLES=\"$(cut -d : -f 1 <<<"$stale" | xargs)\" makes them anew"

finish
