# SPDX-License-Identifier: GPL-3.0-or-later
# exported.awk: prints the names of the functions and variables that a header declares, one a line. For plain declarations
# as Steep's headers have them: what is static, a type or a macro is none.
/^#ifdef __cplusplus/ { while ((getline line) > 0 && line !~ /^#endif/) continue; next }
/^[ \t]*#/ { while (/\\$/ && (getline > 0)) continue; next }
{ text = text $0 "\n" }

function finish(    name) {
    gsub(/__attribute__ *\(\(.*\)\) /, " ", statement)
    sub(/^[ \n]+/, "", statement)
    if (statement ~ /^extern [^(]*$/) { # variables, one or several
        while (match(statement, /[a-zA-Z0-9_]+(\[[^\]]*\])*[ \n]*[,;]/)) {
            name = substr(statement, RSTART, RLENGTH)
            statement = substr(statement, RSTART + RLENGTH)
            sub(/[^a-zA-Z0-9_].*/, "", name)
            print name
        }
    } else if (statement !~ /^(typedef|static|STEEP_INLINE) / && statement !~ /^(struct|enum|union) [^(]*$/) {
        name = statement
        sub(/[ \n]*[[(;].*/, "", name)
        sub(/.*[^a-zA-Z0-9_]/, "", name)
        if (name != "") print name
    }
    statement = ""
}

END {
    while (at = index(text, "/*")) {
        end = index(substr(text, at), "*/")
        text = substr(text, 1, at - 1) " " substr(text, at + end + 1)
    }
    n = split(text, character, "")
    for (i = 1; i <= n; i++) {
        c = character[i]
        if (c == "{") depth++
        if (depth == 0) statement = statement c
        if (c == "}") depth--
        if (depth == 0 && (c == ";" || (c == "}" && statement ~ /^[ \n]*(static|STEEP_INLINE) /))) finish()
    }
}
