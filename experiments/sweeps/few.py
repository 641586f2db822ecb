# SPDX-License-Identifier: GPL-3.0-or-later
"""How near the default of reduced-newton comes to the best network of 1 to 8 gates: its error over the least that is
known, on twelve targets and 400 equispaced points. Known is the least of three: the default's own, that of 40
searches from other seeds (fit/search, none left out), and that of 40 random starts by Levenberg and Marquardt's
method, which have nothing in common with it.

--draw SEED is a hold-out: other targets, kinks, powers, poles, waves, steps and sums of two of them, beside 240
searches in place of 40."""
import random
from math import inf

from study import Study, pick

TARGETS = ("cosine_well", "runge3", "chirp", "cos4", "1/(1.3+sin(5*x))", "exp(-x)*cos(8*x)", "tanh(6*x-2)+x^2/3",
           "abs(x-0.2)^1.5", "sin(9*x)*exp(-2*x^2)", "sqrt(x+1.02)", "exp(2*sin(3*x+1))", "1/(1+60*(x-0.4)^2)+x")
AGAIN = 1.01  # as near to the best counts as found
# Terms of a drawn target: a formula, and between which numbers each of its constants is drawn.
TERMS = (("%.3f*abs(x-(%.3f))", (0.3, 2), (-0.9, 0.9)), ("%.3f*abs(x-(%.3f))^%.3f", (0.3, 2), (-0.9, 0.9), (0.3, 2.7)),
         ("(x+%.3f)^%.3f", (1, 1.1), (0.2, 0.9)), ("%.3f/(%.3f+(x-(%.3f))^2)", (0.05, 0.5), (0.005, 0.2), (-0.9, 0.9)),
         ("1/(%.3f+cos(%.3f*x+%.3f))", (1.1, 1.6), (2, 7), (0, 3)),
         ("exp(%.3f*sin(%.3f*x+%.3f))", (0.5, 2), (2, 6), (0, 3)),
         ("sin(%.3f*x^2+%.3f*x)", (2, 8), (-3, 3)), ("%.3f*tanh(%.3f*(x-(%.3f)))", (0.3, 1), (3, 25), (-0.8, 0.8)),
         ("exp(-%.3f*(x-(%.3f))^2)*cos(%.3f*x)", (1, 12), (-0.6, 0.6), (3, 14)),
         ("%.3f*sin(%.3f*x+%.3f)", (0.3, 1.2), (2, 11), (0, 6)))


def drawn(seed):
    """As many targets as there are known ones, each a term or a sum of two."""
    source = random.Random(seed)
    return tuple("+".join(form % tuple(source.uniform(*pair) for pair in ranges)
                          for form, *ranges in source.sample(TERMS, source.choice((1, 2)))) for _ in TARGETS)


s = Study(__doc__, "target arch", draw="other targets, drawn from this number")
fresh = s.options.draw is not None
targets, archs = s.those(0, drawn(s.options.draw) if fresh else TARGETS), s.those(1, ("mlp", "glu", "gqu"))
rivals, starts = (4, 4) if s.quick else (240, 40) if fresh else (40, 40)
ways = {"default": {"solver": "reduced-newton", "start": "equidistributed"},
        "searched": {"solver": "reduced-newton", "start": "equidistributed", "restarts": rivals, "seeds": 1000},
        "random": {"solver": "lm", "start": "random", "restarts": starts, "seeds": 1000, "max_iterations": 150}}
runs = {way: s.sweep(way, arch=archs, target=targets, widths="1:8", samples=400, sampling="grid",
                     **options) for way, options in ways.items()}
column = max(22, *map(len, targets))
print("%-*s %-4s" % (column, "target", "arch") + "".join("   n = %d" % n for n in range(1, 9)))
table = []
for target in targets:
    for arch in archs:
        print("%-*s %-4s" % (column, target, arch), end="")
        for n in range(1, 9):
            fits = [pick(run.fits, target=target, arch=arch, width=n) for run in runs.values()]
            # a gate that is closed everywhere, or the like, ends a fit from a random start
            errors = [fit["rmse_train"] if fit["rmse_train"] == fit["rmse_train"] else inf for fit in fits]
            print(" %7.3f" % (errors[0] / min(errors)), end="")
            table.append((arch, *errors))
        print()
for arch in () if s.words else archs:
    near = [(own / min(own, *others), others[1] / min(own, *others)) for of, own, *others in table if of == arch]
    print("%s: %d of %d fits within 1 %% of the least known, the worst %.3f of it; %d random starts by lm: %d"
          % (arch, sum(own <= AGAIN for own, _ in near), len(near), max(own for own, _ in near), starts + 1,
             sum(other <= AGAIN for _, other in near)))
