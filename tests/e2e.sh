#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# e2e.sh: the built program as a user runs it: output, files, exit status. Each check is a function test_* in an empty
# folder of its own; it fails by a non-zero status or by calling no.
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

# run STATUS ARGUMENTS...: steep must end with STATUS; out and err have its stdout and stderr.
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

same_rows() { cmp -s <(bits "$1") <(bits "$2") || no "$1 and $2 have other rows: $(diff <(bits "$1") <(bits "$2") | head -n 4)"; }

same() { cmp -s "$1" "$2" || no "$1 and $2 differ: $(diff "$1" "$2" | head -n 4)"; }

# stopped SIGNAL FILE ARGUMENTS...: sends steep the signal once FILE is not empty. status: its exit status; ms: the
# milliseconds from the signal to the end; pid: its process number.
stopped() {
    local signal=$1 file=$2 begun
    shift 2
    # bash starts background jobs with SIGINT ignored; env gives it back.
    env --default-signal=INT,HUP "$steep" "$@" >out 2>err &
    pid=$!
    while [ ! -s "$file" ] && kill -0 $pid 2>/dev/null; do sleep 0.05; done
    sleep 0.3
    kill "-$signal" $pid || no "over before it could be stopped: $(cat err)"
    begun=$(date +%s%N) status=0
    wait $pid || status=$?
    ms=$((($(date +%s%N) - begun) / 1000000))
}

field() { # field FILE.json KEY: the first value of a key
    sed -n "s/^ *\"$2\": //; t value; d; :value; s/,\$//; s/^\"\(.*\)\"\$/\1/; p" "$1" | head -n 1
}

small="--widths 4:16:4 --samples 300 --no-figure"
many_small="--widths 4:64:4 --samples 500 --jobs 1"
header=arch,activation,target,dim,width,params,seed,start,solver,device,samples,rmse_train,rmse_test,max_error,floor,iterations,evaluations,gradient_norm,status,seconds,starts,hits,coefficient,rmse_single,flops,noise,rmse_clean,noise_train,noise_test,sum

# --- the main job ---

test_default_sweep() {
    run 0 sweep --out run
    [ "$(head -n 1 run/fits.csv)" = "$header" ] || no "header of fits.csv"
    [ "$(wc -l <run/fits.csv)" -eq 106 ] || no "fits.csv has $(wc -l <run/fits.csv) lines"
    grep -q '>theory<\|>theory *<' run/slopes.svg || no "theory is not drawn"
    [ "$(wc -l <run/slopes.csv)" -eq 19 ] || no "slopes.csv has $(wc -l <run/slopes.csv) lines"
    for arch in mlp glu gqu; do grep -q "^$arch " out || no "no line for $arch in $(cat out)"; done
    grep -q 'kept 0, computed 105' err || no "$(cat err)"
    for file in slopes.svg slopes.pdf slopes.png slopes.gp; do [ -s run/$file ] || no "no $file"; done
    [ "$(field run/run.json state)" = "done" ] || no "state"
    grep -q '"converged": 105' run/run.json || no "counts"
    compgen -G "run/*tmp*" >/dev/null && no "leftovers: $(echo run/*)"
    # The same command again computes nothing and changes nothing.
    cp run/fits.csv before
    run 0 sweep --out run
    grep -q 'kept 105, computed 0' err || no "$(cat err)"
    same before run/fits.csv
}

# A sweep that is killed at several moments and continued by the same command has the rows and slopes of a whole one.
test_kill_and_resume() {
    local options="--arch mlp,glu --solver lm --widths 4:32:4 --seeds 0:1 --samples 1000 --max-iterations 30 --no-figure --jobs 2"
    run 0 sweep $options --out whole
    local kills=0 delay
    for delay in 0.02 0.1 0.2 0.3; do
        "$steep" sweep $options --out killed >out 2>err &
        sleep $delay
        if kill -9 $! 2>/dev/null; then kills=$((kills + 1)); fi
        wait $! 2>/dev/null || true
    done
    [ $kills -ge 2 ] || no "it was over before it could be killed"
    run 0 sweep $options --out killed
    grep -Eq 'kept [0-9]+, computed [0-9]+' err || no "$(cat err)"
    same_rows whole killed
    same whole/slopes.csv killed/slopes.csv
}

# INT, TERM and HUP stop a sweep of long fits within 8 s, in one process and with workers; the record says so.
test_interrupt() {
    awk 'BEGIN { srand(3); print "x,y"; for (i = 0; i < 20000; i++) { x = i / 10000 - 1; print x "," sin(3 * x) + rand() } }' >points.csv
    local signal jobs=1
    for signal in INT TERM HUP; do
        stopped $signal $signal/fits.csv sweep --data points.csv --arch gqu --solver lm --widths 60,80 --no-figure --jobs $jobs --out $signal
        [ $status -eq 1 ] && [ $ms -le $((8000 * ${CK_TIMEOUT_MULTIPLIER:-1})) ] || no "SIG$signal: status $status after $ms ms: $(cat err)"
        grep -q 'the same command goes on' err || no "$(cat err)"
        [ "$(field $signal/run.json state)" = stopped ] || no "state $(field $signal/run.json state)"
        jobs=2
    done
}

# A second signal, 1.5 s after the first, ends the program within 2 s, though its iteration takes long.
test_two_signals() {
    local pid status begun
    "$steep" fit --arch glu --solver lm --width 600 --samples 40000 --iterations >long 2>err &
    pid=$!
    for _ in $(seq 1200); do
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

# Of twelve equal sweeps at once one works, the others are refused; the lock is held until a slow gnuplot has drawn.
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
    same_rows run alone
    same run/series.csv alone/series.csv
}

# Under a launcher rank 0 alone runs commands that would do the same in each process. Leftover variables are reported.
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
    run 0 sweep $small --out run
    ./mpirun "$steep" report run --out page.html || no "report"
    ./mpirun "$steep" figure run || no "figure"
    [ -s page.html ] && [ -z "$(find . -name '*.tmp')" ] || no "$(ls . run)"
    export OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=2
    run 0 report run; says "unset OMPI_COMM_WORLD_SIZE" "process 2 of 3"
}

