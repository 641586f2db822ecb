# SPDX-License-Identifier: GPL-3.0-or-later
"""The gains of variance-preserving starts (paper "Polynomial, trigonometric, and tropical activations", theorems 3.8,
3.13, 3.19), by closed form and quadrature, as printed and as corrected: second moments of F and F', gains Var x / E F^2
and Var x / E F'^2, degrees 1 to 100, and classic activations; the bound on |F'| of equation 65 beside the largest |F'|;
random networks of 1 to 16 layers at these gains: the mean square of signals and of gradients."""
import cmath
import math
import statistics
from math import exp, factorial, inf, isnan, nan, pi, sqrt
from operator import mul
from typing import Callable, NamedTuple

from activations import ACTIVATIONS, density
from philox import SIMULATION, Random
from study import Study, number

WIDTH, DEPTH = 128, 16


class Function(NamedTuple):
    """x is standard normal, or uniform on [-half, half]; at: F and F' at x; exact: E F^2 and E F'^2 in closed form."""
    degree: int
    at: Callable
    exact: tuple = (nan, nan)
    half: float = 0

    def variance(self):
        return self.half ** 2 / 3 or 1


PART = 1 / (2 * pi * sqrt(3))
EXACT = {"relu": (0.5, 0.5), "relu2": (1.5, 2), "leaky_relu": (0.50005, 0.50005),
         "gelu": (1 / 3 + PART, 1 / 3 + 4 * PART / 3)}
CLASSIC = {name: Function(0, at, EXACT.get(name, (nan, nan))) for name, at in ACTIVATIONS.items()}


def hermite(n, scale=1):
    """scale sum a_k He_k(x)/k!, terms that are orthogonal (31, 43)."""
    a = [scale * sqrt(1 - 1 / factorial(n))] + [scale] * n

    def at(x):
        value, slope, before, now = 0.0, 0.0, 0.0, 1.0  # He_k/k! and its derivative, the one before
        for k, c in enumerate(a):
            value += c * now
            slope += c * before
            before, now = now, (x * now - before) / (k + 1)
        return value, slope
    return Function(n, at, (math.fsum(c * c / factorial(k) for k, c in enumerate(a)),
                            math.fsum(c * c / factorial(k) for k, c in enumerate(a[1:]))))


def fourier(n, half=pi, scale=1, repaired=False):
    """scale (a_0 + sum (cos kwx + sin kwx)/k!) of period 2 half (56, 66, with the factor w^2 of the derivative that
    remark D.8 leaves out). repaired: with the a_0 of equal moments, a_0^2 = sum (w^2 k^2 - 1)/(k!)^2, which is (67) at
    w = 1 and the correction of remark D.8 at any other."""
    w = pi / half
    size = [1 / factorial(k) for k in range(n + 1)]
    squares = [0] + [c * c for c in size[1:]]
    slopes = math.fsum((w * k) ** 2 * c for k, c in enumerate(squares))
    a0 = sqrt(slopes - math.fsum(squares)) if repaired else sqrt(1 - size[n] ** 2)
    terms = [(w * k * scale * c, scale * c) for k, c in enumerate(size) if k > 0 and c > 1e-30]  # others are rounding

    def at(x):
        value, slope, turn, power = scale * a0, 0.0, cmath.rect(1, w * x), 1
        for factor, c in terms:
            power *= turn
            value += c * (power.real + power.imag)
            slope += factor * (power.real - power.imag)
        return value, slope
    return Function(n, at, (scale ** 2 * (a0 ** 2 + math.fsum(squares)), scale ** 2 * slopes), half)


def tropical(n, a=1):
    """sqrt(2)/n max_k (a_k + k x) (21); where all a_k are equal that has two pieces, a and a + n x."""
    scale = sqrt(2) / n
    return Function(n, lambda x: (scale * (a + n * x), sqrt(2)) if x > 0 else (scale * a, 0),
                    (scale ** 2 * (a * a + 2 * a * n / sqrt(2 * pi) + n * n / 2), 1.0))


# The paper's starts, and what became of them.
STARTS = {"hermite": hermite, "hermite/sqrt(e)": lambda n: hermite(n, exp(-0.5)), "fourier": fourier,
          "fourier/sqrt(I0)": lambda n: fourier(n, scale=1 / sqrt(2.2795853023360673)),  # I_0(2)
          "fourier-D.8": lambda n: fourier(n, sqrt(3)),
          "fourier-repaired": lambda n: fourier(n, sqrt(3), repaired=True),
          "tropical": tropical, "tropical-zero": lambda n: tropical(n, 0)}


def fejer(n):
    """Fejer's rule of n points on [-1, 1]: exact of polynomials of degree n - 1."""
    turns, even = [pi * (i + 0.5) / n for i in range(n)], range(2, n + 1, 2)
    return [(math.cos(turn), 2 / n * (1 - 2 * sum(math.cos(j * turn) / (j * j - 1) for j in even))) for turn in turns]


# Points of a standard normal x with weights: on cells of length 1/2, whose ends the kinks are.
NORMAL = [(x, 0.25 * weight * density(x)) for cell in range(-78, 78) for node, weight in fejer(36)
          for x in [0.5 * (cell + 0.5) + 0.25 * node]]


def moments(f, points):
    """E F^2, E F'^2 and E x F F'."""
    values = [(x, weight, *f.at(x)) for x, weight in points]
    return (math.fsum(w * F * F for _, w, F, _ in values), math.fsum(w * dF * dF for _, w, _, dF in values),
            math.fsum(w * x * F * dF for x, w, F, dF in values))


