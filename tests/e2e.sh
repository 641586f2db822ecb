#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# e2e.sh: the built program as a user runs it: what it prints, what it leaves, how it ends. Each check is a function test_*, which
# fails by a non-zero status or by calling no; its folder is empty and its own.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"
case $steep in /*) ;; *) steep=$PWD/$steep ;; esac
top=$PWD
[ -x "$steep" ] || skip "$steep is not built"

# --- helpers ---

no() {
    echo "$*"
    exit 1
}

# run STATUS ARGUMENTS...: steep must end so; out and err hold what it printed.
run() {
    local expected=$1 found=0
    shift
    "$steep" "$@" >out 2>err || found=$?
    [ "$found" -eq "$expected" ] && return
    echo "steep $*: exit status $found, expected $expected"
    head -n 5 out err
    exit 1
}

# says WORDS...: stderr has a line that begins with "steep: ", and each of the words; stdout is empty.
says() {
    local word
    grep -q '^steep: ' err || no "no line of stderr begins with 'steep: ': $(cat err)"
    [ ! -s out ] || no "stdout is not empty: $(head -n 1 out)"
    for word in "$@"; do
        grep -qF -- "$word" err || no "stderr lacks '$word': $(cat err)"
    done
}

# untimed FILE: a fits.csv without its seconds, the sixth column from the end.
untimed() { sed 's/,[^,]*\(\(,[^,]*\)\{5\}\)$/\1/' "$1"; }

same() { cmp -s "$1" "$2" || no "$1 and $2 differ: $(diff "$1" "$2" | head -n 4)"; }

field() { # field FILE.json KEY: the first value of a key
    sed -n "s/^ *\"$2\": //; t value; d; :value; s/,\$//; s/^\"\(.*\)\"\$/\1/; p" "$1" | head -n 1
}

# as_nobody COMMAND...: without root's rights where we have them, so that permissions count.
as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}

small="--widths 4:16:4 --samples 300 --no-figure"
many_small="--widths 4:64:4 --samples 500 --jobs 1"
header=arch,activation,target,dim,width,params,seed,start,solver,device,samples,rmse_train,rmse_test,max_error,floor,iterations,evaluations,gradient_norm,status,seconds,starts,hits,coefficient,rmse_single,sum

# --- the main job ---

test_default_sweep() {
    run 0 sweep --out run
    [ "$(head -n 1 run/fits.csv)" = "$header" ] || no "header of fits.csv"
    [ "$(wc -l <run/fits.csv)" -eq 106 ] || no "fits.csv has $(wc -l <run/fits.csv) lines"
    [ "$(cut -d, -f25- run/fits.csv | grep -c ,)" -eq 0 ] || no "fields"
    [ "$(head -n 1 run/slopes.csv)" = arch,target,solver,against,method,slope,low,high,first,last,points,drift,theory,start,offset,offset_low,offset_high,apart,remark ] || no "header of slopes.csv"
    [ "$(head -n 1 run/series.csv)" = target,title,series,arch,activation,solver,start,width,params,error,low,high,best,seeds,floor,lower,asymptotic,uniform,equidistributed,predicted,upper,theory,width_slope,width_low,width_high,width_law,params_slope,params_low,params_high,params_law,overfit ] || no "header of series.csv"
    grep -q '>theory<\|>theory *<' run/slopes.svg || no "theory is not drawn"
    [ "$(wc -l <run/slopes.csv)" -eq 19 ] || no "slopes.csv has $(wc -l <run/slopes.csv) lines"
    for arch in mlp glu gqu; do grep -q "^$arch " out || no "no line for $arch in $(cat out)"; done
    for word in architecture slope interval theory floor; do grep -q "$word" out || no "stdout lacks $word"; done
    grep -q 'kept 0, computed 105' err || no "$(cat err)"
    ! grep -q $'\r' err || no "progress into a file"
    for file in slopes.svg slopes.pdf slopes.png slopes.gp; do [ -s run/$file ] || no "no $file"; done
    [ "$(field run/run.json state)" = "done" ] || no "state"
    for key in command version commit compiler flags cpu kernel threads start end; do
        [ -n "$(field run/run.json $key)" ] || no "run.json lacks $key"
    done
    grep -q '"converged": 105' run/run.json || no "counts"
    compgen -G "run/*tmp*" >/dev/null && no "leftovers: $(echo run/*)"
    # Canonical order: arch as given, widths ascending.
    cut -d, -f1,5 run/fits.csv | tail -n +2 >order
    for arch in mlp glu gqu; do for ((w = 1; w <= 103; w += 3)); do echo "$arch,$w"; done; done | cmp -s - order || no "order of rows"
    # Again: nothing to do, nothing changes.
    cp run/fits.csv before
    run 0 sweep --out run
    grep -q 'kept 105, computed 0' err || no "$(cat err)"
    same before run/fits.csv
}

# What is left out in two dimensions: greedy gates on a grid of 20 points to a parameter, smooth units trained from five starts; in more,
# Sobol points. The record and the head say it, and a remark names what is known to end lower.
test_left_out_in_planes() {
    local target="cos(2*x)*y"
    run 0 sweep --target "$target" --widths 4,8 --no-figure --out run
    grep -qF "$target: solver frozen, start greedy, 2 widths from 4 to 8, 2025 equispaced training points" out || no "$(cat out)"
    run 0 sweep --target "$target" --arch gqu --widths 16 --no-figure --out run/more
    [ "$(field run/more/run.json samples)$(field run/more/run.json sampling)$(field run/more/run.json solver)" = 3249gridfrozen ] || no "record"
    ! grep -q 'end lower' err || no "$(cat err)"
    run 0 sweep --target "$target*z" --arch mlp --widths 3 --no-figure --out run/space
    [ "$(field run/space/run.json sampling)" = sobol ] || no "in space"
    run 0 sweep --target "$target" --arch glu:silu --widths 2,3 --max-iterations 5 --no-figure --out run/smooth
    grep -qF "solver varpro, start greedy" out || no "$(cat out)"
    [ "$(field run/smooth/run.json restarts)" = 4 ] || no "restarts"
    [ "$(tail -n 1 run/smooth/fits.csv | cut -d, -f21)" = 5 ] || no "starts"
    run 0 fit --target "$target" --width 4; grep -q 'frozen, start greedy' out || no "$(cat out)"
    run 0 fit --target "$target" --arch mlp:tanh --width 2 --max-iterations 9; grep -q 'of 5 starts' out || no "$(cat out)"
    # What is said counts, and a remark says what is known to end lower.
    run 0 sweep --target "$target" --arch gqu --widths 64 --samples 2000 --sampling random --start uniform --no-figure --out run/said
    grep -qF 'in 2D other options are known to end lower: --start greedy, --sampling grid, --samples 12820' err || no "$(cat err)"
    run 0 fit --target "$target" --width 4 --start random; grep -qF 'known to end lower: --start greedy' err || no "$(cat err)"
    run 0 fit --target "$target" --arch glu:silu --solver frozen --width 4
    grep -qF 'known to end lower: --solver varpro --restarts 4' err || no "$(cat err)"
    run 0 fit --width 4 --samples 50 --start random; ! grep -q lower err || no "1D: $(cat err)"
    # A folder grows on its own points; one of before these choices goes on with those of then.
    run 0 sweep --target "$target" --widths 16 --no-figure --out run
    [ "$(field run/run.json samples)" = 2025 ] || no "other points"
    run 0 sweep --target "$target" --arch mlp --widths 4,8 --samples 2000 --sampling random --start uniform --no-figure --out old
    sed -i 's/"start": "uniform"/"start": null/' old/run.json
    for again in 1 2; do
        run 0 sweep --target "$target" --arch mlp --widths 4,8 --no-figure --out old
        grep -q 'kept 2, computed 0' err || no "$again: $(cat err)"
    done
    run 2 sweep --target "$target" --arch mlp --widths 4,8 --samples 3000 --no-figure --out old
    says 'written with --samples 2000 and this command has 3000'
}

# Folds: each point is tested once, the error is the mean over folds, and a fold is a seed that goes on as seeds do.
test_folds() {
    awk 'BEGIN { srand(3); print "a,b,y"; for (i = 0; i < 61; i++) { a = rand(); b = rand(); print a "," b "," sin(3*a) * b + 0.1 * rand() } }' >points.csv
    local sweep="sweep --data points.csv --x rest --arch mlp,glu --widths 1:3 --standardize --no-figure"
    run 0 $sweep --folds 4 --out run
    grep -qF ', 4 folds' out && grep -q 'folds.*least error.*+-.*R^2' out || no "$(cat out)"
    cut -d, -f7 run/fits.csv | tail -n +2 | sort | uniq -c | awk '$1 != 6' | grep -q . && no "folds: $(cut -d, -f7 run/fits.csv)"
    awk -F, 'NR > 1 { n[$7] = $11 } END { for (f in n) s += n[f]; exit s != 3 * 61 }' run/fits.csv || no "training points"
    run 0 $sweep --folds 4 --out run --format csv
    grep -q 'kept 24, computed 0' err || no "$(cat err)"
    # awk's own mean, least width and deviation.
    awk -F, 'FNR == 1 && NR > 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NR == FNR { if (FNR > 1 || 1) { e[$1, $5, $7] = $13 } next }
        { best = 9; for (w = 1; w <= 3; w++) { m = 0; for (f = 0; f < 4; f++) m += e[$at["arch"], w, f] / 4
              if (m < best) { best = m; q = 0; for (f = 0; f < 4; f++) q += (e[$at["arch"], w, f] - m)^2; at_w = w } }
          d = $at["least_error"] / best - 1; s = $at["scatter"] / sqrt(q / 3) - 1
          if (d * d > 1e-20 || s * s > 1e-18 || $at["at_width"] != at_w || !($at["r2"] < 1)) bad = 1; rows++ }
        END { exit bad || rows != 2 }' run/fits.csv out || no "means: $(cat out run/fits.csv)"
    run 2 $sweep --folds 5 --out run; says '--folds 4 and this command has 5'
    run 2 $sweep --folds 4 --seeds 0:2 --out other; says '--seeds' 'leave it out'
    run 2 $sweep --folds 4 --seed 0 --out other; says '--seed' 'leave it out'
    run 2 $sweep --folds 1 --out other; says 'use 2 or more'
    run 2 $sweep --folds 4 --holdout 0.2 --out other; says 'use one of them'
    run 2 $sweep --folds 62 --out other; says 'leaves none to test on'
    run 2 fit --data points.csv --x rest --folds 4 --width 2; says 'these options stand for 4'
    run 2 fit --folds 4; says '--data'
    run 0 ${sweep/1:3/2} --folds 4 --keep-networks --out kept
    run 0 predict kept/networks/mlp-relu-points.csv-frozen-greedy-w2-s3.json --data points.csv --y y --out values.csv
}

# Points that cannot be made are refused before anything is computed from their number.
test_points_that_cannot_be_made() {
    local plane='cos(2*pi*x)*cos(2*pi*y)'
    run 2 sweep --target "$plane" --start greedy --sampling gauss --samples 10000 --widths 16 --out run; says '100 Gauss points a side in 2D'
    run 2 fit --target "$plane" --start greedy --test gauss --samples 10000 --width 16; says 'Gauss points a side'
    run 2 fit --target x1+x29 --sampling grid --width 3; says 'use random points'
    run 2 fit --target x1+x41 --sampling sobol --width 3; says '1 to 40 dimensions'
    [ ! -e run ] || no "a folder was made"
}

# awk's own reading of slopes.csv: theory is inside or near.
test_slopes_are_theory() {
    run 0 sweep --arch mlp,glu,gqu --target cos4 --solver construct --widths 64:1024:x2 --samples 4000 --test gauss --no-figure --out run
    awk -F, 'NR > 1 && $4 == "width" && $5 == "last_pair" { n++; if ($6 < $13 - 0.06 || $6 > $13 + 0.06) { print; bad = 1 } }
             END { exit bad || n != 3 }' run/slopes.csv || no "$(cat run/slopes.csv)"
}

test_jobs() {
    run 0 sweep $small --solver lm --max-iterations 5 --jobs 1 --out one
    run 0 sweep $small --solver lm --max-iterations 5 --jobs 2 --out two
    untimed one/fits.csv >a
    untimed two/fits.csv >b
    same a b
    same one/slopes.csv two/slopes.csv
}

test_shards() {
    run 0 sweep $small --seeds 0:2 --out whole
    for i in 3 1 2; do { "$steep" sweep $small --seeds 0:2 --shard $i/3 --out parts || echo failed; } >out$i 2>err$i & done
    wait
    ! grep failed out? || no "a shard failed: $(cat err?)"
    [ -f parts/fits.shard-2-of-3.csv ] || no "no shard file: $(ls parts) $(cat err2)"
    [ ! -s out2 ] || no "a shard prints slopes"
    run 0 sweep $small --seeds 0:2 --out parts
    grep -q 'kept 36, computed 0' err || no "$(cat err)"
    untimed whole/fits.csv >a
    untimed parts/fits.csv >b
    same a b
    same whole/slopes.csv parts/slopes.csv
}

# A sweep that takes some seconds, killed at several moments; the same command goes on, and the end is the same.
test_kill_and_resume() {
    local options="--arch mlp,glu --solver lm --widths 4:40:4 --seeds 0:2 --samples 1000 --max-iterations 30 --no-figure --jobs 2"
    run 0 sweep $options --out whole
    untimed whole/fits.csv >a
    local kills=0 delay
    for delay in 0.02 0.1 0.2 0.3 0.5 0.2 0.2; do
        "$steep" sweep $options --out killed >out 2>err &
        sleep $delay
        if kill -9 $! 2>/dev/null; then kills=$((kills + 1)); fi
        wait $! 2>/dev/null || true
    done
    [ $kills -ge 2 ] || no "it was over before it could be killed"
    run 0 sweep $options --out killed
    grep -Eq 'kept [0-9]+, computed [0-9]+' err || no "$(cat err)"
    untimed killed/fits.csv >b
    same a b
    same whole/slopes.csv killed/slopes.csv
}

test_interrupt() {
    local signal
    for signal in INT TERM HUP; do
        # bash starts background jobs with SIGINT ignored; env gives it back.
        env --default-signal=INT,HUP "$steep" sweep --arch glu --solver lm --widths 300:310 --samples 4000 --no-figure --jobs 2 --out $signal >out 2>err &
        local pid=$!
        for _ in $(seq 100); do
            [ -f $signal/fits.csv ] && break
            sleep 0.05
        done
        kill -$signal $pid
        local status=0
        wait $pid || status=$?
        [ $status -eq 1 ] || no "SIG$signal: exit status $status: $(cat err)"
        grep -q 'the same command goes on' err || no "$(cat err)"
        [ "$(field $signal/run.json state)" = stopped ] || no "state $(field $signal/run.json state)"
    done
}

# timeout(1) signals the program, and then its group: the second signal is the same wish. One that comes later ends the program, though
# its iteration takes long.
test_two_signals() {
    local pid status=0 begun
    "$steep" sweep --arch glu --solver lm --widths 300:310 --samples 4000 --no-figure --jobs 2 --out twice >out 2>err &
    pid=$!
    for _ in $(seq 100); do
        [ -f twice/fits.csv ] && break
        sleep 0.05
    done
    kill -TERM $pid
    sleep 0.005
    kill -TERM $pid
    wait $pid || status=$?
    [ $status -eq 1 ] && [ "$(field twice/run.json state)" = stopped ] || no "two signals: status $status, state $(field twice/run.json state)"
    "$steep" fit --arch glu --solver lm --width 600 --samples 40000 --iterations >long 2>err &
    pid=$!
    for _ in $(seq 200); do
        [ -s long ] && break # behind the first iteration
        sleep 0.05
    done
    kill -TERM $pid
    sleep 1.5
    begun=$(date +%s%N)
    kill -TERM $pid || no "the fit was over"
    status=0
    wait $pid || status=$?
    [ $status -eq 143 ] && [ $(($(date +%s%N) - begun)) -lt 2000000000 ] || no "a late signal: status $status after $((($(date +%s%N) - begun) / 1000000)) ms"
}

# run.json of a single fit says how it ended; --fresh with a target that is wrong somewhere removes nothing.
test_fit_states() {
    env --default-signal=INT "$steep" fit --arch glu --solver lm --width 300 --samples 4000 --no-figure --out run >out 2>err &
    local pid=$! status=0
    for _ in $(seq 100); do
        [ -f run/run.json ] && break
        sleep 0.05
    done
    sleep 0.2
    kill -INT $pid
    wait $pid || status=$?
    [ $status -eq 1 ] || no "SIGINT: exit status $status: $(cat err)"
    [ "$(field run/run.json state)" = stopped ] || no "state $(field run/run.json state)"
    run 1 fit --unit 'sqrt(z1-3)*z2' --width 4 --samples 100 --no-figure --out failed
    [ "$(field failed/run.json state)" = failed ] || no "state $(field failed/run.json state)"
    cp -r run before
    run 2 fit --target 'sqrt((x-0.00123)^2-1e-8)' --sampling grid --samples 20001 --width 4 --no-figure --fresh --out run
    says nan
    diff -r -x .lock run before || no "a bad target took files away"
    run 2 fit --target '1e200*x' --solver construct --arch glu --width 3 --no-figure --fresh --out run
    says '1e200*x' "construction" "1e+100"
    diff -r -x .lock run before || no "a target out of range took files away"
    run 0 sweep $small --out many
    cp -r many before-many
    run 2 sweep $small --target 'x;1e200*x' --test gauss --arch glu --fresh --out many
    says '1e200*x' "continuous error"
    diff -r -x .lock many before-many || no "a target out of range took a sweep's files away"
}

test_one_run_at_a_time() {
    "$steep" sweep --arch glu --solver lm --widths 300:310 --samples 4000 --no-figure --out run >first 2>&1 &
    local pid=$!
    for _ in $(seq 100); do
        [ -f run/fits.csv ] && break
        sleep 0.05
    done
    run 2 sweep --arch glu --solver lm --widths 300:310 --samples 4000 --no-figure --out run
    says "another run" "process $pid on"
    cp run/fits.csv seen
    run 2 figure run; says "run: another run is at work there" "process $pid on"
    kill -9 $pid
}

# Of twelve that begin at once one works; the lock is held until its figure is drawn, by a gnuplot that takes its time.
test_twelve_equal_sweeps() {
    fake 'sleep 2; exec /usr/bin/env PATH="${PATH#*:}" gnuplot "$@"'
    local i
    for i in $(seq 12); do
        ("$steep" sweep $many_small --out run >out$i 2>err$i; echo $? >status$i) &
    done
    wait
    PATH=${PATH#*:}
    [ "$(sort status* | uniq -c | tr -s ' \n' ' ')" = " 1 0 11 2 " ] || no "$(grep . status* err*)"
    [ "$(cat err* | grep -c 'another run is at work there (process [0-9]* on ')" -eq 11 ] || no "$(cat err*)"
    [ "$(cat err* | grep -o 'process [0-9]* on [^ )]*' | sort -u)" = "$(cat run/.lock)" ] || no "$(cat err* run/.lock)"
    [ -s run/slopes.svg ] && [ -s run/slopes.pdf ] && [ -s run/slopes.png ] && [ -z "$(find run -name '*.tmp')" ] || no "$(ls -a run)"
    run 0 sweep $many_small --out alone
    untimed run/fits.csv >a
    untimed alone/fits.csv >b
    same a b
    same run/series.csv alone/series.csv
}

# Files that a killed run left half written go with the next run; others stay.
test_leftovers() {
    run 0 sweep $small --out run
    touch run/fits.csv.0123abcd.tmp run/notes.csv.0123abcd.tmp run/slopes.svg.tmp
    run 0 sweep $small --out run
    [ ! -e run/fits.csv.0123abcd.tmp ] && [ -e run/notes.csv.0123abcd.tmp ] && [ -e run/slopes.svg.tmp ] || no "$(ls -a run)"
}

# A launcher of processes: commands that do the same in each are done by rank 0, and variables that are left over are told.
test_ranks_of_other_commands() {
    cat >mpirun <<'END'
#!/usr/bin/env bash
for rank in 0 1 2; do OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=$rank "$@" & done
wait
END
    chmod +x mpirun
    run 0 list starts
    ./mpirun "$steep" list starts >ranks 2>err
    same out ranks
    run 0 sweep --widths 4:16:4 --samples 300 --out run
    ./mpirun "$steep" report run --out page.html || no "report"
    ./mpirun "$steep" figure run || no "figure"
    [ -s page.html ] && [ -z "$(find . -name '*.tmp')" ] || no "$(ls . run)"
    export OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=2
    run 2 report run; says "unset OMPI_COMM_WORLD_SIZE" "process 2 of 3"
    STEEP_MPI_OBJECT=/dev/null run 2 sweep $small --out other; says "unset OMPI_COMM_WORLD_SIZE"
}

# No program or library is taken from a folder because it stands there.
test_nothing_is_loaded_from_here() {
    local part
    run 0 sweep --widths 4:16:4 --samples 300 --out run
    printf '#!/bin/sh\n: >"%s/made"\n' "$PWD" >run/gnuplot
    chmod +x run/gnuplot
    for part in "" .; do
        PATH=$part:$PATH run 0 figure run
        PATH=$PATH:$part run 0 figure run
    done
    [ ! -e made ] || no "gnuplot of the run's folder ran"
    command -v "$CC" >/dev/null || return 0
    printf '#include <stdio.h>\n__attribute__((constructor)) static void f(void) { fclose(fopen("%s/made", "w")); }\n' "$PWD" >o.c
    "$CC" -shared -fPIC -o steep_cuda.so o.c
    for part in : :/usr /usr: /usr::/lib .:/usr "/usr;"; do
        LD_LIBRARY_PATH=$part "$steep" sweep $small --device cuda --out gpu >out 2>err && no "there is no such device"
        grep -q '^steep: --device cuda' err || no "$(cat err)"
        [ ! -e made ] || no "LD_LIBRARY_PATH=$part: steep_cuda.so was loaded from here"
    done
}

# Two thousand targets are told from one another in a second, and the one that is there twice is found.
test_many_targets() {
    local k list="" TIMEFORMAT=%U seconds
    for ((k = 1; k <= 2000; k++)); do list+="x^3+$k.25*x+exp(-x);"; done
    seconds=$({ time "$steep" sweep --target "${list%;}" --widths 4 --arch mlp --print-slurm --out run >out 2>err; } 2>&1)
    grep -q '^# 2000 fits' out || no "$(cat err)"
    [ "${seconds%.*}" -lt $((8 * ${CK_TIMEOUT_MULTIPLIER:-1})) ] || no "$seconds s for 2,000 targets"
    run 2 sweep --target "${list}exp(-x)+x*7.25+x*x*x" --print-slurm --out run; says "x^3+7.25*x+exp(-x)" "same target"
}

# What a careful user would try: counts with an exponent, files without an end, one start.
test_careful_user() {
    run 0 sweep --widths 1e1,2e1:4e1:1e1 --seeds 0:1e0 --samples 2e2 --no-figure --out exponents
    run 0 sweep --widths 10:40:10 --seeds 0:1 --samples 200 --no-figure --out digits
    untimed exponents/fits.csv >a
    untimed digits/fits.csv >b
    same a b
    run 2 sweep --widths 1.5e0; says 1.5e0 "whole number"
    run 2 sweep --widths 1e300; says 1e300 "out of range"
    run 0 fit --width 3 --samples 50 --restarts 0
    (ulimit -v 4000000 && run 2 fit --unit @/dev/zero --width 3 && says /dev/zero megabyte) || no "/dev/zero: $(cat err)"
    run 0 fit --unit @<(printf '%s\n' '# one' '' ' exp(-z1^2)') --width 3 --samples 50
    run 2 fit --unit @. --width 3; says "--unit @." "Is a directory"
}

# Words of other programs lead to ours, and what cannot be meant is refused.
test_forgiving_words() {
    run 2 train; says "'fit' or 'sweep'"
    run 2 show; says "'list' or 'report'"
    run 2 plot; says "'figure'"
    run 2 fit --arch relu; says "write mlp:relu"
    run 2 sweep --device gpu; says "did you mean 'cuda'"
    run 2 sweep --neurons 3; says "did you mean --widths"
    run 2 sweep --widths 3 --samples 50 --width=4; says "--width is given twice, '3' and '4'"
    run 0 fit --width 3 --samples 50 --no-figure --out one
    run 0 predict one --grid 3
    mv out values
    run 0 predict one/parameters.json --grid 3
    same out values
    run 0 fit --load one --samples 50 --solver lm
    run 0 sweep --widths 2:3 --arch mlp --samples 50 --no-figure --keep-networks --out two
    run 2 predict two --grid 3; says "holds 2 networks" w2 w3
    run 0 sweep --widths 2 --arch mlp --samples 50 --no-figure --keep-networks --out single
    run 0 predict single --grid 3
    run 2 predict . --grid 3; says "holds no network"
}

# Degrees behind names are series of their own, in one folder.
test_degrees_behind_names() {
    local lm="--widths 2:4 --samples 100 --solver lm --no-figure"
    run 0 sweep --arch hermite:5,polynorm:6,hermite $lm --keep-networks --out run
    run 0 sweep --arch hermite:2,hermite:3 $lm --keep-networks --out run
    [ "$(cut -d, -f1,2 run/fits.csv | sort -u | tr '\n' ' ')" = "arch,activation hermite,- hermite,2 hermite,5 polynorm,6 " ] || no "$(cut -d, -f1,2 run/fits.csv)"
    [ "$(ls run/networks | wc -l)" -eq 12 ] || no "$(ls run/networks)"
    run 0 sweep --arch hermite $lm --degree 5 --out five
    paste -d, <(grep ^hermite,5 run/fits.csv | cut -d, -f6,12-18) <(grep ^hermite five/fits.csv | cut -d, -f6,12-18) |
        awk -F, '{ for (i = 1; i <= 8; i++) if ($i != $(i + 8)) exit 1 }' || no "hermite:5 is another than --degree 5"
    run 0 fit --load run/networks/hermite-5-*-w3-*.json --samples 100 --solver lm
    run 2 fit --arch hermite:9 --width 3; says "hermite:9" "1 to 8"
    run 2 fit --arch hermite:5 --degree 4 --width 3; says "--degree" "leave it out"
    run 2 sweep --arch hermite,hermite:3 --widths 2; says "twice"
}

# Where progress goes to no terminal a line comes now and then, and none with --quiet.
test_progress_in_logs() {
    local lm="--widths 2:24 --samples 500 --solver lm --arch mlp --no-figure --jobs 1"
    STEEP_PROGRESS_SECONDS=.05 run 0 sweep $lm --out run
    grep -q '^[0-9]* of 23 fits, [0-9]* % of the work' err || no "$(cat err)"
    STEEP_PROGRESS_SECONDS=.05 run 0 sweep $lm --quiet --out quiet
    [ ! -s err ] || no "$(cat err)"
    run 0 sweep --widths 2:4 --samples 50 --sampling grid --no-figure --out short
    [ "$(cat err)" = "kept 0, computed 9" ] || no "$(cat err)"
    STEEP_PROGRESS_SECONDS=never run 2 sweep --widths 2; says STEEP_PROGRESS_SECONDS
    STEEP_PROGRESS_SECONDS=.0001 run 0 fit --arch mlp --solver lm --width 20 --samples 500
    grep -q 'iteration [0-9]*, rmse' err || no "$(cat err)"
}

# A batch script has a line for each command: nothing of a name gets a line of its own there.
test_slurm_takes_no_control_character() {
    local nasty
    printf 'x,y\n0,1\n1,2\n2,3\n3,4\n' >$'points\ntouch made'
    for nasty in $'run\ntouch made' $'run\rtouch made' $'run\t' $'run\x7f' $'\n#SBATCH --wrap=x'; do
        run 2 sweep $small --print-slurm --out "$nasty"; says "--print-slurm" "control character"
    done
    run 2 sweep --widths 2:3 --print-slurm --data $'points\ntouch made' --out run; says "--print-slurm" "control character"
    run 0 sweep $small --print-slurm --out $'r\xc3\xbcn $(touch made) `touch made` "x" '"'y'"
    bash -n out || no "$(cat out)"
    [ ! -e made ] || no "it ran"
    run 0 sweep $small --print-slurm --jobs 0 --out run
    [ "$(grep -c -- '--jobs 1' out)" -eq 2 ] && ! grep -q -- '--jobs 0' out || no "$(cat out)"
}

test_torn_and_corrupt() {
    run 0 sweep $small --out run
    untimed run/fits.csv >a
    head -c -20 run/fits.csv >torn && cp torn run/fits.csv
    run 0 sweep $small --out run
    grep -q 'cut short' err || no "no word of the torn line: $(cat err)"
    grep -q 'kept 11, computed 1' err || no "$(cat err)"
    untimed run/fits.csv >b
    same a b
    cp -r run good
    local what
    for what in '3s/mlp/mpl/' '4s/,relu,/,/' '1s/arch/Arch/' '5s/e-/f-/' '6s/converged/coverged/' '7s/,frozen,/,lmm,/' '3s/^/"/'; do
        sed "$what" good/fits.csv >run/fits.csv
        cp run/fits.csv spoilt
        cp run/run.json record
        run 2 sweep $small --out run
        says "fits.csv, line ${what%%s*}"
        same spoilt run/fits.csv
        same record run/run.json
    done
    # What a failure of power leaves on some disks.
    { cat good/fits.csv && head -c 40 /dev/zero; } >run/fits.csv
    cp run/fits.csv spoilt
    run 2 sweep $small --out run
    says "fits.csv, line 14" "zero byte" "remove the line"
    same spoilt run/fits.csv
    run 0 sweep $small --fresh --out run
    untimed run/fits.csv >b
    same a b
}

test_folder_grows() {
    run 0 sweep $small --out run
    run 0 sweep --widths 4:24:4 --samples 300 --no-figure --solver frozen,lm --max-iterations 2 --out other
    untimed run/fits.csv >a
    run 0 sweep --widths 6 --samples 300 --no-figure --arch glu --seeds 1 --out run
    [ "$(wc -l <run/fits.csv)" -eq $(($(wc -l <a) + 1)) ] || no "not one row more"
    grep -v '^glu,relu,runge3,1,6,' run/fits.csv >without
    untimed without >b
    sort a >a.sorted
    sort b >b.sorted
    same a.sorted b.sorted
}

test_join() {
    run 0 sweep $small --arch mlp --out one
    run 0 sweep $small --arch glu,gqu --out two
    run 0 sweep $small --arch mlp,glu,gqu --out all
    run 0 join one two --no-figure --out both
    for file in fits.csv slopes.csv series.csv; do
        sed 1d all/$file | cut -d, -f1-19,21- | sort >a
        sed 1d both/$file | cut -d, -f1-19,21- | sort >b
        [ $file = fits.csv ] || { sed 1d all/$file | sort >a; sed 1d both/$file | sort >b; }
        same a b
    done
    run 0 sweep $small --arch mlp,glu,gqu --out both
    grep -q 'kept 12, computed 0' err || no "$(cat err)"
    run 2 join one two
    says "--out"
    run 2 join --out more
    says "name the folders"
    run 2 join none one --out more
    says "none/run.json"
    [ ! -e more ] || no "a folder was made"
    run 0 sweep --widths 4:16:4 --samples 301 --no-figure --out else
    run 2 join one else --out more
    says "--samples" "else/run.json" "one/run.json"
    run 2 join one --out else
    says "--samples" "--out"
    # What would remove rows before they are read is refused, by whatever name the folder goes.
    cp -r one kept
    run 2 join one two --out ./one/ --fresh --no-figure
    says "--fresh" "one"
    same kept/fits.csv one/fits.csv
    rm kept/fits.csv
    run 2 join one kept --out more
    says "kept" "no fits"
    mkdir kept/fits.csv
    run 2 join one kept --out more
    says "kept/fits.csv" "cannot be read"
    rm -r kept more
    cp -r one torn
    head -c -9 one/fits.csv >torn/fits.csv
    run 0 join torn two --no-figure --out more
    grep -q '^torn/fits.csv: the last line was cut short' err || no "$(cat err)"
    [ "$(wc -l <more/fits.csv)" -eq 12 ] || no "$(cat more/fits.csv)"
    head -c 99 one/run.json >torn/run.json
    run 2 join two torn --out more
    says "torn/run.json"
    run 2 join torn two --out more
    says "torn/run.json"
    sed 's/"samples": [0-9]*/"samples": "many"/' one/run.json >torn/run.json
    run 2 join torn two --out more
    says "torn/run.json" "--samples" "many"
    run 0 fit --arch glu --width 6 --samples 300 --no-figure --out single
    run 2 join single one --out more
    says "single/run.json" "steep fit"
}

