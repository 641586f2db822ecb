#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_completion.sh: bash completion offers every option that --help prints, with its possible values. The test calls
# it as bash does.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

program=$PWD/$steep
[ -x "$program" ] || program=$steep
mkdir "$scratch/folder" && cd "$scratch/folder" && touch points.csv "two words.csv" && mkdir results

# completed WORD...: prints the offers for the last word, one a line. Words are split at = and :, as bash does.
# shellcheck disable=SC2016
completed() {
    bash --norc -c 'eval "$("$1" completion bash)"; program=$1; shift
        COMP_WORDS=(steep "$@"); COMP_CWORD=$#
        _steep "$program"; [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' completed "$program" "$@"
}
# offers WANTED WORD...: checks that the offers for the last word are exactly WANTED.
offers() {
    local wanted=$1 found
    shift
    found=$(completed "$@" | paste -sd' ')
    if [ "$found" = "$wanted" ]; then pass; else fail "steep $*<TAB> offers '$found', not '$wanted'"; fi
}
# names LIST: prints the names of "steep list LIST".
names() { "$program" list "$1" | sed -n 's/^  \([a-z][^ ]*\) .*/\1/p' | grep -v '^name$' | paste -sd' '; }

mapfile -t commands < <(commands_of "$program")
check "steep --help names the commands" test "${#commands[@]}" -ge 6
offers "${commands[*]}" ""
offers "sweep slope separate" s
offers "--help --version" --
for command in "${commands[@]}"; do
    check "steep $command --<TAB> offers what --help prints" diff <("$program" "$command" --help | grep -o '^  --[-a-z]*' | tr -d ' ' | sort) \
        <(completed "$command" -- | sort)
    # Each option that prints its choices offers them.
    "$program" "$command" --help | sed -n 's/^  \(--[-a-z]*\) .*(\(default: [^;)]*; \)\?\([a-z][-a-z_]*\(, [a-z][-a-z_]*\)\+\))$/\1 \3/p' |
        grep -v 'default:' | while read -r option choices; do
        offers "${choices//,/}" "$command" "$option" ""
        offers "${choices//,/}" "$command" "$option" =
    done
done
offers "--solver" fit --quiet --so
offers "$(names solvers)" sweep --solver ""
offers "reduced-newton" sweep --solver = red
offers "--solver=reduced-newton" sweep --solver=red # where = splits no words
offers "$(names architectures) $(names comparators)" fit --arch ""
offers "glu gqu gqu2 gqu2a gqu2b gqu2c gqu2d gated3 gated4 gated5" fit --arch g
offers "mlp,moa" fit --arch mlp,mo
offers "relu relu2 relu3 relu4 relu6" fit --arch mlp : rel
offers "$(names activations)" sweep --arch glu,mlp :
offers "silu sigmoid" sweep --activation si
offers "$(names targets)" sweep --target ""
offers "sin4;runge1 sin4;runge1_2d" sweep --target "sin4;runge1"
offers "uniform" fit --start un
offers "points.csv" fit --data po
offers "points.csv" fit --data = po
offers "results" sweep --out re
offers "two words.csv" slope tw
offers "points.csv" predict po
offers "results" join re
offers "frozen,lm" sweep --solver frozen,lm
offers "" fit --samples ""
offers "" fit --quiet ""
offers "targets" list t
offers "list" help li
offers "bash" completion ""
offers "" nonsense --
offers "" sweep --nonsense ""

# The script, as installed: bash parses it and registers the completion; fish is refused; a word may be long.
"$program" completion bash >script
check "the script is bash" bash -n script
check "complete knows it" bash --norc -c '. ./script; complete -p steep'
check "a word that is no shell" bash -c "! $program completion fish 2>said && grep -q 'use bash' said"
long=$(printf 'a%.0s' {1..3000})
check "a word of any length" "$program" completion words fit --arch = "$long" : "$long"

finish
