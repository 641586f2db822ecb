# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium driven over a pipe (the DevTools protocol), by the standard library alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One page in a browser of its own. errors: what its console complained of, and scripts that failed."""

    def __init__(self, width=1280, height=900):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not program:
            raise SystemExit("browser: no chromium: install the package chromium")
        self.errors, self.requests, self.number, self.buffer = [], [], 0, b""
        self.folder = tempfile.mkdtemp(prefix="steep-browser-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def hand_over():  # the browser reads file 3 and writes file 4
            for old, new in ((os.dup(to_read), 3), (os.dup(to_write), 4)):
                os.dup2(old, new)
                os.set_inheritable(new, True)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + self.folder,
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(width, height)

    session = None

    def close(self):
        try:
            session, self.session = self.session, None
            self.call("Browser.close")
            self.session = session
        except OSError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def message(self, seconds):
        """The next message of the browser; None: there was none in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                return None
            got = os.read(self.back, 1 << 20)
            if not got:
                raise OSError("the browser ended")
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(what["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(what["args"])[:500])
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.errors.append(what["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"][:200])
        return method

    def call(self, method, params=None, seconds=60):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message(seconds)
            if answer is None:
                raise OSError(f"{method}: no answer in {seconds} s")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path):
        """Opens a file; returns the seconds until it is loaded."""
        begun = time.monotonic()
        self.call("Page.navigate", {"url": "file://" + os.path.abspath(path)})
        while True:
            answer = self.message(120)
            if answer is None:
                raise OSError("the page does not load")
            if self.note(answer) == "Page.loadEventFired":
                return time.monotonic() - begun

    def run(self, script):
        """The value of an expression in the page; a promise is awaited."""
        answer = self.call("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise OSError(f"{script}: {json.dumps(answer['exceptionDetails'])[:600]}")
        return answer["result"].get("value")

    def settle(self):
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))")

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, media="", **features):
        self.call("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]})

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {"type": "mouse" + kind, "x": x, "y": y, **more})

    def click(self, x, y):
        for kind in ("Pressed", "Released"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", {"type": kind, "key": name, "code": name})

    def picture(self, path, whole=False):
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1}}
        else:
            clip = {}
        data = self.call("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": whole, **clip})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path):
        data = self.call("Page.printToPDF", {"printBackground": True, "preferCSSPageSize": False, "paperWidth": 8.27,
                                             "paperHeight": 11.69})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
