# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the 95 % intervals of steep law hold the truth, on simulated losses of networks of two sizes; beside it the
usual form alone, with normal noise. Surfaces E + A P^-a + B N^-b with a, b of .2 to .6, ratio .4 to 2.5, E of 1.2 to
2.2; five budgets over a factor 500, 9 to 15 networks each, whose grid drifts; scatter .2 to 3 %. Cases:

    normal     normal noise               student   Student's, of 3 degrees, over sqrt 3
    budget     normal, half of its deviation common to each budget
    kaplan     E + (A P^(-a/b) + B/N)^b   product   A P^-a + B P^c N^-b, c of -.1 to .1
    falling    noise that falls with the loss, 2 to some .3 times
    scattered  normal, 12 to 45 networks of drawn sizes; a, b of .1 to 1.2, of any ratio; every other E is 0

Intervals of a, b, E, the exponent of the best P, and the loss at the best sizes of ten times the largest compute."""
import json
import random
import subprocess
from math import exp, log, sqrt
from statistics import median

from study import Study

CASES = ("normal", "student", "budget", "kaplan", "product", "falling", "scattered")
FORMS = "hoffmann", "kaplan", "product"
TRUTHS = "a", "b", "E", "params_exponent", "the law"
BUDGETS, LAST = 5, log(500) / 2  # log compute of the outer ones, about the middle
P, N = 1e9, 2e10  # units of the sizes are such that L10 is there on every surface


def draw_surface(case, number):
    """Its points (P, N, loss), and the truths."""
    r = random.Random(f"{case} {number}")
    u, scattered = r.uniform, case == "scattered"
    a, b = (u(0.1, 1.2), u(0.1, 1.2)) if scattered else (u(0.2, 0.6), u(0.2, 0.6))
    while not (scattered or 0.4 <= b / a <= 2.5):
        a, b = u(0.2, 0.6), u(0.2, 0.6)
    E = 0 if scattered and number % 2 == 0 else u(1.2, 2.2)
    c = u(-0.1, 0.1) if case == "product" else 0
    excess = u(0.4, 1.2)
    A, B = excess * b / (a + b), excess * a / (a + b)  # a A = b B: the sizes in the middle are best of their compute

    def loss(p, n):
        """At log sizes over those in the middle."""
        if case == "kaplan":
            return E + ((A * exp(-a * p)) ** (1 / b) + (B * exp(-b * n)) ** (1 / b)) ** b
        return E + A * exp(-a * p) + B * exp(c * p - b * n)

    each, drift, wide, scatter = r.randint(9, 15), u(-1.1, 1.1), u(log(4), log(12)), exp(u(log(0.002), log(0.03)))
    sizes = [(b / (a + b) * z * LAST + drift * z + wide * (2 * j / (each - 1) - 1), z * LAST)
             for z in (2 * i / (BUDGETS - 1) - 1 for i in range(BUDGETS)) for j in range(each)]
    if scattered:
        sizes = [(p, p + u(-LAST, LAST)) for p in (u(-LAST, LAST) for _ in range(r.randint(12, 45)))]
    exact = [loss(p, compute - p) for p, compute in sizes]
    least, most, common = 0.9 * min(exact), max(exact), [r.gauss(0, 1) for _ in range(BUDGETS)]
    best, beyond = b / (a + c + b), LAST + log(10)  # near the best of the product
    points = []
    for k, ((p, compute), value) in enumerate(zip(sizes, exact)):
        deviation = r.gauss(0, 1)
        if case == "student":
            deviation /= sqrt(sum(r.gauss(0, 1) ** 2 for _ in range(3)))
        if case == "budget":
            deviation = sqrt(0.75) * deviation + 0.5 * common[k // each]
        if case == "falling":
            deviation *= 2 * (value - least) / (most - least)
        points.append((P * exp(p - best * beyond), N * exp(compute - p - (1 - best) * beyond),
                       value * exp(scatter * deviation)))
    return points, (a, b, E, best, loss(best * beyond, (1 - best) * beyond))


def measure(case, *words):
    """Of each surface {what: row}."""
    printed = s.steep("law", f"{s.out}/{case}.csv", "--by", "surface", "--predict", f"params={P},tokens={N}", *words,
                      "--format", "json", stdout=subprocess.PIPE, text=True)
    laws = [{} for _ in range(count)]
    for table in json.loads(printed)["tables"]:
        for row in table["rows"]:
            laws[int(row["group"])][row.get("parameter") or row.get("form") or row.get("of")] = row
    return laws


def length(law, name):
    return law[name]["high"] - law[name]["low"]


s = Study(__doc__, "case")
count = 20 if s.quick else 200
print("                          | inside the interval, and its length over steep's:               | forms' weights\n"
      "case      method   number |     a           b           E          P*         L10          | hoff kapl prod")
for case in s.those(0, CASES):
    points, truths = zip(*(draw_surface(case, i) for i in range(count)))
    s.write(case + ".csv", "surface,params,tokens,loss", [(i, *row) for i, rows in enumerate(points) for row in rows])
    steep = measure(case)
    for method, laws in {"steep": steep, "hoffmann": measure(case, "--form", "hoffmann", "--noise", "normal")}.items():
        line = "%-9s %-9s %5d |" % (case, method, count)
        for k, name in enumerate(TRUTHS):
            inside = sum(law[name]["low"] <= truth[k] <= law[name]["high"] for law, truth in zip(laws, truths))
            line += " %5.3f %5.2f" % (inside / count, median(length(a, name) / length(b, name) for a, b in zip(laws, steep)))
        weights = [sum(law[form]["weight"] for law in laws) / count for form in FORMS] if method == "steep" else []
        print(line + " |" + "".join(" %4.2f" % weight for weight in weights), flush=True)
