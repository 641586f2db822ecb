#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_house.sh: the rules of docs/explanation/design.md that a program can check.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

rooms="base numerics formula data model spline measure slope fit plan record execute study draw cli"
mapfile -t sources < <(find src -name '*.[ch]' -o -name '*.cu' -o -name '*.cc' | sort)
mapfile -t library < <(find src -name '*.c' ! -path 'src/cli/*' ! -path 'src/*/command*' ! -path 'src/*/annex.c' ! -path src/cluster/link.c | sort)

# The source without its comments, one line per line.
# shellcheck disable=SC2086  # a compiler may be two words, "ccache gcc"
code() { $CC -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null; }

# A room includes only rooms that stand before it, by folder-qualified names. An annex (src/cli/annex.h), a folder that is no room
# of the core, includes its own headers, the public ones, cli/cli.h, and those of the core's inside that its headers core*.h name:
# the list of its ties. No room includes a header of an annex.
grep -rHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.c' --include='*.h' --include='*.cu' --include='*.cc' src |
    sed 's/^src.\([^:]*\):[^"]*"\([^"]*\)".*/\1 \2/' >"$scratch/includes"
check "src has includes" test "$(wc -l <"$scratch/includes")" -ge 1000
awk -v rooms="$rooms" '
    BEGIN { count = split(rooms, name, " "); for (i = 1; i <= count; i++) place[name[i]] = i }
    { room = $1; sub("/.*", "", room); of = $2; sub("/.*", "", of) }
    NR == FNR { if ($1 ~ /^[^\/]*\/core[^\/]*\.h$/) tie[room, $2]; next }
    room == $1 || room == "steep" || of == "steep" { next }
    $2 == "steep.h" { if (room != "cli") print $1 " includes steep.h"; next }
    of == $2 { print $1 " includes \"" $2 "\" without its folder"; next }
    room in place { if (!(of in place) || place[of] > place[room]) print $1 " (" room ") includes " $2; next }
    of != room && $2 !~ /^cli\/(annex|cli)\.h$/ && !(of in place && (room, $2) in tie) {
        print $1 " (annex " room ") includes " $2 ": name it in src/" room "/core.h" }' "$scratch/includes" "$scratch/includes" |
    empty "order of includes" "a room includes only rooms before it ($rooms), none an annex: move what is shared down a floor"

# The library never prints, exits or aborts; a worker of a sweep and the process that becomes gnuplot end themselves.
# Only files with such a word, be it in a comment, are looked at without their comments.
grep -lE '(^|[^a-zA-Z0-9_])(f?printf|puts|putchar|perror|_?exit|abort|assert)([^a-zA-Z0-9_]|$)' "${library[@]}" | while read -r file; do
    code "$file" | grep -nE '(^|[^a-zA-Z0-9_])(printf|puts|putchar|perror|exit|_exit|abort|assert)[[:space:]]*\(|fprintf[[:space:]]*\((stderr|stdout)' |
        sed "s|^|$file: |" | grep -vE '^src/(execute/processes|draw/gnuplot)\.c: *[0-9]*: *_exit\('
done | empty "library prints or exits" "errors go up by return, text goes to a stream that the caller gives"

# No GSL, LAPACKE, BLAS, Jansson, FLINT, GMP or CUDA type in a header, but for FLINT's inside certify.
find src -name '*.h' ! -path 'src/cuda/*' ! -path src/certify/ball.h ! -path src/certify/enclose_parts.h -exec grep -nHE '#[[:space:]]*include[[:space:]]*<(gsl/|glpk|lapacke|cblas|jansson|flint/|arb|fmpq|gmp|mpfr|cuda)' {} + |
    empty "foreign types in headers" "include these in .c files only"

# Licence line first (second after #!).
git ls-files 2>/dev/null | grep -E '\.([ch]|cu|cc|sh|gp|1|awk|js|css|py)$|(^|/)Makefile$|^\.ci/run$' >"$scratch/licensed"
xargs -a "$scratch/licensed" grep -nH -m 1 'SPDX-License-Identifier: GPL-3.0-or-later' 2>/dev/null | awk -F : '$2 <= 3 { print $1 }' >"$scratch/have"
grep -vxF -f "$scratch/have" "$scratch/licensed" | empty "licence line" "begin the file with SPDX-License-Identifier: GPL-3.0-or-later"

