"""Chromium by its DevTools protocol, over a pipe: no driver, no port, and nothing besides Python's own library."""

import base64
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium-headless-shell", "chromium")
SET_PDEATHSIG = 1
# Runs before the page's own script: what the policy refuses, and what keeps the browser busy for longer than 50 ms.
WATCH = """
window.refused = []
document.addEventListener('securitypolicyviolation', event =>
  refused.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))
window.stalls = []
window.whenStalled = null
const noteStalls = entries => {
  stalls.push(...entries.map(entry => entry.duration))
  if (entries.length) whenStalled?.(Math.max(...entries.map(entry => entry.duration)))
}
const stallObserver = new PerformanceObserver(list => noteStalls(list.getEntries()))
stallObserver.observe({type: 'longtask', buffered: true})
window.takeStalls = () => { noteStalls(stallObserver.takeRecords()); return stalls }
"""


class BrowserError(Exception):
    pass


def find() -> str | None:
    """The path of a browser; None without one."""
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


def end_with_parent() -> None:
    ctypes.CDLL(None).prctl(SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Browser:
    """One browser with one tab."""

    def __init__(self, program: str, directory: Path) -> None:
        self.events: list[dict[str, Any]] = []
        self._replies: dict[int, dict[str, Any]] = {}
        self._last, self._rest = 0, b""
        read_end, self._commands = os.pipe()
        self._output, write_end = os.pipe()

        def prepare() -> None:
            # Chromium reads commands from descriptor 3 and writes to 4. Neither end may be overwritten before it is moved.
            end_with_parent()
            high = [os.dup2(one, number) for one, number in ((read_end, 103), (write_end, 104))]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._process = subprocess.Popen(
            [program, "--remote-debugging-pipe", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={directory}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=prepare)
        os.close(read_end)
        os.close(write_end)
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def close(self) -> None:
        os.close(self._commands)
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    # The protocol

    def send(self, method: str, **parameters: Any) -> int:
        """Sends a command; `receive` has its reply."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        rest = json.dumps(message).encode() + b"\0"
        while rest:
            rest = rest[os.write(self._commands, rest):]
        return self._last

    def receive(self, number: int, patience: float = 15) -> dict[str, Any]:
        deadline = time.monotonic() + patience
        while number not in self._replies:
            self._read(deadline)
        reply = self._replies.pop(number)
        if "error" in reply:
            raise BrowserError(f"{reply['error']}")
        return reply["result"]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.receive(self.send(method, **parameters))

    def _read(self, deadline: float) -> None:
        remaining = deadline - time.monotonic()
        if remaining <= 0 or not select.select([self._output], [], [], remaining)[0]:
            raise BrowserError("the browser does not answer in time")
        piece = os.read(self._output, 1 << 20)
        if not piece:
            raise BrowserError("the browser has ended")
        *messages, self._rest = (self._rest + piece).split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self._replies[message["id"]] = message
            else:
                self.events.append(message)

    def wait(self, wanted: Callable[[dict[str, Any]], bool], patience: float = 15) -> dict[str, Any]:
        """The first event from now on that is wanted."""
        first, deadline = len(self.events), time.monotonic() + patience
        while True:
            for event in self.events[first:]:
                if wanted(event):
                    return event
            first = len(self.events)
            self._read(deadline)

    # The page

    def open(self, address: str) -> None:
        """Opens an address anew, and waits until it is loaded."""
        for one in ("about:blank", address):
            number = self.send("Page.navigate", url=one)
            self.wait(lambda event: event["method"] == "Page.loadEventFired")
            if error := self.receive(number).get("errorText"):
                raise BrowserError(f"{one}: {error}")

    def evaluate(self, expression: str, patience: float = 15) -> Any:
        """The value of an expression; of a promise, what it is resolved with."""
        return self.result(self.begin(expression), patience)

    def begin(self, expression: str) -> int:
        """Begins to evaluate an expression; `result` has its value."""
        return self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)

    def result(self, number: int, patience: float = 15) -> Any:
        reply = self.receive(number, patience)
        if "exceptionDetails" in reply:
            raise BrowserError(reply["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return reply["result"].get("value")

    def until(self, condition: str) -> str:
        """An expression for a promise that is resolved when a condition holds, at each change of the document."""
        return f"""new Promise(resolve => {{
            const check = () => {{ if ({condition}) {{ watch.disconnect(); resolve(performance.now()) }} }}
            const watch = new MutationObserver(check)
            watch.observe(document, {{subtree: true, childList: true, characterData: true, attributes: true}})
            check() }})"""

    def press(self, key: str, code: int, text: str = "", modifiers: int = 0) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      modifiers=modifiers, **({"text": text} if text and kind == "keyDown" else {}))

    def resize(self, width: int, height: int = 900) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def emulate(self, scheme: str = "light", media: str = "", **features: str) -> None:
        wanted = {"prefers-color-scheme": scheme} | {name.replace("_", "-"): value for name, value in features.items()}
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": name, "value": value} for name, value in wanted.items()])

    def picture(self, path: Path, whole: bool = True, **options: Any) -> None:
        image = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **options)["data"]
        path.write_bytes(base64.b64decode(image))

    def complaints(self) -> list[str]:
        """The errors in the browser's log, except those of a connection that the test itself has broken."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif event["method"] == "Log.entryAdded":
                entry = event["params"]["entry"]
                if entry["level"] == "error" and entry["source"] != "network":
                    found.append(f"{entry['source']}: {entry['text']}")
        return found
