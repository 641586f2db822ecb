# SPDX-License-Identifier: GPL-3.0-or-later
"""trained: what the scripts on networks trained from several starts share. A sweep draws points anew for each seed;
here every seed is another start on the same points, which the library writes into files."""
import ctypes
import os
from functools import cache
from math import log10, sqrt

from study import STEEP

SEEDS = 21
KINDS = ("random", "grid")
# kind and number of the training points, number of the test points on a grid
ON_LINE, ON_PLANE = ("grid", 200, 2001), ("random", 400, 2500)
# of mixtures and blends: the width, the points
TARGETS = {"cosine_well": (8, *ON_LINE), "chirp": (8, *ON_LINE),
           "franke": (12, *ON_PLANE), "runge3_2d": (12, *ON_PLANE)}


class Samples(ctypes.Structure):
    """steep_samples; x column by column."""
    _fields_ = [("count", ctypes.c_size_t), ("dim", ctypes.c_size_t),
                *((name, ctypes.POINTER(ctypes.c_double)) for name in ("x", "y", "weight", "low", "high"))]


@cache
def library():
    found = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(STEEP)), "../lib/libsteep.so"))
    found.steep_session_new.restype = ctypes.c_void_p
    return found


def points(study, file, target, kind, count):
    """Training points of the target, and their values, in a file; its path, and their box as --domain takes it."""
    opened, samples, error = ctypes.c_void_p(), Samples(), ctypes.create_string_buffer(512)
    if (library().steep_target_open(target.encode(), ctypes.byref(opened), error) < 0
            or library().steep_samples_train(opened, KINDS.index(kind), ctypes.c_size_t(count), ctypes.c_uint64(0),
                                             ctypes.byref(samples), error) < 0):
        study.end(error.value.decode())
    size, axes = samples.count, range(samples.dim)
    names = [f"x{j + 1}" for j in axes] if samples.dim > 1 else ["x"]
    study.write(file, ",".join([*names, "y"]),
                [(*(samples.x[j * size + k] for j in axes), samples.y[k]) for k in range(size)])
    box = ",".join("%.17g:%.17g" % (samples.low[j], samples.high[j]) for j in axes)
    return os.path.join(study.out, file), box


def train(study, folder, target, place, formula=None, **options):
    """The fits of a sweep by lm from all starts; place: the width, kind and number of the training points, number of
    the test points."""
    width, kind, count, test = place
    data, domain = points(study, target + ".csv", formula or target, kind, count)
    test_data, _ = points(study, target + "-test.csv", formula or target, "grid", test)
    size = {} if "params" in options else {"widths": width}
    usual = {"solver": "lm", "start": "random", "restarts": 0, "seeds": f"0:{SEEDS - 1}"}
    return study.sweep(f"{target}-{folder}", data=data, test_data=test_data, domain=domain, quiet=True,
                       **size | usual | options).fits


def best_and_median(errors):
    ordered, half = sorted(errors), len(errors) // 2
    return ordered[0], (ordered[half] + ordered[-1 - half]) / 2


def variance(errors):
    """Square of the standard error of the median of log10 of these errors, from two of them in order (McKean and
    Schrader 1984): s = (x_(n+1-c) - x_(c)) / (2 z), c = (n + 1)/2 - z sqrt(n/4), z = 2.5758, and c >= 1."""
    z, count, ordered = 2.5758293035489004, len(errors), sorted(map(log10, errors))
    c = max(round((count + 1) / 2 - z * sqrt(count / 4)), 1)
    return ((ordered[count - c] - ordered[c - 1]) / (2 * z)) ** 2
