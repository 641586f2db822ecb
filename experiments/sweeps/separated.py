# SPDX-License-Identifier: GPL-3.0-or-later
"""separated: what the scripts on separations share. A series is one class of networks against one witness, width by
width. Of each width: the least W = E0 + E1 that steep separate finds (networks without output bias, Euclidean norm of
gradients), its enclosure, and the least RMSE that lm finds (with output bias), from the network of least W, random
starts and, in the plane, greedy ones, on a grid of 4,096 points, or that of the narrower network; the RMSE is by
quadrature."""
import json
import os
import subprocess
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from math import inf, isfinite, nan

from study import read

# restarts: random starts of the search at each width; fits: starts of lm of each kind; boxes: of an enclosure, 0: none;
# first: random starts of one more search, of width 1 alone, 0: none
Series = namedtuple("Series", "witness unit widths restarts fits boxes lam first", defaults=(0, 1, 0))
COLUMNS = "witness,lambda,class,width,bound,sharp,W,rmse"  # of figures
KEPT = ("--quiet", "--no-figure", "--fresh", "--out")


def chosen(s, series):
    """The series that are asked for, small ones with --quick; the script ends where there are none."""
    found = [of for of in series if s.wants(of.witness, of.unit)] or s.no_row()
    return [of._replace(widths=1, restarts=1, fits=1) for of in found] if s.quick else found


def search(s, of, widths, restarts, folder):
    """Rows of separation.csv."""
    certify = ["--certify", "--boxes", str(of.boxes)] if of.boxes else []
    s.steep("separate", "--witness", of.witness, "--class", of.unit, "--width", widths, "--lambda", str(of.lam),
            "--restarts", str(restarts), "--seed", "0", *certify, *KEPT, folder, stdout=subprocess.DEVNULL)
    rows = read(folder + "/separation.csv")
    return [row | {"network": f"{folder}/networks/width-{row['width']}.json"} for row in rows]


def fit(s, of, network, start, folder):
    """The least RMSE from this network and starts of one kind, and the file of its end."""
    target = of.witness if of.lam == 1 else f"{of.witness}:lambda={of.lam}"
    printed = s.steep("fit", "--load", network, "--target", target, "--sampling", "grid", "--samples", "4096", "--test",
                      "gauss", "--solver", "lm", "--max-iterations", "200", "--start", start, "--restarts",
                      str(of.fits), "--threads", "1", "--format", "json", *KEPT, folder, stdout=subprocess.PIPE)
    return json.loads(printed)["tables"][0]["rows"][0]["rmse_test"], folder + "/parameters.json"


def run_one(s, of):
    folder = os.path.join(s.out, f"{of.witness}-{of.unit}-{of.lam}".replace("*", "-"))
    rows = search(s, of, f"1:{of.widths}", of.restarts, folder + "/search")
    if of.first:
        rows[0] = min(rows[0], *search(s, of, "1", of.first, folder + "/first"), key=lambda row: row["W"])
    starts = ("random",) if of.witness == "la_type1" else ("random", "greedy")
    least = (inf, "")
    for row in rows:  # a network of this width may be the narrower one with a unit of 0
        least = min(least, *(fit(s, of, row["network"], start, f"{folder}/{start}-{row['width']}") for start in starts))
        row["rmse"], row["fitted"] = least
    return rows


def run(s, series):
    """The series, each with its rows, as many side by side as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(run_one, repeat(s), series)
        return [(of, row) for of, rows in zip(series, found) for row in rows]


def shown(x):
    """A number of the table; what is exact but for rounding as that, what is not known as -."""
    if not isfinite(x):
        return "-"
    return "exact" if x < 1e-12 else "%.3e" % x if x < 1e-3 else "%.6f" % x


def put(found):
    """The table of these rows; returns what figures show of them."""
    form, points = "%-10s %-16s %6s %5s %9s %9s %9s %9s %10s %8s %10s", []
    print(form % ("witness", "class", "lambda", "width", "bound", "E0", "E1", "W", "W at most", "hits", "RMSE"))
    for of, row in found:
        numbers = [shown(row[name]) for name in ("bound", "E0", "E1", "W", "certified_high")]
        hits = "%4d/%-3d" % (row["hits"], row["restarts"])
        print(form % (of.witness, of.unit, of.lam, row["width"], *numbers, hits, shown(row["rmse"])))
        sharp = row["bound"] if str(row["bound_source"]).startswith("exact") else nan
        points.append((of.witness, of.lam, of.unit, row["width"], row["bound"], sharp, row["W"], row["rmse"]))
    return points
