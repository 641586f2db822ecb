#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# check_formats.sh: every command in every format. Python's csv and json, which know nothing of Steep, find the same
# values in CSV and JSON (test_sheet compares text, Markdown and LaTeX). Lines of progress; colours only on terminals.
# If there is a pdflatex, it compiles the LaTeX output.
# shellcheck source=tests/script.sh
. "$(dirname "$0")/script.sh"
command -v python3 >/dev/null || skip "python3 reads what is printed, and is missing"
case $steep in /*) ;; *) steep=$PWD/$steep ;; esac
cd "$scratch" || exit 1

cat >compare.py <<'PYTHON'
import csv, io, json, re, sys

def refuse(word):
    raise ValueError(f"{word} is no JSON")

def compare(name):
    read = lambda suffix: open(f"{name}.{suffix}", newline="", encoding="utf-8").read()
    # JSON: the schema that the manual promises.
    whole = json.loads(read("json"), parse_constant=refuse)
    assert whole["format"] == 1 and whole["command"], whole.keys()
    tables = whole["tables"]
    assert tables
    for t in tables:
        assert list(t) == ["name", "title", "rows", "notes"], list(t)

    # CSV: a block for each table, or for several of the same columns; every row as long as its header.
    blocks = [list(csv.reader(io.StringIO(b))) for b in re.split(r"\n\n(?=\S)", read("csv"))]
    rows = []
    for header, *body in blocks:
        assert len(set(header)) == len(header), header
        for row in body:
            assert len(row) == len(header), (header, row)
            rows.append(dict(zip(header, row)))
    records = [r for t in tables for r in t["rows"]]
    assert len(rows) == len(records), (len(rows), len(records))
    for c, j in zip(rows, records):
        assert list(c) == list(j), (list(c), list(j))
        for key, text in c.items():
            value = j[key]
            if key in ("seconds", "text"): continue  # these differ from run to run
            if value is None: assert text in ("nan", ""), (key, text)
            elif isinstance(value, str) and text not in ("inf", "-inf"): assert text == value, (key, text, value)
            else: assert float(text) == float(value), (key, text, value)

for name in sys.argv[1:]:
    print(name)
    compare(name)

law = json.load(open("law.json"))["tables"]
names = [t["name"] for t in law]
assert names[0] == "law" and names.count("law") == 2 and {"best", "forms", "prediction", "apart"} <= set(names), names
of = {row["parameter"]: row for row in law[0]["rows"]}
assert all(of[k]["low"] <= of[k]["value"] <= of[k]["high"] for k in ("E", "A", "a", "B", "b")) and of["E"]["group"] == "one"

# Names and bytes of any kind; LaTeX takes UTF-8 alone.
third = json.load(open("odd.json"))["tables"][0]["rows"][2]
assert third["by_slope"] == "x,\ufffd" and third["a| b&c_d"] == "%" and abs(third["slope"] + 1) < 1e-15, third
third = list(csv.DictReader(open("odd.csv", errors="replace")))[2]
assert third["by_slope"] == "x,\ufffd" and abs(float(third["slope"]) + 1) < 1e-15, third
tex = open("odd.tex", encoding="utf-8").read()
assert "x,? &" in tex and "\ufffd" not in tex and not any(c < " " and c != "\n" for c in tex), tex
PYTHON

# each NAME COMMAND...: runs the command in all formats; NAME is compared at the end.
compared=()
each() {
    local name=$1 format
    shift
    compared+=("$name")
    for format in text csv json md tex; do
        # shellcheck disable=SC2016  # for sh to expand
        check "steep $* --format $format" sh -c '"$@" >"$0" 2>said' "$name.$format" "$steep" "$@" --format "$format"
    done
}

quick=(--widths 4:64:x2 --samples 300 --quiet --no-figure)
each sweep sweep "${quick[@]}" --target 'cos4;1/(1+x^2)' --arch mlp,glu --seeds 0:1 --out both
each one sweep "${quick[@]}" --target cos4 --arch mlp --sampling grid --law offset --out one
check "columns are of the slope that is shown, over seeds" python3 -c 'import csv
of = {(r["target"], r["arch"]): r["drift"] for r in csv.DictReader(open("both/slopes.csv")) if r["against"] + r["method"] == "paramsseeds"}
assert len(of) == 4 and all(of[r["target"], r["arch"]] == r["drift"] for r in csv.DictReader(open("sweep.csv")))'
each join join both --out union --quiet --no-figure
each slope slope both/fits.csv
each offset slope one/fits.csv --law offset
python3 - >sizes.csv <<'PYTHON'
print("kind,params,tokens,training flops,loss,status")
for k, kind in enumerate(("one", "two")):
    for i in range(6):
        for j in range(6):
            P, N = 1e6 * 2.0**i, 1e8 * 3.0**j
            L = 1.5 + 40 * P**-.3 + 300 * N**-(.35 + .02 * k) + .004 * ((7 * i + 5 * j) * 37 % 11 - 5) + (i == j == 3) * .2
            print(f"{kind},{P!r},{N!r},{6 * P * N!r},{L!r},converged")
print("two,1,1,1,nan,not_finite")
PYTHON
each law law sizes.csv --by kind --predict params=1e9,tokens=1e12
check "law: a computed column is the column" cmp law.csv <("$steep" law sizes.csv --by kind --predict params=1e9,tokens=1e12 \
    --format csv --size 'params,tokens=training flops/(6*params)' 2>said)
each fit fit --target cos4 --arch glu --width 8 --samples 300
each iterations fit --target cos4 --arch glu --width 5 --samples 300 --solver lm --iterations --certify
each separate separate --width 1:2 --restarts 1
each contest contest "${quick[@]:2}" --target 'cos4;1/(1+x^2)' --arch mlp,chebyshev,glu:silu --params 20,40 --max-iterations 9 --out race
each list list
each solvers list solvers targets
if has doctor; then
    each doctor doctor
    check "doctor names what it found" sh -c '[ "$(grep -cE "^(gsl|jansson|algebra|compiler|gnuplot|gpu) |^PASS" doctor.text)" -ge 9 ]'
fi
"$steep" fit --target 'sin(x)*y' --arch mlp --width 6 --samples 200 --solver lm --out network --no-figure >/dev/null 2>&1
each predict predict network/parameters.json --grid 4 --gradient
check "predict: csv by itself" cmp predict.csv <("$steep" predict network/parameters.json --grid 4 --gradient)
check "slope --csv is --format csv" cmp slope.csv <("$steep" slope both/fits.csv --csv 2>said)
check "predict --out FILE in another format" sh -c "'$steep' predict network/parameters.json --grid 4 --gradient --format json --out file && cmp file predict.json"
printf 'slope,"a| b&c_d",n,e\n"x,\xff",%%,1,1\n"x,\xff",%%,2,.5\n"x,\xff",%%,4,.25\n' >strange.csv
for format in json csv tex md; do "$steep" slope strange.csv --size n --error e --by 'slope,a| b&c_d' --format $format >odd.$format 2>said; done
check "the same in CSV and JSON" python3 compare.py "${compared[@]}"
if command -v pdflatex >/dev/null; then
    # One document has a page for each file. If it fails, TeX's log names the file.
    {
        echo '\documentclass{article}\begin{document}'
        for tex in *.tex; do printf '\\typeout{%s}\\input{%s}\\clearpage\n' "$tex" "$tex"; done
        echo '\end{document}'
    } >"$scratch/document.latex"
    check "pdflatex compiles what is printed" pdflatex -interaction=nonstopmode -halt-on-error document.latex
fi

# shellcheck disable=SC2317  # check calls them
# On every command an unknown format ends with status 2, prints nothing, and the message lists the formats.
refused() {
    local status=0
    "$steep" "$@" >printed 2>said || status=$?
    [ "$status" -eq 2 ] && [ ! -s printed ] && grep -q 'use one of text, csv, json, md, tex' said
}
for command in sweep contest fit join slope law separate predict list doctor; do
    has "$command" || continue
    check "steep $command --format xml" refused "$command" --format xml
done

# --json writes events to stderr, a line each, with the fields of the manual; the last event is the end.
cat >events.py <<'PYTHON'
import json, sys
all_keys = {"sweep": ["event", "done", "total", "part", "seconds", "left"],
            "fit": ["event", "stage", "iteration", "evaluations", "rmse", "gradient", "step", "seconds"],
            "certify": ["event", "stage", "boxes", "relative_width"],
            "separate": ["event", "width", "stage", "iteration", "W", "seconds"]}
for run in sys.argv[1:]:
    print(run)
    kind, status, state = run.split("-")[:3]
    lines = [json.loads(l, parse_constant=lambda w: 1 / 0) for l in open(run)]
    assert list(lines[-1]) == ["event", "state", "exit", "text"] and lines[-1]["event"] == "end"
    assert lines[-1]["exit"] == int(status) and lines[-1]["state"] == state, lines[-1]
    shown = [l for l in lines if l["event"] == "progress" and list(l) == all_keys[kind]]
    assert shown or status != "0" or lines[0].get("total") == 0, lines
    if kind == "sweep" and shown:
        assert list(lines[0]) == ["event", "command", "out", "fits", "kept", "total"], lines[0]
        assert shown[-1]["done"] == shown[-1]["total"] == lines[0]["total"] and shown[-1]["part"] == 1
        assert all(a["done"] <= b["done"] for a, b in zip(shown, shown[1:]))
PYTHON
# events KIND-STATUS-STATE COMMAND...: writes the events to a file of this name; fails on another exit status.
events() {
    local run=$1 found=0
    shift
    "$steep" "$@" --json >printed 2>"$run" || found=$?
    grep -q "^[a-z]*-$found-" <<<"$run"
}
check "sweep --json" events sweep-0-done sweep --widths 4:16:x2 --samples 300 --arch glu --solver lm --no-figure --out told
check "sweep --json, nothing missing" events sweep-0-done-again sweep --widths 4:16:x2 --samples 300 --arch glu --solver lm --no-figure --out told
check "fit --json" events fit-0-done fit --arch glu --width 20 --solver lm --samples 300
check "fit --json --certify" events certify-0-done fit --arch glu --width 8 --samples 300 --certify
check "separate --json" events separate-0-done separate --width 1:2 --restarts 2
check "bad input is an event, too" events fit-2-failed fit --target nonsense
check "the events are what the manual promises" python3 events.py {sweep,fit,certify,separate}-*

# Colours appear on a terminal that has them, and with --color always.
cat >terminal.py <<'PYTHON'
import os, pty, sys
for colours, words, *more in ((1, "-u NO_COLOR TERM=xterm"), (0, "NO_COLOR=1 TERM=xterm"), (0, "-u NO_COLOR TERM=dumb"),
                              (0, "-u NO_COLOR -u TERM"), (0, "-u NO_COLOR TERM=xterm", "--color", "never")):
    words = ["env", *words.split(), sys.argv[1], "doctor", *more]
    out = b""
    pid, fd = pty.fork()
    if pid == 0: os.execvp(words[0], words)
    while True:
        try: piece = os.read(fd, 65536)
        except OSError: break
        if not piece: break
        out += piece
    assert os.waitpid(pid, 0)[1] == 0 and (b"\x1b[" in out) == colours, (words, out)
PYTHON
! has doctor || check "colours on a terminal that has them" python3 terminal.py "$steep"
! has doctor ||
    check "--color always, into a pipe, despite NO_COLOR" sh -c "NO_COLOR=1 '$steep' doctor --color always | grep -q '$(printf '\033')\[32mPASS'"
finish