# Characters, not bytes.
find src tests experiments proofs \( -name '*.[ch]' -o -name '*.cu' \) -exec env LC_ALL=C.UTF-8 grep -nHE '^.{121,}' {} + | cut -d : -f 1,2 |
    empty "line length" "120 columns, comments too: clang-format leaves these alone"

# NaN checks must mean what they say.
grep -nE '(-ffast-math|-Ofast)' Makefile "${sources[@]}" | empty "fast-math" "it turns NaN checks into lies"

# Headers stand alone: each compiles as a file of its own. Those without code with which a .c begins do so by that;
# check_public.sh has the public ones.
mkdir "$scratch/alone"
for file in $(find src -name '*.h' ! -path 'src/cuda/*' ! -path 'src/steep/*' | sort); do
    [ -f "${file%h}c" ] && ! grep -q inline "$file" && grep -m 1 '#include' "${file%h}c" | grep -qF "\"${file#src/}\"" && continue
    echo "#include \"$file\"" >"$scratch/alone/$(tr / . <<<"$file").c"
done
# shellcheck disable=SC2086  # as above
$CC -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wno-unused-function -Werror -Isrc -I. -fsyntax-only "$scratch"/alone/*.c 2>&1 |
    grep -E 'error|warning' | empty "headers stand alone" "include what the header uses"

# The shared objects for devices stand on nothing of Steep and on none of its libraries: their licences would have to
# agree with CUDA's (docs/explanation/gpu.md).
for object in "$BUILD"/lib/steep_twin.so "$BUILD"/lib/steep_cuda.so; do
    [ -f "$object" ] || continue
    nm -D --undefined-only "$object" | grep -iE ' (steep_|gsl_|glp_|fmp|arb_|mpf|json_|cblas_|LAPACKE_)' | sed "s|^|$object needs |"
    nm -D --defined-only "$object" | grep -E ' [TDBR] ' | grep -vE ' (steep_cuda_entry|steep_twin_written|_init|_fini)$' | sed "s|^|$object exports |"
done | empty "objects for devices" "device code is given plain data; what it shares with the CPU is inline, in headers"

# No mutable globals (sanitizers and coverage add their own).
if [ -f "$BUILD/lib/libsteep.a" ] && ! grep -qE 'sanitize|coverage' "$BUILD/flags"; then
    objdump -t "$BUILD/lib/libsteep.a" 2>/dev/null |
        awk '/file format/ { f = $1 } / O \.(data|bss)[[:space:]]| O \*COM\*[[:space:]]/ { print f, $NF }' |
        empty "mutable globals" "make the data const, or part of a struct that the caller owns"
fi

# Two draws in one call: compilers differ in which argument they evaluate first, and so in the numbers.
grep -nE '\(.*(steep_random_[a-z]+|below)\([^?:;=]*,[^?:;=]*(steep_random_[a-z]+|below)\(' "${library[@]}" |
    empty "two draws in one call" "draw one number after the other, into names"

# What a reader has to hold: lines of the files in git. The core is the rooms above and the public headers, without annexes (law and bounds are annexes).
weigh() {
    local what=$1 most=$2 lines
    shift 2
    lines=$(git ls-files -z -- "$@" | xargs -0 cat | wc -l)
    echo "$what: $lines lines, $most at most"
    check "$what stays within its lines: say it by a simpler idea, or move the wall" test "$lines" -le "$most"
}
if git rev-parse >"$scratch/output" 2>&1; then
    # shellcheck disable=SC2086  # a list
    weigh "the core" 43000 src/steep $(printf 'src/%s ' $rooms)
    weigh src 62000 src
    weigh tests 34000 tests
    weigh experiments 8000 experiments
    weigh "written documents" 5000 '*.md'
fi

finish
