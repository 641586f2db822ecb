#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh PROGRAM PROVE FOLDER: the documents as web pages, FOLDER/html/index.html (make docs). The reference is written here: the
# options of every command and the lists of names as PROGRAM prints them, the statements of the papers by PROVE, the
# library by Doxygen from the public headers. Every warning of Doxygen and Sphinx is an error.
set -eu
export LC_ALL=C.UTF-8
program=$(realpath "$1")
prove=$(realpath "$2")
mkdir -p "$3"
folder=$(realpath "$3")
cd "$(dirname "$0")/.."
STEEP_VERSION=$("$program" --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
export STEEP_VERSION

pages=$folder/source
reference=$pages/reference/built
rm -rf "$pages" "$folder/xml" "$folder/html" "$folder/doctrees" "$folder/python"
mkdir -p "$pages"
cp -r docs/. "$pages"
{ sed '/^## Read on/,$d; s|(docs/|(|g' README.md; sed 1,2d docs/index.md; } >"$pages/index.md" # the home page
mkdir -p "$reference"

block() { printf '```\n'; cat; printf '```\n'; }

{
    echo "# Options"
    "$program" --help | awk '/^Commands:/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on { print $1 }' | while read -r command; do
        printf '\n## steep %s\n\n' "$command"
        "$program" "$command" --help | block
    done
} >"$reference/options.md"
{
    echo "# Names"
    for list in architectures activations targets starts solvers; do
        printf '\n## %s\n\n' "${list^}"
        "$program" list "$list" | block
    done
} >"$reference/names.md"
"$prove" --page >"$reference/proofs.md"

# The Python of the pages is run, and leaves its figures beside them.
python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import numpy' 2>/dev/null && echo "$p" && break; done)
[ -n "$python" ] || { echo "docs: the Python of the pages needs numpy: install python3-numpy" >&2; exit 1; }
for page in docs/python/*.md; do
    STEEP_PROGRAM=$program STEEP_LIBRARY=$(dirname "$program")/../lib/libsteep.so PYTHONPATH=$PWD/python "$python" docs/execute.py "$page" "$folder/python"
done

# One page for each public header.
headers=$(cd src && ls steep/*.h ./*/public.h | sed 's|^\./||')
mkdir "$reference/library"
{
    printf '# The library\n\n`#include <steep.h>` has all of these but the headers of annexes, `<steep/bounds.h>`, `<steep/certify.h>` and `<steep/law.h>`.\n\n'
    printf '```{toctree}\n:maxdepth: 1\n\n'
    for header in $headers; do
        name=$(sed 's|\(.*\)/public.h|steep/\1.h|' <<<"$header") # as it is installed
        page=$(basename "$name" .h)
        printf '# %s\n\n```{doxygenfile} src/%s\n```\n' "$name" "$header" >"$reference/library/$page.md"
        echo "$page"
    done
    echo '```'
} >"$reference/library/index.md"
(
    cat docs/Doxyfile
    echo "OUTPUT_DIRECTORY = $folder"
    for header in $headers; do echo "INPUT += src/$header"; done
) | doxygen - >"$folder/doxygen.log" 2>&1 || { cat "$folder/doxygen.log" >&2; exit 1; }

for header in $headers; do sed -n 's/^STEEP_API [^(]*[ *]\(steep_[a-z0-9_]*\)(.*/\1/p' "src/$header"; done | while read -r name; do
    grep -q "<name>$name</name>" "$folder"/xml/*.xml || { echo "docs: Doxygen has no function $name" >&2; exit 1; }
done

sphinx-build -q -W --keep-going -b html -d "$folder/doctrees" "$pages" "$folder/html"
echo "docs: $folder/html/index.html"
