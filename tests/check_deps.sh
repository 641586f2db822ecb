#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_deps.sh: .ci/deps.sh on machines that are played by stand-ins for dpkg-query, apt-get, id and sudo.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

bin=$scratch/bin
mkdir "$bin"
for tool in bash sed tr grep tail mktemp rm cat env; do ln -s "$(command -v $tool)" "$bin/$tool"; done

# stand_in NAME: makes the command NAME from the script on stdin.
stand_in() {
    { echo "#!$(command -v bash)"; cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}
# dpkg-query says that a package is installed when it is listed in $scratch/installed; "all" stands for every one.
stand_in dpkg-query <<<"grep -qxE \"all|\${!#}\" $scratch/installed && echo installed amd64"
stand_in dpkg <<<"echo amd64"
stand_in id <<<"cat $scratch/uid"
stand_in sudo <<<"echo sudo >>$scratch/calls; exec \"\$@\""

# ends STATUS WHAT WORDS...: runs .ci/deps.sh WORDS, which must end with STATUS.
ends() {
    local wanted=$1 what=$2
    shift 2
    PATH=$bin bash .ci/deps.sh "$@" >"$scratch/said" 2>&1
    expect $? "$wanted" "$what"
}
calls() { cat "$scratch/calls" 2>/dev/null; }
expect() { check "$3: got '$1', expected '$2'" test "$1" = "$2"; }
said() { check "does not say '$1' but: $(cat "$scratch/said")" grep -q -- "$1" "$scratch/said"; }

# Nothing is missing: neither apt-get nor sudo is called.
stand_in apt-get <<<"echo apt-get \"\$@\" >>$scratch/calls"
echo all >"$scratch/installed"
echo 1000 >"$scratch/uid"
ends 0 "nothing missing" build lint coverage
expect "$(calls)" "" "nothing missing, but something was called"

# One package is missing, as root: deps.sh installs it alone, without sudo, and says its purpose.
stand_in apt-get <<<"echo apt-get \"\$@\" >>$scratch/calls; case \"\$*\" in *install*) echo check >>$scratch/installed;; esac"
for p in build-essential pkg-config libgsl-dev liblapacke-dev libopenblas-serial-dev libglpk-dev libjansson-dev libflint-dev libflint-arb-dev gnuplot-nox; do echo $p; done >"$scratch/installed"
echo 0 >"$scratch/uid"
ends 0 "one missing, as root" build
said "unit-test framework"
expect "$(calls | grep -c 'install -y --no-install-recommends check$')" 1 "apt-get install check"
expect "$(calls | grep -c sudo)" 0 "sudo although root"

# A report names what is missing and installs nothing.
sed -i '/^check$/d' "$scratch/installed"
rm -f "$scratch/calls"
ends 1 "report" --report build
said "missing: check$"
expect "$(calls)" "" "a report called something"

# The same, not as root: deps.sh calls sudo.
echo 1000 >"$scratch/uid"
ends 0 "one missing, by sudo" build
expect "$(calls | grep -c sudo)" 2 "sudo"

# Without a network deps.sh fails and says what to do by hand.
sed -i '/^check$/d' "$scratch/installed"
stand_in apt-get <<<"echo 'Temporary failure resolving' >&2; exit 100"
ends 1 "apt-get fails" build
said "apt-get install check"
said "Temporary failure resolving"

# If apt-get succeeds but installs nothing, deps.sh fails.
stand_in apt-get <<<":"
ends 1 "apt-get does nothing" build
said "still not installed"

# deps.sh fails with neither root nor sudo, without apt-get, and without Debian.
rm "$bin/sudo"
ends 1 "no sudo" build
said "there is no sudo"
rm "$bin/apt-get"
ends 1 "no apt-get" build
rm "$bin/dpkg-query"
ends 1 "no Debian" build
said "libopenblas-serial-dev"
ends 2 "unknown group" nonsense

finish
