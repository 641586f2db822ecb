# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the paper on polynomial composition what can be counted or computed exactly: operations and memory of its
activations (tables 8 and 9), counted from the units' formulas; degrees of deep polynomial networks (proposition F.3 of
the paper on orthogonal activations), by exact expansion; networks of relu and of polynomials as networks of PolyReLU
(lemma 1, theorem 1), in exact arithmetic; equation 13 at i = 0."""
import ast
import math
from fractions import Fraction

from philox import SIMULATION, Random
from polyrelu import polynomial, value
from study import Study

HIDDEN, BATCH, LENGTH, FUNCTION = 1024, 4, 4096, 10


# The unit of branches z and y with shared coefficients a and moments m; its number of moments; the size of the layer
# over the hidden one; the paper's operations and halves of values kept for each element.
COUNTED = (
    ("relu", "relu(z)", 0, 4, 1, 1, 2),
    ("gelu", "z*erfc(-z/1.4142135623730951)/2", 0, 4, 1, 18, 5),
    ("gelu by tanh", "0.5*z*(1+tanh(0.7978845608028654*(z+0.044715*(z*z*z))))", 0, 4, 1, 18, 5),
    ("swiglu", "z*sigmoid(z)*y", 0, 8, 3, 14, 6),
    ("relu2", "relu(z)*relu(z)", 0, 4, 1, 2, 4),
    ("polynorm", "a0+a1*z/sqrt(m1+1e-6)+a2*(z*z)/sqrt(m2+1e-6)+a3*(z*z*z)/sqrt(m3+1e-6)", 3, 4, 1, 18, 6),
    ("polyrelu", "a0+a1*relu(z)+a2*(relu(z)*relu(z))+a3*(relu(z)*relu(z)*relu(z))", 0, 4, 1, 10, 4))


def count(formula):
    """Sums, products and the like; exp and the like; values that differentiation backwards needs and that are there:
    factors of products but beside a number, divisor and dividend, what relu, tanh, sigmoid give, erfc's argument. A
    value that occurs twice is one; what has neither z nor y is computed once for many elements, and not counted."""
    def values(nodes):
        return {ast.dump(node): node for node in nodes
                if any(isinstance(leaf, ast.Name) and leaf.id in ("z", "y") for leaf in ast.walk(node))}

    steps, functions, kept = 0, 0, set()
    for node in values(ast.walk(ast.parse(formula, mode="eval").body)).values():
        if isinstance(node, ast.Call):
            functions += node.func.id != "relu"
            kept |= values(node.args if node.func.id == "erfc" else [node]).keys()
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
            factors = [node.left, node.right]
            if not any(isinstance(factor, ast.Constant) for factor in factors):
                kept |= values(factors).keys()
        steps += isinstance(node, (ast.Call, ast.BinOp, ast.UnaryOp))
    return steps - functions, functions, len(kept)


def print_operations():
    print("tables 8 and 9: operations of one forward pass for each element, exp, tanh and their like as %d; the same "
          "for a layer over its 24 BSH^2; values\nkept for the pass backwards; their memory in BF16, %d x %d x %d. "
          "With checkpoints: operations twice, nothing kept." % (FUNCTION, BATCH, LENGTH, HIDDEN))
    print("%-14s %5s %-18s %-18s %-20s %-14s %s" % ("", "layer", "ours", "operations", "share of a layer", "kept",
                                                    "memory, MiB"))
    print("%-14s %5s %-18s %5s %10s   %9s %10s %5s %8s   %5s %8s" % ("activation", "over", "arithmetic + functions",
                                                                     *["ours", "paper"] * 4))
    for name, formula, moments, over, under, theirs, halves in COUNTED:
        arithmetic, functions, kept = count(formula)
        arithmetic += 2 * moments  # each takes a square of a power that is there, and an addition
        operations, layer = arithmetic + FUNCTION * functions, over / under / (24 * HIDDEN)
        tensor = 2 * BATCH * LENGTH * HIDDEN * over / under / 2 ** 20
        print("%-14s %3d/%d %9d + %d %17d %10d   %8.3f%% %9.3f%% %5d %8.1f   %5.0f %8.0f" % (
            name, over, under, arithmetic, functions, operations, theirs, 100 * operations * layer,
            100 * theirs * layer, kept, halves / 2, kept * tensor, halves / 2 * tensor))


class Expanded(dict):
    """A polynomial: {sorted places of the variables of a product: coefficient}."""

    def __add__(self, other):
        total = Expanded(self)
        for product, c in (other if isinstance(other, Expanded) else {(): other}).items():
            total[product] = total.get(product, 0) + c
        return total

    def __mul__(self, other):
        if not isinstance(other, Expanded):
            return Expanded({product: c * other for product, c in self.items()})
        products = (Expanded({tuple(sorted(p + q)): c * d}) for p, c in self.items() for q, d in other.items())
        return sum(products, Expanded())

    def __sub__(self, other):
        return self + -1 * other

    def __truediv__(self, number):
        return self * Fraction(1, number)

    __radd__, __rmul__ = __add__, __mul__


def hermite(a, z):
    total, before, now = 0, 0, 1
    for k, factor in enumerate(a):
        total += factor * now
        before, now = now, (z * now - before) / (k + 1)
    return total


def drawn(random, dim, widths, scalars):
    """A network of random multiples of 1/16, whose units share so many numbers in a layer; what a layer's own output
    would have is drawn, too."""
    def number():
        return (-1 if random.uniform() < 0.5 else 1) * Fraction(1 + int(15 * random.uniform()), 16)

    def form(inputs):
        return {place: number() for place in (*range(inputs), -1)}

    layers = []
    for width in widths:
        forms = [form(dim) for _ in range(width)]
        shared = [number() for _ in range(scalars)]
        layers.append([(weights, shared) for weights in forms])
        form(width)
        dim = width
    return layers, form(dim)


def print_degrees():
    print("\nproposition F.3: L affine maps with units of degree d between, expanded exactly: its degree and terms; "
          "d^(L-1); the paper's d^L; terms of\nd^(L-1), and by remark F.5 of d^L")
    print("%2s %2s %3s %8s %8s %6s %8s %10s %12s" % ("L", "d", "dim", "degree", "d^(L-1)", "d^L", "terms", "possible",
                                                     "F.5"))
    random = Random(0, SIMULATION)
    for L, d, dim in ((2, 2, 1), (3, 2, 1), (4, 2, 1), (5, 2, 1), (3, 3, 1), (4, 3, 1),
                      (2, 2, 2), (3, 2, 2), (4, 2, 2), (3, 3, 2), (3, 2, 3), (3, 3, 3)):
        variables = [Expanded({(place,): Fraction(1)}) for place in range(dim)]
        terms = value(*drawn(random, dim, [3] * (L - 1), d + 1), variables, hermite)
        terms = [product for product, c in terms.items() if c]
        sharp, theirs = d ** (L - 1), d ** L
        print("%2d %2d %3d %8d %8d %6d %8d %10d %12d" % (L, d, dim, max(map(len, terms)), sharp, theirs, len(terms),
                                                         math.comb(sharp + dim, dim), math.comb(theirs + dim, dim)))


def coefficients(piece, a, side):
    """Of the polynomial piece(a, z) in side z, rounded to double."""
    terms = piece(a, Expanded({(0,): side}))
    return [Fraction(float(terms.get((0,) * power, 0))) for power in range(4)]


def image(layers, output, pieces):
    """The network of PolyReLU that it is. A unit becomes one of z where it is constant for z < 0, else two, of z and of
    -z (eq. 14), whose constant stands in the first alone."""
    made, places = [], None

    def moved(form, side):
        return {new: side * weight for old, weight in form.items() for new in (places[old] if places else [old])}

    for layer in layers:
        sides = [(side, coefficients(piece, layer[0][1], side)) for side, piece in zip((1, -1), pieces)]
        sides = [(side, c) for side, c in sides if any(c[1:])] or sides[:1]
        units = [(moved(form, side), [c[0] if i == 0 else 0, *c[1:]])
                 for form, _ in layer for i, (side, c) in enumerate(sides)]
        count = len(sides)
        places = {place: range(place * count, (place + 1) * count) for place in range(len(layer))} | {-1: [-1]}
        made.append(units)
    return made, moved(output, 1)


# Of each kind: most layers, numbers that a layer's units share, the unit where z is at least 0 and elsewhere.
KINDS = (("relu", 3, 0, lambda a, z: z, lambda a, z: 0 * z),
         ("relu2", 3, 0, lambda a, z: z * z, lambda a, z: 0 * z),
         ("leaky_relu", 3, 0, lambda a, z: z, lambda a, z: Fraction(0.01) * z),
         ("polynomial, order 3", 2, 4, polynomial, polynomial), ("hermite, degree 3", 2, 4, hermite, hermite),
         ("polyprelu, order 3", 2, 5, lambda a, z: polynomial(a[:-1], z), lambda a, z: polynomial(a[:-1], a[-1] * z)))


def print_images():
    networks, random = 40 if s.quick else 1000, Random(1, SIMULATION)
    print("\nlemma 1 and theorem 1: %d random networks of each kind, 1 to 3 layers of 4 units, as networks of "
          "PolyReLU: values equal exactly at rational points,\nthe same bits in double; units of the image over those "
          "of the network" % networks)
    print("%-20s %8s %8s %10s %8s" % ("kind", "points", "equal", "same bits", "units"))
    for kind, most, scalars, *pieces in KINDS:
        def unit(a, z, pieces=pieces):
            return pieces[z < 0](a, z)

        equal = bits = units = images = 0
        for n in range(networks):
            net = drawn(random, 2, [4] * (1 + n % most), scalars)
            same = image(*net, pieces)
            x = [Fraction(1, 1 + int(999 * random.uniform())) * (int(2000 * random.uniform()) - 1000) for _ in range(2)]
            at = [float(p) for p in x]
            equal += value(*net, x, unit) == value(*same, x)
            bits += value(*net, at, unit) == value(*same, at)
            units, images = units + sum(map(len, net[0])), images + sum(map(len, same[0]))
        print("%-20s %8d %8d %10d %8.2f" % (kind, networks, equal, bits, images / units))
    print("(hermite's coefficients a_k/k! are rounded to double; the others are doubles)")


def print_equation():
    z = Fraction(-2, 3)
    sums = (f"i = {i}: {z ** i}, {max(z, 0) ** i + (-1) ** i * max(-z, 0) ** i}" for i in range(4))
    print("\neq. 13, z^i = relu(z)^i + (-1)^i relu(-z)^i, both sides at z = -2/3: " + "; ".join(sums))


s = Study(__doc__, "part")
PARTS = {"operations": print_operations, "degrees": print_degrees, "images": print_images}
for part in s.those(0, PARTS):
    PARTS[part]()
if not s.words:
    print_equation()