# The points of a data file are read again when folders are joined: they must be there, and the same.
test_join_points() {
    awk 'BEGIN { print "x,y"; for (i = 0; i < 90; i++) printf "%.3f,%.6f\n", i / 90, sin(i / 9) }' >d.csv
    run 0 sweep --data d.csv --arch mlp --widths 4,8 --no-figure --out one
    run 0 sweep --data d.csv --arch glu --widths 4,8 --no-figure --out two
    run 0 sweep --data d.csv --arch mlp,glu --widths 4,8 --no-figure --out all
    run 0 join one two --no-figure --out both
    untimed all/fits.csv >a
    untimed both/fits.csv >b
    same a b
    cp d.csv e.csv
    echo 2,3 >>d.csv
    run 2 join one two --no-figure --out other
    says "one/run.json" "other points"
    rm d.csv
    run 2 join one two --no-figure --out other
    says "one/run.json" "d.csv"
    [ ! -e other ] || no "a folder was made"
    cp e.csv d.csv
    run 0 join one two --no-figure --out other
}

# Networks that cannot be written: the run says so, and rows stand for networks that are there.
test_networks_cannot_be_kept() {
    chmod 777 .
    mkdir -m 777 run
    as_nobody "$steep" sweep $small --out run >out 2>err || no "$(cat err)"
    mkdir -m 555 run/networks
    local status=0
    as_nobody "$steep" sweep $small --keep-networks --out run >out 2>err || status=$?
    [ $status -eq 1 ] || no "exit status $status: $(cat err)"
    grep -q '^steep: run/networks/mlp.*: cannot be' err || no "$(cat err)"
    rm -rf run/networks
    echo >run/networks
    status=0
    "$steep" sweep $small --keep-networks --out run >out 2>err || status=$?
    [ $status -eq 2 ] || no "exit status $status: $(cat err)"
    grep -q '^steep: .*run/networks' err || no "$(cat err)"
    rm run/networks
    run 0 sweep $small --keep-networks --out run
    grep -q 'kept 0, computed 12' err || no "$(cat err)"
    [ "$(ls run/networks | wc -l)" -eq 12 ] || no "$(ls run/networks)"
    [ "$(wc -l <run/fits.csv)" -eq 13 ] || no "$(cat run/fits.csv)"
}

