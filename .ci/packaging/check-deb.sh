#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check-deb.sh: the packages of $BUILD/deb (made where they are missing: make deb) in a fresh Debian of this machine's release, made by
# debootstrap in a scratch folder: apt installs them with what they depend on; a user runs README's sweep, reads every manual
# page, completes a word, compiles the example, sweeps by three ranks over MPI; apt removes them, and nothing of them is left. Then the folder goes.
# Needs root (chroot) and Debian's archive; installs debootstrap on this machine if it is missing, and nothing else.
# SCRATCH=DIR: where the folder is made (700 MB). KEEP=1 leaves it.
set -eu
export LC_ALL=C
BUILD=${BUILD:-build}
cd "$(dirname "$0")/../.."
say() { echo "check-deb: $*"; }
wrong() { say "$*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || wrong "needs root, for chroot: use sudo make check-deb"
# shellcheck source=.ci/packaging/chroot.sh
. .ci/packaging/chroot.sh

ls "$BUILD"/deb/steep-mpi_*_amd64.deb >/dev/null 2>&1 || bash .ci/packaging/deb.sh "$BUILD/deb"
chroot_make fresh man-db
say "a bare $suite: $(du -sm "$root" | cut -f1) MB, $(in_root dpkg -l | grep -c '^ii') packages, $(seconds) s"

mkdir "$root/packages"
cp "$BUILD"/deb/steep_*_amd64.deb "$BUILD"/deb/steep-mpi_*_amd64.deb "$BUILD"/deb/libsteep0_*_amd64.deb "$BUILD"/deb/libsteep-dev_*_amd64.deb \
    "$BUILD"/deb/python3-steep_*_all.deb "$root/packages"
# shellcheck disable=SC2016  # for dpkg-query
installed() { in_root dpkg-query -W -f '${Package}\n' | sort; }
installed >"$scratch/before"
in_root sh -c 'apt-get install -y --no-install-recommends /packages/steep_*.deb /packages/libsteep0_*.deb' >"$scratch/log" 2>&1 ||
    { tail -n 20 "$scratch/log" >&2; wrong "apt cannot install them"; }
installed | comm -13 "$scratch/before" - >"$scratch/new"
say "apt installed $(wc -l <"$scratch/new") packages in $(seconds) s, $(du -sm "$root" | cut -f1) MB now: $(paste -sd' ' "$scratch/new")"

# A user without rights, an empty home.
in_root useradd -m tester
as_user() { in_root su - tester -c "$1"; }
# Its slopes and intervals: the seconds differ from run to run.
slopes() { grep -oE '^(mlp|glu|gqu) +[-0-9.]+ +\[[^]]*\]' "$1"; }
sweep="steep $(sed -n 's/^readme: //p' docs/tables/COMMANDS) --out results/readme"
as_user "$sweep" >"$scratch/table" 2>"$scratch/said" || { cat "$scratch/said" >&2; wrong "README's sweep fails"; }
diff <(slopes docs/tables/readme.txt) <(slopes "$scratch/table") || wrong "README's sweep prints another table"
for file in fits.csv slopes.csv series.csv run.json slopes.svg slopes.pdf slopes.png; do
    [ -s "$root/home/tester/results/readme/$file" ] || wrong "README's sweep leaves no $file"
done
# The same bits as this tree's program, though other flags made it.
if [ -x "$BUILD/bin/steep" ]; then
    sh -c "$BUILD/bin/${sweep/results\/readme/$scratch/here} --quiet --no-figure" >/dev/null
    untimed() { cut -d, -f1-19,21- "$1/fits.csv"; }
    diff <(untimed "$scratch/here") <(untimed "$root/home/tester/results/readme") >"$scratch/log" ||
        { head -n 5 "$scratch/log" >&2; wrong "fits.csv has other numbers than $BUILD/bin/steep gives"; }
fi
say "README's sweep: its table, its files and its figure, $(seconds) s"
as_user "steep doctor" >"$scratch/doctor" || wrong "steep doctor fails: $(cat "$scratch/doctor")"

pages=0
commands=$(as_user "steep --help" | awk '/^Commands:/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on { print "steep-" $1 }')
[ -n "$commands" ] || wrong "steep --help names no command"
for page in steep $commands; do
    as_user "man -P cat $page" >"$scratch/page" 2>&1 || wrong "man $page: $(cat "$scratch/page")"
    { grep -q "^NAME" "$scratch/page" && grep -q "$page" "$scratch/page"; } || wrong "man $page shows something else"
    pages=$((pages + 1))
done
say "manual pages read: $pages"
# shellcheck disable=SC2016
as_user 'bash --norc -c ". /usr/share/bash-completion/completions/steep; COMP_WORDS=(steep swe); COMP_CWORD=1; _steep steep; echo \${COMPREPLY[0]}"' |
    grep -qx sweep || wrong "bash does not complete steep swe"

in_root sh -c 'apt-get install -y --no-install-recommends /packages/libsteep-dev_*.deb gcc libc6-dev pkg-config' >"$scratch/log" 2>&1 ||
    { tail -n 20 "$scratch/log" >&2; wrong "apt cannot install libsteep-dev"; }
# shellcheck disable=SC2016
as_user 'cc /usr/share/doc/libsteep-dev/examples/wave.c -o wave $(pkg-config --cflags --libs steep) -lm && ./wave | grep -q "^wave"' ||
    wrong "the example does not compile against libsteep-dev, or does not run"
say "the example, against libsteep-dev: $(seconds) s"

in_root sh -c 'apt-get install -y --no-install-recommends /packages/steep-mpi_*.deb' >"$scratch/log" 2>&1 ||
    { tail -n 20 "$scratch/log" >&2; wrong "apt cannot install steep-mpi"; }
as_user "mpirun --oversubscribe -n 3 $sweep --quiet --no-figure --out ranks" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; wrong "three ranks fail"; }
[ "$(cut -d, -f1-19,21- "$root/home/tester/ranks/fits.csv" | cksum)" = "$(cut -d, -f1-19,21- "$root/home/tester/results/readme/fits.csv" | cksum)" ] ||
    wrong "three ranks give other rows than one process"
say "README's sweep by three ranks, the same rows: $(seconds) s"

in_root sh -c 'apt-get install -y --no-install-recommends /packages/python3-steep_*.deb' >"$scratch/log" 2>&1 ||
    { tail -n 20 "$scratch/log" >&2; wrong "apt cannot install python3-steep"; }
rows=$(as_user 'python3 -c "import steep; print(len(steep.sweep(target=\"runge3\", widths=[3, 5], arch=\"mlp\").rows[\"width\"]))"' 2>"$scratch/log") && [ "$rows" = 4 ] ||
    { cat "$scratch/log" >&2; wrong "python3-steep does not sweep: $rows rows"; }
say "a sweep from Python: $(seconds) s"

in_root apt-get purge -y steep steep-mpi libsteep0 libsteep-dev python3-steep >"$scratch/log" 2>&1 || wrong "apt cannot remove them"
left=$(find "$root/usr" "$root/etc" "$root/var/lib" -iname '*steep*' ! -path '*/apt/*' || true)
[ -z "$left" ] || wrong "left behind: $left"
say "removed, nothing is left; done in $(seconds) s"
