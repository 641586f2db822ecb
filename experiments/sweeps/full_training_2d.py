# SPDX-License-Identifier: GPL-3.0-or-later
"""All parameters trained in two dimensions by varpro, 60 iterations (240 from n = 128 on), on a grid of 10,000 points,
tested on one of half the spacing: from start greedy, several seeds, and from starts random (so many seeds) and
uniform; and from start greedy by exchange, with as many at its end, one seed at each width. Beside them the frozen
error of start greedy. n = 16 to 64; with --full exchange to 256, greedy to 256 on the first two targets and to 128
on the others, random and uniform to 128 on the first two, which takes some hours: --keep goes on where an earlier
run was broken off. With --only "TARGET ARCH N WAY" one way of one row is run. The slope of a line is that of
log(error) against log(n) by least squares over its widths; theory is -1/2 - (2k + 1)/4 for units of degree k
(docs/explanation/theory.md)."""
from math import isfinite, nan

from study import Study, line, number, theory_2d
from targets_2d import GENERAL

DEGREES = {"mlp": 1, "glu": 2, "gqu": 3}
ROWS = {16: (60, "0:7"), 32: (60, "0:1"), 64: (60, "0"), 128: (240, "0"), 256: (240, "0")}  # iterations, seeds
# solver, start, the largest widths on the first two targets and on the others
WAYS = {"frozen": ("frozen", "greedy", 256, 256), "greedy": ("varpro", "greedy", 256, 128),
        "random": ("varpro", "random", 128, 64), "uniform": ("varpro", "uniform", 128, 64),
        "exchange": ("exchange", "greedy", 256, 256)}


def run_way(target, arch, way, width):
    """Test errors of a way's fits: the best by training error, and the worst; NaN where there is none."""
    solver, start, *widest = WAYS[way]
    iterations, seeds = ROWS[width]
    if not s.wants(target, arch, width, way) or width > widest[target not in list(GENERAL)[:2]]:
        return nan, nan
    fits = s.sweep(f"{target}-{arch}-{way}-{width}", target=GENERAL[target], samples=1000 if s.quick else 10000, sampling="grid",
                   seeds="0" if s.quick or way in ("uniform", "exchange") else seeds, arch=arch, widths=width, solver=solver,
                   start=start, **({"exchanges": 0} if way == "frozen" else {}), max_iterations=0 if way == "frozen" else 5 if s.quick else iterations).fits
    errors = sorted((fit["rmse_train"], fit["rmse_test"]) for fit in fits if isfinite(fit["rmse_train"]))
    return (errors[0][1], max(test for _, test in errors)) if errors else (nan, nan)


def least(*errors):
    """The least that is known, NaN where none is."""
    return min((error for error in errors if error == error), default=nan)


def do_rows(target, arch):
    """All widths asked for, and the slopes of frozen gates, greedy and exchange."""
    curves, first = {way: {} for way in WAYS}, nan
    theory = theory_2d(DEGREES[arch])
    for width in [n for n in list(ROWS)[:1 if s.quick else 5 if s.options.full else 3] if s.wants(target, arch, n)]:
        errors = {way: run_way(target, arch, way, width) for way in WAYS}
        print("%-9s %-4s %5d" % (target, arch, width), end="")
        for way, (best, worst) in errors.items():
            print("".join(number(" %9.2e", e) for e in ((best, worst) if way == "greedy" else (best,))), end="")
            if best != best:
                continue
            curves[way][width] = best
            if way in ("greedy", "exchange") and first != first:
                first = best / width ** theory
            points.append((target, arch, way, width, best, worst, first * width ** theory if way in ("greedy", "exchange") else nan))
        best = {way: error[0] for way, error in errors.items()}
        print(number(" %7.2f", least(best["random"], best["uniform"]) / least(best["greedy"], best["exchange"])), flush=True)
    for way in ("frozen", "greedy", "exchange"):
        widths, errors = list(curves[way]), list(curves[way].values())
        if len(widths) < 3:
            continue
        print("%-9s %-4s slope of %s, n = %d to %d: %.2f" % (target, arch, way, widths[0], widths[-1], line(widths, errors)), end="")
        if len(widths) > 3:
            print(", %d to %d: %.2f" % (widths[-3], widths[-1], line(widths[-3:], errors[-3:])), end="")
        print(", theory %.2f" % theory)


s = Study(__doc__, "target arch width way", full="also the fits that take hours")
points = []
print("%-9s %-4s %5s %9s %9s %9s %9s %9s %9s %7s" % ("target", "arch", "n", "frozen", "greedy", "worst", "random", "uniform",
                                                      "exchange", "gain"))
for name in s.those(0, GENERAL):
    for unit in s.those(1, DEGREES):
        do_rows(name, unit)
print("test RMSE; frozen: greedy gates before training; greedy, worst, random, uniform: varpro, 60 iterations at most, from n = 128 "
      "on 240, the best seed by training error and the worst by test error; exchange: one seed, as many at its end; gain: the "
      "better of random and uniform over the better of greedy and exchange")
s.write("full_training_2d.csv", "target,arch,way,width,best,worst,theory", points)
s.draw()
