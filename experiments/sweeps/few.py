# SPDX-License-Identifier: GPL-3.0-or-later
"""How near the default of reduced-newton comes to the best network of 1 to 8 gates: its error over the least that is
known, on twelve targets and 400 equispaced points. Known is the least of three: the default's own, that of 40
searches from other seeds (fit/search, none left out), and that of 40 random starts by Levenberg and Marquardt's
method, which have nothing in common with it. few.csv has seconds, starts and hits too."""
from math import inf

from study import Study, pick

TARGETS = ("cosine_well", "runge3", "chirp", "cos4", "1/(1.3+sin(5*x))", "exp(-x)*cos(8*x)", "tanh(6*x-2)+x^2/3",
           "abs(x-0.2)^1.5", "sin(9*x)*exp(-2*x^2)", "sqrt(x+1.02)", "exp(2*sin(3*x+1))", "1/(1+60*(x-0.4)^2)+x")
AGAIN = 1.01  # as near to the best counts as found

s = Study(__doc__, "target arch")
targets, archs, rivals = s.those(0, TARGETS), s.those(1, ("mlp", "glu", "gqu")), 4 if s.quick else 40
ways = {"default": {"solver": "reduced-newton", "start": "equidistributed"},
        "searched": {"solver": "reduced-newton", "start": "equidistributed", "restarts": rivals, "seeds": 1000},
        "random": {"solver": "lm", "start": "random", "restarts": rivals, "seeds": 1000, "max_iterations": 150}}
runs = {way: s.sweep(way, arch=",".join(archs), target=";".join(targets), widths="1:8", samples=400, sampling="grid", **options)
        for way, options in ways.items()}
print("%-22s %-4s" % ("target", "arch") + "".join("   n = %d" % n for n in range(1, 9)))
table = []
for target in targets:
    for arch in archs:
        print("%-22s %-4s" % (target, arch), end="")
        for n in range(1, 9):
            fits = [pick(run.fits, target=target, arch=arch, width=n) for run in runs.values()]
            # a gate that is closed everywhere, or the like, ends a fit from a random start
            errors = [fit["rmse_train"] if fit["rmse_train"] == fit["rmse_train"] else inf for fit in fits]
            print(" %7.3f" % (errors[0] / min(errors)), end="")
            table.append((target, arch, n, *errors, *(fits[0][name] for name in ("seconds", "starts", "hits"))))
        print()
for arch in () if s.words else archs:
    rows = [row for row in table if row[1] == arch]
    near = [(row[3] / min(row[3:6]), row[5] / min(row[3:6])) for row in rows]
    print("%s: %d of %d fits within 1 %% of the least known, the worst %.3f of it; %d random starts by lm: %d"
          % (arch, sum(own <= AGAIN for own, _ in near), len(rows), max(own for own, _ in near), rivals + 1,
             sum(other <= AGAIN for _, other in near)))
s.write("few.csv", "target,arch,width,error,searched,random,seconds,starts,hits", table)
