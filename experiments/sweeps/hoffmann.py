# SPDX-License-Identifier: GPL-3.0-or-later
"""What the form of scaling-law papers, E + A P^-a + B N^-b, says of data whose law is known: least squares of networks
with frozen gates, m linear parameters and N noisy points have the loss s^2 + (A h^2p + s^2 m/N)/(1 - m/N), h = 1/(n - 1),
p = 2, 3, 4 for mlp, glu, gqu (docs/explanation/theory.md). Losses with a scatter of 0.3 %, s = 0.1, m/N at most 0.09.
Rows: the usual form with a bootstrap of 100, as papers do; steep law with that form; steep law as it is, which averages
over forms. The truth: E = 0.01, b = 1, c = 1, and a = 2p against n - 1, more against m, which is not a power of it."""
import math
import random
import statistics

from study import Study

ARCHS = {"mlp": (4, 8, lambda n: n), "glu": (6, 120, lambda n: 2 * n - 1), "gqu": (8, 5e5, lambda n: 2 * n)}
NAMES = ("E", "a", "b", "c")


def losses(order, A, m_of):
    r, rows = random.Random(order), []
    for n in (9, 11, 14, 18, 24, 32, 44, 60, 86) if order == 8 else (5, 7, 10, 14, 20, 29, 42, 60, 86):
        for N in (200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000):
            m = m_of(n)
            if m / N <= 0.09:
                loss = 0.01 + (A * (n - 1) ** -order + 0.01 * m / N) / (1 - m / N)
                rows.append((m, N, loss * math.exp(0.003 * r.gauss(0, 1))))
    return rows


def law(rows, *words):
    s.write("points.csv", "params,samples,loss", rows)
    return s.law(*words)


def bootstrap(rows):
    usual, r = ("--form", "hoffmann", "--noise", "normal"), random.Random(1)
    found = [law(r.choices(rows, k=len(rows)), *usual) for _ in range(10 if s.quick else 100)]
    ends = {name: statistics.quantiles([f[name][0] for f in found], n=40) for name in NAMES[:3]}
    return {name: (law(rows, *usual)[name][0], cut[0], cut[-1]) for name, cut in ends.items()}


s = Study(__doc__, "arch method")
print("arch  method    " + "".join(f"{name:>8} {'interval':>20}" for name in NAMES))
methods = {"usual": bootstrap, "hoffmann": lambda rows: law(rows, "--form", "hoffmann"), "steep": law}
for arch in s.those(0, ARCHS):
    points = losses(*ARCHS[arch])
    for method in s.those(1, methods):
        found = methods[method](points)
        print(f"{arch:5} {method:9} " + "".join(
            "%8.4g %20s" % (found[name][0], "[%.4g, %.4g]" % found[name][1:]) if name in found else "%8s %20s" % ("-", "-")
            for name in NAMES))
