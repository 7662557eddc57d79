"""The peers that the agent is compared with: iperf3 for the rate, ping for the latency under load."""

import json
import math
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from .links import FAR_ADDRESS, command

# Slow start, and in round trips the repair of the losses at its end: iperf3 counts what waits behind a hole when the hole is
# filled, which would add bytes of the omitted time to the measured one, 3 % at 300 ms.
SLOW_START, REPAIR = 3, 10
PING_INTERVAL = 0.05


def iperf3(direction: str, seconds: float, round_trip: float) -> float:
    """The goodput in bits per second, as the receiver saw it after slow start; the round trip is in milliseconds."""
    omitted = SLOW_START + math.ceil(REPAIR * round_trip / 1000)
    server = subprocess.Popen(command("far", "iperf3", "--server", "--one-off", "--forceflush"),
                              stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        while "listening" not in (text := server.stdout.readline()):
            if not text:
                raise RuntimeError("iperf3 does not listen")
        words = ["iperf3", "--client", FAR_ADDRESS, "--time", f"{max(1, round(seconds))}", "--omit", str(omitted),
                 "--json"]
        if direction == "download":
            words.append("--reverse")
        result = subprocess.run(command("near", *words), capture_output=True, text=True, timeout=seconds + 60)
        answer = json.loads(result.stdout)
        if "error" in answer:
            raise RuntimeError(f"iperf3: {answer['error']}")
        return float(answer["end"]["sum_received"]["bits_per_second"])
    finally:
        server.kill()
        server.wait()


@dataclass
class Pings:
    """The round trips of a ping at random times beside something; times by the wall clock, round trips in milliseconds."""

    replies: list[tuple[float, float]] = field(default_factory=list)

    def __enter__(self) -> "Pings":
        words = [sys.executable, str(Path(__file__).with_name("echo.py")), FAR_ADDRESS, str(PING_INTERVAL)]
        self._process = subprocess.Popen(command("near", *words), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            sent, milliseconds = line.split()
            self.replies.append((float(sent), float(milliseconds)))

    def median(self, begin: float, end: float) -> float | None:
        """The median of the requests that were sent between two times."""
        chosen = [milliseconds for sent, milliseconds in self.replies if begin <= sent <= end]
        return statistics.median(chosen) if len(chosen) >= 5 else None


class LoadWatch:
    """Finds when the link carried a load, by what the receiving host has received; a context manager.

    The process is any on that host. What a sender has sent may still be in the queue.
    """

    INTERVAL = 0.02

    def __init__(self, process: int, rate: float) -> None:
        self._file = Path(f"/proc/{process}/net/dev")
        # Bytes of an interval that only a loaded link carries.
        self._threshold = rate / 8 * 0.1 / 3
        self._samples: list[tuple[float, int]] = []
        self._is_over = threading.Event()

    def __enter__(self) -> "LoadWatch":
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(self.INTERVAL):
            try:
                text = self._file.read_text()
            except OSError:
                return
            for line in text.splitlines():
                name, _, numbers = line.partition(":")
                if name.strip() == "eth0":
                    self._samples.append((time.time(), int(numbers.split()[0])))

    def span(self) -> tuple[float, float] | None:
        """From the first tenth of a second with a third of the link's rate to the last one."""
        begun = ended = None
        for index, (moment, count) in enumerate(self._samples):
            earlier = next(((m, c) for m, c in reversed(self._samples[:index]) if moment - m >= 0.1), None)
            if earlier and count - earlier[1] > self._threshold:
                begun, ended = begun or earlier[0], moment
        return (begun, ended) if begun and ended else None
