#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_proofs.sh: in the quick form every statement of the papers holds as the table of proofs/ says, and fails if its
# bounds are moved by a millionth. The theorems that the table names are in proofs/coq, without Admitted or Axiom. Coq
# runs if "make proofs-coq" has run in this build folder, or with COQ=1: half a minute.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"
prove=$BUILD/bin/prove

check "every statement holds" "$prove" --quiet
check "every statement fails under a strain of 1e-6" "$prove" --strain 1e-6
check "other random cases" "$prove" --quiet --seed 7 proposition-b2 sharp-relu lemma-b4 lemma-b7
"$prove" --list | awk '{ print $1 }' | sort | uniq -d | empty "names of statements" "each has a name of its own"

for name in lemma-b11 mixed-derivative proposition-b9; do
    "$prove" --list | grep -q "^$name .*PROVED" || echo "$name"
done | empty "proved in Coq" "these were measured alone, or on the whole plane in place of Omega"

refused() { # STATUS OPTION...
    local wanted=$1 status=0
    shift
    "$prove" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ "$status" -eq "$wanted" ] && grep -q '^prove: ' "$scratch/err"
}
check "a statement that is not there" refused 2 no-such-statement
check "an option that is not there" refused 2 --no-such-option
check "an option without its number" refused 2 --seeds
check "a number that is none" refused 2 --strain much

theorems=$("$prove" --page | sed -n 's/.*| `\([A-Za-z0-9_ ]*\)` |$/\1/p' | tr ' ' '\n' | sort -u)
check "the table names theorems of Coq" test "$(echo "$theorems" | wc -l)" -ge 30
for theorem in $theorems; do
    grep -qE "^(Theorem|Lemma) $theorem\b" proofs/coq/*.v || echo "$theorem is in no file of proofs/coq"
    grep -qE "[ (]${theorem}[,)]" proofs/coq/Assumptions.v || echo "$theorem is not in proofs/coq/Assumptions.v"
done | empty "theorems of Coq" "state and prove them, and print what they rest on"
grep -nE '\b(Admitted|admit|Axiom|Parameter|Conjecture|Hypothesis|Variable)\b' proofs/coq/*.v | empty "proofs/coq" "prove it"

if [ -e "$BUILD/proofs-coq/Assumptions.log" ] || [ -n "${COQ:-}" ]; then
    check "proofs/coq compiles, and rests on the axioms of the reals" bash proofs/coq/check.sh "$BUILD/proofs-coq"
fi
finish
