#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bare.sh KIT OUT: runs gpu_first.sh of a kit with the host build in a root folder that holds only the C library, bash,
# part of coreutils, awk, sed, grep, find and diff: no compiler, make, git, package manager or library of the project,
# and no network but a loopback that is down. Exit status: gpu_first.sh's; 77 if user namespaces are refused.
set -eu
kit=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
unshare -rmnpf true 2>/dev/null || { echo "skipped: user namespaces are refused"; exit 77; }
root=$(mktemp -d)
trap 'rmdir "$root"' EXIT

# shellcheck disable=SC2016  # expanded inside
unshare -rmnpf bash -eu -c '
    root=$1 kit=$2 out=$3
    mount -t tmpfs none "$root"
    mkdir -p "$root"/{bin,usr,proc,dev,tmp,kit,out}
    ln -s ../bin "$root/usr/bin"
    programs=(bash awk sed grep find diff cat chmod cp cut date dirname env head kill ln mkdir mktemp mv nproc paste pwd rm
        sleep sort tail tee test timeout touch tr uname uniq wc)
    for name in "${programs[@]}"; do
        file=$(type -P "$name") || continue
        cp -L "$file" "$root/bin/$name"
        { ldd "$file" 2>/dev/null || true; } | awk "{ for (i = 1; i <= NF; i++) if (\$i ~ /^\//) print \$i }" | while read -r library; do
            mkdir -p "$root${library%/*}"
            [ -e "$root$library" ] || cp -L "$library" "$root$library"
        done
    done
    ln -s bash "$root/bin/sh"
    for node in null zero urandom tty; do touch "$root/dev/$node"; mount --bind /dev/$node "$root/dev/$node"; done
    ln -s /proc/self/fd "$root/dev/fd"
    mount -t proc none "$root/proc"
    mount --bind "$kit" "$root/kit"
    mount --bind "$out" "$root/out"
    echo "programs: $(ls "$root/bin" | wc -l); libraries outside the kit: $(cd "$root" && find . -name "*.so*" -not -path "./kit/*" | sed "s/.*\///" | sort | paste -sd" ")"
    [ "$(grep -c : /proc/net/dev)" -eq 1 ] || { echo "bare.sh: there is a network" >&2; exit 1; }
    for name in gcc cc make git apt-get dpkg python3 perl curl; do
        [ ! -e "$root/bin/$name" ] || { echo "bare.sh: $name is there" >&2; exit 1; }
    done
    exec chroot "$root" /bin/env -i PATH=/bin HOME=/tmp TWIN=1 ${SECONDS_IN_ALL:+SECONDS_IN_ALL="$SECONDS_IN_ALL"} \
        /bin/bash /kit/tests/gpu_first.sh /kit /out
' bare "$root" "$kit" "$out"
