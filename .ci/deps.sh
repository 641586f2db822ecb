#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# deps.sh GROUP...: checks that the Debian packages of each group (build, lint, coverage, fuzz, mpi, python, cluster, browser, experiments, docs) are installed and installs
# those that are not, by apt-get; as root, else by sudo. When nothing is missing it touches neither the network nor sudo.
# deps.sh --report GROUP...: only says what is missing.
set -u

report=false
if [ "${1:-}" = --report ]; then
    report=true
    shift
fi

packages() {
    case $1 in
    build)
        echo "build-essential: the C compiler, make and the C library"
        echo "pkg-config: finds the test framework, and Steep once it is installed"
        echo "libgsl-dev: GSL: B-spline baselines, the gsl solver, distributions for intervals"
        echo "liblapacke-dev: LAPACKE: the second route of the tests of algebra"
        echo "libopenblas-serial-dev: OpenBLAS: LAPACK for these tests, and for GSL in make bench"
        echo "libglpk-dev: GLPK: linear programs of proofs"
        echo "libjansson-dev: Jansson: writes run.json"
        echo "libflint-dev: FLINT: exact fractions and polynomials, in enclosures and proofs"
        echo "libflint-arb-dev: Arb: balls, in enclosures"
        echo "gnuplot-nox: gnuplot: draws the figures"
        echo "check: Check: the unit-test framework"
        ;;
    lint)
        echo "clang-tidy: static checks by make lint"
        echo "clang-format: layout, checked by make lint"
        echo "cppcheck: static checks by make lint"
        echo "shellcheck: checks scripts by make lint"
        ;;
    coverage) echo "gcovr: the report of make coverage" ;;
    mpi)
        echo "libopenmpi-dev: Open MPI: sweeps by several ranks"
        echo "openmpi-bin: mpirun, and mpicc"
        ;;
    python)
        echo "python3: the module steep for Python"
        echo "python3-numpy: its arrays"
        ;;
    cluster)
        echo "slurm-wlm: Slurm, which make check-cluster starts for itself"
        echo "munge: what its daemons know each other by"
        ;;
    browser)
        echo "chromium: the browser that make check-report opens the report in"
        echo "python3: drives the browser, by its standard library alone"
        ;;
    experiments) echo "python3: experiments that are sweeps, by its standard library alone" ;;
    docs)
        echo "python3-sphinx: the web pages of make docs"
        echo "python3-myst-parser: reads their Markdown"
        echo "python3-breathe: puts Doxygen's text of the library into them"
        echo "doxygen: reads the public headers"
        echo "furo: how the pages look"
        echo "python3-numpy: runs the Python of the pages"
        ;;
    fuzz) echo "clang: the compiler with libFuzzer, for make fuzz" ;;
    *)
        echo "deps: unknown group '$1': build, lint, coverage, fuzz, mpi, python, cluster, browser, experiments or docs" >&2
        return 1
        ;;
    esac
}

# Whether a package is there for this architecture: a system with several lists a package once for each.
installed() {
    dpkg-query -W -f '${db:Status-Status} ${Architecture}\n' "$1" 2>/dev/null |
        grep -qxE "installed ($(dpkg --print-architecture)|all)"
}

wanted=$(for group in "$@"; do packages "$group" || exit 2; done) || exit 2
names=$(echo "$wanted" | sed 's/:.*//' | tr '\n' ' ')

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "deps: this is no Debian system (no dpkg-query), so nothing can be checked or installed here." >&2
    echo "deps: provide the equivalents of: $names" >&2
    echo "deps: and build with 'make all' and 'make tests', which do not ask for packages." >&2
    exit 1
fi

missing=()
for name in $names; do installed "$name" || missing+=("$name"); done
if [ ${#missing[@]} -eq 0 ]; then
    echo "deps: nothing is missing ($*)"
    exit 0
fi

if $report; then
    echo "deps: missing: ${missing[*]}"
    exit 1
fi

echo "deps: to install (${#missing[@]}):"
for name in "${missing[@]}"; do echo "$wanted" | grep "^$name: " | sed 's/^/  /'; done

by_hand() {
    echo "deps: $1; install by hand, as root, and run make again:" >&2
    echo "    apt-get update && apt-get install ${missing[*]}" >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 || by_hand "there is no apt-get here"
root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || by_hand "this needs root, and there is no sudo"
    echo "deps: this needs root: sudo may ask for your password"
    root=(sudo)
fi
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "deps: apt-get update"
"${apt[@]}" update >"$log" 2>&1 || { tail -n 5 "$log" >&2; by_hand "apt-get update failed, see above"; }
echo "deps: apt-get install ${missing[*]}"
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
    { tail -n 15 "$log" >&2; by_hand "apt-get install failed, see above"; }
for name in "${missing[@]}"; do
    installed "$name" || by_hand "apt-get ended well, but $name is still not installed"
done
echo "deps: done"
