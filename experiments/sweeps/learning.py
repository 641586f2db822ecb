# SPDX-License-Identifier: GPL-3.0-or-later
"""The predicted law of parameters and data: y = f(x) + s e at N random points, n gates, m linear parameters, p the order:

    mean (net - f)^2 = (A_n + s^2 m/N) / (1 - m/N),   A_n -> (c_p h^p)^2 mean (f^(p))^2,   h = 2/(n - 1),

m = n, 2 n - 1, 2 n of mlp, glu, gqu with gates frozen on uniform knots, on targets that are drawn; then networks that
are trained, with m the rank of the Jacobian, and frozen ones in two dimensions. The share of the noise is the difference
of a fit and the same fit without noise, which is linear in s where gates are frozen; over the training points its square
is s^2 m/N on average, whatever the points."""
import random
from math import exp, isfinite, log, nan, sqrt
from statistics import fmean, median, stdev

from study import Study, line, pick, some

ORDER = {"mlp": 2, "glu": 3, "gqu": 4}
UNKNOWNS = {"mlp": lambda n: n, "glu": lambda n: 2 * n - 1, "gqu": lambda n: 2 * n}
LARGE = {"mlp": 60, "glu": 125, "gqu": 60}  # widths from which A_n is at its leading term
BINS = ((0, 0.01), (0.01, 0.03), (0.03, 0.09), (0.09, 0.15), (0.15, 1))
NOISE = 0.1

s = Study(__doc__, "part arch")
drawn = random.Random(5)
targets = ["exp(%.3f*x)*cos(%.3f*x+%.3f)" % (drawn.uniform(-1.5, 1.5), drawn.uniform(2, 4), drawn.uniform(0, 3))
           for _ in range(2 if s.quick else 3)]
widths = "9:60:x1.3" if s.quick else "5:7,9:216:x1.25"
sizes = ("200,1000", "5000") if s.quick else ("200,500,1000,2000", "5000,10000,20000,50000,1e5")
seeds = ("0:3", "0:1") if s.quick else ("0:15", "0:1")  # many where fits take a millisecond


