# SPDX-License-Identifier: GPL-3.0-or-later
"""How the slope goes on with the degree. k linear factors (glu, gqu, gated3 to 5) are splines of degree k + 1, mlp with
relu^k of degree k: slopes -(k + 2), -(k + 1). On equidistributed knots, errors continuous: written down (construct),
and with the rest solved for (frozen). Slopes by the windowed method against parameters and against cells, width -
heads + 1, which is theory's size; error over theory's leading term at the last width that is 30 floors up."""
from math import nan

from study import Study, pick, some

ROWS = {"glu": (1, 3), "gqu": (2, 4), "gated3": (2, 5), "gated4": (3, 6), "gated5": (3, 7), "mlp:relu2": (2, 3),
        "mlp:relu3": (3, 4), "mlp:relu4": (4, 5)}  # heads, order

s = Study(__doc__, "target arch")
targets, archs = s.those(0, ("cosine_well", "runge3", "chirp", "cos4")), s.those(1, ROWS)
print("%-12s %-10s %-9s %4s  %-27s %8s   %8s   %9s %8s   %s" % ("target", "arch", "solver", "-p", "slope against P", "last two",
                                                                "of cells", "cells", "/theory", "floor"))
points = []
for solver in ("construct", "frozen"):
    run = s.sweep(solver, arch=archs, target=targets, widths="32:512:x1.4" if s.quick else "32:1024:x1.15",
                  samples=20000, sampling="gauss", test="gauss", solver=solver, start="equidistributed")
    curves = {(t, a): some(run.series, target=t, arch=a) for t in targets for a in archs}
    cells = s.slopes({key: [(p["width"] - ROWS[key[1]][0] + 1, p["error"], p["floor"]) for p in curve]
                      for key, curve in curves.items()})
    for (target, arch), curve in curves.items():
        def slope(method):
            return pick(run.slopes, target=target, arch=arch, against="params", method=method)

        window, of_cells = slope("window"), cells[target, arch]["window"]
        above = [p["error"] / p["predicted"] for p in curve if p["error"] > 30 * p["floor"]]
        row = (target, arch, solver, ROWS[arch][1], window["slope"], window["low"], window["high"], slope("last_pair")["slope"],
               of_cells["slope"], of_cells["first"], of_cells["last"], above[-1] if above else nan)
        print("%-12s %-10s %-9s %4d  %8.3f [%7.3f, %7.3f] %8.3f   %8.3f   %4.0f-%-4.0f %8.4f   %.1e" % (*row, curve[-1]["floor"]))
        points += [(target, arch, solver, p["width"], p["error"], p["predicted"], p["floor"]) for p in curve]
s.write("points.csv", "target,arch,solver,width,rmse,theory,floor", points)
s.draw()
