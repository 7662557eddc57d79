#!/usr/bin/env python3
"""Fake agents for the judge's own test: one that isolates what is hostile, and others that each fail in one way.

    liar.py LIE run --config FILE …

It takes the agent's configuration, checks as it does (a connection, a few bytes), and speaks as it does on its sockets.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
import tomllib
from datetime import datetime, timezone
from typing import Any

LIES = {                     # the finding that each must lead to, beside a hostile server
    "honest": set(), "late": {"late"}, "hanging": {"late"}, "wavering": {"verdict"}, "overdue": {"overdue"},
    "growing": {"memory"}, "greedy": {"bytes"}, "stubborn": {"slow end"}, "failing": {"disorderly end"},
    "silent": {"disorderly end"}, "dying": {"agent ended"},
}
CLIENT_LIES = {              # likewise beside a hostile client
    "honest": set(), "slow": {"status late"}, "losing": {"lost"}, "lagging": {"event late"}, "asked": {"verdict"},
    "blind": {"verdict"}, "stubborn": {"slow end"},
}


class Liar:
    def __init__(self, lie: str, configuration: dict[str, Any]) -> None:
        self.lie, self.configuration = lie, configuration
        self.probes = configuration["probe"]
        self.verdicts = dict.fromkeys(self.probes, "unknown")
        self.failures = dict.fromkeys(self.probes, 0)
        self.writers: list[tuple[socket.socket, bool]] = []
        self.lock = threading.Lock()
        self.seq, self.kept, self.hit = 0, [], False

    def stamp(self, when: float | None = None) -> str:
        return datetime.fromtimestamp(when or time.time(), timezone.utc).isoformat().replace("+00:00", "Z")

    def publish(self, kind: str, data: dict[str, Any], numbered: bool = True) -> None:
        with self.lock:
            event = {"specversion": "1.0", "type": f"reachagent.{kind}", "time": self.stamp(), "data": data}
            if numbered:
                self.seq += 2 if self.lie == "losing" and self.seq % 10 == 9 else 1
                event["seq"] = self.seq
            if self.lie == "lagging":
                time.sleep(0.3)
            for stream, wraps in list(self.writers):
                text = json.dumps({"parameters": event, "continues": True} if wraps else event)
                if numbered or wraps:
                    self._write(stream, text)

    def _write(self, stream: socket.socket, text: str) -> None:
        try:
            stream.sendall(text.encode() + b"\n")
        except OSError:
            self.writers = [one for one in self.writers if one[0] is not stream]

    # The checks

    def probe(self, name: str) -> None:
        keys = self.probes[name]
        interval = float(keys["interval"].removesuffix("ms").removesuffix("s"))
        interval = interval / 1000 if keys["interval"].endswith("ms") else interval
        hostile, due = name.startswith("hostile"), time.time()
        while True:
            time.sleep(max(0, due - time.time()))
            if self.hit and self.lie == "hanging" and not hostile:
                time.sleep(60)
            works = self.check(keys["target"], hostile, due + (0.4 if hostile or name == "dying" else 0.2))
            if self.lie == "late" and not hostile:
                time.sleep(0.2)
            if self.lie == "overdue" and hostile:
                time.sleep(max(0, due + 0.8 - time.time()))
            self.publish("probe.completed", {"probe": name, "due": self.stamp(due), "report": {
                "verdict": "ok" if works else "failed"}}, False)
            self.judge(name, works and not (self.hit and self.lie == "wavering" and not hostile))
            due = max(due + interval, time.time() - interval)

    def check(self, target: str, hostile: bool, deadline: float) -> bool:
        place = target.split("://")[1].split("/")[0]
        host, port = place.split(":")
        kind = socket.SOCK_DGRAM if target.startswith("dns") else socket.SOCK_STREAM
        try:
            with socket.socket(socket.AF_INET, kind) as stream:
                stream.settimeout(max(0.01, deadline - time.time()))
                stream.connect((host, int(port)))
                if hostile:
                    self.meet()
                if target.startswith(("tcp", "dns", "https")):
                    return True
                stream.sendall(b"GET / HTTP/1.1\r\n\r\n")
                taken = len(stream.recv(1 << 16))
                while hostile and self.lie == "greedy" and time.time() < deadline:
                    taken += len(stream.recv(1 << 20))
                return taken > 0
        except OSError:
            return False

    def meet(self) -> None:
        """A hostile server was reached."""
        self.hit = True
        if self.lie == "growing":
            self.kept.append(os.urandom(4 << 20))
        if self.lie == "dying":
            os._exit(3)

    def judge(self, name: str, works: bool) -> None:
        self.failures[name] = 0 if works else self.failures[name] + 1
        verdict = "up" if works or (self.lie == "blind" and name == "dying") else "down"
        if verdict != self.verdicts[name] and (works or self.failures[name] >= 3 or verdict == "up"):
            before, self.verdicts[name] = self.verdicts[name], verdict
            self.publish("probe.changed", {"probe": name, "from": {"verdict": before}, "to": {"verdict": verdict}})

    # The sockets

    def accept(self, name: str) -> None:
        listener = socket.socket(socket.AF_UNIX)
        path = os.path.join(self.configuration["agent"]["socket_directory"], f"{name}.sock")
        listener.bind(path)
        os.chmod(path, 0o666)
        listener.listen(512)
        while True:
            stream, _ = listener.accept()
            if name == "events":
                self.writers.append((stream, False))
            else:
                threading.Thread(target=self.serve, args=(stream,), daemon=True).start()

    def serve(self, stream: socket.socket) -> None:
        try:
            for line in stream.makefile("rb"):
                method = json.loads(line)["method"]
                if method == "subscribe":
                    self.writers.append((stream, True))
                    return
                if method == "status" and self.lie == "slow":
                    time.sleep(0.3)
                if method == "probe" and self.lie == "asked":
                    for keys in self.probes.values():
                        self.check(keys["target"], False, time.time() + 0.01)
                self._write(stream, json.dumps({"parameters": {"probes": [
                    {"probe": name, "verdict": verdict} for name, verdict in self.verdicts.items()]}}))
        except (OSError, ValueError):
            pass
        stream.close()

    def stop(self, *_: object) -> None:
        if self.lie == "stubborn":
            time.sleep(1.5)
        if self.lie != "silent":
            self.lock = threading.Lock()       # the interrupted thread may hold it
            self.publish("agent.stopping", {})
        os._exit(1 if self.lie == "failing" else 0)


def main() -> None:
    with open(sys.argv[sys.argv.index("--config") + 1], "rb") as file:
        liar = Liar(sys.argv[1], tomllib.load(file))
    signal.signal(signal.SIGTERM, liar.stop)
    for name in ("control", "events"):
        threading.Thread(target=liar.accept, args=(name,), daemon=True).start()
    for name in liar.probes:
        threading.Thread(target=liar.probe, args=(name,), daemon=True).start()
    while True:
        time.sleep(0.05)
        liar.publish("path.changed", {})


if __name__ == "__main__":
    main()
