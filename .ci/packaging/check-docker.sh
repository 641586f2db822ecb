#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check-docker.sh [FILE]: replays the steps of a Dockerfile (.ci/packaging/Dockerfile) without docker: each stage is a fresh Debian by
# debootstrap, its RUN, COPY, WORKDIR, ENV and ARG act there in their order; what they build is the source archive's (make dist).
# At the end the entry point, with README's sweep, must print README's table. What this does not check: docker's own reading of
# the file, layers, the image debian:bookworm-slim itself (a Debian of the same release stands for it), and GPUs.
# Needs root (chroot) and Debian's archive; NVCC=DIR: a CUDA toolkit of this machine, in place of the steps that fetch NVIDIA's.
set -eu
export LC_ALL=C
BUILD=${BUILD:-build}
cd "$(dirname "$0")/../.."
file=${1:-.ci/packaging/Dockerfile}
say() { echo "check-docker: $*"; }
wrong() { say "$*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || wrong "needs root, for chroot: use sudo make check-docker"
# shellcheck source=.ci/packaging/chroot.sh
. .ci/packaging/chroot.sh
archive=$(bash .ci/packaging/dist.sh "$scratch")

stage=0 folder=/ entry='' variables=()
# run_in COMMAND: by sh, in the stage's folder with its variables.
run_in() {
    # shellcheck disable=SC2016
    in_root env "${variables[@]}" sh -c 'cd "$1" && eval "$2"' sh "$folder" "$1" >"$scratch/log" 2>&1 ||
        { tail -n 15 "$scratch/log" >&2; wrong "this step fails: $1"; }
}
declare -A root_of
while IFS= read -r line; do
    word=${line%% *} rest=${line#* }
    case $word in
    '' | '#'* | CMD) ;;
    FROM)
        case $rest in "debian:$suite-slim"*) ;; *) wrong "FROM $rest: only debian:$suite-slim can be stood in for here" ;; esac
        stage=$((stage + 1)) folder=/ variables=() name=stage$stage
        case $rest in *' AS '*) name=${rest##* } ;; esac
        [ -d "$scratch/bare" ] || { chroot_make bare; mv "$root" "$scratch/first"; mkdir "$scratch/bare"; }
        root=$scratch/stage-$name
        cp -a "$scratch/first" "$root"
        root_of[$name]=$root
        say "stage $name, $(du -sm "$root" | cut -f1) MB, $(seconds) s"
        ;;
    ARG | ENV) variables+=("$rest") ;;
    WORKDIR) folder=$rest && mkdir -p "$root$rest" ;;
    COPY)
        case $rest in
        --from=*) from=${rest%% *} && cp -a "${root_of[${from#--from=}]}$(echo "$rest" | cut -d' ' -f2)." "$root$(echo "$rest" | cut -d' ' -f3)" ;;
        '. /'*) tar -C "$root${rest#. }" --strip-components=1 -xzf "$archive" ;;
        *) wrong "COPY $rest: not known here" ;;
        esac
        ;;
    RUN)
        if [ -n "${NVCC:-}" ] && [[ $rest == *nvidia.com* || $rest == *cuda-nvcc* ]]; then
            say "not run, $NVCC stands in: $rest"
            mkdir -p "$root/usr/local/cuda" && cp -a "$(realpath "$NVCC")/." "$root/usr/local/cuda"
        else
            run_in "$rest"
            say "$(seconds) s: RUN ${rest:0:90}"
        fi
        ;;
    ENTRYPOINT) entry=$(echo "$rest" | tr -d '[]",') ;;
    *) wrong "$word: not known here" ;;
    esac
done <"$file"
[ -n "$entry" ] || wrong "$file has no ENTRYPOINT"

# Its slopes and intervals: the seconds differ from run to run.
slopes() { grep -oE '^(mlp|glu|gqu) +[-0-9.]+ +\[[^]]*\]' "$1"; }
sweep="$(sed -n 's/^readme: //p' docs/tables/COMMANDS) --out results/readme"
run_in "$entry $sweep 2>said"
diff <(slopes docs/tables/readme.txt) <(slopes "$scratch/log") || wrong "README's sweep prints another table"
[ -s "$root$folder/results/readme/slopes.pdf" ] || wrong "README's sweep leaves no figure"
say "README's sweep: its table and its figure; the image would have $(du -sm "$root" | cut -f1) MB; done in $(seconds) s"
