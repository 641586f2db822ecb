# SPDX-License-Identifier: GPL-3.0-or-later
"""y_+ (x_+ + tanh x) by networks of every pair of activations of the dictionary (theorem 4.2 of "Mixture of
activations"), h = p(z1) q(z2): the least W and the least RMSE that are found against the width, beside what is proved
of the pair: half of the distance of its jump profiles across y = 0 from that of the witness. qd-la has it, of width 1.
Two searches: one with a random start at each width, which begins from the width before, too, and one with four at width
1; there the smaller W counts."""
from itertools import combinations_with_replacement

from separated import Series, run, shown
from study import Study, number

LETTERS = ("id", "relu", "relu2", "leaky_relu", "gelu", "silu", "tanh")
# the kinked one in front
PAIRS = [f"{q}*{p}" if p == "id" else f"{p}*{q}" for p, q in combinations_with_replacement(LETTERS, 2)]

s = Study(__doc__, "pair")
widths, first = (1, 0) if s.quick else (4, 4)
pairs = s.those(0, PAIRS)
found = run(s, [Series("la_type2", pair, widths, 1, 12, first=first) for pair in pairs])
print(f"y_+ (x_+ + tanh x) by pairs, m = 1 to {widths}: proved of W, W found, RMSE found, the least W by its bound")
for pair in pairs:
    rows = [row for of, row in found if of.unit == pair]
    bounds = ["%9s" % shown(row["bound"]) for row in rows]
    errors = ["%8.5f" % row[name] for name in ("W", "rmse") for row in rows]
    least = min(row["W"] / row["bound"] for row in rows)  # NaN of all rows or of none
    print("%-22s" % pair, *bounds, *errors, number("%9.4g", least))
s.write("pairs.csv", "pair,width,W", [(of.unit, row["width"], row["W"]) for of, row in found])
s.draw()
