# SPDX-License-Identifier: GPL-3.0-or-later
"""Times FITPACK's least-squares splines (scipy.interpolate.LSQUnivariateSpline) on the samples of a file, degrees 1 to 3, on the
cells of the speedrun's widths; prints the median seconds a fit for each degree. Used by bench when scipy is there."""
import statistics
import sys
import time

import numpy
from scipy.interpolate import LSQUnivariateSpline

x, y = numpy.loadtxt(sys.argv[1], unpack=True)
for degree in (1, 2, 3):
    seconds = []
    for width in range(1, 104, 3):
        knots = numpy.linspace(-1, 1, max(width, 2))[1:-1]
        best = float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            LSQUnivariateSpline(x, y, knots, k=degree, bbox=[-1, 1])
            best = min(best, time.perf_counter() - begin)
        seconds.append(best)
    print(statistics.median(seconds))
