#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_public.sh: the public interface. The one header compiles alone, as C and as C++; the shared library exports the names
# of tests/exported.txt, which are those that the header declares. The list is there to be seen in a diff: whoever changes
# the interface changes it with
#     bash tests/check_public.sh --write
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

header=$BUILD/include/steep.h
library=$BUILD/lib/libsteep.so
exported() { nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort; }
if [ "${1:-}" = --write ]; then
    exported >tests/exported.txt
    exit
fi

# --- the header ---

printf '#include <steep.h>\n#include <steep.h>\nint main(void) { return 0; }\n' >"$scratch/alone.c"
cp "$scratch/alone.c" "$scratch/alone.cc"
# alone COMPILER STANDARD FILE
alone() {
    command -v "$1" >/dev/null || { echo "$1 is missing: nothing was checked"; return 0; }
    "$1" "-std=$2" -Wall -Wextra -pedantic -Werror -I"$BUILD/include" -fsyntax-only "$3"
}
for compiler in "$CC" gcc clang; do
    for standard in c11 c17; do check "the header alone: $compiler, $standard" alone "$compiler" "$standard" "$scratch/alone.c"; done
done
for compiler in g++ clang++; do
    for standard in c++11 c++17 c++20; do
        check "the header alone: $compiler, $standard" alone "$compiler" "$standard" "$scratch/alone.cc"
    done
done
grep -n '#include "' "$header" | empty "the header includes others" "src/header.sh puts them in its place"
check "it is made from today's headers" diff <(bash src/header.sh) "$header"
sed 's|#include "base/inline.h"||' src/steep.h >"$scratch/steep.h"
mkdir -p "$scratch/src" && cp -r src/. "$scratch/src/" && cp "$scratch/steep.h" "$scratch/src/steep.h"
check "a header that steep.h does not name is refused" bash -c "! bash $scratch/src/header.sh >$scratch/none 2>$scratch/said &&
    grep -q 'base/inline.h, which src/steep.h does not name' $scratch/said"

# --- the names ---

check "libsteep.so exports the names of tests/exported.txt (if that is meant: bash tests/check_public.sh --write)" \
    diff tests/exported.txt <(exported)

# What a compiler says that the header declares: its functions, by -aux-info; its variables, by extern.
declared() {
    echo "#include <steep.h>" >"$scratch/names.c"
    gcc -std=c11 -I"$BUILD/include" -aux-info "$scratch/aux" -fsyntax-only "$scratch/names.c" || return 1
    sed -n 's|^/\* [^ ]*/steep\.h:[^ ]* \*/ extern .*[ *]\(steep_[a-z0-9_]*\) (.*|\1|p' "$scratch/aux"
    gcc -std=c11 -I"$BUILD/include" -E -P "$scratch/names.c" |
        grep '^extern [^(]*;$' | grep -oE 'steep_[a-z0-9_]+(\[\])?[,;]' | tr -d '[],;'
}
if command -v gcc >/dev/null; then
    declared | sort -u >"$scratch/declared"
    check "the header declares these names, and no others" diff tests/exported.txt "$scratch/declared"
fi

# A program can reach every one of them.
{
    printf '#include <steep.h>\nint main(void)\n{\n    int missing = 0;\n'
    sed 's/.*/    missing += (const void *)\&& == NULL;/' tests/exported.txt
    printf '    return missing;\n}\n'
} >"$scratch/all.c"
links() {
    local flags=()
    if grep -q sanitize "$BUILD/flags"; then flags+=("-fsanitize=address,undefined"); fi
    "$CC" -std=c11 -Wno-address "${flags[@]}" -I"$BUILD/include" "$scratch/all.c" -o "$scratch/all" "$library" \
        "-Wl,-rpath,$(cd "$BUILD/lib" && pwd)" && "$scratch/all"
}
check "a program can use every name" links

# Of the static library a program sees more names; all have the one prefix.
nm --defined-only -g "$BUILD/lib/libsteep.a" | awk 'NF == 3 && $3 !~ /^steep_/ && $3 !~ /^__(odr_asan|asan|gcov|llvm)/ { print $3 }' |
    empty "names in libsteep.a" "begin every name that is not static with steep_"

finish
