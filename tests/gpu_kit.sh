#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gpu_kit.sh DIR (make gpu-kit): fills DIR with a part of the build folder that runs on a bare machine with a GPU:
#
#     bin/ experiments/   programs, stripped
#     lib/                the objects for the device, and the shared libraries that the programs need
#     loader/             the C library and its loader, for a machine whose own is older
#     tests/              the scripts
#
# No make, compiler, package or network is needed there: bash DIR/tests/gpu_first.sh DIR OUT.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
kit=${1:?usage: gpu_kit.sh DIR}
limit=60 # MB

rm -rf "$kit"
mkdir -p "$kit"/{bin,experiments,lib,loader,tests}
printf '*\n' >"$kit/.gitignore"
shopt -s nullglob # experiments/ is empty without nvcc
copy() { [ ! -e "$BUILD/$1" ] || { cp -L "$BUILD/$1" "$kit/$1" && strip --strip-unneeded "$kit/$1"; }; }
for file in bin/steep experiments/gpu_ceilings lib/steep_cuda.so lib/steep_twin.so; do copy $file; done
ldd "$kit"/bin/* "$kit"/experiments/* "$kit"/lib/*.so | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\/.*ld-linux/ { print $1 }' | sort -u |
    while read -r library; do
        case ${library##*/} in
        ld-linux* | libc.so* | libm.so* | libpthread.so* | libdl.so* | librt.so*) cp -L "$library" "$kit/loader/" ;;
        *) cp -L "$library" "$kit/lib/" ;;
        esac
    done
cp tests/{gpu_first,gpu,bench_gpu,script}.sh "$kit/tests/"
git describe --always --dirty >"$kit/version" 2>/dev/null || echo "no git" >"$kit/version"
[ -e "$kit/lib/steep_cuda.so" ] || echo "gpu-kit: no nvcc was found: the kit has the host build alone (TWIN=1)" >&2
# Sanitizers and coverage make the kit larger.
if grep -qE 'sanitize|coverage' "$BUILD/flags"; then limit=200; fi
size=$(du -sk --apparent-size "$kit" | cut -f1)
echo "$kit: $((size / 1000)) MB, of $limit at most"
[ "$size" -le $((limit * 1000)) ] || { echo "gpu-kit: $kit is larger than $limit MB" >&2; exit 1; }
