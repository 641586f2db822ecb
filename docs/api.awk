# SPDX-License-Identifier: GPL-3.0-or-later
# api.awk: the public headers as a page in Markdown. Arguments: the headers; INDEX=1 prints the index alone. What stands together
# in a header, a comment and the declarations under it, makes an entry: names, declarations, the comment as text.

function begin(file) {
    finish()
    path = file
    sub(/^.*src\//, "", path)
    first = 1
    listed = 0
    if (!INDEX) printf "\n## %s\n", path
}

# Ends the entry: comment and code are what was gathered.
function finish(    names, i, n, name) {
    if (comment == "" && code == "") return
    if (first) { # the header's own comment: "status: what a call returned ..."
        first = 0
        name = comment
        sub(/^ *[a-z_]+: */, "", name)
        if (INDEX) printf "\n- [%s](#%s): %s", path, slug(path), lead(name)
        else printf "\n%s", prose(toupper(substr(name, 1, 1)) substr(name, 2))
        comment = ""
        if (code == "") return
    }
    names = names_of(code)
    if (INDEX) {
        if (names != "") printf "%s[%s](#%s)", listed++ ? ", " : "\n  ", names, slug(names)
    } else {
        if (names != "") printf "\n### %s\n", escaped(names)
        if (code != "") printf "\n```c\n%s```\n", code
        if (comment != "") printf "\n%s", prose(comment)
    }
    comment = code = ""
}

# The first sentence.
function lead(text,    at) {
    gsub(/\n */, " ", text)
    if (at = match(text, /[.:] /)) text = substr(text, 1, at - 1)
    sub(/[. ]+$/, "", text)
    return escaped(text)
}

function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    return text
}

# What Markdown would take for something else.
function escaped(text) {
    gsub(/\\|\*/, "\\\\&", text)
    gsub(/\]\(/, "]\\(", text)
    gsub(/<[a-zA-Z\/!]/, "\\\\&", text)
    if (text ~ /^([#>+-]|[0-9]+\.) /) text = "\\" text
    return text
}

# Text of a comment; what is set in further is kept as it stands, for it is a list or a formula.
function prose(text,    line, n, i, out, fenced) {
    n = split(text, line, "\n")
    for (i = 1; i <= n; i++) {
        if (line[i] == "" && i == n) continue
        if (line[i] ~ /^  / && !fenced) { out = out "\n```\n"; fenced = 1 }
        else if (line[i] !~ /^  / && fenced) { out = out "```\n\n"; fenced = 0 }
        out = out (fenced ? line[i] : escaped(line[i])) "\n"
    }
    return out (fenced ? "```\n" : "")
}

# What the code declares, separated by ", ".
function names_of(text,    n, i, c, character, depth, statement, names, line, name, at, end) {
    while (match(text, /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//)) text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
    n = split(text, line, "\n")
    text = ""
    for (i = 1; i <= n; i++)
        if (line[i] ~ /^#define /) {
            name = line[i]
            sub(/^#define +/, "", name)
            sub(/[^A-Za-z0-9_].*/, "", name)
            if (!index(names ", ", name ", ")) names = names ", " name
        } else if (line[i] !~ /^#/) text = text line[i] "\n"
    n = split(text, character, "")
    for (i = 1; i <= n; i++) {
        c = character[i]
        if (c == "{") depth++
        if (depth == 0 || statement ~ /^[ \n]*enum /) statement = statement c
        if (c == "}") depth--
        if (c != ";" || depth > 0) continue
        name = statement
        statement = ""
        gsub(/__attribute__ *\(\(.*\)\) /, " ", name)
        sub(/^[ \n]+/, "", name)
        if (name ~ /^extern [^(]*,/) { # several variables
            text = ""
            while (match(name, /[a-z0-9_]+(\[[^\]]*\])*[,;]/)) {
                text = text ", " substr(name, RSTART, RLENGTH)
                name = substr(name, RSTART + RLENGTH)
            }
            name = substr(text, 3)
            gsub(/[\[\];]|,$/, "", name)
            gsub(/,+/, ",", name)
        } else if (name ~ /^enum [^(]*\{/) { # without a name: its enumerators
            gsub(/^enum *[{]|[}].*|=[^,}]*|[ \n]+/, "", name)
            gsub(/,/, ", ", name)
        } else if (match(name, /\(\*steep_[a-z0-9_]+\)\(/) && name ~ /^typedef/) {
            name = substr(name, RSTART + 2, RLENGTH - 4)
        } else {
            sub(/ *[;[].*/, "", name)
            if (name !~ /^typedef/) sub(/[ \n]*\(.*/, "", name)
            sub(/.*[^a-zA-Z0-9_]/, "", name)
        }
        if (name != "") names = names ", " name
    }
    return substr(names, 3)
}

FNR == 1 { begin(FILENAME) }
/SPDX-License-Identifier/ || /^#include/ || /^#(ifndef|define) STEEP_[A-Z_]*_H$/ { next }
/^#ifdef __cplusplus/ { while ((getline line) > 0 && line !~ /^#endif/) continue; next }
/^#endif$/ && !conditional { next } # the guard's
/^#if/ { conditional++ }
/^#endif/ { conditional-- }

commenting { take($0); next }
depth == 0 && /^\/\*/ && !body { if (!conditional) finish(); commenting = 1; take(substr($0, 3)); next }
/^$/ && depth == 0 && !conditional { finish(); next }
body { # of an inline function, or of a macro: not shown
    if (body == 2) { if (!/\\$/) body = 0 }
    else if (/^}/) body = 0
    next
}
/^#define .*\\$/ { body = 2; sub(/ *\\$/, " ..."); code = code $0 "\n"; next }
/^{/ { body = 1; sub(/\n$/, ";\n", code); next }
{
    code = code $0 "\n"
    line = $0
    while (match(line, /\/\*[^*]*\*\//)) line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
    depth += gsub(/{/, "", line)
    depth -= gsub(/}/, "", line)
}

# A line of a comment.
function take(text) {
    if (!sub(/^ \*( |$)/, "", text)) sub(/^ /, "", text) # behind the opening
    if (index(text, "*/")) {
        commenting = 0
        sub(/ *\*\/.*$/, "", text)
    }
    if (conditional) return
    comment = comment text "\n"
}

END { finish(); print "" }