# No gnuplot or steep_cuda.so of the current folder is used, even if PATH or LD_LIBRARY_PATH has an empty part.
test_nothing_is_loaded_from_here() {
    local part
    run 0 sweep $small --out run
    printf '#!/bin/sh\n: >"%s/made"\n' "$PWD" >run/gnuplot
    chmod +x run/gnuplot
    for part in "" .; do PATH=$part:$PATH run 0 figure run; done
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

# A folder stands for its network. One step from --load ends between half of the network's error and the whole.
test_load() {
    run 0 fit --arch glu --width 6 --target cos4 --solver lm --max-iterations 20 --no-figure --out part
    run 0 predict part --grid 3
    mv out values
    run 0 predict part/parameters.json --grid 3
    same out values
    run 0 fit --load part --target cos4 --solver lm --max-iterations 1 --no-figure --out rest
    grep -q 'start part' out || no "$(cat out)"
    there=$(field part/parameters.json rmse_train) here=$(field rest/parameters.json rmse_train)
    awk "BEGIN { exit !($here <= $there && $here > 0.5 * $there) }" || no "from $there to $here"
    run 2 fit --load part/parameters.json --arch glu; says "--arch"
    run 0 sweep --widths 2:3 --arch mlp --samples 50 --no-figure --keep-networks --out two
    run 2 predict two --grid 3; says "holds 2 networks" w2 w3
}

# --print-slurm refuses control characters in names, which could add lines to the script, and parts that take years.
test_slurm_takes_no_control_character() {
    local nasty
    printf 'x,y\n0,1\n1,2\n2,3\n3,4\n' >$'points\ntouch made'
    for nasty in $'run\ntouch made' $'run\rtouch made' $'run\t' $'run\x7f' $'\n#SBATCH --wrap=x'; do
        run 2 sweep $small --print-slurm --out "$nasty"; says "--print-slurm" "control character"
    done
    run 2 sweep --target x1+x40 --widths 100000 --solver lm --steps 1e8 --print-slurm; says "years" "fewer iterations"
    run 2 sweep --widths 2:3 --print-slurm --data $'points\ntouch made' --out run; says "--print-slurm" "control character"
    run 0 sweep $small --print-slurm --out $'r\xc3\xbcn $(touch made) `touch made` "x" '"'y'"
    bash -n out || no "$(cat out)"
    [ ! -e made ] || no "it ran"
    run 0 sweep $small --print-slurm --jobs 0 --out run
    [ "$(grep -c -- '--jobs 1' out)" -eq 2 ] && ! grep -q -- '--jobs 0' out || no "$(cat out)"
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 run 0 sweep $small --print-slurm --out run
    [ ! -s out ] || no "rank 1 prints the script, too"
}

# The parts run the command that was given, whose defaults are not on the command line.
test_slurm_runs_the_command_given() {
    local command
    for command in sweep contest; do
        run 0 $command --target franke --params 60 --arch mlp --print-slurm
        [ "$(grep -c "exec .*steep $command --target franke" out)" -eq 2 ] || no "$command: $(grep exec out)"
    done
}

# A series without a usable fit is reported with its own message, not with another series'.
test_failed_series_has_its_own_message() {
    local sweep="sweep --target sin(x) --widths 3 --solver lm --samples 50 --no-figure --out run"
    printf 'b3 = 1e200*z1\nb2 = exp(exp(1000+z1^2))\n' >units.txt
    run 1 $sweep --unit 'b3 = 1e200*z1'
    tail -n 1 err | grep -q 'every fit of b3 .*(singular): rmse' || no "$(cat err)"
    run 1 $sweep --unit @units.txt # b3 is kept, b2 fails in this run
    grep -q 'the first: residual or Jacobian' err && ! tail -n 1 err | grep -q 'b3 .*Jacobian' || no "$(cat err)"
}

test_join() {
    run 0 sweep $small --arch mlp --out one
    run 0 sweep $small --arch glu,gqu --out two
    run 0 join one two --out both
    [ "$(wc -l <both/fits.csv)" -eq 13 ] && [ -s both/slopes.svg ] && grep -q '^gqu ' out || no "$(ls both; cat out)"
}

# --certify prints every norm of the file.
test_certify() {
    run 0 fit --arch glu --width 3 --target cos4 --test gauss --certify --certify-power 4 --certify-second --no-figure --out c
    for word in rounding Laplacian; do grep -q "^  $word " out || no "$(cat out)"; done
    # Intervals printed in 12 digits contain the intervals of the file.
    python3 - <<'END' || no "$(cat out)"
import re
from fractions import Fraction as F
inside, printed = dict(re.findall(r'"certified_(\w+)": ([^,\n]+)', open("c/parameters.json").read())), open("out").read()
for words, name in (line.split("=") for line in """RMSE=rmse sup=sup gradient=gradient W1inf=w1inf L4=lp Hessian=hessian W2inf=w2inf
                    W2,4=w2p Laplacian_L4=laplacian_lp""".split()):
    low, high = map(F, re.search(f"^  {words.replace('_', ' ')} .*in \\[(.*), (.*)\\]", printed, re.M).groups())
    assert low <= F(inside[f"{name}_low"]) <= F(inside[f"{name}_high"]) <= high, words
END
    run 0 fit --arch mlp --width 3 --samples 50 --certify --quiet --json --no-figure
    ! grep -q progress err || no "progress in spite of --quiet: $(cat err)"
}

test_separate() {
    local header=witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,certified_high,restarts,hits,status,seconds
    run 0 separate --class relu --width 1:3 --restarts 4 --certify --out run
    [ "$(head -n 1 run/separation.csv)" = "$header" ] && [ "$(wc -l <run/separation.csv)" -eq 4 ] || no "$(cat run/separation.csv)"
    grep -q 'kinds of start' err && no "bounds that are attained leave nothing to find: $(cat err)"
    [ -s run/separation.svg ] && [ -s run/separation.gp ] || no "no figure"
    [ "$(field run/run.json state)" = "done" ] || no "$(cat run/run.json)"
    run 0 predict run/networks/width-3.json --grid 5
    cp -r run before
    run 2 separate --witness 'sin(x1+x2+x3+x4)' --class relu --width 1 --out run --fresh
    diff -r -x .lock run before || no "a witness in 4D has removed something"
    run 0 separate --class gelu --width 1 --restarts 2 --out run --fresh --no-figure
    [ "$(cut -d, -f2 run/separation.csv | tail -n 1)" = gelu ] && [ ! -e run/networks/width-3.json ] || no "--fresh keeps the old"
    run 0 separate --witness 'cos(9*x)+abs(x-0.3)' --class relu2 --width 2 --restarts 1 --format csv
    grep -q 'width 2: fewer than two kinds of start found this W.*--restarts 24' err || no "one start of one kind: $(cat err)"
    grep -q ',relu2,nan,euclidean,2,' out || no "a lambda that the witness has not: $(cat out)"
    run 2 separate --witness '1e301*abs(x-0.3)' --class relu --width 1 --restarts 1 --certify --out far
    [ "$(wc -l <far/separation.csv)" -eq 2 ] && [ -s far/networks/width-1.json ] || no "a certificate that fails loses the network"
}

# On a terminal a sweep shows its progress and the time left, and wipes them away; with --quiet, or into a file, nothing.
test_progress() {
    command -v script >/dev/null || return 0 # part of util-linux
    local sweep="sweep --arch glu --solver lm --widths 20:30 --samples 500 --max-iterations 20 --no-figure"
    script -qec "$steep $sweep --out run" typed >/dev/null 2>&1 </dev/null || no "$(cat typed)"
    grep -q ' of 11 fits, [0-9]* % of the work' typed || no "no progress: $(cat typed)"
    grep -q 'about [0-9]* s left' typed || no "no time left: $(cat typed)"
    grep -q $'of the work.*\r\033\[Kkept 0, computed 11' typed || no "the progress stays: $(cat -A typed)"
    script -qec "$steep $sweep --quiet --fresh --out run" typed >/dev/null 2>&1 </dev/null || no "$(cat typed)"
    run 0 $sweep --fresh --out run
    ! grep -q '% of the work' typed out err || no "progress in spite of --quiet, or into a file"
}

# Without a penalty the table warns of float32; a penalty lowers the test error, and float32 stays within 10 % of it.
test_penalty() {
    local smooth="--target exp(-3*((x-.2)^2+y^2))*sin(5*x*y) --arch glu:silu --widths 32 --solver varpro --max-iterations 25 --samples 900 --no-figure"
    run 0 sweep $smooth --out none
    grep -q 'float32: [-+.0-9e]* at width 32 (use --penalty)' out || no "$(cat out)"
    run 0 fit $smooth
    grep -q 'in float32 .*--penalty' out || no "a fit alone: $(cat out)"
    run 0 fit $smooth --penalty 1e-12
    ! grep -q 'float32 .*--penalty' out || no "with a penalty: $(cat out)"
    run 0 sweep $smooth --penalty 1e-12 --out ridge
    ! grep -q float32 out || no "$(cat out)"
    awk -F, 'FNR == 2 { test[FILENAME] = $13; single = $24 }
        END { t = test["ridge/fits.csv"]; exit !(t < 2e-4 && t < test["none/fits.csv"] && single < 1.1 * t) }' {none,ridge}/fits.csv || no "$(cat ridge/fits.csv)"
}

test_points_with_a_test() {
    awk 'BEGIN { srand(7); print "t;p q;value;note"
        for (i = 0; i < 200; i++) { a = 50 * rand(); b = 1e5 + 1e4 * rand(); printf "%.6f;%.3f;%.6f;n%d\n", a, b, 300 + 20 * sin(a / 9) + (b - 1e5) / 3e3, i } }' >d.csv
    run 0 sweep --data d.csv --x 't,p q' --y value --holdout 0.2 --standardize --arch glu --solver lm --max-iterations 100 --widths 6 --no-figure --keep-networks --out run
    [ "$(cut -d, -f11 run/fits.csv | tail -n 1)" = 160 ] || no "$(cat run/fits.csv)"
    ! grep holdout err || no "test points"
    # The row's error is the error of the network's predictions, in the units of the points.
    run 0 predict run/networks/*.json --data d.csv --y value --out predicted.csv
    local whole row
    whole=$(sed -n 's/^RMSE \([0-9.e+-]*\) .*/\1/p' err)
    row=$(awk -F, 'NR == 2 { print sqrt((160 * $12 * $12 + 40 * $13 * $13) / 200) }' run/fits.csv)
    awk "BEGIN { exit !($whole > 0 && $whole / $row < 1.0001 && $row / $whole < 1.0001) }" || no "RMSE $whole, rows say $row"
}