test_solvers_and_starts_side_by_side() {
    run 0 sweep --arch glu --solver frozen,lm --start uniform,random --widths 4,8 --samples 200 --max-iterations 3 --no-figure --out run
    [ "$(wc -l <run/fits.csv)" -eq 9 ] || no "$(cat run/fits.csv)"
    for label in 'glu, frozen, uniform' 'glu, frozen, random' 'glu, lm, uniform' 'glu, lm, random'; do
        grep -q "^$label " out || no "no $label: $(cat out)"
        grep -q "\"$label\"" run/series.csv || no "no $label in series.csv"
    done
    run 2 sweep --solver frozen,lmm --out other
    says "lm" "--solver"
}

# --certify: the continuous error of quadrature lies in the enclosure, and the largest that was seen below its upper end.
test_certify() {
    run 0 fit --arch glu --width 6 --target cos4 --test gauss --certify --no-figure --out c
    for word in RMSE sup gradient W1inf rounding; do grep -q "^  $word " out || no "$(cat out)"; done
    number() { sed -n "s/.*\"$1\": \([0-9.e-]*\),*$/\1/p" c/parameters.json; }
    awk -v low="$(number certified_rmse_low)" -v high="$(number certified_rmse_high)" -v rmse="$(number rmse_test)" \
        -v sup="$(number certified_sup_high)" -v seen="$(number max_error)" -v w="$(number certified_w1inf_low)" \
        'BEGIN { exit !(low > 0 && low <= rmse * (1 + 1e-9) && rmse <= high * (1 + 1e-9) && high <= low * (1 + 2e-6) &&
            seen <= sup * (1 + 1e-9) && w > sup) }' || no "$(cat c/parameters.json)"
    # What is printed in 12 digits holds what is enclosed.
    local norm low high
    for norm in RMSE=rmse sup=sup gradient=gradient W1inf=w1inf; do
        read -r low high < <(sed -n "s/^  ${norm%=*} .*in \[\(.*\), \(.*\)\].*/\1 \2/p" out)
        python3 -c 'import sys; from fractions import Fraction as F; a, b, c, d = map(F, sys.argv[1:]); sys.exit(not (a <= b <= c <= d))' \
            "$low" "$(number "certified_${norm#*=}_low")" "$(number "certified_${norm#*=}_high")" "$high" || no "$norm: $(cat out)"
    done
    ! grep -q leaky out || no "$(cat out)"
    run 0 fit --arch mlp:leaky_relu --width 2 --certify
    grep -q 'leaky_relu with slope 1/100' out || no "$(cat out)"
    run 0 fit --arch mlp --width 9 --target sin4sin4 --certify --vector-norm max --certify-bits 64 --certify-tolerance 0.1
    grep -q 'in the max norm, by balls' out || no "$(cat out)"
    awk 'BEGIN { print "x,y"; for (i = 0; i < 90; i++) printf "%.3f,%.6f\n", i / 90, sin(i / 9) }' >d.csv
    run 2 fit --data d.csv --certify
    says "points from a file"
    run 2 fit --certify --certify-bits 9
    says "32 to 4096"
}

test_separate() {
    local header=witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,certified_high,restarts,hits,status,seconds
    run 0 separate --class relu --width 1:3 --restarts 8 --certify --out run
    [ "$(head -n 1 run/separation.csv)" = "$header" ] && [ "$(wc -l <run/separation.csv)" -eq 4 ] || no "$(cat run/separation.csv)"
    # 1/m + 1/(4 m^2) at widths 2 and 3, inside what is certified, and not below the bound.
    awk -F, 'NR > 2 { m = $3; s = 1 / m + 1 / (4 * m * m); if (($10 - s) ^ 2 > 1e-18 || $11 > s + 1e-12 || $12 < s - 1e-12 || $10 < $6 - 1e-12) exit 1 }' \
        run/separation.csv || no "$(cat run/separation.csv)"
    [ -s run/separation.svg ] && [ -s run/separation.gp ] || no "no figure"
    [ "$(field run/run.json state)" = "done" ] || no "$(cat run/run.json)"
    run 0 predict run/networks/width-3.json --grid 5
    cp run/separation.csv before.csv
    run 0 separate --class relu --width 1:3 --restarts 8 --certify --out again --no-figure
    same <(sed 's/,[^,]*$//' before.csv) <(sed 's/,[^,]*$//' again/separation.csv)
    run 2 separate --class gelu --width 1:3 --restarts 8 --out run; says run --fresh
    same before.csv run/separation.csv
    run 0 separate --class gelu --width 1 --restarts 2 --out run --fresh --no-figure
    [ "$(cut -d, -f2 run/separation.csv | tail -n 1)" = gelu ] && [ ! -e run/networks/width-3.json ] || no "--fresh keeps the old"
    # Kinks of formulas, wherever they are: two gates, which face either way, are the function.
    run 0 separate --witness 'abs(x-0.37)' --class relu --width 2 --certify
    awk '$1 == 2 { found = 1; exit !($5 < 1e-14) } END { exit !found }' out || no "$(cat out)"
    run 2 separate --class rellu; says rellu relu
    run 2 separate --witness nowhere; says nowhere
    run 2 separate --width 0; says width
    run 2 separate --width 1:201; says width 200
    run 2 separate --lambda 0; says lambda
    run 2 separate --class polynorm --witness moa_type1; says polynorm
    run 2 separate --class relu --witness 'x+'; says x+
}

test_load() {
    run 0 fit --arch glu --width 6 --target cos4 --solver lm --max-iterations 20 --out part
    run 0 fit --load part/parameters.json --target cos4 --solver lm --max-iterations 1 --out rest
    grep -q 'start part/parameters.json' out || no "$(cat out)"
    # One step from there is a little better than there; one from the start of its own is far from it.
    local there here
    there=$(sed -n 's/.*"rmse_train": \([0-9.e-]*\),.*/\1/p' part/parameters.json)
    here=$(sed -n 's/.*"rmse_train": \([0-9.e-]*\),.*/\1/p' rest/parameters.json)
    awk "BEGIN { exit !($here <= $there && $here > 0.5 * $there) }" || no "from $there to $here"
    run 0 fit --arch glu --width 6 --target cos4 --solver lm --max-iterations 1 --out own
    here=$(sed -n 's/.*"rmse_train": \([0-9.e-]*\),.*/\1/p' own/parameters.json)
    awk "BEGIN { exit !($here > 1.5 * $there) }" || no "its own start gives $here, too"
    run 2 fit --load part/parameters.json --arch glu
    says "--arch"
    run 2 fit --load part/parameters.json --width 6
    says "--width"
    run 2 fit --load part/parameters.json --target 'x*y'
    says "1D"
    run 2 fit --load part/parameters.json --solver construct
    says "construct"
    run 2 fit --load none.json
    says "none.json"
    head -c 300 part/parameters.json >torn.json
    run 2 fit --load torn.json
    says "torn.json"
    # A mixture has its dictionary in the file, too.
    run 0 fit --arch la --dictionary grs --width 6 --solver lm --max-iterations 5 --no-figure --out mixture
    run 0 fit --load mixture/parameters.json --solver lm --max-iterations 1 --no-figure --out mixture2
    diff <(field mixture/parameters.json dictionary) <(field mixture2/parameters.json dictionary) || no "another dictionary"
}

# A network of scaled points goes on with the same points and scales only.
test_load_points() {
    awk 'BEGIN { print "x,y"; for (i = 0; i < 90; i++) printf "%.3f,%.6f\n", i / 9, 50 * sin(i / 20) }' >d.csv
    sed '3d' d.csv >e.csv
    run 0 fit --data d.csv --standardize --arch glu --width 5 --solver lm --max-iterations 9 --no-figure --out part
    run 0 fit --load part/parameters.json --data d.csv --standardize --solver lm --max-iterations 1 --no-figure --out rest
    for options in "--data d.csv" "--data e.csv --standardize" "--data d.csv --standardize --holdout 0.2" "--target cos4"; do
        run 2 fit --load part/parameters.json $options --solver lm --no-figure --out other
        says "other scales" "--standardize"
    done
}

# What a fit writes beside its network: when a file cannot be made, the message names it.
test_fit_files_cannot_be_written() {
    for file in residuals.csv units.csv gates.csv parameters.json; do
        run 0 fit --arch glu --width 5 --samples 100 --no-figure --out run
        rm run/$file
        mkdir -p run/$file/in
        run 1 fit --arch glu --width 5 --samples 100 --no-figure --out run
        grep -q "^steep: run/$file.*cannot be" err || no "$file: $(cat err)"
        rm -r run/$file
    done
}

# On a terminal a sweep says how far it is, and wipes that away at the end; into a file it says nothing.
test_progress() {
    command -v script >/dev/null || return 0 # part of util-linux
    local sweep="sweep --arch glu --solver lm --widths 20:30 --samples 500 --max-iterations 20 --no-figure"
    script -qec "$steep $sweep --out run" typed >/dev/null 2>&1 </dev/null || no "$(cat typed)"
    grep -q ' of 11 fits, [0-9]* % of the work' typed || no "no progress: $(cat typed)"
    grep -q 'about [0-9]* s left' typed || no "no time left: $(cat typed)"
    script -qec "$steep $sweep --quiet --fresh --out run" typed >/dev/null 2>&1 </dev/null || no "$(cat typed)"
    ! grep -q '% of the work' typed || no "progress in spite of --quiet"
}

# Without a penalty the table says what float32 loses, with one nothing; the folder holds rows of one penalty.
test_penalty() {
    local smooth="--target exp(-3*((x-.2)^2+y^2))*sin(5*x*y) --arch glu:silu --widths 20 --solver varpro --max-iterations 25 --samples 900 --no-figure"
    run 0 sweep $smooth --out none
    grep -q 'float32: [-+.0-9e]* at width 20 (use --penalty)' out || no "$(cat out)"
    run 0 sweep $smooth --penalty 1e-12 --out ridge
    grep -q float32 out && no "$(cat out)"
    awk -F, 'NR > 1 && !($25 != "" && $24 < 1.1 * $13 && $23 < 1e6) { exit 1 }' ridge/fits.csv || no "$(cat ridge/fits.csv)"
    awk -F, 'NR > 1 && !($24 > 10 * $13) { exit 1 }' none/fits.csv || no "$(cat none/fits.csv)"
    run 2 sweep $smooth --penalty 1e-9 --out ridge; says penalty 1e-12 1e-09
    run 2 sweep --solver construct --penalty 1e-9 --out c; says "minimises nothing" "--solver frozen"
    [ ! -e c ] || no "a folder"
    run 2 fit --penalty -1; says penalty
    run 2 fit --penalty nan; says penalty
    run 0 fit --target runge3 --arch mlp --width 6 --penalty 1e-9 --no-figure
    grep -q 'in float32' out && grep -q dense out || no "$(cat out)"
    # 0 is nothing said, to the bit
    run 0 sweep $small --out a
    run 0 sweep $small --penalty 0 --out b
    cmp <(untimed a/fits.csv) <(untimed b/fits.csv) || no "--penalty 0 changes rows"
}

test_two_targets() {
    run 0 sweep $small --target 'cos4;runge3' --out run
    [ "$(grep -c '^$' out)" -ge 1 ] || no "no blank line between the tables: $(cat out)"
    for target in cos4 runge3; do grep -q "^$target: " out || no "no table of $target"; done
    [ "$(wc -l <run/fits.csv)" -eq 25 ] || no "$(cat run/fits.csv)"
}

