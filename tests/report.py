#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""report.py SWEEP-OPTIONS...: steep report's page in a real browser (make check-report).
report.py --all FOLDER: the page over everything that "make figures" left in FOLDER (make check-figures).

The page of the sweep with these options, of hostile names, of two runs side by side and of 10^5 fits: nothing in the
console, nothing fetched, everything that can be pressed acts, numbers are those of the tables. Pictures of what it looks
like stand in $RESULTS/report afterwards. The last line is "N passed, N failed".
"""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402

STEEP = os.path.abspath(os.environ.get("STEEP", "build/bin/steep"))
PICTURES = os.path.join(os.environ.get("RESULTS", "results"), "report")
passed = failed = 0


def check(what, holds, found=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"failed: {what}: {found}" if found != "" else f"failed: {what}")


def steep(*words):
    begun = time.monotonic()
    subprocess.run([STEEP, *words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begun


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# --- runs that were not fitted ---

def checksum(cells):
    value = 0xCBF29CE484222325
    for byte in b"".join(cell.encode() + b"\x1f" for cell in cells):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def make_run(folder, targets, labels, widths, seeds):
    os.makedirs(folder)
    with open(f"{folder}/series.csv", "w", newline="", encoding="utf-8") as a, \
            open(f"{folder}/slopes.csv", "w", newline="", encoding="utf-8") as b, \
            open(f"{folder}/fits.csv", "w", newline="", encoding="utf-8") as c:
        series, slopes, fits = (csv.writer(f, lineterminator="\n") for f in (a, b, c))
        for writer, name, count in ((series, "series", 33), (slopes, "slopes", 19), (fits, "fits", 30)):  # the first columns
            with open(f"{os.path.dirname(folder)}/readme/{name}.csv", encoding="utf-8") as real:
                writer.writerow(next(csv.reader(real))[:count])
        for t, target in enumerate(targets):
            for k, label in enumerate(labels):
                order = -1 - k * 0.5
                for against in ("width", "params"):
                    for method in ("window", "last_pair", "all"):
                        ends = ("nan", "nan") if method == "last_pair" else (repr(order - 0.01), repr(order + 0.01))
                        slopes.writerow([label, target, "frozen", against, method, repr(order), *ends, 4, 1536001, 9, 0.01,
                                         repr(round(order)), "uniform", "nan", "nan", "nan", 0, ""])
                for n in widths:
                    error = math.exp(math.sin(n * (t + 1))) * n ** order / (t + 1)
                    law = [repr(order), repr(order - 0.01), repr(order + 0.01), "nan"]
                    series.writerow([target, target, label, label, "relu", "frozen", "uniform", n, 3 * n + 1, repr(error),
                                     repr(error * 0.8), repr(error * 1.3), repr(error * 0.7), seeds, "1e-17", repr(error / 9),
                                     *["nan"] * 3, "nan", "nan", repr(round(order)), *law, *law, 0, "nan", ""])
                for seed in range(seeds):
                    for n in widths:
                        e = "%.17g" % (math.exp(math.sin(n * (t + 1) + seed)) * n ** order)
                        status = ("converged", "stalled", "max_iterations")[(n + seed) % 7 % 3]
                        row = [label, "relu", target, "1", str(n), str(3 * n + 1), str(seed), "uniform", "frozen", "cpu",
                               "100", e, e, e, "nan", str(n % 40), "9", "0", status]
                        last = ["1", "1", *["nan"] * 7]
                        fits.writerow([*row, "0.25", *last, checksum([*row, *last])])
    with open(f"{folder}/run.json", "w", encoding="utf-8") as file:
        json.dump({"kind": "sweep", "command": "steep sweep '</script>'", "version": "0.1.0", "commit": "none", "state": "done",
                   "cpu": "none", "tasks": 1, "counts": {"converged": 1}}, file)


# --- what a page must do ---

def quiet(b, what):
    b.settle()
    check(what + ": no error in the console", not b.errors, b.errors)
    fetched = [url for url in b.requests if not url.startswith(("file:", "data:", "blob:"))]
    check(what + ": nothing is fetched", not fetched and len([u for u in b.requests if u.startswith("file:")]) == 1, b.requests)
    b.errors.clear()
    b.requests.clear()


def middle(b, selector):
    """Where an element stands in the window, scrolled into sight."""
    b.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block:'center',behavior:'instant'}})")
    b.settle()
    return b.run(f"(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")


def click(b, selector):
    b.click(*middle(b, selector))
    b.settle()


def shown(b, selector):
    return b.run(f"getComputedStyle(document.querySelector({json.dumps(selector)})).display !== 'none'")


def column(b, table, index):
    return b.run(f"[...document.querySelectorAll('{table} tbody tr')].map(r => r.children[{index}].textContent)")


def number(text):
    return math.nan if text == "–" else float(text.replace("−", "-"))


def check_toggles(b):
    first, second = '.against-P .line[data-s="0"]', '.against-P .line[data-s="1"]'
    key = '.against-P .key[data-s="0"]'
    click(b, key + " text")
    check("a press on the key hides a series", not shown(b, first) and shown(b, second) and shown(b, key))
    check("its buttons say so", b.run("[...document.querySelectorAll('.toggle[data-s=\"0\"]')].every(x => x.getAttribute('aria-pressed') === 'false')"))
    click(b, '.tools .toggle[data-s="0"]')
    check("a press on its button shows it again", shown(b, first))
    b.run(f"document.querySelector('{key}').dispatchEvent(new MouseEvent('click', {{bubbles: true, shiftKey: true}}))")
    check("shift shows it alone", shown(b, first) and not shown(b, second))
    click(b, ".tools .none")
    check("none hides all", not shown(b, first))
    click(b, ".tools .all")
    check("all shows all", shown(b, first) and shown(b, second))
    for layer in ("theory", "below"):
        click(b, f'.layers input[value="{layer}"]')
        check(f"{layer} goes", not shown(b, f".against-P .{layer}"))
        click(b, f'.layers input[value="{layer}"]')
        check(f"{layer} comes back", shown(b, f".against-P .{layer}"))
    for name, other in (("n", "P"), ("P", "n")):
        click(b, f'.against input[value="{name}"]')
        check(f"against {name}", shown(b, f".panel.against-{name}") and not shown(b, f".panel.against-{other}"))


def check_values(b, folder):
    """The pointer on the last mark of the first series."""
    middle(b, ".panel.against-P")
    at = b.run("""(r => [r.x + r.width / 2, r.y + r.height / 2])(
        [...document.querySelectorAll('.against-P .points[data-s="0"] use')].pop().getBoundingClientRect())""")
    b.mouse("Moved", at[0] + 3, at[1] - 2)
    b.settle()
    series = rows(f"{folder}/series.csv")
    last = [r for r in series if r["series"] == series[0]["series"]][-1]
    said = b.run("[...document.querySelectorAll('#tip dd')].map(d => d.textContent)")
    check("the value under the pointer", shown(b, "#tip") and said and math.isclose(number(said[0]), float(last["error"]), rel_tol=5e-5)
          and said[1] == last["params"] and said[2] == last["width"], [said, last["error"]])
    ring = b.run("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector('.ring').getBoundingClientRect())")
    check("a ring about its mark", math.dist(ring, at) < 0.6, [ring, at])
    b.mouse("Moved", 3, 3)
    b.settle()
    check("goes with the pointer", not shown(b, "#tip"))
    b.run("document.querySelector('.plot').focus()")
    for name in ("ArrowRight", "ArrowRight", "ArrowDown"):
        b.key(name)
    second = [r for r in series if r["series"] != series[0]["series"]][1]
    said = b.run("document.querySelector('#said').textContent")
    check("arrows walk, and it is said", said.startswith(second["series"] + ": error") and f"parameters P {second['params']}" in said, said)
    click(b, ".values summary")
    values = column(b, ".values table", 3)
    place = b.run("[...document.querySelectorAll('.values thead th')].findIndex(t => t.textContent === 'local slope, n')")
    slopes = [number(v) for v in column(b, ".values table", place)]
    pairs = [(v, p, q) for v, p, q in zip(slopes[1:], series, series[1:]) if p["series"] == q["series"] and int(q["width"]) >= 1.3 * int(p["width"])
             and 30 * float(q["floor"]) < float(q["error"])]
    check("local slopes", len(pairs) > 20 and all(math.isclose(v, math.log(float(q["error"]) / float(p["error"])) / math.log(int(q["width"]) / int(p["width"])), rel_tol=5e-4)
                                                  for v, p, q in pairs), pairs)
    check("values as a table", len(values) == len(series) and all(math.isclose(number(v), float(r["error"]), rel_tol=5e-5) for v, r in zip(values, series)))


def check_tables(b, folder):
    edge = b.run("Math.max(...[...document.querySelectorAll('#slopes-table .verdict')].map(v => v.getBoundingClientRect().right))")
    check("verdicts are seen without scrolling", edge <= b.run("innerWidth"), edge)
    slopes = [float(r["slope"]) for r in rows(f"{folder}/slopes.csv") if r["against"] == "params" and r["method"] == "window"]
    values = "[...document.querySelectorAll('#slopes-table tbody tr')].map(r => Number(r.querySelector('data').value))"
    check("slopes of slopes.csv", b.run(values) == slopes)
    for times, wanted in ((1, sorted(slopes)), (2, sorted(slopes, reverse=True))):
        click(b, "#slopes-table thead th:nth-child(3) button")
        check("slopes are sorted", b.run(values) == wanted)
        check("and the header says so", b.run("document.querySelector('#slopes-table thead th:nth-child(3)').getAttribute('aria-sort')") == ("ascending", "descending")[times - 1])
    errors = sorted(float(r["rmse_test"]) for r in rows(f"{folder}/fits.csv"))
    names = b.run("[...document.querySelectorAll('#fits-table thead th')].map(t => t.textContent)")
    at = names.index("Test RMSE")
    click(b, f"#fits-table thead th:nth-child({at + 1}) button")
    check("fits are sorted", all(math.isclose(number(v), e, rel_tol=1e-3) for v, e in zip(column(b, "#fits-table", at), errors)))
    click(b, "#fits-table button[aria-label='Next page']")
    check("pages turn", b.run("document.querySelector('#fits-table [role=status]').textContent") == f"51–{len(errors)} of {len(errors)}")
    b.run("(i => { i.value = 'gqu'; i.dispatchEvent(new Event('input')); })(document.querySelector('#fits-table input'))")
    found = column(b, "#fits-table", names.index("Architecture"))
    check("the filter filters", set(found) == {"gqu"} and len(found) == sum(r["arch"] == "gqu" for r in rows(f"{folder}/fits.csv")), len(found))
    b.run("(i => { i.value = '1'; i.dispatchEvent(new Event('change')); })(document.querySelector('#fits-table select'))")
    check("statuses are picked, with a reason", b.run("[...document.querySelectorAll('#fits-table tbody tr')].every(r => /^floor.*rounding floor/.test(r.querySelector('.ok1').textContent))"))


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)] if len(colour) == 7 else [int(c * 2, 16) / 255 for c in colour[1:]]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def check_looks(b):
    for theme in ("light", "dark"):
        b.media(prefers_color_scheme=theme)
        b.settle()
        colour = json.loads(b.run("JSON.stringify(Object.fromEntries(['page','card','ink','soft','link','good','warn','bad'].map(n => [n, getComputedStyle(document.documentElement).getPropertyValue('--' + n).trim()])))"))
        check(f"{theme} is {theme}", (luminance(colour["page"]) > 0.5) == (theme == "light"))
        for name in ("ink", "soft", "link", "good", "warn", "bad"):
            light, dark = sorted((luminance(colour[name]), luminance(colour["card"])), reverse=True)
            ratio = (light + 0.05) / (dark + 0.05)
            check(f"contrast of {name}, {theme}", ratio >= 4.5, f"{ratio:.2f}")
        b.run("scrollTo(0, 0)")
        b.picture(f"{PICTURES}/{theme}.png", True)
    b.media(prefers_color_scheme="light")
    click(b, "#theme")
    check("the button turns it dark", b.run("getComputedStyle(document.documentElement).getPropertyValue('--page').trim()") == colour["page"])
    click(b, "#theme")
    b.media("print")
    check("print has no tools", not shown(b, ".tools") and not shown(b, "nav"))
    b.media()
    b.pdf(f"{PICTURES}/print.pdf")
    with open(f"{PICTURES}/print.pdf", "rb") as file:
        check("it prints", file.read(5) == b"%PDF-")
    b.size(390, 800)
    b.settle()
    check("a narrow window does not scroll sideways", b.run("document.scrollingElement.scrollWidth <= innerWidth"), b.run("document.scrollingElement.scrollWidth"))
    b.picture(f"{PICTURES}/narrow.png")
    b.size(1280, 900)
    b.settle()


def check_reader(b):
    """What a screen reader is given."""
    nodes = b.call("Accessibility.getFullAXTree")["nodes"]
    roles = {}
    for node in nodes:
        if not node.get("ignored"):
            roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("button", "image", "table", "columnheader", "rowheader", "checkbox", "radio", "searchbox", "link", "heading"):
        found = roles.get(role, roles.get({"image": "img"}.get(role, role), []))
        check(f"every {role} has a name", found and all(name.strip() for name in found), found)
    for role in ("main", "navigation", "banner", "contentinfo"):
        check(f"there is one {role}", len(roles.get(role, [])) == 1)


def check_readme(b, base, options):
    folder, page = f"{base}/readme", f"{base}/readme.html"
    steep("sweep", *options, "--quiet", "--no-figure", "--out", folder)
    seconds, size = steep("report", folder, "--out", page), os.path.getsize(page)
    print(f"the README's sweep: {size} bytes, {seconds:.2f} s")
    check("under 1 MB", size < 1e6, size)
    check("under 1 s", seconds < 1, seconds)
    b.open(page)
    quiet(b, "the README's sweep")
    check_reader(b)
    check_toggles(b)
    check_values(b, folder)
    check_tables(b, folder)
    check_looks(b)
    os.makedirs(f"{base}/moved")
    shutil.move(page, f"{base}/moved/alone.html")
    b.errors.clear()
    b.requests.clear()
    b.open(f"{base}/moved/alone.html")
    quiet(b, "moved elsewhere")


HOSTILE = ["</script><script>window.hacked = 1</script>", "\"><img src=x onerror=\"window.hacked=1\">", "' onmouseover='window.hacked=1", "<!-- <script>", "&lt;b&gt; & ü → 𝄞 \\u003c \\", "javascript:window.hacked=1"]


def check_hostile(b, base):
    make_run(f"{base}/<b>&\"' #%", HOSTILE, HOSTILE[:3], [4, 8, 16, 32], 2)
    steep("report", f"{base}/<b>&\"' #%", "--out", f"{base}/hostile.html", "--title", HOSTILE[0])
    b.open(f"{base}/hostile.html")
    quiet(b, "hostile names")
    check("no name runs as a script", b.run("typeof window.hacked") == "undefined" and b.run("[...document.images].every(i => i.className.startsWith('panel'))"))
    check("names are read as they are", b.run("[...document.querySelectorAll('.plot h3')].map(h => h.textContent)") == HOSTILE)
    check("in the title", b.run("document.title") == HOSTILE[0])
    check("in the table of fits", set(column(b, "#fits-table", 0)) <= set(HOSTILE) and set(column(b, "#fits-table", 1)) <= set(HOSTILE))
    check("links lead to files", b.run("[...document.querySelectorAll('.links a')].map(a => a.href)") and all(
        os.path.exists(urllib.parse.unquote(url[7:])) for url in b.run("[...document.querySelectorAll('.links a')].map(a => a.href)")))


FOREIGN = ["<script>window.hacked = 1</script>", "<g onload='window.hacked=1' fill='none'><path d='M0,0'/></g>",
           "<foreignObject><p xmlns='http://www.w3.org/1999/xhtml' onclick='window.hacked=1'>x</p></foreignObject>",
           "<a href='javascript:window.hacked=1'><text>x</text></a>", "<image xlink:href='https://none.invalid/x'/>",
           "<g fill='url(https://none.invalid/x)'><path d='M0,0' style='background:url(https://none.invalid/y)'/></g>"]


def check_foreign(b, base):
    """Of a picture that holds more than gnuplot draws nothing else comes into the page."""
    make_run(f"{base}/foreign", ["sin(x)"], ["mlp"], [4, 8, 16, 32], 1)
    os.makedirs(f"{base}/bin")
    with open(f"{base}/bin/gnuplot", "w", encoding="utf-8") as file:
        uses = "".join("<use href='#a' transform='translate(1,1)'/>" for _ in range(4))
        body = f"<g id='gnuplot_plot_7a'>{uses}</g>{''.join(FOREIGN)}"
        file.write(f"""#!/bin/sh
