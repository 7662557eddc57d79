"""One round beside hostile servers, in namespaces of its own; see `isolation --help` for how it is started."""

import multiprocessing
import subprocess
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from . import healthy, serving, steps
from .agent import Agent, seconds, table
from .judge import Record

FIRST_PORT = 9000
PAUSE = 0.05             # between two measurements of memory
SETTLED = 1.0            # seconds with all healthy probes up before memory is first measured
HOSTILE_TIMEOUT = 0.5
CHECKS_A_SECOND = 20     # of all hostile servers together, where there are many
START_PATIENCE = 30.0
STOP_PATIENCE = 30.0


@dataclass(frozen=True)
class Setup:
    """What a round is made of, as JSON for the process that plays it."""

    names: list[str]
    program: list[str]
    directory: str                  # the certificates
    seconds: float
    tolerant: bool = False


def prepare_network() -> None:
    """An uplink, which leads nowhere; all servers are on the loopback interface, where floods are fastest."""
    script = """
        ip link set lo up
        ip link add eth0 type veth peer name far0; ip link set far0 up; ip link set eth0 up
        ip addr add 192.0.2.2/24 dev eth0; ip route add default via 192.0.2.1 dev eth0
    """
    subprocess.run(["sh", "-e", "-c", script], check=True, stdout=subprocess.DEVNULL)


def configuration(setup: Setup, chosen: list[steps.Hostile]) -> str:
    # A busy machine needs time for what is healthy; the deadline is then no finding.
    interval, timeout = ("1s", "1s") if setup.tolerant else ("250ms", "250ms")
    trust = {"ca_file": str(Path(setup.directory) / "root.pem")}
    text = ""
    pause = f"{max(500, 1000 * len(chosen) // CHECKS_A_SECOND)}ms"
    if len(chosen) > 1:
        text += table("limits", {"checks": 64 + 4 * len(chosen)})
    for name, keys in healthy.PROBES.items():
        more = trust if str(keys["target"]).startswith("https") else {}
        text += table(f"probe.{name}", {"interval": interval, "fast_interval": interval, "timeout": timeout, **more,
                                        **keys})
    for number, one in enumerate(chosen):
        place = f"127.0.0.1:{FIRST_PORT + number}"
        target = f"{one.scheme}://{place}" + {"dns": "/host.test?type=A", "tcp": ""}.get(one.scheme, "/")
        more = trust if one.scheme == "https" else {}
        text += table(f"probe.hostile-{number}", {
            "target": target, "interval": pause, "fast_interval": pause, "timeout": f"{HOSTILE_TIMEOUT * 1000:.0f}ms",
            "required": False, **more, **one.keys})
    return text


def play(setup: Setup) -> Record:
    chosen = [steps.load()[name] for name in setup.names]
    record = Record(chosen[0].name if len(chosen) == 1 else "together")
    prepare_network()
    visits, most = multiprocessing.Value("q", 0), multiprocessing.Value("q", 0)
    processes = [multiprocessing.Process(target=healthy.run, args=(setup.directory,), daemon=True)]
    processes[0].start()
    with tempfile.TemporaryDirectory(prefix="isolation.") as directory:
        agent = Agent(setup.program, Path(directory), configuration(setup, chosen))
        try:
            _play(setup, chosen, agent, record, processes, visits, most)
        except OSError as error:
            record.error = f"{type(error).__name__}: {error}"
        finally:
            agent.close()
            record.log = agent.log()[-2000:]
            for process in processes:
                process.kill()
                process.join()
    record.visits, record.received = visits.value, most.value
    if not record.visits and not record.results and not record.error:
        record.error = "the agent never came to the hostile server"
    return record


def _play(setup: Setup, chosen: list[steps.Hostile], agent: Agent, record: Record,
          processes: list[multiprocessing.Process], visits: "Synchronized[int]", most: "Synchronized[int]") -> None:
    if not agent.wait(all_up, START_PATIENCE):
        record.error = f"the healthy probes did not come up: {'; '.join(not_up(agent.status()))}; {agent.log()[-300:]}"
        return
    agent.follow("probe.*", "agent.stopping")
    time.sleep(SETTLED)
    memory, processor, begun, begun_wall = agent.resident(), agent.processor(), time.monotonic(), time.time()
    # Not before now: a port without a listener refuses, which costs the agent nothing.
    for number, one in enumerate(chosen):
        arguments = (one, FIRST_PORT + number, setup.directory, visits, most)
        processes.append(multiprocessing.Process(target=serving.run, args=arguments, daemon=True))
        processes[-1].start()
    samples = watch(agent, record, begun + setup.seconds)
    record.ended = agent.process.poll()
    passed, now = time.monotonic() - begun, time.time()
    record.processor = (agent.processor() - processor) / passed
    if record.ended is None:
        status = agent.status(STOP_PATIENCE)
        record.stop_seconds, record.stop_status = agent.terminate(STOP_PATIENCE)
        time.sleep(0.05)                       # the last lines are in the socket
        record.changes += not_up(status)
    tail = sorted(samples[-max(1, len(samples) // 5):])
    record.growth, record.peak = tail[len(tail) // 2] - memory, max(samples) - memory
    collect(agent, record, begun_wall, now, 1.0 if setup.tolerant else healthy.INTERVAL)


def watch(agent: Agent, record: Record, end: float) -> list[int]:
    """The agent's memory again and again until a time, or until it ends; at least once."""
    samples = [agent.resident()]
    while time.monotonic() < end and agent.process.poll() is None:
        wanted = time.monotonic() + PAUSE
        time.sleep(PAUSE)
        record.disturbed.append(time.monotonic() - wanted)
        samples.append(agent.resident())
    return samples


def all_up(status: dict[str, Any]) -> bool:
    return not not_up(status)


def not_up(status: dict[str, Any] | None) -> list[str]:
    """The healthy probes that a status does not call up."""
    if status is None:
        return ["status: no answer"]
    probes = {one.get("probe"): one for one in status.get("probes", [])}
    verdicts = {name: probes.get(name, {}).get("verdict", "missing") for name in healthy.PROBES}
    return [f"status: {name} {verdict}" for name, verdict in verdicts.items() if verdict != "up"]


def collect(agent: Agent, record: Record, begun: float, ended: float, interval: float) -> None:
    """The figures of the event stream between two times."""
    due = {}
    for read, event in agent.named("probe.completed"):
        data = event["data"]
        published = seconds(event["time"])
        if not begun <= published <= ended:
            continue
        wanted = seconds(data["due"])
        if data["probe"] in healthy.PROBES:
            due[data["probe"]] = wanted
            record.late.append(max(published, read) - wanted)
            record.failed += data["report"]["verdict"] != "ok"
        else:
            record.overdue.append(published - wanted - HOSTILE_TIMEOUT)
            codes = [one["code"] for one in data["report"].get("findings", []) if one.get("severity") != "warning"]
            record.results.append((codes or [data["report"]["verdict"]])[0])
    # A check without a result is as late as it has been due.
    for name in healthy.PROBES:
        waiting = ended - due.get(name, begun) - interval
        if waiting > interval:
            record.late.append(waiting)
    for _, event in agent.named("probe.changed"):
        data = event["data"]
        before, after = data["from"].get("verdict"), data["to"].get("verdict")
        if data["probe"] in healthy.PROBES and before != after and begun <= seconds(event["time"]) <= ended:
            record.changes.append(f"{data['probe']}: {before} → {after} ({data['to'].get('code', '')})")
    record.stop_published = bool(agent.named("agent.stopping")) or any(
        event.get("type") is None and "last_seq" in event for _, event in agent.events[-1:])
