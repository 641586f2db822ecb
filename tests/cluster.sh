#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cluster.sh (make check-cluster): a real Slurm on this machine (munged, slurmctld, three slurmd with host names of
# their own; a scratch folder, removed at the end) runs the script of --print-slurm, parts that are killed or requeued,
# ranks under srun and mpirun over several nodes, ranks that are killed, jobs that are cancelled. Each fits.csv has the
# bytes of --jobs 1. Also tests/check_mpi.sh in full. Needs root, for slurmd and host names: else exits with 77.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

[ "$(id -u)" -eq 0 ] || skip "a Slurm of one's own needs root"
for program in munged slurmctld slurmd sbatch srun mpirun unshare; do
    command -v $program >/dev/null || skip "no $program: bash .ci/deps.sh mpi cluster installs it"
done
[ -f "$BUILD/lib/steep_mpi.so" ] || skip "no steep_mpi.so: install libopenmpi-dev, and make again"

slurm=$scratch/slurm
mkdir -p "$slurm/state" "$slurm/munge"
chmod 755 "$scratch" "$slurm" "$slurm/munge"
daemons=()
# shellcheck disable=SC2317  # the trap calls it
stop_slurm() {
    local file
    scancel --user=root >/dev/null 2>&1
    for file in "$slurm"/slurmd-n?.pid "$slurm/slurmctld.pid" "$slurm/munge/pid"; do
        [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null
    done
    for ((wait = 0; wait < 50; wait++)); do
        kill -0 "${daemons[@]}" 2>/dev/null || break
        sleep 0.1
    done
    rm -rf "$scratch"
}
trap stop_slurm EXIT

host=$(hostname -s)
head -c 128 /dev/urandom >"$slurm/munge/key"
chmod 600 "$slurm/munge/key"
# Ports that this run alone has; a requeued job may begin again after cred_expire seconds.
port=$((20000 + $$ % 10000))
cat >"$slurm/slurm.conf" <<CONF
ClusterName=steep
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket,cred_expire=2
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool-%n
TmpFS=$slurm/tmp-%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd-%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd-%n.log
SlurmctldPort=$port
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=pmix
KillWait=5
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=2 RealMemory=2000
PartitionName=steep Nodes=ALL Default=YES State=UP MaxTime=INFINITE
CONF
export SLURM_CONF=$slurm/slurm.conf
munged --force --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" --pid-file="$slurm/munge/pid" \
    --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" >"$scratch/munged" 2>&1 || { cat "$scratch/munged"; skip "munged does not start"; }
slurmctld -f "$slurm/slurm.conf"
for n in n1 n2 n3; do
    mkdir -p "$slurm/spool-$n" "$slurm/tmp-$n"
    unshare -u bash -c "hostname $n && exec slurmd -N $n -f $slurm/slurm.conf" || skip "no host names of one's own here (unshare -u)"
done
for ((wait = 0; wait < 100; wait++)); do
    [ "$(sinfo -h -o '%T %D' 2>/dev/null)" = "idle 3" ] && break
    sleep 0.2
done
mapfile -t daemons < <(cat "$slurm"/slurmd-n?.pid "$slurm/slurmctld.pid" "$slurm/munge/pid")
[ "$(sinfo -h -o '%T %D' 2>/dev/null)" = "idle 3" ] || { tail -n 5 "$slurm"/*.log; fail "Slurm does not start"; finish; }
echo "$(slurmctld -V), $(mpirun --version | head -n 1), 3 nodes of this machine in $slurm"

sweep=("$(realpath "$steep")" sweep --arch "mlp,glu" --solver lm --start random --no-figure)
few=(--widths 2:9 --seeds 0:2 --samples 100 --max-iterations 20)
long=(--widths 8:23 --seeds 0:3 --samples 500 --max-iterations 80)
"${sweep[@]}" "${few[@]}" --jobs 1 --quiet --out "$scratch/few" >/dev/null
"${sweep[@]}" "${long[@]}" --jobs 1 --quiet --out "$scratch/long" >/dev/null
cd "$scratch" || exit 1

# wait_for SECONDS COMMAND...: waits until the command succeeds, SECONDS at most.
wait_for() {
    local tries=$(($1 * 10))
    shift
    for (( ; tries > 0; tries--)); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    echo "waited in vain: $*"
    squeue
    tail -n 5 "$scratch"/steep-*.log
    return 1
}
# shellcheck disable=SC2317  # wait_for calls it
none_left() { [ -z "$(squeue -h)" ]; }
# shellcheck disable=SC2317
rows() { [ -s "$1" ] && [ "$(wc -l <"$1")" -gt "${2:-2}" ]; }

# The script of --print-slurm, an array of five parts and a joining job, gives the bytes of --jobs 1.
"${sweep[@]}" "${few[@]}" --out "$scratch/array" --print-slurm --parts 5 >array.slurm
check "the script is a script" bash -n array.slurm
check "submitted" bash array.slurm
check "array: it ends" wait_for 120 none_left
check "array: the bytes of --jobs 1" same "$scratch/few" "$scratch/array"
check "array: five parts did it" test "$(cat steep-*-[1-5].log | grep -c '^shard ./5 is done')" -eq 5
check "array: the joining job fitted nothing" grep -q '^kept 48, computed 0$' steep-*[0-9].log

# The scheduler requeues a part while it runs, as when a node goes down: the part goes on and ends with the same bytes.
rm -f steep-*.log
"${sweep[@]}" "${long[@]}" --out "$scratch/requeued" --print-slurm --parts 2 >requeued.slurm
id=$(bash requeued.slurm | sed 's/.*parts \([0-9]*\),.*/\1/')
check "requeue: a part has begun" wait_for 60 rows "$scratch/requeued/fits.shard-2-of-2.csv"
check "requeue: scontrol requeue" scontrol requeue "${id}_2"
check "requeue: it ends" wait_for 200 none_left
check "requeue: the part went on from what was there" grep -qE '^kept [1-9][0-9]*, computed [1-9]' "steep-$id-2.log"
check "requeue: the bytes of --jobs 1" same "$scratch/long" "$scratch/requeued"

# A part is killed: the joining job does not run, and the same script goes on.
rm -f steep-*.log
"${sweep[@]}" "${long[@]}" --out "$scratch/killed" --print-slurm --parts 2 >killed.slurm
bash killed.slurm >submitted
check "kill: a part has begun" wait_for 60 rows "$scratch/killed/fits.shard-1-of-2.csv"
check "kill: the process of a part" kill -KILL "$(pgrep -f "sweep .*--out $scratch/killed .*--shard 1/2" | head -n 1)"
check "kill: the joining job goes with it" wait_for 200 none_left
check "kill: nothing was joined" test ! -e "$scratch/killed/fits.csv"
check "kill: the same script" bash killed.slurm
check "kill: it ends" wait_for 200 none_left
check "kill: the bytes of --jobs 1" same "$scratch/long" "$scratch/killed"

# On a file system without locks two shards at once and their union give the same bytes: each writes its own file.
echo '#include <errno.h>
int flock(int file, int how) { (void)file, (void)how; errno = ENOLCK; return -1; }' |
    "$CC" -shared -fPIC -x c - -o "$scratch/no_locks.so"
unlocked() { LD_PRELOAD=$scratch/no_locks.so "${sweep[@]}" "${few[@]}" --jobs 1 --out "$scratch/unlocked" "$@"; }
both() { unlocked --shard 1/2 & unlocked --shard 2/2 && wait $! && unlocked; }
check "no locks: two shards at once, and their union" both
check "no locks: the bytes of --jobs 1" same "$scratch/few" "$scratch/unlocked"

check "srun, 2 nodes, 4 ranks" timeout 100 srun --mpi=pmix -N2 -n4 "${sweep[@]}" "${few[@]}" --out "$scratch/srun"
check "srun: the bytes of --jobs 1" same "$scratch/few" "$scratch/srun"
check "srun, 3 nodes, a rank of 2 workers on each" timeout 100 srun --mpi=pmix -N3 -n3 -c2 "${sweep[@]}" "${few[@]}" --jobs 2 --out "$scratch/hybrid"
check "srun: hybrid: the bytes of --jobs 1" same "$scratch/few" "$scratch/hybrid"
check "mpirun in an allocation" timeout 100 salloc -Q -N2 -n4 mpirun --allow-run-as-root --map-by node -n 4 "${sweep[@]}" "${few[@]}" --out "$scratch/mpirun"
check "mpirun: the bytes of --jobs 1" same "$scratch/few" "$scratch/mpirun"
status=0
timeout 60 srun --mpi=none -n 2 "${sweep[@]}" "${few[@]}" --out "$scratch/strangers" >said 2>&1 || status=$?
check "srun without PMIx: bad use" test "$status" -eq 2 -a ! -e "$scratch/strangers"
check "srun without PMIx: it says what to do" grep -q 'give srun --mpi=pmix' said

# A rank is killed under srun, then a job is cancelled: each time the same command finishes the sweep.
end_ranks() { # FOLDER COMMAND...
    local folder=$1 try
    shift
    for ((try = 0; try < 5; try++)); do # on a busy machine the run may be over before the command
        rm -rf "${scratch:?}/$folder"
        begin_and_end "$folder" "$@"
        [ "$(wc -l <"$scratch/$folder/fits.csv")" -le 128 ] && break
    done
    check "$folder: some fits were left" test "$(wc -l <"$scratch/$folder/fits.csv")" -le 128
    check "$folder: the same command finishes it" timeout 200 srun --mpi=pmix -N2 -n2 "${sweep[@]}" "${long[@]}" --out "$scratch/$folder"
    check "$folder: the bytes of --jobs 1" same "$scratch/long" "$scratch/$folder"
}
begin_and_end() {
    local folder=$1 job
    shift
    STEEP_MPI_PATIENCE=2 timeout 200 srun --mpi=pmix -J steep -N2 -n4 "${sweep[@]}" "${long[@]}" --out "$scratch/$folder" >"$folder.out" 2>&1 &
    job=$!
    wait_for 60 rows "$scratch/$folder/fits.csv" 4
    "$@"
    wait $job
    echo "$folder: srun ended with $?, $(($(wc -l <"$scratch/$folder/fits.csv") - 1)) rows: $(grep '^steep:\|^rank\|^srun: err' "$folder.out" | head -n 1)"
}
kill_rank() { # the rank's process is the one whose parent is slurmstepd
    local process
    for process in $(pgrep -f "sweep .*--out $scratch/rank_killed"); do
        [ "$({ tr '\0' '\n' <"/proc/$process/environ"; } 2>/dev/null | sed -n 's/^PMIX_RANK=//p')" = 3 ] 2>/dev/null || continue
        case $(cat "/proc/$(awk '/^PPid/ { print $2 }' "/proc/$process/status" 2>/dev/null)/comm" 2>/dev/null) in slurmstepd*) kill -KILL "$process" ;; esac
    done
}
end_ranks rank_killed kill_rank
end_ranks cancelled scancel --name=steep

cd "$OLDPWD" || exit 1
unset SLURM_CONF
MPI=all bash tests/check_mpi.sh "$steep" >"$scratch/mpi" 2>&1
check "tests/check_mpi.sh in full" grep -q ', 0 failed$' "$scratch/mpi"
export SLURM_CONF=$slurm/slurm.conf
finish
