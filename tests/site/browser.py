# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A headless Chromium, over the DevTools protocol on two pipes. It needs nothing but the browser."""
import json
import os
import shutil
import subprocess
import tempfile


def find():
    """The browser's command, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page of a browser. Use it with `with`, which ends the browser."""

    def __init__(self, command):
        self.folder = tempfile.TemporaryDirectory(prefix="chromium-")
        to_browser, self.input = os.pipe()
        self.output, from_browser = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
                   "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"]

        def pipes():  # the browser reads from 3 and writes to 4
            ends = os.dup(to_browser), os.dup(from_browser)  # which may be 3 or 4 themselves
            for number, end in enumerate(ends, 3):
                os.dup2(end, number)

        self.process = subprocess.Popen([command, *options], preexec_fn=pipes, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "HOME": self.folder.name})
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.input)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.output)
        self.folder.cleanup()

    def read(self):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            part = os.read(self.output, 1 << 20)
            if not part:
                raise SystemExit("the browser ended")
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        """Opens a page and waits until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for_page()

    def follow(self, script):
        """Runs a script that opens another page, and waits until that is loaded."""
        self.events.clear()
        self.run(script)
        self.wait_for_page()

    def wait_for_page(self):
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def problems(self):
        """What the browser has complained of since the page was opened."""
        for event in self.events:
            method, said = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = said["exceptionDetails"]
                yield f"script error: {details.get('exception', {}).get('description') or details['text']}"
            elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
                yield f"console: {said['args']}"
            elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
                yield f"log: {said['entry']['text']} {said['entry'].get('url', '')}"
            elif method == "Network.loadingFailed":
                yield f"request failed: {said.get('errorText')}"

    def run(self, script):
        """The value of an expression, which may be a promise, in the page."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "script failed"))
        return answer["result"].get("value")

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def prefer(self, theme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
