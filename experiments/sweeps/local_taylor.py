# SPDX-License-Identifier: GPL-3.0-or-later
"""Theorem 3 of the paper on polynomial composition: local Taylor polynomials of degree n - 1 glued by trapezoids, in
one and two dimensions,

    f_N(x) = sum_m phi_m(x) P_m(x),   phi_m(x) = prod_j min(1, max(0, 2 - 3 |N x_j - m_j|)),   P_m at the point m/N,

their largest error on a grid against the bound (1/n!)(2d/(3N))^n times the size of the derivatives of order n, which
leaves out the paper's factor 2^d. Networks of PolyReLU are f_N exactly: of one layer and 4N + 1 units in one dimension,
in two of two layers, the second of which makes the products from squares."""
import sys
from functools import cache
from itertools import product
from math import cos, factorial, floor, log2, nan, pi, prod, sin

from study import Study

SIZES = (1, 2, 4, 8, 16, 32, 64)


def chirp(x, terms):
    """Of sin(4 (x - 1)^2), by (sin u)' = u' cos u."""
    u = [4 * (x - 1) ** 2, 8 * (x - 1), 4]
    s, c = [sin(u[0])], [cos(u[0])]
    for k in range(1, terms):
        s, c = (s + [sum(j * u[j] * c[k - j] for j in range(1, min(k, 2) + 1)) / k],
                c + [-sum(j * u[j] * s[k - j] for j in range(1, min(k, 2) + 1)) / k])
    return {(k,): a for k, a in enumerate(s)}


def runge(x, terms):
    """Of 1/(1 + x^2)."""
    r = [0, 0]
    for k in range(terms):
        r.append(((k == 0) - 2 * x * r[-1] - r[-2]) / (1 + x * x))
    return {(k,): a for k, a in enumerate(r[2:])}


def waves(*of):
    """Of a sum of (amplitude, frequencies, phase), amplitude sin(frequencies . x + phase)."""
    def taylor(*point_and_terms):
        *point, terms = point_and_terms
        return {powers: sum(a * sin(sum(f * x for f, x in zip(w, point)) + phase + sum(powers) * pi / 2)
                            * prod(f ** k / factorial(k) for f, k in zip(w, powers)) for a, w, phase in of)
                for powers in product(range(terms), repeat=len(point)) if sum(powers) < terms}
    return taylor


# Name, dimensions, the largest N, max over |k| = n of sup |D^k f| for n = 1 to 4, worked out by hand (none: from the
# grid), and the Taylor coefficients at a point, {powers: coefficient}.
TARGETS = (("sin1", 1, 64, (1, 1, 1, 1), waves((1, (1,), 0.7))), ("runge1", 1, 64, None, runge),
           ("chirp", 1, 64, None, chirp),
           ("sin2", 2, 16, (1, 1, 1, 1), waves((1, (1, 1), 0.7))),
           ("waves2", 2, 16, (5, 17, 59, 209), waves((1, (3, -2), 1), (-0.5, (1, 4), pi / 2))))


def glued(local, N, x):
    """f_N(x); local: P_m."""
    total = 0
    for m in product(*((floor(N * v), floor(N * v) + 1) for v in x)):
        phi = prod(min(1, max(0, 2 - 3 * abs(N * v - centre))) for v, centre in zip(x, m))
        if phi > 0:
            total += phi * sum(c * prod((v - centre / N) ** k for v, centre, k in zip(x, m, powers))
                               for powers, c in local(m).items())
    return total


def largest_error(taylor, d, n, N):
    local = cache(lambda m: taylor(*(centre / N for centre in m), n))
    line = [-1 + 2 * k / (9600 if d == 1 else 96) for k in range(9601 if d == 1 else 97)]
    return max(abs(glued(local, N, x) - taylor(*x, 1)[(0,) * d]) for x in product(line, repeat=d))


s = Study(__doc__, "target")
names, rows, largest = s.those(0, [target[0] for target in TARGETS]), [], []
print("%-7s %s %2s %45s" % ("target", "d", "n", "largest error at N"))
print("%-12s" % "" + "".join(" %8d" % N for N in SIZES) + "  %6s %8s" % ("order", "of bound"))
for name, d, last, most, taylor in TARGETS:
    for n in range(1, 5) if name in names else ():
        size = most[n - 1] if most else max(factorial(n) * abs(taylor(k / 2000, n + 1)[n,]) for k in range(-2000, 2001))
        bounds = {N: size * (2 * d / (3 * N)) ** n / factorial(n) for N in SIZES if N <= (4 if s.quick else last)}
        found = {N: largest_error(taylor, d, n, N) for N in bounds}
        rounding = 1e-13 * (1 + size)
        orders = [log2(found[N] / found[N // 2]) for N in found if N > 1 and found[N] > rounding]
        largest.append(max(found[N] / bound for N, bound in bounds.items() if bound > rounding))
        rows += [(name, n, N, found[N], bound, bound * 2 ** d) for N, bound in bounds.items()]
        print("%-7s %d %2d" % (name, d, n) +
              "".join(" %8.1e" % found[N] if N in found else " %8s" % "-" for N in SIZES) +
              "  %6.2f %8.3f" % ([nan, *orders][-1], largest[-1]))
above = sum(quotient > 1 for quotient in largest)
if not s.words:
    print("order: slope between the last two N above rounding; of bound: largest quotient of error and bound; above 1: "
          f"{above} of {len(largest)} rows")
s.write("local_taylor.csv", "target,n,N,error,bound,published", rows)
s.draw()
sys.exit(above > 0)
