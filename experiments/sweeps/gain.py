# SPDX-License-Identifier: GPL-3.0-or-later
"""What free gates are worth: the error of frozen uniform gates over that of the same width fully trained, n = 8 to 512; the
slopes of the trained over n = 128 to 512, their error over the asymptote of free knots (docs/explanation/theory.md), and over
the limit of discontinuous pieces, which carries the norm of the monic Legendre polynomial in place of a spline's constant.
Training points: Gauss-Legendre, 20,000, or 4,000 up to width 32, where the best of 41 starts counts; errors are continuous."""
from math import sqrt

from study import Study, pick

TARGETS, ARCHS = ("cosine_well", "runge3", "chirp", "cos4"), ("mlp", "glu", "gqu")
WIDTHS, LARGE = (8, 16, 32, 64, 128, 181, 256, 362, 512), (128, 181, 256, 362, 512)
LIMIT = {"mlp": 1, "glu": sqrt(30240 / 100800), "gqu": sqrt(1209600 / 25401600)}  # of the constants
FREE = {"solver": "reduced-newton", "start": "equidistributed"}
# In so many cells (mlp, glu: width n; gqu: n + 1, for it has two gates on the whole domain) a prototype's best error.
KNOWN = (("cosine_well", "mlp", 16, 2.77e-3), ("cosine_well", "glu", 16, 2.39e-4),
         ("cosine_well", "gqu", 16, 4.20e-5), ("cosine_well", "mlp", 32, 7.97e-4),
         ("cosine_well", "glu", 32, 3.19e-5), ("cosine_well", "gqu", 32, 3.75e-6),
         ("runge3", "mlp", 16, 1.42e-3), ("runge3", "glu", 16, 1.23e-4),
         ("runge3", "gqu", 16, 1.35e-5), ("runge3", "mlp", 32, 3.77e-4),
         ("runge3", "glu", 32, 1.67e-5), ("runge3", "gqu", 32, 9.68e-7),
         ("chirp", "mlp", 32, 4.71e-3), ("chirp", "glu", 32, 3.67e-4),
         ("chirp", "gqu", 32, 3.19e-5))

s = Study(__doc__, "target arch")
targets, archs = s.those(0, TARGETS), s.those(1, ARCHS)


def sweep(folder, of=archs, **options):
    return s.sweep(folder, arch=of, target=targets, sampling="gauss", test="gauss", **options).series


frozen = sweep("frozen", widths="8:512:x2,181,362", samples=20000, solver="frozen", start="uniform")
few, some = (8, 0) if s.quick else (40, 2)
free = sweep("small", widths="8,16,32", samples=4000, restarts=few, **FREE)
if "gqu" in archs:
    free += sweep("cells", of=["gqu"], widths="17,33", samples=4000, restarts=few, **FREE)
free += sweep("large", widths="64:512:x2,181,362", samples=20000, restarts=some, **FREE)

errors = {(target, arch): [pick(free, target=target, arch=arch, width=n)["error"] for n in WIDTHS]
          for target in targets for arch in archs}
slopes = s.slopes({" ".join(names): [(n, e, 0) for n, e in zip(WIDTHS, of) if n in LARGE] for names, of in errors.items()})
print("%-12s %-4s  %-31s   %-27s   %-13s   %s" % ("", "", "frozen/free at width", "slope of free", "free/theory at", "over the"))
print("%-12s %-4s  %5s %5s %5s %5s %6s   %-27s   %6s %6s   %s" % (
    "target", "arch", 8, 32, 128, 512, "theory", "n = 128 to 512", 128, 512, "limit, 512"))
points, above, outside = [], 0, 0
for (target, arch), of in errors.items():
    rows = [pick(frozen, target=target, arch=arch, width=n) for n in WIDTHS]
    gain = [row["error"] / e for row, e in zip(rows, of)]
    theory = [row["equidistributed"] for row in rows]
    limit = [row["uniform"] / row["equidistributed"] for row in rows]
    ratio = [e / t for e, t in zip(of, theory)]
    above += sum(not g >= 1 for g in gain)
    outside += sum(not 0.8 <= r <= 1.02 for r in ratio[4:])
    points += [(target, arch, n, row["error"], *more) for n, row, *more in zip(WIDTHS, rows, of, gain, theory, limit)]
    slope = slopes[f"{target} {arch}"]["window"]
    print("%-12s %-4s  %5.2f %5.2f %5.2f %5.2f %6.2f   %7.3f [%7.3f, %7.3f]   %6.4f %6.4f   %6.3f" % (
        target, arch, gain[0], gain[2], gain[4], gain[8], limit[8], slope["slope"], slope["low"], slope["high"], ratio[4],
        ratio[8], ratio[8] / LIMIT[arch]))
if not s.words:
    print("fits above the frozen one of their width: %d; fits of width 128 and more outside 0.8 to 1.02 of theory: %d"
          % (above, outside))
print("best of restarts, n cells: ours, a prototype's, their quotient, no network below")
for target, arch, cells, theirs in KNOWN:
    if s.wants(target, arch):
        row = pick(free, target=target, arch=arch, width=cells + (arch == "gqu"))
        ours = row["error"]
        print("  %-12s %-4s %d  %10.3e %10.3e %7.3f %10.3e" % (target, arch, cells, ours, theirs, ours / theirs, row["lower"]))
s.write("points.csv", "target,arch,width,frozen,free,gain,theory,gain_theory", points)
s.draw()
