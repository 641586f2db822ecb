#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# deb.sh DIR: the Debian packages of these sources into DIR, by debhelper, from the source archive: steep, steep-mpi, libsteep0,
# libsteep-dev, python3-steep, and the source package. Version and changelog come from the sources; the same sources give the same bytes on the same Debian,
# in whichever folder. DEBFULLNAME, DEBEMAIL: who makes them, as Debian's own tools have it; without them the packages say that nobody
# can be written to, which they may not be uploaded with.
set -eu
export LC_ALL=C
umask 022
[ $# -eq 1 ] || { echo "deb: give the folder for the packages" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"

missing=
for tool in dpkg-buildpackage dh fakeroot; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
[ -z "$missing" ] || { echo "deb: not found:$missing: install dpkg-dev, debhelper and fakeroot" >&2; exit 1; }

archive=$(bash dist.sh "$out")
version=$(basename "$archive" .tar.gz)
version=${version#steep-}
rm -rf "${out:?}/steep-$version"
mv "$archive" "$out/steep_$version.orig.tar.gz"
tar -C "$out" -xzf "$out/steep_$version.orig.tar.gz"
cd "$out/steep-$version"
read -r commit time <.ci/commit
export SOURCE_DATE_EPOCH=$time
cp -r .ci/packaging/debian debian
# An address of one's own in place of none, and then lintian is not told to overlook it.
if [ -n "${DEBEMAIL:-}" ]; then
    maintainer="${DEBFULLNAME:-The Steep maintainers} <$DEBEMAIL>"
    sed -i "s|^Maintainer: .*|Maintainer: ${maintainer//[|\\&]/}|" debian/control
    sed -i '/bogus-mail-host/d' debian/*.lintian-overrides debian/source/lintian-overrides
fi
cat >debian/changelog <<CHANGES
steep ($version-1) unstable; urgency=medium

  * Version $version, commit $commit: see /usr/share/doc/steep/changelog.gz.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -u -R -d "@$time")
CHANGES
dpkg-buildpackage -us -uc "-j${JOBS:-$(getconf _NPROCESSORS_ONLN)}" >"$out/build.log" 2>&1 ||
    { tail -n 30 "$out/build.log" >&2; echo "deb: the build failed; all of it: $out/build.log" >&2; exit 1; }
cd "$out"
rm -rf "$out/steep-$version"
ls -- *.deb
