#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_docs.sh: the documents against the program: options exist, quoted rows are in the tables, the commands of the
# first hour run, links lead to files and headings, manual pages format without a warning.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"

mapfile -t documents < <(find README.md docs -name '*.md' | sort)
mapfile -t commands < <(commands_of "$steep")
check "steep --help names the commands" test "${#commands[@]}" -ge 5
for command in "${commands[@]}"; do
    check "docs/reference/commands.md has a section on steep $command" grep -qx "## steep $command" docs/reference/commands.md
    "$steep" "$command" --help >"$scratch/help.$command"
done

# Options of commands in documents exist. Continued lines are joined; code in a sentence ends at its backquote.
for document in "${documents[@]}"; do
    case $document in docs/CHANGELOG.md) continue ;; esac
    sed -e ':more' -e '/\\$/{N;s/\\\n */ /;b more' -e '}' "$document" |
        sed -n "s#.*[ \`/]\(steep [a-z]* [^\`|]*--[^\`|]*\).*#$document: \1#p; s#^\(steep [a-z]* .*--.*\)#$document: \1#p"
done >"$scratch/commands"
awk 'FILENAME ~ /\/help\.[a-z]*$/ { if ($1 ~ /^--/) has[substr(FILENAME, match(FILENAME, /[a-z]*$/)) " " $1]; helps[substr(FILENAME, match(FILENAME, /[a-z]*$/))]; next }
    $3 in helps { for (text = $0; match(text, /--[a-z][a-z-]*/); text = substr(text, RSTART + RLENGTH)) {
        option = substr(text, RSTART, RLENGTH); if (!(($3 " " option) in has)) print "steep", $3, option } }' \
    "$scratch"/help.* "$scratch/commands" | sort -u | empty "options in documents" "the command has no such option"
check "documents have commands" test "$(wc -l <"$scratch/commands")" -ge 40

# After <!-- table: NAME --> stand rows of docs/tables/NAME.txt, after <!-- file: PATH --> the file itself.
for document in "${documents[@]}"; do
    awk -v document="$document" '
        /^<!-- table: / { file = "docs/tables/" $3 ".txt"; while ((getline line < file) > 0) { sub(/ +$/, "", line); rows[file, line] = 1 } close(file); marked = 1; next }
        /^```/ { inside = !inside && marked; if (!inside) marked = 0; next }
        inside && !((file, $0) in rows) { print document ": " file " has no line: " $0 }' "$document"
    sed -n 's/^<!-- file: \(.*\) -->$/\1/p' "$document" | while read -r file; do
        sed -n "\|^<!-- file: $file -->\$|,/^<!-- end -->\$/p" "$document" | sed '1,2d;$d' | sed '$d' | cmp -s - "$file" || echo "$document: $file has other text"
    done
done | empty "quotations" "quote the rows as docs/tables has them now, the file as it is"
for table in docs/tables/*.txt; do
    grep -q "${table#docs/}\|<!-- table: $(basename "$table" .txt) -->" "${documents[@]}" || echo "$table"
done | empty "tables" "no document leads to these"

# A command in a document with --out results/NAME is the command of NAME in docs/tables/COMMANDS.
joined=$(sed -e ':more' -e '/\\$/{N;s/ *\\\n */ /;b more' -e '}' "${documents[@]}")
sed -n 's/^\([a-z-]*\): \(.*\)$/\1 \2/p' docs/tables/COMMANDS | while read -r name words; do
    ! grep -q -- "build/bin/steep .*--out results/$name\$" <<<"$joined" ||
        grep -qxF -- "    build/bin/steep $words --out results/$name" <<<"$joined" || grep -qxF -- "build/bin/steep $words --out results/$name" <<<"$joined" ||
        echo "$name: build/bin/steep $words --out results/$name"
done | empty "commands" "documents have another command for these than docs/tables/COMMANDS"
check "README.md has the sweep of its figure" grep -qF -- "build/bin/steep $(sed -n 's/^readme: //p' docs/tables/COMMANDS) --out results/readme" README.md

# The commands of the first hour run as typed, then the commands of docs/howto/questions.md on its folder.
first_hour() {
    mkdir "$scratch/hour" && ln -s "$(realpath "$BUILD")" "$scratch/hour/build"
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' docs/guide/first-hour.md >"$scratch/hour/commands"
    sed -n 's|^      steep \(.*results/first.*\)|build/bin/steep \1|p' docs/howto/questions.md >>"$scratch/hour/commands"
    (cd "$scratch/hour" && bash -e commands) && [ -s "$scratch/hour/results/report.html" ]
}
check "the commands of docs/guide/first-hour.md, and of docs/howto/questions.md on its folder" first_hour

for source in experiments/*.c experiments/sweeps/*.py; do
    grep -q '^int main(\|^s = Study(' "$source" || continue
    name=$(basename "${source%.*}")
    grep -qF "\`$name\`" docs/development/experiments.md || echo "$name"
done | empty "experiments" "docs/development/experiments.md says what each shows; these are missing"

version=$("$steep" --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
check "CITATION.cff names the version" grep -qx "version: $version" CITATION.cff

# Links [text](path), relative to the document, lead to files; their anchors are headings of the page.
anchors() { sed -n 's/^#* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
for document in "${documents[@]}"; do
    grep -oE '\]\([^)]+\)' "$document" | sed 's/^](//; s/)$//' | while read -r link; do
        case $link in
        http*) continue ;;
        '#'*) page=$document ;;
        *) page=$(dirname "$document")/${link%%#*} ;;
        esac
        if [ ! -e "$page" ]; then
            echo "$document: $link is not there"
        elif [[ $link == *#* ]]; then
            anchors "$page" | grep -qx -- "${link#*#}" || echo "$document: no heading for $link"
        fi
    done
done | empty "links" "mend or remove them"

# Files that documents name are there. check_guides.sh checks the guides, which also name new files.
for document in "${documents[@]}"; do
    case $document in docs/howto/adding-* | docs/CHANGELOG.md) continue ;; esac
    grep -ohE '`[a-z_.-]+/[a-z_./-]+\.(c|h|cu|sh|gp|md|txt)`' "$document" | tr -d '`' | sort -u | while read -r path; do
        [ -e "$path" ] || [ -e "src/$path" ] || echo "$document: $path is not there"
    done
done | empty "files" "say where they are now"

# Every "make TARGET" in a document names a target of the Makefile.
grep -ohE '`make [a-z-]+' "${documents[@]}" | sed 's/`make //' | sort -u | while read -r target; do
    grep -qE "^$target:" Makefile || echo "make $target"
done | empty "targets" "the Makefile has no such target"

awk 'FNR == 1 { code = 0 } /^```/ { code = !code } length > (code ? 140 : 120) && !/^\|/ {
    print FILENAME ":" FNR }' "${documents[@]}" | empty "long lines" "text has 120 characters a line at most, code 140"

check "manual pages are made from --help" bash docs/man.sh "$steep" "$scratch/man"
for command in "${commands[@]}"; do
    check "steep-$command.1" grep -q "^.SH SYNOPSIS" "$scratch/man/steep-$command.1"
    check "steep(1) names steep-$command" grep -q "steep.*$command" "$scratch/man/steep.1"
done
if command -v groff >/dev/null; then
    for page in "$scratch"/man/*.1; do groff -man -Tutf8 -ww -z "$page" 2>&1; done | empty "manual pages" "groff complains"
fi

finish
