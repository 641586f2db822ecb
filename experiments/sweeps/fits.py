# SPDX-License-Identifier: GPL-3.0-or-later
"""The GLU paper's figure 2, with GQU beside its MLP and GLU: cosine_well by networks of width 6 from alternating gates,
(a, d) with the gates frozen, (b, e) with all parameters trained, and (c, f) what each unit of the trained network adds.
Trained by the paper's Newton method, by Levenberg-Marquardt, by reduced-newton from equidistributed gates: the table has
all, the picture the best."""
from math import cos, pi, prod

from study import Study, pick

STARTS = {"frozen": "alternating", "newton": "alternating", "lm": "alternating", "reduced-newton": "equidistributed"}
ARCHS = ("mlp", "glu", "gqu")
POINTS = 1001


def put_fit(fit, stage):
    """The network's values, what its units add, D_i h_i, and its knots."""
    *branches, output, bias = s.network(fit["solver"], fit)
    gates.extend((fit["arch"], stage, -g / G, 1 if G > 0 else -1) for G, g in branches[0])
    for x in (2 * k / (POINTS - 1) - 1 for k in range(POINTS)):
        added = []
        for i, (weight,) in enumerate(output):
            z = [G * x + g for G, g in (branch[i] for branch in branches)]
            added.append(weight * max(z[0], 0) * prod(z[1:]))
        curves.append((fit["arch"], stage, x, 1 / (1 + cos(pi * x) ** 2), sum(added) + bias[0][0]))
        units.append((fit["arch"], stage, x, *added))


s = Study(__doc__)
fits = {solver: s.sweep(solver, arch=ARCHS, target="cosine_well", widths=6, solver=solver, start=start,
                        samples=1000 if s.quick else 10000, keep_networks=True).fits for solver, start in STARTS.items()}
curves, units, gates = [], [], []
print("%-4s %-15s %11s %11s %11s %6s  %s" % ("arch", "solver", "RMSE train", "RMSE test", "max error", "steps", "status"))
for arch in ARCHS:
    stages = {solver: pick(fits[solver], arch=arch) for solver in STARTS}
    for solver, end in stages.items():
        print("%-4s %-15s %11.4e %11.4e %11.4e %6d  %s" % (arch, solver, end["rmse_train"], end["rmse_test"],
                                                           end["max_error"], end["iterations"], end["status"]))
    put_fit(stages.pop("frozen"), "frozen")
    put_fit(min(stages.values(), key=lambda fit: fit["rmse_train"]), "trained")
s.write("curves.csv", "arch,stage,x,y,network", curves)
s.write("units.csv", "arch,stage,x,unit1,unit2,unit3,unit4,unit5,unit6", units)
s.write("gates.csv", "arch,stage,knot,sign", gates)
s.draw()
