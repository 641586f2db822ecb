# SPDX-License-Identifier: GPL-3.0-or-later
"""The GLU paper's figure 6: relu(G_i x + g_i) for the gates of each start, width 8, for mlp and glu, whose polynomial on
the first cell one gate open on the whole domain can carry, and for gqu, which needs more of them. Equidistributed gates
are those for cosine_well."""
from study import Study, pick

STARTS = ("uniform", "alternating", "one-sided", "equidistributed", "random")
POINTS = 401

s = Study(__doc__)
fits = s.sweep("networks", arch="glu,gqu", target="cosine_well", widths=8, solver="frozen", start=STARTS, dense=True,
               keep_networks=True).fits
print("where the gates stand, and which way they open (> to the right, < to the left)")
points = []
for arch in ("glu", "gqu"):
    for start in STARTS:
        gates = s.network("networks", pick(fits, arch=arch, start=start))[0]
        print("%-4s %-16s" % (arch, start) + "".join(" %7.3f%s" % (-g / G, ">" if G > 0 else "<") for G, g in gates))
        for x in (2 * k / (POINTS - 1) - 1 for k in range(POINTS)):
            points.append((arch, start, x, *(max(G * x + g, 0) for G, g in gates)))
s.write("gates.csv", "arch,start,x," + ",".join(f"gate{i}" for i in range(1, 9)), points)
s.draw()
