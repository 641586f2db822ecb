# SPDX-License-Identifier: GPL-3.0-or-later
"""Steep from Python: shallow networks fitted to arrays, the slopes of their errors, sweeps of the program.

    import numpy as np, steep
    x = np.linspace(-1, 1, 500)
    net = steep.fit(x, np.exp(-x) * np.cos(8 * x), arch="gqu", width=20)
    net(x), net.gradient(x)

Options have the names of the command line, with _ for -: max_iterations=50. What the library refuses is a ValueError with
its own sentence. Several threads may work at once, and pools of processes may return networks, which can be pickled.
STEEP_LIBRARY and STEEP_PROGRAM name another library and program.
"""
import contextlib
import csv
import ctypes
import html
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

__all__ = ["fit", "law", "load", "slope", "sweep", "Law", "Network", "Slope", "Sweep"]

_here = Path(__file__).resolve()
_proceed_type = ctypes.CFUNCTYPE(
    ctypes.c_bool, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_double, ctypes.c_double)
_types = {"p": ctypes.c_void_p, "t": ctypes.c_char_p, "z": ctypes.c_size_t, "d": ctypes.c_double, "i": ctypes.c_int,
          "f": _proceed_type, "-": None}
_raised = {-3: ValueError, -4: MemoryError, -5: OSError}  # by steep_status; RuntimeError: the fit failed


def _open_library():
    """Beside the installed module, of the checkout that the module is in, or where the loader looks."""
    places = [_here.parents[1] / "build/lib/libsteep.so", *(folder / "libsteep.so.0" for folder in _here.parents[1:3])]
    found = [str(path) for path in places if path.exists()]
    library = ctypes.CDLL(os.environ.get("STEEP_LIBRARY") or (found + ["libsteep.so.0"])[0])
    for entry in ("new:p:pfp", "free:-:p", "fit:i:pzzppt", "load:i:ptpzt", "save:i:ptt", "values:i:pzppp",
                  "slope:i:pzpppt", "law:i:pzpppt", "certify:i:ptt", "number:d:pt", "text:t:pt"):
        name, result, arguments = entry.split(":")
        function = getattr(library, "steep_session_" + name, None)
        if function:  # certify is an annex, which a build may lack
            function.restype, function.argtypes = _types[result], [_types[code] for code in arguments]
    return library


_library = _open_library()


def _call(name, *arguments):
    return getattr(_library, "steep_session_" + name)(*arguments)


def _array(value, name, dim=1):
    """Doubles in C's order, of real numbers; what is masked is NaN."""
    array = value.astype(float).filled(np.nan) if np.ma.isMaskedArray(value) else np.asarray(value)
    if array.dtype.kind not in "fiub" or array.ndim > dim:
        raise ValueError(f"{name}: an array of {array.dtype} and shape {array.shape}: give real numbers, "
                         + ("of shape (N,) or (N, d)" if dim == 2 else "of shape (N,)"))
    return np.asarray(array, np.float64, order="C")


def _words(options):
    """Names and values in turn, as the library takes them; what is None or False is not given."""
    words = []
    for name, value in options.items():
        value = bool(value) if isinstance(value, np.bool_) else value
        if value is None or value is False:
            continue
        if isinstance(value, (list, tuple, range, np.ndarray)):
            value = (";" if name == "target" else ",").join(str(part) for part in value)
        words += [name.rstrip("_").replace("_", "-"), "true" if value is True else str(value)]
    return words


class _Progress:
    """Asked once an iteration: shows a line on a terminal and in a notebook, and hears Ctrl-C and Interrupt."""

    def __init__(self, show):
        self.show = ("ipykernel" in sys.modules or bool(sys.stderr) and sys.stderr.isatty()) if show is None else show
        self.shown, self.signal, self.function = 0.0, None, _proceed_type(self.proceed)

    def proceed(self, _context, stage, iteration, rmse, seconds):
        if self.show and seconds >= self.shown + 0.5:
            self.shown = seconds
            stage = stage.decode() + ", " if stage else ""
            print(f"\r{stage}iteration {iteration}, rmse {rmse:.3e}, {seconds:.0f} s   ", end="", file=sys.stderr, flush=True)
        return self.signal is None

    def _hear(self, number, frame):
        self.signal = (number, frame)

    def __enter__(self):
        # The handler only takes a note: an exception within the callback would be lost.
        self.former, self.signal, self.shown = None, None, 0.0
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.former = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_):
        if self.former is not None:
            signal.signal(signal.SIGINT, self.former)
        if self.shown:
            sys.stderr.write("\n")
        if self.signal is not None:
            self.former(*self.signal)  # raises KeyboardInterrupt, unless the caller has another handler


