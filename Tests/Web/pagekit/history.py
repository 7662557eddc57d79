"""A journal of 90 days as the agent writes one: the past of the machine in the lab."""

import json
import math
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TextIO

from .lab import UPLINKS

STREAM = "6f1c0000000000000000000000000042"
GATEWAYS = {name: uplink for name, *uplink in UPLINKS}


def state(uplink: str | None, connectivity: str = "full", reason: str | None = None, probe: str | None = None) -> dict[str, Any]:
    """The state of the machine with a default path over an uplink; None is no path."""
    if uplink is None:
        path = {"via": "none", "reason": reason or "link_down"}
        return {"via": "none", "af_status": 0, "connectivity": "none", "reason": path["reason"],
                "path": {**path, "ipv4": path, "ipv6": {"via": "none", "reason": "no_route"}}}
    kind, gateway, source, metric = GATEWAYS[uplink]
    path = {"via": kind, "interface": uplink, "ifindex": 3, "kind": kind, "gateway": gateway, "source": source,
            "prefix": "0.0.0.0/0", "table": 254, "metric": metric}
    result = {"via": kind, "af_status": 1 if kind == "wwan" else 2, "connectivity": connectivity,
              "path": {**path, "ipv4": path, "ipv6": {"via": "none", "reason": "no_route"}}}
    if reason:
        result["connectivity_reason"] = reason
    if probe:
        result["connectivity_probe"] = probe
    return result


def standing(name: str, connectivity: str, used: bool, reason: str | None = None) -> dict[str, Any]:
    result = {"interface": name, "ifindex": 3, "kind": GATEWAYS[name][0], "connectivity": connectivity, "used": used}
    return {**result, "reason": {"code": reason}} if reason else result


class Journal:
    """Writes events one after the other, in one file."""

    def __init__(self, directory: Path, first: int = 1) -> None:
        (directory / "stream").write_text(STREAM + "\n")
        self._file: TextIO = open(directory / f"events-{first:020}.jsonl", "a", encoding="utf-8")
        self._next = first
        self._state = state("wlan0")
        self._uplinks: dict[str, dict[str, Any]] = {}

    def close(self) -> int:
        """The number of the last event."""
        self._file.close()
        return self._next - 1

    def add(self, when: datetime, name: str, subject: str, data: dict[str, Any]) -> None:
        event = {"specversion": "1.0", "id": f"{STREAM}-{self._next}", "source": "/reachagent/edge-7",
                 "type": f"reachagent.{name}", "subject": subject, "time": stamp(when), "seq": self._next, "data": data}
        self._file.write(json.dumps(event, separators=(",", ":")) + "\n")
        self._next += 1

    def path(self, when: datetime, to: dict[str, Any], kind: str, code: str, interface: str | None, detail: str) -> None:
        cause = {"kind": kind, "code": code, **({"interface": interface} if interface else {}), "detail": detail}
        data = {"from": self._state, "to": to, "cause": cause, "observed": stamp(when), "settled_ms": 1000}
        self.add(when, "reachability.changed", "default", data)
        self._state = to

    def uplink(self, when: datetime, name: str, connectivity: str, used: bool, code: str, reason: str | None = None) -> None:
        to = standing(name, connectivity, used, reason)
        before = self._uplinks.get(name, standing(name, "unknown", False))
        data = {"from": before, "to": to, "cause": {"kind": "probe", "code": code}, "observed": stamp(when), "settled_ms": 1000}
        self.add(when, "uplink.changed", name, data)
        self._uplinks[name] = to

    def probe(self, when: datetime, probe: str, before: str, after: str, code: str | None, detail: str,
              interface: str | None = None) -> None:
        to = {"verdict": after, **({"code": code} if code else {})}
        point = {"probe": probe, **({"interface": interface} if interface else {}), "family": "ipv4"}
        data = {**point, "from": {"verdict": before}, "to": to,
                "cause": {"kind": "probe", "code": code or "recovered", "detail": detail}, "observed": stamp(when)}
        self.add(when, "probe.changed", probe, data)

    def summary(self, when: datetime, probe: str, interface: str | None, durations: list[float], failed: int) -> None:
        """The checks of an hour; durations in seconds."""
        counts: dict[int, int] = {}
        for duration in durations:
            index = math.ceil(8 * math.log2(duration))
            counts[index] = counts.get(index, 0) + 1
        numbers = [number for index in sorted(counts) for number in (index, counts[index])]
        micro = [round(duration * 1e6) for duration in durations]
        latency = {"min_us": min(micro), "max_us": max(micro), "sum_us": sum(micro), "buckets": numbers}
        data = {"probe": probe, **({"interface": interface} if interface else {}), "family": "ipv4",
                "from": stamp(when), "to": stamp(when + timedelta(minutes=59)), "ok": len(durations),
                **({"failed": {"timeout": failed}} if failed else {}), "latency": latency}
        self.add(when + timedelta(minutes=59), "probe.summary", probe, data)


def stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def write(directory: Path, now: datetime | None = None) -> int:
    """Writes 84 days of a machine on Wi-Fi with a modem in reserve; returns the number of the last event."""
    now = now or datetime.now(timezone.utc)
    chance = random.Random(7)
    journal = Journal(directory)
    start = (now - timedelta(days=84)).replace(hour=7, minute=2, second=0, microsecond=0)
    journal.add(start, "agent.started", "agent", {
        "version": "1.4.0", "schema": 1, "stream": STREAM, "settle_up_ms": 250, "settle_down_ms": 1000, "targets": []})
    journal.path(start, state("wlan0"), "start", "initial", None, "the agent was started")
    journal.uplink(start, "wlan0", "full", True, "up")
    journal.uplink(start, "wwan0", "full", False, "up")
    journal.probe(start, "first-hop", "unknown", "up", None, "192.0.2.1", "wlan0")
    for day in range(1, 84):
        noon = start + timedelta(days=day, hours=chance.uniform(-6, 12))
        if noon > now - timedelta(hours=30):
            continue
        if day in (9, 31, 32, 58, 71):
            provider_outage(journal, noon, timedelta(minutes=chance.choice((4, 17, 62, 240))))
        elif chance.random() < 0.06:
            carrier_loss(journal, noon, timedelta(seconds=chance.randint(20, 400)))
    changes = sorted([
        (now - timedelta(hours=11, minutes=48), lambda when: provider_outage(journal, when, timedelta(minutes=62))),
        (now - timedelta(hours=3, minutes=20), lambda when: carrier_loss(journal, when, timedelta(seconds=250))),
    ], key=lambda change: change[0])
    hours = [(now - timedelta(hours=back)).replace(minute=0, second=1, microsecond=0) for back in range(24, 0, -1)]
    for number, hour in enumerate(hours):
        while changes and changes[0][0] < hour:
            when, happen = changes.pop(0)
            happen(when)
        wave = 1 + 0.25 * math.sin(number / 4)
        for probe, interface, base, count in (("api", None, 0.034, 60), ("web", None, 0.025, 60), ("web", "wlan0", 0.026, 60),
                                              ("web", "wwan0", 0.078, 60), ("portal", None, 0.017, 60)):
            failed = 58 if number == 12 and interface != "wwan0" else 2 if probe == "api" and number in (5, 19) else 0
            durations = [base * wave * chance.lognormvariate(0, 0.3) for _ in range(count - failed)]
            journal.summary(hour, probe, interface, durations, failed)
    journal.add(now - timedelta(minutes=2), "agent.stopping", "agent", {"reason": "SIGTERM"})
    return journal.close()


def provider_outage(journal: Journal, when: datetime, duration: timedelta) -> None:
    journal.probe(when, "web", "up", "down", "connect_timeout", "198.51.100.80:443")
    journal.path(when, state("wlan0", "local", "connect_timeout"), "probe", "connect_timeout", None,
                 "nothing beyond 192.0.2.1 answers")
    journal.uplink(when, "wlan0", "local", True, "connect_timeout", "connect_timeout")
    end = when + duration
    journal.probe(end, "web", "down", "up", None, "198.51.100.80:443")
    journal.path(end, state("wlan0"), "probe", "recovered", None, "all probes are up")
    journal.uplink(end, "wlan0", "full", True, "up")


def carrier_loss(journal: Journal, when: datetime, duration: timedelta) -> None:
    journal.path(when, state("wwan0"), "link", "link_down", "wlan0", "wlan0: no carrier")
    journal.uplink(when, "wlan0", "none", False, "link_down", "link_down")
    journal.uplink(when, "wwan0", "full", True, "up")
    end = when + duration
    journal.path(end, state("wlan0"), "link", "link_up", "wlan0", "wlan0: carrier")
    journal.uplink(end, "wlan0", "full", True, "up")
    journal.uplink(end, "wwan0", "full", False, "up")


def append(directory: Path, first: int, count: int) -> int:
    """Appends edges of a path as a new file of the journal; returns the number of the last event."""
    journal = Journal(directory, first)
    when = datetime.now(timezone.utc)
    down, up = state(None, reason="link_down"), state("wlan0")
    for number in range(count):
        before, after = (up, down) if number % 2 == 0 else (down, up)
        journal.add(when, "path.changed", "default", {
            "from": before, "to": after, "observed": stamp(when),
            "cause": {"kind": "link", "code": "link_down" if after is down else "link_up", "interface": "wlan0"}})
    return journal.close()
