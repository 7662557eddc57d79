"""One round beside a hostile client of the sockets: a victim's `status`, and two subscribers of another user."""

import json
import multiprocessing
import os
import resource
import socket
import subprocess
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from . import clients, rounds
from .agent import PREFIX, Agent, seconds, table
from .judge import Record
from .steps import response

VICTIM, HOSTILE = 1, 65534           # users; root asks too
ALIVE, DYING = 8001, 8002            # a target that answers, and one that ceases to
ASKED_EVERY = 0.05
MOST_VISITS = 8.0                    # connections a second to a target with an interval of half a second
AWAY = "203.0.113.1"                 # a watched address, to which the route changes
CHANGES = [f"route replace {AWAY} via 192.0.2.9 dev eth0", f"route del {AWAY}"]


def play(setup: rounds.Setup) -> Record:
    one = clients.load()[setup.names[0]]
    record = Record(one.name)
    rounds.prepare_network()
    dead, visits = multiprocessing.Value("b", 0), multiprocessing.Value("q", 0)
    with tempfile.TemporaryDirectory(prefix="isolation.") as directory:
        processes = [multiprocessing.Process(target=targets, args=(dead, visits), daemon=True)]
        processes[0].start()
        keys = {"interval": "500ms", "fast_interval": "500ms", "timeout": "450ms"}
        watched = table("settle", {"up": "0", "down": "0"}) + table("target.away", {"address": AWAY})
        agent = Agent(setup.program, Path(directory), watched + "".join(
            table(f"probe.{name}", {"target": f"http://127.0.0.1:{port}/", **keys})
            for name, port in (("alive", ALIVE), ("dying", DYING))))
        try:
            _play(setup, one, agent, record, processes, dead, visits)
        except OSError as error:
            record.error = f"{type(error).__name__}: {error}"
        finally:
            agent.close()
            record.log = agent.log()[-2000:]
            for process in processes:
                process.kill()
                process.join()
    return record