def deviation(values):
    """Standard error of the mean."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else 0


def cells(fits):
    """{(n, m, N): fits}, those of all seeds together."""
    together = {}
    for fit in fits:
        n, arch = fit["width"], fit["arch"]
        if isfinite(fit["rmse_test"]) and n >= (9 if arch == "gqu" else 1):
            together.setdefault((n, UNKNOWNS[arch](n), fit["samples"]), []).append(fit)
    return together


def square(fits, column):
    return fmean(fit[column] ** 2 for fit in fits)


def over_seeds(table, number_of):
    """Mean and standard error over the seeds, which all widths and sizes share, of a mean over cells."""
    count = min(len(fits) for fits in table.values())
    each = [fmean(number_of(*key[1:], fits[seed]) for key, fits in table.items()) for seed in range(count)]
    return fmean(each), deviation(each)


def variance(arch, table):
    """N/s^2 times the noise's share over m/(1 - m/N): as it is, and with the share over the training points in place of
    s^2 m/N, which takes most of the scatter of the draws away."""
    for low, high in BINS:
        part = {key: fits for key, fits in table.items() if low < key[1] / key[2] <= high}
        if not part:
            continue
        raw = over_seeds(part, lambda m, N, fit: fit["noise_test"] ** 2 / NOISE ** 2 * (N / m - 1))
        steady = [square(fits, "noise_test") / square(fits, "noise_train") * (1 - m / N)
                  for (_, m, N), fits in part.items()]
        if high > 0.15:
            print("variance %-4s m/N above .15: nothing is predicted (cells without points): %.3g to %.3g of m/(1 - m/N)"
                  % (arch, min(steady), max(steady)))
        else:
            print("variance %-4s m/N to %.2f: %3d cells, measured/predicted %.3f +- %.3f; by shares mean %.4f, %.4f to %.4f"
                  % (arch, high, len(part), *raw, fmean(steady), min(steady), max(steady)))


def offset(arch, table):
    """E: what is left of the training error, over s^2; each cell has the weight of its points."""
    part = {key: fits for key, fits in table.items()
            if key[2] >= 1000 and key[1] / key[2] <= 0.09 and square(fits, "rmse_clean") < 1e-3 * NOISE ** 2}
    weight = fmean(N for *_, N in part)
    print("offset   %-4s E/s^2 %.4f +- %.4f" % (arch, *over_seeds(part, lambda m, N, fit: (
        fit["rmse_train"] ** 2 - fit["rmse_clean"] ** 2) / (1 - m / N) / NOISE ** 2 * N / weight)))


def bias(arch, run):
    """A_n without noise, its constant and its exponent against n - 1 (twice that of the RMSE)."""
    for i, target in enumerate(targets, 1):
        rows = some(run.series, target=target, arch=arch)
        ratio = {row["width"]: (row["error"] / row["predicted"]) ** 2 for row in rows}
        large = [row for row in rows if row["width"] >= LARGE[arch]]
        near = min((n for n in ratio if all(abs(ratio[k] - 1) <= 0.02 for k in ratio if k >= n)), default=nan)
        slope = 2 * line([row["width"] - 1 for row in large], [row["error"] for row in large])
        own = pick(run.slopes, target=target, arch=arch, against="width", method="window")
        print("bias     %-4s f%d  A_n/theory %.4f at n = %d, within 2 %% from n = %.0f; exponent %.3f; steep's 2 x %.4f "
              "(%.4f to %.4f)" % (arch, i, ratio[large[0]["width"]], large[0]["width"], near, slope, own["slope"],
                                  own["low"], own["high"]))


def lowest(curve):
    """n - 1 at the least of {n: loss}, by the parabola through three points in logarithms; None at an end."""
    n = sorted(curve)
    i = min(range(len(n)), key=lambda k: curve[n[k]])
    if i in (0, len(n) - 1):
        return None
    x, y = [log(v - 1) for v in n[i - 1:i + 2]], [log(curve[v]) for v in n[i - 1:i + 2]]
    left, right = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
    return exp((x[0] + x[1]) / 2 - left * (x[2] - x[0]) / 2 / (right - left))


def best(arch, share, errors):
    """Exponent of the best n - 1 in N, from the measured share of noise and the measured errors without it."""
    sizes_of = sorted({N for *_, N in share})
    for noise in (1e-4, 1e-3, 1e-2, 0.1, 0.3):
        exponents, ends = [], []
        for table, column in errors:
            found = []
            for N in sizes_of:
                curve = {key[0]: square(table[key], column) + noise ** 2 * part for key, part in share.items()
                         if key[2] == N and key[1] / N <= 0.12}
                at = lowest(curve) if len(curve) > 2 else None
                found += [(N, at)] if at else []
            if len(found) >= 4:
                exponents.append(line(*zip(*found)))
                ends += [found[0][1] + 1, found[-1][1] + 1]
        if exponents:
            print("best     %-4s s %-6g n* %5.1f to %5.1f, exponent of N %.4f (%.4f to %.4f), theory %.4f"
                  % (arch, noise, min(ends), max(ends), fmean(exponents), min(exponents), max(exponents),
                     1 / (2 * ORDER[arch] + 1)))
        else:
            print("best     %-4s s %-6g n* is inside the widths for fewer than four N: nothing is said" % (arch, noise))


def frozen():
    archs = [arch for arch in ORDER if any(s.wants(part, arch) for part in ("variance", "offset", "bias", "best"))]
    if not archs:
        return
    joint = {"arch": archs, "quiet": True}
    clean = s.sweep("clean", widths="9:216:x1.2", samples=20000, sampling="gauss", test="gauss", target=targets,
                    **joint)
    noisy = [fit for i in (0, 1) for fit in s.sweep("noise-of-%d" % i, target=targets[0], widths=widths, samples=sizes[i],
                                                    noise=NOISE, seeds=seeds[i], **joint).fits]
    others = s.sweep("others", target=targets[1:], widths=widths, samples=sizes, seeds="0", **joint)
    for arch in archs:
        table = cells(some(noisy, arch=arch))
        if s.wants("variance", arch):
            variance(arch, table)
        if s.wants("offset", arch):
            offset(arch, table)
        if s.wants("bias", arch):
            bias(arch, clean)
        if s.wants("best", arch):
            share = {key: square(fits, "noise_test") / square(fits, "noise_train") * key[1] / key[2]
                     for key, fits in table.items()}
            best(arch, share, [(table, "rmse_clean")] + [(cells(some(others.fits, arch=arch, target=target)), "rmse_test")
                                                         for target in targets[1:]])
    if s.words:
        return
    other = {noise: s.sweep("noise-%g" % noise, target=targets[0], widths=20, samples=2000, noise=noise, seeds="0:7",
                            **joint).fits for noise in (1e-4, 0.3)}
    apart = [abs(a["noise_test"] / 1e-4 / (b["noise_test"] / 0.3) - 1) for a, b in zip(*other.values())]
    print("variance all  share/s at s = 1e-4 and .3: apart by %.0e at most" % max(apart))


def teacher():
    """A network of three relu units whose kinks are apart from each other and from the ends."""
    units = [(drawn.choice((-1, 1)) * drawn.uniform(2, 4), drawn.choice((-1, 1)), drawn.uniform(low, low + 0.3))
             for low in (-0.7, -0.15, 0.4)]
    return "+".join("(%.3f)*max((%d)*(x-(%.3f)),0)" % unit for unit in units)


def trained():
    teachers = [teacher() for _ in range(1 if s.quick else 2)]
    seeds_of = "0:3" if s.quick else "0:7"
    for noise in (0.01, 0.1):
        fits = s.sweep("trained-%g" % noise, arch="mlp", target=teachers, widths="3,4,6", samples="500,4000",
                       noise=noise, solver="reduced-newton", start="random", restarts=12, seeds=seeds_of, quiet=True).fits
        for n in (3, 4, 6):
            for N in (500, 4000):
                draws = some(fits, width=n, samples=N)
                # a start that ends elsewhere without noise says nothing of the noise
                excess = [fit["rmse_test"] ** 2 * N / noise ** 2 for fit in draws if fit["rmse_clean"] < 1e-2 * fit["noise"]]
                # a unit to spare may end as a spike between two points: the mean over the draws then has no bound
                middle = median(excess) / (2 * n + 1) if excess else nan
                print("trained  mlp  s %-4g N %4d width %d (%d to spare): %2d of %d draws, excess %.3g +- %.2g s^2/N, "
                      "median %.2f of rank %2d" % (noise, N, n, n - 3, len(excess), len(draws), fmean(excess or [nan]),
                                                   deviation(excess), middle, 2 * n + 1))


def plane():
    fits = s.sweep("plane", arch="mlp,glu", target="sin(2*x+y)*exp(-x)", widths="8,16,32", samples="2000,8000",
                   sampling="random", test="random", solver="frozen", start="uniform", noise=NOISE,
                   seeds="0:3" if s.quick else "0:15", quiet=True).fits
    for arch in ("mlp", "glu"):
        for (n, _, N), own in cells(some(fits, arch=arch)).items():
            m = n + 1 if arch == "mlp" else 3 * n + 1
            print("plane    %-4s N %4d n %2d, m %3d: shares over s^2 m/N: training %.3f, test %.3f; 1/(1 - m/N) is %.3f"
                  % (arch, N, n, m, square(own, "noise_train") * N / NOISE ** 2 / m,
                     square(own, "noise_test") * N / NOISE ** 2 / m, 1 / (1 - m / N)))


if not s.words:
    print("frozen gates, s = %g; " % NOISE + ", ".join("f%d = %s" % pair for pair in enumerate(targets, 1)))
frozen()
if s.wants("trained", "mlp"):
    trained()
if s.wants("plane", "mlp") and s.wants("plane", "glu"):
    plane()
