# SPDX-License-Identifier: GPL-3.0-or-later
"""study: what the scripts of this folder share: their command line, running steep sweep into a subfolder, reading its
tables back, slopes of other columns by steep slope, and drawing plots/NAME.gp. The program is build/bin/steep, or
STEEP (build/experiments/NAME sets STEEP). A script ends with a message when something fails."""
import argparse
import collections
import csv
import json
import math
import os
import subprocess
import sys

STEEP = os.environ.get("STEEP", "build/bin/steep")
PLOTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plots")
ABSENT = collections.defaultdict(lambda: math.nan)  # the row that no table has


def value(text):
    """A cell of a table: a number where it is one, NaN where it is empty."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text or "nan")
    except ValueError:
        return text


def read(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return [{name: value(text) for name, text in row.items()} for row in csv.DictReader(stream)]


def blocks(path):
    """The parameters of the network in a file, block by block, a list of rows each; gates first."""
    with open(path, encoding="utf-8") as stream:
        return [block["values"] for block in json.load(stream)["blocks"]]


def write_network(path, like, width, values, layers=None):
    """A network like that of a file, with these blocks of parameters; layers: their widths, where these are others."""
    with open(like, encoding="utf-8") as stream:
        network = json.load(stream) | ({"layers": layers} if layers else {})
    if layers == [width]:
        del network["layers"]
    network |= {"width": width, "params": 0, "blocks": []}
    for rows in values:
        shape = len(rows), len(rows[0])
        network["blocks"].append({"name": "", "offset": network["params"], "shape": shape, "values": rows})
        network["params"] += shape[0] * shape[1]
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(network, stream)


def pick(rows, **keys):
    """The first row with these values, or one of NaN."""
    return next((row for row in rows if all(row[key] == wanted for key, wanted in keys.items())), ABSENT)


def some(rows, **keys):
    return [row for row in rows if all(row[key] == wanted for key, wanted in keys.items())]


def line(sizes, errors):
    """Slope of the line through the logarithms, by least squares."""
    x, y = [math.log(size) for size in sizes], [math.log(error) for error in errors]
    middle = [math.fsum(z) / len(z) for z in (x, y)]
    return math.fsum((p - middle[0]) * (q - middle[1]) for p, q in zip(x, y)) / math.fsum((p - middle[0]) ** 2 for p in x)


def solved(rows, right):
    """Gaussian elimination; more rows than columns: their least squares, by the normal equations."""
    n = len(rows[0])
    if len(rows) > n:
        right = [sum(row[i] * r for row, r in zip(rows, right)) for i in range(n)]
        rows = [[sum(row[i] * row[j] for row in rows) for j in range(n)] for i in range(n)]
    rows = [[*row, r] for row, r in zip(rows, right)]
    for i in range(n):
        most = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[most] = rows[most], rows[i]
        for k in range(i + 1, n):
            part = rows[k][i] / rows[i][i]
            rows[k] = [p - part * q for p, q in zip(rows[k], rows[i])]
    x = []
    for i in reversed(range(n)):
        x.insert(0, (rows[i][n] - sum(p * q for p, q in zip(rows[i][i + 1:n], x))) / rows[i][i])
    return x


def eigenvalues(a):
    """Of a symmetric matrix, by Jacobi's rotations, after each of which a[i][j] = 0."""
    for i, j in [(i, j) for i in range(len(a)) for j in range(i)] * 12:
        if abs(a[i][j]) <= 1e-17 * math.sqrt(abs(a[i][i] * a[j][j])):
            continue
        half = (a[j][j] - a[i][i]) / (2 * a[i][j])
        t = (1 if half >= 0 else -1) / (abs(half) + math.hypot(half, 1))
        q = 1 / math.hypot(t, 1)
        p = t * q
        a[i], a[j] = [q * x - p * y for x, y in zip(a[i], a[j])], [p * x + q * y for x, y in zip(a[i], a[j])]
        for row in a:
            row[i], row[j] = q * row[i] - p * row[j], p * row[i] + q * row[j]
    return [row[i] for i, row in enumerate(a)]


def theory_2d(degree):
    """Slope against n in two dimensions, of units that hold relu^degree: -1/2 - (2 degree + 1)/4 (Siegel and Xu,
    docs/explanation/theory.md)."""
    return -(3 + 2 * degree) / 4


def number(form, x):
    """The number in this format, or a dash as wide for NaN."""
    return form % x if not math.isnan(x) else "%*s" % (len(form % 1e-5), "-")


def words_of(options):
    """Those of a command: max_iterations=50 is --max-iterations 50, a list is one of names or sizes."""
    words = []
    for name, choice in options.items():
        if isinstance(choice, (list, tuple)):
            choice = (";" if name == "target" else ",").join(map(str, choice))
        if choice is not False:
            words += ["--" + name.replace("_", "-")] + ([] if choice is True else [str(choice)])
    return words


