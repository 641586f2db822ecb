# SPDX-License-Identifier: GPL-3.0-or-later
"""The GLU paper's figure 4: least-squares B-splines of degree 1, 2, 3 on uniform knots beside mlp, glu, gqu with frozen
gates on the same points of cosine_well. A spline of n knots has n - 1 cells and n - 1 + degree coefficients (bspline of
width n - 2 + degree; GSL's least-squares splines print the same table). The functions of a network of width n with
uniform gates are the C^0 lines (mlp: the linear splines themselves), C^0 quadratics (glu) and C^1 cubics (gqu; one gate
carries its head, so one cell less) on the same knots: smoother splines are among them."""
from study import Study, some

KINDS = {"linear spline": ("mlp", 1), "quadratic spline": ("glu", 2), "cubic spline": ("gqu", 3)}

s = Study(__doc__)
options = {"target": "cosine_well", "samples": 2000 if s.quick else 10000}
networks = s.sweep("networks", arch="mlp,glu,gqu", widths="4:49:3" if s.quick else "4:50,64:256:x1.4142135623730951", **options).fits
curves = {}
for name, (arch, degree) in KINDS.items():
    curves[arch] = [(fit["width"], fit["params"], fit["rmse_test"]) for fit in some(networks, arch=arch)]
    knots = [n for n, *_ in curves[arch]]
    fits = s.sweep(f"degree-{degree}", arch=f"bspline:{degree}", widths=[n - 2 + degree for n in knots], **options).fits
    curves[name] = [(n, fit["params"], fit["rmse_test"]) for n, fit in zip(knots, fits)]
measured = s.slopes({name: [(n, error, 0) for n, _, error in curve] for name, curve in curves.items()})
print("%-17s %9s %19s %9s   RMSE at n = 16, 49%s" % ("slope against n", "all", "window", "last pair", "" if s.quick else ", 256"))
for name, slope in measured.items():
    half = (slope["window"]["high"] - slope["window"]["low"]) / 2
    print("%-17s %9.3f %9.3f +- %-6.3f %9.3f" % (name, slope["all"]["slope"], slope["window"]["slope"], half, slope["last_pair"]["slope"])
          + "".join("   %9.3e" % error for n, _, error in curves[name] if n in (16, 49, 256)))
s.write("splines.csv", "name,width,params,rmse", [(name, *point) for name, curve in curves.items() for point in curve])
s.draw()
