#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh FOLDER: compiles the development in FOLDER, and looks at what its theorems rest on. Exit status 77: there is no Coq
# or no Coquelicot here.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
files="Activations Jumps Steps TypeOne FixedClasses SharpValue TypeTwo Dimensions Mixed Constants Polycom Counterexamples Assumptions"
# The axioms of Coq's real numbers, and of equality of functions, which its library of reals states too.
allowed=" ClassicalDedekindReals.sig_not_dec ClassicalDedekindReals.sig_forall_dec FunctionalExtensionality.functional_extensionality_dep Classical_Prop.classic "

command -v coqc >/dev/null || { echo "proofs-coq: there is no coqc here: apt-get install coq libcoq-coquelicot"; exit 77; }
[ -e "$(coqc -where)/user-contrib/Coquelicot/Coquelicot.vo" ] ||
    { echo "proofs-coq: Coq is here, Coquelicot is not: apt-get install libcoq-coquelicot"; exit 77; }

if grep -nE '\b(Admitted|admit|Axiom|Parameter|Conjecture|Hypothesis|Variable)\b' "$here"/*.v; then
    echo "proofs-coq: these lines take something for granted" >&2
    exit 1
fi

mkdir -p "$folder" && cd "$folder" || exit 1
status=0
for name in $files; do
    if [ "$name.vo" -nt "$here/$name.v" ] && cmp -s "$name.v" "$here/$name.v" && [ "$name" != Assumptions ] && ! ${anew:-false}; then
        continue
    fi
    anew=true
    cp "$here/$name.v" .
    coqc "$name.v" >"$name.log" 2>&1 || { cat "$name.log" >&2; echo "proofs-coq: $name.v does not compile" >&2; exit 1; }
done

sed -n '/^Axioms:/,$p' Assumptions.log | grep -oE '^[A-Za-z_.]+' | sort -u | while read -r axiom; do
    [ "$axiom" = Axioms ] && continue
    case $allowed in *" $axiom "*) echo "  axiom $axiom" ;; *) echo "  NOT ALLOWED: $axiom" ;; esac
done >axioms.txt
grep -q '^Axioms:' Assumptions.log || { echo "proofs-coq: Assumptions.v printed nothing" >&2; exit 1; }
cat axioms.txt
if grep -q 'NOT ALLOWED' axioms.txt; then status=1; fi
echo "proofs-coq: $(grep -hcE '^(Theorem|Lemma) ' "$here"/*.v | awk '{ n += $1 } END { print n }') statements in $(ls "$here"/*.v | wc -l) files, $(coqc --version | head -n 1)"
exit $status
