# SPDX-License-Identifier: GPL-3.0-or-later
"""execute.py PAGE FOLDER: runs the Python of a page, block after block in one namespace, in FOLDER. A block without a
language is what the code before it must print; a ValueError it may print, too, as "ValueError: text"."""
import contextlib
import io
import os
import re
import sys

page, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
with open(page) as file:
    blocks = re.findall(r"^```(python)?\n(.*?)^```$", file.read(), re.M | re.S)
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
names, pairs = {"__name__": "__main__"}, zip(blocks, [*blocks[1:], ("python", "")])
for (language, code), (after, expected) in pairs:
    if not language:
        continue
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(compile(code, page, "exec"), names)
        except ValueError as error:
            if after:
                raise
            print(f"ValueError: {error}")
    if not after and output.getvalue() != expected:
        sys.exit(f"{page}:\n{code}prints\n{output.getvalue()}and not\n{expected}")
