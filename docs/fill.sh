#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# fill.sh write|check PROGRAM [FILE...]: keeps what the documents repeat equal to its source. Between a line
#     <!-- options: COMMAND -->   (Markdown)   or   .\" options: COMMAND   (manual page)
# and the next line <!-- end --> or .\" end stand the options that "PROGRAM COMMAND --help" prints; after
# <!-- file: PATH --> the file itself; after <!-- list: WHAT --> what "PROGRAM list WHAT" prints; after <!-- table: NAME -->
# the table docs/tables/NAME.txt.
# write puts them there; check says which documents differ, exit status 1 then.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
mode=$1
program=$2
shift 2
[ $# -gt 0 ] || set -- README.md docs/*.md docs/papers/*.md docs/man/*.1

# The option lines of --help: from the first that begins with two blanks and a dash.
options() {
    if [ "$1" = steep ]; then "$program" --help; else "$program" "$1" --help; fi |
        awk '/^  +-/ { on = 1 } /^[^ ]/ { on = 0 } on && NF'
}

# The same as a list of a manual page: "  --name ARG  help" and lines that go on, further right.
man_options() {
    options "$1" | sed 's/\\/\\e/g' | awk '
        /^  ?-/ || /^  +-[-a-z]/ {
            line = $0; sub(/^ +/, "", line)
            at = match(line, /  +/)
            # An option as wide as its column is followed by one blank only: then its argument is what is in capitals.
            if (!at && match(line, /^-[-a-z]+( [^a-z ]+)? /)) { at = RSTART + RLENGTH - 1; RLENGTH = 1 }
            name = at ? substr(line, 1, at - 1) : line
            text = at ? substr(line, at + RLENGTH) : ""
            argument = ""
            if (match(name, / [^-]/)) { argument = " \\fI" substr(name, RSTART + 1) "\\fR"; name = substr(name, 1, RSTART - 1) }
            gsub(/-/, "\\-", name)
            print ".TP"; print "\\fB" name "\\fR" argument
            if (text != "") print guarded(text)
            next
        }
        { sub(/^ +/, ""); print guarded($0) }
        function guarded(text) { return (text ~ /^[.\047]/ ? "\\&" : "") text }'
}

block() {
    case $1 in
    man-options:) man_options "$2" ;;
    options:) echo '```'; options "$2"; echo '```' ;;
    list:) echo '```'; "$program" list "$2"; echo '```' ;;
    table:) echo '```'; cat "docs/tables/$2.txt" || echo "make tables TABLES=$2 makes it"; echo '```' ;;
    file:) echo '```c'; cat "$2"; echo '```' ;;
    esac
}

# The document with every marked part anew.
filled() {
    local skipping=false line
    while IFS= read -r line; do
        if $skipping; then
            case $line in '<!-- end -->' | '.\" end') skipping=false ;; *) continue ;; esac
        fi
        printf '%s\n' "$line"
        # shellcheck disable=SC2086  # the marker is words
        case $line in
        '<!-- options: '*' -->' | '<!-- file: '*' -->' | '<!-- list: '*' -->' | '<!-- table: '*' -->')
            set -- $line
            block "$2" "$3"
            skipping=true
            ;;
        '.\" options: '*)
            set -- $line
            block man-options: "$3"
            skipping=true
            ;;
        esac
    done
}

differ=0
for document in "$@"; do
    [ -f "$document" ] || continue
    new=$(mktemp)
    filled <"$document" >"$new"
    if ! cmp -s "$document" "$new"; then
        differ=1
        if [ "$mode" = write ]; then
            cat "$new" >"$document" && echo "docs: $document"
        else
            echo "$document is behind its sources; make docs brings it up to date"
            diff "$document" "$new" | head -n 10
        fi
    fi
    rm -f "$new"
done
[ "$mode" = write ] || exit "$differ"
