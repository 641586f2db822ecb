#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# man.sh PROGRAM FOLDER: writes the manual pages steep.1 and steep-COMMAND.1 into FOLDER, from what PROGRAM --help prints.
set -eu
export LC_ALL=C
program=$1
folder=$2
version=$("$program" --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')

# Rows "command<tab>what it does" of the list of commands in steep --help.
commands() {
    "$program" --help | awk '/^Commands:/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on { name = $1; $1 = ""; print name "\t" substr($0, 2) }'
}

# page NAME SUMMARY < help: the usage becomes SYNOPSIS, text becomes DESCRIPTION, and each heading a section of its own.
page() {
    awk -v name="$1" -v summary="$2" -v version="$version" '
        function plain(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return (text ~ /^[.\047]/ ? "\\&" : "") text }
        function section(title) { print ".SH " toupper(title); literal = listed = paragraph = 0 }
        # "  --name ARG  help" or "  command  help": two blanks end the name, or one where the name is as wide as its column.
        function option(line,    at) {
            sub(/^ +/, "", line)
            at = match(line, /  +/)
            if (!at && match(line, /^(-[-a-z]+( [^a-z ]+)?|[a-z]+) /)) { at = RSTART + RLENGTH - 1; RLENGTH = 1 }
            print ".TP\n.B " plain(at ? substr(line, 1, at - 1) : line)
            if (at) print plain(substr(line, at + RLENGTH))
            listed = 1
        }
        BEGIN {
            print ".\\\" SPDX-License-Identifier: GPL-3.0-or-later"
            print ".TH " toupper(name) " 1 \"\" \"Steep " version "\" \"Steep\""
            section("name")
            print plain(name) " \\- " plain(summary)
        }
        /^Usage: / { section("synopsis"); print plain(substr($0, 8)); part = "usage"; next }
        /^[A-Z][a-z]+:$/ { # a heading of its own: Options, Commands, Examples
            section(substr($0, 1, length($0) - 1))
            part = ""
            literal = /^Examples/
            if (literal) print ".nf"
            next
        }
        /^[A-Z][a-z]+: .*[^.:]$/ && part { # a group of options: "Model: which networks"
            if (part != "options") section("options")
            part = "options"
            listed = 1
            print ".SS " plain($0)
            next
        }
        /^Exit status: / { section("exit status"); print plain(substr($0, 14)); next }
        /^ +--?[a-z]/ && !literal { if (part && part != "options") { section("options"); part = "options" } option($0); next }
        /^  [a-z]/ && !literal { option($0); next }
        /^ / && !literal { sub(/^ +/, ""); print plain($0); next }
        NF && part == "usage" { section("description"); part = "text" }
        NF == 0 { paragraph = !literal && (part == "text" || listed); next }
        { if (paragraph) print ".PP"; paragraph = 0; print plain($0) }
        END { if (literal) print ".fi" }'
}

mkdir -p "$folder"
"$program" --help | page steep "fit shallow networks, sweep their width, measure the slope of their error" >"$folder/steep.1"
exit_status=$("$program" --help | sed -n 's/^Exit status: //p')
names=
while IFS=$'\t' read -r command summary; do
    "$program" "$command" --help | page "steep-$command" "$summary" >"$folder/steep-$command.1"
    printf '.SH EXIT STATUS\n%s\n.SH SEE ALSO\n.BR steep (1)\n' "$exit_status" >>"$folder/steep-$command.1"
    names+=${names:+$',\n'}".BR steep\\-$command (1)"
done < <(commands)
printf '.SH SEE ALSO\n%s\n' "$names" >>"$folder/steep.1"
