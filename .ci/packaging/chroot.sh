# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# chroot.sh: a fresh Debian of this machine's release in a scratch folder that goes at the end. Source it; it gives $scratch, $suite,
# chroot_make NAME [PACKAGE...], which sets $root, in_root COMMAND..., and seconds, since it was sourced.
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
if [ -z "$suite" ] || ! command -v apt-get >/dev/null; then
    echo "chroot: this is no Debian" >&2
    exit 1
fi
if ! command -v debootstrap >/dev/null; then
    echo "chroot: installing debootstrap"
    DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends debootstrap >/dev/null
fi
# Debian's archive, as apt here uses it.
# shellcheck disable=SC2016  # for apt-get
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | awk -v suite="$suite" '$2 == suite { print $1; exit }')
mirror=${mirror:-http://deb.debian.org/debian}
scratch=$(mktemp -d "${SCRATCH:-/var/tmp}/steep-chroot-XXXXXX")
[ "${KEEP:-0}" = 1 ] || trap 'rm -rf --one-file-system "$scratch"' EXIT
chroot_began=$(date +%s)
seconds() { echo $(($(date +%s) - chroot_began)); }

# In the chroot, with /proc, /dev and no names but its own; what is mounted goes with the process.
in_root() {
    # shellcheck disable=SC2016
    unshare --mount --uts --ipc --fork --pid sh -c 'root=$1; shift
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" 2>/dev/null
        exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "$@"' sh "$root" "$@"
}

chroot_make() {
    local name=$1
    shift
    root=$scratch/$name
    debootstrap --variant=minbase ${1:+--include="$(echo "$*" | tr ' ' ,)"} "$suite" "$root" "$mirror" >"$scratch/debootstrap.log" 2>&1 ||
        { tail -n 10 "$scratch/debootstrap.log" >&2; echo "chroot: debootstrap failed" >&2; exit 1; }
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no service is started
    chmod +x "$root/usr/sbin/policy-rc.d"
}