test_points_with_a_test() {
    awk 'BEGIN { srand(7); print "t;p q;value;note"
        for (i = 0; i < 200; i++) { a = 50 * rand(); b = 1e5 + 1e4 * rand(); printf "%.6f;%.3f;%.6f;n%d\n", a, b, 300 + 20 * sin(a / 9) + (b - 1e5) / 3e3, i } }' >d.csv
    run 0 sweep --data d.csv --x 't,p q' --y value --holdout 0.2 --standardize --arch glu --solver lm --max-iterations 100 --widths 6 --no-figure --keep-networks --out run
    [ "$(cut -d, -f11 run/fits.csv | tail -n 1)" = 160 ] || no "$(cat run/fits.csv)"
    # The error in the row is that of the network's predictions, on the points in their own units.
    run 0 predict run/networks/*.json --data d.csv --y value --out predicted.csv
    local whole row
    whole=$(sed -n 's/^RMSE \([0-9.e+-]*\) .*/\1/p' err)
    row=$(awk -F, 'NR == 2 { print sqrt((160 * $12 * $12 + 40 * $13 * $13) / 200) }' run/fits.csv)
    awk "BEGIN { exit !($whole > 0 && $whole / $row < 1.0001 && $row / $whole < 1.0001) }" || no "RMSE $whole, rows say $row"
    run 2 sweep --data d.csv --x 't,pq' --y value --widths 4 --out other
    says "pq" "p q"
    run 2 sweep --data d.csv --x t --y value --holdout 0.2 --test-data d.csv --widths 4 --out other
    run 2 sweep --holdout 0.2 --out other
    says "--holdout" "--data"
    # The points of the test belong to the folder, too.
    head -n 50 d.csv >t.csv
    run 0 sweep --data d.csv --test-data t.csv --x 't,p q' --y value --arch glu --widths 4 --no-figure --out tested
    run 0 sweep --data d.csv --test-data t.csv --x 't,p q' --y value --arch glu --widths 4 --no-figure --out tested
    head -n 40 d.csv >t.csv
    run 2 sweep --data d.csv --test-data t.csv --x 't,p q' --y value --arch glu --widths 4 --no-figure --out tested
    says "other points"
    rm t.csv
    run 2 sweep --data d.csv --test-data t.csv --x 't,p q' --y value --arch glu --widths 4 --no-figure --out tested
    says "t.csv"
    run 2 sweep --data d.csv --x 't,p q' --y value --holdout 0.3 --standardize --arch glu --solver lm --max-iterations 100 --widths 6 --no-figure --out run
    says "--holdout"
}

# A formula is scaled by its box and its own values; what is reported, saved and predicted is in its units.
test_standardized_formula() {
    run 0 fit --target friedman2 --standardize --test random --samples 400 --arch glu --width 3 --solver lm --max-iterations 30 --out run
    grep -q '"scaling of the data"' run/parameters.json || no "no scales in parameters.json"
    local said whole
    said=$(awk '$1 == "test" { print $3 }' out)
    whole=$(awk -F, 'NR > 1 { s += $7 * $7 } END { print sqrt(s / (NR - 1)) }' run/residuals.csv)
    awk "BEGIN { exit !($said > 1 && $said < 200 && $whole / $said < 1.00001 && $said / $whole < 1.00001) }" || no "test RMSE $said, residuals say $whole"
    run 0 predict run/parameters.json --data run/residuals.csv --x x1,x2,x3,x4 --y y --out predicted.csv
    cmp <(cut -d, -f6 run/residuals.csv) <(cut -d, -f6 predicted.csv) || no "predicted otherwise"
    awk -F, 'NR > 1 && ($1 < 0 || $1 > 100 || $2 < 125.6 || $4 < 1 || $4 > 11) { exit 1 }' run/residuals.csv || no "points outside the box"
    run 0 fit --load run/parameters.json --target friedman2 --standardize --samples 300 --solver lm --max-iterations 1 --no-figure --out more
    run 2 fit --load run/parameters.json --target friedman2 --samples 300 --solver lm --max-iterations 1 --no-figure --out other
    says "other scales"
    # In one dimension what needs the formula as it is says so; the error is that of the other units.
    run 2 fit --target cos4 --standardize --solver construct --out other
    says "--standardize"
    run 2 fit --target cos4 --standardize --test gauss --out other
    says "--standardize"
    run 0 sweep --target 'cos4;7+3*cos(4*x)' --standardize --arch mlp --widths 20 --samples 500 --no-figure --out line
    awk -F, 'NR > 1 { e[NR] = $13 } END { exit !(e[3] / e[2] > 2.9999 && e[3] / e[2] < 3.0001) }' line/fits.csv || no "$(cat line/fits.csv)"
}

# In 2D and more: the surface is the network's, and lines stand where its gates are 0, on a plane through the centre.
test_fit_maps() {
    run 0 fit --target 'sin(3*x)*y' --domain '-1:1,0:5' --arch glu --width 6 --solver lm --start random --samples 300 --max-iterations 20 --out flat
    for file in surface.csv gates.csv residuals.csv fit.gp fit.svg fit.png fit.pdf; do [ -s flat/$file ] || no "no $file"; done
    [ "$(head -n 1 flat/surface.csv)" = x1,x2,network,target,residual ] || no "$(head -n 1 flat/surface.csv)"
    grep -v '^$' flat/surface.csv >flat.csv
    run 0 predict flat/parameters.json --data flat.csv --x x1,x2 --out predicted.csv
    paste -d, flat.csv predicted.csv | awk -F, 'NR > 1 { d = $3 - $8; m = d * d > m ? d * d : m } END { exit !(NR == 14642 && m < 1e-14) }' || no "another surface"
    awk -F, 'NR > 1 { d = $4 - sin(3 * $1) * $2; m = d * d > m ? d * d : m } END { exit !(m < 1e-14) }' flat.csv || no "another target"
    run 0 fit --target 'x*y+z*x4' --domain '-1:1,0:5,2:3,-9:9' --standardize --test random --arch mlp --width 9 --solver lm --start random --samples 300 --max-iterations 20 --slice 4,2 --no-figure --out slice
    [ "$(head -n 1 slice/surface.csv)" = x4,x2,network,target,residual ] || no "$(head -n 1 slice/surface.csv)"
    run 2 fit --target 'x*y*z' --arch mlp --slice 1,4 --samples 300 --no-figure --out other
    says "--slice"
    # Of points from a file the plane is through the medians, far from the middle of a skewed column.
    awk 'BEGIN { srand(5); print "a,b,c,d,y"; for (i = 0; i < 301; i++) { a = rand(); b = exp(9 * rand()); c = rand(); d = rand() ^ 6; print a "," b "," c "," d "," a * c + log(b) * d } }' >skewed.csv
    run 0 fit --data skewed.csv --x a,b,c,d --y y --standardize --arch glu --width 4 --slice 3,1 --out medians
    median() { tail -n +2 skewed.csv | cut -d, -f"$1" | sort -g | sed -n 151p; }
    grep -v '^$' medians/surface.csv | awk -F, -v b="$(median 2)" -v d="$(median 4)" 'NR > 1 { print $2 "," b "," $1 "," d "," $3 } NR == 1 { print "a,b,c,d,n" }' >plane.csv
    run 0 predict medians/parameters.json --data plane.csv --x a,b,c,d --out predicted.csv
    paste -d, plane.csv predicted.csv | awk -F, 'NR > 1 { d = $5 - $10; m = d * d > m ? d * d : m } END { exit !(NR == 14642 && m < 1e-14) }' || no "the plane is not through the medians"
    grep -q 'other columns at their medians' medians/fit.svg || no "the picture does not say so"
    if command -v python3 >/dev/null; then
        for folder in flat slice; do
            python3 - $folder <<'PY' || no "$folder: lines are not where gates are 0"
import csv, json, sys
p = json.load(open(sys.argv[1] + "/parameters.json"))
rows = list(csv.DictReader(open(sys.argv[1] + "/gates.csv")))
low, high = zip(*p["domain"])
scale = p.get("scaling of the data", {}).get("x", {"mean": [0] * 4, "scale": [1] * 4})
axes = [3, 1] if len(low) == 4 else [0, 1]
gates = p["blocks"][0]["values"]
assert rows
for row in rows:
    gate = gates[int(row["unit"]) - 1]
    for end in ("from", "to"):
        x = [(a + b) / 2 for a, b in zip(low, high)]
        for k in (0, 1):
            x[axes[k]] = float(row[end + str(k + 1)])
        z = gate[-1] + sum(g * (v - m) / s for g, v, m, s in zip(gate, x, scale["mean"], scale["scale"]))
        assert abs(z) < 1e-6 * sum(map(abs, gate)), z
        assert any(abs(x[j] - e) < 1e-6 * (high[j] - low[j]) for j in axes for e in (low[j], high[j])), x
PY
        done
    fi
}

# The formulas of P in n and d are the numbers in any dimension, and those of networks.
test_list_parameters() {
    run 0 list architectures
    cp out formulas
    command -v python3 >/dev/null || return 0
    for dim in 1 2 3 4 9; do
        run 0 list architectures --dim $dim
        python3 - formulas out $dim <<'PY' || no "$dim dimensions: other numbers"
import re, sys
def column(path):
    rows = {}
    for line in open(path):
        name = re.match(r"  ([a-z][a-z0-9-]*) +(n\(.*?\)(?:/2)?|\d+n) \+ ([^a-ce-z]*?)(?:  |$)", line)
        if name: rows[name[1]] = (name[2], name[3])
    return rows
def at(text, d):
    text = re.sub(r"(\d)([nd(])", r"\1*\2", text.replace("^", "**"))
    return eval(text.replace("n(", "(") if text.startswith("n(") else text, {"d": d, "n": 1})
formulas, numbers, d = column(sys.argv[1]), column(sys.argv[2]), int(sys.argv[3])
assert len(formulas) > 30 and formulas.keys() == numbers.keys(), (len(formulas), formulas.keys() ^ numbers.keys())
for name in formulas:
    for part in (0, 1):
        assert at(formulas[name][part], d) == at(numbers[name][part], d), (name, formulas[name], numbers[name])
PY
    done
    run 0 fit --arch qd-moa --target 'x+y*z' --width 3 --samples 300 --solver lm --max-iterations 40 --no-figure
    grep -q ', 140 parameters' out || no "$(head -n 1 out)" # 3 (2 3 + 3) + 28 3 + 29
}

