# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of two layers of 40 tanh fitted to networks of two layers of 3 tanh with PyTorch's random weights, drawn:
the problem on which BFGS ends at an RMSE of 4.1e-8 (Michaud, Liu and Tegmark, Precision machine learning, 2023, with
100,000 points). lbfgs and lm from random starts, on 2,000 points; errors on other points."""
import random
from math import sqrt
from statistics import median

from study import Study, pick

WIDTH, PAPER = 3, 4.1e-8
s = Study(__doc__, "teacher")


def teacher(seed):
    """Its formula in x: weights and constants uniform, up to one over the root of a unit's number of inputs."""
    drawn = random.Random(seed)

    def term(inputs):
        most = 1 / sqrt(len(inputs))
        return "+".join(f"({drawn.uniform(-most, most):.17g})*{z}" for z in inputs) + f"+({drawn.uniform(-most, most):.17g})"

    def layer(inputs):
        return ["tanh(" + term(inputs) + ")" for _ in range(WIDTH)]

    return term(layer(layer(["x"])))


teachers = s.those(0, range(2 if s.quick else 11))
run = {solver: s.sweep(solver, target=[*map(teacher, teachers)], arch="mlp:tanh", depth=2, widths=40, solver=solver,
                       start="random", seeds="0", samples=2000, tolerance=1e-12, steps=steps // (50 if s.quick else 1))
       for solver, steps in (("lbfgs", 5000), ("lm", 50))}
ends = {solver: [pick(tables.fits, target=teacher(t)) for t in teachers] for solver, tables in run.items()}
print("teacher   lbfgs  of the paper's        lm  evaluations of lbfgs, lm")
for t, lbfgs, lm in zip(teachers, ends["lbfgs"], ends["lm"]):
    print("%7d %.1e %15.2f  %.1e %12d %10d" % (t, lbfgs["rmse_test"], lbfgs["rmse_test"] / PAPER, lm["rmse_test"],
                                               lbfgs["evaluations"], lm["evaluations"]))
if not s.words:
    print("median  %.1e                  %.1e" % tuple(median(end["rmse_test"] for end in of) for of in ends.values()))