# In 2D a fit leaves its tables and figure; surface.csv has the network's predictions and the target, to 1e-7.
test_fit_maps() {
    run 0 fit --target 'sin(3*x)*y' --domain '-1:1,0:5' --arch glu --width 6 --solver lm --start random --samples 300 --max-iterations 20 --out flat
    for file in surface.csv gates.csv residuals.csv fit.gp fit.svg fit.png fit.pdf; do [ -s flat/$file ] || no "no $file"; done
    [ "$(head -n 1 flat/surface.csv)" = x1,x2,network,target,residual ] || no "$(head -n 1 flat/surface.csv)"
    grep -v '^$' flat/surface.csv >flat.csv
    run 0 predict flat/parameters.json --data flat.csv --x x1,x2 --out predicted.csv
    paste -d, flat.csv predicted.csv | awk -F, 'NR > 1 { d = $3 - $8; m = d * d > m ? d * d : m } END { exit !(NR == 14642 && m < 1e-14) }' || no "another surface"
    awk -F, 'NR > 1 { d = $4 - sin(3 * $1) * $2; m = d * d > m ? d * d : m } END { exit !(m < 1e-14) }' flat.csv || no "another target"
}

# --- devices: the host build of the GPU's code in its place ---

twin=$top/${BUILD#"$top"/}/lib/steep_twin.so
on_device="--arch mlp,glu --solver lm --start random --widths 2:3 --seeds 0:1 --samples 80 --max-iterations 4 --no-figure"

test_device() {
    run 0 sweep $on_device --out cpu
    export STEEP_CUDA_OBJECT=$twin
    ! has doctor || run 0 doctor
    ! has doctor || grep -q '^device cuda *host build' out || no "doctor says nothing of the twin: $(grep '^device' out)"
    run 0 sweep $on_device --device cuda --out device
    [ "$(grep -c ',twin,' device/fits.csv)" -eq 8 ] || no "$(cat device/fits.csv)"
    sed -i 's/,twin,/,cpu,/' device/fits.csv
    cut -d, -f1-11 cpu/fits.csv >a
    cut -d, -f1-11 device/fits.csv >b
    same a b
    [ "$(field device/run.json device)" = cuda ] || no "device in run.json"
    field device/run.json device_found | grep -q 'host build' || no "device_found in run.json"
    run 0 fit --solver lm --arch glu --width 3 --samples 80 --device cuda
    grep -q '^  device  *twin' out || no "$(cat out)"
    run 2 fit --device cuda --iterations; says --iterations
    (cd "$top" && TWIN=1 RESULTS=$OLDPWD/results bash tests/bench_gpu.sh) >said || no "$(cat said)"
    [ "$(grep -c '^[a-d]  ' said)" -eq 4 ] || no "$(cat said)"
}

test_gpu_kit() {
    unset STEEP_CUDA_OBJECT
    (cd "$top" && bash tests/gpu_kit.sh "$OLDPWD/kit") >said 2>&1 || no "$(cat said)"
    local status=0
    bash "$top/tests/bare.sh" kit first >said 2>&1 || status=$?
    [ $status -ne 77 ] || { status=0; TWIN=1 bash kit/tests/gpu_first.sh kit first >said 2>&1 || status=$?; }
    [ $status -eq 0 ] || no "$(cat said)"
    tail -n 20 said | grep -q '^ladder  *P 21: .* twin .* apart [0-9]' || no "$(cat said)"
    SECONDS_IN_ALL=1 TWIN=1 bash kit/tests/gpu_first.sh kit second >said 2>&1 && no "time ran out, and exit status 0"
    grep -q 'left out: no time was left' second/table || no "$(cat said second/table)"
    bash kit/tests/gpu_first.sh nothing first 2>said && no "a kit that is not there"
    grep -q '^usage: ' said || no "$(cat said)"
}

# --- faults ---

# fake COMMANDS: puts a gnuplot that runs COMMANDS first in PATH.
fake() {
    mkdir -p bin
    printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH
}

# With closed streams a sweep ends as with open ones, and no output goes into a file of the run.
test_closed_streams() {
    run 0 sweep $small --out open
    local status=0
    "$steep" sweep $small --out one >&- || status=$?
    [ $status -eq 0 ] || no "stdout closed: exit status $status"
    "$steep" sweep $small --out two 2>&- >/dev/null || no "stderr closed"
    "$steep" sweep $small --out all <&- >&- 2>&- || no "all closed"
    for folder in one two all; do
        grep -qx 'process [0-9]* on [^ ]*' $folder/.lock || no "$folder/.lock: $(cat $folder/.lock)"
        same_rows open $folder
        same open/slopes.csv $folder/slopes.csv
    done
}

# If the reader of a pipe goes away, a sweep still ends, with status 141, and a fit stops; the records say so.
test_broken_pipe() {
    { "$steep" sweep $small --out run 2>/dev/null || echo $? >status; } | true
    [ "$(field run/run.json state)" = "done" ] || no "state $(field run/run.json state)"
    [ "$(cat status)" -eq 141 ] || no "exit status $(cat status)"
    "$steep" sweep $small --fresh --out run 2>&1 >/dev/null | true
    [ "$(field run/run.json state)" = "done" ] || no "stderr: state $(field run/run.json state)"
    { "$steep" fit --arch glu --width 40 --solver lm --samples 2000 --iterations --max-iterations 2000 --no-figure --out fit 2>/dev/null || echo $? >status; } | head -n 2 >lines
    [ "$(field fit/run.json state)" = stopped ] || no "fit: state $(field fit/run.json state)"
}

# A signal while gnuplot hangs stops steep with status 1; the record says so, and the rows stay.
test_gnuplot_hangs() {
    run 0 sweep --widths 4:16:4 --samples 300 --no-figure --out run
    cp run/fits.csv before
    fake "echo >$PWD/begun; sleep 60"
    for signal in TERM INT; do
        rm -f begun
        stopped $signal begun sweep --widths 4:16:4 --samples 300 --out run
        [ $status -eq 1 ] || no "SIG$signal: exit status $status: $(cat err)"
        grep -q '^steep: stopped: no picture' err || no "$(cat err)"
        [ "$(field run/run.json state)" = stopped ] || no "stopped in the figure: state $(field run/run.json state)"
        same before run/fits.csv
    done
}

# --- the other commands ---

# Bad use of each kind: status 2, a message that names the error, and no folder is made. The C tests of the plan, of
# options, points and formulas have more cases.
test_refusals() {
    local line words
    { echo x,y; for i in $(seq 0 30); do echo "$i,$((i * i))"; done; } >good.csv
    sed '5s/,.*/,text/' good.csv >bad.csv
    mkdir closed && echo mine >closed/slopes.csv
    while IFS='|' read -r line words; do
        eval "run 2 $line"
        eval "says $words"
    done <<'END'
swep|swep "did you mean 'sweep'"
sweep --widht 5 --out run|--widht "did you mean --width"
sweep --widths 3 --width=4|"--width is given twice, '3' and '4'"
fit --unit @.|"--unit @." "Is a directory"
list targts|targts targets
fit --target 'x+*2'|"column 3"
fit --data bad.csv --width 5|"bad.csv, line 5" text
fit --arch mlp --solver lm --dense --target sin4sin4|--dense 1D
fit --arch glu --widths 3,4 --samples 50,60|"4 (2 widths, 2 numbers of samples)"
contest --widths 4|--widths --params
fit --data good.csv --holdout .2 --folds 2|--holdout --folds
fit --standardize --certify --target 'sin(x)'|--certify "leave --standardize out"
fit --certify-bits 64|--certify-bits "--certify:"
sweep --out closed|"no run.json" slopes.csv
separate --class rellu|rellu relu
separate --class rbf --width 1|"rbf is a comparator" "use another architecture"
slope good.csv --size m|--size "no column m"
slope|"one CSV file"
predict nowhere.json --grid 3|nowhere.json
figure nowhere|"nowhere: there is no such folder"
figure closed --width 2m|--width 8.5cm
report nowhere|nowhere
join closed --out run|closed/run.json
train|"'fit' or 'sweep'"
END
    [ ! -e run ] && [ "$(cat closed/slopes.csv)" = mine ] || no "something was begun"
    STEEP_GNUPLOT_SECONDS=-1 run 2 sweep $small --out run; says STEEP_GNUPLOT_SECONDS "'-1'" "more than 0"
}

test_help() {
    local words
    run 0
    grep -q Usage out || no "no usage"
    cp out usage
    for words in help --help -h; do
        run 0 $words
        same usage out
    done
    run 0 help fit
    cp out usage
    run 0 fit --help
    same usage out
}

# Singularity that does not show yet, uniform gates: the remark is "still bending" and theory names no order. With
# equidistributed gates, or without the singularity, theory names -2.
test_singular_target() {
    run 0 sweep --target '(x+1)^1.3+cos(4*x);cos(4*x)' --arch mlp --start uniform,equidistributed --sampling grid --samples 4000 --widths 8:128:x1.5 --out run
    grep -q '^mlp.* uniform .*still bending.*derivative 2 of the target' out || no "$(cat out)"
    awk -F, '$5 == "window" && $4 == "params" { print $2, $14, $13, $19 }' run/slopes.csv >said
    printf '%s\n' '(x+1)^1.3+cos(4*x) uniform nan still bending' '(x+1)^1.3+cos(4*x) equidistributed -2 ' 'cos(4*x) uniform -2 ' 'cos(4*x) equidistributed -2 ' |
        cmp -s - said || no "$(cat said out)"
    run 0 sweep --target '1+0*x' --arch mlp --widths 2 --samples 50 --out zero # errors of 0 have no figure
    grep -q 'no figure' err || no "$(cat err)"
}

test_fit_files() {
    run 0 fit --arch glu --width 6 --target cos4 --samples 500 --out run
    grep -q '^glu on cos4, width 6, 31 parameters' out || no "$(cat out)"
    for word in status 'train RMSE' 'test RMSE' 'rounding floor' iterations; do grep -q "$word" out || no "no $word"; done
    for file in parameters.json residuals.csv units.csv gates.csv run.json fit.svg fit.png fit.pdf; do
        [ -s run/$file ] || no "no $file"
    done
    [ "$(head -n 1 run/residuals.csv)" = x,y,network,residual ] || no "$(head -n 1 run/residuals.csv)"
    # The printed test error is the root mean square of the residuals in the file.
    awk -F, -v printed="$(awk '/test RMSE/ { print $3 }' out)" 'NR > 1 { s += $4 * $4; n++ }
        END { r = sqrt(s / n); exit !(r > 0.999999 * printed && r < 1.000001 * printed) }' run/residuals.csv || no "residuals and report differ"
}

test_predict() {
    run 0 fit --arch gqu --width 9 --target cos4 --samples 300 --out run --no-figure
    run 0 predict run/parameters.json --data run/residuals.csv
    cmp -s <(cut -d, -f2 out) <(cut -d, -f3 run/residuals.csv) || no "values are not those of the fit"
    run 0 fit --unit 'w = sin(z1)*z2' --target 'x*y' --width 3 --solver lm --samples 100 --out plane --no-figure
    run 0 predict plane/parameters.json --data plane/residuals.csv --out predicted.csv
    cmp -s <(cut -d, -f3 predicted.csv) <(cut -d, -f4 plane/residuals.csv) || no "values in 2D"
    # predict overwrites no file that it reads. A grid has the names of the fit's columns. A coordinate that has another
    # column's name gets one that no column has.
    local network=run/parameters.json
    run 2 predict run --grid 3 --out $network
    says "file of the network"
    run 2 predict run --data run/residuals.csv --out run/../run/residuals.csv
    says "file of the points"
    run 0 predict $network --data run/residuals.csv
    awk 'BEGIN { OFS = ","; print "y,x_y,network,v"; for (i = 0; i < 30; i++) print sin(i), i % 7, cos(3 * i), sin(i) * cos(3 * i) }' >odd.csv
    run 0 fit --data odd.csv --x y,x_y,network --y v --arch mlp --width 2 --out odd --no-figure
    run 0 predict odd --data odd.csv --y v --gradient
    [ "$(head -n 1 out)" = x_x_y,x_y,x_network,y,network,residual,d1,d2,d3 ] || no "$(head -n 1 out)"
    { echo first; "$steep" predict odd --grid 3 --out /dev/stdout; } >grid.csv
    [ "$(head -n 2 grid.csv | xargs)" = "first y,x_y,x_network,network" ] || no "$(head -n 2 grid.csv)"
    sed '1s/.*/u,w,q,v/' odd.csv >even.csv
    run 0 fit --data even.csv --x u,w,q --y v --arch mlp --width 2 --out even --no-figure
    grep -q 'no test points: --holdout' err || no "a fit without test points: $(cat err)"
    run 0 predict even --grid 3 --out grid.csv
    run 0 predict even --data grid.csv
    same out grid.csv
    local python
    python=$(numpy_python)
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
    printf '# two units\n\none = relu(z1)*z2; order = 3\ntwo = z1*sigmoid(e1*z1); e1 = 1\n' >units.txt
    run 0 sweep --arch glu --unit @units.txt --solver varpro --widths 4,6 --samples 200 --target sin4sin4 --no-figure --out plane
    [ "$(cut -d, -f1 plane/fits.csv | sort -u | tr '\n' ' ')" = "arch glu one two " ] || no "$(cut -d, -f1 plane/fits.csv)"
}

# Without gnuplot sweep, fit and figure end with status 1 and say so; the numbers are there.
test_exit_statuses() {
    local command
    mkdir empty
    for command in "sweep --arch mlp --widths 3:5 --out run" "fit --arch mlp --width 3 --out fit" "figure run"; do
        # shellcheck disable=SC2086
        PATH=$PWD/empty run 1 $command
        grep -q 'gnuplot could not be started' err || no "$command: $(cat err)"
    done
    [ "$(wc -l <run/fits.csv)" -eq 4 ] && [ -s run/slopes.csv ] && [ -s fit/residuals.csv ] || no "$(ls run fit)"
}

# A signal ends the program in a start that does not ask for stops: status 143 within 3 s, state running.
test_stop_unheard() {
    stopped TERM ridge/run.json fit --arch gqu --target franke --samples 40000 --start ridge --width 256 --no-figure --out ridge
    [ $status -eq 143 ] && [ $ms -lt 3000 ] && [ "$(field ridge/run.json state)" = running ] || no "status $status after $ms ms: $(cat err)"
}

# steep slope of a sweep's folder prints the sweep's own slopes, which know floors, cells and overfitting widths.
test_slope_of_sweeps() {
    run 0 sweep --target cosine_well --arch mlp,glu --widths 8:256:x2 --samples 2000 --sampling grid --no-figure --out well
    run 0 slope well/fits.csv --csv
    for method in window last_pair all; do
        awk -F, -v m=$method '$4 == "params" && $5 == m { print $6 "," $7 "," $8 }' well/slopes.csv >wanted
        awk -F, -v m=$method '$5 == m { print $6 "," $7 "," $8 }' out >found
        same wanted found
    done
    run 0 slope well --csv --level 0.9 # asks for something else: of the rows
    ! grep -q "$(head -n 1 wanted)" out || no "the sweep's slope at another level"
    # Starts and numbers of points are series of their own there, too; no row is dropped as a repetition.
    run 0 sweep --arch mlp --start uniform,random --samples 200,400 --widths 4:32:x2 --no-figure --out series
    run 0 slope series --csv --level 0.9
    [ "$(cut -d, -f5,6 out | sort -u | wc -l)" -eq 5 ] && ! grep -q 'in their group already' err || no "$(cat out err)"
    awk 'BEGIN { OFS = ","; print "x,y"; for (i = 0; i < 60; i++) { x = i / 30 - 1; print x, exp(-x) * cos(8 * x) } }' >plain.csv
    run 0 sweep --data plain.csv --arch mlp --widths 2:16:x2 --no-figure --out plain
    run 0 slope plain --scatter 1e-9 # without test points the training error counts
    run 0 fit --data plain.csv --arch glu:silu --width 8 --solver varpro --restarts 2 --penalty 1e-14 --max-iterations 60 --start random --no-figure
    grep -q 'cap on iterations.*; the gradient meets the tolerance' out || no "$(cat out)"
    # Errors that are not resolved are in no series.
    run 0 sweep --target '1/abs(x-0.1234567)^0.40' --arch mlp,gqu --widths 4:256:x2 --samples 2000 --test gauss --no-figure --out wild
    grep -q ',nan,' wild/fits.csv && run 0 slope wild
    [ ! -s err ] || no "$(cat err)"
    truncate -s -20 well/slopes.csv
    run 0 slope well
    grep -q 'slopes.csv: the last line is cut short' err && grep -q 'glu .* all ' out || no "$(cat out err)"
}

test_slope() {
    { echo n,e,floor; for n in 8 16 32 64 128 256; do awk "BEGIN { printf \"%d,%.17g,1e-18\\n\", $n, 5 * $n ^ -2.5 }"; done; } >law.csv
    run 0 slope law.csv --size n --error e
    grep -Eq '^window +-2\.500 ' out || no "$(cat out)"
    sed $'1s/^/\xdf,/; 2,$s/^/a,/' law.csv >bytes.csv
    run 0 slope bytes.csv --size n --error e --by $'\xdf' --format json
    python3 -m json.tool out >json || no "$(cat out)"
    cut -d, -f1,2 law.csv | sed '1s/.*/a,b/' >two.csv # two columns need no names, nor do usual ones
    run 0 slope two.csv --csv
    grep -q '^window,-2\.[45]' out || no "$(cat out)"
    awk 'BEGIN { print "n,loss"; for (n = 1e6; n < 1e11; n *= 3) print n "," 1.69 + 400 * n ^ -0.34 }' >loss.csv
    run 0 slope loss.csv --law offset
    grep -Eq '^window +-0\.3[34]' out && grep -Eq 'E = 1\.6[89]|E = 1\.7' out && grep -q 'predict' out || no "$(cat out)"
}

# steep law finds the known E, a and b from a folder and a table, draws them, and refuses bad use before it prints.
test_law() {
    mkdir sweep
    awk 'BEGIN { print "arch,params,tokens,loss,status"; for (p = 1e6; p < 1e8; p *= 2.3) for (n = 1e8; n < 4e10; n *= 2.9)
        printf "%s,%.17g,%.17g,%.17g,converged\n", n < 1e9 ? "mlp" : "glu", p, n, 1.5 + 30 * p ^ -0.3 + 200 * n ^ -0.35 }' >sweep/fits.csv
    run 0 law sweep --out figure --predict tokens=1e12,params=1e9
    for file in law.svg law.pdf law.png law.gp law_points.csv law_best.csv; do [ -s figure/$file ] || no "no $file"; done
    grep -Eq '^E +1\.5 ' out && grep -Eq '^a +0\.3 ' out && grep -Eq '^b +0\.35 ' out || no "$(cat out)"
    grep -q 'several kinds in one law: --by arch makes' err || no "$(cat err)"
    cp out whole
    awk -F, -v OFS=, '{ print $0, NR == 1 ? "start" : NR % 2 ? "random" : "uniform" }' sweep/fits.csv >starts.csv
    run 0 law starts.csv --by arch
    grep -q 'several kinds in one law: --by arch,start makes' err || no "$(cat err)"
    run 0 law figure/law_points.csv --predict params=1e9,tokens=1e12 # what it writes, it reads
    [ ! -s err ] || no "$(cat err)"
    same <(tail -n +2 whole) <(tail -n +2 out)
    awk 'BEGIN { print "params,tokens,loss"; for (k = 0; k < 256; k++) printf "%.17g,%.17g,%.17g\n", p = 1e6 * 1.5 ^ (k % 16),
        n = 1e8 * 1.5 ^ int(k / 16), (1.5 + 30 * p ^ -0.3 + 200 * n ^ -0.35) * (1 + sin(k) / 1e3 + (k % 9 == 4) / 3) }' >apart.csv
    run 0 law apart.csv --form hoffmann
    [ "$(grep -c '^ *[0-9]* .* 25[0-9]\.[0-9]$' out)" = 28 ] || no "$(cat out)" # every point that stands apart
    sed '3s/,[^,]*,converged/,nan,converged/' sweep/fits.csv >nan.csv
    sed '4s/,[^,]*/,-5/' sweep/fits.csv >negative.csv
    local command words
    while IFS='|' read -r command words; do
        eval "run 2 law $command"
        eval "says $words"
    done <<'END'
