#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gpu_first.sh KIT OUT: measures Steep on a GPU in nine minutes, on a machine that may have nothing but a driver: no
# make, compiler, package, git or network. KIT is the folder of "make gpu-kit"; logs and CSV go to OUT; the table is
# printed last. TWIN=1: the host build in place of the GPU, small, to try the script. Exit status 0: every step did what
# it should; 1: the table names the steps that did not; 2: bad use; 77: no GPU.
set -u -m
export LC_ALL=C
if [ $# -ne 2 ] || [ ! -x "$1/bin/steep" ]; then
    echo 'usage: gpu_first.sh KIT OUT, KIT from "make gpu-kit"' >&2
    exit 2
fi
mkdir -p "$2" || exit 2
kit=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
version=$(cat "$kit/version")
total=${SECONDS_IN_ALL:-530}
object=$kit/lib/steep_cuda.so
[ -z "${TWIN:-}" ] || { object=$kit/lib/steep_twin.so TWIN=1; }
export TWIN=${TWIN:-} STEEP_CUDA_OBJECT=$object
bad=0
SECONDS=0
: >"$out/table"

# The folder of the machine's cuBLAS and related libraries, wherever it is, goes into LD_LIBRARY_PATH.
found=$(timeout 15 find /usr /opt "${HOME:-/usr}/.local" -xdev -name 'libcublas.so.*' 2>/dev/null | head -n 1)
export LD_LIBRARY_PATH=$kit/lib${found:+:${found%/*}}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# If the machine's loader and C library are too old, wrappers start the programs with the kit's own.
if ! "$kit/bin/steep" --version >"$out/start.log" 2>&1; then
    loader=$(echo "$kit"/loader/ld-linux*)
    mkdir -p "$out/kit"/{bin,experiments}
    ln -sfn "$kit/lib" "$out/kit/lib"
    ln -sfn "$kit/tests" "$out/kit/tests"
    for program in "$kit"/bin/* "$kit"/experiments/*; do
        [ -x "$program" ] || continue
        wrapper=$out/kit/${program#"$kit"/}
        # shellcheck disable=SC2016  # the wrapper's own "$@"
        printf '#!/bin/sh\nexec "%s" --library-path "%s:$LD_LIBRARY_PATH" "%s" "$@"\n' "$loader" "$kit/loader" "$program" >"$wrapper"
        chmod +x "$wrapper"
    done
    kit=$out/kit
    "$kit/bin/steep" --version >>"$out/start.log" 2>&1 || { cat "$out/start.log" >&2; exit 1; }
fi

say() { printf '%-12s %s\n' "$1" "$2" >>"$out/table"; }

# step NAME LIMIT COMMAND...: runs it with output in OUT/NAME.log; kills it at its limit or when the total time is over.
# A process that a driver holds forever is left behind. A step that fails or is cut gets a line in the table.
step() {
    local name=$1 limit=$2 begin=$SECONDS status
    shift 2
    [ $((total - SECONDS)) -ge "$limit" ] || limit=$((total - SECONDS))
    if [ "$limit" -le 1 ]; then
        say "$name" "left out: no time was left"
        bad=$((bad + 1))
        return 1
    fi
    echo "$name: at most $limit s"
    (cd "$out" && exec "$@") >"$out/$name.log" 2>&1 &
    local job=$!
    while kill -0 $job 2>/dev/null && [ $((SECONDS - begin)) -lt "$limit" ]; do sleep 0.2; done
    if kill -0 $job 2>/dev/null; then
        kill -KILL -- -$job 2>/dev/null
        status="cut"
    else
        wait $job
        status=$?
    fi
    echo "$name,$status,$((SECONDS - begin))" >>"$out/steps.csv"
    [ "$status" = 0 ] && return 0
    [ "$status" = 77 ] && return 77
    bad=$((bad + 1))
    if [ "$status" = cut ]; then say "$name" "cut after $limit s"; else say "$name" "exit status $status: $(tail -n 1 "$out/$name.log")"; fi
    return 1
}

echo "step,status,seconds" >"$out/steps.csv"
finish() {
    echo
    echo "Steep $version, $(date -u +%Y-%m-%dT%H:%MZ), $SECONDS s, $bad steps failed or cut; logs: $out"
    head -n 58 "$out/table"
    [ "$bad" -eq 0 ]
    exit
}

machine() {
    if command -v nvidia-smi >/dev/null; then nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader; fi
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
    echo "$(nproc) cores, $(awk '/MemTotal/ { printf "%d GiB", $2 / 2^20 }' /proc/meminfo), Linux $(uname -r)"
}
machine >"$out/machine.log" 2>&1
while read -r line; do say machine "$line"; done <"$out/machine.log"
step doctor 30 "$kit/bin/steep" doctor
device=$(sed -n 's/^device cuda *//p' "$out/doctor.log")
say device "${device:-steep doctor says nothing of a device}"
case ${device:---device cpu} in
*"--device cp"*) echo "skipped: $device"; exit 77 ;;
esac

if [ -z "$TWIN" ]; then
    step ceilings 60 "$kit/experiments/gpu_ceilings"
    while read -r line; do say ceiling "$line"; done < <(grep -v '^#' "$out/ceilings.log")
fi
ceiling=$(awk '$1 == "dgemm" || $1 == "dmma" { print $2; exit }' "$out/ceilings.log" 2>/dev/null)

# beside NAME: a line for each fit of OUT/NAME-cpu and OUT/NAME-device: P, both errors, and how far apart they are.
beside() {
    awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { key = $at["width"] "," $at["seed"] }
        FNR == NR { cpu[key] = $at["rmse_train"]; took[key] = $at["seconds"]; floor[key] = $at["floor"]; next }
        { a = cpu[key]; b = $at["rmse_train"]; d = (b - a) / a; if (d < 0) d = -d
          both = a <= 2 * floor[key] && b <= 2 * floor[key]
          printf "P %d: cpu %s in %.3g s, %s %s in %.3g s, apart %.1e%s\n", $at["params"], a, took[key], $at["device"], b,
              $at["seconds"], d, d <= 1e-6 || both ? "" : " (more than 1e-6)" }' "$out/$1-cpu/fits.csv" "$out/$1-device/fits.csv"
}

# pair NAME LIMIT OPTIONS...: runs a sweep on the CPU and on the device; the table gets a line for each fit.
pair() {
    local name=$1 limit=$2
    shift 2
    rm -rf "$out/$name-cpu" "$out/$name-device"
    step "$name-cpu" "$limit" "$kit/bin/steep" sweep "$@" --no-figure --quiet --out "$out/$name-cpu" || return 1
    step "$name-device" "$limit" "$kit/bin/steep" sweep "$@" --no-figure --quiet --device cuda --out "$out/$name-device" || return 1
    while read -r line; do say "$name" "$line"; done < <(beside "$name")
}
widths=1,2,4,8,16,32,64,100 samples=2000 iterations=50
[ -z "$TWIN" ] || widths=1,2,4 samples=200 iterations=5
glu=(--arch glu --activation silu --solver lm --start random --samples "$samples" --max-iterations "$iterations")
pair one 30 "${glu[@]}" --widths 4
pair ladder 60 "${glu[@]}" --widths "$widths"

# The slow steps come last.
for letter in a b c d; do
    LIMIT=30 CEILING=$ceiling BUILD=. RESULTS=$out step "workload-$letter" 80 bash "$kit/tests/bench_gpu.sh" $letter
    [ $letter != a ] || say workload "$(grep '^workload' "$out/workload-a.log")"
    say workload "$(grep "^$letter  " "$out/workload-$letter.log")"
done

SANITIZE=no BUILD=. step correct 150 bash "$kit/tests/gpu.sh"
[ ! -e "$out/correct.log" ] || say correct "$(grep -c '^failed' "$out/correct.log") failed; $(grep -cE '^[a-z]+ in [12]D: [0-9]+ fits' "$out/correct.log") of 6 solvers and dimensions; $(tail -n 1 "$out/correct.log")"

sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer)
for tool in racecheck memcheck; do
    if [ -n "$TWIN" ]; then
        say $tool "left out: it is for a GPU"
    elif [ -z "$sanitizer" ]; then
        say $tool "left out: no compute-sanitizer"
    elif step $tool 45 "$sanitizer" --tool $tool --error-exitcode 9 --target-processes all "$kit/bin/steep" sweep "${glu[@]:0:8}" \
        --widths 1:6 --samples 100 --max-iterations 6 --device cuda --no-figure --quiet --out "$out/$tool"; then
        say $tool "$(tail -n 1 "$out/$tool.log")"
    fi
done
finish
