# SPDX-License-Identifier: GPL-3.0-or-later
# sample.sh (sourced): a sample of fits whose rows must not change from one processor, compiler or commit to another.
# shellcheck shell=bash

# sweep_into PROGRAM FOLDER OPTIONS...: one sweep, quiet and without a figure.
sweep_into() {
    local program=$1 out=$2
    shift 2
    "$program" sweep "$@" --no-figure --quiet --fresh --format csv --out "$out" >"$out.csv" || { echo "failed: sweep $*" >&2; return 1; }
}

# sample PROGRAM FOLDER: fits by all solvers but adam, adamw, lbfgs, sgd and muon, in 1D to 3D; units with relu (folders
# relu-*), smooth units (smooth-*).
sample() {
    local program=$1 out=$2 solver
    mkdir -p "$out"
    for solver in construct frozen reduced-newton newton lm varpro gsl; do
        local restarts=(--restarts 2)
        [ "$solver" != construct ] || restarts=() # it starts nowhere
        sweep_into "$program" "$out/relu-$solver" --arch mlp,glu,gqu --target 'cosine_well;exp(-x)*cos(8*x)' --solver "$solver" \
            --widths 2:14:4 --samples 400 "${restarts[@]}" || return
    done
    sweep_into "$program" "$out/smooth-lm" --arch mlp:gelu,glu:silu,mlp:tanh,gqu:softplus,mlp:elu,la,moa,qd-moa,blend,hermite,polynorm \
        --target 'sin4;sin4sin4' --solver lm --widths 3,6 --samples 200 --max-iterations 30 || return
    sweep_into "$program" "$out/smooth-rows" --target 'sin4;sin4sin4' --solver lm --widths 3 --samples 200 --max-iterations 10 \
        --arch one-la,bi-la,qd-la,one-moa,bi-moa,blend-plain,blend-layer,hermite-own,fourier,fourier-phase,fourier-phase-own,polyrelu || return
    sweep_into "$program" "$out/relu-rows" --arch tropical,tropical-rational,tropical-rational-own,prelu,prelu-own,polyprelu \
        --target 'sin4;sin4sin4' --solver lm --widths 3 --samples 200 --max-iterations 10 || return
    sweep_into "$program" "$out/relu-degrees" --arch gated3,gated4,gated5,mlp:relu4 --target chirp --solver lm --widths 4:12:4 \
        --samples 2000 --max-iterations 30 || return
    sweep_into "$program" "$out/relu-plane" --arch mlp,glu --target sin4sin4 --solver varpro --widths 4,8 --samples 400 \
        --max-iterations 30 || return
    sweep_into "$program" "$out/relu-many" --arch mlp,glu,gqu --target runge3_2d --solver varpro --start random --widths 4,8 \
        --samples 5041 --sampling grid --max-iterations 10 || return
    sweep_into "$program" "$out/relu-exchange" --arch mlp,glu --target runge3_2d --solver exchange --widths 4 --samples 400 \
        --max-iterations 10 || return
    sweep_into "$program" "$out/relu-space" --arch mlp,glu --target 'sin(x)*sin(y)*sin(z)' --solver frozen --widths 4,40 --samples 400
}

# without_times FILE.csv: the table without the columns that differ from run to run: seconds, and the digest of the row.
without_times() {
    awk 'function quoted(line,    parts, n, i) { # commas between quotes are no ends of fields
             n = split(line, parts, "\"")
             for (i = 2; i <= n; i += 2) gsub(/,/, ";", parts[i])
             line = parts[1]
             for (i = 2; i <= n; i++) line = line "\"" parts[i]
             return line
         }
         { n = split(quoted($0), field, ","); line = "" }
         NR == 1 { for (i = 1; i <= n; i++) drop[i] = field[i] ~ /seconds/ || field[i] == "sum" }
         { for (i = 1; i <= n; i++) if (!drop[i]) line = line "," field[i]; print substr(line, 2) }' "$1"
}

# differing OLD NEW FILES...: prints the files that differ between the folders in more than seconds and folder names.
differing() {
    local old=$1 new=$2 file
    shift 2
    for file in "$@"; do
        case $file in
        *.csv) cmp -s <(without_times "$old/$file") <(without_times "$new/$file") ;;
        *) cmp -s <(sed "s|$old|FOLDER|g; s/.seconds.: [^,}]*//" "$old/$file") <(sed "s|$new|FOLDER|g; s/.seconds.: [^,}]*//" "$new/$file") ;;
        esac || echo "$file"
    done
}