test_domain() {
    run 0 sweep --target 'sin(4*x)*sin(4*y)' --domain '-1:1,0:pi' --arch mlp --widths 4,8 --samples 300 --no-figure --keep-networks --out run
    grep -q '3.14159265' run/networks/*w4-*.json || no "no domain in $(ls run/networks)"
    run 2 sweep --target 'sin(4*x)*sin(4*y)' --domain '-1:1' --arch mlp --widths 4,8 --samples 300 --no-figure --out run
    says "--domain"
    run 2 sweep --domain 1:-1 --out other
    says "1:-1"
    run 0 sweep --target 'x1*x12' --arch mlp --widths 4 --samples 300 --no-figure --out dim
    [ "$(cut -d, -f4 dim/fits.csv | tail -n 1)" = 12 ] || no "$(cat dim/fits.csv)"
}

test_networks_kept() {
    run 0 sweep $small --keep-networks --out run
    [ "$(ls run/networks | wc -l)" -eq 12 ] || no "$(ls run/networks)"
    run 0 predict run/networks/glu-relu-runge3-frozen-uniform-w8-s0.json --grid 11
    [ "$(wc -l <out)" -eq 12 ] || no "$(cat out)"
    run 0 sweep $small --fresh --no-figure --out run
    [ ! -e run/networks ] || no "networks stay after --fresh"
    # A link is not followed: what it leads to is somebody's.
    mkdir others && echo mine >others/mine.json && ln -s ../others run/networks
    run 0 sweep $small --fresh --keep-networks --out run
    [ "$(cat others/mine.json)" = mine ] || no "--fresh removed files behind a link"
    [ ! -L run/networks ] && [ "$(ls run/networks | wc -l)" -eq 12 ] || no "$(ls -l run)"
}

test_other_options_refused() {
    run 0 sweep $small --out run
    cp -r run before
    run 2 sweep --widths 4:16:4 --samples 301 --no-figure --out run
    says "--samples 300 and this command has 301" "--fresh"
    diff -r -x .lock before run >/dev/null || no "something changed"
    run 0 sweep --widths 4:16:4 --samples 301 --no-figure --fresh --out run
    cut -d, -f11 run/fits.csv | grep -qx 301 || no "not begun anew"
    run 2 fit --width 5 --out run
    says "steep sweep"
}

test_foreign_folder() {
    mkdir mine
    echo hello >mine/slopes.csv
    run 2 sweep $small --out mine
    says "no run.json" slopes.csv
    run 2 sweep $small --fresh --out mine
    run 2 fit --out mine
    [ "$(ls -A mine)" = slopes.csv ] && [ "$(cat mine/slopes.csv)" = hello ] || no "touched"
    echo '{"name": "else"}' >mine/run.json
    run 2 sweep $small --fresh --out mine
    says "no record of a run of steep"
    [ "$(ls -A mine | wc -l)" -eq 2 ] || no "touched"
}

test_unwritable_folder() {
    echo text >file
    run 2 sweep $small --out file
    says "no folder"
    run 2 sweep $small --out file/sub
    says "cannot make"
    run 2 sweep $small --out /proc/steep
    says "--out /proc/steep"
    mkdir closed
    chmod 555 closed
    chmod 755 .
    local status=0
    as_nobody "$steep" sweep $small --out closed >out 2>err || status=$?
    [ $status -eq 2 ] || no "exit status $status"
    says "cannot write there"
    as_nobody "$steep" sweep $small --out closed/sub >out 2>err && no "made a folder in a closed one"
    [ -z "$(ls -A closed)" ] || no "something was written"
}

# A limit on the size of files stands for a full disk; a real small one where root can mount it.
test_full_disk() {
    local options="--widths 4:103:3 --samples 300 --no-figure --jobs 2" status=0
    run 0 sweep $options --out whole
    untimed whole/fits.csv >a
    (ulimit -f 8 && exec "$steep" sweep $options --out full) >out 2>err || status=$?
    [ $status -eq 1 ] || no "exit status $status: $(cat err)"
    says "fits.csv" "cannot write"
    [ "$(tail -c 1 full/fits.csv | od -An -c | tr -d ' ')" = '\n' ] || no "a torn line stays"
    [ "$(wc -l <full/fits.csv)" -gt 10 ] || no "rows were lost"
    cp full/fits.csv before
    run 0 sweep $options --out full
    grep -q "kept $(($(wc -l <before) - 1))," err || no "$(cat err)"
    untimed full/fits.csv >b
    same a b
}

test_full_disk_mounted() {
    mkdir disk
    mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null || return 0 # not allowed here
    (
        status=0
        "$steep" sweep --widths 4:400:1 --samples 1500 --no-figure --out disk/run >out 2>err || status=$?
        [ $status -eq 1 ] || no "exit status $status: $(cat err)"
        says "No space left"
        [ "$(tail -c 1 disk/run/fits.csv | od -An -c | tr -d ' ')" = '\n' ] || no "a torn line stays"
    ) || { umount disk; return 1; }
    umount disk
}

# --- devices: the host twin of the GPU's code in its place ---

twin=$top/${BUILD#"$top"/}/lib/steep_twin.so
faulty=$top/${BUILD#"$top"/}/tests/faulty_device.so
on_device="--arch mlp,glu --solver lm --start random --widths 2:3 --seeds 0:1 --samples 80 --max-iterations 4 --no-figure"

test_device() {
    run 0 sweep $on_device --out cpu
    export STEEP_CUDA_OBJECT=$twin
    run 0 doctor
    grep -q '^device cuda *host twin' out || no "doctor says nothing of the twin: $(grep '^device' out)"
    run 0 sweep $on_device --device cuda --out device
    [ "$(grep -c ',twin,' device/fits.csv)" -eq 8 ] || no "$(cat device/fits.csv)"
    sed -i 's/,twin,/,cpu,/' device/fits.csv
    cut -d, -f1-19 cpu/fits.csv >a
    cut -d, -f1-19 device/fits.csv >b
    same a b
    [ "$(field device/run.json device)" = cuda ] || no "device in run.json"
    field device/run.json device_found | grep -q 'host twin' || no "device_found in run.json"
    run 0 sweep $on_device --unit 'exp(-z1^2)*z2' --device cuda --out formula
    [ "$(grep -c ',cpu,' formula/fits.csv)" -eq 4 ] || no "$(cat formula/fits.csv)"
    [ "$(grep -c 'fits run on the CPU' err)" -eq 1 ] || no "$(cat err)"
    run 0 fit --solver lm --arch glu --width 3 --samples 80 --device cuda
    grep -q '^  device  *twin' out || no "$(cat out)"
    run 0 fit --device cuda --target sin4sin4 --solver frozen --samples 300
    grep -q '^  device  *twin' out || no "$(cat out)"
    for solver in newton reduced-newton frozen; do
        run 0 fit --device cuda --solver $solver --arch glu --width 3 --samples 80
        grep -q 'this fit runs on the CPU: ' err || no "$(cat err)"
    done
    run 2 fit --device cuda --iterations; says --iterations
    STEEP_CUDA_MEMORY=1e3 run 2 sweep --device cuda --out run; says STEEP_CUDA_MEMORY 1e3
    STEEP_CUDA_NARROW=0 run 2 sweep --device cuda --out run; says STEEP_CUDA_NARROW "'0'"
    (cd "$top" && TWIN=1 RESULTS=$OLDPWD/results bash tests/bench_gpu.sh) >said || no "$(cat said)"
    [ "$(wc -l <results/gpu-twin/gpu.csv)" -eq 5 ] || no "$(cat said)"
}

test_device_fails() {
    export STEEP_CUDA_OBJECT=$faulty
    STEEP_FAULT=none run 2 sweep $on_device --device cuda --out run; says "no GPU was found" "--device cpu"
    STEEP_FAULT=version run 2 fit --device cuda; says "of interface"
    STEEP_CUDA_OBJECT=$PWD/nothing.so run 2 sweep --device cuda --out run; says nothing.so "cannot be loaded"
    [ ! -e run ] || no "a folder was made"
    STEEP_FAULT=lost:3 run 1 sweep $on_device --device cuda --out run; says "what had finished is kept" "goes on"
    [ "$(wc -l <run/fits.csv)" -eq 4 ] || no "$(cat run/fits.csv)"
    STEEP_FAULT=room:0 run 1 sweep $on_device --device cuda --out run; says "no memory" "what had finished is kept"
    run 0 sweep $on_device --out run
    grep -q 'kept 3, computed 5' err || no "$(cat err)"
}

test_no_object() {
    [ ! -e "$top/${BUILD#"$top"/}/lib/steep_cuda.so" ] || return 0
    unset STEEP_CUDA_OBJECT
    run 2 sweep --device cuda --out run
    says steep_cuda.so "--device cpu"
    [ ! -e run ] || no "a folder was made"
    run 0 doctor
    grep -q '^device cuda .*steep_cuda.so' out || no "$(cat out)"
}

# --- faults ---

# fake COMMANDS: a gnuplot of ours, the first in PATH.
fake() {
    mkdir -p bin
    printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH
}

# What is printed goes nowhere where a stream is closed, and into no file of the run.
test_closed_streams() {
    run 0 sweep $small --out open
    local status=0
    "$steep" sweep $small --out one >&- || status=$?
    [ $status -eq 0 ] || no "stdout closed: exit status $status"
    "$steep" sweep $small --out two 2>&- >/dev/null || no "stderr closed"
    "$steep" sweep $small --out all <&- >&- 2>&- || no "all closed"
    for folder in one two all; do
        grep -qx 'process [0-9]* on [^ ]*' $folder/.lock || no "$folder/.lock: $(cat $folder/.lock)"
        untimed open/fits.csv >a
        untimed $folder/fits.csv >b
        same a b
        same open/slopes.csv $folder/slopes.csv
    done
}

# A link at the name of a temporary file, or of a picture, leads nowhere: its target stays as it is.
test_links_lead_nowhere() {
    run 0 sweep --widths 4:16:4 --samples 300 --out run
    echo mine >victim
    local file
    for file in fits.csv slopes.csv series.csv slopes.gp run.json.new; do ln -s ../victim run/$file.0a1b2c3d.tmp; done
    rm run/slopes.svg run/.lock
    ln victim run/.lock
    ln -s ../victim run/slopes.svg
    run 0 sweep --widths 4:20:4 --samples 300 --out run
    [ "$(cat victim)" = mine ] || no "the victim holds $(head -n 1 victim)"
    [ -z "$(find run -type l)" ] || no "links stay: $(find run -type l)"
    rm run/.lock
    ln -s ../made run/.lock
    run 2 sweep --widths 4:20:4 --samples 300 --out run
    says .lock "is a link"
    [ ! -e made ] || no "a lock was made elsewhere"
    rm run/.lock run/fits.csv
    ln -s ../made run/fits.csv
    run 2 sweep --widths 4:24:4 --samples 300 --no-figure --out run
    says run/fits.csv "is a link"
    [ ! -e made ] || no "rows were written elsewhere"
    rm run/fits.csv
    mkfifo run/fits.csv
    timeout 20 "$steep" sweep --widths 4:24:4 --samples 300 --no-figure --out run >out 2>err
    [ $? -eq 2 ] || no "a pipe in the place of fits.csv: $(cat err)"
    says run/fits.csv "no file"
    run 0 separate --class relu --width 1 --restarts 1 --no-figure --out apart
    ln -sf ../victim apart/separation.csv
    run 0 separate --class relu --width 1 --restarts 1 --no-figure --out apart
    [ "$(cat victim)" = mine ] || no "the victim holds $(head -n 1 victim)"
    mkdir pipe
    mkfifo pipe/run.json # which nobody writes into
    local status=0
    timeout 20 "$steep" sweep --widths 4 --samples 60 --no-figure --out pipe >/dev/null 2>err || status=$?
    [ "$status" -eq 2 ] || no "a pipe for run.json: exit status $status: $(cat err)"
}

# A reader that goes away ends no run in the middle: its record says how it ended.
test_broken_pipe() {
    { "$steep" sweep $small --out run 2>/dev/null || echo $? >status; } | true
    [ "$(field run/run.json state)" = "done" ] || no "state $(field run/run.json state)"
    [ "$(cat status)" -eq 141 ] || no "exit status $(cat status)"
    "$steep" sweep $small --fresh --out run 2>&1 >/dev/null | true
    [ "$(field run/run.json state)" = "done" ] || no "stderr: state $(field run/run.json state)"
    { "$steep" fit --arch glu --width 40 --solver lm --samples 2000 --iterations --max-iterations 2000 --no-figure --out fit 2>/dev/null || echo $? >status; } | head -n 2 >lines
    [ "$(field fit/run.json state)" = stopped ] || no "fit: state $(field fit/run.json state)"
}

# A row that was changed, or that no fit ends with, a record of another format, and rows of another version, commit or
# processor are told, and nothing is touched; the last three may stay, if they are wanted.
test_resume_believes_no_one() {
    run 0 sweep $small --out run
    cp -r run good
    local what n
    n=$(sed -n '3s/.*,cpu,300,0\.\([0-9]\).*/\1/p' run/fits.csv)
    for what in "3s/,cpu,300,0\.$n/,cpu,300,0.$(((n + 1) % 10))/" '4s/,cpu,300,[^,]*,/,cpu,300,-1,/' '5s/,cpu,300,[^,]*,/,cpu,300,1e999,/' \
        '6s/,cpu,300,[^,]*,/,cpu,300,nan,/' '7s/,cpu,300,[^,]*,/,cpu,300,0x1p-3,/' '8s/converged/stalled/' '9s/,[0-9a-f]*$/,0123456789abcdef/'; do
        sed "$what" good/fits.csv >run/fits.csv
        cp run/fits.csv spoilt
        run 2 sweep $small --out run
        says "fits.csv, line ${what%%s*}" "--fresh"
        same spoilt run/fits.csv
        same good/run.json run/run.json
        run 2 join run --no-figure --out other
        says "fits.csv, line ${what%%s*}"
    done
    cp good/fits.csv run/fits.csv
    sed 's/"format": 2/"format": 99/' good/run.json >run/run.json
    run 2 sweep $small --out run
    says "format 99" "--fresh"
    run 2 report run --out page.html
    says run/run.json "format 99"
    run 2 figure run
    says run/run.json "format 99"
    [ ! -e page.html ] && [ ! -e run/slopes.svg ] || no "something was drawn"
    sed 's/"format": 2/"format": "2"/' good/run.json >run/run.json
    run 2 sweep $small --out run
    says 'format "2", a text'
    run 2 sweep $small --mixed --out run
    for what in 's/"version": "[^"]*"/"version": "7.1"/' 's/"commit": "[^"]*"/"commit": "beef"/' 's/"kernel": "[^"]*"/"kernel": "vax"/'; do
        sed "$what" good/run.json >run/run.json
        run 2 sweep $small --out run
        says "--mixed" "--fresh"
        same good/fits.csv run/fits.csv
        run 2 join run --no-figure --out other
        says "--mixed"
        run 0 sweep $small --mixed --out run
        grep -q 'kept 12, computed 0' err || no "$(cat err)"
        run 0 sweep $small --out run
    done
    grep -q '"writers"' run/run.json || no "run.json does not say who wrote rows"
    # A folder from before there were checksums.
    sed 's/\(,[^,]*\)\{3\}$//' good/fits.csv | head -n 7 >run/fits.csv
    run 2 sweep $small --out run
    says "fits.csv" "no checksums" "--mixed" "--fresh"
    run 0 sweep $small --mixed --out run
    grep -q 'kept 6, computed 6' err || no "$(cat err)"
    cut -d, -f1-19,21,22 good/fits.csv >a
    cut -d, -f1-19,21,22 run/fits.csv >b
    same a b
    [ "$(grep -c ',nan,nan,[0-9a-f]*$' run/fits.csv)" -eq 6 ] || no "what older rows lack"
    run 0 slope run/fits.csv
}

# A gnuplot that hangs is ended, and a first Ctrl-C ends it, too; one that draws nothing is an error. The numbers stay.
test_gnuplot_hangs() {
    fake 'sleep 60'
    local status=0
    STEEP_GNUPLOT_SECONDS=0.5 "$steep" sweep --widths 4:16:4 --samples 300 --out run >out 2>err || status=$?
    [ $status -ne 0 ] && [ $status -lt 3 ] || no "exit status $status"
    grep -q '^steep: run/slopes.gp is written but not drawn: gnuplot took more than 0.5 s' err || no "$(cat err)"
    [ "$(field run/run.json state)" = "done" ] || no "state $(field run/run.json state)"
    "$steep" sweep --widths 4:16:4 --samples 300 --out run >out 2>err &
    local pid=$!
    for _ in $(seq 200); do
        pgrep -P $pid >/dev/null && break
        sleep 0.05
    done
    sleep 0.2
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ $status -eq 1 ] || no "SIGTERM: exit status $status: $(cat err)"
    grep -q '^steep: stopped while gnuplot drew' err || no "$(cat err)"
    [ "$(field run/run.json state)" = stopped ] || no "stopped in the figure: state $(field run/run.json state)"
    STEEP_GNUPLOT_SECONDS=0.5 "$steep" fit --width 4 --samples 300 --out fit >out 2>err && no "a fit is drawn"
    [ "$(field fit/run.json state)" = "done" ] || no "fit: state $(field fit/run.json state)"
    fake 'exit 0'
    for command in "sweep --widths 4:16:4 --samples 300 --out run" "figure run" "join run --out other" "fit --width 4 --samples 300 --out fit"; do
        status=0
        "$steep" $command >out 2>err || status=$?
        [ $status -ne 0 ] || no "$command: nothing is drawn, exit status 0"
        grep -q 'drew nothing' err || no "$command: $(cat err)"
    done
}

# Points from a pipe are those that were read: another run is told, a named one is not waited for twice.
test_points_from_a_pipe() {
    awk 'BEGIN { print "x,y"; for (i = 0; i < 40; i++) print i / 40, sin(i / 9) }' >a.csv
    sed 's/^0.5 .*/0.5 7/' a.csv | tr ' ' , >b.csv && tr ' ' , <a.csv >c.csv && mv c.csv a.csv
    local points="sweep --data /dev/stdin --arch mlp --no-figure"
    cat a.csv | run 0 $points --widths 4 --out piped
    run 0 sweep --data a.csv --arch mlp --no-figure --widths 4 --out file
    [ "$(field piped/run.json data-sum)" = "$(field file/run.json data-sum)" ] || no "a pipe has another sum than the file"
    cp -r piped before
    cat b.csv | run 2 $points --widths 4,6 --out piped
    says "other points"
    diff -r -x .lock piped before || no "something changed"
    cat a.csv | run 0 $points --widths 4,6 --out piped
    grep -q 'kept 1, computed 1' err || no "$(cat err)"
    mkfifo named second
    cat a.csv >named &
    cat b.csv >second &
    timeout 20 "$steep" fit --data named --test-data second --arch mlp --width 3 --no-figure --out fit >out 2>err || no "a named pipe: $(cat err)"
    [ "$(field fit/run.json data-sum)" = "$(field file/run.json data-sum)+$(cat b.csv | run 0 $points --widths 4 --out other && field other/run.json data-sum)" ] ||
        no "$(field fit/run.json data-sum)"
    # A union reads them by their name: from a pipe they cannot be had again.
    cat a.csv | run 2 join piped --out both --no-figure
    says /dev/stdin "as a file"
    run 0 join piped --out both --no-figure <a.csv
    run 2 join piped --out others --no-figure <b.csv
    says "other points"
}

# The pictures that are there stay until there are new ones, whatever becomes of gnuplot.
test_pictures_stay() {
    run 0 sweep --widths 4:16:4 --samples 300 --out run
    cp -r run good
    local path=$PATH
    for what in '' 'exit 1' 'exit 0' 'echo half >slopes.svg; exit 1'; do
        # shellcheck disable=SC2123 # a folder without programs
        if [ -z "$what" ]; then mkdir none && PATH=$PWD/none; else fake "$what"; fi
        run 1 figure run
        PATH=$path
        diff -r -x .lock run good || no "gnuplot ($what): the pictures are others"
    done
    run 0 figure run
    [ -z "$(find run -name '*.tmp')" ] || no "left: $(ls run)"
    # One that was set aside by a run that was killed is not lost, either.
    mv run/slopes.pdf run/slopes.pdf.tmp
    fake 'exit 1'
    run 1 figure run
    PATH=$path
    [ -s run/slopes.pdf ] && [ ! -e run/slopes.pdf.tmp ] || no "$(ls run)"
    rm run/slopes.pdf && mkdir run/slopes.pdf
    run 1 figure run
    says run/slopes.pdf
    [ -s run/slopes.svg ] && [ -s run/slopes.png ] || no "a folder in the place of one took the others away"
}

# A limit of gnuplot's time that is none is refused before anything is begun.
test_gnuplot_seconds() {
    local seconds command
    for seconds in abc -1 nan 0 inf 5s 0x10 1e-999; do
        for command in "sweep --widths 4:16:4 --samples 300 --out run" "fit --width 4 --samples 300 --out run" "join nowhere --out run" "figure nowhere" "separate --class relu --width 1 --restarts 1 --out run"; do
            # shellcheck disable=SC2086
            STEEP_GNUPLOT_SECONDS=$seconds run 2 $command
            says STEEP_GNUPLOT_SECONDS "'$seconds'" "more than 0"
            [ ! -e run ] || no "$command: it was begun"
        done
    done
    STEEP_GNUPLOT_SECONDS='' run 0 fit --width 4 --samples 300 --no-figure
    STEEP_GNUPLOT_SECONDS=1e2 run 0 fit --width 4 --samples 300 --no-figure
}

# --- bad use ---

