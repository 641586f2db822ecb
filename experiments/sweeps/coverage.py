# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the 95 % interval of steep slope holds the true order of simulated errors, and how long it is; beside it
the straight line through all points with its own interval, as papers report it, and the least interval of one who knows
the kind of the law and the scatter (the Cramer-Rao bound). Each series draws its order s in [1.5, 4.5] and the numbers
of its own; its errors are times exp(noise * standard normal), of together correlated from size to size by 0.42 to 0.85.
floor is flat with the floor told; apart has one error ten times too large. half, three, ripple, together, dying and
beneath are none of the laws that the interval averages over."""
import random
from itertools import product
from math import exp, hypot, isnan, log, nan, sin, sqrt
from statistics import median

from study import Study, number

NOISES = {"0": 0, "0.5": 0.005, "2": 0.02, "10": 0.1}
GRIDS = {"16-256 by 2": [16 * 2 ** i for i in range(5)], "8-4096 by 2": [8 * 2 ** i for i in range(10)],
         "2-512 by sqrt 2": [round(2 * 2 ** (i / 2)) for i in range(17)], "1-103 by 3": list(range(1, 104, 3)),
         "1-50 by 1": list(range(1, 51))}
OUTSIDE = ("half", "three", "ripple", "together", "dying", "beneath")


def bend(n, before, after, at, sharpness):
    """From n^-before to n^-after, over n^-before."""
    return (1 + (n / at) ** (sharpness * (after - before))) ** (-1 / sharpness)


def own_broken(u, most, s):
    return u(0, 1.2), u(6, most / 6), exp(u(0, log(4)))


def own_twice(u, most, s):
    _, at, sharpness = own_broken(u, most, s)
    return s * u(0, 0.3), s * u(0.4, 0.7), exp(u(0, log(at / 2))), at, sharpness


def own_three(u, most, s):
    a = u(0.3, 3)
    return a, u(-1, 1) * min(1, a)


# Of each kind the error at size n, with the order s and numbers of its own, and how these are drawn by u; most: the
# largest size.
KINDS = {
    "power": (lambda n, s: n ** -s, lambda u, most, s: ()),
    "offset": (lambda n, s, c: (n + c) ** -s, lambda u, most, s: (u(0.5, 4),)),
    "negative": (lambda n, s, c: (n + c) ** -s, lambda u, most, s: (u(-0.8, -0.2),)),
    "log": (lambda n, s: n ** -s * log(n), lambda u, most, s: ()),
    "broken": (lambda n, s, p, at, m: n ** -p * bend(n, p, s, at, m), own_broken),
    "twice": (lambda n, s, p, q, first, at, m: n ** -p * bend(n, p, q, first, m) * bend(n, q, s, at, m), own_twice),
    "flat": (lambda n, s, c: hypot(n ** -s, c ** -s), lambda u, most, s: (u(0.1, 0.4) * most,)),
    "floor": (lambda n, s, c: hypot(n ** -s, c ** -s), lambda u, most, s: (u(0.1, 0.6) * most,)),
    "last": (lambda n, s, c: n ** -s + c ** -s, lambda u, most, s: (u(0.4, 2) * most,)),
    "apart": (lambda n, s: n ** -s, lambda u, most, s: ()),
    "later log": (lambda n, s, c: n ** -s * log(n + c), lambda u, most, s: (u(1, 4),)),
    "half": (lambda n, s, a: n ** -s * (1 + a / sqrt(n)), lambda u, most, s: (u(0.3, 3),)),
    "three": (lambda n, s, a, b: n ** -s * (1 + a / sqrt(n) + b / n), own_three),
    "transient": (lambda n, s, c: n ** -s * (1 + 5 * exp(-n / c)), lambda u, most, s: (u(1, 5) * most / 40,)),
    "ripple": (lambda n, s, w, t: n ** -s * (1 + 0.03 * sin(w * log(n) + t)), lambda u, most, s: (u(1, 4), u(0, 6.28))),
    "together": (lambda n, s: n ** -s, lambda u, most, s: ()),
    "sudden": (lambda n, s, c, a: n ** -s * (1 + a * exp(-(n / c) ** 2)),
               lambda u, most, s: (u(1, 4) * most / 20, u(1, 10))),
    "dying": (lambda n, s, c, a: n ** -s * (1 + a / (1 + (n / c) ** 6)),
              lambda u, most, s: (u(1, 4) * most / 20, u(1, 10))),
    "beneath": (lambda n, s, c, a: n ** -s * (1 - a * exp(-n / c)),
                lambda u, most, s: (u(1, 5) * most / 40, u(0.3, 0.9)))}


def known_half(law, sizes, truth, noise):
    """Half the least interval of s: over what is left of the derivative of the log errors in s, once those in all
    others and the factor are taken off. NaN: too few points."""
    if len(sizes) <= len(truth) + 1:
        return nan
    basis, left = [], 1
    for i in (None, *range(1, len(truth)), 0):
        step = 1e-5 * abs(truth[i]) if i is not None else 1
        ends = [[*truth[:i], truth[i] + side * step, *truth[i + 1:]] for side in (1, -1)] if i is not None else ()
        column = [log(law(n, *ends[0]) / law(n, *ends[1])) / (2 * step) if ends else 1.0 for n in sizes]
        for e in basis:
            part = sum(map(float.__mul__, e, column))
            column = [c - part * x for c, x in zip(column, e)]
        left = sqrt(sum(c * c for c in column))
        basis.append([c / left for c in column])
    return 1.959964 * noise / left


def draw(kind, grid, noise, r):
    """The order; the points of a series (size, error, floor); half the least interval."""
    (law, own), sizes = KINDS[kind], GRIDS[grid]
    s = r.uniform(1.5, 4.5)
    truth = s, *own(r.uniform, sizes[-1], s)
    rho = r.uniform(0.42, 0.85) if kind == "together" else 0
    deviation, wrong = r.gauss(0, 1), r.randrange(len(sizes)) if kind == "apart" else None
    points = []
    for i, n in enumerate(sizes):
        error = law(n, *truth) * exp(noise * deviation) * (10 if i == wrong else 1)
        deviation = rho * deviation + sqrt(1 - rho * rho) * r.gauss(0, 1)
        points.append((n, error, truth[1] ** -s if kind == "floor" else nan))
    points = [point for point in points if point[1] > 0]  # log 1 = 0
    half = known_half(law, [n for n, *_ in points], truth, noise) if noise and kind != "apart" else nan
    return s, points, half


def holds(row, s):
    """Without noise an exact law has an interval of rounding size."""
    return row["low"] - 1e-6 <= -s <= row["high"] + 1e-6


def middle(numbers):
    numbers = [x for x in numbers if not isnan(x)]
    return median(numbers) if numbers else nan


def put_row(kind, noise, grid, series):
    """Its row; of the intervals that there are, how many, and how many hold the order."""
    found = [(s, of["window"]) for s, of, _ in series if not isnan(of["window"]["low"])]
    held, naive = sum(holds(row, s) for s, row in found), [(s, of["all"]) for s, of, _ in series]
    row = (held / len(found) if found else nan, middle((row["high"] - row["low"]) / 2 for _, row in found),
           middle(half for *_, half in series), sum(holds(row, s) for s, row in naive) / len(naive),
           middle((row["high"] - row["low"]) / 2 for _, row in naive))
    shown = row[0], row[1], middle(abs(row["slope"] + s) for s, row in found), row[2]
    print("%-9s %4s %% %-16s | %6d %5.1f %%" % (kind, noise, grid, len(series), 100 * (1 - len(found) / len(series)))
          + " %s %s %s %s | %6.3f %11.3f" % (*map(number, ("%8.3f", "%10.3f", "%8.3f", "%8.3f"), shown), *row[3:]))
    table.append((kind, grid, NOISES[noise], *row))
    return len(found), held


s = Study(__doc__, "curve noise")
kinds, noises = s.those(0, KINDS), s.those(1, NOISES)
table, totals = [], {True: [], False: []}
print("%-9s %6s %-16s | %6s %7s %8s %10s %8s %8s | %6s %11s" % (
    "curve", "noise", "sizes", "series", "none", "coverage", "half width", "|error|", "known", "naive", "half width"))
for kind in kinds:
    places = list(product(noises, GRIDS))
    drawn = {(noise, grid, i): draw(kind, grid, NOISES[noise], random.Random(f"{kind}, {noise}, {grid}, {i}"))
             for noise, grid in places for i in range(4 if s.quick else 20)}
    measured = s.slopes({key: points for key, (_, points, _) in drawn.items()})
    for place in places:
        counts = put_row(kind, *place, [(order, measured[key], half) for key, (order, _, half) in drawn.items()
                                        if key[:2] == place])
        if place[0] != "0":
            totals[kind in OUTSIDE].append(counts)
s.write("coverage.csv", "curve,sizes,noise,coverage,half_width,known_half_width,naive_coverage,naive_half_width", table)
if not s.words:
    for outside, counts in sorted(totals.items()):
        found, held = map(sum, zip(*counts))
        shares = [part / of for of, part in counts if of]
        what = f"kinds that are none of the laws ({', '.join(OUTSIDE)})" if outside else "laws of the posterior (others)"
        print(f"where there is scatter, {what}: {held} of {found} intervals hold the order, {100 * held / found:.1f} %; "
              f"row by row {min(shares):.2f} to {max(shares):.2f}")
    print("none: series without an interval; half width, |error|, known: medians; known: half the least interval of "
          "one who knows the kind of the law and the scatter")
s.draw()
