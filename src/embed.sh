#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# embed.sh HEADER NAME=FILE...: prints the files as C strings of these names, which the header declares. Text that would
# end the element of a page that holds it, or a script within it, is an error.
set -eu
export LC_ALL=C
header=$1
shift
echo '/* SPDX-License-Identifier: GPL-3.0-or-later */'
echo '/* Made by src/embed.sh; edit the files themselves. */'
echo "#include \"$header\""
for part; do
    if grep -nE '</(style|script)|<!--|]]>' "${part#*=}" >&2; then
        echo "embed.sh: ${part#*=} may not hold these words: a page could not hold it" >&2
        exit 1
    fi
    echo "const char ${part%%=*}[] ="
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/.*/    "&\\n"/' "${part#*=}"
    echo '    "";'
done
