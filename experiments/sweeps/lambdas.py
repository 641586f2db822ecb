# SPDX-License-Identifier: GPL-3.0-or-later
"""tanh(lambda x) y_+ against lambda: what one activation and la miss of it in W^{1,inf} and in RMSE, beside the bound
tanh(lambda)/2 that no la gets below ("Mixture of activations", proposition B.5), and moa, which has it. That nothing
larger holds for all widths is seen on networks that are written down: with p the odd polynomial that interpolates
tanh(lambda t), each t^k y_+ is a central difference of order k,

  x^k y_+ = lim sum_j (-1)^j C(k, j) (y + (k/2 - j) eps x)_+^{k+1} / ((k + 1)! eps^k)   as eps falls,

smooth across y = 0, so that E1 falls to tanh(lambda)/2 there; E0 to the error of p."""
from math import comb, cos, factorial, hypot, pi, tanh
from operator import mul

from separated import COLUMNS, Series, chosen, put, run, shown
from study import Study, solved

LAMBDAS = (0.1, 0.2, 0.5, 1, 2, 3, 5)
WIDTHS = {"relu": 2, "tanh": 1, "la": 2, "moa": 1}
FORMS = ((1, 1), (3, 1), (5, 1), (9, 3), (13, 6))  # degree of p, 100 eps

s = Study(__doc__, "witness class")


def odd_polynomial(lam, degree):
    """Coefficients of t, t^3 ... of the odd polynomial that is tanh(lambda t) at the zeros of a Chebyshev polynomial of
    this degree + 1."""
    t = [cos(pi * (2 * i + 1) / (2 * degree + 2)) for i in range((degree + 1) // 2)]
    return solved([[x ** k for k in range(1, degree + 1, 2)] for x in t], [tanh(lam * x) for x in t])


def difference(k, e, h, x, y):
    """The central difference with eps = e/100 in place of x^k y_+ at (x/h, y/h), and its derivatives in both
    coordinates. Its terms cancel: sums are of whole numbers, a unit's argument being z/(200 h)."""
    units = [((-1) ** j * comb(k, j), k - 2 * j, 200 * y + (k - 2 * j) * e * x) for j in range(k + 1)]
    slopes = [(weight * z ** k, turn, z) for weight, turn, z in units if z > 0]
    scale = factorial(k) * (2 * e * h) ** k
    return (sum(w * z for w, _, z in slopes) / (200 * h * (k + 1) * scale),
            e * sum(w * turn for w, turn, _ in slopes) / (200 * scale), sum(w for w, _, _ in slopes) / scale)


def grid(degree, e):
    """Points, with the differences of all odd k: values, derivatives in x, in y. As all functions are odd in x, only
    points with x >= 0."""
    h = 25 if s.quick else 100
    return [(x / h, y / h, *zip(*(difference(k, e, h, x, y) for k in range(1, degree + 1, 2))))
            for x in range(h + 1) for y in range(-h, h + 1)]


def norms(lam, degree, points):
    """E0 and E1 of the witness less the network, both sides of y = 0."""
    c, size, slope = odd_polynomial(lam, degree), 0, 0
    for x, y, *parts in points:
        t = tanh(lam * x)
        f, fx, fy = (sum(map(mul, c, part)) for part in parts)
        for above in {y > 0, y >= 0}:
            size = max(size, abs(above * t * y - f))
            slope = max(slope, hypot(above * lam * (1 - t * t) * y - fx, above * t - fy))
    return size, slope


def written():
    """Of each lambda the network of least W; prints its rows and returns those for the figure."""
    found, rows = {lam: [] for lam in LAMBDAS}, []
    for degree, e in FORMS:
        points = grid(degree, e)
        for lam in LAMBDAS:
            size, slope = norms(lam, degree, points)
            found[lam].append((size + slope, size, slope, degree))
    for lam in LAMBDAS:
        W, size, slope, degree = min(found[lam])
        units, bound = (degree + 1) * (degree + 3) // 4, tanh(lam) / 2
        print("written    degree %-9d %6g %5d %9s %9.6f %9.6f %9s %10s   W by bound %.4f" % (
            degree, lam, units, shown(bound), size, slope, shown(W), "-", W / bound))
        rows.append(("moa_type1", lam, "written", units, bound, bound, W, "nan"))
    return rows


is_written = s.wants("written", "degree")
every = [Series("moa_type1", unit, widths, 3, 2, lam=lam) for unit, widths in WIDTHS.items() for lam in LAMBDAS]
points = put(run(s, [] if is_written and s.words else chosen(s, every)))
s.write("lambdas.csv", COLUMNS, points + (written() if is_written else []))
s.draw()