class _Session:
    """A handle of the library; what it refuses is raised."""
    _whole = ("dim", "width", "params", "seed", "points", "dropped", "apart", "budgets")

    def __init__(self, options=None, progress=False):
        self._progress = _Progress(progress)
        words = [word.encode() for word in _words(options or {})] + [None]
        if any(word and b"\0" in word for word in words):
            raise ValueError("an option has a zero byte in it")
        self._handle = _call("new", (ctypes.c_char_p * len(words))(*words), self._progress.function, None)
        if not self._handle:
            raise MemoryError("no memory for a session")

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.steep_session_free(self._handle)

    __copy__ = __deepcopy__ = lambda self, _memo=None: self  # the handle is freed once, and nothing changes what it has

    def _do(self, name, *arguments, watched=False):
        text = ctypes.create_string_buffer(512)  # a steep_error
        with self._progress if watched else contextlib.nullcontext():
            status = _call(name, self._handle, *arguments, text)
        if status >= 0:
            return status
        message = text.value.decode(errors="replace") or f"steep: status {status}"
        raise _raised.get(status, RuntimeError)(message)

    def __getattr__(self, name):
        """A result by its name, a text or a number; NaN is a number that was not measured."""
        if name.startswith("_"):
            raise AttributeError(name)
        text = _call("text", self._handle, name.encode())
        if text is not None:
            return text.decode()
        number = _call("number", self._handle, name.encode())
        if math.isnan(number) and name.removesuffix("_low").removesuffix("_high") not in self._names:
            raise AttributeError(f"{type(self).__name__} has no result {name!r}")
        return int(number) if name in self._whole and not math.isnan(number) else number

    def __dir__(self):
        return [*super().__dir__(), *self._names]


class Network(_Session):
    """A fitted or loaded network: net(x), net.gradient(x), net.save(path), net.certify(target); its results are
    attributes: these, status, reason, architecture, unit, target, dim, width, params, seed."""
    _names = ("rmse_train", "rmse_test", "max_error", "floor", "gradient_norm", "coefficient", "rmse_single",
              "status", "reason", "architecture", "unit", "target", "dim", "width", "params", "seed")

    def __reduce__(self):
        """As its file, so that other processes have the same network."""
        with tempfile.TemporaryDirectory(prefix="steep-") as folder:
            self.save(f"{folder}/parameters.json")
            return _from_text, (Path(folder, "parameters.json").read_text(encoding="utf-8"),)

    def _values(self, x, gradient):
        """Values, and derivatives coordinate by coordinate."""
        x, dim = _array(x, "x", 2), self.dim
        if x.shape[1:] != (dim,) and (x.ndim > 1 or dim > 1):
            raise ValueError(f"x: shape {x.shape}: the network is in {dim}D: give points of shape (N, {dim})"
                             + (" or (N,)" if dim == 1 else ""))
        if not np.isfinite(x).all():
            raise ValueError("x: points are finite numbers, and there is NaN or infinity among these")
        columns, y = np.ascontiguousarray(x.T), np.empty(x.shape[:1])
        count, slopes = y.size, np.empty((dim, y.size)) if gradient else None
        if _call("values", self._handle, count, columns.ctypes.data, y.ctypes.data, slopes.ctypes.data if gradient else None) != 0:
            raise MemoryError(f"no memory for {count} points")
        return y, slopes

    def __call__(self, x):
        """The values at x of shape (N,) or (N, d), or at a number: the bits of steep predict."""
        return self._values(x, False)[0][()]

    def gradient(self, x):
        """The derivatives in x, of the shape of x."""
        slopes = self._values(x, True)[1]
        return np.ascontiguousarray(slopes.T).reshape(np.shape(x))

    def save(self, path):
        """Writes parameters.json, which steep predict, steep fit --load and steep.load read."""
        self._do("save", os.fsencode(path))

    def certify(self, target=None):
        """Encloses RMSE, sup and gradient norms of network minus target (a name or formula; None: what it was fitted to)
        on the whole box; a dict of pairs (low, high), high infinite where nothing bounds it."""
        try:
            self._do("certify", str(target or self.target).encode(), watched=True)
        except ValueError as refused:
            more = "" if target else "\nWhere the network was fitted to points, name their function: certify('exp(x)')"
            raise ValueError(f"{refused}{more}") from None
        ends = {}
        for name in ("rmse", "sup", "gradient", "w1inf"):
            low, high = (_call("number", self._handle, f"certified_{name}_{end}".encode()) for end in ("low", "high"))
            ends[name] = low, math.inf if math.isnan(high) else high
        return ends

    def __repr__(self):
        error = self.rmse_train if math.isnan(self.rmse_test) else self.rmse_test
        size = f"width {self.width} in {self.dim}D, {self.params} parameters"
        return f"<{self.architecture} of {size}: {self.status}, rmse {error:.3e}>"


