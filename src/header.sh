#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# header.sh: prints the header that is installed, src/steep.h with the headers that it names in their places: comments and
# declarations are theirs; their guards, includes and licence lines go, for those of steep.h serve them all.
# header.sh --list: prints the names of these headers, in the order of steep.h.
# A header that reaches one that is not named in steep.h is an error: nothing becomes public by accident.
set -u
export LC_ALL=C
cd "$(dirname "$0")" || exit 1

list=$(sed -n 's/^#include "\(.*\)"$/\1/p' steep.h)
if [ "${1:-}" = --list ]; then
    printf '%s\n' "$list"
    exit
fi

# shellcheck disable=SC2086  # a list of words
awk '
    function complain(text) { print "header.sh: " text | "cat >&2"; failed = 1 }

    # The rows of a list as enumerators, by the macro before its include: #define STEEP_SOLVER(id, ...) STEEP_SOLVER_##id,
    function enumerators(path, macro,    word, row, text) {
        match(macro, /STEEP_[A-Z]*\(/)
        word = substr(macro, RSTART, RLENGTH)
        gsub(/.* |##id,/, "", macro)
        while ((getline row < path) > 0)
            if (index(row, word) == 1) {
                gsub("^[^(]*\\(|,.*", "", row)
                text = text (text == "" ? "" : "\n") "    " macro row ","
            }
        close(path)
        if (text == "") complain("src/" path " has no " word "id, ...)")
        return text
    }

    # The body of a header, behind those that it includes.
    function put(path,    line, lines, i, n, last, keep) {
        if (path in done) return
        done[path] = 1
        n = 0
        while ((getline line < path) > 0) lines[++n] = line
        close(path)
        if (n == 0) complain(path " is missing or empty")
        for (i = 1; i <= n; i++) {
            if (lines[i] ~ /^#endif/) last = i
            if (lines[i] !~ /^#include "/) continue
            line = lines[i]
            gsub(/^#include "|".*$/, "", line)
            if (lines[i - 1] ~ /##id,$/) lines[i] = enumerators(line, lines[i - 1])
            else if (line in public) put(line)
            else complain("src/" path " includes " line ", which src/steep.h does not name: name it there, or do without")
        }
        printf "/* ---- %s ---- */\n\n", path
        keep = 0 # blank lines are printed before the next line, one at most, none at the top
        for (i = 1; i < last; i++) {
            line = lines[i]
            if (line ~ /SPDX-License-Identifier/ || line ~ /^#include/) continue
            if (line ~ /^#define .*##id,$/ || line ~ /^#ifndef STEEP_.*_H$/ || line ~ /^#define STEEP_.*_H$/) continue
            if (line == "#ifdef __cplusplus") { # and what it encloses
                while (lines[i] !~ /^#endif/) i++
                continue
            }
            if (line == "") { if (keep) keep = 2; continue }
            if (keep == 2) print ""
            keep = 1
            print line
        }
        print ""
    }

    FNR == NR { if ($1 == "#include" && $2 ~ /^"/) public[substr($2, 2, length($2) - 2)] = 1; next }
    /^ \* This is the list of public headers/ { skipping = 1 }
    skipping { if (/\*\/$/) skipping = 0; if (!skipping) print " * Put together from the headers of Steep by src/header.sh. */"; next }
    /^#include "/ { put(substr($2, 2, length($2) - 2)); next }
    { print }
    END { close("cat >&2"); exit failed }
' steep.h steep.h
