"""One scenario on its stage: namespaces, the agent, the steps, and the truth meanwhile.

Two threads: the judge's, a loop over one selector with a turn every 20 ms, and the one that does the steps, which may
wait for programs. The second only appends to the record.
"""

import fcntl
import json
import os
import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .actions import FAR, HOST, Action
from .agent import Agent
from .judge import DISTURBED, Record
from .namespaces import Namespaces
from .packets import PacketJudge, capture_socket
from .requests import RequestJudge, WebServer
from .scenario import Scenario

TURN = 0.02
REQUESTS_EVERY = 5                     # turns
SETUP = 0.25                           # seconds from the agent's readiness to the first step
CARRIER = 0.3                          # seconds from the uplinks' making to the first packet
PATIENCE = 5.0                         # seconds that a busy machine gets besides, for the agent to catch up
RELOADS = 1.0                          # seconds from one reload of the agent's to the next
STATUS_LIMIT = 1.0                     # seconds for the events before the status to come
BURST = 256                            # packets that a tunnel's program takes at a time: one that leads into itself never ends
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000

AgentMaker = Callable[["Stage"], Agent]


class Stage:
    """For a process of its own, which stays in the namespaces."""

    def __init__(self, scenario: Scenario, make_agent: AgentMaker) -> None:
        self.scenario = scenario
        self.record = Record()
        self.namespaces = self.make_namespaces()
        self.selector = selectors.DefaultSelector()
        self.namespaces.enter(FAR)
        capture = capture_socket()
        self.server = WebServer(self.selector) if scenario.probes else None
        self.namespaces.enter(HOST)
        self.packets = self.make_packets(capture)
        self.requests = RequestJudge(self.selector, scenario.families) if scenario.probes else None
        self.selector.register(capture, selectors.EVENT_READ, lambda _: self.packets.receive())
        self.record.samples = self.packets.samples
        if self.requests:
            self.record.outcomes = self.requests.outcomes
        self._programs: dict[str, tuple[int, socket.socket | None]] = {}
        self._reloaded = float("-inf")
        self._done = threading.Event()
        self._judged = threading.Event()
        self._error: BaseException | None = None
        self.agent = make_agent(self)
        self.record.claims = self.agent.claims

    def make_namespaces(self) -> Namespaces:
        return Namespaces()

    def make_packets(self, capture: socket.socket) -> PacketJudge:
        return PacketJudge(capture, self.scenario.flows, self.scenario.bound)

    def prepare(self) -> None:
        """Make the host and the far end."""
        if failures := self.namespaces.apply(self.scenario.world.setup()):
            raise RuntimeError(f"the host could not be made: {failures[0]}")

    def close(self) -> None:
        """End what was started."""
        self.agent.close()
        for descriptor, _ in self._programs.values():
            os.close(descriptor)

    def run(self) -> Record:
        try:
            for uplink in self.scenario.uplinks:
                self.record.media.append((0.0, uplink.port, uplink.kind))
                self.record.media.append((0.0, uplink.kind, uplink.kind))
            self.prepare()
            # A packet before the carrier is there would make IPv6 believe that its router is dead.
            time.sleep(CARRIER)
            self.agent.start()
            thread = threading.Thread(target=self._guarded, daemon=True)
            thread.start()
            self._loop()
            if self._error:
                raise self._error
            self._ask_status()
            self.record.default_devices = self.namespaces.default_devices()
            self.record.exit_status = self.agent.exit_status()
            return self.record
        finally:
            self._judged.set()
            self.close()

    def _ask_status(self) -> None:
        """The status, and all events that it knows of."""
        self.record.status = status = self.agent.status()
        end = time.monotonic() + STATUS_LIMIT
        while status and time.monotonic() < end:
            self.agent.receive(time.monotonic())
            if self.record.claims and self.record.claims[-1].seq >= status.get("last_seq", 0):
                return
            time.sleep(TURN)

    # The judge's thread

    def _loop(self) -> None:
        turn, due = 0, time.monotonic()
        while not self._done.is_set():
            now = time.monotonic()
            if now >= due:
                if self.record.started:
                    self.record.longest_turn = max(self.record.longest_turn, now - due)
                # A busy machine is late here. What has come to a program or a port by now must not be read in a later turn.
                self._handle(0.0)
                self.packets.receive()
                self.packets.turn(now)
                if self.requests and turn % REQUESTS_EVERY == 0:
                    self.requests.turn(now)
                turn, due = turn + 1, max(due + TURN, now + TURN / 2)
            self._handle(max(0.0, due - time.monotonic()))
            self.agent.receive(time.monotonic())
        self.record.ended = time.monotonic()

    def _handle(self, timeout: float) -> None:
        """Wait until something can be read, and let each reader take what is there."""
        for key, _ in self.selector.select(timeout):
            key.data(key.fileobj)

    # The steps' thread

    def _guarded(self) -> None:
        try:
            self._play()
        except BaseException as error:      # reported by the judge's thread
            self._error = error
        finally:
            self._done.set()
            # The programs that this thread has started end with it, and the truth of the last moment with them.
            self._judged.wait()

    def _play(self) -> None:
        if not self.agent.wait_ready():
            raise RuntimeError(f"the agent did not come up:\n{self.agent.log()}")
        time.sleep(SETUP + (0.6 if self.scenario.probes else 0))
        self.record.started = time.monotonic()
        for step in self.scenario.steps:
            time.sleep(step.gap / 1000)
            self.record.steps.append((time.monotonic(), step.kind))
            self.perform(list(step.actions))
        time.sleep(self.scenario.rest + (0.8 if self.scenario.probes else 0))
        if self.record.longest_turn > DISTURBED:
            time.sleep(min(PATIENCE, 10 * self.record.longest_turn))

    def perform(self, actions: list[Action]) -> None:
        """Do actions of every verb, in order."""
        batch: list[Action] = []
        for action in [*actions, Action("end", "")]:
            if action.verb in ("ip", "sysctl"):
                batch.append(action)
                continue
            if batch:
                failures = self.namespaces.apply(batch)
                self.record.unsupported += sum("Unknown device type" in line for line in failures)
                batch = []
            if action.verb != "end":
                getattr(self, f"do_{action.verb}")(action.text)

    def do_wait(self, text: str) -> None:
        time.sleep(int(text) / 1000)

    def do_silent(self, text: str) -> None:
        name, value = text.split()
        # From a moment before: the next action takes the answers away.
        self.record.silent.append((time.monotonic() - TURN, name, value == "on"))

    def do_enslaved(self, text: str) -> None:
        name, value = text.split()
        self.record.enslaved.append((time.monotonic() - TURN, name, value == "on"))

    def do_server(self, mode: str) -> None:
        if self.server:
            self.server.set(mode)

    def do_medium(self, text: str) -> None:
        name, kind = text.split()
        self.agent.override(name, kind)
        applied = max(time.monotonic(), self._reloaded + RELOADS)
        for uplink in self.scenario.uplinks:
            if uplink.name == name:
                self.record.media.append((applied, uplink.port, kind))
                self.record.media.append((applied, uplink.kind, kind))

    def do_agent(self, command: str) -> None:
        begun = time.monotonic()
        self.agent.command(command)
        if command == "reload":
            self._reloaded = begun
        if command == "stop":
            self.record.blind.append((begun, float("inf")))
            return
        if command in ("restart", "kill"):
            self.agent.wait_ready()
            time.sleep(2 * TURN)
        now = time.monotonic()
        if command == "continue" and self.record.blind and self.record.blind[-1][1] == float("inf"):
            begun = self.record.blind.pop()[0]
        self.record.blind.append((begun, now))

    def do_vpn(self, text: str) -> None:
        order = json.loads(text)
        name = order["name"]
        if name in self._programs:
            descriptor, outer = self._programs.pop(name)
            self.selector.unregister(descriptor)
            os.close(descriptor)
            if outer:
                outer.close()
        if order["mode"] == "close":
            return
        descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
        Path(f"/proc/sys/net/ipv6/conf/{name}/accept_dad").write_text("0")
        outer = None
        if order["mode"] == "forward":
            family = socket.AF_INET6 if ":" in order["server"] else socket.AF_INET
            outer = socket.socket(family, socket.SOCK_DGRAM)
            outer.setblocking(False)
            if order["mark"]:
                outer.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, order["mark"])
        else:
            self.record.media.append((time.monotonic(), name, "other"))
        self._programs[name] = (descriptor, outer)
        self.selector.register(descriptor, selectors.EVENT_READ,
                               lambda _: self._forward(name, descriptor, outer, order["server"]))

    def _forward(self, name: str, descriptor: int, outer: socket.socket | None, server: str) -> None:
        for _ in range(BURST):
            try:
                packet = os.read(descriptor, 2048)
            except OSError:
                return
            if outer is None:
                self.packets.note(packet, name)
                continue
            try:
                outer.sendto(packet, (server, 1194))
            except OSError:
                pass                        # no way to the server, or a loop that grew too long
