# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper "Adaptive activation blending" on targets that are functions: silu and gelu blended per unit or per layer,
with and without the residual, beside the plain unit glu:silu (its table 1 and ablations), and the learned weights
w = sigmoid(e), which start at sigmoid(2) = 0.88 (its figure 1). All networks are trained by lm from the same random
starts. Errors are log10 of the ratio to glu:silu with as many units."""
from math import sqrt, tanh

from study import Study
from trained import SEEDS, TARGETS, best_and_median, beside, train

PLAIN, BLEND = "glu:silu", "blend"
UNITS, BINS = (PLAIN, "glu:gelu", BLEND, "blend-plain", "blend-layer", "blend-layer-plain"), 20

s = Study(__doc__, "target unit")
targets, units = s.those(0, TARGETS), s.those(1, UNITS)
fits = {(target, unit): train(s, unit, target, TARGETS[target], arch=unit, keep_networks=True,
                              max_iterations=10 if s.quick else 80)
        for target in targets for unit in dict.fromkeys((PLAIN, *units))}
ratios = {(target, unit): beside(own, fits[target, PLAIN]) for (target, unit), own in fits.items()}


def histogram(number, target):
    """The weights of all seeds: quartiles, how many are one activation; the rows of the figure, shares of bins."""
    networks = [s.network(f"{target}-{BLEND}", fit) for fit in fits[target, BLEND]]
    weights = sorted((1 + tanh(e / 2)) / 2 for blocks in networks for (e,) in blocks[3])
    count = len(weights)
    print("%-12s %5d %7.3f %7.3f %7.3f %8.2f %8.2f" % (
        target, count, weights[count // 4], weights[count // 2], weights[3 * count // 4],
        sum(w < 0.05 for w in weights) / count, sum(w > 0.95 for w in weights) / count))
    bins = [min(int(w * BINS), BINS - 1) for w in weights]
    return [(number, (b + 0.5) / BINS, bins.count(b) / count) for b in range(BINS)]


print(f"test errors, best and median of {SEEDS} starts, and log10 of their ratio to those of glu:silu")
print("%-12s %-17s %4s %9s %9s %6s %6s" % ("target", "unit", "P", "best", "median", "best", "median"))
for target in targets:
    for unit in units:
        own = fits[target, unit]
        print("%-12s %-17s %4d %9.2e %9.2e %6.2f %6.2f" % (target, unit, own[0]["params"], *best_and_median(own),
                                                           *ratios[target, unit][:2]))
if s.words:
    raise SystemExit
for unit in units[1:]:
    best, middle, scatter = (sum(of) / len(targets) for of in zip(*(ratios[target, unit] for target in targets)))
    print("%-12s %-17s %4s %9s %9s %6.2f %6.2f +-%4.2f" % ("mean", unit, "", "", "", best, middle,
                                                           sqrt(scatter / len(targets))))
print("weights w of blend: quartiles, and the shares below 0.05 (gelu alone) and above 0.95 (silu alone)")
print("%-12s %5s %7s %7s %7s %8s %8s" % ("target", "units", "first", "median", "third", "gelu", "silu"))
s.write("weights.csv", "column,weight,share", [row for pair in enumerate(targets) for row in histogram(*pair)])
s.write("blending.csv", "unit,column,log10_median", [(unit, number, ratios[target, unit][1])
                                                     for number, target in enumerate(targets) for unit in units])
s.draw()
