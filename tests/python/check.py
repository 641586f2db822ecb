# SPDX-License-Identifier: GPL-3.0-or-later
"""steep.py held against the program: check.py PROGRAM [SEED]. SEEDS multiplies the number of random cases."""
import concurrent.futures
import contextlib
import copy
import csv
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import steep

PROGRAM = os.path.abspath(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
CASES = int(os.environ.get("SEEDS", "1"))
draw = np.random.default_rng(SEED)
failed = 0


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=True).stdout


def refused(what, function, *arguments, says, **options):
    global failed
    try:
        function(*arguments, **options)
    except ValueError as error:
        if says in str(error):
            return
        print(f"FAILED: {what}: says '{error}', not '{says}'")
    else:
        print(f"FAILED: {what} is not refused")
    failed += 1


def check(what, holds):
    global failed
    if not holds:
        print(f"FAILED: {what} (seed {SEED})")
        failed += 1


def same(a, b):
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def write_points(path, x, y):
    with open(path, "w") as file:
        names = ["x"] if x.shape[1] == 1 else [f"x{j + 1}" for j in range(x.shape[1])]
        print(*names, *(["y"] if y is not None else []), sep=",", file=file)
        for k, row in enumerate(x):
            print(*map(repr, row.tolist()), *([repr(float(y[k]))] if y is not None else []), sep=",", file=file)


ARCHES = ["mlp", "glu", "gqu", "mlp:tanh", "glu:gelu", "mlp:relu2"]


def random_fit():
    """Points, options, and a random network that has hardly been fitted to them."""
    dim = int(draw.integers(1, 5))
    x = draw.uniform(-2, 3, (int(draw.integers(120, 400)), dim))
    y = np.sin(x @ draw.normal(size=dim)) * 10.0 ** draw.integers(-2, 3)
    options = dict(arch=str(draw.choice(ARCHES)), width=int(draw.integers(1, 6)), solver="lm", start="random",
                   max_iterations=int(draw.integers(2, 6)), seed=int(draw.integers(0, 1000)))
    if draw.random() < 0.3:
        options["standardize"] = True
    try:
        return x, y, options, steep.fit(x, y, **options)
    except RuntimeError:  # worse than a network of 0
        return random_fit()


def networks(folder):
    """Values and derivatives are the bits of steep predict; a fit is that of steep fit --data, file and all."""
    def compare(drawn):
        case, (x, y, options, net), places = drawn
        at, file, points = places[:, :x.shape[1]], f"{folder}/{case}.json", f"{folder}/{case}.csv"
        net.save(file)
        write_points(points, at, None)
        header, *cells = csv.reader(io.StringIO(run("predict", file, "--data", points, "--gradient", "--format", "csv")))
        table = np.array(cells, float)
        column = table[:, header.index("network")]
        check(f"values of {net!r}", same(net(at), column) and same(steep.load(file)(at), column))
        check(f"derivatives of {net!r}", same(net.gradient(at), table[:, -x.shape[1]:]))
        if case % 40:
            return
        os.mkdir(f"{folder}/{case}")
        points = f"{folder}/{case}/points"  # the name of points in memory
        write_points(points, x, y)
        words = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in options.items()]
        run("fit", "--data", points, *words, "--out", f"{folder}/{case}/out", "--no-figure")
        ours, theirs = (json.load(open(path)) for path in (file, f"{folder}/{case}/out/parameters.json"))
        check(f"the file of steep fit: {options}", ours == theirs)

    cases = ((case, random_fit(), draw.uniform(-3, 4, (7, 4))) for case in range(200 * CASES))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(compare, cases))


