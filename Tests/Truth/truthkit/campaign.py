"""Many scenarios side by side: each in a process of its own, forked, with a limit."""

import json
import os
import selectors
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .play import Result
from .scenario import Scenario

LIMIT = 90.0           # seconds for one scenario; 3 to 10 are usual
GUEST_LIMIT = 300.0    # in the virtual machine, where 10 to 30 are

Player = Callable[[Scenario], Result]


@dataclass
class _Running:
    scenario: Scenario
    process: int
    begun: float
    text: bytes = b""


def run(scenarios: Iterable[Scenario], player: Player, jobs: int) -> Iterator[Result]:
    """Results in the order in which they come. Ends what it began, also when the caller stops early."""
    waiting = iter(scenarios)
    with selectors.DefaultSelector() as ready:
        running: dict[int, _Running] = {}
        try:
            while True:
                while len(running) < jobs and (scenario := next(waiting, None)) is not None:
                    descriptor, one = _begin(scenario, player)
                    running[descriptor] = one
                    ready.register(descriptor, selectors.EVENT_READ)
                if not running:
                    return
                for key, _ in ready.select(timeout=1):
                    piece = os.read(key.fd, 1 << 16)
                    running[key.fd].text += piece
                    if not piece:
                        ready.unregister(key.fd)
                        yield _end(key.fd, running.pop(key.fd))
                for one in running.values():
                    if time.monotonic() - one.begun > (GUEST_LIMIT if one.scenario.guest else LIMIT):
                        os.killpg(one.process, signal.SIGKILL)
        finally:
            for descriptor, one in running.items():
                os.killpg(one.process, signal.SIGKILL)
                os.waitpid(one.process, 0)
                os.close(descriptor)


def _begin(scenario: Scenario, player: Player) -> tuple[int, _Running]:
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.setpgid(process, process)      # in both processes: whichever runs first
        os.close(writing)
        return reading, _Running(scenario, process, time.monotonic())
    status = 1
    try:
        os.setpgid(0, 0)                  # so that the agent and every program can be ended with it
        os.close(reading)
        with open(writing, "wb") as out:
            out.write(json.dumps(player(scenario).plain()).encode())
        status = 0
    finally:
        os._exit(status)


def _end(descriptor: int, one: _Running) -> Result:
    os.close(descriptor)
    _, status = os.waitpid(one.process, 0)
    try:
        return Result.of(json.loads(one.text))
    except ValueError:
        return Result(one.scenario.seed, [step.kind for step in one.scenario.steps],
                      error=f"the scenario's process ended with status {status}")
