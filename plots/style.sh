#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes src/draw/scripts.h from plots/style.gp, slopes.gp, fit.gp, map.gp and separation.gp, so that libsteep carries
# them; tests/test_figure.c
# compares the two.
set -e
cd "$(dirname "$0")/.."
{
    echo '/* SPDX-License-Identifier: GPL-3.0-or-later */'
    echo '/* Made from plots/style.gp, slopes.gp, fit.gp, map.gp and separation.gp by plots/style.sh; edit there. */'
    echo '#ifndef STEEP_DRAW_SCRIPTS_H'
    echo '#define STEEP_DRAW_SCRIPTS_H'
    for name in style slopes fit map separation; do
        echo "#define STEEP_FIGURE_$(echo $name | tr '[:lower:]' '[:upper:]') \\"
        # A long line becomes strings in a row, each broken behind a blank.
        sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' "plots/$name.gp" | awk '
            NR > 1 { print " \\" }
            {
                for (rest = $0; length(rest) > 100; rest = substr(rest, at + 1)) {
                    for (at = 100; at > 1 && substr(rest, at, 1) != " "; at--);
                    print "    \"" substr(rest, 1, at) "\" \\"
                }
                printf "    \"%s\\n\"", rest
            }
            END { print "" }'
    done
    echo '#endif'
} > src/draw/scripts.h
