# SPDX-License-Identifier: GPL-3.0-or-later
"""relu networks of two layers in one dimension beside the proved bound that no network of one layer with as many
parameters gets under, from a construction and from random starts.

The construction [w1, w2]: hinges of the first layer at w1 equispaced knots carry any piecewise linear function with
these knots. One unit of the second layer carries the target's interpolant, lifted above 0; the other w2 - 1 are hinges
on the zigzag u in [0, 1] of the first layer, so that each cell has them all, mirrored: about w1 (w2 - 1) pieces. The
last layer is solved for (frozen), then all is trained (lm). P = w1 w2 + 2 w1 + 2 w2 + 1; a network of one layer with P
parameters has n = ceil((P - 1) / 3) units."""
from math import inf, isfinite
from statistics import median

from study import Study, write_network
from trained import formula_values, networks, points

# sum_{k<10} 2^-k s(2^k x), s(t) the distance of t from the integers: s(2^k x) is s(2 s(2^(k-1) x))
TAKAGI = "+".join("(0.5-abs(2*" * k + "(0.5-abs(abs(x)" + "-0.5))" * (k + 1) + f"/{2 ** k}" for k in range(10))
TARGETS = {"x^2": ("x^2", ((4, 5), (6, 7), (8, 9), (10, 11), (16, 17))),
           "abs(x)^1.5": ("abs(x)^1.5", ((4, 5), (6, 7), (10, 11), (16, 17))),
           "cos5pi": ("cos(5*pi*x)", ((10, 5), (10, 9), (20, 9))),
           "takagi": (TAKAGI, ((8, 5), (8, 9), (16, 9))),
           "chirp": ("sin(4*(x-1)^2)", ((6, 6), (10, 10)))}
POINTS = 2000

s = Study(__doc__, "target")
steps = 20 if s.quick else 200


def constructed(formula, w1, w2):
    """Parameters of the first two layers; the output weights are 0."""
    h = 2 / w1
    knots = [-1 + h * k for k in range(w1 + 1)]
    y = formula_values(s, formula, knots)
    slopes = [0] + [(y[k + 1] - y[k]) / h for k in range(w1)]
    interpolant = [slopes[k + 1] - slopes[k] for k in range(w1)] + [y[0] + 1 - min(0, *y)]
    zigzag = [1 / h] + [(-2 if k % 2 else 2) / h for k in range(1, w1)]
    return [[[1, -knot] for knot in knots[:w1]],
            [interpolant] + [[*zigzag, -(j - 1) / (w2 - 1)] for j in range(1, w2)], [[0]] * w2, [[0]]]


def fit(path, **options):
    """Of each table of a fit from the network at path, which its end replaces, the first row."""
    found = s.tables("fit", load=path, samples=POINTS, sampling="grid", restarts=0, max_iterations=steps, quiet=True,
                     no_figure=True, fresh=True, out=s.out + "/fit", **options)
    return [row for row, *_ in found]


def put_row(target, formula, w1, w2):
    folder, P = f"{target}-{w1}-{w2}", w1 * w2 + 2 * w1 + 2 * w2 + 1
    n, data = (P + 1) // 3, points(s, target + ".csv", formula, "grid", POINTS)[0]
    random = s.sweep(folder, arch="mlp", target=formula, layers=f"{w1},{w2}", samples=POINTS, sampling="grid",
                     solver="lm", start="random", restarts=0, max_iterations=steps, seeds="0:1" if s.quick else "0:9",
                     quiet=True, keep_networks=True).fits
    write_network(s.out + "/constructed.json", networks(s, folder)[0], w2, constructed(formula, w1, w2))
    (frozen,) = fit(s.out + "/constructed.json", target=formula, solver="frozen")
    trained, certified = fit(s.out + "/fit/parameters.json", target=formula, solver="lm", certify=True,
                             certify_tolerance=1e-3)
    one = dict(arch="mlp", widths=n, quiet=True)
    lower = s.sweep(folder + "-points", data=data, **one).series[0]["lower"]
    interval = s.sweep(folder + "-interval", target=formula, test="gauss", **one).series[0]["lower"]
    ends = [fit["rmse_train"] if isfinite(fit["rmse_train"]) else inf for fit in random]
    print("%-11s [%2d,%2d] %4d %4d  %9.3e  %11.3f %8.3f %9.3f  %8.2f %8.2f" % (
        target, w1, w2, P, n, lower, frozen["rmse_train"] / lower, trained["rmse_train"] / lower,
        certified["rmse_high"] / interval, min(ends) / lower, median(ends) / lower))


print("%-11s %7s %4s %4s  %9s  %11s %8s %9s  %8s %8s" % (
    "target", "layers", "P", "n", "lower", "constructed", "trained", "certified", "random", "median"))
for name in s.those(0, TARGETS):
    formula, shapes = TARGETS[name]
    for shape in shapes[:2 if s.quick else None]:
        put_row(name, formula, *shape)
print(f"columns from constructed on: errors over lower, at {POINTS} points; certified: on the whole interval")
