# SPDX-License-Identifier: GPL-3.0-or-later
# doxygen.awk: a public header as Doxygen wants it. The opening comment describes the file, a comment behind code the code
# before it, every other comment the declaration that follows. Indented lines of a comment, formulas and lists, keep their layout.
function leave() { if (laid_out) print "@endverbatim"; laid_out = 0 }
/^\/\* SPDX-License-Identifier/ { print ""; next }
/^ \*   +[^ ]/ {
    if (!laid_out) print " * @verbatim"
    laid_out = 1
    line = substr($0, 3)
    closes = sub(/ *\*\/$/, "", line)
    print line
    if (closes) { leave(); print " */" }
    next
}
{ leave(); gsub(/\\/, "\\\\\\\\") }
!opened && /^\/\* [a-z_0-9]+: / { opened = 1; sub(/^\/\* /, "/** @file\n * ") }
/^ *\/\* / { sub(/\/\* /, "/** ") }
/[^ ].*\/\* / { sub(/\/\* /, "/**< ") }
{ print }