class Study:
    """columns: those that --only may name, from the first; more: what --full, --data and --draw say in --help, where a
    script takes them."""

    def __init__(self, about, columns="", **more):
        self.name = os.path.basename(sys.argv[0]).removesuffix(".py")
        parser = argparse.ArgumentParser(prog=self.name, description=about, allow_abbrev=False)
        parser.add_argument("--out", metavar="DIR", default="results/" + self.name, help="folder for tables and figures")
        parser.add_argument("--quick", action="store_true", help="fewer and smaller fits")
        parser.add_argument("--keep", action="store_true", help="keep the fits that an earlier run left in DIR")
        if columns:
            parser.add_argument("--only", metavar="WORDS", help="only the rows of the table that begin with these words, "
                                f"no figure: '{columns}', all or the first of them")
        kinds = {"full": {"action": "store_true"}, "data": {"metavar": "DIR"}, "draw": {"metavar": "SEED", "type": int}}
        for name, says in more.items():
            parser.add_argument("--" + name, help=says, **kinds[name])
        self.options = parser.parse_args()
        self.out, self.quick = self.options.out, self.options.quick
        self.words = (getattr(self.options, "only", None) or "").split()
        if len(self.words) > len(columns.split()):
            self.no_row()
        try:
            os.makedirs(self.out, exist_ok=True)
        except OSError as error:
            self.end(f"--out {self.out}: {error.strerror}: use another folder", 2)

    def note(self, message):
        print(f"{self.name}: {message}", file=sys.stderr)

    def end(self, message, status=1):
        self.note(message)
        sys.exit(status)

    def no_row(self):
        self.end(f"--only '{' '.join(self.words)}': no row begins so: use words that rows begin with", 2)

    def wants(self, *names):
        """Whether rows that begin with these names are asked for."""
        return all(str(name) == word for name, word in zip(names, self.words))

    def those(self, column, names):
        """The names that are asked for in this column; the script ends where none is."""
        found = [name for name in names if column >= len(self.words) or str(name) == self.words[column]]
        return found or self.no_row()

    def steep(self, *words, **how):
        try:
            done = subprocess.run([STEEP, *words], check=False, **how)
        except OSError as error:
            self.end(f"{STEEP}: {error.strerror}: use make, or STEEP=FILE for another program")
        if done.returncode != 0:
            self.end(f"steep {' '.join(words)}: exit status {done.returncode}")
        return done.stdout

    def printed(self, *words, **options):
        """What a command prints."""
        return self.steep(*words, *words_of(options), stdout=subprocess.PIPE, text=True)

    def tables(self, *words, **options):
        """The rows of each table that a command prints."""
        return [table["rows"] for table in json.loads(self.printed(*words, **options, format="json"))["tables"]]

    def sweep(self, folder, figure=False, **options):
        """Runs a sweep into out/folder. Its fits, slopes and series."""
        path = os.path.join(self.out, folder)
        kept = {"no_figure": not figure, "fresh": not self.options.keep, "out": path}
        self.steep("sweep", *words_of(kept | options), stdout=subprocess.DEVNULL)
        tables = collections.namedtuple("Tables", "fits slopes series")
        return tables(*(read(os.path.join(path, name + ".csv")) for name in tables._fields))

    def network(self, folder, fit):
        """The blocks of parameters of a fit that a sweep with keep_networks saved into out/folder, gates first."""
        name = "{arch}-{activation}-{target}-{solver}-{start}-w{width}-s{seed}.json".format(**fit)
        return blocks(os.path.join(self.out, folder, "networks", name))

    def law(self, *words):
        """steep law of out/points.csv: {parameter: (value, low, high)}."""
        rows, *_ = self.tables("law", f"{self.out}/points.csv", *words)
        return {row["parameter"]: (row["value"], row["low"], row["high"]) for row in rows}

    def slopes(self, curves):
        """steep slope of curves {name: [(size, error, floor), ...]}: {name: {method: row}}."""
        path = os.path.join(self.out, "curves.csv")
        names = list(curves)
        self.write("curves.csv", "curve,size,error,floor", [(i, *point) for i, name in enumerate(names) for point in curves[name]])
        rows = csv.DictReader(self.printed("slope", path, size="size", error="error", floor="floor", by="curve",
                                           format="csv").splitlines())
        measured = {name: collections.defaultdict(lambda: ABSENT) for name in names}
        for row in rows:
            measured[names[int(row["curve"])]][row["method"]] = {key: value(text) for key, text in row.items()}
        os.remove(path)
        return measured

    def write(self, file, header, rows):
        """A table of out/ for gnuplot."""
        with open(os.path.join(self.out, file), "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows([header.split(","), *rows])

    def draw(self):
        """Draws plots/NAME.gp in out/, from the tables there; not from a part of their rows."""
        if self.words:
            return
        script = os.path.join(self.out, self.name + ".gp")
        try:
            with open(script, "w", encoding="utf-8") as stream:
                for name in ("style.gp", self.name + ".gp"):
                    with open(os.path.join(PLOTS, name), encoding="utf-8") as part:
                        stream.write(part.read() + "\n")
            subprocess.run(["gnuplot", self.name + ".gp"], cwd=self.out, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            self.end(f"{script}: {error}")
        self.note(f"figure: {self.out}/{self.name}.svg, .pdf, .png")
