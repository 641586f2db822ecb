# SPDX-License-Identifier: GPL-3.0-or-later
"""The GLU paper's figures 1, 7, 8 and 9: what networks with random parameters look like in two dimensions, width 4:
their surfaces with the hinges, the lines on which a gate opens (surfaces: figure 1, with a GLU's units in one
dimension; hinges: figure 7, with GQU beside MLP and GLU), and what each unit adds (neurons: figures 8 and 9). The
parameters are those of start random, of the first seed whose hinges all pass near the centre. The table holds what the
figures show: off its hinges a network is a polynomial of degree 1, 2, 3, so that differences of the next order vanish
on lines within a cell, and those of its own order do not."""
import math
import sys

from philox import START, TEST, Random
from study import Study

WIDTH, LINE, ORDER, TRIES, STEP = 4, 121, 4, 4000, 0.04
BRANCHES = {"mlp": 1, "glu": 2, "gqu": 3}


class Network:
    """At a seed or the next one whose hinges are all between 0.05 and 0.5 away from the centre. units: of each the
    affine maps of its branches, the gate's first, the constant last."""

    def __init__(self, arch, dim, seed):
        near = False
        while not near:
            random = Random(seed, START)
            maps = [[[(2 * random.uniform() - 1) / math.sqrt(dim) for _ in range(dim + 1)] for _ in range(WIDTH)]
                    for _ in range(BRANCHES[arch])]
            near = all(0.05 < abs(gate[-1]) / math.hypot(*gate[:-1]) < 0.5 for gate in maps[0])
            seed += 1
        self.seed, self.units = seed - 1, list(zip(*maps))
        *self.output, self.bias = ((2 * random.uniform() - 1) / math.sqrt(WIDTH) for _ in range(WIDTH + 1))

    def parts(self, *x):
        """What each unit adds."""
        values = [[sum(w * p for w, p in zip(affine, (*x, 1))) for affine in maps] for maps in self.units]
        return [d * max(z[0], 0) * math.prod(z[1:]) for d, z in zip(self.output, values)]

    def value(self, *x):
        return sum(self.parts(*x)) + self.bias

    def open_at(self, *x):
        """Which gates are open."""
        return tuple(sum(w * p for w, p in zip(maps[0], (*x, 1))) > 0 for maps in self.units)


def write_surface(network, name, side):
    places = [-1 + 2 * k / (side - 1) for k in range(side)]
    rows = []
    for y in places:
        rows += [(x, y, network.value(x, y), *network.parts(x, y)) for x in places] + [()]
    write(name + ".csv", "x1,x2,network,unit1,unit2,unit3,unit4", rows[:-1])


def write_hinges(network, name):
    """The hinges on the surface, a line a unit."""
    rows = []
    for i, ((a, b, c), *_) in enumerate(network.units):
        size, line = math.hypot(a, b), []
        for t in (3 * (2 * k / (8 * LINE - 1) - 1) for k in range(0, 8 * LINE, 4)):
            x, y = (-c / size * a - t * b) / size, (-c / size * b + t * a) / size
            if max(abs(x), abs(y)) <= 1:
                line.append((i + 1, x, y, network.value(x, y)))
        rows += [*line[:LINE], ()]
    write(name + "-lines.csv", "unit,x1,x2,network", rows[:-1])


def write(name, header, rows):
    s.write(name, header, [["%.7g" % value for value in row] for row in rows])


def measure(network):
    """The cells that were met; the largest difference of each order on short lines in random directions that stay in a
    cell, over step^order; 0 for one that rounding explains: a difference of order k adds 2^k times a value's error."""
    random, cells, largest = Random(network.seed, TEST), set(), [0] * ORDER
    for _ in range(TRIES):
        x, y, turn = 2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * math.pi * random.uniform()
        line = [(x + STEP * k * math.cos(turn), y + STEP * k * math.sin(turn)) for k in range(ORDER + 1)]
        cell = network.open_at(x, y)
        cells.add(cell)
        if any(network.open_at(*at) != cell for at in line):
            continue
        values = [network.value(*at) for at in line]
        for order in range(ORDER):
            values = [(after - before) / STEP for before, after in zip(values, values[1:])]
            largest[order] = max(largest[order], abs(values[0]))
    rounding = 64 * sys.float_info.epsilon
    return len(cells), [d if d >= rounding * (2 / STEP) ** k else 0 for k, d in enumerate(largest, 1)]


s = Study(__doc__, "figure arch")
print("%-9s %-4s %5s %6s   largest difference of order 1 to 4 within a cell" % ("figure", "arch", "seed", "cells"))
for figure in s.those(0, ("surfaces", "hinges")):
    for arch in s.those(1, BRANCHES):
        drawn = Network(arch, 2, 0 if figure == "surfaces" else 100)
        count, differences = measure(drawn)
        print("%-9s %-4s %5d %6d  " % (figure, arch, drawn.seed, count) + "".join(" %8.1e" % d for d in differences))
        file = ("surface-" if figure == "surfaces" else "hinges-") + arch
        write_surface(drawn, file, 31 if s.quick else 61)
        write_hinges(drawn, file)
drawn = Network("glu", 1, 0)
write("units.csv", "x,network,unit1,unit2,unit3,unit4", [(x, drawn.value(x), *drawn.parts(x))
                                                         for x in (-1 + 2 * k / (LINE - 1) for k in range(LINE))])
for s.name in ("surfaces", "hinges", "neurons"):  # draw() draws the picture of this name
    s.draw()