def fit(x=None, y=None, *, progress=None, **options):
    """Fits a network to points x of shape (N,) or (N, d) and values y of shape (N,); without them, to target="..." or
    data="points.csv", x="a,b", y="c". Options by the names of steep fit; arch is gqu and width 20 where nothing is said.
    progress: True, False, or None: on a terminal and in a notebook. Ctrl-C raises KeyboardInterrupt."""
    if isinstance(x, str) or isinstance(y, str):  # names of columns
        x, y, options = None, None, {**options, "x_": x, "y_": y}
    net = Network(options, progress)
    if x is None and y is None:
        net._do("fit", 0, 0, None, None, watched=True)
        return net
    x, y = _array(x, "x", 2), _array(y, "y")
    if x.ndim == 0 or y.shape != x.shape[:1]:
        raise ValueError(f"x has shape {x.shape} and y has shape {y.shape}: give x of shape (N,) or (N, d), y of (N,)")
    columns = np.ascontiguousarray(x.T)
    net._do("fit", len(x), 1 if x.ndim == 1 else x.shape[1], columns.ctypes.data, y.ctypes.data, watched=True)
    return net


def load(path):
    """A network from parameters.json, or from the folder of steep fit --out."""
    net = Network()
    net._do("load", os.fsencode(Path(path, "parameters.json") if os.path.isdir(path) else path), None, 0)
    return net


def _from_text(text):
    with tempfile.TemporaryDirectory(prefix="steep-") as folder:
        Path(folder, "parameters.json").write_text(text, encoding="utf-8")
        return load(folder)


class Slope(_Session):
    """The exponent of error ~ size^slope with its interval, these numbers, points, dropped, apart, remark and status."""
    _names = "slope low high intercept first last drift floor offset held_out points dropped apart remark status".split()

    def __repr__(self):
        return f"<slope {self.slope:.4g} [{self.low:.4g}, {self.high:.4g}]{self.remark and ', ' + self.remark}>"


class Law(_Session):
    """These results, most with _low and _high, and the others of steep_session_law."""
    _names = ("E A a B b c params_exponent data_exponent prediction one_run held_out wider condition hoffmann kaplan product "
              "scatter falls shared apart budgets remark status").split()

    def __repr__(self):
        return f"<law E {self.E:.4g}, a {self.a:.4g}, b {self.b:.4g}: {self.remark}>"


def _measure(result, name, **columns):
    """Calls the library with columns of one length; floor may be None, a column that is not there."""
    arrays = {key: _array(column, key) for key, column in columns.items() if column is not None or key != "floor"}
    shape = next(iter(arrays.values())).shape
    if len(shape) != 1 or any(array.shape != shape for array in arrays.values()):
        raise ValueError(", ".join(f"{key} of shape {a.shape}" for key, a in arrays.items()) + ": give as many of each")
    result._do(name, *shape, *(arrays[key].ctypes.data if key in arrays else None for key in columns))
    return result


