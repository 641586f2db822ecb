# SPDX-License-Identifier: GPL-3.0-or-later
"""Classic activations interpolated by learned ones (paper "Polynomial, trigonometric, and tropical activations", figures
1, 2, 5, 6): in values (Lagrange) at as many places as F has coefficients, in values and slopes (Hermite) at half as many,
and by least squares of both at 64 places; the largest error of value and slope on the interval, and how long an interval a
degree serves.

    hermite             a polynomial of degree n, at Chebyshev nodes of the interval
    fourier             a_0 + sum a_k cos kwx + b_k sin kwx, a period of it; fourier-half: half a period, Chebyshev nodes
    tropical            the largest of n + 1 lines: chords of neighbours, or tangents; of convex data alone
    tropical-rational   the same of f + c x^2/2 less the same of c x^2/2, c twice the least that makes the data convex"""
import sys
from math import cos, pi, sin, sqrt

from activations import ACTIVATIONS
from study import Study, solved

FUNCTIONS = {name: ACTIVATIONS[name] for name in ("gelu", "silu", "tanh", "relu", "softplus")} | {
    "x^2/2": lambda x: (x * x / 2, x)}
WAYS = LAGRANGE, HERMITE, SQUARES = "Lagrange", "Hermite", "least squares"
FAMILIES = (("hermite", 3, sqrt(3)), ("hermite", 8, sqrt(8)), ("fourier", 6, pi), ("fourier-half", 6, pi), ("tropical", 6, 3),
            ("tropical-rational", 6, 3))  # degree, half of the interval
PANELS = ((0, LAGRANGE), (1, LAGRANGE), (2, LAGRANGE), (2, HERMITE), (5, HERMITE), (4, HERMITE))  # of the paper's figures
TOUCHING = 4 * sys.float_info.epsilon  # a line above a node by so much of its terms is rounding


def polynomial(degree, reach):
    """Terms of a number, and their slopes: powers, in units of the interval."""
    return lambda x: ([(x / reach) ** k for k in range(degree + 1)],
                      [k * (x / reach) ** (k - 1) / reach if k else 0 for k in range(degree + 1)])


def wave(degree, w, even):
    """even: without the last cosine, as trigonometric interpolation at an even number of conditions."""
    parts = [(w * k, which) for k in range(1, degree + 1) for which in range(2) if which or k < degree or not even]
    return lambda x: ([1, *(sin(k * x) if which else cos(k * x) for k, which in parts)],
                      [0, *(k * cos(k * x) if which else -k * sin(k * x) for k, which in parts)])


