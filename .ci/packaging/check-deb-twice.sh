#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check-deb-twice.sh: the source archive and the Debian packages, built twice from the same sources, have the same bytes: in folders of
# other names and lengths, of files with other times and modes, in another time zone and language, by another number of jobs, one
# after the other. FAST=1: without optimisation (DEB_BUILD_OPTIONS=noopt), sooner. SCRATCH=DIR: where the folders are made (300 MB).
# Not compared: .buildinfo and .changes, which say when and where they were made.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/../.."
say() { echo "check-deb-twice: $*"; }
base=$(mktemp -d "${SCRATCH:-/var/tmp}/steep-twice.XXXXXX")
trap 'rm -rf "$base"' EXIT
start=$(date +%s)

archive=$(bash .ci/packaging/dist.sh "$base")
first=$base/one second="$base/another-folder-of-a-longer-name"
for tree in "$first" "$second"; do
    mkdir -p "$tree"
    tar -C "$tree" --strip-components=1 -xzf "$archive"
done
# What git would not keep, or another machine would have otherwise.
find "$second" -exec touch -h -d '2001-02-03 04:05:06' {} +
chmod -R g+w,o-rx "$second"

# build FOLDER JOBS NAME=VALUE...: its packages, into FOLDER/build/deb.
build() {
    local folder=$1 jobs=$2
    shift 2
    (cd "$folder" && env "$@" DEB_BUILD_OPTIONS="${FAST:+noopt}" JOBS="$jobs" bash .ci/packaging/deb.sh build/deb >"$base/log" 2>&1) ||
        { tail -n 30 "$base/log" >&2; say "the packages are not built in $folder" >&2; exit 1; }
    say "built by $jobs jobs in $(($(date +%s) - start)) s"
}
build "$first" 1 TZ=UTC HOME=/nonexistent USER=one
build "$second" 2 TZ=Pacific/Auckland LANG=tr_TR.UTF-8 HOME="$base" USER=another

compared=0 different=0
for file in "$first"/build/deb/*; do
    name=$(basename "$file")
    case $name in *.buildinfo | *.changes | build.log) continue ;; esac
    compared=$((compared + 1))
    cmp -s "$file" "$second/build/deb/$name" && continue
    different=$((different + 1))
    say "$name has other bytes the second time" >&2
    case $name in
    *.deb)
        for tree in "$first" "$second"; do
            rm -rf "$base/members" && mkdir "$base/members"
            dpkg-deb -R "$tree/build/deb/$name" "$base/members" && (cd "$base/members" && find . -type f -exec cksum {} + | sort -k 3) >"$base/$(basename "$tree").sums"
        done
        diff "$base/one.sums" "$base/$(basename "$second").sums" | head -n 20 >&2 || true
        ;;
    esac
done
[ "$compared" -ge 8 ] || { say "only $compared files were built" >&2; exit 1; }
[ "$different" -eq 0 ] || { say "$different of $compared files differ" >&2; exit 1; }
say "$compared files, the same bytes twice, in $(($(date +%s) - start)) s"
