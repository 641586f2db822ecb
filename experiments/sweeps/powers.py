# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of PolyReLU that are x^k exactly (lemma A.4 of the paper on polynomial composition), k to 1000: units,
parameters and layers, in the paper's form (towers: a chain of powers for each digit of k, all ending together, then
their product in pairs) and with one chain of powers beside the product so far (running), of orders 2, 3 and 5; their
error in double on [-1, 1]."""
import sys
from fractions import Fraction

from polyrelu import add_layer, value
from study import Study

SHOWN = (2, 3, 7, 16, 31, 100, 243, 511, 1000)


def times(a, b):
    """((a + b)^2 - (a - b)^2)/4"""
    return [({i: a.get(i, 0) + sign * b.get(i, 0) for i in sorted({*a, *b})}, 2, Fraction(sign, 4)) for sign in (1, -1)]


def running(digits, order):
    layers, wires = [], {"chain": {0: 1}}
    while len(layers) < len(digits) or len(wires) > 1:
        chain, product, factor = (wires.get(name) for name in ("chain", "product", "factor"))
        left, terms = len(digits) - len(layers), {}
        if left > 1:
            terms["chain"] = [(chain, order, 1)]
        if product or factor:
            terms["product"] = times(factor, product) if product and factor else [(product or factor, 1, 1)]
        if left > 0 and digits[-left]:
            terms["factor"] = [(chain, digits[-left], 1)]
        wires = dict(zip(terms, add_layer(layers, terms.values())))
    return layers, *wires.values()


def towers(digits, order):
    layers, places = [], [i for i, digit in enumerate(digits) if digit]
    wires = [{0: 1} for _ in places]
    for left in reversed(range(len(digits))):
        powers = [1 if left > i else order if left else digits[i] for i in places]
        wires = add_layer(layers, [[(wire, power, 1)] for wire, power in zip(wires, powers)])
    while len(wires) > 1:
        pairs = [wires[i:i + 2] for i in range(0, len(wires), 2)]
        wires = add_layer(layers, [times(*pair) if len(pair) == 2 else [(pair[0], 1, 1)] for pair in pairs])
    return layers, *wires


def off(layers, output, k):
    """The largest |y - x^k| in double on a grid of [-1, 1]."""
    grid = (-1 + 2 * i / 400 for i in range(401))
    return max(abs(value(layers, output, [x]) - float(Fraction(x) ** k)) for x in grid)


s = Study(__doc__, "k")
most, exact, rows = 60 if s.quick else 1000, [], []
print("%5s %6s %-8s %7s %6s %11s %6s %10s" % ("k", "order", "form", "layers", "units", "parameters", "paper",
                                               "in double"))


def networks(k, orders):
    """Of each order and form: k, order, form, network, units, the sum of the paper's eq. 24."""
    for order in orders:
        digits, left = [], k
        while left:
            left, digit = divmod(left, order)
            digits.append(digit)
        for form in (towers, running):
            net = form(digits, order)
            exact.append(all(value(*net, [x]) == x ** k for x in (Fraction(2, 3), Fraction(-7, 5))))
            yield k, order, form.__name__, net, sum(map(len, net[0])), len(digits) * (len(digits) + 1) // 2


k = 1
while k <= most and not s.words:
    rows += [(*row[:3], *row[4:]) for row in networks(k, (2, 3, 5))]
    k += 1 if k < 64 or s.quick else k // 32
for k in s.those(0, [k for k in SHOWN if k <= most]):
    for *names, (layers, output), units, paper in networks(k, (2, 3)):
        parameters = len(output) + sum(len(form) + 1 for layer in layers for form, _ in layer)
        counts = len(layers), units, parameters, paper
        print("%5d %6d %-8s %7d %6d %11d %6d %10.1e" % (*names, *counts, off(layers, output, k)))
if not s.words:
    print("parameters: those that are not 0; paper: the sum of its eq. 24; "
          f"{sum(exact)} of {len(exact)} networks are x^k in exact arithmetic")
s.write("powers.csv", "k,order,form,units,paper", rows)
s.draw()
sys.exit(not all(exact))
