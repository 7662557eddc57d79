"""The truth about paths: packets that the host sends, and the far interface at which they arrive.

Every 20 ms one datagram leaves per family, destination and kind of socket (connect(2) and send, or sendto), and each
carries the number of its turn. A packet socket in the far namespace sees every frame on every port, so a datagram
inside any number of tunnels is found too, and the port tells the medium. It counts as arrived when it comes before
the next turn but one: through a veth pair that takes microseconds, and a fresh neighbour entry a little longer.

Its source counts as well. No answer can come to a link-local address or to that of a bridge of containers, so such a
packet has not passed. One that leaves with another uplink's address passes in some networks and not in others. A VXLAN
over IPv6 sends with its fixed local address even when the host has lost it: no answer can come to that, either. IPv4
refuses such a source in the lookup, and so do the kernel's other tunnels over IPv6 (`ip6_tnl_xmit_ctl`).

Where a program has a tunnel, a third datagram leaves through each uplink itself, bound to it: one that arrives proves that
the tunnel could be carried.
"""

import errno
import ipaddress
import re
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .world import PORTS, destinations

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
ALL_FRAMES = 0x0003
OUTGOING = 4
PORT = 7777
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}
MODES = (CONNECTED, UNCONNECTED, BOUND) = ("connected", "unconnected", "bound")
LETTERS = {b"c": CONNECTED, b"u": UNCONNECTED, b"b": BOUND}
UNANSWERED = [ipaddress.ip_network(text) for text in ("172.17.0.0/16", "10.65.0.0/16")]
# A global IPv6 address of a bridge: as that of another uplink (RFC 7084: a router's uplink may have none of its own).
DELEGATED = [ipaddress.ip_network("2001:db8:65::/48")]
# The addresses inside tunnels and of a line: as the source of what an uplink carries, no better than another uplink's.
INSIDE = [ipaddress.ip_network(text) for text in (
    "100.64.0.0/24", "10.50.0.0/24", *(f"10.{number}.0.0/24" for number in range(88, 100)),
    *(f"2001:db8:{number}::/64" for number in range(88, 100)))]
ADDRESSES = Path("/proc/thread-self/net/if_inet6")
TOKEN = re.compile(rb"truth!([46])([cub])(.{4})", re.DOTALL)


@dataclass
class Sample:
    """One turn of one family: the far ports at which its packets arrived, by kind of socket. A port has a `?` behind
    it where the packet had the address of another uplink."""

    time: float
    family: int
    ports: dict[str, set[str]] = field(default_factory=lambda: {mode: set() for mode in MODES})
    errors: dict[str, str] = field(default_factory=dict)
    # Of the ports, those at which the packet to the first destination arrived: the one that the agent watches.
    first: dict[str, set[str]] = field(default_factory=lambda: {mode: set() for mode in MODES})


class PacketJudge:
    """Sends from the namespace that it is made in; `capture` is a packet socket made in the far one."""

    def __init__(self, capture: socket.socket, flows: int, bound: tuple[str, ...] = ()) -> None:
        self.capture = capture
        self._bound = bound
        self.targets = {family: destinations(family, flows) for family in FAMILIES}
        self._first = {family: ipaddress.ip_address(one[0]).packed for family, one in self.targets.items()}
        self.samples: list[Sample] = []
        self._open: dict[tuple[int, int], Sample] = {}
        self._turn = 0
        self._addresses: set[bytes] = set()
        self._sockets = {family: self._socket(family) for family in FAMILIES}

    @staticmethod
    def _socket(family: int) -> socket.socket:
        made = socket.socket(FAMILIES[family], socket.SOCK_DGRAM)
        made.setblocking(False)
        return made

    def turn(self, now: float) -> None:
        """Close the turn before the last one, and send the next."""
        self._turn += 1
        self._addresses = {bytes.fromhex(line.split()[0]) for line in ADDRESSES.read_text().splitlines()}
        for family in FAMILIES:
            done = self._open.pop((family, self._turn - 2), None)
            if done is not None:
                self.samples.append(done)
            sample = self._open[family, self._turn] = Sample(now, family)
            for destination in self.targets[family]:
                self._send(sample, family, destination)
            for device in self._bound:
                self._send_bound(family, device)

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

    def _send_bound(self, family: int, device: str) -> None:
        with self._socket(family) as bound:
            try:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
                bound.sendto(b"truth!%db" % family + struct.pack("!I", self._turn), (self.targets[family][0], PORT))
            except OSError:
                pass                            # no such device, or nothing that it could be sent with

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
            if direction != OUTGOING:
                self.arrived(frame, interface)

    def arrived(self, frame: bytes, interface: str) -> None:
        """Take a frame that came to the far end."""
        if interface in PORTS:
            self.note(frame, interface)

    def note(self, frame: bytes, port: str) -> None:
        """Note a frame that left through a port, or through a line that a program holds (ppp0)."""
        for found in TOKEN.finditer(frame):
            family, mode, number = found.groups()
            sample = self._open.get((int(family), struct.unpack("!I", number)[0]))
            kind = LETTERS[mode]
            inner, outermost = _sources(frame, found.start(), int(family), port)
            verdicts = {_verdict(inner, port), _verdict(outermost, port, INSIDE if port in PORTS else [])}
            if outermost != inner and len(outermost) == 16 and outermost not in self._addresses:
                verdicts.add(None)
            if sample is not None and None not in verdicts:
                mark = "?" if "?" in verdicts else ""
                sample.ports[kind].add(port + mark)
                end = found.start() - 8
                if frame[end - (4 if family == b"4" else 16):end] == self._first[int(family)]:
                    sample.first[kind].add(port + mark)


def _sources(frame: bytes, payload: int, family: int, port: str) -> tuple[bytes, bytes]:
    """The source of the packet, whose header is before that of UDP, which has 8 bytes; and on a port that of the outermost
    packet, which may be a tunnel's."""
    inner = frame[payload - 16:payload - 12] if family == 4 else frame[payload - 40:payload - 24]
    outermost = {b"\x08\x00": frame[26:30], b"\x86\xdd": frame[22:38]}.get(frame[12:14]) if port in PORTS else None
    return inner, outermost or inner


def _verdict(raw: bytes, port: str, doubtful: Sequence[Network] = ()) -> str | None:
    """Nothing when no answer can come to a source, `?` when it is another uplink's address or a doubtful one."""
    try:
        address = ipaddress.ip_address(raw)
    except ValueError:
        return None
    if (address.is_unspecified or address.is_loopback or address.is_link_local
            or any(address in network for network in UNANSWERED)):
        return None
    if any(address in network for network in (*DELEGATED, *doubtful)):
        return "?"
    owner = next((name for name, networks in PORTS.items() if any(address in network for network in networks)), port)
    return "" if owner == port else "?"


def capture_socket() -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_FRAMES))
    made.setblocking(False)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    return made
