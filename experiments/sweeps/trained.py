# SPDX-License-Identifier: GPL-3.0-or-later
"""trained: what the scripts on networks trained from several starts share. A sweep draws points anew for each seed;
here every seed is another start on the same points, which the library writes into files. The library also gives values
of the units of a saved network."""
import ctypes
import glob
import json
import os
import re
import sys
from functools import cache
from math import isfinite, log10, sqrt

from study import STEEP, blocks, read, write_network

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
    try:
        found = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(STEEP)), "../lib/libsteep.so"))
    except OSError as error:
        sys.exit(f"{error}: use make lib")
    found.steep_session_new.restype = ctypes.c_void_p
    return found


def call(study, name, *arguments):
    """A function of the library whose last argument is a steep_error; the script ends where it fails."""
    error = ctypes.create_string_buffer(512)
    if getattr(library(), name)(*arguments, error) < 0:
        study.end(error.value.decode())


def numbers(of):
    return (ctypes.c_double * len(of))(*of)


def formula_values(study, formula, x):
    """Correctly rounded, of a formula in one variable."""
    opened, y = ctypes.c_void_p(), numbers(x)
    call(study, "steep_formula_parse", formula.encode(), ctypes.byref(opened))
    library().steep_formula_values(opened, ctypes.c_size_t(len(x)), numbers(x), y)
    return list(y)


def points(study, file, target, kind, count):
    """Training points of the target, and their values, in a file; its path, and their box as --domain takes it."""
    opened, samples = ctypes.c_void_p(), Samples()
    call(study, "steep_target_open", target.encode(), ctypes.byref(opened))
    call(study, "steep_samples_train", opened, KINDS.index(kind), ctypes.c_size_t(count), ctypes.c_uint64(0),
         ctypes.byref(samples))
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
    fits = study.sweep(f"{target}-{folder}", data=data, test_data=test_data, domain=domain, quiet=True,
                       **size | usual | options).fits
    if not all(isfinite(fit["rmse_test"]) for fit in fits):
        study.end(f"{study.out}/{target}-{folder}: a fit failed, see fits.csv there")
    return fits


def put_quartiles(study, variants, form, *names):
    """A table of units of width 16 on 500 random points of three targets, lm from 21 starts: the best, the quartiles
    and the median of the test errors. variants: {words of a row: options}; form: of these words, names: over them."""
    targets = ("cosine_well", "chirp", "franke")
    runs = {"max_iterations": 20, "seeds": "0:2"} if study.quick else {"max_iterations": 100}
    head = form.replace("d", "s") % names
    print(head + "".join("   %35s" % target for target in targets))
    print(" " * len(head) + "   %8s %8s %8s %8s" % ("best", "quartile", "median", "quartile") * len(targets))
    for words, options in variants.items():
        line = form % words
        for target in targets:
            fits = train(study, "-".join(map(str, words)), target, (16, "random", 500, 2000), **options, **runs)
            e, quarter = sorted(fit["rmse_test"] for fit in fits), len(fits) // 4
            line += "   %8.1e %8.1e %8.1e %8.1e" % (e[0], e[quarter], e[len(e) // 2], e[-1 - quarter])
        print(line)


def best_and_median(fits):
    """Of the test errors."""
    ordered, half = sorted(fit["rmse_test"] for fit in fits), len(fits) // 2
    return ordered[0], (ordered[half] + ordered[-1 - half]) / 2


def variance(fits):
    """Square of the standard error of the median of log10 of these errors, from two of them in order (McKean and
    Schrader 1984): s = (x_(n+1-c) - x_(c)) / (2 z), c = (n + 1)/2 - z sqrt(n/4), z = 2.5758, and c >= 1."""
    z, count, ordered = 2.5758293035489004, len(fits), sorted(log10(fit["rmse_test"]) for fit in fits)
    c = max(round((count + 1) / 2 - z * sqrt(count / 4)), 1)
    return ((ordered[count - c] - ordered[c - 1]) / (2 * z)) ** 2


def beside(own, plain):
    """log10 of best over best and median over median, and the variance of the latter."""
    ratios = (log10(a / b) for a, b in zip(best_and_median(own), best_and_median(plain)))
    return *ratios, variance(own) + variance(plain)


def networks(study, folder):
    """Files of the networks of a sweep with keep_networks, by seed."""
    paths = glob.glob(glob.escape(f"{study.out}/{folder}") + "/networks/*.json")
    return sorted(paths, key=lambda path: int(re.search(r"-s(\d+)(-[0-9a-f]+)?\.json$", path)[1]))


def coordinates(file):
    """Of the points of a file, column by column."""
    return numbers([x for column in list(zip(*(row.values() for row in read(file))))[:-1] for x in column])


def unit_values(study, path, x, layer=1):
    """A column for each unit of a layer of the network in a file, at points x: the values of the network that ends with
    this layer, its output weights 0 but for that unit's, 1."""
    with open(path, encoding="utf-8") as stream:
        network = json.load(stream)
    width, depth, below = network["width"], len(network.get("layers", [0])), blocks(path)[:-2]
    below = below[:len(below) // depth * layer]
    session, y, columns = ctypes.c_void_p(library().steep_session_new(None, None, None)), numbers(x), []
    count = len(x) // network["dim"]
    for i in range(width):
        weights = [[float(k == i)] for k in range(width)]
        write_network(path + ".unit", path, width, [*below, weights, [[0.0]]], [width] * layer)
        call(study, "steep_session_load", session, (path + ".unit").encode(), None, ctypes.c_size_t(0))
        library().steep_session_values(session, ctypes.c_size_t(count), x, y, None)
        columns.append(y[:count])
    library().steep_session_free(session)
    return columns
