# SPDX-License-Identifier: GPL-3.0-or-later
# doxygen.awk: a public header as Doxygen wants it. The opening comment describes the file, a comment behind code the code
# before it, every other comment the declaration that follows.
/^\/\* SPDX-License-Identifier/ { print ""; next }
{ gsub(/\\/, "\\\\") }
!opened && /^\/\* [a-z_0-9]+: / { opened = 1; sub(/^\/\* /, "/** @file\n * ") }
/^ *\/\* / { sub(/\/\* /, "/** ") }
/[^ ].*\/\* / { sub(/\/\* /, "/**< ") }
{ print }
