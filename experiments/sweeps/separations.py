# SPDX-License-Identifier: GPL-3.0-or-later
"""The witnesses of "Mixture of activations" (theorems 4.1 and 4.2) against the width: what networks of one activation
(or one pair), linear mixtures and token-adaptive ones miss of them, in W^{1,inf} beside what is proved, and in RMSE.

  la_type1   x_+ + x_+^2              one activation beside la
  moa_type1  tanh(x) y_+              one activation and la beside moa
  la_type2   y_+ (x_+ + tanh x)       one pair beside qd-la
  moa_type2  y_+ x_+ tanh x           pairs and qd-la beside qd-moa

W is what a search finds (separated.py), "W at most" the upper end of its enclosure."""
from separated import COLUMNS, Series, chosen, put, run
from study import Study

# of each witness, with the restarts and boxes of its searches, the classes with the most units
CLASSES = {
    ("la_type1", 12, 200000): {"relu": 10, "leaky_relu": 5, "relu2": 3, "gelu": 2, "silu": 2, "tanh": 2, "la": 1,
                               "moa": 1},
    ("moa_type1", 4, 20000): {"relu": 3, "leaky_relu": 2, "relu2": 4, "gelu": 2, "silu": 2, "tanh": 2, "la": 2,
                             "moa": 1},
    ("la_type2", 4, 20000): {"relu*id": 2, "relu*relu": 2, "relu*relu2": 2, "relu*tanh": 2, "silu*id": 2,
                             "gelu*tanh": 1, "qd-la": 1},
    ("moa_type2", 4, 20000): {"relu*id": 2, "relu*relu": 2, "relu*relu2": 2, "silu*id": 2, "qd-la": 1, "qd-moa": 1},
}

s = Study(__doc__, "witness class")
every = [Series(witness, unit, widths, restarts, 3, boxes)
         for (witness, restarts, boxes), classes in CLASSES.items() for unit, widths in classes.items()]
s.write("separations.csv", COLUMNS, put(run(s, chosen(s, every))))
s.draw()
