# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of frozen greedy units, refined and exchanged, of degree k = 1, 2, 3 in 2 to 10 dimensions, n = 16 to 64 on
8,192 Sobol points (10 dimensions: 16,384), and on as many others; with --full to n = 256 and the product in 10. sum: of
sin(3 x_j); product: of cos(x_j), a mean of 2^(d-1) ridges. The order is that of the line through all n, against n;
theory is -1/2 - (2k + 1)/(2d), which the orthogonal greedy algorithm reaches at least as n grows (theory.md)."""
from study import Study, line, number, pick

UNITS = ("relu", "relu2", "relu3")
TARGETS = {"sum": ("+", "sin(3*x%d)"), "product": ("*", "cos(x%d)")}

s = Study(__doc__, "target d", full="also the fits that take hours")
widths = (16, 32) if s.quick else (16, 32, 64, 128, 256) if s.options.full else (16, 32, 64)
print("%-8s %2s  %1s" % ("target", "d", "k") + "".join("%10s" % (f"n = {n}" if n == 16 else n) for n in widths) + "   order  theory")
for name in s.those(0, TARGETS):
    join, term = TARGETS[name]
    for d in s.those(1, ("2", "3", "5", "10") if s.options.full or name == "sum" else ("2", "3", "5")):
        run = s.sweep(f"{name}-{d}", target=join.join(term % (j + 1) for j in range(int(d))), solver="frozen", start="greedy", exchanges=4,
                      arch=[f"mlp:{unit}" for unit in UNITS], sampling="sobol", test="sobol",
                      samples=2048 if s.quick else 16384 if d == "10" else 8192, widths=widths, seed=0)
        for k, unit in enumerate(UNITS, 1):
            error = [pick(run.fits, activation=unit, width=n)["rmse_test"] for n in widths]
            order = line(widths, error)
            print("%-8s %2s  %d" % (name, d, k) + "".join(number(" %9.2e", e) for e in error)
                  + "  %6.2f  %6.2f" % (order, -0.5 - (2 * k + 1) / (2 * int(d))), flush=True)
print("(test RMSE, frozen greedy units of degree k with four sweeps of exchanges; order: of the line through all n)")