sweep --size params,toks|--size toks tokens
sweep --size params|"two columns" "steep slope"
sweep --size params,tokens,loss|"--size 'params,tokens,loss'" "have no comma"
sweep --size 'params,tokens=flops/(6*params)'|"--size: 'flops/(6*params)': flops is no column; the columns are arch, params"
sweep --size params,params|"name two columns"
sweep --error lost|--error lost
sweep --by kind|"--by: " kind
sweep --by arch --out other|"--out draws one law"
nan.csv|"nan.csv, line 3" nan
negative.csv|"negative.csv, line 4" "positive number"
sweep --fix a=50|"a = 50" "0.02 to 20"
END
    [ ! -e other ] || no "something was drawn"
}

# steep figure draws from the tables of a folder; every option has its effect.
test_figure() {
    run 0 sweep $small --arch mlp,glu --out run
    run 0 figure run --width 8.5cm --name column --terminal svg --arch glu --by arch --against P --xlim 2:50 --ylim 1e-4:2 --no-theory --title "it's me"
    grep -q 'width="321"' run/column.svg && grep -q "it's me" run/column.svg && ! grep -q '>mlp' run/column.svg || no "$(grep -m 1 width= run/column.svg)"
    for text in 'panels = 1;' 'x_to[1] = [50]' 'y_from[1] = [0.0001]' 'order[1] = [0]'; do grep -qF "$text" run/column.gp || no "no $text"; done
}

