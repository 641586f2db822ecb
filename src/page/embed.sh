#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# embed.sh: prints page.css and page.js as C strings, so that the library carries them. What would end the element that
# holds them, or a script within it, is an error.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"
if grep -nE '</(style|script)|<!--|]]>' page.css page.js >&2; then
    echo "embed.sh: page.css and page.js may not hold these words: they stand within an element of the page" >&2
    exit 1
fi
echo '/* SPDX-License-Identifier: GPL-3.0-or-later */'
echo '/* Made from src/page/page.css and page.js by src/page/embed.sh; edit there. */'
echo '#include "page/parts.h"'
for part in style:page.css script:page.js; do
    echo "const char steep_page_${part%%:*}[] ="
    grep -v 'SPDX-License-Identifier' "${part#*:}" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/.*/    "&\\n"/'
    echo '    "";'
done