def slope(sizes, errors, scatter=None, floor=None, **options):
    """The slope of errors against sizes, by the options of steep slope; scatter: the relative scatter of the errors."""
    return _measure(Slope({**options, "scatter": scatter}), "slope", sizes=sizes, errors=errors, floor=floor)


def law(params, data, loss, **options):
    """The law of losses of networks of so many params, trained on so many data, by the options of steep law."""
    return _measure(Law(options), "law", params=params, data=data, loss=loss)


def _program():
    beside = [_here.parents[3] / "bin/steep"] if len(_here.parents) > 3 else []
    found = [str(path) for path in (_here.parents[1] / "build/bin/steep", *beside) if os.access(path, os.X_OK)]
    program = os.environ.get("STEEP_PROGRAM") or (found + [shutil.which("steep")])[0]
    if not program:
        raise FileNotFoundError("the program steep is not found: install it, or name it in STEEP_PROGRAM")
    return program


def _columns(path):
    """A CSV file as numpy arrays by column, a DataFrame where pandas is there."""
    with open(path, newline="") as file:
        header, *rows = csv.reader(line for line in file if not line.startswith("#"))
    table = {}
    for name, column in zip(header, zip(*rows) if rows else [()] * len(header)):
        for kind in (str, lambda cell: float(cell or "nan"), int):  # the last that reads them all
            with contextlib.suppress(ValueError):
                table[name] = np.array([kind(cell) for cell in column])
    with contextlib.suppress(ImportError):
        import pandas
        return pandas.DataFrame(table)
    return table


class Report(type(Path())):
    """The path of an HTML page."""
    def _repr_html_(self):
        return f'<iframe srcdoc="{html.escape(self.read_text())}" width="100%" height="700"></iframe>'


class Sweep:
    """What a sweep left in its folder: rows and slopes by column, the paths of its figures by svg, pdf, png."""
    def __init__(self, folder, temporary=None):
        self.folder, self._temporary = Path(folder), temporary
        self.rows, self.slopes = _columns(self.folder / "fits.csv"), _columns(self.folder / "slopes.csv")
        self.figures = {path.suffix[1:]: path for path in self.folder.glob("slopes.[sp][vdn][gf]")}

    def report(self):
        """The page of steep report, which stands in the folder: a path that a notebook shows."""
        path = Report(self.folder / "report.html")
        subprocess.run([_program(), "report", str(self.folder), f"--out={path}"], check=True, capture_output=True)
        return path

    def __repr__(self):
        return f"<sweep in {self.folder}: {len(self.rows['width'])} fits>"

    def _repr_svg_(self):
        return self.figures["svg"].read_text() if "svg" in self.figures else None


def _watch(process, show):
    """Reads the program's events, until what went wrong, or ""; words that it does not know it refuses in plain text."""
    message = ""
    for line in process.stderr:
        if not line.startswith("{"):
            message += line
            continue
        event = json.loads(line)
        if event.get("event") == "progress" and show:
            print(f"\r{event.get('done')} of {event.get('total')} fits, {event.get('seconds', 0):.0f} s   ", end="",
                  file=sys.stderr, flush=True)
        if event.get("event") == "end":
            message = event.get("text") or message
    return message.removeprefix("steep: ").strip()


def sweep(out=None, *, progress=None, **options):
    """Runs steep sweep in a process of its own, with the options of the command line, and returns a Sweep. out: the
    folder, where a later sweep goes on; None: one that goes with the Sweep. Ctrl-C stops the program, which keeps the fits
    that are done, and raises KeyboardInterrupt."""
    temporary = tempfile.TemporaryDirectory(prefix="steep-") if out is None else None
    folder = temporary.name if temporary else os.fspath(out)
    words, show = _words(options), _Progress(progress).show
    flags = [f"--{name}" if text == "true" else f"--{name}={text}" for name, text in zip(words[::2], words[1::2])]
    process = subprocess.Popen([_program(), "sweep", *flags, f"--out={folder}", "--json"], text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        message, status = _watch(process, show), process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    if show:
        sys.stderr.write("\n")
    if status != 0:
        raise (ValueError if status == 2 else RuntimeError)(message or f"steep sweep ended with status {status}")
    return Sweep(folder, temporary)
