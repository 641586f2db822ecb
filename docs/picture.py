#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""picture.py FILE SWEEP-OPTIONS...: docs/figures/report.png, what the page of steep report looks like (make picture).

The page of the sweep with these options in a headless browser, from its table of slopes on, with the pointer on a mark of
the last series in the middle of the figure, and its first figure down to FILE's height.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
from browser import Browser  # noqa: E402

STEEP = os.path.abspath(os.environ.get("STEEP", "build/bin/steep"))
WIDTH, HEIGHT = 1180, 1010

# Where the middle mark of the last series stands in the window.
MARK = """(() => {
    const series = [...document.querySelectorAll('.panel.against-P .points')].pop(), marks = series.querySelectorAll('use');
    const box = marks[Math.floor(marks.length * 0.45)].getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
})()"""


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    base = tempfile.mkdtemp(prefix="steep-picture-")
    try:
        for words in (["sweep", *sys.argv[2:], "--quiet", "--no-figure", "--out", f"{base}/readme"],
                      ["report", f"{base}/readme", "--out", f"{base}/report.html"]):
            subprocess.run([STEEP, *words], check=True, stdout=subprocess.DEVNULL)
        with Browser(WIDTH, HEIGHT) as b:
            b.media(prefers_color_scheme="light", prefers_reduced_motion="reduce")
            b.open(f"{base}/report.html")
            b.run("document.querySelector('#slopes').scrollIntoView()")
            b.settle()
            x, y = b.run(MARK)
            for step in (9, 1):
                b.mouse("Moved", x + step, y - step)
                b.settle()
            if b.errors or not b.run("document.querySelector('#tip').checkVisibility()"):
                sys.exit(f"picture: the page shows no value under the pointer at {x:.0f}, {y:.0f}: {b.errors}")
            b.picture(sys.argv[1])
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"picture: {sys.argv[1]}")


if __name__ == "__main__":
    main()
