#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# api.sh PROGRAM: prints docs/api.md: statuses and what to do about each, the options of every command as PROGRAM --help
# prints them, and the public headers, entry by entry.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../src" || exit 1
program=$1
case $program in /*) ;; *) program=../$program ;; esac
mapfile -t headers < <(bash header.sh --list)
mapfile -t commands < <("$program" --help | awk '/^Commands:/ { on = 1; next } /^[^ ]|^$/ { on = 0 } on { print $1 }')

# Rows "enumerator value name advice" of the statuses: values from status.h, names and advice from status.c.
statuses() {
    sed -n 's/^ *\(STEEP_[A-Z_]*\) = \(-\{0,1\}[0-9]*\),\{0,1\} .*/\1 \2/p' base/status.h |
        awk 'FNR == NR { value[$1] = $2; next }
            /rows\[\] = \{/ { on = 1; next }
            /^\};/ { on = 0 }
            on { text = text $0 }
            END {
                gsub(/" *"/, "", text) # a sentence of two pieces
                gsub(/, *"/, ",\"", text)
                n = split(text, row, /\{ */)
                for (i = 2; i <= n; i++) {
                    name = row[i]; sub(/,.*/, "", name)
                    split(row[i], part, "\"")
                    printf "| %s | `%s` | `%s` | %s |\n", value[name], name, part[2], part[4]
                }
            }' - base/status.c
}

cat <<'TEXT'
<!-- Made by make docs (docs/api.sh) from the headers and from --help: change those. -->
# The interface

`#include <steep.h>` and `pkg-config --cflags --libs steep`: one header, one prefix, `steep_`. What stands on this page is what the library
exports. A first program: [example/wave.c](example/wave.c). Errors come back as a status, with a sentence in a `steep_error`; the library
never prints, exits or aborts, and may be called from several threads. A program that uses the solver `gsl` or the B-spline baselines calls
`gsl_set_error_handler_off()` first.

- [Statuses](#statuses)
- [Options](#options), command by command
TEXT
awk -v INDEX=1 -f ../docs/api.awk "${headers[@]}" | sed '1d'
cat <<'TEXT'

## Statuses

0: the tolerance asked for is met, evaluated again from the parameters returned. Above 0: usable, but stopped early. Below 0: failed; the `steep_error` says
what is wrong and what to do. The name stands in the column `status` of `fits.csv`.

| value | in C | name | what to do |
|---|---|---|---|
TEXT
statuses
cat <<'TEXT'

A program ends with 0 for success, 1 for a failed run, 2 for bad use or bad input.

## Options

In C they are fields of the records of plan/options.h and execute/options.h, with `_` for `-`, whose tables hold names, defaults and ranges; `steep_sweep_options` (study/sweep.h) has them all.
TEXT
for command in "${commands[@]}"; do
    printf '\n### steep %s\n\n```\n' "$command"
    "$program" "$command" --help | awk '/^  +-/ { on = 1 } /^[^ ]/ { on = 0 } on && NF'
    printf '```\n'
done
awk -f ../docs/api.awk "${headers[@]}"
