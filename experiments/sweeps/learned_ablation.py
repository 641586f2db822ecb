# SPDX-License-Identifier: GPL-3.0-or-later
"""The ablations of the paper "Polynomial, trigonometric, and tropical activations" (its tables 3 to 6: degree; start by
the theorems or from gelu; coefficients learned or held; hermite of a clamped number) on functions in one and two
dimensions: one layer of 16 units, 500 random training points, lm from 21 random starts, the best, the quartiles and the
median of the test errors. Starts from gelu are its interpolants at Chebyshev nodes, of hermite on +-sqrt 3, of fourier
on +-2, within a period."""
from math import factorial, sqrt

from study import Study
from trained import put_quartiles

HERMITE = ("", "*{0}", "*({0}^2-1)/2", "*({0}^3-3*{0})/6", "*({0}^4-6*{0}^2+3)/24", "*({0}^5-10*{0}^3+15*{0})/120")
FOURIER = ("", *(f"*{wave}({k}*{{0}})/{factorial(k)}" for k in range(1, 7) for wave in ("cos", "sin")))
GELU = {"hermite": (0.30839533046292872, 0.5, 0.51779914739748478, 0),
        "fourier": (0.69289760142415235, -0.6794804706976425, 0.92863305130392215, 0.0064637645244793214,
                    -0.74043350419450227, -0.12178598961279707, 0.99911914477319363, 0.11095890694131443,
                    -1.6607151211048428, -0.13768494352280797, 2.8172677431451985, 0.12437185453392167,
                    -4.1008653762322353)}


def unit(name, terms, start, v="z1", held=False):
    """Of these terms of v; numbers of the start beyond them are v's own."""
    names = ["%.15g" % a if held else f"a{i}" for i, a in enumerate(start, 1)]
    body = "+".join(a + term.format(v) for a, term in zip(names, terms))
    return {"unit": f"{name} = {body}" + "".join("; %s = %.15g" % of for of in zip(names, start) if not held)}


def clamped(n):
    """Hermite of c tanh(z/2), c learned from sqrt 3 on, as the paper's library clamps: c (2 sigmoid(z) - 1)."""
    start = [sqrt(1 - 1 / factorial(n)), *[1] * n, sqrt(3)]
    return unit(f"clamped{n}", HERMITE[:n + 1], start, f"(a{n + 2}*tanh(z1/2))")


learned = [("hermite", n) for n in (2, 3, 5, 8)] + [(name, n) for name in ("fourier", "tropical") for n in (1, 3, 6)]
own = [("hermite-own", 3), ("fourier-own", 6), ("tropical-own", 6), ("fourier-phase", 6)]
held = {("hermite", 3): unit("hermite3", HERMITE, [sqrt(1 - 1 / 6), 1, 1, 1], held=True),
        ("fourier", 6): unit("fourier6", FOURIER, [sqrt(1 - 1 / 720 ** 2), *[1] * 12], held=True),
        ("tropical", 6): {"unit": "tropical6 = %.17g*max(1,1+6*z1)" % (sqrt(2) / 6)}}
variants = {(name, 0, "", ""): {"arch": "mlp:" + name} for name in ("relu", "gelu")}
variants |= {(*of, "theorem", "learned"): {"arch": "%s:%d" % of} for of in learned}
variants |= {("hermite", 3, "gelu", "learned"): unit("gelu3", HERMITE, GELU["hermite"]),
             ("fourier", 6, "gelu", "learned"): unit("gelu6", FOURIER, GELU["fourier"])}
variants |= {(*of, "theorem", "held"): options for of, options in held.items()}
variants |= {(*of, "theorem", "learned"): {"arch": "%s:%d" % of} for of in own}
variants |= {("hermite-clamp", n, "theorem", "learned"): clamped(n) for n in (3, 5)}

s = Study(__doc__, "unit degree")
variants = {of: options for of, options in variants.items() if s.wants(*of[:2])} or s.no_row()
put_quartiles(s, variants, "%-13s %2d %-8s %-7s ", "unit", "n", "start", "a_k")
