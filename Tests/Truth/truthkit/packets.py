"""The truth about paths: packets that the host sends, and the far interface at which they arrive.

Every 20 ms one datagram leaves per family, destination and kind of socket (connect(2) and send, or sendto), and each
carries the number of its turn. A packet socket in the far namespace sees every frame on every port, so a datagram
inside any number of tunnels is found too, and the port tells the medium. It counts as arrived when it comes before
the next turn but one: through a veth pair that takes microseconds, and a fresh neighbour entry a little longer.

Its source counts as well. No answer can come to a link-local address or to that of a bridge of containers, so such a
packet has not passed. One that leaves with another uplink's address passes in some networks and not in others.
"""

import errno
import ipaddress
import re
import socket
import struct
from dataclasses import dataclass, field

from .world import PORTS, destinations

ALL_FRAMES = 0x0003
OUTGOING = 4
PORT = 7777
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
MODES = (CONNECTED, UNCONNECTED) = ("connected", "unconnected")
UNANSWERED = [ipaddress.ip_network(text) for text in ("172.17.0.0/16", "10.65.0.0/16", "2001:db8:65::/48")]
TOKEN = re.compile(rb"truth!([46])([cu])(.{4})", re.DOTALL)


@dataclass
class Sample:
    """One turn of one family: the far ports at which its packets arrived, by kind of socket. A port has a `?` behind
    it where the packet had the address of another uplink."""

    time: float
    family: int
    ports: dict[str, set[str]] = field(default_factory=lambda: {mode: set() for mode in MODES})
    errors: dict[str, str] = field(default_factory=dict)


class PacketJudge:
    """Sends from the namespace that it is made in; `capture` is a packet socket made in the far one."""

    def __init__(self, capture: socket.socket, flows: int) -> None:
        self.capture = capture
        self.targets = {family: destinations(family, flows) for family in FAMILIES}
        self.samples: list[Sample] = []
        self._open: dict[tuple[int, int], Sample] = {}
        self._turn = 0
        self._sockets = {family: self._socket(family) for family in FAMILIES}

    @staticmethod
    def _socket(family: int) -> socket.socket:
        made = socket.socket(FAMILIES[family], socket.SOCK_DGRAM)
        made.setblocking(False)
        return made

    def turn(self, now: float) -> None:
        """Close the turn before the last one, and send the next."""
        self._turn += 1
        for family in FAMILIES:
            done = self._open.pop((family, self._turn - 2), None)
            if done is not None:
                self.samples.append(done)
            sample = self._open[family, self._turn] = Sample(now, family)
            for destination in self.targets[family]:
                self._send(sample, family, destination)

    def _send(self, sample: Sample, family: int, destination: str) -> None:
        number = struct.pack("!I", self._turn)
        try:
            self._sockets[family].sendto(b"truth!%du" % family + number, (destination, PORT))
        except OSError as error:
            sample.errors[UNCONNECTED] = errno.errorcode.get(error.errno or 0, "?")
        with self._socket(family) as connected:
            try:
                connected.connect((destination, PORT))
                connected.send(b"truth!%dc" % family + number)
            except OSError as error:
                sample.errors[CONNECTED] = errno.errorcode.get(error.errno or 0, "?")

    def receive(self) -> None:
        """Note what arrived."""
        while True:
            try:
                frame, (interface, _, direction, *_) = self.capture.recvfrom(4096)
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno == errno.ENETDOWN:            # an interface of the far end went down
                    continue
                raise
            if direction != OUTGOING and interface in PORTS:
                self.note(frame, interface)

    def note(self, frame: bytes, port: str) -> None:
        """Note a frame that left through a port, or through a line that a program holds (ppp0)."""
        for found in TOKEN.finditer(frame):
            family, mode, number = found.groups()
            sample = self._open.get((int(family), struct.unpack("!I", number)[0]))
            verdicts = {_verdict(raw, port) for raw in _sources(frame, found.start(), int(family), port)}
            if sample is not None and None not in verdicts:
                mark = "?" if "?" in verdicts else ""
                sample.ports[CONNECTED if mode == b"c" else UNCONNECTED].add(port + mark)


def _sources(frame: bytes, payload: int, family: int, port: str) -> list[bytes]:
    """The source of the packet, whose header is before that of UDP, which has 8 bytes; and on a port that of the outermost
    packet, which may be a tunnel's."""
    found = [frame[payload - 16:payload - 12] if family == 4 else frame[payload - 40:payload - 24]]
    if port in PORTS:
        outer = {b"\x08\x00": frame[26:30], b"\x86\xdd": frame[22:38]}.get(frame[12:14])
        found += [outer] if outer else []
    return found


def _verdict(raw: bytes, port: str) -> str | None:
    """Nothing when no answer can come to a source, `?` when it is another uplink's address."""
    try:
        address = ipaddress.ip_address(raw)
    except ValueError:
        return None
    if address.is_unspecified or address.is_link_local or any(address in network for network in UNANSWERED):
        return None
    owner = next((name for name, networks in PORTS.items() if any(address in network for network in networks)), port)
    return "" if owner == port else "?"


def capture_socket() -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_FRAMES))
    made.setblocking(False)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    return made
