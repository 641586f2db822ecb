#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# doctor.sh: what a build finds on this machine; then what the built program says of itself ("steep doctor").
set -u
BUILD=${BUILD:-build}
CC=${CC:-gcc}

row() { printf '%-12s%s\n' "$1" "$2"; }
first() { "$@" 2>/dev/null | head -n 1; }

row system "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release 2>/dev/null), $(uname -srm)"
row cores "$(getconf _NPROCESSORS_ONLN)"
row compiler "$(first "$CC" --version || true)"
for name in gsl lapacke openblas jansson check; do
    row "$name" "$(pkg-config --modversion "$name" 2>/dev/null || echo "not found by pkg-config")"
done
row gnuplot "$(first gnuplot --version || true)"
row nvcc "$([ -n "${NVCC:-}" ] && "$NVCC" --version | sed -n 's/^Cuda compilation tools, //p' || echo "none")"
row gpu "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || echo "none")"
row packages "$(bash "$(dirname "$0")/deps.sh" --report build lint coverage 2>&1 | sed 's/^deps: //' | tail -n 1)"
if [ -x "$BUILD/bin/steep" ]; then
    echo
    "$BUILD/bin/steep" doctor
else
    row steep "not built yet: make"
fi
