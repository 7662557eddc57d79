"""Judges the record of one round. Knows nothing of processes, so that a test can hand it any record."""

import dataclasses
from dataclasses import asdict, dataclass, field
from typing import Any

MEGABYTE = 1 << 20


@dataclass
class Record:
    """What was measured beside one hostile server or client."""

    name: str
    error: str = ""                               # why there is nothing to judge
    results: list[str] = field(default_factory=list)       # the codes that the hostile target's checks ended with
    visits: int = 0                               # connections or datagrams that the hostile side has seen
    late: list[float] = field(default_factory=list)        # seconds from when a healthy check was due until its result
    changes: list[str] = field(default_factory=list)       # verdicts of healthy probes that changed
    failed: int = 0                               # healthy checks that failed, whatever the verdict
    overdue: list[float] = field(default_factory=list)     # seconds from the timeout of hostile checks to their result
    answers: list[float] = field(default_factory=list)     # clients: seconds for a victim's `status`
    waited: list[float] = field(default_factory=list)      # clients: seconds from an event to its subscriber
    lost: list[str] = field(default_factory=list)          # clients: what a subscriber did not get
    growth: int = 0                               # bytes of memory at the end beyond those before
    peak: int = 0                                 # likewise at the highest
    received: int = 0                             # the most bytes that one connection took
    processor: float = 0                          # share of one processor
    ended: int | None = None                      # the status of an agent that ended by itself
    disturbed: list[float] = field(default_factory=list)   # seconds by which the judge itself overslept
    stop_seconds: float = 0
    stop_status: int | None = 0
    stop_published: bool = True                   # agent.stopping was the last event
    log: str = ""

    def plain(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Limits:
    """Beyond these a figure is a finding."""

    late: float = 0.1            # p99, of healthy checks
    overdue: float = 0.1         # p99, of the hostile target's checks beyond their timeout
    answer: float = 0.1          # p99, of a victim's `status`
    waited: float = 0.1          # p99, of an event to its subscriber
    growth: int = 8 * MEGABYTE
    received: int = 24 * MEGABYTE       # of which up to 6 MB are the kernel's buffers
    stop: float = 1

    @staticmethod
    def tolerant() -> "Limits":
        """For a machine that has other work: no matter of time but an end that does not come."""
        long = float("inf")
        return Limits(late=long, overdue=long, answer=long, waited=long, growth=64 * MEGABYTE, stop=20)

    @staticmethod
    def of_memory() -> "Limits":
        """For many rounds side by side that each take long."""
        return dataclasses.replace(Limits.tolerant(), growth=Limits.growth)


def p99(values: list[float]) -> float:
    """The 99th percentile; of few values all but the largest."""
    return sorted(values)[int(0.99 * (len(values) - 1))] if values else 0


def findings(record: Record, limits: Limits) -> list[str]:
    """The names of what is wrong, in the order of their weight."""
    found = []
    if record.ended is not None:
        found.append("agent ended")
    if record.changes:
        found.append("verdict")
    if record.lost:
        found.append("lost")
    if p99(record.answers) > limits.answer:
        found.append("status late")
    if p99(record.waited) > limits.waited:
        found.append("event late")
    if p99(record.late) > limits.late:
        found.append("late")
    if p99(record.overdue) > limits.overdue:
        found.append("overdue")
    if record.growth > limits.growth:
        found.append("memory")
    if record.received > limits.received:
        found.append("bytes")
    if record.ended is None and (record.stop_seconds > limits.stop or record.stop_status is None):
        found.append("slow end")
    elif record.ended is None and (record.stop_status != 0 or not record.stop_published):
        found.append("disorderly end")
    return found


BUSY = 0.03              # p99 of the judge's own lateness, beyond which other work of the machine may be the cause
TIMES = {"late", "overdue", "status late", "event late", "slow end"}


def only_times(found: list[str]) -> bool:
    """Whether another process of a busy machine may be the cause."""
    return bool(found) and set(found) <= TIMES


def is_busy(record: Record) -> bool:
    return p99(record.disturbed) > BUSY
