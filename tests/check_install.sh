#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_install.sh: the commands of docs/howto/library.md, as written, install Steep, compile docs/example/wave.c
# against it and run it; "make uninstall" removes all of it.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

prefix=$scratch/home/steep
flags=()
if grep -q sanitize "$BUILD/flags"; then flags+=("-fsanitize=address,undefined"); fi
if grep -q coverage "$BUILD/flags"; then flags+=(--coverage); fi
install_in() { make --no-print-directory -s BUILD="$BUILD" "$@"; }

# A user types the recipe in a clone. Here make works in this clone; the other commands run in a folder like a clone,
# with another HOME. cc gets the flags of sanitizers and coverage.
recipe() { sed -n '/^<!-- recipe -->$/,/^<!-- end -->$/s/^    //p' docs/howto/library.md; }
type_recipe() {
    mkdir -p "$scratch/home" "$scratch/bin" "$scratch/shared"
    ln -sf "$PWD/docs" "$scratch/shared/docs"
    printf '#!/bin/sh\nexec %q -C %q -s BUILD=%q "$@"\n' "$(command -v make)" "$PWD" "$BUILD" >"$scratch/bin/make"
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$CC" "${flags[*]}" >"$scratch/bin/cc"
    chmod +x "$scratch/bin/make" "$scratch/bin/cc"
    (unset PKG_CONFIG_PATH LD_LIBRARY_PATH
    cd "$scratch/shared" && HOME="$scratch/home" PATH="$scratch/bin:$PATH" bash -e -c "$1" >said)
}
check "docs/howto/library.md has the recipe" test "$(recipe | wc -l)" -ge 3
check "its recipe, as typed: the example runs (shared)" type_recipe "$(recipe)"
check "make install with DESTDIR" install_in install PREFIX=/usr DESTDIR="$scratch/stage"
check "same files, staged or not" diff <(cd "$prefix" && find . -type f | sort) <(cd "$scratch/stage/usr" && find . -type f | sort)
check "the staged pkg-config file names the final prefix" grep -qx 'prefix=/usr' "$scratch/stage/usr/lib/pkgconfig/steep.pc"
check "the installed program runs" "$prefix/bin/steep" --help
check "a manual page per command" test -s "$prefix/share/man/man1/steep-sweep.1" -a -s "$prefix/share/man/man1/steep.1"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
check "pkg-config finds steep" pkg-config --exists --print-errors steep
pc() { pkg-config "$@" steep; }

# compile OUTPUT LIBRARY-FLAGS...
compile() {
    local output=$1
    shift
    # shellcheck disable=SC2046  # words of pkg-config are meant to split
    "$CC" -std=c11 -Wall -Wextra -Werror "${flags[@]}" $(pc --cflags) docs/example/wave.c -o "$output" "$@" -lm
}
# shellcheck disable=SC2046
check "the example compiles against the static library" compile "$scratch/wave-static" "$prefix/lib/libsteep.a" \
    $(pc --static --libs | sed 's/-lsteep//')
from_cxx() {
    command -v g++ >/dev/null || { echo "g++ is missing: nothing was checked"; return 0; }
    printf '#include <steep.h>\nint main() { return steep_fit_options_default().tolerance > 0 ? 0 : 1; }\n' >"$scratch/cxx.cc"
    # shellcheck disable=SC2046
    g++ -Wall -Wextra -Werror "${flags[@]}" $(pc --cflags) "$scratch/cxx.cc" -o "$scratch/cxx" $(pc --libs) && "$scratch/cxx"
}
check "a C++ program can use it" from_cxx
check "the example is linked with the installed library" \
    bash -c "ldd $scratch/shared/wave | grep -q '$prefix/lib/libsteep.so'"

run_in() { mkdir -p "$1" && (cd "$1" && "$2" >said); }
check "the example runs (static)" run_in "$scratch/static" "$scratch/wave-static"
check "it reports a slope of its own unit" grep -q '^ *wave' "$scratch/shared/said"
check "it writes one row per fit" test "$(grep -c '^wave,' "$scratch/shared/results/wave/fits.csv")" -eq 7
check "shared and static give the same numbers" same "$scratch"/{shared,static}/results/wave

# The installed Python module finds the installed library and program from its own place.
python=$(numpy_python)
module=$(find "$prefix" -name steep.py)
from_python() {
    (unset LD_LIBRARY_PATH STEEP_LIBRARY STEEP_PROGRAM
    cd "$scratch" && PYTHONPATH=$(dirname "$module") "$python" -c "
import steep
net, rows = steep.fit(target='runge3', arch='mlp', width=5), steep.sweep(target='runge3', arch='mlp', widths=[5, 9]).rows
assert steep._library._name.startswith('$prefix/lib/') and steep._program() == '$prefix/bin/steep'
assert net.rmse_train == rows['rmse_train'][0]")
}
if command -v python3 >/dev/null; then
    check "the Python module is installed" test -s "$module"
    if [ -z "$python" ] || [ "${#flags[@]}" -gt 0 ]; then
        echo "note: steep.py was not loaded: it needs numpy, and a library without sanitizers"
    else
        check "the Python module fits and sweeps" from_python
    fi
fi

# A unit over tiles, compiled with the installed header, gives the numbers of the unit point by point.
with_tile() {
    sed -e 's/\.unit = wave,/.tile = wave_tile,/' -e '/^static void wave_counts/i\
static void wave_tile(const steep_choice *choice, const steep_tile *t)\
{\
    for (size_t k = 0; k < t->count; k++) {\
        double u[2] = {t->in[0][k], t->in[1][k]}, slope[2], bend[3];\
        wave(choice, u, t->order, \&t->h[k], slope, bend);\
        for (int i = 0; t->order >= 1 \&\& i < 2; i++) t->g[i][k] = slope[i];\
        for (int i = 0; t->order >= 2 \&\& i < 3; i++) t->H[i][k] = bend[i];\
    }\
}\
' docs/example/wave.c >"$scratch/tile.c"
    grep -q 'tile = wave_tile' "$scratch/tile.c" || return 1
    # shellcheck disable=SC2046
    "$CC" -std=c11 -Wall -Wextra -Werror "${flags[@]}" $(pc --cflags) "$scratch/tile.c" -o "$scratch/tile" $(pc --libs) -lm &&
        run_in "$scratch/tiled" "$scratch/tile"
}
check "the example with a loop over tiles" with_tile
check "point by point and over tiles give the same numbers" same "$scratch"/{shared,tiled}/results/wave

check "make uninstall" install_in uninstall PREFIX="$prefix"
find "$prefix" -type f -o -type l | empty "left by make uninstall" "make it remove these too"

finish
