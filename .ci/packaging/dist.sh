#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# dist.sh DIR: the source archive, DIR/steep-VERSION.tar.gz: the files that git knows, as they stand in the working tree, or,
# where there is no git, all but what was built. .ci/commit in it says which commit it is, for steep --version and run.json.
# The same sources give the same bytes: names in order, no owner, and for all files one time, SOURCE_DATE_EPOCH, else the commit's.
set -eu
export LC_ALL=C TZ=UTC
umask 022
[ $# -eq 1 ] || { echo "dist: give the folder for the archive" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
version=$(sed -n 's/.*STEEP_VERSION "\(.*\)".*/\1/p' src/steep.h)
[ -n "$version" ] || { echo "dist: src/steep.h has no STEEP_VERSION" >&2; exit 1; }

# A clone, and not a folder somewhere in another one.
in_git() { [ ! -f .ci/commit ] && [ "$(git rev-parse --show-cdup 2>/dev/null || echo none)" = "" ]; }

if in_git; then
    git ls-files -z >"$out/.files"
    commit=$(git describe --always --dirty)
    time=$(git log -1 --format=%ct)
else
    find . -name 'build' -prune -o -name 'build-*' -prune -o -path ./results -prune -o -path ./.git -prune -o \
        -path ./debian -prune -o -path ./.pc -prune -o -type f ! -path ./.ci/commit -printf '%P\0' >"$out/.files"
    read -r commit time <.ci/commit 2>/dev/null || { commit=unknown; time=$(stat -c %Y src/steep.h); }
fi
time=${SOURCE_DATE_EPOCH:-$time}

name=steep-$version
stage=$(mktemp -d)
trap 'rm -rf "$stage" "$out/.files"' EXIT
mkdir "$stage/$name"
tar -cf - --null -T "$out/.files" | tar -xf - -C "$stage/$name"
echo "$commit $time" >"$stage/$name/.ci/commit"
chmod -R u=rwX,go=rX "$stage/$name"
tar -C "$stage" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$time" -cf - "$name" |
    gzip -9n >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