# Stages, residual layers of unequal widths, units with a norm, layers of one unit and grown layers are fitted, saved,
# read again, differentiated in x and certified; also on points from a file.
test_layers() {
    local short="--solver lm --max-iterations 8 --restarts 0 --no-figure --quiet"
    run 0 fit --arch mlp:tanh --layers 6,5 --stages 2 --target 'sin(3*x)' --certify $short --out stages
    run 0 fit --arch polynorm --layers 3,4,2+ --target 'cos(2*x)' --certify --penalty 1e-6 --threads 2 $short --out norm
    grep -q 'RMSE .*converged' out || no "$(grep RMSE out)"
    run 0 fit --arch mlp:tanh --layers 1,1,1 --target 'x^2' --certify $short --out narrow
    awk 'BEGIN { OFS = ","; print "u,v,y"; for (i = 0; i < 60; i++) print sin(i), cos(3 * i), sin(i) * cos(3 * i) }' > points.csv
    run 0 fit --data points.csv --x u,v --arch glu:silu --layers 3,2+ $short --out data
    for name in stages norm narrow; do
        grep -q '"certified_rmse_high": 0\.' "$name/parameters.json" || no "$name: $(grep certified "$name/parameters.json")"
        run 0 predict "$name" --grid 5 --gradient
        [ "$(wc -l < out)" -eq 6 ] || no "$(cat out)"
    done
    run 0 predict data --data points.csv --gradient
    run 0 fit --unit 'relu(-z1)' --depth 2 --start grown --solver lm --width 3 --max-iterations 5 --quiet
    run 2 fit --unit '0*z1' --depth 2 --start grown --solver lm --width 3; says "0*z1 has slope 0" "layerwise"
    run 0 fit --load data --data points.csv --x u,v --max-iterations 2 --solver lm --no-figure --quiet --out more
}

