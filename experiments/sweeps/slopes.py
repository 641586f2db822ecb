# SPDX-License-Identifier: GPL-3.0-or-later
"""The GLU paper's figures 3 and 5, error against width and against parameters for mlp, glu and gqu on cosine_well, with
gates frozen: "paper" over its widths 1 to 50 and its 10,000 random points, "large" on to width 2048, on 10,000
equispaced points with the continuous error. The published slopes are straight lines through all of 1 to 50."""
from study import Study, pick

PUBLISHED = {"mlp": (-2.13, -2.18), "glu": (-3.08, -3.12), "gqu": (-3.50, -3.55)}  # against width, against parameters

s = Study(__doc__)
widths = {"paper": "1:50", "large": "1:50,64:512:x2" if s.quick else "1:50,64:2048:x1.4142135623730951"}
where = {"paper": {"sampling": "random", "test": "grid"}, "large": {"sampling": "grid", "test": "gauss"}}
runs = {name: s.sweep(name, figure=True, arch="mlp,glu,gqu", target="cosine_well", widths=widths[name], samples=10000,
                      **where[name]) for name in widths}
print("%-5s %-7s %9s  %-18s %-18s %-18s %s" % ("arch", "against", "published", "  1-50, all points", "  1-50, window",
                                               "  1-2048, window", "  last pair"))
for arch, published in PUBLISHED.items():
    for against, theirs in zip(("width", "params"), published):
        print("%-5s %-7s %9.2f" % (arch, against, theirs), end="")
        for name, method in (("paper", "all"), ("paper", "window"), ("large", "window"), ("large", "last_pair")):
            slope = pick(runs[name].slopes, arch=arch, against=against, method=method)
            half = (slope["high"] - slope["low"]) / 2
            print("  %8.3f " % slope["slope"] + ("+- %-6.3f" % half if abs(half) < 1e300 else " " * 10), end="")
        print()
print(f"figures: {s.out}/paper/slopes.svg, {s.out}/large/slopes.svg")
