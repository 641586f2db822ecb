# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of theorem 3 of the paper on polynomial composition, local Taylor polynomials of degree n - 1 glued by
trapezoids, in one and two dimensions: its largest error on a grid against the bound (1/n!)(2d/(3N))^n times the size of
the derivatives of order n, which leaves out the paper's factor 2^d.

f_N(x) = sum_m phi_m(x) P_m(x) over the points m/N, phi_m trapezoids of slope 3N that add to 1, P_m the polynomial
there. In one dimension it is a layer of 4N + 1 PolyReLU units of order n, a gate at -1 and one at each break. In two it
is sum A(x_1) C(x_2), A = phi_m(x_1) (x_1 - m_1/N)^k and C alike: the first layer has the same gates in x_1 and in x_2,
the second makes the products from squares, AC = ((A + C)^2 - (A - C)^2)/4."""
import math
import sys
from fractions import Fraction
from math import factorial, log2, nan

from study import Study

SIZES = (1, 2, 4, 8, 16, 32, 64)


def sin_cos(x):
    """Of a fraction to 30 digits: jumps are differences of 3N times what neighbours nearly agree in."""
    if not isinstance(x, Fraction):
        return math.sin(x), math.cos(x)
    sums, term, k = [0, 0], Fraction(1), 0
    while k < abs(x) or abs(term) > Fraction(1, 10 ** 30):
        sums[k % 2] += term * (-1) ** (k // 2)
        k += 1
        term *= x / k
    return sums[1], sums[0]


def sine(u):
    """The series of sin(u), for a series u."""
    s, c = ([of] for of in sin_cos(u[0]))
    for k in range(1, len(u)):
        s, c = (s + [sum(j * u[j] * c[k - j] for j in range(1, k + 1)) / k],
                c + [-sum(j * u[j] * s[k - j] for j in range(1, k + 1)) / k])
    return s


def runge(x, terms):
    """The series of 1/(1 + x^2)."""
    r, below = [], 1 + x * x
    for k in range(terms):
        r.append(((k == 0) - (2 * x * r[k - 1] if k > 0 else 0) - (r[k - 2] if k > 1 else 0)) / below)
    return r


def plane(waves):
    """Of a sum of (amplitude, a, b, phase), amplitude sin(a x + b y + phase): the coefficients of (x - p)^k (y - q)^j,
    k + j < terms, as rows of k."""
    def taylor(p, q, terms):
        rows = [[0.0] * terms for _ in range(terms)]
        for amplitude, a, b, phase in waves:
            turns = sin_cos(a * p + b * q + phase)
            for k in range(terms):
                for j in range(terms - k):
                    turn = turns[(k + j) % 2] * (-1) ** ((k + j) // 2)
                    rows[k][j] += amplitude * turn * a ** k * b ** j / factorial(k) / factorial(j)
        return rows
    return taylor


def padded(terms, *u):
    return [*u, *[0] * terms][:terms]


# Name, dimensions, the largest N, max over |k| = n of sup |D^k f| for n = 1 to 4, worked out by hand (none: from the
# grid), and the Taylor coefficients at a point.
TARGETS = (("sin1", 1, 64, (1, 1, 1, 1), lambda x, terms: sine(padded(terms, x + Fraction(7, 10), 1))),
           ("runge1", 1, 64, None, runge),
           ("chirp", 1, 64, None, lambda x, terms: sine(padded(terms, 4 * (x - 1) ** 2, 8 * (x - 1), 4))),
           ("sin2", 2, 16, (1, 1, 1, 1), plane([(1, 1, 1, 0.7)])),
           ("waves2", 2, 16, (5, 17, 59, 209), plane([(1, 3, -2, 1), (-0.5, 1, 4, 1.5707963267948966)])))


def shifted(c, h):
    """sum c_j (s + h)^j in powers of s."""
    c = list(c)
    for i in range(len(c) - 1):
        for j in reversed(range(i, len(c) - 1)):
            c[j] += h * c[j + 1]
    return c


def units(P, N):
    """sum_m phi_m P_m as units (gate, coefficients of relu(x - gate)), P_m in powers of x - m/N, None for 0.
    Between the plateaus of phi_m and phi_{m+1}, from t = (3m + 1)/(3N) to t' = (3m + 2)/(3N), P_m goes over to P_{m+1}:
    with D = P_{m+1} - P_m the pieces differ by 3N (x - t) D at t, and by -3N (x - t') D at t'."""
    terms, third = len(next(p for p in P if p)), Fraction(1, 3 * N)
    zero = [0] * terms
    made = [(-1.0, list(map(float, P[0])))] if P[0] else []
    for m, (before, after) in enumerate(zip(P, P[1:])):
        for turn in (1, 2) if before or after else ():
            ends = zip(shifted(before or zero, turn * third), shifted(after or zero, (turn - 3) * third))
            jump = [float((3 - 2 * turn) * (q - p) / third) for p, q in ends]
            made.append(((3 * (m - N) + turn) / (3 * N), [0.0, *jump]))
    return made


def value(made, x):
    y = 0.0
    for gate, e in made:
        v = x - gate
        if v < 0:
            break
        h, power = 0.0, 1.0
        for c in e:
            h += c * power
            power *= v
        y += h
    return y


def grid(side):
    return [-1 + 2 * k / (side - 1) for k in range(side)]


def line_error(taylor, n, N):
    made = units([taylor(Fraction(m, N), n) for m in range(-N, N + 1)], N)
    return max(abs(value(made, x) - taylor(x, 1)[0]) for x in grid(9601))


def plane_error(taylor, n, N):
    xs, centres = grid(97), [m / N for m in range(-N, N + 1)]
    y = [[0.0] * len(xs) for _ in xs]
    for m, p in enumerate(centres):
        at = [taylor(p, q, n) for q in centres]
        for k in range(n):
            own = units([padded(n, *[0] * k, 1) if o == m else None for o in range(len(centres))], N)
            C = [value(made, x) for made in [units([rows[k] for rows in at], N)] for x in xs]
            for row, A in zip(y, (value(own, x) for x in xs)):
                for j, c in enumerate(C):
                    row[j] += ((A + c) ** 2 - (A - c) ** 2) / 4
    return max(abs(y[i][j] - taylor(p, q, 1)[0][0]) for i, p in enumerate(xs) for j, q in enumerate(xs))


s = Study(__doc__, "target")
names, rows, largest = s.those(0, [target[0] for target in TARGETS]), [], []
print("%-7s %s %2s %45s" % ("target", "d", "n", "largest error at N"))
print("%-12s" % "" + "".join(" %8d" % N for N in SIZES) + "  %6s %8s" % ("order", "of bound"))
for name, d, last, most, taylor in TARGETS:
    for n in range(1, 5) if name in names else ():
        size = most[n - 1] if most else max(factorial(n) * abs(taylor(k / 2000, n + 1)[n]) for k in range(-2000, 2001))
        bounds = {N: size * (2 * d / (3 * N)) ** n / factorial(n) for N in SIZES if N <= (4 if s.quick else last)}
        found = {N: (line_error if d == 1 else plane_error)(taylor, n, N) for N in bounds}
        floor = 1e-13 * (1 + size)
        orders = [log2(found[N] / found[N // 2]) for N in found if N > 1 and found[N] > floor]
        largest.append(max(found[N] / bound for N, bound in bounds.items() if bound > floor))
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
