# SPDX-License-Identifier: GPL-3.0-or-later
"""How far from the best each optimiser stops: adam, sgd, muon (rates searched, cosine to 0) and lbfgs from random and uniform
starts, relu units on 512 equispaced points in 1D, after 1,000 and 10,000 steps, over the proven lower bound of the width. At
width 32 the gap after 1,000 steps is the product of four factors: steps (the error after 1,000 over that after 10,000), the
optimiser (that over varpro's from the same start), the start (varpro's from it over varpro's from uniform gates), the rest
(that over the bound). Slopes in the width at fixed steps, at a fixed product of steps and width (64,000; between the two by
powers), and of the best of all seeds and stops; 100,000 steps of adam for glu on runge3. --full: also adamw, widths to 256,
20,000 steps: a script for Slurm, hundreds of core-hours; with --keep the table of what it left."""
import math
import os
import shlex

from study import ABSENT, STEEP, Study, line, number, pick, some, words_of

TARGETS = ("runge3", "cos4", "cosine_well", "exp(-x)*cos(8*x)")
ARCHS, STARTS, BEST, MIDDLE = ("mlp", "glu", "gqu"), ("random", "uniform"), "varpro", 32
OPERATIONS = 64000

s = Study(__doc__, "target arch solver start", full="also the fits that take hours")
full = s.options.full
SOLVERS = ("adam", "adamw", "sgd", "muon", "lbfgs") if full else ("adam", "sgd", "muon", "lbfgs")
WIDTHS = (4, 8, 16, 32, 64, 128, 256) if full else (8, 32) if s.quick else (4, 8, 16, 32, 64)
SEEDS = "0:1" if s.quick else "0:4"
STEPS = (1000, 10000, 20000) if full else (100, 1000) if s.quick else (1000, 10000)
targets, archs = s.those(0, TARGETS), s.those(1, ARCHS)
solvers, starts = s.those(2, SOLVERS), s.those(3, STARTS)
batch = [] if full and not s.options.keep else None


def run(folder, **options):
    """The series of a sweep; for --full its command."""
    usual = dict(target=targets, arch=archs, widths=WIDTHS, seeds=SEEDS, samples=512, sampling="grid", jobs=2)
    options = usual | options
    if batch is None:
        return s.sweep(folder, **options)
    options |= {"jobs": False, "out": os.path.join(s.out, folder), "print_slurm": True}
    batch.append(shlex.join([STEEP, "sweep", *words_of(options)]) + " | bash")
    return None


best = run("best", solver=BEST, start=sorted({*starts, "uniform"}), widths=[n for n in WIDTHS if n <= MIDDLE],
           seeds="0:2")
after = {steps: run(f"steps-{steps}", solver=solvers, start=starts, steps=steps) for steps in STEPS}
LONG = dict(target="runge3", arch="glu", solver="adam", start="random")
if not s.words:
    after[10 * STEPS[1]] = run("long", steps=10 * STEPS[1], **LONG)
if batch is not None:
    with open(os.path.join(s.out, "full.sh"), "w", encoding="utf-8") as script:
        script.write("#!/bin/sh\nset -e\n" + "\n".join(batch) + "\n")
    s.end(f"{s.out}/full.sh submits the fits; then --full --keep", 0)


def slope(errors):
    """In the width, of {width: error}."""
    errors = {n: e for n, e in errors.items() if e > 0}
    return line(errors, errors.values()) if len(errors) > 1 else math.nan


def between(low, high, width):
    """The error after OPERATIONS / width steps (--quick: a tenth), from those after STEPS[0] and STEPS[1] by a power."""
    part = math.log(OPERATIONS / 1000 / width) / math.log(STEPS[1] / STEPS[0])
    return low ** (1 - part) * high ** part if 0 <= part <= 1 else math.nan


rows = []
print("errors at width %d; slopes after the first and last number of steps, at equal operations, of the best; the first gap and "
      "its factors" % MIDDLE)
print("%-16s %-4s %-6s %-7s %8s %8s %8s %8s | %5s %5s %5s %5s | %7s %7s %7s %7s %7s" %
      ("target", "arch", "solver", "start", "bound", "median", "quarter", "quarter", "first", "last", "equal", "best",
       "gap", "steps", "solver", "start", "rest"))
for target, arch, solver, start in ((t, a, o, b) for t in targets for a in archs for o in solvers for b in starts):
    names = dict(target=target, arch=arch)
    series = {steps: {n: pick(tables.series, solver=solver, start=start, width=n, **names) for n in WIDTHS}
              for steps, tables in after.items()}
    first, last = series[STEPS[0]], series[STEPS[-1]]
    second = series[STEPS[1]]
    known = {b: pick(best.series, start=b, width=MIDDLE, **names)["error"] for b in (start, "uniform")}
    bound, e = first[MIDDLE]["lower"], {k: v[MIDDLE]["error"] for k, v in series.items()}
    slopes = [slope({n: v[n]["error"] for n in WIDTHS}) for v in (first, last)]
    slopes.append(slope({n: between(first[n]["error"], second[n]["error"], n) for n in WIDTHS}))
    slopes.append(slope({n: min(v[n]["best"] for v in series.values() if v[n]["best"] > 0) for n in WIDTHS}))
    factors = [e[STEPS[0]] / bound, e[STEPS[0]] / e[STEPS[-1]], e[STEPS[-1]] / known[start], known[start] / known["uniform"],
               known["uniform"] / bound]
    quartiles = [last[MIDDLE][key] for key in ("error", "low", "high")]
    print("%-16s %-4s %-6s %-7s" % (target, arch, solver, start) + " %8.2e" % bound + "".join(" %8.2e" % q for q in quartiles) +
          " |" + "".join(" " + number("%5.2f", x) for x in slopes) + " |" + "".join(" %7.3g" % x for x in factors))
    rows += [(target, arch, solver, start, steps, n, row["lower"], row["error"], row["low"], row["high"], row["best"], row["gap"])
             for steps, of in series.items() for n, row in of.items() if row is not ABSENT]
rows += [(row["target"], row["arch"], BEST, row["start"], 0, *(row[key] for key in "width lower error low high best gap".split()))
         for row in best.series]
fits = [fit for tables in (best, *after.values()) for fit in tables.fits]
if not s.words:
    errors = {steps: {row["width"]: row["error"] for row in some(of.series, **LONG)} for steps, of in after.items()}
    for steps, of in errors.items():
        print("%(target)s %(arch)s %(solver)s %(start)s" % LONG + ", %6d steps: medians" % steps +
              "".join(" %.1e (n = %d)" % (of[n], n) for n in WIDTHS) + ", slope %.2f" % slope(of))
    print("%d fits, none below the bound of its width (steep sweep checks each); evaluations of the network in all: %.3g" %
          (len(fits), sum(fit["evaluations"] for fit in fits)))
    for solver in solvers:
        for steps in STEPS:
            keys = [solver, "random", steps, MIDDLE]
            gaps = [row[7] / row[6] for row in rows if [*row[2:6]] == keys and row[6] > 0]
            print("%-6s random start, %6d steps, width %d: median gap over targets and units %.3g" %
                  (solver, steps, MIDDLE, sorted(gaps)[len(gaps) // 2]))
s.write("gap.csv", "target,arch,solver,start,steps,width,bound,error,low,high,best,gap", rows)
s.draw()
