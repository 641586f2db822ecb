# SPDX-License-Identifier: GPL-3.0-or-later
"""The jump profile J(x) = d f/dy (x, 0+) - d f/dy (x, 0-) of networks across y = 0, on which the lower bounds in
W^{1,inf} rest: E1 is at least half of sup |J_T - J_f| ("Mixture of activations", appendix B). Of the witness
tanh(x) y_+, J_T = tanh x, a network of one activation or of la has a constant J; of y_+ (x_+ + tanh x),
J_T = x_+ + tanh x, networks of one pair have lines, polygons or ridge sums. Networks of least W and of least RMSE, as
separated.py finds them; beside J the same difference at distance h from y = 0, d f/dy (x, h) - d f/dy (x, -h): near
y = 0 it is what the networks bend to T."""
import csv
import os
from math import tanh

from separated import Series, chosen, run, shown
from study import Study

WIDTHS = {"moa_type1": {"relu": 2, "relu2": 2, "tanh": 1, "la": 2, "moa": 1},
          "la_type2": {"relu*id": 2, "relu*relu": 2, "relu*relu2": 2, "relu*tanh": 2, "gelu*tanh": 1, "qd-la": 1}}
JUMP = {"moa_type1": tanh, "la_type2": lambda x: max(x, 0) + tanh(x)}
PLACES = [i / 100 if i else 1e-9 for i in range(-100, 101)]  # not 0, where other kinks cross
LAYERS = (2.0 ** -600, 1e-3, 1e-2, 1e-1)
FORM = "%-10s %-11s %5s %-4s %9s %9s %9s %9s %9s"

s = Study(__doc__, "witness class")
beside = os.path.join(s.out, "beside.csv")
s.write("beside.csv", "x1,x2", [(x, y) for h in LAYERS for y in (h, -h) for x in PLACES])


def profiles(network):
    """Its differences of slope across y = 0, of each layer at all places."""
    printed = s.printed("predict", network, data=beside, gradient=True)
    slopes = [float(row["d2"]) for row in csv.DictReader(printed.splitlines())]
    sides = [slopes[k:k + len(PLACES)] for k in range(0, len(slopes), len(PLACES))]
    return [[up - down for up, down in zip(*of)] for of in zip(sides[::2], sides[1::2])]


def put(of, row, fit, network, error):
    """Prints its row and returns those for the figure."""
    J, witness = profiles(network), [JUMP[of.witness](x) for x in PLACES]
    halves = [shown(max(abs(f - T) for f, T in zip(layer, witness)) / 2) for layer in J]
    print(FORM % (of.witness, of.unit, row["width"], fit, *halves, shown(error)))
    return [(of.witness, of.unit, row["width"], fit, *numbers) for numbers in zip(PLACES, witness, *J)]


every = [Series(witness, unit, widths, 4, 3) for witness, classes in WIDTHS.items() for unit, widths in classes.items()]
found = run(s, chosen(s, every))
print("half of sup |J_T - J_f|; J at y = 0, and at distance h from it")
print(FORM % ("witness", "class", "width", "fit", "y = 0", "h = .001", "h = .01", "h = .1", "E1, RMSE"))
points = []
for of, row in found:
    points += put(of, row, "W", row["network"], row["E1"]) + put(of, row, "RMSE", row["fitted"], row["rmse"])
s.write("jumps.csv", "witness,class,width,fit,x,target,J,h0.001,h0.01,h0.1", points)
s.draw()
