# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks written down without an optimiser, n = 64 to 2048, on four targets: the slope of their continuous error, and
the error over theory's leading term c h^p rms f^(p) (fit/construct.c). GQU at -4 is what its authors looked for."""
from study import Study, pick, some

# architecture, construction, leading term over rms f^(p)
ROWS = (("mlp", "midpoint", "h^2/sqrt(120)"), ("glu", "march", "h^3/sqrt(945/2)"),
        ("glu", "right-slope", "h^3/(6 sqrt(105))"), ("glu", "midpoint", "h^3/sqrt(30240)"),
        ("gqu", "midpoint", "h^4 sqrt(128/315)/384"))

s = Study(__doc__, "target")
targets = s.those(0, ("cosine_well", "runge3", "chirp", "cos4"))
last = 512 if s.quick else 2048
runs = {construction: s.sweep(construction, arch=archs, target=targets, widths=f"64:{last}:x2",
                              solver="construct", construction=construction, test="gauss")
        for construction, archs in (("midpoint", "mlp,glu,gqu"), ("march", "glu"), ("right-slope", "glu"))}
print("%-12s %-4s %-12s %-22s %9s %19s   %-10s %-10s %s" % ("target", "arch", "construction", "leading term, x rms f^(p)",
                                                            "slope", "interval", "RMSE", "theory", "ratio"))
points = []
for target in targets:
    for arch, construction, label in ROWS:
        run = runs[construction]
        slope = pick(run.slopes, target=target, arch=arch, against="params", method="window")
        measured = [slope[name] for name in ("slope", "low", "high")]
        curve = some(run.series, target=target, arch=arch)
        end = pick(curve, width=last)
        ends = (end["error"], end["predicted"], end["error"] / end["predicted"])
        print("%-12s %-4s %-12s %-22s %9.4f [%8.4f, %8.4f]   %-10.3e %-10.3e %.4f" % (target, arch, construction, label,
                                                                                     *measured, *ends))
        points += [(target, arch, construction, p["width"], p["error"], p["predicted"]) for p in curve]
s.write("points.csv", "target,arch,construction,width,rmse,leading_term", points)
s.draw()
