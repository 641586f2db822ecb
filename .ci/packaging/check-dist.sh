#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check-dist.sh: the source archive, made twice, is the same to the byte; unpacked in a folder where git finds nothing, it builds,
# and the program says its version and commit, and gives the numbers of this tree's program. Leaves nothing.
set -eu
export LC_ALL=C
BUILD=${BUILD:-build}
cd "$(dirname "$0")/../.."
built=$(mkdir -p "$BUILD" && cd "$BUILD" && pwd)
unset BUILD # the archive builds in a folder of its own
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
say() { echo "check-dist: $*"; }
wrong() { say "$*" >&2; exit 1; }

archive=$(bash .ci/packaging/dist.sh "$scratch/one")
second=$(umask 077 && TZ=Asia/Tokyo bash .ci/packaging/dist.sh "$scratch/two")
cmp "$archive" "$second" || wrong "two archives of the same sources differ"
name=$(basename "$archive" .tar.gz)
say "$name.tar.gz: $(stat -c %s "$archive") bytes, $(tar -tzf "$archive" | wc -l) entries, the same twice"

export GIT_CEILING_DIRECTORIES=$scratch GIT_DIR=$scratch/none # no git, wherever the scratch folder is
tar -C "$scratch" -xzf "$archive"
cd "$scratch/$name"
again=$(bash .ci/packaging/dist.sh "$scratch/three")
cmp "$archive" "$again" || wrong "the archive that the archive makes is another"
start=$(date +%s)
make -s -j"${JOBS:-1}" lib cli
said=$(build/bin/steep --version)
say "built in $(($(date +%s) - start)) s: $said"
read -r commit _ <.ci/commit
[ "$said" = "steep ${name#steep-} ($commit)" ] || wrong "expected steep ${name#steep-} ($commit)"
sweep=(sweep --arch "mlp,glu,gqu" --target cosine_well --widths 4:128:x2 --samples 1000 --jobs 1 --no-figure --quiet)
build/bin/steep "${sweep[@]}" --out here >here.txt
untimed() { cut -d, -f1-19,21- "$1/fits.csv"; }
[ ! -x "$built/bin/steep" ] || { "$built/bin/steep" "${sweep[@]}" --out there >there.txt; cmp <(untimed here) <(untimed there); }
tail -n 1 here.txt | grep -q '^(slope' || wrong "its sweep prints no table"
make -s install DESTDIR="$scratch/root" PREFIX=/usr
[ -n "$(find "$scratch/root" -name steep.1 -size +0)" ] || wrong "make install leaves no manual page"
say "done"