test_unknown_names() {
    run 2 sweep --arch mlpp --out run; says "mlpp" "did you mean mlp?"
    run 2 sweep --arch mlp:rleu --out run; says rleu
    run 2 sweep --activation sliu --out run; says sliu silu
    run 2 sweep --target runge33 --out run; says runge33 runge3
    run 2 sweep --solver frozn --out run; says frozn frozen
    run 2 sweep --start unifrm --out run; says unifrm uniform
    run 2 sweep --sampling gird --out run; says gird grid
    run 2 sweep --device cuba --out run; says cuba
    run 2 sweep --widht 5 --out run; says --widht "did you mean --width"
    run 2 swep; says swep "did you mean 'sweep'"
    run 2 list targts; says targts targets
    run 2 fit --arch gluu; says gluu glu
    [ ! -e run ] || no "a folder was made"
}

test_bad_widths() {
    local value
    for value in 0 -1 1e12 1:0 50:1 '' ',' 1: 0:5 1:50:0 8:64:x1 8:64:x0.5 abc 3.5 99999999999999999999 1:50:; do
        run 2 sweep --widths "$value" --out run
        says --widths
        run 2 sweep "--widths=$value" --out run
        says --widths
    done
    for value in 0 -3 1e12 ''; do
        run 2 fit --width "$value"
        says width
    done
    run 2 fit --widths 1:3; says "3"
    run 2 sweep --seeds 4:1 --out run; says --seeds
    run 2 sweep --samples 1 --out run; says --samples
    run 2 sweep --samples nan --out run; says --samples
    run 2 sweep --tolerance nan --out run; says --tolerance
    run 2 sweep --jobs -1 --out run; says --jobs
    run 2 sweep --shard 3/2 --out run; says --shard
    run 2 sweep --widths; says --widths
    run 2 sweep word; says word
    [ ! -e run ] || no "a folder was made"
}

test_too_few_points() {
    run 2 sweep --arch mlp --samples 50 --out run; says "width 52" mlp "50 training points"
    run 2 sweep --arch glu --solver lm --widths 5:60 --samples 100 --out run; says "width 20:" 101
    run 2 fit --dense --arch gqu --width 30 --samples 20; says "width 30"
    [ ! -e run ] || no "a folder was made"
}

test_bad_formulas() {
    run 2 fit --target 'sin(x'; says "column 6"
    grep -qE '^ *\^$' err || no "no caret: $(cat err)"
    run 2 fit --target 'x+*2'; says "column 3"
    run 2 fit --target 'sin(x)+foo(x)'; says "column 8" foo
    run 2 fit --target ''; says target
    run 2 fit --target '1/x'; says finite "x = 0"
    run 2 fit --target 'log(x)'; says finite
    run 2 fit --target 'sqrt(x-0.5)'; says finite
    run 2 sweep --target '1/x' --out run; says finite
    [ ! -e run ] || no "a folder was made"
    run 0 fit --target 'exp(-x)*cos(8*x)'
    run 0 fit --target 'sin(4*x)*sin(4*y)' --arch mlp --width 6 --samples 400
}

test_bad_points() {
    { echo x,y; for i in $(seq 0 30); do echo "$i,$((i * i))"; done; } >good.csv
    run 0 fit --data good.csv --width 5
    run 0 sweep --data good.csv --widths 3:5 --no-figure --out run
    run 2 fit --data none.csv; says none.csv
    : >empty.csv
    run 2 fit --data empty.csv; says empty.csv
    sed 's/^x,y/a,b/' good.csv >bad.csv
    run 2 fit --data bad.csv --width 5; says bad.csv column
    sed '5s/,.*/,text/' good.csv >bad.csv
    run 2 fit --data bad.csv --width 5; says "bad.csv, line 5" text
    sed '6s/,.*/,nan/' good.csv >bad.csv
    run 2 fit --data bad.csv --width 5; says "bad.csv, line 6" nan
    sed '7s/,.*/,inf/' good.csv >bad.csv
    run 2 fit --data bad.csv --width 5; says "bad.csv, line 7"
    sed '8s/,.*//' good.csv >bad.csv
    run 2 fit --data bad.csv --width 5; says "bad.csv, line 8"
    head -n 2 good.csv >bad.csv
    run 2 fit --data bad.csv --width 5; says bad.csv
    run 2 fit --data good.csv --arch mlp --solver lm --width 40; says "width 40" "31 distinct points" "solver frozen"
    run 2 fit --data good.csv --target cos4; says --data --target
    run 2 fit --data good.csv --solver construct --width 5; says formula
    sed '9s/,.*/,7/' good.csv >changed && cp changed good.csv
    run 2 sweep --data good.csv --widths 3:5 --no-figure --out run; says points
}

# 21 distinct points in 2100 rows, for 62 unknowns: their means, and no more than the noise is left. All parameters need points
# of their own. A fit that is worse than 0 is a failure.
test_repeated_points() {
    awk 'BEGIN { srand(7); print "x,y"
        for (i = 0; i < 2100; i++) { x = (i % 21)/10 - 1; print x "," 1/(1 + 9*x*x) + 0.01*(rand() - .5) } }' >ties.csv
    local road
    for road in "" --dense; do
        run 0 fit --data ties.csv --arch gqu --width 30 $road
        awk '$1 == "train" { found = 1; bad = !($3 <= 3e-3) } END { exit bad || !found }' out || no "$road $(cat out)"
        grep -q "21 distinct points for 6[01] unknowns" out || no "$road $(cat out)"
    done
    run 2 fit --data ties.csv --arch gqu --width 30 --solver lm; says "width 30" "21 distinct points" "at least 211"
    run 2 sweep --data ties.csv --widths 2:9 --solver reduced-newton --out run; says "width 7:" mlp "21 distinct points"
    run 0 sweep --data ties.csv --widths 2:60:2 --no-figure --out run
    run 1 fit --arch gqu --width 16 --solver lm --max-iterations 1 --samples 200 --target chirp; says "worse than" "more iterations"
}

# --- the other commands ---

test_help() {
    local command
    run 0
    grep -q Usage out || no "no usage"
    run 0 help; run 0 --help; run 0 -h
    run 0 --version
    grep -Eq '^steep [0-9]+\.[0-9]+' out || no "$(cat out)"
    for command in sweep fit slope list doctor; do
        run 0 $command --help
        grep -q "^Usage: steep $command" out || no "$command: $(head -n 1 out)"
        cp out long
        run 0 help $command
        same out long
        run 2 $command --no-such-option
        says --no-such-option
    done
    run 0 sweep --help
    for option in arch activation dictionary gate target data width widths seeds samples sampling start directions solver line-search \
        restarts max-iterations jobs device shard out fresh quiet help; do
        grep -q -- "^  --$option " out || no "sweep --help lacks --$option"
    done
}

test_list() {
    run 0 list architectures
    for name in mlp glu gqu gqu2 gqu2a gqu2b gqu2c gqu2d la moa qd-moa one-la bi-la qd-la one-moa bi-moa blend blend-plain blend-layer blend-layer-plain hermite \
        hermite-own fourier fourier-own fourier-phase fourier-phase-own tropical tropical-own tropical-rational tropical-rational-own polynorm polynorm-l2 prelu prelu-own polyrelu polyrelu-own polyprelu polyrelunorm; do
        grep -q "^  $name " out || no "no $name"
    done
    run 0 list targets
    for name in cosine_well runge3 chirp cos4 sin4sin4 franke; do grep -q "^  $name " out || no "no $name"; done
    run 0 list starts solvers
    for name in uniform equidistributed construct frozen newton lm gsl; do grep -q "^  $name " out || no "no $name"; done
    run 0 list
}

test_fit_files() {
    run 0 fit --arch glu --width 6 --target cos4 --samples 500 --out run
    grep -q '^glu on cos4, width 6, 31 parameters' out || no "$(cat out)"
    for word in status 'train RMSE' 'test RMSE' 'rounding floor' iterations; do grep -q "$word" out || no "no $word"; done
    for file in parameters.json residuals.csv units.csv gates.csv run.json fit.svg fit.png fit.pdf; do
        [ -s run/$file ] || no "no $file"
    done
    [ "$(head -n 1 run/residuals.csv)" = x,y,network,residual ] || no "$(head -n 1 run/residuals.csv)"
    # The report is what the files say: the test error from the residuals.
    awk -F, -v printed="$(awk '/test RMSE/ { print $3 }' out)" 'NR > 1 { s += $4 * $4; n++ }
        END { r = sqrt(s / n); exit !(r > 0.999999 * printed && r < 1.000001 * printed) }' run/residuals.csv || no "residuals and report differ"
    # And the network from the parameters, in the plain formula, at one point.
    if command -v python3 >/dev/null; then
        python3 - <<'PY' || no "parameters.json is not the network"
import json, csv
p = json.load(open("run/parameters.json"))
b = {k["name"]: k["values"] for k in p["blocks"]}
G, U = b["branch 1, affine"], b["branch 2, affine"]
for row in list(csv.DictReader(open("run/residuals.csv")))[::37]:
    x = float(row["x"])
    y = b["bias"][0][0]
    for i in range(p["width"]):
        y += b["output"][i][0] * max(0.0, G[i][0] * x + G[i][1]) * (U[i][0] * x + U[i][1])
    assert abs(y - float(row["network"])) < 1e-13, (x, y, row)
assert p["params"] == 31 == sum(k["shape"][0] * k["shape"][1] for k in p["blocks"])
PY
    fi
    run 0 fit --arch glu --width 6 --target cos4 --samples 500 --out run
    run 2 fit --arch glu --width 7 --target cos4 --samples 500 --out run
    says "--widths 6 and this command has 7"
    run 0 fit --target 'sin(4*x)*sin(4*y)' --arch mlp --width 6 --samples 400 --out plane
    [ "$(head -n 1 plane/residuals.csv)" = x1,x2,y,network,residual ] || no "$(head -n 1 plane/residuals.csv)"
}

test_predict() {
    run 0 fit --arch gqu --width 9 --target cos4 --samples 300 --out run --no-figure
    run 0 predict run/parameters.json --data run/residuals.csv
    cmp -s <(cut -d, -f2 out) <(cut -d, -f3 run/residuals.csv) || no "values are not those of the fit"
    run 0 predict run/parameters.json --grid 1001 --gradient
    # The derivative is that of the values: central differences on a fine grid, away from the ends.
    awk -F, 'NR > 1 { x[NR] = $1; y[NR] = $2; d[NR] = $3 }
        END { for (i = 4; i < NR - 1; i++) { e = (y[i + 1] - y[i - 1]) / (x[i + 1] - x[i - 1]) - d[i]; if (e * e > 1e-6) exit 1 } }' out ||
        no "the gradient is not that of the values"
    run 0 fit --unit 'w = sin(z1)*z2' --target 'x*y' --width 3 --solver lm --samples 100 --out plane --no-figure
    run 0 predict plane/parameters.json --data plane/residuals.csv --out predicted.csv
    cmp -s <(cut -d, -f3 predicted.csv) <(cut -d, -f4 plane/residuals.csv) || no "values in 2D"
    run 2 predict plane/parameters.json; says --data --grid
    run 2 predict nowhere.json --grid 3; says nowhere.json
    head -c 700 run/parameters.json >torn.json
    run 2 predict torn.json --grid 3; says torn.json "line"
    sed 's/"format": 2/"format": 7/' run/parameters.json >other.json
    run 2 predict other.json --grid 3; says "format"
    sed 's/"width": 9/"width": 8/' run/parameters.json >other.json
    run 2 predict other.json --grid 3; says "params"
    # Columns by name, whatever separates them; measured values give residuals and an error.
    awk -F, 'BEGIN { print "note;second;first;seen" } NR > 1 { print "a, b;" $2 ";" $1 ";" $3 }' plane/residuals.csv >named.csv
    run 0 predict plane/parameters.json --data named.csv --x first,second --y seen
    cmp -s <(tail -n +2 out) <(tail -n +2 plane/residuals.csv) || no "columns by name"
    [ "$(head -n 1 out)" = first,second,y,network,residual ] || no "header: $(head -n 1 out)"
    grep -q "^RMSE .* on 361 points$" err || no "$(cat err)"
    run 2 predict plane/parameters.json --data named.csv; says named.csv "no column x1" "note, second, first, seen"
    run 2 predict plane/parameters.json --data named.csv --x first,secnd; says "did you mean second"
    run 2 predict plane/parameters.json --data named.csv --x first; says "names 1 columns" "2 coordinates"
    run 2 predict plane/parameters.json --grid 3 --y seen; says "--y"
    sed 's/\./,/' named.csv >comma.csv
    run 2 predict plane/parameters.json --data comma.csv --x first,second; says comma.csv "line 3" "decimal point"
    local python
    python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import numpy' 2>/dev/null && echo "$p" && break; done)
    if [ -n "$python" ]; then
        sed -n '/^```python/,/^```/p' "$top/docs/howto/python.md" | grep -v '^```' >from.py
        (cd run && $python ../from.py | tr -d '[],' | tr -s ' \n' '\n' | grep . >../python.txt) || no "docs/howto/python.md does not run"
        run 0 predict run/parameters.json --grid 5
        paste -d, python.txt <(tail -n +2 out | cut -d, -f2) | awk -F, '($1 - $2) ^ 2 > 1e-14 { exit 1 }' || no "python.md's values"
    fi
}

test_units_by_formula() {
    run 0 sweep --unit 'exp(-z1^2)*z2' --solver lm --widths 2:8:2 --samples 200 --no-figure --out run
    [ "$(grep -c '^exp(-z1^2)\*z2,-,' run/fits.csv)" -eq 4 ] || no "$(cat run/fits.csv)"
    run 0 sweep --unit 'exp(-z1^2)*z2' --solver lm --widths 2:8:2 --samples 200 --no-figure --out run
    grep -q 'kept 4, computed 0' err || no "not kept: $(cat err)"
    printf '# two units\n\none = relu(z1)*z2; order = 3\ntwo = z1*sigmoid(e1*z1); e1 = 1\n' >units.txt
    run 0 sweep --arch glu --unit @units.txt --solver varpro --widths 4,6 --samples 200 --target sin4sin4 --no-figure --out plane
    [ "$(cut -d, -f1 plane/fits.csv | sort -u | tr '\n' ' ')" = "arch glu one two " ] || no "$(cut -d, -f1 plane/fits.csv)"
    # The same unit by formula and by code, from the same start: the same fits, but for the rounding of the formula.
    for width in 4 6; do
        awk -F, -v w=$width '$5 == w && $1 == "glu" { a = $12 } $5 == w && $1 == "one" { b = $12 } END { exit !(a > 0.99 * b && a < 1.01 * b) }' \
            plane/fits.csv || no "glu by formula: $(grep ",$width," plane/fits.csv)"
    done
    run 2 fit --unit 'z1*zz'; says "column 4" zz
    run 2 fit --unit '@nowhere.txt'; says nowhere.txt
    run 2 fit --unit 'glu = z1'; says already
    run 2 fit --arch gqu --unit 'z1'; says "one fit"
}

test_fit_iterations() {
    run 0 fit --arch mlp --width 5 --solver lm --iterations --max-iterations 4 --samples 100
    grep -q '^stage ' out || no "no heading"
    [ "$(grep -c '^lm ' out)" -ge 2 ] || no "$(cat out)"
}

