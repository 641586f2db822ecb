# SPDX-License-Identifier: GPL-3.0-or-later
"""The ablations of the paper "Mixture of activations" (its tables 1 and 2) on targets that are functions. All networks
are trained by lm from the same random starts. An error is given relative to the plain unit of the paper, mlp:relu2 for
one branch and glu:silu for two, as log10 of the ratio of test errors, 0 or below where the mixture is as good or
better. dictionary: it grows, gates softmax as in the paper's table 1; gate: softmax, tanh, sigmoid; width: on
cosine_well the errors against the width, and their slope against the parameters, by varpro, from gates at equal
distances: lm from random starts ends at errors that do not fall with the width. "same width" compares with as many
units, "same P" with the widest plain network that has no more parameters; +- is the standard error of the mean, by
what the starts of the mixture and of the plain unit differ."""
from functools import cache
from math import sqrt

from study import Study, line, some
from trained import SEEDS, TARGETS, beside, train

ARCHS = ("la", "moa", "one-la", "bi-la", "qd-la", "one-moa", "bi-moa", "qd-moa")
GATED = (("moa", "gsr2lr"), ("one-moa", "gsr2lr"), ("bi-moa", "gsr2lr"), ("qd-moa", "gsr2"))
WIDTHS, ON_WIDTHS = (4, 6, 8, 12, 16, 24), "cosine_well"
LINES = (("mlp:relu2", "", ""), ("mlp:gelu", "", ""), ("la", "gsr2lr", ""), ("moa", "gsr2lr", "sigmoid"),
         ("glu:silu", "", ""), ("bi-la", "igsr2lr", ""), ("bi-moa", "igsr2lr", "sigmoid"))

s = Study(__doc__, "part unit")
variants = [("dictionary", arch, letters, "softmax") for letters in ("gs", "gsr2", "gsr2lr", "gsr2lrt")
            if letters == "gsr2" or not s.quick for arch in ARCHS]
variants += [("gate", *of, gate) for gate in ("softmax", "tanh", "sigmoid") for of in GATED]
variants = [of for of in variants if s.wants(*of)]
lines = [of for of in LINES if s.wants("width", *of)]
if not variants and not lines:
    s.no_row()


@cache
def fits(target, arch, dictionary="", gate="", **options):
    options |= {name: choice for name, choice in (("dictionary", dictionary), ("gate", gate)) if choice}
    folder = "-".join([arch, *(f"{name}{choice}" for name, choice in options.items())])
    steps = 20 if s.quick else 200 if "widths" in options else 80
    return train(s, folder, target, TARGETS[target], arch=arch, max_iterations=steps, **options)


def mean(compared):
    """Of the medians over the targets, and its error."""
    return sum(of[1] for of in compared) / len(compared), sqrt(sum(of[2] for of in compared)) / len(compared)


def row(part, arch, letters, gate):
    plain, dictionary = ("mlp:relu2", letters) if arch in ("la", "moa") else ("glu:silu", "i" + letters)
    gate = gate if "moa" in arch else ""
    own = {target: fits(target, arch, dictionary, gate) for target in TARGETS}
    params = {target: of[0]["params"] for target, of in own.items()}
    equal = [beside(of, fits(target, plain)) for target, of in own.items()]
    large = [beside(of, fits(target, plain, params=params[target])) for target, of in own.items()]
    print("%-10s %-7s %-8s %-7s %4d %4d " % (part, arch, dictionary, gate or "-", params["chirp"], params["franke"])
          + "".join(" %6.2f %6.2f" % of[:2] for of in equal)
          + "  %6.2f +-%4.2f %6.2f +-%4.2f" % (mean(equal) + mean(large)))
    return part, arch, dictionary, gate, mean(equal)[0]


print("log10 of the test error over that of the plain unit (mlp:relu2, glu:silu), "
      f"best and median of {SEEDS} starts")
print("%35s %4s %4s " % ("", "P", "P") + "".join(" %13s" % target for target in TARGETS)
      + "   mean of medians, +- its error")
print("%-10s %-7s %-8s %-7s %4s %4s " % ("part", "unit", "letters", "gate", "1D", "2D")
      + " %6s %6s" % ("best", "median") * len(TARGETS) + "     same width        same P")
s.write("mixtures.csv", "part,unit,dictionary,gate,mean", [row(*of) for of in variants])
widths, points = ", ".join(map(str, WIDTHS)), []
print(f"best test error of {SEEDS} starts, varpro, on {ON_WIDTHS} at widths {widths}; slope against P")
for unit, dictionary, gate in lines:
    trained = fits(ON_WIDTHS, unit, dictionary, gate, widths=widths.replace(" ", ""), solver="varpro",
                   start="alternating")
    of_width = [some(trained, width=width) for width in WIDTHS]
    best = {of[0]["params"]: min(fit["rmse_test"] for fit in of) for of in of_width}
    print("%-10s %-9s %-8s %-8s" % ("width", unit, dictionary or "-", gate or "-")
          + "".join(" %9.2e" % error for error in best.values()) + " %7.2f" % line(best, best.values()))
    points += [(unit, *of) for of in best.items()]
s.write("widths.csv", "unit,params,best", points)
s.draw()
