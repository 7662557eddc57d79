"""One case: the agent's measurement beside that of its peers, and the judgement."""

import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from .cases import Case
from .links import FAR_ADDRESS, Link, command
from .peers import LoadWatch, Pings, iperf3
from .server import Nginx

# The tolerances: of the rate, of the added latency, and what two pings to the same host may differ by anyway.
RATE, LATENCY, NOISE = 0.05, 0.10, 2.0
# Responsiveness: an added latency above it is the queue's, not the rate's.
BLOAT = 300.0


@dataclass
class Outcome:
    """The figures of a case; rates in bits per second, times in milliseconds."""

    case: Case
    rate: float | None = None
    peer_rate: float | None = None
    added: float | None = None
    peer_added: float | None = None
    rpm: float | None = None
    findings: list[str] = field(default_factory=list)
    report: dict[str, object] = field(default_factory=dict)

    def plain(self) -> dict[str, object]:
        return {"case": self.case.name, "link": self.case.shape.name, "direction": self.case.direction,
                "rate": self.rate, "peer_rate": self.peer_rate, "added": self.added, "peer_added": self.peer_added,
                "rpm": self.rpm, "findings": self.findings, "report": self.report}


@dataclass(frozen=True)
class Programs:
    """The programs that take part."""

    agent: Path
    forwarder: Path
    nginx: str


def play(case: Case, programs: Programs, directory: Path) -> Outcome:
    """Measure a link by the agent and by its peers."""
    outcome = Outcome(case)
    with Link(case.shape, programs.forwarder, case.congestion):
        with Nginx(programs.nginx, directory) as server:
            _measure(case, programs, server, outcome)
        outcome.peer_rate = iperf3(case.direction, case.seconds, 2 * case.shape.delay)
    _judge(outcome)
    return outcome


def _measure(case: Case, programs: Programs, server: Nginx, outcome: Outcome) -> None:
    size = int(case.shape.rate / 8 * case.seconds)
    sizes = {"download": ["--download", str(size), "--upload", "0"],
             "upload": ["--download", "0", "--upload", str(size), "--upload-url", server.upload_url]}
    words = [str(programs.agent), "measure", server.url, "--json", "--ca-file", str(server.certificate), "--timeout", "90s",
             *sizes[case.direction]]
    with Pings() as pings:
        begun = time.time()
        time.sleep(1)                       # the idle round trips of ping
        process = subprocess.Popen(command("near", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        idle_end = time.time()
        receiver = process.pid if case.direction == "download" else server.process_id
        with LoadWatch(receiver, case.shape.rate) as watch:
            output, errors = process.communicate(timeout=150)
        time.sleep(case.shape.limit / 1000)      # the replies that the queue still holds
    try:
        outcome.report = json.loads(output)
    except ValueError:
        outcome.findings.append(f"no report (status {process.returncode}): {(output + errors).strip()[:300]}")
        return
    leg = (outcome.report.get("transfer") or {}).get(case.direction) or {}                # type: ignore[union-attr]
    loaded = leg.get("loaded") or {}
    goodput = leg.get("goodput") or {}
    outcome.rate = goodput.get("mean_bps")
    outcome.rpm = loaded.get("rpm")
    if (added := loaded.get("added_us")) is not None:
        outcome.added = added / 1000
    span = watch.span()
    idle = pings.median(begun, idle_end)
    # Of the same phase as the agent's: the queue of slow start is not that of the transfer.
    slow_start = (goodput.get("slow_start_us") or 0) / 1e6
    under_load = pings.median(span[0] + slow_start, span[1]) if span else None
    if idle is not None and under_load is not None:
        outcome.peer_added = max(0.0, under_load - idle)
    if outcome.report.get("verdict") != "ok":
        outcome.findings.append(f"verdict {outcome.report.get('verdict')} {outcome.report.get('code')}")
    if leg.get("bytes") != leg.get("wanted_bytes"):
        outcome.findings.append(f"{leg.get('bytes')} of {leg.get('wanted_bytes')} bytes")


def _judge(outcome: Outcome) -> None:
    case = outcome.case
    if outcome.rate is None or not outcome.peer_rate:
        outcome.findings.append("no rate")
    elif abs(outcome.rate / outcome.peer_rate - 1) > RATE:
        outcome.findings.append(f"rate {outcome.rate / outcome.peer_rate - 1:+.1%} beside iperf3")
    if outcome.added is None or outcome.peer_added is None:
        outcome.findings.append("no added latency")
    elif abs(outcome.added - outcome.peer_added) > max(NOISE, LATENCY * outcome.peer_added):
        outcome.findings.append(f"added latency {outcome.added - outcome.peer_added:+.1f} ms beside ping")
    if case.is_bloated is not None and outcome.added is not None and (outcome.added > BLOAT) != case.is_bloated:
        outcome.findings.append("bloated" if outcome.added > BLOAT else "not bloated")
