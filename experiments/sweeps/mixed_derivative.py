# SPDX-License-Identifier: GPL-3.0-or-later
"""How near products of two activations come to T = x_+ y_+ tanh z in the mixed derivative,

    E = ess sup |d^2 (T - f)/dx dy|   over [-1, 1]^3,

by networks that are written down, beside what no network of the class gets below (make proofs, mixed-derivative):
tanh(1)/4, and tanh(1)/2 of two activations with a continuous derivative, for then d^2 f/dx dy does not jump across
x = 0. With q(s, z) = (s + z + 2)_+^2 - (s - z + 2)_+^2, dq/ds = 4 z:

    relu*relu2   (a/8) x_+ q(y, z) + (a/8) y_+ q(x, z) - (a/16) (x + 2)_+ q(y, z)
    relu2*id     (c/4) ((x + y + 2)_+^2 - (x - y + 2)_+^2) z

d^2 f/dx dy of the first is 3 a z/4 where x, y > 0, -a z/4 where both are below 0, else a z/4; of the second c z. qd-la
has the first; qd-moa has T itself."""
from math import tanh

from study import Study

# The units' activations, and of each unit the output weight and the two affine maps of x, y, z, 1.
ACTIVATIONS = {"relu*relu2": (lambda v: max(v, 0), lambda v: max(v, 0) ** 2),
               "relu2*id": (lambda v: max(v, 0) ** 2, lambda v: v)}
LEAST = {"relu*relu2": tanh(1) / 4, "relu2*id": tanh(1) / 2}


def network(name, slope):
    if name == "relu2*id":
        return [(sign * slope / 4, (1, sign, 0, 2), (0, 0, 1, 0)) for sign in (1, -1)]
    gates = (slope / 8, (1, 0, 0, 0), 1), (slope / 8, (0, 1, 0, 0), 0), (-slope / 16, (1, 0, 0, 2), 1)
    return [(sign * d, gate, (1 - y, y, sign, 2)) for d, gate, y in gates for sign in (1, -1)]


def largest(name, units):
    """E, by differences over a step: within a quadrant of x and y, where T and f are polynomials of them of degree 2 at
    most, these are derivatives. Both are odd in z."""
    def error(*x):
        values = [[sum(w * v for w, v in zip(affine, (*x, 1))) for affine in maps] for _, *maps in units]
        first, second = ACTIVATIONS[name]
        return max(x[0], 0) * max(x[1], 0) * tanh(x[2]) - sum(
            d * first(z) * second(u) for (d, *_), (z, u) in zip(units, values))

    sides = (1, -1)
    return max(abs(sum(p * q * error((i + p / 2) / 2, (j + q / 2) / 2, z / 1000) for p in sides for q in sides)) * 4
               for i in sides for j in sides for z in range(0, 1001, 10))


s = Study(__doc__, "class")
print("%-11s %5s %9s %9s %9s" % ("class", "width", "bound", "E", "by bound"))
for name in s.those(0, ACTIVATIONS):
    low, high = 0.3, 1
    while high - low > 1e-6:  # E is convex in the slope
        middle, half = (low + high) / 2, (high - low) / 8
        if largest(name, network(name, middle - half)) < largest(name, network(name, middle + half)):
            high = middle + half
        else:
            low = middle - half
    E = largest(name, units := network(name, low))
    print("%-11s %5d %9.6f %9.6f %9.3f" % (name, len(units), LEAST[name], E, E / LEAST[name]))
