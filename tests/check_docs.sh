#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_docs.sh: the documents say what the program does: options and listings as the program prints them, the page of the
# interface as the headers have it, a manual page and a section of the manual for each command, links that lead somewhere, manual pages that format without a warning.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

mapfile -t documents < <(ls README.md docs/*.md docs/papers/*.md)
mapfile -t commands < <("$steep" --help | awk '/^Commands:/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on { print $1 }')

check "documents equal their sources" bash docs/fill.sh check "$steep"
check "docs/api.md is what the headers and --help say (if not: make docs)" diff docs/api.md <(bash docs/api.sh "$steep")
check "docs/proofs.md is the table of proofs/ (if not: make docs)" diff docs/proofs.md <("$BUILD/bin/prove" --page)
while read -r name; do
    grep -q "^###.* $name\(,\|\$\)" docs/api.md || echo "$name"
done <tests/exported.txt | empty "docs/api.md" "every exported name has its entry; these have none"
sed -n 's/^ *\(STEEP_[A-Z_]*\) = -\{0,1\}[0-9].*/\1/p' src/base/status.h | grep -vx STEEP_OK | while read -r status; do
    grep -qE "^\| -?[0-9]+ \| \`$status\` \| \`[a-z_]+\` \| [A-Z].*\. \|$" docs/api.md || echo "$status"
done | empty "statuses in docs/api.md" "each has its value, its name and advice; these have not"
check "steep --help names the commands" test "${#commands[@]}" -ge 5
for command in "${commands[@]}"; do
    check "docs/man/steep-$command.1" test -s "docs/man/steep-$command.1"
    check "docs/manual.md has a section on steep $command" grep -q "^##* .*steep $command" docs/manual.md
    check "steep(1) names steep-$command" grep -q "steep.*$command" docs/man/steep.1
done

for source in experiments/*.c; do
    grep -q '^int main(' "$source" || continue
    name=$(basename "$source" .c)
    grep -qF "\`$name\`" docs/manual.md || echo "$name"
done | empty "experiments" "docs/manual.md says what each shows; these are missing"

version=$("$steep" --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
grep -LE "^\.TH STEEP[A-Z-]* 1 \"\" \"Steep $version\"" docs/man/*.1 | empty "version" "say \"Steep $version\" in the .TH line"

check "CITATION.cff names the version" grep -qx "version: $version" CITATION.cff

# [text](path) and ![text](path), relative to the document; anchors are headings of the same page.
for document in "${documents[@]}"; do
    grep -oE '\]\([^)]+\)' "$document" | sed 's/^](//; s/)$//' | while read -r link; do
        case $link in
        http*) ;;
        '#'*) sed -n 's/^#* //p' "$document" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' |
            grep -qx -- "${link#\#}" || echo "$document: no heading for $link" ;;
        *) [ -e "$(dirname "$document")/${link%%#*}" ] || echo "$document: $link is not there" ;;
        esac
    done
done | empty "links" "mend or remove them"

# Files that documents name; check_guides.sh looks at those of the guides, which also name new ones.
for document in "${documents[@]}"; do
    case $document in docs/adding-*) continue ;; esac
    grep -ohE '`[a-z_.-]+/[a-z_./-]+\.(c|h|cu|sh|gp|md|txt)`' "$document" | tr -d '`' | sort -u | while read -r path; do
        [ -e "$path" ] || [ -e "src/$path" ] || echo "$document: $path is not there"
    done
done | empty "files" "say where they are now"

# Targets that documents tell to make exist.
grep -ohE '`make [a-z-]+' "${documents[@]}" | sed 's/`make //' | sort -u | while read -r target; do
    grep -qE "^$target:" Makefile || echo "make $target"
done | empty "targets" "the Makefile has no such target"

if command -v groff >/dev/null; then
    for page in docs/man/*.1; do groff -man -Tutf8 -ww -z "$page" 2>&1; done | empty "manual pages" "groff complains"
fi

finish
