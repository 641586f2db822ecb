#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_mpi.sh: a sweep under mpirun, with 2, 4 and 16 ranks on this machine, has the bytes of --jobs 1, also after a
# worker, a rank or rank 0 is killed; messages if ranks cannot find each other. Skipped without Open MPI
# (libopenmpi-dev, openmpi-bin); tests/cluster/test_ranks.c tests the ranks without it. MPI=all (make check-cluster)
# adds runs that go on without a rank, and a killed rank 0.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

command -v mpirun >/dev/null || skip "no mpirun: install openmpi-bin and libopenmpi-dev, and make again"
[ -f "$BUILD/lib/steep_mpi.so" ] || skip "no steep_mpi.so: install libopenmpi-dev, and make again"
mpirun --version 2>/dev/null | grep -q 'Open MPI' || skip "mpirun is another than Open MPI's"

export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS} # MPI keeps what it has to its end
mpi=(mpirun --oversubscribe -n)
if [ "$(id -u)" -eq 0 ]; then mpi=(mpirun --allow-run-as-root --oversubscribe -n); fi
sweep=("$(realpath "$steep")" sweep --arch "mlp,glu" --solver lm --start random --no-figure)
few=(--widths 2:9 --seeds 0:1 --samples 100 --max-iterations 20)

"${sweep[@]}" "${few[@]}" --jobs 1 --out "$scratch/one" >"$scratch/table" 2>/dev/null
for n in 2 16; do
    check "$n ranks" timeout 120 "${mpi[@]}" "$n" "${sweep[@]}" "${few[@]}" --out "$scratch/ranks-$n"
    check "$n ranks: the bytes of --jobs 1" same "$scratch/one" "$scratch/ranks-$n"
done
timeout 60 "${mpi[@]}" 2 "${sweep[@]}" "${few[@]}" --out "$scratch/ranks-2" >"$scratch/again" 2>"$scratch/notes"
check "nothing is computed twice" grep -q '^kept 32, computed 0$' "$scratch/notes"
without_seconds() { awk '/ seconds/ { at = index($0, "   seconds") } { print at && !/^\(/ ? substr($0, 1, at) substr($0, at + 10) : $0 }' "$1"; }
check "one table on standard output, that of one process" cmp <(without_seconds "$scratch/table") <(without_seconds "$scratch/again")

long=(--widths 8:17 --seeds 0:3 --samples 300 --max-iterations 25)
"${sweep[@]}" "${long[@]}" --quiet --out "$scratch/whole" >/dev/null 2>&1
# kill_one WHICH MPIRUN-OPTION...: starts 4 ranks and kills a worker, a rank or rank 0 once some rows are there. On a
# busy machine the run may be over by then: up to five tries.
kill_one() {
    local try
    for ((try = 0; try < 5; try++)); do
        rm -rf "${scratch:?}/$1"
        try_to_kill "$@"
        grep -q 'signal 9\|go on with its fits' "$scratch/out" && return
    done
}
try_to_kill() {
    local which=$1 folder=$scratch/$1 wait rank victim
    shift
    STEEP_MPI_PATIENCE=2 timeout 200 "${mpi[@]:0:${#mpi[@]}-1}" "$@" -n 4 "${sweep[@]}" "${long[@]}" --out "$folder" >"$scratch/out" 2>&1 &
    local job=$!
    for ((wait = 0; wait < 2000; wait++)); do
        [ -s "$folder/fits.csv" ] && [ "$(wc -l <"$folder/fits.csv")" -gt 3 ] && break
        kill -0 $job 2>/dev/null || break
        sleep 0.005
    done
    rank=$(ps -o pid= --ppid "$(ps -o pid= --ppid $job | tr -d ' ')" | sed -n "$([ "$which" = zero ] && echo 1 || echo 3)p" | tr -d ' ')
    victim=$rank
    if [ "$which" = worker ]; then victim=$(ps -o pid= --ppid "$rank" | tr -d ' ' | head -n 1); fi
    kill -KILL "$victim" 2>/dev/null
    wait $job
    status=$?
}
kill_one worker
check "a worker is killed: the run goes on" test "$status" -eq 0
check "a worker is killed: it is said" grep -q 'was ended by signal 9 (Killed): another one tries it' "$scratch/out"
check "a worker is killed: the same bytes" same "$scratch/whole" "$scratch/worker"
kill_one rank
check "a rank is killed: mpirun ends the run and says so" grep -q 'exited on signal 9' "$scratch/out"
check "a rank is killed: a failed run" test "$status" -ne 0
check "a rank is killed: some rows are kept" test "$(wc -l <"$scratch/rank/fits.csv")" -gt 3
killed=rank
if [ -n "${MPI:-}" ]; then
    kill_one recovered --enable-recovery
    check "a rank is killed, with --enable-recovery: the run goes on" grep -q 'rank 2 on .* the others go on with its fits' "$scratch/out"
    check "a rank is killed, with --enable-recovery: the same bytes" same "$scratch/whole" "$scratch/recovered"
    kill_one zero
    check "rank 0 is killed: a failed run" test "$status" -ne 0
    killed="rank zero"
fi
for which in $killed; do
    check "$which: the same command finishes it" timeout 200 "${mpi[@]}" 2 "${sweep[@]}" "${long[@]}" --out "$scratch/$which"
    check "$which: the same bytes" same "$scratch/whole" "$scratch/$which"
done

# says STATUS TEXT COMMAND...: the command ends with STATUS and prints TEXT on exactly one line.
says() {
    local status=$1 text=$2 got=0
    shift 2
    "$@" >"$scratch/said" 2>&1 || got=$?
    [ "$got" -eq "$status" ] && [ "$(grep -c "$text" "$scratch/said")" -eq 1 ] && return
    echo "exit status $got"
    cat "$scratch/said"
    return 1
}
check "bad points, said once" says 2 "^steep: .*no-such" timeout 60 "${mpi[@]}" 3 "${sweep[@]}" --data "$scratch/no-such.csv" --out "$scratch/bad"
check "nothing was written" test ! -e "$scratch/bad"
check "without the object" says 2 "^steep: mpirun started 2 processes.*cannot be loaded" \
    env STEEP_MPI_OBJECT=/dev/null OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "${sweep[@]}" --out "$scratch/bad"
check "another MPI's mpirun" says 2 "^steep: mpirun says that this is process 0 of 3" \
    env PMI_SIZE=3 PMI_RANK=0 OMPI_MCA_ess=singleton "${sweep[@]}" --out "$scratch/bad"
check "srun without PMIx" says 2 "^steep: srun started 4 processes that do not know of each other" \
    env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 "${sweep[@]}" --out "$scratch/bad"
check "srun of one process is alone" env SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 "${sweep[@]}" "${few[@]}" --quiet --out "$scratch/alone"
check "the object links no library of Steep" \
    sh -c "! nm -D --undefined-only '$BUILD/lib/steep_mpi.so' | grep -E ' (steep_|gsl_|glp_|json_)'"

finish
