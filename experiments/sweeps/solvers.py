# SPDX-License-Identifier: GPL-3.0-or-later
"""Every solver that trains all parameters, on the same problems from the same starts: 500 random points, uniform gates,
the rest of the parameters drawn, five seeds, 300 iterations a stage and no limit in seconds, so that every column but
the seconds is the same on every machine: least error so far against iterations and against seconds, and how often a fit
ends far from the best that any solver reached on the same points. reduced-newton tries several strategies from one
start (fit/strategy): its iterations are those of all."""
import math
import os
import statistics

from study import Study, read, some

SOLVERS = "reduced-newton newton lm varpro gsl adam adamw lbfgs sgd muon".split()
TRACED = ("cosine_well", 20)  # the picture's

s = Study(__doc__, "target arch width")
seeds = 2 if s.quick else 5
targets, archs, widths = s.those(0, ("cosine_well", "runge3")), s.those(1, ("mlp", "glu", "gqu")), s.those(2, (10, 20))
fits = s.sweep("fits", target=targets, arch=archs, widths=widths, solver=SOLVERS, seeds=f"0:{seeds - 1}",
               start="uniform", samples=500, sampling="random", restarts=0, max_iterations=300, curve=True).fits
best, trace = {}, []
for fit in fits:
    fit["failed"] = fit["status"] not in ("converged", "floor", "stalled", "max_iterations")
    error = fit["error"] = math.inf if fit["failed"] else fit["rmse_train"]
    points = tuple(fit[key] for key in ("target", "width", "arch", "seed"))
    best[points] = min(best.get(points, math.inf), error)
print("%-12s %-4s %5s  %-15s %8s %8s %10s %9s %5s %6s %10s" % ("target", "arch", "width", "solver", "least", "median",
                                                              "iterations", "converged", "stuck", "failed", "seconds"))
for target in targets:
    for width in widths:
        for arch in archs:
            for solver in SOLVERS:
                mine = some(fits, target=target, width=width, arch=arch, solver=solver)
                ratios = [fit["error"] / best[target, width, arch, fit["seed"]] for fit in mine]
                middle = [statistics.median(fit[key] for fit in mine) for key in ("iterations", "seconds")]
                failed = sum(fit["failed"] for fit in mine)
                print("%-12s %-4s %5d  %-15s %8.3f %8.3f %10.0f %9d %5d %6d %10.4f" % (
                    target, arch, width, solver, min(ratios), statistics.median(ratios), middle[0],
                    sum(fit["status"] in ("converged", "floor") for fit in mine),
                    sum(not ratio <= 2 for ratio in ratios) - failed, failed, middle[1]))
for fit in some(fits, target=TRACED[0], width=TRACED[1]):
    least = math.inf
    name = "{arch}-{activation}-{target}-{solver}-{start}-w{width}-s{seed}.csv".format(**fit)
    for row in read(os.path.join(s.out, "fits", "curves", name)):
        least = min(least, row["rmse_train"])
        trace.append((*TRACED, fit["arch"], fit["solver"], row["iteration"], row["seconds"], least))
    trace.append(())
print(f"of {seeds} seeds; least, median: of the training error over the best that any solver reached on the same points; "
      "stuck: above twice that best; iterations, seconds: medians")
s.write("trace.csv", "target,width,arch,solver,iteration,seconds,rmse", trace)
s.draw()