def arrays():
    """The same numbers in another array are the same fit; what is no array of points is refused by name."""
    x = draw.uniform(-1, 1, (300, 2))
    y = np.sin(3 * x[:, 0]) + x[:, 1]
    options = dict(arch="mlp:tanh", width=3, solver="lm", start="random", max_iterations=20)
    net = steep.fit(x, y, **options)
    values, slopes = net(x), net.gradient(x)
    wide = np.repeat(np.repeat(x, 3, axis=0), 2, axis=1)[::3, ::2]
    for what, other in (("strided", wide), ("Fortran", np.asfortranarray(x)), ("a list", x.tolist()),
                        ("reversed twice", x[::-1][::-1]), ("big-endian", x.astype(">f8"))):
        check(what, same(steep.fit(other, y, **options)(other), values) and same(net.gradient(other), slopes))
    whole = draw.integers(-9, 9, (300, 2))
    check("integers", same(steep.fit(whole, y, **options)(x), steep.fit(whole.astype(float), y, **options)(x)))
    single = x.astype("f4")
    check("float32", same(steep.fit(single, y, **options)(x), steep.fit(single.astype(float), y, **options)(x)))
    line = steep.fit(x[:, 0], y, width=3)
    check("one number", line(0.5) == line([0.5])[0] == line([[0.5]])[0] and line.gradient(0.5).shape == ())
    copies = copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net))
    check("copies", all(same(other(x), values) for other in copies))
    del copies, other  # they take nothing with them
    check("after copies", same(net(x), values))
    check("names of results", all(hasattr(net, name) for name in dir(net)) and "rmse_test" in dir(net))
    refused("points are no target", net.certify, says="name their function")
    check("no point", net(np.empty((0, 2))).shape == (0,) and net.gradient(np.empty((0, 2))).shape == (0, 2))
    bad = y.copy()
    bad[7] = np.nan
    refused("NaN in y", steep.fit, x, bad, says="y of point 7 is nan")
    refused("infinity in x", steep.fit, np.where(x == x[3, 1], np.inf, x), y, says="x of point 3 is inf")
    refused("a masked value", steep.fit, x, np.ma.masked_where(np.arange(300) == 5, y), says="y of point 5 is nan")
    left = np.arange(300) != 7
    check("missing drop", same(steep.fit(x, bad, missing="drop", **options)(x), steep.fit(x[left], y[left], **options)(x)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "points.csv")
        write_points(path, x, y)
        check("columns by name", steep.fit(data=path, x="x2,x1", y="y", **options).rmse_train < 1
              and same(steep.fit(data=path, x="x1,x2", y="y", **options)(x), values))
    refused("no points", steep.fit, [], [], says="0 points")
    refused("fewer values", steep.fit, x, y[1:], says="x has shape (300, 2) and y has shape (299,)")
    refused("a cube", steep.fit, np.zeros((2, 2, 2)), y, says="shape (2, 2, 2)")
    refused("complex", steep.fit, x, y * 1j, says="complex128")
    refused("texts", steep.fit, x, ["a"] * 300, says="y: an array of <U1")
    refused("values alone", steep.fit, None, y, says="x: an array of object")
    refused("points in 3D", net, np.zeros((4, 3)), says="the network is in 2D")
    refused("NaN", net, np.full((4, 2), np.nan), says="finite")
    refused("an unknown option", steep.fit, x, y, widht=3, says="did you mean --width")
    refused("an option of runs", steep.fit, x, y, out="here", says="unknown option --out")
    refused("two fits", steep.fit, x, y, arch=["mlp", "glu"], says="2 architectures")
    refused("points and a target", steep.fit, x, y, target="runge3", says="both given")
    refused("standardized", steep.fit(x, y, standardize=True, **options).certify, "x*y", says="standardized")


def slopes(folder):
    """Those of steep slope."""
    for _ in range(5 * CASES):
        sizes = np.unique(draw.integers(2, 500, 12)).astype(float)
        errors = sizes ** draw.uniform(-4, -1) * np.exp(0.05 * draw.normal(size=len(sizes)))
        np.savetxt(f"{folder}/s.csv", np.column_stack([sizes, errors]), "%.17g", ",", header="size,error", comments="")
        rows = json.loads(run("slope", f"{folder}/s.csv", "--scatter", "0.05", "--format", "json"))["tables"][0]["rows"]
        theirs, ours = next(row for row in rows if row["method"] == "window"), steep.slope(sizes, errors, scatter=0.05)
        check(f"slope {ours!r}", all(theirs[name] is None and np.isnan(getattr(ours, name)) or
                                     theirs[name] == getattr(ours, name) for name in ("slope", "low", "high")))
    with open(f"{folder}/l.csv", "w") as file:
        sizes = [(1e6 * 2.0**i, 1e8 * 4.0**j) for i in range(6) for j in range(5)]
        losses = [1.5 + 40 * P**-.3 + 300 * N**-.35 + .004 * (k * 37 % 11 - 5) for k, (P, N) in enumerate(sizes)]
        file.write("params,data,loss\n" + "".join(f"{P!r},{N!r},{L!r}\n" for (P, N), L in zip(sizes, losses)))
    rows = json.loads(run("law", f"{folder}/l.csv", "--fix", "a=.3", "--format", "json"))["tables"][0]["rows"]
    ours = steep.law(*np.array(sizes).T, losses, fix="a=.3")
    check(f"law {ours!r}", len(rows) >= 7 and ours.a == .3 and all(row[end] == getattr(ours, row["parameter"] + tail) for row in rows
                                                for end, tail in (("value", ""), ("low", "_low"), ("high", "_high"))))
    same = 10 * 2.0**np.arange(12)
    check("condition", np.isnan(steep.law(same, same, 1 + same**-.5 + .01 * np.sin(same), fix="a=.5,b=.5", form="hoffmann").condition))
    refused("one size", steep.law, [1] * 9, range(1, 10), range(1, 10), says="params is 1 for all points")
    refused("too many losses", steep.law, [1, 2], [1, 2], [1, 2, 3], says="loss of shape (3,)")
    refused("an error of 0", steep.slope, [1, 2], [1, 0], says="point 1 has size 2 and error 0")
    refused("fewer errors", steep.slope, [1, 2], [1], says="shape (2,)")
    refused("no sizes", steep.slope, None, [1, 2], says="sizes: an array of object")
    refused("no data", steep.law, [1, 2], None, [1, 2], says="data: an array of object")
    refused("an option of fits", steep.slope, [1, 2], [1, 2], width=3, says="unknown option --width")


def sweeps():
    result = steep.sweep(target="runge3", arch="mlp,glu", widths=[3, 5, 9, 17, 33, 65], samples=500)
    rows, window = result.rows, np.asarray(result.slopes["method"]) == "window"
    check("rows of a sweep", len(rows["width"]) == 12 and set(rows["arch"]) == {"mlp", "glu"})
    check("a fit of it", rows["rmse_train"][0] == steep.fit(target="runge3", arch="mlp", width=3, samples=500).rmse_train)
    check("slopes of it", window.sum() == 4 and np.isfinite(np.asarray(result.slopes["slope"], float)[window]).all())
    check("its figure", set(result.figures) == {"svg", "pdf", "png"} and "<svg" in result._repr_svg_())
    check("its report", "<iframe" in result.report()._repr_html_())
    several = steep.sweep(target=["x^2", "cos(x+1)"], arch="mlp", widths=range(2, 5), samples=50, no_figure=True).rows
    check("lists", len(several["width"]) == 6 and len(set(several["target"])) == 2)
    refused("a width of no number", steep.sweep, widths="x", says="--widths 'x'")
    refused("an unknown option", steep.sweep, widhts="3", says="did you mean --widths?")


LONG = "import steep, numpy as np; x = np.random.default_rng(0).uniform(-1, 1, (4000, 3)); " \
       "steep.fit(x, np.sin(9 * x).sum(1), arch='mlp:tanh', width=60, solver='lm', max_iterations=10**9, tolerance=1e-300)"


def interrupts():
    """A fit hears Ctrl-C, and a sweep's program ends with it. A network goes on after it."""
    net = steep.fit(target="x^2", arch="mlp", width=2, samples=50)
    with contextlib.suppress(KeyboardInterrupt), net._progress:
        signal.raise_signal(signal.SIGINT)
    check("a certificate after Ctrl-C", len(net.certify("x^2")) > 0)
    for what, code in (("fit", LONG), ("sweep", "import steep; steep.sweep(widths='1:900', seeds='0:99', target='runge3')")):
        process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        began = time.time()
        said = process.communicate(timeout=60)[1]
        check(f"Ctrl-C in a {what}: {time.time() - began:.1f} s, {said[-200:]}",
              time.time() - began < 20 and said.strip().endswith("KeyboardInterrupt") and "ignored" not in said)


def threads():
    """Fits side by side are those one after the other."""
    cases = [random_fit() for _ in range(8)]
    alone, beside = [net(x) for x, _, _, net in cases], [None] * 8

    def fit(i):
        x, y, options, _ = cases[i]
        beside[i] = steep.fit(x, y, **options)(x)

    workers = [threading.Thread(target=fit, args=(i,)) for i in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    check("threads", all(same(a, b) for a, b in zip(alone, beside)))


def costs():
    """What Python adds to a fit and to an import, the least of several."""
    x, y = draw.uniform(-1, 1, 1000), draw.normal(size=1000)
    inner, added, call = [0.0], [], steep._call

    def timed(name, *arguments):
        began = time.perf_counter()
        result = call(name, *arguments)
        inner[0] += (time.perf_counter() - began) * (name == "fit")
        return result

    steep._call = timed
    for _ in range(20):
        inner[0], began = 0.0, time.perf_counter()
        steep.fit(x, y, width=5)
        added.append(time.perf_counter() - began - inner[0])
    steep._call = call
    code = "import numpy, time; t = time.process_time(); import steep; print(time.process_time() - t)"
    imports = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(3)]
    print(f"a fit costs {1e3 * min(added):.3f} ms more than in C, import steep {1e3 * min(imports):.0f} ms")
    check(f"a fit costs {1e3 * min(added)} ms more", min(added) < 1e-3)
    check(f"import steep takes {min(imports)} s", min(imports) < 0.05)


with tempfile.TemporaryDirectory() as scratch:
    networks(scratch)
    slopes(scratch)
    arrays()
    sweeps()
    threads()
    interrupts()
    costs()
sys.exit(failed > 0)