test_slope_lines() {
    printf '8,0.1\n16,0.01\n32,0.001\n' >bare.csv
    run 2 slope bare.csv; says bare.csv header
    printf '# a comment\nn,e\n\n8,0.1\n16,oops\n' >bad.csv
    run 2 slope bad.csv; says "line 5" oops
    # A first line that is a row, not names: not all of it needs to be numbers.
    printf '8,-\n16,0.01\n32,0.001\n' >bare.csv
    run 2 slope bare.csv; says bare.csv header 8
    printf 'mlp,0.1\n16,0.01\n32,0.001\n' >bare.csv
    run 2 slope bare.csv; says bare.csv header 0.1
    printf '10,0.1,mlp\n20,0.01,mlp\n40,0.001,mlp\n' >named.csv # a column may be called by a number, if it is named
    run 0 slope named.csv --size 10 --error 0.1
    printf '8,0.1,mlp\n16,0.01,mlp\n' >bare.csv
    run 2 slope bare.csv; says bare.csv header "8, 0.1, mlp"
    printf '8 0.1\n16 0.01\n' >bare.csv
    run 2 slope bare.csv; says bare.csv header "8 0.1" commas
    # A column is one, and two are not the same.
    printf 'n,error,error\n8,0.1,1\n16,0.01,1\n' >two.csv
    run 2 slope two.csv; says "columns 2 and 3 are both named error"
    run 2 slope two.csv --error error; says "columns 2 and 3 are both named error"
    printf 'n,e,arch,arch\n8,0.1,a,b\n16,0.01,a,b\n' >two.csv
    run 2 slope two.csv --error e; says "columns 3 and 4 are both named arch"
    printf '1,1,glu\n16,0.01,glu\n' >two.csv
    run 2 slope two.csv --size 1 --error 1; says "both named 1"
    run 2 slope named.csv --size 10 --error 10; says "both column 10"
    # An error of 0 has no place on the curve, and none becomes one.
    printf 'n,error\n8,0.1\n16,0.05\n32,0\n64,0\n' >zero.csv
    run 0 slope zero.csv; grep -q 'error is 0 and has no logarithm: 2' err || no "$(cat err)"
    # Of a size that stands there twice the smallest error counts, and it is said.
    printf 'n,e\n8,0.1\n16,0.05\n16,0.025\n32,0.00625\n' >twice.csv
    run 0 slope twice.csv --csv
    grep -Eq '^last_pair,-(2|1.9999)' out && grep -q 'in their group already: 1' err || no "$(cat out err)"
}

# Numbers that are written otherwise than in decimal digits, or that doubles take for 0.
test_odd_numbers() {
    printf 'n,error\n8,0.1\n16,1e-400\n' >small.csv
    run 2 slope small.csv; says "line 3" error 1e-400 "nearer to 0"
    printf 'n,error\n8,0.1\n0x10,0.01\n' >hex.csv
    run 2 slope hex.csv; says "line 3" "column n" 0x10 "decimal digits"
    printf 'x,y\n0,0.1\n0x1p0,0.01\n2,0.1\n' >hex.csv
    run 2 fit --data hex.csv --width 1; says "line 3" "column x" 0x1p0 "decimal digits"
    printf 'x,y\n0,0.1\n1,-1e-999\n2,0.1\n' >small.csv
    run 2 fit --data small.csv --width 1; says "line 3" "column y" -1e-999 "nearer to 0"
    run 2 fit --tolerance 0x1p-9; says --tolerance 0x1p-9 "decimal digits"
    run 2 fit --tolerance 1e-999; says --tolerance 1e-999 1e-300
    run 2 slope hex.csv --scatter 1e-999; says --scatter "nearer to 0"
    run 2 fit --samples 0x10; says --samples "decimal digits"
    run 2 sweep --widths 1:8:x0x2 --out run; says --widths 0x2
    printf 'n,error\n8,4e-320\n16,2e-320\n' >fine.csv
    run 0 slope fine.csv
}

# What a fit needs is known before it begins, and what is not there is not begun.
test_memory() {
    grep -q MemAvailable /proc/meminfo 2>/dev/null || return 0
    run 2 fit --arch mlp:tanh --width 200000 --samples 400000 --out huge
    says "GB of memory" "200000" "use a smaller width"
    [ ! -e huge ] || no "a folder is there"
    run 2 sweep --arch mlp:tanh --widths 10,200000 --samples 400000 --out huge
    says "GB of memory" "200000" "use a smaller width"
    [ ! -e huge/fits.csv ] || no "something was begun"
    case $BUILD in *asan*) return 0 ;; esac
    (ulimit -v 400000 && run 2 fit --arch mlp:tanh --width 400 --samples 40000 --no-figure && says "ulimit -v leaves") || exit 1
    (ulimit -v 400000 && run 0 fit --arch mlp:tanh --width 40 --samples 400 --no-figure) || exit 1
}

# One target in two ways of writing: named twice, and in a folder that has it by the other.
test_same_target() {
    local pair
    for pair in 'x^3;x*x*x' 'x+1;1+x' 'x*y;y*x' '2*x;x+x' 'runge3;1/(1+(3*x)^2)'; do
        run 2 sweep --target "$pair" --arch mlp --widths 4,8 --samples 100 --no-figure --out two
        says "same target" "name it once"
    done
    run 0 sweep --target 'x^3' --arch mlp --widths 4,8 --samples 100 --no-figure --out run
    run 2 sweep --target 'x*x*x' --arch mlp --widths 4,8 --samples 100 --no-figure --out run
    says "use that name"
    run 0 sweep --target 'x^3;x*x' --arch mlp --widths 4,8 --samples 100 --no-figure --out run
}

# Values far from 1 are fitted in other units: the same slopes, and no error of any size taken for 0 or for a bug.
test_huge_and_tiny_values() {
    local size
    for size in 0 200 -200; do
        run 0 sweep --target "1e$size*sin(3*x)" --widths 3:30:3 --arch mlp,gqu --no-figure --format csv --out run$size
        awk -F, 'NR > 1 { printf "%s %.3f %.3f %.3f %g %d %.3f %.3f\n", $4, $5, $6, $7, $8, $10, $11, $12 }' out >table$size
        grep -q '^mlp -[0-9.]* -[0-9.]* -[0-9.]* -2 ' table$size || no "no interval: $(cat out)"
    done
    same table0 table200
    same table0 table-200
    run 0 fit --target '1e200*sin(3*x)' --arch mlp:tanh --solver lm --width 5 --samples 300
    grep -q 'RMSE.*e+19[0-9]' out || no "$(cat out)"
    run 0 fit --target 0 --arch mlp:tanh --solver lm --start random --width 4 --samples 200 --no-figure
    grep -q 'train RMSE *0.0*e+00' out || no "$(cat out)"
    run 2 fit --target '1e200*sin(3*x)' --arch mlp --solver construct --width 5; says 1e+100
    awk 'BEGIN { print "x,y"; for (i = 0; i < 200; i++) print (i - 80) * 1e298 "," sin(i / 30) }' >far.csv
    run 2 fit --data far.csv --arch mlp:tanh --solver lm --width 4; says standardize 1e+100
    run 2 fit --data far.csv --arch gqu --width 4; says standardize 1e+100
    run 0 fit --data far.csv --arch mlp:tanh --solver lm --width 4 --standardize
    run 2 fit --target '1e-320*x' --arch mlp:tanh --solver lm; says 1e-300 1e+300
}

# A pole that stands between all points is said, with its place; nothing is, where there is none.
test_pole() {
    run 0 fit --target '1/(x-0.1234567)' --arch mlp --no-figure
    grep -q 'infinite at or near x = 0.1234567.*power -1.*--domain' err || no "$(cat err)"
    run 0 sweep --target 'tan(2*x)+y;runge3_2d' --arch mlp --widths 3,5 --no-figure --out run
    [ "$(grep -c 'infinite at or near' err)" -eq 1 ] && grep -q 'tan(2.*0.785398' err || no "$(cat err)"
    run 0 fit --target 'exp(0.001/(x-0.5275492))' --arch mlp --no-figure
    grep -q 'near x = 0.5275492: it grows faster than any power.*--domain' err || no "$(cat err)"
    run 0 separate --witness '1/(x-0.1234567)' --width 1:1 --restarts 1
    grep -q 'infinite at or near x = 0.1234567.*choose a witness without it' err || no "$(cat err)"
    run 0 fit --target 'sin(x)/(x-3)' --arch mlp --no-figure
    [ ! -s err ] || no "$(cat err)"
}

# Whatever a file of points is called, its figures have the same points.
test_names_of_points() {
    local name want
    awk 'BEGIN { print "x,y"; for (i = 0; i < 40; i++) print i / 20 - 1 "," sin(i / 9) }' >plain.csv
    for name in plain.csv 'a\b.csv' $'a\tb.csv' $'a\nb.csv' "a''b.csv" "a'b.csv" 'a"b.csv' 'a\nb{_^}%s.csv'; do
        [ "$name" = plain.csv ] || cp plain.csv "$name"
        run 0 sweep --data "$name" --arch mlp --widths 3:6 --out run --fresh
        grep -c '<use\|<path' run/slopes.svg >found
        run 0 fit --data "$name" --arch mlp --width 4 --out fit --fresh
        grep -c '<use\|<path' fit/fit.svg >>found
        [ -n "${want:-}" ] || want=$(cat found)
        [ "$(cat found)" = "$want" ] || no "$name: $(cat found), not $want"
    done
}

# Options that nothing in the list listens to, and one target by two names.
test_unused_options() {
    run 2 fit --arch mlp --solver construct --construction march; says --construction glu
    run 2 fit --arch glu --construction march; says --construction construct
    run 0 fit --arch glu --solver construct --construction march --no-figure
    run 2 fit --arch mlp --solver lm --line-search backtracking; says --line-search newton
    run 2 fit --arch mlp --solver newton --dense; says --dense frozen
    run 2 fit --arch mlp:tanh --solver lm --dense; says --dense frozen
    run 2 fit --arch mlp --target sin4sin4 --solver lm --dense; says --dense 1D
    run 0 sweep --arch mlp:tanh,mlp --solver newton,lm --dense --widths 2 --samples 50 --no-figure --out dense
    run 2 fit --arch mlp --solver lm --line-search=wolfe; says --line-search newton
    run 2 sweep --arch mlp --solver lm --line-search wolfe --out other; says --line-search newton
    run 2 sweep --arch mlp --solver lm --line-search wolfe --print-slurm --out other; says --line-search newton
    run 2 fit --arch mlp --construction midpoint; says --construction construct
    run 2 fit --arch mlp:tanh --activation gelu; says --activation "names its own"
    run 0 sweep --arch mlp:tanh,glu --activation gelu --widths 2 --samples 50 --no-figure --out named
    run 2 fit --arch mlp --target sin4sin4 --directions 2; says --directions ridge
    run 2 fit --arch glu --solver construct --restarts 3; says --restarts construct
    run 2 fit --arch glu --solver construct --hits 3; says --hits construct
    run 2 fit --certify-bits 64; says --certify-bits "--certify:"
    run 2 fit --certify-tolerance 0.1; says --certify-tolerance "--certify:"
    run 2 fit --vector-norm euclidean; says --vector-norm "--certify:"
    awk 'BEGIN { print "x,y"; for (i = 0; i < 40; i++) print i/40 "," i*i }' >points.csv
    run 2 fit --data points.csv --samples 2000; says --samples --data
    run 2 sweep --data points.csv --sampling random --out other; says --sampling --data
    run 2 fit --data points.csv --test=grid; says --test --data
    [ ! -e other ] || no "a refused sweep made its folder"
    run 2 sweep --target 'runge3;1/(1 + 9*x^2)' --out run; says "the same target"
    run 0 sweep --target runge3 --arch mlp --widths 3,4 --no-figure --out run
    run 2 sweep --target '1/(1+9*x^2.0)' --arch mlp --widths 3,4 --no-figure --out run; says "use that name"
    run 0 sweep --target '1/(1+9*x^2)' --domain 0:1 --arch mlp --widths 3,4 --no-figure --out other
}

# 2 for bad use, before anything is begun; 1 for what cannot be written or drawn.
test_exit_statuses() {
    local program command
    for command in "fit --data none.csv" "fit --load none.json" "predict none.json --grid 3" "slope none.csv" "figure none" \
        "join none --out both" "sweep --out /proc/none" "fit --out /proc/none" "fit --arch mlp:tanh --solver reduced-newton --out begun"; do
        # shellcheck disable=SC2086  # words
        run 2 $command
        grep -q '^steep: ' err || no "$command: $(cat err)"
    done
    [ "$(ls)" = "$(printf 'err\nout')" ] || no "something was left: $(ls)"
    mkdir empty
    for command in "sweep --arch mlp --widths 3:5 --out run" "fit --arch mlp --width 3 --out fit" "figure run"; do
        # shellcheck disable=SC2086
        PATH=$PWD/empty run 1 $command
        grep -q 'gnuplot could not be started' err || no "$command: $(cat err)"
    done
    for program in gain constants separations; do # those that are built
        [ -x "$top/$BUILD/experiments/$program" ] || continue
        local status=0
        timeout 5 "$top/$BUILD/experiments/$program" --quick --out err >out 2>said || status=$?
        [ $status -eq 2 ] && grep -q -- '--out err' said || no "$program: $status $(cat said)"
    done
}

# A stop is heard while bounds of many wide networks are worked out.
test_stop_in_bounds() {
    awk 'BEGIN { srand(3); print "x,y"; for (i = 0; i < 20000; i++) { x = i / 10000 - 1; print x "," sin(3 * x) + rand() } }' >points.csv
    local status=0
    "$steep" sweep --data points.csv --arch mlp,glu --widths 900,1000,2000 --no-figure --jobs 1 --out run >out 2>err &
    local child=$!
    until [ -s run/slopes.csv ]; do sleep 0.05; done
    kill -TERM $child
    local begun=$SECONDS
    wait $child || status=$?
    [ $status -eq 1 ] && [ $((SECONDS - begun)) -le 8 ] || no "status $status after $((SECONDS - begun)) s: $(cat err)"
    grep -q 'stopped' err || no "$(cat err)"
}

# A stop is heard by what asks for none: starts by frozen fits, one job or not, in a sweep and in a fit; the drawing of samples, before
# which nothing was touched.
test_stop_unheard() {
    local ridge="--arch gqu --target franke --samples 40000 --no-figure" drawn="--arch mlp --target sin(sin(sin(sin(x)))) --samples 10000000 --no-figure"
    local command status child begun file
    for command in "sweep $ridge --start ridge --widths 256 --jobs 1 --out ridge" "sweep $ridge --start greedy --widths 256 --jobs 1 --out greedy" \
        "fit $ridge --start ridge --width 256 --out fit" "sweep $drawn --widths 8 --out drawn"; do
        status=0 file=${command##* }/run.json
        # shellcheck disable=SC2086
        "$steep" $command >out 2>err &
        child=$!
        for _ in $(seq 100); do
            [ -f "$file" ] && break
            [ -d drawn ] && break
            sleep 0.05
        done
        sleep 0.3
        kill -TERM $child || no "$command: over before it could be stopped: $(cat err)"
        begun=$(date +%s%N)
        wait $child || status=$?
        [ $(($(date +%s%N) - begun)) -lt 3000000000 ] || no "$command: $((($(date +%s%N) - begun) / 1000000)) ms until it had ended"
        if [ "${command%drawn}" != "$command" ]; then
            [ $status -eq 143 ] && [ ! -e "$file" ] || no "$command: status $status: $(cat err) $(ls drawn)"
        else
            [ $status -eq 1 ] && [ "$(field "$file" state)" = stopped ] || no "$command: status $status, state $(field "$file" state): $(cat err)"
            grep -q '^steep: stopped' err || no "$(cat err)"
        fi
    done
}

# As many groups as rows, and many rows of one group: no square of either.
test_slope_many() {
    awk 'BEGIN { print "n,error,g"; for (i = 0; i < 40000; i++) for (k = 1; k < 3; k++) print k ",", 1 / k, ",g" i }' | tr -d ' ' >groups.csv
    timeout 20 "$steep" slope groups.csv --by g --csv >out 2>err || no "40,000 groups: $? $(cat err)"
    [ "$(wc -l <out)" -eq 120001 ] && grep -q '^g39999,all,-1,' out || no "$(tail -n 3 out)"
    # Groups side by side are printed in their order, as one after the other; what is said of their rows is counted once.
    awk 'BEGIN { print "g,n,e"; for (i = 0; i < 200; i++) for (k = 0; k < 6; k++)
        print "g" i "," 8*2^int(k*0.9) "," (1 + ((i*7 + k*k*3) % 11)/50) * 2^(-k*(1 + i % 3)) }' >groups.csv
    run 0 slope groups.csv --by g --error e --csv --jobs 1
    mv out one && mv err said
    for jobs in 2 7 0; do
        run 0 slope groups.csv --by g --error e --csv --jobs $jobs
        same one out
        same said err
    done
    grep -q 'in their group already: 200;' said || no "$(cat said)"
}

