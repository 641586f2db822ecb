# SPDX-License-Identifier: GPL-3.0-or-later
"""Decision boundaries of one layer of 16 units (paper "Polynomial, trigonometric, and tropical activations", figures 3
and 10): two noisy normal classes, moons, circles, by relu, hermite, fourier and tropical units. The least squares of
y = +-1 with a penalty on the output weights, lm, of 10 random starts the least training error; a point is on the right
side where the network has the sign of y. Shares on the wrong side, of 200 points of the fit and of 2,000 others."""
import csv
import math

from philox import SAMPLES, SIMULATION, TEST, Random
from study import Study
from trained import networks

UNITS = {"relu": "mlp:relu", "hermite": "hermite:3", "fourier": "fourier:6", "tropical": "tropical:6"}
SIDE = 121  # of the grid of the figure
NOISE = {"normal": 0.4, "moons": 0.25, "circles": 0.15}


def draw(kind, stream, count):
    """Points (x1, x2, y), every other one of class 1, the other -1:

        moons     class 1: (cos pi t, sin pi t),   class -1: (1 - cos pi t, 1/2 - sin pi t),   + noise
        circles   class 1: (1/2) (cos 2 pi t, sin 2 pi t),   class -1: (cos 2 pi t, sin 2 pi t),   + noise
        normal    class +-1: +-(1, 1) + A g + noise, A another one for each class, entries uniform in [-1, 1]"""
    random, law = Random(1, stream), Random(1, SIMULATION)
    maps = {y: [[2 * law.uniform() - 1 for _ in range(2)] for _ in range(2)] for y in (1, -1)}
    points = []
    for k in range(count):
        y = -1 if k % 2 else 1
        if kind == "normal":
            g = random.normal(), random.normal()
            x = [y + a * g[0] + b * g[1] for a, b in maps[y]]
        else:
            turn = math.pi * random.uniform() * (2 if kind == "circles" else 1)
            x = [math.cos(turn), math.sin(turn)]
            if kind == "circles":
                x = [v / (2 if y > 0 else 1) for v in x]
            elif y < 0:
                x = [1 - x[0], 0.5 - x[1]]
        points.append((*(v + NOISE[kind] * random.normal() for v in x), y))
    return points


def predicted(path, **options):
    """Rows (x1, x2, value, ...) of steep predict."""
    return [tuple(map(float, row)) for row in list(csv.reader(s.printed("predict", path, **options).splitlines()))[1:]]


s = Study(__doc__, "data unit")
table, shown = [], []
print("%-8s %-9s %4s %8s %8s %8s" % ("data", "unit", "P", "rmse", "wrong %", "test %"))
for kind in s.those(0, NOISE):
    files = {name: f"{s.out}/{kind}-{name}.csv" for name in ("train", "test")}
    drawn = {"train": draw(kind, SAMPLES, 200), "test": draw(kind, TEST, 2000)}
    for name, points in drawn.items():
        s.write(f"{kind}-{name}.csv", "x1,x2,y", points)
    shown += [(kind, *point) for point in drawn["train"]]
    for unit in s.those(1, UNITS):
        fits = s.sweep(f"{kind}-{unit}", data=files["train"], arch=UNITS[unit], widths=16, solver="lm", start="random",
                       restarts=0, seeds="0:1" if s.quick else "0:9", penalty=1e-3, quiet=True, keep_networks=True).fits
        best = min(range(len(fits)), key=lambda i: fits[i]["rmse_train"])
        path = networks(s, f"{kind}-{unit}")[best]
        wrong = {name: sum(row[2] * point[2] <= 0 for row, point in zip(predicted(path, data=file), drawn[name]))
                 / len(drawn[name]) for name, file in files.items()}
        print("%-8s %-9s %4d %8.5f %8.1f %8.1f" % (kind, unit, fits[best]["params"], fits[best]["rmse_train"],
                                                   100 * wrong["train"], 100 * wrong["test"]))
        table.append((kind, unit, *wrong.values()))
        values = predicted(path, grid=SIDE)
        s.write(f"grid-{kind}-{unit}.csv", "x1,x2,y",
                [row for k in range(0, SIDE * SIDE, SIDE) for row in (*values[k:k + SIDE], ())])
s.write("boundaries.csv", "data,unit,wrong_train,wrong_test", table)
s.write("points.csv", "data,x1,x2,class", shown)
s.draw()
