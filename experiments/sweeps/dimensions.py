# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors in two to eight dimensions from random starts, all parameters trained, on points that the fit does not see,
and their slopes against parameters over seeds, beside those published for the GLU paper's architectures.

  2D          varpro, 4,000 random points, tested on the grid; beside the paper's released code (Newton, layer by
              layer, then all; 2,000 points, one seed)
  Friedman    lm, 4,000 random points, tested on 4,000 others, inputs and output standardized
  data        lm, standardized, a fifth held out for the test, the same for all seeds: --data DIR, the folder with
              airfoil.csv and california.csv (docs/results/glu.md says where to get them)

On the paper's target in 2D and its relative eight seeds, one start at every width. Elsewhere three seeds, each the
best of five starts at the two smaller widths, where starts differ most, and one at the two larger. A slope is that
of a line through all widths of a seed, as papers measure it: the median over seeds, with the 95 % interval of their
mean; beside it, of eight seeds, that of the line through the best of each width. Published: the table of the paper's
later preprint; no interval and no errors are printed there."""
from math import nan, sqrt
from statistics import fmean, median, stdev

from study import Study, line, number, some

ARCHS = ("mlp", "glu", "gqu")
MANY, FEW = (8, 0), (3, 4)  # seeds, and restarts at the two smaller widths
# dimension, smallest width, iterations, seeds, published slopes of mlp and glu
PROBLEMS = {"sin4sin4": (2, 4, 100, MANY, -0.91, -1.55), "cos4cos4": (2, 4, 100, MANY, nan, nan),
            "runge3_2d": (2, 4, 100, FEW, nan, nan), "friedman1": (5, 2, 60, FEW, -0.55, -1.00),
            "friedman2": (4, 2, 60, FEW, -0.75, -1.12), "friedman3": (4, 2, 60, FEW, -0.31, -0.56),
            "airfoil": (5, 2, 60, FEW, -0.25, -0.39), "california": (8, 1, 40, FEW, -0.09, -0.09)}
COLUMNS = {"airfoil": ("frequency,angle,chord,velocity,thickness", "pressure"),
           "california": ("income,age,rooms,bedrooms,population,occupancy,latitude,longitude", "value")}
# Test errors of the released code at n = 4, 8, 16, 32; NaN: not run.
RELEASED = {("sin4sin4", "mlp"): (4.095904e-1, 3.911790e-1, 3.528810e-1, 4.230100e-2),
            ("sin4sin4", "glu"): (4.194775e-1, 3.394757e-1, 1.430977e-1, 1.271151e-1),
            ("cos4cos4", "mlp"): (4.626392e-1, nan, 3.285322e-1, nan),
            ("cos4cos4", "glu"): (3.025586e-1, 1.748378e-1, 1.436809e-1, nan)}
STUDENT = {2: 12.706204736432095, 3: 4.302652729911275, 8: 2.3646242515927844}  # 0.975 quantile of t for so many seeds


def run(name):
    """The fits of a problem, of the architectures asked for: its two smaller widths, then its two larger."""
    dim, first, steps, (seeds, restarts), *_ = PROBLEMS[name]
    fits = []
    for part, low in enumerate((first,) if s.quick else (first, 4 * first)):
        options = {"standardize": True} if dim > 2 else {}
        if name in COLUMNS:
            options |= {"data": f"{s.options.data}/{name}.csv", "x": COLUMNS[name][0], "y": COLUMNS[name][1], "holdout": 0.2}
        else:
            options |= {"target": name, "samples": 1000 if s.quick else 4000, "sampling": "random",
                        "test": "random" if dim > 2 else "grid"}
        fits += s.sweep(name + ("-large" if part else "-small"),
                        seeds=f"0:{1 if s.quick else seeds - 1}", arch=archs, widths=f"{low},{2 * low}",
                        solver="lm" if dim > 2 else "varpro", start="random", max_iterations=20 if s.quick else steps,
                        restarts=0 if part else restarts, **options).fits
    return fits


def over_seeds(slopes):
    """The median of the seeds' slopes, and the 95 % interval of their mean, which holds it."""
    if len(slopes) < 2:
        return nan, nan, nan
    middle, half = median(slopes), STUDENT[len(slopes)] * stdev(slopes) / sqrt(len(slopes))
    return middle, min(fmean(slopes) - half, middle), max(fmean(slopes) + half, middle)


def put_row(name, arch, fits):
    """The line of one architecture and, where there is one, that of the released code."""
    dim, first, _, (seeds, _), *published = PROBLEMS[name]
    widths = [first << w for w in range(4)]
    columns = [sorted(fit["rmse_test"] for fit in some(fits, width=n) if fit["rmse_test"] == fit["rmse_test"]) for n in widths]
    sizes = [some(fits, width=n)[0]["params"] if some(fits, width=n) else nan for n in widths]
    best = [column[0] if column else nan for column in columns]
    by_seed = [[fit for fit in some(fits, seed=seed) if fit["rmse_test"] == fit["rmse_test"]] for seed in range(seeds)]
    slopes = over_seeds([line([f["params"] for f in seed], [f["rmse_test"] for f in seed]) for seed in by_seed if len(seed) > 1])
    of_best = line(sizes, best) if seeds == 8 and best[-1] == best[-1] else nan  # the best of three says little
    theirs = (*published, nan)[ARCHS.index(arch)]

    def begin(code, errors):
        return "%-10s %d  %-4s %-9s %3d" % (name, dim, arch, code, first) + "".join(number(" %9.2e", e) for e in errors)

    print(begin("steep", best) + "   %5.2f [%5.2f, %5.2f]" % slopes + number("  %5.2f", of_best) + number("  %5.2f", theirs))
    table.append((name, dim, arch, *slopes, theirs, of_best))
    points.extend((name, arch, n, P, median(c), c[0], c[-1]) for n, P, c in zip(widths, sizes, columns) if c)
    if (name, arch) in RELEASED:
        print(begin("released", RELEASED[name, arch]))
        released.extend((name, arch, P, e) for P, e in zip(sizes, RELEASED[name, arch]) if P == P and e == e)


s = Study(__doc__, "problem arch", data="folder with airfoil.csv and california.csv; without it their rows are left out")
archs = s.those(1, ARCHS)
table, points, released = [], [], []
print("%-10s %s  %-4s %-9s %3s %9s %9s %9s %9s   %-20s  %5s  %s" % ("problem", "d", "arch", "code", "n", "n", "2 n", "4 n", "8 n",
                                                                    "slope against P", "best", "published"))
for problem in s.those(0, PROBLEMS):
    if problem in COLUMNS and not s.options.data:
        s.note(f"{problem} is left out: --data DIR gives the folder of {problem}.csv")
        continue
    all_fits = run(problem)
    for unit in archs:
        put_row(problem, unit, some(all_fits, arch=unit))
print("(errors: test RMSE, the best seed; slope: median over seeds, 95 % interval of their mean; best: of the best seeds' line)")
s.write("slopes.csv", "problem,dim,arch,slope,low,high,published,best", table)
s.write("errors.csv", "problem,arch,width,params,median,best,worst", points)
s.write("reference.csv", "problem,arch,params,error", released)
s.draw()
