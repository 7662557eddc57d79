"""The agent under test: its process, its configuration, and the events that it publishes."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .world import INTERNET, NAMES

SETTLE_UP, SETTLE_DOWN = 0.05, 0.3
PREFIX = "reachagent."


@dataclass(frozen=True)
class Claim:
    """One event, and when it was read."""

    time: float
    seq: int
    type: str
    stamp: str
    data: dict[str, Any]


class Agent:
    """Runs the program in the namespace of the calling thread. Commands come from the thread that does the steps,
    `receive` is called by the judge's; they share nothing but the socket's path and the process."""

    def __init__(self, program: Path, with_probe: bool, families: tuple[int, ...]) -> None:
        self._program = program
        self._directory = tempfile.TemporaryDirectory(prefix="truth.")
        self.directory = Path(self._directory.name)
        self._families = families if with_probe else ()
        self.kinds: dict[str, str] = {f"{name[:2]}*": kind for kind, name in NAMES.items()}
        self.claims: list[Claim] = []
        self._stream: socket.socket | None = None
        self._rest = b""
        self._process: subprocess.Popen[bytes] | None = None
        self._log = open(self.directory / "log", "ab")

    # The program

    def start(self) -> None:
        self._write_configuration()
        self._process = subprocess.Popen(
            [self._program, "run", "--config", self.directory / "agent.toml", "--no-hooks", "--format", "none"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._log)

    def command(self, name: str) -> None:
        process = self._process
        if process is None:
            return
        if name in ("stop", "continue", "reload"):
            self._write_configuration()
            process.send_signal({"stop": signal.SIGSTOP, "continue": signal.SIGCONT, "reload": signal.SIGHUP}[name])
        else:
            process.send_signal(signal.SIGKILL if name == "kill" else signal.SIGTERM)
            process.wait(timeout=10)
            self.start()

    def override(self, interface: str, kind: str) -> None:
        self.kinds = {interface: kind, **self.kinds}

    def exit_status(self) -> int | None:
        """The status of a program that has ended by itself."""
        return self._process.poll() if self._process else None

    def close(self) -> None:
        if self._stream:
            self._stream.close()
        if self._process:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._directory.cleanup()

    def log(self) -> str:
        return (self.directory / "log").read_text(errors="replace")

    def _write_configuration(self) -> None:
        kinds = ", ".join(f'"{pattern}" = "{kind}"' for pattern, kind in self.kinds.items())
        addresses = ", ".join(f'"{address}"' for address in INTERNET.values())
        probes = "".join(f"""
[probe.web{family}]
target = "http://{INTERNET[family] if family == 4 else '[' + INTERNET[family] + ']'}/"
interval = "100ms"
fast_interval = "100ms"
timeout = "100ms"
rise = 1
fall = 2
""" for family in self._families)
        text = f"""
[agent]
socket_directory = "{self.directory}"
journal_directory = "{self.directory}/journal"
journal_sync = "never"
[settle]
up = "{int(SETTLE_UP * 1000)}ms"
down = "{int(SETTLE_DOWN * 1000)}ms"
[interfaces]
kinds = {{ {kinds} }}
internet_addresses = [{addresses}]
{probes}"""
        temporary = self.directory / "agent.toml.new"
        temporary.write_text(text)
        os.replace(temporary, self.directory / "agent.toml")

    # What it publishes

    def receive(self, now: float) -> None:
        """Read what has come; connects, and after a restart connects again and resumes."""
        if self._stream is None and not self._connect():
            return
        while self._stream is not None:
            try:
                piece = self._stream.recv(1 << 16)
            except BlockingIOError:
                return
            except OSError:
                piece = b""
            if not piece:
                self._stream.close()
                self._stream, self._rest = None, b""
                return
            *lines, self._rest = (self._rest + piece).split(b"\n")
            for line in lines:
                self._take(json.loads(line), now)

    def _take(self, reply: dict[str, Any], now: float) -> None:
        event = reply.get("parameters", {})
        if "seq" in event:
            self.claims.append(Claim(now, event["seq"], event["type"].removeprefix(PREFIX), event["time"],
                                     event.get("data", {})))

    def _connect(self) -> bool:
        last = self.claims[-1].seq if self.claims else 0
        try:
            stream = self._request("subscribe", {"since_seq": last}, more=True)
        except OSError:
            return False
        stream.setblocking(False)
        self._stream = stream
        return True

    def _request(self, method: str, parameters: dict[str, Any], more: bool = False) -> socket.socket:
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            stream.settimeout(2)
            stream.connect(str(self.directory / "control.sock"))
            request = {"method": method, "parameters": parameters, **({"more": True} if more else {})}
            stream.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            stream.close()
            raise
        return stream

    def status(self) -> dict[str, Any] | None:
        """The answer to `status`, or nothing when there is none."""
        try:
            with self._request("status", {}) as stream, stream.makefile("rb") as lines:
                return json.loads(lines.readline()).get("parameters")
        except (OSError, ValueError):
            return None

    def wait_ready(self, limit: float = 10) -> bool:
        """Wait until the control socket takes connections; for the thread that does the steps."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            try:
                self._request("status", {}).close()
                return True
            except OSError:
                time.sleep(0.01)
        return False