# Of a sweep's folder: the sweep's own slopes, which know floors, cells and what overfits.
test_slope_of_sweeps() {
    run 0 sweep --target cosine_well --arch mlp,glu --widths 8:256:x2 --samples 2000 --sampling grid --no-figure --out well
    run 0 slope well/fits.csv --csv
    for method in window last_pair all; do
        awk -F, -v m=$method '$4 == "params" && $5 == m { print $6 "," $7 "," $8 }' well/slopes.csv >wanted
        awk -F, -v m=$method '$5 == m { print $6 "," $7 "," $8 }' out >found
        same wanted found
    done
    cp out of_file
    run 0 slope well --csv
    same of_file out
    run 0 slope well --csv --size width
    awk -F, '$4 == "width" && $5 == "window" { print $6 }' well/slopes.csv >wanted
    awk -F, '$5 == "window" { print $6 }' out >found
    same wanted found
    run 0 slope well --csv --level 0.9 # asks for something else: of the rows
    ! grep -q "$(head -n 1 wanted)" out || no "the sweep's slope at another level"
    sed -i '$d' well/fits.csv
    run 0 slope well/fits.csv --csv
    grep -q 'not of these fits' err || no "$(cat err)"
    mkdir none
    run 2 slope none; says none/fits.csv
}

test_slope() {
    { echo n,e,floor; for n in 8 16 32 64 128 256; do awk "BEGIN { printf \"%d,%.17g,1e-18\\n\", $n, 5 * $n ^ -2.5 }"; done; } >law.csv
    run 0 slope law.csv --size n --error e
    grep -Eq '^window +-2\.500 ' out || no "$(cat out)"
    run 0 slope law.csv --size n --error e --csv
    [ "$(wc -l <out)" -eq 4 ] && grep -q '^window,-2\.[45]' out || no "$(cat out)"
    cut -d, -f1,2 law.csv | sed '1s/.*/a,b/' >two.csv # two columns need no names, nor do usual ones
    run 0 slope two.csv --csv
    grep -q '^window,-2\.[45]' out || no "$(cat out)"
    sed '1s/.*/width,rmse,floor/' law.csv >usual.csv
    run 0 slope usual.csv --csv
    grep -q '^window,-2\.[45]' out || no "$(cat out)"
    run 2 slope law.csv; says rmse_test
    # E + A n^-0.34, exact: the offset, its interval, and what two thirds of the sizes predict.
    awk 'BEGIN { print "n,loss"; for (n = 1e6; n < 1e11; n *= 3) print n "," 1.69 + 400 * n ^ -0.34 }' >loss.csv
    run 0 slope loss.csv --law offset
    grep -Eq '^window +-0\.3[34]' out && grep -Eq 'E = 1\.6[89]|E = 1\.7' out && grep -q 'predict' out || no "$(cat out)"
    run 2 slope loss.csv --law none; says none offset
    sed '1s/.*/a,b,c/' law.csv >three.csv
    run 2 slope three.csv; says params
    run 2 slope law.csv --size m --error e; says "'m'" "n, e, floor"
    run 2 slope law.csv --size n --error e --by z; says "'z'"
    run 2 slope; says "one CSV file"
    run 2 slope none.csv; says none.csv
    sed '3s/16/text/' law.csv >bad.csv
    run 2 slope bad.csv --size n --error e; says "line 3" text
    sed '4s/,.*,/,nan,/' law.csv >bad.csv
    run 2 slope bad.csv --size n --error e; says "line 4" nan
    sed '4s/,.*,/,-1,/' law.csv >bad.csv
    run 2 slope bad.csv --size n --error e; says "line 4" positive
    head -n 1 law.csv >bad.csv
    run 2 slope bad.csv --size n --error e; says "no rows"
    # A run's own file needs no columns, and gives the slopes that the run printed, where that had no cells to count.
    run 0 sweep --target 'abs(x-0.1)^1.5' --widths 8:128:x2 --samples 3000 --sampling grid --no-figure --out run
    run 0 slope run/fits.csv --computed --csv
    awk -F, 'NR == FNR { if ($5 == "window" && $4 == "params") slope[$1] = $6; next }
             $5 == "window" { n++; if ($6 != slope[$1]) bad = 1 } END { exit bad || n != 3 }' run/slopes.csv out || no "$(cat out run/slopes.csv)"
}

# The figure again, from tables that are there; lengths in any unit; wrong values are told before anything is written.
test_figure() {
    mkdir run
    {
        echo target,title,series,arch,activation,solver,start,width,params,error,low,high,best,seeds,floor,lower,asymptotic,uniform,equidistributed,predicted,theory,width_slope,width_low,width_high,width_law,params_slope,params_low,params_high,params_law,overfit
        for n in 4 8 16 32; do
            for arch in mlp glu; do echo $n $arch; done
        done | sort -k2,2 -k1,1n | while read -r n arch; do
            e=$(awk "BEGIN { print $n ^ -2 }")
            echo "x^2,x^2,$arch,$arch,relu,lm,uniform,$n,$((3 * n + 1)),$e,$e,$e,$e,1,nan,nan,nan,nan,nan,nan,-2,-2,-2.1,-1.9,$e,nan,nan,nan,nan,0"
        done
    } >run/series.csv
    run 0 figure run
    for ending in gp svg pdf png; do [ -s run/slopes.$ending ] || no "no slopes.$ending"; done
    for width in 8.5cm 85mm 3.3464567in 241.849pt '8.5 cm'; do
        run 0 figure run --width "$width" --name column --terminal svg --arch glu --against P --title "it's me"
        grep -q 'width="321"' run/column.svg || no "$width: $(grep -m 1 width= run/column.svg)"
    done
    grep -q "it's me" run/column.svg && ! grep -q '>mlp' run/column.svg || no "title and series"
    run 0 figure run --terminal tikz,cairolatex
    [ -s run/slopes-tikz.tex ] && [ -s run/slopes-cairolatex.tex ] && [ -s run/slopes-cairolatex.pdf ] || no "no LaTeX"
    # It compiles with the packages that the manual names, and names each one that it defines colours or pictures by.
    local packages
    packages=$(grep -o '\\usepackage{graphicx[a-z,]*}' "$top/docs/reference/commands.md")
    ! grep -q '\\definecolor' run/slopes-cairolatex.tex || [[ $packages == *xcolor* ]] || no "\definecolor without xcolor: $packages"
    printf '\\documentclass{article}%s\\begin{document}\\input{slopes-cairolatex}\\end{document}\n' "$packages" >run/whole.tex
    ! command -v pdflatex >/dev/null || (cd run && pdflatex -interaction=batchmode -halt-on-error whole.tex >said.txt) || no "$(tail run/whole.log)"
    rm run/*.gp
    for width in 8.5 cm 1cm 2m nancm -8cm '8.5cm wide'; do run 2 figure run --width="$width"; says --width 8.5cm; done
    run 2 figure run --terminal gif; says gif cairolatex
    run 2 figure run --against x; says --against x
    run 2 figure run --by width; says --by solver arch start
    for ends in 1 :1 1: 1:0.1 0:1 -1:1 1:1 a:b 1:2:3 nan:1 1:inf 0x1:0x2; do
        run 2 figure run --xlim "$ends"; says --xlim A:B
        run 2 figure run --ylim="$ends"; says --ylim A:B
    done
    run 2 figure run --arch gqu; says gqu series.csv
    run 2 figure run --name a/b; says a/b
    run 2 figure; says "one folder"
    run 2 figure run run; says "one folder"
    run 2 figure nowhere; says "nowhere: there is no such folder"
    [ ! -e run/slopes.gp ] || no "a script was written all the same"
    run 0 figure --help; grep -q -- --terminal out || no "$(cat out)"
    # Panels for each architecture, between given ends, without theory's lines and triangles.
    run 0 figure run --by arch --against n --xlim 2:50 --ylim 1e-4:2 --no-theory --name plain --terminal svg
    grep -qF 'panels = 2;' run/plain.gp && grep -qF 'x_to[2] = [50, 50]' run/plain.gp && grep -qF 'y_from[2] = [0.0001, 0.0001]' run/plain.gp ||
        no "$(grep -E 'panels =|x_to|y_from' run/plain.gp)"
    grep -qF 'order[2] = [0, 0]' run/plain.gp && ! grep -q 'slope of theory<' run/plain.svg || no "theory is drawn"
    rm run/plain.gp
    # A file may have any name.
    local name=$'"a"", b\n\'c\'.csv'
    awk -v OFS=, 'BEGIN { print "x", "y"; for (i = 0; i < 40; i++) print i, i * i }' >"$name"
    run 0 sweep --data "$name" --arch mlp --solver lm --widths 2,4,8 --out odd
    grep -q "c'.csv" odd/slopes.svg || no "the title of a file's data"
}

test_doctor() {
    run 0 doctor
    [ "$(grep -c '^PASS' out)" -ge 3 ] || no "$(cat out)"
    ! grep -q '^FAIL' out || no "$(cat out)"
    for word in gsl jansson algebra compiler gnuplot gpu; do grep -q "^$word " out || no "no $word"; done
}

# A gnuplot that hangs holds nothing up, and ends with what it has started.
test_doctor_among_the_dead() {
    local status=0
    fake 'sleep 47.11 & sleep 60'
    timeout 40 "$steep" doctor >out 2>err || status=$?
    [ $status -eq 0 ] || no "exit status $status: $(cat err)"
    grep -q '^gnuplot .*"gnuplot --version" was not done after 10 s' out || no "$(cat out)"
    ! pgrep -f 'sleep 47.11' >/dev/null || no "what gnuplot has started goes on"
}

# Without gnuplot the numbers stay, and the message says what to do.
test_without_gnuplot() {
    mkdir bin
    local status=0
    PATH=$PWD/bin "$steep" sweep --widths 4:16:4 --samples 300 --out run >out 2>err || status=$?
    [ $status -ne 0 ] || no "exit status 0 without the figure"
    grep -q gnuplot err || no "$(cat err)"
    [ -s run/slopes.csv ] && [ "$(wc -l <run/fits.csv)" -eq 13 ] || no "numbers are lost"
    run 0 sweep --widths 4:16:4 --samples 300 --out run
    [ -s run/slopes.svg ] || no "no figure at the second time"
}

test_report() {
    # shellcheck disable=SC2086  # options
    run 0 sweep $small --arch mlp,glu --keep-networks --out run
    run 0 fit --arch mlp --width 3 --samples 60 --no-figure --out fit
    run 0 report run fit --out deep/er/page.html --title "a <b> & c"
    [ ! -s out ] && [ ! -s err ] || no "it prints: $(cat out err)"
    grep -q '<title>a &lt;b&gt; &amp; c</title>' deep/er/page.html || no "no title"
    [ "$(grep -o 'class="plot single"' deep/er/page.html | wc -l)" -eq 7 ] || no "not three networks a series and the fit"
    grep -qF "$(field run/run.json command | sed "s/'/\&#39;/g")" deep/er/page.html || no "no command"
    awk -F, '$4 == "params" && $5 == "window" { print $6 }' run/slopes.csv | while read -r slope; do
        grep -qF "<data value=\"$slope\">" deep/er/page.html || no "no slope $slope"
    done
    (cd deep && "$steep" report ../run ../fit --out er/again.html --title "a <b> & c") || no "from elsewhere"
    same deep/er/page.html deep/er/again.html
    grep -qE '(src|href)="(https?:)?//' deep/er/page.html && no "something is fetched"
    run 0 report run
    [ -s report.html ] || no "no report.html"
    mkdir closed && chmod 555 closed
    local status=0
    as_nobody "$steep" report run --out closed/page.html >out 2>err || status=$?
    [ $status -eq 2 ] || no "exit status $status where nothing can be written: $(cat err)"
    says closed/page.html
    run 2 report; says folder
    run 2 report nowhere; says nowhere
    run 2 report deep; says slopes.csv
    run 2 report run run; says twice
    run 2 report run --out ""; says --out
    run 2 report run --colour; says --colour
    truncate -s -3 run/fits.csv
    run 2 report run --out other.html; says fits.csv "cut short"
    rm run/slopes.csv
    run 2 report run --out other.html; says "has not ended"
    [ ! -e other.html ] || no "it was written"
}

# --out FILE names a file: what is none is written into, or refused, and nothing takes its place; a signal leaves nothing.
test_out_of_one_file() {
    run 0 sweep $small --out run
    run 0 fit --width 4 --samples 100 --no-figure --out net
    mkdir folder
    mkfifo pipe
    local out command
    for command in "predict net/parameters.json --grid 3" "report run"; do
        for out in '' folder folder/ /proc/x; do
            run 2 $command --out "$out"
            says --out "$out"
        done
        timeout 20 cat pipe >piped &
        run 0 $command --out pipe
        wait $!
        [ -p pipe ] && [ -s piped ] || no "$command: a pipe is no pipe any more, or got nothing"
        run 0 $command --out plain
        cmp piped plain || no "$command: other bytes through a pipe"
        "$steep" $command --out /dev/stdout 2>err | cat >piped
        [ "${command%% *}" = report ] || cmp piped plain || no "other bytes on /dev/stdout: $(cat err)"
        [ -s piped ] && [ -L /dev/stdout ] || no "$command: nothing on /dev/stdout" # a report links from where it is
        if mknod null c 1 3 2>/dev/null && : >null; then
            run 0 $command --out null
            [ -c null ] || no "$command: a device was replaced"
            mknod full c 1 7
            run 1 $command --out full
            says full
            [ -c full ] || no "$command: a full device was replaced"
        fi
        rm -f null full
        [ -z "$(find . -name '*.tmp')" ] || no "$command left $(find . -name '*.tmp')"
    done
    run 2 predict net/parameters.json --grid 3 --out nodir/x
    says nodir/x
    # Long enough to be met while it writes.
    echo before >values.csv
    env --default-signal=TERM "$steep" predict net/parameters.json --grid 3000000 --out values.csv >out 2>err &
    local pid=$! status=0
    for _ in $(seq 2000); do
        [ -n "$(find . -name 'values.csv.*.tmp' -size +0)" ] && break
        sleep 0.005
    done
    [ -n "$(find . -name 'values.csv.*.tmp')" ] || no "it was not seen to write"
    kill -TERM $pid
    wait $pid || status=$?
    [ $status -eq 143 ] || no "SIGTERM: exit status $status: $(cat err)"
    [ -z "$(find . -name '*.tmp')" ] && [ "$(cat values.csv)" = before ] || no "$(ls)"
}

test_full_stdout() {
    [ -c /dev/full ] || return 0
    local status=0
    "$steep" list >/dev/full 2>err || status=$?
    [ $status -eq 1 ] || no "exit status $status"
    grep -q '^steep: ' err || no "$(cat err)"
}

# --- all of them ---

for name in $(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p'); do
    [ -n "${ONLY:-}" ] && [[ $name != *$ONLY* ]] && continue
    mkdir "$scratch/$name"
    if (cd "$scratch/$name" && $name) >"$scratch/said" 2>&1; then
        pass
    else
        fail "$name"
        sed 's/^/    /' "$scratch/said"
    fi
done
finish
