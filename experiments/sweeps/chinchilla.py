# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of public tables of losses, which the project does not ship: --data DIR, the folder with chinchilla_figure4.csv
(Epoch AI's extraction of Hoffmann and others' figure 4, 245 rows) and isoflops.csv (Open-Athena/scaling-law-analysis).

The first rows are of the 240 points that Besiroglu and others (arXiv 2404.10102) fit, the 245 less the five of highest
loss: steep law with Hoffmann's form, and as it is, beside the numbers that they and Hoffmann and others (arXiv
2203.15556) print. The others are of the five sets of vpnls (arXiv 2603.22339), all rows, llama's raw losses: the least
mean Huber loss (1e-3, of the loss itself), a, b by search, E, A, B projected out, with the condition of their columns
about the mean sizes; the sum beside those printed: vpnls 83.8, scalefit 87.0."""
import math

from study import Study, eigenvalues, read, solved

SETS = ("ml_scalefit__massivetext__chinchilla", "llama_3__raw_loss", "marin_202603__comma__llama_2",
        "marin_202603__dclm__llama_2", "marin_202603__nemotron__llama_2")
PRINTED = {"Besiroglu": ((0.348, 0.317, 0.373), (0.366, 0.331, 0.415), (1.817, 1.769, 1.871)),
           "Hoffmann": ((0.3392,) * 3, (0.2849,) * 3, (1.6934,) * 3)}


def huber(points, a, b, steps=400, width=1e-3):
    """The least mean Huber loss at these exponents, E, and the condition of the columns."""
    X, w = [(1.0, math.exp(-a * p), math.exp(-b * n)) for p, n, _ in points], [1.0] * len(points)
    gram, value, c = [], math.inf, []
    for step in range(steps):
        H = [[math.fsum(wi * x[i] * x[j] for wi, x in zip(w, X)) for j in range(3)] for i in range(3)]
        c = solved(H, [math.fsum(wi * x[i] * q[2] for wi, x, q in zip(w, X, points)) for i in range(3)])
        r = [abs(q[2] - x[0] * c[0] - x[1] * c[1] - x[2] * c[2]) for x, q in zip(X, points)]
        gram, before = gram or H, value
        value = math.fsum(0.5 * e * e if e < width else width * (e - 0.5 * width) for e in r) / len(r)
        if before - value < 1e-13:
            break
        w = [min(1, width / max(e, 1e-12)) for e in r]
    ends = eigenvalues(gram)
    return value, c[0], math.sqrt(max(ends) / min(ends))


def least_huber(points):
    """From a grid of exponents, then steps along them that halve."""
    _, a, b = min((huber(points, a / 10, b / 10, 15)[0], a / 10, b / 10) for a in range(2, 12, 2) for b in range(2, 12, 2))
    at, step = huber(points, a, b), 0.05
    while step > 2e-6:
        tried = [(huber(points, a + i * step, b + j * step), a + i * step, b + j * step)
                 for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))]
        found, *better = min(tried)
        if found[0] < at[0]:
            at, (a, b) = found, better
        else:
            step /= 2
    return at, a, b


def show(name, method, numbers):
    print(f"{name:38} {method:10}" + "".join("%8.4f [%.4f, %.4f]" % number for number in numbers))


s = Study(__doc__, data="the folder with chinchilla_figure4.csv and isoflops.csv")
if not s.options.data:
    s.end("--data DIR: the folder with the public tables, which the project does not ship", 2)
rows = sorted(read(f"{s.options.data}/chinchilla_figure4.csv"), key=lambda row: row["loss"])[:240]
s.write("points.csv", "params,tokens,loss",
        [(row["Model Size"], row["Training FLOP"] / 6 / row["Model Size"], row["loss"]) for row in rows])
print(f"{'240 points of figure 4':38} {'method':10}" + "".join(f"{name:>8} {'interval':17}" for name in "abE"))
for method, words in {"hoffmann": ("--form", "hoffmann"), "steep": ()}.items():
    found = s.law(*words)
    show("chinchilla", method, [found[name] for name in "abE"])
for method, numbers in PRINTED.items():
    show("chinchilla, as printed", method, numbers)
print(f"\n{'set':38} points     a        b        E    mean Huber loss, 1e-6  condition")
total = 0
for name in SETS[:1] if s.quick else SETS:
    some = [row for row in read(f"{s.options.data}/isoflops.csv") if row["experiment"] == name]
    middle = [math.fsum(math.log(row[key]) for row in some) / len(some) for key in ("params", "tokens")]
    (value, E, condition), a, b = least_huber([(math.log(row["params"]) - middle[0],
                                                math.log(row["tokens"]) - middle[1], row["loss"]) for row in some])
    total += 1e6 * value
    print(f"{name:38} {len(some):6} {a:8.4f} {b:8.4f} {E:8.4f} {1e6 * value:14.3f} {condition:14.2f}")
print(f"{'sum':38} {'':6} {'':8} {'':8} {'':8} {total:14.3f}")