# Curves of adam and lbfgs, the gap over the bound or the best known error, refusal of options that have no effect.
test_curves() {
    local rest="--samples 200 --sampling grid --steps 50 --seeds 0:1 --out run"
    run 0 sweep --arch glu:relu,glu:silu --widths 3,6 --solver adam,lbfgs --curve --batch 64 --warmup 5 $rest
    [ "$(find run/curves -name '*.csv' | wc -l)" -eq 16 ] || no "$(find run/curves)"
    awk -F, 'NF != 11 || (FNR > 1 && !($5 > 0 && $11 > 0))' run/curves/*.csv | grep . && no "rows of a curve"
    awk -F, 'FNR > 1 && $2 == last { print FILENAME } { last = $2 }' run/curves/*.csv | grep . && no "an iteration twice"
    python3 - <<'END' || no "gap"
import csv
rows = list(csv.DictReader(open("run/series.csv")))
for row in rows:
    same = [r for r in rows if (r["arch"], r["width"]) == (row["arch"], row["width"])]
    best = min(same, key=lambda r: float(r["best"]))
    bound = row["activation"] == "relu" and float(row["lower"]) > 0
    expected = float(row["error"]) / float(row["lower"] if bound else best["best"])
    assert abs(float(row["gap"]) / expected - 1) < 1e-14 and row["gap_over"] == ("bound" if bound else best["series"]), row
    assert bound or row["activation"] == "silu"
END
    run 0 figure run --curves
    [ -s run/curves.pdf ] && grep "d='M76.80," run/curves.svg | grep -qvE 'rgb\((230| 64)' || no "no line but the axes' begins at iteration 0"
    run 2 sweep --solver lm --curve --learning-rate 0.1 $rest
    says "--learning-rate" "adam"
    run 2 sweep --solver adam --learning-rate fast $rest
    says "--learning-rate 'fast'"
    run 2 figure . --curves
    # An error worse than a network of 0 is a result of sgd; of lbfgs it is a failure, which leaves only its curve.
    local bad="--arch glu:silu --samples 300 --curve" wild="--learning-rate 1e5 --solver sgd --max-iterations 50"
    run 0 sweep $bad $wild --widths 8,16 --target 'exp(x)*sin(3*x);exp(x)+sin(3*x)' --out wild
    ! grep singular wild/fits.csv || no "a rate that diverges"
    run 0 figure wild --curves # targets that differ in a sign alone; errors have room for those that do not diverge
    [ "$(grep -c '^label.*)[*+]sin.*n = 16' wild/curves.gp)" -eq 2 ] || no "$(grep '^label' wild/curves.gp)"
    grep -qE '>[2-9][0-9]<' wild/curves.svg && no "an exponent: $(grep -oE '>[2-9][0-9]<' wild/curves.svg | tail -1)"
    run 0 fit $bad $wild --width 16 --target 'exp(x)*sin(3*x)' --out one
    grep -q "worse than .* the rmse of a network of 0" out || no "$(cat out)"
    run 0 sweep $bad --solver lbfgs --max-iterations 1 --widths 8,16 --target 'exp(x)*sin(3*x)' --keep-networks --out few
    [ "$(grep -c singular few/fits.csv) $(ls few/curves | wc -l) $(ls few/networks | wc -l)" = "1 2 1" ] || no "$(ls few/*)"
    run 1 fit $bad --solver lbfgs --max-iterations 1 --width 16 --target 'exp(x)*sin(3*x)' --out none
    [ "$(cat none/curves/*.csv | wc -l)" -gt 1 ] && [ ! -e none/parameters.json ] || no "$(ls none/*)"
}

test_report() {
    # shellcheck disable=SC2086  # options
    run 0 sweep $small --arch mlp,glu --out run
    run 0 fit --arch mlp --width 3 --samples 60 --no-figure --out fit
    run 0 report run fit --out deep/er/page.html --title "a <b> & c"
    [ ! -s out ] && [ ! -s err ] || no "it prints: $(cat out err)"
    grep -qF '"title":"a <b> & c"' deep/er/page.html || no "no title"
    [ "$(grep -o '"single":{' deep/er/page.html | wc -l)" -eq 1 ] || no "not the fit"
    grep -qF "$(field run/run.json command)" deep/er/page.html || no "no command"
    grep -qE '(src|href)="(https?:)?//' deep/er/page.html && no "something is fetched"
    run 0 report run
    [ -s report.html ] && run 0 report run # in place of the page
    run 2 report run ./run/ --out twice/page.html && [ ! -e twice ] || no "a folder named twice is read"
    cp run/fits.csv before
    run 2 report run --out run/fits.csv
    says "--out run/fits.csv" "no page"
    same before run/fits.csv
}

# --out FILE names a file: a pipe gets the output and stays a pipe, a folder is refused, no temporary file is left.
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
        [ -p pipe ] || no "$command: a pipe is no pipe any more"
        rm -f plain # report replaces pages alone
        run 0 $command --out plain
        cmp piped plain || no "$command: other bytes through a pipe"
        [ -z "$(find . -name '*.tmp')" ] || no "$command left $(find . -name '*.tmp')"
    done
}

# --- points that need care ---

# Folds leave out every point once. The least mean error and its scatter are awk's, computed from fits.csv.
test_folds() {
    awk 'BEGIN { srand(3); print "a,b,y"; for (i = 0; i < 61; i++) { a = rand(); b = rand(); print a "," b "," sin(3*a) * b + 0.1 * rand() } }' >points.csv
    run 2 fit --data points.csv; says "no column x; its columns are a, b, y" "by --x and --y"
    local sweep="sweep --data points.csv --x rest --arch mlp,glu --widths 1:3 --standardize --no-figure"
    run 0 $sweep --out every; grep -q 'no test points: --holdout' err || no "a sweep without test points: $(cat err)"
    run 0 $sweep --folds 4 --out run
    ! grep holdout err || no "folds"
    grep -qF ', 4 folds' out && grep -q 'folds.*least error.*+-.*R^2' out || no "$(cat out)"
    run 0 $sweep --folds 4 --out run --format csv
    grep -q 'kept 24, computed 0' err || no "$(cat err)"
    awk -F, 'FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
        NR == FNR { e[$at["arch"], $at["width"], $at["seed"]] = $at["rmse_test"]; n[$at["seed"]] = $at["samples"]; next }
        { best = 9; for (w = 1; w <= 3; w++) { m = 0; for (f = 0; f < 4; f++) m += e[$at["arch"], w, f] / 4
              if (m < best) { best = m; q = 0; for (f = 0; f < 4; f++) q += (e[$at["arch"], w, f] - m)^2; at_w = w } }
          d = $at["least_error"] / best - 1; s = $at["scatter"] / sqrt(q / 3) - 1
          if (d * d > 1e-20 || s * s > 1e-18 || $at["at_width"] != at_w || !($at["r2"] < 1)) bad = 1; rows++ }
        END { for (f in n) points += n[f]; exit bad || rows != 2 || points != 3 * 61 }' run/fits.csv out || no "means: $(cat out run/fits.csv)"
    run 2 $sweep --folds 5 --out run; says '--folds 4 and this command has 5'
}

# Points from a pipe have the checksum of the same file. Other points are refused, and the folder stays as it is.
test_points_from_a_pipe() {
    awk 'BEGIN { print "x,y"; for (i = 0; i < 40; i++) print i / 40 "," sin(i / 9) }' >a.csv
    sed 's/^0.5,.*/0.5,7/' a.csv >b.csv
    local points="sweep --data /dev/stdin --arch mlp --no-figure"
    cat a.csv | run 0 $points --widths 4 --out piped
    run 0 sweep --data a.csv --arch mlp --no-figure --widths 4 --out file
    [ "$(field piped/run.json data-sum)" = "$(field file/run.json data-sum)" ] || no "a pipe has another sum than the file"
    cp -r piped before
    cat b.csv | run 2 $points --widths 4,6 --out piped
    says "other points"
    diff -r -x .lock piped before || no "something changed"
    mkfifo named
    cat a.csv >named &
    timeout 20 "$steep" fit --data named --arch mlp --width 3 --out fit >out 2>err || no "a named pipe: $(cat err)"
}

