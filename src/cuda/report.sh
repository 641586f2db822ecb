#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# report.sh OBJECT.log ROOMS: what the compiler says of the object for GPUs, as tables. OBJECT.log is what ptxas printed, ROOMS
# a program that prints the shared memory of blocks (src/cuda/report.c). Needs no GPU.
set -u
export LC_ALL=C
log=$1
rooms=$2
demangle() { if command -v c++filt >/dev/null; then c++filt; else cat; fi; }

# A line each: architecture, entry or function, registers, stack, spill stores, spill loads, name.
facts() {
    awk '
        /Compiling entry function/ { split($0, q, "\047"); entry = q[2]; arch = q[4]; kernel[entry] = 1 }
        /Function properties for/ { name = $NF }
        /bytes stack frame/ { stack[arch, name] = $1 + 0; for (i = 1; i <= NF; i++) { if ($(i + 2) == "spill" && $(i + 3) ~ /^stores/) stores[arch, name] = $i; if ($(i + 2) == "spill" && $(i + 3) ~ /^loads/) loads[arch, name] = $i }; seen[arch, name] = 1 }
        /Used [0-9]+ registers/ { for (i = 1; i <= NF; i++) if ($i == "Used") registers[arch, entry] = $(i + 1) }
        END {
            for (k in seen) {
                split(k, part, SUBSEP)
                print part[1], (part[2] in kernel ? "kernel" : "function"), ((k in registers) ? registers[k] : "-"),
                      stack[k], stores[k], loads[k], part[2]
            }
        }' "$log" | sort -k1,1 -k2,2r -k5,5nr -k4,4nr
}

echo "kernels, by ptxas (bytes; stack: arrays of a thread, and what calls save)"
printf '%-7s %-9s %9s %8s %12s %12s  %s\n' arch what registers stack "spill stores" "spill loads" name
facts | awk '$2 == "kernel"' | while read -r arch what registers stack stores loads name; do
    printf '%-7s %-9s %9s %8s %12s %12s  %s\n' "$arch" "$what" "$registers" "$stack" "$stores" "$loads" \
        "$(echo "$name" | demangle)"
done
echo
echo "functions that spill (the kernels call them; the first ten of each architecture)"
facts | awk '$2 == "function" && $5 + $6 > 0 && n[$1]++ < 10' | while read -r arch what _ stack stores loads name; do
    printf '%-7s %-9s %9s %8s %12s %12s  %s\n' "$arch" "$what" - "$stack" "$stores" "$loads" \
        "$(echo "$name" | demangle | cut -c1-80)"
done
facts | awk '$2 == "function" { all[$1]++; if ($5 + $6 > 0) spill[$1]++ }
    END { for (a in all) printf "%s: %d functions, %d of them spill\n", a, all[a], spill[a] + 0 }' | sort
echo
registers=$(facts | awk '$2 == "kernel" && $1 == "sm_90" { print $3; exit }')
# shellcheck disable=SC2086  # a program with its first argument
$rooms "${registers:-255}"
