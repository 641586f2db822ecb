# SPDX-License-Identifier: GPL-3.0-or-later
"""Two layers of 10 tanh against one layer of as many parameters: 20 random starts, by lm and by GSL's trust region, 300
iterations on a grid of 900 points; errors on other points. Then what two layers' best is below one layer's."""
from statistics import median

from study import Study, some

TARGETS = ("exp(sin(pi*x)+y^2)", "tanh(8*(x^2+y^2-0.5))", "sin(4*x)*sin(4*y)")

s = Study(__doc__, "target")
targets = s.those(0, TARGETS)
runs = {(depth, width, solver): s.sweep(f"{solver}-{depth}", target=targets, arch="mlp:tanh", depth=depth,
                                        widths=width, solver=solver, start="random", seeds="0:3" if s.quick else "0:19",
                                        samples=900, sampling="grid", restarts=0, jobs=2,
                                        max_iterations=30 if s.quick else 300)
        for depth, width, solver in ((2, 10, "lm"), (2, 10, "gsl"), (1, 38, "lm"))}
print("target                layers   solver   P     best   median    worst  evaluations")
for target in targets:
    best = {}
    for (depth, width, solver), tables in runs.items():
        fits = some(tables.fits, target=target)
        errors = sorted(fit["rmse_test"] for fit in fits)
        best[depth, solver] = errors[0]
        print("%-21s %-8s %-6s %3d %.2e %.2e %.2e %12d" % (target, [width] * depth, solver, fits[0]["params"], errors[0],
                                                          median(errors), errors[-1], sum(fit["evaluations"] for fit in fits)))
    print("%-21s one layer's best over two layers': %.3g" % (target, best[1, "lm"] / best[2, "lm"]))
