#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# core.sh: the core builds without any annex (src/cli/annex.h) and passes its tests. A copy of the tree in $BUILD/core
# begins with the objects of $BUILD, so that only what depends on an annex is built again.
#   each annex missing alone   program and libraries are built; a sweep of three fits has slopes
#   all annexes missing        the core's tests pass (tests/test_*.c)
# Experiments and proofs need annexes: they are no part of it. Ends with "N passed, N failed".
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"
JOBS=${JOBS:-2}
copy=$(realpath -m "$BUILD")/core

rm -rf "$copy"
mkdir -p "$copy/build"
git ls-files -z 2>/dev/null | xargs -0 cp -a --parents -t "$copy" || cp -a Makefile README.md src experiments tests .ci docs "$copy"
# shellcheck disable=SC2086  # a list
cp -a "$BUILD"/obj "$BUILD"/flags "$BUILD"/commit "$BUILD"/draw_texts.c "$BUILD"/page_texts.c "$copy/build/" 2>/dev/null
cd "$copy" || exit 1
# Folders of src that the Makefile calls annexes.
annexes=$(make -s print-annexes) || exit 1

build() { make -s -j"$JOBS" BUILD=build CC="$CC" "$@"; }

sweeps() { build/bin/steep sweep --arch mlp --target runge3 --widths 4,6,9 --samples 200 --quiet --no-figure --fresh --out run &&
    [ "$(wc -l <run/fits.csv)" -eq 4 ]; }

mkdir -p away/src away/tests
leave() { mv "src/$1" away/src/; [ ! -d "tests/$1" ] || mv "tests/$1" away/tests/; }
return_it() { mv "away/src/$1" src/; [ ! -d "away/tests/$1" ] || mv "away/tests/$1" tests/; }

for annex in $annexes; do
    leave "$annex"
    check "build without src/$annex" build cli lib
    check "a sweep without src/$annex" sweeps
    return_it "$annex"
done

for annex in $annexes; do leave "$annex"; done
check "build without annexes" build cli lib tests
check "a sweep without annexes" sweeps
check "the core's tests without annexes" env BUILD=build JOBS="$JOBS" bash tests/run.sh --programs
echo "core: without $(echo $annexes), each and all"
finish
