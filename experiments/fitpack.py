# SPDX-License-Identifier: GPL-3.0-or-later
"""Times FITPACK's least-squares splines (scipy.interpolate.LSQUnivariateSpline) on the samples of a file, degrees 1 to 3, on the
cells of the speedrun's widths; prints the seconds of the processor that a fit takes, the median of five, a
line for each degree. Used by bench when scipy is there."""
import statistics
import sys
import time

import numpy
from scipy.interpolate import LSQUnivariateSpline

x, y = numpy.loadtxt(sys.argv[1], unpack=True)


def seconds(knots, degree):
    begin = time.process_time()
    LSQUnivariateSpline(x, y, knots, k=degree, bbox=[-1, 1])
    return time.process_time() - begin


for degree in (1, 2, 3):
    cells = [numpy.linspace(-1, 1, max(width, 2))[1:-1] for width in range(1, 104, 3)]
    print(*(statistics.median(seconds(knots, degree) for _ in range(5)) for knots in cells))
