# SPDX-License-Identifier: GPL-3.0-or-later
"""What figure 5 of the paper "Polynomial composition activations" compares by training language models, on functions
in one and two dimensions: orders of PolyReLU and PolyNorm (a), compositions (b), variants of relu (c); and its equation
1 with other functions rho, type I sum a_i rho(z)^i, type II sum a_i rho(z^i), by formula, with the paper's start,
a_0 = 0, a_i = 1/3. One layer of 16 units, 500 random training points, lm from 21 random starts: the best, the quartiles
and the median of the test errors."""
from study import Study
from trained import put_quartiles

STARTS = "; a2 = 0.333333333333333; a3 = 0.333333333333333; a4 = 0.333333333333333"
FIRST = "first = a1+a2*{0}(z1)+a3*{0}(z1)^2+a4*{0}(z1)^3" + STARTS
SECOND = "second = a1+a2*{0}(z1)+a3*{0}(z1^2)+a4*{0}(z1^3)" + STARTS
VARIANTS = {(unit, 0): {"arch": "mlp:" + unit} for unit in ("relu", "relu2", "gelu")}
VARIANTS |= {(unit, degree): {"arch": f"{unit}:{degree}"} for unit in ("polyrelu", "polynorm") for degree in (2, 3, 4)}
VARIANTS |= {(unit, 3): {"arch": unit} for unit in ("polyprelu", "polyrelunorm")}
VARIANTS |= {("I-" + rho, 3): {"unit": FIRST.format(rho)} for rho in ("sigmoid", "silu", "gelu", "tanh")}
VARIANTS |= {("II-" + rho, 3): {"unit": SECOND.format(rho)} for rho in ("relu", "sigmoid", "silu", "tanh")}

s = Study(__doc__, "unit degree")
variants = {of: options for of, options in VARIANTS.items() if s.wants(*of)} or s.no_row()
put_quartiles(s, variants, "%-13s %2d", "unit", "n")