cat >slopes.svg <<'END'
<svg viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="window.hacked=1">{body}</svg>
END
""")
    os.chmod(f"{base}/bin/gnuplot", 0o755)
    environment = {**os.environ, "PATH": f"{base}/bin:{os.environ['PATH']}"}
    subprocess.run([STEEP, "report", f"{base}/foreign", "--out", f"{base}/foreign.html"], check=True, env=environment)
    b.open(f"{base}/foreign.html")
    b.settle()
    quiet(b, "a foreign picture")
    kept = b.run("[...new Set([...document.querySelectorAll('.panel, .panel *')].map(e => e.localName))].sort().join()")
    check("elements that draw are kept", kept == "g,path,svg,use", kept)
    check("and nothing runs", b.run("typeof window.hacked") == "undefined")


def check_two(b, base):
    make_run(f"{base}/one", ["sin(x)", "x^2"], ["mlp", "glu"], [4, 8, 16, 32], 1)
    make_run(f"{base}/two", ["x^2"], ["mlp", "gqu"], [4, 16, 64, 256], 1)
    os.makedirs(f"{base}/none")
    with open(f"{base}/none/separation.csv", "w", encoding="utf-8") as file:  # a separation that failed at its first width
        file.write("witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,certified_high,restarts,hits,status,seconds\n")
    steep("report", f"{base}/one", f"{base}/two", f"{base}/none", "--out", f"{base}/two.html")
    b.open(f"{base}/two.html")
    quiet(b, "two runs")
    b.run("document.querySelectorAll('.plot')[2].scrollIntoView({behavior: 'instant'})")
    b.settle()
    check("runs on a target stand side by side", b.run("[...document.querySelectorAll('.plot')].map(p => p.querySelector('h3').textContent + ' ' + p.querySelector('.run').textContent)") == ["sin(x) one", "x^2 one", "x^2 two"])
    axes = b.run("""[...document.querySelectorAll('.panel.against-P')].map(p => [...p.querySelectorAll('text')]
        .filter(t => !t.closest('.s')).map(t => t.textContent + t.parentNode.getAttribute('transform')).join())""")
    check("on the same axes", axes[1] == axes[2] != axes[0], axes)
    check("the table names runs", set(column(b, "#slopes-table", 0)) == {"one", "two"})
    place = b.run("[...document.querySelectorAll('#slopes-table thead th')].findIndex(t => t.textContent === 'To P')")
    check("large numbers have four digits", {number(v) for v in column(b, "#slopes-table", place)} == {1536000}, column(b, "#slopes-table", place))
    b.picture(f"{PICTURES}/two.png")
    make_run(f"{base}/contest", ["x^2", "sin(x)"], ["mlp", "glu", "gqu"], [8], 1)
    steep("report", f"{base}/contest", "--out", f"{base}/contest.html")
    b.open(f"{base}/contest.html")
    quiet(b, "a contest")
    check("units are ranked by error", [column(b, table, 1) for table in ("#ranking .separation:nth-child(2)", "#ranking .separation:nth-child(3)")] == [["gqu", "glu", "mlp"]] * 2)
    check("and not drawn", not b.run("document.querySelectorAll('.plot, #slopes').length"))
    b.picture(f"{PICTURES}/contest.png")


def timed(b, script):
    """Milliseconds until what the script did is on the screen."""
    return b.run(f"(async () => {{ const t = performance.now(); {script}; await new Promise(d => requestAnimationFrame(() => setTimeout(d))); return performance.now() - t; }})()")


def check_many(b, base):
    make_run(f"{base}/many", [f"target {t}" for t in range(25)], [f"unit{k}" for k in range(8)], list(range(4, 54)), 10)
    seconds = steep("report", f"{base}/many", "--out", f"{base}/many.html")
    size = os.path.getsize(f"{base}/many.html")
    load = b.open(f"{base}/many.html")
    quiet(b, "10^5 fits")
    check("10^5 fits are there", b.run("document.querySelector('#fits-table [role=status]').textContent") == "1–50 of 100000")
    times = {
        "sorting": timed(b, "document.querySelectorAll('#fits-table thead button')[7].click()"),
        "filtering": timed(b, "(i => { i.value = 'unit3 12'; i.dispatchEvent(new Event('input')); })(document.querySelector('#fits-table input'))"),
        "turning a page": timed(b, "document.querySelector('#fits-table button[aria-label=\"Next page\"]').click()"),
        "hiding a series": timed(b, "document.querySelector('.tools .toggle').click()"),
        "against n": timed(b, "document.querySelector('.against input[value=n]').click()"),
        "a hover": timed(b, "document.querySelector('.panel.against-n').dispatchEvent(new PointerEvent('pointermove', {clientX: 300, clientY: 300, bubbles: true}))"),
    }
    print(f"10^5 fits: {size} bytes, {seconds:.2f} s; loaded in {load:.2f} s; " + ", ".join(f"{k} {v:.0f} ms" for k, v in times.items()))
    check("under 12 MB", size < 12e6, size)
    check("loads", load < 10, load)
    for what, ms in times.items():
        check(f"{what} is done at once", ms < (3000 if what == "sorting" else 1000), ms)
    b.picture(f"{PICTURES}/many.png")
    check("still no error", not b.errors, b.errors)


def check_all(b, results):
    """One page over all folders: each of them is there, with its slopes, its pictures and its files."""
    load = b.open(f"{results}/report.html")
    quiet(b, "all figures")
    sweeps, drawn = {}, set()
    for folder, _, names in os.walk(results):
        sizes = [name for name in names if os.path.getsize(f"{folder}/{name}") > 0]
        if folder != results and (("slopes.csv" in sizes) or any(name.endswith(".svg") for name in sizes)):
            drawn.add(os.path.relpath(folder, results))
        if folder != results and "slopes.csv" in sizes:
            sweeps[os.path.relpath(folder, results)] = [r for r in rows(f"{folder}/slopes.csv") if r["against"] == "params" and r["method"] == "window"]
    cards = b.run("[...document.querySelectorAll('#runs details.card')].map(d => [...d.querySelectorAll('.links a')].map(a => a.href))")
    check("a card for each folder", len(cards) == len(drawn), [len(cards), sorted(drawn)])
    where = {os.path.relpath(os.path.dirname(urllib.parse.unquote(url[7:])), results) for card in cards for url in card}
    check("links to the files of each", where == drawn, sorted(where ^ drawn))
    check("which are there", all(os.path.exists(urllib.parse.unquote(url[7:])) for card in cards for url in card))
    check("a row for each series", b.run("document.querySelectorAll('#slopes-table tbody tr').length") == sum(map(len, sweeps.values())))
    verdicts = b.run("[...document.querySelectorAll('#slopes-table tbody tr')].map(r => r.querySelector('.verdict').textContent)")
    wanted = [r["remark"] for folder in sorted(sweeps, key=os.fsencode) for r in sweeps[folder]]
    check("with steep's remarks", len(verdicts) == len(wanted) and all((not w) or w in v for v, w in zip(verdicts, wanted)), list(zip(verdicts, wanted)))
    check("a figure for each target", b.run("document.querySelectorAll('.plot').length") >= len(sweeps))
    images = b.run("Promise.all([...document.images].map(i => i.decode().then(() => i.naturalWidth > 0, () => false)))")
    check("every picture is drawn", all(images), images)
    check("there are pictures", len(images) > 0)
    check("it opens", load < 30, load)
    b.picture(f"{PICTURES}/all.png", True)
    print(f"all figures: {len(drawn)} folders, {sum(map(len, sweeps.values()))} series, {len(images)} pictures, {os.path.getsize(results + '/report.html')} bytes, loaded in {load:.2f} s")


def main():
    if sys.argv[1:2] == ["--all"]:
        os.makedirs(PICTURES, exist_ok=True)
        with Browser() as b:
            check_all(b, os.path.abspath(sys.argv[2]))
        print(f"{passed} passed, {failed} failed")
        return failed > 0
    options = sys.argv[1:] or ["--target", "cosine_well", "--widths", "4:2048:x1.4", "--samples", "10000", "--sampling", "grid"]
    os.makedirs(PICTURES, exist_ok=True)
    base = tempfile.mkdtemp(prefix="steep-report-")
    try:
        with Browser() as b:
            for test in (lambda: check_readme(b, base, options), lambda: check_hostile(b, base), lambda: check_foreign(b, base), lambda: check_two(b, base), lambda: check_many(b, base)):
                test()
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"pictures of it: {PICTURES}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
