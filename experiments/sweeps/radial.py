# SPDX-License-Identifier: GPL-3.0-or-later
"""f = 1/(1 + 9 r^2) as a sum of ridges that are known. A radial function is the mean over all directions of one
profile, f(r) = (1/pi) int_0^pi g(r cos t) dt, g(t) = f(0) + t int_0^{pi/2} f'(t sin s) ds (Abel), here g = 1/(1+9t^2)
- 3t asinh(3t)/(1+9t^2)^(3/2). Gates stand on m equispaced directions, in each k knots equidistributed for g, and 2
(gqu 3) are open on the whole box; frozen fits on a grid of 40,000 points, tested on random ones; of all m the least
training error. n = 16 to 1,024. The file has theory's line through the first error, against gates."""
import functools
from math import cos, inf, log, pi, sin, sqrt
from typing import NamedTuple

from study import Study, blocks, theory_2d, write_network

PROFILE = "1/(1+9*x^2)-3*x*log(3*x+sqrt(1+9*x^2))/(1+9*x^2)^1.5"
BRANCHES = {"mlp": 1, "glu": 2, "gqu": 3}
SCANNED, WORSE = 512, 3
KEPT = {"quiet": True, "no_figure": True, "fresh": True, "solver": "frozen"}


class Best(NamedTuple):
    train: float = inf
    test: float = inf
    gates: int = 0
    m: int = 0
    k: int = 0


@functools.cache
def knots(arch, k, reach):
    """k knots of a spline of the unit's degree, equidistributed for the profile on [-reach, reach]."""
    s.printed("fit", f"--domain={-reach:.17g}:{reach:.17g}", arch=arch, width=k + 1 + (arch == "gqu"), target=PROFILE,
              start="equidistributed", out=s.out + "/profile", **KEPT)
    inside = sorted(-b / w for w, b in blocks(s.out + "/profile/parameters.json")[0])
    return [x for x in inside if abs(x) < reach * (1 - 1e-9)]


def fit(arch, m, k):
    """With gates on m directions with k knots each, then those that are open."""
    gates, wide = [], 3 if arch == "gqu" else 2
    for angle in (pi * (j + 0.5) / m for j in range(m)):
        c, d = cos(angle), sin(angle)
        gates += [(c, d, -x) for x in knots(arch, k, round(abs(c) + abs(d), 12))]
    for angle in (2 * pi * (h + 0.3) / wide for h in range(wide)):
        gates.append((cos(angle), sin(angle), 1.5))
    n, path = len(gates), s.out + "/network.json"
    branches = [gates, *[[[0] * 3] * n] * (BRANCHES[arch] - 1)]
    write_network(path, f"{s.out}/{arch}/parameters.json", n, [*branches, [[0]] * n, [[0]]])
    (row,), *_ = s.tables("fit", load=path, target="runge3_2d", sampling="grid", samples=2500 if s.quick else 40000,
                          test="random", solver="frozen", quiet=True)
    return Best(row["rmse_train"], row["rmse_test"], n, m, k)


def best_ridges(arch, n, before):
    """The best m for so many gates. Up to SCANNED all from 0.5 to 2 times the root of n, below 20, of gqu below 24.
    Beyond, where the best m grows slowly: from one less than at the width before, or a scan where that was not run,
    until WORSE in a row are no better."""
    least, worse, wide = Best(), 0, 3 if arch == "gqu" else 2
    grows = n > SCANNED and before.m > 1
    m = before.m - 1 if grows else 3
    while worse < WORSE if grows else m <= 2 * sqrt(n) and m < (24 if arch == "gqu" else 20):
        if grows or m >= 0.5 * sqrt(n) and n >= 2 * m + wide:
            found = fit(arch, m, (n - wide) // m)
            worse = 0 if found.train < least.train else worse + 1
            least = min(least, found, key=lambda best: best.train)
        m += 1
    return least


def slope(first, last):
    return log(last.test / first.test) / log(last.gates / first.gates)


s = Study(__doc__, "arch width")
rows = []
print("%-4s %5s %5s %4s %4s %11s %11s %6s" % ("arch", "n", "gates", "m", "k", "RMSE train", "RMSE test", "slope"))
for degree, arch in enumerate(BRANCHES, 1):
    if arch not in s.those(0, BRANCHES):
        continue
    # a file to fill in
    s.printed("fit", arch=arch, target="runge3_2d", samples=100, width=1, out=f"{s.out}/{arch}", **KEPT)
    fitted = {}
    for n in s.those(1, (16, 32) if s.quick else (16, 32, 64, 128, 256, 512, 1024)):
        before = [Best(), *fitted.values()][-1]
        now = fitted[n] = best_ridges(arch, n, before)
        last = " %6.2f" % slope(before, now) if before.gates else " %6s" % "-"
        print("%-4s %5d %5d %4d %4d %11.3e %11.3e" % (arch, n, now.gates, now.m, now.k, now.train, now.test) + last)
        first, *_ = fitted.values()
        rows.append((arch, now.gates, now.m, now.test, first.test * (now.gates / first.gates) ** theory_2d(degree)))
    for first in [fitted[64], fitted[256]] if 1024 in fitted and 64 in fitted else []:
        print("%-4s slope from %d to %d gates: %.2f" % (arch, first.gates, now.gates, slope(first, now)))
print("1/(1+9r^2), gates frozen on m directions with k knots each, equidistributed for its ridge profile; n: at most "
      "so many gates; slope: against gates, from the line above")
s.write("radial.csv", "arch,width,m,test,theory", rows)
s.draw()
