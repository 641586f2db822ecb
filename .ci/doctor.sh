#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# doctor.sh: what a build needs and finds on this machine; then what the built program says of itself ("steep doctor").
set -u
BUILD=${BUILD:-build}
CC=${CC:-gcc}

row() { printf '%-13s%s\n' "$1" "$2"; }
row system "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null), $(uname -srm)"
row compiler "$("$CC" --version 2>/dev/null | head -n 1)"
row packages "$(bash "$(dirname "$0")/deps.sh" --report build lint coverage 2>&1 | sed 's/^deps: //' | tail -n 1)"
row nvcc "$([ -n "${NVCC:-}" ] && echo "$NVCC" || echo "none: make check will not compile the units for the GPU")"
if [ -x "$BUILD/bin/steep" ]; then
    echo
    [ -d src/doctor ] || exit 0
    exec "$BUILD/bin/steep" doctor
fi
row steep "not built yet: run make"
