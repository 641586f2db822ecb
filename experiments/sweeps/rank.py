# SPDX-License-Identifier: GPL-3.0-or-later
"""Effective ranks (eq. 39 of the paper on polynomial composition, its figure 6) of trained networks of several
architectures: of the gate weights, n x (d + 1) with the bias, beside those of the start; and of the hidden units'
values at the training points, N x n. Means of 21 seeds."""
from math import exp, log, sqrt
from statistics import mean, stdev

from study import Study, eigenvalues
from trained import SEEDS, coordinates, networks, train, unit_values

UNITS = {"relu": "mlp:relu", "relu2": "mlp:relu2", "gelu": "mlp:gelu", "swiglu": "glu:silu"}
UNITS |= {name: name for name in ("polyrelu", "polyprelu", "polynorm", "polynorm-l2", "polyrelunorm")}
# Inputs on [-1, 1]^d; the last is Friedman's first, its box moved there.
TARGETS = {"franke-like": "0.75*exp(-2*(x+0.4)^2-2*(y+0.4)^2)+0.5*exp(-3*(x-0.5)^2-2*(y-0.3)^2)-"
                          "0.2*exp(-5*(x+0.1)^2-5*(y-0.6)^2)",
           "friedman1": "10*sin(pi*(x1+1)*(x2+1)/4)+20*(x3/2)^2+5*x4+2.5*x5"}
WIDTH, SAMPLES = 24, 600

s = Study(__doc__, "target unit")


def effective_rank(columns):
    """exp(-sum_i p_i ln p_i), p_i = sigma_i / sum_j sigma_j, 0 ln 0 = 0, of the singular values sigma (Roy and
    Vetterli, The effective rank, 2007), from 1 (one direction) to the number of columns (all alike)."""
    gram = [[sum(map(float.__mul__, u, v)) for v in columns] for u in columns]
    sigma = [sqrt(max(square, 0)) for square in eigenvalues(gram)]
    return exp(-sum(x / sum(sigma) * log(x / sum(sigma)) for x in sigma if x > 0))


def scattered(numbers):
    return mean(numbers), stdev(numbers) / sqrt(SEEDS)


def put_row(target, unit):
    def run(folder, **options):
        """The fits, and the ranks of their gates."""
        fits = train(s, folder, target, (WIDTH, "random", SAMPLES, 2500), TARGETS[target], arch=UNITS[unit],
                     keep_networks=True, **options)
        gates = [s.network(f"{target}-{folder}", fit)[0] for fit in fits]
        return fits, [effective_rank(list(zip(*of))) for of in gates]

    _, before = run(unit + "-start", solver="frozen")
    fits, gates = run(unit, max_iterations=20 if s.quick else 60)
    x = coordinates(f"{s.out}/{target}.csv")
    units = [effective_rank(unit_values(s, path, x)) for path in networks(s, f"{target}-{unit}")]
    print("%-12s %-13s %8d %8.3f %7.3f+-%5.3f %7.3f+-%5.3f %10.2e" % (
        target, unit, len(x) // SAMPLES + 1, mean(before), *scattered(gates), *scattered(units),
        mean(fit["rmse_train"] for fit in fits)))


print("%-12s %-13s %8s %8s %14s %14s %10s" % ("target", "unit", "most", "start", "gates", "units", "rmse"))
for of in [(target, unit) for target in s.those(0, TARGETS) for unit in s.those(1, UNITS)]:
    put_row(*of)
if not s.words:
    print(f"means of {SEEDS} seeds, +- their standard error; width {WIDTH}, {SAMPLES} random points, lm from a random "
          f"start; most: d + 1, what the gates can have, {WIDTH} for the units")