def places(name, degree, reach, way):
    """Hermite data of an odd number of conditions have no slope in the middle."""
    terms = degree + 1 if name == "hermite" else 2 * degree + 1
    if name.startswith("tropical"):
        last = degree + (way == LAGRANGE)
        return [reach * (2 * i / last - 1) for i in range(last + 1)]
    count = {LAGRANGE: terms, HERMITE: degree if name == "fourier" else (terms + 1) // 2, SQUARES: 64}[way]
    if name == "fourier":
        return [reach * ((2 * i + 1) / count - 1) for i in range(count)]
    return [-reach * cos(pi * (i + 0.5) / count) if 2 * i + 1 != count else 0 for i in range(count)]


def by_terms(f, name, degree, reach, way):
    x = places(name, degree, reach, way)
    even = name == "fourier" and way == HERMITE
    terms = polynomial(degree, reach) if name == "hermite" else wave(degree, pi / reach / (1 if name == "fourier" else 2), even)
    odd = way == HERMITE and (name == "fourier-half" or name == "hermite" and degree % 2 == 0)
    conditions = [(terms(t)[d], f(t)[d]) for i, t in enumerate(x) for d in range(1 if way == LAGRANGE else 2)
                  if not (d and odd and i == len(x) // 2)]
    a = solved(*zip(*conditions))
    return lambda x: tuple(sum(p * q for p, q in zip(a, of)) for of in terms(x))


def lines(x, f, c, way):
    """(a, p) of the lines a + p x of f + c x^2/2: tangents at the nodes, or chords of neighbours."""
    if way == HERMITE:
        return [(f(t)[0] - f(t)[1] * t - c * t * t / 2, f(t)[1] + c * t) for t in x]
    return [(f(t)[0] - slope * t - c * s * t / 2, slope + c * (s + t) / 2)
            for t, s in zip(x, x[1:]) for slope in [(f(s)[0] - f(t)[0]) / (s - t)]]


def curvature(x, f, way):
    """The least c for which no line of f + c x^2/2 is above a node: what a line is above it is linear in c."""
    c = 0
    for (a, p), (b, q) in zip(lines(x, f, 0, way), lines(x, f, 1, way)):
        for t in x:
            above = a + p * t - f(t)[0]
            if above > TOUCHING * (abs(a) + abs(p * t) + abs(f(t)[0])):
                c = max(c, above / (t * t / 2 - (b - a) - (q - p) * t))
    return c


def largest(of):
    return lambda x: max(((a + p * x, -k, p) for k, (a, p) in enumerate(of)))[::2]


def tropical(f, name, degree, reach, way):
    """None: the data are not convex."""
    x = places(name, degree, reach, way)
    c = curvature(x, f, way)
    if name == "tropical":
        return None if c > 0 else largest(lines(x, f, 0, way))
    over, under = largest(lines(x, f, 2 * c, way)), largest(lines(x, lambda t: (0, 0), 2 * c, way))
    return lambda x: tuple(p - q for p, q in zip(over(x), under(x)))


def interpolant(f, name, *how):
    return (tropical if name.startswith("tropical") else by_terms)(f, name, *how)


def errors(f, F, reach, steps):
    """(F - f, F' - f') on the interval, by components."""
    return list(zip(*([p - q for p, q in zip(F(x), f(x))] for x in (reach * (2 * i / steps - 1) for i in range(steps + 1)))))


def print_errors():
    print("%-9s %-17s %2s %7s %-14s %10s %10s %10s %10s" % ("of", "by", "n", "on +-", "from", "max |F-f|", "max |F'-f'|",
                                                           "rms F-f", "rms F'-f'"))
    rows = [(of, *family, way) for of in FUNCTIONS for family in FAMILIES for way in WAYS
            if s.wants(of, family[0]) and not (way == SQUARES and family[0].startswith("tropical"))]
    for of, name, degree, reach, way in rows or s.no_row():
        F = interpolant(FUNCTIONS[of], name, degree, reach, way)
        print("%-9s %-17s %2d %7.4f %-14s " % (of, name, degree, reach, way), end="")
        if F:
            apart = errors(FUNCTIONS[of], F, reach, 4000)
            shown = [max(map(abs, e)) for e in apart] + [sqrt(sum(v * v for v in e) / len(e)) for e in apart]
            print(" ".join("%10.2e" % v if v > 1e-12 else "%10s" % "< 1e-12" for v in shown))  # rounding, of the C library, too
        else:
            print("no: not convex")


def reach_of(degree, way):
    """The longest interval, to 1/20, on which gelu's interpolant at its own nodes stays within 0.01."""
    gelu = FUNCTIONS["gelu"]
    for step in range(1, 161):
        F = interpolant(gelu, "hermite", degree, step / 20, way)
        if max(map(abs, errors(gelu, F, step / 20, 400)[0])) > 0.01:
            return (step - 1) / 20
    return 8


def write_panels():
    curves, nodes = [], []
    for panel, (family, way) in enumerate(PANELS, 1):
        name, degree, reach = FAMILIES[family]
        f = FUNCTIONS["x^2/2" if name == "tropical" else "gelu"]
        F = interpolant(f, name, degree, reach, way)
        curves += [(panel, x, *f(x), *F(x)) for x in (1.35 * reach * k / 400 for k in range(-400, 401))]
        nodes += [(panel, x, f(x)[0]) for x in places(name, degree, reach, way)]
    s.write("curves.csv", "panel,x,f,slope,F,F_slope", curves)
    s.write("nodes.csv", "panel,x,f", nodes)


s = Study(__doc__, "of by")
print_errors()
if not s.words:
    print("\ngelu within 0.01 on +-, to 1/20\n%-9s %9s %9s" % ("by", LAGRANGE, HERMITE))
    for n in (2, 3, 4) if s.quick else (2, 3, 4, 8, 12, 16, 20):
        print("%-10s %9.2f %9.2f" % (f"hermite {n}", reach_of(n, LAGRANGE), reach_of(n, HERMITE)))
    write_panels()
    s.draw()
