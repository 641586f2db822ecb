# SPDX-License-Identifier: GPL-3.0-or-later
"""x^2 on [0, 1] by relu alone (lemma A.2 of the paper on polynomial composition): the network of m stages, its error
against units, beside the best of one hidden layer, and what no network gets below. The best approximation by p linear
pieces is found anew for each p, by bisection on the error with pieces as long as it allows."""
import sys
from fractions import Fraction

from polyrelu import value
from study import Study

RELU = (0, 1)


def network(stages, centred=False):
    """x - sum_{s=1..m} T^s(x)/4^s with the tooth T(x) = 2x up to 1/2, 2 - 2x from there (Telgarsky, Yarotsky): the line
    through x^2 at the ends of 2^m equal cells, whose error is 4^-(m+1) in each; centred: lowered by half of that, which
    makes it the least that so many pieces can have. Layer s holds relu(g), relu(g - 1/2) and F of g = T^{s-1}(x) and
    F = F_{s-2} - g/4^{s-1}; F_0 = x is the first layer's first unit, and F is at least x^2, so that relu leaves it."""
    def parabola(s):
        quarter = Fraction(1, 4 ** s)
        return {0: (s == 1) - 2 * quarter, 1: 4 * quarter} | ({2: 1} if s > 1 else {})

    layers = [[({0: 1}, RELU), ({0: 1, -1: Fraction(-1, 2)}, RELU)]]
    tooth = {0: 2, 1: -4}
    for s in range(1, stages):
        layers.append([(tooth, RELU), (tooth | {-1: Fraction(-1, 2)}, RELU), (parabola(s), RELU)])
    return layers, parabola(stages) | ({-1: -Fraction(1, 2 * 4 ** (stages + 1))} if centred else {})


def exact_error(net, stages):
    """The largest |y - x^2| at both ends of each cell and at its middle, where the error of a line through the ends is
    largest: of all cells up to 2^7, beyond in the first, the last and some 100 more."""
    cells = 2 ** stages
    places = (Fraction(2 * cell + half, 2 * cells) for cell in range(0, cells, (cells - 1) // 101 if cells > 128 else 1)
              for half in range(3))
    return max(abs(value(*net, [x]) - x * x) for x in places)


def line_error(a, b):
    """Of the best line on [a, b]: x^2 is convex, so the chord lowered by half of what it is above x^2 in the middle."""
    x = (a + b) / 2
    return (a * a + (b * b - a * a) / (b - a) * (x - a) - x * x) / 2


def bisect(low, high, steps, fits):
    """Where it begins to fit, between low, which does not, and high, which does."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def pieces_for(error, most):
    """How many pieces of that error reach from 0 to 1, each as long as it may be; more than most: too many."""
    pieces, a = 0, 0.0
    while a < 1 and pieces <= most:
        a = 1 if line_error(a, 1) <= error else bisect(1, a, 60, lambda b, a=a: line_error(a, b) <= error)
        pieces += 1
    return pieces


s = Study(__doc__, "stages")
rows, wrong = [], 0
print("%6s %6s %8s %14s %14s %14s %14s %12s" % ("stages", "units", "pieces", "error", "4^-(m+1)", "centred",
                                               "1/(8 p^2)", "any, units"))
for m in s.those(0, range(1, 7 if s.quick else 21)):
    units, theory = sum(map(len, network(m)[0])), Fraction(1, 4 ** (m + 1))
    error, centred = (exact_error(network(m, lowered), m) for lowered in (False, True))
    wrong += error != theory or centred != theory / 2
    rows.append((units, *map(float, (error, centred, Fraction(1, 8 * 4 ** units)))))
    print("%6d %6d %8d %14.7e %14.7e %14.7e %14.7e %12.1e" % (m, units, 2 ** m, error, theory, centred, theory / 2,
                                                             rows[-1][-1]))
s.write("sawtooth.csv", "units,error,centred,lower", rows)
if not s.words:
    print(f"networks whose error is not exactly that: {wrong}")
    last, xs = 8 if s.quick else 32, [k / 1024 for k in range(1025)]
    best = [(p, bisect(0, 1, 44, lambda error, p=p: pieces_for(error, p) <= p), 1 / (8 * p * p))
            for p in range(1, last + 1)]
    print("best approximation by p = 1 to %d linear pieces, searched: 1/(8 p^2), apart by %.0e of it at most" %
          (last, max(abs(found / bound - 1) for _, found, bound in best)))
    s.write("pieces.csv", "pieces,found,bound", best)
    s.write("curves.csv", "x,m1,m2,m3", [(x, *(value(*network(m), [x]) - x * x for m in (1, 2, 3))) for x in xs])
    s.draw()
sys.exit(wrong > 0)
