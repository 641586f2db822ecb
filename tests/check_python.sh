#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_python.sh: python/steep.py against the program (tests/python/check.py); the Python of the documents prints what
# they show; the example in Julia runs. SEEDS=20: four thousand random networks.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

python=$(numpy_python)
[ -n "$python" ] || skip "no python3 with numpy (Debian: python3-numpy)"
if grep -qE 'sanitize|coverage' "$BUILD/flags"; then skip "a library with sanitizers cannot be loaded by python3"; fi
export PYTHONPATH=$PWD/python STEEP_LIBRARY=$PWD/$BUILD/lib/libsteep.so STEEP_PROGRAM=$PWD/$BUILD/bin/steep PYTHONDONTWRITEBYTECODE=1
case $BUILD in /*) STEEP_LIBRARY=$BUILD/lib/libsteep.so STEEP_PROGRAM=$BUILD/bin/steep ;; esac

check "python/steep.py has 375 lines at most" [ "$(wc -l <python/steep.py)" -le 375 ]
check "tests/python/check.py" "$python" tests/python/check.py "$steep"
sed -n 's/^a fit costs/note: &/p' "$scratch/output"

for page in docs/python/*.md; do
    check "the Python of $page" test "$(grep -c '^```python$' "$page")" -ge 3
    check "$page prints what it shows" "$python" docs/execute.py "$page" "$scratch/page"
done

if command -v julia >/dev/null; then
    check "docs/example/fit.jl" julia --startup-file=no docs/example/fit.jl "$STEEP_LIBRARY"
else
    echo "note: no julia: docs/example/fit.jl was not run"
fi
finish