def quadrature(f):
    """Of periodic functions by the trapezoidal rule."""
    count = 2 * f.degree + 2
    return moments(f, [(f.half * (2 * (i + 0.25) / count - 1), 1 / count) for i in range(count)] if f.half else NORMAL)


def print_gains():
    print("%-16s %3s %9s %9s %9s %9s %8s %8s %8s" % ("start", "n", "E F^2", "quadrat.", "E F'^2", "quadrat.", "closed-q",
                                                     "gain", "gain'"))
    degrees = (1, 2, 3, 4, 6, 8, 16, 100)[:5 if s.quick else 8]
    wanted = [(name, 0) for name in CLASSIC] + [(name, degree) for name in STARTS for degree in degrees]
    wanted = [row for row in wanted if s.wants(*row)] or s.no_row()
    rows = []
    for name, degree in wanted:
        f = STARTS[name](degree) if degree else CLASSIC[name]
        found = quadrature(f)[:2]
        best = found if isnan(f.exact[0]) else f.exact
        off = max(abs(q / m - 1) for q, m in zip(found, best))
        parts = [number(" %9.6f", m) + " %9.6f" % q for m, q in zip(f.exact, found)]
        gains = [f.variance() / m for m in best]
        print("%-16s %3d" % (name, degree) + "".join(parts) +
              " %8s %8.5f %8.5f" % ("-" if isnan(f.exact[0]) else "< 1e-12" if off < 1e-12 else "MORE", *gains))
        rows.append((name, degree, *gains))
    s.write("variance.csv", "start,degree,forward,backward", rows)


def print_bound():
    """On 100,000 points of a period, beside the bounds with and without sqrt 2."""
    print("\nequation 65: |F'| <= sum 1/(k-1)! <= e, as printed; a_k cos + b_k sin reaches sqrt 2")
    print("%16s %3s %9s %9s %9s" % ("", "n", "largest", "printed", "sqrt 2 x"))
    points = 1000 if s.quick else 100000
    for n in (1, 2, 4, 8, 16):
        f, bound = fourier(n), sum(1 / factorial(k) for k in range(n))
        most = max(abs(f.at(pi * (2 * i / points - 1))[1]) for i in range(points))
        print("%16s %3d %9.6f %9.6f %9.6f  %s" % ("", n, most, bound, sqrt(2) * bound,
                                                  "above what is printed" if most > bound else ""))


def propagate(f, gain, weights, x, out):
    """Mean square of the signal after each layer, and of a gradient that enters a network of so many layers with mean
    square 1. Inputs are normal, of variance 1: what sums of many units make of any input."""
    deviation, slopes, signals, gradients = sqrt(gain / WIDTH), [], [], []
    for rows, _ in weights:
        values, slope = zip(*map(f.at, x))
        x = [deviation * sum(map(mul, row, values)) for row in rows]
        slopes.append(slope)
        signals.append(sum(z * z for z in x) / WIDTH)
    for layers, g in enumerate(out, 1):
        for (_, columns), slope in zip(weights[layers - 1::-1], slopes[layers - 1::-1]):
            g = [deviation * sum(map(mul, column, g)) * d for column, d in zip(columns, slope)]
        gradients.append(sum(z * z for z in g) / WIDTH)
    return signals, gradients


def print_depths():
    """Medians over networks. The multiplier d ln E F(sqrt q x)^2 / d ln q at q = 1, E x F F' / E F^2 of a normal x:
    above 1, a layer makes a deviation of the variance from 1 larger."""
    networks = 3 if s.quick else 15
    starts = (("hermite", 3), ("hermite", 6), ("fourier", 6), ("fourier-repaired", 6), ("tropical", 6),
              ("tropical-zero", 6))
    shown = [("relu", CLASSIC["relu"]), ("gelu", CLASSIC["gelu"])]
    shown += [(name, STARTS[name](degree)) for name, degree in starts]
    gains = [f.variance() / quadrature(f)[0] for _, f in shown]
    ends = [[] for _ in shown]
    for network in range(networks):
        random, weights, out = Random(network, SIMULATION), [], []

        def normals():
            return [random.normal() for _ in range(WIDTH)]
        for _ in range(DEPTH):
            rows = [normals() for _ in range(WIDTH)]
            weights.append((rows, list(zip(*rows))))
            out.append(normals())
        x = normals()
        for (_, f), gain, end in zip(shown, gains, ends):
            end.append(propagate(f, gain, weights, x, out))
    print(f"\n{networks} random networks of width {WIDTH}, weights of variance gain / width: "
          "mean square after 1, 2, 4, 8, 16 layers")
    print("%-16s %3s %9s %9s %7s  %44s %44s" % ("start", "n", "gain", "gain E F^2", "mult.", "signal", "gradient"))
    rows = []
    for (name, f), gain, end in zip(shown, gains, ends):
        square, _, product = moments(f, NORMAL)
        signals, gradients = ([statistics.median(inf if isnan(v) else v for v in values) for values in zip(*of)]
                              for of in zip(*end))
        print("%-16s %3d %9.5f %9.5f %7.2f " % (name, f.degree, gain, gain * square, product / square) +
              "".join(" %8.2g" % of[depth - 1] for of in (signals, gradients) for depth in (1, 2, 4, 8, 16)))
        rows += [(name, f.degree, "signal", depth, value) for depth, value in enumerate(signals, 1)]
    s.write("variance_depth.csv", "start,degree,what,depth,median", rows)


s = Study(__doc__, "start degree")
print_gains()
if not s.words:
    print_bound()
    print_depths()
    s.draw()
