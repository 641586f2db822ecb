#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_guides.sh: the diffs of the guides docs/howto/adding-*.md apply to a copy of the sources, and the guides name
# only files that are there. With GUIDES=build (make check-guides, a minute) the copy is built with all diffs, and the
# tests of the additions run.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

mapfile -t guides < <(grep -l '^<!-- diff -->$' docs/howto/adding-*.md)
copy=$scratch/copy
mkdir -p "$copy"
cp -r Makefile README.md src tests experiments plots docs .ci "$copy"
diff_of() { sed -n '/^<!-- diff -->$/,/^<!-- end -->$/p' "$1" | sed '/^<!--/d; /^```/d'; }

check "the guides have diffs" test "${#guides[@]}" -ge 4
for guide in "${guides[@]}"; do
    diff_of "$guide" >"$scratch/diff"
    check "the diff of $guide applies to the sources" patch -p1 -d "$copy" --forward --fuzz=0 -i "$scratch/diff"
done

# Files that guides name are in the sources or made by a diff.
for guide in docs/howto/adding-*.md; do
    grep -ohE '`(src|tests|experiments|plots|docs|model|numerics|formula|fit|base)/[a-z_./-]+\.(c|h|cu|sh|gp|md)`' "$guide" | tr -d '`' |
        while read -r path; do
            [ -e "$copy/$path" ] || [ -e "$copy/src/$path" ] || echo "$guide: $path is not there"
        done
done | empty "files that guides name" "say where they are now"

# The fields of a row stand in the table of adding-an-architecture.md.
sed -n '/^typedef struct steep_architecture {/,/^} steep_architecture;/p' src/steep/network.h | sed 's|/\*.*||; s| *$||' | grep -v '^ *\*\|^ *\* ' |
    sed -n 's/^    [a-z_ ]*[ *(]\([a-z_, *]*\)\()(.*\|;\| *=.*\)$/\1/p' | tr -d ' *' | tr ',' '\n' | grep . | sort -u >"$scratch/fields"
check "the fields of a row are found" test "$(wc -l <"$scratch/fields")" -ge 15
while read -r field; do
    grep -qE "\`$field\`|\`${field%%_*}_\.\.\.\`" docs/howto/adding-an-architecture.md || echo "$field"
done <"$scratch/fields" | empty "docs/howto/adding-an-architecture.md" "say what these fields are for"

# A guide that adds a row to a list touches two files: the list and one more.
for guide in docs/howto/adding-an-activation.md docs/howto/adding-an-architecture.md docs/howto/adding-a-solver.md; do
    check "$guide touches two files" test "$(diff_of "$guide" | grep -c '^diff ')" -eq 2
done

if [ "${GUIDES:-}" = build ]; then
    there() { make --no-print-directory -s -C "$copy" BUILD=build -j"$(getconf _NPROCESSORS_ONLN)" "$@"; }
    tests=(activation unit written architecture target fit cost)
    check "the sources with all of them build" there lib cli build/experiments/points "${tests[@]/#/build/tests/test_}"
    for test in "${tests[@]}"; do check "test_$test" "$copy/build/tests/test_$test"; done
    check "the experiment runs" bash -c "cd '$copy' && build/experiments/points --quick --out points && [ -s points/points.svg ]"
    check "steep knows the new names" bash -c "cd '$copy' && build/bin/steep fit --arch mlp:squareplus --width 4 --target gramacy_lee --solver steepest --samples 100 &&
        build/bin/steep fit --unit 'squareplus(z1)*z2' --width 2 --target cos4 --solver lm --samples 100 && build/bin/steep fit --arch hill --width 4 --target cos4 --solver lm --samples 100"
    check "a smooth activation has its bound" bash -c "cd '$copy' && build/bin/steep separate --witness la_type1 --class squareplus --width 1 --restarts 2 \
        --no-figure --out bound --format csv | grep -q ',euclidean,1,0.5,'"
fi

finish