def _play(setup: rounds.Setup, one: clients.Client, agent: Agent, record: Record,
          processes: list[multiprocessing.Process], dead: "Synchronized[int]", visits: "Synchronized[int]") -> None:
    def begin(body: Any, *arguments: Any) -> Connection:
        here, there = multiprocessing.Pipe()
        processes.append(multiprocessing.Process(target=body, args=(*arguments, there), daemon=True))
        processes[-1].start()
        return here

    if not agent.wait(lambda status: verdicts(status) == {"alive": "up", "dying": "up"}, rounds.START_PATIENCE):
        record.error = f"the probes did not come up: {verdicts(agent.status() or {})}; {agent.log()[-300:]}"
        return
    sockets = clients.Sockets(*(str(agent.sockets / f"{name}.sock") for name in ("control", "events", "http")))
    readers = {"subscribe": begin(follow, VICTIM, sockets.control, True),
               "events.sock": begin(follow, VICTIM, sockets.events, False)}
    weather = begin(change_routes)
    time.sleep(rounds.SETTLED)
    memory, processor, begun = agent.resident(), agent.processor(), time.monotonic()
    victims = [begin(ask, user, sockets.control) for user in (0, VICTIM)]
    dead.value, before = 1, visits.value
    begin(attack, one.name, sockets)
    attacker = processes[-1]
    samples = rounds.watch(agent, record, begun + setup.seconds)
    passed = time.monotonic() - begun
    record.ended = agent.process.poll()
    if not attacker.is_alive():
        record.error = "the hostile client ended by itself; it needs a user of its own (see README.md)"
    record.processor, record.visits = (agent.processor() - processor) / passed, visits.value - before
    for victim in victims:
        victim.send("enough")
        record.answers += victim.recv()
    weather.send("enough")
    if record.visits / passed > MOST_VISITS:
        record.changes.append(f"{record.visits / passed:.0f} connections a second to a target")
    if record.ended is None:
        judge_probes(agent, record, passed)
        record.stop_seconds, record.stop_status = agent.terminate(rounds.STOP_PATIENCE)
    ends = set()
    for name, reader in readers.items():
        waited, lost, last, stopped = reader.recv() if reader.poll(5) else ([], ["no end"], 0, False)
        record.waited += waited
        record.lost += [f"{name}: {text}" for text in lost]
        record.stop_published &= stopped
        ends.add(last)
    if len(ends) > 1:
        record.lost.append(f"the subscribers ended with events {sorted(ends)}")
    tail = sorted(samples[-max(1, len(samples) // 5):])
    record.growth, record.peak = tail[len(tail) // 2] - memory, max(samples) - memory


def verdicts(status: dict[str, Any]) -> dict[str, str]:
    return {one["probe"]: one.get("verdict", "") for one in status.get("probes", []) if "probe" in one}


def judge_probes(agent: Agent, record: Record, passed: float) -> None:
    """Asking for checks must not change what they say."""
    found = verdicts(agent.status(rounds.STOP_PATIENCE) or {})
    if not found:
        record.changes.append("status: no answer")
        return
    if found.get("alive") != "up":
        record.changes.append(f"alive: {found.get('alive')}")
    if passed > 4 and found.get("dying") != "down":
        record.changes.append(f"dying: {found.get('dying')}, although it has not answered for {passed:.0f} s")


# The processes beside the agent ---------------------------------------------------------------------------------------


def become(user: int) -> None:
    if user != os.getuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def ask(user: int, path: str, judge: Connection) -> None:
    """A victim: asks for the status, each time on a connection of its own, until the judge has enough."""
    become(user)
    times: list[float] = []
    while not judge.poll(ASKED_EVERY):
        begun = time.monotonic()
        try:
            with clients.connect(path, 30) as stream, stream.makefile("rb") as lines:
                stream.sendall(clients.request("status"))
                answered = lines.readline().startswith(b'{"parameters"')
        except OSError:
            answered = False
        # No answer is as bad as one that comes after the longest time that is waited.
        times.append(time.monotonic() - begun if answered else 30)
    judge.send(times)


def follow(user: int, path: str, asks: bool, judge: Connection) -> None:
    """A subscriber: how long each event was on its way, and what is missing."""
    become(user)
    waited, lost, last, stopped = [], [], 0, False
    stream = clients.connect(path, None)
    if asks:
        stream.sendall(clients.request("subscribe", True))
    for line in stream.makefile("rb"):
        now, event = time.time(), json.loads(line)
        event = event.get("parameters", {}) if "specversion" not in event else event
        if event.get("type") == PREFIX + "subscriber.lagged":
            lost.append("lagged")
        elif "seq" in event:
            if last and event["seq"] != last + 1:
                lost.append(f"event {event['seq']} after {last}")
            last, stopped = event["seq"], event["type"] == PREFIX + "agent.stopping"
            waited.append(now - seconds(event["time"]))
    judge.send((waited, lost[:10], last, stopped))


def attack(name: str, sockets: clients.Sockets, judge: Connection) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    become(HOSTILE)
    while True:
        try:
            clients.load()[name].act(sockets)
        except OSError:
            time.sleep(0.01)               # refused before it could begin


def change_routes(judge: Connection) -> None:
    """Something to report that concerns no probe: the route to one address changes twenty times a second."""
    batch = subprocess.Popen(["ip", "-force", "-batch", "-"], stdin=subprocess.PIPE, text=True)
    number = 0
    while not judge.poll(0.05) and batch.stdin:
        number += 1
        batch.stdin.write(CHANGES[number % len(CHANGES)] + "\n")
        batch.stdin.flush()
    batch.kill()


def targets(dead: "Synchronized[int]", visits: "Synchronized[int]") -> None:
    """Two web servers, of which one accepts and says nothing once `dead` is set."""
    def serve(connection: socket.socket) -> None:
        with visits.get_lock():
            visits.value += 1
        with connection:
            try:
                connection.recv(4096)
                connection.sendall(response(b"ok"))
            except OSError:
                pass                       # the agent went away

    def accept(port: int) -> None:
        listener, kept = socket.create_server(("127.0.0.1", port), backlog=512), []
        while True:
            connection, _ = listener.accept()
            if port == DYING and dead.value:
                with visits.get_lock():
                    visits.value += 1
                kept.append(connection)
                del kept[:-200]
            else:
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    for port in (ALIVE, DYING):
        threading.Thread(target=accept, args=(port,), daemon=True).start()
    threading.Event().wait()
