# SPDX-License-Identifier: GPL-3.0-or-later
"""How alike the states of neighbouring layers are, as the paper on polynomial composition asks (figure 7):

    cos(l, m) = mean over points of z^(l) . z^(m) / (|z^(l)| |z^(m)|)

of networks of four layers, plain and residual, before training (at the gain that each unit keeps) and after it (lm).
Medians over seeds. polynorm is the unit that the paper measures, polyrelu the same without the norm, glu:silu its
SwiGLU."""
from itertools import product
from math import hypot
from statistics import median

from study import Study
from trained import coordinates, networks, points, unit_values

LAYERS, WIDTH, POINTS = 4, 6, 400
UNITS = {"relu": "mlp:relu", "tanh": "mlp:tanh", "gelu": "mlp:gelu"}
UNITS |= {name: name for name in ("glu:silu", "polyrelu", "polynorm")}
TARGET = "exp(sin(pi*x)+y^2)"

s = Study(__doc__, "unit")
units, seeds = s.those(0, UNITS), 2 if s.quick else 5
x = coordinates(points(s, "points.csv", TARGET, "grid", POINTS)[0])


def cosine(states, others):
    pairs = [(u, v, hypot(*u) * hypot(*v)) for u, v in zip(zip(*states), zip(*others))]
    return sum(sum(a * b for a, b in zip(u, v)) / size for u, v, size in pairs if size > 0) / len(pairs)


def cosines(path):
    """cos(1, 2), cos(2, 3), cos(3, 4), cos(1, 4)."""
    states = [unit_values(s, path, x, layer) for layer in range(1, LAYERS + 1)]
    return [*map(cosine, states, states[1:]), cosine(states[0], states[-1])]


print("%-9s %-9s %-6s %9s %8s %8s %8s %8s" % ("unit", "layers", "fit", "train", "cos12", "cos23", "cos34", "cos14"))
for unit, depth, target in product(units, (LAYERS, f"{LAYERS}+"), ("0*x*y", TARGET)):  # a fit to 0 leaves the layers
    after = target == TARGET
    folder = f"{unit}-{depth}-" + ("after" if after else "before")
    fits = s.sweep(folder, arch=UNITS[unit], depth=depth, widths=WIDTH, target=target, samples=POINTS, sampling="grid",
                   solver="lm", start="gain", restarts=0, max_iterations=8 if s.quick else 80, seeds=f"0:{seeds - 1}",
                   quiet=True, keep_networks=True).fits
    rows = [cosines(path) for path in networks(s, folder)]
    print("%-9s %-9s %-6s %9s" % (unit, "plain" if depth == LAYERS else "residual", "after" if after else "before",
                                  "%.2e" % median(fit["rmse_train"] for fit in fits) if after else "-")
          + "".join(" %8.3f" % median(of) for of in zip(*rows)))
