# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors in two dimensions with gates frozen, n = 16 to 128, on a grid of 10,000 points, tested on one of half the
spacing: gates of start greedy, one after another; of start ridge, the number of directions by the frozen error; and
of start uniform. Slopes are of the lines through neighbouring widths; theory is -1/2 - (2k + 1)/4 for units of
degree k (theory.md). sin4sin4 and cos4cos4 are sums of two ridges in the directions of m = 2: a special case with
the orders of one dimension, not a measurement of two; it stands as way two-ridges, on 40,000 points, to n = 256."""
from math import log2

from study import Study, number, pick, theory_2d
from targets_2d import GENERAL, SPECIAL

WIDTHS = (16, 32, 64, 128, 256)
ORDERS = {"mlp": 2, "glu": 3, "gqu": 4}
WAYS = {"greedy": {"start": "greedy", "exchanges": 0}, "ridge": {"start": "ridge"}, "uniform": {"start": "uniform"}}
TWO = {"two-ridges": {"start": "ridge", "directions": 2}}

s = Study(__doc__, "target arch")
archs = s.those(1, ORDERS)
print("%-9s %-4s %-10s %9s %9s %9s %9s %9s  %6s   slopes" % ("target", "arch", "way", "n = 16", "32", "64", "128", "256", "theory"))
points = []
for target in s.those(0, GENERAL | SPECIAL):
    ways = WAYS | TWO if target in SPECIAL else WAYS
    runs = {}
    for way, options in ways.items():
        count = 2 if s.quick else 5 if way in TWO else 4
        runs[way] = s.sweep(f"{target}-{way}", target=(GENERAL | SPECIAL)[target], arch=archs, solver="frozen",
                            samples=2000 if s.quick else 40000 if way in TWO else 10000, sampling="grid",
                            widths=WIDTHS[:count], **options)
    for arch in archs:
        for way, run in runs.items():
            theory = -ORDERS[arch] if way in TWO else theory_2d(ORDERS[arch] - 1)
            error = [pick(run.fits, arch=arch, width=n)["rmse_test"] for n in WIDTHS]
            fitted = [e for e in error if e == e]
            slopes = "".join(" %5.2f" % log2(b / a) for a, b in zip(fitted, fitted[1:]))
            print("%-9s %-4s %-10s" % (target, arch, way) + "".join(number(" %9.2e", e) for e in error) + "  %6.2f  " % theory + slopes)
            points += [(target, arch, way, n, e, error[0] * (n / 16) ** theory) for n, e in zip(WIDTHS, fitted)]
print("test RMSE, frozen gates; slopes: of the line through neighbours; two-ridges: a special case, with the theory of one dimension")
s.write("ridges.csv", "target,arch,way,width,rmse,theory", points)
s.draw()
