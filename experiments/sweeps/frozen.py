# SPDX-License-Identifier: GPL-3.0-or-later
"""Slopes and constants of least squares with gates frozen on uniform knots, n = 8 to 2048 by doubling, 10,000 points:
the constant of the error in c h^p rms f^(p) beside the best that uniform knots can do: 1/sqrt 720, 1/sqrt 30240,
9.09e-4 (C^1 cubics), 1.98e-4 (C^0 cubics: gqu2d, the unconstrained relative)."""
from math import sqrt

from study import Study, pick, some

# architecture, constant of the best, that of the column uniform of series.csv, and whose row this column is
ROWS = (("mlp", 1 / sqrt(720), 1 / sqrt(720), "mlp"), ("glu", 1 / sqrt(30240), 1 / sqrt(30240), "glu"),
        ("gqu", 9.09e-4, 1 / sqrt(1209600), "gqu"), ("gqu2d", 1.98e-4, 1 / sqrt(1209600), "gqu"))

s = Study(__doc__, "target")
targets = s.those(0, ("cosine_well", "runge3", "chirp", "cos4"))
last = 512 if s.quick else 2048
run = s.sweep("sweep", arch="mlp,glu,gqu,gqu2d", target=targets, widths=f"8:{last}:x2", samples=10000,
              sampling="grid", test="gauss")
print("%-12s %-6s %9s %19s %13s   %-10s %-10s %-10s %s" % ("target", "arch", "slope", "interval", "parameters", "RMSE",
                                                           "constant", "theory", "floor"))
points = []
for target in targets:
    for arch, best, constant, like in ROWS:
        def size(width):  # h^p rms f^(p)
            return pick(run.series, target=target, arch=like, width=width)["uniform"] / constant

        slope = pick(run.slopes, target=target, arch=arch, against="params", method="window")
        fit = pick(run.fits, target=target, arch=arch, width=last)
        measured = [slope[name] for name in ("slope", "low", "high", "first", "last")]
        ends = (fit["rmse_test"], fit["rmse_test"] / size(last), best, fit["floor"])
        print("%-12s %-6s %9.4f [%8.4f, %8.4f] %6.0f-%-6.0f   %-10.3e %-10.3e %-10.3e %.1e" % (target, arch, *measured, *ends))
        points += [(target, arch, f["width"], f["rmse_test"], best * size(f["width"]), f["floor"])
                   for f in some(run.fits, target=target, arch=arch)]
s.write("points.csv", "target,arch,width,rmse,theory,floor", points)
s.draw()