# --- comparators and contests ---

test_contest() {
    local race="contest --arch mlp,glu:silu,chebyshev,rff,spline --samples 200 --max-iterations 9 --format csv --out race"
    run 0 $race --target 'atan(9*x)' --penalty 1e-14 --params 40
    # Errors ascend and are those of fits.csv; every network has 35 to 40 parameters.
    awk -F, 'FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
        file == 1 { error[$at[1, "arch"]] = $at[1, "rmse_test"]; next }
        { name = $at[2, "unit"]; sub(/:.*/, "", name); e = $at[2, "error"]; rows++ }
        e != error[name] || e < before || $at[2, "params"] > 40 || $at[2, "params"] < 35 { print "row", $0; exit 1 }
        { before = e } END { exit rows != 5 }' race/fits.csv out || no "$(cat out)"
    run 0 $race --target 'atan(9*x)' --penalty 1e-14 --params 20,40
    grep -q 'kept 5, computed 5' err || no "$(cat err)"
    run 2 $race --target 'atan(9*x)' --params 40
    says --penalty 1e-14
    run 0 contest --unit 'exp(-z1^2)*z2' --target franke --params 30 --samples 200 --max-iterations 5 --restarts 0 --out unit
    # A unit of several layers uses lm from random starts; the other unit keeps a solver and start of its own.
    run 0 contest --arch mlp,mlp:tanh@2 --target 'atan(9*x)' --params 40 --max-iterations 5 --restarts 0 --out deep
    cut -d, -f2,8,9 deep/fits.csv | sort >said
    grep -qx 'relu,equidistributed,reduced-newton' said && grep -qx 'tanh@2,random,lm' said || no "$(cat said)"
    # A folder may have rows of other seeds and widths: the table is of those that are asked for.
    race="contest --arch mlp,rff --target atan(9*x) --samples 200 --max-iterations 9 --restarts 0 --format csv --out seeds"
    run 0 $race --params 20 --seeds 0
    run 0 $race --params 30 --seeds 1 --json
    grep -q '"begin","command":"contest"' err || no "$(head -n 1 err)"
    [ "$(cut -d, -f7,9 out | tr '\n' ' ')" = "seed,params 1,28 1,28 " ] || no "$(cat out)"
    run 0 contest --target franke --params 20 --samples 200 --max-iterations 1 --restarts 0 --out all
    grep -q '^kan ' out && ! grep -q '^chebyshev ' out || no "$(cat out)"
}

test_comparators() {
    local name
    for name in spline:2 bspline:5 kan chebyshev rbf rff rff-sin; do
        run 0 fit --arch $name --width 12 --target 'cos(3*x)' --out net --fresh --no-figure
        run 0 predict net --grid 5
        awk -F, 'NR > 1 { d = $2 - cos(3 * $1); s += d * d } END { exit !(NR == 6 && s < 1e-3) }' out || no "$name: $(cat out)"
    done
    run 0 sweep --arch spline:3,chebyshev,rff,siren,mlp --solver lm --widths 4:16:4 --samples 300 --keep-networks --out run
    [ "$(ls run/networks | wc -l)" -eq 20 ] || no "$(ls run/networks)"
    [ ! -e run/curves ] || no "curves that nobody asked for: $(ls run/curves)" # more parameters are kept than count
    run 0 report run
    run 2 fit --arch chebyshev --width 5 --certify
    says 'leave --certify out'
    run 2 fit --arch gqu2 --depth 2 --certify
    says 'products of its inputs'
    run 2 fit --load net --solver lm
    run 0 fit --arch glu --params 60
    grep -q 'width 11, 56 parameters' out || no "$(cat out)"
    run 2 fit --arch glu --params 60 --width 5
    says --params --widths
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
