# SPDX-License-Identifier: GPL-3.0-or-later
"""The GLU paper's own measurement (section 4): cosine_well, 10,000 random points, widths 1 to 50, alternating gates,
Newton's method block by block, a straight line through all points; beside the published slopes, and beside what
reduced-newton, frozen and constructed networks give on the same samples. Trained gates may close in on a gap between
two random points, where nothing holds the network: then the training error is small and the error on the grid
between is not. Both are shown."""
from study import Study, some

PUBLISHED = {"mlp": (-2.13, -2.18), "glu": (-3.08, -3.12), "gqu": (-3.50, -3.55)}  # against width, against parameters
STARTS = {"newton": "alternating", "reduced-newton": "equidistributed", "frozen": "uniform", "construct": "uniform"}

s = Study(__doc__, "solver arch")
archs = s.those(1, PUBLISHED)
print("%-14s %-4s %-7s %9s   %-15s   %s" % ("", "", "", "", "all points", "window"))
print("%-14s %-4s %-7s %9s   %6s   %6s   %6s   %6s" % ("solver", "arch", "against", "published", "train", "test", "train", "test"))
points = []
for solver in s.those(0, STARTS):
    # gqu needs two gates to be constructed, or to have free knots
    widths = ("4:49:3", "2:50") if solver in ("reduced-newton", "construct") else ("1:49:3", "1:50")
    fits = s.sweep(solver, arch=archs, target="cosine_well", samples=10000, widths=widths[not s.quick], solver=solver,
                   start=STARTS[solver]).fits
    points += [(solver, *(fit[name] for name in ("arch", "width", "params", "rmse_train", "rmse_test", "status"))) for fit in fits]
    measured = s.slopes({(arch, against, error): [(fit[against], fit[error], fit["floor"]) for fit in some(fits, arch=arch)]
                         for arch in archs for against in ("width", "params") for error in ("rmse_train", "rmse_test")})
    for arch in archs:
        for against, published in zip(("width", "params"), PUBLISHED[arch]):
            slopes = [measured[arch, against, error][method]["slope"]
                      for method in ("all", "window") for error in ("rmse_train", "rmse_test")]
            print("%-14s %-4s %-7s %9.2f" % (solver, arch, against, published)
                  + "".join("   %6.2f" % slope for slope in slopes))
print("all points: a straight line through every width, as the paper has it; window: the order that the slope comes to")
s.write("points.csv", "solver,arch,width,params,rmse_train,rmse_test,status", points)
s.draw()
