"""The agent under test: its process, its configuration, its event stream, and what it uses."""

import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")
PREFIX = "reachagent."


def table(name: str, keys: dict[str, Any]) -> str:
    """A table of TOML; its strings, arrays, numbers and booleans are written as JSON's."""
    return f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()) + "\n"


def seconds(stamp: str) -> float:
    """A time of the stream as seconds since 1970."""
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def connect(path: str, patience: float | None) -> socket.socket:
    """A connection to a Unix socket. Waits for a place in its queue, as programs without a timeout of their own do."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    limit = struct.pack("ll", int(patience or 0), int((patience or 0) % 1 * 1_000_000))
    try:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        stream.connect(path)
        stream.settimeout(patience)
    except OSError:
        stream.close()
        raise
    return stream


class Agent:
    def __init__(self, program: list[str], directory: Path, configuration: str) -> None:
        self.directory = directory
        self.sockets = directory / "run"
        self.sockets.mkdir()
        text = table("agent", {"socket_directory": str(self.sockets), "journal_directory": str(directory / "journal"),
                               "socket_mode": "0666"}) + configuration
        (directory / "agent.toml").write_text(text)
        os.chmod(directory, 0o755)
        os.chmod(self.sockets, 0o755)
        with open(directory / "log", "wb") as log:
            self.process = subprocess.Popen(
                [*program, "run", "--config", str(directory / "agent.toml"), "--no-hooks", "--format", "none"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        self.events: list[tuple[float, dict[str, Any]]] = []       # when each was read, and the event

    # What it publishes

    def status(self, patience: float = 5) -> dict[str, Any] | None:
        """The answer to `status`, or nothing when there is none in time."""
        try:
            with self.ask("status", {}, patience) as stream, stream.makefile("rb") as lines:
                return json.loads(lines.readline()).get("parameters")
        except (OSError, ValueError, AttributeError):
            return None

    def ask(self, method: str, parameters: dict[str, Any], patience: float | None = 5, more: bool = False
            ) -> socket.socket:
        stream = connect(str(self.sockets / "control.sock"), patience)
        try:
            stream.sendall(json.dumps({"method": method, "parameters": parameters, "more": more}).encode() + b"\n")
        except OSError:
            stream.close()
            raise
        return stream

    def follow(self, *types: str) -> None:
        """Collect the events of these types from now on."""
        stream = self.ask("subscribe", {"types": list(types)}, None, more=True)
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: socket.socket) -> None:
        try:
            with stream, stream.makefile("rb") as lines:
                for line in lines:
                    now, reply = time.time(), json.loads(line)
                    self.events.append((now, reply.get("parameters") or {}))
        except (OSError, ValueError):
            pass                       # the agent ended; what was read counts

    def named(self, name: str) -> list[tuple[float, dict[str, Any]]]:
        """The events of one type."""
        return [(when, event) for when, event in list(self.events) if event.get("type") == PREFIX + name]

    def wait(self, condition: Any, patience: float) -> bool:
        """Wait for what only the agent's status can say."""
        end = time.monotonic() + patience
        while time.monotonic() < end and self.process.poll() is None:
            if condition(self.status(2) or {}):
                return True
            time.sleep(0.05)
        return False

    # What it uses

    def resident(self) -> int:
        """Bytes of memory (VmRSS)."""
        try:
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        except OSError:
            pass
        return 0

    def processor(self) -> float:
        """Seconds of processor time."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            return 0
        return (int(fields[11]) + int(fields[12])) / TICKS

    # Its end

    def terminate(self, patience: float) -> tuple[float, int | None]:
        """SIGTERM: how long the end takes, and the status; none when it does not end."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            return self._reap(begun, patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return time.monotonic() - begun, None

    def _reap(self, begun: float, patience: float) -> tuple[float, int | None]:
        status = self.process.wait(patience)
        return time.monotonic() - begun, status

    def log(self) -> str:
        return (self.directory / "log").read_text(errors="replace")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
