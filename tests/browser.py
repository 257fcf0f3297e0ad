"""Drives headless Chromium over the DevTools protocol: open a page, run script in it, press keys, take a picture."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.sync.client import connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--remote-debugging-port=0", "about:blank"),
)
KEYS = {
    "j": 74,
    "k": 75,
    "n": 78,
    "p": 80,
    "ArrowRight": 39,
    "ArrowLeft": 37,
    "Home": 36,
    "End": 35,
    "Enter": 13,
    "Tab": 9,
    "Escape": 27,
    " ": 32,
}


def require_chromium():
    """Skips without Chromium on a person's machine, and fails without it where CI runs."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("chromium is missing: .ci/run installs it")
        pytest.skip("chromium is not installed")


class Browser:
    """One Chromium process with a profile of its own."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [CHROMIUM, f"--user-data-dir={self._folder.name}", *FLAGS],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = Path(self._folder.name, "DevToolsActivePort")
        for _ in range(600):
            if port_file.exists() and len(port_file.read_text().splitlines()) == 2:
                break
            time.sleep(0.05)
        port, path = port_file.read_text().splitlines()
        self._open = ExitStack()
        address = f"ws://127.0.0.1:{port}{path}"
        self._socket = self._open.enter_context(connect(address, max_size=None, proxy=None))
        self._numbers = itertools.count(1)
        self.events = []
        return self

    def __exit__(self, *_):
        self._open.close()
        self._process.terminate()
        self._process.wait(20)
        self._folder.cleanup()

    def call(self, method, session=None, **params):
        """Sends a command and returns its result; events that come meanwhile are kept."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            answer = json.loads(self._socket.recv(60))
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def open(self, url, *, width=1280, height=900, dark=False, script=True, media=""):
        """Opens a page in a new tab and waits until it is loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, url, width=width, height=height, dark=dark, script=script, media=media)


class Page:
    """A tab."""

    def __init__(self, browser, session, url, *, width, height, dark, script, media):
        self._browser, self._session = browser, session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Page.navigate", url=url)
        for _ in range(400):
            if any(each.get("method") == "Page.loadEventFired" for each in self.events()):
                break
            self.call("Page.getFrameTree")
            time.sleep(0.02)

    def call(self, method, **params):
        """Sends a command to the tab."""
        return self._browser.call(method, self._session, **params)

    def events(self):
        """Returns what the tab has told so far."""
        return [each for each in self._browser.events if each.get("sessionId") == self._session]

    def evaluate(self, expression):
        """Returns the value of an expression of JavaScript in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def complaints(self):
        """Returns errors of scripts, of the console and of the content policy."""
        time.sleep(0.05)
        self.call("Page.getFrameTree")  # takes in the events that have come
        return [
            each["params"]
            for each in self.events()
            if each["method"] == "Runtime.exceptionThrown"
            or (each["method"] == "Runtime.consoleAPICalled" and each["params"]["type"] in ("error", "warning"))
            or (each["method"] == "Log.entryAdded" and each["params"]["entry"]["level"] in ("error", "warning"))
        ]

    def requests(self):
        """Returns every address that the page asked for."""
        return [
            each["params"]["request"]["url"] for each in self.events() if each["method"] == "Network.requestWillBeSent"
        ]

    def press(self, key, times=1):
        """Presses a key on whatever has the focus."""
        text = {"text": "\r"} if key == "Enter" else {}
        for _ in range(times):
            for kind, typed in (("keyDown", text), ("keyUp", {})):
                code = KEYS[key]
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **typed)

    def drag(self, start, stop):
        """Drags the mouse from one place to another."""
        for kind, (x, y) in (("mouseMoved", start), ("mousePressed", start), ("mouseMoved", stop)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=stop[0], y=stop[1], button="left", clickCount=1)

    def click(self, place):
        """Clicks at a place."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def screenshot(self, path, *, full=False):
        """Writes a picture of the window, or of the whole page."""
        taken = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(taken["data"]))
