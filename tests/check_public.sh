#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_public.sh: the public headers compile alone, as C and as C++. The shared library exports exactly the functions
# that they declare with STEEP_API, at most 80; a program can use each.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

include=$BUILD/include
library=$BUILD/lib/libsteep.so
annexes=$(cd src && ls ./*/public.h 2>/dev/null | sed 's|^\./\(.*\)/public.h|steep/\1.h|')

{
    printf '#include <steep.h>\n#include <steep.h>\n'
    for header in $annexes; do echo "#include <$header>"; done
    echo 'int main(void) { return 0; }'
} >"$scratch/alone.c"
cp "$scratch/alone.c" "$scratch/alone.cc"
# alone COMPILER STANDARD FILE
alone() {
    command -v "$1" >/dev/null || { echo "$1 is missing: nothing was checked"; return 0; }
    "$1" "-std=$2" -Wall -Wextra -pedantic -Werror -I"$include" -fsyntax-only "$3"
}
for compiler in "$CC" gcc clang; do
    for standard in c11 c17; do check "the headers alone: $compiler, $standard" alone "$compiler" "$standard" "$scratch/alone.c"; done
done
for compiler in g++ clang++; do
    for standard in c++11 c++17 c++20; do
        check "the headers alone: $compiler, $standard" alone "$compiler" "$standard" "$scratch/alone.cc"
    done
done
for header in steep.h $(cd "$include" && ls steep/*.h); do
    printf '#include <%s>\n' "$header" >"$scratch/one.c"
    check "$header alone" alone "$CC" c11 "$scratch/one.c"
done
grep -rhn '#include "' "$include" | grep -v '"steep/' | empty "an installed header includes one that is not installed" "move what it needs into src/steep"

nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$scratch/exported"
# gcc lists the functions that the headers declare (-aux-info, which clang does not have).
gcc -std=c11 -I"$include" -aux-info "$scratch/aux" -fsyntax-only "$scratch/alone.c"
grep -oE '\b(extern|STEEP_API) .*[ *]steep_[a-z0-9_]+ \(' "$scratch/aux" | sed 's/ ($//; s/.*[ *]//' | sort -u >"$scratch/declared"
check "libsteep.so exports what the headers declare, and nothing else" diff "$scratch/declared" "$scratch/exported"
count=$(wc -l <"$scratch/exported")
check "there are $count public functions, 80 at most" [ "$count" -le 80 ]
check "there are public functions" [ "$count" -gt 40 ]

# A program can use the address of every exported function.
{
    sed '$d' "$scratch/alone.c"
    printf 'int main(void)\n{\n    int missing = 0;\n'
    sed 's/.*/    missing += (const void *)\&& == NULL;/' "$scratch/exported"
    printf '    return missing;\n}\n'
} >"$scratch/all.c"
links() {
    local flags=()
    if grep -q sanitize "$BUILD/flags"; then flags+=("-fsanitize=address,undefined"); fi
    "$CC" -std=c11 -Wno-address "${flags[@]}" -I"$include" "$scratch/all.c" -o "$scratch/all" "$library" \
        "-Wl,-rpath,$(cd "$BUILD/lib" && pwd)" && "$scratch/all"
}
check "a program can use every name" links

# The static library shows more names; each begins with steep_.
nm --defined-only -g "$BUILD/lib/libsteep.a" | awk 'NF == 3 && $3 !~ /^steep_/ && $3 !~ /^__(odr_asan|asan|gcov|llvm)/ { print $3 }' |
    empty "names in libsteep.a" "begin every name that is not static with steep_"

finish
