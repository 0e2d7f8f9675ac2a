"""A headless Chromium, spoken to through a pipe: just enough of its DevTools protocol to look at one page."""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = "chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 120.0  # seconds for one answer: a limit against hanging, not a measurement
# The browser reads commands from descriptor 3 and answers on 4.
LAUNCH = """
import fcntl, os, sys
r, w = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3])
os.dup2(r, 3), os.dup2(w, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Page:
    """One open page: what it logged, what it asked for, and what an expression is worth in it."""

    def __init__(self, read: int, write: int) -> None:
        self.read, self.write, self.buffer, self.last = read, write, b"", 0
        self.events: list[dict[str, Any]] = []
        self.session = ""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Give a command and wait for its answer; events that come before are kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self.last:
                assert "error" not in answer, (method, answer["error"])
                return dict(answer["result"])
            self.events.append(answer)

    def _message(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self.read, 1 << 16)
            assert part, "the browser has gone"
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return dict(json.loads(message))

    def open(self, path: Path) -> None:
        """Load a file and wait until everything in it is loaded."""
        self.events.clear()
        self.send("Page.navigate", url=path.resolve().as_uri())
        while not self.seen("Page.loadEventFired"):
            self.events.append(self._message())

    def seen(self, *methods: str) -> list[dict[str, Any]]:
        """The parameters of the events of these kinds up to now."""
        return [e["params"] for e in self.events if e.get("method") in methods]

    def complaints(self) -> list[Any]:
        """What stands in the console, and exceptions."""
        return self.seen("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression, waited for if it is promised."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def resize(self, width: int, height: int = 900) -> None:
        """Show the page as on a screen of this size."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme: str) -> None:
        """A reader who prefers light or dark."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self) -> bytes:
        """What is on the screen, as png."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A page in a browser of its own."""
    ours, theirs = os.pipe(), os.pipe()  # commands, answers
    command = [
        sys.executable,
        "-c",
        LAUNCH,
        str(ours[0]),
        str(theirs[1]),
        PROGRAM,
        *FLAGS,
        f"--user-data-dir={profile}",
    ]
    with subprocess.Popen(command, pass_fds=(ours[0], theirs[1]), stderr=subprocess.DEVNULL) as process:
        os.close(ours[0])
        os.close(theirs[1])
        try:
            yield Page(theirs[0], ours[1])
        finally:
            os.close(ours[1])
            os.close(theirs[0])
            process.terminate()
