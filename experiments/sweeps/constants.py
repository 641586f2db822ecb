# SPDX-License-Identifier: GPL-3.0-or-later
"""The error over its leading term, n = 8 to 1024, for gates frozen on uniform knots (against the uniform asymptote),
frozen on equidistributed knots, and free (both against the asymptote of free knots, docs/explanation/theory.md).
Training points: Gauss-Legendre; errors are continuous; nothing is fitted."""
from study import Study, some

SWEEPS = {"uniform": ("frozen", "uniform"), "equidistributed": ("frozen", "equidistributed"),
          "free": ("reduced-newton", "equidistributed")}  # solver, start

s = Study(__doc__, "target arch")
targets, archs = s.those(0, ("cosine_well", "runge3", "chirp", "cos4")), s.those(1, ("mlp", "glu", "gqu"))
last = 512 if s.quick else 1024
runs = {gates: s.sweep(gates, arch=archs, target=targets, widths=last if s.words else f"8:{last}:x2", samples=20000,
                       sampling="gauss", test="gauss", solver=solver, start=start)
        for gates, (solver, start) in SWEEPS.items()}
print("measured over predicted at width %d\n%-12s %-4s %10s %16s %10s" % (last, "target", "arch", *SWEEPS))
points = []
for target in targets:
    for arch in archs:
        ratios = []
        for gates, run in runs.items():
            curve = some(run.series, target=target, arch=arch)
            theory = "uniform" if gates == "uniform" else "equidistributed"
            points += [(target, arch, gates, p["width"], p["error"], p[theory], p["error"] / p[theory], p["floor"]) for p in curve]
            ratios.append(points[-1][6])
        print("%-12s %-4s %10.4f %16.4f %10.4f" % (target, arch, *ratios))
s.write("points.csv", "target,arch,gates,width,rmse,theory,ratio,floor", points)
s.draw()
