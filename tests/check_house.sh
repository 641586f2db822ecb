#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_house.sh: the rules of docs/explanation/design.md that a program can check.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

rooms="base numerics formula data model spline measure slope fit plan record execute study draw cli"
mapfile -t sources < <(find src -name '*.[ch]' -o -name '*.cu' -o -name '*.cc' | sort)
mapfile -t library < <(find src -name '*.c' ! -path 'src/cli/*' ! -path 'src/*/command*' ! -path 'src/*/annex.c' ! -path src/cluster/link.c | sort)

# code FILE: prints a source without its comments.
# shellcheck disable=SC2086  # a compiler may be two words, "ccache gcc"
code() { $CC -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null; }

# A room includes only rooms before it in the list, by folder-qualified names, and no header of an annex. An annex
# (src/cli/annex.h) is a folder outside the list. It includes its own headers, the public ones, cli/cli.h, cli/annex.h,
# and the headers inside the core that its core*.h name: the list of its ties.
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

# The library never prints, exits or aborts. A worker of a sweep and the process that becomes gnuplot may call _exit.
# Only files with such a word, even in a comment, are searched without their comments.
grep -lE '(^|[^a-zA-Z0-9_])(f?printf|puts|putchar|perror|_?exit|abort|assert)([^a-zA-Z0-9_]|$)' "${library[@]}" | while read -r file; do
    code "$file" | grep -nE '(^|[^a-zA-Z0-9_])(printf|puts|putchar|perror|exit|_exit|abort|assert)[[:space:]]*\(|fprintf[[:space:]]*\((stderr|stdout)' |
        sed "s|^|$file: |" | grep -vE '^src/(execute/processes|draw/gnuplot)\.c: *[0-9]*: *_exit\('
done | empty "library prints or exits" "errors go up by return, text goes to a stream that the caller gives"

# No header includes GSL, GLPK, LAPACKE, BLAS, Jansson, FLINT, GMP or CUDA, but for src/cuda and two in certify.
find src -name '*.h' ! -path 'src/cuda/*' ! -path src/certify/ball.h ! -path src/certify/enclose_parts.h -exec grep -nHE '#[[:space:]]*include[[:space:]]*<(gsl/|glpk|lapacke|cblas|jansson|flint/|arb|fmpq|gmp|mpfr|cuda)' {} + |
    empty "foreign types in headers" "include these in .c files only"

# The licence line is the first, or the second behind "#!".
git ls-files 2>/dev/null | grep -E '\.([ch]|cu|cc|sh|gp|1|awk|js|css|py)$|(^|/)Makefile$|^\.ci/run$' >"$scratch/licensed"
xargs -a "$scratch/licensed" awk 'FNR == 1 { last = /^#!/ ? 2 : 1 } FNR <= last && /SPDX-License-Identifier: GPL-3.0-or-later/ { print FILENAME }' >"$scratch/have"
grep -vxF -f "$scratch/have" "$scratch/licensed" | empty "licence line" "begin the file with SPDX-License-Identifier: GPL-3.0-or-later"

# Lines have at most 120 characters, not bytes.
find src tests experiments proofs \( -name '*.[ch]' -o -name '*.cu' \) -exec env LC_ALL=C.UTF-8 grep -nHE '^.{121,}' {} + | cut -d : -f 1,2 |
    empty "line length" "120 columns, comments too: clang-format leaves these alone"

# No flag that breaks checks for NaN.
grep -nE '(-ffast-math|-Ofast)' Makefile "${sources[@]}" | empty "fast-math" "it turns NaN checks into lies"

# Each header compiles alone. A header without inline code that its .c file includes first is compiled there;
# check_public.sh has the public headers.
mkdir "$scratch/alone"
for file in $(find src -name '*.h' ! -path 'src/cuda/*' ! -path 'src/steep/*' | sort); do
    [ -f "${file%h}c" ] && ! grep -q inline "$file" && grep -m 1 '#include' "${file%h}c" | grep -qF "\"${file#src/}\"" && continue
    echo "#include \"$file\"" >"$scratch/alone/$(tr / . <<<"$file").c"
done
# shellcheck disable=SC2086  # as above
$CC -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wno-unused-function -Werror -Isrc -I. -fsyntax-only "$scratch"/alone/*.c 2>&1 |
    grep -E 'error|warning' | empty "headers stand alone" "include what the header uses"

# The shared objects for devices need no symbol of Steep or of its libraries, whose licences would then have to agree
# with CUDA's (docs/explanation/gpu.md).
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

# No call has two draws as arguments: compilers differ in the order of evaluation, and so in the numbers.
grep -nE '\(.*(steep_random_[a-z]+|below)\([^?:;=]*,[^?:;=]*(steep_random_[a-z]+|below)\(' "${library[@]}" |
    empty "two draws in one call" "draw one number after the other, into names"

# weigh WHAT MOST PATHS...: at most MOST lines in git. The core: rooms above and src/steep (law and bounds are annexes).
weigh() {
    local what=$1 most=$2 lines
    shift 2
    lines=$(git ls-files -z -- "$@" | xargs -0 cat | wc -l)
    echo "$what: $lines lines, $most at most"
    check "$what stays within its lines: say it by a simpler idea, or move the wall" test "$lines" -le "$most"
}
if git rev-parse >"$scratch/output" 2>&1; then
    # shellcheck disable=SC2046,SC2086  # a list
    weigh "the core" 43000 src/steep $(printf 'src/%s ' $rooms)
    weigh src 62000 src
    weigh tests 34000 tests
    weigh experiments 8000 experiments
    weigh "written documents" 5000 '*.md'
fi

finish
