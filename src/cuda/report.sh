#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# report.sh OBJECT.log ROOMS HOT.log...: what the compiler says of the object for GPUs, as tables. OBJECT.log is what its
# linker printed, HOT.log what ptxas printed of src/cuda/hot.cu, ROOMS a program that prints the shared memory of blocks
# (src/cuda/report.c). Needs no GPU. Exit status 1 where a phase of these spills.
set -u
export LC_ALL=C
object=$1
rooms=$2
shift 2

# A line a kernel: architecture, registers, stack, spill stores, spill loads, name. What a kernel calls counts as its own.
facts() {
    awk '
        function flush() { if (name) print arch, registers, stack, stores, loads, name; name = "" }
        /Compiling entry function/ { flush(); split($0, q, "\047"); name = q[2]; arch = q[4]; stack = stores = loads = 0 }
        /bytes stack frame/ {
            sub(/^ */, ""); stack += $1
            for (i = 1; i < NF; i++) { if ($i == "spill" && $(i + 1) ~ /^stores/) stores += $(i - 2); if ($i == "spill" && $(i + 1) ~ /^loads/) loads += $(i - 2) }
        }
        /Used [0-9]+ registers/ { for (i = 1; i <= NF; i++) if ($i == "Used") registers = $(i + 1) }
        END { flush() }' "$@" | sort -k1,1 -k6,6
}

echo "the phases that take a solve's time, by ptxas (bytes a thread; stack: arrays)"
printf '%-7s %9s %7s %13s %12s  %s\n' arch registers stack "spill stores" "spill loads" phase
facts "$@" | awk '
    { printf "%-7s %9s %7s %13s %12s  %s\n", $1, $2, $3, $4, $5, $6; all++; spilled += $4 + $5 > 0; if ($2 > most) most = $2 }
    END { printf "%d phases, %d registers at most, %d of them spill\n", all, most, spilled + 0; exit spilled > 0 }'
status=${PIPESTATUS[1]}
echo
echo "the kernels (a block for a fit, all blocks for one) with all that they call, by the linker (a call saves its caller's registers on the stack too)"
awk '/Function properties for/ { name = /solve_wide/ ? "solve_wide" : /solve_all/ ? "solve_all" : "" }
/used [0-9]+ registers/ {
    arch = $0; if (!sub(/.*target: /, "", arch)) arch = ""; sub(/\).*/, "", arch)
    for (i = 1; i <= NF; i++) { if ($i == "used" && $(i + 2) ~ /^registers/) r = $(i + 1); if ($(i + 1) ~ /^stack/) s = $i; if ($(i + 1) == "bytes" && $(i + 2) ~ /^smem/) m = $i }
    printf "%-7s %-17s %9s registers %7s bytes of stack %6s bytes of static shared memory\n", arch, name, r, s, m }' "$object"
echo
registers=$(awk '/used [0-9]+ registers/ { for (i = 1; i <= NF; i++) if ($i == "used" && $(i + 2) ~ /^registers/) r = $(i + 1) } END { print r + 0 }' "$object")
# shellcheck disable=SC2086  # a program with its first argument
$rooms "${registers:-255}"
exit "$status"
